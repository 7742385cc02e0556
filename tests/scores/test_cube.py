"""The cube: checked, selected, averaged, completed."""

from collections.abc import Callable
from itertools import permutations

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from irmeta.errors import ScoresError
from irmeta.scores.averages.means import additive, means
from irmeta.scores.cube import check, cube
from irmeta.scores.cubes import prepare_together
from irmeta.scores.selection import (
    complete,
    prepare,
    require_variation,
    select,
    top_systems,
)


def square(**changed: object) -> xr.DataArray:
    scores = [
        [[0.1, 0.5], [0.3, 0.6]],
        [[0.2, 0.7], [0.9, 0.8]],
        [[0.0, 0.9], [0.1, 1.0]],
    ]
    parts = {
        "scores": scores,
        "systems": ["a", "b", "c"],
        "topics": ["1", "2"],
        "metrics": ["AP", "P@10"],
    } | changed
    return cube(*parts.values())  # type: ignore[arg-type]


def test_what_a_cube_is() -> None:
    """A cube has three named dimensions, names as its metrics print, and records its collection."""
    made = square(metrics=["AP(rel=1)", "RBP"])
    assert made.dims == ("system", "topic", "metric")
    assert made.metric.values.tolist() == ["AP", "RBP(p=0.8)"]
    assert (made.name, made.dtype, made.attrs) == (
        "score",
        np.float64,
        {"collection": "collection"},
    )


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        (
            {"systems": ["a", "a", "b"]},
            "system names must be unique; given more than once: a",
        ),
        ({"topics": ["1", "1"]}, "topic names must be unique"),
        (
            {"metrics": ["AP", "AP(rel=1)"]},
            "metric names must be unique; given more than once: AP",
        ),
        ({"scores": np.full((3, 2, 2), np.inf)}, r"infinite score \(a, topic 1, AP\)"),
    ],
)
def test_what_is_no_cube(changed: dict, says: str) -> None:
    """Repeated names and infinite scores are errors."""
    with pytest.raises(ScoresError, match=says):
        square(**changed)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            lambda scores: scores.sel(metric="AP"),
            r"this array has \(system, topic\); rename them, or select with a list",
        ),
        (
            lambda scores: scores.rename(system="run"),
            r"this array has \(run, topic, metric\)",
        ),
        (lambda scores: scores.drop_vars("topic"), r"assign_coords\(topic="),
        (lambda scores: scores.assign_coords(topic=[301, 302]), "names that are text"),
        (lambda scores: scores.astype(object), "numbers, not object"),
        (
            lambda scores: scores.values,
            "this is a ndarray; make one with irmeta.from_frame",
        ),
        *(
            (lambda scores, dim=dim: scores.isel({dim: []}), f"has no {dim}s")
            for dim in ("system", "topic", "metric")
        ),
        (lambda scores: scores.assign_coords(topic=["", "2"]), "names that are text"),
        *(
            (lambda scores, held=held: scores.assign_coords(cluster=held), "'cluster'")
            for held in (("topic", [1.5, 2.5]), ("system", ["a", "b", "c"]))
        ),
        (lambda scores: scores.to_dataset(), "this is a Dataset; choose one"),
        (lambda scores: {"one": scores}, "this is a dict; choose one"),
    ],
)
def test_what_is_no_array_of_scores(
    change: Callable[[xr.DataArray], object], says: str
) -> None:
    """What is no array of numbers with three dimensions that have names is an error that says what it is instead."""
    with pytest.raises(ScoresError, match=says):
        check(change(square()))


def test_the_order_of_dimensions_does_not_matter() -> None:
    """A cube is known by the names of its dimensions; whole numbers and short floats are scores, too."""
    scores = square()
    for order in permutations(scores.dims):
        xr.testing.assert_identical(check(scores.transpose(*order)), scores)
        xr.testing.assert_identical(means(scores.transpose(*order)), means(scores))
        xr.testing.assert_identical(
            select(scores.transpose(*order), metrics=["P@10"]), scores[..., 1:]
        )
    assert check(scores.astype(np.float32)).dtype == np.float64
    xr.testing.assert_identical(check(scores), scores)


