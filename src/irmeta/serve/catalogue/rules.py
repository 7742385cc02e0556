"""What names and texts may be, and how a refusal says so."""

import base64
import re
import secrets
import time
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any

from irmeta.errors import IrmetaError
from irmeta.scores.names import bare_name

MISSING = "there is nothing of this name here for you"
"""What is said of what is not there, and of what somebody may not see."""
NAME = re.compile(r"[A-Za-z0-9._-]{1,40}")
NAMED = "has 1 to 40 of A-Z a-z 0-9 . _ -"
"""What the name of a run is, in words."""
KEY = re.compile(r"[a-z0-9-]{2,40}")
HUB = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
RANDOM = re.compile(r"[a-z2-7]{16}")
LINK = re.compile(r"https://[^\s\"'<>]+")
DESCRIBED = {
    "team": 60,
    "system": 40,
    "repeat": 20,
    "type": 20,
    "description": 4000,
    "baseline": 40,
    "link": 300,
}
"""What people say of a run, and how long it may be."""

EARLIEST, LATEST = 1970, 9000
"""Years of a date; a clock cannot write those far beyond."""
UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2028\u2029\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U00013441\U00013442\U00016fe4\U0001d159\U000e0100-\U000e01ef]"
)
"""Letters, signs and marks that do not show, beside those that no text may have."""
LENGTHS = DESCRIBED | {"name": 100, "affiliation": 200}
"""How long any text of people may be."""


class RefusedError(IrmetaError):
    """What was asked cannot be done; `status` is that of HTTP."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def now() -> int:
    """Return the time in UTC, in microseconds."""
    return time.time_ns() // 1000


def parse_moment(text: str) -> int | None:
    """Return the moment of a date in UTC, in microseconds; `now`, and `never` for none.

    >>> parse_moment("1970-01-02"), parse_moment("never")
    (86400000000, None)
    """
    if text in ("now", "never"):
        return now() if text == "now" else None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        form = "a date as 2020-05-14 or 2020-05-14T23:59 (UTC), now or never"
        raise RefusedError(422, f"{text!r} is not {form}") from error
    if not EARLIEST <= moment.year < LATEST:
        says = f"{text!r} is not between {EARLIEST} and {LATEST}"
        raise RefusedError(422, says)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return int(moment.timestamp() * 1e6)


def require_date_order(dates: Mapping[str, Any]) -> None:
    """Refuse dates of a board that closes, or is revealed, before it opens."""
    opens = dates.get("opens")
    for name in ("closes", "reveals"):
        when = dates.get(name)
        if opens is not None and when is not None and when < opens:
            raise RefusedError(
                422,
                f"the board {name} at {clock(when)}, before it opens at {clock(opens)} (UTC)",
            )


def require_hidden_scores(board: Mapping[str, Any]) -> None:
    """Refuse feedback before the reveal of a board whose scores are shown at once."""
    at_once = board["opens"] is not None and board["opens"] == board["reveals"]
    if at_once and board.get("feedback", "none") != "none":
        raise RefusedError(
            422,
            "feedback: this board has no dates, so that all see its scores at once; "
            "give it --closes, or --reveals, too",
        )


def clock(micros: int) -> str:
    """Return a moment, in microseconds, as date and time in UTC.

    >>> clock(0)
    '1970-01-01 00:00:00'
    """
    return f"{datetime.fromtimestamp(micros / 1e6, UTC):%Y-%m-%d %H:%M:%S}"


def new_key() -> str:
    """Return 80 random bits: a running number would tell how many others there are."""
    return base64.b32encode(secrets.token_bytes(10)).decode().lower()


def run_names(paths: Sequence[PurePath]) -> list[str]:
    """Name runs after their files as `irmeta evaluate` does, with the characters that a board takes.

    Raises IrmetaError where two would have one name: the later would stand for the earlier.

    >>> files = ("input.bm25.gz", "my run.txt", "a.run", "a.txt")
    >>> run_names([PurePath(file) for file in files])
    ['bm25', 'my-run', 'a.run', 'a.txt']
    """
    stems = [re.sub(r"\.(gz|bz2|xz|zst)$", "", path.name) for path in paths]
    often = Counter(map(bare_name, stems))
    bare = {stem: bare_name(stem) for stem in stems if often[bare_name(stem)] == 1}
    names = [fit_name(bare.get(stem, stem)) for stem in stems]
    for name, count in Counter(names).items():
        if count > 1:
            called = zip(paths, names, strict=True)
            same = " and ".join(str(path) for path, its in called if its == name)
            raise IrmetaError(f"{same}: all would be called {name}; rename the files")
    return names


def fit_name(name: str) -> str:
    """Return the name of a run with - for each character that a board does not take, cut to 40.

    >>> fit_name("my run")
    'my-run'
    """
    return re.sub(r"[^A-Za-z0-9._-]", "-", name)[:40]


def run_of(name: str, team: str) -> str:
    """Say which run is meant: each team has names of its own.

    >>> run_of("night", "Lund"), run_of("night", "")
    ('run night of team Lund', 'run night without a team')
    """
    return f"run {name} {f'of team {team}' if team else 'without a team'}"


def require_safe(run: Mapping[str, Any]) -> None:
    """Refuse a submission of another site (run) whose key would lead elsewhere, or whose texts no board takes."""
    for what, rule in (("key", RANDOM), ("name", NAME)):
        if not rule.fullmatch(run[what]):
            raise IrmetaError(f"{run[what]!r} cannot be the {what} of a run")
    checked_texts({name: run[name] for name in DESCRIBED})


def checked_texts(about: Mapping[str, str]) -> dict[str, str]:
    r"""Return what people say of a run as NFC; refuse texts that are too long or have characters that do not show.

    >>> checked_texts({"team": "Lu\u0308beck"})
    {'team': 'Lübeck'}
    """
    texts = {name: unicodedata.normalize("NFC", about[name]).strip() for name in about}
    for name, text in texts.items():
        if len(text) > LENGTHS[name]:
            at_most = f"{len(text)} characters; at most {LENGTHS[name]}"
            raise RefusedError(422, f"{name}: {at_most}")
        # controls, marks of direction, halves of characters
        hidden = (letter for letter in text if unicodedata.category(letter)[0] == "C")
        odd = [letter for letter in hidden if letter != "\n"]
        if name != "description":  # there such marks choose how a sign looks
            odd += UNSEEN.findall(text)
        if odd:
            says = f"the character U+{ord(odd[0]):04X} does not show; leave it out"
            raise RefusedError(422, f"{name}: {says}")
    link = texts.get("link")
    if link and not LINK.fullmatch(link):
        raise RefusedError(422, f"link: {link!r} does not begin with https://")
    return texts
