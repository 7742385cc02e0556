"""A board with hidden judgments, as its attackers meet it: they send lists, and get what its rules show."""

from dataclasses import dataclass, field

import numpy as np

from irmeta.choices import Feedback, ShownBy
from irmeta.evaluation.grades.core import JudgedRun
from irmeta.evaluation.grades.judged import GradeArray
from irmeta.evaluation.grades.scoring import scores
from irmeta.io.runs.rankings import Qrels
from irmeta.metrics.names import Metric
from irmeta.stats.arrays import Floats, Indices
from irmeta.stats.hidden.release import Answer, release

NONE = -1
"""No document at this rank; no judgment of this document."""


@dataclass(frozen=True)
class Rules:
    """What a board shows of each run before the reveal.

    feedback, step : as in `release`; show, decimals : of an open board, whether scores by topic or their mean, and how
    exactly. submissions : of each of some teams, which work together. feedback_topics : those of a split.
    begins : the scores of the run that a ladder begins at, if there is one.
    """

    feedback: Feedback = "open"
    show: ShownBy = "mean"
    decimals: int = 4
    submissions: int = 1
    teams: int = 1
    step: float = 0.05
    feedback_topics: Indices = field(default_factory=lambda: np.arange(0))
    begins: tuple[Floats, ...] = ()


@dataclass
class Board:
    """A metric of hidden judgments, what its rules allow, and the runs that came.

    metric : the one that is attacked; first : the one that ranks.
    candidates : documents that an attacker looks at, as places among the judgments or NONE: (topic, candidate).
    """

    qrels: Qrels
    metric: Metric
    first: Metric
    candidates: Indices
    rules: Rules
    array: GradeArray = field(init=False)
    runs: int = 0
    _told: list[Floats] = field(default_factory=list)
    _figure: float | None = None

    def __post_init__(self) -> None:
        self.array = GradeArray(self.qrels)

    @property
    def left(self) -> int:
        """How many runs may still come, of all teams."""
        return self.rules.submissions * self.rules.teams - self.runs

    @property
    def by_topic(self) -> bool:
        """Whether answers have scores by topic."""
        rules = self.rules
        return rules.feedback == "split" or (
            rules.feedback == "open" and rules.show == "topics"
        )

    @property
    def visible(self) -> Indices:
        """The topics that answers can depend on."""
        if self.rules.feedback == "split":
            return self.rules.feedback_topics
        return np.arange(len(self.candidates))

    @property
    def counting(self) -> Indices:
        """The topics that count at the end."""
        every = np.arange(len(self.candidates))
        if self.rules.feedback == "split":
            return np.setdiff1d(every, self.rules.feedback_topics)
        return every

    def score(self, orders: Indices, metric: Metric | None = None) -> Floats:
        """Score a run by topic, by default by the metric attacked.

        orders : places among the candidates, or NONE: (topic, rank).
        """
        run = lists(self.candidates, orders)
        asked = [self.metric if metric is None else metric]
        return scores(self.array, [run], asked, {None: None})[0, :, 0]

    def submit(self, orders: Indices) -> Answer:
        """Take a run, places among the candidates, and answer as the rules say; the teams come one after the other."""
        rules = self.rules
        if self.runs % rules.submissions == 0:
            self._told, self._figure = list(rules.begins), 0.0
        self.runs += 1
        found = self.score(orders)
        answer = release(
            rules.feedback,
            self._told,
            found,
            step=rules.step,
            topics=rules.feedback_topics,
        )
        # of a ladder only the runs that were shown matter for what comes
        if answer.figure != self._figure:
            self._told.append(found)
            self._figure = answer.figure
        if rules.feedback == "ladder" or answer.figure is None:
            return answer
        topics = np.round(answer.topics, rules.decimals)
        figure = round(answer.figure, rules.decimals)
        return Answer(figure, topics if self.by_topic else topics[:0])


def lists(candidates: Indices, orders: Indices) -> JudgedRun:
    """Return a run of these lists. orders : places among each topic's candidates, or NONE behind them."""
    there = orders != NONE
    judgment = np.where(there, np.take_along_axis(candidates, orders, axis=1), NONE)
    topic, rank = np.nonzero(there & (judgment != NONE))
    return JudgedRun(
        name="",
        topic=topic,
        rank=rank,
        judgment=judgment[topic, rank],
        retrieved=there.sum(axis=1),
        topics=frozenset(),
        other_topics=0,
        disagreeing=0,
        constant=0,
        order="",
    )
