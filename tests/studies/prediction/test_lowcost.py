"""Costly metrics from cheap ones: which metrics count as predictors, choice, roles, the released tables."""

import numpy as np
import pytest
import xarray as xr

from irmeta.errors import MetricError, ScoresError
from irmeta.evaluation.engine import evaluate
from irmeta.io.tables.matrices import import_systemwise
from irmeta.scores.attributes import about
from irmeta.scores.cube import cube
from irmeta.scores.tables.roles import ALL
from irmeta.studies.prediction.lowcost import findings, lowcost, overview, tables

METRICS = [
    *("AP", "P(depth=10)@1000", "AP(depth=10)", "P(depth=20)@1000", "AP(depth=20)"),
    *(
        "P(depth=10, pool=10)@1000",
        "P(depth=20, pool=20)@1000",
        "P(depth=20, pool=10)@1000",
        "RR",
        "mine",
    ),
]


def collection(seed, systems=25):
    rng = np.random.default_rng(seed)
    good = rng.uniform(0.2, 0.6, (systems, 1))
    noise = np.array([0, 0.1, 0.1, 0.02, 0.02, 0.1, 0.05, 0.1, 0.1, 0.1])
    scores = np.clip(good + noise * rng.normal(size=(systems, len(METRICS))), 0, 1)
    return cube(scores[:, None], [f"s{i}" for i in range(systems)], [ALL], METRICS)


@pytest.fixture(scope="module")
def outcome():
    return lowcost(
        {"a": collection(1)},
        {"c": collection(3)},
        dev={"b": collection(2)},
        targets=["AP"],
        depths=[10, 20],
    )


def test_predictors_are_the_metrics_of_the_depth(outcome):
    """With all judgments they have depth=D and no pool, with the pool's also pool=D; nothing else is used."""
    frame = tables(outcome)["lowcost"]
    for row in frame.iter_rows(named=True):
        pool = f", pool={row['depth']}" if row["judgments"] == "pool" else ""
        assert row["predictors"]
        assert all(f"depth={row['depth']}{pool})" in name for name in row["predictors"])
    assert set(frame["judgments"]) == {"full", "pool"}
    assert frame.height == 2 * 2 * 2


def test_deeper_judgments_order_better(outcome):
    """Metrics of 20 documents, which have less noise here, order the systems better than those of 10."""
    tau = outcome["tau"].sel(target="AP", judgments="full", collection="c")
    assert tau.sel(depth=20).item() > tau.sel(depth=10).item() + 0.1


def test_proper_leaves_out_the_set_of_all():
    """Where both predictors together do best, `proper` keeps one of them."""
    rng = np.random.default_rng(1)
    names = ["AP", "P(depth=10)@1000", "AP(depth=10)"]
    cubes = {}
    for name in "abc":
        parts = rng.uniform(0, 0.5, (30, 2))
        scores = np.column_stack([parts.sum(axis=1), parts])
        cubes[name] = cube(scores[:, None], [f"s{i}" for i in range(30)], [ALL], names)
    sizes = {}
    for proper in (False, True):
        found = lowcost(
            {"a": cubes["a"]},
            {"c": cubes["c"]},
            dev={"b": cubes["b"]},
            targets=["AP"],
            depths=[10],
            proper=proper,
        )
        sizes[proper] = len(tables(found)["lowcost"]["predictors"][0])
    assert sizes == {False: 2, True: 1}


def test_columns_are_those_of_the_contract(outcome):
    """The table has target, depth, predictors, collection, tau and r2, with judgments, role and rmse."""
    columns = tables(outcome)["lowcost"].columns
    assert {"target", "depth", "predictors", "collection", "tau", "r2"} <= set(columns)


def test_findings_tell_a_line_a_target_and_kind_of_judgments(outcome):
    """One target with two kinds of judgments makes two lines."""
    assert [
        ("all judgments" in line, "a pool" in line) for line in findings(outcome)
    ] == [(True, False), (False, True)]


