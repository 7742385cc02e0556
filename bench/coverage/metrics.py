"""Promises about metrics: correlations, who predicts new topics best, and the scores that are predicted."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

import numpy as np
import xarray as xr

from bench.coverage.frame import AWAY, Case, Entry
from bench.coverage.worlds import SIZES
from irmeta.choices import Coefficient, Level
from irmeta.scores.cube import cube
from irmeta.scores.tables.roles import ALL
from irmeta.stats.halves import halving
from irmeta.stats.rankings import agreement, disattenuated
from irmeta.studies.agreement.correlation.study import correlate
from irmeta.studies.agreement.predictivity.study import predictivity
from irmeta.studies.prediction.predict.study import predict
from irmeta.studies.prediction.prediction_model import prediction_model

NOISE = np.array([1.0, 2.0, 1.2])
"""Of three metrics, on one system and topic: the second is noisy, the third nearly as good as the first."""
METRICS = ["AP", "P@10", "nDCG@20"]
OFF = ~np.eye(len(METRICS), dtype=np.bool_)


@dataclass(frozen=True)
class Kind:
    """Worlds of one kind: new systems and topics each time.

    team : systems in a team, near-clones, which share ability and the topics that suit them.
    few : whether the second metric has few values, so that systems tie.  ability : how far systems differ.
    """

    systems: int
    topics: int
    team: int = 1
    few: bool = False
    ability: float = 0.4

    def __str__(self) -> str:
        """Name the world in the table."""
        said = f"{self.systems} systems" + (
            f" in teams of {self.team}" if self.team > 1 else ""
        )
        return said + (", few values" if self.few else "")

    @property
    def teams(self) -> dict[str, str]:
        """The team of each system, by name."""
        return {str(system): str(system // self.team) for system in range(self.systems)}

    def abilities(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draw the ability of systems by each metric, and how much two hidden factors suit them."""
        teams = self.systems // self.team
        quality = self.ability * rng.normal(size=(teams, 1)) + 0.15 * rng.normal(
            size=(teams, len(METRICS))
        )
        return quality.repeat(self.team, axis=0), rng.normal(size=(teams, 2)).repeat(
            self.team, axis=0
        )

    def scores(
        self, of: tuple[np.ndarray, np.ndarray], topics: int, rng: np.random.Generator
    ) -> np.ndarray:
        """Draw the scores of systems on new topics: (system, topic, metric)."""
        ability, suited = of
        topic = (
            rng.normal(size=(topics, 1))
            + 0.7 * (suited @ rng.normal(size=(2, topics)))[..., None]
        )
        noise = rng.normal(size=(self.systems, topics, len(METRICS))) * NOISE
        made = (
            ability[:, None]
            + topic
            + 0.8 * rng.normal(size=(self.systems, topics, 1))
            + noise
        )
        if self.few:
            made[..., 1] = np.clip(np.round(5 + made[..., 1]), 0, 10)
        return made

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """Draw new systems and new topics."""
        return self.scores(self.abilities(rng), self.topics, rng)


def labelled(scores: np.ndarray) -> xr.DataArray:
    systems, topics = (
        [str(number) for number in range(count)] for count in scores.shape[:2]
    )
    return cube(scores, systems, topics, METRICS)


