"""An upload, from the network to the disk: bytes as they come, their digest, and then their name."""

import asyncio
import hashlib
import re
import secrets
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from irmeta.serve.catalogue.rules import RefusedError
from irmeta.serve.catalogue.submissions import Bytes
from irmeta.serve.site import Site, move_durably

WHOLE, PATIENCE, SLOWEST = 600, 30, 10_000
"""Seconds for a whole body; seconds after which it must have come with at least SLOWEST bytes a second."""
PARTS, SMALL = 20, 1 << 16
"""Fields of a form, and bytes of each, at most."""
CUT_OFF = "the form has no file, or was cut off; send it again"
MANY = f"a form has one run, and at most {PARTS} fields; send runs one by one"
LAST = b"--"
"""What stands behind the last edge of a form."""


@dataclass
class Arrived:
    """What came: a file in the site's temporary folder."""

    part: Path
    content: Bytes

    def keep(self, site: Site) -> None:
        """Put it on the disk, under its digest."""
        move_durably(self.part, site.run_path(self.content.digest))

    def forget(self) -> None:
        """Remove it, unless it was kept."""
        self.part.unlink(missing_ok=True)


async def receive(
    site: Site, body: AsyncIterator[bytes], length: int | None
) -> Arrived:
    """Write a body to a temporary file; refuse one that is too long, too slow, or for which there is no room."""
    _require_length(length or 0, site.settings.body)
    _require_room(site, length or 0)
    part = site.temporary / f"{secrets.token_hex(8)}.part"
    try:
        with part.open("xb") as file:
            return Arrived(part, await _write(site, body, file))
    except BaseException as error:
        part.unlink(missing_ok=True)
        if isinstance(error, TimeoutError):
            mend = "send it again"
            raise RefusedError(408, f"the body came too slowly; {mend}") from error
        raise


async def _write(site: Site, body: AsyncIterator[bytes], file: IO[bytes]) -> Bytes:
    """Write a body to a file; raise TimeoutError where it is too slow."""
    size, sha = 0, hashlib.sha256()
    began = asyncio.get_running_loop().time()
    async with asyncio.timeout(PATIENCE) as ends:
        async for piece in body:
            size += len(piece)
            _require_length(size, site.settings.body)
            _require_room(site)  # others write at the same time
            sha.update(piece)
            file.write(piece)
            seconds = min(max(size / SLOWEST, PATIENCE), WHOLE)
            ends.reschedule(began + seconds)
    return Bytes(sha.hexdigest(), size)


def is_disk_full(site: Site, length: int = 0) -> bool:
    """Say whether there is no room for this number of bytes more."""
    return shutil.disk_usage(site.folder).free < site.settings.free + length


def _require_room(site: Site, length: int = 0) -> None:
    if is_disk_full(site, length):
        raise RefusedError(507, "the disk of this site is full; tell its operator")


def _require_length(size: int, most: int) -> None:
    """Refuse a body that is longer than a site takes."""
    if size > most:
        mend = "compress the run"
        raise RefusedError(413, f"the body is longer than {most} bytes; {mend}")


async def file_of_form(
    body: AsyncIterator[bytes], kind: str, fields: dict[str, str]
) -> AsyncIterator[bytes]:
    """Yield the bytes of the file of a form, and note its fields before and after. kind : its content type."""
    parted = re.search(r'(?i)\bboundary="?([^";,\s]+)', kind)
    if parted is None:
        raise RefusedError(422, CUT_OFF)
    edge = b"\r\n--" + parted[1].encode()
    held = bytearray(b"\r\n")
    await _take_up_to(body, held, edge)
    files = parts = 0
    while not await _ends_form(body, held):
        head = _parameters(await _take_up_to(body, held, b"\r\n\r\n"))
        name = head.get("name", "")
        files, parts = files + ("filename" in head), parts + 1
        if files > 1 or parts > PARTS:
            raise RefusedError(422, MANY)
        if "filename" in head:
            fields[name] = head["filename"]
            async for piece in _bytes_before(body, held, edge):
                yield piece
        else:
            value = await _take_up_to(body, held, edge)
            fields[name] = value.decode("utf-8", "replace")
    if not files:
        raise RefusedError(422, CUT_OFF)


async def _ends_form(body: AsyncIterator[bytes], held: bytearray) -> bool:
    """Say whether the form ends here, after an edge, since no part of it follows."""
    while len(held) < len(LAST):
        held += await _next_piece(body)
    return held.startswith(LAST)


async def _bytes_before(
    body: AsyncIterator[bytes], held: bytearray, edge: bytes
) -> AsyncIterator[bytes]:
    """Yield the bytes before an edge as they come, and take them and the edge off what is held."""
    while edge not in held:
        # the end of what is here may be the beginning of an edge
        sure = max(len(held) - len(edge), 0)
        yield bytes(held[:sure])
        del held[:sure]
        held += await _next_piece(body)
    before, _, rest = bytes(held).partition(edge)
    yield before
    held[:] = rest


def _parameters(head: bytes) -> dict[str, str]:
    r"""Return what browsers say of a field: its name, and that of a file.

    >>> _parameters(b'\r\nContent-Disposition: form-data; name="run"; filename="a b.gz"')
    {'name': 'run', 'filename': 'a b.gz'}
    """
    lines = head.decode("utf-8", "replace").split("\r\n")
    own = "".join(line for line in lines if line.lower().startswith("content-disp"))
    return dict(re.findall(r';\s*(name|filename)="([^"]*)"', own))


async def _take_up_to(
    body: AsyncIterator[bytes], held: bytearray, mark: bytes
) -> bytes:
    """Return what comes before a mark, and take it and the mark off what is held."""
    while mark not in held:
        if len(held) > SMALL:
            raise RefusedError(413, f"a field is longer than {SMALL} bytes")
        held += await _next_piece(body)
    before, _, rest = bytes(held).partition(mark)
    held[:] = rest
    return before


async def _next_piece(body: AsyncIterator[bytes]) -> bytes:
    """Return the next piece of a body; refuse a form that ends here."""
    async for piece in body:
        return piece
    raise RefusedError(422, CUT_OFF)
