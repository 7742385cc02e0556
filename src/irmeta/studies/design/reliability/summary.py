"""What `reliability` answers: tables for programs, an overview and findings for people."""

from typing import Any

import numpy as np
import polars as pl
import xarray as xr

from irmeta.scores.attributes import REPEATS, about
from irmeta.scores.averages.limits import detection_clause
from irmeta.scores.figures import short
from irmeta.scores.groups.clusters import unit_of
from irmeta.scores.groups.teams import teams_needed, teams_prefix
from irmeta.scores.notes import Answer
from irmeta.scores.result import ends, frame
from irmeta.studies.design.reliability.study import FEW
from irmeta.words import capitalized


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Tables `coefficients`, `components`, `needed`, `tau`, `differences`; with a difference `power`, `design`.

    Where topics come in clusters, or systems are means of runs or judges, `sources`.
    """
    curve = (*ends("erho2", "phi"), "tau", "tau_ap")
    shares = outcome["variance"] / outcome["variance"].sum("component")
    views = {
        "coefficients": _topics(frame(outcome, curve, by=("metric", "size"))),
        "components": frame(
            outcome.assign(part=shares),
            ("variance", "part"),
            by=("metric", "component"),
        ),
        "needed": frame(outcome, ends("needed"), by=("metric", "coefficient")),
        "tau": frame(
            outcome,
            ("expected_tau", "tau_low", "tau_high", "expected_tau_ap", "half_tau"),
            by=("metric", "estimator"),
        ),
        "differences": _topics(
            frame(outcome, ("deviation", "detectable"), by=("metric", "size", "share"))
        ),
    }
    if "source" in outcome.dims:
        views["sources"] = _sources(outcome)
    if "shown" in outcome:
        views["power"] = _topics(
            frame(outcome, ("shown",), by=("metric", "size", "share"))
        )
        views["design"] = _designs(outcome)
    return views


def _sources(outcome: xr.Dataset) -> pl.DataFrame:
    """List what a score varies by, and what makes a system's mean uncertain beside others, with shares of each."""
    shares = {"score_share": "of_score", "error_share": "in_error"}
    parts = {
        share: outcome[name] / outcome[name].sum("source")
        for share, name in shares.items()
    }
    columns = ("of_score", "score_share", "in_error", "error_share")
    return frame(outcome.assign(parts), columns, by=("metric", "source"))


def _topics(table: pl.DataFrame) -> pl.DataFrame:
    """Call the numbers of topics so."""
    return table.rename({"size": "topics"})


