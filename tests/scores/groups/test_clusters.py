import json
import re
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pytest
import xarray as xr
from scipy import stats

import irmeta
from irmeta.errors import ScoresError
from irmeta.io.formats.scores import load, save
from irmeta.io.tables.spreadsheet import import_table
from irmeta.measured.coverage import held
from irmeta.scores.attributes import about
from irmeta.scores.averages.means import means
from irmeta.scores.cube import cube, from_frame_all
from irmeta.scores.groups.clusters import (
    by_cluster,
    cluster_facts,
    clustering_notes,
    contributions,
    promise_names,
    unit_scores,
    with_clusters,
)
from irmeta.scores.selection import prepare
from irmeta.stats.descriptive import bounded_interval
from irmeta.studies.agreement.correlation.study import correlate
from irmeta.studies.choice.ranking.study import rank
from irmeta.studies.design.reliability import summary as reliable
from irmeta.studies.design.reliability.study import reliability
from irmeta.studies.differences.description import summary as description
from irmeta.studies.differences.description.study import describe
from irmeta.studies.differences.significance.study import significance
from irmeta.studies.differences.significance.summary import replication_sentences
from irmeta.studies.differences.versus import summary as versus_summary
from irmeta.studies.differences.versus.study import versus
from irmeta.studies.judges.compare.study import compare_judges
from irmeta.studies.leaderboard.study import leaderboard
from irmeta.studies.place.study import place
from irmeta.studies.standardizing.comparison.study import compare
from irmeta.words import in_python


