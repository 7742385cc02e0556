"""Boards from files: judgments with a folder of runs, a score file, or what a frozen site says of itself."""

import hashlib
import re
import secrets
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import Engine
from sqlalchemy.exc import StatementError

import irmeta
from irmeta.errors import IrmetaError
from irmeta.io.files import list_files
from irmeta.io.lists import read_ids, read_topics
from irmeta.io.places import require_readable
from irmeta.io.runs.rankings import collection_name
from irmeta.io.sheets import read_sheet
from irmeta.io.strictly import parse_json, stripped
from irmeta.scores.names import known_as
from irmeta.serve.catalogue import boards, snapshot, submissions
from irmeta.serve.catalogue.boards import Judged
from irmeta.serve.catalogue.rules import (
    fit_name,
    new_key,
    now,
    parse_moment,
    require_safe,
    run_names,
)
from irmeta.serve.results import answers
from irmeta.serve.site import Site, move_durably, write_durably

COLUMNS = {
    "run": ("run", "system", "name"),
    "team": ("team", "group"),
    "type": ("type", "runtype"),
    "received": ("date", "received"),
}
"""Columns that a table of runs may have, by what they say."""
METRICS = "nDCG@10 AP P@10"
"""What a board is scored by unless it says otherwise; the first ranks."""
Read = Callable[[Path, str], tuple[list[str], str]]
"""What reads judgments with a salt, and returns their topics and what binds them."""
UNLESS_SAID = {"depth": 1000, "precision": "float64"}


def board_key(qrels: Path) -> str:
    """Name a board as the collection of its judgments is named: by their file, else by its folder.

    >>> board_key(Path("data/qrels.COVID_1.txt")), board_key(Path("lab/qrels.txt"))
    ('covid-1', 'lab')
    """
    name = collection_name(qrels).lower()
    key = re.sub("[^a-z0-9]", "-", name).strip("-")[:40]
    return key if len(key) > 1 else "board"


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
    """Make a board, with its judgments if there are any; one with dates hides them until it is revealed.

    settings : columns of the board, empty ones as by default; dates are texts.
    """
    site.require_login(settings)
    judged = None if qrels is None else _copy_judgments(site, qrels)
    if topics:
        wanted = read_topics(topics)
    elif judged:
        wanted = judged.topics
    else:
        raise IrmetaError(
            "a board needs its judgments (--qrels) or its topics (--topics)"
        )
    by_topic = None if clusters is None else irmeta.read_clusters(clusters)
    _require_topics(wanted, wanted, by_topic, clusters)
    if judged is not None:
        _require_topics(judged.topics, wanted, by_topic, qrels)
    given = {name: value for name, value in settings.items() if value not in (None, "")}
    given |= _parsed_dates(given)
    given |= answers.drawn_split({"key": key, **given}, wanted)
    boards.new_board(
        engine,
        judged,
        key=key,
        topics=wanted,
        clusters=by_topic,
        documents="" if documents is None else _copy_documents(site, documents),
        metrics=answers.metric_names(metrics),
        **{"title": key, "collection": key} | UNLESS_SAID | given,
    )


def _parsed_dates(settings: Mapping[str, Any]) -> dict[str, int | None]:
    """Return the dates of a new board as moments; without any it is open, and revealed, from now on."""
    begun = now()  # first: a board that is revealed now has been open before
    dated = [name for name in boards.DATES if name in settings]
    dates = {"opens": begun, "reveals": None if dated else begun}
    return dates | {name: parse_moment(settings[name]) for name in dated}


def add_judgments(
    site: Site,
    engine: Engine,
    key: str,
    qrels: Path,
    note: str = "",
    read: Read = answers.read_judgments,
) -> int:
    """Add to a board a new version of its judgments; return its number. read : a server has a child read files."""
    board = boards.board_of(engine, key)
    judged = _copy_judgments(site, qrels, read)
    _require_topics(judged.topics, board.topics, board.clusters, qrels)
    answers.drawn_split(board._asdict(), judged.topics)
    return boards.add_judgments(engine, key, judged, note)


