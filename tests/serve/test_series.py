"""Series of boards over years: what anchors say, what cannot be compared, and what stays hidden."""

import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import sqlalchemy as sa
import xarray as xr

import irmeta
from irmeta.errors import IrmetaError
from irmeta.serve.catalogue import boards, tables
from irmeta.serve.catalogue.snapshot import snapshot
from irmeta.serve.operating import importing
from irmeta.serve.pages import html, publishing
from irmeta.serve.results import answers, series
from irmeta.serve.results.standing import compute_standing
from irmeta.serve.site import Site
from irmeta.words import decimal, decimal_interval

YEARS = {"2020": 0.0, "2021": 0.08, "2022": 0.09}
"""Editions, and how much better than the anchors their runs are on average."""
COMMON = ("bm25", "tfidf", "ql")
RUNS = 6
"""Runs of an edition that are its own."""


class Shown(NamedTuple):
    """A site, its editions, and its page of the series without marks."""

    site: Site
    editions: list[series.Edition]
    page: str


def scores(year: str, lift: float, common: tuple[str, ...]) -> xr.DataArray:
    """Simulate an edition: topics and runs of its own, and some systems that do not change."""
    rng = np.random.default_rng(int(year))
    names = [*common, *(f"r{year}-{at}" for at in range(RUNS))]
    skill = np.r_[np.zeros(len(common)), lift + rng.normal(0, 0.06, RUNS)]
    level = rng.uniform(0.2, 0.6, 10)
    drawn = level + skill[:, None] + rng.normal(0, 0.06, (len(names), 10))
    vectors = {
        name: {"AP": row} for name, row in zip(names, np.clip(drawn, 0, 1), strict=True)
    }
    return answers.score_cube(
        year, [f"{year}.{at}" for at in range(10)], ["AP"], vectors
    )


def site_of(folder: Path, common: tuple[str, ...] = COMMON) -> Site:
    """Make a site with a board for each year; each year's third run claims to be better than its fifth."""
    site = Site.make(folder / "site")
    engine = tables.open_catalogue(site.database)
    for year, lift in YEARS.items():
        path = folder / f"{year}.parquet"
        irmeta.save(scores(year, lift, common), path)
        importing.import_scores(engine, path, f"t{year}")
        named = {name: name for name in common}
        of_series = {"series": "track", "edition": year, "anchors": named}
        boards.set_board(engine, f"t{year}", of_series)
        names = [run.name for run in snapshot(engine, f"t{year}").runs]
        with engine.begin() as db:
            claims = tables.submission.c.name == names[-3]
            claim = sa.update(tables.submission).where(claims)
            db.execute(claim.values(baseline=names[-5]))
    engine.dispose()
    return site


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a site with a board for each year."""
    return site_of(tmp_path_factory.mktemp("years")).folder


@pytest.fixture(scope="module")
def shown(made: Path) -> Shown:
    """What a site shows, for tests that change nothing of it."""
    site = Site.open(made)
    engine = tables.open_catalogue(site.database)
    publisher = publishing.Publisher(site, engine)
    publisher.write_first()
    engine.dispose()
    editions = [one.edition for one in publisher._shown.values() if one.edition]
    return Shown(site, editions, seen(site))


@pytest.fixture
def site(made: Path, tmp_path: Path) -> Site:
    """A copy of it for one test."""
    return Site.open(Path(shutil.copytree(made, tmp_path / "site")))


def seen(site: Site) -> str:
    """Return the page of the series that a site shows, without marks."""
    return plain((site.public / "series/track/index.html").read_text())


def page(site: Site) -> str:
    """Return the page of the series alone, without marks."""
    [track] = series.series_of(editions(site), {})
    return plain(html.series_page(site, track)[1].decode())


def plain(text: str) -> str:
    """Return a page without marks."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", text))


def editions(site: Site) -> list[series.Edition]:
    """Return the editions of a site as they are shown."""
    engine = tables.open_catalogue(site.database)
    shots = [snapshot(engine, f"t{year}") for year in YEARS]
    engine.dispose()
    found = [series.edition_of(shot, compute_standing(shot, {})) for shot in shots]
    return [one for one in found if one is not None]


