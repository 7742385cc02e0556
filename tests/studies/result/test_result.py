"""A result gives the same answer in every form."""

import copy
import json
import pickle
import re
import xml.etree.ElementTree as ET
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import xarray as xr
from matplotlib.figure import Figure

import irmeta
from irmeta.errors import IrmetaError, ScoresError, typed
from irmeta.report.tables import overview
from irmeta.scores.cube import cube
from irmeta.words import in_python


@pytest.fixture(scope="module")
def scores() -> xr.DataArray:
    """Four systems, one named like markup, on 30 topics."""
    rng = np.random.default_rng(4)
    made = np.array([0.2, 0.3, 0.3, 0.5])[:, None] + 0.2 * rng.random((4, 30))
    topics = [str(at) for at in range(30)]
    return cube(made[..., None], ["<b>", "c", "d", "e"], topics, ["AP"])


@pytest.fixture(scope="module")
def result(scores: xr.DataArray) -> irmeta.Result:
    """What a study returns."""
    return irmeta.versus(scores, "e")


def test_the_arrays_are_beneath(result: irmeta.Result) -> None:
    """What a Dataset answers, a result answers by its own; it cannot be changed."""
    assert isinstance(result.data, xr.Dataset)
    assert result["difference"].identical(result.data["difference"])
    assert result.sel(metric="AP").identical(result.data.sel(metric="AP"))
    assert "difference" in result
    assert "nothing" not in result
    with pytest.raises(AttributeError):
        result.finding  # noqa: B018
    with pytest.raises(AttributeError, match=r"write_text\(result.to_latex\(\)\)"):
        result.save("table.tex")
    with pytest.raises(AttributeError):
        result.data = result.data  # type: ignore[misc]


def test_every_form_has_the_same_answer(result: irmeta.Result) -> None:
    """Text, HTML and JSON have the findings and the notes."""
    document = json.loads(result.to_json())
    html = unescape(result._repr_html_())
    with typed():
        assert document["findings"] == result.findings
        assert document["notes"] == result.notes
    assert document["tables"]["comparisons"] == result.tables["comparisons"].to_dicts()
    text = " ".join(result.explain().split())
    assert text.startswith(result.findings[0])
    assert repr(result) == str(result)
    assert repr(result.explain()) == result.explain()
    for sentence in map(in_python, [*result.findings, *result.notes]):
        assert sentence in text
        assert sentence in html


def test_html_is_well_formed_and_whole(result: irmeta.Result) -> None:
    """A notebook gets elements that are closed, a figure, every table, and names that are no markup."""
    root = ET.fromstring(f"<div>{result._repr_html_()}</div>")
    assert root.find("{http://www.w3.org/2000/svg}svg") is not None
    captions = [found.text or "" for found in root.iter("caption")]
    assert captions[0] == "by AP, each interval by itself"
    assert any("topics by AP" in caption for caption in captions)
    assert "<b>" in "".join(root.itertext())


