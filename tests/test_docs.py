"""The docs say what is so: commands print what is shown, examples run, pages name what there is."""

import doctest
import importlib
import re
import runpy
import shutil
from pathlib import Path

import pytest

import irmeta
from irmeta.cli import commands
from irmeta.metrics.signatures import CATALOGUE

COMMANDS = commands()
DOCS = Path(__file__).parents[1] / "docs"
LISTS = runpy.run_path(str(DOCS.parent / "scripts" / "lists.py"))
CONSOLE = runpy.run_path(str(DOCS.parent / "scripts" / "console.py"))


def examples(text: str, name: str) -> None:
    flags = doctest.NORMALIZE_WHITESPACE
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    assert test.examples
    outcome = doctest.DocTestRunner(optionflags=flags).run(test)
    assert outcome.failed == 0


def shown() -> list[str]:
    """Return every command of irmeta that a page shows, in a block or within a sentence, as PAGE: COMMAND."""
    found = []
    for page in (
        DOCS.parent / "README.md",
        *sorted(DOCS.glob("*.md")),
        *sorted(DOCS.glob("*/*.md")),
    ):
        blocks = "\n".join(
            re.findall(
                r"^```\w*\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL
            )
        )
        sentences = re.sub(
            r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL
        )
        lines = re.findall(r"^(?:\$ )?(irmeta [a-z][^#|\n]*)", blocks, re.MULTILINE)
        lines += re.findall(r"`(irmeta [a-z][^`]*)`", sentences)
        found += [f"{page.name}: {line}" for line in lines]
    return found


@pytest.mark.parametrize("line", sorted(set(shown())))
def test_a_command_has_the_options_that_a_page_shows(line: str) -> None:
    """Every command on a page exists, and has each option that stands behind it."""
    words = [
        word.partition("|")[0]
        for word in re.findall(r"\S+", line.partition(": irmeta ")[2])
    ]
    verb = next(
        (one for one in (" ".join(words[:2]), words[0]) if one in COMMANDS), None
    )
    assert verb or any(one.startswith(f"{words[0]} ") for one in COMMANDS), words[0]
    options = {"-h", "--help"}
    if verb:
        every = COMMANDS[verb].assemble_argument_collection()
        options |= {name for option in every for name in option.names}
    for word in words:
        if re.match(r"-[a-z-]", word):
            assert word.partition("=")[0] in options, word


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="the commands are for bash")
@pytest.mark.parametrize(
    "path", sorted((DOCS / "tasks").glob("[!i]*.md")), ids=lambda path: path.stem
)
def test_a_task_shows_what_its_commands_print(path: Path, tmp_path: Path) -> None:
    """Every console block of a task runs and prints what is shown, in 80 columns but for notes and captions."""
    page = path.read_text()
    again = CONSOLE["replayed"](page, tmp_path)
    assert again == page, (
        f"if it should: python scripts/console.py docs/tasks/{path.name}"
    )
    printed = [
        line
        for block in CONSOLE["BLOCK"].findall(page)
        for line in block.splitlines()
        if line[:2] != "$ "
    ]
    assert printed
    long = [line for line in printed if len(line) > 80]
    assert all(line.startswith(("note: ", "\\caption{")) for line in long), long


@pytest.mark.parametrize(
    "path", sorted((DOCS / "tasks").glob("[!i]*.md")), ids=lambda path: path.stem
)
def test_every_task_has_its_page_in_one_form(path: Path) -> None:
    """Each task has the same parts in the same order, with the method of its study, and is in the menus."""
    page = path.read_text()
    found = re.findall(
        r"^\*\*(Question|How to read it|What can mislead|Formulas|Source|Measured|Next)\.\*\*",
        page,
        re.MULTILINE,
    )
    explains = f"tasks/{path.stem}" in LISTS["pages"]()
    method = ["Formulas", "Source", "Measured"]
    assert [part for part in found if part not in method] == [
        "Question",
        "How to read it",
        "What can mislead",
        "Next",
    ]
    assert not explains or found[3:6] == method
    assert not explains or re.match(r"# .*\n\n`irmeta ", page)
    assert f"(tasks/{path.name})" in (DOCS / "index.md").read_text()
    assert f"tasks/{path.name}\n" in (DOCS.parent / "mkdocs.yml").read_text()


