"""What is damaged or unsafe in a site."""

import hashlib
from collections.abc import Iterator

import sqlalchemy as sa
from sqlalchemy import Engine

from irmeta.serve.catalogue.tables import board, judgments, reading, run, submission
from irmeta.serve.site import Settings, Site


def problems(site: Site, engine: Engine) -> Iterator[str]:
    """Yield what somebody should mend: damaged or lost files, open folders, limits above the defaults."""
    with reading(engine) as db:
        state = db.execute(sa.text("PRAGMA integrity_check")).scalar()
        here = sa.select(run.c.digest).where(run.c.stored.is_not(None))
        digests = db.execute(here.order_by(run.c.digest)).scalars().all()
        judged = db.execute(sa.select(judgments.c.digest)).scalars().all()
        brought = sa.exists().where(
            (submission.c.board == board.c.id) & (submission.c.team == "")
        )
        bare = sa.select(board.c.key).where((board.c.feedback == "ladder") & ~brought)
        low = db.execute(bare).scalars().all()
    if state != "ok":
        yield f"{site.database}: damaged ({state}); restore a backup"
    for digest in digests:
        path = site.run(digest)
        if not path.is_file():
            yield f"{path}: lost; submit the run again or restore a backup"
            continue
        with path.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != digest:
                yield f"{path}: damaged; its bytes are not those received"
    for key in low:
        yield (
            f"{key}: its ladder answers nothing until it begins at a run that you bring; "
            f"irmeta board import {key} BASELINE"
        )
    for path in map(site.truth, judged):
        if path.exists() and path.stat().st_mode & 0o077:
            yield f"{path}: others can read the judgments; chmod 600 {path}"
    for name in ("body", "uploads", "requests", "seconds", "memory"):
        value, default = getattr(site.settings, name), getattr(Settings(), name)
        if value > default:
            yield f"site.toml: {name} = {value} is above the default of {default}"
