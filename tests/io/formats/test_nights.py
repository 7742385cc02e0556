"""The file of nights: what is added is read back, and what is no night is named with its line."""

import pytest

from irmeta.errors import FileFormatError
from irmeta.io.formats.nights import (
    Comparison,
    Night,
    add_night,
    by_topic,
    read_nights,
)


def night(system="a", **differences):
    """Return a night of one comparison."""
    return Night(system, 0.02, [Comparison("main", "AP", "open", differences)])


def test_nights_are_read_as_they_were_added(tmp_path):
    """A file that is not there is empty; nights come back in their order, to the last bit."""
    path = tmp_path / "nights.jsonl"
    assert read_nights(path) == []
    added = [night("a", t1=0.1 + 0.2), night("b", t1=-1 / 3, t2=1e-17)]
    for one in added:
        add_night(path, one)
    assert read_nights(path) == added
    assert path.read_text().count("\n") == 2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"system": "a"}\n', ":1: not a night"),
        ("AP,0.3\n", ":1: not a night"),
        (
            '{"system":"a","margin":0.02,"comparisons":[]}\n',
            ":1: a night without scores",
        ),
        ('{"system":"a","margin":0.02', ":1: the line is cut off"),
    ],
)
def test_what_is_no_night_is_named_with_its_line(tmp_path, text, says):
    """A line that is something else, empty or cut off is an error that says where, and what to do."""
    path = tmp_path / "nights.jsonl"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=says):
        read_nights(path)


def test_a_file_in_no_folder_is_refused(tmp_path):
    """The folder of the file must be there."""
    with pytest.raises(FileFormatError, match="does not exist"):
        read_nights(tmp_path / "lost" / "nights.jsonl")


def test_differences_stand_by_topic():
    """Topics of all nights are columns; a night without a topic has a gap there."""
    one, two = by_topic([night(t1=0.5, t2=0.1), night(t2=0.3, t3=0.2)])
    assert one[0, :2].tolist() == [0.5, 0.1]
    assert two[0, 1:].tolist() == [0.3, 0.2]
    assert (one[0] != one[0]).tolist() == [False, False, True]
    assert (two[0] != two[0]).tolist() == [True, False, False]
