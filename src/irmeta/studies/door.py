"""What stands at the door of a public function: every argument is held once against its signature."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, wraps
from importlib import import_module
from math import isfinite
from os import PathLike
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    NamedTuple,
    ParamSpec,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np
import xarray as xr

from irmeta.choices import entries
from irmeta.errors import (
    IrmetaError,
    ScoresError,
    as_names,
    extras,
    is_list,
    kinds_of,
    once,
    require_choice,
    require_fitting,
)
from irmeta.io.formats.schemas import Attributes
from irmeta.io.places import expand_home
from irmeta.io.strictly import number_or_nan, require_schema, whole
from irmeta.metrics.names import is_known, metric_names, nearest, split
from irmeta.parallel import seed, seeded, single_threaded
from irmeta.scores.attributes import about, recorded
from irmeta.scores.cube import check
from irmeta.scores.cubes import by_name
from irmeta.scores.groups.teams import EACH, STEM, Groups, source_of_groups
from irmeta.scores.selection import of_metric
from irmeta.scores.tables.objects import is_frame
from irmeta.studies.result import Result
from irmeta.words import joined, listed, shortened

Taken = ParamSpec("Taken")
Returned = TypeVar("Returned")


def typed_name(name: str) -> str:
    """Return what messages call a parameter: an option, as --top-on or -k, of which they say `top_on=` in Python.

    >>> typed_name("top_on"), typed_name("k")
    ('--top-on', '-k')
    """
    return f"-{name}" if len(name) == 1 else f"--{name.replace('_', '-')}"


_LONGEST = 10_000
"""The most numbers that a range stands for: more are a slip."""
_CHOSEN = ("systems", "topics", "metrics")
"""What `irmeta.select` keeps of scores."""
_CLUSTERED = (
    "irmeta.with_clusters(scores, ...), or irmeta.from_frame(frame, cluster=...)"
)
_MADE_BEFORE = {
    "clusters": _CLUSTERED,
    "cluster": _CLUSTERED,
    "mean_over": "irmeta.with_clusters(scores, ..., mean_over=...)",
    "repeats": "irmeta.with_repeats(scores, ...)",
    "rows": "irmeta.from_frame(table, rows='topics')",
    "ignore": "irmeta.from_frame(table, ignore=[...])",
}
"""What makes scores as options of the command line and of tables of these names do."""
_MEANT = {"metric": "metrics", "missing": "holes", "seed": "rng"}
"""What some studies, or the options of commands, call what others call so."""
_PATHS: set[Any] = {Path, PathLike[str]}
LISTS = (Sequence[int], Sequence[str], Iterable[str], Mapping[str, float])
"""What text can list."""


AS_TASKS = "as tasks"
"""It annotates scores whose collections are tasks of one table; a file's are, if that is asked for."""


class Given(NamedTuple):
    """What text stands for in a parameter of other data: a file, a name. It annotates the parameter's type.

    value : what the help calls it, as FILE
    read : the function that reads it; empty where the study itself does
    several : whether there may be more than one
    """

    value: str
    read: str = ""
    several: bool = False

    def of(self, value: Any) -> Any:
        """Return what a text stands for, or a list of them where there may be several; data stay as they are."""
        listed = self.several and isinstance(value, list | tuple) and value
        each = value if listed else [value]
        if not self.read or not all(isinstance(part, str | Path) for part in each):
            return value
        return self.reader(value)

    def reader(self, value: Any) -> Any:
        """Read a value with the function that `read` names."""
        module, _, name = self.read.rpartition(".")
        return getattr(import_module(module), name)(value)


if TYPE_CHECKING:
    # the door makes cubes of data frames, tables and score files, and reads names and numbers from files and frames
    Cube = xr.DataArray | Any
    Cubes = Mapping[str, xr.DataArray] | Any
    NamesByName = Mapping[str, str] | Any
    NumbersByName = Mapping[str, float] | Any
    Names = Sequence[str] | Any
else:
    Cube = xr.DataArray
    Cubes = Mapping[str, xr.DataArray]
    NamesByName = Mapping[str, str]
    NumbersByName = Mapping[str, float]
    Names = Sequence[str]


