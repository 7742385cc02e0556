"""The verbs place and reuse as commands, and the factors that datasets lists."""

import json
import re
import shutil

import numpy as np
import pytest

from irmeta.datasets import factors as factor_files
from irmeta.io.formats.scores import load, save
from irmeta.scores.cube import cube


def scored(seed, name, systems=8, topics=6):
    rng = np.random.default_rng(seed)
    ability = np.linspace(0, 1, systems)[:, None, None]
    values = rng.random((systems, topics, 1)) + ability
    return cube(
        values / 2,
        [f"{name}-s{i}" for i in range(systems)],
        [str(t) for t in range(topics)],
        ["AP"],
        collection=name,
    )


@pytest.fixture
def desk(tmp_path, run):
    """A folder with score files of everybody's on A and B, and judgments with runs; `run` runs commands there."""
    save(scored(0, "A"), tmp_path / "A.parquet")
    save(scored(1, "B"), tmp_path / "B.parquet")
    for name in "AB":
        save(
            scored(ord(name) - 65, name).isel(system=[6]),
            tmp_path / f"mine{name}.parquet",
        )
    (tmp_path / "runs").mkdir()
    rng = np.random.default_rng(2)
    (tmp_path / "qrels.txt").write_text(
        "".join(
            f"{topic} 0 d{document} {document % 2}\n"
            for topic in range(3)
            for document in range(16)
        )
    )
    for system in range(8):
        own, others = (
            [2 * system, (3 * system) % 16, 20 + system],
            rng.permutation(16)[:6].tolist(),
        )
        listed = list(dict.fromkeys([*own[: 1 + system % 3], *others]))
        lines = [
            f"{topic} Q0 d{document} {rank} {-rank} x\n"
            for topic in range(3)
            for rank, document in enumerate(listed)
        ]
        (tmp_path / "runs" / f"s{system}").write_text("".join(lines))
    return run


def test_place_compares_systems_of_two_collections(desk):
    """Score files of two collections and everybody's scores give each system's place and their difference."""
    code, out, _ = desk(
        "place",
        "mineA.parquet",
        "mineB.parquet",
        "--on",
        "A.parquet",
        "--on",
        "B.parquet",
        "--format",
        "json",
    )
    found = json.loads(out)
    assert code == 0
    assert [row["system"] for row in found["tables"]["systems"]] == ["A-s6", "B-s6"]
    assert found["tables"]["pairs"][0]["collection_b"] == "B"
    assert found["study"] == "place"


def test_place_answers_first_which_of_two_collections_systems_is_better(desk):
    """The line above the tables is about the two systems, not about the first one's place."""
    asked = ("place", "mineA.parquet", "mineB.parquet", "-m", "AP")
    _, out, _ = desk(*asked, "--on", "A.parquet", "--on", "B.parquet")
    answer = " ".join(out.partition("\n\n")[0].split())
    assert "A-s6 on A" in answer
    assert "B-s6 on B" in answer


def test_place_places_the_systems_asked_for(desk):
    """--systems and --topics choose among score files, and among runs that are scored first."""
    evaluated = ("evaluate", "qrels.txt", "runs", "-m", "AP", "-o", "all.parquet")
    assert desk(*evaluated)[0] == 0
    runs = ("runs", "--qrels", "qrels.txt", "--on", "all.parquet")
    for given, wanted in (
        (
            ("A.parquet", "--on", "A.parquet", "--systems", "A-s6,A-s2"),
            ["A-s6", "A-s2"],
        ),
        ((*runs, "--systems", "s3", "--topics", "0,1"), ["s3"]),
    ):
        code, out, _ = desk("place", *given, "--format", "json")
        assert code == 0
        rows = json.loads(out)["tables"]["systems"]
        assert {row["system"] for row in rows} == set(wanted)


def test_place_says_how_to_score_a_run(desk):
    """A run without judgments is no score table; the error names --qrels."""
    code, _, err = desk("place", "runs/s3", "--on", "A.parquet")
    assert code == 2
    assert "place --qrels" in " ".join(err.split())


