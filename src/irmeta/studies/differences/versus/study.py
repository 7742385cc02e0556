"""Is this system better than others, by how much, and on which topics: one system against those asked for."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, get_args

import numpy as np
import xarray as xr

from irmeta.choices import ManyToOne, MissingOfPairs, PairedTest
from irmeta.errors import ScoresError, require_choice
from irmeta.metrics.names import nearest
from irmeta.parallel import seeded
from irmeta.scores.clusters import SIZE, added, each, of_each
from irmeta.scores.limits import widest
from irmeta.scores.means import additive, from_additive, means
from irmeta.scores.names import known_as
from irmeta.scores.notes import Method
from irmeta.scores.repeats import unmoved
from irmeta.scores.result import result
from irmeta.scores.selection import prepare, select
from irmeta.scores.teams import stem
from irmeta.stats.arrays import Floats, settled
from irmeta.stats.rankings.first import turning
from irmeta.stats.tests.compared import Given as Compared
from irmeta.stats.tests.comparing import Way, compare
from irmeta.studies.differences.notes import (
    OF_CLUSTERS,
    of_tests,
    on_constant,
    on_equivalence,
    on_intervals,
    on_tests,
)
from irmeta.studies.differences.versus.gate import Policy, gated
from irmeta.studies.differences.versus.nightly import (
    Asked,
    Parts,
    means_on,
    require_named,
)
from irmeta.studies.differences.versus.pairs import ALL, BEST, MEDIAN, differences
from irmeta.studies.differences.without import CHANGE, WITHOUT, leave_out
from irmeta.studies.door import Given, study
from irmeta.words import counted, listed

BY_T = "differences from a baseline at once, Bonferroni's t"
AT_ONCE: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        "": (BY_T,),
        "dunnett": (
            "differences from a baseline at once, Dunnett",
            "those of --correct holm, which are wider,",
            BY_T,
        ),
    }
)
"""What is measured of intervals of all comparisons at once, by joint test, and what holds more often."""
LEFT = ("difference", "low", "high", "p_corrected", "significant", "who")
"""What is told of comparisons without flagged topics."""
NIGHTS = Given("FILE", "irmeta.io.scores.load_all")
ANCHORS = Given("FILE", "irmeta.io.lists.read_anchors")


@study
def versus(
    scores: xr.DataArray,
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
    over: Annotated[Mapping[str, xr.DataArray] | None, NIGHTS] = None,
    anchors: Annotated[Mapping[str, float] | None, ANCHORS] = None,
    without: Annotated[Sequence[str] | None, WITHOUT] = None,
    resamples: int | None = None,
    missing: MissingOfPairs = "error",
    rng: int | np.random.Generator = 0,
) -> xr.Dataset:
    """Compare one system with others: mean difference, interval, wins, ties and losses, p, and the topics behind it.

    scores : a cube of at least 2 systems and 2 topics
    system : the system in question
    against : systems, and any of "all" (every other system), "median" (on each topic the median of the other systems)
        and "best" (the other system with the best mean by that metric); a system that is called so is meant first
    metrics : one or several; all by default
    test : the paired test: max-t (`irmeta.stats.tests.stepdown`: the largest t of these comparisons, step by step,
        which corrects by itself), t, wilcoxon, sign, permutation or bootstrap (studentised), each two-sided and paired
        by topic
    correct : how other tests than max-t are corrected: holm, the default, bonferroni (any false rejection), dunnett
        (the same, by the joint distribution of the comparisons), bh (share of false rejections) or none; by metric,
        over the comparisons asked for and no others
    alpha : level of the tests, in (0, 1); intervals have the level 1 - alpha, each by itself for max-t and where
        `correct` is bh or none, else all comparisons of a metric at once
    margin : a difference in mean, above 0, that is too small to matter; adds the test that two systems differ by less
    fail_if_worse : a loss in mean above which the system is too bad: 0 or more. Whether such a loss is shown, excluded
        or neither, is said one-sided at level alpha
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
    resamples : at least 100; by default 1000 of max-t, 10 000 of permutation, bootstrap and dunnett
    rng : a seed or a generator, of all that is random

    Returns over (against, metric) difference (system less other), low, high (cut to the differences that the metric can
    have, NaN where the difference is the same on every topic), wins, ties, losses (topics), p, p_corrected, effect_size
    and significant, and with a margin p_equivalent, of two one-sided t tests with Holm's correction, and equivalent;
    with fail_if_worse verdict (worse, safe, open), loss_shown, loss_possible, visible and topics_needed
    (`irmeta.stats.tests.nights`), and failed, of all; with anchors cause (system, judge, both or none), the fall of
    their scores with fell_least and fell_most (`irmeta.stats.tests.apart`), and the means judge_then, judge_now and
    people; over (topic, metric) score, median and best (of the other systems), systems_above; over (against, topic,
    metric) opponent, whose scores they are compared with, and by_topic, the differences, and decides, the fewest topics
    without which the difference is no longer on its side of 0; fewest, over (against, metric), is their number, NaN
    where no topics do it. Raises ScoresError for an unknown system.
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
    generator, seed = seeded(rng)
    parts = Parts.of(scores, anchors)
    if missing == "error" and _whole(parts.topics, system, against, metrics):
        missing = "pairwise"  # only others lack scores
    scores, notes = prepare(parts.topics, metrics=metrics, missing=missing, pairs=True)
    notes += parts.absent(anchors or {})
    if scores.sizes["topic"] < 2 and parts.anchors is not None:
        raise ScoresError(
            f"{parts.anchors.sizes['topic']} topics are anchors, which leaves {scores.sizes['topic']} to compare; a "
            "paired test needs at least 2"
        )
    if scores.sizes["topic"] < 2:
        raise ScoresError(
            "a paired test needs at least 2 topics (a table of means has one); score runs by topic: irmeta evaluate"
        )
    system = known_as(system, scores.system.values) or system
    others = _others(scores, system)
    names = _baselines(scores, system, against)
    line = additive(scores)
    found, _, _ = differences(line, system, others, names)
    plain, opponent, who = differences(additive(unmoved(scores)), system, others, names)
    shown, theirs = (_of_each(one, line) for one in (plain, opponent))
    if BEST in names and BEST not in others:
        notes += _tied_notes(line, others)
    _require_common(found, names, way.correct)
    metrics_tested = np.moveaxis(found, 2, 0)  # (metric, against, topic)
    tested = [_tested(one, way, generator) for one in metrics_tested]
    if way.test in OF_CLUSTERS and SIZE in line.coords:
        of = OF_CLUSTERS[way.test]
        by_itself = [_tested(of(one, line), way, generator) for one in metrics_tested]
        tested = [one | of_tests(p) for one, p in zip(tested, by_itself, strict=True)]
    pair = ("against", "metric")
    figures = {
        name: np.stack([one[name] for one in tested], axis=1) for name in tested[0]
    }
    for end in ("low", "high"):
        figures[end] = np.clip(figures[end], -widest(scores), widest(scores))
    data: dict[str, Any] = {name: (pair, values) for name, values in figures.items()}
    data |= {
        "wins": (pair, (shown > 0).sum(axis=1)),
        "ties": (pair, (shown == 0).sum(axis=1)),
        "losses": (pair, (shown < 0).sum(axis=1)),
        "who": (pair, who),
        "by_topic": (("against", "topic", "metric"), shown),
        "opponent": from_additive(
            xr.DataArray(
                theirs,
                dims=("against", "topic", "metric"),
                coords={"topic": line["topic"], "metric": line["metric"]},
            )
        ),
        "mean": means(scores).sel(system=system, drop=True),
    }
    data |= _topics(of_each(unmoved(scores)), system, others)
    data |= _behind_sign(added(np.moveaxis(plain, 1, 2), line))
    if policy is not None:
        used = [str(metric) for metric in scores.metric.values]
        asked = Asked(names, used, missing, policy.margin)
        if over is not None or anchors is not None:
            require_named(names, scores)
        past = [] if over is None else asked.nights(over, system, anchors)
        tonight = asked.night(scores, system, parts)
        shape = (len(names), len(used))
        verdicts, said = gated(tonight, past, shape, policy, alpha, widest(scores))
        data |= means_on(parts, asked, system, anchors or {})
        data |= verdicts
        notes += said
    flagged = None
    if without is not None:
        whole, _ = prepare(
            parts.topics, metrics=metrics, missing=missing, pairs=True, by_topic=True
        )
        flagged = leave_out(whole, without)
        notes += flagged.notes
        if flagged.gone is not None:
            left = scores.isel(topic=~flagged.gone), found[:, ~flagged.gone]
            notes += flagged.only(_on_tests(way, *left), _on_tests(way, scores, found))
    outcome = result(
        "versus",
        data,
        inputs={scores.attrs.get("collection", "collection"): scores},
        options={
            "system": system,
            "against": against,
            "test": test,
            "correct": way.correct,
            "alpha": alpha,
            "margin": margin,
            "fail_if_worse": fail_if_worse,
            "unless_safe": unless_safe,
            "history": None if history is None else str(history),
            "missing": missing,
            **({} if flagged is None else {"without": flagged.topics}),
            "resamples": way.resamples,
            "seed": seed,
        },
        notes=[*notes, *_notes(scores, names, way, found, figures)],
    )
    outcome["significant"] = outcome["p_corrected"] < alpha
    if margin is not None:
        outcome["equivalent"] = outcome["p_equivalent"] < alpha
    outcome = outcome.assign_coords(against=names)
    if flagged is None:
        return outcome
    rest = versus(
        flagged.rest,
        system,
        names,
        test=test,
        correct=correct,
        alpha=alpha,
        resamples=resamples,
        missing=missing,
        rng=rng,
    )
    by_topic = np.moveaxis(found, 1, 2)
    outcome = flagged.beside(outcome, rest.data, LEFT, by_topic, 1 - alpha)
    # another best system is no change of this one
    same = outcome["without_who"] == outcome["who"]
    return outcome.assign({name: outcome[name].where(same) for name in CHANGE})


