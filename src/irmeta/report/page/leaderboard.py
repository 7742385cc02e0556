"""A leaderboard as one page to look at, mail or host; nothing in it runs but its own script."""

import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from shlex import quote
from types import MappingProxyType
from typing import Any

import numpy as np
import polars as pl
import xarray as xr

from irmeta.errors import IrmetaError, ScoresError, in_words_of_reader, require_fitting
from irmeta.io.tables.spreadsheet import read_about, require_link
from irmeta.report.folders import Folder
from irmeta.report.kept import PAGE, Kept
from irmeta.report.page.panel import names, numbers
from irmeta.report.page.since import (
    LINK,
    changes_said,
    changes_since,
    facts_of,
    title_of,
)
from irmeta.report.page.templates import (
    MOST_ROWS,
    THEME,
    asset,
    bundle_scripts,
    checked_address,
    json_script,
    script_hashes,
    template,
)
from irmeta.scores.attributes import about
from irmeta.scores.figures import short
from irmeta.scores.names import known_as
from irmeta.scores.result import is_estimated, topics_phrase
from irmeta.scores.tables.objects import Frame
from irmeta.studies.leaderboard import summary as leaderboard
from irmeta.studies.result import Result
from irmeta.studies.result.labels import LABELS, chosen, listed_with_slips
from irmeta.studies.result.method import UNNAMED
from irmeta.words import are, capitalized, counted, for_visitors, listed, shortened

_LOG = logging.getLogger("irmeta")
About = str | PathLike[str] | Mapping[str, Mapping[str, str]] | Frame
"""What is known of models: a file, a data frame, or names and texts of each."""
KIND = "kind"
"""Columns of what models are: where one leads, and by what readers filter."""
GENERATOR = "irmeta leaderboard"
"""Marks a page of ours."""
_SOURCES = {
    "ranks": "Rank sets: Mogstad, Romano, Shaikh and Wilhelm (Review of Economic Studies 2024).",
    "borda": "Borda count: Muennighoff et al. (MTEB, EACL 2023).",
    "bt": "Bradley and Terry (Biometrika 1952).",
    "standardized": "Standardized scores: Webber, Moffat and Zobel (SIGIR 2008).",
    "predicted": "Predicted scores: factor analysis, Rubin and Thayer (Psychometrika 1982).",
}
"""Sources of rank sets, and of what a page has beside them: aggregates, and predicted scores."""
_SCRIPTS = (
    "elements.js",
    "numbers.js",
    "address.js",
    "tables.js",
    "ranks.js",
    "leaderboard.js",
)


def write_leaderboard(
    outcome: Result,
    folder: str | PathLike[str],
    *,
    title: str | None = None,
    about: str | PathLike[str] | Mapping[str, Mapping[str, str]] | Frame | None = None,
    beside: str | None = None,
    highlight: str | Iterable[str] | None = None,
    source: str = "results.parquet",
) -> Path:
    """Write folder/index.html, one file with all it needs, of a result of `irmeta.leaderboard`; return its path.

    outcome : a result of `irmeta.leaderboard`
    folder : the folder to write; it is made if need be
    title : heading of the page, by default the old, or Leaderboard
    about : a CSV with the columns model, link, kind, size, date, licence, or others; some models are enough; of others
        the page keeps what it said
    beside : another page to link to, as ../report/index.html
    highlight : models to mark and to show wherever they stand, a list or one text with commas; bm25* matches names
    source : the score file, and which of its scores to use, as the page names them on a command line

    A page of an earlier command that nobody changed is replaced, and the new one says what changed since, as does the
    logger "irmeta", at level INFO; it warns of models of `about` that are not on the board. A folder that holds
    something else raises FileFormatError. In place of a CSV `about` may be a data frame.

    >>> import irmeta
    >>> from tempfile import TemporaryDirectory
    >>> table = {"a": {"x": 0.9, "y": 0.8, "z": 0.7}, "b": {"x": 0.2, "y": 0.3}, "c": {"x": 0.5, "y": 0.1, "z": 0.1}}
    >>> types = {"x": "retrieval", "y": "retrieval", "z": "ranking"}
    >>> board = irmeta.leaderboard(table, types=types, holes="bounds", resamples=40)
    >>> with TemporaryDirectory() as folder:
    ...     write_leaderboard(board, folder, title="Our board", about={"a": {"size": "7B"}}).name
    'index.html'
    """
    if not isinstance(outcome, Result) or outcome.data.attrs["study"] != "leaderboard":
        raise IrmetaError(
            "write_leaderboard takes a result, and a folder: first board = irmeta.leaderboard(scores), then "
            "irmeta.write_leaderboard(board, folder)"
        )
    folder = Path(folder)
    kept = Kept(folder, "leaderboard", re.escape(PAGE))
    with kept.making_folder():
        with Folder(folder) as there:
            earlier = there.read(PAGE)
        text = page_text(
            outcome.data,
            title or title_of(earlier) or "Leaderboard",
            source,
            earlier,
            _known_facts(about, outcome.data, earlier),
            checked_address(beside),
            _models_to_mark(outcome.data, highlight),
        )
        with kept.replacing_files([PAGE]) as write:
            write(PAGE, text)
    changes = changes_said(text.encode())
    if changes != changes_said(earlier):
        _LOG.info(changes)
    return folder / PAGE


