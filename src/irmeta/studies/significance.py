"""Which systems differ significantly, pair by pair, and how many pairs a metric can distinguish."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, get_args

import numpy as np
import polars as pl
import xarray as xr
from scipy.special import stdtrit

from irmeta.attributes import about
from irmeta.choices import Correction, Missing, Test
from irmeta.cube import additive, geometric, means, prepare
from irmeta.errors import ScoresError, require_choice
from irmeta.layout import ROWS, intervals, spans
from irmeta.names import highest
from irmeta.parallel import seeded, steps
from irmeta.result import frame, result
from irmeta.stats import descriptive
from irmeta.stats.arrays import Bools, Floats
from irmeta.stats.halves.halving import halves, shuffles
from irmeta.stats.halves.replication import Replication, replication
from irmeta.stats.halves.swaps import EDGES, least_difference, swaps
from irmeta.stats.tests import floors, multiplicity, paired, resampling
from irmeta.words import counted, listed

RESAMPLING: Mapping[str, Callable[[Floats, int, np.random.Generator], Floats]] = (
    MappingProxyType(
        {"permutation": resampling.permutation, "bootstrap": resampling.bootstrap}
    )
)
JOINT: Mapping[
    str, Callable[[Floats, int, np.random.Generator, float], resampling.Joint]
] = MappingProxyType({"tukey": resampling.tukey, "max-t": resampling.max_t})
"""Tests that correct for all pairs by themselves."""
CLOSED: Mapping[str, Callable[[Floats], Floats]] = MappingProxyType(
    {"t": paired.t, "wilcoxon": paired.wilcoxon, "sign": paired.sign}
)
DIRECTIONS: Mapping[str, Callable[[Floats], Floats]] = MappingProxyType(
    {"wilcoxon": paired.signed_ranks, "sign": paired.wins}
)
"""What says which system a test favours, where that is not the mean difference."""
ASKED: Mapping[str, str] = MappingProxyType(
    {
        "wilcoxon": "whether the differences lie symmetrically around 0",
        "sign": "which of two systems wins on more topics",
    }
)
FEW_METRICS = 4
"""Systems are shown for at most this number of metrics; programs read all of them."""
SWAP_SIZES = (5, 10, 25, 50, 100)
"""Numbers of topics, below half of those there are, for which error rates are computed, too."""
SWAP_PAIRS = 4_000_000
"""Comparisons of systems on random sets of topics, about: more change no second digit of an error rate."""
FEW_PAIRS = 15
"""At most this number of tests is shown; programs read all of them."""
MOST_LETTERS = 40
"""Above this number of systems letters are no help, and there may be thousands of them."""


def significance(
    scores: xr.DataArray,
    *,
    metrics: str | Iterable[str] | None = None,
    test: Test = "t",
    correct: Correction = "holm",
    alpha: float = 0.05,
    margin: float | None = None,
    resamples: int = 10_000,
    top: float | None = None,
    by: str | None = None,
    missing: Missing = "error",
    rng: int | np.random.Generator = 0,
) -> xr.Dataset:
    """Test every pair of systems for a difference, two-sided, paired by topic.

    t, permutation, bootstrap, tukey and max-t test the difference in mean. wilcoxon tests whether the differences lie
    symmetrically around 0, sign whether either system wins as often: both may favour the system with the lower mean.

    metrics : one or several; all by default. Each is corrected for its own pairs.
    test : t, wilcoxon, sign, permutation, bootstrap (studentised), or one that is corrected for all pairs by itself, so
    that `correct` does nothing: tukey (randomised Tukey HSD) and max-t (the largest t, for systems of unequal spread).
    Systems that score the same on every topic have p = 1.
    correct : holm or bonferroni (any false rejection), bh (share of false rejections) or none.
    alpha : the level of significance, in (0, 1); intervals have the level 1 - alpha.
    margin : a difference in mean, above 0, that is too small to matter; adds the test that two systems differ by less.
    resamples : of permutation, bootstrap, tukey and max-t, at least 100.
    top, by, missing : what to use of the scores, as in `irmeta.cube.prepare`.

    Returns over (pair, metric) difference (system_a less system_b) with the interval low to high, of all pairs at once
    unless `correct` is bh or none; p, p_corrected, effect_size (mean difference over the standard deviation of
    differences), direction (1 where the test favours system_a, -1 system_b) and significant; with a margin
    p_equivalent, of two one-sided t tests with Holm's correction, and equivalent; over (metric) share_significant, the
    discriminative power, and what half of the topics shows of differences significant on the other half
    (`Replication`); over (system, metric) mean and rank.
    Sources: Smucker et al. (CIKM 2007), Sakai (SIGIR 2006), Carterette (2012), Westfall and Young (1993),
    Schuirmann (1987).

    >>> from irmeta.cube import cube
    >>> topics = [[[0.1], [0.2], [0.3], [0.2]], [[0.4], [0.6], [0.5], [0.5]]]
    >>> significance(cube(topics, ["a", "b"], ["1", "2", "3", "4"], ["AP"]))["p"].item().__round__(5)
    0.00521
    """
    _check(test, correct, alpha, margin, resamples)
    generator, seed = seeded(rng)
    scores, notes = prepare(scores, metrics=metrics, top=top, by=by, missing=missing)
    if scores.sizes["system"] < 2 or scores.sizes["topic"] < 2:
        raise ScoresError(
            "a paired test needs at least 2 systems and 2 topics (a system-wise table has means only)"
        )

    values = additive(scores).values
    columns = []
    for m in steps(range(scores.sizes["metric"]), "metrics"):
        of_metric = np.ascontiguousarray(values[..., m])
        columns.append(
            _tests(of_metric, test, correct, alpha, margin, resamples, generator)
        )
    data: dict[str, Any] = {}
    for name in columns[0]:
        data[name] = (
            ("pair", "metric"),
            np.stack([column[name] for column in columns], axis=1),
        )
    notes += _notes(test, correct, alpha, resamples, scores)
    notes += _tied_notes(test, correct, alpha, values)
    notes += _opposed_notes(test, _opposed(data) & (data["p_corrected"][1] < alpha))
    notes += _interval_notes(test, correct, alpha, scores.sizes["system"])
    notes += _scale_notes(scores, data["effect_size"][1])
    mean = means(scores)
    data["mean"] = mean
    data["rank"] = (("system", "metric"), descriptive.ranks(mean.values.T).T)

    options: dict[str, Any] = {
        "test": test,
        "correct": correct,
        "alpha": alpha,
        "margin": margin,
    }
    options |= {"top": top, "by": by, "missing": missing}
    if test in RESAMPLING or test in JOINT:
        options["resamples"] = resamples
    options["seed"] = (
        seed  # also of the random sets of topics that the swap rates are measured on
    )
    inputs = {scores.attrs.get("collection", "collection"): scores}
    outcome = result("significance", data, inputs=inputs, options=options, notes=notes)
    outcome = outcome.assign(_swapped(scores, generator))
    outcome = outcome.assign(_replicated(scores, alpha, correct, generator))
    outcome["significant"] = outcome["p_corrected"] < alpha
    if margin is not None:
        outcome["equivalent"] = outcome["p_equivalent"] < alpha
    outcome["share_significant"] = outcome["significant"].mean("pair")
    names = scores.system.values
    left, right = np.triu_indices(len(names), 1)
    return outcome.assign_coords(
        system_a=("pair", names[left]), system_b=("pair", names[right])
    )


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Tables `tests` (of each pair and metric), `systems` (that share a letter: not significantly different), `power`.

    `conflicts`: the pairs on which metrics contradict each other: those for system_a, those for system_b, and whether
    there is a significant difference on either side.
    """
    metrics = [str(metric) for metric in outcome.metric.values]
    fields = [
        "difference",
        "low",
        "high",
        "p",
        "p_corrected",
        "effect_size",
        "direction",
        "significant",
    ]
    if "equivalent" in outcome:
        fields += ["p_equivalent", "equivalent"]
    return {
        "tests": frame(outcome, fields, by=["metric", "system_a", "system_b"]).select(
            "system_a", "system_b", "metric", *fields
        ),
        "systems": pl.concat(
            [_systems(outcome.sel(metric=metric), metric) for metric in metrics]
        ),
        "power": frame(outcome, ["share_significant"]),
        "conflicts": _conflicts(outcome),
        "swaps": _swaps(outcome),
        "replication": frame(
            outcome, ["half_topics", *Replication._fields], by=["metric"]
        ),
    }


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show discriminative power where there are many metrics; else the best systems with letters, and a few tests."""
    metrics = [str(metric) for metric in outcome.metric.values]
    if len(metrics) > FEW_METRICS:
        power = tables(outcome)["power"].sort(
            "share_significant", descending=True, maintain_order=True
        )
        return {"power": power.rename({"share_significant": "pairs distinguished"})}
    views: dict[str, pl.DataFrame] = {}
    for metric in metrics:
        views |= _lettered(outcome.sel(metric=metric), metric)
    if outcome.sizes["pair"] <= FEW_PAIRS:
        views["tests"] = _few_tests(outcome)
    return views


def _few_tests(outcome: xr.Dataset) -> pl.DataFrame:
    """Show the tests of few pairs: difference, interval and p, and whether they are equivalent, if that was asked."""
    tests = tables(outcome)["tests"]
    shown = tests.select(
        "metric",
        pl.col("system_a").alias("system"),
        pl.col("system_b").alias("other"),
        "difference",
        intervals(tests["low"].to_numpy(), tests["high"].to_numpy()).alias("interval"),
        pl.col("p_corrected").alias("p"),
    )
    if "equivalent" not in tests:
        return shown
    return shown.with_columns(
        tests["equivalent"]
        .replace_strict({True: "yes", False: "-"})
        .alias("equivalent")
    )


def _lettered(one: xr.Dataset, metric: str) -> dict[str, pl.DataFrame]:
    """Show the systems by one metric, the best with letters: those that share one do not differ significantly."""
    systems = _systems(one, metric)
    shown = systems.select(
        "system",
        pl.col("mean").alias(metric),
        pl.col("rank").cast(pl.Int64),
        spans(systems["rank_low"], systems["rank_high"]).alias("possible ranks"),
    )
    if systems.height <= MOST_LETTERS:
        return {f"systems by {metric}": shown.with_columns(systems["letters"])}
    title = f"systems by {metric}: the best {ROWS} of {systems.height}, with letters among these"
    return {
        title: shown.head(ROWS).with_columns(
            letters=pl.Series(letters_of_best(one, ROWS))
        )
    }


def letters_of_best(one: xr.Dataset, count: int) -> list[str]:
    """Return the letters of the best systems by one metric, from tests corrected for the pairs of all systems."""
    order = np.argsort(one["rank"].values, kind="stable")[:count]
    return _letters(_matrix(one)[np.ix_(order, order)])


def findings(outcome: xr.Dataset) -> list[str]:
    """Say how many pairs differ, what that means for the best system, and what correction costs."""
    options = about(outcome)["options"]
    corrected = options["correct"] != "none" and options["test"] not in JOINT
    lines = []
    for metric in outcome.metric.values:
        of_metric = outcome.sel(metric=metric)
        significant = int(of_metric["significant"].sum())
        test = options["test"]
        before = ""
        if corrected:
            uncorrected = float((of_metric["p"] < options["alpha"]).mean())
            test = f"{test}, {options['correct']}"
            before = f"; {uncorrected:.1%} before correction"
        favours_lower = of_metric["direction"] * of_metric["difference"] < 0
        opposed = int((of_metric["significant"] & favours_lower).sum())
        if opposed:
            against = f", {opposed} of them for the system with the lower mean"
        else:
            against = ""
        lines.append(
            f"{metric}: {significant} of {outcome.sizes['pair']} pairs differ significantly{against} "
            f"({of_metric['share_significant'].item():.1%}; {test}, alpha {options['alpha']:g}{before}). "
            + _beside_best(of_metric)
            + _equivalent(of_metric)
        )
    return (
        lines
        + _contradictions(outcome)
        + _reliable_differences(outcome)
        + _replication(outcome)
    )


def _beside_best(of_metric: xr.Dataset) -> str:
    """Say how many systems are not significantly different from the best, or only against the means."""
    best = of_metric["rank"].values == 1
    names = of_metric.system.values[best]
    if len(names) > 1:
        alike = int((~_confirmed(of_metric)[best] & ~best).any(axis=0).sum())
        others = counted(alike, "other system")
        tied = f"{len(names)} systems tie for the best mean ({listed(names)})"
        return f"{tied}; {others} cannot be distinguished from one or more of them."
    alike = int((~_confirmed(of_metric)[best]).sum()) - 1
    if alike == 0:
        return (
            f"The best system, {names[0]}, is significantly different from every other."
        )
    verb = "system is" if alike == 1 else "systems are"
    return f"{alike} {verb} not significantly different from the best, {names[0]}."


def _equivalent(of_metric: xr.Dataset) -> str:
    """Say how many pairs are shown to differ by less than the margin, and how many are undecided."""
    if "equivalent" not in of_metric:
        return ""
    margin = about(of_metric)["options"]["margin"]
    equivalent = of_metric["equivalent"].values
    significant = of_metric["significant"].values
    open_ = int((~equivalent & ~significant).sum())
    verb = "pair differs" if equivalent.sum() == 1 else "pairs differ"
    return f" {equivalent.sum()} {verb} by less than {margin:g}; of {open_} neither is shown."


def _swapped(scores: xr.DataArray, rng: np.random.Generator) -> xr.Dataset:
    """Count comparisons of two systems on random sets of topics, and those that other topics reverse.

    Over (half, swap_metric, step); the sets have as many topics as a half, and some smaller numbers of them. Metrics
    that may exceed 1, and geometric means, are left out: their differences have another scale.
    """
    topics = scores.sizes["topic"]
    systems = scores.sizes["system"]
    left_out = geometric(scores.metric.values)
    names = [
        str(m)
        for m in scores.metric.values
        if highest(str(m)) <= 1 and str(m) not in left_out
    ]
    halved = topics // 2
    if names:
        sizes = sorted({halved, *(size for size in SWAP_SIZES if size < halved)})
    else:
        sizes = []
    draws = int(np.clip(SWAP_PAIRS // (systems * systems), 2, 20))
    values = scores.sel(metric=names).values
    orders = shuffles(topics, draws, rng)
    counted = [swaps(values, halves(orders, (size, size))) for size in sizes]
    compared, swapped = zip(*counted, strict=True) if counted else ([], [])
    dims = ("half", "swap_metric", "step")
    shape = (len(sizes), len(names), EDGES.size)
    data = {
        "compared": (dims, np.reshape(compared, shape)),
        "swapped": (dims, np.reshape(swapped, shape)),
    }
    return xr.Dataset(data, {"half": sizes, "swap_metric": names, "step": EDGES})


def _replicated(
    scores: xr.DataArray, alpha: float, correct: Correction, rng: np.random.Generator
) -> dict[str, Any]:
    """Return over (metric) what becomes of differences that are significant on half of the topics, on the other half.

    By the paired t test with the correction named; without at least 4 topics there are no halves to test on.
    """
    systems = scores.sizes["system"]
    half = scores.sizes["topic"] // 2
    draws = int(np.clip(SWAP_PAIRS // (systems * systems), 2, 20))
    drawn = halves(shuffles(scores.sizes["topic"], draws, rng), (half, half))
    values = additive(scores).values
    found = [Replication(*[np.nan] * 5) for _ in range(values.shape[2])]
    if half >= 2:
        found = [
            replication(values[..., m], drawn, alpha=alpha, correct=correct)
            for m in range(values.shape[2])
        ]
    figures = dict(zip(Replication._fields, np.array(found).T, strict=True))
    return {"half_topics": half} | {
        name: ("metric", column) for name, column in figures.items()
    }


def _replication(outcome: xr.Dataset) -> list[str]:
    """Say of the first metrics how many significant differences other topics show again, and how large they are."""
    lines = []
    for metric in outcome.metric.values[:FEW_METRICS]:
        one = outcome.sel(metric=metric)
        if not one["found"].item() > 0:
            continue
        topics = one["half_topics"].item()
        if one["found"].item() < 1:
            lines.append(
                f"{metric}: {topics} topics hardly ever show a significant difference that others could repeat."
            )
            continue
        lines.append(
            f"{metric}: of differences significant on {topics} topics, {one['again'].item():.0%} are significant again "
            f"on {topics} others and {one['opposite'].item():.1%} have the other sign; they keep "
            f"{one['shrunk'].item():.0%} of their size."
        )
    return lines


def _swaps(outcome: xr.Dataset) -> pl.DataFrame:
    """List the error rate by number of topics, metric and difference; differences that no pair has are left out."""
    counted = frame(
        outcome, ["compared", "swapped"], by=["half", "swap_metric", "step"]
    )
    counted.columns = ["topics", "metric", "difference", "comparisons", "swaps"]
    rate = (pl.col("swaps") / pl.col("comparisons")).alias("error_rate")
    return counted.filter(pl.col("comparisons") > 0).with_columns(rate).drop("swaps")


def _reliable_differences(outcome: xr.Dataset) -> list[str]:
    """Say from which difference in mean on half of the topics the other half agrees in 95% of comparisons."""
    if not outcome.sizes["half"] or not outcome.sizes["swap_metric"]:
        return []
    half = outcome.isel(half=-1)
    least = least_difference(half["compared"].values, half["swapped"].values)
    names = half.swap_metric.values
    topics = int(half["half"])
    parts = [
        f"{name} {'none' if np.isnan(value) else f'{value:.2f}'}"
        for name, value in zip(names, least, strict=True)
    ]
    if len(parts) > FEW_METRICS:
        more = f" and {len(parts) - FEW_METRICS} more (table swaps)"
    else:
        more = ""
    return [
        f"The smallest difference in mean on {counted(topics, 'topic')} that as many others reverse in at most 5% of "
        f"comparisons: {', '.join(parts[:FEW_METRICS])}{more}."
    ]


def _sides(outcome: xr.Dataset) -> tuple[Bools, Bools]:
    """Return which metrics are for system_a of each pair and which for system_b, both (pair, metric)."""
    difference = outcome["difference"].transpose("pair", "metric").values
    return difference > 1e-10, difference < -1e-10


def _conflicts(outcome: xr.Dataset) -> pl.DataFrame:
    """List the pairs of which some metric finds one system better, and another metric the other."""
    for_a, for_b = _sides(outcome)
    significant = outcome["significant"].transpose("pair", "metric").values
    at = np.flatnonzero(for_a.any(axis=1) & for_b.any(axis=1))
    metrics = np.array([str(metric) for metric in outcome.metric.values], dtype=object)
    both = (for_a & significant).any(axis=1) & (for_b & significant).any(axis=1)
    return pl.DataFrame(
        {
            "system_a": [str(name) for name in outcome.system_a.values[at]],
            "system_b": [str(name) for name in outcome.system_b.values[at]],
            "for_a": [metrics[for_a[pair]].tolist() for pair in at],
            "for_b": [metrics[for_b[pair]].tolist() for pair in at],
            "both_significant": both[at],
        },
        schema_overrides={
            "system_a": pl.String,
            "system_b": pl.String,
            "for_a": pl.List(pl.String),
            "for_b": pl.List(pl.String),
            "both_significant": pl.Boolean,
        },
    )


def _contradictions(outcome: xr.Dataset) -> list[str]:
    """Say on how many pairs the metrics contradict each other, and what to make of it."""
    if outcome.sizes["metric"] < 2:
        return []
    found = _conflicts(outcome)
    if not found.height:
        return ["The metrics agree on which system is better for every pair."]
    return [
        f"The metrics contradict each other on {found.height} of {outcome.sizes['pair']} pairs, on "
        f"{found['both_significant'].sum()} of them with significant differences on both sides (table conflicts): draw "
        "no conclusion from such a pair, or follow the metric that predicts new topics best (irmeta predictivity)."
    ]


def _check(
    test: Test, correct: Correction, alpha: float, margin: float | None, resamples: int
) -> None:
    require_choice("test", test, get_args(Test))
    require_choice("correct", correct, get_args(Correction))
    if not 0 < alpha < 1:
        raise ScoresError(f"alpha is between 0 and 1, as in 0.05, not {alpha:g}")
    paired.check_margin(margin)
    if resamples < 100:
        raise ScoresError(
            f"{resamples} resamples are too few for a test at any level; use 1000 or more"
        )


def _tests(
    scores: Floats,
    test: Test,
    correct: Correction,
    alpha: float,
    margin: float | None,
    resamples: int,
    rng: np.random.Generator,
) -> dict[str, Floats]:
    """Test all pairs of systems by one metric, from scores (system, topic): arrays (pair,)."""
    mean, effect, direction, error, *closed = paired.over_pairs(
        partial(_quantities, test), scores
    )
    if test in JOINT:
        p, half = JOINT[test](scores, resamples, rng, 1 - alpha)
        corrected = p
    else:
        p = closed[0] if closed else RESAMPLING[test](scores, resamples, rng)
        corrected = multiplicity.CORRECTIONS[correct](p)
        half = _half(error, correct, alpha, scores.shape[1])
    found = {
        "difference": mean,
        "low": mean - half,
        "high": mean + half,
        "p": p,
        "p_corrected": corrected,
    }
    found |= {"effect_size": effect, "direction": direction}
    if margin is not None:
        equivalent = paired.equivalence(mean, error, scores.shape[1], margin)
        found["p_equivalent"] = multiplicity.holm(equivalent)
    return found


def _half(error: Floats, correct: Correction, alpha: float, topics: int) -> Floats:
    """Return half the widths of Student's t intervals, of all pairs at once (Bonferroni) if p is corrected for all."""
    together = error.size if correct in ("holm", "bonferroni") else 1
    return np.asarray(stdtrit(topics - 1, 1 - alpha / 2 / together) * error)


