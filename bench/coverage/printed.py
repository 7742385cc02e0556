"""Where each interval and each p that a study prints has its coverage measured: column of results -> entries."""

from collections.abc import Mapping, Sequence

_OF_PAIRS = (
    "a difference by itself",
    "all differences at once, Bonferroni's t",
    "all differences at once, max-t",
    "all differences at once, Tukey",
)
_SAMPLED = (
    "mean by few human topics and a machine",
    "difference by few human topics and a machine",
)
_CORRELATIONS = (
    "r over scores",
    "rho over scores within topics",
    "r over means",
    "tau over means",
)

PRINTED: Mapping[str, Sequence[str]] = {
    "accuracy.low": ("predicted score",),
    "comparison.drmse_low": ("a system against itself on other topics",),
    "comparison.low": ("a system against itself on other topics",),
    "comparison.p": ("a system against itself on other topics",),
    "correlation.cumulated_low": _CORRELATIONS,
    "correlation.low": _CORRELATIONS,
    "correlation.true_low": ("r of true means",),
    "description.low": ("t interval of a mean",),
    "description.rank_low": ("rank sets, simultaneous", "rank sets, marginal"),
    "design.low": ("tau of a design",),
    "estimate.difference_low": _SAMPLED[1:],
    "estimate.human_low": ("t interval of a mean",),
    "estimate.low": _SAMPLED[:1],
    "judges.low": ("difference of tau, two good judges", "favour of a system"),
    "judges.phi_gain_low": ("gain in phi, good judge",),
    "judges.tau_low": ("tau, good judge", "tau, bad judge"),
    "leaderboard.low": ("rank sets of a leaderboard",),
    "leaderboard.predicted_low": ("predicted score of a leaderboard",),
    "place.difference_low": ("difference across collections",),
    "place.gain_low": ("difference across collections",),
    "place.low": ("difference across collections",),
    "place.p": ("difference across collections",),
    "place.percentile_low": ("percentile among everybody",),
    "place.rank_low": ("difference across collections",),
    "prediction.low": ("predicted score",),
    "predictivity.behind_low": ("advantage of a metric",),
    "predictivity.joint_low": ("advantage of a metric",),
    "predictivity.low": ("advantage of a metric",),
    "reliability.erho2_low": ("E rho2", "E rho2, teams left out"),
    "reliability.needed_low": ("E rho2", "Phi"),
    "reliability.phi_low": ("Phi", "Phi, other systems"),
    "reliability.tau_low": ("tau with the true ranking",),
    "reuse.adjusted_low": ("loss of a run that was not pooled",),
    "reuse.low": ("loss of a run that was not pooled",),
    "reuse.penalty_low": ("loss of a run that was not pooled",),
    "significance.low": _OF_PAIRS,
    "significance.p": ("paired t test", "Wilcoxon test", "sign test", "bootstrap test"),
    "significance.p_corrected": ("paired t test, Holm", "false discoveries, BH"),
    "significance.p_equivalent": ("equivalence at the margin",),
    "versus.low": (
        "differences from a baseline at once, Bonferroni's t",
        "differences from a baseline at once, Dunnett",
    ),
    "versus.p": ("paired t test", "permutation test"),
    "versus.p_corrected": ("paired t test, Holm", "Dunnett's test"),
}
"""Of an interval the lower end is named: the upper one goes with it. A figure that stands beside another in the
measured rows (means beside differences, as in `place.low`) is in the column "beside" of the table.
"""

WITHOUT: Mapping[str, str] = {
    "estimate.human_p_corrected": "the paired t test, Holm, on the topics judged by people",
    "estimate.p_corrected": "the interval of the difference, inverted",
    "judges.p": "the interval of the difference of tau, inverted",
    "judges.p_corrected": "the same p, corrected by Holm",
    "ranking.unexplained_low": "made as the shares of components beside `r over scores`",
    "significance.rank_low": "counts of significant differences, no promise",
    "place.share_of_way_low": "the gain's interval, divided by a constant",
    "validation.depth_low": "the shortest list of a run, no interval",
}
"""Columns that look like an interval or a test and have no row of their own, and why."""
