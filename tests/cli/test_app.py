"""What many verbs share: which scores are read, which systems kept, how metrics and collections are named."""

import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import irmeta
from irmeta.scores.attributes import about
from irmeta.scores.cube import cube
from irmeta.words import folded

METRICS = ["AP@1000", "P@10", "RR", "nDCG@10"]


def made(seed=0, systems=12, topics=10, metrics=METRICS, collection="qrels"):
    rng = np.random.default_rng(seed)
    values = np.linspace(0.2, 0.6, systems)[:, None, None] + rng.normal(
        0, 0.1, size=(systems, topics, len(metrics))
    )
    names = [f"s{i}" for i in range(systems)], [str(i) for i in range(topics)], metrics
    return cube(np.clip(values, 0.01, 0.99), *names, collection=collection)


STUDIES = {
    "correlate": irmeta.correlate,
    "describe": irmeta.describe,
    "predictivity": lambda scores, **options: irmeta.predictivity(
        scores, partitions=20, **options
    ),
    "rank": irmeta.rank,
    "significance": irmeta.significance,
}
MORE = {"predictivity": ["--partitions", 20]}


def document(run, *words):
    code, out, err = run(*words, "--format", "json")
    assert (code, err) == (0, "")
    return json.loads(out)


@pytest.mark.parametrize("verb", STUDIES)
def test_systems_are_chosen_by_a_metric_that_is_not_studied(run, verb):
    """--metrics with --top and --by: the best systems by that metric, and what Python computes of the whole cube."""
    irmeta.save(made(), "s.parquet")
    told = document(
        run,
        verb,
        "s.parquet",
        "--metrics",
        "P_10 RR",
        "--top",
        0.75,
        "--by",
        "map_cut.1000",
        *MORE.get(verb, []),
    )
    expected = STUDIES[verb](made(), metrics="P_10 RR", top=0.75, by="map_cut.1000")
    for name, frame in expected.tables.items():
        assert_frame_equal(
            pl.DataFrame(told["tables"][name], schema=frame.schema), frame
        )
    assert told["options"] == json.loads(json.dumps(about(expected)["options"]))
    used = told["inputs"]["collections"]["qrels"]
    assert (used["systems"], used["metrics"]) == (9, 3 if verb == "describe" else 2)
    assert any(
        "9 of 12 systems: the top 0.75 by AP@1000" in note for note in told["notes"]
    )


@pytest.mark.parametrize("verb", STUDIES)
def test_missing_scores_go_before_systems_are_chosen(run, verb):
    """--top with --missing: systems are ordered by the topics that are left, and both are said."""
    scores = made()
    scores[0, 3, 0] = np.nan
    irmeta.save(scores, "s.parquet")
    told = document(
        run,
        verb,
        "s.parquet",
        "--top",
        0.75,
        "--missing",
        "topics",
        *MORE.get(verb, []),
    )
    used = told["inputs"]["collections"]["qrels"]
    assert (used["systems"], used["topics"]) == (9, 9)
    assert any(
        "1 of 480 scores are missing; dropped 1 of 10 topics" in note
        for note in told["notes"]
    )
    assert any(
        "9 of 12 systems: the top 0.75 by AP@1000" in note for note in told["notes"]
    )


@pytest.mark.parametrize("verb", STUDIES)
def test_only_missing_scores_of_what_is_used_count(run, verb):
    """A metric that is neither studied nor orders systems may lack scores."""
    scores = made()
    scores[0, 3, 3] = np.nan
    irmeta.save(scores, "s.parquet")
    words = [
        "s.parquet",
        "--metrics",
        "P@10 RR",
        *MORE.get(verb, []),
        "--top",
        0.75,
        "--by",
        "AP@1000",
    ]
    assert document(run, verb, *words)["inputs"]["collections"]["qrels"]["topics"] == 10
    STUDIES[verb](scores, metrics=["P@10", "RR"], top=0.75, by="AP@1000")
    code, _, err = run(verb, *words[:-2], "--by", "nDCG@10")
    assert code == 2
    assert "scores are missing" in err


