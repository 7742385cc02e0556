"""A matrix of metrics, from scores and as given."""

import numpy as np
import pytest
import xarray as xr

from irmeta.choices import Matrix
from irmeta.errors import ScoresError
from irmeta.scores.cube import cube
from irmeta.scores.groups.clusters import with_clusters
from irmeta.scores.tables.roles import ALL
from irmeta.stats.subsets.matrices import correlation, covariance, normal_scores
from irmeta.studies.choice.matrix import from_matrix, from_scores

METRICS = ["AP", "P@10", "RR"]


def scores(
    seed: int = 0, systems: int = 12, topics: int = 6, collection: str = "c"
) -> xr.DataArray:
    values = np.random.default_rng(seed).random((systems, topics, 3))
    # topics differ
    values += np.random.default_rng(seed + 1).random(topics)[None, :, None]
    names = [f"s{i}" for i in range(systems)]
    return cube(
        values, names, [f"t{i}" for i in range(topics)], METRICS, collection=collection
    )


def test_levels_have_their_rows() -> None:
    """At topic level rows are scores, within topics they are less the topic's mean, at system level they are means."""
    one = scores()
    flat = one.values.reshape(-1, 3)
    within = (one.values - one.values.mean(axis=0)).reshape(-1, 3)
    for level, rows in (
        ("topic", flat),
        ("within-topic", within),
        ("system", one.values.mean(axis=1)),
    ):
        found = from_scores(one, "covariance", level, "error")
        np.testing.assert_allclose(found.sigma, np.cov(rows, rowvar=False), atol=1e-12)


def test_kinds_have_their_matrices() -> None:
    """Correlation is Pearson's, rank correlation that of normal scores, and shrunk lies between it and none at all."""
    one = scores()
    rows = one.values.reshape(-1, 3)
    pearson = np.corrcoef(rows, rowvar=False)
    np.testing.assert_allclose(
        from_scores(one, "correlation", "topic", "error").sigma, pearson
    )
    by_rank = correlation(covariance(normal_scores(rows)))
    np.testing.assert_allclose(
        from_scores(one, "rank", "topic", "error").sigma, by_rank
    )
    shrunk = from_scores(one, "shrunk", "topic", "error").sigma
    off = ~np.eye(3, dtype=bool)
    shrinkage = shrunk[off] / pearson[off]
    np.testing.assert_allclose(shrinkage, shrinkage[0])
    assert 0 < shrinkage[0] < 1
    assert (np.diag(shrunk) == 1).all()


def test_collections_are_pooled() -> None:
    """The rows of several collections stand below one another."""
    both = {"a": scores(0), "b": scores(5, systems=4, topics=3)}
    rows = np.concatenate([one.values.reshape(-1, 3) for one in both.values()])
    np.testing.assert_allclose(
        from_scores(both, "covariance", "topic", "error").sigma,
        np.cov(rows, rowvar=False),
    )


def test_only_common_metrics_are_used() -> None:
    """A metric that one collection lacks is left out, and named."""
    found = from_scores(
        {"a": scores(), "b": scores(3).sel(metric=["RR", "AP"])},
        "correlation",
        "topic",
        "error",
    )
    assert found.metrics == ["AP", "RR"]
    assert any("P@10" in note for note in found.notes)


def test_constant_metrics_are_left_out() -> None:
    """A metric that never varies is left out, and named."""
    one = scores()
    one.loc[:, :, "RR"] = 0.5
    found = from_scores(one, "correlation", "topic", "error")
    assert found.metrics == ["AP", "P@10"]
    assert any("RR" in note for note in found.notes)
    assert [*next(iter(found.cubes.values())).metric.values] == ["AP", "P@10"]


def test_means_are_at_system_level() -> None:
    """A table of means over topics gives a matrix at system level, whatever level was asked for."""
    table = scores(topics=1).assign_coords(topic=np.array([ALL], dtype=object))
    found = from_scores(table, "correlation", "topic", "error")
    assert found.level == "system"
    assert found.notes
    with pytest.raises(ScoresError, match="unit='system'"):
        from_scores({"a": table, "b": scores()}, "correlation", "topic", "error")
    assert (
        from_scores({"a": table, "b": scores()}, "correlation", "system", "error").level
        == "system"
    )


def test_too_few_rows_are_refused() -> None:
    """Three systems do not give a matrix of three metrics, and shrinkage is offered."""
    with pytest.raises(ScoresError, match="matrix='shrunk'"):
        from_scores(scores(systems=3), "correlation", "system", "error")
    shrunk = from_scores(scores(systems=3), "shrunk", "system", "error")
    assert np.linalg.eigvalsh(shrunk.sigma)[0] > 1e-6


def test_missing_scores_are_a_decision() -> None:
    """A missing score stops the work, or costs its topic, with a note that names the collection."""
    one = scores()
    one[0, 0, 0] = np.nan
    with pytest.raises(ScoresError, match="1 of 216 scores are missing"):
        from_scores(one, "correlation", "topic", "error")
    found = from_scores({"c": one}, "correlation", "topic", "topics")
    assert found.cubes["c"].sizes["topic"] == 5
    assert found.notes[0].startswith("c: 1 of 216")


