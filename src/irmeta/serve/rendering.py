"""Boards to files: pages without script, data beside them, links that are relative; the same state, the same bytes."""

import csv
import hashlib
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import Any

import jinja2
import numpy as np

from irmeta.serve import answers
from irmeta.serve.catalogue import Snapshot
from irmeta.serve.site import Site
from irmeta.serve.standing import Difference, Line, Standing

PAGE = 200
"""Rows of a table on one page."""
File = tuple[str, bytes]
PLACED = (
    *("standardized", "standardized_low", "standardized_high"),
    *("percentile", "percentile_low", "percentile_high"),
)
"""Columns of `answers.STANDING` in a table that has other lows and highs."""
FIGURES = ("rank", "rank_low", "rank_high")
KEPT = (
    "key",
    "team",
    "name",
    "system",
    "repeat",
    "type",
    "description",
    "baseline",
    "link",
    "run",
    "bytes",
    "received",
    "state",
    "tried",
    "remarks",
    "replaces",
)
"""What the public data say of a submission."""
SETTINGS = (
    "key",
    "title",
    "description",
    "rules",
    "collection",
    "licence",
    "topics",
    "clusters",
    "metrics",
    "depth",
    "precision",
    "factors",
    "publish_runs",
    "version",
    "created",
    "changed",
)


def home(site: Site, boards: Sequence[tuple[Snapshot, Standing]]) -> Iterator[File]:
    """Render what belongs to no board."""
    last = max((shot.board.changed for shot, _ in boards), default=0)
    page = _page("index", site, "", boards=boards, stamp=_stamp(0, last))
    yield "index.html", page
    for name in ("style.css", "script.js"):
        yield name, files("irmeta.serve").joinpath("pages", name).read_bytes()


def board(site: Site, shot: Snapshot, found: Standing) -> Iterator[File]:
    """Render a board."""
    root = f"b/{shot.board.key}/"
    shared = {
        "board": shot.board,
        "shot": shot,
        "found": found,
        "stamp": _stamp(shot.board.version, shot.board.changed),
    }

    def page(name: str, path: str, **own: Any) -> File:
        to_root = "../" * (root + path).count("/")
        to_board = "../" * path.count("/")
        content = _page(name, site, to_root, up=to_board, **shared, **own)
        return f"{root}{path}index.html", content

    tables = [found.ranked[at : at + PAGE] for at in range(0, len(found.ranked), PAGE)]
    most = _most(found)
    for number, lines in enumerate(tables or [[]]):
        path = f"page/{number + 1}/" if number else ""
        yield page(
            "table", path, lines=lines, number=number, pages=len(tables), most=most
        )
    for line in found.lines.values():
        yield from _certificate(shot, found, line, page, root)
    yield from _topics(found, page)
    teams = sorted({line.about["team"] for line in found.lines.values()} - {""})
    for team in teams:
        lines = [one for one in found.lines.values() if one.about["team"] == team]
        yield page("team", f"team/{slug(team)}/", team=team, lines=lines, most=most)
    yield page("compare", "compare/")
    yield f"{root}compare/runs.js", _script("irmeta_runs", _runs(shot, found))
    yield page("progress", "progress/", steps=_steps(found))
    yield page("about", "about/")
    yield page("changes", "changes/", moved=_moved(shot, found))
    data = dict(_data(shot, found))
    sums = [f"{hashlib.sha256(one).hexdigest()}  {name}" for name, one in data.items()]
    data["SHA256SUMS"] = ("\n".join(sums) + "\n").encode()
    yield from ((f"{root}data/{name}", content) for name, content in data.items())
    sizes = {name: len(content) for name, content in data.items()}
    yield page("data", "data/", sizes=sizes)


def _certificate(
    shot: Snapshot, found: Standing, line: Line, page: Any, root: str
) -> Iterator[File]:
    """Render the page of a run that a referee opens, and what lies beside it."""
    folder = f"s/{line.key}/"
    vectors = found.vectors.get(line.key, {})
    own = vectors.get(found.metric)
    topics = []
    if own is not None and found.cube is not None:
        every = found.cube.sel(metric=found.metric).values
        middle, best = np.median(every, axis=0), every.max(axis=0)
        rows = zip(found.topics, own, middle, best, strict=True)
        topics = [(at, *row) for at, row in enumerate(rows, 1)]
    yield page("run", folder, line=line, topics=topics, most=1.0)
    record = _record(shot, found, line)
    yield f"{root}{folder}record.json", _json(record)
    yield (
        f"{root}{folder}badge.svg",
        _template("badge.svg").render(found=found, line=line).encode(),
    )
    yield (
        f"{root}{folder}cite.bib",
        _template("cite.bib")
        .render(board=shot.board, line=line, year=_time(line.about["received"])[:4])
        .encode(),
    )
    scores = {
        name: [_number(one) for one in vectors[name]]
        for name in found.metrics
        if name in vectors
    }
    yield (
        f"{root}{folder}scores.js",
        _script(
            "irmeta_scores", {"key": line.key, "label": line.label, "scores": scores}
        ),
    )


