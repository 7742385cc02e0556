"""What the sections of a page are made from: the collections, what of them can be studied, and results they share."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from shlex import quote
from typing import Any, TypedDict, Unpack

import xarray as xr

from irmeta.choices import Level, Missing
from irmeta.errors import ScoresError
from irmeta.metrics.names import canonical, found_as, nearest
from irmeta.report.page.panel import Panel, attempt, names
from irmeta.scores.attributes import about
from irmeta.scores.groups.teams import Grouping, groups_of, source_of_groups
from irmeta.scores.selection import choose_names, complete, main_metric, varying_metrics
from irmeta.studies import name_of
from irmeta.studies.result import Result
from irmeta.words import counted, listed

JUDGED = {"judges", "estimate"}
"""The studies of judgments by a machine beside those by people."""
LEVELS: Mapping[Level, str] = {
    "topic": "Topic level",
    "within-topic": "Within topics",
    "system": "System level",
}


class Asked(TypedDict, total=False):
    """What of the collections a page shows, and how it names them: arguments of `irmeta.write_report`."""

    by: str | None
    missing: Missing
    teams: Grouping
    highlight: str | Iterable[str] | None
    results: Iterable[Result]
    rng: int
    source: str
    calling: str
    named: Mapping[str, str]
    reading: str


@dataclass(frozen=True)
class Content:
    """The collections of a page.

    cubes : by name, as given.  used : what of each the studies can use.  left_out : by name, what they cannot.
    order : the metric that orders its systems.
    seed : of all that is random.  source : the score file, as the commands on the page name it.
    missing : what was done with missing scores.  teams : the teams of the systems, if they are known.
    highlight : systems to mark.  calling : the option by which commands call systems as the page does.
    given : results of studies that need judgments or runs, by the study's name.
    named : how commands name judgments and runs, by what stands for them where they are not known, as QRELS.
    reading : the options by which commands read judgments and runs as they were read.
    results : what one section computes and another needs.
    """

    cubes: Mapping[str, xr.DataArray]
    used: Mapping[str, xr.DataArray]
    left_out: Mapping[str, list[str]]
    order: Mapping[str, str]
    seed: int
    source: str
    missing: Missing = "error"
    teams: Grouping = None
    highlight: Sequence[str] = ()
    given: Mapping[str, xr.Dataset] = field(default_factory=dict)
    results: dict[str, Any] = field(default_factory=dict)
    calling: str = ""
    named: Mapping[str, str] = field(default_factory=dict)
    reading: str = ""

    @classmethod
    def prepared(
        cls, cubes: Mapping[str, xr.DataArray], **asked: Unpack[Asked]
    ) -> "Content":
        """Return the content of a page of these collections; raise ScoresError where one of them cannot be studied."""
        missing = asked.get("missing", "common")
        used, left_out, order = {}, {}, {}
        for name, cube in cubes.items():
            used[name], left_out[name] = _usable(name, cube, missing)
            order[name] = ordering_metric(used[name], asked.get("by"))
            # a table that lacks systems would leave every section without figures
            groups_of(names(used[name].system), asked.get("teams"))
        return cls(
            cubes,
            used,
            left_out,
            order,
            seed=asked.get("rng", 0),
            source=asked.get("source", "scores.parquet"),
            missing=missing,
            teams=asked.get("teams"),
            highlight=_systems_to_mark(cubes, asked.get("highlight")),
            given={name_of(of.data): of.data for of in asked.get("results", ())},
            calling=asked.get("calling", ""),
            named=asked.get("named", {}),
            reading=asked.get("reading", ""),
        )

    def named_files(self, *words: str) -> list[str]:
        """Return how a command names judgments and runs; the words that stand for them where that is not known."""
        return [self.named.get(word, word) for word in words]

    @property
    def by_team(self) -> str:
        """The option by which a command on the page names the teams; nothing where they are not known."""
        if self.teams is None:
            return ""
        return f" --teams {quote(str(source_of_groups(self.teams)))}"

    @property
    def several_metrics(self) -> bool:
        """Whether every collection has more than one metric: agreement, choice and prediction need that."""
        return all(scores.sizes["metric"] > 1 for scores in self.used.values())

    def computed_once(self, key: str, compute: Callable[[], Any]) -> Any:
        """Return what `compute` returns, computed only the first time that its key is asked for."""
        if key not in self.results:
            self.results[key] = compute()
        return self.results[key]

    def file_of(self, name: str) -> str:
        """Return how a command names one collection."""
        if len(self.used) > 1:
            return f"{self.source} --collection {quote(name)}"
        return self.source

    def source_of(self, name: str) -> str:
        """Return how a command names what is used of one collection."""
        return self.file_of(name) + self._missing_option([name])

    @property
    def sources(self) -> str:
        """How a command names what is used of all collections."""
        return self.source + self._missing_option(self.cubes)

    def _missing_option(self, names: Iterable[str]) -> str:
        """Return the option that leaves out what lacks scores, if some do."""
        if any(self.cubes[name].isnull().any() for name in names):
            return f" --missing {self.missing}"
        return ""

    def panels_by_collection(self, panel: Callable[[str], Panel]) -> list[Panel]:
        """Make a panel for each collection; an answer from a machine's judgments says so."""
        made = [attempt(name, partial(panel, name)) for name in self.used]
        for at, answer in enumerate(made):
            if answer.command and self.is_by_machine(answer.label):
                made[at] = said_by_machine(answer)
        return made

    def is_by_machine(self, name: str) -> bool:
        """Say whether scores are by the judgments of the machine that the page compares with people."""
        return self.judged_by_machine(about(self.cubes[name]))

    def judged_by_machine(self, described: Mapping[str, Any]) -> bool:
        """Say the same of what is recorded of scores, or of another input of a study."""
        digest = _judgments_digest(described)
        machines: list[str | None] = []
        for study in self.given.keys() & JUDGED:
            facts = about(self.given[study])
            truth = facts["options"].get("truth", "human")
            judges = facts["inputs"]["collections"].items()
            machines += [
                _judgments_digest(by) for judge, by in judges if judge != truth
            ]
        return digest is not None and digest in machines

    def panels_by_level(self, panel: Callable[[Level], Panel]) -> list[Panel]:
        """Make a panel for each level of scores that has an answer; where none has, each says why."""
        made = [attempt(LEVELS[level], partial(panel, level)) for level in LEVELS]
        return [one for one in made if one.tables] or made


