"""What the API answers, as a server writes it and a client reads it."""

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from msgspec import Meta

Key = Annotated[str, Meta(pattern="^[A-Za-z0-9_-]{1,64}$")]
Figure = Annotated[float, Meta(ge=-1e9, le=1e9)]
Count = Annotated[int, Meta(ge=0, le=1 << 60)]
Place = Annotated[str, Meta(pattern=r"^(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*/?$")]
"""A path from the root of a server: nothing in it leads out of it, or to another server."""


@dataclass(kw_only=True)
class Remark:
    """What is odd about a run."""

    level: Literal["error", "warning"]
    line: Count | None = None
    text: str


@dataclass
class Remarks:
    """What is odd about a run that is not kept."""

    remarks: list[Remark]


@dataclass(kw_only=True)
class Problem:
    """What went wrong, and what to do."""

    type: str = "about:blank"
    title: str = ""
    status: int = 0
    detail: str
    remarks: list[Remark] = field(default_factory=list)


@dataclass
class BoardFacts:
    """A board, as anybody may know it who may see it; before the reveal nothing tells how many runs it has."""

    key: Key
    title: str
    collection: str
    metrics: list[str]
    topics: int
    depth: int
    phase: str
    opens: Count | None
    closes: Count | None
    reveals: Count | None
    feedback: Literal["none", "split", "ladder", "open"]
    per_day: int | None
    per_month: int | None
    per_team: int | None
    version: int
    published: int
    counts: dict[str, int]
    page: Place


@dataclass
class Boards:
    """The boards from one on."""

    boards: list[BoardFacts]


@dataclass
class Judged:
    """A version of judgments, and the commitment and the salt that it will be known again by."""

    version: int
    topics: list[str]
    commitment: str
    salt: str


@dataclass
class Told:
    """What a team learns of a run before the reveal; about : what the figure is.

    On a ladder the figure is not this run's score: it repeats where the ladder stands, at first that of the organizer's
    run, unless this run is clearly better than the one that was shown last. topics : scores, unless on a ladder.
    """

    metric: str
    figure: Figure | None
    topics: dict[str, Figure | None]
    about: str


@dataclass
class SubmissionFacts:
    """A submission, as its team may know it; `published` once its page shows its score.

    told : what the team learns of it before the reveal. left : runs that it may still send; from `more` on more again.
    replaces : the key of the run whose name it took over.
    """

    key: Key
    board: str
    name: str
    team: str
    state: str
    received: Count
    remarks: list[Remark]
    published: bool
    page: Place
    record: Place
    phase: str
    marks: list[str]
    header: str = ""
    told: Told | None = None
    left: Count | None = None
    more: Count | None = None
    replaces: Key | None = None


@dataclass
class Welcome:
    """What an invitation brought; the token is shown this once."""

    board: str
    role: str
    scope: str
    token: str


@dataclass
class Me:
    """Who a token is of, and where that person takes part."""

    name: str
    scope: str
    boards: list[dict[str, Any]]


@dataclass
class Health:
    """How the site is; disk : ok or full. publishing : ok, or late where nothing was written for ten minutes."""

    database: str
    disk: str
    publishing: str
    waiting: int
    oldest_s: int
    published: dict[str, int]