@pytest.mark.parametrize("verb", ["predictivity", "rank", "significance"])
def test_a_metric_to_choose_by_takes_a_share(run, verb):
    """--by without --top chooses nothing, and is not ignored."""
    irmeta.save(made(), "s.parquet")
    code, _, err = run(verb, "s.parquet", "--by", "RR")
    assert code == 2
    assert "as in --top 0.75" in err


@pytest.mark.parametrize(
    "words",
    [["significance", "-m", "AP"], ["rank", "-m", "AP RR"], ["describe", "-m", "AP"]],
)
def test_only_the_metrics_asked_for_are_read(run, tmp_path, words):
    """A cell of another metric that is given twice does no harm, for it is not read."""
    rows = [f"c,s{s},{t},{metric},{s * t % 7 / 7 + shift}" for s in range(5) for t in range(4)
            for metric, shift in (("AP", 0.0), ("RR", 0.02 * s), ("P@10", 0.2))]  # fmt: skip
    (tmp_path / "s.csv").write_text(
        "\n".join(["collection,system,topic,metric,score", *rows, "c,s1,1,P@10,0.5\n"])
    )
    verb, *rest = words
    assert run(verb, "s.csv", *rest)[0] == 0
    code, _, err = run(verb, "s.csv")
    assert code == 2
    assert "more than one score for s1, topic 1, P@10" in err


@pytest.fixture
def files(tmp_path):
    """Six score files, each with a collection of the name that evaluate gives by default."""
    for seed, name in enumerate("abcdef"):
        irmeta.save(made(seed), tmp_path / f"{name}.parquet")
    return [f"{name}.parquet" for name in "abcdef"]


def test_collections_of_one_name_go_by_their_files(run, files):
    """Every verb that takes several files tells collections of one name apart by the files, also across roles."""
    assert run("predict", "fit", *files[:3], "-o", "m.json")[0] == 0
    assert [part.name for part in irmeta.load_model("m.json").parts] == ["a", "b", "c"]
    told = document(
        run, "compare", "a.parquet", "b.parquet", "-m", "RR", "--partitions", 5
    )
    assert told["tables"]["pairs"][0]["collection_b"] == "b"
    told = document(
        run,
        "predict",
        "coverage",
        *files[:3],
        "--targets",
        "recip_rank",
        "-m",
        "AP@1000 P.10 nDCG@10",
    )
    assert [row["collection"] for row in told["tables"]["coverage"]] == ["a", "b", "c"]
    told = document(
        run,
        "predict",
        "select",
        "--train",
        "a.parquet",
        "--dev",
        "b.parquet",
        "--test",
        "c.parquet",
        "-k",
        1,
    )
    assert told["options"]["roles"] == {"a": "train", "b": "dev", "c": "test"}
    told = document(
        run, "predict", "models", *files[:2], "--targets", "RR", "-m", "P@10"
    )
    assert set(told["inputs"]["collections"]) == {"a", "b"}


def test_a_file_given_twice_is_an_error(run, files):
    """A collection in two roles, or twice in one, is named."""
    for words in (
        ["compare", "a.parquet", "a.parquet"],
        ["predict", "select", "--train", *files[:2], "--test", files[1]],
    ):
        code, _, err = run(*words)
        assert code == 2
        assert "two collections are named" in err
        assert len(err.splitlines()) == 1


