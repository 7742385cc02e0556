"""What is damaged or unsafe in a site."""

import hashlib

from sqlalchemy import Engine, text

from irmeta.serve import catalogue
from irmeta.serve.site import Settings, Site


def problems(site: Site, engine: Engine) -> list[str]:
    """List what somebody should mend: damaged or lost files, open folders, limits above the defaults."""
    found = []
    with catalogue.reading(engine) as db:
        state = db.execute(text("PRAGMA integrity_check")).scalar()
        if state != "ok":
            found.append(f"{site.database}: damaged ({state}); restore a backup")
        runs = db.execute(text("SELECT digest FROM run WHERE stored IS NOT NULL"))
        digests = [str(one.digest) for one in runs]
    for digest in digests:
        path = site.run(digest)
        if not path.is_file():
            found.append(f"{path}: lost; submit the run again or restore a backup")
        elif _digest_of(site, digest) != digest:
            found.append(f"{path}: damaged; its bytes are not those received")
    for one in catalogue.boards(engine):
        for version in catalogue.snapshot(engine, one.key).versions:
            path = site.truth(version.digest)
            if path.exists() and path.stat().st_mode & 0o077:
                found.append(f"{path}: others can read the judgments; chmod 600 {path}")
    for name in ("body", "uploads", "requests", "seconds", "memory"):
        value, default = getattr(site.settings, name), getattr(Settings, name)
        if value > default:
            found.append(
                f"site.toml: {name} = {value} is above the default of {default}"
            )
    return found


def _digest_of(site: Site, digest: str) -> str:
    with site.run(digest).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
