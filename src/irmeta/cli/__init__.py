"""The command line: one verb a question; each unpacks its arguments, calls one public function, and writes."""

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

    try:
        app()
    except IrmetaError as error:
        print(f"irmeta: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("irmeta: interrupted; no output file was left half written", file=sys.stderr)
        sys.exit(130)
