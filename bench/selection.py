"""Best subsets of metrics: proofs for every size, many metrics under a time limit; backward elimination old and new."""

import os
import time
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np

from bench.timing import line, seconds
from irmeta.evaluation.engine import evaluate
from irmeta.io.tables.matrices import import_systemwise
from irmeta.stats.arrays import Floats
from irmeta.stats.subsets.branch_and_bound import best_subsets
from irmeta.stats.subsets.criteria import Criterion, ExplainedVariance, LogDeterminant
from irmeta.stats.subsets.matrices import correlation, covariance
from irmeta.stats.subsets.orders import iterative_backward, sheffield

DATA = Path(
    os.environ.get(
        "IRMETA_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"
    )
)
SIXTY = [
    *(
        f"{base}@{k}"
        for base in ("AP", "nDCG", "P", "R")
        for k in (3, 5, 10, 15, 20, 30, 50, 100, 200, 500, 1000)
    ),
    *(f"RBP(p={p})" for p in (0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98)),
    *("P@1", "Bpref", "Rprec", "RR", "ERR@10", "ERR@20", "ERR@100"),
]


def main() -> None:
    backward()
    if not DATA.is_dir():
        print("no real collections (IRMETA_DATA): the rest is left out")
        return
    every_size()
    sixty()


def backward() -> None:
    """Iterative backward against the same elimination with every sub-determinant computed."""
    for size in (25, 50, 100, 200):
        sigma = covariance(np.random.default_rng(size).normal(size=(2 * size, size)))
        fast = min(seconds(partial(iterative_backward, sigma)) for _ in range(3))
        slow = seconds(partial(sheffield, sigma))
        line(f"backward elimination of {size}: inverse update, Sheffield", fast, slow)


def every_size() -> None:
    """The proven optimum of every size of 23 metrics, against trying all subsets of one size, 7."""
    for criterion in (LogDeterminant(), ExplainedVariance()):
        total = 0.0
        for name, sigma in matrices().items():
            took = seconds(partial(prove, criterion, sigma))
            total += took
            if isinstance(criterion, LogDeterminant):
                line(
                    f"{name}: 23 sizes proven, size 7 enumerated",
                    took,
                    seconds(partial(enumerate_, sigma)),
                )
        print(
            f"{type(criterion).__name__}: 23 sizes proven on {len(matrices())} matrices in {total:.2f} s (aim 2 s)"
        )


def sixty() -> None:
    """Ten of sixty metrics, in a minute or with the gap that is left."""
    folder = DATA / "trec-covid" / "round1"
    rows = evaluate(folder / "qrels.txt", folder / "runs", SIXTY).values.reshape(
        -1, len(SIXTY)
    )
    for kind, sigma in (
        ("covariance", covariance(rows)),
        ("correlation", correlation(covariance(rows))),
    ):
        for criterion in (LogDeterminant(), ExplainedVariance()):
            start = time.perf_counter()
            best = best_subsets(
                criterion, criterion.layers(sigma), [10], time_limit=60
            )[10]
            took = time.perf_counter() - start
            end = (
                "proven"
                if best.proven
                else f"{best.value:.4f} found, at most {best.bound:.4f} possible"
            )
            print(
                f"10 of {len(SIXTY)}, {kind}, {type(criterion).__name__}: {took:.1f} s, {best.nodes} nodes, {end}"
            )


def prove(criterion: Criterion, sigma: Floats) -> None:
    found = best_subsets(criterion, criterion.layers(sigma), range(1, len(sigma) + 1))
    assert all(best.proven for best in found.values())


def enumerate_(sigma: Floats) -> None:
    subsets = np.array(list(combinations(range(len(sigma)), 7)))
    for batch in np.array_split(subsets, 100):
        np.linalg.slogdet(sigma[batch[:, :, None], batch[:, None, :]])


def matrices() -> dict[str, Floats]:
    if not _MATRICES:
        rows = {
            "system-wise": import_systemwise(DATA / "systemwise" / "train.csv")[
                "train"
            ].values
        }
        for name in ("round1", "round3"):
            folder = DATA / "trec-covid" / name
            rows[f"TREC-COVID {name}"] = evaluate(
                folder / "qrels.txt", folder / "runs"
            ).values
        for name, scores in rows.items():
            sigma = covariance(scores.reshape(-1, scores.shape[-1]))
            _MATRICES.update(
                {
                    f"{name}, covariance": sigma,
                    f"{name}, correlation": correlation(sigma),
                }
            )
    return _MATRICES


_MATRICES: dict[str, Floats] = {}

if __name__ == "__main__":
    main()