def _whole(
    scores: xr.DataArray,
    system: str,
    against: str | Iterable[str],
    metrics: str | Iterable[str] | None,
) -> bool:
    """Return whether systems that are named lack no score."""
    system = known_as(system, scores.system.values) or system
    names = _baselines(scores, system, against)
    if not set(names) <= set(_others(scores, system)):
        return False
    compared = select(scores, systems=[system, *names], metrics=metrics)
    return not np.isnan(compared.values).any()


def _others(scores: xr.DataArray, system: str) -> list[str]:
    systems = [str(name) for name in scores.system.values]
    if system not in systems:
        if runs := [name for name in systems if stem(name) == system]:
            raise ScoresError(
                f"no system {system!r}, but {counted(len(runs), 'run')} of it, {listed(runs)}; take runs as one system "
                "each with --repeats stem (irmeta.with_repeats)"
            )
        instead = nearest(system, systems)
        if "qrels" in scores.attrs:
            add = "`irmeta evaluate QRELS RUN -o SCORES --append`"
            instead = f"{instead.removesuffix('?')}, or add its run: {add}"
        raise ScoresError(f"no system {system!r}; {instead}")
    others = [name for name in systems if name != system]
    if not others:
        raise ScoresError(
            f"{system} is the only system; there is nothing to compare it with"
        )
    return others


