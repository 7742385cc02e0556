"""`irmeta report` and `irmeta demo` as users call them."""

import re
from html import unescape
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from irmeta.cli import main
from irmeta.io.formats.scores import save
from irmeta.scores.cube import cube


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(4)
    shared = rng.normal(size=(8, 1, 1)) + 0.5 * rng.normal(size=(8, 10, 3))
    scores = cube(
        1 / (1 + np.exp(-shared)),
        [f"s{i}" for i in range(8)],
        [f"t{i}" for i in range(10)],
        ["AP@1000", "P@10", "RR"],
        collection="made",
    )
    path = tmp_path_factory.mktemp("report") / "my scores.parquet"
    save(scores, path)
    return path


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr("sys.argv", ["irmeta", *map(str, arguments)])
    with pytest.raises(SystemExit) as caught:
        main()
    return int(caught.value.code or 0)


def test_a_report_is_a_folder(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page alone cannot be asked for, and nothing is written under its name."""
    assert run(monkeypatch, "report", file, "-o", tmp_path / "rep.html") == 2
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("empty_figures")
def test_a_page_calls_systems_by_their_labels(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Options name them by either, tables have the labels, and the commands on the page know them."""
    labels = tmp_path / "labels.csv"
    labels.write_text("system,label\ns1,The first one\ns2.run,Second\n")
    chosen = "--systems", "The first one, Second s3 s4 s5 s6", "--highlight", "Second"
    folder = tmp_path / "out"
    assert (
        run(monkeypatch, "report", file, "-o", folder, "--labels", labels, *chosen) == 0
    )
    page = (folder / "index.html").read_text()
    assert "--labels labels.csv --test t" in page
    assert re.search(r'"marked":\s*\["Second"\]', page)
    [table] = folder.glob("tables/*means.csv")
    assert set(pl.read_csv(table)["system"]) == {
        *("The first one", "Second"),
        *("s3", "s4", "s5", "s6"),
    }


def test_options_name_systems_by_their_labels(
    file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A system is compared, chosen and marked under the name that the file of labels gives it."""
    labels = tmp_path / "labels.csv"
    labels.write_text("system,label\ns1,The first one\ns2,Second\n")
    shared = file, "--labels", labels, "-m", "RR"
    for command in (
        ("versus", *shared, "--system", "The first one", "--against", "Second,s3"),
        (
            "table",
            *shared,
            "--systems",
            "The first one,s4",
            "--baseline",
            "The first one",
        ),
        ("describe", *shared, "--plot", tmp_path / "x.svg", "--highlight", "Second"),
    ):
        assert run(monkeypatch, *command) == 0, capsys.readouterr().err
    assert run(monkeypatch, "table", file, "--baseline", "The first one") == 2


@pytest.mark.usefixtures("empty_figures")
def test_a_page_is_written_with_the_options_asked_for(
    file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The page has the metrics and the order asked for, and names the file in the commands that it shows."""
    code = run(
        monkeypatch,
        "report",
        file,
        "-o",
        tmp_path / "r",
        "--metrics",
        "RR P_10",
        "--seed",
        3,
    )
    assert code == 0
    told = capsys.readouterr().err.replace("\n  ", " ")
    assert f"wrote {tmp_path / 'r' / 'index.html'}" in told
    assert "of the 2 metrics RR ranks the systems; --by names another" in told
    text = (tmp_path / "r" / "index.html").read_text("utf-8")
    heads = text.partition("System</button></th>")[2].partition("</tr>")[0]
    columns = ["RR", "Possible ranks", "Letters", "P@10"]
    assert re.findall(r'<button type="button"[^>]*>([^<]+)<', heads) == columns
    assert "RR: the best system" in text
    assert "irmeta describe &#39;my scores.parquet&#39; --by RR" in text
    assert "--seed 3" in text


@pytest.mark.usefixtures("empty_figures")
def test_judges_are_compared_as_by_their_own_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The section on judges has the teams, the names of the files, whom the judge favours and the whole command."""
    rng = np.random.default_rng(5)
    monkeypatch.chdir(tmp_path)
    Path("runs").mkdir()
    lines = {"nist.txt": "", "llm.txt": ""}
    for topic in range(8):
        for at in range(30):
            grade = int(rng.random() < 0.4)
            lines["nist.txt"] += f"{topic} 0 d{at} {grade}\n"
            lines["llm.txt"] += f"{topic} 0 d{at} {grade ^ int(rng.random() < 0.2)}\n"
    for name, text in lines.items():
        Path(name).write_text(text)
    for system in range(6):
        ranked = [
            f"{topic} Q0 d{at} {rank} {10 - rank} s{system}\n"
            for topic in range(8)
            for rank, at in enumerate(rng.permutation(30)[:10])
        ]
        Path(f"runs/s{system}").write_text("".join(ranked))
    teams = [f"s{system},team{system // 2}\n" for system in range(6)]
    Path("teams.csv").write_text("run,team\n" + "".join(teams))
    scored = "evaluate", "nist.txt", "runs", "-m", "P@10 AP", "-o", "x.parquet"
    assert run(monkeypatch, *scored) == 0
    command = "judges compare nist.txt llm.txt --runs runs -m P@10 --teams teams.csv"
    capsys.readouterr()
    assert run(monkeypatch, *command.split(), "--explain") == 0
    first = " ".join(capsys.readouterr().out.split()).partition(". Both")[0]
    given = "--human", "nist.txt", "--llm", "llm.txt", "--runs", "runs"
    given += "--teams", "teams.csv", "--by", "P@10"
    assert run(monkeypatch, "report", "x.parquet", "-o", "r", *given) == 0
    page = unescape(Path("r/index.html").read_text("utf-8"))
    assert "<title>nist: 6 systems on 8 topics" in page
    assert first in page
    assert f"irmeta {command} --seed 0" in page
    assert "3 teams, not their 6 systems" in page
    assert "Table: favour" in page
    assert "irmeta validate runs --qrels nist.txt" in page
    # of topics that were not all as likely to be drawn, as by the estimate's own command
    part = [line for line in lines["nist.txt"].splitlines() if line[0] < "5"]
    Path("part.txt").write_text("\n".join(part))
    drawn = "".join(f"{topic},{0.3 + topic / 10}\n" for topic in range(5))
    Path("sample.csv").write_text("topic,probability\n" + drawn)
    scores = "--human part.txt --llm llm.txt --runs runs"
    command = f"judges estimate {scores} --sample sample.csv"
    assert run(monkeypatch, *command.split(), "-m", "P@10", "-o", "e.csv") == 0
    given = *scores.split(), "--sample", "sample.csv", "--by", "P@10"
    assert run(monkeypatch, "report", "x.parquet", "-o", "s", *given) == 0
    page = unescape(Path("s/index.html").read_text("utf-8"))
    assert f"irmeta {command} -m 'P@10'" in page
    made, told = Path("s/tables/official-means.csv"), Path("e.csv")
    assert made.read_text().splitlines()[-1] == told.read_text().splitlines()[-1]
    capsys.readouterr()
    every = "".join(f"{topic},1\n" for topic in range(8))
    Path("sample.csv").write_text("topic,probability\n" + every)
    whole = "--human", "nist.txt", *given[2:]
    assert run(monkeypatch, "report", "x.parquet", "-o", "w", *whole) == 0
    assert "every topic, so --sample is not used" in capsys.readouterr().err
    assert run(monkeypatch, "report", "x.parquet", "-o", "s", *given[-4:-2]) == 2
    assert "need --human, --llm and --runs" in capsys.readouterr().err


@pytest.mark.usefixtures("empty_figures")
def test_a_run_that_evaluate_skipped_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run without scores that cannot be read stops no report; one that has scores does."""
    rng = np.random.default_rng(6)
    monkeypatch.chdir(tmp_path)
    Path("runs").mkdir()
    grades = [f"{topic} 0 d{at} {at % 3}\n" for topic in range(6) for at in range(30)]
    Path("qrels.txt").write_text("".join(grades))
    for system in range(6):
        ranked = [
            f"{topic} Q0 d{at} {rank} {10 - rank} s{system}\n"
            for topic in range(6)
            for rank, at in enumerate(rng.permutation(30)[:10])
        ]
        Path(f"runs/s{system}").write_text("".join(ranked))
    Path("runs/torn").write_text("1 Q0 d1\n")
    scored = "evaluate", "qrels.txt", "runs", "-m", "P@10 AP", "-o", "x.parquet"
    assert run(monkeypatch, *scored, "--on-error", "skip") == 0
    Path("labels.csv").write_text("system,label\ns1,First\nAP,MAP\n")
    given = "--qrels", "qrels.txt", "--runs", "runs", "--labels", "labels.csv"
    capsys.readouterr()
    assert run(monkeypatch, "report", "x.parquet", "-o", "r", *given) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert "note: a run without scores is left out: runs/torn:1: 3 fields" in said
    assert "labels of no system, left out: AP; metrics keep their names" in said
    assert "irmeta reuse qrels.txt runs" in Path("r/index.html").read_text("utf-8")
    Path("runs/s0").write_text("1 Q0 d1\n")
    assert run(monkeypatch, "report", "x.parquet", "-o", "q", *given) == 2
    assert "runs/s0:1: 3 fields" in capsys.readouterr().err


@pytest.mark.usefixtures("empty_figures")
@pytest.mark.parametrize(
    "command",
    [
        "design x.parquet --runs runs --qrels qrels.txt --depths 5 --partitions 5",
        "judges compare qrels.txt llm.txt --runs runs",
        "judges compare qrels.txt llm.txt --runs runs -o judges.parquet",
        "judges estimate --human some.txt --llm llm.txt --runs runs",
        "judges plan --human some.txt --llm llm.txt --runs runs",
        "leak --qrels qrels.txt --run runs/s0 --submissions 1",
        "place runs --on x.parquet --qrels qrels.txt -m AP",
        "replicate runs again --qrels qrels.txt --system s0",
        "report x.parquet -o r --qrels qrels.txt --runs runs --human some.txt --llm llm.txt",
        "reuse qrels.txt runs --new runs/s0 -m AP",
    ],
)
def test_every_command_that_reads_runs_can_keep_one_of_two_lines(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A document twice in a list is refused with the option that the same command has, which keeps one of the lines."""
    rng = np.random.default_rng(6)
    monkeypatch.chdir(tmp_path)
    topics = range(12)
    for name, judged in {"qrels": 12, "llm": 12, "some": 8}.items():
        grades = [
            f"{t} 0 d{at} {at % 3}\n" for t in topics[:judged] for at in range(30)
        ]
        Path(f"{name}.txt").write_text("".join(grades))
    for folder in ("runs", "again"):
        Path(folder).mkdir()
        for system in range(8):
            ranked = [
                f"{topic} Q0 d{at} {rank} {10 - rank} s{system}\n"
                for topic in topics
                for rank, at in enumerate(rng.permutation(30)[:10])
            ]
            twice = ranked[:1] if system == 0 else []
            Path(f"{folder}/s{system}").write_text("".join(ranked + twice))
    keep = "--dedup", "first"
    scored = "evaluate", "qrels.txt", "runs", "-m", "AP nDCG@10", "-o", "x.parquet"
    assert run(monkeypatch, *scored, *keep) == 0
    assert run(monkeypatch, *command.split()) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "keep one of the lines (--dedup first or best)" in said
    assert run(monkeypatch, *command.split(), *keep) == 0
    said = " ".join(unescape(capsys.readouterr().out).split())
    if command.startswith(("judges compare", "judges estimate", "reuse")):
        assert said.count("dropped 1 line with a repeated document") == 1
    if command.startswith("report"):
        page = unescape(Path("r/index.html").read_text("utf-8"))
        repeated = set(
            re.findall(r"irmeta (reuse|judges \w+) [^<]* --dedup first", page)
        )
        assert repeated == {"judges compare", "judges estimate", "reuse"}
        assert page.count("dropped 1 line with a repeated document") == 4
        assert "the broad orange bar behind it" in page


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--by", "nDCG"], "no metric 'nDCG' to order the systems of made by"),
        (["--metrics", "infAP"], "no metric 'infAP' in made"),
        (["--metrics", ","], "the list of metrics is empty"),
        (["--missing", "topics", "--systems", "nobody"], "no system 'nobody'"),
    ],
)
def test_wrong_options_are_named(
    arguments: list[str],
    says: str,
    file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What is wrong is said in one line, with 2 as exit code, and nothing is written."""
    assert run(monkeypatch, "report", file, "-o", tmp_path / "r", *arguments) == 2
    assert says in capsys.readouterr().err.replace("\n  ", " ")
    assert not (tmp_path / "r").exists()


def test_teams_that_lack_systems_stop_a_report(
    file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A table of teams without most systems is one error, and nothing is written."""
    teams = tmp_path / "teams.csv"
    teams.write_text("run,team\nTIM,a\n")
    folder = tmp_path / "out"
    assert run(monkeypatch, "report", file, "-o", folder, "--teams", teams) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert (
        "teams.csv: no group for 8 of 8 runs, such as 's0'; add a line for it" in said
    )
    assert not folder.exists()


def test_a_file_that_is_not_there_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A score file that does not exist is an error that names it."""
    assert (
        run(monkeypatch, "report", tmp_path / "none.parquet", "-o", tmp_path / "r") == 2
    )
    assert "none.parquet: no such file" in capsys.readouterr().err.replace("\n  ", " ")


@pytest.mark.slow
def test_the_demo_ends_with_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The demo writes the page of what it made, every study of it, and prints where it is."""
    assert run(monkeypatch, "demo", "-o", tmp_path / "demo", "--quiet") == 0
    page = tmp_path / "demo" / "report" / "index.html"
    assert f"All of it on one page: {page}" in capsys.readouterr().out
    assert "Not computed" not in page.read_text("utf-8")
