"""Section 3 and Figure 3: how far scores of one collection, TREC-8, vary with the topic."""

from collections.abc import Iterator, Mapping

import numpy as np
import xarray as xr

from irmeta.scores import standardization
from irmeta.scores.selection import top_systems
from irmeta.stats import descriptive
from irmeta.stats.arrays import Floats
from irmeta.stats.reliability.components import components
from irmeta.studies.checks.reproduction import Cell, claim, compare, ours_only
from irmeta.studies.differences.description.study import describe

RULES = {
    "ceil(p n)": lambda p, n: np.ceil(p * n - 1e-9),
    "p n + 1/2": lambda p, n: p * n + 1 / 2,
    "p (n + 1)": lambda p, n: p * (n + 1),
    "p (n + 1/3) + 1/3": lambda p, n: p * (n + 1 / 3) + 1 / 3,
    "p (n - 1) + 1": lambda p, n: p * (n - 1) + 1,
}
"""Where a percentile stands among n values in falling order, by the rules in use; the paper does not say which."""

FACTORS = (
    ("system", "mean", "mean", 2.5, 0.05),
    ("topic", "mean", "mean", 15, 0.5),
    ("topic", "mean", "sd", 2.5, 0.05),
    ("topic", "sd", "sd", 6, 0.5),
)
"""Of what, ordered by what, which figure, the factor printed for its 1st over its 75th percentile, and how near."""

NOT_75 = "no rule for percentiles gives it; that of the 90th percentile is as printed"
EFFECTS = ("systems", "topics", "the rest")
NO_NUMBER = "'similar' has no number in the paper; we ask for 1.5"


def spread_cells(scores: xr.DataArray, trec3: xr.DataArray) -> Iterator[Cell]:
    """Return Figures 2 and 3, Table 1, and what is said of the reliability of topics and of effects (on TREC-3)."""
    yield from _flab8atdn(scores)
    yield from _distribution(scores)
    best = describe(top_systems(scores, 0.75)).isel(metric=0)
    correlation = np.corrcoef(best["reliability"], best["topic_sd"])[0, 1]
    row, column = "topic reliability", "correlation with sd"
    yield compare("Section 3", row, column, 0.005, correlation, within=0.0005)
    yield from _percentiles(scores[..., 0])
    yield from _effects(
        {"TREC-3": trec3[..., 0].values, "TREC-8": scores[..., 0].values}
    )


def _effects(scores: Mapping[str, Floats]) -> Iterator[Cell]:
    """Return the shares of variance of systems, topics and both; the paper takes them from a study of TREC-3."""
    for name, values in scores.items():
        variances = [float(part) for part in components(values).variances]
        systems, topics, _ = variances
        row = f"AP on {name}"
        for what, part in zip(EFFECTS, variances, strict=True):
            share = part / sum(variances)
            yield ours_only("Section 6", row, f"share of variance, {what}", share)
        column = "topic variance over system variance"
        ratio = topics / systems
        if name == "TREC-3":
            said = "Tague-Sutcliffe and Blustein: the topic effect is much stronger than the system effect"
            yield claim("Section 6", row, column, ratio, said=said, least=2)
        else:
            yield ours_only("Section 6", row, column, ratio)


def _flab8atdn(scores: xr.DataArray) -> Iterator[Cell]:
    """Return what Figure 2 says of one system. Scores have no names; the paper ranks it 13th, so that one is meant."""
    described = describe(scores).isel(metric=0)
    at = int(np.flatnonzero(described["rank"].values == 13)[0])
    line = scores.isel(metric=0).transpose("system", "topic").values
    ends = line.mean(axis=1), *descriptive.t_interval(line)
    published = (("mean", 0.324), ("low", 0.262), ("high", 0.386))
    row = "Flab8atdn, 13th of 129"
    for (name, value), found in zip(published, ends, strict=True):
        ours = float(found[at])
        yield compare("Figure 2", row, name, value, ours, within=0.0005)
    # the paper's ranks are of the systems whose intervals overlap
    ranks = descriptive.rank_intervals(*ends)
    for (name, rank), found in zip(
        (("rank_low", 2), ("rank_high", 94)), ranks, strict=True
    ):
        yield compare("Figure 2", row, name, rank, found[at], within=0)


