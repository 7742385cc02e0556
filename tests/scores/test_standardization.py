from pathlib import Path

import numpy as np
import polars as pl
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from irmeta.datasets import factors as factor_files
from irmeta.errors import FileFormatError, ScoresError
from irmeta.io.formats.scores import load, save
from irmeta.scores import standardization
from irmeta.scores.attributes import about, recorded
from irmeta.scores.cube import cube
from irmeta.scores.result import result


def scores(systems=6, topics=4, metrics=("AP", "P@10"), seed=0, collection="TREC-X"):
    drawn = np.random.default_rng(seed).beta(1, 2, size=(systems, topics, len(metrics)))
    names = (
        [f"s{i}" for i in range(systems)],
        [str(301 + i) for i in range(topics)],
        list(metrics),
    )
    return cube(drawn, *names, collection=collection)


def test_own_factors_give_every_topic_mean_zero_and_unit_spread():
    """Standardized by themselves, systems have mean 0 and standard deviation 1 on every topic."""
    z = standardization.apply(scores(), standardization.fit(scores()), "z")
    np.testing.assert_allclose(z.mean("system"), 0, atol=1e-12)
    np.testing.assert_allclose(z.std("system", ddof=1), 1, atol=1e-12)


@given(
    st.lists(st.floats(0.5, 500), min_size=4, max_size=4),
    st.sampled_from(["z", "normal", "uniform", "empirical", "max"]),
)
def test_r_normalisation_makes_no_difference(relevant, kind):
    """SP and AP, and DCG and nDCG, differ by a factor of the topic: standardized they are the same scores."""
    ap = scores(metrics=("AP", "nDCG"))
    sp = (ap * xr.DataArray(relevant, dims="topic")).assign_coords(metric=["SP", "DCG"])
    one, other = (
        standardization.apply(raw, standardization.fit(raw), kind).values
        for raw in (ap, sp)
    )
    np.testing.assert_allclose(one, other, atol=1e-9)


def test_factors_of_some_systems_standardize_others():
    """A new system is measured by the old systems' mean and standard deviation, not by its own company's."""
    old, new = scores(), scores(seed=1)[:2]
    expected = (new.values - old.values.mean(axis=0)) / old.values.std(axis=0, ddof=1)
    np.testing.assert_allclose(
        standardization.apply(new, standardization.fit(old), "z").values, expected
    )


def test_inputs_are_not_changed_and_the_kind_is_recorded():
    """Apply makes a new cube, which says how it was made."""
    raw = scores()
    before = raw.copy(deep=True)
    factors = standardization.fit(raw)
    made = standardization.apply(raw, factors, "uniform")
    xr.testing.assert_identical(raw, before)
    assert about(made)["standardization"]["kind"] == "uniform"
    assert about(made)["standardization"]["factors"] == {
        "collection": "TREC-X",
        "digest": factors.attrs["digest"],
    }
    assert made.attrs["collection"] == "TREC-X"


def test_topics_are_found_by_name_never_by_position():
    """Turning the order of topics and metrics turns the result, and nothing else."""
    factors = standardization.fit(scores())
    turned = scores()[:, ::-1, ::-1]
    xr.testing.assert_allclose(
        standardization.apply(turned, factors)[:, ::-1, ::-1],
        standardization.apply(scores(), factors),
    )


def test_factors_of_ap_serve_ap_at_1000_with_a_note():
    """The figures are those of AP under the name AP@1000; AP@100, and AP@1000 beside its own factors, are untouched."""
    whole = scores()
    assert list(whole.metric.values) == ["AP", "P@10"]
    factors = standardization.fit(whole)
    deep = whole.assign_coords(metric=["AP@1000", "P@10"])
    made = standardization.apply(deep, factors)
    expected = standardization.apply(whole, factors)
    np.testing.assert_array_equal(made.values, expected.values)
    assert list(made.metric.values) == ["AP@1000 (std.)", "P@10 (std.)"]
    (note,) = about(made)["standardization"]["notes"]
    assert note.startswith(
        "AP@1000 is standardized by the factors of AP; the two are equal if"
    )
    own = standardization.apply(deep, standardization.fit(deep))
    assert about(own)["standardization"]["notes"] == []
    with pytest.raises(ScoresError, match="lack 1 metric of these scores: AP@100;"):
        standardization.apply(whole.assign_coords(metric=["AP@100", "P@10"]), factors)


