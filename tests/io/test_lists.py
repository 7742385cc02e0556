"""Groups of systems and samples of topics."""

from pathlib import Path

import pytest

from irmeta.errors import FileFormatError
from irmeta.io.lists import read_groups, read_sample, sample_text


def test_groups_under_any_usual_name(tmp_path: Path) -> None:
    """The table of groups names systems run, system or name, and groups team, group or family."""
    path = tmp_path / "teams.csv"
    path.write_text("Run,Team,type\na,X,auto\nb, Y ,manual\n")
    assert read_groups(path) == {"a": "X", "b": "Y"}
    path.write_text("system,family\na,X\n")
    assert read_groups(path) == {"a": "X"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file is empty"),
        ("run,type\na,b\n", "no column team or group or family; the header has run, type"),
        ("run,team\na,X\na,Y\n", ":3: a is in two groups, X and Y"),
        ("run,team\na\n", ":2: 1 cells, the header has 2"),
    ],
)
def test_odd_groups(text: str, said: str, tmp_path: Path) -> None:
    """A table of groups that cannot be read says where and why."""
    path = tmp_path / "teams.csv"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=said):
        read_groups(path)


def test_a_sample_comes_back(tmp_path: Path) -> None:
    """A sample that was written reads as it was, to the last bit."""
    path = tmp_path / "sample.csv"
    sample = {"301": 1 / 3, "302": 0.1}
    path.write_text(sample_text(sample))
    assert read_sample(path) == sample


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("topic,probability\n1,0\n", ":2: the probability '0' is not above 0"),
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
