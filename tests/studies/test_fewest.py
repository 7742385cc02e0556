"""The fewest topics, tasks or clusters that a first place and a difference rest on, in every study that names them."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import irmeta
from irmeta.scores.cube import cube
from irmeta.scores.groups.clusters import with_clusters
from irmeta.studies.differences.description import summary as description
from irmeta.studies.differences.versus import summary as versus
from irmeta.studies.leaderboard import summary as leaderboard

SEEDS = st.integers(0, 10_000)
CLUSTERS = np.array([0, 0, 0, 1, 2, 2, 3, 4])
"""The cluster of each of 8 topics."""


def made(seed, topics=8, systems=4):
    """A cube of a system that is somewhat ahead of others, and its scores (system, topic)."""
    values = np.random.default_rng(seed).random((systems, topics)).round(2)
    values[0] = np.minimum(values[0] + 0.15, 1)
    names = [f"s{number}" for number in range(systems)]
    numbers = [str(number) for number in range(301, 301 + topics)]
    return cube(values[..., None], names, numbers, ["AP"], collection="made"), values


def clustered(scores, over="topics"):
    """The same topics in clusters of 1 to 3."""
    named = [f"c{number}" for number in CLUSTERS]
    of = dict(zip(scores.topic.values, named, strict=True))
    return with_clusters(scores, of, mean_over=over)


def brute(turned, units):
    """The size of the smallest set of units (one stays) without which `turned(kept)` is true; None if there is none."""
    for count in range(units):
        for gone in combinations(range(units), count):
            if turned(np.delete(np.arange(units), gone)):
                return count
    return None


def over_topics(values, kept):
    """The means over the topics of some clusters."""
    return values[:, np.isin(CLUSTERS, kept)].mean(axis=1)


def over_clusters(values, kept):
    """The means over some clusters of their means."""
    return np.mean([values[:, one == CLUSTERS].mean(axis=1) for one in kept], axis=0)


WAYS = {
    "topics": (lambda scores: scores, 8, lambda x, kept: x[:, kept].mean(axis=1)),
    "clusters": (clustered, 5, over_topics),
    "means of clusters": (
        lambda scores: clustered(scores, "clusters"),
        5,
        over_clusters,
    ),
}
"""How a cube comes: its units, and the means of (system, topic) over those of them that are kept."""


@settings(max_examples=12, deadline=None)
@given(seed=SEEDS)
@pytest.mark.parametrize("way", WAYS)
def test_a_first_place_rests_on_the_fewest_units_of_all_sets(way, seed):
    """What `describe` and `leaderboard` mark is as few as any set of topics or clusters that unseats the first."""
    turn, units, means = WAYS[way]
    scores, values = made(seed)
    first = means(values, np.arange(units)).round(10).argmax()

    def unseated(kept):
        now = means(values, kept)
        return (np.delete(now, first) >= now[first] - 1e-9).any()

    expected = brute(unseated, units)
    told = irmeta.describe(turn(scores))
    ranked = irmeta.leaderboard(turn(scores), aggregate="mean", resamples=40)
    for marked, other in (
        (told["decides"].values[:, 0], told["runner_up"].item()),
        (ranked["decides"].values, ranked["runner_up"].item()),
    ):
        assert marked.sum() == (expected or 0)
        assert (other == "") is (expected is None)
        if expected:
            now = means(values, np.flatnonzero(~marked))
            assert now[int(other[1:])] >= now[first] - 1e-9


@settings(max_examples=12, deadline=None)
@given(seed=SEEDS)
@pytest.mark.parametrize("way", WAYS)
def test_a_difference_rests_on_the_fewest_units_of_all_sets(way, seed):
    """What `versus` marks is as few as any set of topics or clusters that takes a difference from its side of 0."""
    turn, units, means = WAYS[way]
    scores, values = made(seed)
    found = irmeta.versus(turn(scores), "s1", test="t")
    for at, name in enumerate(found.against.values):
        every = means(values, np.arange(units))
        sign = np.sign(np.round(every[1] - every[int(name[1:])], 10))

        def turned(kept, other=int(name[1:]), sign=sign):
            now = means(values, kept)
            return sign * (now[1] - now[other]) <= 1e-9

        expected = brute(turned, units)
        marked = found["decides"].values[at, :, 0]
        counted = found["fewest"].values[at, 0]
        assert marked.sum() == (expected or 0)
        assert counted == expected if expected else np.isnan(counted)
        assert turned(np.flatnonzero(~marked)) or expected is None


def lead(*ahead):
    """Scores of a system that is ahead of bm25 by these on 6 topics, and of an old one."""
    values = np.full((3, 6), 0.4)
    values[0] += ahead
    values[2] -= 0.3
    names = [str(number) for number in range(301, 307)]
    return cube(values[..., None], ["mine", "bm25", "old"], names, ["AP"])


def test_versus_says_which_topics_a_difference_rests_on():
    """One topic carries the lead: it is named in words and in JSON, against several systems for the best of them."""
    scores = lead(0.4, -0.05, -0.05, 0.01, -0.02, 0.0)
    found = irmeta.versus(scores, "mine", "bm25", test="t")
    assert (
        "Without 1 topic of 6 (301) it would not be ahead." in versus.findings(found)[0]
    )
    views = versus.tables(found)
    assert views["comparisons"]["fewest"].to_list() == [1]
    marked = views["differences"].filter("decides")
    assert marked["topic"].to_list() == ["301"]
    other = irmeta.versus(scores, "bm25", "mine", test="t")
    assert (
        "Without 1 topic of 6 (301) it would not be behind."
        in versus.findings(other)[0]
    )
    several = irmeta.versus(
        cube(
            np.concatenate(
                [scores.values, scores.values[2:] - 0.01, scores.values[2:]]
            ),
            ["mine", "bm25", "old", "older", "oldest"],
            scores.topic.values,
            ["AP"],
        ),
        "mine",
        test="t",
    )
    said = versus.findings(several)[0]
    assert said.endswith(
        "Without 1 topic of 6 (301) it would not be ahead of bm25, the best of these."
    )


def test_versus_says_that_a_lead_rests_on_no_handful():
    """A significant lead that many topics carry is said to stand without any of fewer; of two, p is corrected."""
    scores = lead(*[0.1, 0.12, 0.08, 0.11, 0.09, -0.02])
    found = irmeta.versus(scores, "mine", ["bm25", "old"], test="t")
    least = found["fewest"].sel(against="bm25").item()
    first = versus.findings(found)[0]
    assert first.endswith(
        f" and worse on 1, and would be ahead without any {least - 1:.0f}."
    )
    assert "t test, corrected for these 2)" in first
    alone = irmeta.versus(scores, "mine", "bm25", test="t")
    assert "corrected" not in versus.findings(alone)[0]


def test_versus_says_nothing_where_no_topics_turn_a_difference():
    """A system that is ahead on every topic, and one that scores the same, rest on no topics."""
    ahead = irmeta.versus(lead(*[0.1, 0.2, 0.3] * 2), "mine", "bm25", test="t")
    same = irmeta.versus(lead(*[0.1, -0.1] * 3), "mine", "bm25", test="t")
    for found in (ahead, same):
        assert "Without" not in versus.findings(found)[0]
        assert versus.tables(found)["comparisons"]["fewest"].to_list() == [None]
        assert not found["decides"].any()


def test_a_clear_difference_is_not_said_to_rest_on_many_topics():
    """Without five of six topics a significant loss would be a gain: nobody acts on that, and only the table has it."""
    found = irmeta.versus(
        lead(-0.1, -0.11, -0.1, -0.12, -0.1, 0.01), "mine", "bm25", test="t"
    )
    assert found["significant"].item()
    assert versus.tables(found)["comparisons"]["fewest"].to_list() == [5]
    assert "Without" not in versus.findings(found)[0]


def test_pairs_rest_on_the_topics_that_both_have():
    """With missing scores the topics are those that both systems have."""
    scores = lead(0.4, -0.05, -0.05, 0.01, -0.02, 0.0)
    scores.loc[{"system": "bm25", "topic": "306"}] = np.nan
    found = irmeta.versus(scores, "mine", "bm25", missing="pairwise", test="t")
    assert "Without 1 topic of 5 (301)" in versus.findings(found)[0]


def test_a_leaderboard_says_which_tasks_its_first_rests_on():
    """The tasks are named beside the finding and in tables; of a table with holes, those of the part without."""
    scores = lead(0.4, -0.05, -0.05, 0.01, -0.02, 0.0)
    found = irmeta.leaderboard(scores, resamples=40)
    said = "Without 1 topic of 6 (301) bm25 would be level with mine or ahead."
    assert leaderboard.findings(found)[1] == said
    views = leaderboard.tables(found)
    assert views["first"].rows() == [("mine", "bm25", 1)]
    assert views["tasks"].filter("decides")["task"].to_list() == ["301"]
    holed = scores.copy()
    holed.loc[{"system": "old", "topic": "306"}] = np.nan
    for way in ("bounds", "complete"):
        found = irmeta.leaderboard(holed, holes=way, resamples=40)
        assert said.replace("of 6", "of 5") in leaderboard.findings(found)


def test_other_aggregates_than_the_mean_name_no_tasks():
    """Where models are ordered by votes nothing is said of tasks of the mean."""
    scores = lead(0.4, -0.05, -0.05, 0.01, -0.02, 0.0)
    found = irmeta.leaderboard(scores, aggregate="borda,mean", resamples=40)
    assert "first" not in leaderboard.tables(found)
    assert not any("would be level" in line for line in leaderboard.findings(found))


def test_sentences_say_clusters_where_these_are_left_out():
    """Topics that come in clusters go as clusters, and sentences say so."""
    scores = made(1)[0] / 2
    scores[2:] = scores[1] / 2
    scores[0] = scores[1] - 0.01
    scores[0, :3] += 0.2
    for said in (
        description.findings(irmeta.describe(clustered(scores))),
        leaderboard.findings(irmeta.leaderboard(clustered(scores), resamples=40)),
        versus.findings(irmeta.versus(clustered(scores), "s0", "s1", test="t")),
    ):
        assert " of 5 (c" in " ".join(said)
        assert "cluster" in " ".join(said)


@pytest.mark.data
def test_the_first_of_trec8_rests_on_few_topics(data):
    """AP of TREC-8: without the topics named the first is not ahead; without the same number but one it still is."""
    path = data / "matrices" / "trec8-adhoc" / "AP.csv"
    scores = irmeta.import_matrix(path, rows="topics")
    column = scores.values[..., 0]
    order = np.argsort(-column.mean(axis=1))
    mine, bm25 = (str(scores.system.values[at]) for at in order[:2])
    found = irmeta.versus(scores, mine, bm25, test="t")
    gap = column[order[0]] - column[order[1]]
    falling = np.sort(gap)[::-1]
    count = int(found["fewest"].item())
    assert falling[count:].sum() <= 0 < falling[count - 1 :].sum()
    assert np.isclose(
        gap[~found["decides"].values[0, :, 0]].sum(), falling[count:].sum()
    )
    ranked = irmeta.leaderboard(scores, aggregate="mean", resamples=40)
    told = irmeta.describe(scores, metrics="AP")
    assert (ranked["decides"].values == told["decides"].values[:, 0]).all()
    assert 0 < ranked["decides"].sum() <= count
