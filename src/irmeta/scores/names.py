"""Names of systems, topics and collections, as files and users spell them."""

from collections.abc import Iterable

RUN_ENDS = (
    *(".run", ".txt", ".trec", ".res", ".results", ".json"),
    *(".eval", ".treceval", ".trec_eval"),
)
"""What the name of a file of a run, or of its scores, may end with, besides that it is compressed."""
RUN_BEGINS = "input."
"""What names of TREC's runs begin with."""


def bare(name: str) -> str:
    """Return the name of a run file without what only says that it is one.

    >>> bare("input.bm25.run"), bare("bm25"), bare(".run")
    ('bm25', 'bm25', '.run')
    """
    end = next((end for end in RUN_ENDS if name.endswith(end)), "")
    return name.removeprefix(RUN_BEGINS).removesuffix(end) or name


def known_as(name: str, known: Iterable[str]) -> str | None:
    """Return the name by which a system is known, with or without the suffix of its file; None where there is not one.

    >>> known_as("bm25", ["bm25.run", "mine"]), known_as("mine.txt", ["bm25.run", "mine"]), known_as("x", ["mine"])
    ('bm25.run', 'mine', None)
    """
    names = [str(one) for one in known]
    if name in names:
        return name
    same = [one for one in names if bare(one) == bare(name)]
    return same[0] if len(same) == 1 else None


def labels(names: Iterable[object]) -> list[str]:
    r"""List names as text that every program can write; bytes of ids that are not UTF-8 are escaped, as in \xe9.

    >>> labels(["caf\udce9", 301])
    ['caf\\xe9', '301']
    """
    return [_bytes(str(name)).decode("utf-8", "backslashreplace") for name in names]


def _bytes(name: str) -> bytes:
    """Return the bytes that a name was read from; halves of characters, which JSON can hold, are escaped."""
    try:
        return name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return name.encode("utf-8", "backslashreplace")
