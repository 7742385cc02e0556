import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irmeta
from irmeta.errors import FileFormatError
from irmeta.io.items.eee import _judges
from irmeta.io.items.rows import Part, Row, cubes_of_parts
from irmeta.scores.attributes import MACHINES, REPEATS, about
from irmeta.scores.cube import cube
from irmeta.scores.groups.clusters import with_clusters
from irmeta.scores.groups.repeats import with_repeats

SYSTEMS = [f"s{at // 3}_{at % 3}" for at in range(6)]
TOPICS = [f"t{at // 2}_{at}" for at in range(10)]
NUGGET = {"text": "n", "importance": "vital", "assignment": "support"}
SAMPLE = {"doc_id": 1, "doc": {}, "metrics": ["acc"], "acc": 1}
STATS = [{"name": {"name": "em"}, "count": 1, "mean": 1.0}]
TWICE = {
    "nuggets": 2 * f"{json.dumps({'qid': 1, 'run_id': 'a', 'nuggets': [NUGGET]})}\n",
    "support": 2 * '{"run_id": "a", "topic_id": 1, "support_eval": []}\n',
    "lm_eval": 2 * f"{json.dumps(SAMPLE)}\n",
    "inspect": json.dumps(
        {
            "eval": {"task": "qa", "model": "m"},
            "samples": 2 * [{"id": 1, "scores": {"acc": {"value": "C"}}}],
        }
    ),
    "helm": json.dumps(
        [
            {"instance_id": "1", "stats": STATS},
            {"instance_id": "1", "stats": [STATS[0] | {"mean": 0.0}]},
        ]
    ),
}
"""What one item scored, twice, as each program writes it."""


def _runs() -> np.ndarray:
    """Scores of three runs of two systems on ten items by two metrics."""
    rng = np.random.default_rng(0)
    return 0.7 * rng.random((6, 10, 2)) + 0.3 * rng.random((6, 1, 1))


def _rows(scores: np.ndarray, *, clusters: bool = False) -> list[Part]:
    rows = [
        Row(
            "qa",
            name[:2],
            topic,
            metric,
            float(scores[run, at, which]),
            repeat=name[3:],
            cluster=topic[:2] if clusters else None,
        )
        for run, name in enumerate(SYSTEMS)
        for at, topic in enumerate(TOPICS)
        for which, metric in enumerate(("AP", "RR"))
    ]
    return [Part(Path("qa.json"), "qa", rows)]


@pytest.mark.parametrize("clusters", [False, True])
def test_repeats_of_items_are_runs(clusters: bool) -> None:
    """Epochs give the cube that the same runs give under names of their own, clusters and what runs add included."""
    made = cubes_of_parts(_rows(_runs(), clusters=clusters))["qa"]
    runs = cube(_runs(), SYSTEMS, TOPICS, ["AP", "RR"], collection="qa")
    if clusters:
        runs = with_clusters(runs, {topic: topic[:2] for topic in TOPICS})
    expected = with_repeats(runs, "stem")
    same = {dim: expected[dim].values for dim in expected.dims}
    np.testing.assert_allclose(made.sel(same), expected)
    found, facts = (about(one)[REPEATS] for one in (made, expected))
    own, learned = (one.pop("metrics")["AP"] for one in (found, facts))
    parts = own.pop("parts")["run"]
    assert parts == pytest.approx(learned.pop("parts")["run"])
    assert own == pytest.approx(learned)
    assert found == facts
    ours, theirs = (irmeta.describe(one)["low"] for one in (made.sel(same), expected))
    np.testing.assert_allclose(ours, theirs)


def test_an_epoch_that_failed_is_left_out_of_its_mean_only() -> None:
    """A system that lacks a score in one epoch has means of the others; what runs add is learned from the rest."""
    scores = _runs()
    scores[0, 0] = np.nan
    made = cubes_of_parts(_rows(scores))["qa"]
    assert made.sel(system="s0").values[0] == pytest.approx(scores[1:3, 0].mean(axis=0))
    assert about(made)[REPEATS]["metrics"]["AP"]["freedom"] == 2


def test_one_repeat_of_each_item_is_no_run() -> None:
    """A cube of systems that answered once says nothing of runs."""
    rows = [row._replace(repeat="") for row in _rows(_runs())[0].rows[:20]]
    made = cubes_of_parts([Part(Path("qa.json"), "qa", rows)])["qa"]
    assert REPEATS not in about(made)


@pytest.mark.parametrize(
    ("names", "clusters", "says"),
    [
        (
            ("a", "a"),
            None,
            r"x.jsonl:2: a has two scores .*, the other in x.jsonl:1; r",
        ),
        (("a", "b\x07"), None, r"^x.jsonl:2: the name 'b.x07' in a system holds a con"),
        (("a", "b"), ("p", "q"), r"^x.jsonl:2: the item t .*, q and p \(x.jsonl:1\)"),
    ],
)
def test_rows_that_cannot_be_are_named_by_their_places(
    names: tuple[str, str], clusters: tuple[str, str] | None, says: str
) -> None:
    """Two scores of a cell, an impossible name and an item of two clusters are errors with file and line."""
    rows = [
        Row("c", name, "t", "AP", 0.5, cluster=own, place=f"x.jsonl:{at}")
        for at, (name, own) in enumerate(
            zip(names, clusters or (None, None), strict=True), 1
        )
    ]
    with pytest.raises(FileFormatError, match=says):
        cubes_of_parts(
            [Part(Path("w.jsonl"), "w", []), Part(Path("x.jsonl"), "x", rows)]
        )


