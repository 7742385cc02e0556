"""Records of runs that other programs read, what a certificate says, and what a run says of itself."""

import gzip
import hashlib
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import sqlalchemy as sa
import yaml

import irmeta
from irmeta.serve.catalogue import boards, tables
from irmeta.serve.catalogue.snapshot import snapshot
from irmeta.serve.operating import importing
from irmeta.serve.pages import publishing
from irmeta.serve.pages.forms import as_yaml
from irmeta.serve.results.standing import compute_standing
from irmeta.serve.site import Site

from .conftest import a_run, work_off

HOSTILE = "</script><script>alert(1)</script>\"': - {{ 7*7 }} &amp; ]]> \u2028 # x"
HEADER = "# ir_metadata.start\n# a: &a [x, </pre><script>alert(1)</script>]\n# b: *a\u202e\n# ir_metadata.end\n"


def with_hub(site: Site) -> Site:
    """Give a site an address, and its board a data set on the hub."""
    (site.folder / "site.toml").write_text(
        'title = "Lab"\naddress = "https://runs.example"\n'
    )
    engine = tables.open_catalogue(site.database)
    boards.set_board(engine, "lab", {"hub": "lab-group/runs"})
    engine.dispose()
    return Site.open(site.folder)


def records(site: Site) -> dict[str, tuple[dict[str, Any], Path]]:
    """Publish a site; return by name the record and the folder of each run."""
    publishing.publish(site)
    found = {}
    for path in site.public.glob("b/lab/s/*/record.json"):
        one = json.loads(path.read_text())
        found[one["name"]] = (one, path.parent)
    return found


def test_a_record_of_every_eval_ever_has_the_scores(filled: Site) -> None:
    """What `irmeta import eee` reads of the records of all runs are their means; intervals and ranks are beside."""
    found = records(filled)
    cubes = irmeta.import_eee([str(where / "eee.json") for _, where in found.values()])
    cube = cubes["every eval ever"]
    assert cube.sizes["system"] == len(found)
    for one, where in found.values():
        own = json.loads((where / "eee.json").read_text())
        system = cube.sel(system=f"{one['team']}/{one['label']}")
        for metric, score in one["scores"].items():
            [topic] = [t for t in cube.topic.values if f"({metric})" in str(t)]
            assert system.sel(topic=topic).item() == pytest.approx(score["mean"])
        first = own["evaluation_results"][0]["score_details"]
        ends = first["uncertainty"]["confidence_interval"]
        mean = one["scores"][one["metric"]]
        assert (ends["lower"], ends["upper"]) == (mean["low"], mean["high"])
        assert first["uncertainty"]["rank_set"]["lower"] == one["rank_low"]
        assert first["details"]["run_sha256"] == one["run"]
        assert f"/b/lab/s/{one['key']}/" in first["details"]["certificate"]


@pytest.mark.data
def test_a_record_keeps_the_schema(filled: Site, data: Path) -> None:
    """Records have what the schema requires, and nothing that it does not name."""
    schema = json.loads((data / "eee/eval.schema.json").read_text())
    for _, where in records(filled).values():
        own = json.loads((where / "eee.json").read_text())
        _require(own, schema, schema)


def _require(value: Any, schema: dict[str, Any], whole: dict[str, Any]) -> None:
    """Check the types, required fields and choices that a schema names."""
    if ref := schema.get("$ref"):
        for part in ref.removeprefix("#/").split("/"):
            whole = whole[part]
        schema = whole
    kinds = {"object": dict, "array": list, "string": str, "number": (int, float)}
    if (kind := schema.get("type")) in kinds:
        assert isinstance(value, kinds[kind]), (value, kind)
    if "enum" in schema:
        assert value in schema["enum"]
    if isinstance(value, dict):
        assert set(schema.get("required", ())) <= value.keys()
        known = schema.get("properties", {})
        extra = schema.get("additionalProperties", True)
        for name, one in value.items():
            assert name in known or extra is not False, name
            rule = known.get(name, extra if isinstance(extra, dict) else {})
            _require(one, rule, whole)
    if isinstance(value, list):
        for one in value:
            _require(one, schema.get("items", {}), whole)


