"""The test of all differences that finds most, of those that claim nothing false in more than 7% of samples.

python -m bench.one_test            false claims where systems have one mean, power where they differ (20 minutes)
python -m bench.one_test --draws 200 --versus

Worlds of bench/hard.py. A false claim is one of a difference where there is none, or of the wrong sign. The candidates
were chosen with systems of the seeds 0 to 3; systems and topics here have other seeds (decision 150).
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from multiprocessing import Pool

import numpy as np
from scipy import stats

from bench.hard import Hard, hard
from irmeta.stats.tests import multiplicity, paired, stepdown

SIZES = (10, 25, 50)
SEEDS = (100, 101, 102, 103)
RESAMPLES = 499
LEVEL = 0.05

Verdicts = Mapping[str, np.ndarray]
"""By candidate, which differences it claims."""


def hochberg(p: np.ndarray) -> np.ndarray:
    """Correct p values by Hochberg's step-up procedure (Biometrika 1988)."""
    order = np.argsort(-p)
    stepped = np.minimum.accumulate(p[order] * np.arange(1, p.size + 1))
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(stepped, 1)
    return corrected


def candidates(
    found: np.ndarray, by: Callable[[np.ndarray], np.ndarray], systems: int, laws: tuple
) -> Verdicts:
    """Test differences (comparison, topic); by : from the weights of a law to p of the step-down."""
    topics = found.shape[1]
    t = paired.t(found)
    range_of = partial(_range, systems, topics)
    signs, directions = (by(weights) for weights in laws)
    p = {
        "Holm's t": multiplicity.holm(t),
        "Hochberg's t": hochberg(t),
        "Student's range": range_of(found),
        "signs": signs,
        "directions": directions,
        "signs and directions": np.maximum(signs, directions),
        "a quarter signs": 0.25 * signs + 0.75 * directions,
        "half signs": 0.5 * signs + 0.5 * directions,
    }
    return {name: values <= LEVEL for name, values in p.items()}


def _range(systems: int, topics: int, found: np.ndarray) -> np.ndarray:
    """Return 0 where |t| is beyond Tukey and Kramer's limit for all pairs, and 1 elsewhere."""
    limit = _limit(systems, topics)
    error = paired.standard_error(found)
    beyond = np.abs(found.mean(axis=1)) > limit * error
    return np.where(beyond & (error > 0), 0.0, 1.0)


_LIMITS: dict[tuple[int, int], float] = {}


def _limit(systems: int, topics: int) -> float:
    key = systems, topics
    if key not in _LIMITS:
        range_ = stats.studentized_range.isf(LEVEL, systems, topics - 1)
        _LIMITS[key] = float(range_ / np.sqrt(2))
    return _LIMITS[key]


def measured(
    world: Hard, topics: int, draws: int, versus: bool
) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """Return by candidate the share of samples with a false claim, and the share of differences found."""
    rng = np.random.default_rng([29, topics, world.seed])
    left, right = np.triu_indices(world.systems, 1)
    if versus:
        left, right = left[: world.systems - 1], right[: world.systems - 1]
    truth = np.sign(world.means[left] - world.means[right])
    wrong: dict[str, float] = {}
    found: dict[str, float] = {}
    for _ in range(draws):
        scores = world.scores(topics, rng)
        differences = paired.less(scores[0], scores[1:])
        by = partial(_versus, differences)
        if not versus:
            differences = paired.differences(scores)
            by = partial(_pairs, scores)
        laws = stepdown.laws(topics, RESAMPLES, rng)
        sign = np.sign(differences.mean(axis=1))
        for name, claimed in candidates(differences, by, world.systems, laws).items():
            false = (claimed & (sign != truth)).any()
            power = (claimed & (sign == truth))[truth != 0]
            wrong[name] = wrong.get(name, 0) + false / draws
            found[name] = found.get(name, 0) + (
                power.mean() / draws if power.size else 0
            )
    return wrong, found


def _pairs(scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return stepdown.pairs_by(weights, scores)


def _versus(differences: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return stepdown.differences_by(weights, differences)


def _cell(cell: tuple[Hard, int, int, bool]) -> tuple[str, Mapping, Mapping]:
    world, topics, draws, versus = cell
    return f"{world}, seed {world.seed} | {topics}", *measured(
        world, topics, draws, versus
    )


def run(arguments: Sequence[str] | None = None) -> None:
    """Print a table of false claims, and one of power."""
    parser = argparse.ArgumentParser(prog="bench.one_test")
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--systems", type=int, default=12)
    parser.add_argument("--versus", action="store_true", help="one against the others")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", choices=("equal", "shapes", "differ"))
    chosen = parser.parse_args(arguments)
    hows = [chosen.only] if chosen.only else ["equal", "shapes", "differ"]
    for how in hows:
        seeds = SEEDS if how == "shapes" else SEEDS[:1]
        cells = [
            (world, topics, chosen.draws, chosen.versus)
            for world in hard([how], chosen.systems, seeds)
            for topics in SIZES
        ]
        with Pool(chosen.workers) as pool:
            _print(how, pool.imap(_cell, cells))


def _print(how: str, rows: object) -> None:
    title = "share of differences found" if how == "differ" else "any false claim"
    shown = []
    for name, wrong, found in rows:  # type: ignore[attr-defined]
        figures = found if how == "differ" else wrong
        if not shown:
            print(f"\n| {title} | topics | {' | '.join(figures)} |")
            print("|" + "---|" * (len(figures) + 2))
        shown.append(list(figures.values()))
        print(
            f"| {name} | {' | '.join(f'{f:.3f}' for f in figures.values())} |",
            flush=True,
        )
    last = np.mean(shown, axis=0) if how == "differ" else np.max(shown, axis=0)
    label = "mean" if how == "differ" else "largest"
    print(f"| {label} | | {' | '.join(f'{f:.3f}' for f in last)} |", flush=True)


if __name__ == "__main__":
    run()
