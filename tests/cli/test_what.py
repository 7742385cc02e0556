"""`irmeta what` knows what files hold, and its commands run as they are."""

import json
import os
import shlex
import shutil
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import polars as pl
import pytest

import irmeta
from irmeta.errors import FileFormatError
from irmeta.scores.attributes import recorded
from irmeta.scores.cube import cube
from irmeta.studies.checks import recognition
from irmeta.studies.checks.recognition import GROUPS, recognise

FILES = Path(__file__).parents[1] / "io" / "items" / "files"
NIGHT = (
    '{"system":"n1","margin":0.02,"comparisons":[{"against":"main","metric":"AP",'
    '"verdict":"open","differences":{"1":0.5,"2":0.1}}]}\n'
)
SLOW = {"serve", "report", "design", "predictivity", "leaderboard"}
"""Commands that are tested elsewhere."""


def commands(printed: str) -> list[list[str]]:
    """The words of the commands to paste."""
    lines = [line.strip() for line in printed.splitlines()]
    found = [shlex.split(line) for line in lines if line.startswith("irmeta ")]
    return [words[1:] for words in found]


def test_a_table_in_parquet_is_not_written_to_itself(run, tmp_path):
    """The command of a table that is named as its score file would be names another file, and runs."""
    rows = {"model": ["a", "b"], "task": ["t", "t"], "score": [0.1, 0.2]}
    pl.DataFrame(rows).write_parquet(tmp_path / "board.parquet")
    _, out, _ = run("what", "board.parquet")
    (words,) = (words for words in commands(out) if words[0] == "import")
    assert words[-1] == "board-scores.parquet"
    assert run(*words)[0] == 0


@pytest.mark.parametrize("name", ["Average", "Mean (Task)", "Rank"])
def test_a_table_with_averages_is_no_table_of_metrics(run, tmp_path, name):
    """Tasks are not taken for metrics where a column sums them up: what to leave out is said."""
    rows = {"model": ["a", "b"], "fiqa": [0.1, 0.2], "nq": [0.3, 0.2], name: [0.2, 0.2]}
    pl.DataFrame(rows).write_csv(tmp_path / "board.csv")
    code, _, err = run("import", "table", "board.csv", "-o", "board.parquet")
    assert code == 2
    _, out, _ = run("what", "board.csv")
    for said in (err, out):
        assert f"leave it out with --ignore '{name}'" in " ".join(said.split())
        assert "systemwise" not in said


def test_a_folder_of_judgments_and_runs(run, tmp_path):
    """The commands run, and lead on to a score file whose commands run, too."""
    run("simulate", "-o", "demo", "--systems", 8, "--topics", 12)
    code, out, _ = run("what", "demo")
    assert code == 0
    assert "demo/qrels.txt: judgments of 12 topics" in out
    assert "demo/runs: 8 runs" in out
    verbs = [words[0] for words in commands(out)]
    assert verbs == ["validate", "evaluate", "reuse", "serve"]
    for words in commands(out)[:3]:
        assert run(*words, "--quiet")[0] == 0, words
    code, out, _ = run("what", "scores.parquet")
    assert "a score file: 8 systems, 12 topics, 23 metrics" in out
    assert "Missing: 2 collections for compare and replicate." in out
    asked = commands(out)
    assert [words[0] for words in asked][:3] == ["versus", "table", "describe"]
    for words in asked:
        if words[0] not in SLOW:
            assert run(*words, "--quiet")[0] == 0, words


def test_folders_of_folders_belong_together(run):
    """Judgments in a folder go with runs beside it; of runs made again the first are scored, too."""
    run("simulate", "-o", "c", "--systems", 8, "--topics", 12)
    Path("c/qrels").mkdir()
    shutil.move("c/qrels.txt", "c/qrels/people.txt")
    shutil.copy("c/qrels/people.txt", "c/qrels/judge.txt")
    out = run("what", "c")[1]
    assert "are missing" not in out
    scored = ["evaluate", "c/qrels/judge.txt", "c/runs", "-o", "scores.parquet"]
    assert scored in commands(out)
    shutil.copytree("c/runs", "c/again")
    asked = commands(run("what", "c")[1])
    assert [words[0] for words in asked][:3] == ["replicate", "validate", "evaluate"]
    assert asked[2][:3] == ["evaluate", "c/qrels/judge.txt", "c/again"]


