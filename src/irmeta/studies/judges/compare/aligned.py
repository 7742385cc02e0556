"""The scores of several judges on the same systems and topics."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import xarray as xr

from irmeta.choices import JudgedTopics, Missing
from irmeta.errors import ScoresError
from irmeta.evaluation.notes import repetition_notes
from irmeta.metrics.names import nearest
from irmeta.scores.attributes import about
from irmeta.scores.averages.means import additive
from irmeta.scores.cubes import by_name, own_threshold_notes, prepare_together
from irmeta.scores.groups.clusters import by_cluster, clustering_notes, unit_scores
from irmeta.scores.groups.repeats import by_runs, unmoved_scores
from irmeta.scores.notes import with_subject
from irmeta.scores.result import no_result_notes
from irmeta.stats.arrays import Bools, Floats
from irmeta.words import counted, listed


@dataclass(frozen=True)
class Aligned:
    """Cubes of the same systems and metrics, the truth's first; of the same topics unless each keeps its own.

    pairwise : by judge, the truth's cube and its own over the topics that these two share, where topics are shared; the
        truth is its own judge, over all its topics.
    """

    truth: str
    cubes: Mapping[str, xr.DataArray]
    shared: bool
    notes: list[str]
    pairwise: Mapping[str, tuple[xr.DataArray, xr.DataArray]]

    @property
    def judges(self) -> list[str]:
        """List the judges: all but the truth."""
        return [name for name in self.cubes if name != self.truth]

    @property
    def first(self) -> xr.DataArray:
        """The truth's cube, over the topics that all judges have."""
        return self.cubes[self.truth]

    @property
    def whole(self) -> xr.DataArray:
        """The truth's cube over all its topics."""
        return self.pairwise[self.truth][0] if self.shared else self.first

    def alike(self) -> list[list[str]]:
        """Group the judges that share the same topics with the truth."""
        groups: dict[tuple[str, ...], list[str]] = {}
        for judge in self.judges:
            topics = tuple(map(str, self.pairwise[judge][0].topic.values))
            groups.setdefault(topics, []).append(judge)
        return list(groups.values())

    def over(self, judges: Sequence[str], metric: int) -> Floats:
        """Return one metric's scores over the topics that these judges share with the truth, its first."""
        truths, judged = zip(*(self.pairwise[name] for name in judges), strict=True)
        first, *others = truths
        topics = first.topic.values
        for other in others:
            topics = topics[np.isin(topics, other.topic.values)]
        rows = []
        for one in (first, *judged):
            shared = additive(one.sel(topic=topics))
            rows.append(shared.values[..., metric])
        return np.stack(rows)

    def by_topic(self, metric: int) -> Floats:
        """Return one metric's scores as they are on single topics, the truth's first: not moved by what runs add."""
        return np.stack(
            [
                additive(unit_scores(unmoved_scores(one))).values[..., metric]
                for one in self.cubes.values()
            ]
        )


def aligned(
    cubes: Mapping[str, xr.DataArray],
    truth: str | None,
    metrics: str | Iterable[str] | None,
    topics: JudgedTopics,
    missing: Missing,
) -> Aligned:
    """Bring cubes, by judge, to the same systems and topics; what does not fit raises ScoresError, named."""
    given = by_name(cubes)
    truth = named_truth(list(given), truth)
    ordered = {truth: given[truth], **given}
    used, notes = prepare_together(
        ordered, metrics=metrics, missing=missing, by_topic=True
    )
    used, more = _same_systems(used, truth)
    shared = topics == "shared"
    for one in [used[truth]] if shared else used.values():
        more += no_result_notes(one)
    pairwise = dict[str, tuple[xr.DataArray, xr.DataArray]]()
    if shared:
        pairwise = _pairwise(used, truth)
        used, left_out = _same_topics(used, truth)
    else:
        used, left_out = _own_topics(used, truth)
    units = {name: by_cluster(one) for name, one in used.items()}
    moved = {name: by_runs(one) for name, (one, _) in units.items()}
    of_clusters = units[truth][1] + clustering_notes(used[truth])
    computed = own_threshold_notes(used)
    computed += repetition_notes(about(used[truth]).get("notes") or [])
    used = {name: one for name, (one, _) in moved.items()}
    of_runs = [
        with_subject(name, note) for name, (_, said) in moved.items() for note in said
    ]
    return Aligned(
        truth,
        used,
        shared,
        [*notes, *more, *left_out, *of_clusters, *of_runs, *computed],
        pairwise,
    )


def _pairwise(
    cubes: Mapping[str, xr.DataArray], truth: str
) -> dict[str, tuple[xr.DataArray, xr.DataArray]]:
    """Return the truth's cube and the judge's over the topics of both, by judge, in the truth's order."""
    found = {}
    for name, cube in cubes.items():
        here = set(cube.topic.values)
        topics = [topic for topic in cubes[truth].topic.values if topic in here]
        of_truth, own = (
            by_runs(by_cluster(side.sel(topic=topics))[0])[0]
            for side in (cubes[truth], cube)
        )
        found[name] = (of_truth, own)
    return found


