"""Whether several collections rank the same systems alike, and score them alike beside what chance gives."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Any, NamedTuple, get_args

import numpy as np
import xarray as xr

from irmeta.choices import Flat, Form, Missing
from irmeta.errors import MetricError, ScoresError, require_choice, require_share
from irmeta.metrics.names import parse
from irmeta.metrics.signatures import NORMALISED
from irmeta.parallel import again, seeded, steps
from irmeta.scores import standardization
from irmeta.scores.attributes import about
from irmeta.scores.averages.means import additive
from irmeta.scores.cubes import prepare_together
from irmeta.scores.figures import short
from irmeta.scores.groups.clusters import (
    by_cluster,
    cluster_rejection_notes,
    clustering_notes,
    with_cluster_facts,
)
from irmeta.scores.groups.teams import Grouping, teams_of
from irmeta.scores.names import are_numbers
from irmeta.scores.notes import Act, with_subject
from irmeta.scores.result import MANY, result, with_ends
from irmeta.scores.selection import require_variation
from irmeta.stats.arrays import Floats, Ints
from irmeta.stats.judging.rankings import taus, taus_on_own_topics
from irmeta.stats.standardizing import comparability
from irmeta.studies.door import Cubes, study
from irmeta.words import counted, listed

FEW = 10
"""With fewer systems than these a note says that the figures are rough."""
NORMALISED_FORM_OF = {
    "AP": "SP",
    "nDCG": "DCG",
    **{f"n{base}": base for base in NORMALISED},
}
"""Metrics that are another divided by what an ideal ranking of the topic would get."""

ITSELF = "a system against itself on other topics"
"""What was measured of tests of one system on two samples of topics."""


@study
def compare(
    cubes: Cubes,
    *,
    metrics: str | Iterable[str] | None = None,
    kinds: Sequence[Form] | None = None,
    partitions: int = 2000,
    alpha: float = 0.05,
    flat: Flat = "half",
    teams: Grouping = None,
    missing: Missing = "error",
    same_systems: bool = False,
    rng: int | np.random.Generator = 0,
) -> xr.Dataset:
    """Compare the rankings and the scores of the same systems on every pair of collections.

    cubes : at least 2 cubes, by collection name, with systems of the same names
    metrics : those to compare by, by default those that all collections have
    kinds : forms of the scores: raw, or a kind of irmeta standardize, with factors fitted on each collection's own
        systems (for others standardize first); by default raw,normal; raw for standardized scores
    partitions : random re-partitions of the pooled topics, for each pair of collections
    alpha : level of the test whose false positives are counted
    flat : the score on a topic where all standardizing systems score alike, as in `irmeta.standardize.apply`
    teams : the teams of the systems, which intervals of tau take as independent: a table, "stem" of their names or
        "each" by itself; by default stems where many names share one
    missing : what to do with missing scores, as in `selection.complete`
    same_systems : systems whose names are only numbers, as run1, are the same ones on every collection
    rng : a seed or a generator, of all that is random

    Returns over (pair, metric, kind) tau-b of both rankings with its 95% interval tau_low and tau_high over systems and
    topics, as of a judge's tau in `compare_judges`; rmse, drmse with its 95% interval drmse_low and drmse_high over
    samples of topics, drmse_geometric (in units of the geometric mean of both standard deviations) and false_positives
    (systems that a two-sample t test at alpha finds different from themselves); for both drmse_quantile and
    false_positives_quantile among the random splits (0.5: as chance has it; near 1: the collections differ), and the
    mean and the 97.5th percentile of those; over (pair, metric, kind, system) own_difference, a system's mean on the
    first collection less that on the second, its interval own_low to own_high of the level 1 - alpha, and own_p of that
    test. Systems that are not in every collection are left out, after the factors are fitted; a metric that scores all
    of them alike raises ScoresError.
    Source: Webber et al. (SIGIR 2008), section 5.
    """
    before = _standardized_before(cubes)
    kinds = _kinds(kinds, before)
    generator = seeded(rng)[0]
    if len(cubes) < 2:
        raise ScoresError(
            "compare needs at least 2 collections: several score files, or one with several collections"
        )
    if partitions < 1:
        raise ScoresError(
            f"{partitions} random splits are too few for a distribution; use 1000 or more"
        )
    require_share("alpha", alpha, 0.05)

    chosen, forms, notes = _prepared(cubes, metrics, kinds, flat, missing)
    if not same_systems:
        _require_names(next(iter(chosen.values())).system.values)
    names = [str(name) for name in next(iter(chosen.values())).metric.values]
    pairs = list(combinations(cubes, 2))
    cases = list(product(pairs, names, kinds))
    shape = (len(pairs), len(names), len(kinds))
    systems = forms[kinds[0]][pairs[0][0]].system.values
    team = teams_of(systems, teams, forms[kinds[0]][pairs[0][0]].values)
    agreed = [
        _agreement(forms[kind], metric, pair, team.of, again(generator))
        for pair, metric, kind in cases
    ]
    compared = _compare_cases(forms, cases, partitions, alpha, generator)
    figures = list(steps(compared, "comparisons", total=len(cases)))
    by_figure = np.reshape(figures, (*shape, len(_FIGURES)))

    data: dict[str, Any] = {}
    for at, name in enumerate(_FIGURES):
        data[name] = (("pair", "metric", "kind"), by_figure[..., at])
    labels = [[_form(name, kind, before) for kind in kinds] for name in names]
    data["form"] = (("metric", "kind"), labels)
    for name, (_, ends) in with_ends("tau", (), agreed).items():
        data[name] = (("pair", "metric", "kind"), np.reshape(ends, shape))
    own = _own_differences(forms, cases, alpha)  # (case, 3, system)
    data |= _system_figures(own.reshape(*shape, 3, systems.size))
    data["systems"] = systems.size
    data["systems_shared"] = len(_shared(cubes))
    there = [one.sizes["system"] for one in cubes.values()]
    data["systems_there"] = ("collection", there)
    if np.isfinite(data["tau_low"][1]).any():
        notes.append(team.note("Intervals of tau"))
    notes.append(
        f"Monte-Carlo standard error of the quantiles: at most {short(0.5 / partitions**0.5, 3)}"
    )
    outcome = result(
        "comparison",
        data,
        inputs=chosen,
        options={"kinds": kinds, **team.options},
        notes=notes,
    )
    return outcome.assign_coords(
        collection_a=("pair", [a for a, _ in pairs]),
        collection_b=("pair", [b for _, b in pairs]),
        collection=list(cubes),
        metric=names,
        kind=kinds,
        system=systems,
    )


def _system_figures(own: Floats) -> dict[str, Any]:
    """Label how systems differ from themselves, (pair, metric, kind, 3, system): difference with ends, and p."""
    difference = own[..., 0, :]
    half = own[..., 1, :]
    figures = {
        "own_difference": difference,
        "own_low": difference - half,
        "own_high": difference + half,
        "own_p": own[..., 2, :],
    }
    return {
        name: (("pair", "metric", "kind", "system"), part)
        for name, part in figures.items()
    }


def _kinds(kinds: Sequence[Form] | None, before: str | None) -> list[Form]:
    """Return the forms to compare in, each once; standardized scores are compared as they are."""
    default: list[Form] = ["raw"] if before else ["raw", "normal"]
    wanted = list(dict.fromkeys(kinds or default))
    for kind in wanted:
        require_choice("kinds", kind, get_args(Form))
    if before and wanted != ["raw"]:
        raise ScoresError(
            f"these scores are already standardized ({before}); compare them unchanged: --kinds raw"
        )
    return wanted


_CHANCE = (
    "drmse_mean",
    "drmse_high",
    "false_positive_rate_mean",
    "false_positive_rate_high",
)
_MEASURES = (
    "drmse",
    "rmse",
    "drmse_geometric",
    "false_positives",
    "drmse_quantile",
    "false_positives_quantile",
)
_ENDS = ("drmse_low", "drmse_high")
_FIGURES = (*_MEASURES, *_CHANCE, *_ENDS)
"""What `_figures` returns, in this order."""


def _compare_cases(
    forms: Mapping[Form, Mapping[str, xr.DataArray]],
    cases: Sequence[tuple[tuple[str, str], str, Form]],
    partitions: int,
    alpha: float,
    rng: np.random.Generator,
) -> Iterator[list[float]]:
    """Yield the figures, in the order of _FIGURES, of each pair of collections, metric and kind."""
    scores = {}  # (system, topic) of each collection, metric and kind
    for kind, cubes in forms.items():
        for name, cube in cubes.items():
            for at, metric in enumerate(cube.metric.values):
                table = np.ascontiguousarray(cube.values[..., at])
                scores[name, str(metric), kind] = table
    keys = [((a, metric, kind), (b, metric, kind)) for (a, b), metric, kind in cases]
    splits = comparability.repartitions(scores, keys, partitions, rng, alpha)
    for (a, b), (errors, rates) in zip(keys, splits, strict=True):
        yield _figures(scores[a], scores[b], alpha, errors, rates)


def _agreement(
    cubes: Mapping[str, xr.DataArray],
    metric: str,
    pair: tuple[str, str],
    team: Ints,
    rng: np.random.Generator,
) -> tuple[float, float, float]:
    """Return tau-b between the rankings on two collections with the ends of its interval, paired where topics are."""
    one, other = (cubes[name].sel(metric=metric) for name in pair)
    if set(one.topic.values) == set(other.topic.values):
        paired = np.stack([one.values, other.sel(topic=one.topic).values])
        found = taus(paired, rng, team=team)
    else:
        found = taus_on_own_topics(one.values, other.values, rng, team=team)
    ends = found.interval()
    return ends.value[0], ends.low[0], ends.high[0]


def _own_differences(
    forms: Mapping[Form, Mapping[str, xr.DataArray]],
    cases: Sequence[tuple[tuple[str, str], str, Form]],
    alpha: float,
) -> Floats:
    """Return each system's difference from itself, half its interval, and p, in every case: (case, 3, system)."""
    found = []
    for (a, b), metric, kind in cases:
        one, other = (forms[kind][name].sel(metric=metric).values for name in (a, b))
        found.append(comparability.own_difference(one, other, alpha))
    return np.array(found)


