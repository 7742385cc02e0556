"""Metric names: the grammar, its errors, and its agreement with the measures."""

import inspect
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irmeta.errors import IrmetaError, MetricError
from irmeta.evaluation.engine import evaluate
from irmeta.evaluation.grades import measures
from irmeta.evaluation.grades.judged import Judged
from irmeta.metrics import names as module
from irmeta.metrics import signatures
from irmeta.metrics.names import (
    Metric,
    canonical,
    metric_names,
    nearest,
    parse,
    parse_list,
    split,
)
from irmeta.metrics.signatures import (
    CATALOGUE,
    GENERAL,
    RANK,
    SETS,
    Parameter,
    Signature,
)

NUMBERS = st.integers(0, 2000) | st.floats(0.001, 9) | st.floats(0.001, 0.999)
VALUES = NUMBERS | st.booleans() | st.sampled_from(["linear", "exp"])
"""Among these every parameter finds some that it takes."""


@st.composite
def names(draw: st.DrawFn) -> str:
    """Draw a valid name, in any spelling: blanks, either quotes, parameters in any order."""
    base = draw(st.sampled_from(sorted(CATALOGUE)))
    signature = CATALOGUE[base]
    known = {**signature.params, **GENERAL}
    params = draw(st.lists(st.sampled_from(list(known)), unique=True))
    blank = draw(st.sampled_from(["", " "]))
    inside = f",{blank}".join(
        f"{name}{blank}={blank}{draw(VALUES.filter(known[name].takes))!r}"
        for name in params
    )
    called = base + (f"({inside})" if params else "")
    if signature.cutoff is None or not (
        signature.cutoff.required or draw(st.booleans())
    ):
        return called
    fits = signature.cutoff.read
    texts = (
        (st.integers(1, 5000) | st.floats(0, 1))
        .map(str)
        .filter(lambda text: fits(text) is not None)
    )
    return f"{called}@{draw(texts)}"


@given(names())
def test_print_and_parse_again(name: str) -> None:
    """A name prints as a name that parses to the same metric and prints the same."""
    metric = parse(name)
    assert parse(str(metric)) == metric
    assert str(parse(str(metric))) == str(metric) == canonical(name)
    assert split(str(metric)) == [str(metric)]


@given(
    st.text(alphabet="APnDCGRBrel=p@().,0123456789'\"[]{}:+* \n", max_size=25)
    | st.text(max_size=12)
)
def test_any_text_is_a_metric_or_a_clear_error(text: str) -> None:
    """Whatever is written, the answer is a metric whose name parses, or a MetricError."""
    try:
        metric = parse(text)
    except MetricError:
        return
    assert parse(str(metric)) == metric


