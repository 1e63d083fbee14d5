"""Statistics as text, in three groups: indexing, search, health. Says nothing that is not counted.

Source of the groups: ContextWeaver's `stats`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tadoru.text.shown import shown

_SIZES = ((1024**3, "GiB"), (1024**2, "MiB"), (1024, "KiB"))
_LAST = ("added", "changed", "deleted", "unchanged", "skipped", "errors")


def statistics_text(stats: Mapping[str, Any]) -> str:
    """Return what `Workspace.stats` says, a line for each subject."""
    groups = {
        "Indexing": _indexing(stats["indexing"]),
        "Search": _search(stats["search"]),
        "Health": _health(stats),
    }
    return "\n\n".join(
        "\n".join([f"## {title}", *(f"- {shown(line)}" for line in lines)])
        for title, lines in groups.items()
    )


def _indexing(group: Mapping[str, Any]) -> Iterator[str]:
    yield f"runs by command: {group['runs']} (those in the background are not counted)"
    if "last_run" in group:
        did = ", ".join(f"{name} {int(group['last'].get(name, 0))}" for name in _LAST)
        yield f"last one: {group['last_run']}, {group['last'].get('seconds', 0)} s, {did}"
    yield f"index version: {group['generation']}, files waiting: {group['pending']}"


def _search(group: Mapping[str, Any]) -> Iterator[str]:
    yield (
        f"queries: {group['queries']}, from the cache: {group['cache_hits']} "
        f"({100 * group['cache_hit_rate']:.0f}%), computed: {group['computed']}, "
        f"hits on average: {group['mean_hits']}"
    )
    stages = ", ".join(f"{name} {ms} ms" for name, ms in group["mean_stage_ms"].items())
    if stages:
        yield f"stages on average: {stages}"
    yield (
        f"tokens sent: {group['tokens_sent']}, instead of whole files: "
        f"{group['tokens_of_whole_files']}, saved: {group['tokens_saved']}"
    )
    for tool, row in group["tools"].items():
        times = ", ".join(f"p{p} {row[f'p{p}_ms']} ms" for p in (50, 95, 99) if f"p{p}_ms" in row)
        yield f"{tool}: {row['calls']} calls, {row['failed']} failed, {times}"


def _health(stats: Mapping[str, Any]) -> Iterator[str]:
    state = stats["index"]
    detail = state.get("detail", "")
    yield f"index: {state['status']}{': ' + detail if detail else ''}"
    yield f"files: {stats['files']} ({_size(stats['bytes'])}), symbols: {stats['symbols']}"
    for name in ("languages", "roles"):
        counts = ", ".join(f"{key} {count}" for key, count in stats[name].items())
        yield f"{name}: {counts or 'none'}"
    semantic = stats["semantic"]
    vectors = semantic.get("files_with_vectors")
    further = f", files with vectors: {vectors}" if vectors is not None else ""
    yield f"recall: {semantic['recall']}{further}"
    for place, row in stats.get("health", {}).items():
        yield (
            f"store of {place}: {_size(row['index_bytes'])}, "
            f"written {row['seconds_since_scan']} seconds ago"
        )
    yield from (f"warning: {line}" for line in stats["warnings"])


def _size(count: int) -> str:
    for unit, name in _SIZES:
        if count >= unit:
            return f"{count / unit:.1f} {name}"
    return f"{count} B"