def test_anchors_compare_editions(shown: Shown) -> None:
    """What the page says of two editions is what `irmeta place --anchor` says of their best runs."""
    text = shown.page
    [track] = series.series_of(shown.editions, {})
    assert [one.name for one in track.editions] == list(YEARS)
    older, newer = track.editions[0], track.editions[2]
    cubes = {one.key: one.scores for one in (older, newer)}
    factors = {one.key: one.factors for one in (older, newer)}
    placed = irmeta.place(
        cubes, on=factors, metrics="AP", anchor=list(COMMON)
    ).data.isel(metric=0)
    own = (placed.collection_a == older.key) & (placed.collection_b == newer.key)
    own &= placed.system_a == older.best.label
    own &= placed.system_b == newer.best.label
    [low, value, high] = (
        -placed[name].values[own.values].item()
        for name in ("anchored_high", "anchored", "anchored_low")
    )
    gain, ends = decimal(value, sign="+"), decimal_interval(low, high, sign="+")
    assert f"{gain} standardized ({ends})" in text
    assert "cannot be compared" not in text
    # the older best run stands where its own score, moved by the difference, stands
    there = track.place_of_best(older, newer)
    moved = newer.best.standing["standardized"] - value
    below = 100 * np.mean(np.array(newer.places) < moved)
    assert there is not None
    assert there.value == pytest.approx(below)
    assert there.low <= there.value <= there.high
    assert track.place_of_best(older, older) is None


def test_claims_are_added_up_over_years(shown: Shown) -> None:
    """Each claim stands with its edition, its gain and its baseline's percentile; the sums are of all of an edition."""
    for one in shown.editions:
        [line] = one.claims
        assert line.claim is not None
        assert line.baseline is not None
        own, base = (each.standing["standardized"] for each in (line, line.baseline))
        assert one.claimed.total == pytest.approx(line.claim.value)
        assert one.claimed.standardized == pytest.approx(own - base)
        assert one.claimed.weak == (line.baseline.mean < one.median)
        gain = decimal(line.claim.value, sign="+")
        row = f"{one.name} {line.label} {line.baseline.label} {gain}"
        assert row in shown.page
        assert f"{line.baseline.standing['percentile']:.0f} " in shown.page


def with_anchors(shown: Shown, *names: str) -> str:
    """Return the page of the series if these anchors alone were named."""
    anchored = [
        replace(one, anchors={name: one.anchors[name] for name in names})
        for one in shown.editions
    ]
    [track] = series.series_of(anchored, {})
    return plain(html.series_page(shown.site, track)[1].decode())


def test_without_anchors_nothing_is_compared(shown: Shown, tmp_path: Path) -> None:
    """Without named anchors the page says that editions cannot be compared, and why; it has no scale of others."""
    named = "3 systems of one name ran in both, whose standardized scores changed by -."
    for text, says in (
        (with_anchors(shown), named),
        (page(site_of(tmp_path, ())), "and no system of one name ran in both"),
    ):
        assert text.count("cannot be compared: no anchor") == 3
        assert says in text
        assert "Who would stand where" not in text
        assert "best run of" not in text


def test_one_anchor_shows_no_gain(shown: Shown) -> None:
    """One anchor may have changed as much as the field: the page gives the gain, and says that it shows nothing."""
    says = "one anchor does not show whether that is more than its own change"
    assert says in with_anchors(shown, "bm25")


def test_other_metrics_are_not_compared(site: Site) -> None:
    """Editions that rank by other metrics cannot be compared."""
    engine = tables.open_catalogue(site.database)
    with engine.begin() as db:
        last = tables.board.c.key == "t2022"
        db.execute(sa.update(tables.board).where(last).values(metrics=["P@10"]))
        db.execute(
            sa.update(tables.score)
            .values(metric="P@10")
            .where(
                tables.score.c.submission.in_(
                    sa.select(tables.submission.c.id).join(tables.board).where(last)
                )
            )
        )
    engine.dispose()
    assert "2021 ranks by AP, 2022 by P@10" in page(site)