def several(path, metrics, topics):
    """Write a score file of a collection for each metric and number of topics."""
    draw = np.random.default_rng(0).random
    names = list("abcd")
    cubes = {
        f"set {at}": cube(
            draw((4, count, 1)), names, [f"t{n}" for n in range(count)], [metric]
        )
        for at, (metric, count) in enumerate(zip(metrics, topics, strict=True))
    }
    irmeta.save(cubes, path)


@pytest.mark.parametrize(
    ("metrics", "topics", "first", "verbs"),
    [
        (["AP", "AP"], [12, 12], "judges compare", {"versus", "reliability"}),
        (["AP", "AP"], [12, 14], "versus", {"versus", "compare", "replicate"}),
        (["AP", "clicks"], [12, 14], "versus", {"versus", "table", "reliability"}),
    ],
)
def test_commands_for_several_collections_run(
    run, tmp_path, metrics, topics, first, verbs
):
    """Of judges' collections, of one metric, and of different ones: each command names the collection that it needs."""
    several(tmp_path / "s.parquet", metrics, topics)
    _, out, _ = run("what", "s.parquet")
    asked = commands(out)
    assert " ".join(asked[0]).startswith(first)
    assert verbs <= {words[0] for words in asked}
    for words in asked:
        if words[0] not in SLOW - {"leaderboard"}:
            assert run(*words, "--quiet")[0] == 0, words


def test_one_system_can_be_asked_of_little(run, tmp_path):
    """What is missing for each question is said."""
    scores = np.full((1, 5, 1), 0.5)
    one = cube(scores, ["mine"], list("abcde"), ["AP"], collection="c")
    irmeta.save({"c": one}, tmp_path / "s.parquet")
    _, out, _ = run("what", "s.parquet")
    assert "Missing: 2 systems for versus" in out
    assert commands(out) == []


def test_runs_without_judgments(run, tmp_path):
    """A file that is no run, beside runs, is named; judgments are asked for."""
    for name in ("a.run", "b.run"):
        (tmp_path / name).write_text("1 Q0 d1 1 2.5 x\n1 Q0 d2 2 1.5 x\n")
    (tmp_path / "notes.txt").write_text("remember to write\n")
    _, out, _ = run("what", ".")
    assert ".: 2 runs (a, b); not runs: notes.txt" in out
    assert "notes.txt: not known to irmeta; it begins 'remember to write'" in out
    said = " ".join(out.split())
    assert "judgments are missing: irmeta evaluate QRELS . -o scores.parquet" in said


def test_columns_in_another_order_are_no_measures(tmp_path):
    """The judgments' documents, and trec_eval's topics, are not taken for measures."""
    (tmp_path / "q.txt").write_text("map 1 0.5\nmap all 0.5\n")
    with pytest.raises(FileFormatError, match="which no measure is"):
        irmeta.import_ir_measures(tmp_path / "q.txt")
    names = "".join(f"1 0 doc{number} 1\n" for number in range(60))
    (tmp_path / "qrels.txt").write_text(names)
    with pytest.raises(FileFormatError, match="which no measure is"):
        irmeta.import_ir_measures(tmp_path / "qrels.txt")


@pytest.mark.parametrize(
    ("name", "reader"),
    [
        ("deepeval/first.json", "deepeval"),
        ("eee", "eee"),
        ("helm", "helm"),
        ("inspect", "inspect"),
        ("lm-eval", "lm-eval"),
    ],
)
def test_files_of_producers(name, reader):
    """Each is known by the reader that takes it."""
    seen = recognise(str(FILES / name))
    assert (seen.kind, seen.reader) == ("table", reader)


def test_a_wide_table_is_a_board(run, tmp_path):
    """Of a table of models and tasks the board is asked for, too, which needs no import."""
    (tmp_path / "w.csv").write_text("model,a,b\nx,.1,.2\ny,.2,.5\nz,.3,.1\n")
    _, out, _ = run("what", "w.csv")
    assert ["leaderboard", "w.csv"] in commands(out)


