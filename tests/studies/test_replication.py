"""`replicate`: verdicts where the truth is known, what it takes, what it refuses, and published figures."""

import csv
import gzip
import io
import json

import numpy as np
import polars as pl
import pytest
import xarray as xr
from tests.typed import typed

import irmeta
from irmeta.errors import IrmetaError
from irmeta.scores.cube import cube
from irmeta.studies.differences.replication.figures import UNSHOWN

SYSTEMS = ["mine", "bm25"]


def made(lead, topics=60, seed=0, noise=0.05, base=0.4, first=301, name="made"):
    """Draw a system that leads a baseline by this, on topics of some number."""
    rng = np.random.default_rng(seed)
    of_topic = rng.normal(base, 0.1, topics)
    scores = np.stack([of_topic + lead, of_topic]) + rng.normal(0, noise, (2, topics))
    names = [str(first + at) for at in range(topics)]
    return cube(scores[..., None].clip(0, 1), SYSTEMS, names, ["AP"], collection=name)


@pytest.mark.parametrize(
    ("before", "later", "verdict"),
    [
        (0.1, 0.1, "reproduced"),
        (0.1, 0.0, "not reproduced"),
        (0.1, 0.05, "cannot tell"),
        (0.0, 0.1, "no effect"),
        (0.1, -0.1, "not reproduced"),
        (-0.1, -0.1, "reproduced"),
    ],
)
@pytest.mark.parametrize("first", [301, 901], ids=["same topics", "other topics"])
def test_the_verdict_is_about_the_lead(before, later, verdict, first):
    """A lead that is there, gone, half there or was never there is called so, on the same topics and on others."""
    given = {"old": made(before, seed=1), "new": made(later, seed=2, first=first)}
    found = irmeta.replicate(given, system="mine", against="bm25")
    assert found["verdict"].item() == verdict
    assert bool(found["together"].item()) == (first == 301)
    assert found.findings[0].startswith(verdict[:5].capitalize())


def test_one_system_is_asked_whether_it_scores_the_same():
    """Without a baseline the ratio is of means, and must lie within a share of 1."""
    one = made(0, topics=200)
    given = {"old": one, "same": one + 0.001, "other": one * 0.8}
    found = irmeta.replicate(given, system="bm25")
    assert found["verdict"].values.ravel().tolist() == ["reproduced", "not reproduced"]
    assert found["ratio"].sel(experiment="other").item() == pytest.approx(0.8)
    assert "lead" not in found


def test_the_same_files_again_are_said_to_be_the_same():
    """An exact reproduction has ratio 1 and the original's score on every topic, and no note."""
    one = made(0.1)
    found = irmeta.replicate({"a": one, "b": one}, system="mine", against="bm25")
    assert found["verdict"].item() == "reproduced"
    assert "mine has the original's score on every topic" in found.findings[1]
    assert "the same on every topic" in found.findings[0]


def test_a_collection_that_becomes_easier_is_no_drift_of_the_system():
    """Where both systems gain alike the collection moved; where one loses its lead, the system did."""
    old = made(0.1, seed=1)
    easier = made(0.1, seed=2, base=0.6, first=901)
    worse = made(-0.1, seed=3, first=901)
    given = {"old": old, "easier": easier, "worse": worse}
    found = irmeta.replicate(given, system="mine", against="bm25")
    drift = [one for one in found.findings if one.startswith("From")]
    assert "the collection becomes easier" in drift[0]
    assert "no drift of mine against bm25 is shown" in drift[0]
    assert "no change of the collection is shown" in drift[1]
    assert "mine loses to bm25" in drift[1]


def months(rng, count=8, trend=0.0, drift=0.0):
    """Draw months of other queries, as LongEval has them: hard ones, a quarter of which a system finds nothing for."""
    given = {}
    for at in range(count):
        size = int(rng.integers(40, 80))
        easy = rng.normal(-1.2 + trend * at, 1.2, size)
        skill = np.array([[0.35 - drift * at], [0.0]])
        scores = 1 / (1 + np.exp(-easy - skill - rng.normal(0, 0.6, (2, size))))
        scores[rng.random((2, size)) < 0.25] = 0
        names = [f"q{at}{query:03}" for query in range(size)]
        given[f"month {at}"] = cube(scores[..., None], SYSTEMS, names, ["nDCG@10"])
    return given


