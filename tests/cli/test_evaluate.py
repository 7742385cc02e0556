"""The verbs evaluate, validate and import as commands: what they print, write, and exit with."""

import json
import math
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.typed import Outcome, typed

import irmeta
from irmeta.cli import main
from irmeta.errors import FileFormatError, IrmetaError, ScoresError
from irmeta.io.formats.scores import load, load_all

QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 1\n2 0 d 0\n"
RUN = "1 Q0 a 1 3.0 tag\n1 Q0 b 2 2.0 tag\n1 Q0 c 3 1.0 tag\n2 Q0 a 1 2 tag\n2 Q0 d 2 1 tag\n"


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which commands run, with qrels and two runs."""
    folder = tmp_path / "desk"
    (folder / "runs").mkdir(parents=True)
    (folder / "qrels").write_text(QRELS)
    (folder / "runs/one").write_text(RUN)
    (folder / "runs/two").write_text(RUN.replace("3.0", "0.5"))
    monkeypatch.chdir(folder)
    return folder


def run(*args: str) -> Outcome:
    return typed(args, catch=True)


def program(args: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> int:
    """Run irmeta as its script does and give its exit code; anything but SystemExit would be a traceback."""
    monkeypatch.setattr(sys, "argv", ["irmeta", *args])
    with pytest.raises(SystemExit) as left:
        main()
    return int(left.value.code or 0)


def test_table(desk: Path) -> None:
    """Without -o the system means are printed as a table, and the notes on stderr."""
    result = run("evaluate", "qrels", "runs/", "-m", "AP P@1", "-m", "RBP(p=0.5)")
    assert result.exit_code == 0
    lines = [line for line in result.stdout.splitlines() if "─" not in line]
    assert [line.split() for line in lines][-3:] == [
        ["system", "AP", "P@1", "RBP(p=0.5)"],
        ["one", ".9167", "1.0000", ".3125"],
        ["two", ".7917", ".5000", ".2813"],
    ]
    assert "note: 2 runs with all 2 judged topics" in result.stderr
    assert run("evaluate", "qrels", "runs/", "-m", "AP", "--quiet").stderr == ""


def test_json(desk: Path) -> None:
    """The JSON document holds the study, its inputs, options and notes, and every score in full precision."""
    result = run(
        "evaluate", "qrels", "runs/one", "-m", "AP nDCG", "--format", "json", "--quiet"
    )
    document = json.loads(result.stdout)
    assert list(document) == [
        "study",
        "findings",
        "inputs",
        "options",
        "notes",
        "tables",
    ]
    assert document["study"] == "evaluation"
    assert document["options"] == {"score_precision": "float64", "topics": "qrels"}
    assert document["tables"]["means"] == [
        {
            "system": "one",
            "AP": 0.9166666666666666,
            "nDCG": pytest.approx((2 / (2 + 1 / math.log2(3)) + 1) / 2, abs=1e-15),
        }
    ]
    assert document["tables"]["scores"][0] == {
        "collection": "desk",
        "system": "one",
        "topic": "1",
        "metric": "AP",
        "score": 0.8333333333333333,
    }
    assert len(document["tables"]["scores"]) == 4


def test_csv_and_files(desk: Path) -> None:
    """CSV gives the means or the table named; the suffix of -o tells the form."""
    means = "system,AP\none,0.9166666666666666\ntwo,0.7916666666666666\n"
    assert (
        run(
            "evaluate", "qrels", "runs/", "-m", "AP", "--format", "csv", "--quiet"
        ).stdout
        == means
    )
    assert (
        run("evaluate", "qrels", "runs/", "-m", "AP", "-o", "means.csv").exit_code == 0
    )
    assert (desk / "means.csv").read_text() == means
    scores = run(
        "evaluate",
        "qrels",
        "runs/one",
        "-m",
        "P@1",
        "--format",
        "csv",
        "--table",
        "scores",
        "--quiet",
    )
    assert (
        scores.stdout
        == "collection,system,topic,metric,score\ndesk,one,1,P@1,1.0\ndesk,one,2,P@1,1.0\n"
    )


def test_score_file(desk: Path) -> None:
    """A score file is not overwritten; --append adds a collection of another name, or runs to the one it holds."""
    result = run("evaluate", "qrels", "runs/", "-o", "s.parquet")
    said = " ".join(result.stderr.split())
    sizes = "wrote s.parquet: 2 systems, 2 topics, 23 metrics"
    assert f"{sizes} (collection {desk.name}; --collection names it)" in said
    assert load("s.parquet").sizes == {"system": 2, "topic": 2, "metric": 23}
    before = (desk / "s.parquet").read_bytes()
    for more in ([], ["--append", "-m", "AP"], ["--replace"]):
        with pytest.raises(IrmetaError, match="--append|has other metrics"):
            typed(["evaluate", "qrels", "runs/", "-o", "s.parquet", *more])
    assert (desk / "s.parquet").read_bytes() == before
    assert (
        run(
            "evaluate",
            "qrels",
            "runs/one",
            "-o",
            "s.parquet",
            "--append",
            "--collection",
            "more",
        ).exit_code
        == 0
    )
    assert list(load_all("s.parquet")) == ["desk", "more"]
    (desk / "mine").write_text(RUN)
    added = run(
        "evaluate",
        "qrels",
        "mine",
        "-o",
        "s.parquet",
        "--append",
        "--collection",
        "desk",
    )
    assert "wrote s.parquet: 3 systems, 2 topics, 23 metrics" in added.stderr
    assert load("s.parquet", "desk").system.values.tolist() == ["one", "two", "mine"]


def test_runs_are_added_by_the_metrics_of_the_file(desk: Path) -> None:
    """With --append and no -m the metrics are those of the collection, or of all collections of the file."""
    score = ["evaluate", "qrels", "-o", "s.parquet", "--collection"]
    run(*score, "desk", "runs/one", "-m", "AP P@1")
    for collection in ("desk", "more"):
        added = run(*score, collection, "runs/two", "--append")
        assert "2 metrics" in added.stderr
    for cube in load_all("s.parquet").values():
        assert cube.metric.values.tolist() == ["AP", "P@1"]
    run(*score, "other", "runs/two", "--append", "-m", "RR")
    assert "23 metrics" in run(*score, "last", "runs/two", "--append").stderr


def test_names_by_tag_and_by_a_file(desk: Path) -> None:
    """--names takes the run tag, or a file with a run file and a name on each line, also of some of the runs."""
    for name, tag in (("input.a.gz", "bm25"), ("input.b", "dpr")):
        (desk / name).write_bytes(RUN.replace("tag", tag).encode())
    (desk / "names.csv").write_text(
        "input.a.gz, ours\n\n'input.b',theirs\n".replace("'", '"')
    )
    (desk / "tabs.tsv").write_text("input.a.gz\tours\ninput.b\ttheirs\n")
    (desk / "part.csv").write_text("input.b,theirs\n")
    (desk / "twice.csv").write_text("one,ours\ntwo,theirs\none,mine\n")

    def systems(*words: str) -> list[str]:
        table = run(
            "evaluate",
            "qrels",
            "input.a.gz",
            "input.b",
            "-m",
            "RR",
            "--format",
            "csv",
            "--quiet",
            *words,
        )
        return [line.split(",")[0] for line in table.stdout.splitlines()[1:]]

    assert systems() == ["a", "b"]
    assert systems("--names", "tag") == ["bm25", "dpr"]
    assert systems("--names", "names.csv") == ["ours", "theirs"]
    assert systems("--names", "tabs.tsv") == ["ours", "theirs"]
    assert systems("--names", "part.csv") == ["a", "theirs"]
    for given, names, says in (
        (
            "runs/",
            "names.csv",
            "names.csv: no line names one, two; each line needs a run file and its system",
        ),
        (
            "runs/",
            "tag",
            "two systems are named 'tag': runs/one and runs/two; name each in a file",
        ),
        (
            "runs/",
            "none.csv",
            "none.csv: no such file; --names is file, tag, folder, a pattern",
        ),
        ("runs/", "twice.csv", "twice.csv:3: one has two names; remove a line"),
        ("runs/", "qrels", "qrels:1: each line needs a run file and its system"),
    ):
        with pytest.raises(FileFormatError, match=says):
            typed(["evaluate", "qrels", given, "--names", names])


def test_runs_of_a_system_are_in_its_folder(desk: Path) -> None:
    """Files of one name in several folders are refused with a way out, by which --repeats stem knows their systems."""
    for system in ("bm25", "bge-m3"):
        for number in (1, 2):
            folder = Path("each") / system
            folder.mkdir(parents=True, exist_ok=True)
            score = {"bm25": 9, "bge-m3": 1}[system] + number
            (folder / f"run-{number}.txt").write_text(
                f"1 Q0 a 1 {score} x\n1 Q0 b 2 5 x\n2 Q0 c 1 {number} x\n"
            )
    given = ["evaluate", "qrels", "each/", "-m", "AP", "-o", "s.parquet"]
    with pytest.raises(FileFormatError, match=r"rename one, or .*\(--names folder\)"):
        typed(given)
    typed([*given, "--names", "folder", "--quiet"])
    scores = irmeta.load("s.parquet")
    assert sorted(scores.system.values) == [
        "bge-m3_run1",
        "bge-m3_run2",
        "bm25_run1",
        "bm25_run2",
    ]
    with pytest.raises(ScoresError, match="2 runs of it, .*--repeats stem"):
        typed(["versus", "s.parquet", "--system", "bm25"])
    made = irmeta.with_repeats(scores, "stem")
    assert sorted(made.system.values) == ["bge-m3", "bm25"]
    with pytest.raises(
        FileFormatError, match="qrels is not named as {system}/{repeat}"
    ):
        typed(["evaluate", "qrels", "qrels", "-m", "AP", "--names", "folder"])


@pytest.mark.parametrize(
    "names", ["{system}.seed-{repeat}.run", "{system}.seed-{repeat}", "names.csv"]
)
def test_runs_of_a_system_go_by_a_pattern_or_a_file(desk: Path, names: str) -> None:
    """A pattern says where a path has the system and which run of it, a file says it of each: --repeats knows both."""
    (desk / "seeds").mkdir()
    lines = []
    for system in ("bm25", "bge-m3_large"):
        for number in ("7", "7.5"):
            file = f"{system}.seed-{number}.run"
            (desk / "seeds" / f"{file}.gz").write_text(RUN)
            lines.append(f"{file},{system},{number.replace('.', '')}")
    (desk / "names.csv").write_text("\n".join(lines))
    given = ["evaluate", "qrels", "seeds/", "-m", "AP", "-o", "s.parquet"]
    typed([*given, "--names", names, "--quiet"])
    scores = irmeta.load("s.parquet")
    assert sorted(scores.system.values) == [
        "bge-m3_large_7",
        "bge-m3_large_75",
        "bm25_7",
        "bm25_75",
    ]
    made = irmeta.with_repeats(scores, "stem")
    assert sorted(made.system.values) == ["bge-m3_large", "bm25"]


def test_a_pattern_has_a_system_and_a_repeat(desk: Path) -> None:
    """A pattern that lacks one, and a file that does not fit it, are refused with what to do."""
    for names, says in (
        ("{system}.run", "a pattern has {system} once and {repeat} once"),
        (
            "{system}-{repeat}",
            "runs/one is not named as {system}-{repeat}.*, or leave --names out: .*--repeats stem",
        ),
    ):
        with pytest.raises(FileFormatError, match=says):
            typed(["evaluate", "qrels", "runs/", "--names", names])


def test_reading_options(desk: Path) -> None:
    """The options for odd files reach the reader."""
    header, extra, twice = (
        "qid Q0 docno rank score tag\n",
        RUN.replace("tag", "tag x"),
        RUN + "1 Q0 a 9 9 tag\n",
    )
    odd = {
        "--skip-header": header + RUN,
        "--extra-columns": extra,
        "--allow-missing-tag": RUN.replace(" tag", ""),
        "--dedup first": twice,
        "--dedup best": RUN + "1 Q0 a 9 0.1 tag\n",
        "--allow-empty": "",
    }
    for options, text in odd.items():
        (desk / "odd").write_text(text)
        refused = run("evaluate", "qrels", "odd", "-m", "AP")
        assert isinstance(refused.exception, IrmetaError)
        assert options.split()[0] in str(refused.exception)
        taken = run(
            "evaluate",
            "qrels",
            "odd",
            "-m",
            "AP",
            "--format",
            "csv",
            "--quiet",
            *options.split(),
        )
        assert (
            taken.stdout
            == f"system,AP\nodd,{'0.9166666666666666' if text else '0.0'}\n"
        )
    (desk / "beir").write_text("query-id\tcorpus-id\tscore\n1\ta\t1\n")
    assert (
        run("evaluate", "beir", "runs/", "-m", "AP", "--qrels-format", "beir").exit_code
        == 0
    )
    (desk / "runs/bad").write_text("x\n")
    skipped = run("evaluate", "qrels", "runs/", "-m", "AP", "--on-error", "skip")
    assert skipped.exit_code == 0
    assert "note: left out: runs/bad:1: 1 field" in skipped.stderr


def test_a_run_that_was_mended_and_added_is_no_longer_left_out(desk: Path) -> None:
    """What a score file says of a broken run goes when the run is added; of others that are broken it stays."""
    whole = (desk / "runs/one").read_text()
    for name in ("bad", "torn"):
        (desk / "runs" / name).write_text("x\n")
    args = ("evaluate", "qrels", "runs/", "-m", "AP", "-o", "s.parquet")
    assert run(*args, "--on-error", "skip").exit_code == 0
    (desk / "runs/bad").write_text(whole)
    added = run("evaluate", "qrels", "runs/bad", "-o", "s.parquet", "--append")
    assert added.exit_code == 0
    for said in (added.stderr, "\n".join(irmeta.about(load("s.parquet"))["notes"])):
        assert "left out: runs/bad" not in said
        assert "left out: runs/torn:1" in said
    told = added.stderr
    assert "note: added bad: 1 run with all 2 judged topics" in told
    assert "judgments:" not in told  # of the first evaluation


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (
            ["evaluate", "qrels", "runs/", "-m", "AP"],
            0,
            "note: 2 runs with all 2 judged topics",
        ),
        (["evaluate", "qrels", "nowhere"], 2, "irmeta: nowhere: no such file"),
        (["evaluate", "nowhere", "runs/"], 2, "irmeta: nowhere: no such file"),
        (["evaluate", "qrels", "runs/", "-m", "nDGC@10"], 2, "did you mean nDCG"),
        (
            ["evaluate", "qrels", "runs/", "-m", "BPM@5"],
            2,
            "ir_measures cannot compute BPM@5",
        ),
        (["evaluate", "qrels", "runs/", "--topics", "some"], 2, "--topics"),
        (["evaluate", "qrels", "runs/", "-o", "x.doc"], 2, "unknown suffix"),
        (
            ["evaluate", "qrels", "runs/", "-o", "nowhere/x.parquet"],
            2,
            "the folder nowhere does not exist",
        ),
        (["evaluate", "qrels"], 2, "evaluate needs RUNS"),
        (
            ["evaluate", "qrels", "runs/", "runs/one"],
            2,
            "two systems are named 'one': runs/one and runs/one",
        ),
        (["evaluate", "runs/one", "qrels"], 2, "a qrels line has 4"),
        (["validate", "runs/", "--qrels", "qrels"], 0, ""),
        (["validate", "runs/", "qrels"], 1, ""),
        (["validate", "runs/", "--qrels", "runs/one"], 1, ""),
        (["validate", "nowhere"], 1, ""),
        (["validate", "runs/", "runs/one", "nowhere", "--qrels", "qrels"], 1, ""),
        (
            ["import", "matrix", "qrels", "-o", "x.parquet"],
            2,
            "--rows topics or --rows systems",
        ),
        (
            ["import", "matrix", "qrels", "--rows", "topics", "-o", "x.csv"],
            2,
            "a score file is named .parquet",
        ),
        (["import", "systemwise", "qrels", "-o", "x.parquet"], 2, "not a CSV table"),
        (["import", "trec_eval", "qrels", "-o", "x.parquet"], 2, "qrels:1: 4 fields"),
        (["import", "csv", "qrels", "-o", "x.parquet"], 2, "csv"),
        (["verb"], 2, "verb"),
        (["--help"], 0, ""),
    ],
)
def test_exit_codes(
    desk: Path,
    args: list[str],
    code: int,
    says: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """0 is done, 1 found what it was asked to find, 2 is wrong input; never a traceback."""
    assert program(args, monkeypatch) == code
    assert says in capsys.readouterr().err.replace("\n  ", " ")
    assert not list(desk.glob("x.*"))


@pytest.mark.parametrize(
    "args",
    [
        ["evaluate", "qrels", "runs/", "-m", "AP", "--format", "csv", "-o", "qrels"],
        ["evaluate", "qrels", "runs/", "-m", "AP", "--format", "csv", "-o", "runs/one"],
        ["evaluate", "qrels", "runs/o*", "-m", "AP", "--format", "csv", "-o", "linked"],
        ["describe", "s.csv", "-o", "s.csv"],
        ["describe", "s.csv", "--plot", "s.csv.svg"],
        ["predict", "fit", "s.csv", "-o", "s.csv"],
        [
            "predict",
            "select",
            "--train",
            "a.csv",
            "s.csv",
            "--test",
            "b.csv",
            "-o",
            "s.csv",
        ],
    ],
)
def test_no_output_is_an_input(
    desk: Path,
    args: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What a command reads it does not write over, however it is named."""
    assert (
        run("evaluate", "qrels", "runs/", "-m", "AP", "-o", "s.parquet").exit_code == 0
    )
    rows = load(desk / "s.parquet").to_series().reset_index()
    rows.assign(collection="c").to_csv(desk / "s.csv", index=False)
    (desk / "linked").symlink_to(desk / "runs/one")
    (desk / "s.csv.svg").symlink_to(desk / "s.csv")
    before = {file: file.read_bytes() for file in desk.rglob("*") if file.is_file()}
    assert program(args, monkeypatch) == 2
    assert (
        "is one of the files to read; write to another file"
        in capsys.readouterr().err.replace("\n  ", " ")
    )
    assert {
        file: file.read_bytes() for file in desk.rglob("*") if file.is_file()
    } == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux's")
