"""The page written: every study run, index.html with all it needs inside, tables and figures beside it."""

import json
import math
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
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
from jinja2 import Environment, PackageLoader, select_autoescape

from irmeta.choices import Missing
from irmeta.cubes import by_name
from irmeta.datasets.reference import reference_model
from irmeta.errors import FileFormatError, ScoresError, require_choice
from irmeta.io.groups import Grouping
from irmeta.io.outputs import writing
from irmeta.parallel import seed, steps
from irmeta.report.page.panel import Panel, Section
from irmeta.report.page.prediction import calculator
from irmeta.report.page.sections import sections
from irmeta.report.plots import figure
from irmeta.report.tables import csv, flat, latex

GENERATOR = "irmeta report"
"""Marks a page of ours."""
_PAGE = "index.html"
_LIST = ".irmeta-report.json"
"""Names what the report wrote, with digests: nothing else in its folder is removed or replaced."""
_KEPT = re.compile(r"index\.html|(?:tables|figures)/[\w-][\w.-]*")
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
    groups: Grouping = None,
    title: str | None = None,
    highlight: str | Iterable[str] | None = None,
    reuse: xr.Dataset | None = None,
    rng: int = 0,
    source: str = "scores.parquet",
) -> Path:
    """Run every study and write folder/index.html, folder/tables/*.csv and *.tex, folder/figures/*.svg and *.pdf.

    cubes : one, or several by collection name.
    by : the metric that systems are ordered by; AP, or the deepest AP@k, by default.
    missing : what to do with missing scores, as in `irmeta.cube.complete`, by default what leaves most scores; the page
    says what was left out. With "error" the sections that take complete scores say why they have no answer.
    groups : the teams of the systems, a table or "stem" of their names; intervals over systems then take teams.
    title : of the page; the names of the collections by default.
    highlight : systems to mark, a list or one text with commas; patterns as in bm25* match names.
    reuse : a result of `irmeta.reuse` on the runs and judgments behind the scores, for the section on new runs.
    rng : the seed of all that is random.  source : the score file, as the commands on the page name it.

    Returns the path of the page. The report keeps a list of the files that it writes, and removes and replaces only
    those, as long as nobody changed them. A folder that holds something else raises FileFormatError.
    """
    options: dict[str, Any] = {
        "groups": groups,
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
    groups: Grouping = None,
    title: str | None = None,
    highlight: str | Iterable[str] | None = None,
    reuse: xr.Dataset | None = None,
    rng: int = 0,
    source: str = "scores.parquet",
) -> tuple[Path, list[Section]]:
    """Do as `write_report`, and return the sections beside the path of the page."""
    require_choice("missing", missing, get_args(Missing))
    if missing == "pairwise":
        raise ScoresError(
            "most sections of a report take complete scores: choose another way (--missing common)"
        )
    cubes = by_name(cubes)
    rng = seed(rng)
    folder = Path(folder)
    earlier = _earlier(folder)
    with _made(folder):
        options: dict[str, Any] = {
            "groups": groups,
            "highlight": highlight,
            "reuse": reuse,
        }
        made = sections(
            cubes, by=by, missing=missing, seed=rng, source=source, **options
        )
        each = _each(made)
        named = {key: _files_of(stem, panel) for key, stem, panel in each}
        wanted = [name for names in named.values() for name in names]
        ours = _unchanged(folder, earlier)
        _refuse_theirs(folder, [*wanted, _PAGE], ours)
        _remove(folder, earlier, ours)
        # listed before they are written: what an interrupted report leaves is the next one's to replace
        _note(folder, dict.fromkeys([*wanted, _PAGE]))
        for kind in ("tables", "figures"):
            (folder / kind).mkdir(exist_ok=True)
        for _, stem, panel in steps(each, "files of panels"):
            _write_files(folder, stem, panel)
        with writing(folder / _PAGE) as part:
            part.write_text(
                _html(made, named, cubes, title or ", ".join(cubes)), encoding="utf-8"
            )
        _note(folder, {name: _digest(folder / name) for name in [*wanted, _PAGE]})
    return folder / _PAGE, made


