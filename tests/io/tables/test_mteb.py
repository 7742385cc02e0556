"""Results of MTEB as cubes: every form of its files, and the same scores, means and ranks as the package mteb has."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irmeta.errors import FileFormatError, ScoresError
from irmeta.io.tables.mteb import import_mteb
from irmeta.io.tables.mteb.tasks import mteb_tasks
from irmeta.scores.attributes import about
from irmeta.stats.leaderboards.standing import ranked
from irmeta.studies.leaderboard.study import leaderboard


def write(root: Path, model: str, task: str, scores: object, **more: Any) -> Path:
    """Write a file of results as MTEB does; scores by split are one, or by subset several."""
    path = root / model / more.pop("revision", "abc123") / f"{task}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    held: dict[str, Any] = {
        "task_name": task,
        "dataset_revision": "1",
        "scores": scores,
    }
    held |= {"mteb_version": "1.36.0", "evaluation_time": 1.0, **more}
    path.write_text(json.dumps(held), encoding="utf-8")
    return path


def entries(**scores: float | None) -> list[dict[str, object]]:
    """Return the entries of a split, by subset; `en_de` stands for en-de."""
    return [
        {"hf_subset": name.replace("_", "-"), "main_score": one, "languages": []}
        for name, one in scores.items()
    ]


def test_splits_and_subsets_are_averaged_as_mteb_does(tmp_path: Path) -> None:
    """A score is the mean over the task's splits and subsets, not over others, and missing if one of them is."""
    both = {"summaries": entries(default=0.2), "articles": entries(default=0.6)}
    write(tmp_path, "a", "SwednClusteringP2P", both)
    write(
        tmp_path,
        "a",
        "STSBenchmark",
        {"test": entries(default=0.5), "dev": entries(default=0.9)},
    )
    write(tmp_path, "b", "SwednClusteringP2P", {"articles": entries(default=0.6)})
    write(tmp_path, "b", "STSBenchmark", {"test": entries(default=None)})
    write(tmp_path, "b", "FiQA2018", {"test": entries(default=0.3)})
    made = import_mteb(tmp_path)
    score = made.isel(metric=0).to_pandas()
    assert score.loc["a", "SwednClusteringP2P"] == pytest.approx(0.4)
    assert score.loc["a", "STSBenchmark"] == 0.5
    assert np.isnan(score.loc["b", ["SwednClusteringP2P", "STSBenchmark"]]).all()
    [note] = about(made)["notes"]
    assert note.startswith("2 of 5 results lack a split or subset of their task")


def test_what_to_average_can_be_chosen(tmp_path: Path) -> None:
    """A benchmark, or the splits and subsets of a task, say what is averaged; what no result has is an error."""
    write(tmp_path, "a", "STS17", {"test": entries(en_en=0.7, en_de=0.3)})
    write(tmp_path, "b", "STS17", {"test": entries(en_en=0.8)})
    write(tmp_path, "b", "Mine", {"test": entries(default=0.1)})
    with_both = import_mteb(tmp_path, subsets={"STS17": ["en-en", "en-de"]})
    assert with_both.sel(topic="STS17").values[0] == pytest.approx(0.5)
    assert np.isnan(with_both.sel(topic="STS17").values[1])
    made = import_mteb(tmp_path, benchmark="MTEB(eng, v2)")
    assert made.topic.values.tolist() == ["STS17"]
    assert made.values.ravel().tolist() == [0.7, 0.8]
    with pytest.raises(ScoresError, match="the subset 'xx'; choose from en-de, en-en"):
        import_mteb(tmp_path, subsets={"STS17": "xx"})
    with pytest.raises(ScoresError, match=r"did you mean STS17"):
        import_mteb(tmp_path, splits={"STS": "test"})
    with pytest.raises(
        ScoresError, match=r"not a benchmark .* did you mean MTEB\(eng, v2\)"
    ):
        import_mteb(tmp_path, benchmark="MTEB(eng v2)")


def test_tasks_that_no_model_has_whole_are_named(tmp_path: Path) -> None:
    """A task that no model has whole is left out, and a note names a benchmark whose version of it they have."""
    write(tmp_path, "a", "STS17", {"test": entries(en_en=0.7)})
    with pytest.raises(ScoresError, match="no model has a whole task"):
        import_mteb(tmp_path)
    write(tmp_path, "a", "FiQA2018", {"test": entries(default=0.3)})
    made = import_mteb(tmp_path)
    assert made.topic.values.tolist() == ["FiQA2018"]
    [note] = about(made)["notes"]
    assert "STS17 (1 of 11 subsets)" in note
    assert "--benchmark 'MTEB(eng, v" in note


def test_tasks_that_mteb_does_not_have(tmp_path: Path) -> None:
    """The score of a task unknown to mteb is the mean over all that some result has."""
    write(
        tmp_path,
        "a",
        "Mine",
        {"test": entries(x=0.2, y=0.4), "dev": entries(x=0.3, y=0.5)},
    )
    write(tmp_path, "b", "Mine", {"test": entries(x=0.2, y=0.4)})
    write(tmp_path, "b", "FiQA2018", {"test": entries(default=0.3)})
    made = import_mteb(tmp_path)
    assert made.sel(topic="Mine").values.ravel() == pytest.approx(
        [0.35, np.nan], nan_ok=True
    )
    assert "has no task Mine" in about(made)["notes"][1]


