"""Samples of topics, labels of systems, anchors."""

from pathlib import Path

import pytest

from irmeta.errors import FileFormatError
from irmeta.io.lists import read_anchors, read_labels, read_sample, sample_text


def test_a_sample_comes_back(tmp_path: Path) -> None:
    """A sample that was written reads as it was, to the last bit."""
    path = tmp_path / "sample.csv"
    sample = {"301": 1 / 3, "302": 0.1}
    path.write_text(sample_text(sample))
    assert read_sample(path) == sample


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("topic,probability\n1,0\n", ":2: the probability '0' must be at least 1e-09"),
        ("topic,probability\n1,5e-324\n", ":2: the probability '5e-324'"),
        ("topic,probability\n1,often\n", ":2: the probability 'often'"),
        (
            "topic,probability\n1,.5\n1,.5\n",
            ":3: topic '1' is on line 2, too; remove one",
        ),
    ],
)
def test_odd_samples(text: str, said: str, tmp_path: Path) -> None:
    """A sample with impossible probabilities, or a topic twice, is refused with the line."""
    path = tmp_path / "sample.csv"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=said):
        read_sample(path)


def test_bytes_that_are_no_text_are_written_as_in_score_files(tmp_path: Path) -> None:
    """Names in another encoding are escaped, so that every table prints them, and they match those of score files."""
    path = tmp_path / "list"
    path.write_bytes(b"system,label\ncaf\xe9,na\xefve\n")
    assert read_labels(path) == {r"caf\xe9": r"na\xefve"}
    path.write_bytes(b"topic,probability\ncaf\xe9,0.5\n")
    assert read_sample(path) == {r"caf\xe9": 0.5}
    path.write_bytes(b"caf\xe9 0.5\n")
    assert read_anchors(path) == {r"caf\xe9": 0.5}
