"""Is this system better than others, by how much, and on which topics: one system against those asked for."""

from collections.abc import Iterable, Sequence
from typing import Any, get_args

import numpy as np
import polars as pl
import xarray as xr

from irmeta.attributes import about
from irmeta.choices import ManyToOne, Missing, PairedTest
from irmeta.cube import additive, from_additive, geometric, means, prepare
from irmeta.errors import ScoresError, require_choice
from irmeta.layout import first_rows, intervals
from irmeta.names import nearest
from irmeta.parallel import seeded
from irmeta.result import frame, result, short
from irmeta.stats.arrays import Floats, Ints
from irmeta.stats.tests import floors, many_to_one, multiplicity, paired
from irmeta.words import counted, listed

MEDIAN, BEST, ALL = "median", "best", "all"
"""Baselines that are not systems of the collection: its topic-wise median, its best other system, every other one."""
FEW_METRICS = 4
FEW_COMPARISONS = 3
FEW_TOPICS = 5
"""How many of the topics that gain and lose most are shown."""


def versus(
    scores: xr.DataArray,
    system: str,
    against: str | Iterable[str] = ALL,
    *,
    metrics: str | Iterable[str] | None = None,
    test: PairedTest = "permutation",
    correct: ManyToOne = "holm",
    alpha: float = 0.05,
    margin: float | None = None,
    resamples: int = 10_000,
    missing: Missing = "error",
    rng: int | np.random.Generator = 0,
) -> xr.Dataset:
    """Compare one system with others: mean difference, interval, wins, ties and losses, p, and the topics behind it.

    system : the system in question.
    against : systems, and any of "all" (every other system), "median" (on each topic the median of the other systems)
    and "best" (the other system with the best mean by that metric); a system that is called so is meant first.
    metrics : one or several; all by default.
    test : t, wilcoxon, sign, permutation or bootstrap (studentised), each two-sided and paired by topic.
    correct : holm, bonferroni (any false rejection), dunnett (the same, by the joint distribution of the comparisons),
    bh (share of false rejections) or none; by metric, over the comparisons asked for and no others.
    alpha : level of the tests, in (0, 1); intervals have the level 1 - alpha, all comparisons of a metric at once
    unless `correct` is bh or none.
    margin : a difference in mean, above 0, that is too small to matter; adds the test that two systems differ by less.
    missing : what to do with missing scores, as in `irmeta.cube.complete`; "pairwise" compares with each system on the
    topics on which both have scores.

    Returns over (against, metric) difference (system less other), low, high, wins, ties, losses (topics), p,
    p_corrected, effect_size and significant, and with a margin p_equivalent, of two one-sided t tests with Holm's
    correction, and equivalent; over (topic, metric) score, median and best (of the other systems),
    systems_above; over (against, topic, metric) by_topic, the differences. Raises ScoresError for an unknown system.
    Sources: Smucker et al. (CIKM 2007); Sakai (SIGIR 2006); Westfall and Young (1993); Holm (1979); Schuirmann (1987).

    >>> from irmeta.cube import cube
    >>> topics = [[[0.1], [0.2], [0.3], [0.2]], [[0.4], [0.6], [0.5], [0.5]]]
    >>> found = versus(cube(topics, ["mine", "bm25"], ["1", "2", "3", "4"], ["AP"]), "mine", "bm25", test="t")
    >>> found["losses"].item(), round(found["difference"].item(), 3)
    (4, -0.3)
    """
    require_choice("test", test, get_args(PairedTest))
    require_choice("correct", correct, get_args(ManyToOne))
    if not 0 < alpha < 1:
        raise ScoresError(f"alpha must be between 0 and 1, as in 0.05, not {alpha:g}")
    paired.check_margin(margin)
    if resamples < 100:
        raise ScoresError(f"{resamples} resamples are too few; use at least 1000")
    generator, seed = seeded(rng)
    scores, notes = prepare(scores, metrics=metrics, missing=missing, pairs=True)
    if scores.sizes["topic"] < 2:
        raise ScoresError(
            "a paired test needs at least 2 topics (a system-wise table has means only)"
        )
    others = _others(scores, system)
    names = _baselines(scores, system, against)
    line = additive(scores)
    mine = line.sel(system=system).transpose("topic", "metric").values
    theirs, who = _scores_of(line, others, names)  # (against, topic, metric)
    found = mine - theirs
    found[np.abs(found) <= 1e-12] = 0.0  # rounding must not make equal systems differ
    _require_common(found, names, correct)
    metrics_tested = np.moveaxis(found, 2, 0)  # (metric, against, topic)
    tested = [
        _tested(one, test, correct, alpha, margin, resamples, generator)
        for one in metrics_tested
    ]
    pair = ("against", "metric")
    data: dict[str, Any] = {
        name: (pair, np.stack([one[name] for one in tested], axis=1))
        for name in tested[0]
    }
    data |= {
        "wins": (pair, (found > 0).sum(axis=1)),
        "ties": (pair, (found == 0).sum(axis=1)),
        "losses": (pair, (found < 0).sum(axis=1)),
        "who": (pair, who),
        "by_topic": (("against", "topic", "metric"), found),
        "mean": means(scores).sel(system=system, drop=True),
    }
    data |= _topics(scores, system, others)
    outcome = result(
        "versus",
        data,
        inputs={scores.attrs.get("collection", "collection"): scores},
        options={
            "system": system,
            "against": against if isinstance(against, str) else list(against),
            "test": test,
            "correct": correct,
            "alpha": alpha,
            "margin": margin,
            "missing": missing,
            "resamples": resamples,
            "seed": seed,
        },
        notes=[*notes, *_notes(scores, names, test, correct, alpha, resamples)],
    )
    outcome["significant"] = outcome["p_corrected"] < alpha
    if margin is not None:
        outcome["equivalent"] = outcome["p_equivalent"] < alpha
    return outcome.assign_coords(against=names)


