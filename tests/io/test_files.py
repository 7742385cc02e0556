"""Bytes in and out: compression told by content, output whole or not at all."""

import bz2
import gzip
import hashlib
import http.server
import lzma
import os
import socket
import sys
import threading
from collections.abc import Callable
from itertools import product
from pathlib import Path
from zipfile import ZipFile

import fsspec
import pytest
import zstandard

import irmeta
from irmeta.errors import FileFormatError
from irmeta.io import files
from irmeta.io.files import Content, display, list_files, read_bytes

TEXT = b"".join(
    b"1 Q0 doc%d %d %d.5 tag\n" % (rank, rank, 5000 - rank) for rank in range(5000)
)
PACK = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstandard.ZstdCompressor(write_checksum=True).compress,
}


@pytest.mark.parametrize("kind", PACK)
@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".txt"])
def test_compression_is_told_by_content(tmp_path: Path, kind: str, suffix: str) -> None:
    """A packed file is unpacked whatever its name, and has the digest of its plain text."""
    path = tmp_path / f"run{suffix}"
    path.write_bytes(PACK[kind](TEXT))
    content = files.Content(path)
    assert content.data == TEXT
    assert content.digest == hashlib.sha256(TEXT).hexdigest()


@pytest.mark.parametrize("suffix", files.SUFFIXES)
def test_plain_text_with_a_packed_name(tmp_path: Path, suffix: str) -> None:
    """Plain text stays what it is under a name that promises compression."""
    path = tmp_path / f"run{suffix}"
    path.write_bytes(TEXT)
    assert files.read_bytes(path) == TEXT


@pytest.mark.parametrize("kind", PACK)
def test_parts_packed_one_after_the_other(tmp_path: Path, kind: str) -> None:
    """Packed files put one after the other unpack to their texts put one after the other."""
    path = tmp_path / "run"
    path.write_bytes(PACK[kind](TEXT) + PACK[kind](b"more\n"))
    assert files.read_bytes(path) == TEXT + b"more\n"


@pytest.mark.parametrize("kind", PACK)
@pytest.mark.parametrize("kept", [0.999, 0.9, 0.5, 0.02])
def test_truncated_archives(tmp_path: Path, kind: str, kept: float) -> None:
    """An archive that ends too early is an error that names the file, never a shorter text."""
    packed = PACK[kind](TEXT)
    path = tmp_path / "run"
    path.write_bytes(packed[: int(len(packed) * kept)])
    with pytest.raises(FileFormatError, match=f"run: damaged {kind} data"):
        files.read_bytes(path)


