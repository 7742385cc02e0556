"""The commands serve, submit, freeze and board, and the tasks of children, within this process."""

import base64
import gzip
import hashlib
import io
import json
import re
import socket
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
import requests
import sqlalchemy as sa
from sqlalchemy import Engine

import irmeta
from irmeta.errors import IrmetaError
from irmeta.io.formats.nights import read_nights
from irmeta.serve import client, running
from irmeta.serve.catalogue import boards, databases, people, submissions, tables
from irmeta.serve.catalogue.snapshot import snapshot
from irmeta.serve.crew import tasks
from irmeta.serve.crew.child import Child
from irmeta.serve.operating import importing
from irmeta.serve.results.standing import compute_standing
from irmeta.serve.site import Site

from .conftest import (
    TOPICS,
    a_run,
    application_of,
    on_a_port,
    work_off,
    write_qrels,
)


@pytest.fixture(scope="module")
def listening(
    tmp_path_factory: pytest.TempPathFactory, child: Child
) -> Iterator[tuple[Site, str]]:
    """A server on a port, and the address of its board."""
    folder = tmp_path_factory.mktemp("listening")
    site = Site.make(folder / "site")
    engine = tables.open_catalogue(site.database)
    running.fill_site(site, engine, write_qrels(folder / "lab.txt"), [], "nDCG@10 AP")
    running.token_file(site, engine)
    with on_a_port(application_of(site, engine, child)) as port:
        yield site, f"http://127.0.0.1:{port}/b/lab"
    engine.dispose()


def member_of(engine: Engine, board: str, to: str, folder: Path) -> Path:
    """Invite somebody into a team of a board; return the file with the token."""
    welcome = requests.post(
        f"{to.partition('/b/')[0]}/v1/invitations",
        json={"secret": people.invite(engine, board, "member", "Lund"), "name": "Ada"},
        timeout=60,
    )
    token = folder / "token"
    token.write_text(welcome.json()["token"])
    token.chmod(0o600)
    return token


def test_a_member_waits_for_a_score_that_not_everybody_may_see(
    run, listening: tuple[Site, str], tmp_path: Path
) -> None:
    """A run on a board for members gets its score and rank on the terminal; strangers find no record."""
    site, to = listening
    engine = tables.open_catalogue(site.database)
    qrels = write_qrels(tmp_path / "qrels")
    importing.open_board(site, engine, "club", qrels=qrels, visibility="members")
    token = member_of(engine, "club", to, tmp_path)
    (tmp_path / "mine").write_bytes(a_run(7))
    club = to.replace("/lab", "/club")
    sent = ["submit", str(tmp_path / "mine"), "--to", club]
    code, out, said = run(*sent, "--token-file", str(token), "--wait")
    assert code == 0, said
    assert "rank 1 of 1" in out
    page = next(site.private.glob("b/club/s/*/record.json")).relative_to(site.private)
    for headers in ({}, {"Authorization": "Bearer nonsense"}):
        where = f"{to.partition('/b/')[0]}/private/{page}"
        assert requests.get(where, headers=headers, timeout=60).status_code == 404
    engine.dispose()


def test_a_hidden_board_takes_a_run_and_shows_no_score(
    run, listening: tuple[Site, str], tmp_path: Path
) -> None:
    """Whoever waits for a score is told that there is none; a gate is refused before the run counts."""
    site, to = listening
    track = to.replace("/lab", "/track")
    engine = tables.open_catalogue(site.database)
    qrels = write_qrels(tmp_path / "qrels")
    importing.open_board(site, engine, "track", qrels=qrels, opens="now")
    token = member_of(engine, "track", to, tmp_path)
    (tmp_path / "mine").write_bytes(a_run(7))
    given = [str(tmp_path / "mine"), "--to", track, "--token-file", str(token)]
    gate = ["--baseline", "mine", "--fail-if-worse", "0.1"]
    code, _, said = run("submit", *given, "--wait", *gate)
    assert (code, submissions.count_by_state(engine, "track")) == (2, {})
    assert "nothing was sent: --fail-if-worse needs scores" in said
    assert "which this board shows after its reveal" in " ".join(said.split())
    code, out, _ = run("submit", *given, "--wait")
    assert code == 0
    assert "This board shows no scores yet" in out
    assert "your team is told" not in out
    page = re.escape(track.replace("/b/", "/my/b/"))
    assert re.search(rf"^mine: accepted; {page}; key [a-z2-7]{{16}}$", out, re.M)
    ladder = {"feedback": "ladder", "step": 0.2}
    boards.set_board(engine, "track", ladder, typed="track")
    (tmp_path / "mine").write_bytes(a_run(9))
    code, out, _ = run("submit", *given)
    assert (code, "mine: a run mine of team Lund is there already" in out) == (2, True)
    _, out, _ = run("submit", *given, "--wait", "--name", "early")
    assert "early: your team is told no nDCG@10: where the ladder stands" in out
    _, out, _ = run("board", "show", "track", "--site", str(site.folder))
    assert re.search(
        "^feedback +ladder: where the ladder stands.*, by nDCG@10$", out, re.M
    )
    importing.import_runs(site, engine, "track", [tmp_path / "mine"])
    (tmp_path / "mine").write_bytes(a_run(8, 3.0))
    code, out, _ = run("submit", *given, "--wait", "--name", "next")
    assert code == 0
    says = r"^next: your team is told nDCG@10 \d?\.\d+: where the ladder stands"
    assert re.search(says, out, re.MULTILINE)
    engine.dispose()


