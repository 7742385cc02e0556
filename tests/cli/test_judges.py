"""`irmeta judges` as users call it."""

import json
import shlex
from pathlib import Path

import numpy as np
import pytest

from irmeta.datasets.judges import JudgeModel, simulate_judge
from irmeta.datasets.simulate import simulate
from irmeta.evaluation.sources import qrels_of
from irmeta.io.formats.scores import load_all, save
from irmeta.io.runs.trec import Reading
from irmeta.scores.cube import cube


def written(path, judged):
    """Write judgments as qrels."""
    lines = [
        f"{topic} 0 {document} {grade:g}\n"
        for topic, inner in judged.items()
        for document, grade in inner.items()
    ]
    path.write_text("".join(lines))
    return path


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A collection with two judges, its teams, and judgments of half of the topics by people."""
    folder = tmp_path_factory.mktemp("judges")
    collection = simulate(folder / "made", systems=12, topics=20, rng=5)
    for name, noise in (("good", 0.3), ("bad", 1.2)):
        written(
            folder / f"{name}.txt",
            simulate_judge(collection.qrels, JudgeModel(noise=noise), rng=1),
        )
    lines = [
        f"{system},{group}\n"
        for system, group in collection.systems.select("system", "group").rows()
    ]
    (folder / "teams.csv").write_text("run,team\n" + "".join(lines))
    return folder


def names(made):
    return (
        made / "made" / "qrels.txt",
        made / "good.txt",
        made / "bad.txt",
        "--runs",
        made / "made" / "runs",
    )


def test_compare_from_qrels_and_from_scores(run, made, tmp_path):
    """Judges compared from runs, and again from the scores that -o writes, have the same tau; that it wrote is said."""
    code, out, said = run(
        "judges", "compare", *names(made), "-m", "nDCG@10", "-o", "judges.parquet"
    )
    assert code == 0
    assert "wrote judges.parquet\n" in said
    assert out.startswith("nDCG@10: ")
    assert set(load_all(tmp_path / "judges.parquet")) == {"qrels", "good", "bad"}
    _, one, _ = run(
        "judges", "compare", *names(made), "-m", "nDCG@10", "--format", "json"
    )
    _, two, _ = run(
        "judges", "compare", "judges.parquet", "--truth", "qrels", "--format", "json"
    )
    one, two = (json.loads(text)["tables"] for text in (one, two))
    assert {row["judge"]: row["tau"] for row in one["systems"]} == {
        row["judge"]: row["tau"] for row in two["systems"]
    }
    assert "labels" in one
    assert "labels" not in two


def test_compare_labels_only(run, made):
    """Without runs labels are compared, and nothing else."""
    code, out, _ = run("judges", "compare", *names(made)[:3], "--format", "json")
    assert code == 0
    assert set(json.loads(out)["tables"]) == {"labels", "confusion"}


def test_a_folder_of_judges(run, made, tmp_path):
    """A folder of judgments, or of score files, is a comparison in one call; other files beside them are refused."""
    (tmp_path / "sets").mkdir()
    (tmp_path / "scores").mkdir()
    paths = [Path(name) for name in names(made)[:3]]
    for path in paths:
        (tmp_path / "sets" / path.name).write_bytes(path.read_bytes())
    code, out, _ = run("judges", "compare", tmp_path / "sets", "--format", "json")
    assert code == 0
    assert len({row["judge"] for row in json.loads(out)["tables"]["confusion"]}) == 2
    runs = names(made)[names(made).index("--runs") + 1]
    for path in paths:
        target = tmp_path / "scores" / f"{path.stem}.parquet"
        assert run("evaluate", path, runs, "-m", "nDCG@10", "-o", target)[0] == 0
    folder = tmp_path / "scores"
    code, out, error = run("judges", "compare", folder, "--format", "json")
    assert (code, error.count("Traceback")) == (0, 0)
    assert json.loads(out)["tables"]["systems"]


def test_groups_and_plot(run, made, tmp_path):
    """With teams the bias of groups stands beside that of systems, and each view is drawn."""
    for view in ("tau", "means", "favour"):
        options = (
            "--families",
            made / "teams.csv",
            "--plot",
            f"{view}.svg",
            "--view",
            view,
            "--format",
            "json",
        )
        code, out, _ = run("judges", "compare", *names(made), *options)
        assert code == 0
        assert {row["of"] for row in json.loads(out)["tables"]["favour"]} == {
            "group",
            "system",
        }
        assert (tmp_path / f"{view}.svg").stat().st_size > 1000


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("qrels", "good", "--metrics", "AP"), "--metrics needs the runs"),
        (("qrels", "good", "-o", "x.parquet"), "labels alone give no scores"),
        (("qrels", "good", "--rel", "high"), "--rel 'high': expected a grade"),
        (("qrels", "good", "--rel", "nan"), "--rel 'nan': expected a grade"),
        (("qrels", "good", "--rel", "good=1,good=2"), "--rel gives good two numbers"),
        (("qrels", "good", "--truth", "nobody"), "no judgment set 'nobody'"),
        (("qrels", "scores.parquet"), "give judgment sets"),
        (("qrels", "nowhere.txt"), "no such file"),
    ],
)
def test_wrong_words(run, made, words, said):
    """What does not fit is said in a line, with exit code 2."""
    known = {"qrels": made / "made" / "qrels.txt", "good": made / "good.txt"}
    code, _, error = run(
        "judges", "compare", *(known.get(word, word) for word in words)
    )
    assert code == 2
    assert said in error


def test_from_a_sample_to_an_estimate(run, made, tmp_path):
    """Topics are drawn, people judge them, and their means are estimated beside the machine's; then planned on."""
    qrels, good, _, *runs = names(made)
    code, _, said = run(
        "judges", "sample", qrels, "--topics", 8, "--seed", 1, "-o", "sample.csv"
    )
    assert code == 0
    assert "drew 8 of 20 topics with seed 1" in said
    drawn = [
        line.split(",")[0] for line in (tmp_path / "sample.csv").read_text().split()[1:]
    ]
    assert len(drawn) == 8
    full = qrels_of(qrels, Reading())
    cells = zip(full.topic.tolist(), full.documents, full.grades.tolist(), strict=True)
    part = {topic: {} for topic in drawn}
    for topic, document, grade in cells:
        if full.topics[topic] in part:
            part[full.topics[topic]][document] = grade
    given = (
        "--human",
        written(tmp_path / "part.txt", part),
        "--llm",
        good,
        *runs,
        "-m",
        "nDCG@10",
        "--sample",
        "sample.csv",
    )
    code, out, _ = run(
        "judges", "estimate", *given, "--format", "json", "--plot", "means.svg"
    )
    assert code == 0
    means = json.loads(out)["tables"]["means"]
    assert len(means) == 12
    for table, told in (("pairs", True), ("means", False)):
        _, out, _ = run("judges", "estimate", *given, "--table", table)
        assert ("not exactly those of the means" in " ".join(out.split())) is told
    assert all(row["low"] < row["mean"] < row["high"] for row in means)
    code, out, _ = run(
        "judges",
        "plan",
        *given,
        "--width",
        ".2",
        "--human-topic-cost",
        20,
        "--llm-topic-cost",
        ".1",
        "--plot",
        "w.svg",
    )
    assert code == 0
    assert "cost   width" in out
    assert "the first" not in out  # a budget pays for any row
    more = next(line for line in out.splitlines() if "irmeta judges sample" in line)
    at = out.index(more.strip())
    words = shlex.split(out[at : out.index("sample.csv", at)] + "more.csv")
    assert run(*words[1:])[0] == 0
    again = (tmp_path / "more.csv").read_text().splitlines()[1:]
    assert [line.split(",")[0] for line in again[:8]] == drawn
    chance = f"{len(again) / 20:g}"
    assert {line.split(",")[1] for line in again} == {chance}
    assert len(set(again)) == int(words[words.index("--topics") + 1]) > 8