def _others(scores: xr.DataArray, system: str) -> list[str]:
    systems = [str(name) for name in scores.system.values]
    if system not in systems:
        raise ScoresError(f"no system {system!r}; {nearest(system, systems)}")
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
        else:
            raise ScoresError(
                f"no system {name!r} to compare with; {nearest(name, [*others, MEDIAN, BEST, ALL])}"
            )
    return list(dict.fromkeys(names))


def _scores_of(
    line: xr.DataArray, others: Sequence[str], names: Sequence[str]
) -> tuple[Floats, list[list[str]]]:
    """Return the scores of each baseline (against, topic, metric), and for each metric whose they are."""
    values = line.sel(system=list(others)).transpose("system", "topic", "metric").values
    rows, who = [], []
    for name in names:
        if name in others:
            rows.append(values[others.index(name)])
            who.append([name] * values.shape[2])
        elif name == MEDIAN:
            rows.append(np.nanmedian(values, axis=0))
            who.append([MEDIAN] * values.shape[2])
        else:
            best = _best(values)  # (metric,)
            rows.append(
                np.stack([values[at, :, m] for m, at in enumerate(best)], axis=1)
            )
            who.append([others[at] for at in best])
    return np.stack(rows), who


def _best(values: Floats) -> Ints:
    """Return the system of the best mean by each metric, from (system, topic, metric); one that misses topics is none.

    A mean over other topics does not compare.
    """
    means = values.mean(axis=1)
    if np.isnan(means).all(axis=0).any():
        raise ScoresError(
            "no other system has scores on all topics, so that none is the best; name systems in --against"
        )
    return np.asarray(np.nanargmax(means, axis=0))


def _require_common(found: Floats, names: Sequence[str], correct: str) -> None:
    """Raise ScoresError where differences (against, topic, metric) are too few to test, or cannot be tested jointly."""
    absent = np.isnan(found)
    few = (~absent).sum(axis=1).min(axis=1) < 2  # (against,)
    if few.any():
        which = [name for name, lacks in zip(names, few, strict=True) if lacks]
        raise ScoresError(
            f"fewer than 2 topics are common with {listed(which)}; compare with others (--against)"
        )
    if correct == "dunnett" and absent.any():
        raise ScoresError(
            "Dunnett's test takes the same topics in all comparisons; use --correct holm"
        )