def _lines_of(site: Site) -> list[str]:
    """Name the runs that the board ranks."""
    engine = tables.open_catalogue(site.database)
    ranked = compute_standing(snapshot(engine, "lab"), {}).ranked
    engine.dispose()
    return [line.label for line in ranked]


def test_a_nightly_run_is_judged(run, listening: tuple[Site, str], tmp_path) -> None:
    """Exit codes say what came of a run; of nights that replace each other one is ranked, and all are looks."""
    site, to = listening
    given = ["--to", to, "--token-file", str(site.folder / "token")]
    for name, skill in (("good", 3.0), ("bad", 0.0), ("worst", -1.0)):
        (tmp_path / name).write_bytes(a_run(7, skill))
    code, out, _ = run("submit", str(tmp_path / "good"), *given, "--wait")
    assert code == 0
    assert re.search(
        r"good: scored; http://.*/s/([a-z2-7]{16})/; key \1\nnDCG@10 \d?\.\d+", out
    )
    night = ["--name", "night", "--baseline", "good", "--wait"]
    night += ["--fail-if-worse", "0.02"]
    code, out, _ = run("submit", str(tmp_path / "bad"), *given, *night)
    assert code == 3, out
    assert re.search(r"good: -\.\d+ \(-\.\d+ to -\.\d+\)", out)
    night[1] = "worst"
    code, out, _ = run("submit", str(tmp_path / "worst"), *given, *night)
    assert code == 3
    assert out.splitlines()[-2] == "good: -1.000"  # on each topic: no interval
    assert out.splitlines()[-1].startswith("Worse: by nDCG@10 ")
    code, out, _ = run("submit", str(tmp_path / "good"), *given, "--name", "night")
    assert code == 2
    assert "a run night without a team is there already, with other content" in out
    assert "choose another name, or replace that run (--name NAME" in out
    before = len(_lines_of(site))
    nights = [*given, *night, "--history", str(tmp_path / "n.jsonl"), "--replace"]
    nights[nights.index("worst")] = "nightly"
    for seed in (11, 12, 13):
        (tmp_path / "tonight").write_bytes(a_run(seed, 0.4))
        code, out, _ = run("submit", str(tmp_path / "tonight"), *nights)
        assert code in (0, 3), out
        nothing = "nightly: nothing was replaced: there was no other run nightly without a team; --team names one"
        assert (nothing in out) == (seed == 11)
    assert len(_lines_of(site)) == before + 1
    assert len(read_nights(tmp_path / "n.jsonl")) == 3
    (tmp_path / "broken").write_text("x\n")
    code, out, _ = run("submit", str(tmp_path / "broken"), *given, "--check")
    assert code == 1
    (tmp_path / "tags").write_bytes(a_run(7).replace(b"tag", b"gat", 1))
    code, out, _ = run("submit", str(tmp_path / "tags"), *given, "--check")
    assert (code, "the system is named tags" in out) == (0, True)
    given += ["--format", "json"]
    for name, verdict in (("tags", "would be taken"), ("broken", "would be refused")):
        _, out, _ = run("submit", str(tmp_path / name), *given, "--check")
        assert json.loads(out)[0]["verdict"] == verdict
    given = given[:-2]
    equal = ["--name", "twin", "--baseline", "night", "--wait"]
    _, out, _ = run("submit", str(tmp_path / "bad"), *given, *equal)
    assert out.splitlines()[-1] == "night: +.000, equal on every topic"
    code, _, error = run("submit", str(tmp_path), *given)
    assert (code, "a folder; name its files" in error) == (2, True)
    code, out, _ = run("submit", str(tmp_path / "good"), *given, "--format", "json")
    assert (code, json.loads(out)[0]["state"]) == (0, "scored")


