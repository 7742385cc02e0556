"""Boards from files: judgments with a folder of runs, a score file, or what a frozen site says of itself."""

import csv
import gzip
import hashlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Engine

from irmeta.errors import IrmetaError
from irmeta.serve import answers, catalogue
from irmeta.serve.rendering import SETTINGS
from irmeta.serve.site import Site, durable, settle

RUN, TEAM = ("run", "system", "name"), ("team", "group")
TYPE, DATE = ("type", "runtype"), ("date", "received")
"""Columns that a table of runs may have."""
METRICS = "nDCG@10 AP P@10"
"""What a board is scored by unless it says otherwise; the first ranks."""


def open_board(
    site: Site,
    engine: Engine,
    key: str,
    *,
    qrels: Path | None = None,
    topics: Path | None = None,
    documents: Path | None = None,
    clusters: Path | None = None,
    metrics: str = METRICS,
    **settings: Any,
) -> None:
    """Make a board, with its judgments if there are any."""
    judged = None if qrels is None else _keep_judgments(site, qrels)
    if topics is not None:
        wanted = lines(topics)
    elif judged is not None:
        wanted = judged.topics
    else:
        raise IrmetaError(
            "a board needs its judgments (--qrels) or its topics (--topics)"
        )
    named = None if clusters is None else answers.clusters(clusters)
    _require_clusters(wanted, named, clusters)
    if judged is not None:
        _require_fit(judged, wanted, named, qrels)
    catalogue.new_board(
        engine,
        key,
        judged,
        topics=wanted,
        clusters=named and {topic: named[topic] for topic in wanted},
        documents="" if documents is None else _keep_documents(site, documents),
        metrics=answers.metrics(metrics),
        **{"title": key, "collection": key, "depth": 1000, "precision": "float64"}
        | {name: one for name, one in settings.items() if one not in (None, "")},
    )


def judge(site: Site, engine: Engine, key: str, qrels: Path, note: str = "") -> int:
    """Add to a board a new version of its judgments; return its number."""
    found = catalogue.board_of(engine, key)
    judged = _keep_judgments(site, qrels)
    _require_fit(judged, found.topics, found.clusters, qrels)
    return catalogue.new_judgments(engine, key, judged, note)


def _require_fit(
    judged: catalogue.Judged,
    topics: Sequence[str],
    clusters: Mapping[str, str] | None,
    source: Path | None,
) -> None:
    """Refuse judgments of other topics than the board's."""
    if not set(judged.topics) & set(topics):
        raise IrmetaError(f"{source}: it judges no topic of the board")
    _require_clusters(judged.topics, clusters, source)


def _require_clusters(
    topics: Sequence[str], clusters: Mapping[str, str] | None, source: Path | None
) -> None:
    lacking = [topic for topic in topics if clusters and topic not in clusters]
    if lacking:
        raise IrmetaError(
            f"{source}: topic {lacking[0]!r} has no cluster; each needs one"
        )


def _keep_judgments(site: Site, qrels: Path) -> catalogue.Judged:
    """Copy judgments into the site; the file lies there before the catalogue says so."""
    topics = answers.topics(qrels)
    content = qrels.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    durable(site.truth(digest), content)
    return catalogue.Judged(digest, topics)


def _keep_documents(site: Site, path: Path) -> str:
    """Copy the list of a collection's documents into the site; return its digest."""
    content = "\n".join(lines(path)).encode("utf-8", "surrogateescape")
    digest = hashlib.sha256(content).hexdigest()
    durable(site.documents(digest), content)
    return digest


def are_new(engine: Engine, key: str, qrels: Path) -> bool:
    """Say whether judgments are others than the newest of a board."""
    digest = hashlib.sha256(qrels.read_bytes()).hexdigest()
    return digest != catalogue.digest_of_judgments(engine, key)


def store(site: Site, path: Path) -> tuple[str, int]:
    """Copy a run into the site; return its digest and its size."""
    part = site.temporary / f"{secrets.token_hex(8)}.part"
    site.temporary.mkdir(mode=0o700, exist_ok=True)
    shutil.copyfile(path, part)
    with part.open("r+b") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        keep(part, site.run(digest), file.fileno())
    return digest, site.run(digest).stat().st_size


def keep(part: Path, path: Path, descriptor: int) -> None:
    """Put what arrived on the disk, under the name of its digest."""
    os.fsync(descriptor)
    settle(part, path)


def import_runs(
    site: Site,
    engine: Engine,
    key: str,
    runs: Sequence[Path],
    table: Path | None = None,
) -> int:
    """Submit run files, or the files of folders, as a table describes them; return how many are new."""
    files = [
        path
        for given in runs
        for path in (sorted(given.rglob("*")) if given.is_dir() else [given])
        if path.is_file() and not path.name.startswith(".")
    ]
    if not files:
        raise IrmetaError(f"{', '.join(map(str, runs))}: no run files")
    described = {} if table is None else read_table(table)
    new = 0
    for path in files:
        name = re.sub(r"\.(gz|bz2|xz|zst)$", "", path.name)
        about = dict(described.get(name, {}))
        at = int(about.pop("received", "") or catalogue.now())
        digest, size = store(site, path)
        fit = re.sub(r"[^A-Za-z0-9._-]", "-", name)[:40]
        made = catalogue.submit(
            engine, key, fit, digest, size, received=at, about=about
        )
        new += made.new
    return new


