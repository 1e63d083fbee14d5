"""Fakes and abstract behaviour suites, shipped so that others can test their own parts.

`MemoryStore` is a whole `Store` in plain dicts, slow and plainly right; `HashEmbedder`,
`OverlapReranker` and `CountingTokens` stand for models. The suites in `tadoru.testing.suites` are
classes for pytest: subclass one and override its fixture.
"""

from tadoru.testing.memory import MemoryStore
from tadoru.testing.models import CountingTokens, HashEmbedder, OverlapReranker
from tadoru.testing.reference import ReferencePostings

__all__ = ["CountingTokens", "HashEmbedder", "MemoryStore", "OverlapReranker", "ReferencePostings"]
