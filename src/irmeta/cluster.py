"""Work on a Dask cluster: what `irmeta.parallel.in_order` cuts is done by its workers (the extra `cluster`)."""

import asyncio
import logging
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from irmeta.errors import IrmetaError
from irmeta.parallel import Item, Result, apart, cores, ordered, single_threaded_for_good, working_on

if TYPE_CHECKING:
    from distributed import Client, Future

PATIENCE = 10.0
"""Seconds to wait for a scheduler that does not answer."""
_AHEAD, _FEWEST = 4, 64
"""Items each thread of the cluster may be ahead of whoever takes the results, and how few all together may be."""
_RECOUNT = 5.0
"""Seconds after which the threads are counted again."""


@dataclass(frozen=True)
class Cluster:
    """A Dask cluster at work: its scheduler's address, how many workers and threads it has, and its dashboard's URL."""

    client: "Client"
    address: str
    workers: int
    threads: int
    dashboard: str | None
    _counted: list[float] = field(default_factory=lambda: [-_RECOUNT, 0.0], repr=False)

    def in_order(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Generator[Result, None, None]:
        """Apply `work` to each item on the workers, and give the results in the order of the items.

        An item whose worker dies is given to another. The scheduler keeps `work`, for whoever has lost it or is new.
        """
        from distributed import CancelledError, KilledWorker
        from distributed.comm.core import CommClosedError

        held = _kept_by_scheduler(self.client, work)
        ours = version("irmeta")

        def submit(item: Item) -> "Future[Result | _Refused]":
            return self.client.submit(_on_worker, ours, held, item, pure=False)

        try:
            for result in ordered(submit, items, self._ahead):
                if isinstance(result, _Refused):
                    raise result.error
                yield result
        except KilledWorker as error:
            raise IrmetaError(
                f"cluster {self.address}: {error.allowed_failures + 1} workers died of the same piece of work, at last "
                f"{error.last_worker.address}; have they enough memory? Their logs may tell"
            ) from error
        except (CancelledError, CommClosedError, TimeoutError) as error:
            raise IrmetaError(f"cluster {self.address}: the connection was lost; does the scheduler run?") from error

    def _ahead(self) -> int:
        """Say how many items may be under way: more for workers that have joined since."""
        if time.monotonic() - self._counted[0] > _RECOUNT:
            self._counted[:] = [time.monotonic(), sum(self.client.nthreads().values())]
        return max(_AHEAD * int(self._counted[1]), _FEWEST)


@dataclass(frozen=True)
class _Refused:
    """An error of the user's that a worker found; as a result it travels without Dask's remarks on it."""

    error: IrmetaError


@contextmanager
def on_cluster(address: str) -> Iterator[Cluster]:
    """Let a Dask cluster do what irmeta cuts into pieces: evaluation, partitions, resampling, as long as this is open.

    address : of a scheduler, as in "tcp://10.0.0.1:8786", or "local" for a process on each core of this machine (then
    a script needs `if __name__ == "__main__":`). The workers need irmeta in the version used here. No result depends on
    who computes it. Without the extra `cluster`, without an answer, or with other versions IrmetaError is raised.

    >>> with on_cluster("local") as engine:  # doctest: +SKIP
    ...     scores = irmeta.evaluate("qrels.txt", "s3://archive/runs/*.gz")
    """
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise IrmetaError("work on a cluster takes Dask: pip install 'irmeta[cluster]'") from error
    with ExitStack() as stack:
        scheduler = address
        if address == "local":
            quiet: dict[str, Any] = {"dashboard_address": "127.0.0.1:0", "silence_logs": logging.CRITICAL}
            try:
                with _deaf_children():
                    own = LocalCluster(n_workers=cores(), threads_per_worker=1, **quiet)
            except RuntimeError as error:
                raise IrmetaError(
                    'the processes of --cluster local did not start; a script needs if __name__ == "__main__":'
                ) from error
            scheduler = stack.enter_context(own).scheduler_address
        try:
            _require_scheduler(scheduler)
            client = stack.enter_context(Client(scheduler))
        except (OSError, ValueError, TypeError, TimeoutError) as error:
            raise IrmetaError(
                f"no Dask scheduler answers at {address}; an address is written as in tcp://10.0.0.1:8786, or local "
                f"({str(error) or f'no answer in {PATIENCE:g} s'})"
            ) from error
        _require_same_version(client, address)
        threads = client.nthreads()
        dashboard = client.dashboard_link if "dashboard" in client.scheduler_info()["services"] else None
        engine = Cluster(client, scheduler, len(threads), sum(threads.values()), dashboard)
        stack.enter_context(working_on(engine))
        yield engine


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Let processes that start here leave Ctrl-C to this one, which then ends them."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are for the main thread to handle
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _require_scheduler(address: str) -> None:
    """Raise TimeoutError or OSError if no scheduler answers; a Client alone would wait for ever."""
    from distributed.core import rpc

    async def ask() -> None:
        async with rpc(address) as scheduler:
            await scheduler.identity()

    with ThreadPoolExecutor(1) as thread:  # whose loop is not that of a notebook
        thread.submit(asyncio.run, asyncio.wait_for(ask(), PATIENCE)).result()


def _require_same_version(client: "Client", address: str) -> None:
    try:
        theirs = client.run(version, "irmeta")
    except ModuleNotFoundError as error:
        raise IrmetaError(f"cluster {address}: a worker has no irmeta; install it there, too") from error
    for worker, its in theirs.items():
        _refuse_others(version("irmeta"), its, f"cluster {address}: worker {worker}")


def _refuse_others(ours: str, theirs: str, who: str) -> None:
    if theirs != ours:
        raise IrmetaError(f"{who} has irmeta {theirs}, here is {ours}; make them equal")


def _kept_by_scheduler(client: "Client", work: Callable[[Item], Result]) -> Any:
    """Send `work` once, as a task of the scheduler's: unlike scattered data that survives any worker."""
    import dask

    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
        return client.submit(_itself, work, pure=False)


def _itself(work: Callable[[Item], Result]) -> Callable[[Item], Result]:
    return work


def _on_worker(ours: str, work: Callable[[Item], Result], item: Item) -> Result | _Refused:
    single_threaded_for_good()
    try:
        _refuse_others(ours, version("irmeta"), "a worker that came later")
        return apart(work, item)
    except IrmetaError as error:
        return _Refused(error)
