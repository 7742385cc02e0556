"""Who may be on the front of quality against cost: whether the true front is among them, and how many are named."""

import importlib
from functools import cache

import numpy as np

from bench.hard import Hard
from bench.peers.others import FEWEST, RESAMPLES
from irmeta.stats.leaderboards import front
from irmeta.stats.rankings.ranksets import rank_sets

MODELS = 8
SIZES = (10, 25, 50)
Named = np.ndarray | None
"""Which models may be on the front; None where a peer refuses."""


@cache
def costs() -> np.ndarray:
    """Return what each model costs."""
    return np.random.default_rng(MODELS).random(MODELS)


def ours(scores: np.ndarray, rng: np.random.Generator) -> Named:
    """Return the models that `leaderboard --costs` says may be on the front."""
    better = rank_sets(scores.T, rng, draws=RESAMPLES).better
    return front.possible(costs(), better)


def evalstats(scores: np.ndarray, rng: np.random.Generator) -> Named:
    """Return the models that `tradeoff` does not call dominated."""
    if scores.shape[1] < FEWEST:
        return None
    pareto = importlib.import_module("evalstats.core.pareto")
    names = [str(at) for at in range(MODELS)]
    paid = np.repeat(-costs()[:, None], scores.shape[1], axis=1)
    found = pareto.pareto_bootstrap(
        scores, paid, names, n_bootstrap=10 * RESAMPLES, rng=rng
    )
    status = pareto.classify_pareto_status(found)
    return np.array([status[name].status != "dominated" for name in names])


def held(world: Hard, named: np.ndarray) -> tuple[float, float]:
    """Return whether the true front is among the named, and the share of models that are named."""
    true = front.by_values(costs(), world.means)
    return float((true <= named).all()), float(named.mean())
