"""The table of a paper: means, the best of each column, and marks that the tests of the same scores give."""

import numpy as np
import pytest
from scipy import stats

import irmeta
from irmeta.errors import ScoresError
from irmeta.report.plots.systems.paper_table import figure
from irmeta.scores.attributes import recorded
from irmeta.scores.cube import cube
from irmeta.studies.differences.paper_table import caption, tables


def scores(systems=6, topics=25, seed=0):
    rng = np.random.default_rng(seed)
    quality = np.linspace(0.2, 0.6, systems)[:, None, None]
    values = np.clip(rng.normal(quality, 0.15, (systems, topics, 2)), 0, 1).round(4)
    names = [f"run{one}" for one in range(systems)]
    return cube(
        values,
        names,
        [str(one) for one in range(topics)],
        ["AP", "P@10"],
        collection="made",
    )


def test_rows_are_sorted_and_the_best_of_each_column_is_marked():
    """Systems come best first by the first metric, and each column marks its largest mean as printed."""
    made = irmeta.table(scores())
    mean = made["mean"].sel(metric="AP").values
    assert (np.diff(mean) <= 0).all()
    for metric in ("AP", "P@10"):
        one = made.sel(metric=metric)
        assert (
            one["best"].values.tolist()
            == (
                one["mean"].values.round(3) == one["mean"].values.round(3).max()
            ).tolist()
        )


def test_a_mean_of_a_half_is_printed_alike_in_any_order_of_topics_and_metrics():
    """Sums of the same scores in another order differ in the last bit; 267/40 = .6675 is .668 in each of them."""
    rng = np.random.default_rng(3)
    row = rng.permutation([0.7] * 27 + [0.6] * 13)
    rows = [rng.permutation(row) for _ in range(6)]
    values = np.stack([np.stack(rows), rng.random((6, 40))], axis=-1)
    topics = [str(one) for one in range(40)]
    made = irmeta.table(cube(values, list("abcdef"), topics, ["P@10", "AP"]))
    assert made["best"].sel(metric="P@10").values.all()
    assert str(made).count(".668*") == 6


@pytest.mark.parametrize(
    ("shares", "said"),
    [
        (
            [0.9, 0.5, 0.9, 0.8, 0.7, 0.95],
            "than of others (90%): run1 (50%), run4 (70%)",
        ),
        ([0.9, 0.7], "than of others (90%): run1 (70%)"),
        ([0.9, 0.71, 0.9], None),
        ([0.3, 0.3, 0.3], None),
    ],
)
def test_systems_with_few_judged_documents_are_named(shares, said):
    """Where far fewer first documents of a system are judged than of others, tables say so; of two it is the lower."""
    made = scores(systems=len(shares))
    judged = dict(zip(made.system.values.tolist(), shares, strict=True))
    made = made.assign_attrs(recorded({"judged": judged}))
    for study in (irmeta.table, irmeta.describe, irmeta.significance):
        found = [note for note in study(made).notes if "first 10 documents" in note]
        assert [said in note for note in found] == ([True] if said else [])


def test_letters_are_those_of_the_tests():
    """Two systems share a letter exactly if Holm's correction of all pairs leaves them apart by no less than alpha."""
    made, given = irmeta.table(scores(), metrics="AP"), scores()
    tested = irmeta.significance(given, metrics="AP").tables["tests"]
    marks = dict(zip(made.system.values, made["marks"].values[:, 0], strict=True))
    assert tested["significant"].any()
    for row in tested.iter_rows(named=True):
        shared = set(marks[row["system_a"]]) & set(marks[row["system_b"]])
        assert bool(shared) is not row["significant"]


def test_daggers_are_comparisons_with_the_baseline_alone():
    """Against a baseline p is corrected for one test per other system, and the mark tells the direction."""
    given = scores()
    made = irmeta.table(
        given, metrics="AP", baseline="run2", test="t", correct="bonferroni"
    )
    assert made.system.values[0] == "run2"
    base = given.sel(system="run2", metric="AP").values
    for name in made.system.values[1:]:
        other = given.sel(system=name, metric="AP").values
        p = stats.ttest_rel(other, base).pvalue * 5
        mark = "" if p >= 0.05 else "†" if other.mean() > base.mean() else "‡"
        assert made["marks"].sel(system=name, metric="AP").item() == mark
    assert set(made["marks"].values.ravel()) >= {"†", "‡"}