def _models_to_mark(
    outcome: xr.Dataset, highlight: str | Iterable[str] | None
) -> list[str]:
    """Return the models to mark."""
    if highlight is None:
        return []
    return chosen(outcome, highlight, names(outcome.system), "the board")


def _known_facts(
    facts: About | None,
    outcome: xr.Dataset,
    earlier: bytes | None,
) -> dict[str, dict[str, str]]:
    """Return what is known of the models of a board, by name or label; what is said of others does not concern it.

    earlier : the page that stood in its place, whose facts hold on of models of which no others are given.
    """
    models, labels = names(outcome.system), about(outcome).get(LABELS, {})
    held = facts_of(earlier, labels)
    kept = {model: held[model] for model in models if model in held}
    if facts is None:
        return kept
    known = _checked_facts(facts) if isinstance(facts, Mapping) else read_about(facts)
    called = {name: known_as(name, [*models, *labels]) for name in known}
    by_model = {
        labels.get(model, model): known[name] for name, model in called.items() if model
    }
    if not by_model:
        raise ScoresError(
            f"--about names {listed(map(shortened, known), 3)}, none of which is on the board; "
            f"its models are {listed(models, 3)}"
        )
    _warn_of_unknown([name for name, model in called.items() if not model], models)
    return kept | by_model


def _warn_of_unknown(unknown: Sequence[str], models: Sequence[str]) -> None:
    """Warn of models that facts are of and that are not on the board; not where there are none."""
    if unknown:
        which = listed_with_slips([shortened(name) for name in unknown], models)
        count = counted(len(unknown), "model")
        warning = f"{count} of --about {are(len(unknown))} not on the board: {which}."
        _LOG.warning(in_words_of_reader(warning))


def _checked_facts(
    by_model: Mapping[str, Mapping[str, str]],
) -> dict[str, dict[str, str]]:
    """Return facts that are no file as one has them: of each model names and texts."""
    known = {}
    for model, facts in by_model.items():
        require_fitting(f"about= of {shortened(model)!r},", facts, [Mapping[str, str]])
        known[model] = {name: str(value) for name, value in facts.items()}
        require_link("about=", model, known[model])
    return known


def page_text(
    outcome: xr.Dataset,
    title: str,
    source: str,
    earlier: bytes | None = None,
    known: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
    beside: str | None = None,
    marked: Sequence[str] = (),
) -> str:
    """Return the page as text; earlier : the page that stood in its place.  known : what models are."""
    drawn = page_content(outcome)
    command = _command(outcome, source, marked)
    since = changes_since(earlier, drawn)
    written = datetime.now(UTC).strftime("%Y-%m-%d")
    scripts = bundle_scripts(_SCRIPTS)
    return template("leaderboard.html.j2").render(
        title=title,
        **_outcome_facts(outcome),
        most=MOST_ROWS,
        command=command,
        generator=f"{GENERATOR} {version('irmeta')}",
        written=written,
        since=since,
        css=asset("page.css") + asset("leaderboard.css"),
        theme=THEME,
        scripts=scripts,
        hashes=script_hashes(THEME, scripts),
        beside=beside,
        kinds=sorted({facts[KIND] for facts in known.values() if KIND in facts}),
        kind=KIND.capitalize(),
        content=json_script(
            {
                **drawn,
                "title": title,
                "command": command,
                **_facts_by_model(known, drawn["models"]),
                "marked": marked,
                "written": written,
                "since": since,
            }
        ),
    )