@pytest.mark.parametrize(
    ("given_name", "printed"),
    [
        ("AP", "AP"),
        ("AP(rel=1)@100", "AP@100"),
        ("AP(rel=2.0)", "AP(rel=2)"),
        ("nDCG( gains = 'exp' )@10", "nDCG(gains='exp')@10"),
        ('nDCG(gains="linear")@10', "nDCG@10"),
        ("RBP", "RBP(p=0.8)"),
        ("RBP(rel=1, p=.95)@20", "RBP(p=0.95, rel=1)@20"),
        ("P(depth=20, rel=2)@10", "P(rel=2, depth=20)@10"),
        ("IPrec@0.10", "IPrec@0.1"),
        ("IPrec@0.00001", "IPrec@1e-05"),
        ("AP(judged_only=True, pool=50)", "AP(judged_only=True, pool=50)"),
        ("  P@5 ", "P@5"),
        ("hit_rate@10", "Success@10"),
    ],
)
def test_spelling(given_name: str, printed: str) -> None:
    """Defaults are not printed, parameters stand in the catalogue's order, numbers and quotes have one spelling."""
    assert str(parse(given_name)) == printed


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("ndgc@10", "did you mean nDCG"),
        ("PA@10", "did you mean"),
        ("Zzz", "choose from AP, SP"),
        (
            "P(cutoff=3)@10",
            "no parameter 'cutoff'; choose from rel, judged_only, depth, pool",
        ),
        ("AP(judgedonly=True)", "did you mean judged_only?"),
        ("P", "needs a cutoff, as in P@10"),
        ("IPrec", "needs a cutoff, as in IPrec@0.1"),
        ("Bpref@10", "takes no cutoff; Bpref(depth=10)"),
        ("AP@0", "whole number above 0"),
        ("AP@10.5", "whole number above 0"),
        ("AP@1e3", "whole number above 0"),
        ("P@" + "9" * 400, "whole number above 0"),
        ("IPrec@1.5", "recall level between 0 and 1"),
        ("IPrec@0.1.2", "recall level between 0 and 1"),
        ("IPrec@.", "recall level between 0 and 1"),
        ("RBP(p=1)", "p of RBP must be a number between 0 and 1"),
        ("RBP(p='a')", "p of RBP must be a number between 0 and 1"),
        ("RBP(0.5)", "written name=value"),
        ("AP(rel=None)", "rel of AP must be a grade of 0 or above"),
        ("AP(rel=True)", "rel of AP must be a grade of 0 or above"),
        ("AP(rel=1e999)", "rel of AP must be a grade of 0 or above"),
        ("ERR(max_rel=0)", "max_rel of ERR must be a grade above 0"),
        ("AP(depth=True)", "depth of AP must be a whole number above 0"),
        ("AP(depth=0)", "depth of AP must be a whole number above 0"),
        ("AP(pool=1.5)", "pool of AP must be a whole number above 0"),
        (f"AP(depth={10**30})", "depth of AP must be a whole number above 0"),
        ("nDCG(gains='square')@10", "'linear' or 'exp'"),
        ("AP(judged_only=1)", "True or False"),
        ("AP(rel=1, rel=2)", "written name=value"),
        ("AP(rel={[]: 1})", "written name=value"),
        ("AP(rel=rel)", "written name=value"),
        ("AP()+(1)", "written name=value"),
        ("AP(x=1)(rel=2)", "written name=value"),
        ("AP(", "not a metric name"),
        ("nDCG@10(gains='exp')", "not a metric name"),
        ("", "not a metric name"),
    ],
)
def test_wrong_names(name: str, says: str) -> None:
    """A wrong name or parameter is an error that says what is wrong; nothing is ignored."""
    with pytest.raises(MetricError) as error:
        parse(name)
    assert says in str(error.value)


def test_parameters() -> None:
    """A metric tells its parameters, defaults included; those it does not have are None by `get`."""
    metric = parse("RBP(p=0.95, depth=50)@20")
    assert (
        metric.base,
        metric.cutoff,
        metric["p"],
        metric["rel"],
        metric["depth"],
    ) == ("RBP", 20, 0.95, None, 50)
    assert metric["judged_only"] is False
    assert parse("nDCG@10").get("rel") is None
    assert parse(metric) is metric


