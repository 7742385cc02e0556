"""Means of systems predicted without training: of each topic the ranking that a few scores leave most open."""

from typing import NamedTuple

import numpy as np
import xarray as xr

from irmeta.choices import Judgments
from irmeta.cube import ALL
from irmeta.errors import MetricError
from irmeta.names import Metric, parse
from irmeta.stats.arrays import Floats
from irmeta.stats.prediction import entropy

LENGTH = 1000
"""How many ranks a run is taken to have."""


class Rankings(NamedTuple):
    """At each rank of each system on each topic, the probability of relevance, as (system and topic, rank)."""

    p: Floats
    relevant: Floats  # (system and topic,): how many documents the judgments know to be relevant
    systems: int


def counted(kind: Judgments, depth: int) -> str:
    """Name the metric that counts the documents which judgments of a kind know to be relevant."""
    return "NumRel" if kind == "full" else f"NumRel(pool={depth})"


def rankings(scores: xr.DataArray, kind: Judgments, depth: int) -> Rankings | None:
    """Return the ranking of greatest entropy of each system and topic; None without the scores by topic that it takes.

    These are P and AP of the first documents, as in P(depth=10)@1000 and AP(depth=10), and NumRel.
    """
    inside = f"depth={depth}" if kind == "full" else f"depth={depth}, pool={depth}"
    metrics = [str(name) for name in scores.metric.values]
    shares = [name for name in metrics if name.startswith(f"P({inside})@")]
    needed = [f"AP({inside})", counted(kind, depth)]
    by_topic = scores.topic.values.tolist() != [ALL]
    if not (shares and by_topic and set(needed) <= set(metrics)):
        return None
    share, ap, relevant = (scores.sel(metric=name).values.ravel() for name in (shares[0], *needed))
    cutoff = parse(shares[0]).cutoff
    assert isinstance(cutoff, int)
    found = np.minimum(np.rint(share * cutoff), depth)
    # AP is the sum of precisions over all relevant documents
    p = entropy.continued(entropy.likeliest(found, ap * relevant, depth), relevant, LENGTH)
    return Rankings(p, relevant, scores.sizes["system"])


def expected(name: str, of: Rankings) -> Floats:
    """Return the mean that each system is expected to have: (system,); NaN for metrics that cannot be had so.

    >>> certain = Rankings(np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([2.0, 2.0]), systems=1)
    >>> expected("P@2", certain).tolist(), expected("AP", certain).tolist(), expected("RR", certain).tolist()
    ([0.75], [0.75], [nan])
    """
    try:
        metric = parse(name)
    except MetricError:  # a metric of the user's own
        return np.full(of.systems, np.nan)
    by_topic = _expected(metric, of)
    return np.asarray(by_topic.reshape(of.systems, -1).mean(axis=1))


def _expected(metric: Metric, of: Rankings) -> Floats:
    """Return the expected score of each system and topic; grades above 0 are taken for alike."""
    none = np.full(len(of.p), np.nan)
    cutoff = LENGTH if metric.cutoff is None else metric.cutoff
    plain = {parameter for parameter, _ in metric.params} <= {"p", "rel"} and metric.get("rel") in (None, 1)
    if not plain or not isinstance(cutoff, int) or cutoff > LENGTH:
        return none
    p = of.p[:, :cutoff]
    match metric.base:
        case "P":
            return entropy.precision(p, cutoff)
        case "R":
            return entropy.recall(p, of.relevant)
        case "AP":
            return entropy.average_precision(p, of.relevant)
        case "nDCG":
            return entropy.discounted(p, of.relevant)
        case "RBP":
            persistence = metric["p"]
            assert isinstance(persistence, float)
            return entropy.biased(p, persistence)
        case _:
            return none
