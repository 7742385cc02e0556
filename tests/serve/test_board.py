"""Runs through the door of a server, to pages and data."""

import csv
import gzip
import hashlib
import io

import numpy as np
import pytest

import irmeta
from irmeta.cli.showing.serve import _gate
from irmeta.io.formats.nights import read_nights
from irmeta.serve.client import Server
from irmeta.serve.results.answers import STANDING

from .conftest import TOPICS, Served, a_run, write_qrels


def test_runs_are_checked_scored_and_shown(served: Served, tmp_path) -> None:
    """Runs sent over HTTP have the scores, intervals, ranks and percentiles that irmeta gives for the same files."""
    skills = {"a": 0.1, "b": 0.3, "c": 0.5, "d": 0.9}
    folder = tmp_path / "runs"
    folder.mkdir()
    keys = {}
    for seed, (name, skill) in enumerate(skills.items()):
        body = a_run(seed, skill)
        (folder / name).write_bytes(body)
        packed = gzip.compress(body) if seed % 2 else body
        answer = served.put(name, packed, baseline="a" if name == "d" else "")
        assert answer.status_code == 201
        keys[name] = answer.json()["key"]
        served.shown(keys[name])
    records = {name: served.shown(key) for name, key in keys.items()}

    qrels = write_qrels(tmp_path / "qrels.txt")
    cube = irmeta.evaluate(qrels, folder, "nDCG@10 AP P@10 Judged@10")
    expected = irmeta.describe(cube, by="nDCG@10")
    factors = irmeta.standardize.fit(cube.sel(metric=["nDCG@10"]))
    place = irmeta.place(cube, on=factors, metrics="nDCG@10")
    places = {str(name): at for at, name in enumerate(place.system.values)}
    for name, record in records.items():
        one = expected.sel(system=name)
        for metric, scores in record["scores"].items():
            for figure in ("mean", "low", "high"):
                wanted = float(one[figure].sel(metric=metric))
                assert scores[figure] == pytest.approx(wanted, abs=1e-12)
        for figure in ("rank", "rank_low", "rank_high"):
            assert record[figure] == int(one[figure].sel(metric="nDCG@10"))
        for figure, of_place in STANDING.items():
            wanted = float(place[of_place].values[places[name], 0])
            assert record["standing"][figure] == pytest.approx(wanted, abs=1e-12)
    versus = irmeta.versus(cube, "d", "a", metrics="nDCG@10")
    claim = records["d"]["claim"]
    assert claim["name"] == "a"
    for figure in ("difference", "low", "high"):
        assert claim[figure] == pytest.approx(versus[figure].item(), abs=1e-12)
    assert claim["shown"] == versus["significant"].item()
    told = served.client.get(f"/b/lab/s/{records['d']['key']}/").text
    ends = f"{claim['low']:+.3f} to {claim['high']:+.3f}"
    assert ends.replace("0.", ".") in told

    def table() -> list[dict[str, str]]:
        text = served.get("/b/lab/data/table.csv").text
        return list(csv.DictReader(io.StringIO(text)))

    served.wait(lambda: len(table()) == len(skills))  # tables follow the pages of runs
    assert [row["run"] for row in table()] == sorted(
        skills, key=lambda name: -records[name]["scores"]["nDCG@10"]["mean"]
    )
    path = tmp_path / "scores.parquet"
    path.write_bytes(served.get("/b/lab/data/scores.parquet").content)
    np.testing.assert_array_equal(
        irmeta.load(path).sel(system=list(skills)).values,
        cube.sel(system=list(skills)).values,
    )


def test_the_same_bytes_are_the_same_submission(served: Served) -> None:
    """The same bytes under a name are no second submission; other bytes need to replace, and the old page stays."""
    first = served.put("twice", a_run(10))
    again = served.put("twice", a_run(10))
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["key"] == again.json()["key"]
    for about in ({"team": "another"}, {"board": "lab", "name": "thrice"}):
        given = {"name": "twice", "body": a_run(10), **about}
        last = served.put(**given)
        assert last.status_code == 201
    texts = [one["text"] for one in last.json()["remarks"]]
    assert "the same file as the run twice, which is there already" in texts[-1]
    assert not any("the same file" in str(one) for one in first.json()["remarks"])
    assert served.put("twice", a_run(10), baseline="nobody").status_code == 422
    about = {"description": "as before", "link": "https://a.example"}
    assert served.put("twice", a_run(10), **about).status_code == 200
    shown = served.shown(first.json()["key"])
    assert {name: shown[name] for name in about} == about
    assert served.put("twice", a_run(11)).status_code == 409
    new = served.put("twice", a_run(11), replace=True)
    assert new.status_code == 201
    served.shown(new.json()["key"])
    old = served.shown(first.json()["key"])
    assert (old["state"], old["rank"]) == ("withdrawn", None)
    assert served.get(f"/b/lab/s/{old['key']}/").status_code == 200


