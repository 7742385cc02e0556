"""Agreement with trec_eval 9, as pytrec_eval runs it, and with the definitions of what trec_eval does not have."""

import gzip
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import ir_measures
import numpy as np
import pytest
import pytrec_eval
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

from irmeta.errors import MetricError
from irmeta.evaluation.engine import evaluate
from irmeta.metrics.names import parse
from irmeta.scores.averages.means import means

Lists = dict[str, dict[str, float]]
Grades = dict[str, dict[str, int]]

BINARY = {
    "map": "AP",
    "map_cut_1": "AP@1",
    "map_cut_3": "AP@3",
    "map_cut_10": "AP@10",
    "map_cut_1000": "AP@1000",
    "P_1": "P@1",
    "P_3": "P@3",
    "P_10": "P@10",
    "P_1000": "P@1000",
    "recall_1": "R@1",
    "recall_3": "R@3",
    "recall_10": "R@10",
    "recall_1000": "R@1000",
    "success_1": "Success@1",
    "success_3": "Success@3",
    "success_10": "Success@10",
    **{
        f"iprec_at_recall_{level / 10:.2f}": f"IPrec@{level / 10}"
        for level in range(11)
    },
    "Rprec": "Rprec",
    "recip_rank": "RR",
    "bpref": "Bpref",
    "infAP": "infAP",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
}
GRADED = {
    "ndcg": "nDCG",
    "ndcg_cut_1": "nDCG@1",
    "ndcg_cut_3": "nDCG@3",
    "ndcg_cut_10": "nDCG@10",
    "ndcg_cut_1000": "nDCG@1000",
    "num_ret": "NumRet",
}
MEASURES = {
    "map", "map_cut.1,3,10,1000", "P.1,3,10,1000", "recall.1,3,10,1000", "success.1,3,10", "Rprec", "recip_rank",
    "bpref", "infAP", "num_rel", "num_rel_ret", "ndcg", "ndcg_cut.1,3,10,1000", "num_ret",
    "iprec_at_recall." + ",".join(f"{level / 10:.2f}" for level in range(11)),
}  # fmt: skip
"""All that trec_eval and we have both, as pytrec_eval wants them asked for."""

few = settings(max_examples=20)


def named(names: Mapping[str, str], **params: object) -> dict[str, str]:
    """Write parameters into our names."""
    inside = "(" + ", ".join(f"{key}={value!r}" for key, value in params.items()) + ")"
    return {
        theirs: re.sub(r"^\w+", rf"\g<0>{inside}", ours)
        for theirs, ours in names.items()
    }


def trec_eval(
    qrels: Grades, runs: Mapping[str, Lists], measures: Sequence[str], **options: object
) -> np.ndarray:
    """Score every run, topic and measure with trec_eval; NaN where a run lacks the topic."""
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, MEASURES, **options)
    scores = [evaluator.evaluate(run) for run in runs.values()]
    none = dict.fromkeys(measures, np.nan)
    return np.array(
        [
            [[one.get(topic, none)[name] for name in measures] for topic in qrels]
            for one in scores
        ]
    )


def disagreements(
    qrels: Grades,
    runs: Mapping[str, Lists],
    names: Mapping[str, str],
    cube: xr.DataArray,
    **options: object,
) -> list[str]:
    """List where our score is not trec_eval's to 1e-9, or not 0 where a run lacks the topic."""
    wanted = trec_eval(qrels, runs, list(names), **options)
    ours = cube.sel(
        system=list(runs), topic=list(qrels), metric=list(names.values())
    ).values
    of_the_run = np.array(
        [not name.startswith("num_rel") or name == "num_rel_ret" for name in names]
    )
    wanted = np.where(np.isnan(wanted), np.where(of_the_run, 0.0, ours), wanted)
    assert wanted.size
    return [
        f"{list(runs)[s]} {list(qrels)[t]} {list(names.values())[m]}: {ours[s, t, m]!r}, trec_eval {wanted[s, t, m]!r}"
        for s, t, m in np.argwhere(~(np.abs(ours - wanted) <= 1e-9))
    ]


