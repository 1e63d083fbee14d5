"""The first sentences of doc comments and docstrings."""

from __future__ import annotations

import re

MAX_DOC = 300
"""Characters: a sentence or two."""
MAX_READ = 4_000
"""Characters that are looked at: the first sentences stand at the start."""

_QUOTES = re.compile(r"""\A[rRbBuUfF]{0,2}('{3}|"{3}|'|")(.*?)\1?\Z""", re.DOTALL)
_MARKER = re.compile(
    r"^[ \t]*(?:/\*+!?|\*+/|//[/!]?|\*(?=\s|$)|#+[!:]?|--+|;+)[ \t]?", re.MULTILINE
)
_TAIL = re.compile(r"[ \t]*\*+/[ \t]*$", re.MULTILINE)
_TAG = re.compile(r"</?(?:summary|remarks|para|see|c|p|code|returns)\b[^>]*>")
_STOP = re.compile(r"^\s*(?:@\w+|:param|:return|Args:|Parameters\b|Returns?:|Raises:|<param)", re.M)
_SENTENCE = re.compile(r"[.!?。！？](?=\s|$)|(?<=[。！？])")
_SPACE = re.compile(r"\s+")


def unquote(literal: str) -> str:
    """Return the text of a Python string literal, escapes left as they are."""
    match = _QUOTES.match(literal[:MAX_READ].strip())
    return match.group(2) if match else literal[:MAX_READ]


def comment_doc(comment: str) -> str:
    """Return the text of comments without their marks."""
    return _TAG.sub("", _MARKER.sub("", _TAIL.sub("", comment[:MAX_READ])))


def first_sentences(text: str) -> str:
    """Return one or two sentences, at most `MAX_DOC` characters, on one line."""
    text = text[:MAX_READ]
    stop = _STOP.search(text)
    if stop:
        text = text[: stop.start()]
    text = _SPACE.sub(" ", text.strip().partition("\n\n")[0]).strip()
    if len(text) <= MAX_DOC:
        return text
    ends = [m.end() for m in _SENTENCE.finditer(text, 0, MAX_DOC)]
    if ends:
        return text[: ends[-1]].strip()
    return text[: MAX_DOC - 1].rpartition(" ")[0] + "…"
