"""The labels of judgment sets, pair by pair of topic and document: how often they agree, and who is lenient."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import Any

import numpy as np

from irmeta.errors import ScoresError
from irmeta.evaluation.sets import JudgmentSets
from irmeta.measured.coverage import CLUSTERS, held
from irmeta.metrics.names import nearest
from irmeta.scores.groups.clusters import clustering_notes_of, clusters_of
from irmeta.scores.notes import Method
from irmeta.scores.result import with_ends
from irmeta.stats.arrays import Bools, Floats, Ints
from irmeta.stats.judging import labels
from irmeta.stats.judging.labels import Estimate
from irmeta.stats.rankings.rank import over

FIGURES = (
    "kappa_relevant",
    "kappa",
    "kappa_linear",
    "kappa_quadratic",
    "alpha_nominal",
    "alpha_ordinal",
    "alpha_interval",
    "more_relevant",
    "higher_grade",
)
"""Agreement of a judge's labels with the truth's; the last two are leniency: share relevant, and mean grade."""
ALPHAS: tuple[labels.Scale, ...] = ("nominal", "ordinal", "interval")
MANY = 12
"""Sets with more grades than these are not shown as a confusion matrix."""
Relevant = float | Mapping[str, float] | None
"""From which grade on a document is relevant: by all sets, or by each; above 0 by default."""


@dataclass(frozen=True)
class _Side:
    """One set's grades of all pairs: the distinct ones, their indices (-1: not judged), and which are relevant."""

    name: str
    grades: Floats
    codes: Ints
    relevant: Bools

    @classmethod
    def of(cls, name: str, given: Floats, rel: float | None) -> "_Side":
        """Take a set's grades (pair,), NaN where it judged none; rel : its lowest relevant grade, or any above 0."""
        judged = ~np.isnan(given)
        grades, places = np.unique(given[judged], return_inverse=True)
        codes = np.full(given.size, -1)
        codes[judged] = places
        return cls(name, grades, codes, are_relevant(grades, rel))

    @property
    def whole(self) -> bool:
        """Say whether all grades are whole numbers."""
        return bool((self.grades % 1 == 0).all())

    @property
    def judged(self) -> Bools:
        """Mark the pairs that have a grade."""
        return self.codes >= 0


def are_relevant(grades: Floats, lowest: float | None) -> Bools:
    """Say which grades are relevant: the lowest and above, or any above 0."""
    return grades > 0 if lowest is None else grades >= lowest


def label_variables(
    sets: JudgmentSets, truth: str, rel: Relevant, unit: Ints
) -> tuple[dict[str, Any], list[str]]:
    """Compare the labels of every judge with the truth's: variables of a result over (judge, figure), and notes.

    unit : (pair,), the number of what each pair is of that intervals leave out in turn: its topic, or cluster.
    """
    sides = _sides(sets, rel)
    true = sides[truth]
    judges = [side for name, side in sides.items() if name != truth]
    both = [true.judged & judge.judged for judge in judges]
    found = [
        list(_figures(true, judge, pairs, unit).values())
        for judge, pairs in zip(judges, both, strict=True)
    ]
    by_all = np.logical_and.reduce(both)
    same = [_figures(true, judge, by_all, unit)["kappa_relevant"] for judge in judges]
    alike = [judge.name for judge in judges if _same_scale(true, judge)]
    of_all = _alpha_of_all(sets, [truth, *alike], unit)
    topics = [int(np.unique(sets.pairs.topic[pairs]).size) for pairs in both]
    data: dict[str, Any] = {
        **with_ends("label", ("judge", "figure"), found),
        **with_ends("all", ("alpha",), of_all),
        "judged_by_both": ("judge", [int(pairs.sum()) for pairs in both]),
        "judged": ("judge", [int(judge.judged.sum()) for judge in judges]),
        "judged_together": int(by_all.sum()),
        "kappa_together": ("judge", [one.value for one in same]),
        "judged_by_truth": int(true.judged.sum()),
        "topics_by_both": ("judge", topics),
        "figure": list(FIGURES),
        "alpha": list(ALPHAS),
        **_confusion(true, judges, both),
    }
    return data, _notes(sides, truth, alike, rel)


