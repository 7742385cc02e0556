"""The table of a paper: systems in rows, metrics in columns, the best in bold, significant differences as marks."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

import numpy as np
import polars as pl
import xarray as xr

from irmeta.choices import Correction, Missing, TableTest
from irmeta.errors import ScoresError, require_choice
from irmeta.metrics.names import canonical, found_as, nearest
from irmeta.parallel import again, seeded
from irmeta.scores.attributes import about
from irmeta.scores.averages.intervals import intervals
from irmeta.scores.averages.means import additive, means
from irmeta.scores.figures import short
from irmeta.scores.groups.clusters import by_cluster
from irmeta.scores.names import known_as
from irmeta.scores.result import (
    frame,
    is_estimated,
    no_result_notes,
    result,
    standardization_of,
    topics_phrase,
)
from irmeta.scores.selection import (
    choose_names,
    prepare,
    share_of,
    top_systems,
    unknown_system_hint,
)
from irmeta.stats.arrays import Floats
from irmeta.stats.tests import paired
from irmeta.stats.tests.compared import Given, Pairs
from irmeta.stats.tests.comparing import Way, compare
from irmeta.studies.differences.letters import MOST_LETTERS, in_letters
from irmeta.studies.differences.notes import notes_on_tests
from irmeta.studies.door import Cube, study
from irmeta.studies.result.method import CORRECTIONS, TESTS, UNNAMED
from irmeta.words import counted, decimal

BETTER, WORSE = "†", "‡"
"""Marks of systems that are significantly better or worse than the baseline."""
NEAR_BEST = "="
"""The mark of systems that do not differ significantly from the best, where letters would be too many to read."""
MOST_A_ROW = 6
"""Letters of a system from which they are too many."""
DIGITS = 3


@study
def table(
    scores: Cube,
    *,
    metrics: str | Iterable[str] | None = None,
    baseline: str | None = None,
    test: TableTest = "max-t",
    correct: Correction | None = None,
    alpha: float = 0.05,
    resamples: int | None = None,
    top: float | None = None,
    by: str | None = None,
    order: str | Iterable[str] | None = None,
    label: str | None = None,
    caption: str | None = None,  # noqa: ARG001  among the options of the result
    missing: Missing = "error",
    rng: int | np.random.Generator = 0,
) -> xr.Dataset:
    """Tabulate means of systems by metric: as in a paper, the best marked, with the differences that are significant.

    scores : a cube; tests need at least 2 systems and 2 topics
    metrics : the columns, in this order; all by default
    baseline : a system that the others are compared with, and marked where they are significantly better or worse.
        Without one, systems get letters: those that share a letter do not differ significantly; where a system
        would have more than 6 letters, = marks those that do not differ significantly from the best
    test : the paired test, by metric, of the differences that the table shows, or none
    correct : how other tests than max-t are corrected for these differences
    alpha : the level of significance, in (0, 1)
    resamples : at least 100; by default 1000 of max-t of all pairs, else 10 000
    top : use only the best systems: this share of them, as in 0.75; by default all
    by : the metric that sorts the rows, best first, and that `top` goes by; by default the first one
    order : the systems of the first rows, as in 'bm25,mine'; the others follow, best first
    label : the label that LaTeX refers to, as in 'tab:results'
    caption : what the table shows, as text, not TeX, in place of 'Mean scores on' the collection; what marks mean
        follows
    missing : what to do with missing scores, as in `selection.complete`
    rng : a seed or a generator, of all that is random

    The baseline is shown in any case. Returns over (system, metric) mean, its 95% interval low to high (NaN with one
    topic), best (bool) and marks (text). Raises ScoresError for an unknown system or metric.
    Sources: Smucker et al. (CIKM 2007) for the tests, Piepho (2004) for the letters.

    >>> from irmeta.scores.cube import cube
    >>> topics = [[[0.1], [0.2], [0.3], [0.2]], [[0.4], [0.6], [0.5], [0.5]]]
    >>> made = table(cube(topics, ["bm25", "mine"], ["1", "2", "3", "4"], ["AP"]), baseline="bm25", test="t")
    >>> made["marks"].sel(system="mine").item()
    '†'
    """
    require_choice("test", test, get_args(TableTest))
    require_choice("correct", correct or "holm", get_args(Correction))
    way = Way.of(test, correct, alpha, None, resamples, of_pairs=baseline is None)
    generator, _ = seeded(rng)
    every = _names(scores)
    scores, notes = prepare(scores, metrics=metrics, missing=missing)
    notes += no_result_notes(scores)
    if label is not None and not re.fullmatch(r"[\w:.-]+", label):
        raise ScoresError(
            f"label {label!r}: LaTeX takes letters, digits, :, - and ., as in tab:results"
        )
    if baseline is not None:
        baseline = _baseline(baseline, every, scores, missing)
    by = _sorting(by, [str(metric) for metric in scores.metric.values])
    if test != "none" and (scores.sizes["topic"] < 2 or scores.sizes["system"] < 2):
        raise ScoresError(
            "a paired test needs at least 2 systems and 2 topics; use --test none for means only"
        )
    first: list[str] = []
    if order is not None:
        first = choose_names("system", order, _names(scores), "the scores", "--order")
    if baseline is not None:
        first = [baseline, *(name for name in first if name != baseline)]
    shown = _sorted_systems(scores, first, by, top)
    line = additive(shown).transpose("metric", "system", "topic").values
    mark = _letters if baseline is None else _against_first
    marks = [
        mark(of_metric, way, again(generator))
        if test != "none"
        else [""] * len(of_metric)
        for of_metric in line
    ]
    mean, comparisons = means(shown), _comparisons(shown, baseline)
    if test != "none":
        notes += notes_on_tests(way, shown, comparisons, [])
    printed = xr.apply_ufunc(np.vectorize(_printed), mean)
    return result(
        "paper_table",
        {
            "mean": mean,
            **_ends(scores, mean),
            "best": printed == printed.max("system"),
            "marks": (("system", "metric"), np.array(marks, dtype=object).T),
        },
        inputs={scores.attrs.get("collection", "collection"): scores},
        options={
            "baseline": baseline,
            "correct": way.correct,
            "by": by,
            "order": first or None,
            "resamples": way.drawn(comparisons),
        },
        notes=notes,
    )


def _baseline(
    name: str, every: Sequence[str], scores: xr.DataArray, missing: str
) -> str:
    """Return the baseline as the scores call it; one that was dropped for what it lacks raises ScoresError.

    every : the systems before any was dropped.
    """
    own, kept = known_as(name, every), _names(scores)
    if own is not None and own not in kept:
        raise ScoresError(
            f"the baseline {own} was dropped, as it lacks scores (--missing {missing}); choose another one or fewer "
            "systems (--systems); versus compares two on what both have (--missing pairwise)"
        )
    found = known_as(name, kept)
    if found is None:
        raise ScoresError(
            f"no system {name!r} to serve as the baseline; {unknown_system_hint(scores, name)}"
        )
    return found


def _names(scores: xr.DataArray) -> list[str]:
    return [str(name) for name in scores.system.values]


def _sorted_systems(
    scores: xr.DataArray, first: Sequence[str], by: str, top: float | None
) -> xr.DataArray:
    """Sort the systems, those named first in their order, and keep the share `top` of them."""
    kept = scores if top is None else top_systems(scores, top, by)
    systems = _names(kept)
    mean = means(kept).sel(metric=by).values
    order = [systems[at] for at in np.argsort(-mean, kind="stable")]
    return scores.sel(system=[*first, *(name for name in order if name not in first)])


def _printed(mean: float) -> float:
    """Return a mean as the table prints it, so that means that look the same are equally good."""
    return float(decimal(mean, DIGITS))


def _ends(scores: xr.DataArray, mean: xr.DataArray) -> dict[str, xr.DataArray]:
    """Return the ends of the interval of each mean that is shown, as `describe` has them; NaN of one topic."""
    if by_cluster(scores)[0].sizes["topic"] < 2:
        unknown = xr.full_like(mean, np.nan)
        return {"low": unknown, "high": unknown}
    ends = intervals(scores).sel(system=mean.system)
    return {name: ends[name] for name in ("low", "high")}


def _comparisons(shown: xr.DataArray | xr.Dataset, baseline: str | None) -> int:
    """Count the comparisons by one metric: all pairs, or the others with the baseline."""
    others = shown.sizes["system"] - 1
    return others if baseline is not None else others * (others + 1) // 2


def _against_first(scores: Floats, way: Way, rng: np.random.Generator) -> list[str]:
    """Mark systems (system, topic) by one metric that are better or worse than the first."""
    found = compare(Given(-paired.less(scores[0], scores[1:])), way, rng)
    signs = np.where(found["difference"] > 0, BETTER, WORSE)
    return ["", *np.where(found["p_corrected"] < way.alpha, signs, "").tolist()]


def _letters(scores: Floats, way: Way, rng: np.random.Generator) -> list[str]:
    """Return the letters of systems (system, topic) by one metric, a for the group of the best; else who is near it."""
    differs = np.zeros((len(scores), len(scores)), dtype=np.bool_)
    sure = compare(Pairs(scores), way, rng)["p_corrected"] < way.alpha
    differs[np.triu_indices(len(scores), 1)] = sure
    differs |= differs.T
    order = np.argsort(-scores.mean(axis=1), kind="stable")
    marks = np.full(len(order), "", dtype=object)
    if len(order) <= MOST_LETTERS:
        marks[order] = in_letters(differs[np.ix_(order, order)])
        if max(map(len, marks)) <= MOST_A_ROW:
            return list(marks)
    return np.where(differs[order[0]], "", NEAR_BEST).tolist()


def caption(outcome: xr.Dataset, shown_as: str = "in bold") -> str:
    """Return what the marks mean, the test behind them, and on how many topics of what.

    shown_as : how the best of each column are shown.
    """
    options = about(outcome)["options"]
    name, size = next(iter(about(outcome)["inputs"]["collections"].items()))
    standardized, what = standardization_of(size), "scores"
    if standardized is not None:
        what = f"standardized scores ({standardized})"
    elif is_estimated(outcome):
        what = "scores estimated from people's and a machine's judgments"
    where = "" if name in UNNAMED else f" on {name}"
    shown = options["caption"] or f"Mean {what}{where}"
    over = topics_phrase(outcome) if is_estimated(outcome) else _topics_clause(size)
    text = f"{shown} ({over}); the best of each column {shown_as}."
    if outcome.sizes["system"] < size["systems"]:
        others = "" if options["baseline"] is None else ", and the baseline"
        best = share_of(size["systems"], options["top"])
        text += (
            f" The best {best} of {size['systems']} systems by {options['by']}{others}."
        )
    if options["test"] == "none":
        return text
    how = f"{TESTS[options['test']]}{_correction_clause(outcome)}, level {options['alpha']:g}"
    if options["baseline"] is None:
        marks = {str(mark) for mark in outcome["marks"].values.flat}
        near = f"{NEAR_BEST}: not significantly different from the best"
        share = "Systems that share a letter do not differ significantly"
        meant = [near] * (NEAR_BEST in marks) + [share] * bool(marks - {NEAR_BEST, ""})
        return f"{text} {'. '.join(meant)} ({how})."
    return f"{text} {BETTER} and {WORSE}: significantly better and worse than {options['baseline']} ({how})."


def _correction_clause(outcome: xr.Dataset) -> str:
    """Say how tests are corrected, and for how many comparisons; nothing of one alone."""
    options = about(outcome)["options"]
    comparisons = _comparisons(outcome, options["baseline"])
    if options["correct"] == "none" or comparisons == 1:
        return ""
    if options["test"] == "max-t":
        return f", corrected for {comparisons} comparisons in each column"
    correction = CORRECTIONS[options["correct"]]
    return f", {correction} correction for {comparisons} comparisons in each column"


def _topics_clause(size: Mapping[str, Any]) -> str:
    """Say how many topics a mean is over, and in how many clusters they come."""
    if "clusters" not in size:
        return counted(size["topics"], "topic")
    topics = counted(size["clusters"]["topics"], "topic")
    clusters = counted(size["clusters"]["clusters"], "cluster")
    if size["clusters"]["mean_over"] == "clusters":
        return f"{topics}, mean over {clusters}"
    return f"{topics} in {clusters}"


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Tables `wide` (a row per system, a column of means and one of marks per metric) and `means` (long)."""
    columns: dict[str, list[str] | Floats] = {
        "system": [str(name) for name in outcome.system.values]
    }
    for metric in outcome.metric.values:
        one = outcome.sel(metric=metric)
        columns[str(metric)] = one["mean"].values
        if about(outcome)["options"]["test"] != "none":
            columns[f"{metric} marks"] = [str(mark) for mark in one["marks"].values]
    return {
        "wide": pl.DataFrame(columns),
        "means": frame(outcome, ["mean", "best", "marks"]),
    }


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show the table as on paper: means to three digits, the best with a star, marks behind them."""
    columns = {"system": [str(name) for name in outcome.system.values]}
    for metric in outcome.metric.values:
        one = outcome.sel(metric=metric)
        cells = zip(
            one["mean"].values, one["best"].values, one["marks"].values, strict=True
        )
        columns[str(metric)] = [
            f"{short(mean, DIGITS)}{'*' * bool(best)} {mark}".rstrip()
            for mean, best, mark in cells
        ]
    return {"table (* best)": pl.DataFrame(columns)}


def findings(outcome: xr.Dataset) -> list[str]:
    """Return the caption, which says all that the table needs; on a screen the best have a star."""
    return [caption(outcome, "marked")]


def _sorting(by: str | None, names: Sequence[str]) -> str:
    """Return the metric that sorts the rows: the first one, or the one that is named."""
    if by is None:
        return names[0]
    found = found_as(canonical(by), names) or by
    if found not in names:
        raise ScoresError(f"cannot sort the systems by {by!r}; {nearest(by, names)}")
    return found
