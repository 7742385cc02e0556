"""The application that every command registers on, with Cyclopts beneath: decision 116."""

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import MISSING, fields, is_dataclass
from importlib import import_module
from math import isfinite, nan
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

from cyclopts import App, CycloptsError, Group, Parameter, Token
from cyclopts.exceptions import (
    CoercionError,
    MissingArgumentError,
    RepeatArgumentError,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
    ValidationError,
)
from cyclopts.validators import Number

from irmeta.choices import MEANINGS, entries, explained
from irmeta.cli.help import ALL, QUESTIONS, WHOLE, Brief
from irmeta.errors import IrmetaError
from irmeta.io.places import expand_home
from irmeta.studies import STUDIES
from irmeta.words import NAMED, joined, listed

if TYPE_CHECKING:
    from cyclopts.argument import Argument

Function = TypeVar("Function", bound=Callable[..., Any])

PANELS = {about: Group.create_ordered(title) for about, title in QUESTIONS.items()}
"""The groups of `irmeta --help`."""
START = ("what", "evaluate", "import", "versus", "table", "report", "demo")
"""Commands to start with."""
BOARDS = ("board", "freeze", "serve", "submit")
"""Commands of a living board."""
ARGUMENTS = Group("Arguments", sort_key=0)
OPTIONS = Group("Options", sort_key=1)
OTHERS = Group("Commands", sort_key=3)
EVERYDAY = ("metrics",)
"""Options of shared panels that stand among a command's own, as every recipe has them."""

SYNONYMS = {
    "check": "validate",
    "compare-runs": "versus",
    "convert": "import",
    "create": "new",
    "diff": "versus",
    "download": "datasets",
    "fetch": "datasets",
    "gate": "versus SCORES --fail-if-worse X",
    "plot": "describe SCORES --plot FILE",
    "power": "design",
    "score": "evaluate",
    "stats": "describe",
    "t-test": "significance",
    "tau": "correlate",
    "test": "significance",
    "trec_eval": "evaluate",
    "ttest": "significance",
}
"""Words of other programs, and what they are called here."""
ALIKE = 0.75
"""How alike an option must be to one that there is not, to be the one that was meant: --table is not --target."""

VALUES: dict[Any, str] = {int: "N", float: "X", str: "TEXT", Path: "FILE"}
"""What stands for the value of an option in the help, by its type."""
_BY_DEFAULT = re.compile(r"[;,] by default (.+?)\.?$")
ENTRY = re.compile(r"[a-z_]+(, [a-z_]+)* : ")
"""How a line of a docstring begins that says what a parameter is for."""


def option(
    *names: str,
    panel: str | None = None,
    metavar: str | None = None,
    help: str = "",
    show_default: str | None = None,
    min: float | None = None,
    max: float | None = None,
    several: bool = False,
) -> Any:
    """Declare an option: its names if not that of the parameter, its panel of the help, its value and default there.

    help, show_default : where the docstring of the command, or of the group, has no line NAME : TEXT for it
    several : whether it takes all words up to the next option, as in --train A B C.
    """
    settings: dict[str, Any] = {"help": help, "metavar": metavar}
    settings |= {"negative": "", "show_choices": False}
    if names:
        settings["name"] = names
    settings["group"] = OPTIONS if panel is None else Group(panel, sort_key=2)
    if show_default is not None:
        settings["show_default"] = show_default
    if min is not None or max is not None:
        settings["validator"] = Number(gte=min, lte=max)
    return Parameter(consume_multiple=several, **settings)


def argument(*, metavar: str | None = None, help: str = "") -> Any:
    """Declare an argument: what stands on the command line without the name of an option."""
    return Parameter(group=ARGUMENTS, metavar=metavar, help=help)


