"""A question -> the right pieces of code and documents, packed into a budget.

`search` is the pipeline; `definition`, `references`, `outline`, `list_files` and `repo_map` answer
what an agent asks beside it; `more` and `related` go on from a hit.
"""

from tadoru.search.cache import CountingCache, QueryCache
from tadoru.search.follow import more, related
from tadoru.search.map import repo_map
from tadoru.search.outline import outline
from tadoru.search.pipeline import Cache, search
from tadoru.search.request import SearchRequest
from tadoru.search.symbols import definition, list_files, references

__all__ = [
    "Cache",
    "CountingCache",
    "QueryCache",
    "SearchRequest",
    "definition",
    "list_files",
    "more",
    "outline",
    "references",
    "related",
    "repo_map",
    "search",
]
