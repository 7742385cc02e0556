"""Simulated collections: the files, the folder, the judgments, and that what is said to be true shows in the scores."""

import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

import irmeta
from irmeta.datasets.model import DEPTH, draw_systems, draw_topics, normal, submissions
from irmeta.datasets.simulate import POOL_DEPTH, Simulation, simulate
from irmeta.parallel import watched_by

Run = dict[str, list[tuple[str, float]]]
METRICS = ("AP", "P@10", "RR")


def content(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def lines(path: Path) -> Iterator[list[str]]:
    return (line.split() for line in content(path).decode().splitlines())


def read_run(path: Path) -> Run:
    run: Run = {}
    for topic, _, document, _, score, _ in lines(path):
        run.setdefault(topic, []).append((document, float(score)))
    return run


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    qrels: dict[str, dict[str, int]] = {}
    for topic, _, document, grade in lines(path):
        assert document not in qrels.setdefault(topic, {})
        qrels[topic][document] = int(grade)
    return qrels


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Simulation:
    return simulate(tmp_path_factory.mktemp("simulated"), systems=40, topics=50, rng=3)


@pytest.fixture(scope="module")
def runs(made: Simulation) -> dict[str, Run]:
    return {
        system: read_run(made.runs / file)
        for system, file in made.systems.select("system", "run").iter_rows()
    }


@pytest.fixture(scope="module")
def scores(made: Simulation) -> dict[str, np.ndarray]:
    """Scores of shape (system, topic) by metric."""
    cube = irmeta.evaluate(made.qrels, made.runs, METRICS)
    cube = cube.sel(
        system=made.systems["system"].to_list(), topic=made.topics["topic"].to_list()
    )
    return {metric: cube.sel(metric=metric).values for metric in METRICS}


def test_same_collection_everywhere(tmp_path):
    """Seed 1 gives these run lines, judgments and truth on every machine and with every NumPy."""
    simulate(tmp_path, systems=9, topics=4, rng=1)
    digest = hashlib.sha256()
    for path in sorted(path for path in tmp_path.rglob("*") if path.is_file()):
        digest.update(path.name.encode() + content(path))
    assert (
        digest.hexdigest()
        == "d6a02dbfc1ca0c08a9c9afb2f3e28161beec7d98b0e6385aa5da099cf9e25540"
    )


def test_same_seed_same_bytes(tmp_path):
    """A seed gives the same bytes in every file, compressed ones too; another seed gives others."""
    for folder, seed in (("a", 5), ("b", 5), ("c", 6)):
        simulate(tmp_path / folder, systems=6, topics=3, rng=seed)
    assert files(tmp_path / "a") == files(tmp_path / "b")
    assert files(tmp_path / "a")["qrels.txt"] != files(tmp_path / "c")["qrels.txt"]


def test_generator_is_used(tmp_path):
    """A generator goes on where it stands: a second simulation with it differs from the first."""
    rng = np.random.default_rng(5)
    first, second = (
        simulate(tmp_path / name, systems=3, topics=2, rng=rng) for name in "ab"
    )
    assert first.systems["ability"].to_list() != second.systems["ability"].to_list()
    assert (
        files(tmp_path / "a")["runs/team01-1.gz"]
        != files(tmp_path / "b")["runs/team01-1.gz"]
    )


@settings(max_examples=15)
@given(systems=st.integers(1, 9), topics=st.integers(1, 4), seed=st.integers(0, 2**32))
def test_run_files(tmp_path_factory, systems, topics, seed):
    """Runs have six fields, the system as tag, no document twice, ranks in sequence, and scores that never rise."""
    made = simulate(
        tmp_path_factory.mktemp("any"), systems=systems, topics=topics, rng=seed
    )
    assert sorted(path.name for path in made.runs.iterdir()) == sorted(
        made.systems["run"]
    )
    assert made.systems.height == systems
    for system, file in made.systems.select("system", "run").iter_rows():
        by_topic: dict[str, list[list[str]]] = {}
        for line in lines(made.runs / file):
            assert len(line) == 6
            assert line[1] == "Q0"
            assert line[5] == system
            by_topic.setdefault(line[0], []).append(line)
        assert set(by_topic) <= set(made.topics["topic"])
        assert by_topic
        for ranked in by_topic.values():
            assert len({line[2] for line in ranked}) == len(ranked) <= DEPTH
            ranks = [int(line[3]) for line in ranked]
            assert ranks == list(range(ranks[0], ranks[0] + len(ranks)))
            assert (np.diff([float(line[4]) for line in ranked]) <= 0).all()


def test_judgments_are_the_pool(made, runs):
    """Judged are exactly the first documents of the pooled runs, with grades 0 to 2."""
    pool: dict[str, set[str]] = {}
    for system in made.systems.filter("pooled")["system"]:
        for topic, ranked in runs[system].items():
            pool.setdefault(topic, set()).update(
                document for document, _ in ranked[:POOL_DEPTH]
            )
    qrels = read_qrels(made.qrels)
    assert {topic: set(judged) for topic, judged in qrels.items()} == pool
    assert {grade for judged in qrels.values() for grade in judged.values()} == {
        0,
        1,
        2,
    }
    for topic, relevant in made.topics.select("topic", "relevant").iter_rows():
        assert 0 < sum(grade > 0 for grade in qrels[topic].values()) <= relevant


def test_pooled_systems_are_judged(made, runs):
    """The first ten of a pooled run are judged; those of the others only in part."""
    qrels = read_qrels(made.qrels)
    for system, pooled in (
        made.systems.filter(pl.col("habit") == "")
        .select("system", "pooled")
        .iter_rows()
    ):
        share = np.mean(
            [
                document in qrels[t]
                for t, ranked in runs[system].items()
                for document, _ in ranked[:10]
            ]
        )
        assert share == 1 if pooled else 0.3 < share < 0.95


def test_styles(made):
    """Five groups write five ways: tabs or spaces, ranks from 0 or 1, four of five compressed."""
    firsts = {}
    for group, file in made.systems.select("group", "run").iter_rows():
        start = content(made.runs / file)[:200].decode()
        firsts[group] = (
            "\t" in start,
            start.split()[3],
            (made.runs / file).suffix == ".gz",
        )
    assert len(set(firsts.values())) == 5
    assert {zipped for *_, zipped in firsts.values()} == {True, False}


def test_lazy_systems(made, runs):
    """One system of eight is lazy, in a way that its run shows."""
    shown = {
        "short": lambda run: all(len(ranked) < 200 for ranked in run.values()),
        "absent": lambda run: len(run) == 50 - 7,
        "rounded": lambda run: (
            max(len({score for _, score in ranked}) for ranked in run.values()) < 40
        ),
        "constant": lambda run: all(
            len({score for _, score in ranked}) == 1 for ranked in run.values()
        ),
    }
    habits = Counter(made.systems["habit"])
    assert habits == {"": 35, "short": 2, "absent": 1, "rounded": 1, "constant": 1}
    for system, habit in made.systems.select("system", "habit").iter_rows():
        assert {name for name, shows in shown.items() if shows(runs[system])} - {
            "rounded"
        } == {habit} - {"", "rounded"}
        assert shown["rounded"](runs[system]) == (habit in ("rounded", "constant"))


def test_truth_shows(made, scores):
    """Abler systems and easier topics score higher; AP and P@10 rank systems alike but not the same."""
    ap, p10 = scores["AP"], scores["P@10"]
    diligent = (made.systems["habit"] == "").to_numpy()
    assert (
        kendalltau(
            made.systems["ability"].to_numpy()[diligent], ap.mean(1)[diligent]
        ).statistic
        > 0.6
    )
    assert kendalltau(made.topics["difficulty"], ap.mean(0)).statistic < -0.5
    assert 0.6 < kendalltau(ap.mean(1), p10.mean(1)).statistic < 0.95


def test_focus_shows(made, scores):
    """Of equally able systems, the more focused ones find more at the top than in depth."""
    diligent = (made.systems["habit"] == "").to_numpy()
    ap, p10 = (scores[metric].mean(1)[diligent] for metric in ("AP", "P@10"))
    residual = p10 - np.polyval(np.polyfit(ap, p10, 1), ap)
    assert (
        kendalltau(made.systems["focus"].to_numpy()[diligent], residual).statistic > 0.3
    )


def test_groups_resemble_each_other(made, runs):
    """Runs of one group share more of their first documents than runs of two groups."""
    firsts = [
        {t: {d for d, _ in ranked[:20]} for t, ranked in run.items()}
        for run in runs.values()
    ]
    group = made.systems["group"].to_list()
    shared: dict[bool, list[float]] = {True: [], False: []}
    for i, one in enumerate(firsts):
        for j, other in enumerate(firsts[:i]):
            overlap = np.mean(
                [len(one[t] & other[t]) / 20 for t in one.keys() & other.keys()]
            )
            shared[group[i] == group[j]].append(float(overlap))
    assert np.mean(shared[True]) > 1.3 * np.mean(shared[False]) > 0


def test_rankings_are_sorted_scores():
    """A system's documents are the best by its scores, best first, each once."""
    rng = np.random.default_rng(0)
    systems, topics = draw_systems(rng, 3), draw_topics(rng, 2)
    for run in submissions(rng, systems, topics):
        assert run.documents.shape == run.scores.shape == (2, DEPTH)
        assert (np.diff(run.scores, axis=1) <= 0).all()
        assert all(len(set(row)) == DEPTH for row in run.documents.tolist())


def test_normal_moments():
    """The arithmetic stand-in for the normal distribution has mean 0, variance 1, no skew, and nearly normal tails."""
    drawn = normal(np.random.default_rng(0), 1_000_000)
    moments = [(drawn**power).mean() for power in (1, 2, 3, 4)]
    assert np.allclose(moments, [0, 1, 0, 3 - 1.2 / 4], atol=0.01)


def test_folder_that_is_not_ours(tmp_path):
    """A folder with other files in it is refused, and left as it was."""
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(
        irmeta.IrmetaError,
        match="contains files that no simulation wrote; use a new or empty folder",
    ):
        simulate(tmp_path, systems=2, topics=2)
    (tmp_path / "simulation.json").write_text("[]")
    with pytest.raises(irmeta.IrmetaError, match="files that no simulation"):
        simulate(tmp_path, systems=2, topics=2)
    assert set(files(tmp_path)) == {"thesis.tex", "simulation.json"}


def test_folder_simulated_before(tmp_path):
    """A folder that a simulation made is written anew: no run of the old one stays, other files do."""
    simulate(tmp_path / "new", systems=9, topics=3, rng=1)
    old = simulate(tmp_path / "demo", systems=12, topics=2, rng=2)
    (tmp_path / "demo" / "scores.parquet").write_text("mine")
    simulate(tmp_path / "demo", systems=9, topics=3, rng=1)
    fresh = files(tmp_path / "new")
    assert old.systems.height == 12
    assert files(tmp_path / "demo") == fresh | {"scores.parquet": b"mine"}


def test_interrupted(tmp_path):
    """An interrupted simulation leaves no judgments, so nobody takes it for whole, and can be started again."""

    def stop(_: str, done: int, __: int | None) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), watched_by(stop):
        simulate(tmp_path / "a", systems=6, topics=2, rng=1)
    assert "simulation.json" in files(tmp_path / "a")
    assert "qrels.txt" not in files(tmp_path / "a")
    for name in "ab":
        simulate(tmp_path / name, systems=6, topics=2, rng=1)
    assert files(tmp_path / "a") == files(tmp_path / "b")