@pytest.mark.usefixtures("empty_figures")
def test_collections_without_a_common_metric(run, tmp_path):
    """Studies of several collections say so; a report says it where they would stand."""
    irmeta.save(made(metrics=["AP@1000", "P@10"]), tmp_path / "da.parquet")
    irmeta.save(made(1, metrics=["RR", "Bpref"]), tmp_path / "db.parquet")
    for verb in ("compare", "predict models"):
        code, _, err = run(*verb.split(), "da.parquet", "db.parquet")
        assert code == 2
        assert "da, db have no metric in common" in err
    code, _, err = run("report", "da.parquet", "db.parquet", "-o", "page")
    assert code == 0
    assert "da, db have no metric in common" in (
        tmp_path / "page" / "index.html"
    ).read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "metrics"),
    [
        (["rank", "a.parquet", "--include", "ndcg_cut_10", "-k", "2"], "nDCG@10"),
        (
            [
                "rank",
                "a.parquet",
                "--cost",
                "recip_rank=2",
                "--budget",
                "3",
                "--include",
                "P.10",
            ],
            "P@10",
        ),
        (["describe", "a.parquet", "--by", "ndcg_cut.10"], "nDCG@10"),
        (["significance", "a.parquet", "--metric", "ndcg_cut.10"], "nDCG@10"),
        (
            [
                "predict",
                "apply",
                "--given",
                "P_10=0.4 recip_rank=0.6",
                "--want",
                "map_cut.1000",
            ],
            "AP@1000",
        ),
        (
            [
                "predict",
                "coverage",
                "a.parquet",
                "b.parquet",
                "c.parquet",
                "--targets",
                "ndcg_cut.10",
            ],
            "nDCG@10",
        ),
    ],
)
def test_metrics_by_the_names_of_trec_eval(run, files, words, metrics):
    """Every option that takes metrics takes them by trec_eval's names, as evaluate does."""
    code, out, _ = run(*words)
    assert code == 0
    assert metrics in out


def test_a_model_keeps_metrics_by_the_names_of_trec_eval(run, files):
    """So does predict fit, of which every collection is read whole, since it may lack some."""
    assert (
        run("predict", "fit", *files[:2], "-o", "m.json", "-m", "ndcg_cut.10 P_10")[0]
        == 0
    )
    assert irmeta.load_model("m.json").metrics == ["nDCG@10", "P@10"]


def test_a_text_is_a_list_of_metrics():
    """In Python, too, one text names several metrics, and never its characters."""
    named = {"a": made(0), "b": made(1), "c": made(2)}
    assert irmeta.compare(
        named, metrics="RR ndcg_cut_10", partitions=5
    ).metric.values.tolist() == ["RR", "nDCG@10"]
    assert irmeta.predict.coverage(
        named, targets="RR", metrics="P@10 AP@1000"
    ).target.values.tolist() == ["RR"]
    assert irmeta.predict.fit(named, metrics="RR P@10").metrics == ["RR", "P@10"]
    single = irmeta.predict.fit(named)
    lacking = made(3).sel(metric=["P@10"])
    assert irmeta.predict.apply(
        lacking, single, want="recip_rank"
    ).target.values.tolist() == ["RR"]
    assert about(irmeta.rank(made(), k=2, include="RR P@10"))["options"]["include"] == [
        "P@10",
        "RR",
    ]
    assert irmeta.significance(made(), metrics="RR").metric.values.tolist() == ["RR"]


def test_metrics_are_chosen_from_scores_only():
    """A matrix of covariances is used whole."""
    with pytest.raises(
        irmeta.IrmetaError, match="this is a matrix; cut the matrix itself"
    ):
        irmeta.rank(np.eye(3), metrics="AP")


def test_systems_chosen_on_one_half_by_a_metric_that_is_not_studied():
    """Predictive power among the best on one half is that of the same metrics studied with the one that chooses."""
    options = {"partitions": 20, "top": 0.5, "by": "AP@1000", "top_on": "half"}
    few = irmeta.predictivity(made(), metrics="P@10 RR", **options)
    whole = irmeta.predictivity(made(), **options).sel(
        metric=["P@10", "RR"], metric_2=["P@10", "RR"]
    )
    np.testing.assert_allclose(few["phi"], whole["phi"], atol=1e-12)
    assert about(few)["inputs"]["collections"]["qrels"]["metrics"] == 2