def moved(**options):
    """Compare months with the first, and say in which anything moved, as sentences say it and by intervals alone."""
    seed = options.pop("seed")
    given = months(np.random.default_rng([38, seed]), **options)
    found = irmeta.replicate(given, system="mine", against="bm25")
    by_itself = (found["lead_change_low"] > 0) | (found["lead_change_high"] < 0)
    return found, bool(by_itself.any())


def test_months_without_a_trend_show_none():
    """In months that are alike sentences say less often that anything moved than their intervals do, and seldom."""
    found = [moved(seed=at) for at in range(24)]
    drifts, changes = (
        sum(bool((one[name] != "not shown").any()) for one, _ in found)
        for name in ("drift", "collection")
    )
    assert max(drifts, changes) <= 4 < sum(alone for _, alone in found)
    quiet = [one for one, alone in found if alone and (one["drift"] == UNSHOWN).all()]
    assert "no drift of mine against bm25 is shown" in quiet[0].findings[1]
    assert any("by itself)" in sentence for sentence in quiet[0].findings)


def test_months_with_a_trend_show_it():
    """A collection that becomes harder, and a system that loses to the other, are found in the last month."""
    harder, _ = moved(seed=0, trend=-0.3)
    assert harder["collection"].values[-1, 0] == "harder"
    loses, _ = moved(seed=0, drift=0.25)
    assert loses["drift"].values[-1, 0] == "loses"
    assert "month 7; no drift" in harder.findings[1]
    assert "month 7, against bm25." in loses.findings[1]
    table = loses.tables["experiments"]
    assert table["drift"].to_list() == loses["drift"].values.ravel().tolist()


def test_unpaired_takes_topics_of_one_name_as_others():
    """Topics numbered alike in two collections can be other topics; then nothing is paired, and no RMSE is there."""
    given = {"a": made(0.1, seed=1), "b": made(0.1, seed=2)}
    paired = irmeta.replicate(given, system="mine", against="bm25")
    other = irmeta.replicate(given, system="mine", against="bm25", unpaired=True)
    assert np.isfinite(paired["rmse"]).all()
    assert np.isnan(other["rmse"]).all()
    assert (other["ratio"] == paired["ratio"]).all()
    assert (other["p"] != paired["p"]).all()


def test_topics_that_are_shared_in_part_are_paired_and_counted():
    """Of two collections that share some topics these are compared, and a note says how many they are."""
    given = {"a": made(0.1), "b": made(0.1, seed=2, first=331)}
    found = irmeta.replicate(given, system="mine", against="bm25")
    assert found["topics"].item() == 30
    assert "the 30 topics that it shares by name with a" in found.notes[0]


@pytest.mark.parametrize("right", [False, True])
def test_means_and_leads_have_the_intervals_of_describe_and_versus(right):
    """Over the topics that are compared, also where scores are 0 or 1."""
    old, new = made(0.1, topics=12), made(0.1, topics=9, seed=1)
    if right:
        old, new = (old > 0.45).astype(float), (new > 0.45).astype(float)
    found = irmeta.replicate({"old": old, "new": new}, system="mine", against="bm25")
    shared = old.sel(topic=new.topic)
    means = irmeta.intervals(shared)
    lead = irmeta.versus(shared, "mine", "bm25")
    for end in ("low", "high"):
        own = means[end].sel(metric="AP")
        for run, name in enumerate(SYSTEMS):
            printed = found[f"first_{end}"].values.ravel()[run]
            assert printed == pytest.approx(own.sel(system=name).item())
        assert found[f"original_lead_{end}"].item() == pytest.approx(lead[end].item())


