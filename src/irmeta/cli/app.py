"""The Typer application that every command registers on."""

import inspect
import re
from collections.abc import Callable
from copy import copy
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_type_hints

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup
from typer.models import ArgumentInfo

from irmeta.errors import IrmetaError
from irmeta.studies import STUDIES, About

Function = TypeVar("Function", bound=Callable[..., Any])

PANELS: dict[About, str] = {
    "systems": "Systems: which ranks are real",
    "metrics": "Metrics: which to report, what they predict",
    "judgments": "Judgments: whose can be trusted",
    "collections": "Collections: are they big enough, do scores compare",
    "scores": "Scores: get them, check them, show them",
}
"""The groups of `irmeta --help`."""

VALUES: dict[Any, str] = {bool: "", int: "N", float: "X", str: "TEXT", Path: "FILE"}
"""What stands for the value of an option in the help, by its type."""


def without_types(params: list[Any]) -> list[Any]:
    """Return parameters whose help has no type of Python: arguments stand by their names, --help takes nothing."""
    for one in params:
        if isinstance(one, TyperArgument):
            one.display_type_rich = lambda ctx: ""  # type: ignore[method-assign]  # noqa: ARG005 typer gives it
        elif one.metavar is None:
            one.metavar = ""
    return params


def misfit(value: str, kind: Any, info: Any) -> str:
    """Say what an option takes where it cannot have a value; an empty text where it can.

    >>> from typing import Literal
    >>> misfit("bonferoni", Literal["holm", "bonferroni"], typer.Option())
    ": 'bonferoni' is not one of holm, bonferroni; did you mean bonferroni?"
    >>> misfit("1", int, typer.Option(min=2)), misfit("x", float, typer.Option())
    (' must be 2 or more, not 1', " must be a number, not 'x'")
    """
    from irmeta.metrics.names import alike

    kinds = _kinds(kind)
    choices = [one for one in kinds if isinstance(one, str)]
    if choices and value not in choices:
        begun = [one for one in choices if value.startswith(one)]
        close = [*alike(value, choices, least=0.6), *begun]
        mean = "".join(f"; did you mean {one}?" for one in close[:1])
        return f": {value!r} is not one of {', '.join(choices)}{mean}"
    if int not in kinds and float not in kinds:
        return ""
    try:
        number = int(value) if int in kinds else float(value)
    except ValueError:
        return f" must be a {'whole ' if int in kinds else ''}number, not {value!r}"
    if (info.min is not None and number < info.min) or (
        info.max is not None and number > info.max
    ):
        return f" must be {_within(info.min, info.max)}, not {value}"
    return ""


def _kinds(kind: Any) -> list[Any]:
    """Return the types and the choices that a type consists of: those of `Literal["a", "b"] | None` and so on."""
    parts = get_args(kind)
    if not parts:
        return [kind]
    return [one for part in parts for one in _kinds(part)]


def _within(low: float | None, high: float | None) -> str:
    """Say which numbers lie between two limits, of which one may be absent."""
    if high is None:
        return f"{low:g} or more"
    if low is None:
        return f"{high:g} or less"
    return f"from {low:g} to {high:g}"


class Group(TyperGroup):
    """A group of commands."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return its options for the help."""
        return without_types(super().get_params(ctx))


