"""Which metrics predict results on new topics: predictive power from random halves of the topics."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from scipy.special import stdtrit

from irmeta.choices import Missing, Ties, TopOn
from irmeta.errors import ScoresError
from irmeta.parallel import seeded
from irmeta.scores import selection
from irmeta.scores.attributes import about
from irmeta.scores.averages import means
from irmeta.scores.figures import short
from irmeta.scores.groups.teams import Grouping, teams_of
from irmeta.scores.notes import Method
from irmeta.scores.result import result
from irmeta.stats.arrays import Floats
from irmeta.stats.halves.halving import Agreement, halves, shuffles, split_half
from irmeta.stats.halves.jackknife import Variances, known, variances
from irmeta.stats.tests.multiplicity import range_quantile
from irmeta.studies.door import Cube, study
from irmeta.words import counted

_PAIR = ("metric", "metric_2")


@study
def predictivity(
    scores: Cube,
    *,
    metrics: str | Iterable[str] | None = None,
    partitions: int = 2000,
    top: float | None = None,
    by: str | None = None,
    top_on: TopOn = "all",
    sizes: Sequence[int] = (),
    tau: Ties = "b",
    teams: Grouping = None,
    missing: Missing = "error",
    rng: int | np.random.Generator = 0,
) -> xr.Dataset:
    """Measure how well the ranking by one metric on half of the topics predicts the ranking by another on the rest.

    scores : a cube
    top_on : which systems `top` keeps: "all", the best systems on all topics, "half", those on one half of each
        partition
    top, by : rank only the best floor(top x systems) by mean `by`, on all topics or, with top_on="half", on one half
    metrics, missing : what else to use of the scores, as in `selection.prepare`
    partitions : number of random partitions of the topics to average over, at least 2
    sizes : also compute phi by these numbers of topics in each half, as in 5,10,15, in disjoint pairs of topics; an odd
        number of topics is halved as evenly as it goes
    teams : the teams of the systems, which intervals take as independent: a table, "stem" of their names or "each" by
        itself; by default stems where many names share one, and else no verdict that needs teams
    tau : the rank correlation coefficient: "b" or "a"
    rng : a seed or a generator. At least 2 systems and 4 topics, else ScoresError

    Returns `phi` (metric, metric_2) in [-1, 1] with its 95% interval `phi_low`, `phi_high` over samples of topics and
    systems and its Monte-Carlo standard error `se`; `mean_phi` (metric), with all metrics, itself among them, with
    `mean_phi_low`, `mean_phi_high`; `advantage` (predictor metric,
    target metric_2), phi(A, B) - phi(B, B), with its 95% interval `low`, `high` over samples of topics and systems, and
    the wider `joint_low`, `joint_high` for all pairs at once, NaN where hardly a system ever changes its place; `lead`,
    the mean phi of A with all metrics, itself among them, less that of B, with its Monte-Carlo error `lead_se` and the
    lower end `lead_low` of its joint interval; with sizes `curve` and `curve_se` (size, metric, metric_2).
    Source: Webber et al. (SIGIR 2008).

    >>> rng = np.random.default_rng(1)
    >>> noise = rng.normal(size=(8, 10, 2)) * [0.1, 0.5]
    >>> scores = np.arange(8)[:, None, None] / 8 + noise
    >>> from irmeta.scores.cube import cube
    >>> scores = cube(scores, list("abcdefgh"), [str(topic) for topic in range(10)], ["AP", "RR"])
    >>> power = predictivity(scores, partitions=100)
    >>> bool(power["advantage"].sel(metric="AP", metric_2="RR") > 0)
    True
    """
    generator = seeded(rng)[0]
    chosen = _chosen(scores, metrics, top, by, top_on, missing)
    used = chosen.scores
    selection.require_topics(used)
    _check(used, partitions, sizes)

    values = means.additive(used).values
    topics = used.sizes["topic"]
    half_sizes = (topics // 2, topics - topics // 2)
    drawn_sizes = [half_sizes, *((n, n) for n in sizes)]
    drawn = split_half(
        values, drawn_sizes, partitions, generator, ties=tau, best=chosen.best
    )
    whole = drawn[0]
    curve = drawn[1:]
    few = 0 if chosen.best else _interval_partitions(partitions, len(values))
    unknown = np.full(whole.phi.shape, np.nan)
    errors = _Errors(unknown, unknown, unknown, unknown[0])
    team = teams_of(used["system"].values, teams, values)
    if few:
        members = halves(shuffles(topics, few, generator), half_sizes)
        errors = _errors(whole, variances(values, members, ties=tau, team=team.of))
    freedom = min(len(team.names), topics) - 1

    options = {
        "partitions": partitions,
        "halves": list(half_sizes),
        "coefficient": f"Kendall tau-{tau}",
        "by": chosen.by,
        "top_on": top_on if top is not None else None,
        "interval_partitions": few,
        **team.options,
    }
    figures = _labelled_figures(used["metric"].values, whole, errors, freedom)
    return result(
        "predictivity",
        figures | _curve(sizes, curve),
        inputs={str(scores.attrs.get("collection", "collection")): used},
        options=options,
        notes=chosen.notes
        + _notes(used, options, drawn, errors, chosen.ranked)
        + _no_variation_notes(errors, few)
        + [team.note()] * bool(few),
    )


class _Chosen(NamedTuple):
    """The scores to study, and the systems of them that are ranked."""

    scores: xr.DataArray
    by: str | None  # the metric that says which systems are best
    ranked: int  # systems in a ranking
    # where each half chooses its own best: how many, and the scores that say which
    best: tuple[int, Floats] | None
    notes: list[str]


def _chosen(
    scores: xr.DataArray,
    metrics: str | Iterable[str] | None,
    top: float | None,
    by: str | None,
    top_on: TopOn,
    missing: Missing,
) -> _Chosen:
    """Choose the metrics and the systems to study; `top_on="half"` leaves the choice of systems to the halves."""
    if top_on == "half" and top is None:
        raise ScoresError("--top-on half needs --top, as in --top 0.75")
    names = selection.select(scores, metrics=metrics)["metric"].values.tolist()
    deeper = selection.deeper_metrics(metrics, names)
    if top is not None:
        if by is None:
            by = selection.main_metric(scores.sel(metric=names))
        else:
            by = selection.metric_of(scores, by)
    if top is None or by is None or top_on == "all":
        used, notes = selection.prepare(
            scores, metrics=names, top=top, by=by, missing=missing
        )
        return _Chosen(used, by, used.sizes["system"], None, deeper + notes)
    both, notes = selection.prepare(scores, metrics=[*names, by], missing=missing)
    notes = deeper + notes
    kept, order = _best_systems(both, top, by)
    systems = both.sizes["system"]
    notes.append(
        f"{kept} of {systems} systems: the top {top:g} by {by} on one half of the topics, each half in turn"
    )
    return _Chosen(both.sel(metric=names), by, kept, (kept, order), notes)


def _interval_partitions(partitions: int, systems: int) -> int:
    """Return how many partitions intervals are computed on: 20 to 100; more change no second digit."""
    enough = max(20, min(100, 10_000 // systems))
    return min(partitions, enough)


class _Errors(NamedTuple):
    """Standard errors over samples of topics and systems: (metric, metric), and of mean phi (metric,)."""

    advantage: Floats
    lead: Floats
    phi: Floats
    mean_phi: Floats


def _errors(whole: Agreement, over_samples: Variances) -> _Errors:
    """Return sqrt(variance + Monte-Carlo error^2); advantage and lead of a metric over itself have none.

    NaN where no variance is found: so few systems ever change places that it says nothing of other samples.
    """
    # the error of a mean of phi is at most the mean of their errors
    drawn = (whole.difference_se, whole.lead_se, whole.se, whole.se.mean(axis=1))
    errors = _Errors(
        *(
            np.sqrt(known(variance) + se**2)
            for variance, se in zip(over_samples, drawn, strict=True)
        )
    )
    np.fill_diagonal(errors.advantage, 0.0)
    np.fill_diagonal(errors.lead, 0.0)
    return errors


def _quantile(freedom: int, pairs: int = 1) -> float:
    """Return Student's quantile of two-sided 95% intervals, for all of the pairs at once by Bonferroni's correction.

    freedom : one less than there are teams, or topics if they are fewer
    """
    return float(-stdtrit(freedom, 0.025 / pairs))


def _labelled_figures(
    metrics: Any, whole: Agreement, errors: _Errors, freedom: int
) -> dict[str, Any]:
    """Label the figures of halves by pairs of metrics."""
    count = len(metrics)
    pairs = max(1, count * (count - 1))
    quantile = _quantile(freedom)
    half = quantile * errors.advantage
    of_phi = quantile * errors.phi
    mean_phi = whole.phi.mean(axis=1)
    of_mean = quantile * errors.mean_phi
    joint = _quantile(freedom, pairs) * errors.advantage
    behind = range_quantile(count, freedom) * errors.lead
    figures = {
        "phi": whole.phi,
        "phi_low": np.maximum(whole.phi - of_phi, -1),
        "phi_high": np.minimum(whole.phi + of_phi, 1),
        "se": whole.se,
        "advantage": whole.difference,
        "low": whole.difference - half,
        "high": whole.difference + half,
        "joint_low": whole.difference - joint,
        "joint_high": whole.difference + joint,
        "lead": whole.lead,
        "lead_se": whole.lead_se,
        "lead_low": whole.lead - behind,
    }
    coords = dict.fromkeys(_PAIR, metrics)
    means_of_phi = {
        "mean_phi": mean_phi,
        "mean_phi_low": np.maximum(mean_phi - of_mean, -1),
        "mean_phi_high": np.minimum(mean_phi + of_mean, 1),
    }
    pairs_of = {name: (_PAIR, values) for name, values in figures.items()}
    each = {name: ("metric", values) for name, values in means_of_phi.items()}
    return coords | pairs_of | each


def _curve(sizes: Sequence[int], curve: Sequence[Agreement]) -> dict[str, Any]:
    """Label phi of smaller sets of topics by their size; nothing without sizes."""
    if not sizes:
        return {}
    phi = np.stack([drawn.phi for drawn in curve])
    se = np.stack([drawn.se for drawn in curve])
    dims = ("size", *_PAIR)
    return {"size": list(sizes), "curve": (dims, phi), "curve_se": (dims, se)}


def _check(used: xr.DataArray, partitions: int, sizes: Sequence[int]) -> None:
    """Raise ScoresError where scores, partitions or sizes do not allow halves whose rankings can be compared."""
    topics = used.sizes["topic"]
    selection.require_size(used, "predictive power", 4)
    if partitions < 2:
        raise ScoresError(
            f"{partitions} partitions are too few; a mean with its error needs at least 2, as "
            "in 2000"
        )
    wrong = [n for n in sizes if not 1 <= n <= topics // 2]
    if wrong:
        raise ScoresError(
            f"cannot draw two disjoint sets of {wrong[0]} topics from {topics}; choose sizes "
            f"from 1 to {topics // 2}"
        )
    selection.require_variation(means.means(used).values.T, used["metric"].values)


def _best_systems(scores: xr.DataArray, top: float, by: str) -> tuple[int, Floats]:
    """Return how many systems are the best, and the scores (system, topic) that say which."""
    kept = selection.top_systems(scores, top, by).sizes["system"]
    if kept < 2:
        systems = scores.sizes["system"]
        raise ScoresError(
            f"--top {top:g} keeps {kept} of {systems} systems; a ranking needs at least 2"
        )
    order = means.additive(selection.select(scores, metrics=[by])).values[..., 0]
    return kept, order


def _notes(
    used: xr.DataArray,
    options: dict[str, Any],
    drawn: Sequence[Agreement],
    errors: _Errors,
    ranked: int,
) -> list[str]:
    """Say how phi was measured and what its intervals are over, and which metrics tie all systems."""
    first, second = options["halves"]
    lines: list[str] = [
        Method(
            f"{options['coefficient']} between rankings of {ranked} systems on {first} and on {second} topics, "
            f"mean of {options['partitions']} random partitions; means are compared to 10 decimals."
        )
    ]
    lines += _monte_carlo_notes(drawn, errors)
    if options["top_on"] == "half":
        lines.append(
            "No intervals: they are undefined if each partition has its own systems."
        )
    else:
        lines.append(
            Method(
                "advantage: phi(predictor, target) - phi(target, target); 95% interval over samples of "
                "topics and systems."
            )
        )
    undefined = np.sum([agreement.undefined for agreement in drawn], axis=0)
    for name, count in zip(used["metric"].values, undefined, strict=True):
        if count:
            lines.append(
                f"{name} ties all systems in {counted(count, 'set')} of topics, where tau counts as 0."
            )
    return lines


def _monte_carlo_notes(drawn: Sequence[Agreement], errors: _Errors) -> list[str]:
    """Say what the drawing of partitions adds to phi, unless it is little beside what other topics and systems do."""
    error = max(float(agreement.se.max()) for agreement in drawn)
    if error < LITTLE * np.nan_to_num(errors.phi).min():
        return []
    return [
        Method(f"The Monte-Carlo standard error of phi is at most {short(error, 4)}.")
    ]


def _no_variation_notes(errors: _Errors, few: int) -> list[str]:
    """Say of how many pairs of metrics there is no interval, as nothing varies.

    few : partitions that intervals were computed on; 0 where none were asked for.
    """
    count = int(np.isnan(errors.advantage).sum())
    if not few or not count:
        return []
    return [
        f"{counted(count, 'advantage')} without an interval: whatever topics or systems are left out, hardly a system "
        "changes its place, which says nothing of systems that are closer to each other."
    ]


def best_predictor(outcome: xr.Dataset) -> int:
    """Find the metric with the largest mean phi with all metrics, itself among them.

    So all are measured by the same targets. It is also the metric with the largest sum of advantages: that of A is the
    sum of its phi less a number that is the same for all.
    """
    return int(outcome["phi"].values.mean(axis=1).argmax())


def well_predicted(outcome: xr.Dataset) -> tuple[str, list[str]]:
    """Name the best predictor, and the metrics that it surely predicts as well as they do themselves, or better."""
    best = best_predictor(outcome)
    names = [str(name) for name in outcome["metric"].values]
    sure = [
        name
        for target, name in enumerate(names)
        if target != best and verdict_of(outcome, best, target) in ("same", "better")
    ]
    return names[best], sure


LITTLE = 0.1
"""A Monte-Carlo error below this share of the sampling error is not printed: it adds half a percent to it."""
MARGIN = 0.05
"""A loss of phi that counts as none, if the interval stays within it: one pair of systems in forty ranked otherwise."""


def verdict_of(outcome: xr.Dataset, predictor: int, target: int) -> str:
    """Judge a predictor by the joint interval of its advantage: it and the target were found by looking."""
    low = float(outcome["joint_low"].values[predictor, target])
    high = float(outcome["joint_high"].values[predictor, target])
    if np.isnan(low):
        return "unsure"
    if about(outcome)["options"]["teams_unknown"]:
        return "unknown"
    if low > 0:
        return "better"
    if high < 0:
        return "worse"
    if low >= -MARGIN:
        return "same"
    return "open"