def test_examples_of_data_frames_run() -> None:
    """The Python examples of the page on data frames run as shown."""
    pytest.importorskip("pandas")
    examples((DOCS / "tasks" / "frames.md").read_text(), "frames")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="the commands are for bash")
def test_the_tutorial_shows_what_its_commands_print(tmp_path: Path) -> None:
    """Every command of the tutorial runs, and prints what stands below it, to the last character."""
    page = (DOCS / "tutorial.md").read_text()
    assert len(CONSOLE["commands"](page)) > 8
    assert CONSOLE["replayed"](page, tmp_path) == page, (
        "if it should: python scripts/console.py docs/tutorial.md"
    )


def test_examples_of_the_data_model_run() -> None:
    """The examples of the page on the data model run as shown."""
    examples((DOCS / "datamodel.md").read_text(), "datamodel")


@pytest.mark.parametrize(
    ("tool", "module"),
    [("trec_eval", "pytrec_eval"), ("ir_measures", "ir_measures"), ("ranx", "ranx")],
)
@pytest.mark.filterwarnings("ignore")  # of the other tools
def test_other_tools_differ_as_shown(tool: str, module: str) -> None:
    """Each difference from another tool is measured again where that tool is installed."""
    pytest.importorskip(module)
    common, *sections = re.split(
        r"^(?=## )", (DOCS / "differences.md").read_text(), flags=re.MULTILINE
    )
    section = next(text for text in sections if text.startswith(f"## {tool}"))
    examples(common + section, tool)


def test_every_figure_is_drawn_by_a_command() -> None:
    """The gallery shows the figures that its commands draw and no others; the tutorial's are drawn there, too."""
    gallery, tutorial = (
        (DOCS / f"{name}.md").read_text() for name in ("gallery", "tutorial")
    )
    drawn = re.findall(r"^\$ .* --plot (\S+\.svg)$", gallery, re.MULTILINE)
    assert len(drawn) > 8
    assert re.findall(r"!\[[^]]+\]\(gallery/(.*?)\)", gallery) == drawn
    commands = [
        command for command in CONSOLE["commands"](tutorial) if "--plot" in command
    ]
    assert set(commands) <= set(CONSOLE["commands"](gallery))
    assert re.findall(r"!\[[^]]+\]\(gallery/(.*?)\)", tutorial) == [
        command.split()[-1] for command in commands
    ]


def test_every_public_name_is_on_the_page() -> None:
    """The Python page has each public function once, and nothing that is not there."""
    named = re.findall(
        r"^::: (\S+)$",
        LISTS["filled"]((DOCS / "api.md").read_text()),
        flags=re.MULTILINE,
    )
    assert len(named) == len(set(named))
    for path in named:
        module, _, name = path.rpartition(".")
        assert hasattr(importlib.import_module(module), name), path
    public = set(irmeta._PUBLIC.values())
    assert public <= set(named), public - set(named)


def test_recipes_name_files_that_there_are() -> None:
    """Each path in the guide for contributors exists, up to the part that a contributor names."""
    text = (DOCS.parent / "CONTRIBUTING.md").read_text()
    paths = re.findall(r"`((?:src|tests|docs|bench|scripts)/[^` ]*)`", text)
    assert len(paths) > 20
    fixed = [re.split("ROOM|FAMILY|ABOUT", path)[0] for path in paths]
    folders = [re.sub(r"[^/]*(NAME|VERB).*", "", path) for path in fixed]
    assert [path for path in folders if not (DOCS.parent / path).exists()] == []


@pytest.mark.parametrize(
    "path", sorted((DOCS / "studies").glob("[!i]*.md")), ids=lambda path: path.stem
)
def test_every_study_has_its_page_in_one_form(path: Path) -> None:
    """Each study's page answers the same questions in the same order."""
    page = path.read_text()
    found = re.findall(
        r"^\*\*(Question|Formulas|How to read it|How it can mislead|Source|Measured)\b",
        page,
        re.MULTILINE,
    )
    assert found == [
        "Question",
        "Formulas",
        "How to read it",
        "How it can mislead",
        "Source",
        "Measured",
    ]
    assert re.match(r"# [A-Z]\w+: .*\?\n\n`irmeta ", page) or "standardiz" in path.stem
    assert f"studies/{path.stem}" in LISTS["pages"]()


