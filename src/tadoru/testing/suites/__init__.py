"""Abstract behaviour suites for pytest: what every implementation of a seam must do.

Subclass one in a module of your own, with a name that starts with `Test`, and override its fixture.
"""

from tadoru.testing.suites.finding import LiteralIndexSuite, PostingsSuite
from tadoru.testing.suites.models import EmbedderSuite, RerankerSuite, TokenCounterSuite
from tadoru.testing.suites.store import StoreSuite

__all__ = [
    "EmbedderSuite",
    "LiteralIndexSuite",
    "PostingsSuite",
    "RerankerSuite",
    "StoreSuite",
    "TokenCounterSuite",
]
