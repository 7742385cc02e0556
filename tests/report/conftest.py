"""A small collection and its page, which the tests of the page share."""

from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from tests.conftest import empty_figure

from irmeta.report.page import writing
from irmeta.report.page.writing import write_report
from irmeta.scores.cube import cube

METRICS = ("AP@1000", "P@10", "nDCG@10", "RR", "RBP(p=0.8)")


def made(seed: int, collection: str = "made") -> xr.DataArray:
    """Simulate 9 systems on 12 topics: systems differ, topics differ, metrics share most of both."""
    rng = np.random.default_rng(seed)
    ability = (
        rng.normal(size=(9, 1, 1))
        + 0.8 * rng.normal(size=(1, 12, 1))
        + 0.7 * rng.normal(size=(9, 12, 1))
    )
    scores = 1 / (1 + np.exp(1 - ability - 0.5 * rng.normal(size=(9, 12, 5))))
    systems = ["<b>bold&", *(f"system {i}" for i in range(1, 9))]
    notes = ["2 runs are short"]
    return cube(
        scores,
        systems,
        [f"t{i}" for i in range(12)],
        METRICS,
        collection=collection,
        provenance={"notes": notes},
    )


@pytest.fixture(scope="session")
def scores() -> xr.DataArray:
    return made(3)


@pytest.fixture(scope="session")
def page(scores: xr.DataArray, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of one collection."""
    return write_report(
        {"made": scores}, tmp_path_factory.mktemp("report") / "one", rng=5
    )


@pytest.fixture(scope="session")
def page_of_three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of three collections with the same systems, without the figures for print."""
    cubes = {
        name: made(seed, name) for seed, name in enumerate(("first", "second", "third"))
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writing, "_write_figure", empty_figure)
        return write_report(cubes, tmp_path_factory.mktemp("report") / "three", rng=5)