def test_what_a_draw_cannot_keep(run, made, tmp_path):
    """A draw has more topics than are judged, all of them among those to draw from, and no strata."""
    qrels, good, *_ = names(made)
    lines = qrels.read_text().splitlines(keepends=True)
    (tmp_path / "other.txt").write_text("999 0 d 1\n")
    (tmp_path / "part.txt").write_text("".join(lines[:1]))
    for judged, topics, more, said in (
        (good, 20, (), "20 topics judged already"),
        ("other.txt", 5, (), "its topic 999 is not among those"),
        ("part.txt", 5, ("--clusters", "stem"), "leave out strata and clusters"),
    ):
        asked = "judges", "sample", qrels, "--topics", topics, "--judged", judged
        code, _, error = run(*asked, *more)
        assert (code, said in " ".join(error.split())) == (2, True)


def test_a_part_of_each_topic_is_not_taken_for_whole_topics(run, made, tmp_path):
    """Where people judged a third of the pairs of all topics, means are near those by all pairs, and it is said."""
    qrels, good, _, *runs = names(made)
    rng = np.random.default_rng(1)
    lines = qrels.read_text().splitlines(keepends=True)
    kept = [line for line in lines if rng.random() < 1 / 3]
    (tmp_path / "part.txt").write_text("".join(kept))
    given = "--llm", good, *runs, "-m", "P@10", "--these-topics", "--format", "json"
    found = {}
    for name, file in (("whole", qrels), ("part", tmp_path / "part.txt")):
        code, out, _ = run("judges", "estimate", "--human", file, *given)
        assert code == 0
        found[name] = json.loads(out)
    whole, part = (found[name]["tables"]["means"] for name in ("whole", "part"))
    held = [
        row["low"] <= true["mean"] <= row["high"]
        for row, true in zip(part, whole, strict=True)
    ]
    assert sum(held) >= 9
    assert (
        "people judged a part of the pairs of 20 topics" in found["part"]["findings"][0]
    )
    assert any(
        f"people judged {len(kept)} of" in note for note in found["part"]["notes"]
    )
    code, _, error = run(
        "judges",
        "plan",
        "--human",
        tmp_path / "part.txt",
        "--llm",
        good,
        *runs,
        "-m",
        "P@10",
    )
    assert (code, "plans are for whole topics" in error) == (2, True)