def test_every_study_is_explained_on_one_page() -> None:
    """The list of studies leads to the page of each, which is there; no task and study have pages of one name."""
    listed = LISTS["filled"]((DOCS / "studies" / "index.md").read_text())
    for page in LISTS["pages"]():
        assert (DOCS / f"{page}.md").exists()
        assert f"(../{page}.md)" in listed
    same = {path.name for path in (DOCS / "tasks").glob("*.md")}
    assert not same & {path.name for path in (DOCS / "studies").glob("*.md")}


def test_every_section_of_the_report_is_listed() -> None:
    """The page on the report has the title of each section and the command that answers its question."""
    page = LISTS["filled"]((DOCS / "report.md").read_text())
    titles = re.findall(r"^\| ([^|]+) \| [^|]+\? \| `irmeta ", page, re.MULTILINE)
    assert len(titles) == len(LISTS["SECTIONS"]) + 1
    assert {"The data", "The systems", "Significance", "Calculator"} <= set(titles)


def metric_rows() -> list[list[str]]:
    """Return the cells of the rows of the table of metrics."""
    page = (DOCS / "metrics.md").read_text()
    table = page.partition("| name | formula |")[2].partition("\n\n")[0]
    return [row.split(" | ") for row in table.splitlines()[2:]]


def test_every_metric_is_explained() -> None:
    """The table of metrics has every measure of the catalogue, each with what it is in the example, and no other."""
    for place in (0, 2):
        cells = [row[place] for row in metric_rows()]
        named = {name for cell in cells for name in re.findall(r"`(\w+)", cell)}
        assert named == set(CATALOGUE)


def test_every_metric_is_worked_out() -> None:
    """Each figure of the table's example, worked out by hand or by another tool, is what irmeta computes."""
    worked = [
        (name, float(figure))
        for row in metric_rows()
        for name, figure in re.findall(r"`([^`]+)` ([\d.]+)", row[2])
    ]
    grades = {"a": 2, "c": 1, "d": 1, "b": 0, "e": 0}
    ranked = {"b": 4.0, "a": 3.0, "u": 2.0, "c": 1.0}
    scores = irmeta.evaluate(
        {"1": grades}, {"run": {"1": ranked}}, [name for name, _ in worked]
    )
    computed = scores.values.ravel().round(4).tolist()
    assert computed == [figure for _, figure in worked]


def test_every_standardizer_is_explained() -> None:
    """The table of the page on standardization has a row for each standardizer, in the order of the records."""
    from irmeta.stats.standardizing.standardizers import KINDS

    page = (DOCS / "studies" / "standardization.md").read_text()
    assert re.findall(r"^\| `(\w+)`", page, re.MULTILINE) == list(KINDS)


def test_every_option_is_on_the_page_of_commands() -> None:
    """The page of commands has each command once, with each of its options, and says where --workers goes."""
    page = LISTS["filled"]((DOCS / "commands.md").read_text())
    parts = dict(part.split("\n", 1) for part in page.split("\n## irmeta ")[1:])
    assert list(parts) == list(commands())
    for verb, command in commands().items():
        options = [
            name
            for one in command.assemble_argument_collection()
            for name in one.names
            if name.startswith("-")
        ]
        assert [name for name in options if f"`{name}`" not in parts[verb]] == []
    cluster = LISTS["filled"]((DOCS / "cluster.md").read_text())
    assert "`versus`" in cluster
    assert "`import`" not in cluster


HELD = ["api.md", "cluster.md", "report.md", "studies/index.md"]


@pytest.mark.parametrize("name", HELD)
def test_a_page_holds_its_short_lists(name: str) -> None:
    """A short list stands in the file as the registry makes it; of a long one a reader of files learns where it is."""
    page = (DOCS / name).read_text()
    again = f"if it should: python scripts/lists.py docs/{name}"
    assert "<!-- /" in page
    assert LISTS["filled"](page, only_kept=True) == page, again


def test_a_list_that_a_file_lacks_is_told_of() -> None:
    """Each page has its lists, or says that they come with `make docs`; marks between which one stands are pairs."""
    for path in [*DOCS.glob("*.md"), *DOCS.glob("studies/*.md")]:
        page = path.read_text()
        for mark in re.findall(r"^<!-- ([a-z ]+) -->$", page, re.MULTILINE):
            assert f"<!-- /{mark} -->" in page or "(`make docs`)" in page, path
