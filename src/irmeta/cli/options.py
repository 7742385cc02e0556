"""The options that commands share, in groups: a command takes a group as one parameter and gets what it stands for."""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from irmeta.choices import (
    Duplicates,
    Format,
    MeanOver,
    Missing,
    QrelsFormat,
    explained,
)
from irmeta.cli.app import argument, option
from irmeta.cli.help import FILES
from irmeta.cli.help import RESULT as RESULT
from irmeta.cli.help import SCORES as SCORES
from irmeta.errors import IrmetaError

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

    from irmeta.io.runs.trec import Reading
    from irmeta.scores.groups.teams import Groups
    from irmeta.studies.result import Result

WHERE_MISSING = "What to do where scores are missing."

Name = Annotated[str, option(metavar="NAME")]
Names = Annotated[str, option(metavar="NAMES")]
Metric = Annotated[str, option(metavar="METRIC")]
Team = Annotated[str, option(metavar="TEAM")]
Address = Annotated[str, option(metavar="ADDRESS")]
FileOrUrl = Annotated[str, option(metavar="FILE")]
FileOrStem = Annotated[str, option(metavar="FILE|stem")]
Folder = Annotated[Path, option(metavar="DIR")]
Output = Annotated[Path, option("-o", "--output")]
OutputFolder = Annotated[Path, option("-o", "--output", metavar="DIR")]
Count = Annotated[int, option(min=1)]
Cost = Annotated[float, option(min=0)]

Seed = Annotated[
    int, option(min=0, panel=RESULT, help="Random seed; the result records it.")
]
Quiet = Annotated[
    bool,
    option("--quiet", panel=RESULT, help="Print no progress and no notes to stderr."),
]
Workers = Annotated[
    str | None,
    option(
        panel=RESULT,
        metavar="ADDRESS|local",
        help=(
            "Compute on a Dask cluster: the address of its scheduler, as in tcp://10.0.0.1:8786; "
            "or local, for one process per core."
        ),
        show_default="threads of this process",
    ),
]
Metrics = Annotated[
    str | None,
    option(
        "-m",
        "--metrics",
        "--metric",
        metavar="METRICS",
        help="Metrics, as in 'AP nDCG@10'.",
        show_default="all",
    ),
]
MissingScores = Annotated[
    Missing, option(panel=SCORES, help=explained(Missing, WHERE_MISSING))
]


