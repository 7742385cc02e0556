"""The page written: every study run, index.html with all it needs inside, tables and figures beside it."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any, get_args

import polars as pl
import polars.selectors as cs
import xarray as xr
from jinja2 import Environment, PackageLoader, select_autoescape

from irmeta.choices import Missing
from irmeta.cubes import by_name
from irmeta.datasets.reference import reference_model
from irmeta.errors import FileFormatError, require_choice
from irmeta.io.files import writing
from irmeta.parallel import seed, steps
from irmeta.report.page.panel import Panel, Section
from irmeta.report.page.prediction import calculator
from irmeta.report.page.sections import sections
from irmeta.report.plots import figure
from irmeta.report.tables import flat, latex

GENERATOR = "irmeta report"
"""Marks a page of ours, which may be written over."""

_SCRIPTS = ("drawing.js", "charts.js", "matrices.js", "tables.js", "calculator.js", "page.js")


def write_report(
    cubes: xr.DataArray | Mapping[str, xr.DataArray],
    folder: str | PathLike[str],
    *,
    by: str | None = None,
    missing: Missing = "error",
    rng: int = 0,
    source: str = "scores.parquet",
) -> Path:
    """Run every study and write folder/index.html, folder/tables/*.csv and *.tex, folder/figures/*.svg and *.pdf.

    cubes : one, or several by collection name.
    by : the metric that systems are ordered by; AP, or the deepest AP@k, by default.
    missing : what to do with missing scores, as in `irmeta.cube.complete`; a study that cannot do without says so.
    rng : the seed of all that is random.  source : the score file, as the commands on the page name it.

    Gives the path of the page. A folder that holds something else raises FileFormatError.
    """
    return write_sections(cubes, folder, by=by, missing=missing, rng=rng, source=source)[0]


def write_sections(
    cubes: xr.DataArray | Mapping[str, xr.DataArray],
    folder: str | PathLike[str],
    *,
    by: str | None = None,
    missing: Missing = "error",
    rng: int = 0,
    source: str = "scores.parquet",
) -> tuple[Path, list[Section]]:
    """Do as `write_report`, and return the sections beside the path of the page."""
    require_choice("missing", missing, get_args(Missing))
    cubes, rng = by_name(cubes), seed(rng)
    folder = Path(folder)
    _refuse_others(folder)
    before = _linked(folder)
    with _made(folder):
        made = sections(cubes, by=by, missing=missing, seed=rng, source=source)
    for kind in ("tables", "figures"):
        (folder / kind).mkdir(exist_ok=True)
    listed = {key: _write_files(folder, stem, panel) for key, stem, panel in steps(_each(made), "files of panels")}
    with writing(folder / "index.html") as part:
        part.write_text(_html(made, listed, cubes), encoding="utf-8")
    for name in before.difference(*listed.values()):
        (folder / name).unlink(missing_ok=True)
    return folder / "index.html", made


def _refuse_others(folder: Path) -> None:
    page = folder / "index.html"
    if folder.is_file():
        raise FileFormatError(f"{folder} is a file; name a folder for the report")
    if folder.is_dir() and any(folder.iterdir()) and not (page.is_file() and _is_ours(page)):
        raise FileFormatError(f"{folder} holds something that is not a report; name a new or an empty folder")


def _is_ours(page: Path) -> bool:
    return f'content="{GENERATOR}' in page.read_text(encoding="utf-8", errors="replace")


@contextmanager
def _made(folder: Path) -> Iterator[None]:
    """Make a folder before the work rather than after it; it goes again if the work fails."""
    new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileFormatError(f"{folder}: no folder can be made there ({error.strerror or error})") from error
    try:
        yield
    except BaseException:
        if new:
            folder.rmdir()
        raise


def _linked(folder: Path) -> set[str]:
    """List the tables and figures of a page that stands there already."""
    page = folder / "index.html"
    return (
        set(re.findall(r'href="((?:tables|figures)/[^"]+)"', page.read_text(encoding="utf-8")))
        if page.is_file()
        else set()
    )


def _each(made: Sequence[Section]) -> list[tuple[tuple[str, int], str, Panel]]:
    """List the panels with their place and the stem of their files."""
    each = []
    for section in made:
        slugs = [_slug(panel.label) for panel in section.panels]
        for at, (slug, panel) in enumerate(zip(slugs, section.panels, strict=True)):
            nth = slugs[: at + 1].count(slug)
            own = f"{section.key}-{slug}" + (f"-{nth}" if nth > 1 else "")
            each.append(((section.key, at), own if len(slugs) > 1 else section.key, panel))
    return each


def _write_files(folder: Path, stem: str, panel: Panel) -> list[str]:
    """Write a panel's tables and figures; gives their paths in the folder."""
    written = []
    for name, frame in panel.tables.items():
        written.append(f"tables/{stem}-{_slug(name)}.csv")
        with writing(folder / written[-1]) as part:
            flat(frame).write_csv(part)
    for name, frame in panel.latex.items():
        written.append(f"tables/{stem}-{_slug(name)}.tex")
        with writing(folder / written[-1]) as part:
            part.write_text(latex(frame, digits=3), encoding="utf-8")
    for name, draw in panel.figures.items():
        drawn = draw()
        for form in ("svg", "pdf"):
            written.append(f"figures/{stem}-{_slug(name)}.{form}")
            figure.save(drawn, folder / written[-1])
            drawn.set_layout_engine("none")  # laid out once, the same in both
    return written


def _html(
    made: Sequence[Section], listed: Mapping[tuple[str, int], list[str]], cubes: Mapping[str, xr.DataArray]
) -> str:
    environment = Environment(
        loader=PackageLoader("irmeta.report.page", "assets"),
        autoescape=select_autoescape(default=True),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"sentences": sentences, "setting": setting}
    model = reference_model()
    metrics = list(dict.fromkeys(str(name) for scores in cubes.values() for name in scores.metric.values))
    content = {
        section.key: [
            {
                "charts": [vars(chart) for chart in panel.charts],
                "tables": {name: _table(panel.tables[name]) for name in panel.shown},
            }
            for panel in section.panels
        ]
        for section in made
    }
    return environment.get_template("page.html.j2").render(
        sections=made,
        files=listed,
        collections=list(cubes),
        generator=f"{GENERATOR} {version('irmeta')}",
        written=datetime.now(UTC).strftime("%Y-%m-%d"),
        css=_asset("page.css"),
        scripts="\n".join(_asset(name) for name in _SCRIPTS),
        model=model,
        content=_script({"metrics": metrics, "sections": content, "calculator": calculator(model)}),
    )


def sentences(findings: Sequence[str]) -> list[str]:
    """Cut findings into sentences: the first one opens its section.

    >>> sentences(["AP leads (.63). 2 of 3 do not.", "RR says it all."])
    ['AP leads (.63).', '2 of 3 do not.', 'RR says it all.']
    """
    return [part for line in findings for part in re.split(r"(?<=[.!?])\s+(?=[A-Z]|\d+ )", line)]


def setting(value: Any) -> str:
    """Write an option's value as people read it.

    >>> setting(["raw", "normal"]), setting(None), setting(True)
    ('raw, normal', 'none', 'yes')
    """
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {setting(one)}" for name, one in value.items()) or "none"
    if isinstance(value, list | tuple):
        return ", ".join(map(setting, value)) or "none"
    return str(value)


def _table(frame: pl.DataFrame) -> dict[str, Any]:
    """Return a data frame for the page, by column: numbers to six digits, lists as texts."""
    shown = flat(frame).with_columns(cs.float().round_sig_figs(6).fill_nan(None))
    columns = [{"name": name, "number": kind.is_numeric()} for name, kind in shown.schema.items()]
    return {"columns": columns, "data": [shown[name].to_list() for name in shown.columns]}


def _script(content: Any) -> str:
    """Write JSON that may stand inside a script element."""
    return json.dumps(content, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


@cache
def _asset(name: str) -> str:
    return (files("irmeta.report.page") / "assets" / name).read_text(encoding="utf-8")


def _slug(text: str) -> str:
    return re.sub(r"\W+", "-", text.lower()).strip("-") or "all"