def _tested(
    found: Floats,
    test: str,
    correct: str,
    alpha: float,
    margin: float | None,
    resamples: int,
    rng: np.random.Generator,
) -> dict[str, Floats]:
    """Test the differences (against, topic) of one metric, each on the topics where it has one."""
    mean, count = np.nanmean(found, axis=1), len(found)
    p, half, effect, within = np.empty((4, count))
    kinds, kind = np.unique(
        ~np.isnan(found), axis=0, return_inverse=True
    )  # comparisons on the same topics go together
    for number, topics in enumerate(kinds):
        rows = kind.ravel() == number
        some = found[rows][:, topics]
        p[rows] = many_to_one.p_values(some, test, resamples, rng)
        half[rows] = many_to_one.half_widths(
            some, 1 - alpha, count if correct in ("holm", "bonferroni") else 1
        )
        effect[rows] = paired.effect_size(some)
        if margin is not None:
            within[rows] = paired.equivalence(
                mean[rows], many_to_one.standard_errors(some), some.shape[1], margin
            )
    if correct == "dunnett":
        together = many_to_one.joint(found, 1 - alpha, resamples, rng)
        corrected, half = (
            together.p,
            together.quantile * many_to_one.standard_errors(found),
        )
    else:
        corrected = multiplicity.CORRECTIONS[correct](p)
    equivalence = {} if margin is None else {"p_equivalent": multiplicity.holm(within)}
    return equivalence | {
        "difference": mean,
        "low": mean - half,
        "high": mean + half,
        "p": p,
        "p_corrected": corrected,
        "effect_size": effect,
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
    test: str,
    correct: str,
    alpha: float,
    resamples: int,
) -> list[str]:
    topics, count = scores.sizes["topic"], len(names)
    notes = []
    if count > 1:
        if correct in ("bh", "none"):
            held = "each by itself"
        else:
            held = f"all {count} of a metric at once"
        notes.append(f"{1 - alpha:.0%} intervals of the differences hold {held}.")
    if count > 1 and correct == "dunnett":
        notes.append(
            "With few topics Dunnett's intervals miss more often: in simulated collections of 10 topics "
            "all held at once in 80 to 92%, of 50 in 92 to 96%. Those of --correct holm are wider: 92 to 98%."
        )
    if count > 1 and correct in ("holm", "bh"):
        notes.append(
            "Verdicts follow the corrected p; such a test can find a difference whose interval holds 0."
        )
    floor = max(
        float(floors.of_topics(test, topics)),
        floors.of_resamples(test, resamples, topics),
    )
    smallest = floor * count if correct in ("holm", "bonferroni") else floor
    if correct != "dunnett" and smallest >= alpha:
        notes.append(
            f"Nothing can be significant: the smallest p of this test is {floor:.2g} here, corrected for "
            f"{counted(count, 'comparison')} {smallest:.2g}; use --test t, fewer comparisons or more topics."
        )
    if test in ("sign", "wilcoxon"):
        if test == "sign":
            what = "which system wins more topics"
        else:
            what = "whether differences are symmetric about 0"
        notes.append(f"The {test} test asks {what}, not which mean is higher.")
    if BEST in names and BEST not in scores.system.values:
        notes.append(
            "The best other system was picked from these scores, which makes its lead look larger than it is."
        )
    if logs := geometric(scores.metric.values):
        notes.append(
            f"{listed(logs)}: differences are of means of natural logarithms, as the means are geometric."
        )
    return notes


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Return the tables of the JSON contract.

    comparisons : against, metric, who (the system behind "best"), difference, low, high, wins, ties, losses, p,
    p_corrected, effect_size, significant; with a margin p_equivalent, equivalent.
    topics : topic, metric, score, median, best, systems_above (how many other systems score more).
    differences : against, topic, metric, difference.
    contradictions : against, better_by, worse_by: pairs of metrics that both find a significant difference, one for
    the system and one against it.
    """
    fields = [
        "who",
        "difference",
        "low",
        "high",
        "wins",
        "ties",
        "losses",
        "p",
        "p_corrected",
        "effect_size",
    ]
    fields += ["significant"] + ["p_equivalent", "equivalent"] * (
        "equivalent" in outcome
    )
    by_topic = frame(outcome, ["by_topic"], by=["against", "topic", "metric"]).rename(
        {"by_topic": "difference"}
    )
    return {
        "comparisons": frame(outcome, fields, by=["against", "metric"]),
        "topics": frame(
            outcome,
            ["score", "median", "best", "systems_above"],
            by=["topic", "metric"],
        ),
        "differences": by_topic,
        "contradictions": _contradictions(outcome),
    }


def _contradictions(outcome: xr.Dataset) -> pl.DataFrame:
    rows = []
    for name in outcome.against.values:
        one = outcome.sel(against=name)
        sure, difference = one["significant"].values, one["difference"].values
        better, worse = (
            outcome.metric.values[sure & sign]
            for sign in (difference > 0, difference < 0)
        )
        rows += [(str(name), str(up), str(down)) for up in better for down in worse]
    return pl.DataFrame(
        rows,
        schema=dict.fromkeys(("against", "better_by", "worse_by"), pl.String),
        orient="row",
    )


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show the comparisons by up to four metrics, else how many are won and lost by each; then the topics behind it."""
    views: dict[str, pl.DataFrame] = {}
    if outcome.sizes["metric"] > FEW_METRICS:
        views["metrics"] = _by_metric(outcome)
        return views
    for metric in outcome.metric.values:
        one = outcome.sel(metric=metric)
        one = one.isel(against=np.argsort(one["difference"].values, kind="stable"))
        views |= {
            name.replace("comparisons", f"by {metric}", 1): table
            for name, table in first_rows("comparisons", _compared(one)).items()
        }
        views[
            f"topics by {metric}: the worst and the best against the median of the others"
        ] = _extremes(one)
    return views