DOCUMENTS = [
    "d",
    "d1",
    "d10",
    "d2",
    "D1",
    "007",
    "7",
    "aaaaaaaa",
    "aaaaaaaab",
    "aaaaaaaac",
    "aaaaaaaaaaaaaaaaa",
    "é",
    "~",
]
TOPICS = ["1", "10", "2", "x"]
SCORES = [
    3.0,
    2.0,
    1.0,
    0.0,
    -0.0,
    -1.0,
    100.000001,
    100.000002,
    100.0000005,
    1.00000001,
    1e-50,
    1e38,
    -1e38,
    16777217.0,
]


@st.composite
def qrels_and_runs(
    draw: st.DrawFn, highest: int = 3, lowest: int = -2
) -> tuple[Grades, dict[str, Lists]]:
    """Draw judgments and runs: ties, grades below zero, topics without relevant documents, missing and other topics.

    Each topic has a grade from 0 up, for trec_eval does not survive topics without.
    """
    grade, documents = st.integers(lowest, highest), st.sampled_from(DOCUMENTS)
    judged = st.dictionaries(documents, grade, max_size=12)
    fine = st.tuples(judged, documents, st.integers(0, highest)).map(
        lambda parts: {**parts[0], parts[1]: parts[2]}
    )
    qrels = draw(st.dictionaries(st.sampled_from(TOPICS), fine, min_size=1))
    ranked = st.dictionaries(
        documents, st.sampled_from(SCORES) | st.floats(-10, 10), min_size=1
    )
    run = st.dictionaries(
        st.sampled_from([*TOPICS, "other"]), ranked, min_size=1
    ).filter(lambda run: set(run) & set(qrels))
    runs = draw(st.lists(run, min_size=1, max_size=3))
    return qrels, {f"run{number}": run for number, run in enumerate(runs)}


@few
@given(qrels_and_runs())
def test_made_up_runs(drawn: tuple[Grades, dict[str, Lists]]) -> None:
    """On made-up runs every measure that trec_eval has too agrees with it, topic by topic."""
    qrels, runs = drawn
    names = {**BINARY, **GRADED}
    cube = evaluate(qrels, runs, list(names.values()), score_precision="float32")
    assert disagreements(qrels, runs, names, cube) == []


@few
@given(qrels_and_runs(), st.integers(2, 4))
def test_made_up_runs_at_higher_levels(
    drawn: tuple[Grades, dict[str, Lists]], level: int
) -> None:
    """With rel= every binary measure is trec_eval's with -l, also above the highest grade of a topic."""
    qrels, runs = drawn
    names = named(BINARY, rel=level)
    cube = evaluate(qrels, runs, list(names.values()), score_precision="float32")
    assert disagreements(qrels, runs, names, cube, relevance_level=level) == []


@few
@given(qrels_and_runs(), st.integers(1, 12))
def test_made_up_runs_cut(drawn: tuple[Grades, dict[str, Lists]], depth: int) -> None:
    """With depth= every measure is trec_eval's on runs cut to their first documents, the topics' facts as they were."""
    qrels, runs = drawn
    names = named({**BINARY, **GRADED}, depth=depth)
    cube = evaluate(qrels, runs, list(names.values()), score_precision="float32")
    short = {
        name: {topic: cut(ranked, depth) for topic, ranked in run.items()}
        for name, run in runs.items()
    }
    assert disagreements(qrels, short, names, cube) == []


@few
@given(qrels_and_runs(), st.sampled_from([None, 1, 3]))
def test_made_up_runs_of_judged_documents(
    drawn: tuple[Grades, dict[str, Lists]], depth: int | None
) -> None:
    """With judged_only= every measure is trec_eval's with -J, after the cut of depth=; a list left empty scores 0."""
    qrels, runs = drawn
    params = (
        {"judged_only": True}
        if depth is None
        else {"judged_only": True, "depth": depth}
    )
    names = named({**BINARY, **GRADED}, **params)
    cube = evaluate(qrels, runs, list(names.values()), score_precision="float32")
    kept = {
        name: {
            t: {
                d: s
                for d, s in cut(ranked, depth or 99).items()
                if qrels.get(t, {}).get(d, -1) >= 0
            }
            for t, ranked in run.items()
        }
        for name, run in runs.items()
    }
    assert disagreements(qrels, kept, names, cube) == []


