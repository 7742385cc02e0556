"""How many topics people should judge beside a machine that judges all: for a width of intervals, and at what cost."""

import shlex
from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated, Any, NamedTuple

import numpy as np
import polars as pl
import xarray as xr
from scipy.special import stdtr

from irmeta.choices import Missing
from irmeta.errors import ScoresError
from irmeta.evaluation.sources import RunsLike
from irmeta.io.runs.trec import Reading
from irmeta.measured.coverage import held
from irmeta.scores.attributes import about
from irmeta.scores.figures import interval, short, with_interval
from irmeta.scores.groups.clusters import in_clusters
from irmeta.scores.notes import Act, Answer, Method
from irmeta.scores.result import ends, frame, result
from irmeta.stats.arrays import Floats
from irmeta.stats.judging import planning, sampling
from irmeta.stats.judging.planning import Spread
from irmeta.stats.judging.sampling import Sample
from irmeta.stats.tests import multiplicity
from irmeta.studies.door import NumbersByName, study
from irmeta.studies.judges.sampled import (
    RUNS,
    SAMPLE,
    SCORED,
    Judged,
    Paired,
    paired,
    weights,
)
from irmeta.words import counted

SIZES = (5, 10, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 300, 400, 500, 750, 1000)
"""Numbers of human topics that the table of sizes lists, up to those that the machine judged."""
MANY = 10
"""Where the topics are too few, a plan is also made for this number of machine topics for each human one."""
FEWEST = 5
"""Human topics that a plan needs: variances of fewer are a guess."""
GROUPS = 20
"""Groups of human topics, at most, that are left out in turn to say how sure widths are."""
PLANNED = tuple(
    f"planned width, few human topics {who}" for who in ("and a machine", "alone")
)
"""What is measured of the ranges of planned widths."""
ALPHA = 0.05
"""The level at which pairs of systems differ, corrected for all pairs as `estimate` does."""
NEEDED = (
    *("rho_pairs", "topics_needed", "topics_alone", "topics_many"),
    *("best_share", "topics_best", "machine_best"),
    *(
        f"width_{way}_{end}"
        for way in ("needed", "alone", "many", "best")
        for end in ("low", "high")
    ),
    *("cost_needed", "cost_alone", "cost_best"),
)
BY_SIZE = (
    *ends("width_pairs", "width_pairs_alone"),
    *("width_means", "width_means_alone", "pairs_differ", "pairs_differ_alone"),
)
"""The columns of the tables `needed`, those of costs where there are costs, and `sizes`."""


