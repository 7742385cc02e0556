"""`irmeta what`: what files hold, and what can be asked of them."""

import itertools
import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

from irmeta.cli.app import app, argument, commands_with
from irmeta.errors import IrmetaError
from irmeta.metrics.names import usual
from irmeta.studies import STUDIES
from irmeta.words import counted, folded, joined, listed, printable, shortened

if TYPE_CHECKING:
    from irmeta.studies.checks.recognition import Seen


@dataclass(frozen=True)
class Question:
    """A question that scores may answer: its verb, what the command ends in, and how many of what it takes.

    across : whether it takes all collections of a file together.
    vary : whether it asks how topics vary, which is not in estimated scores.
    """

    verb: str
    rest: str = ""
    systems: int = 2
    topics: int = 2
    metrics: int = 1
    collections: int = 1
    across: bool = False
    vary: bool = False

    def lacks(self, source: "Seen") -> str:
        """Say what these scores lack, or have too few of; nothing where they have enough."""
        if self.vary and source.estimated:
            return "how topics vary"
        counts = {
            "systems": len(source.systems),
            "topics": source.topics,
            "metrics": len(source.metrics),
            "collections": len(source.collections) or 1,
        }
        lacking = [dim for dim, count in counts.items() if count < getattr(self, dim)]
        return f"{getattr(self, lacking[0])} {lacking[0]}" if lacking else ""


BOARD = Question("leaderboard", "{one}{each}", systems=3, across=True)
"""What to ask of a table, too, which need not be imported for it."""
SCORE_QUESTIONS = (
    Question("versus", "--system {first} --against {second}{few}{pairwise}"),
    Question("table", "-o table.tex{few}{missing}"),
    Question("describe", "{missing}"),
    BOARD,
    Question("correlate", "{missing}", metrics=2, across=True),
    Question("rank", "{missing}", systems=3, metrics=3, topics=1),
    Question("predictivity", "{missing}", metrics=2, topics=10, vary=True),
    Question("reliability", "{missing}", topics=10, vary=True),
    Question("design", "--target {metric}{missing}", systems=3, topics=10, vary=True),
    Question("compare", "{missing}", collections=2, across=True),
    Question(
        "replicate",
        "--system {first} --against {second}{one}{missing}",
        collections=2,
        across=True,
    ),
)
"""What to ask of a score file, the everyday questions first."""
ANSWERS = {study.verb: study.question for study in STUDIES.values()} | {
    "evaluate": "What do the runs score?",
    "import": "Make a score file of it",
    "judges compare": "Do these judgments rank systems as people do? People's come first",
    "report": "Everything on one page",
    "serve": "Show it to others",
    "board import": "Go on with its boards in a site of your own",
    "standardize apply": "Put scores on the scale of these factors",
    "predict apply": "What would an unreported metric have been?",
}
"""What each command answers."""
SINGLE = ("table", "mteb", "labels")
"""Tables of which an import takes one."""
REPORTED = ("nDCG@10", "AP", "P@10", "RR", "R@1000")
"""Metrics of which one can be predicted from another."""
_BASELINE = re.compile(r"bm25|baseline|tf-?idf", re.IGNORECASE)
"""What the name of a likely baseline contains."""
_PEOPLE = re.compile(
    r"human|people|person|nist|assess|expert|manual|gold|official", re.IGNORECASE
)
"""What the name of a file of people's judgments may contain."""
SCREEN = 24
"""Lines that all takes."""
DESCRIBED = 8
"""Files that are described; others are counted."""
LEAST = 3
"""Commands that are shown, however much else there is to say."""
POOLED = 6
"""Runs from which it can be learnt what a run loses that was not pooled."""


