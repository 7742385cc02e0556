"""`irmeta judges`: other judgments compared with true ones, and few human topics combined with many machine ones."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

from irmeta.cli.app import Verbs, argument, option
from irmeta.cli.options import Cost, Count, FileOrStem, Name, Output, Quiet, Seed
from irmeta.cli.output import say, say_wrote, write
from irmeta.errors import IrmetaError
from irmeta.words import counted

if TYPE_CHECKING:
    from irmeta.stats.arrays import Floats, Ints

judges = Verbs(
    "judges",
    help="Compare judgments with true ones; combine few judgments by people with many by a machine.",
)


@judges.command()
def sample(
    file: Annotated[str, argument()],
    topics: Annotated[int, option(min=2)],
    judged: Path | None = None,
    strata: Count = 1,
    clusters: FileOrStem | None = None,
    collection: Name | None = None,
    topic_cost: Cost = 0.0,
    judgment_cost: Cost = 0.0,
    cluster_cost: Cost = 0.0,
    output: Output | None = None,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Draw at random the topics that people should judge, and write them with their probabilities.

    file : judgments (qrels) or scores of the topics to draw from
    topics : how many topics to draw, of whole clusters on average
    judged : people's judgments or scores of topics drawn at random before, one by one: the draw keeps these topics
    strata : draw equally from N groups of topics, from easy to hard (score files only)
    clusters : draw whole clusters, as conversations, of on average --topics topics: a CSV with columns topic and
        cluster; or stem, if a name begins with its cluster; by default topics one by one, or the clusters that the file
        has
    collection : the collection of a score file, where it holds several; by default the only one
    topic_cost : cost of a topic
    judgment_cost : cost of a document judged by a person; as many as FILE has (judgments only)
    cluster_cost : cost of a cluster beside that of its topics
    output : write to this file (CSV), not to the terminal

    irmeta judges sample qrels.txt --topics 15 --seed 1 -o sample.csv

    irmeta judges sample qrels.txt --topics 40 --judged people.txt -o sample.csv # more topics, beside those judged

    irmeta judges sample machine.parquet --topics 15 --strata 5 -o sample.csv # by the machine's mean scores

    irmeta judges sample machine.parquet --topics 40 --clusters stem --cluster-cost 20 --topic-cost 5 -o sample.csv
    """
    import numpy as np

    from irmeta.io.lists import sample_text
    from irmeta.scores.groups.clusters import number_names
    from irmeta.stats.judging.planning import draw_more, draw_whole

    source = _read_source(file, collection, clusters)
    cluster_names, cluster = number_names(source.clusters or source.topics)
    prices = _Prices(topic_cost, judgment_cost, cluster_cost)
    _require_drawable(source, topics, strata, cluster_names, prices)
    level = None
    if strata > 1 and source.scores is not None:
        level = source.scores.mean(axis=0)
    rng = np.random.default_rng(seed)
    if judged is None:
        drawn, probabilities = draw_whole(topics, cluster, level, strata, rng)
        message = f"drew {len(drawn)} of {len(source.topics)} topics with seed {seed}; judge all of them, and no others"
    else:
        before = source.places_of(judged, topics, strata)
        drawn, probabilities = draw_more(topics, before, len(source.topics), rng)
        more = topics - len(before)
        message = (
            f"drew {more} more topics with seed {seed}, {topics} of {len(source.topics)} in all; judge the new ones, "
            f"the last {more} of the list, and no others"
        )
    names = [source.topics[topic] for topic in drawn]
    write(sample_text(dict(zip(names, probabilities.tolist(), strict=True))), output)
    if source.clusters is not None:
        message += source.describe_draw(cluster, drawn)
    if any(prices):
        message += source.describe_costs(cluster, drawn, prices)
    if output is None:
        say(message, quiet=quiet)
    else:
        say_wrote(output, message, quiet=quiet)


def _require_drawable(
    source: "_Source", topics: int, strata: int, clusters: list[str], prices: "_Prices"
) -> None:
    """Raise IrmetaError where this many topics cannot be drawn from a source, or it lacks what options need."""
    if topics > len(source.topics):
        raise IrmetaError(
            f"cannot draw {topics} topics from {len(source.topics)}; lower --topics"
        )
    if strata > 1 and source.scores is None:
        raise IrmetaError(
            "--strata needs the machine's scores; give a score file, as irmeta evaluate writes it"
        )
    whole = source.clusters is not None
    if strata > min(topics, len(clusters)):
        origin = f"from {counted(len(clusters), 'cluster')} in" if whole else "from"
        raise IrmetaError(
            f"cannot draw {topics} topics {origin} {strata} strata with at least one from each; "
            "lower --strata"
        )
    if len(clusters) < 2:
        raise IrmetaError(
            f"all topics are of one cluster, {clusters[0]}; a draw needs 2"
        )
    if prices.judgment and source.judgments is None:
        raise IrmetaError(
            "--judgment-cost counts judged documents; give judgments (qrels), not scores"
        )
    if prices.cluster and not whole:
        raise IrmetaError("clusters have a cost, but none are named (--clusters)")