def _quantities(test: Test, found: Floats) -> Floats:
    """Return mean, effect size, direction, standard error of differences (pair, topic), and p if it has a formula.

    Of shape (quantity, pair).
    """
    mean = found.mean(axis=1)
    statistic = DIRECTIONS[test](found) if test in DIRECTIONS else mean
    quantities = [
        mean,
        paired.effect_size(found),
        np.sign(statistic),
        paired.standard_error(found),
    ]
    if test in CLOSED:
        quantities.append(CLOSED[test](found))
    return np.stack(quantities)


def _notes(
    test: Test, correct: Correction, alpha: float, resamples: int, scores: xr.DataArray
) -> list[str]:
    """Say what correction Tukey's test has, and whether any p can be small enough to be significant."""
    systems = scores.sizes["system"]
    topics = scores.sizes["topic"]
    pairs = systems * (systems - 1) // 2
    lines = []
    if test in JOINT and correct != "none":
        lines.append(f"{test} is corrected for all pairs by itself; p_corrected is p")
    corrects_pairs = test not in JOINT and correct in ("holm", "bonferroni")
    needed = _needed(test, correct, alpha, systems)
    of_resamples = floors.of_resamples(test, resamples, topics)
    of_topics = float(floors.of_topics(test, topics))
    floor = max(of_resamples, of_topics)
    if floor < needed:
        return lines
    why = f"for {test} on {topics} topics"
    better = (
        f"take {_topics_for(needed)} topics or more, or t; more resamples do not help"
    )
    if of_topics < needed:
        why = f"with {resamples} resamples"
        better = f"take {int(np.ceil(1 / needed))} resamples"
    elif test not in RESAMPLING and test not in JOINT:
        better = f"take {_topics_for(needed)} topics or more, or t"
    if corrects_pairs and floor < alpha:
        better += ", or bh"
    if corrects_pairs:
        needs = f"{correct}'s correction for {pairs} {'pair' if pairs == 1 else 'pairs'} needs less than {needed:.2g}"
    else:
        needs = ""
    needs = needs or f"alpha is {alpha:g}"
    return [
        *lines,
        f"{why} no p is below {floor:.2g}, and {needs}: nothing can be significant; {better}",
    ]