def said_by_machine(panel: Panel) -> Panel:
    """Return a panel whose finding and pictures say that they follow from the machine's judgments."""
    first, *rest = panel.findings
    pictures = {
        name: replace(picture, title=f"{picture.title} (by the machine's judgments)")
        for name, picture in panel.pictures.items()
    }
    return replace(
        panel,
        findings=[f"By the machine's judgments: {first}", *rest],
        pictures=pictures,
    )


def _judgments_digest(described: Mapping[str, Any]) -> str | None:
    """Return the digest of the judgments that scores are by, if it is known."""
    qrels = described.get("qrels")
    return qrels.get("sha256") if isinstance(qrels, Mapping) else qrels


def _systems_to_mark(
    cubes: Mapping[str, xr.DataArray], highlight: str | Iterable[str] | None
) -> list[str]:
    """Return the systems to mark, which may be in any of the collections."""
    if highlight is None:
        return []
    known = dict.fromkeys(
        name for cube in cubes.values() for name in names(cube.system)
    )
    return choose_names("system", highlight, list(known), "the report", "--highlight")


def _usable(
    name: str, cube: xr.DataArray, missing: Missing
) -> tuple[xr.DataArray, list[str]]:
    """Keep what the studies can use, and say what is left out: missing scores, metrics by which no systems differ."""
    scores, left_out = cube, []
    if missing != "error":
        scored = _mostly_scored(cube)
        if few := _metrics_lost(cube, scored):
            left_out.append(
                f"{listed(few)}: left out of all sections, as most scores are missing"
            )
        scores, notes = complete(scored, missing)
        mend = "(choose which with --missing common, topics or systems)"
        left_out += [f"{note} {mend}" for note in notes]
    kept = varying_metrics(scores)
    if flat := _metrics_lost(scores, kept):
        verb = "has" if len(flat) == 1 else "have"
        left_out.append(
            f"{', '.join(flat)} {verb} the same mean for every system; left out of all sections"
        )
    if not kept.sizes["metric"]:
        count = counted(cube.sizes["system"], "system")
        raise ScoresError(
            f"{name}: no metric distinguishes its {count}; a report needs systems that differ"
        )
    return kept, left_out


def _metrics_lost(before: xr.DataArray, after: xr.DataArray) -> list[str]:
    """List the metrics that only the first of two cubes has."""
    kept = names(after.metric)
    return [metric for metric in names(before.metric) if metric not in kept]


def _mostly_scored(cube: xr.DataArray) -> xr.DataArray:
    """Keep the metrics that have at least half of their scores; all if none has."""
    share = cube.notnull().mean(("system", "topic")).values
    if (share >= 0.5).any():
        return cube.isel(metric=share >= 0.5)
    return cube


def ordering_metric(scores: xr.DataArray, by: str | None) -> str:
    """Choose the metric that systems are ordered by: the one named, or the first."""
    if by is None:
        return main_metric(scores)
    known = names(scores.metric)
    metric = found_as(canonical(by), known)
    if metric is None:
        where = scores.attrs.get("collection", "these scores")
        raise ScoresError(
            f"no metric {by!r} to order the systems of {where} by; {nearest(by, known)}"
        )
    return metric
