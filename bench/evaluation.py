"""Files to scores: all runs of a collection, plain and gzipped, against pytrec_eval, trec_eval, ranx and ir_measures.

The collection is TREC-COVID round 1 where IRMETA_DATA (or ../shared/data) has it, else a simulated one.
"""

import gzip
import os
import resource
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from bench import trec_eval
from bench.timing import line, ratio, seconds

Work = Callable[[Path, list[Path]], None]
"""Evaluates runs: qrels, runs."""
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
        held = run.read_bytes()
        text = gzip.decompress(held) if run.suffix == ".gz" else held
        (folder / run.name.removesuffix(".gz")).write_bytes(text)
    return files(folder)


def pytrec(qrels: Path, runs: list[Path]) -> None:
    import pytrec_eval

    wanted = set(trec_eval.MEASURES)
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
        for k in trec_eval.CUTS.split(",")
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
        folder = Path(name)
        qrels, packed, more = collection(folder / "made")
        runs = unpacked(packed, folder / "plain")
        program = trec_eval.built(folder)
        size = sum(run.stat().st_size for run in runs)
        print(
            f"{len(runs)} runs, {size / 1e6:.0f} MB of text; ours computes 23 metrics, peers the 19 of the 23 they have"
        )
        ours = partial(irmeta.evaluate, qrels, runs)
        ours()  # imports what it imports
        for peer, work, target in peers(program):
            against(peer, work, qrels, runs, ours, target)
        gzipped = ratio(
            partial(irmeta.evaluate, qrels, packed),
            partial(pytrec, qrels, runs),
            repeats=REPEATS,
        )
        line("ours gzipped, pytrec_eval plain text", *gzipped[:2], target=6)
        simulated(folder / "simulated")
        short(qrels, runs, folder / "short")
        one_run(qrels, runs[0], program)
        for kind, few, many in (
            ("gzipped", packed, packed + more),
            ("plain", runs, runs + unpacked(more, folder / "more")),
        ):
            peaks = " and ".join(
                f"{peak_memory(qrels, some)} MiB for {len(some)}"
                for some in (few, many)
            )
            print(f"peak memory, {kind} runs: {peaks}")


def peers(program: Path | None) -> list[tuple[str, Work, float]]:
    """List the peers: name, work, and how many times faster ours should be."""
    named: list[tuple[str, Work, float]] = [
        ("pytrec_eval", pytrec, 12),
        ("ir_measures", with_ir_measures, 12),
        ("ranx", with_ranx, 12),
    ]
    if program is None:
        print("trec_eval is not there: no source (IRMETA_PEERS), or no compiler")
        return named
    for processes, target in ((1, 12.0), (2, 8.0)):
        work = partial(trec_eval.evaluate, program, processes=processes)
        named.append((f"trec_eval -P{processes}", work, target))
    return named


def simulated(folder: Path) -> None:
    """Compare with pytrec_eval on 126 simulated runs of 50 topics, 2 MB each."""
    import irmeta

    irmeta.simulate(folder, systems=126, topics=50, rng=1)
    runs = unpacked(files(folder / "runs"), folder / "plain")
    both = ratio(
        partial(irmeta.evaluate, folder / "qrels.txt", runs),
        partial(pytrec, folder / "qrels.txt", runs),
        repeats=REPEATS,
    )
    size = sum(run.stat().st_size for run in runs) / len(runs) / 1e6
    line(
        f"{len(runs)} simulated runs of {size:.1f} MB: pytrec_eval",
        *both[:2],
        target=12,
    )


def short(qrels: Path, runs: list[Path], folder: Path) -> None:
    """Time runs of 30 lines, of which nearly nothing is reading."""
    import irmeta

    folder.mkdir()
    for run in runs:
        with run.open("rb") as lines:
            (folder / run.name).write_bytes(b"".join(islice(lines, 30)))
    cut = files(folder)
    both = ratio(
        partial(irmeta.evaluate, qrels, cut), partial(pytrec, qrels, cut), repeats=20
    )
    line(f"{len(cut)} runs of 30 lines: pytrec_eval", *both[:2])


def one_run(qrels: Path, run: Path, program: Path | None) -> None:
    """Say what processor time one run costs from the shell, with the start of the program."""
    command = [sys.executable, "-m", "irmeta", "evaluate", qrels, run, "--quiet"]
    ours = min(processor_time(command) for _ in range(REPEATS))
    theirs = "trec_eval is not there"
    if program is not None:
        command = [program, "-q", "-c", "-M1000", qrels, run]
        theirs = (
            f"trec_eval {min(processor_time(command) for _ in range(REPEATS)):.3f} s"
        )
    print(f"one run from the shell: {ours:.2f} s of processor time; {theirs}")


def processor_time(command: list[Any]) -> float:
    """Run a program to its end; return the seconds that processors worked on it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def against(
    peer: str,
    work: Callable[[Path, list[Path]], None],
    qrels: Path,
    runs: list[Path],
    ours: Callable[[], Any],
    target: float,
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
        target=target,
    )


if __name__ == "__main__":
    main()
