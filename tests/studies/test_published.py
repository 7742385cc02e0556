"""Published means among everybody: where baselines and claims stand."""

import numpy as np
import polars as pl
import pytest

from irmeta.errors import ScoresError
from irmeta.scores import standardization
from irmeta.scores.cube import cube
from irmeta.studies.place.study import place
from irmeta.studies.place.summary import findings, overview, tables


def everybody(systems=30, topics=40, name="C", metrics=("AP", "P@10")):
    rng = np.random.default_rng(len(name) + systems)
    able = np.linspace(-1.5, 1.5, systems)[:, None, None]
    hard = rng.normal(size=(1, topics, 1))
    noise = rng.normal(size=(systems, topics, len(metrics)))
    values = 1 / (1 + np.exp(1 - able - hard - 0.7 * noise))
    return cube(
        values,
        [f"{name}{at}" for at in range(systems)],
        [str(at) for at in range(topics)],
        metrics,
        collection=name,
    )


def claims(every, metric="AP", steps=((3, 8), (20, 26), (25, 29)), gain=0.0):
    """Claims of papers, each from one of everybody's systems to another."""
    means = every.sel(metric=metric).mean("topic").values
    return pl.DataFrame(
        [
            {
                "paper": f"p{at}",
                "year": 2000 + at,
                "system": f"new{at}",
                "metric": metric,
                "mean": f"{means[to] + gain:.6f}",
                "baseline": f"{means[start]:.6f}",
            }
            for at, (start, to) in enumerate(steps)
        ]
    )


def test_a_reported_mean_stands_where_its_system_does():
    """The mean of one of everybody's has the percentile that counting gives, a tie counted half; so its baseline."""
    every = everybody()
    found = tables(place(on=every, published=claims(every)))["published"]
    means = every.sel(metric="AP").mean("topic").values
    order = np.argsort(np.argsort(means))
    for row, (start, to) in zip(
        found.to_dicts(), ((3, 8), (20, 26), (25, 29)), strict=True
    ):
        assert row["percentile"] == pytest.approx(100 * (order[to] + 0.5) / 30)
        wanted = 100 * (order[start] + 0.5) / 30
        assert row["baseline_percentile"] == pytest.approx(wanted)
        assert row["gain"] == pytest.approx(means[to] - means[start], abs=2e-6)
        assert row["baseline_below_median"] == (means[start] < np.median(means))
        assert row["reaches_best"] == (order[to] == 29)
    assert found["year"].to_list() == [2000, 2001, 2002]


def test_factors_say_what_scores_say():
    """Everybody's scores by topic and the factors fitted on them give the same places."""
    every = everybody()
    numbers = [
        tables(place(on=on, published=claims(every)))["published"]
        .select(pl.selectors.numeric())
        .to_numpy()
        for on in (every, standardization.fit(every))
    ]
    # factors keep six decimals
    np.testing.assert_allclose(*numbers, rtol=1e-4, atol=1e-5)


def test_claims_above_earlier_papers_reach_the_best_of_their_time():
    """A claim that is above everybody's best but below an earlier paper does not reach the best of its time."""
    every = everybody()
    best = float(every.sel(metric="AP").mean("topic").max())
    table = pl.DataFrame(
        {
            "paper": ["a", "b", "c"],
            "year": [2001, 2005, 2005],
            "system": ["x", "y", "z"],
            "metric": ["AP"] * 3,
            "mean": [best + 0.02, best + 0.01, best + 0.03],
        }
    )
    found = tables(place(on=every, published=table))["published"]
    assert found["reaches_best"].to_list() == [True, False, True]
    later = table.with_columns(year=pl.Series([2005, 2001, 2001]))
    found = tables(place(on=every, published=later))["published"]
    assert found["reaches_best"].to_list() == [False, True, True]


def test_findings_say_how_strong_baselines_are_and_whether_gains_add_up():
    """The first sentence counts weak baselines, claims that reach the best, and what gains add up to."""
    every = everybody()
    first, *each = findings(place(on=every, published=claims(every)))
    assert first.startswith("C, AP: 1 of 3 baselines stands below the median of 30")
    assert "1 of 3 claims reaches the best of the time" in first
    assert first.endswith("they do not add up.")
    assert len(each) == 3
    assert "below their median" in each[0]
    assert "reaches the best of the time" in each[2]
    # a few rows stand as the table has them
    turned = overview(place(on=every, published=claims(every).reverse()))["published"]
    assert turned["system"].to_list() == ["new2 (p2)", "new1 (p1)", "new0 (p0)"]
    above = findings(place(on=every, published=claims(every, gain=0.01)))[0]
    assert "the best mean reported is +.010 above the best of these" in above


def test_means_of_a_leaderboard_suffice():
    """Where only everybody's means are known there is a percentile, and no interval."""
    every = everybody()
    means = every.mean("topic").expand_dims(topic=["all"], axis=1)
    on = means.assign_attrs(every.attrs)
    found = tables(place(on=on, published=claims(every)))["published"]
    assert found["percentile_low"].null_count() == 3
    assert found["percentile"].null_count() == 0
    assert "interval" not in findings(place(on=on, published=claims(every)))[0]


def test_published_means_stand_beside_systems_with_scores():
    """Systems with scores are placed as without a table, whose means come after them."""
    every = everybody()
    alone = place(every.isel(system=[4]), on=every)
    both = place(every.isel(system=[4]), on=every, published=claims(every))
    assert tables(both)["systems"].equals(tables(alone)["systems"])
    assert findings(both)[: len(findings(alone))] == findings(alone)
    assert list(overview(both))[-1] == "published"


def test_several_collections_are_told_apart_by_their_column():
    """Each mean stands among the systems of its own collection; others are left out and counted."""
    one, two = everybody(), everybody(name="D", systems=24)
    rows = [
        claims(every, steps=((3, 8),)).with_columns(collection=pl.lit(name))
        for every, name in ((one, "C"), (two, "D"), (two, "E"))
    ]
    outcome = place(on={"C": one, "D": two}, published=pl.concat(rows))
    assert tables(outcome)["published"]["others"].to_list() == [30, 24]
    assert any("on E, whose systems" in note for note in outcome.notes)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({}, "nothing to place"),
        ({"published": [{"system": "a", "metric": "AP", "mean": 0.2}]}, "do not name"),
        (
            {
                "published": [{"system": "a", "metric": "RR", "mean": 0.2}],
                "on": everybody(),
            },
            "by RR, which C lacks",
        ),
        (
            {
                "published": [{"system": "a", "metric": "AP", "mean": 0.2}],
                "on": {"C": everybody(), "D": everybody(name="D")},
            },
            "without a collection, and there are 2",
        ),
    ],
)
def test_what_cannot_be_placed_is_refused(arguments, says):
    """Nothing to place, no collection, a metric that nobody has, and two collections without a column are errors."""
    with pytest.raises(ScoresError, match=says):
        place(**arguments)
