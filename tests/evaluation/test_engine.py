"""Evaluation as a whole: policies, general parameters against brute force, properties of every measure."""

import re
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

from irmeta.errors import FileFormatError, IrmetaError, MetricError
from irmeta.evaluation.archive.writing import evaluate_to
from irmeta.evaluation.engine import evaluate
from irmeta.evaluation.grades import scoring
from irmeta.evaluation.grades.judging import Judgments
from irmeta.io.files import Content
from irmeta.io.formats.scores import load
from irmeta.io.runs.rankings import qrels_from_mapping, run_from_mapping
from irmeta.io.runs.trec import Reading
from irmeta.metrics.names import highest
from irmeta.metrics.signatures import CATALOGUE
from irmeta.parallel import watched_by
from irmeta.scores.attributes import about
from irmeta.scores.averages.means import means

Lists = dict[str, dict[str, float]]
Grades = dict[str, dict[str, int]]

SPELLED = (
    "AP AP@3 nDCG nDCG@3 nDCG(gains='exp')@5 DCG@2 P@1 P@5 R@3 R@1000 RR RR@2 Rprec Bpref infAP GMAP SP ERR ERR@3 "
    "RBP(p=0.5) RBP(p=0.95, rel=2) RBPResidual(p=0.8) Compatibility(p=0.9) Success@3 Judged@3 Judged IPrec@0.1 "
    "IPrec@1 NumRet NumRel NumRelRet AP(rel=2) Bpref(rel=2) nP@2 nR@2 nAP@3 nSP nERR@3 nRBP(p=0.8) nRBP(p=0.5, rel=2)@3"
)
SIMPLEST = [
    f"{name}@{one.cutoff.example}" if one.cutoff else name
    for name, one in CATALOGUE.items()
]
METRICS = " ".join([SPELLED, *SIMPLEST])
"""Every metric there is, in some forms; a new measure is among them without being named here."""
QRELS: Grades = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 1, "d": 0}, "3": {"e": 1}}
RUNS: dict[str, Lists] = {
    "whole": {"1": {"a": 3, "b": 2, "c": 1}, "2": {"a": 2, "d": 1}, "3": {"e": 1}},
    "part": {"1": {"c": 3, "x": 2}, "2": {"d": 1}},
    "other": {"1": {"x": 1}, "9": {"a": 1}},
}

documents = st.sampled_from([f"d{number}" for number in range(12)])
judged = st.dictionaries(documents, st.integers(-2, 3), min_size=1)
ranked = st.dictionaries(documents, st.integers(-4, 4), min_size=1)
collections = st.tuples(
    st.dictionaries(st.sampled_from("123"), judged, min_size=1),
    st.lists(
        st.fixed_dictionaries({"1": ranked, "2": ranked, "3": ranked}),
        min_size=1,
        max_size=4,
    ),
)
few = settings(max_examples=15)


def named(runs: list[Lists]) -> dict[str, Lists]:
    return {f"run{number}": run for number, run in enumerate(runs)}


def best_first(ranked: dict[str, float]) -> list[str]:
    return sorted(
        ranked, key=lambda document: (ranked[document], document), reverse=True
    )


def asking(name: str, param: str) -> str:
    """Write one more parameter into a metric's name."""
    base, at, k = name.partition("@")
    return (
        (f"{base[:-1]}, {param})" if base.endswith(")") else f"{base}({param})")
        + at
        + k
    )


@few
@given(collections, st.integers(1, 6))
def test_pool(drawn: tuple[Grades, list[Lists]], depth: int) -> None:
    """With pool= scores are those on judgments of the documents that some run has in its first ranks."""
    qrels, runs = drawn
    pooled = {
        topic: {
            d: g
            for d, g in grades.items()
            if any(d in best_first(run[topic])[:depth] for run in runs)
        }
        for topic, grades in qrels.items()
    }
    names = [
        name
        for name in re.split(r" (?![^(]*\))", METRICS)
        if not name.startswith("ERR")
    ]
    ours = evaluate(
        qrels, named(runs), [asking(name, f"pool={depth}") for name in names]
    )
    # A topic none of whose judgments is in the pool keeps its place: a document judged below zero stands for it.
    kept = {topic: {**grades, "nowhere": -1} for topic, grades in pooled.items()}
    top = max(grade for grades in qrels.values() for grade in grades.values())
    kept["scale"] = {"nowhere": max(top, 0)}
    wanted = evaluate(kept, named(runs), names).sel(topic=list(qrels))
    np.testing.assert_allclose(ours.values, wanted.values, atol=1e-12)


