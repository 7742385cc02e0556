"""`irmeta import`: scores that exist already."""

from pathlib import Path
from typing import Annotated

import typer

from irmeta.attributes import about
from irmeta.choices import Rows, TableKind, explained
from irmeta.cli.app import app
from irmeta.cli.output import refuse_overwriting, say
from irmeta.cli.study import Quiet, option
from irmeta.errors import IrmetaError


@app.command(name="import")
def import_scores(
    kind: Annotated[TableKind, typer.Argument(help=explained(TableKind, "What the files hold."))],
    files: Annotated[list[str], typer.Argument(help="The files, or folders, globs or URLs of them.")],
    output: Annotated[Path, option("-o", "--output", help="The score file to write.")],
    rows: Annotated[Rows | None, option(help=explained(Rows, "Which way round a matrix is."))] = None,
    topics: Annotated[
        str | None,
        option(help="matrix: names for the topics, in order, as in 401-450.", show_default="the file's"),
    ] = None,
    collection: Annotated[
        str,
        option(help="What to call the collection; a systemwise table is named by its file."),
    ] = "collection",
    append: Annotated[bool, option("--append", help="Add to a score file that exists.")] = False,
    quiet: Quiet = False,
) -> None:
    """Make a score file of scores that exist already.

    irmeta import trec_eval out/*.txt -o scores.parquet

    irmeta import matrix AP.csv P@10.csv --rows topics -o scores.parquet

    irmeta import systemwise wt2012.csv -o scores.parquet

    irmeta import tot judge-a.eval.txt --collection judge-a -o judges.parquet --append
    """
    from irmeta.io import importers, lines
    from irmeta.io.scores import save

    refuse_overwriting(output, append=append)
    if output.suffix != ".parquet":
        raise IrmetaError(f"{output}: a score file is named .parquet")
    if kind == "matrix" and rows is None:
        raise IrmetaError("a matrix alone does not say what its rows are; add --rows topics or --rows systems")
    readers = {
        "trec_eval": importers.import_trec_eval,
        "ir_measures": lines.import_ir_measures,
        "tot": lines.import_tot,
        "jsonl": lines.import_jsonl,
    }
    if kind in readers:
        cubes = {collection: readers[kind](files, collection=collection)}
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
