"""Kill commands at random moments, run them again, and compare what they leave with an undisturbed run.

`python -m bench.kills 200` kills 200 times, the commands in turn; `--seed` chooses other moments.
"""

import argparse
import hashlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

_OFTEN = "from irmeta.evaluation import archive; archive.EVERY = 0.02; from irmeta.cli import main; main()"
IRMETA = [sys.executable, "-c", _OFTEN]
"""The command, which writes finished runs far more often than usual, so that interrupted evaluations leave parts."""


@dataclass(frozen=True)
class Command:
    """A command whose output may be interrupted; `output` is a file or a folder, `before` what it starts with."""

    words: list[str]
    output: str
    before: str | None = None


COMMANDS = {
    "evaluate": Command(
        ["evaluate", "c/qrels.txt", "c/runs", "-o", "out.parquet"], "out.parquet"
    ),
    "append": Command(
        ["import", "systemwise", "more.csv", "-o", "added.parquet", "--append"],
        "added.parquet",
        "s.parquet",
    ),
    "report": Command(
        ["report", "s.parquet", "-o", "page", "--metrics", "AP P@10 RR"], "page"
    ),
    "standardize": Command(
        [
            "standardize",
            "apply",
            "s.parquet",
            "--factors",
            "f.parquet",
            "-o",
            "z.parquet",
        ],
        "z.parquet",
    ),
    "demo": Command(["demo", "-o", "shown"], "shown"),
}


def main() -> None:
    """Kill, repeat, compare, and count."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("kills", type=int, nargs="?", default=20)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument(
        "--commands", nargs="+", choices=list(COMMANDS), default=list(COMMANDS)
    )
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(
            killed(Path(folder), given.commands, given.kills, random.Random(given.seed))
        )


def killed(
    folder: Path, names: list[str], kills: int, draws: random.Random
) -> dict[str, dict[str, int]]:
    """Kill each command in turn, and count by command how often it was killed, done before, and left other bytes."""
    prepare(folder)
    counts = {}
    for name in names:
        command = COMMANDS[name]
        begun = time.monotonic()
        whole = finished(folder, command)
        lasts = time.monotonic() - begun
        counts[name] = {
            "killed": 0,
            "done before": 0,
            "other bytes": 0,
            "left beside": 0,
        }
        while counts[name]["killed"] < kills // len(names):
            clean(folder, command)
            if not killed_at(folder, command, draws.uniform(0, lasts)):
                counts[name]["done before"] += 1
                continue
            counts[name]["killed"] += 1
            counts[name]["other bytes"] += (
                finished(folder, command, again=True) != whole
            )
            counts[name]["left beside"] += any(folder.glob(f".{command.output}*"))
        print(name, counts[name], flush=True)
    return counts


def prepare(folder: Path) -> None:
    """Make the inputs: a collection, its scores, factors, and another table of scores."""
    call = {
        "cwd": folder,
        "check": True,
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
    }
    for words in (
        "simulate -o c --systems 12 --topics 10",
        "evaluate c/qrels.txt c/runs -o s.parquet",
        "standardize fit s.parquet -o f.parquet",
    ):
        subprocess.run([*IRMETA, *words.split()], **call)
    (folder / "more.csv").write_text("runid,map,P_10\na,0.5,0.1\nb,0.25,0.2\n")


def clean(folder: Path, command: Command) -> None:
    """Bring the folder to where the command begins."""
    for left in folder.glob(f"*{command.output}*"):
        shutil.rmtree(left) if left.is_dir() else left.unlink()
    if command.before is not None:
        shutil.copy(folder / command.before, folder / command.output)


def killed_at(folder: Path, command: Command, moment: float) -> bool:
    """Start the command and kill it after so many seconds; False if it was done before."""
    nothing = subprocess.DEVNULL
    with subprocess.Popen(
        [*IRMETA, *command.words], cwd=folder, stdout=nothing, stderr=nothing
    ) as process:
        try:
            process.wait(moment)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            return True
    return False


def finished(folder: Path, command: Command, *, again: bool = False) -> str:
    """Run the command to its end, and return a digest of what it wrote.

    again : after a kill; one that had appended all before it was killed says that the collection is there.
    """
    if not again:
        clean(folder, command)
    done = subprocess.run(
        [*IRMETA, *command.words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode and not (
        (again and "exists" in done.stderr + done.stdout)
        or "already holds" in done.stderr
    ):
        raise SystemExit(f"{' '.join(command.words)}: {done.stderr}")
    output = folder / command.output
    files = (
        sorted(file for file in output.rglob("*") if file.is_file())
        if output.is_dir()
        else [output]
    )
    sha = hashlib.sha256()
    for file in files:
        sha.update(f"{file.relative_to(folder)}\0".encode() + file.read_bytes())
    return sha.hexdigest()


if __name__ == "__main__":
    main()
