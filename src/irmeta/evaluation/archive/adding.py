"""Runs added to a collection that a score file holds already: only if they are scored as those that it holds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from irmeta.errors import ScoresError
from irmeta.evaluation.engine import Evaluation
from irmeta.evaluation.run_scores import RunScores
from irmeta.io.formats.scores import Description, read_descriptions
from irmeta.io.runs.rankings import Qrels
from irmeta.metrics.signatures import SETS
from irmeta.scores.names import labels
from irmeta.words import listed

_EVALUATED = {
    "collection",
    "irmeta",
    "qrels",
    "runs",
    "judged",
    "deepest",
    "scored",
    "lacking",
    "ir_metadata",
    "options",
    "notes",
}
"""What a file says of a collection that was evaluated, and not changed after that."""


@dataclass(frozen=True)
class Collection:
    """A collection of a score file, to which runs are added; None stands for one that the file does not hold.

    replace : a run whose name is there takes its place; otherwise such a run is an error, unless its content is the
    same, and then it stays as it is.
    """

    place: str
    about: Description | None = None
    replace: bool = False

    @classmethod
    def of(cls, path: Path, job: Evaluation, *, replace: bool) -> "Collection":
        """Find the collection that an evaluation is one of; raise ScoresError if its runs cannot be added to it."""
        everything = read_descriptions(path) if path.exists() else {}
        place = f"{path}, collection {job.collection!r}"
        if job.collection not in everything:
            return cls(place)
        about = everything[job.collection]
        _require_same(place, job, about)
        return cls(place, about, replace)

    def keeps(self, outcome: RunScores) -> bool:
        """Say whether the file has the scores of this run; raise ScoresError if it has others of its name."""
        (name,) = labels([outcome.name])
        if (
            self.about is None
            or self.replace
            or name not in self.about["names"]["system"]
        ):
            return False
        if self.about["attributes"]["runs"].get(outcome.name) == outcome.digest:
            return True
        raise ScoresError(
            f"{self.place} already has a run {name!r} with other content; replace it with --replace"
        )

    def replaced(self, added: Sequence[str]) -> list[str]:
        """List the systems whose scores make room for those of runs that are added."""
        there = set(self.about["names"]["system"]) if self.about else set()
        return [name for name in added if name in there]

    def joined(self, new: Description, sources: Iterable[str]) -> Description:
        """Return what the file says of the collection with the runs that are added.

        sources : where these are from; that one of them could not be read before is no longer said.
        """
        if self.about is None:
            return new
        old = self.about["attributes"]
        more = new["attributes"]
        systems = [*self.about["names"]["system"], *new["names"]["system"]]
        names = {**self.about["names"], "system": list(dict.fromkeys(systems))}
        mended = tuple(f"left out: {source}:" for source in sources)
        held = [note for note in old.get("notes", []) if not note.startswith(mended)]
        notes = [*held, *_notes(old, new)]
        by_run = {
            name: {**old.get(name, {}), **more[name]}
            for name in ("runs", "judged", "deepest", "lacking")
        }
        attributes = {**old, **by_run, "notes": notes}
        if "ir_metadata" in more:
            attributes["ir_metadata"] = {
                **old.get("ir_metadata", {}),
                **more["ir_metadata"],
            }
        return Description(attributes=attributes, names=names)


def collection_of(path: Path, qrels: Qrels) -> str | None:
    """Return the name of the collection of a score file that has these judgments; None if it holds none.

    Raises ScoresError where several have them, none of them by the name of the judgments.
    """
    everything = read_descriptions(path) if path.exists() else {}
    same = [
        name for name, about in everything.items() if _digest(about) == qrels.digest
    ]
    own = labels([qrels.name])[0]
    if own in same:
        return own
    if len(same) > 1:
        raise ScoresError(
            f"{path} holds these judgments as collections {listed(same)}; choose one with --collection"
        )
    return same[0] if same else None


def metrics_of(path: Path, collection: str | None) -> str | Sequence[str]:
    """Return the metrics of what is added to a score file: those of the collection, or of all that were evaluated."""
    everything = read_descriptions(path) if path.exists() else {}
    evaluated = {
        name: about["names"]["metric"]
        for name, about in everything.items()
        if _digest(about) and not set(about["attributes"]) - _EVALUATED
    }
    if collection in evaluated:
        return evaluated[collection]
    each = list(evaluated.values())
    alike = each and all(set(one) == set(each[0]) for one in each)
    return each[0] if alike else "seeds23"


def _notes(old: Any, new: Description) -> list[str]:
    """Return the notes that are new, with the runs that they are about, and one where versions of irmeta differ."""
    if not new["names"]["system"]:
        return []
    added = listed(new["names"]["system"])
    notes = [
        f"added {added}: {note}"
        for note in new["attributes"]["notes"]
        if note not in old.get("notes", [])
    ]
    ours = new["attributes"]["irmeta"]
    theirs = old.get("irmeta")
    if ours != theirs:
        notes.append(
            f"added {added}: scored by irmeta {ours}, the earlier runs by irmeta {theirs}"
        )
    return notes


def _digest(about: Description) -> Any:
    """Return the digest of the judgments of a collection; None where it has none."""
    return about["attributes"].get("qrels", {}).get("sha256")


def _require_same(place: str, job: Evaluation, about: Description) -> None:
    """Raise ScoresError if runs of this evaluation would not be scored as those of a collection were."""
    facts = about["attributes"]
    names = about["names"]
    elsewhere = "make a new collection with --collection NAME"
    changed = sorted(set(facts) - _EVALUATED)
    lacking = sorted({"qrels", "runs", "options"} - set(facts))
    if lacking or changed:
        if changed:
            what = f"its scores were changed after evaluation ({listed(changed)})"
        else:
            what = "irmeta evaluate did not make it"
        raise ScoresError(f"{place}: cannot add runs, because {what}; {elsewhere}")
    if _digest(about) != job.task.judgments.qrels.digest:
        theirs = facts["qrels"]["source"]
        ours = job.task.judgments.qrels.source
        raise ScoresError(
            f"{place}: made with other judgments ({theirs}, not {ours}); {elsewhere}"
        )
    if set(names["metric"]) != set(job.metrics):
        same = (name for name in SETS if set(SETS[name]) == set(names["metric"]))
        wanted = next(same, " ".join(names["metric"]))
        more = (name for name in job.metrics if name not in names["metric"])
        both = " ".join([wanted, *more])
        raise ScoresError(
            f'{place}: has other metrics; to add runs use the same, -m "{wanted}"; for more metrics evaluate all runs '
            f'into another file, -m "{both}", without --append, or {elsewhere}'
        )
    options = {"score_precision": job.task.precision, "topics": job.topics}
    for option, value in options.items():
        if facts["options"].get(option) != value:
            flag = f"--{option.replace('_', '-')} {facts['options'].get(option)}"
            raise ScoresError(
                f"{place}: made with other options; use the same, {flag}, or {elsewhere}"
            )
    _require_independent(place, job, about)


def _require_independent(place: str, job: Evaluation, about: Description) -> None:
    """Raise ScoresError if the scores of a run depend on the others, or the collection was cut to some topics."""
    again = "evaluate all runs together into a new file"
    if job.topics == "common":
        raise ScoresError(
            f"{place}: has only the topics common to all runs, which another run may change; "
            f"{again}"
        )
    if job.task.pools:
        raise ScoresError(f"{place}: a metric with pool= depends on all runs; {again}")
    if set(about["names"]["topic"]) != set(labels(job.task.topics)):
        raise ScoresError(f"{place}: has only some of the judged topics; {again}")
