"""Sites that are frozen, imported, judged again, damaged, or killed."""

import csv
import gzip
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text
from tests.serve.servers import file_only

import irmeta
from irmeta.errors import IrmetaError
from irmeta.serve.catalogue import boards, submissions, tables
from irmeta.serve.catalogue.snapshot import snapshot
from irmeta.serve.crew.child import ENDED, Child
from irmeta.serve.operating import checkup, importing
from irmeta.serve.pages import html, publishing
from irmeta.serve.pages.publishing import Publisher
from irmeta.serve.site import Site
from irmeta.words import decimal

from .conftest import TOPICS, a_run, work_off, write_qrels


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


class Links(HTMLParser):
    """Gathers where a page leads."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self.found += [value for name, value in attrs if name in ("href", "src")]


def test_freezing_twice_gives_the_same_bytes(filled: Site, tmp_path: Path) -> None:
    """A frozen site is the same each time, says what each file is, and every link leads to a file of it."""
    for name in ("one", "two"):
        publishing.freeze(filled, tmp_path / name)
    frozen = files(tmp_path / "one")
    assert frozen == files(tmp_path / "two")
    sums = (tmp_path / "one" / "MANIFEST.sha256").read_text().split()[1::2]
    assert sorted([*sums, "MANIFEST.sha256"]) == sorted(frozen)
    pages = [name for name in frozen if name.endswith(".html")]
    assert len(pages) > 5 + len(TOPICS)
    for name in pages:
        assert len(frozen[name]) < 150_000
        links = Links()
        links.feed(frozen[name].decode())
        for link in links.found:
            parts = urlsplit(link)
            if parts.scheme == "data":
                continue
            assert not parts.scheme, link
            target = (tmp_path / "one" / name).parent / unquote(parts.path)
            assert target.is_file(), f"{name}: {link}"
    checked = subprocess.run(
        ["sha256sum", "-c", "--quiet", "MANIFEST.sha256"],
        cwd=tmp_path / "one",
        check=False,
    )
    assert checked.returncode == 0


def test_a_frozen_site_is_made_a_living_one(filled: Site, tmp_path: Path) -> None:
    """A site that is made of a frozen one freezes to the same files."""
    publishing.freeze(filled, tmp_path / "one")
    other = Site.make(tmp_path / "other")
    (other.folder / "site.toml").write_text('title = "Lab"\n')
    other = Site.open(other.folder)
    engine = tables.open_catalogue(other.database)
    assert importing.import_frozen(engine, tmp_path / "one") == ["lab"]
    with pytest.raises(IrmetaError, match="already"):
        importing.import_frozen(engine, tmp_path / "one")
    publishing.freeze(other, tmp_path / "two")
    assert files(tmp_path / "one") == files(tmp_path / "two")
    # neither runs nor judgments came along; those that come again can be scored
    assert boards.rescore(engine, "lab") == 0
    [qrels] = (filled.folder / "truth").iterdir()
    assert importing.add_judgments(other, engine, "lab", qrels) == 1
    runs = list((filled.folder / "runs").glob("*/*"))
    importing.import_runs(other, engine, "lab", runs)
    work_off(other, engine)
    assert submissions.count_by_state(engine, "lab") == {"scored": 10}
    assert boards.rescore(engine, "lab") == 10
    engine.dispose()


@pytest.mark.parametrize(
    ("name", "text"),
    [("key", "../../../x"), ("name", "a/b"), ("link", "javascript:alert(1)")],
)
def test_a_hostile_site_is_not_imported(
    filled: Site, tmp_path: Path, name: str, text: str
) -> None:
    """A frozen site whose keys would lead out of the folder, or whose links run scripts, is refused as a whole."""
    publishing.freeze(filled, tmp_path / "one")
    path = tmp_path / "one/b/lab/data/board.json"
    content = json.loads(path.read_text())
    content["runs"][0][name] = text
    path.write_text(json.dumps(content))
    engine = tables.open_catalogue(Site.make(tmp_path / "other").database)
    with pytest.raises(IrmetaError, match=re.escape(text)):
        importing.import_frozen(engine, tmp_path / "one")
    assert boards.all_boards(engine) == []
    engine.dispose()


def test_a_frozen_site_says_no_more_than_it_may(filled: Site, tmp_path: Path) -> None:
    """Paths and inner numbers that a frozen site names are not taken over; a run that lacks a fact is refused."""
    publishing.freeze(filled, tmp_path / "one")
    path = tmp_path / "one/b/lab/data/board.json"
    content = json.loads(path.read_text())
    content["board"] |= {"documents": "../../elsewhere", "id": 77}
    content["runs"][0] |= {"id": 77, "tried": 9}
    path.write_text(json.dumps(content))
    engine = tables.open_catalogue(Site.make(tmp_path / "other").database)
    assert importing.import_frozen(engine, tmp_path / "one") == ["lab"]
    found = snapshot(engine, "lab")
    assert (found.board.documents, found.board.id) == ("", 1)
    assert (found.runs[0].id, found.runs[0].tried) == (1, 0)
    content["board"]["key"] = "lab-2"
    content["runs"][0]["received"] = None
    path.write_text(json.dumps(content))
    with pytest.raises(IrmetaError, match="received: None cannot be kept there"):
        importing.import_frozen(engine, tmp_path / "one")
    assert [one.key for one in boards.all_boards(engine)] == ["lab"]
    engine.dispose()


def test_a_score_file_is_made_a_board(filled: Site, tmp_path: Path) -> None:
    """Scores of another board become a board of their own, with the same scores."""
    publishing.freeze(filled, tmp_path / "one")
    scores = tmp_path / "one/b/lab/data/scores.parquet"
    engine = tables.open_catalogue(filled.database)
    assert importing.import_scores(engine, scores, "again") == 5
    plain = irmeta.load(scores).drop_vars("cluster")
    irmeta.save(plain, tmp_path / "plain.parquet")
    assert importing.import_scores(engine, tmp_path / "plain.parquet", "plain") == 5
    assert importing.import_scores(engine, scores, "twice") == 5
    assert boards.board_of(engine, "plain").clusters is None
    estimate = plain.assign_attrs(estimated={"human": 2, "machine": 4})
    irmeta.save(estimate, tmp_path / "estimate.parquet")
    with pytest.raises(IrmetaError, match="what topics add to an estimate"):
        importing.import_scores(engine, tmp_path / "estimate.parquet", "estimate")
    engine.dispose()
    publishing.publish(filled)
    found = irmeta.load(filled.public / "b/again/data/scores.parquet")
    expected = irmeta.load(scores)
    same = found.sel(system=expected.system, metric=expected.metric)
    np.testing.assert_array_equal(same.values, expected.values)


def test_clusters_and_teams_come_along(filled: Site, tmp_path: Path) -> None:
    """The clusters of topics and the teams of runs stand in the data, with the dates that the table gave."""
    publishing.publish(filled)
    data = filled.public / "b/lab/data"
    assert (data / "topics.csv").read_text().splitlines()[1] == "301,c1"
    assert "team 1,automatic,2026-01-02 00:00:00" in (data / "table.csv").read_text()
    engine = tables.open_catalogue(filled.database)
    shot = snapshot(engine, "lab")
    engine.dispose()
    assert shot.board.clusters["302"] == "c2"


def test_intervals_are_over_clusters(filled: Site, tmp_path: Path) -> None:
    """Where topics have clusters, all intervals are those that irmeta gives with them, and not those without."""
    publishing.publish(filled)
    data = filled.public / "b/lab/data"
    cube = irmeta.load(data / "scores.parquet")
    clusters = {topic: f"c{int(topic) % 3}" for topic in TOPICS}
    assert dict(zip(cube.topic.values, cube.cluster.values, strict=True)) == clusters
    expected = irmeta.describe(cube, by="nDCG@10").sel(metric="nDCG@10")
    without = irmeta.describe(cube.drop_vars("cluster"), metrics="nDCG@10")
    with (data / "table.csv").open() as file:
        table = list(csv.DictReader(file))
    best = table[0]["run"]
    others = [row["run"] for row in table[1:]]
    versus = irmeta.versus(cube, best, others, metrics="nDCG@10")
    for row in table:
        one = expected.sel(system=row["run"])
        for figure in ("mean", "low", "high", "rank_low", "rank_high"):
            assert float(row[figure]) == pytest.approx(one[figure].item(), abs=1e-12)
        plain = without.sel(system=row["run"], metric="nDCG@10")
        assert abs(float(row["low"]) - plain["low"].item()) > 1e-3
    for at, row in enumerate(table[1:]):
        record = (filled.public / f"b/lab/s/{row['key']}/record.json").read_text()
        behind = json.loads(record)["behind"]
        ends = versus["low"].values[at, 0], versus["high"].values[at, 0]
        assert [-behind["high"], -behind["low"]] == pytest.approx(ends, abs=1e-12)
    table_page = (filled.public / "b/lab/index.html").read_text()
    assert "intervals and bars are of 95% over clusters" in table_page


def test_topics_without_a_cluster_are_refused(filled: Site, tmp_path: Path) -> None:
    """Clusters that lack a topic of the board, and judgments of topics that lack one, are refused by name."""
    engine = tables.open_catalogue(filled.database)
    qrels = write_qrels(tmp_path / "qrels.txt")
    few = tmp_path / "few.csv"
    few.write_text("topic,cluster\n301,a\n")
    with pytest.raises(IrmetaError, match="topic '302' has no cluster"):
        importing.open_board(filled, engine, "few", qrels=qrels, clusters=few)
    with qrels.open("a") as file:
        file.write("999 0 d00 1\n")
    with pytest.raises(IrmetaError, match="topic '999' has no cluster"):
        importing.add_judgments(filled, engine, "lab", qrels)
    engine.dispose()


def test_one_cluster_has_no_intervals(filled: Site, tmp_path: Path) -> None:
    """A board whose topics are all of one cluster is shown, without intervals."""
    one = tmp_path / "one.csv"
    one.write_text("topic,cluster\n" + "".join(f"{topic},a\n" for topic in TOPICS))
    qrels = write_qrels(tmp_path / "qrels.txt")
    engine = tables.open_catalogue(filled.database)
    importing.open_board(filled, engine, "one", qrels=qrels, clusters=one)
    importing.import_runs(filled, engine, "one", [tmp_path / "site/runs"])
    work_off(filled, engine)
    engine.dispose()
    publishing.publish(filled)
    page = (filled.public / "b/one/index.html").read_text()
    assert "cannot be said of one cluster" in page
    assert 'interval"' not in page


def test_the_data_have_the_ranks_of_the_board(filled: Site) -> None:
    """Scores are those of ranked runs, so that irmeta gives the figures of a board; others have a file of their own."""
    engine = tables.open_catalogue(filled.database)
    runs = {one.name: one.key for one in snapshot(engine, "lab").runs}
    submissions.withdraw(engine, runs["r4"])
    engine.dispose()
    publishing.publish(filled)
    data = filled.public / "b/lab/data"
    cube = irmeta.load(data / "scores.parquet")
    found = irmeta.describe(cube, metrics="nDCG@10").sel(metric="nDCG@10")
    with (data / "table.csv").open() as file:
        table = [row for row in csv.DictReader(file) if row["rank"]]
    assert [row["run"] for row in table] == cube.system.values.tolist()
    for row in table:
        one = found.sel(system=row["run"])
        for figure in ("mean", "low", "high", "rank_low", "rank_high"):
            assert float(row[figure]) == pytest.approx(one[figure].item(), abs=1e-12)
    unranked = irmeta.load(data / "unranked.parquet").system.values.tolist()
    assert unranked == [f"r4 ({runs['r4']})"]
    with (data / "unranked.csv").open() as file:
        assert {row["system"] for row in csv.DictReader(file)} == {*unranked}


def test_geometric_means_are_geometric(filled: Site, tmp_path: Path) -> None:
    """A board that ranks by GMAP shows geometric means, also of whom new judgments moved."""
    engine = tables.open_catalogue(filled.database)
    boards.set_board(engine, "lab", {"metrics": ["GMAP", "AP"]})
    work_off(filled, engine)
    publishing.publish(filled)
    data = filled.public / "b/lab/data"
    cube = irmeta.load(data / "scores.parquet")
    means = irmeta.means(cube).sel(metric="GMAP")
    with (data / "table.csv").open() as file:
        for row in csv.DictReader(file):
            wanted = means.sel(system=row["run"]).item()
            assert float(row["mean"]) == pytest.approx(wanted, abs=1e-12)
    fewer = write_qrels(tmp_path / "fewer.txt", without="301")
    importing.add_judgments(filled, engine, "lab", fewer)
    work_off(filled, engine)
    engine.dispose()
    publishing.publish(filled)
    changes = (filled.public / "b/lab/changes/index.html").read_text()
    for mean in means.values:
        assert f">{decimal(mean)}<" in changes


def test_no_cell_of_a_csv_file_is_a_formula(tmp_path: Path) -> None:
    """Topics, clusters, runs, teams and types that a spreadsheet would compute stand as text in every CSV file."""
    odd = {"301": "=1", "302": "@SUM(1)", "303": "+1+2", "304": "-5"}

    def renamed(text: str) -> str:
        return re.sub("^30[1-4]", lambda one: odd[one[0]], text, flags=re.M)

    qrels, clusters = tmp_path / "qrels.txt", tmp_path / "clusters.csv"
    qrels.write_text(renamed(write_qrels(qrels).read_text()))
    rows = [f"{odd.get(topic, topic)},=cmd({topic})" for topic in TOPICS]
    clusters.write_text("\n".join(["topic,cluster", *rows]))
    site = Site.make(tmp_path / "site")
    engine = tables.open_catalogue(site.database)
    importing.open_board(site, engine, "lab", qrels=qrels, clusters=clusters)
    (tmp_path / "run").write_text(renamed(a_run(1).decode()))
    about = {"team": "=cmd|' /C calc'!A0", "type": "\uff1dA1"}
    content = importing.copy_run(site, tmp_path / "run")
    submissions.submit(engine, "lab", "-A1", content, received=1, about=about)
    work_off(site, engine)
    engine.dispose()
    publishing.freeze(site, tmp_path / "frozen")
    cells = {
        cell
        for path in (tmp_path / "frozen").rglob("*.csv")
        for row in csv.reader(path.read_text().splitlines())
        for cell in row
    }
    begun = {cell for cell in cells if cell.startswith(("=", "+", "-", "@"))}
    assert begun == {"-5"}
    texts = ("=1", "@SUM(1)", "+1+2", "=cmd(301)", "-A1", *about.values())
    assert {f"'{text}" for text in texts} <= cells


def test_new_judgments_are_a_version(filled: Site, tmp_path: Path) -> None:
    """Corrected judgments score all runs again; until that is done the table stands, then the changes name them."""
    engine = tables.open_catalogue(filled.database)
    publishing.publish(filled)
    before = (filled.public / "b/lab/data/scores.csv").read_bytes()
    fewer = write_qrels(tmp_path / "fewer.txt", without="301")
    assert (
        importing.add_judgments(filled, engine, "lab", fewer, "topic 301 is out") == 2
    )
    assert importing.add_judgments(filled, engine, "lab", fewer, "again") == 2
    publishing.publish(filled)
    assert (filled.public / "b/lab/data/scores.csv").read_bytes() == before
    work_off(filled, engine)
    publishing.publish(filled)
    scores = irmeta.load(filled.public / "b/lab/data/scores.parquet")
    assert scores.sizes["topic"] == len(TOPICS) - 1
    changes = (filled.public / "b/lab/changes/index.html").read_text()
    assert "topic 301 is out" in changes
    assert "Whom version 2 moved most" in changes
    assert boards.rescore(engine, "lab") == 5
    engine.dispose()


def test_what_a_change_shows_comes_first(filled: Site) -> None:
    """Tables and the pages of runs that changed are written at once; after the rest all is as if written anew."""
    engine = tables.open_catalogue(filled.database)
    publisher = Publisher(filled, engine)
    publisher.write_first()
    # a run's scores by topic are there, and of which topics they are
    assert "b/lab/data/topics.csv" in files(filled.public)
    assert not publisher.write_rest(60)
    before = files(filled.public)
    last = snapshot(engine, "lab").runs[0]
    submissions.withdraw(engine, last.key)

    publisher.write_first()
    soon = files(filled.public)
    changed = {name for name in soon if soon[name] != before[name]}
    assert "b/lab/index.html" in changed
    assert f"b/lab/s/{last.key}/record.json" in changed
    assert "b/lab/data/board.json" not in changed
    pages = {name for name in changed if name.endswith("record.json")}
    assert len(pages) == 1

    assert publisher.write_rest(0)
    (filled.public / "b/lab/old.html").write_text("of a team that is gone")
    assert not publisher.write_rest(60)
    engine.dispose()
    last_files = files(filled.public)
    publishing.publish(filled)
    assert files(filled.public) == last_files
    pages = {name for name in last_files if last_files[name] != before.get(name)}
    assert len([name for name in pages if name.endswith("record.json")]) == 5
    assert "b/lab/old.html" not in last_files


def test_a_board_that_did_not_change_is_left_alone(filled: Site) -> None:
    """A publisher writes nothing of a board whose version is the one that it wrote."""
    engine = tables.open_catalogue(filled.database)
    publisher = Publisher(filled, engine)
    publisher.write_first()
    assert not publisher.write_rest(60)
    table = filled.public / "b/lab/index.html"
    table.write_text("somebody else's")
    publisher.write_first()
    assert not publisher.write_rest(60)
    engine.dispose()
    assert table.read_text() == "somebody else's"


def test_other_metrics_come_when_all_runs_have_them(filled: Site) -> None:
    """A new metric stands on the pages once every run is scored by it."""
    engine = tables.open_catalogue(filled.database)
    metrics = ["P@5", "nDCG@10", "Judged@10"]
    boards.set_board(engine, "lab", {"metrics": metrics})
    publishing.publish(filled)
    assert "P@5" not in (filled.public / "b/lab/index.html").read_text()
    work_off(filled, engine)
    engine.dispose()
    publishing.publish(filled)
    page = (filled.public / "b/lab/index.html").read_text()
    assert "ranked by P@5" in page


def test_a_site_says_what_is_damaged(filled: Site) -> None:
    """A changed run, a lost run, open judgments and high limits are each named."""
    engine = tables.open_catalogue(filled.database)
    assert list(checkup.problems(filled, engine)) == []
    changed, lost, *_ = sorted(filled.folder.glob("runs/*/*"))
    changed.write_bytes(b"other")
    lost.unlink()
    [judged] = filled.folder.glob("truth/*")
    judged.chmod(0o644)
    (filled.folder / "site.toml").write_text("uploads = 100\n")
    found = list(checkup.problems(Site.open(filled.folder), engine))
    engine.dispose()
    assert [one.where for one in found] == [
        *sorted([str(changed), str(lost)]),
        str(judged),
        "site.toml",
    ]


@file_only
def test_a_damaged_catalogue_is_named(filled: Site) -> None:
    """Where the index of submissions is damaged the check says so, and what to do."""
    engine = tables.open_catalogue(filled.database)
    wanted = "SELECT rootpage FROM sqlite_master WHERE name = 'one_name_a_team'"
    with engine.begin() as db:
        page_of_index = db.execute(text(wanted)).scalar_one()
        size = db.execute(text("PRAGMA page_size")).scalar_one()
    engine.dispose()
    with filled.database.open("r+b") as file:
        file.seek((page_of_index - 1) * size + size // 2)
        file.write(b"x" * (size // 2))
    engine = tables.open_catalogue(filled.database)
    [found] = checkup.problems(filled, engine)
    engine.dispose()
    assert str(found).startswith(f"{filled.database}: damaged (")
    assert found.mend == "restore a backup"


def test_what_no_site_froze_is_refused(filled: Site, tmp_path: Path) -> None:
    """A board's data that lack something, or are of something else, are refused by their file."""
    publishing.freeze(filled, tmp_path / "one")
    path = tmp_path / "one/b/lab/data/board.json"
    engine = tables.open_catalogue(Site.make(tmp_path / "other").database)
    for content in ("{}", "no JSON"):
        path.write_text(content)
        with pytest.raises(IrmetaError, match=r"board\.json: not what irmeta freezes"):
            importing.import_frozen(engine, tmp_path / "one")
    engine.dispose()