def _figures(
    one: Floats, other: Floats, alpha: float, chance: Floats, chance_rates: Floats
) -> list[float]:
    """Return the figures of scores (system, topic) on two collections, in the order of `_FIGURES`.

    chance, chance_rates : dRMSE, and the rate of false positives, of each random split.
    """
    means = one.mean(axis=1), other.mean(axis=1)
    observed = comparability.drmse(*means)
    positives = comparability.differs_from_itself(one, other, alpha)
    figures = [
        observed,
        comparability.rmse(*means),
        comparability.geometric_drmse(*means),
        positives.sum(),
        comparability.quantile(observed, chance),
        comparability.quantile(positives.mean(), chance_rates),
    ]
    for part in (chance, chance_rates):
        figures += [part.mean(), np.quantile(part, 0.975)]
    figures += comparability.drmse_interval(one, other)
    return [float(figure) for figure in figures]


def _standardized_before(cubes: Mapping[str, xr.DataArray]) -> str | None:
    """Name the kind that all cubes were standardized by; None if they are raw; different ones raise ScoresError."""
    kinds = {
        name: about(scores).get("standardization", {}).get("kind")
        for name, scores in cubes.items()
    }
    if len(set(kinds.values())) > 1:
        listed = ", ".join(f"{name} {kind or 'raw'}" for name, kind in kinds.items())
        raise ScoresError(
            f"some collections have raw and others standardized scores: {listed}; standardize "
            "all in the same way, or none"
        )
    return next(iter(kinds.values()))


