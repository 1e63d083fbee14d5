"""Publishing into a real Chroma: labels, increments, kills, and what readers see meanwhile."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from chroma_server import MARKS, TREE, packed

import tadoru
from tadoru import BadInput, Principal
from tadoru.errors import CorruptStore, StoreBusy, StoreError
from tadoru.publishing import claim as claims
from tadoru.publishing import run
from tadoru.stores.chroma import ChromaStore, form, newest
from tadoru.stores.chroma.connect import connector
from tadoru.testing.suites.store import access_of, paths

pytestmark = MARKS
LABELS = ["**=public", "internal/**=ops,billing"]
RUNNER = Path(__file__).with_name("publishing_run.py")


def page(name: str, words: int = 120) -> str:
    body = " ".join(f"{name}-{at}" for at in range(words))
    return f"# {name.title()}\n\n## First\n\n{body}\n\n## Second\n\nThe end of {name}.\n"


@pytest.fixture
def site(tmp_path):
    folder = tmp_path / "site"
    (folder / "internal").mkdir(parents=True)
    for name in ("start", "auth", "deploy"):
        (folder / f"{name}.md").write_text(page(name))
    (folder / "internal" / "billing.md").write_text(page("billing"))
    (folder / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(300))
    (folder / "empty.md").write_text("")
    return folder


@pytest.fixture
def address(chroma):
    chroma.count += 1
    return chroma.address_of(f"site-{chroma.count}")


def publish(site, address, **how):
    with tadoru.open(site) as workspace:
        workspace.index()
        return workspace.publish(address.text, **({"labels": LABELS} | how))


def contents(store, *groups):
    access = access_of(store, *groups)
    return {path: text.decode() for path, text in store.read_many(sorted(paths(store, access)),
                                                                  access=access)}  # fmt: skip


def test_a_published_directory_reads_as_it_is(site, address):
    report = publish(site, address)
    store = ChromaStore.open(address)
    public = {f"{name}.md": page(name) for name in ("start", "auth", "deploy")} | {"empty.md": ""}
    assert contents(store) == public
    assert contents(store, "ops") == public | {"internal/billing.md": page("billing")}
    assert report.labels == {"public": 4, "billing,ops": 1}
    assert report.left_out == {"not a text file": ["logo.png"]}
    sizes = {entry.path: entry.size for entry in store.entries(access=access_of(store))}
    assert sizes == {path: len(text) for path, text in public.items()}
    with tadoru.open(None, mounts={"/": address.text}) as workspace:
        assert workspace.search("where does deploy end").hits[0].path == "deploy.md"
        assert workspace.resolve("deploi.md").path == "deploy.md"
        assert workspace.run("grep -rl 'The end of' . | sort").stdout.split() == [
            "./auth.md", "./deploy.md", "./start.md",
        ]  # fmt: skip
        assert workspace.resolve("internal/billing.md").status == "absent"
        ops = workspace.seen_by(Principal(frozenset({"ops"})))
        assert ops.run("cat internal/billing.md").stdout == page("billing")


def test_nothing_is_published_without_a_label(site, address, chroma):
    with pytest.raises(BadInput, match="who may see"):
        publish(site, address, labels=())
    for rule in ("nonsense", "=ops", "**=public,ops"):
        with pytest.raises(BadInput):
            publish(site, address, labels=[rule])
    assert address.collection not in [each.name for each in chroma.client.list_collections()]
    report = publish(site, address, labels=["internal/**="], public=True)
    assert report.labels == {"public": 4}
    assert report.left_out["nobody may see it"] == ["internal/billing.md"]


def test_what_a_project_restricts_stays_restricted(site, address):
    (site / ".tadoru.toml").write_text('[access]\n"auth.md" = ["staff"]\n')
    report = publish(site, address, labels=(), public=True)
    assert report.labels["staff"] == 1
    assert "auth.md" not in contents(ChromaStore.open(address))


def test_only_what_changed_is_sent(site, address):
    first = publish(site, address)
    assert first.uploaded == first.chunks
    again = publish(site, address)
    assert (again.uploaded, again.generation, again.unchanged) == (0, 1, 5)
    (site / "auth.md").write_text(page("auth").replace("The end", "The very end"))
    (site / "start.md").unlink()
    (site / "new.md").write_text(page("new"))
    third = publish(site, address)
    assert (third.added, third.changed, third.deleted, third.unchanged) == (1, 1, 1, 3)
    assert 0 < third.uploaded < third.chunks
    relabelled = publish(site, address, labels=["**=public"])
    assert (relabelled.uploaded, relabelled.relabelled, relabelled.generation) == (0, 1, 3)
    store = ChromaStore.open(address)
    assert set(contents(store)) == {"auth.md", "deploy.md", "empty.md", "new.md",
                                    "internal/billing.md"}  # fmt: skip
    assert "very end" in contents(store)["auth.md"]


def test_a_page_has_the_time_of_its_content(site, address):
    """Another checkout of the same text is no change; a new text brings its own time."""
    os.utime(site / "auth.md", (1_000_000_000, 1_000_000_000))
    publish(site, address)
    os.utime(site / "auth.md", (1_500_000_000, 1_500_000_000))
    assert publish(site, address).generation == 1

    def time_of_auth():
        store = ChromaStore.open(address)
        entries = store.entries(access=access_of(store))
        return next(one.mtime_ns // 10**9 for one in entries if one.path == "auth.md")

    assert time_of_auth() == 1_000_000_000
    (site / "auth.md").write_text(page("changed"))
    os.utime(site / "auth.md", (1_600_000_000, 1_600_000_000))
    publish(site, address)
    assert time_of_auth() == 1_600_000_000


def test_what_no_generation_needs_is_swept(site, address):
    publish(site, address)
    collection = connector(address)()
    for word in ("second", "third", "fourth"):
        (site / "auth.md").write_text(page(word))
        report = publish(site, address)
    assert report.swept > 0
    needed = report.chunks + 1
    previous = 2 * len(ChromaStore.open(address).now().pages["auth.md"].ids("") or ())
    assert needed <= collection.count() <= needed + previous


def test_a_dry_run_writes_nothing(site, address, chroma):
    report = publish(site, address, dry_run=True)
    assert report.dry_run
    assert (report.added, report.labels) == (5, {"public": 4, "billing,ops": 1})
    assert address.collection not in [each.name for each in chroma.client.list_collections()]
    publish(site, address)
    (site / "auth.md").write_text("# other\n")
    assert publish(site, address, dry_run=True).changed == 1
    assert ChromaStore.open(address).generation == ChromaStore.open(address).generation
    assert contents(ChromaStore.open(address))["auth.md"] == page("auth")


def test_a_collection_of_others_is_left_alone(site, chroma):
    row = [("a", "theirs", {"page": "a.md", "chunk_index": 0})]
    without = chroma.docs(None, row)
    with_tree = chroma.docs({"a.md": {"isPublic": True}}, row)
    for theirs in (without, with_tree):
        before = chroma.official(theirs).get()
        with pytest.raises(BadInput, match="another name"):
            publish(site, theirs)
        assert chroma.official(theirs).get() == before


def test_a_large_tree_is_published_in_parts(site, address, monkeypatch):
    monkeypatch.setattr(form, "PART_PAGES", 2)
    publish(site, address)
    store = ChromaStore.open(address)
    assert len(store.now().manifest.parts) == 3
    assert len(contents(store, "ops")) == 5
    (site / "auth.md").write_text(page("other"))
    assert publish(site, address).unchanged == 4
    assert contents(ChromaStore.open(address))["auth.md"] == page("other")


def test_readers_see_the_old_pages_or_the_new_ones_while_it_runs(site, address, monkeypatch):
    monkeypatch.setattr(newest, "CHECK_SECONDS", 0.0)
    states = {at: {f"{n}.md": page(f"{n}-{at}") for n in ("start", "auth", "deploy")}
              for at in range(4)}  # fmt: skip

    def write(at):
        for name, text in states[at].items():
            (site / name).write_text(text)
        publish(site, address, labels=["*.md=public"])

    write(0)
    store = ChromaStore.open(address)
    wrong, seen, stop = [], set(), threading.Event()

    def read():
        while not stop.is_set():
            found = {path: text for path, text in contents(store).items() if path in states[0]}
            at = next((at for at, pages in states.items() if pages == found), None)
            seen.add(at)
            if at is None:
                wrong.append(found)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        for at in (1, 2, 3):
            write(at)
            time.sleep(0.1)
    finally:
        stop.set()
        reader.join()
    assert wrong == []
    assert 3 in seen


KILLS = 6


def test_a_run_killed_at_any_moment_leaves_the_old_or_the_new_tree(tmp_path, chroma_server):
    rng = random.Random(4)
    folder = tmp_path / "site"
    folder.mkdir()
    address = chroma_server.address_of("killed")
    current = {f"p{n}.md": page(f"p{n}", 40) for n in range(30)}
    _write(folder, current)
    _run(folder, address)
    store_paths = set(current)
    killed = attempt = 0
    window = 0.3
    while killed < KILLS:
        attempt += 1
        assert attempt <= 5 * KILLS, f"only {killed} runs were met alive"
        before = dict(current)
        for name in rng.sample(sorted(store_paths), 12):
            current[name] = page(f"{name}-{attempt}", 40)
        _write(folder, current)
        met = _killed(folder, address, rng.uniform(0.0, window))
        # How long a run takes depends on the machine: the window settles where most are met.
        window *= 1.1 if met else 0.7
        killed += met
        found = contents(ChromaStore.open(address))
        assert found in (before, current)
        _run(folder, address)
        assert contents(ChromaStore.open(address)) == current


def _write(folder, pages):
    for name, text in pages.items():
        (folder / name).write_text(text)


def _start(folder, address):
    process = subprocess.Popen(
        [sys.executable, str(RUNNER), str(folder), address.text],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n", process.stderr.read()
    return process


def _run(folder, address):
    process = _start(folder, address)
    out, errors = process.communicate(timeout=60)
    assert out.startswith("done"), errors


def _killed(folder, address, seconds):
    process = _start(folder, address)
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    out, _ = process.communicate(timeout=10)
    return "done" not in out


def test_a_chunk_that_is_not_what_it_should_be_stops_the_switch(site, address, chroma, monkeypatch):
    publish(site, address)
    (site / "auth.md").write_text(page("changed"))
    spoilt = []
    check = run.check

    def spoil(collection, names, pages, new, *rest):
        name = new[0].ids("")[0]
        spoilt.append(name)
        rows = collection.get(ids=[name], include=["metadatas", "embeddings"])
        collection.upsert([name], ["half of it"], rows["metadatas"], rows["embeddings"])
        check(collection, names, pages, new, *rest)

    monkeypatch.setattr(run, "check", spoil)
    with pytest.raises(StoreError, match="check before the switch"):
        publish(site, address)
    assert contents(ChromaStore.open(address))["auth.md"] == page("auth")
    monkeypatch.setattr(run, "check", check)
    publish(site, address)
    assert spoilt
    assert contents(ChromaStore.open(address))["auth.md"] == page("changed")


def test_a_chunk_that_somebody_removed_stops_the_switch(site, address, chroma):
    publish(site, address)
    gone = ChromaStore.open(address).now().pages["deploy.md"].ids("")[0]
    chroma.official(address).delete(ids=[gone])
    (site / "auth.md").write_text(page("changed"))
    with pytest.raises(StoreError, match="chunks are gone"):
        publish(site, address)


def test_a_second_publication_is_refused_while_the_first_is_under_way(site, address, monkeypatch):
    publish(site, address)
    (site / "auth.md").write_text(page("mine"))
    check = run.check
    refused = []

    def meanwhile(*given):
        with pytest.raises(StoreBusy, match="another publication is under way") as raised:
            publish(site, address)
        refused.append(raised.value)
        check(*given)

    monkeypatch.setattr(run, "check", meanwhile)
    assert publish(site, address).changed == 1
    assert len(refused) == 1


def test_a_tree_that_changed_under_a_publication_is_not_overwritten(site, address, monkeypatch):
    publish(site, address)
    check = run.check

    def meanwhile(collection, names, *rest):
        head, _ = form.documents_of((), form.Manifest(7), names)
        collection.upsert([names.tree], [head], [{"page": TREE}], [[1.0] + [0.0] * 255])
        check(collection, names, *rest)

    monkeypatch.setattr(run, "check", meanwhile)
    (site / "auth.md").write_text(page("mine"))
    with pytest.raises(StoreBusy, match="another publication came first"):
        publish(site, address)


def test_a_claim_of_the_dead_elsewhere_is_taken_over(site, address, chroma, monkeypatch):
    monkeypatch.setattr(claims, "SILENCE_SECONDS", 0.6)
    publish(site, address)
    left = {"page": TREE, "owner": "x", "place": "another machine", "pid": 1, "started": 1}
    name = claims.claim_id(address.names)
    chroma.official(address).add(
        ids=[name], documents=["-"], metadatas=[left], embeddings=[[1.0] + [0.0] * 255]
    )
    (site / "auth.md").write_text(page("again"))
    assert publish(site, address).changed == 1
    assert chroma.official(address).get(ids=[name])["ids"] == []


def test_a_claim_that_a_failure_left_holds_nobody_up(site, address, monkeypatch):
    """The server goes away in the middle, and the process that published lives on."""
    monkeypatch.setattr(claims.Claim, "drop", lambda self, owner: None)
    monkeypatch.setattr(run, "check", lambda *_: (_ for _ in ()).throw(StoreError("away")))
    with pytest.raises(StoreError, match="away"):
        publish(site, address)
    monkeypatch.undo()
    assert publish(site, address).generation == 1


def test_a_claim_of_a_living_process_without_a_sign_is_taken_over(
    site, address, chroma, monkeypatch
):
    monkeypatch.setattr(claims, "SILENCE_SECONDS", 0.6)
    publish(site, address)
    with subprocess.Popen(["sleep", "60"]) as other:
        left = {"page": TREE, "owner": "x", "place": claims._place(), "pid": other.pid,
                "started": claims.started(other.pid)}  # fmt: skip
        name = claims.claim_id(address.names)
        chroma.official(address).add(
            ids=[name], documents=["-"], metadatas=[left], embeddings=[[1.0] + [0.0] * 255]
        )
        (site / "auth.md").write_text(page("again"))
        assert publish(site, address).changed == 1
        other.kill()


def test_a_claim_of_the_living_elsewhere_is_respected(site, address, chroma, monkeypatch):
    monkeypatch.setattr(claims, "_place", lambda: "")  # as if its processes could not be looked at
    monkeypatch.setattr(claims, "BEAT_SECONDS", 0.1)
    check = run.check

    def meanwhile(*given):
        with pytest.raises(StoreBusy, match="another publication"):
            publish(site, address)
        check(*given)

    monkeypatch.setattr(run, "check", meanwhile)
    assert publish(site, address).generation == 1
    left = [name for name in chroma.official(address).get()["ids"] if "@publishing" in name]
    assert left == []


def test_one_who_was_taken_for_dead_switches_nothing(site, address, chroma, monkeypatch):
    publish(site, address)
    check = run.check

    def meanwhile(*given):
        check(*given)
        monkeypatch.setattr(run, "check", check)
        chroma.official(address).delete(ids=[claims.claim_id(address.names)])

    monkeypatch.setattr(run, "check", meanwhile)
    (site / "auth.md").write_text(page("mine"))
    with pytest.raises(StoreBusy, match="took its place"):
        publish(site, address)
    assert contents(ChromaStore.open(address))["auth.md"] == page("auth")


@pytest.mark.slow
def test_processes_that_publish_at_once_end_in_one_whole_tree(tmp_path, chroma_server):
    """Five processes, one collection: each publishes or is refused, and readers lose nothing."""
    address = chroma_server.address_of("race")
    sites = []
    for number in range(5):
        folder = tmp_path / f"site-{number}"
        folder.mkdir()
        for at in range(12):
            (folder / f"page-{at}.md").write_text(page(f"of-{number}-{at}"))
        sites.append(folder)
    for _ in range(3):
        runs = [
            subprocess.Popen(
                [sys.executable, RUNNER, folder, address.text],
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            )
            for folder in sites
        ]  # fmt: skip
        said = [run.communicate(timeout=120)[1] for run in runs]
        refused = [words for run, words in zip(runs, said, strict=True) if run.returncode]
        assert len(refused) < len(runs), refused
        odd = [words[-1_500:] for words in refused if "another publication is" not in words]
        assert odd == []
        whole = contents(ChromaStore.open(address))
        assert whole in [
            {file.name: file.read_text() for file in folder.iterdir()} for folder in sites
        ]
        official = chroma_server.official(address)
        assert not [name for name in official.get(include=[])["ids"] if "@publishing" in name]


def test_a_tree_that_lost_its_digest_is_written_again(site, address, chroma):
    publish(site, address)
    chroma.official(address).update(ids=[TREE], metadatas=[{"tadoru": "nonsense"}])
    with pytest.raises(CorruptStore):
        _ = ChromaStore.open(address).generation
    assert publish(site, address).generation == 2
    assert contents(ChromaStore.open(address))["auth.md"] == page("auth")


def test_a_tree_is_the_same_text_for_the_same_pages(site, address, chroma):
    publish(site, address)
    head = chroma.official(address).get(ids=[TREE])["documents"][0]
    tree = form.unpack(head, TREE)
    assert tree["auth.md"]["isPublic"] is True
    assert tree["internal/billing.md"]["groups"] == ["billing", "ops"]
    assert form.pack(tree) == head
    assert form.unpack(packed({"a": 1}), TREE) == {"a": 1}
