"""Standardization, comparability and significance, beside plain loops over scipy."""

from itertools import combinations

import numpy as np
import scipy.stats

from bench.timing import line, seconds
from irmeta.stats.arrays import settled
from irmeta.stats.rankings import rank
from irmeta.stats.standardizing import comparability, standardizers
from irmeta.stats.standardizing.partial import partial_means
from irmeta.stats.tests import paired, resampling
from irmeta.stats.tests.compared import Pairs

SIZES = (2, 3, 5, 8, 10, 12, 15, 20, 30)


def main() -> None:
    rng = np.random.default_rng(0)
    partial(rng.beta(1, 3, size=(78, 50)), rng.beta(1, 3, size=(110, 50)))
    repartitions(rng.beta(1, 3, size=(110, 50)), rng.beta(1, 3, size=(110, 50)))
    permutations(rng.beta(1, 3, size=(129, 50)))


def partial(old: np.ndarray, new: np.ndarray, draws: int = 1500) -> None:
    """Figure 4 of Webber et al. (2008): tau between rankings by some of 78 systems and by all of them."""
    rng = np.random.default_rng(1)
    full = standardizers.standardize(new, standardizers.fit(old), "normal").mean(axis=1)

    def ours() -> None:
        for means in partial_means(old, new, SIZES, draws, "normal", rng):
            rank.tau_b(settled(means), settled(full))

    def topic_by_topic(times: int) -> None:
        for size in SIZES:
            for _ in range(times):
                drawn = old[rng.choice(len(old), size, replace=False)]
                means, sds = drawn.mean(axis=0), drawn.std(axis=0, ddof=1)
                standardized = np.empty_like(new)
                for topic, (mean, sd) in enumerate(zip(means, sds, strict=True)):
                    standardized[:, topic] = scipy.stats.norm.cdf(
                        new[:, topic], mean, sd
                    )
                scipy.stats.kendalltau(standardized.mean(axis=1), full)

    def draw_by_draw(times: int) -> None:
        for size in SIZES:
            for _ in range(times):
                z = scipy.stats.zmap(
                    new, old[rng.choice(len(old), size, replace=False)], axis=0, ddof=1
                )
                scipy.stats.kendalltau(scipy.stats.norm.cdf(z).mean(axis=1), full)

    us = min(seconds(ours) for _ in range(3))
    for name, loop, times, aim in (
        ("topic by topic", topic_by_topic, 5, 50),
        ("draw by draw", draw_by_draw, 25, None),
    ):
        them = (
            min(seconds(lambda loop=loop, times=times: loop(times)) for _ in range(3))
            * draws
            / times
        )
        line(
            f"Figure 4: {draws} draws x {len(SIZES)} sizes; scipy {name}",
            us,
            them,
            target=aim,
        )


def repartitions(a: np.ndarray, b: np.ndarray, draws: int = 2000) -> None:
    """False positives of 110 systems over random deals of 100 topics."""
    rng = np.random.default_rng(1)
    pooled, n = np.hstack([a, b]), a.shape[1]

    def system_by_system(times: int) -> None:
        for _ in range(times):
            order = rng.permutation(pooled.shape[1])
            for system in pooled:
                scipy.stats.ttest_ind(system[order[:n]], system[order[n:]])

    def deal_by_deal(times: int) -> None:
        for _ in range(times):
            order = rng.permutation(pooled.shape[1])
            scipy.stats.ttest_ind(pooled[:, order[:n]], pooled[:, order[n:]], axis=1)

    def ours() -> None:
        next(comparability.repartitions({"a": a, "b": b}, [("a", "b")], draws, rng))

    us = min(seconds(ours) for _ in range(3))
    for name, loop, times in (
        ("system by system", system_by_system, 2),
        ("deal by deal", deal_by_deal, 50),
    ):
        them = (
            min(seconds(lambda loop=loop, times=times: loop(times)) for _ in range(3))
            * draws
            / times
        )
        line(f"{draws} re-partitions (and dRMSE); scipy {name}", us, them, target=50)


def permutations(scores: np.ndarray, resamples: int = 10_000, pairs: int = 10) -> None:
    """All-pairs permutation tests of 129 systems, 10 000 permutations each, and the other tests beside them."""
    rng = np.random.default_rng(1)
    count = len(scores) * (len(scores) - 1) // 2
    sample = list(combinations(scores[:6], 2))[:pairs]

    def permutation() -> None:
        for one, other in sample:
            scipy.stats.permutation_test(
                (one - other,),
                np.mean,
                permutation_type="samples",
                n_resamples=resamples,
                vectorized=True,
            )

    def bootstrap() -> None:
        for one, other in sample:
            shifted = one - other - (one - other).mean()
            drawn = rng.choice(shifted, (resamples, shifted.size))
            scipy.stats.ttest_1samp(drawn, 0, axis=1)

    def student() -> None:
        for one, other in sample:
            scipy.stats.ttest_rel(one, other)

    for name, work, loop, aim in (
        (
            "permutation tests",
            lambda: resampling.permutation(Pairs(scores), resamples, rng),
            permutation,
            50,
        ),
        (
            "bootstrap tests",
            lambda: resampling.bootstrap(Pairs(scores), resamples, rng),
            bootstrap,
            None,
        ),
        ("t tests", lambda: paired.over_pairs(paired.t, scores), student, None),
    ):
        us, them = (min(seconds(way) for _ in range(2)) for way in (work, loop))
        line(
            f"{count} pairs: {name}; scipy pair by pair",
            us,
            them * count / len(sample),
            target=aim,
        )


if __name__ == "__main__":
    main()
