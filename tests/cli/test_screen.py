"""What stands on one screen: the answer, as many rows as fit, two notes; and what --explain adds."""

import re
from functools import partial

import numpy as np
import pytest

import irmeta
from irmeta.cli import commands
from irmeta.cli.app import is_argument
from irmeta.metrics.names import parse_list
from irmeta.report import screen
from irmeta.scores.cube import cube
from irmeta.studies import STUDIES

SYSTEMS, TOPICS = 40, 50
SCREENS = {
    "describe": ("describe",),
    "table": ("table",),
    "table by 3": ("table", "-m", "AP nDCG@20 P@10"),
    "versus": ("versus", "--system", "s3-1"),
    "versus one": ("versus", "--system", "s3-1", "--against", "s4-1", "-m", "AP P@10"),
    "versus all": ("versus", "--system", "s3-1", "-m", "AP"),
    "significance": ("significance",),
    "predictivity": ("predictivity",),
    "predictivity by 4": ("predictivity", "-m", "AP nDCG@10 P@10 RR"),
    "rank": ("rank",),
    "correlate": ("correlate",),
    "leaderboard": ("leaderboard", "-m", "AP"),
    "reliability": ("reliability", "-m", "AP nDCG@10 P@10", "--difference", ".03"),
}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Scores of a simulated collection: 40 systems, 50 topics, 23 metrics that depend on each other."""
    rng = np.random.default_rng(7)
    metrics = [str(metric) for metric in parse_list("seeds23")]
    level = rng.normal(0, 0.6, (SYSTEMS, 1, 1)) + rng.normal(0, 1, (1, TOPICS, 1))
    own = rng.normal(0, 0.7, (SYSTEMS, TOPICS, 1))
    noise = rng.normal(0, 0.5, (SYSTEMS, TOPICS, len(metrics)))
    scores = 1 / (1 + np.exp(1 - level - own - noise))
    names = [f"s{at // 4}-{at % 4}" for at in range(SYSTEMS)]
    path = tmp_path_factory.mktemp("scores") / "scores.parquet"
    topics = [str(301 + at) for at in range(TOPICS)]
    irmeta.save(cube(scores, names, topics, metrics), path)
    return str(path)


@pytest.mark.parametrize("name", SCREENS)
def test_a_result_fits_one_screen(run, file, name):
    """Of 40 systems, 50 topics and 23 metrics, a command prints no more lines than its study may have."""
    verb, *options = SCREENS[name]
    code, out, _ = run(verb, file, *options)
    assert code == 0
    most = next(one for one in STUDIES.values() if one.verb == verb).screen.lines
    assert most == (30 if verb in ("significance", "leaderboard") else 25)
    lines = out.splitlines()
    assert most - 12 < len(lines) <= most
    assert max(map(len, lines)) <= 80
    assert sum(line.startswith("Note: ") for line in lines) <= 2


def test_the_first_table_has_three_rows_whatever_stands_above_it(file, monkeypatch):
    """A long answer leaves the table that belongs to it three rows, though the screen is full."""
    size = screen._screen_size(found := irmeta.describe(file, metrics="AP"))
    monkeypatch.setattr(screen, "_screen_size", lambda _: size._replace(lines=4))
    assert ": the first 3 of " in screen.screen(found)


@pytest.mark.parametrize(
    "verb", ["describe", "leaderboard -m AP", "versus --system s3-1 -m AP"]
)
def test_highlighted_systems_have_rows(run, file, verb):
    """A table that is cut has the rows of highlighted systems below its first ones, on as many lines as without."""
    verb, *options = verb.split()
    plain = run(verb, file, *options)[1].splitlines()
    marked = run(verb, file, *options, "--highlight", "s9-3,s0-*")[1].splitlines()
    rows = [line.split()[0] for line in marked if line.startswith("s")]
    assert {"s9-3", "s0-0", "s0-1", "s0-2", "s0-3"} <= set(rows)
    assert len(marked) <= len(plain) + 1


def test_the_system_that_is_asked_of_has_a_row(run, file):
    """Describe shows the row of the system whose rank it tells, wherever it stands."""
    mean = irmeta.describe(file).data["mean"]
    last = mean.isel(metric=0).idxmin()
    out = run("describe", file, "--system", last.item())[1]
    assert re.search(
        rf"of 40, and 1 named\n.*^{last.item()} ", out, re.DOTALL | re.MULTILINE
    )


@pytest.mark.parametrize("shown", [screen.screen, screen.everything])
@pytest.mark.parametrize(
    "study",
    [
        partial(irmeta.versus, system="s0-0"),
        partial(irmeta.versus, system="s0-0", against="s1-1"),
        irmeta.significance,
        irmeta.reliability,
        partial(irmeta.reliability, difference=0.03),
    ],
    ids=["versus all", "versus one", "significance", "reliability", "power"],
)
def test_answers_by_all_metrics_stand_above_the_tables(file, study, shown):
    """Who asks by two metrics reads the answers by both before the first table."""
    found = study(irmeta.select(irmeta.load(file), metrics=["AP", "RR"]))
    above, *_ = shown(found).partition("─")
    by_ap, by_rr, *_ = (" ".join(one.split()) for one in found.findings)
    assert " ".join(above.split()).startswith(f"{by_ap} {by_rr} ")


def test_explain_says_what_a_screen_leaves_out(run, file):
    """The last line counts what is left out, and --explain prints that: rows, findings, notes."""
    _, screen, _ = run("describe", file)
    *_, last = screen.splitlines()
    shown = sum(line.startswith("s") and " to " in line for line in screen.splitlines())
    assert last.startswith(f"More with --explain: {SYSTEMS - shown} rows")
    _, whole, _ = run("describe", file, "--explain")
    rows = [
        line for line in whole.splitlines() if line.startswith("s") and " to " in line
    ]
    assert len(rows) == SYSTEMS
    assert "More with" not in whole


def test_explain_prints_notes_about_the_method(run, file):
    """How intervals were computed is told with --explain, and not on the screen."""
    told = "intervals of the differences in mean are meant"
    for options, there in (([], False), (["--explain"], True)):
        _, out, _ = run("versus", file, "--system", "s0-0", *options)
        assert (told in " ".join(out.split())) == there


def test_rows_that_a_user_asks_for_are_on_the_screen(run, file):
    """A number of rows that is named stands there, beyond the lines of a screen; fewer rows take fewer."""
    for first in (3, 36):
        _, out, _ = run("leaderboard", file, "-m", "AP", "--first", first)
        assert f"leaderboard: the first {first} of {SYSTEMS}" in out
        assert len(re.findall(r"^s\d-\d +50 ", out, re.MULTILINE)) == first


def test_rows_that_a_user_asks_for_stand_there_whatever_takes_room(file, monkeypatch):
    """Sentences and other tables that fill a screen take no row of those that are asked for; there are no more."""
    found = irmeta.leaderboard(file, metric="AP", first=SYSTEMS + 10)
    size = screen._screen_size(found)
    monkeypatch.setattr(screen, "_screen_size", lambda _: size._replace(lines=20))
    shown = screen.screen(found)
    assert len(re.findall(r"^s\d-\d +50 ", shown, re.MULTILINE)) == SYSTEMS
    assert "the first" not in shown


def test_all_there_is_to_read_may_stand_beside_one_table(run, file):
    """--explain leaves nothing out but the other tables."""
    typed = "describe", file, "-m", "AP", "--table", "topics"
    _, out, _ = run(*typed)
    _, everything, _ = run(*typed, "--explain")
    assert "More with --explain" in out
    assert "More with" not in everything
    assert "Method: " in everything
    assert "\nmeans" not in everything


def test_a_named_table_is_whole(run, file):
    """A table that is named has all of its rows, and no notes on others hide it."""
    _, out, _ = run("describe", file, "--table", "topics", "-m", "AP")
    rows = [line for line in out.splitlines() if line.startswith("3")]
    assert len(rows) == TOPICS


def test_what_is_always_true_waits_until_it_is_asked_for(run, file):
    """A note that these scores call for is on the screen; how figures are made is said with --explain, behind it."""
    typed = ("predictivity", file, "-m", "AP P@10")
    _, out, _ = run(*typed)
    [note] = [line for line in out.splitlines() if line.startswith("Note: ")]
    assert note.startswith("Note: the scores have no AP; the deepest one")
    _, whole, _ = run(*typed, "--explain")
    assert (
        whole.index(note)
        < whole.index("Note: Kendall")
        < whole.index("advantage: phi(")
    )


def test_metrics_that_a_screen_leaves_out_are_counted(run, file):
    """The last line says how many metrics are left out, and --explain prints their means."""
    options = ("describe", file, "-m", "AP nDCG@10 P@10 RR R@100")
    _, screen, _ = run(*options)
    _, whole, _ = run(*options, "--explain")
    shown = sum(name in screen for name in ("nDCG@10", " P@10", "RR", "R@100"))
    assert shown < 4
    assert f"{4 - shown} metric" in screen.splitlines()[-1]
    assert all(name in whole for name in ("nDCG@10", "P@10", "RR", "R@100"))


def test_python_shows_the_same_screen(run, file):
    """A result in Python prints what the command prints, and says in Python's words how to see the rest."""
    result = irmeta.describe(irmeta.load(file))
    _, out, _ = run("describe", file)
    assert str(result) == out.replace("--explain", ".explain()")
    assert result.explain() == run("describe", file, "--explain")[1]


