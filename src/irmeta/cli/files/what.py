"""`irmeta what`: what files hold, and what can be asked of them."""

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from irmeta.cli.app import app, argument, commands_with
from irmeta.errors import IrmetaError
from irmeta.metrics.names import usual
from irmeta.studies import STUDIES
from irmeta.words import folded, listed, printable

if TYPE_CHECKING:
    from irmeta.studies.checks.recognition import Seen


@dataclass(frozen=True)
class Ask:
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

    def lacks(self, seen: "Seen") -> str:
        """Say what these scores lack, or have too few of; nothing where they have enough."""
        if self.vary and seen.estimated:
            return "how topics vary"
        held = {
            "systems": len(seen.systems),
            "topics": seen.topics,
            "metrics": len(seen.metrics),
            "collections": len(seen.collections) or 1,
        }
        few = [dim for dim, count in held.items() if count < getattr(self, dim)]
        return f"{getattr(self, few[0])} {few[0]}" if few else ""


BOARD = Ask("leaderboard", "{one}", systems=3, across=True)
"""What to ask of a table, too, which need not be imported for it."""
ASKS = (
    Ask("versus", "--system {first} --against {second}{few}{missing}"),
    Ask("table", "-o table.tex{few}{missing}"),
    Ask("describe", "{missing}"),
    BOARD,
    Ask("correlate", "{missing}", metrics=2, across=True),
    Ask("rank", "{missing}", systems=3, metrics=3, topics=1),
    Ask("predictivity", "{missing}", metrics=2, topics=10),
    Ask("reliability", "{missing}", topics=10, vary=True),
    Ask("design", "--target {metric}{missing}", systems=3, topics=10, vary=True),
    Ask("compare", "{missing}", collections=2, across=True),
    Ask(
        "replicate",
        "--system {first} --against {second}{one}{missing}",
        collections=2,
        across=True,
    ),
)
"""What to ask of a score file, the everyday questions first."""
QUESTIONS = {study.verb: study.question for study in STUDIES.values()} | {
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

    seen, wrong = [], []
    for path in files:
        try:
            seen.append(recognise(path))
        except IrmetaError as error:
            wrong.append(str(error))
    groups = list(_groups(seen))
    for one in (one for group in groups for one in group):
        print(folded(printable(f"{one.path}: {one.text}")))
    scored = [g for g in groups if {"judgments", "runs"} <= {one.kind for one in g}]
    for group in groups:
        for verb, command in _commands(group, named=len(scored) > 1):
            text = printable(f"{QUESTIONS[verb]}\n  irmeta {verb} {command}", "\n")
            print(f"\n{text}")
        for text in _missing(group):
            print(f"\n{folded(printable(text))}")
    if wrong:
        raise IrmetaError("\n".join(wrong))


def _groups(seen: Sequence["Seen"]) -> Iterator[list["Seen"]]:
    """Yield what belongs together: what was named together, and what lies in one folder."""
    named = [part for one in seen for part in _spread(one)]
    yield [one for one in named if one.kind != "folder"] + [
        part for one in named if one.kind == "runs" for part in one.parts
    ]
    for one in named:
        if one.kind == "folder":
            yield from _groups(one.parts)


def _spread(one: "Seen") -> list["Seen"]:
    """Return what a folder of runs alone, or of judgments alone, holds, as if it were named; all else is itself."""
    inside = [part for inner in one.parts for part in _spread(inner)]
    kinds = {part.kind for part in inside}
    if one.kind == "folder" and len(kinds & {"runs", "judgments"}) == 1:
        return inside
    return [one]


def _commands(
    seen: Sequence["Seen"], *, named: bool = False
) -> Iterator[tuple[str, str]]:
    """Yield the commands for what belongs together, each with its verb.

    named : whether a score file is named after its collection, since there are several.
    """
    judgments = [one for one in seen if one.kind == "judgments"]
    if runs := [one for one in seen if one.kind == "runs"]:
        yield from _of_runs(judgments, runs, named=named)
    for one in joined(seen):
        yield from _of_scores(one) if one.kind == "scores" else _of_others(one)
    if both := together(seen):
        files = " ".join(_word(one) for one in seen if one.kind == "scores")
        for ask in ASKS:
            if ask.collections > 1:
                yield ask.verb, f"{files} {ask.rest.format(**_filled(both))}".rstrip()


def together(seen: Sequence["Seen"]) -> "Seen | None":
    """Return what all score files hold, if there are several and they have systems and metrics in common."""
    scored = [one for one in seen if one.kind == "scores"]
    if len(scored) < 2:
        return None
    first, *others = scored
    systems, metrics = (
        [
            name
            for name in getattr(first, dim)
            if all(name in getattr(one, dim) for one in others)
        ]
        for dim in ("systems", "metrics")
    )
    if len(systems) < 2 or not metrics:
        return None
    missing = sum(one.missing for one in scored)
    return replace(
        first, systems=tuple(systems), metrics=tuple(metrics), missing=missing
    )


def joined(seen: Sequence["Seen"]) -> Iterator["Seen"]:
    """Yield what there is, files that one import takes together as one."""
    of: dict[str, list[Seen]] = {}
    for one in seen:
        if one.kind == "table" and one.reader not in SINGLE:
            of.setdefault(one.reader, []).append(one)
        else:
            yield one
    for some in of.values():
        yield replace(some[0], files=tuple(one.path for one in some))


def _of_runs(
    judgments: Sequence["Seen"], runs: Sequence["Seen"], *, named: bool
) -> Iterator[tuple[str, str]]:
    from irmeta.evaluation.sources import is_side_file
    from irmeta.io.files import location
    from irmeta.io.runs.rankings import collection_name

    files = " ".join(_word(one) for one in runs)
    if not judgments:
        yield "validate", files
        return
    qrels = _word(judgments[0])
    if again := _again(runs):
        first, second = (shlex.quote(name) for name in (again * 2)[:2])
        against = f" --against {second}" if len(again) > 1 else ""
        yield "replicate", f"{files} --qrels {qrels} --system {first}{against}"
        files, runs = _word(runs[0]), runs[:1]
    yield "validate", f"{files} --qrels {qrels}"
    beside = [location(part.path) for one in runs for part in one.parts]
    skip = "" if all(map(is_side_file, beside)) else " --on-error skip"
    name = collection_name(judgments[0].path) if named else "scores"
    yield "evaluate", f"{qrels} {files} -o {shlex.quote(f'{name}.parquet')}{skip}"
    if len(judgments) > 1:
        people, *others = sorted(judgments, key=_as_peoples)
        every = " ".join(map(_word, (people, *others)))
        yield "judges compare", f"{every} --runs {files}"
        machine = max(others, key=_as_peoples)
        if people.topics < machine.topics:
            taken = f"--human {_word(people)} --llm {_word(machine)}"
            yield "judges estimate", f"{taken} --runs {files}"
    if sum(len(one.systems) for one in runs) >= POOLED:
        yield "reuse", f"{qrels} {files}"
    if len(runs) == 1:
        yield "serve", f"site --qrels {qrels} --runs {files}"


def _as_peoples(one: "Seen") -> tuple[bool, int]:
    """Order judgments: those named as people's first, then of fewer topics, as people judge fewer than a machine."""
    return not _PEOPLE.search(Path(one.path).name), one.topics


def _again(runs: Sequence["Seen"]) -> list[str]:
    """Return the systems that each of several folders of runs has: they are experiments, not one collection."""
    if len(runs) < 2:
        return []
    others = [set(one.systems) for one in runs[1:]]
    return [name for name in runs[0].systems if all(name in one for one in others)]


def _of_scores(one: "Seen") -> Iterator[tuple[str, str]]:
    main, across = _main(one), _across(one)
    if one.parts and one.alike and len(one.systems) > 1:
        missing = " --missing topics" if one.missing else ""
        yield "judges compare", f"{_word(one)}{_one(one.parts[0])}{missing}"
    for ask in ASKS:
        seen = across if ask.across else main
        if not ask.lacks(seen):
            rest = ask.rest.format(**_filled(seen)).strip()
            yield ask.verb, f"{_taken(seen, one)} {rest}".rstrip()
    if len(across.systems) > 1:
        yield "report", f"{_taken(across, one)} -o report/"


def _main(one: "Seen") -> "Seen":
    """Return the collection of a score file that holds most."""
    return max(one.parts or (one,), key=lambda part: len(part.systems) * part.topics)


def _across(one: "Seen") -> "Seen":
    """Return a score file as one collection, with the metrics that all have and every system.

    The main collection where no metric is in all, or where collections are of judges.
    """
    shared = [name for name in one.metrics if all(name in p.metrics for p in one.parts)]
    if one.alike or not shared:
        return _main(one)

    def collections_of(system: str) -> int:
        return sum(system in part.systems for part in one.parts)

    systems = sorted(one.systems, key=collections_of, reverse=True)
    return replace(one, metrics=tuple(shared), systems=tuple(systems))


def _taken(seen: "Seen", one: "Seen") -> str:
    """Return a score file as one types it, with the collection where it has several."""
    if one.parts and len(seen.collections) == 1:
        return f"{_word(one)} --collection {shlex.quote(seen.collections[0])}"
    return _word(one)


def _one(one: "Seen") -> str:
    """Name one metric, where there are several."""
    return f" -m {shlex.quote(usual(one.metrics)[0])}" if len(one.metrics) > 1 else ""


def _filled(one: "Seen") -> dict[str, str]:
    """Return what stands for the names in the commands."""
    plain = sorted(filter(_BASELINE.search, one.systems), key=len)
    others = [name for name in one.systems if name not in plain[:1]]
    names = [shlex.quote(name) for name in (*others[:1], *plain[:1], *others[1:])]
    few = shlex.quote(" ".join(usual(one.metrics)[:3]))
    return {
        "first": names[0],
        "second": names[:2][-1],
        "metric": shlex.quote(usual(one.metrics)[0]),
        "one": _one(one),
        "few": f" -m {few}" if len(one.metrics) > 1 else "",
        "missing": " --missing common" if one.missing else "",
    }


def _of_others(one: "Seen") -> Iterator[tuple[str, str]]:
    match one.kind:
        case "table":
            yield "import", importing(one)
            if one.reader == "table" and not BOARD.lacks(one):
                yield BOARD.verb, _word(one)
            unreported = [name for name in REPORTED if name not in one.metrics]
            if one.topics == 0 and 0 < len(unreported) < len(REPORTED):
                wanted = shlex.quote(unreported[0])
                yield "predict apply", f"{_word(one)} --want {wanted}"
        case "groups" if one.metrics:
            yield "import", importing(replace(one, reader="table"))
        case "factors":
            yield (
                "standardize apply",
                f"scores.parquet --factors {_word(one)} -o standardized.parquet",
            )
        case "model":
            yield "predict apply", f"scores.parquet --model {_word(one)}"
        case "site":
            yield "serve", _word(one)
        case "frozen":
            yield "board import", f"KEY {_word(one)} --site site"


def importing(one: "Seen") -> str:
    """Return what `irmeta import` needs to make a score file of a table."""
    name = "scores" if len(one.files) > 1 else Path(one.path).stem.partition(".")[0]
    files = " ".join(map(shlex.quote, one.files or [one.path]))
    rows = " --rows topics" if one.reader == "matrix" else ""
    if one.ignored:
        rows += f" --ignore {shlex.quote(','.join(one.ignored))}"
    if f"{name}.parquet" in map(str, [one.path, *one.files]):
        name += "-scores"
    return f"{one.reader} {files}{rows} -o {shlex.quote(f'{name}.parquet')}"


def _missing(seen: Sequence["Seen"]) -> Iterator[str]:
    """Say what is missing for other questions."""
    qrels = " ".join(_word(one) for one in seen if one.kind == "judgments")
    runs = " ".join(_word(one) for one in seen if one.kind == "runs")
    if bool(qrels) != bool(runs):
        absent = "judgments" if runs else "runs"
        command = (
            f"irmeta evaluate {qrels or 'QRELS'} {runs or 'RUNS'} -o scores.parquet"
        )
        yield f"To score runs, {absent} are missing: {command}"
    several = together(seen) is not None
    for one in seen:
        if one.kind == "scores":
            needs = [
                f"{ask.verb} ({lack})"
                for ask in ASKS
                if (lack := ask.lacks(_across(one) if ask.across else _main(one)))
                and not ((one.parts or several) and ask.collections > 1)
            ]
            if needs:
                yield f"Needs more than {one.path} has: {listed(needs, len(needs))}."
        elif one.kind == "groups":
            taken, shown = "scores or runs", ""
            if one.reader == "--about":
                taken = "leaderboard"
            elif one.reader == "--teams":
                verbs = [*commands_with(one.reader), "irmeta report"]
                verbs = [verb.removeprefix("irmeta ") for verb in verbs]
                taken = listed(verbs, len(verbs))
                shown = f"; leaderboard shows them, as --about {_word(one)}"
            yield f"{one.path} goes with {taken}, as {one.reader} {_word(one)}{shown}."


def _word(one: "Seen") -> str:
    """Return a path as one types it."""
    return shlex.quote(one.path)
