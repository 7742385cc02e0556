"""What the API answers: facts, and problems."""

from http import HTTPStatus
from typing import Any

from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel

PROBLEM = "application/problem+json"
HEADERS = {
    401: {"www-authenticate": "Bearer"},
    429: {"retry-after": "60"},
    503: {"retry-after": "5"},
}


class Problem(BaseModel):
    """What went wrong, and what to do."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    remarks: list[dict[str, Any]] = []


class BoardFacts(BaseModel):
    """A board, as anybody may know it who may see it; before the reveal nothing tells how many runs it has."""

    key: str
    title: str
    collection: str
    metrics: list[str]
    topics: int
    depth: int
    phase: str
    opens: int | None
    closes: int | None
    reveals: int | None
    feedback: str
    per_day: int | None
    per_month: int | None
    per_team: int | None
    version: int
    published: int
    counts: dict[str, int]
    page: str


class Boards(BaseModel):
    """The boards from one on."""

    boards: list[BoardFacts]


class Judged(BaseModel):
    """A version of judgments, and the commitment and the salt that it will be known again by."""

    version: int
    topics: list[str]
    commitment: str
    salt: str


class Remarks(BaseModel):
    """What is odd about a run."""

    remarks: list[dict[str, Any]]


class Told(BaseModel):
    """What a team learns of a run before the reveal; about : what the figure is.

    On a ladder the figure is not this run's score: it repeats where the ladder stands, at first that of the organizer's
    run, unless this run is clearly better than the one that was shown last. topics : scores, unless on a ladder.
    """

    metric: str
    figure: float | None
    topics: dict[str, float]
    about: str


class SubmissionFacts(BaseModel):
    """A submission, as its team may know it; `published` once its page shows its score.

    told : what the team learns of it before the reveal. left : runs that it may still send; from `more` on more again.
    """

    key: str
    board: str
    name: str
    team: str
    state: str
    received: int
    remarks: list[dict[str, Any]]
    published: bool
    page: str
    record: str
    phase: str
    marks: list[str]
    header: str = ""
    told: Told | None = None
    left: int | None = None
    more: int | None = None


class Invitation(BaseModel):
    """What uses up an invitation: its secret, and who comes."""

    secret: str
    name: str
    affiliation: str = ""


class Welcome(BaseModel):
    """What an invitation brought; the token is shown this once."""

    board: str
    role: str
    scope: str
    token: str


class Me(BaseModel):
    """Who a token is of, and where that person takes part."""

    name: str
    scope: str
    boards: list[dict[str, Any]]


class Health(BaseModel):
    """How the site is; disk : ok or full. publishing : ok, or late where nothing was written for ten minutes."""

    database: str
    disk: str
    publishing: str
    waiting: int
    oldest_s: int
    published: dict[str, int]


class About(BaseModel):
    """What people say of a run; `replace` : whether it takes the place of the run of this name."""

    team: str = ""
    system: str = ""
    repeat: str = ""
    type: str = ""
    description: str = ""
    baseline: str = ""
    link: str = ""
    replace: bool = False


_CONTENT = {PROBLEM: {"schema": Problem.model_json_schema()}}


def answers(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Document the problems that an operation may answer with."""
    return {
        status: {"description": HTTPStatus(status).phrase, "content": _CONTENT}
        for status in (400, 429, 503, *statuses)
    }


def problem(
    status: int, detail: str, remarks: list[dict[str, Any]] | None = None
) -> Response:
    """Answer with what went wrong."""
    title = HTTPStatus(status).phrase
    body = Problem(title=title, status=status, detail=detail, remarks=remarks or [])
    return JSONResponse(body.model_dump(), status, HEADERS.get(status), PROBLEM)