class Verbs:
    """Commands whose parameters may be groups of options: dataclasses with one field an option.

    What an option is for stands in the docstring of the command or of the group, in a line NAME : TEXT.
    """

    def __init__(self, verb: str = "", **settings: Any) -> None:
        self.verb = verb
        self.app = App(
            name=verb or "irmeta",
            group_parameters=OPTIONS,
            group_arguments=ARGUMENTS,
            group_commands=OTHERS,
            help_format="plaintext",
            help_formatter=Brief(),
            result_action="return_value",
            group=panel_of(verb) if verb else None,
            **settings,
        )
        if verb:
            app.app.command(self.app)

    def command(self, name: str | None = None) -> Callable[[Function], Function]:
        """Register a command, in the group of `irmeta --help` that its study belongs to."""

        def register(function: Function) -> Function:
            word = name or function.__name__.strip("_").replace("_", "-")
            texts = _help_and_examples(function.__doc__ or "")
            self.add(word, *_without_groups(function), *texts)
            return function

        return register

    def add(
        self,
        word: str,
        command: Callable[[dict[str, Any]], Any],
        parameters: Iterable[inspect.Parameter],
        text: str,
        examples: Iterable[str],
    ) -> None:
        """Register a command that takes values by the names of its parameters; it writes over no file that it reads."""
        verb = f"{self.verb} {word}".strip()
        if word in self.app:  # announced
            del self.app[word]
        parameters = sorted(parameters, key=_place_of_parameter)
        signature = inspect.Signature(parameters)

        def checked(*arguments: Any, **options: Any) -> Any:
            from irmeta.cli.output import refuse_inputs

            bound = signature.bind(*arguments, **options)
            bound.apply_defaults()
            values = bound.arguments
            for taken in parameters:
                value = values[taken.name]
                if taken.kind is taken.POSITIONAL_ONLY and isinstance(value, list):
                    _require_files(value, verb)
            refuse_inputs(values, verb)
            return command(values)

        checked.__signature__ = signature  # type: ignore[attr-defined]
        checked.__annotations__ = {taken.name: taken.annotation for taken in parameters}
        self.app.command(
            checked,
            name=word,
            usage=_usage(verb, signature),
            help=text,
            help_epilogue=_examples_text(examples),
            group=None if self.verb else panel_of(verb),
            sort_key=_place_of(verb),
        )

    def announce(self, word: str, question: str) -> None:
        """Register a command for the help of all: its name, and the question that it answers."""
        if word not in self.app:
            group = None if self.verb else panel_of(word)
            place = _place_of(word)
            self.app.command(App(name=word, help=question, group=group, sort_key=place))


def _place_of_parameter(parameter: inspect.Parameter) -> tuple[int, bool]:
    """Return what parameters are sorted by: arguments first, and of each those that are needed."""
    return parameter.kind, parameter.default is not parameter.empty


def panel_of(verb: str) -> Group:
    """Return the group of `irmeta --help` that a verb stands in: to start with, that of its first study, or another."""
    if verb in START:
        return PANELS["start"]
    if verb.startswith("-"):
        return OTHERS
    for study in STUDIES.values():
        if study.verb.split(" ")[0] == verb:
            return PANELS[study.about]
    return PANELS["boards" if verb in BOARDS else "scores"]


def _place_of(verb: str) -> int | None:
    """Return where a command stands among those to start with; others stand in the order of their names."""
    return START.index(verb) if verb in START else None


def _version() -> str:
    from importlib.metadata import version

    from irmeta.evaluation.grades.core import reader

    return f"{version('irmeta')} ({reader()})"


app = Verbs(
    help="Meta-evaluation for information retrieval; start with irmeta what FILES...",
    usage="Usage: irmeta COMMAND [--help | --help-all] | --version | --completion SHELL",
    version=_version,
)


def _without_groups(
    function: Callable[..., Any],
) -> tuple[Callable[[dict[str, Any]], Any], list[inspect.Parameter]]:
    """Return a function that takes each group of options as its fields, by name, and its parameters."""
    hints = get_type_hints(function, include_extras=True)
    hints.pop("return", None)
    texts = entries(function.__doc__ or "")
    own = inspect.signature(function).parameters
    groups: dict[str, Any] = {
        name: hint for name, hint in hints.items() if is_dataclass(hint)
    }
    parameters: list[inspect.Parameter] = []
    for name, hint in hints.items():
        if name in groups:
            parameters += options_of_group(groups[name])
        else:
            text = texts.get(name, "")
            parameters.append(parameter_of(name, own[name].default, hint, text))

    def command(given: dict[str, Any]) -> Any:
        for name, group in groups.items():
            options = {field.name: given.pop(field.name) for field in fields(group)}
            given[name] = group(**options)
        return function(**given)

    return command, parameters