@pytest.mark.parametrize(
    ("to", "says"),
    [
        ("https://runs.example.org", "not the address of a board"),
        ("http://runs.example.org/b/lab", "over https only"),
        ("http://127.0.0.1:9/b/lab", "no server answers"),
    ],
)
def test_submit_says_what_is_wrong_with_an_address(
    run, tmp_path: Path, monkeypatch, to: str, says: str
) -> None:
    """An address without a board, one in the clear, and one where nobody listens are each refused by name."""
    monkeypatch.setenv("IRMETA_TOKEN", "x")
    (tmp_path / "run").write_bytes(a_run(1))
    code, _, error = run("submit", str(tmp_path / "run"), "--to", to)
    assert code == 2
    assert says in error


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("--fail-if-worse 0.02", "--fail-if-worse needs --wait and --baseline, too"),
        ("--fail-if-worse 0.02 --wait", "--fail-if-worse needs --baseline, too"),
        ("--fail-if-worse 0 --baseline a", "--fail-if-worse needs --wait, too"),
        ("--unless-safe --wait", "--unless-safe needs --fail-if-worse, too"),
        ("--history nights.jsonl", "--history needs --fail-if-worse, too"),
        ("--repeat 2", "--repeat needs --system, too"),
        ("--check --wait", "--check keeps no run: leave out --wait"),
        (
            "--check --replace --baseline a",
            "--check keeps no run: leave out --replace and --baseline",
        ),
        ("two --name x", "--name names one run"),
        ("--fail-if-worse -1", "-1"),
        ("--fail-if-worse nan --wait --baseline a", "nan"),
        ("s3://bucket/run", "no such file"),
        ("sub/one --replace", "one and sub/one: all would be called one; rename"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    run, tmp_path: Path, monkeypatch, options: str, says: str
) -> None:
    """Options that mean nothing together exit with 2 and name the mend before anything is sent."""
    monkeypatch.setenv("IRMETA_TOKEN", "x")
    monkeypatch.setattr(client.exchange, "ask", lambda *_, **__: pytest.fail("sent"))
    (tmp_path / "sub").mkdir()
    for name in ("one", "two", "sub/one"):
        (tmp_path / name).write_bytes(a_run(1))
    words = options.split()
    runs = [] if "://" in options else ["one"]
    code, out, error = run("submit", *runs, *words, "--to", "http://127.0.0.1/b/lab")
    assert (code, out) == (2, "")
    assert says in error


@pytest.mark.parametrize("address", ["s3://bucket/x", "https://127.0.0.1:9/x"])
def test_an_address_is_no_file_of_a_site(run, tmp_path: Path, address: str) -> None:
    """Addresses where the shell wants judgments, topics or runs are files that are not there; nothing is fetched."""
    site = ["--site", tmp_path / "site"]
    qrels = write_qrels(tmp_path / "q.txt")
    assert run("board", "new", "lab", *site, "--qrels", qrels)[0] == 0
    for words in (
        ["board", "new", "two", *site, "--qrels", address],
        ["board", "new", "two", *site, "--topics", address],
        ["board", "new", "two", *site, "--qrels", qrels, "--factors", address],
        ["board", "import", "lab", *site, address],
        ["board", "rescore", "lab", *site, "--qrels", address],
    ):
        code, out, error = run(*words)
        assert (code, out) == (2, ""), words
        assert "x: " in error


def test_arguments_that_are_wrong_are_no_refusals(
    run, listening: tuple[Site, str], tmp_path, monkeypatch
) -> None:
    """A wrong token, board, name or baseline exits with 2 and a sentence; a run that is refused exits with 1."""
    site, to = listening
    token = (site.folder / "token").read_text().strip()
    (tmp_path / "one").write_bytes(a_run(8))
    (tmp_path / "empty").write_bytes(b"")
    for secret, where, more, says in (
        ("x", to, [], "this token opens nothing here"),
        (token, f"{to}er", [], "there is no board 'laber'; there are "),
        (token, to, ["--name", "a b"], "--name a b: a run's name has 1 to 40 of"),
        (token, to, ["--baseline", "who"], "the board has no run 'who'"),
    ):
        monkeypatch.setenv("IRMETA_TOKEN", secret)
        code, out, error = run("submit", str(tmp_path / "one"), "--to", where, *more)
        assert (code, out) == (2, "")
        assert says in error
    code, out, _ = run("submit", str(tmp_path / "empty"), "--to", to)
    assert code == 1
    assert "the file is empty; did the run retrieve nothing?\n" in out
    answer = requests.put(
        f"{to.replace('/b/', '/v1/boards/')}/runs/a%20b",
        headers={"Authorization": f"Bearer {token}"},
        timeout=60,
    )
    assert answer.json()["detail"].startswith("name: a run's name has 1 to 40 of")