def cut(ranked: Mapping[str, float], depth: int) -> dict[str, float]:
    """Keep the first documents in trec_eval's order: by score as float32, ties by document, last first."""
    with np.errstate(over="ignore"):
        order = sorted(
            ranked,
            key=lambda document: (np.float32(ranked[document]), document.encode()),
            reverse=True,
        )
    return {document: ranked[document] for document in order[:depth]}


@few
@given(qrels_and_runs())
def test_gmap(drawn: tuple[Grades, dict[str, Lists]]) -> None:
    """GMAP on a topic is trec_eval's gm_map without the logarithm; a system's is the geometric mean."""
    qrels, runs = drawn
    cube = evaluate(qrels, runs, "GMAP", score_precision="float32")
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"gm_map"})
    for name, run in runs.items():
        logs = [
            evaluator.evaluate(run).get(topic, {"gm_map": np.log(1e-5)})["gm_map"]
            for topic in qrels
        ]
        np.testing.assert_allclose(
            cube.sel(system=name, metric="GMAP").values, np.exp(logs), rtol=1e-9
        )
        np.testing.assert_allclose(
            means(cube).sel(system=name, metric="GMAP"),
            np.exp(np.mean(logs)),
            rtol=1e-9,
        )


def brute_rankings(run: Lists, topic: str) -> list[str]:
    """Order a topic's documents: by score, ties by document, last first."""
    ranked = run.get(topic, {})
    return sorted(
        ranked, key=lambda document: (ranked[document], document.encode()), reverse=True
    )


def brute_err(grades: list[int | None], highest: int) -> float:
    """ERR as gdeval.pl computes it: a user reads down the list and stops at grade g with chance (2^g - 1) / 2^max."""
    err, reading_on = 0.0, 1.0
    for rank, grade in enumerate(grades, 1):
        stops = (2 ** max(grade or 0, 0) - 1) / 2**highest
        err += reading_on * stops / rank
        reading_on *= 1 - stops
    return err


def brute_rbp(gains: list[float], p: float) -> float:
    """RBP as rbp_eval computes it: each gain weighs p times as much as the one before."""
    total, weight = 0.0, 1 - p
    for gain in gains:
        total += gain * weight
        weight *= p
    return total


