"""Names from files, wherever they are shown: on terminals, in messages, in Markdown, CSV, LaTeX and HTML."""

import json
import re
import time
from operator import attrgetter
from typing import Any

import numpy as np
import pytest
from jinja2 import Template
from tests.cli.test_verbs import NEED, OF_SCORES, STUDIES

import irmeta
from irmeta.choices import Format
from irmeta.errors import FileFormatError, IrmetaError, Remark, ScoresError
from irmeta.report.page import templates
from irmeta.report.screen import everything
from irmeta.report.tables import render
from irmeta.scores.cube import cube
from irmeta.words import folded, message, printable

NAMES = [
    "</td><script>alert(1)</script>",
    "[click](javascript:alert(1))",
    "\x1b[2J\x1b]0;owned\x07bm25",
    "bm25\u202efdp.exe\u2066",
    "line\nirmeta: all is well\u2028",
    "a|b & \\input{/etc/passwd} ^~$%#_{}",
    "=HYPERLINK(1)",
    "*star* `code` _under_ &lt;",
    "unseen\u200b\ufeff\U000e0041",
    "-" * 500,
]
UNSEEN = re.compile(
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u2028\u202a-\u202e\u2066\ufeff]"
)
COMMAND = re.compile(r"\\[a-zA-Z]+")
OURS = {
    *("\\begin", "\\end", "\\toprule", "\\midrule", "\\bottomrule", "\\caption"),
    *("\\centering", "\\textbf", "\\textbackslash", "\\textasciitilde"),
    *("\\textasciicircum", "\\dagger", "\\ddagger", "\\mathrm", "\\multicolumn"),
}


def strange() -> Any:
    """Return a cube whose systems, topics, metrics and collection have strange names."""
    rng = np.random.default_rng(1)
    ability = np.linspace(0.1, 0.5, 10)[:, None, None]
    return cube(
        ability + 0.4 * rng.beta(1, 2, size=(10, 10, 3)),
        NAMES,
        NAMES[::-1],
        ["AP", "P@10", NAMES[0]],
        collection=NAMES[2],
    )


@pytest.fixture(scope="module", params=OF_SCORES)
def result(request: pytest.FixtureRequest) -> Any:
    """The result of a study of these scores, or of two such collections."""
    name = request.param
    given: Any = strange()
    if list(NEED[name].values()) == [-1]:
        given = {one: given.assign_attrs(collection=one) for one in NAMES[:3]}
    try:
        return attrgetter(STUDIES[name].public)(irmeta)(given)
    except IrmetaError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("form", ["table", "markdown", "latex", "csv", "json"])
def test_names_in_every_form_of_every_study(result: Any, form: Format) -> None:
    """No name steers a terminal, opens an element or a link, runs a formula, or is a command of LaTeX."""
    text = render(result, form)
    if form == "table":
        text = everything(result)
    if form != "csv":
        assert UNSEEN.findall(text) == []
    if form == "markdown":
        cells = re.sub(r"<sup>[^<]*</sup>", "", text)
        assert re.findall(r"(?<!\\)(?:\\\\)*[<\[`]", cells) == []
    if form == "latex":
        assert set(COMMAND.findall(text)) <= OURS
    if form == "csv":
        assert not re.search(r'(^|,)"?=', text, flags=re.MULTILINE)
    if form == "json":
        assert text.isascii()
        json.loads(text)


def test_names_on_pages_can_be_printed() -> None:
    """What is filled into a page is text without characters that nobody sees; so is what its script reads."""
    made: Template = templates.template("page.html.j2").environment.from_string(
        "{{ name }}|{{ names | setting }}|{{ ours | safe }}"
    )
    text = made.render(name=NAMES[3], names=NAMES[2:4], ours="<b>")
    assert text.endswith("|<b>")
    assert UNSEEN.findall(text + templates.json_script({NAMES[3]: NAMES})) == []


def test_every_error_can_be_printed() -> None:
    """An error, whoever raises it, holds no control character, and names of any length are cut in it."""
    raised = [
        kind(f"runs/{name * 100}: what {name!r} {name} is")
        for name in NAMES
        for kind in (IrmetaError, FileFormatError, ScoresError)
    ]
    for error in raised:
        assert UNSEEN.findall(str(error)) == []
        assert len(str(error)) <= 10_000
        assert max(map(len, str(error).split())) <= 300
    assert UNSEEN.findall(str(Remark("error", "x", 1, NAMES[2]))) == []


def test_escapes_are_stable() -> None:
    """What is printable is not changed by printing it again; joiners of scripts and emoji stay."""
    for name in NAMES:
        assert printable(printable(name)) == printable(name)
        assert message(message(name)) == message(name)
    assert (
        printable("क्\u200dष 👩\u200d🔬 می\u200cخواهم é")
        == "क्\u200dष 👩\u200d🔬 می\u200cخواهم é"
    )


@pytest.mark.parametrize(
    "seal", ["irmeta_seal", "irmeta_seal2", "irmeta sha256 " + "0" * 64]
)
def test_names_like_seals_are_saved(tmp_path: Any, seal: str) -> None:
    """Scores, factors and models of a collection and a metric that are called like a seal are saved and read."""
    made = cube(
        np.random.default_rng(0).random((6, 5, 2)),
        list("abcdef"),
        list("12345"),
        ["AP", seal],
        collection=seal,
    )
    irmeta.save(made, tmp_path / "s.parquet")
    assert list(irmeta.load_all(tmp_path / "s.parquet")) == [seal]
    model = irmeta.predict.fit({seal: made})
    irmeta.save_model(model, tmp_path / "m")
    assert irmeta.load_model(tmp_path / "m").metrics == model.metrics
    (tmp_path / "m").write_bytes(
        (tmp_path / "m").read_bytes().replace(b'"systems": 6', b'"systems": 7')
    )
    with pytest.raises(FileFormatError, match="damaged or changed"):
        irmeta.load_model(tmp_path / "m")


def test_long_names_are_refused_at_the_door() -> None:
    """A name of more than 500 characters is refused wherever a cube is made: it may take its square."""
    with pytest.raises(ScoresError, match="a text of 501 characters"):
        cube([[[0.5]]], ["x" * 501], ["1"], ["AP"])


@pytest.mark.parametrize(
    "unit", ["-", "`", "'", "irmeta a ", "irmeta a --b ", "--a A", "a'b ", " "]
)
def test_messages_are_folded_in_proportion(unit: str) -> None:
    """A message folds in time in proportion to its length, whatever stands in it."""
    text = f"irmeta: {unit * (200_000 // len(unit))}"
    started = time.process_time()
    folded(text)
    assert time.process_time() - started < 2