@pytest.mark.parametrize(
    ("taus", "said"),
    [
        (
            [[0.95, 0.99], [0.89, 0.99]],
            "tau is 0.9 or more on every collection at depth 10 (tried: 10, 20).",
        ),
        (
            [[np.nan, 0.99], [0.95, 0.99]],
            "tau is 0.9 or more on every collection at depth 20 (tried: 10, 20).",
        ),
        (
            [[np.nan, 0.99], [np.nan, 0.99]],
            "tau is undefined on b, where scores or predictions are all equal.",
        ),
        (
            [[0.5, 0.99], [0.6, 0.99]],
            "tau never reaches 0.9 on every collection (at most .600).",
        ),
    ],
)
def test_findings_claim_only_the_depths_that_reach_it(outcome, taus, said):
    """A depth counts only if tau is there and 0.9 or more on every collection, whatever a lesser depth reaches."""
    tau = outcome["tau"].copy()
    tau.loc[{"judgments": "full", "target": "AP"}] = taus
    assert findings(outcome.assign(tau=tau))[0] == f"AP, with all judgments: {said}"


def test_depths_without_metrics_and_shallow_targets_are_errors():
    """A depth that no metric has, a target among the predictors, and an unknown target are errors."""
    train, test = {"a": collection(1), "d": collection(4)}, {"c": collection(3)}
    with pytest.raises(
        MetricError,
        match="no metric looks only at the first 50 documents; evaluate some with depth=50",
    ):
        lowcost(train, test, targets=["AP"], depths=[10, 50])
    with pytest.raises(ScoresError, match="is one of the predictors"):
        lowcost(train, test, targets=["AP(depth=10)"], depths=[10])
    with pytest.raises(ScoresError, match="no metric 'AP@1000' in"):
        lowcost(train, test, targets=["AP@1000"], depths=[10])


def by_topic(seed, systems=12, topics=8, depth=10):
    """Return scores of runs of 100 documents, better ones higher, with 20 relevant documents on each topic."""
    rng = np.random.default_rng(seed)
    docs = np.array([f"d{i}" for i in range(200)])
    relevant = np.arange(200) < 20
    qrels = {
        f"t{t}": dict(zip(docs, relevant.astype(int).tolist(), strict=True))
        for t in range(topics)
    }
    runs = {}
    for s in range(systems):
        best = {
            t: np.argsort(-((0.5 + s / systems) * relevant + rng.normal(size=200)))[
                :100
            ]
            for t in qrels
        }
        runs[f"s{s:02}"] = {
            t: {doc: -float(at) for at, doc in enumerate(docs[of])}
            for t, of in best.items()
        }
    inside = f"depth={depth}"
    return evaluate(
        qrels, runs, [*TARGETS, "NumRel", f"P({inside})@1000", f"AP({inside})"]
    )


TARGETS = ["AP@100", "P@1000", "RR@50", "RBP(p=0.8)"]


@pytest.fixture(scope="module")
def beside():
    train, test = {"a": by_topic(1), "d": by_topic(2)}, {"c": by_topic(3)}
    return lowcost(train, test, targets=TARGETS, depths=[10])


def test_without_training_the_order_is_found_too(beside):
    """Greatest entropy orders systems by RBP nearly as they are, by AP as the first documents say."""
    tau = beside["entropy_tau"].isel(judgments=0, depth=0).sel(collection="c")
    assert tau.sel(target="RBP(p=0.8)") > 0.85
    assert tau.sel(target="AP@100") > 0.6
    assert (beside["entropy_rmse"].sel(target="RBP(p=0.8)") < 0.1).all()


def test_what_entropy_cannot_order_has_no_tau(beside):
    """P@1000 of all systems is the same, as all relevant documents are spread over the run; RR is not had so."""
    tau = beside["entropy_tau"].isel(judgments=0, depth=0).sel(collection="c")
    assert np.isnan(tau.sel(target="P@1000"))
    assert not np.isnan(beside["entropy_rmse"].sel(target="P@1000")).any()
    assert np.isnan(beside["entropy_rmse"].sel(target="RR@50")).all()


def test_the_rival_stands_in_findings_and_in_a_view(beside):
    """There is a finding for each target that it orders, and a table of tau."""
    said = [line for line in findings(beside) if "without training" in line]
    assert [line.split(",")[0] for line in said] == ["AP@100", "RBP(p=0.8)"]
    assert "tau by depth, without training" in overview(beside)


def test_the_rival_needs_scores_by_topic_and_numrel(outcome):
    """Means over topics, and score files without NumRel, have regression alone."""
    assert outcome["entropy_rmse"].isnull().all()
    assert list(overview(outcome)) == ["tau by depth", "r2 by depth"]
    a, d, c = (
        scores.sel(metric=scores.metric != "NumRel")
        for scores in (by_topic(1), by_topic(2), by_topic(3))
    )
    found = lowcost({"a": a, "d": d}, {"c": c}, targets=["AP@100"], depths=[10])
    assert found["entropy_rmse"].isnull().all()
    assert found["rmse"].notnull().all()


