"""The section on significance: which systems differ, and how many pairs a metric distinguishes."""

from dataclasses import replace
from functools import partial

import polars as pl
import xarray as xr

from irmeta.report.page.content import Content
from irmeta.report.page.panel import Panel, Picture, Text, study_panel
from irmeta.report.page.systems.description import description_of, metric_first
from irmeta.report.plots.systems.significance import power
from irmeta.studies.differences.description import summary as description
from irmeta.studies.differences.significance import summary
from irmeta.studies.differences.significance.study import significance

LETTERED = 20
"""How many of the best systems the table for print shows, with letters: those that share one do not differ
significantly."""

TEXT = Text(
    "significance",
    "Significance",
    "Which systems differ?",
    "The bar is a metric's discriminative power: the share of pairs of systems that a paired test "
    "distinguishes, corrected for testing all of them. More is not always better: a metric can be "
    "consistently wrong.",
    "Smucker, Allan and Carterette (CIKM 2007); Sakai (SIGIR 2006).",
)


def panel(content: Content, name: str) -> Panel:
    """Test all pairs of systems; the page has discriminative power and the groups, a file the tests of one metric."""
    by = content.order[name]
    outcome = tests_of(content, name)
    pictures = {
        "power": Picture(
            f"Share of {outcome.sizes['pair']:,} pairs of systems that each metric distinguishes",
            partial(power, outcome),
        )
    }
    made = study_panel(
        name,
        outcome,
        pictures=pictures,
        shown=["power", "systems"],
        command=f"irmeta significance {content.source_of(name)}{content.calling}",
    )
    views = {title: metric_first(frame, by) for title, frame in made.tables.items()}
    tests = views["tests"].filter(pl.col("metric") == by)
    ranked = views["power"].sort("share_significant", descending=True)
    # the leaderboard says who may be the best, by a stepwise test that distinguishes more pairs than these tests
    differing = summary.differing_sentence(outcome.sel(metric=by))
    again = summary.replication_sentences(outcome.sel(metric=[by]))
    return replace(
        made,
        findings=[differing, *again, *range_of_power(ranked)],
        tables={**views, "power": ranked, "tests": tests},
        latex={"systems": lettered_systems(content, name)},
        notes=[
            *made.notes,
            f"the CSV of tests has those by {by}; the command gives all",
        ],
    )


def range_of_power(ranked: pl.DataFrame) -> list[str]:
    """Describe between which metrics the share of pairs goes; say nothing where it is the same by all, as it is shown.

    ranked : the table of power, the highest share first.
    """
    high, low = (f"{ranked['share_significant'][at]:.1%}" for at in (0, -1))
    if low == high:
        return []
    return [
        f"Over the {ranked.height} metrics the share of pairs distinguished goes from {low} ({ranked['metric'][-1]}) "
        f"to {high} ({ranked['metric'][0]}); differences between metrics have no interval here."
    ]


def tests_of(content: Content, name: str) -> xr.Dataset:
    """Return the tests of all pairs of systems of one collection, which two sections show."""
    outcome: xr.Dataset = content.computed_once(
        f"tests {name}", lambda: significance(content.used[name])
    )
    return outcome


def lettered_systems(content: Content, name: str) -> pl.DataFrame:
    """Return the best systems with means, intervals, and letters: systems that share one do not differ significantly.

    The letters follow from the tests of all pairs of systems, as all else that the page says of pairs.
    """
    by = content.order[name]
    letters = summary.letters_of_best(tests_of(content, name).sel(metric=by), LETTERED)
    means = description.tables(description_of(content, name))["means"]
    best = pl.col("metric") == by, pl.col("system").is_in(list(letters))
    return means.filter(*best).select(
        "system",
        "mean",
        "low",
        "high",
        letters=pl.col("system").replace_strict(letters, return_dtype=pl.String),
    )
