"""What irmeta raises when the user's input is wrong; every message says what, where, and what to do."""


class IrmetaError(Exception):
    """The user's input or arguments are wrong; the command line prints the message and exits with 2."""


class FileFormatError(IrmetaError):
    """A run, qrels or score file cannot be read as what it should be."""


class MetricError(IrmetaError):
    """A metric name is unknown or its parameters do not fit."""


class ScoresError(IrmetaError):
    """A cube of scores lacks what a study needs, or an option does not fit it."""