def brute_dcg(gains: list[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def brute(
    grades: list[int | None], judged: list[int], highest: int, k: int, p: float
) -> dict[str, float]:
    """Compute what trec_eval does not have, from the grades down the list (None: not judged) and all of the topic's."""
    top = grades[:k]
    known = [grade is not None and grade >= 0 for grade in top]
    relevant = [(grade or 0) >= 1 for grade in grades]
    gain = [max(grade or 0, 0) / highest if highest else 0.0 for grade in grades]
    burges = [2.0 ** max(grade or 0, 0) - 1 for grade in grades]
    ideal = sorted((2.0 ** max(grade, 0) - 1 for grade in judged), reverse=True)
    precisions = [
        sum(relevant[: rank + 1]) / (rank + 1)
        for rank in range(len(grades))
        if relevant[rank]
    ]
    best = brute_dcg(ideal[:k])
    return {
        "ERR": brute_err(grades, highest),
        f"ERR@{k}": brute_err(top, highest),
        f"ERR(max_rel=5)@{k}": brute_err(top, 5),
        f"RBP(p={p})": brute_rbp(gain, p),
        f"RBP(p={p})@{k}": brute_rbp(gain[:k], p),
        f"RBP(p={p}, rel=1)": brute_rbp([float(one) for one in relevant], p),
        f"RBP(p={p}, max_rel=2)": brute_rbp(
            [min(max(grade or 0, 0) / 2, 1) for grade in grades], p
        ),
        f"RBPResidual(p={p})": brute_rbp(
            [float(grade is None or grade < 0) for grade in grades], p
        )
        + p ** len(grades),
        f"RBPResidual(p={p})@{k}": brute_rbp([float(not one) for one in known], p)
        + p ** len(top),
        f"Judged@{k}": sum(known) / len(known) if known else 0.0,
        "Judged": sum(g is not None and g >= 0 for g in grades) / len(grades)
        if grades
        else 0.0,
        "SP": sum(precisions),
        f"SP@{k}": sum(precisions[: sum(relevant[:k])]),
        f"RR@{k}": next(
            (1 / (rank + 1) for rank in range(len(top)) if relevant[rank]), 0.0
        ),
        f"NumRelRet@{k}": sum(relevant[:k]),
        f"DCG@{k}": brute_dcg([float(max(grade or 0, 0)) for grade in top]),
        "DCG(gains='exp')": brute_dcg(burges),
        f"nDCG(gains='exp')@{k}": brute_dcg(burges[:k]) / best if best else 0.0,
        f"GMAP@{k}": max(
            sum(precisions[: sum(relevant[:k])]) / max(sum(g >= 1 for g in judged), 1),
            1e-5,
        ),
    }


@few
@given(qrels_and_runs(lowest=-3), st.integers(1, 12), st.sampled_from([0.5, 0.8, 0.95]))
def test_definitions(drawn: tuple[Grades, dict[str, Lists]], k: int, p: float) -> None:
    """ERR, RBP and its residual, Judged, SP, RR@k, DCG with either gains equal their definitions in plain Python."""
    qrels, runs = drawn
    highest = max(0, *(grade for judged in qrels.values() for grade in judged.values()))
    cube = evaluate(qrels, runs, list(brute([], [], 1, k, p)))
    for name, run in runs.items():
        for topic, judged in qrels.items():
            grades = [judged.get(document) for document in brute_rankings(run, topic)]
            ours = cube.sel(system=name, topic=topic)
            for metric, wanted in brute(
                grades, list(judged.values()), highest, k, p
            ).items():
                assert ours.sel(metric=str(parse(metric))).item() == pytest.approx(
                    wanted, abs=1e-12
                ), metric


def test_residual_is_what_relevance_could_add() -> None:
    """RBP plus its residual is what RBP would be were every unjudged and every unseen document relevant."""
    run: Lists = {"1": {"a": 5, "u": 4, "n": 3, "x": 2}}
    cube = evaluate(
        {"1": {"a": 1, "n": 0, "x": -1}}, {"r": run}, "RBP(p=0.8) RBPResidual(p=0.8)"
    ).values.ravel()
    judged_so: Grades = {"1": {"a": 1, "u": 1, "n": 0, "x": 1}}
    assert cube.sum() == pytest.approx(
        evaluate(judged_so, {"r": run}, "RBP(p=0.8)").item() + 0.8**4
    )


def test_figures_of_trec_eval() -> None:
    """The figures that were measured with trec_eval on small files come out."""
    # R=3, N=1, the one non-relevant document first.
    bpref = evaluate(
        {"1": {"r1": 1, "r2": 1, "r3": 1, "n1": 0}},
        {"r": {"1": {"n1": 3, "r1": 2, "u": 1, "r2": 0}}},
        "Bpref",
    )
    assert bpref.item() == 0
    # Scores that float32 does not tell apart: .6667 there, .7917 in double precision.
    run: Lists = {
        "1": {"a": 100.000001, "b": 100.000002, "c": 100.0000005},
        "2": {"a": 1.00000001, "d": 1},
    }
    qrels: Grades = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 1, "d": 0}}
    single = means(evaluate(qrels, {"r": run}, "AP", score_precision="float32")).item()
    double = means(evaluate(qrels, {"r": run}, "AP")).item()
    assert (round(single, 4), round(double, 4)) == (0.6667, 0.7917)
    # Graded RBP does not scale by the topic's own top grade.
    graded = evaluate(
        {"1": {"a": 3}, "2": {"a": 1}},
        {"r": {"1": {"a": 1}, "2": {"a": 1}}},
        "RBP(p=0.9)",
    ).values.ravel()
    assert graded.tolist() == pytest.approx([0.1, 0.1 / 3])


