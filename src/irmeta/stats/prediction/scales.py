"""The scale that scores are modelled on: as they are, or as log odds, which a prediction cannot leave."""

from typing import get_args

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit

from irmeta.choices import Scale
from irmeta.errors import require_choice
from irmeta.stats.arrays import Floats

EDGE = 0.001
"""Scores nearer to 0 or 1 than this are moved here before their log odds are taken."""


def to_scale(scores: npt.ArrayLike, scale: Scale) -> Floats:
    """Put scores on the scale; "logit" takes scores in [0, 1].

    >>> to_scale([0.5, 0.0], "logit").round(3).tolist()
    [0.0, -6.907]
    """
    require_choice("scale", scale, get_args(Scale))
    values = np.asarray(scores, dtype=np.float64)
    if scale == "logit":
        return np.asarray(logit(np.clip(values, EDGE, 1 - EDGE)))
    return values


def from_scale(values: npt.ArrayLike, scale: Scale) -> Floats:
    """Return the scores that stand at values on the scale: `to_scale` undone.

    >>> from_scale(to_scale([0.25], "logit"), "logit").tolist()
    [0.25]
    """
    placed = np.asarray(values, dtype=np.float64)
    return np.asarray(expit(placed)) if scale == "logit" else placed
