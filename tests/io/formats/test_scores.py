"""The score file: what goes in comes out, whole or not at all."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

from irmeta.errors import FileFormatError, IrmetaError, ScoresError
from irmeta.evaluation.archive.writing import evaluate_to
from irmeta.io.formats.scores import (
    COLUMNS,
    from_rows,
    load,
    load_all,
    save,
    to_frame,
    write,
)
from irmeta.scores.attributes import about
from irmeta.scores.cube import DIMS, cube, from_frame
from irmeta.scores.selection import select

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)


@st.composite
def cubes(draw: st.DrawFn) -> xr.DataArray:
    names = [
        draw(st.lists(NAMES, min_size=1, max_size=3, unique=True)) for _ in range(2)
    ]
    metrics = draw(
        st.lists(
            st.sampled_from(["clicks", "dwell time", "mine"]), min_size=1, unique=True
        )
    )
    shape = tuple(len(one) for one in (*names, metrics))
    count = int(np.prod(shape))
    scores = draw(
        st.lists(
            st.floats(allow_nan=False, allow_infinity=False),
            min_size=count,
            max_size=count,
        )
    )
    return cube(
        np.reshape(scores, shape),
        *names,
        metrics,
        collection=draw(NAMES),
        provenance={"notes": ["a", "ü"]},
    )


@given(cubes())
def test_round_trip(
    tmp_path_factory: pytest.TempPathFactory, scores: xr.DataArray
) -> None:
    """A cube comes back with every bit, name, order and attribute."""
    path = tmp_path_factory.mktemp("scores") / "scores.parquet"
    save(scores, path)
    xr.testing.assert_identical(load(path), scores)
    xr.testing.assert_equal(
        from_rows(to_frame(scores))[scores.attrs["collection"]], scores
    )


def small(collection: str = "one", score: float = 0.5) -> xr.DataArray:
    return cube(
        [[[score], [0.25]]], ["bm25"], ["1", "2"], ["AP"], collection=collection
    )


def test_a_score_file_is_named_parquet(tmp_path: Path) -> None:
    """Another name is refused, and nothing is written, by whatever writes scores; how to make CSV is said."""
    path = tmp_path / "x.csv"
    made = cube([[[0.5]]], ["a"], ["1"], ["AP"])
    with pytest.raises(ScoresError, match=r"named \.parquet; `irmeta export` .*wide"):
        save(made, path)
    with pytest.raises(ScoresError, match=r"named \.parquet"):
        evaluate_to(path, {"1": {"d": 1}}, {"r": {"1": {"d": 1.0}}}, "AP")
    assert not list(tmp_path.iterdir())


def test_missing_scores(tmp_path: Path) -> None:
    """A missing score has no row, and is missing again when read."""
    scores = cube([[[0.5], [np.nan]], [[0.1], [0.2]]], ["a", "b"], ["1", "2"], ["AP"])
    save(scores, tmp_path / "s.parquet")
    assert pl.read_parquet(tmp_path / "s.parquet").height == 3
    xr.testing.assert_identical(load(tmp_path / "s.parquet"), scores)


def test_several_collections(tmp_path: Path) -> None:
    """A file holds several collections; which one has to be said, and a wrong name lists the nearest."""
    path = tmp_path / "s.parquet"
    both = {"one": small("one"), "two": small("two", 0.75)}
    save(both, path)
    assert list(load_all(path)) == ["one", "two"]
    xr.testing.assert_identical(load(path, "two"), both["two"])
    with pytest.raises(
        ScoresError, match="holds 2 collections; choose one with collection=: one, two"
    ):
        load(path)
    with pytest.raises(ScoresError, match="no collection 'tow'; did you mean two"):
        load(path, "tow")
    save({"renamed": small("one")}, path)
    assert load(path).attrs["collection"] == "renamed"


def test_what_is_named_chooses_a_collection(tmp_path: Path) -> None:
    """The only collection with a metric is read; of several an error lists them, of none it says what is near."""
    path = tmp_path / "s.parquet"
    clicks = cube(
        [[[0.5]], [[0.1]]], ["a", "b"], ["1"], ["clicks"], collection="my log"
    )
    save({"one": small("one"), "two": small("two"), "my log": clicks}, path)
    xr.testing.assert_identical(load(path, metrics="clicks"), clicks)
    with pytest.raises(ScoresError, match=r"choose one with collection=: one, two$"):
        load(path, metrics="AP")
    with pytest.raises(ScoresError, match=r"in the 3 collections of .*mean clicks"):
        load(path, metrics="click")
    with pytest.raises(FileFormatError, match=r"choose one that has it .*: 'my log'$"):
        load_all(path, metrics="clicks")


def test_append(tmp_path: Path) -> None:
    """Appending keeps what is there; the same collection again is an error that leaves the file as it was."""
    path = tmp_path / "s.parquet"
    save(small("one"), path, append=True)
    save(small("two", 0.75), path, append=True)
    xr.testing.assert_identical(load(path, "one"), small("one"))
    xr.testing.assert_identical(load(path, "two"), small("two", 0.75))
    before = path.read_bytes()
    with pytest.raises(ScoresError, match="already holds a collection 'two'"):
        save(small("two"), path, append=True)
    assert path.read_bytes() == before
    save(small("three"), path)
    assert list(load_all(path)) == ["three"]
    with pytest.raises(ScoresError, match="there are no collections"):
        save({}, path)
    (tmp_path / "text.parquet").write_text("something else")
    with pytest.raises(FileFormatError, match="text.parquet"):
        save(small(), tmp_path / "text.parquet", append=True)


def test_other_programs_read_it(tmp_path: Path) -> None:
    """Other programs read the file as a plain table, a row for each score; the provenance is in its metadata."""
    path = tmp_path / "s.parquet"
    save(small(), path)
    frame = pd.read_csv(_csv(pl.read_parquet(path), tmp_path), dtype={"topic": str})
    assert list(frame.columns) == list(COLUMNS) == pl.read_parquet(path).columns
    assert frame.values.tolist() == [
        ["one", "bm25", "1", "AP", 0.5],
        ["one", "bm25", "2", "AP", 0.25],
    ]
    assert (
        json.loads(pl.read_parquet_metadata(path)["irmeta"])["one"]["attributes"][
            "collection"
        ]
        == "one"
    )


def test_names_without_scores_stay(tmp_path: Path) -> None:
    """Systems and topics keep their order, and stay, also where their first or all scores are missing."""
    scores = cube(
        [[[np.nan], [0.1], [np.nan]], [[0.2], [0.3], [np.nan]]],
        ["b", "a"],
        ["2", "1", "3"],
        ["AP"],
    )
    path = tmp_path / "s.parquet"
    save(scores, path)
    xr.testing.assert_identical(load(path), scores)
    save(scores * np.nan, path)
    assert load(path).shape == (2, 3, 1)


def _csv(frame: pl.DataFrame, folder: Path) -> Path:
    frame.write_csv(folder / "s.csv")
    return folder / "s.csv"


def test_csv_and_the_parquet_of_others(tmp_path: Path) -> None:
    """The same columns in CSV, or in the Parquet of another program with numbers for names, are read too."""
    frame = to_frame(small()).select(reversed(COLUMNS))
    xr.testing.assert_equal(load(_csv(frame, tmp_path)), small())
    path = tmp_path / "numbers.parquet"
    frame.with_columns(
        pl.col("topic").cast(pl.Int64), pl.lit("7").alias("more")
    ).write_parquet(path)
    xr.testing.assert_equal(load(path), small())


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"score": ["x", "y"]}, "some scores are not numbers"),
        ({"score": [0.5, float("inf")]}, "infinite score"),
        ({"topic": ["1", "1"]}, "more than one score for bm25, topic 1, AP"),
        ({"topic": ["1", None]}, "the column topic has empty names; fill them in"),
        ({"score": None}, "missing: score"),
    ],
)
def test_wrong_score_files(tmp_path: Path, changed: dict, says: str) -> None:
    """A score file with text for scores, infinities, repeated cells, missing names or columns is refused by name."""
    frame = to_frame(small())
    for name, values in changed.items():
        frame = (
            frame.drop(name)
            if values is None
            else frame.with_columns(pl.Series(name, values))
        )
    path = tmp_path / "wrong.parquet"
    frame.write_parquet(path)
    with pytest.raises(FileFormatError, match=says) as error:
        load(path)
    assert str(error.value).startswith(str(path))


@pytest.mark.parametrize(
    "content", [b"", b"PAR1", b"PAR1" + b"x" * 50, b"\xff\xfe\n", b"{}"]
)
def test_files_that_are_no_score_files(tmp_path: Path, content: bytes) -> None:
    """Whatever else a file holds, reading it as scores is an error that names it."""
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match="other: "):
        load(path)
    with pytest.raises(
        FileFormatError, match="nothing.parquet: no such file; `irmeta evaluate`"
    ):
        load(tmp_path / "nothing.parquet")


def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    """Bytes of topic ids that are not UTF-8 are written as escapes, for the file can hold only text."""
    save(cube([[[0.5]]], ["a\udcff"], ["caf\udce9"], ["AP"]), tmp_path / "s.parquet")
    assert load(tmp_path / "s.parquet").topic.values.tolist() == ["caf\\xe9"]
    assert load(tmp_path / "s.parquet").system.values.tolist() == ["a\\xff"]


def test_a_failure_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When writing fails in the middle the old file stands, and nothing beside it."""
    path = tmp_path / "s.parquet"
    save(small("old"), path)

    def fail(frame: pl.LazyFrame, file: Path, **_: object) -> None:
        Path(file).write_bytes(b"PAR1 half")
        raise KeyboardInterrupt

    monkeypatch.setattr(pl.LazyFrame, "sink_parquet", fail)
    with pytest.raises(KeyboardInterrupt):
        save(small("new"), path)
    assert list(load_all(path)) == ["old"]
    assert [one.name for one in tmp_path.iterdir()] == ["s.parquet"]


