"""Who somebody is: persons, teams and roles; invitations, sessions and tokens, of which only digests are kept."""

import hashlib
import secrets
import unicodedata
from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy import Connection, Engine, Row

from irmeta.serve.catalogue.boards import board_of
from irmeta.serve.catalogue.databases import reading, rows, wipe_erased
from irmeta.serve.catalogue.events import log_event, raise_version
from irmeta.serve.catalogue.rules import (
    MISSING,
    RefusedError,
    checked_texts,
    new_key,
    now,
)
from irmeta.serve.catalogue.tables import (
    board,
    event,
    membership,
    person,
    submission,
    team,
    token,
)
from irmeta.serve.policy import Role, is_open

DAY = 86_400 * 1_000_000
LASTS = {"invite": 14 * DAY, "session": 30 * DAY, "api": 366 * DAY}
"""How long a secret opens something."""
REVIEWS = 180
"""Days that a review link opens something, at most."""
ORGANIZES = 30 * DAY
"""How long a token lasts that may organize."""
IDLE = 7 * DAY
"""How long a session lasts that nobody uses."""
TEAMS, PEOPLE, FOUNDED = 1000, 20, 3
"""Teams of a board, people of a team, and teams that one person founds on a board, at most."""
ROLES = {"reader": Role.READER, "member": Role.MEMBER, "organizer": Role.ORGANIZER}
SCOPES = {"reader": "read", "member": "submit", "organizer": "organize"}
"""What a token of somebody's role may."""


class Caller(NamedTuple):
    """Who asks. person : the number, None for nobody. site : whether with the token of the site itself."""

    person: int | None = None
    scope: str = "read"
    site: bool = False


NOBODY = Caller(scope="submit")


class Identity(NamedTuple):
    """Whom a login provider knows: the issuer, and the subject that this issuer alone calls so."""

    issuer: str
    subject: str


class Place(NamedTuple):
    """What somebody is on a board, and in which team.

    every : in whichever, as the site's token on open boards. plays : also in a team that is out.
    """

    role: Role = Role.VISITOR
    team: str = ""
    every: bool = False
    plays: bool = False

    def owns(self, name: str) -> bool:
        """Say whether something of a team is theirs."""
        return self.every or bool(self.team and self.team == name)


class Taken(NamedTuple):
    """What an invitation brought: who came, to which board, and as what."""

    person: int
    board: str
    role: str


def digest_of(secret: str) -> str:
    """Return the SHA-256 of a secret: no more of it is kept."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def end_tokens(engine: Engine, label: str) -> None:
    """End the tokens of nobody that have a label: whoever has one of them is let in no more."""
    with engine.begin() as db:
        _end_tokens(db, token.c.person.is_(None) & (token.c.label == label))


def new_token(
    engine: Engine, label: str, person: int | None = None, scope: str = "submit"
) -> str:
    """Make a token; without a person it is the site's, for open boards."""
    lasts = ORGANIZES if scope == "organize" else LASTS["api"]
    with engine.begin() as db:
        return _new_secret(db, "api", lasts, label=label, person=person, scope=scope)


def _new_secret(db: Connection, kind: str, lasts: int = 0, **values: Any) -> str:
    """Return a new secret (kind: api, session, invite or review), which only its maker sees; its digest is kept.

    lasts : microseconds, by default as its kind does. values : of other columns.
    """
    secret, at = secrets.token_urlsafe(32), now()
    line = {"digest": digest_of(secret), "kind": kind, "created": at, **values}
    line["expires"] = at + (lasts or LASTS[kind])
    db.execute(sa.insert(token).values(line))
    return secret


def _valid_secret(db: Connection, digest: str, kind: str) -> Row[Any] | None:
    """Return what is kept of a secret of a kind; None for one that is unknown or has ended."""
    wanted = sa.select(token).filter_by(digest=digest, kind=kind)
    return db.execute(wanted.where(_not_ended())).first()