def test_samples_in_strata(run, made):
    """Strata are made of the machine's scores, which judgments have not; too many topics cannot be drawn."""
    qrels = names(made)[0]
    code, _, error = run("judges", "sample", qrels, "--topics", 6, "--strata", 3)
    assert (code, "give a score file" in error) == (2, True)
    assert run("judges", "sample", qrels, "--topics", 21)[0] == 2
    run(
        "judges",
        "compare",
        *names(made),
        "-m",
        "nDCG@10",
        "-o",
        "judges.parquet",
        "--quiet",
    )
    save(load_all("judges.parquet")["good"], "good.parquet")
    code, out, _ = run("judges", "sample", "good.parquet", "--topics", 6, "--strata", 3)
    assert code == 0
    chances = [float(line.split(",")[1]) for line in out.split()[1:]]
    assert np.sum(1 / np.array(chances)) == pytest.approx(20)


def test_labels_are_shown_and_not_written_with_scores(run, made, tmp_path):
    """A score file of estimates has the names of runs, though what is printed has their labels."""
    qrels, good, _, *runs = names(made)
    first = min(path.stem for path in (made / "made" / "runs").iterdir())
    (tmp_path / "labels.csv").write_text(f"system,label\n{first},The first\n")
    data = "--human", qrels, "--llm", good, *runs, "-m", "nDCG@10"
    more = "--labels", "labels.csv", "-o", "means.parquet", "--explain"
    code, out, _ = run("judges", "estimate", *data, *more)
    assert (code, "The first" in out) == (0, True)
    [scores] = load_all("means.parquet").values()
    assert first in scores.system.values


def test_whole_conversations_are_drawn_and_estimated(run, tmp_path):
    """All turns of the drawn conversations are in the sample, counts and worth are said, and an estimate takes it."""
    turns = [f"{at}_{turn}" for at in range(24) for turn in range(2 + at % 3)]
    rng = np.random.default_rng(2)
    of = [int(turn.split("_")[0]) for turn in turns]
    people = rng.random((4, 24, 1))[:, of] / 2 + rng.random((4, len(turns), 1)) / 2
    machine = 0.8 * people + 0.1 * rng.random(people.shape)
    systems = list("abcd")
    save(cube(machine, systems, turns, ["P@5"]), "machine.parquet")
    ask = "judges", "sample", "machine.parquet", "--seed", 1, "--clusters", "stem"
    code, _, said = run(*ask, "--topics", 24, "-o", "sample.csv")
    rows = (tmp_path / "sample.csv").read_text().split()[1:]
    drawn = [row.split(",")[0] for row in rows]
    stems = {turn.split("_")[0] for turn in drawn}
    assert drawn == [turn for turn in turns if turn.split("_")[0] in stems]
    assert (code, len(stems)) == (0, 8)
    assert f"drew {len(drawn)} of 72 topics with seed 1; judge all of them" in said
    assert "all topics of 8 of 24 clusters; estimates" in said
    assert "By the machine's P@5 they are worth" in said

    there = [at for at, turn in enumerate(turns) if turn in drawn]
    save(cube(people[:, there], systems, drawn, ["P@5"]), "human.parquet")
    given = "--human", "human.parquet", "--llm", "machine.parquet"
    code, out, _ = run(
        *("judges", "estimate", *given, "--sample", "sample.csv"),
        *("--clusters", "stem", "--format", "json"),
    )
    assert code == 0
    assert any(
        "people judged all topics of 8: clusters, not topics" in note
        for note in json.loads(out)["notes"]
    )
    code, _, said = run(*ask, "--topics", 6)
    assert "too few to claim anything" in said
    code, _, error = run(*ask, "--topics", 30, "--strata", 25)
    assert (code, "30 topics from 24 clusters in 25 strata" in error) == (2, True)


