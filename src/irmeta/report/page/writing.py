"""The page written: every study run, index.html with all it needs inside, tables and figures beside it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import chain
from os import PathLike
from pathlib import Path
from shlex import quote
from typing import Any, Unpack, get_args

import xarray as xr

from irmeta.choices import Missing
from irmeta.errors import require_choice
from irmeta.io.formats.model_file import Model
from irmeta.io.lists import read_labels
from irmeta.parallel import seed, steps
from irmeta.report.forms import csv, latex
from irmeta.report.kept import PAGE, Kept, Write
from irmeta.report.page.content import Asked
from irmeta.report.page.metrics.prediction import calculator_facts, page_model
from irmeta.report.page.panel import Panel, Picture, Section
from irmeta.report.page.sections import make_sections
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
from irmeta.report.plots import figure
from irmeta.report.plots.marks import placed_marks
from irmeta.scores.cubes import by_name
from irmeta.scores.groups.teams import Grouping, default_teams, groups_of
from irmeta.scores.selection import choose_names
from irmeta.scores.tables.roles import ALL
from irmeta.stats.prediction.intervals import LEVELS
from irmeta.studies.result import Result
from irmeta.studies.result.labels import relabelled
from irmeta.words import counted

GENERATOR = "irmeta report"
"""Marks a page of ours."""
_WRITTEN = r"index\.html|(?:tables|figures)/[\w-][\w.-]*"
"""The names of a report's files."""

PIXELS = 104
"""Pixels of the page for an inch of a figure: text of 8 points is 11.6 pixels high."""
_SCRIPTS = (
    "elements.js",
    "numbers.js",
    "address.js",
    "figures.js",
    "tables.js",
    "paired.js",
    "board.js",
    "regression.js",
    "calculator.js",
    "page.js",
)


def write_report(
    cubes: xr.DataArray | Mapping[str, xr.DataArray],
    folder: str | PathLike[str],
    *,
    by: str | None = None,
    missing: Missing = "common",
    teams: Grouping = None,
    title: str | None = None,
    highlight: str | Iterable[str] | None = None,
    labels: Mapping[str, str] | str | PathLike[str] | None = None,
    results: Iterable[Result] = (),
    beside: str | None = None,
    rng: int = 0,
    source: str = "scores.parquet",
    pdf: bool = False,
) -> Path:
    """Run every study and write folder/index.html, folder/tables/*.csv and *.tex, folder/figures/*.svg.

    cubes : one, or several by collection name.
    folder : the folder to write: new, empty, or one of an earlier report.
    by : the metric that systems are ordered by; by default the first, or AP@1000 of evaluate's own set.
    missing : what to do with missing scores, as in `selection.complete`, by default what leaves most scores; the page
    says what was left out. With "error" the sections that take complete scores say why they have no answer.
    teams : the teams of the systems, a table or "stem" of their names; intervals over systems then take teams.
    title : of the page; by default the names of the collections, and the size of one.
    highlight : systems to mark, a list or one text with commas; patterns as in bm25* match names.
    labels : what a paper calls systems, by name, or a CSV with columns system and label: the page calls them so, and
        `highlight` may; metrics keep their names.
    results : what studies of the judgments and runs behind the scores returned, for sections of their own:
        `irmeta.judges.compare`, `irmeta.judges.estimate`, `irmeta.reuse`.
    beside : another page to link to, as the board of `irmeta.write_leaderboard`: ../board/index.html
    rng : the seed of all that is random.  source : the score file, as the commands on the page name it.
    pdf : whether to write every figure as PDF, too, with fonts inside, for print.

    Returns the path of the page. The report keeps a list of the files that it writes, and removes and replaces only
    those, as long as nobody changed them. A folder that holds something else raises FileFormatError.
    """
    return write_sections(
        cubes,
        folder,
        title=title,
        beside=beside,
        pdf=pdf,
        labels=labels,
        by=by,
        missing=missing,
        teams=teams,
        highlight=highlight,
        results=results,
        rng=rng,
        source=source,
    )[0]


def write_sections(
    cubes: xr.DataArray | Mapping[str, xr.DataArray],
    folder: str | PathLike[str],
    *,
    title: str | None = None,
    beside: str | None = None,
    pdf: bool = False,
    labels: Mapping[str, str] | str | PathLike[str] | None = None,
    **asked: Unpack[Asked],
) -> tuple[Path, list[Section]]:
    """Do as `write_report`, and return the sections beside the path of the page."""
    require_choice("missing", asked.get("missing", "common"), get_args(Missing))
    cubes = by_name(cubes)
    if labels is not None:
        where = None
        if not isinstance(labels, Mapping):
            where = str(labels)
            asked["calling"] = f" --labels {quote(Path(labels).name)}"
            labels = read_labels(Path(labels))
        cubes = _relabelled(cubes, labels, where, asked)
    asked["rng"] = seed(asked.get("rng", 0))
    beside = checked_address(beside)
    folder = Path(folder)
    kept = Kept(folder, "report", _WRITTEN)
    with kept.making_folder():
        made = make_sections(cubes, **asked)
        each = _panels_with_stems(made)
        forms = ("svg", "pdf") if pdf else ("svg",)
        named = {key: _files_of(stem, panel, forms) for key, stem, panel in each}
        wanted = [name for names in named.values() for name in names]
        with kept.replacing_files([*wanted, PAGE]) as write:
            drawn = {}
            for key, stem, panel in steps(each, "files of panels"):
                drawn[key] = _write_files(write, stem, panel, pdf=pdf)
            model = page_model(cubes)
            head = title or _title_of(cubes)
            write(PAGE, _page_text(made, named, drawn, model, head, beside))
    return folder / PAGE, made