def _earlier(folder: Path) -> dict[str, str | None]:
    """Return what an earlier report wrote into a folder, names and digests; refuse a folder of something else."""
    if folder.is_file():
        raise FileFormatError(f"{folder} is a file; name a folder for the report")
    if not folder.is_dir() or all(
        path.name.startswith(f".{_LIST}.") for path in folder.iterdir()
    ):
        return {}
    try:
        listed = json.loads((folder / _LIST).read_bytes())["files"]
        return {
            name: digest for name, digest in listed.items() if _KEPT.fullmatch(name)
        }
    except (
        OSError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        RecursionError,
    ) as error:
        page = folder / _PAGE
        if page.is_file():
            what = f"a report without its list of files, {_LIST}"
        else:
            what = "something that is not a report"
        raise FileFormatError(
            f"{folder} holds {what}; name a new or an empty folder"
        ) from error


def _unchanged(folder: Path, earlier: Mapping[str, str | None]) -> set[str]:
    """Return the files of an earlier report that are as it wrote them.

    A file without a digest is one that an interrupted report was to write; it may be half of one.
    """
    there = {
        name
        for name in earlier
        if _inside(folder / name, folder) and (folder / name).is_file()
    }
    return {name for name in there if earlier[name] in (None, _digest(folder / name))}


def _refuse_theirs(folder: Path, names: Sequence[str], ours: set[str]) -> None:
    """Raise FileFormatError where a file is to be written that another has the place of, or outside of the folder."""
    for name in names:
        path = folder / name
        if path.parent.is_symlink() and path.parent != folder:
            raise FileFormatError(
                f"{path.parent} is a link to another folder; remove it, or name a new folder"
            )
        if name not in ours and (path.exists() or path.is_symlink()):
            raise FileFormatError(
                f"{path} is not as the report wrote it; move it away, or name a new folder"
            )


def _remove(folder: Path, earlier: Mapping[str, str | None], ours: set[str]) -> None:
    """Remove the files of an earlier report, and what is left of files that it was writing when it was killed."""
    for name in ours:
        (folder / name).unlink()
    for name in (*earlier, _LIST):
        path = folder / name
        if path.parent == folder or not path.parent.is_symlink():
            for half in path.parent.glob(f".{path.name}.*.part"):
                half.unlink(missing_ok=True)


def _inside(path: Path, folder: Path) -> bool:
    """Tell whether a file of the report lies in its folder, and not behind a link."""
    return not path.is_symlink() and (
        path.parent == folder or not path.parent.is_symlink()
    )


def _note(folder: Path, names: Mapping[str, str | None]) -> None:
    """Keep a list of what the report writes, each with the digest of its content once it is there."""
    with writing(folder / _LIST) as part:
        part.write_text(
            json.dumps({"generator": GENERATOR, "files": names}, indent=1) + "\n",
            encoding="utf-8",
        )


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


@contextmanager
def _made(folder: Path) -> Iterator[None]:
    """Make a folder before the work rather than after it; one that is still empty goes again if the work fails."""
    new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileFormatError(
            f"{folder}: no folder can be made there ({error.strerror or error})"
        ) from error
    try:
        yield
    except BaseException:
        if new and not any(folder.iterdir()):
            folder.rmdir()
        raise


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


def _write_files(folder: Path, stem: str, panel: Panel) -> None:
    """Write a panel's tables and figures, under the names of `_files_of`."""
    for name, frame in panel.tables.items():
        with writing(folder / f"tables/{stem}-{_slug(name)}.csv") as part:
            part.write_text(csv(frame), encoding="utf-8")
    for name, frame in panel.latex.items():
        with writing(folder / f"tables/{stem}-{_slug(name)}.tex") as part:
            part.write_text(latex(frame, digits=3), encoding="utf-8")
    for name, draw in panel.figures.items():
        drawn = draw()
        for form in _FORMS:
            figure.save(drawn, folder / f"figures/{stem}-{_slug(name)}.{form}")
            drawn.set_layout_engine("none")  # laid out once, the same in both


def _html(
    made: Sequence[Section],
    listed: Mapping[tuple[str, int], list[str]],
    cubes: Mapping[str, xr.DataArray],
    title: str,
) -> str:
    environment = Environment(
        loader=PackageLoader("irmeta.report.page", "assets"),
        autoescape=select_autoescape(default=True),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"sentences": sentences, "setting": setting}
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
    return environment.get_template("page.html.j2").render(
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
    """Return a value as JSON has it: numbers that are not finite are null."""
    if isinstance(value, Mapping):
        return {name: _finite(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


@cache
def _asset(name: str) -> str:
    return (files("irmeta.report.page") / "assets" / name).read_text(encoding="utf-8")


def _slug(text: str) -> str:
    return re.sub(r"\W+", "-", text.lower()).strip("-") or "all"
