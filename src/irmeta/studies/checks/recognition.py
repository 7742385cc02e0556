"""What a file or folder holds, whoever wrote it: found by reading it as each reader does that irmeta has."""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import xarray as xr

from irmeta.choices import TableKind
from irmeta.datasets import factors
from irmeta.errors import IrmetaError
from irmeta.io import groups, kinds, lists
from irmeta.io.files import Content, Location, has_more_files, location, stem
from irmeta.io.formats.model_file import load_model
from irmeta.io.formats.nights import read_nights
from irmeta.io.formats.scores import count_scores, read_descriptions, system_means
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
from irmeta.io.runs.beir import judgments_file
from irmeta.io.runs.trec import read_qrels
from irmeta.io.sheets import read_pairs
from irmeta.io.strictly import number_or_nan, parse_json
from irmeta.io.tables import lines, matrices, mteb, spreadsheet
from irmeta.io.tables.outcomes import read_outcomes
from irmeta.metrics.names import is_known, usual
from irmeta.scores.cube import DIMS
from irmeta.scores.names import bare_name
from irmeta.scores.tables.roles import ALL, columns_of
from irmeta.scores.tables.wide import is_no_score
from irmeta.words import counted, shortened
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
    "output",
]
LOOKS = 100
"""Files and folders that are looked into, of a folder and all that is in it."""
OUTPUTS = (".svg", ".png", ".pdf", ".html", ".tex", ".css", ".js")
"""How names end of files that are written to be looked at: a folder's are not read."""
UNREAD = "not looked at"
"""What is said of files beyond these."""
CROWD = 10_000
"""Files of a folder that no reader is given to find out what it is."""


@dataclass(frozen=True)
class Seen:
    """What one file or folder holds.

    text : what it is, in words.
    systems, metrics : their names. topics : how many. collections : their names.
    reader : how `irmeta import` calls a table that is not a score file yet; an option, for groups.
    missing : how many of the scores.
    estimated : whether scores are what topics add to an estimate, which say nothing of how topics vary.
    parts : what else a folder holds; the collections of a score file that has several.
    alike : whether these have the same systems and topics, as where several judges saw the same runs.
    files : all files, where several are taken together.
    ignored : columns that are no scores, where metrics are others.
    judged : the topics of judgments.
    """

    path: str
    kind: Kind
    text: str
    systems: tuple[str, ...] = ()
    topics: int = 0
    metrics: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    reader: str = ""
    missing: int = 0
    estimated: bool = False
    parts: tuple["Seen", ...] = field(default=(), repr=False)
    alike: bool = False
    files: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    judged: frozenset[str] = field(default=frozenset(), repr=False)


def recognise(path: str) -> Seen:
    """Say what a file or folder holds; raise IrmetaError where there is none."""
    return _recognised(path, iter(range(LOOKS)))


def _recognised(path: str, looks: Iterator[int]) -> Seen:
    """Say what a file or folder holds; looks : one is taken for each part of a folder that is looked into."""
    where = location(path)
    if isinstance(where, Path) and where.is_dir():
        return _folder(path, where, looks)
    if isinstance(where, Path) and where.exists() and not where.is_file():
        return Seen(path, "unknown", "not a file")
    readers = (_by_beginning, _model, _nights, _items_of_record, _groups, _facts)
    for read in (*readers, _judgments_or_table):
        seen = read(path, where)
        if seen:
            return seen
    if text := _irmeta_product(where):
        return Seen(path, "output", text)
    if text := _unassigned_nuggets(path):
        return Seen(path, "unknown", text)
    start = next(iter(_beginning(where).splitlines()), b"")[:60]
    said = "empty"
    if start:
        said = f"not known to irmeta; it begins {start.decode(errors='replace')!r}"
    if _kind(where) == "judgments":
        said = f"judgments, but {_why_unread(path, where)}"
    elif start and str(where).endswith((".csv", ".tsv")):
        said = f"not a table of scores yet: {_why_no_table(path)}"
    return Seen(path, "unknown", said)


def _items_of_record(path: str, where: Location) -> Seen | None:
    """Recognise what lies beside a record of Every Eval Ever."""
    if not path.endswith(eee.ITEMS) or b'"evaluation_id"' not in _beginning(where):
        return None
    record = f"{path.removesuffix(eee.ITEMS)}.json"
    text = f"items of {eee.WHAT}; name the record, {record}, or the folder of both"
    return Seen(path, "unknown", text)


_PAGE = b'<meta name="generator" content="irmeta '
"""What the head of each page of a report or a board has."""


