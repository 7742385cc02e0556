"""Score tables with a score on each line: each format as it is written, and what is wrong named with its line."""

from pathlib import Path

import numpy as np
import pytest

from irmeta.errors import FileFormatError
from irmeta.io.tables.lines import import_ir_measures, import_jsonl, import_tot


def put(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_ir_measures_one_file_a_system(tmp_path: Path) -> None:
    """Lines of topic, measure and value are of the system that the file is named by; `all` is left out."""
    put(tmp_path, "bm25.txt", "301\tP@5\t0.2\n302\tP@5\t0.4\nall\tP@5\t0.3\n")
    put(tmp_path, "dense.txt", "301\tP@5\t0.6\n302\tP@5\t0.8\n")
    cube = import_ir_measures([tmp_path])
    assert cube.system.values.tolist() == ["bm25", "dense"]
    assert cube.topic.values.tolist() == ["301", "302"]
    np.testing.assert_array_equal(cube.values[..., 0], [[0.2, 0.4], [0.6, 0.8]])


def test_ir_measures_with_runs(tmp_path: Path) -> None:
    """Lines of run, topic, measure and value hold several systems, with parameters in a measure's name."""
    path = put(
        tmp_path,
        "judge.txt",
        "a 1 AP(rel=2) .5\na 1 nDCG@10 .7\nb 1 AP(rel=2) .25\nb 1 nDCG@10 .1\n",
    )
    cube = import_ir_measures(path, collection="judge")
    assert cube.attrs["collection"] == "judge"
    assert cube.sel(system="b", metric="AP(rel=2)").item() == 0.25


@pytest.mark.parametrize("index", ["", ","])
def test_ir_measures_as_csv(tmp_path: Path, index: str) -> None:
    """A CSV with the head query_id,measure,value is of the system that its file names; an index is passed over."""
    at = "0," if index else ""
    for name, score in (("bm25", 0.2), ("dense", 0.6)):
        rows = f'{index}query_id,measure,value\n{at}301,"AP(rel=2)",{score}\n{at}302,RR,1\n'
        put(tmp_path, f"{name}.csv", rows)
    cube = import_ir_measures([tmp_path])
    assert cube.system.values.tolist() == ["bm25", "dense"]
    scores = cube.sel(topic="301", metric="AP(rel=2)")
    assert scores.values.tolist() == [0.2, 0.6]
    bad = put(tmp_path, "bad.csv", "query_id,measure,value\n301,AP,much\n")
    with pytest.raises(FileFormatError, match=r"bad\.csv:2: "):
        import_ir_measures(bad)


def test_tot(tmp_path: Path) -> None:
    """Lines of run, measure, topic and value, as TREC Auto-Judge writes them; measures of its own are kept."""
    path = put(
        tmp_path,
        "judge.eval.txt",
        "a f1 t1 1\na f1 t2 2\na f1 all 1.5\nb f1 t1 0\nb f1 t2 0\nb f1 all 0\n",
    )
    cube = import_tot(path)
    assert cube.metric.values.tolist() == ["f1"]
    assert cube.sel(system="a").values.ravel().tolist() == [1, 2]


def test_jsonl(tmp_path: Path) -> None:
    """JSON lines are read under the keys of TREC Auto-Judge and of ir_measures."""
    path = put(
        tmp_path,
        "judge.jsonl",
        '{"run_id": "a", "topic_id": "1", "measure": "AP", "value": 0.5}\n\n'
        '{"run_id": "b", "topic_id": "1", "measure": "AP", "value": 0.1}\n',
    )
    assert import_jsonl(path).values.ravel().tolist() == [0.5, 0.1]
    path = put(
        tmp_path, "bm25.jsonl", '{"query_id": "1", "measure": "AP", "value": 0.5}\n'
    )
    assert import_jsonl(path).system.values.tolist() == ["bm25"]


def test_means_only_are_the_topic_all(tmp_path: Path) -> None:
    """A table of means has the one topic `all`."""
    path = put(tmp_path, "means.jsonl", '{"run": "a", "metric": "AP", "score": 0.5}\n')
    assert import_jsonl(path).topic.values.tolist() == ["all"]


@pytest.mark.parametrize(
    ("reader", "text", "said"),
    [
        (import_ir_measures, "1 AP 0.5\n1 AP\n", r":2: 2 fields, expected 3 .* or 4"),
        (import_tot, "a AP 1 0.5\nAP 1 0.5\n", ":2: 3 fields, expected 4"),
        (import_tot, "a AP 1 high\n", ":1: 'high' is not a score"),
        (
            import_tot,
            "a AP 1 1.5\n",
            "1.5 is not a score of AP, whose scores are 0 to 1",
        ),
        (import_tot, "", "the file is empty"),
        (import_jsonl, "{\n", ":1: not a line of JSON"),
        (import_jsonl, "[1]\n", "a JSON object"),
        (
            import_jsonl,
            '{"run_id": "a", "measure": "AP"}\n',
            ":1: it lacks 'value'; it has run_id, measure",
        ),
    ],
)
def test_what_is_wrong_is_named(reader, text: str, said: str, tmp_path: Path) -> None:
    """A line that does not fit is an error with file, line and what was expected."""
    path = put(tmp_path, "odd.txt", text)
    with pytest.raises(FileFormatError, match=said):
        reader(path)


def test_topics_beside_means(tmp_path: Path) -> None:
    """A system with means only, beside others with topics, is refused by name."""
    path = put(tmp_path, "mixed.txt", "a AP 1 .5\nb AP all .5\n")
    with pytest.raises(FileFormatError, match="b has only means"):
        import_tot(path)
