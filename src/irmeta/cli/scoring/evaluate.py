"""`irmeta evaluate`: runs and judgments to scores."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from irmeta.choices import (
    OnError,
    Precision,
    TopicSet,
)
from irmeta.cli.app import app, argument, option
from irmeta.cli.options import Name, Outputs, Reader
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

Runs = Annotated[
    list[str],
    argument(
        help="Run files, folders (with all beneath them), globs or URLs; a file's name is its system's."
    ),
]


@app.command()
def evaluate(
    qrels: Annotated[str, argument()],
    runs: Runs,
    reader: Reader,
    outputs: Outputs,
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
    append : add to a score file that exists: a new collection, or new runs to a collection, by its metrics
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
    score_file = _score_file(outputs, append=append, replace=replace)
    options: Options = {
        "collection": collection,
        "score_precision": score_precision,
        "topics": topics,
        "reading": reader.reading(),
        "on_error": on_error,
        "drop_copies": drop_copies,
        "drop_empty": drop_empty,
    }
    sources: Any = runs
    if names != "file":
        from irmeta.evaluation.sources import renamed

        sources = renamed(runs, names)
    if score_file is None:
        _write_tables(outputs, qrels, sources, metrics or "seeds23", options)
        return
    data = (qrels, sources, metrics)
    added: dict[str, Any] = {"append": append, "replace": replace, **options}
    with working(outputs.workers, quiet=outputs.quiet):
        written = _evaluate_to_file(score_file, *data, quiet=outputs.quiet, **added)
    _say_notes(written.notes, quiet=outputs.quiet)
    say_wrote(score_file, _contents(written, collection), quiet=outputs.quiet)
    if names == "folder" or "{system}" in names:
        say(
            "the other commands take the runs of a system together with --repeats stem",
            quiet=outputs.quiet,
        )


def _score_file(outputs: Outputs, *, append: bool, replace: bool) -> Path | None:
    """Return the score file to write, None for tables; refuse options that do not go with what is written."""
    path = outputs.output
    is_score_file = path is not None and path.suffix == ".parquet"
    if is_score_file and (outputs.form or outputs.table or outputs.plot):
        raise IrmetaError(
            f"{path} is a score file, which holds every score; --format, --table and --plot do not go with it"
        )
    if append and not is_score_file:
        raise IrmetaError("--append adds a collection to a score file: -o FILE.parquet")
    if replace and not append:
        raise IrmetaError(
            "--replace needs --append: it replaces runs in a score file that exists"
        )
    if path is not None and is_score_file and not append and path.exists():
        raise IrmetaError(_how_to_add(path))
    refuse_overwriting(path, append=append)
    return path if is_score_file else None


def _contents(written: "Written", collection: str | None) -> str:
    """Say what a score file now has of a collection, and how that is called where the user gave no name."""
    names = written.about["names"]
    sizes = ", ".join(counted(len(own), dim) for dim, own in names.items())
    name = written.about["attributes"]["collection"]
    called = kept = ""
    if written.kept:
        kept = f" ({counted(written.kept, 'system')} evaluated before)"
    if not collection and written.added:
        called = f" (collection {name}, which has these judgments; --collection names another)"
    elif not collection:
        called = f" (collection {name}; --collection names it)"
    return f"{sizes}{called}{kept}"


def _write_tables(
    outputs: Outputs, qrels: str, runs: Any, metrics: Any, options: "Options"
) -> None:
    """Evaluate, and write the means or the scores instead of a score file."""
    form = outputs.form or form_of(outputs.output)
    if form == "table" and outputs.table in (None, "means"):
        text = _means_text(outputs, qrels, runs, metrics, options)
    else:
        text = _table_text(outputs, form, qrels, runs, metrics, options)
    write(text, outputs.output)


def _means_text(
    outputs: Outputs, qrels: str, runs: Any, metrics: Any, options: "Options"
) -> str:
    """Return the means as text, and say the notes; no cube or frame is made of the scores, since that takes longer."""
    from irmeta.evaluation.engine import Evaluation
    from irmeta.metrics.values import means
    from irmeta.report.forms import column_texts, draw_columns

    with working(outputs.workers, quiet=outputs.quiet):
        work = Evaluation.of(qrels, runs, metrics, **options)
        scored = replace(work, task=replace(work.task, digested=False)).scored()
    _say_notes(scored.provenance["notes"], quiet=outputs.quiet)
    columns = {"system": scored.systems}
    values = means(scored.scores, scored.metrics).T.tolist()
    for metric, column in zip(scored.metrics, values, strict=True):
        # four decimals, as trec_eval has
        columns[metric] = column_texts(column, 4)
    width = width_of(outputs.output)
    return draw_columns(columns, scored.metrics, "means", width=width)


def _table_text(
    outputs: Outputs,
    form: "Format",
    qrels: str,
    runs: Any,
    metrics: Any,
    options: "Options",
) -> str:
    """Return any table in any form, and say the notes."""
    from irmeta.evaluation.engine import evaluate as compute
    from irmeta.report.tables import render
    from irmeta.studies.checks.evaluation import evaluation

    with working(outputs.workers, quiet=outputs.quiet):
        result = evaluation(compute(qrels, runs, metrics, **options))
    _say_notes(about(result)["notes"], quiet=outputs.quiet)
    return render(result, form, outputs.table, width=width_of(outputs.output))


def _say_notes(notes: Iterable[str], *, quiet: bool) -> None:
    """Say the notes on stderr; that something was left out is said even to those who want quiet."""
    for note in notes:
        say_note(note, quiet=quiet and not note.startswith("left out"))


def _evaluate_to_file(
    output: Path, *data: Any, quiet: bool, **options: Any
) -> "Written":
    """Evaluate to a score file; say where an interrupted evaluation continues, and where this one may."""
    from irmeta.evaluation.archive.writing import evaluate_to, finished_parts, parts_of

    if finished_parts(output):
        say(f"continuing with what is finished, in {parts_of(output)}", quiet=quiet)
    try:
        return evaluate_to(output, *data, **options)
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
        "`--append --collection NAME` another collection; to evaluate all again, remove it or choose another name"
    )
