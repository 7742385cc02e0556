"""The study of judges: what is computed, under labels."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any

import numpy as np
import xarray as xr

from irmeta.choices import Correction, JudgedTopics, Missing
from irmeta.errors import ScoresError, require_share
from irmeta.evaluation.sets import JudgmentSets
from irmeta.evaluation.sources import RunsLike
from irmeta.io.runs.trec import Reading
from irmeta.measured.coverage import held
from irmeta.parallel import again, seeded
from irmeta.scores.attributes import about
from irmeta.scores.averages.means import additive
from irmeta.scores.groups.clusters import promise_names, unit_noun, with_clusters
from irmeta.scores.groups.teams import (
    EACH,
    Grouping,
    Teams,
    families_of,
    source_of_groups,
    teams_of,
)
from irmeta.scores.notes import Method
from irmeta.scores.result import result
from irmeta.scores.selection import require_variation
from irmeta.stats.arrays import Bools, Floats, Ints, settled
from irmeta.stats.halves.phi import phi_interval
from irmeta.stats.judging import rankings, tops
from irmeta.stats.judging.decisions import (
    Decision,
    decisions,
    decisions_on_as_many_topics,
)
from irmeta.stats.judging.favour import Favour, favour, unpaired
from irmeta.stats.judging.topics import topic_taus
from irmeta.stats.rankings.topheavy import rbo, tau_ap_b
from irmeta.stats.reliability.expected import expected, pairs
from irmeta.stats.tests import multiplicity
from irmeta.studies.door import NamesByName, study
from irmeta.studies.judges.compare.agreement import Variables, agreement
from irmeta.studies.judges.compare.aligned import Aligned, aligned, named_truth
from irmeta.studies.judges.compare.baselines import beside_baselines
from irmeta.studies.judges.compare.given import JUDGES, REL, RUNS, Judges, judged
from irmeta.studies.judges.compare.labels import (
    Relevant,
    label_clustering_notes,
    label_variables,
    units_of,
)
from irmeta.studies.judges.compare.passes import mean_passes, of_labels, passes_by_judge
from irmeta.studies.judges.sampled import CLUSTERS
from irmeta.words import counted

TAUS = ("tau, good judge", "tau, bad judge")
DIFFERENCES = (
    "difference of tau, good and bad judge",
    "difference of tau, two good judges",
)
SOFT = ("soft pairwise accuracy",)
"""What is measured of intervals of tau, of differences between two judges' tau, and of soft pairwise accuracy."""