def test_runs_are_named_as_evaluate_names_them(
    run, listening: tuple[Site, str], tmp_path, monkeypatch
) -> None:
    """A run is called as its file is, without what only says that it is a run; so is the baseline that is named."""
    site, to = listening
    monkeypatch.setenv("IRMETA_TOKEN", (site.folder / "token").read_text().strip())
    for seed, name in ((9, "input.tabs.gz"), (10, "newer.run")):
        packed = gzip.compress(a_run(seed)) if name.endswith("gz") else a_run(seed)
        (tmp_path / name).write_bytes(packed)
    code, out, _ = run("submit", str(tmp_path / "input.tabs.gz"), "--to", to)
    assert (code, out.partition(":")[0]) == (0, "tabs")
    given = ["--to", to, "--baseline", "tabs.run", "--wait", "--format", "json"]
    code, out, _ = run("submit", str(tmp_path / "newer.run"), *given)
    assert code == 0
    assert json.loads(out)[0]["score"]["label"] == "newer"
    assert json.loads(out)[0]["score"]["claim"]["name"] == "tabs"


def test_a_token_is_ours_alone(tmp_path: Path, monkeypatch) -> None:
    """A token that others can read, that is lost, or that nobody gave, is refused with the mend."""
    monkeypatch.delenv("IRMETA_TOKEN", raising=False)
    with pytest.raises(IrmetaError, match="IRMETA_TOKEN"):
        client.read_token(None)
    path = tmp_path / "token"
    with pytest.raises(IrmetaError, match="cannot be read"):
        client.read_token(path)
    path.write_text("secret\n")
    path.chmod(0o644)
    with pytest.raises(IrmetaError, match="chmod 600"):
        client.read_token(path)
    path.chmod(0o600)
    assert client.read_token(path) == "secret"


def test_serve_makes_and_fills_a_site_once(tmp_path: Path, monkeypatch, capsys) -> None:
    """The same command again goes on; other judgments, runs without judgments, an odd address are refused."""
    monkeypatch.setattr("irmeta.serve.running.uvicorn.run", lambda *_, **__: None)
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs/one.gz").write_bytes(a_run(1))
    given = {"listen": "127.0.0.1:8400", "metrics": "AP", "children": 1}
    with pytest.raises(IrmetaError, match="no such file"):
        running.serve(tmp_path / "site", **given, qrels=tmp_path / "no", runs=[])
    assert not (tmp_path / "site").exists()
    qrels = write_qrels(tmp_path / "My qrels.txt")
    given |= {"qrels": qrels, "runs": [tmp_path / "runs"]}
    for _ in range(2):
        running.serve(tmp_path / "site", **given)
        printed = capsys.readouterr().out
        assert (
            "submit: irmeta submit RUN --to http://127.0.0.1:8400/b/my-qrels" in printed
        )
    engine = tables.open_catalogue(Site.open(tmp_path / "site").database)
    assert submissions.count_by_state(engine, "my-qrels") == {"received": 1}
    engine.dispose()
    write_qrels(qrels, without="301")
    with pytest.raises(IrmetaError, match="board rescore my-qrels"):
        running.serve(tmp_path / "site", **given)
    with pytest.raises(IrmetaError, match="runs= needs"):
        running.serve(tmp_path / "site", **{**given, "qrels": None})
    for odd in ("8400", "127.0.0.1:99999", "127.0.0.1:１"):
        with pytest.raises(IrmetaError, match="name an address and a port"):
            running.serve(tmp_path / "site", **{**given, "listen": odd})
    with pytest.raises(IrmetaError, match="put a proxy with https in front"):
        running.serve(tmp_path / "site", **{**given, "listen": "0.0.0.0:8400"})
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = {**given, "listen": f"127.0.0.1:{other.getsockname()[1]}"}
        with pytest.raises(IrmetaError, match="choose another port"):
            running.serve(tmp_path / "site", **taken)
    running.serve(tmp_path / "new", **{**given, "qrels": None, "runs": []})
    assert "no board yet" in capsys.readouterr().out


