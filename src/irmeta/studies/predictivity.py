"""Which metrics foretell results on new topics: predictive power from random halves of the topics."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, get_args

import numpy as np
import polars as pl
import scipy.stats
import xarray as xr

from irmeta import cube
from irmeta.attributes import about
from irmeta.choices import Missing, Ties, TopOn
from irmeta.errors import ScoresError, require_choice
from irmeta.names import canonical
from irmeta.parallel import seeded
from irmeta.result import result, short, square
from irmeta.stats.arrays import Floats
from irmeta.stats.halves.halving import Agreement, halves, shuffles, split_half
from irmeta.stats.halves.jackknife import advantage_variance

_PAIR = ("metric", "metric_2")


def predictivity(
    scores: xr.DataArray,
    *,
    metrics: str | Iterable[str] | None = None,
    partitions: int = 2000,
    top: float | None = None,
    by: str | None = None,
    top_on: TopOn = "all",
    sizes: Sequence[int] = (),
    tau: Ties = "b",
    missing: Missing = "error",
    rng: int | np.random.Generator = 0,
) -> xr.Dataset:
    """Measure how well the ranking by one metric on half of the topics foretells the ranking by another on the rest.

    top, by : rank only the best floor(top x systems) by mean `by`, on all topics or, with top_on="half", on one half.
    metrics, missing : what else to use of the scores, as in `irmeta.cube.studied`.
    sizes : also draw disjoint pairs of so many topics each. An odd number of topics is halved as evenly as it goes.
    tau : "b" or "a". rng : a seed or a generator. At least 2 systems and 4 topics, else ScoresError.

    Gives `phi` (metric, metric_2) in [-1, 1] with its Monte-Carlo standard error `se`; `advantage` (predictor metric,
    target metric_2), phi(A, B) - phi(B, B), with its 95% interval `low`, `high` over samples of topics and systems;
    `lead`, the mean phi of A with all metrics, itself among them, less that of B, with its Monte-Carlo error `lead_se`;
    with sizes `curve` and `curve_se` (size, metric, metric_2). Source: Webber et al. (SIGIR 2008).

    >>> rng = np.random.default_rng(1)
    >>> noise = rng.normal(size=(8, 10, 2)) * [0.1, 0.5]
    >>> scores = np.arange(8)[:, None, None] / 8 + noise
    >>> scores = cube.cube(scores, list("abcdefgh"), [str(topic) for topic in range(10)], ["AP", "RR"])
    >>> power = predictivity(scores, partitions=100)
    >>> bool(power["advantage"].sel(metric="AP", metric_2="RR") > 0)
    True
    """
    require_choice("top_on", top_on, get_args(TopOn))
    require_choice("tau", tau, get_args(Ties))
    generator, chance = seeded(rng)
    if top_on == "half" and top is None:
        raise ScoresError("systems are chosen on one half only with a share of them to keep, as in --top 0.75")
    names = cube.select(scores, metrics=metrics)["metric"].values.tolist()
    if top is not None:
        by = cube.default_by(scores.sel(metric=names)) if by is None else canonical(by)
    best = None
    if top is not None and by is not None and top_on == "half":
        both, notes = cube.studied(scores, metrics=[*names, by], missing=missing)
        used, best = both.sel(metric=names), _best(both, top, by)
        kept = f"{best[0]} of {both.sizes['system']} systems: the top {top:g} by {by}"
        notes.append(f"{kept} on one half of the topics, each half in turn")
    else:
        used, notes = cube.studied(scores, metrics=names, top=top, by=by, missing=missing)
    values, topics = cube.additive(used).values, used.sizes["topic"]
    _check(used, partitions, sizes)

    half_sizes = (topics // 2, topics - topics // 2)
    whole, *curve = split_half(
        values,
        [half_sizes, *((n, n) for n in sizes)],
        partitions,
        generator,
        ties=tau,
        best=best,
    )
    few = 0 if best else min(partitions, max(20, min(100, 10_000 // len(values))))  # more change no second digit
    half = np.full(whole.phi.shape, np.nan)
    if few:
        drawn = halves(shuffles(topics, few, generator), half_sizes)
        variance = advantage_variance(values, drawn, ties=tau)
        half = _quantile(values) * np.sqrt(np.maximum(variance, 0) + whole.difference_se**2)

    data: dict[str, Any] = dict.fromkeys(_PAIR, used["metric"].values)
    figures = {"phi": whole.phi, "se": whole.se, "advantage": whole.difference}
    figures |= {"low": whole.difference - half, "high": whole.difference + half}
    figures |= {"lead": whole.lead, "lead_se": whole.lead_se}
    data |= {name: (_PAIR, figure) for name, figure in figures.items()}
    if sizes:
        data |= {"size": list(sizes), "curve": (("size", *_PAIR), np.stack([one.phi for one in curve]))}
        data |= {"curve_se": (("size", *_PAIR), np.stack([one.se for one in curve]))}
    options = {
        "partitions": partitions,
        "halves": list(half_sizes),
        "coefficient": f"Kendall tau-{tau}",
        "top": top,
        "by": by,
        "top_on": top_on if top is not None else None,
        "sizes": list(sizes),
        "interval_partitions": few,
        "missing": missing,
        "seed": chance,
    }
    inputs = {str(scores.attrs.get("collection", "collection")): used}
    notes += _notes(used, options, [whole, *curve], used.sizes["system"] if best is None else best[0])
    return result("predictivity", data, inputs=inputs, options=options, notes=notes)


def _check(used: xr.DataArray, partitions: int, sizes: Sequence[int]) -> None:
    systems, topics = used.sizes["system"], used.sizes["topic"]
    if systems < 2 or topics < 4:
        raise ScoresError(f"predictive power needs 2 systems and 4 topics or more; there are {systems} and {topics}")
    if partitions < 2:
        raise ScoresError(f"{partitions} partitions: a mean with its error needs 2 or more, as in 2000")
    wrong = [n for n in sizes if not 1 <= n <= topics // 2]
    if wrong:
        raise ScoresError(f"two disjoint sets of {wrong[0]} topics cannot be drawn from {topics}: 1 to {topics // 2}")
    cube.require_variation(cube.means(used).values.T, used["metric"].values)


def _best(scores: xr.DataArray, top: float, by: str) -> tuple[int, Floats]:
    """Give how many systems are the best, and the scores (system, topic) that say which."""
    kept = cube.top_systems(scores, top, by).sizes["system"]
    if kept < 2:
        raise ScoresError(
            f"a share of {top} leaves {kept} of {scores.sizes['system']} systems; 2 or more can be ranked"
        )
    return kept, cube.additive(cube.select(scores, metrics=[by])).values[..., 0]


def _quantile(values: Floats) -> float:
    return float(scipy.stats.t.ppf(0.975, min(values.shape[:2]) - 1))


def _notes(used: xr.DataArray, options: dict[str, Any], drawn: Sequence[Agreement], kept: int) -> list[str]:
    first, second = options["halves"]
    lines = [
        f"{options['coefficient']} between rankings of {kept} systems on {first} and on {second} topics, "
        f"mean of {options['partitions']} random partitions; means are compared to 10 decimals."
    ]
    error = max(float(one.se.max()) for one in drawn)
    lines.append(f"The Monte-Carlo standard error of phi is {short(error, 4)} at most.")
    if options["top_on"] != "half":
        lines.append(
            "advantage: phi(predictor, target) - phi(target, target); 95% interval over samples of topics and systems."
        )
    else:
        lines.append("No intervals: they are not defined where each partition has its own systems.")
    undefined = np.sum([one.undefined for one in drawn], axis=0)
    lines += [
        f"{name} ties all systems in {count} sets of topics; tau counts 0 there."
        for name, count in zip(used["metric"].values, undefined, strict=True)
        if count
    ]
    return lines


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Tables `phi`, `advantage` and, where sizes were given, `curve`; phi is symmetric and listed once a pair."""
    names = [str(name) for name in outcome["metric"].values]
    pairs = [(i, j) for i in range(len(names)) for j in range(i, len(names))]
    ordered = [(i, j) for i in range(len(names)) for j in range(len(names)) if i != j]
    views = {
        "phi": _long(names, pairs, ("metric_a", "metric_b"), {name: outcome[name].values for name in ("phi", "se")}),
        "advantage": _long(
            names,
            ordered,
            ("predictor", "target"),
            {"difference": outcome["advantage"].values, "low": outcome["low"].values, "high": outcome["high"].values},
        ),
    }
    if "curve" in outcome:
        parts = [
            _long(names, pairs, ("metric_a", "metric_b"), {"phi": phi, "se": se}).insert_column(
                0, pl.Series("topics", [size] * len(pairs))
            )
            for (size, phi), se in zip(_sizes(outcome), outcome["curve_se"].values, strict=True)
        ]
        views["curve"] = pl.concat(parts)
    return views


