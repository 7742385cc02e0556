"""Commands derived from studies: signature, types, defaults and docstring of the function are the list of options."""

import inspect
import re
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from irmeta import choices
from irmeta.choices import MEANINGS, explained
from irmeta.cli.app import app, argument, fields_of, option, parameter_of
from irmeta.cli.options import (
    SCORES,
    WHERE_MISSING,
    Best,
    Seed,
    Selected,
    Shown,
    Teamed,
    distinct,
    only,
)
from irmeta.studies import STUDIES, Verb

if TYPE_CHECKING:
    from irmeta.studies.door import Parameter

ONE = "A score file (Parquet), as written by irmeta evaluate or import."
SEVERAL = "Score files (Parquet); every collection in them is used."
VALUES = {
    **dict.fromkeys(("targets", "include", "exclude"), "METRICS"),
    **dict.fromkeys(("by", "target", "metric"), "METRIC"),
    **dict.fromkeys(("system", "baseline"), "SYSTEM"),
    "against": "SYSTEMS",
}
"""What stands for the value of a text, by the name of the option."""
_BY_DEFAULT = re.compile(r"[;,] by default (.+?)\.?$")


def register(words: Sequence[str] | None) -> None:
    """Register the commands of studies: whole where the words ask for it, or with None; else with their question only.

    To know the options of a command is to import its study, which takes longer than the help of all needs.
    """
    for study in STUDIES.values():
        if study.command is None:
            continue
        group, _, word = study.verb.rpartition(" ")
        verbs = getattr(import_module(f"irmeta.cli.{group}"), group) if group else app
        if (
            words is not None
            and list(words[: len(study.verb.split())]) != study.verb.split()
        ):
            verbs.announce(word, study.question)
            continue
        home = import_module(f"irmeta.studies.{study.home}")
        command = Derived(getattr(home, study.function), study.command)
        text = described(command.function.__doc__ or "")
        verbs.add(word, command, command.signature(), text, study.command.examples)


