"""Nesting that no parser sees, because it is built while the script runs, ends in bounds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

MAX_MEGABYTES = 600
"""What the process may ever reach, also by many bad command lines one after the other."""
LEVELS = 5_000
DRIVER = """
import json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from disk import FilesStore, view_of
from tadoru.config import ShellConfig
from tadoru.errors import TadoruError
from tadoru.shell import run
files = {"a": b"x\\n", "self.sh": b"source self.sh\\n", "again.sh": b"bash again.sh\\n"}
view = view_of(FilesStore(files))
for script in json.load(sys.stdin):
    try:
        result = run(view, script, config=ShellConfig(timeout_seconds=4), secret=b"x")
        end = [result.exit_code, result.stdout[-40:], result.stderr[-200:]]
    except TadoruError as error:
        end = [2, "", str(error)]
    alive = run(view, "echo alive", config=ShellConfig(), secret=b"x").stdout
    # VmHWM begins with the program; ru_maxrss would begin with what its parent had.
    status = Path("/proc/self/status").read_text()
    peak = int(status.partition("VmHWM:")[2].split()[0]) // 1024
    print(json.dumps([script[:60], *end, alive, peak]), flush=True)
"""

PREFIXES = (
    "env", "command", "builtin", "eval", "exec", "time", "timeout 9", "nice", "nohup", "xargs",
    "bash -c", "sudo", "retry", "parallel", "env -i", "coproc", "!",
)  # fmt: skip
RECURSIVE = {
    "eval": 'x=\'eval "$x"\'; eval "$x"',
    "hidden eval": 'e=ev; x=\'${e}al "$x"\'; ${e}al "$x"',
    "command eval": 'x=\'command eval "$x"\'; command eval "$x"',
    "builtin eval": 'e=al; x=\'builtin ev$e "$x"\'; builtin ev$e "$x"',
    "function": "f() { f; }; f",
    "function in a substitution": "f() { echo $(f); }; f",
    "function in a subshell": "f() { (f); }; f",
    "function in a pipe": "f() { f | f; }; f",
    "function in a process substitution": "f() { cat <(f); }; f",
    "function in a here-document": "f() { cat <<E\n$(f)\nE\n}; f",
    "function in arithmetic": "f() { echo $(( $(f) + 1 )); }; f",
    "function in case": "f() { case $(f) in a) ;; esac; }; f",
    "function in eval": "f() { eval \"eval 'eval f'\"; }; f",
    "function in the background": "f() { f & f & }; f; wait",
    "exported function": "f() { timeout 5 bash -c f; }; export -f f; f",
    "source": "source self.sh",
    "source of eval": "echo 'eval source /tmp/s' > /tmp/s; source /tmp/s",
    "source in a subshell": "echo '(source /tmp/s)' > /tmp/s; source /tmp/s",
    "source of a here-string": 'x=\'source /dev/stdin <<< "$x"\'; source /dev/stdin <<< "$x"',
    "script": "bash again.sh",
    "script on stdin": 'export x=\'echo "$x" | bash\'; echo "$x" | bash',
    "bash -c": 'export x=\'bash -c "$x"\'; bash -c "$x"',
    "exec": "echo 'exec bash /tmp/s' > /tmp/s; bash /tmp/s",
    "xargs": 'export x=\'echo 1 | xargs -I{} bash -c "$x"\'; bash -c "$x"',
    "find": 'export x=\'find a -exec bash -c "$x" \\;\'; bash -c "$x"',
    "find +": "echo 'find /a -exec bash /tmp/s {} +' > /tmp/s; bash /tmp/s",
    "trap": "f() { trap f EXIT; f; }; f",
    "trap on return": "f() { trap 'f' RETURN; }; f",
    "alias": "shopt -s expand_aliases; alias x='eval x'\nx",
    "arithmetic variable": "x=x; echo $((x))",
    "name reference": "declare -n x=y; declare -n y=x; echo $x",
    "prompt": "PS4='$(set -x; :)'; set -x; :",
}
NESTED = {
    "substitutions": ("echo $(", ")", "echo a"),
    "subshells": ("(", ")", ":"),
    "groups": ("{ ", "; }", ":"),
    "arithmetic": ("echo $((" + "(" * LEVELS, ")" * LEVELS + "))", "1"),
    "expansions": ("${x:-", "}", "a"),
    "braces": ("{a,", "}", "b"),
    "if": ("if true; then ", "; fi", ":"),
    "case": ("case a in a) ", ";; esac", ":"),
    "loops": ("for i in 1; do ", "; done", ":"),
    "process substitutions": ("cat <(", ")", "echo a"),
}
PROGRAMS = [
    "awk 'BEGIN{print " + "(" * LEVELS + "1" + ")" * LEVELS + "}'",
    "awk 'function f(x){return f(x+1)} BEGIN{print f(1)}'",
    "awk 'BEGIN{print " + "!" * LEVELS + "1}'",
    "sed -E 's/" + "(" * LEVELS + "a" + ")" * LEVELS + "/b/' a",
    "jq -n '" + "[" * LEVELS + "1" + "]" * LEVELS + "'",
    "jq -n '" + "if true then " * LEVELS + "1" + " else 2 end" * LEVELS + "'",
    "printf '%s' '" + "[" * LEVELS + "]" * LEVELS + "' | jq -c . | wc -c",
    "grep -E '" + "(" * LEVELS + "a" + ")" * LEVELS + "' a",
    "grep -P '" + "(" * LEVELS + "a" + ")" * LEVELS + "' a",
    "find . " + "\\( " * LEVELS + "-name a" + " \\)" * LEVELS,
    "find . -name a" + " -o -name b" * LEVELS,
    "[[ " + "( " * LEVELS + "a" + " )" * LEVELS + " ]]",
    "echo '" + "(" * LEVELS + "1" + ")" * LEVELS + "' | bc",
    "expr " + "\\( " * LEVELS + "1" + " \\)" * LEVELS,
]
HUNGRY = [
    "seq 100000000 | sort -n | tail -1",
    "yes | sort",
    "echo a | sed ':a;s/a/aa/g;ba'",
    "awk 'BEGIN{x=\"a\"; for(i=0;i<40;i++) x=x x; print length(x)}'",
    "jq -n '[limit(100000000;repeat(1))]|length'",
    "x=a; for i in {1..40}; do x=$x$x; done",
    "for ((i=0;i<1000000;i++)); do a[i]=$i; done",
    "x=$(yes); echo ${#x}",
    RECURSIVE["eval"],
    RECURSIVE["builtin eval"],
]


def chain(word: str) -> str:
    return f'x=(); for i in {{1..1200}}; do x+=({word}); done; "${{x[@]}}" true'


def texts() -> list[str]:
    nested = [
        lead + before * depth + core + after * depth
        for name, (before, after, core) in NESTED.items()
        for depth in (40, 1 if name == "arithmetic" else LEVELS)
        for lead in ("echo " if name in ("expansions", "braces") else "",)
    ]
    return [*map(chain, PREFIXES), *RECURSIVE.values(), *nested, *PROGRAMS]


def ends(scripts: list[str], *, limit: str = "", cores: str = "") -> list[list[object]]:
    """Run scripts one after the other in a process of their own; all of them must come back.

    `limit`: kilobytes of its address space; `cores`: how many bashkit is to believe in.
    """
    command = [sys.executable, "-c", DRIVER, str(Path(__file__).parent)]
    if limit:
        command = ["sh", "-c", f'ulimit -v {limit}; exec "$@"', "sh", *command]
    done = subprocess.run(
        command,
        env={**os.environ, **({"TOKIO_WORKER_THREADS": cores} if cores else {})},
        input=json.dumps(scripts),
        capture_output=True,
        text=True,
        check=False,
    )
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, (done.returncode, scripts[len(rows)][:200], done.stderr[-300:])
    return rows


@pytest.mark.slow
def test_nesting_of_every_kind_leaves_the_process_alive() -> None:
    scripts = texts()
    for start in range(0, len(scripts), 12):
        for script, _code, _out, err, alive, peak in ends(scripts[start : start + 12]):
            assert alive == "alive\n", script
            assert "internal error" not in str(err), (script, err)
            assert int(str(peak)) < MAX_MEGABYTES, (script, peak)


@pytest.mark.slow
@pytest.mark.parametrize("script", [*HUNGRY, chain("env"), chain("eval"), chain("exec")])
def test_what_eats_memory_is_stopped(script: str) -> None:
    ((_, code, out, err, alive, peak),) = ends([script])
    assert alive == "alive\n" and int(str(peak)) < MAX_MEGABYTES, peak
    assert code or err or out or script == chain("exec")


@pytest.mark.slow
def test_a_limited_address_space_is_enough() -> None:
    scripts = ["find . | xargs cat", "grep -r x . | sort | uniq -c", *RECURSIVE.values()]
    for script, _code, _out, _err, alive, _peak in ends(scripts, limit="6000000"):
        assert alive == "alive\n", script


@pytest.mark.slow
def test_many_cores_take_no_more_memory() -> None:
    scripts = ["find . | xargs cat", "find . -exec cat {} \\;"]
    few, many = (max(int(str(row[5])) for row in ends(scripts, cores=n)) for n in ("2", "64"))
    assert many < few + 40


def test_a_chain_built_at_run_time_is_refused_with_words(shell) -> None:
    result = shell(chain("env").replace("1200", "6000"), {})
    assert result.exit_code == 1
    assert "maximum command count exceeded" in result.stderr
