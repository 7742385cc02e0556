"""The sections on the scores themselves: what data they are, the systems, and which of them differ."""

from base64 import b64encode
from collections.abc import Collection
from dataclasses import replace
from functools import partial
from shlex import quote

import numpy as np
import polars as pl
import xarray as xr

from irmeta.attributes import about
from irmeta.cube import default_by, studied
from irmeta.errors import ScoresError
from irmeta.names import canonical, nearest
from irmeta.report.page.panel import Chart, Panel, names, numbers, of_study
from irmeta.report.plots import description as description_plots
from irmeta.report.plots import figure
from irmeta.report.plots import significance as significance_plots
from irmeta.result import describe as described
from irmeta.studies import description, significance

LETTERED = 20
"""How many of the best systems the table for print shows, with the letters of those that do not differ."""
REMARKS = 5
"""How many remarks on the data stand at the top; all are below."""


def data_panel(name: str, scores: xr.DataArray, by: str, used: Collection[str]) -> Panel:
    """Say what a collection holds: sizes, missing cells, provenance, remarks, and which metrics are not used."""
    size = described(scores)
    counts = {dim: size[f"{dim}s"] for dim in ("system", "topic", "metric")}
    missing = f"{size['missing']:,} of {scores.size:,} scores are missing" if size["missing"] else "no score is missing"
    systems, topics, metrics = (f"{count} {dim}{'s' if count != 1 else ''}" for dim, count in counts.items())
    finding = f"{name}: {systems}, {topics} and {metrics}; {missing}."
    told = about(scores)
    facts = {key: value for key, value in told.items() if key not in ("notes", "runs", "options", "collection")}
    table = pl.DataFrame({"metric": names(scores.metric), "missing": np.isnan(scores.values).sum(axis=(0, 1))})
    notes = [str(note) for note in told.get("notes") or []]
    if flat := [metric for metric in names(scores.metric) if metric not in used]:
        notes.insert(0, f"{', '.join(flat)} does not tell the systems apart and is left out of all that follows.")
    return Panel(
        name,
        [finding, *notes[:REMARKS]],
        [_shades(scores, by)] if counts["topic"] > 1 else [],
        {"missing": table},
        ["missing"] if size["missing"] else [],
        options={**facts, **dict(told.get("options") or {})},
        notes=notes,
        command="irmeta validate RUNS --qrels QRELS",
    )


def _shades(scores: xr.DataArray, by: str) -> Chart:
    """Draw every score of one metric: a byte a score, 255 where it is missing."""
    one = scores.sel(metric=by)
    one = one.isel(
        system=np.argsort(-one.mean("topic").fillna(0).values, kind="stable"),
        topic=np.argsort(-one.mean("system").fillna(0).values, kind="stable"),
    )
    top = max(float(one.max()), 1e-12)
    codes = np.where(np.isnan(one.values), 255, np.clip(one.fillna(0).values / top, 0, 1) * 254).astype(np.uint8)
    return Chart(
        "shades",
        f"Every score of {by}",
        f"Matrix of {by}: {one.sizes['system']} systems down, best first; {one.sizes['topic']} topics across, easiest "
        "first.",
        {
            "systems": names(one.system),
            "topics": names(one.topic),
            "metric": by,
            "top": round(top, 4),
            "codes": b64encode(codes.tobytes()).decode(),
        },
    )


def systems_panel(name: str, scores: xr.DataArray, by: str, source: str) -> Panel:
    """Show the systems' means with intervals, and the ranks that these leave open."""
    outcome = description.describe(scores, by=by)
    columns = ("mean", "low", "high", "rank", "rank_low", "rank_high")
    per_metric = {
        str(metric): {column: numbers(outcome[column].sel(metric=metric).values) for column in columns}
        for metric in outcome.metric.values
    }
    level, topics = about(outcome)["options"]["level"], outcome.sizes["topic"]
    chart = Chart(
        "means",
        f"System means with {level:.0%} intervals over {topics} topics",
        f"Mean score of each of {outcome.sizes['system']} systems, best first, with its interval; table `means` has "
        "the figures.",
        {"systems": names(outcome.system), "by": by, "metrics": per_metric},
    )
    wide = figure.PAGE if outcome.sizes["system"] > 30 else figure.COLUMN
    draw = partial(figure.draw, description_plots.plot, outcome)
    figures = {
        "means": partial(draw, width=wide, view="means"),
        "matrix": partial(draw, view="matrix", height=3.6),
    }
    panel = of_study(
        name,
        outcome,
        charts=[chart],
        shown=["means", "topics"],
        figures=figures,
        command=f"irmeta describe {source} --by {quote(by)}",
    )
    return replace(panel, tables={title: _first(frame, by) for title, frame in panel.tables.items()})


def _first(frame: pl.DataFrame, metric: str) -> pl.DataFrame:
    """Put the rows of one metric before those of the others."""
    return frame.sort(pl.col("metric") != metric, maintain_order=True)


def significance_panel(name: str, scores: xr.DataArray, by: str, source: str) -> Panel:
    """Test all pairs of systems; the page has discriminative power and the groups, a file the tests of one metric."""
    outcome = significance.significance(scores)
    options = about(outcome)["options"]
    power = Chart(
        "bars",
        f"Share of {outcome.sizes['pair']:,} pairs of systems that each metric tells apart",
        "Bar chart of discriminative power by metric; the table `power` has the figures.",
        {
            "rows": names(outcome.metric),
            "values": numbers(outcome["share_significant"].values),
            "label": f"share of pairs with corrected p below {options['alpha']:g}",
        },
    )
    panel = of_study(
        name,
        outcome,
        charts=[power],
        shown=["power", "systems"],
        figures={"p-values": partial(figure.draw, significance_plots.plot, outcome.sel(metric=[by]))},
        command=f"irmeta significance {source}",
    )
    views = {title: _first(frame, by) for title, frame in panel.tables.items()}
    tests = views["tests"].filter(pl.col("metric") == by)
    ranked = views["power"].sort("share_significant", descending=True)
    best, last = ranked.row(0, named=True), ranked.row(-1, named=True)
    told = [line for line in panel.findings if line.startswith(f"{by}:")]
    if ranked.height > 1:
        told.append(
            f"{best['metric']} tells most pairs apart ({best['share_significant']:.1%}), {last['metric']} fewest "
            f"({last['share_significant']:.1%})."
        )
    return replace(
        panel,
        findings=told,
        tables={**views, "power": ranked, "tests": tests},
        latex={"systems": _lettered(scores, by)},
        notes=[*panel.notes, f"the file of single tests has those of {by}; the command gives all"],
    )


def _lettered(scores: xr.DataArray, by: str) -> pl.DataFrame:
    """Give the best systems with means, intervals, and letters: systems that share one do not differ."""
    best, _ = studied(scores, metrics=[by], top=min(1.0, LETTERED / scores.sizes["system"]), by=by)
    letters = significance.tables(significance.significance(best))["systems"]
    means = description.tables(description.describe(best, by=by))["means"]
    joined = means.join(letters.select("system", "letters"), on="system", maintain_order="left")
    return joined.select("system", "mean", "low", "high", "letters")


def order_by(scores: xr.DataArray, by: str | None) -> str:
    """Choose the metric that systems are ordered by: the one named, AP, the deepest AP@k, or the first."""
    known = names(scores.metric)
    if by is not None:
        if canonical(by) not in known:
            where = scores.attrs.get("collection", "these scores")
            raise ScoresError(f"no metric {by!r} to order the systems of {where} by; {nearest(by, known)}")
        return canonical(by)
    try:
        return default_by(scores)
    except ScoresError:
        return known[0]
