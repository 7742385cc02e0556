"""Attackers of boards: they read plain scores, and get no more than the bound from what release answers."""

import math
from pathlib import Path

import numpy as np
import pytest

import irmeta
from irmeta.errors import IrmetaError
from irmeta.metrics.names import parse
from irmeta.studies.leaderboard.leak.codebook import Codebook

BITS = "RBP(p=0.5, rel=1)"


def attacks(**rules) -> dict[str, dict]:
    """Attack a drawn collection of 20 topics with 20 documents, and return what each attack got."""
    found = irmeta.leak(**{"topics": 20, "judged": 20, "step": 0.06} | rules)
    bits = found.tables["rules"].filter(rules=rules.get("feedback", "open"))
    also = {"bound": bits["bits_all"][0], "judged": int(found["judged"])}
    rows = found.tables["attacks"].rows(named=True)
    return {row["attack"]: row | also for row in rows}


@pytest.mark.parametrize(
    ("rules", "submissions", "right"),
    [
        # a number in bits: all at once, or as many as four decimals of a topic or of a mean show
        ({"metrics": BITS, "show": "topics", "decimals": 17}, 1, 400),
        ({"metrics": BITS, "show": "topics"}, 1, 13 * 20),
        ({"metrics": BITS}, 30, 8 * 30),
        # by positions: from tables of what every pattern of grades scores
        ({"metrics": "nDCG@10", "show": "topics"}, 10, 400),
        ({"metrics": "AP", "show": "topics"}, 10, 390),
        ({"metrics": "P@10"}, 30, 30),
    ],
)
def test_plain_scores_are_read(rules: dict, submissions: int, right: int) -> None:
    """Decoding has all judgments that it asks for right, and lifts its run."""
    found = attacks(submissions=submissions, **rules)["decode"]
    assert found["right"] >= right
    assert found["right"] >= 0.97 * found["claims"]
    assert found["bits"] <= found["bound"]
    assert found["after"] > found["before"] + 0.02


def test_grades_are_read_from_gains() -> None:
    """Of judgments with three grades nDCG tells each: the best list is known, without a document read."""
    rng = np.random.default_rng(2)
    drawn = rng.choice([0, 1, 2], p=[0.7, 0.2, 0.1], size=(10, 24))
    qrels = {
        str(topic): {f"d{place}": int(grade) for place, grade in enumerate(row)}
        for topic, row in enumerate(drawn)
    }
    found = irmeta.leak(qrels, metrics="nDCG@10", show="topics", submissions=20)
    assert float(found["after"].sel(attack="decode").item()) == pytest.approx(1)
    assert "all 240 judgments with 12 submissions" in found.findings[0]


def test_attackers_without_a_code_gain_from_plain_scores() -> None:
    """Hill climbing and votes lift a run where scores are shown, and votes know more than guesses."""
    got = attacks(metrics="nDCG@10", submissions=150, judged=40)
    for name in ("climb", "vote", "walk"):
        assert got[name]["after"] > got[name]["before"] + 0.05
    assert got["vote"]["p"] < 1e-4
    assert got["vote"]["bits"] <= got["vote"]["bound"]


@pytest.mark.parametrize(("feedback", "judged"), [("none", 400), ("split", 260)])
def test_nothing_is_known_of_topics_that_count(feedback: str, judged: int) -> None:
    """Under none and split no attack claims anything of the topics that count, and none gains there."""
    for found in attacks(feedback=feedback, submissions=40).values():
        assert (found["claims"], found["bound"]) == (0, 0)
        assert found["after"] == found["before"]
        assert found["judged"] == judged


@pytest.mark.parametrize(("together", "submissions"), [(1, 90), (20, 20)])
def test_a_ladder_keeps_its_bound(together: int, submissions: int) -> None:
    """What is claimed says no more than the bound; who does not begin at nothing knows no more than guesses."""
    rules = {"feedback": "ladder", "metrics": "nDCG@10", "topics": 60, "judged": 15}
    got = attacks(submissions=submissions, together=together, **rules)
    for name, found in got.items():
        assert found["sent"] > 40
        assert found["bits"] <= found["bound"]
        assert name == "walk" or found["p"] > 0.001
        assert name == "walk" or found["after"] - found["before"] <= 0.10


