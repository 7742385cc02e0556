"""How often 95% intervals hold the truth: of judges' tau, of differences, of favour, of estimates."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from irmeta.stats.judging.favour import favour
from irmeta.stats.judging.rankings import taus
from irmeta.stats.judging.sampling import Sample, estimate_differences, estimate_means
from irmeta.stats.rankings.rank import tau_b

WORLDS = 400
"""Collections drawn of each kind; coverage then has a standard error of .011."""
SPREAD, TOPIC, NOISE = 0.08, 0.2, 0.15
"""Standard deviations: of systems, of topics, and of a system's scores on a topic."""


@dataclass(frozen=True)
class Judge:
    """How a simulated judge errs: its favour of systems (sd), and its correlation with the truth's noise."""

    favour: float
    shared: float


GOOD, BAD = Judge(0.01, 0.8), Judge(0.08, 0.3)


def world(
    rng: np.random.Generator, systems: int, topics: int, judges: tuple[Judge, ...], *, factors: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Draw scores (set, system, topic), the truth first, and how much each judge favours each system.

    factors : two hidden factors decide which systems a topic suits, so that topics move all systems together.
    """
    mean, topic = rng.normal(0, SPREAD, systems), rng.normal(0, TOPIC, topics)
    loading = rng.normal(0, 0.12, (systems, 2))
    suits = rng.normal(size=(2, topics))
    noise = rng.normal(0, 0.08 if factors else NOISE, (systems, topics))
    made = [mean[:, None] + topic + noise + factors * loading @ suits]
    favours = []
    for judge in judges:
        own = np.sqrt(1 - judge.shared**2)
        other = rng.normal(size=suits.shape)
        rest = rng.normal(0, 0.08 if factors else NOISE, (systems, topics))
        seen = loading @ (judge.shared * suits + own * other) if factors else 0.0
        errs = rest if factors else judge.shared * noise + own * rest
        favours.append(rng.normal(0, judge.favour, systems))
        made.append(mean[:, None] + favours[-1][:, None] + topic + errs + seen)
    return np.stack(made), np.stack(favours)


def expected(kind: tuple[int, int, tuple[Judge, ...], bool], rng: np.random.Generator) -> np.ndarray:
    """Compute the mean tau of each judge over many worlds of a kind."""
    systems, topics, judges, factors = kind
    found = []
    for _ in range(4000):
        means = world(rng, systems, topics, judges, factors=factors)[0].mean(axis=-1)
        found.append(tau_b(means[0], means[1:]))
    return np.mean(found, axis=0)


def rankings(
    systems: int, topics: int, judges: tuple[Judge, ...], *, factors: bool, worlds: int = WORLDS
) -> np.ndarray:
    """Measure coverage of tau by either judge, of their difference, and of favour."""
    rng = np.random.default_rng(0)
    truth = expected((systems, topics, judges, factors), rng)
    held = []
    for _ in range(worlds):
        scores, favours = world(rng, systems, topics, judges, factors=factors)
        found = taus(scores, rng)
        tau, difference = found.interval(), found.differences()
        inside = (tau.low <= truth) & (truth <= tau.high)
        apart = difference.low[0, 1] <= truth[0] - truth[1] <= difference.high[0, 1]
        liked = favour(scores, np.eye(systems))
        relative = favours - favours.mean(axis=1, keepdims=True)
        within = ((liked.low <= relative) & (relative <= liked.high)).mean()
        held.append([*inside, apart, within])
    return np.mean(held, axis=0)


def sampled(n: int, total: int, judge: Judge, *, worlds: int = WORLDS) -> list[float]:
    """Measure coverage of estimates of means over new topics, and of differences, and how wide they are."""
    rng = np.random.default_rng(1)
    rows = []
    for _ in range(worlds):
        mean, favours = rng.normal(0, SPREAD, 20), rng.normal(0, judge.favour, 20)
        topic, noise = rng.normal(0, TOPIC, total), rng.normal(0, NOISE, (20, total))
        rest = rng.normal(0, NOISE, noise.shape)
        human = mean[:, None] + topic + noise
        machine = (mean + favours)[:, None] + judge.shared * topic + judge.shared * noise
        machine = machine + np.sqrt(1 - judge.shared**2) * (rest + rng.normal(0, TOPIC, total))
        drawn = np.sort(rng.permutation(total)[:n])
        rows.append(_held(Sample(human[:, drawn], machine, drawn, np.ones(n)), mean, new_topics=True))
    return np.mean(rows, axis=0).tolist()


def _held(sample: Sample, truth: np.ndarray, *, new_topics: bool) -> list[float]:
    """Say what share of intervals holds the truth, of means and of differences, and how narrow they are."""
    n = sample.sizes[0]
    above = np.triu_indices(truth.size, 1)
    found = []
    for way, wanted in ((estimate_means, truth), (estimate_differences, truth[:, None] - truth)):
        both, alone = (way(sample, slope, new_topics=new_topics) for slope in (None, 0.0))
        low, high = both.interval(n - 1)
        inside = (low - 1e-12 <= wanted) & (wanted <= high + 1e-12)
        narrow = np.sqrt(both.variance).mean() / np.sqrt(alone.variance).mean()
        found += [inside.mean() if wanted.ndim == 1 else inside[above].mean(), narrow]
    return found


def real(folder: Path, n: int = 10, draws: int = 300) -> Iterator[tuple[str, list[float]]]:
    """Draw n of the 53 topics of DL 2021 again and again, and estimate the means over all of them."""
    from irmeta.evaluation.sets import evaluate_under

    names = ("nist", "umbrela-gpt-4o", "binary-gpt-4o", "umbrela-llama3.2-pass2", "exam-binary-mean-gpt-4o")
    cubes = evaluate_under({name: folder / "qrels" / f"{name}.txt" for name in names}, folder / "runs", "nDCG@10")
    human = cubes["nist"].values[..., 0]
    for name in names[1:]:
        machine = cubes[name].sel(topic=cubes["nist"].topic).values[..., 0]
        rng, rows = np.random.default_rng(0), []
        for _ in range(draws):
            drawn = np.sort(rng.permutation(human.shape[1])[:n])
            sample = Sample(human[:, drawn], machine, drawn, np.ones(n))
            rows.append(_held(sample, human.mean(axis=1), new_topics=False))
        yield name, np.mean(rows, axis=0).tolist()


def main() -> None:
    print("systems topics world    tau: good  bad   difference  favour")
    for systems, topics in ((10, 10), (10, 50), (20, 25), (40, 10), (60, 50)):
        for factors in (False, True):
            good, bad, apart, liked = rankings(systems, topics, (GOOD, BAD), factors=factors)
            kind = "factors" if factors else "plain"
            print(f"{systems:7} {topics:6} {kind:8} {good:9.3f} {bad:5.3f} {apart:8.3f} {liked:8.3f}", flush=True)
    print("\n     n    N judge   means: held  width   differences: held  width")
    for n, total in ((5, 50), (10, 50), (10, 200), (25, 200)):
        for name, judge in (("good", GOOD), ("bad", BAD)):
            means, narrow, apart, narrower = sampled(n, total, judge)
            print(f"{n:6} {total:4} {name:7} {means:10.3f} {narrow:6.2f} {apart:15.3f} {narrower:8.2f}", flush=True)
    folder = Path(os.environ.get("IRMETA_DATA", "../shared/data")) / "judges" / "dl2021"
    if folder.is_dir():
        print("\nDL 2021, 10 of 53 topics, 300 draws       means: held  width   differences: held  width")
        for name, (means, narrow, apart, narrower) in real(folder):
            print(f"{name:40} {means:10.3f} {narrow:6.2f} {apart:15.3f} {narrower:8.2f}", flush=True)


if __name__ == "__main__":
    main()