def _irmeta_product(where: Location) -> str:
    """Say what a file is that irmeta wrote to be looked at; nothing of others."""
    data = _beginning(where).lstrip()
    if data.startswith(b"\\begin{tab"):
        return "a table in LaTeX; \\input it in a paper"
    if _PAGE in data:
        return "a page that irmeta wrote; open it in a browser"
    if not data.startswith(b"{"):
        return ""
    try:
        held = parse_json(Content(where).data)
    except (IrmetaError, ValueError):
        return ""
    if {"study", "findings", "tables"} <= held.keys():
        return f"a result of irmeta ({shortened(str(held['study']))}) as JSON, for programs"
    if {"task_name", "scores"} <= held.keys():
        return "a result of MTEB on one task; name the folder of results (MODEL/REVISION/TASK.json)"
    if held.keys() == {"seed", "systems", "topics"}:
        return "what is true of a simulated collection, beside which it lies"
    return ""


def _unassigned_nuggets(path: str) -> str:
    """Say what nuggets lack that have no assignments; nothing of other files."""
    try:
        nuggets.import_nuggets(path)
    except nuggets.UnassignedError:
        return "nuggets, not assigned to answers yet: nuggetizer assign does it, and irmeta import nuggets reads that"
    except IrmetaError:
        pass
    return ""


def _why_unread(path: str, where: Location) -> str:
    """Say what is wrong with the first line of judgments that cannot be taken."""
    try:
        read_qrels(where)
    except IrmetaError as error:
        return str(error).partition("\n")[0].replace(f"{path}:", "line ", 1)
    return "none that irmeta takes"


def _why_no_table(path: str) -> str:
    """Say why a table is not one of scores."""
    try:
        spreadsheet.import_table(path)
    except IrmetaError as error:
        return str(error).removeprefix(f"{path}: ")
    return "it has no scores"


def _folder(path: str, folder: Path, looks: Iterator[int]) -> Seen:
    """Recognise a folder: as a whole, by the runs in it, or by its parts."""
    if (folder / "site.toml").is_file():
        return Seen(path, "site", "a site of irmeta serve")
    if any(folder.glob("b/*/data/board.json")):
        return Seen(path, "frozen", "a frozen site of irmeta serve")
    if has_more_files(folder, CROWD):
        text = f"a folder of more than {CROWD:,} files; name what is of interest in it"
        return Seen(path, "unknown", text)
    seen = _runs_in(path, folder, looks) or _beir_folder(path, folder)
    seen = seen or _table(path, FOLDERS)
    if seen:
        return seen
    page = folder / "index.html"
    if page.is_file() and _PAGE in _beginning(page):
        return Seen(path, "output", f"a page that irmeta wrote; open {page}")
    inner = sorted(folder.glob("[!.]*"))
    parts = _folder_parts(path, inner, looks)
    text = f"a folder of {counted(len(inner), 'file')}"
    return Seen(path, "folder", text, parts=parts)


def _folder_parts(
    path: str, inner: list[Path], looks: Iterator[int]
) -> tuple[Seen, ...]:
    """Recognise what a folder holds, files first, as far as it can be read; links to folders are not followed."""
    parts = []
    for one in sorted(inner, key=Path.is_dir):
        inside = str(Path(path) / one.name)
        if one.suffix in OUTPUTS:
            parts.append(Seen(inside, "output", "not read"))
            continue
        if one.is_symlink() and one.is_dir():
            parts.append(Seen(inside, "unknown", "a link to a folder"))
            continue
        if next(looks, None) is None:
            parts.append(Seen(inside, "unknown", UNREAD))
            continue
        try:
            parts.append(_recognised(inside, looks))
        except IrmetaError as error:
            parts.append(
                Seen(inside, "unknown", str(error).removeprefix(f"{inside}: "))
            )
    return tuple(parts)


def _runs_in(path: str, folder: Path, looks: Iterator[int]) -> Seen | None:
    """Recognise a folder of runs; other files in it are parts."""
    files = [one for one in sorted(folder.glob("[!.]*")) if one.is_file()]
    runs = [one for one in files if _kind(one) == "a run"]
    if not runs:
        return None
    names = tuple(bare_name(stem(one)) for one in runs)
    text = f"{counted(len(runs), 'run')} ({in_words(names, 3)})"
    others = [one for one in files if one not in runs]
    if others:
        text += f"; not runs: {in_words([one.name for one in others], 3)}"
    inner = [f"{one.name}/" for one in sorted(folder.glob("[!.]*/"))]
    if inner:
        text += (
            f"; beside folders, {in_words(inner, 3)}, whose files are read with them"
        )
    return Seen(path, "runs", text, names, parts=_folder_parts(path, others, looks))


