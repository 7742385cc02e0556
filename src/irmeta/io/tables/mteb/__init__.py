"""Results of MTEB, as its evaluations write them, as a cube of models and tasks."""

from irmeta.io.tables.mteb.board import import_mteb

__all__ = ["import_mteb"]
