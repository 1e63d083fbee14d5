"""Each command, as a process, on a real repository; bash and git are the oracles where they can."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Run

pytestmark = pytest.mark.slow  # each test starts processes


def test_search_prints_packed_context_with_path_and_lines(cli: Run) -> None:
    done = cli("search", "where is the session cookie signed")
    assert done.returncode == 0, done.stderr
    assert "src/shop/sessions.py" in done.stdout
    assert "def sign(value):" in done.stdout


def test_search_json_carries_hits_files_and_index(cli: Run) -> None:
    done = cli("search", "add the prices of the cart", "--json", "--top", "5")
    answer = json.loads(done.stdout)
    assert answer["hits"][0]["path"] == "src/shop/cart.py"
    assert answer["hits"][0]["host_path"].endswith("/src/shop/cart.py")
    assert answer["index"]["status"] == "fresh"
    assert answer["tokens"] <= answer["budget"]
    scores = [hit["score"] for hit in answer["hits"]]
    assert scores == sorted(scores, reverse=True)


def test_search_takes_the_seed_s_options(cli: Run) -> None:
    done = cli(
        "search",
        "--information-request",
        "signing of cookies",
        "--technical-terms",
        "hmac,SessionInterface",
        "--files",
    )
    assert done.returncode == 0
    assert "\nsrc/shop/sessions.py:" in f"\n{done.stdout}"


def test_search_filters_by_glob_and_directory(cli: Run) -> None:
    done = cli("search", "payment cart session", "--under", "docs", "--files")
    assert done.stdout
    assert all(line.startswith("docs/") for line in done.stdout.splitlines())
    done = cli("search", "payment cart session", "--include", "web/*", "--files")
    assert all(line.startswith("web/") for line in done.stdout.splitlines())


NOWHERE = "weather forecast for tomorrow in small towns by the sea"
"""A question that nothing in the repository answers."""


def test_a_guess_is_printed_with_a_warning_and_exits_one(cli: Run) -> None:
    done = cli("search", NOWHERE)
    assert done.returncode == 1
    assert done.stdout
    assert "low confidence" in done.stderr
    assert json.loads(cli("search", NOWHERE, "--json").stdout)["hits"]


def test_a_search_that_finds_nothing_exits_one(cli: Run) -> None:
    done = cli("search", "zzyzx quuxification frobnicator", "--low-confidence", "return_empty")
    assert done.returncode == 1
    assert done.stdout == ""


def test_resolve_prints_the_path_alone(cli: Run) -> None:
    done = cli("resolve", "src/shop/session.py", "--intent", "change how the session is loaded")
    assert (done.stdout, done.returncode) == ("src/shop/sessions.py\n", 0)


def test_resolve_can_print_a_path_that_opens_from_anywhere(
    cli: Run, shared_repository: Path
) -> None:
    done = cli("resolve", "src/shop/session.py", "--host", cwd=shared_repository / "docs")
    assert Path(done.stdout.strip()).samefile(shared_repository / "src/shop/sessions.py")


def test_an_invented_path_is_absent_and_exits_one(cli: Run) -> None:
    done = cli("resolve", "lib/quantum/flux_capacitor.zig")
    assert done.returncode == 1
    assert done.stdout.startswith("absent")
    done = cli("resolve", "lib/quantum/flux_capacitor.zig", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["status"] == "absent"


def test_retry_reads_the_right_file(cli: Run, shared_repository: Path) -> None:
    done = cli("retry", "src/shop/session.py")
    assert done.returncode == 0
    assert done.stdout == (shared_repository / "src/shop/sessions.py").read_text()
    assert "src/shop/sessions.py" in done.stderr


def test_retry_says_what_it_does_not_do(cli: Run) -> None:
    done = cli("retry", "src/shop/session.py", "--op", "write")
    assert (done.returncode, done.stdout) == (1, "refused\n")
    assert "what writes is never repeated" in done.stderr
    done = cli("retry", "/etc/passwd")
    assert (done.returncode, done.stdout) == (4, "absent: outside the roots\n")


COMMANDS = [
    'grep -rn "def open_session" src | head -3',
    "find . -name '*.py' -not -path './.git/*' -not -path './ignored/*' | sort",
    "cat src/shop/config.py docs/guide.md | wc -l",
    "for f in src/shop/*.py; do head -1 $f; done",
    "grep -c session src/shop/*.py",
    "grep nothing-like-this README.md",
    "cat no-such-file.txt",
    "false",
    "exit 7",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_sh_answers_like_bash(cli: Run, shared_repository: Path, command: str) -> None:
    bash = subprocess.run(
        ["bash", "-c", command], cwd=shared_repository, capture_output=True, text=True
    )
    done = cli("sh", command)
    assert (done.stdout, done.returncode) == (bash.stdout, bash.returncode)


def test_sh_refuses_a_write(cli: Run, shared_repository: Path) -> None:
    done = cli("sh", "echo gone > README.md")
    assert done.returncode != 0
    assert "Read-only file system" in done.stderr
    assert (shared_repository / "README.md").read_text().startswith("# Shop")


def test_sh_takes_words_a_script_and_options_after_the_line(cli: Run) -> None:
    assert cli("sh", "cat", "src/shop/config.py").stdout == "TAX = 0.19\n"
    assert cli("sh", "grep", "-c", "TAX", "src/shop/config.py").stdout == "1\n"
    assert cli("sh", "-c", "cat src/shop/config.py").stdout == "TAX = 0.19\n"
    assert cli("sh", stdin="cd src/shop\ncat config.py\n").stdout == "TAX = 0.19\n"
    answer = json.loads(cli("sh", "cat src/shop/config.py", "--json").stdout)
    assert (answer["stdout"], answer["exit_code"]) == ("TAX = 0.19\n", 0)


def test_sh_starts_where_one_is(cli: Run, shared_repository: Path) -> None:
    done = cli("sh", "cat config.py", cwd=shared_repository / "src/shop")
    assert done.stdout == "TAX = 0.19\n"


def test_sh_passes_bytes_through(cli: Run, repository: Path, tadoru_command: list[str]) -> None:
    data = bytes(range(256)) * 3
    (repository / "data.bin").write_bytes(data)
    done = subprocess.run(
        [*tadoru_command, "sh", "cat data.bin"], cwd=repository, capture_output=True
    )
    assert done.stdout == data


def test_read_prints_a_file_and_a_window(cli: Run, shared_repository: Path) -> None:
    text = (shared_repository / "src/shop/sessions.py").read_text()
    assert cli("read", "src/shop/sessions.py").stdout == text
    window = cli("read", "src/shop/sessions.py", "--lines", "6-7", "-n").stdout
    lines = text.splitlines()
    assert window == f"     6\t{lines[5]}\n     7\t{lines[6]}\n"


def test_read_finds_a_file_from_a_directory_below(cli: Run, shared_repository: Path) -> None:
    assert cli("read", "config.py", cwd=shared_repository / "src/shop").stdout == "TAX = 0.19\n"


@pytest.mark.parametrize("place", [".", "./", "src/..", "{root}"])
def test_the_root_has_many_names(cli: Run, shared_repository: Path, place: str) -> None:
    done = cli("list-files", place.format(root=shared_repository))
    assert "README.md" in done.stdout.split()


def test_absolute_paths_of_this_machine_are_understood(cli: Run, shared_repository: Path) -> None:
    path = str(shared_repository / "src/shop")
    assert cli("list-files", path).stdout.split()[0].startswith("src/shop/")
    assert cli("search", "cart", "--under", path, "--files").returncode == 0
    assert cli("read", f"{path}/config.py").stdout == "TAX = 0.19\n"


def test_read_of_a_wrong_path_fails_or_recovers(cli: Run) -> None:
    done = cli("read", "src/shop/session.py")
    assert (done.stdout, done.returncode) == ("", 1)
    done = cli("read", "src/shop/session.py", "--recover")
    assert done.returncode == 0
    assert "class SessionInterface" in done.stdout
    assert "does not exist; this is src/shop/sessions.py" in done.stderr


def test_list_files_lists_what_git_lists(cli: Run, shared_repository: Path) -> None:
    git = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=shared_repository,
        capture_output=True,
        text=True,
    )
    assert sorted(cli("list-files").stdout.split()) == sorted(git.stdout.split())


def test_list_files_filters_and_pages(cli: Run) -> None:
    done = cli("list-files", "--glob", "src/**/*.py", "--language", "python", "--max-results", "1")
    assert len(done.stdout.splitlines()) == 1
    assert "go on with --offset 1" in done.stderr
    answer = json.loads(cli("list-files", "--glob", "src/**/*.py", "--json").stdout)
    assert answer["total"] == 4


def test_definition_shows_where_and_what(cli: Run) -> None:
    done = cli("definition", "SessionInterface", "--hint-path", "src")
    first, *rest = done.stdout.splitlines()
    assert first.startswith("src/shop/sessions.py:6: class SessionInterface")
    assert "class SessionInterface:" in rest[0]


def test_references_leave_out_the_definition(cli: Run) -> None:
    done = cli("references", "SessionInterface", "--exclude-definition")
    assert "src/shop/cart.py:" in done.stdout
    assert "src/shop/sessions.py:6:" not in done.stdout


@pytest.mark.parametrize("command", ["definition", "references"])
def test_unknown_names_exit_one(cli: Run, command: str) -> None:
    done = cli(command, "NoSuchNameAnywhere")
    assert (done.stdout, done.returncode) == ("", 1)


def test_symbols_outline_and_map_name_definitions(cli: Run) -> None:
    for arguments in (
        ("symbols", "src/shop/cart.py"),
        ("outline", "src/shop/cart.py"),
        ("map", "src"),
    ):
        done = cli(*arguments)
        assert done.returncode == 0, done.stderr
        assert "total" in done.stdout


def test_status_stats_and_roots(cli: Run, shared_repository: Path) -> None:
    assert cli("status").stdout.startswith("fresh, ")
    stats = json.loads(cli("stats", "--path", str(shared_repository), "--json").stdout)
    assert stats["languages"]["python"] == 5
    assert stats["index"]["status"] == "fresh"
    assert "python" in cli("stats").stdout
    place, directory = cli("roots").stdout.rstrip("\n").split("\t")
    assert place == "/"
    assert Path(directory).samefile(shared_repository)


def test_several_roots_lie_side_by_side(cli: Run, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.txt").write_text(f"{name}\n")
    roots = ("--root", str(tmp_path / "one"), "--root", str(tmp_path / "two"))
    assert cli("index", *roots).returncode == 0
    done = cli("list-files", *roots)
    assert sorted(done.stdout.split()) == ["one/one.txt", "two/two.txt"]
    assert cli(*roots, "sh", "cat /two/two.txt").stdout == "two\n"


def test_explain_shows_stages_and_candidates(cli: Run) -> None:
    done = cli("explain", "search", "where is the session cookie signed")
    assert done.returncode == 0
    assert "hits (" in done.stdout
    done = cli("explain", "resolve", "src/shop/session.py")
    assert "resolved: src/shop/sessions.py" in done.stdout


def test_index_reports_what_was_done_and_skipped(cli: Run, repository: Path) -> None:
    (repository / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(400))
    done = cli("index", cwd=repository)
    assert done.returncode == 0, done.stderr
    assert "10 added" in done.stdout
    assert "picture.png" in done.stdout
    again = json.loads(cli("index", "--json", cwd=repository).stdout)
    assert (again["unchanged"], again.get("added", 0), again.get("changed", 0)) == (10, 0, 0)


def test_index_can_be_tried_without_doing_it(cli: Run, repository: Path) -> None:
    done = cli("index", "--dry-run", cwd=repository)
    assert done.returncode == 0
    assert cli("status", "--no-index", cwd=repository).returncode == 3


def test_a_change_is_seen_by_the_next_question(cli: Run, repository: Path) -> None:
    assert cli("index", cwd=repository).returncode == 0
    (repository / "src/shop/refunds.py").write_text("def refund_order(order):\n    return -order\n")
    done = cli("definition", "refund_order", "--brief", cwd=repository)
    assert done.stdout.startswith("src/shop/refunds.py:1: function refund_order")


def test_groups_restrict_what_is_seen(cli: Run, repository: Path, tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[access]\n"**" = "public"\n"src/**" = ["staff"]\n')
    env = {"TADORU_CONFIG": str(config), "TADORU_HOME": str(tmp_path / "home")}
    assert cli("index", cwd=repository, env=env).returncode == 0
    outside = cli("list-files", cwd=repository, env=env)
    assert "README.md" in outside.stdout
    assert "src/" not in outside.stdout
    staff = cli("list-files", "--as", "staff", cwd=repository, env=env)
    assert "src/shop/cart.py" in staff.stdout
    hidden = cli("read", "src/shop/cart.py", cwd=repository, env=env)
    missing = cli("read", "src/shop/curt.py", cwd=repository, env=env)
    assert hidden.returncode == missing.returncode == 1
    assert hidden.stderr.replace("cart", "curt") == missing.stderr