def test_metrics_that_factors_lack_are_left_out_by_name():
    """Of the scores those metrics are kept that the factors have, and the others are named; with none, nothing is."""
    factors = standardization.fit(scores().sel(metric=["AP"]))
    deep = scores().assign_coords(metric=["AP@1000", "P@10"])
    kept, notes = standardization.common_metrics(deep, factors)
    assert list(kept.metric.values) == ["AP@1000"]
    assert notes == ["metrics left out because the factors lack them: P@10"]
    none = deep.sel(metric=["P@10"])
    assert standardization.common_metrics(none, factors) == (none, [])


def test_topics_that_have_numbers_for_names_are_doubtful():
    """Where two collections number their topics from 1, a note says that they are taken for the same topics."""
    old = scores().assign_coords(topic=["1", "2", "3", "4"])
    new = old.assign_attrs(collection="another")
    factors = standardization.fit(old)
    doubt = "topics are matched by name, but another and TREC-X number theirs from 1: unless"
    (note,) = about(standardization.apply(new, factors))["standardization"]["notes"]
    assert note.startswith(doubt)
    assert "--collection TREC-X of evaluate or import, collection='TREC-X' of" in note
    assert standardization.on_common_topics(new, old)[2] == [note]
    assert about(standardization.apply(old, factors))["standardization"]["notes"] == []
    named = scores().assign_attrs(collection="another")
    assert (
        about(standardization.apply(named, standardization.fit(scores())))[
            "standardization"
        ]["notes"]
        == []
    )


def test_numbered_topics_of_the_same_judgments_are_the_same():
    """Scores by the very judgments that the factors' scores were made with are not in doubt; by others they are."""
    old = (
        scores()
        .assign_coords(topic=["1", "2", "3", "4"])
        .assign_attrs(recorded({"qrels": {"sha256": "ab"}}))
    )
    new, other = (
        old.assign_attrs(
            recorded({"collection": "another", "qrels": {"sha256": digest}})
        )
        for digest in ("ab", "cd")
    )
    factors = standardization.fit(old)
    assert about(standardization.apply(new, factors))["standardization"]["notes"] == []
    assert (
        "unless"
        in about(standardization.apply(other, factors))["standardization"]["notes"][0]
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda one: one.assign_coords(topic=["301", "302", "303", "999"]),
            r"lack 1 topic of these scores: 999; take factors that have them or fit",
        ),
        (
            lambda one: one.assign_coords(metric=["AP", "RR"]),
            r"lack 1 metric of these scores: RR",
        ),
        (
            lambda one: standardization.apply(one, standardization.fit(one)),
            "already standardized",
        ),
    ],
)
def test_scores_that_do_not_fit_are_refused_by_name(change, words):
    """Unknown topics and metrics, and scores standardized before, are errors that say which."""
    with pytest.raises(ScoresError, match=words):
        standardization.apply(change(scores()), standardization.fit(scores()))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (scores(systems=1), "at least 2 systems"),
        (scores(topics=1).assign_coords(topic=["all"]), "scores are means"),
        (scores(metrics=("GMAP",)), "geometric mean of AP"),
        (scores().where(lambda one: one.system != "s3"), "scores are missing"),
    ],
)
def test_factors_need_scores_of_topics(wrong, words):
    """One system, means alone, geometric means and missing scores give no factors."""
    with pytest.raises(ScoresError, match=words):
        standardization.fit(wrong)


def test_missing_scores_are_dropped_only_when_asked_and_then_said():
    """The policy for missing scores is the cube's, and the factors tell what it did."""
    some = scores()
    some[3, 1, 0] = np.nan
    factors = standardization.fit(some, missing="systems")
    assert factors["n"].values.max() == 5
    assert "dropped 1 of 6 systems" in about(factors)["notes"][0]


@pytest.mark.parametrize(("policy", "topics"), [("half", 4), ("raw", 4), ("drop", 3)])
def test_flat_topics_follow_the_policy_and_are_listed(policy, topics):
    """A topic that all standardizing systems score alike gets 0.5, keeps its scores, or goes; always by name."""
    old, new = scores(), scores(seed=1)
    old[:, 2, 1] = 0.0
    made = standardization.apply(new, standardization.fit(old), flat=policy)
    assert made.sizes["topic"] == topics
    assert about(made)["standardization"]["flat"] == {"P@10": ["303"]}
    assert standardization.flat_topics(made)[0].startswith(
        "P@10: all standardizing systems have the same score on 1 topic (303)"
    )
    if policy != "drop":
        expected = 0.5 if policy == "half" else new.sel(topic="303", metric="P@10")
        np.testing.assert_array_equal(
            made.sel(topic="303", metric="P@10 (std.)"), np.broadcast_to(expected, 6)
        )


