"""History comes from everything that was touched; processes share how often and lately."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import tadoru
from tadoru import Config, Principal, Workspace
from tadoru.config import AccessRule, ResolveConfig
from tadoru.touched import Touched, journal_path, who

PLACES = ("alpha", "beta", "gamma", "delta")


@pytest.fixture
def shop(repository: Path, tmp_path: Path) -> Iterator[Workspace]:
    for place in PLACES:
        directory = repository / "pkg" / place
        directory.mkdir(parents=True)
        (directory / "client.py").write_text(f"def connect_{place}(): ...\n")
        (directory / "notes.md").write_text(f"# {place.title()}\n\nAbout the {place} wing.\n")
    with tadoru.open(repository, config=Config(home=str(tmp_path / "home"))) as workspace:
        workspace.index()
        yield workspace


def nearest(workspace: Workspace) -> str:
    """Return the directory of the `client.py` that is offered first."""
    answer = workspace.resolve("client.py")
    best = answer.path or answer.candidates[0].path
    return best.split("/")[1]


TOUCHES: dict[str, Callable[[Workspace, str], object]] = {
    "read": lambda w, place: w.read(f"pkg/{place}/notes.md"),
    "list": lambda w, place: w.list_files(under=f"pkg/{place}"),
    "symbols": lambda w, place: w.symbols(path=f"pkg/{place}/client.py"),
    "outline": lambda w, place: w.outline(f"pkg/{place}/client.py"),
    "map": lambda w, place: w.map(f"pkg/{place}"),
    "search": lambda w, place: w.search(f"about the {place} wing", under=f"pkg/{place}"),
    "resolve": lambda w, place: w.resolve(f"pkg/{place}/note.md"),
    "retry": lambda w, place: w.retry(f"pkg/{place}/note.md"),
    "shell": lambda w, place: w.run(f"cd pkg/{place} && cat notes.md | head -1"),
    "recent": lambda w, place: w.resolve("no/such.zig", recent=[f"pkg/{place}/notes.md"]),
    "hook": lambda w, place: w.touch(f"{w.roots['/']}/pkg/{place}/notes.md"),
}


@pytest.mark.parametrize("kind", sorted(TOUCHES))
def test_whatever_was_touched_breaks_the_tie(shop: Workspace, kind: str) -> None:
    usual = nearest(shop)
    other = next(place for place in PLACES if place != usual)
    with shop.seen_by(Principal(frozenset({"fresh"}))) as asker:
        TOUCHES[kind](asker, other)
        assert nearest(asker) == other


def test_another_process_offers_first_what_was_used_most(shop: Workspace, tmp_path: Path) -> None:
    usual = nearest(shop)
    other = next(place for place in PLACES if place != usual)
    code = (
        "import sys, tadoru\n"
        "with tadoru.open(sys.argv[1], config=tadoru.Config(home=sys.argv[2])) as w:\n"
        "    print(w.read(sys.argv[3]).path if len(sys.argv) > 3"
        " else w.resolve('client.py').candidates[0].path)\n"
    )
    command = [sys.executable, "-c", code, shop.roots["/"], str(tmp_path / "home")]
    read = [*command, f"pkg/{other}/client.py"]
    for one in (read, command):
        done = subprocess.run(one, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == f"pkg/{other}/client.py"


def test_principals_share_no_memory(repository: Path, tmp_path: Path) -> None:
    config = Config(
        home=str(tmp_path / "home"),
        access=(AccessRule("**", public=True), AccessRule("src/**", groups=frozenset({"staff"}))),
    )
    with tadoru.open(repository, config=config) as nobody:
        nobody.index()
        with nobody.seen_by(Principal(frozenset({"staff"}))) as staff:
            staff.read("src/shop/cart.py")
            staff.read("README.md")
            nobody.read("docs/guide.md")
            nobody.touch("src/shop/config.py", f"{repository}/src/shop/cart.py", "gone.py")
    journal = Touched(journal_path(str(tmp_path / "home"), str(repository)))
    assert set(journal.weights(who({"staff"}))) == {"src/shop/cart.py", "README.md"}
    assert set(journal.weights(who(()))) == {"docs/guide.md"}


def test_each_root_keeps_its_own_journal(
    tmp_path: Path, new_repository: Callable[[Path], Path]
) -> None:
    one, two = new_repository(tmp_path / "one"), new_repository(tmp_path / "two")
    home = tmp_path / "home"
    with tadoru.open(roots=[one, two], config=Config(home=str(home))) as workspace:
        workspace.index()
        workspace.read("one/README.md")
        workspace.run("cat /two/src/shop/cart.py")
    for root, path in ((one, "README.md"), (two, "src/shop/cart.py")):
        assert set(Touched(journal_path(str(home), str(root))).weights(who(()))) == {path}


def test_no_history_means_none_on_disk(repository: Path, tmp_path: Path) -> None:
    config = Config(home=str(tmp_path / "home"), resolve=ResolveConfig(history=0))
    with tadoru.open(repository, config=config) as workspace:
        workspace.index()
        workspace.read("README.md")
        workspace.run("cat docs/guide.md")
    assert not (tmp_path / "home/touched").exists()