@pytest.mark.parametrize("systems", [30, 45])
def test_where_letters_are_many_those_near_the_best_are_marked(systems):
    """Of 45 systems, or where a row would have more than 6 letters, = marks all that are not worse than the best."""
    given = scores(systems=systems, topics=10)
    made = irmeta.table(given, metrics="AP")
    tested = irmeta.significance(given, metrics="AP").tables["tests"]
    best = str(made.system.values[0])
    apart = {
        row["system_a"] if row["system_b"] == best else row["system_b"]
        for row in tested.filter("significant").iter_rows(named=True)
        if best in (row["system_a"], row["system_b"])
    }
    marks = dict(zip(made.system.values, made["marks"].values[:, 0], strict=True))
    assert {name for name, mark in marks.items() if mark != "="} == apart
    assert apart
    said = caption(made)
    assert " =: not significantly different from the best (max-t" in said
    assert "share a letter" not in said
    assert made.to_latex().count("run") == systems


def test_a_metric_has_the_same_letters_beside_others():
    """What is drawn for the test of a metric does not depend on which other metrics are asked for."""
    given = scores(systems=12, topics=12)
    beside, alone = irmeta.table(given), irmeta.table(given, metrics="P@10")
    marks = beside["marks"].sel(metric="P@10", system=alone.system)
    assert (marks.values == alone["marks"].values[:, 0]).all()
    both, one = irmeta.significance(given), irmeta.significance(given, metrics="P@10")
    assert (both["p"].sel(metric="P@10") == one["p"][:, 0]).all()


@pytest.mark.parametrize(("top", "said"), [(0.5, True), (None, False)])
def test_a_table_of_some_systems_says_so(top, said):
    """The best half are corrected for their pairs only, and the caption says both."""
    made = irmeta.table(scores(systems=45), metrics="AP", top=top)
    assert (" The best 22 of 45 systems by AP. " in caption(made)) is said
    pairs = 231 if said else 990
    correction = f"corrected for {pairs} comparisons in each column"
    assert f"(max-t test, {correction}, level 0.05)" in caption(made)


def test_the_caption_states_the_test():
    """The caption names test, correction and level, and what the marks mean; without a test it claims nothing."""
    drawn = irmeta.table(scores(), test="permutation", alpha=0.01, resamples=200)
    correction = "Holm correction for 15 comparisons in each column"
    assert f"paired permutation test, {correction}, level 0.01" in caption(drawn)
    against = caption(irmeta.table(scores(), baseline="run0"))
    assert "worse than run0" in against
    assert ", corrected for 5 comparisons in each column" in against
    one = scores().sel(system=["run0", "run1"])
    assert "correction" not in caption(irmeta.table(one, baseline="run0"))
    assert "significant" not in caption(irmeta.table(scores(), test="none"))


def test_the_caption_names_a_collection_only_where_somebody_named_it():
    """A name that came from a file called qrels, or from nowhere, does not stand in a paper."""
    given = scores()
    assert caption(irmeta.table(given)).startswith("Mean scores on made (25 t")
    for name in ("qrels", "collection"):
        given = given.assign_attrs(collection=name)
        assert caption(irmeta.table(given)).startswith("Mean scores (25 topics)")


def test_a_caption_of_ones_own_stands_before_what_the_marks_mean():
    """Words that are given replace the scores and the collection; topics, marks and the test are still said."""
    said = caption(irmeta.table(scores(), baseline="run0", caption="Round 1"))
    assert said.startswith("Round 1 (25 topics); the best of each column in bold. †")
    assert "made" not in said


def test_the_best_are_said_to_stand_as_they_are_shown():
    """On a screen the best have a star; in LaTeX they are bold."""
    made = irmeta.table(scores(), baseline="run0")
    assert "the best of each column marked." in str(made)
    assert "the best of each column in bold." in made.to_latex()