_NAMED = "separated by commas; {}* matches names, @FILE has one on each line"


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Which of the scores to use.

    collection : the collection to use, where a file holds several, or some, separated by commas; web* matches names; by
        default all, or the one that has what is named
    systems : systems, separated by commas; bm25* matches names, @FILE has one on each line
    topics : topics, separated by commas; 30* and 601-650 match names, @FILE has one on each line
    clusters : clusters of the topics, as turns of one conversation: a CSV with columns topic and cluster; or stem, if a
        name begins with its cluster, as 31_1 and 31_2 or 31a and 31b do; by default each topic by itself, or as the
        file has them
    mean_over : what a mean is over, where topics have clusters; by default topics, or as the file has it
    repeats : runs of one system that does not answer twice the same: a CSV with columns run and system; or stem, if a
        run's name begins with its system, up to the last hyphen, underscore or full stop; by default each run is a
        system
    over_judges : the collections of the file are the same runs as several judges see them: use the means over judges,
        with intervals that allow for other judges
    """

    panel: ClassVar[str] = SCORES

    collection: Name | None = None
    metrics: Metrics = None
    systems: Names | None = None
    topics: Names | None = None

    clusters: FileOrStem | None = None
    mean_over: MeanOver | None = None

    repeats: FileOrStem | None = None
    over_judges: bool = False

    def flags(self) -> list[str]:
        """Return the words of a command that select the same, but metrics; files by their names."""
        words = []
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name == "metrics" or value == field.default:
                continue
            words.append(f"--{field.name.replace('_', '-')}")
            if field.name in ("clusters", "repeats"):
                value = Path(value).name
            if value is not True:
                words.append(quote(value))
        return words

    def one(self, path: Path, also: str | None = None) -> "xr.DataArray":
        """Read the cube of a file: of several that which --collection names, or the only one with what is named."""
        return only_cube(self.read(path, also, single=True))

    def read(
        self, path: Path, also: str | None = None, *, single: bool = False
    ) -> "dict[str, xr.DataArray]":
        """Read the cubes of a file by collection name; single : only one, unless it is of several judges.

        also : metrics read beside those to use, as that of --by.
        """
        from irmeta.io.formats.scores import OtherTableError, load, load_all
        from irmeta.scores.cubes import by_name

        metrics = self.metrics
        if metrics is not None and also is not None:
            metrics = f"{metrics} {also}"
        systems = listed_names(self.systems)
        topics = listed_names(self.topics)
        read = load if single and not self.over_judges else load_all
        try:
            cubes = read(
                path,
                collection=self.collection,
                metrics=metrics,
                systems=None if self.repeats else systems,
                topics=topics,
            )
        except OtherTableError as error:
            raise OtherTableError(import_hint([str(path)]) or str(error)) from error
        cubes = {
            name: self._averaged(self._clustered(scores), systems)
            for name, scores in by_name(cubes).items()
        }
        if not self.over_judges:
            return cubes
        from irmeta.scores.groups.repeats import with_judges

        scores = with_judges(cubes)
        return {str(scores.attrs["collection"]): scores}

    def _clustered(self, scores: "xr.DataArray") -> "xr.DataArray":
        """Return the cube with the clusters that the options name, else with those that its file has."""
        from irmeta.errors import ScoresError
        from irmeta.io.groups import read_clusters
        from irmeta.scores.attributes import OVER
        from irmeta.scores.groups.clusters import cluster_map, with_clusters
        from irmeta.scores.groups.teams import STEM

        clusters: str | dict[str, str] = cluster_map(scores)
        if self.clusters == STEM:
            clusters = STEM
        elif self.clusters is not None:
            clusters = read_clusters(self.clusters)
        if not clusters:
            if self.mean_over == "clusters":
                raise ScoresError(
                    "--mean-over clusters needs topics with clusters; name them (--clusters)"
                )
            return scores
        over = self.mean_over or scores.attrs.get(OVER, "topics")
        return with_clusters(scores, clusters, mean_over=over)

    def _averaged(
        self, scores: "xr.DataArray", systems: str | list[str] | None
    ) -> "xr.DataArray":
        """Return the cube of the wanted systems, where the options name their runs."""
        from irmeta.io.groups import read_repeats
        from irmeta.scores.groups.repeats import with_repeats
        from irmeta.scores.groups.teams import STEM
        from irmeta.scores.selection import select

        if self.repeats is None:
            return scores
        runs = STEM if self.repeats == STEM else read_repeats(self.repeats)
        return select(with_repeats(scores, runs), systems=systems)


@dataclass(frozen=True, kw_only=True)
class OneFile(Selection):
    """Scores of one file, whether some are missing or not.

    scores : a score file (Parquet), or a table of scores (CSV and others)
    """

    scores: Annotated[Path, argument()]

    def cube(self) -> "xr.DataArray":
        """Read the only collection; where there are several the user has to choose one."""
        return self.one(self.scores)


@dataclass(frozen=True, kw_only=True)
class SeveralFiles(Selection):
    """Scores of one or more files, all collections in them.

    scores : score files (Parquet); every collection in them is used
    """

    missing: MissingScores = "error"
    scores: Annotated[list[Path], argument()]

    def cubes(self) -> "dict[str, xr.DataArray]":
        """Read every collection of the files by name."""
        from irmeta.scores.cubes import distinctly_named

        [cubes] = distinctly_named([[(path, self.read(path)) for path in self.scores]])
        return cubes


@dataclass(frozen=True, kw_only=True)
class Reader:
    """How run files and judgments are read.

    allow_missing_tag : accept run lines of 5 fields
    extra_columns : ignore fields after the sixth of a run line
    skip_header : skip a header line
    allow_empty : accept an empty run: it scores 0
    dedup : what to do where a list has a document twice
    qrels_format : the form of the judgments
    """

    panel: ClassVar[str] = FILES

    allow_missing_tag: bool = False
    extra_columns: bool = False
    skip_header: bool = False
    allow_empty: bool = False
    dedup: Duplicates = "error"
    qrels_format: QrelsFormat = "trec"

    def reading(self) -> "Reading":
        """Return the options as those of a reader."""
        from irmeta.io.runs.trec import Reading

        return Reading(**vars(self))

    def words(self) -> str:
        """Return the options that are not as by default, as a command line has them."""
        changed = {
            f" --{one.name.replace('_', '-')}": getattr(self, one.name)
            for one in fields(self)
            if getattr(self, one.name) != one.default
        }
        return "".join(
            name if value is True else f"{name} {value}"
            for name, value in changed.items()
        )


@dataclass(frozen=True, kw_only=True)
class BestSystems:
    """Which systems to keep.

    top : use only the best systems: this share of them, as in 0.75; by default all
    by : the metric whose best systems --top keeps; it need not be in --metrics; by default the first, or
        AP@1000 of evaluate's own set
    """

    panel: ClassVar[str] = SCORES

    top: float | None = None
    by: Metric | None = None


@dataclass(frozen=True, kw_only=True)
class Teams:
    """Which systems come from one team, so that they are not independent of each other.

    teams : teams of the systems: a CSV with columns run and team; stem, if a name begins with its team, up to the last
        hyphen, underscore or full stop; each, if no two systems come from one team; by default stem where many names
        share one
    """

    panel: ClassVar[str] = SCORES

    teams: Annotated[str | None, option(metavar="FILE|stem|each")] = None

    def read(self) -> "Groups | str | None":
        """Read the table, if one is named."""
        from irmeta.io.groups import read_groups
        from irmeta.scores.groups.teams import EACH, STEM

        if self.teams in (None, STEM, EACH):
            return self.teams
        return read_groups(str(self.teams))


@dataclass(frozen=True, kw_only=True)
class Families:
    """Which systems are of one family, whom a judge may favour.

    families : families of the systems, whom a judge may favour: a CSV with columns run and family; or stem, if a name
        begins with its family, up to the last hyphen, underscore or full stop; by default the teams, where --teams
        names them
    """

    panel: ClassVar[str] = SCORES

    families: FileOrStem | None = None


@dataclass(frozen=True, kw_only=True)
class Labels:
    """What systems and metrics are called where a result is shown.

    labels : what the paper calls systems and metrics, in sentences, tables and plots: a CSV with columns system and
        label, which is text, not TeX; others keep their names, as do the metrics of a report. Options name systems by
        either
    """

    panel: ClassVar[str] = RESULT

    labels: Path | None = None

    def replace_labels(self, options: dict[str, Any]) -> dict[str, str]:
        """Put the names of systems where a command's options have their labels; return the labels by system."""
        if self.labels is None:
            return {}
        from irmeta.io.lists import read_labels
        from irmeta.studies.result.labels import NAMING, by_label

        labels = read_labels(self.labels)
        for name in NAMING:
            if options.get(name) is not None:
                options[name] = by_label(listed_names(options[name]) or "", labels)
        return labels


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """How to compute a result, and where it goes.

    output : write to this file instead of the terminal, in place of one that is there; scores replace none
    form : format of the result; by default from the suffix of -o, else table
    table : write only the table of this name; the study's page in the documentation lists them; by default all; the
        first for csv
    plot : draw the result: FILE.svg, .pdf or .png
    summary : also add the answer, the tables and the notes in Markdown to the end of this file, as in CI
    highlight : systems to show in the table in any case, and to mark in the plot or on the page, separated by commas;
        'bm25*' matches names
    plot_width : width of the plot in inches: 3.3 fits a column, 7 a page; by default as wide as the plot needs
    explain : print every row, finding and note, not only what one screen holds, and the method in sentences for a paper
    """

    panel: ClassVar[str] = RESULT

    output: Output | None = None
    form: Annotated[Format | None, option("--format")] = None
    table: Name | None = None
    plot: Path | None = None
    summary: Path | None = None
    highlight: Names | None = None
    plot_width: Annotated[float | None, option(min=1, max=40)] = None
    explain: bool = False
    workers: Workers = None
    quiet: Quiet = False

    @property
    def folder(self) -> Path | None:
        """The folder to write to, if -o names one rather than a file."""
        if self.output is None or self.output.suffix:
            return None
        return self.output

    def show(
        self,
        study: "Callable[..., Result]",
        *scores: Any,
        view: str | None = None,
        **options: Any,
    ) -> "Result":
        """Run a study on scores with its options, draw the result, and write it; `view` says what of it to draw."""
        from irmeta.cli.output import form_of, say_wrote, working, write_result

        self._require_outputs()
        form = self.form or form_of(self.output)
        on_screen = form == "table" and self.table is None and self.output is None
        if self.highlight is not None and self.plot is None and not on_screen:
            raise IrmetaError(
                "--highlight marks in a plot (--plot FILE), on a page and on the terminal"
            )
        with working(self.workers, quiet=self.quiet):
            result = study(*scores, **options)
        if self.plot is not None:
            self._draw(result, self.plot, {"view": view} if view else {})
        write_result(
            result,
            form=form,
            output=self.output,
            table=self.table,
            explain=self.explain,
            quiet=self.quiet,
            highlight=listed_names(self.highlight),
        )
        if self.summary is not None:
            from irmeta.io.outputs import append
            from irmeta.report.words import markdown

            append(self.summary, markdown(result).encode())
            say_wrote(self.summary, quiet=self.quiet)
        return result

    def _draw(self, result: "Result", file: Path, view: Mapping[str, str]) -> None:
        """Draw a result into a file."""
        from irmeta.cli.output import say_wrote
        from irmeta.report.plots import figure_of
        from irmeta.report.plots.figure import save

        highlight = listed_names(self.highlight)
        figure = figure_of(
            result.data, highlight=highlight, width=self.plot_width, **view
        )
        save(figure, file)
        say_wrote(file, str(figure.get_label()), quiet=self.quiet)
        self._say_if_small(figure)

    def _require_outputs(self) -> None:
        """Refuse before the work what cannot be written after it."""
        from irmeta.io.outputs import require_folder

        if self.plot_width is not None and self.plot is None:
            raise IrmetaError("--plot-width needs --plot FILE")
        for path in (self.plot, self.summary):
            if path is not None:
                require_folder(path)
        if self.plot is not None:
            from irmeta.report.plots.figure import require_form

            require_form(self.plot)

    def _say_if_small(self, figure: "Figure") -> None:
        """Say at which width the names of a narrow plot can be read."""
        from irmeta.cli.output import say
        from irmeta.report.plots.layout import READABLE, smallest_text

        size = smallest_text(figure)
        if self.plot_width is None or size >= READABLE:
            return
        wide = math.ceil(10 * self.plot_width * READABLE / size) / 10
        say(
            f"{self.plot}: the smallest names are {size:.1f} points high;"
            f" with --plot-width {wide:g} they can be read well",
            quiet=self.quiet,
        )