def test_killed_before_its_first_file(tmp_path):
    """What a simulation leaves that is killed while it writes its first file does not hinder the next."""
    (tmp_path / ".simulation.json.0a1b2c3d.part").write_text("{")
    simulate(tmp_path, systems=2, topics=2, rng=1)
    assert ".simulation.json.0a1b2c3d.part" not in files(tmp_path)


def test_folder_that_cannot_be(tmp_path):
    """A path through a file is an error that says so."""
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(irmeta.IrmetaError, match="Not a directory"):
            simulate(folder, systems=1, topics=1)


@pytest.mark.parametrize("size", [{"systems": 0}, {"topics": -1}])
def test_sizes(tmp_path, size):
    """A collection has at least one system and one topic."""
    with pytest.raises(irmeta.IrmetaError, match="at least one system and one topic"):
        simulate(tmp_path, **size)


def test_command(tmp_path, run):
    """`irmeta simulate` writes what the function writes and says how to go on."""
    simulate(tmp_path / "a", systems=4, topics=2, rng=7)
    options = ["--systems", 4, "--topics", 2, "--seed", 7]
    code, out, err = run("simulate", "-o", tmp_path / "b", *options)
    assert (code, out) == (0, "")
    assert files(tmp_path / "b") == files(tmp_path / "a")
    next_command = (
        f"irmeta evaluate {tmp_path / 'b' / 'qrels.txt'} {tmp_path / 'b' / 'runs'}"
    )
    assert next_command in err
    assert json.loads((tmp_path / "b" / "simulation.json").read_text())["seed"] == "7"


