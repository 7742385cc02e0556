"""irmeta: meta-evaluation for information retrieval. Importing it is cheap; each name loads its module on first use."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from irmeta.cube import means as means
    from irmeta.errors import IrmetaError as IrmetaError
    from irmeta.evaluation.engine import evaluate as evaluate
    from irmeta.io.scores import load as load
    from irmeta.io.scores import load_all as load_all
    from irmeta.io.scores import save as save
    from irmeta.report.tables import tables as tables
    from irmeta.studies.correlation import correlation as correlation
    from irmeta.studies.predictivity import predictivity as predictivity
    from irmeta.studies.validation import validate as validate

_HOME = {
    "IrmetaError": "irmeta.errors",
    "correlation": "irmeta.studies.correlation",
    "evaluate": "irmeta.evaluation.engine",
    "load": "irmeta.io.scores",
    "load_all": "irmeta.io.scores",
    "means": "irmeta.cube",
    "predictivity": "irmeta.studies.predictivity",
    "save": "irmeta.io.scores",
    "tables": "irmeta.report.tables",
    "validate": "irmeta.studies.validation",
}
__all__ = ["__version__", *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("irmeta")
    if name not in _HOME:
        raise AttributeError(f"module 'irmeta' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
