"""`irmeta board`: the boards of a site, from the shell."""

import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import irmeta
from irmeta.cli.app import Verbs, argument, option
from irmeta.cli.serve import extra
from irmeta.errors import IrmetaError

board = Verbs("board", help="Make, show, change and import the boards of a site.")

Key = Annotated[str, argument(metavar="KEY", help="Key of the board, in its address.")]
SiteOption = Annotated[
    Path, option("--site", metavar="DIR", help="Folder of the site.")
]
Title = Annotated[str | None, option(metavar="TEXT", help="Title.")]
Text = Annotated[Path | None, option(metavar="FILE", help="File with the text.")]
Metrics = Annotated[
    str | None,
    option("-m", "--metrics", metavar="METRICS", help="Metrics; the first ranks."),
]
Precision = Annotated[
    str | None,
    option(metavar="TYPE", help="float32 orders documents as trec_eval does."),
]
Licence = Annotated[str | None, option(metavar="TEXT", help="Licence of the data.")]
Factors = Annotated[
    str | None,
    option(metavar="NAME", help="Factors to standardize by, by name or file."),
]
Depth = Annotated[int | None, option(min=1, help="The most documents of a list.")]
File = Path | None


def _date(text: str) -> Any:
    return option(metavar="DATE", help=f"{text}: a date (UTC), now, never.")


Opens = Annotated[str | None, _date("From when on runs are taken")]
Closes = Annotated[str | None, _date("Until when runs are taken")]
Reveals = Annotated[str | None, _date("When the scores are shown")]
Visibility = Annotated[
    Literal["public", "readers", "members"] | None,
    option(help="Who sees that there is such a board, and later its scores."),
]
Join = Annotated[
    Literal["invite", "ask"] | None, option(help="How teams come to take part.")
]
Late = Annotated[
    Literal["refuse", "mark"] | None,
    option(help="What becomes of runs after the board closed."),
]
FeedbackKind = Annotated[
    Literal["none", "split", "ladder", "open"] | None,
    option("--feedback", help="What teams learn of their runs before the reveal."),
]
Step = Annotated[float | None, option(help="Of a ladder; above 1 / topics.")]
PerDay = Annotated[int | None, option(min=1, help="Runs of a team in a day (UTC).")]
PerMonth = Annotated[int | None, option(min=1, help="Runs of a team in a month.")]
PerTeam = Annotated[int | None, option(min=1, help="Runs of a team in all.")]


def opened(folder: Path, *, new: bool = False) -> tuple[Any, Any]:
    """Open a site and its catalogue."""
    with extra():
        from irmeta.serve.catalogue import tables
        from irmeta.serve.site import Site
    site = Site.make(folder) if new else Site.open(folder)
    return site, tables.upgraded(site.database)