def _distribution(scores: xr.DataArray) -> Iterator[Cell]:
    """Check the quartiles of standardized scores, and the share of raw scores that are low."""
    standardized = standardization.apply(scores, standardization.fit(scores))
    quartiles = np.quantile(standardized.values, [0.25, 0.5, 0.75])
    for name, value, ours in zip(
        ("25%", "50%", "75%"), (0.26, 0.50, 0.74), quartiles, strict=True
    ):
        yield compare("Figure 3", "standardized AP", name, value, ours, within=0.005)
    below = float((scores.values < 0.2).mean())
    yield claim(
        *("Figure 3", "AP", "share below 0.2", below),
        said="almost half",
        least=0.45,
        most=0.5,
        known="more than half are",
    )


def _percentiles(scores: xr.DataArray) -> Iterator[Cell]:
    """Return Table 1: the factor between percentiles by every rule, and the figures themselves by the first rule."""
    for of, order, column, published, within in FACTORS:
        by_rule = {
            last: _factors(scores, of, order, column, last) for last in (0.75, 0.9)
        }
        nearest = min(by_rule[0.75].values(), key=lambda ours: abs(ours - published))
        row = f"{of}s by {order}"
        name = f"{column}, 1st over 75th percentile"
        told = ", ".join(
            f"{rule} {factor:.2f}" for rule, factor in by_rule[0.75].items()
        )
        yield compare(
            *("Table 1", row, name, published, nearest),
            within=within,
            note=f"by rule: {told}",
            known=NOT_75,
        )
        at_90, name = by_rule[0.9]["ceil(p n)"], f"{column}, 1st over 90th percentile"
        yield ours_only("Table 1", row, name, at_90, "the position is ceil(p n)")
    mean, sd = _figures(scores, "system")
    listed = [_at(sd, mean, percent / 100, "ceil(p n)") for percent in (1, 10, 40, 75)]
    said = f"system standard deviations are remarkably similar ({NO_NUMBER})"
    apart = max(listed) / min(listed)
    row, name = "systems by mean", "sd, largest over smallest listed"
    yield claim("Table 1", row, name, apart, said=said, most=1.5)
    for of in ("system", "topic"):
        mean, sd = _figures(scores, of)
        for percent in (1, 10, 40, 75, 90):
            for name, values in (("mean", mean), ("sd", sd)):
                ours = _at(values, mean, percent / 100, "ceil(p n)")
                column = f"{name}, percentile {percent}"
                note = "the position is ceil(p n)"
                yield ours_only("Table 1", f"{of}s", column, ours, note)


def _factors(
    scores: xr.DataArray, of: str, order: str, column: str, last: float
) -> dict[str, float]:
    """Return the factor between the 1st percentile and the last, by rule."""
    figures = dict(zip(("mean", "sd"), _figures(scores, of), strict=True))
    values = figures[column]
    by = figures[order]
    return {
        rule: _at(values, by, 0.01, rule) / _at(values, by, last, rule)
        for rule in RULES
    }


def _figures(scores: xr.DataArray, of: str) -> tuple[Floats, Floats]:
    """Return the mean and the standard deviation of every system, or topic."""
    other = "topic" if of == "system" else "system"
    return scores.mean(other).values, scores.std(other, ddof=1).values


def _at(values: Floats, by: Floats, percentile: float, rule: str) -> float:
    """Return the value at a percentile of the falling order `by`, between two of them where the rule says so."""
    ordered = values[np.argsort(-by, kind="stable")]
    position = RULES[rule](percentile, len(values))
    return float(np.interp(position, np.arange(1, len(values) + 1), ordered))
