"""What was measured, kept in the file that irmeta ships, and the page docs/coverage.md that is made from it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

import jinja2
import polars as pl

from bench.coverage.entries import ENTRIES, GROUPS
from bench.coverage.frame import Case, Entry, Row
from bench.coverage.history import commit, mended
from bench.coverage.printed import WITHOUT_INTERVAL
from bench.coverage.worlds import TIES, UNTIED
from irmeta.measured.coverage import FILE, TOLERATED, Measured, over

MEASURED = FILE
TEMPLATE = Path(__file__).parent / "coverage.md.j2"
"""The page; `kept` in it is the range of the shares of some rows, `tables` all rows."""
PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"
Key = tuple[str, str, int]
"""The entry, the world and the number of topics of a row."""


SCHEMA = {
    "systems": pl.Int64,
    "topics": pl.Int64,
    "promised": pl.Float64,
    "beside": pl.String,
    "seconds": pl.Float64,
    "when": pl.String,
    "commit": pl.String,
}


def listed(rows: Iterable[Row]) -> pl.DataFrame:
    """List what was measured, a row for each entry, world and number of topics."""
    columns = [
        {
            "of": row.entry.name,
            "world": row.case.world,
            "systems": row.case.systems,
            "topics": row.case.topics,
            "promised": row.entry.promised,
            "draws": row.draws,
            "kept": round(row.figures["kept"], 4),
            "error": round(row.error, 4),
            "beside": _beside(row.figures),
            "seconds": round(row.seconds, 1),
            "when": datetime.now().isoformat(timespec="minutes"),
            "commit": commit(),
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


def name_commits() -> pl.DataFrame:
    """Let rows name commits of the history where a rebase replaced those that were measured; return all rows."""
    together = mended(read())
    together.write_csv(MEASURED)
    return together


def since(when: str) -> set[Key]:
    """Name what was measured at that time or later, an ISO date or time such as 2026-11-22T12:30."""
    return set(keys(read().filter(pl.col("when") >= when)))


def keep(row: Row) -> None:
    """Keep what was measured of a case."""
    merged(read(), listed([row])).write_csv(MEASURED)


def finish(entry: Entry, cases: Iterable[Case]) -> None:
    """Drop rows of cases that an entry no longer has, and write the page again."""
    together = in_order(read(), entry, cases)
    together.write_csv(MEASURED)
    PAGE.write_text(page(together), encoding="utf-8")


def page(measured: pl.DataFrame) -> str:
    """Return the page of what was measured."""
    template = jinja2.Template(
        TEMPLATE.read_text(encoding="utf-8"),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )
    return template.render(
        tables=markdown(measured),
        kept=partial(kept, measured),
        wide=wide(measured),
        hardest=hardest(measured),
        without=WITHOUT_INTERVAL,
        short=counted_short(measured.filter(pl.col("promised") > 0.5)),
        intervals=(measured["promised"] > 0.5).sum(),
        promises=measured.filter(pl.col("promised") > 0.5)["of"].n_unique(),
        hours=f"{measured['seconds'].sum() / 3600:.1f}",
        counted=sum("needed" in beside for beside in measured["beside"]),
        differ=[*UNTIED, *TIES],
        untied=UNTIED,
    )


def kept(
    measured: pl.DataFrame,
    of: str,
    worlds: str | Sequence[str] = ".*",
    topics: Sequence[int] = (),
) -> str:
    """Return the least and the largest share of some rows, as in 51 to 97%; raise LookupError where there is none.

    of : entries whose whole name matches this pattern.  worlds : the same, or their names.  topics : all by default.
    """
    if not isinstance(worlds, str):
        worlds = "|".join(map(re.escape, worlds))
    rows = measured.filter(
        pl.col("of").str.contains(f"^(?:{of})$"),
        pl.col("world").str.contains(f"^(?:{worlds})$"),
        pl.col("topics").is_in(list(topics) or measured["topics"].unique()),
    ).with_columns(pl.col("systems").fill_null(0))
    return over([Measured(*row) for row in rows.select(Measured._fields).rows()]).share


WIDE = 1.3
"""Intervals this many times as wide as they need to be are listed."""


def wide(measured: pl.DataFrame) -> str:
    """List the promises whose intervals are much wider than they need to be in some worlds, the widest first."""
    found: dict[str, list[tuple[float, str]]] = {}
    for row in measured.iter_rows(named=True):
        ratio = _times(row["beside"])
        if ratio is not None and ratio > WIDE:
            of = f"{row['of']}, {row['topics']} topics"
            found.setdefault(of, []).append((ratio, row["world"]))
    lines = []
    for of, rows in sorted(found.items(), key=lambda one: -max(one[1])[0]):
        least, most = (f"{end(rows)[0]:.1f}" for end in (min, max))
        times = most if least == most else f"{least} to {most}"
        where = rows[0][1] if len(rows) == 1 else f"in {len(rows)} worlds"
        lines.append(f"- {of}, {where}: {times} times")
    return "\n".join(lines)


def hardest(measured: pl.DataFrame) -> str:
    """List each promise with the world in which it is kept least, and how many of its rows are kept too seldom.

    Of a test that is the world in which it rejects most.
    """
    columns = ["of", "promised", "rows", "too seldom", "hardest", "in"]
    columns += ["too wide", "widest"]
    lines = [_row(columns), "|" + "---|" * len(columns)]
    for part in measured.partition_by("of", maintain_order=True):
        of, promised = part.row(0, named=True)["of"], part["promised"][0]
        sign = 1 if promised > 0.5 else -1
        worst = part.sort(sign * pl.col("kept"), maintain_order=True).row(0, named=True)
        times = [ratio for one in part["beside"] if (ratio := _times(one))]
        cells = [
            of,
            f"{promised:g}",
            len(part),
            counted_short(part),
            f"{worst['kept']:.3f} ± {worst['error']:.3f}",
            f"{worst['world']}, {worst['topics']} topics",
            sum(one > WIDE for one in times) if times else "",
            f"{max(times):.1f} times" if times else "",
        ]
        lines.append(_row(map(str, cells)))
    return "\n".join(lines)


def counted_short(rows: pl.DataFrame) -> str:
    """Count the rows of promises kept too seldom, and those where draws do not explain it, as in 12 (3)."""
    above = pl.col("promised") > 0.5
    missed = pl.col("promised") - pl.col("kept")
    short = rows.select(
        beyond=pl.when(above).then(missed).otherwise(-missed) - TOLERATED, error="error"
    ).filter(pl.col("beyond") > 0)
    surely = short.filter(pl.col("beyond") > 2.5 * pl.col("error"))
    return f"{len(short)} ({len(surely)})" if len(short) else "0"


def _times(beside: str) -> float | None:
    """Return how many times as wide as it needs to be an interval is; None where that is not measured."""
    figures = _figures(beside)
    if not {"width", "needed"} <= set(figures) or float(figures["needed"]) <= 0:
        return None
    return float(figures["width"]) / float(figures["needed"])


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


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _together(texts: Iterable[str]) -> str:
    """Join `width 3` and `width 2` to `width 3, 2`; what was not measured of all is due."""
    each = [_figures(text) for text in texts]
    names = dict.fromkeys(name for figures in each for name in figures)
    joined = (
        (name, ", ".join(figures.get(name, "due") for figures in each))
        for name in names
    )
    return "; ".join(f"{name} {values}" for name, values in joined)


def _figures(text: str) -> dict[str, str]:
    """Return the figures of a row by name, as in `width 3, needed 2`."""
    return dict(part.rsplit(" ", 1) for part in filter(None, text.split(", ")))
