"""Files that the producers' own packages wrote, read as cubes: each score where its package has it.

Every fixture evaluates two systems, alpha and beta, that answer "0+1?" to "3+1?" by fixed texts; no model is asked:

- inspect: inspect_ai 0.3.285, eval() with log_format eval (and json), 2 epochs, a solver that sets the output, the
  scorer match with stderr(cluster="doc"), and a scorer with the values tone and length.
- lm-eval: lm_eval 0.4.13, simple_evaluate() of an LM subclass with log_samples, and EvaluationTracker; tiny_qa has two
  filters, tiny_choice is multiple choice.
- promptfoo: promptfoo 0.121.20, eval --repeat 2 -o out.json of the provider echo with the prompts {{q}} and Say {{q}}.
- helm: crfm-helm 0.5.16, PerInstanceStats and RunSpec as its Runner writes them (two trials; a perturbed instance; a
  statistic that is NaN, which it drops); the folders, tiny:subject=sums,model=org_alpha there, are alpha and beta here.
- deepeval: deepeval 4.3.1, evaluate() with ExactMatchMetric and a metric by length, which fails on one case.
"""

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import irmeta
from irmeta.errors import FileFormatError, IrmetaError, ScoresError
from irmeta.io.items import inspect
from irmeta.scores.attributes import about

FILES = Path(__file__).parent / "files"
MATCH = {"mockllm/alpha": [1.0, 0.5, 1.0, 1.0], "mockllm/beta": [0.5, 1.0, 0.0, 0.5]}
"""Means over two epochs: Inspect's own reductions.json has these."""


def by(made: xr.DataArray, system: str, metric: str) -> list[float]:
    return [float(one) for one in made.sel(system=system, metric=metric).values]


@pytest.mark.parametrize("where", ["inspect", "inspect.json.gz"])
def test_inspect_epochs_are_averaged(where: str) -> None:
    """Scores by sample are the means that Inspect computes itself; a note counts the epochs."""
    made = irmeta.import_inspect(FILES / where)["tiny"]
    assert made.topic.values.tolist() == ["q0", "q1", "q2", "q3"]
    for system in made.system.values:
        assert by(made, system, "match_by_doc") == MATCH[system]
    assert (made.sel(metric="both/tone") == 0.5).all()
    assert (made.sel(metric="both/length") == 1.0).all()
    assert about(made)["notes"] == [
        "repeats (epochs) are averaged: a score is the mean of 2"
    ]


def test_inspect_clusters_are_those_of_its_standard_errors() -> None:
    """The field that stderr(cluster=...) names becomes the cluster of each topic."""
    made = irmeta.import_inspect(FILES / "inspect")["tiny"]
    assert made["cluster"].values.tolist() == ["d0", "d0", "d1", "d1"]


def test_lm_eval_samples_are_scores_by_document() -> None:
    """Tasks are collections, models have the names of their results, filters are part of a metric's name."""
    made = irmeta.import_lm_eval(FILES / "lm-eval", cluster_by="subject")
    assert sorted(made) == ["tiny_choice", "tiny_qa"]
    tiny = made["tiny_qa"]
    assert tiny.system.values.tolist() == ["org/alpha", "org/beta"]
    assert by(tiny, "org/alpha", "exact_match/strict") == [1, 1, 0, 0]
    assert by(tiny, "org/alpha", "exact_match/flexible") == [1, 1, 1, 0]
    assert tiny["cluster"].values.tolist() == ["s0", "s0", "s1", "s1"]
    assert "notes" not in about(tiny)
    means = made["tiny_choice"].sel(system="org/beta").mean("topic")
    told = json.loads(next((FILES / "lm-eval/org__beta").glob("results*")).read_text())
    for metric in ("acc", "acc_norm"):
        expected = told["results"]["tiny_choice"][f"{metric},none"]
        assert means.sel(metric=metric).item() == expected