@pytest.mark.parametrize(
    "changed",
    [
        {"system": pl.Categorical, "topic": pl.Int64},
        {"score": pl.Float32},
        {"score": pl.Int64},
        {"collection": pl.Categorical, "metric": pl.Categorical},
    ],
)
def test_appending_to_the_parquet_of_others(
    tmp_path: Path, changed: dict[str, type[pl.DataType]]
) -> None:
    """Collections are added to a file of another program, whatever the types of its columns."""
    path = tmp_path / "s.parquet"
    to_frame(small("one", 1.0)).with_columns(
        pl.col(name).cast(kind) for name, kind in changed.items()
    ).write_parquet(path)
    save(small("two"), path, append=True)
    assert list(load_all(path)) == ["two", "one"]
    xr.testing.assert_identical(load(path, "two"), small("two"))
    assert load(path, "one").values[0, 0, 0] == 1.0


@pytest.mark.parametrize("column", ["collection", "system", "topic", "metric"])
def test_missing_names(tmp_path: Path, column: str) -> None:
    """Names that are missing are an error, whoever wrote the file, and nothing is added to it."""
    path = tmp_path / "s.parquet"
    save(small(), path)
    about = pl.read_parquet_metadata(path)["irmeta"]
    broken = pl.read_parquet(path).with_columns(
        pl.when(pl.col("topic") == "1").then(pl.col(column)).alias(column)
    )
    for metadata in ({"irmeta": about}, {}):
        broken.write_parquet(path, metadata=metadata)
        with pytest.raises(
            FileFormatError,
            match=f"s.parquet: the column {column} has empty names; fill them in",
        ):
            load(path)
    with pytest.raises(FileFormatError, match="has empty names;"):
        save(small("two"), path, append=True)


