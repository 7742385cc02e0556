"""What files say of themselves is held against a schema as a whole, and odd objects are errors of ours."""

import json
import random
from collections import namedtuple
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import irmeta
from irmeta.datasets import factors
from irmeta.errors import FileFormatError, IrmetaError
from irmeta.io.formats import seals
from irmeta.scores import standardization
from irmeta.scores.cube import cube
from irmeta.scores.result import describe

FEW, MANY = 150, 3000
"""Documents of strangers: in the quick test, and in the slow one."""
ODD: list[Any] = [
    *(None, True, 0, -1, 1e308, 10**30, float("nan"), "", "x", "\x1b[2J", "AP"),
    *([], {}, [1], {"a": 1}, [[1]], [None], {"kind": [1]}, {"kind": "z", "factors": 5}),
]
TOPICS, DOCUMENTS = ["1", "1", "2"], ["a", "b", "a"]
Row = namedtuple("Row", "query_id doc_id score")
Judgment = namedtuple("Judgment", "query_id doc_id relevance")


def _scores() -> Any:
    values = np.random.default_rng(2).random((6, 5, 3)).round(3)
    facts = {
        "qrels": {"source": "q", "sha256": "0" * 64},
        "runs": {f"s{i}": "0" * 64 for i in range(6)},
        "judged": {f"s{i}": 0.5 for i in range(6)},
        "scored": 5,
        "lacking": {f"s{i}": i for i in range(6)},
        "options": {"topics": "qrels"},
        "notes": ["one"],
    }
    systems, topics = [f"s{i}" for i in range(6)], [str(i) for i in range(5)]
    return cube(
        values, systems, topics, ["AP", "RR", "P@5"], collection="c", provenance=facts
    )