def test_promptfoo_prompts_are_systems_and_repeats_are_averaged() -> None:
    """A test is named by its description or variables; score, pass and named scores are metrics."""
    made = irmeta.import_promptfoo(FILES / "promptfoo")["tiny"]
    assert made.system.values.tolist() == ["alpha/{{q}}", "alpha/Say {{q}}"]
    assert made.topic.values.tolist() == ["first", "2+1", "3+1"]
    assert by(made, "alpha/{{q}}", "score") == [0.5, 1, 0]
    assert by(made, "alpha/{{q}}", "pass") == [0, 1, 0]
    assert by(made, "alpha/Say {{q}}", "politeness") == [1, 1, 1]
    assert "the mean of 2" in about(made)["notes"][0]


def test_deepeval_cases_are_topics() -> None:
    """Runs are named by their model; a metric that failed is missing, and a note counts it."""
    made = irmeta.import_deepeval(FILES / "deepeval", cluster_by="doc")["deepeval"]
    assert made.system.values.tolist() == ["alpha", "beta"]
    assert by(made, "alpha", "Exact_Match") == [1, 0, 1, 0]
    np.testing.assert_array_equal(
        made.sel(system="alpha", metric="Length"), [0.25, 0.5, 0.25, np.nan]
    )
    assert made["cluster"].values.tolist() == ["d0", "d0", "d1", "d1"]
    assert "1 metric of test cases failed" in about(made)["notes"][0]


def test_helm_trials_are_averaged_and_perturbed_instances_left_out() -> None:
    """A collection is a run's name without its model; statistics are metrics, by their means."""
    made = irmeta.import_helm(FILES / "helm")
    assert list(made) == ["tiny:subject=sums"]
    scores = made["tiny:subject=sums"]
    assert by(scores, "org/alpha", "exact_match") == [1, 0.5, 0, 1]
    assert by(scores, "org/beta", "exact_match") == [0, 1, 0.5, 0]
    assert scores.metric.values.tolist() == ["exact_match"]
    notes = about(scores)["notes"]
    assert "the mean of 2" in notes[0]
    assert "left out 1 record of perturbed instances" in notes[1]
    assert "left out num_output_tokens: what answers cost" in notes[2]


def test_a_helm_run_without_its_specification_is_named_by_its_folder(
    tmp_path: Path,
) -> None:
    """The folder of a run names scenario and model; another name says neither."""
    name = "per_instance_stats.json"
    data = (FILES / "helm/suite/alpha" / name).read_bytes()
    folder = tmp_path / "mmlu,model=org_alpha,subject=law"
    for one in (folder, tmp_path / "other"):
        one.mkdir()
        (one / name).write_bytes(data)
    made = irmeta.import_helm(folder)
    assert made["mmlu,subject=law"].system.values.tolist() == ["org_alpha"]
    with pytest.raises(FileFormatError, match="which model is it"):
        irmeta.import_helm(tmp_path / "other")


READERS: dict[str, Callable[..., dict[str, xr.DataArray]]] = {
    "inspect": irmeta.import_inspect,
    "lm-eval": irmeta.import_lm_eval,
    "promptfoo": irmeta.import_promptfoo,
    "deepeval": irmeta.import_deepeval,
    "helm": irmeta.import_helm,
}


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("other", READERS)
def test_files_of_another_producer_are_refused(kind: str, other: str) -> None:
    """Each reader takes its own producer's files, and names what is not one of them."""
    if kind == other:
        assert READERS[kind](FILES / other)
        return
    with pytest.raises(FileFormatError):
        READERS[kind](FILES / other)


@pytest.mark.parametrize("kind", READERS)
def test_studies_take_them_in_one_line(kind: str) -> None:
    """`describe` answers for the first collection of each producer's files."""
    made = next(iter(READERS[kind](FILES / kind).values()))
    assert irmeta.describe(made, missing="topics").findings


def test_two_evaluations_of_one_model_go_by_their_files(tmp_path: Path) -> None:
    """None of the two is picked: an error names both, and names="file" keeps them apart."""
    for name in ("before", "after"):
        (tmp_path / f"{name}.eval").write_bytes(
            (FILES / "inspect/alpha.eval").read_bytes()
        )
    with pytest.raises(
        FileFormatError, match=r"before\.eval.*after\.eval.*names='file'"
    ):
        irmeta.import_inspect(tmp_path)
    made = irmeta.import_inspect(tmp_path, names="file")["tiny"]
    assert made.system.values.tolist() == ["after", "before"]


