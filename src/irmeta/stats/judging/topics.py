"""Agreement on single topics, beside what the noise of one topic lets one expect."""

from dataclasses import dataclass

from irmeta.stats.arrays import Floats, settled
from irmeta.stats.rankings.rank import tau_b


@dataclass(frozen=True)
class TopicTaus:
    """Tau-b on each topic, NaN where one side ties all systems.

    tau : (judge, topic), judge and truth on the same topic.
    own : (topic,), the truth on this topic with the truth's means over all others: how far one topic tells anything.
    rest : (judge, topic), the judge on this topic with the truth's means over all others.
    """

    tau: Floats
    own: Floats
    rest: Floats


def topic_taus(scores: Floats) -> TopicTaus:
    """Correlate rankings of systems on single topics: scores of (set, system, topic), the truth first."""
    by_topic = settled(scores.transpose(2, 0, 1))  # (topic, set, system)
    topics = by_topic.shape[0]
    truth = by_topic[:, 0]
    # the truth's mean over all other topics: (topic, 1, system)
    rest = truth.sum(axis=0) - truth
    others = settled(rest / (topics - 1))[:, None]
    # the truth with each judge, (topic, 1, judge), and the others' mean with every set, (topic, 1, set)
    same_topic = tau_b(by_topic[:, :1], by_topic[:, 1:])
    with_others = tau_b(others, by_topic)
    own = with_others[:, 0, 0]
    return TopicTaus(same_topic[:, 0].T, own, with_others[:, 0, 1:].T)
