"""`irmeta import`: scores that exist already."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import irmeta
from irmeta.choices import NamedBy, Rows, TableKind
from irmeta.cli.app import app, argument, option
from irmeta.cli.options import Name, Names, Output, Quiet, import_hint
from irmeta.cli.output import refuse_overwriting, say, say_note, say_wrote
from irmeta.errors import FileFormatError, IrmetaError
from irmeta.scores.attributes import DOUBTS, PRINTED
from irmeta.words import counted, folded

if TYPE_CHECKING:
    import xarray as xr

    from irmeta.io.tables.adding import Changed

_NAMING_COLLECTIONS = ("systemwise", "labels", "inspect", "lm-eval", "helm", "eee")
"""Kinds whose files name their collections."""
TABLE = "Columns of a table"
MTEB = "Results of MTEB"
ITEMS = "Evaluations of language models"


@dataclass(frozen=True, kw_only=True)
class TableColumns:
    """What the columns of a table are called, where they do not go by a name that people use.

    metric : the metric of all scores, or the column that names it
    system : the column of systems (models); several with commas name one together
    topic : the column of topics (tasks)
    score : the column of scores
    repeat : the column that tells the runs of one system apart, as a seed; by default repeat, seed, trial, epoch or
        experiment
    cluster : the column that says which topics come together, as turns of a conversation; by default cluster or
        conversation
    ignore : columns to leave out, separated by commas
    """

    panel: ClassVar[str] = TABLE

    metric: Name | None = None
    system: Name | None = None
    topic: Name | None = None
    score: Name | None = None
    repeat: Name | None = None
    cluster: Name | None = None
    ignore: Names | None = None

    def table_options(self) -> dict[str, Any]:
        """Return the arguments of `irmeta.import_table`."""
        ignored = [
            name.strip() for name in (self.ignore or "").split(",") if name.strip()
        ]
        return {**vars(self), "ignore": ignored}

    def label_options(self) -> dict[str, Any]:
        """Return the arguments of `irmeta.import_labels`."""
        options = self.table_options()
        others = ("metric", "score", "repeat", "cluster")
        if any(list(map(options.pop, others))):
            raise IrmetaError(
                "labels have no --metric, --score, --repeat and --cluster: each judge's column is one of Yes and No"
            )
        return options


def _names_by_task(texts: list[str] | None, option: str) -> dict[str, list[str]]:
    """Return the names by task of texts as TASK=NAME,NAME; option : names them in errors."""
    chosen = {}
    for text in texts or []:
        task, equals, names = text.rpartition("=")
        if not equals or not task or not names:
            raise IrmetaError(
                f"{option} {text!r}: expected a task and what to average, as in STS17=en-en,es-es"
            )
        chosen[task] = [name.strip() for name in names.split(",")]
    return chosen


@dataclass(frozen=True, kw_only=True)
class MtebParts:
    """What the score of a task of MTEB is the mean of, where it is not as mteb has it.

    benchmark : a benchmark, as 'MTEB(eng, v2)': its tasks, with its splits and subsets
    splits : the splits of a task that are averaged; once for each task; by default mteb's
    subsets : the subsets of a task that are averaged; once for each task; by default mteb's
    """

    panel: ClassVar[str] = MTEB

    benchmark: Name | None = None
    splits: Annotated[list[str] | None, option(metavar="TASK=NAMES")] = None
    subsets: Annotated[list[str] | None, option(metavar="TASK=NAMES")] = None

    def mteb_options(self) -> dict[str, Any]:
        """Return the arguments of `irmeta.import_mteb`."""
        return {
            "benchmark": self.benchmark,
            "splits": _names_by_task(self.splits, "--splits"),
            "subsets": _names_by_task(self.subsets, "--subsets"),
        }


@dataclass(frozen=True, kw_only=True)
class Items:
    """How systems and clusters of items are named, where programs evaluate language models.

    names : what systems are called by; by default model
    cluster_by : the field of an item that names its cluster, as the document that questions are on
    """

    panel: ClassVar[str] = ITEMS

    names: NamedBy | None = None
    cluster_by: Name | None = None

    def item_options(self) -> dict[str, Any]:
        """Return the arguments of `irmeta.import_inspect` that were given."""
        return {name: value for name, value in vars(self).items() if value is not None}


@app.command(name="import")
def import_scores(
    output: Output,
    columns: TableColumns,
    averaged: MtebParts,
    items: Items,
    kind: Annotated[TableKind | None, argument()] = None,
    files: Annotated[list[str] | None, argument()] = None,
    rows: Rows | None = None,
    topics: Names | None = None,
    collection: Name | None = None,
    append: bool = False,
    replace: bool = False,
    remove: Names | None = None,
    quiet: Quiet = False,
) -> None:
    """Make a score file from scores that exist already.

    output : the score file to write
    kind : what the files hold
    files : the files, or folders, globs or URLs of them
    rows : what the rows of a matrix or of a wide table are
    topics : for matrix: the names of the topics, in order, as in 401-450; by default the file's
    collection : name of the collection; not for systemwise tables; by default "collection"; for table and mteb the name
        of the file or folder
    append : add to a score file that exists: to the collection that shares models or tasks, or as a new one
    replace : with --append: where scores differ, take the new ones
    remove : systems to remove from the score file, in place of KIND and FILES; separated by commas

    irmeta import table results.csv -o results.parquet

    irmeta import mteb results/ --benchmark 'MTEB(eng, v2)' -o results.parquet

    irmeta import table new.csv -o results.parquet --append # a model or a task more

    irmeta import --remove old-model -o results.parquet # a model less

    irmeta import trec_eval out/*.txt -o scores.parquet

    irmeta import matrix AP.csv P@10.csv --rows topics -o scores.parquet

    irmeta import nuggets people.jsonl -o judges.parquet

    irmeta import inspect logs/ -o scores.parquet
    """
    from irmeta.io.formats.scores import require_score_file, save
    from irmeta.io.tables import adding
    from irmeta.scores.groups.clusters import unused_column_notes
    from irmeta.scores.result import describe
    from irmeta.scores.tables.units import unit_doubts

    if remove is not None:
        if kind is not None:
            raise IrmetaError(
                "--remove takes no KIND and FILES; remove first, then add with --append"
            )
        _say_sizes(output, adding.remove(remove, output), quiet=quiet)
        return
    if kind is None or not files:
        raise IrmetaError(
            "import needs KIND and FILES; irmeta import --help says what it takes"
        )
    if replace and not append:
        raise IrmetaError("--replace needs --append")
    refuse_overwriting(output, append=append)
    require_score_file(output)
    try:
        cubes = _read_cubes(
            kind, files, columns, averaged, items, rows, topics, collection
        )
    except IrmetaError as error:
        hint = import_hint(files)
        if not hint or f"irmeta import {kind} " in hint:
            raise
        raise FileFormatError(hint) from error
    if append:
        named = collection is not None or kind in _NAMING_COLLECTIONS
        changed = adding.add(cubes, output, named=named, replace=replace)
    else:
        save(cubes, output, new=True)
        changed = {name: adding.Changed(cube, None) for name, cube in cubes.items()}
    _say_sizes(output, changed, quiet=quiet)
    notes: list[str] = []
    for facts in map(describe, cubes.values()):
        notes += unused_column_notes(facts)
        for of in ("notes", PRINTED, DOUBTS):
            notes += facts.get(of, [])
    notes += unit_doubts({name: change.scores for name, change in changed.items()})
    for note in dict.fromkeys(notes):
        say_note(note, quiet=quiet)


def _say_sizes(output: Path, changed: "dict[str, Changed]", *, quiet: bool) -> None:
    """Say of each collection that changed what is new, and what it has now."""
    written = sum(change.scores.size > 0 for change in changed.values())
    if len(changed) > 1:
        say_wrote(output, counted(written, "collection"), quiet=quiet)
    for name, (scores, news) in changed.items():
        if not scores.size:
            say(folded(f"{name}: {news}; gone from {output}"), quiet=quiet)
            continue
        sizes = ", ".join(counted(size, str(dim)) for dim, size in scores.sizes.items())
        lead = "" if news is None else f"{news}; now "
        message = f"{name}: {lead}{sizes}{_missing_scores(scores)}"
        if len(changed) > 1:
            say(folded(message), quiet=quiet)
        else:
            say_wrote(output, message, quiet=quiet)


def _missing_scores(cube: "xr.DataArray") -> str:
    """Say how many scores are missing, where some are."""
    missing = int(cube.isnull().sum())
    return f"; {missing:,} of {cube.size:,} scores missing" if missing else ""


def _read_cubes(
    kind: TableKind,
    files: list[str],
    columns: TableColumns,
    averaged: MtebParts,
    items: Items,
    rows: Rows | None,
    topics: str | None,
    collection: str | None,
) -> "dict[str, xr.DataArray]":
    """Read the cubes of files of one kind by collection name, as irmeta's function for this kind does."""
    single = kind in ("table", "mteb", "labels")
    if single and len(files) > 1:
        raise IrmetaError(f"import one {kind} at a time; add the next with --append")
    options: dict[str, Any] = {} if collection is None else {"collection": collection}
    match kind:
        case "table":
            options |= {"rows": rows, **columns.table_options()}
        case "mteb":
            options |= averaged.mteb_options()
        case "matrix":
            options |= _matrix_options(rows, topics)
        case "labels":
            options = columns.label_options()
        case "helm" if items.cluster_by:
            raise IrmetaError(
                "--cluster-by: instances of HELM have no fields that name clusters"
            )
        case "inspect" | "lm-eval" | "promptfoo" | "deepeval" | "helm" | "eee":
            options |= items.item_options()
        case "systemwise":
            options = {}
    read = getattr(irmeta, f"import_{kind.replace('-', '_')}")
    scores = read(files[0] if single else files, **options)
    if isinstance(scores, Mapping):
        return dict(scores)
    return {str(scores.attrs["collection"]): scores}


def _matrix_options(rows: Rows | None, topics: str | None) -> dict[str, Any]:
    """Return the arguments of `irmeta.import_matrix`."""
    from irmeta.io.tables.matrices import topic_range

    if rows is None:
        raise IrmetaError(
            "a matrix does not say what its rows are; add --rows topics or --rows systems"
        )
    return {"rows": rows, "topics": topic_range(topics) if topics else None}
