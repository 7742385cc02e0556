"""Arabzadeh and Clarke, "Benchmarking LLM-based relevance judgment methods", SIGIR 2025: its 13 taus on DL 2021.

Each tau is between the mean nDCG@10 under NIST's judgments and the mean compatibility under a judge's, over 63 runs.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import xarray as xr

from irmeta.evaluation.sets import evaluate_under
from irmeta.evaluation.sources import sources_of
from irmeta.io.runs.rankings import Run
from irmeta.io.runs.trec import read_run
from irmeta.papers.parts import Part, gathered
from irmeta.stats.arrays import Floats
from irmeta.stats.judging.rankings import Interval, taus
from irmeta.stats.reliability.expected import expected, pairs
from irmeta.stats.tests.multiplicity import holm
from irmeta.studies.checks.reproduction import Cell, compare, ours_only, reproduction

PRINTED = {
    "original": ("nist", 0.916),
    "preferences": ("preferences-gpt-4o", 0.816),
    "binary": ("binary-gpt-4o", 0.904),
    "exam_binary": ("exam-binary-mean-gpt-4o", 0.711),
    "exam_graded_max": ("exam-graded-max-gpt-4o", 0.863),
    "exam_graded_mean": ("exam-graded-mean-gpt-4o", 0.832),
    "umbrela_zeroshot": ("umbrela-gpt-4o", 0.890),
    "nuggets_all": ("nuggets-all-gpt-4o", 0.769),
    "nuggets_all_strict": ("nuggets-all-strict-gpt-4o", 0.810),
    "nuggets_vital": ("nuggets-vital-gpt-4o", 0.712),
    "nuggets_vital_strict": ("nuggets-vital-strict-gpt-4o", 0.712),
    "nuggets_weighted": ("nuggets-weighted-gpt-4o", 0.760),
    "nuggets_weighted_strict": ("nuggets-weighted-strict-gpt-4o", 0.794),
}
"""By the paper's name of a category: the judgment set, and the tau printed."""
MEASURE = "Compatibility(p=0.9)"


def reproduce(data: Path, *, rng: int = 0) -> xr.Dataset:
    """Compute the 13 taus with intervals, the ceiling, and how many of their differences are more than noise."""
    folder = data / "judges" / "dl2021"
    parts = [Part("taus", ["dl2021-judges"], partial(_taus, folder, rng))]
    options = {"truth": "nDCG@10 under nist", "judges": MEASURE, "seed": rng}
    notes = [
        "runs are ranked with ties by document id ascending for compatibility, as the authors' program has it"
    ]
    cells = list(gathered("arabzadeh2025", parts, data))
    return reproduction("arabzadeh2025", cells, options=options, notes=notes)


def _taus(folder: Path, rng: int) -> Iterator[Cell]:
    """Return all cells."""
    truth, judges = scores(folder)
    of_all = taus(np.concatenate([truth[None], judges]), np.random.default_rng(rng))
    yield from _cells(of_all.interval())
    ceiling = expected(pairs(np.ascontiguousarray(truth))).tau
    above = np.triu_indices(len(of_all.tau), 1)
    p = of_all.differences().p[above]
    clear = int((holm(np.nan_to_num(p, nan=1.0)) < 0.05).sum())
    plain = int((p < 0.05).sum())
    note = f"of {p.size} pairs of categories, Holm at .05; {plain} without correction"
    own = "nist with its own true ranking, expected"
    yield ours_only("Not in the paper", "ceiling", "tau", ceiling, own)
    yield ours_only("Not in the paper", "orders more than noise", "pairs", clear, note)


def scores(folder: Path) -> tuple[Floats, Floats]:
    """Return nDCG@10 under NIST (system, topic), and compatibility under each judge (judge, system, topic)."""
    files = {name: folder / "qrels" / f"{name}.txt" for name, _ in PRINTED.values()}
    runs = {
        name: read_run(path)
        for name, path in sources_of(folder / "runs")
        if isinstance(path, Path)
    }
    truth = evaluate_under({"nist": files["nist"]}, folder / "runs", "nDCG@10")["nist"]
    under = evaluate_under(
        files, {name: by_document(run) for name, run in runs.items()}, MEASURE
    )
    made = [
        under[name].sel(system=truth.system, topic=truth.topic).values[..., 0]
        for name in files
    ]
    return truth.values[..., 0], np.stack(made)


def by_document(run: Run) -> dict[str, dict[str, float]]:
    """Order a run by score, ties by document id ascending: {topic: {document: minus the place}}."""
    documents = np.array(list(run.documents))
    lists: dict[str, dict[str, float]] = {topic: {} for topic in run.topics}
    for place, row in enumerate(np.lexsort((documents, -run.scores))):
        lists[run.topics[run.topic[row]]][str(documents[row])] = -float(place)
    return lists


def _cells(ours: Interval) -> Iterator[Cell]:
    """Set each printed tau beside ours, which is to agree to the three decimals printed."""
    for at, (category, (judge, printed)) in enumerate(PRINTED.items()):
        tau = float(ours.value[at])
        yield compare("Table 3", category, "tau", printed, tau, within=0.0005)
        for column, ends in (("low", ours.low), ("high", ours.high)):
            item, end = "Table 3, intervals", float(ends[at])
            note = f"95% interval over systems and topics, judge {judge}"
            yield ours_only(item, category, column, end, note)
