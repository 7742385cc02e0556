"""Predictive power against a loop over scipy.stats.kendalltau, and how its cost grows."""

import resource

import numpy as np
from scipy.stats import kendalltau

from bench.timing import line, ratio, seconds
from irmeta.stats.halves.halving import half_means, halves, shuffles, split_half
from irmeta.stats.halves.jackknife import variances

SYSTEMS, TOPICS, PARTITIONS = 96, 50, 2000
HALVES = (TOPICS // 2, TOPICS // 2)
LOOPED = 10  # partitions that the loop is timed on; it costs the same for each


def scores(systems: int, metrics: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    made = rng.normal(size=(systems, 1, 1)) + rng.normal(
        size=(systems, TOPICS, metrics)
    )
    # half of the metrics tie systems, as precision does
    made[..., ::2] = made[..., ::2].round(1)
    return made


def drawn(partitions: int) -> np.ndarray:
    return halves(
        shuffles(TOPICS, partitions, np.random.default_rng(0).spawn(1)[0]), HALVES
    )


def phi(made: np.ndarray, partitions: int) -> np.ndarray:
    return split_half(made, [HALVES], partitions, np.random.default_rng(0))[0].phi


def loop(made: np.ndarray, sets: np.ndarray) -> np.ndarray:
    means = half_means(made.transpose(1, 2, 0), sets)
    taus = [
        [[kendalltau(a, b).statistic for b in second] for a in first]
        for first, second in means
    ]
    return np.mean(taus, axis=0)


def main() -> None:
    print(
        f"{'phi, 96 systems, 50 topics, 2000 partitions':<60} {'irmeta':>13}  {'scipy':>15}  {'ratio':>9}"
    )
    for metrics, target in ((3, 30), (23, 150)):
        made, few = scores(SYSTEMS, metrics), drawn(LOOPED)
        both = loop(made, few), phi(made, LOOPED)
        np.testing.assert_allclose((both[0] + both[0].T) / 2, both[1], atol=1e-12)
        ours, part, _ = ratio(
            lambda m=made: phi(m, PARTITIONS), lambda m=made, d=few: loop(m, d)
        )
        line(f"{metrics} metrics", ours, part * PARTITIONS / LOOPED, target=target)
    print(
        "\nGrowth, milliseconds a partition: phi; the 95% intervals (seconds in all); memory at its highest so far"
    )
    for systems, metrics, partitions in (
        (100, 3, 400),
        (100, 23, 400),
        (400, 23, 60),
        (1000, 23, 20),
        (2000, 23, 10),
    ):
        made = scores(systems, metrics)
        each = seconds(lambda m=made, n=partitions: phi(m, n)) / partitions * 1e3
        few = max(20, min(100, 10_000 // systems))
        intervals = (
            seconds(lambda m=made, n=few: variances(m, drawn(n)))
            if systems <= 400
            else float("nan")
        )
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{systems:>6} systems {metrics:>3} metrics {each:>10.2f} ms {intervals:>10.1f} s {peak:>8.0f} MiB",
            flush=True,
        )


if __name__ == "__main__":
    main()