def _beir_folder(path: str, folder: Path) -> Seen | None:
    """Recognise a folder by its judgments, where BEIR has them."""
    try:
        return _judgments(path, judgments_file(folder))
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
    """Return what a file is by its first bytes; None where these cannot be read."""
    try:
        return kinds.kind_of_bytes(_beginning(where))
    except IrmetaError:
        return None


def has_judgments(path: str) -> bool:
    """Say whether a file has the columns of judgments; a mapping does not, which may be a run of whole scores."""
    where = location(path)
    if isinstance(where, str) or not where.is_file():
        return False
    if _kind(where) != "judgments":
        return False
    return not _beginning(where).lstrip().startswith(b"{")


def _by_beginning(path: str, where: Location) -> Seen | None:
    """Recognise a run, scores and factors by their first bytes."""
    kind = _kind(where)
    if kind == "a run":
        return Seen(path, "runs", "a run", (bare_name(stem(where)),))
    if kind != kinds.PARQUET or isinstance(where, str):
        return None
    try:
        return _scores(path, where)
    except IrmetaError:
        pass
    try:
        found = factors.load(where)
    except IrmetaError:
        return None
    sizes = _size_text(found.sizes["topic"], found.sizes["metric"])
    return Seen(path, "factors", f"factors that standardize scores: {sizes}")


def _size_text(topics: int, metrics: int) -> str:
    """Write how many topics and metrics there are."""
    return f"{counted(topics, 'topic')}, {counted(metrics, 'metric')}"


def _scores(path: str, where: Path) -> Seen:
    """Describe a score file, and each of its collections where it has several."""
    described, there = read_descriptions(where), count_scores(where)
    means = system_means(where)
    names = {
        name: _best_first(name, one["names"], means) for name, one in described.items()
    }
    parts = tuple(
        _collection(path, name, own, there.get(name, 0), described[name]["attributes"])
        for name, own in names.items()
    )
    every = {
        dim: dict.fromkeys(name for one in names.values() for name in one[dim])
        for dim in DIMS
    }
    systems, topics, metrics = (tuple(every[dim]) for dim in DIMS)
    several = f"{counted(len(names), 'collection')}, " if len(names) > 1 else ""
    holes = sum(part.missing for part in parts)
    lacks = f"; {counted(holes, 'score')} missing" if holes else ""
    text = f"a score file: {several}{counted(len(systems), 'system')}, {_size_text(len(topics), len(metrics))}{lacks}"
    return Seen(
        path,
        "scores",
        text,
        systems,
        len(topics),
        metrics,
        tuple(names),
        missing=holes,
        estimated=any(part.estimated for part in parts),
        parts=parts if len(parts) > 1 else (),
        alike=all(
            set(one[dim]) == every[dim].keys()
            for one in names.values()
            for dim in ("system", "topic")
        ),
    )


def _collection(
    path: str,
    name: str,
    names: Mapping[str, Sequence[str]],
    scores: int,
    attributes: Mapping[str, Any],
) -> Seen:
    """Describe one collection of a score file. names : of systems, topics and metrics.  scores : how many it has."""
    systems, topics, metrics = (tuple(names[dim]) for dim in DIMS)
    return Seen(
        path,
        "scores",
        name,
        systems,
        len(topics),
        metrics,
        (name,),
        missing=len(systems) * len(topics) * len(metrics) - scores,
        estimated="estimated" in attributes,
    )


def _best_first(
    collection: str,
    names: Mapping[str, Sequence[str]],
    means: Mapping[tuple[str, str, str], float],
) -> dict[str, Sequence[str]]:
    """Return the names of a collection, its systems by their means of the metric that most papers report."""
    by = usual(names["metric"])[0]
    mean = {
        system: means.get((collection, system, by), -math.inf)
        for system in names["system"]
    }
    return {**names, "system": sorted(mean, key=mean.__getitem__, reverse=True)}


def _judgments(path: str, where: Location) -> Seen | None:
    """Recognise judgments, and count those above 0."""
    try:
        qrels = read_qrels(where)
    except IrmetaError:
        return None
    judged, found = len(qrels.grades), int((qrels.grades > 0).sum())
    topics = frozenset(qrels.topics)
    text = f"judgments of {counted(len(topics), 'topic')}: {judged} documents, {found} with a grade above 0"
    return Seen(path, "judgments", text, topics=len(topics), judged=topics)


def _model(path: str, where: Location) -> Seen | None:
    """Recognise a prediction model by its JSON."""
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


