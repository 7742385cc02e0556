"""The measures: each is its formula on the grade array, for all systems and topics at once.

Every function takes a `Judged`, the cutoff `k` where its name may have one, and its parameters by keyword; it returns
scores of shape (system, topic). R is a topic's number of relevant documents, N of judged non-relevant ones. A topic
without relevant documents scores 0, as in trec_eval. Where trec_eval is named as the source, `docs/metrics.md` says how
far we agree with it.
"""

import math
from collections.abc import Callable
from functools import cache, wraps
from typing import Any

import numpy as np

from irmeta.errors import MetricError
from irmeta.evaluation.grades.judged import FIRST, Judged, total
from irmeta.metrics.names import Metric
from irmeta.metrics.signatures import NORMALISED
from irmeta.stats.arrays import Floats, Indices

_ABOVE_0 = math.ulp(0.0)
"""The lowest grade above 0, fractions included."""

MEASURES: dict[str, Callable[..., Floats]] = {}
"""Every measure by its name in `irmeta.metrics.signatures.CATALOGUE`."""

Measure = Callable[..., Floats]


def score(judged: Judged, metric: Metric) -> Floats:
    """Compute one metric: scores of shape (system, topic). The general parameters have been applied to `judged`."""
    cutoff = [] if metric.cutoff is None else [metric.cutoff]
    return MEASURES[metric.base](judged, *cutoff, **metric.own)


def _measure(name: str) -> Callable[[Measure], Measure]:
    """Enter a function among MEASURES under this name."""

    def register(function: Measure) -> Measure:
        MEASURES[name] = function
        return function

    return register


@_measure("P")
def precision(judged: Judged, k: int, *, rel: float = 1) -> Floats:
    """P@k: share of the first k ranks with a relevant document; ranks beyond the end hold none. Source: m_P.c."""
    return judged.num_relevant_in(k, rel) / k


@_measure("R")
def recall(judged: Judged, k: int, *, rel: float = 1) -> Floats:
    """R@k: share of the R relevant documents found in the first k ranks. Source: trec_eval 9, m_recall.c."""
    return _ratio(judged.num_relevant_in(k, rel), judged.facts.num_relevant(rel))


@_measure("Rprec")
def r_precision(judged: Judged, *, rel: float = 1) -> Floats:
    """Rprec: precision at rank R. Source: trec_eval 9, m_Rprec.c."""
    R = judged.facts.num_relevant(rel)
    return _ratio(judged.num_relevant_above(R, rel), R)


@_measure("Success")
def success(judged: Judged, k: int, *, rel: float = 1) -> Floats:
    """Success@k: 1 if one of the first k documents is relevant. Source: trec_eval 9, m_success.c."""
    return (judged.num_relevant_in(k, rel) > 0).astype(np.float64)


@_measure("RR")
def reciprocal_rank(judged: Judged, k: int | None = None, *, rel: float = 1) -> Floats:
    """RR@k: 1 / rank of the first relevant document, 0 if it is not among the first k. Source: m_recip_rank.c."""
    return judged.reciprocal_of_first(k, rel)


@_measure("SP")
def sum_of_precisions(
    judged: Judged, k: int | None = None, *, rel: float = 1
) -> Floats:
    """SP@k: sum of the precisions at relevant documents, AP before division by R. Source: Webber et al. 2008, 4.2."""
    return judged.sum_of_precisions(k, rel)


@_measure("AP")
def average_precision(
    judged: Judged, k: int | None = None, *, rel: float = 1
) -> Floats:
    """AP@k: SP@k / R, not / min(k, R). Source: trec_eval 9, m_map.c and m_map_cut.c."""
    return _ratio(sum_of_precisions(judged, k, rel=rel), judged.facts.num_relevant(rel))


@_measure("GMAP")
def floored_average_precision(
    judged: Judged, k: int | None = None, *, rel: float = 1
) -> Floats:
    """GMAP: on a topic AP, at least 0.00001; a system's score is their geometric mean. Source: m_gm_map.c."""
    return np.maximum(average_precision(judged, k, rel=rel), 1e-5)