@study
def plan(
    human: Annotated[Judged, SCORED],
    llm: Annotated[Judged, SCORED],
    *,
    runs: Annotated[RunsLike | None, RUNS] = None,
    metrics: str | Iterable[str] | None = None,
    rel_llm: float | None = None,
    sample: Annotated[NumbersByName | None, SAMPLE] = None,
    width: float = 0.1,
    human_topic_cost: float | None = None,
    llm_topic_cost: float | None = None,
    missing: Missing = "error",
    reading: Reading | None = None,
) -> xr.Dataset:
    """Find out how many topics people should judge when a machine judges all, and at what cost.

    human : judgments (qrels) by people, of a first sample of topics; or scores made with them, as a cube or a file
    llm : judgments (qrels) by a machine, of all topics; or scores made with them
    runs : the runs, where judgments are given: a folder, a glob or a file; can be repeated
    metrics : metrics to plan for, as in 'nDCG@10 AP(rel=2)'; of scores by default those that both have
    rel_llm : the lowest grade of the machine that counts as relevant, where it differs from the metric's: as for
        AP(rel=2) if the machine never gives 2; by default the metric's
    sample : the drawn topics and their probabilities, as irmeta judges sample writes them
    width : the width that 95% intervals of differences of two systems should have on average, from end to end
    human_topic_cost : cost of judging one topic by people, in any unit
    llm_topic_cost : cost of judging one topic by the machine, in the same unit; 0, the default beside a cost by
        people, if it is free: it then judges the topics that there are
    missing : what to do with missing scores, as in `selection.complete`
    reading : what to accept in files beyond their format, as in `irmeta.evaluate`

    Returns over (metric) topics_needed, with machine judgments of as many topics as now; topics_alone, by people alone;
    topics_many, with ten machine topics for each human one; with costs best_share, the cheapest n / N, topics_best and
    machine_best, the numbers of topics at that share, and costs of all three; low and high of width_needed,
    width_alone, width_many and width_best, between which widths (95%) these topics may turn out, as few human topics
    tell it; over (size, metric) width_pairs, of intervals of differences, with low and high, width_means, of means, and
    how many pairs differ significantly (Holm, .05) if systems differ as they seem to now, each with the machine and
    alone. What cannot be reached is -1. Raises ScoresError for fewer than 5 human topics. Source: Cochran (1977),
    section 12.3.

    >>> from irmeta.scores.cube import cube
    >>> draw = np.random.default_rng(0)
    >>> all_topics = cube(draw.random((3, 20, 1)), list("abc"), [str(t) for t in range(20)], ["AP"])
    >>> int(plan(all_topics[:, :8], all_topics, width=0.3)["topics_alone"].item()) > 8
    True
    """
    _check(width, human_topic_cost, llm_topic_cost)
    both, notes = paired(human, llm, runs, metrics, rel_llm, missing, reading)
    if human_topic_cost is not None and llm_topic_cost is None:
        notes.append(
            "The machine's topics are taken to cost nothing; --llm-topic-cost says what they cost."
        )
    if both.parts is not None:
        raise ScoresError(
            "people judged a part of each topic; plans are for whole topics, judged or not"
        )
    if in_clusters(both.machine):
        notes.append(
            "Widths take topics as independent, though they come in clusters; they are too short if the topics of a "
            "cluster are alike."
        )
    weight, of_weights = weights(both, sample)
    n = both.human.sizes["topic"]
    if n < FEWEST:
        raise ScoresError(
            f"no plan can be made from {counted(n, 'topic')} that people judged; {FEWEST} at least show how much "
            "scores vary"
        )
    total = both.machine.sizes["topic"]
    sizes = sorted({n, total, *(size for size in SIZES if size < total)})
    parts = []
    for which in range(both.human.sizes["metric"]):
        # topics are drawn one by one, whatever their clusters
        one = replace(both.sample(which, weight), cluster=None)
        beside, alone = known_spreads(one)
        parts.append(
            _topics_needed(
                one, beside, alone, width, human_topic_cost, llm_topic_cost or 0
            )
            | _by_size(one, beside, alone, sizes)
        )
    dims = {
        name: ("size", "metric") if np.ndim(value) else ("metric",)
        for name, value in parts[0].items()
    }
    data: dict[str, Any] = {
        name: (dim, np.stack([part[name] for part in parts], -1))
        for name, dim in dims.items()
    }
    widths = Method(
        "widths are of 95% intervals from end to end, over new topics, mean over pairs of systems (or "
        "over systems)"
    )
    most = int(max(part["topics_needed"] for part in parts))
    if n < most and np.ptp(weight) == 0:
        notes += _draw_notes(both, most)
    ranges = held(*PLANNED, systems=both.human.sizes["system"], topics=n)
    return result(
        "plan",
        {**data, "metric": both.human.metric.values, "size": sizes},
        inputs={"human": both.human, "machine": both.machine},
        options={},
        notes=[
            *notes,
            *of_weights,
            *map(Method, ranges.said("Such ranges of a width")),
            widths,
        ],
    )


def _draw_notes(both: Paired, topics: int) -> list[str]:
    """Say which command draws more topics beside those that people judged, where both are files."""
    files = [
        about(one).get("qrels", {}).get("source") for one in (both.machine, both.human)
    ]
    if None in files:
        return []
    machine, people = map(shlex.quote, files)
    return [
        Act(
            f"{topics - both.human.sizes['topic']} more of these {both.machine.sizes['topic']} topics are drawn by: "
            f"irmeta judges sample {machine} --topics {topics} --judged {people} -o sample.csv"
        )
    ]


def _check(width: float, human: float | None, llm: float | None) -> None:
    """Refuse a width of 0 or less, a machine's cost alone, people who cost nothing, and a cost below 0."""
    if not width > 0:
        raise ScoresError(f"the width must be above 0, as in 0.1, not {width:g}")
    if human is None and llm is not None:
        raise ScoresError(
            "the cost of a topic by people is missing; give --human-topic-cost, too"
        )
    if human is not None and not human > 0:
        raise ScoresError(f"--human-topic-cost must be above 0, not {human:g}")
    if llm is not None and not llm >= 0:
        raise ScoresError(f"--llm-topic-cost must be 0 or more, not {llm:g}")


