"""The section on the data: what was scored, and every score as a shade."""

from collections.abc import Mapping
from functools import partial
from shlex import quote

import numpy as np
import polars as pl
import xarray as xr

from irmeta.report.page.content import Content
from irmeta.report.page.panel import Panel, Picture, Text, names
from irmeta.report.plots.figure import PAGE, draw
from irmeta.report.plots.rows import rows_height
from irmeta.report.plots.systems.description import shades
from irmeta.scores.attributes import about
from irmeta.scores.result import describe as described
from irmeta.scores.result import judged_topics
from irmeta.words import counted, listed

TEXT = Text(
    "data",
    "The data",
    "What was scored?",
    "Each cell of the picture is one system on one topic: a column of high scores is an easy "
    "topic, a row of them a good system, and stripes that break the pattern deserve a second look.",
    "The score file, and the notes from when it was made.",
)


def panel(content: Content, name: str) -> Panel:
    """Say what a collection holds: sizes, missing cells, provenance, remarks, and what is left out of all studies."""
    scores = content.cubes[name]
    left_out = content.left_out[name]
    size = described(scores)
    counts = {dim: size[f"{dim}s"] for dim in ("system", "topic", "metric")}
    if size["missing"]:
        missing = f"{size['missing']:,} of {scores.size:,} scores are missing"
    else:
        missing = "no score is missing"
    missing += _lacking_clause(size.get("lacking", {}))
    systems, topics, metrics = (counted(count, dim) for dim, count in counts.items())
    about_scores = about(scores)
    if "estimated" in about_scores:
        topics = judged_topics(about_scores["estimated"])
    finding = f"{name}: {systems} by {metrics} on {topics}; {missing}."
    apart = ("notes", "runs", "options", "collection")
    facts = {key: value for key, value in about_scores.items() if key not in apart}
    missing_by_metric = np.isnan(scores.values).sum(axis=(0, 1))
    table = pl.DataFrame({"metric": names(scores.metric), "missing": missing_by_metric})
    notes = [str(note) for note in about_scores.get("notes") or []]
    [runs] = content.named_files("RUNS")
    by = about_scores.get("qrels", {}).get("source", "QRELS")
    qrels = content.named.get("QRELS", quote(by))
    return Panel(
        name,
        [finding, *(f"{line}." for line in left_out)],
        {"scores": _shades(scores, content.order[name])}
        if counts["topic"] > 1 and "estimated" not in about_scores
        else {},
        {"missing": table},
        ["missing"] if size["missing"] else [],
        options={**facts, **dict(about_scores.get("options") or {})},
        notes=notes,
        command=f"irmeta validate {runs} --qrels {qrels}",
        warnings=[f"{name}: {line}." for line in left_out],
    )


def _lacking_clause(lacking: Mapping[str, int]) -> str:
    """Say which runs score 0 on topics that they lack."""
    runs = [f"{name} on {many}" for name, many in lacking.items()]
    if not runs:
        return ""
    verb = "lacks" if len(runs) == 1 else "lack"
    return f", but {counted(len(runs), 'run')} {verb} topics, where the score is 0: {listed(runs)}"


def _shades(scores: xr.DataArray, by: str) -> Picture:
    """Draw every score of one metric, the best systems and the easiest topics first."""
    shaded = scores.sel(metric=by)
    shaded = shaded.isel(
        system=np.argsort(-shaded.mean("topic").fillna(0).values, kind="stable"),
        topic=np.argsort(-shaded.mean("system").fillna(0).values, kind="stable"),
    )
    tall = rows_height(shaded.sizes["system"])
    draw_all = partial(draw, shades, shaded.rename(by), width=PAGE, height=tall)
    return Picture(f"Every score of {by}", draw_all)
