"""Tables of scores as papers print them, in LaTeX, HTML or Markdown."""

from irmeta.io.tables.printed.cells import unmarked
from irmeta.io.tables.printed.document import is_document, part_of, printed

__all__ = ["is_document", "part_of", "printed", "unmarked"]
