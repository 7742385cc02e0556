"""The table that says who submitted which run."""

import gzip

import numpy as np
import pytest

from irmeta.errors import FileFormatError, ScoresError
from irmeta.io.groups import read_clusters, read_groups
from irmeta.scores.groups.teams import source_of_groups, teams_of


def written(tmp_path, text):
    path = tmp_path / "teams.csv"
    path.write_text(text)
    return path


def test_runs_groups_and_the_pooled_ones_are_read(tmp_path):
    """Columns may stand in any order, beside others; `pooled` says which runs were."""
    groups = read_groups(
        written(tmp_path, "type,team,run,pooled\nx,1,a,yes\nx,02,b,No\ny,1,c,1\n")
    )
    assert dict(groups.of) == {"a": "1", "b": "02", "c": "1"}
    assert groups.unpooled == {"b"}


def test_leaderboards_of_trec_covid_say_which_runs_were_pooled(tmp_path):
    """The column `contributed judgments` of NIST's leaderboards is read as `pooled` is."""
    groups = read_groups(
        written(
            tmp_path, "run,team,contributed judgments,MAP\na,x,yes,0.2\nb,x,no,0.3\n"
        )
    )
    assert groups.unpooled == {"b"}


def test_a_compressed_table_is_read(tmp_path):
    """The table may be packed, as every file."""
    (tmp_path / "teams.csv.gz").write_bytes(gzip.compress(b"system,group\na,g\n"))
    assert dict(read_groups(tmp_path / "teams.csv.gz").of) == {"a": "g"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("run,type\na,x\n", "no column team or group"),
        ("run,team\na,x\na,y\n", ":3: run 'a' is on line 2, too; remove one"),
        ("run,team\na,\n", ":2: a line lacks its team; fill it in"),
        ("run,team,pooled\na,x,perhaps\n", "expected yes or no"),
        ("", "not a table; expected a header"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, text, said):
    """A table without groups, with a run twice, or with other words than yes and no raises what says so."""
    with pytest.raises(FileFormatError, match=said):
        read_groups(written(tmp_path, text))


def test_a_run_without_group_is_named_with_the_nearest(tmp_path):
    """Every run needs a group."""
    groups = read_groups(written(tmp_path, "run,team\nbm25.txt,x\n"))
    with pytest.raises(ScoresError, match=r"as 'bm25'; did you mean bm25.txt\?$"):
        groups.require(["bm25"])


def test_a_header_in_capitals_and_blanks_is_read(tmp_path):
    """Capitals in the header and blanks around cells do not matter; a team may be called a family."""
    assert dict(read_groups(written(tmp_path, "Run,Family\na, X \n")).of) == {"a": "X"}


def test_turns_count_before_what_they_ask(tmp_path):
    """A question may be asked twice; its turn names it."""
    path = tmp_path / "turns.csv"
    path.write_text("question,turn,conversation\nwhy?,t1,c1\nwhy?,t2,c2\n")
    assert read_clusters(path) == {"t1": "c1", "t2": "c2"}


@pytest.mark.parametrize("head", ["topic,need", "dataset,cluster", "task,type"])
def test_clusters_are_columns_as_tables_of_scores_have_them(tmp_path, head):
    """Tasks are topics, and a type is a cluster."""
    assert read_clusters(written(tmp_path, f"{head}\nnq,qa\n")) == {"nq": "qa"}
    with pytest.raises(FileFormatError, match="no column cluster or cluster_id or con"):
        read_clusters(written(tmp_path, "task,size\nnq,3\n"))


def test_teams_by_a_table_a_mapping_and_stems(tmp_path):
    """The same teams come from a table, from a mapping, and from what stands before the last separator of a name."""
    systems = ["udel_a-1", "udel_a-2", "bm25", "sab.x"]
    table = read_groups(
        written(tmp_path, "run,team\nudel_a-1,u\nudel_a-2,u\nbm25,b\nsab.x,s\n")
    )
    for groups in (table, table.of, "stem"):
        found = teams_of(systems, groups)
        assert found.of[0] == found.of[1]
        assert len(set(found.of[1:].tolist())) == 3
        assert "3 teams, not their 4 systems" in found.note()
    assert source_of_groups(table.of) == "a table of 4 systems"


def test_without_groups_each_system_is_a_team_and_the_note_says_so():
    """Nothing given: systems are numbered, and the note says what that assumes."""
    found = teams_of(["a", "b"], None)
    assert found.of.tolist() == [0, 1]
    assert "the 2 systems as independent of each other; they are too" in found.note()
    assert found.source is None


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        (
            "teams",
            "teams='teams': expected a table of runs and teams, 'stem' or 'each'",
        ),
        ({"x-1": "t", "x-2": "t"}, "all 2 systems are of one team, t"),
        ("stem", "all 2 systems are of one team, x"),
    ],
)
def test_groups_that_cannot_be_used_are_refused(groups, said):
    """An unknown word, and one team alone, raise what says so."""
    with pytest.raises(ScoresError, match=said):
        teams_of(["x-1", "x-2"], groups)


def test_name_stems_are_teams_by_default_where_many_names_share_one():
    """Two of three names share a stem: stems are teams; of one in five, or of three stems, each system is its own."""
    many = [f"{team}_{at}" for team in "abcd" for at in "12"] + ["e", "f", "g", "h"]
    found = teams_of(many, None)
    assert (found.source, len(found.names), found.unknown) == ("stem", 8, "")
    assert "8 name stems" in found.note()
    few = ["a_1", "a_2", *(f"s{at}" for at in range(8))]
    for systems in (few, ["a_1", "a_2", "b_1", "b_2", "c"]):
        found = teams_of(systems, None)
        assert found.source is None
        assert found.unknown
        assert len(found.names) == len(systems)
    assert teams_of(few, "each").unknown == ""


def test_stems_are_not_the_teams_of_systems_that_score_alike_across_them():
    """Where systems of other stems are near-clones, the stems stay, but a verdict needs the teams."""
    rng = np.random.default_rng(0)
    names = [f"{team}_{at}" for team in "abcdef" for at in "12"]
    luck = rng.normal(size=(6, 30, 1))
    own = 0.1 * rng.normal(size=(12, 30, 1))
    within = luck.repeat(2, axis=0) + own
    across = np.concatenate([luck, luck]) + own
    assert teams_of(names, None, within).unknown == ""
    assert "different name stems score alike" in teams_of(names, None, across).unknown
    assert teams_of(names, "stem", across).unknown == ""


@pytest.mark.parametrize(
    "text", ["run;team\na;x\n", "run\tteam\na\tx\n", "\ufeffRun,Team\na,x\n"]
)
def test_groups_come_in_any_dialect_of_a_spreadsheet(tmp_path, text):
    """A table of groups is read as tables of scores are: semicolons, tabs, a byte order mark."""
    path = tmp_path / "teams.csv"
    path.write_text(text)
    assert read_groups(path).of == {"a": "x"}


def test_two_columns_of_one_name_are_refused(tmp_path):
    """Columns that differ by case alone are two of one name."""
    path = tmp_path / "teams.csv"
    path.write_text("Run,run,team\na,b,x\n")
    with pytest.raises(FileFormatError, match="more than one column is named 'Run'"):
        read_groups(path)