def _outcome_facts(outcome: xr.Dataset) -> dict[str, Any]:
    """Return what the page says of a leaderboard outside of its script; aside : what stands beside the ranking."""
    facts = about(outcome)
    options, called_for = facts["options"], facts["called_for"]
    said = [*leaderboard.findings(outcome), *facts["notes"][:called_for]]
    nouns, tables = leaderboard.nouns(outcome), _page_tables(outcome)
    aside = f"{capitalized(nouns['task'])}s" if tables else ""
    return {
        "aside": "Aggregates" if outcome.sizes["aggregate"] > 1 else aside,
        "sources": [
            source
            for name, source in _SOURCES.items()
            if name in ("ranks", *options["aggregate"]) or name in outcome
        ],
        "findings": list(filter(None, map(for_visitors, said))),
        "aggregates": _aggregate_facts(outcome),
        "estimated": is_estimated(outcome),
        "ordered_by": leaderboard.ordered_by(outcome) or "by rank",
        "lines": _thin_lines_legend(outcome),
        "nouns": nouns,
        "types": _tasks_by_type(outcome),
        "tables": tables,
        "varied": leaderboard.varied_nouns(outcome),
        "level": f"{options['level']:.0%}",
        "options": options,
        "what": _what_is_ranked(outcome),
        "compared": _compared_models(outcome),
        "notes": facts["notes"][called_for:],
    }


def page_content(outcome: xr.Dataset) -> dict[str, Any]:
    """Return what the page's script draws: models in their order, tasks, scores by task, and each aggregate's ranks."""
    ordered = outcome.isel(system=leaderboard.order(outcome))
    scores = ordered["score"].values
    known = np.isfinite(scores)
    filled: dict[int, dict[int, Any]] = {}
    if "predicted" in ordered:
        scores = np.where(known, scores, ordered["predicted"].values)
        filled = _predicted_intervals(ordered, known)
    nouns = leaderboard.nouns(outcome)
    nouns |= {what.capitalize(): capitalized(name) for what, name in nouns.items()}
    return {
        "models": names(ordered.system),
        "labels": about(outcome).get(LABELS, {}),
        "tasks": [{"name": name, "type": kind} for name, kind in _tasks(outcome)],
        "counts": known.sum(axis=1).tolist(),
        "scores": numbers(scores.T),
        "filled": filled,
        "estimated": is_estimated(outcome),
        "linesSay": _thin_line_note(outcome),
        "nouns": nouns,
        "options": _options_of_ranks(outcome),
        "aggregates": [
            _aggregate_ranks(ordered, kind) for kind in names(ordered.aggregate)
        ],
    }


def _options_of_ranks(outcome: xr.Dataset) -> dict[str, str]:
    """Return what pages must have in common for their ranks by the first aggregate to be compared."""
    options = about(outcome)["options"]
    return {
        "holes": options["holes"],
        "first aggregate": options["aggregate"][0],
        "types": "given" if options["types"] else "not given",
    }


def _facts_by_model(
    known: Mapping[str, Mapping[str, str]], models: Sequence[str]
) -> dict[str, Any]:
    """Return what the page's script shows of models: the facts that have a column, and links."""
    columns = list(dict.fromkeys(name for facts in known.values() for name in facts))
    columns = [name for name in columns if name != LINK]
    of_each = [known.get(model, {}) for model in models]
    return {
        "facts": columns,
        "about": [[facts.get(name, "") for name in columns] for facts in of_each],
        "links": [facts.get(LINK, "") for facts in of_each],
    }


def _tasks(outcome: xr.Dataset) -> list[tuple[str, str]]:
    """List tasks with their types; the type of all is "" where none is known."""
    tasks = names(outcome.topic)
    known = "type" in outcome.coords
    types = names(outcome["type"]) if known else [""] * len(tasks)
    return list(zip(tasks, types, strict=True))


def _tasks_by_type(outcome: xr.Dataset) -> dict[str, dict[int, str]]:
    """List the tasks of each type with their places."""
    by_type: dict[str, dict[int, str]] = {}
    for at, (name, kind) in enumerate(_tasks(outcome)):
        by_type.setdefault(kind, {})[at] = name
    return by_type


def _page_tables(outcome: xr.Dataset) -> Mapping[str, pl.DataFrame]:
    """Return the tables of the page; predicted scores stand at their models, and an estimate says nothing of tasks."""
    if is_estimated(outcome):
        return {}
    views, nouns = leaderboard.tables(outcome), leaderboard.nouns(outcome)
    heads = {f"{name}s": f"{noun}s" for name, noun in nouns.items()}
    titles = {"tasks": heads["tasks"], "few": f"few {heads['tasks']}"}
    heads["task"] = nouns["task"]
    return {
        title: views[name].rename(heads, strict=False)
        for name, title in titles.items()
        if name in views
    }