class Verb(TyperCommand):
    """A command that never writes over a file that it reads."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return its arguments and options for the help."""
        return without_types(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line; a value that an option cannot have raises IrmetaError with those that it can."""
        given = list(args)
        ctx.allow_extra_args = True  # they are refused below, in our words
        try:
            left = super().parse_args(ctx, args)
        except typer.BadParameter as error:
            self._refuse(ctx, given, error)
            raise
        if ctx.args and not ctx.resilient_parsing:
            takes = [
                str(one.metavar)
                for one in self.params
                if isinstance(one, TyperArgument)
            ]
            what = f"only {' '.join(takes) or 'options'}"
            if takes == ["SCORES"]:
                what = "one score file"
            verb = ctx.command_path.removeprefix(ctx.find_root().command_path).strip()
            raise IrmetaError(f"{verb} takes {what}, not also {ctx.args[0]}")
        return left

    def _refuse(self, ctx: Any, args: list[str], error: typer.BadParameter) -> None:
        """Raise IrmetaError for a value that an option was given and cannot have."""
        option: Any = error.param
        values = self.make_parser(ctx).parse_args(args)[0]
        taken = inspect.signature(self.callback).parameters if self.callback else {}
        if option is None or option.name not in taken:
            return
        given = values.get(option.name)
        kind, info = get_args(taken[option.name].annotation)
        for value in given if isinstance(given, list | tuple) else [given]:
            if isinstance(value, str) and (wrong := misfit(value, kind, info)):
                long = [one for one in option.opts if one.startswith("--")]
                raise IrmetaError(f"{[*long, option.metavar][0]}{wrong}") from error

    def invoke(self, ctx: Any) -> Any:
        """Run the command, unless what it would write is among what it would read, or of another kind."""
        from irmeta.cli.output import refuse_inputs

        refuse_inputs(ctx.params, models=ctx.command_path.endswith("predict fit"))
        return super().invoke(ctx)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ARG002 click gives it
        """Return what a command takes as manual pages write it: [OPTIONS] QRELS RUNS..."""
        arguments = [one for one in self.params if isinstance(one, TyperArgument)]
        return [
            "[OPTIONS]",
            *(
                f"{one.metavar}..." if one.nargs != 1 else f"{one.metavar}"
                for one in arguments
            ),
        ]


class Verbs(typer.Typer):
    """Commands whose parameters may be groups of options: dataclasses with one annotated field an option."""

    def __init__(self, verb: str = "", **options: Any) -> None:
        self.verb = verb
        super().__init__(
            cls=Group, rich_markup_mode="rich", no_args_is_help=True, **options
        )

    def command(
        self,
        name: str | None = None,
        *,
        cls: type[TyperCommand] | None = Verb,
        **options: Any,
    ) -> Callable[[Function], Function]:
        """Register a command, in the group of `irmeta --help` that its study belongs to."""

        def register(function: Function) -> Function:
            verb = f"{self.verb} {name or function.__name__}".strip()
            panel = None if self.verb else panel_of(verb)
            add = super(Verbs, self).command(
                name, cls=cls, rich_help_panel=panel, **options
            )
            add(_flattened(function))
            return function

        return register


def panel_of(verb: str) -> str:
    """Return the group of `irmeta --help` that a verb stands in: that of its first study; else the scores."""
    for study in STUDIES.values():
        if study.verb.split(" ")[0] == verb:
            return PANELS[study.about]
    return PANELS["scores"]


def _flattened(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with each group of options replaced by its fields, which Typer then reads as options."""
    hints = get_type_hints(function, include_extras=True)
    hints.pop("return", None)
    defaults = {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
    }
    groups: dict[str, Any] = {
        name: hint for name, hint in hints.items() if is_dataclass(hint)
    }
    parameters = []
    for name, hint in hints.items():
        if name in groups:
            parameters += _options_of(groups[name])
        else:
            parameters.append(_parameter(name, defaults[name], hint))

    def command(**given: Any) -> Any:
        for name, group in groups.items():
            own = {option.name: given.pop(option.name) for option in fields(group)}
            given[name] = group(**own)
        return function(**given)

    command.__name__ = function.__name__
    command.__doc__ = _help(function.__doc__ or "")
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {
        parameter.name: parameter.annotation for parameter in parameters
    }
    return command


def _help(doc: str) -> str:
    """Return the help of a command: its sentences, without the line breaks of the source, then its examples."""
    paragraphs = [
        " ".join(paragraph.split()) for paragraph in inspect.cleandoc(doc).split("\n\n")
    ]
    sentences = [
        paragraph for paragraph in paragraphs if not paragraph.startswith("irmeta ")
    ]
    examples = [
        line
        for text in paragraphs
        if text.startswith("irmeta ")
        for line in _example(text)
    ]
    return "\n\n".join(
        [*sentences, *(["\n".join(["Examples:", *examples])] if examples else [])]
    )


_WORDS = re.compile(r"""(?:-[\w-]+ (?!-))?(?:'[^']*'|"[^"]*"|\S)+""")
"""The words of a command line, an option together with its value."""


def _example(text: str) -> list[str]:
    """Return the lines of an example, at most 78 wide and cut between its words: they can be pasted into a shell."""
    command, _, comment = text.partition(" # ")
    lines = [f"# {comment}"] if comment else []
    line, *words = _WORDS.findall(command)
    for word in words:
        if len(line) + len(word) > 75:
            lines.append(f"{line} \\")
            line = "   "
        line += f" {word}"
    return [*lines, line]


def _options_of(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    found = []
    for option in fields(group):
        if option.default is MISSING:
            default = inspect.Parameter.empty
        else:
            default = option.default
        found.append(_parameter(option.name, default, hints[option.name]))
    return found


def _parameter(name: str, default: Any, hint: Any) -> inspect.Parameter:
    """Return an option or an argument as Typer takes it, with what stands for its value in the help."""
    kind, info = get_args(hint)
    info = copy(info)
    if info.metavar is None:
        if isinstance(info, ArgumentInfo):
            info.metavar = name.upper()
        else:
            info.metavar = _value(kind)
    annotation = Annotated[kind, info]  # type: ignore[valid-type]
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )


def _value(kind: Any) -> str:
    """Return what stands for an option's value in the help; a choice's names are in its text."""
    if kind in VALUES:
        return VALUES[kind]
    found = [
        _value(part)
        for part in get_args(kind)
        if isinstance(part, type) or get_args(part)
    ]
    if found:
        return found[0]
    return "CHOICE"


app = Verbs(
    name="irmeta",
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(version("irmeta"))
        raise typer.Exit


@app.callback()
def irmeta(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Meta-evaluation for information retrieval: it measures the measures."""