def test_an_import_brings_no_run_twice(run, tmp_path: Path) -> None:
    """The same bytes under the same name are one run, whatever a table says; what it says counts where it may."""
    qrels, runs = write_qrels(tmp_path / "q.txt"), tmp_path / "runs"
    runs.mkdir()
    for at, name in enumerate("abcd"):
        (runs / name).write_bytes(a_run(at))
    where = ["lab", "--site", str(tmp_path / "site")]
    assert run("board", "new", *where, "--qrels", str(qrels))[0] == 0
    brought = ["board", "import", *where, str(runs)]
    assert "4 new; the server" in run(*brought)[1]
    of = Site.open(tmp_path / "site")
    engine = tables.open_catalogue(of.database)
    work_off(of, engine)

    def held() -> dict[str, tuple[str, str, str, int]]:
        with engine.begin() as db:
            found = db.execute(sa.select(tables.submission)).all()
        assert len(found) == 4
        said = ("team", "type", "state", "received")
        return {one.name: tuple(getattr(one, what) for what in said) for one in found}

    before = held()
    with engine.begin() as db:
        own = tables.submission.c.name == "c"
        db.execute(tables.submission.update().where(own).values(person=1, team="Ann's"))
    run("board", "withdraw", *where, "d")
    table = tmp_path / "table.csv"
    table.write_text(
        "run,team,type,date\na,Lund,manual,2026-01-02\nb,Ulm,,\n"
        "c,Lund,manual,2026-01-02\nd,Lund,manual,2026-01-02\n"
    )
    code, out, err = run(*brought, "--table", str(table))
    assert (code, out) == (
        0,
        "lab: 0 new\nlab: 4 runs there already; the table changes 3 of them\n",
    )
    assert "c keeps its date and team, because its team sent it" in err
    back = "to rank it again, import it under another name"
    assert f"d stays withdrawn; {back}" in " ".join(err.split())
    found, dated = held(), 1767312000_000000
    assert found == {
        "a": ("Lund", "manual", "scored", dated),
        "b": ("Ulm", "", "scored", before["b"][3]),
        "c": ("Ann's", "manual", "scored", before["c"][3]),
        "d": ("", "", "withdrawn", before["d"][3]),
    }
    _, out, err = run(*brought)
    assert "lab: 4 runs there already\n" in out
    assert f"d stays withdrawn; {back}" in " ".join(err.split())
    assert held() == found
    run("board", "set", *where, "--frozen", "now", "--confirm", "lab")
    table.write_text("run,team\na,Graz\nb,Graz\n")
    said = run(*brought, "--table", str(table))[2]
    assert "a, b: each keeps its team, because the board is frozen" in said
    assert "d stays withdrawn\n" in said
    assert held() == found
    engine.dispose()


def test_a_withdrawn_duplicate_hides_no_run(run, tmp_path: Path) -> None:
    """An import describes the run that is on the table, though a newer one of its bytes and name was withdrawn."""
    (tmp_path / "a").write_bytes(a_run(1))
    where = ["lab", "--site", str(tmp_path / "site")]
    qrels = write_qrels(tmp_path / "q.txt")
    assert run("board", "new", *where, "--qrels", str(qrels))[0] == 0
    brought = ["board", "import", *where, str(tmp_path / "a")]
    assert run(*brought)[0] == 0
    engine = tables.open_catalogue(Site.open(tmp_path / "site").database)
    with engine.begin() as db:
        one = dict(db.execute(sa.select(tables.submission)).mappings().one())
        del one["id"]
        one |= {"key": "other", "team": "Ulm", "state": "withdrawn"}
        db.execute(sa.insert(tables.submission).values(one))
    (tmp_path / "t.csv").write_text("run,team\na,Lund\n")
    _, out, err = run(*brought, "--table", str(tmp_path / "t.csv"))
    assert "1 run there already; the table changes 1 of them" in out
    assert "withdrawn" not in err
    wanted = sa.select(tables.submission.c.team, tables.submission.c.state)
    with engine.begin() as db:
        found = set(map(tuple, db.execute(wanted)))
    assert found == {("Lund", "received"), ("Ulm", "withdrawn")}
    engine.dispose()


def test_boards_from_the_shell(run, tmp_path: Path) -> None:
    """A board is made, filled, changed, shown, judged again, checked, frozen, and made of a frozen one."""
    site, qrels = ["--site", str(tmp_path / "site")], write_qrels(tmp_path / "q.txt")
    (tmp_path / "documents").write_text("\n".join(f"d{at:02}" for at in range(30)))
    (tmp_path / "topics").write_text("\n".join(TOPICS))
    new = ["board", "new", "lab", *site, "--topics", str(tmp_path / "topics")]
    new += ["--documents", str(tmp_path / "documents"), "--licence", "CC0"]
    assert run(*new, "--precision", "float16")[0] == 2
    assert run(*new)[0] == 0
    assert "already" in run(*new)[2]
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(a_run(3 + ord(name)))
    runs = [str(tmp_path / "a"), str(tmp_path / "b")]
    assert "2 new" in run("board", "import", "lab", *runs, *site)[1]
    rescore = ["board", "rescore", "lab", *site]
    assert "version 1" in run(*rescore, "--qrels", str(qrels))[1]
    of = Site.open(tmp_path / "site")
    engine = tables.open_catalogue(of.database)
    work_off(of, engine)
    engine.dispose()
    assert "2 runs" in run(*rescore)[1]
    changed = run("board", "set", "lab", *site, "--publish-runs", "yes", "-m", "AP")
    assert changed[:2] == (0, "lab: metrics, publish-runs changed\n")
    shown = run("board", "show", "lab", *site)[1].split("\n")
    lines = {line[:18].rstrip(): line[18:] for line in shown}
    assert lines["licence"] == "CC0"
    assert lines["publish-runs"] == "yes"
    assert lines["accepted"] == "2"
    assert lines["feedback"] == "none"
    early = run("board", "set", "lab", *site, "--closes", "2001-01-01")
    assert "the board closes at 2001-01-01 00:00:00, before it opens" in early[2]
    assert run("board", "check", *site)[0] == 0
    frozen = str(tmp_path / "frozen")
    assert run("freeze", str(tmp_path / "site"), "-o", frozen, "--runs")[0] == 0
    copied = {path.read_bytes() for path in Path(frozen).glob("b/lab/runs/*")}
    assert copied == {(tmp_path / name).read_bytes() for name in ("a", "b")}
    other = ["--site", str(tmp_path / "other")]
    assert "lab: imported" in run("board", "import", "lab", frozen, *other)[1]
    said = run("board", "import", "none", frozen, *other)[2]
    assert "no board 'none' in it; it has lab" in said
    for part in ("b", "b/lab", "b/lab/data"):
        said = run("board", "import", "lab", f"{frozen}/{part}", *other)[2]
        assert "a part of a frozen site; give the whole: " in said
    assert run("board", "import", "lab", f"{frozen}/b/lab/runs", *site)[0] == 0
    assert (
        "not a frozen site"
        in run("freeze", str(of.folder), "-o", str(of.public.parent))[2]
    )