@cache
def expected(kind: Kind) -> tuple[np.ndarray, np.ndarray]:
    """Compute the mean advantages, and the mean phi, over many worlds of a kind."""
    rng = np.random.default_rng(0)
    sizes = (kind.topics // 2, kind.topics - kind.topics // 2)
    found = [
        halving.split_half(kind.draw(rng), [sizes], 4, rng)[0] for _ in range(1000)
    ]
    return np.mean([one.difference for one in found], axis=0), np.mean(
        [one.phi for one in found], axis=0
    )


def _advantage(kind: Kind, rng: np.random.Generator) -> Mapping[str, float]:
    """Say of how many advantages the interval holds; beside it, whether all joint ones do."""
    groups = kind.teams if kind.team > 1 else None
    found = predictivity(
        labelled(kind.draw(rng)), partitions=100, teams=groups, rng=rng
    )
    truth, phi = expected(kind)
    ends = [found[name].values for name in ("low", "high", "joint_low", "joint_high")]
    held, joint = (
        (low <= truth) & (truth <= high) for low, high in (ends[:2], ends[2:])
    )
    best = int(np.argmax(found["phi"].mean("metric_2").values))
    may_be_best = found["lead_low"].values[best] <= 0
    return {
        "kept": held[OFF].mean(),
        "all at once": joint[OFF].all(),
        "best is among those that may be": may_be_best[np.argmax(phi.mean(axis=1))],
        "width": (ends[1] - ends[0])[OFF].mean(),
        AWAY: (found["advantage"].values - truth)[OFF],
    }


def _phi(kind: Kind, rng: np.random.Generator) -> Mapping[str, float]:
    """Say of how many phi the interval holds; beside it, of how many mean phi."""
    groups = kind.teams if kind.team > 1 else None
    found = predictivity(
        labelled(kind.draw(rng)), partitions=100, teams=groups, rng=rng
    )
    _, truth = expected(kind)
    held, of_means = (
        (found[f"{name}_low"].values <= true) & (true <= found[f"{name}_high"].values)
        for name, true in (("phi", truth), ("mean_phi", truth.mean(axis=1)))
    )
    return {
        "kept": held.mean(),
        "of mean phi": of_means.mean(),
        AWAY: found["phi"].values - truth,
        "width": (found["phi_high"] - found["phi_low"]).values.mean(),
    }


@cache
def expected_r(kind: Kind, level: Level, method: Coefficient) -> np.ndarray:
    """Compute the correlations that so many topics have on average, over many samples of them."""
    rng, of = np.random.default_rng(0), kind.abilities(np.random.default_rng(1))
    rows = (kind.scores(of, kind.topics, rng) for _ in range(300))
    parts = ([_centred(one, level)] for one in rows)
    if level == "system":
        found = [agreement.over_means(part, method) for part in parts]
    else:
        found = [agreement.over_scores(part, method)[0] for part in parts]
    return np.mean(found, axis=0)


def _centred(scores: np.ndarray, level: Level) -> np.ndarray:
    return scores - scores.mean(axis=0) if level == "within-topic" else scores


def _correlated(
    level: Level, method: Coefficient, kind: Kind, rng: np.random.Generator
) -> Mapping[str, float]:
    """Correlate metrics over new topics, the systems being the same."""
    of = kind.abilities(np.random.default_rng(1))
    found = correlate(
        labelled(kind.scores(of, kind.topics, rng)), unit=level, method=method
    )
    truth, low, high = (
        expected_r(kind, level, method),
        found["low"].values,
        found["high"].values,
    )
    shares = agreement.cumulated(truth)[:-1]
    ends = [found[f"cumulated_{end}"].values[:-1] for end in ("low", "high")]
    return {
        "kept": ((low <= truth) & (truth <= high))[OFF].mean(),
        "width": (high - low)[OFF].mean(),
        AWAY: (found["r"].values - truth)[OFF],
        "shares of components": ((ends[0] <= shares) & (shares <= ends[1])).mean(),
    }


@cache
def _true_r(kind: Kind) -> np.ndarray:
    of = kind.abilities(np.random.default_rng(1))
    return disattenuated.true_correlation(
        [kind.scores(of, 4000, np.random.default_rng(0))]
    )


def _of_true_means(kind: Kind, rng: np.random.Generator) -> Mapping[str, float]:
    """Hold intervals to the correlation of true means; where systems hardly differ there may be none: no claim.

    Beside it is how often there is one.
    """
    kind = replace(kind, ability=1.2)
    of = kind.abilities(np.random.default_rng(1))
    found = correlate(labelled(kind.scores(of, kind.topics, rng)), unit="system")
    truth, low, high = (
        _true_r(kind),
        found["true_low"].values,
        found["true_high"].values,
    )
    none = np.isnan(low)
    return {
        "kept": (none | (low <= truth) & (truth <= high))[OFF].mean(),
        "bounded": 1 - none[OFF].mean(),
        "width": np.nanmean((high - low)[OFF]),
        AWAY: (found["true_r"].values - truth)[OFF],
    }


KINDS = [
    *(Kind(systems, topics) for systems in (5, 20, 60) for topics in SIZES),
    *(Kind(20, topics, few=True) for topics in SIZES),
    *(Kind(20, topics, team=4) for topics in SIZES),
    *(Kind(60, topics, team=4) for topics in SIZES),
]
"""Numbers of systems and of topics, with and without ties, with and without teams."""


def in_kinds(
    check: Callable[[Kind, np.random.Generator], Mapping[str, float]],
) -> Callable[..., Iterable[Case]]:
    """Return the cases of a promise about metrics: with and without teams and ties; in CI a small one."""

    def cases(folder: Path | None) -> Iterable[Case]:
        for kind in [Kind(10, 12)] if folder is None else KINDS:
            yield Case(str(kind), kind.topics, partial(check, kind), kind.systems)

    return cases


WEIGHTS = np.array([[0.25, 0.10], [0.35, 0.05], [0.40, -0.10]])
"""How two qualities of a system make its scores by each metric."""


@dataclass(frozen=True)
class Collections:
    """How many collections a model is made of, and their systems: in teams of near-clones, with tied scores."""

    count: int
    systems: int
    team: int = 1
    few: bool = False

    def __str__(self) -> str:
        """Name the world in the table."""
        said = f"{self.count} collections of {self.systems} systems"
        teams = f" in teams of {self.team}" if self.team > 1 else ""
        return said + teams + (", few values" if self.few else "")

    def draw(self, name: str, rng: np.random.Generator) -> xr.DataArray:
        """Draw one of them; few values: scores are rounded to hundredths."""
        scores = collection(name, self.systems, rng, self.team)
        return scores.round(2) if self.few else scores


def collection(
    name: str, systems: int, rng: np.random.Generator, team: int = 1
) -> xr.DataArray:
    """Draw system-wise scores whose metrics depend on two qualities of a system, with an offset of the collection."""
    qualities = rng.normal(0, 0.25, (systems // team, 2)).repeat(team, axis=0)
    scores = 0.35 + qualities @ WEIGHTS.T
    scores = (
        scores + rng.normal(0, 0.02, len(METRICS)) + rng.normal(0, 0.015, scores.shape)
    )
    names = [f"{name} {number}" for number in range(systems)]
    return cube(
        np.clip(scores, 0.01, 0.99)[:, None], names, [ALL], METRICS, collection=name
    )


def _predicted(of: Collections, rng: np.random.Generator) -> Mapping[str, float]:
    """Predict AP of 12 systems of a new collection."""
    model = prediction_model({str(i): of.draw(str(i), rng) for i in range(of.count)})
    new = replace(of, systems=12).draw("new", rng)
    found = predict(new.where(new.metric != "AP"), model)
    low, high = found["low"].values[:, 0], found["high"].values[:, 0]
    truth = new.values[:, 0, 0]
    return {
        "kept": ((low <= truth) & (truth <= high)).mean(),
        "width": (high - low).mean(),
        AWAY: found["value"].values[:, 0] - truth,
    }


MODELS = (
    Collections(4, 20),
    Collections(8, 5),
    Collections(8, 20),
    Collections(8, 60),
    Collections(8, 20, few=True),
    Collections(8, 20, team=4),
)


def _predictions(_: Path | None) -> Iterable[Case]:
    for of in MODELS:
        yield Case(str(of), 1, partial(_predicted, of), of.systems)


_CORRELATED: tuple[tuple[str, Level, Coefficient], ...] = (
    ("r over scores", "topic", "pearson"),
    ("rho over scores within topics", "within-topic", "spearman"),
    ("r over means", "system", "pearson"),
    ("tau over means", "system", "kendall"),
)

ENTRIES = [
    Entry("advantage of a metric", 0.95, 0.90, in_kinds(_advantage), 120, 20),
    Entry("phi of halves", 0.95, 0.90, in_kinds(_phi), 120, 20),
    *(
        Entry(name, 0.95, 0.90, in_kinds(partial(_correlated, level, method)), 200, 40)
        for name, level, method in _CORRELATED
    ),
    Entry("r of true means", 0.95, 0.85, in_kinds(_of_true_means), 300, 40),
    Entry("predicted score", 0.90, 0.85, _predictions, 200, 40),
]