class _Prepared(NamedTuple):
    """Cubes by collection as they are used, the same in each form with the systems that all have, and notes."""

    chosen: dict[str, xr.DataArray]
    forms: dict[Form, dict[str, xr.DataArray]]
    notes: list[str]


def _prepared(
    cubes: Mapping[str, xr.DataArray],
    metrics: str | Iterable[str] | None,
    kinds: Sequence[Form],
    flat: Flat,
    missing: Missing,
) -> _Prepared:
    """Choose metrics and systems that all collections have, and standardize each collection in each form."""
    chosen, notes = prepare_together(
        cubes, metrics=metrics, missing=missing, by_topic=True
    )
    for name, scores in chosen.items():
        of_clusters = by_cluster(scores)[1] + clustering_notes(scores)
        notes += [with_subject(name, note) for note in of_clusters]
    systems, more = _common_systems(chosen)
    notes += more
    forms: dict[Form, dict[str, xr.DataArray]] = {kind: {} for kind in kinds}
    for kind, (name, scores) in product(kinds, chosen.items()):
        form, more = _form_of(scores, kind, flat)
        form = _in_clusters(name, form, scores)
        _require_topics(name, form.sizes["topic"], scores.sizes["topic"])
        form = form.sel(system=systems)
        require_variation(
            form.mean("topic").values.T, form.metric.values, f" on {name}"
        )
        forms[kind][name] = form
        notes += [f"{name}, {line}" for line in more]
    for units in forms[kinds[0]].values():
        notes += cluster_rejection_notes(units, ITSELF, "test of a system with itself")
    chosen = {name: with_cluster_facts(scores) for name, scores in chosen.items()}
    return _Prepared(chosen, forms, notes)


