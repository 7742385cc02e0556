"""Which systems differ significantly, pair by pair, and how many pairs a metric can tell apart."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import get_args

import numpy as np
import polars as pl
import xarray as xr

from irmeta.attributes import about
from irmeta.choices import Correction, Missing, Test
from irmeta.cube import additive, geometric, means, studied
from irmeta.errors import ScoresError, require_choice
from irmeta.parallel import seeded, steps
from irmeta.result import frame, result
from irmeta.stats import descriptive
from irmeta.stats.arrays import Bools, Floats
from irmeta.stats.tests import multiplicity, paired, resampling

Floats = Floats

RESAMPLING: Mapping[str, Callable[[Floats, int, np.random.Generator], Floats]] = MappingProxyType(
    {"permutation": resampling.permutation, "bootstrap": resampling.bootstrap, "tukey": resampling.tukey}
)
CLOSED: Mapping[str, Callable[[Floats], Floats]] = MappingProxyType(
    {"t": paired.t, "wilcoxon": paired.wilcoxon, "sign": paired.sign}
)
FEW_METRICS = 4
"""Systems are shown of so many metrics at most; more are a table for programs."""
MOST_LETTERS = 40
"""Above so many systems a compact letter display is no help, and may need thousands of letters."""


def significance(
    scores: xr.DataArray,
    *,
    metrics: str | Iterable[str] | None = None,
    test: Test = "t",
    correct: Correction = "holm",
    alpha: float = 0.05,
    resamples: int = 10_000,
    top: float | None = None,
    by: str | None = None,
    missing: Missing = "error",
    rng: int | np.random.Generator = 0,
) -> xr.Dataset:
    """Test every pair of systems for a difference in mean, two-sided, paired by topic.

    metrics : one or several; all by default. Each is corrected for its own pairs.
    test : t, wilcoxon, sign, permutation, bootstrap (studentised), or tukey (randomised Tukey HSD, which is corrected
    for all pairs by itself, so that `correct` does nothing). Systems that score the same on every topic have p = 1.
    correct : holm (any false rejection), bh (share of false rejections) or none.
    top, by, missing : what to use of the scores, as in `irmeta.cube.studied`.

    Returns over (pair, metric) difference (system_a less system_b), p, p_corrected, effect_size (mean difference over
    the standard deviation of differences) and significant; over (metric) share_significant, the discriminative power;
    over (system, metric) mean and rank. Sources: Smucker et al. (CIKM 2007), Sakai (SIGIR 2006), Carterette (2012).

    >>> from irmeta.cube import cube
    >>> topics = [[[0.1], [0.2], [0.3], [0.2]], [[0.4], [0.6], [0.5], [0.5]]]
    >>> significance(cube(topics, ["a", "b"], ["1", "2", "3", "4"], ["AP"]))["p"].item().__round__(5)
    0.00521
    """
    _check(test, correct, alpha, resamples)
    generator, chance = seeded(rng)
    scores, notes = studied(scores, metrics=metrics, top=top, by=by, missing=missing)
    if scores.sizes["system"] < 2 or scores.sizes["topic"] < 2:
        raise ScoresError("a paired test needs at least 2 systems and 2 topics (a system-wise table has means only)")
    left, right = np.triu_indices(scores.sizes["system"], 1)
    line = additive(scores)
    columns = [
        _tests(np.ascontiguousarray(line.values[..., m]), test, correct, resamples, generator)
        for m in steps(range(scores.sizes["metric"]), "metrics")
    ]
    data = {name: (("pair", "metric"), np.stack([column[name] for column in columns], axis=1)) for name in columns[0]}
    mean = means(scores)
    outcome = result(
        "significance",
        {**data, "mean": mean, "rank": (("system", "metric"), descriptive.ranks(mean.values.T).T)},
        inputs={scores.attrs.get("collection", "collection"): scores},
        options={
            **{"test": test, "correct": correct, "alpha": alpha, "top": top, "by": by, "missing": missing},
            **({"resamples": resamples, "seed": chance} if test in RESAMPLING else {}),
        },
        notes=notes + _notes(test, correct, alpha, resamples, scores) + _scale_notes(scores, data["effect_size"][1]),
    )
    outcome["significant"] = outcome["p_corrected"] < alpha
    outcome["share_significant"] = outcome["significant"].mean("pair")
    names = scores.system.values
    return outcome.assign_coords(system_a=("pair", names[left]), system_b=("pair", names[right]))


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Tables `tests` (a row a pair and metric), `systems` (those that share a letter do not differ), `power`."""
    metrics = [str(metric) for metric in outcome.metric.values]
    fields = ("difference", "p", "p_corrected", "effect_size", "significant")
    return {
        "tests": frame(outcome, ("metric", "system_a", "system_b"), fields).select(
            "system_a", "system_b", "metric", *fields
        ),
        "systems": pl.concat([_systems(outcome.sel(metric=metric), metric) for metric in metrics]),
        "power": frame(outcome, ("metric",), ("share_significant",)),
    }


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show power, systems where there are few metrics, and the tests themselves where they are few."""
    views = tables(outcome)
    if outcome.sizes["metric"] > FEW_METRICS:
        return {"power": views["power"]}
    return views if outcome.sizes["pair"] <= MOST_LETTERS else {name: views[name] for name in ("systems", "power")}


def findings(outcome: xr.Dataset) -> list[str]:
    """Say how many pairs differ, what that means for the best system, and what correction costs."""
    options, told = about(outcome)["options"], []
    for metric in outcome.metric.values:
        one = outcome.sel(metric=metric)
        differs = _matrix(one)
        best = int(one["rank"].values.argmin())
        alike = int((~differs[best]).sum()) - 1
        corrected = options["correct"] != "none" and options["test"] != "tukey"
        before = f"; {float((one['p'] < options['alpha']).mean()):.1%} before correction" if corrected else ""
        told.append(
            f"{metric}: {int(one['significant'].sum())} of {outcome.sizes['pair']} pairs differ significantly "
            f"({one['share_significant'].item():.1%}; "
            f"{options['test']}{', ' + options['correct'] if corrected else ''}, alpha {options['alpha']:g}{before}). "
            f"{alike} system{' is' if alike == 1 else 's are'} not significantly different from the best, "
            f"{outcome.system.values[best]}."
        )
    return told


def _check(test: Test, correct: Correction, alpha: float, resamples: int) -> None:
    require_choice("test", test, get_args(Test))
    require_choice("correct", correct, get_args(Correction))
    if not 0 < alpha < 1:
        raise ScoresError(f"alpha is between 0 and 1, as in 0.05, not {alpha:g}")
    if resamples < 100:
        raise ScoresError(f"{resamples} resamples are too few for a test at any level; use 1000 or more")


def _tests(
    scores: Floats, test: Test, correct: Correction, resamples: int, rng: np.random.Generator
) -> dict[str, Floats]:
    difference, effect, *closed = paired.over_pairs(partial(_quantities, test), scores)
    p = closed[0] if closed else RESAMPLING[test](scores, resamples, rng)
    corrections = {"holm": multiplicity.holm, "bh": multiplicity.bh}
    corrected = p if correct == "none" or test == "tukey" else corrections[correct](p)
    return {"difference": difference, "p": p, "p_corrected": corrected, "effect_size": effect}


def _quantities(test: Test, found: Floats) -> Floats:
    """Give the mean of differences (pair, topic), the effect size and, where it has a formula, p: (quantity, pair)."""
    closed = [CLOSED[test](found)] if test in CLOSED else []
    return np.stack([found.mean(axis=1), paired.effect_size(found), *closed])


def _notes(test: Test, correct: Correction, alpha: float, resamples: int, scores: xr.DataArray) -> list[str]:
    pairs = scores.sizes["system"] * (scores.sizes["system"] - 1) // 2
    if test == "tukey":
        return ["Tukey HSD is corrected for all pairs by itself; p_corrected is p"] if correct != "none" else []
    smallest = 1 / (resamples + 1)
    if test in RESAMPLING and correct == "holm" and smallest * pairs >= alpha:
        return [
            f"with {resamples} resamples no p is below {smallest:.2g}, and Holm's correction for {pairs} pairs needs "
            f"{alpha / pairs:.2g}: nothing can be significant; take {int(np.ceil(pairs / alpha))} resamples, or bh, or "
            "tukey"
        ]
    return []


def _scale_notes(scores: xr.DataArray, effect_size: Floats) -> list[str]:
    """Say which differences are not of scores, and which effect sizes no number can tell."""
    logs, constant = ", ".join(geometric(scores.metric.values)), int(np.isinf(effect_size).sum())
    lines = [f"{logs}: differences are of means of natural logarithms, as the means are geometric"] if logs else []
    if constant:
        lines.append(
            f"effect_size is infinite in {constant} tests: the two systems differ by the same on every topic (null in "
            "JSON)"
        )
    return lines


def _matrix(one: xr.Dataset) -> Bools:
    """Give which systems differ, as a symmetric matrix (system, system)."""
    size = one.sizes["system"]
    differs = np.zeros((size, size), dtype=np.bool_)
    differs[np.triu_indices(size, 1)] = one["significant"].values
    return differs | differs.T


def _systems(one: xr.Dataset, metric: str) -> pl.DataFrame:
    order = np.argsort(one["rank"].values, kind="stable")
    differs = _matrix(one)[np.ix_(order, order)]
    rank = one["rank"].values[order]
    few = len(order) <= MOST_LETTERS
    return pl.DataFrame(
        {
            "system": one.system.values[order].tolist(),
            "metric": [metric] * len(order),
            "mean": one["mean"].values[order],
            "rank": rank,
            "rank_low": np.where(differs, rank.max(), rank).min(axis=1),
            "rank_high": np.where(differs, 1, rank).max(axis=1),
            "letters": ["".join(map(_letter, groups)) for groups in multiplicity.letters(differs)] if few else None,
        },
        schema_overrides={"letters": pl.String},
    )


def _letter(number: int) -> str:
    return chr(ord("a") + number % 26) + "'" * (number // 26)
