"""The first section: every system by every metric, and two systems topic by topic."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from shlex import quote
from typing import Any

import numpy as np
import polars as pl
import xarray as xr
from scipy.special import stdtrit

from irmeta.report.page.content import Content
from irmeta.report.page.panel import Panel, Text, names
from irmeta.report.page.systems.description import description_of
from irmeta.report.page.systems.significance import lettered_systems
from irmeta.scores.attributes import about
from irmeta.scores.averages.means import additive, systems_ahead
from irmeta.scores.figures import short
from irmeta.scores.groups.clusters import in_clusters, right_or_wrong
from irmeta.studies.choice.ranking.study import is_reported
from irmeta.studies.judges.estimate import best_systems_sentence, overview
from irmeta.words import counted, joined, listed

MOST = 200_000
"""Scores of single topics that the page holds; of more, only those of the metric that orders systems."""
CODES = 4_294_967_040
"""Steps of packed scores: in 32 bits the most that every number up to 10 divides, so that tenths are kept exactly."""
OFFICIAL = "people and machine together"
"""The table of what both show, before the leaderboard by the machine alone."""

TEXT = Text(
    "standings",
    "Leaderboard",
    "Who is best?",
    "Click a metric to sort by it, and one system or two to see their topics. With 95% confidence "
    "all true ranks lie within the possible ranks at once. Among the best systems, those that "
    "share a letter do not differ significantly. Possible "
    "ranks are found in steps, so they may distinguish a few systems that share one.",
    "Mogstad, Romano, Shaikh and Wilhelm, Inference for ranks, REStud 2024; letters by the max-t test of all pairs.",
)


def panels(content: Content) -> list[Panel]:
    """Make a panel for each collection; what people and machine show together comes before the machine's word."""
    made = content.panels_by_collection(partial(panel, content))
    for at, answer in enumerate(made):
        name = answer.label
        estimate = _combined_estimate(content, name)
        if estimate is None:
            continue
        best = best_systems_sentence(estimate.isel(metric=0))
        first = f"By {content.order[name]} of people and machine together, {best}"
        made[at] = replace(
            answer,
            findings=[first, *answer.findings],
            tables={OFFICIAL: next(iter(overview(estimate).values()))},
            opened=[OFFICIAL],
        )
    return made


def panel(content: Content, name: str) -> Panel:
    """Show systems by metrics, with ranks and letters, and what it takes to compare two of them."""
    outcome = description_of(content, name)
    scores = content.used[name]
    by = content.order[name]
    best = outcome.sel(metric=by)
    leaders = best.system.values[best["rank"].values == 1]
    may = int((best["rank_low"].values == 1).sum())
    verb = "leads" if len(leaders) == 1 else "lead together"
    absent = _absent_ahead(content, name, str(leaders[0]))
    others = ""
    if _combined_estimate(content, name) is None:
        share = _share_compared(content, name)
        others = f"; {_others_clause(may - len(leaders), share)}"
    without, mean = _without_clause(content, name, absent), float(best["mean"].max())
    finding = (
        f"{without}{listed(leaders)} {verb} by {by} with {short(mean, 3)}{others}."
    )
    return Panel(
        name,
        [finding, *_official_sentences(content, name)],
        warnings=_warnings_left_out(content, name, str(leaders[0]), absent),
        options={"by": by},
        command=f"irmeta table {content.source_of(name)} -m '{by}'{content.calling}",
        board={
            **board_facts(
                outcome,
                scores,
                by,
                lettered_systems(content, name),
                content.highlight,
                f"{content.source_of(name)}{content.calling}",
            ),
            "by_machine": content.is_by_machine(name),
        },
    )


def _official_sentences(content: Content, name: str) -> list[str]:
    """Name the page that has the intervals of an estimate, where this one is of scores that were made of it."""
    if "estimated" not in about(content.used[name]):
        return []
    human, machine, runs = content.named_files("HUMAN", "MACHINE", "RUNS")
    return [
        "Hand out the page of the machine's scores, which has the estimate's own intervals, and mostly fewer "
        f"significant pairs: irmeta report SCORES --human {human} --llm {machine} --runs {runs}{content.reading}."
    ]


def _combined_estimate(content: Content, name: str) -> xr.Dataset | None:
    """Return what people and machine show of one collection by its metric, where they were combined."""
    outcome = content.given.get("estimate")
    by = content.order[name]
    if outcome is None or not content.is_by_machine(name) or by not in outcome.metric:
        return None
    return outcome.sel(metric=[by])


def _counts_left_out(content: Content, name: str) -> list[str]:
    """Return how many systems and topics are not on the page, as scores are missing: "2 of 9 systems"."""
    sizes, used = content.cubes[name].sizes, content.used[name].sizes
    return [
        f"{sizes[dim] - used[dim]} of {counted(sizes[dim], dim)}"
        for dim in ("system", "topic")
        if used[dim] < sizes[dim]
    ]


def _without_clause(content: Content, name: str, absent: Mapping[str, int]) -> str:
    """Say what is left out, and that this leaves open who is best, where systems ahead of the leader are among it."""
    lacking = _counts_left_out(content, name)
    if not absent:
        return f"Without {joined(lacking)} that lack scores, " if lacking else ""
    systems, *topics = lacking
    out = " and ".join([f"{systems} ({listed(absent, 3)} among them)", *topics])
    return f"Who is best cannot be said, as what lacks scores is left out: {out}. Of the others, "


