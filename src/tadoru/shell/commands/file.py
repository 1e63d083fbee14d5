"""`file`: what a file is, by its first bytes and the look of its text, in libmagic's words.

Knows what lies in repositories and document stores: source, markup, data, images, archives. It is
no libmagic: everything else is `data` or text in its encoding.
"""

from __future__ import annotations

import json
import re

from tadoru.errors import TadoruError
from tadoru.shell.commands.context import Context, UsageError, encode
from tadoru.shell.commands.options import Option, Options
from tadoru.shell.space import link_text, strerror
from tadoru.types import Entry, Kind

OPTIONS = Options(
    Option("brief", "b", "brief"),
    Option("mime", "i", "mime"),
    Option("mime-type", "", "mime-type"),
    Option("follow", "L", "dereference"),
    Option("ignored", "hkNnprsvz0", "no-dereference keep-going no-pad raw uncompress"),
    Option("separator", "F", "separator", "value"),
)
LOOK_BYTES = 1 << 20
"""How much of a file is looked at."""
LONG_LINE = 300
"""Characters from which libmagic speaks of very long lines."""

_MAGIC: tuple[tuple[bytes, str, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "PNG image data", "image/png"),
    (b"\xff\xd8\xff", "JPEG image data", "image/jpeg"),
    (b"GIF8", "GIF image data", "image/gif"),
    (b"%PDF-", "PDF document", "application/pdf"),
    (b"PK\x03\x04", "Zip archive data", "application/zip"),
    (b"\x1f\x8b", "gzip compressed data", "application/gzip"),
    (b"BZh", "bzip2 compressed data", "application/x-bzip2"),
    (b"\xfd7zXZ\0", "XZ compressed data", "application/x-xz"),
    (b"\x28\xb5\x2f\xfd", "Zstandard compressed data", "application/zstd"),
    (b"\x7fELF", "ELF executable", "application/x-executable"),
    (b"\0asm", "WebAssembly (wasm) binary module", "application/wasm"),
    (b"SQLite format 3\0", "SQLite 3.x database", "application/vnd.sqlite3"),
    (b"wOF2", "Web Open Font Format (Version 2)", "font/woff2"),
    (b"wOFF", "Web Open Font Format", "font/woff"),
    (b"RIFF", "RIFF (little-endian) data", "application/octet-stream"),
    (b"OggS", "Ogg data", "audio/ogg"),
    (b"ID3", "Audio file with ID3", "audio/mpeg"),
    (b"\xca\xfe\xba\xbe", "compiled Java class data", "application/x-java-applet"),
)
_SHELLS = {"sh": "POSIX shell", "bash": "Bourne-Again shell", "zsh": "Paul Falstad's zsh"}
_PYTHON = re.compile(
    rb"(?m)^(?:from\s+[\w.]+\s+import\s|import\s+[\w.]+(?:\s*,\s*[\w.]+)*\s*$"
    rb"|def\s+\w+\s*\([^\n]*\)\s*(?:->[^\n]*)?:|class\s+\w+(?:\([^\n]*\))?:)"
)
_C = re.compile(rb'(?m)^#\s*(?:include\s*[<"]|define\s+\w|ifndef\s+\w|pragma\s)')
_CPP = re.compile(rb"(?m)^(?:namespace\s|template\s*<|using namespace\s|class\s+\w+\s*[:{]?)")
_JAVASCRIPT = re.compile(
    rb"(?m)^\s*(?:import\s[^\n;]*\bfrom\s+[\"']|import\s+[\"']|import\s*\{"
    rb"|export\s+(?:default|const|class|function|async|var|let|\*|\{)"
    rb"|(?:const|let|var)\s+[\w{][^\n=]*=\s*require\s*\(|module\.exports\b|[\"']use strict[\"'])"
)
_HTML = re.compile(rb"(?i)^\s*(?:<!doctype html|<html|<head|<body|<title)")


async def main(ctx: Context) -> int:
    parsed, operands = OPTIONS.parse(ctx.name, ctx.argv, usage_code=1)
    flags = {key for key, _ in parsed}
    separator = next((value for key, value in parsed if key == "separator"), ":")
    if not operands:
        raise UsageError("no file given\nUsage: file [-bi] FILE...", 1)
    width = max(map(len, operands))
    for operand in operands:
        text = await _described(ctx, operand, flags)
        head = "" if "brief" in flags else f"{operand}{separator}".ljust(width + 2)
        await ctx.write(encode(f"{head}{text}\n"))
    return 0


async def _described(ctx: Context, operand: str, flags: set[str]) -> str:
    mime = bool(flags & {"mime", "mime-type"})
    try:
        if operand == "-":
            return describe(await ctx.read_all(), mime=mime, charset="mime" in flags)
        entry = ctx.lookup(operand, follow="follow" in flags)
    except TadoruError as error:
        return f"cannot open `{operand}' ({strerror(error)})"
    special = _special(entry, mime=mime)
    if special:
        return special
    data = ctx.read_bytes(entry.path, size=LOOK_BYTES)
    return describe(data, mime=mime, charset="mime" in flags, executable=entry.executable)


