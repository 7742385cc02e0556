"""What teams can do with the answers to their runs: read judgments from scores, climb, vote, and walk."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from irmeta.stats.arrays import Bools, Floats, Indices, Ints
from irmeta.studies.leaderboard.leak.board import NONE, Board
from irmeta.studies.leaderboard.leak.codebook import Codebook

AT_ONCE = (1, 4, 10, 1000)
"""Topics that a climber changes in a run."""
RANKS = (0, 4, 9)
"""Where it puts another document."""
NARROWEST = 4
"""Topics that a walker changes at least: fewer reach no two standard errors."""
VOTED = 20
"""First documents that are voted on."""


class Loot(NamedTuple):
    """What an attack got.

    claims : 1 where it holds a document for relevant, 0 for not, NONE where it does not know: (topic, candidate).
    known : the judgments claimed after each run. orders : the run that it would submit at the end.
    """

    claims: Ints
    known: Ints
    orders: Indices


def decode(board: Board, start: Indices, _: np.random.Generator) -> Loot:
    """Ask about a few documents in each run, and read their grades from its score.

    start : the candidates in the attacker's order, NONE behind them: (topic, rank).
    """
    # a mean of n topics shows a topic's score n times less exactly
    spread = 1 if board.by_topic else board.visible.size
    resolution = 10.0**-board.rules.decimals * spread
    book = Codebook.of(board.metric, board.qrels.grades.tolist(), resolution)
    ideals = np.full((len(start), len(book.ideals)), 1 / len(book.ideals))
    asked: list[tuple[int, Indices, float, int]] = []
    for topics, places in _questions(board, start, book.size):
        orders = np.full_like(start[:, : book.size], NONE)
        part = start[topics, places.start : places.stop]
        orders[topics, : part.shape[1]] = part
        answer = board.submit(orders)
        if answer.figure is None:
            break
        values = answer.topics if board.by_topic else np.array([answer.figure * spread])
        for topic, documents, value in zip(topics, part, values, strict=True):
            asked.append((int(topic), documents, float(value), board.runs))
            reading = book.read(float(value), ideals[topic])
            if reading is not None:
                ideals[topic] = reading.ideals
    levels = np.full(start.shape, NONE)
    read_in = np.zeros(start.shape, dtype=np.int64)  # the number of the run
    # again, by all that is known of each topic's ideal list
    for topic, documents, value, number in asked:
        reading = book.read(value, ideals[topic])
        there = documents != NONE
        if reading is not None:
            levels[topic, documents[there]] = reading.levels[: documents.size][there]
            read_in[topic, documents[there]] = number
    claims = np.minimum(levels, 1)
    runs = np.arange(1, board.runs + 1)
    known = (read_in[claims != NONE] <= runs[:, None]).sum(axis=1)
    return Loot(claims, known, best_first(start, levels))


def _questions(
    board: Board, start: Indices, size: int
) -> Iterator[tuple[Indices, range]]:
    """Yield the topics and the ranks of the attacker's list to ask about, as long as runs are left."""
    if not size:
        return
    # a mean tells of one topic at a time
    together = [board.visible] if board.by_topic else board.visible[:, None]
    for first in range(0, start.shape[1], size):
        for topics in together:
            if not board.left:
                return
            yield topics, range(first, min(first + size, start.shape[1]))


def best_first(start: Indices, levels: Ints) -> Indices:
    """Order each topic's candidates by their level: relevant ones, then those that nobody knows, then others."""
    there = start != NONE
    own = np.take_along_axis(levels, np.where(there, start, 0), axis=1)
    worth = np.where(own == NONE, 0.5, own.astype(np.float64))
    order = np.argsort(np.where(there, -worth, np.inf), axis=1, kind="stable")
    return np.take_along_axis(start, order, axis=1)


def climb(board: Board, start: Indices, rng: np.random.Generator) -> Loot:
    """Change a run at random, and keep what the answer says is better."""
    best, shown, by_topic = start, -np.inf, np.full(board.visible.size, -np.inf)
    claims = np.full(start.shape, NONE)
    while board.left:
        fresh = board.runs % board.rules.submissions == 0
        if fresh:
            # a team begins with the best run of the one before
            tried, moved = best, np.zeros(start.shape, dtype=np.bool_)
        else:
            tried, moved = _move_up(best, board.visible, rng)
        answer = board.submit(tried)
        if answer.figure is None:
            break
        if board.by_topic:
            better = board.visible[answer.topics > by_topic]
            by_topic = np.maximum(by_topic, answer.topics)
        else:
            better = board.visible if answer.figure > shown else board.visible[:0]
            shown = answer.figure if fresh else max(shown, answer.figure)
        best = best.copy()
        best[better] = tried[better]
        kept = np.zeros_like(moved)
        kept[better] = moved[better]
        claims[kept] = 1
    return Loot(claims, _claims_at_end(claims, board), best)


