"""Who may come in, how often, and with what."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from ipaddress import IPv6Address, IPv6Network, ip_address
from types import SimpleNamespace
from typing import Annotated, Any, TypeVar

import msgspec
from anyio import to_thread
from fastapi import Header, Request
from sqlalchemy import Engine

from irmeta.errors import IrmetaError
from irmeta.serve.catalogue import boards, people, submissions
from irmeta.serve.catalogue.people import NOBODY, Caller, Place
from irmeta.serve.catalogue.rules import MISSING, RefusedError, clock, now
from irmeta.serve.crew.crew import Crew
from irmeta.serve.facts import BoardFacts, SubmissionFacts
from irmeta.serve.policy import (
    READING,
    Action,
    Role,
    Who,
    end_of_runs,
    is_open,
    may,
    phase,
    revealed,
)
from irmeta.serve.results import answers
from irmeta.serve.site import Site
from irmeta.serve.web.receive import PATIENCE, Arrived, receive

WAIT = 5.0
"""Seconds that an upload waits for its check."""
SECONDS = {"minute": 60, "hour": 3600}
HOURLY, TEAM = 60, 3
"""Of one kind in an hour of a person, and of uploads of a team or a person, or checks of a person, at once, at most."""
QUEUE, IN_QUEUE = 1000, 60.0
"""Uploads that are on their way, at most, and how long one waits for its turn: a client waits for two minutes."""
TURN = 3.0
"""Seconds that a turn lasts: an upload that takes longer goes on beside the others, so that slow ones keep none out."""
WRITERS = 4
"""Threads that put uploads on the disk: others stay free for who reads."""
BUSY = "too many uploads wait already; try again a little later"
ANONYMOUS = 60
"""Requests of one address without a token in a minute, at most."""
SMALL = 1 << 16
"""Bytes of a form, or of a question in JSON, at most."""
LACKING = "give a token of this site: Authorization: Bearer TOKEN"
UNKNOWN = (
    "this token opens nothing here: it is not of this site, or has ended; "
    "make another one on the page /my/ of the site, or ask who gave it to you"
)
Facts = TypeVar("Facts")
OURS = ("127.0.0.1", "::1", "localhost", "testclient", "testserver")
"""How this machine is called."""


def address_of(request: Request) -> str:
    """Return the address of who asks; of IPv6 the network, since one machine has all addresses of it."""
    host = request.client.host if request.client else ""
    if host in OURS:
        return host
    with suppress(ValueError):
        address = ip_address(host)
        if isinstance(address, IPv6Address):
            old = address.ipv4_mapped
            return str(old or IPv6Network((int(address), 64), strict=False))
    return host


class Frequency:
    """Counts requests by minute, or hour, and forgets the one before."""

    def __init__(self, period: str) -> None:
        self._period = period
        self._number = 0
        self._counts: Counter[object] = Counter()

    def require(self, who: object, most: int, what: str = "requests") -> None:
        """Count a request of somebody; refuse it where there were `most` before in this minute, or hour."""
        number = int(time.monotonic() // SECONDS[self._period])
        if number != self._number:
            self._number, self._counts = number, Counter()
        self._counts[who] += 1
        if self._counts[who] > most:
            says = f"more than {most} {what} in a {self._period}; wait"
            raise RefusedError(429, says)


class Door:
    """What the routes need: the site, its catalogue, its crew; and how many may come in."""

    def __init__(self, site: Site, engine: Engine, crew: Crew) -> None:
        self.site = site
        self.engine = engine
        self.crew = crew
        self.frequency, self.hourly = Frequency("minute"), Frequency("hour")
        self.writing = ThreadPoolExecutor(WRITERS, "writer")
        self._at_work: Counter[object] = Counter()
        self._receiving = asyncio.Semaphore(site.settings.uploads)

    async def caller_of_secret(
        self, request: Request, secret: str, kind: str
    ) -> Caller | None:
        """Return who has a token or a session; refuse one, or an address without any, that asks too often."""
        digest = people.digest_of(secret)
        caller = await to_thread.run_sync(people.caller_of, self.engine, digest, kind)
        address = address_of(request)
        free = caller is not None or address in OURS
        most = self.site.settings.requests if free else ANONYMOUS
        self.frequency.require(address if caller is None else digest, most)
        return caller

    async def caller_of_token(
        self, request: Request, authorization: str
    ) -> Caller | None:
        """Return who has the token that a request brings, if it is valid."""
        kind, _, secret = authorization.partition(" ")
        bearer = secret.strip() if kind.lower() == "bearer" else ""
        return await self.caller_of_secret(request, bearer, "api")

    @contextmanager
    def _counting(self, *whose: object) -> Iterator[None]:
        """Count whose uploads and checks are at work while the inside runs."""
        self._at_work.update(whose)
        try:
            yield
        finally:
            self._at_work.subtract(whose)

    @contextmanager
    def within_limits(self, *whose: object) -> Iterator[None]:
        """Refuse more at once than somebody may."""
        if any(self._at_work[who] >= TEAM for who in whose):
            raise RefusedError(429, "too many uploads at once; wait a little")
        with self._counting(*whose):
            yield

    @asynccontextmanager
    async def turn(self, *whose: object) -> AsyncIterator[None]:
        """Wait for a turn, which ends after some time; refuse more at once than somebody may. whose : what comes."""
        if self._at_work[BUSY] >= QUEUE:
            raise RefusedError(503, BUSY)
        with self.within_limits(*whose), self._counting(BUSY):
            try:
                async with asyncio.timeout(IN_QUEUE):
                    await self._receiving.acquire()
            except TimeoutError as error:
                raise RefusedError(503, BUSY) from error
            with ExitStack() as turn:
                turn.callback(self._receiving.release)
                ends = asyncio.get_running_loop().call_later(TURN, turn.close)
                turn.callback(ends.cancel)
                yield


class Visit:
    """Who asks, and what they may."""

    def __init__(self, request: Request, caller: Caller) -> None:
        self.request, self.caller = request, caller
        self.door: Door = request.app.state.door
        self.site, self.engine = self.door.site, self.door.engine
        self.crew = self.door.crew

    def require_seldom(self, what: str) -> None:
        """Refuse what a person did too often in this hour, or an address from which nobody known comes."""
        person = self.caller.person
        who = address_of(self.request) if person is None else person
        self.door.hourly.require((who, what), HOURLY, what)

    def may(
        self,
        board: Any,
        action: Action,
        team: str | None = None,
        moment: int | None = None,
    ) -> bool:
        """Say whether they may do something on a board at a moment, by default now.

        team : whose thing they do it with, by default their own team's.
        """
        place = people.place_on_board(self.engine, self.caller, board)
        own = place.owns(place.team if team is None else team)
        who = Who(place.role, own, plays=place.role is Role.ORGANIZER and place.plays)
        reads = self.caller.scope == "read" and action not in READING
        when = now() if moment is None else moment
        return not reads and may(who, action, board, when)

    def require(self, board: Any, action: Action, team: str | None = None) -> Place:
        """Return what they are on a board; refuse what they may not do there, as if it were not there."""
        if not self.may(board, action, team):
            self._refuse_late(board, action)
            raise RefusedError(404, MISSING)
        return people.place_on_board(self.engine, self.caller, board)

    def _refuse_late(self, board: Any, action: Action) -> None:
        """Refuse a run that comes too late, saying since when, to who could send it before and may see the board."""
        end = end_of_runs(board)
        sends = action in (Action.SUBMIT, Action.CHECK)
        if not sends or end is None or end > now():
            return
        if not self.may(board, Action.SEE_BOARD):
            return
        if self.may(board, action, moment=end - 1):
            word = "was frozen" if end == board.frozen else "closed"
            when = f"{word} at {clock(end)} UTC"
            raise RefusedError(403, f"the board {when}, and takes no more runs")

    def board_allowing(self, key: str, action: Action) -> tuple[Any, Place]:
        """Return the board of a key, and what they are there; refuse who may not do something on it."""
        board = boards.board_of(self.engine, key)
        return board, self.require(board, action)

    def submission_allowing(self, key: str, action: Action) -> Any:
        """Return the submission of a key; refuse who may not do something with it."""
        sent = submissions.submission_of(self.engine, key)
        board = boards.board_of(self.engine, sent.board_key)
        self.require(board, action, sent.team)
        return sent

    @asynccontextmanager
    async def upload(
        self, body: AsyncIterator[bytes], board: str, by: Place
    ) -> AsyncIterator[Arrived]:
        """Yield a body, or the file in it, once it is on the disk; remove it unless it was kept. by : whose it is."""
        who = self.caller.person
        whose: list[object] = [] if who is None else [("uploads", who)]
        if by.team:
            whose.append((board, by.team))
        length = self.request.headers.get("content-length", "")
        size = int(length) if length.isdecimal() else None
        # its body waits in the network: what is not read is not sent
        async with self.door.turn(*whose):
            arrived = await receive(self.site, body, size)
        try:
            yield arrived
        finally:
            arrived.forget()

    async def submit(
        self, key: str, name: str, arrived: Arrived, **options: Any
    ) -> tuple[bool, SubmissionFacts]:
        """Keep a run, and wait a while for its check; say whether it is new, and what its team may know of it.

        key : of the board. options : of `submissions.submit`.
        """
        content = arrived.content

        def keep() -> submissions.Received:
            """Put the run on the disk and into the catalogue; what is refused leaves no bytes."""
            own = (self.engine, key, name, content)
            try:
                with self.site.keeping_run():
                    arrived.keep(self.site)
                    person = self.caller.person
                    return submissions.submit(*own, person=person, **options)
            except RefusedError:
                submissions.remove_unnamed_bytes(self.site, self.engine, content.digest)
                raise

        loop = asyncio.get_running_loop()
        made = await loop.run_in_executor(self.door.writing, keep)
        checking = asyncio.wrap_future(self.crew.check(made.key))
        await asyncio.wait([checking], timeout=WAIT)
        return made.new, await to_thread.run_sync(self.submission_facts, made.key)

    async def check_run(
        self, board: Any, name: str, arrived: Arrived
    ) -> list[dict[str, Any]]:
        """Return the remarks on a run that is not kept; people may not ask too often."""
        whose: list[object] = []
        if self.caller.person is not None:  # others have the operator's token
            whose.append(("checks", self.caller.person))
            self.require_seldom("checks")
        with self.door.within_limits(*whose):
            asked = self.crew.check_file(str(arrived.part), name, board)
            return list((await asyncio.wrap_future(asked)).remarks)

    def board_facts(self, key: str) -> BoardFacts:
        """Gather what they may know of a board."""
        board, _ = self.board_allowing(key, Action.SEE_BOARD)
        settings = board._asdict()
        more = {
            "topics": len(settings["topics"]),
            "published": self.crew.published.get(key, 0),
            "counts": {},
            "page": f"/b/{key}/",
            "phase": phase(board, now()),
        }
        if self.may(board, Action.SEE_SCORES):
            more["counts"] = submissions.count_by_state(self.engine, key)
        else:
            more |= {"version": 0, "published": 0}
        return _facts_in_form(BoardFacts, settings | more)

    def submission_facts(self, key: str) -> SubmissionFacts:
        """Gather what its team may know of a submission: before the reveal nothing that was computed from judgments."""
        sent = submissions.submission_of(self.engine, key)
        board = boards.board_of(self.engine, sent.board_key)
        where, folder = "/private/", self.site.private
        if Visit(self.request, NOBODY).may(board, Action.SEE_SCORES):
            where, folder = "/", self.site.public
        page = f"b/{sent.board_key}/s/{key}/"
        record = f"{page}record.json"
        known = revealed(board, now())
        done = known and sent.state in ("scored", "failed", "withdrawn")
        done &= self.crew.published.get(sent.board_key, 0) >= sent.board_version
        more = {
            "board": sent.board_key,
            "published": done and (folder / record).exists(),
            "page": f"{where}{page}",
            "record": f"{where}{record}",
            "phase": phase(board, now()),
        }
        if not known:
            more |= _as_before_scoring(sent)
            more |= {"page": f"/my/b/{sent.board_key}", "record": ""}
            if self.may(board, Action.SEE_FEEDBACK, sent.team):
                more["told"] = feedback_on(self.engine, board, sent)
        if not is_open(board):
            asks = (self.engine, sent.board_key, sent.team, self.caller.person)
            rest = submissions.runs_left(*asks)
            more |= {"left": rest.number, "more": rest.more}
        return _facts_in_form(SubmissionFacts, sent._asdict() | more)


async def anybody(
    request: Request, authorization: Annotated[str, Header()] = ""
) -> Visit:
    """Return who asks, with a token or without; refuse who asks too often."""
    caller = await request.app.state.door.caller_of_token(request, authorization)
    request.state.caller = caller or NOBODY
    return Visit(request, request.state.caller)


async def member(
    request: Request, authorization: Annotated[str, Header()] = ""
) -> Visit:
    """Return who asks; refuse who has no token of this site, or asks too often."""
    visit = await anybody(request, authorization)
    if visit.caller is NOBODY:
        token = authorization.partition(" ")[2]
        raise RefusedError(401, UNKNOWN if token else LACKING)
    return visit


async def read_small_body(request: Request) -> bytes:
    """Return the body of a request; refuse a long one, and one that comes slowly."""
    content = b""
    try:
        async with asyncio.timeout(PATIENCE):
            async for piece in request.stream():
                content += piece
                if len(content) > SMALL:
                    raise RefusedError(413, f"the body is longer than {SMALL} bytes")
    except TimeoutError as error:
        raise RefusedError(408, "the body came too slowly; send it again") from error
    return content


def feedback_on(engine: Engine, board: Any, submission: Any) -> dict[str, Any] | None:
    """Return what a team learns of a run before the reveal; nothing while a run before it has no score."""
    if board.feedback == "none" or submission.state == "refused":
        return None
    history = submissions.score_history(engine, submission.key)
    if history is None:
        return None
    topics, vectors = history
    about = {"metric": board.metrics[0], "about": answers.FIGURES[board.feedback]}
    if not vectors:
        return about | {"figure": None, "topics": {}}
    runs = answers.score_vectors(vectors)
    try:
        return about | answers.feedback(board._asdict(), topics, runs)
    except IrmetaError:  # as of scores that are missing: there is nothing to tell
        return None


def _facts_in_form(form: type[Facts], known: Mapping[str, Any]) -> Facts:
    """Return an answer of a form, filled in from all that is known; what has no place in it is left out."""
    return msgspec.convert(SimpleNamespace(**known), form, from_attributes=True)


def _as_before_scoring(submission: Any) -> dict[str, Any]:
    """Return the state and the remarks that a scored or failed run had before it was scored; else nothing."""
    if submission.state not in ("scored", "failed"):
        return {}
    checked = [remark for remark in submission.remarks if remark["level"] != "error"]
    return {"state": "accepted", "remarks": checked}
