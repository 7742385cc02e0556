"""Records of Every Eval Ever in and out: what they say, what breaks, and the way there and back by their schema."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irmeta
from irmeta.errors import FileFormatError, IrmetaError
from irmeta.scores.attributes import about
from irmeta.scores.averages.intervals import intervals
from irmeta.scores.cube import cube

ALL = "every eval ever"


def problems(
    held: Any, schema: dict[str, Any], root: dict[str, Any], at: str = "$"
) -> list[str]:
    """List where JSON breaks a schema of draft 7, by the words that the schemas of Every Eval Ever use."""
    kinds = {
        "object": dict, "array": list, "string": str, "boolean": bool, "null": type(None),
        "integer": int, "number": int | float,
    }  # fmt: skip
    if "$ref" in schema:
        return problems(
            held, root["$defs"][schema["$ref"].rpartition("/")[2]], root, at
        )
    found = []
    given = schema.get("type", [])
    types = [given] if isinstance(given, str) else given
    right = [
        isinstance(held, kinds[one])
        and (one == "boolean" or not isinstance(held, bool))
        for one in types
    ]
    if types and not any(right):
        return [f"{at}: not {types}"]
    if "enum" in schema and held not in schema["enum"]:
        found.append(f"{at}: not one of {schema['enum']}")
    if "const" in schema and held != schema["const"]:
        found.append(f"{at}: not {schema['const']}")
    if "pattern" in schema and not re.search(schema["pattern"], held):
        found.append(f"{at}: not like {schema['pattern']}")
    if isinstance(held, list):
        for number, one in enumerate(held):
            found += problems(one, schema.get("items", {}), root, f"{at}[{number}]")
    if isinstance(held, dict):
        found += [
            f"{at}: lacks {one}"
            for one in schema.get("required", [])
            if one not in held
        ]
        inner, more = (
            schema.get("properties", {}),
            schema.get("additionalProperties", True),
        )
        for name, one in held.items():
            if name in inner:
                found += problems(one, inner[name], root, f"{at}.{name}")
            elif more is False:
                found.append(f"{at}: has {name}")
            elif isinstance(more, dict):
                found += problems(one, more, root, f"{at}.{name}")
    if "oneOf" in schema:
        fits = [not problems(held, one, root, at) for one in schema["oneOf"]]
        if sum(fits) != 1:
            found.append(f"{at}: fits {sum(fits)} of {len(fits)}")
    if "not" in schema and not problems(held, schema["not"], root, at):
        found.append(f"{at}: is what it must not be")
    for one in schema.get("allOf", []):
        found += problems(held, one, root, at)
    if "if" in schema:
        branch = "else" if problems(held, schema["if"], root, at) else "then"
        found += problems(held, schema.get(branch, {}), root, at)
    return found


def scores() -> Any:
    values = np.random.default_rng(5).random((4, 9, 2)).round(3)
    systems = ["org/alpha", "org/beta", "plain", "../étrange name"]
    topics = [f"t{at}" for at in range(9)]
    made = cube(values, systems, topics, ["nDCG@10", "mine"], collection="TREC: 1/2")
    return irmeta.with_clusters(
        made, {topic: f"c{int(topic[1:]) // 2}" for topic in topics}
    )


def test_there_and_back(tmp_path: Path) -> None:
    """What is exported comes back with every digit, with its clusters, and nothing is noted."""
    paths = irmeta.export_eee(scores(), tmp_path / "data")
    assert len(paths) == 4
    assert all(path.is_relative_to(tmp_path / "data") for path in paths)
    made = irmeta.import_eee(tmp_path / "data", cluster_by="cluster")
    back = made["TREC_1_2"].sel(system=scores().system, topic=scores().topic)
    np.testing.assert_array_equal(back.sel(metric=scores().metric), scores())
    assert back["cluster"].values.tolist() == scores()["cluster"].values.tolist()
    assert "notes" not in about(back)
    means = made[ALL].sel(system="plain").squeeze("metric")
    assert sorted(map(float, means.values)) == pytest.approx(
        sorted(scores().sel(system="plain").mean("topic").values)
    )


def test_a_record_has_intervals_and_rank_sets(tmp_path: Path) -> None:
    """They are those of `describe`; the same scores have the same file."""
    first = irmeta.export_eee(scores(), tmp_path)
    again = irmeta.export_eee(scores(), tmp_path)
    assert first == again
    rows = irmeta.describe(scores()).tables["means"].to_dicts()
    for path in first:
        record = json.loads(path.read_text())
        for result in record["evaluation_results"]:
            [row] = [
                row
                for row in rows
                if row["system"] == record["model_info"]["id"]
                and row["metric"] == result["metric_config"]["metric_id"]
            ]
            details = result["score_details"]
            interval = details["uncertainty"]["confidence_interval"]
            ranks = details["uncertainty"]["rank_set"]
            assert details["score"] == row["mean"]
            assert (interval["lower"], interval["upper"]) == (row["low"], row["high"])
            assert (ranks["lower"], ranks["upper"]) == (
                row["rank_low"],
                row["rank_high"],
            )
            assert (
                details["details"]["rank_set"]
                == f"{row['rank_low']}-{row['rank_high']}"
            )
            assert interval["method"] == (
                "score interval over clusters of items, Student's t where scores have no bounds"
            )


def test_a_model_alone_has_an_interval_and_no_rank(tmp_path: Path) -> None:
    """Its interval is the one that `intervals` gives; the record says nothing of others."""
    alone = scores().isel(system=[2])
    [path] = irmeta.export_eee(alone, tmp_path)
    own = intervals(alone)
    for result in json.loads(path.read_text())["evaluation_results"]:
        metric = result["metric_config"]["metric_id"]
        uncertainty = result["score_details"]["uncertainty"]
        ends = uncertainty["confidence_interval"]
        assert ends["lower"] == own["low"].sel(metric=metric).item()
        assert ends["upper"] == own["high"].sel(metric=metric).item()
        assert "rank_set" not in uncertainty


def test_the_command_writes_a_folder(tmp_path: Path, run: Any) -> None:
    """`export --to eee` writes records, and asks for a folder where a file is named."""
    irmeta.save(scores(), tmp_path / "s.parquet")
    code, _, err = run(
        "export", tmp_path / "s.parquet", "--to", "eee", "-o", tmp_path / "data"
    )
    assert code == 0
    assert "4 records" in err
    code, _, err = run("export", tmp_path / "s.parquet", "--to", "eee", "-o", "eee.csv")
    assert code == 2
    assert "name it with -o" in err


def record(folder: Path, name: str = "a", **more: Any) -> Path:
    """Write a record without items."""
    held = {
        "evaluation_id": f"bench/org_{name}/1",
        "model_info": {"id": f"org/{name}"},
        "evaluation_results": [
            {
                "evaluation_name": "bench",
                "metric_config": {"metric_name": "accuracy", "lower_is_better": False},
                "score_details": {"score": 0.5},
            }
        ],
    }
    path = folder / f"{name}.json"
    path.write_text(json.dumps({**held, **more}))
    return path


def test_what_cannot_be_read_is_left_out_and_listed(tmp_path: Path) -> None:
    """A folder of records is read as far as it can be; a record that stands alone is an error."""
    record(tmp_path)
    (tmp_path / "torn.json").write_text('{"evaluation_id": ')
    items = {"format": "jsonl", "file_path": "data/b/c/d/x_samples.jsonl"}
    record(tmp_path, "b", detailed_evaluation_results=items)
    made = irmeta.import_eee(tmp_path)
    assert made[ALL].system.values.tolist() == ["org/a"]
    [note] = about(made[ALL])["notes"]
    assert note.startswith("2 records left out: ")
    for said in ("its items, x_samples.jsonl, are not beside it", "not JSON"):
        assert said in note
    with pytest.raises(FileFormatError, match="not a record of Every Eval Ever"):
        irmeta.import_eee(tmp_path / "torn.json")


def test_items_of_another_record_are_refused(tmp_path: Path) -> None:
    """A checksum that differs is damage, not another score."""
    [path, *_] = irmeta.export_eee(scores(), tmp_path)
    items = path.with_name(f"{path.stem}_samples.jsonl")
    items.write_text(items.read_text() + "\n")
    with pytest.raises(FileFormatError, match="checksum differs"):
        irmeta.import_eee(path)


def test_where_lower_is_better_a_score_is_left_out(tmp_path: Path) -> None:
    """Irmeta ranks higher scores first, so a loss would be upside down."""
    one = json.loads(record(tmp_path).read_text())["evaluation_results"][0]
    worse = {**one, "metric_config": {"metric_name": "loss", "lower_is_better": True}}
    made = irmeta.import_eee(record(tmp_path, evaluation_results=[one, worse]))[ALL]
    assert made.sizes["topic"] == 1
    assert about(made)["notes"] == ["left out, as lower is better: loss"]


@pytest.mark.parametrize("at", range(0, 1600, 80))
def test_torn_records_are_errors_of_ours(at: int, tmp_path: Path) -> None:
    """A record that was cut off anywhere is named."""
    [path, *_] = irmeta.export_eee(scores(), tmp_path)
    path.write_bytes(path.read_bytes()[:at])
    with pytest.raises(IrmetaError):
        irmeta.import_eee(path)


@pytest.mark.data
def test_exported_records_fit_the_schema(data: Path, tmp_path: Path) -> None:
    """Records and items that we write break neither schema of Every Eval Ever."""
    whole, item = (
        json.loads((data / "eee" / f"{name}.schema.json").read_text())
        for name in ("eval", "instance_level_eval")
    )
    for path in irmeta.export_eee(scores(), tmp_path):
        assert problems(json.loads(path.read_text()), whole, whole) == []
        for line in (
            path.with_name(f"{path.stem}_samples.jsonl").read_text().splitlines()
        ):
            assert problems(json.loads(line), item, item) == []
    # the check itself sees what is wrong: of the delivered items 15 break their schema
    broken = [
        problems(json.loads(line), item, item)
        for path in (data / "eee").rglob("*_samples.jsonl")
        for line in path.read_text().splitlines()
    ]
    assert sum(map(bool, broken)) == 15
    assert {one for some in broken for one in some} == {
        "$.evaluation_result_id: not ['string']"
    }


@pytest.mark.data
def test_records_as_delivered(data: Path) -> None:
    """All six records are read: four have items, 15 of which break the schema, and one contradicts its items."""
    made = irmeta.import_eee(data / "eee")
    sizes = {name: one.sizes["topic"] for name, one in made.items() if name != ALL}
    assert sizes == {
        "ai2_arc": 3,
        "demo-source": 1,
        "math_perturbed_full": 10,
        "pubmed_qa": 2,
    }
    assert made[ALL].sizes["system"] == 5
    assert int(made[ALL].notnull().sum()) == 6
    assert made["ai2_arc"].mean().item() == pytest.approx(1 / 3)
    assert (made["pubmed_qa"] == 1).all()
    assert about(made[ALL])["notes"] == [
        "15 items break the schema (evaluation_result_id is null) and are joined by their record",
        "reported scores are not the means of the items: "
        "accuracy of demo-org/demo-model on demo-source is 0.75, not 1 of 1 item",
    ]
