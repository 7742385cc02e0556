"""Where an interval or a test was measured to keep its promise too seldom, the output at that size says so."""

import re

import numpy as np
import polars as pl
import pytest

import irmeta
from irmeta.evaluation.sets import JudgmentSets
from irmeta.measured.coverage import CLUSTERS, TOLERATED, rows
from irmeta.scores.cube import cube
from irmeta.scores.groups.clusters import with_clusters
from irmeta.scores.groups.repeats import with_judges, with_repeats


def clustered(systems, clusters, metrics=("AP",), names="s{}"):
    """Scores on clusters of 1, 2, 3, 1, ... topics."""
    topics = [f"{at}_{turn}" for at in range(clusters) for turn in range(1 + at % 3)]
    made = np.random.default_rng(0).beta(1, 3, (systems, len(topics), len(metrics)))
    called = [names.format(at) for at in range(systems)]
    return with_clusters(cube(made, called, topics, list(metrics)), "stem")


def of_runs(systems, topics):
    """Means of two runs of each system."""
    made = np.random.default_rng(0).normal(0.5, 0.1, (2 * systems, topics, 1))
    names = [f"s{at // 2}_{at % 2}" for at in range(2 * systems)]
    return with_repeats(
        cube(made, names, list(map(str, range(topics))), ["AP"]), "stem"
    )


def of_judges(systems, topics):
    """Means over two judges."""
    made = np.random.default_rng(0).normal(0.5, 0.1, (2, systems, topics, 1))
    names = [[f"s{at}" for at in range(systems)], list(map(str, range(topics)))]
    return with_judges(
        {str(at): cube(one, *names, ["AP"]) for at, one in enumerate(made)}
    )


def of_both(systems, clusters):
    """Means of two runs of each system, on clusters of topics."""
    made = clustered(2 * systems, clusters)
    runs = [f"s{at // 2}_{at % 2}" for at in range(2 * systems)]
    return with_repeats(made.assign_coords(system=runs), "stem")


def standardized(scores):
    """The scores standardized by their own systems."""
    return irmeta.standardize.apply(scores, irmeta.standardize.fit(scores))


def compared(scores):
    """A machine that agrees with people."""
    return irmeta.judges.compare(
        {"people": scores, "machine": 0.9 * scores}, partitions=20
    )


def judged(systems, clusters):
    return compared(clustered(systems, clusters))


def sampled(systems, topics):
    """Few topics of people beside all of a machine."""
    machine = plain(systems, 4 * topics)
    return irmeta.judges.estimate(0.9 * machine[:, :topics], machine)


def planned(systems, topics):
    """A plan from few topics of people beside all of a machine."""
    machine = plain(systems, 4 * topics)
    return irmeta.judges.plan(0.9 * machine[:, :topics], machine)


def against_itself(systems, clusters):
    one = clustered(systems, clusters)
    other = one.assign_coords(
        topic=[f"x{name}" for name in one.topic.values],
        cluster=("topic", [f"x{name}" for name in one["cluster"].values]),
    )
    return irmeta.compare(
        {"one": one, "other": other}, kinds=["raw"], partitions=20, same_systems=True
    )


def labelled(_, units, clusters="stem"):
    """Labels on clusters of two topics, or on topics by themselves."""
    rng = np.random.default_rng(0)
    turns = range(2 if clusters else 1)
    names = [f"{at}_{turn}" for at in range(units) for turn in turns]
    sets = {
        judge: {
            topic: {
                f"d{at}": int(grade) for at, grade in enumerate(rng.integers(2, size=9))
            }
            for topic in names
        }
        for judge in ("people", "machine")
    }
    return irmeta.judges.compare(JudgmentSets.of(sets), clusters=clusters)


def plain(systems, topics, metrics=("AP",)):
    """Scores on topics by themselves."""
    made = np.random.default_rng(0).beta(1, 3, (systems, topics, len(metrics)))
    names = [f"{kind}{at}" for at in range(systems) for kind in "s"]
    return cube(made, names, list(map(str, range(topics))), list(metrics))


def between_means(method):
    """Correlations of metrics over means."""
    return lambda *size: irmeta.correlate(
        plain(*size, METRICS), unit="system", method=method
    )


def users(systems, _):
    """A metric beside what users prefer."""
    values = np.arange(systems) + np.random.default_rng(0).normal(size=systems)
    outcomes = pl.DataFrame(
        {"system": [f"s{at}" for at in range(systems)], "value": values, "se": 0.5}
    )
    return irmeta.online(plain(systems, 20), outcomes)


