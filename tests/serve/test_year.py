"""A track's year, from its invitations to the frozen site, by the commands of the page on boards."""

import csv
from pathlib import Path

from irmeta.serve.pages import publishing

from .conftest import DOCUMENTS, TOPICS, a_run, work_off, write_qrels
from .test_people import serving


def test_a_track_lasts_a_year(run, tmp_path: Path) -> None:
    """Teams come, submit, replace, withdraw; runs are pooled; scores come at the reveal, and are corrected."""
    topics, documents = tmp_path / "topics.txt", tmp_path / "ids.txt"
    topics.write_text("\n".join(TOPICS))
    documents.write_text("\n".join(DOCUMENTS))
    where = ("--site", str(tmp_path / "site"))

    def board(verb: str, *words: object) -> str:
        code, out, error = run("board", verb, "covid1", *map(str, words), *where)
        assert code == 0, error
        return out

    given = ("--topics", topics, "--documents", documents, "-m", "P@5 AP")
    board("new", *given, "--closes", "2999-08-01", "--per-team", 3)
    secrets = {
        team: board("invite", "--team", team).strip().rpartition("#")[2]
        for team in ("Lund", "Oslo")
    }
    for site, engine, client in serving(tmp_path / "site"):
        tokens = {}
        for team, secret in secrets.items():
            form = {"secret": secret, "name": f"of {team}"}
            tokens[team] = client.post("/v1/invitations", json=form).json()["token"]

        def put(team: str, name: str, seed: int, **about: str) -> dict:
            headers = {"Authorization": f"Bearer {tokens[team]}"}  # noqa: B023
            path = f"/v1/boards/covid1/runs/{name}"
            body = a_run(seed, seed / 3)
            answer = client.put(path, content=body, headers=headers, params=about)  # noqa: B023
            return {"status": answer.status_code, **answer.json()}

        assert put("Lund", "a", 1)["left"] == 2
        assert put("Lund", "a", 2, replace="1")["left"] == 1
        key = put("Lund", "b", 3)["key"]
        assert put("Lund", "c", 4)["status"] == 429
        assert put("Oslo", "a", 0)["status"] == 201
        headers = {"Authorization": f"Bearer {tokens['Lund']}"}
        path = f"/v1/submissions/{key}/withdraw"
        assert client.post(path, headers=headers).json()["state"] == "withdrawn"
        work_off(site, engine)
        board("pool", "--depth", 5, "--runs", 1, "-o", tmp_path / "pool.tsv")
        pooled = (tmp_path / "pool.tsv").read_text().splitlines()
        assert len(TOPICS) * 5 <= len(pooled) <= len(TOPICS) * 10
        qrels = write_qrels(tmp_path / "qrels.txt")
        assert "commitment" in board("judgments", "--qrels", qrels)
        work_off(site, engine)
        assert "feedback none" in run("board", "check", *where)[1]
        publishing.publish(site)
        assert not (site.public / "b/covid1/data").exists()
        assert "revealed" in board("reveal", "--confirm", "covid1")
        publishing.publish(site)
        with (site.public / "b/covid1/data/table.csv").open() as file:
            rows = [
                (row["team"], row["run"], row["rank"]) for row in csv.DictReader(file)
            ]
        assert [row[0] for row in rows[:2]] == ["Lund", "Oslo"]
        assert sorted(row[2] for row in rows) == ["", "", "1", "2"]
        qrels = write_qrels(tmp_path / "second.txt", without=TOPICS[0])
        board("judgments", "--qrels", qrels, "--note", "a topic is out")
        work_off(site, engine)
        assert "is whole" in board("log", "--verify")
    code, _, error = run("freeze", where[1], "-o", str(tmp_path / "frozen"))
    assert code == 0, error
    changes = (tmp_path / "frozen/b/covid1/changes/index.html").read_text()
    for says in ("a topic is out", "revealed", "commitment", "Whom version 2 moved"):
        assert says in changes
    assert "of Lund" not in changes
