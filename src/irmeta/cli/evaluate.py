"""`irmeta evaluate`, `irmeta validate` and `irmeta import`: from files to scores."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from irmeta.attributes import about
from irmeta.cli.app import Cluster, Format, Output, Quiet, TableName, app
from irmeta.cli.output import counting, emit, engine, form_of, refuse_overwriting, say
from irmeta.errors import IrmetaError

if TYPE_CHECKING:
    from irmeta.evaluation.archive import Options, Written
    from irmeta.io.trec import Reading

Runs = Annotated[
    list[str],
    typer.Argument(help="Run files, folders (with all beneath them), globs or URLs; a file's name is its system's."),
]
MissingTag = Annotated[bool, typer.Option("--allow-missing-tag", help="Take run lines of 5 fields.")]
ExtraColumns = Annotated[bool, typer.Option("--extra-columns", help="Ignore fields after the sixth of a run line.")]
SkipHeader = Annotated[bool, typer.Option("--skip-header", help="Skip a header line.")]
AllowEmpty = Annotated[bool, typer.Option("--allow-empty", help="Take an empty run: it scores 0.")]
Dedup = Annotated[
    Literal["error", "first", "best"], typer.Option(help="A document twice in a list: stop, or keep which one.")
]
QrelsFormat = Annotated[
    Literal["trec", "beir"], typer.Option(help="trec: topic 0 document grade; beir: a table with a header.")
]


@app.command()
def evaluate(
    qrels: Annotated[str, typer.Argument(help="Relevance judgments: topic, iteration, document, grade.")],
    runs: Runs,
    metrics: Annotated[
        list[str] | None,
        typer.Option("-m", "--metrics", "--metric", help="Metrics, as in 'AP nDCG@20 RBP(p=0.8)'; can be repeated."),
    ] = None,
    metric_set: Annotated[
        Literal["seeds23"], typer.Option(help="A named set of metrics, used where -m is not.")
    ] = "seeds23",
    output: Output = None,
    append: Annotated[bool, typer.Option("--append", help="Add the collection to a score file that exists.")] = False,
    collection: Annotated[
        str | None, typer.Option(help="What to call the collection.", show_default="the qrels file's name")
    ] = None,
    topics: Annotated[
        Literal["qrels", "common"],
        typer.Option(help="qrels: every judged topic, one a run misses scores 0; common: those that all runs have."),
    ] = "qrels",
    score_precision: Annotated[
        Literal["float64", "float32"], typer.Option(help="float32 orders documents as trec_eval 9 and pytrec_eval do.")
    ] = "float64",
    on_error: Annotated[
        Literal["stop", "skip"], typer.Option(help="A run that cannot be read: stop, or go on without it.")
    ] = "stop",
    allow_missing_tag: MissingTag = False,
    extra_columns: ExtraColumns = False,
    skip_header: SkipHeader = False,
    allow_empty: AllowEmpty = False,
    dedup: Dedup = "error",
    qrels_format: QrelsFormat = "trec",
    cluster: Cluster = None,
    form: Format = None,
    table: TableName = None,
    quiet: Quiet = False,
) -> None:
    """Score runs against relevance judgments.

    With -o scores.parquet every score goes to a score file, which the other commands read; else the system means are
    printed (--table scores: every score). What is finished of a long evaluation stands in .scores.parquet.parts; after
    an interruption the same command goes on from there.

    irmeta evaluate qrels.txt runs/ -o scores.parquet

    irmeta evaluate qrels.txt 'runs/*.gz' -m "AP nDCG@20 RBP(p=0.8)" --format csv

    irmeta evaluate qrels.txt 's3://archive/runs/*.gz' -o scores.parquet --cluster tcp://scheduler:8786
    """
    from irmeta.evaluation.engine import evaluate as compute
    from irmeta.studies.evaluation import evaluation

    to_score_file = output is not None and output.suffix == ".parquet"
    if to_score_file and (form or table):
        raise IrmetaError(
            f"{output} is a score file, which holds every score; --format and --table go with other files"
        )
    if append and not to_score_file:
        raise IrmetaError("--append adds a collection to a score file: -o FILE.parquet")
    if Path(qrels).is_dir():
        raise IrmetaError(f"{qrels} is a folder; the judgments come first, then the runs")
    form = form or ("table" if to_score_file else form_of(output))
    refuse_overwriting(output, append=append)
    options: Options = {
        "collection": collection,
        "score_precision": score_precision,
        "topics": topics,
        "reading": _reading(
            allow_missing_tag=allow_missing_tag,
            extra_columns=extra_columns,
            skip_header=skip_header,
            allow_empty=allow_empty,
            dedup=dedup,
            qrels_format=qrels_format,
        ),
        "on_error": on_error,
    }
    wanted = metrics or metric_set
    with engine(cluster, quiet=quiet), counting("evaluating", quiet=quiet) as progress:
        if output is not None and to_score_file:
            written = _written(output, quiet, qrels, runs, wanted, append=append, progress=progress, **options)
            notes = written.about["attributes"]["notes"]
        else:
            cube = compute(qrels, runs, wanted, progress=progress, **options)
            notes = about(cube)["notes"]
    for note in notes:
        say(f"note: {note}", quiet=quiet and not note.startswith("left out"))
    if to_score_file:
        sizes = ", ".join(f"{len(names)} {dim}s" for dim, names in written.about["names"].items())
        kept = f" ({written.kept} systems were evaluated before)" if written.kept else ""
        say(f"wrote {output}: {sizes}{kept}", quiet=quiet)
    else:
        table = table or ("means" if form == "table" else None)
        emit(evaluation(cube), form=form, output=output, table=table, notes=False)


def _written(output: Path, quiet: bool, *given: Any, **options: Any) -> "Written":
    """Evaluate to a score file; say where one goes on that was interrupted, and where an interrupted one may go on."""
    from irmeta.evaluation.archive import evaluate_to, finished, parts_of

    if finished(output):
        say(f"going on with what is finished, in {parts_of(output)}", quiet=quiet)
    try:
        return evaluate_to(output, *given, **options)
    except BaseException:
        if finished(output):
            say(f"what is finished stands in {parts_of(output)}; the same command goes on from there", quiet=quiet)
        raise


@app.command()
def validate(
    runs: Runs,
    qrels: Annotated[str | None, typer.Option(help="Judgments that the runs should fit.")] = None,
    allow_missing_tag: MissingTag = False,
    extra_columns: ExtraColumns = False,
    skip_header: SkipHeader = False,
    allow_empty: AllowEmpty = False,
    dedup: Dedup = "error",
    qrels_format: QrelsFormat = "trec",
    cluster: Cluster = None,
    output: Output = None,
    form: Format = None,
    table: TableName = None,
    quiet: Quiet = False,
) -> None:
    """Check run files and judgments, and evaluate nothing; exits with 1 if something is an error.

    irmeta validate runs/ --qrels qrels.txt
    """
    from irmeta.studies.validation import findings
    from irmeta.studies.validation import validate as check

    with engine(cluster, quiet=quiet), counting("checking", quiet=quiet) as progress:
        outcome = check(
            runs,
            qrels,
            reading=_reading(
                allow_missing_tag=allow_missing_tag,
                extra_columns=extra_columns,
                skip_header=skip_header,
                allow_empty=allow_empty,
                dedup=dedup,
                qrels_format=qrels_format,
            ),
            progress=progress,
        )
    emit(outcome, form=form or form_of(output), output=output, table=table, findings=findings(outcome))
    sys.exit(int("error" in outcome["level"].values))


@app.command(name="import")
def import_scores(
    kind: Annotated[
        Literal["trec_eval", "matrix", "systemwise"],
        typer.Argument(
            help="trec_eval: what trec_eval -q prints, a file a system; matrix: CSV of topics and systems, a file a "
            "metric (P@10.csv); systemwise: CSV with a row a system and a column a metric, a file a collection."
        ),
    ],
    files: Annotated[list[str], typer.Argument(help="The files, or folders, globs or URLs of them.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The score file to write.")],
    rows: Annotated[
        Literal["topics", "systems"] | None, typer.Option(help="matrix: what a row is; the columns are the other.")
    ] = None,
    topics: Annotated[
        str | None,
        typer.Option(help="matrix: names for the topics, in order, as in 401-450.", show_default="the file's"),
    ] = None,
    collection: Annotated[
        str,
        typer.Option(help="trec_eval, matrix: what to call the collection; a systemwise table is named by its file."),
    ] = "collection",
    append: Annotated[bool, typer.Option("--append", help="Add to a score file that exists.")] = False,
    quiet: Quiet = False,
) -> None:
    """Make a score file of scores that exist already.

    irmeta import trec_eval out/*.txt -o scores.parquet

    irmeta import matrix AP.csv P@10.csv --rows topics -o scores.parquet

    irmeta import systemwise wt2012.csv -o scores.parquet
    """
    from irmeta.io import importers
    from irmeta.io.scores import save

    refuse_overwriting(output, append=append)
    if output.suffix != ".parquet":
        raise IrmetaError(f"{output}: a score file is named .parquet")
    if kind == "matrix" and rows is None:
        raise IrmetaError("a matrix alone does not say what its rows are; add --rows topics or --rows systems")
    if kind == "trec_eval":
        cubes = {collection: importers.import_trec_eval(files, collection=collection)}
    elif kind == "matrix" and rows is not None:
        names = importers.topic_range(topics) if topics else None
        cubes = {collection: importers.import_matrix(files, rows=rows, topics=names, collection=collection)}
    else:
        cubes = importers.import_systemwise(files)
    save(cubes, output, append=append)
    for name, cube in cubes.items():
        say(f"{name}: {', '.join(f'{size} {dim}s' for dim, size in cube.sizes.items())}", quiet=quiet)
    for note in dict.fromkeys(note for cube in cubes.values() for note in about(cube).get("notes", [])):
        say(note, quiet=quiet)


def _reading(**options: Any) -> "Reading":
    """Make a reader's options of those of the command."""
    from irmeta.io.trec import Reading

    return Reading(**options)