def listed_names(text: str | list[str] | None) -> str | list[str] | None:
    """Return the names that a text lists; those on the lines of FILE if the text is @FILE; a list of names as it is."""
    if not isinstance(text, str) or not text.startswith("@"):
        return text
    from irmeta.errors import FileFormatError
    from irmeta.io.files import read_bytes
    from irmeta.io.strictly import lines, stripped

    path = Path(text[1:])
    try:
        data = bytes(read_bytes(path))
        data.decode()
    except (FileFormatError, UnicodeError) as error:
        reason = str(error)
        if isinstance(error, UnicodeError):
            reason = f"{path}: cannot be read (not UTF-8 text)"
        raise FileFormatError(
            f"{reason}; @FILE must be a text file with one name on each "
            "line; or give names or patterns themselves, as in 'bm25,dpr*'"
        ) from error
    return list(filter(None, map(stripped, lines(data))))


def import_hint(paths: Sequence[str]) -> str:
    """Say how files or folders become a score file, where they hold scores in one other form; or what facts go with."""
    from irmeta.cli.files.what import import_arguments, merged_tables, use_of_groups
    from irmeta.studies.checks.recognition import recognise

    tables = []
    with suppress(IrmetaError):  # one is not there
        tables = list(merged_tables([recognise(path) for path in paths]))
    if len(tables) != 1:
        return ""
    [table] = tables
    if table.reader == "--about":
        return f"{table.path}: {table.text}, no scores{use_of_groups(table)}"
    if table.kind != "table":
        return ""
    return f"{table.path}: {table.text}; make a score file of it: irmeta import {import_arguments(table)}"


def only_cube(cubes: "Mapping[str, xr.DataArray]") -> "xr.DataArray":
    """Return the only cube; raise ScoresError where there are several."""
    from irmeta.io.formats.scores import choose_collection

    return choose_collection(cubes, None)