def test_factors_survive_the_file(tmp_path):
    """What is saved is loaded, to the last bit, with its provenance; any Parquet reader can read the table."""
    factors = standardization.fit(scores())
    path = tmp_path / "factors.parquet"
    factor_files.save(factors, path)
    xr.testing.assert_identical(factor_files.load(path), factors)
    assert pl.read_parquet(path).columns == [
        "topic",
        "metric",
        "mean",
        "sd",
        "n",
        "quantiles",
    ]


def test_the_digest_tells_factors_apart_and_not_their_order():
    """The same scores in another order are the same factors; one changed score is not."""
    digest = standardization.fit(scores()).attrs["digest"]
    assert standardization.fit(scores()[::-1, ::-1, ::-1]).attrs["digest"] == digest
    changed = scores()
    changed[0, 0, 0] += 1e-9
    assert standardization.fit(changed).attrs["digest"] != digest


@pytest.mark.parametrize("column", ["mean", "quantiles"])
def test_a_changed_file_is_refused(tmp_path, column):
    """Factors whose numbers are not those they were saved with are no longer what their provenance says."""
    path = tmp_path / "factors.parquet"
    factor_files.save(standardization.fit(scores()), path)
    frame, metadata = pl.read_parquet(path), pl.read_parquet_metadata(path)
    frame.with_columns(pl.col(column) * 2).write_parquet(
        path, metadata={"irmeta_factors": metadata["irmeta_factors"]}
    )
    with pytest.raises(FileFormatError, match="its numbers changed after it was saved"):
        factor_files.load(path)


def test_other_files_are_no_factors(tmp_path):
    """A missing file and a score file are named as what they are not."""
    with pytest.raises(FileFormatError, match="no such file"):
        factor_files.load(tmp_path / "none.parquet")
    save(scores(), tmp_path / "scores.parquet")
    with pytest.raises(FileFormatError, match="not a factors file"):
        factor_files.load(tmp_path / "scores.parquet")


def test_a_standardized_cube_is_a_score_file_like_any_other(tmp_path):
    """Standardized scores are saved and loaded with the note that they are standardized."""
    made = standardization.apply(scores(), standardization.fit(scores()))
    save(made, tmp_path / "standardized.parquet")
    xr.testing.assert_identical(load(tmp_path / "standardized.parquet"), made)


def test_common_cuts_to_what_both_have_and_says_so():
    """Topics and metrics that only one cube has go, in the order of the first, with a note each."""
    old, new = (
        scores(collection="old"),
        scores(seed=1, topics=6, metrics=("P@10", "RR"), collection="new"),
    )
    one, other, notes = standardization.on_common_topics(old[:, ::-1], new)
    assert (
        one.topic.values.tolist()
        == other.topic.values.tolist()
        == ["304", "303", "302", "301"]
    )
    assert one.metric.values.tolist() == other.metric.values.tolist() == ["P@10"]
    assert notes == [
        "old: 1 of its metrics left out, as the other lacks them",
        "new: 1 of its metrics left out, as the other lacks them",
        "new: 2 of its topics left out, as the other lacks them",
    ]


def test_common_needs_something_in_common():
    """Two cubes without a shared topic cannot be standardized by each other."""
    with pytest.raises(ScoresError, match="no topic in common"):
        standardization.on_common_topics(
            scores(), scores().assign_coords(topic=["1", "2", "3", "4"])
        )