@few
@given(collections, st.integers(1, 6))
def test_depth_and_cutoff(drawn: tuple[Grades, list[Lists]], depth: int) -> None:
    """Looking at the first documents only is cutting the lists; where a cutoff does the same, it is the same score."""
    qrels, runs = drawn
    short = [
        {topic: {d: r[d] for d in best_first(r)[:depth]} for topic, r in run.items()}
        for run in runs
    ]
    names = [
        "AP",
        "nDCG",
        "Bpref",
        "infAP",
        "NumRet",
        "Rprec",
        "RBPResidual(p=0.8)",
        "IPrec@0.5",
        "Judged",
    ]
    ours = evaluate(
        qrels, named(runs), [asking(name, f"depth={depth}") for name in names]
    )
    np.testing.assert_allclose(
        ours.values, evaluate(qrels, named(short), names).values, rtol=1e-13
    )
    names = [
        "AP",
        "SP",
        "RR",
        "ERR",
        "DCG",
        "RBP(p=0.5)",
        "NumRelRet",
        "Judged",
        "GMAP",
        "RBPResidual(p=0.5)",
    ]
    ours = evaluate(
        qrels, named(runs), [asking(name, f"depth={depth}") for name in names]
    )
    cut = evaluate(qrels, named(runs), [f"{name}@{depth}" for name in names])
    np.testing.assert_allclose(ours.values, cut.values, rtol=1e-13)


@few
@given(collections)
def test_judged_only(drawn: tuple[Grades, list[Lists]]) -> None:
    """With judged_only= scores are those of the lists without unjudged documents; nothing left scores 0."""
    qrels, runs = drawn
    kept = [
        {
            topic: {d: s for d, s in r.items() if qrels.get(topic, {}).get(d, -1) >= 0}
            for topic, r in run.items()
        }
        for run in runs
    ]
    names = [
        "AP",
        "nDCG@3",
        "P@3",
        "NumRet",
        "infAP",
        "IPrec@0",
        "RBP(p=0.5)",
        "Judged@2",
        "Bpref",
        "ERR",
    ]
    ours = evaluate(
        qrels, named(runs), [asking(name, "judged_only=True") for name in names]
    )
    theirs = evaluate(qrels, named(kept), names, reading=Reading(allow_empty=True))
    np.testing.assert_allclose(ours.values, theirs.values, rtol=1e-13)


@pytest.mark.parametrize(
    "runs",
    [{"1": {}, "2": {}}, {"bm25": {"1": {}}}, {"bm25": {"1": {"a": 1.0}}, "x": {}}],
)
def test_runs_without_documents(runs: dict[str, dict[str, Any]]) -> None:
    """A run that retrieved nothing is refused, unless it is asked for, from Python as from a file."""
    with pytest.raises(
        FileFormatError,
        match=r"the run has no documents; did it retrieve nothing\? \(Reading\(allow",
    ):
        evaluate({"1": {"a": 1}}, runs, "AP")
    scores = evaluate({"1": {"a": 1}}, runs, "AP", reading=Reading(allow_empty=True))
    assert scores.max().item() == ("x" in runs)


def test_depth_before_judged_only() -> None:
    """First the depth, then the unjudged documents go, as with trec_eval -M and -J."""
    run = {"r": {"1": {"x": 4.0, "a": 3.0, "y": 2.0, "b": 1.0}}}
    scores = evaluate(
        {"1": {"a": 1, "b": 1}},
        run,
        "NumRet(depth=3, judged_only=True) P(depth=3, judged_only=True)@1",
    )
    assert scores.values.ravel().tolist() == [1, 1]


@few
@given(collections, st.integers(1, 30))
def test_chunks(drawn: tuple[Grades, list[Lists]], size: int) -> None:
    """Scores do not depend on how many runs are computed together, to the last bit."""
    qrels, runs = drawn
    whole = evaluate(qrels, named(runs), METRICS + " AP(pool=2) P(judged_only=True)@2")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scoring, "CELLS", size)
        again = evaluate(
            qrels, named(runs), METRICS + " AP(pool=2) P(judged_only=True)@2"
        )
    xr.testing.assert_equal(again, whole)


@few
@given(collections)
def test_each_run_alone(drawn: tuple[Grades, list[Lists]]) -> None:
    """A run's scores do not depend on the other runs, nor a topic's on the other topics."""
    qrels, runs = drawn
    together = evaluate(qrels, named(runs), METRICS)
    for name, run in named(runs).items():
        xr.testing.assert_equal(
            evaluate(qrels, {name: run}, METRICS), together.sel(system=[name])
        )
    top = max(grade for grades in qrels.values() for grade in grades.values())
    for topic in qrels:
        alone = evaluate(
            {topic: qrels[topic], "scale": {"x": max(top, 0)}}, named(runs), METRICS
        )
        xr.testing.assert_equal(alone.sel(topic=[topic]), together.sel(topic=[topic]))


@few
@given(collections, st.randoms(use_true_random=False))
def test_names_do_not_matter(drawn: tuple[Grades, list[Lists]], random) -> None:
    """Other names of topics and systems, and another order of everything, leave the scores as they are."""
    qrels, runs = drawn
    was = evaluate(qrels, named(runs), METRICS)
    new = {"1": "é", "2": "007", "3": "7"}

    def shuffled(mapping: dict) -> dict:
        return dict(random.sample(list(mapping.items()), len(mapping)))

    renamed = shuffled(
        {
            f"r{i}": shuffled({new[t]: shuffled(r) for t, r in run.items()})
            for i, run in enumerate(runs)
        }
    )
    now = evaluate(
        shuffled({new[topic]: shuffled(grades) for topic, grades in qrels.items()}),
        renamed,
        METRICS,
    )
    now = now.sel(
        system=[f"r{i}" for i in range(len(runs))],
        topic=[new[topic] for topic in qrels],
    )
    np.testing.assert_allclose(now.values, was.values, rtol=1e-13)


