"""The help of every command: its examples can be typed, and its options say what they stand for."""

import re
import shlex

import pytest

from irmeta.cli import commands
from irmeta.cli.app import ARGUMENTS

COMMANDS = commands()
VALUES = {
    *("N", "X", "TEXT", "FILE", "DIR", "CHOICE", "NAME", "NAMES", "METRIC", "METRICS"),
    *("SYSTEM", "SYSTEMS", "SCORES", "KINDS", "COSTS", "GRADES", "ADDRESS"),
    *(
        "local",
        "stem",
        "each",
        "file",
        "tag",
        "folder",
        "TASK",
        "TEAM",
        "DATE",
        "KEY",
        "PAGE",
        "PERSON",
        "URL",
        "TYPE",
        "PATTERN",
        "RUN",
        "OWNER",
    ),
}
"""The words that stand for a value."""


def taken(verb):
    """What a command takes: its arguments, then its options."""
    every = COMMANDS[verb].assemble_argument_collection()
    arguments = [one for one in every if one.parameter.group == (ARGUMENTS,)]
    return arguments, [one for one in every if one not in arguments]


def examples(command):
    """The command lines in a command's help, put together again where they continue on another line."""
    text = command.help_epilogue.removeprefix("Examples:\n")
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
    assert max(map(len, command.help_epilogue.splitlines())) <= 78
    for example in examples(command):
        words = shlex.split(example)[1:]
        # leaderboard shows an import, too
        used = verb if words[: len(verb.split())] == verb.split() else words[0]
        COMMANDS[used].parse_args(
            words[len(used.split()) :], exit_on_error=False, print_error=False
        )


@pytest.mark.parametrize("verb", COMMANDS)
def test_options_say_what_they_take(run, verb):
    """The usage names the arguments, and no type of Python stands in for a value."""
    code, out, _ = run(*verb.split(), "--help")
    assert code == 0
    arguments, options = taken(verb)
    usage = " ".join(out.partition("\n\n")[0].split())
    assert usage.startswith(f"Usage: irmeta {verb} ")
    assert all(one.parameter.metavar in usage for one in arguments)
    flags = [one for one in options if one.hint is bool]
    assert all(one.parameter.metavar is None for one in flags)
    valued = [one for one in options if one not in flags]
    stand = [
        word for one in valued for word in re.findall(r"\w+", one.parameter.metavar)
    ]
    assert set(stand) <= VALUES
    folders = [
        one
        for one in options
        if one.parameter.help.startswith(("Folder", "The folder", "The output folder"))
    ]
    assert all("DIR" in one.parameter.metavar for one in folders)
    assert max(map(len, out.splitlines())) <= 80


def test_the_help_of_all_is_one_screen(run):
    """Each command has a line, the first are to start with; checks of runs and of scores name each other."""
    _, out, _ = run("--help")
    lines = out.splitlines()
    assert len(lines) <= 45
    assert max(map(len, lines)) <= 80
    assert "irmeta what FILES..." in lines[2]
    assert lines[4:6] == ["Start here", f"  what          {lines[5][16:]}"]
    words = {line.split()[0]: line for line in lines if line.startswith("  ")}
    assert words.keys() == {verb.split()[0] for verb in COMMANDS} - {"--completion"}
    assert "verify" in words["validate"]
    assert "validate" in words["verify"]


def test_what_every_recipe_names_stands_in_the_short_help(run):
    """-m has its line among the options of a study; options that take a file of columns name these."""
    out = " ".join(run("leaderboard", "--help")[1].replace("│", " ").split())
    assert "-m METRIC The metric that ranks" in out
    assert "[default: the first]" in out
    assert "--about FILE A CSV with the columns model, link, kind, size," in out
    assert "--cost FILE A CSV with the columns model and cost" in out


def test_what_a_recipe_of_table_names_stands_in_its_help(run):
    """Names and widths of a paper are explained where the table for one is, in no more lines than a help may have."""
    _, out, _ = run("table", "--help")
    said = " ".join(out.replace("│", " ").split())
    assert "--labels FILE What the paper calls systems and metrics" in said
    assert "--plot-width X Width of the plot in inches: 3.3 fits a column" in said
    assert len(out.splitlines()) <= 45


@pytest.mark.parametrize("verb", COMMANDS)
def test_missing_lists_what_the_command_takes(verb):
    """Only the commands that compare two by two take, and list, --missing pairwise."""
    options = {one.name: one.parameter.help for one in taken(verb)[1]}
    of_pairs = verb in ("correlate", "versus", "standardize fit")
    assert ("pairwise" in options.get("--missing", "")) == of_pairs
