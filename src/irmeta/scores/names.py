"""Names of systems, topics and collections, as files and users spell them."""

import re
import unicodedata
from collections.abc import Iterable

from irmeta.errors import ScoresError
from irmeta.words import BLANKS, shortened

RUN_ENDS = (
    *(".run", ".txt", ".tsv", ".csv", ".trec", ".res", ".results", ".out", ".json"),
    *(".eval", ".treceval", ".ndcgeval", ".trec_eval"),
)
"""What the name of a file of a run, or of its scores, may end with, besides that it is compressed."""
RUN_BEGINS = "input."
"""What names of TREC's runs begin with."""
LONGEST = 500
"""Characters of a name; a longer one is a text that stands in the wrong column."""
_TURNING = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Characters that make the text after them run the other way: names with them look like others."""


def bare_name(name: str) -> str:
    """Return the name of a run file without what only says that it is one.

    >>> bare_name("input.bm25.run"), bare_name("bm25"), bare_name(".run")
    ('bm25', 'bm25', '.run')
    """
    end = next((end for end in RUN_ENDS if name.endswith(end)), "")
    return name.removeprefix(RUN_BEGINS).removesuffix(end) or name


def known_as(name: str, known: Iterable[str]) -> str | None:
    """Return the name by which a system is known, with or without the suffix of its file; None where there is not one.

    >>> known_as("bm25", ["bm25.run", "mine"]), known_as("mine.txt", ["bm25.run", "mine"]), known_as("x", ["mine"])
    ('bm25.run', 'mine', None)
    """
    names = [str(system) for system in known]
    if name in names:
        return name
    same = [system for system in names if bare_name(system) == bare_name(name)]
    return same[0] if len(same) == 1 else None


def are_numbers(names: Iterable[str]) -> bool:
    """Say whether names are only numbers, alone or after a word for a run, which tell nothing of the systems.

    >>> are_numbers(["run1", "2"]), are_numbers(["bm25", "2"])
    (True, False)
    """
    numbered = re.compile(r"(run|sys|system)?[-_ ]?\d+", re.IGNORECASE)
    return all(map(numbered.fullmatch, names))


def labels(names: Iterable[object]) -> list[str]:
    r"""List names as text that every program can write; bytes of ids that are not UTF-8 are escaped, as in \xe9.

    >>> labels(["caf\udce9", 301])
    ['caf\\xe9', '301']
    """
    return [_encoded(str(name)).decode("utf-8", "backslashreplace") for name in names]


def _encoded(name: str) -> bytes:
    """Return the bytes that a name was read from; halves of characters, which JSON can hold, are escaped."""
    try:
        return name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return name.encode("utf-8", "backslashreplace")


def require_names(texts: Iterable[str], where: str) -> None:
    """Raise ScoresError if a text is too long for a name, or has characters that cannot be seen."""
    every = list(texts)
    require_short(every, where)
    for text in every:
        kinds = [unicodedata.category(character) for character in text]
        if {"Cc", "Cs"} & set(kinds) or set(_TURNING) & set(text):
            raise ScoresError(
                f"the name {shortened(ascii(text))} {where} holds a control character; remove it"
            )
        if text.strip() != text.strip(BLANKS):
            raise ScoresError(
                f"the name {shortened(ascii(text))} {where} begins or ends with a blank that is no plain one; remove it"
            )
        if not any(kind[0] in "LMNPS" for kind in kinds):
            raise ScoresError(
                f"the name {shortened(ascii(text))} {where} has nothing that can be seen; give it another"
            )


def require_short(texts: Iterable[str], where: str) -> None:
    """Raise ScoresError if a text is too long for a name: what is done with names may take its length to a power."""
    longest = max(texts, key=len, default="")
    if len(longest) > LONGEST:
        raise ScoresError(
            f"{where}: a text of {len(longest):,} characters ({shortened(longest, 20)}) is too long "
            f"for a name; a name has at most {LONGEST}"
        )
