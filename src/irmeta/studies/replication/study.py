"""The study of reproductions: what of an effect is there again, and what moved, the systems or the collection."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
import xarray as xr

from irmeta.choices import Missing
from irmeta.errors import ScoresError, require_share
from irmeta.evaluation.sources import QrelsLike
from irmeta.measured.coverage import held
from irmeta.metrics.names import nearest
from irmeta.scores.clusters import in_clusters
from irmeta.scores.cubes import common_metrics
from irmeta.scores.frames import ALL
from irmeta.scores.means import geometric
from irmeta.scores.notes import Act, Method
from irmeta.scores.result import result
from irmeta.scores.selection import prepare, select
from irmeta.stats import descriptive
from irmeta.stats.arrays import Bools, Floats
from irmeta.stats.rankings.lists import overlap, tau_union
from irmeta.stats.tests import reproduced
from irmeta.stats.tests.reproduced import Found, Two
from irmeta.studies.door import study
from irmeta.studies.replication.given import (
    DEPTH,
    EXPERIMENTS,
    QRELS,
    Experiment,
    Experiments,
    experiments,
    names_of,
)
from irmeta.words import counted

LEAST_SHARED = 2
"""Topics that two experiments must share by name to be compared topic by topic."""
ENDS = ("", "_low", "_high")
RMSE = "RMSE of a reproduction"
"""What is measured of its intervals."""


class Part(NamedTuple):
    """The scores of the systems in question in one experiment, (system, topic, metric): the system, then the baseline.

    scores : with clusters in place of topics, where they come in some.  topics : by topic.  names : of the systems.
    """

    scores: xr.DataArray
    topics: xr.DataArray
    names: Sequence[str]


@study
def replicate(
    scores: Annotated[Experiments, EXPERIMENTS],
    *,
    system: str | None = None,
    against: str | None = None,
    qrels: Annotated[QrelsLike | Sequence[QrelsLike] | None, QRELS] = None,
    original: str | None = None,
    metrics: str | Iterable[str] | None = None,
    topics: str | Iterable[str] | None = None,
    unpaired: bool = False,
    keep: float = 0.5,
    within: float = 0.05,
    persistence: float = 0.95,
    alpha: float = 0.05,
    missing: Missing = "error",
) -> xr.Dataset:
    """Say whether an experiment was reproduced: on the same topics, on another collection, or month after month.

    scores : the experiments, the original first: collections of score files, by name; or with judgments their runs, a
        folder or a file for each experiment
    system : the system in question, by default the only one; where it has other names in other experiments all of
        them, as in ours,theirs
    against : the baseline that it improved on, named in the same way; then the question is whether the lead is there
        again, else whether the system scores the same
    qrels : relevance judgments, to score run files with: one file for all experiments, or one for each in their order;
        with run files the ranked lists are compared, too
    original : the original experiment, by default the first
    metrics : by default those that all experiments have
    topics : those to use, by default all
    unpaired : topics are other ones although they have the same names
    keep : the share of the original lead that must be left, at least
    within : without a baseline, by what share of the original mean another mean may differ
    persistence : p of rank-biased overlap, in (0, 1)
    alpha : intervals have the level 1 - alpha, each by itself
    missing : what to do with missing scores of these systems, as in `selection.complete`

    Returns over (experiment, metric), for each experiment but the original: ratio (of leads, or of means without a
    baseline) with low and high; verdict (reproduced, not reproduced, cannot tell, no effect, where the original shows
    no lead), topics_needed;
    lead and lead_change with low and high, delta_ri with low and high, over those with a baseline. Over (run,
    experiment, metric): mean, change from the original with low and high, p of the t test (paired on the same topics),
    rmse with low and high. Over (run, experiment), of runs: tau_union and rbo with low and high, and by topic. Raises
    ScoresError for fewer than 2 experiments. Sources: Breuer et al. (SIGIR 2020); Fieller (JRSS B 1954).

    >>> from irmeta.scores.cube import cube
    >>> first = [[[0.5], [0.6], [0.8], [0.7]], [[0.4], [0.4], [0.5], [0.5]]]
    >>> again = [[[0.5], [0.5], [0.8], [0.6]], [[0.4], [0.4], [0.5], [0.4]]]
    >>> made = {name: cube(one, ["mine", "bm25"], list("1234"), ["AP"]) for name, one in zip("ab", (first, again))}
    >>> found = replicate(made, system="mine", against="bm25")
    >>> found["ratio"].item().__round__(3), found["verdict"].item()
    (0.875, 'cannot tell')
    """
    _check(keep, within, persistence, alpha)
    wanted = [system] if against is None else [system, against]
    every = experiments(scores, qrels, metrics, wanted)
    every = _original_first(every, original)
    names = common_metrics(
        {one.name: one.scores for one in every}, metrics if qrels is None else None
    )
    if logs := geometric(names):
        raise ScoresError(
            f"{logs[0]} has a geometric mean over topics; leave it out (--metrics)"
        )
    notes: list[str] = []
    parts = []
    for one in every:
        part, said = _part(one, names, topics, wanted, missing)
        parts.append(part)
        notes += [f"{one.name}: {note}" for note in said]
    level = 1 - alpha
    found = [
        _against(parts[0], part, unpaired, keep, within, level) for part in parts[1:]
    ]
    data: dict[str, Any] = {
        name: (dims, np.stack([one[name][1] for one in found], axis=_axis(dims)))
        for name, (dims, _) in found[0].items()
    }
    listed = [part.names for part in parts]
    if all(one.lists for one in every):
        together = data["together"][1]
        data |= _of_lists(every, listed, together, persistence, level)
    elif qrels is None:
        notes.append(
            Method(
                "Scores only: how alike the ranked lists are is left out; run files with --qrels show it."
            )
        )
    outcome = result(
        "replication",
        data,
        inputs={one.name: part.topics for one, part in zip(every, parts, strict=True)},
        options={
            "system": system,
            "against": against,
            "original": every[0].name,
            "unpaired": unpaired,
            "keep": keep,
            "within": within,
            "persistence": persistence,
            "alpha": alpha,
        },
        notes=[*notes, *_notes(data, every, parts)],
    )
    labels = [_label(asked, own) for asked, own in zip(wanted, listed[0], strict=True)]
    return outcome.assign_coords(
        experiment=[one.name for one in every[1:]], metric=names, run=labels
    )


def _check(keep: float, within: float, persistence: float, alpha: float) -> None:
    require_share("--keep", keep, 0.5)
    require_share("--within", within, 0.05)
    require_share("--persistence", persistence, 0.95)
    require_share("--alpha", alpha, 0.05)


def _label(asked: str | None, known: str) -> str:
    return known if asked is None else names_of(asked)[0]


def _axis(dims: Sequence[str]) -> int:
    return dims.index("experiment")


def _original_first(every: list[Experiment], original: str | None) -> list[Experiment]:
    """Put the original before the others, which must be there."""
    if len(every) < 2:
        raise ScoresError(
            "only one experiment; give the original and at least one more: a second collection of "
            "scores, or a second folder of runs"
        )
    names = [one.name for one in every]
    if original is None:
        return every
    if original not in names:
        raise ScoresError(
            f"no experiment {original!r} among {', '.join(names)}; {nearest(original, names)}"
        )
    first = names.index(original)
    return [every[first], *every[:first], *every[first + 1 :]]


def _part(
    one: Experiment,
    metrics: Sequence[str],
    topics: str | Iterable[str] | None,
    wanted: Sequence[str | None],
    missing: Missing,
) -> tuple[Part, list[str]]:
    """Return the scores of the systems in question, complete."""
    names = [one.system(asked) for asked in wanted]
    if len(set(names)) < len(names):
        raise ScoresError(f"{one.name}: {names[0]} cannot be its own baseline")
    used = select(one.scores, systems=names, topics=topics)
    by_topic, _ = prepare(used, metrics=metrics, missing=missing, by_topic=True)
    units, notes = prepare(used, metrics=metrics, missing=missing)
    return Part(units, by_topic, names), notes


def _arrays(
    first: xr.DataArray, again: xr.DataArray, unpaired: bool
) -> tuple[Floats, Floats, bool]:
    """Return both experiments' scores (system, topic, metric), and whether they are of the same topics."""
    theirs = {str(topic) for topic in again.topic.values}
    shared = [str(topic) for topic in first.topic.values if str(topic) in theirs]
    together = not unpaired and len(shared) >= LEAST_SHARED
    if together:
        first, again = first.sel(topic=shared), again.sel(topic=shared)
    order = ("system", "topic", "metric")
    return first.transpose(*order).values, again.transpose(*order).values, together


