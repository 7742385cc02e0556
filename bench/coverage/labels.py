"""Promises about labels: kappas, alphas and leniency of judges whose labels are thresholds of what they see."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np
import xarray as xr

from bench.coverage.frame import AWAY, Case, Entry
from bench.coverage.worlds import SIZES
from irmeta.evaluation.sets import JudgmentSets
from irmeta.studies.judges.compare.passes import of_labels
from irmeta.studies.judges.compare.study import compare_judges

KAPPAS = ("kappa_relevant", "kappa", "kappa_linear", "kappa_quadratic")
ALPHAS = ("alpha_nominal", "alpha_ordinal", "alpha_interval")
LENIENCY = ("more_relevant", "higher_grade")


@dataclass(frozen=True)
class Labels:
    """Judgments of the documents of so many topics, by the truth and two judges alike.

    agrees : r of what a judge and the truth see in a document.  least : how good a relevant document is; topics
    differ in how good theirs are.  grades : 2, or 4.
    """

    agrees: float
    least: float = 0.5
    grades: int = 4
    documents: int = 40

    def draw(self, topics: int, rng: np.random.Generator) -> JudgmentSets:
        """Draw the labels of new topics; how lenient a judge is varies over them."""
        names = [str(topic) for topic in range(topics)]
        return self.of(names, partial(rng.normal, size=(topics, 1)), rng)

    def of(
        self,
        topics: Sequence[str],
        by_topic: Callable[[], np.ndarray],
        rng: np.random.Generator,
    ) -> JudgmentSets:
        """Draw the labels of topics with these names; by_topic draws standard normal values, (topic, 1)."""
        shape = (len(topics), self.documents)
        about = 0.5 * by_topic()
        good = rng.normal(size=shape)
        steps = self.least + 0.7 * np.arange(self.grades - 1)
        seen = {"truth": about + good}
        for judge in ("judge", "other"):
            own = np.sqrt(1 - self.agrees**2) * rng.normal(size=shape)
            lenient = 0.2 + 0.3 * by_topic()
            seen[judge] = about + lenient + self.agrees * good + own
        return JudgmentSets.of(
            {
                name: _qrels(topics, np.digitize(part, steps))
                for name, part in seen.items()
            }
        )


@dataclass(frozen=True)
class Conversations(Labels):
    """Judgments of conversations; what is of a topic is alike within one.

    icc : the intraclass correlation.  most : sizes are 1 to this number; equal : all have 5 turns.
    """

    icc: float = 0.6
    equal: bool = False
    documents: int = 20
    most: int = 10

    def draw(self, topics: int, rng: np.random.Generator) -> JudgmentSets:
        """Draw the labels of so many new conversations."""
        sizes = np.full(topics, 5)
        if not self.equal:
            sizes = rng.integers(1, self.most + 1, topics)
        cluster = np.repeat(np.arange(topics), sizes)
        names = [f"{of}_{turn}" for turn, of in enumerate(cluster)]

        def by_topic() -> np.ndarray:
            common = rng.normal(size=(topics, 1))[cluster]
            own = rng.normal(size=(len(cluster), 1))
            return np.sqrt(self.icc) * common + np.sqrt(1 - self.icc) * own

        return self.of(names, by_topic, rng)


def _qrels(topics: Sequence[str], grades: np.ndarray) -> dict[str, dict[str, int]]:
    return {
        topic: {f"d{at}": int(grade) for at, grade in enumerate(row)}
        for topic, row in zip(topics, grades, strict=True)
    }


def _compared(labels: Labels, topics: int, rng: np.random.Generator) -> xr.Dataset:
    clusters = "stem" if isinstance(labels, Conversations) else None
    return compare_judges(labels.draw(topics, rng), truth="truth", clusters=clusters)


@cache
def _expected(labels: Labels) -> xr.Dataset:
    """Compute what 5000 topics give, 500 at a time."""
    rng = np.random.default_rng(0)
    parts = [_compared(labels, 500, rng)[["label", "all"]] for _ in range(10)]
    return xr.concat(parts, "part").mean("part")


def _of_a_judge(
    figures: Sequence[str], labels: Labels, topics: int, rng: np.random.Generator
) -> Mapping[str, float]:
    """Say of how many figures of a judge the intervals hold, and of which."""
    found, truth = (
        one.sel(judge="judge", figure=list(figures))
        for one in (_compared(labels, topics, rng), _expected(labels))
    )
    low, high, true = (
        part.values for part in (found.label_low, found.label_high, truth.label)
    )
    inside = (low <= true) & (true <= high)
    named = dict(zip(figures, inside.astype(np.float64), strict=True))
    return {
        "kept": inside.mean(),
        **named,
        "width": (high - low).mean(),
        AWAY: found.label.values - true,
    }


def _of_all(
    labels: Labels, topics: int, rng: np.random.Generator
) -> Mapping[str, float]:
    """Say of how many alphas of all judges at once the intervals hold."""
    found, truth = _compared(labels, topics, rng), _expected(labels)["all"].values
    low, high = found["all_low"].values, found["all_high"].values
    inside = (low <= truth) & (truth <= high)
    return {
        "kept": inside.mean(),
        "width": (high - low).mean(),
        AWAY: found["all"].values - truth,
    }


@dataclass(frozen=True)
class Passes(Labels):
    """Judgments by the truth and several passes of one judge; `again` of its noise is another in each pass."""

    passes: int = 2
    again: float = 0.5

    def draw(self, topics: int, rng: np.random.Generator) -> JudgmentSets:
        """Draw the labels of new topics; how often a judge changes its mind varies over them."""
        shape = (topics, self.documents)
        about = rng.normal(0, 0.5, (topics, 1))
        good = rng.normal(size=shape)
        steps = self.least + 0.7 * np.arange(self.grades - 1)
        seen = {"truth": about + good}
        noise = np.sqrt(1 - self.agrees**2) * rng.uniform(0.5, 1.5, (topics, 1))
        stays = rng.normal(size=shape)
        for at in range(self.passes):
            own = np.sqrt(self.again) * rng.normal(size=shape)
            own += np.sqrt(1 - self.again) * stays
            seen[f"judge_{at}"] = about + self.agrees * good + noise * own
        return JudgmentSets.of(
            {
                name: _qrels(
                    [str(one) for one in range(topics)], np.digitize(part, steps)
                )
                for name, part in seen.items()
            }
        )


def _own_shares(labels: Passes, topics: int, rng: np.random.Generator) -> xr.Dataset:
    sets = labels.draw(topics, rng)
    found = of_labels(
        sets,
        "truth",
        {"judge": [name for name in sets.sets if name != "truth"]},
        None,
        sets.pairs.topic,
    )
    return xr.Dataset(found).isel(repeated=0)


@cache
def _expected_shares(labels: Passes) -> xr.Dataset:
    """Compute what very many topics give."""
    return _own_shares(labels, 3000, np.random.default_rng(0))


def _of_passes(
    labels: Passes, topics: int, rng: np.random.Generator
) -> Mapping[str, float]:
    """Say of how many shares of a judge's disagreement with itself the intervals hold, and of which."""
    found, truth = _own_shares(labels, topics, rng), _expected_shares(labels)
    held = {
        name: float(found[f"{name}_low"] <= truth[name] <= found[f"{name}_high"])
        for name in ("own_share", "own_share_grades")
    }
    width = float(found["own_share_high"] - found["own_share_low"])
    away = float(found["own_share"] - truth["own_share"])
    kept = float(np.mean(list(held.values())))
    return {"kept": kept, **held, "width": width, AWAY: away}


