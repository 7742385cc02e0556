"""What the server asks of the rest of irmeta: the one door to it."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import category

import numpy as np
import numpy.typing as npt

import irmeta
from irmeta.errors import IrmetaError
from irmeta.io.files import read_bytes
from irmeta.io.runs.trec import metadata_of, read_run
from irmeta.stats.hidden.release import bits

if TYPE_CHECKING:
    import xarray as xr

JUDGED = "Judged@10"
"""The share of the first ten documents that are judged; every board has it."""
HEADER = 20_000
"""Characters of a run's header that are kept."""
SHOWN = 20
"""Remarks on a run that are kept."""
OPTIONS = re.compile(r" \([^()]*--[^()]*\)|(?<=[;.?]) [^;.?(]*--.*$")
"""Where a text names options of the command line, which whoever submits does not have."""
Floats = npt.NDArray[np.float64]
BEST = ("runs", "best", "mean", "low", "high", "chance", "chance_high")
"""What is said of the best of a team's runs."""
STANDING = {
    "standardized": "standardized",
    "standardized_low": "low",
    "standardized_high": "high",
    "percentile": "percentile",
    "percentile_low": "percentile_low",
    "percentile_high": "percentile_high",
}
"""Figures of where a system stands among everybody's, by what irmeta calls them."""


class Interval(NamedTuple):
    """A mean, or a difference, with the ends of its interval; NaN where there is none."""

    value: float
    low: float = np.nan
    high: float = np.nan


class Difference(NamedTuple):
    """How much better a system is than another, with its interval, NaN where there is none; shown : by the test."""

    value: float
    low: float
    high: float
    shown: bool


def metric_names(names: str | Sequence[str]) -> list[str]:
    """Return the names of metrics as irmeta writes them, and `JUDGED` last; raise IrmetaError for unknown ones."""
    least = irmeta.evaluate_run({"1": {"a": 1}}, {"1": {"a": 1.0}}, names)
    metrics = [str(name) for name in least.metric.values]
    return [*(metric for metric in metrics if metric != JUDGED), JUDGED]


def judged_topics(qrels: Path) -> list[str]:
    """Return the topics of a file of judgments; raise IrmetaError for another file."""
    return [str(topic) for topic in _scores_of_empty_run(qrels, "P@1").topic.values]


def _scores_of_empty_run(qrels: Path, metrics: str | Sequence[str]) -> "xr.DataArray":
    """Return the scores of a run without documents: 0 on every judged topic."""
    nothing = irmeta.Reading(allow_empty=True)
    return irmeta.evaluate_run(qrels, {"nothing": {}}, metrics, reading=nothing)


def read_judgments(qrels: Path, salt: str) -> tuple[list[str], str]:
    """Return the topics that are judged, and what binds the judgments with a salt; raise IrmetaError for others."""
    return judged_topics(qrels), irmeta.commitment(qrels, bytes.fromhex(salt))


def check_run(
    run: Path,
    name: str,
    *,
    topics: Sequence[str],
    documents: frozenset[str] | None,
    depth: int,
) -> list[dict[str, Any]]:
    """Check a run without knowing any judgment; return what is odd: level, line (or None), text."""
    outcome = irmeta.validate(
        None, {name: run}, topics=topics, documents=documents, depth=depth
    )
    columns = (outcome[name].values.tolist() for name in ("level", "line", "text"))
    called = re.compile(f"{re.escape(str(run))}|{re.escape(run.name)}")
    remarks = [
        {
            "level": level,
            "line": None if np.isnan(line) else int(line),
            "text": OPTIONS.sub("", called.sub(lambda _: name, text)).rstrip(" ;"),
        }
        for level, line, text in zip(*columns, strict=True)
    ]
    if len(remarks) > SHOWN:
        more = f"and {len(remarks) - SHOWN} more"
        remarks[SHOWN:] = [{**remarks[SHOWN], "line": None, "text": more}]
    return remarks