def _compared(one: xr.Dataset) -> pl.DataFrame:
    """Return a row for each comparison by one metric."""
    alpha = about(one)["options"]["alpha"]
    names = [str(name) for name in one.against.values]
    who = [str(name) for name in one["who"].values]
    named = [
        name if name in (other, MEDIAN) else f"{name} ({other})"
        for name, other in zip(names, who, strict=True)
    ]
    counts = zip(
        *(one[name].values for name in ("wins", "ties", "losses")), strict=True
    )
    sure, up = one["significant"].values, one["difference"].values > 0
    verdicts = np.where(sure, np.where(up, "better", "worse"), "-")
    if "equivalent" in one:
        verdicts = np.where(one["equivalent"].values & ~sure, "equivalent", verdicts)
    return pl.DataFrame(
        {
            "against": named,
            "diff.": [short(value, 3, sign=True) for value in one["difference"].values],
            f"{1 - alpha:.0%} interval": intervals(
                one["low"].values, one["high"].values
            ),
            "W/T/L": ["/".join(map(str, count)) for count in counts],
            "p": [_p(value) for value in one["p_corrected"].values],
            "verdict": verdicts.tolist(),
        }
    )


def _p(value: float) -> str:
    if value < 0.0001:
        return "< .0001"
    return short(value, 4)


def _extremes(one: xr.Dataset) -> pl.DataFrame:
    """Return the topics on which the system lies farthest below and above the median of the other systems."""
    gap = (one["score"] - one["median"]).values
    order = np.argsort(gap, kind="stable")[
        : np.isfinite(gap).sum()
    ]  # those on which the system has a score
    if order.size <= 2 * FEW_TOPICS:
        ends = order
    else:
        ends = np.concatenate([order[:FEW_TOPICS], order[-FEW_TOPICS:]])
    return pl.DataFrame(
        {
            "topic": one.topic.values[ends].tolist(),
            "score": one["score"].values[ends],
            "median": one["median"].values[ends],
            "best": one["best"].values[ends],
            "systems above": one["systems_above"].values[ends],
        }
    )


def _by_metric(outcome: xr.Dataset) -> pl.DataFrame:
    """Return a row for each metric: how many of the comparisons are won and lost, significantly or not."""
    sure, up = outcome["significant"], outcome["difference"] > 0
    return pl.DataFrame(
        {
            "metric": outcome.metric.values.tolist(),
            "mean": outcome["mean"].values,
            "better than": (sure & up).sum("against").values,
            "worse than": (sure & ~up).sum("against").values,
            "not distinguished": (~sure).sum("against").values,
        }
    )


