"""Evaluate as TIRA's evaluators do: a folder with a run, a folder with the judgments, and a folder for the results.

Writes `evaluation.prototext`, the mean of each metric, and `scores.parquet`, the scores by topic with their provenance.
"""

import argparse
import sys
from pathlib import Path

import irmeta
from irmeta.scores.averages.means import means


def file_of(folder: Path, kinds: tuple[str, ...]) -> Path:
    """Return the one file of a folder whose name begins with the first of some words that begins any."""
    for kind in kinds:
        found = sorted(path for path in folder.rglob(f"{kind}*") if path.is_file())
        if len(found) == 1:
            return found[0]
        if found:
            raise irmeta.IrmetaError(
                f"{folder}: {len(found)} files are named {kind}*, the first {found[0]}; leave one"
            )
    raise irmeta.IrmetaError(
        f"{folder}: no file is named {' or '.join(f'{kind}*' for kind in kinds)}"
    )


def prototext(scores: dict[str, float]) -> str:
    """Write scores as TIRA reads them.

    >>> print(prototext({"nDCG@10": 0.5}), end="")
    measure {
      key: "nDCG@10"
      value: "0.5"
    }
    """
    return "".join(
        f'measure {{\n  key: "{name}"\n  value: "{value!r}"\n}}\n'
        for name, value in scores.items()
    )


def evaluate(run: Path, truth: Path, output: Path, metrics: str) -> None:
    """Score the run of one folder by the judgments of another, and write the results into a third."""
    qrels, submitted = file_of(truth, ("qrels",)), file_of(run, ("run",))
    cube = irmeta.evaluate(qrels, {"run": submitted}, metrics)
    averages = means(cube).sel(system="run")
    output.mkdir(parents=True, exist_ok=True)
    irmeta.save(cube, output / "scores.parquet")
    values = {
        str(name): float(averages.sel(metric=name)) for name in cube.metric.values
    }
    (output / "evaluation.prototext").write_text(prototext(values), encoding="utf-8")


def main() -> None:
    """Read the arguments; end with 1 and a sentence where something is wrong with the input."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--input-run",
        type=Path,
        required=True,
        help="folder with the run: run.txt, run.txt.gz",
    )
    parser.add_argument(
        "--input-truth",
        type=Path,
        required=True,
        help="folder with the judgments: qrels.txt",
    )
    parser.add_argument(
        "--output", type=Path, required=True, help="folder for evaluation.prototext"
    )
    parser.add_argument(
        "--metrics",
        default="nDCG@10 RR AP P@10 R@100 Judged@10",
        help="metrics, with blanks between",
    )
    given = parser.parse_args()
    try:
        evaluate(given.input_run, given.input_truth, given.output, given.metrics)
    except irmeta.IrmetaError as error:
        sys.exit(f"irmeta: {error}")


if __name__ == "__main__":
    main()
