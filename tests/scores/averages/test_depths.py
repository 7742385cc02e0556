"""Lists that end far before a metric's cutoff are told, where most others go on."""

import irmeta


def _run(depth: int) -> dict[str, dict[str, float]]:
    return {topic: {f"d{at}": -float(at) for at in range(depth)} for topic in "12"}


def test_short_lists_are_told_by_the_metrics_that_they_lower() -> None:
    """Of a run of 30 documents beside others of 100 R@100 is told, and nDCG@10 is not; short ones alone are no news."""
    qrels = {topic: {f"d{at}": at % 2 for at in range(60)} for topic in "12"}
    runs = {"a": _run(100), "b": _run(90), "short": _run(30)}
    scores = irmeta.evaluate(qrels, runs, "nDCG@10 R@100")
    told = "Lists that end early may lower R@100, as most runs go on to rank 90: short at rank 30."
    assert any(note.startswith(told) for note in irmeta.about(scores)["notes"])
    assert any(
        note.startswith(told) for note in irmeta.versus(scores, "a", "short").notes
    )

    def said(*names: str, metric: str = "R@100") -> bool:
        notes = irmeta.versus(scores, *names, metrics=metric).notes
        return any("end early" in note for note in notes)

    assert said("a", "short")
    assert not said("a", "short", metric="nDCG@10")
    assert not said("a", "b")
    alike = irmeta.evaluate(qrels, {"a": _run(30), "b": _run(20)}, "R@100")
    assert not any("end early" in note for note in irmeta.about(alike)["notes"])
