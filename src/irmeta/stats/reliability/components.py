"""Generalizability theory: how much of a score's variance is of systems, of topics and of both, and what follows.

A G study of systems crossed with topics, one score per cell; a D study says what other numbers of topics would give.
Sources: Brennan, *Generalizability Theory* (2001), sections 2.2 and 6.2; Bodoff and Li (SIGIR 2007); Urbano, Marrero
and Martin (SIGIR 2013). Intervals that do not take scores as normal are in `irmeta.stats.reliability.intervals`.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import chdtri, fdtri

from irmeta.stats.arrays import Floats
from irmeta.stats.reliability.worth import ALL_FALLS, Worth

Coefficient = Literal["erho2", "phi"]
"""The relative coefficient, E rho^2, of the order of systems; the absolute one, Phi, of the scores themselves."""


@dataclass(frozen=True)
class Components:
    """Mean squares of systems (s), topics (q) and their interaction (e), and the variance components they give.

    Each mean square is an array of any one shape, as of metrics; systems, topics : how many there were.
    """

    systems: int
    topics: int
    ms_s: Floats
    ms_q: Floats
    ms_e: Floats

    @property
    def raw(self) -> tuple[Floats, Floats, Floats]:
        """Variance components of systems, topics and interaction, as they come: an estimate may be below 0."""
        return (
            (self.ms_s - self.ms_e) / self.topics,
            (self.ms_q - self.ms_e) / self.systems,
            self.ms_e,
        )

    @property
    def variances(self) -> tuple[Floats, Floats, Floats]:
        """Variance components of systems, topics and interaction, those below 0 as 0."""
        s, q, e = (np.maximum(part, 0) for part in self.raw)
        return s, q, e


def components(scores: Floats) -> Components:
    """Return the mean squares of scores (system, topic, ...).

    >>> found = components(np.array([[1.0, 2, 3], [2, 3, 5], [4, 5, 6]]))
    >>> [round(float(part), 4) for part in found.variances]
    [2.2222, 1.3333, 0.1111]
    """
    systems, topics = scores.shape[:2]
    # effects: of the whole, of each system, of each topic, and what is left
    grand = scores.mean(axis=(0, 1))
    by_system = scores.mean(axis=1) - grand
    by_topic = scores.mean(axis=0) - grand
    rest = scores - grand - by_system[:, None] - by_topic[None]
    # mean squares: sums of squares over their degrees of freedom
    ms_s = topics * (by_system**2).sum(axis=0) / (systems - 1)
    ms_q = systems * (by_topic**2).sum(axis=0) / (topics - 1)
    ms_e = (rest**2).sum(axis=(0, 1)) / ((systems - 1) * (topics - 1))
    return Components(
        systems, topics, np.asarray(ms_s), np.asarray(ms_q), np.asarray(ms_e)
    )


def signal(parts: Components, coefficient: Coefficient) -> Floats:
    """Return the ratio of signal to noise on one topic: s^2_s / s^2_e, or s^2_s / (s^2_q + s^2_e) for Phi."""
    s, q, e = parts.variances
    return _ratio(s, e if coefficient == "erho2" else q + e)


def signal_interval(
    parts: Components, coefficient: Coefficient, level: float = 0.95
) -> tuple[Floats, Floats]:
    """Return the ends of the interval of `signal`, not below 0, by quantiles of F.

    For E rho^2 exact if scores are normal: Feldt (Psychometrika 1965). For Phi approximate: Arteaga, Jeyaratnam and
    Franklin (JASA 1982), as in Brennan (2001), section 6.2.
    """
    low = _end(parts, coefficient, (1 + level) / 2)
    high = _end(parts, coefficient, (1 - level) / 2)
    return np.maximum(low, 0), np.maximum(high, 0)


def _end(parts: Components, coefficient: Coefficient, below: float) -> Floats:
    """Compute one end, the lower from upper quantiles: `below` is the probability below them."""
    m, n = parts.systems, parts.topics
    s, q, e = parts.ms_s, parts.ms_q, parts.ms_e
    f_e = fdtri(m - 1, (m - 1) * (n - 1), below)
    if coefficient == "erho2":
        return (_ratio(s, e * f_e) - 1) / n  # L = (MS_s / (MS_e F) - 1) / n
    f_q = fdtri(m - 1, n - 1, below)
    # F with infinitely many degrees of freedom
    f_inf = chdtri(m - 1, 1 - below) / (m - 1)
    above = s**2 - f_inf * s * e + (f_inf - f_e) * f_e * e**2
    under = (m - 1) * f_inf * s * e + f_q * s * q
    return _ratio(m * above, n * under)


def stability(signal: Floats, topics: npt.ArrayLike) -> Floats:
    """Return the coefficient that a number of topics gives: n L / (1 + n L), in [0, 1], L the signal on one topic.

    >>> float(stability(np.array(0.25), 12))
    0.75
    """
    n = np.asarray(topics, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        return np.where(np.isinf(signal), 1.0, n * signal / (1 + n * signal))


def topics_needed(
    signal: Floats, stability: npt.ArrayLike, worth: Worth = ALL_FALLS
) -> Floats:
    """Return how many topics give a coefficient: ceil(pi / (L (1 - pi))); infinite where there is no signal.

    worth : what numbers of topics are worth, where not all of the noise falls with them.

    >>> float(topics_needed(np.array(0.25), 0.75))
    12.0
    """
    wanted = np.asarray(stability, dtype=np.float64)
    exact = _ratio(wanted / (1 - wanted), np.asarray(signal, dtype=np.float64))
    return np.ceil(worth.needed(exact) * (1 - 1e-12))


def _ratio(above: Floats, under: Floats) -> Floats:
    """Divide; by 0 infinite, and 0 / 0 is 0: scores that never vary hold no signal."""
    above, under = np.broadcast_arrays(
        np.asarray(above, dtype=np.float64), np.asarray(under, dtype=np.float64)
    )
    beyond = np.where(above > 0, np.inf, 0.0)
    return np.divide(above, under, out=beyond, where=under > 0)
