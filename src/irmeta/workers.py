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
from typing import TYPE_CHECKING, Any, Generic

from irmeta.errors import IrmetaError, extras
from irmeta.parallel import (
    Item,
    Result,
    cores,
    in_worker,
    ordered,
    single_threaded_for_good,
    working_on,
)

if TYPE_CHECKING:
    from distributed import Client, Future, LocalCluster, Security

PATIENCE = 10.0
"""Seconds to wait at the start for a scheduler that does not answer."""
SILENCE = 30.0
"""Seconds after which a scheduler or a worker that is not heard of, or a cluster without workers, is given up."""
_LOOK = 5.0
"""Seconds to wait for a result before looking after those who make it."""
_AHEAD, _FEWEST = 4, 64
"""Items each thread of the cluster may be ahead of whoever takes the results, and how few all together may be."""
_RECOUNT = 5.0
"""Seconds after which the threads are counted again."""


@dataclass
class Cluster:
    """A Dask cluster at work: its scheduler's address, how many workers and threads it has, and its dashboard's URL."""

    client: "Client"
    address: str
    workers: int
    threads: int
    dashboard: str | None
    _counted_at: float = field(default=-_RECOUNT, repr=False)
    _counted: int = field(default=0, repr=False)
    _heard: dict[str, tuple[float | None, float]] = field(
        default_factory=dict, repr=False
    )

    def in_order(
        self, work: Callable[[Item], Result], items: Iterable[Item]
    ) -> Generator[Result, None, None]:
        """Apply `work` to each item on the workers, and give the results in the order of the items.

        An item whose worker dies is given to another. The scheduler keeps `work`, for whoever has lost it or is new.
        """
        from distributed import CancelledError, KilledWorker
        from distributed.comm.core import CommClosedError

        held = _kept_by_scheduler(self.client, work)
        ours = version("irmeta")

        def submit(item: Item) -> "_Promised[Result]":
            return _Promised(
                self, held, self.client.submit(_on_worker, ours, held, item, pure=False)
            )

        try:
            for result in ordered(submit, items, self._ahead):
                if isinstance(result, _Refused):
                    raise result.error
                yield result
        except KilledWorker as error:
            raise IrmetaError(
                f"cluster {self.address}: {error.allowed_failures + 1} workers died on the same "
                f"work item, the last one {error.last_worker.address}; they may lack memory, see "
                "their logs"
            ) from error
        except (CancelledError, CommClosedError, TimeoutError) as error:
            raise IrmetaError(
                f"cluster {self.address}: the connection was lost; is the scheduler still running?"
            ) from error

    def require_alive(self, *needed: "Future[Any]") -> None:
        """Raise IrmetaError if nobody is there to make these results, or who makes them is not heard of any more."""
        keys = [future.key for future in needed]
        workers = self._ask("identity", n_workers=-1)["workers"]
        doing = self._ask("processing")
        holding = self._ask("who_has", keys=keys)
        silent = self._silent({who: one["last_seen"] for who, one in workers.items()})
        if not workers and silent:
            raise self._connection_lost("it has no workers")
        stuck = [
            who
            for who in silent
            if not self.client.futures.keys().isdisjoint(doing.get(who, ()))
        ]
        stuck += [
            who for held in holding.values() if silent.issuperset(held) for who in held
        ]
        if stuck:
            raise self._connection_lost(
                f"worker {stuck[0]} was silent for {SILENCE:g} s"
            )

    def _silent(self, last_seen: dict[str, float]) -> set[str]:
        """Return the workers that the scheduler has not heard of for too long; one without a name if there is none.

        The clocks of other machines may be wrong: what counts is when the time of a worker was seen to change.
        """
        now = time.monotonic()
        times: dict[str, float | None] = {**last_seen} or {"": None}
        # by worker: its time as it was last seen, and when that was first seen by our clock
        before = dict(self._heard)
        self._heard.clear()
        silent = set()
        for who, at in times.items():
            since = now
            if who in before and before[who][0] == at:
                since = before[who][1]
            self._heard[who] = (at, since)
            if now - since > SILENCE:
                silent.add(who)
        return silent

    def _ask(self, question: str, **about: Any) -> Any:
        """Ask the scheduler; raise IrmetaError if it does not answer."""
        from distributed.comm.core import CommClosedError

        try:
            return self.client.sync(
                getattr(self.client.scheduler, question),
                callback_timeout=SILENCE,
                **about,
            )
        except (OSError, TimeoutError, CommClosedError) as error:
            raise self._connection_lost(
                f"the scheduler did not answer for {SILENCE:g} s"
            ) from error

    def _connection_lost(self, what: str) -> IrmetaError:
        return IrmetaError(
            f"cluster {self.address}: {what}; repair the cluster and run the command again"
        )

    def _ahead(self) -> int:
        """Say how many items may be under way: more for workers that have joined since."""
        if time.monotonic() - self._counted_at > _RECOUNT:
            self._counted = sum(self._ask("ncores").values())
            self._counted_at = time.monotonic()
        return max(_AHEAD * self._counted, _FEWEST)


