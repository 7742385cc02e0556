"""Commands in little address space: each ends with its result or a sentence."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import irmeta
from irmeta.cli import limited
from irmeta.scores.cube import cube

METRICS = ["AP", "P@10", "RR", "nDCG@10"]
COMMANDS = {
    "describe": "describe s.parquet",
    "evaluate": "evaluate q runs -m AP",
    "correlate": "correlate s.parquet",
    "significance": "significance s.parquet",
    "import": "import table t.csv -o made.parquet",
    "report": "report s.parquet -o page -m AP,RR",
}
OTHERS = {
    "rank": "rank s.parquet -k 2",
    "reliability": "reliability s.parquet",
    "predictivity": "predictivity s.parquet",
    "leaderboard": "leaderboard s.parquet --metric AP -o board",
    "table": "table s.parquet",
    "versus": "versus s.parquet --system s1",
    "validate": "validate runs --qrels q",
    "export": "export s.parquet -o out.csv",
    "simulate": "simulate -o simulated --topics 5 --systems 4",
    "standardize": "standardize fit s.parquet -o factors.parquet",
    "design": "design s.parquet",
    "reuse": "reuse q runs",
    "predict": "predict fit s.parquet -o model.json",
    "judges": "judges compare q q2 --runs runs",
    "plot": "describe s.parquet --plot drawn.svg",
}
MIBS = (730, 800, 1000, 1500)
"""Under 720 MiB nothing starts, whatever the command; up to 4,096 all is as with 1,500."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scores, runs, judgments and a table."""
    made = tmp_path_factory.mktemp("limited")
    rng = np.random.default_rng(1)
    scores = np.linspace(0.1, 0.5, 8)[:, None, None] + 0.4 * rng.beta(1, 2, (8, 12, 4))
    systems, topics = [f"s{i}" for i in range(8)], [str(i) for i in range(12)]
    irmeta.save(cube(scores, systems, topics, METRICS), made / "s.parquet")
    (made / "runs").mkdir()
    for system in range(8):
        (made / "runs" / f"s{system}").write_text(
            "".join(
                f"{topic} Q0 d{(rank * 7 + system) % 50} {rank} {50 - rank} x\n"
                for topic in topics
                for rank in range(20)
            )
        )
    for name, every in (("q", 3), ("q2", 4)):
        (made / name).write_text(
            "".join(
                f"{topic} 0 d{number} {number % every == 0:d}\n"
                for topic in topics
                for number in range(50)
            )
        )
    (made / "t.csv").write_text("system,1,2\na,0.5,0.25\nb,0.1,0.2\n")
    return made


def _ended(folder: Path, command: str, mib: int) -> tuple[int, str]:
    """Run a command with a limit; return its exit code, and what it said at the end."""
    for left in ("made.parquet", "out.csv", "model.json", "factors.parquet"):
        (folder / left).unlink(missing_ok=True)
    program = (
        "import resource, sys\n"
        f"resource.setrlimit(resource.RLIMIT_AS, ({mib << 20},) * 2)\n"
        f"sys.argv[1:] = {command.split()!r}\n"
        "from irmeta.cli import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert len(done.stderr) < 20_000
    return done.returncode, done.stderr


def _check(folder: Path, command: str, mib: int) -> None:
    code, said = _ended(folder, command, mib)
    assert "Traceback" not in said
    if code != 0:
        last = said[max(0, said.rfind("irmeta: ")) :]
        assert (code, "memory" in last or "address space" in last) == (2, True), said
    assert code == 0 or mib < 1500


@pytest.mark.skipif(sys.platform != "linux", reason="limits are the kernel's")
@pytest.mark.parametrize(
    ("name", "mib"),
    [
        *(("describe", mib) for mib in (300, 800, 1500, 4000)),
        *((name, 800) for name in ("evaluate", "report")),
    ],
)
def test_a_command_ends_with_its_result_or_a_sentence(
    folder: Path, name: str, mib: int
) -> None:
    """Whatever the limit is, a command says its result or that memory is short: no abort, no traceback, no flood."""
    _check(folder, COMMANDS[name], mib)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits are the kernel's")
@pytest.mark.parametrize("name", [*COMMANDS, *OTHERS])
def test_every_command_under_a_ladder_of_limits(folder: Path, name: str) -> None:
    """Each rung of a ladder of limits ends as it should; from 1,500 MiB on with the result."""
    for mib in MIBS:
        _check(folder, (COMMANDS | OTHERS)[name], mib)


WORKER = """
import os, resource, sys, time
resource.setrlimit(resource.RLIMIT_AS, ({mib} << 20,) * 2)
from irmeta.cli import limited
limited._STILL = 2
def fail(said): print("irmeta:", said, file=sys.stderr); sys.exit(2)
def run(): {run}
limited.run_within_limit(run, fail)
"""

SPIN = """
    held = memoryview(bytearray(600 << 20))
    with open("/dev/zero", "rb", buffering=0) as zeros:
        while True:
            zeros.readinto(held)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits are the kernel's")
@pytest.mark.parametrize(
    ("run", "code", "said"),
    [
        ("os.abort()", 2, "not enough memory: address space is limited to 800 MiB"),
        ("raise MemoryError", 2, "address space is limited to 800 MiB"),
        ("\n while True: os.write(2, b'x' * 4096)", 2, "not enough memory"),
        ("held = bytearray(600 << 20); time.sleep(60)", 2, "not enough memory"),
        (SPIN, 2, "not enough memory"),
        ("os._exit(1)", 2, "not enough memory"),
        ("sys.exit(1)", 1, ""),
        ("print('done')", 0, ""),
        ("os.kill(os.getpid(), 15)", -15, ""),
        ("print(os.environ['POLARS_MAX_THREADS'], file=sys.stderr)", 0, "1"),
    ],
)
def test_what_watches_a_command(run: str, code: int, said: str) -> None:
    """An abort, a flood, a standstill, endless tries are a sentence; other ends stay as they are, threads are few."""
    done = subprocess.run(
        [sys.executable, "-c", WORKER.format(mib=800, run=run)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == code
    assert said in done.stderr
    assert len(done.stderr) <= limited._MOST + 1000


def test_without_a_limit_nothing_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where address space is not limited a command runs in this process."""
    monkeypatch.setattr(limited, "limit", lambda: None)
    ran: list[int] = []
    limited.run_within_limit(lambda: ran.append(os.getpid()), json.dumps)
    assert ran == [os.getpid()]
