"""Several collections at once: roles, common metrics, system-level tables, scores out of range."""

import numpy as np
import pytest

import irmeta
from irmeta.errors import ScoresError
from irmeta.scores.cube import cube
from irmeta.scores.cubes import (
    check_sizes,
    common_metrics,
    dependence_notes,
    in_range,
    prepare_together,
    shared_topics,
    system_level,
    targets_and_candidates,
    topics_halved,
    unit_numbers,
    with_roles,
)
from irmeta.scores.groups.clusters import with_clusters
from irmeta.studies.agreement.correlation.study import correlate
from irmeta.studies.choice.ranking.study import rank
from irmeta.studies.prediction.coverage import coverage
from irmeta.studies.standardizing.comparison.study import compare
from irmeta.studies.standardizing.durability import durability


def collection(metrics, value=0.5, systems=3):
    scores = np.full((systems, 2, len(metrics)), value)
    return cube(scores, [f"s{i}" for i in range(systems)], ["1", "2"], metrics)


def test_common_metrics_keep_the_first_order():
    """Metrics of all collections come in the order of the first."""
    both = {"a": collection(["AP", "RR", "P@10"]), "b": collection(["P@10", "AP"])}
    assert common_metrics(both) == ["AP", "P@10"]
    assert common_metrics(both, ["P@10"]) == ["P@10"]


def test_metric_that_a_collection_lacks_is_named_with_it():
    """The error says which metric and which collection, and what there is."""
    both = {"a": collection(["AP", "RR"]), "b": collection(["AP"])}
    with pytest.raises(ScoresError, match=r"no metric 'RR' in b; .*AP"):
        common_metrics(both, ["RR"])
    with pytest.raises(
        ScoresError, match="a, c have no metric in common; evaluate them with the same"
    ):
        common_metrics({"a": both["a"], "c": collection(["P@10"])})
    with pytest.raises(ScoresError, match="there are no collections"):
        common_metrics({})


COMMON = {
    "correlate": correlate,
    "rank": rank,
    "compare": lambda cubes: compare(cubes, partitions=1),
    "durability": lambda cubes: durability(cubes, cubes),
    "coverage": lambda cubes: coverage({**cubes, "c": cubes["a"]}),
}


@pytest.mark.parametrize("study", COMMON)
def test_every_study_says_alike_that_collections_share_no_metric(study):
    """Whichever study it is, the error is the same."""
    with pytest.raises(
        ScoresError,
        match="have no metric in common; evaluate them with the same metrics, or study each by itself",
    ):
        COMMON[study](
            {"a": collection(["AP", "RR"]), "b": collection(["P@10", "Bpref"])}
        )


def test_studied_together():
    """Each collection is cut to the metrics that all have, complete, its best systems; the notes say what went."""
    both = {"a": collection(["AP", "RR"]), "b": collection(["AP", "P@10"])}
    both["b"][0, 0, 0] = both["a"][0, 0, 1] = np.nan
    used, notes = prepare_together(both, missing="systems", top=0.5)
    assert [one.metric.values.tolist() for one in used.values()] == [["AP"], ["AP"]]
    assert [one.system.values.tolist() for one in used.values()] == [["s0"], ["s1"]]
    assert notes == [
        "metrics left out because not all collections have them: P@10, RR",
        "a: 1 of 3 systems: the top 0.5 by AP on all topics",
        "b: 1 of 6 scores are missing; dropped 1 of 3 systems (s0) that lack scores",
        "b: 1 of 2 systems: the top 0.5 by AP on all topics",
    ]
    assert prepare_together({"a": both["a"]}, metrics="AP")[1] == []


def test_collection_in_two_roles_and_empty_roles_are_errors():
    """A collection is for training or for testing; each of the two needs one."""
    one = {"a": collection(["AP"])}
    with pytest.raises(
        ScoresError, match="a collection cannot be both train and test: a"
    ):
        with_roles(train=one, test=one)
    with pytest.raises(ScoresError, match="there are no test collections"):
        with_roles(train=one, test={})
    assert with_roles(train=one, test={"b": one["a"]})[1] == {"a": "train", "b": "test"}


def test_missing_scores_follow_the_policy():
    """A system that lacks a score is an error, or dropped and counted."""
    scores = collection(["AP"])
    scores[0, 0, 0] = np.nan
    with pytest.raises(ScoresError, match="1 of 6 scores are missing"):
        system_level({"a": scores})
    tables, notes = system_level({"a": scores}, missing="systems")
    assert tables["a"].system.values.tolist() == ["s1", "s2"]
    assert notes == [
        "a: 1 of 6 scores are missing; dropped 1 of 3 systems (s0) that lack scores"
    ]


@pytest.mark.parametrize("value", [-0.1, 1.2])
def test_scores_that_a_metric_cannot_take_are_an_error(value):
    """A score below 0 or above 1 is named with its system; unbounded and unknown metrics may have any."""
    with pytest.raises(
        ScoresError, match=r"\(s0\) is not a score of AP, whose scores are 0 to 1"
    ):
        in_range(collection(["AP"]).isel(topic=0) + value - 0.5)
    in_range(collection(["DCG", "mine"], 3.0).isel(topic=0))