def test_lists() -> None:
    """A list of metrics is cut at blanks and commas outside parentheses, knows sets, and drops repeats."""
    text = "AP, nDCG(gains='exp', depth=5)@10\nseeds23 P@10"
    metrics = [str(metric) for metric in parse_list(text)]
    assert metrics[:2] == ["AP", "nDCG(gains='exp', depth=5)@10"]
    assert set(metrics[2:]) == set(SETS["seeds23"])
    assert len(metrics) == 25
    assert parse_list(["AP RR", parse("AP")]) == [parse("AP"), parse("RR")]
    with pytest.raises(MetricError, match="no metric is named"):
        parse_list(" , ")


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("map", "AP"), ("gm_map", "GMAP"), ("map_cut.100", "AP@100"), ("ndcg", "nDCG"), ("ndcg_cut.20", "nDCG@20"),
        ("P_5", "P@5"), ("P.5", "P@5"), ("recall.1000", "R@1000"), ("bpref", "Bpref"), ("recip_rank", "RR"),
        ("success.10", "Success@10"), ("iprec_at_recall_0.10", "IPrec@0.1"), ("iprec_at_recall.0.10", "IPrec@0.1"),
        ("num_rel_ret", "NumRelRet"), ("MAP@100", "AP@100"), ("NDCG@10", "nDCG@10"), ("Precision@5", "P@5"),
        ("MRR@10", "RR@10"), ("R-prec", "Rprec"), ("Recall@100", "R@100"),
        ("ndcg(gains='exp')@10", "nDCG(gains='exp')@10"),
        ("my_own", "my_own"), ("my own", "my own"), ("recall", "recall"), ("P_0", "P_0"), ("set_P.5", "set_P.5"),
    ],
)  # fmt: skip
def test_names_of_trec_eval_and_of_papers(theirs: str, ours: str) -> None:
    """What others call a metric is read as ours, in both spellings of trec_eval; a name that is nobody's stays."""
    assert canonical(theirs) == ours
    assert metric_names(theirs if " " not in theirs else [theirs]) == [ours]


def test_a_text_of_names() -> None:
    """A text is cut as parse_list cuts it, sets included; the names of a list may be of any kind, with spaces too."""
    assert metric_names("AP, seeds23 map") == ["AP", *SETS["seeds23"]]
    assert metric_names(["mine, too", "MAP", "AP"]) == ["mine, too", "AP"]


def test_others() -> None:
    """Names that are not ours are offered to `other`; where it does not know them either, our error stands."""
    theirs = Metric("SetP")
    assert parse_list(
        "AP SetP", other=lambda name: theirs if name == "SetP" else None
    ) == [parse("AP"), theirs]
    with pytest.raises(MetricError, match="unknown metric 'SetQ'"):
        parse_list("SetQ", other=lambda name: None)


def test_the_23_metrics() -> None:
    """seeds23 is the set of Gupta et al. (ECIR 2019): four at four depths, RBP at three p, and four more."""
    assert len(SETS["seeds23"]) == 23
    assert [str(parse(name)) for name in SETS["seeds23"]] == list(SETS["seeds23"])


def test_nearest() -> None:
    """The nearest names are told whatever their case; where none is near, all are."""
    assert nearest("AX", ["ax", "other"]) == "did you mean ax?"
    assert nearest("qqq", ["a", "b"]) == "choose from a, b"


@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_catalogue_and_measures_agree(name: str) -> None:
    """Each metric of the catalogue has one measure, with the same cutoff, parameters and defaults."""
    signature = CATALOGUE[name]
    parameters = inspect.signature(measures.MEASURES[name]).parameters
    own = {
        key: one.default
        for key, one in parameters.items()
        if one.kind is one.KEYWORD_ONLY
    }
    assert own == {key: one.default for key, one in signature.params.items()}
    there = [
        one.default is inspect.Parameter.empty
        for key, one in parameters.items()
        if key == "k"
    ]
    assert there == ([] if signature.cutoff is None else [signature.cutoff.required])


@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_defaults_follow_the_rules(name: str) -> None:
    """Each parameter takes its own default, and the example of a cutoff is one."""
    signature = CATALOGUE[name]
    assert all(
        parameter.takes(parameter.default)
        for parameter in [*signature.params.values(), *GENERAL.values()]
    )
    assert (
        signature.cutoff is None
        or signature.cutoff.read(signature.cutoff.example) is not None
    )


