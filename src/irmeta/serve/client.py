"""What `irmeta submit` does: it sends runs to a server, and waits for what comes of them."""

import csv
import json
import os
import re
import stat
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from io import StringIO
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote, urlsplit

import requests

from irmeta.errors import IrmetaError
from irmeta.scores.names import bare

PATIENCE = 600.0
"""Seconds that the score of a run is waited for."""
ANSWER = 120.0
"""Seconds that an answer is waited for."""
TAKEN, TOO_LONG = 409, 413
"""Statuses by which a run is not taken, for its name or its size; it is refused, too, where remarks say why."""
NAMED = "has 1 to 40 of A-Z a-z 0-9 . _ -"
"""What the name of a run is, in words."""
LOCAL = ("127.0.0.1", "localhost", "::1")
Answer = dict[str, Any]


def names_of(paths: Sequence[PurePath]) -> list[str]:
    """Name runs after their files as `irmeta evaluate` does, with the characters that a board takes.

    Raises IrmetaError where two would have one name: the later would stand for the earlier.

    >>> names_of([Path("input.bm25.gz"), Path("my run.txt"), Path("a.run"), Path("a.txt")])
    ['bm25', 'my-run', 'a.run', 'a.txt']
    """
    stems = [re.sub(r"\.(gz|bz2|xz|zst)$", "", path.name) for path in paths]
    often = Counter(map(bare, stems))
    named = [bare(one) if often[bare(one)] == 1 else one for one in stems]
    found = [fit(name) for name in named]
    for name, count in Counter(found).items():
        if count > 1:
            both = [
                str(path) for path, one in zip(paths, found, strict=True) if one == name
            ]
            raise IrmetaError(
                f"{' and '.join(both)}: all would be called {name}; rename the files"
            )
    return found


def fit(name: str) -> str:
    """Return a name as a board may have it.

    >>> fit("my run")
    'my-run'
    """
    return re.sub(r"[^A-Za-z0-9._-]", "-", name)[:40]


