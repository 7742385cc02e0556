"""The page of a leaderboard as it is written: what it holds, and that names from strangers stay text."""

import html
import json
import re
import shlex
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import irmeta
from irmeta.errors import FileFormatError, IrmetaError, ScoresError
from irmeta.io.formats.scores import save
from irmeta.report.page.leaderboard import page_content, page_text, write_leaderboard
from irmeta.report.page.since import changes_said
from irmeta.scores.cube import cube
from irmeta.studies.leaderboard.study import leaderboard
from irmeta.studies.result import Result

NAMES = [
    "<img src=x onerror=alert(1)>",
    "</script><script>window.pwned = 1</script>",
    "=HYPERLINK(1)",
    "javascript:alert(1)",
    "\"' onmouseover=alert(1) x='",
    "<!--",
    "{{ 7 * 7 }}",
    "__proto__",
    "x" * 500,
]


@pytest.fixture(scope="module")
def result() -> xr.Dataset:
    scores = np.random.default_rng(0).random((9, 6, 1))
    scores[0, 0] = np.nan
    tasks = [
        "</title><script>window.pwned = 2</script>",
        "-->",
        "=1+1",
        "constructor",
        "y" * 500,
        "nq",
    ]
    groups = dict.fromkeys(tasks[:3], "<b onclick=alert(1)>") | dict.fromkeys(
        tasks[3:], "qa"
    )
    return leaderboard(
        cube(scores, NAMES, tasks, ["score"]),
        holes="predict",
        types=groups,
        resamples=60,
    )


@pytest.fixture(scope="module")
def text(result: xr.Dataset, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("board")
    return write_leaderboard(
        result, folder / "one", title="<svg/onload=alert(1)>"
    ).read_text(encoding="utf-8")


def test_a_column_of_values_names_its_metric(result: xr.Dataset) -> None:
    """The page heads an aggregate's values with its metric, where that has a name."""
    of_ndcg = cube(np.eye(3)[..., None], ["a", "b", "c"], ["x", "y", "z"], ["nDCG@10"])
    drawn = [leaderboard(of_ndcg, resamples=40), result]
    heads = [page_content(one)["aggregates"][0]["column"] for one in drawn]
    assert heads == ["Mean nDCG@10", "Mean"]


def test_a_board_marks_models_and_names_its_lines(tmp_path: Path) -> None:
    """Models to mark stand in the content; lines of ties have a key where no score is missing, else there is none."""
    scores = np.array([[0.9, 0.8, 0.7], [0.5, 0.4, 0.3], [0.5, 0.4, 0.3]])[..., None]
    tied = cube(scores, ["a", "b", "c"], ["x", "y", "z"], ["score"])
    made = leaderboard(tied, resamples=40)
    text = write_leaderboard(made, tmp_path / "ties", highlight="b").read_text("utf-8")
    found = re.search(r'id="content">(.*?)</script>', text, flags=re.DOTALL)
    assert json.loads(found[1])["marked"] == ["b"]
    lines = 'class="holes"></i>'
    assert f"{lines}ranks that ties share<" in text
    with pytest.raises(ScoresError, match="no system 'nobody' in the board"):
        write_leaderboard(made, tmp_path / "none", highlight="nobody")
    assert "for all models at once</span>" in text
    distinct = leaderboard(tied.isel(system=[0, 1]), resamples=40)
    assert lines not in page_text(distinct.data, "Board", "s.parquet")


def test_only_its_own_scripts_may_run(text: str) -> None:
    """The policy names the digests of the page's two scripts and allows no other, no network and no frame."""
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)[1].replace(
        "&#39;", "'"
    )
    scripts = re.findall(r"<script>(.*?)</script>", text, flags=re.DOTALL)
    digests = [
        f"'sha256-{b64encode(sha256(one.encode()).digest()).decode()}'"
        for one in scripts
    ]
    assert len(scripts) == 2
    assert f"script-src {' '.join(digests)};" in policy
    assert policy.startswith("default-src 'none'")


def test_names_are_text(text: str) -> None:
    """No name opens an element, in the heading, in findings or in the data."""
    assert "<h1>&lt;svg/onload=alert(1)&gt;</h1>" in text
    for name in ("<img", "<script>window", "<b onclick", "<svg"):
        assert name not in text
    held = json.loads(
        re.search(r'id="content">(.*?)</script>', text, flags=re.DOTALL)[1]
    )
    assert sorted(held["models"]) == sorted(NAMES)


