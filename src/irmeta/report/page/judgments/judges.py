"""The section on judges: whether other judgments of the same runs and topics rank systems as the first ones do."""

from collections.abc import Mapping
from functools import partial
from shlex import quote

import xarray as xr

from irmeta.report.page.content import Content
from irmeta.report.page.panel import Panel, Picture, Text, attempt, names, study_panel
from irmeta.scores.attributes import about
from irmeta.studies.judges.compare.study import compare_judges

TEXT = Text(
    "judges",
    "Judges",
    "Do other judgments rank the systems as the first ones do?",
    "Tau between each judge's ranking and that of the first collection, which counts as the truth. "
    "The line is the tau that the truth itself is expected to have with the true ranking; a judge "
    "beyond it merely shares the chance effects of the same topics. Read the table's intervals: "
    "without them the order of judges is mostly noise.",
    "Otero, Parapar and Ferro (CIKM 2023); Urbano and Marrero (SIGIR 2016).",
)


def panels(content: Content) -> list[Panel]:
    """Make one panel where judges were compared, or all collections are judgments of the same runs on shared topics."""
    if "judges" in content.given:
        outcome = content.given["judges"]
        human, machine, runs = content.named_files("HUMAN", "MACHINE", "RUNS")
        command = (
            f"irmeta judges compare {human} {machine} --runs {runs} -m {quote(names(outcome.metric)[0])}"
            f"{content.by_team}{content.reading} --seed {content.seed}"
        )
        return [attempt("All judges", partial(_panel, outcome, command))]
    if not are_judges(content.used):
        return []
    return [attempt("All judges", partial(_compare_collections, content))]


def are_judges(cubes: Mapping[str, xr.DataArray]) -> bool:
    """Say whether collections are several judgments of the same runs on the same topics."""
    if len(cubes) < 2:
        return False
    systems = {frozenset(cube.system.values) for cube in cubes.values()}
    topics = [frozenset(cube.topic.values) for cube in cubes.values()]
    shared = frozenset.intersection(*topics)
    enough = max(2, max(map(len, topics)) / 2)
    return len(systems) == 1 and len(shared) >= enough


def _compare_collections(content: Content) -> Panel:
    """Compare all collections with the first, by one metric."""
    cubes = content.used
    outcome = compare_judges(
        cubes,
        metrics=[next(iter(content.order.values()))],
        teams=content.teams,
        rng=content.seed,
    ).data
    of_first = f"{content.by_team} --truth '{next(iter(cubes))}'"
    return _panel(outcome, f"irmeta judges compare {content.sources}{of_first}")


def _panel(outcome: xr.Dataset, command: str) -> Panel:
    """Show how judges rank systems beside the truth."""
    truth = about(outcome)["options"]["truth"]
    by = names(outcome.metric)[0]
    picture = Picture.of_result(
        f"Tau with {truth} by judge, and what {truth} can reach ({by})", outcome
    )
    return study_panel(
        "All judges",
        outcome,
        pictures={"tau": picture},
        shown=[
            "systems",
            "significance",
            *(["favour"] if "group_favour" in outcome else []),
        ],
        command=command,
    )