def _against(
    first: Part, again: Part, unpaired: bool, keep: float, within: float, level: float
) -> dict[str, tuple[tuple[str, ...], Any]]:
    """Compare an experiment with the original: figures over (metric,) or (run, metric), by the dims that they get."""
    one, two, together = _arrays(first.scores, again.scores, unpaired)
    by_topic = _arrays(first.topics, again.topics, unpaired)[:2]
    clustered = in_clusters(first.topics)
    rows = []
    for at in range(one.shape[2]):
        runs = [
            Two(*pair, together)
            for pair in zip(one[..., at], two[..., at], strict=True)
        ]
        plain = [
            Two(*pair, together)
            for pair in zip(by_topic[0][..., at], by_topic[1][..., at], strict=True)
        ]
        effect = runs[0]
        if len(runs) > 1:
            own, base = runs
            effect = Two(own.first - base.first, own.again - base.again, together)
        row = _of_effect(effect, runs, keep, within, level)
        row |= _of_runs(runs, [] if clustered else plain, level)
        rows.append(row)
    whole = {name: np.stack([row[name] for row in rows], axis=-1) for name in rows[0]}
    whole["topics"] = np.array(min(one.shape[1], two.shape[1]))
    whole["together"] = np.array(together)
    of_run = {"mean", "p", *_ends("first"), *_ends("change"), *_ends("rmse")}
    return {name: (_dims(name, of_run), value) for name, value in whole.items()}