def test_a_collection_is_named_where_there_is_one() -> None:
    """--collection renames the only task; of two tasks it could name none."""
    made = irmeta.import_inspect(FILES / "inspect", collection="mine")
    assert list(made) == ["mine"]
    assert made["mine"].attrs["collection"] == "mine"
    with pytest.raises(ScoresError, match=r"2 tasks \(tiny_choice, tiny_qa\)"):
        irmeta.import_lm_eval(FILES / "lm-eval", collection="mine")


def test_a_field_that_names_no_cluster_is_an_error() -> None:
    """The error lists the fields that there are."""
    with pytest.raises(
        FileFormatError, match="no field 'topic'.*question, answer, subject"
    ):
        irmeta.import_lm_eval(FILES / "lm-eval", cluster_by="topic")


def test_an_item_that_changed_is_noted(tmp_path: Path) -> None:
    """Documents of one id but other content are no pair, and a note names them."""
    for model, name in (("a", "0+1?"), ("b", "5+1?")):
        (tmp_path / model).mkdir()
        line = {"doc_id": 0, "doc": {}, "metrics": ["acc"], "acc": 1, "doc_hash": name}
        path = tmp_path / model / "samples_t_2026-11-23T13-57-59.980045.jsonl"
        path.write_text(json.dumps(line) + "\n")
    notes = about(irmeta.import_lm_eval(tmp_path)["t"])["notes"]
    assert "1 item of 1 ask other things of other systems (0)" in notes[0]


def test_a_log_that_has_not_ended_is_named(tmp_path: Path) -> None:
    """A .eval file without its header is of an evaluation that goes on."""
    import zipfile

    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("_journal/start.json", "{}")
    with pytest.raises(FileFormatError, match="has not ended"):
        irmeta.import_inspect(path)
    path.write_bytes((FILES / "inspect/alpha.eval").read_bytes()[:-100])
    with pytest.raises(FileFormatError, match="a damaged archive"):
        irmeta.import_inspect(path)


def test_an_archive_that_lies_about_its_size_is_refused(tmp_path: Path) -> None:
    """A header of 300 MB of blanks in some kilobytes is not unpacked."""
    import zipfile

    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("header.json", b" " * 300_000_000)
    with pytest.raises(FileFormatError, match="far more than its size"):
        irmeta.import_inspect(path)


def test_inspect_values_and_samples_without_scores(tmp_path: Path) -> None:
    """Letters and words count as in Inspect, other texts are left out, a sample that failed is missing."""
    samples = [
        {"id": 1, "epoch": 1, "scores": {"m": {"value": "P"}, "n": {"value": "Yes"}}},
        {"id": 2, "epoch": 1, "scores": {"m": {"value": "I"}, "n": {"value": "well"}}},
        {"id": 3, "epoch": 1, "error": {"message": "time out"}},
    ]
    told = {"status": "error", "eval": {"task": "t", "model": "m"}, "samples": samples}
    (tmp_path / "a.json").write_text(json.dumps(told))
    (tmp_path / "logs.json").write_text("{}")
    made = irmeta.import_inspect(tmp_path)["t"]
    np.testing.assert_array_equal(made.sel(metric="m").values[0], [0.5, 0, np.nan])
    np.testing.assert_array_equal(made.sel(metric="n").values[0], [1, np.nan, np.nan])
    assert [note.partition(": ")[2] for note in about(made)["notes"]] == [
        "the evaluation did not end well (error)",
        "1 sample without a score",
        "n: texts, no scores; left out",
    ]


