"""Commands of bashkit that run in a box of their own: an interpreter with raw bytes.

Two reasons. `split`, `gzip`, `tar` and the like would end the whole script when they cannot write;
here they end with the words and the code of the GNU program, and the script goes on. `md5sum`,
`od`, `base64` and the like look at bytes, which text commands see in another form (`lossless`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from tadoru.errors import TadoruError
from tadoru.shell import writes
from tadoru.shell.commands.context import Context, encode, shell_quote

STDIN_FILE = "dev/fd/native_stdin"
_OTHER_NAMES = {"sed-lines": ("sed", "-n"), "zcat": ("gunzip", "-c")}
"""Commands that bashkit has under another name only."""
REFUSED = b"Read-only file system"
_WORDS = "Read-only file system"


async def main(ctx: Context) -> int:
    return await boxed(ctx, ctx.argv, await ctx.read_all())


async def boxed(ctx: Context, argv: Sequence[str], stdin: bytes) -> int:
    """Run bashkit's own command of this name with some arguments and input."""
    out, err, code = await outcome(ctx, argv, stdin)
    await ctx.write(out)
    if ctx.name in _REFUSALS and err.startswith(b"bash: ") and REFUSED in err:
        message, code = _REFUSALS[ctx.name](argv)
        err = encode(message)
    if err:
        await ctx.push_error(err)
    return code


async def outcome(ctx: Context, argv: Sequence[str], stdin: bytes) -> tuple[bytes, bytes, int]:
    """Return stdout, stderr and exit code of bashkit's own command of this name.

    An interpreter of its own knows neither our stdin nor our process substitutions: both become
    files of the session while it runs, under other names, which what it prints does not keep.
    """
    name, *before = _OTHER_NAMES.get(ctx.name, (ctx.name,))
    files: dict[str, bytes] = {}
    shown: dict[str, str] = {}
    if stdin:
        files[STDIN_FILE] = stdin
        shown = {f"/{STDIN_FILE}": "/dev/stdin"}
    words = [name, *before]
    for word in argv:
        path = ctx.resolve_path(word) if word.startswith("/dev/fd/") else ""
        if word in ("/dev/stdin", "/dev/fd/0") and stdin:
            words.append(f"/{STDIN_FILE}")
        elif path and ctx.is_pipe(path):
            inner = f"dev/fd/native_{path.rpartition('/')[2]}"
            files[inner] = ctx.read_bytes(path)
            shown[f"/{inner}"] = word
            words.append(f"/{inner}")
        else:
            words.append(word)
    script = shell_quote(words) + (f" < /{STDIN_FILE}" if stdin else "")
    try:
        for path, data in files.items():
            writes.write(ctx.space, path, data)
        out, err, code = await ctx.run_script(script, ctx.cwd, native=name)
    finally:
        for path in files:
            with suppress(TadoruError):
                writes.remove(ctx.space, path)
    return _renamed(out, shown), _renamed(err, shown), code


def _renamed(text: bytes, shown: Mapping[str, str]) -> bytes:
    for inner, outer in shown.items():
        text = text.replace(encode(inner), encode(outer))
    return text


def _operands(argv: Sequence[str]) -> list[str]:
    return [word for word in argv if not word.startswith("-") or word == "-"]


def _split(argv: Sequence[str]) -> tuple[str, int]:
    taken = {"-l", "-b", "-n", "-a", "-C", "--lines", "--bytes"}
    words = [w for i, w in enumerate(argv) if not (i and argv[i - 1] in taken)]
    operands = _operands(words)
    prefix = operands[1] if len(operands) > 1 else "x"
    return f"split: {prefix}aa: {_WORDS}\n", 1


def _gzip(argv: Sequence[str]) -> tuple[str, int]:
    operands = _operands(argv)
    name = operands[0] if operands else "stdout"
    unpacks = any(w.startswith("-") and "d" in w and not w.startswith("--") for w in argv)
    shown = name.removesuffix(".gz") if unpacks or name.endswith(".gz") else f"{name}.gz"
    return f"gzip: {shown}: {_WORDS}\n", 1


def _bzip2(argv: Sequence[str]) -> tuple[str, int]:
    operands = _operands(argv)
    name = operands[0] if operands else "stdout"
    shown = name.removesuffix(".bz2") if name.endswith(".bz2") else f"{name}.bz2"
    return f"bzip2: Can't create output file {shown}: {_WORDS}.\n", 1


def _tar(argv: Sequence[str]) -> tuple[str, int]:
    archive = ""
    for position, word in enumerate(argv):
        letters = word.lstrip("-")
        if word.startswith("--file="):
            archive = word.partition("=")[2]
        elif (position == 0 or word.startswith("-")) and letters.endswith("f"):
            archive = argv[position + 1] if position + 1 < len(argv) else ""
    first = argv[0].lstrip("-") if argv else ""
    if "x" in first or "--extract" in argv:
        end = "Exiting with failure status due to previous errors"
        return f"tar: Cannot open: {_WORDS}\ntar: {end}\n", 2
    return f"tar: {archive}: Cannot open: {_WORDS}\ntar: Error is not recoverable: exiting now\n", 2


def _zip(argv: Sequence[str]) -> tuple[str, int]:
    operands = _operands(argv)
    name = operands[0] if operands else "-"
    return f"zip I/O error: {_WORDS}\nzip error: Could not create output file ({name})\n", 15


def _unzip(argv: Sequence[str]) -> tuple[str, int]:
    return f"checkdir error: cannot create output: {_WORDS}\n", 2


_REFUSALS: dict[str, Callable[[Sequence[str]], tuple[str, int]]] = {
    "bunzip2": _bzip2,
    "bzip2": _bzip2,
    "gunzip": _gzip,
    "gzip": _gzip,
    "split": _split,
    "tar": _tar,
    "unzip": _unzip,
    "zip": _zip,
}
