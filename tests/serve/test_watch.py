"""What an operator sees of a site: figures, health, and logs that name nobody."""

import json
import logging
import re
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from irmeta.serve.catalogue import boards, submissions
from irmeta.serve.catalogue.rules import MISSING
from irmeta.serve.crew import crew as crews
from irmeta.serve.crew import logs
from irmeta.serve.site import Settings

from .conftest import Served, a_run, work_off, write_qrels
from .test_people import open_track


def figures(text: str) -> dict[tuple[str, ...], float]:
    """Read what is counted, by its name and its labels."""
    return {
        (one.name, *one.labels.values()): one.value
        for family in text_string_to_metric_families(text)
        for one in family.samples
    }


def test_what_is_counted(served: Served) -> None:
    """Requests, uploads, states, times and the disk are counted, by the templates of paths."""
    put = ("irmeta_requests_total", "PUT", "/v1/boards/{board}/runs/{name}", "201")
    before = figures(served.client.get("/metrics").text)
    key = served.put("counted", a_run(300)).json()["key"]
    served.client.get("/b/secretboard/secretpage?secretquery")
    served.shown(key)
    found = figures(served.client.get("/metrics").text)
    assert found[put] == before.get(put, 0) + 1
    assert found["irmeta_submissions", "scored"] >= 1
    assert found["irmeta_requests_total", "GET", "files", "404"] >= 1
    for task in ("check", "score", "publish"):
        assert found["irmeta_task_seconds_count", task] >= 1
    assert 0 < found[("irmeta_disk_free_bytes",)] < found[("irmeta_disk_bytes",)]
    text = served.client.get("/metrics").text
    assert "secret" not in text
    assert "lab" not in re.sub("label", "", text)


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "runs.example.org"},
        {"x-forwarded-for": "192.0.2.1"},
        {"x-forwarded-for": "127.0.0.1"},
        {"forwarded": "for=192.0.2.1"},
        {"via": "1.1 proxy"},
    ],
)
def test_figures_are_for_this_machine(served: Served, headers: dict) -> None:
    """Who comes through a proxy, or by another host, is told that there are no figures."""
    answer = served.client.get("/metrics", headers=headers)
    if "host" in headers:
        assert answer.status_code == 400
        return
    assert (answer.status_code, answer.json()["detail"]) == (404, MISSING)


def test_figures_tell_no_score(tmp_path: Path) -> None:
    """Before the reveal a scored run is counted as accepted, and after it as scored."""
    for track in open_track(tmp_path, write_qrels(tmp_path / "qrels.txt")):
        key = track.put("member", "one", a_run(1)).json()["key"]
        assert submissions.count_unscored(track.engine)[0] == 1
        work_off(track.site, track.engine)
        assert submissions.count_unscored(track.engine) == (0, 0)
        assert submissions.submission_of(track.engine, key).state == "scored"
        assert submissions.count_all_by_state(track.engine) == {"accepted": 1}
        boards.reveal(track.engine, "track", "track")
        assert submissions.count_all_by_state(track.engine) == {"scored": 1}


def test_health_says_what_is_wrong(served: Served, monkeypatch) -> None:
    """A full disk and a publisher that is silent for long are told to anybody, in a word."""
    found = served.client.get("/healthz").json()
    assert (found["disk"], found["publishing"]) == ("ok", "ok")
    object.__setattr__(served.site, "settings", Settings(free=1 << 62))
    monkeypatch.setattr(crews, "LATE", -1.0)
    try:
        found = served.client.get("/healthz").json()
    finally:
        object.__setattr__(served.site, "settings", Settings())
    assert (found["disk"], found["publishing"]) == ("full", "late")


def test_a_request_is_logged_by_its_template(served: Served, caplog) -> None:
    """A line has the request's number, its route, status, time, and nothing that was sent."""
    with caplog.at_level(logging.INFO):
        served.client.request("ODD", "/b/secret?secret", headers=served.headers)
        served.get("/v1/boards/lab?secret=1")
    form = logs.Lines()
    own = [one for one in caplog.records if one.name.startswith("irmeta")]
    lines = [json.loads(form.format(one)) for one in own]
    routes = [(one["text"], one["route"]) for one in lines if "route" in one]
    assert routes[-2:] == [("other", "files"), ("GET", "/v1/boards/{board}")]
    assert re.fullmatch("[0-9a-f]{16}", lines[-1]["request"])
    assert lines[-1]["ms"] > 0
    said = " ".join(map(form.format, own))
    assert "secret" not in said
    assert served.token not in said


def test_a_member_is_a_number(tmp_path: Path, caplog) -> None:
    """Who asks with a token is logged as a number."""
    for track in open_track(tmp_path, write_qrels(tmp_path / "qrels.txt")):
        caplog.clear()
        with caplog.at_level(logging.INFO):
            assert track.ask("member", "GET", "/v1/me").json()["name"]
        [line] = [one for one in caplog.records if hasattr(one, "facts")]
        assert line.facts["person"] > 0
        assert "name of" not in logs.Lines().format(line)


def test_errors_say_where_and_not_what() -> None:
    """A mistake is logged as its kind and its place: its text may quote what somebody sent."""
    try:
        try:
            int("secretline")
        except ValueError as error:
            raise RuntimeError("secretname") from error
    except RuntimeError as error:
        info = (RuntimeError, error, error.__traceback__)
    record = logging.LogRecord("x", logging.ERROR, "x", 1, "request 7", (), info)
    said = logs.Lines().format(record)
    assert "secret" not in said
    first, cause = json.loads(said)["errors"]
    assert re.fullmatch(r"RuntimeError test_watch\.py:\d+", first)
    assert cause.startswith("ValueError test_watch.py:")