def _move_up(
    orders: Indices, topics: Indices, rng: np.random.Generator
) -> tuple[Indices, Bools]:
    """Return lists with a document moved up in those of some topics, and which moved, (topic, candidate)."""
    tried, moved = orders.copy(), np.zeros(orders.shape, dtype=np.bool_)
    number = min(int(rng.choice(AT_ONCE)), topics.size)
    rank = int(rng.choice(RANKS))
    for topic in rng.choice(topics, number, replace=False):
        length = int((orders[topic] != NONE).sum())
        if length <= rank + 1:
            continue
        place = int(rng.integers(rank + 1, length))
        document = orders[topic, place]
        rest = np.delete(orders[topic], place)
        tried[topic] = np.insert(rest, rank, document)
        moved[topic, document] = True
    return tried, moved


def vote(board: Board, start: Indices, rng: np.random.Generator) -> Loot:
    """Put a random half of each list's first documents on top; documents of runs with good answers are elected."""
    first = start[:, :VOTED]
    tops: list[Bools] = []
    answers: list[Floats] = []
    while board.left:
        keys = rng.random(first.shape)
        keys[first == NONE] = 2
        order = np.argsort(keys, axis=1)
        answer = board.submit(np.take_along_axis(first, order, axis=1))
        if answer.figure is None:
            break
        tops.append(np.argsort(order, axis=1) < first.shape[1] / 2)
        value = np.full(len(start), answer.figure)
        if board.by_topic:
            value[board.visible] = answer.topics
        answers.append(value)
    if not answers:
        return _claim_elected(board, start, np.zeros(first.shape))
    values = np.array(answers) - np.mean(answers, axis=0)
    # how much better runs answer that have a document on top: (topic, rank)
    votes = np.einsum("rt,rtd->td", values, np.array(tops) - 0.5)
    votes[np.setdiff1d(np.arange(len(start)), board.visible)] = 0
    return _claim_elected(board, start, votes)


def walk(board: Board, start: Indices, rng: np.random.Generator) -> Loot:
    """Put a document on top of some topics of the run shown last; move the weights of documents by how much it rose.

    A team begins with a run of nothing, from which the first steps cost least. As many topics change as make half of
    the runs rise, but after a team's first step `NARROWEST` at least.
    """
    log_weights = np.zeros(start.shape)
    seen, rises = board.visible, [0.0]
    held, last, width = start, 0.0, seen.size
    while board.left:
        fresh = board.runs % board.rules.submissions == 0
        topics = rng.choice(seen, width, replace=False)
        noise = rng.gumbel(size=(width, start.shape[1]))
        noise[start[topics] == NONE] = -np.inf
        # one of each topic, in proportion to its weight: log weight and Gumbel noise are then largest
        ranks = np.argmax(log_weights[topics] + noise, axis=1)
        tried = (
            _empty_run(start)
            if fresh
            else _put_on_top(held, topics, start[topics, ranks])
        )
        answer = board.submit(tried)
        if answer.figure is None:
            break
        if fresh:
            held, last, width = tried, answer.figure, max(seen.size // 2, 1)
            continue
        rise = answer.figure - last
        rises.append(rise)
        surprise = (rise - np.mean(rises)) / (np.max(np.abs(rises)) or 1)
        log_weights[topics, ranks] += surprise
        if rise > 0:
            held, last = tried, answer.figure
        width += -1 if rise > 0 else 1
        width = min(max(width, NARROWEST), seen.size)
    return _claim_elected(board, start, log_weights)


def _empty_run(start: Indices) -> Indices:
    """Return a run that has the last document of each list alone."""
    orders = np.full_like(start, NONE)
    last = (start != NONE).sum(axis=1, keepdims=True) - 1
    orders[:, 0] = np.take_along_axis(start, np.maximum(last, 0), axis=1)[:, 0]
    return orders


def _put_on_top(orders: Indices, topics: Indices, documents: Indices) -> Indices:
    """Put a document on top of the lists of some topics."""
    tried = orders.copy()
    for topic, document in zip(topics, documents, strict=True):
        rest = orders[topic][orders[topic] != document]
        tried[topic] = np.r_[document, rest][: orders.shape[1]]
    return tried


def _claim_elected(board: Board, start: Indices, votes: Floats) -> Loot:
    """Claim documents by the votes for them, and put those first. votes : (topic, rank) of the first ranks."""
    depth = votes.shape[1]
    first = start[:, :depth]
    there = first != NONE
    # a document of which the votes say nothing is not claimed
    topic, rank = np.nonzero(there & (np.abs(votes) > 1e-12))
    claims = np.full(start.shape, NONE)
    claims[topic, first[topic, rank]] = votes[topic, rank] > 0
    # the most votes first, the ends of lists last
    fewest = np.where(there, -votes, np.inf)
    order = np.argsort(fewest, axis=1, kind="stable")
    orders = start.copy()
    orders[:, :depth] = np.take_along_axis(first, order, axis=1)
    return Loot(claims, _claims_at_end(claims, board), orders)


def _claims_at_end(claims: Ints, board: Board) -> Ints:
    """Count what is claimed by attacks that know nothing before their last run."""
    known = np.zeros(board.runs, dtype=np.int64)
    known[-1:] = (claims != NONE).sum()
    return known


ATTACKS = {"decode": decode, "climb": climb, "vote": vote, "walk": walk}
"""The attacks by name."""
