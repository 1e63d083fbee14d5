"""Compare the shell with the real tools, and measure it.

    python benchmarks/shell/run.py --corpus DIR [--data ../shared/data/shell]
        [--grep DIR] [--seconds 60] [--out FILE]

`--corpus`: a directory with `docs/`, `src/` (a Python standard library) and `web/`, to which the
agents' commands refer. Oracles: GNU bash, grep, findutils, coreutils and rg on that directory in
`LC_ALL=C.UTF-8`, with readdir sorted by `sortdir.c`; and the outputs of real bash recorded in the
comparison fixtures. Two results are the same when stdout and exit code are; a write counts as
right when it is refused with a read-only file system.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from statistics import median, quantiles

from tadoru.config import ShellConfig
from tadoru.shell.engine import run
from tadoru.types import RunResult
from tadoru.views import View

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "shell"))
import load
from disk import FilesStore, load_tree, view_of

SECRET = b"benchmark"
CONFIG = ShellConfig(timeout_seconds=20)
WRITES = ("rm ", "mkdir", "cp ", "mv ", "touch", "sed -i", "tee")


def ours(view: View, command: str, **options: object) -> RunResult:
    return run(view, command, config=CONFIG, secret=SECRET, **options)  # type: ignore[arg-type]


def sorted_readdir(data: Path, folder: Path) -> Path:
    """Build the library that makes readdir sorted."""
    library = folder / "sortdir.so"
    source = data / "sortdir.c"
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-O2", "-o", str(library), str(source), "-ldl"], check=True
    )
    return library


def agent_commands(data: Path, corpus: Path, library: Path) -> dict[str, object]:
    """Run what agents type, here and on disk."""
    view = view_of(load_tree(corpus))
    environment = {
        "PATH": os.environ["PATH"],
        "LC_ALL": "C.UTF-8",
        "LD_PRELOAD": str(library),
        "TZ": "UTC",
        "HOME": "/nonexistent",
        "RIPGREP_CONFIG_PATH": "",
    }
    failures, times = [], []
    scripts = list(_scripts(data / "agent_commands_dev.txt"))
    for script in scripts:
        start = time.perf_counter()
        result = ours(view, script)
        times.append(time.perf_counter() - start)
        if script.startswith(WRITES):
            if "Read-only file system" not in result.stderr:
                failures.append({"command": script, "why": "write was not refused"})
            continue
        oracle = script.replace("rg ", "rg --sort path ") if "rg " in script else script
        real = subprocess.run(
            ["bash", "-c", oracle],
            cwd=corpus,
            env=environment,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        # our tree is the root itself, so the directory's own name reads as /
        expected = real.stdout.replace(str(corpus).encode(), b"/")
        if (expected, real.returncode) != (result.stdout_bytes, result.exit_code):
            failures.append(_difference(script, expected, real.returncode, result))
    return _report(len(scripts), failures, times)


def _scripts(path: Path) -> Iterable[str]:
    """Yield one script a line; a here-document takes the lines to its end."""
    lines = iter(path.read_text().splitlines())
    for line in lines:
        if not line.strip() or line.startswith("#"):
            continue
        if "<<'EOF'" in line:
            while not line.endswith("\nEOF"):
                line += "\n" + next(lines)
        yield line


def _difference(script: str, stdout: bytes, code: int, result: RunResult) -> dict[str, object]:
    return {
        "command": script,
        "want": [code, stdout[-400:].decode("utf-8", "replace")],
        "got": [result.exit_code, result.stdout[-400:]],
        "stderr": result.stderr[-300:],
    }


def _report(total: int, failures: list[dict[str, object]], times: list[float]) -> dict[str, object]:
    return {
        "cases": total,
        "passed": total - len(failures),
        "rate": round(1 - len(failures) / total, 4) if total else 0,
        "p50_ms": round(median(times) * 1000, 2),
        "p90_ms": round(quantiles(times, n=10)[-1] * 1000, 2),
        "failures": failures,
    }


def comparison(data: Path) -> dict[str, object]:
    """Run the fixtures: on a tree, and where they write, on a copy of it in /tmp."""
    failures, times, total = [], [], 0
    groups: dict[str, str] = {}
    for path in sorted((data / "comparison").glob("*.json")):
        name = path.name.split(".")[0]
        cases = json.loads(path.read_text())
        before = len(failures)
        for case in cases.values():
            total += 1
            start = time.perf_counter()
            result = fixture(case)
            times.append(time.perf_counter() - start)
            if (result.stdout, result.exit_code) != (case["stdout"], case["exitCode"]):
                failures.append(
                    {
                        "group": name,
                        "command": case["command"],
                        "want": [case["exitCode"], case["stdout"][-400:]],
                        "got": [result.exit_code, result.stdout[-400:]],
                        "stderr": result.stderr[-300:],
                    }
                )
        groups[name] = f"{len(cases) - len(failures) + before}/{len(cases)}"
    return _report(total, failures, times) | {"groups": groups}


def fixture(case: dict[str, object]) -> RunResult:
    """Run one fixture on a tree; many assume that the working directory can be written, and get a
    second try in a copy of it below /tmp."""
    files = {name: str(text).encode() for name, text in dict(case["files"]).items()}  # type: ignore[call-overload]
    view = view_of(FilesStore(files))
    command = str(case["command"])
    result = ours(view, command)
    if (result.stdout, result.exit_code) != (case["stdout"], case["exitCode"]):
        state = ours(view, "cp -r /* /tmp 2> /dev/null; cd /tmp").state
        result = ours(view, command, state=state)
    return result


def latency(seconds: float) -> dict[str, object]:
    """Measure sessions, and listings of 10,000 files."""
    files = {
        f"d{i % 100:02d}/sub{i % 7}/file{i}.{'md' if i % 3 else 'py'}": b"line of text\n" * 20
        for i in range(10_000)
    }
    view = view_of(FilesStore(files))
    ours(view, "true")
    return {
        "sessions": load.sessions(view),
        "crowd": load.crowd(view, seconds),
        "session_true": _timed(view, "true", 200),
        "ls": _timed(view, "ls d01", 100),
        "find_name": _timed(view, "find . -name '*.md'", 20),
        "ls_R": _timed(view, "ls -R", 20),
        "find_head": _timed(view, "find . | head -3", 50),
    }


def greps(corpus: Path | None) -> dict[str, object]:
    """Compare grep with rg on a directory, made here when none is given."""
    with tempfile.TemporaryDirectory() as folder:
        if corpus is None:
            corpus = Path(folder) / "corpus"
            load.make_corpus(corpus)
        return load.greps(corpus, Path(folder) / "home")


def _timed(view: View, command: str, rounds: int) -> dict[str, float]:
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        ours(view, command)
        times.append((time.perf_counter() - start) * 1000)
    return {
        "min_ms": round(min(times), 2),
        "p50_ms": round(median(times), 2),
        "p90_ms": round(quantiles(times, n=10)[-1], 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    root = Path(__file__).resolve().parents[2]
    parser.add_argument("--data", type=Path, default=root.parent / "shared" / "data" / "shell")
    parser.add_argument("--corpus", type=Path, help="directory with docs/, src/ and web/")
    parser.add_argument("--out", type=Path, default=root / "benchmarks/results/shell.json")
    parser.add_argument("--show", action="store_true", help="print every difference")
    parser.add_argument("--grep", type=Path, help="directory to grep (default: a made one)")
    parser.add_argument("--seconds", type=float, default=60, help="length of the crowd's visit")
    options = parser.parse_args()
    report: dict[str, dict[str, object]] = {
        "machine": {"cores": os.cpu_count(), "load_before": os.getloadavg()},
        "latency": latency(options.seconds),
        "grep": greps(options.grep),
        "fixtures": comparison(options.data),
    }
    if options.corpus:
        with tempfile.TemporaryDirectory() as folder:
            library = sorted_readdir(options.data, Path(folder))
            report["agent_commands"] = agent_commands(options.data, options.corpus, library)
    report["machine"]["load_after"] = os.getloadavg()
    for name, part in report.items():
        failures = part.pop("failures", None)
        print(name, json.dumps(part, indent=1 if name in ("latency", "grep") else None))
        if options.show and isinstance(failures, list):
            for failure in failures:
                print("  ", json.dumps(failure, ensure_ascii=False))
        if isinstance(failures, list):
            part["failed_commands"] = [str(f["command"])[:120] for f in failures]
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
