"""Commands derived from studies: signature, types, defaults and docstring of the function are the list of options."""

import inspect
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
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
    option,
    options_of_group,
    parameter_of,
    sentence,
    sentence_and_default,
)
from irmeta.cli.options import (
    SCORES,
    WHERE_MISSING,
    BestSystems,
    Families,
    Labels,
    Outputs,
    Reader,
    Seed,
    Selection,
    Teams,
    import_hint,
    listed_names,
)
from irmeta.cli.output import (
    FAILED,
    refuse_overwriting,
    say_wrote,
    saying_what_is_logged,
    working,
)
from irmeta.errors import FileFormatError, IrmetaError, ScoresError
from irmeta.studies import STUDIES, Verb
from irmeta.words import listed

if TYPE_CHECKING:
    from irmeta.studies.door import Given, Parameter

ONE = "A score file (Parquet), or a table of scores (CSV and others)."
SEVERAL = "Score files (Parquet); every collection in them is used."
AS_TASKS = (
    "A score file whose topics are tasks, or several, a task each; of a file with several collections --collection "
    "says which to use."
)
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
_PAGE_FILES = ("types", "cost", "labels")
"""The options whose files the command of a page names."""


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
        verb = study.verb.split()
        if words is not None and list(words[: len(verb)]) != verb:
            verbs.announce(word, study.question)
            continue
        home = import_module(f"irmeta.studies.{study.home}")
        command = StudyCommand(getattr(home, study.function), study.command)
        text = help_text(command.function.__doc__ or "")
        verbs.add(word, command, command.parameters(), text, study.command.examples)


Hints = dict[str, tuple[Any, Any]]
"""The annotated type and the default of parameters, by name."""


