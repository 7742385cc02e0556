"""A real Dask scheduler with two worker processes, over TCP: it changes no result, and survives what happens."""

import functools
import http.server
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import xarray as xr

import irmeta
import irmeta.parallel
import irmeta.workers
from irmeta.errors import FileFormatError, IrmetaError, MetricError
from irmeta.scores.attributes import about
from irmeta.workers import Cluster, on_cluster


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A simulated collection: qrels.txt, and 24 files in runs/."""
    folder = tmp_path_factory.mktemp("collection")
    irmeta.simulate(folder, systems=24, topics=12, rng=5)
    return folder


def evaluated(desk: Path, **options: object) -> xr.DataArray:
    return irmeta.evaluate(desk / "qrels.txt", desk / "runs", **options)


def pids(cluster: Cluster) -> list[int]:
    return list(cluster.client.run(os.getpid).values())


def test_the_workers_are_other_processes(cluster: Cluster) -> None:
    """What is cut into pieces is done by two other processes, in the order of the pieces."""
    done = list(irmeta.parallel.in_order(functools.partial(divmod, 1000), range(1, 50)))
    assert done == [divmod(1000, number) for number in range(1, 50)]
    assert len(set(pids(cluster))) == 2
    assert os.getpid() not in pids(cluster)
    assert (cluster.workers, cluster.threads) == (2, 2)


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize(
    "metrics",
    ["seeds23", "AP(pool=5) nDCG(depth=20, judged_only=True) RR", "SetP AP SetR Bpref"],
)
def test_evaluation(desk: Path, metrics: str) -> None:
    """Scores, notes and digests are those of the threads of one process, to the last bit."""
    there = evaluated(desk, metrics=metrics)
    with irmeta.parallel.working_on(None):
        here = evaluated(desk, metrics=metrics)
    xr.testing.assert_identical(there, here)


@pytest.mark.usefixtures("cluster")
def test_runs_that_are_no_files() -> None:
    """Runs and judgments from Python travel, too."""
    runs = {
        "a": {"1": {"x": 2.0, "y": 1.0}},
        "b": {"1": {"y": 1.0}, "2": {"\udcff": 1.0}},
    }
    scores = irmeta.evaluate({"1": {"y": 1}, "2": {"\udcff": 1}}, runs, "RR")
    assert scores.values.tolist() == [[[0.5], [0.0]], [[1.0], [1.0]]]


@pytest.mark.parametrize("victims", [1, 2])
def test_a_worker_dies(cluster: Cluster, desk: Path, victims: int) -> None:
    """When one worker is killed in the middle, or both, others do its work, and the scores are the same."""
    left = pids(cluster)[:victims]

    def kill(*_: object) -> None:
        while left:
            os.kill(left.pop(), signal.SIGKILL)

    with irmeta.watched_by(kill):
        scores = evaluated(desk)
    assert not left
    with irmeta.parallel.working_on(None):
        xr.testing.assert_identical(scores, evaluated(desk))


def test_the_client_is_killed(address: str, desk: Path, tmp_path: Path) -> None:
    """After kill -9 of whoever asked, the same command goes on with what is left, and the file is the same."""
    code = """if True:
        import sys, time
        from irmeta.workers import on_cluster
        from irmeta.evaluation.archive import writing as archive
        from irmeta.parallel import watched_by
        archive.EVERY = 0
        def slowly(*step):
            print(*step, flush=True)
            time.sleep(0.05)
        with on_cluster(sys.argv[1]), watched_by(slowly):
            archive.evaluate_to(*sys.argv[2:])
    """
    paths = [tmp_path / "s.parquet", desk / "qrels.txt", desk / "runs"]
    with subprocess.Popen(
        [sys.executable, "-c", code, address, *paths], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        for _ in range(8):
            assert process.stdout.readline()
        process.send_signal(signal.SIGKILL)
    assert not (tmp_path / "s.parquet").exists()
    with on_cluster(address):
        assert 6 <= irmeta.evaluate_to(*paths).kept < 24
    assert [file.name for file in tmp_path.iterdir()] == ["s.parquet"]
    xr.testing.assert_identical(irmeta.load(tmp_path / "s.parquet"), evaluated(desk))


def test_the_command(
    address: str, desk: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """With --workers a command says where it works, and writes the same file."""
    for name, where in (
        ("here.parquet", []),
        ("there.parquet", ["--workers", address]),
    ):
        command = [
            sys.executable,
            "-m",
            "irmeta",
            "evaluate",
            str(desk / "qrels.txt"),
            str(desk / "runs"),
        ]
        subprocess.run([*command, "-o", str(tmp_path / name), *where], check=True)
    assert (tmp_path / "here.parquet").read_bytes() == (
        tmp_path / "there.parquet"
    ).read_bytes()
    said = capfd.readouterr().err
    dashboard = re.search(
        rf"cluster {address}: workers: 2, threads: 2; dashboard: (http://127.0.0.1:\d+/status)\n",
        said,
    )
    assert dashboard
    with urllib.request.urlopen(dashboard[1]) as page:
        assert page.status == 200


def test_work_that_kills_every_worker(cluster: Cluster) -> None:
    """Work that no worker survives ends with an error that names it so, not with a traceback."""
    with pytest.raises(IrmetaError, match="workers died on the same"):
        list(irmeta.parallel.in_order(os._exit, [1]))


@pytest.mark.usefixtures("cluster")
def test_relative_paths(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Relative paths begin where the command was given, wherever the workers are, and are named so."""
    monkeypatch.chdir(desk)
    scores = irmeta.evaluate("qrels.txt", "runs", "AP")
    assert scores.sizes["system"] == 24
    Path("broken").write_text("1 Q0 d 1 high tag\n")
    with pytest.raises(FileFormatError, match="^broken:1: the score"):
        irmeta.evaluate("qrels.txt", "broken")
    assert "error" not in irmeta.validate("qrels.txt", "runs")["level"].values


