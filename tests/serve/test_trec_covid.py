"""TREC-COVID round 1 through the door: official figures, and what irmeta says of the same files."""

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from fastapi.testclient import TestClient

import irmeta
from irmeta.serve.catalogue import boards, people, submissions, tables
from irmeta.serve.crew.crew import Crew
from irmeta.serve.operating import importing
from irmeta.serve.results.answers import STANDING
from irmeta.serve.site import Site
from irmeta.serve.web.app import application

from .conftest import Served

OFFICIAL = {
    "nDCG@10": "ndcg@10",
    "P@5": "p@5",
    "RBP(p=0.5)": "RBP(p=.5)",
    "Bpref": "bpref",
    "AP": "MAP",
}


@pytest.mark.data
@pytest.mark.slow
def test_all_official_figures_over_http(data: Path, tmp_path: Path) -> None:
    """All 143 runs sent over HTTP have NIST's figures, and the intervals, ranks and places that irmeta gives."""
    folder = data / "trec-covid" / "round1"
    with (folder / "leaderboard.csv").open() as file:
        official = {row["run"]: row for row in csv.DictReader(file)}
    site = Site.make(tmp_path / "site")
    engine = tables.open_catalogue(site.database)
    importing.open_board(
        *(site, engine, "lab"),
        qrels=folder / "qrels.txt",
        metrics=" ".join(OFFICIAL),
        precision="float32",
    )
    token = people.new_token(engine, "test")
    crew = Crew(site, engine, 2)
    with TestClient(application(site, engine, crew)) as client:
        served = Served(site, engine, client, token, crew)
        for name, row in official.items():
            body = (folder / "runs" / f"{name}.gz").read_bytes()
            answer = served.put(name, body, team=row["team"], type=row["runtype"])
            assert answer.status_code in (201, 202), answer.text
        served.wait(
            lambda: submissions.count_by_state(engine, "lab") == {"scored": 143},
            seconds=600,
        )
        version = boards.board_versions(engine)["lab"]
        data_page = f"version {version}, as of"
        served.wait(
            lambda: data_page in client.get("/b/lab/data/index.html").text, seconds=600
        )
        table = client.get("/b/lab/data/table.csv").text
    engine.dispose()
    rows = {row["run"]: row for row in csv.DictReader(io.StringIO(table))}
    assert rows.keys() == official.keys()

    cube = irmeta.evaluate(
        folder / "qrels.txt",
        folder / "runs",
        list(OFFICIAL),
        score_precision="float32",
        collection="lab",
    )
    described = irmeta.describe(cube, by="nDCG@10").sel(metric="nDCG@10")
    teams = {name: row["team"] for name, row in official.items()}
    first = cube.sel(metric=["nDCG@10"], system=list(rows))
    placed = irmeta.place(first, on=irmeta.standardize.fit(first, teams=teams))
    places = {str(name): at for at, name in enumerate(placed.system.values)}
    for name, row in rows.items():
        for metric, column in OFFICIAL.items():
            mean = float(row["mean" if metric == "nDCG@10" else metric])
            assert abs(mean - float(official[name][column])) <= 0.00005 + 1e-9
        one = described.sel(system=name)
        for figure in ("mean", "low", "high", "rank", "rank_low", "rank_high"):
            assert float(row[figure]) == pytest.approx(one[figure].item(), abs=1e-12)
        at = places[name]
        for figure, of_place in STANDING.items():
            wanted = placed[of_place].values[at, 0]
            np.testing.assert_allclose(float(row[figure]), wanted, atol=1e-12)
