"""Commands derived from studies: signature, types, defaults and docstring of the function are the list of options."""

import inspect
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import fields, replace
from importlib import import_module
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

from irmeta import choices
from irmeta.choices import MEANINGS, entries, explained
from irmeta.cli.app import (
    ENTRY,
    app,
    argument,
    fields_of,
    option,
    parameter_of,
    question,
    sentence,
)
from irmeta.cli.options import (
    SCORES,
    WHERE_MISSING,
    Best,
    Called,
    Families,
    Seed,
    Selected,
    Shown,
    Teamed,
    named,
    to_import,
)
from irmeta.cli.output import FAILED, refuse_overwriting, say, say_wrote, working
from irmeta.errors import FileFormatError, IrmetaError
from irmeta.studies import STUDIES, Verb
from irmeta.words import folded

if TYPE_CHECKING:
    from irmeta.studies.door import Given, Parameter

ONE = "A score file (Parquet), as written by irmeta evaluate or import."
SEVERAL = "Score files (Parquet); every collection in them is used."
VALUES = {
    **dict.fromkeys(("targets", "include", "exclude"), "METRICS"),
    **dict.fromkeys(("by", "target", "metric"), "METRIC"),
    **dict.fromkeys(("system", "baseline"), "SYSTEM"),
    "against": "SYSTEMS",
    "truth": "NAME",
    "want": "METRICS",
    "given": "SCORES",
    **dict.fromkeys(("history", "about"), "FILE"),
    "beside": "URL",
}
"""What stands for the value of a text, by the name of the option."""


