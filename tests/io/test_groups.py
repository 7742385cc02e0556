"""The table that says who submitted which run."""

import gzip

import pytest

from irmeta.errors import FileFormatError
from irmeta.io.groups import read_groups


def written(tmp_path, text):
    path = tmp_path / "teams.csv"
    path.write_text(text)
    return path


def test_runs_groups_and_the_pooled_ones_are_read(tmp_path):
    """Columns may stand in any order, beside others; `pooled` says which runs were."""
    groups = read_groups(written(tmp_path, "type,team,run,pooled\nx,1,a,yes\nx,02,b,No\ny,1,c,1\n"))
    assert dict(groups.of) == {"a": "1", "b": "02", "c": "1"}
    assert groups.unpooled == {"b"}


def test_a_compressed_table_is_read(tmp_path):
    """The table may be packed, as every file."""
    (tmp_path / "teams.csv.gz").write_bytes(gzip.compress(b"system,group\na,g\n"))
    assert dict(read_groups(tmp_path / "teams.csv.gz").of) == {"a": "g"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("run,type\na,x\n", "no column group or team"),
        ("run,team\na,x\na,y\n", "'a' is there more than once"),
        ("run,team\na,\n", "without run or group"),
        ("run,team,pooled\na,x,perhaps\n", "say yes or no"),
        ("", "not a CSV table"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, text, said):
    """A table without groups, with a run twice, or with other words than yes and no raises what says so."""
    with pytest.raises(FileFormatError, match=said):
        read_groups(written(tmp_path, text))


def test_a_run_without_group_is_named_with_the_nearest(tmp_path):
    """Every run needs a group."""
    groups = read_groups(written(tmp_path, "run,team\nbm25.txt,x\n"))
    with pytest.raises(FileFormatError, match=r"the first 'bm25'; did you mean bm25\.txt"):
        groups.require(["bm25"])
