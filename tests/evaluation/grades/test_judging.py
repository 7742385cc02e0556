"""Looking documents up among judgments whose hashes are equal, by chance or because somebody chose them so."""

from collections.abc import Callable
from itertools import permutations

import numpy as np
import pytest

import irmeta
from irmeta.evaluation.grades import judging
from irmeta.io.runs.rankings import qrels_from_mapping


def test_judged_documents_with_equal_hashes_are_all_found(
    colliding: Callable[[str, int], list[str]],
) -> None:
    """Four judged documents of one hash are four relevant documents; a fifth of that hash, not judged, is none."""
    *others, extra = colliding("doc-7", 4)
    alike = ["doc-7", *others]
    qrels = {"1": dict.fromkeys(alike, 1) | {"x": 0}}
    run = {"1": {name: float(9 - at) for at, name in enumerate([*alike, "x", extra])}}
    scores = irmeta.evaluate(
        qrels, {"run": run}, ["AP", "NumRelRet", "Judged@6"]
    ).values.ravel()
    assert scores.tolist() == pytest.approx([1, 4, 5 / 6])


@pytest.mark.parametrize("order", list(permutations(["a", "a\0", "a\0\0"])))
def test_ids_that_end_with_nul_are_different(order: tuple[str, ...]) -> None:
    """Ids that differ only by NUL at their end keep their own judgments, in whatever order they come."""
    qrels = {"1": {name: int(name == "a\0") for name in order}}
    run = {"1": {name: float(name == "a\0") for name in order}}
    assert irmeta.evaluate(qrels, {"run": run}, "AP").item() == 1
    # among ties the last in byte order comes first: a\0\0, a\0, a
    tied = {"1": dict.fromkeys(order, 1.0)}
    assert irmeta.evaluate(qrels, {"run": tied}, "RR").item() == 0.5


def test_bisection_finds_what_steps_find(monkeypatch: pytest.MonkeyPatch) -> None:
    """Judgments that begin alike are found by bisection, as the others are by steps."""
    names = [f"d{number}" for number in range(300)]
    keys = judging._Keys(qrels_from_mapping({"1": dict.fromkeys(names, 1)}))
    key = np.append(keys._key, keys._key + np.uint64(1))
    at = keys.places(key)
    monkeypatch.setattr(judging, "_STEPS", 0)
    bisected = keys.places(key)
    np.testing.assert_array_equal(at[:300], np.arange(300))
    np.testing.assert_array_equal(bisected[:300], np.arange(300))
    np.testing.assert_array_equal(keys._key[at] == key, keys._key[bisected] == key)


def test_ids_that_are_no_utf8_name_topics_and_systems_as_text() -> None:
    """Bytes that are not UTF-8 are escapes in the names of scores, which every library can hold; selecting works."""
    qrels = {"caf\udce9": {"a": 1}, "2": {"b": 1}}
    runs = {
        "r\udcff": {"caf\udce9": {"a": 1.0}, "2": {"b": 0.5}},
        "s": {"caf\udce9": {"a": 0.5}},
    }
    for topics, named in (("qrels", ["caf\\xe9", "2"]), ("common", ["caf\\xe9"])):
        cube = irmeta.evaluate(qrels, runs, "AP", topics=topics)  # type: ignore[arg-type]
        assert cube.topic.values.tolist() == named
        assert irmeta.select(cube, systems=["r\\xff"]).sel(topic="caf\\xe9").item() == 1