def register(words: Sequence[str] | None) -> None:
    """Register the commands of studies: whole where the words ask for it, or with None; else with their question only.

    To know the options of a command is to import its study, which takes longer than the help of all needs.
    """
    for study in STUDIES.values():
        if study.command is None:
            continue
        group, _, word = study.verb.rpartition(" ")
        verbs = app
        if group:
            verbs = getattr(import_module(f"irmeta.cli.studies.{group}"), group)
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
        every: dict[str, Parameter] = function.door.takes
        first = next(iter(every))
        self.positional = (first,) if verb.positional is None else verb.positional
        self.takes = {
            name: one
            for name, one in every.items()
            if name in self.positional or _is_taken(one)
        }
        self.files = [
            name
            for name, one in self.takes.items()
            if one.cube or one.cubes or (name in self.positional and not one.given)
        ]

    @property
    def _either(self) -> str | None:
        """The argument that is scores, or with judgments runs."""
        found = [name for name in self.positional if self.takes[name].either]
        return found[0] if found and "qrels" in self.takes else None

    def signature(self) -> inspect.Signature:
        """Return the parameters of the command: files, the study's own options, what scores to use, where it goes."""
        hints: dict[str, tuple[Any, Any]] = {}
        for name in self.files:
            hints[name] = self._file(name)
        shared = {"metrics", "missing", "teams", "families", "rng", *self.files}
        shared |= {one.name for one in self._best}
        if self._selects:
            shared |= {one.name for one in fields(Selected)}
        for name, one in self.takes.items():
            if name not in shared:
                hints |= self._own(name, one)
        if "rng" in self.takes:
            hints["seed"] = (Seed, 0)
        if self.verb.view:
            views = getattr(choices, self.verb.view)
            text = explained(views, "What --plot draws.")
            hints["view"] = (Annotated[views, option(help=text)], views.__args__[0])
        if self.verb.page:
            writer = _imported(self.verb.page)
            texts = entries(writer.__doc__ or "")
            for name in self._of_page:
                taken, default = question(texts[name])
                own = option(help=taken, show_default=default, metavar=VALUES.get(name))
                hints[name] = (Annotated[str | None, own], None)
        parameters = [
            parameter_of(name, default, hint) for name, (hint, default) in hints.items()
        ]
        own = self.verb.own
        called = fields_of(Called, own) if self.verb.labels else []
        return inspect.Signature(
            [*parameters, *self._shared(), *called, *fields_of(Shown, own)]
        )

    def _shared(self) -> list[inspect.Parameter]:
        """Return the options that say which scores to use."""
        parameters = []
        if self._selects:
            parameters += fields_of(Selected)
        every: dict[str, Parameter] = self.function.door.takes
        one = every.get("metric" if self._selects else "metrics")
        if one is not None:
            parameters = [other for other in parameters if other.name != "metrics"]
            text, default = question(one.text)
            names = ("-m", "--metrics", "--metric")
            taken = option(
                *names,
                metavar=VALUES.get(one.name, "METRICS"),
                help=text,
                show_default=default,
            )
            parameters.append(
                parameter_of("metrics", one.default, Annotated[str | None, taken])
            )
        parameters += self._best
        if "teams" in self.takes:
            parameters += fields_of(Teamed)
        if "families" in self.takes:
            parameters += fields_of(Families)
        if "missing" in self.takes:
            one = self.takes["missing"]
            text = explained(one.choices, WHERE_MISSING)
            chosen = option(panel=SCORES, help=text)
            parameters.append(
                parameter_of("missing", one.default, Annotated[one.choices, chosen])
            )
        return parameters

    @property
    def _selects(self) -> bool:
        """Whether options say which scores of files to use."""
        return bool(self.files or self._either)

    @property
    def _best(self) -> list[inspect.Parameter]:
        """Return the options that keep the best systems by a metric, but those of which the study says more."""
        if not {"top", "by"} <= set(self.takes):
            return []
        said = Counter(one.text for one in self.takes.values())
        return [one for one in fields_of(Best) if said[self.takes[one.name].text] > 1]

    @property
    def _of_page(self) -> list[str]:
        """The options of the page that -o FOLDER writes."""
        if not self.verb.page:
            return []
        taken = inspect.signature(_imported(self.verb.page)).parameters
        kept = [one for one in taken.values() if one.kind is one.KEYWORD_ONLY]
        shared = {one.name for one in fields(Shown)}
        return [
            one.name for one in kept if one.default is None and one.name not in shared
        ]

    def __call__(self, given: dict[str, Any]) -> None:
        """Read the scores, call the study with what was given, and show its result."""
        shown = Shown(**_popped(Shown, given))
        called = Called(labels=given.pop("labels", None))
        labels = called.names_in(given)
        made: list[Any] = []

        def study(*data: Any, **options: Any) -> Any:
            made.append(self.function(*data, **options))
            if not labels:
                return made[0]
            from irmeta.studies.result import Result
            from irmeta.studies.result.labels import labelled

            return Result(labelled(made[0].data, labels, str(called.labels)))

        selected = self._selected(given)
        view = given.pop("view", None)
        of_page = {name: given.pop(name) for name in self._of_page}
        source = [Path(one) for name in self.files for one in _listed(given[name])]
        self._read_values(given)
        scores_of: Any = None
        to = shown.output if self.verb.scores else None
        if to is not None and to.suffix == ".parquet":
            refuse_overwriting(to)
            with working(shown.workers, quiet=shown.quiet):
                given, scores_of = _imported(self.verb.scores)(to, given)
            shown = replace(shown, output=None)
        arguments = self._arguments(selected, given)
        folder = shown.folder if self.verb.page else None
        shown = self._beside_page(shown, folder, of_page)
        try:
            result = shown.show(study, view=view, **arguments)
        except FileFormatError as error:
            # data that may be judgments, or scores: logs of other tools are neither yet
            every = [
                one for name in self.positional for one in _listed(given.get(name))
            ]
            # what is read already was scores
            data = [str(one) for one in every if isinstance(one, str | Path)]
            raise FileFormatError(to_import(data) or str(error)) from error
        if scores_of is not None and to is not None:
            from irmeta.io.formats.scores import save

            save(scores_of(made[0]), to)  # runs keep their names
            say_wrote(to, quiet=shown.quiet)
        if folder is not None:
            files = [quote(path.name) for path in source]
            of_page["source"] = " ".join([*files, *selected.flags()])
            self._write_page(result, folder, of_page, quiet=shown.quiet)
        if result.get("failed"):
            sys.exit(FAILED)

    def _selected(self, given: dict[str, Any]) -> Selected:
        """Take out which scores of files to use; the study, too, is given what it asks for of that."""
        if not self._selects:
            return Selected()
        own = _popped(Selected, given)
        for name in ("metrics", "systems", "topics"):
            if name in self.takes and own[name] is not None:
                given[name] = named(own[name])
        return Selected(**own)

    def _read_values(self, given: dict[str, Any]) -> None:
        """Put in place of flags and texts what they stand for: what cannot be read is said before scores are."""
        for name, (flag, value) in self.verb.flags.items():
            if given.pop(_identifier(flag)):
                given[name] = value
        for name, value in given.items():
            if value is not None and name in self.takes and name not in self.files:
                given[name] = self.takes[name].read(value)

    def _arguments(self, selected: Selected, given: dict[str, Any]) -> dict[str, Any]:
        """Return what the study is called with: scores that are read, and the options given."""
        from irmeta.scores.cubes import distinctly_named

        cubes = self._cubes(selected, given)
        if self._either and given.get("qrels") is None:
            paths = [Path(one) for one in _listed(given[self._either])]
            read = [[(path, selected.read(path)) for path in paths]]
            [given[self._either]] = distinctly_named(read) if paths else [None]
        elif self._either and selected.collection is not None:
            given["qrels"] = _called(given["qrels"], selected.collection)
        options = {name: value for name, value in given.items() if value is not None}
        if "seed" in options:
            options["rng"] = options.pop("seed")
        return {**cubes, **options}

    def _beside_page(
        self, shown: Shown, folder: Path | None, of_page: dict[str, Any]
    ) -> Shown:
        """Return what is shown beside a page, which takes --highlight, too; refuse options of a page without one."""
        if folder is not None:
            of_page["highlight"] = named(shown.highlight)
            return replace(shown, output=None)
        lone = [name for name, value in of_page.items() if value is not None]
        if lone:
            raise IrmetaError(f"--{lone[0]} is of the page, so it needs -o DIR")
        return shown

    def _write_page(
        self, result: Any, folder: Path, of_page: dict[str, Any], *, quiet: bool
    ) -> None:
        """Write the page of a result, and say what changed since the one that was there."""
        from irmeta.report.kept import PAGE
        from irmeta.report.page.since import changes_said

        old = folder / PAGE
        before = old.read_bytes() if old.is_file() else b""
        page = _imported(self.verb.page)(result, folder, **of_page)
        say_wrote(page, "open it in a browser, mail it, or host it", quiet=quiet)
        changed = changes_said(page.read_bytes())
        if changed != changes_said(before):
            say(folded(changed), quiet=quiet)

    def _file(self, name: str) -> tuple[Any, Any]:
        """Return how a file of scores, or several, is given: as an argument, or as an option."""
        one = self.takes[name]
        default = inspect.Parameter.empty if one.default is not None else None
        if name not in self.positional:
            hint = (
                list[Path] if default is inspect.Parameter.empty else list[Path] | None
            )
            return Annotated[
                hint, option(several=True, help=sentence(one.text))
            ], default
        if len(self.positional) > 1:
            return Annotated[Path, argument(help=sentence(one.text))], default
        if one.cube:
            return Annotated[Path, argument(metavar="SCORES", help=ONE)], default
        return Annotated[list[Path], argument(metavar="SCORES", help=SEVERAL)], default

    def _data(self, name: str, one: "Parameter", given: "Given") -> tuple[Any, Any]:
        """Return how data that are no scores are named: a file, a folder, or what else their text stands for."""
        text, shown = question(one.text)
        kind: Any = list[str] if given.several else str
        default = one.default
        if default is None:
            kind = kind | None
        if name in self.positional:
            return Annotated[kind, argument(metavar=given.value, help=text)], default
        taken = option(metavar=given.value, help=text, show_default=shown)
        return Annotated[kind, taken], default

    def _own(self, name: str, one: "Parameter") -> dict[str, tuple[Any, Any]]:
        """Return an option or argument of the study itself, by its name on the command line."""
        if one.given is not None:
            return {name: self._data(name, one, one.given)}
        text, shown = question(one.text)
        if name in self.verb.flags:
            flag = self.verb.flags[name][0]
            return {
                _identifier(flag): (Annotated[bool, option(flag, help=text)], False)
            }
        settings: dict[str, Any] = {"metavar": VALUES.get(name)}
        if shown is not None:
            settings["show_default"] = shown
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
        if "target" in self.takes:  # which is found among all metrics
            selected = replace(selected, metrics=None)
        beside = [given.get(name) for name in ("by", "target", "targets")]
        also = " ".join(one for one in beside if one) or None
        files: dict[str, Any] = {name: given.pop(name) or [] for name in self.files}
        if len(self.positional) > 1:
            # --collection chooses where one is to be chosen
            every = replace(selected, collection=None)
            return {
                name: selected.one(path, also)
                if self.takes[name].cube
                else every.read(path, also)
                for name, path in files.items()
            }
        if any(isinstance(one, Path) for one in files.values()):
            return {name: selected.one(one, also) for name, one in files.items()}
        from irmeta.scores.cubes import distinctly_named

        read = [
            [(path, selected.read(path, also)) for path in paths]
            for paths in files.values()
        ]
        return dict(zip(files, distinctly_named(read), strict=True))