class StudyCommand:
    """The command of a study: what it takes on the command line, and how it calls the function.

    given, in its methods : the values on a command line, by the names of `parameters`.
    """

    def __init__(self, function: Any, verb: Verb) -> None:
        self.function = function
        self.verb = verb
        takes: dict[str, Parameter] = function.door.takes
        first = next(iter(takes))
        self.positional = (first,) if verb.positional is None else verb.positional
        self.takes = {
            name: parameter
            for name, parameter in takes.items()
            if name in self.positional or _is_option(parameter)
        }
        self.files = [
            name
            for name, parameter in self.takes.items()
            if parameter.cube
            or parameter.cubes
            or (name in self.positional and not parameter.given)
        ]

    @property
    def _scores_or_runs(self) -> str | None:
        """The argument that is scores, or with judgments runs."""
        either = [name for name in self.positional if self.takes[name].either]
        return either[0] if either and "qrels" in self.takes else None

    def parameters(self) -> list[inspect.Parameter]:
        """Return the parameters of the command: files, the study's own options, what scores to use, where it goes."""
        hints = {name: self._scores_argument(name) for name in self.files}
        shared = {"metrics", "missing", "teams", "families", "rng", "reading"}
        shared |= {*self.files, *(option.name for option in self._best_options)}
        if self._reads_scores:
            shared |= {field.name for field in fields(Selection)}
        for name, parameter in self.takes.items():
            if name not in shared:
                hints |= self._option_of(name, parameter)
        if "rng" in self.takes:
            hints["seed"] = (Seed, 0)
        if self.verb.view:
            views = getattr(choices, self.verb.view)
            text = explained(views, "What --plot draws.")
            hints["view"] = (Annotated[views, option(help=text)], views.__args__[0])
        if self.verb.page:
            texts = entries(_import(self.verb.page).__doc__ or "")
            for name in self._page_options:
                text, default = sentence_and_default(texts[name])
                own = option(help=text, show_default=default, metavar=VALUES.get(name))
                hints[name] = (Annotated[str | None, own], None)
        parameters = [
            parameter_of(name, default, hint) for name, (hint, default) in hints.items()
        ]
        parameters += self._selection_options()
        if "reading" in self.takes:
            parameters += options_of_group(Reader)
        if self.verb.labels:
            parameters += options_of_group(Labels, self.verb.own)
        return parameters + options_of_group(Outputs, self.verb.own)

    def _selection_options(self) -> list[inspect.Parameter]:
        """Return the options that say which scores to use."""
        options = options_of_group(Selection) if self._reads_scores else []
        takes: dict[str, Parameter] = self.function.door.takes
        metrics = takes.get("metric" if self._reads_scores else "metrics")
        if metrics is not None:
            options = [other for other in options if other.name != "metrics"]
            options.append(self._metrics_option(metrics))
        options += self._best_options
        if "teams" in self.takes:
            options += options_of_group(Teams)
        if "families" in self.takes:
            options += options_of_group(Families)
        if "missing" in self.takes:
            missing = self.takes["missing"]
            text = explained(missing.choices, WHERE_MISSING)
            taken = option(panel=SCORES, help=text)
            hint: Any = Annotated[missing.choices, taken]
            options.append(parameter_of("missing", missing.default, hint))
        return options

    def _metrics_option(self, metrics: "Parameter") -> inspect.Parameter:
        """Return -m, which names the metrics of a study, or its only one."""
        text, default = sentence_and_default(metrics.text)
        value = VALUES.get(metrics.name, "METRICS")
        names = ("-m", "--metrics", "--metric")
        taken = option(*names, metavar=value, help=text, show_default=default)
        return parameter_of("metrics", metrics.default, Annotated[str | None, taken])

    @property
    def _reads_scores(self) -> bool:
        """Whether options say which scores of files to use."""
        return bool(self.files or self._scores_or_runs)

    @property
    def _best_options(self) -> list[inspect.Parameter]:
        """Return the options that keep the best systems by a metric, but those of which the study says more."""
        if not {"top", "by"} <= set(self.takes):
            return []
        text_counts = Counter(parameter.text for parameter in self.takes.values())
        return [
            taken
            for taken in options_of_group(BestSystems)
            if text_counts[self.takes[taken.name].text] > 1
        ]

    @property
    def _page_options(self) -> list[str]:
        """The options of the page that -o FOLDER writes."""
        if not self.verb.page:
            return []
        shared = {field.name for field in fields(Outputs)}
        writer = inspect.signature(_import(self.verb.page))
        return [
            name
            for name, taken in writer.parameters.items()
            if taken.kind is taken.KEYWORD_ONLY
            and taken.default is None
            and name not in shared
        ]

    def __call__(self, given: dict[str, Any]) -> None:
        """Read the scores, call the study with what was given, and show its result."""
        outputs = Outputs(**_take_group(Outputs, given))
        page_files = [
            f"--{name} {quote(Path(given[name]).name)}"
            for name in _PAGE_FILES
            if given.get(name) is not None
        ]
        study, results = self._with_labels(given)
        selection = self._take_selection(given)
        if "reading" in self.takes:
            given["reading"] = Reader(**_take_group(Reader, given)).reading()
        view = given.pop("view", None)
        page_options = {name: given.pop(name) for name in self._page_options}
        files = [Path(file) for name in self.files for file in _as_list(given[name])]
        self._read_values(given)
        score_file = outputs.output if self.verb.scores else None
        if score_file is not None and score_file.suffix == ".parquet":
            refuse_overwriting(score_file)
            with working(outputs.workers, quiet=outputs.quiet):
                given, scores_of = _import(self.verb.scores)(score_file, given)
            outputs = replace(outputs, output=None)
        else:
            scores_of = None
        arguments = self._arguments(selection, given)
        folder = outputs.folder if self.verb.page else None
        outputs = self._outputs_beside_page(outputs, folder, page_options)
        if page_options.get("about") is not None:
            from irmeta.io.tables.spreadsheet import read_about

            page_options["about"] = read_about(page_options["about"])
        try:
            result = outputs.show(study, view=view, **arguments)
        except FileFormatError as error:
            raise FileFormatError(self._import_hint(given) or str(error)) from error
        if scores_of is not None and score_file is not None:
            from irmeta.io.formats.scores import save

            save(scores_of(results[0]), score_file)
            say_wrote(score_file, quiet=outputs.quiet)
        if folder is not None:
            names = [quote(file.name) for file in files]
            page_options["source"] = " ".join([*names, *selection.flags(), *page_files])
            self._write_page(result, folder, page_options, quiet=outputs.quiet)
        if result.get("failed"):
            sys.exit(FAILED)

    def _with_labels(self, given: dict[str, Any]) -> tuple[Any, list[Any]]:
        """Return the study with labels in its result, and a list that gets the result with the systems' own names."""
        option = Labels(labels=given.pop("labels", None))
        labels = option.replace_labels(given)
        results: list[Any] = []

        def study(*data: Any, **options: Any) -> Any:
            results.append(self.function(*data, **options))
            if not labels:
                return results[0]
            from irmeta.studies.result import Result
            from irmeta.studies.result.labels import labelled

            return Result(labelled(results[0].data, labels, str(option.labels)))

        return study, results

    def _import_hint(self, given: dict[str, Any]) -> str:
        """Say how data become a score file that may be judgments, or scores: logs of other tools are neither yet."""
        data = [file for name in self.positional for file in _as_list(given.get(name))]
        # what is read already was scores
        return import_hint([str(file) for file in data if isinstance(file, str | Path)])

    def _take_selection(self, given: dict[str, Any]) -> Selection:
        """Take out which scores of files to use; the study, too, is given what it asks for of that."""
        if not self._reads_scores:
            return Selection()
        options = _take_group(Selection, given)
        for name in ("metrics", "systems", "topics"):
            if name in self.takes and options[name] is not None:
                given[name] = listed_names(options[name])
        return Selection(**options)

    def _read_values(self, given: dict[str, Any]) -> None:
        """Put in place of flags and texts what they stand for: what cannot be read is said before scores are."""
        for name, (flag, value) in self.verb.flags.items():
            if given.pop(_identifier(flag)):
                given[name] = value
        for name, value in given.items():
            if value is not None and name in self.takes and name not in self.files:
                given[name] = self.takes[name].read(value)

    def _arguments(self, selection: Selection, given: dict[str, Any]) -> dict[str, Any]:
        """Return what the study is called with: scores that are read, and the options given."""
        from irmeta.scores.cubes import distinctly_named

        cubes = self._cubes(selection, given)
        if self._scores_or_runs and given.get("qrels") is None:
            paths = [Path(file) for file in _as_list(given[self._scores_or_runs])]
            loaded = [[(path, selection.read(path)) for path in paths]]
            [cubes_or_none] = distinctly_named(loaded) if paths else [None]
            given[self._scores_or_runs] = cubes_or_none
        elif self._scores_or_runs and selection.collection is not None:
            given["qrels"] = _with_source(given, selection.collection)
        options = {name: value for name, value in given.items() if value is not None}
        if "seed" in options:
            options["rng"] = options.pop("seed")
        return {**cubes, **options}

    def _outputs_beside_page(
        self, outputs: Outputs, folder: Path | None, page_options: dict[str, Any]
    ) -> Outputs:
        """Return what is shown beside a page, which takes --highlight, too; refuse options of a page without one."""
        if folder is not None:
            page_options["highlight"] = listed_names(outputs.highlight)
            return replace(outputs, output=None)
        page_only = [name for name, value in page_options.items() if value is not None]
        if page_only:
            raise IrmetaError(f"--{page_only[0]} is of the page, so it needs -o DIR")
        return outputs

    def _write_page(
        self, result: Any, folder: Path, page_options: dict[str, Any], *, quiet: bool
    ) -> None:
        """Write the page of a result, and say what changed since the one that was there."""
        with saying_what_is_logged(quiet=quiet):
            written = _import(self.verb.page)(result, folder, **page_options)
        say_wrote(written, "open it in a browser, mail it, or host it", quiet=quiet)

    def _scores_argument(self, name: str) -> tuple[Any, Any]:
        """Return how a file of scores, or several, is given: as an argument, or as an option."""
        parameter = self.takes[name]
        default = inspect.Parameter.empty if parameter.default is not None else None
        if name not in self.positional:
            files: Any = list[Path] if default is not None else list[Path] | None
            declared = option(several=True, help=sentence(parameter.text))
            return Annotated[files, declared], default
        if len(self.positional) > 1:
            return Annotated[Path, argument(help=sentence(parameter.text))], default
        if parameter.cube:
            return Annotated[Path, argument(metavar="SCORES", help=ONE)], default
        text = AS_TASKS if parameter.as_tasks else SEVERAL
        return Annotated[list[Path], argument(metavar="SCORES", help=text)], default

    def _data_option(
        self, name: str, parameter: "Parameter", given: "Given"
    ) -> tuple[Any, Any]:
        """Return how data that are no scores are named: a file, a folder, or what else their text stands for."""
        text, default_text = sentence_and_default(parameter.text)
        kind: Any = list[str] if given.several else str
        default = parameter.default
        if default is None:
            kind = kind | None
        if name in self.positional:
            return Annotated[kind, argument(metavar=given.value, help=text)], default
        declared = option(metavar=given.value, help=text, show_default=default_text)
        return Annotated[kind, declared], default

    def _option_of(self, name: str, parameter: "Parameter") -> Hints:
        """Return an option or argument of the study itself, by its name on the command line."""
        if parameter.given is not None:
            return {name: self._data_option(name, parameter, parameter.given)}
        text, default_text = sentence_and_default(parameter.text)
        if name in self.verb.flags:
            flag, _ = self.verb.flags[name]
            hint = Annotated[bool, option(flag, help=text)]
            return {_identifier(flag): (hint, False)}
        settings: dict[str, Any] = {"metavar": VALUES.get(name)}
        if default_text is not None:
            settings["show_default"] = default_text
        default = parameter.default
        kind: Any = next((k for k in (bool, int, float) if k in parameter.kinds), str)
        if parameter.choices in MEANINGS:
            asked = text.partition(":")[0].rstrip(".")
            text = explained(parameter.choices, f"{asked}.")
            kind = str if parameter.several else parameter.choices
        if kind is str and not isinstance(default, str | type(None) | type):
            settings.setdefault("show_default", ",".join(map(str, default)) or None)
            default = None
        if kind is str and parameter.several and parameter.choices is None:
            settings["metavar"] = "N,N,..."
        elif kind is str and "Mapping" in str(parameter.hint):
            settings["metavar"] = "NAME=X"
        if default is None:
            kind = kind | None
        names = [f"-{name}"] if len(name) == 1 else []
        return {name: (Annotated[kind, option(*names, help=text, **settings)], default)}

    def _cubes(self, selection: Selection, given: dict[str, Any]) -> dict[str, Any]:
        """Read the scores of each parameter that takes some; collections that files share go by the files' names."""
        if "target" in self.takes:  # which is found among all metrics
            selection = replace(selection, metrics=None)
        others = [given.get(name) for name in ("by", "target", "targets")]
        also = " ".join(filter(None, others)) or None
        files: dict[str, Any] = {name: given.pop(name) or [] for name in self.files}
        if len(self.positional) > 1:
            # --collection chooses where one is to be chosen
            all_collections = replace(selection, collection=None)
            return {
                name: selection.one(path, also)
                if self.takes[name].cube
                else all_collections.read(path, also)
                for name, path in files.items()
            }
        if any(isinstance(path, Path) for path in files.values()):
            return {name: selection.one(path, also) for name, path in files.items()}
        from irmeta.scores.cubes import distinctly_named

        loaded = [
            [(path, selection.read(path, also)) for path in paths]
            for paths in files.values()
        ]
        for name, read in zip(files, loaded, strict=True):
            if self.takes[name].as_tasks and selection.collection is None:
                _require_chosen(read)
        return dict(zip(files, distinctly_named(loaded), strict=True))