def _special(entry: Entry, *, mime: bool) -> str:
    if entry.kind is Kind.DIRECTORY:
        return "inode/directory" if mime else "directory"
    if entry.kind is Kind.LINK:
        return "inode/symlink" if mime else f"symbolic link to {link_text(entry)}"
    return ""


def describe(data: bytes, *, mime: bool, charset: bool, executable: bool = False) -> str:
    """Return what some bytes are."""
    if not data:
        return "inode/x-empty" + ("; charset=binary" if charset else "") if mime else "empty"
    for magic, words, kind in _MAGIC:
        if data.startswith(magic):
            return kind + ("; charset=binary" if charset else "") if mime else words
    encoding, label = _encoding(data)
    if not encoding:
        binary = "application/octet-stream"
        return binary + ("; charset=binary" if charset else "") if mime else "data"
    kind, words = _text_kind(data)
    if mime:
        return kind + (f"; charset={label}" if charset else "")
    return _text_words(words, encoding) + _line_facts(data)


def _encoding(data: bytes) -> tuple[str, str]:
    """Return libmagic's name of the encoding and that of MIME; empty for what is no text."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        order = "little" if data[0] == 0xFF else "big"
        return f"Unicode text, UTF-16, {order}-endian", f"utf-16{order[0]}e"
    control = set(data) & (set(range(32)) - {7, 8, 9, 10, 12, 13, 27})
    if control:
        return "", ""
    if data.isascii():
        return "ASCII", "us-ascii"
    try:
        data.decode()
    except UnicodeDecodeError as error:
        if error.start < len(data) - 4:
            extended = any(0x80 <= byte < 0xA0 for byte in data)
            return (
                ("Non-ISO extended-ASCII", "unknown-8bit")
                if extended
                else (
                    "ISO-8859",
                    "iso-8859-1",
                )
            )
    bom = " (with BOM)" if data.startswith(b"\xef\xbb\xbf") else ""
    return f"Unicode text, UTF-8{bom}", "utf-8"


def _text_kind(data: bytes) -> tuple[str, str]:
    """Return the MIME type, and the words before the encoding (with `executable` for scripts)."""
    head = data.lstrip(b"\xef\xbb\xbf")
    if head.startswith(b"#!"):
        return _script(head.split(b"\n", 1)[0].decode("utf-8", "replace"))
    stripped = head.strip()
    if stripped[:1] in (b"{", b"[") and _is_json(stripped):
        return "application/json", "JSON text data"
    if stripped.startswith(b"<?xml"):
        return "text/xml", "XML 1.0 document"
    if stripped.startswith(b"<svg"):
        return "image/svg+xml", "SVG Scalable Vector Graphics image"
    if _HTML.match(head):
        return "text/html", "HTML document"
    if _C.search(data):
        if _CPP.search(data):
            return "text/x-c++", "C++ source"
        return "text/x-c", "C source"
    if _JAVASCRIPT.search(data):
        return "application/javascript", "JavaScript source"
    if _PYTHON.search(data):
        return "text/x-script.python", "Python script executable"
    return "text/plain", ""


def _script(line: str) -> tuple[str, str]:
    words = line[2:].split() or [""]
    name = words[0].rpartition("/")[2]
    if name == "env" and len(words) > 1:
        name = words[1]
    if name in _SHELLS:
        return "text/x-shellscript", f"{_SHELLS[name]} script executable"
    if name.startswith("python"):
        return "text/x-script.python", "Python script executable"
    known = {"perl": "Perl", "ruby": "Ruby", "node": "Node.js"}
    if name in known:
        return f"text/x-{name}", f"{known[name]} script executable"
    return "text/plain", f"a {' '.join(words)} script executable"


def _is_json(data: bytes) -> bool:
    if len(data) >= LOOK_BYTES:
        return False
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True


def _text_words(words: str, encoding: str) -> str:
    if words == "JSON text data":
        return words
    text = encoding if "UTF-16" in encoding else f"{encoding} text"
    if words.startswith("Node.js"):
        return f"{words}, {text}"
    script = words.removesuffix(" executable")
    if script != words:
        return f"{script}, {text} executable"
    return f"{words}, {text}" if words else text


def _line_facts(data: bytes) -> str:
    facts = ""
    longest = max(map(len, data.split(b"\n")))
    if longest > LONG_LINE:
        facts += f", with very long lines ({longest})"
    if b"\r\n" in data:
        mixed = data.count(b"\n") != data.count(b"\r\n")
        facts += ", with CRLF, LF line terminators" if mixed else ", with CRLF line terminators"
    elif b"\n" not in data:
        facts += ", with no line terminators"
    if b"\x1b" in data:
        facts += ", with escape sequences"
    return facts
