"""The tables of an audit of irmeta's statistics, measured again: how often promises are kept where truth is known.

python -m bench.audit --draws 100            lines of docs/worlds.md; --only "phi" measures some of it
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.stats

from bench.best import labelled
from irmeta.evaluation.engine import evaluate
from irmeta.scores.cube import cube
from irmeta.stats.arrays import Floats
from irmeta.stats.halves import halving, jackknife
from irmeta.studies.agreement.correlation.study import correlate
from irmeta.studies.choice.ranking.study import rank
from irmeta.studies.choice.ranking.summary import TRUST, tables
from irmeta.studies.differences.significance.study import significance
from irmeta.studies.differences.significance.summary import tables as tables_of_tests
from irmeta.studies.prediction.coverage import coverage
from irmeta.studies.standardizing.comparison.study import compare
from irmeta.studies.standardizing.comparison.summary import findings
from irmeta.studies.standardizing.durability import durability

DATA = Path(
    os.environ.get(
        "IRMETA_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"
    )
)
TEAM = 4
"""Systems in a team of near-clones."""

Figures = Mapping[str, float]


class Setting(NamedTuple):
    """A promise in one world: its row in the table, and what so many draws show."""

    name: str
    measure: Callable[[int], Figures]


def settings() -> Iterator[Setting]:
    """Go through all rows."""
    yield from _phi()
    yield from _correlations()
    yield from _ranks()
    yield from _durability()
    yield from _comparison()
    yield from _prediction()
    yield from _choices()


# Intervals of phi's advantage


def _phi() -> Iterator[Setting]:
    for kind in (
        "independent",
        "few values",
        "topics suit systems",
        "teams, not named",
        "teams, named",
    ):
        for systems, topics in ((20, 20), (20, 25), (40, 50), (60, 50)):
            yield Setting(
                f"phi advantage, {kind}: {systems} systems, {topics} topics",
                partial(_advantages, kind, systems, topics),
            )


def _advantages(kind: str, systems: int, topics: int, draws: int) -> Figures:
    """Return the share of draws whose 95% intervals hold the expected advantage, both ways round."""
    team = np.arange(systems) // TEAM
    named = kind == "teams, named"
    sizes = (topics // 2, topics - topics // 2)
    gains, errors = [], []
    for seed in range(draws):
        rng = np.random.default_rng([seed, systems, topics])
        scores = _two_metrics(rng, kind, systems, topics)
        (found,) = halving.split_half(scores, [sizes], 60, rng)
        drawn = halving.halves(halving.shuffles(topics, 40, rng), sizes)
        variance = jackknife.variances(
            scores, drawn, team=team if named else None
        ).advantage
        gains.append(found.difference)
        errors.append(np.sqrt(np.maximum(variance, 0) + found.difference_se**2))
    units = systems // TEAM if named else systems
    width = scipy.stats.t.isf(0.025, min(units, topics) - 1) * np.array(errors)
    held = np.abs(gains - np.mean(gains, axis=0)) <= width
    return {"held": float((held[:, 0, 1].mean() + held[:, 1, 0].mean()) / 2)}


def _two_metrics(
    rng: np.random.Generator, kind: str, systems: int, topics: int
) -> Floats:
    """Draw scores of a precise and a noisy metric."""
    if kind.startswith("teams"):
        teams = systems // TEAM
        shared = 0.4 * rng.normal(size=(teams, 1, 1)) + 0.8 * rng.normal(
            size=(teams, 1, 2)
        )
        scores = np.repeat(shared, TEAM, axis=0) + 1.2 * rng.normal(
            size=(systems, topics, 1)
        )
    else:
        suits = (
            rng.normal(size=(systems, 2)) @ rng.normal(size=(2, topics))
            if kind.startswith("topics")
            else 0.0
        )
        scores = (
            rng.normal(size=(systems, 1, 1))
            + np.reshape(suits, (*np.shape(suits), 1))
            + np.zeros((1, topics, 2))
        )
    scores = scores + rng.normal(size=(systems, topics, 2)) * [1.0, 2.0]
    if kind == "few values":
        scores[..., 1] = np.round(np.clip(scores[..., 1], -2, 2))
    return np.asarray(scores)


# Correlations


def _correlations() -> Iterator[Setting]:
    for ties in (False, True):
        for systems, topics in ((5, 25), (20, 10), (20, 25), (20, 50), (60, 25)):
            ways = [
                ("topic", "pearson"),
                ("topic", "spearman"),
                ("within-topic", "pearson"),
                ("system", "pearson"),
            ]
            for level, method in ways:
                kind = "ties" if ties else "normal"
                name = f"correlation, {level}, {method}, {kind}: {systems} systems, {topics} topics"
                yield Setting(
                    name, partial(_correlated, level, method, ties, systems, topics)
                )


def _qualities(rng: np.random.Generator, systems: int) -> Floats:
    """Draw the true means of systems by two metrics, which correlate with about .8: (system, 1, metric)."""
    factor = np.linalg.cholesky([[1, 0.8], [0.8, 1]])
    return 0.5 * rng.normal(size=(systems, 1, 2)) @ factor.T


def _pair(rng: np.random.Generator, quality: Floats, ties: bool, topics: int) -> Floats:
    """Draw the scores of two metrics that share topics' difficulty and luck."""
    systems = len(quality)
    luck = rng.normal(size=(systems, topics, 1))
    own = 0.5 * rng.normal(size=(systems, topics, 2))
    scores = quality + luck + own + rng.normal(size=(1, topics, 1))
    return np.round(scores) if ties else scores