def test_topics_drawn_twice_have_means() -> None:
    """Means need no names that are unique: topics may be drawn with replacement."""
    assert means(square().isel(topic=[0, 0, 1])).sel(
        system="a", metric="AP"
    ).item() == pytest.approx(0.5 / 3)


def test_select() -> None:
    """Names are kept in the order given, once each, metrics in any spelling; unknown ones name the nearest."""
    some = select(square(), systems=["c", "a", "c"], metrics=["P@10", "AP(rel=1)"])
    assert some.system.values.tolist() == ["c", "a"]
    assert some.metric.values.tolist() == ["P@10", "AP"]
    assert some.sel(system="c", topic="2", metric="P@10").item() == 1.0
    xr.testing.assert_identical(select(square()), square())
    with pytest.raises(
        ScoresError, match="no metric 'P@20' in collection; did you mean P@10"
    ):
        select(square(), metrics=["P@20"])
    with pytest.raises(ScoresError, match="no topic '3'"):
        select(square(), topics=["3"])


def test_select_by_pattern() -> None:
    """A pattern stands for the names it matches, in their order, each once; a name of its letters is just that name."""
    scores = cube(
        np.zeros((4, 1, 1)), ["bm25", "bm25-rm3", "BM25", "run[1]"], ["301"], ["AP"]
    )
    assert select(scores, systems="bm25*").system.values.tolist() == [
        "bm25",
        "bm25-rm3",
    ]
    assert select(scores, systems="*rm3, bm25*").system.values.tolist() == [
        "bm25-rm3",
        "bm25",
    ]
    assert select(scores, systems=["run[1]"]).system.values.tolist() == ["run[1]"]
    assert select(scores, systems="[bB]*5", topics="3*").system.values.tolist() == [
        "bm25",
        "BM25",
    ]
    with pytest.raises(ScoresError, match=r"no system 'dpr\*' in collection"):
        select(scores, systems="dpr*")


def test_means() -> None:
    """Means are over all topics, geometric for GMAP, and missing where a topic is."""
    scores = square(metrics=["AP", "GMAP"])
    np.testing.assert_allclose(means(scores).sel(metric="AP"), [0.2, 0.55, 0.05])
    np.testing.assert_allclose(
        means(scores).sel(metric="GMAP"), np.sqrt([0.3, 0.56, 0.9])
    )
    np.testing.assert_allclose(
        additive(scores).sel(metric="GMAP"), np.log(scores.sel(metric="GMAP"))
    )
    scores[0, 0, 0] = np.nan
    assert np.isnan(means(scores).values).tolist() == [
        [True, False],
        [False, False],
        [False, False],
    ]


def test_a_sum_beyond_numbers_is_no_mean() -> None:
    """Scores whose sum a number cannot hold are an error, not an infinite mean."""
    with pytest.raises(ScoresError, match="too large for a number"):
        means(square(scores=np.full((3, 2, 2), 1.5e308), metrics=["clicks", "sales"]))


def test_top_systems() -> None:
    """The best share by mean is kept in the old order; by the first metric unless said otherwise."""
    assert top_systems(square(), 0.67).system.values.tolist() == ["a", "b"]
    assert top_systems(square(), 0.34, by="P@10").system.values.tolist() == ["c"]
    assert top_systems(square(), 1).sizes["system"] == 3
    other = square().isel(metric=[1, 0])
    assert top_systems(other, 0.34).system.values.tolist() == ["c"]
    for share in (0, -1, 1.1):
        with pytest.raises(ScoresError, match="above 0 and at most 1"):
            top_systems(square(), share)
    with pytest.raises(ScoresError, match="keeps none of 3 systems"):
        top_systems(square(), 0.1)
    lacking = square()
    lacking[0, 0, 0] = np.nan
    with pytest.raises(ScoresError, match="systems cannot be ranked by AP"):
        top_systems(lacking, 0.5)