TEXTS = {
    "q.eval": ("map\t1\t0.5\nmap\tall\t0.5\n", "table", "trec_eval"),
    "a.txt": ("1 AP 0.5\n2 AP 0.25\n", "table", "ir_measures"),
    "b.txt": ("bm25 AP 1 0.5\nbm25 AP 2 0.25\n", "table", "tot"),
    "wide.csv": (
        "model,nq,fiqa\ne5,0.5,0.25\nbm25,0.25,0.125\n",
        "table",
        "table",
    ),
    "labels.csv": (
        "system,question,human,gpt\na,q1,Yes,No\nb,q1,No,No\n",
        "table",
        "labels",
    ),
    "c.csv": ("topic,cluster\n1,a\n2,a\n", "groups", "--clusters"),
    "t.csv": ("run,team\nx,a\ny,a\n", "groups", "--teams"),
    "types.csv": (
        "topic,type\n1,a\n2,a\n",
        "groups",
        "irmeta leaderboard scores.parquet --types",
    ),
    "kinds.csv": (
        "task,kind\n1,a\n2,a\n",
        "groups",
        "irmeta leaderboard scores.parquet --types",
    ),
    "called.csv": ("system,label\nx,Dense\ny,BM25\n", "groups", "--labels"),
    "drawn.csv": (
        "topic,probability\n1,.5\n2,.5\n",
        "groups",
        "irmeta judges estimate --human HUMAN --llm LLM --sample",
    ),
    "o.csv": (
        "system,wins,losses\nx,3,1\ny,2,4\n",
        "groups",
        "irmeta online scores.parquet",
    ),
    "n.jsonl": (NIGHT, "groups", "--history"),
    "e.json": ("{}", "unknown", ""),
    "r.csv": ("run,system\nx,a\ny,a\n", "groups", "--repeats"),
    "means.csv": ("run,map,P_10\na,0.5,0.25\nb,0.25,0.125\n", "table", "systemwise"),
    "costs.csv": ("model,cost\ne5,0.5\nbm25,0.25\n", "groups", "--cost"),
    "about.csv": (
        "model,link,size,licence\ne5,https://e.org,560M,MIT\nbm25,,,MIT\n",
        "groups",
        "--about",
    ),
    "tokens.csv": (
        "model,size,date,max tokens\ne5,560,2023-05,512\nbm25,,,8192\n",
        "groups",
        "--about",
    ),
    "sized.csv": ("model,size\ne5,560\nbm25,2\n", "groups", "--about"),
    "millions.csv": (
        "model,link,size_m,licence\ne5,https://e.org,560,MIT\nbm25,https://e.org,2,\n",
        "groups",
        "--about",
    ),
    "dims.csv": (
        "model,params,weights,language,dims\ne5,33M,https://e.org,en,384\nbm25,,,,64\n",
        "groups",
        "--about",
    ),
    "names.csv": (
        "Model Name,Params (B),Hub License,Link\ne5,1.5,MIT,https://e.org\nbm25,405.0,,\n",
        "groups",
        "--about",
    ),
    "elo.csv": ("model,params,elo\ne5,33M,1250\nbm25,7B,1301\n", "unknown", ""),
    "params.csv": ("model,params\ne5,1.5B\nbm25,\n", "groups", "--about"),
    "percent.csv": ("model,nq,licence\ne5,85.2%,MIT\nbm25,3.1%,\n", "unknown", ""),
    "linked.csv": (
        "model,link,nq\ne5,https://e.org,0.5\nbm25,https://e.org,.x\n",
        "unknown",
        "",
    ),
    "deutsch.csv": ("system;topic;nDCG@10\na;1;0,5\n", "table", "table"),
    "thousands.csv": ("system;topic;score\na;1;1,500\n", "unknown", ""),
    "empty": ("", "unknown", ""),
    "topics.txt": ("1006728\n1104447\n1129560\n", "unknown", ""),
}


@pytest.mark.parametrize("name", TEXTS)
def test_files_of_text(run, name, tmp_path):
    """Files as people and programs write them; the commands run."""
    text, kind, reader = TEXTS[name]
    (tmp_path / name).write_text(text)
    seen = recognise(str(tmp_path / name))
    assert (seen.kind, seen.reader) == (kind, reader)
    for words in commands(run("what", name)[1]):
        if not {"scores.parquet", "HUMAN"} & {*words}:  # in a sentence
            assert run(*words, "--quiet")[0] == 0, words


def test_nuggets_without_assignments_say_what_they_lack(run, tmp_path):
    """Nuggets that were not looked for in answers yet are named, with what does that."""
    nuggets = [{"text": "a", "importance": "vital"}]
    (tmp_path / "n.jsonl").write_text(json.dumps({"qid": "1", "nuggets": nuggets}))
    said = " ".join(run("what", "n.jsonl")[1].split())
    assert "n.jsonl: nuggets, not assigned to answers yet: nuggetizer assign" in said


