"""The best of many: what a team's best run shows, when it is the best of several."""

from typing import Any

import numpy as np
import xarray as xr

from irmeta.errors import ScoresError, require_share
from irmeta.scores.averages.limits import limits
from irmeta.scores.averages.means import additive, from_additive
from irmeta.scores.cube import check
from irmeta.scores.groups.clusters import by_cluster
from irmeta.scores.groups.repeats import by_runs
from irmeta.scores.groups.teams import Grouping, groups_of
from irmeta.stats.rankings.best import Best, best

FIGURES = Best._fields[1:]


def best_of(
    scores: xr.DataArray, *, teams: Grouping = None, level: float = 0.95
) -> xr.Dataset:
    """Return what each team's best run shows, beside what the best of as many equal runs would reach by chance.

    scores : a cube; a team with a missing score has no figures (NaN)
    teams : the team of each system, as `read_groups` reads them, or "stem"; by default all are one team's, `all`
    level : of the intervals, in (0, 1)

    Returns over (team): runs. Over (team, metric): best, its name; mean, its mean; chance, what the best of as many
    runs of one true mean reaches on average, and chance_high, what it reaches in 95% of draws; low and high, the
    interval of the true mean of the run that was chosen for being the best, over topics or their clusters.
    Raises ScoresError for fewer than 2 topics or clusters.
    Source: signs of whole topics, as for rank sets; only the lower end pays for the choice, since to be chosen makes a
    run look better, never worse (Benjamini, Hechtlinger and Stark 2019).

    >>> from irmeta.scores.cube import cube
    >>> topics = [str(topic) for topic in range(8)]
    >>> noise = np.random.default_rng(1).normal(0.5, 0.1, size=(5, 8, 1))
    >>> found = best_of(cube(noise, list("abcde"), topics, ["AP"])).sel(team="all", metric="AP")
    >>> bool(found["mean"] < found["chance_high"]), int(found["runs"])
    (True, 5)
    """
    require_share("the level of an interval", level, 0.95)
    units, _ = by_cluster(check(scores))
    scores, _ = by_runs(units)
    if scores.sizes["topic"] < 2:
        raise ScoresError("the best of many needs at least 2 topics or clusters")
    systems = [str(name) for name in scores.system.values]
    if teams is None:
        team_of = dict.fromkeys(systems, "all")
    else:
        team_of = dict(groups_of(systems, teams).of)
    names = sorted({team_of[name] for name in systems})
    values = additive(scores).transpose("metric", "system", "topic").values
    shape = (len(names), len(values))
    figures = {name: np.full(shape, np.nan) for name in FIGURES}
    chosen = np.full(shape, "", dtype=object)
    runs = []
    for row, team in enumerate(names):
        own = np.flatnonzero([team_of[name] == team for name in systems])
        runs.append(own.size)
        for column, part in enumerate(values[:, own]):
            if np.isnan(part).any():
                continue
            found = best(part, level)
            chosen[row, column] = systems[own[found.place]]
            for name in FIGURES:
                figures[name][row, column] = getattr(found, name)
    labels = {"team": names, "metric": scores.metric.values}
    least, most = limits(scores)
    dims = ("team", "metric")
    made: dict[str, Any] = {"runs": ("team", runs), "best": (dims, chosen)}
    for name, data in figures.items():
        made[name] = from_additive(xr.DataArray(data, labels, dims)).clip(least, most)
    return xr.Dataset(made, labels)