@pytest.mark.parametrize(
    ("reader", "name", "place"),
    [
        ("nuggets", "n.jsonl", "n.jsonl:2"),
        ("support", "n.jsonl", "n.jsonl:2"),
        ("lm_eval", "samples_qa_2026-11-23T10-00-00.jsonl", "00.jsonl:2"),
        ("inspect", "log.json", "log.json: sample 2"),
        ("helm", "per_instance_stats.json", "stats.json: record 2"),
    ],
)
def test_readers_say_where_two_scores_of_a_cell_stand(
    tmp_path: Path, reader: str, name: str, place: str
) -> None:
    """A line, a sample or a record that is there twice is named, and so is the first."""
    folder = tmp_path / "qa:model=m"
    folder.mkdir()
    (folder / name).write_text(TWICE[reader])
    with pytest.raises(FileFormatError) as caught:
        getattr(irmeta, f"import_{reader}")(folder)
    assert f"{place}: " in str(caught.value)
    assert f"the other in {folder / name}" in str(caught.value)


def test_two_judges_of_one_answer_are_kept_apart_as_advised(
    run: Any, tmp_path: Path
) -> None:
    """The error of two files of nuggets says how each becomes a collection, and that works."""
    answer = '{"qid": "1", "run_id": "a", "nuggets": [{"text": "n", "importance": "vital", "assignment": "support"}]}'
    files = [tmp_path / "people.jsonl", tmp_path / "machine.jsonl"]
    for file in files:
        file.write_text(answer)
    out = ("-o", tmp_path / "s.parquet")
    code, _, err = run("import", "nuggets", *files, *out)
    assert code == 2
    assert "give each judge's file a --collection of its own" in " ".join(err.split())
    for file, more in zip(files, ((), ("--append",)), strict=True):
        named = ("--collection", file.stem)
        code, _, _ = run("import", "nuggets", file, *named, *more, *out)
        assert code == 0
    assert set(irmeta.load_all(tmp_path / "s.parquet")) == {"people", "machine"}


def test_scores_of_one_machine_say_so(tmp_path: Path) -> None:
    """A metric that one model judged gets a note beside its intervals, also from a file; with two models none."""
    part = _rows(_runs())[0]
    part.add_judge("AP", "gpt-4o")
    part.add_judge("RR", "gpt-4o")
    part.add_judge("RR", "llama")
    part.add_judge("none", None)
    made = cubes_of_parts([part])["qa"]
    irmeta.save(made, tmp_path / "s.parquet")
    for scores in (made, irmeta.load(tmp_path / "s.parquet")):
        [note] = [one for one in irmeta.describe(scores).notes if "machine" in one]
        assert note.startswith("one machine, gpt-4o, judged every score by AP: ")
    found = irmeta.leaderboard(made, metric="RR")
    assert not [one for one in found.notes if "machine" in one]


def test_promptfoo_names_a_machine_where_every_assertion_is_its_own(
    tmp_path: Path,
) -> None:
    """The model of the assertion counts, else that of the test; a metric that a rule decides, too, has no judge."""

    def result(*assertions: dict[str, object], **options: object) -> dict[str, object]:
        case = {"vars": {"q": str(options)}, "options": options}
        parts = [{"assertion": one} for one in assertions]
        return {"provider": "mine", "score": 1, "success": True, "testCase": case} | {
            "namedScores": {"kind": 1, "right": 1, "short": 1},
            "gradingResult": {"componentResults": parts},
        }

    own = {"type": "llm-rubric", "metric": "kind", "provider": {"id": "openai:o4"}}
    shared = {"type": "not-llm-rubric", "metric": "right"}
    rule = {"type": "contains", "metric": "short"}
    unnamed = {"type": "llm-rubric", "metric": "short"}
    path = tmp_path / "out.jsonl"
    lines = [result(own, shared, rule, provider="openai:o3"), result(own, unnamed)]
    path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    made = irmeta.import_promptfoo(path)["out"]
    assert about(made)[MACHINES] == {"kind": ["openai:o4"], "right": ["openai:o3"]}
    path.write_text(json.dumps(result(shared, provider={"text": "openai:o3"})))
    machines = about(irmeta.import_promptfoo(path)["out"])[MACHINES]
    assert machines["score"] == machines["pass"] == ["openai:o3"]


def test_programs_name_the_machines_that_judge(tmp_path: Path) -> None:
    """DeepEval by metric, Inspect by scorer, Every Eval Ever by result: as their files say."""
    case = {"name": "q", "input": "?", "metricsData": []}
    for name, model in (("Faithfulness", "gpt-4o"), ("Length", None)):
        case["metricsData"].append(
            {"name": name, "score": 0.5, "evaluationModel": model}
        )
    deepeval = tmp_path / "d.json"
    deepeval.write_text(json.dumps({"identifier": "a", "testCases": [case]}))
    made = irmeta.import_deepeval(deepeval)["deepeval"]
    assert about(made)[MACHINES] == {"Faithfulness": ["gpt-4o"]}
    log = {
        "status": "success",
        "eval": {
            "task": "t",
            "model": "m",
            "scorers": [
                {"name": "model_graded_qa", "options": {"model": "openai/gpt-4o"}},
                {"name": "match", "options": {}},
            ],
        },
        "samples": [
            {
                "id": 1,
                "epoch": 1,
                "scores": {"model_graded_qa": {"value": "C"}, "match": {"value": "I"}},
            }
        ],
    }
    inspect = tmp_path / "i.json"
    inspect.write_text(json.dumps(log))
    made = irmeta.import_inspect(inspect)["t"]
    assert about(made)[MACHINES] == {"model_graded_qa": ["openai/gpt-4o"]}
    config = {"llm_scoring": {"judges": [{"model_info": {"id": "j/1", "name": "j"}}]}}
    assert _judges(config) == ("j/1",)
    assert _judges({"llm_scoring": None}) == ()