def _not_ended() -> sa.ColumnElement[bool]:
    """Return the condition for tokens that have neither run out nor been ended."""
    return (token.c.expires > now()) & token.c.revoked.is_(None)


def caller_of(engine: Engine, digest: str, kind: str = "api") -> Caller | None:
    """Return who has a token or a session (kind); None for one that opens nothing. A session that is used lasts on."""
    with reading(engine) as db:
        kept = _valid_secret(db, digest, kind)
    if kept is None:
        return None
    if kind == "session":
        at = now()
        if at - kept.used > IDLE:
            return None
        if at - kept.used > DAY:
            with engine.begin() as db:
                _set_token(db, digest, used=at)
    return Caller(kept.person, kept.scope, site=kept.person is None)


def _set_token(db: Connection, digest: str, **values: Any) -> None:
    db.execute(sa.update(token).filter_by(digest=digest).values(values))


def log_in(engine: Engine, identity: Identity, name: str) -> str:
    """Return the secret of a new session of whom a provider knows: of a new person, unless it has come before."""
    with engine.begin() as db:
        known = _person_of_login(db, identity)
        if known is None:
            return _new_session(db, _new_person(db, name=name, **identity._asdict()))
        if known.disabled is not None:
            raise RefusedError(403, "the operator of this site does not let you in")
        return _new_session(db, known.id)


def link_login(engine: Engine, who: int, identity: Identity) -> None:
    """Let a person come in by a login from now on; refuse one of somebody else, and a second one."""
    with engine.begin() as db:
        known = _person_of_login(db, identity)
        if known is not None and known.id != who:
            raise RefusedError(409, "this login is of another person here")
        has = db.execute(sa.select(person.c.issuer).filter_by(id=who)).scalar_one()
        if known is None and has is not None:
            raise RefusedError(409, "you have a login here, and can have no second")
        db.execute(sa.update(person).filter_by(id=who).values(identity._asdict()))


def _person_of_login(db: Connection, identity: Identity) -> Row[Any] | None:
    return db.execute(sa.select(person).filter_by(**identity._asdict())).first()


def begin_session(engine: Engine, who: int) -> str:
    """Return the secret of a new session of a person."""
    with engine.begin() as db:
        return _new_session(db, who)


def _new_session(db: Connection, who: int) -> str:
    return _new_secret(db, "session", person=who, scope="organize", used=now())


def tokens_of(engine: Engine, who: int) -> Sequence[Row[Any]]:
    """List the sessions, tokens and links of a person that are valid."""
    # invitations to a board are of who takes them, and used ones open nothing
    gone = token.c.board.is_not(None) | token.c.used.is_not(None)
    invitation = token.c.kind == "invite"
    own = token.c.person == who
    listed = _not_ended() & own & ~(invitation & gone)
    wanted = sa.select(token).where(listed).order_by(token.c.created)
    return rows(engine, wanted)


def revoke_token(engine: Engine, who: int, digest: str) -> None:
    """End a session or a token of a person."""
    with engine.begin() as db:
        _end_tokens(db, (token.c.person == who) & (token.c.digest == digest))


def place_on_board(engine: Engine, caller: Caller, board_row: Any) -> Place:
    """Return what somebody is on a board, whose role counts only in a team that takes part."""
    if caller.site:
        return Place(Role.MEMBER, every=True) if is_open(board_row) else Place()
    if caller.person is None:
        return Place()
    wanted = (
        sa.select(membership.c.role, team.c.name, team.c.state)
        .outerjoin(team, team.c.id == membership.c.team)
        .filter(membership.c.person == caller.person)
        .filter(membership.c.board == board_row.id)
    )
    every = rows(engine, wanted)
    valid = [row for row in every if row.state in (None, "in")]
    role = max((ROLES[row.role] for row in valid), default=Role.VISITOR)
    if caller.scope != "organize":
        role = min(role, Role.MEMBER)
    teams = [row.name for row in valid if row.name is not None]
    plays = any(row.name is not None for row in every)
    return Place(role, teams[0] if teams else "", plays=plays)


