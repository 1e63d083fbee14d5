"""Three real answers about any repository: a question, a wrong path, a pipeline.

Everything is asked through the command line, and each command is printed before its output.
"""

# ruff: noqa: T201

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path

TADORU = str(Path(sys.executable).parent / "tadoru")
WIDTH = 88


def main(repository: str) -> int:
    root = Path(repository).resolve()
    if not root.is_dir():
        sys.stderr.write(f"demo: {repository}: no such directory\n")
        return 2
    os.chdir(root)
    title("The index", f"of {root}")
    show("index", "--root", ".")

    files = asked("list-files", "--limit", "100000", "--root", ".")["files"]
    paths = [file["path"] for file in files]
    if not paths:
        sys.stderr.write("demo: the repository has no files\n")
        return 1
    title("1. A question", "answered with the code that matters, within a budget")
    under = ["--under", "src"] if any(path.startswith("src/") for path in paths) else []
    show("search", question(paths), "--top", "3", "--budget", "700", *under, "--root", ".")

    title("2. A wrong path", "corrected, because the file that was meant exists")
    real = memorable(paths)
    show("resolve", broken(real), "--root", ".")
    print(dim(f"(the real file is {real})"))
    show("resolve", "src/invented/quantum_flux.xyz", "--root", ".")

    title("3. A look around", "in a shell that can only read")
    suffix = Counter(Path(path).suffix for path in paths if Path(path).suffix).most_common(1)
    pattern = f"*{suffix[0][0]}" if suffix else "*"
    most = "cut -d/ -f2-3 | sort | uniq -c | sort -rn | head -5"
    show("sh", f"find . -name '{pattern}' | {most}", "--root", ".")
    show("sh", f"echo gone > {shlex.quote(paths[0])}", "--root", ".")
    return 0


def question(paths: list[str]) -> str:
    """Ask about this repository, or make a question from a definition of another one."""
    if "src/tadoru/views.py" in paths:
        return "which candidates does a wrong path get"
    found = asked("symbols", "--kind", "class,function", "--limit", "500", "--root", ".")
    symbols = [s for s in found["symbols"] if s.get("doc") and "test" not in s["path"].lower()]
    if not symbols:
        return "where does the program start"
    described = max(symbols, key=lambda s: min(len(s["doc"]), 90) + 20 * (s["kind"] == "class"))
    return described["doc"].split(". ")[0].rstrip(".")[:120]


def memorable(paths: list[str]) -> str:
    """Choose a source file whose name occurs once, in a directory of its own."""
    names = Counter(Path(path).name for path in paths)
    once = [p for p in paths if names[Path(p).name] == 1 and p.count("/") >= 1]
    code = [p for p in once if Path(p).suffix in {".py", ".ts", ".js", ".go", ".rs", ".java", ".c"}]
    inner = [p for p in code or once or paths if "test" not in p.lower()]
    return max(inner or paths, key=lambda p: (min(p.count("/"), 3), min(len(Path(p).stem), 9), p))


def broken(path: str) -> str:
    """Write a path as a model does that remembers it half: a directory lost, or a plural wrong."""
    parts = path.split("/")
    if len(parts) > 2:
        return "/".join([*parts[:-2], parts[-1]])
    stem, dot, suffix = parts[-1].rpartition(".")
    stem = stem or suffix
    stem = stem[:-1] if stem.endswith("s") else stem + "s"
    return "/".join([*parts[:-1], f"{stem}{dot}{suffix}" if dot else stem])


def asked(*arguments: str) -> dict[str, list[dict[str, str]]]:
    done = subprocess.run([TADORU, *arguments, "--json"], capture_output=True, text=True)
    if done.returncode > 1:
        sys.exit(done.stderr or done.returncode)
    result: dict[str, list[dict[str, str]]] = json.loads(done.stdout)
    return result


def show(*arguments: str) -> None:
    """Print a command as one would type it in the repository, then what it says."""
    typed = " ".join(quoted(word) for word in arguments[:-2])
    print(f"\n{bold('$ tadoru ' + typed)}", flush=True)
    done = subprocess.run([TADORU, *arguments])
    if done.returncode:
        print(dim(f"(exit code {done.returncode})"), flush=True)


def quoted(word: str) -> str:
    """Quote a word as people do: double quotes where they change nothing."""
    plain = "'" in word and not set('"$`\\!') & set(word)
    return f'"{word}"' if plain else shlex.quote(word)


def title(name: str, what: str) -> None:
    line = "─" * max(0, WIDTH - len(name) - len(what) - 4)
    print(f"\n{bold(name)}  {what}  {dim(line)}", flush=True)


def bold(text: str) -> str:
    return f"\x1b[1m{text}\x1b[0m" if COLOURED else text


def dim(text: str) -> str:
    return f"\x1b[2m{text}\x1b[0m" if COLOURED else text


COLOURED = sys.stdout.isatty() and "NO_COLOR" not in os.environ

if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]) if sys.argv[1:] else main("."))
