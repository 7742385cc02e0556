"""Completion in bash, zsh and fish: verbs, options, choices, and the names that a score file on the line has."""

from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from irmeta.cli.app import app, argument, choices_of, is_argument
from irmeta.errors import IrmetaError

if TYPE_CHECKING:
    from cyclopts.argument import Argument

NAMES = {
    "SYSTEM": "system",
    "SYSTEMS": "system",
    "METRIC": "metric",
    "METRICS": "metric",
}
"""What names an option takes, by what stands for its value; a few options say it by their own names."""
OPTIONS = {
    "--systems": "system",
    "--highlight": "system",
    "--order": "system",
    "--remove": "system",
    "--system": "system",
    "--topics": "topic",
    "--metrics": "metric",
    "--given": "metric",
}
LISTED = {
    "PAPER": "irmeta.cli.showing.reproduce.papers",
    "COLLECTION": "irmeta.datasets.catalog.catalog",
    "NAME|FILE": "irmeta.datasets.reference.shipped_factors",
}
"""What returns the names that an argument or an option takes, by what stands for its value."""
_BASH = """_irmeta() {
  local IFS=$'\\n'
  COMPREPLY=($(irmeta --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
COMP_WORDBREAKS=${COMP_WORDBREAKS//@}  # nDCG@10 is one word
complete -o default -F _irmeta irmeta
"""
_ZSH = """(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -u }
_irmeta() {
  local -a found
  found=("${(@f)$(irmeta --complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n $found[1] ]]; then compadd -- $found; else _files; fi
}
compdef _irmeta irmeta
"""
_FISH = """complete -c irmeta -a '(irmeta --complete (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
"""
Shell = Literal["bash", "zsh", "fish"]
SCRIPTS: dict[Shell, str] = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


@app.command(name="--completion")
def _completion(
    shell: Annotated[Shell, argument(help="The shell: bash, zsh or fish.")],
) -> None:
    """Print what lets a shell complete commands, options and names: eval "$(irmeta --completion bash)"."""
    print(SCRIPTS[shell], end="")


def complete(words: Sequence[str]) -> list[str]:
    """Return what the last of these words may become; nothing where it is a file, or not known.

    words : of a command line without irmeta itself.
    """
    *before, last = words or [""]
    command, rest = app.app, list(before)
    while rest and rest[0] in command.resolved_commands():
        command = command[rest.pop(0)]
    if command.default_command is None:
        flags = last.startswith("-")
        names = command.resolved_commands()
        alike = [name for name in names if name.startswith("-") == flags]
        return _starting_with(last, alike)
    parameters = command.assemble_argument_collection()
    options = [taken for taken in parameters if not is_argument(taken)]
    options_by_name = {name: taken for taken in options for name in taken.names}
    option = options_by_name.get(before[-1]) if before else None
    if option is not None and option.hint is not bool:
        return _complete_value(before[-1], option, last, before)
    if last.startswith("-"):
        return _starting_with(last, [*options_by_name, "--help", "--help-all"])
    arguments = [taken for taken in parameters if is_argument(taken)]
    first = all(word.startswith("-") for word in rest)
    if arguments and (first or arguments[0].parameter.metavar in LISTED):
        return _starting_with(last, _listed_values(arguments[0]))
    return []


def _listed_values(taken: "Argument") -> list[str]:
    """Return the choices of an argument or an option, or the names that irmeta knows for it."""
    path = LISTED.get(str(taken.parameter.metavar))
    if path is None:
        return choices_of(taken.hint)
    module, _, function = path.rpartition(".")
    return list(getattr(import_module(module), function)())


def _complete_value(
    name: str, option: "Argument", last: str, before: Sequence[str]
) -> list[str]:
    """Return the values of an option: its choices, or names from the score files on the line.

    Of a list the last name is completed: the part after the last comma or space.
    """
    dim = OPTIONS.get(name) or OPTIONS.get(option.name)
    dim = dim or NAMES.get(str(option.parameter.metavar))
    if "--collection" in option.names:
        dim = "collection"
    if dim is None:
        return _starting_with(last, _listed_values(option))
    start = max(last.rfind(","), last.rfind(" ")) + 1
    names = _starting_with(last[start:], _names_in_files(before, dim))
    return [last[:start] + name for name in names]


def _names_in_files(words: Iterable[str], dim: str) -> list[str]:
    """Return the names of the score files among words: of systems, topics, metrics, or collections."""
    from irmeta.io.formats.scores import read_descriptions

    names: list[str] = []
    for word in words:
        path = Path(word).expanduser()
        if path.suffix != ".parquet" or not path.is_file():
            continue
        try:
            descriptions = read_descriptions(path)
        except (IrmetaError, OSError):
            continue
        for name, description in descriptions.items():
            names += [name] if dim == "collection" else description["names"][dim]
    return list(dict.fromkeys(names))


def _starting_with(start: str, names: Iterable[str]) -> list[str]:
    """Return those names that begin so."""
    return [name for name in names if name.startswith(start)]