def test_systems_by_pattern_and_from_a_file(run, tmp_path):
    """--systems takes patterns, and the names on the lines of a file; what cannot be read is named."""
    irmeta.save(made(), "s.parquet")
    (tmp_path / "mine.txt").write_text("\ufeffs3\n\n s10 \ns1\n")
    for wanted, expected in (
        ("s1*", ["s1", "s10", "s11"]),
        (f"@{tmp_path / 'mine.txt'}", ["s1", "s10", "s3"]),
    ):
        means = document(run, "describe", "s.parquet", "-m", "RR", "--systems", wanted)[
            "tables"
        ]["means"]
        assert sorted(row["system"] for row in means) == expected
    code, _, err = run("describe", "s.parquet", "--systems", "@none.txt")
    assert code == 2
    assert "none.txt: no such file;" in err
    assert "one name on each line; or give" in " ".join(err.split())
    assert "Errno" not in err
    (tmp_path / "none.txt").write_bytes(b"caf\xe9")
    code, _, err = run("describe", "s.parquet", "--systems", f"@{tmp_path}/none.txt")
    assert code == 2
    assert "cannot be read (not UTF-8 text);" in " ".join(err.split())


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            "significance s.parquet --correct bonferoni",
            "--correct: 'bonferoni' is not one of holm, bh, bonferroni, none; did you mean bonferroni?",
        ),
        (
            "significance s.parquet --test ttest",
            "--test: 'ttest' is not one of max-t, t, wilcoxon, permutation, bootstrap, sign, tukey; "
            "did you mean t?",
        ),
        (
            "significance s.parquet --format pdf",
            "--format: 'pdf' is not one of table, json, csv, latex, markdown",
        ),
        (
            "import csv a.csv -o s.parquet",
            "KIND: 'csv' is not one of table, trec_eval, ir_measures, tot, jsonl, matrix, systemwise, mteb, "
            "nuggets, support, labels, inspect, lm-eval, promptfoo, deepeval, helm, eee",
        ),
        (
            "predictivity s.parquet --target online",
            "irmeta predictivity has no option --target; irmeta design has it",
        ),
        (
            "report s.parquet -o page --baseline a",
            "irmeta report has no option --baseline; irmeta table, irmeta place and irmeta leak have it",
        ),
        (
            "place s.parquet --on trec8 --system a",
            "irmeta place has no option --system; did you mean --systems?",
        ),
        (
            "versus s.parquet --system a --against b c",
            "versus takes one score file, not also c; several names of an option have commas between them: A,c; "
            "a name with blanks stands in quotes: 'A c'",
        ),
        (
            "predictivity s.parquet --partition=3",
            "irmeta predictivity has no option --partition; did you mean --partitions?",
        ),
        (
            "significance s.parquet --teams t.csv",
            "irmeta significance has no option --teams; irmeta describe, irmeta predictivity, irmeta reuse, "
            "irmeta judges compare, irmeta compare and 4 more have it",
        ),
        (
            "versus s.parquet --sytem=a",
            "irmeta versus has no option --sytem; did you mean --system?",
        ),
        (
            "reuse q r --clusters stem",
            "irmeta reuse takes no --clusters: groups of runs are left out, not topics, so that clusters of topics "
            "change nothing",
        ),
        (
            "leaderboard s.parquet --teams t.csv",
            "irmeta leaderboard takes no --teams: teams change no rank; --about FILE shows them on the page, as a "
            "column team",
        ),
        (
            "versus s.parquet --baseline b",
            "irmeta versus takes no --baseline: the others are named with --against",
        ),
        (
            "judges compare a b --human c",
            "irmeta judges compare takes no --human: all judgments are named as files, those of people first "
            "(or by --truth)",
        ),
        (
            "versus s.parquet --system a --against --metric AP",
            "--against needs a value: SYSTEMS",
        ),
        ("judges plan s.parquet --table", "--table needs a value: NAME"),
        (
            "table s.parquet --test",
            "--test needs a value: one of max-t, t, permutation, none",
        ),
        ("simulate -o d --systems 1", "--systems must be 2 or more, not 1"),
        ("simulate -o d --topics x", "--topics must be a whole number, not 'x'"),
        ("describe s.parquet --level x", "--level must be a number, not 'x'"),
        ("describe s.parquet --level １", "--level must be a number, not '１'"),
        ("describe s.parquet --level nan", "--level must be a number, not 'nan'"),
        ("describe s.parquet --level=-1e400", "--level must be a number, not '-1e400'"),
        ("describe s.parquet --top None", "--top must be a number, not 'None'"),
        ("describe s.parquet --seed 2.5", "--seed must be a whole number, not '2.5'"),
        ("rank s.parquet -k 0x10", "-k must be a whole number, not '0x10'"),
        ("rank s.parquet -k 1_0", "-k must be a whole number, not '1_0'"),
        (
            "describe s.parquet --plot a.svg --plot-width 90",
            "--plot-width must be from 1 to 40, not 90",
        ),
    ],
)
def test_a_value_that_an_option_cannot_have(run, words, says):
    """The message names the option, the value, what it may be, and the nearest choice."""
    assert run(*words.split()) == (2, "", f"irmeta: {says}\n")