@pytest.mark.parametrize("verb", commands())
def test_a_help_fits_one_screen(run, verb):
    """A help has at most 45 lines, and names every option; --help-all explains them all."""
    _, short, _ = run(*verb.split(), "--help")
    _, whole, _ = run(*verb.split(), "--help-all")
    assert len(short.splitlines()) <= 45
    assert len(short) <= len(whole)
    for one in commands()[verb].assemble_argument_collection():
        if not one.parameter.name:
            continue
        names = [one.parameter.metavar or one.name] if is_argument(one) else one.names
        assert names[-1] in whole
        assert any(name in short for name in names)


def test_worst_and_best_topics_have_both_ends_where_rows_are_left_out(
    file, monkeypatch
):
    """Where 4 of the 6 rows fit they are the 2 worst and the 2 best, below the same title."""
    found = irmeta.versus(file, "s3-1", against="s4-1", metrics="AP@1000")
    whole, every = _of_topics(screen.screen(found))
    size = screen._screen_size(found)
    lines = screen.screen(found).count("\n") + 1
    monkeypatch.setattr(
        screen, "_screen_size", lambda _: size._replace(lines=lines - 2)
    )
    title, rows = _of_topics(screen.screen(found))
    assert title == whole
    assert rows == [*every[:2], *every[3:5]]