@study
def compare_judges(
    judges: Annotated[Judges, JUDGES],
    *,
    runs: Annotated[RunsLike | None, RUNS] = None,
    truth: str | None = None,
    judgments: JudgmentSets | None = None,
    metrics: str | Iterable[str] | None = None,
    teams: Grouping = None,
    families: Grouping = None,
    clusters: Annotated[NamesByName | str | None, CLUSTERS] = None,
    passes: Grouping = None,
    topics: JudgedTopics = "shared",
    best: int = 10,
    rel: Annotated[Relevant, REL] = None,
    alpha: float = 0.05,
    correct: Correction = "none",
    partitions: int = 1000,
    missing: Missing = "error",
    reading: Reading | None = None,
    rng: int | np.random.Generator = 0,
) -> xr.Dataset:
    """Find out whether other judgments rank systems as the true ones, what they miss and invent, and whom they favour.

    With -o judges.parquet the scores under every judge are written there, and the result to the terminal.

    judges : judgment sets (qrels), the truth first; or scores, one collection for each judge; files, a folder of them,
        or what `irmeta.evaluate` takes or returns, by name
    runs : the runs to score by judgments: a folder, a glob or a file; can be repeated. Without them only labels are
        compared, and nothing stands beside judges that needs no judgment
    truth : the judge to compare with, by default the first
    judgments : the labels, if they are to be compared beside scores
    metrics : metrics, as in 'nDCG@10 AP(rel=2)'; of scores by default those that all judges have
    teams : the teams of the systems, which intervals of tau and phi take as independent: a table, "stem" of their names
        or "each" by itself; by default stems where many names share one
    families : families of the systems, whom a judge may favour, as a table or "stem", such as those that use one
        language model; they change no interval of tau; by default the teams, where they are named
    clusters : clusters of the topics, which figures over topics are then over: a table with columns topic
        and cluster; or "stem", if a name begins with its cluster, as 31_1 and 31_2 or 31a and 31b do; by default as
        the scores have them
    passes : which sets are passes of one judge; a table, or "stem" of their names (llama_1 and llama_2 are of llama):
        how much of its disagreement with the truth is with itself
    topics : the topics that means are taken over: those that a judge, or two that are compared, and the truth share;
        or each judge's own, where none are shared; pairs of systems are then tested on as many topics of each
    best : also compute tau among this many best systems by the truth
    rel : the lowest grade that counts as relevant: one for all labels, as in 2; or one for each set, for its labels and
        metrics, as in 'nist=2 llm=1'; by default any above 0
    alpha : level of the tests of pairs of systems, paired t tests
    correct : correction of these tests for the number of pairs
    partitions : random halves of the topics that phi is the mean of
    missing : see `selection.complete`
    reading : what to accept in files beyond their format, as in `irmeta.evaluate`
    rng : a seed or a generator

    Returns over (judge, metric) tau, tau_low, tau_high (95%, over systems and topics), soft (soft pairwise accuracy,
    the mean over pairs of systems of 1 - |p by the truth - p by the judge|) with interval, tau_ap, tau_gap, tau_best,
    rbo, phi, phi_truth, phi_gain (phi less phi_truth) with interval, and moved (ranks); over (metric) ceiling, the
    tau that the truth itself is expected to have with the true ranking; over (judge, judge_2, metric) difference of
    tau and soft_difference, with interval, p and p_corrected (Holm); over (judge, metric, decision) pairs of systems;
    where runs are given, over (baseline, metric) tau and soft of rankings without any judgment, and over (judge,
    baseline, metric) how much higher the judge's soft accuracy is; over (judge, metric, topic) topic_tau and
    topic_rest; over (judge, metric, system) and (judge, metric, group) favour
    with interval and p_corrected (Benjamini-Hochberg); over (judge, figure) agreement of labels. A judge that ties all
    systems by a metric has NaN there, and a note names it. Method and sources: docs/tasks/judges.md.

    >>> from irmeta.scores.cube import cube
    >>> draw = np.random.default_rng(0)
    >>> made = {name: cube(draw.random((5, 8, 1)), list("abcde"), list("12345678"), ["AP"]) for name in ("nist", "llm")}
    >>> compare_judges(made, truth="nist")["tau"].shape
    (1, 1)
    """
    _check(alpha, best, partitions)
    cubes, sets = judged(judges, runs, metrics, rel, reading)
    if cubes is not None and clusters is not None:
        cubes = {name: with_clusters(one, clusters) for name, one in cubes.items()}
    if sets is not None:
        judgments = sets
        metrics = None  # by which the runs were scored
    generator, _ = seeded(rng)
    data: dict[str, Any] = {}
    notes: list[str] = []
    inputs: Mapping[str, xr.DataArray] = {}
    of_teams: dict[str, Any] = {}
    if cubes is not None:
        together = aligned(cubes, truth, metrics, topics, missing)
        truth = together.truth
        first = together.first
        # each metric has the same draws, whichever others there are
        rngs = [again(generator) for _ in first.metric]
        team = teams_of(first["system"].values, teams, first.values)
        favoured = "team" if families is None else "family"
        families = families or teams
        of_teams = team.options | {
            "families": source_of_groups(families),
            "favoured": favoured,
        }
        inputs = together.cubes
        names = together.judges
        data, notes = _score_figures(
            together,
            team,
            families,
            favoured,
            best,
            alpha,
            correct,
            partitions,
            rngs,
        )
        if runs is not None and together.shared:
            data |= beside_baselines(
                together, cubes, runs, topics, missing, team.of, rngs, reading
            )
        if passes is not None:
            data |= _own_shares(together, _all_passes(together.cubes, truth, passes))
    if judgments is not None:
        truth = named_truth(list(judgments.sets), truth)
        unit, of_clusters = units_of(judgments, clusters)
        labels, said = label_variables(judgments, truth, rel, unit)
        data = {**data, **labels}
        notes = [*notes, *of_clusters, *said]
        if cubes is None:
            names = [name for name in judgments.sets if name != truth]
        if cubes is None and clusters is None:
            notes += label_clustering_notes(judgments, truth, rel)
        if passes is not None:
            data |= of_labels(
                judgments, truth, _all_passes(judgments.sets, truth, passes), rel, unit
            )
    options = {
        "truth": truth,
        "rel": dict(rel) if isinstance(rel, Mapping) else rel,
        **of_teams,
    }
    return result(
        "judges", {**data, "judge": names}, inputs=inputs, options=options, notes=notes
    )


