"""A promise that judgments will not change, made before anybody may see them."""

from hashlib import sha256

import numpy as np

from irmeta.errors import ScoresError
from irmeta.evaluation.sources import QrelsLike, qrels_of
from irmeta.io.runs.trec import Reading

LEAST = 16
"""Bytes of salt below which judgments could be guessed, and the guess tried."""


def commitment(qrels: QrelsLike, salt: bytes, *, reading: Reading | None = None) -> str:
    """Return a digest of judgments that can be published before them: it says nothing of them, and binds to them.

    qrels, reading : as in `evaluate`; neither the order of the lines nor the form of the file matters
    salt : random bytes, 16 or more, kept secret until the judgments are published (`secrets.token_bytes(32)`)

    Returns SHA-256 in hexadecimal of the salt and then the lines TOPIC TAB DOCUMENT TAB GRADE in UTF-8, each ended by a
    line feed, sorted as bytes. Raises ScoresError for a short salt, with which judgments could be guessed.

    >>> commitment({"1": {"b": 0, "a": 2}}, bytes(16))[:16]
    'b5cbce9a0b52d516'
    """
    if len(salt) < LEAST:
        raise ScoresError(
            f"a salt of {len(salt)} bytes lets others guess at the judgments; pass {LEAST} or more random bytes"
        )
    read = qrels_of(qrels, reading or Reading())
    documents = read.documents.take(np.arange(read.grades.size))
    topics = [read.topics[place] for place in read.topic]
    grades = [repr(grade).removesuffix(".0") for grade in read.grades.tolist()]
    lines = sorted(
        "\t".join(line).encode() + b"\n"
        for line in zip(topics, documents, grades, strict=True)
    )
    return sha256(salt + b"".join(lines)).hexdigest()
