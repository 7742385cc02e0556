"""Seals: one damaged bit in a file of ours is noticed, wherever it is."""

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import xarray as xr

import irmeta
from irmeta.datasets import factors as factor_files
from irmeta.errors import FileFormatError, IrmetaError
from irmeta.evaluation.archive import writing as archive
from irmeta.io.formats import seals
from irmeta.scores import standardization
from irmeta.scores.cube import cube

SOME, MANY = 40, 1500
"""Bits flipped in each file: of the quick test, and of the slow one."""


def _cube() -> xr.DataArray:
    scores = np.random.default_rng(7).random((8, 6, 3)).round(4)
    systems, topics = [f"system{i}" for i in range(8)], [str(i) for i in range(6)]
    return cube(scores, systems, topics, ["AP", "nDCG@10", "P@10"], collection="made")


def _scores(path: Path) -> None:
    irmeta.save(_cube(), path)


def _factors(path: Path) -> None:
    factor_files.save(standardization.fit(_cube()), path)


def _model(path: Path) -> None:
    irmeta.save_model(irmeta.predict.fit({"made": _cube()}), path)


KINDS: dict[str, tuple[Callable[[Path], None], Callable[[Path], object]]] = {
    "scores": (_scores, irmeta.load),
    "factors": (_factors, factor_files.load),
    "model": (_model, irmeta.load_model),
}


def _flips(whole: bytes, count: int) -> Iterator[bytes]:
    """Yield a file with one bit flipped, at random places, and with each bit of its seal's first characters."""
    draws = random.Random(11)
    seal = 8 * whole.rfind(seals.KEY.encode())
    places = [draws.randrange(8 * len(whole)) for _ in range(count)] + list(
        range(seal, seal + 8 * 30, 5)
    )
    for place in places:
        damaged = bytearray(whole)
        damaged[place // 8] ^= 1 << place % 8
        yield bytes(damaged)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [SOME, pytest.param(MANY, marks=pytest.mark.slow)])
def test_a_flipped_bit_is_noticed(tmp_path: Path, kind: str, count: int) -> None:
    """Scores, factors and models with one flipped bit, anywhere in the file, are refused, and the file is named."""
    write, read = KINDS[kind]
    path = tmp_path / "file.parquet"
    write(path)
    read(path)
    for damaged in _flips(path.read_bytes(), count):
        path.write_bytes(damaged)
        with pytest.raises(FileFormatError, match=str(path)):
            read(path)


@pytest.mark.parametrize("count", [5, pytest.param(100, marks=pytest.mark.slow)])
def test_damaged_parts_are_evaluated_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    """A part with one flipped bit counts as not there: the score file is what it would have been."""
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 0, "b": 1}}
    runs = {
        f"r{i}": {"1": {"a": 1.0 + i, "b": 2.0}, "2": {"a": 2.0 - i, "b": 1.0}}
        for i in range(4)
    }
    out = tmp_path / "s.parquet"
    irmeta.evaluate_to(out, qrels, runs, "AP P@1")
    whole, (part, held) = out.read_bytes(), _one_part(out, qrels, runs, monkeypatch)
    part.parent.mkdir()
    part.write_bytes(held)
    assert irmeta.evaluate_to(out, qrels, runs, "AP P@1").kept == 1
    for damaged in _flips(held, count):
        part.parent.mkdir(exist_ok=True)
        part.write_bytes(damaged)
        out.unlink(missing_ok=True)
        assert irmeta.evaluate_to(out, qrels, runs, "AP P@1").kept == 0
        assert out.read_bytes() == whole


def _one_part(
    out: Path, qrels: dict, runs: dict, monkeypatch: pytest.MonkeyPatch
) -> tuple[Path, bytes]:  # type: ignore[type-arg]
    """Interrupt an evaluation, and return the part that it leaves."""
    with monkeypatch.context() as patched:
        patched.setattr(archive, "EVERY", 0.0)
        patched.setattr(archive, "write", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            irmeta.evaluate_to(out.with_name("cut.parquet"), qrels, runs, "AP P@1")
    (*_, part) = archive.finished_parts(out.with_name("cut.parquet"))
    return archive.parts_of(out) / part.name, part.read_bytes()


def test_other_programs_may_write_score_files(tmp_path: Path) -> None:
    """A score table without a seal is read; one that another program changed and that kept the seal is not."""
    path = tmp_path / "s.parquet"
    irmeta.save(_cube(), path)
    frame, metadata = pl.read_parquet(path), pl.read_parquet_metadata(path)
    frame.with_columns(pl.col("score") / 2).write_parquet(path)
    assert irmeta.load(path).max() < 0.5
    frame.with_columns(pl.col("score") / 2).write_parquet(
        path, metadata={seals.KEY: metadata[seals.KEY]}
    )
    with pytest.raises(IrmetaError, match="changed after irmeta wrote it;"):
        irmeta.load(path)


def test_names_cannot_be_taken_for_a_seal(tmp_path: Path) -> None:
    """Systems that are named like a seal, closed or open, neither break it nor stand in for it."""
    names = [
        f'{seals.KEY}": "{seals.OPEN}',
        f"{seals.KEY}\x18N{seals.OPEN}",
        seals.OPEN,
        seals.KEY,
    ]
    path = tmp_path / "s.parquet"
    irmeta.save(cube(np.full((4, 1, 1), 0.5), names, ["1"], ["AP"]), path)
    assert irmeta.load(path).system.values.tolist() == names
    damaged = path.read_bytes().replace(
        b"\x00\x00\x00\x00\x00\x00\xe0\x3f", b"\x00\x00\x00\x00\x00\x00\xe0\x3e"
    )
    path.write_bytes(damaged)
    with pytest.raises(IrmetaError, match="changed after irmeta wrote it"):
        irmeta.load(path)


def test_a_model_is_json_with_a_seal(tmp_path: Path) -> None:
    """The seal of a model is one of its entries, which other programs read as any other."""
    path = tmp_path / "m.json"
    _model(path)
    assert json.loads(path.read_text())[seals.KEY] != seals.OPEN
