"""The Typer application that every command registers on."""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from typing import Annotated, Any, TypeVar, get_type_hints

import typer
from typer.core import TyperCommand

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


class Verb(TyperCommand):
    """A command that never writes over a file that it reads."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command, unless what it would write is among what it would read, or of another kind."""
        from irmeta.cli.output import refuse_inputs

        refuse_inputs(ctx.params, models=ctx.command_path.endswith("predict fit"))
        return super().invoke(ctx)


class Verbs(typer.Typer):
    """Commands whose parameters may be groups of options: dataclasses with one annotated field an option."""

    def __init__(self, verb: str = "", **options: Any) -> None:
        self.verb = verb
        super().__init__(rich_markup_mode="rich", no_args_is_help=True, **options)

    def command(
        self, name: str | None = None, *, cls: type[TyperCommand] | None = Verb, **options: Any
    ) -> Callable[[Function], Function]:
        """Register a command, in the group of `irmeta --help` that its study belongs to."""

        def register(function: Function) -> Function:
            verb = f"{self.verb} {name or function.__name__}".strip()
            panel = None if self.verb else panel_of(verb)
            add = super(Verbs, self).command(name, cls=cls, rich_help_panel=panel, **options)
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
    defaults = {name: parameter.default for name, parameter in inspect.signature(function).parameters.items()}
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
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
    command.__doc__ = function.__doc__
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


def _options_of(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    found = []
    for option in fields(group):
        default = inspect.Parameter.empty if option.default is MISSING else option.default
        found.append(_parameter(option.name, default, hints[option.name]))
    return found


def _parameter(name: str, default: Any, hint: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


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
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Meta-evaluation for information retrieval: it measures the measures."""