def test_all_systems_say_whether_scores_are_0_or_1():
    """Two runs that are 0 or 1 beside one that is not have no intervals of right and wrong, as with versus there."""
    old = (made(0.1, topics=12) > 0.45).astype(float)
    third = old[:1].assign_coords(system=["third"]) / 2
    old = xr.concat([old, third], "system")
    found = irmeta.replicate({"old": old, "new": old}, system="mine", against="bm25")
    lead = irmeta.versus(old, "mine", "bm25")
    means = irmeta.intervals(old)
    for end in ("low", "high"):
        assert found[f"original_lead_{end}"].item() == pytest.approx(lead[end].item())
        of_runs = means[end].sel(system=list(SYSTEMS), metric="AP").values
        assert found[f"first_{end}"].values.ravel() == pytest.approx(of_runs)


def test_no_lead_may_be_larger_than_the_metric_allows():
    """A system that alone is right on 3 of 5 topics leads by 1 at most, as versus says."""
    right = np.array([[1, 1, 1, 0, 0], [0, 0, 0, 0, 0]], dtype=float)[..., None]
    old = cube(right, SYSTEMS, list("12345"), ["P@1"])
    found = irmeta.replicate({"old": old, "new": old}, system="mine", against="bm25")
    assert found["original_lead_high"].item() == 1
    assert irmeta.versus(old, "mine", "bm25")["high"].item() == 1


def test_means_alone_have_figures_and_no_verdict():
    """A table of means gives ratios, and says that there are no intervals."""
    given = {
        name: cube([[[x]], [[0.2]]], SYSTEMS, ["all"], ["AP"])
        for name, x in (("a", 0.3), ("b", 0.25))
    }
    found = irmeta.replicate(given, system="mine", against="bm25")
    assert found["ratio"].item() == pytest.approx(0.5)
    assert found["delta_ri"].item() == pytest.approx(0.25)
    assert found["verdict"].item() == "cannot tell"
    assert "b: means only, so there are no intervals" in found.notes


def runs(folder, name, shift):
    """Write run files of two systems, as TREC's tools do, the lists of which are shifted by some places."""
    place = folder / name
    place.mkdir()
    for system, skill in (("mine", 3), ("bm25", 1)):
        lines = []
        for topic in range(301, 331):
            rng = np.random.default_rng(topic)
            score = rng.random(40) + skill * (np.arange(40) < 8) * rng.random(40)
            score += shift * np.random.default_rng([topic, skill]).normal(size=40)
            order = np.argsort(-score)
            lines += [
                f"{topic} Q0 d{at:02} {rank} {score[at]:.4f} {system}"
                for rank, at in enumerate(order, 1)
            ]
        (place / f"{system}.run").write_text("\n".join(lines) + "\n")
    return place


@pytest.fixture
def experiment(tmp_path):
    """Two folders of runs, and the judgments."""
    lines = [
        f"{t} 0 d{at:02} {int(at < 8)}" for t in range(301, 331) for at in range(40)
    ]
    (tmp_path / "qrels.txt").write_text("\n".join(lines) + "\n")
    return runs(tmp_path, "first", 0), runs(tmp_path, "again", 0.05), tmp_path


def test_run_files_have_their_lists_compared(experiment):
    """From run files come RBO and tau union by topic, their means, and the scores that `evaluate` gives."""
    first, again, folder = experiment
    found = irmeta.replicate(
        [first, again], qrels=folder / "qrels.txt", system="mine", against="bm25"
    )
    assert found["topic_rbo"].sizes == {"run": 2, "experiment": 1, "topic": 30}
    assert 0.8 < found["rbo"].sel(run="mine").item() < 1
    means = irmeta.means(irmeta.evaluate(folder / "qrels.txt", again, "AP"))
    mine = found["mean"].sel(run="mine", metric="AP").item()
    assert mine == pytest.approx(means.sel(system="mine").item())
    itself = irmeta.replicate(
        {"a": first, "b": str(first)}, qrels=folder / "qrels.txt", system="mine"
    )
    assert itself["topic_tau_union"].values == pytest.approx(1)


