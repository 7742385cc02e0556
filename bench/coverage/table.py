"""What was measured, kept in the file that irmeta ships, and the pages of docs that are made from it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

import jinja2
import numpy as np
import polars as pl
from scipy.special import gammaln, ndtri, stdtrit

from bench.coverage.entries import ENTRIES, GROUPS
from bench.coverage.frame import UNITS, Case, Entry, Row
from bench.coverage.history import commit, mended
from bench.coverage.printed import WITHOUT_INTERVAL
from bench.coverage.why import NEEDLESS, why
from irmeta.measured.coverage import FILE, TOLERATED

MEASURED = FILE
TEMPLATE = Path(__file__).parent / "coverage.md.j2"
PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"
ROWS = PAGE.with_name("coverage-rows.md")
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


def doubtful(row: Row) -> bool:
    """Whether the page would list a case: its promise is kept too seldom, or its interval is too wide."""
    of_it = listed([row])
    return len(_beyond(of_it)) > 0 or bool(_too_wide(of_it).any())


def finish(entry: Entry, cases: Iterable[Case]) -> None:
    """Drop rows of cases that an entry no longer has, and write the pages again."""
    together = in_order(read(), entry, cases)
    together.write_csv(MEASURED)
    write_pages(together)


def write_pages(measured: pl.DataFrame) -> None:
    """Write the page of promises, and that of all rows."""
    PAGE.write_text(page(measured), encoding="utf-8")
    ROWS.write_text(rows_page(measured), encoding="utf-8")


def page(measured: pl.DataFrame) -> str:
    """Return the page of what was measured of each promise."""
    template = jinja2.Template(
        TEMPLATE.read_text(encoding="utf-8"),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )
    intervals = measured.filter(pl.col("promised") > 0.5)
    return template.render(
        once=measured_once(measured),
        wide=wide(measured),
        too_short=short(measured),
        hardest=hardest(measured),
        without=WITHOUT_INTERVAL,
        needless=NEEDLESS,
        short=counted_short(intervals),
        intervals=len(intervals),
        promises=intervals["of"].n_unique(),
        hours=f"{measured['seconds'].sum() / 3600:.1f}",
        wide_rows=_too_wide(measured).sum(),
        counted=sum("needed" in beside for beside in measured["beside"]),
        draws=_span(measured["draws"], "d"),
        usual=f"{measured['draws'].median():.0f}",
        error=f"{measured['error'].max():.3f}".removeprefix("0"),
    )


WIDE, UNKNOWN = 1.3, 1.05
"""Listed are intervals this many times as wide as they need to be, and as what not to know a variance costs."""


def limit(units: int, promised: float) -> float:
    """Return how many times as wide as needed an interval may be that so many independent units tell the variance of.

    What is needed is of one width, as if the variance were known. Student's interval of n normal values, which no other
    beats, is on average t(n - 1) c4(n) / z times as wide, E s = c4 sigma: 1.33 times with 5.

    >>> round(limit(5, 0.95), 2), limit(25, 0.95), limit(1, 0.95)
    (1.4, 1.3, 1.3)
    """
    if units < 2:
        return WIDE
    share = (1 + promised) / 2
    c4 = np.sqrt(2 / (units - 1)) * np.exp(
        gammaln(units / 2) - gammaln(units / 2 - 0.5)
    )
    return max(WIDE, UNKNOWN * float(stdtrit(units - 1, share) * c4 / ndtri(share)))


def wide(measured: pl.DataFrame) -> str:
    """List the promises whose intervals are much wider than they need to be in some rows, the widest first."""
    times = pl.Series(
        [_times(beside) for beside in measured["beside"]], dtype=pl.Float64
    )
    rows = measured.with_columns(times=times).filter(_too_wide(measured))
    worst = rows.sort("times", descending=True, maintain_order=True)
    return _by_promise(
        measured, worst, lambda part: f"{_span(part['times'], '.1f')} times"
    )


def measured_once(measured: pl.DataFrame) -> int:
    """Count the rows that miss their promise, or are too wide, by no more draws than a first look has."""
    first = {entry.name: entry.draws for entry in ENTRIES}
    listed_too = {*keys(_beyond(measured)), *keys(measured.filter(_too_wide(measured)))}
    draws = zip(keys(measured), measured["draws"], strict=True)
    return sum(key in listed_too and count <= first[key[0]] for key, count in draws)


def _too_wide(rows: pl.DataFrame) -> pl.Series:
    """Say of each row whether its interval is much wider than it needs to be; its units are topics where not named."""
    columns = rows.select("beside", "topics", "promised").rows()
    return pl.Series(
        [
            (times := _times(beside)) is not None
            and times > limit(int(_figures(beside).get(UNITS, topics)), promised)
            for beside, topics, promised in columns
        ],
        dtype=pl.Boolean,
    )


def short(measured: pl.DataFrame) -> str:
    """List the promises of intervals and sets that some rows keep too seldom, beyond what draws explain."""
    surely = pl.col("beyond") > 2.5 * pl.col("error")
    rows = _beyond(measured).filter(pl.col("promised") > 0.5, surely)
    worst = rows.sort("kept", maintain_order=True)
    return _by_promise(measured, worst, lambda part: _span(part["kept"], ".2f"))


def _by_promise(
    measured: pl.DataFrame, rows: pl.DataFrame, figures: Callable[[pl.DataFrame], str]
) -> str:
    """Write a line for each promise of these rows: how many, their topics and figures, and the decision about them."""
    lines = []
    for part in rows.partition_by("of", maintain_order=True):
        of = part["of"][0]
        every = (measured["of"] == of).sum()
        topics = _span(part["topics"], "d")
        line = f"- {of}, {len(part)} of {every} rows, {topics} topics: {figures(part)}"
        decision = why(of)
        lines.append(f"{line} ({decision})" if decision else line)
    return "\n".join(lines)


def _span(values: pl.Series, written: str) -> str:
    least, most = (format(one, written) for one in (values.min(), values.max()))
    return least if least == most else f"{least} to {most}"


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
            _with_sure(*counted_short(part)),
            f"{worst['kept']:.3f} ± {worst['error']:.3f}",
            f"{worst['world']}, {worst['topics']} topics",
            _too_wide(part).sum() if times else "",
            f"{max(times):.1f} times" if times else "",
        ]
        lines.append(_row(map(str, cells)))
    return "\n".join(lines)


def counted_short(rows: pl.DataFrame) -> tuple[int, int]:
    """Count the rows of promises kept too seldom, and those where draws do not explain it."""
    missed = _beyond(rows)
    surely = missed.filter(pl.col("beyond") > 2.5 * pl.col("error"))
    return len(missed), len(surely)


def _with_sure(missed: int, surely: int) -> str:
    return f"{missed} ({surely})" if missed else "0"


def _beyond(rows: pl.DataFrame) -> pl.DataFrame:
    """Keep the rows that miss their promise by more than is tolerated, with how far beyond that they are."""
    missed = pl.col("promised") - pl.col("kept")
    away = pl.when(pl.col("promised") > 0.5).then(missed).otherwise(-missed)
    return rows.with_columns(beyond=away - TOLERATED).filter(pl.col("beyond") > 0)


def _times(beside: str) -> float | None:
    """Return how many times as wide as it needs to be an interval is; None where that is not measured."""
    figures = _figures(beside)
    width, needed = (float(figures.get(name, "nan")) for name in ("width", "needed"))
    return width / needed if width > 0 and needed > 0 else None


def rows_page(measured: pl.DataFrame) -> str:
    """Return the page of all rows: by group a line for each entry and world, its numbers of topics side by side."""
    tables = (_group(title, entries, measured) for title, entries in GROUPS.items())
    return (
        "# All that was measured\n\n"
        + (
            "The cases of [what the intervals hold](coverage.md), which says what their columns are.\n\n"
        )
        + "\n".join(tables)
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
    return f"## {title}\n\n" + "".join(line + "\n" for line in lines)


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