def test_workers_that_come_later(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A worker that joined after the beginning with another irmeta refuses the work; other errors are not ours."""
    here = os.getpid()
    monkeypatch.setattr(
        irmeta.workers,
        "version",
        lambda _: "0.0.1" if os.getpid() == here else "unused",
    )
    with pytest.raises(
        IrmetaError,
        match=r"a worker that joined later has irmeta .*, but this machine has 0.0.1",
    ):
        list(irmeta.parallel.in_order(str, range(3)))
    monkeypatch.undo()
    with pytest.raises(FileNotFoundError, match="nothing"):
        list(irmeta.parallel.in_order(os.listdir, [tmp_path / "nothing"]))


@pytest.mark.usefixtures("cluster")
def test_a_broken_run(desk: Path, tmp_path: Path) -> None:
    """A broken file stops the evaluation or is left out by name, as here."""
    (tmp_path / "broken").write_text("1 Q0 d 1 high tag\n")
    runs = [*sorted((desk / "runs").iterdir()), tmp_path / "broken"]
    with pytest.raises(
        FileFormatError, match="broken:1: the score 'high' is not a number"
    ) as caught:
        irmeta.evaluate(desk / "qrels.txt", runs)
    assert [remark.line for remark in caught.value.remarks] == [1]
    scores = irmeta.evaluate(desk / "qrels.txt", runs, on_error="skip")
    assert scores.sizes["system"] == 24
    assert any(
        "left out" in note and "broken:1" in note for note in about(scores)["notes"]
    )


@pytest.mark.usefixtures("cluster")
def test_errors_of_metrics_travel(desk: Path) -> None:
    """What ir_measures refuses on a worker is an error here, of the same kind."""
    with pytest.raises(MetricError, match="whole grades"):
        irmeta.evaluate({"1": {"a": 0.5}}, {"r": {"1": {"a": 1.0}}}, "SetP")


@pytest.fixture
def web(desk: Path) -> Iterator[str]:
    """The URL under which a server shows the collection."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(desk))
    )
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.usefixtures("cluster")
def test_files_on_a_server(desk: Path, web: str) -> None:
    """Qrels and runs may be URLs, of files, globs or folders; the workers open them, and the scores are the same."""
    for runs in (
        f"{web}/runs/*",
        f"{web}/runs/",
        [f"{web}/runs/{file.name}" for file in (desk / "runs").iterdir()],
    ):
        there = irmeta.evaluate(f"{web}/qrels.txt", runs, "AP nDCG@10").sortby("system")
        xr.testing.assert_equal(
            there, evaluated(desk, metrics="AP nDCG@10").sortby("system")
        )
    assert about(there)["runs"] == about(evaluated(desk))["runs"]
    with pytest.raises(FileFormatError, match="/runs/none: no such file"):
        irmeta.evaluate(f"{web}/qrels.txt", f"{web}/runs/none")
    with pytest.raises(FileFormatError, match=r"/runs/\*.none: no such file"):
        irmeta.evaluate(f"{web}/qrels.txt", f"{web}/runs/*.none")


