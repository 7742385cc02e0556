"""The compiled core, where there is one; without it NumPy does the same, to the same bits, only slower."""

from importlib import import_module
from typing import Any

try:
    core: Any = import_module("irmeta._core")
except ImportError:  # there was no compiler, or Python has no stable ABI
    core = None