def _designs(outcome: xr.Dataset) -> pl.DataFrame:
    """List the topic set sizes from real paired differences and by Sakai's ways, and which to plan by."""
    if _system_count(outcome) == 2:
        outcome = outcome.sel(share=[0.5])  # of one pair all shares are the same
    real = frame(outcome, ("pair_topics",), by=("metric", "share")).select(
        "metric",
        pl.format(
            "real pairs, p{}", (pl.col("share") * 100).round().cast(pl.Int64)
        ).alias("way"),
        pl.col("pair_topics").alias("topics"),
    )
    design = frame(outcome, ("design_topics",), by=("metric", "way")).rename(
        {"design_topics": "topics"}
    )
    found = pl.concat([real, design])
    return found.with_columns(enough_for=found["way"].replace_strict(ENOUGH_FOR))


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show the coefficients and expected tau by number of topics, the topics needed, and what differences show."""
    views, units = tables(outcome), f"{unit_of(outcome)}s"
    columns = {"metric": "metric", "topics": units, "erho2": "E rho2", "phi": "Phi"}
    columns |= {"tau": "E tau", "tau_ap": "E tau_AP"}
    of_median = ["detectable", *["shown"] * ("shown" in outcome)]
    median = _topics(frame(outcome.sel(share=0.5), of_median, by=("metric", "size")))
    together = views["coefficients"].join(
        median, on=["metric", "topics"], maintain_order="left"
    )
    if "shown" in outcome:
        difference = short(about(outcome)["options"]["difference"], 3)
        columns |= {"shown": f"power for {difference}"}
    if has_few_systems(outcome):
        for name in ("erho2", "phi", "tau", "tau_ap"):
            del columns[name]
    shown = together.select(
        *[pl.col(old).alias(new) for old, new in columns.items()],
        detects=pl.col("detectable"),
    )
    level = about(outcome)["options"]["level"]
    _, low, high = (_counts(views["needed"][figure]) for figure in ends("needed"))
    needed = views["needed"].select(
        "metric",
        pl.col("coefficient").replace(columns),
        _counts(views["needed"]["needed"]).alias(units),
        pl.format("{} to {}", low, high).alias(f"{level:.0%} interval"),
    )
    found = {"coefficients": shown, "needed": needed}
    if has_few_systems(outcome):
        found = {"differences": shown}
    if "sources" in views:
        found["sources"] = views["sources"].select(
            "metric",
            "source",
            variance="of_score",
            share="score_share",
            of_error="error_share",
        )
    if "design" in views:
        title = f"{units} for the difference: plan by p50; the others if no {units} are shared"
        design = views["design"].with_columns(_counts(views["design"]["topics"]))
        found[title] = design.pivot("way", index="metric", values="topics")
    return found


def _counts(numbers: pl.Series) -> pl.Series:
    """Write numbers of topics or clusters; without limit as such."""
    if numbers.is_finite().all():
        return numbers.cast(pl.Int64)
    return pl.Series(
        numbers.name,
        [f"{number:.0f}" if np.isfinite(number) else "no number" for number in numbers],
    )


ENOUGH_FOR = {
    "real pairs, p10": "1 of 10 pairs of these systems",
    "real pairs, p50": "half of the pairs: plan by this",
    "real pairs, p90": "9 of 10 pairs: to be careful",
    **dict.fromkeys(("t test", "ANOVA", "interval"), "systems that share no topics"),
}
"""What the numbers of topics for a difference are enough for, by the way to compute them."""
SPOKEN = 3
"""Of more metrics than this only the first has sentences of its own."""


def findings(outcome: xr.Dataset) -> list[str]:
    """Say how near these topics come to the true ranking, what they show, and how many would do."""
    collection, said = next(iter(about(outcome)["inputs"]["collections"].items()))
    metrics = outcome.metric.values
    each = metrics if len(metrics) <= SPOKEN else metrics[:1]
    answers: list[str] = []
    more = []
    already: list[str] = []
    for metric in each:
        named = f"{collection}, {metric}: "
        first, *rest = _metric_sentences(outcome.sel(metric=metric), said["topics"])
        rest = [one for one in rest if one not in already]
        already += rest
        if not answers and "shown" not in outcome:
            answers.append(named + " ".join([first, *rest]))
            continue
        # what was asked stands above the tables
        answers.append(Answer(named + first))
        if rest:
            further = " ".join(rest)
            more.append(named + further[0].lower() + further[1:])
    lines = [*answers, *more]
    if len(each) == len(metrics) or has_few_systems(outcome):
        return lines
    return [*lines, *_range_sentences(outcome, said["topics"])]


def _range_sentences(outcome: xr.Dataset, topics: int) -> list[str]:
    """Describe between which metrics expected tau goes; say nothing where it is the same by all, as it is shown."""
    tau = outcome["tau"].sel(size=topics).values
    least, most = (
        str(outcome.metric.values[at]) for at in (tau.argmin(), tau.argmax())
    )
    low, high = (short(float(end)) for end in (tau.min(), tau.max()))
    if low == high:
        return []
    return [
        f"Over the {len(tau)} metrics expected tau goes from {low} ({least}) to {high} ({most}); "
        "differences between metrics have no interval here."
    ]


def _metric_sentences(one: xr.Dataset, topics: int) -> list[str]:
    """Say by one metric how near these topics come to the true ranking, what they show, and whether they suffice."""
    units = f"{unit_of(one)}s"
    here = one.sel(size=topics)
    detected = short(float(here["detectable"].sel(share=0.5)), 3)
    detects = f"detects a difference of {detected} or more"
    if has_few_systems(one):
        said = [
            f"a paired t test by {topics} {units} {detects} {_among_systems(one)}.",
            f"Tau and E rho2 are left out: {_system_count(one)} systems are too few for a ranking that could be "
            "reliable.",
        ]
    else:
        tau, low, high = (
            short(float(part), 2)
            for part in (here["tau"], one["tau_low"], one["tau_high"])
        )
        said = [
            f"the ranking by {topics} {units} agrees with the true one to a tau of about {tau} ({low} to {high}); "
            f"a paired t test {detects} {_among_systems(one)}.",
            *_enough_sentences(one, topics, about(one)["options"]["stability"]),
        ]
    if "shown" in one:
        said = [_power_sentence(one, topics), capitalized(said[0]), *said[1:]]
    said += [_discordance_sentence(one, topics), _main_source_sentence(one)]
    return list(filter(None, said))


def _system_count(outcome: xr.Dataset) -> int:
    """Return how many systems a result is of."""
    (said,) = about(outcome)["inputs"]["collections"].values()
    return int(said["systems"])


def has_few_systems(outcome: xr.Dataset) -> bool:
    """Say whether there are too few systems for a ranking whose reliability could be measured."""
    return _system_count(outcome) <= FEW


def _among_systems(outcome: xr.Dataset) -> str:
    """Say between which systems a difference is."""
    if _system_count(outcome) == 2:
        return "between the two systems"
    return "between two typical systems"


def _power_sentence(one: xr.Dataset, topics: int) -> str:
    """Say how often these numbers of topics show the wanted difference, and how many show it as often as wanted."""
    options, units = about(one)["options"], f"{unit_of(one)}s"
    typical = one.sel(share=0.5)
    needed = float(typical["pair_topics"])
    would = f"{needed:.0f} would in {100 * options['power']:.0f}%"
    if not np.isfinite(needed):
        would = f"no number of {units} would in {100 * options['power']:.0f}%, {_as_runs_stay(one)}"
    every = [int(size) for size in one["size"].values]
    sizes = every if len(every) <= SPOKEN else [topics]
    first, *others = (
        (size, f"{100 * float(typical['shown'].sel(size=size)):.0f}%") for size in sizes
    )
    rest = "".join(f", {size} in {share}" for size, share in others)
    return (
        f"{first[0]} {units} show a difference of {short(options['difference'], 3)} {_among_systems(one)} in "
        f"{first[1]} of cases{rest}; {would}."
    )


def _repeats(one: xr.Dataset) -> dict[str, Any]:
    """Return what is known of the systems' runs, or of the judges that scores are means over; nothing without them."""
    (said,) = about(one)["inputs"]["collections"].values()
    return dict(said.get(REPEATS, {}))