def _in_clusters(name: str, form: xr.DataArray, before: xr.DataArray) -> xr.DataArray:
    """Put clusters in the place of topics; an error says of which collection, and whether topics were dropped."""
    try:
        return by_cluster(form)[0]
    except ScoresError as error:
        lost = before.sizes["topic"] - form.sizes["topic"]
        dropped = f", once {counted(lost, 'flat topic')} are dropped" if lost else ""
        raise ScoresError(f"{name}{dropped}: {error}") from None


def _require_topics(name: str, topics: int, before: int) -> None:
    """Refuse a collection with fewer topics than a t test takes."""
    if topics >= 2:
        return
    dropped = ", once flat topics are dropped" if topics < before else ""
    plural = "" if topics == 1 else "s"
    raise ScoresError(
        f"{name} has {topics} topic{plural}{dropped}; a t test over topics needs at least 2"
    )


def _common_systems(cubes: Mapping[str, xr.DataArray]) -> tuple[list[str], list[str]]:
    """Name the systems that every cube has, and note how many each loses by that."""
    common = _shared(cubes)
    if len(common) < 2:
        shared = "only 1 system" if len(common) else "no system"
        raise ScoresError(
            f"the collections ({', '.join(cubes)}) have {shared} in common; the "
            "same systems, with the same names, must have run on all of them; irmeta place compares systems of "
            "different ones"
        )
    notes = []
    for name, scores in cubes.items():
        lost = scores.sizes["system"] - len(common)
        if lost:
            notes.append(
                f"{name}: {lost} systems left out that are not in every collection"
            )
    if notes:
        notes.append(
            "Systems of one name are taken to be the same; irmeta place --anchor NAME measures those that only one "
            "collection has from those that ran unchanged on all"
        )
    if len(common) < FEW:
        notes.append(
            Act(
                f"only {len(common)} systems are in every collection ({listed(common, FEW)}), so that dRMSE and false "
                "positives are rough"
            )
        )
    return common, notes


def _shared(cubes: Mapping[str, xr.DataArray]) -> list[str]:
    """Name the systems that every cube has, in the order of the first."""
    first, *others = cubes.values()
    indexes = [scores.indexes["system"] for scores in others]
    names = [str(name) for name in first.system.values]
    return [name for name in names if all(name in index for index in indexes)]


def _require_names(common: Iterable[str]) -> None:
    """Raise ScoresError where names are only numbers: such systems of two collections are seldom the same."""
    names = [str(name) for name in common]
    if are_numbers(names):
        raise ScoresError(
            f"systems are matched by name, but names like {names[0]!r} are only numbers; if they are the same systems "
            "on every collection, say so (--same-systems), else the collections have none in common"
        )


def _form_of(
    scores: xr.DataArray, kind: Form, flat: Flat
) -> tuple[xr.DataArray, list[str]]:
    """Return a cube in one form, and notes on its topics."""
    if kind == "raw":
        return additive(scores), _zero_topic_notes(scores)
    made = standardization.apply(scores, standardization.fit(scores), kind, flat=flat)
    told = [f"{kind}: {line}" for line in standardization.flat_topics(made)]
    # `kind` says what was done
    return made.assign_coords(metric=scores["metric"]), told


def _zero_topic_notes(scores: xr.DataArray) -> list[str]:
    """Say on which topics no system scores anything by a metric, where these are many."""
    nothing = (scores == 0).all("system")
    notes = []
    for metric in scores.metric.values:
        topics = scores.topic.values[nothing.sel(metric=metric)].tolist()
        if len(topics) >= MANY * nothing.sizes["topic"]:
            notes.append(
                f"{metric}: every system scores 0 on {counted(len(topics), 'topic')} ({listed(topics)}), which may "
                "hide differences between collections"
            )
    return notes


def _form(metric: str, kind: str, before: str | None) -> str:
    """Name the form that the scores of a metric are compared in."""
    if kind != "raw":
        return "standardized"
    if before:
        return f"standardized, {before}"
    try:
        base = parse(metric).base
    except MetricError:  # a metric of the user's own
        return "raw"
    if base in NORMALISED_FORM_OF:
        return f"{NORMALISED_FORM_OF[base]}, R-normalised"
    return "raw"