class _Known(NamedTuple):
    """How differences vary, and the same without each group of human topics, which says how sure that is."""

    of: Spread
    without: tuple[Spread, ...]

    def width(self, n: int, total: float) -> tuple[float, float, float]:
        """Return the width with n human topics of N, and the ends of its interval."""
        ends = planning.width_ends(self.of, self.without, n, total)
        return planning.width(self.of, n, total), *ends


def known_spreads(sample: Sample) -> tuple[_Known, _Known]:
    """Return how differences vary, beside the machine and by people alone, with what human topics leave open."""
    n, total = sample.sizes
    group = np.arange(n) % min(n, GROUPS)
    without = []
    for number in range(group.max() + 1):
        left_out = np.zeros(total, dtype=np.bool_)
        left_out[sample.drawn[group == number]] = True
        rest = sampling.sample_without(sample, left_out, of_machine=True)
        without.append(pair_spreads(rest))
    beside, alone = zip(*without, strict=True)
    now = pair_spreads(sample)
    return _Known(now[0], beside), _Known(now[1], alone)


def _topics_needed(
    sample: Sample,
    beside: _Known,
    people: _Known,
    width: float,
    human_topic_cost: float | None,
    llm_topic_cost: float,
) -> dict[str, Any]:
    """Compute the numbers of topics for a width of intervals of differences; -1 where none suffices."""
    total = sample.sizes[1]
    rho = sampling.correlation(sample, pairs=True)
    here = planning.topics_for(beside.of, width, None, total)
    # beyond the machine's topics there are none to judge
    here = None if here is None or here > total else here
    many = planning.topics_for(beside.of, width, 1 / MANY, total)
    alone = planning.topics_for(people.of, width, 1.0, total)
    found: dict[str, Any] = {
        "rho_pairs": rho,
        **_way_figures("needed", beside, here, total),
        **_way_figures("alone", people, alone, alone),
        **_way_figures("many", beside, many, many and many * MANY),
    }
    if human_topic_cost is None:
        return found

    def cost(human: int | None, machine: int) -> float:
        if human is None:
            return np.nan
        return human * human_topic_cost + machine * llm_topic_cost

    share = planning.best_share(rho, human_topic_cost, llm_topic_cost)
    # a free machine judges the topics that there are
    best, every = here, total
    if share > 0:
        best = planning.topics_for(beside.of, width, share, total)
        every = int(np.ceil((best or 0) / share))
    return found | {
        "best_share": share,
        **_way_figures("best", beside, best, every),
        "machine_best": -1 if best is None else every,
        "cost_needed": cost(here, total),
        "cost_alone": cost(alone, 0),
        "cost_best": cost(best, every),
    }


def _way_figures(
    way: str, known: _Known, human: int | None, machine: int | None
) -> dict[str, Any]:
    """Return how many topics people judge in this way, and the interval of the width that they give."""
    low, high = np.nan, np.nan
    if human is not None and machine is not None:
        _, low, high = known.width(human, machine)
    return {
        f"topics_{way}": -1 if human is None else human,
        f"width_{way}_low": low,
        f"width_{way}_high": high,
    }


def _by_size(
    sample: Sample, beside: _Known, alone: _Known, sizes: list[int]
) -> dict[str, Floats]:
    """Predict widths, and how many pairs differ, by number of human topics: each of (size,)."""
    total = sample.sizes[1]
    difference = sampling.estimate_differences(sample).value
    gap = np.abs(difference[np.triu_indices(len(difference), 1)])
    found: dict[str, Floats] = {}
    for who, pairs, means in zip(
        ("", "_alone"), (beside, alone), _mean_spreads(sample), strict=True
    ):
        width, low, high = np.array([pairs.width(n, total) for n in sizes]).T
        found |= {
            f"width_pairs{who}": width,
            f"width_pairs{who}_low": low,
            f"width_pairs{who}_high": high,
            f"width_means{who}": np.array(
                [planning.width(means, n, total) for n in sizes]
            ),
            f"pairs_differ{who}": np.array(
                [_count_differing(gap, pairs.of, n, total) for n in sizes]
            ),
        }
    return found


def pair_spreads(sample: Sample) -> tuple[Spread, Spread]:
    """Return how differences of two systems vary, beside the machine and by people alone, as in estimate."""
    above = np.triu_indices(len(sample.human), 1)
    now, alone = (
        sampling.estimate_differences(sample, by).variance[above] for by in (None, 0.0)
    )
    return _spreads(sample, now, alone, sampling.correlation(sample, pairs=True))


def _mean_spreads(sample: Sample) -> tuple[Spread, Spread]:
    """Return how means vary, beside the machine and by people alone, each system by its own scores."""
    now, alone = (sampling.estimate_means(sample, by).variance for by in (None, 0.0))
    return _spreads(sample, now, alone, sampling.correlation(sample))