def _nights(path: str, where: Location) -> Seen | None:
    """Recognise the nights that a gate has seen."""
    if isinstance(where, str) or not _beginning(where).startswith(b'{"system"'):
        return None
    try:
        nights = read_nights(where)
    except IrmetaError:
        return None
    last = nights[-1]
    text = (
        f"{counted(len(nights), 'night')} of a gate, the last {shortened(last.system)} against "
        f"{shortened(last.comparisons[0].against)}"
    )
    return Seen(path, "groups", text, reader="--history")


def _outcomes(path: Path) -> list[str]:
    """Read the systems of online experiments whose noise is known: others are tables of scores."""
    found = read_outcomes(path)
    if found.queries or not np.isfinite(found.error).all():
        raise IrmetaError(f"{path}: no outcomes with their errors")
    return found.systems


GROUPS: Mapping[str, tuple[str, str, Callable[[Path], Any]]] = {
    "--cost": ("the costs of {}", "model", spreadsheet.read_costs),
    # types of tasks are clusters, too, but more often types
    "--clusters": (
        "the clusters of {}",
        "topic",
        lambda path: read_pairs(path, groups.TOPIC, groups.CLUSTER),
    ),
    "irmeta leaderboard scores.parquet --types": (
        "the types of {}",
        "task",
        spreadsheet.read_types,
    ),
    "irmeta judges estimate --human HUMAN --llm LLM --sample": (
        "how probably each of {} was drawn",
        "topic",
        lists.read_sample,
    ),
    "--teams": ("the teams of {}", "run", lambda path: groups.read_groups(path).of),
    "--repeats": ("which of {} are of one system", "run", groups.read_repeats),
    "irmeta online scores.parquet": (
        "the outcomes of {}",
        "online experiment",
        _outcomes,
    ),
    "--labels": ("the labels of {}", "system", lists.read_labels),
}
"""Tables of groups by the option that takes them: what they say, of what, and how they are read."""


def _groups(path: str, where: Location) -> Seen | None:
    """Recognise a table that says which topics or runs belong together."""
    if isinstance(where, str) or where.suffix not in (".csv", ".tsv"):
        return None
    for option, (text, noun, read) in GROUPS.items():
        try:
            found = read(where)
        except IrmetaError:
            continue
        what = counted(len(found), noun)
        columns = spreadsheet.read_table(where)[0].columns
        means = tuple(filter(is_known, columns))
        if means:
            what += f", and {in_words(means, 3)}"
        system = columns_of(columns).system
        others = [name for name in columns if name not in (*means, system)]
        return Seen(
            path,
            "groups",
            text.format(what),
            metrics=means if system else (),
            reader=option,
            ignored=tuple(others),
        )
    return None


FACTS = {"link", "url", "kind", "type", "size", "date", "licence", "license"}
"""Columns of facts of models by name, whatever they hold; a name may go on, as in size_m."""
_FACT = re.compile(
    r"https?://.*|(MIT|BSD|Apache|GPL|AGPL|LGPL|CC0|CC-BY|proprietary)\b.*|[\d.,]+ ?[KMBT]\w*|(19|20)\d\d-\d\d.*",
    re.IGNORECASE,
)
"""A text by which facts of models are known: a link, a licence, an amount as 560M, or a date."""
_SLIP = re.compile(r"[-+]?\d*[.,]?\d+\W*")
"""A text that may have been meant as a score, as 85.2% or 0,512."""


def _facts(path: str, where: Location) -> Seen | None:
    """Recognise a table of facts of models: no column holds scores, and some are known by their names or texts."""
    if isinstance(where, str) or where.suffix not in (".csv", ".tsv"):
        return None
    try:
        found = spreadsheet.read_about(where)
    except IrmetaError:
        return None
    columns: dict[str, list[str]] = {}
    for one in found.values():
        for name, text in one.items():
            columns.setdefault(name, []).append(text)
    told = [_tells(name, texts) for name, texts in columns.items()]
    if None in told or True not in told:
        return None
    text = f"facts of {counted(len(found), 'model')}"
    return Seen(path, "groups", text, reader="--about")


def _tells(name: str, texts: Sequence[str]) -> bool | None:
    """Say whether a column is known to be a fact by its name or texts; False: it holds no scores, None: it may.

    >>> _tells("params", ["33M", "7B"]), _tells("dims", ["64", "1024"]), _tells("nq", ["0.5", "n/a"])
    (True, False, None)
    """
    if re.split(r"[\W_]", name.lower())[0] in FACTS:
        return True
    numbers = [number for number in map(number_or_nan, texts) if math.isfinite(number)]
    if not numbers and any(map(_FACT.fullmatch, texts)):
        return True
    if is_no_score(name) or (numbers and all(map(_is_size_or_year, numbers))):
        return False
    return None if numbers or any(map(_SLIP.fullmatch, texts)) else False


