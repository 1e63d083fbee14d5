"""Statistics in groups, from what `tadoru.usage` counted. Formats nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from tadoru.types import Freshness, IndexState
from tadoru.usage import percentiles


def indexing_group(used: Mapping[str, Any], state: IndexState) -> dict[str, Any]:
    """Return how often the index was run on demand, and what the last run did."""
    last = dict(used.get("last_run", {}))
    at = last.pop("at", None)
    counts = used.get("counts", {})
    group: dict[str, Any] = {
        "runs": int(counts.get("index_runs", 0)),
        "generation": state.generation,
        "pending": state.pending,
    }
    if at is not None:
        group["last_run"] = datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")
        group["last"] = last
    return group


def search_group(used: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was asked, how quickly it was answered, and what that saved."""
    counts = used.get("counts", {})
    queries, hits = int(counts.get("queries", 0)), int(counts.get("cache_hits", 0))
    asked = hits + int(counts.get("cache_misses", 0))
    sent = int(counts.get("tokens_sent", 0))
    whole = int(counts.get("tokens_of_whole_files", 0))
    stages = used.get("stages", {})
    return {
        "queries": queries,
        "cache_hits": hits,
        "cache_hit_rate": round(hits / asked, 3) if asked else 0.0,
        "computed": queries - hits,
        "mean_hits": round(counts.get("hits", 0) / queries, 2) if queries else 0.0,
        "mean_stage_ms": {
            name: round(row["ms"] / row["calls"], 2) for name, row in stages.items() if row["calls"]
        },
        "tokens_sent": sent,
        "tokens_of_whole_files": whole,
        "tokens_saved": max(0, whole - sent),
        "tools": {tool: percentiles(row) for tool, row in used.get("tools", {}).items()},
    }


def warnings_of(state: IndexState, configuration: Sequence[str]) -> list[str]:
    """Return what is not as it should be, each with what mends it."""
    found = list(configuration)
    if state.status is Freshness.STALE:
        found.append(f"the index is {state}: run `tadoru index`")
    elif state.status is not Freshness.FRESH:
        found.append(f"the index is {state}: ask again later, or run `tadoru index` and wait")
    return found
