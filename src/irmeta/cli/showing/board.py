"""`irmeta board`: the boards of a site, from the shell."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal

import irmeta
from irmeta.cli.app import Verbs, argument, option
from irmeta.cli.options import Count, Name, Names
from irmeta.cli.output import say_note
from irmeta.cli.showing.serve import require_serve
from irmeta.errors import IrmetaError
from irmeta.io.files import read_bytes
from irmeta.words import counted, listed

board = Verbs("board", help="Make, show, change and import the boards of a site.")

Key = Annotated[str, argument(metavar="KEY", help="Key of the board, in its address.")]
SiteOption = Annotated[
    Path, option("--site", metavar="DIR", help="Folder of the site.")
]
File = Path | None
YesNo = Literal["yes", "no"] | None
Date = Annotated[str, option(metavar="DATE")]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a board is like, as far as it is said.

    title : title
    description : file with the text
    rules : file with the text
    metrics : metrics; the first ranks
    depth : the most documents of a list
    precision : precision of scores
    licence : licence of the data
    factors : factors to standardize by, by name or file
    series : series of which it is an edition
    edition : its name in the series, as 2026
    anchors : runs of unchanged systems, or NAME=RUN
    hub : its data set on the Hugging Face Hub
    publish_runs : whether freezing may copy runs: yes or no
    publish_judgments : whether revealing shows them: yes or no
    opens : takes runs from (UTC date, now, never)
    closes : takes runs until (UTC date, now, never)
    reveals : shows scores from (UTC date, now, never)
    frozen : takes no change from (UTC date, now, never)
    visibility : who sees it: public, readers or members
    join : invite, ask, or open to whoever logs in
    late : refuse or mark runs after the board closed
    feedback : early answers
    step : of a ladder; above 1 / topics
    per_day : runs of a team in a day (UTC)
    per_month : runs of a team in a month
    per_team : runs of a team in all
    """

    title: str | None = None
    description: File = None
    rules: File = None
    metrics: Annotated[str | None, option("-m", "--metrics", metavar="METRICS")] = None
    depth: Count | None = None
    precision: Literal["float32", "float64"] | None = None
    licence: str | None = None
    factors: Name | None = None
    series: str | None = None
    edition: str | None = None
    anchors: Names | None = None
    hub: Annotated[str | None, option(metavar="OWNER/NAME")] = None
    publish_runs: YesNo = None
    publish_judgments: YesNo = None
    opens: Date | None = None
    closes: Date | None = None
    reveals: Date | None = None
    frozen: Date | None = None
    visibility: Literal["public", "readers", "members"] | None = None
    join: Literal["invite", "ask", "open"] | None = None
    late: Literal["refuse", "mark"] | None = None
    feedback: Literal["none", "split", "ladder", "open"] | None = None
    step: float | None = None
    per_day: Count | None = None
    per_month: Count | None = None
    per_team: Count | None = None

    def given(self) -> dict[str, Any]:
        """Return what was said, texts from their files."""
        values = {
            name: _read_text(value) if isinstance(value, Path) else value
            for name, value in vars(self).items()
            if value is not None
        }
        for name in values.keys() & {"publish_runs", "publish_judgments"}:
            values[name] = values[name] == "yes"
        if "anchors" in values:
            values["anchors"] = _anchors(values["anchors"])
        if factors := values.get("factors"):
            # others are refused now, not when pages are written
            irmeta.standardize.load(factors)
        return values


def _anchors(names: str) -> dict[str, str]:
    """Return the runs of anchors by their names in the series.

    >>> _anchors("tfidf, bm25=BM25-title")
    {'tfidf': 'tfidf', 'bm25': 'BM25-title'}
    """
    pairs = [pair.partition("=") for pair in names.split(",") if pair.strip()]
    return {name.strip(): (run or name).strip() for name, _, run in pairs}


def _read_text(path: Path) -> str:
    """Return the text of a file."""
    try:
        return read_bytes(path).decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise IrmetaError(f"{path}: not UTF-8 text; save it as UTF-8") from error


@contextmanager
def open_site(folder: Path, *, new: bool = False) -> Iterator[tuple[Any, Any]]:
    """Open a site and the engine of its catalogue; new : make the site if there is none."""
    with require_serve():
        from irmeta.serve.catalogue import tables
        from irmeta.serve.site import Site
    site = Site.make(folder) if new else Site.open(folder)
    with tables.opened_catalogue(site.database) as engine:
        yield site, engine


