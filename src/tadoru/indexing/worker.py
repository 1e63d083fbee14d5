"""`python -P -m tadoru.indexing.worker FD`: reads files for the process that started it.

A program of its own rather than a `multiprocessing` child: that would import the `__main__` of
whoever uses the library, once for every worker.
"""

from __future__ import annotations

import sys
from multiprocessing.connection import Connection

from tadoru.indexing.crew import serve

if __name__ == "__main__":
    serve(Connection(int(sys.argv[1])))