def test_children_check_and_score(tmp_path: Path) -> None:
    """A child's answers to its tasks are the remarks of validate and the scores of evaluate, and nothing else."""
    qrels, path = write_qrels(tmp_path / "qrels.txt"), tmp_path / "run"
    path.write_bytes(a_run(5) + b"301 Q0 d99 30 0 tag\n" * 1)
    (tmp_path / "documents").write_text("\n".join(f"d{at:02}" for at in range(30)))
    given = {"topics": TOPICS, "documents": str(tmp_path / "documents"), "depth": 100}
    found = tasks.check(str(path), "mine", **given)
    assert list(found) == ["remarks", "header"]
    (tmp_path / "odd").write_text("301 0 d01 1\n301 0 d01\n" * 15)
    odd = tasks.check(str(tmp_path / "odd"), "odd", **given)["remarks"]
    assert len(odd) == 21
    assert odd[-1]["text"].startswith("and ")
    assert [one["level"] for one in found["remarks"]].count("error") == 1
    scored = tasks.score(str(path), str(qrels), ["AP", "P@5"], TOPICS, "float64")
    cube = irmeta.evaluate(qrels, [path], "AP P@5")
    assert list(scored) == ["vectors"]
    for metric, text in scored["vectors"].items():
        vector = np.frombuffer(base64.b64decode(text), dtype="<f8")
        expected = cube.sel(metric=metric, topic=TOPICS).values[0]
        np.testing.assert_array_equal(vector, expected)
    path.write_bytes(b"399 Q0 d01 1 9 tag\n")
    missed = tasks.score(str(path), str(qrels), ["AP", "P@5"], TOPICS, "float64")
    zeros = base64.b64encode(bytes(8 * len(TOPICS))).decode()
    assert missed == {"vectors": {"AP": zeros, "P@5": zeros}}
    site = str(Site.make(tmp_path / "site").folder)
    assert tasks.publish(site) == {"versions": {}}
    tasks._publisher(site)._engine.dispose()


def test_what_cannot_be_scored_fails_after_two_trials(tmp_path: Path) -> None:
    """A run whose judgments are lost fails after two trials, with the reason; scored again, it has its score."""
    site = Site.make(tmp_path / "site")
    engine = tables.open_catalogue(site.database)
    qrels = write_qrels(tmp_path / "qrels.txt")
    importing.open_board(site, engine, "lab", qrels=qrels)
    (tmp_path / "one").write_bytes(a_run(1))
    importing.import_runs(site, engine, "lab", [tmp_path / "one"])
    truth = site.judgments_path(hashlib.sha256(qrels.read_bytes()).hexdigest())
    truth.unlink()
    work_off(site, engine)
    assert submissions.count_by_state(engine, "lab") == {"failed": 1}
    truth.write_bytes(qrels.read_bytes())
    assert boards.rescore(engine, "lab") == 1
    work_off(site, engine)
    assert submissions.count_by_state(engine, "lab") == {"scored": 1}
    engine.dispose()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("team\nx\n", "names no run"),
        (
            "run,date\na,2026-01-01T00:00+01:00\nb,yesterday\n",
            "'yesterday' is not a date",
        ),
        ("run,date\na,1969-12-31\n", "'1969-12-31' is not between 1970 and"),
        ("run\na\na\n", "table.csv:3: 'a' stands on an earlier line"),
        ("run,date\na,\nb,never\n", "table.csv:3: 'never' is not the date of a run"),
    ],
)
def test_tables_that_are_none(tmp_path: Path, text: str, says: str) -> None:
    """A table without a column of runs, with a date that is none, or with a run twice, is refused by name."""
    path = tmp_path / "table.csv"
    path.write_text(text)
    with pytest.raises(IrmetaError, match=says):
        importing.read_table(path)


