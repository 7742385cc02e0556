"""The help of every command: its examples can be typed, and its options say what they stand for."""

import re
import shlex
from importlib import import_module

import pytest
from typer.core import TyperArgument
from typer.main import get_command

from irmeta.cli import _modules
from irmeta.cli.app import app

for module in _modules():
    import_module(f"irmeta.cli.{module}")


def commands(group=None, verb=""):
    group = group or get_command(app)
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{verb} {name}".strip())
        else:
            yield f"{verb} {name}".strip(), command


COMMANDS = dict(commands())
VALUES = {
    *("N", "X", "TEXT", "FILE", "DIR", "CHOICE", "NAME", "NAMES", "METRIC", "METRICS"),
    *("SYSTEM", "SYSTEMS", "SCORES", "KINDS", "COSTS", "GRADES", "ADDRESS"),
    *("local", "stem", "file", "tag"),
}
"""The words that stand for a value."""


def examples(command):
    """The command lines in a command's help, put together again where they continue on another line."""
    _, _, text = command.help.partition("Examples:\n")
    return [
        line
        for line in text.replace("\\\n", "").splitlines()
        if line.startswith("irmeta ")
    ]


@pytest.mark.parametrize("verb", COMMANDS)
def test_examples_can_be_typed(verb):
    """Each line fits a terminal, and an example has only options of its command, with values that these take."""
    command = COMMANDS[verb]
    assert examples(command)
    assert max(map(len, command.help.partition("Examples:\n")[2].splitlines())) <= 78
    for example in examples(command):
        words = shlex.split(example)[1:]
        # leaderboard shows an import, too
        used = verb if words[: len(verb.split())] == verb.split() else words[0]
        COMMANDS[used].make_context(used, words[len(used.split()) :]).close()


@pytest.mark.parametrize("verb", COMMANDS)
def test_options_say_what_they_take(run, verb):
    """The usage names the arguments as manual pages do, and no type of Python stands in for a value."""
    code, out, _ = run(*verb.split(), "--help")
    assert code == 0
    arguments = [one for one in COMMANDS[verb].params if isinstance(one, TyperArgument)]
    usage = " ".join(
        [
            f"irmeta {verb} [OPTIONS]",
            *(f"{a.metavar}{'...' * (a.nargs != 1)}" for a in arguments),
        ]
    )
    assert usage in " ".join(out.replace("│", " ").split())
    options = [
        one for one in COMMANDS[verb].params if not isinstance(one, TyperArgument)
    ]
    assert {
        word for one in options for word in re.findall(r"\w+", one.metavar)
    } <= VALUES
    types = re.findall(r"<[a-z]+(?:\[\w+\])?>", out)
    assert types == []
    folders = [
        one
        for one in options
        if one.help.startswith(("Folder", "The folder", "The output folder"))
    ]
    assert all("DIR" in one.metavar for one in folders)
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize("verb", COMMANDS)
def test_missing_lists_what_the_command_takes(verb):
    """Only the commands that compare two by two take, and list, --missing pairwise."""
    options = {one.name: one for one in COMMANDS[verb].params}
    of_pairs = verb in ("correlate", "versus", "standardize fit")
    text = options["missing"].help if "missing" in options else ""
    assert ("pairwise" in text) == of_pairs