def _turns(icc=0.0, conversations=12, turns=5, seed=0, names="{}_{}"):
    """A cube of turns; differences between systems are alike within a conversation."""
    rng = np.random.default_rng(seed)
    count = conversations * turns
    common = rng.normal(size=(6, conversations)).repeat(turns, axis=1)
    own = rng.normal(size=(6, count))
    topic = rng.normal(size=count)
    scores = 0.5 + 0.05 * (topic + np.sqrt(icc) * common + np.sqrt(1 - icc) * own)
    topics = [names.format(31 + at // turns, at % turns) for at in range(count)]
    return cube(scores[..., None], list("abcdef"), topics, ["AP"])


def test_studies_take_clusters_as_independent():
    """The mean stays; the interval is that over the clusters' means; a note says what is independent."""
    scores = with_clusters(_turns(0.6), "stem")
    found = describe(scores)
    values = scores.values[..., 0].reshape(6, 12, 5).mean(axis=2)
    assert found["mean"].values[:, 0] == pytest.approx(values.mean(axis=1))
    low, high = bounded_interval(values)
    assert found["low"].values[:, 0] == pytest.approx(low)
    assert found["high"].values[:, 0] == pytest.approx(high)
    assert any(
        "60 topics come in 12 clusters" in note for note in about(found)["notes"]
    )


def test_a_difference_agrees_with_statsmodels():
    """The t test over clusters of one size is that of least squares on a constant with clustered errors."""
    from statsmodels import api

    scores = _turns(0.5)
    found = versus(with_clusters(scores, "stem"), "a", "b", test="t")
    differences = scores.values[0, :, 0] - scores.values[1, :, 0]
    fitted = api.OLS(differences, np.ones(60)).fit(
        cov_type="cluster",
        cov_kwds={"groups": np.repeat(np.arange(12), 5)},
        use_t=True,
    )
    assert found["p"].item() == pytest.approx(fitted.pvalues[0])
    ends = [found["low"].item(), found["high"].item()]
    assert ends == pytest.approx(fitted.conf_int()[0].tolist())


def test_without_clusters_no_score_is_touched():
    """Where no topics have clusters, or each its own, studies see the very cube, and what a unit adds is its score."""
    plain = _turns()
    alone = with_clusters(plain, {name: name for name in plain.topic.values})
    for scores in (plain, alone):
        assert by_cluster(scores)[0] is scores
        assert contributions(scores.values, scores) is scores.values
        assert unit_scores(scores) is scores
        assert cluster_facts(scores) == {}


def test_a_mean_may_be_over_clusters():
    """With mean_over="clusters" a cluster of one turn counts as much as one of three."""
    scores = cube(
        [[[0.0], [0.0], [0.0], [1.0]]], ["a"], ["1_1", "1_2", "1_3", "2_1"], ["AP"]
    )
    for over, mean in (("topics", 0.25), ("clusters", 0.5)):
        units, _ = by_cluster(with_clusters(scores, "stem", mean_over=over))
        assert means(units).item() == pytest.approx(mean)
        named = with_clusters(scores, "stem", mean_over=over)
        assert means(named).item() == pytest.approx(mean)
        assert units.topic.values.tolist() == ["1", "2"]


def _placed(scores):
    return place(scores.sel(metric=["AP"], system=["a"]), on=scores.sel(metric=["AP"]))


def _ranked(scores):
    return leaderboard(scores, metric="AP", resamples=100)


@pytest.mark.parametrize(
    "study", [correlate, rank, describe, reliability, _placed, _ranked]
)
def test_results_say_what_was_independent(study):
    """The metadata of a result, and so its JSON, tell of clusters and what means are over; without them of topics."""
    plain = xr.concat([_turns(0.6), _turns(0.6, seed=1)], "metric").assign_coords(
        metric=["AP", "RR"]
    )
    found = study(with_clusters(plain, "stem", mean_over="clusters"))
    assert found.method["unit"] == "cluster"
    [described] = json.loads(found.to_json())["inputs"]["collections"].values()
    assert described["clusters"] == {
        "clusters": 12,
        "topics": 60,
        "mean_over": "clusters",
    }
    assert study(plain).method["unit"] == "topic"


def test_a_board_says_what_its_mean_is_over():
    """A board of clusters ranks by the mean over topics, unless each cluster is to count alike, and says so."""
    scores = _turns(0.6)
    found = leaderboard(with_clusters(scores, "stem"), resamples=100)
    assert found.findings[0].startswith("By the mean of AP over topics, ")
    assert "With other clusters" in found.findings[0]
    assert [note for note in found.notes if note.startswith("60 topics come in 12")]
    alike = with_clusters(scores, "stem", mean_over="clusters")
    first = leaderboard(alike, resamples=100).findings[0]
    assert first.startswith("By the mean of AP over clusters, ")
    few = leaderboard(with_clusters(_turns(conversations=4), "stem"), resamples=100)
    assert "too few to claim anything" in " ".join(few.notes)


def test_a_board_takes_no_clusters_with_missing_scores():
    """What a cluster would be worth without a topic is not guessed; the error says what a board can do."""
    scores = _turns()
    scores[0, 0, 0] = np.nan
    with pytest.raises(ScoresError, match=r"every topic; name those that have all"):
        leaderboard(with_clusters(scores, "stem"))


def _unequal():
    """Two systems on clusters of 10, 1, 1 and 2 topics, and the mean difference on each."""
    apart, sizes = [0.5, -0.1, -0.2, 0.0], [10, 1, 1, 2]
    rng = np.random.default_rng(0)
    theirs = rng.uniform(0.2, 0.4, sum(sizes))
    mine = theirs + np.repeat(apart, sizes)
    mine[-2:] += [0.05, -0.05]
    topics = [f"{at}_{turn}" for at, size in enumerate(sizes) for turn in range(size)]
    made = cube(np.array([mine, theirs])[..., None], ["a", "b"], topics, ["AP"])
    return with_clusters(made, "stem"), apart


def test_what_looks_at_each_cluster_takes_its_own_mean():
    """A cluster is won, lost or tied by its own topics, however few; sign and Wilcoxon's test ask of these."""
    scores, apart = _unequal()
    found = versus(scores, "a", "b", test="sign")
    assert [found[name].item() for name in ("wins", "ties", "losses")] == [1, 1, 2]
    np.testing.assert_allclose(found["by_topic"].values.ravel(), apart, atol=1e-12)
    of_each = scores.values[0, :, 0][10:12]
    np.testing.assert_allclose(found["score"].values.ravel()[1:3], of_each)
    assert found["difference"].item() == pytest.approx(4.7 / 14)
    assert found["p"].item() == pytest.approx(stats.binomtest(1, 3).pvalue)
    by_rank = versus(scores, "a", "b", test="wilcoxon")["p"].item()
    same = versus(
        cube([[[one] for one in apart], [[0.0]] * 4], ["a", "b"], list("wxyz"), ["AP"]),
        *("a", "b"),
        test="wilcoxon",
    )
    assert by_rank == pytest.approx(same["p"].item())
    assert significance(scores, test="sign")["p"].item() == found["p"].item()


@pytest.mark.parametrize("test", ["permutation", "max-t"])
def test_random_signs_are_of_sums_of_clusters(test):
    """Where sizes differ p is the share of signs of clusters' sums that reach theirs: these are exact."""
    sizes, apart = [9, 1, 2, 7, 1, 4, 3, 2], [0.1, 0.3, 0.2, 0.1, -0.1, 0.2, 0.1, 0.2]
    topics = [f"{at}_{turn}" for at, size in enumerate(sizes) for turn in range(size)]
    theirs = np.random.default_rng(0).uniform(0.2, 0.4, sum(sizes))
    both = np.array([theirs + np.repeat(apart, sizes), theirs])
    made = with_clusters(cube(both[..., None], ["a", "b"], topics, ["AP"]), "stem")
    sums = np.array(sizes) * apart
    signs = np.array(list(product((-1, 1), repeat=8)))
    reached = np.abs(signs @ sums) >= abs(sums.sum()) - 1e-12
    of_one, of_all = versus(made, "a", "b", test=test), significance(made, test=test)
    for found in (of_one, of_all):
        assert found["p"].item() == pytest.approx(reached.mean(), abs=0.006)
    difference = sums.sum() / sum(sizes)
    assert of_one["difference"].item() == pytest.approx(difference)


def test_votes_are_of_each_cluster():
    """On a board each cluster has one vote, by its own topics, while the mean is over topics."""
    scores, _ = _unequal()
    found = leaderboard(scores, aggregate="mean,borda", resamples=100)
    values = found["value"]
    assert values.sel(aggregate="mean", system="a") > values.sel(
        aggregate="mean", system="b"
    )
    assert values.sel(aggregate="borda").values.tolist() == [1.5, 2.5]


def test_geometric_means_are_kept():
    """GMAP over topics is GMAP over the clusters that stand for them."""
    scores = _turns().assign_coords(metric=["GMAP"])
    units, _ = by_cluster(with_clusters(scores, "stem"))
    np.testing.assert_allclose(means(units).values, means(scores).values)


def test_clusters_are_kept_in_score_files(tmp_path):
    """A score file gives topics back with their clusters, a part of them too."""
    scores = with_clusters(_turns(), "stem", mean_over="clusters")
    save(scores, tmp_path / "s.parquet")
    again = load(tmp_path / "s.parquet", topics=["31_0", "32_4"])
    assert again["cluster"].values.tolist() == ["31", "32"]
    assert again.attrs["mean_over"] == "clusters"


def test_table_of_clusters(tmp_path):
    """A CSV of turns and conversations names clusters; a topic that it lacks is an error that names it."""
    from irmeta.io.groups import read_clusters

    table = tmp_path / "clusters.csv"
    table.write_text("turn,conversation\n31_0,x\n31_1,x\n")
    assert read_clusters(table) == {"31_0": "x", "31_1": "x"}
    with pytest.raises(ScoresError, match="no cluster for 58 of 60 topics: 31_2"):
        with_clusters(_turns(), read_clusters(table))
    table.write_text("query,need\nq1,x\n")
    assert read_clusters(table) == {"q1": "x"}


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_clusters_may_be_a_data_frame(frame):
    """Its columns are topics and their clusters; another frame, and a path, are told what is taken."""
    turns = _turns()
    named = irmeta.with_clusters(turns, "stem")
    both = {"topic": turns.topic.values, "cluster": named["cluster"].values}
    assert irmeta.with_clusters(turns, frame(both)).identical(named)
    for wrong in ({"topic": ["a"]}, {"topic": ["a", "a"], "cluster": ["b", "c"]}):
        with pytest.raises(ScoresError, match="has two columns, topic and cluster"):
            irmeta.with_clusters(turns, frame(wrong))
    with pytest.raises(ScoresError, match="expected the cluster of each topic by name"):
        irmeta.with_clusters(turns, "clusters.csv")


def test_one_cluster_is_refused():
    """Topics of one conversation say nothing of others."""
    with pytest.raises(ScoresError, match="all topics are of one cluster, 31"):
        prepare(with_clusters(_turns(conversations=1), "stem"))


def test_missing_scores_are_refused():
    """A difference of clusters is not taken over other topics than its opponent's."""
    scores = _turns()
    scores[0, 0, 0] = np.nan
    with pytest.raises(ScoresError, match="needs every system on every topic"):
        prepare(with_clusters(scores, "stem"), missing="pairwise", pairs=True)


def test_clusters_that_nobody_named_are_noticed():
    """Turns whose differences are alike give a note with what it costs; turns that are not, and other names, do not."""
    [note] = clustering_notes(_turns(0.6))
    assert "60 names have 12 stems" in note
    assert "times too short" in note
    assert clustering_notes(_turns(0.6, names="q{}{}")) == []
    assert (
        sum(bool(clustering_notes(_turns(0.0, seed=seed))) for seed in range(40)) <= 4
    )


def test_scores_that_are_alike_matter_to_means():
    """Where turns are alike, but systems on them are not, a study with intervals of means says so, no other."""
    scores = _turns(0.0)
    shared = np.linspace(-1.5, 1.5, 12).repeat(5)
    alike = scores + 0.1 * shared[:, None]
    assert clustering_notes(alike) == []
    [note] = clustering_notes(alike, of_means=True)
    assert "scores by AP are alike" in note
    assert "intervals of means" in note
    assert in_python(note) in describe(alike).notes


def _by_two(icc):
    """The same by two metrics, all topics equally hard."""
    made = [_turns(icc, seed=seed).values for seed in (0, 1)]
    made = [0.5 + one - one.mean(axis=0) for one in made]
    one = _turns(icc)
    systems, topics = (list(one[dim].values) for dim in ("system", "topic"))
    return cube(np.concatenate(made, axis=2), systems, topics, ["AP", "P@10"])


def _elsewhere(scores):
    """The same scores on topics of other names."""
    made = scores.assign_coords(topic=[f"x{name}" for name in scores.topic.values])
    if "cluster" in made.coords:
        made["cluster"] = ("topic", [f"x{name}" for name in made["cluster"].values])
    return made


STUDIES = {
    "describe": describe,
    "leaderboard": lambda scores: leaderboard(scores[..., :1], resamples=40),
    "versus": lambda scores: versus(scores, "a"),
    "place": lambda scores: place(scores, on=scores),
    "reliability": reliability,
    "correlate": correlate,
    "rank": rank,
    "compare": lambda scores: compare(
        {"one": scores, "other": _elsewhere(scores)}, kinds=["raw"], partitions=20
    ),
    "judges": lambda scores: compare_judges(
        {"people": scores, "machine": scores / 2}, partitions=20
    ),
}


@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
def test_studies_note_clusters_that_nobody_named(study):
    """A study says what it costs that scores are alike within stems, and only if nobody named them."""

    def said(scores):
        return [note for note in study(scores).notes if "Topics look clustered" in note]

    assert said(_by_two(0.9))
    assert not said(_by_two(0.0))
    assert not said(with_clusters(_by_two(0.9), "stem"))


def test_halves_of_clusters_are_called_halves():
    """Where hardly anything is significant on half of 12 clusters, the sentence says of what 6 are the half."""
    found = significance(with_clusters(_turns(), "stem"))
    (said,) = replication_sentences(found.data.assign(found=("metric", [0.5])))
    assert "half of the clusters, 6, hardly ever show a significant difference" in said


def test_query_variations_are_noticed_by_names_without_separators():
    """Topics n01p1 and n01p2, or 12a and 12b, are looked at together; those of one number alone are not."""
    scores = _by_two(0.9)
    for name in ("n{0:02}p{1}", "q{0}{2}"):
        topics = [
            name.format(at // 5, at % 5, "abcde"[at % 5])
            for at in range(scores.sizes["topic"])
        ]
        (note,) = clustering_notes(scores.assign_coords(topic=topics))
        assert "60 names have 12 stems" in note
    topics = [f"q{at}" for at in range(scores.sizes["topic"])]
    assert not clustering_notes(scores.assign_coords(topic=topics))


def test_topics_are_worth_fewer_independent_ones():
    """A note says what topics are worth for a mean: their number over the squared ratio of standard errors."""
    scores = _turns(0.6)
    [note] = prepare(with_clusters(scores, "stem"))[1]
    worth = int(re.search(r"By AP the topics are worth (\d+) independent", note)[1])
    line = scores.values[..., 0]
    over_clusters = line.reshape(6, 12, 5).mean(axis=2).var(axis=1, ddof=1).mean() / 12
    over_topics = line.var(axis=1, ddof=1).mean() / 60
    assert worth == round(60 * over_topics / over_clusters)


def test_few_clusters_claim_nothing():
    """Clusters worth fewer than five of one size are said to be too few."""
    _, notes = prepare(with_clusters(_turns(conversations=4), "stem"))
    assert "too few to claim anything" in " ".join(notes)


@pytest.mark.data
def test_weak_clusters_hardly_matter(data, tmp_path):
    """Conversations of CAsT 2021 are hardly alike: intervals over them are 0.9 to 1.4 times those over turns."""
    import polars as pl

    table = pl.read_csv(data / "clusters" / "cast2021" / "per-turn.csv.gz")
    rows = table.select("system", pl.col("turn").alias("topic"), score="ndcg")
    rows.with_columns(metric=pl.lit("nDCG")).write_csv(tmp_path / "turns.csv")
    scores = import_table(tmp_path / "turns.csv")
    scores = next(iter(scores.values())) if isinstance(scores, dict) else scores
    plain, clustered = (
        describe(one) for one in (scores, with_clusters(scores, "stem"))
    )
    ratio = (clustered["high"] - clustered["low"]) / (plain["high"] - plain["low"])
    assert 0.9 < float(ratio.mean()) < 1.4
    np.testing.assert_allclose(plain["mean"].values, clustered["mean"].values)
    assert clustering_notes(scores) == []


def test_sentences_name_what_is_independent():
    """Where topics come in clusters, counts and tables for people are of clusters; else of topics."""
    plain = _turns(0.6)
    for scores, noun in ((plain, "topic"), (with_clusters(plain, "stem"), "cluster")):
        units = 12 if noun == "cluster" else 60
        one = versus(scores, "a", against="b")
        (title, shown) = list(versus_summary.overview(one).items())[-1]
        assert re.search(
            rf"better on \d+ {noun}s? and worse", versus_summary.findings(one)[0]
        )
        assert title.startswith(f"{noun}s by AP")
        assert shown.columns[0] == noun
        assert f"over {units} {noun}s)" in description.findings(describe(scores))[0]
        curve = reliability(scores)
        assert f"ranking by {units} {noun}s" in reliable.findings(curve)[0]
        assert f"{noun}s" in reliable.overview(curve)["coefficients"].columns


def test_what_is_said_to_hold_was_measured_with_clusters():
    """A note on how often intervals hold speaks of collections of so many clusters, not of so many topics."""
    turns = with_clusters(_turns(0.6, conversations=5), "stem")
    notes = about(versus(turns, "a"))["notes"]
    found = [note for note in notes if "of simulated collections (5 clusters)" in note]
    assert len(found) == 1


@pytest.mark.parametrize("conversations", [12, 30, 60])
def test_rank_sets_over_clusters_say_how_often_they_held(conversations):
    """A note says how often rank sets held over as many clusters where that was too seldom, and only there."""
    scores = with_clusters(_turns(0.3, conversations=conversations), "stem")
    notes = [note for note in describe(scores).notes if note.startswith("Rank sets of")]
    found = held("rank sets, clusters", systems=6, topics=conversations)
    assert bool(notes) is found.broken


def test_promises_over_clusters_are_those_that_were_measured_over_them():
    """Reliability and judges name shares that held with so many clusters: theirs are other than those over topics."""
    turns = with_clusters(_turns(0.6), "stem")
    units = prepare(turns)[0]
    assert promise_names(units, "Phi") == ["Phi, clusters"]
    assert promise_names(turns, "Phi") == ["Phi"]
    share = held(*promise_names(units, "tau, good judge"), systems=6, topics=12)
    notes = about(compare_judges({"people": turns, "machine": turns + 0.01}))["notes"]
    assert f"95% intervals of tau held in {share.share}" in " ".join(notes)


def test_systems_that_are_apart_by_as_much_on_all_topics_are_compared():
    """Their differences say nothing of what topics are worth, so that no note does."""
    level = np.arange(12) / 32
    made = cube(
        np.stack([level, level + 0.25])[..., None],
        ["a", "b"],
        [str(at) for at in range(12)],
        ["AP"],
    )
    clustered = with_clusters(made, {str(at): str(at // 2) for at in range(12)})
    _, notes = prepare(clustered)
    assert not any("design effect" in note for note in notes)
    assert any("6 clusters" in note for note in notes)


def test_groups_of_an_unused_column_are_counted_in_each_collection():
    """A column may group the topics of one collection, and be another name of those of the next."""
    rows = [
        {
            "dataset": data,
            "system": name,
            "topic": f"{data}{at}",
            "need": need(at),
            "score": 0.1 * at + bias,
        }
        for data, need in (("a", lambda at: f"a{at // 3}"), ("b", str))
        for name, bias in (("x", 0.0), ("y", 0.1))
        for at in range(9)
    ]
    frame = pl.DataFrame(rows).rename({"need": "shape"})
    made = from_frame_all(frame)
    assert {name: about(one)["unused"]["shape"] for name, one in made.items()} == {
        "a": 3,
        "b": 0,
    }