def units_of(
    sets: JudgmentSets, clusters: Mapping[str, str] | str | None
) -> tuple[Ints, list[str]]:
    """Return for each pair the number of its topic, or of its cluster if topics come in some, and what to say of it.

    clusters : see `irmeta.with_clusters`.
    """
    topics = sets.pairs.topics
    notes: list[str] = []
    if clusters is None:
        for name in ("kappas", "alphas", "leniency"):
            found = held(f"{name} of labels", systems=1, topics=len(topics))
            said = found.said(f"95% intervals of {name}")
            # only kappas have their intervals in the table for people
            notes += said if name == "kappas" else map(Method, said)
        return sets.pairs.topic, notes
    names, number = np.unique(clusters_of(topics, clusters), return_inverse=True)
    if len(names) < len(topics):
        notes.append(
            f"Labels: {len(topics)} topics come in {len(names)} clusters, which intervals leave out in turn"
        )
        found = held("kappas of labels" + CLUSTERS, systems=1, topics=len(names))
        if found.broken:
            notes.append(f"Such 95% intervals of kappa held in {found}")
    return number[sets.pairs.topic], notes


def label_clustering_notes(sets: JudgmentSets, truth: str, rel: Relevant) -> list[str]:
    """Note that topics look clustered, by their names and by how often judges agree on what is relevant there."""
    sides = _sides(sets, rel)
    true, topic = sides.pop(truth), sets.pairs.topic
    shares = []
    for one in sides.values():
        both = true.judged & one.judged
        alike = true.relevant[true.codes] == one.relevant[one.codes]
        same, judged = (
            np.bincount(topic, part).astype(np.float64) for part in (both & alike, both)
        )
        shares.append(over(same, judged))
    agree = np.stack(shares)
    whole = np.isfinite(agree).all(axis=0)
    names = np.array(sets.pairs.topics)[whole].tolist()
    return clustering_notes_of(
        names, {("shares of equal labels (relevant or not)", ""): agree[:, whole]}
    )


def _sides(sets: JudgmentSets, rel: Relevant) -> dict[str, _Side]:
    """Return each set's grades, and which of them are relevant: from `rel` on, one for all sets or one for each."""
    given = rel if isinstance(rel, Mapping) else dict.fromkeys(sets.sets, rel)
    for name, grade in given.items():
        if name not in sets.sets:
            raise ScoresError(f"no judgment set {name!r}; {nearest(name, sets.sets)}")
        if grade is not None and not isfinite(grade):
            raise ScoresError(f"--rel of {name} must be a grade, as 1, not {grade}")
    every = zip(sets.sets, sets.grades(), strict=True)
    return {name: _Side.of(name, grades, given.get(name)) for name, grades in every}


def _same_scale(truth: _Side, judge: _Side) -> bool:
    """Say whether the grades of both are whole numbers on one scale."""
    highest = (side.grades.max(initial=0) for side in (truth, judge))
    return truth.whole and judge.whole and on_one_scale(*highest)


def on_one_scale(truth: float, judge: float) -> bool:
    """Say whether grades compare, by the highest of each: a judge's go no higher, and are not 0 and 1 beside more."""
    return judge <= truth and not judge <= 1 < truth


def _figures(
    truth: _Side, judge: _Side, both: Bools, unit: Ints
) -> dict[str, Estimate]:
    """Compute the figures of agreement of one judge, over the pairs that both judged; NaN for grades of other scales.

    both : (pair,), which pairs both judged.  unit : (pair,), of all pairs
    """
    figures = dict.fromkeys(FIGURES, Estimate(np.nan, np.nan, np.nan))
    by_truth = truth.codes[both]
    by_judge = judge.codes[both]
    where = unit[both]
    units = int(unit.max()) + 1
    figures |= _relevance_figures(
        truth.relevant[by_truth], judge.relevant[by_judge], where, units
    )
    if not _same_scale(truth, judge):
        return figures
    # places on the scale of both
    grades = np.union1d(truth.grades, judge.grades)
    by_truth = np.searchsorted(grades, truth.grades)[by_truth]
    by_judge = np.searchsorted(grades, judge.grades)[by_judge]
    shape = (units, grades.size, grades.size)
    table = labels.cooccurrences(by_truth, by_judge, where, shape)
    return figures | _grade_figures(table, grades)


def _relevance_figures(
    truth: Bools, judge: Bools, unit: Ints, units: int
) -> dict[str, Estimate]:
    """Compute agreement on what is relevant, (pair,) by each."""
    table = labels.cooccurrences(
        truth.astype(np.int64), judge.astype(np.int64), unit, (units, 2, 2)
    )
    kappa = partial(labels.kappa, weights=1 - np.eye(2))
    leniency = partial(labels.leniency, grades=np.arange(2.0))
    return {
        "kappa_relevant": labels.over_topics(kappa, table),
        "more_relevant": labels.over_topics(leniency, table),
    }


