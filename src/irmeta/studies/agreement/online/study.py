"""The study of online outcomes: on how many pairs of systems users agree with a metric, without the outcomes' noise."""

from collections.abc import Iterable
from typing import Annotated, Any

import numpy as np
import xarray as xr
from scipy.special import ndtri

from irmeta.choices import Missing
from irmeta.errors import ScoresError
from irmeta.io.tables.outcomes import Observed, read_outcomes
from irmeta.measured.coverage import held
from irmeta.parallel import seeded
from irmeta.scores.averages.means import means
from irmeta.scores.names import known_as
from irmeta.scores.notes import Act, Method
from irmeta.scores.result import result
from irmeta.scores.selection import prepare, require_variation, select
from irmeta.stats.arrays import Floats
from irmeta.stats.rankings.outcomes import (
    FEWEST,
    Outcomes,
    agreement,
    correlation,
    lead,
    posterior,
    ratio,
    reliability,
    scaled,
    without_noise,
)
from irmeta.studies.door import Cube, Given, study
from irmeta.words import counted, listed

OUTCOMES = Given("OUTCOMES", read="irmeta.io.tables.outcomes.read_outcomes")
LEVELS = np.array([0.025, 0.5, 0.975])
"""The middle of a distribution, between the ends of a 95% interval."""
HALF = 0.1
"""Half the width of an interval of agreement that systems are counted for."""
SURE = 0.9
"""Of how many pairs a lead should be one online, too."""
POWER = 0.8
"""How often two metrics are separated by the systems that are said to be needed."""
SAME = 1e-9
"""A lead in agreement of at most this is none."""
LEAST = 1e-12
"""The smallest difference of outcomes: squares of them are summed."""


@study
def online(
    scores: Cube,
    outcomes: Annotated[Any, OUTCOMES],
    *,
    metrics: str | Iterable[str] | None = None,
    missing: Missing = "error",
    rng: int | np.random.Generator = 0,
) -> xr.Dataset:
    """Find out which offline metric predicts online experiments: on how many pairs of systems users agree.

    scores : the offline scores, a score file (Parquet)
    outcomes : a CSV of online outcomes, or in Python a data frame: columns system and value with se, or wins, losses
        and ties, or query and value; a column against names the other system of an interleaving
    metrics, missing : what else to use of the scores, as in `selection.prepare`
    rng : a seed or a generator, for differences between metrics

    Returns over metric: agreement, the share of pairs of systems that the true outcome orders as the metric does, and
    correlation of metric and true outcome, each with 95% interval low, high; gain with low, high: the lead by the
    metric that is one online in 9 of 10 pairs; sharpest_low, sharpest_high, what outcomes without noise would leave of
    the interval; systems_needed for one of 10 points to either side; behind with low, high: how much less users agree
    than with the best metric, for all pairs at once, and systems_to_separate them. Over (experiment): outcome, error.
    Scores are taken as they are, on these topics. Raises ScoresError for fewer than 5 systems with outcomes. Source:
    Buyse et al. (Biostatistics 2000), for surrogate endpoints.

    >>> import polars as pl
    >>> from irmeta.scores.cube import cube
    >>> made = cube(np.arange(8.0)[:, None, None] / 8, list("abcdefgh"), ["all"], ["AP"])
    >>> table = pl.DataFrame({"system": list("abcdefgh"), "value": [1, 2, 4, 3, 5, 6, 8, 7], "se": [0.1] * 8})
    >>> bool(online(made, table)["agreement"] > 0.9)
    True
    """
    generator = seeded(rng)[0]
    observed = read_outcomes(outcomes)
    names, notes = _common_systems(scores, observed)
    used, of_scores = prepare(
        select(scores, systems=names), metrics=metrics, missing=missing
    )
    names = [str(name) for name in used.system.values]
    found = _outcomes(observed, names)
    values = means(used).values
    metric = [str(name) for name in used.metric.values]
    require_variation(values.T, metric, "the systems with outcomes")
    columns = [scaled(column) for column in values.T]
    data = _all_figures(found, values, columns)
    best = int(np.argmax(data["agreement"][1]))
    data |= _distances_behind_best(found, columns, best, generator)
    data |= {
        "outcome": ("experiment", found.value),
        "error": ("experiment", found.error),
        "reliability": reliability(found),
    }
    outcome = result(
        "online",
        data,
        inputs={str(scores.attrs.get("collection", "collection")): used},
        options={
            "comparisons": any(observed.against),
            "noise_known": _knows_noise(observed),
        },
        notes=[*notes, *of_scores, *_notes(observed, used)],
    )
    return outcome.assign_coords(metric=metric)


def _knows_noise(observed: Observed) -> bool:
    """Say whether every outcome has its standard error."""
    return bool(np.isfinite(observed.error).all())


def _common_systems(
    scores: xr.DataArray, observed: Observed
) -> tuple[list[str], list[str]]:
    """Return the systems that have both scores and outcomes, and say who has not."""
    known = [str(name) for name in scores.system.values]
    both = dict.fromkeys([*observed.systems, *observed.against])
    given = [name for name in both if name]
    found = {name: known_as(name, known) for name in given}
    names = list(dict.fromkeys(one for one in found.values() if one))
    lacking = [name for name, one in found.items() if one is None]
    if len(names) < FEWEST:
        raise ScoresError(
            f"{counted(len(names), 'system')} with scores and outcomes, and it takes {FEWEST}; outcomes name "
            f"{listed(given)}, the scores {listed(known)}"
        )
    notes: list[str] = []
    if lacking:
        notes.append(
            Act(
                f"{counted(len(lacking), 'system')} of the outcomes without scores: {listed(lacking)}; left out"
            )
        )
    return names, notes


