"""The page in headless Chromium, with the network off: what a reader sees, clicks and types."""

import json
import re
import shutil
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import xarray as xr
from scipy import stats

from irmeta.datasets.reference import reference_model
from irmeta.metrics.names import highest
from irmeta.report.forms import figure
from irmeta.report.page.leaderboard import write_leaderboard
from irmeta.report.page.writing import write_report
from irmeta.scores.cube import cube
from irmeta.scores.figures import short
from irmeta.studies.leaderboard.study import leaderboard
from irmeta.studies.prediction.predict.study import predict
from irmeta.studies.prediction.predict.typed import given

webdriver = pytest.importorskip(
    "selenium.webdriver",
    reason="selenium is not installed (pip install -e '.[browser]')",
)
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)
WIDTHS = {"phone": 390, "laptop": 1280, "projector": 1920}


PROGRAMS = ("chromium", "chromedriver")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    absent = [program for program in PROGRAMS if shutil.which(program) is None]
    if absent:
        pytest.skip(
            f"no {' and no '.join(absent)} on the PATH (make browser installs both)"
        )
    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for flag in (
        *FLAGS,
        f"--user-data-dir={tmp_path_factory.mktemp('profile')}",
        "--window-size=1280,900",
    ):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(str(shutil.which("chromedriver")))
    driver = webdriver.Chrome(options=options, service=service)
    yield driver
    driver.quit()


@pytest.fixture
def opened(browser: Any, page: Path) -> Any:
    """The page of one collection, just loaded, with every section open."""
    return load(browser, page)


def load(browser: Any, page: Path) -> Any:
    browser.get_log("browser")
    browser.get(page.as_uri())
    WebDriverWait(browser, 20).until(
        lambda driver: driver.find_element(By.CSS_SELECTOR, "body[data-ready]")
    )
    browser.execute_script(
        "document.querySelectorAll('details').forEach((one) => (one.open = true))"
    )
    return browser


def all_of(driver: Any, selector: str) -> list[Any]:
    return driver.find_elements(By.CSS_SELECTOR, selector)


def click(driver: Any, selector: str) -> None:
    driver.execute_script("document.querySelector(arguments[0]).click()", selector)


def column(driver: Any, panel: str, at: int) -> list[str]:
    """Give the cells of a column of a panel's first table."""
    return driver.execute_script(
        "return [...document.querySelectorAll(`#${arguments[0]} details.data:first-of-type tbody tr`)]"
        ".map((row) => row.children[arguments[1]].textContent)",
        panel,
        at,
    )