def _all_passes(
    names: Iterable[str], truth: str, passes: Grouping
) -> dict[str, list[str]]:
    """Return the passes of each judge that has several; the truth is none."""
    return passes_by_judge([name for name in names if name != truth], passes)


def _check(alpha: float, best: int, partitions: int) -> None:
    """Refuse an alpha beyond 0 to 1, a ranking of fewer than 2 systems, and less than one partition."""
    require_share("alpha", alpha, 0.05)
    if best < 2:
        raise ScoresError(f"best={best}: a ranking needs at least 2 systems")
    if partitions < 1:
        raise ScoresError(
            f"{partitions} partitions are too few; phi needs at least 1, as in 1000"
        )


def _score_figures(
    together: Aligned,
    team: Teams,
    families: Grouping,
    favoured: str,
    best: int,
    alpha: float,
    correct: Correction,
    partitions: int,
    rngs: Sequence[np.random.Generator],
) -> tuple[dict[str, Any], list[str]]:
    """Return the variables of the result that scores give, over (metric, ...), and notes on them.

    rngs : one for each metric.
    """
    metrics = together.first.metric.values
    require_variation(
        together.whole.values.mean(axis=1).T, metrics, f" by {together.truth}"
    )
    parts, tied = [], []
    family = families_of(together.first.system.values, families)
    for which, rng in enumerate(rngs):
        part = {
            **agreement(together, which, team.of, rng),
            **_beside_truth(together, which, best, alpha, correct, family, rng),
        }
        if together.shared:
            halves = partial(
                _half_figures, partitions=partitions, team=team.of, rng=rng
            )
            part |= _figures_of_each(together, which, halves)
            part |= _topic_figures(together.by_topic(which))
        # a judge that ties all systems ranks nothing, but it has means
        ties_all = np.ptp(part["judge_mean"][1], axis=1) == 0
        tied.append(ties_all)
        kept = _without_tied(part, ties_all)
        parts.append(kept | {name: part[name] for name in ("truth_mean", "judge_mean")})
    data: dict[str, Any] = {
        name: (("metric", *dims), np.stack([part[name][1] for part in parts]))
        for name, (dims, _) in parts[0].items()
    }
    data |= {
        "ceiling": ("metric", _ceilings(together.whole.values)),
        "metric": metrics,
        "system": together.first.system.values,
        "decision": [one.name.lower() for one in Decision],
    }
    if together.shared:
        data |= {"topic": together.first.topic.values, "judge_2": together.judges}
    if family is not None:
        data["group"] = family[0]
    return data, [
        *together.notes,
        *_tie_notes(together, tied),
        *_notes(together, team, alpha, correct),
        *_power_notes(data, favoured),
    ]


def _own_shares(together: Aligned, passes: Mapping[str, list[str]]) -> dict[str, Any]:
    """Return the share of differences from the truth's means that is a judge's own, (repeated, metric)."""
    shares = []
    for which in range(together.first.sizes["metric"]):
        means = np.stack(
            [one.values[..., which].mean(axis=1) for one in together.cubes.values()]
        )
        shares.append(mean_passes(means, list(together.cubes), passes))
    return {
        "own_share_means": (("repeated", "metric"), np.stack(shares, axis=1)),
        "passes": ("repeated", [len(names) for names in passes.values()]),
        "repeated": list(passes),
    }


def _ceilings(scores: Floats) -> list[float]:
    """Return expected tau of the truth with its own true ranking, by each metric: no judge can be trusted for more."""
    columns = [np.ascontiguousarray(column) for column in np.moveaxis(scores, -1, 0)]
    return [expected(pairs(column)).tau for column in columns]


def _without_tied(part: Variables, tied: Bools) -> Variables:
    """Take out what is of a judge that ties all systems, which ranks nothing: NaN. tied : (judge,)."""
    kept = dict(part)
    for name, (dims, values) in part.items():
        if "judge" in dims:
            kept[name] = (dims, np.where(_tied_cells(dims, tied), np.nan, values))
    return kept