def _grade_figures(table: Floats, grades: Floats) -> dict[str, Estimate]:
    """Compute agreement on grades from how often they meet: table (topic, grade, grade)."""
    distance: Floats = np.abs(grades[:, None] - grades)
    weights = {
        "kappa": (distance > 0).astype(np.float64),
        "kappa_linear": distance,
        "kappa_quadratic": distance**2,
    }
    figures = {}
    for name, weight in weights.items():
        kappa = partial(labels.kappa, weights=weight)
        figures[name] = labels.over_topics(kappa, table)
    # alpha does not know who is the truth: each pair counts both ways
    mirrored = table + table.transpose(0, 2, 1)
    for scale in ALPHAS:
        alpha = partial(labels.alpha, grades=grades, scale=scale)
        figures[f"alpha_{scale}"] = labels.over_topics(alpha, mirrored)
    leniency = partial(labels.leniency, grades=grades)
    figures["higher_grade"] = labels.over_topics(leniency, table)
    return figures


def _alpha_of_all(
    sets: JudgmentSets, names: Sequence[str], unit: Ints
) -> list[Estimate]:
    """Compute Krippendorff's alpha of all sets on one scale at once."""
    if len(names) < 2:
        return [Estimate(np.nan, np.nan, np.nan)] * len(ALPHAS)
    places = [list(sets.sets).index(name) for name in names]
    given = sets.grades()[places]
    lacking = np.isnan(given)
    grades = np.unique(given[~lacking])
    found = np.searchsorted(grades, np.nan_to_num(given))
    codes = np.where(lacking, -1, found)
    table = labels.coincidences(codes, unit, int(unit.max()) + 1, grades.size)
    return [
        labels.over_topics(partial(labels.alpha, grades=grades, scale=scale), table)
        for scale in ALPHAS
    ]


def _confusion(
    truth: _Side, judges: Sequence[_Side], both: Sequence[Bools]
) -> dict[str, Any]:
    """Count how often each grade of a judge meets each grade of the truth, over the pairs that both judged."""
    rows: list[tuple[str, float, float, int]] = []
    for judge, kept in zip(judges, both, strict=True):
        if judge.grades.size > MANY or truth.grades.size > MANY:
            continue
        table = labels.cooccurrences(
            truth.codes[kept],
            judge.codes[kept],
            np.zeros(int(kept.sum()), dtype=np.int64),
            (1, truth.grades.size, judge.grades.size),
        )[0]
        rows += [
            (judge.name, float(grade), float(given), int(table[i, j]))
            for i, grade in enumerate(truth.grades)
            for j, given in enumerate(judge.grades)
        ]
    names = (
        "confusion_judge",
        "confusion_truth_grade",
        "confusion_grade",
        "confusion_count",
    )
    if rows:
        columns = list(zip(*rows, strict=True))
    else:
        columns = [()] * len(names)
    pairs = zip(names, columns, strict=True)
    return {name: ("cell", np.array(column)) for name, column in pairs}


def _notes(
    sides: Mapping[str, _Side], truth: str, alike: Sequence[str], rel: Relevant
) -> list[str]:
    """Say from which grade on documents count as relevant, and whose grades do not compare or are not grades."""
    lines = []
    judges = [name for name in sides if name != truth]
    highest = {name: side.grades.max(initial=0) for name, side in sides.items()}
    of_two = all(sides[name].whole and grade <= 1 for name, grade in highest.items())
    if rel is None and not of_two:
        lines.append(
            "Labels: every grade above 0 counts as relevant; --rel 2 changes that, and --rel "
            f"'{truth}=2 {judges[0]}=1' also metrics such as P@10"
        )
    if other := [name for name in judges if name not in alike]:
        lines.append(
            f"Labels: compared only as relevant or not, because their scale differs from that of {truth}: "
            + "; ".join(f"{name} ({_scale_text(sides[name])})" for name in other)
        )
    if high := [name for name, grade in highest.items() if grade > 10]:
        lines.append(
            f"{', '.join(high)}: grades above 10; are these counts rather than grades?"
        )
    return lines


def _scale_text(side: _Side) -> str:
    """Write the range of a set's grades, as "0 to 3"."""
    kind = "" if side.whole else "fractions "
    return f"{kind}{side.grades.min():g} to {side.grades.max():g}"