@app.command()
def what(files: Annotated[list[str], argument()]) -> None:
    """Say what files hold, and what can be asked of them, with the commands to paste.

    files : files and folders: runs, judgments, scores, anything else

    irmeta what qrels.txt runs/

    irmeta what scores.parquet
    """
    from irmeta.studies.checks.recognition import recognise

    sources, errors = [], []
    for path in files:
        try:
            sources.append(recognise(path))
        except IrmetaError as error:
            errors.append(str(error))
    groups = list(_groups(sources))
    whole = [source.path for source in sources]
    described = list(_descriptions(list(itertools.chain(*groups)), whole))
    lacking = [folded(printable(text)) for text in _lacking_lines(groups)]
    used = sum(text.count("\n") + 1 for text in (*described, *lacking))
    asked = _most_wanted_first(_questions(groups))
    room = SCREEN - used - 2
    shown = [f"{ANSWERS[verb]}\n  irmeta {verb} {rest}" for verb, rest in asked]
    if 2 * len(asked) > room:
        shown = [f"  irmeta {verb} {rest}" for verb, rest in asked]
    if len(asked) > room:
        shown = shown[: max(room - 2, LEAST)]
        cut = asked[len(shown) :]
        verbs = listed(dict.fromkeys(verb for verb, _ in cut), 3)
        text = f"{counted(len(cut), 'more command')} ({verbs}); name fewer files to see them"
        lacking.insert(0, folded(text))
    commands = [printable(text, "\n") for text in shown]
    blocks = filter(None, (described, commands, lacking))
    if sources:
        print("\n\n".join("\n".join(block) for block in blocks))
    if errors:
        raise IrmetaError("\n".join(errors))


def _descriptions(sources: Sequence["Seen"], whole: Sequence[str]) -> Iterator[str]:
    """Yield a line or two about each file that can be asked about, and a line about all others.

    whole : paths of which all is said, as they were named.
    """
    from irmeta.studies.checks.recognition import UNREAD, Kind

    order = get_args(Kind).index
    told = 0
    others: list[Seen] = []
    for source in sorted(sources, key=lambda source: order(source.kind)):
        named = source.path in whole
        if source.text == UNREAD or (source.kind == "output" and not named):
            others.append(source)
        elif told < DESCRIBED:
            text = source.text + use_of_groups(source)
            text = text if named else shortened(text, 150)
            told += 1
            yield folded(printable(f"{source.path}: {text}"))
        else:
            others.append(source)
    if others:
        names = listed([source.path for source in others], 3)
        text = f"{'and ' if told else ''}{counted(len(others), 'other file')} ({names})"
        if unread := sum(source.text == UNREAD for source in others):
            text += f", {unread} of them not looked at"
        yield folded(printable(text))


def _questions(groups: Sequence[Sequence["Seen"]]) -> Iterator[tuple[str, str]]:
    """Yield the verb and the command of each question that may be asked of these groups."""
    kinds = ({source.kind for source in group} for group in groups)
    several = sum({"judgments", "runs"} <= found for found in kinds) > 1
    for group in groups:
        commands = list(_commands(group, named=several))
        boards = [verb for verb, _ in commands].count("leaderboard")
        for verb, command in commands:
            options = verb == "leaderboard" and boards == 1
            yield verb, command + (_board_options(group) if options else "")


def _most_wanted_first(
    commands: Iterable[tuple[str, str]],
) -> list[tuple[str, str]]:
    """Order commands: each question is asked of one file before it is asked of a second."""
    times: Counter[str] = Counter()
    placed = []
    for verb, command in commands:
        placed.append((times[verb], verb, command))
        times[verb] += 1
    return [
        (verb, command) for _, verb, command in sorted(placed, key=lambda one: one[0])
    ]


def _groups(sources: Sequence["Seen"]) -> Iterator[list["Seen"]]:
    """Yield what belongs together: what was named together, and what lies in one folder."""
    opened = [part for source in sources for part in _opened_folder(source)]
    named = [source for source in opened if source.kind != "folder"]
    runs = [source for source in opened if source.kind == "runs"]
    yield [*named, *(part for source in runs for part in source.parts)]
    for source in opened:
        if source.kind == "folder":
            yield from _groups(source.parts)


def _opened_folder(source: "Seen") -> list["Seen"]:
    """Return what a folder of runs alone, or of judgments alone, holds, as if it were named; all else is itself."""
    parts = [inner for part in source.parts for inner in _opened_folder(part)]
    kinds = {part.kind for part in parts}
    if source.kind == "folder" and len(kinds & {"runs", "judgments"}) == 1:
        return parts
    return [source]


