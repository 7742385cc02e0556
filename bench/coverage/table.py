"""What was measured, kept in measured.csv, and the tables of docs/coverage.md that are made from it."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

import polars as pl

from bench.coverage.entries import ENTRIES, GROUPS
from bench.coverage.frame import Case, Entry, Row
from bench.coverage.prose import rewrite

MEASURED = Path(__file__).parent / "measured.csv"
PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"
BEGIN, END = "<!-- measured -->\n", "<!-- end -->\n"
Key = tuple[str, str, int]
"""The entry, the world and the number of topics of a row."""


SCHEMA = {
    "topics": pl.Int64,
    "promised": pl.Float64,
    "beside": pl.String,
    "seconds": pl.Float64,
    "when": pl.String,
}


def listed(rows: Iterable[Row]) -> pl.DataFrame:
    """List what was measured, a row for each entry, world and number of topics."""
    columns = [
        {
            "of": row.entry.name,
            "world": row.world,
            "topics": row.topics,
            "promised": row.entry.promised,
            "draws": row.draws,
            "kept": round(row.figures["kept"], 4),
            "error": round(row.error, 4),
            "beside": _beside(row.figures),
            "seconds": round(row.seconds, 1),
            "when": datetime.now().isoformat(timespec="minutes"),
        }
        for row in rows
    ]
    return pl.DataFrame(columns, schema_overrides=SCHEMA)


def _beside(figures: Mapping[str, float]) -> str:
    return ", ".join(
        f"{key} {value:.3g}" for key, value in figures.items() if key != "kept"
    )


def keys(measured: pl.DataFrame) -> list[Key]:
    """Return the key of each row."""
    return measured.select("of", "world", "topics").rows()


def merged(known: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    """Replace what is known of a case by what was measured now; keep the order of the entries."""
    rows = dict(zip(keys(known), known.rows(), strict=True))
    rows |= dict(zip(keys(new), new.select(known.columns).rows(), strict=True))
    order = {entry.name: place for place, entry in enumerate(ENTRIES)}
    together = pl.DataFrame(list(rows.values()), schema=known.schema, orient="row")
    return together.filter(pl.col("of").is_in(list(order))).sort(
        pl.col("of").replace_strict(order, return_dtype=pl.Int64), maintain_order=True
    )


def in_order(
    measured: pl.DataFrame, entry: Entry, cases: Iterable[Case]
) -> pl.DataFrame:
    """Put the rows of an entry in the order of its cases, and drop those of cases that it no longer has."""
    order = {(entry.name, case.world, case.topics): at for at, case in enumerate(cases)}
    place = [order.get(key, len(order)) for key in keys(measured)]
    other = pl.col("of") != entry.name
    known = measured.with_columns(place=pl.Series(place, dtype=pl.Int64))
    kept = known.filter(other | (pl.col("place") < len(order)))
    return merged(
        kept.filter(other).drop("place"),
        kept.filter(~other).sort("place").drop("place"),
    )


def read() -> pl.DataFrame:
    """Read what was measured so far."""
    return pl.read_csv(MEASURED, schema_overrides=SCHEMA).with_columns(
        pl.col("beside").fill_null("")
    )


def since(when: str) -> set[Key]:
    """Name what was measured at that time or later, an ISO date or time such as 2026-11-22T12:30."""
    return set(keys(read().filter(pl.col("when") >= when)))


def keep(row: Row) -> None:
    """Keep what was measured of a case."""
    merged(read(), listed([row])).write_csv(MEASURED)


def finish(entry: Entry, cases: Iterable[Case]) -> None:
    """Drop rows of cases that an entry no longer has, and write the tables of the page again."""
    together = in_order(read(), entry, cases)
    together.write_csv(MEASURED)
    text = PAGE.read_text(encoding="utf-8")
    head, rest = text.split(BEGIN)
    tail = rest.split(END)[1]
    PAGE.write_text(head + BEGIN + markdown(together) + END + tail, encoding="utf-8")
    rewrite(together)


def markdown(measured: pl.DataFrame) -> str:
    """Write a table for each group: a line for each entry and world, its numbers of topics side by side."""
    return "\n".join(
        _group(title, entries, measured) for title, entries in GROUPS.items()
    )


def _group(title: str, entries: Sequence[Entry], measured: pl.DataFrame) -> str:
    ours = measured.filter(pl.col("of").is_in([entry.name for entry in entries]))
    parts = ours.partition_by("of", "world", maintain_order=True)
    columns = ["of", "world", "topics", "promised", "measured", "error", "beside"]
    lines = [
        _row(columns),
        "|" + "---|" * len(columns),
        *(_line(part) for part in parts),
    ]
    return f"### {title}\n\n" + "".join(line + "\n" for line in lines)


def _line(part: pl.DataFrame) -> str:
    """Write a line: an entry in one world, with each number of topics."""
    first = part.row(0, named=True)
    topics = ", ".join(str(count) for count in part["topics"])
    kept = ", ".join(f"{share:.3f}" for share in part["kept"])
    error = f"{part['error'].max():.3f}"
    cells = [
        first["of"],
        first["world"],
        topics,
        f"{first['promised']:g}",
        kept,
        error,
        _together(part["beside"]),
    ]
    return _row(cells)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _together(texts: Iterable[str]) -> str:
    """Join `width 3` and `width 2` to `width 3, 2`."""
    figures: dict[str, list[str]] = {}
    for text in texts:
        for figure in filter(None, text.split(", ")):
            name, value = figure.rsplit(" ", 1)
            figures.setdefault(name, []).append(value)
    return "; ".join(f"{name} {', '.join(values)}" for name, values in figures.items())
