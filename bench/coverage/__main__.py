"""python -m bench.coverage: measure promises, print the table, say which are broken."""

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from bench.coverage.entries import ENTRIES
from bench.coverage.frame import Case, Entry, Row, hardest, measure, measure_again
from bench.coverage.history import lost
from bench.coverage.table import Key, doubtful, finish, keep, name_commits, since


def rows(entry: Entry, cases: Iterable[Case], draws: int) -> Iterable[Row]:
    """Measure a promise in all these cases."""
    for case in cases:
        yield measure(entry, case, draws)


def rows_to_keep(
    entry: Entry, cases: Iterable[Case], draws: int, known: set[Key]
) -> Iterable[Row]:
    """Measure a promise in the cases that are not known; what seems to miss it is measured again by other draws."""
    for case in cases:
        if (entry.name, case.world, case.topics) in known:
            continue
        row = measure(entry, case, draws)
        yield measure_again(entry, case, draws) if doubtful(row) else row


def shown(row: Row) -> str:
    """Write a line about a row."""
    figures = ", ".join(
        f"{key} {value:.3g}" for key, value in row.figures.items() if key != "kept"
    )
    kept = (
        f"{row.figures['kept']:.3f} ± {row.error:.3f} (promised {row.entry.promised:g})"
    )
    broken = "" if row.holds else f"  BROKEN: the bound is {row.entry.bound:g}"
    return f"{row.entry.name} | {row.case.world} | {row.case.topics} topics | {kept} | {figures}{broken}"


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
        help="keep the figures: src/irmeta/measured, docs/coverage.md, docs/coverage-rows.md",
    )
    parser.add_argument(
        "--since",
        default="",
        help="with --write: go on after a run that was stopped; rows measured since then, as in 2026-11-22T09:30, stay",
    )
    parser.add_argument(
        "--commits",
        action="store_true",
        help="measure nothing: let rows of commits that a rebase replaced name those of the history",
    )
    chosen = parser.parse_args(arguments)
    if chosen.commits:
        gone = sorted(lost(name_commits()))
        print(f"rows to measure again are of: {', '.join(gone) or 'no commit'}")
        return bool(gone)
    if chosen.data is None and "IRMETA_DATA" in os.environ:
        chosen.data = Path(os.environ["IRMETA_DATA"])
    folder = None if chosen.short else chosen.data
    if chosen.write and folder is None:
        parser.error("--write needs the real collections: --data, without --short")
    known = since(chosen.since) if chosen.since else set()
    broken = False
    for entry in ENTRIES:
        if chosen.only and not any(part in entry.name for part in chosen.only):
            continue
        cases = list(entry.cases(folder))
        if chosen.short:
            cases = list(hardest(cases))
        draws = chosen.draws or (entry.few if chosen.short else entry.draws)
        measured = (
            rows_to_keep(entry, cases, draws, known)
            if chosen.write
            else rows(entry, cases, draws)
        )
        for row in measured:
            print(shown(row), flush=True)
            broken = broken or not row.holds
            if chosen.write:
                keep(row)
        if chosen.write:
            finish(entry, cases)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
