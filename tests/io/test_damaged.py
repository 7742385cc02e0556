"""Every reader on files that were damaged at random: it reads them, or says with the file's name what is wrong."""

import bz2
import gzip
import json
import lzma
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

import irmeta
from irmeta.datasets import factors as factor_files
from irmeta.errors import IrmetaError
from irmeta.io.formats import seals
from irmeta.io.tables.matrices import import_matrix, import_systemwise, import_trec_eval
from irmeta.io.tables.mteb import import_mteb
from irmeta.io.tables.spreadsheet import import_table, read_types
from irmeta.scores import standardization
from irmeta.scores.cube import cube

FEW, MANY = 150, 1500
"""Damaged files in the quick test, and in the slow one."""

ODD = [b"\0", b"nan", b"1e999", b"{", b'"', b"\n", b"\xff", b"9" * 400]
QRELS = "".join(
    f"{topic} 0 d{rank} {rank % 3}\n" for topic in (1, 2) for rank in range(5)
).encode()
RUN = "".join(
    f"{topic} Q0 d{rank} {rank} {9 - rank}.5 tag\n"
    for topic in (1, 2)
    for rank in range(6)
).encode()
JSON_RUN = json.dumps({"1": {"d1": 0.5, "d2": 1e-3}, "2": {"d0": 7}}).encode()
LONG = b"collection,system,topic,metric,score\nc,a,1,AP,0.5\nc,b,1,AP,0.25\nc,a,2,AP,1\nc,b,2,AP,0\n"
WIDE = b"system,fiqa,nq\na,0.5,0.25\nb,1,0\n"
LINES = b"".join(
    b'{"run_id":"%s","topic_id":"1","measure":"AP","value":0.5}\n' % run
    for run in (b"a", b"b")
)
NUGGETS = b'{"qid":"1","nuggets":[{"importance":"vital","assignment":"support"}]}\n'
PROMPTFOO = json.dumps(
    {
        "results": {
            "results": [
                {
                    "provider": {"id": "a"},
                    "vars": {"q": "x"},
                    "score": 1,
                    "success": True,
                }
            ]
        }
    }
).encode()
DEEPEVAL = b'{"testCases":[{"name":"a","metricsData":[{"name":"m","score":1}]}]}'
SUPPORT = b'{"topic_id":"1","support_eval":[{"citations":[0],"eval_scores":["FS"]}]}\n'
MTEB = json.dumps(
    {"task_name": "nq", "scores": {"test": [{"main_score": 0.5}]}}
).encode()


def _saved(save: Callable[[Path], None], folder: Path) -> bytes:
    save(folder / "saved.parquet")
    return (folder / "saved.parquet").read_bytes()


def _scores() -> object:
    values = np.random.default_rng(4).random((6, 5, 3)).round(3)
    return cube(
        values,
        [f"s{i}" for i in range(6)],
        [f"t{i}" for i in range(5)],
        ["AP", "RR", "P@5"],
    )


def _mteb(path: Path) -> object:
    model = path.parent / "mteb" / "me__model" / "1"
    model.mkdir(parents=True, exist_ok=True)
    path.replace(model / "nq.json")
    return import_mteb(path.parent / "mteb")


def _unsealed(data: bytes) -> bytes:
    """Return a file that has no seal, so that damage comes to the reader."""
    return data.replace(seals.KEY.encode(), b"irmeta_none").replace(
        b"irmeta sha256 ", b"irmeta nothing"
    )


