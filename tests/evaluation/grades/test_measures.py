import math
from itertools import count

import numpy as np
import pytest

from irmeta.evaluation.engine import evaluate

Lists = dict[str, dict[str, float]]


def collection(rng: np.random.Generator, topics: int) -> Lists:
    """Draw judgments of 400 documents for each topic; grades are -1 to 3 and halves of them."""
    return {
        str(topic): {
            f"d{document}": int(grade) / 2
            for document, grade in enumerate(rng.integers(-2, 7, 400))
        }
        for topic in range(topics)
    }


def run(rng: np.random.Generator, topics: int) -> Lists:
    """Draw lists of 1 to 1500 of 2000 documents, of which 400 are judged."""
    return {
        str(topic): {
            f"d{document}": -float(place)
            for place, document in enumerate(
                rng.permutation(2000)[: rng.integers(1, 1500)]
            )
        }
        for topic in range(topics)
    }


def in_rank_order(grades: list[float | None], judged: list[float]) -> dict[str, float]:
    """Compute measures from the grades down a list, adding term after term from the first rank."""
    p, highest = 0.95, 3
    R = sum(grade >= 1 for grade in judged)
    found = 0
    precisions = gains = rbp = err = residual = 0.0
    reached = 1.0
    for rank, grade in zip(count(1), grades, strict=False):
        gain = max(grade or 0.0, 0.0)
        discount = 1 / math.log2(rank + 1)
        weight = (1 - p) * math.pow(p, rank - 1)
        if gain >= 1:
            found += 1
            precisions += found / rank
        gains += gain * discount
        rbp += min(gain / highest, 1) * weight
        residual += (grade is None or grade < 0) * weight
        stop = min(math.exp2(gain - highest) - math.exp2(-highest), 1)
        err += stop * reached / rank
        reached *= 1 - stop
    ideal = 0.0
    for rank, grade in enumerate(sorted(judged, reverse=True), 1):
        ideal += max(grade, 0.0) * (1 / math.log2(rank + 1))
    return {
        "SP": precisions,
        "AP": precisions / R,
        "DCG": gains,
        "nDCG": gains / ideal,
        "RBP(p=0.95)": rbp,
        "ERR": err,
        "RBPResidual(p=0.95)": residual + math.pow(p, len(grades)),
    }


@pytest.mark.parametrize("topics", [1, 4])
@pytest.mark.parametrize("systems", [1, 3])
def test_sums_in_rank_order(topics: int, systems: int) -> None:
    """Scores are, to the last bit, sums over ranks one after the other, however many lists are added together."""
    rng = np.random.default_rng(7)
    qrels = collection(rng, topics)
    runs = {f"s{system}": run(rng, topics) for system in range(systems)}
    cube = evaluate(qrels, runs, list(in_rank_order([], [1])))
    for name, lists in runs.items():
        for topic, ranked in lists.items():
            grades = [qrels[topic].get(document) for document in ranked]
            wanted = in_rank_order(grades, list(qrels[topic].values()))
            ours = cube.sel(system=name, topic=topic).to_series().to_dict()
            assert ours == wanted
