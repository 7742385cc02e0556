"""Measures that ir_measures knows and we do not, where it is installed (the extra `ir-measures`)."""

import ast
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from irmeta.errors import MetricError, extras
from irmeta.io.runs.rankings import Qrels, Run
from irmeta.metrics.names import Metric, parse
from irmeta.metrics.signatures import CATALOGUE, GENERAL
from irmeta.stats.arrays import Floats

if TYPE_CHECKING:
    from ir_measures import Measure


def foreign_metric(name: str) -> Metric | None:
    """Return the metric that ir_measures knows by this name, ours if we have it; None if there is none.

    A measure that we have comes from ir_measures only for a parameter that ours lacks; a wrong value stays an error.
    """
    try:
        measure = _measure(name)
        theirs = str(measure)
    except (
        ImportError,
        ValueError,
        TypeError,
        SyntaxError,
        KeyError,
        AttributeError,
        AssertionError,
    ):
        return None
    try:
        return parse(theirs)
    except MetricError:
        ours = CATALOGUE.get(str(measure.NAME))
        wrong = ours is not None and set(measure.params) <= {
            *ours.params,
            *GENERAL,
            "cutoff",
        }
        if wrong:
            return None
        return Metric(theirs)


def _measure(name: str) -> "Measure":
    """Return the measure that ir_measures has by this name, as in BPM(T=5)@10; its own parser fails in Python 3.14."""
    from ir_measures.measures import registry

    call, _, cutoff = name.partition("@")
    node = ast.parse(call, mode="eval").body
    params = {}
    if isinstance(node, ast.Call):
        if node.args:
            raise ValueError(f"{name}: parameters are named")
        params = {str(one.arg): ast.literal_eval(one.value) for one in node.keywords}
        node = node.func
    if not isinstance(node, ast.Name):
        raise ValueError(f"{name} is no name of a measure")
    measure = registry[node.id]
    if cutoff:
        params[measure.AT_PARAM] = ast.literal_eval(cutoff)
    return measure(**params)


_ONE_AT_A_TIME = Lock()
"""The providers of ir_measures do not say that threads may share them."""


class IrMeasures:
    """Scores runs with ir_measures, one at a time; it costs nothing where no such metric is wanted."""

    def __init__(self, qrels: Qrels, metrics: Sequence[Metric]) -> None:
        self.metrics = list(metrics)
        self._topics = qrels.topics
        if not self.metrics:
            return
        with extras():  # a worker may lack it
            import ir_measures
        if (qrels.grades % 1 != 0).any():
            raise MetricError(
                f"{self.metrics[0]} needs whole grades, because ir_measures computes it"
            )
        judged = (
            ir_measures.Qrel(
                qrels.topics[topic], qrels.documents[row], int(qrels.grades[row])
            )
            for row, topic in enumerate(qrels.topic)
        )
        with self._refusals():
            self._evaluator = ir_measures.evaluator(
                [_measure(str(one)) for one in metrics], judged
            )

    def scores(self, run: Run) -> Floats:
        """Score one run: (topic, metric); a topic for which ir_measures gives no score has the score 0."""
        import ir_measures

        lists = (
            ir_measures.ScoredDoc(
                run.topics[topic], run.documents[row], float(run.scores[row])
            )
            for row, topic in enumerate(run.topic)
        )
        scores = np.zeros((len(self._topics), len(self.metrics)))
        place = {topic: index for index, topic in enumerate(self._topics)}
        column = {str(metric): index for index, metric in enumerate(self.metrics)}
        with _ONE_AT_A_TIME, self._refusals():
            for value in self._evaluator.iter_calc(lists):
                scores[place[value.query_id], column[str(value.measure)]] = value.value
        return scores

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        """Turn whatever ir_measures or one of its providers raises into a MetricError that names the metrics."""
        try:
            yield
        except Exception as error:  # each provider raises errors of its own
            names = ", ".join(str(metric) for metric in self.metrics)
            raise MetricError(
                f"ir_measures cannot compute {names} here: {error}"
            ) from error