class Server:
    """A board of a server, by its address (https://runs.example.org/b/covid1)."""

    def __init__(self, to: str, token: str) -> None:
        found = re.fullmatch(r"(https?://[^/]+.*)/b/([a-z0-9-]{2,40})(/.*)?", to)
        if found is None:
            raise IrmetaError(
                f"--to {to}: not the address of a board, as in https://runs.example.org/b/KEY"
            )
        local = urlsplit(to).hostname in LOCAL
        if not local and not to.startswith("https:"):
            raise IrmetaError(
                f"--to {to}: a token is sent over https only, but to this machine"
            )
        self.root, self.board = found[1], found[2]
        self._session = requests.Session()
        self._session.headers["Authorization"] = f"Bearer {token}"
        self._session.trust_env = not local  # no proxy leads to this machine

    def submit(self, path: Path, name: str, about: Mapping[str, str]) -> Answer:
        """Send a run; return what came of it, with its `status` among the answers of HTTP."""
        given = {what: text for what, text in about.items() if text}
        where = f"/v1/boards/{self.board}/runs/{quote(name, safe='')}"
        with path.open("rb") as file:
            return self._sent("PUT", where, params=given, data=file)

    def check(self, path: Path) -> Answer:
        """Have a run checked that is not kept."""
        with path.open("rb") as file:
            where = f"/v1/boards/{self.board}/check"
            return self._sent("POST", where, data=file)

    def submission(self, key: str) -> Answer:
        """Return what is known of a run that was sent."""
        return self._ask("GET", f"/v1/submissions/{key}")

    def checked(self, found: Answer) -> Answer:
        """Wait until a run that was sent is checked; return what came of that."""
        if found.get("state") != "received":
            return found
        found = self._until(found["key"], lambda one: one["state"] != "received")
        return {**found, "status": 422} if found["state"] == "refused" else found

    def hides(self) -> str:
        """Return the feedback of a board that shows no scores yet (none, split, ladder, open); nothing of others."""
        found = self._ask("GET", f"/v1/boards/{self.board}")
        hidden = found.get("phase") in ("draft", "blind", "waiting")
        return str(found["feedback"]) if hidden else ""

    def told(self, key: str) -> Answer:
        """Wait until a team knows what it learns of its run before the reveal; return what is known of the run."""
        return self._until(key, lambda one: bool(one.get("told")))

    def score(self, key: str) -> Answer:
        """Wait until a run has its score and its page; return its record."""
        found = self._until(key, lambda one: bool(one["published"]))
        return self._ask("GET", found["record"])

    def _until(self, key: str, done: Callable[[Answer], bool]) -> Answer:
        """Ask for a submission until something is true of it."""
        until = time.monotonic() + PATIENCE
        pause = 0.1
        while time.monotonic() < until:
            found = self.submission(key)
            if found["status"] >= 400:
                raise IrmetaError(f"{key}: {found.get('detail', found['status'])}")
            if done(found):
                return found
            time.sleep(pause)
            pause = min(2 * pause, 1.0)
        raise IrmetaError(f"{key}: no score after {PATIENCE:.0f} s; look later")

    def by_topic(self, key: str) -> dict[str, list[float | None]]:
        """Return the scores of a run that is published, by metric, in the order of the board's topics."""
        script = self._public(f"s/{key}/scores.js")
        found: Answer = json.loads(script[script.index("(") + 1 : script.rindex(")")])
        scores: dict[str, list[float | None]] = found["scores"]
        return scores

    def topics(self) -> list[tuple[str, str]]:
        """Return the topics of the board in their order, each with its cluster, which may be empty."""
        rows = csv.DictReader(StringIO(self._public("data/topics.csv")))
        return [(row["topic"], row["cluster"]) for row in rows]

    def _public(self, file: str) -> str:
        """Return a file of the board that anybody may read."""
        where = f"/b/{self.board}/{file}"
        answer = self._answer("GET", where)
        if answer.status_code != requests.codes.ok:
            raise IrmetaError(
                f"{self.root}{where}: status {answer.status_code}, and no scores"
            )
        return answer.content.decode()

    def _sent(self, method: str, where: str, **given: Any) -> Answer:
        """Send a run; raise IrmetaError unless it was taken, or refused for what it is."""
        found = self._ask(method, where, **given)
        refused = found["status"] in (TAKEN, TOO_LONG) or found.get("remarks")
        if found["status"] >= 400 and not refused:
            what = found.get("detail", f"status {found['status']}")
            if found["status"] == requests.codes.not_found:
                rest = "or it takes no run of yours now"
                what = f"there is no board {self.board!r}, {rest}"
            raise IrmetaError(f"{self.root}/b/{self.board}: {what}")
        if found["status"] == TAKEN:
            found["detail"] += " (--name NAME, --replace)"
        return found

    def _ask(self, method: str, where: str, **given: Any) -> Answer:
        answer = self._answer(method, where, **given)
        try:
            found: Answer = answer.json()
        except ValueError as error:
            raise IrmetaError(
                f"{self.root}: status {answer.status_code}, and no answer of irmeta serve"
            ) from error
        return {**found, "status": answer.status_code}

    def _answer(self, method: str, where: str, **given: Any) -> requests.Response:
        try:
            return self._session.request(
                method,
                self.root + where,
                timeout=ANSWER,
                allow_redirects=False,
                **given,
            )
        except requests.exceptions.SSLError as error:
            mend = "mend its certificate, or --to"
            raise IrmetaError(f"{self.root}: not to be trusted; {mend}") from error
        except requests.Timeout as error:
            raise IrmetaError(
                f"{self.root}: no answer within {ANSWER:.0f} s; try again"
            ) from error
        except requests.RequestException as error:
            mend = "start it (irmeta serve SITE), or mend --to"
            raise IrmetaError(f"{self.root}: no server answers; {mend}") from error


def token(path: Path | None) -> str:
    """Return the token of IRMETA_TOKEN, or of a file that nobody else can read."""
    if path is None:
        found = os.environ.get("IRMETA_TOKEN", "").strip()
        if not found:
            raise IrmetaError(
                "no token: set IRMETA_TOKEN, or name a file (--token-file FILE)"
            )
        return found
    try:
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise IrmetaError(f"{path}: others can read this token; chmod 600 {path}")
        return path.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise IrmetaError(f"{path}: cannot be read ({error.strerror})") from error