def _dims(name: str, of_run: set[str]) -> tuple[str, ...]:
    if name in ("topics", "together"):
        return ("experiment",)
    return (
        ("run", "experiment", "metric") if name in of_run else ("experiment", "metric")
    )


def _ends(name: str) -> list[str]:
    return [f"{name}{end}" for end in ENDS]


def _named(name: str, found: Found) -> dict[str, Any]:
    return dict(zip(_ends(name), found, strict=True))


def _of_effect(
    effect: Two, runs: Sequence[Two], keep: float, within: float, level: float
) -> dict[str, Any]:
    """Return what of the effect is there again, the lead over the baseline or, without one, the mean itself."""
    ratio = reproduced.ratio(effect, level)
    led = len(runs) > 1
    span = (keep, np.inf) if led else (1 - within, 1 + within)
    verdict = _verdict(ratio, *span)
    original = _mean(effect.first, level)
    if led and (ratio is reproduced.NOTHING or original.low <= 0 <= original.high):
        verdict = "no effect"
    smallest = keep if led else 1 - within
    figures: dict[str, Any] = {
        **_named("ratio", ratio),
        "verdict": verdict,
        "topics_needed": reproduced.topics_needed(effect, smallest, level),
    }
    if led:
        figures |= {
            **_named("original_lead", original),
            **_named("lead", _mean(effect.again, level)),
            **_named("lead_change", reproduced.change(effect, level)),
            **_named("delta_ri", reproduced.relative(runs[0], runs[1], level)),
        }
    return figures


def _mean(values: Floats, level: float) -> Found:
    """Return the mean with its t interval."""
    mean = float(values.mean())
    if len(values) < 2 or np.ptp(values) <= reproduced.ROUNDING:
        return Found(mean, np.nan, np.nan)
    low, high = descriptive.t_interval(values, level)
    return Found(mean, float(low), float(high))


