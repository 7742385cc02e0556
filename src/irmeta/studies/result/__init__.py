"""What a study returns: its answer in words, tables and a plot, and the labelled arrays beneath."""

import inspect
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import wraps
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

import xarray as xr

from irmeta import studies
from irmeta.errors import extras, in_words_of_reader
from irmeta.scores.attributes import about
from irmeta.scores.groups.clusters import unit_of
from irmeta.scores.notes import reworded
from irmeta.studies.result.labels import labelled
from irmeta.studies.result.method import method_text

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from matplotlib.figure import Figure

Taken = ParamSpec("Taken")


class _Read(str):
    """A text that a notebook shows as it is read."""

    __repr__ = str.__str__


@dataclass(frozen=True, repr=False)
class Result:
    """What `irmeta.versus` and every other study returns.

    The answer is the same in a notebook, on the terminal, on a page and in JSON.

    `result["difference"]` is `result.data["difference"]`; what else an xarray.Dataset has, as `sel` or `sizes`, is
    answered by `data`, too.

    data : the labelled arrays; `xr.concat` puts those of several results together, and Result(...) makes their answer
    """

    data: xr.Dataset

    def __getitem__(self, name: Any) -> xr.DataArray:
        return self.data[name]

    def __contains__(self, name: object) -> bool:
        return name in self.data

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.data)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if not hasattr(self.data, name):
            raise AttributeError(
                f"a result has no {name!r}; to_latex(), to_json() and to_pandas() return what a file may hold, as in "
                "pathlib.Path('table.tex').write_text(result.to_latex()); plot('figure.pdf') writes a figure"
            )
        return getattr(self.data, name)

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.startswith("_")]

    @property
    def attrs(self) -> Mapping[Hashable, Any]:
        """The facts of the result as its file keeps them; `irmeta.about` reads them."""
        return self.data.attrs

    @property
    def method(self) -> dict[str, Any]:
        """How the answer was found: study, what is independent (topic or cluster), options with the seed, inputs."""
        facts = about(self.data)
        return {
            "study": facts["study"],
            "unit": unit_of(self.data),
            "options": facts["options"],
            **facts["inputs"],
        }

    @property
    def method_text(self) -> str:
        """The same in sentences for the methods section of a paper.

        >>> import irmeta
        >>> table = {"bm25": {"1": 0.2, "2": 0.4, "3": 0.1}, "dense": {"1": 0.5, "2": 0.6, "3": 0.7}}
        >>> found = irmeta.versus(table, "dense", "bm25", test="t")
        >>> print(found.method_text)  # doctest: +ELLIPSIS, +NORMALIZE_WHITESPACE
        We used irmeta ... to compare one system with others. The scores are those of 2 systems by 1 metric on 3
        topics; none is missing. Differences between dense and 1 other system were tested by the two-sided paired t test
        over topics at level 0.05, with Holm correction.
        """
        return method_text(self.data)

    @property
    def findings(self) -> list[str]:
        """The answer in sentences, the most important first."""
        return _spoken(studies.study_of(self.data).findings(self.data))

    @property
    def warnings(self) -> list[str]:
        """What nobody should read the findings without; most results have none."""
        return _spoken(studies.warnings(self.data))

    @property
    def notes(self) -> list[str]:
        """What else these scores call for."""
        return _spoken(about(self.data)["notes"])

    @property
    def tables(self) -> "dict[str, pl.DataFrame]":
        """The tables by name, with the columns of the JSON contract; `.glimpse()` prints all columns of a wide one.

        A table that a person reads is found by its title, too, as `to_pandas` finds it.
        """
        found: dict[str, pl.DataFrame] = _report("tables").Tables(self.data)
        return found

    def plot(
        self,
        path: str | PathLike[str] | None = None,
        *,
        highlight: str | Iterable[str] | None = None,
        width: float | None = None,
        **view: Any,
    ) -> "Figure":
        """Return the figure that `--plot` draws, and write it to a path that is given.

        path : a file to write: .svg, .pdf or .png
        highlight : names to mark, a list or one text with commas, of systems or of what else the figure names
        width : in inches; as wide as the plot needs by default
        view : what to draw, as `--view` does where a study has several views: view="ranks"

        Raises ScoresError where the study has no figure, IrmetaError for another view or another kind of file.
        """
        drawn: Figure = _report("plots").figure_of(
            self.data, highlight=highlight, width=width, **view
        )
        if path is not None:
            _report("plots.figure").save(drawn, Path(path))
        return drawn

    def labelled(self, labels: Mapping[str, str] | str | PathLike[str]) -> "Result":
        """Return the result with systems and metrics called as a paper calls them, in sentences, tables and plots.

        labels : by name, or a CSV with columns system and label; others keep their names
        """
        if isinstance(labels, Mapping):
            return Result(labelled(self.data, labels))
        from irmeta.io.lists import read_labels

        return Result(labelled(self.data, read_labels(Path(labels)), str(labels)))

    def to_pandas(self, table: str | None = None) -> "pd.DataFrame":
        """Return a table as a pandas data frame: the one named, else the first."""
        report = _report("tables")
        frame: pd.DataFrame = report.frame_to_pandas(
            report.table_named(self.data, table)
        )
        return frame

    def to_json(self) -> str:
        """Return the JSON that `--format json` writes: study, inputs, options, findings, notes and tables."""
        return self._as_format("json")

    def to_latex(self, table: str | None = None) -> str:
        """Return a table in LaTeX: the one named, else the first that a person reads."""
        return self._as_format("latex", table)

    def explain(self) -> str:
        """Return all that there is to read: every table with all rows, every finding and note, and the method.

        A notebook shows the text as it is read.
        """
        return _Read(_report("screen").everything(self))

    def __str__(self) -> str:
        """Return what the terminal shows: the answer, the tables, the notes, as far as one screen goes."""
        text: str = _report("screen").screen(self, more=".explain()")
        return text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the answer, the plot, the tables, the notes."""
        html: str = _report("notebook").html(self)
        return html

    def _as_format(self, form: str, table: str | None = None) -> str:
        text: str = _report("tables").render(self.data, form, table)
        return text


def _spoken(sentences: Iterable[str]) -> list[str]:
    """Return sentences with options as the reader gives them: as arguments, unless they are typed."""
    return [reworded(one, in_words_of_reader(one)) for one in sentences]


def _report(module: str) -> Any:
    """Return a module of the room above, which shows results; it is named here, not imported, as plots are."""
    with extras():
        return import_module(f"irmeta.report.{module}")


def returning_result(function: Callable[Taken, xr.Dataset]) -> Callable[Taken, Result]:
    """Let a study that makes labelled arrays return them as a Result."""

    @wraps(function)
    def answering(*args: Taken.args, **kwargs: Taken.kwargs) -> Result:
        return Result(function(*args, **kwargs))

    shown = inspect.signature(function).replace(return_annotation=Result)
    answering.__signature__ = shown  # type: ignore[attr-defined]
    answering.__annotations__ = function.__annotations__ | {"return": Result}
    return answering