def test_targets_outside_the_candidates_are_not_candidates():
    """Metrics to work on are candidates and targets; a lone metric cannot be predicted from itself."""
    cubes = {"a": collection(["AP", "RR", "P@10"])}
    assert targets_and_candidates(cubes, ["AP"], ["RR"]) == (
        ["RR", "AP"],
        ["AP"],
        ["RR"],
    )
    assert targets_and_candidates(cubes, None, None)[1:] == (
        ["AP", "RR", "P@10"],
        ["AP", "RR", "P@10"],
    )
    with pytest.raises(ScoresError, match="no other metric to predict AP from"):
        targets_and_candidates(cubes, ["AP"], ["AP"])


def test_sizes_count_a_target_out_of_its_own_candidates():
    """Three candidates leave two predictors for a target among them and three for another."""
    check_sizes([1, 2], ["AP"], ["AP", "RR", "P@10"])
    check_sizes([3], ["Rprec"], ["AP", "RR", "P@10"])
    with pytest.raises(
        ScoresError, match="1 to 2 predictors with these metrics, not 3"
    ):
        check_sizes([3], ["AP"], ["AP", "RR", "P@10"])


def test_clusters_of_two_collections_hang_together_by_their_topics():
    """A shared topic joins its clusters, whichever collection has them; a shared name of clusters joins nothing."""
    topics = {"a": ["1", "2", "3", "4"], "b": ["3", "4", "5", "6"], "c": ["x", "7"]}
    plain = {
        name: cube(np.zeros((1, len(own), 1)), ["s"], own, ["NumRet"])
        for name, own in topics.items()
    }
    a = with_clusters(plain["a"], {"1": "x", "2": "x", "3": "y", "4": "z"})
    b = with_clusters(plain["b"], {"3": "p", "4": "q", "5": "q", "6": "x"})
    found = unit_numbers({"a": a, "b": plain["b"], "c": plain["c"]})
    assert [one.tolist() for one in found] == [[0, 0, 1, 2], [1, 2, 3, 4], [5, 6]]
    found = unit_numbers({"b": plain["b"], "a": a})
    assert [one.tolist() for one in found] == [[0, 1, 2, 3], [4, 4, 0, 1]]
    found = unit_numbers({"a": a, "b": b})
    assert [one.tolist() for one in found] == [[0, 0, 1, 2], [1, 2, 2, 3]]
    rng = np.random.default_rng(1)
    drawn = [topics_halved({"a": a, "b": b}, rng) for _ in range(30)]
    for halves in filter(None, drawn):
        for half in halves:
            kept = {*half["a"].topic.values, *half["b"].topic.values}
            assert len(kept & {"1", "2"}) in (0, 2)
            assert len(kept & {"4", "5"}) in (0, 2)


def test_topics_of_one_name_are_drawn_together():
    """Resampled topics keep each collection's number; what two collections share is drawn for both alike."""
    names = {"a": ["1", "2", "3", "4"], "b": ["3", "4", "5"], "c": ["6", "7"]}
    cubes = {
        name: cube(
            np.arange(len(topics), dtype=float)[None, :, None],
            ["s"],
            topics,
            ["NumRet"],
        )
        for name, topics in names.items()
    }
    assert shared_topics(cubes) == ["a and b share 2 topics"]
    assert [list(one) for one in unit_numbers(cubes)] == [
        [0, 1, 2, 3],
        [2, 3, 4],
        [5, 6],
    ]
    assert dependence_notes({"a": cubes["a"], "c": cubes["c"]}) == []
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(30):
        halves = topics_halved(cubes, rng)
        if halves is None:
            continue
        for name, topics in names.items():
            parts = [set(half[name].topic.values) for half in halves]
            assert not parts[0] & parts[1]
            assert parts[0] | parts[1] == set(topics)
        seen.add(tuple("3" in half["a"].topic.values for half in halves))
        assert [t in halves[0]["a"].topic.values for t in "34"] == [
            t in halves[0]["b"].topic.values for t in "34"
        ]
    assert seen == {(True, False), (False, True)}


def test_halves_of_topics_are_even_and_tables_of_means_stay_whole():
    """An odd topic goes to either half; a table of means is whole in both."""
    one = cube(np.arange(5.0)[None, :, None], ["s"], list("12345"), ["NumRet"])
    means = cube(np.zeros((1, 1, 1)), ["s"], ["all"], ["NumRet"])
    rng = np.random.default_rng(4)
    sizes = {
        topics_halved({"one": one, "means": means}, rng)[0]["one"].sizes["topic"]
        for _ in range(20)
    }
    assert sizes == {2, 3}
    assert topics_halved({"means": means}, rng)[1]["means"].identical(means)


def test_collections_that_share_topics_are_noted_where_one_is_left_out():
    """A study that learns from other collections says that those with the same topics are not independent."""
    rng = np.random.default_rng(0)
    cubes = {
        name: cube(
            rng.uniform(size=(6, 4, 3)),
            list("abcdef"),
            list("1234"),
            ["AP", "RR", "P@5"],
        )
        for name in "xyz"
    }
    _, notes = system_level(cubes)
    assert notes[0].startswith(
        "x and y share 4 topics, x and z share 4 topics, y and z share 4 topics by name;"
    )
    assert irmeta.predict.fit(cubes).provenance["notes"] == notes
