"""Without flagged topics: versus and describe say what calling them on the other topics gives, and how it changes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import irmeta
from irmeta.errors import IrmetaError
from irmeta.scores.attributes import about
from irmeta.scores.cube import cube
from irmeta.scores.groups.clusters import with_clusters
from irmeta.stats.tests.flagged import half_width

SYSTEMS = ["mine", "bm25", "dense", "fusion"]
SEEN = ["1", "3", "5", "6", "8", "13", "15", "18"]
"""Flagged topics."""


def scores(metrics=("AP", "P@10"), contaminated=(), seed=0):
    """Scores on 20 topics; `mine` is perfect on the contaminated ones, and else about as good as the others."""
    rng = np.random.default_rng(seed)
    middle = np.array([0.5, 0.3, 0.48, 0.52])[:, None, None]
    values = np.clip(rng.normal(middle, 0.1, (4, 20, len(metrics))), 0.01, 1)
    topics = [str(one) for one in range(20)]
    values[0, np.isin(topics, list(contaminated))] = 1
    return cube(values.round(3), SYSTEMS, topics, list(metrics), collection="made")


def by_hand(made, flagged=SEEN):
    return made.sel(topic=[one for one in made.topic.values if one not in flagged])


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"test": "permutation", "resamples": 500},
        {"test": "t", "correct": "dunnett", "resamples": 500},
        {"against": ["bm25", "median", "best"], "alpha": 0.1},
    ],
)
def test_versus_finds_what_it_finds_on_the_other_topics(options):
    """Figures without the flagged topics are those of the study on the other topics, to the last bit."""
    made = scores(contaminated=SEEN)
    found = irmeta.versus(made, "mine", without=SEEN, **options)
    alone = irmeta.versus(by_hand(made), "mine", **options)
    whole = irmeta.versus(made, "mine", **options)
    for name in ("difference", "low", "high", "p_corrected", "significant", "who"):
        assert (found[f"without_{name}"] == alone[name]).all()
        assert (found[name] == whole[name]).all()
    same = found["who"] == found["without_who"]
    change = (alone["difference"] - whole["difference"]).where(same)
    assert_allclose(found["change"], change)


def test_the_interval_of_a_change_is_of_differences_by_topic():
    """It lies around the change of the difference, as far to both sides as differences by topic say."""
    made = scores(contaminated=SEEN)
    found = irmeta.versus(made, "mine", "bm25", metrics="AP", without=SEEN, alpha=0.1)
    gap = (made.sel(system="mine") - made.sel(system="bm25")).sel(metric="AP").values
    half = half_width(gap, np.isin(made.topic, SEEN), 0.9)
    change = by_hand(made)
    change = (change.sel(system="mine") - change.sel(system="bm25")).sel(metric="AP")
    change = change.mean().item() - gap.mean()
    ends = [found[name].item() for name in ("change_low", "change_high")]
    assert_allclose(ends, [change - half, change + half])
    assert ends[1] < 0


def test_describe_finds_what_it_finds_on_the_other_topics():
    """Ranks, means and the pairs that are distinguished are those of the study on the other topics."""
    made = scores(contaminated=SEEN)
    found = irmeta.describe(made, without=SEEN)
    alone = irmeta.describe(by_hand(made))
    for name in ("mean", "rank", "rank_low", "rank_high"):
        assert (found[f"without_{name}"] == alone[name]).all()
    pairs = 4 * 3 / 2
    assert_allclose(found["pairs"] / pairs, irmeta.describe(made)["distinguished"])
    assert_allclose(found["without_pairs"] / pairs, alone["distinguished"])
    assert (
        found["pairs_stay"] <= np.minimum(found["pairs"], found["without_pairs"])
    ).all()


def test_a_lead_of_describe_changes_as_the_difference_of_versus():
    """The lead of the best system over each other, its change and interval are those of the paired comparison."""
    made = scores(metrics=("AP",), contaminated=SEEN)
    found = irmeta.describe(made, without=SEEN).sel(metric="AP")
    paired = irmeta.versus(made, "mine", without=SEEN).sel(metric="AP")
    others = found.sel(system=SYSTEMS[1:])
    for lead, name in (("lead", "difference"), ("without_lead", "without_difference")):
        assert_allclose(others[lead], paired[name])
    for name in ("change", "change_low", "change_high"):
        assert_allclose(others[name], paired[name])
    assert np.isnan(found["change_low"].sel(system="mine"))


def test_a_lead_that_rests_on_flagged_topics_is_said_to():
    """Where only contaminated topics made a system better, verdict and first place go, in the first sentence."""
    made = scores(metrics=("AP",), contaminated=SEEN)
    versus = irmeta.versus(made, "mine", "dense", without=SEEN).findings[0]
    assert versus.startswith(
        "Without 8 flagged topics, mine is not distinguished from dense by AP (with them better than it)."
    )
    assert "no longer the best by AP" in irmeta.describe(made, without=SEEN).findings[0]


def test_pairs_that_nobody_distinguishes_are_said_to_be():
    """Where no pair is distinguished with the flagged topics or without, that is said, not that 0 of 0 stay."""
    rng = np.random.default_rng(0)
    made = cube(rng.random((3, 9, 1)), list("abc"), list("123456789"), ["AP"])
    said = irmeta.describe(made, without=["1", "2"]).findings[0]
    assert said.endswith("No pair of systems is distinguished, with them or without.")


def test_a_verdict_that_stays_is_said_to():
    """Where flagged topics are as the others, verdict and first place stay."""
    made = scores(metrics=("AP",))
    best = irmeta.describe(made, without=SEEN).findings[0]
    assert "fusion is still the best by AP" in best
    said = irmeta.versus(made, "fusion", "bm25", without=SEEN).findings[0]
    assert "fusion is still better than bm25 by AP. The difference changes to" in said


def test_where_the_others_allow_no_verdict_that_is_said():
    """Verdicts that go because what is left is too little for any are said to: few topics, or scores of few values."""
    rare = np.zeros((3, 14, 1))
    rare[0, :8], rare[1, 12] = 1, 1
    made = cube(rare, SYSTEMS[:3], [str(one) for one in range(14)], ["P@1"])
    flagged = [str(one) for one in range(6)]
    found = irmeta.versus(made, "mine", without=flagged)
    assert found["significant"].all()
    assert not found["without_significant"].any()
    start = "Without 6 flagged topics: 2 tests cannot be significant ("
    assert found.notes[0].startswith(start)
    few = [*flagged, "8", "9", "10", "11"]
    found = irmeta.versus(made, "mine", without=few)
    assert found.notes[0].startswith("Without 10 flagged topics: for max-t on 4 topics")
    found = irmeta.describe(made, without=few)
    assert found.notes[0].startswith("Without 10 flagged topics: 4 topics cannot")
    found = irmeta.describe(made, without=flagged)
    start = "Without 6 flagged topics: 2 of 2 distinguished pairs score apart on"
    assert found.notes[0].startswith(start)
    other = irmeta.versus(made, "mine", without=["9", "10"])
    assert not any(note.startswith("Without") for note in other.notes)


def test_of_many_verdicts_those_that_change_are_named():
    """Of more comparisons than have a sentence each, the verdicts that stay are counted, and the others named."""
    rng = np.random.default_rng(0)
    values = rng.normal(0.5, 0.05, (9, 20, 1))
    values[0, 5:] -= 0.2
    values[0, :5] += 0.45
    values[1] -= 0.3
    made = cube(
        values, [f"s{at}" for at in range(9)], [str(at) for at in range(20)], ["AP"]
    )
    found = irmeta.versus(made, "s0", without=["0", "1", "2", "3", "4"])
    assert found.findings[0].startswith(
        "Without 5 flagged topics, 1 of 8 verdicts by AP stay"
    )
    assert "for 8 of 8" in found.findings[0]
    few = irmeta.versus(made, "s0", without=["0", "1"])
    assert "interval" not in few.findings[0]


def test_another_best_system_is_no_change_of_the_first():
    """If the best of the others is another one without the flagged topics, it is named, and there is no change."""
    made = scores(metrics=("AP",))
    made.loc[{"system": "dense", "topic": SEEN}] = 1
    found = irmeta.versus(made, "mine", "best", without=SEEN)
    who = found["who"].item(), found["without_who"].item()
    assert who == ("dense", "fusion")
    assert found["change"].isnull().all()
    assert found.findings[0].endswith(
        "fusion by AP, which is then the best of the others."
    )


@settings(max_examples=20, deadline=None)
@given(st.sets(st.integers(0, 19), min_size=5, max_size=15), st.randoms())
def test_any_topics_can_be_flagged_in_any_order(flagged, shuffle):
    """Whatever is flagged, in whatever order and with names that nobody knows, the change is that of the means."""
    made = scores(metrics=("AP",))
    names = [str(one) for one in flagged]
    gap = made.sel(system="mine") - made.sel(system="bm25")
    change = by_hand(gap, names).mean() - gap.mean()
    mixed = [*names, "none"]
    shuffle.shuffle(mixed)
    found = irmeta.versus(made, "mine", "bm25", test="t", without=mixed)
    assert_allclose(found["change"].item(), change, atol=1e-12)
    assert found.data["change_low"] <= found.data["change_high"]
    assert sorted(about(found)["options"]["without"]) == sorted(names)


def test_pairs_with_missing_scores_are_compared_on_what_both_have():
    """With missing="pairwise" each difference, its change and interval are over the topics that both systems have."""
    made = scores(metrics=("AP",), contaminated=SEEN)
    made.loc[{"system": "dense", "topic": ["3", "4"]}] = np.nan
    found = irmeta.versus(made, "mine", "dense", missing="pairwise", without=SEEN)
    both = made.sel(topic=[one for one in made.topic.values if one not in ("3", "4")])
    kept = irmeta.versus(both, "mine", "dense", without=SEEN)
    for name in ("change", "change_low", "change_high"):
        assert_allclose(found[name], kept[name])


def test_whole_clusters_go_and_have_an_interval():
    """With clusters the flagged ones are one kind and the others one; the rest is what is there without them."""
    made = scores(metrics=("AP",))
    made = with_clusters(made, {str(at): f"c{at // 2}" for at in range(20)})
    flagged = ["0", "1", *map(str, range(6, 14))]
    found = irmeta.versus(made, "mine", "bm25", without=flagged)
    alone = irmeta.versus(by_hand(made, flagged), "mine", "bm25")
    assert_allclose(found["without_difference"], alone["difference"])
    gap = (made.sel(system="mine") - made.sel(system="bm25")).values[:, 0]
    half = half_width(
        gap.reshape(10, 2).mean(axis=1), np.isin(range(10), [0, 3, 4, 5, 6])
    )
    assert_allclose(found["change_high"] - found["change"], half.reshape(1, 1))


def test_a_part_of_a_cluster_leaves_no_interval():
    """Where only some turns of a conversation go, the change has no interval, and a note says so."""
    made = with_clusters(scores(), {str(at): f"c{at // 2}" for at in range(20)})
    found = irmeta.versus(made, "mine", "bm25", without=SEEN)
    assert found["change_low"].isnull().all()
    assert any("a part of 8 clusters is flagged" in note for note in found.notes)


@pytest.mark.parametrize(
    ("flagged", "few"),
    [(range(4), "flagged"), (range(17), "other")],
)
def test_few_topics_leave_no_interval(flagged, few):
    """Four topics, flagged or not, say too little of others: there is a change, and a note why it has no interval."""
    found = irmeta.describe(scores(), without=[str(one) for one in flagged])
    assert np.isfinite(found["change"]).all()
    assert found["change_low"].isnull().all()
    assert any(note.startswith(f"Fewer than 5 {few} topics") for note in found.notes)


def test_flagged_topics_without_scores_are_named(tmp_path):
    """Topics of a file that the scores do not have are noted; blank lines and repeated ones are nothing."""
    listed = tmp_path / "topics.txt"
    listed.write_text("3\n\n5\n3\n99\nnone\n")
    found = irmeta.describe(scores(), without=listed)
    assert "2 flagged topics without scores: 99, none." in found.notes
    assert about(found)["options"]["without"] == ["3", "5"]


@pytest.mark.parametrize("study", ["versus", "describe"])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("99\n98\n", "no flagged topic has scores in made: no topic '99', "),
        ("301 0 doc7 1\n", "no topic '301 0 doc7 1'"),
        ("\n".join(map(str, range(20))), "20 of 20 topics are flagged; at least 2"),
        ("\n".join(map(str, range(19))), "19 of 20 topics are flagged; at least 2"),
        ("", "topics.txt: no topics; expected one on each line"),
        ("3\n\0", "topics.txt: the name '\\x00' among its lines"),
        (None, "topics.txt: no such file"),
    ],
)
def test_what_cannot_be_left_out_is_an_error(run, tmp_path, study, text, message):
    """A file of other topics, of judgments, of all topics, of nothing, of no text or none at all: an error says so."""
    irmeta.save(scores(), tmp_path / "s.parquet")
    listed = tmp_path / "topics.txt"
    if text is not None:
        listed.write_text(text)
    system = ["--system", "mine"] if study == "versus" else []
    code, out, err = run(study, tmp_path / "s.parquet", *system, "--without", listed)
    assert (code, out) == (2, "")
    assert message in " ".join(err.split())


def test_no_topics_are_an_error():
    """An empty list of flagged topics is an error, not all topics."""
    with pytest.raises(IrmetaError, match="no topics are flagged"):
        irmeta.describe(scores(), without=[])


@pytest.mark.parametrize("metrics", ["AP", "AP,P@10"])
def test_the_screen_shows_what_changes(run, tmp_path, metrics):
    """On a terminal the sentence comes first, then verdicts and changes, with the metric where there are several."""
    irmeta.save(scores(contaminated=SEEN), tmp_path / "s.parquet")
    (tmp_path / "topics.txt").write_text("\n".join(SEEN))
    _, out, _ = run(
        *("versus", tmp_path / "s.parquet", "--system", "mine", "--against", "dense"),
        *("-m", metrics, "--without", tmp_path / "topics.txt"),
    )
    assert out.startswith("Without 8 flagged topics, mine is not distinguished")
    assert "- (was better)" in out
    assert max(map(len, out.splitlines())) <= 80


def test_by_a_geometric_mean_leads_are_of_logarithms():
    """The lead by GMAP is a difference of mean logarithms, as the paired comparison has it."""
    made = scores(metrics=("GMAP",))
    found = irmeta.describe(made, without=SEEN).sel(metric="GMAP")
    best = SYSTEMS[int(found["rank"].values.argmin())]
    paired = irmeta.versus(made, best, without=SEEN).sel(metric="GMAP")
    others = found.sel(system=paired["against"].values)
    assert_allclose(others["change_low"], paired["change_low"])
