"""The cells of papers that are re-run: once for all tests of a process."""

import importlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import polars as pl
import pytest

from irmeta.studies.checks.reproduction import tables


@cache
def _cells(paper: str, data: Path, seed: int) -> pl.DataFrame:
    module = importlib.import_module(f"irmeta.papers.{paper.replace('-', '_')}")
    return tables(module.reproduce(data, rng=seed))["cells"]


@pytest.fixture(scope="session")
def cells_of(data: Path) -> Callable[..., pl.DataFrame]:
    """Re-run a paper by name, with a seed, unless that was done before."""
    return lambda paper, seed=0: _cells(paper, data, seed)
