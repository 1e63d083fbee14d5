"""The form of a value in a cache that others can write to: compressed, with a digest.

The digest covers the key too, so a value that lies under a wrong key, an answer that belongs to
another question, a cut or a changed one, and one of another form are all the same: not known.
"""

from __future__ import annotations

from hashlib import blake2b

FORM = b"td1"
"""Changes with the form; values of other forms are not known."""
DIGEST_BYTES = 16
COMPRESSED_FROM = 512
"""Smaller values are kept as they are: compression would not save a packet."""
LEVEL = 1
LARGEST_VALUE = 64 * 1024 * 1024
"""The most that a value may unpack to, in bytes."""

_PLAIN, _ZSTD = b"p", b"z"
_HEAD = len(FORM) + 1 + DIGEST_BYTES


def seal(key: str, value: bytes) -> bytes:
    """Return what is stored under `key` for `value`."""
    how, body = _PLAIN, value
    if len(value) >= COMPRESSED_FROM:
        import zstandard

        how, body = _ZSTD, zstandard.ZstdCompressor(level=LEVEL).compress(value)
    return b"".join((FORM, how, _digest(key, how, body), body))


def unseal(key: str, data: bytes) -> bytes | None:
    """Return the value that was sealed under `key`; None for anything else."""
    how, digest, body = data[len(FORM) : len(FORM) + 1], data[_HEAD - DIGEST_BYTES : _HEAD], b""
    if data[: len(FORM)] != FORM or len(data) < _HEAD:
        return None
    body = data[_HEAD:]
    if digest != _digest(key, how, body):
        return None
    if how == _PLAIN:
        return body
    return _unpacked(body) if how == _ZSTD else None


def _unpacked(body: bytes) -> bytes | None:
    import zstandard

    try:
        if zstandard.frame_content_size(body) > LARGEST_VALUE:
            return None
        return zstandard.ZstdDecompressor().decompress(body)
    except (zstandard.ZstdError, MemoryError):
        return None


def _digest(key: str, how: bytes, body: bytes) -> bytes:
    name = key.encode("utf-8", "surrogatepass")
    digest = blake2b(how + len(name).to_bytes(4, "big") + name, digest_size=DIGEST_BYTES)
    digest.update(body)
    return digest.digest()
