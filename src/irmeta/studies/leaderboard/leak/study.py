"""How many hidden judgments a board gives away: its rules are attacked on judgments that one has, or on drawn ones."""

from collections.abc import Iterable
from typing import Annotated, Any, NamedTuple, get_args

import numpy as np
import xarray as xr

from irmeta.choices import Feedback, ShownBy
from irmeta.errors import MetricError, ScoresError, require_least, require_share
from irmeta.evaluation import left_out
from irmeta.evaluation.engine import evaluate_run
from irmeta.evaluation.sources import QrelsLike, RunsLike, qrels_of
from irmeta.io.runs.rankings import Qrels, qrels_from_mapping
from irmeta.io.runs.trec import Reading
from irmeta.metrics.names import Metric, parse_list
from irmeta.metrics.values import geometric
from irmeta.parallel import seeded, steps
from irmeta.scores.notes import Act
from irmeta.scores.result import result
from irmeta.stats.arrays import Floats, Indices
from irmeta.stats.hidden.claims import Known, known
from irmeta.stats.hidden.release import LEAST_STEP, bits, require_step
from irmeta.studies.door import Given, study
from irmeta.studies.leaderboard.leak.attacks import ATTACKS, Loot
from irmeta.studies.leaderboard.leak.board import NONE, Board, Rules
from irmeta.words import counted

MOST = 2000
"""Runs of all teams that are tried; more only give away more."""
DEPTH = 100
"""First documents of a run that its team asks about."""
LACKING = "a run needs the judgments that it is scored by (--qrels)"
RELEVANT = 0.3
"""Share of relevant documents among judgments that are drawn."""