def invite(
    engine: Engine,
    key: str,
    role: str,
    team_name: str = "",
    by: int | None = None,
) -> str:
    """Return the secret of a new invitation to a board; to a team, which is made unless it is there.

    It ends with what its maker (by) may.
    """
    if role not in SCOPES:
        raise RefusedError(422, f"role: {', '.join(SCOPES)}, not {role!r}")
    with engine.begin() as db:
        board_id = board_of(db, key).id
        if (role == "member") != bool(team_name):
            raise RefusedError(
                422,
                "a member comes into a team, so name the team; nobody else comes into one",
            )
        opens = {"board": board_id, "role": role, "scope": SCOPES[role], "person": by}
        if team_name:
            known = _team_named(db, board_id, team_name)
            opens["team"] = (known or _new_team(db, board_id, team_name, "in")).id
        log_event(db, board_id, "invited", {"role": role, "team": team_name}, by)
        return _new_secret(db, "invite", **opens)


def create_browser_invitation(engine: Engine, who: int) -> str:
    """Return the secret of a new invitation with which a person comes in from another browser."""
    with engine.begin() as db:
        return _new_secret(db, "invite", person=who, scope="organize")


def create_review_link(engine: Engine, key: str, days: int, by: int | None) -> str:
    """Return the secret of a new link to a submission (key) without names; it is a token of its maker (by)."""
    if not 1 <= days <= REVIEWS:
        raise RefusedError(422, f"a review link lasts 1 to {REVIEWS} days, not {days}")
    with engine.begin() as db:
        return _new_secret(db, "review", days * DAY, label=key, person=by, scope="read")


def submission_of_review(engine: Engine, secret: str) -> str:
    """Return the key of the submission that a review link leads to."""
    with reading(engine) as db:
        link = _valid_secret(db, digest_of(secret), "review")
    if link is None:
        raise RefusedError(404, MISSING)
    return str(link.label)


def invitation_target(engine: Engine, secret: str) -> Any:
    """Return where an invitation leads, and use nothing up: title of the `board`, `role` and `team`; None for none."""
    digest = digest_of(secret)
    wanted = (
        sa.select(board.c.title.label("board"), token.c.role, team.c.name.label("team"))
        .outerjoin(board, board.c.id == token.c.board)
        .outerjoin(team, team.c.id == token.c.team)
        .where(token.c.digest == digest)
    )
    with reading(engine) as db:
        _unused_invitation(db, digest)
        return db.execute(wanted).one()


def _unused_invitation(db: Connection, digest: str) -> Row[Any]:
    """Return an invitation that nobody has taken."""
    invitation = _valid_secret(db, digest, "invite")
    if invitation is None or invitation.used:
        raise RefusedError(
            404,
            "this invitation was used, has ended, or was not copied whole; "
            "ask who sent it for another",
        )
    return invitation


def take_invitation(
    engine: Engine,
    secret: str,
    name: str,
    affiliation: str = "",
    who: int | None = None,
) -> Taken:
    """Use up an invitation: a person comes to its board, a new one unless it is known. Nobody can use it again."""
    texts = checked_texts({"name": name, "affiliation": affiliation})
    digest = digest_of(secret)
    with engine.begin() as db:
        invitation = _unused_invitation(db, digest)
        _set_token(db, digest, used=now())
        if invitation.board is None:
            return Taken(invitation.person, "", "")
        number = _known_or_new_person(db, who, texts)
        team_row = None
        if invitation.team is not None:
            _require_room(db, invitation.team)
            team_row = db.execute(sa.select(team).filter_by(id=invitation.team)).one()
        _add_membership(db, number, invitation.board, invitation.role, team_row)
        key = sa.select(board.c.key).filter_by(id=invitation.board)
        return Taken(number, str(db.execute(key).scalar_one()), invitation.role)


