"""Tokens: who may submit. Only their digests are kept."""

import hashlib
import secrets

import sqlalchemy as sa
from sqlalchemy import Engine

from irmeta.serve.catalogue.rules import now
from irmeta.serve.catalogue.tables import reading, token

YEAR = 366 * 86_400 * 1_000_000


def digest_of(secret: str) -> str:
    """Return what is kept of a token."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def new_token(engine: Engine, label: str) -> str:
    """Make a token."""
    secret = secrets.token_urlsafe(32)
    at = now()
    line = sa.insert(token).values(digest=digest_of(secret), label=label)
    with engine.begin() as db:
        db.execute(line.values(created=at, expires=at + YEAR))
    return secret


def is_known(engine: Engine, digest: str) -> bool:
    """Say whether a token with this digest may submit now."""
    valid = (token.c.digest == digest) & (token.c.expires > now())
    wanted = sa.select(token.c.digest).where(valid & token.c.revoked.is_(None))
    with reading(engine) as db:
        return db.execute(wanted).first() is not None
