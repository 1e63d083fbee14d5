"""A question -> the right pieces of code and documents, packed into a budget.

`search` is the pipeline; `definition`, `references`, `outline`, `list_files` and `repo_map` answer
what an agent asks beside it; `more` and `related` go on from a hit.
"""

from tadoru.search.cache import QueryCache
from tadoru.search.pipeline import Cache, search
from tadoru.search.request import SearchRequest

__all__ = ["Cache", "QueryCache", "SearchRequest", "search"]
