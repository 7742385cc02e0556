"""Work on a Dask cluster of this machine: two worker processes against one, processes against threads, 1000 runs.

IRMETA_BENCH_RUNS sets the number of simulated runs (1000).
"""

import os
import resource
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from distributed import LocalCluster

import irmeta
from bench.timing import line, seconds
from irmeta.parallel import cores, in_order
from irmeta.workers import Cluster, on_cluster

FEW = 150
"""Runs of the comparisons; all of them are for the whole evaluation."""


@contextmanager
def workers(count: int) -> Iterator[Cluster]:
    """Let so many worker processes of one thread work; each has loaded what it needs."""
    with (
        LocalCluster(
            n_workers=count, threads_per_worker=1, dashboard_address=":0"
        ) as local,
        on_cluster(local.scheduler_address) as cluster,
    ):
        cluster.client.run(irmeta.evaluate, {"1": {"a": 1}}, {"r": {"1": {"a": 1.0}}})
        cluster.client.run(irmeta.predictivity, _little(), partitions=2)
        yield cluster


def _little() -> object:
    runs = {name: {topic: {name: 1.0, "a": 0.5} for topic in "1234"} for name in "abc"}
    return irmeta.evaluate({topic: {"a": 1, "b": 1} for topic in "1234"}, runs, "AP RR")


def _peak() -> float:
    """Give the most memory this process has held, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _nothing(item: int) -> int:
    return item


def scaling(folder: Path, runs: list[Path]) -> None:
    """Compare two workers with one, and with threads: evaluation, and the partitions of predictivity."""
    few = runs[:FEW]

    def evaluation() -> None:
        irmeta.evaluate(folder / "qrels.txt", few)

    cube = irmeta.evaluate(folder / "qrels.txt", few)

    def partitions() -> None:
        irmeta.predictivity(cube, partitions=4000)

    works = {
        f"evaluate {len(few)} runs": evaluation,
        "predictivity, 4000 partitions": partitions,
    }
    times: dict[str, dict[int, float]] = {
        what: {0: min(seconds(work) for _ in range(3))} for what, work in works.items()
    }
    for _ in range(2):  # in turn, so that a noisy machine is noisy for both
        for count in (1, 2):
            with workers(count):
                for what, work in works.items():
                    best = min(seconds(work) for _ in range(3))
                    times[what][count] = min(best, times[what].get(count, best))
    for what, by in times.items():
        line(f"{what}: 2 workers, 1 worker", by[2], by[1], target=1.6)
        line(f"{what}: threads, 2 workers", by[0], by[2])


def overhead() -> None:
    """Say what a cluster costs before it does anything, and what a piece of work costs that does nothing."""

    def start() -> None:
        with on_cluster("local"):
            pass

    print(
        f"start and stop of --workers local: {min(seconds(start) for _ in range(3)):.2f} s"
    )
    with workers(cores()):
        each = min(
            seconds(lambda: list(in_order(_nothing, range(1000)))) for _ in range(3)
        )
    print(f"a piece of work that does nothing: {each:.2f} ms")


def whole(folder: Path, runs: list[Path]) -> None:
    """Evaluate all runs into a score file, by a worker a core, and say how long it took and how much memory."""
    with on_cluster("local") as cluster:
        took = seconds(
            lambda: irmeta.evaluate_to(folder / "s.parquet", folder / "qrels.txt", runs)
        )
        each = ", ".join(f"{peak:.0f}" for peak in cluster.client.run(_peak).values())
    size = (folder / "s.parquet").stat().st_size / 2**20
    print(
        f"{len(runs)} runs ({sum(run.stat().st_size for run in runs) / 2**20:.0f} MiB): {took:.1f} s, "
        f"{took / len(runs) * 1e3:.0f} ms a run; score file {size:.0f} MiB; peak memory of the workers {each} MiB, "
        f"of the client with its scheduler {_peak():.0f} MiB"
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        systems = int(os.environ.get("IRMETA_BENCH_RUNS", "1000"))
        irmeta.simulate(folder, systems=systems, topics=50, rng=1)
        runs = sorted((folder / "runs").iterdir())
        print(
            f"{'':<60} {'first':>13}  {'second':>15}  {'ratio':>9}   ({cores()} cores)",
            file=sys.stdout,
        )
        whole(folder, runs)
        overhead()
        scaling(folder, runs)


if __name__ == "__main__":
    main()
