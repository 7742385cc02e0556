"""The measurement beside peers: worlds have their means, ours is what irmeta prints, and who is behind."""

import numpy as np
import pytest
from bench.peers import __main__ as command
from bench.peers import measure, others, ours, page
from bench.peers.measure import Held
from bench.peers.worlds import (
    IN_CLUSTERS,
    PLAIN,
    Binary,
    Case,
    Drawn,
    in_clusters,
    judged,
    two,
)

import irmeta
from irmeta.scores.cube import cube
from irmeta.scores.groups.clusters import with_clusters


def as_cube(values: np.ndarray, topics: np.ndarray):
    """Return scores of two systems as a cube of nDCG@10."""
    return cube(values[..., None], ["a", "b"], [str(at) for at in topics], ["nDCG@10"])


@pytest.mark.parametrize("rate", [0.6, 0.08])
def test_scores_of_0_and_1_have_their_means(rate: float) -> None:
    """Over many topics systems score what is said to be true."""
    world = Binary(rate)
    found = world.scores(100_000, np.random.default_rng(0))
    assert np.unique(found).tolist() == [0, 1]
    np.testing.assert_allclose(found.mean(axis=1), world.means, atol=0.006)


@pytest.mark.parametrize("name", ["Beta scores", "0/1, about .6", "clusters"])
def test_ours_is_what_irmeta_prints(name: str) -> None:
    """Intervals of means and of the difference are those of `intervals` and `versus`."""
    rng = np.random.default_rng(1)
    if name == "clusters":
        drawn = in_clusters(IN_CLUSTERS[0], 12, rng)
    else:
        drawn = two(PLAIN[name], 25, rng)
    scores = as_cube(drawn.scores, np.arange(drawn.scores.shape[1]))
    if drawn.cluster is not None:
        of = dict(zip(scores.topic.values, drawn.cluster.astype(str), strict=True))
        scores = with_clusters(scores, of)
    own = irmeta.intervals(scores)
    printed = [own["low"].values[:, 0], own["high"].values[:, 0]]
    np.testing.assert_allclose(ours.mean(drawn), printed)
    apart = irmeta.versus(scores, "a", "b")
    printed = [[apart[name].values.item()] for name in ("low", "high")]
    np.testing.assert_allclose(ours.difference(drawn), printed)


def test_ours_is_what_an_estimate_prints() -> None:
    """Intervals from few human topics are those of `judges.estimate`."""
    drawn = judged(PLAIN["few values"], 0.7, 10, 40, np.random.default_rng(2))
    found = irmeta.judges.estimate(
        as_cube(drawn.scores, drawn.of), as_cube(drawn.machine, np.arange(40))
    )
    printed = [found[name].values[:, 0] for name in ("low", "high")]
    np.testing.assert_allclose(ours.estimated_mean(drawn), printed)
    printed = [found[f"difference_{name}"].values[0] for name in ("low", "high")]
    np.testing.assert_allclose(ours.estimated_difference(drawn), printed)


def held(kept: int, width: float) -> Held:
    """Return what came of 1000 draws of which so many held."""
    return Held((np.arange(1000) < kept).astype(float), np.full(1000, width))


@pytest.mark.parametrize(
    ("kept", "width", "said"),
    [
        (950, 1.0, ""),
        (920, 1.0, "holds less"),
        (990, 1.1, "is wider"),
        (920, 1.1, "holds less and is wider"),
        (945, 1.04, ""),
    ],
)
def test_behind_is_who_holds_less_or_is_wider(
    kept: int, width: float, said: str
) -> None:
    """More than .95 is not asked for, a width up to 1.05 times that of the other is not wider."""
    assert measure.behind(held(kept, width), held(960, 1.0)) == said


def test_wider_and_holding_more_is_not_behind() -> None:
    """Where the other holds less, a wider interval is what that costs."""
    assert measure.behind(held(950, 1.3), held(850, 1.0)) == ""
    assert measure.pays(held(950, 1.3), held(850, 1.0))


def test_the_page_has_a_part_between_its_marks(tmp_path, monkeypatch) -> None:
    """A part goes between its marks; what a peer holds is bold where irmeta is behind, and named below."""
    text = tmp_path / "peers.md"
    text.write_text("before\n<!-- mean: begin -->\nold\n<!-- mean: end -->\nafter\n")
    monkeypatch.setattr(page, "PAGE", text)
    rows = [
        (
            Case("ties", str(n), n, lambda _: Drawn(np.zeros(1), np.zeros(1))),
            {"irmeta": held(kept, 0.5), "truescore": held(950, 0.4)},
        )
        for n, kept in ((5, 900), (10, 800))
    ]
    page.write("mean", page.section(rows, "topics", "seed 2", {"truescore": "0.7.4"}))
    found = text.read_text()
    assert found.startswith("before\n")
    assert found.endswith("after\n")
    assert "| ties | 5 | 0.900, 0.500 | **0.950, 0.80** | 0.009 |" in found
    assert "irmeta is behind in 2: it holds less and is wider in ties (5, 10)." in found
    assert "Against truescore 0.7.4; seed 2." in found


def test_peers_that_are_missing_are_named(monkeypatch, capsys) -> None:
    """Without a package the rest is measured, and one sentence names it."""
    monkeypatch.setattr(others, "installed", dict)
    assert command.run(["--draws", "2", "--part", "clusters-mean"]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert first == (
        "evalstats, truescore, evalsig cannot be imported: they are not measured."
    )