def ask_to_join(
    engine: Engine,
    key: str,
    team_name: str,
    name: str,
    affiliation: str = "",
    who: int | None = None,
) -> int:
    """Ask to take part with a new team, which takes part at once where a board is open to whoever logs in.

    Return the number of the person, a new one unless it is known.
    """
    texts = checked_texts({"name": name, "affiliation": affiliation})
    if not team_name.strip():
        raise RefusedError(422, "team: say who asks")
    with engine.begin() as db:
        board_row = board_of(db, key)
        board_id, open_ = board_row.id, board_row.join == "open"
        issuer = sa.select(person.c.issuer).where(person.c.id == who)
        if open_ and db.execute(issuer).scalar() is None:
            raise RefusedError(403, "log in first: this board knows people by a login")
        number = _known_or_new_person(db, who, texts)
        free, more = team_name, 1
        while _team_named(db, board_id, free):
            more += 1
            free = f"{team_name[:50]} {more}"
        made = _new_team(db, board_id, free, "in" if open_ else "asked", number)
        asks = {"team": made.name, "state": made.state}
        log_event(db, board_id, "team", asks, number)
        _add_membership(db, number, board_id, "member", made)
        return number


def _known_or_new_person(db: Connection, who: int | None, texts: dict[str, str]) -> int:
    """Return the number of who comes to a board, a new person unless it is known; nobody comes without a name."""
    if who is None:
        _require_name(texts)
        return _new_person(db, **texts)
    named = sa.select(person.c.name).filter_by(id=who)
    if not db.execute(named).scalar_one():
        _rename(db, who, texts)
    return who


def _require_name(texts: dict[str, str]) -> None:
    if not texts["name"]:
        raise RefusedError(422, "name: say who you are")


def _rename(db: Connection, who: int, texts: dict[str, str]) -> None:
    _require_name(texts)
    db.execute(sa.update(person).filter_by(id=who).values(texts))


def rename_person(engine: Engine, who: int, name: str, affiliation: str) -> None:
    """Rename a person, and write another affiliation."""
    with engine.begin() as db:
        _rename(db, who, checked_texts({"name": name, "affiliation": affiliation}))


def _new_person(db: Connection, **values: str) -> int:
    line = sa.insert(person).values(values | {"key": new_key(), "created": now()})
    return int(db.execute(line.returning(person.c.id)).scalar_one())


def _add_membership(
    db: Connection, who: int, board_id: int, role: str, team_row: Row[Any] | None
) -> None:
    """Let a person have a role on a board, in a team perhaps; who has had it before has it of this team now."""
    line = {"person": who, "board": board_id, "role": role}
    db.execute(sa.delete(membership).filter_by(**line))
    db.execute(sa.insert(membership).values(line | {"team": team_row and team_row.id}))
    log_event(
        db, board_id, "joined", {"role": role, "team": team_row and team_row.name}, who
    )


def _require_room(db: Connection, team_id: int) -> None:
    if _count_rows(db, membership, team=team_id) >= PEOPLE:
        raise RefusedError(409, f"the team has {PEOPLE} people, and may have no more")