def _needed(test: Test, correct: Correction, alpha: float, systems: int) -> float:
    """Return what the smallest p has to be below, to be significant once corrected."""
    corrects_pairs = test not in JOINT and correct in ("holm", "bonferroni")
    return alpha / (systems * (systems - 1) // 2) if corrects_pairs else alpha


def _tied_notes(
    test: Test, correct: Correction, alpha: float, values: Floats
) -> list[str]:
    """Count the tests of systems that score alike so often that p cannot be small; values : (system, topic, metric)."""
    systems, topics, metrics = values.shape
    needed = _needed(test, correct, alpha, systems)
    if test not in floors.SIGNED or floors.of_topics(test, topics) >= needed:
        return []
    blind = 0
    for metric in range(metrics):
        differing = paired.over_pairs(
            _differing, np.ascontiguousarray(values[..., metric])
        )
        blind += int((floors.of_topics(test, differing) >= needed).sum())
    if not blind:
        return []
    return [
        f"{counted(blind, 'test')} cannot be significant: so often do the two systems score the same that {test} has "
        f"no p below {needed:.2g}; t has no such limit"
    ]


def _differing(found: Floats) -> Floats:
    """Count the topics on which systems differ, from differences (pair, topic)."""
    return np.asarray((found != 0).sum(axis=1), dtype=np.float64)


def _topics_for(needed: float) -> int:
    """Return the smallest number n of topics with 2 / 2^n below what is needed."""
    return int(np.floor(np.log2(2 / needed))) + 1


_HELD = {
    "t": "51 to 97% (of the best three quarters of the systems, --top 0.75, in 84 to 100%)",
    "max-t": "41 to 87% (intervals of --test t are wider: 51 to 97%)",
    "tukey": "92 to 98%, but in 80 to 88% where all tie",
}
"""Of what share of simulated collections the intervals of all pairs hold, by test; `python -m bench.coverage`."""


def _interval_notes(
    test: Test, correct: Correction, alpha: float, systems: int
) -> list[str]:
    """Say of how many differences the intervals hold together, and by what distribution."""
    together = test in JOINT or correct in ("holm", "bonferroni")
    if together and systems > 2:
        held = "all pairs of a metric at once"
    else:
        held = "each pair by itself"
    by = test if test in JOINT else "Student's t"
    lines = [
        f"{1 - alpha:.0%} intervals of the differences in mean are for {held} (by {by})"
    ]
    if together and systems > 2:
        lines.append(
            "in simulated collections of 10 to 50 topics, whose systems differ, all held at once in "
            f"{_HELD.get(test, _HELD['t'])}: fewest with few topics; docs/coverage.md"
        )
    return lines


def _opposed_notes(test: Test, opposed: Bools) -> list[str]:
    """Say what a test asks that does not ask of means, and how many significant tests contradict the means."""
    if test not in ASKED:
        return []
    lines = [f"{test} asks {ASKED[test]}, not whether two means differ"]
    count = int(opposed.sum())
    if count:
        if count == 1:
            tests = "1 significant test favours"
        else:
            tests = f"{count} significant tests favour"
        lines.append(
            f"{tests} the system with the lower mean (direction and difference have other signs in table tests): a few "
            "topics with large differences decide the mean; do not report these as differences in mean"
        )
    return lines


def _opposed(data: Mapping[str, Any]) -> Bools:
    """Return which tests favour the system with the lower mean, from (dimensions, values) by name."""
    return np.asarray(data["direction"][1] * data["difference"][1] < 0)


def _scale_notes(scores: xr.DataArray, effect_size: Floats) -> list[str]:
    """Say which differences are not of scores, and which effect sizes are infinite."""
    lines = []
    logs = ", ".join(geometric(scores.metric.values))
    if logs:
        lines.append(
            f"{logs}: differences are of means of natural logarithms, as the means are geometric"
        )
    constant = int(np.isinf(effect_size).sum())
    if constant:
        lines.append(
            f"effect_size is infinite in {constant} tests: the two systems differ by the same on every topic (null in "
            f"JSON); p of t is 0 there, but on {scores.sizes['topic']} topics no exact test gives less than "
            f"{2.0 ** (1 - scores.sizes['topic']):.2g}"
        )
    return lines


def _matrix(of_metric: xr.Dataset) -> Bools:
    """Return which systems differ, as a symmetric matrix (system, system)."""
    return _symmetric(of_metric["significant"].values, of_metric.sizes["system"])


def _confirmed(of_metric: xr.Dataset) -> Bools:
    """Return which systems differ and not against their means, as a symmetric matrix (system, system)."""
    of_means = of_metric["direction"] * of_metric["difference"] > 0
    return _symmetric(
        (of_metric["significant"] & of_means).values, of_metric.sizes["system"]
    )


def _symmetric(pairs: Bools, size: int) -> Bools:
    """Turn flags of pairs of systems i < j into a symmetric matrix (system, system)."""
    matrix = np.zeros((size, size), dtype=np.bool_)
    matrix[np.triu_indices(size, 1)] = pairs
    return matrix | matrix.T


def _systems(of_metric: xr.Dataset, metric: str) -> pl.DataFrame:
    """List the systems, best first, with the ranks that they may have, and the letters of their groups.

    A system's rank is at least 1 + the number significantly better, at most all less the number significantly worse.
    A test that favours the system with the lower mean says nothing of ranks.
    """
    order = np.argsort(of_metric["rank"].values, kind="stable")
    differs = _matrix(of_metric)[np.ix_(order, order)]
    rank = of_metric["rank"].values[order]
    ordered = _confirmed(of_metric)[np.ix_(order, order)]
    # (system, other): the other is significantly better
    better = ordered & (rank < rank[:, None])
    letters = None
    if len(order) <= MOST_LETTERS:
        letters = _letters(differs)
    return pl.DataFrame(
        {
            "system": of_metric.system.values[order].tolist(),
            "metric": [metric] * len(order),
            "mean": of_metric["mean"].values[order],
            "rank": rank,
            "rank_low": 1 + better.sum(axis=1),
            "rank_high": len(order) - better.sum(axis=0),
            "letters": letters,
        },
        schema_overrides={"letters": pl.String},
    )


def _letters(differs: Bools) -> list[str]:
    """Return the letters of each system; two that share one do not differ significantly."""
    return ["".join(map(_letter, groups)) for groups in multiplicity.letters(differs)]


def _letter(number: int) -> str:
    """Write a group's number as a letter, with an apostrophe for every 26 before it."""
    return chr(ord("a") + number % 26) + "'" * (number // 26)
