"""Where each interval and each p that a study prints has its coverage measured: column of results -> entries."""

from collections.abc import Mapping, Sequence

_BY_ITSELF = (
    "a difference by itself",
    "a difference by itself, clusters",
    "a difference of scores of 0 and 1",
)
_JUDGED = (
    "difference by several judges",
    "lead by several judges and by those left out",
)
_SAMPLED = (
    "mean by few human topics and a machine",
    "difference by few human topics and a machine",
)
_CORRELATIONS = (
    "r over scores",
    "r over scores, clusters",
    "rho over scores within topics",
    "r over means",
    "tau over means",
)

_LABELS = (
    "kappas of labels",
    "alphas of labels",
    "leniency of labels",
    "alphas of several judges",
)
_ONE_PAIR = (
    "paired t test",
    "Wilcoxon test",
    "sign test",
    "permutation test",
    "bootstrap test",
)
_CORRECTED = (
    "paired t test, Holm",
    "Wilcoxon test, Holm",
    "permutation test, Holm",
    "paired t test, Bonferroni",
    "false discoveries, BH",
    "max-t test of all pairs",
    "max-t test of all pairs, clusters",
    "randomised Tukey HSD",
)
_CORRECTED_FROM_BASELINE = (
    *_CORRECTED,
    "max-t test of one against others",
    "Dunnett's test",
)
_EQUIVALENT = ("equivalence at the margin", "equivalence of all pairs, Holm")
_ON_OTHER_TOPICS = (
    "a system against itself on other topics",
    "a system against itself on other topics, clusters",
)
_ACROSS = ("difference across collections",)
_REPORTED = ("percentile of a reported mean",)
_ANCHORED = ("an unchanged system by anchors",)
_CHANGE = ("change of a lead in a reproduction",)
_FLAGGED = ("change without contaminated topics", "change without trivial topics")
_DESIGN = ("tau of a design", "tau of a design, clusters")
_LOSS = (
    "loss of a run that was not pooled",
    "loss of a run that was not pooled, clusters",
)
_ADVANTAGE = ("advantage of a metric", "advantage of a metric, clusters")
_PREDICTIVE = ("phi of halves",)
_PLANNED = ("planned width, few human topics and a machine",)
_PLANNED_ALONE = ("planned width, few human topics alone",)
_AGREED = ("agreement of users with a metric",)
_BOARD = ("rank sets of a leaderboard", "rank sets of a leaderboard, clusters")
_ERHO2 = (
    "E rho2",
    "E rho2, other systems",
    "E rho2, teams left out",
    "E rho2, clusters",
)
_PHI = ("Phi", "Phi, other systems", "Phi, teams left out", "Phi, clusters")
_TAU = (
    "tau with the true ranking",
    "tau with the true ranking, other systems",
    "tau with the true ranking, clusters",
)
_SOFT = (
    "soft pairwise accuracy",
    "soft pairwise accuracy, teams left out",
    "soft pairwise accuracy, clusters",
)


def _in_teams_too(*names: str) -> Sequence[str]:
    """Name promises of systems by themselves, and the same where teams are left out."""
    return [*names, *(f"{name}, teams left out" for name in names)]


_MEANS = (
    "interval of a mean",
    "interval of a mean, few systems",
    "interval of a mean without bounds",
    "interval of a mean, clusters",
)