def test_method_says_how(result: irmeta.Result, scores: xr.DataArray) -> None:
    """What is independent, the options with the seed, and the sizes of what went in."""
    method = result.method
    assert (method["study"], method["unit"]) == ("versus", "topic")
    assert method["options"]["test"] == "max-t"
    assert method["options"]["seed"] == 0
    assert method["collections"]["collection"]["topics"] == 30
    assert result.method_text.endswith(
        "30 topics; none is missing. Differences between e and 3 other systems were tested by the two-sided max-t "
        "test over topics at level 0.05, p the larger of those by random signs "
        "and by random directions, corrected for all of them by each metric, step by step "
        "(Westfall and Young 1993), with the other sign of each claim among them. "
        "We drew 10000 resamples at random, with seed 0."
    )
    pairs = {str(name): str(int(name) // 3) for name in scores.topic.values}
    turns = irmeta.with_clusters(scores, pairs)
    of_turns = irmeta.versus(turns, "e", test="t")
    assert of_turns.method["unit"] == "cluster"
    assert "on 30 topics in 10 clusters;" in of_turns.method_text
    assert "over clusters" in of_turns.method_text
    assert "drew" not in of_turns.method_text  # a t test draws nothing


def test_method_says_that_dunnetts_correction_is_drawn(scores: xr.DataArray) -> None:
    """A t test draws nothing, its correction by the joint distribution does."""
    made = irmeta.versus(scores, "e", test="t", correct="dunnett", resamples=200)
    assert made.method_text.endswith("We drew 200 resamples at random, with seed 0.")


def test_method_says_what_was_left_out(scores: xr.DataArray) -> None:
    """Systems and topics without all scores are counted, and not said to have none missing."""
    lacking = scores.copy()
    lacking[1, 3] = np.nan
    said = irmeta.describe(lacking, missing="topics").method_text
    assert "on 29 topics; 1 of 120 scores are missing; dropped 1 of 30 topics" in said
    assert "none is missing" not in said


def test_method_says_of_how_many_its_scores_were_chosen(
    scores: xr.DataArray, tmp_path: Path
) -> None:
    """Systems and topics that were named are a part of those there are, in a file as in Python; the best are, too."""
    some = irmeta.select(scores, systems=["d", "c"], topics=scores.topic.values[:9])
    said = irmeta.describe(some).method_text
    assert "those of 2 of 4 systems by 1 metric on 9 of 30 topics" in said
    irmeta.save(scores, tmp_path / "s.parquet")
    read = irmeta.load(tmp_path / "s.parquet", systems="d c")
    assert (
        "2 of 4 systems by 1 metric on 30 topics" in irmeta.describe(read).method_text
    )
    best = irmeta.correlate(
        cube(
            np.concatenate([scores.values, scores.values**2], axis=2),
            scores.system.values,
            scores.topic.values,
            ["AP", "RR"],
        ),
        top=0.5,
    )
    assert "2 of 4 systems, the best by AP, by 2 metrics on" in best.method_text


def test_what_explains_a_result_has_its_method(result: irmeta.Result) -> None:
    """The sentences for a paper stand at the end of what `--explain` prints."""
    folded = " ".join(result.explain().split())
    assert folded.endswith(f"Method: {result.method_text}")


def test_method_says_what_is_related(scores: xr.DataArray) -> None:
    """Correlations of single scores and of means do not have the same method."""
    two = cube(
        np.concatenate([scores.values, scores.values**2], axis=2),
        scores.system.values,
        scores.topic.values,
        ["AP", "RR"],
    )
    single, means = (
        irmeta.correlate(two, unit=unit).method_text for unit in ("topic", "system")
    )
    assert "Metrics were related by single scores, of a system on a topic." in single
    assert "Metrics were related by means of systems." in means


def test_tables_for_other_programs(result: irmeta.Result) -> None:
    """A table goes to pandas and LaTeX, the first or the one named; an unknown one is an error."""
    first = next(iter(result.tables.values()))
    assert isinstance(first, pl.DataFrame)
    assert isinstance(result.to_pandas(), pd.DataFrame)
    assert result.to_pandas().shape == first.shape
    assert list(result.to_pandas("topics").columns) == result.tables["topics"].columns
    assert r"\begin{tabular}" in result.to_latex()
    assert r"systems\_above" in result.to_latex("topics")
    with pytest.raises(IrmetaError, match="no table 'topic' in this result"):
        result.to_pandas("topic")
    title = next(iter(overview(result.data)))
    assert result.tables[title].equals(overview(result.data)[title])
    with pytest.raises(IrmetaError, match="no table 'topic' in this result"):
        result.tables["topic"]


def test_a_wrong_name_of_a_table_leads_to_a_name(scores: xr.DataArray) -> None:
    """What rows are called leads to their table, and a word of a title to names, never to the title."""
    clusters = {str(at): str(at // 2) for at in range(30)}
    found = irmeta.versus(irmeta.with_clusters(scores, clusters), "e", "d")
    with pytest.raises(IrmetaError, match=r"did you mean topics\?"):
        found.tables["clusters"]
    with pytest.raises(IrmetaError, match="choose from comparisons, topics"):
        found.tables["clusters by AP"]


def test_figure(result: irmeta.Result, scores: xr.DataArray, tmp_path: Path) -> None:
    """The figure is that of the command line, written to a path; a study without one says so."""
    assert isinstance(result.plot(), Figure)
    with pytest.raises(TypeError, match="'metrics' is an option of versus"):
        result.plot(metric="AP")
    with pytest.raises(ScoresError, match="versus have one view; leave out view="):
        result.plot(view="bars")
    described = irmeta.describe(scores)
    with pytest.raises(IrmetaError, match="view='bars': choose 'means' or 'ranks'"):
        described.plot(view="bars")
    assert isinstance(described.plot(view="matrix"), Figure)
    path = tmp_path / "means.png"
    assert isinstance(described.plot(path, width=3), Figure)
    assert path.read_bytes().startswith(b"\x89PNG")
    with pytest.raises(
        ScoresError, match="not show c; choose another view: means, ranks or matrix$"
    ):
        described.plot(view="distribution", highlight="c")
    tests = irmeta.significance(scores, test="t")
    with pytest.raises(
        ScoresError, match=r"metrics; irmeta.describe\(SCORES\) draws systems$"
    ):
        tests.plot(highlight="c")
    plain = irmeta.accuracy(
        irmeta.predict.apply(scores.sel(metric=["AP"]), want=["P@10"]),
        cube(np.full((4, 1, 1), 0.5), list(scores.system.values), ["all"], ["P@10"]),
    )
    assert plain.findings
    with pytest.raises(ScoresError, match="have no figure"):
        irmeta.validate(None, {"a": {"1": {"d": 1.0}}}).plot()


def test_a_result_is_copied_and_sent(result: irmeta.Result) -> None:
    """Results go through copy and pickle, as to a worker."""
    assert copy.copy(result).data.identical(result.data)
    assert pickle.loads(pickle.dumps(result)).data.identical(result.data)


def test_a_dataset_is_a_result_again(result: irmeta.Result) -> None:
    """What xr.concat puts together has tables with one more column, and one of another maker no answer."""
    years = xr.Variable("year", ["2023", "2024"])
    both = irmeta.Result(xr.concat([result.data, result.data], years))
    assert both.tables["comparisons"]["year"].unique().sort().to_list() == [
        "2023",
        "2024",
    ]
    with pytest.raises(ScoresError, match="not the result of an irmeta study"):
        irmeta.Result(xr.Dataset()).findings  # noqa: B018


@pytest.mark.parametrize("study", ["describe", "significance", "leaderboard"])
def test_what_goes_to_a_file_is_whole(study: str) -> None:
    """LaTeX has a row for each of 45 systems; a person reads the first, and how many there are."""
    rng = np.random.default_rng(1)
    systems, topics = [f"system{at}" for at in range(45)], list("abcdefghij")
    made = rng.random((45, 10, 1)) / 9 + np.linspace(0.2, 0.6, 45)[:, None, None]
    result = getattr(irmeta, study)(cube(made, systems, topics, ["AP"]))
    rows = result.to_latex().splitlines()
    assert len([row for row in rows if re.match(r"system\d", row)]) == 45
    assert re.search(r"(first|best) \d+ of 45", str(result))
    assert len(str(result).splitlines()) < 45


def test_a_title_without_its_parenthesis_names_a_table():
    """The table that is shown as "table (* best)" is "table"."""
    drawn = np.random.default_rng(0).random((3, 9, 2))
    scores = cube(drawn, ["a", "b", "c"], [str(t) for t in range(9)], ["AP", "RR"])
    result = irmeta.table(scores, baseline="a")
    (title,) = (one for one in overview(result.data) if one.startswith("table ("))
    named = result.to_pandas("table")
    assert named.equals(result.to_pandas(title))


def test_text_is_the_same_in_a_notebook(
    result: irmeta.Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where Jupyter runs, a result's text holds its tables, and nothing is shown beside it."""
    before = str(result)
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")  # as its kernels do
    monkeypatch.setattr("rich.jupyter.display", _fail_to_display)
    assert str(result) == before
    assert "W/T/L" in before


def _fail_to_display(*_args: object) -> None:
    raise AssertionError("something was shown beside the text")


def test_a_figure_shows_itself_in_a_notebook(result: irmeta.Result) -> None:
    """A cell that ends with a figure shows it, without any command of the notebook's."""
    drawn = result.plot()
    root = ET.fromstring(drawn._repr_svg_())  # type: ignore[attr-defined]
    assert root.tag.endswith("svg")
    assert result.plot()._repr_svg_() in result._repr_html_()  # type: ignore[attr-defined]


def test_sentences_name_options_as_the_reader_gives_them(scores: xr.DataArray) -> None:
    """Findings and notes have arguments in Python, options where commands are typed, as in the JSON."""
    holed = scores.copy()
    holed[0, 0] = float("nan")
    found = irmeta.leaderboard(holed)
    assert "holes='complete'" in " ".join(found.findings)
    assert "--" not in " ".join([*found.findings, *found.notes, *found.warnings])
    with typed():
        assert "--holes complete" in " ".join(found.findings)
    assert "--holes complete" in " ".join(json.loads(found.to_json())["findings"])