def test_the_plot_has_the_intervals_of_describe():
    """Each mean is drawn with the interval that all systems give, though only some are shown; one topic has none."""
    made = irmeta.table(scores(), top=0.5)
    [axes] = figure(made.data).axes
    for metric, lines in zip(made.metric.values, axes.collections, strict=True):
        told = irmeta.describe(scores(), metrics=metric).data.sel(system=made.system)
        drawn = [line[:, 0] for line in lines.get_segments()]
        np.testing.assert_allclose(drawn, told[["low", "high"]].squeeze().to_array().T)
    assert "95% interval" in axes.get_xlabel()
    [axes] = figure(irmeta.table(scores(topics=1), test="none").data).axes
    assert axes.get_xlabel().startswith("mean\n")


def test_the_tables_hold_every_figure():
    """Programs find the means in full precision, wide and long."""
    made = irmeta.table(scores())
    assert tables(made)["wide"].columns == [
        "system",
        "AP",
        "AP marks",
        "P@10",
        "P@10 marks",
    ]
    assert tables(made)["means"].height == 12


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"baseline": "bm25"}, "no system 'bm25' to serve as the baseline"),
        ({"by": "RR"}, "cannot sort the systems by 'RR'"),
    ],
)
def test_unknown_names_are_refused(options, message):
    """A baseline or a metric that the scores lack is an error that names it."""
    with pytest.raises(ScoresError, match=message):
        irmeta.table(scores(), **options)


def test_a_baseline_that_was_not_chosen_is_told_so():
    """Where systems were chosen before, the mend is to choose the baseline, too."""
    made = scores()
    *chosen, other = made.system.values.tolist()
    with pytest.raises(
        ScoresError,
        match=rf"only {len(chosen)} of {len(chosen) + 1} systems are chosen; ",
    ):
        irmeta.table(irmeta.select(made, systems=chosen), baseline=other)


@pytest.mark.parametrize(
    ("test", "topics", "said"),
    [("permutation", 5, True), ("permutation", 12, False), ("t", 5, False)],
)
def test_marks_that_no_difference_could_earn_are_said(test, topics, said):
    """On 5 topics no permutation p is below .0625, so that nothing can be marked; on 12, or by t, it can."""
    made = irmeta.table(scores(systems=3, topics=topics), test=test)
    assert (
        any(
            "nothing can be significant" in note for note in irmeta.about(made)["notes"]
        )
        is said
    )


def test_marks_are_those_of_significance_and_versus():
    """By default letters are those of `significance`, and daggers those of `versus`."""
    given = scores().sel(metric=["AP"])
    letters = irmeta.table(given)
    marks = dict(zip(letters.system.values, letters["marks"].values[:, 0], strict=True))
    tests = irmeta.significance(given)
    claimed = tests["significant"].values[:, 0]
    assert claimed.any()
    for a, b, differ in zip(
        tests.system_a.values, tests.system_b.values, claimed, strict=True
    ):
        assert bool(set(marks[a]) & set(marks[b])) is not bool(differ)
    daggers = irmeta.table(given, baseline="run2")
    found = irmeta.versus(given, "run2")
    for name, better, sure in zip(
        found.against.values,
        found["difference"].values[:, 0] < 0,
        found["significant"].values[:, 0],
        strict=True,
    ):
        mark = daggers["marks"].sel(system=name, metric="AP").item()
        assert mark == ("" if not sure else "†" if better else "‡")


def test_significance_and_rank_sets_make_the_same_claims():
    """The pairs that differ significantly are those that `describe` distinguishes."""
    given = scores()
    tests, ranks = irmeta.significance(given), irmeta.describe(given)
    assert 0 < tests["share_significant"].values.max() < 1
    np.testing.assert_array_equal(tests["share_significant"], ranks["distinguished"])


def test_a_baseline_that_was_dropped_is_said_to_be():
    """A baseline that lacks scores is not called unknown, but dropped."""
    scores = cube(
        np.random.default_rng(0).random((4, 6, 1)), list("abcd"), list("123456"), ["AP"]
    )
    scores[0, 1:] = np.nan
    with pytest.raises(ScoresError, match="baseline a was dropped, as it lacks scores"):
        irmeta.table(scores, baseline="a", missing="common")