def _commands(
    sources: Sequence["Seen"], *, named: bool = False
) -> Iterator[tuple[str, str]]:
    """Yield the commands for what belongs together, each with its verb.

    named : whether a score file is named after its collection, since there are several.
    """
    judgments = _of_kind(sources, "judgments")
    if runs := _of_kind(sources, "runs"):
        yield from _run_commands(judgments, runs, named=named)
    for source in merged_tables(sources):
        commands = _score_commands if source.kind == "scores" else _other_commands
        yield from commands(source)
    if common := common_scores(sources):
        names = _placeholders(common)
        for question in SCORE_QUESTIONS:
            if question.collections > 1:
                rest = question.rest.format(**names)
                yield question.verb, f"{_paths(sources, 'scores')} {rest}".rstrip()
    elif metrics := _metrics_to_place_by(sources):
        score_files = _of_kind(sources, "scores")
        among = " ".join(f"--on {_path(source)}" for source in score_files)
        metric = shlex.quote(usual(metrics)[0])
        yield "place", f"{_paths(score_files, 'scores')} {among} -m {metric}"


def common_scores(sources: Sequence["Seen"]) -> "Seen | None":
    """Return what all score files hold, if there are several and they have systems and metrics in common."""
    score_files = _of_kind(sources, "scores")
    if len(score_files) < 2:
        return None
    systems = _in_all([source.systems for source in score_files])
    metrics = _in_all([source.metrics for source in score_files])
    if len(systems) < 2 or not metrics:
        return None
    missing = sum(source.missing for source in score_files)
    first = replace(score_files[0], systems=tuple(systems), missing=missing)
    return replace(first, metrics=tuple(metrics))


def _in_all(names: Sequence[Collection[str]]) -> list[str]:
    """Return the names that are in each of several collections, in the order of the first."""
    first, *others = names
    return [name for name in first if all(name in other for other in others)]


def _metrics_to_place_by(sources: Sequence["Seen"]) -> list[str]:
    """Return the metrics of several score files, if none is of estimates, which say nothing of topics."""
    score_files = _of_kind(sources, "scores")
    if len(score_files) < 2 or any(source.estimated for source in score_files):
        return []
    return _in_all([source.metrics for source in score_files])


def merged_tables(sources: Sequence["Seen"]) -> Iterator["Seen"]:
    """Yield what there is, files that one import takes together as one."""
    by_reader: dict[str, list[Seen]] = {}
    for source in sources:
        if source.kind == "table" and source.reader not in SINGLE:
            by_reader.setdefault(source.reader, []).append(source)
        else:
            yield source
    for tables in by_reader.values():
        yield replace(tables[0], files=tuple(source.path for source in tables))


def _run_commands(
    judgments: Sequence["Seen"], runs: Sequence["Seen"], *, named: bool
) -> Iterator[tuple[str, str]]:
    """Yield the commands for runs and what judges them, each with its verb; named : as in `_commands`."""
    from irmeta.evaluation.sources import is_side_file
    from irmeta.io.files import location
    from irmeta.io.runs.rankings import collection_name

    files = " ".join(_path(source) for source in runs)
    if not judgments:
        yield "validate", files
        return
    qrels = _path(judgments[0])
    if shared := _shared_systems(runs):
        first, second = (shlex.quote(name) for name in (shared * 2)[:2])
        against = f" --against {second}" if len(shared) > 1 else ""
        yield "replicate", f"{files} --qrels {qrels} --system {first}{against}"
        files, runs = _path(runs[0]), runs[:1]
    yield "validate", f"{files} --qrels {qrels}"
    files_of_runs = [location(part.path) for source in runs for part in source.parts]
    skip = "" if all(map(is_side_file, files_of_runs)) else " --on-error skip"
    name = collection_name(judgments[0].path) if named else "scores"
    yield "evaluate", f"{qrels} {files} -o {shlex.quote(f'{name}.parquet')}{skip}"
    people, *others = sorted(judgments, key=_as_peoples)
    others = [one for one in others if one.judged & people.judged]
    if others:
        files_judged = " ".join(map(_path, (people, *others)))
        yield "judges compare", f"{files_judged} --runs {files}"
        machine = max(others, key=_as_peoples)
        if people.topics < machine.topics:
            options = f"--human {_path(people)} --llm {_path(machine)}"
            yield "judges estimate", f"{options} --runs {files}"
    if sum(len(source.systems) for source in runs) >= POOLED:
        yield "reuse", f"{qrels} {files}"
    if len(runs) == 1:
        yield "serve", f"site --qrels {qrels} --runs {files}"