def _usage(verb: str, signature: inspect.Signature) -> str:
    """Return what a command needs and takes, as manual pages write it: [OPTIONS] QRELS RUNS..."""
    options, arguments = [], []
    for name, parameter in signature.parameters.items():
        kind, declared = get_args(parameter.annotation)
        if parameter.kind is parameter.POSITIONAL_ONLY:
            dots = "..." if list in (kind, get_origin(kind)) else ""
            shown = f"{declared.metavar}{dots}"
            arguments.append(
                shown if parameter.default is parameter.empty else f"[{shown}]"
            )
        elif parameter.default is parameter.empty:
            option = [*declared.name, f"--{name.replace('_', '-')}"][0]
            options.append(f"{option} {declared.metavar}")
    return " ".join(["Usage: irmeta", verb, *options, "[OPTIONS]", *arguments])


def options_of_group(group: Any, first: Sequence[str] = ()) -> list[inspect.Parameter]:
    """Return a group's fields as options, in the panel of the help that the group names.

    first : those that stand among the command's own.
    """
    hints = get_type_hints(group, include_extras=True)
    texts: dict[str, str] = {}
    for base in reversed(group.__mro__):
        texts |= entries(base.__doc__ or "")
    return [
        parameter_of(
            field.name,
            inspect.Parameter.empty if field.default is MISSING else field.default,
            hints[field.name],
            texts.get(field.name, ""),
            panel=None if field.name in first else getattr(group, "panel", None),
        )
        for field in fields(group)
    ]


def parameter_of(
    name: str, default: Any, hint: Any, text: str = "", *, panel: str | None = None
) -> inspect.Parameter:
    """Return an option or an argument as Cyclopts takes it, with what stands for its value in the help.

    hint : its type, in which `option` or `argument` may have declared something.
    text : what the docstring says of it, with what it is by default.
    """
    kind, declared = _type_and_parameter(hint)
    more: dict[str, Any] = {}
    if text:
        more["help"], default_text = sentence_and_default(text)
        meanings = [part for part in (kind, *get_args(kind)) if part in MEANINGS]
        if meanings:
            more["help"] = explained(meanings[0], more["help"])
        if default_text is not None:
            more["show_default"] = default_text
    positional = declared.group == (ARGUMENTS,)
    if panel is not None and not positional and name not in EVERYDAY:
        more["group"] = Group(panel, sort_key=2)
    if declared.metavar is None:
        more["metavar"] = name.upper() if positional else _metavar(kind)
    if kind is bool:
        more["show_default"] = False
    if {int, float} & {*_leaf_types(kind)}:
        more["converter"] = _read_number
    declared = Parameter.combine(declared, Parameter(**more))
    where: Any = inspect.Parameter.KEYWORD_ONLY
    if positional:
        where = inspect.Parameter.POSITIONAL_ONLY
    taken: Any = Annotated[kind, declared]
    return inspect.Parameter(name, where, default=default, annotation=taken)


def _type_and_parameter(hint: Any) -> tuple[Any, Parameter]:
    """Return a type without what was declared in it, and that: of `Name | None` the text and None, and its value."""
    parts = [part for part in (hint, *get_args(hint)) if get_origin(part) is Annotated]
    if not parts:
        return hint, option()
    kind, parameter = get_args(parts[0])
    return (kind if parts[0] is hint else kind | None), parameter


def sentence_and_default(text: str) -> tuple[str, str | None]:
    """Return what a docstring says of a parameter as a sentence, and what it says of its default.

    >>> sentence_and_default("how many topics; by default `all`")
    ('How many topics.', 'all')
    """
    default_words = _BY_DEFAULT.search(text)
    shown = default_words[1].replace("`", "") if default_words else None
    return sentence(_BY_DEFAULT.sub("", text)), shown


