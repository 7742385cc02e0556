"""`irmeta export`: scores for spreadsheets, pandas and R."""

from pathlib import Path
from typing import Annotated

from irmeta.cli.app import app, option
from irmeta.cli.options import Held, Quiet
from irmeta.cli.output import say
from irmeta.errors import IrmetaError


@app.command()
def export(
    held: Held,
    wide: Annotated[
        bool,
        option(
            "--wide",
            help="One row per system and one column per topic, instead of one row per score.",
        ),
    ] = False,
    output: Annotated[
        Path | None,
        option(
            "-o",
            "--output",
            help="The file: .csv or .parquet.",
            show_default="standard output",
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Write the scores of a score file as a plain table.

    irmeta export scores.parquet --wide --metric AP -o ap.csv

    irmeta export scores.parquet -o scores.csv
    """
    from irmeta.cli.output import write
    from irmeta.io import scores
    from irmeta.io.outputs import writing
    from irmeta.io.tables import spreadsheet

    cube = held.cube()
    frame = spreadsheet.wide(cube) if wide else scores.to_frame(cube)
    if output is None or output.suffix == ".csv":
        write(spreadsheet.written(frame), output)
    elif output.suffix == ".parquet":
        with writing(output) as part:
            frame.write_parquet(part)
    else:
        raise IrmetaError(f"{output}: tables are written as .csv or .parquet")
    if output is not None:
        say(f"{output}: {frame.height} rows, {frame.width} columns", quiet=quiet)
