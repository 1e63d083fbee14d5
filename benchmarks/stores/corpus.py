"""A reproducible collection of 10,000 pages and 80,000 chunks, published into `chroma run`.

Words follow Zipf's law over a vocabulary of 20,000; one word stands in ten pages, one in half.
"""

from __future__ import annotations

import random
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

from tadoru.publishing.drafts import Draft
from tadoru.publishing.run import publish
from tadoru.stores.chroma import parse_address
from tadoru.stores.chroma.connect import connector
from tadoru.stores.chroma.form import UNNUMBERED, Listed
from tadoru.stores.chroma.pages import Page, version_of
from tadoru.types import PUBLIC, AccessRow

PAGES, CHUNKS, LINES, WORDS = 10_000, 8, 8, 9
GROUPS = [f"team-{number}" for number in range(10)]
RARE, COMMON = "rendezvous", "configuration"
NAME = "docs"


def _vocabulary(rng: random.Random) -> list[str]:
    letters = "etaoinshrdlcumwfgypbvkjxqz"
    weights = list(range(len(letters), 0, -1))
    return ["".join(rng.choices(letters, weights, k=rng.randint(3, 9))) for _ in range(20_000)]


def path_of(number: int) -> str:
    return f"guide-{number // 500:02d}/topic-{number // 25 % 20:02d}/page-{number:05d}.mdx"


def label_of(number: int) -> AccessRow:
    """Four of ten pages are public, the others belong to one group each."""
    if number % 10 < 4:
        return PUBLIC
    group = GROUPS[number * 7 % len(GROUPS)]
    return AccessRow(UNNUMBERED, public=False, groups=frozenset({group}))


def drafts(pages: int = PAGES) -> Iterator[Draft]:
    """Yield the pages."""
    rng = random.Random(11)
    vocabulary = _vocabulary(rng)
    weights = list(accumulate(1 / (rank + 3) for rank in range(len(vocabulary))))
    for number in range(pages):
        parts = []
        for index in range(CHUNKS):
            words = rng.choices(vocabulary, cum_weights=weights, k=LINES * WORDS)
            lines = [" ".join(words[at : at + WORDS]) for at in range(0, len(words), WORDS)]
            if index == 0:
                lines[0] = f"# {words[0].title()} {words[1]} {number}"
            if index == 3 and number % 2 == 0:
                lines[4] += f" {COMMON}"
            if index == 5 and number % 1_000 == 7:
                lines[2] += f" {RARE}"
            parts.append("\n".join(lines) + "\n")
        yield _draft(number, parts)


def _draft(number: int, parts: list[str]) -> Draft:
    text = "".join(parts)
    title = text[2 : text.index("\n")]
    page = Page(text, tuple(accumulate(map(len, parts))), (title,) * len(parts))
    path = path_of(number)
    listed = Listed(
        path, path, label_of(number), len(text), len(parts), version=version_of(page, "")
    )
    rng = random.Random(number)
    vectors = tuple(tuple(rng.random() for _ in range(4)) for _ in parts)
    return Draft(listed, page, vectors)


class Server:
    """`chroma run` over a directory."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            self.port = listener.getsockname()[1]
        near = Path(sys.executable).with_name("chroma")
        command = str(near) if near.exists() else shutil.which("chroma") or "chroma"
        self.process = subprocess.Popen(
            [command, "run", "--path", str(folder), "--port", str(self.port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for _ in range(400):
            try:
                with urllib.request.urlopen(f"{self.url}/api/v2/heartbeat", timeout=1):
                    return
            except OSError:
                time.sleep(0.05)
        raise SystemExit("chroma run did not come up")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def address(self) -> str:
        return f"chroma://127.0.0.1:{self.port}/{NAME}"

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(30)


def fill(address: str) -> dict[str, float]:
    """Publish the pages until nothing is sent any more; return seconds and what was sent."""
    place = parse_address(address)
    times: dict[str, float] = {}
    while "publish_unchanged_s" not in times:
        started = time.perf_counter()
        report = publish(connector(place, create=True)(), place, drafts())
        name = "first" if report.uploaded else "unchanged"
        times[f"publish_{name}_s"] = round(time.perf_counter() - started, 1)
        times[f"publish_{name}_chunks_sent"] = report.uploaded
    return times