@few
@given(
    collections,
    st.sampled_from([np.exp, np.arctan, lambda x: 3 * x - 7, lambda x: x**3]),
)
def test_only_the_order_of_scores_matters(
    drawn: tuple[Grades, list[Lists]], transform
) -> None:
    """Scores that order the documents alike, ties included, give the same cube."""
    qrels, runs = drawn
    other = [
        {
            t: {d: float(transform(float(s))) for d, s in r.items()}
            for t, r in run.items()
        }
        for run in runs
    ]
    xr.testing.assert_allclose(
        evaluate(qrels, named(other), METRICS),
        evaluate(qrels, named(runs), METRICS),
        rtol=1e-13,
    )


@few
@given(collections)
def test_unjudged_documents_below(drawn: tuple[Grades, list[Lists]]) -> None:
    """Unjudged documents below everything change no measure of relevance; NumRet, Judged and the residual they do."""
    qrels, runs = drawn
    more = [{t: {**r, "zz": -99, "zzz": -100} for t, r in run.items()} for run in runs]
    names = [
        name
        for name in re.split(r" (?![^(]*\))", METRICS)
        if not re.match("NumRet|Judged|RBPRes", name)
    ]
    xr.testing.assert_allclose(
        evaluate(qrels, named(more), names),
        evaluate(qrels, named(runs), names),
        rtol=1e-13,
        atol=1e-15,
    )
    assert (
        evaluate(qrels, named(more), "NumRet")
        == evaluate(qrels, named(runs), "NumRet") + 2
    ).all()


@few
@given(collections)
def test_normalised_metrics_are_shares_of_the_best_score(
    drawn: tuple[Grades, list[Lists]],
) -> None:
    """NSP is AP; nP@2, nR@2 and nAP@3 divide by what min(k, R) relevant documents give; a perfect run has 1."""
    qrels, runs = drawn
    scores = evaluate(
        qrels, named(runs), "nSP AP nP@2 P@2 nR@2 NumRelRet@2 nAP@3 SP@3 NumRel"
    )
    R = scores.sel(metric="NumRel").values
    np.testing.assert_allclose(
        scores.sel(metric="nSP"), scores.sel(metric="AP"), atol=1e-12
    )
    for name, raw, best in (
        ("nP@2", 2 * scores.sel(metric="P@2"), np.minimum(2, R)),
        ("nR@2", scores.sel(metric="NumRelRet@2"), np.minimum(2, R)),
        ("nAP@3", scores.sel(metric="SP@3"), np.minimum(3, R)),
    ):
        expected = np.where(R > 0, raw / np.maximum(best, 1), 0)
        np.testing.assert_allclose(scores.sel(metric=name), expected, atol=1e-12)
    # scored by grade
    perfect = {topic: dict(grades) for topic, grades in qrels.items()}
    scores = evaluate(
        qrels, {"perfect": perfect}, "nP@2 nERR nRBP(p=0.8) nRBP(p=0.8)@2 NumRel"
    )
    found = scores.sel(metric=scores.metric[:-1]).values
    np.testing.assert_allclose(
        found,
        (scores.sel(metric="NumRel").values > 0)[..., None] * np.ones(4),
        atol=1e-12,
    )


@few
@given(collections)
def test_bounds(drawn: tuple[Grades, list[Lists]]) -> None:
    """No score is below 0, above what its metric can be, or missing."""
    qrels, runs = drawn
    cube = evaluate(qrels, named(runs), METRICS)
    for name in cube.metric.values:
        values = cube.sel(metric=name).values
        assert (values >= 0).all()
        assert (values <= highest(name) + 1e-12).all()


@few
@given(judged)
def test_the_best_list(grades: dict[str, int]) -> None:
    """A list of all judged documents, best first, scores 1 by what can reach 1, if one is relevant."""
    metrics = (
        "AP nDCG nDCG@3 nDCG(gains='exp') Rprec RR Bpref Success@1 R@1000 IPrec@0.5"
    )
    run = {
        "r": {
            "1": {
                document: float(grade)
                for document, grade in grades.items()
                if grade >= 0
            }
        }
    }
    if not run["r"]["1"]:
        return
    scores = evaluate({"1": grades}, run, metrics).values.ravel()
    np.testing.assert_allclose(scores, float(max(grades.values()) >= 1), atol=1e-12)


def test_missing_topics() -> None:
    """By default every judged topic is scored, 0 where a run lacks it; the notes count and name them."""
    cube = evaluate(QRELS, RUNS, "AP NumRel")
    assert cube.topic.values.tolist() == ["1", "2", "3"]
    assert cube.sel(system="part", topic="3").values.tolist() == [0, 1]
    notes = about(cube)["notes"]
    assert (
        "3 judged topics: 1 in every run, 3 in at least one; 3 scored (--topics qrels)"
        in notes
    )
    assert "part lacks 1 of 3 topics (score 0): 3" in notes
    assert "other lacks 2 of 3 topics (score 0): 2, 3" in notes
    assert "1 run with topics that are not judged, which are ignored: other" in notes
    assert not any(note.startswith("whole") for note in notes)