def test_hugging_face_is_given_our_certificate(filled: Site) -> None:
    """A ranked run has an entry for a model's page whose source is its certificate; the board its own file."""
    assert not any(
        (where / "eval_results.yaml").exists() for _, where in records(filled).values()
    )
    site = with_hub(filled)
    for one, where in records(site).values():
        [entry] = yaml.safe_load((where / "eval_results.yaml").read_text())
        assert entry["dataset"] == {"id": "lab-group/runs", "task_id": "lab"}
        mean = one["scores"][one["metric"]]["mean"]
        assert entry["value"] == pytest.approx(mean, abs=1e-6)
        assert entry["source"]["url"] == f"https://runs.example/b/lab/s/{one['key']}/"
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", entry["date"])
        assert f"95%: {one['rank_low']} to {one['rank_high']} of 5" in entry["notes"]
    benchmark = yaml.safe_load((site.public / "b/lab/data/eval.yaml").read_text())
    assert [task["id"] for task in benchmark["tasks"]] == ["lab"]


def test_a_run_apart_has_no_rank_anywhere(filled: Site) -> None:
    """A run of who has seen the judgments has a badge that says so, a record with its mark, and no entry elsewhere."""
    site = with_hub(filled)
    engine = tables.open_catalogue(site.database)
    with engine.begin() as db:
        own = tables.submission.c.name == "r4"
        db.execute(sa.update(tables.submission).where(own).values(marks=["holder"]))
    engine.dispose()
    one, where = records(site)["r4"]
    assert one["rank"] is None
    badge = (where / "badge.svg").read_text()
    assert "not ranked: holder" in badge
    assert "95%" not in badge
    assert not (where / "eval_results.yaml").exists()
    result = json.loads((where / "eee.json").read_text())["evaluation_results"][0]
    assert "rank_set" not in result["score_details"]["uncertainty"]
    assert result["score_details"]["details"]["marks"] == "holder"
    assert "its rank among" not in (where / "index.html").read_text()


def test_texts_of_people_stay_texts(filled: Site) -> None:
    """Hostile titles, teams and licences are the same text in JSON and YAML, and nothing but text in SVG and HTML."""
    site = with_hub(filled)
    engine = tables.open_catalogue(site.database)
    texts = dict.fromkeys(("title", "description", "collection", "licence"), HOSTILE)
    boards.set_board(engine, "lab", texts)
    with engine.begin() as db:
        team = tables.submission.c.team == "team 0"
        db.execute(sa.update(tables.submission).where(team).values(team=HOSTILE[:60]))
    engine.dispose()
    for one, where in records(site).values():
        own = json.loads((where / "eee.json").read_text())
        assert own["evaluation_results"][0]["evaluation_name"] == HOSTILE
        assert own["model_info"]["id"] == f"{one['team']}/{one['label']}"
        title = ElementTree.parse(where / "badge.svg").getroot()[0]
        assert title.text == f"{one['label']} on {HOSTILE}"
        yaml.safe_load((where / "eval_results.yaml").read_text())
        shown = (where / "index.html").read_text()
        assert "<script>alert" not in shown
    data = site.public / "b/lab/data"
    benchmark = yaml.safe_load((data / "eval.yaml").read_text())
    assert (benchmark["name"], benchmark["description"]) == (HOSTILE, HOSTILE)
    assert json.loads((data / "datapackage.json").read_text())["title"] == HOSTILE


@pytest.mark.parametrize(
    "text", ["- a\n- b", "x: !!python/name:os", "\U0001f600\u2029", HOSTILE]
)
def test_yaml_reads_what_was_written(text: str) -> None:
    """A text between quotes is one text again."""
    assert yaml.safe_load(f"a: {as_yaml(text)}\n") == {"a": text}