def read_table(path: Path) -> dict[str, dict[str, str]]:
    """Read what a table of runs (columns run, team, type, date) says, by run."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = {name.strip().lower(): name for name in (rows[0] if rows else {})}

    def value(row: Mapping[str, str], wanted: Sequence[str]) -> str:
        found = next((names[one] for one in wanted if one in names), None)
        return "" if found is None else (row[found] or "").strip()

    if not any(one in names for one in RUN):
        raise IrmetaError(f"{path}: no column run; the first line names the columns")
    return {
        value(row, RUN): {
            "team": value(row, TEAM),
            "type": value(row, TYPE),
            "received": _moment(path, value(row, DATE)),
        }
        for row in rows
    }


def _moment(path: Path, date: str) -> str:
    """Return a date in microseconds since 1970, as text; nothing for no date."""
    if not date:
        return ""
    try:
        moment = datetime.fromisoformat(date)
    except ValueError as error:
        raise IrmetaError(f"{path}: {date!r} is not a date as 2020-05-14") from error
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return str(int(moment.timestamp() * 1e6))


def lines(path: Path) -> list[str]:
    """Read a file of ids, one a line, plain or gzip."""
    content = path.read_bytes()
    if content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    text = content.decode("utf-8", "surrogateescape")
    found = [line.strip() for line in text.splitlines() if line.strip()]
    if not found:
        raise IrmetaError(f"{path}: there are no ids; put one on each line")
    return list(dict.fromkeys(found))


def import_frozen(engine: Engine, folder: Path, key: str | None = None) -> list[str]:
    """Make boards of a frozen site: the same keys, times and scores; return their keys. Runs do not come along."""
    found = sorted(folder.glob("b/*/data/board.json"))
    wanted = [one for one in found if key is None or one.parent.parent.name == key]
    if not wanted:
        raise IrmetaError(f"{folder}: no board here (b/KEY/data/board.json)")
    return [_restore(engine, path) for path in wanted]


def _restore(engine: Engine, path: Path) -> str:
    """Make a board of its public data."""
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
        settings = {name: given["board"][name] for name in SETTINGS}
        by_label = {one["label"]: one["key"] for one in given["runs"]}
    except (ValueError, KeyError, TypeError) as error:
        raise IrmetaError(f"{path}: not what irmeta freezes ({error})") from error
    vectors: dict[str, dict[str, bytes]] = {}
    scores = path.with_name("scores.parquet")
    if scores.exists():
        cube = answers.load(scores)
        topics = next(
            one["topics"]
            for one in given["judgments"]
            if one["version"] == given["scored_under"]
        )
        for system in cube.system.values:
            one = cube.sel(system=system, topic=topics)
            vectors[by_label[str(system)]] = {
                str(metric): one.sel(metric=metric).values.astype("<f8").tobytes()
                for metric in cube.metric.values
            }
    runs = [
        {name: one[name] for name in one if name != "label"} for one in given["runs"]
    ]
    catalogue.restore(
        engine,
        settings,
        given["judgments"],
        runs,
        given["events"],
        vectors,
        given["scored_under"],
    )
    return str(settings["key"])


def import_scores(engine: Engine, path: Path, key: str) -> int:
    """Make a board of a score file, as of another board's results; return how many runs it has."""
    cube = answers.load(path)
    at = catalogue.now()
    topics = [str(one) for one in cube.topic.values]
    metrics = [str(one) for one in cube.metric.values]
    collection = str(cube.attrs.get("collection", key))
    settings: dict[str, Any] = {"key": key, "title": collection}
    settings |= {"collection": collection}
    settings |= {"topics": topics, "metrics": metrics, "depth": 1000}
    settings |= {"precision": "float64", "created": at, "changed": at}
    if "cluster" in cube.coords:
        settings["clusters"] = dict(zip(topics, cube.cluster.values, strict=True))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    judged = {"version": 1, "digest": digest, "topics": topics, "added": at}
    runs = [
        {
            "key": catalogue.new_key(),
            "name": re.sub(r"[^A-Za-z0-9._-]", "-", str(system))[:40],
            "run": hashlib.sha256(f"{digest} {system}".encode()).hexdigest(),
            "bytes": 0,
            "received": at,
            "state": "scored",
        }
        for system in cube.system.values
    ]
    vectors = {
        str(one["key"]): {
            metric: cube.sel(system=system, metric=metric)
            .values.astype("<f8")
            .tobytes()
            for metric in metrics
        }
        for one, system in zip(runs, cube.system.values, strict=True)
    }
    events = [{"at": at, "action": "imported", "detail": {"scores": path.name}}]
    catalogue.restore(engine, settings, [judged], runs, events, vectors, 1)
    return len(runs)