def _verdict(ratio: Found, least: float, most: float) -> str:
    """Say whether a ratio is shown to lie between two limits, not to, or neither."""
    if np.isnan(ratio.low):
        return "cannot tell"
    if ratio.high < least or ratio.low > most:
        return "not reproduced"
    if ratio.low >= least and ratio.high <= most:
        return "reproduced"
    return "cannot tell"


def _of_runs(runs: Sequence[Two], plain: Sequence[Two], level: float) -> dict[str, Any]:
    """Return figures of each run by itself, (run,): means, their change, p, and on the same topics RMSE.

    plain : the scores by topic; nothing where topics come in clusters, which RMSE knows nothing of.
    """
    nothing = [reproduced.NOTHING] * len(runs)
    errors = [reproduced.rmse(one, level) for one in plain if one.together] or nothing
    first = [_mean(one.first, level) for one in runs]
    changes = [reproduced.change(one, level) for one in runs]
    figures = {"mean": np.array([one.again.mean() for one in runs])}
    for name, found in (("first", first), ("change", changes), ("rmse", errors)):
        figures |= dict(zip(_ends(name), np.array(found).T, strict=True))
    return figures | {"p": np.array([reproduced.p_value(one) for one in runs])}


def _of_lists(
    every: Sequence[Experiment],
    names: Sequence[Sequence[str]],
    together: Bools,
    persistence: float,
    level: float,
) -> dict[str, Any]:
    """Return how alike the ranked lists of each run are, over topics and by topic; on other topics there is nothing."""
    topics = list(dict.fromkeys(t for lists in every[0].lists.values() for t in lists))
    shape = (len(names[0]), len(every) - 1, len(topics))
    taus, rbos = np.full(shape, np.nan), np.full(shape, np.nan)
    for run, experiment, topic in np.ndindex(shape):
        first = every[0].lists[names[0][run]].get(topics[topic])
        other = every[experiment + 1]
        again = other.lists[names[experiment + 1][run]].get(topics[topic])
        if first and again and together[experiment]:
            at = (run, experiment, topic)
            taus[at] = tau_union(first, again)
            rbos[at] = overlap(first, again, persistence, DEPTH)
    data: dict[str, Any] = {}
    for name, values in (("tau_union", taus), ("rbo", rbos)):
        means = [[_known_mean(own, level) for own in rows] for rows in values]
        ends = np.moveaxis(np.array(means), -1, 0)
        of_run = {
            end: (("run", "experiment"), one)
            for end, one in zip(_ends(name), ends, strict=True)
        }
        data |= of_run | {f"topic_{name}": (("run", "experiment", "topic"), values)}
    return data | {"topic": topics}


def _known_mean(values: Floats, level: float) -> Found:
    """Return the mean over the topics that have a value, within -1 and 1."""
    known = values[~np.isnan(values)]
    if not known.size:
        return reproduced.NOTHING
    value, low, high = _mean(known, level)
    return Found(value, max(low, -1.0), min(high, 1.0))


def _notes(
    data: Mapping[str, Any], every: Sequence[Experiment], parts: Sequence[Part]
) -> list[str]:
    """Say which topics were compared, and where intervals hold less often than promised."""
    notes: list[str] = []
    together = data["together"][1]
    for one, part, same, count in zip(
        every[1:], parts[1:], together, data["topics"][1], strict=True
    ):
        sizes = parts[0].scores.sizes["topic"], part.scores.sizes["topic"]
        if same and count < max(sizes):
            notes.append(
                Act(
                    f"{one.name}: compared on the {counted(int(count), 'topic')} that it shares by name with "
                    f"{every[0].name}, of {sizes[1]} and {sizes[0]}; --unpaired takes all, as other topics"
                )
            )
        if sizes == (1, 1) and part.scores.topic.values[0] == ALL:
            notes.append(f"{one.name}: means only, so there are no intervals")
    smallest = int(data["topics"][1].min())
    if together.any():
        found = held(RMSE, systems=1, topics=smallest)
        if found.broken:
            notes.append(f"95% intervals of RMSE held in {found}")
    return notes