def sentence(text: str) -> str:
    """Return a text as a sentence, without the quotes of code."""
    text = text.replace("`", "").strip().rstrip(".")
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _read_number(kind: Any, tokens: Sequence[Token]) -> float:
    """Read a number as files have it: Cyclopts rounds 2.5 where it is to be whole, and takes 1_0, 0x10 and None."""
    from irmeta.io.strictly import number, whole

    read = whole if int in _leaf_types(kind) else number
    try:
        value = read(tokens[0].value)
    except ValueError:
        value = nan
    if not isfinite(value):
        raise CoercionError(token=tokens[0], target_type=kind)
    return value


def _metavar(kind: Any) -> str | None:
    """Return what stands for an option's value in the help; a choice's names are in its text, a flag has no value."""
    kinds = _leaf_types(kind)
    if bool in kinds:
        return None
    return next((VALUES[type_] for type_ in kinds if type_ in VALUES), "CHOICE")


def _leaf_types(kind: Any) -> list[Any]:
    """Return the types and the choices that a type consists of: those of `Literal["a", "b"] | None` and so on."""
    parts = get_args(kind)
    if not parts:
        return [kind]
    return [inner for part in parts for inner in _leaf_types(part)]


def choices_of(kind: Any) -> list[str]:
    """Return the names that a type takes; none where it takes others."""
    return [choice for choice in _leaf_types(kind) if isinstance(choice, str)]


def _help_and_examples(doc: str) -> tuple[str, list[str]]:
    """Return the help of a command: its sentences, without the line breaks of the source, and its examples."""
    paragraphs = [
        " ".join(paragraph.split())
        for paragraph in inspect.cleandoc(doc).split("\n\n")
        if not ENTRY.match(paragraph)
    ]
    examples = [text for text in paragraphs if text.startswith("irmeta ")]
    return "\n\n".join(text for text in paragraphs if text not in examples), examples


def _examples_text(commands: Iterable[str]) -> str:
    """Return the part of a help that shows examples, each a command that may end in a comment."""
    lines = [line for command in commands for line in _example_lines(command)]
    return "\n".join(["Examples:", *lines]) if lines else ""


_WORDS = re.compile(r"""(?:-[\w-]+ (?!-))?(?:'[^']*'|"[^"]*"|\S)+""")
"""The words of a command line, an option together with its value."""


def _example_lines(text: str) -> list[str]:
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


def commands_in(group: App, verb: str = "") -> Iterator[tuple[str, App]]:
    """Return the commands of a group by their verbs, and those of the groups in it."""
    for name, command in group.resolved_commands().items():
        if name.startswith("-"):
            continue
        if command.default_command is None:
            yield from commands_in(command, name)
        else:
            yield f"{verb} {name}".strip(), command


_ALIASES = {ALL: "--help", "-": "/dev/stdin"}
"""What words stand for that Cyclopts does not know, or takes for an option."""


def run(words: Sequence[str]) -> None:
    """Run the words of a command line; what it cannot take raises IrmetaError in the words of irmeta."""
    token = WHOLE.set(ALL in words)
    words = [_expand_home_in_option(_ALIASES.get(word, word)) for word in words]
    try:
        app.app(words, exit_on_error=False, print_error=False)
    except CycloptsError as error:
        raise IrmetaError(_message_of(error)) from error
    finally:
        WHOLE.reset(token)


def _expand_home_in_option(word: str) -> str:
    """Return a word with the home folder for a ~ behind an = too, where shells leave it: --output=~/scores.parquet."""
    option, equals, value = word.rpartition("=")
    return option + equals + expand_home(value)


