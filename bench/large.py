"""Runs as large as those of MS MARCO's dev set: time against pytrec_eval, and peak memory on one core and on two.

Two runs of 6980 topics with 1000 documents each, 276 MB of text a run, made from a seed. pytrec_eval is timed on one of
them, and its time doubled. `--topics N` makes smaller ones.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from bench.evaluation import peak_memory, pytrec
from bench.timing import line, seconds

TOPICS, DOCUMENTS, CORPUS = 6980, 1000, 8_841_823
REPEATS = 3


def write_run(path: Path, topics: int, seed: int) -> None:
    """Write a run: distinct documents of a corpus for each topic, by falling score."""
    generator = np.random.default_rng(seed)
    first = True
    for topic in np.sort(
        np.random.default_rng(0).choice(1_100_000, topics, replace=False)
    ):
        table = pl.DataFrame(
            {
                "topic": np.full(DOCUMENTS, topic),
                "Q0": ["Q0"] * DOCUMENTS,
                "document": generator.choice(CORPUS, DOCUMENTS, replace=False),
                "rank": np.arange(1, DOCUMENTS + 1),
                "score": np.sort(generator.uniform(5, 30, DOCUMENTS))[::-1],
                "tag": [path.name] * DOCUMENTS,
            }
        )
        with path.open("wb" if first else "ab") as file:
            table.write_csv(
                file, separator=" ", include_header=False, float_precision=6
            )
        first = False


def write_qrels(path: Path, run: Path) -> None:
    """Judge relevant, for each topic of a run, the document at a rank from 1 to 100."""
    ranks = np.random.default_rng(1).integers(1, 101, TOPICS)
    with run.open() as lines, path.open("w") as judged:
        for number, text in enumerate(lines):
            topic, _, document, rank, *_ = text.split()
            if int(rank) == ranks[number // DOCUMENTS]:
                judged.write(f"{topic} 0 {document} 1\n")


def main() -> None:
    import irmeta

    topics = (
        int(sys.argv[sys.argv.index("--topics") + 1])
        if "--topics" in sys.argv
        else TOPICS
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        runs = [folder / "one", folder / "two"]
        for seed, run in enumerate(runs):
            write_run(run, topics, seed)
        qrels = folder / "qrels.txt"
        write_qrels(qrels, runs[0])
        size = runs[0].stat().st_size / 1e6
        print(
            f"2 runs of {topics} topics, {size:.0f} MB each; ours computes 23 metrics, pytrec_eval those it has"
        )
        irmeta.evaluate(
            qrels,
            {
                "warm": {
                    line.split()[0]: {"1": 1.0}
                    for line in qrels.read_text().splitlines()
                }
            },
        )
        ours = min(
            seconds(lambda: irmeta.evaluate(qrels, runs)) for _ in range(REPEATS)
        )
        theirs = 2 * seconds(lambda: pytrec(qrels, runs[:1]))
        line("large runs: pytrec_eval", ours, theirs, target=18)
        one, two = peak_memory(qrels, runs[:1]), peak_memory(qrels, runs)
        print(
            f"peak memory: {one} MiB for one run, {two} MiB for both (aim: at most 300 MiB a core)"
        )


if __name__ == "__main__":
    main()