def read_header(run: Path) -> str:
    """Return what a run says of itself in a header of ir_metadata, as text that shows; nobody parses it."""
    text = metadata_of(read_bytes(run))[:HEADER]
    return "".join(
        letter if category(letter)[0] != "C" or letter in "\n\t" else "\ufffd"
        for letter in text
    )


def score_run(
    qrels: Path,
    run: Path,
    metrics: Sequence[str],
    topics: Sequence[str],
    precision: Any,
) -> dict[str, bytes]:
    """Score a run: by metric the scores of the judged topics, as float64 in little endian."""
    try:
        scores = irmeta.evaluate_run(qrels, run, metrics, score_precision=precision)
    except IrmetaError:
        if not set(topics).isdisjoint(read_run(run).topics):
            raise
        scores = _scores_of_empty_run(qrels, metrics)
    cube = scores.sel(topic=list(topics)).expand_dims(system=["run"])
    return score_bytes(cube)["run"]


def score_bytes(cube: "xr.DataArray") -> dict[str, dict[str, bytes]]:
    """Return by system and metric the scores of the topics, as float64 in little endian."""
    values = cube.transpose("system", "metric", "topic").values.astype("<f8")
    metrics = [str(name) for name in cube.metric.values]
    return {
        str(name): {
            metric: row.tobytes() for metric, row in zip(metrics, rows, strict=True)
        }
        for name, rows in zip(cube.system.values, values, strict=True)
    }


def score_cube(
    collection: str,
    topics: Sequence[str],
    metrics: Sequence[str],
    vectors: Mapping[str, Mapping[str, Floats]],
    clusters: Mapping[str, str] | None = None,
) -> "xr.DataArray":
    """Return scores of topics, by system and metric, as a labelled cube (system, topic, metric)."""
    import xarray as xr

    values = np.array([[rows[name] for name in metrics] for rows in vectors.values()])
    names = {"system": list(vectors), "metric": list(metrics), "topic": list(topics)}
    cube = xr.DataArray(
        values,
        {dim: np.array(labels, dtype=object) for dim, labels in names.items()},
        list(names),
        name="score",
        attrs={"collection": collection},
    ).transpose("system", "topic", "metric")
    return irmeta.with_clusters(cube, clusters) if clusters else cube


def means_by_system(
    cube: "xr.DataArray", *, units: int
) -> dict[str, dict[str, Interval]]:
    """Return means by system and metric, with 95% intervals where topics or clusters, the units, are two or more."""
    if units > 1:
        outcome = irmeta.intervals(cube)
    else:
        outcome = irmeta.means(cube).to_dataset(name="mean")
        outcome = outcome.assign(
            low=outcome["mean"] * np.nan, high=outcome["mean"] * np.nan
        )
    columns = [outcome[name].values for name in ("mean", "low", "high")]
    rows = np.stack(columns, axis=-1).tolist()  # (system, metric, 3)
    metrics = [str(name) for name in outcome.metric.values]
    return {
        str(name): {
            metric: Interval(*mean) for metric, mean in zip(metrics, row, strict=True)
        }
        for name, row in zip(outcome.system.values, rows, strict=True)
    }


def rank_sets(cube: "xr.DataArray", metric: str) -> list[tuple[int, int]]:
    """Return the best and the worst rank that each system may have, all at once at 95%."""
    ranks = irmeta.describe(cube, metrics=metric).sel(metric=metric)
    low, high = ranks["rank_low"].values.tolist(), ranks["rank_high"].values.tolist()
    return list(zip(low, high, strict=True))


def standardizing_factors(
    cube: "xr.DataArray", metric: str, factors: str, teams: Mapping[str, str]
) -> "xr.Dataset":
    """Return the factors to standardize by: those named or in a file, else those of all systems of the cube."""
    if factors:
        return irmeta.standardize.load(factors)
    return irmeta.standardize.fit(cube.sel(metric=[metric]), teams=teams)


