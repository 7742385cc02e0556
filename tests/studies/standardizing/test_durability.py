import numpy as np
import pytest
import scipy.stats

from irmeta.errors import ScoresError
from irmeta.scores import standardization
from irmeta.scores.attributes import about
from irmeta.scores.cube import cube
from irmeta.studies.standardizing import durability as study
from irmeta.studies.standardizing.durability import durability, findings, tables


def scores(name, seed, systems=15, first=1, topics=10, metrics=("AP",)):
    drawn = np.random.default_rng(seed).beta(1, 2, size=(systems, topics, len(metrics)))
    names = (
        [f"{name}{i}" for i in range(systems)],
        [str(first + t) for t in range(topics)],
    )
    return cube(
        drawn + np.linspace(0, 0.3, systems)[:, None, None],
        *names,
        metrics,
        collection=name,
    )


def test_figures_are_those_of_scipy():
    """Pearson's correlation and tau compare the means by old factors with those by own factors."""
    old, new = scores("old", 0), scores("new", 1)
    row = tables(durability({"T": old}, {"new": new}))["durability"].row(0, named=True)
    by_old, by_own = (
        standardization.apply(new, standardization.fit(one)).mean("topic").values[:, 0]
        for one in (old, new)
    )
    assert np.isclose(
        row["pearson"], scipy.stats.pearsonr(by_old, by_own).statistic, atol=1e-12
    )
    assert np.isclose(
        row["tau"], scipy.stats.kendalltau(by_old, by_own).statistic, atol=1e-12
    )
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
    assert (
        "A: new: 10 of its topics left out, as the other lacks them"
        in about(outcome)["notes"]
    )


def test_collections_are_matched_by_name():
    """Several new collections go with the old ones of their names; a name without a partner is an error."""
    old, new = {"A": scores("A", 0)}, {"B": scores("B", 1), "C": scores("C", 2)}
    with pytest.raises(ScoresError, match="no new collection"):
        durability(old, new)
    assert durability(old, new | {"A": scores("new", 3)}).sizes["topics"] == 1


def test_the_deals_are_what_chance_gives(monkeypatch):
    """Of old and new systems alike, tau stands anywhere among random deals; the seed decides, and is recorded."""
    monkeypatch.setattr(study, "PARTITIONS", 40)
    places = [
        durability({"T": scores("T", i)}, {"T": scores("T", 50 + i)})[
            "tau_quantile"
        ].item()
        for i in range(12)
    ]
    assert 0.25 < np.mean(places) < 0.75
    one, same, other = (
        durability({"T": scores("T", 0)}, {"T": scores("T", 1)}, rng=seed)
        for seed in (1, 1, 2)
    )
    assert one.identical(same)
    assert one["chance_tau"].item() != other["chance_tau"].item()
    assert about(one)["options"]["seed"] == 1


@pytest.mark.parametrize("flat", ["half", "drop", "raw"])
def test_a_deal_is_standardized_as_the_systems_are(flat):
    """Means by the factors of one set are those that `standardization.apply` gives, on topics without spread too."""
    old, new = (
        scores("old", 0, metrics=("AP", "RR")),
        scores("new", 1, metrics=("AP", "RR")),
    )
    old[:, 3, 1] = 0.2
    expected = (
        standardization.apply(new, standardization.fit(old), flat=flat)
        .mean("topic")
        .values.T
    )
    np.testing.assert_allclose(
        study._means(new.values, old.values, "normal", flat), expected
    )


def test_few_systems_are_not_said_to_have_aged(monkeypatch):
    """Between sets of five systems of one kind tau falls below 0.9 often, and is said to tell nothing."""
    monkeypatch.setattr(study, "PARTITIONS", 40)
    words = [
        durability(
            {"T": scores("T", i, systems=5)}, {"T": scores("T", 50 + i, systems=5)}
        )
        for i in range(12)
    ]
    told = [findings(outcome)[0] for outcome in words if outcome["tau"].item() < 0.9]
    assert len(told) > 2
    assert sum("too few systems to show" in line for line in told) > len(told) / 2


def test_systems_of_another_kind_age_the_factors():
    """Where old systems differ on some topics only, and new ones on the others, the old factors have aged."""
    old, new = (
        scores("old", 0, systems=30, topics=20),
        scores("new", 1, systems=30, topics=20),
    )
    old[:, :10] = 0.5 + (old[:, :10] - 0.5) * 0.02
    new[:, 10:] = 0.5 + (new[:, 10:] - 0.5) * 0.02
    outcome = durability({"T": old}, {"T": new}, teams="each")
    assert outcome["tau"].item() < 0.9
    assert outcome["tau_quantile"].item() < 0.05
    assert "the old factors have aged beyond chance." in findings(outcome)[0]
    outcome["tau_quantile"][:] = 0.0475
    assert findings(outcome)[0].endswith(" in 4.8% of splits.")


