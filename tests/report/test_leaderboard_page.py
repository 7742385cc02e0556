"""The page of a leaderboard as it is written: what it holds, and that names from strangers stay text."""

import json
import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from irmeta.errors import FileFormatError
from irmeta.report.page.leaderboard import content, write_leaderboard
from irmeta.scores.cube import cube
from irmeta.studies.leaderboard import leaderboard

NAMES = [
    "<img src=x onerror=alert(1)>",
    "</script><script>window.pwned = 1</script>",
    "=HYPERLINK(1)",
    "javascript:alert(1)",
    "\"' onmouseover=alert(1) x='",
    "<!--",
    "{{ 7 * 7 }}",
    "__proto__",
    "x" * 500,
]


@pytest.fixture(scope="module")
def result() -> xr.Dataset:
    scores = np.random.default_rng(0).random((9, 6, 1))
    scores[0, 0] = np.nan
    tasks = [
        "</title><script>window.pwned = 2</script>",
        "-->",
        "=1+1",
        "constructor",
        "y" * 500,
        "nq",
    ]
    groups = dict.fromkeys(tasks[:3], "<b onclick=alert(1)>") | dict.fromkeys(
        tasks[3:], "qa"
    )
    return leaderboard(
        cube(scores, NAMES, tasks, ["score"]),
        holes="predict",
        types=groups,
        resamples=60,
    )


@pytest.fixture(scope="module")
def text(result: xr.Dataset, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("board")
    return write_leaderboard(
        result, folder / "one", title="<svg/onload=alert(1)>"
    ).read_text(encoding="utf-8")


def test_only_its_own_scripts_may_run(text: str) -> None:
    """The policy names the digests of the page's two scripts and allows no other, no network and no frame."""
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)[1].replace(
        "&#39;", "'"
    )
    scripts = re.findall(r"<script>(.*?)</script>", text, flags=re.DOTALL)
    digests = [
        f"'sha256-{b64encode(sha256(one.encode()).digest()).decode()}'"
        for one in scripts
    ]
    assert len(scripts) == 2
    assert f"script-src {' '.join(digests)};" in policy
    assert policy.startswith("default-src 'none'")


def test_names_are_text(text: str) -> None:
    """No name opens an element, in the heading, in findings or in the data."""
    assert "<h1>&lt;svg/onload=alert(1)&gt;</h1>" in text
    for name in ("<img", "<script>window", "<b onclick", "<svg"):
        assert name not in text
    held = json.loads(
        re.search(r'id="content">(.*?)</script>', text, flags=re.DOTALL)[1]
    )
    assert sorted(held["models"]) == sorted(NAMES)


def test_the_page_says_what_python_did(result: xr.Dataset) -> None:
    """Models stand in order of rank; scores, ranks and predicted holes are those of the result."""
    held = content(result)
    assert held["aggregates"][0]["rank"] == sorted(held["aggregates"][0]["rank"])
    at = held["models"].index(NAMES[0])
    assert list(held["filled"]) == [0]
    low, high = held["filled"][0][at]
    assert low < held["scores"][0][at] < high
    assert held["counts"][at] == 5


def test_the_page_explains_its_mark(text: str) -> None:
    """The key of the ranking says what the mark at a value of predicted scores means."""
    assert "~ the value contains predicted scores</span>" in text


def test_where_the_page_goes(result: xr.Dataset, tmp_path: Path) -> None:
    """The page is written over itself, never over another page or a file."""
    assert write_leaderboard(result, tmp_path / "a") == write_leaderboard(
        result, tmp_path / "a"
    )
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "index.html").write_text("<p>mine</p>")
    with pytest.raises(FileFormatError, match="a page without a list of its files"):
        write_leaderboard(result, tmp_path / "b")
    (tmp_path / "a" / "index.html").write_text("<p>changed</p>")
    with pytest.raises(FileFormatError, match="changed after the leaderboard wrote it"):
        write_leaderboard(result, tmp_path / "a")
    assert (tmp_path / "a" / "index.html").read_text() == "<p>changed</p>"
    (tmp_path / "c").write_text("")
    with pytest.raises(FileFormatError, match="is a file"):
        write_leaderboard(result, tmp_path / "c")