def _topics(found: Standing, page: Any) -> Iterator[File]:
    """Render the topics, and each by itself."""
    if found.cube is None:
        yield page("topics", "t/", rows=[])
        return
    every = found.cube.sel(metric=found.metric).values
    labels = {line.label: line for line in found.ranked}
    names = [str(name) for name in found.cube.system.values]
    rows = []
    for at, topic in enumerate(found.topics):
        scores = every[:, at]
        order = np.argsort(-scores, kind="stable")[:20]
        first = [(labels[names[one]], float(scores[one])) for one in order]
        low, middle, high = np.quantile(scores, [0.25, 0.5, 0.75]).tolist()
        row = {
            "number": at + 1,
            "topic": topic,
            "mean": float(scores.mean()),
            "low": low,
            "median": middle,
            "high": high,
            "best": first[0],
        }
        places = np.round(scores / max(1.0, float(scores.max())) * 1000)
        ticks = sorted(set(places.astype(int).tolist()))
        rows.append(row)
        yield page(
            "topic",
            f"t/{at + 1}/",
            row=row,
            first=first,
            ticks=ticks,
            last=len(found.topics),
        )
    rows.sort(key=lambda row: (row["mean"], row["number"]))
    yield page("topics", "t/", rows=rows)


def _steps(found: Standing) -> list[dict[str, Any]]:
    """List the runs that were the best when they came, by the first metric."""
    best = -np.inf
    steps = []
    for line in sorted(found.ranked, key=lambda one: (one.about["received"], one.key)):
        if line.means[found.metric] > best:
            best = line.means[found.metric]
            steps.append({"line": line, "at": line.about["received"], "mean": best})
    return steps


def _moved(shot: Snapshot, found: Standing) -> list[tuple[Line, float, float]]:
    """List the runs whose mean the newest judgments changed most, with their means before and now."""
    before = shot.vectors.get(found.version - 1, {})
    moved = [
        (line, float(before[line.key][found.metric].mean()), line.means[found.metric])
        for line in found.ranked
        if found.metric in before.get(line.key, {})
    ]
    return sorted(moved, key=lambda one: (-abs(one[2] - one[1]), one[0].key))[:20]


def _data(shot: Snapshot, found: Standing) -> Iterator[File]:
    """Write a board's data: scores, the table, all that is public of it."""
    if found.every is not None:
        yield "scores.parquet", answers.as_parquet(found.every)
    yield (
        "scores.csv",
        _csv(
            ("system", "topic", "metric", "score"),
            (
                (line.label, topic, metric, repr(float(value)))
                for line in found.lines.values()
                if line.key in found.vectors
                for metric in found.metrics
                for topic, value in zip(
                    found.topics, found.vectors[line.key][metric], strict=True
                )
            ),
        ),
    )
    yield "table.csv", _csv(*_table(found))
    clusters = shot.board.clusters or {}
    yield (
        "topics.csv",
        _csv(
            ("topic", "cluster"), ((one, clusters.get(one, "")) for one in found.topics)
        ),
    )
    if found.factors is not None:
        yield "factors.parquet", answers.factors_as_parquet(found.factors)
    yield "board.json", _json(_board(shot, found))


def _table(found: Standing) -> tuple[Sequence[str], Iterator[Sequence[Any]]]:
    """Return the columns and rows of the table as data."""
    metric = found.metric
    columns = (
        *("key", "run", "team", "type", "received", "state", *FIGURES, "metric"),
        *("mean", "low", "high", *PLACED),
        *(one for one in found.metrics if one != metric),
    )

    def rows() -> Iterator[Sequence[Any]]:
        for line in found.lines.values():
            about = line.about
            yield (
                *(line.key, line.label, about["team"], about["type"]),
                *(_time(about["received"]), about["state"]),
                *(getattr(line, name) for name in FIGURES),
                *(metric, line.means.get(metric)),
                *(line.low.get(metric), line.high.get(metric)),
                *(line.standing.get(name) for name in answers.STANDING),
                *(line.means.get(one) for one in found.metrics if one != metric),
            )

    return columns, rows()