def _tied_cells(dims: tuple[str, ...], tied: Bools) -> Bools:
    """Mark the cells of a variable that are of such a judge: along its first dimension, or along both of judges."""
    rest = (1,) * (len(dims) - 1)
    of_first = tied.reshape(-1, *rest)
    if "judge_2" in dims:
        return of_first | tied
    return of_first


def _tie_notes(together: Aligned, tied: Sequence[Bools]) -> list[str]:
    """Name the judges that tie all systems, and by which metric."""
    return [
        f"By {judge} all systems have the same {metric}, so there is no ranking to compare and no "
        f"figure for {judge}. If it never gives a grade that {metric} counts, lower its threshold "
        f"with --rel '{judge}=1'"
        for metric, flags in zip(together.first.metric.values, tied, strict=True)
        for judge, flag in zip(together.judges, flags, strict=True)
        if flag
    ]


def _beside_truth(
    together: Aligned,
    which: int,
    best: int,
    alpha: float,
    correct: Correction,
    family: tuple[list[str], Ints] | None,
    rng: np.random.Generator,
) -> Variables:
    """Return how judges rank the best systems, decide pairs and favour, by one metric, on shared topics or on each's.

    which : the metric, by its place.  family : as of `families_of`.
    """
    corrected = multiplicity.CORRECTIONS[correct]
    if together.shared:

        def beside(scores: Floats) -> Variables:
            counts = decisions(list(scores), alpha, corrected)
            return {
                **_top_figures(settled(scores.mean(axis=2)), best),
                "pairs": (("judge", "decision"), counts),
                **_favour(partial(favour, scores), family, scores.shape[1]),
            }

        return _figures_of_each(together, which, beside)
    own = [additive(one).values[..., which] for one in together.cubes.values()]
    every = [
        np.ascontiguousarray(one.values[..., which]) for one in together.cubes.values()
    ]
    counts = np.stack(
        [
            decisions_on_as_many_topics(every[0], judge, alpha, corrected, rng)
            for judge in every[1:]
        ]
    )
    return {
        **_top_figures(settled(np.stack([one.mean(axis=1) for one in every])), best),
        "pairs": (("judge", "decision"), counts),
        **_favour(partial(unpaired, own), family, len(own[0])),
    }


def _figures_of_each(
    together: Aligned, which: int, figures: Callable[[Floats], Variables]
) -> Variables:
    """Return figures of each judge over the topics that it shares with the truth; judges of the same topics at once."""
    alike = together.alike()
    parts = [figures(together.over(judges, which)) for judges in alike]
    order = np.argsort(
        [together.judges.index(one) for judges in alike for one in judges]
    )
    return {
        name: (dims, np.concatenate([part[name][1] for part in parts])[order])
        for name, (dims, _) in parts[0].items()
    }


def _top_figures(means: Floats, best: int) -> Variables:
    """Return how far judges agree on the best systems, and how they move each: means (set, system), the truth first."""
    truth, judges = means[0], means[1:]
    among_best = tops.tau_among_best(truth, judges, min(best, truth.size))
    return {
        "tau_ap": (("judge",), tau_ap_b(truth, judges)),
        "tau_gap": (("judge",), tops.tau_gap(truth, judges)),
        "tau_best": (("judge",), among_best),
        "rbo": (("judge",), rbo(truth, judges)),
        "moved": (("judge", "system"), tops.moves(truth, judges)),
        "truth_mean": (("judge", "system"), np.tile(truth, (len(judges), 1))),
        "judge_mean": (("judge", "system"), judges),
    }


def _half_figures(
    scores: Floats, partitions: int, team: Ints, rng: np.random.Generator
) -> Variables:
    """Return phi of the truth and of each judge, and what the judge gains with its interval; NaN of few topics."""
    found = np.full(len(scores), np.nan)
    low = high = found[1:]
    if min(scores.shape[1:]) >= rankings.FEWEST:
        found, low, high = phi_interval(scores, rng, partitions, team=team)
    columns = {
        "phi": found[1:],
        "phi_truth": np.full(len(found) - 1, found[0]),
        "phi_gain": found[1:] - found[0],
        "phi_gain_low": low,
        "phi_gain_high": high,
    }
    return {name: (("judge",), values) for name, values in columns.items()}


