"""A frozen site in headless Chromium, opened from a disk with the network off."""

import json
import re
import shutil
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import irmeta
from irmeta.serve.catalogue import people, submissions, tables
from irmeta.serve.crew.child import Child
from irmeta.serve.operating import importing
from irmeta.serve.pages import publishing
from irmeta.serve.pages.forms import as_script
from irmeta.serve.results import answers
from irmeta.serve.site import Site
from irmeta.words import decimal_with_interval

from .conftest import a_run, application_of, on_a_port, work_off, write_qrels

webdriver = pytest.importorskip(
    "selenium.webdriver",
    reason="selenium is not installed (pip install -e '.[browser]')",
)
from selenium.common.exceptions import WebDriverException  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
HOSTILE = "<img src=x onerror=document.title='run'>"
LONG = "W" * 40


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    for program in ("chromium", "chromedriver"):
        if shutil.which(program) is None:
            pytest.skip(f"no {program} on the PATH (make browser installs it)")
    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(str(shutil.which("chromedriver")))
    driver = webdriver.Chrome(options=options, service=service)
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def frozen(first: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A frozen site with a hostile run that names a baseline."""
    folder = tmp_path_factory.mktemp("frozen")
    site = Site.open(Path(shutil.copytree(first, folder / "site")))
    engine = tables.open_catalogue(site.database)
    (folder / "run").write_bytes(a_run(77, 0.3))
    from irmeta.serve.operating.importing import copy_run

    content = copy_run(site, folder / "run")
    about = {"team": HOSTILE, "description": HOSTILE, "baseline": "r1"}
    about["link"] = f"https://example.org/{LONG}/{LONG}"
    submissions.submit(engine, "lab", LONG, content, received=1, about=about)
    work_off(site, engine)
    engine.dispose()
    publishing.freeze(site, folder / "frozen")
    return folder / "frozen"


def opened(browser: Any, path: Path) -> set[Path]:
    """Open a page, and return the files that it leads to; it must have no error."""
    browser.get(path.as_uri())
    links = browser.execute_script(
        "return [...document.querySelectorAll('a')].map(one => one.href)"
    )
    errors = [one for one in browser.get_log("browser") if one["level"] == "SEVERE"]
    assert errors == [], path
    found = set()
    for link in links:
        if LONG in link:  # the one that a person gave
            continue
        assert link.startswith("file://"), f"{path}: {link}"
        found.add(Path(unquote(urlsplit(link).path)))
    return found


def links_of(page: Path) -> set[Path]:
    """Return the files that a page leads to, as its text says."""
    links = re.findall(r'<a [^>]*?href="([^"]*)"', page.read_text())
    own = [unquote(unescape(one).partition("#")[0]) for one in links if LONG not in one]
    return {(page.parent / one).resolve() for one in own}


def test_every_link_leads_to_a_file(browser: Any, frozen: Path) -> None:
    """Every link leads to a file, and to every page leads one; the largest page of each kind has no error or script.

    From a disk its links lead where its text says.
    """
    leads = {page: links_of(page) for page in frozen.resolve().rglob("*.html")}
    assert all(one.is_file() for links in leads.values() for one in links)
    seen: set[Path] = set()
    waiting = {frozen.resolve() / "index.html"}
    while waiting:
        page = waiting.pop()
        seen.add(page)
        waiting |= leads.get(page, set()) - seen
    assert leads.keys() <= seen
    by_size = sorted(leads, key=lambda page: page.stat().st_size)
    kinds = {
        re.sub("(/s|/t|/team)/[^/]+/", r"\1/one/", str(one)): one for one in by_size
    }
    assert len(kinds) > 10
    for page in kinds.values():
        assert opened(browser, page) == leads[page]
        assert browser.title != "run"
        assert not browser.find_elements(By.CSS_SELECTOR, "img")


@pytest.mark.parametrize(
    ("width", "media"), [(360, "screen"), (718, "print"), (1100, "screen")]
)
def test_pages_fit_their_window(
    browser: Any, frozen: Path, width: int, media: str
) -> None:
    """No page is wider than a phone, a sheet of paper or a laptop, and no column or line is cut off, however long."""
    sized = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", sized)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media})
    runs = (frozen / "b/lab/s").glob("*/index.html")
    [run] = [page.parent for page in runs if f"<h1>{LONG}" in page.read_text()]
    names = ("", "t/", "t/1/", "compare/", "progress/", "about/", "changes/", "data/")
    for folder in (run, *(frozen / "b/lab" / name for name in names)):
        browser.get((folder / "index.html").as_uri())
        wide = browser.execute_script("return document.documentElement.scrollWidth")
        assert wide <= width, folder
        cut = browser.execute_script(
            """return [...document.querySelectorAll('.wide, pre')]
            .filter(one => one.scrollWidth > one.clientWidth).length"""
        )
        assert cut == 0, folder
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_two_runs_are_compared_as_irmeta_compares(browser: Any, frozen: Path) -> None:
    """The page that compares two runs says what versus says of them, over clusters of topics."""
    cube = irmeta.load(frozen / "b/lab/data/scores.parquet")
    found = irmeta.versus(cube, "r4", "r0", metrics="AP").squeeze()
    figures = (float(found[name]) for name in ("difference", "low", "high"))
    expected = decimal_with_interval(*figures, sign="+")
    browser.get((frozen / "b/lab/compare/index.html").as_uri())
    browser.execute_script(
        """const form = document.querySelector('form');
        [form.a.value, form.b.value, form.metric.value] = ['r4', 'r0', 'AP'];
        form.dispatchEvent(new Event('change'));"""
    )
    answer = browser.find_element(By.ID, "answer")
    WebDriverWait(browser, 30).until(lambda _: "by AP" in answer.text)
    assert expected in answer.text
    verdict = "is better than" if found["significant"] else "cannot be distinguished"
    assert answer.text.startswith(f"r4 {verdict}")
    alone = "by itself, not corrected for other pairs"
    assert (alone in answer.text) is bool(found["significant"])
    rows = browser.find_elements(By.CSS_SELECTOR, "#differences tbody tr")
    assert len(rows) == cube.sizes["topic"]


SCORES = {
    "continuous": lambda rng, of: rng.beta(1, 3, of),
    "tied": lambda rng, of: rng.integers(0, 5, of) / 4,
    "0 and 1": lambda rng, of: rng.integers(0, 2, of),
    "rarely 1": lambda rng, of: rng.random(of) < 0.1,
    "apart by as much": lambda rng, of: rng.random(of[1]) / 2 + [[0.0], [0.1], [0.3]],
}


@given(
    kind=st.sampled_from(list(SCORES)),
    lead=st.sampled_from([0.0, 0.3]),
    topics=st.integers(2, 60),
    size=st.integers(1, 4),
    seed=st.integers(0, 2**32),
)
@example(kind="apart by as much", lead=0.3, topics=6, size=3, seed=3978)
@settings(max_examples=40, deadline=None)
def test_any_two_are_compared_as_irmeta_compares(
    script: Any, kind: str, lead: float, topics: int, size: int, seed: int
) -> None:
    """Verdict and interval of the page are those of versus, for scores of any kind and clusters of any size."""
    rng = np.random.default_rng(seed)
    values = SCORES[kind](rng, (3, topics)).astype(float)
    raised = rng.random(topics) < lead  # the first is better on some
    values[0] = np.where(raised, values.max(axis=0), values[0])
    names = [str(at) for at in range(topics)]
    clusters = [str(at // size) for at in rng.permutation(topics)]
    if len(set(clusters)) < 2:
        clusters = names
    known = dict(zip(names, clusters, strict=True))
    vectors = {name: {"P@1": row} for name, row in zip("abc", values, strict=True)}
    cube = answers.score_cube("made", names, ["P@1"], vectors, known)
    found = irmeta.versus(cube, "a", correct="none").isel(metric=0)
    board = {**answers.comparison_facts(cube), "clusters": clusters}
    written = as_script("board = ", board).decode()
    rows = json.dumps(values.tolist())
    shown = script(f"{written} const [a, b, c] = {rows}; return {COMPARED};")
    for at, one in enumerate(shown):
        versus = found.isel(against=at)
        assert one["shown"] == versus["significant"].item()
        assert ("equal" in one["says"]) == (values[0] == values[at + 1]).all()
        assert ("better" in one["says"]) == (one["shown"] and one["of"][0] > 0)
        for ours, theirs in zip(("difference", "low", "high"), one["of"], strict=True):
            expected = versus[ours].item()
            assert (np.nan if theirs is None else theirs) == pytest.approx(
                expected, abs=1e-9, nan_ok=True
            )


COMPARED = """[b, c].map((other) => compared(a, other, "P@1")).map(
(one) => ({ shown: one.shown, says: verdict(one), of: [one.mean, one.low, one.high]
.map((one) => Number.isFinite(one) ? one : null) }))"""


@pytest.fixture(scope="module")
def script(browser: Any, frozen: Path) -> Any:
    """Run lines of script on the page that compares two runs."""
    browser.get((frozen / "b/lab/compare/index.html").as_uri())
    return browser.execute_script


def test_rows_are_found(browser: Any, frozen: Path) -> None:
    """The search on the table leaves the rows that have what was typed."""
    browser.get((frozen / "b/lab/index.html").as_uri())
    browser.find_element(By.CSS_SELECTOR, "input[type=search]").send_keys("R3")
    rows = browser.find_elements(By.CSS_SELECTOR, "#runs tbody tr")
    shown = [row.text for row in rows if row.is_displayed()]
    assert len(shown) == 1
    assert "r3" in shown[0]


def test_a_run_is_sent_by_a_form(browser: Any, tmp_path: Path, child: Child) -> None:
    """On a phone a member takes an invitation, and sends a run by the form of the team's page, which fits."""
    site = Site.make(tmp_path / "site")
    engine = tables.open_catalogue(site.database)
    qrels = write_qrels(tmp_path / "qrels.txt")
    importing.open_board(site, engine, "track", qrels=qrels, closes="2999-01-01")
    publishing.publish(site)
    secret = people.invite(engine, "track", "member", LONG)
    run = tmp_path / f"{LONG}.txt"
    run.write_bytes(a_run(1))
    sized = {"width": 360, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", sized)
    with on_a_port(application_of(site, engine, child)) as port:
        wait = WebDriverWait(browser, 20, ignored_exceptions=[WebDriverException])
        address = f"http://127.0.0.1:{port}"
        wait.until(lambda _: browser.get(f"{address}/i/#{secret}") is None)
        browser.find_element(By.TAG_NAME, "button").click()
        wait.until(lambda _: "a member of" in browser.page_source)
        browser.find_element(By.NAME, "name").send_keys("Ann")
        browser.find_element(By.TAG_NAME, "button").click()
        wait.until(lambda _: browser.current_url.endswith("/my/"))
        browser.get(f"{address}/my/b/track")
        browser.find_element(By.NAME, "run").send_keys(str(run))
        browser.find_element(By.CSS_SELECTOR, "form[enctype] button").click()
        wait.until(lambda _: browser.find_elements(By.NAME, "withdraw"))
        row = f"{LONG} accepted"  # once the child is there that checks it
        text = "return location.reload(), document.body.innerText"
        wait.until(lambda _: row in " ".join(browser.execute_script(text).split()))
        page = "document.documentElement"
        fits = f"return {page}.scrollWidth <= {page}.clientWidth"
        assert browser.execute_script(fits)
        browser.find_element(By.TAG_NAME, "summary").click()
        assert browser.find_element(By.NAME, "withdraw").is_displayed()
        assert browser.execute_script(fits)
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    engine.dispose()
    [kept] = site.folder.glob("runs/*/*")
    assert kept.read_bytes() == a_run(1)