def test_of_many_commands_that_have_an_option_five_are_named(run):
    """An option that most studies have does not fill a screen with their names."""
    code, _, said = run("validate", "runs", "--missing", "common")
    assert code == 2
    assert re.search(r"--missing; (irmeta \w+, ){4}irmeta \w+ and \d+ more have", said)


def test_errors_are_folded(run, capsys):
    """An error takes several lines of at most 80 columns, as a note does; a path is not cut."""
    from irmeta.cli import _fail

    name = "my runs/" + "long " * 8 + "name.parquet"
    with pytest.raises(SystemExit):
        _fail(f"{name}: no such file; `irmeta evaluate` and `irmeta import` write them")
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith(f"irmeta: {name}: no such")
    assert len(lines) == 2
    assert max(map(len, lines)) <= 80


def test_possessives_are_not_names_in_quotes():
    """What stands between two apostrophes after words is cut as other text; a name in quotes is not."""
    said = "the systems' standard deviations and the runs' means"
    assert folded(said, 30).splitlines()[0] == "the systems' standard"
    assert "'my long name'" in folded("the collection called 'my long name'", 30)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("design s.parquet --depths 10", "--depths needs --runs and --qrels"),
        (
            "predict apply s.parquet --given P@10=.4",
            "a table and --given exclude each other; use one",
        ),
        (
            "table s.parquet -m AP P@10",
            "table takes one score file, not also P@10; name several metrics in quotes, as in -m '... P@10'",
        ),
        (
            "describe s.parquet t.parquet",
            "describe takes one score file, not also t.parquet",
        ),
        (
            "judges compare q.txt",
            "q.txt: a comparison needs the truth and at least one judge; name a second judgment file",
        ),
        (
            "describe s.parquet -m nDCG@20",
            "s.parquet: no metric 'nDCG@20' in qrels; did you mean nDCG@10, or score it: "
            '`irmeta evaluate QRELS RUNS -m "nDCG@20" -o NEW.parquet`',
        ),
        ("evaluate none.txt q.txt", "none.txt: no such file"),
        (
            "evaluate q.txt q.txt -m AP P@10",
            "P@10: no such file; name several metrics in quotes, as in -m '... P@10'",
        ),
        (
            "table s.parquet --labels b=B",
            "b=B: no such file; expected a CSV with columns system and label",
        ),
        (
            "leaderboard s.parquet -o b.html",
            "b.html: unknown suffix; use one of .json, .csv, .tex, .md, .txt, or add --format; scores (irmeta "
            "evaluate) go to a .parquet, a page (irmeta report or irmeta leaderboard) to a folder (-o DIR)",
        ),
        (
            "export s.parquet --wide",
            "a wide table has one metric; name it with --metric, one of AP@1000, P@10, RR, nDCG@10",
        ),
        (
            "versus s.parquet --system s",
            "no system 's'; did you mean s0, s1 or s2?",
        ),
        (
            "evaluate q.txt q.txt -o s.parquet",
            "s.parquet exists; --append adds runs to its collection 'qrels' (--replace, too, for runs that it has), "
            "`--append --collection NAME` another collection; to evaluate all again, remove it or choose another name",
        ),
        ("descr s.parquet", "irmeta has no command descr; did you mean describe?"),
        (
            "plot s.parquet",
            "irmeta has no command plot; did you mean describe SCORES --plot FILE?",
        ),
        (
            "compare mine bm25",
            "mine and bm25: no such files; two systems of a file are compared by "
            "irmeta versus FILE --system mine --against bm25",
        ),
        (
            "compare a.parquet b.parquet",
            "a.parquet: no such file; `irmeta evaluate` and `irmeta import` write score files",
        ),
        (
            "leaderboard s.parquet --rows topics",
            "irmeta leaderboard has no option --rows; irmeta import has it",
        ),
        (
            "reuse q.txt --runs runs",
            "irmeta reuse takes RUNS by its place: irmeta reuse QRELS RUNS",
        ),
        ("score q.txt r", "irmeta has no command score; did you mean evaluate?"),
        ("test s.parquet", "irmeta has no command test; did you mean significance?"),
        ("board create b", "irmeta board has no command create; did you mean new?"),
        (
            "judges test",
            "irmeta judges has no command test; irmeta judges --help lists all",
        ),
        (
            "evalaute q.txt",
            "irmeta has no command evalaute; did you mean evaluate or validate?",
        ),
        ("nosuch", "irmeta has no command nosuch; irmeta --help lists all"),
        ("xyzzy", "irmeta has no command xyzzy; irmeta --help lists all"),
        ("judges comp", "irmeta judges has no command comp; did you mean compare?"),
        (
            "versus s.parquet --system s1 --against s2 --against s3",
            "--against is given twice; give its values once, with commas between them: --against A,B",
        ),
        (
            "versus s.parquet --system s1 --system s2",
            "--system is given twice; it takes one value",
        ),
        (
            "reliability s.parquet -m RR --difference 2",
            "the difference must be above 0 and below 1 for RR, not 2",
        ),
    ],
)
def test_a_mistake_is_answered_with_its_mend(run, words, says):
    """What would be ignored is refused, and a message has all that the next command needs."""
    irmeta.save(made(), "s.parquet")
    Path("q.txt").write_text("1 0 d1 1\n")
    assert run(*words.split()) == (2, "", f"irmeta: {says}\n")