def best_by_team(
    cube: "xr.DataArray", metric: str, teams: Mapping[str, str]
) -> dict[str, dict[str, Any]]:
    """Return by team its best run, beside what the best of as many equal ones would reach, by the names of `BEST`.

    teams : by run.
    """
    if not teams:
        return {}
    part = cube.sel(system=list(teams), metric=[metric])
    outcome = irmeta.best_of(part, teams=teams).sel(metric=metric, drop=True)
    rows = zip(*(outcome[name].values.tolist() for name in BEST), strict=True)
    bests = [dict(zip(BEST, row, strict=True)) for row in rows]
    by_team = zip(outcome.team.values.tolist(), bests, strict=True)
    return {team: best for team, best in by_team if best["best"] != ""}


def standings(
    cube: "xr.DataArray", metric: str, factors: "xr.Dataset"
) -> list[dict[str, float]]:
    """Return for each system where it stands among those that the factors come from, by the names of `STANDING`."""
    outcome = irmeta.standing(cube, on=factors, metrics=metric)
    columns = [outcome[name].values[:, 0].tolist() for name in STANDING.values()]
    return [dict(zip(STANDING, row, strict=True)) for row in zip(*columns, strict=True)]


def differences(
    cube: "xr.DataArray", metric: str, base: str, systems: Sequence[str]
) -> list[Difference]:
    """Return how much better each of some systems is than one (base), each by itself, paired by topic."""
    outcome = irmeta.versus(cube, base, systems, metrics=metric, correct="none")
    shown = outcome["significant"].values[:, 0].tolist()
    differences = _seen_from_other_side(outcome, "difference", "low", "high")
    return list(map(Difference, *differences, shown))


def _seen_from_other_side(outcome: Any, value: str, low: str, high: str) -> list[Any]:
    """Return the columns value, low and high of a result, of which it has the names, with the other sign."""
    # no difference is 0, not -0
    return [(0 - outcome[name].values[:, 0]).tolist() for name in (value, high, low)]


def comparison_facts(cube: "xr.DataArray") -> dict[str, Any]:
    """Return what a script needs to compare any two systems as `differences` does."""
    from irmeta.studies.differences.versus.elsewhere import comparison_facts

    return comparison_facts(cube)


class Across(NamedTuple):
    """What anchors say of systems on two collections.

    better : by two systems how much better that on the second is. lower : how much lower the systems that are on both
    stand on the second. both : how many these are.
    """

    better: dict[tuple[str, str], Interval]
    lower: Interval
    both: int


def compare_collections(
    cubes: "Mapping[str, xr.DataArray]",
    factors: "Mapping[str, xr.Dataset]",
    metric: str,
    anchors: Sequence[tuple[str, str]],
) -> Across:
    """Compare the systems of two collections by their gains over anchors, which have a name on each.

    Without anchors nothing is better: the systems of one name on both are counted, and how they moved.
    """
    named = ["=".join(names) for names in anchors] or None
    outcome = irmeta.place(cubes, on=factors, metrics=metric, anchor=named)
    names = ("anchored", "anchored_low", "anchored_high")
    gains = map(Interval, *_seen_from_other_side(outcome, *names))
    sides = ("collection_a", "collection_b", "system_a", "system_b")
    pairs = zip(*(outcome.data[name].values.tolist() for name in sides), strict=True)
    better = {
        (system, other): gain
        for (a, b, system, other), gain in zip(pairs, gains, strict=True)
        if named and a != b
    }
    moved = (outcome[f"drift{end}"].item() for end in ("", "_low", "_high"))
    return Across(better, Interval(*moved), int(outcome["drift_systems"].item()))