def test_outputs_that_are_no_files(desk: Path) -> None:
    """A full disk is an error, closed output is none, and a device or a pipe is written to."""

    def shell(command: str) -> tuple[int, str, str]:
        done = subprocess.run(
            [
                "bash",
                "-c",
                f"{sys.executable} -m irmeta evaluate qrels runs/ -m AP --format csv --quiet {command}",
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    command = ("evaluate", "qrels", "runs/", "-m", "AP", "--format", "csv", "--quiet")
    expected = run(*command).stdout
    assert shell("> /dev/full") == (
        2,
        "",
        "irmeta: cannot write to standard output (No space left on device)\n",
    )
    full = str(run(*command, "-o", "/dev/full").exception)
    assert full == "/dev/full: cannot be written (No space left on device)"
    assert shell(">&-") == (0, "", "")
    assert shell("-o /dev/stdout | cat") == (0, expected, "")
    assert shell("-o >(cat)")[::2] == (0, "")


def test_validate(desk: Path) -> None:
    """Validate lists the problems of all files, errors first, and says what they mean."""
    (desk / "runs/bad").write_text("1 Q0 a 1 1\n1 Q0 b 1 x t\n")
    result = run("validate", "runs/", "--qrels", "qrels", "--format", "json")
    assert result.exit_code == 1
    problems = json.loads(result.stdout)["tables"]["problems"]
    assert [(one["level"], one["file"], one["line"]) for one in problems][:2] == [
        ("error", "runs/bad", 1),
        ("error", "runs/bad", 2),
    ]
    assert [one["system"] for one in json.loads(result.stdout)["tables"]["runs"]] == [
        "one",
        "two",
    ]
    assert (
        "2 readable runs, 2 errors"
        in run("validate", "runs/", "--qrels", "qrels").stdout
    )


def test_validate_takes_judgments_where_evaluate_does(desk: Path) -> None:
    """Judgments before the runs are those that the runs are checked against; a run of whole scores is none."""
    shown = run("validate", "qrels", "runs/")
    assert shown.exit_code == 0
    assert shown.stdout == run("validate", "runs/", "--qrels", "qrels").stdout
    (desk / "votes.json").write_text('{"1": {"a": 3, "b": 1}}')
    assert "3 readable runs" in run("validate", "votes.json", "runs/").stdout


def test_import(desk: Path) -> None:
    """Imported tables are score files; nothing is overwritten."""
    (desk / "AP.csv").write_text("s1,s2\n0.1,0.2\n0.3,0.4\n")
    args = [
        "import",
        "matrix",
        "AP.csv",
        "--rows",
        "topics",
        "--topics",
        "401-402",
        "--collection",
        "t8",
    ]
    assert run(*args, "-o", "s.parquet").exit_code == 0
    assert (
        load("s.parquet", "t8").sel(system="s2", topic="402", metric="AP").item() == 0.4
    )
    assert isinstance(run(*args, "-o", "s.parquet").exception, IrmetaError)
    (desk / "wt.csv").write_text("P_10all\n0.5\n")
    assert (
        run("import", "systemwise", "wt.csv", "-o", "s.parquet", "--append").exit_code
        == 0
    )
    assert list(load_all("s.parquet")) == ["t8", "wt"]
    (desk / "wt2.csv").write_text("P_10all\n0.4\n")  # its file names the collection
    args = ["import", "systemwise", "wt2.csv", "-o", "s.parquet", "--append"]
    assert run(*args).exit_code == 0
    assert list(load_all("s.parquet")) == ["t8", "wt", "wt2"]


def test_names_that_are_not_utf8(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """File names and ids that are not UTF-8 are written as escapes, and never end in a traceback."""
    name = os.fsdecode(b"caf\xe9")
    (desk / name).write_bytes(RUN.encode().replace(b"2 Q0", b"\xe9 Q0"))
    (desk / "q").write_bytes(QRELS.encode().replace(b"2 0", b"\xe9 0"))
    for args in (
        ["evaluate", "q", name, "-m", "AP", "--table", "scores", "--format", "csv"],
        ["evaluate", "q", name, "-m", "AP"],
        ["evaluate", "q", name, "-m", "AP", "--format", "json"],
        ["validate", name, "--qrels", "qrels"],
    ):
        assert program([*args, "--quiet"], monkeypatch) == 0
        assert "caf\\xe9" in capsys.readouterr().out.replace("\\\\", "\\")
    assert (
        program(
            ["evaluate", "q", name, "-m", "AP", "-o", "s.parquet", "--quiet"],
            monkeypatch,
        )
        == 0
    )
    assert load("s.parquet").system.values.tolist() == ["caf\\xe9"]
    assert load("s.parquet").topic.values.tolist() == ["1", "\\xe9"]


@pytest.mark.parametrize(
    ("statement", "unwanted"),
    [
        (
            "import irmeta",
            {
                "numpy",
                "polars",
                "xarray",
                "pandas",
                "scipy",
                "matplotlib",
                "rich",
                "cyclopts",
            },
        ),
        (
            "sys.argv = ['irmeta', '--help']; from irmeta.cli import main; main()",
            {"numpy", "polars", "xarray", "pandas", "fastapi", "sqlalchemy"},
        ),
        (
            "sys.argv = ['irmeta', 'evaluate', '--help']; from irmeta.cli import main; main()",
            {"numpy", "polars", "xarray"},
        ),
        (
            "sys.argv = ['irmeta', 'simulate', '-o', 'made', '--topics', '5', '--systems', '4']; "
            "from irmeta.cli import main; main()",
            {"dask", "distributed", "scipy.stats", "matplotlib"},
        ),
        (
            "open('q', 'w').write('1 0 a 1'); open('r', 'w').write('1 Q0 a 1 1 r'); "
            "sys.argv = ['irmeta', 'evaluate', 'q', 'r']; from irmeta.cli import main; main()",
            {"dask", "scipy", "matplotlib", "xarray", "pandas", "polars"},
        ),
        (
            "import irmeta, numpy as np; from irmeta.scores.cube import cube; shape = (4, 6, 1); "
            "rows = np.random.default_rng(1).random(shape); "
            "axes = [[f'{axis}{i}' for i in range(n)] for axis, n in zip('stm', shape)]; "
            "axes[2] = ['AP']; irmeta.save(cube(rows, *axes), 's.parquet'); "
            "sys.argv = ['irmeta', 'leaderboard', 's.parquet']; from irmeta.cli import main; main()",
            {"matplotlib", "scipy.stats", "scipy.optimize"},
        ),
        ("import irmeta.report.words", {"matplotlib"}),
    ],
)
def test_cheap_starts(statement: str, unwanted: set[str], tmp_path: Path) -> None:
    """Importing irmeta, and printing help, load no library for numbers or tables; a printed page none for figures."""
    code = f"import atexit, sys; atexit.register(lambda: print('\\nLOADED', *sys.modules)); {statement}"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    loaded = set(done.stdout.split("LOADED")[1].split())
    assert "irmeta" in loaded
    assert not loaded & unwanted


def interrupt(desk: Path, with_signal: int) -> tuple[int, str]:
    """Send an evaluation a signal while it adds to s.parquet; give its exit code and what it said."""
    code = """if True:
        import pathlib, sys, time
        import polars
        def slow(frame, file, **options):
            pathlib.Path(file).write_bytes(b"PAR1 half")
            print("writing", flush=True)
            for _ in range(1200):  # a signal just before a sleep does not end it
                time.sleep(0.05)
        polars.LazyFrame.sink_parquet = slow
        from irmeta.cli import main
        main()
    """
    args = [
        "evaluate",
        "qrels",
        "runs/",
        "-m",
        "AP",
        "-o",
        "s.parquet",
        "--append",
        "--collection",
        "new",
        "--quiet",
    ]
    with subprocess.Popen(
        [sys.executable, "-c", code, *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=desk,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "writing\n"
        process.send_signal(with_signal)
        said = process.communicate(timeout=60)[1]
    return process.returncode, said


@pytest.mark.parametrize("with_signal", [signal.SIGINT, signal.SIGKILL])
def test_interrupted_while_writing(desk: Path, with_signal: int) -> None:
    """Ctrl-C or kill -9 while writing leaves the old score file whole; Ctrl-C ends quietly, and cleans up."""
    assert (
        run("evaluate", "qrels", "runs/", "-m", "AP", "-o", "s.parquet").exit_code == 0
    )
    before = (desk / "s.parquet").read_bytes()
    code, said = interrupt(desk, with_signal)
    assert (desk / "s.parquet").read_bytes() == before
    left = [
        path.name
        for path in desk.iterdir()
        if path.name not in ("qrels", "runs", "s.parquet")
    ]
    if with_signal == signal.SIGINT:
        assert code == 130
        assert "Traceback" not in said
        assert left == []
    else:
        assert code == -signal.SIGKILL
        assert all(name.startswith(".s.parquet.") for name in left)
    again = run(
        "evaluate",
        "qrels",
        "runs/",
        "-m",
        "AP",
        "-o",
        "s.parquet",
        "--append",
        "--collection",
        "new",
    )
    assert again.exit_code == 0
    assert list(load_all(desk / "s.parquet")) == ["desk", "new"]


@pytest.mark.skipif(sys.platform == "win32", reason="no /dev/stdin")
@pytest.mark.parametrize("words", ["qrels - < runs/one", "- runs/one < qrels"])
def test_a_dash_is_the_standard_input(desk: Path, words: str) -> None:
    """What comes through a pipe is scored as the file that it is from."""
    command = "evaluate -m AP --format csv --quiet"
    piped = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m irmeta {command} {words}"],
        capture_output=True,
        text=True,
        check=True,
    )
    plain = run(*command.split(), "qrels", "runs/one")
    assert plain.exit_code == 0
    assert piped.stdout.replace("stdin,", "one,") == plain.stdout


def test_a_copy_beside_its_run_is_not_told_to_take_a_folder(desk):
    """Files of one name in one folder have no other folder to be named after."""
    Path("a").mkdir()
    for name in ("a/bm25", "a/bm25.gz"):
        Path(name).write_text("1 Q0 a 1 2 x\n")
    with pytest.raises(
        FileFormatError, match="rename one, or remove it if it is a"
    ) as error:
        typed(["evaluate", "qrels", "a/"])
    assert "--names" not in str(error.value)


def test_what_explains_the_runs_of_a_folder_is_left_out_and_told(run):
    """A README beside runs is no run, by its name and its beginning; a broken run stops, whatever lies beside it."""
    folder = Path("explained")
    folder.mkdir()
    Path("qrels").write_text("1 0 a 1\n")
    (folder / "a.run").write_text("1 Q0 a 1 2 x\n")
    (folder / "README.md").write_text("# Runs of ours\n")
    (folder / "LICENSE").write_text("As you like\n")
    given = [
        "evaluate",
        "qrels",
        "explained/",
        "-m",
        "AP",
        "--format",
        "csv",
        "--quiet",
    ]
    code, out, err = run(*given)
    assert code == 0
    assert [line.partition(",")[0] for line in out.splitlines()] == ["system", "a"]
    for name in ("README.md", "LICENSE"):
        assert f"left out: explained/{name}: its name says that it is not a run" in err
    assert "--on-error" not in run("what", "qrels", "explained")[1]
    code, out, _ = run("validate", "explained", "--qrels", "qrels")
    assert code == 0
    assert "its name says that it is not a run" in " ".join(out.split())
    (folder / "broken.run").write_text("1 Q0 a\n")
    assert run(*given)[0] == 2
    (folder / "broken.run").unlink()
    (folder / "README.md").write_text("1 Q0 a 1 2 x\n")
    assert "README.md" in run(*given)[1]
    assert run("evaluate", "qrels", "explained/LICENSE", "-m", "AP")[0] == 2