def _files(folder: Path) -> dict[str, tuple[bytes, Callable[[Path], object]]]:
    scores = _scores()
    model = irmeta.predict.fit({"c": scores})
    sealed = {
        "scores": (_saved(partial(irmeta.save, scores), folder), irmeta.load_all),
        "factors": (
            _saved(partial(factor_files.save, standardization.fit(scores)), folder),
            factor_files.load,
        ),
        "model": (
            _saved(partial(irmeta.save_model, model), folder),
            irmeta.load_model,
        ),
    }
    run = partial(
        irmeta.evaluate,
        {"1": {"d1": 1, "d2": 0}, "2": {"d0": 1}},
        metrics="AP nDCG P@5",
    )
    packed = {
        "gz": gzip.compress,
        "bz2": bz2.compress,
        "xz": lzma.compress,
        "zst": zstandard.ZstdCompressor(write_checksum=True).compress,
    }
    return {
        **sealed,
        **{
            f"unsealed {name}": (_unsealed(data), read)
            for name, (data, read) in sealed.items()
        },
        "run": (RUN, run),
        **{f"run in {kind}": (pack(RUN), run) for kind, pack in packed.items()},
        "run as JSON": (JSON_RUN, run),
        "run, checked": (RUN, partial(irmeta.validate, None)),
        "qrels": (
            QRELS,
            lambda path: irmeta.evaluate(path, {"r": {"1": {"d1": 1.0}}}, "AP"),
        ),
        "scores as CSV": (LONG, irmeta.load_all),
        "long table": (LONG, import_table),
        "wide table": (WIDE, import_table),
        "table as JSON": (
            json.dumps([{"system": "a", "topic": "1", "score": 0.5}]).encode(),
            import_table,
        ),
        "task types": (b"task,type\nnq,QA\nfiqa,QA\n", read_types),
        "JSON lines": (LINES, irmeta.import_jsonl),
        "ir_measures": (b"1\tAP\t0.5\n2\tAP\t0.25\n", irmeta.import_ir_measures),
        "tot": (b"a\tAP\t1\t0.5\nb\tAP\t1\t0.25\n", irmeta.import_tot),
        "trec_eval": (
            b"map 1 0.5\nmap 2 0.25\nrunid all a\nmap all 0.5\n",
            import_trec_eval,
        ),
        "matrix": (
            b"topic,a,b\n1,0.5,0.25\n2,1,0\n",
            partial(import_matrix, rows="topics"),
        ),
        "systemwise": (b"runid,map,P_10\na,0.5,0.1\nb,0.25,0.2\n", import_systemwise),
        "mteb": (MTEB, _mteb),
        "nuggets": (NUGGETS, irmeta.import_nuggets),
        "support": (SUPPORT, irmeta.import_support),
        "promptfoo": (PROMPTFOO, irmeta.import_promptfoo),
        "deepeval": (DEEPEVAL, irmeta.import_deepeval),
        "labels": (b"system,topic,human\na,1,Yes\nb,1,No\n", irmeta.import_labels),
    }


@pytest.fixture(scope="module")
def files(
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, tuple[bytes, Callable[[Path], object]]]:
    """A file of each kind, and what reads it."""
    return _files(tmp_path_factory.mktemp("whole"))


@st.composite
def damages(draw: st.DrawFn) -> Callable[[bytes], bytes]:
    """Draw what happens to a file: bits flip, bytes go, come twice or are others, it ends early."""
    kind = draw(st.sampled_from(["flip", "cut", "drop", "repeat", "insert"]))
    where, length = draw(st.floats(0, 1, exclude_max=True)), draw(st.integers(1, 40))
    others = draw(
        st.binary(max_size=12)
        | st.sampled_from(
            [b"\0", b"nan", b"1e999", b"{", b'"', b"\n", b"\xff", b"9" * 400]
        )
    )

    def damage(data: bytes) -> bytes:
        at = int(where * len(data))
        if kind == "flip":
            return data[:at] + bytes([data[at] ^ (1 << length % 8)]) + data[at + 1 :]
        if kind == "cut":
            return data[:at]
        if kind == "drop":
            return data[:at] + data[at + length :]
        between = data[at : at + length] * 2 if kind == "repeat" else others
        return data[:at] + between + data[at:]

    return damage


@pytest.mark.parametrize(
    "examples",
    [
        pytest.param(FEW, id="few"),
        pytest.param(MANY, id="many", marks=pytest.mark.slow),
    ],
)
def test_damaged_files(
    files: dict[str, tuple[bytes, Callable[[Path], object]]],
    tmp_path_factory: pytest.TempPathFactory,
    examples: int,
) -> None:
    """Every reader takes what damage left of a file, or raises an IrmetaError; nothing else, and no warning."""
    path = tmp_path_factory.mktemp("damaged") / "file"

    @settings(max_examples=examples)
    @given(kind=st.sampled_from(sorted(files)), damage=damages())
    def read_damaged(kind: str, damage: Callable[[bytes], bytes]) -> None:
        whole, read = files[kind]
        path.write_bytes(damage(whole))
        with suppress(IrmetaError):
            read(path)

    read_damaged()


def test_whole_files_are_read(
    files: dict[str, tuple[bytes, Callable[[Path], object]]], tmp_path: Path
) -> None:
    """Without damage every one of these files is read."""
    for whole, read in files.values():
        (tmp_path / "file").write_bytes(whole)
        read(tmp_path / "file")