def test_lists_follow_the_scores_with_ties_by_name(experiment):
    """Ranked lists are in trec_eval's order, whatever the order of the lines: a file turned upside down is the same."""
    first, _, folder = experiment
    turned = folder / "turned"
    turned.mkdir()
    for file in first.iterdir():
        lines = file.read_text().splitlines()
        (turned / file.name).write_text("\n".join(lines[::-1]) + "\n")
    found = irmeta.replicate([first, turned], qrels=folder / "qrels.txt", system="mine")
    assert found["topic_tau_union"].values == pytest.approx(1)


def test_one_run_file_each_needs_no_name(experiment):
    """Two run files are two experiments of one system, whatever they are called."""
    first, again, folder = experiment
    (again / "mine.run").rename(again / "theirs.run")
    words = ["replicate", first / "mine.run", again / "theirs.run", "-m", "AP"]
    outcome = typed([*words, "--qrels", folder / "qrels.txt", "--format", "json"])
    assert outcome.exit_code == 0, outcome.stderr
    answer = json.loads(outcome.stdout)
    [row] = answer["tables"]["lists"]
    assert row["run"] == "mine"
    assert row["experiment"] == "theirs"
    assert row["rbo"] < 1


def test_a_system_may_have_another_name_later(experiment):
    """Both names with a comma find it in either experiment."""
    first, again, folder = experiment
    (again / "mine.run").rename(again / "theirs.run")
    found = irmeta.replicate(
        [first, again],
        qrels=folder / "qrels.txt",
        system="mine,theirs",
        against="bm25",
    )
    assert found["run"].values.tolist() == ["mine", "bm25"]
    with pytest.raises(IrmetaError, match="again has no system 'mine'.*ours,theirs"):
        irmeta.replicate([first, again], qrels=folder / "qrels.txt", system="mine")


def test_score_files_by_command(tmp_path):
    """Collections of score files are the experiments; the original is the first, or the one named."""
    for name, lead in (("march", 0.1), ("june", 0.12), ("july", 0.0)):
        given = made(lead, seed=len(name), name=name, first=100 * len(name))
        irmeta.save(given, tmp_path / f"{name}.parquet")
    files = [tmp_path / f"{name}.parquet" for name in ("march", "june", "july")]
    words = ["--system", "mine", "--against", "bm25", "--quiet"]
    first = typed(["replicate", *files, *words])
    assert first.exit_code == 0
    assert "from march to june" in first.stdout.lower().replace("\n  ", " ")
    named = typed(["replicate", *files, *words, "--original", "june"])
    assert "in june" in named.stdout


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        ({"a": made(0.1)}, {}, "only one experiment"),
        ({"a": made(0.1), "b": made(0.1)}, {"original": "c"}, "no experiment 'c'"),
        (
            {"a": made(0.1), "b": made(0.1)},
            {"system": "x"},
            "^a has no system 'x'; choose from mine, bm25; where a",
        ),
        (
            {"a": made(0.1), "b": made(0.1).where(made(0.1).topic != "301")},
            {},
            "^b: 1 of 60 scores are missing",
        ),
        (
            {"a": made(0.1), "b": made(0.1)},
            {"against": "mine"},
            "cannot be its own baseline",
        ),
        ({"a": made(0.1), "b": made(0.1)}, {"keep": 1.5}, "keep="),
        ({"a": made(0.1), "b": made(0.1)}, {"qrels": {"1": {"d": 1}}}, "need no judgm"),
        (
            {"a": made(0.1), "b": made(0.1).assign_coords(metric=["RR"])},
            {},
            "no metric in common",
        ),
        ({"a": made(0.1), "b": made(0.1)}, {"system": None}, "has 2 systems"),
    ],
)
def test_what_cannot_be_compared_is_refused(given, options, message):
    """Each mistake is an error that says what and where."""
    with pytest.raises(IrmetaError, match=message):
        irmeta.replicate(given, **{"system": "mine"} | options)


