"""The page written: every study run, index.html with all it needs inside, tables and figures beside it."""

import json
import math
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any, get_args

import polars as pl
import polars.selectors as cs
import xarray as xr
from jinja2 import Environment, PackageLoader, Template
from markupsafe import Markup

from irmeta.choices import Missing
from irmeta.datasets.reference import reference_model
from irmeta.errors import require_choice
from irmeta.parallel import seed, steps
from irmeta.report.forms import csv, flat, latex
from irmeta.report.kept import PAGE, Kept, Write
from irmeta.report.page.panel import Panel, Section
from irmeta.report.page.prediction import calculator
from irmeta.report.page.sections import sections
from irmeta.report.plots import figure
from irmeta.scores.cubes import by_name
from irmeta.scores.teams import Grouping
from irmeta.words import printable

GENERATOR = "irmeta report"
"""Marks a page of ours."""
_WRITTEN = r"index\.html|(?:tables|figures)/[\w-][\w.-]*"
"""The names of a report's files."""
_FORMS = ("svg", "pdf")

THEME = (
    "document.documentElement.dataset.theme = "
    'matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";'
)
"""The script that chooses the colours before anything is drawn."""
_SCRIPTS = (
    "drawing.js",
    "charts.js",
    "matrices.js",
    "address.js",
    "tables.js",
    "board.js",
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
    reuse: xr.Dataset | None = None,
    rng: int = 0,
    source: str = "scores.parquet",
) -> Path:
    """Run every study and write folder/index.html, folder/tables/*.csv and *.tex, folder/figures/*.svg and *.pdf.

    cubes : one, or several by collection name.
    folder : the folder to write: new, empty, or one of an earlier report.
    by : the metric that systems are ordered by; AP, or the deepest AP@k, by default.
    missing : what to do with missing scores, as in `selection.complete`, by default what leaves most scores; the page
    says what was left out. With "error" the sections that take complete scores say why they have no answer.
    teams : the teams of the systems, a table or "stem" of their names; intervals over systems then take teams.
    title : of the page; the names of the collections by default.
    highlight : systems to mark, a list or one text with commas; patterns as in bm25* match names.
    reuse : a result of `irmeta.reuse` on the runs and judgments behind the scores, for the section on new runs.
    rng : the seed of all that is random.  source : the score file, as the commands on the page name it.

    Returns the path of the page. The report keeps a list of the files that it writes, and removes and replaces only
    those, as long as nobody changed them. A folder that holds something else raises FileFormatError.
    """
    options: dict[str, Any] = {
        "teams": teams,
        "title": title,
        "highlight": highlight,
        "reuse": reuse,
    }
    return write_sections(
        cubes, folder, by=by, missing=missing, **options, rng=rng, source=source
    )[0]


def write_sections(
    cubes: xr.DataArray | Mapping[str, xr.DataArray],
    folder: str | PathLike[str],
    *,
    by: str | None = None,
    missing: Missing = "common",
    teams: Grouping = None,
    title: str | None = None,
    highlight: str | Iterable[str] | None = None,
    reuse: xr.Dataset | None = None,
    rng: int = 0,
    source: str = "scores.parquet",
) -> tuple[Path, list[Section]]:
    """Do as `write_report`, and return the sections beside the path of the page."""
    require_choice("missing", missing, get_args(Missing))
    cubes = by_name(cubes)
    rng = seed(rng)
    folder = Path(folder)
    kept = Kept(folder, "report", _WRITTEN)
    with kept.made():
        options: dict[str, Any] = {
            "teams": teams,
            "highlight": highlight,
            "reuse": reuse,
        }
        made = sections(
            cubes, by=by, missing=missing, seed=rng, source=source, **options
        )
        each = _each(made)
        named = {key: _files_of(stem, panel) for key, stem, panel in each}
        wanted = [name for names in named.values() for name in names]
        with kept.replaced([*wanted, PAGE]) as write:
            for _, stem, panel in steps(each, "files of panels"):
                _write_files(write, stem, panel)
            write(PAGE, _html(made, named, cubes, title or ", ".join(cubes)))
    return folder / PAGE, made


def _each(made: Sequence[Section]) -> list[tuple[tuple[str, int], str, Panel]]:
    """List the panels with their place and the stem of their files."""
    each = []
    for section in made:
        slugs = [_slug(panel.label) for panel in section.panels]
        for at, (slug, panel) in enumerate(zip(slugs, section.panels, strict=True)):
            nth = slugs[: at + 1].count(slug)
            own = f"{section.key}-{slug}" + (f"-{nth}" if nth > 1 else "")
            each.append(
                ((section.key, at), own if len(slugs) > 1 else section.key, panel)
            )
    return each


