"""Comparisons tested: mean differences with p, corrected p and intervals, for all studies of differences."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Self

import numpy as np
from scipy.special import ndtri, stdtrit

from irmeta.errors import ScoresError, require_share
from irmeta.stats.arrays import Floats, Indices
from irmeta.stats.tests import floors, multiplicity, paired, resampling, stepdown
from irmeta.stats.tests.compared import Compared, Pairs

Test = Callable[[Compared, int, np.random.Generator], Floats]
"""From what is compared, a number of resamples and a generator to p: (comparison,)."""


def _by_formula(p: Callable[[Floats], Floats]) -> Test:
    """Return a test whose p has a formula, of differences (comparison, topic)."""
    return lambda compared, _resamples, _rng: compared.over(p)


TESTS: Mapping[str, Test] = {
    "t": _by_formula(paired.t),
    "wilcoxon": _by_formula(paired.wilcoxon),
    "sign": _by_formula(paired.sign),
    "permutation": resampling.permutation,
    "bootstrap": resampling.bootstrap,
    "max-t": lambda compared, resamples, _rng: stepdown.alone(compared, resamples),
}
"""Tests of single comparisons, two-sided."""
JOINT: Mapping[str, Callable[..., Floats]] = {
    "tukey": resampling.tukey,
    "dunnett": resampling.dunnett,
}
"""Tests of all comparisons at once."""
CORRECTED = ("max-t", "tukey")
"""Tests that correct for all comparisons by themselves."""
DIVIDED = ("holm", "bonferroni")
"""Corrections by which the smallest p is held against a part of the level."""


class Way(NamedTuple):
    """How differences are tested.

    test : of `TESTS` or `JOINT`.  correct : of `multiplicity.CORRECTIONS`, the test where it corrects by itself, or of
    `JOINT`, which then gives the corrected p.  alpha : the level; intervals have 1 - alpha, each by itself.
    margin : of equivalence; None for no such test.  resamples : of what is drawn.
    """

    test: str
    correct: str
    alpha: float
    margin: float | None
    resamples: int

    @classmethod
    def of(
        cls,
        test: str,
        correct: str | None,
        alpha: float,
        margin: float | None,
        resamples: int | None,
        *,
        of_pairs: bool = False,
    ) -> Self:
        """Return how differences are tested, with defaults for the correction and the number of resamples.

        of_pairs : whether all pairs are compared, of which there are too many for as many draws by default.
        Raises ScoresError for what is not possible.
        """
        paired.check_correction(test, correct)
        require_share("alpha", alpha, 0.05)
        paired.check_margin(margin)
        if resamples is None:
            few = test == "max-t" and of_pairs
            resamples = stepdown.DRAWS if few else stepdown.FIXED
        if resamples < 100:
            raise ScoresError(
                f"{resamples} resamples are too few for a test at any level; use 1000 or more"
            )
        correct = correct or (test if test in CORRECTED else "holm")
        return cls(test, correct, alpha, margin, resamples)

    @property
    def joint(self) -> str:
        """The test of all comparisons at once, empty if there is none."""
        return next((name for name in (self.test, self.correct) if name in JOINT), "")

    def drawn(self, comparisons: int) -> int | None:
        """Return how many resamples are drawn; None where one comparison by itself has p by `stepdown.FIXED` signs."""
        alone = comparisons == 1 or self.correct == "none"
        fixed = self.test == "max-t" and alone and self.resamples <= stepdown.FIXED
        return None if fixed else self.resamples

    def least(self, topics: int, comparisons: int) -> float:
        """Return the smallest p on this number of topics, before a correction by `DIVIDED`."""
        test = self.joint or self.test
        drawn = self.drawn(comparisons) or stepdown.FIXED
        of_resamples = floors.of_resamples(test, drawn, topics)
        return max(of_resamples, float(floors.of_topics(test, topics)))

    def needed(self, comparisons: int) -> float:
        """Return what the smallest p of this number has to be below, to be significant once corrected."""
        if self.correct in DIVIDED:
            return self.alpha / comparisons
        return self.alpha


def compare(
    compared: Compared,
    way: Way,
    rng: np.random.Generator,
    parts: Sequence[tuple[Indices | slice, Compared]] = (),
    *,
    binary: bool = False,
) -> dict[str, Floats]:
    """Test comparisons: difference, low, high, p, p_corrected, effect_size and p_equivalent by name, (comparison,).

    parts : where comparisons lack topics (NaN), which ones are on the same topics, and these on their topics.
    binary : whether all scores are 0 or 1.
    An interval is of its comparison by itself, whatever p is corrected for: Student's, or of scores of 0 and 1 that of
    `paired.discordant_interval`. Equivalence is by two one-sided t tests, corrected by Holm.

    >>> from irmeta.stats.tests.compared import Given
    >>> way = Way("t", "holm", 0.05, None, 100)
    >>> found = compare(Given(np.array([[0.1, 0.2, 0.3]])), way, np.random.default_rng(0))
    >>> found["low"].round(3).tolist()
    [-0.048]
    """
    mean = compared.over(_mean)
    steps = way.correct == "max-t" and mean.size > 1
    effect, error, topics, p = (np.empty(mean.size) for _ in range(4))
    for rows, part in parts or [(slice(None), compared)]:
        effect[rows], error[rows] = part.over(_quantities)
        topics[rows] = part.topics
        if way.test in TESTS and not steps:
            p[rows] = TESTS[way.test](part, way.resamples, rng)
    if steps:
        p = _stepped(compared, way.resamples, rng)
    if way.joint:
        corrected = JOINT[way.joint](compared, way.resamples, rng)
        p = p if way.test in TESTS else corrected
    else:
        corrected = multiplicity.corrected(p, way.correct)
    low, high = _ends(compared, mean, error, topics, 1 - way.alpha, binary=binary)
    found = {
        "difference": mean,
        "low": low,
        "high": high,
        "p": p,
        "p_corrected": corrected,
        "effect_size": effect,
    }
    if way.margin is not None:
        equivalent = paired.equivalence(mean, error, topics, way.margin)
        found["p_equivalent"] = multiplicity.holm(equivalent)
    return found


def _ends(
    compared: Compared,
    mean: Floats,
    error: Floats,
    topics: Floats,
    level: float,
    *,
    binary: bool,
) -> tuple[Floats, Floats]:
    """Return the ends of the interval of each comparison by itself."""
    share = (1 + level) / 2
    quantile = np.asarray(stdtrit(topics - 1, share), dtype=np.float64)
    half = paired.half_width(quantile, error)
    low, high = mean - half, mean + half
    if binary:
        better, worse = compared.over(paired.one_way_or_other)
        ends = paired.discordant_interval(better, worse, topics, float(ndtri(share)))
        # a median of 0 and 1 may lie between
        low, high = np.where(np.isnan(better), (low, high), ends)
    return low, high


def _stepped(compared: Compared, resamples: int, rng: np.random.Generator) -> Floats:
    """Return p by the largest t, step by step, which is corrected for all comparisons."""
    if isinstance(compared, Pairs):
        return stepdown.of_pairs(compared.scores, resamples, rng)
    return stepdown.of_differences(compared.differences, resamples, rng)


def _mean(differences: Floats) -> Floats:
    """Return the mean of each comparison over the topics that it has: (comparison,)."""
    return np.asarray(np.nanmean(differences, axis=1))


def _quantities(differences: Floats) -> Floats:
    """Return effect size and standard error of differences (comparison, topic): (2, comparison)."""
    return np.stack(
        [paired.effect_size(differences), paired.standard_error(differences)]
    )