def first_documents(run: Path, depth: int) -> dict[str, list[str]]:
    """Return by topic the first documents of a run."""
    read = read_run(run)
    order = np.lexsort((-read.scores, read.topic))
    first: dict[str, list[str]] = {}
    for at in order.tolist():
        documents = first.setdefault(read.topics[read.topic[at]], [])
        if len(documents) < depth:
            documents.append(str(read.documents[at]))
    return first


def eee_record(
    system: str,
    collection: str,
    rows: Sequence[Mapping[str, Any]],
    vectors: Mapping[str, Floats],
    *,
    over: str,
    evaluated: float,
    source: str,
    details: Mapping[str, str],
) -> dict[str, Any]:
    """Return a system's scores as a record of Every Eval Ever.

    rows : by metric mean, low and high, perhaps rank, rank_low and rank_high. vectors : by metric the scores of the
    topics. over : what is independent. evaluated : seconds since 1970. source : who evaluated. details : texts of each
    score.
    """
    from irmeta.studies.differences.eee import record, result

    results = [result(row, vectors[row["metric"]], collection, over) for row in rows]
    for scored in results:
        scored["score_details"]["details"] |= details
    return record(system, collection, results, f"{evaluated:.6f}", source)


def score_vectors(vectors: Sequence[bytes]) -> list[Floats]:
    """Return the arrays of scores that `score_bytes` made bytes of."""
    return [np.frombuffer(vector, dtype="<f8") for vector in vectors]


FIGURES = {
    "none": "nothing before the reveal",
    "split": "the mean over the topics that do not count at the end",
    "ladder": "where the ladder stands, which is not this run's score",
    "open": "the mean over all topics",
}
"""What the figure is that a team is told, by the feedback of the board."""


def feedback(
    board: Mapping[str, Any], topics: Sequence[str], runs: Sequence[Floats]
) -> dict[str, Any]:
    """Return what a team learns before the reveal of the last of its runs: `figure` and, by topic, scores (`topics`).

    board : its feedback, and the step or the topics of that. topics : the judged ones. runs : scores of all runs so
    far on the first metric.
    """
    shown = set(board.get("feedback_topics") or ())
    places = [at for at, topic in enumerate(topics) if topic in shown]
    kind = board.get("feedback", "none")
    step = board.get("step", 0.05)
    told = irmeta.release(kind, runs[:-1], runs[-1], step=step, topics=places)
    named = [topics[at] for at in places] if kind == "split" else topics
    # a ladder says nothing of topics
    scores = dict(zip(named, told.topics.tolist(), strict=False))
    return {"figure": told.figure, "topics": scores}


def drawn_split(board: Mapping[str, Any], topics: Sequence[str]) -> dict[str, Any]:
    """Return the topics that a split shows, a third drawn by the board's key, where they are to be drawn yet.

    Refuse a feedback that protects nothing: a step or a split that the topics are too few for.
    """
    drawn = {}
    if board.get("feedback") == "split" and not board.get("feedback_topics"):
        drawn["feedback_topics"] = Random(board["key"]).sample(topics, len(topics) // 3)
    feedback({**board, **drawn}, topics, [np.zeros(len(topics))])
    return drawn


def bits_leaked(board: Any, submissions: int, teams: int = 1) -> float:
    """Return how many bits of the hidden judgments the answers to a board's runs can give away, at most."""
    figures = 1 + len(board.topics)  # an open feedback shows the mean and all topics
    options = {"teams": teams, "step": board.step, "figures": figures}
    return bits(board.feedback, submissions, **options)


def bits_of_means(submissions: int) -> float:
    """Return how many bits the means of this number of submissions, to four decimals, can give away."""
    return bits("open", submissions)


def as_parquet(content: "xr.DataArray | xr.Dataset") -> bytes:
    """Return scores, or factors to standardize by, as the bytes of a Parquet file."""
    save: Any = (
        irmeta.standardize.save if hasattr(content, "data_vars") else irmeta.save
    )
    with TemporaryDirectory() as folder:
        path = Path(folder, "as.parquet")
        save(content, path)
        return path.read_bytes()
