"""How values lie in blobs: text and per-file lists, compressed with zstd.

Chunks and symbols of one file share a blob, because they are read together and repeat each other:
rows of their own would take three times the space.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tadoru.types import Chunk, Span, Symbol

LEVEL = 3
"""zstd's default: level 9 saves 6% of the text and takes four times as long."""


def compress(data: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdCompressor(level=LEVEL, write_content_size=True).compress(data)


def decompress(blob: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdDecompressor().decompress(blob)


def pack_chunks(chunks: Sequence[Chunk]) -> bytes:
    """Encode the chunks of one file, in order, without its path."""
    return _pack(
        [
            [*_numbers(c.span), c.breadcrumb, c.kind, c.name, c.signature, c.doc]
            for c in sorted(chunks, key=lambda c: c.index)
        ]
    )


def unpack_chunks(blob: bytes | None, path: str) -> tuple[Chunk, ...]:
    return tuple(
        Chunk(path, index, Span(*row[:6]), *row[6:]) for index, row in enumerate(_unpack(blob))
    )


def pack_symbols(symbols: Sequence[Symbol]) -> bytes:
    """Encode the symbols of one file, in order, without its path."""
    return _pack(
        [[s.name, s.kind, *_numbers(s.span), s.container, s.signature, s.doc] for s in symbols]
    )


def unpack_symbols(blob: bytes | None, path: str) -> list[Symbol]:
    return [
        Symbol(row[0], row[1], path, Span(*row[2:8]), row[8], row[9], row[10])
        for row in _unpack(blob)
    ]


def _numbers(span: Span) -> tuple[int, int, int, int, int, int]:
    return (
        span.start_line, span.end_line, span.start_char, span.end_char,
        span.start_byte, span.end_byte,
    )  # fmt: skip


def _pack(rows: list[list[Any]]) -> bytes:
    if not rows:
        return b""
    text = json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
    return compress(text.encode("utf-8", "surrogatepass"))


def _unpack(blob: bytes | None) -> list[list[Any]]:
    if not blob:
        return []
    rows: list[list[Any]] = json.loads(decompress(blob).decode("utf-8", "surrogatepass"))
    return rows