def test_place_reads_runs_and_a_factors_file(desk, tmp_path):
    """With judgments, runs are scored by the factors' metrics; the baseline is among them, whatever its suffix."""
    shutil.copy(tmp_path / "runs" / "s1", tmp_path / "s1.run")
    assert (
        desk("evaluate", "qrels.txt", "runs", "-m", "AP P@5", "-o", "all.parquet")[0]
        == 0
    )
    assert desk("standardize", "fit", "all.parquet", "-o", "factors.parquet")[0] == 0
    code, out, err = desk(
        *(
            "place",
            "runs/s3",
            "--on",
            "factors.parquet",
            "--qrels",
            "qrels.txt",
            "--baseline",
            "s1.run",
        ),
        *("--plot", "place.svg", "--explain"),
    )
    assert (code, err) == (0, "wrote place.svg\n")
    assert "s3 on factors: AP" in out
    assert "the baseline" in out
    assert all(len(line) <= 80 for line in out.splitlines())
    assert (tmp_path / "place.svg").exists()


def test_place_takes_published_means_without_systems(run, tmp_path):
    """Means of papers stand among systems whose factors ship; tables, a figure and what was decided are there."""
    table = (
        "paper,system,metric,mean,baseline\nA,new,MAP,27.31,bm25\nA,bm25,AP,24.21,\n"
    )
    (tmp_path / "t.csv").write_text(table + "B,ours,AP,.26,.2\nB,odd,nDCG@10,.5,\n")
    asked = ("place", "--published", "t.csv", "--on", "trec8")
    code, out, err = run(*asked, "--plot", "p.svg", "--explain")
    assert (code, err) == (0, "wrote p.svg\n")
    assert out.startswith("trec8, AP: 2 of 2 baselines stand below the median of 129")
    said = " ".join(out.split())
    assert (
        "new (A) claims +.031 AP over bm25 (.242), which stands at percentile 40"
        in said
    )
    assert "means of A by AP are taken as percent" in said
    assert "1 published mean left out: by nDCG@10, which trec8 lacks" in said
    assert all(len(line) <= 80 for line in out.splitlines())
    assert (tmp_path / "p.svg").exists()
    found = json.loads(run(*asked, "--format", "json")[1])["tables"]["published"]
    assert [row["baseline_below_median"] for row in found] == [True, None, True]
    code, _, err = run("place")
    assert code == 2
    assert "nothing to place" in err


def test_place_warns_that_topics_of_runs_are_matched_by_their_numbers(desk, tmp_path):
    """Where both only number their topics, the answer has a warning, not where a name was given."""
    numbered = [str(topic) for topic in range(1, 7)]
    for name in ("A", "mineA"):
        own = load(tmp_path / f"{name}.parquet").assign_coords(topic=numbered)
        save(own, tmp_path / f"{name}.parquet")
    (tmp_path / "mine.txt").write_text("".join(f"{t} 0 d1 1\n" for t in numbered))
    (tmp_path / "my.run").write_text("".join(f"{t} Q0 d1 1 1 x\n" for t in numbered))
    asked = ("place", "my.run", "--qrels", "mine.txt", "-m", "AP", "--on")
    code, out, _ = desk(*asked, "A.parquet")
    answer, _, rest = " ".join(out.split()).partition("systems system")
    assert code == 0
    assert "my on A: AP" in answer
    assert "Warning: A: topics are matched by name, but mine and A number" in answer
    assert "matched by name" not in rest
    assert "(if they are, call the collection of the runs A (--collection A))" in answer
    assert "Warning" not in desk(*asked, "A.parquet", "--collection", "A")[1]
    everybody = ("evaluate", "mine.txt", "my.run", "-m", "AP", "--collection", "A")
    assert desk("place", "mineA.parquet", "--on", "A.parquet")[1].count("Warning") == 0
    assert desk(*everybody, "-o", "named.parquet")[0] == 0
    assert "Warning" not in desk("place", "named.parquet", "--on", "A.parquet")[1]


