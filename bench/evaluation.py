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
REPEATS = 5
"""How often ours and a peer are timed, in turn; the best of each counts."""
BUDGET = 60.0
"""Seconds that a peer may take for all of that; one that takes longer is timed on a part of the runs only."""


def collection(folder: Path) -> tuple[Path, list[Path], list[Path]]:
    """Find or make a collection: its qrels, its gzipped runs, and more runs like them."""
    data = Path(
        os.environ.get(
            "IRMETA_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"
        )
    )
    real = data / "trec-covid"
    if real.is_dir():
        return (
            real / "round1" / "qrels.txt",
            files(real / "round1" / "runs"),
            files(real / "round3" / "runs"),
        )
    import irmeta

    irmeta.simulate(folder, systems=150, topics=50, rng=1)
    runs = files(folder / "runs")
    return folder / "qrels.txt", runs[:100], runs[100:]


def files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def unpacked(runs: list[Path], folder: Path) -> list[Path]:
    """Write runs as plain text."""
    folder.mkdir()
    for run in runs:
        (folder / run.name.removesuffix(".gz")).write_bytes(
            gzip.decompress(run.read_bytes())
        )
    return files(folder)


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

    from irmeta.metrics.names import parse_list

    measures = [
        ir_measures.parse_measure(str(m))
        for m in parse_list("seeds23")
        if m.base not in ("RBP", "ERR")
    ]
    evaluator = ir_measures.evaluator(
        measures, list(ir_measures.read_trec_qrels(str(qrels)))
    )
    for run in runs:
        list(evaluator.iter_calc(ir_measures.read_trec_run(str(run))))


def with_ranx(qrels: Path, runs: list[Path]) -> None:
    import ranx

    judged = ranx.Qrels.from_file(str(qrels), kind="trec")
    names = [
        f"{name}@{k}"
        for name in ("map", "ndcg", "precision", "recall")
        for k in CUTS.split(",")
    ]
    for run in runs:
        ranx.evaluate(
            judged,
            ranx.Run.from_file(str(run), kind="trec"),
            [*names, "mrr", "r-precision", "bpref"],
            make_comparable=True,
        )


def peak_memory(qrels: Path, runs: list[Path]) -> int:
    """Give the peak resident memory of an evaluation in a process of its own, in MiB; runs are named by their paths."""
    work = "import irmeta, sys; qrels, *runs = sys.argv[1:]; irmeta.evaluate(qrels, dict(zip(runs, runs, strict=True)))"
    report = "print(open('/proc/self/status').read())"
    program = [sys.executable, "-c", f"{work}; {report}", qrels, *runs]
    done = subprocess.run(program, check=True, stdout=subprocess.PIPE, text=True)
    return int(done.stdout.partition("VmHWM:")[2].split()[0]) // 1024


def main() -> None:
    import irmeta

    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as name:
        qrels, packed, more = collection(Path(name) / "made")
        runs = unpacked(packed, Path(name) / "plain")
        size = sum(run.stat().st_size for run in runs)
        print(
            f"{len(runs)} runs, {size / 1e6:.0f} MB of text; ours computes 23 metrics, peers those of the 23 they have"
        )

        def ours() -> Any:
            return irmeta.evaluate(qrels, runs)

        ours()  # imports what it imports
        gzipped = ratio(ours, lambda: irmeta.evaluate(qrels, packed), repeats=REPEATS)
        line("gzipped against plain text (ours / ours)", *gzipped[:2])
        for peer, work in (
            ("pytrec_eval", pytrec),
            ("ir_measures", with_ir_measures),
            ("ranx", with_ranx),
        ):
            against(peer, work, qrels, runs, ours)
        for kind, few, many in (
            ("gzipped", packed, packed + more),
            ("plain", runs, runs + unpacked(more, Path(name) / "more")),
        ):
            peaks = " and ".join(
                f"{peak_memory(qrels, some)} MiB for {len(some)}"
                for some in (few, many)
            )
            print(f"peak memory, {kind} runs: {peaks}")


def against(
    peer: str,
    work: Callable[[Path, list[Path]], None],
    qrels: Path,
    runs: list[Path],
    ours: Callable[[], Any],
) -> None:
    """Compare with a peer, on as many runs as its time allows; its time is scaled to all of them."""
    try:
        work(qrels, runs[:1])  # compiles what it compiles
    except ImportError:
        print(f"{peer} is not installed")
        return
    each = seconds(lambda: work(qrels, runs[:2])) / 2
    few = runs[: max(1, min(len(runs), int(BUDGET / REPEATS / each)))]
    best, theirs, _ = ratio(ours, lambda: work(qrels, few), repeats=REPEATS)
    line(
        f"plain text: {peer} ({len(few)} runs timed)",
        best,
        theirs * len(runs) / len(few),
        target=6,
    )


if __name__ == "__main__":
    main()
