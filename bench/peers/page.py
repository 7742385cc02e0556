"""The part of docs/peers.md between the marks of a part: its table, and who is behind whom where."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path

import numpy as np

from bench.peers.measure import OURS, Held, Row, behind, pays
from bench.peers.worlds import Case
from irmeta.words import counted, listed

PAGE = Path("docs/peers.md")


def section(
    rows: Sequence[tuple[Case, Row]], size: str, drawn: str, known: Mapping[str, str]
) -> str:
    """Return the text of a part.

    rows : what was measured.  size : what sizes count.  drawn : draws, seed and commit in words.  known : versions.
    """
    peers = [name for name in rows[0][1] if name != OURS]
    versions = listed([f"{name} {known[name]}" for name in peers if name in known])
    lines = [
        f"Against {versions}; {drawn}." if versions else f"Alone; {drawn}.",
        "",
        *_table(rows, size, peers),
        "",
        *_said(rows, peers),
    ]
    return "\n".join(lines)


def _table(
    rows: Sequence[tuple[Case, Row]], size: str, peers: Sequence[str]
) -> Iterable[str]:
    yield f"| scores | {size} | irmeta | {' | '.join(peers)} | error |"
    yield "|---|---|---|" + "---|" * (len(peers) + 1)
    for case, row in rows:
        us = _held(row[OURS])
        cells = [_cell(us, row[name]) for name in peers]
        shown = [one for one in row.values() if one is not None]
        error = max(one.error for one in shown)
        own = f"{_share(us)}, {us.width.mean():.3f}"
        yield f"| {case.world} | {case.size} | {own} | {' | '.join(cells)} | {error:.3f} |"


def _held(one: Held | None) -> Held:
    assert one is not None
    return one


def _share(one: Held) -> str:
    return f"{one.kept.mean():.3f}"


def _cell(us: Held, peer: Held | None) -> str:
    """Return a peer's share and its width as a share of ours, bold where we are behind."""
    if peer is None:
        return "refuses"
    text = f"{_share(peer)}, {np.divide(peer.width.mean(), us.width.mean()):.2f}"
    return f"**{text}**" if behind(us, peer) else text


def _said(rows: Sequence[tuple[Case, Row]], peers: Sequence[str]) -> Iterable[str]:
    """Say how often we are behind a peer, and a peer behind us, and where we are behind."""
    for name in peers:
        both = [
            (case, _held(row[OURS]), peer)
            for case, row in rows
            if (peer := row[name]) is not None
        ]
        if not both:
            continue
        ours = [(case, behind(us, peer)) for case, us, peer in both]
        where = [one for one in ours if one[1]]
        theirs = sum(bool(behind(peer, us)) for _, us, peer in both)
        paid = sum(pays(us, peer) for _, us, peer in both)
        yield (
            f"- **{name}**, {counted(len(both), 'row')}: it is behind irmeta in {theirs}, irmeta is more than "
            f"1.05 times as wide and holds more often in {paid}, and irmeta is behind in {len(where)}{_named(where)}."
        )


def _named(where: Sequence[tuple[Case, str]]) -> str:
    """Name the rows in which we are behind: how, in which world, with which sizes."""
    if not where:
        return ""
    parts = []
    for how, of in groupby(sorted(where, key=lambda one: one[1]), lambda one: one[1]):
        worlds: dict[str, list[str]] = {}
        for case, _ in of:
            worlds.setdefault(case.world, []).append(case.size)
        named = "; ".join(f"{world} ({', '.join(n)})" for world, n in worlds.items())
        parts.append(f"{how} in {named}")
    return ": it " + ". It ".join(parts)


def write(part: str, text: str) -> None:
    """Write the text of a part between its marks."""
    begin, end = f"<!-- {part}: begin -->", f"<!-- {part}: end -->"
    before, rest = PAGE.read_text(encoding="utf-8").split(begin)
    _, after = rest.split(end)
    PAGE.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}", encoding="utf-8")
