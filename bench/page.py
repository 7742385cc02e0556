"""The page for 143 systems, 30 topics and 23 metrics: time to write it, its size, and time until it can be used."""

import os
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
import xarray as xr

from irmeta.io.formats.scores import load
from irmeta.metrics.signatures import SETS
from irmeta.parallel import watched_by
from irmeta.report.page.sections import SECTIONS
from irmeta.report.page.writing import write_report
from irmeta.scores.cube import cube

READY = """
const [time] = performance.getEntriesByType("navigation");
return [time.domContentLoadedEventEnd, +document.body.dataset.ready, document.querySelectorAll("figure svg").length];
"""


def simulated() -> xr.DataArray:
    """Make scores of that size where there is no score file (IRMETA_SCORES names one)."""
    rng = np.random.default_rng(0)
    shared = (
        rng.normal(size=(143, 1, 1))
        + 0.8 * rng.normal(size=(1, 30, 1))
        + 0.7 * rng.normal(size=(143, 30, 1))
    )
    scores = 1 / (1 + np.exp(1 - shared - 0.5 * rng.normal(size=(143, 30, 23))))
    return cube(
        scores,
        [f"s{i}" for i in range(143)],
        [f"t{i}" for i in range(30)],
        SETS["seeds23"],
    )


def steps(scores: xr.DataArray, folder: Path) -> Path:
    """Write the page, and print how long each kind of step took."""
    spent: dict[str, float] = {}
    last = ["", time.perf_counter()]

    def tick(what: str, done: int, _: int | None) -> None:
        if what != "sections of the page" and what != "files of panels":
            return
        now = time.perf_counter()
        kind = str(last[0])
        spent[kind] = spent.get(kind, 0.0) + now - float(last[1])
        step = (
            SECTIONS[done]
            if what.startswith("sections") and done < len(SECTIONS)
            else what
        )
        last[:] = [step, now]

    begin, cpu = time.perf_counter(), time.process_time()
    with watched_by(tick):
        page = write_report({"page": scores}, folder)
    for kind, seconds in sorted(spent.items(), key=lambda item: -item[1])[:6]:
        print(f"    {kind or 'reading'}: {seconds:.1f} s")
    wall, used = time.perf_counter() - begin, time.process_time() - cpu
    print(
        f"written in {wall:.1f} s, {used:.1f} s of processor time, on {os.cpu_count()} cores (aim 30 s on 2)"
    )
    return page


def opened(page: Path) -> None:
    """Open the page in headless Chromium and print when its scripts are done."""
    from selenium import webdriver
    from selenium.webdriver.support.ui import WebDriverWait

    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        print("no Chromium here: time to interaction not measured")
        return
    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for flag in (
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--window-size=1280,900",
    ):
        options.add_argument(flag)
    driver = webdriver.Chrome(
        options=options,
        service=webdriver.ChromeService(str(shutil.which("chromedriver"))),
    )
    try:
        for _ in range(3):
            driver.get(page.as_uri())
            WebDriverWait(driver, 30).until(
                lambda one: one.execute_script("return document.body.dataset.ready")
            )
            first, all_drawn, marks = driver.execute_script(READY)
            print(
                f"interactive after {first / 1e3:.2f} s, {marks} marks drawn after {all_drawn / 1e3:.2f} s (aim 2 s)"
            )
    finally:
        driver.quit()


def main() -> None:
    named = os.environ.get("IRMETA_SCORES")
    scores = load(named) if named else simulated()
    with tempfile.TemporaryDirectory() as folder:
        page = steps(scores, Path(folder) / "report")
        print(f"index.html: {page.stat().st_size / 1e6:.2f} MB (aim 8 MB)")
        opened(page)