def test_settings_that_cannot_be(tmp_path: Path) -> None:
    """An unknown setting, a wrong type and a folder that is no site are each refused with their name."""
    site = Site.make(tmp_path / "site")
    for line, says in (
        ("titel = 'x'", "unknown field `titel`"),
        ("uploads = 'x'", "`int`.*uploads"),
        ("x", "Expected '='"),
    ):
        (site.folder / "site.toml").write_text(line)
        with pytest.raises(IrmetaError, match=says):
            Site.open(site.folder)
    with pytest.raises(IrmetaError, match="not a site"):
        Site.open(tmp_path)
    with pytest.raises(IrmetaError, match="not empty"):
        Site.make(tmp_path)


def test_one_leader_a_site(tmp_path: Path) -> None:
    """Many serve a site; one leads, the first removes what was left over, and nobody restores it meanwhile."""
    site = Site.make(tmp_path / "site")
    left = site.temporary / "left.part"
    left.touch()
    with site.being_served(), site.locked_alone("leader"):
        assert not left.exists()
        left.touch()
        with site.being_served():
            assert left.exists()
        for lock in ("leader", "lock"):
            with (
                pytest.raises(IrmetaError, match="another process"),
                site.locked_alone(lock),
            ):
                pytest.fail("two are alone")


NEXT = '''"""Boards have a column more."""

import sqlalchemy as sa
from alembic import op

revision = "9999"
down_revision = "{newest}"


def upgrade() -> None:
    op.add_column("board", sa.Column("more", sa.Integer))
'''