def _files_of(stem: str, panel: Panel) -> list[str]:
    """Name a panel's tables and figures: their paths in the folder."""
    tables = [f"tables/{stem}-{_slug(name)}.csv" for name in panel.tables]
    latexes = [f"tables/{stem}-{_slug(name)}.tex" for name in panel.latex]
    figures = [
        f"figures/{stem}-{_slug(name)}.{form}"
        for name in panel.figures
        for form in _FORMS
    ]
    return [*tables, *latexes, *figures]


def _write_files(write: Write, stem: str, panel: Panel) -> None:
    """Write a panel's tables and figures, under the names of `_files_of`."""
    for name, frame in panel.tables.items():
        write(f"tables/{stem}-{_slug(name)}.csv", csv(frame))
    for name, frame in panel.latex.items():
        write(f"tables/{stem}-{_slug(name)}.tex", latex(frame, digits=3))
    for name, draw in panel.figures.items():
        drawn = draw()
        for form in _FORMS:
            write(f"figures/{stem}-{_slug(name)}.{form}", figure.rendered(drawn, form))
            drawn.set_layout_engine("none")  # laid out once, the same in both


def _html(
    made: Sequence[Section],
    listed: Mapping[tuple[str, int], list[str]],
    cubes: Mapping[str, xr.DataArray],
    title: str,
) -> str:
    model = reference_model()
    metrics = list(
        dict.fromkeys(
            str(name) for scores in cubes.values() for name in scores.metric.values
        )
    )
    content = {
        section.key: [
            {
                "charts": [vars(chart) for chart in panel.charts],
                "tables": {name: _table(panel.tables[name]) for name in panel.shown},
                "board": panel.board,
            }
            for panel in section.panels
        ]
        for section in made
    }
    scripts = '"use strict";\n' + "\n".join(_asset(name) for name in _SCRIPTS)
    return template("page.html.j2").render(
        sections=made,
        files=listed,
        title=title,
        generator=f"{GENERATOR} {version('irmeta')}",
        written=datetime.now(UTC).strftime("%Y-%m-%d"),
        css=_asset("page.css"),
        theme=THEME,
        scripts=scripts,
        hashes=hashes(THEME, scripts),
        model=model,
        content=_script(
            {"metrics": metrics, "sections": content, "calculator": calculator(model)}
        ),
    )


def template(name: str) -> Template:
    """Return one of our pages to fill in: what comes into it is text, not markup, and can be printed."""
    environment = Environment(
        loader=PackageLoader("irmeta.report.page", "assets"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    environment.filters |= {"sentences": sentences, "setting": setting}
    return environment.get_template(name)


def _shown(value: Any) -> Any:
    """Return what stands on a page for a value; what we wrote ourselves, marked as safe, as it is."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return printable(value, "\n\t")
    return value


def hashes(*scripts: str) -> str:
    """Return the digests by which a page's policy allows these scripts, and no others."""
    digests = [
        b64encode(sha256(script.encode()).digest()).decode() for script in scripts
    ]
    return " ".join(f"'sha256-{digest}'" for digest in digests)


def sentences(findings: Sequence[str]) -> list[str]:
    """Cut findings into sentences: the first one opens its section.

    >>> sentences(["AP leads (.63). 2 of 3 do not.", "RR says it all."])
    ['AP leads (.63).', '2 of 3 do not.', 'RR says it all.']
    """
    return [
        part
        for line in findings
        for part in re.split(r"(?<=[.!?])\s+(?=[A-Z]|\d+ )", line)
    ]


def setting(value: Any) -> str:
    """Write an option's value as people read it.

    >>> setting(["raw", "normal"]), setting(None), setting(True)
    ('raw, normal', 'none', 'yes')
    """
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    if isinstance(value, Mapping):
        return (
            ", ".join(f"{name}: {setting(one)}" for name, one in value.items())
            or "none"
        )
    if isinstance(value, list | tuple):
        return ", ".join(map(setting, value)) or "none"
    return str(value)


def _table(frame: pl.DataFrame) -> dict[str, Any]:
    """Return a data frame for the page, by column: numbers to six digits, lists as texts."""
    shown = flat(frame).with_columns(cs.float().round_sig_figs(6).fill_nan(None))
    columns = [
        {"name": name, "number": kind.is_numeric()}
        for name, kind in shown.schema.items()
    ]
    return {
        "columns": columns,
        "data": [shown[name].to_list() for name in shown.columns],
    }


def _script(content: Any) -> str:
    """Write JSON that may stand inside a script element."""
    return json.dumps(_finite(content), allow_nan=False, separators=(",", ":")).replace(
        "<", "\\u003c"
    )


def _finite(value: Any) -> Any:
    """Return a value as JSON has it: numbers that are not finite are null, texts can be printed."""
    if isinstance(value, Mapping):
        return {_finite(name): _finite(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, str):
        return printable(value, "\n\t")
    return value


@cache
def _asset(name: str) -> str:
    return (files("irmeta.report.page") / "assets" / name).read_text(encoding="utf-8")


def _slug(text: str) -> str:
    return re.sub(r"\W+", "-", text.lower()).strip("-") or "all"