def test_a_draw_says_what_it_costs(run):
    """Costs are those of topics, judgments and clusters; with scores also of as good a draw of single topics."""
    turns = [f"{at}_{turn}" for at in range(12) for turn in range(4)]
    rng = np.random.default_rng(2)
    scores = rng.random((4, 12, 1)).repeat(4, axis=1)  # alike in a conversation
    save(cube(scores, list("abcd"), turns, ["P@5"]), "machine.parquet")
    Path("qrels.txt").write_text(
        "".join(f"{turn} 0 d{at} 1\n" for turn in turns for at in range(3))
    )
    whole = "--topics", 24, "--clusters", "stem"
    prices = "--topic-cost", 2, "--cluster-cost", 10
    _, _, said = run("judges", "sample", "machine.parquet", *whole, *prices)
    assert "It costs 108: 24 topics at 2, 6 clusters at 10." in said
    # each conversation is worth one topic, and six topics of 48 are of 12 (1 - C(44, 6) / C(48, 6)) = 5.1
    assert (
        "6 for as good a difference, cost 63 on average, since they are of 5 clusters"
        in said
    )
    by_document = "qrels.txt", *whole, "--judgment-cost", 0.5
    _, _, said = run("judges", "sample", *by_document)
    assert "It costs 36: 72 judgments at 0.5." in said
    _, _, said = run("judges", "sample", "qrels.txt", "--topics", 5, "--topic-cost", 3)
    assert "no others. It costs 15: 5 topics at 3." in said
    for wrong, why in (
        (("machine.parquet", "--judgment-cost", 1), "counts judged documents"),
        (("qrels.txt", "--cluster-cost", 1), "none are named"),
    ):
        code, _, error = run("judges", "sample", *wrong, "--topics", 5)
        assert (code, why in error) == (2, True)


def test_import_of_a_judges_tables(run, tmp_path):
    """Tables of other tools become collections of one score file, one a judge."""
    rows = [("a", 0.1), ("b", 0.5), ("c", 0.7)]
    for judge, shift in (("people", 0.0), ("model", 0.2)):
        lines = [
            f"{name} f1 {topic} {value + shift * (topic % 3)}\n"
            for name, value in rows
            for topic in range(1, 9)
        ]
        (tmp_path / f"{judge}.txt").write_text("".join(lines))
        assert (
            run(
                "import",
                "tot",
                f"{judge}.txt",
                "--collection",
                judge,
                "-o",
                "all.parquet",
                "--append",
            )[0]
            == 0
        )
    code, out, _ = run(
        "judges", "compare", "all.parquet", "--truth", "people", "--format", "json"
    )
    assert code == 0
    assert json.loads(out)["tables"]["systems"][0]["tau"] == pytest.approx(1)


def test_a_binary_judge_beside_a_threshold_that_it_never_gives(run, made, tmp_path):
    """AP(rel=2) by a binary judge is null with a note that gives the mend, and --rel binary=1 gives it a score."""
    full = qrels_of(names(made)[0], Reading())
    cells = zip(full.topic.tolist(), full.documents, full.grades.tolist(), strict=True)
    judged = {topic: {} for topic in full.topics}
    for topic, document, grade in cells:
        judged[full.topics[topic]][document] = min(grade, 1)
    qrels, good, _, *runs = names(made)
    files = (
        qrels,
        good,
        written(tmp_path / "binary.txt", judged),
        *runs,
        "-m",
        "nDCG@10 AP(rel=2)",
    )
    code, out, _ = run("judges", "compare", *files, "--format", "json")
    assert code == 0
    rows = {
        (row["judge"], row["metric"]): row["tau"]
        for row in json.loads(out)["tables"]["systems"]
    }
    assert rows["binary", "AP(rel=2)"] is None
    assert min(rows["binary", "nDCG@10"], rows["good", "AP(rel=2)"]) > 0.5
    assert any("--rel 'binary=1'" in note for note in json.loads(out)["notes"])
    code, out, _ = run(
        "judges",
        "compare",
        *files,
        "--format",
        "json",
        "--rel",
        "binary=1",
        "-o",
        "own.parquet",
    )
    assert code == 0
    rows = {
        (row["judge"], row["metric"]): row["tau"]
        for row in json.loads(out)["tables"]["systems"]
    }
    assert rows["binary", "AP(rel=2)"] > 0.3
    assert (
        "for binary, AP(rel=2) is computed as AP, by the lowest relevant grade given for it"
        in json.loads(out)["notes"]
    )
    _, out, _ = run(
        "judges", "compare", "own.parquet", "--truth", "qrels", "--format", "json"
    )
    assert any(
        "for binary, AP(rel=2) is computed as AP" in note
        for note in json.loads(out)["notes"]
    )
    both = "--human", qrels, "--llm", tmp_path / "binary.txt", *runs, "-m", "AP(rel=2)"
    code, _, error = run("judges", "estimate", *both)
    assert (code, "--rel-llm 1" in error) == (2, True)
    code, out, _ = run("judges", "estimate", *both, "--rel-llm", 1, "--format", "json")
    assert code == 0
    assert (
        "for machine, AP(rel=2) is computed as AP, by the lowest relevant grade given for it"
        in json.loads(out)["notes"]
    )