def test_the_page_says_what_python_did(result: xr.Dataset) -> None:
    """Models stand in order of rank; scores, ranks and predicted holes are those of the result."""
    held = page_content(result)
    assert held["aggregates"][0]["rank"] == sorted(held["aggregates"][0]["rank"])
    at = held["models"].index(NAMES[0])
    assert list(held["filled"]) == [0]
    low, high = held["filled"][0][at]
    assert low < held["scores"][0][at] < high
    assert held["counts"][at] == 5
    text = page_text(result, "A", "'my scores.parquet'")
    told = json.loads(re.search(r'id="content">(.*?)</script>', text, re.S)[1])
    command = f"<code>{html.escape(told['command'])}</code>"
    assert html.unescape(command) in html.unescape(text)
    assert '<p class="what">collection' not in text


def test_the_page_speaks_to_visitors(text: str) -> None:
    """It says once what the mark at a value of predicted scores means, and above its method no options to type."""
    assert text.count("marked ~ contain predicted scores") == 1
    said = re.sub(r"<(script|style).*?</\1>", "", text, flags=re.S)
    assert not re.search(r"(?<![\w-])--[a-z]", said.partition('id="method"')[0])


def test_votes_of_predicted_scores_are_not_said_to_be_those_of_mteb(text: str) -> None:
    """MTEB gives a missing score no votes: the page names it as the source of the count, no more."""
    assert "Borda count: Muennighoff et al. (MTEB, EACL 2023)." in text


def test_where_the_page_goes(result: xr.Dataset, tmp_path: Path) -> None:
    """The page is written over itself, never over another page or a file."""
    assert write_leaderboard(result, tmp_path / "a") == write_leaderboard(
        result, tmp_path / "a"
    )
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "index.html").write_text("<p>mine</p>")
    with pytest.raises(FileFormatError, match="a page without a list of its files"):
        write_leaderboard(result, tmp_path / "b")
    (tmp_path / "a" / "index.html").write_text("<p>changed</p>")
    with pytest.raises(FileFormatError, match="changed after the leaderboard wrote it"):
        write_leaderboard(result, tmp_path / "a")
    assert (tmp_path / "a" / "index.html").read_text() == "<p>changed</p>"
    (tmp_path / "c").write_text("")
    with pytest.raises(FileFormatError, match="is a file"):
        write_leaderboard(result, tmp_path / "c")


def board(models: dict[str, float], tasks: str = "abcdef") -> Result:
    """A leaderboard of models by what they score on every task, more or less."""
    rng = np.random.default_rng(1)
    noise = {name: rng.normal(0, 0.01, 26) for name in "wxyz"}
    table = {
        name: {task: level + noise[name][ord(task) - 97] for task in tasks}
        for name, level in models.items()
    }
    return leaderboard(table)


def news(folder: Path) -> str:
    """What the page says of the one before."""
    text = (folder / "index.html").read_text()
    found = re.search(r"Since the page of \d+ \w+ \d{4}: ([^<]*)\.</p>", text)
    return found[1] if found else ""


def test_a_page_says_what_changed_since_the_one_before(tmp_path: Path) -> None:
    """Models and tasks more and fewer, scores that changed, and who moved; what stays the same keeps what was said."""
    first = {"w": 0.9, "x": 0.6, "y": 0.3}
    write_leaderboard(board(first), tmp_path)
    assert news(tmp_path) == ""
    write_leaderboard(board({**first, "z": 0.7}), tmp_path)
    assert news(tmp_path) == "1 model more (z at rank 2)"
    write_leaderboard(board({**first, "z": 0.7}), tmp_path)
    assert news(tmp_path) == "1 model more (z at rank 2)"
    write_leaderboard(board({"w": 0.1, "x": 0.6, "y": 0.3}, "abcdeg"), tmp_path)
    assert news(tmp_path) == (
        "1 model fewer (z), 1 task more (g), 1 task fewer (f), 5 scores changed (w), "
        "x first in place of w, 3 of 3 models moved against each other"
    )


def test_models_that_predictions_alone_move_are_told(tmp_path: Path) -> None:
    """A new model changes predictions, and by them the order of others; scores that changed give no such reason."""
    random = np.random.default_rng(5)
    table = pd.DataFrame(
        random.random((12, 8)).round(3),
        [f"m{at}" for at in range(12)],
        list("abcdefgh"),
    )
    table = table.mask(random.random(table.shape) < 0.3)
    write_leaderboard(leaderboard(table[:-1], holes="predict"), tmp_path)
    write_leaderboard(leaderboard(table, holes="predict"), tmp_path)
    assert re.search(
        r"moved against each other, by predicted scores alone$", news(tmp_path)
    )
    write_leaderboard(leaderboard(1 - table, holes="predict"), tmp_path)
    assert news(tmp_path).endswith("moved against each other")


