"""`irmeta evaluate`: runs and judgments to scores."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from irmeta.choices import (
    Duplicates,
    OnError,
    Precision,
    QrelsFormat,
    TopicSet,
)
from irmeta.cli.app import app, argument, option
from irmeta.cli.options import Name, Shown
from irmeta.cli.output import (
    form_of,
    refuse_overwriting,
    say,
    say_note,
    say_wrote,
    width_of,
    working,
    write,
)
from irmeta.errors import IrmetaError
from irmeta.scores.attributes import about
from irmeta.words import counted

if TYPE_CHECKING:
    from irmeta.choices import Format
    from irmeta.evaluation.archive.writing import Options, Written
    from irmeta.io.runs.trec import Reading

FILES = "Reading files"

Runs = Annotated[
    list[str],
    argument(
        help="Run files, folders (with all beneath them), globs or URLs; a file's name is its system's."
    ),
]


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


@app.command()
def evaluate(
    qrels: Annotated[str, argument()],
    runs: Runs,
    reader: Reader,
    shown: Shown,
    metrics: Annotated[
        list[str] | None, option("-m", "--metrics", "--metric", metavar="METRICS")
    ] = None,
    append: bool = False,
    replace: bool = False,
    collection: Name | None = None,
    names: Annotated[str, option(metavar="file|tag|folder|PATTERN|FILE")] = "file",
    topics: TopicSet = "qrels",
    score_precision: Precision = "float64",
    on_error: OnError = "stop",
    drop_copies: bool = False,
    drop_empty: bool = False,
) -> None:
    """Score runs against relevance judgments.

    With -o scores.parquet every score is kept; without it the means are printed.

    The other commands read such a score file. Without one --table scores prints every score. If a long evaluation is
    interrupted, the same command continues it: what is finished is kept in .scores.parquet.parts.

    qrels : relevance judgments: topic, iteration, document, grade
    metrics : metrics, as in 'AP nDCG@20 RBP(p=0.8)'; can be repeated; by default seeds23, the 23 of Gupta et al.
        (2019), or with --append those of the file
    append : add to a score file that exists: a new collection, or new runs to a collection
    replace : with --append: replace runs of the same name
    collection : name of the collection; by default as the qrels file, or its folder
    names : where system names come from: file, the name of the run file; tag, the last field of its lines; folder,
        those of its folder and file, as e5_1 of e5/1.run, which --repeats stem then takes for a run of e5; a pattern
        says the same of other paths, as '{system}-seed{repeat}.run'; or a CSV file with a run file and its system's
        name on each line, and which run of it this is if there are several; others keep their file's name
    topics : the topics to score
    score_precision : the precision of the scores that order documents
    on_error : what to do with a run that cannot be read
    drop_copies : leave out runs that rank as an earlier one on every topic
    drop_empty : leave out runs that retrieve nothing

    irmeta evaluate qrels.txt runs/ -o scores.parquet

    irmeta evaluate qrels.txt my.run -o scores.parquet --append

    irmeta evaluate qrels.txt 'runs/*.gz' -m "AP nDCG@20 RBP(p=0.8)" --format csv

    irmeta evaluate qrels.txt 's3://archive/runs/*.gz' -o scores.parquet --workers tcp://scheduler:8786
    """
    to_score_file = shown.output is not None and shown.output.suffix == ".parquet"
    if to_score_file and (shown.form or shown.table or shown.plot):
        raise IrmetaError(
            f"{shown.output} is a score file, which holds every score; --format, --table and --plot do not go with it"
        )
    if append and not to_score_file:
        raise IrmetaError("--append adds a collection to a score file: -o FILE.parquet")
    if replace and not append:
        raise IrmetaError(
            "--replace needs --append: it replaces runs in a score file that exists"
        )
    if to_score_file and not append and shown.output and shown.output.exists():
        raise IrmetaError(_how_to_add(shown.output))
    refuse_overwriting(shown.output, append=append)
    options: Options = {
        "collection": collection,
        "score_precision": score_precision,
        "topics": topics,
        "reading": reader.reading(),
        "on_error": on_error,
        "drop_copies": drop_copies,
        "drop_empty": drop_empty,
    }
    given: Any = runs
    if names != "file":
        from irmeta.evaluation.sources import renamed

        given = renamed(runs, names)
    if shown.output is not None and to_score_file:
        with working(shown.workers, quiet=shown.quiet):
            written = _written(
                shown.output,
                shown.quiet,
                qrels,
                given,
                metrics,
                append=append,
                replace=replace,
                **options,
            )
        _remark(written.about["attributes"]["notes"], quiet=shown.quiet)
        sizes = ", ".join(
            counted(len(names), dim) for dim, names in written.about["names"].items()
        )
        if written.kept:
            kept = f" ({counted(written.kept, 'system')} evaluated before)"
        else:
            kept = ""
        name = written.about["attributes"]["collection"]
        if collection:
            called = ""
        elif written.added:
            called = f" (collection {name}, which has these judgments; --collection names another)"
        else:
            called = f" (collection {name}; --collection names it)"
        say_wrote(shown.output, f"{sizes}{called}{kept}", quiet=shown.quiet)
        if names == "folder" or "{system}" in names:
            say(
                "the other commands take the runs of a system together with --repeats stem",
                quiet=shown.quiet,
            )
    else:
        _print(shown, qrels, given, metrics or "seeds23", options)


def _print(
    shown: Shown, qrels: str, runs: Any, wanted: Any, options: "Options"
) -> None:
    """Evaluate, and write the means or the scores instead of a score file."""
    form = shown.form or form_of(shown.output)
    if form == "table" and shown.table in (None, "means"):
        made = _means(shown, qrels, runs, wanted, options)
    else:
        made = _rendered(shown, form, qrels, runs, wanted, options)
    write(made, shown.output)


def _means(shown: Shown, qrels: str, runs: Any, wanted: Any, options: "Options") -> str:
    """Return the means as text, and say the notes; no cube or frame is made of the scores, since that takes longer."""
    from irmeta.evaluation.engine import Evaluation
    from irmeta.metrics.values import means
    from irmeta.report.forms import column_texts, draw_columns

    with working(shown.workers, quiet=shown.quiet):
        work = Evaluation.of(qrels, runs, wanted, **options)
        scored = replace(work, task=replace(work.task, digested=False)).scored()
    _remark(scored.provenance["notes"], quiet=shown.quiet)
    # four decimals, as trec_eval has
    columns = {
        metric: column_texts(found, 4)
        for metric, found in zip(
            scored.metrics, means(scored.scores, scored.metrics).T.tolist(), strict=True
        )
    }
    return draw_columns(
        {"system": scored.systems, **columns},
        scored.metrics,
        "means",
        width=width_of(shown.output),
    )


def _rendered(
    shown: Shown, form: "Format", qrels: str, runs: Any, wanted: Any, options: "Options"
) -> str:
    """Return any table in any form, and say the notes."""
    from irmeta.evaluation.engine import evaluate as compute
    from irmeta.report.tables import render
    from irmeta.studies.checks.evaluation import evaluation

    with working(shown.workers, quiet=shown.quiet):
        result = evaluation(compute(qrels, runs, wanted, **options))
    _remark(about(result)["notes"], quiet=shown.quiet)
    return render(result, form, shown.table, width=width_of(shown.output))


def _remark(notes: list[str], *, quiet: bool) -> None:
    """Say the notes on stderr; that something was left out is said even to those who want quiet."""
    for note in notes:
        say_note(note, quiet=quiet and not note.startswith("left out"))


def _written(output: Path, quiet: bool, *given: Any, **options: Any) -> "Written":
    """Evaluate to a score file; say where an interrupted evaluation continues, and where this one may."""
    from irmeta.evaluation.archive.writing import evaluate_to, finished_parts, parts_of

    if finished_parts(output):
        say(f"continuing with what is finished, in {parts_of(output)}", quiet=quiet)
    try:
        return evaluate_to(output, *given, **options)
    except BaseException:
        if finished_parts(output):
            say(
                f"what is finished is kept in {parts_of(output)}; the same command continues from there",
                quiet=quiet,
            )
        raise


def _how_to_add(path: Path) -> str:
    """Say how to add to a score file that exists: runs, by its metrics, to its collection, or another collection."""
    from irmeta.io.formats.scores import read_descriptions

    name = next(iter(read_descriptions(path)))
    return (
        f"{path} exists; --append adds runs to its collection {name!r} (--replace, too, for runs that it has), "
        "`--append --collection NAME` another collection; or choose another name for the file"
    )