@dataclass(frozen=True)
class _Promised(Generic[Result]):
    """A result to come from a cluster; while it does not come, those who make it are looked after."""

    cluster: Cluster
    work: "Future[Any]"
    future: "Future[Result | _Refused]"

    def result(self) -> "Result | _Refused":
        """Wait for the result, as long as somebody is there to make it."""
        while True:
            try:
                return self.future.result(timeout=_LOOK)
            except TimeoutError:
                if self.future.status == "error":  # the work's own
                    raise
            self.cluster.require_alive(self.work, self.future)

    def cancel(self) -> None:
        """Say that the result is not needed any more."""
        self.future.cancel()


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
    with extras():
        from distributed import Client
    with ExitStack() as stack:
        scheduler, own = address, None
        if address == "local":
            own = stack.enter_context(_started())
            scheduler = own.scheduler_address
        try:
            security = own.security if own else _configured(scheduler)
            _require_scheduler(scheduler, security)
            client = stack.enter_context(
                Client(scheduler, security=security, set_as_default=False)
            )
        # MemoryError: what another server answers is read as a length
        except (OSError, ValueError, TypeError, MemoryError) as error:
            raise IrmetaError(
                f"no Dask scheduler answers at {address}; give its address, as in "
                f"tcp://10.0.0.1:8786, or local ({str(error) or f'no answer in {PATIENCE:g} s'})"
            ) from error
        _require_same_version(client, address)
        threads = client.nthreads()
        pages = "dashboard" in client.scheduler_info()["services"] and own is None
        dashboard = client.dashboard_link if pages else None
        engine = Cluster(
            client, scheduler, len(threads), sum(threads.values()), dashboard
        )
        stack.enter_context(working_on(engine))
        yield engine


def _started() -> "LocalCluster":
    """Do as `_local`, and say what is missing where it fails."""
    try:
        with _ignoring_interrupts(), extras():  # cryptography makes certificates
            return _local()
    except RuntimeError as error:
        raise IrmetaError(
            "the processes of --workers local did not start; in a script, call it under if "
            '__name__ == "__main__":'
        ) from error


def _local() -> "LocalCluster":
    """Start a process on each core, to which nobody else on this machine can connect.

    They have certificates of their own, which are in no file, and their HTTP servers have no pages.
    """
    import dask
    from distributed import LocalCluster

    scheduler = {"dashboard": False, "dashboard_address": "127.0.0.1:0"}
    no_pages: dict[str, list[str]] = {
        f"distributed.{who}.http.routes": [] for who in ("scheduler", "worker")
    }
    with dask.config.set(no_pages):
        return LocalCluster(
            n_workers=cores(),
            threads_per_worker=1,
            security=True,
            scheduler_kwargs=scheduler,
            silence_logs=logging.CRITICAL,
        )


@contextmanager
def _ignoring_interrupts() -> Iterator[None]:
    """Let processes that start here leave Ctrl-C to this one, which then ends them."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are for the main thread to handle
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _configured(address: str) -> "Security":
    """Return what Dask's own configuration says of TLS and certificates, as its Client would take it."""
    import dask
    from distributed import Security
    from distributed.utils import import_term

    loader = dask.config.get("distributed.client.security-loader", None)
    if loader:
        return import_term(loader)({"address": address})
    return Security()


def _require_scheduler(address: str, security: "Security") -> None:
    """Raise TimeoutError or OSError if no scheduler answers; a Client alone would wait for ever."""
    from distributed.core import rpc

    async def ask() -> None:
        async with rpc(
            address, connection_args=security.get_connection_args("client")
        ) as scheduler:
            await scheduler.identity()

    with ThreadPoolExecutor(1) as thread:  # whose loop is not that of a notebook
        thread.submit(asyncio.run, asyncio.wait_for(ask(), PATIENCE)).result()


def _require_same_version(client: "Client", address: str) -> None:
    """Raise IrmetaError if a worker has another version of irmeta, or none."""
    try:
        theirs = client.run(version, "irmeta")
    except ModuleNotFoundError as error:
        raise IrmetaError(
            f"cluster {address}: a worker has no irmeta; install it there"
        ) from error
    for worker, its in theirs.items():
        _refuse_others(version("irmeta"), its, f"cluster {address}: worker {worker}")


def _refuse_others(ours: str, theirs: str, who: str) -> None:
    """Raise IrmetaError if a worker, named by `who`, has another version of irmeta."""
    if theirs != ours:
        raise IrmetaError(
            f"{who} has irmeta {theirs}, but this machine has {ours}; install the same version on "
            "both"
        )


def _kept_by_scheduler(client: "Client", work: Callable[[Item], Result]) -> Any:
    """Send `work` once, as a task of the scheduler's: unlike scattered data that survives any worker."""
    import dask

    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
        return client.submit(_itself, work, pure=False)


def _itself(work: Callable[[Item], Result]) -> Callable[[Item], Result]:
    """Return what is to be kept: the task whose result is `work`."""
    return work


def _on_worker(
    ours: str, work: Callable[[Item], Result], item: Item
) -> Result | _Refused:
    """Do the work of one item on a worker; `ours` is the version of irmeta that asks for it."""
    single_threaded_for_good()
    try:
        _refuse_others(ours, version("irmeta"), "a worker that joined later")
        return in_worker(work, item)
    except IrmetaError as error:
        return _Refused(error)