def _in_passes(folder: Path | None) -> Iterable[Case]:
    worlds = {
        "2 passes of a bad judge, few relevant": Passes(0.4, 2.0, 2),
        "4 passes of a bad judge": Passes(0.4, passes=4, again=0.9),
        "2 passes of a good judge": Passes(0.9, again=0.2),
        "4 passes of a good judge, binary": Passes(0.9, grades=2, passes=4),
    }
    for name, labels in worlds.items():
        for topics in SIZES if folder is not None else (25,):
            yield Case(name, topics, partial(_of_passes, labels, topics))


WORLDS = {
    "good judge, 4 grades": Labels(0.9),
    "bad judge, 4 grades": Labels(0.4),
    "good judge, few relevant": Labels(0.9, least=2.0, grades=2),
    "good judge, binary": Labels(0.9, grades=2),
}


IN_CONVERSATIONS: dict[str, Labels] = {
    f"{name}, conversations of {'5' if equal else '1 to 10'}": Conversations(
        labels.agrees, labels.least, labels.grades, equal=equal
    )
    for equal in (False, True)
    for name, labels in WORLDS.items()
}


def _in_labels(
    check: Callable[[Labels, int, np.random.Generator], Mapping[str, float]],
    worlds: Mapping[str, Labels] = WORLDS,
    sizes: Sequence[int] = SIZES,
) -> Callable[[Path | None], Iterable[Case]]:
    def cases(folder: Path | None) -> Iterable[Case]:
        for name, labels in worlds.items():
            for topics in sizes if folder is not None else sizes[1:2]:
                yield Case(name, topics, partial(check, labels, topics))

    return cases


ENTRIES = [
    *(
        Entry(name, 0.95, 0.88, _in_labels(partial(_of_a_judge, figures)), 400, 20)
        for name, figures in (
            ("kappas of labels", KAPPAS),
            ("alphas of labels", ALPHAS),
            ("leniency of labels", LENIENCY),
        )
    ),
    Entry(
        "kappas of labels, clusters",
        0.95,
        0.88,
        _in_labels(partial(_of_a_judge, KAPPAS), IN_CONVERSATIONS, (5, 12, 30)),
        400,
        10,
    ),
    Entry("alphas of several judges", 0.95, 0.88, _in_labels(_of_all), 400, 20),
    Entry(
        "share of a judge's disagreement with itself", 0.95, 0.88, _in_passes, 400, 20
    ),
]