def test_a_wrong_run_is_refused_and_its_name_stays_free(served: Served) -> None:
    """A file that is no run is refused with line and mend, and the name can be used by a run."""
    answer = served.put("bad", b"301 0 d01 1\n301 0 d01\n" * 15)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    remarks = answer.json()["remarks"]
    assert remarks[0]["line"] == 1
    assert len(remarks) == 21
    assert remarks[-1]["text"].startswith("and ")
    assert served.put("bad", a_run(20)).status_code == 201


def test_a_check_keeps_nothing(served: Served) -> None:
    """A check returns remarks, and no submission, run or temporary file is left."""
    before = sum(served.get("/v1/boards/lab").json()["counts"].values())
    files = sorted(served.site.folder.glob("runs/*/*"))
    short = b"\n".join(a_run(30).splitlines()[:20])
    answer = served.client.post(
        "/v1/boards/lab/check", content=short, headers=served.headers
    )
    texts = [remark["text"] for remark in answer.json()["remarks"]]
    assert any(text.startswith("lacks 7 of 8 topics") for text in texts)
    assert sum(served.get("/v1/boards/lab").json()["counts"].values()) == before
    assert sorted(served.site.folder.glob("runs/*/*")) == files
    assert list(served.site.temporary.iterdir()) == []


def test_a_run_comes_back_as_it_was_sent(served: Served) -> None:
    """A member gets the bytes of a run as they came."""
    body = gzip.compress(a_run(40), mtime=1)
    key = served.put("back", body).json()["key"]
    assert served.get(f"/v1/submissions/{key}/run").content == body
    path = served.site.run_path(hashlib.sha256(body).hexdigest())
    path.rename(path.with_name("away"))
    try:
        assert served.get(f"/v1/submissions/{key}/run").status_code == 404
    finally:
        path.with_name("away").rename(path)


def test_withdrawn_runs_leave_the_table(served: Served) -> None:
    """A withdrawn run is off the table, its page says so, and withdrawing twice is as once."""
    key = served.put("gone", a_run(50)).json()["key"]
    served.shown(key)
    for _ in range(2):
        answer = served.client.post(
            f"/v1/submissions/{key}/withdraw", headers=served.headers
        )
        assert answer.json()["state"] == "withdrawn"
    served.shown(key)
    assert "Withdrawn" in served.get(f"/b/lab/s/{key}/").text
    assert ">gone<" not in served.get("/b/lab/").text


@pytest.fixture
def board(served, monkeypatch):
    """A client of the board `lab`, whose requests go to the server of the tests."""

    def ask(_, method, root, where):
        answer = served.client.request(method, where, headers=served.headers)
        return answer.status_code, answer.content

    monkeypatch.setattr("irmeta.serve.client.exchange.ask", ask)
    return Server("http://127.0.0.1/b/lab", served.token)


def test_a_bad_run_fails_and_is_a_night(served, board, tmp_path):
    """A run that finds far less than its baseline is worse, by the topics of the board; an equal one does not fail."""
    keys = {}
    for name, seed, skill in (
        ("release", 1, 5.0),
        ("worse", 2, -5.0),
        ("same", 3, 5.0),
    ):
        about = {} if name == "release" else {"baseline": "release"}
        keys[name] = served.put(name, a_run(seed, skill), **about).json()["key"]
    history = tmp_path / "nights.jsonl"
    bad = _gate(board, served.shown(keys["worse"]), 0.02, False, history)
    same = _gate(board, served.shown(keys["same"]), 0.02, False, None)
    assert bad["failed"]
    assert bad.findings[0].startswith("Worse: ")
    assert not same["failed"]
    (night,) = read_nights(history)
    assert set(night.comparisons[0].differences) == set(TOPICS)