def study(function: Callable[Taken, xr.Dataset]) -> Callable[Taken, Result]:
    """Let a study take what people have, as its signature says, and record its arguments as the options of its result.

    A parameter annotated as a cube takes a data frame or a score file, too, and one for cubes by name a cube; the study
    gets cubes that are checked. A choice (Literal) is one of its values; lists of numbers or choices, costs and teams
    may be text, as on the command line. What a study itself has among the options of its result, as a default
    that depends on the scores, stands in place of the argument.
    """
    door = Door(function)

    @wraps(function)
    def checked(*args: Taken.args, **kwargs: Taken.kwargs) -> Result:
        bound = door.bound(args, kwargs)
        options: dict[str, Any] = {}
        for name, value in bound.arguments.items():
            options |= door.takes[name].recorded(value)
        with extras(), single_threaded():
            made = function(*bound.args, **bound.kwargs)
        own = about(made)["options"]
        return Result(made.assign_attrs(recorded({"options": options | own})))

    checked.door = door  # type: ignore[attr-defined]
    plain = door.plain.replace(return_annotation=Result)
    checked.__signature__ = plain  # type: ignore[attr-defined]
    checked.__annotations__ = function.__annotations__ | {"return": Result}
    return checked


def public(name: str, function: Callable[Taken, Returned]) -> Callable[Taken, Returned]:
    """Return a function that is no study as people get it, by its public name, with the same door."""
    door = Door(function)

    @wraps(function)
    def checked(*args: Taken.args, **kwargs: Taken.kwargs) -> Returned:
        bound = door.bound(args, kwargs)
        with extras():
            return function(*bound.args, **bound.kwargs)

    # by these names pickle finds it again
    checked.__module__, checked.__qualname__ = "irmeta", name
    checked.door = door  # type: ignore[attr-defined]
    checked.__signature__ = door.plain  # type: ignore[attr-defined]
    # Python 3.14 copies how annotations are made, and not those that were set
    checked.__annotations__ = function.__annotations__
    return checked