def test_items_of_a_record_lead_to_the_record(run, tmp_path):
    """What lies beside a record of Every Eval Ever is no table."""
    (tmp_path / "a_samples.jsonl").write_text('{"evaluation_id": "x", "score": 1}\n')
    said = " ".join(run("what", "a_samples.jsonl")[1].split())
    assert "items of a record of Every Eval Ever; name the record, a.json, or" in said


def test_a_part_of_a_board_leads_to_the_whole(run, tmp_path):
    """A single result of MTEB names the folder; scores whose models have no names are no means of systems."""
    (tmp_path / "NQ.json").write_text('{"task_name": "NQ", "scores": {"test": []}}')
    assert "name the folder of results" in run("what", "NQ.json")[1]
    (tmp_path / "new.csv").write_text("STS12,STS13,NQ\n.3,.4,.5\n")
    assert "no column of the table names systems" in run("what", "new.csv")[1]


def test_what_irmeta_writes(run, tmp_path):
    """Factors, models, sites: each is known, and leads on."""
    run("simulate", "-o", "demo", "--systems", 12, "--topics", 12)
    run("evaluate", "demo/qrels.txt", "demo/runs", "-m", "AP P@10", "-o", "s.parquet")
    run("standardize", "fit", "s.parquet", "-o", "f.parquet")
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "site.toml").touch()
    _, out, _ = run("what", "f.parquet")
    assert "irmeta standardize apply scores.parquet --factors f.parquet" in out
    for words in commands(out):
        words[words.index("scores.parquet")] = "s.parquet"
        assert run(*words, "--quiet")[0] == 0, words
    kinds = {
        name: recognise(str(tmp_path / name)).kind for name in ("f.parquet", "site")
    }
    assert kinds == {"f.parquet": "factors", "site": "site"}


def test_a_path_that_is_not_there_is_an_error(run):
    """There is nothing to look at."""
    code, out, err = run("what", "nosuch")
    assert (code, out) == (2, "")
    assert err == "irmeta: nosuch: no such file\n"


def test_judgments_with_an_error_say_which(run):
    """A line that contradicts another is named, as where judgments of two judges stand in one file."""
    Path("q.json").write_text("1 0 d1 2\n1 0 d2 0\n1 0 d1 0\n")
    said = " ".join(run("what", "q.json")[1].split())
    assert (
        "q.json: judgments, but line 3: document 'd1' of topic '1' also stands on line 1"
        in said
    )


def test_labels_say_of_how_many_collections_scores_are(run):
    """Each judge's labels are a collection, over which missing scores are counted."""
    Path("labels.csv").write_text(TEXTS["labels.csv"][0])
    assert "2 collections, 2 systems, 1 topic" in " ".join(
        run("what", "labels.csv")[1].split()
    )


def test_facts_of_models_name_the_command_that_shows_them(run):
    """The command has the folder without which no facts are shown."""
    Path("about.csv").write_text(TEXTS["about.csv"][0])
    said = "facts of 2 models; irmeta leaderboard SCORES --about about.csv -o board/"
    assert said in " ".join(run("what", "about.csv")[1].split())


def test_facts_of_models_are_no_scores_to_import(run):
    """The error names the option that shows the facts."""
    Path("facts.csv").write_text(TEXTS["dims.csv"][0])
    code, _, err = run("import", "table", "facts.csv", "-o", "s.parquet")
    said = "facts.csv: facts of 2 models, no scores; irmeta leaderboard SCORES --about"
    assert (code, said in " ".join(err.split())) == (2, True)


def test_a_table_of_teams_names_the_commands_that_take_it(run):
    """The first commands that have --teams are named, and the board shows them as facts."""
    Path("t.csv").write_text("run,team\nx,a\ny,a\n")
    out = " ".join(run("what", "t.csv")[1].split())
    verbs = out.partition("goes with ")[2].partition(", as --teams t.csv")[0]
    *verbs, _ = verbs.replace(" and ", ", ").split(", ")
    for verb in verbs:
        assert "--teams" in run(*verb.split(), "--help-all")[1], verb
    assert "leaderboard shows them, as --about t.csv" in out