def _spreads(
    sample: Sample, now: Floats, alone: Floats, rho: float
) -> tuple[Spread, Spread]:
    """Return the spreads of two squared errors of the same figures, now with the machine, and by people alone."""
    n, total = sample.sizes
    # S^2 / n is the squared error of people alone
    variance = n * alone
    return planning.spread(variance, now, n, total, rho), Spread(variance)


def _count_differing(gap: Floats, spread: Spread, n: int, total: int) -> int:
    """Count the pairs that differ significantly at .05, by Holm's method, if systems differ as they seem to now."""
    error = spread.error(n, total)
    # what does not vary differs, or does not, for certain
    certain = error <= 0
    t = np.divide(gap, error, out=np.full(gap.shape, np.inf), where=~certain)
    p = 2 * stdtr(n - 1, -t)
    p = np.where(certain & (gap == 0), 1.0, p)
    if not p.size:
        return 0
    return int((multiplicity.holm(p) < ALPHA).sum())


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Tables `needed` (by metric) and `sizes` (by metric and number of human topics).

    needed : with rho_pairs, the correlation of differences by people and by the machine.
    needed has the numbers of topics, and of each way the interval of the width that they give, as width_needed_low.
    sizes : width_means and width_pairs of intervals, the latter with width_pairs_low and width_pairs_high, and
    pairs_differ, how many pairs differ significantly; by people alone width_means_alone, width_pairs_alone,
    pairs_differ_alone.
    """
    needed = [name for name in NEEDED if name in outcome]
    return {
        "needed": frame(outcome, needed, by=("metric",)),
        "sizes": frame(outcome, BY_SIZE, by=("metric", "size")).rename(
            {"size": "topics"}
        ),
    }


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show what each number of human topics gives, with the machine's help and alone, and what it costs."""
    shown = {}
    for metric in outcome.metric.values:
        one = outcome.sel(metric=metric)
        widths = (one[name].values for name in ends("width_pairs"))
        there = _topics_there(outcome)
        price = about(outcome)["options"]["human_topic_cost"]
        more = np.maximum(one["size"].values - there.human, 0)
        cost = {}
        if price is not None:
            cost = {"more cost": [_cost_text(price * number) for number in more]}
        title = (
            f"{metric}: intervals of differences with {there.machine} machine topics"
        )
        shown[f"{title} (means: --table sizes)"] = pl.DataFrame(
            {
                "human topics": one["size"].values,
                **cost,
                "width": list(map(with_interval, *widths)),
                "width alone": [short(v, 3) for v in one["width_pairs_alone"].values],
                "pairs differ": one["pairs_differ"].values,
                "differ alone": one["pairs_differ_alone"].values,
            }
        )
    return shown


def findings(outcome: xr.Dataset) -> list[str]:
    """Say how many topics people should judge: with costs the cheapest way; what else there is comes after."""
    answers, more = [], []
    for metric in outcome.metric.values:
        now, way, *others = _metric_sentences(outcome.sel(metric=metric))
        answers.append(Answer(f"{metric}: {now} {way}"))
        if others:
            more.append(f"{metric}: {' '.join(others)}")
    return [*answers, *more]


def _metric_sentences(one: xr.Dataset) -> list[str]:
    """Say how wide intervals are, what gives the width wanted, and what all topics there are would give."""
    topics = _topics_there(one)
    now = short(float(one["width_pairs"].sel(size=topics.human)), 3)
    said = [
        f"{counted(topics.human, 'topic')} of people beside {topics.machine} of the machine give intervals of "
        f"differences {now} wide.",
        *(_cheapest_sentences(one, topics) or [_topics_sentence(one, topics)]),
    ]
    if topics.human < topics.machine:
        judged = one.sel(size=topics.machine)
        every = with_interval(*(judged[name] for name in ends("width_pairs")))
        said.append(f"All {topics.machine} topics, judged by people, give {every}.")
    return said


