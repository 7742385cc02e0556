"""The command line: one verb a question; each unpacks its arguments, calls one public function, and writes."""

import io
import sys

from irmeta.errors import IrmetaError


def main() -> None:
    """Run the command line: exit 0 done, 1 found problems it was asked to find, 2 wrong input or arguments."""
    from irmeta.cli import (  # noqa: F401  each module registers its verbs on `app`
        compare,
        correlate,
        datasets,
        demo,
        describe,
        evaluate,
        predict,
        predictivity,
        predictors,
        rank,
        report,
        reproduce,
        significance,
        simulate,
        standardize,
    )
    from irmeta.cli.app import app

    sys.stdout, sys.stderr = sys.stdout or io.StringIO(), sys.stderr or io.StringIO()  # closed by the caller
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a character is no reason to stop
    try:
        app()
    except IrmetaError as error:
        print(f"irmeta: {error}", file=sys.stderr)
        sys.exit(2)