def test_a_part_of_a_file(tmp_path: Path) -> None:
    """Only the systems, topics and metrics asked for are read, in their order; an unknown name lists the nearest."""
    rng = np.random.default_rng(1)
    whole = cube(
        rng.random((3, 4, 3)),
        list("abc"),
        list("1234"),
        ["AP", "RR", "nDCG@10"],
        collection="one",
    )
    whole[1, 2, 0] = np.nan
    path = tmp_path / "s.parquet"
    save({"one": whole, "two": whole[:2]}, path)
    part = load(path, "one", systems=["c", "b"], metrics=["RR", "AP"])
    assert about(part)["chosen_from"] == {"systems": 3}
    xr.testing.assert_identical(
        part, select(whole, systems=["c", "b"], metrics=["RR", "AP"])
    )
    np.testing.assert_array_equal(
        load_all(path, topics=["3"])["two"].values, whole[:2, 2:3].values
    )
    with pytest.raises(
        FileFormatError, match="no metric 'nDCG@20' in one; did you mean nDCG@10"
    ):
        load(path, "one", metrics=["nDCG@20"])
    with pytest.raises(FileFormatError, match="s.parquet: no system 'c' in two"):
        load_all(path, systems=["c"])


def test_a_table_without_rows(tmp_path):
    """A file without a score is refused by name."""
    (tmp_path / "s.csv").write_text("collection,system,topic,metric,score\n")
    with pytest.raises(FileFormatError, match=r"s\.csv: the file has no scores"):
        load(tmp_path / "s.csv")


