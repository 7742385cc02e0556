"""`online`: which metric predicts what users prefer, where the truth is known, and what it says where nothing is."""

import numpy as np
import polars as pl
import pytest
from tests.typed import typed

import irmeta
from irmeta.errors import FileFormatError, IrmetaError, ScoresError
from irmeta.scores.cube import cube


def made(systems=20, topics=10):
    """Two metrics: one is what users prefer, the other hardly so."""
    rng = np.random.default_rng(1)
    quality = rng.normal(size=systems)
    other = 0.2 * quality + rng.normal(size=systems)
    means = 0.5 + 0.05 * np.stack([quality, other], axis=-1)
    scores = means[:, None] + 0.02 * rng.normal(size=(1, topics, 1))
    names = [f"s{at:02}" for at in range(systems)]
    return cube(scores, names, [str(at) for at in range(topics)], ["nDCG@10", "RR"])


def outcomes(scores, noise=0.3, seed=2):
    """Outcomes of the systems by what users prefer, a data frame."""
    rng = np.random.default_rng(seed)
    quality = scores.sel(metric="nDCG@10").mean("topic").values
    value = (quality - quality.mean()) / quality.std() + noise * rng.normal(
        size=len(quality)
    )
    return pl.DataFrame(
        {
            "system": scores.system.values.tolist(),
            "value": value,
            "se": max(noise, 0.01),
        }
    )


def test_the_metric_that_users_agree_with_is_found():
    """Users agree with the metric that is what they prefer, more often than with the other, and a sentence says so."""
    scores = made()
    found = irmeta.online(scores, outcomes(scores))
    assert found["agreement_low"].values[0] > 0.8
    assert found["behind_low"].values[1] > 0
    assert found.findings[0].startswith("Users agree with nDCG@10 on 9")
    assert "Users agree more often with nDCG@10 than with RR." in found.findings
    ends = (
        found["gain_low"].values[0],
        found["gain"].values[0],
        found["gain_high"].values[0],
    )
    assert 0 < ends[0] < ends[1] < ends[2] < 0.05


def test_noise_alone_shows_nothing():
    """Where outcomes are noise, nothing is claimed, and the interval is wide."""
    scores = made()
    table = outcomes(scores, noise=0.0)
    value = np.random.default_rng(7).normal(size=table.height)
    found = irmeta.online(
        scores, table.with_columns(value=pl.Series(value), se=pl.lit(1.0))
    )
    assert found.findings[0].startswith(
        "Nothing can be claimed: the outcomes differ hardly"
    )
    assert found["agreement_high"].values[0] - found["agreement_low"].values[0] > 0.5


def test_users_may_prefer_the_other_end():
    """An outcome that is better where the metric is worse is said to be so."""
    scores = made()[..., :1]
    table = outcomes(scores).with_columns(-pl.col("value"))
    found = irmeta.online(scores, table)
    assert found.findings[0].startswith("Users prefer what nDCG@10 ranks lower")
    assert np.isinf(found["gain"].item())


def test_interleaving_of_pairs_and_against_one():
    """Wins and losses between systems, or against one that has no scores, say the same of the metric."""
    scores = made()
    names = scores.system.values.tolist()
    quality = dict(zip(names, scores[..., 0].mean("topic").values, strict=True))
    pairs = [(a, b) for at, a in enumerate(names) for b in names[at + 1 : at + 4]]
    for rows in (pairs, [(name, "production") for name in names]):
        lead = np.array([quality[a] - quality.get(b, 0.5) for a, b in rows])
        wins = np.rint(1000 * (0.5 + lead)).astype(int)
        table = pl.DataFrame(
            {
                "a": [a for a, _ in rows],
                "b": [b for _, b in rows],
                "wins": wins,
                "losses": 1000 - wins,
            }
        )
        found = irmeta.online(scores, table)
        assert found["agreement"].values[0] > 0.9
        assert found["agreement_low"].values[0] > 0.75
        assert found.sizes["experiment"] == len(rows)


def test_who_lacks_scores_is_named():
    """Systems of one side only are left out; of those of the outcomes a note tells."""
    scores = made()
    table = outcomes(scores).with_columns(pl.col("system").replace("s03", "mystery"))
    found = irmeta.online(scores, table)
    assert "1 system of the outcomes without scores: mystery; left out" in found.notes
    few = table.head(6)
    with pytest.raises(
        ScoresError, match="3 systems with scores and outcomes, and it takes 5"
    ):
        irmeta.online(scores[:4], few)
    with pytest.raises(ScoresError, match="every outcome is 1"):
        irmeta.online(scores, table.with_columns(value=pl.lit(1.0)))


def test_outcomes_without_errors_are_taken_as_they_are():
    """Without standard errors noise counts as disagreement, and a note says so."""
    scores = made()
    found = irmeta.online(scores, outcomes(scores).drop("se"))
    assert any("have no standard errors" in note for note in found.notes)
    assert not any("noise is" in sentence for sentence in found.findings)


def test_queries_that_are_topics_are_noted():
    """Luck on topics that are queries of the outcomes counts as agreement, and a note says so."""
    scores = made()
    of = outcomes(scores)
    parts = [
        of.select("system", pl.col("value") + at, query=pl.lit(str(at)))
        for at in range(3)
    ]
    found = irmeta.online(scores, pl.concat(parts))
    assert any("are also of 3 topics of the scores" in note for note in found.notes)


def test_metrics_that_order_alike_are_not_told_apart():
    """A metric that is a line in the best one is behind it by nothing."""
    scores = made()
    twice = scores.copy(
        data=np.stack([scores.values[..., 0], scores.values[..., 0] / 2], axis=-1)
    )
    found = irmeta.online(twice, outcomes(scores))
    assert found["behind"].values.tolist() == [0, 0]
    assert "Users may agree most with nDCG@10 or RR." in found.findings


@pytest.mark.parametrize(
    ("unit", "says"),
    [
        (1e300, ":2: value is .*; write it in another unit, so that it is at most"),
        (1e-200, "there must be differences of more than 1e-12"),
    ],
)
def test_outcomes_beyond_use_are_refused(unit, says):
    """Numbers whose squares no sum can hold are errors that say so, not ones of arithmetic."""
    scores = made()
    given = outcomes(scores)
    given = given.with_columns(value=(given["value"] + 10) * unit)
    with pytest.raises(IrmetaError, match=says):
        irmeta.online(scores, given)


def test_too_few_systems_are_named():
    """Systems with outcomes and those with scores are listed; an experiment of one system names no empty one."""
    scores = made()
    few = outcomes(scores).head(3)
    with pytest.raises(ScoresError, match="outcomes name s00, s01, s02, the scores"):
        irmeta.online(scores, few)


def test_the_command_is_the_study(tmp_path):
    """`irmeta online` prints what the function finds; a file that is no table of outcomes is said to be none."""
    scores = made()
    irmeta.save(scores, tmp_path / "scores.parquet")
    outcomes(scores).write_csv(tmp_path / "online.csv")
    (tmp_path / "qrels.txt").write_text("301 0 d1 1\n302 0 d2 0\n")
    said = typed(
        ["online", str(tmp_path / "scores.parquet"), str(tmp_path / "online.csv")]
    )
    assert irmeta.online(scores, outcomes(scores)).findings[0][
        :40
    ] in said.stdout.replace("\n  ", " ")
    with pytest.raises(FileFormatError, match="not a table of outcomes"):
        typed(["online", str(tmp_path / "scores.parquet"), str(tmp_path / "qrels.txt")])
