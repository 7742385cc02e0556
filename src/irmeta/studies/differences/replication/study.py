"""The study of reproductions: what of an effect is there again, and what moved, the systems or the collection."""

from collections.abc import Iterable, Sequence
from typing import Annotated

import xarray as xr

from irmeta.choices import Missing
from irmeta.errors import ScoresError, require_share
from irmeta.evaluation.sources import QrelsLike
from irmeta.io.runs.trec import Reading
from irmeta.metrics.names import nearest
from irmeta.metrics.values import geometric
from irmeta.scores.cubes import common_metrics
from irmeta.scores.groups.clusters import in_clusters, is_binary
from irmeta.scores.notes import Act
from irmeta.scores.result import result
from irmeta.scores.selection import prepare, select
from irmeta.scores.tables.roles import ALL
from irmeta.stats.arrays import Bools, Ints
from irmeta.studies.differences.replication import figures
from irmeta.studies.differences.replication.figures import Part
from irmeta.studies.differences.replication.given import (
    EXPERIMENTS,
    QRELS,
    Experiment,
    Experiments,
    experiments,
    names_of,
)
from irmeta.studies.door import study
from irmeta.words import counted


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
    reading: Reading | None = None,
) -> xr.Dataset:
    """Find out whether an experiment was reproduced: on the same topics, on another collection, or month after month.

    scores : the experiments, the original first: collections of score files, by name; or with judgments their runs, a
        folder or a file for each experiment
    system : the system in question; where it has other names in other experiments all of them, as in ours,theirs; by
        default the only one
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
    reading : what to accept in files beyond their format, as in `irmeta.evaluate`

    Returns over (experiment, metric), for each experiment but the original: ratio (of leads, or of means without a
    baseline) with low and high; verdict (reproduced, not reproduced, cannot tell, no effect, where the original shows
    no lead), topics_needed;
    lead and lead_change with low and high, delta_ri with low and high, over those with a baseline; on other topics
    collection (harder, easier, not shown) and drift (loses, gains, not shown), said for all experiments at once. Over
    (run, experiment, metric): mean, change from the original with low and high, p of the t test (paired on the same
    topics), rmse. Over (run, experiment), of runs: tau_union and rbo with low and high, and by topic.
    Raises ScoresError for fewer than 2 experiments. Sources: Breuer et al. (SIGIR 2020); Fieller (JRSS B 1954).

    >>> from irmeta.scores.cube import cube
    >>> first = [[[0.5], [0.6], [0.8], [0.7]], [[0.4], [0.4], [0.5], [0.5]]]
    >>> again = [[[0.5], [0.5], [0.8], [0.6]], [[0.4], [0.4], [0.5], [0.4]]]
    >>> made = {name: cube(one, ["mine", "bm25"], list("1234"), ["AP"]) for name, one in zip("ab", (first, again))}
    >>> found = replicate(made, system="mine", against="bm25")
    >>> round(found["ratio"].item(), 3), found["verdict"].item()
    (0.875, 'cannot tell')
    """
    require_share("--keep", keep, 0.5)
    require_share("--within", within, 0.05)
    require_share("--persistence", persistence, 0.95)
    require_share("--alpha", alpha, 0.05)
    wanted = [system] if against is None else [system, against]
    every = experiments(scores, qrels, metrics, wanted, reading)
    every = _original_first(every, original)
    names = _common_metrics(every, metrics if qrels is None else None)
    parts = [_part(one, names, topics, wanted, missing) for one in every]
    level = 1 - alpha
    found = [
        figures.against(
            parts[0], part, keep, within, level, len(every) - 1, unpaired=unpaired
        )
        for part in parts[1:]
    ]
    data = xr.concat(found, "experiment")
    together = data["together"].values
    if all(one.lists for one in every):
        names_of_runs = [part.names for part in parts]
        data = data.assign(
            figures.list_figures(every, names_of_runs, together, persistence, level)
        )
    outcome = result(
        "replication",
        data,
        inputs={one.name: part.topics for one, part in zip(every, parts, strict=True)},
        options={"original": every[0].name},
        notes=_notes(together, data["topics"].values, every, parts),
    )
    labels = [
        known if asked is None else names_of(asked)[0]
        for asked, known in zip(wanted, parts[0].names, strict=True)
    ]
    return outcome.assign_coords(
        experiment=[one.name for one in every[1:]], metric=names, run=labels
    )


def _common_metrics(
    every: Sequence[Experiment], metrics: str | Iterable[str] | None
) -> list[str]:
    """Return the metrics that all experiments have, of which none may be geometric: ratios are of means."""
    names = common_metrics({one.name: one.scores for one in every}, metrics)
    if logs := geometric(names):
        raise ScoresError(
            f"{logs[0]} has a geometric mean over topics; leave it out (--metrics)"
        )
    return names


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
) -> Part:
    """Return the scores of the systems in question, complete."""
    names = [one.system(asked) for asked in wanted]
    if len(set(names)) < len(names):
        raise ScoresError(f"{one.name}: {names[0]} cannot be its own baseline")
    try:
        whole = select(one.scores, topics=topics, metrics=metrics)
        used = whole.sel(system=names)
        by_topic, _ = prepare(used, missing=missing, by_topic=True)
        units, notes = prepare(used, missing=missing)
    except ScoresError as error:
        raise ScoresError(f"{one.name}: {error}") from error
    notes = [f"{one.name}: {note}" for note in notes]
    binary = is_binary(whole) & (not in_clusters(whole))
    here = whole.sel(topic=by_topic.topic.values)
    complete = here.notnull().all(("topic", "metric")).values
    everyone, _ = prepare(here.isel(system=complete))
    return Part(units, by_topic, names, notes, binary, everyone)


def _notes(
    together: Bools, topics: Ints, every: Sequence[Experiment], parts: Sequence[Part]
) -> list[str]:
    """Say on which topics each experiment was compared, and which are of means only.

    together, topics : (experiment,), whether these are the original's topics, and how many.
    """
    notes = [note for part in parts for note in part.notes]
    for one, part, same, count in zip(
        every[1:], parts[1:], together, topics, strict=True
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
    return notes