def _as_peoples(judgments: "Seen") -> tuple[bool, int]:
    """Order judgments: those named as people's first, then of fewer topics, as people judge fewer than a machine."""
    return not _PEOPLE.search(Path(judgments.path).name), judgments.topics


def _shared_systems(runs: Sequence["Seen"]) -> list[str]:
    """Return the systems that each of several folders of runs has: they are experiments, not one collection."""
    if len(runs) < 2:
        return []
    return _in_all([dict.fromkeys(folder.systems) for folder in runs])


def _score_commands(source: "Seen") -> Iterator[tuple[str, str]]:
    """Yield the commands for a score file, each with its verb."""
    if source.parts and source.alike and len(source.systems) > 1:
        missing = " --missing topics" if source.missing else ""
        metric = _metric_option(source.parts[0])
        yield "judges compare", f"{_path(source)}{metric}{missing}"
    for question in SCORE_QUESTIONS:
        scores = _scores_for(question, source)
        if not question.lacks(scores):
            rest = question.rest.format(**_placeholders(scores)).strip()
            path = _collection_path(scores, source)
            yield question.verb, f"{path} {rest}".rstrip()
    scores = _all_collections(source)
    if len(scores.systems) > 1 and not source.estimated:
        yield "report", f"{_collection_path(scores, source)} -o report/"


def _board_options(sources: Sequence["Seen"]) -> str:
    """Return the options by which the one board among these takes types of its tasks and costs of its models."""
    groups = [source for source in sources if source.kind == "groups"]
    beside = {source.reader.split()[-1]: source for source in groups}
    options = [option for option in ("--types", "--cost") if option in beside]
    return "".join(f" {option} {_path(beside[option])}" for option in options)


def _scores_for(question: Question, source: "Seen") -> "Seen":
    """Return the scores of a file that a question is asked of: its main collection, or all together."""
    return _all_collections(source) if question.across else _main_collection(source)


def _main_collection(source: "Seen") -> "Seen":
    """Return the collection of a score file that holds most."""
    parts = source.parts or (source,)
    return max(parts, key=lambda part: len(part.systems) * part.topics)


def _all_collections(source: "Seen") -> "Seen":
    """Return a score file as one collection, with the metrics that all have and every system.

    The main collection where no metric is in all, or where collections are of judges.
    """
    shared = _in_all([source.metrics, *(part.metrics for part in source.parts)])
    if source.alike or not shared:
        return _main_collection(source)

    def collections_of(system: str) -> int:
        return sum(system in part.systems for part in source.parts)

    systems = sorted(source.systems, key=collections_of, reverse=True)
    return replace(source, metrics=tuple(shared), systems=tuple(systems))


def _collection_path(collection: "Seen", source: "Seen") -> str:
    """Return a score file as one types it, with the collection where it has several."""
    if source.parts and len(collection.collections) == 1:
        return f"{_path(source)} --collection {shlex.quote(collection.collections[0])}"
    return _path(source)


def _each_option(source: "Seen") -> str:
    """Return what takes each collection as a task, where there are several."""
    return " --collection '*'" if len(source.collections) > 1 else ""


def _metric_option(source: "Seen") -> str:
    """Name one metric, where there are several."""
    if len(source.metrics) < 2:
        return ""
    return f" -m {shlex.quote(usual(source.metrics)[0])}"


def _placeholders(source: "Seen") -> dict[str, str]:
    """Return what stands for the names in the commands."""
    baseline = sorted(filter(_BASELINE.search, source.systems), key=len)[:1]
    others = [name for name in source.systems if name not in baseline]
    names = [shlex.quote(name) for name in (*others[:1], *baseline, *others[1:])]
    few = shlex.quote(" ".join(usual(source.metrics)[:3]))
    return {
        "first": names[0],
        "second": names[:2][-1],
        "metric": shlex.quote(usual(source.metrics)[0]),
        "one": _metric_option(source),
        "each": _each_option(source),
        "few": f" -m {few}" if len(source.metrics) > 1 else "",
        "missing": " --missing common" if source.missing else "",
        "pairwise": " --missing pairwise" if source.missing else "",
    }


