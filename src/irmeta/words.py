"""Words of messages, notes and findings: names in a list, and numbers with the right plural."""

from collections.abc import Iterable

NAMED = 5
"""How many names a list shows before it says only how many more there are."""


def listed(names: Iterable[object], most: int = NAMED) -> str:
    """List the first names, and say how many more there are.

    >>> listed("abc"), listed("abcdefg")
    ('a, b, c', 'a, b, c, d, e and 2 more')
    """
    every = [str(name) for name in names]
    more = len(every) - most
    return ", ".join(every[:most]) + (f" and {more} more" if more > 0 else "")


def counted(number: int, noun: str) -> str:
    """Write a number with its noun, in the singular where it is 1.

    >>> counted(1, "system"), counted(1200, "topic")
    ('1 system', '1200 topics')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def shortened(name: str, most: int = 60) -> str:
    """Cut a name that a message is to hold.

    >>> shortened("x" * 100, 5)
    'xxxx…'
    """
    return name if len(name) <= most else name[: most - 1] + "…"