def test_of_tied_systems_the_earlier_one_is_kept() -> None:
    """Means that differ only because their scores were added in another order are tied."""
    rising = [[0.1], [0.2], [0.3]]
    made = cube([rising[::-1], rising], ["first", "second"], ["1", "2", "3"], ["AP"])
    first, second = means(made).values[:, 0]
    assert first < second
    assert top_systems(made, 0.5).system.values.tolist() == ["first"]


def test_what_is_studied() -> None:
    """The best systems by a metric that need not be studied; scores of metrics that are neither may be missing."""
    scores = square(metrics=["AP", "P@10"])
    scores = xr.concat([scores, scores[..., :1].assign_coords(metric=["RR"])], "metric")
    scores[:, :, 2] = np.nan
    used, notes = prepare(scores, metrics="P_10", top=0.34, by="map")
    assert used.metric.values.tolist() == ["P@10"]
    assert (
        used.system.values.tolist()
        == top_systems(scores, 0.34, "AP").system.values.tolist()
        == ["b"]
    )
    assert notes == ["1 of 3 systems: the top 0.34 by AP on all topics"]
    scores[1, 0, 0] = np.nan
    assert prepare(scores, metrics=["P@10"])[1] == []
    for by, dropped in (("AP", 1), ("P@10", 0)):
        used, notes = prepare(scores, metrics=["P@10"], top=1, by=by, missing="systems")
        assert used.sizes["system"] == 3 - dropped
        assert len(notes) == 1 + dropped
    with pytest.raises(ScoresError, match="1 of 12 scores are missing"):
        prepare(scores, metrics=["P@10"], top=0.5, by="AP")
    with pytest.raises(ScoresError, match="by= needs top="):
        prepare(scores, by="AP")
    alone, _ = prepare(scores, metrics=["P@10"], top=0.5)
    both, _ = prepare(scores, metrics=["P@10"], top=0.5, by="P@10")
    xr.testing.assert_identical(alone, both)


def test_a_metric_without_a_cutoff_is_the_deepest_there_is() -> None:
    """AP stands for the deepest AP@k where there is no AP, never for another metric, and the notes say so."""
    scores = square(metrics=["AP@100", "AP@1000"])
    assert select(scores, metrics="map").metric.values.tolist() == ["AP@1000"]
    assert prepare(scores, metrics="AP")[1] == [
        "the scores have no AP; the deepest one, AP@1000, is used"
    ]
    both = square(metrics=["AP", "AP@1000"])
    assert prepare(both, metrics="AP")[0].metric.values.tolist() == ["AP"]
    assert prepare(both, metrics="AP")[1] == []
    for other in ("AP(rel=2)", "AP@50", "RR"):
        with pytest.raises(ScoresError, match="no metric"):
            select(scores, metrics=[other])
    cubes = {"one": scores, "two": scores[..., 1:]}
    together, notes = prepare_together(cubes, metrics="AP")
    assert [one.metric.values.tolist() for one in together.values()] == [
        ["AP@1000"],
        ["AP@1000"],
    ]
    assert notes == ["the scores have no AP; the deepest one, AP@1000, is used"]


def test_names_of_others() -> None:
    """Metrics go by the names of trec_eval and of papers; a text is a list of names, never of characters."""
    scores = square(metrics=["AP", "P@10"])
    for wanted in (["P_10", "MAP"], "P.10,map", "P@10 AP"):
        assert select(scores, metrics=wanted).metric.values.tolist() == ["P@10", "AP"]
    assert select(scores, systems="c, a").system.values.tolist() == ["c", "a"]
    odd = scores.assign_coords(metric=["map", "P_10"])
    assert select(odd, metrics="AP").metric.values.tolist() == ["map"]
    for wanted in ("", []):
        with pytest.raises(
            ScoresError, match="the list of metrics is empty; name some of collection"
        ):
            select(scores, metrics=wanted)