def test_the_geometric_mean_is_averaged_as_logarithm() -> None:
    """GMAP counts as a logarithm by topic, and as a geometric mean by system."""
    values = np.random.default_rng(1).uniform(0.01, 1, (9, 4, 2))
    one = cube(values, [f"s{i}" for i in range(9)], list("abcd"), ["AP", "GMAP"])
    by_system = np.column_stack(
        [values[..., 0].mean(axis=1), np.exp(np.log(values[..., 1]).mean(axis=1))]
    )
    np.testing.assert_allclose(
        from_scores(one, "covariance", "system", "error").sigma, np.cov(by_system.T)
    )
    by_topic = np.column_stack([values[..., 0].ravel(), np.log(values[..., 1]).ravel()])
    np.testing.assert_allclose(
        from_scores(one, "covariance", "topic", "error").sigma, np.cov(by_topic.T)
    )


@pytest.mark.parametrize("kind", ["correlation", "rank"])
def test_what_differs_by_rounding_only_is_left_out(kind: Matrix) -> None:
    """A metric whose scores agree to ten decimals does not vary, in whatever way it is correlated."""
    one = scores()
    one.loc[:, :, "RR"] = 0.5 + 1e-11 * one.sel(metric="RR")
    assert from_scores(one, kind, "topic", "error").metrics == ["AP", "P@10"]


def test_a_given_matrix_is_used_as_it_is() -> None:
    """An array has numbered metrics, a DataFrame its own; kind "correlation" scales, the halves are averaged."""
    given = np.array([[4.0, 1.0], [0.8, 1.0]])
    found = from_matrix(given)
    assert found.metrics == ["1", "2"]
    assert found.kind == "given"
    assert found.sigma.tolist() == [[4.0, 0.9], [0.9, 1.0]]
    assert "not symmetric" in found.notes[0]
    named = xr.DataArray(
        given, coords={"a": ["AP", "RR"], "b": ["AP", "RR"]}, dims=("a", "b")
    ).to_pandas()
    assert from_matrix(named).metrics == ["AP", "RR"]
    np.testing.assert_allclose(
        from_matrix(named, "correlation").sigma, [[1, 0.45], [0.45, 1]]
    )


@pytest.mark.parametrize(
    ("matrix", "said"),
    [
        (np.ones((2, 3)), "square"),
        (np.zeros((0, 0)), "square"),
        (np.array([[1.0, np.nan], [np.nan, 1.0]]), "entries must be finite"),
        (np.diag([1.0, 0.0]), "variances positive"),
        (np.array([[1.0, 2.0], [2.0, 1.0]]), "not positive semi-definite"),
        (
            xr.DataArray(
                np.eye(2), coords={"a": ["x", "y"], "b": ["y", "x"]}, dims=("a", "b")
            ),
            "the same distinct names",
        ),
        (
            xr.DataArray(
                np.eye(2), coords={"a": ["x", "x"], "b": ["x", "x"]}, dims=("a", "b")
            ),
            "and columns",
        ),
    ],
)
def test_what_is_no_matrix_of_metrics_is_refused(matrix: object, said: str) -> None:
    """A table that cannot be a matrix of covariances is refused with the reason."""
    with pytest.raises(ScoresError, match=said):
        from_matrix(matrix)


def test_ranks_cannot_be_taken_of_a_matrix() -> None:
    """Normal scores and shrinkage need scores."""
    with pytest.raises(ScoresError, match="pass the scores"):
        from_matrix(np.eye(2), "rank")


def test_means_over_clusters_are_correlated_where_they_are_asked_for():
    """At system level a row is a system's mean over the clusters' means; at topic level a note says it is not."""
    rng = np.random.default_rng(0)
    topics = ["1_1", "2_1", "2_2", "2_3", "2_4", "3_1"]
    made = with_clusters(
        cube(rng.random((5, 6, 2)), list("abcde"), topics, ["AP", "RR"]),
        "stem",
        mean_over="clusters",
    )
    by_hand = np.mean(
        [made.values[:, part].mean(axis=1) for part in ([0], [1, 2, 3, 4], [5])], axis=0
    )
    found = from_scores(made, "correlation", "system", "error")
    np.testing.assert_allclose(found.sigma, np.corrcoef(by_hand.T))
    said = "Every topic counts alike"
    assert not [note for note in found.notes if note.startswith(said)]
    over_topics = from_scores(made, "correlation", "topic", "error")
    assert [note for note in over_topics.notes if note.startswith(said)]


def test_blocks_left_out_are_clusters():
    """Where topics come in clusters the matrix is computed without each cluster, not without each topic."""
    rng = np.random.default_rng(0)
    topics = [f"{at % 5}_{at}" for at in range(15)]
    made = cube(rng.random((4, 15, 2)), list("abcd"), topics, ["AP", "RR"])
    found = from_scores(with_clusters(made, "stem"), "correlation", "topic", "error")
    without = found.without_topics
    assert len(without) == 5
    rows = made.values[:, [at % 5 != 2 for at in range(15)]].reshape(-1, 2)
    np.testing.assert_allclose(without[2], np.corrcoef(rows.T))
