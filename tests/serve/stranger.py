"""An attacker written from the published rules alone, by who had not read the code."""

from math import exp, fsum


def walk(ask, lists, *, teams, runs, rng, rate=1.0):
    """Learn a weight of each document from the answers to runs of TEAMS teams.

    A team begins with a run of nothing good. Each next run puts one document on top
    of some topics of the run shown last, so that the paired difference is that of
    these documents alone. As many topics change as make about half of the runs pass:
    one more after a failure, one less after a success, never fewer than the four that
    can reach two standard errors. Weights are multiplied by what a rise says.

    ask(team, run) answers a run, topic -> documents, with a figure or None.
    lists are the documents to try, topic -> documents.
    """
    weights = {topic: dict.fromkeys(docs, 0.0) for topic, docs in lists.items()}
    rises = []
    for team in range(teams):
        held = {topic: [docs[-1]] for topic, docs in lists.items()}
        last = ask(team, held) or 0.0
        width = len(lists) // 2
        for _ in range(runs - 1):
            chosen = {t: drawn(weights[t], rng) for t in some(lists, width, rng)}
            tried = held | {t: [d, *without(held[t], d)] for t, d in chosen.items()}
            figure = ask(team, tried)
            rise = (figure or 0.0) - last
            rises.append(rise)
            learn(weights, chosen, surprise(rise, rises) * rate)
            if rise > 0:
                held, last = tried, figure
            width = min(max(width + (-1 if rise > 0 else 1), 4), len(lists))
    return weights


def some(lists, width, rng):
    """WIDTH topics at random."""
    return [list(lists)[i] for i in rng.choice(len(lists), width, replace=False)]


def drawn(weights, rng):
    """One document, by its weight."""
    shares = [exp(w) for w in weights.values()]
    total = fsum(shares)
    return list(weights)[rng.choice(len(shares), p=[s / total for s in shares])]


def without(docs, dropped):
    """The documents but one."""
    return [doc for doc in docs if doc != dropped]


def surprise(rise, rises):
    """How much more a run rose than runs do, of the largest change: -1 to 1 or so."""
    largest = max(abs(r) for r in rises)
    return (rise - fsum(rises) / len(rises)) / largest if largest else 0.0


def learn(weights, chosen, gain):
    """Multiply the weights of the documents that were tried."""
    for topic, doc in chosen.items():
        weights[topic][doc] += gain


def best(weights):
    """The run that the attacker would hand in: documents by weight, then as they were."""
    return {t: sorted(docs, key=lambda d: -docs[d]) for t, docs in weights.items()}


def liked(weights):
    """The documents that the attacker says are relevant, and all that it tried."""
    tried = {(t, d): w for t, docs in weights.items() for d, w in docs.items() if w}
    return {pair for pair, weight in tried.items() if weight > 0}, set(tried)