@pytest.mark.parametrize(
    "changed",
    [
        pl.lit("x").alias("quantiles"),
        pl.lit(1.0).alias("quantiles"),
        pl.lit(None, dtype=pl.List(pl.Float64)).alias("quantiles"),
        pl.lit(["a"]).alias("quantiles"),
        pl.lit([], dtype=pl.List(pl.Float64)).alias("quantiles"),
        pl.lit([None, 1.0]).alias("quantiles"),
        pl.lit([1.0, float("inf")]).alias("quantiles"),
        pl.lit([1.0, 1e200]).alias("quantiles"),
        pl.lit(5).alias("topic"),
        pl.lit(None, dtype=pl.String).alias("topic"),
        pl.lit("x").alias("mean"),
        (pl.col("sd") * (1 + 1e-6)).alias("sd"),
    ],
)
def test_malformed_factors_are_refused(tmp_path: Path, changed: pl.Expr) -> None:
    """Columns of factors that hold anything but names and numbers are an error of the file."""
    path = tmp_path / "f.parquet"
    factor_files.save(standardization.fit(_factored()), path)
    metadata = {"irmeta_factors": pl.read_parquet_metadata(path)["irmeta_factors"]}
    pl.read_parquet(path).with_columns(changed).write_parquet(path, metadata=metadata)
    with pytest.raises(FileFormatError, match=r"f\.parquet"):
        factor_files.load(path)


@pytest.mark.parametrize("metadata", ["[1]", "null", '"x"', "[" * 100_000, "{}"])
def test_factors_without_their_digest_are_refused(
    tmp_path: Path, metadata: str
) -> None:
    """Factors whose metadata are not those that we write are refused."""
    path = tmp_path / "f.parquet"
    factor_files.save(standardization.fit(_factored()), path)
    pl.read_parquet(path).write_parquet(path, metadata={"irmeta_factors": metadata})
    with pytest.raises(FileFormatError, match="not a factors file"):
        factor_files.load(path)


def test_factors_in_another_order_are_the_same(tmp_path: Path) -> None:
    """A file whose rows another program sorted anew holds the same factors."""
    path = tmp_path / "f.parquet"
    fitted = standardization.fit(_factored())
    factor_files.save(fitted, path)
    metadata = {"irmeta_factors": pl.read_parquet_metadata(path)["irmeta_factors"]}
    pl.read_parquet(path)[[3, 0, 5, 1, 4, 2]].write_parquet(path, metadata=metadata)
    again = factor_files.load(path)
    xr.testing.assert_equal(
        again.sortby("topic").sortby("metric"), fitted.sortby("topic").sortby("metric")
    )


def _factored() -> xr.DataArray:
    scores = np.random.default_rng(3).random((4, 3, 2))
    return cube(scores, ["a", "b", "c", "d"], ["1", "2", "3"], ["AP", "RR"])


def test_each_topic_is_fitted_on_the_systems_it_has(tmp_path: Path) -> None:
    """With pairwise the factors of a topic are those of the systems with a score there; they survive the file."""
    made = _factored()
    made[0, 1] = np.nan
    fitted = standardization.fit(made, missing="pairwise")
    rest = standardization.fit(made[1:])
    assert fitted["n"].sel(metric="AP").values.tolist() == [4, 3, 4]
    for name in ("mean", "sd"):
        np.testing.assert_allclose(
            fitted[name].sel(topic="2"), rest[name].sel(topic="2"), rtol=1e-12
        )
    path = tmp_path / "f.parquet"
    factor_files.save(fitted, path)
    xr.testing.assert_identical(factor_files.load(path), fitted)
    for kind in ("z", "normal", "uniform", "empirical", "max", "center"):
        here, there = (
            standardization.apply(made[1:, 1:2], factors, kind)
            for factors in (fitted, rest)
        )
        np.testing.assert_allclose(here, there, rtol=1e-12)


def test_a_topic_with_one_score_has_no_factors() -> None:
    """A topic on which one system has a score cannot be fitted, and the error names it."""
    made = _factored()
    made[1:, 2] = np.nan
    with pytest.raises(
        ScoresError, match=r"fewer than 2 systems have a score on topic 3; .*topics="
    ):
        standardization.fit(made, missing="pairwise")


def test_a_note_names_the_factors_of_every_collection():
    """Scores of two collections, each standardized by its own factors, have one note, which names both."""

    def of(name):
        done = {"kind": "normal", "factors": {"collection": name}}
        made = cube(np.zeros((2, 2, 1)), ["a", "b"], ["1", "2"], ["AP (std.)"])
        return made.assign_attrs(recorded({"standardization": done}))

    made = result(
        "x", {}, inputs={name: of(name) for name in ("t8", "r04")}, options={}
    )
    assert about(made)["notes"] == [
        "(std.): standardized scores (normal, by factors of t8 and r04), not on the metric's own scale"
    ]
