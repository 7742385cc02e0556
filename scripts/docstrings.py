"""Docstrings as Markdown: doctests become code blocks, lines that explain an argument become a list."""

import re
from typing import Any

import griffe

DOCTEST = re.compile(r"^>>> .*?(?=^\s*$|\Z)", re.MULTILINE | re.DOTALL)
ARGUMENT = re.compile(
    r"(?:^|(?<=\. )|(?<=\.  ))(\w+(?:(?:, | and )\w+)*) : ", re.MULTILINE
)


class Markdown(griffe.Extension):
    """Writes our docstrings so that Markdown shows them as they are meant."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of an object, if it has one."""
        if obj.docstring is not None:
            fenced = DOCTEST.sub(
                lambda found: f"```pycon\n{found[0].rstrip()}\n```\n",
                obj.docstring.value,
            )
            obj.docstring.value = ARGUMENT.sub(r"\n- `\1`: ", fenced)