METRICS = ("AP", "P@10", "nDCG@20")
SAYS = {
    "interval of a mean": lambda *size: irmeta.describe(clustered(*size)),
    "a difference by itself": lambda *size: irmeta.versus(
        clustered(*size), "s0", test="t"
    ),
    "rank sets": lambda *size: irmeta.describe(clustered(*size)),
    "paired t test": lambda *size: irmeta.versus(clustered(*size), "s0", test="t"),
    "permutation test": lambda *size: irmeta.versus(
        clustered(*size), "s0", test="permutation"
    ),
    "max-t test of all pairs": lambda *size: irmeta.versus(clustered(*size), "s0"),
    "a system against itself on other topics": against_itself,
    "difference of placed systems": lambda *size: irmeta.place(
        clustered(*size), on=clustered(*size)
    ),
    "difference of standardized scores": lambda *size: irmeta.versus(
        standardized(clustered(*size)), "s0", metrics="AP (std.)"
    ),
    "r over scores": lambda *size: irmeta.correlate(clustered(*size, METRICS)),
    "what chosen metrics leave": lambda *size: irmeta.rank(clustered(*size, METRICS)),
    "rank sets of a leaderboard": lambda *size: irmeta.leaderboard(
        clustered(*size), resamples=40
    ),
    "Phi": lambda *size: irmeta.reliability(clustered(*size)),
    "tau, good judge": judged,
    "kappas of labels": labelled,
    "difference of tau, good and bad judge": judged,
    "soft pairwise accuracy": judged,
    "difference of means of runs": lambda *size: irmeta.versus(of_both(*size), "s0"),
}
"""By promise about clusters, a result that makes it, of as many systems and clusters."""
SAYS = {name + CLUSTERS: call for name, call in SAYS.items()} | {
    "difference of means of runs": lambda *size: irmeta.versus(of_runs(*size), "s0"),
    "difference by several judges": lambda *size: irmeta.versus(of_judges(*size), "s0"),
    "rank sets of means of runs": lambda *size: irmeta.describe(of_runs(*size)),
    "rank sets of a leaderboard of means of runs": lambda *size: irmeta.leaderboard(
        of_runs(*size), resamples=40
    ),
    "difference of placed means of runs": lambda *size: irmeta.place(
        of_runs(*size), on=of_runs(*size)
    ),
    "difference of standardized means of runs": lambda *size: irmeta.versus(
        standardized(of_runs(*size)), "s0"
    ),
    "interval of a mean": lambda *size: irmeta.describe(plain(*size)),
    "interval of a mean without bounds": lambda *size: irmeta.describe(
        standardized(plain(*size)), metrics="AP (std.)"
    ),
    "r over means": between_means("pearson"),
    "r of true means": between_means("pearson"),
    "tau over means": between_means("kendall"),
    "percentile among everybody": lambda *size: irmeta.place(
        plain(*size), on=plain(*size)
    ),
    "agreement of users with a metric": users,
    "lead of a metric in agreement": users,
    "kappas of labels": lambda _, topics: labelled(None, topics, None),
    "alphas of labels": lambda _, topics: labelled(None, topics, None),
    "leniency of labels": lambda _, topics: labelled(None, topics, None),
    "Phi, other systems": lambda *size: irmeta.reliability(plain(*size)),
    "tau with the true ranking": lambda *size: irmeta.reliability(plain(*size)),
    "tau, bad judge": lambda *size: compared(plain(*size)),
    "difference of tau, good and bad judge": lambda *size: compared(plain(*size)),
    "difference of tau, two good judges": lambda *size: compared(plain(*size)),
    "soft pairwise accuracy": lambda *size: compared(plain(*size)),
    "mean by few human topics and a machine": sampled,
    "difference by few human topics and a machine": sampled,
    "planned width, few human topics and a machine": planned,
    "planned width, few human topics alone": planned,
}
WORSE = {
    (row.of, row.systems, row.topics): row.kept
    for row in sorted(rows(), key=lambda row: -row.kept)
    if row.of in SAYS and row.promised > 0.5 and row.kept < row.promised - TOLERATED
}
"""The least share of each promise that was kept too seldom, by numbers of systems and of clusters or topics."""


REJECTS = {
    (row.of, row.systems, row.topics): row.kept
    for row in sorted(rows(), key=lambda row: row.kept)
    if row.of in SAYS and row.promised < 0.5 and row.kept > row.promised + TOLERATED
}
"""The largest share in which each test rejected true hypotheses too often, by the same numbers."""


@pytest.mark.parametrize(("of", "systems", "units"), REJECTS)
def test_what_rejects_too_often_is_said(of, systems, units):
    """A note names a share at least as large, where results rest on the test with as many systems and clusters."""
    notes = SAYS[of](systems or 10, units).notes
    said = [
        int(share)
        for note in notes
        if "systems were equal" in note
        for share in re.findall(r"(\d+)%", note)
    ]
    assert max(said) >= round(100 * REJECTS[of, systems, units])


@pytest.mark.parametrize(("of", "systems", "units"), WORSE)
def test_what_is_kept_too_seldom_is_said(of, systems, units):
    """A note names a share at least as small, where results make the promise with as many systems and clusters."""
    notes = SAYS[of](systems or 10, units).notes
    what = "Rank sets of" if of.startswith("rank sets") else "held"
    said = [
        int(share)
        for note in notes
        if what in note
        for share in re.findall(r"\bin (\d+)", note)
    ]
    few = any("too few to claim anything" in note for note in notes)
    assert few or min(said) <= round(100 * WORSE[of, systems, units])
