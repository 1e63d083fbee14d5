"""A publication in a process of its own, so that it can be killed: DIR ADDRESS."""

from __future__ import annotations

import sys

import tadoru
from tadoru.publishing import upload

upload.ROWS_WRITTEN = 20  # many small writes: many moments to be killed at
upload.BYTES_WRITTEN = 4_000


def say(word: str) -> None:
    sys.stdout.write(word + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    with tadoru.open(sys.argv[1]) as workspace:
        workspace.index()
        say("begun")
        workspace.publish(sys.argv[2], labels=["**=public", "internal/**=ops"])
    say("done")