def test_runs_without_judgments_and_judgments_in_odd_numbers_are_refused(experiment):
    """Folders need --qrels, one for all or one for each; a score file needs none."""
    first, again, folder = experiment
    qrels = folder / "qrels.txt"
    with pytest.raises(IrmetaError, match="runs need judgments"):
        irmeta.replicate([first, again], system="mine")
    with pytest.raises(IrmetaError, match="3 qrels= and 2 experiments"):
        irmeta.replicate([first, again], qrels=[qrels] * 3, system="mine")
    with pytest.raises(IrmetaError, match="named twice"):
        irmeta.replicate([first, first], qrels=qrels, system="mine")
    with pytest.raises(IrmetaError, match=r"s\.parquet: scores need no judgments"):
        irmeta.replicate([first, folder / "s.parquet"], qrels=qrels, system="mine")
    with pytest.raises(IrmetaError, match="this is a folder, not a score file"):
        typed(["replicate", first, again, "--system", "mine"])


@pytest.fixture
def published(data):
    """The figures that the notebook of LongEval's team IRC prints."""
    text = (data / "replication" / "longeval2023-published.csv").read_text()
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.data
def test_published_effect_ratios_follow_from_published_means(published):
    """20 of 24 printed effect ratios and delta RI are those of the printed means; four of RRF's are not."""
    differ = []
    for row in published:
        means = {
            name: [
                [[float(row[f"advanced_{when}"])]],
                [[float(row[f"baseline_{when}"])]],
            ]
            for name, when in (("WT", "WT"), ("later", "replication"))
        }
        given = {
            name: cube(one, SYSTEMS, ["all"], ["AP"]) for name, one in means.items()
        }
        found = irmeta.replicate(given, system="mine", against="bm25")
        near = [
            found["ratio"].item()
            == pytest.approx(float(row["effect_ratio"]), abs=5e-4),
            found["delta_ri"].item() == pytest.approx(float(row["delta_ri"]), abs=1e-4),
        ]
        if not all(near):
            differ.append((row["advanced"], row["measure"]))
    assert sorted(differ) == [("RRF", "bpref")] * 2 + [("RRF", "ndcg")] * 2


@pytest.mark.data
def test_means_of_longeval_are_those_delivered(data):
    """The five systems on 98 queries of WT do not show a lead of monoT5 over colBERT by nDCG: nothing to reproduce."""
    with gzip.open(data / "replication" / "longeval2023-per-query.csv.gz") as file:
        rows = pl.read_csv(file.read(), schema_overrides={"query": pl.String})
    wanted = ["IRC_BM25+monoT5", "IRC_BM25+colBERT"]
    given = {}
    for when in ("WT", "ST", "LT"):
        own = rows.filter(pl.col("system").is_in(wanted), sub_collection=when)
        wide = own.pivot("system", index="query", values="ndcg").drop_nulls()
        scores = wide.select(wanted).to_numpy().T[..., None]
        given[when] = cube(scores, wanted, wide["query"].to_list(), ["nDCG"])
    found = irmeta.replicate(given, system=wanted[0], against=wanted[1])
    assert found["verdict"].values.ravel().tolist() == ["no effect"] * 2
    assert not found["together"].values.any()
    leads = [found["lead"].sel(experiment=when).item() for when in ("ST", "LT")]
    before = found["original_lead"].values[0, 0]
    assert found["ratio"].values.ravel() == pytest.approx(np.array(leads) / before)


def test_metrics_by_which_the_original_shows_an_effect_come_first():
    """A metric without an effect to reproduce is spoken of after, or instead of, none by which there is one."""
    metrics = ["AP", "nDCG@10", "RR"]
    for count, first in ((2, "Reproduced: by nDCG@10"), (3, "Reproduced: by nDCG@10")):
        given = {}
        for seed, name in enumerate(("old", "new")):
            parts = [
                made(0.0 if at != 1 else 0.1, seed=seed + 2 * at) for at in range(count)
            ]
            values = np.concatenate([one.values for one in parts], axis=-1)
            topics = parts[0].topic.values.tolist()
            given[name] = cube(
                values, SYSTEMS, topics, metrics[:count], collection=name
            )
        found = irmeta.replicate(given, system="mine", against="bm25")
        assert found.findings[0].startswith(first)
