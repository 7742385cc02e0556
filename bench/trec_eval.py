"""trec_eval in C, built where its source and a compiler are: the peer of whoever starts it on all cores."""

import os
import shlex
import subprocess
import tarfile
from pathlib import Path

CUTS = "10,20,100,1000"
MEASURES = [
    *(f"{name}.{CUTS}" for name in ("map_cut", "ndcg_cut", "P", "recall")),
    "bpref",
    "Rprec",
    "recip_rank",
]


def built(folder: Path) -> Path | None:
    """Build trec_eval in a folder; None where its source (IRMETA_PEERS or ../shared/peers) or a compiler is missing."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "peers"
    archive = Path(os.environ.get("IRMETA_PEERS", beside)) / "trec_eval.tar.gz"
    if not archive.is_file():
        return None
    with tarfile.open(archive) as source:
        source.extractall(folder, filter="data")
    where = folder / "trec_eval"
    try:
        subprocess.run(["make"], cwd=where, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return where / "trec_eval"


def evaluate(program: Path, qrels: Path, runs: list[Path], processes: int = 1) -> None:
    """Evaluate runs topic by topic, so many at a time, and keep what is printed."""
    asked = " ".join(f"-m {measure}" for measure in MEASURES)
    each = f"{shlex.quote(str(program))} -q -c -M1000 {asked} {shlex.quote(str(qrels))} {{}}"
    out = program.parent / "printed"
    command = f"xargs -P{processes} -I{{}} {each} > {shlex.quote(str(out))}"
    names = "".join(f"{run}\n" for run in runs)
    subprocess.run(command, shell=True, check=True, input=names, text=True)
