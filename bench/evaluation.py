"""Files to scores: all runs of a collection, plain and gzipped, against pytrec_eval, ranx and ir_measures.

The collection is TREC-COVID round 1 where IRMETA_DATA (or ../shared/data) has it, else a simulated one.
"""

import gzip
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.timing import line, ratio, seconds

METRICS = {"map_cut", "ndcg_cut", "P", "recall"}
CUTS = "10,20,100,1000"
BUDGET = 60.0
"""Seconds after which a slower peer is timed on a part of the runs only."""


def collection(folder: Path) -> tuple[Path, Path]:
    """Find or make a collection: its qrels, and a folder of gzipped runs."""
    data = Path(os.environ.get("IRMETA_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
    real = data / "trec-covid" / "round1"
    if real.is_dir():
        return real / "qrels.txt", real / "runs"
    import irmeta

    irmeta.simulate(folder, systems=100, topics=50, rng=1)
    return folder / "qrels.txt", folder / "runs"


def pytrec(qrels: Path, runs: list[Path]) -> None:
    import pytrec_eval

    wanted = {f"{name}.{CUTS}" for name in METRICS} | {"bpref", "Rprec", "recip_rank"}
    with qrels.open() as file:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), wanted)
    for run in runs:
        with run.open() as file:
            evaluator.evaluate(pytrec_eval.parse_run(file))


def with_ir_measures(qrels: Path, runs: list[Path]) -> None:
    import ir_measures

    from irmeta.names import parse_list

    measures = [ir_measures.parse_measure(str(m)) for m in parse_list("seeds23") if m.base not in ("RBP", "ERR")]
    evaluator = ir_measures.evaluator(measures, list(ir_measures.read_trec_qrels(str(qrels))))
    for run in runs:
        list(evaluator.iter_calc(ir_measures.read_trec_run(str(run))))


def with_ranx(qrels: Path, runs: list[Path]) -> None:
    import ranx

    judged = ranx.Qrels.from_file(str(qrels), kind="trec")
    names = [f"{name}@{k}" for name in ("map", "ndcg", "precision", "recall") for k in CUTS.split(",")]
    for run in runs:
        ranx.evaluate(
            judged,
            ranx.Run.from_file(str(run), kind="trec"),
            [*names, "mrr", "r-precision", "bpref"],
            make_comparable=True,
        )


def peak_memory(qrels: Path, runs: Path) -> int:
    """Give the peak resident memory of an evaluation in a process of its own, in MiB."""
    work = "import irmeta, sys; irmeta.evaluate(sys.argv[1], sys.argv[2]); print(open('/proc/self/status').read())"
    done = subprocess.run([sys.executable, "-c", work, qrels, runs], check=True, capture_output=True, text=True)
    return int(done.stdout.partition("VmHWM:")[2].split()[0]) // 1024


def main() -> None:
    import irmeta

    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as name:
        qrels, packed = collection(Path(name) / "made")
        plain = Path(name) / "plain"
        plain.mkdir()
        for run in sorted(packed.iterdir()):
            text = gzip.decompress(run.read_bytes()) if run.suffix == ".gz" else run.read_bytes()
            (plain / run.name.removesuffix(".gz")).write_bytes(text)
        runs = sorted(plain.iterdir())
        size = sum(run.stat().st_size for run in runs)
        print(
            f"{len(runs)} runs, {size / 1e6:.0f} MB of text; ours computes 23 metrics, peers those of the 23 they have"
        )

        def ours() -> Any:
            return irmeta.evaluate(qrels, plain)

        line("plain text: pytrec_eval", *ratio(ours, lambda: pytrec(qrels, runs))[:2], target=5)
        line("gzipped against plain text (ours / ours)", *ratio(ours, lambda: irmeta.evaluate(qrels, packed))[:2])
        for peer, work in (("ir_measures", with_ir_measures), ("ranx", with_ranx)):
            against(peer, work, qrels, runs, ours)
        print(f"peak memory, {len(runs)} gzipped runs: {peak_memory(qrels, packed)} MiB")
        half = plain.parent / "half"
        half.mkdir()
        for run in runs[::2]:
            run.rename(half / run.name)
        print(f"peak memory, {len(runs[::2])} plain runs: {peak_memory(qrels, half)} MiB")


def against(
    peer: str, work: Callable[[Path, list[Path]], None], qrels: Path, runs: list[Path], ours: Callable[[], Any]
) -> None:
    """Compare with a peer on as many runs as it finishes in a minute, its time scaled to all of them."""
    try:
        work(qrels, runs[:1])  # compiles what it compiles
    except ImportError:
        print(f"{peer} is not installed")
        return
    few = runs[: max(1, min(len(runs), int(BUDGET / max(seconds(lambda: work(qrels, runs[:2])) / 2, 1e-3))))]
    theirs = seconds(lambda: work(qrels, few)) * len(runs) / len(few)
    line(f"plain text: {peer} ({len(few)} runs timed)", min(seconds(ours) for _ in range(3)), theirs, target=5)


if __name__ == "__main__":
    main()
