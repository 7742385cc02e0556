"""Samples of topics."""

from pathlib import Path

import pytest

from irmeta.errors import FileFormatError
from irmeta.io.lists import read_sample, sample_text


def test_a_sample_comes_back(tmp_path: Path) -> None:
    """A sample that was written reads as it was, to the last bit."""
    path = tmp_path / "sample.csv"
    sample = {"301": 1 / 3, "302": 0.1}
    path.write_text(sample_text(sample))
    assert read_sample(path) == sample


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("topic,probability\n1,0\n", ":2: the probability '0' must be above 0"),
        ("topic,probability\n1,often\n", ":2: the probability 'often'"),
        ("topic,probability\n1,.5\n1,.5\n", ":3: topic 1 is given twice"),
    ],
)
def test_odd_samples(text: str, said: str, tmp_path: Path) -> None:
    """A sample with impossible probabilities, or a topic twice, is refused with the line."""
    path = tmp_path / "sample.csv"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=said):
        read_sample(path)