def test_score_files_of_the_same_systems_are_compared(run):
    """Several score files are several collections, where systems and metrics are in all of them."""
    rng = np.random.default_rng(1)
    for name, first in (("one", 0), ("two", 2)):
        systems = [f"team-{first + at}" for at in range(5)]
        made = cube(
            rng.random((5, 12, 2)),
            systems,
            list("abcdefghijkl"),
            ["AP", "RR"],
            collection=name,
        )
        irmeta.save(made, f"{name}.parquet")
    _, out, _ = run("what", "one.parquet", "two.parquet")
    across = [words for words in commands(out) if words[0] in ("compare", "replicate")]
    assert [words[:3] for words in across] == [
        ["compare", "one.parquet", "two.parquet"],
        ["replicate", "one.parquet", "two.parquet"],
    ]
    assert {across[1][4], across[1][6]} <= {"team-2", "team-3", "team-4"}
    assert "2 collections" not in out.replace("\n", "")
    assert run(*across[1])[0] == 0
    assert "2 collections for compare" in " ".join(
        run("what", "one.parquet")[1].split()
    )


def test_scores_of_other_systems_are_placed(run):
    """Several score files without common systems are compared by place, and need no more collections."""
    rng = np.random.default_rng(1)
    for name in ("one", "two"):
        systems = [f"{name}{at}" for at in range(8)]
        made = cube(rng.random((8, 12, 1)), systems, list("abcdefghijkl"), ["AP"])
        irmeta.save(made.assign_attrs(collection=name), f"{name}.parquet")
    _, out, _ = run("what", "one.parquet", "two.parquet")
    asked = "one.parquet two.parquet --on one.parquet --on two.parquet -m AP"
    assert f"  irmeta place {asked}\n" in out
    assert "2 collections" not in out.replace("\n", "")
    assert run("place", *asked.split())[0] == 0


def test_what_cannot_be_told_does_not_hide_the_others(run, tmp_path):
    """Of several files those that are there are told of, before those that are not; a workbook has its mend."""
    Path("table.csv").write_text("model,fiqa\na,0.5\nb,0.4\n")
    with ZipFile("r.xlsx", "w") as archive:
        for name in ("[Content_Types].xml", "xl/workbook.xml"):
            archive.writestr(name, "<x/>")
    code, out, error = run("what", "nosuch", "r.xlsx", "table.csv")
    assert code == 2
    assert "irmeta import table table.csv" in out
    assert "nosuch: no such file" in error
    assert "r.xlsx: an Excel workbook; save the sheet as CSV" in error