@board.command()
def new(
    key: Key,
    site: SiteOption,
    *,
    qrels: File = None,
    topics: File = None,
    documents: File = None,
    clusters: File = None,
    settings: Settings,
) -> None:
    """Make a board, and its site if there is none.

    qrels : its judgments
    topics : its topics, one a line
    documents : its documents, one id a line
    clusters : CSV of clusters: columns topic, cluster

    irmeta board new covid1 --site site/ --qrels qrels.txt -m 'nDCG@10 AP' --title 'TREC-COVID round 1'

    irmeta board new track --site site/ --topics topics.txt --closes 2026-08-01
    """
    with open_site(site, new=True) as (opened, engine):
        from irmeta.serve.catalogue import boards
        from irmeta.serve.operating import importing

        importing.open_board(
            opened,
            engine,
            key,
            qrels=qrels,
            topics=topics,
            documents=documents,
            clusters=clusters,
            **settings.given(),
        )
        print(f"{key}: made; irmeta serve {site} shows it")
        _note_dates(boards.board_of(engine, key))


@board.command("set")
def set_(
    key: Key,
    site: SiteOption,
    *,
    settings: Settings,
    confirm: Annotated[str, option(metavar="KEY")] = "",
) -> None:
    """Change a board; its page of changes says what.

    confirm : the key again, for what gives more away

    irmeta board set covid1 --site site/ -m 'AP nDCG@10'
    """
    with open_site(site) as (opened, engine):
        from irmeta.serve.catalogue import boards, submissions
        from irmeta.serve.catalogue.rules import parse_moment
        from irmeta.serve.results import answers

        changes = settings.given()
        opened.require_login(changes)
        for date in changes.keys() & boards.DATES.keys():
            changes[date] = parse_moment(changes[date])
        old = boards.board_of(engine, key)
        judged = boards.judgments_of(engine, key)
        topics = old.topics if judged is None else judged.topics
        changes |= answers.drawn_split(old._asdict() | changes, topics)
        if "metrics" in changes:
            changes["metrics"] = answers.metric_names(changes["metrics"])
        changed = boards.set_board(engine, key, changes, typed=confirm)
        settings_changed = ", ".join(name.replace("_", "-") for name in changed)
        print(f"{key}: {settings_changed or 'nothing'} changed")
        if changes.keys() & boards.DATES.keys():
            _note_dates(boards.board_of(engine, key))
        submitted = submissions.submissions_of(engine, old.id)
        names = {name for run in submitted for name in (run.name, run.key)}
        for anchor in changes.get("anchors", {}).values():
            if anchor not in names:
                say_note(
                    f"--anchors: the board has no run {anchor} yet, so it anchors nothing"
                )


def _note_dates(board_: Any) -> None:
    """Say what dates bring that hardly anybody wants."""
    from irmeta.serve.catalogue.rules import clock
    from irmeta.serve.policy import is_open

    dated = None not in (board_.closes, board_.reveals) and not is_open(board_)
    if dated and board_.reveals < board_.closes:
        shown, until = clock(board_.reveals), clock(board_.closes)
        say_note(
            f"scores are shown at {shown}, and runs taken until {until}: those between are not ranked"
        )


@board.command()
def show(key: Key, site: SiteOption) -> None:
    """Show a board's settings, and how many submissions are in which state.

    irmeta board show covid1 --site site/
    """
    with open_site(site) as (_, engine):
        from irmeta.serve.catalogue import boards, submissions
        from irmeta.serve.catalogue.rules import clock
        from irmeta.serve.results.answers import FIGURES

        board_ = boards.board_of(engine, key)
        lines: dict[str, Any] = {"topics": len(board_.topics)}
        for name in (
            "title",
            "collection",
            *(field.name for field in fields(Settings)),
        ):
            value = getattr(board_, name, None)
            if name == "step" and board_.feedback != "ladder":
                continue
            if name == "feedback" and board_.feedback != "none":
                value = f"{value}: {FIGURES[board_.feedback]}, by {board_.metrics[0]}"
            if name in boards.DATES:
                value = value and f"{clock(value)} UTC"
            if value not in (None, "") and name not in ("description", "rules"):
                if isinstance(value, bool):
                    value = "yes" if value else "no"
                lines[name] = " ".join(value) if isinstance(value, list) else value
        for name, value in (lines | submissions.count_by_state(engine, key)).items():
            print(f"{name.replace('_', '-'):18}{value}")