def _as_runs_stay(one: xr.Dataset) -> str:
    """Say why no number of topics suffices, and what would."""
    if "judges" in _repeats(one):
        return "as judges' own ways do not average out over them: take more judges"
    return "as runs' own levels do not average out over them: take more runs of each system"


def _discordance_sentence(one: xr.Dataset, topics: int) -> str:
    """Say of scores that are 0 or 1 how many topics must go one way, and which difference can be seen at all."""
    if "differing" not in one or np.isnan(one["differing"]):
        return ""
    options = about(one)["options"]
    differ = round(float(one["differing"]) * topics)
    if not differ:
        return ""
    deviation = None
    if unit_of(one) != "topic":
        deviation = float(one["deviation"].sel(share=0.5))
    alpha, power = options["alpha"], options["power"]
    found = detection_clause(differ, topics, alpha, power, deviation=deviation)
    return f"Scores are 0 or 1, and two typical systems differ on {found}"


def _main_source_sentence(one: xr.Dataset) -> str:
    """Say, where scores have sources of their own, which makes a comparison of means uncertain most."""
    if "source" not in one.dims or not one["in_error"].values.sum() > 0:
        return ""
    values = one["in_error"].values
    share = short(100 * float(values.max() / values.sum()), 0)
    most = one["source"].values[values.argmax()]
    return f"The largest source of error in comparing means is {most} ({share}%)."


def _enough_sentences(one: xr.Dataset, topics: int, stability: float) -> list[str]:
    """Say whether there are topics enough for the wanted E rho^2: surely, perhaps, or surely not."""
    needed, low, high = (
        float(one[name].sel(coefficient="erho2")) for name in ends("needed")
    )
    units = f"{unit_of(one)}s"
    erho2 = f"E rho2 of {short(stability)} by {one.metric.item()}"
    if not np.isfinite(needed):
        if float(one["erho2"].sel(size=topics)) > 0 and _repeats(one):
            return [f"No number of {units} gives an {erho2}, {_as_runs_stay(one)}."]
        least = ""
        if topics < low < np.inf:
            least = f"; with 95% confidence it needs {low:.0f} or more"
        return [
            f"The {units} needed for an {erho2} cannot be estimated, because "
            f"these {units} do not show that the systems differ{least}."
        ]
    between = f"{low:.0f} to {high:.0f}" if np.isfinite(high) else f"{low:.0f} or more"
    options = about(one)["options"]
    if options["teams_unknown"] and not low <= topics < high:
        return [
            f"An {erho2} needs {needed:.0f} {units} ({between}) if each system is a team of its own.",
            teams_needed(options, f"Whether these {topics} are enough"),
        ]
    first, enough, is_open = "these", "are enough", ""
    if low > topics:
        enough = "are not enough"
    elif high > topics:
        first, enough, is_open = "whether these", "suffice", " is open"
    return [
        f"{teams_prefix(options, first)} {topics} {units} {enough} for an {erho2}{is_open}: about "
        f"{needed:.0f} are needed ({between})."
    ]