def _predicted_intervals(
    ordered: xr.Dataset, known: np.ndarray[Any, np.dtype[np.bool_]]
) -> dict[int, dict[int, Any]]:
    """Return the intervals (low, high) of predicted scores by task and model. known : which scores need none."""
    columns = [ordered[f"predicted_{end}"].values for end in ("low", "high")]
    ends = np.stack(columns, axis=-1).round(4)
    return {
        int(task): {
            int(model): ends[model, task].tolist()
            for model in np.flatnonzero(~known[:, task])
        }
        for task in np.flatnonzero(~known.all(axis=0))
    }


def _aggregate_ranks(ordered: xr.Dataset, kind: str) -> dict[str, Any]:
    """Return one aggregate's values and ranks."""
    of_kind = ordered.sel(aggregate=kind)
    ranks = {
        name: [None if np.isnan(rank) else int(rank) for rank in of_kind[name].values]
        for name in ("rank", "best", "worst", "low", "high")
    }
    return {
        "name": kind,
        "short": leaderboard.AGGREGATES[kind],
        "label": leaderboard.label(kind, ordered),
        "column": capitalized(leaderboard.column(kind, ordered)),
        "value": numbers(of_kind["value"].values),
        **ranks,
    }


def _aggregate_facts(outcome: xr.Dataset) -> list[dict[str, Any]]:
    """Return what the page says of each aggregate."""
    model = leaderboard.nouns(outcome)["model"]
    return [
        {
            "name": kind,
            "short": leaderboard.AGGREGATES[kind],
            "label": capitalized(leaderboard.label(kind, outcome)),
            "tau": [short(tau) for tau in outcome["tau"].sel(aggregate=kind).values],
            "resolution": f"{outcome['resolution'].sel(aggregate=kind).item():.0%}",
            "tied": counted(int(outcome["tied"].sel(aggregate=kind)), model),
        }
        for kind in names(outcome.aggregate)
    ]


def _what_is_ranked(outcome: xr.Dataset) -> str:
    """Say what is ranked: the collection, and how many models and tasks."""
    nouns = leaderboard.nouns(outcome)
    models = counted(outcome.sizes["system"], nouns["model"])
    tasks = counted(outcome.sizes["topic"], nouns["task"])
    if is_estimated(outcome):
        tasks = topics_phrase(outcome)
    collections = list(about(outcome)["inputs"]["collections"])
    named = [] if len(collections) > 1 or collections[0] in UNNAMED else collections
    return ", ".join([*named, models, tasks])


def _compared_models(outcome: xr.Dataset) -> str:
    """Say of which models tau is, where it is not of all."""
    compared = int(outcome["compared"])
    if compared == outcome.sizes["system"]:
        return ""
    models = counted(compared, leaderboard.nouns(outcome)["model"])
    return f"of the {models} that every aggregate has a value for"


def _has_holes(outcome: xr.Dataset) -> bool:
    return bool(outcome["score"].isnull().any())


def _thin_lines_legend(outcome: xr.Dataset) -> str:
    """Say in the legend what the thin lines are, where there are some."""
    if (outcome["best"] == outcome["worst"]).all():
        return ""
    if "predicted" in outcome:
        return "ranks that predicted scores allow, with 90% confidence"
    if not _has_holes(outcome):
        return "ranks that ties share"
    order = leaderboard.ordered_by(outcome) and "; open ranks stand by their middle"
    return f"ranks that missing scores allow{order}"


def _thin_line_note(outcome: xr.Dataset) -> str:
    """Say of one model what its thin line means."""
    if "predicted" in outcome:
        return "by predicted scores, with 90% confidence, it has rank"
    if _has_holes(outcome):
        return "whatever the missing scores are, it has rank"
    return "with those that it ties with, it has rank"


def _command(outcome: xr.Dataset, source: str, marked: Sequence[str]) -> str:
    """Say which command gives the same; source : the score files, and which of their scores to use."""
    options = about(outcome)["options"]
    typed = {
        "aggregate": ",".join(options["aggregate"]),
        "holes": options["holes"],
        "types": "TYPES.csv" if options["types"] else None,
        "cost": "COSTS.csv" if "cost" in outcome else None,
        "highlight": ",".join(marked) or None,
    }
    usual = {"over": "tasks", "min_tasks": 1, "level": 0.95}
    usual |= {"resamples": None, "seed": 0}
    for name, default in usual.items():
        if options[name] != default:
            typed[name.replace("_", "-")] = options[name]
    metric = options["metric"]
    words = ["irmeta leaderboard", source]
    if metric and len(metric.split()) == 1:  # -m has spaces between metrics
        words += ["-m", quote(metric)]
    for name, value in typed.items():
        if value is not None and f"--{name} " not in source:
            words += [f"--{name}", quote(str(value))]
    return " ".join(words)