def test_labels_are_no_other_models(tmp_path: Path) -> None:
    """A model is the same whatever a page calls it: labels change nothing since, and it keeps what it is."""
    scores = {"w": 0.1, "x": 0.6, "y": 0.3}
    write_leaderboard(board(scores), tmp_path, about={"x": {"kind": "dense"}})
    for labels in ({"x": "Dense", "w": "y2"}, {"x": "The best"}):
        page = write_leaderboard(board(scores).labelled(labels), tmp_path)
        assert news(tmp_path) == ""
        assert "<option>dense</option>" in page.read_text()
    write_leaderboard(board({"w": 0.1, "y": 0.3}), tmp_path)
    assert news(tmp_path) == "1 model fewer (x), y first in place of x"


def test_ranks_by_other_options_are_not_compared(tmp_path: Path) -> None:
    """A page made by other options says which in place of what changed, and what the page before said is dropped."""
    scores = np.random.default_rng(1).random((9, 8, 1))
    made = cube(scores, list("abcdefghi"), list("12345678"), ["score"])
    made[0, 0] = np.nan
    types = dict(zip("12345678", "xyxyxyxy", strict=True))

    def said(**options: Any) -> str:
        found = leaderboard(made, resamples=60, **options)
        return changes_said(write_leaderboard(found, tmp_path).read_bytes())

    assert said(holes="predict", types=types) == ""
    made[1, 1] += 0.1
    assert said(holes="predict", types=types).endswith(": 1 score changed (b).")
    made[1, 2] += 0.1
    other = said()
    assert other.startswith("Made by other options than the page of ")
    assert other.endswith(
        ": holes predict before, bounds now, types given before, not given now."
    )
    assert said() == other
    aggregate = said(aggregate="borda,mean")
    assert aggregate.endswith(": first aggregate mean before, borda now.")


def test_a_page_keeps_the_title_of_the_one_before(tmp_path: Path) -> None:
    """Without a title a page keeps that of the page that it replaces; another is taken."""
    result = board({"x": 0.6, "y": 0.3})
    for given, kept in (
        (None, "Leaderboard"),
        ("Round 5 <draft>", "Round 5 &lt;draft&gt;"),
        (None, "Round 5 &lt;draft&gt;"),
        ("Round 6", "Round 6"),
    ):
        page = write_leaderboard(result, tmp_path, title=given).read_text()
        assert re.findall("<h1>(.*)</h1>", page) == [kept]


def test_a_page_of_estimates_says_nothing_of_single_topics(tmp_path: Path) -> None:
    """What a topic adds to an estimate is not its score: no table of these, no ranking by some topics."""
    measured = board({"w": 0.9, "x": 0.7, "y": 0.5})
    made = cube(
        np.random.default_rng(0).random((3, 6, 1)),
        list("abc"),
        list("123456"),
        ["AP (est.)"],
        provenance={"estimated": {"human": 3, "machine": 6}},
    )
    texts = [
        write_leaderboard(one, tmp_path / name).read_text()
        for name, one in (("m", measured), ("e", leaderboard(made)))
    ]
    for text, hidden in zip(texts, (False, True), strict=True):
        assert ('<details id="switches" hidden>' in text) == hidden
        assert ('<div class="scroller" hidden><table>' in text) == hidden
        assert ("for its scores by" not in text) == hidden
        assert ('<section id="aggregates"' not in text) == hidden
        assert ("Bradley and Terry" not in text) == hidden
        assert ("not single topics or wins" in text) == hidden
        assert ("3 systems, 3 topics of people and 6 of a machine" in text) == hidden
        assert ('"column":"Estimated mean AP"' in text.replace(": ", ":")) == hidden
        assert ('"estimated":true' in text.replace(": ", ":")) == hidden


def test_method_lists_no_option_without_a_value(tmp_path: Path) -> None:
    """An option that nobody set is not listed as none; options are about what the page calls its units."""
    page = write_leaderboard(board({"x": 0.6, "y": 0.3}), tmp_path / "m").read_text()
    assert "<dt>holes</dt>" in page
    assert "<dd>none</dd>" not in page
    assert "<dt>min tasks</dt><dd>1</dd>" in page
    trec = cube(np.eye(3)[..., None], list("abc"), ["301", "302", "303"], ["AP"])
    page = write_leaderboard(leaderboard(trec), tmp_path / "t").read_text()
    assert "<dt>over</dt><dd>topics</dd>" in page
    assert "<dt>min topics</dt><dd>1</dd>" in page