def test_a_list_without_an_id_is_refused(tmp_path: Path) -> None:
    """Topics or documents of a file that names none are no list."""
    (tmp_path / "ids.txt").write_text("\n \n")
    with pytest.raises(IrmetaError, match="ids.txt: there are no ids"):
        importing.read_id_lines(tmp_path / "ids.txt")


def test_organizers_read_who_is_invited_and_who_did_it(run, tmp_path: Path) -> None:
    """Invitations say where their address comes from and are listed until they are taken; the log has names."""
    site = tmp_path / "site"
    given = ["track", "--site", site]
    qrels = write_qrels(tmp_path / "q.txt")
    assert run("board", "new", *given, "--qrels", qrels)[0] == 0
    code, link, note = run("board", "invite", *given, "--team", "Lund")
    assert (code, link.startswith("http://127.0.0.1:8400/i/#")) == (0, True)
    assert "replace http://127.0.0.1:8400, or set address in" in " ".join(note.split())
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    pattern = rf"^ +member +Lund +invited {today}, until \d{{4}}-\d\d-\d\d$"
    assert re.search(pattern, run("board", "people", *given)[1], re.MULTILINE)
    engine = tables.open_catalogue(Site.open(site).database)
    ann = people.take_invitation(engine, link.strip().rpartition("#")[2], "Ann").person
    [key] = [one.key for one in people.people_of_board(engine, 1)]
    assert "invited" not in run("board", "people", *given)[1]
    assert "came in as member of Lund by Ann" in run("board", "log", *given)[1]
    people.remove_person(engine, "track", key)
    assert "removed Ann\n" in run("board", "log", *given)[1]
    people.erase_person(engine, key)
    erased = run("board", "log", *given, "--verify")[1]
    assert (f"removed person {ann}\n" in erased, "Ann" in erased) == (True, False)
    engine.dispose()
    (site / "site.toml").write_text('address = "https://runs.example.org"\n')
    code, link, note = run("board", "invite", *given, "--role", "organizer")
    assert (link.startswith("https://runs.example.org/i/#"), note) == (True, "")


def test_each_score_file_makes_a_board_of_its_own(run, tmp_path: Path) -> None:
    """A second file that would make another board is refused before there is one."""
    site = tmp_path / "site"
    given = ("two", "one.parquet", "other.parquet", "--site", site)
    code, _, error = run("board", "import", *given)
    assert (code, "import other.parquet by another KEY" in " ".join(error.split())) == (
        2,
        True,
    )
    assert not site.exists()


@pytest.fixture
def track(run, tmp_path: Path) -> tuple[str, ...]:
    """A board with a date, by what commands say of it."""
    (tmp_path / "topics").write_text("\n".join(TOPICS))
    given = ("track", "--site", str(tmp_path / "site"))
    topics = ("--topics", tmp_path / "topics", "--closes", "2999-01-01")
    assert run("board", "new", *given, *topics)[0] == 0
    return given


def test_a_split_is_drawn_whenever_it_is_set(run, track, tmp_path: Path) -> None:
    """A board that is given a split shows the topics that one made with it shows."""
    folder = Path(track[-1])
    said = run("board", "set", *track, "--feedback", "split")
    assert (said[0], "--confirm track" in " ".join(said[2].split())) == (2, True)
    given = ("--feedback", "split", "--confirm", "track")
    assert run("board", "set", *track, *given)[0] == 0
    other = ("track", "--site", tmp_path / "other", "--closes", "2999-01-01")
    new = ("board", "new", *other, "--topics", tmp_path / "topics", *given[:2])
    assert run(*new)[0] == 0
    shown = []
    for one in (folder, tmp_path / "other"):
        engine = tables.open_catalogue(Site.open(one).database)
        shown.append(boards.board_of(engine, "track").feedback_topics)
        engine.dispose()
    assert shown[0] == shown[1]
    assert len(shown[0]) == len(TOPICS) // 3
    assert "step" not in run("board", "show", *track)[1]


def test_settings_that_do_nothing_are_said(run, track, tmp_path: Path) -> None:
    """Feedback where nothing is hidden is refused; runs after the reveal, and anchors without a run, get a note."""
    new = ("board", "new", "open", *track[1:], "--topics", tmp_path / "topics")
    assert "no dates" in run(*new, "--feedback", "split")[2]
    late = run("board", "set", *track, "--reveals", "2998-01-01", "--confirm", "track")
    assert "those between are not ranked" in " ".join(late[2].split())
    anchors = run("board", "set", *track, "--anchors", "bm25")
    assert (anchors[0], "no run bm25" in " ".join(anchors[2].split())) == (0, True)
    wrong = " ".join(run("board", "set", *track, "--closes", "yesterday")[2].split())
    assert "2020-05-14T23:59 (UTC), now or never" in wrong