def _correlated(
    level: str, method: str, ties: bool, systems: int, topics: int, draws: int
) -> Figures:
    """Return how often the interval holds what more topics would show of these systems; beside it errors of true r."""
    found = []
    for seed in range(draws):
        rng = np.random.default_rng([seed, systems, topics])
        quality = _qualities(rng, systems)
        outcome = correlate(
            labelled(_pair(rng, quality, ties, topics)), unit=level, method=method
        )
        large = labelled(_pair(rng, quality, ties, 40 * topics))
        if level == "system":
            truth = np.corrcoef(large.values.mean(axis=1).T)[0, 1]
        else:
            truth = correlate(large, unit=level, method=method)["r"].values[0, 1]
        names = (
            ("true_r", "true_low", "true_high")
            if level == "system"
            else ("r", "low", "high")
        )
        found.append([outcome[name].values[0, 1] for name in (*names, "r")] + [truth])
    r, low, high, raw, truth = np.array(found).T
    held = {"held": _share((low <= truth) & (truth <= high))}
    if level == "system":
        held |= {"rmse": _rmse(r - truth), "rmse of r": _rmse(raw - truth)}
    return held


def _rmse(errors: Floats) -> float:
    return float(np.sqrt(np.nanmean(errors**2)))


def _share(kept: Floats) -> float:
    return float(np.mean(kept))


# Ranks by Holm's tests with tied means


def _ranks() -> Iterator[Setting]:
    for systems, topics in ((5, 25), (10, 10), (20, 25)):
        yield Setting(
            f"Holm ranks, 0/1 scores: {systems} systems, {topics} topics",
            partial(_holm_ranks, systems, topics),
        )


def _holm_ranks(systems: int, topics: int, draws: int) -> Figures:
    """Return the share of draws in which the ranks that tests leave open hold all true ranks."""
    truth = np.linspace(0.3, 0.6, systems)
    true_rank = systems - np.arange(systems)
    held, width = [], []
    for seed in range(draws):
        rng = np.random.default_rng([seed, systems, topics])
        scores = (rng.random((systems, topics)) < truth[:, None]).astype(float)
        outcome = significance(labelled(scores[..., None]))
        rows = tables_of_tests(outcome)["systems"].sort("system")
        low, high = rows["rank_low"].to_numpy(), rows["rank_high"].to_numpy()
        held.append(((low <= true_rank) & (true_rank <= high)).all())
        width.append((high - low + 1).mean())
    return {"held": _share(held), "ranks": float(np.mean(width))}


# Durability


def _durability() -> Iterator[Setting]:
    for kind in ("independent", "teams, not named", "teams, named"):
        for old, new in ((8, 8), (20, 12), (40, 20)):
            yield Setting(
                f"durability, {kind}: {old} old, {new} new systems",
                partial(_aged, kind, old, new),
            )


def _aged(kind: str, old: int, new: int, draws: int) -> Figures:
    """Return how often factors are said to have aged where old and new systems are alike."""
    said = []
    for seed in range(draws):
        rng = np.random.default_rng([seed, old, new])
        scores = _alike(rng, kind, old + new, 25)
        names = [f"team{number // TEAM}-{number}" for number in range(old + new)]
        whole = cube(
            scores[..., None],
            names,
            [str(topic) for topic in range(25)],
            ["AP"],
            collection="made",
        )
        outcome = durability(
            {"T": whole[:old]},
            {"T": whole[old:]},
            teams="stem" if kind == "teams, named" else None,
        )
        said.append(outcome["tau_quantile"].item() < 0.05)
    return {"aged": _share(said)}