def _topic_figures(scores: Floats) -> Variables:
    """Return how each judge ranks the systems on each topic: scores (judge, system, topic), the truth first."""
    found = topic_taus(scores)
    return {
        "topic_tau": (("judge", "topic"), found.tau),
        "topic_rest": (("judge", "topic"), found.rest),
        "topic_own": (("topic",), found.own),
    }


def _favour(
    estimate: Callable[[Floats], Favour],
    family: tuple[list[str], Ints] | None,
    systems: int,
) -> Variables:
    """Return how far each judge favours each system, and each family.

    estimate : takes weights of systems, (group, system).  family : names, and by system the number of its own.
    """
    made = _favour_variables(estimate(np.eye(systems)), "system")
    if family is None:
        return made
    names, family_of = family
    inside = np.equal.outer(np.arange(len(names)), family_of).astype(np.float64)
    # the weight of each system in the mean of each family
    members = inside / inside.sum(axis=1, keepdims=True)
    return made | _favour_variables(estimate(members), "group")


def _favour_variables(found: Favour, dim: str) -> Variables:
    """Name favour of systems or groups, `dim`, with its interval and p, corrected for all of one judge."""
    corrected = np.stack([multiplicity.bh(p) for p in found.p])
    columns = {
        "": found.favour,
        "_low": found.low,
        "_high": found.high,
        "_p_corrected": corrected,
    }
    return {
        f"{dim}_favour{suffix}": (("judge", dim), values)
        for suffix, values in columns.items()
    }


def _coverage_note(first: xr.DataArray, team: Teams) -> str:
    """Say how often intervals of tau, and of differences between two judges' tau, held."""
    systems, topics = first.sizes["system"], first.sizes["topic"]
    apart, with_teams = "", ""
    if team.source not in (None, EACH):
        if "clusters" in about(first):
            return "how often intervals hold with clusters and teams left out was not measured"
        apart, with_teams = ", teams left out", " with teams left out"
    of_tau, of_differences, of_soft = (
        held(
            *promise_names(first, *(name + apart for name in names)),
            systems=systems,
            topics=topics,
        )
        for names in (TAUS, DIFFERENCES, SOFT)
    )
    return (
        f"95% intervals of tau{with_teams} held in {of_tau.share}, of soft accuracy in {of_soft.share}, and of "
        f"differences between two judges' tau in {of_differences}"
    )


def _notes(
    together: Aligned, team: Teams, alpha: float, correct: Correction
) -> list[str]:
    """Say what intervals are for and how often they held, how pairs are tested, and what counts as a team."""
    systems = together.first.sizes["system"]
    noun = unit_noun(together.first)
    over = f"{systems} systems"
    if together.shared:
        over += f" on {counted(together.first.sizes['topic'], noun)}"
    if correct == "none":
        corrected = "not corrected for all pairs"
    else:
        corrected = f"corrected for all pairs ({correct})"
    lines: list[str] = [
        Method(
            f"{over}; intervals of tau are for other samples of as many systems and {noun}s"
        ),
        Method(_coverage_note(together.first, team)),
        Method(f"pairs of systems: paired t test at {alpha:g}, {corrected}"),
    ]
    if not together.shared:
        lines.append(
            f"each judge and the truth are tested on as many {noun}s as the one with fewer has: counts of pairs "
            "are means over random parts of the other's"
        )
    return [*lines, team.note()]


def _power_notes(data: Mapping[str, Any], favoured: str) -> list[str]:
    """Say which favour of a family, or team, these topics would show in 80% of such comparisons, by each metric."""
    if "group_favour" not in data:
        return []
    half = (data["group_favour_high"][1] - data["group_favour_low"][1]) / 2
    # an interval reaches 1.96 standard errors; a difference is found in 80% from 2.80 on
    found = settled(2.8 / 1.96 * half)
    lines = []
    for metric, of_metric in zip(data["metric"], found, strict=True):
        known = of_metric[~np.isnan(of_metric)]
        if known.size:
            least, most = (
                f"{end:.3f}".removeprefix("0") for end in (known.min(), known.max())
            )
            size = least if least == most else f"{least} to {most}"
            lines.append(
                f"{metric}: a true favour of {size}, by {favoured}, would be found in 80% of uncorrected tests."
            )
    # the screen has that of the metric that the first sentence is about
    return [*lines[:1], *map(Method, lines[1:])]