def next_migrations(folder: Path) -> Path:
    """Make the migrations of a next irmeta, whose boards have a column more."""
    made = Path(shutil.copytree(tables.MIGRATIONS, folder / "migrations"))
    newest = max(path.name[:4] for path in made.glob("versions/*.py"))
    (made / "versions/9999_next.py").write_text(NEXT.format(newest=newest))
    return made


@file_only
def test_a_site_is_migrated(
    filled: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A next irmeta copies the tables beside and changes them, its pages are the same; an older one refuses these."""
    publishing.publish(filled)
    before = files(filled.public)
    monkeypatch.setattr(tables, "MIGRATIONS", next_migrations(tmp_path))
    engine = tables.open_catalogue(filled.database)
    [aside] = filled.folder.glob("site.db.*")
    for path, found in ((filled.database, ["more"]), (aside, [])):
        assert isinstance(path, Path)
        with closing(sqlite3.connect(path)) as db:
            columns = db.execute("SELECT name FROM pragma_table_info('board')")
            assert [name for (name,) in columns if name == "more"] == found
    engine.dispose()
    shutil.rmtree(filled.public)
    filled.public.mkdir()
    publishing.publish(filled)
    assert files(filled.public) == before
    monkeypatch.undo()
    with pytest.raises(IrmetaError, match="newer irmeta"):
        tables.open_catalogue(filled.database).dispose()


def test_tables_from_before_the_first_release_are_not_called_newer(
    tmp_path: Path,
) -> None:
    """A site whose tables are older than all that are upgraded says so."""
    engine = tables.open_catalogue(tmp_path / "site.db")
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0003'"))
    engine.dispose()
    with pytest.raises(IrmetaError, match="before the first release.*version 0003"):
        tables.open_catalogue(tmp_path / "site.db").dispose()


def test_the_tables_are_those_of_the_program(tmp_path: Path) -> None:
    """A new catalogue has just the tables that the program uses."""
    engine = tables.open_catalogue(tmp_path / "site.db")
    with engine.begin() as connection:
        found = compare_metadata(MigrationContext.configure(connection), tables.META)
        assert found == []
    engine.dispose()


def test_a_child_that_dies_is_replaced() -> None:
    """A child that takes too long is ended and the task fails; the next task has a new child."""
    child = Child()
    assert child.ask("begin", 300, limits=(1 << 33, 60)) == {}
    assert child._process is not None
    os.kill(child._process.pid, signal.SIGSTOP)
    assert child.ask("begin", 0.2) == {"error": ENDED}
    assert child.ask("begin", 300) == {}
    child.close()


def test_long_lists_are_cut(filled: Site, monkeypatch) -> None:
    """Tables have so many rows a page; lists of a team's runs and of claims are cut there, and say so."""
    monkeypatch.setattr(html, "ROWS", 2)
    engine = tables.open_catalogue(filled.database)
    for run in snapshot(engine, "lab").runs:
        about = {"team": run.team, "baseline": "r0"}
        content = submissions.Bytes(run.run, run.bytes)
        given = (engine, "lab", run.name, content)
        made = submissions.submit(*given, received=1, about=about)
        assert (made.key, made.new) == (run.key, False)
    engine.dispose()
    publishing.publish(filled)
    board = filled.public / "b/lab"
    assert "page 3 of 3" in (board / "page/3/index.html").read_text()
    progress = (board / "progress/index.html").read_text()
    assert "The newest 2 of 4" in progress
    assert progress.count(">r0<") == 3  # the first step, and two baselines
    best = [path.read_text() for path in (board / "team").rglob("*.html")]
    assert sum("The best 2." in page for page in best) == 1


def test_pages_need_no_inline_script(filled: Site) -> None:
    """No page has inline script or style, which its policy forbids."""
    publishing.publish(filled)
    for page in filled.public.rglob("*.html"):
        content = page.read_text()
        assert not re.search(r"<script(?![^>]*\ssrc=)", content)
        assert not re.search(r"<[^>]+\s(style|on\w+)=", content)
        assert "<style" not in content


def test_boards_that_cannot_be_made(filled: Site, tmp_path: Path) -> None:
    """A board without topics, lists without ids, folders without runs or boards are each refused by name."""
    engine = tables.open_catalogue(filled.database)
    other, empty = tmp_path / "other.txt", tmp_path / "empty.txt"
    other.write_text("999 0 d00 1\n")
    empty.write_bytes(gzip.compress(b"\n"))
    (tmp_path / "none").mkdir()
    with pytest.raises(IrmetaError, match="needs its judgments"):
        importing.open_board(filled, engine, "new")
    with pytest.raises(IrmetaError, match="judges no topic"):
        importing.add_judgments(filled, engine, "lab", other)
    with pytest.raises(IrmetaError, match=r"empty\.txt: no topics"):
        importing.open_board(filled, engine, "new", topics=empty)
    with pytest.raises(IrmetaError, match="no files in this folder"):
        importing.import_runs(filled, engine, "lab", [tmp_path / "none"])
    with pytest.raises(IrmetaError, match="no frozen site"):
        importing.import_frozen(engine, tmp_path / "none")
    engine.dispose()