@_measure("Bpref")
def bpref(judged: Judged, *, rel: float = 1) -> Floats:
    """Bpref: mean over the R relevant of 1 - min(n, R) / min(N, R), n judged non-relevant above. Source: m_bpref.c."""
    R = judged.facts.num_relevant(rel)
    N = judged.facts.num_nonrelevant(rel)
    # sum of 1 - min(n, R) / min(N, R) = retrieved relevant documents - sum of min(n, R) / min(N, R)
    found = judged.num_relevant_in(None, rel)
    lost = _ratio(judged.sum_of_nonrelevant_above(rel, R), np.minimum(N, R))
    return _ratio(found - lost, R)


@_measure("infAP")
def inferred_ap(judged: Judged, *, rel: float = 1) -> Floats:
    """infAP: AP with the precision above each relevant document inferred from judged ones. Source: m_infap.c.

    A document judged below zero was pooled but not sampled. Yilmaz and Aslam (CIKM 2006), with trec_eval's 0.00001.
    """
    epsilon = 1e-5
    pooled = judged.codes >= FIRST
    # of the documents above each rank: how many, relevant, judged non-relevant, and pooled
    above = np.arange(judged.depth)
    relevant = judged.relevant_so_far(rel) - judged.relevant(rel)
    nonrelevant = judged.nonrelevant(rel).cumsum(axis=-1)
    in_pool = pooled.cumsum(axis=-1) - pooled
    # precision above the rank = share that is pooled x share of the judged that is relevant
    share_pooled = in_pool / np.maximum(above, 1)
    inferred = (
        share_pooled * (relevant + epsilon) / (relevant + nonrelevant + 2 * epsilon)
    )
    # precision at the rank, whose document is relevant: 1/i + (i - 1)/i x precision above
    expected = 1 / (above + 1) + above / (above + 1) * inferred
    return _ratio(
        total(judged.relevant(rel) * expected), judged.facts.num_relevant(rel)
    )


@_measure("IPrec")
def interpolated_precision(judged: Judged, k: float, *, rel: float = 1) -> Floats:
    """IPrec@r: highest precision at any rank from where a share r of the R relevant documents is found.

    Source: m_iprec_at_recall.c of trec_eval 9: from floor(r R + 0.9) relevant documents on; version 10 rounds r R.
    """
    R = judged.facts.num_relevant(rel)
    found = judged.relevant_so_far(rel)
    precision = found / np.arange(1, judged.depth + 1)
    # only ranks where enough is found count
    needed = np.floor(k * R + 0.9)
    enough = found >= needed[:, None]
    best = np.where(enough, precision, 0).max(axis=-1)
    return best * (R > 0)


def _linear(grades: Floats) -> Floats:
    return grades


def _exponential(grades: Floats) -> Floats:
    if grades.max(initial=0) > 1000:  # 2^1024 is no double
        raise MetricError(
            f"gains='exp' of the grade {grades.max():g} is too large a number; use linear gains"
        )
    return _exp2(grades) - 1


_GAINS = {"linear": _linear, "exp": _exponential}


@_measure("DCG")
def dcg(judged: Judged, k: int | None = None, *, gains: str = "linear") -> Floats:
    """DCG@k: sum of gains / log2(rank + 1); gains are grades, or 2^grade - 1 with 'exp'. Source: m_ndcg_cut.c."""
    gain = _GAINS[gains](np.maximum(judged.facts.grades, 0.0))
    return judged.sum_of_gains(k, gain, _discounts(judged.depth))


@_measure("nDCG")
def ndcg(judged: Judged, k: int | None = None, *, gains: str = "linear") -> Floats:
    """nDCG@k: DCG@k / DCG@k of the best possible list. Source: trec_eval 9, m_ndcg.c and m_ndcg_cut.c."""
    ideal = judged.facts.memo(
        ("DCG", k, gains), lambda: dcg(judged.facts.ideal(), k, gains=gains)
    )
    return _ratio(dcg(judged, k, gains=gains), ideal)