def _baselines(
    scores: xr.DataArray, system: str, against: str | Iterable[str]
) -> list[str]:
    """List whom to compare with, each once, in the order asked for."""
    others = _others(scores, system)
    if isinstance(against, str):
        asked = [name.strip() for name in against.split(",")]
    else:
        asked = list(against)
    names: list[str] = []
    for name in asked:
        if name == system:
            raise ScoresError(
                f"{system} cannot be compared with itself; name other systems in --against"
            )
        if name in others or name in (MEDIAN, BEST):
            names.append(name)
        elif name == ALL:
            names += others
        elif other := known_as(name, others):
            names.append(other)
        else:
            raise ScoresError(
                f"no system {name!r} to compare with; {nearest(name, [*others, MEDIAN, BEST, ALL])}"
            )
    if not names:
        raise ScoresError("--against names nobody; name one system or more")
    return list(dict.fromkeys(names))


def _tied_notes(line: xr.DataArray, others: Sequence[str]) -> list[str]:
    """Say by which metrics several systems tie for the best other one, of which the first is taken."""
    means = line.sel(system=list(others)).mean("topic", skipna=False)
    tied = means.transpose("metric", "system") >= means.max("system") - 1e-10
    notes = []
    for metric, rows in zip(tied.metric.values, tied.values, strict=True):
        names = [other for other, best in zip(others, rows, strict=True) if best]
        if len(names) > 1:
            notes.append(
                f"{metric}: {listed(names)} tie for the best other system; {names[0]} is used."
            )
    return notes


