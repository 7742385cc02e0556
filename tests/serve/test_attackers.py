"""Attackers of hidden judgments as a team of a board: the server answers them, by HTTP, and nobody else does."""

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import irmeta
from irmeta.serve.catalogue import boards, people
from irmeta.serve.crew.crew import Crew
from irmeta.serve.operating import importing, organizing
from irmeta.serve.site import Site
from irmeta.stats.arrays import Indices
from irmeta.stats.hidden.release import Answer
from irmeta.studies.leaderboard.leak import attacks, study
from irmeta.studies.leaderboard.leak.board import NONE, Board

from .conftest import Within, work_off
from .test_people import serving

BITS = "RBP(p=0.5, rel=1)"
TOPICS, JUDGED, STEP = 30, 15, 0.05


@dataclass
class Served(Board):
    """A board that is on a server: what a team learns of a run is what it is told of its submission."""

    host: ClassVar[tuple[Site, Any, Any, Crew]]
    qrels_file: ClassVar[Path]
    baseline: ClassVar[Path]
    numbers: ClassVar[Iterator[int]]
    bounds: ClassVar[list[float]]

    def submit(self, orders: Indices) -> Answer:
        """Send a run, and read the answer; the first one opens the board."""
        site, engine, client, crew = self.host
        if not self.runs:
            self._open(site, engine)
        if self.runs % self.rules.submissions == 0:
            self._join(engine, client)
        self.runs += 1
        path = f"/v1/boards/{self.key}/runs/r{self.runs}"
        put = client.put(path, content=self._lines(orders), headers=self.headers)
        assert put.status_code == 201, put.text
        key = put.json()["key"]
        crew._score_submission(key)
        told = client.get(f"/v1/submissions/{key}", headers=self.headers).json()["told"]
        if told is None:
            return Answer(None, np.zeros(0))
        named = (self.qrels.topics[at] for at in self.visible)
        topics = [told["topics"][one] for one in named if one in told["topics"]]
        return Answer(told["figure"], np.array(topics))

    def _open(self, site: Site, engine: Any) -> None:
        """Open a board by these rules, perhaps with a baseline."""
        self.key, rules = f"hidden-{next(self.numbers)}", self.rules
        given: dict[str, Any] = {"feedback": rules.feedback, "step": rules.step}
        given |= {"per_team": rules.submissions, "reveals": "never"}
        given["feedback_topics"] = [self.qrels.topics[at] for at in self.visible]
        given |= {"qrels": self.qrels_file, "metrics": str(self.metric)}
        importing.open_board(site, engine, self.key, **given)
        if rules.begins:
            importing.import_runs(site, engine, self.key, [self.baseline])
            work_off(site, engine)
        self.bounds.append(0.0)

    def _join(self, engine: Any, client: Any) -> None:
        """Join with a team, and note what the board says that it gives away to all teams at most."""
        secret = people.invite(engine, self.key, "member", f"Eve {self.runs}")
        said = organizing.leak_in_words(engine, boards.board_of(engine, self.key))
        [bits] = re.findall(r"at most (\d+) bits", said) or [0]
        self.bounds[-1] = float(bits)
        form = {"secret": secret, "name": "E"}
        token = client.post("/v1/invitations", json=form).json()["token"]
        self.headers = {"Authorization": f"Bearer {token}"}

    def _lines(self, orders: Indices) -> bytes:
        """Write lists as a run."""
        lines = []
        for topic, rank in zip(*np.nonzero(orders != NONE), strict=True):
            judgment = self.candidates[topic, orders[topic, rank]]
            document = self.qrels.documents[judgment]
            lines.append(
                f"{self.qrels.topics[topic]} Q0 {document} {rank} {100 - rank} eve\n"
            )
        return "".join(lines).encode()


