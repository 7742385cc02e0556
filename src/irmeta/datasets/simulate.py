"""A TREC-like collection from a seed: run files, judgments, and the truth about them; docs/simulation.md."""

import gzip
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from irmeta.datasets.model import (
    CANDIDATES,
    Submission,
    Systems,
    Topics,
    draw_systems,
    draw_topics,
    submissions,
)
from irmeta.errors import IrmetaError
from irmeta.io.outputs import remove_abandoned_parts, writing
from irmeta.io.places import require_reachable
from irmeta.parallel import seeded, steps
from irmeta.stats.arrays import Bools

POOL_DEPTH = 50
"""Documents that each pooled run gives to the judges, for a topic."""
_TRUTH = "simulation.json"


@dataclass(frozen=True)
class Simulation:
    """A simulated collection: where its files are, and what is true of its systems and topics.

    systems : columns system, group, ability, focus, pooled, habit, run (the file in `runs`).
    topics : columns topic, difficulty, focus, relevant (documents, judged or not).
    """

    runs: Path
    qrels: Path
    systems: pl.DataFrame
    topics: pl.DataFrame


@dataclass(frozen=True)
class _Style:
    """How a group writes its runs: a score is `zero` + `unit` x the model's, to this number of decimals."""

    separator: str
    first_rank: int
    zero: float
    unit: float
    decimals: int
    suffix: str


_STYLES = (
    _Style("\t", 1, 0.5, 0.0625, 9, ".gz"),  # a cosine
    _Style(" ", 0, 12.0, 2.5, 4, ".gz"),  # BM25
    _Style(" ", 1, -9.0, 1.0, 5, ""),  # a log-likelihood, not compressed
    _Style("\t", 0, 0.0, 1000.0, 0, ".gz"),  # whole numbers
    _Style(" ", 1, 40.0, 10.0, 3, ".gz"),  # per cent
)


def simulate(
    folder: str | Path,
    *,
    systems: int = 40,
    topics: int = 50,
    rng: int | np.random.Generator = 0,
) -> Simulation:
    """Write a TREC-like collection into a folder: runs/, qrels.txt, and the truth about both in simulation.json.

    The folder is made if need be, and emptied of what an earlier simulation wrote there; any other folder that is not
    empty raises IrmetaError. A seed makes the same collection on every machine.
    folder : the folder to write.  systems, topics : how many, 1 or more.  rng : a seed or a generator.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     collection = simulate(folder, systems=4, topics=3, rng=1)
    ...     print(collection.systems["run"].to_list(), collection.qrels.is_file())
    ['team01-1.gz', 'team01-2.gz', 'team01-3.gz', 'team01-4.gz'] True
    """
    if systems < 1 or topics < 1:
        raise IrmetaError(
            f"a collection needs at least one system and one topic, not {systems} and {topics}"
        )
    generator, seed = seeded(rng)
    drawn = draw_systems(generator, systems)
    about = draw_topics(generator, topics)
    folder = Path(folder)
    collection = Simulation(
        folder / "runs", folder / "qrels.txt", _systems(drawn), _topics(about)
    )
    _clear(folder)
    _write(folder / _TRUTH, _truth(collection, seed))
    _make(collection.runs)
    names = _document_names(about)
    pooled = np.zeros(about.noise.shape, dtype=np.bool_)
    numbers = collection.topics["topic"]
    runs = steps(submissions(generator, drawn, about), "runs", total=systems)
    for system, run in enumerate(runs):
        if drawn.pooled[system]:
            _pool(run, pooled)
        name, file = collection.systems.select("system", "run").row(system)
        text = _run(name, run, numbers, names, _style(drawn, system))
        _write(collection.runs / file, text)
    _write(collection.qrels, _qrels(numbers, about, names, pooled))
    return collection


def _style(systems: Systems, system: int) -> _Style:
    """Return how a system's run is written: as its group writes."""
    return _STYLES[int(systems.group[system]) % len(_STYLES)]


def _systems(systems: Systems) -> pl.DataFrame:
    """Return the table of systems of a `Simulation`; each is numbered within its group."""
    group = systems.group
    member = np.arange(len(group)) - np.searchsorted(group, group)
    numbers = zip(group + 1, member + 1, strict=True)
    names = [f"team{team:02d}-{number}" for team, number in numbers]
    return pl.DataFrame(
        {
            "system": names,
            "group": [name.partition("-")[0] for name in names],
            "ability": systems.ability,
            "focus": systems.focus,
            "pooled": systems.pooled,
            "habit": systems.habit,
            "run": [
                name + _style(systems, system).suffix
                for system, name in enumerate(names)
            ],
        }
    )