def _sizes(outcome: xr.Dataset) -> Iterator[tuple[int, Floats]]:
    return zip(outcome["size"].values.tolist(), outcome["curve"].values, strict=True)


def _long(
    names: Sequence[str],
    pairs: Sequence[tuple[int, int]],
    heads: tuple[str, str],
    figures: dict[str, Floats],
) -> pl.DataFrame:
    columns = {head: [names[pair[side]] for pair in pairs] for side, head in enumerate(heads)}
    schema = dict.fromkeys(heads, pl.String) | dict.fromkeys(figures, pl.Float64)
    return pl.DataFrame({**columns, **{name: [float(v[p]) for p in pairs] for name, v in figures.items()}}, schema)


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Give phi as the upper triangle of a matrix, as papers print it, advantages as a matrix, and the curve."""
    names = [str(name) for name in outcome["metric"].values]
    phi, gain = outcome["phi"].values, outcome["advantage"].values
    clear = (outcome["low"].values > 0) | (outcome["high"].values < 0)
    count = range(len(names))
    cells = [["" if i == j else short(gain[i, j], sign=True) + "*" * int(clear[i, j]) for j in count] for i in count]
    views = {
        "phi": square(names, [[short(phi[i, j]) if j >= i else "" for j in count] for i in count]),
        "advantage (* clear of 0)": square(names, cells, "predictor"),
    }
    if "curve" in outcome:
        sizes = {str(size): [short(at[i, j]) for i in count for j in count if j >= i] for size, at in _sizes(outcome)}
        pairs = [f"{names[i]}, {names[j]}" if i != j else names[i] for i in count for j in count if j >= i]
        views["phi by topics"] = pl.DataFrame({"metrics": pairs, **sizes})
    return views


def findings(outcome: xr.Dataset) -> list[str]:
    """Say which metric foretells all of them best, and which others it foretells as well as they do themselves."""
    names = [str(name) for name in outcome["metric"].values]
    where = next(iter(about(outcome)["inputs"]["collections"]))
    if len(names) == 1:
        return [f"On {where} {names[0]} foretells itself on new topics with phi {short(outcome['phi'].item())}."]
    best, beside = best_predictor(outcome), [names[other] for other in _rivals(outcome)]
    phi = outcome["phi"].values[best]
    lines = [
        f"On {where} {names[best]} foretells the {len(names)} metrics, itself among them, best: with mean phi "
        f"{short(phi.mean(), 3)}, with itself {short(phi[best])}."
    ]
    if beside:
        lines = [
            f"On {where} {' and '.join((names[best], *beside))} foretell the {len(names)} metrics, themselves among "
            f"them, best: with mean phi {short(phi.mean(), 3)}, or less by no more than Monte-Carlo error. "
            f"Of {names[best]}, whose phi with itself is {short(phi[best])}:"
        ]
    targets = [target for target in range(len(names)) if target != best]
    if len(targets) <= 2:
        return lines + [_verdict(outcome, best, target) for target in targets]
    listed = {name: [names[target] for target in targets if _kind(outcome, best, target) == name] for name in _VERDICTS}
    return lines + [f"{_VERDICTS[name][1]}: {', '.join(listed[name])}." for name in _VERDICTS if listed[name]]


def best_predictor(outcome: xr.Dataset) -> int:
    """Find the metric with the largest mean phi with all metrics, itself among them.

    All are measured by the same targets so. It is the metric with the largest sum of advantages, too: that of A is the
    sum of its phi less a number that is the same for all.
    """
    return int(outcome["phi"].values.mean(axis=1).argmax())


def _rivals(outcome: xr.Dataset) -> list[int]:
    """Find the metrics that the best one leads by no more than two standard errors of the partitions drawn."""
    best = best_predictor(outcome)
    lead, error = (outcome[name].values[best] for name in ("lead", "lead_se"))
    order = np.argsort(lead, kind="stable")
    return [int(other) for other in order if other != best and lead[other] <= 2 * error[other]]


MARGIN = 0.05
"""A loss of phi that we call none, one pair of systems in forty ranked otherwise, where an interval stays within it."""

_VERDICTS = {
    "better": (
        "{a} predicts {b} better than {b} does",
        "It predicts better than they do themselves",
        "{b} beside it tells no more about new topics",
    ),
    "same": (
        "{a} predicts {b} as well as {b} does",
        "It predicts as well as they do themselves, so reporting them adds nothing that these topics can show",
        "reporting {b} beside it adds nothing that these topics can show",
    ),
    "open": (
        "{a} predicts {b} as well as {b} does, or worse",
        "It may predict as well as they do themselves or worse: these topics and systems cannot tell",
        "these topics and systems cannot tell",
    ),
    "worse": (
        "{a} predicts {b} worse than {b} does",
        "It predicts worse than they do themselves, so they add to it",
        "{b} tells something about new topics that {a} does not",
    ),
    "unsure": (
        "{a} beside {b} itself as a predictor of {b}",
        "No intervals, so nothing is said of",
        "there is no interval to judge it by",
    ),
}
"""For each verdict: of one target, of several, and what follows."""


def _kind(outcome: xr.Dataset, predictor: int, target: int) -> str:
    low, high = (float(outcome[name].values[predictor, target]) for name in ("low", "high"))
    if np.isnan(low):
        return "unsure"
    if low > 0 or high < 0:
        return "better" if low > 0 else "worse"
    return "same" if low >= -MARGIN else "open"


def _verdict(outcome: xr.Dataset, predictor: int, target: int) -> str:
    a, b = (str(outcome["metric"].values[at]) for at in (predictor, target))
    gain, low, high = (float(outcome[name].values[predictor, target]) for name in ("advantage", "low", "high"))
    said, _, so = (part.format(a=a, b=b) for part in _VERDICTS[_kind(outcome, predictor, target)])
    interval = "" if np.isnan(low) else f", 95% interval {short(low)} to {short(high)}"
    return f"{said}: difference {short(gain, 3)}{interval}; {so}."
