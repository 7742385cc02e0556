"""Who may come in, how often, and with what."""

import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from anyio import to_thread
from fastapi import Header, Request
from sqlalchemy import Engine

from irmeta.serve.catalogue import boards, submissions, tokens
from irmeta.serve.catalogue.rules import RefusedError
from irmeta.serve.crew.crew import Crew
from irmeta.serve.site import Site
from irmeta.serve.web.facts import BoardFacts, SubmissionFacts
from irmeta.serve.web.receive import Arrived, receive

ANONYMOUS = 60
"""Requests of one address without a token in a minute, at most."""
LACKING = "give a token of this site: Authorization: Bearer TOKEN"
UNKNOWN = (
    "this token opens nothing here: it is not of this site, or has expired; "
    "the operator finds a valid one in the site's folder, in the file token"
)
OURS = ("127.0.0.1", "::1", "testclient")


class Frequency:
    """Counts requests by minute, and forgets the minute before."""

    def __init__(self) -> None:
        self._minute = 0
        self._counts: Counter[str] = Counter()

    def require(self, who: str, most: int) -> None:
        """Refuse a request too many."""
        minute = int(time.time() // 60)
        if minute != self._minute:
            self._minute, self._counts = minute, Counter()
        self._counts[who] += 1
        if self._counts[who] > most:
            raise RefusedError(429, f"more than {most} requests in a minute; wait")


class Door:
    """What the routes need: the site, its catalogue, its crew; and who may come in."""

    def __init__(self, site: Site, engine: Engine, crew: Crew) -> None:
        self.site = site
        self.engine = engine
        self.crew = crew
        self._frequency = Frequency()
        self._uploading = 0

    async def member(
        self, request: Request, authorization: Annotated[str, Header()] = ""
    ) -> None:
        """Let pass who has a token of this site."""
        kind, _, secret = authorization.partition(" ")
        digest = tokens.digest_of(secret.strip())
        known = await to_thread.run_sync(tokens.is_known, self.engine, digest)
        if not known or kind.lower() != "bearer":
            await self.anybody(request)
            raise RefusedError(401, UNKNOWN if secret else LACKING)
        self._frequency.require(digest, self.site.settings.requests)

    async def anybody(self, request: Request) -> None:
        """Let pass who does not ask too often."""
        address = request.client.host if request.client else ""
        most = self.site.settings.requests if address in OURS else ANONYMOUS
        self._frequency.require(address, most)

    @asynccontextmanager
    async def upload(self, request: Request) -> AsyncIterator[Arrived]:
        """Take a body in, and forget it unless it is kept."""
        if self._uploading >= self.site.settings.uploads:
            raise RefusedError(429, "too many uploads at once; wait a little")
        length = request.headers.get("content-length", "")
        size = int(length) if length.isdecimal() else None
        self._uploading += 1
        try:
            arrived = await receive(self.site, request.stream(), size)
        finally:
            self._uploading -= 1
        try:
            yield arrived
        finally:
            arrived.forget()

    def board(self, key: str) -> BoardFacts:
        """Gather what anybody may know of a board."""
        one = dict(boards.board_of(self.engine, key)._mapping)
        more = {
            "topics": len(one["topics"]),
            "published": self.crew.published.get(key, 0),
            "counts": submissions.counts(self.engine, key),
            "page": f"/b/{key}/",
        }
        return BoardFacts(**one | more)

    def submission(self, key: str) -> SubmissionFacts:
        """Gather what its team may know of a submission."""
        one = submissions.submission_of(self.engine, key)
        page = f"b/{one.board_key}/s/{key}/"
        record = f"{page}record.json"
        done = one.state in ("scored", "failed", "withdrawn")
        done &= self.crew.published.get(one.board_key, 0) >= one.board_version
        more = {
            "board": one.board_key,
            "published": done and (self.site.public / record).exists(),
            "page": f"/{page}",
            "record": f"/{record}",
        }
        return SubmissionFacts(**dict(one._mapping) | more)
