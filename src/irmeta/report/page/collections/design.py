"""The section on the next collection: how far a number of topics, by each metric, ranks systems as others would."""

from shlex import quote

from irmeta.report.page.content import Content
from irmeta.report.page.panel import Panel, Picture, Text, study_panel
from irmeta.scores.groups.clusters import unit_of
from irmeta.studies.design.study import design

PARTITIONS = 100

TEXT = Text(
    "design",
    "The next collection",
    "What should the next collection be?",
    "A line shows how well the ranking of systems by a metric on some topics agrees with their "
    "ranking by the target metric on as many other topics. It is measured up to half of the "
    "topics, then extrapolated. With runs and judgments, `irmeta design` also compares depths of "
    "judging and chooses for a budget.",
    "Webber, Moffat and Zobel, SIGIR 2008; Urbano, Marrero and Martin, SIGIR 2013.",
)


def panel(content: Content, name: str) -> Panel:
    """Show worth by the number of topics, a line for each metric."""
    target = content.order[name]
    outcome = design(
        content.used[name],
        target=target,
        partitions=PARTITIONS,
        teams=content.teams,
        rng=content.seed,
    ).data
    beyond, units = int(outcome["half"]), f"{unit_of(outcome)}s"
    pictures = {
        "design": Picture.of_result(
            f"Tau with the ranking by {target} on other {units}, measured up to {beyond} {units}",
            outcome,
        )
    }
    return study_panel(
        name,
        outcome,
        pictures=pictures,
        shown=["front"],
        command=f"irmeta design {content.source_of(name)} --target {quote(target)} --partitions {PARTITIONS}"
        f"{content.by_team} --seed {content.seed}",
    )