def findings(outcome: xr.Dataset) -> list[str]:
    """Say whether the system is better, by how much, and on how many topics; then where metrics contradict."""
    sentences = []
    for metric in _reported(outcome):
        one = outcome.sel(metric=metric)
        if one.sizes["against"] <= FEW_COMPARISONS:
            count = one.sizes["against"]
            sentences += [_of_one(one.isel(against=at), count) for at in range(count)]
        else:
            sentences.append(_of_many(one))
    contradictions = _contradictions(outcome)
    if contradictions.height:
        name, better, worse = contradictions.row(0)
        sentences.append(
            f"Metrics contradict each other about {counted(contradictions['against'].n_unique(), 'comparison')}: "
            f"{_system(outcome)} is significantly better than {name} by {better} and worse by {worse}."
        )
    return sentences


def _reported(outcome: xr.Dataset) -> list[str]:
    """Return the metrics that findings are about: all of a few; of many AP, or else the first."""
    metrics = [str(metric) for metric in outcome.metric.values]
    if len(metrics) <= FEW_METRICS:
        return metrics
    return [
        next((metric for metric in metrics if metric in ("AP", "AP@1000")), metrics[0])
    ]


def _system(outcome: xr.Dataset) -> str:
    """Return the system that the comparisons are about."""
    return str(about(outcome)["options"]["system"])


def _of_one(one: xr.Dataset, count: int) -> str:
    """Say what one comparison by one metric shows, of this number that are corrected for."""
    options, metric = about(one)["options"], str(one.metric.item())
    system, other = options["system"], str(one["who"].item())
    other = "the median of the other systems" if other == MEDIAN else other
    difference, p = float(one["difference"]), float(one["p_corrected"])
    low, high = float(one["low"]), float(one["high"])
    wins, ties, losses = (int(one[name]) for name in ("wins", "ties", "losses"))
    more = "more" if difference >= 0 else "less"
    equal = f", equal on {ties}" if ties else ""
    topics = f"It is better on {counted(wins, 'topic')}{equal} and worse on {losses}."
    together = count > 1 and options["correct"] not in ("bh", "none")
    figures = f"{1 - options['alpha']:.0%} interval {short(low, 3, sign=True)} to {short(high, 3, sign=True)}"
    if together:
        figures = f"{figures}, of all {count} at once"
    shown = f"p = {_p(p)}" if p >= 0.0001 else f"p {_p(p)}"
    if bool(one["significant"]):
        lead = f"{system} scores {short(abs(difference), 3)} {more} than {other} by {metric}, a significant difference"
        wider = ""
        if low <= 0 <= high:
            wider = f" The test by {options['correct']}'s correction shows more than the interval, which holds 0."
        return f"{lead} ({figures}; {shown}, {options['test']} test). {topics}{wider}{_within_margin(one)}"
    lead = f"By {metric}, no difference between {system} and {other} is shown"
    figures = (
        f"{short(difference, 3, sign=True)}, {figures}; {shown}, {options['test']} test"
    )
    return f"{lead} ({figures}). {topics}{_within_margin(one)}"


def _within_margin(one: xr.Dataset) -> str:
    """Say whether two systems are shown to differ by less than the margin, if one was named."""
    if "equivalent" not in one:
        return ""
    margin, p = about(one)["options"]["margin"], float(one["p_equivalent"])
    shown = "is shown" if bool(one["equivalent"]) else "is not shown"
    return f" That they differ by less than {margin:g} {shown} ({'p ' if p < 0.0001 else 'p = '}{_p(p)}, two t tests)."


def _of_many(one: xr.Dataset) -> str:
    """Say how many of the comparisons by one metric are significant, and in which direction."""
    options, metric = about(one)["options"], str(one.metric.item())
    sure, up = one["significant"].values, one["difference"].values > 0
    better, worse, count = (
        int((sure & up).sum()),
        int((sure & ~up).sum()),
        one.sizes["against"],
    )
    rest = count - better - worse
    open_ = f"{rest} {'is' if rest == 1 else 'are'} not distinguished from it"
    correction = "" if options["correct"] == "none" else f", {options['correct']}"
    alike = ""
    if "equivalent" in one:
        equivalent = int(one["equivalent"].sum())
        alike = f" It is shown to differ by less than {options['margin']:g} from {equivalent} of them all."
    return (
        f"By {metric}, {options['system']} is significantly better than {better} of {count} systems and worse than "
        f"{worse}; {open_} ({options['test']} test{correction}, level {options['alpha']:g}).{alike}"
    )