def test_common_topics() -> None:
    """With topics=common only topics of all runs are scored; none at all is an error."""
    cube = evaluate(QRELS, RUNS, "AP", topics="common")
    xr.testing.assert_equal(cube, evaluate(QRELS, RUNS, "AP").sel(topic=["1"]))
    assert (
        "3 judged topics: 1 in every run, 3 in at least one; 1 scored (--topics common)"
        in about(cube)["notes"]
    )
    assert "part lacks 1 of 3 topics (left out): 3" in about(cube)["notes"]
    assert about(cube)["options"]["topics"] == "common"
    with pytest.raises(
        IrmetaError, match="no judged topic is in every run; b has 1 of 3"
    ):
        evaluate(
            QRELS,
            {
                "a": RUNS["whole"],
                "b": {"3": {"e": 1}},
                "c": {"1": {"a": 1}, "2": {"a": 1}},
            },
            "AP",
            topics="common",
        )


def test_many_lacking() -> None:
    """The notes name five runs that lack topics, and five topics, and count the rest."""
    qrels = {str(number): {"a": 1} for number in range(10)}
    runs = {f"r{number}": {"0": {"a": 1.0}} for number in range(8)}
    notes = about(evaluate(qrels, runs, "AP"))["notes"]
    assert "r4 lacks 9 of 10 topics (score 0): 1, 2, 3, 4, 5 and 4 more" in notes
    assert "3 more runs lack topics" in notes


def test_unreadable_runs(tmp_path: Path) -> None:
    """A run that cannot be read stops the evaluation; on_error=skip goes on without it and says so."""
    (tmp_path / "bad").write_text("1 Q0 a\n")
    (tmp_path / "good").write_text("1 Q0 a 1 1 t\n")
    (tmp_path / "strange").write_text("x Q0 a 1 1 t\n")
    with pytest.raises(FileFormatError, match="bad:1: 3 fields"):
        evaluate(QRELS, tmp_path, "AP")
    for metrics in ("AP", "AP AP(pool=1)", "AP SetP"):
        cube = evaluate(QRELS, tmp_path, metrics, on_error="skip")
        assert cube.system.values.tolist() == ["good"]
    assert any(
        note.startswith(f"left out: {tmp_path}/bad:1: 3 fields")
        for note in about(cube)["notes"]
    )
    assert any(
        note.startswith(f"left out: {tmp_path}/strange: none of its topics")
        for note in about(cube)["notes"]
    )
    for shown in (repr(cube), cube._repr_html_()):
        assert re.search(r"runs_left_out\b.*\b2: /", shown)
    assert "left_out" not in repr(evaluate(QRELS, tmp_path / "good", "AP"))
    assert list(about(cube)["runs"]) == ["good"]
    with pytest.raises(
        FileFormatError, match="no run could be read:\n.*bad:1: 3 fields"
    ):
        evaluate(QRELS, tmp_path / "bad", "AP", on_error="skip")


def test_provenance(tmp_path: Path) -> None:
    """The cube records digests of what it was made from, the options, and the collection's name."""
    (tmp_path / "robust.qrels").write_text("1 0 a 1\n")
    (tmp_path / "bm25").write_text("1 Q0 a 1 1 t\n")
    cube = evaluate(
        tmp_path / "robust.qrels", tmp_path / "bm25", "AP", score_precision="float32"
    )
    assert cube.attrs["collection"] == "robust"
    assert about(cube)["options"] == {"score_precision": "float32", "topics": "qrels"}
    assert len(about(cube)["qrels"]["sha256"]) == len(about(cube)["runs"]["bm25"]) == 64
    assert evaluate(QRELS, RUNS, "AP", collection="mine").attrs["collection"] == "mine"


def test_progress() -> None:
    """Whoever watches is told how many runs are done, after each, and how many there are."""
    seen: list[tuple[str, int, int | None]] = []
    with watched_by(lambda *done: seen.append(done)):
        evaluate(QRELS, RUNS, "AP")
    assert seen == [("runs", done, 3) for done in range(4)]


def test_metrics_in_the_order_asked() -> None:
    """Metrics come in the order in which they were asked for, ours and others mixed; the default is the 23."""
    assert evaluate(QRELS, RUNS, ["P@1", "SetP", "AP"]).metric.values.tolist() == [
        "P@1",
        "SetP",
        "AP",
    ]
    assert evaluate(QRELS, RUNS).sizes["metric"] == 23


def test_inputs_are_not_changed() -> None:
    """What is passed in is as it was afterwards."""
    qrels = {topic: dict(grades) for topic, grades in QRELS.items()}
    runs = {
        name: {topic: dict(r) for topic, r in run.items()} for name, run in RUNS.items()
    }
    evaluate(qrels, runs, METRICS, score_precision="float32")
    assert qrels == QRELS
    assert runs == RUNS


