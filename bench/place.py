"""How often tests of `irmeta place` reject, and intervals of `place` and `reuse` hold: python -m bench.place DATA.

DATA holds the collections as `irmeta datasets fetch` lays them out, and `teams/`. Three tables, as the docs show them:

levels     a system on random halves of a collection's topics against itself, at 5%; each half standardized by all
           systems, or by random halves of the teams (`apart`), beside raw scores and beside Welch without the factors
worlds     95% intervals of differences between systems of two simulated collections of different difficulty
pools      90% intervals of what runs of teams lose that were never pooled, in simulated collections; what leaving
           teams out says, and how often the loss is nothing
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import numpy as np
import polars as pl
from scipy import stats

from irmeta.datasets import model, simulate
from irmeta.evaluation.engine import evaluate
from irmeta.io.tables.matrices import import_matrix
from irmeta.scores.groups.teams import Groups
from irmeta.stats.standardizing import across
from irmeta.stats.standardizing.across import Spread
from irmeta.studies.place.reuse.study import reuse

NONE = Spread(np.zeros((2, 2)), 10_000)
METRICS = "AP nDCG@10 nDCG@20 P@10 P@20 R@100 RBP(p=0.8) Bpref Rprec RR ERR@20"


def z_of(scores, standardizing):
    """Standardize; a topic that all standardizing systems score alike gets 0."""
    flat = np.ptp(standardizing, axis=0) < 1e-12
    deviation = np.where(flat, 1, standardizing.std(axis=0, ddof=1))
    return np.where(flat, 0, (scores - standardizing.mean(axis=0)) / deviation)


def spread_of(z, team):
    """Return how far other standardizing systems would move all topics; teams by name."""
    return across.spread(z, np.unique(team, return_inverse=True)[1])


def rejected(a, b, spreads, shared):
    """Return the share of systems that differ from themselves."""
    found = across.differences(
        [across.place(a), across.place(b)],
        spreads,
        np.array([[1, shared], [shared, 1.0]]),
    )
    return (np.diag(found.p[: len(a), len(a) :]) < 0.05).mean()


def collections(data):
    """Yield name, scores (system, topic), and the team of each system."""
    for name, rows in (("trec8-adhoc", "topics"), ("robust2004-249", "systems")):
        for file in sorted((data / "matrices" / name).glob("*.csv")):
            scores = import_matrix([file], rows=rows).values[..., 0]
            yield f"{name} {file.stem}", scores, np.arange(len(scores)).astype(str)
    for number in (1, 3):
        folder = data / "trec-covid" / f"round{number}"
        teams = pl.read_csv(
            data / "teams" / f"trec-covid-round{number}.csv", infer_schema=False
        )
        team = dict(teams.select("run", "team").iter_rows())
        cube = evaluate(folder / "qrels.txt", folder / "runs", "AP nDCG@10 P@5 Bpref")
        for metric in cube.metric.values:
            own = np.array([team[system] for system in cube.system.values])
            yield f"trec-covid-{number} {metric}", cube.sel(metric=metric).values, own


def levels(data, draws=200):
    """Test systems against themselves on random halves of topics."""
    rng = np.random.default_rng(0)
    for name, scores, team in collections(data):
        rates: dict = {
            column: [] for column in ("raw", "same", "apart", "apart, without factors")
        }
        for _ in range(draws):
            order, teams = (
                rng.permutation(scores.shape[1]),
                rng.permutation(np.unique(team)),
            )
            a, b = np.array_split(order, 2)
            raw = stats.ttest_ind(
                scores[:, a], scores[:, b], axis=1, equal_var=False
            ).pvalue
            rates["raw"].append((raw < 0.05).mean())
            one, other = (z_of(scores[:, t], scores[:, t]) for t in (a, b))
            rates["same"].append(
                rejected(
                    one,
                    other,
                    [spread_of(half, team) for half in (one, other)],
                    1.0,
                )
            )
            first = np.isin(team, teams[: len(teams) // 2])
            one, other = (
                z_of(scores[:, a], scores[first][:, a]),
                z_of(scores[:, b], scores[~first][:, b]),
            )
            spreads = [
                spread_of(one[first], team[first]),
                spread_of(other[~first], team[~first]),
            ]
            rates["apart"].append(rejected(one, other, spreads, 0.0))
            rates["apart, without factors"].append(
                rejected(one, other, [NONE, NONE], 0.0)
            )
        print(
            f"| {name} | "
            + " | ".join(
                f"{np.mean(r):.3f}, {np.quantile(r, 0.95):.2f}" for r in rates.values()
            )
            + " |"
        )


def drawn(rng, abilities, difficulty, slope):
    """Draw scores of systems: (system, topic)."""
    shape = len(abilities), len(difficulty)
    noise = 0.6 * rng.standard_t(4, shape) + rng.normal(0, 0.4, shape)
    return 1 / (1 + np.exp(-(difficulty + slope * abilities[:, None] + noise)))


def everybody(rng, count):
    """Draw abilities, skewed: there are more very bad systems than very good ones."""
    return rng.normal(0, 0.6, count) - 0.3 * rng.exponential(1, count)


def topics(rng, count, level):
    """Draw difficulties, and how far each topic spreads systems."""
    return level + rng.normal(size=count), np.exp(0.3 * rng.normal(size=count))


def truth(level, ability):
    """Return the mean standardized score over a great many topics, by a great many standardizing systems."""
    rng = np.random.default_rng(1)
    parts = []
    for _ in range(12):
        about = topics(rng, 2000, level)
        standardizing = drawn(rng, everybody(rng, 1000), *about)
        own = drawn(rng, np.full(20, ability), *about)
        parts.append(across.place(z_of(own, standardizing)).scores.mean())
    return np.mean(parts)


def worlds(draws=1000):
    """Compare two systems on collections of different difficulty."""
    rng = np.random.default_rng(2)
    sizes = (
        ((60, 50, -0.5), (40, 40, -2.5)),
        ((129, 50, 0.0), (110, 99, -1.5)),
        ((20, 30, -1.0), (15, 25, -3.0)),
    )
    for pair in sizes:
        for abilities in ((0.5, 0.5), (0.8, -0.3), (-1.0, 1.2)):
            true = truth(pair[0][2], abilities[0]) - truth(pair[1][2], abilities[1])
            held: dict = {"with": [], "without": []}
            for _ in range(draws):
                placed, spreads = [], []
                for (systems, count, level), ability in zip(
                    pair, abilities, strict=True
                ):
                    about = topics(rng, count, level)
                    standardizing = drawn(rng, everybody(rng, systems), *about)
                    placed.append(
                        across.place(
                            z_of(drawn(rng, np.array([ability]), *about), standardizing)
                        )
                    )
                    spreads.append(across.spread(z_of(standardizing, standardizing)))
                for column, its in (("with", spreads), ("without", [NONE, NONE])):
                    low, high = across.differences(placed, its, np.eye(2)).interval()
                    held[column].append(low[0, 1] <= true <= high[0, 1])
            said = " | ".join(f"{np.mean(one):.3f}" for one in held.values())
            print(
                f"| {pair[0][:2]}, {pair[1][:2]} | {abilities} | {true:+.3f} | {said} |"
            )


class Pooled:
    """A simulated collection, what was pooled in it, and what would be with one more team."""

    def __init__(self, folder, seed, systems=120, count=25):
        """Simulate a collection, and make the same draws once more."""
        self.folder = folder
        self.world = simulate.simulate(
            folder / "world", systems=systems, topics=count, rng=seed
        )
        rng = np.random.default_rng(seed)
        about = model.draw_systems(rng, systems)
        self.subjects = model.draw_topics(rng, count)
        self.submitted = list(model.submissions(rng, about, self.subjects))
        self.judged = np.zeros(self.subjects.noise.shape, dtype=bool)
        for system in np.flatnonzero(about.pooled):
            simulate._pool(self.submitted[system], self.judged)
        table = self.world.systems
        self.names = [run.removesuffix(".gz") for run in table["run"]]
        self.team = dict(zip(self.names, table["group"], strict=True))
        files = [str(self.world.runs / run) for run in table["run"]]
        self.runs = dict(zip(self.names, files, strict=True))
        was = dict(zip(self.names, about.pooled, strict=True))
        self.asked = {self.team[name] for name in self.names if was[name]}
        self.old = [name for name in self.names if self.team[name] in self.asked]
        self.left = frozenset(name for name in self.old if not was[name])

    def left_out(self, depth):
        """Leave the pooled teams out; the runs of all others are new."""
        return reuse(
            str(self.world.qrels),
            {name: self.runs[name] for name in self.old},
            teams=Groups(self.team, self.left),
            depth=depth,
            metrics=METRICS,
            new={name: f for name, f in self.runs.items() if name not in self.old},
        )

    def with_team(self, team):
        """Score two runs of a team that was not pooled as if they had been: (system, metric)."""
        own = [at for at, name in enumerate(self.names) if self.team[name] == team][:2]
        more = self.judged.copy()
        for system in own:
            simulate._pool(self.submitted[system], more)
        documents = simulate._document_names(self.subjects)
        topics = self.world.topics["topic"]
        lines = simulate._qrels(topics, self.subjects, documents, more)
        path = self.folder / "more.txt"
        path.write_bytes(lines)
        runs = {self.names[at]: self.runs[self.names[at]] for at in own}
        return evaluate(path, runs, METRICS).mean("topic")


def pools(depth, first, seeds=15):
    """Predict what runs of teams lose that were never pooled, in pools of a depth; the truth is known."""
    held, said, nothing = [], [], []
    for seed in range(first, first + seeds):
        with (
            TemporaryDirectory() as folder,
            patch.object(simulate, "POOL_DEPTH", depth),
        ):
            pooled = Pooled(Path(folder), seed)
            outcome = pooled.left_out(depth)
            said.append(outcome["coverage"].values)
            for team in sorted(set(pooled.team.values()) - pooled.asked):
                true = pooled.with_team(team).sel(metric=outcome.metric)
                one = outcome.sel(run=true.system.values)
                loss = true.values - one["new_score"].values
                low, high = one["penalty_low"].values, one["penalty_high"].values
                inside = (loss >= low - 1e-12) & (loss <= high + 1e-12)
                held.append(inside.mean(axis=0))
                nothing.append((np.abs(loss) < 1e-12).mean(axis=0))
    columns = (np.mean(part, axis=0) for part in (held, said, nothing))
    for metric, *shares in zip(METRICS.split(), *columns, strict=True):
        print(f"| {metric} | " + " | ".join(f"{share:.3f}" for share in shares) + " |")
    print(f"depth {depth}: {len(held)} teams never pooled, in {seeds} collections")


if __name__ == "__main__":
    levels(Path(sys.argv[1]))
    worlds()
    pools(depth=10, first=200)
    pools(depth=50, first=100)
