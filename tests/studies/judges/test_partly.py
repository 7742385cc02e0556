"""P@k where people judged a part of each topic's pairs, which is noticed by comparing the two sets."""

import numpy as np
import pytest

from irmeta.errors import IrmetaError
from irmeta.evaluation.engine import evaluate
from irmeta.evaluation.sets import JudgmentSets
from irmeta.studies.judges.partly import partly_judged

TOPICS, DOCUMENTS = 12, 30


def made(seed=0):
    """Runs, what people think of every document, and what a machine does."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, (TOPICS, DOCUMENTS))
    machine = np.clip(truth + rng.integers(0, 2, truth.shape), 0, 2)
    runs = {
        name: {
            str(topic): {
                f"d{at}": float(score)
                for at, score in enumerate(
                    skill * truth[topic] + rng.normal(size=DOCUMENTS)
                )
            }
            for topic in range(TOPICS)
        }
        for name, skill in (("good", 2.0), ("bad", 0.2))
    }
    return runs, judgments(truth), judgments(machine)


def judgments(grades, kept=None):
    """Name what is judged: {topic: {document: grade}}."""
    return {
        str(topic): {
            f"d{at}": int(grade)
            for at, grade in enumerate(row)
            if kept is None or kept[topic, at]
        }
        for topic, row in enumerate(grades)
    }


def part_of(truth, kept):
    """Keep some of the judgments."""
    return {
        topic: {document: grade for document, grade in of.items() if kept(document)}
        for topic, of in truth.items()
    }


def test_whole_topics_are_not_parts():
    """People who judged all, some topics whole, or all that runs rank first, judged whole topics."""
    runs, truth, machine = made()
    deep = {
        topic: {**grades, **{f"x{at}": 0 for at in range(100)}}
        for topic, grades in machine.items()
    }
    few = {topic: truth[topic] for topic in "135"}
    for people, all_pairs in ((truth, machine), (few, machine), (truth, deep)):
        sets = JudgmentSets.of({"human": people, "machine": all_pairs})
        assert partly_judged(sets, runs) is None


def test_a_part_is_estimated_about_where_the_whole_is():
    """Means by a third of the pairs, averaged over draws, are those by all; taken for whole, a third of them."""
    runs, truth, machine = made()
    wanted = evaluate(truth, runs, "P@10").mean("topic").values[:, 0]
    rng = np.random.default_rng(1)
    found = []
    for _ in range(40):
        part = part_of(truth, lambda _: rng.random() < 1 / 3)
        given = partly_judged(
            JudgmentSets.of({"human": part, "machine": machine}), runs
        )
        assert given is not None
        found.append(given.human.mean("topic").values[:, 0])
    error = np.std(found, axis=0) / np.sqrt(40)
    assert (np.abs(np.mean(found, axis=0) - wanted) < 4 * error).all()
    taken_whole = evaluate(part, runs, "P@10").mean("topic").values[:, 0]
    assert (taken_whole < 0.6 * wanted).all()


def test_what_was_judged_is_said():
    """The note counts the pairs; people who judged by rank are asked whether they did."""
    runs, truth, machine = made()
    rng = np.random.default_rng(2)
    part = part_of(truth, lambda _: rng.random() < 0.3)
    given = partly_judged(JudgmentSets.of({"human": part, "machine": machine}), runs)
    count = sum(map(len, part.values()))
    assert given is not None
    assert f"people judged {count} of the machine's 360 pairs" in given.notes[0]
    assert len(given.notes) == 1
    top = {
        topic: {
            document: grade
            for document, grade in of.items()
            if max(runs[name][topic][document] for name in runs)
            >= sorted(runs["good"][topic].values())[-3]
        }
        for topic, of in truth.items()
    }
    given = partly_judged(JudgmentSets.of({"human": top, "machine": machine}), runs)
    assert given is not None
    assert "do not look random" in given.notes[1]


@pytest.mark.parametrize("metric", ["nDCG@10", "AP", "P(depth=5)@10"])
def test_metrics_that_need_whole_topics(metric):
    """A metric that no part of the judgments gives is an error that names P@k."""
    runs, truth, machine = made()
    rng = np.random.default_rng(3)
    part = part_of(truth, lambda _: rng.random() < 0.3)
    sets = JudgmentSets.of({"human": part, "machine": machine})
    with pytest.raises(IrmetaError, match=r"needs all judgments.*metrics='P@10'"):
        partly_judged(sets, runs, metric)
