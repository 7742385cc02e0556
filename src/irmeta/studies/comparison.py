"""Whether the same systems score alike on several collections: dRMSE and false positives, beside what chance gives."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Any, get_args

import numpy as np
import polars as pl
import xarray as xr

from irmeta import standardization
from irmeta.attributes import about
from irmeta.choices import Flat, Form, Missing
from irmeta.cube import additive, require_variation
from irmeta.cubes import by_name, studied_together
from irmeta.errors import MetricError, ScoresError, require_choice
from irmeta.names import parse
from irmeta.parallel import seeded, steps
from irmeta.result import frame, result
from irmeta.stats.arrays import Floats
from irmeta.stats.standardizing import comparability

FEW_METRICS = 4
"""Up to so many metrics are each spoken of."""
FEW = 10
"""With fewer systems than these a note says that the figures are rough."""

NORMALISED_FORM_OF = {"AP": "SP", "nDCG": "DCG"}
"""Metrics that are another divided by what an ideal ranking of the topic would get."""


def compare(
    cubes: Mapping[str, xr.DataArray],
    *,
    metrics: str | Iterable[str] | None = None,
    kinds: Sequence[Form] | None = None,
    randomise: int = 2000,
    alpha: float = 0.05,
    flat: Flat = "half",
    missing: Missing = "error",
    rng: int | np.random.Generator = 0,
) -> xr.Dataset:
    """Compare the scores that the same systems get on every pair of collections.

    metrics : those to compare by, by default those that all collections have.
    kinds : forms of the scores: raw, which is as they are, or a kind of standardization, with factors fitted on each
    collection's own systems (for others standardize first); raw and normal by default, raw for standardized cubes.
    randomise : times that each pair's topics are pooled and dealt anew, in sets of the old sizes.

    Returns over (pair, metric, kind) drmse and false_positives (systems that a two-sample t test at alpha finds
    different from themselves); for both the quantile among the random deals (0.5: as chance has it; near 1: the
    collections differ), and the mean and the 97.5th percentile of those. Systems that are not in every collection are
    left out, after the factors are fitted; a metric that scores all of them alike raises ScoresError.
    Source: Webber et al. (SIGIR 2008), section 5.
    """
    cubes = by_name(cubes)
    before = _standardized_before(cubes)
    kinds = list(dict.fromkeys(kinds or (("raw",) if before else ("raw", "normal"))))
    for kind in kinds:
        require_choice("kinds", kind, get_args(Form))
    require_choice("flat", flat, get_args(Flat))
    generator, chance = seeded(rng)
    if len(cubes) < 2:
        raise ScoresError("compare needs at least 2 collections: several score files, or one with several collections")
    if randomise < 1:
        raise ScoresError(f"{randomise} random deals give no distribution; use 1000 or more")
    if not 0 < alpha < 1:
        raise ScoresError(f"alpha is between 0 and 1, as in 0.05, not {alpha:g}")
    if before and kinds != ["raw"]:
        raise ScoresError(f"these scores are standardized already ({before}); compare them as they are: --kind raw")
    chosen, forms, notes = _prepare(cubes, metrics, kinds, flat, missing)
    names = [str(name) for name in next(iter(chosen.values())).metric.values]
    pairs = list(combinations(cubes, 2))
    cases = list(product(pairs, names, kinds))
    compared = _compared(forms, cases, randomise, alpha, generator)
    figures = list(steps(compared, "comparisons", total=len(cases)))
    by_figure = np.reshape(figures, (len(pairs), len(names), len(kinds), -1))
    outcome = result(
        "comparison",
        {
            **{name: (("pair", "metric", "kind"), by_figure[..., at]) for at, name in enumerate(_FIGURES)},
            "form": (("metric", "kind"), [[_form(name, kind, before) for kind in kinds] for name in names]),
            "systems": forms[kinds[0]][pairs[0][0]].sizes["system"],
        },
        inputs=chosen,
        options={
            **{"kinds": kinds, "randomise": randomise, "alpha": alpha, "flat": flat, "missing": missing},
            "seed": chance,
        },
        notes=[*notes, f"Monte-Carlo standard error of the quantiles: at most {0.5 / randomise**0.5:.3f}"],
    )
    a, b = (("pair", list(side)) for side in zip(*pairs, strict=True))
    return outcome.assign_coords(collection_a=a, collection_b=b, metric=names, kind=kinds)


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Tables `pairs` (a row a pair, metric and kind), `forms` (means over pairs), `chance` (what random deals give)."""
    names = ("collection_a", "collection_b", "metric", "kind")
    figures = ("drmse", "false_positives", "systems", "quantile", "false_positives_quantile")
    pairs = frame(outcome, names, figures).with_columns(pl.col("false_positives").cast(pl.Int64))
    chance = frame(outcome, names, _CHANCE)
    mean = pairs.with_columns(chance["drmse_mean"]).group_by("metric", "kind", maintain_order=True)
    forms = mean.agg(
        pl.col("drmse").mean(),
        chance_drmse=pl.col("drmse_mean").mean(),
        false_positive_rate=pl.col("false_positives").mean() / int(outcome["systems"]),
        largest_rate=pl.col("false_positives").max() / int(outcome["systems"]),
    )
    form = frame(outcome, ("metric", "kind"), ("form",))
    return {"pairs": pairs, "forms": form.join(forms, on=["metric", "kind"], maintain_order="left"), "chance": chance}


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show the pairs, narrower than as a table for programs, and the forms."""
    views = tables(outcome)
    pairs = views["pairs"].select(
        pl.format("{} / {}", "collection_a", "collection_b").alias("collections"),
        *("metric", "kind", "drmse", "quantile"),
        pl.format("{} of {}", "false_positives", "systems").alias("false_positives"),
        pl.col("false_positives_quantile").alias("their_quantile"),
    )
    return {"pairs": pairs, "forms": views["forms"]}


def findings(outcome: xr.Dataset) -> list[str]:
    """Say for each metric and form, or for each form of many metrics, how far collections agree, and chance would."""
    views = tables(outcome)
    apart = views["pairs"].filter((pl.col("quantile") > 0.975) | (pl.col("false_positives_quantile") > 0.975))
    if outcome.sizes["metric"] > FEW_METRICS:
        kinds = views["forms"].partition_by("kind", maintain_order=True)
        return [_of_kind(forms, apart.filter(kind=forms["kind"][0])) for forms in kinds]
    rows = views["forms"].iter_rows(named=True)
    return [_of_metric(row, apart.filter(metric=row["metric"], kind=row["kind"])) for row in rows]


def _of_metric(row: Mapping[str, Any], apart: pl.DataFrame) -> str:
    names = ", ".join(f"{a} with {b}" for a, b in apart.select("collection_a", "collection_b").iter_rows())
    return (
        f"{row['metric']} ({row['form']}{'' if row['kind'] == 'raw' else ', ' + row['kind']}): mean dRMSE "
        f"{row['drmse']:.3f}, {row['chance_drmse']:.3f} expected of topics dealt at random; "
        f"{row['false_positive_rate']:.1%} of systems differ from themselves. "
        + (f"Further apart than 97.5% of random deals: {names}." if names else f"No pair {_BEYOND}.")
    )


def _of_kind(forms: pl.DataFrame, apart: pl.DataFrame) -> str:
    metrics = apart["metric"].unique(maintain_order=True).to_list()
    (drmse, most_drmse), (rate, most) = (
        (min(values), max(values)) for values in (forms["drmse"].to_list(), forms["false_positive_rate"].to_list())
    )
    some = f"{len(metrics)} of them" if len(metrics) < forms.height else "all of them"
    which = f": {', '.join(metrics)}" if len(metrics) < forms.height else ""
    return (
        f"{forms['kind'][0]}: mean dRMSE of the {forms.height} metrics is {drmse:.3f} to {most_drmse:.3f}; "
        f"{rate:.1%} to {most:.1%} of systems differ from themselves. "
        + (f"On {some} some pair {_BEYOND}{which}." if metrics else f"No pair {_BEYOND}.")
    )


_BEYOND = "is further apart than 97.5% of random deals"
_CHANCE = ("drmse_mean", "drmse_high", "false_positive_rate_mean", "false_positive_rate_high")
_FIGURES = ("drmse", "false_positives", "quantile", "false_positives_quantile", *_CHANCE)


def _compared(
    forms: Mapping[Form, Mapping[str, xr.DataArray]],
    cases: Sequence[tuple[tuple[str, str], str, Form]],
    randomise: int,
    alpha: float,
    rng: np.random.Generator,
) -> Iterator[list[float]]:
    """Give the figures, in the order of _FIGURES, of each pair of collections, metric and kind."""
    scores = {
        (name, str(metric), kind): np.ascontiguousarray(one.values[..., m])
        for kind, cubes in forms.items()
        for name, one in cubes.items()
        for m, metric in enumerate(one.metric.values)
    }
    keys = [((a, metric, kind), (b, metric, kind)) for (a, b), metric, kind in cases]
    for (a, b), chance in zip(keys, comparability.repartitions(scores, keys, randomise, rng, alpha), strict=True):
        yield _figures(scores[a], scores[b], alpha, *chance)


def _figures(one: Floats, other: Floats, alpha: float, chance: Floats, chance_rates: Floats) -> list[float]:
    """Compare scores (system, topic) on two collections: with each other, and that with random deals."""
    observed = comparability.drmse(one.mean(axis=1), other.mean(axis=1))
    positives = comparability.differs_from_itself(one, other, alpha)
    figures = (
        observed,
        positives.sum(),
        comparability.quantile(observed, chance),
        comparability.quantile(positives.mean(), chance_rates),
        *(figure for part in (chance, chance_rates) for figure in (part.mean(), np.quantile(part, 0.975))),
    )
    return [float(figure) for figure in figures]


def _standardized_before(cubes: Mapping[str, xr.DataArray]) -> str | None:
    """Name the kind that all cubes were standardized by; none if they are raw; different ones raise ScoresError."""
    kinds = {name: about(scores).get("standardization", {}).get("kind") for name, scores in cubes.items()}
    if len(set(kinds.values())) > 1:
        listed = ", ".join(f"{name} {kind or 'raw'}" for name, kind in kinds.items())
        raise ScoresError(f"scores compare in one form only, and these are: {listed}; standardize all alike, or none")
    return next(iter(kinds.values()))


def _prepare(
    cubes: Mapping[str, xr.DataArray],
    metrics: str | Iterable[str] | None,
    kinds: Sequence[Form],
    flat: Flat,
    missing: Missing,
) -> tuple[dict[str, xr.DataArray], dict[Form, dict[str, xr.DataArray]], list[str]]:
    """Give the cubes as used, each of them in each form with the systems that all have, and notes."""
    chosen, notes = studied_together(cubes, metrics=metrics, missing=missing)
    systems, told = _common_systems(chosen)
    notes += told
    forms: dict[Form, dict[str, xr.DataArray]] = {kind: {} for kind in kinds}
    for kind, (name, scores) in product(kinds, chosen.items()):
        form, told = _form_of(scores, kind, flat)
        if (topics := form.sizes["topic"]) < 2:
            dropped = ", once flat topics are dropped" if topics < scores.sizes["topic"] else ""
            raise ScoresError(
                f"{name} has {topics} topic{'s' * (topics != 1)}{dropped}; a t test over topics takes 2 or more"
            )
        forms[kind][name] = form = form.sel(system=systems)
        require_variation(form.mean("topic").values.T, form.metric.values, f" on {name}")
        notes += [f"{name}, {line}" for line in told]
    return chosen, forms, notes


def _common_systems(cubes: Mapping[str, xr.DataArray]) -> tuple[list[str], list[str]]:
    """Name the systems that every cube has, in the order of the first, and note how many each loses by that."""
    first = next(iter(cubes.values())).system.values
    common = [str(name) for name in first if all(name in scores.indexes["system"] for scores in cubes.values())]
    if len(common) < 2:
        raise ScoresError(
            f"the collections ({', '.join(cubes)}) have {len(common)} systems in common; the same systems, under the "
            "same names, must have run on all of them"
        )
    notes = [
        f"{name}: {scores.sizes['system'] - len(common)} systems are not in every collection: left out"
        for name, scores in cubes.items()
        if scores.sizes["system"] > len(common)
    ]
    if len(common) < FEW:
        notes.append(f"only {len(common)} systems are in every collection: dRMSE and false positives are rough")
    if all(re.fullmatch(r"(run|sys|system)?[-_ ]?\d+", name, re.IGNORECASE) for name in common):
        notes.append(
            f"systems are matched by name, and names like {common[0]!r} tell nothing: unless they are the same systems "
            "on every collection, these figures mean nothing"
        )
    return common, notes


def _form_of(scores: xr.DataArray, kind: Form, flat: Flat) -> tuple[xr.DataArray, list[str]]:
    """Give a cube in one form, and what is to be said of its topics."""
    if kind == "raw":
        return additive(scores), []
    standardized = standardization.apply(scores, standardization.fit(scores), kind, flat=flat)
    return standardized, [f"{kind}: {line}" for line in standardization.flat_topics(standardized)]


def _form(metric: str, kind: str, before: str | None) -> str:
    if kind != "raw":
        return "standardized"
    if before:
        return f"standardized, {before}"
    try:
        base = parse(metric).base
    except MetricError:  # a metric of the user's own
        return "raw"
    return f"{NORMALISED_FORM_OF[base]}, R-normalised" if base in NORMALISED_FORM_OF else "raw"