@given(
    st.sets(
        st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 1)), max_size=4
    )
)
def test_complete(holes: set[tuple[int, int, int]]) -> None:
    """Missing cells are an error that names the first, or their topics or systems go, and a note says how many."""
    scores = square()
    for hole in holes:
        scores[hole] = np.nan
    if not holes:
        assert complete(scores) == (scores, [])
        return
    with pytest.raises(ScoresError, match=f"{len(holes)} of 12 scores are missing"):
        complete(scores)
    for missing, axis in (("topics", 1), ("systems", 0)):
        gone = {hole[axis] for hole in holes}
        if len(gone) == scores.shape[axis]:
            with pytest.raises(ScoresError, match=f"every {missing[:-1]} lacks some"):
                complete(scores, missing)  # type: ignore[arg-type]
            continue
        if missing == "topics" and gone:
            with pytest.raises(ScoresError, match="leaves 3 systems and 1 topic"):
                complete(scores, missing)  # type: ignore[arg-type]
            continue
        kept, (note,) = complete(scores, missing)  # type: ignore[arg-type]
        assert not np.isnan(kept.values).any()
        assert kept.shape[axis] == scores.shape[axis] - len(gone)
        assert f"dropped {len(gone)} of {scores.shape[axis]} {missing}" in note


def test_what_tells_nothing_apart_is_named_with_what_to_ask_for():
    """Metrics that score all systems alike are refused, with the option that leaves them out."""
    with pytest.raises(ScoresError) as one:
        require_variation(np.array([[0.1, 0.2], [0.3, 0.3]]), ["AP", "RR"])
    assert str(one.value).endswith(
        "RR does not distinguish these systems (all scores equal); leave it out: metrics='AP'"
    )
    with pytest.raises(
        ScoresError, match=r"AP, RR do not distinguish these systems on A \(all scores"
    ):
        require_variation(np.array([[0.1, 0.1], [0.3, 0.3]]), ["AP", "RR"], " on A")


def test_common_keeps_most_scores() -> None:
    """Two holes of one system cost that system, not two topics; the note counts both kinds."""
    scores = cube(np.ones((6, 6, 1)), list("abcdef"), list("123456"), ["AP"])
    scores[0, :2] = np.nan
    scores[3, 5] = np.nan
    kept, (note,) = complete(scores, "common")
    assert kept.system.values.tolist() == list("bcdef")
    assert kept.topic.values.tolist() == list("12345")
    assert (
        note
        == "3 of 36 scores are missing; dropped 1 of 6 systems (a) and 1 of 6 topics (6) that lack scores"
    )


def test_pairwise_is_for_studies_of_pairs() -> None:
    """A study that takes every system on every topic refuses pairwise, and names what it takes instead."""
    scores = square()
    scores[0, 0, 0] = np.nan
    with pytest.raises(ScoresError, match="of pairs; choose another.*missing='common'"):
        complete(scores, "pairwise")


def test_an_error_names_pairwise_where_a_study_takes_it():
    """Studies that compare two by two name --missing pairwise as a way out; others do not."""
    holes = cube(
        np.where(np.eye(4) > 0, np.nan, 0.5)[..., None],
        list("abcd"),
        list("1234"),
        ["AP"],
    )
    with pytest.raises(ScoresError, match=r"missing='pairwise'\), or drop topics"):
        prepare(holes, pairs=True)
    with pytest.raises(ScoresError, match="; drop topics or systems"):
        prepare(holes)


def test_an_error_names_only_ways_that_leave_enough():
    """A way with missing scores is named where 2 systems and 2 topics stay, and refused where they do not."""
    holes = cube(np.full((4, 4, 1), 0.5), list("abcd"), list("1234"), ["AP"])
    holes[0, :] = np.nan
    with pytest.raises(ScoresError, match=r"\(missing='common' or systems; common"):
        prepare(holes)
    holes = cube(np.full((4, 4, 1), 0.5), list("abcd"), list("1234"), ["AP"])
    holes[0, 1:] = np.nan
    with pytest.raises(ScoresError, match="leaves 4 systems and 1 topic; drop topics"):
        prepare(holes, missing="topics")