def test_a_damaged_file_in_a_folder_is_one_part(run, tmp_path):
    """The others are known all the same; links to folders are not followed, and pipes not read."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "good.run").write_text("1 Q0 d 1 2.5 x\n")
    (tmp_path / "in" / "bad.gz").write_bytes(b"\x1f\x8b\x08broken")
    (tmp_path / "in" / "up").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "in" / "pipe")
    code, out, _ = run("what", "in")
    assert code == 0
    assert "in: 1 run (good); not runs: bad.gz" in out
    assert "in/bad.gz: damaged gzip data" in out
    assert "irmeta what" not in run("what", ".")[1]
    assert run("what", "in/pipe")[1] == "in/pipe: not a file\n"


def test_a_crowded_folder_is_not_read(run, tmp_path, monkeypatch):
    """No reader gets a folder of very many files; of many folders the first are looked at, and how many is said."""
    for number in range(6):
        (tmp_path / "in" / f"{number}").mkdir(parents=True)
        (tmp_path / "in" / f"{number}" / "note.txt").write_text("hello\n")
    monkeypatch.setattr(recognition, "LOOKS", 6)
    out = run("what", "in")[1]
    assert "3 of them not looked at" in out
    monkeypatch.setattr(recognition, "CROWD", 5)
    out = run("what", "in")[1]
    assert out == "in: a folder of more than 5 files; name what is of interest in it\n"


def test_commands_for_a_file_with_holes(run, tmp_path):
    """They say what to do with missing scores, and name metrics where there are several."""
    rng = np.random.default_rng(1)
    scores = rng.beta(2, 3, (4, 12, 2))
    scores[0, 0, 0] = np.nan
    names = [f"t{at}" for at in range(12)]
    made = cube(scores, list("abcd"), names, ["AP", "nDCG@10"], collection="c")
    irmeta.save({"c": made}, tmp_path / "s.parquet")
    _, out, _ = run("what", "s.parquet")
    assert "12 topics, 2 metrics; 1 score missing" in out
    for words in commands(out):
        if words[0] in ("versus", "table", "describe", "reliability", "leaderboard"):
            assert run(*words, "--quiet")[0] == 0, words
    assert "--target nDCG@10 --missing common" in out


def test_a_system_with_holes_is_compared_on_what_both_have(run):
    """The command runs where the best system goes with the scores that most others have."""
    scores = np.random.default_rng(1).beta(2, 3, (4, 12, 1))
    scores[0] += 1
    scores[0, :8] = np.nan
    names = [f"t{at}" for at in range(12)]
    irmeta.save(cube(scores, ["x", "bm25", "c", "d"], names, ["score"]), "s.parquet")
    words = commands(run("what", "s.parquet")[1])[0]
    assert words[:4] == ["versus", "s.parquet", "--system", "x"]
    assert run(*words, "--quiet")[0] == 0


def test_folders_of_the_same_runs_are_experiments(run, tmp_path):
    """Two folders with runs of the same systems are an experiment and its reproduction, not one collection."""
    for folder in ("original", "again"):
        (tmp_path / folder).mkdir()
        for at, name in enumerate(("bm25", "mine")):
            lines = [f"{t} Q0 d{(t + at) % 3} 1 {9 - at} x\n" for t in range(9)]
            (tmp_path / folder / f"{name}.txt").write_text("".join(lines))
    judged = [f"{t} 0 d{t % 3} {1 + t % 2}\n" for t in range(9)]
    (tmp_path / "q.txt").write_text("".join(judged))
    _, out, _ = run("what", "original", "again", "q.txt")
    again, *others = commands(out)
    assert again[0] == "replicate"
    assert run(*again, "--quiet")[0] == 0
    # the first folder is a collection all the same
    assert ["evaluate", "q.txt", "original"] in [words[:3] for words in others]
    assert not any("again" in words for words in others)


def test_options_that_take_a_table_are_options(run):
    """What a table of groups is said to be for is an option that commands have."""
    verbs = ("describe", "leaderboard", "evaluate", "reuse", "table")
    known = "".join(run(verb, "--help-all")[1] for verb in verbs)
    for option in GROUPS:
        assert option in known or option.startswith("irmeta ")


def test_what_irmeta_wrote_to_be_looked_at(run, tmp_path):
    """The truth of a simulated collection, results as JSON and tables in LaTeX are known."""
    scores = np.linspace(0, 1, 20).reshape(4, 5, 1)
    one = irmeta.describe(cube(scores, list("stuv"), list("abcde"), ["AP"]))
    truth = '{"seed": "7", "systems": [], "topics": []}'
    written = {
        "out.json": (one.to_json(), "a result of irmeta (description)"),
        "out.tex": (one.to_latex(), "scores, as `irmeta import table` reads them"),
        "simulation.json": (truth, "what is true of a simulated"),
    }
    for name, (text, said) in written.items():
        (tmp_path / name).write_text(text)
        assert said in run("what", name)[1]
    (tmp_path / "cut.json").write_text('{"study": ')
    assert "not known to irmeta" in run("what", "cut.json")[1]


def test_runs_in_json_are_told_from_judgments(tmp_path):
    """JSON of documents' scores is a run; of whole grades, judgments."""
    kinds = {"run": '{"q1": {"d1": 12.5, "d2": 3}}', "qrels": '{"q1": {"d1": 1}}'}
    found = {}
    for name, text in kinds.items():
        path = tmp_path / f"{name}.json"
        path.write_text(text)
        found[name] = recognise(str(path)).kind
    assert found == {"run": "runs", "qrels": "judgments"}


def test_estimated_scores_are_not_asked_how_topics_vary(run, tmp_path):
    """Studies that refuse what topics add to an estimate are not offered for it."""
    draw = np.random.default_rng(0).random
    metrics = [f"{name} (est.)" for name in ("AP", "P@10", "RR")]
    names = list("abcd"), [f"t{n}" for n in range(12)], metrics
    made = cube(draw((4, 12, 3)), *names).assign_attrs(
        recorded({"estimated": {"human": 4, "machine": 8}})
    )
    irmeta.save(made, tmp_path / "official.parquet")
    _, out, _ = run("what", "official.parquet")
    *asked, page = commands(out)
    assert page[:2] == ["report", "SCORES"]
    for words in asked:
        assert run(*words, "--quiet")[0] == 0, words
    refused = ["predictivity", "reliability", "design"]
    assert "how topics vary for predictivity, reliability and design" in " ".join(
        out.split()
    )
    for verb in refused:
        target = ["--target", "AP (est.)"] if verb == "design" else []
        code, _, err = run(verb, "official.parquet", *target)
        assert code != 0
        assert "how topics vary is not in them" in err
        assert "irmeta evaluate QRELS RUNS -o scores.parquet" in " ".join(err.split())