def _topics(topics: Topics) -> pl.DataFrame:
    """Return the table of topics of a `Simulation`, numbered from 301 as those of TREC-6."""
    return pl.DataFrame(
        {
            "topic": [str(301 + topic) for topic in range(len(topics.relevant))],
            "difficulty": topics.difficulty,
            "focus": topics.focus,
            "relevant": topics.relevant,
        }
    )


def _document_names(topics: Topics) -> pl.Series:
    """Return the name of each document, topic after topic, CANDIDATES of each."""
    return "d" + pl.Series(topics.number.ravel()).cast(pl.String).str.zfill(6)


def _clear(folder: Path) -> None:
    """Make the folder, without the files of an earlier simulation; refuse one that holds anything else."""
    require_reachable(folder)
    remove_abandoned_parts(folder / _TRUTH)
    try:
        if folder.is_dir() and any(folder.iterdir()):
            runs = [folder / "runs" / run for run in _earlier_runs(folder)]
            for path in (folder / "qrels.txt", *runs):
                path.unlink(missing_ok=True)
    except OSError as error:
        raise _unwritable(folder, error) from error
    _make(folder)


def _make(folder: Path) -> None:
    """Make a folder where there is none."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(folder, error) from error


def _unwritable(folder: Path, error: OSError) -> IrmetaError:
    why = "Not a directory" if isinstance(error, FileExistsError) else error.strerror
    return IrmetaError(f"{folder}: cannot be written ({why}); name another folder")


def _earlier_runs(folder: Path) -> list[str]:
    """Return the names of the run files that an earlier simulation wrote; raise IrmetaError where none did."""
    try:
        truth = json.loads((folder / _TRUTH).read_bytes())
        return [Path(system["run"]).name for system in truth["systems"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise IrmetaError(
            f"{folder}: contains files that no simulation wrote; use a new or empty folder"
        ) from error


def _truth(collection: Simulation, seed: int | str) -> bytes:
    """Return what is true of a collection as JSON."""
    truth = {
        "seed": str(seed),
        "systems": collection.systems.to_dicts(),
        "topics": collection.topics.to_dicts(),
    }
    return json.dumps(truth, indent=1).encode()


def _pool(run: Submission, pooled: Bools) -> None:
    """Add the first documents of a run to those judged, a mask of shape (topic, document)."""
    topic, rank = np.nonzero(run.kept[:, :POOL_DEPTH])
    pooled[topic, run.documents[topic, rank]] = True


def _run(
    name: str, run: Submission, topics: pl.Series, names: pl.Series, style: _Style
) -> bytes:
    """Write a run in the style of its group; names : of the documents, as `_document_names` returns them."""
    topic, rank = np.nonzero(run.kept)
    columns = {
        "topic": topics.gather(topic),
        "iteration": "Q0",
        "document": names.gather(topic * CANDIDATES + run.documents[topic, rank]),
        "rank": rank + style.first_rank,
        "score": style.zero + style.unit * run.scores[topic, rank],
        "tag": name,
    }
    return _lines(columns, style.separator, style.decimals)


def _qrels(topics: pl.Series, about: Topics, names: pl.Series, pooled: Bools) -> bytes:
    """Write the judgments of the pooled documents, those of a topic by name."""
    topic, document = np.nonzero(pooled)
    order = np.lexsort((about.number[topic, document], topic))
    topic = topic[order]
    document = document[order]
    columns = {
        "topic": topics.gather(topic),
        "iteration": "0",
        "document": names.gather(topic * CANDIDATES + document),
        "grade": about.grade[topic, document],
    }
    return _lines(columns, " ", 0)


def _lines(columns: dict[str, Any], separator: str, decimals: int) -> bytes:
    """Write columns as text, a line for each row."""
    text = pl.DataFrame(columns).write_csv(
        include_header=False,
        separator=separator,
        float_precision=decimals,
        quote_style="never",
    )
    return text.encode()


def _write(path: Path, content: bytes) -> None:
    """Write a file, packed by gzip if its name says so."""
    with writing(path) as part:
        part.write_bytes(_gzip(content) if path.suffix == ".gz" else content)


def _gzip(content: bytes) -> bytes:
    """Compress without a time or a name in the header: the same content makes the same bytes."""
    packed = io.BytesIO()
    with gzip.GzipFile(
        filename="", mode="wb", fileobj=packed, compresslevel=1, mtime=0
    ) as stream:
        stream.write(content)
    return packed.getvalue()
