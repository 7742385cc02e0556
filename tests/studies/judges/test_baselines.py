"""Rankings of systems without judgments, beside judges."""

import numpy as np
import pytest
import xarray as xr
from scipy.stats import kendalltau

import irmeta
from irmeta.evaluation.lists import first_documents
from irmeta.stats.judging.unlabelled import reference_counts
from irmeta.studies.judges.compare.study import compare_judges
from irmeta.studies.judges.compare.summary import tables

TOPICS = [str(topic) for topic in range(25)]


def collection(seed=0):
    """Runs of 14 systems, the later the better, judgments of people, a judge that agrees and one at random."""
    rng = np.random.default_rng(seed)
    relevant = {
        topic: {f"d{one}": int(one < 12) for one in range(60)} for topic in TOPICS
    }
    runs = {}
    for system in range(14):
        runs[f"s{system:02d}"] = {
            topic: {
                name: float(grade * system / 10 + rng.normal())
                for name, grade in judged.items()
            }
            for topic, judged in relevant.items()
        }

    def other(share):
        return {
            topic: {
                name: grade if rng.random() > share else int(rng.random() < 0.2)
                for name, grade in judged.items()
            }
            for topic, judged in relevant.items()
        }

    return {"people": relevant, "good": other(0.0), "random": other(1.0)}, runs


def test_baselines_stand_beside_judges():
    """Tau is that of reference counts at the metric's own depth; a judge's lead is the difference of soft accuracy."""
    sets, runs = collection()
    found = compare_judges(sets, runs=runs, metrics="P@10", partitions=5)
    truth = irmeta.evaluate(sets["people"], runs, "P@10").values[..., 0].mean(axis=1)
    counts = reference_counts(first_documents(runs, TOPICS, 10)[1])
    one = found.data.sel(metric="P@10", baseline="reference counts")
    expected = kendalltau(counts.mean(axis=1).round(10), truth.round(10)).statistic
    assert float(one["baseline_tau"]) == pytest.approx(expected)
    lead = one["soft"] - one["baseline_soft"]
    np.testing.assert_allclose(one["baseline_difference"], lead)
    assert (
        (one["baseline_tau_low"] < expected) & (expected < one["baseline_tau_high"])
    ).item()


def test_a_judge_at_random_is_not_better_than_no_judge():
    """A judge that agrees is clearly better than every baseline, one at random than none, and a finding names it."""
    sets, runs = collection()
    found = compare_judges(sets, runs=runs, metrics="nDCG@10", partitions=5)
    beside = tables(found.data)["beside_baselines"]
    assert beside.height == 2 * 3
    random, good = (beside.filter(judge=name) for name in ("random", "good"))
    assert (random["difference"] < 0).all()
    assert (good["p_corrected"] < 0.05).all()
    [said] = [one for one in found.findings if "without any judgment" in one]
    assert said in found.findings[:4]
    assert "1 of 2 judges is not clearly better: random" in said


def test_what_judges_have_is_the_same_beside_baselines():
    """Figures of judges are those without runs: baselines are no judges, and no correction counts them."""
    sets, runs = collection()
    beside = compare_judges(sets, runs=runs, metrics="P@10", partitions=5)
    cubes = irmeta.evaluate_under(sets, runs, "P@10")
    alone = compare_judges(cubes, truth="people", partitions=5)
    assert "baselines" not in alone.tables
    for name in ("systems", "pairs", "significance", "favour"):
        assert alone.tables[name].equals(beside.tables[name])


def test_figures_of_a_metric_do_not_depend_on_the_other_metrics():
    """Each metric has the same draws, alone and after another one, so no figure of it changes."""
    sets, runs = collection()
    both, alone = (
        compare_judges(sets, runs=runs, metrics=metrics, partitions=5).data
        for metrics in ("P@10 AP", "AP")
    )
    for name, values in alone.data_vars.items():
        if "metric" in values.dims:
            xr.testing.assert_equal(both[name].sel(metric=["AP"]), values)


def test_a_metric_without_a_cutoff_is_held_against_a_hundred_ranks():
    """AP is held against counts of a hundred ranks of a run, P@5 against those of five."""
    sets, runs = collection()
    found = compare_judges(sets, runs=runs, metrics="AP P@5", partitions=5)
    tau = found["baseline_tau"].sel(baseline="reference counts")
    truth = irmeta.evaluate(sets["people"], runs, "AP P@5").values.mean(axis=1)
    for metric, depth in (("AP", 100), ("P@5", 5)):
        counts = reference_counts(first_documents(runs, TOPICS, depth)[1])
        which = found["metric"].values.tolist().index(metric)
        expected = kendalltau(
            counts.mean(axis=1).round(10), truth[:, which].round(10)
        ).statistic
        assert float(tau.sel(metric=metric)) == pytest.approx(expected, nan_ok=True)


def test_baselines_are_in_clusters_as_judges_are():
    """Where topics come in clusters, tau of a baseline is over clusters, as that of a judge is."""
    sets, runs = collection()
    clusters = {topic: f"c{int(topic) // 5}" for topic in TOPICS}
    of_topics, of_clusters = (
        compare_judges(sets, runs=runs, metrics="P@10", clusters=given, partitions=5)
        for given in (None, clusters)
    )
    counted = [
        one.sel(baseline=["reference counts", "overlaps"])
        for one in (of_topics.data, of_clusters.data)
    ]
    np.testing.assert_allclose(*(one["baseline_tau"] for one in counted))
    width = [
        (one["baseline_tau_high"] - one["baseline_tau_low"]).values for one in counted
    ]
    assert not np.allclose(*width)