@pytest.mark.slow
@pytest.mark.data
def test_resembles_trec8(data):
    """Averaged over 8 seeds, means, spreads, sources of variance and correlations of metrics lie near TREC-8's."""
    folder = data / "matrices" / "trec8-adhoc"
    real = figures(
        {
            metric: np.loadtxt(folder / f"{metric}.csv", delimiter=",", skiprows=1).T
            for metric in METRICS
        }
    )
    simulated = [figures(scores_of_model(seed)) for seed in range(8)]
    mean = {name: np.mean([shown[name] for shown in simulated]) for name in real}
    for name, value in real.items():
        assert mean[name] == pytest.approx(
            value, abs=0.04 if name.startswith(("mean", "sd")) else 0.08
        ), name


def scores_of_model(seed: int) -> dict[str, np.ndarray]:
    """AP, P@10 and RR by their formulas, of shape (system, topic), of runs in the order submitted."""
    rng = np.random.default_rng(seed)
    systems, topics = draw_systems(rng, 40), draw_topics(rng, 50)
    runs = [(run.documents, run.kept) for run in submissions(rng, systems, topics)]
    row, pooled = np.arange(50)[:, None], np.zeros(topics.noise.shape, dtype=bool)
    for (documents, kept), judged in zip(runs, systems.pooled, strict=True):
        pooled[row, documents[:, :POOL_DEPTH]] |= judged & kept[:, :POOL_DEPTH]
    relevant = pooled & (topics.grade > 0)
    hit = np.array([relevant[row, documents] & kept for documents, kept in runs])
    precision = hit.cumsum(axis=-1) / np.arange(1, DEPTH + 1)
    return {
        "AP": (precision * hit).sum(axis=-1) / relevant.sum(axis=-1),
        "P@10": precision[..., 9],
        "RR": np.where(hit.any(axis=-1), 1 / (1 + hit.argmax(axis=-1)), 0),
    }


def figures(scores: dict[str, np.ndarray]) -> dict[str, float]:
    shown = {}
    for metric, x in scores.items():
        system, topic = x.mean(axis=1, keepdims=True), x.mean(axis=0, keepdims=True)
        parts = {"systems": system, "topics": topic, "the rest": x - system - topic}
        shown |= {
            f"mean {metric}": x.mean(),
            f"sd {metric} systems": system.std(),
            f"sd {metric} topics": topic.std(),
        }
        shown |= {
            f"variance of {metric} from {source}": part.var() / x.var()
            for source, part in parts.items()
        }
    for one, other in (("AP", "P@10"), ("AP", "RR"), ("P@10", "RR")):
        shown[f"r {one} {other}"] = np.corrcoef(
            scores[one].ravel(), scores[other].ravel()
        )[0, 1]
        shown[f"tau {one} {other}"] = kendalltau(
            scores[one].mean(1), scores[other].mean(1)
        ).statistic
    return shown