class Door:
    """What a public function takes: its parameters, with what may be given for each."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.signature = inspect.signature(function)

    @property
    def plain(self) -> inspect.Signature:
        """The signature as help and editors show it: without what annotations say to the command line."""
        shown = []
        for parameter in self.signature.parameters.values():
            for option in _named_options(parameter):
                plain = _without_notes(option.annotation)
                shown.append(option.replace(annotation=plain))
        return self.signature.replace(parameters=shown)

    def bound(
        self, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> inspect.BoundArguments:
        """Return arguments as the function takes them; raise IrmetaError for one that it cannot take."""
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(self._mend(str(error), kwargs, args)) from None
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            bound.arguments[name] = self._read(name, value)
        self._name_scores(bound.arguments)
        return bound

    def _name_scores(self, arguments: dict[str, Any]) -> None:
        """Let scores of a table that names no metric be of the one metric that an argument names, if they can be."""
        asked = arguments.get("metrics", arguments.get("metric"))
        named = metric_names(asked) if asked else []
        if len(named) != 1 or not is_known(named[0]):
            return
        for name, scores in arguments.items():
            parameter = self.takes.get(name)
            if parameter is None or scores is None:
                continue
            if parameter.cube:
                arguments[name] = of_metric(scores, named[0])
            elif parameter.cubes:
                arguments[name] = {
                    collection: of_metric(cube, named[0])
                    for collection, cube in scores.items()
                }

    def _read(self, name: str, value: Any) -> Any:
        """Return an argument, or those that a function hands on (**options), as the function takes them."""
        if name in self.takes:
            return self.takes[name].read(value)
        for option in value:
            if option not in self.takes:
                wrong = f"got an unexpected keyword argument {option!r}"
                raise TypeError(self._mend(wrong, value))
        return {option: self.takes[option].read(one) for option, one in value.items()}

    def _mend(self, error: str, named: Iterable[str], args: Sequence[Any] = ()) -> str:
        """Say what is wrong with arguments, and how to give them. named, args : those with names, and without."""
        text, function = error, self.function.__name__
        for name in named:
            if name not in self.takes:
                return f"{function}: {text}; {self._mend_of_name(name)}"
        each = self.signature.parameters.values()
        unnamed = [one.name for one in each if one.kind is not one.KEYWORD_ONLY]
        if len(args) > len(unnamed):
            others = [f"{name}=" for name in self.takes if name not in unnamed]
            text += f"; name all but {joined(unnamed)}: {listed(others, 20)}"
        elif set(unnamed[: len(args)]).intersection(named):
            text += f"; without names the order is {function}({', '.join(unnamed)})"
        return f"{function}: {text}"

    def _mend_of_name(self, name: str) -> str:
        """Say what may have been meant by the name of no parameter, and where it belongs."""
        known = list(self.takes)
        of_scores = any(one.cube or one.cubes for one in self.takes.values())
        if name in _CHOSEN and of_scores:
            mend = f"choose them before: irmeta.select(scores, {name}=[...])"
            return f"say {name[:-1]}=, or {mend}" if name[:-1] in known else mend
        if name in _MADE_BEFORE:
            return f"make such scores before: {_MADE_BEFORE[name]}"
        if _MEANT.get(name) in known:
            return f"say {_MEANT[name]}="
        if name == "labels":
            return "name the systems of its result: .labelled('labels.csv')"
        page = self._page_with(name)
        if page:
            return f"it is of its page: irmeta.{page}(result, folder, {name}=...)"
        for parameter, one in self.takes.items():
            for kind in one.kinds:
                if name in getattr(kind, "__dataclass_fields__", ()):
                    return f"say {parameter}=irmeta.{kind.__name__}({name}=...)"
        return nearest(name, known)

    def _page_with(self, name: str) -> str:
        """Return the function that writes a result to a folder, if it has a parameter of this name."""
        from irmeta.studies import STUDIES

        for one in STUDIES.values():
            if one.function == self.function.__name__ and one.command is not None:
                module, _, page = one.command.page.rpartition(".")
                write = getattr(import_module(module), page) if page else None
                if write is not None and name in inspect.signature(write).parameters:
                    return page
        return ""

    @cached_property
    def takes(self) -> dict[str, "Parameter"]:
        """The parameters by name, read on first use: the hints need every module that they name."""
        hints = _hints(self.function)
        texts = entries(self.function.__doc__ or "")
        takes = {}
        for name, one in self.signature.parameters.items():
            if one.kind is one.VAR_KEYWORD:
                (unpacked,) = get_args(hints[name])
                for option, hint in _hints(unpacked).items():
                    takes[option] = Parameter(option, hint, one.empty, "")
            else:
                text = texts.get(name, "")
                takes[name] = Parameter(name, hints[name], one.default, text)
        return takes


def _named_options(parameter: inspect.Parameter) -> list[inspect.Parameter]:
    """Return the options that a parameter as **options: Unpack[Options] stands for; of others the parameter itself."""
    unpacked = get_args(parameter.annotation)
    if parameter.kind is not parameter.VAR_KEYWORD or not unpacked:
        return [parameter]
    return [
        inspect.Parameter(name, parameter.KEYWORD_ONLY, default=..., annotation=hint)
        for name, hint in unpacked[0].__annotations__.items()
    ]


def _without_notes(annotation: Any) -> Any:
    """Return the type that an annotation adds something to.

    >>> _without_notes(Annotated[int, "topics"]), _without_notes(int)
    (<class 'int'>, <class 'int'>)
    """
    return (
        get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
    )


def _hints(of: Any) -> dict[str, Any]:
    """Return the types that annotations name, also where xarray is imported for types alone."""
    return get_type_hints(of, localns={"xr": xr}, include_extras=True)


class Parameter:
    """A parameter: its name, type, default and what the docstring says of it."""

    def __init__(self, name: str, hint: Any, default: Any, text: str) -> None:
        self.name = name
        self.given: Given | None = None
        self.as_tasks = False
        if get_origin(hint) is Annotated:
            hint, said = get_args(hint)
            self.as_tasks = said == AS_TASKS
            self.given = None if self.as_tasks else said
        self.hint = hint
        self.default = default
        self.text = text
        self.kinds = kinds_of(hint)
        self.optional = default is None or type(None) in get_args(hint)

    @property
    def choices(self) -> Any:
        """The Literal of a choice, or of a list of choices; None where it takes no choice."""
        flat = [part for kind in self.kinds for part in (kind, *get_args(kind))]
        return next((part for part in flat if get_origin(part) is Literal), None)

    @property
    def cubes(self) -> bool:
        """Whether it takes cubes by name."""
        return self.given is None and Mapping[str, xr.DataArray] in self.kinds

    @property
    def cube(self) -> bool:
        """Whether it takes one cube."""
        return self.given is None and self.kinds == [xr.DataArray]

    @property
    def either(self) -> bool:
        """Whether it takes cubes by name, or the runs that they are made of."""
        return self.given is not None and Mapping[str, xr.DataArray] in self.kinds

    @property
    def _tables(self) -> bool:
        """Whether it takes tables, which the study itself makes cubes of."""
        scores = {xr.DataArray, Mapping[str, xr.DataArray]}
        return self.given is not None and bool(scores.intersection(self.kinds))

    @property
    def _by_name(self) -> bool:
        """Whether it takes texts or numbers by name, as a table of two columns has them."""
        return bool({Mapping[str, str], Mapping[str, float]}.intersection(self.kinds))

    @property
    def several(self) -> bool:
        """Whether it takes a list: of numbers, or of choices."""
        return any(get_origin(kind) is Sequence for kind in self.kinds)

    @property
    def typed(self) -> bool:
        """Whether text can stand for it, as on the command line."""
        plain = {bool, int, float, str, Path, PathLike[str], Groups, *LISTS}
        return bool(self.given or self.choices or plain.intersection(self.kinds))

    def read(self, value: Any) -> Any:
        """Return what was given as the study takes it; what it cannot take raises IrmetaError."""
        taken = self._converted(value)
        for one in taken.values() if isinstance(taken, Mapping) else [taken]:
            if isinstance(one, xr.DataArray):
                _require_attributes(one)
        return taken

    def _converted(self, value: Any) -> Any:
        """Return a value as data of the parameter's type, whatever it was given as."""
        if self.given is not None:
            is_table = self._by_name and is_frame(value)
            read = self.given.reader if is_table else self.given.of
            return self._of_fitting_type(read(value))
        if self.cubes or self.cube:
            return self._scores(value)
        if self.name == "rng":
            require_seed = seeded if np.random.Generator in self.kinds else seed
            require_seed(value)
            return value
        if Groups in self.kinds:
            value = self._groups(value)
        elif isinstance(value, str):
            value = self._parsed(value)
        value = self._of_fitting_type(value)
        self._require_choices(value)
        return value

    def _require_choices(self, value: Any) -> None:
        """Raise ScoresError for a value, or one of several, beside the choices of the parameter."""
        if self.choices is None or (value is None and self.optional):
            return
        for one in value if self.several and is_list(value) else [value]:
            require_choice(self.name, one, get_args(self.choices))

    def _of_fitting_type(self, value: Any) -> Any:
        """Return a value of a type that the parameter takes, a list of what can be passed through once only."""
        if value is self.default or self._tables or (value is None and self.optional):
            return value
        if isinstance(value, str | Path) and not _PATHS.isdisjoint(self.kinds):
            value = type(value)(expand_home(str(value)))
        value = as_names(once(value, self.kinds), self.kinds)
        require_fitting(typed_name(self.name), value, self.kinds)
        return value

    def recorded(self, value: Any) -> dict[str, Any]:
        """Return what the options of a result say of the argument; nothing of scores and other data."""
        if self.cubes or self.cube or self.given or self.name == "reading":
            return {}
        if Groups in self.kinds:
            return {self.name: source_of_groups(value)}
        if self.name == "rng":
            return {"seed": seeded(value)[1]}
        if isinstance(value, Mapping):
            return {self.name: dict(value)} if _are_plain(*value.values()) else {}
        if isinstance(value, list | tuple):
            return {self.name: list(value)} if _are_plain(*value) else {}
        return {self.name: value} if _are_plain(value) else {}

    def _scores(self, value: Any) -> Any:
        """Return a checked cube, or cubes by name, of a cube, a mapping, a table or a score file."""
        if value is None and self.optional:
            return None
        if isinstance(value, str | PathLike):
            from irmeta.io.formats.scores import load, load_all

            if not self.cubes:
                return load(value)
            cubes = load_all(value)
            if self.as_tasks and len(cubes) > 1:
                path, first = str(value), next(iter(cubes))
                raise ScoresError(
                    f"{path} holds {len(cubes)} collections ({listed(cubes)}); take one, irmeta.load({path!r}, "
                    f"collection={first!r}), or each as a task, irmeta.load_all({path!r})"
                )
            return cubes
        return by_name(value) if self.cubes else check(value)

    def _groups(self, value: Any) -> Any:
        """Read teams from a file or a data frame; what stands for a rule is returned as it is."""
        if isinstance(value, str) and value in (STEM, EACH):
            return value
        if isinstance(value, str | PathLike) or is_frame(value):
            from irmeta.io.groups import read_groups

            return read_groups(value)
        return value

    def _parsed(self, text: str) -> Any:
        """Read text that stands for a list, or for costs, as people type it."""
        if Mapping[str, float] in self.kinds:
            return numbers_by_name(typed_name(self.name), text, "AP=3 P@10=0.5")
        if Sequence[int] in self.kinds:
            return whole_numbers(typed_name(self.name), text)
        if self.several and self.choices is not None:
            return [part.strip() for part in text.split(",")]
        return text