def _message_of(error: CycloptsError) -> str:
    """Say what a command line has too much, too little, or wrong."""
    verb = " ".join(error.command_chain or ())
    arg = error.argument
    if isinstance(error, UnusedCliTokensError):
        first = (error.unused_tokens or [""])[0]
        message = f"{verb} takes {_describe_arguments(error)}, not also {first}"
        return f"{message}{_quotes_hint(first) or _commas_hint(first)}"
    if isinstance(error, UnknownCommandError):
        return _unknown_command_message(error)
    if isinstance(error, RepeatArgumentError):
        return _repeated_option_message(error)
    if isinstance(error, UnknownOptionError):
        return _unknown_option_message(error, error.token.keyword or error.token.value)
    if isinstance(error, CoercionError) and arg is not None and error.token:
        name = arg.parameter.metavar if is_argument(arg) else arg.name
        return f"{name}{misfit_message(error.token.value, arg.hint)}"
    if isinstance(error, ValidationError) and arg is not None:
        limits: Any = arg.parameter.validator
        within = _describe_range(limits[0].gte, limits[0].lte)
        return f"{arg.name} must be {within}, not {arg.value:g}"
    if isinstance(error, MissingArgumentError) and arg is not None:
        return _missing_argument_message(error, arg)
    return str(error).rstrip(".")


def _missing_argument_message(error: MissingArgumentError, arg: "Argument") -> str:
    """Say which argument, option or value of an option a command line lacks."""
    verb = " ".join(error.command_chain or ())
    value = arg.parameter.metavar
    if error.keyword is not None:
        choices = ", ".join(choices_of(arg.hint))
        return f"{error.keyword} needs a value: {f'one of {choices}' if choices else value}"
    # what is missing may have been misspelled
    if unknown := [word for word in error.unused_tokens or () if word[:2] == "--"]:
        return _unknown_option_message(error, unknown[0])
    if is_argument(arg):
        return f"{verb} needs {value}; irmeta {verb} --help says what it takes"
    return f"{verb} needs {arg.name} {value}"


def _unknown_command_message(error: UnknownCommandError) -> str:
    """Say that there is no such command, and name the nearest."""
    from irmeta.metrics.names import alike

    word = (error.unused_tokens or [""])[0]
    commands = [name for name in error.app or () if not name.startswith("-")]
    command = " ".join(["irmeta", *(error.command_chain or ())])
    meant = SYNONYMS.get(word, "")
    candidates = [meant for name in commands if name == meant.partition(" ")[0]]
    candidates = candidates or [name for name in commands if name.startswith(word)]
    candidates = candidates or alike(word, commands, 0.6)
    near = joined(candidates[:3], "or") if candidates else ""
    advice = f"did you mean {near}?" if near else f"{command} --help lists all"
    return f"{command} has no command {word}; {advice}"


def _repeated_option_message(error: RepeatArgumentError) -> str:
    """Say that an option is given twice, and how it takes several values, if it does."""
    name = error.token.keyword
    options = [arg for arg in _arguments_of(error.command_chain) if name in arg.names]
    value = str(options[0].parameter.metavar) if options else ""
    if value.endswith("S") or value.startswith("N,"):
        return f"{name} is given twice; give its values once, with commas between them: {name} A,B"
    return f"{name} is given twice; it takes one value"


def _unknown_option_message(error: CycloptsError, word: str) -> str:
    """Say why a study does not take an option of others, or name the one that was meant; else say where all are."""
    from irmeta.metrics.names import alike

    verb = " ".join(error.command_chain or ())
    name = word.partition("=")[0]
    command = f"irmeta {verb}".rstrip()
    refusals = [study.refuses for study in STUDIES.values() if study.verb == verb]
    if refusals and name in refusals[0]:
        return f"{command} takes no {name}: {refusals[0][name]}"
    known = [
        own
        for arg in _arguments_of(error.command_chain)
        if arg.parse
        for own in arg.names
    ]
    places, wanted = _places(error), name.removeprefix("--").upper()
    if wanted in places:
        return f"{command} takes {wanted} by its place: {command} {' '.join(places)}"
    longer = [own for own in known if own.startswith(name)]
    candidates = longer or alike(name, known, ALIKE)
    advice = f"{command} --help-all lists all"
    if not longer and (verbs := commands_with(name)):
        has = "has" if len(verbs) == 1 else "have"
        list_commands = joined if len(verbs) <= NAMED else listed
        advice = f"{list_commands(verbs)} {has} it"
    elif candidates:
        advice = f"did you mean {candidates[0]}?"
    elif any(name in arg.names for arg in _arguments_of(["import"])):
        advice = "irmeta import has it"
    return f"{command} has no option {name}; {advice}"