def described(doc: str) -> str:
    """Return what a docstring says before its parameters, as the help of a command does."""
    paragraphs = inspect.cleandoc(doc).split("\n\n")
    ends = ("Returns ", "Raises ", "Source", ">>>", "Gives ")
    kept = []
    for one in paragraphs:
        if ENTRY.match(one) or one.startswith(ends):
            break
        kept.append(" ".join(one.split()))
    return "\n\n".join(kept)


def _is_taken(one: "Parameter") -> bool:
    """Say whether a parameter is one of the command line; -m names the only metric, too."""
    scores = one.cube or one.cubes
    return (
        scores or (one.typed and one.name != "metric") or one.name in ("rng", "metrics")
    )


def _popped(of: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Take the options of a group out of those given."""
    return {one.name: given.pop(one.name) for one in fields_of(of)}


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value] if value else []


def _imported(path: str) -> Any:
    """Return what stands in a module, as in "irmeta.io.lists.read_sample"."""
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


def _called(qrels: Any, collection: str) -> Any:
    """Return judgments as those of the collection of this name."""
    from irmeta.evaluation.sources import qrels_of
    from irmeta.io.runs.trec import Reading

    return replace(qrels_of(qrels, Reading()), source=collection)


def _identifier(flag: str) -> str:
    """Return the name of a flag as one of Python: --these-topics is these_topics."""
    return flag.removeprefix("--").replace("-", "_")
