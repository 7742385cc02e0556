"""The factors that ship: found by name, what their script makes, and as good as those fitted from the data."""

import hashlib
import importlib.util
import runpy
from pathlib import Path

import numpy as np
import pytest

from irmeta.choices import Kind, names
from irmeta.datasets import factors as factor_files
from irmeta.datasets.catalog import catalog
from irmeta.datasets.reference import shipped_factors
from irmeta.errors import FileFormatError
from irmeta.evaluation.engine import evaluate
from irmeta.scores import standardization
from irmeta.scores.attributes import about
from irmeta.scores.cube import cube
from irmeta.studies.place.study import place

SCRIPT = Path(__file__).parents[2] / "scripts" / "factors.py"
SENT = runpy.run_path(str(SCRIPT.with_name("contributed.py")))
TABLES = [
    *("trec7", "trec8", "robust2003", "robust2004", "robust2004-99"),
    *("web2010", "web2011", "web2012"),
]
RUNS = ["trec-covid-1", "trec-covid-3", "dl2021", "robust2003-17"]
FROM = {"source": "https://a.org", "licence": "CC BY 4.0", "citation": "A. Author"}


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("factors_script", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", shipped_factors())
def test_what_ships_is_valid(name):
    """Every file, whoever sent it, names itself, its source, licence and paper, and where its systems stand."""
    assert list(SENT["faults"](shipped_factors()[name])) == []


def test_what_ships_has_source_and_standing():
    """Every file names its dataset of the catalogue, or was sent, and where each system stands by each metric."""
    assert {*TABLES, *RUNS, "dl2020"} <= set(shipped_factors())
    for name in shipped_factors():
        said = about(factor_files.load(name))
        if said["scores"]["dataset"] != SENT["CONTRIBUTED"]:
            known = catalog()[said["scores"]["dataset"]]
            assert said["scores"]["citation"] == known.citation
        for metric, standing in said["standing"].items():
            assert len(standing["mean"]) == len(said["systems"])
            assert np.mean(standing["standardized"]) == pytest.approx(0.5, abs=0.05)
            assert (
                np.linalg.eigvalsh(said["spread"][metric]["covariance"]).min() >= -1e-12
            )


def test_factors_that_somebody_sends(tmp_path):
    """Factors by the recipe of the docs get their source and go into the folder; what is wrong with others is said."""
    scores = evaluated("robust2005", systems=12)
    factor_files.save(standardization.fit(scores), tmp_path / "robust2005.parquet")
    (tmp_path / "shipped").mkdir()
    added = SENT["add"](tmp_path / "robust2005.parquet", tmp_path / "shipped", **FROM)
    assert about(factor_files.load(added))["scores"] == {
        **FROM,
        "dataset": SENT["CONTRIBUTED"],
    }
    with pytest.raises(SystemExit, match="is there already"):
        SENT["add"](tmp_path / "robust2005.parquet", tmp_path / "shipped", **FROM)


@pytest.mark.parametrize(
    ("name", "systems", "metric", "told", "says"),
    [
        ("Robust 2005", 12, "AP", FROM, "a name has lower-case letters"),
        ("other", 12, "AP", FROM, "its collection is 'robust2005'"),
        ("robust2005", 9, "AP", FROM, "each topic needs scores of 10 systems"),
        ("robust2005", 12, "mine", FROM, "irmeta knows no metric 'mine'"),
        ("robust2005", 12, "AP", {**FROM, "licence": " "}, "does not say its licence"),
    ],
)
def test_factors_that_cannot_ship(tmp_path, name, systems, metric, told, says):
    """A file that lacks something is not left in the folder."""
    scores = evaluated("robust2005", systems=systems, metric=metric)
    factor_files.save(standardization.fit(scores), tmp_path / f"{name}.parquet")
    (tmp_path / "shipped").mkdir()
    with pytest.raises(SystemExit, match=says):
        SENT["add"](tmp_path / f"{name}.parquet", tmp_path / "shipped", **told)
    assert not list((tmp_path / "shipped").iterdir())


def evaluated(collection, *, systems, metric="AP"):
    """Draw scores of systems on 12 topics."""
    values = np.random.default_rng(0).uniform(size=(systems, 12, 1))
    names = [f"run{at}" for at in range(systems)]
    return cube(values, names, list("abcdefghijkl"), [metric], collection=collection)


def test_an_unknown_name_lists_the_nearest(tmp_path, monkeypatch):
    """What is no file and no name of factors raises what may be meant; a file of that name comes first."""
    with pytest.raises(FileFormatError, match="did you mean trec8"):
        factor_files.load("trec-8")
    monkeypatch.chdir(tmp_path)
    factor_files.save(factor_files.load("trec7"), "trec8")
    assert factor_files.load("trec8").attrs["collection"] == "trec7"


@pytest.mark.data
@pytest.mark.parametrize("name", TABLES)
def test_tables_standardize_alike_by_shipped_and_by_fitted_factors(script, data, name):
    """Every kind of standardization gives the same scores to 1e-12."""
    scores = script.matrix(data, name)
    shipped, fitted = factor_files.load(name), standardization.fit(scores)
    assert shipped.attrs["digest"] == fitted.attrs["digest"]
    for kind in names(Kind):
        found, expected = (
            standardization.apply(scores, factors, kind)
            for factors in (shipped, fitted)
        )
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("name", RUNS)
def test_runs_standardize_alike_by_shipped_and_by_fitted_factors(script, data, name):
    """The same of collections whose runs are evaluated again."""
    require_alike(script.scores(data, name), name)


@pytest.mark.data
def test_printed_scores_standardize_alike_by_shipped_and_by_fitted_factors(
    script, data
):
    """The same of a collection whose scores trec_eval printed."""
    require_alike(script.printed(data), "dl2020")


def require_alike(scores, name):
    """Compare what shipped factors make of scores with what those fitted on them make."""
    shipped, fitted = factor_files.load(name), standardization.fit(scores)
    for kind in names(Kind):
        found, expected = (
            standardization.apply(scores, factors, kind)
            for factors in (shipped, fitted)
        )
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.data
def test_topics_of_robust_2003_are_those_of_its_runs(data, script):
    """The table names no topics; 17 runs of the track have the same AP on every one of them."""
    table = script.matrix(data, "robust2003")
    runs = evaluate(
        data / "robust03" / "qrels.txt", data / "robust03" / "runs", "AP"
    ).sel(topic=table.topic.values)
    for scores in runs.values[..., 0]:
        assert np.abs(table.values[..., 0] - scores).max(axis=1).min() < 1e-4


@pytest.mark.data
def test_a_run_of_trec_covid_stands_where_the_official_leaderboard_has_it(data):
    """A run's percentile among the shipped systems is that of its official mean, to a few ranks."""
    folder = data / "trec-covid" / "round1"
    scores = evaluate(
        folder / "qrels.txt",
        folder / "runs" / "BBGhelani1.gz",
        "P@5",
        collection="trec-covid-1",
    )
    outcome = place(scores, on=factor_files.load("trec-covid-1"))
    assert outcome["score"].item() == pytest.approx(0.82)
    assert outcome["percentile"].item() > 97
    assert outcome["best_score"].item() >= outcome["best_automatic"].item()


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "folder"), [("trec-covid-1", "round1"), ("trec-covid-3", "round3")]
)
def test_topics_that_are_only_numbered_are_known_by_their_judgments(data, name, folder):
    """Factors hold the digest of the judgments that they are by; others of such names leave a doubt."""
    factors = factor_files.load(name)
    judged = about(factors)["scores"]["qrels"]["sha256"]
    held = (data / "trec-covid" / folder / "qrels.txt").read_bytes()
    assert judged == hashlib.sha256(held).hexdigest()
    topics = factors.topic.values.tolist()
    doubts = [
        standardization.topic_doubts(
            cube(
                np.ones((2, len(topics), 1)),
                list("ab"),
                topics,
                ["AP"],
                collection=folder,
                provenance={"qrels": {"sha256": one}},
            ),
            factors,
        )
        for one in (judged, judged[::-1])
    ]
    assert [len(one) for one in doubts] == [0, 1]


def test_a_folder_hides_no_factors_that_ship(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name of factors that ship is theirs beside a folder of that name; a file of it comes first."""
    monkeypatch.chdir(tmp_path)
    theirs = factor_files.load("trec8")
    Path("trec8").mkdir()
    assert factor_files.load("trec8").identical(theirs)
    Path("trec8").rmdir()
    factor_files.save(factor_files.load("web2012"), "trec8")
    assert not factor_files.load("trec8").identical(theirs)
