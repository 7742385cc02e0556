"""python -m bench.coverage: measure promises, print the table, say which are broken."""

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from bench.coverage.entries import ENTRIES
from bench.coverage.frame import Entry, Row, hardest, measure
from bench.coverage.table import listed, write


def rows(
    entry: Entry, folder: Path | None, draws: int | None, *, short: bool
) -> Iterable[Row]:
    """Measure a promise in all its cases, or few draws of the hardest."""
    cases = entry.cases(folder)
    for case in hardest(cases) if short else cases:
        yield measure(entry, case, draws or (entry.few if short else entry.draws))


def shown(row: Row) -> str:
    """Write a line about a row."""
    figures = ", ".join(
        f"{key} {value:.3g}" for key, value in row.figures.items() if key != "kept"
    )
    kept = (
        f"{row.figures['kept']:.3f} ± {row.error:.3f} (promised {row.entry.promised:g})"
    )
    broken = "" if row.holds else f"  BROKEN: the bound is {row.entry.bound:g}"
    return f"{row.entry.name} | {row.world} | {row.topics} topics | {kept} | {figures}{broken}"


def run(arguments: Sequence[str]) -> int:
    """Measure what is asked for; return 1 where a promise is broken."""
    parser = argparse.ArgumentParser(
        prog="bench.coverage", description="measure the coverage of intervals and tests"
    )
    parser.add_argument(
        "--short",
        action="store_true",
        help="few draws from made cubes, which need no data",
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        help="entries whose name contains this; repeatable",
    )
    parser.add_argument(
        "--data",
        type=Path,
        help="the folder of real collections; IRMETA_DATA by default",
    )
    parser.add_argument(
        "--draws",
        type=int,
        help="of each case; each entry has its own number by default",
    )
    parser.add_argument(
        "--write",
        action="store_true",
        help="keep the figures: measured.csv, docs/coverage.md",
    )
    chosen = parser.parse_args(arguments)
    if chosen.data is None and "IRMETA_DATA" in os.environ:
        chosen.data = Path(os.environ["IRMETA_DATA"])
    folder = None if chosen.short else chosen.data
    wanted = [
        entry
        for entry in ENTRIES
        if not chosen.only or any(part in entry.name for part in chosen.only)
    ]
    broken = False
    for entry in wanted:
        measured = []
        for row in rows(entry, folder, chosen.draws, short=chosen.short):
            print(shown(row), flush=True)
            measured.append(row)
        broken = broken or any(not row.holds for row in measured)
        if chosen.write:
            write(listed(measured))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
