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
from irmeta.cli.help import ALL, WHOLE, Brief
from irmeta.errors import IrmetaError
from irmeta.io.places import expand_home
from irmeta.studies import STUDIES
from irmeta.words import NAMED, joined, listed

if TYPE_CHECKING:
    from cyclopts.argument import Argument

Function = TypeVar("Function", bound=Callable[..., Any])

PANELS: dict[str, Group] = {
    "systems": Group.create_ordered("Systems: which ranks are real"),
    "metrics": Group.create_ordered("Metrics: which to report, what they predict"),
    "judgments": Group.create_ordered("Judgments: whose can be trusted"),
    "collections": Group.create_ordered(
        "Collections: are they big enough, do scores compare"
    ),
    "scores": Group.create_ordered("Scores: get them, check them, show them"),
    "boards": Group.create_ordered(
        "Boards: take runs from people, show where they stand"
    ),
}
"""The groups of `irmeta --help`."""
BOARDS = ("board", "freeze", "serve", "submit")
"""Commands of a living board."""
ARGUMENTS = Group("Arguments", sort_key=0)
OPTIONS = Group("Options", sort_key=1)
EVERYDAY = ("metrics",)
"""Options of shared panels that stand among a command's own, as every recipe has them."""

MEANT = {
    "check": "validate",
    "compare-runs": "versus",
    "convert": "import",
    "create": "new",
    "diff": "versus",
    "download": "datasets",
    "fetch": "datasets",
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
            group_commands=Group("Commands", sort_key=3),
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
            text, shown = _help(function.__doc__ or "")
            self.add(word, *_flattened(function), text, shown)
            return function

        return register

    def add(
        self,
        word: str,
        command: Callable[[dict[str, Any]], Any],
        signature: inspect.Signature,
        text: str,
        shown: Iterable[str],
    ) -> None:
        """Register a command that takes what was given by name; it never writes over a file that it reads.

        shown : examples.
        """
        verb = f"{self.verb} {word}".strip()
        if word in self.app:  # announced
            del self.app[word]
        parameters = sorted(
            signature.parameters.values(),
            key=lambda one: (one.kind, one.default is not one.empty),
        )
        signature = inspect.Signature(parameters)

        def called(*arguments: Any, **options: Any) -> Any:
            from irmeta.cli.output import refuse_inputs

            bound = signature.bind(*arguments, **options)
            bound.apply_defaults()
            given = bound.arguments
            for one in parameters:
                if one.kind is one.POSITIONAL_ONLY and isinstance(
                    given[one.name], list
                ):
                    _refuse_metrics(given[one.name])
            refuse_inputs(given, verb)
            return command(given)

        called.__signature__ = signature  # type: ignore[attr-defined]
        called.__annotations__ = {one.name: one.annotation for one in parameters}
        self.app.command(
            called,
            name=word,
            usage=_usage(verb, signature),
            help=text,
            help_epilogue=_examples(shown),
            group=None if self.verb else panel_of(verb),
        )

    def announce(self, word: str, question: str) -> None:
        """Register a command for the help of all: its name, and the question that it answers."""
        if word not in self.app:
            group = None if self.verb else panel_of(word)
            self.app.command(App(name=word, help=question, group=group))


def panel_of(verb: str) -> Group:
    """Return the group of `irmeta --help` that a verb stands in: that of its first study; else the scores."""
    for study in STUDIES.values():
        if study.verb.split(" ")[0] == verb:
            return PANELS[study.about]
    return PANELS["boards" if verb in BOARDS else "scores"]


def _version() -> str:
    from importlib.metadata import version

    from irmeta.evaluation.grades.core import reader

    return f"{version('irmeta')} ({reader()})"


app = Verbs(
    help="Meta-evaluation for information retrieval: it measures the measures.",
    version=_version,
)


def _flattened(
    function: Callable[..., Any],
) -> tuple[Callable[[dict[str, Any]], Any], inspect.Signature]:
    """Return a function that takes each group of options as its fields, by name, and their signature."""
    hints = get_type_hints(function, include_extras=True)
    hints.pop("return", None)
    texts = entries(function.__doc__ or "")
    defaults = {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
    }
    groups: dict[str, Any] = {
        name: hint for name, hint in hints.items() if is_dataclass(hint)
    }
    parameters: list[inspect.Parameter] = []
    for name, hint in hints.items():
        if name in groups:
            parameters += fields_of(groups[name])
        else:
            text = texts.get(name, "")
            parameters.append(parameter_of(name, defaults[name], hint, text))
    parameters.sort(key=lambda one: (one.kind, one.default is not one.empty))

    def command(given: dict[str, Any]) -> Any:
        for name, group in groups.items():
            own = {one.name: given.pop(one.name) for one in fields(group)}
            given[name] = group(**own)
        return function(**given)

    return command, inspect.Signature(parameters)


def _usage(verb: str, signature: inspect.Signature) -> str:
    """Return what a command needs and takes, as manual pages write it: [OPTIONS] QRELS RUNS..."""
    needed, arguments = [], []
    for name, one in signature.parameters.items():
        kind, taken = get_args(one.annotation)
        if one.kind is one.POSITIONAL_ONLY:
            more = "..." if list in (kind, get_origin(kind)) else ""
            shown = f"{taken.metavar}{more}"
            arguments.append(shown if one.default is one.empty else f"[{shown}]")
        elif one.default is one.empty:
            option = [*taken.name, f"--{name.replace('_', '-')}"][0]
            needed.append(f"{option} {taken.metavar}")
    return " ".join(["Usage: irmeta", verb, *needed, "[OPTIONS]", *arguments])


def fields_of(group: Any, own: Sequence[str] = ()) -> list[inspect.Parameter]:
    """Return a group's fields as options, in the panel of the help that the group names.

    own : those that stand among the command's own.
    """
    hints = get_type_hints(group, include_extras=True)
    texts: dict[str, str] = {}
    for base in reversed(group.__mro__):
        texts |= entries(base.__doc__ or "")
    return [
        parameter_of(
            one.name,
            inspect.Parameter.empty if one.default is MISSING else one.default,
            hints[one.name],
            texts.get(one.name, ""),
            panel=None if one.name in own else getattr(group, "panel", None),
        )
        for one in fields(group)
    ]


def parameter_of(
    name: str, default: Any, hint: Any, text: str = "", *, panel: str | None = None
) -> inspect.Parameter:
    """Return an option or an argument as Cyclopts takes it, with what stands for its value in the help.

    hint : its type, in which `option` or `argument` may have declared something.
    text : what the docstring says of it, with what it is by default.
    """
    kind, taken = _declared(hint)
    if text:
        said, shown = question(text)
        meanings = [one for one in (kind, *get_args(kind)) if one in MEANINGS]
        if meanings:
            said = explained(meanings[0], said)
        taken = Parameter.combine(taken, Parameter(help=said))
        if shown is not None:
            taken = Parameter.combine(taken, Parameter(show_default=shown))
    positional = taken.group == (ARGUMENTS,)
    if panel is not None and not positional and name not in EVERYDAY:
        group = Group(panel, sort_key=2)
        taken = Parameter.combine(taken, Parameter(group=group))
    if taken.metavar is None:
        shown = name.upper() if positional else _value(kind)
        taken = Parameter.combine(taken, Parameter(metavar=shown))
    if kind is bool:
        taken = Parameter.combine(taken, Parameter(show_default=False))
    if {int, float} & {*_kinds(kind)}:
        taken = Parameter.combine(taken, Parameter(converter=_number))
    return inspect.Parameter(
        name,
        inspect.Parameter.POSITIONAL_ONLY
        if positional
        else inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[kind, taken],
    )


def _declared(hint: Any) -> tuple[Any, Parameter]:
    """Return a type without what was declared in it, and that: of `Name | None` the text and None, and its value."""
    parts = [one for one in (hint, *get_args(hint)) if get_origin(one) is Annotated]
    if not parts:
        return hint, option()
    kind, taken = get_args(parts[0])
    return (kind if parts[0] is hint else kind | None), taken


def question(text: str) -> tuple[str, str | None]:
    """Return what a docstring says of a parameter as a sentence, and what it says of its default.

    >>> question("how many topics; by default `all`")
    ('How many topics.', 'all')
    """
    found = _BY_DEFAULT.search(text)
    shown = found[1].replace("`", "") if found else None
    return sentence(_BY_DEFAULT.sub("", text)), shown


def sentence(text: str) -> str:
    """Return a text as a sentence, without the quotes of code."""
    text = text.replace("`", "").strip().rstrip(".")
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _number(kind: Any, tokens: Sequence[Token]) -> float:
    """Read a number as files have it: Cyclopts rounds 2.5 where it is to be whole, and takes 1_0, 0x10 and None."""
    from irmeta.io.strictly import number, whole

    try:
        value = (
            whole(tokens[0].value) if int in _kinds(kind) else number(tokens[0].value)
        )
    except ValueError:
        value = nan
    if not isfinite(value):
        raise CoercionError(token=tokens[0], target_type=kind)
    return value


def _value(kind: Any) -> str | None:
    """Return what stands for an option's value in the help; a choice's names are in its text, a flag has no value."""
    kinds = _kinds(kind)
    if bool in kinds:
        return None
    return next((VALUES[one] for one in kinds if one in VALUES), "CHOICE")


def _kinds(kind: Any) -> list[Any]:
    """Return the types and the choices that a type consists of: those of `Literal["a", "b"] | None` and so on."""
    parts = get_args(kind)
    if not parts:
        return [kind]
    return [one for part in parts for one in _kinds(part)]


def choices_of(kind: Any) -> list[str]:
    """Return the names that a type takes; none where it takes others."""
    return [one for one in _kinds(kind) if isinstance(one, str)]


def _help(doc: str) -> tuple[str, list[str]]:
    """Return the help of a command: its sentences, without the line breaks of the source, and its examples."""
    paragraphs = [
        " ".join(paragraph.split())
        for paragraph in inspect.cleandoc(doc).split("\n\n")
        if not ENTRY.match(paragraph)
    ]
    sentences = [one for one in paragraphs if not one.startswith("irmeta ")]
    return "\n\n".join(sentences), [one for one in paragraphs if one not in sentences]


def _examples(commands: Iterable[str]) -> str:
    """Return the part of a help that shows examples, each a command that may end in a comment."""
    lines = [line for command in commands for line in _example(command)]
    return "\n".join(["Examples:", *lines]) if lines else ""


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


def inside(group: App, verb: str = "") -> Iterator[tuple[str, App]]:
    """Return the commands of a group by their verbs, and those of the groups in it."""
    for name, command in group.resolved_commands().items():
        if name.startswith("-"):
            continue
        if command.default_command is None:
            yield from inside(command, name)
        else:
            yield f"{verb} {name}".strip(), command


_STANDING = {ALL: "--help", "-": "/dev/stdin"}
"""What words stand for that Cyclopts does not know, or takes for an option."""


def run(words: Sequence[str]) -> None:
    """Run the words of a command line; what it cannot take raises IrmetaError in the words of irmeta."""
    token = WHOLE.set(ALL in words)
    words = [_as_from_shell(_STANDING.get(word, word)) for word in words]
    try:
        app.app(words, exit_on_error=False, print_error=False)
    except CycloptsError as error:
        raise IrmetaError(_in_our_words(error)) from error
    finally:
        WHOLE.reset(token)


def _as_from_shell(word: str) -> str:
    """Return a word with the home folder for a ~ behind an = too, where shells leave it: --output=~/scores.parquet."""
    option, equals, value = word.rpartition("=")
    return option + equals + expand_home(value)


def _in_our_words(error: CycloptsError) -> str:
    """Say what a command line has too much, too little, or wrong."""
    verb = " ".join(error.command_chain or ())
    taken = error.argument
    if isinstance(error, UnusedCliTokensError):
        first = (error.unused_tokens or [""])[0]
        said = f"{verb} takes {_takes(error)}, not also {first}"
        return f"{said}{_in_quotes(first) or _with_commas(first)}"
    if isinstance(error, UnknownCommandError):
        return _no_command(error)
    if isinstance(error, RepeatArgumentError):
        return _given_twice(error)
    if isinstance(error, UnknownOptionError):
        return _unknown(error, error.token.keyword or error.token.value)
    if isinstance(error, CoercionError) and taken is not None and error.token:
        name = taken.parameter.metavar if is_argument(taken) else taken.name
        return f"{name}{misfit(error.token.value, taken.hint)}"
    if isinstance(error, ValidationError) and taken is not None:
        limits: Any = taken.parameter.validator
        within = _within(limits[0].gte, limits[0].lte)
        return f"{taken.name} must be {within}, not {taken.value:g}"
    if isinstance(error, MissingArgumentError) and taken is not None:
        if error.keyword is not None:
            choices = ", ".join(choices_of(taken.hint))
            value = f"one of {choices}" if choices else taken.parameter.metavar
            return f"{error.keyword} needs a value: {value}"
        # what is missing may have been misspelled
        if unknown := [one for one in error.unused_tokens or () if one[:2] == "--"]:
            return _unknown(error, unknown[0])
        value = taken.parameter.metavar
        if is_argument(taken):
            return f"{verb} needs {value}; irmeta {verb} --help says what it takes"
        return f"{verb} needs {taken.name} {value}"
    return str(error).rstrip(".")


def _no_command(error: UnknownCommandError) -> str:
    """Say that there is no such command, and name the nearest."""
    from irmeta.metrics.names import alike

    given = (error.unused_tokens or [""])[0]
    every = [name for name in error.app or () if not name.startswith("-")]
    command = " ".join(["irmeta", *(error.command_chain or ())])
    close = [one for one in every if one == MEANT.get(given)]
    close = close or [one for one in every if one.startswith(given)]
    close = close or alike(given, every, 0.6)
    near = joined(close[:3], "or") if close else ""
    rest = f"did you mean {near}?" if near else f"{command} --help lists all"
    return f"{command} has no command {given}; {rest}"


def _given_twice(error: RepeatArgumentError) -> str:
    """Say that an option is given twice, and how it takes several values, if it does."""
    name = error.token.keyword
    taken = [one for one in _taken(error) if name in one.names]
    value = str(taken[0].parameter.metavar) if taken else ""
    if value.endswith("S") or value.startswith("N,"):
        return f"{name} is given twice; give its values once, with commas between them: {name} A,B"
    return f"{name} is given twice; it takes one value"


def _unknown(error: CycloptsError, given: str) -> str:
    """Say why a study does not take an option of others, or name the one that was meant; else say where all are."""
    from irmeta.metrics.names import alike

    verb = " ".join(error.command_chain or ())
    name = given.partition("=")[0]
    command = f"irmeta {verb}".rstrip()
    whys = [one.refuses for one in STUDIES.values() if one.verb == verb]
    if whys and name in whys[0]:
        return f"{command} takes no {name}: {whys[0][name]}"
    every = [own for one in _taken(error) if one.parse for own in one.names]
    begun = [one for one in every if one.startswith(name)]
    close = begun or alike(name, every, ALIKE)
    rest = f"{command} --help-all lists all"
    if not begun and (verbs := commands_with(name)):
        has = "has" if len(verbs) == 1 else "have"
        few = joined if len(verbs) <= NAMED else listed
        rest = f"{few(verbs)} {has} it"
    elif close:
        rest = f"did you mean {close[0]}?"
    return f"{command} has no option {name}; {rest}"


def commands_with(name: str) -> list[str]:
    """Return the commands of which a study's own parameter is called so."""
    parameter = name.removeprefix("--").replace("-", "_")
    studies = [one for one in STUDIES.values() if one.command is not None]
    return [
        f"irmeta {one.verb}"
        for one in studies
        if parameter
        in getattr(import_module(f"irmeta.studies.{one.home}"), one.function).door.takes
    ]


def _refuse_metrics(words: Iterable[Any]) -> None:
    """Raise where a word that stands among files is a metric by itself, and no file is called so."""
    for word in map(str, words):
        if (mend := _in_quotes(word)) and not Path(word).exists():
            raise IrmetaError(f"{word}: no such file{mend}")


def _in_quotes(word: str) -> str:
    """Say how several metrics are named, where a word is one that stands by itself."""
    from irmeta.metrics.names import is_known

    if not is_known(word):
        return ""
    return f"; name several metrics in quotes, as in -m '... {word}'"


def _with_commas(word: str) -> str:
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


def _taken(error: CycloptsError) -> "Iterable[Argument]":
    """Return all that a command takes."""
    chosen: Any = app.app
    for word in error.command_chain or ():
        chosen = chosen[word]
    every: Iterable[Argument] = chosen.assemble_argument_collection()
    return every


def _takes(error: CycloptsError) -> str:
    """Say which arguments a command takes."""
    names = [str(one.parameter.metavar) for one in _taken(error) if is_argument(one)]
    return (
        "one score file"
        if names == ["SCORES"]
        else f"only {' '.join(names) or 'options'}"
    )


def misfit(value: str, kind: Any) -> str:
    """Say what an option takes that cannot have a value.

    >>> from typing import Literal
    >>> misfit("bonferoni", Literal["holm", "bonferroni"])
    ": 'bonferoni' is not one of holm, bonferroni; did you mean bonferroni?"
    >>> misfit("x", float)
    " must be a number, not 'x'"
    >>> misfit("2%", float)
    " must be a number, not '2%'; a share is written as 0.02, and a difference of scores in their own unit"
    """
    from irmeta.metrics.names import alike

    kinds = _kinds(kind)
    if choices := choices_of(kind):
        begun = [one for one in choices if value.startswith(one)]
        close = [*alike(value, choices, least=0.6), *begun]
        mean = "".join(f"; did you mean {one}?" for one in close[:1])
        return f": {value!r} is not one of {', '.join(choices)}{mean}"
    percent = float in kinds and re.fullmatch(r"(\d+|\d*\.\d+)%", value)
    share = ""
    if percent:
        written = f"{float(percent[1]) / 100:g}"
        share = f"; a share is written as {written}, and a difference of scores in their own unit"
    return f" must be a {'whole ' if int in kinds else ''}number, not {value!r}{share}"


def _within(low: Any, high: Any) -> str:
    """Say which numbers lie between two limits, of which one may be absent."""
    if high is None:
        return f"{low:g} or more"
    if low is None:
        return f"{high:g} or less"
    return f"from {low:g} to {high:g}"