def are_new_judgments(engine: Engine, key: str, qrels: Path) -> bool:
    """Say whether judgments are others than the newest of a board."""
    newest = boards.judgments_of(engine, key)
    return newest is None or _file_digest(qrels) != newest.digest


def _require_topics(
    topics: Sequence[str],
    of_board: Sequence[str],
    clusters: Mapping[str, str] | None,
    source: Path | None,
) -> None:
    """Refuse the topics of a file (source) if the board has none of them, or if one lacks its cluster."""
    if not set(topics) & set(of_board):
        raise IrmetaError(f"{source}: it judges no topic of the board")
    lacking = [topic for topic in topics if clusters and topic not in clusters]
    if lacking:
        raise IrmetaError(
            f"{source}: topic {lacking[0]!r} has no cluster; each topic needs one"
        )


def _copy_judgments(
    site: Site, qrels: Path, read: Read = answers.read_judgments
) -> Judged:
    """Copy judgments into the site, and read them with a new salt; the file lies there before the catalogue says so."""
    salt = secrets.token_hex(32)
    topics, promise = read(qrels, salt)
    judged = Judged(_file_digest(qrels), topics, salt, promise)
    write_durably(site.judgments_path(judged.digest), qrels.read_bytes())
    return judged


def _copy_documents(site: Site, path: Path) -> str:
    """Copy the list of a collection's documents into the site; return its digest."""
    content = "\n".join(read_id_lines(path)).encode("utf-8", "surrogateescape")
    digest = hashlib.sha256(content).hexdigest()
    write_durably(site.documents_path(digest), content)
    return digest


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_id_lines(path: Path) -> list[str]:
    """Read a file of ids, one on each line, plain or packed; return each once."""
    ids = read_ids(path)
    if not ids:
        raise IrmetaError(f"{path}: there are no ids; put one on each line")
    return list(dict.fromkeys(ids))


def import_runs(
    site: Site,
    engine: Engine,
    key: str,
    runs: Sequence[Path],
    table: Path | None = None,
) -> dict[str, submissions.Received]:
    """Submit run files, or the files of folders, as a table describes them; return what came of each, by name."""
    files = [Path(file) for path in runs for file in list_files(path)]
    said = {} if table is None else read_table(table)
    together = now()
    received = {}
    for name, path in zip(run_names(files), files, strict=True):
        about = dict(said.get(known_as(name, said) or "", {}))
        date = about.pop("received", "")
        with site.keeping_run():
            received[name] = submissions.submit(
                *(engine, key, name, copy_run(site, path)),
                received=int(date or together),
                about=about,
                dated=bool(date),
            )
    return received


def copy_run(site: Site, path: Path) -> submissions.Bytes:
    """Copy a run into the site, under its digest; return digest and size."""
    part = site.temporary / f"{secrets.token_hex(8)}.part"
    shutil.copyfile(path, part)
    content = submissions.Bytes(_file_digest(part), part.stat().st_size)
    move_durably(part, site.run_path(content.digest))
    return content


def read_table(path: Path) -> dict[str, dict[str, str]]:
    """Read what a table of runs (columns run, team, type, date) says, by run: team, type, and when received."""
    table = read_sheet(path, *COLUMNS.values())
    places = {what: table.index_of(names) for what, names in COLUMNS.items()}
    runs: dict[str, dict[str, str]] = {}
    for line, row in table.rows:
        said = {
            what: "" if place is None else stripped(row[place])
            for what, place in places.items()
        }
        said["received"] = _run_date(f"{path}:{line}", said["received"])
        run = said.pop("run")
        if not run:
            raise IrmetaError(
                f"{path}:{line}: it names no run; the first line names the columns, one of them run"
            )
        if run in runs:
            raise IrmetaError(
                f"{path}:{line}: {run!r} stands on an earlier line, too; remove one"
            )
        runs[run] = said
    return runs


