"""Scores of topics of which people judged a part of the pairs."""

from dataclasses import dataclass

import xarray as xr

from irmeta.stats.arrays import Floats


@dataclass(frozen=True)
class PartlyJudged:
    """Scores (system, topic, metric) estimated from a part of each topic's pairs; single ones may be beyond 0 to 1.

    human : with the machine's help.  alone : without it.
    errors, alone_errors : (metric, system, system), covariance of the systems' means that judging other pairs adds.
    notes : what was judged, and whether these pairs look random.
    """

    human: xr.DataArray
    alone: xr.DataArray
    errors: Floats
    alone_errors: Floats
    notes: tuple[str, ...]
