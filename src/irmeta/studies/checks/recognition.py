"""What a file or folder holds, whoever wrote it: found by reading it as each reader does that irmeta has."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import xarray as xr

from irmeta.choices import TableKind
from irmeta.datasets import factors
from irmeta.errors import IrmetaError
from irmeta.io import groups, kinds
from irmeta.io.files import Content, Location, location, stem
from irmeta.io.items import (
    deepeval,
    eee,
    helm,
    inspect,
    labels,
    lm_eval,
    nuggets,
    promptfoo,
    support,
)
from irmeta.io.model_file import load_model
from irmeta.io.runs.beir import judgments_in
from irmeta.io.runs.trec import read_qrels
from irmeta.io.scores import held
from irmeta.io.tables import lines, matrices, mteb, spreadsheet
from irmeta.metrics.names import is_known
from irmeta.scores.cube import DIMS
from irmeta.scores.names import bare
from irmeta.words import counted
from irmeta.words import listed as in_words

Kind = Literal[
    "scores",
    "runs",
    "judgments",
    "table",
    "factors",
    "model",
    "site",
    "frozen",
    "groups",
    "folder",
    "unknown",
]
MOST = 20
"""Files of a folder that are looked into, and parts of a folder that are named."""


@dataclass(frozen=True)
class Seen:
    """What one file or folder holds.

    text : what it is, in words.
    systems, metrics : their names. topics : how many. collections : their names.
    reader : how `irmeta import` calls a table that is not a score file yet; an option, for groups.
    parts : what else a folder holds.
    """

    path: str
    kind: Kind
    text: str
    systems: tuple[str, ...] = ()
    topics: int = 0
    metrics: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    reader: str = ""
    parts: tuple["Seen", ...] = field(default=(), repr=False)


def recognise(path: str) -> Seen:
    """Say what a file or folder holds; raise IrmetaError where there is none."""
    where = location(path)
    if isinstance(where, Path) and where.is_dir():
        return _folder(path, where)
    for read in (_by_beginning, _model, _groups, _judgments_or_table):
        if seen := read(path, where):
            return seen
    start = next(iter(_beginning(where).splitlines()), b"")[:60]
    said = (
        f"not known to irmeta; it begins {start.decode(errors='replace')!r}"
        if start
        else "empty"
    )
    return Seen(path, "unknown", said)


def _folder(path: str, folder: Path) -> Seen:
    """Recognise a folder: as a whole, by the runs in it, or by its parts."""
    if (folder / "site.toml").is_file():
        return Seen(path, "site", "a site of irmeta serve")
    if any(folder.glob("b/*/data/board.json")):
        return Seen(path, "frozen", "a frozen site of irmeta serve")
    if (
        seen := _runs_in(path, folder)
        or _as_beir(path, folder)
        or _table(path, FOLDERS)
    ):
        return seen
    inner = [one for one in sorted(folder.iterdir()) if not one.name.startswith(".")]
    parts = tuple(recognise(str(Path(path) / one.name)) for one in inner[:MOST])
    return Seen(
        path, "folder", f"a folder of {counted(len(inner), 'file')}", parts=parts
    )


def _runs_in(path: str, folder: Path) -> Seen | None:
    """Recognise a folder of runs; other files in it are parts."""
    files = [one for one in sorted(folder.glob("[!.]*")) if one.is_file()]
    runs = [one for one in files if _kind(one) == "a run"]
    if not runs:
        return None
    names = tuple(bare(stem(one)) for one in runs)
    text = f"{counted(len(runs), 'run')} ({in_words(names, 3)})"
    others = [one for one in files if one not in runs]
    if others:
        text += f"; not runs: {in_words([one.name for one in others], 3)}"
    parts = tuple(recognise(str(Path(path) / one.name)) for one in others[:MOST])
    return Seen(path, "runs", text, names, parts=parts)


def _as_beir(path: str, folder: Path) -> Seen | None:
    """Recognise a folder by its judgments, where BEIR has them."""
    try:
        return _judgments(path, judgments_in(folder))
    except IrmetaError:
        return None


def _beginning(where: Location) -> bytes:
    """Return the first bytes of a file, unpacked."""
    data = b""
    for piece in Content(where).pieces():
        data += piece
        if len(data) >= kinds.BEGINNING:
            break
    return data[: kinds.BEGINNING]


def _kind(where: Location) -> str | None:
    try:
        return kinds.kind_in(_beginning(where))
    except IrmetaError:
        return None


def _by_beginning(path: str, where: Location) -> Seen | None:
    """Recognise a run, scores and factors by their first bytes."""
    kind = _kind(where)
    if kind == "a run":
        return Seen(path, "runs", "a run", (bare(stem(where)),))
    if kind != kinds.PARQUET or isinstance(where, str):
        return None
    try:
        return _scores(path, held(where))
    except IrmetaError:
        pass
    try:
        found = factors.load(where)
    except IrmetaError:
        return None
    sizes = _sizes(found.sizes["topic"], found.sizes["metric"])
    return Seen(path, "factors", f"factors that standardize scores: {sizes}")


def _sizes(topics: int, metrics: int) -> str:
    return f"{counted(topics, 'topic')}, {counted(metrics, 'metric')}"


def _scores(path: str, collections: Mapping[str, Any]) -> Seen:
    """Describe a score file."""
    names = [one["names"] for one in collections.values()]

    def every(dim: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for one in names for name in one[dim]))

    systems, topics, metrics = (every(dim) for dim in ("system", "topic", "metric"))
    several = f"{counted(len(names), 'collection')}, " if len(names) > 1 else ""
    text = f"a score file: {several}{counted(len(systems), 'system')}, {_sizes(len(topics), len(metrics))}"
    return Seen(path, "scores", text, systems, len(topics), metrics, tuple(collections))


def _judgments(path: str, where: Location) -> Seen | None:
    try:
        qrels = read_qrels(where)
    except IrmetaError:
        return None
    judged, found = len(qrels.grades), int((qrels.grades > 0).sum())
    text = f"judgments of {counted(len(qrels.topics), 'topic')}: {judged} documents, {found} with a grade above 0"
    return Seen(path, "judgments", text, topics=len(qrels.topics))


def _model(path: str, where: Location) -> Seen | None:
    if isinstance(where, str) or where.suffix != ".json":
        return None
    try:
        model = load_model(where)
    except IrmetaError:
        return None
    parts = counted(len(model.parts), "collection")
    return Seen(
        path,
        "model",
        f"a prediction model of {counted(len(model.metrics), 'metric')}, from {parts}",
    )


GROUPS: Mapping[str, tuple[str, Callable[[Path], Any]]] = {
    "--clusters": ("the clusters of {}", groups.read_clusters),
    "--groups": ("the teams of {}", lambda path: groups.read_groups(path).of),
    "--repeats": ("which of {} are of one system", groups.read_repeats),
}
"""Tables of groups by the option that takes them: what they say, and how they are read."""


def _groups(path: str, where: Location) -> Seen | None:
    """Recognise a table that says which topics or runs belong together."""
    if isinstance(where, str) or where.suffix not in (".csv", ".tsv"):
        return None
    for option, (text, read) in GROUPS.items():
        try:
            found = read(where)
        except IrmetaError:
            continue
        what = counted(len(found), "topic" if option == "--clusters" else "run")
        return Seen(path, "groups", text.format(what), reader=option)
    return None


Reader = Callable[[Any], Any]
FOLDERS: dict[TableKind, Reader] = {
    "inspect": inspect.import_inspect,
    "lm-eval": lm_eval.import_lm_eval,
    "helm": helm.import_helm,
    "eee": eee.import_eee,
    "mteb": lambda path: mteb.import_mteb(path),
    "ir_measures": lambda path: lines.import_ir_measures([path]),
    "trec_eval": lambda path: matrices.import_trec_eval([path]),
}
"""What a folder may be a table of, by what `irmeta import` calls it."""
STRICT: dict[TableKind, Reader] = {
    "promptfoo": promptfoo.import_promptfoo,
    "deepeval": deepeval.import_deepeval,
    "nuggets": nuggets.import_nuggets,
    "support": support.import_support,
    "systemwise": lambda path: matrices.import_systemwise([path]),
    "tot": lambda path: lines.import_tot([path]),
    "jsonl": lambda path: lines.import_jsonl([path]),
}
"""Files that only one reader takes."""
LOOSE: dict[TableKind, Reader] = {
    "table": spreadsheet.import_table,
    "labels": labels.import_labels,
}
"""Tables as anybody writes them."""


def _judgments_or_table(path: str, where: Location) -> Seen | None:
    """Read a file as each reader does, the strictest first."""
    files = FOLDERS | STRICT
    del files["mteb"]
    return _table(path, files) or _judgments(path, where) or _table(path, LOOSE)


def _table(path: str, readers: Mapping[TableKind, Reader]) -> Seen | None:
    """Read scores as each reader does; take the first that finds a metric that is known, or the first."""
    seen: list[Seen] = []
    for name, read in readers.items():
        try:
            found = read(path)
        except IrmetaError:
            continue
        cubes = [found] if isinstance(found, xr.DataArray) else list(found.values())
        seen.append(_of_cubes(path, name, cubes))
        if any(map(is_known, seen[-1].metrics)):
            return seen[-1]
    return seen[0] if seen else None


def _of_cubes(path: str, reader: TableKind, cubes: list[xr.DataArray]) -> Seen:
    """Describe scores that are not a score file yet."""
    systems, topics, metrics = (
        tuple(dict.fromkeys(str(name) for cube in cubes for name in cube[dim].values))
        for dim in DIMS
    )
    missing = sum(int(cube.isnull().sum()) for cube in cubes)
    holes = f"; {counted(missing, 'score')} missing" if missing else ""
    sizes = f"{counted(len(systems), 'system')}, {_sizes(len(topics), len(metrics))}"
    text = f"scores, as `irmeta import {reader}` reads them: {sizes}{holes}"
    return Seen(path, "table", text, systems, len(topics), metrics, reader=reader)