def test_a_page_says_which_scores_are_others_than_before(tmp_path: Path) -> None:
    """A score replaced, one filled in and one withdrawn are told apart; what is predicted is no score."""
    rng = np.random.default_rng(1)
    made = cube(rng.random((9, 8, 1)), list("abcdefghi"), list("12345678"), ["score"])
    made[0, 0] = np.nan

    def written() -> str:
        found = leaderboard(made, holes="predict", resamples=60)
        write_leaderboard(found, tmp_path)
        return news(tmp_path)

    assert written() == ""
    made[1, 1] += 0.1
    assert written() == "1 score changed (b)"
    made[0, 0] = 0.5
    assert written().startswith("1 score more (a)")
    made[2:6, 3] = np.nan
    assert written().startswith("4 scores fewer (c, d, e, f)")


def test_a_link_of_facts_is_an_address_of_the_web(tmp_path: Path) -> None:
    """A script as a link is refused in a mapping as in a file, as is what is no mapping of facts."""
    result = board({"x": 0.6, "y": 0.3})
    with pytest.raises(IrmetaError, match="begins with https"):
        write_leaderboard(result, tmp_path, about={"x": {"link": "javascript:1"}})
    with pytest.raises(IrmetaError, match="of 'x', .*expected a mapping"):
        write_leaderboard(result, tmp_path, about={"x": "dense"})


def test_an_earlier_page_of_something_else_says_nothing(result: xr.Dataset) -> None:
    """Damage, and pages of older versions, are no reason to stop."""
    for page in (
        b"",
        b'id="content">{"models":3}</script>',
        b'id="content">[]</script>',
    ):
        assert "Since" not in page_text(result, "A", "s.parquet", page)


def test_a_board_knows_what_its_models_are(tmp_path: Path) -> None:
    """Facts become columns, a link and a filter by kind; those of models that are not on the board are left out."""
    about = {
        "x": {"kind": "dense", "size": "335M", "link": "https://example.org/x"},
        "w": {"kind": "<b>sparse</b>"},
        "elsewhere": {"kind": "other"},
    }
    result = board({"w": 0.1, "x": 0.6, "y": 0.3})
    page = write_leaderboard(
        result, tmp_path, about=about, beside="../report/index.html"
    )
    text = page.read_text(encoding="utf-8")
    held = json.loads(re.search(r'id="content">(.*?)</script>', text, re.S)[1])
    facts = dict(zip(held["models"], held["about"], strict=True))
    assert held["facts"] == ["kind", "size"]
    assert facts == {"x": ["dense", "335M"], "w": ["<b>sparse</b>", ""], "y": ["", ""]}
    assert held["links"][held["models"].index("x")] == "https://example.org/x"
    assert "<option>dense</option>" in text
    assert "<option>&lt;b&gt;sparse&lt;/b&gt;</option>" in text
    assert "elsewhere" not in text
    assert '<a href="../report/index.html">Report</a>' in text


def test_facts_are_of_names_and_of_labels(tmp_path: Path) -> None:
    """What is known of models is found by their names and by what a paper calls them."""
    made = board({"w": 0.1, "x": 0.6}).labelled({"x": "Dense", "w": "Sparse"})
    about = {"x": {"kind": "dense"}, "Sparse": {"kind": "sparse"}}
    text = write_leaderboard(made, tmp_path, about=about).read_text(encoding="utf-8")
    held = json.loads(re.search(r'id="content">(.*?)</script>', text, re.S)[1])
    assert dict(zip(held["models"], held["about"], strict=True)) == {
        "Dense": ["dense"],
        "Sparse": ["sparse"],
    }