def _title_of(cubes: Mapping[str, xr.DataArray]) -> str:
    """Return the title of a page: the names of its collections, and what one of them holds."""
    title = ", ".join(cubes)
    if len(cubes) > 1:
        return title
    [cube] = cubes.values()
    systems, topics = (counted(cube.sizes[dim], dim) for dim in ("system", "topic"))
    of_means = cube.topic.values.tolist() == [ALL]
    return f"{title}: {systems}" + ("" if of_means else f" on {topics}")


def _relabelled(
    cubes: Mapping[str, xr.DataArray],
    labels: Mapping[str, str],
    where: str | None,
    asked: Asked,
) -> dict[str, xr.DataArray]:
    """Return scores of systems under their labels, and put these where teams, results and what to mark have names.

    where : the file of the labels, for errors. asked : changed.
    """
    called, known = relabelled(cubes, labels, where)
    every = [str(name) for cube in cubes.values() for name in cube.system.values]
    teams = asked.get("teams") or default_teams(every)
    if teams is not None:
        asked["teams"] = groups_of(every, teams).called(known)
    if (marked := asked.get("highlight")) is not None:
        either = [*every, *known.values()]
        names = choose_names("system", marked, either, "the report", "--highlight")
        asked["highlight"] = [known.get(name, name) for name in names]
    asked["results"] = [result.labelled(known) for result in asked.get("results", ())]
    return called


def _panels_with_stems(
    made: Sequence[Section],
) -> list[tuple[tuple[str, int], str, Panel]]:
    """List the panels of sections, each with its place (section, number) and the stem of its files."""
    each = []
    for section in made:
        slugs = [_slug(panel.label) for panel in section.panels]
        for at, panel in enumerate(section.panels):
            stem = section.key
            if len(slugs) > 1:
                nth = slugs[: at + 1].count(slugs[at])
                stem += f"-{slugs[at]}" + (f"-{nth}" if nth > 1 else "")
            each.append(((section.key, at), stem, panel))
    return each


def _files_of(stem: str, panel: Panel, forms: Sequence[str]) -> list[str]:
    """Name a panel's tables and figures: their paths in the folder."""
    tables = [f"tables/{stem}-{_slug(name)}.csv" for name in panel.tables]
    latexes = [f"tables/{stem}-{_short_slug(name)}.tex" for name in panel.latex]
    figures = [
        f"figures/{stem}-{_slug(name)}.{form}"
        for name in panel.pictures
        for form in forms
    ]
    return [*tables, *latexes, *figures]


def _write_files(
    write: Write, stem: str, panel: Panel, *, pdf: bool
) -> list[dict[str, Any]]:
    """Write a panel's tables and figures, under the names of `_files_of`; return the figures for the page."""
    for name, frame in panel.tables.items():
        write(f"tables/{stem}-{_slug(name)}.csv", csv(frame))
    for name, frame in panel.latex.items():
        write(f"tables/{stem}-{_short_slug(name)}.tex", latex(frame))
    return [
        _write_figure(write, f"{stem}-{_slug(name)}", picture, pdf=pdf)
        for name, picture in panel.pictures.items()
    ]


def _write_figure(
    write: Write, name: str, picture: Picture, *, pdf: bool
) -> dict[str, Any]:
    """Draw a figure once, write its files, and return it for the page, with the words of its marks."""
    drawn = picture.draw()
    text = figure.svg(drawn, name, picture.title)
    write(f"figures/{name}.svg", text)
    if pdf:
        write(f"figures/{name}.pdf", figure.figure_bytes(drawn, "pdf"))
    return {
        "name": name,
        "title": picture.title,
        "svg": text,
        "wide": round(drawn.get_figwidth() * PIXELS),
        "marks": placed_marks(drawn),
    }


def _page_text(
    made: Sequence[Section],
    listed: Mapping[tuple[str, int], list[str]],
    drawn: Mapping[tuple[str, int], list[dict[str, Any]]],
    model: Model,
    title: str,
    beside: str | None,
) -> str:
    """Return the page as text.

    listed : the files of each panel. drawn : its figures. model : what the calculator predicts by.
    """
    scripts = bundle_scripts(_SCRIPTS)
    boards = {
        f"{section.key}-{at}": panel.board["script"]
        for section in made
        for at, panel in enumerate(section.panels)
        if panel.board is not None
    }
    figures = chain.from_iterable(drawn.values())
    marks = {figure["name"]: figure["marks"] for figure in figures}
    content = {
        "boards": boards,
        "marks": marks,
        "calculator": calculator_facts(model, made),
    }
    return template("page.html.j2").render(
        sections=made,
        files=listed,
        drawn=drawn,
        title=title,
        beside=beside,
        generator=f"{GENERATOR} {version('irmeta')}",
        written=datetime.now(UTC).strftime("%Y-%m-%d"),
        css=asset("page.css"),
        theme=THEME,
        scripts=scripts,
        hashes=script_hashes(THEME, scripts),
        model=model,
        content=json_script(content),
        most=MOST_ROWS,
        levels=LEVELS,
    )


def _short_slug(title: str) -> str:
    """Name a file after the first words of a title, before what explains them.

    >>> _short_slug("predictors: how many targets each predicts"), _short_slug("means (all 30 topics)")
    ('predictors', 'means')
    """
    return _slug(re.split("[(:,]", title)[0])


def _slug(text: str) -> str:
    return re.sub(r"\W+", "-", text.lower()).strip("-") or "all"