@settings(max_examples=15)
@given(
    qrels_and_runs(lowest=0),
    st.sampled_from(
        [
            ir_measures.SetP,
            ir_measures.SetF,
            ir_measures.SetAP,
            ir_measures.Compat(p=0.8),
        ]
    ),
)
def test_foreign_measures(
    drawn: tuple[Grades, dict[str, Lists]], measure: ir_measures.Measure
) -> None:
    """Measures that only ir_measures knows are its scores, 0 where it gives none, and leave ours as they are."""
    qrels, runs = drawn
    cube = evaluate(qrels, runs, ["AP", str(measure), "P@3"])
    alone = evaluate(qrels, runs, ["AP", "P@3"])
    assert cube.metric.values.tolist() == ["AP", str(measure), "P@3"]
    xr.testing.assert_equal(cube.isel(metric=[0, 2]), alone)
    for system, run in runs.items():
        theirs = {
            one.query_id: one.value
            for one in ir_measures.iter_calc([measure], qrels, run)
        }
        ours = cube.sel(system=system, metric=str(measure))
        assert ours.values.tolist() == pytest.approx(
            [theirs.get(topic, 0.0) for topic in qrels], abs=1e-9
        )


def test_foreign_names() -> None:
    """Names of ir_measures for measures of ours are ours; what it cannot compute is an error of ours."""
    qrels: Grades = {"1": {"a": 1}}
    runs: dict[str, Lists] = {"r": {"1": {"a": 1}}}
    cube = evaluate(qrels, runs, "NDCG@10 nDCG@10 MAP AP MRR@10 SetP")
    assert cube.metric.values.tolist() == ["nDCG@10", "AP", "RR@10", "SetP"]
    with pytest.raises(MetricError, match="unknown metric 'SetQ'"):
        evaluate(qrels, runs, "SetQ")
    for name in (
        "nDCG(rel=2)@10",
        "AP(foo=1)",
        "RBP(q=0.5)",
        "nDCG(gain='exp')@10",
        "RR(judged=1)",
    ):
        with pytest.raises(MetricError, match="has no parameter"):
            evaluate(qrels, runs, name)
    with pytest.raises(MetricError, match="ir_measures cannot compute BPM@5 here"):
        evaluate(qrels, runs, "BPM@5")
    with pytest.raises(MetricError, match="ir_measures cannot compute Accuracy here"):
        evaluate(qrels, runs, "Accuracy")
    with pytest.raises(
        MetricError, match="SetP needs whole grades, because ir_measures computes it"
    ):
        evaluate({"1": {"a": 0.5}}, runs, "SetP")


def read_for_pytrec(path: Path) -> Lists:
    """Read a run as pytrec_eval wants it, without its slow parser."""
    run: Lists = {}
    for line in gzip.decompress(path.read_bytes()).decode().splitlines():
        topic, _, document, _, score, _ = line.split()
        run.setdefault(topic, {})[document] = float(score)
    return run


def read_grades(path: Path) -> Grades:
    qrels: Grades = {}
    for line in path.read_text().splitlines():
        topic, _, document, grade = line.split()
        qrels.setdefault(topic, {})[document] = int(grade)
    return qrels


def disagreements_on(folder: Path, paths: Sequence[Path]) -> list[str]:
    """Compare every measure on real runs, one by one, binary ones with rel=2 too."""
    qrels = read_grades(folder / "qrels.txt")
    names, higher = {**BINARY, **GRADED}, named(BINARY, rel=2)
    cube = evaluate(
        folder / "qrels.txt",
        paths,
        [*names.values(), *higher.values()],
        score_precision="float32",
    )
    wrong = []
    for path, system in zip(paths, cube.system.values, strict=True):
        run = {str(system): read_for_pytrec(path)}
        wrong += disagreements(qrels, run, names, cube)
        wrong += disagreements(qrels, run, higher, cube, relevance_level=2)
    return wrong


@pytest.mark.data
@pytest.mark.parametrize(
    "collection", ["trec-covid/round1", "trec-covid/round3", "robust03"]
)
def test_some_real_runs(data: Path, collection: str) -> None:
    """On some real runs of each collection every measure agrees with trec_eval, topic by topic."""
    paths = sorted((data / collection / "runs").iterdir())
    assert disagreements_on(data / collection, paths[:: len(paths) // 2]) == []


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("collection", ["trec-covid/round1", "robust03"])
def test_all_real_runs(data: Path, collection: str) -> None:
    """On all runs of round 1 and of robust03 every measure agrees with trec_eval, topic by topic."""
    paths = sorted((data / collection / "runs").iterdir())
    assert len(paths) in (143, 17)
    assert disagreements_on(data / collection, paths) == []