def test_python_is_told_what_the_terminal_is(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A script can log what changed since the page before; models of facts that are unknown are a warning."""
    caplog.set_level("INFO", "irmeta")
    write_leaderboard(board({"w": 0.1, "x": 0.6}), tmp_path)
    assert not caplog.messages
    about = {"w": {"size": "1"}, "one": {}, "other": {}}
    for _ in range(2):  # the second time nothing changed
        write_leaderboard(board({"x": 0.6, "w": 0.1, "y": 0.3}), tmp_path, about=about)
    warning, change, again = caplog.records
    assert (warning.levelname, change.levelname) == ("WARNING", "INFO")
    assert warning.getMessage() == again.getMessage()
    assert warning.getMessage() == (
        "2 models of about= are not on the board: one, other."
    )
    assert change.getMessage().endswith(": 1 model more (y at rank 2).")


def test_facts_of_other_models_are_refused(tmp_path: Path) -> None:
    """A file that names no model of the board is the wrong file."""
    with pytest.raises(ScoresError, match="none of which is on the board"):
        write_leaderboard(board({"w": 0.1, "x": 0.6}), tmp_path, about={"z": {}})


def test_scores_are_no_board_yet(tmp_path: Path) -> None:
    """A page of scores is refused with the call that makes a board of them."""
    with pytest.raises(IrmetaError, match=r"first board = irmeta\.leaderboard\("):
        write_leaderboard({"w": {"t": 0.1}}, tmp_path)  # type: ignore[arg-type]


@pytest.mark.parametrize("address", ["javascript:alert(1)", "//evil.example", "data:x"])
def test_a_page_links_to_pages_only(tmp_path: Path, address: str) -> None:
    """What would run, or leave for another host unseen, is no address of a page beside this one."""
    with pytest.raises(IrmetaError, match="name a page by its place"):
        write_leaderboard(board({"w": 0.1, "x": 0.6}), tmp_path, beside=address)
    assert not list(tmp_path.iterdir())


def test_a_page_keeps_the_facts_of_the_one_before(tmp_path: Path) -> None:
    """Written again without facts a page keeps those of its models; given ones replace those of the same model."""
    both = {"x": {"kind": "dense", "link": "https://example.org/x"}, "w": {"size": "1"}}

    def held(models: dict[str, float], about: Any = None) -> dict[str, Any]:
        page = write_leaderboard(board(models), tmp_path, about=about)
        content = re.search(r'id="content">(.*?)</script>', page.read_text(), re.S)
        return json.loads(content[1])

    held({"w": 0.1, "x": 0.6, "y": 0.3}, both)
    kept = held({"x": 0.6, "y": 0.3})
    assert (kept["models"], kept["facts"]) == (["x", "y"], ["kind"])
    assert kept["links"] == ["https://example.org/x", ""]
    added = held({"x": 0.6, "y": 0.3}, {"y": {"size": "3"}})
    assert added["facts"] == ["kind", "size"]
    assert dict(zip(added["models"], added["about"], strict=True)) == {
        "x": ["dense", ""],
        "y": ["", "3"],
    }
    other = held({"x": 0.6, "y": 0.3}, {"x": {"size": "2"}})
    assert other["facts"] == ["size"]
    assert other["about"] == [["2"], ["3"]]


def test_facts_of_models_may_be_a_frame(result: Result, tmp_path: Path) -> None:
    """What is known of models may stand in a data frame, its index the models; empty cells are left out, 33.0 is 33."""
    model = result["system"].values[0]
    for size, written in (("7B", "7B"), (33, "33"), (0.5, "0.5")):
        known = pd.DataFrame({"size": [size, None]}, index=[model, "other"])
        page = irmeta.write_leaderboard(result, tmp_path, about=known)
        text = page.read_text(encoding="utf-8")
        held = json.loads(re.search(r'id="content">(.*?)</script>', text, re.S)[1])
        assert held["facts"] == ["size"]
        assert sorted(held["about"])[-1] == [written]


def test_the_command_of_a_board_made_by_one_gives_the_same_board(
    run: Callable[..., tuple[int, str, str]],
) -> None:
    """Metric, selection, labels, seed and what is marked are in the command."""
    drawn = np.random.default_rng(0).random((6, 9, 2))
    names = [f"s{i}" for i in range(6)]
    scores = cube(drawn, names, [str(t) for t in range(9)], ["AP", "nDCG@10"])
    save(scores, Path("s.parquet"))
    Path("names.csv").write_text("system,label\ns3,Our model\n")
    asked = (
        "leaderboard s.parquet -m nDCG@10 --topics 1-7 --level 0.9 --seed 3 --labels names.csv "
        "--highlight s3 --min-tasks 2 --quiet -o"
    )
    run(*asked.split(), "board")
    page = Path("board/index.html").read_text(encoding="utf-8")
    command = html.unescape(re.search(r"command line: <code>(.*?)</code>", page)[1])
    assert "--over" not in command  # its default is not named
    run(*shlex.split(command)[1:], "--quiet", "-o", "again")
    assert Path("again/index.html").read_text(encoding="utf-8") == page
