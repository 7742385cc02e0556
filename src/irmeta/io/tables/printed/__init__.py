"""Tables of scores as papers print them, in LaTeX, HTML or Markdown."""

from irmeta.io.tables.printed.cells import without_marks
from irmeta.io.tables.printed.document import is_document, read_document, split_fragment

__all__ = ["is_document", "read_document", "split_fragment", "without_marks"]
