"""Run git on a source so that the source's own configuration cannot execute anything.

A repository's `.git/config` can name programs (`core.fsmonitor`, hooks, external diff, textconv,
pagers, credential helpers). Only commands that read are run here, with those switched off, without
a prompt, without optional locks, and with a time limit.
"""

from __future__ import annotations

import os
import subprocess
import time
from hashlib import sha1, sha256
from pathlib import Path

TIMEOUT_SECONDS = 10.0
STEP_SECONDS = 0.1
STUCK_SECONDS = 1.0
"""So long git may sleep without using the processor: nothing that it reads here can take that."""
STUCK_REMEMBERED = 60.0
"""So long a command that got stuck in a directory is not tried again there."""

_stuck: dict[tuple[str, str], float] = {}
"""Directory and command -> until when it is not tried."""

_SAFE = (
    "--no-pager",
    "--no-optional-locks",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.untrackedCache=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.sshCommand=false",
    "-c",
    "diff.external=",
    "-c",
    "protocol.allow=never",
    "-c",
    "safe.directory=*",
)
_READS_ONLY = frozenset(
    {"check-ignore", "log", "ls-files", "ls-tree", "rev-parse", "cat-file", "config"}
)


def run(
    root: Path | str,
    command: str,
    *arguments: str,
    stdin: bytes | None = None,
    timeout: float = TIMEOUT_SECONDS,
) -> bytes | None:
    """Return what a reading git command prints; None when git is missing, fails or is slow.

    `arguments` must not come from a source unless `--` or `--end-of-options` stands before them.
    """
    if command not in _READS_ONLY:
        raise ValueError(f"git {command} is not among the commands that only read")
    quiet = ("--no-ext-diff", "--no-textconv") if command == "log" else ()
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    environment |= {
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_PAGER": "cat",
        "GIT_ALLOW_PROTOCOL": "none",  # stronger than protocol.NAME.allow of the source
        "GIT_NO_LAZY_FETCH": "1",
        "LC_ALL": "C",
    }
    for kept in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"):
        if kept in os.environ:
            environment[kept] = os.environ[kept]
    key = (str(root), command)
    if time.monotonic() < _stuck.get(key, 0.0):
        return None
    try:
        process = subprocess.Popen(
            ["git", *_SAFE, "-C", str(root), command, *quiet, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
    except (OSError, ValueError):  # ValueError: a NUL byte
        return None
    output = _output(process, stdin or b"", timeout)
    if output is None:
        _stuck[key] = time.monotonic() + STUCK_REMEMBERED
        return None
    # check-ignore answers 1 when nothing is ignored
    return output if process.returncode == 0 or command == "check-ignore" else None


def _output(process: subprocess.Popen[bytes], stdin: bytes, timeout: float) -> bytes | None:
    """Return what the process prints; None when it is slow, or waits for what never comes.

    A FIFO where an ignore file belongs is opened by git, and holds it up for ever.
    """
    end = time.monotonic() + timeout
    asleep, before = 0, ""
    unsent: bytes | None = stdin
    while True:
        try:
            return process.communicate(unsent, timeout=STEP_SECONDS)[0]
        except subprocess.TimeoutExpired:
            unsent = None  # it goes on with what it was given first
            found = _asleep(process.pid)
            asleep = asleep + 1 if found and found == before else 0
            before = found
            if asleep * STEP_SECONDS >= STUCK_SECONDS or time.monotonic() > end:
                process.kill()
                process.communicate()
                return None


def _asleep(pid: int) -> str:
    """Return the processor time of a process that waits for no disk; empty for any other.

    Source: proc(5), fields 3, 14 and 15 of /proc/<pid>/stat; elsewhere the time limit holds.
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return f"{fields[11]} {fields[12]}" if fields[0] == "S" else ""


def changed_since(root: Path | str, revision: str) -> frozenset[str] | None:
    """Return root-relative paths whose bytes differ from a revision, new files too.

    None when `revision` is none. `git diff` is not asked: on the working tree it runs the clean
    filters that the repository names. Content is compared by blob id here, so a file that git would
    convert (line ends, LFS) counts as changed.
    """
    listed = run(root, "ls-tree", "-r", "-z", "--end-of-options", revision, ".")
    new = run(root, "ls-files", "-o", "-z", "--exclude-standard")
    if listed is None or new is None:
        return None
    changed = {name for name in new.split(b"\0") if name}
    for line in listed.split(b"\0"):
        head, _, name = line.partition(b"\t")
        if name and not _is_blob(Path(root) / os.fsdecode(name), head.split()):
            changed.add(name)
    return frozenset(name.decode("utf-8", "backslashreplace") for name in changed)


def _is_blob(path: Path, fields: list[bytes]) -> bool:
    """Tell whether a file has the content of a line of ls-tree: mode, type, object id."""
    mode, kind, expected = fields
    if kind != b"blob":
        return True  # a submodule: its files are not this repository's
    try:
        if mode == b"120000":
            data = os.fsencode(path.readlink())
        elif path.is_symlink() or not path.is_file():
            return False
        else:
            data = path.read_bytes()
    except OSError:
        return False
    digest = sha1 if len(expected) == 40 else sha256
    return digest(b"blob %d\0" % len(data) + data).hexdigest().encode() == expected