def _board(shot: Snapshot, found: Standing) -> dict[str, Any]:
    """Return all that is public of a board: another site can be made of it."""
    shown = [run for run in shot.runs if run.key in found.lines]
    return {
        "format": "irmeta board 1",
        "irmeta": answers.version(),
        "finding": found.finding,
        "board": {name: getattr(shot.board, name) for name in SETTINGS},
        "judgments": [
            {
                name: getattr(one, name)
                for name in ("version", "digest", "topics", "added", "note")
            }
            for one in shot.versions
        ],
        "scored_under": found.version,
        "runs": [
            {
                **{name: getattr(run, name) for name in KEPT},
                "label": found.lines[run.key].label,
            }
            for run in shown
        ],
        "events": [
            {name: getattr(one, name) for name in ("at", "action", "detail")}
            for one in shot.events
        ],
        "counts": dict(shot.counts),
    }


def _record(shot: Snapshot, found: Standing, line: Line) -> dict[str, Any]:
    """Return what is known of a run, for programs."""
    claim: dict[str, Any] | None = None
    if line.claim is not None and line.baseline is not None:
        named = {"baseline": line.baseline.key, "name": line.baseline.label}
        claim = {**named, **_difference(line.claim)}
    behind = None
    if line.behind is not None:
        behind = {"best": found.ranked[0].key, **_difference(line.behind)}
    return {
        "format": "irmeta run 1",
        "irmeta": answers.version(),
        "board": shot.board.key,
        "version": shot.board.version,
        "judgments": found.version,
        "label": line.label,
        **{name: line.about[name] for name in KEPT if name != "tried"},
        "metric": found.metric,
        "of": len(found.ranked),
        **{name: getattr(line, name) for name in FIGURES},
        "scores": {
            metric: {
                "mean": _number(mean),
                "low": _number(line.low.get(metric)),
                "high": _number(line.high.get(metric)),
            }
            for metric, mean in line.means.items()
        },
        "standing": {name: _number(one) for name, one in line.standing.items()},
        "claim": claim,
        "behind": behind,
    }


def _difference(found: Difference) -> dict[str, float | None]:
    return {name: _number(one) for name, one in found._asdict().items()}


def _runs(shot: Snapshot, found: Standing) -> dict[str, Any]:
    """Return what the comparing page needs to know of all runs."""
    clusters = shot.board.clusters or {}
    return {
        "topics": found.topics,
        "clusters": [clusters.get(topic, topic) for topic in found.topics],
        "runs": [[line.key, line.label] for line in found.ranked],
    }


def _most(found: Standing) -> float:
    """Return the right end of the axis of the table's intervals."""
    ends = [line.high.get(found.metric, 0.0) for line in found.ranked]
    means = [line.means[found.metric] for line in found.ranked]
    most = float(np.nanmax([*ends, *means, 1e-9]))
    return 1.0 if most <= 1 else most


def slug(team: str) -> str:
    """Return what stands for a team in a path: no text of a person becomes one."""
    return hashlib.sha256(team.encode()).hexdigest()[:16]


def _page(name: str, site: Site, root: str, **context: Any) -> bytes:
    text = _template(f"{name}.html").render(root=root, site=site.settings, **context)
    return text.encode()


@cache
def _template(name: str) -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("irmeta.serve", "pages"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"f3": _f3, "time": _time, "slug": slug, "signed": _signed}
    return environment.get_template(f"{name}.j2")


def _f3(value: float | None) -> str:
    """Write a figure with three decimals; nothing where there is none.

    >>> _f3(0.5412), _f3(None), _f3(float("nan"))
    ('0.541', '–', '–')
    """
    if value is None or np.isnan(value):
        return "–"
    return f"{value:.3f}"


def _signed(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:+.3f}"


def _time(micros: int) -> str:
    """Write a time in UTC.

    >>> _time(0)
    '1970-01-01 00:00:00'
    """
    return f"{datetime.fromtimestamp(micros / 1e6, UTC):%Y-%m-%d %H:%M:%S}"


def _stamp(version: int, changed: int) -> str:
    """Say which state of a board this is: files with the same stamp belong together."""
    if not version:
        return f"as of {_time(changed)} UTC"
    return f"version {version}, as of {_time(changed)} UTC"


def _number(value: float | None) -> float | None:
    if value is None or np.isnan(value):
        return None
    return float(value)


def _json(content: Mapping[str, Any]) -> bytes:
    return (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode()


def _script(name: str, content: Mapping[str, Any]) -> bytes:
    """Write data that a script of a page reads, also from a disk: a call of a function."""
    text = json.dumps(content, ensure_ascii=True, separators=(",", ":"))
    return f"{name}({text});\n".encode()


def _csv(columns: Sequence[str], rows: Iterator[Sequence[Any]]) -> bytes:
    """Write a table; a cell that a spreadsheet would take for a formula begins with an apostrophe."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(one) for one in row] for row in rows)
    return text.getvalue().encode()


def _cell(value: Any) -> Any:
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return ""
    if isinstance(value, str) and value[:1] in tuple("=+-@\t\r"):
        number = value[1:].replace(".", "").replace("e-", "").isdigit()
        return value if number else f"'{value}"
    return value