def test_judgments_of_few_topics_stand_beside_those_of_many(run, tmp_path):
    """Of judgments those of the fewest topics are people's, unless a name says whose they are."""
    run("simulate", "-o", "demo", "--systems", 6, "--topics", 12)
    lines = (tmp_path / "demo" / "qrels.txt").read_text().splitlines(keepends=True)
    topics = sorted({line.split()[0] for line in lines})[:6]
    kept = [line for line in lines if line.split()[0] in topics]
    (tmp_path / "people.txt").write_text("".join(kept))
    _, out, _ = run("what", "demo/qrels.txt", "people.txt", "demo/runs")
    both = "people.txt demo/qrels.txt --runs demo/runs"
    assert f"  irmeta judges compare {both}\n" in out
    asked = "--human people.txt --llm demo/qrels.txt --runs demo/runs"
    assert f"  irmeta judges estimate {asked}\n" in out
    assert run("judges", "estimate", *asked.split())[0] == 0
    for name in ("gpt.txt", "z_human.txt"):
        (tmp_path / name).write_text("".join(lines))
    _, out, _ = run("what", "gpt.txt", "demo/qrels.txt", "z_human.txt", "demo/runs")
    every = "z_human.txt gpt.txt demo/qrels.txt --runs demo/runs"
    assert f"  irmeta judges compare {every}\n" in out
    assert "judges estimate" not in out
    (tmp_path / "elsewhere.txt").write_text("another 0 d1 1\n")
    _, out, _ = run("what", "elsewhere.txt", "demo/qrels.txt", "demo/runs")
    assert "evaluate" in out
    assert "judges" not in out


def test_a_matrix_named_after_its_metric_has_topics_in_rows(run, tmp_path):
    """Numbered columns under a file's name that is a metric are systems, and the command that is printed reads them."""
    lines = ["run1,run2,run3", *(f"0.{row},0.5,0.{row + 1}" for row in range(1, 6))]
    (tmp_path / "P@10.csv").write_text("\n".join(lines) + "\n")
    _, out, _ = run("what", "P@10.csv")
    assert "3 systems, 5 topics, 1 metric" in " ".join(out.split())
    assert "irmeta import matrix P@10.csv --rows topics -o " in out


def test_folders_of_several_collections_have_a_score_file_each(run, tmp_path):
    """Commands for two collections do not write one file; a table of teams names the means beside them."""
    for name in ("round1", "round3"):
        run("simulate", "-o", f"all/{name}", "--systems", 4, "--topics", 5)
    Path("all/round1/board.csv").write_text("run,team,MAP\ns1-1,a,.5\ns2-1,b,.6\n")
    _, out, _ = run("what", "all")
    written = [
        words[words.index("-o") + 1]
        for words in commands(out)
        if words[0] == "evaluate"
    ]
    assert written == ["round1.parquet", "round3.parquet"]
    assert "the teams of 2 runs, and MAP" in " ".join(out.split())
    [words] = [words for words in commands(out) if words[0] == "import"]
    assert words[2:5] == ["all/round1/board.csv", "--ignore", "team"]
    assert run(*words)[0] == 0


def test_a_folder_of_folders_of_runs_goes_with_the_judgments_beside_it(run, tmp_path):
    """Runs in folders of a folder are asked about with the judgments named with it, as if each folder was named."""
    run("simulate", "-o", "demo", "--systems", 4, "--topics", 5)
    files = sorted(Path("demo/runs").iterdir())
    for place, file in enumerate(files):
        (group := Path(f"sub/group{place % 2}")).mkdir(parents=True, exist_ok=True)
        file.rename(group / file.name)
    _, out, _ = run("what", "sub", "demo/qrels.txt")
    asked = commands(out)
    assert [words[0] for words in asked] == ["validate", "evaluate"]
    groups = ["sub/group0", "sub/group1"]
    assert asked[0] == ["validate", *groups, "--qrels", "demo/qrels.txt"]
    assert asked[1][:4] == ["evaluate", "demo/qrels.txt", *groups]
    assert "missing" not in out