ONE = {"system": ["s"], "topic": ["1"], "metric": ["AP"]}


@pytest.mark.parametrize(
    "held",
    [
        "[]",
        "1",
        "null",
        "[" * 100_000,
        '{"one": null}',
        '{"one": {"attributes": {}}}',
        json.dumps({"one": {"attributes": [], "names": ONE}}),
        json.dumps({"one": {"attributes": {"notes": 5}, "names": ONE}}),
        json.dumps({"one": {"attributes": {"collection": "two"}, "names": ONE}}),
        json.dumps({"one": {"attributes": {}, "names": {**ONE, "system": "s"}}}),
        json.dumps({"one": {"attributes": {}, "names": {**ONE, "system": [5]}}}),
        json.dumps({"one": {"attributes": {}, "names": {**ONE, "system": ["s", "s"]}}}),
    ],
)
def test_malformed_metadata_are_refused(tmp_path: Path, held: str) -> None:
    """Metadata that no score file of ours has are an error of the file."""
    path = tmp_path / "odd.parquet"
    row = {
        "collection": ["one"],
        "system": ["s"],
        "topic": ["1"],
        "metric": ["AP"],
        "score": [0.5],
    }
    pl.DataFrame(row).write_parquet(path, metadata={"irmeta": held})
    with pytest.raises(FileFormatError, match=r"odd\.parquet: not a score file"):
        load(path)


def test_a_table_too_large_for_memory_is_an_error_in_words(tmp_path: Path) -> None:
    """Names that would make a cube of a million times the file are refused with what to choose."""
    path = tmp_path / "sparse.csv"
    rows = "".join(f"c,s{i},t{i},m{i},0.5\n" for i in range(20_000))
    path.write_text("collection,system,topic,metric,score\n" + rows)
    with pytest.raises(FileFormatError, match="choose metrics="):
        load(path)