def test_another_version(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers with another irmeta are refused by name."""
    here = os.getpid()
    monkeypatch.setattr(
        irmeta.workers, "version", lambda _: "0.0.1" if os.getpid() == here else "0.0.2"
    )
    with (
        pytest.raises(
            IrmetaError,
            match=r"worker tcp://.* has irmeta 0.0.2, but this machine has 0.0.1",
        ),
        on_cluster(address),
    ):
        pass


def test_nobody_answers(web: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An address where nobody or no scheduler answers, or that is none, is an error that says how to write one."""
    monkeypatch.setattr(irmeta.workers, "PATIENCE", 1.0)
    for address in (
        "tcp://127.0.0.1:9",
        "nowhere",
        "ftp://127.0.0.1",
        "tls://127.0.0.1:9",
        web.replace("http", "tcp"),
    ):
        with (
            pytest.raises(IrmetaError, match=f"no Dask scheduler answers at {address}"),
            on_cluster(address),
        ):
            pass


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a cluster be given up after a second."""
    monkeypatch.setattr(irmeta.workers, "SILENCE", 1.0)
    monkeypatch.setattr(irmeta.workers, "_LOOK", 0.2)


@contextmanager
def stopped(*processes: int) -> Iterator[None]:
    """Freeze processes as long as this is open."""
    for process in processes:
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in processes:
            os.kill(process, signal.SIGCONT)


@pytest.mark.usefixtures("impatient")
def test_frozen_workers(cluster: Cluster) -> None:
    """Workers that are not heard of any more end the work with a message that names one of them."""
    with (
        stopped(*pids(cluster)),
        pytest.raises(
            IrmetaError, match=r"worker tcp://.* was silent for 1 s; repair the"
        ),
    ):
        list(irmeta.parallel.in_order(str, range(3)))


@pytest.mark.usefixtures("impatient")
def test_busy_workers(cluster: Cluster) -> None:
    """Work that takes longer than that is waited for, as long as its worker is heard of."""
    assert cluster.workers == 2
    assert list(irmeta.parallel.in_order(time.sleep, [2.0])) == [None]


@pytest.mark.usefixtures("impatient")
def test_a_frozen_scheduler(cluster: Cluster) -> None:
    """A scheduler that does not answer any more ends the work with a message."""
    process = cluster.client.run_on_scheduler(os.getpid)
    with (
        stopped(process),
        pytest.raises(IrmetaError, match="the scheduler did not answer for 1 s"),
    ):
        list(irmeta.parallel.in_order(str, range(3)))


@pytest.mark.usefixtures("impatient")
def test_without_workers() -> None:
    """A cluster that has no workers is not waited for longer than for one that is silent."""
    from distributed import LocalCluster

    with (
        LocalCluster(
            n_workers=0, processes=False, dashboard_address="127.0.0.1:0"
        ) as empty,
        on_cluster(empty.scheduler_address),
        pytest.raises(IrmetaError, match="it has no workers; repair the"),
    ):
        list(irmeta.parallel.in_order(str, range(3)))


def test_certificates(tmp_path: Path) -> None:
    """A cluster with TLS is reached with the certificates that Dask's own settings name, and not without."""
    import dask
    from distributed import LocalCluster, Security

    security = Security.temporary()
    named = {"distributed.comm.require-encryption": True}
    for setting, role in (
        ("ca-file", "ca_file"),
        ("client.cert", "client_cert"),
        ("client.key", "client_key"),
    ):
        file = tmp_path / role
        file.write_text(getattr(security, f"tls_{role}"))
        named[f"distributed.comm.tls.{setting}"] = str(file)
    options = {"processes": False, "n_workers": 1, "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(protocol="tls://", security=security, **options) as closed:
        with dask.config.set(named), on_cluster(closed.scheduler_address):
            assert list(irmeta.parallel.in_order(str, range(3))) == ["0", "1", "2"]
        with (
            pytest.raises(IrmetaError, match="no Dask scheduler answers"),
            on_cluster(closed.scheduler_address),
        ):
            pass


def test_a_local_cluster_is_closed() -> None:
    """Nobody without its certificates connects to a local cluster, and its HTTP server shows nothing."""
    from distributed import Client

    with on_cluster("local") as engine:
        assert list(irmeta.parallel.in_order(str, range(3))) == ["0", "1", "2"]
        port = engine.client.scheduler_info()["services"]["dashboard"]
        for page in (
            "",
            "status",
            "info/main/workers.html",
            "json/identity.json",
            "metrics",
        ):
            with pytest.raises(urllib.error.HTTPError, match="404") as refused:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/{page}")
            refused.value.close()
        with pytest.raises(TypeError, match="ssl_context"):
            Client(engine.address, timeout=2, set_as_default=False)


def test_without_dask(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without the extra there is a message that names it, for a cluster and for URLs."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with (
        pytest.raises(IrmetaError, match=r"pip install 'irmeta\[cluster\]'"),
        on_cluster("local"),
    ):
        pass
    with pytest.raises(IrmetaError, match=r"pip install 'irmeta\[cluster\]'"):
        irmeta.evaluate({"1": {"a": 1}}, "s3://archive/run")