def test_what_is_called_a_baseline_is_what_others_are_compared_with(run):
    """The best by mean is compared with the next, or with one whose name says that it is a baseline."""
    means = {"a": 0.2, "bm25-all": 0.3, "b": 0.5, "my-BM25": 0.1, "z": 0.4}
    table = {name: {"1": mean, "2": mean} for name, mean in means.items()}
    irmeta.save(irmeta.from_frame(table, metric="AP"), "scores.parquet")
    _, out, _ = run("what", "scores.parquet")
    assert "versus scores.parquet --system b --against my-BM25\n" in out
    others = {name: table[name] for name in "abz"}
    irmeta.save(irmeta.from_frame(others, metric="AP"), "few.parquet")
    _, out, _ = run("what", "few.parquet")
    assert "versus few.parquet --system b --against z\n" in out


def test_a_table_of_means_leads_to_what_it_does_not_report(run, tmp_path):
    """Means of a paper are said to be means, and a metric that they lack can be predicted by the command shown."""
    text = "System,P@10,nDCG@10\nours,.845,.774\nbm25,.61,.55\n"
    (tmp_path / "paper.csv").write_text(text)
    _, out, _ = run("what", "paper.csv")
    assert "means of 2 systems by 2 metrics" in " ".join(out.split())
    words = next(words for words in commands(out) if words[0] == "predict")
    assert words == ["predict", "apply", "paper.csv", "--want", "AP"]
    code, out, _ = run(*words)
    assert (code, "AP of ours is predicted as" in out) == (0, True)


def test_a_file_of_another_kind_says_its_own(run, tmp_path: Path) -> None:
    """Values of ir_measures are no table: the error has the command that reads them; a bad table has its own error."""
    values = "query_id,measure,value\n1,AP,0.5\n2,AP,0.25\n"
    for name in ("mine", "base"):
        (tmp_path / f"{name}.csv").write_text(values)
    (tmp_path / "bad.csv").write_text("system,q1\nbm25,high\n")
    for files, said in (
        ("mine.csv", "irmeta import ir_measures mine.csv -o"),
        ("mine.csv base.csv", "irmeta import ir_measures mine.csv base.csv -o"),
        ("bad.csv", "is not a number"),
        ("none.csv", "none.csv: no such file"),
    ):
        code, _, err = run("import", "table", *files.split(), "-o", "x.parquet")
        assert (code, said in " ".join(err.split())) == (2, True), err


def test_a_board_takes_the_types_that_lie_beside_it(run, tmp_path: Path) -> None:
    """Types of tasks and costs of models named with one board stand in its command, which runs; with two in none."""
    board = "model,fiqa,nq\na,0.5,0.25\nb,0.25,0.5\nc,0.125,0.75\n"
    (tmp_path / "board.csv").write_text(board)
    (tmp_path / "types.csv").write_text("task,type\nfiqa,money\nnq,wiki\n")
    (tmp_path / "cost.csv").write_text("model,cost\na,1\nb,2\nc,3\n")
    for files, options in (
        ("board.csv types.csv", "--types types.csv"),
        ("cost.csv board.csv types.csv", "--types types.csv --cost cost.csv"),
    ):
        told = commands(run("what", *files.split())[1])
        [words] = [words for words in told if words[:2] == ["leaderboard", "board.csv"]]
        assert words[2:] == options.split()
        assert run(*words, "--quiet")[0] == 0
    (tmp_path / "other.csv").write_text(board)
    told = commands(run("what", "board.csv", "other.csv", "types.csv")[1])
    assert ["leaderboard", "other.csv"] in told


def test_a_folder_takes_one_screen(run, tmp_path: Path) -> None:
    """What was written to be looked at is counted, not asked; no question comes twice before all came once."""
    rng = np.random.default_rng(1)
    for name in ("one", "two", "three"):
        topics = [f"t{at}" for at in range(12)]
        made = cube(rng.random((4, 12, 2)), list("abcd"), topics, ["AP", "RR"])
        irmeta.save(made.assign_attrs(collection=name), f"{name}.parquet")
    page = b'<meta name="generator" content="irmeta report 1.0">'
    for name in ("page/index.html", "more/site.css", "more/a.svg", "official.tex"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(page)
    (tmp_path / "page" / "wide.csv").write_text(
        "model,a,b\nx,.1,.2\ny,.2,.5\nz,.3,.1\n"
    )
    _, out, _ = run("what", ".")
    assert len(out.splitlines()) <= 24
    assert "and 4 other files (" in out
    asked = [words for words in commands(out) if words[0] != "what"]
    assert {words[1] for words in asked[:6]} == {"one.parquet"}
    assert not any("wide.csv" in " ".join(words) for words in asked)
    assert "more commands (" in out
    assert (
        run("what", "page")[1]
        == "page: a page that irmeta wrote; open page/index.html\n"
    )
