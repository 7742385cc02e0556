import numpy as np
import pytest
import scipy.stats

from irmeta import standardization
from irmeta.cube import cube
from irmeta.errors import ScoresError
from irmeta.studies.durability import durability, findings, tables


def scores(name, seed, systems=15, first=1, topics=10, metrics=("AP",)):
    drawn = np.random.default_rng(seed).beta(1, 2, size=(systems, topics, len(metrics)))
    names = [f"{name}{i}" for i in range(systems)], [str(first + t) for t in range(topics)]
    return cube(drawn + np.linspace(0, 0.3, systems)[:, None, None], *names, metrics, collection=name)


def test_figures_are_those_of_scipy():
    """Pearson's correlation and tau compare the means by old factors with those by own factors."""
    old, new = scores("old", 0), scores("new", 1)
    row = tables(durability({"T": old}, {"new": new}))["durability"].row(0, named=True)
    by_old, by_own = (
        standardization.apply(new, standardization.fit(one)).mean("topic").values[:, 0] for one in (old, new)
    )
    assert np.isclose(row["pearson"], scipy.stats.pearsonr(by_old, by_own).statistic, atol=1e-12)
    assert np.isclose(row["tau"], scipy.stats.kendalltau(by_old, by_own).statistic, atol=1e-12)
    assert (row["topics"], row["metric"], row["topic_count"]) == ("T", "AP", 10)
    assert (row["old_systems"], row["new_systems"]) == (15, 15)


def test_own_factors_last():
    """Where old and new systems are the same, nothing changes."""
    one = scores("one", 0)
    row = tables(durability({"T": one}, {"T": one}))["durability"].row(0, named=True)
    assert np.allclose([row["pearson"], row["tau"], row["tau_ap"]], 1)


def test_each_old_collection_meets_its_topics_in_the_new_one():
    """One new collection that holds the topics of several old ones is cut to each in turn, and that is noted."""
    old = {"A": scores("A", 0), "B": scores("B", 1, first=11)}
    outcome = durability(old, {"all": scores("new", 2, topics=20)})
    assert outcome["topic_count"].values.tolist() == [10, 10]
    assert "A: new: 10 of its topics are not in the other: left out" in outcome.attrs["notes"]


def test_collections_are_matched_by_name():
    """Several new collections go with the old ones of their names; a name without a partner is an error."""
    old, new = {"A": scores("A", 0)}, {"B": scores("B", 1), "C": scores("C", 2)}
    with pytest.raises(ScoresError, match="no new collection 'A'"):
        durability(old, new)
    assert durability(old, new | {"A": scores("new", 3)}).sizes["topics"] == 1


def test_findings_say_whether_the_factors_still_serve():
    """The answer in words is a judgment of the old factors."""
    one = scores("one", 0)
    assert findings(durability({"T": one}, {"T": one}))[0].endswith("the old factors still serve.")