@board.command()
def check(site: SiteOption, format: Literal["text", "json"] = "text") -> None:
    """Say what is damaged or unsafe in a site, and how to mend it; exit with 1 if anything is.

    format : what to print

    irmeta board check --site site/
    """
    with require_serve():
        from irmeta.serve.operating import checkup, organizing
        from irmeta.serve.site import Site
    opened = Site.read(site)
    with checkup.opened_catalogue(opened) as engine:
        leaks = [
            f"{board_.key}: {organizing.leak_in_words(engine, board_)}"
            for board_ in organizing.hidden_boards(engine)
        ]
        problems = list(checkup.problems(opened, engine))
    if format == "json":
        facts = [problem._asdict() for problem in problems]
        print(json.dumps({"problems": facts, "leaks": leaks}, indent=1))
    else:
        for line in (*problems, f"{counted(len(problems), 'problem')}."):
            print(line)
        if leaks:
            print("\nWhat hidden boards tell before the reveal:", *leaks, sep="\n")
    sys.exit(int(bool(problems)))


@board.command("import")
def import_(
    key: Key,
    sources: Annotated[list[Path], argument(metavar="FROM")],
    site: SiteOption,
    table: File = None,
) -> None:
    """Submit runs to a board; or make one of a frozen site or of a score file.

    A board of a score file has the name of its collection as title, which irmeta board set KEY --title changes.

    sources : run files or folders, a frozen site, or a score file (Parquet)
    table : CSV of runs: columns run, team, type, date

    irmeta board import covid1 runs/ --table runs.csv --site site/

    irmeta board import covid1 frozen-site/ --site other/

    irmeta board import covid1 scores.parquet --site site/
    """
    first = sources[0]
    frozen = _is_frozen(first)
    whole_board = frozen or first.suffix == ".parquet"
    if whole_board and len(sources) > 1:
        raise IrmetaError(
            f"{first} makes a board of its own; import {listed(map(str, sources[1:]))} by another KEY"
        )
    for whole in filter(_is_frozen, () if frozen else first.absolute().parents):
        if any(first.rglob("board.json")):
            raise IrmetaError(
                f"{first}: a part of a frozen site; give the whole: {whole}"
            )
    with open_site(site, new=whole_board) as (opened, engine):
        from irmeta.serve.operating import importing

        if frozen:
            print(f"{', '.join(importing.import_frozen(engine, first, key))}: imported")
        elif first.suffix == ".parquet":
            count = importing.import_scores(engine, first, key)
            print(f"{key}: {counted(count, 'run')} imported")
        else:
            _say_runs(key, importing.import_runs(opened, engine, key, sources, table))


def _is_frozen(folder: Path) -> bool:
    """Say whether a folder holds a frozen site."""
    return (folder / "MANIFEST.sha256").exists()


def _say_runs(key: str, imported: dict[str, Any]) -> None:
    """Say how many runs of an import are new, and what of the others stays as it was."""
    new = sum(run.new for run in imported.values())
    print(f"{key}: {new} new{'; the server scores them' if new else ''}")
    if present := len(imported) - new:
        changed = sum(run.changed for run in imported.values())
        table = f"; the table changes {changed} of them" if changed else ""
        print(f"{key}: {counted(present, 'run')} there already{table}")
    reasons: dict[str, list[str]] = {}
    for name, run in imported.items():
        if run.kept:
            reasons.setdefault(run.kept, []).append(name)
    for kept, names in reasons.items():
        each = "" if len(names) == 1 else ": each"
        say_note(f"{listed(names)}{each} {kept}")


@board.command()
def rescore(key: Key, site: SiteOption, qrels: File = None, note: str = "") -> None:
    """Have all runs of a board scored again, under new judgments if there are any.

    qrels : new judgments, the next version
    note : why; the page of changes says it

    irmeta board rescore covid1 --qrels qrels-2.txt --note 'topic 17 judged again' --site site/
    """
    with open_site(site) as (opened, engine):
        from irmeta.serve.catalogue import boards
        from irmeta.serve.operating import importing

        if qrels is not None:
            version = importing.add_judgments(opened, engine, key, qrels, note)
            print(
                f"{key}: judgments version {version}; the server scores all runs under it"
            )
        else:
            count = boards.rescore(engine, key)
            print(f"{key}: {counted(count, 'run')} to be scored again")