@pytest.mark.parametrize("kind", PACK)
def test_damaged_archives(tmp_path: Path, kind: str) -> None:
    """An archive with other bytes in its middle is an error that says what to do."""
    packed = bytearray(PACK[kind](TEXT))
    for at in range(len(packed) // 2, len(packed) // 2 + 60):
        packed[at] ^= 0xFF
    path = tmp_path / "run"
    path.write_bytes(packed)
    with pytest.raises(
        FileFormatError, match=f"damaged {kind} data .*; copy or download it again"
    ):
        files.read_bytes(path)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """A missing file and a folder are errors that name the path and the reason."""
    with pytest.raises(FileFormatError, match="nothing: no such file"):
        files.read_bytes(tmp_path / "nothing")
    with pytest.raises(FileFormatError, match="cannot be read .Is a directory"):
        files.read_bytes(tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="no such device")
def test_what_may_wait_without_end_is_refused(tmp_path: Path) -> None:
    """A named pipe, a socket and a device are not opened, through a link neither; nothing is an empty file."""
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind(str(tmp_path / "socket"))
    for path in (pipe, link, tmp_path / "socket", Path("/dev/zero")):
        with pytest.raises(FileFormatError, match="may wait without end; name a file"):
            files.read_bytes(path)
        with pytest.raises(FileFormatError, match="may wait without end; name a file"):
            irmeta.load_all(path)
    assert files.read_bytes(Path("/dev/null")) == b""


@pytest.mark.skipif(sys.platform != "linux", reason="no such device")
def test_what_the_shell_opened_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe that is open is read to its end, once, and a device up to a limit; scores, read twice, are refused."""
    monkeypatch.setattr(files, "FREE", 1000)
    reader, writer = os.pipe()
    os.write(writer, PACK["gzip"](TEXT))
    os.close(writer)
    pipe = Path(f"/dev/fd/{reader}")
    with pytest.raises(FileFormatError, match="read more than once"):
        irmeta.load_all(pipe)
    assert files.read_bytes(pipe) == TEXT
    os.close(reader)
    with Path("/dev/zero").open("rb") as zeros:
        device = Path(f"/dev/fd/{zeros.fileno()}")
        with pytest.raises(FileFormatError, match="a device that does not end"):
            files.read_bytes(device)


def test_files_of_folders(tmp_path: Path) -> None:
    """A folder stands for all files in it and beneath, but for hidden ones, also where a link leads back."""
    for name in ("b", "a", ".hidden", "team/c", "team/deep/d", ".git/e"):
        (tmp_path / "runs" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "runs" / name).write_text("")
    (tmp_path / "runs" / "team" / "loop").symlink_to(tmp_path / "runs")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "f").write_text("")
    (tmp_path / "runs" / "linked").symlink_to(tmp_path / "elsewhere")
    listed = [
        str(Path(file).relative_to(tmp_path / "runs"))
        for file in files.list_files(tmp_path / "runs")
    ]
    assert listed == ["a", "b", "linked/f", "team/c", "team/deep/d"]


def test_a_disk_is_no_folder_of_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is hidden, empty or matched by a glob counts, so that no folder is walked without end."""
    monkeypatch.setattr(files, "MOST_FILES", 5)
    for name in ("a", "b", ".c"):
        (tmp_path / name).write_text("")
    (tmp_path / "in").mkdir()
    assert len(files.list_files(tmp_path)) == 2
    assert not files.has_more_files(tmp_path, 2)
    assert files.has_more_files(tmp_path, 1)
    for name in ("deep", "more", "most"):
        (tmp_path / "in" / name).mkdir()
    for given in (tmp_path, tmp_path / "**" / "*"):
        with pytest.raises(FileFormatError, match="more than 5 files and folders"):
            files.list_files(given)


def test_files_of_fsspec() -> None:
    """Files, folders and globs of any file system are listed in order, read unpacked, and named without queries."""
    memory = fsspec.filesystem("memory")
    for name, content in {
        "b.gz": gzip.compress(b"packed"),
        "a": b"plain",
        ".hidden": b"",
        "deep/c": b"",
        ".git/d": b"",
    }.items():
        memory.pipe_file(f"/runs/{name}", content)
    try:
        both = ["memory:///runs/a", "memory:///runs/b.gz"]
        assert (
            files.list_files("memory://runs")
            == files.list_files("memory://runs/")
            == [*both, "memory:///runs/deep/c"]
        )
        assert files.list_files("memory://runs/*.gz") == both[1:]
        assert files.list_files("memory://runs/a") == ["memory://runs/a"]
        assert files.read_bytes(both[1]) == b"packed"
        assert files.stem("https://host/b.gz?token=x") == "b"
        assert (
            files.display("zip://a.gz::https://host/runs.zip?token=x") == "zip://a.gz"
        )
        for wrong in ("memory://runs/none", "memory://runs/none*", "memory://none/"):
            with pytest.raises(FileFormatError, match="no such file"):
                files.list_files(wrong)
        with pytest.raises(FileFormatError, match="a chained URL cannot have a glob"):
            files.list_files("zip://*::memory://runs/a")
        with pytest.raises(
            FileFormatError, match=r"other://x: cannot be read \(Protocol not known"
        ):
            files.read_bytes("other://x")
    finally:
        memory.rm("/runs", recursive=True)


def test_stems() -> None:
    """A system is named by its file without the suffix of a compression, of which only the last counts."""
    names = ["bm25.gz", "bm25.run", "input.bm25.xz", "a.gz.zst", "bm25.GZ", ".gz"]
    names.append("bm25.gzip")
    assert [files.stem(Path("x") / name) for name in names] == [
        "bm25",
        "bm25.run",
        "input.bm25",
        "a.gz",
        "bm25.GZ",
        ".gz",
        "bm25",
    ]


@pytest.mark.parametrize(
    "pack",
    [
        gzip.compress,
        bz2.compress,
        lzma.compress,
        zstandard.ZstdCompressor(write_checksum=True).compress,
    ],
)
def test_every_stream_of_a_file_counts(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    """Files of two streams are read to the end; a damaged or a short second one is an error."""
    file = tmp_path / "run"
    first, second = pack(b"one\n" * 50), pack(b"two\n" * 50)
    file.write_bytes(first + second)
    assert Content(file).data == b"one\n" * 50 + b"two\n" * 50
    for damaged in (
        bytes([second[0], second[1] ^ 1]) + second[2:],
        second[:5],
        second[:-3],
    ):
        file.write_bytes(first + damaged)
        with pytest.raises(FileFormatError, match="damaged"):
            read_bytes(file)


def test_xz_may_have_padding(tmp_path: Path) -> None:
    """Zeros between and after the streams of xz are no damage."""
    file = tmp_path / "run.xz"
    file.write_bytes(lzma.compress(b"a") + bytes(4) + lzma.compress(b"b") + bytes(8))
    assert Content(file).data == b"ab"


@pytest.mark.parametrize(
    "url",
    [
        "http://me:PASSW0RD@localhost:1/q?sig=SECRET",
        "nothere://me:PASSW0RD@host/q?sig=SECRET",
    ],
)
def test_messages_have_no_secrets(url: str) -> None:
    """Passwords and signatures of a URL are in no error, and in no name of a file."""
    for attempt in (read_bytes, list_files):
        with pytest.raises(FileFormatError) as caught:
            attempt(url)
        assert "PASSW0RD" not in str(caught.value)
        assert "SECRET" not in str(caught.value)
    assert display(f"simplecache::{url}").endswith("/q")
    assert "PASSW0RD" not in display(f"simplecache::{url}")


def test_runs_are_not_left_out_silently(tmp_path: Path) -> None:
    """A link to a file that is not there is an error, not a run less."""
    (tmp_path / "a.run").write_text("1 Q0 a 0 1 t\n")
    (tmp_path / "b.run").symlink_to(tmp_path / "gone")
    with pytest.raises(FileFormatError, match="b.run: a link to a file that does not"):
        list_files(tmp_path)


def test_servers_that_fail_are_not_files_that_are_not_there() -> None:
    """An error of a server and a refused connection say so; only a 404 is no such file."""

    class Failing(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_error(int(self.path[1:]))

        do_HEAD = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Failing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        for attempt in (lambda url: files.Content(url).data, list_files):
            with pytest.raises(FileFormatError, match="/404: no such file"):
                attempt(f"{url}/404")
            with pytest.raises(FileFormatError, match="/500: cannot be read .500"):
                attempt(f"{url}/500")
        server.shutdown()
    with pytest.raises(FileFormatError, match="cannot be read .Cannot connect"):
        list_files(f"{url}/200")


@pytest.mark.parametrize("kind", list(PACK))
def test_little_data_that_hold_much_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """A bomb ends with the limit, before it is unpacked; data that hold ten times their size are read."""
    monkeypatch.setattr(files, "FREE", 1 << 16)
    (tmp_path / "bomb").write_bytes(PACK[kind](bytes(1 << 24)))
    with pytest.raises(
        FileFormatError, match=f"bomb: the {kind} data unpack to more than 100 times"
    ):
        read_bytes(tmp_path / "bomb")
    plain = b"".join(b"%d Q0 d%d 1 2 t\n" % (n % 9, n) for n in range(20_000))
    (tmp_path / "run").write_bytes(PACK[kind](plain))
    assert read_bytes(tmp_path / "run") == plain


def test_memory_that_is_refused_is_not_called_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where memory is too small for an archive the error is that of memory, not of the archive."""

    def refuse(*_: object) -> None:
        raise MemoryError("no more")

    monkeypatch.setattr(files, "_decompressed", refuse)
    (tmp_path / "run").write_bytes(bz2.compress(b"1 Q0 a 1 2 t\n"))
    with pytest.raises(MemoryError, match="no more"):
        read_bytes(tmp_path / "run")


@pytest.mark.parametrize("whole", [True, False])
def test_zstd_without_a_checksum_is_refused(tmp_path: Path, whole: bool) -> None:
    """Data of zstd without a checksum, of which damage is not noticed, are refused, in a later frame too."""
    path = tmp_path / "run.zst"
    checked = zstandard.ZstdCompressor(write_checksum=True).compress(b"1 Q0 a 1 2 x\n")
    path.write_bytes(
        (b"" if whole else checked) + zstandard.compress(b"1 Q0 b 2 1 x\n")
    )
    with pytest.raises(FileFormatError, match="no checksum.*write_checksum=True"):
        read_bytes(path)
    path.write_bytes(checked * 2)
    assert read_bytes(path) == b"1 Q0 a 1 2 x\n" * 2


@pytest.mark.parametrize("name", ["workbook.xml", "worksheets/sheet1.xml"])
def test_a_workbook_is_told_by_its_parts(tmp_path: Path, name: str) -> None:
    """An Excel workbook is one wherever it is read, in any order of its parts; another archive is none."""
    path = tmp_path / "r.xlsx"
    for folder, text in (("xl", "Excel"), ("word", "archive")):
        with ZipFile(path, "w") as archive:
            archive.writestr("[Content_Types].xml", "<Types/>")
            archive.writestr(f"{folder}/{name}", "<x/>")
        with pytest.raises(FileFormatError, match=text):
            irmeta.evaluate_run({"1": {"a": 1}}, path, "AP")
    with ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", "<x/>")
    old = tmp_path / "r.xls"
    old.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504))
    for read, book in product(
        (irmeta.load, irmeta.import_table, irmeta.read_groups), (path, old)
    ):
        with pytest.raises(FileFormatError, match="an Excel workbook; save the sheet"):
            read(book)