def named_truth(names: list[str], truth: str | None) -> str:
    """Return the name of the truth, the first set by default; fewer than two sets raise ScoresError."""
    if len(names) < 2:
        raise ScoresError(
            f"{', '.join(names) or 'nothing'}: a comparison needs the truth and at least one judge"
        )
    if truth is None:
        return names[0]
    if truth not in names:
        raise ScoresError(
            f"no judgment set {truth!r} to serve as the truth; {nearest(truth, names)}"
        )
    return truth


def _same_systems(
    cubes: Mapping[str, xr.DataArray], truth: str
) -> tuple[dict[str, xr.DataArray], list[str]]:
    """Keep the systems that all judges have, two at least, in the truth's order; say which judges have more."""
    held = {name: set(one.system.values) for name, one in cubes.items()}
    common = set.intersection(*held.values())
    kept = [name for name in cubes[truth].system.values if name in common]
    if len(kept) < 2:
        fewest = min(held, key=lambda name: len(held[name] & held[truth]))
        raise ScoresError(
            f"{fewest} and {truth} have {counted(len(held[fewest] & held[truth]), 'system')} in common, but a "
            "comparison needs at least 2; did they judge the same runs?"
        )
    notes = [
        f"{name} has scores of {len(here)} systems; the {len(kept)} that every judge has are compared"
        for name, here in held.items()
        if len(here) > len(kept)
    ]
    return {name: one.sel(system=kept) for name, one in cubes.items()}, notes


def _same_topics(
    cubes: Mapping[str, xr.DataArray], truth: str
) -> tuple[dict[str, xr.DataArray], list[str]]:
    """Keep the topics that all judges have; say which judges lack some, and by which all systems score 0."""
    topics = list(cubes[truth].topic.values)
    held = {name: set(one.topic.values) for name, one in cubes.items()}
    for name, here in held.items():
        if not here & set(topics):
            raise ScoresError(
                f"{name} and {truth} share no topic; leave {name} out, or compare means over "
                "different topics (--topics own)"
            )
    common = set.intersection(*held.values())
    if len(common) < 2:
        raise ScoresError(
            f"only {len(common)} topics are common to all of {', '.join(cubes)}; compare fewer judges"
        )
    kept = [topic for topic in topics if topic in common]
    lacking = {name: len(set(topics) - here) for name, here in held.items()}
    notes = []
    if any(lacking.values()):
        lacks = listed(
            f"{name} lacks {count} of the {len(topics)} topics of {truth}"
            for name, count in lacking.items()
            if count
        )
        notes.append(
            f"{lacks}: a judge is compared with {truth} over the topics that both have, two judges over those "
            f"that both share with it; figures by topic are of the {len(kept)} that all have"
        )
    theirs = {
        name: one.sel(topic=[topic for topic in topics if topic in held[name]])
        for name, one in cubes.items()
    }
    used = {name: one.sel(topic=kept) for name, one in cubes.items()}
    return used, notes + _barren_topic_notes(theirs, cubes, truth)


def _barren_topic_notes(
    cubes: Mapping[str, xr.DataArray], whole: Mapping[str, xr.DataArray], truth: str
) -> list[str]:
    """Say by which judges all systems score 0 on some topics; raise if every judge does so on all.

    cubes : each judge's, over the topics that it shares with the truth; whole : over all its topics.
    """
    zeros = _barren_topics(cubes)
    del zeros[truth]
    if all(zero.all() for zero in zeros.values()):
        name = max(zeros, key=lambda judge: bool((whole[judge] > 0).any()))
        zero = zeros[name]
        mends = f"lower its threshold (--rel '{name}=1'), or leave it out"
        if (whole[name] > 0).any():
            mends = f"compare means over different topics (--topics own), {mends}"
        raise ScoresError(
            f"{name} and {truth} share {zero.size} topics, and by {name} every system scores 0 on all of them: it "
            f"did not judge their documents, or never gives a grade that the metrics need; {mends}"
        )
    return [
        f"by {name} every system scores 0 on {int(zero.sum())} of {zero.size} topics"
        for name, zero in zeros.items()
        if zero.any()
    ]


def _barren_topics(cubes: Mapping[str, xr.DataArray]) -> dict[str, Bools]:
    """Mark the topics on which all systems score 0, by judge: (topic,)."""
    return {name: (one.values == 0).all(axis=(0, 2)) for name, one in cubes.items()}


def _own_topics(
    cubes: Mapping[str, xr.DataArray], truth: str
) -> tuple[dict[str, xr.DataArray], list[str]]:
    """Keep of each judge the topics on which some system scores above 0; all of a judge by whom none does."""
    used, notes = dict(cubes), []
    zeros = _barren_topics(cubes)
    nothing = [name for name, zero in zeros.items() if zero.all()]
    if truth in nothing or len(zeros) - len(nothing) < 2:
        raise ScoresError(
            f"by {nothing[0]} every system scores 0 on every topic; leave it out"
        )
    for name, zero in zeros.items():
        if zero.any() and name not in nothing:
            used[name] = cubes[name].isel(topic=~zero)
            notes.append(
                f"{name}: {int(zero.sum())} of {zero.size} topics score 0 for every system and are left out"
            )
    common = set.intersection(*(set(one.topic.values) for one in used.values()))
    notes.append(
        "each judge keeps its own topics: "
        + ", ".join(f"{name} {one.sizes['topic']}" for name, one in used.items())
        + f"; {len(common)} are common to all. Differences between topics count as disagreement, "
        "so intervals are wider"
    )
    return used, notes