def _is_size_or_year(number: float) -> bool:
    """Say whether a number is the size of a vector or of a context, or a year, not a score.

    >>> [_is_size_or_year(number) for number in (768, 2024, 1301, 64, 0)]
    [True, True, False, True, False]
    """
    return (number >= 64 and number % 32 == 0) or number in range(1990, 2100)


Reader = Callable[[Any], Any]
FOLDERS: dict[TableKind, Reader] = {
    "inspect": inspect.import_inspect,
    "lm-eval": lm_eval.import_lm_eval,
    "helm": helm.import_helm,
    "eee": eee.import_eee,
    "deepeval": deepeval.import_deepeval,
    "mteb": lambda path: mteb.import_mteb(path),
    "ir_measures": lambda path: lines.import_ir_measures([path]),
    "trec_eval": lambda path: matrices.import_trec_eval([path]),
}
"""What a folder may be a table of, by what `irmeta import` calls it."""
STRICT: dict[TableKind, Reader] = {
    "promptfoo": promptfoo.import_promptfoo,
    "nuggets": nuggets.import_nuggets,
    "support": support.import_support,
    "systemwise": lambda path: matrices.import_systemwise([path]),
    "tot": lambda path: lines.import_tot([path]),
    "jsonl": lambda path: lines.import_jsonl([path]),
}
"""Files that only one reader takes."""
BY_PLACE: tuple[TableKind, ...] = ("ir_measures", "trec_eval", "systemwise", "tot")
"""Tables whose columns have no names: it is their metrics that say which they are."""
_NAMELESS = "systemwise"
"""A table that may lack names of systems: without a known metric the names may have been forgotten."""
LOOSE: dict[TableKind, Reader] = {
    "table": spreadsheet.import_table,
    "labels": labels.import_labels,
}
"""Tables as anybody writes them."""


def _judgments_or_table(path: str, where: Location) -> Seen | None:
    """Read a file as each reader does, the strictest first."""
    readers = FOLDERS | STRICT
    del readers["mteb"]
    placed = {name: readers.pop(name) for name in BY_PLACE}
    return (
        _table(path, readers)
        or _table(path, placed, known=True)
        or _judgments(path, where)
        or _matrix(path)
        or _table(path, LOOSE)
        or _table(path, {name: placed[name] for name in BY_PLACE if name != _NAMELESS})
    )


def _matrix(path: str) -> Seen | None:
    """Recognise a matrix with topics in rows: a CSV named after a metric whose columns are numbered, as run1, run2."""
    try:
        found = matrices.import_matrix([path], rows="topics")
    except IrmetaError:
        return None
    seen = _seen_of_cubes(path, "matrix", [found])
    prefix = seen.systems[0].removesuffix("1")
    if any(name != f"{prefix}{at}" for at, name in enumerate(seen.systems, 1)):
        return None
    return seen if all(map(is_known, seen.metrics)) else None


def _table(
    path: str, readers: Mapping[TableKind, Reader], *, known: bool = False
) -> Seen | None:
    """Read scores with the first reader that takes them.

    known : and that finds a metric that is known; else one that takes no average for a metric.
    """
    for name, read in readers.items():
        try:
            found = read(path)
        except IrmetaError:
            continue
        cubes = [found] if isinstance(found, xr.DataArray) else list(found.values())
        seen = _seen_of_cubes(path, name, cubes)
        if not seen.systems:
            continue
        sums_up = any(map(is_no_score, seen.metrics))
        if any(map(is_known, seen.metrics)) or not (known or sums_up):
            return seen
    return None


def _seen_of_cubes(path: str, reader: TableKind, cubes: list[xr.DataArray]) -> Seen:
    """Describe scores that are not a score file yet."""
    systems, topics, metrics = (
        tuple(dict.fromkeys(str(name) for cube in cubes for name in cube[dim].values))
        for dim in DIMS
    )
    missing = sum(int(cube.isnull().sum()) for cube in cubes)
    holes = f"; {counted(missing, 'score')} missing" if missing else ""
    several = f"{counted(len(cubes), 'collection')}, " if len(cubes) > 1 else ""
    many = f"{several}{counted(len(systems), 'system')}"
    if topics == (ALL,):
        topics = ()
        sizes = f"means of {many} by {counted(len(metrics), 'metric')}"
    else:
        sizes = f"{many}, {_size_text(len(topics), len(metrics))}"
    text = f"scores, as `irmeta import {reader}` reads them: {sizes}{holes}"
    return Seen(path, "table", text, systems, len(topics), metrics, reader=reader)