@pytest.fixture
def f_measure(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Declare a further measure: van Rijsbergen's F at a cutoff, whose parameter no other measure has."""

    def f(judged: Judged, k: int, *, beta: float = 1) -> np.ndarray:
        precision, recall = (measures.MEASURES[name](judged, k) for name in ("P", "R"))
        whole = beta**2 * precision + recall
        return np.divide(
            (1 + beta**2) * precision * recall,
            whole,
            out=np.zeros_like(whole),
            where=whole > 0,
        )

    beta = Parameter(
        1,
        "a number above 0",
        lambda value: isinstance(value, int | float) and value > 0,
    )
    monkeypatch.setattr(
        signatures, "CATALOGUE", {**CATALOGUE, "F": Signature(RANK, {"beta": beta})}
    )
    monkeypatch.setitem(measures.MEASURES, "F", f)
    yield
    module._read.cache_clear()


def test_a_measure_brings_the_rules_of_its_parameters(f_measure: None) -> None:
    """A line of the catalogue and a function are a measure: here 1 of 4 relevant documents is among the first 2."""
    qrels = {"1": {"a": 1, "b": 1, "c": 1, "d": 1}}
    scores = evaluate(qrels, {"bm25": {"1": {"a": 2.0, "x": 1.0}}}, "F(beta=0.5)@2 F@2")
    assert scores.metric.values.tolist() == ["F(beta=0.5)@2", "F@2"]
    expected = [1.25 * 0.5 * 0.25 / (0.25 * 0.5 + 0.25), 2 * 0.5 * 0.25 / (0.5 + 0.25)]
    np.testing.assert_allclose(scores.values.ravel(), expected, rtol=1e-12)


def test_the_rule_of_a_new_parameter_is_told(f_measure: None) -> None:
    """The refusal of a wrong value names the metric, the parameter and the rule."""
    with pytest.raises(MetricError) as error:
        parse("F(beta=0)@2")
    assert (
        str(error.value) == "'F(beta=0)@2': beta of F must be a number above 0, not 0"
    )


def test_no_measure_without_a_name() -> None:
    """Every measure stands in the catalogue."""
    assert set(measures.MEASURES) == set(CATALOGUE)


def test_errors_are_of_one_family() -> None:
    """Whoever catches IrmetaError catches them all."""
    assert issubclass(MetricError, IrmetaError)


@pytest.mark.parametrize(
    "name", ["AP" + " " * 60_000 + "x", f"AP(rel={'+'.join(['1'] * 3000)})"]
)
def test_names_of_any_length_are_refused_at_once(name: str) -> None:
    """A name of thousands of characters is refused before it is parsed."""
    with pytest.raises(MetricError, match="a metric name has at most 500"):
        parse(name)


def test_bases_are_known_in_any_case():
    """Leaderboards write p@5, rr and ap."""
    assert [canonical(name) for name in ("p@5", "rr", "ap", "r@100")] == [
        "P@5",
        "RR",
        "AP",
        "R@100",
    ]


def test_metrics_may_be_objects_of_ir_measures():
    """They are known by their names, one or several."""
    ir_measures = pytest.importorskip("ir_measures")
    wanted = [ir_measures.nDCG @ 10, ir_measures.AP]
    assert metric_names(wanted) == ["nDCG@10", "AP"]
    assert list(map(str, parse_list(wanted))) == ["nDCG@10", "AP"]
    assert list(map(str, parse_list(ir_measures.P(rel=2) @ 5))) == ["P(rel=2)@5"]
    scores = evaluate({"1": {"d1": 1}}, {"1": {"d1": 0.5}}, wanted)
    assert list(scores.metric.values) == ["nDCG@10", "AP"]


def test_a_text_that_is_no_metric_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables ask many times about columns that are no metrics; the answer is kept, and the error says the same."""
    asked = []
    monkeypatch.setattr(module, "nearest", lambda name, _: asked.append(name) or "no")
    for _ in range(3):
        assert not module.is_known("never seen")
        assert not module.is_known("NeverSeen")
        with pytest.raises(MetricError, match="unknown metric 'NeverSeen'"):
            module.parse("NeverSeen")
    assert asked == ["NeverSeen"]


@pytest.mark.parametrize(("name", "meant"), [("P10", "P@10"), ("ndcg20", "nDCG@20")])
def test_a_cutoff_without_its_sign_is_told(name: str, meant: str) -> None:
    """Papers write P10; what it is here stands in the error."""
    with pytest.raises(MetricError, match=rf"did you mean {meant}\?"):
        parse(name)