def test_files_before_1_11(tmp_path: Path) -> None:
    """Files of the old form have their main score by its old name, below subsets or none, under old names of tasks."""
    old = {
        "STSBenchmark": {"test": {"cos_sim": {"spearman": 0.81}, "evaluation_time": 3}},
        "PPC": {"test": {"max": {"ap": 0.7, "f1": 0.2}}},
        "SCIDOCS": {"test": {"ndcg_at_10": 0.2}},
        "STS17": {"test": {"en-en": {"cos_sim": {"spearman": 0.9}}}},
    }
    for task, splits in old.items():
        path = write(tmp_path, "a", task, {})
        held = {"mteb_dataset_name": task, "mteb_version": "1.1.0", **splits}
        path.write_text(json.dumps(held), encoding="utf-8")
    made = import_mteb(tmp_path, subsets={"STS17": "en-en"})
    score = made.isel(system=0, metric=0).to_pandas().to_dict()
    assert score == {"STSBenchmark": 0.81, "PpcPC": 0.7, "SCIDOCS": 0.2, "STS17": 0.9}


def test_revisions(tmp_path: Path) -> None:
    """Of a task in several revisions the one by the latest version of mteb counts, known revisions before others."""
    rows = [("r1", "1.2.0", 0.1), ("r2", "1.12.0", 0.2), ("external", "1.40.0", 0.3)]
    for revision, version, score in rows:
        scores = {"test": entries(default=score)}
        write(
            tmp_path, "a", "FiQA2018", scores, revision=revision, mteb_version=version
        )
    made = import_mteb(tmp_path)
    assert made.item() == 0.2
    assert "1 model with a task in several revisions" in about(made)["notes"][0]


