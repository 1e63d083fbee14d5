"""BM25F: the one formula of lexical recall, its weights, and how a chunk becomes fields.

Source: Robertson, Zaragoza, Taylor 2004, "Simple BM25 extension to multiple weighted fields"; the
idf is the one of Lucene, which is never negative. Every store ranks by this module, so that scores
of two mounts may be compared.
"""

from __future__ import annotations

import math

from tadoru.stores.base import FieldWeight
from tadoru.text.terms import Field
from tadoru.types import Chunk

K1 = 1.2
"""Saturation of term frequency: the usual value, and the best of 0.9, 1.2, 1.5 on code."""
FIELDS: dict[Field, FieldWeight] = {
    Field.PATH: FieldWeight(1.5, 0.3),
    Field.BREADCRUMB: FieldWeight(2.5, 0.3),
    Field.SIGNATURE: FieldWeight(1.5, 0.4),
    Field.DOC: FieldWeight(1.5, 0.4),
    Field.BODY: FieldWeight(1.0, 0.75),
}
"""Used when the caller gives no weights. What names a chunk counts more than what it mentions."""
TF_MAX = 31
"""Frequencies are kept in five bits: at 31 a term has 96% of the most it can ever score."""
LENGTH_MAX = 65_535
"""Field lengths are kept in 16 bits; no chunk is longer unless it is one line of data."""


def idf(documents: int, frequency: int) -> float:
    """Return the weight of a term that `frequency` of `documents` chunks contain."""
    return math.log(1.0 + (documents - frequency + 0.5) / (frequency + 0.5))


def chunk_fields(chunk: Chunk, text: str) -> tuple[str, str, str, str]:
    """Return the text of the fields BREADCRUMB, SIGNATURE, DOC and BODY of a chunk.

    `text`: the decoded text of its file. The path is a field of the file, and the same for all.
    """
    crumb = chunk.breadcrumb
    if chunk.name and not crumb.endswith(chunk.name):
        crumb = f"{crumb} {chunk.name}"
    return crumb, chunk.signature, chunk.doc, text[chunk.span.start_char : chunk.span.end_char]
