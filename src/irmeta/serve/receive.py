"""An upload, from the network to the disk: bytes as they come, their digest, and then their name."""

import hashlib
import os
import secrets
import shutil
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from anyio import to_thread

from irmeta.serve.catalogue import RefusedError
from irmeta.serve.importing import keep
from irmeta.serve.site import Site

WHOLE, PATIENCE, SLOWEST = 600, 30, 10_000
"""Seconds for a whole body; seconds after which it must have come with at least SLOWEST bytes a second."""


@dataclass
class Arrived:
    """What came: a file in the site's temporary folder."""

    part: Path
    digest: str
    size: int

    def forget(self) -> None:
        """Remove it, unless it was kept."""
        self.part.unlink(missing_ok=True)


async def receive(
    site: Site, body: AsyncIterator[bytes], length: int | None
) -> Arrived:
    """Write a body to a temporary file; refuse one that is too long, too slow, or for which there is no room."""
    limits = site.settings
    if length is not None and length > limits.body:
        raise _too_long(limits.body)
    if shutil.disk_usage(site.folder).free < limits.free + (length or 0):
        raise RefusedError(507, "the disk of this site is full; tell its operator")
    part = site.temporary / f"{secrets.token_hex(8)}.part"
    began, size, sha = time.monotonic(), 0, hashlib.sha256()
    try:
        with part.open("xb") as file:
            async for piece in body:
                size += len(piece)
                if size > limits.body:
                    raise _too_long(limits.body)
                _require_speed(time.monotonic() - began, size)
                sha.update(piece)
                file.write(piece)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return Arrived(part, sha.hexdigest(), size)


async def kept(site: Site, arrived: Arrived) -> None:
    """Put what arrived on the disk, under its digest."""
    await to_thread.run_sync(_keep, site, arrived)


def _keep(site: Site, arrived: Arrived) -> None:
    descriptor = os.open(arrived.part, os.O_RDONLY)
    try:
        keep(arrived.part, site.run(arrived.digest), descriptor)
    finally:
        os.close(descriptor)


def _too_long(most: int) -> RefusedError:
    return RefusedError(413, f"the body is longer than {most} bytes; compress the run")


def _require_speed(seconds: float, size: int) -> None:
    if seconds > WHOLE or (seconds > PATIENCE and size < SLOWEST * seconds):
        raise RefusedError(408, "the body came too slowly; send it again")