def test_hidden_editions_leave_no_trace(site: Site) -> None:
    """An edition that not everybody may see is on no public page of its series, from the moment that this is so."""
    engine = tables.open_catalogue(site.database)
    publisher = publishing.Publisher(site, engine)
    publisher.write_first()
    publisher.write_rest(60)
    boards.set_board(engine, "t2022", {"visibility": "readers"})
    publisher.write_first()
    shown = (site.public / "series/track/index.html").read_text()
    assert "2021" in shown
    assert "2022" not in shown
    for year in ("2020", "2021"):
        boards.set_board(engine, f"t{year}", {"visibility": "readers"})
    publisher.write_first()
    engine.dispose()
    assert not (site.public / "series").exists()
    assert "series/" not in (site.public / "index.html").read_text()


def test_an_edition_waits_for_its_reveal(site: Site) -> None:
    """Before its reveal an edition is not on the page of its series, though its notice is public."""
    engine = tables.open_catalogue(site.database)
    hidden = {"reveals": None, "opens": 1, "closes": None}
    with engine.begin() as db:
        last = tables.board.c.key == "t2022"
        db.execute(sa.update(tables.board).where(last).values(hidden))
    publisher = publishing.Publisher(site, engine)
    publisher.write_first()
    assert "2021" in seen(site)
    assert "2022" not in seen(site)
    assert (site.public / "b/t2022/index.html").exists()
    boards.reveal(engine, "t2022", "t2022")
    publisher.write_first()
    engine.dispose()
    assert "2022" in seen(site)


def test_names_of_editions_are_text(site: Site) -> None:
    """An edition is shown as text whatever it is called, and no name of a series leads elsewhere."""
    engine = tables.open_catalogue(site.database)
    boards.set_board(engine, "t2021", {"edition": "<script>alert(1)</script>"})
    for name in ("../up", "A", "a/b", "x" * 41):
        with pytest.raises(IrmetaError, match="series"):
            boards.set_board(engine, "t2021", {"series": name})
    publishing.Publisher(site, engine).write_first()
    engine.dispose()
    shown = (site.public / "series/track/index.html").read_text()
    assert "<script>alert" not in shown
    assert "&lt;script&gt;alert(1)" in shown


def test_a_frozen_copy_has_its_series(shown: Shown, tmp_path: Path) -> None:
    """A copy has the page, its links lead to files; a site made of it has it again."""
    publishing.freeze(shown.site, tmp_path / "one")
    where = Path("series/track/index.html")
    frozen = tmp_path / "one" / where
    links = re.findall(r'(?:href|src)="([^"#:]+)"', frozen.read_text())
    assert any("/s/" in link for link in links)
    for link in links:
        assert (frozen.parent / link).resolve().is_file(), link
    home = (tmp_path / "one/index.html").read_text()
    assert 'href="series/track/index.html"' in home
    again = Site.make(tmp_path / "again")
    engine = tables.open_catalogue(again.database)
    importing.import_frozen(engine, tmp_path / "one")
    engine.dispose()
    gained = re.compile(r"[+-]\.\d+ standardized \([^)]*\)")
    assert gained.findall(page(again)) == gained.findall(shown.page) != []


def test_editions_are_in_the_order_of_people(shown: Shown) -> None:
    """Edition 9 comes before edition 10."""
    called = zip(shown.editions, ("round 10", "round 9", "round 1"), strict=True)
    named = [replace(one, name=name) for one, name in called]
    [track] = series.series_of(named, {})
    names = [one.name for one in track.editions]
    assert names == ["round 1", "round 9", "round 10"]


def test_a_series_is_called_as_its_newest_edition(shown: Shown) -> None:
    """The heading of a series is the title of its newest edition without the year; its key where nothing is left."""
    [track] = series.series_of(shown.editions, {})
    for title, said in (("Deep Learning (2022)", "Deep Learning"), ("2022", "track")):
        last = replace(track.editions[-1], title=title)
        assert replace(track, editions=[*track.editions[:-1], last]).title == said


def test_a_board_is_given_anchors(run, site: Site) -> None:
    """The command line takes anchors by their names in the series, and the runs that they are here."""
    wanted = "tfidf, bm25=r2020-1"
    run("board", "set", "t2020", "--site", str(site.folder), "--anchors", wanted)
    engine = tables.open_catalogue(site.database)
    of = boards.board_of(engine, "t2020")
    engine.dispose()
    assert of.anchors == {"tfidf": "tfidf", "bm25": "r2020-1"}
