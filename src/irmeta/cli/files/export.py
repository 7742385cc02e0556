"""`irmeta export`: scores for spreadsheets, pandas and R, and for Every Eval Ever."""

from pathlib import Path

import irmeta
from irmeta.choices import ExportKind, Missing
from irmeta.cli.app import app
from irmeta.cli.options import MissingScores, OneFile, Output, Quiet
from irmeta.cli.output import say_note, say_wrote
from irmeta.errors import IrmetaError
from irmeta.words import counted


@app.command()
def export(
    file: OneFile,
    wide: bool = False,
    to: ExportKind = "table",
    missing: MissingScores = "error",
    output: Output | None = None,
    quiet: Quiet = False,
) -> None:
    """Write the scores of a score file as a plain table, or as records of Every Eval Ever.

    wide : one row per system and one column per topic, instead of one row per score
    to : what to write
    output : the file, .csv or .parquet; for eee the folder; by default standard output

    irmeta export scores.parquet --wide --metric AP -o ap.csv

    irmeta export scores.parquet -o scores.csv

    irmeta export scores.parquet --to eee -o data/
    """
    if to == "eee":
        _write_records(file, missing, output, quiet=quiet, wide=wide)
        return
    if missing != "error":
        raise IrmetaError(
            "--missing is for --to eee; a table has no rows for missing scores"
        )
    from irmeta.cli.output import write
    from irmeta.io.formats import scores
    from irmeta.io.outputs import writing
    from irmeta.io.tables import spreadsheet

    cube = file.cube()
    if "estimated" in irmeta.about(cube):
        say_note(
            "these are what topics add to an estimate, which other programs take for scores of topics",
            quiet=quiet,
        )
    frame = spreadsheet.wide(cube) if wide else scores.to_frame(cube)
    if output is None or output.suffix == ".csv":
        # for a terminal as a spreadsheet should read it; a file is for programs, and holds names exactly
        text = spreadsheet.safe_csv(frame) if output is None else frame.write_csv()
        write(text, output)
    elif output.suffix == ".parquet":
        with writing(output) as part:
            frame.write_parquet(part)
    else:
        raise IrmetaError(f"{output}: tables are written as .csv or .parquet")
    if output is not None:
        sizes = f"{frame.height} rows, {frame.width} columns"
        say_wrote(output, sizes, quiet=quiet)


def _write_records(
    file: OneFile, missing: Missing, output: Path | None, *, quiet: bool, wide: bool
) -> None:
    """Write records of Every Eval Ever into a folder."""
    from irmeta.studies.differences.eee import export_eee

    if output is None or output.suffix or wide:
        raise IrmetaError(
            "--to eee writes a folder of records: name it with -o, as in -o data/, and leave out --wide"
        )
    written = export_eee(file.cube(), output, missing=missing)
    say_wrote(output, counted(len(written), "record"), quiet=quiet)