@_measure("ERR")
def expected_reciprocal_rank(
    judged: Judged, k: int | None = None, *, max_rel: float | None = None
) -> Floats:
    """ERR@k: mean of 1 / rank where a user stops who stops at grade g with chance (2^g - 1) / 2^max_rel.

    Source: Chapelle et al. (CIKM 2009), as gdeval has it. max_rel defaults to the highest grade of the collection.
    """
    highest = judged.facts.max_grade if max_rel is None else max_rel
    # the chance to stop at a rank: (2^g - 1) / 2^max = 2^(g - max) - 2^-max, which does not overflow
    above = np.minimum(np.maximum(judged.facts.grades, 0.0) - highest, 1)
    stop = np.minimum(_exp2(above) - math.exp2(-highest), 1)
    return judged.sum_of_stops(k, stop)


@_measure("RBP")
def rank_biased_precision(
    judged: Judged,
    k: int | None = None,
    *,
    p: float = 0.8,
    rel: float | None = None,
    max_rel: float | None = None,
) -> Floats:
    """RBP@k: (1 - p) sum of gain p^(rank - 1), with gain grade / max_rel, or 0 and 1 if `rel` is given.

    Source: Moffat and Zobel (TOIS 2008), as rbp_eval has it. max_rel defaults to the highest grade of the collection.
    """
    grades = judged.facts.grades
    if rel is not None:
        gain = (grades >= rel).astype(np.float64)
    else:
        highest = max(
            judged.facts.max_grade if max_rel is None else max_rel,
            np.finfo(np.float64).tiny,
        )
        gain = np.minimum(np.maximum(grades, 0.0) / highest, 1)
    return judged.sum_of_gains(k, gain, _geometric(p, judged.depth))


@_measure("RBPResidual")
def rbp_residual(judged: Judged, k: int | None = None, *, p: float = 0.8) -> Floats:
    """RBPResidual@k: how much RBP could still rise if unjudged documents and ranks not seen were relevant."""
    unjudged = judged.unjudged()[..., :k]
    # the weights of all ranks beyond the n documents seen sum to p^n
    seen = np.minimum(judged.retrieved, unjudged.shape[-1])
    beyond = _powers(p, judged.depth + 1)[seen]
    return total(unjudged * _geometric(p, unjudged.shape[-1])) + beyond


@_measure("Compatibility")
def compatibility(judged: Judged, k: int | None = None, *, p: float = 0.9) -> Floats:
    """Compatibility@k: rank-biased overlap of the list with the ideal one, over that of the ideal one with itself.

    The ideal list holds the documents of grades above 0 by grade, ties as the run ranks them. k, the depth to which
    overlap is summed, is 1000 by default. Source: Clarke, Vtyurina and Smucker (TOIS 2021), as compatibility.py has it.
    """
    depth = 1000 if k is None else k
    # sum over depths d of p^(d - 1) / d x documents in both lists: each counts from the rank on where both hold it
    overlap = _overlap_weights(p, depth)
    cell, rank, place = _ideal_places(judged)
    late = np.maximum(rank, place)
    weight = np.where(late < depth, overlap[np.minimum(late, depth - 1)], 0.0)
    # summed by list: (system, topic)
    found = np.bincount(cell, weight, minlength=judged.retrieved.size)
    found = found.reshape(judged.retrieved.shape)
    # the ideal list with itself, by its length
    ideal = np.concatenate([[0.0], overlap.cumsum()])
    length = np.minimum(judged.facts.num_relevant(_ABOVE_0), depth)
    return _ratio(found, ideal[length])


