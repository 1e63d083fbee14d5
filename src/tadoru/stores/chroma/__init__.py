"""A document store in Chroma, mounted read-only: an existing collection as it is, or one that
tadoru has published."""

from tadoru.stores.chroma.address import Address, FieldNames, parse_address
from tadoru.stores.chroma.store import ChromaStore

__all__ = ["Address", "ChromaStore", "FieldNames", "parse_address"]
