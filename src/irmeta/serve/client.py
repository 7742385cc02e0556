"""What `irmeta submit` does: it sends runs to a server, and waits for what comes of them."""

import csv
import json
import os
import random
import re
import stat
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from http import HTTPStatus
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import quote

import requests

from irmeta.errors import IrmetaError
from irmeta.serve import exchange
from irmeta.serve.exchange import Answer
from irmeta.serve.facts import BoardFacts, Boards, Remarks, SubmissionFacts
from irmeta.serve.site import LOOPBACK
from irmeta.words import counted, listed

PATIENCE = 600.0
"""Seconds that the score of a run is waited for."""
LONGEST_PAUSE = 3.0
"""Seconds between two questions: fewer than the 5 after which a server closes a connection on which nothing is sent, so
that no question meets the end of its connection."""
TAKEN, TOO_LONG = 409, 413
"""Statuses by which a run is not taken, for its name or its size; it is refused, too, where remarks say why."""
BOARD = re.compile(
    r"(?P<root>https?://(?P<host>[\w.-]+|\[[0-9a-fA-F:.]+\])(:\d{1,5})?(/[\w.~%/-]*)?)"
    r"/b/(?P<board>[a-z0-9-]{2,40})(/.*)?"
)
"""The address of a board: no user, and nothing that two programs may read as two servers."""
TOPIC = ("topic", "cluster")
"""What is said of a topic."""
SCRIPT = re.compile(r"irmeta_scores\((.*)\);\s*", re.DOTALL)
"""Scores by topic as pages read them."""