def _settings(given: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that were named, texts from their files."""
    found = {
        name: one.read_text(encoding="utf-8") if isinstance(one, Path) else one
        for name, one in given.items()
        if one is not None
    }
    if found.get("precision", "float32") not in ("float32", "float64"):
        raise IrmetaError("--precision: float32 or float64")
    if factors := found.get("factors"):
        irmeta.standardize.load(
            factors
        )  # others are refused now, not when pages are written
    return found


@board.command()
def new(
    key: Key,
    site: SiteOption,
    qrels: Annotated[File, option(metavar="FILE", help="Its judgments.")] = None,
    topics: Annotated[
        File, option(metavar="FILE", help="Its topics, one a line.")
    ] = None,
    documents: Annotated[
        File, option(metavar="FILE", help="Its documents, one id a line.")
    ] = None,
    clusters: Annotated[
        File, option(metavar="FILE", help="CSV of clusters: columns topic, cluster.")
    ] = None,
    title: Title = None,
    description: Text = None,
    rules: Text = None,
    metrics: Metrics = None,
    depth: Depth = None,
    precision: Precision = None,
    licence: Licence = None,
    factors: Factors = None,
    opens: Opens = None,
    closes: Closes = None,
    reveals: Reveals = None,
    visibility: Visibility = None,
    join: Join = None,
    late: Late = None,
    feedback: FeedbackKind = None,
    step: Step = None,
    per_day: PerDay = None,
    per_month: PerMonth = None,
    per_team: PerTeam = None,
) -> None:
    """Make a board, and its site if there is none.

    irmeta board new covid1 --site site/ --qrels qrels.txt -m 'nDCG@10 AP' --title 'TREC-COVID round 1'

    irmeta board new track --site site/ --topics topics.txt --closes 2026-08-01 --per-team 8 --join ask
    """
    of, engine = opened(site, new=True)
    from irmeta.serve import importing

    given: dict[str, Any] = {
        "title": title,
        "description": description,
        "rules": rules,
        "depth": depth,
    }
    given |= {"precision": precision, "licence": licence, "factors": factors}
    given |= {"visibility": visibility, "join": join, "late": late, "step": step}
    given |= {"feedback": feedback, "per_day": per_day, "per_month": per_month}
    given |= {
        "opens": opens,
        "closes": closes,
        "reveals": reveals,
        "per_team": per_team,
    }
    importing.open_board(
        of,
        engine,
        key,
        qrels=qrels,
        topics=topics,
        documents=documents,
        clusters=clusters,
        metrics=metrics or importing.METRICS,
        **_settings(given),
    )
    print(f"{key}: made; irmeta serve {site} shows it")


@board.command("set")
def set_(
    key: Key,
    site: SiteOption,
    title: Title = None,
    description: Text = None,
    rules: Text = None,
    metrics: Metrics = None,
    depth: Depth = None,
    precision: Precision = None,
    licence: Licence = None,
    factors: Factors = None,
    publish_runs: Annotated[
        Literal["yes", "no"] | None,
        option(help="Whether freezing may copy runs."),
    ] = None,
    opens: Opens = None,
    closes: Closes = None,
    reveals: Reveals = None,
    visibility: Visibility = None,
    join: Join = None,
    late: Late = None,
    feedback: FeedbackKind = None,
    step: Step = None,
    per_day: PerDay = None,
    per_month: PerMonth = None,
    per_team: PerTeam = None,
    confirm: Annotated[
        str, option(metavar="KEY", help="The key again, for what gives more away.")
    ] = "",
) -> None:
    """Change a board; its page of changes says what.

    irmeta board set covid1 --site site/ -m 'AP nDCG@10'
    """
    _, engine = opened(site)
    from irmeta.serve import answers
    from irmeta.serve.catalogue import boards
    from irmeta.serve.catalogue.rules import moment

    given: dict[str, Any] = {
        "title": title,
        "description": description,
        "rules": rules,
        "depth": depth,
    }
    given |= {"precision": precision, "licence": licence, "factors": factors}
    given |= {"visibility": visibility, "join": join, "late": late, "step": step}
    given |= {"feedback": feedback, "per_day": per_day, "per_month": per_month}
    given |= {
        "opens": opens,
        "closes": closes,
        "reveals": reveals,
        "per_team": per_team,
    }
    changes = _settings(given)
    for date in changes.keys() & boards.DATES.keys():
        changes[date] = moment(changes[date])
    old = boards.board_of(engine, key)
    answers.require_feedback(old._asdict() | changes, old.topics)
    if publish_runs is not None:
        changes["publish_runs"] = publish_runs == "yes"
    if metrics is not None:
        changes["metrics"] = answers.metrics(metrics)
    boards.set_board(engine, key, changes, typed=confirm)


@board.command()
def show(key: Key, site: SiteOption) -> None:
    """Show a board's settings, and how many submissions are in which state.

    irmeta board show covid1 --site site/
    """
    _, engine = opened(site)
    from irmeta.serve.catalogue import boards, submissions
    from irmeta.serve.catalogue.rules import clock

    found = boards.board_of(engine, key)
    for name in ("title", "collection", "metrics", "depth", "precision", "licence"):
        value = getattr(found, name)
        print(f"{name:12}{' '.join(value) if isinstance(value, list) else value}")
    print(f"{'topics':12}{len(found.topics)}")
    for date in boards.DATES:
        if (when := getattr(found, date)) is not None:
            print(f"{date:12}{clock(when)} UTC")
    print(f"{'feedback':12}{found.feedback}")
    for state, count in submissions.counts(engine, key).items():
        print(f"{state:12}{count}")


@board.command()
def check(site: SiteOption) -> None:
    """Say what is damaged or unsafe in a site; exit with 1 if anything is.

    irmeta board check --site site/
    """
    of, engine = opened(site)
    from irmeta.serve import checkup, organizing

    for one in organizing.hidden(engine):
        print(organizing.leak(engine, one))
    found = list(checkup.problems(of, engine))
    for line in found:
        print(line)
    print(f"{len(found)} problem{'' if len(found) == 1 else 's'}.")
    sys.exit(int(bool(found)))


@board.command("import")
def import_(
    key: Key,
    sources: Annotated[
        list[Path],
        argument(
            metavar="FROM", help="Run files or folders, a frozen site, or a score file."
        ),
    ],
    site: SiteOption,
    table: Annotated[
        File, option(metavar="FILE", help="CSV of runs: columns run, team, type, date.")
    ] = None,
) -> None:
    """Submit runs to a board; or make one of a frozen site or of a score file.

    irmeta board import covid1 runs/ --table runs.csv --site site/

    irmeta board import covid1 frozen-site/ --site other/
    """
    first = sources[0]
    frozen = (first / "MANIFEST.sha256").exists()
    of, engine = opened(site, new=frozen or first.suffix == ".parquet")
    from irmeta.serve import importing

    if frozen:
        print(f"{', '.join(importing.import_frozen(engine, first, key))}: imported")
    elif first.suffix == ".parquet":
        print(f"{key}: {importing.import_scores(engine, first, key)} runs imported")
    else:
        count = importing.import_runs(of, engine, key, sources, table)
        print(f"{key}: {count} new; the server scores them")


@board.command()
def rescore(
    key: Key,
    site: SiteOption,
    qrels: Annotated[
        File, option(metavar="FILE", help="New judgments, the next version.")
    ] = None,
    note: Annotated[
        str, option(metavar="TEXT", help="Why; the page of changes says it.")
    ] = "",
) -> None:
    """Have all runs of a board scored again, under new judgments if there are any.

    irmeta board rescore covid1 --qrels qrels-2.txt --note 'topic 17 judged again' --site site/
    """
    of, engine = opened(site)
    from irmeta.serve import importing
    from irmeta.serve.catalogue import boards

    if qrels is not None:
        version = importing.judge(of, engine, key, qrels, note)
        print(
            f"{key}: judgments version {version}; the server scores all runs under it"
        )
    else:
        print(f"{key}: {boards.rescore(engine, key)} runs to be scored again")
