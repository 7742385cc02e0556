"""What a script needs to compare any two systems as `versus` compares them by default, with no other one beside."""

from typing import Any

import xarray as xr
from scipy.special import ndtri, stdtrit

from irmeta.scores.averages.limits import widest
from irmeta.scores.groups.clusters import right_or_wrong
from irmeta.scores.selection import prepare
from irmeta.stats.tests import stepdown


def comparison_facts(scores: xr.DataArray) -> dict[str, Any]:
    """Return what the comparison of any two systems of a cube is by, as JSON can have it.

    scores : a cube of at least 2 topics, or clusters.
    quantile, normal : of Student's t and of the normal law at 97.5%.  fixed : fixed signs of `stepdown.fixed_signs`.
    right_or_wrong : metrics whose scores are 0 and 1.  widest : by metric the largest difference of two means, infinite
    where there is none.

    >>> from irmeta.scores.cube import cube
    >>> comparison_facts(cube([[[0.1], [0.3]]], ["a"], ["301", "302"], ["AP"]))["fixed"]
    10000
    """
    units, _ = prepare(scores, missing="pairwise", pairs=True)
    names = [str(metric) for metric in units.metric.values]
    count = units.sizes["topic"]
    return {
        "quantile": float(stdtrit(count - 1, 0.975)),
        "normal": float(ndtri(0.975)),
        "fixed": stepdown.FIXED,
        "right_or_wrong": units.metric[right_or_wrong(units)].values.tolist(),
        "widest": dict(zip(names, widest(units).tolist(), strict=True)),
    }
