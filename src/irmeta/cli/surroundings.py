"""What libraries below a command take from the environment: what they would stop at is refused, or kept from them."""

import os
import re
from collections.abc import Callable

NUMBERS = {
    "POLARS_MAX_THREADS": (1, 10_000),
    "SOURCE_DATE_EPOCH": (0, 253_402_300_799),  # the end of the year 9999
}
"""What is for a user to set, and the whole numbers that it may be."""
OTHERS = re.compile(
    r"POLARS_(?!TEMP_DIR$|SKIP_CPU_CHECK$)|NPY_(?!DISABLE_|ENABLE_)|MATPLOTLIBRC$|MPLBACKEND$"
)
"""Settings of libraries for who works on these: they warn of what they do not know, or end in their own errors."""


def check_environment(fail: Callable[[str], None]) -> None:
    """Hold the environment against what libraries can read, before they are loaded.

    fail : says what is wrong, and exits.
    """
    for name, (low, high) in NUMBERS.items():
        value = os.environ.get(name)
        if value is not None and not _is_whole(value, low, high):
            fail(
                f"{name} is {value[:40]!r} in the environment; set it to a whole number from {low} to {high}, or "
                f"unset it (unset {name})"
            )
    for name in list(os.environ):
        if OTHERS.match(name) and name not in NUMBERS:
            del os.environ[name]


def _is_whole(text: str, least: int, most: int) -> bool:
    return bool(re.fullmatch("[0-9]{1,12}", text)) and least <= int(text) <= most