PRINTED: Mapping[str, Sequence[str]] = {
    "accuracy.cells.low": ("predicted score",),
    "comparison.pairs.drmse_low": _ON_OTHER_TOPICS,
    "comparison.pairs.false_positives_quantile": _ON_OTHER_TOPICS,
    "comparison.pairs.quantile": _ON_OTHER_TOPICS,
    "comparison.pairs.tau_low": (
        "tau of two collections",
        "tau, good judge",
        "tau, bad judge",
    ),
    "comparison.systems.low": _ON_OTHER_TOPICS,
    "comparison.systems.p": _ON_OTHER_TOPICS,
    "correlation.components.cumulated_low": _CORRELATIONS,
    "correlation.correlation.low": _CORRELATIONS,
    "correlation.correlation.true_low": ("r of true means",),
    "description.means.found_low": (
        "false claims of rank sets by discovery",
        "ranks by false discovery rate",
    ),
    "description.means.low": _MEANS,
    "description.means.rank_low": ("rank sets, simultaneous", "rank sets, marginal"),
    "description.topics.reversed": ("topics where better systems score worse",),
    "description.without.change_low": _FLAGGED,
    "description.without.without_rank_low": (
        "rank sets, simultaneous",
        "rank sets, marginal",
    ),
    "design.budget.behind_low": ("ways behind the best of a design",),
    "design.budget.low": _DESIGN,
    "design.designs.low": _DESIGN,
    "design.front.low": _DESIGN,
    "durability.durability.quantile": ("old factors that have not aged",),
    "estimate.means.human_low": ("mean by few human topics alone",),
    "estimate.means.low": (
        _SAMPLED[0],
        f"{_SAMPLED[0]}, clusters",
        "mean by a part of the pairs",
    ),
    "estimate.pairs.difference_low": (
        _SAMPLED[1],
        f"{_SAMPLED[1]}, clusters",
        "difference by a part of the pairs",
    ),
    "judges.favour.low": ("favour of a system", "favour of a family on other topics"),
    "judges.labels.low": _LABELS,
    "judges.passes.own_grades_low": ("share of a judge's disagreement with itself",),
    "judges.passes.own_low": ("share of a judge's disagreement with itself",),
    "judges.pairs.low": (
        *_in_teams_too(
            "difference of tau, good and bad judge",
            "difference of tau, two good judges",
        ),
        "difference of tau, good and bad judge, clusters",
    ),
    "judges.systems.phi_gain_low": (
        *_in_teams_too("gain in phi, good judge"),
        "gain in phi, good judge, clusters",
    ),
    "judges.pairs.soft_low": _SOFT,
    "judges.systems.soft_low": _SOFT,
    "judges.systems.tau_low": (
        *_in_teams_too("tau, good judge", "tau, bad judge"),
        "tau, good judge, clusters",
    ),
    "leaderboard.models.low": _BOARD,
    "leaderboard.predicted.predicted_low": ("predicted score of a leaderboard",),
    "online.metrics.agreement_low": _AGREED,
    "online.metrics.behind_low": ("lead of a metric in agreement",),
    "online.metrics.correlation_low": _AGREED,
    "online.metrics.gain_low": _AGREED,
    "online.metrics.sharpest_low": _AGREED,
    **{f"plan.needed.width_{way}_low": _PLANNED for way in ("needed", "many")},
    "plan.needed.width_alone_low": _PLANNED_ALONE,
    "plan.sizes.width_pairs_low": _PLANNED,
    "plan.sizes.width_pairs_alone_low": _PLANNED_ALONE,
    "place.anchored.anchored_low": _ANCHORED,
    "place.anchored.anchored_p": _ANCHORED,
    "place.baseline.gain_low": _ACROSS,
    "place.baseline.p": _ACROSS,
    "place.drift.drift_low": _ANCHORED,
    "place.pairs.difference_low": _ACROSS,
    "place.pairs.p": _ACROSS,
    "place.published.baseline_percentile_low": _REPORTED,
    "place.published.percentile_low": _REPORTED,
    "place.systems.low": _ACROSS,
    "place.systems.percentile_low": ("percentile among everybody",),
    "place.systems.rank_low": _ACROSS,
    "prediction.filled.low": ("predicted score",),
    "prediction.prediction.low": ("predicted score",),
    "predictivity.advantage.joint_low": _ADVANTAGE,
    "predictivity.advantage.low": _ADVANTAGE,
    "predictivity.best.behind_low": _ADVANTAGE,
    "predictivity.best.mean_phi_low": _PREDICTIVE,
    "predictivity.phi.low": _PREDICTIVE,
    "ranking.subsets.unexplained_low": ("what chosen metrics leave, clusters",),
    "reliability.coefficients.erho2_low": _ERHO2,
    "reliability.coefficients.phi_low": _PHI,
    "reliability.needed.needed_low": (*_ERHO2, *_PHI),
    "reliability.tau.tau_low": _TAU,
    "replication.experiments.delta_ri_low": ("delta relative improvement",),
    "replication.experiments.lead_change_low": _CHANGE,
    "replication.experiments.lead_low": _BY_ITSELF,
    "replication.experiments.original_lead_low": _BY_ITSELF,
    "replication.experiments.ratio_low": ("effect ratio of a reproduction",),
    "replication.lists.rbo_low": ("RBO of a reproduction",),
    "replication.lists.tau_union_low": ("tau union of a reproduction",),
    "replication.runs.change_low": _CHANGE,
    "replication.runs.first_low": _MEANS,
    "replication.runs.p": ("paired t test", "a system against itself on other topics"),
    "reuse.new.adjusted_low": _LOSS,
    "reuse.new.penalty_low": _LOSS,
    "reuse.systems.low": _LOSS,
    "significance.tests.low": (*_BY_ITSELF, *_JUDGED),
    "significance.tests.p": _ONE_PAIR,
    "significance.tests.p_corrected": _CORRECTED,
    "significance.tests.p_equivalent": _EQUIVALENT,
    "versus.comparisons.low": (*_BY_ITSELF, *_JUDGED),
    "versus.comparisons.p": _ONE_PAIR,
    "versus.comparisons.p_corrected": _CORRECTED_FROM_BASELINE,
    "versus.comparisons.p_equivalent": _EQUIVALENT,
    "versus.without.change_low": _FLAGGED,
    "versus.without.without_low": _BY_ITSELF,
    "versus.without.without_p_corrected": _CORRECTED_FROM_BASELINE,
}
"""By study, table and column, without the metric that is named before it.

Of an interval the lower end is named: the upper one goes with it. A figure that stands beside another in the measured
rows (means beside differences, as in `place.systems.low`) is in the column "beside" of the table.
"""

