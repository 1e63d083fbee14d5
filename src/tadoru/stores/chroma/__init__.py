"""A document store in Chroma, mounted read-only: an existing collection as it is."""

from tadoru.stores.chroma.pages import FieldNames
from tadoru.stores.chroma.store import ChromaStore

__all__ = ["ChromaStore", "FieldNames"]