def test_precision_of_scores() -> None:
    """In float32 scores that only float64 tells apart are ties, and overflow is infinite, as in trec_eval 9."""
    run = {"r": {"1": {"a": 1.00000001, "b": 1.0, "c": 1e300, "d": 1e200}}}
    assert evaluate({"1": {"a": 1}}, run, "RR").item() == pytest.approx(1 / 3)
    assert evaluate(
        {"1": {"a": 1}}, run, "RR", score_precision="float32"
    ).item() == pytest.approx(1 / 4)
    assert evaluate({"1": {"c": 1}}, run, "RR").item() == 1
    assert (
        evaluate({"1": {"c": 1}}, run, "RR", score_precision="float32").item() == 1 / 2
    )


@given(
    st.dictionaries(
        st.text("ab\xffé", min_size=1, max_size=20),
        st.sampled_from([1.0, 0.0, -0.0, float("inf")]),
        min_size=1,
    )
)
def test_ties(ranked: dict[str, float]) -> None:
    """Ties are broken by document, the last in byte order first, whatever the ids' lengths."""
    judgments = Judgments(qrels_from_mapping({"1": {"x": 1}}))
    run = run_from_mapping({"1": ranked}, "r")
    ranking = judgments.rank(run)
    wanted = sorted(
        ranked, key=lambda document: (ranked[document], document.encode()), reverse=True
    )
    assert [run.documents[int(row)] for row in ranking.row] == wanted
    counts = [list(ranked.values()).count(ranked[document]) for document in wanted]
    assert ranking.tied.tolist() == [count > 1 for count in counts]


def test_gmap_is_a_geometric_mean() -> None:
    """A system's GMAP is the geometric mean of its topics' AP, at least 0.00001 each."""
    cube = evaluate(QRELS, RUNS, "GMAP AP")
    floored = np.maximum(cube.sel(metric="AP").values, 1e-5)
    np.testing.assert_allclose(
        means(cube).sel(metric="GMAP"), np.exp(np.log(floored).mean(axis=1))
    )


def test_many_grades() -> None:
    """More grades than a byte can number are kept apart."""
    qrels = {"1": {f"d{number}": number for number in range(700)}}
    run = {"r": {"1": {f"d{number}": float(number) for number in range(700)}}}
    assert evaluate(qrels, run, "nDCG").item() == pytest.approx(1)
    assert evaluate(
        qrels, run, "P(rel=699)@1 P(rel=698)@10"
    ).values.ravel().tolist() == [1, 0.2]


@pytest.mark.parametrize("deep", ["run", "qrels"])
def test_memory_follows_the_input(tmp_path: Path, deep: str) -> None:
    """A run of 999 short topics and one of 100,000 documents takes a few MiB, and so do such judgments."""
    lines = [(topic, document) for topic in range(999) for document in range(10)]
    lines += [(999, document) for document in range(100_000)]
    few = [(topic, document) for topic, document in lines if document < 10]
    run = "".join(
        f"{topic} Q0 d{document} 0 {-document} tag\n"
        for topic, document in (lines if deep == "run" else few)
    )
    qrels = "".join(
        f"{topic} 0 d{document} {document % 3}\n"
        for topic, document in (few if deep == "run" else lines)
    )
    (tmp_path / "run").write_text(run)
    (tmp_path / "qrels").write_text(qrels)
    evaluate({"1": {"a": 1}}, {"r": {"1": {"a": 1.0}}})  # imports what it imports
    tracemalloc.start()
    try:
        evaluate(tmp_path / "qrels", tmp_path / "run")
        assert tracemalloc.get_traced_memory()[1] < 80 * 2**20
    finally:
        tracemalloc.stop()


def test_many_fractional_grades_take_little_memory() -> None:
    """Judgments with grades that are all different take memory for their number, not for topics x grades."""
    rng = np.random.default_rng(0)
    qrels = {
        str(topic): {f"d{i}": grade for i, grade in enumerate(rng.random(100))}
        for topic in range(300)
    }
    run = {topic: dict.fromkeys(grades, 1.0) for topic, grades in qrels.items()}
    tracemalloc.start()
    try:
        evaluate(qrels, {"r": run}, "nDCG AP RBP Compatibility")
        assert tracemalloc.get_traced_memory()[1] < 60 * 2**20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "name",
    [
        "P@0",
        "RR@0",
        "P",
        "Success",
        "Rprec@10",
        "RBP(p=1)",
        "P@1.5",
        "IPrec@2",
        "AP(rel=-1)",
    ],
)
def test_a_wrong_name_of_ours_is_not_asked_of_others(name: str) -> None:
    """A wrong cutoff or value of a metric of ours is an error of ours, whatever ir_measures would make of it."""
    with pytest.raises(MetricError, match=re.escape(name.partition("(")[0])):
        evaluate(QRELS, RUNS, name)


@pytest.mark.parametrize(
    "option",
    [
        {"topics": "intersection"},
        {"on_error": "ignore"},
        {"score_precision": "float16"},
    ],
)
def test_unknown_choices_are_errors(option: dict[str, str]) -> None:
    """An option with a value it cannot have is an error that lists those it can."""
    with pytest.raises(IrmetaError, match="choose"):
        evaluate(QRELS, RUNS, "AP", **option)  # type: ignore[arg-type]


