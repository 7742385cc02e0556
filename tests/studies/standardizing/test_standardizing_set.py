import numpy as np
import pytest
import scipy.stats

from irmeta.errors import ScoresError
from irmeta.scores import standardization
from irmeta.scores.attributes import about
from irmeta.scores.cube import cube
from irmeta.studies.standardizing.standardizing_set import (
    findings,
    standardizing_set,
    tables,
)


def scores(seed, systems=12, metrics=("AP", "RR")):
    drawn = np.random.default_rng(seed).beta(1, 2, size=(systems, 10, len(metrics)))
    return cube(
        drawn, [f"s{i}" for i in range(systems)], [str(t) for t in range(10)], metrics
    )


def test_more_systems_bring_the_ranking_nearer():
    """The percentiles rise with the number of systems drawn, to 1 when all are."""
    sample = tables(
        standardizing_set(scores(0), scores(1), sizes=[2, 6, 12], resamples=200)
    )["sample"]
    assert sample.columns[:5] == ["systems", "metric", "p50", "p5", "p1"]
    for metric in ("AP", "RR"):
        rows = sample.filter(metric=metric)
        assert rows["systems"].to_list() == [2, 6, 12]
        assert rows["p5"].is_sorted()
        assert np.allclose(rows.row(2)[2:5], 1)
        assert (rows["p1"] <= rows["p5"]).all()
        assert (rows["p5"] <= rows["p50"]).all()


def test_raw_is_the_tau_of_raw_and_standardized_means():
    """The line to compare with is scipy's tau between the two rankings by all systems."""
    outcome = standardizing_set(scores(0), scores(1), sizes=[3], resamples=100)
    full = standardization.apply(scores(1), standardization.fit(scores(0)))
    for metric in ("AP", "RR"):
        raw, standardized = (
            one.sel(metric=name).mean("topic").values
            for one, name in ((scores(1), metric), (full, f"{metric} (std.)"))
        )
        assert np.isclose(
            outcome["raw"].sel(metric=metric),
            scipy.stats.kendalltau(raw, standardized).statistic,
        )


def test_standard_errors_are_those_of_repeating_the_draws():
    """The Monte-Carlo standard error of a median is the spread of medians over twenty seeds, within a factor of two."""
    runs = [
        standardizing_set(scores(0), scores(1), sizes=[4], resamples=400, rng=seed)
        for seed in range(20)
    ]
    medians = [run["p50"].values[0, 0] for run in runs]
    told = np.mean([run["p50_se"].values[0, 0] for run in runs])
    assert np.std(medians) / 2 < told < np.std(medians) * 2


def test_the_seed_decides():
    """The same seed draws the same systems."""
    one, same, other = (
        standardizing_set(scores(0), scores(1), sizes=[3], resamples=100, rng=seed)
        for seed in (1, 1, 2)
    )
    assert one.identical(same)
    assert not one.equals(other)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sizes": [1]}, "between 2 and 12, the"),
        ({"sizes": [13]}, "not 13"),
        ({"resamples": 5}, "resamples"),
    ],
)
def test_sizes_and_draws_have_bounds(options, words):
    """One system has no spread, more than there are cannot be drawn, and few draws have no percentiles."""
    with pytest.raises(ScoresError, match=words):
        standardizing_set(scores(0), scores(1), **options)


def test_findings_say_how_many_systems_are_enough():
    """The answer in words is the smallest size that beats raw scores in 95% and in 99% of draws."""
    told = findings(
        standardizing_set(scores(0), scores(1), sizes=[2, 12], resamples=100)
    )
    assert (
        "12 systems are enough in 95% of draws and 12 systems are enough in 99% of draws"
        in told[0]
    )


def test_a_metric_that_tells_no_systems_apart_is_an_error():
    """Where all new systems score alike there is no ranking to compare."""
    flat = scores(1)
    flat[..., 1] = 1.0
    with pytest.raises(ScoresError, match="RR does not distinguish these systems"):
        standardizing_set(scores(0), flat, sizes=[3], resamples=100)


def test_draws_that_tie_all_systems_have_no_percentiles():
    """Standardizing systems that score alike leave every new one the middle: tau is undefined, and a note says so."""
    outcome = standardizing_set(
        scores(0)[[0] * 4 + [1]].assign_coords(system=list("abcde")),
        scores(1),
        sizes=[4, 5],
    )
    (note,) = (note for note in about(outcome)["notes"] if note.startswith("AP: in"))
    assert 0 < int(note.split()[2]) < 1500
    assert "4 systems" in note
    assert np.isfinite(outcome["p50"].values).all()
    same = scores(0)[[0] * 4].assign_coords(system=list("abcd"))
    alike = standardizing_set(same, scores(1), sizes=[2], resamples=100)
    assert np.isnan([alike[name].values for name in ("p50", "p5", "p1", "p1_se")]).all()
    assert "AP: in 100 of 100 draws of 2 systems all new systems tie" in " ".join(
        about(alike)["notes"]
    )


def test_too_few_old_systems_are_said_so():
    """Of two old systems no smaller set can be drawn, and the error says how many it takes."""
    with pytest.raises(ScoresError, match="at least 3 old systems; there are 2"):
        standardizing_set(scores(0)[:2], scores(1))