class Derived:
    """The command of a study: what it takes on the command line, and how it calls the function."""

    def __init__(self, function: Any, verb: Verb) -> None:
        self.function = function
        self.verb = verb
        self.takes: dict[str, Parameter] = function.door.takes
        first = next(iter(self.takes))
        self.positional = (first,) if verb.positional is None else verb.positional
        self.files = [
            name
            for name, one in self.takes.items()
            if one.cube or one.cubes or name in self.positional
        ]

    def signature(self) -> inspect.Signature:
        """Return the parameters of the command: files, the study's own options, what scores to use, where it goes."""
        hints: dict[str, tuple[Any, Any]] = {}
        for name in self.files:
            hints[name] = self._file(name)
        shared = {"metrics", "missing", "top", "teams", "rng"}
        shared |= {"by"} if "top" in self.takes else set()
        for name, one in self.takes.items():
            if name not in shared and name not in self.files:
                hints |= self._own(name, one)
        if "rng" in self.takes:
            hints["seed"] = (Seed, 0)
        if self.verb.view:
            views = getattr(choices, self.verb.view)
            text = explained(views, "What --plot draws.")
            hints["view"] = (Annotated[views, option(help=text)], views.__args__[0])
        parameters = [
            parameter_of(name, default, hint) for name, (hint, default) in hints.items()
        ]
        parameters += fields_of(Selected)
        if "top" in self.takes:
            parameters += fields_of(Best)
        if "teams" in self.takes:
            parameters += fields_of(Teamed)
        if "missing" in self.takes:
            one = self.takes["missing"]
            text = explained(one.choices, WHERE_MISSING)
            chosen = option(panel=SCORES, help=text)
            kinds = one.choices
            parameters.append(
                parameter_of("missing", one.default, Annotated[kinds, chosen])
            )
        return inspect.Signature([*parameters, *fields_of(Shown)])

    def __call__(self, given: dict[str, Any]) -> None:
        """Read the scores, call the study with what was given, and show its result."""
        from irmeta.studies.door import SPOKEN

        shown = Shown(**{one.name: given.pop(one.name) for one in fields_of(Shown)})
        selected = Selected(
            **{one.name: given.pop(one.name) for one in fields_of(Selected)}
        )
        view = given.pop("view", None)
        SPOKEN.set(_option)
        # what cannot be read is said before any file is
        for name, value in given.items():
            if isinstance(value, str) and name in self.takes:
                given[name] = self.takes[name].read(value)
        cubes = self._cubes(selected, given)
        for name, (flag, value) in self.verb.flags.items():
            if given.pop(_named(flag)):
                given[name] = value
        options = {name: value for name, value in given.items() if value is not None}
        if "seed" in options:
            options["rng"] = options.pop("seed")
        if "metrics" in self.takes and selected.metrics is not None:
            options["metrics"] = selected.metrics
        shown.show(self.function, view=view, **cubes, **options)

    def _file(self, name: str) -> tuple[Any, Any]:
        """Return how a file of scores, or several, is given: as an argument, or as an option."""
        one = self.takes[name]
        default = inspect.Parameter.empty if one.default is not None else None
        if name not in self.positional:
            hint = (
                list[Path] if default is inspect.Parameter.empty else list[Path] | None
            )
            return Annotated[
                hint, option(several=True, help=_sentence(one.text))
            ], default
        if len(self.positional) > 1:
            return Annotated[Path, argument(help=_sentence(one.text))], default
        if one.cube:
            return Annotated[Path, argument(metavar="SCORES", help=ONE)], default
        return Annotated[list[Path], argument(metavar="SCORES", help=SEVERAL)], default

    def _own(self, name: str, one: "Parameter") -> dict[str, tuple[Any, Any]]:
        """Return an option of the study itself, by its name on the command line."""
        text = _sentence(_BY_DEFAULT.sub("", one.text))
        if name in self.verb.flags:
            flag = self.verb.flags[name][0]
            return {_named(flag): (Annotated[bool, option(flag, help=text)], False)}
        settings: dict[str, Any] = {"metavar": VALUES.get(name)}
        if found := _BY_DEFAULT.search(one.text):
            settings["show_default"] = found[1]
        default = one.default
        kind: Any = next((k for k in (bool, int, float) if k in one.kinds), str)
        if one.choices in MEANINGS:
            text = explained(one.choices, f"{text.partition(':')[0].rstrip('.')}.")
            kind = str if one.several else one.choices
        if kind is str and not isinstance(default, str | type(None) | type):
            settings.setdefault("show_default", ",".join(map(str, default)) or None)
            default = None
        if kind is str and one.several and one.choices is None:
            settings["metavar"] = "N,N,..."
        elif kind is str and "Mapping" in str(one.hint):
            settings["metavar"] = "NAME=X"
        if default is None:
            kind = kind | None
        names = [f"-{name}"] if len(name) == 1 else []
        return {name: (Annotated[kind, option(*names, help=text, **settings)], default)}

    def _cubes(self, selected: Selected, given: dict[str, Any]) -> dict[str, Any]:
        """Read the scores of each parameter that takes some; collections that files share go by the files' names."""
        beside = [given.get(name) for name in ("by", "target", "targets")]
        also = " ".join(one for one in beside if one) or None
        files: dict[str, Any] = {name: given.pop(name) or [] for name in self.files}
        if len(self.positional) > 1:
            # --collection chooses where one is to be chosen
            every = replace(selected, collection=None)
            return {
                name: only(selected.read(path, also))
                if self.takes[name].cube
                else every.read(path, also)
                for name, path in files.items()
            }
        if any(isinstance(one, Path) for one in files.values()):
            return {name: only(selected.read(one, also)) for name, one in files.items()}
        read = distinct(
            [
                [(path, selected.read(path, also)) for path in paths]
                for paths in files.values()
            ]
        )
        return dict(zip(files, read, strict=True))


def described(doc: str) -> str:
    """Return what a docstring says before its parameters, as the help of a command does."""
    paragraphs = inspect.cleandoc(doc).split("\n\n")
    ends = ("Returns ", "Raises ", "Source", ">>>", "Gives ")
    kept = []
    for one in paragraphs:
        if re.match(r"[a-z_]+(, [a-z_]+)* : ", one) or one.startswith(ends):
            break
        kept.append(" ".join(one.split()))
    return "\n\n".join(kept)


def _option(name: str) -> str:
    """Return the option of a parameter, as in --top-on or -k."""
    return f"-{name}" if len(name) == 1 else f"--{name.replace('_', '-')}"


def _named(flag: str) -> str:
    """Return the name of a flag as one of Python: --these-topics is these_topics."""
    return flag.removeprefix("--").replace("-", "_")


def _sentence(text: str) -> str:
    """Return a text as a sentence, without the quotes of code."""
    text = text.replace("`", "").strip().rstrip(".")
    return f"{text[:1].upper()}{text[1:]}." if text else ""