def test_ties_are_no_disagreement(tmp_path: Path) -> None:
    """Ranks may order tied documents as they like; a document ranked above one of higher score is noted."""
    qrels = tmp_path / "q"
    qrels.write_text("1 0 a 1\n")
    run = "1 Q0 a 1 2.0 t\n1 Q0 b 2 2.0 t\n1 Q0 c 10 1.0 t\n"
    for text, noted in (
        (run, False),
        (run.replace("c 10", "c 0"), True),
        (run.replace("2 2.0", "2 3.0"), True),
    ):
        (tmp_path / "r").write_text(text)
        notes = about(evaluate(qrels, tmp_path / "r", "AP"))["notes"]
        assert any("contradict" in note for note in notes) is noted


@pytest.mark.parametrize("compiled", [True, False])
def test_one_score_for_all_documents_is_noted(
    compiled: bool, tmp_path: Path, monkeypatch
) -> None:
    """A run that gives all documents of a topic one score is named: ids decide there, not the ranks."""
    if not compiled:
        monkeypatch.setattr("irmeta.stats.arrays.core", None)
    qrels, runs = tmp_path / "q", tmp_path / "runs"
    runs.mkdir()
    qrels.write_text("1 0 a 1\n2 0 a 1\n3 0 a 1\n4 0 a 1\n")
    # one topic has a tie and a lower score, one has one document
    rows = ("1 a 0", "1 b 0", "1 c 0", "2 a 1.0", "2 b 1", "3 a 1", "3 b 1", "3 c 0")
    for name, score in (("flat", ""), ("sound", "1")):
        (runs / name).write_text(
            "".join(
                "{} Q0 {} {} {} t\n".format(
                    *row.split()[:2], at, score * (9 - at) or row.split()[2]
                )
                for at, row in enumerate([*rows, "4 a 0"])
            )
        )
    cube = evaluate(qrels, runs, "RR")
    noted = [note for note in about(cube)["notes"] if "one score" in note]
    assert len(noted) == 1
    assert "1 run with one score" in noted[0]
    assert "ordered by their ids" in noted[0]
    assert "flat in 2 topics (for another order" in noted[0]
    assert cube.sel(system="flat", topic="1").item() == 1 / 3


def test_one_score_in_memory_is_noted_without_ranks() -> None:
    """A dict of runs has no ranks, so the note on its constant scores names none."""
    runs = {"flat": {"1": {"a": 1.0, "b": 1.0}}}
    cube = evaluate({"1": {"a": 1}}, runs, "RR")
    [noted] = [note for note in about(cube)["notes"] if "one score" in note]
    assert "flat in 1 topic (" in noted
    assert "rank" not in noted


def test_ties_of_rounded_scores_are_no_disagreement(tmp_path: Path) -> None:
    """Ranks that follow the scores as written do not disagree with them where rounding to float32 makes ties."""
    qrels, run = tmp_path / "q", tmp_path / "r"
    qrels.write_text("1 0 a 1\n")
    run.write_text("1 Q0 a 1 1.00000001 t\n1 Q0 b 2 1.0 t\n1 Q0 c 3 0.5 t\n")
    cube = evaluate(qrels, run, "RR", score_precision="float32")
    assert cube.item() == 0.5
    assert not any("contradict" in note for note in about(cube)["notes"])


@pytest.mark.parametrize("compiled", [True, False])
def test_what_single_precision_orders_otherwise_is_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiled: bool
) -> None:
    """A run is named where rounding moves judged documents: not unjudged ones, nor where ids give the same order."""
    if not compiled:
        monkeypatch.setattr("irmeta.stats.arrays.core", None)
    (tmp_path / "q").write_text("1 0 a 1\n2 0 a 1\n3 0 a 1\n4 0 a 1\n")
    close = "{0} Q0 {1} 1 1.00000001 t\n{0} Q0 {2} 2 1.0 t\n{0} Q0 {3} 3 0.5 t\n"
    orders = {"1": "abc", "2": "bac", "3": "bca", "4": "cba"}
    lists = [close.format(topic, *order) for topic, order in orders.items()]
    (tmp_path / "r").write_text("".join(lists))
    said = "trec_eval, whose scores have single precision, orders judged documents of 1 run otherwise"
    cube = evaluate(tmp_path / "q", tmp_path / "r", "RR")
    [note] = [one for one in about(cube)["notes"] if "precision" in one]
    assert note == f"{said}, as --score-precision float32 does: r in 1 topic"
    single = evaluate(tmp_path / "q", tmp_path / "r", "RR", score_precision="float32")
    assert (cube != single).sel(topic="1").all()
    assert (cube == single).sel(topic=["2", "3", "4"]).all()
    assert not any("precision" in one for one in about(single)["notes"])


