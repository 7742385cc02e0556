"""Where the real collections are, how hypothesis runs, and a real cluster."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from irmeta import cli

# Tests run on all cores: threads of a library for matrices would wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

if TYPE_CHECKING:
    from irmeta.workers import Cluster

settings.register_profile(
    "default", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
# CI draws the same examples each time, so that more of them would find nothing new
settings.register_profile(
    "ci", settings.get_profile("default"), derandomize=True, max_examples=40
)
settings.register_profile("few", settings.get_profile("ci"), max_examples=10)
settings.load_profile("ci" if os.environ.get("CI") else "default")

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
DATA = Path(os.environ.get("IRMETA_DATA", _BESIDE))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if not DATA.is_dir():
        for item in items:
            if item.get_closest_marker("data"):
                item.add_marker(
                    pytest.mark.skip(
                        reason=f"the real collections are not at {DATA} (set IRMETA_DATA)"
                    )
                )


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real collections."""
    return DATA


@pytest.fixture
def empty_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write the figures of pages empty: drawing takes most of the time of a page."""
    from irmeta.report.page import writing

    monkeypatch.setattr(writing, "_write_figure", empty_figure)


def empty_figure(write: Any, name: str, picture: Any, **_: Any) -> dict[str, Any]:
    """Write an empty figure, and return what the page needs of it."""
    text = '<svg viewBox="0 0 9 9"/>'
    write(f"figures/{name}.svg", text)
    return {"name": name, "title": picture.title, "svg": text, "wide": 9, "marks": []}


@pytest.fixture(scope="session")
def colliding() -> Callable[[str, int], list[str]]:
    """Make ids of 16 printable characters with the hash of a given one, as somebody would who hides a document."""
    from irmeta.io.runs.fields import Strings

    mix, most = 0x9E3779B97F4A7C15, (1 << 64) - 1
    inverse = pow(mix, -1, 1 << 64)

    def turned(word: int, factor: int) -> int:
        mixed = word * factor & most
        return (mixed ^ mixed >> 32) * factor & most

    @cache
    def make(target: str, count: int) -> list[str]:
        wanted = turned(int(Strings.of([target]).hash[0]), inverse)
        found: list[str] = []
        start = 0
        while len(found) < count:
            head = f"{start:08d}".encode()
            tail = (wanted ^ turned(int.from_bytes(head, "big"), mix)).to_bytes(
                8, "big"
            )
            if all(33 <= byte < 127 for byte in tail):
                found.append((head + tail).decode())
            start += 1
        assert len(set(Strings.of([target, *found]).hash.tolist())) == 1
        return found

    return make


IDLE = {
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s",
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
}
"""What keeps a cluster from measuring itself all the time, with a tenth of a core while no test uses it."""


@pytest.fixture(scope="session")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Dask scheduler that has two workers, each a process with one thread."""
    from distributed import Client

    folder = tmp_path_factory.mktemp("dask")
    about = folder / "scheduler.json"
    common = {
        "cwd": folder,
        "env": os.environ | IDLE,
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
    }
    options = ["--scheduler-file", str(about)]
    start = [
        sys.executable,
        "-m",
        "distributed.cli.dask_scheduler",
        "--port",
        "0",
        "--host",
        "127.0.0.1",
    ]
    join = [
        sys.executable,
        "-m",
        "distributed.cli.dask_worker",
        "--nworkers",
        "2",
        "--nthreads",
        "1",
    ]
    with (
        subprocess.Popen(
            [*start, "--dashboard-address", "127.0.0.1:0", *options], **common
        ) as one,
        subprocess.Popen([*join, "--no-dashboard", *options], **common) as other,
    ):
        try:
            deadline = time.monotonic() + 60
            while not about.exists() and time.monotonic() < deadline:
                time.sleep(0.05)
            with Client(scheduler_file=str(about), timeout="60s") as client:
                client.wait_for_workers(2, timeout=60)
                address = client.scheduler.address
            yield address
            with Client(address) as client:
                client.shutdown()
        finally:
            other.kill()
            one.kill()


@pytest.fixture
def address(scheduler: str) -> str:
    """The address of the scheduler, once it has both workers again."""
    from distributed import Client

    with Client(scheduler) as client:
        client.wait_for_workers(2, timeout=60)
    return scheduler


@pytest.fixture
def cluster(address: str) -> "Iterator[Cluster]":
    """The Dask cluster at work."""
    from irmeta.workers import on_cluster

    with on_cluster(address) as engine:
        yield engine


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Callable[..., tuple[int, str, str]]:
    """Run a command line in a folder of its own; gives exit code, standard output, unfolded standard error."""
    monkeypatch.chdir(tmp_path)

    def command(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["irmeta", *map(str, words)])
        with pytest.raises(SystemExit) as stop:
            cli.main()
        out, err = capsys.readouterr()
        return int(stop.value.code or 0), out, err.replace("\n  ", " ")

    return command