def test_a_single_row_is_never_left_out(file, monkeypatch):
    """However many lines there are, a table is shown whole rather than without its last row."""
    few = irmeta.select(irmeta.load(file), systems="s1-*,s2-*")
    found = irmeta.describe(few, metrics="AP@1000")
    size = screen._screen_size(found)
    shown = set()
    for lines in range(10, 40):
        monkeypatch.setattr(
            screen, "_screen_size", lambda _, lines=lines: size._replace(lines=lines)
        )
        left = re.findall(r"the first (\d+) of (\d+)", screen.screen(found))
        shown |= {int(every) - int(first) for first, every in left}
    assert shown
    assert 1 not in shown


def _of_topics(out: str) -> tuple[str, list[str]]:
    """Return the title of the first table of topics, and the first word of its rows."""
    [text, *_] = re.findall(r"^topics by .*?\n\n", out, re.MULTILINE | re.DOTALL)
    title, rows = re.split(r"\ntopic .*\n─+\n", text)
    return title, [row.split()[0] for row in rows.split("\n") if row]


def test_a_table_by_itself_says_what_it_is_of(run, file):
    """Below the table of few topics stands of how many systems and topics it is, and what such a choice is worth."""
    _, out, _ = run("leaderboard", file, "-m", "AP", "--table", "few")
    assert "rank the 40 systems as all 50 topics do" in " ".join(out.split())
    _, other, _ = run("leaderboard", file, "-m", "AP", "--table", "tau")
    assert "as all 50 topics do" not in " ".join(other.split())