@pytest.fixture(scope="module")
def attacked(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Callable[..., dict[str, dict[str, Any]]]]:
    """Attack a board on a server by `irmeta.leak`, whose board it is; return what each attack got."""
    folder = tmp_path_factory.mktemp("site")
    rng = np.random.default_rng(1)
    draws = rng.random((TOPICS, JUDGED)) < 0.3
    worth = draws + rng.random(draws.shape) * 2
    lines = [
        f"{topic} 0 d{at} {int(one)}\n"
        for topic, row in enumerate(draws)
        for at, one in enumerate(row)
    ]
    ranked = [
        f"{topic} Q0 d{at} {at} {one} organizer\n"
        for topic, row in enumerate(worth)
        for at, one in enumerate(row)
    ]
    qrels = folder / "qrels.txt"
    qrels.write_text("".join(lines))
    Served.baseline = folder / "baseline.txt"
    Served.baseline.write_text("".join(ranked))
    (Site.make(folder / "site").folder / "site.toml").write_text("requests = 1000000\n")
    patch = pytest.MonkeyPatch()
    patch.setattr("irmeta.serve.web.door.WAIT", 200.0)
    patch.setattr(study, "Board", Served)
    for site, engine, client in serving(folder / "site"):
        crew = Crew(site, engine, 1)
        crew._own.child = Within()
        Served.host, Served.qrels_file = (site, engine, client, crew), qrels
        Served.numbers = itertools.count()

        def attack(*names: str, **rules: Any) -> dict[str, dict[str, Any]]:
            Served.bounds = []
            chosen = {name: attacks.ATTACKS[name] for name in ("decode", *names)}
            patch.setattr(study, "ATTACKS", chosen)
            found = irmeta.leak(qrels, step=STEP, decimals=17, **rules)
            rows = found.tables["attacks"].rows(named=True)
            got = {row["attack"]: row for row in rows}
            for row, bound in zip(rows, Served.bounds, strict=True):
                got[row["attack"]]["bound"] = bound
            return got

        yield attack
        crew.close()
    patch.undo()


@pytest.mark.parametrize(
    ("feedback", "metric"),
    [
        ("none", BITS),
        ("split", BITS),
        ("ladder", BITS),
        pytest.param("ladder", "nDCG@10", marks=pytest.mark.slow),
    ],
)
def test_a_blind_board_keeps_its_judgments(
    attacked: Any, feedback: str, metric: str
) -> None:
    """A team that decodes or climbs knows no more of the judgments that count than the board says it may."""
    rules = {"feedback": feedback, "metrics": metric, "submissions": 15}
    if feedback == "ladder":
        rules["baseline"] = Served.baseline
    for found in attacked("climb", **rules).values():
        gain = found["after"] - found["before"]
        assert found["bits"] <= found["bound"]
        if feedback == "ladder":
            assert found["sent"] == 15
            assert gain <= 0.10
        else:
            assert (found["claims"], found["bound"], gain) == (0, 0, 0)


@pytest.mark.parametrize(
    "feedback",
    [
        "none",
        *(pytest.param(one, marks=pytest.mark.slow) for one in ("split", "ladder")),
    ],
)
def test_twenty_teams_together_keep_the_bound(attacked: Any, feedback: str) -> None:
    """Teams that put their answers to votes and to walks together know no more than the board says of all of them."""
    rules = {"feedback": feedback, "metrics": "nDCG@10", "submissions": 3}
    if feedback == "ladder":
        rules["baseline"] = Served.baseline
    for name, found in attacked("vote", "walk", together=20, **rules).items():
        assert found["bits"] <= found["bound"]
        assert feedback == "ladder" or found["claims"] == 0
        assert name == "decode" or found["sent"] == (60 if feedback != "none" else 1)


def test_a_ladder_without_a_baseline_answers_nothing(attacked: Any) -> None:
    """Where the organizer brought no run a ladder answers nothing, and there is nothing to walk up."""
    rules = {"feedback": "ladder", "metrics": "nDCG@10", "submissions": 3}
    found = attacked("walk", together=20, **rules)["walk"]
    assert (found["claims"], found["after"]) == (0, found["before"])


@pytest.mark.slow
def test_a_ladder_that_begins_at_a_baseline_is_not_walked(attacked: Any) -> None:
    """Twenty teams that begin at nothing are shown nothing where the organizer brought a run of some worth."""
    rules = {"feedback": "ladder", "metrics": "nDCG@10", "submissions": 3}
    rules |= {"together": 20, "baseline": Served.baseline}
    found = attacked("walk", **rules)["walk"]
    assert (found["sent"], found["claims"]) == (60, 0)
    assert found["after"] == found["before"]


def test_scores_by_topic_are_read(attacked: Any) -> None:
    """Where a board shows scores by topic, one submission that is decoded gives every judgment away."""
    found = attacked(metrics=BITS, show="topics", submissions=1)["decode"]
    assert found["right"] == found["claims"] == TOPICS * JUDGED
    assert found["bits"] <= found["bound"]


@pytest.mark.slow
def test_means_are_climbed(attacked: Any) -> None:
    """Where a board shows means, the same climber lifts its run."""
    found = attacked("climb", metrics="nDCG@10", submissions=60)["climb"]
    assert found["after"] > found["before"] + 0.10