class _Prices(NamedTuple):
    """What a topic costs, a judged document, and a cluster beside its topics."""

    topic: float
    judgment: float
    cluster: float

    def cost(self, topics: float, judgments: float, clusters: float) -> float:
        """Return what these cost together."""
        return topics * self.topic + judgments * self.judgment + clusters * self.cluster


class _Source(NamedTuple):
    """What topics are drawn from.

    scores : the machine's by one metric, (system, topic).  judgments : (topic,), how many documents were judged.
    """

    topics: list[str]
    clusters: list[str] | None
    scores: "Floats | None" = None
    metric: str = ""
    judgments: "Ints | None" = None

    def places_of(self, judged: Path, topics: int, strata: int) -> "Ints":
        """Return which topics were judged already; raise IrmetaError where a draw of `topics` cannot keep these."""
        import numpy as np

        if strata > 1 or self.clusters is not None:
            raise IrmetaError(
                "--judged keeps topics drawn one by one from all alike; leave out strata and clusters"
            )
        names = _read_source(str(judged), None, None).topics
        if strange := [name for name in names if name not in self.topics]:
            raise IrmetaError(
                f"{judged}: its topic {strange[0]} is not among those to draw from"
            )
        if len(names) >= topics:
            raise IrmetaError(
                f"{judged}: {counted(len(names), 'topic')} judged already; --topics counts these, too: raise it"
            )
        return np.array([self.topics.index(name) for name in names])

    def describe_draw(self, cluster: "Ints", drawn: "Ints") -> str:
        """Say which clusters are in a draw, what it estimates, and what its topics are worth."""
        from irmeta.scores.groups.clusters import few_clusters_clause, number_names

        names, cluster_drawn = number_names([str(number) for number in cluster[drawn]])
        total = counted(int(cluster.max()) + 1, "cluster")
        text = (
            f". They are all topics of {len(names)} of {total}; estimates (judges estimate --clusters) are of means "
            f"over topics.{few_clusters_clause(cluster_drawn)}"
        )
        worths = self._worth(cluster, drawn)
        if worths is None:
            return text
        mean, difference = worths
        return (
            f"{text} By the machine's {self.metric} they are worth {mean:.0f} topics drawn one by one for a mean, "
            f"{difference:.0f} for a difference of two."
        )

    def _worth(self, cluster: "Ints", drawn: "Ints") -> tuple[float, float] | None:
        """Return how many topics drawn one by one are worth as much for a mean, and for a difference, if known."""
        from irmeta.scores.groups.clusters import independent_topics

        if self.scores is None or not (
            worths := independent_topics(self.scores, cluster)
        ):
            return None
        mean, difference = worths
        share = len(drawn) / len(cluster)
        return share * mean, share * difference

    def describe_costs(self, cluster: "Ints", drawn: "Ints", prices: _Prices) -> str:
        """Say what a draw costs, and what as good a one of single topics does."""
        import numpy as np

        from irmeta.stats.judging.planning import clusters_among

        clusters = len(np.unique(cluster[drawn]))
        judged = 0 if self.judgments is None else int(self.judgments[drawn].sum())
        counts = (len(drawn), judged, clusters)
        parts = [
            f"{counted(count, noun)} at {price:g}"
            for count, noun, price in zip(
                counts, ("topic", "judgment", "cluster"), prices, strict=True
            )
            if price
        ]
        text = f" It costs {prices.cost(*counts):g}: {', '.join(parts)}."
        worths = self._worth(cluster, drawn) if self.clusters else None
        if worths is None:
            return text if self.clusters else f".{text}"
        # as many single topics as show a difference as well, and the clusters that they are of on average
        topics = min(max(2, round(worths[1])), len(cluster))
        clusters_of_topics = clusters_among(topics, cluster)
        cost = prices.cost(topics, 0, clusters_of_topics)
        return (
            f"{text} Topics drawn one by one, {topics} for as good a difference, cost {cost:.0f} "
            f"on average, since they are of {clusters_of_topics:.0f} clusters."
        )


def _read_source(file: str, collection: str | None, clusters: str | None) -> _Source:
    """Return the topics of judgments, or of a score file, with their clusters where these are named."""
    import numpy as np

    from irmeta.io.groups import clusters_or_stem
    from irmeta.scores.groups.clusters import cluster_map, clusters_of

    named = None if clusters is None else clusters_or_stem(clusters)
    if file.endswith(".parquet"):
        from irmeta.io.formats.scores import load

        cube = load(file, collection)
        names = [str(name) for name in cube.topic.values]
        named = named or cluster_map(cube)
        own = clusters_of(names, named) if named else None
        return _Source(names, own, cube.values[..., 0], str(cube.metric.values[0]))
    from irmeta.evaluation.sources import qrels_of
    from irmeta.io.runs.trec import Reading
    from irmeta.scores.names import labels

    if collection is not None:
        raise IrmetaError(
            f"{file}: not a score file, so it has no collections; leave out --collection"
        )
    qrels = qrels_of(file, Reading())
    names = labels(qrels.topics)
    own = clusters_of(names, named) if named else None
    judgments = np.bincount(qrels.topic, minlength=len(names))
    return _Source(names, own, judgments=judgments)