class Server:
    """A board of a server, by its address (https://runs.example.org/b/covid1)."""

    def __init__(self, to: str, token: str) -> None:
        """Open no connection yet. to : the address of a board. token : sent over https only, but to this machine."""
        parts = BOARD.fullmatch(to)
        if parts is None:
            raise IrmetaError(
                f"--to {to}: not the address of a board, as in https://runs.example.org/b/KEY"
            )
        self.root, self.board = parts["root"], parts["board"]
        local = parts["host"].strip("[]") in LOOPBACK
        if not local and not to.startswith("https:"):
            raise IrmetaError(
                f"--to {to}: a token is sent over https only, but to this machine"
            )
        self._session = requests.Session()
        # in place of what a .netrc has for this host
        self._session.auth = partial(_add_token, token)
        # nothing packed: its size is known while it is read
        self._session.headers["Accept-Encoding"] = "identity"
        self._session.trust_env = not local  # no proxy leads to this machine

    def submit(self, path: Path, name: str, about: Mapping[str, str]) -> Answer:
        """Send a run; return what came of it, with its `status` among the answers of HTTP."""
        texts = {what: text for what, text in about.items() if text}
        where = f"/v1/boards/{self.board}/runs/{quote(name, safe='')}"
        return self._send("PUT", where, path, SubmissionFacts, params=texts)

    def check(self, path: Path, name: str) -> Answer:
        """Have a run checked that is not kept."""
        where = f"/v1/boards/{self.board}/check"
        return self._send("POST", where, path, Remarks, params={"name": name})

    def submission(self, key: str) -> Answer:
        """Return what is known of a run that was sent."""
        return self._ask("GET", f"/v1/submissions/{key}", SubmissionFacts)

    def await_check(self, sent: Answer) -> Answer:
        """Wait until a run is checked, of which is known what `submit` returned; return what came of that."""
        if sent.get("state") == "received":
            sent = self._await(sent["key"], lambda run: run["state"] != "received")
        return {**sent, "status": 422} if sent.get("state") == "refused" else sent

    def hidden_board(self) -> Answer:
        """Return the facts of the board, as its feedback and its reveal, if it shows no scores yet; else nothing."""
        facts = self._ask("GET", f"/v1/boards/{self.board}", BoardFacts)
        return facts if facts.get("phase") in ("draft", "blind", "waiting") else {}

    def await_feedback(self, key: str) -> Answer:
        """Wait until a team is told something of its run before the reveal; return what is known of the run."""
        return self._await(key, lambda run: bool(run.get("told")))

    def await_score(self, key: str) -> Answer:
        """Wait until a run has its score and its page; return its record."""
        where = self._await(key, lambda run: bool(run["published"]))["record"]
        status, body = exchange.ask(self._session, "GET", self.root, where)
        record = exchange.read_answer(self.root, status, body, exchange.Record)
        if status >= HTTPStatus.BAD_REQUEST:
            raise IrmetaError(f"{self.root}{where}: {record['detail']}")
        return {**json.loads(body), **record}

    def _await(self, key: str, done: Callable[[Answer], bool]) -> Answer:
        """Ask for a submission until it is done; return it. Raise IrmetaError if that takes too long."""
        until = time.monotonic() + PATIENCE
        pause = 0.1
        while time.monotonic() < until:
            run = self.submission(key)
            if run["status"] >= HTTPStatus.BAD_REQUEST:
                raise IrmetaError(f"{key}: {run['detail']}")
            if done(run):
                return run
            time.sleep(pause)
            pause = min(1.25 * pause, LONGEST_PAUSE)
        raise IrmetaError(f"{key}: no score after {PATIENCE:.0f} s; look later")

    def scores_by_topic(
        self, keys: Iterable[str], metric: str
    ) -> list[list[float | None]]:
        """Return the scores of runs that are published, in the order of the board's topics."""
        rows = [self._scores(key).get(metric, []) for key in keys]
        topics = len(self.topics())
        if any(len(scores) != topics for scores in rows):
            raise IrmetaError(
                f"{self.root}/b/{self.board}: {metric} is not there for each of its "
                f"{counted(topics, 'topic')}"
            )
        return rows

    def _scores(self, key: str) -> dict[str, list[float | None]]:
        """Return the scores by topic of a run, by metric, of the script that holds them for pages."""
        called = SCRIPT.fullmatch(self._public_file(f"s/{key}/scores.js"))
        text = called[1] if called else ""
        return exchange.decoded_json(self.root, text, exchange.Scores).scores

    def topics(self) -> dict[str, str]:
        """Return the topics of the board in their order, each with its cluster, which may be empty."""
        text = self._public_file("data/topics.csv")
        try:
            rows = [*csv.DictReader(StringIO(text), strict=True)]
        except csv.Error as error:
            raise IrmetaError(
                f"{self.root}: its topics are not CSV ({error})"
            ) from error
        if not all(isinstance(row.get(name), str) for row in rows for name in TOPIC):
            raise IrmetaError(f"{self.root}: its topics are not those of irmeta serve")
        return {row["topic"]: row["cluster"] for row in rows}

    def _public_file(self, file: str) -> str:
        """Return a file of the board that anybody may read."""
        where = f"/b/{self.board}/{file}"
        status, body = exchange.ask(self._session, "GET", self.root, where)
        if status != HTTPStatus.OK:
            raise IrmetaError(f"{self.root}{where}: status {status}, and no scores")
        return body.decode(errors="replace")

    def _send(
        self,
        method: str,
        where: str,
        path: Path,
        form: type[Remarks | SubmissionFacts],
        **options: Any,
    ) -> Answer:
        """Send a run, with options of `requests`; raise IrmetaError unless it was taken, or refused for what it is."""
        with exchange.Upload(path) as file:
            answer = self._ask(method, where, form, data=file, **options)
        refused = answer["status"] in (TAKEN, TOO_LONG) or answer.get("remarks")
        if answer["status"] >= HTTPStatus.BAD_REQUEST and not refused:
            what = answer["detail"]
            if answer["status"] == HTTPStatus.NOT_FOUND:
                what = self._why_not_taken()
            raise IrmetaError(f"{self.root}/b/{self.board}: {what}")
        if answer["status"] == TAKEN:
            answer["detail"] += " (--name NAME, --replace)"
        return answer

    def _why_not_taken(self) -> str:
        """Return why a board takes no run: it is not there, and others are, or not now."""
        answer = self._ask("GET", "/v1/boards", Boards)
        keys = [board["key"] for board in answer.get("boards", [])]
        if self.board in keys:
            return "it takes no run of yours now"
        others = f"there are {listed(keys, 20)}" if keys else "you may see none"
        return f"there is no board {self.board!r}; {others}"

    def _ask(
        self, method: str, where: str, form: type[exchange.Form], **options: Any
    ) -> Answer:
        """Return an answer; ask again while the server has too much to do: the same bytes twice are one run."""
        until = time.monotonic() + PATIENCE
        while True:
            try:
                answer = exchange.ask(
                    self._session, method, self.root, where, **options
                )
                return exchange.read_answer(self.root, *answer, form)
            except exchange.BusyError as error:
                # not all at the same moment
                later = error.later * random.uniform(0.5, 1.5)
                if time.monotonic() + later > until:
                    raise
                print(f"{error.what}: again in {later:.0f} s", file=sys.stderr)
                time.sleep(later)
                if file := options.get("data"):
                    file.seek(0)


def _add_token(
    token: str, request: requests.PreparedRequest
) -> requests.PreparedRequest:
    """Add the token to a request."""
    request.headers["Authorization"] = f"Bearer {token}"
    return request


def read_token(path: Path | None) -> str:
    """Return the token of IRMETA_TOKEN, or of a file that nobody else can read."""
    if path is None:
        token = os.environ.get("IRMETA_TOKEN", "").strip().encode()
        if not token:
            raise IrmetaError(
                "no token: set IRMETA_TOKEN, or name a file (--token-file FILE)"
            )
    else:
        token = _read_private(path)
    if not re.fullmatch(rb"[!-~]{1,1000}", token):
        raise IrmetaError(
            f"{path or 'IRMETA_TOKEN'}: not a token, which is one word of ASCII"
        )
    return token.decode()


def _read_private(path: Path) -> bytes:
    """Return the first bytes of a file; raise IrmetaError where others can read it."""
    try:
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise IrmetaError(f"{path}: others can read this token; chmod 600 {path}")
        with path.open("rb") as file:
            return file.read(2000).strip()
    except OSError as error:
        raise IrmetaError(f"{path}: cannot be read ({error.strerror})") from error