@settings(max_examples=60)
@given(place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_damage_ends_in_an_error_of_ours_or_in_none(
    place: float, bit: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A bit flipped anywhere in a score file is refused in words, if it is noticed; it is never a crash."""
    path = tmp_path_factory.mktemp("damaged") / "scores.parquet"
    save(small(), path)
    content = bytearray(path.read_bytes())
    content[int(place * len(content))] ^= 1 << bit
    path.write_bytes(content)
    with suppress(IrmetaError):
        load(path)


APPEND = """
import sys
from concurrent.futures import ThreadPoolExecutor
import irmeta
path, *ones = sys.argv[1:]
append = lambda one: irmeta.save(irmeta.load(one), path, append=True)
with ThreadPoolExecutor(2) as pool:
    list(pool.map(append, ones))
"""


def test_appends_at_once_lose_nothing(tmp_path: Path) -> None:
    """Four writers that append to one file at once, two of them in a process, leave what each of them wrote."""
    path = tmp_path / "all.parquet"
    save(small("first"), path)
    ones = [tmp_path / f"{number}.parquet" for number in range(4)]
    for number, one in enumerate(ones):
        save(small(f"c{number}"), one)
    with (
        subprocess.Popen([sys.executable, "-c", APPEND, path, *ones[:2]]) as one,
        subprocess.Popen([sys.executable, "-c", APPEND, path, *ones[2:]]) as other,
    ):
        pass
    assert (one.returncode, other.returncode) == (0, 0)
    assert sorted(load_all(path)) == ["c0", "c1", "c2", "c3", "first"]


def test_a_new_file_replaces_none(tmp_path: Path) -> None:
    """With new=True a file that another process has made stays."""
    path = tmp_path / "s.parquet"
    save(small("one", 1.0), path, new=True)
    with pytest.raises(ScoresError, match="exists"):
        save(small("two", 1.0), path, new=True)
    assert list(load_all(path)) == ["one"]


@pytest.mark.parametrize(
    ("score", "metric"), [(1.7, "AP"), (-0.3, "P@10"), (54.3, "nDCG@10")]
)
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_scores_of_others_are_what_their_metric_can_be(
    tmp_path: Path, score: float, metric: str, form: str
) -> None:
    """A table that another program made is refused if a score is none of its metric; other metrics take any."""
    path = tmp_path / f"s.{form}"
    frame = pl.DataFrame(
        {
            "collection": "c",
            "system": "a",
            "topic": "1",
            "metric": [metric, "clicks"],
            "score": score,
        }
    )
    frame.write_csv(path) if form == "csv" else frame.write_parquet(path)
    with pytest.raises(
        FileFormatError,
        match=f"{score} .* is not a score of {metric}, whose scores are 0 to 1",
    ):
        load(path)
    assert load(path, metrics=["clicks"]).item() == score


IMPOSSIBLE: dict[str, Callable[[xr.DataArray, Path], object]] = {
    "from_frame, dicts": lambda _, __: from_frame({"a": {"1": 1.7}}, metric="AP"),
    "from_frame, long": lambda bad, _: from_frame(to_frame(bad)),
    "from_rows": lambda bad, _: from_rows(to_frame(bad)),
    "save": save,
    "append": lambda bad, path: save(bad, path, append=True),
    "several": lambda bad, path: save({"one": small(), "two": bad}, path),
    "a sealed file": lambda bad, path: (_sealed(bad, path), load(path)),
}


def _sealed(scores: xr.DataArray, path: Path) -> None:
    """Write scores as irmeta does, without looking at them."""
    about = {"attributes": {}, "names": {dim: list(scores[dim].values) for dim in DIMS}}
    write([to_frame(scores)], {"collection": about}, path)  # type: ignore[dict-item]


@pytest.mark.parametrize("door", IMPOSSIBLE)
def test_no_door_lets_in_scores_that_their_metric_cannot_take(
    tmp_path: Path, door: str
) -> None:
    """An AP of 1.7 is refused wherever scores are read or saved; what was computed from a cube may be studied."""
    bad = cube([[[1.7]], [[0.5]]], ["a", "b"], ["1"], ["AP"])
    path = tmp_path / "s.parquet"
    if door == "append":
        save(small(), path)
    with pytest.raises(IrmetaError, match=r"1\.7.* is not a score of AP"):
        IMPOSSIBLE[door](bad, path)
    save(bad.assign_coords(metric=["AP (std.)"]), tmp_path / "standardized.parquet")
    assert load(tmp_path / "standardized.parquet").max() == 1.7


@pytest.mark.skipif(sys.platform != "linux", reason="names are text elsewhere")
def test_a_file_whose_name_is_no_text_is_read(tmp_path):
    """A path of bytes that are not UTF-8 leads to the same scores."""
    save(small("one"), tmp_path / "s.parquet")
    path = (tmp_path / "s.parquet").rename(tmp_path / os.fsdecode(b"\xff.parquet"))
    xr.testing.assert_identical(load(path), small("one"))


def test_some_collections_of_a_file_are_read(tmp_path: Path) -> None:
    """Of several collections those named are read, by commas or a pattern; an unknown one is an error."""
    path = tmp_path / "s.parquet"
    one = cube([[[0.1], [0.3]]], ["bm25"], ["1", "2"], ["AP"])
    save(dict.fromkeys(("jan", "feb", "mar"), one), path)
    assert list(load_all(path, collection="jan,mar")) == ["jan", "mar"]
    with pytest.raises(ScoresError, match="no collection 'may'; did you mean mar"):
        load_all(path, collection="jan,may")
    with pytest.raises(ScoresError, match="no collection 'jan,mar'"):
        load(path, "jan,mar")