def _alike(rng: np.random.Generator, kind: str, systems: int, topics: int) -> Floats:
    if kind == "independent":
        return (
            rng.normal(size=(systems, 1)) * 0.3
            + rng.normal(size=(systems, topics))
            + rng.normal(size=topics)
        )
    teams = -(-systems // TEAM)
    shared = 0.3 * rng.normal(size=(teams, 1)) + rng.normal(size=(teams, topics))
    return (
        np.repeat(shared, TEAM, axis=0)[:systems]
        + 0.2 * rng.normal(size=(systems, topics))
        + rng.normal(size=topics)
    )


# Comparability


def _comparison() -> Iterator[Setting]:
    for systems, topics in ((10, 20), (40, 50)):
        for count in (2, 4):
            name = f"comparability, no difference: {count} collections, {systems} systems, {topics} topics"
            yield Setting(name, partial(_compared, count, systems, topics))


def _compared(count: int, systems: int, topics: int, draws: int) -> Figures:
    """Return the share of quantiles above .975, and of runs that name a pair."""
    above, named = [], []
    for seed in range(draws):
        rng = np.random.default_rng([seed, systems, topics])
        quality = rng.normal(size=(systems, 1)) * 0.3
        cubes = {}
        for at in range(count):
            scores = (
                quality + rng.normal(size=(systems, topics)) + rng.normal(size=topics)
            )
            ids = (
                [f"s{i}" for i in range(systems)],
                [f"c{at}-{i}" for i in range(topics)],
            )
            cubes[f"c{at}"] = cube(scores[..., None], *ids, ["AP"], collection=f"c{at}")
        outcome = compare(cubes, kinds=["raw"], partitions=200, rng=seed)
        quantiles = [
            outcome[name].values.ravel()
            for name in ("drmse_quantile", "false_positives_quantile")
        ]
        above.append(np.mean(np.concatenate(quantiles) > 0.975))
        named.append(
            "Pairs that differ by more than chance" in " ".join(findings(outcome))
        )
    return {"above .975": float(np.mean(above)), "a pair is named": _share(named)}


# Prediction intervals


def _prediction() -> Iterator[Setting]:
    for offset in (0.0, 0.03):
        for slope in (0.0, 0.1):
            for count in (5, 10):
                for systems in (15, 60):
                    name = f"prediction, offsets {offset:g}, slopes {slope:g}: {count} collections, {systems} systems"
                    yield Setting(
                        name, partial(_predicted, offset, slope, count, systems)
                    )


def _predicted(
    offset: float, slope: float, count: int, systems: int, draws: int
) -> Figures:
    """Return how many systems of collections left out 90% intervals hold, and how often fewer than half."""
    held = []
    for seed in range(max(2, draws // 5)):
        rng = np.random.default_rng([seed, count, systems])
        cubes = {
            f"c{at}": _linear(rng, f"c{at}", offset, slope, systems)
            for at in range(count)
        }
        held.append(coverage(cubes, k=1)["measured"].values.ravel())
    shares = np.concatenate(held)
    return {"held": float(shares.mean()), "below .5": _share(shares < 0.5)}


def _linear(
    rng: np.random.Generator, name: str, offset: float, slope: float, systems: int
):
    """Draw system-wise scores of three metrics, linear in two qualities, with offsets and slopes of the collection."""
    weights = np.array([[0.25, 0.10], [0.35, 0.05], [0.40, -0.05]])
    weights = weights * (1 + slope * rng.normal(size=weights.shape))
    scores = 0.4 + rng.normal(0, 0.2, (systems, 2)) @ weights.T
    scores = scores + offset * rng.normal(size=3) + 0.01 * rng.normal(size=scores.shape)
    ids = [f"s{i}" for i in range(systems)], ["all"], ["AP", "P@10", "RR"]
    return cube(np.clip(scores, 0.01, 0.99)[:, None], *ids, collection=name)


# "The choice holds", on real topics


def _choices() -> Iterator[Setting]:
    for name in ("round1", "round3"):
        if (DATA / "trec-covid" / name).is_dir():
            for k in (2, 4):
                yield Setting(
                    f"choice of {k}, TREC-COVID {name}", partial(_again, name, k)
                )


def _again(name: str, k: int, draws: int) -> Figures:
    """Return what share of the choice on half of the topics the other half makes, by the verdict of the first."""
    folder = DATA / "trec-covid" / name
    scores = evaluate(folder / "qrels.txt", folder / "runs")
    kept: dict[str, list[float]] = {verdict: [] for _, verdict in TRUST}
    topics = scores.sizes["topic"]
    for seed in range(max(4, draws // 10)):
        order = np.random.default_rng(seed).permutation(topics)
        first, second = (
            scores.isel(topic=np.sort(part)) for part in np.array_split(order, 2)
        )
        outcome = rank(first, k=k, partitions=10, rng=seed)
        chosen, again = (
            tables(one)["subsets"].filter(k=k)["metrics"].item()
            for one in (outcome, rank(second, k=k))
        )
        shares = {part: float(outcome[part].sel(k=k)) for part in ("kept", "chance")}
        corrected = (shares["kept"] - shares["chance"]) / (1 - shares["chance"])
        verdict = next(verdict for least, verdict in TRUST if corrected >= least)
        kept[verdict].append(len(set(chosen) & set(again)) / k)
    return {
        f"{verdict} ({len(found)})": float(np.mean(found))
        for verdict, found in kept.items()
        if found
    }


def run(arguments: Sequence[str]) -> None:
    """Print a line for each row."""
    parser = argparse.ArgumentParser(
        prog="bench.audit", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        help="rows whose name contains this; repeatable",
    )
    chosen = parser.parse_args(arguments)
    for setting in settings():
        if not chosen.only or any(part in setting.name for part in chosen.only):
            figures = setting.measure(chosen.draws)
            shown = ", ".join(f"{name} {value:.3g}" for name, value in figures.items())
            print(f"| {setting.name} | {shown} |", flush=True)


if __name__ == "__main__":
    run(sys.argv[1:])