def commands_with(name: str) -> list[str]:
    """Return the commands of which an option, a study's own parameter, is called so."""
    parameter = name.removeprefix("--").replace("-", "_")
    commands = []
    for study in STUDIES.values():
        if study.command is None or parameter in (study.command.positional or ()):
            continue
        home = import_module(f"irmeta.studies.{study.home}")
        if parameter in getattr(home, study.function).door.takes:
            commands.append(f"irmeta {study.verb}")
    return commands


def _require_files(words: Sequence[Any], verb: str) -> None:
    """Raise where a word among files is a metric by itself, and no file is called so; or two may be systems."""
    names = [str(word) for word in words if not Path(word).exists()]
    for word in names:
        if mend := _quotes_hint(word):
            raise IrmetaError(f"{word}: no such file{mend}")
    without_suffix = [name for name in names if not Path(name).suffix]
    if verb == "compare" and len(without_suffix) == len(words) == 2:
        raise IrmetaError(
            f"{joined(names)}: no such files; two systems of a file are compared by "
            f"irmeta versus FILE --system {names[0]} --against {names[1]}"
        )


def _quotes_hint(word: str) -> str:
    """Say how several metrics are named, where a word is one that stands by itself."""
    from irmeta.metrics.names import is_known

    if not is_known(word):
        return ""
    return f"; name several metrics in quotes, as in -m '... {word}'"


def _commas_hint(word: str) -> str:
    """Say how several names are given, where a word does not name a file."""
    if Path(word).exists() or Path(word).suffix:
        return ""
    return (
        f"; several names of an option have commas between them: A,{word}; a name with blanks stands in quotes: "
        f"'A {word}'"
    )


def is_argument(taken: "Argument") -> bool:
    """Say whether something stands on the command line without the name of an option."""
    return taken.parameter.group == (ARGUMENTS,)


def _arguments_of(verb: Iterable[str] | None) -> "Iterable[Argument]":
    """Return all that a command takes."""
    command: Any = app.app
    for word in verb or ():
        command = command[word]
    arguments: Iterable[Argument] = command.assemble_argument_collection()
    return arguments


def _places(error: CycloptsError) -> list[str]:
    """Return what a command takes by its place, in order."""
    arguments = _arguments_of(error.command_chain)
    return [str(arg.parameter.metavar) for arg in arguments if is_argument(arg)]


def _describe_arguments(error: CycloptsError) -> str:
    """Say which arguments a command takes."""
    names = _places(error)
    if names == ["SCORES"]:
        return "one score file"
    return f"only {' '.join(names) or 'options'}"


def misfit_message(value: str, kind: Any) -> str:
    """Say what an option takes that cannot have a value.

    >>> from typing import Literal
    >>> misfit_message("bonferoni", Literal["holm", "bonferroni"])
    ": 'bonferoni' is not one of holm, bonferroni; did you mean bonferroni?"
    >>> misfit_message("x", float)
    " must be a number, not 'x'"
    >>> misfit_message("2%", float)
    " must be a number, not '2%'; a share is written as 0.02, and a difference of scores in their own unit"
    """
    from irmeta.metrics.names import alike

    kinds = _leaf_types(kind)
    if choices := choices_of(kind):
        prefixes = [choice for choice in choices if value.startswith(choice)]
        candidates = [*alike(value, choices, least=0.6), *prefixes]
        advice = "".join(f"; did you mean {choice}?" for choice in candidates[:1])
        return f": {value!r} is not one of {', '.join(choices)}{advice}"
    percent = float in kinds and re.fullmatch(r"(\d+|\d*\.\d+)%", value)
    hint = ""
    if percent:
        share = f"{float(percent[1]) / 100:g}"
        hint = f"; a share is written as {share}, and a difference of scores in their own unit"
    return f" must be a {'whole ' if int in kinds else ''}number, not {value!r}{hint}"


def _describe_range(low: Any, high: Any) -> str:
    """Say which numbers lie between two limits, of which one may be absent."""
    if high is None:
        return f"{low:g} or more"
    if low is None:
        return f"{high:g} or less"
    return f"from {low:g} to {high:g}"