def test_data_describe_themselves(filled: Site) -> None:
    """The data package names each file with its size, its digest and, of tables, the columns in their order."""
    publishing.publish(filled)
    folder = filled.public / "b/lab/data"
    package = json.loads((folder / "datapackage.json").read_text())
    others = {"datapackage.json", "SHA256SUMS", "index.html"}
    there = {one.name for one in folder.iterdir()} - others
    assert {one["path"] for one in package["resources"]} == there
    for one in package["resources"]:
        content = (folder / one["path"]).read_bytes()
        assert one["bytes"] == len(content)
        assert one["hash"] == f"sha256:{hashlib.sha256(content).hexdigest()}"
        assert re.fullmatch(r"[a-z0-9._-]+", one["name"])
        if one["path"].endswith(".csv"):
            names = [field["name"] for field in one["schema"]["fields"]]
            assert ",".join(names) == content.decode().split("\n", 1)[0]
            kinds = {field["name"]: field["type"] for field in one["schema"]["fields"]}
            assert kinds.get("score", "number") == "number"
            assert kinds.get("topic", "string") == "string"


def test_what_a_run_says_of_itself_is_shown_as_text(
    filled: Site, tmp_path: Path
) -> None:
    """The header of a run stands on its page as it came, escaped and never parsed, and comes along in a frozen copy."""
    path = tmp_path / "said.gz"
    path.write_bytes(gzip.compress(HEADER.encode() + a_run(9)))
    engine = tables.open_catalogue(filled.database)
    importing.import_runs(filled, engine, "lab", [path])
    work_off(filled, engine)
    engine.dispose()
    one, where = records(filled)["said"]
    text = "a: &a [x, </pre><script>alert(1)</script>]\nb: *a\ufffd\n"
    assert one["header"] == text
    shown = (where / "index.html").read_text()
    assert "<script>alert" not in shown
    assert "a: &amp;a [x, &lt;/pre&gt;" in shown
    publishing.freeze(filled, tmp_path / "frozen")
    again = Site.make(tmp_path / "again")
    engine = tables.open_catalogue(again.database)
    importing.import_frozen(engine, tmp_path / "frozen")
    engine.dispose()
    assert records(again)["said"][0]["header"] == text


def test_a_certificate_says_what_it_certifies(filled: Site) -> None:
    """A run's page says what the site vouches for and what not; scores that came without runs are no runs."""
    _, where = records(filled)["r1"]
    text = re.sub(r"\s+", " ", (where / "index.html").read_text())
    assert "That this site took a run with the SHA-256 below" in text
    assert "It does not certify who made the run" in text
    engine = tables.open_catalogue(filled.database)
    scores = filled.public / "b/lab/data/scores.parquet"
    importing.import_scores(engine, scores, "other")
    found = compute_standing(snapshot(engine, "other"), {})
    engine.dispose()
    publishing.publish(filled)
    key = found.ranked[0].key
    page = (filled.public / f"b/other/s/{key}/index.html").read_text()
    assert "these scores, which came without the run" in page


def test_a_frozen_copy_has_the_records(filled: Site, tmp_path: Path) -> None:
    """Records lie beside each run of a copy, the links to them lead there, and twice the bytes are the same."""
    site = with_hub(filled)
    for name in ("one", "two"):
        publishing.freeze(site, tmp_path / name)
    for name in ("eee.json", "eval_results.yaml", "badge.svg"):
        files = sorted((tmp_path / "one").glob(f"b/lab/s/*/{name}"))
        assert len(files) == 5
        for path in files:
            other = tmp_path / "two" / path.relative_to(tmp_path / "one")
            assert path.read_bytes() == other.read_bytes()
            assert f'href="{name}"' in (path.parent / "index.html").read_text()


def test_before_the_reveal_there_is_no_record(filled: Site) -> None:
    """A board that is hidden has no record, badge or package that everybody could read."""
    site = with_hub(filled)
    engine = tables.open_catalogue(site.database)
    with engine.begin() as db:
        db.execute(sa.update(tables.board).values(reveals=None))
    engine.dispose()
    publishing.publish(site)
    there = {path.name for path in (site.public / "b/lab").rglob("*") if path.is_file()}
    assert there == {"index.html"}