def _require_common(found: Floats, names: Sequence[str], correct: str) -> None:
    """Raise ScoresError where differences (against, topic, metric) are too few to test, or cannot be tested jointly."""
    absent = np.isnan(found)
    few = (~absent).sum(axis=1).min(axis=1) < 2  # (against,)
    if few.any():
        which = [name for name, lacks in zip(names, few, strict=True) if lacks]
        raise ScoresError(
            f"fewer than 2 topics are shared with {listed(which)}; compare with other systems "
            "(--against)"
        )
    if correct == "dunnett" and absent.any():
        raise ScoresError(
            "Dunnett's test needs the same topics in all comparisons; use --correct holm"
        )


def _tested(found: Floats, way: Way, rng: np.random.Generator) -> dict[str, Floats]:
    """Test the differences (against, topic) of one metric, each on the topics where it has one."""
    kinds, kind = np.unique(~np.isnan(found), axis=0, return_inverse=True)
    rows = [np.flatnonzero(kind.ravel() == number) for number in range(len(kinds))]
    parts = [
        (some, Compared(found[some][:, topics]))
        for some, topics in zip(rows, kinds, strict=True)
    ]
    return compare(Compared(found), way, rng, parts)


def _of_each(found: Floats, line: xr.DataArray) -> Floats:
    """Return figures of each topic, or of each cluster by itself, (against, topic, metric)."""
    return np.moveaxis(each(np.moveaxis(found, 1, 2), line), 2, 1)


def _behind_sign(found: Floats) -> dict[str, Any]:
    """Return the fewest topics that the sign of each difference rests on.

    found : what each topic adds to a difference, (against, metric, topic).
    """
    sign = np.sign(settled(np.nanmean(found, axis=2)))
    turned = turning((found * sign[..., None]).reshape(-1, found.shape[2]))
    counts = np.where(turned.counts > 0, turned.counts, np.nan)
    topics = turned.topics.reshape(found.shape)
    return {
        "fewest": (("against", "metric"), counts.reshape(sign.shape)),
        "decides": (("against", "topic", "metric"), np.moveaxis(topics, 2, 1)),
    }


def _topics(scores: xr.DataArray, system: str, others: Sequence[str]) -> dict[str, Any]:
    """Return, by topic and metric, the system's score, the median and best of the others, and how many are above."""
    line = additive(scores)
    rest = line.sel(system=list(others))
    own = scores.sel(system=system, drop=True)
    above = (scores.sel(system=list(others)) > own + 1e-12).sum("system")
    return {
        "score": own,
        "median": from_additive(rest.median("system")),
        "best": scores.sel(system=list(others)).max("system"),
        "systems_above": above,
    }


def _notes(
    scores: xr.DataArray,
    names: Sequence[str],
    way: Way,
    found: Floats,
    figures: Mapping[str, Floats],
) -> list[str]:
    """Say what intervals and tests hold; found : the differences, (against, topic, metric)."""
    count = len(names)
    notes = _on_tests(way, scores, found)
    hold = ("each comparison by itself", f"all {count} comparisons by a metric at once")
    notes += on_intervals(way, scores, count, hold, AT_ONCE)
    if count > 1 and way.correct in ("holm", "bh"):
        notes.append(
            Method(
                "Verdicts follow the corrected p, which can be significant although the interval includes 0."
            )
        )
    notes += _on_intervals_apart(figures, way.alpha)
    notes += on_constant(figures["effect_size"], figures["low"])
    notes += on_equivalence(way.margin, scores)
    if BEST in names and BEST not in scores.system.values:
        notes.append(
            "The best other system was picked by these scores, so it looks better than it is."
        )
    return notes


def _on_tests(way: Way, scores: xr.DataArray, found: Floats) -> list[str]:
    """Say what tests hold; found : the differences, (against, topic, metric)."""
    differing = (np.nan_to_num(found) != 0).sum(axis=1).astype(np.float64)
    return on_tests(way, scores, len(found), list(differing.T))


def _on_intervals_apart(figures: Mapping[str, Floats], alpha: float) -> list[str]:
    """Say where intervals of single comparisons exclude 0 but the test of all of them shows no difference."""
    excludes = (figures["low"] > 0) | (figures["high"] < 0)
    apart = int((excludes & (figures["p_corrected"] >= alpha)).sum())
    if not apart:
        return []
    return [
        f"Each interval is for its comparison alone. Of those without a verdict, {apart} "
        f"{'excludes' if apart == 1 else 'exclude'} 0; by the test of all comparisons together that may be chance."
    ]