class _Topics(NamedTuple):
    """How many topics people judge, and the machine: now, or in a way to a width; 0 without a machine."""

    human: int
    machine: int

    def more_clause(self, there: "_Topics") -> str:
        """Say how many topics people judge that they have not judged, and how many are new."""
        if self.human < 0:
            return "more than 100 000"
        if self.human <= there.human:
            return "none more"
        new = max(0, self.human - there.machine) if not self.machine else 0
        return f"{self.human - there.human} more ({self.human} in all{f', {new} of them new' if new else ''})"

    def clause(self, there: "_Topics") -> str:
        """Say how many topics people judge, and how many the machine."""
        more = self.more_clause(there)
        if not self.machine:
            return f"{more}, without a machine"
        if self.machine <= there.machine:
            return f"{more} beside the {there.machine} of the machine"
        new = counted(self.machine - there.machine, "new topic")
        each = f", {MANY} for each" if self.machine == MANY * self.human else ""
        return f"{more} and the machine {new} ({self.machine} in all{each})"


def _topics_there(outcome: xr.Dataset) -> _Topics:
    """Return how many topics people and the machine have judged."""
    size = about(outcome)["inputs"]["collections"]
    return _Topics(*(size[who]["topics"] for who in ("human", "machine")))


def _wanted_text(one: xr.Dataset) -> str:
    """Write the width wanted, as .1."""
    return f"{about(one)['options']['width']:g}".removeprefix("0")


def _width_clause(one: xr.Dataset, way: str) -> str:
    """Say which width is wanted, and between which it lies, as far as people's topics tell."""
    wanted = _wanted_text(one)
    low, high = (float(one[f"width_{way}_{end}"]) for end in ("low", "high"))
    between = interval(low, high)
    if between == "-":
        return wanted
    return f"about {wanted} ({between}, as {_topics_there(one).human} topics tell)"


def _reached_sentence(one: xr.Dataset) -> str:
    """Say that what is judged gives the width wanted."""
    return f"A width of {_wanted_text(one)} is reached with what is judged."


def _topics_sentence(one: xr.Dataset, there: _Topics) -> str:
    """Say how many human topics give the width wanted beside the machine's topics, or what else would."""
    needed, many, alone = (
        int(one[name]) for name in ("topics_needed", "topics_many", "topics_alone")
    )
    if 0 < needed <= there.human:
        return _reached_sentence(one)
    people = _Topics(alone, 0).more_clause(there)
    if needed > 0:
        way, clause = "needed", _Topics(needed, there.machine).clause(there)
    elif 0 < many < (alone if alone > 0 else np.inf):
        way, clause = "many", _Topics(many, many * MANY).clause(there)
        clause += ", which need queries and runs, too"
    else:
        return f"For {_width_clause(one, 'alone')}, people judge {people}."
    return f"For {_width_clause(one, way)}, people judge {clause}. Without a machine, they judge {people}."


def _cheapest_sentences(one: xr.Dataset, there: _Topics) -> list[str]:
    """Name the way for which least is to pay, the topics there are, and people alone; nothing without costs."""
    if "best_share" not in one:
        return []
    options = about(one)["options"]
    alone, best, of_machine, needed = (
        int(one[name])
        for name in ("topics_alone", "topics_best", "machine_best", "topics_needed")
    )
    ways = {
        "alone": _Topics(alone, 0),
        "best": _Topics(best, of_machine),
        "needed": _Topics(needed, there.machine),
    }
    known = {way: topics for way, topics in ways.items() if topics.human > 0}
    if not known:
        return []

    def to_pay(way: str) -> float:
        people = max(0, ways[way].human - there.human)
        machine = max(0, ways[way].machine - there.machine)
        return float(
            people * options["human_topic_cost"]
            + machine * (options["llm_topic_cost"] or 0)
        )

    cheapest = min(known, key=lambda way: (to_pay(way), float(one[f"cost_{way}"])))
    if not to_pay(cheapest):
        return [_reached_sentence(one)]
    first = ways[cheapest]
    said = [
        f"The cheapest way to {_width_clause(one, cheapest)} costs {_cost_text(to_pay(cheapest))} more: people judge "
        f"{first.clause(there)}."
    ]
    new = max(first.machine, first.human) > there.machine
    if "needed" in known and new:
        more = ways["needed"].clause(there)
        cost = _cost_text(to_pay("needed"))
        said.append(f"With the topics there are, people judge {more}, for {cost}.")
    if "alone" in known and cheapest != "alone":
        more = ways["alone"].more_clause(there)
        cost = _cost_text(to_pay("alone"))
        said.append(f"Without a machine, people judge {more}, for {cost}.")
    sizes = (max(way.human, way.machine) for way in (first, ways["alone"]))
    if max(sizes) > there.machine:
        said.append("New topics need queries and runs, too.")
    return said


def _cost_text(cost: float) -> str:
    """Write a cost with commas between thousands."""
    return f"{cost:,.12g}"