@pytest.mark.parametrize("compiled", [True, False])
def test_runs_of_ties_are_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiled: bool
) -> None:
    """A run that is nearly all ties is named once, and one of constant lists only as such."""
    if not compiled:
        monkeypatch.setattr("irmeta.stats.arrays.core", None)
    (tmp_path / "q").write_text("1 0 a 1\n")
    for name, half in (("ties", 10), ("flat", 30), ("half", 30)):
        scores = [1.0 if at < half else 0.5 for at in range(30)]
        if name == "half":
            scores[5:] = [1 / at for at in range(2, 27)]
        lines = [f"1 Q0 d{at} {at} {one} t\n" for at, one in enumerate(scores)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    cube = evaluate(tmp_path / "q", sorted(tmp_path.glob("*.run")), "RR")
    notes = [one for one in about(cube)["notes"] if "by their ids" in one]
    assert len(notes) == 2
    assert notes[0].startswith("1 run with one score")
    assert notes[1].startswith("1 run with the score of another document")
    assert notes[1].endswith(": ties (100%)")


def test_names_of_trec_eval_and_of_papers() -> None:
    """Metrics may be asked for as trec_eval and papers call them; they are called as ours in the result."""
    scores = evaluate(QRELS, RUNS, "map P_5 recip_rank ndcg_cut_3 MRR NDCG@3 AP")
    assert scores.metric.values.tolist() == ["AP", "P@5", "RR", "nDCG@3"]
    with pytest.raises(MetricError, match="unknown metric 'mapp'"):
        evaluate(QRELS, RUNS, "mapp")


def test_topics_that_are_not_judged_are_counted() -> None:
    """The notes say how many topics the runs have, judged or not."""
    notes = about(
        evaluate(
            QRELS, {"one": {str(topic): {"a": 1.0} for topic in range(1, 8)}}, "AP"
        )
    )["notes"]
    assert "1 run with all 3 judged topics" in notes


def test_every_judged_document_is_found() -> None:
    """All of many judged documents are found, and no others, whatever the topic that a document is judged for."""
    ids = [f"doc{number}" for number in range(6000)]
    qrels = {"1": dict.fromkeys(ids[:3000], 1), "2": dict.fromkeys(ids[2000:5000], 0)}
    run = {
        "one": {
            topic: {name: float(at) for at, name in enumerate(ids)} for topic in qrels
        }
    }
    scores = evaluate(qrels, run, "NumRelRet Judged").sel(system="one")
    assert scores.values.tolist() == [[3000, 0.5], [0, 0.5]]


def test_runs_that_rank_alike_are_named() -> None:
    """Two names for one ranking are remarked upon, whatever its scores are; other runs, and empty ones, are not."""
    qrels: Grades = {"1": {"a": 1, "b": 0}, "2": {"c": 1}}
    ranked: Lists = {"1": {"a": 3, "b": 2}, "2": {"c": 1}}
    again: Lists = {"2": {"c": 9}, "1": {"a": 0.5, "b": 0.1}}
    other: Lists = {"1": {"b": 3, "a": 2}, "2": {"c": 1}}
    notes = about(evaluate(qrels, {"one": ranked, "two": again, "three": other}, "AP"))[
        "notes"
    ]
    assert [note for note in notes if "an earlier run" in note] == [
        (
            "1 run has the same ranking as an earlier run on every topic: two as one "
            "(to leave out copies: --drop-copies)"
        )
    ]
    apart = about(evaluate(qrels, {"one": ranked, "three": other}, "AP"))["notes"]
    assert not [note for note in apart if "an earlier run" in note]
    runs = {"one": ranked, "two": again, "three": other, "none": {}, "nothing": {}}
    allowed = Reading(allow_empty=True)
    single = evaluate(qrels, runs, "AP", reading=allowed, drop_copies=True)
    assert single.system.values.tolist() == ["one", "three", "none", "nothing"]
    assert "left out: two: it ranks as one on every topic" in about(single)["notes"]
    assert list(about(single)["runs"]) == single.system.values.tolist()


def test_empty_runs_are_left_out(tmp_path: Path) -> None:
    """With drop_empty an empty file, and a run that retrieves nothing, are left out and named; one has to be left."""
    (tmp_path / "none").write_text("")
    (tmp_path / "other").write_text('{"1": {}}')
    (tmp_path / "some").write_text("1 Q0 a 1 1 t\n")
    qrels: Grades = {"1": {"a": 1}}
    scores = evaluate(qrels, tmp_path, "AP", drop_empty=True)
    assert scores.system.values.tolist() == ["some"]
    assert {
        "left out: none: it retrieves nothing",
        "left out: other: it retrieves nothing",
    } <= set(about(scores)["notes"])
    kept = evaluate(qrels, tmp_path, "AP", reading=Reading(allow_empty=True))
    notes = about(kept)["notes"]
    assert (
        "2 runs retrieve nothing: none, other (to leave out such runs: --drop-empty)"
        in notes
    )
    assert not any("judged document" in note for note in notes)
    (tmp_path / "some").unlink()
    with pytest.raises(FileFormatError, match="no run retrieves anything"):
        evaluate(qrels, tmp_path, "AP", drop_empty=True)
    with pytest.raises(FileFormatError, match="the file is empty"):
        evaluate(qrels, tmp_path, "AP", drop_copies=True)


def test_copies_are_left_out_of_what_is_added(tmp_path: Path) -> None:
    """A score file gets the first of runs that rank alike, and says which it lacks."""
    qrels: Grades = {"1": {"a": 1}}
    runs = {name: {"1": {"a": 1.0}} for name in ("x", "y")}
    path = tmp_path / "s.parquet"
    written = evaluate_to(path, qrels, runs, "AP", drop_copies=True)
    assert load(path).system.values.tolist() == ["x"]
    notes = written.about["attributes"]["notes"]
    assert "left out: y: it ranks as x on every topic" in notes


@pytest.mark.data
def test_copies_among_the_runs_of_trec_covid(data: Path) -> None:
    """Of the 143 runs of round 1 four rank as another does."""
    notes = about(
        evaluate(
            data / "trec-covid/round1/qrels.txt",
            [data / "trec-covid/round1/runs"],
            "P@5",
        )
    )["notes"]
    assert any(
        note.startswith("4 runs have the same ranking as an earlier run on every topic")
        for note in notes
    )


def test_runs_that_are_not_there_are_skipped(tmp_path: Path) -> None:
    """on_error=skip goes on without a file that is not there, an empty folder, and a second run of one name."""
    for folder in ("one", "two", "empty"):
        (tmp_path / folder).mkdir()
    for folder in ("one", "two"):
        (tmp_path / folder / "good").write_text("1 Q0 a 1 1 t\n")
    runs = [tmp_path / name for name in ("one", "two", "empty", "nothing")]
    with pytest.raises(FileFormatError, match="two systems are named 'good'"):
        evaluate(QRELS, runs, "AP")
    cube = evaluate(QRELS, runs, "AP", on_error="skip")
    assert cube.system.values.tolist() == ["good"]
    said = "\n".join(about(cube)["notes"])
    for reason in (
        "nothing: no such file",
        "empty: no files in this folder",
        "two systems are named 'good'",
    ):
        assert f"{reason}" in said


def test_names_that_score_files_write_alike(tmp_path: Path) -> None:
    """A name with a byte that is not UTF-8 and the text of its escape are two systems of one name."""
    runs = dict.fromkeys(["r\udce9", r"r\xe9"], next(iter(RUNS.values())))
    with pytest.raises(FileFormatError, match="two systems are named"):
        evaluate(QRELS, runs, "AP")


@pytest.mark.parametrize("where", ["document", "topic"])
def test_one_long_id_among_short_ones_takes_its_own_memory(where: str) -> None:
    """Ties and topics of twenty thousand short ids and one of 100 000 bytes are sorted in the memory of their bytes."""
    names = [*(f"d{number}" for number in range(20_000)), "x" * 100_000]
    if where == "document":
        run = {"1": dict.fromkeys(names, 1.0)}
    else:
        run = {name: {"a": 1.0} for name in names} | {"1": {"a": 1.0}}
    evaluate(
        {"1": {"a": 1}}, {"run": {"1": {"a": 1.0}}}, "AP"
    )  # whatever is loaded once
    tracemalloc.start()
    try:
        evaluate({"1": {"a": 1}}, {"run": run}, "AP")
        assert tracemalloc.get_traced_memory()[1] < 40 * 2**20
    finally:
        tracemalloc.stop()


def test_a_run_too_large_for_memory_is_skipped_like_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With on_error="skip" a run that memory is refused for is left out and named; the others are scored."""
    for name in ("large", "small"):
        (tmp_path / name).write_text("1 Q0 a 1 1 t\n")
    pieces = Content.pieces

    def refused(content: Content, **how: bool) -> Any:
        if content.path.name == "large":
            raise MemoryError("Unable to allocate 3 GiB")
        return pieces(content, **how)

    monkeypatch.setattr(Content, "pieces", refused)
    scores = evaluate({"1": {"a": 1}}, tmp_path, "AP", on_error="skip")
    assert scores.system.values.tolist() == ["small"]
    assert any("large: not enough memory" in note for note in about(scores)["notes"])
    with pytest.raises(FileFormatError, match="large: not enough memory"):
        evaluate({"1": {"a": 1}}, tmp_path, "AP")


def test_a_collection_says_how_much_of_each_run_is_judged():
    """The share of judged documents at the first ten ranks stands with each run, and is the mean of Judged@10."""
    qrels = {topic: {f"d{at}": at % 2 for at in range(4)} for topic in ("1", "2")}
    ranked = {"1": range(20), "2": range(2, 22)}
    run = {t: {f"d{at}": 30.0 - at for at in order} for t, order in ranked.items()}
    made = evaluate(qrels, {"one": run}, "Judged@10")
    assert about(made)["judged"] == {"one": 0.3}
    assert about(made)["lacking"] == {"one": 0}
    assert made.mean().item() == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("metrics", "highest_grade", "said"),
    [
        ("P@5 ERR@20", 2, "gdeval takes 4, and so does ERR(max_rel=4)@20"),
        ("ERR@20", 4, ""),
        ("ERR(max_rel=4)@20", 2, ""),
        ("seeds23", 2, ""),
    ],
)
def test_err_by_a_lower_grade_than_that_of_gdeval_is_noted(
    metrics: str, highest_grade: int, said: str
) -> None:
    """Who asks for ERR learns that it differs from gdeval's where no document has grade 4, and which does not."""
    scored = evaluate({"1": {"a": highest_grade}}, {"s": {"1": {"a": 1.0}}}, metrics)
    noted = [note for note in about(scored)["notes"] if "gdeval" in note]
    assert len(noted) == bool(said)
    assert said in "".join(noted)