def test_a_failed_comparison_leaves_no_scores(run, made, tmp_path):
    """Where the comparison fails, as for lack of a team, -o leaves no score file behind."""
    (tmp_path / "few.csv").write_text("run,team\nnobody,a\n")
    code, _, error = run(
        "judges", "compare", *names(made), "--families", "few.csv", "-o", "left.parquet"
    )
    assert (code, "no group for" in error) == (2, True)
    assert not (tmp_path / "left.parquet").exists()


def test_samples_from_a_file_of_several_collections(run, made):
    """A score file of several judges takes --collection; judgments take none, and estimates a file of one each."""
    run(
        "judges",
        "compare",
        *names(made),
        "-m",
        "nDCG@10",
        "-o",
        "many.parquet",
        "--quiet",
    )
    code, _, error = run("judges", "sample", "many.parquet", "--topics", 5)
    assert (code, "--collection" in error) == (2, True)
    assert (
        run("judges", "sample", "many.parquet", "--topics", 5, "--collection", "good")[
            0
        ]
        == 0
    )
    code, _, error = run(
        "judges", "sample", names(made)[0], "--topics", 5, "--collection", "good"
    )
    assert (code, "leave out --collection" in error) == (2, True)
    code, _, error = run(
        "judges", "estimate", "--human", "many.parquet", "--llm", "many.parquet"
    )
    assert code == 2
    assert "a file of one" in error


def test_judgments_beside_scores_lead_to_the_command_that_scores(run, tmp_path):
    """Human judgments with machine scores are refused, and the message makes scores of the judgments."""
    (tmp_path / "qrels.txt").write_text("1 0 d1 1\n2 0 d2 0\n")
    made = cube([[[0.1], [0.2]], [[0.3], [0.1]]], ["a", "b"], ["1", "2"], ["P@5"])
    save(made, tmp_path / "machine.parquet")
    given = "--human", "qrels.txt", "--llm", "machine.parquet"
    code, _, error = run("judges", "estimate", *given)
    assert (code, "must both be scores or both judgments" in error) == (2, True)
    assert "`irmeta evaluate qrels.txt RUNS -o SCORES`" in error


def test_logs_of_two_judges_are_told_from_judgments(run, tmp_path):
    """Nuggets as two judges assigned them are compared after the import that the error types out."""
    for judge, first in (("people", "support"), ("machine", "not_support")):
        lines = [
            {
                "qid": str(topic),
                "run_id": system,
                "nuggets": [
                    {"text": "a", "importance": "vital", "assignment": first},
                    {"text": "b", "importance": "vital", "assignment": held},
                ][: 1 + (topic % 2)],
            }
            for system, held in (("x", "support"), ("y", "not_support"))
            for topic in range(6)
        ]
        text = "\n".join(map(json.dumps, lines))
        (tmp_path / f"{judge}.jsonl").write_text(text)
    files = ["people.jsonl", "machine.jsonl"]
    code, _, error = run("judges", "compare", *files)
    command = "import nuggets people.jsonl machine.jsonl -o scores.parquet"
    assert (code, f"irmeta {command}" in " ".join(error.split())) == (2, True)
    assert run(*command.split())[0] == 0
    code, out, error = run("judges", "compare", "scores.parquet")
    assert code == 0, error
    assert "machine" in out
