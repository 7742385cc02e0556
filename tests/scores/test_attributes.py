"""Cubes and results survive what users do with them in xarray: files, and putting them together."""

import re
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

import irmeta
from irmeta.scores import standardization
from irmeta.scores.attributes import about, recorded
from irmeta.scores.cube import check, cube

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), VALUES))
def test_what_is_recorded_is_read_again(said):
    """Whatever a cube is said to be comes back as it was; what is recorded is text or a number."""
    expected = {
        name: str(value) if name in ("collection", "study") else value
        for name, value in said.items()
    }
    made = xr.Dataset(attrs=recorded(said))
    assert about(made) == expected
    assert all(type(value) in (str, int, float) for value in made.attrs.values())


@pytest.mark.parametrize("name", ["[1]", "null", '"x"', "{}", "true"])
def test_a_collection_keeps_its_name(name):
    """A name that looks like JSON is a name."""
    made = cube([[[0.5]]], ["bm25"], ["1"], ["AP"], collection=name)
    assert (made.attrs["collection"], about(made)["collection"]) == (name, name)


def test_numbers_of_numpy_are_plain():
    """NumPy's numbers and arrays are recorded as Python's."""
    said = {
        "level": np.float64(0.5),
        "sizes": np.array([1, 2]),
        "exact": np.True_,
        "seed": np.int32(7),
    }
    assert about(xr.Dataset(attrs=recorded(said))) == {
        "level": 0.5,
        "sizes": [1, 2],
        "exact": True,
        "seed": 7,
    }


@pytest.fixture
def through_netcdf(tmp_path):
    """Write a cube or a dataset to netCDF, and read it again."""

    def there_and_back(labelled):
        path = tmp_path / "file.nc"
        labelled.to_netcdf(path, engine="netcdf4")
        read = (
            xr.load_dataarray if isinstance(labelled, xr.DataArray) else xr.load_dataset
        )
        return read(path, engine="netcdf4")

    return there_and_back


@pytest.mark.filterwarnings("ignore:numpy.ndarray size changed")  # by netCDF4
def test_a_cube_from_netcdf_is_studied_as_it_was(through_netcdf):
    """A study gives the same tables, and says the same of its input, when the cube has been in a file."""
    made = irmeta.evaluate(
        {"1": {"a": 2, "b": 0}, "2": {"c": 1}},
        {"x": {"1": {"a": 2.0}}, "y": {"2": {"c": 1.0}}},
    )
    back = through_netcdf(made)
    xr.testing.assert_identical(check(back), made)
    one, other = irmeta.describe(made, by="RR"), irmeta.describe(back, by="RR")
    xr.testing.assert_identical(one.data, other.data)
    (used,) = about(other)["inputs"]["collections"].values()
    assert used["runs"] == about(made)["runs"]


@pytest.mark.filterwarnings("ignore:numpy.ndarray size changed")  # by netCDF4
def test_factors_from_netcdf_standardize_as_they_did(through_netcdf):
    """Factors, too, are the same after a file."""
    scores = cube(
        np.random.default_rng(0).random((5, 3, 1)), list("abcde"), list("123"), ["AP"]
    )
    factors = standardization.fit(scores)
    back = through_netcdf(factors)
    xr.testing.assert_identical(
        standardization.apply(scores, back), standardization.apply(scores, factors)
    )


def test_cubes_put_together_are_a_cube():
    """xr.concat of cubes of different systems is the cube of all; attributes that differ can be dropped."""
    whole = irmeta.evaluate(
        {"1": {"a": 1}}, {"x": {"1": {"a": 2.0}}, "y": {"1": {"b": 1.0}}}, "AP RR"
    )
    parts = [
        irmeta.evaluate({"1": {"a": 1}}, {name: run}, "AP RR")
        for name, run in {"x": {"1": {"a": 2.0}}, "y": {"1": {"b": 1.0}}}.items()
    ]
    together = xr.concat(parts, "system", combine_attrs="drop_conflicts")
    xr.testing.assert_equal(check(together), whole)
    assert about(together)["qrels"] == about(whole)["qrels"]
    assert "runs" not in together.attrs


def test_nobody_reads_nested_attributes_by_themselves():
    """In src nested attributes are read with `about`: elsewhere they would be JSON text."""
    nested = re.compile(
        r"""attrs(\[|\.get\()["'](options|notes|inputs|standardization|runs|qrels|scores|systems)"""
    )
    sources = (Path(__file__).parents[2] / "src").rglob("*.py")
    assert [str(path) for path in sources if nested.search(path.read_text())] == []