def test_a_ladder_from_a_baseline_is_not_walked() -> None:
    """Twenty teams that walk from nothing learn from a plain ladder, and nothing from one that begins at a baseline."""
    rng = np.random.default_rng(0)
    drawn = rng.random((30, 20)) < 0.3
    qrels = {
        str(topic): {f"d{place}": int(one) for place, one in enumerate(row)}
        for topic, row in enumerate(drawn)
    }
    baseline = {
        topic: {name: one + 2 * rng.random() for name, one in row.items()}
        for topic, row in qrels.items()
    }
    rules = {"feedback": "ladder", "submissions": 20, "together": 20}
    found = [
        irmeta.leak(qrels, **rules, **more).sel(attack="walk", metric="nDCG@10")
        for more in ({}, {"baseline": baseline})
    ]
    assert float(found[0]["p"]) < 1e-4
    assert float(found[0]["after"] - found[0]["before"]) > 0.10
    assert int(found[1]["claims"]) == 0
    assert float(found[1]["after"]) == float(found[1]["before"])


@pytest.mark.data
@pytest.mark.slow
def test_trec_covid(data: Path) -> None:
    """Ninety means of round 1 give judgments away and lift BM25R2 from .318; ladders and splits do not."""
    folder = data / "trec-covid" / "round1"
    given = {"qrels": folder / "qrels.txt", "run": folder / "runs" / "BM25R2.gz"}
    open_ = irmeta.leak(**given, metrics=f"nDCG@10 {BITS}").tables["attacks"]
    best = open_.filter(metric=BITS, attack="decode").row(0, named=True)
    assert best["before"] == pytest.approx(0.318, abs=5e-4)
    assert best["claims"] == best["right"] > 300
    assert best["after"] > 0.55
    for rules in (
        {"feedback": "ladder"},
        {"feedback": "ladder", "together": 20},
        {"feedback": "ladder", "together": 20, "baseline": given["run"]},
        {"feedback": "split"},
    ):
        found = irmeta.leak(**given, **rules)
        rows = found.tables["attacks"]
        assert (rows["after"] - rows["before"]).max() <= 0.10
        bound = float(found["bits_all"].sel(rules=rules["feedback"]))
        assert rows["bits"].max() <= bound


@pytest.mark.parametrize(
    ("metric", "size"), [(BITS, 8), ("P@10", 1), ("Success@5", 1), ("RR", 1)]
)
def test_how_much_one_mean_of_thirty_topics_tells(metric: str, size: int) -> None:
    """Bits of RBP as many as a resolution of .003 leaves, log2(1 / .003); one document by counts and first ranks."""
    assert Codebook.of(parse(metric), [0, 1], 0.003).size == size
    assert math.floor(math.log2(1 / 0.003)) == 8


def test_a_share_of_judged_documents_has_no_code() -> None:
    """Scores that do not depend on grades are not read."""
    got = attacks(metrics="Judged@10", submissions=4)
    assert got["decode"]["claims"] == 0


def test_answers_first() -> None:
    """The first finding says how many judgments go with how many submissions, or the bound, or that none do."""
    small = {"topics": 5, "judged": 10}
    plain = irmeta.leak(metrics=BITS, show="topics", submissions=3, **small)
    assert plain.findings[0] == (
        f"These rules give away all 50 judgments with 1 submission of {BITS}."
    )
    none = irmeta.leak(feedback="none", submissions=3, **small)
    assert none.findings == [
        "These rules give away nothing of the judgments: no answer depends on them."
    ]
    ladder = irmeta.leak(feedback="ladder", submissions=3, step=0.25, **small)
    assert ladder.findings[0].startswith(
        "These rules give away at most 5 bits about 50"
    )
    assert "qrels=" in plain.notes[0]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"submissions": 0}, "submissions must be 1 or more"),
        ({"feedback": "ladder", "topics": 10}, "one topic alone must not move"),
        ({"run": {"1": {"a": 1.0}}}, "needs the judgments"),
        ({"baseline": {"1": {"a": 1.0}}}, "needs the judgments"),
        ({"metrics": "P(pool=5)@10"}, "depends on other runs"),
        ({"metrics": "GMAP"}, "geometric mean"),
        ({"qrels": {"1": {"a": 0}, "2": {"b": 0}}}, "there is nothing to hide"),
        ({"decimals": 20}, "decimals must be 0 to 17"),
        ({"share": 1.5}, "between 0 and 1"),
    ],
)
def test_rules_that_cannot_be(given: dict, message: str) -> None:
    """Rules without submissions, ladders that one topic climbs and runs without judgments are errors."""
    with pytest.raises(IrmetaError, match=message):
        irmeta.leak(**{"topics": 5, "judged": 4, "submissions": 2} | given)