def test_promptfoo_errors_are_missing_and_long_names_are_cut(tmp_path: Path) -> None:
    """An answer that failed was not judged; tests of one name are numbered."""
    long = "x" * 500

    def result(text: str, check: str, **more: object) -> dict[str, object]:
        case = {"vars": {"q": text}, "assert": [check]}
        return {
            "provider": {"id": "echo"},
            "testCase": case,
            "vars": {"q": text},
            "score": 1,
            "success": True,
            **more,
        }

    lines = [result(long, "a"), result(long, "b"), result("c", "a", failureReason=2)]
    path = tmp_path / "out.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    made = irmeta.import_promptfoo(path)["out"]
    topics = made.topic.values.tolist()
    assert len(topics[0]) <= 60
    assert topics[1:] == [f"{topics[0]} (2)", "c"]
    assert np.isnan(made.sel(topic="c").values).all()


@pytest.mark.parametrize("kind", READERS)
def test_torn_files_are_errors_of_ours(kind: str, tmp_path: Path) -> None:
    """Each fixture, cut off at many places, is read or named, and never ends in another error."""
    source = next(
        one for one in sorted((FILES / kind).rglob("*.*")) if "results_" not in one.name
    )
    data = source.read_bytes()
    if source.suffix == ".gz":
        data = gzip.decompress(data)
    path = tmp_path / source.name.removesuffix(".gz")
    for at in range(0, len(data), max(1, len(data) // 60)):
        path.write_bytes(data[:at])
        with pytest.raises(IrmetaError):
            READERS[kind](path)


@pytest.mark.parametrize("reader", ["inspect", "lm_eval", "helm", "eee"])
def test_a_folder_of_other_files_is_named(reader, tmp_path):
    """Where nothing of a producer is found, the message names what was given."""
    (tmp_path / "notes.csv").write_text("a,b\n1,2\n")
    with pytest.raises(FileFormatError, match=r"notes\.csv"):
        getattr(irmeta, f"import_{reader}")(tmp_path / "notes.csv")


def test_a_test_case_without_metrics_is_noted(tmp_path):
    """A case of DeepEval that has no metrics has no scores, and a note says how many have none."""
    held = json.loads((FILES / "deepeval/first.json").read_text())
    held["testCases"][0] = {"name": "empty"}
    (tmp_path / "made.json").write_text(json.dumps(held))
    (made,) = irmeta.import_deepeval(tmp_path / "made.json").values()
    assert "empty" not in made.topic.values
    assert any(
        "1 test case without metrics, which are missing" in note
        for note in about(made)["notes"]
    )


@pytest.mark.parametrize("count", [None, "one", [], True])
def test_a_count_of_helm_that_is_no_number_is_refused(count, tmp_path):
    """A statistic of HELM that does not say of how many scores it is the mean has no mean."""
    copied = shutil.copytree(FILES / "helm", tmp_path / "helm")
    path = next(copied.rglob("per_instance_stats.json"))
    held = json.loads(path.read_text())
    held[0]["stats"][0]["count"] = count
    path.write_text(json.dumps(held))
    with pytest.raises(FileFormatError, match="has no mean"):
        irmeta.import_helm(copied)


def test_test_cases_that_are_no_list_are_refused(tmp_path):
    """A file with the names of DeepEval's and other values is no file of DeepEval."""
    (tmp_path / "made.json").write_text('{"testCases": 3}')
    with pytest.raises(FileFormatError, match=r"made\.json: not .* is no list"):
        irmeta.import_deepeval(tmp_path / "made.json")


def test_inspect_rows_are_as_many_as_scores(tmp_path: Path) -> None:
    """A log whose every sample has a scorer of its own makes a row for each; a sample without a score stays."""
    samples = [{"id": at, "scores": {f"s{at}": {"value": 1}}} for at in range(40)]
    log = {"eval": {"task": "t", "model": "m"}, "samples": [*samples, {"id": "none"}]}
    (tmp_path / "log.json").write_text(json.dumps(log))
    assert len(inspect._read_part(tmp_path / "log.json", None).rows) == 41
    made = irmeta.import_inspect(tmp_path / "log.json")["t"]
    assert dict(made.sizes) == {"system": 1, "topic": 41, "metric": 40}
    assert int(made.notnull().sum()) == 40