def _outcomes(observed: Observed, names: list[str]) -> Outcomes:
    """Return the outcomes of these systems; one that all others were compared with needs no scores."""
    if len(names) < FEWEST:
        raise ScoresError(
            f"{counted(len(names), 'system')} with outcomes and complete scores, and it takes {FEWEST}"
        )
    first = [known_as(name, names) for name in observed.systems]
    other = [known_as(name, names) for name in observed.against]
    alone = len(set(observed.against)) == 1 and other[0] is None
    design = np.zeros((len(first), len(names)))
    for row, (one, two) in enumerate(zip(first, other, strict=True)):
        if one is not None and (alone or two is not None):
            design[row, names.index(one)] += 1
            if two is not None:
                design[row, names.index(two)] -= 1
    kept = design.any(axis=1)
    error = np.nan_to_num(observed.error[kept])
    found = Outcomes(observed.value[kept], error, design[kept])
    there = int(found.design.any(axis=0).sum())
    if there < FEWEST:
        raise ScoresError(
            f"outcomes compare {counted(there, 'system')} with scores, and it takes {FEWEST}"
        )
    if np.ptp(found.value) <= LEAST:
        raise ScoresError(
            f"every outcome is {found.value[0]:g}; to predict one there must be differences of more than {LEAST:g}"
        )
    return found


def _all_figures(
    outcomes: Outcomes, values: Floats, columns: list[Floats]
) -> dict[str, Any]:
    """Return what is said of each metric by itself. values : means, (system, metric).  columns : the same, scaled."""
    rows = [
        _metric_figures(outcomes, float(values[:, at].std(ddof=1)), column)
        for at, column in enumerate(columns)
    ]
    return {name: ("metric", np.array([row[name] for row in rows])) for name in rows[0]}


def _metric_figures(outcomes: Outcomes, unit: float, x: Floats) -> dict[str, float]:
    """Return the figures of a metric. unit : the standard deviation of its means.  x : its means, scaled."""
    ratios = ratio(posterior(outcomes, x[:, None]), LEVELS)
    shares = agreement(ratios, x)
    # P(r gain / unit + e - e' > 0) = SURE
    rising = np.where(ratios > 0, ratios, np.nan)
    gains = unit * np.sqrt(2) * ndtri(SURE) / rising
    exact = without_noise(float(ratios[1]), x, LEVELS)
    sharpest = agreement(exact, x)
    half = (shares[2] - shares[0]) / 2
    return {
        **_quantile_figures("agreement", shares),
        **_quantile_figures("correlation", correlation(ratios)),
        **_quantile_figures("gain", np.nan_to_num(gains[::-1], nan=np.inf)),
        "sharpest_low": float(sharpest[0]),
        "sharpest_high": float(sharpest[2]),
        "systems_needed": float(np.ceil(len(x) * max(1.0, (half / HALF) ** 2))),
    }


def _quantile_figures(name: str, values: Floats) -> dict[str, float]:
    """Name the figures at `LEVELS`: the middle, and the ends of its interval."""
    low, middle, high = values.tolist()
    return {name: middle, f"{name}_low": low, f"{name}_high": high}


def _distances_behind_best(
    outcomes: Outcomes, columns: list[Floats], best: int, rng: np.random.Generator
) -> dict[str, Any]:
    """Return how far each metric is behind the best in agreement, intervals for all pairs of metrics at once.

    columns : the scaled means of each metric.
    """
    count = len(columns)
    # of 95% intervals, by Bonferroni's correction
    tail = 0.025 / max(1, count * (count - 1) // 2)
    q = -ndtri(tail)
    figures = np.zeros((4, count))
    figures[3] = np.nan
    for at in range(count):
        if at == best:
            continue
        drawn = lead(outcomes, columns[best], columns[at], rng)
        low, middle, high = np.quantile(drawn, [tail, 0.5, 1 - tail])
        error = (high - low) / (2 * q)
        needed = np.nan
        if middle > SAME:
            times = ((q + ndtri(POWER)) * error / middle) ** 2
            needed = np.ceil(len(columns[at]) * times)
        figures[:, at] = middle, low, high, needed
    names = ("behind", "behind_low", "behind_high", "systems_to_separate")
    return {name: ("metric", one) for name, one in zip(names, figures, strict=True)}


HELD = {
    "agreement and correlation": "agreement of users with a metric",
    "how far a metric is behind": "lead of a metric in agreement",
}
"""What is measured of intervals, by the figure that they are of."""


def _notes(observed: Observed, used: xr.DataArray) -> list[str]:
    """Say what is assumed, how often intervals held, and what the outcomes lack."""
    notes: list[str] = [
        Method(
            "Outcomes are taken as a line in the metric, with normal differences around it and noise of the size that "
            "the file gives; scores as they are on these topics. Systems count as drawn one by one."
        )
    ]
    systems = used.sizes["system"]
    for figure, promise in HELD.items():
        found = held(promise, systems=systems, topics=1)
        notes += map(Method, found.said(f"95% intervals of {figure}"))
    if not _knows_noise(observed):
        notes.append(
            Act(
                "The outcomes have no standard errors, so their noise counts as disagreement; add a column se"
            )
        )
    shared = observed.queries.intersection(used.topic.values.tolist())
    if shared:
        notes.append(
            Act(
                f"The outcomes are also of {counted(len(shared), 'topic')} of the scores: luck on these counts as "
                "agreement; take outcomes of other queries"
            )
        )
    return notes