def _warnings_left_out(
    content: Content, name: str, leader: str, absent: Mapping[str, int]
) -> list[str]:
    """Say which systems that are left out are ahead of the leader on the topics of both, and what leaves out none."""
    cube, used = content.cubes[name], content.used[name]
    clauses = []
    if used.sizes["system"] < cube.sizes["system"]:
        clauses.append(_ahead_clause(absent, leader))
    if _counts_left_out(content, name) and not in_clusters(cube):
        file = content.file_of(name)
        if cube.sizes["metric"] > 1:
            file += f" -m {quote(content.order[name])}"
        clauses.append(f"irmeta leaderboard {file} --holes predict leaves out none")
    return [f"{name}: {'; '.join(clauses)}."] if clauses else []


def _absent_ahead(content: Content, name: str, leader: str) -> dict[str, int]:
    """Return the systems that are left out and ahead of the leader, and on how many topics of both; most first."""
    by, used = [content.order[name]], names(content.used[name].system)
    ahead = systems_ahead(content.cubes[name].sel(metric=by), leader)
    absent = [system for system in ahead if system not in used]
    most_shared = sorted(absent, key=ahead.__getitem__, reverse=True)
    return {system: ahead[system] for system in most_shared}


def _ahead_clause(absent: Mapping[str, int], leader: str) -> str:
    """Say which systems that are left out are ahead of the leader."""
    if not absent:
        return f"of the systems left out none is ahead of {leader} on the topics that both have"
    who = listed(absent, 3)
    if len(absent) > 1:
        return (
            f"{who}, left out, are each ahead of {leader} on the topics that both have"
        )
    [shared] = absent.values()
    return f"{who}, left out, is ahead of {leader} on the {counted(shared, 'topic')} that both have"


def _share_compared(content: Content, name: str) -> str:
    """Say of how many systems the page is, if some are left out: " of the 22 compared"."""
    systems = content.used[name].sizes["system"]
    some = systems < content.cubes[name].sizes["system"]
    return f" of the {systems} compared" if some else ""


def _others_clause(count: int, share: str) -> str:
    """Say how many systems may be the best beside the leaders; share : of how many, where not all are compared."""
    if count == 0:
        return f"no other system{share} can be the best on topics like these"
    return (
        f"{counted(count, 'other system')}{share} may be the best on topics like these"
    )


def board_facts(
    outcome: xr.Dataset,
    scores: xr.DataArray,
    by: str,
    best: pl.DataFrame,
    marked: Any,
    source: str,
) -> Mapping[str, Any]:
    """Return the leaderboard: its rows by one metric, and what the script needs to compare two systems."""
    # the one that orders systems, then those that papers report
    metrics = sorted(names(outcome.metric), key=lambda metric: not is_reported(metric))
    metrics.sort(key=lambda metric: metric != by)
    held = metrics if scores.size <= MOST else [by]
    line = additive(scores)
    topics = scores.sizes["topic"]
    letters = {
        one: each for one, each in best.select("system", "letters").iter_rows() if each
    }
    return {
        "metrics": metrics,
        "rows": _board_rows(outcome, by, metrics, letters, marked),
        "script": {
            "by": by,
            "letters": letters,
            "estimated": "estimated" in about(scores),
            "systems": names(outcome.system),
            "topics": names(scores.topic),
            "marked": [name for name in marked if name in outcome.system],
            "scores": {
                metric: _packed_scores(line.sel(metric=metric).values)
                for metric in held
            },
            "t": float(stdtrit(topics - 1, 0.975)),
            "right_or_wrong": names(scores.metric[right_or_wrong(scores)]),
            "command": f"irmeta versus {source} --test t",
        },
    }


def _board_rows(
    outcome: xr.Dataset,
    by: str,
    metrics: Sequence[str],
    letters: Mapping[str, str],
    marked: Any,
) -> list[dict[str, Any]]:
    """Return the rows of the leaderboard, best first; the best mean by each metric says so."""
    ranked = outcome.sel(metric=by)
    mean = outcome["mean"].sel(metric=metrics).values
    top = np.nanmax(mean, axis=0)
    systems = names(outcome.system)
    rows = []
    for at in np.argsort(ranked["rank"].values, kind="stable"):
        low, high = (int(ranked[name].values[at]) for name in ("rank_low", "rank_high"))
        rows.append(
            {
                "system": systems[at],
                "rank": int(ranked["rank"].values[at]),
                "ranks": str(low) if low == high else f"{low} to {high}",
                "letters": letters.get(systems[at], "\N{EN DASH}"),
                "marked": systems[at] in marked,
                "means": [
                    {"text": short(value, 3), "best": short(value, 3) == short(most, 3)}
                    for value, most in zip(mean[at], top, strict=True)
                ],
            }
        )
    return rows


def _packed_scores(values: np.ndarray[Any, np.dtype[np.float64]]) -> Mapping[str, Any]:
    """Pack scores (system, topic) into 32 bits each: low + code * step."""
    low = float(values.min())
    high = float(values.max())
    step = (high - low) / CODES or 1.0
    codes = np.round((values - low) / step).astype("<u4")
    return {"low": low, "step": step, "codes": b64encode(codes.tobytes()).decode()}
