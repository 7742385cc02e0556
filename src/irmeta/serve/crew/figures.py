"""What is counted of a site, for Prometheus: nothing has the name of a board, a team, a run or a person."""

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from sqlalchemy import Engine

from irmeta.serve.catalogue import submissions
from irmeta.serve.site import Site

SECONDS = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100)
"""Bounds of the times that are counted."""


class Figures:
    """What one process counts, and what the catalogue and the disk say of the site."""

    def __init__(self, site: Site, engine: Engine) -> None:
        """Make a registry of what is counted from now on."""
        self.registry = CollectorRegistry()
        self._site, self._engine = site, engine
        self._requests = Counter(
            "irmeta_requests",
            "Requests, by the template of their path.",
            ["method", "route", "status"],
            registry=self.registry,
        )
        self._answers, self._tasks = (
            Histogram(name, what, [label], buckets=SECONDS, registry=self.registry)
            for name, what, label in (
                ("irmeta_request_seconds", "How long answers took.", "route"),
                ("irmeta_task_seconds", "How long children took, by task.", "task"),
            )
        )
        self.registry.register(self)

    def count_request(
        self, method: str, route: str, status: int, seconds: float
    ) -> None:
        """Count a request, and how long its answer took."""
        self._requests.labels(method, route, str(status)).inc()
        self._answers.labels(route).observe(seconds)

    @contextmanager
    def timed(self, task: str) -> Iterator[None]:
        """Note how long the work inside takes, under the name of a task."""
        began = time.monotonic()
        try:
            yield
        finally:
            self._tasks.labels(task).observe(time.monotonic() - began)

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield what is so at this moment; Prometheus asks for it."""
        states = GaugeMetricFamily(
            "irmeta_submissions", "Submissions by state.", labels=["state"]
        )
        for state, count in submissions.count_all_by_state(self._engine).items():
            states.add_metric([state], count)
        yield states
        count, oldest = submissions.count_unscored(self._engine)
        disk = shutil.disk_usage(self._site.folder)
        for name, what, value in (
            ("irmeta_unscored", "Runs to be checked or scored.", count),
            ("irmeta_oldest_unscored_seconds", "How long the oldest waits.", oldest),
            ("irmeta_disk_free_bytes", "What is free on the disk.", disk.free),
            ("irmeta_disk_bytes", "What the disk has.", disk.total),
        ):
            yield GaugeMetricFamily(name, what, value=value)

    def describe(self) -> Iterator[GaugeMetricFamily]:
        """Name nothing: nobody asks the catalogue before there is one."""
        return iter(())

    def as_text(self) -> bytes:
        """Return all figures as Prometheus reads them."""
        return generate_latest(self.registry)