def test_factors_that_order_systems_much_alike_may_have_aged_all_the_same():
    """Where tau is above .9 but random splits reach more nearly always, factors have aged, by as much as is said."""
    rng = np.random.default_rng(1)
    topics = [str(topic) for topic in range(20)]
    able = np.linspace(-3, 3, 120)[:, None]
    drawn = (able + 0.8 * rng.normal(size=(120, 20)))[..., None]
    # old systems spread so much on 12 topics that by their factors these hardly count for new ones
    uneven = np.where(np.arange(20) < 12, 20.0, 1.0)[:, None]
    old, new = (
        cube(part, [f"{name}{i}" for i in range(60)], topics, ["score"])
        for name, part in (("o", drawn[::2] * uneven), ("n", drawn[1::2]))
    )
    outcome = durability({"T": old}, {"T": new}, teams="each")
    told = findings(outcome)[0]
    assert outcome["tau"].item() >= 0.9
    assert outcome["tau_quantile"].item() < 0.05
    assert "the old factors have aged beyond chance." in told
    assert f"tau_AP {outcome['tau_ap'].item():.3f}".replace(" 0", " ") in told


def test_findings_say_whether_the_factors_still_serve():
    """The answer in words is a judgment of the old factors."""
    one = scores("one", 0)
    assert (
        "nothing shows that the old factors have aged."
        in findings(durability({"T": one}, {"T": one}))[0]
    )


def test_factors_are_not_said_to_serve_so_few_systems_that_random_splits_disagree():
    """Factors of other topics order 3 systems alike by luck; splits at random fall below .9, so that says nothing."""
    rng = np.random.default_rng([3, 0])
    scale, other = np.exp(rng.normal(size=(2, 1, 20, 1)))
    topics = [str(topic) for topic in range(20)]
    new = scale * (rng.normal(size=(3, 1, 1)) + rng.normal(size=(3, 20, 1)))
    old = other * rng.normal(size=(12, 20, 1))
    of_new = cube(new, list("abc"), topics, ["score"])
    of_old = cube(old, [f"o{at}" for at in range(12)], topics, ["score"])
    outcome = durability({"T": of_old}, {"T": of_new})
    assert outcome["tau"].item() >= 0.9 > outcome["chance_tau"].item()
    assert "too few systems to show" in findings(outcome)[0]


def clones(seed, teams=8, size=4, topics=20):
    """Old and new systems of one kind, in teams of near-clones."""
    rng = np.random.default_rng(seed)
    good = np.repeat(0.7 * rng.normal(size=(teams, 1)), size, axis=0)
    drawn = good + np.repeat(rng.normal(size=(teams, topics)), size, axis=0)
    drawn = 1 / (1 + np.exp(-(drawn + 0.2 * rng.normal(size=drawn.shape))))
    names = (
        [f"team{at // size}-{at % size}" for at in range(teams * size)],
        [str(topic) for topic in range(topics)],
    )
    half = teams // 2 * size
    return [
        cube(drawn[part][..., None], names[0][part], names[1], ["AP"])
        for part in (slice(half), slice(half, None))
    ]


@pytest.mark.slow
def test_splits_of_teams_keep_their_level(monkeypatch):
    """Old and new systems alike, in teams: splits of whole teams say less often that factors have aged."""
    monkeypatch.setattr(study, "PARTITIONS", 60)
    aged = {"each": 0, "stem": 0}
    for seed in range(25):
        for groups in aged:
            quantile = durability(*clones(seed), teams=groups, rng=seed)[
                "tau_quantile"
            ].item()
            aged[groups] += quantile < 0.05
    assert aged["stem"] <= 4
    assert aged["stem"] < aged["each"]


def test_what_the_splits_assume_is_told():
    """Of systems by themselves a note says that they are independent; of teams, what stays together."""
    old, new = clones(0)
    assert any(
        "take systems as independent" in note
        for note in about(durability(old, new, teams="each"))["notes"]
    )
    outcome = durability(old, new, teams="stem")
    assert about(outcome)["options"]["teams"] == "stem"
    alone = new.assign_coords(system=[f"new{i}" for i in range(new.sizes["system"])])
    for sides in ((old, alone), (alone, old)):
        assert any(
            "keep the systems of a team together" in note
            for note in about(durability(*sides))["notes"]
        )
    assert any(
        "keep the systems of a team together" in note
        for note in about(outcome)["notes"]
    )
