"""Means of systems predicted without training: of each topic the ranking that a few scores leave most open."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import xarray as xr

from irmeta.choices import Judgments
from irmeta.errors import MetricError
from irmeta.metrics.names import Metric, parse
from irmeta.scores.tables.roles import ALL
from irmeta.stats.arrays import Floats
from irmeta.stats.prediction import entropy

LENGTH = 1000
"""How many ranks a run is taken to have."""


class Rankings(NamedTuple):
    """The ranking of greatest entropy of each system on each topic: all lists of a system, then those of the next.

    p : (list, rank), the probability that the document at the rank is relevant; list = system x topics + topic
    relevant : (list,), how many documents the judgments know to be relevant
    systems : how many there are
    """

    p: Floats
    relevant: Floats
    systems: int


def count_metric(kind: Judgments, depth: int) -> str:
    """Name the metric that counts the documents known to be relevant.

    kind : which judgments the metrics of the first `depth` documents saw: "full", all of them, or "pool", only those of
        a pool of that depth

    >>> count_metric("full", 10), count_metric("pool", 10)
    ('NumRel', 'NumRel(pool=10)')
    """
    if kind == "full":
        return "NumRel"
    return f"NumRel(pool={depth})"


def metrics_to_add(metrics: Sequence[str], kind: Judgments, depth: int) -> list[str]:
    """Return the metrics to evaluate that the ranking of greatest entropy takes and that are not there.

    kind : the judgments that the metrics saw, as in `count_metric`

    >>> metrics_to_add(["P(depth=10)@1000", "AP(depth=10)@100"], "full", 10)
    ['NumRel']
    >>> metrics_to_add(["AP(depth=10)@5"], "full", 10)
    ['NumRel', 'P(depth=10)@1000', 'AP(depth=10)@1000']
    """
    if kind == "full":
        inside = f"depth={depth}"
    else:
        inside = f"depth={depth}, pool={depth}"
    bases = [
        base
        for base in ("P", "AP")
        if _metric_of_first(metrics, base, kind, depth) is None
    ]
    counts = [name for name in [count_metric(kind, depth)] if name not in metrics]
    return [*counts, *(f"{base}({inside})@{LENGTH}" for base in bases)]


def rankings(scores: xr.DataArray, kind: Judgments, depth: int) -> Rankings | None:
    """Return the ranking of greatest entropy of each system and topic; None without the scores by topic that it takes.

    These are P and AP of the first documents, as in P(depth=10)@1000 and AP(depth=10)@1000, and NumRel.
    kind : the judgments that these metrics saw, as in `count_metric`
    """
    metrics = [str(name) for name in scores.metric.values]
    names = [_metric_of_first(metrics, base, kind, depth) for base in ("P", "AP")]
    if metrics_to_add(metrics, kind, depth) or scores.topic.values.tolist() == [ALL]:
        return None
    # of each list, in the order of `Rankings`: P, AP, and the number of relevant documents
    share, ap, relevant = (
        scores.sel(metric=name).values.ravel()
        for name in (*names, count_metric(kind, depth))
    )
    cutoff = parse(str(names[0])).cutoff
    assert isinstance(cutoff, int)
    # P is a share of the cutoff's ranks, of which only `depth` were looked at
    found = np.minimum(np.rint(share * cutoff), depth)
    # AP is the sum of precisions over all relevant documents
    precisions = ap * relevant
    first = entropy.likeliest(found, precisions, depth)
    p = entropy.extended(first, relevant, LENGTH)
    return Rankings(p, relevant, scores.sizes["system"])


def _metric_of_first(
    metrics: Sequence[str], base: str, kind: Judgments, depth: int
) -> str | None:
    """Return the first metric that is P or AP of the first documents, with no cutoff (AP) or one of `depth` or more.

    >>> _metric_of_first(["AP(depth=10)@5", "AP(depth=10)@1000"], "AP", "full", 10)
    'AP(depth=10)@1000'
    """
    if kind == "full":
        params = {"depth": depth}
    else:
        params = {"depth": depth, "pool": depth}
    for name in metrics:
        try:
            metric = parse(name)
        except MetricError:  # a metric of the user's own
            continue
        cutoff = metric.cutoff
        if isinstance(cutoff, int):
            whole = cutoff >= depth
        else:
            whole = cutoff is None and base == "AP"
        if metric.base == base and dict(metric.params) == params and whole:
            return name
    return None


def expected_means(name: str, rankings: Rankings) -> Floats:
    """Return the mean that each system is expected to have: (system,); NaN for metrics that cannot be had so.

    >>> certain = Rankings(np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([2.0, 2.0]), systems=1)
    >>> [expected_means(name, certain).item() for name in ("P@2", "AP", "RR")]
    [0.75, 0.75, nan]
    """
    try:
        metric = parse(name)
    except MetricError:  # a metric of the user's own
        return np.full(rankings.systems, np.nan)
    by_topic = _expected_scores(metric, rankings)
    return np.asarray(by_topic.reshape(rankings.systems, -1).mean(axis=1))


def _expected_scores(metric: Metric, rankings: Rankings) -> Floats:
    """Return the expected score of each system and topic; grades above 0 are taken for alike."""
    none = np.full(len(rankings.p), np.nan)
    cutoff = LENGTH if metric.cutoff is None else metric.cutoff
    # nothing is known of grades, nor of documents below other depths
    parameters = {parameter for parameter, _ in metric.params}
    plain = parameters <= {"p", "rel"} and metric.get("rel") in (None, 1)
    if not plain or not isinstance(cutoff, int) or cutoff > LENGTH:
        return none
    p = rankings.p[:, :cutoff]
    match metric.base:
        case "P":
            return entropy.precision(p, cutoff)
        case "R":
            return entropy.recall(p, rankings.relevant)
        case "AP":
            return entropy.average_precision(p, rankings.relevant)
        case "nDCG":
            return entropy.ndcg(p, rankings.relevant)
        case "RBP":
            persistence = metric["p"]
            assert isinstance(persistence, float)
            return entropy.rank_biased_precision(p, persistence)
        case _:
            return none