def test_place_finds_factors_by_the_collection_s_name(desk, tmp_path):
    """Without --on the factors that ship under the collection's name are taken; an unknown one is an error."""
    factors = factor_files.load("web2012")
    values = np.full((1, factors.sizes["topic"], 1), 0.3)
    save(
        cube(
            values,
            ["mine"],
            list(factors.topic.values),
            ["nDCG@20"],
            collection="web2012",
        ),
        tmp_path / "w.parquet",
    )
    code, out, _ = desk("place", "w.parquet")
    assert code == 0
    assert "of 48 systems" in " ".join(out.split())
    code, _, err = desk("place", "mineA.parquet")
    assert code == 2
    said = " ".join(err.split())
    assert "no factors ship for the collection A; choose from dl2020" in said
    topics = [str(topic) for topic in range(1, 31)]
    mine = cube(values[:, :30], ["mine"], topics, ["AP"], collection="round1")
    save(mine, tmp_path / "round1.parquet")
    _, _, err = desk("place", "round1.parquet")
    assert (
        "no factors ship for the collection round1; those of trec-covid-1 and trec-covid-3 have topics of these names: "
        "--on trec-covid-1, if it is the same collection (irmeta datasets list says what ships; --on also takes a"
        in " ".join(err.split())
    )


def test_the_baseline_s_side_of_the_median_stands_with_its_name(desk):
    """The table says of the baseline, by name, on which side of the median it is."""
    assert (
        desk("evaluate", "qrels.txt", "runs", "-m", "AP", "-o", "all.parquet")[0] == 0
    )
    _, out, _ = desk(
        *("place", "all.parquet", "--on", "all.parquet", "-m", "AP"),
        *("--baseline", "s1", "--explain"),
    )
    assert re.search(r"s1 \((not )?below", out)


def test_place_wants_everybodys_systems_once_for_each_collection(desk):
    """Two collections and one --on of another name do not go together."""
    code, _, err = desk("place", "mineA.parquet", "mineB.parquet", "--on", "trec8")
    assert code == 2
    assert "give one --on for each collection" in err


def test_reuse_leaves_each_run_out_and_adjusts_a_new_one(desk, tmp_path):
    """The command prints what metrics lose, and the new run's adjusted score first; figures are drawn."""
    (tmp_path / "new").write_text("0 Q0 d1 1 2 x\n1 Q0 x1 1 2 x\n2 Q0 d3 1 2 x\n")
    (tmp_path / "teams.csv").write_text(
        "run,team\n" + "".join(f"s{i},t{i}\n" for i in range(8))
    )
    code, out, err = desk(
        *(
            "reuse",
            "qrels.txt",
            "runs",
            "--teams",
            "teams.csv",
            "--depth",
            "2",
            "-m",
            "P@2 RBP(p=0.8)",
        ),
        *("--new", "new", "--view", "penalty", "--plot", "penalty.svg"),
    )
    assert code == 0
    assert out.startswith("new: P@2 would be ")
    assert "\nA run that was not pooled would lose " in out
    assert all(len(line) <= 80 for line in out.splitlines())
    assert (tmp_path / "penalty.svg").exists()
    assert err == "wrote penalty.svg\n"


def test_reuse_names_a_table_without_teams(desk, tmp_path):
    """A groups file without the column team is an error that names the columns."""
    (tmp_path / "teams.csv").write_text("run,type\ns0,x\n")
    code, _, err = desk("reuse", "qrels.txt", "runs", "--teams", "teams.csv")
    assert code == 2
    assert "no column team or group" in err


def test_datasets_lists_the_factors_that_ship(desk):
    """Factors are listed beside the collections."""
    code, out, _ = desk("datasets", "list")
    assert code == 0
    assert "trec-covid-1" in out
    code, out, _ = desk("datasets", "list", "--explain")
    assert code == 0
    assert factor_files.load("trec8").attrs["digest"] in out