def test_the_version_says_what_reads_runs(run, monkeypatch):
    """--version prints the version, and whether runs are read by the compiled core or by NumPy."""
    assert run("--version")[1].startswith(f"{irmeta.__version__} (runs are read by ")
    monkeypatch.setattr("irmeta.stats.arrays.core", None)
    assert "by NumPy, since the compiled core could not be built" in run("--version")[1]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("reliability {} --sizes 2:99999999999:1", "of at most 10,000 numbers"),
        ("reliability {} --sizes 2:10:-1", "expected whole numbers above 0"),
        ("reliability {} --sizes １0", "expected whole numbers above 0"),
        ("rank {} --cost AP=1,AP=3 --budget 3", "--cost gives AP two numbers"),
        ("rank {} --cost AP=1_0 --budget 3", "'AP=1_0' in --cost: expected NAME=NUM"),
        ("rank {} --cost AP=nan --budget 3", "'AP=nan' in --cost: expected NAME=NUM"),
        ("rank {} --cost 3 --budget 3", "'3' in --cost: expected NAME=NUMBER"),
    ],
)
def test_numbers_within_a_value_are_read_as_strictly(run, files, words, says):
    """Lists, ranges and numbers by name are bounded, plain, and name nothing twice."""
    code, _, said = run(*words.format(files[0]).split())
    assert code == 2
    assert says in " ".join(said.split())


def test_words_of_other_programs_name_commands() -> None:
    """Each word that stands for a command is none itself, and the command is there, of irmeta or of a board."""
    from irmeta.cli.app import SYNONYMS, app

    commands = {name for name in app.app if not name.startswith("-")}
    meant = {text.partition(" ")[0] for text in SYNONYMS.values()}
    assert meant <= commands | {*app.app["board"]}
    assert not SYNONYMS.keys() & commands