def _places(held: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield at
    if isinstance(held, dict | list):
        inside = held.items() if isinstance(held, dict) else enumerate(held)
        for key, value in list(inside)[:8]:
            yield from _places(value, (*at, key))


def _changed(held: Any, draws: random.Random) -> Any:
    """Replace, remove or add one value anywhere in a document."""
    held = json.loads(json.dumps(held))
    place = draws.choice(list(_places(held)))
    if not place:
        return draws.choice(ODD)
    inner = held
    for key in place[:-1]:
        inner = inner[key]
    kind = draws.random()
    if kind < 0.7:
        inner[place[-1]] = draws.choice(ODD)
    elif kind < 0.85:
        del inner[place[-1]]
    elif isinstance(inner, dict):
        inner[draws.choice(["collection", "standardization", "zz"])] = draws.choice(ODD)
    return held


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scores, standardized ones, factors and a model, each with what it says of itself."""
    made = tmp_path_factory.mktemp("schemas")
    scores = _scores()
    fitted = standardization.fit(scores)
    irmeta.save(scores, made / "scores.parquet")
    irmeta.save(standardization.apply(scores, fitted), made / "standardized.parquet")
    factors.save(fitted, made / "factors.parquet")
    irmeta.save_model(irmeta.predict.fit({"c": scores}), made / "model")
    return made


def _write(folder: Path, kind: str, draws: random.Random) -> Path:
    path = folder / f"changed-{kind}"
    if kind == "model":
        path.write_text(
            json.dumps(_changed(json.loads((folder / kind).read_text()), draws))
        )
        sealed = path.read_bytes().replace(seals.KEY.encode(), b"none")
        path.write_bytes(sealed.replace(b"irmeta sha256", b"none"))
        return path
    whole = folder / f"{kind}.parquet"
    key = "irmeta_factors" if kind == "factors" else "irmeta"
    said = json.loads(pl.read_parquet_metadata(whole)[key])
    changed = json.dumps(_changed(said, draws))
    pl.read_parquet(whole).write_parquet(path, metadata={key: changed})
    return path


def _use(path: Path, kind: str, draws: random.Random) -> None:
    if kind == "model":
        model = irmeta.load_model(path)
        known = model.metrics[0]
        irmeta.predict.apply({"s": {known: 0.4}}, model=model, want=model.metrics[-1:])
        return
    if kind == "factors":
        held = factors.load(path)
        standardization.apply(_scores(), held)
        return
    scores = irmeta.load_all(path)
    for one in scores.values():
        describe(one)
        irmeta.describe(one)
    if draws.random() < 0.2:
        irmeta.leaderboard(scores, metric="AP", resamples=60)
        standardization.fit(next(iter(scores.values())))


@pytest.mark.parametrize("kind", ["scores", "standardized", "factors", "model"])
@pytest.mark.parametrize(
    "count", [FEW // 4, pytest.param(MANY // 4, marks=pytest.mark.slow)]
)
def test_what_strangers_say_of_their_files(folder: Path, kind: str, count: int) -> None:
    """Scores, factors and models with odd attributes are used, or refused with an error of ours; nothing else."""
    draws = random.Random(kind)
    for _ in range(count):
        path = _write(folder, kind, draws)
        with suppress(IrmetaError):
            _use(path, kind, draws)


def test_names_twice_are_errors(tmp_path: Path) -> None:
    """A key twice in the attributes of a score file, in a model, or on a line of JSON is an error."""
    twice = '{"c": {"attributes": {"notes": [], "notes": ["x"]}, "names": {}}}'
    table = pl.DataFrame(
        [("c", "a", "1", "AP", 0.5)],
        schema=["collection", "system", "topic", "metric", "score"],
        orient="row",
    )
    table.write_parquet(tmp_path / "s.parquet", metadata={"irmeta": twice})
    (tmp_path / "m.json").write_text('{"format": 1, "format": 2}')
    for line in (
        '{"query-id": "1", "corpus-id": "a", "score": 1, "score": 0}\n',
        '{"query-id": "1", "corpus-id": {"a": 1}, "score": 1}\n',
        '{"query-id": true, "corpus-id": "a", "score": 1}\n',
    ):
        (tmp_path / "q.jsonl").write_text(line * 2)
        with pytest.raises(FileFormatError):
            irmeta.evaluate(tmp_path / "q.jsonl", {"r": {"1": {"a": 1.0}}}, "AP")
    with pytest.raises(FileFormatError, match="'notes' occurs twice"):
        irmeta.load(tmp_path / "s.parquet")
    with pytest.raises(FileFormatError, match="'format' occurs twice"):
        irmeta.load_model(tmp_path / "m.json")


@pytest.mark.parametrize("ratings", [None, 5, "x", [5], {"a": 1}])
def test_odd_ratings_are_errors(tmp_path: Path, ratings: Any) -> None:
    """Ratings of OpenSearch that are not a list of objects are an error that names the file."""
    path = tmp_path / "j.json"
    path.write_text(
        json.dumps({"judgmentRatings": [{"query": "1", "ratings": ratings}]})
    )
    with pytest.raises(FileFormatError, match=r"j\.json"):
        irmeta.evaluate(path, {"r": {"1": {"a": 1.0}}}, "AP")


def _frame(**columns: Any) -> pl.DataFrame:
    held = {"query_id": TOPICS, "doc_id": DOCUMENTS, "score": [1.0, 2.0, 3.0]}
    return pl.DataFrame(held | columns)


RUNS: dict[str, Any] = {
    "text for a score": [Row("1", "a", "high")],
    "mixed rows": [Row("1", "a", 1.0), ("1", "b", 2.0)],
    "two scores": pd.DataFrame(
        [["1", "a", 1.0, 2.0]], columns=["query_id", "doc_id", "score", "score"]
    ),
    "objects for ids": _frame(query_id=[{"a": 1}, {"a": 1}, {"a": 2}]),
    "lists for ids": _frame(doc_id=[["a"], ["b"], ["a"]]),
    "bytes for ids": _frame(doc_id=[b"a", b"b", b"a"]),
    "objects for scores": _frame(score=[{"a": 1}, {"a": 1}, {"a": 2}]),
    "flags for ids": _frame(query_id=[True, True, False]),
    "lazy, without a file": pl.scan_parquet("nowhere.parquet"),
    "lazy, without a column": _frame().lazy().select("none"),
    "dates for scores": _frame(score=pd.to_datetime(["2020-01-01"] * 3).to_list()),
}
READ: dict[str, Any] = {
    "ints for ids": [Row(1, 2, 1.0), Row(1, 3, 2.0)],
    "texts for scores": [Row("1", "a", "1e-3")],
    "wide integers": _frame(score=pl.Series([1, 2, 3], dtype=pl.Int128)),
    "categories": _frame(query_id=pl.Series(TOPICS, dtype=pl.Categorical)),
}


@pytest.mark.parametrize("name", RUNS)
def test_odd_objects_are_errors_of_ours(name: str) -> None:
    """Frames, rows and lazy frames that hold no run raise an IrmetaError."""
    with pytest.raises(IrmetaError):
        irmeta.evaluate({"1": {"a": 1}}, {"r": RUNS[name]}, "AP")


@pytest.mark.parametrize("name", READ)
def test_objects_of_other_types_are_read(name: str) -> None:
    """Ids that are numbers, scores that are text as a run file has it, and other types of numbers are read."""
    with suppress(FileFormatError):
        scores = irmeta.evaluate({"1": {"a": 1}}, {"r": READ[name]}, "AP")
        assert scores.sizes["system"] == 1


@pytest.mark.parametrize(
    "given", [None, 5, "x", [], np.zeros((2, 2)), object()], ids=range(6)
)
def test_no_table_is_an_error_of_ours(given: Any) -> None:
    """What is no table of scores is refused in our words."""
    with pytest.raises(IrmetaError):
        irmeta.from_frame(given)