def _other_commands(source: "Seen") -> Iterator[tuple[str, str]]:
    """Yield the commands for what is neither runs, judgments nor scores, each with its verb."""
    match source.kind:
        case "table":
            yield "import", import_arguments(source)
            if source.reader == "table" and not BOARD.lacks(source):
                yield BOARD.verb, f"{_path(source)}{_each_option(source)}"
            unreported = [name for name in REPORTED if name not in source.metrics]
            if source.topics == 0 and 0 < len(unreported) < len(REPORTED):
                wanted = shlex.quote(unreported[0])
                yield "predict apply", f"{_path(source)} --want {wanted}"
        case "groups" if source.metrics:
            yield "import", import_arguments(replace(source, reader="table"))
        case "factors":
            yield (
                "standardize apply",
                f"scores.parquet --factors {_path(source)} -o standardized.parquet",
            )
        case "model":
            yield "predict apply", f"scores.parquet --model {_path(source)}"
        case "site":
            yield "serve", _path(source)
        case "frozen":
            yield "board import", f"KEY {_path(source)} --site site"


def import_arguments(source: "Seen") -> str:
    """Return what `irmeta import` needs to make a score file of a table."""
    several = len(source.files) > 1
    name = "scores" if several else Path(source.path).stem.partition(".")[0]
    files = " ".join(map(shlex.quote, source.files or [source.path]))
    rows = " --rows topics" if source.reader == "matrix" else ""
    if source.ignored:
        rows += f" --ignore {shlex.quote(','.join(source.ignored))}"
    if f"{name}.parquet" in map(str, [source.path, *source.files]):
        name += "-scores"
    return f"{source.reader} {files}{rows} -o {shlex.quote(f'{name}.parquet')}"


def _lacking_lines(groups: Sequence[Sequence["Seen"]]) -> Iterator[str]:
    """Say what is missing for other questions."""
    for sources in groups:
        qrels, runs = _paths(sources, "judgments"), _paths(sources, "runs")
        if bool(qrels) != bool(runs):
            missing = "judgments" if runs else "runs"
            command = (
                f"irmeta evaluate {qrels or 'QRELS'} {runs or 'RUNS'} -o scores.parquet"
            )
            yield f"To score runs, {missing} are missing: {command}"
    score_files = [
        (source, len(_of_kind(group, "scores")) > 1)
        for group in groups
        for source in _of_kind(group, "scores")
    ]
    verbs: dict[str, list[str]] = {}
    for question in SCORE_QUESTIONS:
        lacks = [
            ""
            if question.collections > 1 and (source.parts or several)
            else question.lacks(_scores_for(question, source))
            for source, several in score_files
        ]
        if lacks and all(lacks):
            verbs.setdefault(lacks[0], []).append(question.verb)
    if verbs:
        texts = [f"{lack} for {joined(found)}" for lack, found in verbs.items()]
        yield f"Missing: {'; '.join(texts)}."
    if score_files and all(source.estimated for source, _ in score_files):
        yield (
            "For a page to hand out, the machine's scores and all judgments are missing: "
            "irmeta report SCORES --human HUMAN --llm MACHINE --runs RUNS -o report/"
        )


def use_of_groups(source: "Seen") -> str:
    """Say which commands take a table of groups, and by which option; nothing of other files."""
    if source.kind != "groups":
        return ""
    if source.reader == "--about":
        return f"; irmeta leaderboard SCORES --about {_path(source)} -o board/"
    takers, shown = "scores or runs", ""
    if source.reader == "--teams":
        verbs = [*commands_with(source.reader), "irmeta report"]
        takers = listed([verb.removeprefix("irmeta ") for verb in verbs], 3)
        shown = f"; leaderboard shows them, as --about {_path(source)}"
    return f"; goes with {takers}, as {source.reader} {_path(source)}{shown}"


def _of_kind(sources: Sequence["Seen"], kind: str) -> list["Seen"]:
    """Return the files of a kind."""
    return [source for source in sources if source.kind == kind]


def _path(source: "Seen") -> str:
    """Return a path as one types it."""
    return shlex.quote(source.path)


def _paths(sources: Sequence["Seen"], kind: str) -> str:
    """Return the paths of the files of a kind."""
    return " ".join(map(_path, _of_kind(sources, kind)))
