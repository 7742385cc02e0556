"""How deep runs are: lists that end far before a metric's cutoff, where most others go on, lower scores by it."""

from collections.abc import Collection, Iterable, Mapping
from statistics import median_high

from irmeta.metrics.names import Metric
from irmeta.scores.notes import Act
from irmeta.words import listed

HALF = 2
"""Short lists have one in this number of the ranks that a metric counts and most runs have, or fewer."""
FEW = 3


def short_list_notes(
    depths: Mapping[str, int],
    metrics: Iterable[Metric],
    runs: Collection[str] | None = None,
) -> list[str]:
    """Say which runs, of all by default, have short lists for the cutoffs of metrics, while most others do not.

    depths : documents of the longest list, by run.
    """
    cutoffs = {str(metric): metric.cutoff or 0 for metric in metrics}
    usual = median_high(depths.values()) if depths else 0
    most = min(usual, max(cutoffs.values(), default=0))
    short = {
        name: depth
        for name, depth in depths.items()
        if (runs is None or name in runs) and 0 < HALF * depth <= most
    }
    if not short:
        return []
    least = HALF * min(short.values())
    beyond = [name for name, cutoff in cutoffs.items() if cutoff >= least]
    ends = [f"{name} at rank {depth}" for name, depth in short.items()]
    return [
        Act(
            f"Lists that end early may lower {listed(beyond, FEW)}, as most runs go on to rank {usual}: "
            f"{listed(ends, FEW)}. Compare by metrics of fewer documents, or get deeper runs."
        )
    ]