@study
def leak(
    qrels: Annotated[QrelsLike | None, Given("FILE")] = None,
    *,
    metrics: str | Iterable[str] = "nDCG@10",
    feedback: Feedback = "open",
    show: ShownBy = "mean",
    decimals: int = 4,
    submissions: int = 90,
    together: int = 1,
    step: float = 0.05,
    share: float = 1 / 3,
    topics: int = 50,
    judged: int = 50,
    run: Annotated[RunsLike | None, Given("FILE")] = None,
    baseline: Annotated[RunsLike | None, Given("FILE")] = None,
    reading: Reading | None = None,
    rng: int | np.random.Generator = 0,
) -> xr.Dataset:
    """Find out how many hidden judgments the rules of a board give away: by attacks on it, and at most.

    qrels : judgments to try it on; they are not sent anywhere. By default some are drawn, by --topics and --judged
    metrics : the metrics that the board shows, the one that ranks first; of feedback other than "open" that alone
    feedback : what teams learn of their runs before the judgments are revealed
    show : what an open board shows of each run
    decimals : of the scores shown, 0 to 17; 17 is full precision
    submissions : runs that a team may send before the reveal; by default 90, three a day for a month
    together : teams that work together, each with its own submissions
    step : of a ladder, what its figures are multiples of
    share : of a split, the share of topics that are shown and do not count at the end; by default a third
    topics : of judgments that are drawn
    judged : judged documents of each topic of judgments that are drawn
    run : a run that the attacker has, which it tries to improve; by default it begins with the judged documents in
        random order
    baseline : a run that a ladder begins at: what is not clearly better is not shown; by default it begins at nothing
    reading : what to accept in files beyond their format, as in `irmeta.evaluate`
    rng : random seed of the attacks

    Returns over (metric, attack): runs sent, judgments claimed, right, the share that guesses have right, p of
    guessing as well, bits; the first metric of the attacker's run before and after. Over (metric, submission):
    judgments that decoding has claimed. Over (rules): bits that a team, and all teams, can learn at most. Topics that
    do not count at the end, as those shown of a split, are in none of these.
    Raises ScoresError where the rules cannot be, and MetricError for metrics that depend on other runs.
    Sources: Blum and Hardt (ICML 2015) for ladders and votes; Whitehill (2018) for reading labels from scores.

    >>> outcome = leak(metrics="RBP(p=0.5, rel=1)", show="topics", decimals=17, submissions=1, topics=4)
    >>> int(outcome["right"].sel(attack="decode").item()), int(outcome["judged"])
    (200, 200)
    """
    require_least(submissions=(submissions, 1), together=(together, 1))
    require_least(topics=(topics, 2), judged=(judged, 1))
    require_share("the share of topics to show", share, 0.33)
    random, _ = seeded(rng)
    wanted = _wanted(metrics, feedback)
    hidden, candidates, start = _world(qrels, run, topics, judged, random, reading)
    if not (hidden.grades > 0).any():
        raise ScoresError("no judged document is relevant: there is nothing to hide")
    count = len(hidden.topics)
    require_least(step=(step, 0))
    if feedback == "ladder":
        require_step(step, count)
    tried = min(submissions, max(1, MOST // together))
    shown = np.sort(random.permutation(count)[: max(1, round(share * count))])
    begins = _baseline_scores(qrels, baseline, wanted[0], hidden, reading)
    rules = Rules(feedback, show, decimals, tried, together, step, shown, begins)
    outcomes = {}
    for place, metric in enumerate(wanted):
        for name in steps(ATTACKS, "attacks"):
            board = Board(hidden, metric, wanted[0], candidates, rules)
            outcomes[place, name] = _attack(name, board, start, random)
    data = _figures(wanted, outcomes, tried * together)
    figures = len(wanted)  # of an answer
    if show == "topics":
        figures *= count
    data |= _bits_by_rules(submissions, together, step, figures, decimals, count)
    data |= _count_judgments(Board(hidden, wanted[0], wanted[0], candidates, rules))
    options = {
        "topics": count,
        "collection": hidden.name if qrels is not None else "",
        "given": qrels is not None,
    }
    notes = _notes(feedback, fewer=tried < submissions, drawn=qrels is None)
    made = result("leak", data, inputs={}, options=options, notes=notes)
    return made.assign_coords(
        metric=[str(metric) for metric in wanted],
        attack=list(ATTACKS),
        rules=list(get_args(Feedback)),
        submission=np.arange(1, made.sizes["submission"] + 1),
    )


def _wanted(metrics: str | Iterable[str], feedback: Feedback) -> list[Metric]:
    """Parse the metrics; those that need other runs are refused, and all but the first where only that is shown."""
    wanted = parse_list(metrics)
    logs = geometric(str(metric) for metric in wanted)
    if logs:
        raise MetricError(f"{logs[0]} has a geometric mean over topics; leave it out")
    for metric in wanted:
        if metric["pool"]:
            raise MetricError(
                f"{metric}: depends on other runs; choose other --metrics"
            )
    return wanted if feedback == "open" else wanted[:1]


class _World(NamedTuple):
    """Hidden judgments, and what an attacker begins with.

    candidates : the documents that it looks at, as places among the judgments or NONE: (topic, candidate).
    start : its first run, as places among the candidates, NONE behind them: (topic, rank).
    """

    hidden: Qrels
    candidates: Indices
    start: Indices


def _world(
    qrels: QrelsLike | None,
    run: RunsLike | None,
    topics: int,
    judged: int,
    rng: np.random.Generator,
    reading: Reading | None,
) -> _World:
    """Return judgments, given or drawn, with their documents in random order, or with the lists of a run."""
    if run is not None:
        if qrels is None:
            raise ScoresError(LACKING)
        return _of_run(qrels, run, reading)
    if qrels is None:
        grades = (rng.random((topics, judged)) < RELEVANT).astype(int).tolist()
        names = [f"d{place}" for place in range(judged)]
        hidden = qrels_from_mapping(
            {
                str(topic): dict(zip(names, row, strict=True))
                for topic, row in enumerate(grades, 1)
            }
        )
    else:
        hidden = qrels_of(qrels, reading or Reading())
    own = [np.flatnonzero(hidden.topic == topic) for topic in range(len(hidden.topics))]
    longest = max(rows.size for rows in own)
    candidates = np.full((len(own), longest), NONE)
    start = candidates.copy()
    for topic, rows in enumerate(own):
        candidates[topic, : rows.size] = rows
        start[topic, : rows.size] = rng.permutation(rows.size)
    return _World(hidden, candidates, start)


def _baseline_scores(
    qrels: QrelsLike | None,
    baseline: RunsLike | None,
    metric: Metric,
    hidden: Qrels,
    reading: Reading | None,
) -> tuple[Floats, ...]:
    """Return the scores by topic of the run that a ladder begins at, if there is one."""
    if baseline is None:
        return ()
    if qrels is None:
        raise ScoresError(LACKING)
    scores = evaluate_run(qrels, baseline, str(metric), reading=reading)
    return (scores.sel(topic=list(hidden.topics)).values.ravel(),)


def _of_run(qrels: QrelsLike, run: RunsLike, reading: Reading | None) -> _World:
    """Return judgments with the first documents of a run's lists, in their order."""
    looked = left_out.look_up(qrels, run, "P@1", reading)
    if len(looked.runs) != 1:
        raise ScoresError(f"--run takes one run, not {len(looked.runs)}")
    [found] = looked.runs
    length = np.minimum(found.retrieved, DEPTH)
    places = np.tile(np.arange(DEPTH), (len(length), 1))
    start = np.where(places < length[:, None], places, NONE)
    candidates = np.full(start.shape, NONE)
    first = found.rank < DEPTH
    candidates[found.topic[first], found.rank[first]] = found.judgment[first]
    return _World(looked.task.judgments.qrels, candidates, start)


def _attack(
    name: str, board: Board, start: Indices, rng: np.random.Generator
) -> dict[str, Any]:
    """Attack a board, and compare what is claimed with its judgments."""
    loot = ATTACKS[name](board, start, rng)
    counting = board.counting
    worth = _claims_against_truth(board, loot)
    before, after = (
        board.score(orders, board.first)[counting].mean()
        for orders in (start, loot.orders)
    )
    return {
        "sent": board.runs,
        **worth._asdict(),
        "before": before,
        "after": after,
        "known": loot.known,
    }


def _claims_against_truth(board: Board, loot: Loot) -> Known:
    """Compare the claims on judged documents of topics that count with the truth, by what the metric calls relevant."""
    rel = board.metric.get("rel")
    least = np.nextafter(0, 1)  # a grade above 0
    if isinstance(rel, int | float) and rel > 0:
        least = float(rel)
    claims, rows = loot.claims[board.counting], board.candidates[board.counting]
    made = (claims != NONE) & (rows != NONE)
    return known(claims[made] == 1, board.qrels.grades[rows[made]] >= least)


def _figures(
    wanted: list[Metric], outcomes: dict[tuple[int, str], dict[str, Any]], most: int
) -> dict[str, Any]:
    """Arrange what attacks got by metric and attack, and what decoding claimed after each run."""
    shape = (len(wanted), len(ATTACKS))
    columns = ("sent", *Known._fields, "before", "after")
    each = list(outcomes.values())
    data: dict[str, Any] = {
        name: (("metric", "attack"), np.reshape([one[name] for one in each], shape))
        for name in columns
    }
    curves = np.zeros((len(wanted), most), dtype=np.int64)
    for place, row in enumerate(curves):
        done = outcomes[place, "decode"]["known"]
        row[: done.size] = done
        row[done.size :] = done[-1] if done.size else 0
    data["known"] = (("metric", "submission"), curves)
    return data


def _count_judgments(board: Board) -> dict[str, int]:
    """Count the judgments of the topics that count, and those that the attackers ask about."""
    counting = np.isin(board.qrels.topic, board.counting)
    asked = board.candidates[board.counting] != NONE
    return {"judged": int(counting.sum()), "asked": int(asked.sum())}


def _bits_by_rules(
    submissions: int, teams: int, step: float, figures: int, decimals: int, topics: int
) -> dict[str, Any]:
    """Bound what every kind of rules gives away, in bits: a ladder that protects nothing has no figure.

    figures : that an answer has.  decimals : of each.
    """
    least = max(step, LEAST_STEP / topics)
    shown: dict[str, Any] = {"step": least, "figures": figures, "decimals": decimals}
    kinds = get_args(Feedback)
    team = [bits(kind, submissions, **shown) for kind in kinds]
    every = [bits(kind, submissions, teams=teams, **shown) for kind in kinds]
    return {"bits_team": ("rules", team), "bits_all": ("rules", every)}


def _notes(feedback: Feedback, *, fewer: bool, drawn: bool) -> list[str]:
    """Say what the figures rest on. fewer : fewer runs were tried than may come.  drawn : the judgments are drawn."""
    notes: list[str] = []
    if drawn:
        notes.append(
            Act(
                f"the judgments are drawn, {RELEVANT:.0%} of them relevant; name your own with --qrels"
            )
        )
    if fewer:
        notes.append(
            Act(f"only the first {counted(MOST, 'run')} of all teams were tried")
        )
    if feedback == "split":
        notes.append(
            "the judgments of the topics shown count as given away; draw those topics so that they say nothing of "
            "the others (no paraphrases)"
        )
    return notes
