"""Lazy files: entries of a tree whose bytes lie in an object store and are fetched when read."""

from tadoru.stores.objects.pointer import Pointer
from tadoru.stores.objects.reader import ObjectReader

__all__ = ["ObjectReader", "Pointer"]