def _require_attributes(scores: xr.DataArray) -> None:
    """Raise ScoresError if what a cube says of itself is not what irmeta writes there, as in a score file."""
    try:
        require_schema(about(scores), Attributes)
    except ValueError as error:
        raise ScoresError(
            f"what the score cube says of itself, as irmeta.about reads it, is not as irmeta writes it ({error}); "
            "leave it out with drop_attrs()"
        ) from error


def _are_plain(*values: Any) -> bool:
    """Say whether values are numbers, texts or None, which the options of a result can record."""
    return all(
        value is None or isinstance(value, bool | int | float | str | np.generic)
        for value in values
    )


def whole_numbers(name: str, text: str) -> list[int]:
    """Read whole numbers above 0, as in 5,10,20: each once, in rising order.

    From 25 to 100 in steps of 25 is 25:100:25, from 1 to 3 is 1-3; a range has at most 10,000 numbers.

    >>> whole_numbers("--sizes", "20,5,5"), whole_numbers("--sizes", "25:100:25"), whole_numbers("-k", "1-3")
    ([5, 20], [25, 50, 75, 100], [1, 2, 3])
    """
    ends = text.split(":") if ":" in text else [*text.split("-"), "1"]
    is_range = len(ends) == 3 and "," not in text
    try:
        numbers = [
            whole(part.strip()) for part in (ends if is_range else text.split(","))
        ]
    except ValueError:
        numbers = []
    if is_range and min(numbers, default=0) > 0:
        numbers = [*range(numbers[0], numbers[1] + 1, numbers[2])[: _LONGEST + 1]]
    if not numbers or min(numbers) < 1 or (is_range and len(numbers) > _LONGEST):
        raise IrmetaError(
            f"{name} {shortened(text)!r}: expected whole numbers above 0, as in 5,10,20 or 25:100:25, of at most "
            f"{_LONGEST:,} numbers"
        )
    return sorted(set(numbers))


def numbers_by_name(name: str, text: str, example: str) -> dict[str, float]:
    """Read numbers by name with blanks or commas between them, each name once.

    >>> numbers_by_name("--cost", "AP=3 P@10=0.5", "AP=3")
    {'AP': 3.0, 'P@10': 0.5}
    """
    numbers: dict[str, float] = {}
    for part in split(text):
        key, _, written = part.rpartition("=")
        value = number_or_nan(written)
        if not key or not isfinite(value):
            raise ScoresError(
                f"{shortened(part)!r} in {name}: expected NAME=NUMBER, as in {example!r}"
            )
        if key in numbers:
            raise ScoresError(f"{name} gives {shortened(key)} two numbers; remove one")
        numbers[key] = value
    return numbers