def _ideal_places(judged: Judged) -> tuple[Indices, Indices, Indices]:
    """Return the list, the rank and the place in the ideal list of every retrieved document with a grade above 0.

    A list is numbered as `Judged.cell` is: system x topics + topic.
    """
    system, topic, rank = np.nonzero(judged.relevant(_ABOVE_0))
    grade = judged.codes[system, topic, rank].astype(np.int64) - FIRST
    # a number for each grade of each list; documents by list, then grade, then rank
    cell = system * judged.codes.shape[1] + topic
    group = cell * judged.facts.grades.size + grade
    order = np.argsort(group, kind="stable")
    cell, topic, rank, grade, group = (
        part[order] for part in (cell, topic, rank, grade, group)
    )
    # the place: behind all documents of higher grades, and those of the same grade that the run ranks above
    first = np.searchsorted(group, group)
    above = np.arange(group.size) - first
    return cell, rank, judged.facts.num_above(topic, grade) + above


@_measure("Judged")
def judged_share(judged: Judged, k: int | None = None) -> Floats:
    """Judged@k: share of the first k documents that are judged; of those there are, in a shorter list."""
    seen = np.minimum(judged.retrieved, judged.depth if k is None else k)
    unjudged = judged.unjudged()[..., :k].sum(axis=-1)
    return 1 - _ratio(unjudged, seen) - (seen == 0)  # an empty list scores 0


@_measure("NumRet")
def num_retrieved(judged: Judged) -> Floats:
    """NumRet: documents retrieved."""
    return judged.retrieved.astype(np.float64)


@_measure("NumRel")
def num_relevant(judged: Judged, *, rel: float = 1) -> Floats:
    """NumRel: R, the same for every system."""
    return np.broadcast_to(
        judged.facts.num_relevant(rel).astype(np.float64), judged.retrieved.shape
    )


@_measure("NumRelRet")
def num_relevant_retrieved(
    judged: Judged, k: int | None = None, *, rel: float = 1
) -> Floats:
    """NumRelRet@k: relevant documents retrieved, among the first k."""
    return judged.num_relevant_in(k, rel)


def _normalised(measure: Measure) -> Measure:
    """Divide a measure by what an ideal ranking of the topic's judged documents gets; 0 where that is 0.

    Source: Webber et al. (SIGIR 2008), section 2, R-normalisation.
    """

    @wraps(measure)
    def share_of_ideal(judged: Judged, *cutoff: int, **own: Any) -> Floats:
        best = measure(judged.facts.ideal(), *cutoff, **own)
        return _ratio(measure(judged, *cutoff, **own), best)

    return share_of_ideal


MEASURES.update({f"n{base}": _normalised(MEASURES[base]) for base in NORMALISED})


def _ratio(parts: Any, whole: Any) -> Floats:
    """Divide, 0 where the divisor is 0."""
    share: Floats = np.divide(
        parts, whole, out=np.zeros(np.shape(parts)), where=np.asarray(whole) > 0
    )
    return share


# NumPy's log2, exp2 and power may differ in the last bit with array and processor; those of `math` do not.


def _exp2(exponents: Floats) -> Floats:
    return np.array([math.exp2(exponent) for exponent in exponents.tolist()])


def _discounts(depth: int) -> Floats:
    return _known_discounts(_next_power_of_2(depth))[:depth]


@cache
def _known_discounts(depth: int) -> Floats:
    return np.array([1 / math.log2(rank + 1) for rank in range(1, depth + 1)])


def _powers(p: float, depth: int) -> Floats:
    return _known_powers(p, _next_power_of_2(depth))[:depth]


@cache
def _known_powers(p: float, depth: int) -> Floats:
    return np.array([math.pow(p, rank) for rank in range(depth)])


def _next_power_of_2(depth: int) -> int:
    """Return the power of 2 from `depth` on: few arrays are then kept, whatever depths there are."""
    return 1 << (depth - 1).bit_length()


@cache
def _overlap_weights(p: float, depth: int) -> Floats:
    """Sum p^(d - 1) / d over the depths d from each rank on: (rank,)."""
    terms = _powers(p, depth) / np.arange(1, depth + 1)
    return np.asarray(terms[::-1].cumsum()[::-1])


def _geometric(p: float, depth: int) -> Floats:
    return (1 - p) * _powers(p, depth)
