"""`python -P -m tadoru.indexing`: one index run in a process of its own (see `job`)."""

from tadoru.indexing.job import child

if __name__ == "__main__":
    raise SystemExit(child())