@pytest.mark.parametrize("cutoff", [10, 100, 1000])
def test_the_rival_takes_average_precision_with_a_cutoff(beside, cutoff):
    """AP(depth=10)@k is AP(depth=10) from k = 10 on, so the rival predicts the same."""
    renamed = [
        scores.assign_coords(
            metric=[
                f"{m}@{cutoff}" if m == "AP(depth=10)" else m
                for m in scores.metric.values
            ]
        )
        for scores in (by_topic(1), by_topic(2), by_topic(3))
    ]
    a, d, c = renamed
    found = lowcost({"a": a, "d": d}, {"c": c}, targets=TARGETS, depths=[10])
    xr.testing.assert_equal(found["entropy_rmse"], beside["entropy_rmse"])


def test_a_note_says_what_the_rival_lacks(outcome, beside):
    """The note names the metrics to evaluate, or that there are no topics; with all of them there is none."""
    assert not any("without training" in note for note in about(beside)["notes"])
    (note,) = (note for note in about(outcome)["notes"] if "without training" in note)
    assert "needs scores by topic of NumRel NumRel(pool=10)" in note
    files = [
        by_topic(seed).drop_sel(metric=["NumRel", "AP(depth=10)"]) for seed in (1, 2, 3)
    ]
    found = lowcost(
        {"a": files[0], "d": files[1]}, {"c": files[2]}, targets=["AP@100"], depths=[10]
    )
    (note,) = (note for note in about(found)["notes"] if "without training" in note)
    assert (
        "also needs scores of NumRel AP(depth=10)@1000; add them with irmeta evaluate"
        in note
    )


def test_numrel_is_no_predictor(beside):
    """The number of relevant documents serves the rival; regression has the metrics of the first documents alone."""
    assert "NumRel" not in " ".join(beside["predictors"].values.ravel())


@pytest.mark.data
@pytest.mark.slow
def test_entropy_orders_trec_covid_from_ten_documents(data):
    """In round 3, tau of AP@1000 is .75 from 10 documents and .88 from 50, of RBP(p=0.95) .82 and .96."""
    targets = ["AP@1000", "RBP(p=0.95)"]
    cheap = [
        name
        for depth in (10, 50)
        for name in (f"P(depth={depth})@1000", f"AP(depth={depth})")
    ]
    folder = data / "trec-covid"
    first, third = (
        evaluate(
            folder / name / "qrels.txt",
            [folder / name / "runs"],
            [*targets, "NumRel", *cheap],
        )
        for name in ("round1", "round3")
    )
    found = lowcost(
        {"a": first}, {"c": third}, dev={"b": first}, targets=targets, depths=[10, 50]
    )
    tau = found["entropy_tau"].sel(collection="c", judgments="full")
    np.testing.assert_allclose(tau.values, [[0.752, 0.881], [0.817, 0.958]], atol=0.001)


@pytest.mark.data
def test_rbp_can_be_told_from_40_documents_and_precision_at_1000_cannot(data):
    """Trained and chosen on WT2012, RBP has tau over 0.9 and R2 over 0.96 on both others from depth 40.

    The papers, with training data that were not released, claim tau over 0.9 from depth 30; ours is 0.89 there.
    P@1000 never reaches 0.7.
    """
    names = ("wt2012", "wt2013", "wt2014")
    cubes = import_systemwise(
        [data / "systemwise" / "lowcost" / f"{name}.csv" for name in names]
    )
    targets = ["RBP(p=0.95, depth=1000)", "P(depth=1000)@1000"]
    found = lowcost(
        {"train": cubes["wt2012"]},
        {n: cubes[n] for n in names[1:]},
        dev={"wt2012": cubes["wt2012"]},
        targets=targets,
    )
    rbp, precision = (
        found.sel(target=target, collection=list(names[1:]), judgments="full")
        for target in targets
    )
    assert float(rbp["tau"].sel(depth=slice(40, 50)).min()) > 0.9
    assert float(rbp["r2"].sel(depth=slice(40, 50)).min()) > 0.96
    assert 0.88 < float(rbp["tau"].sel(depth=30).min()) < 0.9
    assert float(precision["tau"].max()) < 0.7