def _fold_name(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def _team_named(db: Connection, board_id: int, name: str) -> Row[Any] | None:
    wanted = sa.select(team).filter_by(board=board_id, folded=_fold_name(name.strip()))
    return db.execute(wanted).first()


def _new_team(
    db: Connection, board_id: int, name: str, state: str, founder: int | None = None
) -> Row[Any]:
    """Add a team to a board; refuse one too many of the board, or of its founder."""
    text = checked_texts({"team": name})["team"]
    # those that only ask keep nobody out whom an organizer invites
    if _count_rows(db, team, board=board_id, state=state) >= TEAMS:
        raise RefusedError(409, f"the board has {TEAMS} teams, and may have no more")
    own = {"board": board_id, "founder": founder}
    if founder is not None and _count_rows(db, team, **own) >= FOUNDED:
        says = f"you have founded {FOUNDED} teams on this board, and may found no more"
        raise RefusedError(409, says)
    names = {"name": text, "folded": _fold_name(text)}
    line = sa.insert(team).values(**own, **names, state=state, created=now())
    return db.execute(line.returning(team)).one()


def _count_rows(db: Connection, table: sa.Table, **which: Any) -> int:
    """Count rows of a table that have these values."""
    count = sa.select(sa.func.count()).select_from(table).filter_by(**which)
    return int(db.execute(count).scalar_one())


def teams_of_board(engine: Engine, board_id: int) -> Sequence[Row[Any]]:
    """List the teams of a board."""
    return rows(engine, sa.select(team).filter_by(board=board_id).order_by(team.c.id))


def set_team(
    engine: Engine, key: str, name: str, by: int | None = None, **values: Any
) -> None:
    """Take a team in or out (state), or note that it has seen the judgments (holder)."""
    with engine.begin() as db:
        board_id = board_of(db, key).id
        team_row = _team_named(db, board_id, name)
        if team_row is None:
            raise RefusedError(404, f"the board {key} has no team {name!r}")
        db.execute(sa.update(team).filter_by(id=team_row.id).values(values))
        log_event(db, board_id, "team", {"team": team_row.name, **values}, by)
        if values.get("holder"):
            _mark_runs_of_holder(db, board_id, team_row.name)


def remove_person(
    engine: Engine, key: str, person_key: str, by: int | None = None
) -> None:
    """End what a person may on a board, and what they let others do there; the person stays on others."""
    with engine.begin() as db:
        board_id = board_of(db, key).id
        number = db.scalar(sa.select(person.c.id).where(person.c.key == person_key))
        ended = sa.delete(membership).filter_by(board=board_id, person=number)
        if db.execute(ended).rowcount == 0:
            raise RefusedError(404, f"the board {key} has no person {person_key!r}")
        _end_tokens(db, (token.c.person == number) & _opens_board(board_id))
        log_event(db, board_id, "removed", {"person": number}, by)


def _opens_board(board_id: int) -> sa.ColumnElement[bool]:
    """Return the condition for secrets that open a board: they invite there, or let somebody review one of its runs."""
    runs = sa.select(submission.c.key).where(submission.c.board == board_id)
    reviews = (token.c.kind == "review") & token.c.label.in_(runs)
    return (token.c.board == board_id) | reviews


def has_seen_judgments(
    db: Connection, board_id: int, team_name: str, who: int | None
) -> bool:
    """Say whether a team has seen the judgments of a board, or a person was in such a team then or later."""
    wanted = sa.select(team.c.name).where((team.c.board == board_id) & team.c.holder)
    holders = set(db.execute(wanted).scalars())
    if not holders:
        return False
    return team_name in holders or who in _people_with_judgments(db, board_id)


def _people_with_judgments(db: Connection, board_id: int) -> set[int | None]:
    """Return who was in a team when it had seen the judgments, as the log has it: a membership goes with another."""
    told = event.c.action.in_(("joined", "removed", "team"))
    wanted = sa.select(event).where(told).filter_by(board=board_id)
    teams: dict[int | None, str] = {}
    holders, people = set[str](), set[int | None]()
    for line in db.execute(wanted.order_by(event.c.id)):
        name = line.detail.get("team")
        if line.action == "joined" and name:
            teams[line.person] = name
            if name in holders:
                people.add(line.person)
        elif line.action == "removed":
            teams.pop(line.detail["person"], None)
        elif line.detail.get("holder"):
            holders.add(name)
            people.update(who for who, team_name in teams.items() if team_name == name)
    return people


def _mark_runs_of_holder(db: Connection, board_id: int, team_name: str) -> None:
    """Mark the runs that a team and its people have sent, as those that they will send."""
    whose = submission.c.team == team_name
    whose |= submission.c.person.in_(_people_with_judgments(db, board_id))
    own = (submission.c.board == board_id) & whose
    for sent in db.execute(sa.select(submission).where(own)).all():
        if "holder" not in sent.marks:
            marked = {"marks": [*sent.marks, "holder"]}
            db.execute(sa.update(submission).filter_by(id=sent.id).values(marked))
    raise_version(db, board_id)


def people_of_board(engine: Engine, board_id: int) -> Sequence[Any]:
    """List the people of a board: key, name, affiliation, role, team and its state."""
    more = (team.c.name.label("team"), team.c.state, team.c.holder)
    wanted = (
        sa.select(person, membership.c.role, *more)
        .join(membership, membership.c.person == person.c.id)
        .outerjoin(team, team.c.id == membership.c.team)
        .where(membership.c.board == board_id)
        .order_by(person.c.id)
    )
    return rows(engine, wanted)


def boards_of(engine: Engine, who: int) -> Sequence[Any]:
    """List the boards of a person, with the role and the team; how one that asks will be called tells of others."""
    called = sa.case((team.c.state != "asked", team.c.name)).label("team")
    more = (called, team.c.state)
    wanted = (
        sa.select(board.c.key, board.c.title, membership.c.role, *more)
        .join(membership, membership.c.board == board.c.id)
        .outerjoin(team, team.c.id == membership.c.team)
        .where(membership.c.person == who)
        .order_by(board.c.key)
    )
    return rows(engine, wanted)


def names_of_people(engine: Engine) -> dict[int, str]:
    """Return the names of people by their numbers in the log, without those who were erased."""
    wanted = sa.select(person.c.id, person.c.name).where(person.c.name != "")
    with reading(engine) as db:
        return {row.id: row.name for row in db.execute(wanted)}


def open_invitations(engine: Engine, board_id: int) -> Sequence[Any]:
    """List the invitations to a board that nobody has taken: role, team, when made, until when."""
    name = team.c.name.label("team")
    wanted = (
        sa.select(token.c.role, name, token.c.created, token.c.expires)
        .outerjoin(team, team.c.id == token.c.team)
        .where(token.c.kind == "invite", token.c.board == board_id)
        .where(token.c.used.is_(None), _not_ended())
        .order_by(token.c.created)
    )
    return rows(engine, wanted)


def person_of(engine: Engine, who: int | None) -> Any:
    """Return a person; None for nobody."""
    with reading(engine) as db:
        return db.execute(sa.select(person).filter_by(id=who)).first()


def _update_person(db: Connection, key: str, **values: Any) -> int:
    """Change what is kept of a person; return the number."""
    line = sa.update(person).filter_by(key=key).values(values)
    number = db.execute(line.returning(person.c.id)).scalar()
    if number is None:
        raise RefusedError(404, f"there is no person {key!r}")
    return int(number)


def disable_person(engine: Engine, key: str) -> None:
    """End all that lets a person in, also a login, until it is enabled again."""
    with engine.begin() as db:
        who = _update_person(db, key, disabled=now())
        _end_tokens(db, token.c.person == who)


def _end_tokens(db: Connection, which: sa.ColumnElement[bool]) -> None:
    """End the tokens for which a condition holds."""
    live = which & token.c.revoked.is_(None)
    db.execute(sa.update(token).where(live).values(revoked=now()))


def enable_person(engine: Engine, key: str) -> None:
    """Let a person log in again."""
    with engine.begin() as db:
        _update_person(db, key, disabled=None)


def erase_person(engine: Engine, key: str) -> None:
    """Erase what is kept of a person; runs stay with the team, and the log keeps a number."""
    gone: dict[str, Any] = {"name": "", "affiliation": "", "erased": now()}
    gone |= dict.fromkeys(Identity._fields)
    with engine.begin() as db:
        who = _update_person(db, key, **gone)
        for table in (membership, token):
            db.execute(sa.delete(table).filter_by(person=who))
    wipe_erased(engine)
