"""Files within a ZIP archive, also those packed by zstd, which Python's own zipfile reads from 3.14 on only."""

import io
import zipfile
import zlib

import zstandard

from irmeta.errors import FileFormatError
from irmeta.io.files import Location, display, read_bytes, unpacked_limit
from irmeta.words import reason

_ZSTD = 93
_HEAD = 30
"""Bytes of what stands before a file in an archive, without its name and extras. Source: APPNOTE.TXT, 4.3.7."""


class Archive:
    """A ZIP archive; what is damaged, or unpacks to far more than it should, raises FileFormatError."""

    def __init__(self, path: Location) -> None:
        self.path = path
        self._data = read_bytes(path)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(self._data))
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise self._damaged(error) from error
        self._members = {one.filename: one for one in self._zip.infolist()}
        whole = sum(one.file_size for one in self._members.values())
        if whole > unpacked_limit(len(self._data)):
            raise FileFormatError(
                f"{display(path)}: the archive says that it unpacks to {whole >> 20:,} MiB, far more than its size"
            )

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def names(self, folder: str) -> list[str]:
        """List the files in a folder of the archive."""
        return sorted(name for name in self._members if name.startswith(folder))

    def read(self, name: str) -> bytes:
        """Return what a file of the archive holds."""
        member = self._members[name]
        try:
            if member.compress_type == _ZSTD:
                return self._decompressed(member)
            return self._zip.read(member)
        except (
            zipfile.BadZipFile,
            zstandard.ZstdError,
            zlib.error,
            ValueError,
            EOFError,
            OSError,
            RuntimeError,
            NotImplementedError,
        ) as error:
            raise self._damaged(error) from error

    def _decompressed(self, member: zipfile.ZipInfo) -> bytes:
        """Return what a file packed by zstd holds, held to its size and checksum."""
        header = self._data[member.header_offset :][:_HEAD]
        if len(header) < _HEAD or header[:4] != b"PK\x03\x04":
            raise ValueError(f"no head of {member.filename}")
        start = member.header_offset + _HEAD
        start += int.from_bytes(header[26:28], "little")
        start += int.from_bytes(header[28:30], "little")
        packed = self._data[start : start + member.compress_size]
        with zstandard.ZstdDecompressor().stream_reader(packed) as stream:
            data = stream.read(member.file_size + 1)
        if len(data) != member.file_size or zlib.crc32(data) != member.CRC:
            raise ValueError(f"{member.filename} is not what it was")
        return data

    def _damaged(self, error: Exception) -> FileFormatError:
        return FileFormatError(
            f"{display(self.path)}: a damaged archive ({reason(error)}); copy or download it again"
        )