def _run_date(where: str, date: str) -> str:
    """Return the date of a run in microseconds since 1970, as text, empty for no date; refuse another text."""
    if not date:
        return ""
    try:
        moment = parse_moment(date)
    except IrmetaError as error:
        raise IrmetaError(f"{where}: {error}") from error
    if moment is None:
        raise IrmetaError(
            f"{where}: {date!r} is not the date of a run; leave it empty if nobody knows"
        )
    return str(moment)


def import_frozen(engine: Engine, folder: Path, key: str | None = None) -> list[str]:
    """Make boards of a frozen site: the same keys, times and scores; return their keys. Runs do not come along."""
    files = sorted(folder.glob("b/*/data/board.json"))
    by_key = {path.parts[-3]: path for path in files}
    if not files:
        raise IrmetaError(f"{folder}: no frozen site (it has no b/KEY/data/board.json)")
    if key is not None and key not in by_key:
        keys = ", ".join(by_key)
        raise IrmetaError(f"{folder}: no board {key!r} in it; it has {keys}")
    wanted = files if key is None else [by_key[key]]
    return [_restore_board(engine, path) for path in wanted]


def _restore_board(engine: Engine, path: Path) -> str:
    """Make a board of the public data in a frozen site (board.json, scores.parquet); return its key."""
    try:
        public = parse_json(require_readable(path).read_bytes())
        topics = {judged["version"]: judged["topics"] for judged in public["judgments"]}
        keys = {run["label"]: run["key"] for run in public["runs"]}
        vectors: dict[str, dict[str, bytes]] = {}
        scored = (path.with_name(f"{name}.parquet") for name in ("scores", "unranked"))
        for scores in filter(Path.exists, scored):
            # topics of the feedback have no scores that count
            cube = irmeta.load(scores).reindex(topic=topics[public["scored_under"]])
            for label, by_metric in answers.score_bytes(cube).items():
                vectors[keys[label]] = by_metric
        for run in public["runs"]:
            require_safe(run)
        snapshot.restore_board(engine, public, vectors)
        return str(public["board"]["key"])
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise IrmetaError(f"{path}: not what irmeta freezes ({error})") from error
    except StatementError as error:
        raise IrmetaError(f"{path}: not what irmeta freezes ({error.orig})") from error


def import_scores(engine: Engine, path: Path, key: str) -> int:
    """Make a board of a score file, as of another board's results; return how many runs it has."""
    cube = irmeta.load(path)
    if "estimated" in irmeta.about(cube):
        raise IrmetaError(
            f"{path}: these scores are what topics add to an estimate, and a board would take them for scores of "
            f"topics; irmeta leaderboard {path} -o FOLDER makes a page of it"
        )
    at = now()
    topics, metrics, systems = (
        [str(name) for name in cube[dim].values]
        for dim in ("topic", "metric", "system")
    )
    collection = str(cube.attrs.get("collection", key))
    board: dict[str, Any] = {"key": key, "title": collection, "collection": collection}
    board |= {"topics": topics, "metrics": metrics, "created": at, "changed": at}
    if "cluster" in cube.coords:
        board["clusters"] = dict(zip(topics, cube.cluster.values, strict=True))
    digest = _file_digest(path)
    judged = {"version": 1, "digest": digest, "topics": topics, "added": at}
    keys = {system: new_key() for system in systems}
    runs = [
        {
            "key": keys[system],
            "name": fit_name(system),
            "run": hashlib.sha256(f"{digest} {system}".encode()).hexdigest(),
            "bytes": 0,
            "received": at,
            "state": "scored",
            "remarks": [],
        }
        for system in systems
    ]
    events = [{"at": at, "action": "imported", "detail": {"scores": path.name}}]
    public = {"board": UNLESS_SAID | board, "judgments": [judged], "scored_under": 1}
    scores = answers.score_bytes(cube)
    vectors = {keys[system]: scores[system] for system in systems}
    snapshot.restore_board(engine, public | {"runs": runs, "events": events}, vectors)
    return len(runs)
