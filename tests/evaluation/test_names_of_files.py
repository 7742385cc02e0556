"""What systems and collections are called after their files."""

from pathlib import Path

import pytest

import irmeta
from irmeta.errors import ScoresError
from irmeta.io.runs.rankings import collection_name
from irmeta.scores.names import known_as

LINES = "1 Q0 d1 1 2.5 tag\n1 Q0 d2 2 1.5 tag\n2 Q0 d2 1 2.5 tag\n"


def evaluated(folder: Path, names: list[str]) -> list[str]:
    """The systems of runs in files of these names, and of judgments of two topics."""
    (folder / "runs").mkdir()
    for name in names:
        (folder / "runs" / name).write_text(LINES)
    (folder / "qrels.txt").write_text("1 0 d1 1\n1 0 d2 0\n2 0 d2 1\n")
    made = irmeta.evaluate(folder / "qrels.txt", folder / "runs", "AP")
    assert made.attrs["collection"] == folder.name
    return sorted(made.system.values.tolist())


def test_a_suffix_that_says_only_run_is_no_part_of_a_name(tmp_path):
    """bm25.run, mine.txt, both.tsv and input.x are bm25, mine, both and x; what else a point stands in stays."""
    names = ["bm25.run", "mine.txt", "both.tsv", "input.x", "splade.v2"]
    assert evaluated(tmp_path, names) == ["bm25", "both", "mine", "splade.v2", "x"]


def test_a_suffix_that_distinguishes_two_runs_stays(tmp_path):
    """Of bm25.run, bm25.txt and mine.run only the last can lose its suffix."""
    assert evaluated(tmp_path, ["bm25.run", "bm25.txt", "mine.run"]) == [
        "bm25.run",
        "bm25.txt",
        "mine",
    ]


def test_a_name_is_understood_with_and_without_its_suffix(tmp_path):
    """A system is found by the name of its file, or without the suffix where that is one system only."""
    assert known_as("a", ["a.run", "b"]) == "a.run"
    assert known_as("b.txt", ["a.run", "b"]) == "b"
    assert known_as("a", ["a.run", "a.txt"]) is None
    assert known_as("A", ["a.run"]) is None
    evaluated(tmp_path, ["a.run", "b.run"])
    made = irmeta.evaluate(tmp_path / "qrels.txt", tmp_path / "runs", "AP")
    assert irmeta.select(made, systems="a.run").system.item() == "a"
    found = irmeta.versus(made, "a.run", "b.txt", test="t")
    assert (found.method["options"]["system"], found["against"].item()) == ("a", "b")
    assert irmeta.table(made, baseline="b.run").method["options"]["baseline"] == "b"
    with pytest.raises(ScoresError, match="no system 'c'"):
        irmeta.versus(made, "c")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("trec8/qrels.txt", "trec8"),
        ("scifact/qrels/test.tsv", "scifact"),
        ("robust04.qrels.txt", "robust04"),
        ("qrels.dl21-passage.txt.gz", "dl21-passage"),
        ("s3://archive/trec8/qrels.txt", "trec8"),
    ],
)
def test_a_collection_is_named_by_what_says_which(path, name):
    """The file names the collection where its name says which, else the folder of it."""
    assert collection_name(path) == name