def test_what_cannot_be_read_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One bad file does not stop the others: it is left out and listed; experiments are left out, too."""
    monkeypatch.chdir(tmp_path)  # long paths are shortened
    write(tmp_path, "a", "FiQA2018", {"test": entries(default=0.3)})
    broken = write(tmp_path, "a", "SCIDOCS", {})
    broken.write_text("{")
    write(tmp_path, "a", "STSBenchmark", {"test": [{"f1": 1}]})
    write(
        tmp_path,
        "a",
        "STS12",
        {"test": entries(default=0.3)},
        revision="abc123/experiments/x",
    )
    made = import_mteb(Path())
    assert made.shape == (1, 1, 1)
    unread, experiments = about(made)["notes"]
    assert unread.startswith("2 files could not be read")
    assert f"{broken.relative_to(tmp_path)}: not a result of MTEB" in unread
    assert experiments.startswith("left out: 1 file of experiments")


def test_names_of_models(tmp_path: Path) -> None:
    """A model is named by its model_meta.json, else by its folder, with a revision below or none; __ stands for /."""
    for folder in ("org__small", "org__large"):
        write(tmp_path, folder, "FiQA2018", {"test": entries(default=0.3)})
    assert import_mteb(tmp_path / "org__small").system.item() == "org/small"
    (tmp_path / "org__tiny").mkdir()
    held = (tmp_path / "org__small" / "abc123" / "FiQA2018.json").read_text()
    (tmp_path / "org__tiny" / "FiQA2018.json").write_text(held)
    names = ["org/large", "org/small", "org/tiny"]
    assert import_mteb(tmp_path).system.values.tolist() == names
    meta = tmp_path / "org__large" / "abc123" / "model_meta.json"
    meta.write_text('{"name": "org/LARGE", "revision": "abc123"}')
    assert import_mteb(tmp_path).system.values[0] == "org/LARGE"
    meta.write_text("{")
    made = import_mteb(tmp_path)
    assert made.system.values.tolist() == names
    assert "model_meta.json: not JSON" in about(made)["notes"][0]


@pytest.mark.parametrize("held", ["{", '{"test": {}}', "[]"])
def test_what_is_no_result_of_mteb(tmp_path: Path, held: str) -> None:
    """A folder without a result is an error that names the first file, or the folder."""
    with pytest.raises(FileFormatError, match="no files"):
        import_mteb(tmp_path)
    (tmp_path / "a.json").write_text(held)
    with pytest.raises(FileFormatError, match=r"a.json: not a result of MTEB"):
        import_mteb(tmp_path)


@pytest.mark.data
def test_odd_files_as_delivered(data: Path) -> None:
    """Files of every odd form have the score that mteb computes for their task, and are holes where it has none."""
    odd = data / "mteb-odd"
    made = import_mteb(odd / "results").isel(metric=0).to_pandas()
    with (odd / "expected.csv").open(encoding="utf-8") as table:
        rows = list(csv.DictReader(table))
    assert len(rows) == 12
    found = made.stack().to_dict()
    for row in rows:
        model = Path(row["file"]).parts[1].replace("__", "/")
        expected = float(row["score_for_task"] or "nan")
        score = found.pop((model, row["task"]), np.nan)
        assert score == pytest.approx(expected, abs=1e-8, nan_ok=True)
    assert np.isnan(list(found.values())).all()


TASKS = (
    "STSBenchmark",
    "STS17",
    "SwednClusteringP2P",
    "ChemHotpotQARetrieval",
    "AmazonReviewsClassification",
    "CmedqaRetrieval",
    "Banking77Classification",
    "WebLINXCandidatesReranking",
    "SanskritShlokasClassification",
    "CQADupstackRetrieval",
)


def odd_board(
    root: Path, models: list[str], rng: np.random.Generator, kinds: list[str]
) -> None:
    """Write a board half of whose results are odd: holes, too few or too many parts, nulls, old forms, revisions."""
    for model in models:
        folder = model.replace("/", "__")
        for task in TASKS:
            odd = rng.choice([*kinds, *["no"] * len(kinds)])
            parts = sorted(mteb_tasks().parts[task].pairs or ())
            scores = {part: round(float(rng.random()), 3) for part in parts}
            if odd == "hole" and task != TASKS[0]:
                continue
            if odd == "lacks":
                scores.pop(parts[0])
            if odd == "more":
                scores["train9", "default"] = 0.99
            held: dict[str, list[dict[str, object]]] = {}
            for (split, subset), score in scores.items():
                null = odd == "null" and (split, subset) == parts[-1]
                entry = {
                    "hf_subset": subset,
                    "languages": ["eng-Latn"],
                    "main_score": None if null else score,
                }
                held.setdefault(split, []).append(entry)
            path = write(root, folder, task, held)
            if odd == "old":
                main = mteb_tasks().main[task]
                splits = {
                    split: {
                        one["hf_subset"]: {main: one["main_score"]} for one in every
                    }
                    for split, every in held.items()
                }
                told = {"mteb_dataset_name": task, "mteb_version": "1.1.0", **splits}
                path.write_text(json.dumps(told), encoding="utf-8")
            if odd == "again":
                again = {
                    split: [{**one, "main_score": 0.5} for one in every]
                    for split, every in held.items()
                }
                write(
                    root, folder, task, again, revision="def456", mteb_version="1.40.0"
                )


WHOLE = ["hole", "more", "old", "again"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*Missing:UserWarning")  # of mteb, on odd files
@pytest.mark.parametrize("kinds", [WHOLE, [*WHOLE, "lacks", "null"]])
def test_the_same_table_as_mteb(tmp_path: Path, kinds: list[str]) -> None:
    """On a board with every oddity, all scores, means and Borda ranks are mteb's.

    The summary of mteb 2.26 gives votes to results that it nulls in its table, as they lack a part of their task. Its
    own count over that table does not, and is the one that we compare with.
    """
    mteb = pytest.importorskip("mteb", reason="the package mteb is not installed")
    tables = pytest.importorskip("mteb.benchmarks._create_table")
    registry = pytest.importorskip("mteb.models.model_implementations").MODEL_REGISTRY
    models = [name for name in registry if name.count("/") == 1][:40]
    odd_board(tmp_path / "results", models, np.random.default_rng(5), kinds)
    benchmark = mteb.Benchmark(name="odd", tasks=mteb.get_tasks(tasks=list(TASKS)))
    theirs = mteb.ResultCache(tmp_path).load_results(
        tasks=benchmark, include_remote=False, require_model_meta=False
    )
    frame = theirs._to_results_df(benchmark.tasks)
    wide, _ = tables._build_per_task_pivot(frame)
    made = import_mteb(tmp_path / "results")
    ours = made.isel(metric=0).to_pandas()
    expected = wide.to_pandas().set_index("model_name").loc[ours.index, ours.columns]
    assert ours.shape == (40, 10)
    assert 0 < ours.isna().to_numpy().sum() < 200
    np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-12)

    board = leaderboard(made, aggregate=["borda", "mean"], resamples=50)
    ranks = ranked(board["value"].sel(aggregate="borda").values)
    counted = wide.select("model_name", rank=tables._get_borda_rank(list(TASKS)))
    assert ranks.tolist() == [dict(counted.iter_rows())[name] for name in ours.index]

    summary = benchmark._create_summary_table(frame).df.to_pandas()
    summary = summary.set_index("Model").loc[ours.index]
    means = board["value"].sel(aggregate="mean").values
    np.testing.assert_allclose(means, summary["Mean (Task)"], rtol=0, atol=1e-12)
    if kinds == WHOLE:
        assert ranks.tolist() == summary["Rank (Borda)"].tolist()
    for kind in {mteb_tasks().kinds[task] for task in TASKS}:
        tasks = [task for task in TASKS if mteb_tasks().kinds[task] == kind]
        mean = ours[tasks].mean(axis=1, skipna=False)
        np.testing.assert_allclose(mean, summary[kind], rtol=0, atol=1e-12)
