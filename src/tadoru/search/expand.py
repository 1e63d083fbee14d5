"""From the hits to what is needed to understand them, along stored edges only.

First what was ranked and cut off: further chunks of the hits' files, and hits of other files
that reach half the floor, which a budget with room still takes. Then E1 neighbours in the
file, E2 siblings under the same breadcrumb, E3 files that a hit imports,
E4 files that import it, E5 places that call what it defines. Each step lowers the score by a
fixed factor, so the packer prefers the hits themselves. Source of the steps and factors:
ContextWeaver 1.5.4; there E4 reads every file of the index for each question, here it is a lookup.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tadoru.config import SearchConfig
from tadoru.search.facts import Facts, FileFacts
from tadoru.search.found import Found, Key, Texts
from tadoru.search.lens import Lens
from tadoru.text.terms import expand as expand_word
from tadoru.types import Chunk
from tadoru.views import Admit, View

SAME_FILE, CUT_OFF = 0.9, 1.0
CUT_OFF_FLOOR = 0.5
"""Share of `smart_min_score` that a hit of another file needs to come back. Measured with the two
lines above: recall of the packed context at 8,000 tokens .962 -> .972."""
NEIGHBOUR, SIBLING, IMPORT, IMPORTER, CALL_SITE = 0.8, 0.7, 0.6, 0.5, 0.5
THROUGH_BARREL = 0.7
"""Further factor for what is reached through a file that only re-exports."""
CALL_CANDIDATES = 30
_MIN_CALLED_NAME = 3


class Expansion:
    """Collects what the seeds lead to, each chunk once with its best score."""

    def __init__(
        self,
        view: View,
        facts: Facts,
        lens: Lens,
        settings: SearchConfig,
        admit: Admit | None,
        texts: Texts,
    ) -> None:
        self._view, self._facts, self._lens = view, facts, lens
        self._settings, self._admit, self._texts = settings, admit, texts
        self._found: dict[Key, Found] = {}
        self._seeds: frozenset[Key] = frozenset()

    def of(self, seeds: Sequence[Found], ranked: Sequence[Found] = ()) -> list[Found]:
        """Return what lies around the seeds, best first; never a seed itself.

        `ranked`: what was ranked, the seeds among it; empty when the caller set their number.
        """
        self._seeds = frozenset(seed.key for seed in seeds)
        if seeds and seeds[0].score >= self._settings.smart_min_score:
            self._ranked(seeds, ranked)
        for seed in seeds:
            file = self._facts.file(self._view, seed.path)
            if file is None or seed.chunk.index < 0:
                continue
            self._neighbours(seed, file)
            self._siblings(seed, file)
            self._imports(seed, file)
            self._importers(seed)
            self._call_sites(seed)
        return sorted(self._found.values(), key=lambda f: (-f.score, f.path, f.chunk.index))

    def _add(self, chunk: Chunk, score: float, source: str) -> None:
        key = (chunk.path, chunk.index)
        known = self._found.get(key)
        if key in self._seeds or (known is not None and known.score >= score):
            return
        self._found[key] = Found(chunk, score=score, sources=(source,), seed=False)

    def _ranked(self, seeds: Sequence[Found], ranked: Sequence[Found]) -> None:
        best: dict[str, float] = {}
        floor = self._settings.smart_min_score
        for seed in seeds:
            best[seed.path] = max(seed.score, best.get(seed.path, 0.0))
        for candidate in ranked:
            seed_score = best.get(candidate.path, 0.0)
            if not seed_score and candidate.score >= floor * CUT_OFF_FLOOR:
                self._add(candidate.chunk, candidate.score * CUT_OFF, "cut off")
            needed = max(floor, self._settings.smart_top_score_ratio * seed_score)
            if seed_score and candidate.alone >= needed:
                score = min(candidate.alone, seed_score) * SAME_FILE
                self._add(candidate.chunk, score, "same file")

    def _visible(self, path: str) -> FileFacts | None:
        """Return a file that the filters of the question admit."""
        entry = self._view.entry(path)
        if entry is None or (self._admit is not None and not self._admit(entry)):
            return None
        return self._facts.file(self._view, path)

    def _neighbours(self, seed: Found, file: FileFacts) -> None:
        for distance in range(1, self._settings.neighbor_hops + 1):
            for index in (seed.chunk.index - distance, seed.chunk.index + distance):
                if 0 <= index < len(file.chunks):
                    score = seed.score * NEIGHBOUR**distance
                    self._add(file.chunks[index], score, "neighbour")

    def _siblings(self, seed: Found, file: FileFacts) -> None:
        limit = self._settings.breadcrumb_expand_limit
        parent = seed.chunk.breadcrumb.rpartition(" > ")[0]
        if not parent or limit <= 0:
            return
        siblings = [
            chunk
            for chunk in file.chunks
            if chunk.index != seed.chunk.index
            and (chunk.breadcrumb == parent or chunk.breadcrumb.startswith(parent + " > "))
        ]
        for chunk in self._most_relevant(file, siblings, seed.chunk.index)[:limit]:
            self._add(chunk, seed.score * SIBLING, "sibling")

    def _most_relevant(
        self, file: FileFacts, chunks: Iterable[Chunk], near: int = 0
    ) -> list[Chunk]:
        """Order chunks by what their names and headings say about the question, then nearness."""

        def value(chunk: Chunk) -> tuple[float, int]:
            facts = file.chunk_facts(chunk)
            coverage = self._lens.coverage
            heading = coverage(facts.name_terms) + coverage(facts.signature_terms)
            return -(heading + coverage(facts.doc_terms)), abs(chunk.index - near)

        return sorted(chunks, key=value)

    def _imports(self, seed: Found, file: FileFacts) -> None:
        limit = self._settings.import_files_per_seed
        if limit <= 0:
            return
        taken: set[str] = set()
        wanted = file.chunk_facts(seed.chunk).signature_terms
        text = self._texts.of(seed) or ""
        edges = [edge for edge in self._view.imports(seed.path) if edge.target]
        edges.sort(key=lambda e: (not any(name in text for name in e.names), e.line))
        for edge in edges:
            if edge.target in taken or edge.target == seed.path:
                continue
            target = self._visible(edge.target)
            if target is None:
                continue
            taken.add(edge.target)
            self._add_imported(seed, target, edge.names, wanted)
            if len(taken) >= limit:
                return

    def _add_imported(
        self, seed: Found, target: FileFacts, names: Sequence[str], wanted: frozenset[str]
    ) -> None:
        score = seed.score * IMPORT * (THROUGH_BARREL if target.barrel else 1.0)
        ordered = self._most_relevant(target, target.chunks)
        ordered.sort(key=lambda c: (c.name not in names, c.name.lower() not in wanted))
        for chunk in ordered[: self._settings.chunks_per_import_file]:
            self._add(chunk, score, "import")

    def _importers(self, seed: Found) -> None:
        limit = self._settings.reverse_import_files_per_seed
        if limit <= 0:
            return
        name = seed.chunk.name
        edges = self._view.importers(seed.path)
        edges.sort(key=lambda e: (not name or name not in e.names, e.path, e.line))
        taken: set[str] = set()
        for edge in edges:
            if edge.path in taken or edge.path == seed.path:
                continue
            file = self._visible(edge.path)
            if file is None or not file.chunks:
                continue
            taken.add(edge.path)
            best = self._most_relevant(file, file.chunks)[0]
            score = seed.score * IMPORTER * (THROUGH_BARREL if file.barrel else 1.0)
            self._add(best, score, "importer")
            if len(taken) >= limit:
                return

    def _call_sites(self, seed: Found) -> None:
        limit = self._settings.call_sites_per_seed
        name = seed.chunk.name
        if limit <= 0 or len(name) < _MIN_CALLED_NAME:
            return
        call = re.compile(rf"(?<![\w$]){re.escape(name)}\s*\(")
        term = expand_word(name)[0]
        refs = self._view.lexical([(term, 1.0)], k=CALL_CANDIDATES, admit=self._admit)
        added = 0
        for ref in refs:
            file = self._facts.file(self._view, ref.path)
            if file is None or ref.index >= len(file.chunks) or added >= limit:
                continue
            chunk = file.chunks[ref.index]
            if (ref.path, ref.index) in self._seeds or chunk.name == name:
                continue
            text = self._texts.chunk(chunk)
            if text is not None and call.search(text):
                self._add(chunk, seed.score * CALL_SITE, "call site")
                added += 1
