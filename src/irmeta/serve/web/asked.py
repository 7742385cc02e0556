"""What the API is asked beside a run, and how it says that something is wrong."""

from http import HTTPStatus
from typing import Any

import msgspec
from fastapi.responses import Response
from pydantic import BaseModel, TypeAdapter

from irmeta.serve.facts import Problem, Remark

PROBLEM = "application/problem+json"
HEADERS = {
    401: {"www-authenticate": "Bearer"},
    429: {"retry-after": "60"},
    503: {"retry-after": "5"},
}


class Invitation(BaseModel):
    """What uses up an invitation: its secret, and who comes."""

    secret: str
    name: str
    affiliation: str = ""


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


_SCHEMA = TypeAdapter(Problem).json_schema(ref_template="#/components/schemas/{model}")
del _SCHEMA["$defs"]  # these stand among the components
_CONTENT = {PROBLEM: {"schema": _SCHEMA}}


def documented_problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Document the problems that an operation may answer with."""
    return {
        status: {"description": HTTPStatus(status).phrase, "content": _CONTENT}
        for status in (400, 429, 503, *statuses)
    }


def problem(status: int, detail: str, remarks: list[Remark] | None = None) -> Response:
    """Answer with what went wrong."""
    title = HTTPStatus(status).phrase
    said = Problem(title=title, status=status, detail=detail, remarks=remarks or [])
    content = msgspec.json.encode(said)
    return Response(content, status, HEADERS.get(status), PROBLEM)
