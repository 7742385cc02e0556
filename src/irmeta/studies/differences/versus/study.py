"""Is this system better than others, by how much, and on which topics: one system against those asked for."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, get_args

import numpy as np
import xarray as xr

from irmeta.choices import ManyToOne, MissingOfPairs, PairedTest
from irmeta.errors import ScoresError, require_choice
from irmeta.parallel import again, seeded
from irmeta.scores.attributes import LEFT_OUT, about
from irmeta.scores.averages.limits import supposed_range, widest
from irmeta.scores.figures import leading_metrics, p_in_sentence
from irmeta.scores.groups.clusters import (
    NEED_ALL,
    SIZE,
    contributions,
    in_clusters,
    right_or_wrong,
    whole_clusters,
)
from irmeta.scores.groups.teams import stem
from irmeta.scores.names import known_as
from irmeta.scores.notes import Act, OnPairs
from irmeta.scores.result import UNEVEN, no_result_notes, result
from irmeta.scores.selection import complete, matching, notes_on_pairs, prepare, select
from irmeta.stats.arrays import Floats, settled
from irmeta.stats.tests.compared import Given as Compared
from irmeta.stats.tests.compared import Pairs
from irmeta.stats.tests.comparing import Way, compare
from irmeta.studies.differences.notes import (
    OF_CLUSTERS,
    constant_difference_notes,
    equivalence_notes,
    notes_on_intervals,
    notes_on_tests,
    only_tests,
)
from irmeta.studies.differences.versus.family import PAIR, Family, baseline_names
from irmeta.studies.differences.versus.gate import Policy, judge_losses
from irmeta.studies.differences.versus.nightly import (
    Asked,
    Parts,
    means_on,
    require_named,
    require_room,
)
from irmeta.studies.differences.versus.pairs import ALL
from irmeta.studies.differences.without import CHANGE, WITHOUT, Flagged, leave_out
from irmeta.studies.door import Cube, Cubes, Given, Names, NumbersByName, study
from irmeta.words import counted, joined, listed

LEFT = ("difference", "low", "high", "p_corrected", "significant", "who")
"""What is told of comparisons without flagged topics."""
FEW = 3
"""How many verdicts, or metrics, a note names."""
FEW_METRICS = 4
"""Up to this many metrics each have sentences of their own; of more only the leading one has."""
NIGHTS = Given("FILE", "irmeta.io.formats.scores.load_all")
ANCHORS = Given("FILE", "irmeta.io.lists.read_anchors")


@study
def versus(
    scores: Cube,
    system: str,
    against: str | Iterable[str] = ALL,
    *,
    metrics: str | Iterable[str] | None = None,
    test: PairedTest = "max-t",
    correct: ManyToOne | None = None,
    alpha: float = 0.05,
    margin: float | None = None,
    fail_if_worse: float | None = None,
    unless_safe: bool = False,
    history: str | Path | None = None,
    over: Annotated[Cubes | None, NIGHTS] = None,
    anchors: Annotated[NumbersByName | None, ANCHORS] = None,
    without: Annotated[Names | None, WITHOUT] = None,
    resamples: int | None = None,
    missing: MissingOfPairs = "error",
    rng: int | np.random.Generator = 0,
) -> xr.Dataset:
    """Compare one system with others: mean difference, interval, wins, ties and losses, p, and the topics behind it.

    scores : a cube of at least 2 systems and 2 topics
    system : the system in question
    against : systems, or patterns as bm25*, "all" (every other system), "median" (on each topic the median of the
        other systems) or "best" (the other system with the best mean by that metric); a system that is called so is
        meant first
    metrics : one or several; all by default
    test : the paired test: max-t (`irmeta.stats.tests.stepdown`: the largest t of these comparisons, step by step,
        which corrects by itself), t, wilcoxon, sign, permutation or bootstrap (studentised), each two-sided and paired
        by topic
    correct : how other tests than max-t are corrected: holm, the default, bonferroni (any false rejection), dunnett
        (the same, by the joint distribution of the comparisons), bh (share of false rejections) or none; by metric,
        over the comparisons asked for and no others; max-t may have none, for each comparison by itself
    alpha : level of the tests, in (0, 1); intervals have the level 1 - alpha, each by itself
    margin : a difference in mean, above 0, that is too small to matter; adds the test that two systems differ by less
    fail_if_worse : a loss in mean, as 0.02, above which it is too bad: 0 or more, in the unit of the scores. Whether
        such a loss is shown, excluded or neither, is said one-sided at level alpha
    unless_safe : fail also where such a loss is not excluded
    history : a file of nights that share the level, with this one
    over : the scores of earlier nights instead: each system before this one is a night, in order, or each collection;
        with the baselines
    anchors : topics whose answers stay, as people score them: how far today's judge moved on them is taken off the
        loss, and the cause of a drop is named
    without : flagged topics, one on each line, or a list: adds which verdicts survive when they go, as contaminated or
        trivial ones, and how the differences change
    missing : what to do with missing scores of the systems compared, as in `selection.complete`; "pairwise" compares
        with each system on the topics on which both have scores
    resamples : at least 100; of one comparison by max-t the same for every seed; by default 10 000
    rng : a seed or a generator, of all that is random

    Returns over (against, metric) difference (system less other), low, high (cut to the differences that the metric can
    have, NaN where the difference is the same on every topic and scores are not all 0 or 1), wins, ties, losses
    (topics), p, p_corrected, effect_size and significant, and with a margin p_equivalent, of two one-sided t tests with
    Holm's correction, and equivalent;
    with fail_if_worse verdict (worse, safe, open), loss_shown, loss_possible, visible and topics_needed
    (`irmeta.stats.tests.nights`), supposed, the range of scores by a metric unknown to irmeta, and failed, of all; with
    anchors cause (system, judge, both or none), the fall of their scores with fell_least and fell_most
    (`irmeta.stats.tests.apart`), and the means judge_then, judge_now and people; over (topic, metric) score, median and
    best (of the other systems), systems_above; over (against, topic, metric) opponent, whose scores they are compared
    with, and by_topic, the differences, and decides, the fewest topics without which the difference is no longer on its
    side of 0; fewest, over (against, metric), is their number, NaN where no topics do it. Raises ScoresError for an
    unknown system.
    Sources: Smucker et al. (CIKM 2007); Sakai (SIGIR 2006); Westfall and Young (1993); Holm (1979); Schuirmann (1987).

    >>> from irmeta.scores.cube import cube
    >>> topics = [[[0.1], [0.2], [0.3], [0.2]], [[0.4], [0.6], [0.5], [0.5]]]
    >>> found = versus(cube(topics, ["mine", "bm25"], ["1", "2", "3", "4"], ["AP"]), "mine", "bm25", test="t")
    >>> found["losses"].item(), round(found["difference"].item(), 3)
    (4, -0.3)
    """
    require_choice("test", test, get_args(PairedTest))
    require_choice("correct", correct or "holm", get_args(ManyToOne))
    way = Way.of(test, correct, alpha, margin, resamples)
    against = against if isinstance(against, str) else list(against)
    policy = Policy.of(fail_if_worse, unless_safe, history, over, anchors)
    generator, _ = seeded(rng)
    parts = Parts.of(scores, anchors)
    way_of_holes = missing
    clustered = in_clusters(parts.topics)
    by_pair = missing == "error" or (missing == "pairwise" and clustered)
    if by_pair and _all_are_named(parts.topics, system, against, metrics):
        # only others may lack scores
        way_of_holes = "systems" if clustered else "pairwise"
    scores, notes = prepare(
        parts.topics, metrics=metrics, missing=way_of_holes, pairs=True
    )
    notes += parts.absent(anchors or {})
    _require_topics(scores.sizes["topic"], parts)
    _require_kept(system, parts.topics, scores, missing)
    family = Family.of(scores, system, against)
    family, left_out = _comparable(family, baseline_names(against, family.others))
    if way_of_holes == "pairwise":
        notes = _notes_on_compared(notes, family)
    notes += left_out
    notes += family.tie_notes()
    notes += no_result_notes(scores, [family.system, *family.names])
    _require_common(family.found, family.names, way.correct)
    figures = _figures(family, way, generator)
    data: dict[str, Any] = {name: (PAIR, values) for name, values in figures.items()}
    data |= family.by_topic()
    if clustered and way_of_holes != missing and scores.attrs.get(LEFT_OUT):
        every, _ = prepare(
            parts.topics, metrics=metrics, missing="pairwise", pairs=True, by_topic=True
        )
        data |= family.beside_others(whole_clusters(every))
        notes.append(
            "On each cluster all systems that have its scores count for the best other and the systems above."
        )
    if policy is not None:
        asked = Asked(family.names, family.metrics, way_of_holes, policy.margin)
        verdicts, said = _gate_figures(
            family, asked, parts, policy, over, anchors, alpha
        )
        data |= verdicts
        notes += said
    flagged = None
    if without is not None:
        whole, _ = prepare(
            parts.topics,
            metrics=metrics,
            missing=way_of_holes,
            pairs=True,
            by_topic=True,
        )
        flagged = leave_out(whole, without)
        notes += [*flagged.notes, *_notes_on_rest(flagged, family, way)]
    notes += _correction_notes(family, way, figures, generator)
    notes += _all_pairs_notes(family, way, figures, generator)
    outcome = result(
        "versus",
        data,
        inputs={scores.attrs.get("collection", "collection"): scores},
        options={
            "system": family.system,
            "against": against,
            "correct": way.correct,
            "history": None if history is None else str(history),
            **({} if flagged is None else {"without": flagged.topics}),
            "resamples": way.drawn(len(family.names)),
        },
        notes=[
            *_judged_notes(family, figures["difference"]),
            *notes,
            *_notes(family, way, figures),
        ],
    )
    outcome["significant"] = outcome["p_corrected"] < alpha
    if margin is not None:
        outcome["equivalent"] = outcome["p_equivalent"] < alpha
    outcome = outcome.assign_coords(against=family.names)
    if flagged is None:
        return outcome
    try:
        rest = versus(
            flagged.rest,
            family.system,
            family.names,
            test=test,
            correct=correct,
            alpha=alpha,
            resamples=resamples,
            missing=missing,
            rng=rng,
        )
    except ScoresError as error:
        raise ScoresError(f"without the flagged topics {error}") from error
    by_topic = np.moveaxis(family.found, 1, 2)
    outcome = flagged.beside(outcome, rest.data, LEFT, by_topic, 1 - alpha)
    # another best system is no change of this one
    same = outcome["without_who"] == outcome["who"]
    return outcome.assign({name: outcome[name].where(same) for name in CHANGE})


def _require_kept(
    system: str, every: xr.DataArray, kept: xr.DataArray, missing: MissingOfPairs
) -> None:
    """Raise ScoresError if the system goes with the scores that are missing, so that nothing is left to compare.

    every, kept : the scores before and after some were left out.
    """
    name = known_as(system, every.system.values)
    if name is not None and name not in kept.system.values:
        way = "compare each pair on the scores that both have (--missing pairwise)"
        if in_clusters(every):
            way = (
                "of topics in clusters compare systems on those that all have (--missing topics "
                "and --systems)"
            )
        raise ScoresError(
            f"{name} lacks scores and is left out (--missing {missing}); {way}"
        )


def _all_are_named(
    scores: xr.DataArray,
    system: str,
    against: str | Iterable[str],
    metrics: str | Iterable[str] | None,
) -> bool:
    """Return whether all who are compared are named; raises ScoresError where they lack scores."""
    family = Family.of(scores, system, against)
    if not set(family.names) <= set(family.others):
        return False
    compared = select(scores, systems=[family.system, *family.names], metrics=metrics)
    clustered = in_clusters(scores)
    some = compared.sizes["system"] < scores.sizes["system"]
    if clustered and some and compared.isnull().any():
        names = ",".join(compared.system.values)
        raise ScoresError(
            f"{NEED_ALL}; compare these on the topics that all have: --missing topics and --systems '{names}'"
        )
    complete(compared, pairs=not clustered)
    return True


def _require_topics(count: int, parts: Parts) -> None:
    """Raise ScoresError where topics beside the anchors are too few for a paired test."""
    if count >= 2:
        return
    if parts.anchors is not None:
        raise ScoresError(
            f"{parts.anchors.sizes['topic']} topics are anchors, which leaves {count} to compare; a paired test needs "
            "at least 2"
        )
    raise ScoresError(
        "a paired test needs at least 2 topics (a table of means has one); score runs by topic: irmeta evaluate"
    )


def _comparable(family: Family, asked: Sequence[str]) -> tuple[Family, list[str]]:
    """Leave out those of all systems that share too few topics with this one, unless nobody is left; and say so."""
    lacking = _with_too_few_topics(family.found, family.names)
    lacking = [name for name in lacking if name not in asked]
    if ALL not in asked or not lacking or len(lacking) == len(family.names):
        return family, []
    names = [name for name in family.names if name not in lacking]
    few = counted(len(lacking), "system")
    some = " by some metric" if len(family.metrics) > 1 else ""
    note = (
        f"left out: {few} sharing fewer than 2 topics with {family.system}{some}: "
        f"{listed(lacking)}"
    )
    return replace(family, names=names), [note]


def _notes_on_compared(notes: Sequence[str], family: Family) -> list[str]:
    """Count the missing scores of those who are compared alone, where all are named."""
    if not set(family.names) <= set(family.others):
        return list(notes)
    compared = family.scores.sel(system=[family.system, *family.names])
    others = [note for note in notes if not isinstance(note, OnPairs)]
    return [*notes_on_pairs(compared), *others]


def _with_too_few_topics(differences: Floats, names: Sequence[str]) -> list[str]:
    """List those whose differences (against, topic, metric) are of fewer than two topics by some metric."""
    few = np.isfinite(differences).sum(axis=1).min(axis=1) < 2  # (against,)
    return [name for name, lacks in zip(names, few, strict=True) if lacks]


def _require_common(differences: Floats, names: Sequence[str], correct: str) -> None:
    """Raise ScoresError where differences (against, topic, metric) are too few to test, or cannot be tested jointly."""
    lacking = _with_too_few_topics(differences, names)
    if len(lacking) == len(names) > 1:
        raise ScoresError(
            f"fewer than 2 topics are shared with any of {counted(len(names), 'system')}; compare another system"
        )
    if lacking:
        raise ScoresError(
            f"fewer than 2 topics are shared with {listed(lacking)}; compare with other systems "
            "(--against)"
        )
    if correct == "dunnett" and np.isnan(differences).any():
        raise ScoresError(
            "Dunnett's test needs the same topics in all comparisons; use --correct holm"
        )


def _figures(family: Family, way: Way, rng: np.random.Generator) -> dict[str, Floats]:
    """Test all differences by each metric: the figures of `compare`, each (against, metric)."""
    columns = np.moveaxis(family.found, 2, 0)  # (metric, against, topic)
    tested = [
        _test_one_metric(column, way, again(rng), binary=bool(binary))
        for column, binary in zip(columns, right_or_wrong(family.scores), strict=True)
    ]
    if way.test in OF_CLUSTERS and SIZE in family.line.coords:
        of_clusters = OF_CLUSTERS[way.test]
        by_itself = [
            _test_one_metric(of_clusters(column, family.line), way, again(rng))
            for column in columns
        ]
        tested = [one | only_tests(p) for one, p in zip(tested, by_itself, strict=True)]
    figures = {
        name: np.stack([one[name] for one in tested], axis=1) for name in tested[0]
    }
    most = widest(family.scores)
    ends = {name: np.clip(figures[name], -most, most) for name in ("low", "high")}
    return figures | ends


def _test_one_metric(
    differences: Floats, way: Way, rng: np.random.Generator, *, binary: bool = False
) -> dict[str, Floats]:
    """Test the differences (against, topic) of one metric, each on the topics where it has one.

    binary : whether scores are 0 or 1 on all topics.
    """
    kinds, kind = np.unique(~np.isnan(differences), axis=0, return_inverse=True)
    parts = []  # comparisons that have the same topics are tested together
    for number, topics in enumerate(kinds):
        rows = np.flatnonzero(kind.ravel() == number)
        parts.append((rows, Compared(differences[rows][:, topics])))
    return compare(Compared(differences), way, rng, parts, binary=binary)


def _gate_figures(
    family: Family,
    asked: Asked,
    parts: Parts,
    policy: Policy,
    over: Mapping[str, xr.DataArray] | None,
    anchors: Mapping[str, float] | None,
    alpha: float,
) -> tuple[dict[str, Any], list[str]]:
    """Return what a loss that is too much adds to a result, judged with the nights before, and notes on it."""
    require_room(family, policy.margin)
    if over is not None or anchors is not None:
        require_named(family.names, family.scores)
    past = [] if over is None else asked.nights(over, family.system, anchors)
    tonight = asked.night(family.scores, family.system, parts)
    shape = (len(family.names), len(family.metrics))
    supposed = supposed_range(parts.topics.sel(metric=family.metrics))
    most = np.minimum(widest(family.scores), supposed)
    verdicts, said = judge_losses(tonight, past, shape, policy, alpha, most)
    dims, needed = verdicts["topics_needed"]
    found = {**verdicts, "topics_needed": (dims, family.worth().needed(needed))}
    found["supposed"] = ("metric", supposed)
    return means_on(parts, asked, family.system, anchors or {}) | found, said


def _notes_on_rest(flagged: Flagged, family: Family, way: Way) -> list[str]:
    """Say what tests hold on the topics that are not flagged, where that is not said of all topics."""
    if flagged.gone is None:
        return []
    scores, names = family.scores.isel(topic=~flagged.gone), family.names
    rest = _test_notes(way, scores, family.found[:, ~flagged.gone], names)
    return flagged.only(rest, _test_notes(way, family.scores, family.found, names))


def _correction_notes(
    family: Family, way: Way, figures: Mapping[str, Floats], rng: np.random.Generator
) -> list[str]:
    """Say which verdicts on some systems would not be, were they corrected for the comparisons with all others."""
    sure = figures["p_corrected"] < way.alpha  # (against, metric)
    claims = [
        (at, by, family.others.index(family.tested.who[at][by]))
        for at, by in np.argwhere(sure)
        if family.tested.who[at][by] in family.others
    ]
    if way.correct == "none" or set(family.others) <= set(family.names) or not claims:
        return []
    claimed = family.scores.isel(metric=sure.any(axis=0))
    every = replace(family, scores=claimed, names=family.others)
    if (np.isfinite(every.found).sum(axis=1) < 2).any():
        return []  # some others have no scores to compare with
    p = np.full((len(family.others), len(family.metrics)), np.nan)
    p[:, sure.any(axis=0)] = _figures(every, way, rng)["p_corrected"]
    alone = len(family.names) == 1
    lost = [
        f"{'' if alone else f'{family.names[at]} by '}{family.metrics[by]} ({p_in_sentence(p[other, by])})"
        for at, by, other in claims
        if p[other, by] >= way.alpha
    ]
    if not lost:
        return []
    return [
        f"Corrected for all {len(family.others)} comparisons of {family.system} (--against all), "
        f"not significant: {listed(lost, FEW)}."
    ]


def _notes(family: Family, way: Way, figures: Mapping[str, Floats]) -> list[str]:
    """Say what intervals and tests hold."""
    scores = family.scores
    notes = _test_notes(way, scores, family.found, family.names)
    notes += notes_on_intervals(way, scores, "comparison")
    notes += _undecided_interval_notes(figures, way, family.metrics)
    notes += constant_difference_notes(figures["effect_size"], figures["low"])
    notes += equivalence_notes(way.margin, scores)
    if family.picks_best:
        notes.append(
            "The best other system was picked by these scores, so it looks better than it is: --against all corrects "
            "for that."
        )
    return [
        *notes,
        *_picked_notes(family, way, figures),
    ]


def _judged_notes(family: Family, differences: Floats) -> list[str]:
    """Say that of a system, or of those that it is compared with, fewer of the first documents are judged.

    differences : (against, metric), the system's mean less those of the others; who has fewer and scores more has
        nothing to gain.
    """
    shares = about(family.scores).get("judged", {})
    others = [shares[name] for name in family.names if name in shares]
    if family.system not in shares or not others:
        return []
    own, other = shares[family.system], float(np.median(others))
    behind = differences < 0 if own < other else differences > 0
    if abs(own - other) < UNEVEN or not behind.any():
        return []
    several = len(family.names) > 1
    whose = "the others (median)" if several else family.names[0]
    less = family.system if own < other else whose
    its = "their" if several and less == whose else "its"
    return [
        Act(
            f"Of the first 10 documents {own:.0%} of {family.system} are judged, {other:.0%} of {whose}. The rest "
            f"counts as not relevant, so {less} may be better than {its} scores: irmeta reuse QRELS RUNS --new RUN "
            "says by how much."
        )
    ]


def _picked_notes(family: Family, way: Way, figures: Mapping[str, Floats]) -> list[str]:
    """Say of a system that is better than baselines what corrects p if it was picked from its variants for its mean."""
    variants = [name for name in family.others if stem(name) == stem(family.system)]
    baselines = [
        name for name in family.names if name in family.others and name not in variants
    ]
    if not (variants and baselines) or set(family.others) <= set(family.names):
        return []
    means = family.line.mean("topic").transpose("system", "metric")
    rivals = means.sel(system=variants).values
    first = settled(means.sel(system=family.system).values - rivals).min(axis=0) > 0
    better = (figures["p_corrected"] < way.alpha) & (figures["difference"] > 0)
    claims = first & better
    claimed = np.array(family.metrics)[claims.any(axis=0)].tolist()
    beaten = np.array(family.names)[claims.any(axis=1)].tolist()
    if not claimed:
        return []
    every = [family.system, *variants]
    pattern = f"{stem(family.system)}*"
    if set(matching(pattern, family.others)) != set(variants):
        pattern = ",".join(every)
    corrects = f"--system '{beaten[0]}' --against '{pattern}'"
    if len(family.names) > 1:
        corrects = "irmeta significance (all pairs)"
    return [
        Act(
            f"{family.system} has the highest mean of {pattern} ({len(every)} systems) by {listed(claimed, FEW)}. "
            f"If it was picked for that, too many differences seem real: {corrects} corrects p for the choice."
        )
    ]


def _all_pairs_notes(
    family: Family, way: Way, figures: Mapping[str, Floats], rng: np.random.Generator
) -> list[str]:
    """Say what tests of all pairs claim of a system compared with all others, where that is not what these tests do.

    Whoever picked the system by these scores picked from all pairs, of which two systems have one.
    """
    scores = family.scores
    if len(family.others) == 1:
        return []
    if not set(family.others) <= set(family.names) or bool(scores.isnull().any()):
        return []
    rows = [family.names.index(name) for name in family.others]
    own = scores.get_index("system").get_loc(family.system)
    pairs = np.array(np.triu_indices(scores.sizes["system"], 1))
    of_pairs = Way.of("max-t", None, way.alpha, None, None, of_pairs=True)
    claims = []
    for metric in leading_metrics(scores, FEW_METRICS):
        at = family.metrics.index(metric)
        values = contributions(family.line.sel(metric=metric).values, scores)
        p = compare(Pairs(values), of_pairs, again(rng))["p_corrected"]
        sure = p[(pairs == own).any(axis=0)] < way.alpha
        claimed = figures["p_corrected"][rows, at] < way.alpha
        if (sure == claimed).all():
            continue
        up = figures["difference"][rows, at] > 0
        by = f" by {metric}" if len(family.metrics) > 1 else ""
        counts = [
            f"{word} than {(sure & side).sum()}"
            for word, side in (("better", up), ("worse", ~up))
            if ((sure | claimed) & side).any()
        ]
        claims.append(f"{' and '.join(counts)} of {len(rows)}{by}")
    if not claims:
        return []
    return [
        Act(
            f"By tests of all pairs (irmeta significance), also if it was picked by its scores, {family.system} is "
            f"{joined(claims)}."
        )
    ]


def _test_notes(
    way: Way, scores: xr.DataArray, differences: Floats, against: Sequence[str]
) -> list[str]:
    """Say what tests of differences (against, topic, metric) correct and ask, and which cannot be significant."""
    differing = (np.nan_to_num(differences) != 0).sum(axis=1).astype(np.float64)
    name_of = list(against).__getitem__
    return notes_on_tests(way, scores, len(against), list(differing.T), name_of)


def _undecided_interval_notes(
    figures: Mapping[str, Floats], way: Way, metrics: Sequence[str]
) -> list[str]:
    """Say where intervals of single comparisons exclude 0 but the test shows no difference."""
    excludes = (figures["low"] > 0) | (figures["high"] < 0)
    apart = excludes & (figures["p_corrected"] >= way.alpha)
    count = int(apart.sum())
    if not count:
        return []
    exclude = f"{count} {'excludes' if count == 1 else 'exclude'} 0"
    if len(metrics) > 1:
        by = [metrics[at] for at in np.flatnonzero(apart.any(axis=0)).tolist()]
        exclude += f" by {listed(by, FEW)}"
    if way.correct == "none" or len(excludes) == 1:
        return [
            f"Of the intervals without a verdict, {exclude}: the test computes p in another way, and decides."
        ]
    return [
        f"Each interval is for its comparison alone. Of those without a verdict, {exclude}; "
        "by the test of all comparisons together that may be chance."
    ]
