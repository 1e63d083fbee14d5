"""Vectors are made once for each text, survive a kill, and never mix; the index stands without."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tadoru
from tadoru.config import AccessRule, Config, ModelConfig, load
from tadoru.indexing.embeddings_cache import NAME, EmbeddingsCache, faults
from tadoru.indexing.job import Job, Request
from tadoru.testing import HashEmbedder
from tadoru.testing.provider import Provider
from tadoru.types import EmbeddingReport, IndexReport
from tadoru.workspace import Workspace

QUESTION = "where is the session cookie signed"
Configure = Callable[..., Config]


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider() as provider:
        yield provider


@pytest.fixture
def configure(provider: Provider, tmp_path: Path) -> Configure:
    """Make a configuration of one home and the provider; arguments change its models."""

    def make(**models: object) -> Config:
        chosen = ModelConfig(
            embeddings_base_url=provider.url, embeddings_model="m", embeddings_dimensions=16
        )
        return Config(home=str(tmp_path / "home"), models=replace(chosen, **models))  # type: ignore[arg-type]

    return make


def made(report: IndexReport) -> EmbeddingReport:
    assert report.embedding is not None
    return report.embedding


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True)


def many_files(root: Path, count: int) -> Path:
    root.mkdir()
    for number in range(count):
        (root / f"part{number:03}.py").write_text(f"def part_{number}():\n    return {number}\n")
    return root


def wait_until_semantic(workspace: Workspace, seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while (answer := workspace.search("cart")).recall == "lexical" or answer.warnings:
        assert time.monotonic() < deadline, answer.warnings
        time.sleep(0.1)


# -- a run ---------------------------------------------------------------------------------------


def test_index_embeds_every_chunk_once_and_questions_use_it(
    repository: Path, configure: Configure, provider: Provider
) -> None:
    with tadoru.open(repository, config=configure()) as workspace:
        report = workspace.index()
        embedding = made(report)
        assert (embedding.waiting, embedding.refused, embedding.reason) == (0, 0, "")
        assert embedding.made == len(provider.embedded) == len(set(provider.embedded))
        assert report.complete and report.chunks == embedding.made
        answer = workspace.search(QUESTION)
        assert answer.recall == "lexical, semantic" and not answer.warnings
        assert any("dense" in hit.sources for hit in answer.hits)
        assert QUESTION in provider.embedded
        assert made(workspace.index()) == replace(embedding, made=0)


def test_a_report_of_vectors_counts_what_the_asker_sees(
    tmp_path: Path, configure: Configure, provider: Provider
) -> None:
    rules = (AccessRule("**", public=True), AccessRule("part00*", groups=frozenset({"staff"})))
    config = replace(configure(), access=rules)
    root = many_files(tmp_path / "many", 30)
    provider.behave = lambda body, number: (401, {"error": "no"})
    told = {}
    for group in ("guest", "staff"):
        who = tadoru.Principal(frozenset({group}))
        with tadoru.open(root, config=config, principal=who) as workspace:
            told[group] = made(workspace.index())
    for group, count in (("guest", 20), ("staff", 30)):
        seen = told[group]
        assert (seen.files, seen.waiting, seen.waiting_files) == (count, count, count)
        assert (seen.made, seen.reused, seen.refused) == (0, 0, 0)
    assert told["guest"].bytes < told["staff"].bytes
    assert told["guest"].reason


def test_what_is_embedded_names_its_place(
    repository: Path, configure: Configure, provider: Provider
) -> None:
    with tadoru.open(repository, config=configure()) as workspace:
        workspace.index()
    found = [text for text in provider.embedded if "def open_session" in text]
    assert len(found) == 1
    assert found[0].startswith("src/shop/sessions.py")


def test_first_question_answers_before_there_is_a_vector_and_says_so(
    repository: Path, configure: Configure, provider: Provider
) -> None:
    go = threading.Event()

    def slow(body: dict[str, object], number: int) -> None:
        go.wait(20)

    provider.behave = slow
    with tadoru.open(repository, config=configure()) as workspace:
        began = time.monotonic()
        answer = workspace.search(QUESTION)
        assert time.monotonic() - began < 10
        while str(answer.index) != "fresh":  # a busy machine: a part of the index answers first
            assert answer.recall == "lexical" and time.monotonic() - began < 30
            answer = workspace.search(QUESTION)
        assert answer.hits[0].path == "src/shop/sessions.py" and answer.recall == "lexical"
        assert any(w.startswith("semantic part away: 9 of 9") for w in answer.warnings)
        go.set()
        wait_until_semantic(workspace)


@pytest.mark.slow
def test_a_changed_file_is_embedded_in_the_background_and_nothing_else(
    repository: Path, configure: Configure, provider: Provider
) -> None:
    with tadoru.open(repository, config=configure()) as workspace:
        workspace.index()
        before = len(provider.embedded)
        (repository / "src/shop/config.py").write_text("TAX = 0.25  # raised\n")
        time.sleep(0.6)
        wait_until_semantic(workspace)
    documents = [text for text in provider.embedded[before:] if text != "cart"]
    assert [text.partition("\n")[0] for text in documents] == ["src/shop/config.py"]


def test_generated_data_and_secret_files_are_not_sent(
    repository: Path, configure: Configure, provider: Provider
) -> None:
    (repository / "api_pb2.py").write_text("# Generated by protoc. DO NOT EDIT.\nGENERATED = 1\n")
    (repository / "rows.json").write_text('{"ROWS": [1, 2, 3]}\n')
    (repository / ".env").write_text("PASSWORD=hunter2\n")
    config = configure()
    config = replace(config, index=replace(config.index, serve_secrets=True))
    with tadoru.open(repository, config=config) as workspace:
        report = workspace.index()
        assert ".env" in workspace.run("ls -A").stdout
        assert made(report).waiting == 0
        assert workspace.search(QUESTION).warnings == ()
    sent = json.dumps(provider.bodies)
    assert "TAX" in sent
    assert not any(word in sent for word in ("GENERATED", "ROWS", "hunter2"))


# -- never twice ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_switching_branches_and_back_embeds_nothing_anew(
    repository: Path, configure: Configure, provider: Provider
) -> None:
    with tadoru.open(repository, config=configure()) as workspace:
        workspace.index()
        git(repository, "checkout", "-q", "-b", "other")
        for name in ("cart", "sessions", "config"):
            path = repository / f"src/shop/{name}.py"
            path.write_text(path.read_text() + f"\n\ndef only_in_other_{name}():\n    pass\n")
        git(repository, "commit", "-qam", "two")
        assert made(workspace.index()).made > 0
        before = len(provider.embedded)
        for branch in ("main", "other", "main"):
            git(repository, "checkout", "-q", branch)
            report = made(workspace.index())
            assert (report.made, report.waiting) == (0, 0)
            assert report.reused > 0
        assert len(provider.embedded) == before


def test_a_second_worktree_embeds_nothing_anew(
    repository: Path, configure: Configure, provider: Provider, tmp_path: Path
) -> None:
    with tadoru.open(repository, config=configure()) as workspace:
        workspace.index()
        before = len(provider.embedded)
    git(repository, "worktree", "add", "-q", "-b", "feature", str(tmp_path / "second"))
    with tadoru.open(tmp_path / "second", config=configure()) as workspace:
        report = made(workspace.index())
        assert (report.made, report.waiting) == (0, 0) and report.reused == before
        assert workspace.search(QUESTION).recall == "lexical, semantic"
    assert provider.embedded[before:] == [QUESTION]


def test_a_rebuild_embeds_nothing_anew(
    repository: Path, configure: Configure, provider: Provider
) -> None:
    with tadoru.open(repository, config=configure()) as workspace:
        first = made(workspace.index())
        again = made(workspace.index(rebuild=True))
        assert (again.made, again.reused) == (0, first.made)


@pytest.mark.slow
def test_two_roots_with_the_same_text_at_once_embed_it_once(
    configure: Configure, provider: Provider, tmp_path: Path
) -> None:
    roots = [many_files(tmp_path / name, 60) for name in ("one", "two", "three")]
    provider.behave = lambda body, number: time.sleep(0.02)
    jobs = [
        Job(Request(root, tmp_path / "home/stores" / root.name, configure()), watched=True)
        for root in roots
    ]
    reports = [made(job.result()) for job in jobs]
    assert [report.waiting for report in reports] == [0, 0, 0]
    assert max(Counter(provider.embedded).values()) == 1
    assert sum(report.made for report in reports) == 60


def test_a_run_in_the_background_leaves_a_root_that_another_one_is_at(
    repository: Path, configure: Configure, provider: Provider
) -> None:
    from tadoru.indexing.embed import LOCK, turn

    with tadoru.open(repository, config=configure()) as workspace:
        source = workspace._mounts.local[""]
        source.index(vectors="later")
        provider.behave = lambda body, number: (401, {})
        with turn(source.directory / LOCK, 10):
            report = source.index(vectors="background")
        assert report.embedding is None and report.complete


@pytest.mark.slow
def test_a_killed_run_loses_at_most_what_was_under_way(
    configure: Configure, provider: Provider, tmp_path: Path
) -> None:
    root = many_files(tmp_path / "many", 200)
    config = configure(embeddings_max_concurrency=1)
    enough = threading.Event()

    def slow(body: dict[str, object], number: int) -> None:
        time.sleep(0.05)
        if number == 4:
            enough.set()

    provider.behave = slow
    request = Request(root, tmp_path / "home/stores/many", config)
    job = Job(request, watched=True)
    assert enough.wait(30)
    os.kill(job.pid, signal.SIGKILL)
    job.wait()
    assert job.stdout is not None
    job.stdout.close()
    report = made(Job(request, watched=True).result())
    assert report.waiting == 0 and report.reused >= 64
    twice = [text for text, count in Counter(provider.embedded).items() if count > 1]
    assert len(twice) <= 32 + 1, len(twice)  # one batch was answered and not yet kept


# -- another model -------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("change", [{"embeddings_model": "n"}, {"embeddings_dimensions": 8}])
def test_another_model_has_vectors_of_its_own(
    repository: Path, configure: Configure, provider: Provider, change: dict[str, object]
) -> None:
    with tadoru.open(repository, config=configure()) as workspace:
        first = made(workspace.index())
        store = next(iter(workspace._mounts.local.values())).store
        old = first.model
    provider.dimension = int(change.get("embeddings_dimensions", 16))  # type: ignore[call-overload]
    provider._models.clear()
    with tadoru.open(repository, config=configure(**change), index=False) as workspace:
        answer = workspace.search(QUESTION)
        assert answer.recall == "lexical"
        assert "9 of 9 files have no vectors" in answer.warnings[0]
    with tadoru.open(repository, config=configure(**change)) as workspace:
        second = made(workspace.index())
        assert second.model != old and second.made == first.made
        assert workspace.search(QUESTION).recall == "lexical, semantic"
        store = next(iter(workspace._mounts.local.values())).store
        access = frozenset(row.id for row in store.access_rows())
        assert store.nearest(np.ones(16, np.float32), fingerprint=old, access=access, k=3) == []
    provider.dimension = 16
    provider._models.clear()
    with tadoru.open(repository, config=configure()) as workspace:
        back = made(workspace.index())
        assert (back.made, back.reused, back.model) == (0, first.made, old)


# -- a provider that is away ---------------------------------------------------------------------


@pytest.mark.slow
def test_a_provider_that_dies_on_the_way_and_comes_back(
    configure: Configure, provider: Provider, tmp_path: Path
) -> None:
    root = many_files(tmp_path / "many", 150)
    config = configure(embeddings_max_concurrency=1)
    provider.behave = lambda body, number: (401, {"error": "no"}) if number >= 3 else None
    with tadoru.open(root, config=config) as workspace:
        report = workspace.index()
        assert not report.complete
        lost = made(report)
        assert lost.made == 64 and lost.waiting == lost.waiting_files == 86
        line = "semantic part away: 86 of 150 files (86 chunks) wait for vectors: 127.0.0.1 refused"
        assert report.errors[0].startswith(line)
        assert str(report.index) == "fresh"
        answer = workspace.search("part 7")
        assert answer.hits
        assert answer.recall == "lexical"
        assert "semantic recall is left out" in answer.warnings[0]
        assert "semantic part incomplete: 86 of 150 files" in answer.warnings[1]
        assert "refused the key" in answer.warnings[1]
        statistics = workspace.stats()["semantic"]
        assert statistics["files_waiting"] == 86 and "refused the key" in statistics["reason"]
        provider.behave = lambda body, number: None
        report = workspace.index()
        assert report.complete and made(report).made == 86
    documents = [text for text in provider.embedded if text.startswith(("part0", "part1"))]
    assert len(documents) == len(set(documents)) == 150


@pytest.mark.slow
def test_after_a_failure_no_run_begins_by_itself_for_a_while(
    repository: Path, configure: Configure, provider: Provider
) -> None:
    provider.behave = lambda body, number: (401, {})
    with tadoru.open(repository, config=configure()) as workspace:
        workspace.index()
        asked = len(provider.bodies)
        for _ in range(3):
            time.sleep(0.55)
            assert "refused the key" in workspace.search(QUESTION).warnings[0]
        assert len(provider.bodies) == asked


def test_a_question_does_not_wait_for_a_provider_that_is_away(
    repository: Path, configure: Configure, provider: Provider
) -> None:
    with tadoru.open(repository, config=configure()) as workspace:
        workspace.index()
        provider.close()
        began = time.monotonic()
        for question in (QUESTION, "cart total", "payment"):
            answer = workspace.search(question)
            assert answer.hits and "did not answer" in " ".join(answer.warnings)
        assert time.monotonic() - began < 5


def test_a_text_that_the_model_refuses_leaves_the_others_alone(
    repository: Path, configure: Configure, provider: Provider
) -> None:
    provider.behave = lambda body, number: (
        (400, {}) if any("render" in text for text in body["input"]) else None
    )
    with tadoru.open(repository, config=configure()) as workspace:
        report = made(workspace.index())
        assert (report.refused, report.waiting, report.reason) == (1, 0, "")
        asked = len(provider.bodies)
        workspace.index()
        assert len(provider.bodies) == asked


# -- consent and trust ---------------------------------------------------------------------------


@pytest.fixture
def far(configure: Configure, provider: Provider, monkeypatch: pytest.MonkeyPatch) -> Config:
    """A provider on another host, reached through a proxy, which is the local one."""
    monkeypatch.setenv("http_proxy", provider.base)
    monkeypatch.delenv("no_proxy", raising=False)
    return configure(
        embeddings_base_url="http://models.example/v1", embeddings_api_key="sk-very-secret"
    )


def test_nothing_is_sent_without_consent(repository: Path, far: Config, provider: Provider) -> None:
    with tadoru.open(repository, config=far) as workspace:
        report = workspace.index()
        embedding = made(report)
        assert embedding.needs_consent and embedding.hosts == ("models.example",)
        assert embedding.waiting == report.chunks and embedding.tokens > 50
        assert report.complete and "nobody has agreed" in report.notes[-1]
        answer = workspace.search(QUESTION)
        assert answer.recall == "lexical" and "nobody has agreed" in answer.warnings[0]
        time.sleep(0.6)
        workspace.search(QUESTION)
    assert provider.bodies == []


def test_consent_is_of_one_root_and_one_host_and_lasts(
    repository: Path, far: Config, provider: Provider, tmp_path: Path
) -> None:
    with tadoru.open(repository, config=far) as workspace:
        workspace.agree()
        assert made(workspace.index()).made > 0
    assert provider.headers[0]["Authorization"] == "Bearer sk-very-secret"
    kept = Path(far.home) / "consent.json"
    assert kept.stat().st_mode & 0o777 == 0o600
    with tadoru.open(repository, config=far) as workspace:
        assert not made(workspace.index()).needs_consent
    with tadoru.open(many_files(tmp_path / "other", 2), config=far) as workspace:
        assert made(workspace.index()).needs_consent
    elsewhere = replace(far.models, embeddings_base_url="http://other.example/v1")
    with tadoru.open(repository, config=replace(far, models=elsewhere)) as workspace:
        assert made(workspace.index()).needs_consent


def test_key_is_written_nowhere(repository: Path, far: Config, provider: Provider) -> None:
    provider.behave = lambda body, number: (401, {"error": "sk-very-secret"})
    with tadoru.open(repository, config=far) as workspace:
        workspace.agree()
        report = workspace.index()
        answer = workspace.search(QUESTION)
    assert "sk-very-secret" not in f"{report}{answer}{far}"
    for path in Path(far.home).rglob("*"):
        assert path.is_dir() or b"sk-very-secret" not in path.read_bytes()


def test_reranking_needs_consent_too(
    repository: Path, far: Config, provider: Provider, configure: Configure
) -> None:
    models = ModelConfig(
        rerank_base_url="http://models.example/v1", rerank_model="r", rerank_api_key="k"
    )
    with tadoru.open(repository, config=replace(far, models=models)) as workspace:
        answer = workspace.search(QUESTION)
        assert sum("reranking is left out: nobody has agreed" in w for w in answer.warnings) == 1
        assert provider.bodies == []
        workspace.agree()
        answer = workspace.search(QUESTION)
        assert not [w for w in answer.warnings if "reranking" in w]
        assert provider.bodies[0]["model"] == "r"


@pytest.mark.parametrize(
    "line",
    [
        'embeddings_base_url = "http://evil.example/v1"',
        'rerank_base_url = "http://evil.example/v1"',
        'embeddings_api_key = "x"',
        'embeddings_model = "x"',
        'embeddings_dir = "models"',
        'tokenizer = "tokenizer.json"',
    ],
)
def test_a_repository_configures_no_model(repository: Path, line: str) -> None:
    (repository / ".tadoru.toml").write_text(f"[models]\n{line}\n")
    config = load(repository, env={"TADORU_CONFIG": "/nonexistent/config.toml"})
    assert config.models == ModelConfig()
    assert "a repository may not set `models." in config.warnings[0]


def test_without_a_model_nothing_is_said_and_nothing_is_loaded(
    repository: Path, configure: Configure
) -> None:
    off = replace(configure(), models=ModelConfig(embedded=False))
    with tadoru.open(repository, config=off) as workspace:
        report = workspace.index()
        assert report.embedding is None
        answer = workspace.search(QUESTION)
        assert (answer.recall, answer.warnings) == ("lexical", ())
        assert workspace.stats()["semantic"] == {"recall": "lexical"}


def test_hidden_files_are_not_counted_among_those_without_vectors(
    repository: Path, configure: Configure
) -> None:
    from tadoru.config import AccessRule
    from tadoru.types import Principal

    rules = (AccessRule("**", public=True), AccessRule("src/**", groups=frozenset({"staff"})))
    config = replace(configure(), access=rules)
    with tadoru.open(repository, config=config, index=True) as workspace:
        source = next(iter(workspace._mounts.local.values()))
        source.index(vectors="later")
        for groups in (frozenset[str](), frozenset({"staff"})):
            view = workspace.seen_by(Principal(groups))
            seen = view.stats()["semantic"]
            files = len(view.list_files(limit=1_000).files)
            assert seen["files_with_vectors"] + seen["files_waiting"] <= files


# -- the cache -----------------------------------------------------------------------------------


def vectors_of(*texts: str) -> dict[bytes, np.ndarray]:
    embedder = HashEmbedder(16)
    keys = [text.encode().ljust(16, b"\0")[:16] for text in texts]
    return dict(zip(keys, embedder.encode(texts), strict=True))


def test_cache_gives_back_what_it_was_given_per_model(tmp_path: Path) -> None:
    given = vectors_of("one", "two", "three")
    with EmbeddingsCache(tmp_path, "m", 16) as cache, EmbeddingsCache(tmp_path, "n", 16) as other:
        cache.put(given)
        found = cache.get([*given, b"unknown".ljust(16)])
        assert found.keys() == given.keys()
        assert all(np.allclose(found[key], given[key], atol=0.01) for key in given)
        assert other.get(list(given)) == {}
        cache.put(found)  # what was quantised once stays exactly as it is
        assert all((cache.get([key])[key] == found[key]).all() for key in found)
    assert (tmp_path / NAME).stat().st_mode & 0o777 == 0o600
    assert faults(tmp_path) == []


@pytest.mark.parametrize("damage", [b"", b"not a database at all", None])
def test_damaged_cache_is_begun_anew(tmp_path: Path, damage: bytes | None) -> None:
    given = vectors_of(*(f"text {n}" for n in range(300)))
    with EmbeddingsCache(tmp_path, "m", 16) as cache:
        cache.put(given)
    path = tmp_path / NAME
    if damage is None:
        data = bytearray(path.read_bytes())
        data[100:3_000] = b"\xff" * 2_900
        path.write_bytes(data)
    else:
        path.write_bytes(damage)
    if damage != b"":
        assert faults(tmp_path)
    with EmbeddingsCache(tmp_path, "m", 16) as cache:
        assert cache.get(list(given)) == {}
        cache.put(given)
        if cache.fault:  # found out at the first read: the next one begins anew
            assert damage is None
    with EmbeddingsCache(tmp_path, "m", 16) as cache:
        cache.put(given)
        assert cache.get(list(given)).keys() == given.keys()
    assert faults(tmp_path) == []


def test_cache_that_cannot_be_written_costs_only_the_saving(
    repository: Path, configure: Configure
) -> None:
    config = configure()
    Path(config.home).mkdir()
    (Path(config.home) / NAME).mkdir()
    with tadoru.open(repository, config=config) as workspace:
        report = made(workspace.index())
        assert report.waiting == 0 and report.made > 0
        assert NAME in report.notes[0]


def test_cache_is_bounded_and_forgets_what_was_not_used_longest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tadoru.indexing.embeddings_cache as module

    monkeypatch.setattr(module, "CHECKED_EVERY", 1)
    days = iter(range(20_000, 30_000))
    monkeypatch.setattr(module, "_today", lambda: next(days))
    limit = 400_000
    with EmbeddingsCache(tmp_path, "m", 256, limit_bytes=limit) as cache:
        embedder = HashEmbedder(256)
        for batch in range(30):
            texts = [f"{batch} {n}" for n in range(100)]
            keys = [text.encode().ljust(16, b"\0") for text in texts]
            cache.put(dict(zip(keys, np.tile(embedder.encode(["x"]), (100, 1)), strict=True)))
        newest = [f"29 {n}".encode().ljust(16, b"\0") for n in range(100)]
        oldest = [f"0 {n}".encode().ljust(16, b"\0") for n in range(100)]
        assert len(cache.get(newest)) == 100
        assert cache.get(oldest) == {}
        assert not cache.fault
    assert sum(p.stat().st_size for p in tmp_path.iterdir()) < 2 * limit
