"""Parquet of strangers: what a file unpacks to is known before any of it is unpacked."""

import io
import random
import resource
import struct
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import irmeta
from irmeta.errors import IrmetaError
from irmeta.io.formats import parquet

ROWS, NULLS = 12_000_000, 30_000_000
"""Enough for 400 MiB: of several columns, of one."""


def _held(frame: pl.DataFrame, **options: Any) -> bytes:
    file = io.BytesIO()
    frame.write_parquet(file, **options)
    return file.getvalue()


@pytest.mark.parametrize("packed", ["zstd", "snappy", "gzip", "lz4", "uncompressed"])
def test_every_page_is_counted(packed: str) -> None:
    """Whatever packs it and however many pages it has, a table is read, and counts for what it takes in memory."""
    frame = pl.DataFrame(
        {
            "name": ["x", "y", None] * 5000,
            "number": range(15_000),
            "list": [[1.0, 2.0]] * 15_000,
        }
    )
    data = _held(frame, compression=packed, data_page_size=2000, row_group_size=3000)
    assert parquet.read(data).equals(frame)
    values = 15_000 * 4
    assert (
        values * 16 < sum(parquet._page_sizes(data)) < values * 16 + 15_000 * 60 + 10**6
    )


@pytest.fixture(scope="module")
def bombs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Small files of many equal rows, of one long text many times, and of nulls."""
    folder = tmp_path_factory.mktemp("bombs")
    same = pl.repeat("1", ROWS, eager=True)
    names = dict.fromkeys(("collection", "system", "topic", "metric"), same)
    tables = {
        "scores": pl.DataFrame({**names, "score": pl.repeat(0.5, ROWS, eager=True)}),
        "qrels": pl.DataFrame(
            {"query_id": same, "doc_id": same}
            | {"relevance": pl.repeat(1, ROWS, eager=True)}
        ),
        "nulls": pl.select(system=pl.repeat(None, NULLS, dtype=pl.String)),
        "long": pl.DataFrame({"system": ["x" * 10**6] * 400}),
    }
    for name, table in tables.items():
        table.write_parquet(folder / f"{name}.parquet", compression="zstd")
    return {name: folder / f"{name}.parquet" for name in tables}


READ = """
import irmeta, resource, sys
from pathlib import Path
from irmeta.datasets import factors
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for path in sys.argv[1:]:
    for read in (irmeta.load_all, irmeta.import_table, factors.load,
                 lambda path: irmeta.evaluate(path, {"r": {"1": {"d": 1.0}}}, "AP"),
                 lambda path: irmeta.evaluate({"1": {"d": 1}}, path, "AP")):
        try:
            read(path)
        except irmeta.IrmetaError as error:
            print(path, type(error).__name__, str(error)[:60])
        else:
            print(path, "READ")
    print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10)
"""


def test_a_small_file_is_not_much_data(bombs: dict[str, Path]) -> None:
    """No reader of Parquet takes more than 400 MiB for a bomb; each says what is wrong."""
    assert all(path.stat().st_size < 10**6 for path in bombs.values())
    done = subprocess.run(
        [sys.executable, "-c", READ, *map(str, bombs.values())],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "READ" not in done.stdout
    grown = [int(line) for line in done.stdout.splitlines() if line.isdigit()]
    assert len(grown) == len(bombs)
    assert max(grown) < 400, done.stdout


def test_damaged_footers_are_errors(tmp_path: Path) -> None:
    """A footer or a page's head that was changed is an error that names the file, or does not matter; it ends soon."""
    whole = _held(
        pl.DataFrame({"system": ["a", "b"], "topic": ["1", "1"], "score": [0.5, 0.25]}),
        statistics=False,
    )
    draws = random.Random(5)
    length = struct.unpack("<I", whole[-8:-4])[0]
    path = tmp_path / "file.parquet"
    for _ in range(1500):
        data = bytearray(whole)
        for _ in range(draws.randint(1, 4)):
            data[draws.randrange(len(data) - length - 8, len(data))] = draws.choice(
                [0x00, 0x1C, 0x2C, 0x9F, 0xF7, 0xF8, 0xFC, 0xFF, draws.randrange(256)]
            )
        path.write_bytes(data)
        with suppress(IrmetaError):
            irmeta.import_table(path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 4 << 20