def test_the_page_loads_offline_without_an_error(
    browser: Any, page: Path, page_of_three: Path
) -> None:
    """With the network off every section is drawn, nothing is asked for, and the console stays empty."""
    for one in (page, page_of_three):
        driver = load(browser, one)
        titles = [
            section.get_attribute("aria-labelledby")
            for section in all_of(driver, "main > section")
        ]
        assert len(titles) == (11 if one is page else 13)
        for title in titles:
            assert driver.find_element(By.ID, title).text
        for panel in all_of(driver, "main > section .panel:not([hidden])"):
            assert panel.find_elements(By.CSS_SELECTOR, ".canvas svg, .board tr")
        assert (
            driver.execute_script(
                "return performance.getEntriesByType('resource').map((one) => one.name)"
            )
            == []
        )
        assert [entry["message"] for entry in driver.get_log("browser")] == []


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_fits_its_window(
    browser: Any, page: Path, width: int, theme: str
) -> None:
    """From a phone to a projector nothing sticks out sideways, and the reader's wish for dark or light is followed."""
    screen = {
        "width": width,
        "height": 900,
        "deviceScaleFactor": 1,
        "mobile": width < 500,
    }
    wish = [{"name": "prefers-color-scheme", "value": theme}]
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": wish})
    try:
        driver = load(browser, page)
        assert driver.execute_script("return innerWidth") == width
        assert (
            driver.execute_script(
                "const page = document.documentElement; return page.scrollWidth - page.clientWidth"
            )
            == 0
        )
        light = driver.execute_script(
            "return getComputedStyle(document.body).backgroundColor"
        )
        assert (sum(map(int, light[4:-1].split(","))) < 150) == (theme == "dark")
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_no_number_of_the_leaderboard_is_cut_on_a_phone(
    browser: Any, page: Path
) -> None:
    """Rank, system, its mean and its possible ranks stand whole in the window; the rest waits for a press."""
    screen = {"width": 400, "height": 900, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    try:
        driver = load(browser, page)
        seen = """
            const board = document.querySelector(".board");
            const edge = board.querySelector(".scroller").getBoundingClientRect().right;
            const cells = [...board.querySelectorAll("th, td")].filter((one) => one.offsetWidth);
            const ends = cells.map((one) => one.getBoundingClientRect().right);
            return [cells.length / board.querySelectorAll("tr").length, Math.max(...ends) <= edge];
        """
        assert driver.execute_script(seen) == [4, True]
        click(driver, ".widen")
        columns, _ = driver.execute_script(seen)
        assert columns == len(driver.find_elements(By.CSS_SELECTOR, ".board thead th"))
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


CASES = (
    "P@10=0.43 RR=0.61",
    "AP@1000=0.25",
    "AP@1000=0 P@10=1",
    "nDCG@10=0.512 R@1000=0.7 RBP(p=0.95,rel=1)=0.33 Bpref=0.21 ERR(max_rel=4)@20=0.2",
    "P@1000=0.9 RR=0.01",
    "P@10=0.4 P@20=0.35 P@100=0.2 AP@10=0.05 AP@20=0.07 AP@100=0.15 R@10=0.08 R@20=0.1 R@100=0.3",
)


@pytest.mark.parametrize("reported", CASES)
def test_the_calculator_gives_what_python_gives(opened: Any, reported: str) -> None:
    """Value, interval, distance and warning of every other metric are those of irmeta.predict.apply, at every level."""
    for level in (0.5, 0.9, 0.99):
        typed = given(reported).isel(system=0, topic=0).to_series().to_dict()
        shown = opened.execute_script(TYPE, typed, level)
        expected = predict(given(reported), level=level)
        assert {name for name, cell in shown.items() if cell} == {
            str(name) for name in expected.target.values
        }
        for target in expected.target.values:
            one, cell = expected.isel(system=0).sel(target=target), shown[target]
            for name in ("value", "low", "high", "distance"):
                assert cell[name] == pytest.approx(
                    one[name].item(), rel=1e-9, abs=1e-12
                ), (target, name)
            assert cell["outside"] == bool(one["outside"].item())


TYPE = """
const [scores, level] = arguments, select = document.getElementById("calculator-level");
select.value = String(level);
document.querySelectorAll("#calculation input").forEach((input) => {
  input.value = scores[input.dataset.metric] ?? "";
  input.dispatchEvent(new Event("input", { bubbles: true }));
});
select.dispatchEvent(new Event("change", { bubbles: true }));
return Object.fromEntries([...document.querySelectorAll("#calculation .row")].map((row) =>
  [row.querySelector("input").dataset.metric, JSON.parse(row.querySelector("output").dataset.value)]));
"""


def test_the_calculator_reads_what_is_typed(opened: Any) -> None:
    """A typed score is taken as reported; one above 1 is refused in words and not used."""
    click(opened, "#calculator-clear")
    field = opened.find_element(By.ID, "score-P@10")
    field.send_keys("0.43")
    status = opened.find_element(By.CSS_SELECTOR, "#calculation .status")
    assert (
        status.text == f"{len(reference_model().metrics) - 1} metrics predicted from 1."
    )
    assert (
        opened.find_element(By.CSS_SELECTOR, "output[for='score-P@10']").text
        == "reported"
    )
    expected = predict(given("P@10=0.43"), want=["RR"]).squeeze()
    shown = opened.find_element(By.CSS_SELECTOR, "output[for='score-RR']").text
    assert shown.split()[0] == figure(expected["value"].item())
    field.clear()
    field.send_keys("43")
    assert "P@10: a score lies between 0 and 1" in status.text
    assert field.get_attribute("aria-invalid") == "true"


def test_the_calculator_starts_from_a_system(browser: Any, page_of_three: Path) -> None:
    """A system of the page fills in the scores that the section predicts from, until something is typed."""
    opened = load(browser, page_of_three)
    systems = opened.execute_script("return content.calculator.systems")
    assert list(systems) == ["first", "second", "third"]
    choice = opened.find_element(By.ID, "calculator-system")
    groups = all_of(opened, "#calculator-system optgroup")
    assert [one.get_attribute("label") for one in groups] == list(systems)
    option = groups[1].find_elements(By.TAG_NAME, "option")[3]
    reported = systems["second"][option.text]
    option.click()
    shown = {
        field.get_attribute("data-metric"): float(field.get_attribute("value"))
        for field in all_of(opened, "#calculation input")
        if field.get_attribute("value")
    }
    assert shown == reported
    typed = " ".join(f"{name}={score}" for name, score in reported.items())
    command = opened.find_element(By.ID, "calculator-command")
    assert f"--given '{typed}'" in command.get_attribute("textContent")
    assert choice.get_attribute("value") != ""
    opened.find_element(By.ID, f"score-{next(iter(reported))}").send_keys("1")
    assert choice.get_attribute("value") == ""


def test_the_model_on_the_page_is_the_reference_model(opened: Any) -> None:
    """The page has the metrics of the reference model, with the largest value of each."""
    metrics = opened.execute_script("return content.calculator.metrics")
    assert {one["name"]: one["highest"] for one in metrics} == {
        name: highest(name) for name in reference_model().metrics
    }


def test_tables_sort_and_filter(opened: Any) -> None:
    """A click on a head sorts by it, numbers from high to low first; words keep the rows that have them all."""
    values = [
        float(value.replace("−", "-")) for value in column(opened, "agreement-0", 2)
    ]
    head = "#agreement-0 .table thead th:nth-child(3)"
    click(opened, f"{head} button")
    assert [float(value) for value in column(opened, "agreement-0", 2)] == sorted(
        values, reverse=True
    )
    assert (
        opened.find_element(By.CSS_SELECTOR, head).get_attribute("aria-sort")
        == "descending"
    )
    click(opened, f"{head} button")
    assert [float(value) for value in column(opened, "agreement-0", 2)] == sorted(
        values
    )
    opened.find_element(By.CSS_SELECTOR, "#agreement-0 input[type=search]").send_keys(
        "rr ndcg"
    )
    assert column(opened, "agreement-0", 0) == ["nDCG@10"]
    assert column(opened, "agreement-0", 1) == ["RR"]


def test_what_is_saved_is_what_is_shown(opened: Any) -> None:
    """Tables and leaderboard are saved without the rows and metrics that are not shown, as CSV and as LaTeX."""
    opened.execute_script("window.saved = []; save = (text) => window.saved.push(text)")
    opened.find_element(By.CSS_SELECTOR, "#agreement-0 input[type=search]").send_keys(
        "rr ndcg"
    )
    for kind in (".csv", ".latex"):
        click(opened, f"#agreement-0 .table {kind}")
    opened.find_element(By.CSS_SELECTOR, ".board input").send_keys("system 3")
    for kind in (".csv", ".latex"):
        click(opened, f".board {kind}")
    csv, latex, board, board_latex = opened.execute_script("return window.saved")
    assert [line.split(",")[:2] for line in csv.splitlines()[1:]] == [["nDCG@10", "RR"]]
    assert latex.count("nDCG@10 & RR") == 1
    assert len(board.splitlines()) == 2
    assert board.startswith("Rank by AP@1000,System,AP@1000,Possible ranks,Letters,")
    assert "system 3 &" in board_latex
    assert "system 4" not in board_latex


def test_a_link_shows_what_was_shown(opened: Any) -> None:
    """Sorting, filters, chosen systems, tabs and theme stand in the address, and come back with it."""
    click(opened, ".board thead th:nth-child(6) button")
    opened.find_element(By.CSS_SELECTOR, ".board input").send_keys("system")
    click(opened, ".board tbody tr:nth-child(2) .pick")
    click(opened, "#agreement-tab-1")
    click(opened, "#theme")

    def seen() -> list[Any]:
        parts = (
            ".board .status",
            ".board [aria-sort]",
            ".versus .said",
            "[role=tab][aria-selected=true]",
        )
        shown = [
            opened.find_element(By.CSS_SELECTOR, part).get_attribute("textContent")
            for part in parts
        ]
        return [
            *shown,
            opened.execute_script("return document.documentElement.dataset.theme"),
        ]

    before = seen()
    opened.get(opened.current_url)
    opened.refresh()
    WebDriverWait(opened, 20).until(
        lambda driver: driver.find_element(By.CSS_SELECTOR, "body[data-ready]")
    )
    assert seen() == before
    assert opened.get_log("browser") == []


def test_two_systems_are_compared_topic_by_topic(
    opened: Any, scores: xr.DataArray
) -> None:
    """Two clicks give the difference of two systems, its 95% interval and p as SciPy has them, and its bars."""
    for name in ("system 2", "system 5"):
        script = "[...document.querySelectorAll('.pick')].find((one) => one.textContent === arguments[0]).click()"
        opened.execute_script(script, name)
    said = opened.find_element(By.CSS_SELECTOR, ".versus .said").text
    one, other = (
        scores.sel(metric="AP@1000", system=name).values
        for name in ("system 2", "system 5")
    )
    found = one - other
    low, high = stats.ttest_rel(one, other).confidence_interval()
    interval = " to ".join(short(end, 3) for end in (low, high)).replace(
        "-", "\N{MINUS SIGN}"
    )
    assert short(abs(found.mean()), 3) in said
    assert f"95% interval {interval};" in said
    p = stats.ttest_rel(one, other).pvalue
    assert (", no significant difference" in said) is bool(p >= 0.05)
    assert float(re.search(r"p = ([.\d]+)", said)[1]) == pytest.approx(p, abs=2e-4)
    assert f"better on {int((found > 0).sum())} topics" in said
    assert len(all_of(opened, ".versus rect")) == 12


def test_two_that_differ_by_themselves_alone_are_told_so(
    opened: Any, scores: xr.DataArray
) -> None:
    """Two systems whose own test is significant and who share a letter differ no more among all pairs."""
    letters = opened.execute_script(
        "return [...document.querySelectorAll('.board tbody tr')].map((row) => "
        "[row.querySelector('.pick').textContent, row.querySelector('td.text').textContent])"
    )
    choose = """
    const picks = [...document.querySelectorAll('.pick')];
    const named = (name) => picks.find((one) => one.textContent === name);
    picks.filter((one) => one.ariaPressed === 'true').forEach((one) => one.click());
    [...arguments].forEach((name) => named(name).click());
    return document.querySelector('.versus .said').textContent;
    """
    told = []
    for (one, mine), (other, theirs) in combinations(letters, 2):
        pair = (
            scores.sel(metric="AP@1000", system=name).values for name in (one, other)
        )
        shared = set(mine.replace("\N{EN DASH}", "")) & set(theirs)
        expected = bool(shared and stats.ttest_rel(*pair).pvalue < 0.05)
        told.append(expected)
        said = opened.execute_script(choose, one, other)
        assert ("not significant among all pairs" in said) is expected
    assert any(told)


def test_a_page_opens_on_the_systems_to_mark(
    browser: Any, scores: xr.DataArray, tmp_path: Path
) -> None:
    """The first system named is compared with the second, whichever of them is better."""
    named = (
        scores.mean("topic")
        .sel(metric="AP@1000")
        .sortby(scores.mean("topic").sel(metric="AP@1000"))
    )
    last, best = (str(named.system.values[at]) for at in (0, -1))
    page = write_report({"made": scores}, tmp_path / "r", highlight=[last, best], rng=5)
    browser.get(page.as_uri())
    said = browser.find_element(By.CSS_SELECTOR, ".versus .said").text
    assert said.startswith(f"By AP@1000, {last} scores ")
    assert f" less than {best} " in said


def test_the_highlighted_system_is_selected(
    browser: Any, scores: xr.DataArray, tmp_path: Path
) -> None:
    """The page says that the system of --highlight is selected; the next click compares another with it."""
    page = write_report({"made": scores}, tmp_path / "r", highlight="system 2", rng=5)
    browser.get(page.as_uri())
    compared = browser.find_element(By.CSS_SELECTOR, ".versus")
    assert "system 2 is selected: choose another to compare them." in compared.text
    script = "[...document.querySelectorAll('.pick')].find((one) => one.textContent === 'system 5').click()"
    browser.execute_script(script)
    assert "system 2 scores " in compared.text
    assert "is selected" not in compared.text


def test_marks_are_read_out(opened: Any, scores: xr.DataArray) -> None:
    """A finger on a cell of the heat map gets what it stands for, and its correlation as NumPy has it."""
    tap = """
    const figure = document.getElementById("agreement-topic-level-heatmap");
    const marks = marksOf(content.marks[figure.id]);
    const mark = marks.find((one) => one.name === arguments[0]);
    const svg = figure.querySelector("svg"), box = svg.getBoundingClientRect();
    const scale = box.width / svg.viewBox.baseVal.width;
    svg.dispatchEvent(new PointerEvent("pointerdown", {
      bubbles: true, pointerType: "touch", clientX: box.left + mark.x * scale, clientY: box.top + mark.y * scale,
    }));
    return figure.querySelector(".readout").textContent;
    """
    said = opened.execute_script(tap, "P@10, RR")
    r = np.corrcoef(
        scores.sel(metric="P@10").values.ravel(), scores.sel(metric="RR").values.ravel()
    )[0, 1]
    assert said == f"P@10, RR: {short(r, 3)}"


def test_charts_and_tabs_work_by_keyboard(opened: Any) -> None:
    """Arrow keys move through a picture's marks and through tabs, and what they reach is said."""
    picture = opened.find_element(By.CSS_SELECTOR, "#agreement-0 figure svg")
    opened.execute_script("arguments[0].focus()", picture)
    readout = opened.find_element(By.CSS_SELECTOR, "#agreement-0 .readout")
    picture.send_keys(Keys.ARROW_RIGHT)
    first = readout.text
    picture.send_keys(Keys.ARROW_RIGHT)
    assert first != readout.text
    assert ", " in readout.text
    tab = opened.find_element(By.ID, "agreement-tab-0")
    opened.execute_script("arguments[0].focus()", tab)
    tab.send_keys(Keys.ARROW_RIGHT)
    assert opened.find_element(By.ID, "agreement-1").is_displayed()
    assert not opened.find_element(By.ID, "agreement-0").is_displayed()
    assert opened.switch_to.active_element.get_attribute("id") == "agreement-tab-1"


@pytest.mark.parametrize("width", [400, 700, 1280, 1680])
def test_every_link_of_the_navigation_can_be_seen(
    browser: Any, page_of_three: Path, width: int
) -> None:
    """At every width each link to a section lies within the window, and so does the page."""
    browser.set_window_size(width, 900)
    try:
        driver = load(browser, page_of_three)
        ends = "return [...document.querySelectorAll('.top nav a')].map((one) => one.getBoundingClientRect().right)"
        room = driver.execute_script("return document.documentElement.clientWidth")
        assert all(0 < end <= room for end in driver.execute_script(ends))
        assert (
            driver.execute_script("return document.documentElement.scrollWidth") <= room
        )
    finally:
        browser.set_window_size(1280, 900)


def test_a_screen_reader_has_words_for_everything(opened: Any) -> None:
    """Pictures have alternative texts, tables heads and captions, fields labels, and headings leave out no level."""
    assert all(one.get_attribute("aria-label") for one in all_of(opened, "svg"))
    for table in all_of(opened, "table"):
        assert table.find_elements(By.CSS_SELECTOR, "thead th[scope=col]")
        assert table.find_element(By.CSS_SELECTOR, "caption").get_attribute(
            "textContent"
        )
    unnamed = opened.execute_script(
        "return [...document.querySelectorAll('input, select, button')].filter((one) => !one.labels?.length"
        " && !one.getAttribute('aria-label') && !one.textContent.trim()).map((one) => one.outerHTML)"
    )
    assert unnamed == []
    assert [one.tag_name for one in all_of(opened, "h1, h2, h3")] == [
        "h1",
        *["h2"] * 11,
    ]


def test_a_figure_is_saved_as_it_is_drawn(
    opened: Any, page: Path, tmp_path: Path
) -> None:
    """The SVG button saves the drawing as a file of its own."""
    opened.execute_cdp_cmd(
        "Browser.setDownloadBehavior",
        {"behavior": "allow", "downloadPath": str(tmp_path)},
    )
    click(opened, "#systems-means .save")
    saved = tmp_path / "systems-means.svg"
    WebDriverWait(opened, 20).until(lambda _: saved.is_file())
    ours = ElementTree.parse(page.parent / "figures/systems-means.svg")

    def places(tree: Any) -> list[Any]:
        found = tree.getroot().iter("{http://www.w3.org/2000/svg}use")
        return [(one.get("x"), one.get("y")) for one in found]

    assert places(ElementTree.parse(saved)) == places(ours)


def test_what_is_pressed_is_large_enough(opened: Any) -> None:
    """On a phone all that is pressed, but for links in text, is at least 24 pixels high."""
    screen = {"width": 400, "height": 900, "deviceScaleFactor": 1, "mobile": True}
    opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    try:
        low = opened.execute_script(
            "return [...document.querySelectorAll('button, a, summary, input, select')]"
            ".filter((one) => !one.closest('p, li:not(nav li)'))"
            ".filter((one) => { const height = one.getBoundingClientRect().height; return height && height < 24; })"
            ".map((one) => one.outerHTML)"
        )
        assert low == []
    finally:
        opened.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_plot_that_is_cut_fades(opened: Any) -> None:
    """On a phone plots that are wider than the window fade at the right, so that it is seen that they scroll."""
    screen = {"width": 400, "height": 900, "deviceScaleFactor": 1, "mobile": True}
    opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    try:
        fades = opened.execute_script(
            "return [...document.querySelectorAll('.chart[id] .canvas')]"
            ".filter((one) => one.scrollWidth > one.clientWidth)"
            ".map((one) => getComputedStyle(one, '::after').width)"
        )
        assert set(fades) == {"32px"}
    finally:
        opened.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_theme_is_switched(opened: Any) -> None:
    """The button turns dark to light and back, and says so."""
    pressed = [opened.find_element(By.ID, "theme").get_attribute("aria-pressed")]
    for _ in range(2):
        click(opened, "#theme")
        pressed.append(
            opened.find_element(By.ID, "theme").get_attribute("aria-pressed")
        )
    assert pressed == ["false", "true", "false"]
    assert json.loads(
        opened.execute_script("return JSON.stringify(document.documentElement.dataset)")
    ) == {"theme": "light"}


HOSTILE = [
    "<img src=x onerror='window.pwned = 1'>",
    "</script><script>window.pwned = 2</script>",
    "=HYPERLINK(1)",
    "x" * 500,
    *(f"org/embedding-model-instruct-large-{i}" for i in range(146)),
]


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a leaderboard of 150 models, four of them with hostile names, on 8 tasks, without holes."""
    scores = np.random.default_rng(1).random((150, 8, 1)).round(3)
    groups = {f"task {i}": "ab"[i % 2] for i in range(8)}
    table = cube(scores, HOSTILE, list(groups), ["score"], collection="board")
    result = leaderboard(table, types=groups, resamples=60)
    return write_leaderboard(
        result,
        tmp_path_factory.mktemp("board"),
        title="<svg/onload='window.pwned = 3'>",
    )


@pytest.fixture
def ranking(browser: Any, board: Path) -> Any:
    browser.get_log("browser")
    browser.get("about:blank")
    browser.get(board.as_uri())
    WebDriverWait(browser, 20).until(
        lambda driver: driver.find_element(By.CSS_SELECTOR, "body[data-ready]")
    )
    return browser


def cells(driver: Any, at: int) -> list[str]:
    """Give a column of the ranking."""
    return driver.execute_script(
        "return [...document.querySelectorAll('#rows tr')].map((row) => row.children[arguments[0]].textContent)",
        at,
    )


def test_nothing_of_strangers_runs(ranking: Any) -> None:
    """Names are shown as text, nothing in them runs, and the console has no complaint."""
    for name in HOSTILE[:4]:
        ranking.execute_script("openModel(models.indexOf(arguments[0]))", name)
        assert (
            ranking.find_element(By.ID, "model-name").get_property("textContent")
            == name
        )
    assert ranking.execute_script("return window.pwned ?? null") is None
    assert ranking.get_log("browser") == []
    assert "'=HYPERLINK(1)" in ranking.execute_script("return boardCsv()")


def test_the_ranking_sorts_and_finds(ranking: Any) -> None:
    """The table shows the first hundred, all on demand, those found, and sorts by any column; the address says so."""
    assert len(cells(ranking, 0)) == 100
    click(ranking, "#more")
    assert len(cells(ranking, 0)) == 150
    click(ranking, "#heads th:nth-child(2) button")
    shown = [name for name in cells(ranking, 1) if name.startswith("org/")]
    assert shown == sorted(shown, key=lambda name: int(name.rpartition("-")[2]))
    ranking.find_element(By.ID, "find").send_keys("large-77")
    assert cells(ranking, 1) == ["org/embedding-model-instruct-large-77"]
    assert "find=large-77" in ranking.execute_script("return location.hash")


def test_tasks_switched_off(ranking: Any, board: Path) -> None:
    """With tasks off, means and ranks are those of the tasks left, rank sets vanish, and the page says why."""
    scores = np.random.default_rng(1).random((150, 8, 1)).round(3)[:, :, 0]
    ranking.execute_script("document.querySelectorAll('#boxes input')[0].click()")
    first = ranking.execute_script("return tasks[0].name")
    left = [i for i in range(8) if f"task {i}" != first]
    mean = scores[:, left].mean(axis=1)
    best = HOSTILE[int(mean.argmax())]
    assert cells(ranking, 1)[0] == best[:300]
    assert float(cells(ranking, 3)[0]) == pytest.approx(mean.max(), abs=5e-4)
    assert set(cells(ranking, 2)) == {"–"}
    assert set(cells(ranking, 4)) == {"7"}
    banner = ranking.find_element(By.ID, "banner").text
    assert "7 of 8 tasks" in banner
    assert f"--topics '{','.join(f'task {i}' for i in left)}'" in banner
    ranking.execute_script(
        "byId('aggregate').value = 'borda'; byId('aggregate').dispatchEvent(new Event('change'))"
    )
    votes = (149 - (scores[:, None, left] < scores[None, :, left]).sum(axis=1)).sum(
        axis=1
    )
    ties = ((scores[:, None, left] == scores[None, :, left]).sum(axis=1) - 1).sum(
        axis=1
    )
    assert float(cells(ranking, 3)[0]) == pytest.approx(
        (votes - ties / 2).max(), abs=0.06
    )


def test_a_model_without_the_tasks_left_has_no_rank(
    browser: Any, tmp_path: Path
) -> None:
    """Predictions alone give no rank by the mean or by Borda: such a model stands last."""
    scores = np.random.default_rng(1).random((6, 8, 1))
    scores[0] += 1
    scores[0, :4] = np.nan
    table = cube(scores, list("abcdef"), [f"task {i}" for i in range(8)], ["score"])
    made = leaderboard(table, holes="predict", resamples=60)
    load(browser, write_leaderboard(made, tmp_path))
    for box in range(4, 8):
        browser.execute_script(
            f"document.querySelectorAll('#boxes input')[{box}].click()"
        )
    for kind in ("mean", "borda"):
        browser.execute_script(
            f"byId('aggregate').value = '{kind}'; byId('aggregate').dispatchEvent(new Event('change'))"
        )
        assert [cells(browser, at)[-1] for at in (0, 1, 3)] == ["–", "a", "–"]
        assert "–" not in cells(browser, 0)[:5]


def test_what_is_known_of_models_stays_in_its_column(
    browser: Any, tmp_path: Path
) -> None:
    """A long word of --about is broken in its column; models of which it says nothing come last whichever way.

    Many columns leave the rank sets wide enough to read.
    """
    scores = np.random.default_rng(1).random((4, 8, 1))
    table = cube(scores, list("abcd"), [f"task {i}" for i in range(8)], ["score"])
    about = {"a": {"team": "BioinformaticsUniversity", "kind": "feedback"}}
    sizes = {"a": "0.6B", "b": "7B", "c": "33M"}
    about = {
        name: {"size": size, **dict.fromkeys("uvwxyz", "MIT"), **about.get(name, {})}
        for name, size in sizes.items()
    }
    page = write_leaderboard(leaderboard(table, resamples=60), tmp_path, about=about)
    load(browser, page)
    click(browser, ".c-fact button")
    assert cells(browser, 5) == ["33M", "0.6B", "7B", "–"]
    click(browser, ".c-fact button")
    assert cells(browser, 5) == ["7B", "0.6B", "33M", "–"]
    assert not browser.execute_script(
        "return [...document.querySelectorAll('#rows td.fact')]"
        ".filter((fact) => fact.scrollWidth > fact.clientWidth).length"
    )
    ranks = browser.find_element(By.CSS_SELECTOR, "#heads .c-ranks")
    assert ranks.rect["width"] > 200


def test_six_facts_of_models_fit_a_laptop(browser: Any, tmp_path: Path) -> None:
    """The last column of --about is not cut, and a heading of twelve letters is not broken."""
    scores = np.random.default_rng(1).random((3, 8, 1))
    table = cube(scores, list("abc"), [f"task {i}" for i in range(8)], ["score"])
    facts = ["size", "licence", "date", "organisation", "dimensions", "languages"]
    about = {name: dict.fromkeys(facts, "2024-02-01") for name in "abc"}
    page = write_leaderboard(leaderboard(table, resamples=60), tmp_path, about=about)
    load(browser, page)
    assert browser.execute_script(
        "const { clientWidth, scrollWidth } = document.querySelector('.scroller:has(#board)');"
        "const heights = [...document.querySelectorAll('.c-fact button')].map((one) => one.offsetHeight);"
        "return scrollWidth <= clientWidth && new Set(heights).size === 1"
    )


@pytest.mark.parametrize("width", [390, 1280])
def test_the_name_of_a_metric_is_not_broken(
    browser: Any, tmp_path: Path, width: int
) -> None:
    """The heading of the values has the aggregate on one line, and the metric on the next."""
    scores = np.random.default_rng(1).random((3, 8, 1))
    tasks = [f"task {i}" for i in range(8)]
    table = cube(scores, ["a", "b", "c"], tasks, ["nDCG@20"])
    page = write_leaderboard(leaderboard(table, resamples=60), tmp_path)
    screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    try:
        load(browser, page)
        tops = browser.execute_script(
            "const range = document.createRange();"
            "range.selectNodeContents(document.querySelector('th.c-value button').firstChild);"
            "return [...range.getClientRects()].map((line) => line.top)"
        )
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert len(tops) == 2


def test_a_model_opens_by_keyboard(ranking: Any) -> None:
    """Enter on a model opens its tasks, strongest first, Escape closes them, and the focus goes back."""
    button = ranking.find_element(By.CSS_SELECTOR, "#rows tr:nth-child(2) button")
    button.send_keys(Keys.ENTER)
    assert ranking.execute_script("return document.getElementById('model').open")
    assert len(all_of(ranking, "#model tbody tr")) == 8
    shares = [
        float(one.get_attribute("style").split(":")[1].strip(" %;"))
        for one in all_of(ranking, ".share span")
    ]
    assert shares == sorted(shares, reverse=True)
    ranking.switch_to.active_element.send_keys(Keys.ESCAPE)
    assert not ranking.execute_script("return document.getElementById('model').open")
    assert ranking.switch_to.active_element == button


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
def test_the_ranking_fits_its_window(browser: Any, board: Path, width: int) -> None:
    """From a phone to a projector neither the page of a leaderboard nor a model's tasks stick out; no name is cut."""
    screen = {
        "width": width,
        "height": 900,
        "deviceScaleFactor": 1,
        "mobile": width < 500,
    }
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    try:
        browser.get("about:blank")
        browser.get(board.as_uri())
        assert (
            browser.execute_script(
                "const page = document.documentElement; return page.scrollWidth - page.clientWidth"
            )
            == 0
        )
        assert not browser.execute_script(
            "return [...document.querySelectorAll('#rows th button')]"
            ".filter((name) => name.textContent.length < 60 && "
            "(name.scrollWidth > name.clientWidth || name.scrollHeight > name.clientHeight))"
            ".map((name) => name.textContent)"
        )
        click(browser, "#rows th button")
        beyond, share = browser.execute_script(
            "const table = document.querySelector('#model .scroller');"
            "const task = table.querySelector('tbody th');"
            "return [table.scrollWidth - table.clientWidth, task.offsetWidth / table.clientWidth]"
        )
        assert beyond == 0
        assert share > 0.35
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