WITHOUT: Mapping[str, str] = {
    "estimate.pairs.human_p_corrected": "the paired t test, Holm, on the topics judged by people",
    "estimate.pairs.p_corrected": "the interval of the difference, inverted",
    "judges.favour.p_corrected": "the interval of the favour, inverted, corrected by BH",
    "judges.pairs.soft_p": "the interval of the difference of soft accuracy, inverted",
    "judges.pairs.soft_p_corrected": "the same p, corrected by Holm",
    "judges.pairs.p": "the interval of the difference of tau, inverted",
    "judges.pairs.p_corrected": "the same p, corrected by Holm",
    "design.gains.gain_low": "a quantile over random halves of the systems, no interval of the mean gain",
    "design.subsets.new_low": "a quantile over random halves of the systems, no interval of mean tau",
    "leaderboard.few.low": "a quantile over random halves of the models, no interval of mean tau",
    "judges.baselines.soft_low": "that of a judge whose scores need no judgment, `soft pairwise accuracy`",
    "judges.baselines.tau_low": "that of a judge whose scores need no judgment, `tau, bad judge`",
    "judges.beside_baselines.low": "that of a difference of soft accuracy between two judges",
    "judges.beside_baselines.p": "the interval of the difference, inverted",
    "judges.beside_baselines.p_corrected": "the same p, corrected by Holm",
    "judges.significance.reversed": "a count of pairs that people and a judge test the other way round, no promise",
    "leak.attacks.p": "Fisher's exact test, one-sided",
    "place.baseline.share_of_way_low": "the gain's interval, divided by a constant",
    "ranking.rivals.behind_low": "in docs/worlds.md, where sets of metrics are equally good",
    "significance.systems.rank_low": "counts of significant differences, no promise",
    "validation.runs.depth_low": "the shortest list of a run, no interval",
}
"""Columns that look like an interval or a test and have no row of their own, and why."""

_BY_TAU = (
    "tau and soft accuracy have intervals; on the top of a ranking few systems decide"
)
_BY_PLAIN_TAU = "takes the observed differences as true; `tau_low` and `tau_high` are of tau by halves"
_BY_HALVES = "of random halves of these topics; on other topics it is in docs/studies/significance.md"
WITHOUT_INTERVAL: Mapping[str, str] = {
    "durability.durability.tau": "stands beside that of random splits of the systems, by its quantile",
    "judges.systems.rbo": _BY_TAU,
    "judges.systems.tau_ap": _BY_TAU,
    "judges.systems.tau_best": _BY_TAU,
    "judges.systems.tau_gap": _BY_TAU,
    "predictivity.curve.phi": "only the error of drawing sets of topics, `se`; phi of halves has an interval",
    "reliability.coefficients.tau": "only with as many topics as there are: `tau_low`, `tau_high`",
    "reliability.coefficients.tau_ap": _BY_PLAIN_TAU,
    "reliability.tau.expected_tau_ap": _BY_PLAIN_TAU,
    "reliability.tau.half_tau": "phi of a metric with itself, by tau-b, has one: `irmeta predictivity -m AP`",
    "replication.runs.rmse": "a few topics make most of it, and few topics do not show them (decision 183)",
    "significance.power.share_significant": "random halves of the topics were tried and do not hold (decision 113)",
    "significance.replication.again": _BY_HALVES,
    "significance.replication.opposite": _BY_HALVES,
    "significance.replication.shrunk": _BY_HALVES,
    "significance.swaps.error_rate": "of random halves of these topics, as is the least difference in the finding",
}
"""Figures that might be taken to have an interval and have none, and why."""