def test_a_reveal_needs_judgments_and_the_key(
    run, track, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A board without judgments is not revealed, nor one whose key nobody types."""
    for words in (("reveal", *track), ("set", *track, "--reveals", "now")):
        code, _, said = run("board", *words, "--confirm", "track")
        assert code == 2
        assert "irmeta board judgments track" in " ".join(said.split())
    qrels = write_qrels(tmp_path / "qrels")
    assert run("board", "judgments", *track, "--qrels", qrels)[0] == 0
    monkeypatch.setattr("sys.stdin", io.StringIO())
    code, _, said = run("board", "reveal", *track)
    assert (code, "needs --confirm track" in said) == (2, True)
    assert run("board", "reveal", *track, "--confirm", "track")[0] == 0


def test_changes_of_people_are_confirmed(run, track) -> None:
    """Who marks a team or erases a person is told what was done, and what is left of it."""
    link = run("board", "invite", *track, "--team", "Lund")[1]
    engine = tables.open_catalogue(Site.open(Path(track[-1])).database)
    people.take_invitation(engine, link.strip().rpartition("#")[2], "Ann")
    [one] = people.people_of_board(engine, 1)
    engine.dispose()
    said = run("board", "people", *track, "--holder", "Lund")[1]
    assert said.startswith("Lund: has seen the judgments; its runs are marked")
    said = run("board", "people", *track, "--erase", one.key)[1]
    assert said.startswith(f"{one.key}: erased; backups made before still have")


def test_the_catalogue_is_for_its_owner(run, track, tmp_path: Path) -> None:
    """The catalogue, what lies beside it and its copies are for who serves the site, in any folder."""
    folder = Path(track[-1])
    if not isinstance(Site.open(folder).database, Path):
        pytest.skip("the catalogue is no file")
    engine = tables.open_catalogue(folder / "site.db")
    databases.copy_sqlite(folder / "site.db", folder / "site.db.0001")
    with engine.connect() as db:
        db.exec_driver_sql("SELECT 1 FROM board")
        found = {
            one.name: one.stat().st_mode & 0o777 for one in folder.glob("site.db*")
        }
    engine.dispose()
    assert found.keys() >= {"site.db", "site.db-wal", "site.db.0001"}
    assert set(found.values()) == {0o600}
    (tmp_path / "one").write_bytes(a_run(1))
    assert run("board", "import", "track", tmp_path / "one", *track[1:])[0] == 0
    made = [one for one in folder.rglob("*") if one.is_dir()]
    assert {one.stat().st_mode & 0o777 for one in made} == {0o700}


def test_runs_are_listed_and_withdrawn(run, track, tmp_path: Path) -> None:
    """An operator lists runs, and withdraws one by team and name, or by key, where it is clear which."""
    folder = Path(track[-1])
    (tmp_path / "one").write_bytes(a_run(1))
    (tmp_path / "teams.csv").write_text("run,team\none,Lund\n")
    board, site = ("board", "import", "track", tmp_path / "one"), track[1:]
    assert run(*board, *site)[0] == 0
    (tmp_path / "one").write_bytes(a_run(3))
    assert run(*board, "--table", tmp_path / "teams.csv", *site)[0] == 0
    lines = run("board", "runs", *track)[1].splitlines()
    assert ["received" in line for line in lines] == [True, True]
    assert lines[1].split()[-2:] == ["Lund", "one"]
    (tmp_path / "two").write_bytes(a_run(2))
    assert run("board", "import", "track", tmp_path / "two", *site)[0] == 0
    key = run("board", "runs", *track)[1].splitlines()[2].split()[0]
    wrong = {"level": "error", "line": 3, "text": "the score 'x' is not a number"}
    engine = tables.open_catalogue(Site.open(folder).database)
    submissions.keep_check(engine, key, submissions.Checked([wrong] * 2))
    engine.dispose()
    told = run("board", "runs", *track)[1].splitlines()
    assert ["refused" in line for line in told] == [False, False, True, False]
    assert told[3] == "  line 3: the score 'x' is not a number (and 1 more)"
    several = run("board", "withdraw", "track", "one", *site)
    assert (several[0], "several runs" in several[2]) == (2, True)
    assert run("board", "withdraw", "track", "Lund/one", *site)[0] == 0
    assert run("board", "withdraw", "track", lines[0].split()[0], *site)[0] == 0
    assert "no run to withdraw" in run("board", "withdraw", "track", "one", *site)[2]
    engine = tables.open_catalogue(Site.open(folder).database)
    assert submissions.count_by_state(engine, "track") == {"refused": 1, "withdrawn": 2}
    engine.dispose()