def _require_chosen(read: Sequence[tuple[Path, Mapping[str, Any]]]) -> None:
    """Raise ScoresError for a single file of several collections; several files are asked for by their names."""
    [(path, cubes), *others] = read
    if not others and len(cubes) > 1:
        first = quote(next(iter(cubes)))
        raise ScoresError(
            f"{path} holds {len(cubes)} collections ({listed(cubes)}); take one with --collection {first}, or each as "
            "a task with --collection '*'"
        )


def help_text(doc: str) -> str:
    """Return what a docstring says before its parameters, as the help of a command does."""
    paragraphs = inspect.cleandoc(doc).split("\n\n")
    ends = ("Returns ", "Raises ", "Source", ">>>", "Gives ")
    described = []
    for paragraph in paragraphs:
        if ENTRY.match(paragraph) or paragraph.startswith(ends):
            break
        described.append(" ".join(paragraph.split()))
    return "\n\n".join(described)


def _is_option(parameter: "Parameter") -> bool:
    """Say whether a parameter is one of the command line; -m names the only metric, too."""
    by_group = ("rng", "metrics", "reading")
    if parameter.cube or parameter.cubes or parameter.name in by_group:
        return True
    return parameter.typed and parameter.name != "metric"


def _take_group(group: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Take the options of a group out of those given."""
    return {taken.name: given.pop(taken.name) for taken in options_of_group(group)}


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value] if value else []


def _import(path: str) -> Any:
    """Return what stands in a module, as in "irmeta.io.lists.read_sample"."""
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


def _with_source(given: dict[str, Any], collection: str) -> Any:
    """Return judgments as those of the collection of this name."""
    from irmeta.evaluation.sources import qrels_of

    return replace(qrels_of(given["qrels"], given["reading"]), source=collection)


def _identifier(flag: str) -> str:
    """Return the name of a flag as one of Python: --these-topics is these_topics."""
    return flag.removeprefix("--").replace("-", "_")
