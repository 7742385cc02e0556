"""Sentences of documentation and notes that tell ranges of the measured rows; `--write` writes their figures again."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from bench.coverage.worlds import TIES, UNTIED

ROOT = Path(__file__).parents[2]
DIFFER = (*UNTIED, *TIES)
"""Worlds in which systems, or groups of them, differ."""
TIED = "all tie.*"


@dataclass(frozen=True)
class Range:
    """The lowest and the highest share kept of some rows.

    of : the entries, world : worlds whose whole name matches this pattern, or their names.  topics : all by default.
    """

    of: str
    world: str | Sequence[str] = ".*"
    topics: Sequence[int] = ()

    def __call__(self, measured: pl.DataFrame) -> str:
        """Write it: 51 to 97%, or 51% where both are that; raise LookupError where there is no such row."""
        names = self.world
        pattern = names if isinstance(names, str) else "|".join(map(re.escape, names))
        kept = measured.filter(
            pl.col("of").str.contains(f"^(?:{self.of})$"),
            pl.col("world").str.contains(f"^(?:{pattern})$"),
            pl.col("topics").is_in(list(self.topics) or measured["topics"].unique()),
        )["kept"]
        if kept.is_empty():
            raise LookupError(f"no row of {self}")
        ends = dict.fromkeys(f"{100 * end:.0f}" for end in (kept.min(), kept.max()))
        return f"{' to '.join(ends)}%"


@dataclass(frozen=True)
class Missed(Range):
    """The same of the shares not kept."""

    def __call__(self, measured: pl.DataFrame) -> str:
        """Write it."""
        return super().__call__(measured.with_columns(kept=1 - pl.col("kept")))


@dataclass(frozen=True)
class Said:
    """A sentence of a file, with a brace for each range."""

    page: str
    text: str
    ranges: Sequence[Range]

    def found(self, text: str) -> re.Match[str]:
        """Find the sentence with any figures, wherever its lines end; raise ValueError where it is not."""
        words = (re.escape(word) for word in self.text.split())
        pattern = r"\s+".join(words).replace(r"\{\}", f"({FIGURES})")
        found = re.search(pattern, text)
        if found is None:
            raise ValueError(f"{self.page}: no sentence like {self.text!r}")
        return found

    def refilled(self, text: str, measured: pl.DataFrame) -> str:
        """Put the figures of the rows into the sentence of a text."""
        found = self.found(text)
        figures = (one(measured) for one in self.ranges)
        # from the last to the first: what stands before keeps its place
        for group, figure in reversed(list(enumerate(figures, 1))):
            text = text[: found.start(group)] + figure + text[found.end(group) :]
        return text


FIGURES = r"(?:[\d.]+\s+to\s+)?[\d.]+%"
"""What a range looks like."""
_AT_ONCE, _FROM = "all differences at once", "differences from a baseline at once"
_BY_T, _BY_MAX_T = f"{_AT_ONCE}, Bonferroni's t", f"{_AT_ONCE}, max-t"
_BEST = ", best 75%"
_UNTIED = DIFFER[:6]
_CORRELATED = "r over scores|rho over scores.*"
_MORE = (25, 50)
_SIX = (7, 10, 25, 50)
_ROBUST = "Robust.*"
_SHORT_OF_TOPICS = Range("tau with the true ranking.*", topics=(10, 25))
_BY_PRECISION = Range(
    "tau with the true ranking.*", "(|[26]0 systems )like TREC-8, P@10", (10, 25)
)


def _page(text: str, *ranges: Range) -> Said:
    return Said("docs/coverage.md", text, ranges)


SAID: Sequence[Said] = (
    _page(
        "simultaneous sets cover all ranks in {} of cubes, marginal ones each rank in {}. Where systems differ, both "
        "are safe, with {}:",
        Range("rank sets, simultaneous", TIED, _SIX),
        Range("rank sets, marginal", TIED, _SIX),
        Range("rank sets, (simultaneous|marginal)", DIFFER),
    ),
    _page(
        "as those of Web 2012, all ranks are inside in {}",
        Range("rank sets where shapes differ", topics=_SIX),
    ),
    _page(
        "covers all ranks in {} of cubes where all systems differ, and in {} where some or all tie",
        Range("overlap.*", _UNTIED),
        Range("overlap.*", "heavy ties.*|all tie.*"),
    ),
    _page(
        "by Student's t (Bonferroni) in {}, by max-t in {}; of the best 75% of the systems in {} and {}; by Tukey in "
        "{}, and in {} where all tie.",
        Range(_BY_T, DIFFER),
        Range(_BY_MAX_T, DIFFER),
        Range(_BY_T + _BEST, DIFFER),
        Range(_BY_MAX_T + _BEST, DIFFER),
        Range(f"{_AT_ONCE}, Tukey", DIFFER),
        Range(f"{_AT_ONCE}, Tukey", TIED),
    ),
    _page(
        "drawn from many, those of max-t hold in {}.",
        Range(f"{_BY_MAX_T}, few systems"),
    ),
    _page(
        "Differences from a baseline hold at once in {} (Bonferroni's t) and {} (Dunnett).",
        Range(f"{_FROM}, Bonferroni's t"),
        Range(f"{_FROM}, Dunnett"),
    ),
    _page("A difference by itself holds in {}.", Range("a difference by itself")),
    _page(
        "hold in {} with 5 topics, in {} with 10 and in {} with 50: scores",
        Range("t interval of a mean", topics=[5]),
        Range("t interval of a mean", topics=[10]),
        Range("t interval of a mean", topics=[50]),
    ),
    _page(
        "lies in its interval in {} of cubes of a world whose systems differ, and in {} where",
        Range("tau with the true ranking"),
        Range("tau with the true ranking, other systems"),
    ),
    _page(
        "hold in {} and {} for the systems at hand. Where systems are drawn, too, E rho² holds in {}, Phi in {}, with "
        "5 systems in {}. With teams that are named E rho² holds in {}, Phi in {}.",
        Range("E rho2"),
        Range("Phi"),
        Range("E rho2, other systems"),
        Range("Phi, other systems", "[26]0 systems.*"),
        Range("Phi, other systems", "5 systems.*"),
        Range("E rho2, teams left out"),
        Range("Phi, teams left out"),
    ),
    _page(
        "lies in its interval in {} of draws, and with 5 simulated systems in {}.",
        Range("tau of a design", _ROBUST),
        Range("tau of a design", "5 systems"),
    ),
    _page(
        "percentiles of `place` hold in {}, differences between collections in {} with and without teams. What a run "
        "that was not pooled loses lies in its 90% interval in {}. Old factors of 5 systems that have not aged seem to "
        "have in {}.",
        Range("percentile.*"),
        Range("difference across.*"),
        Range("loss of.*"),
        Range("old factors.*"),
    ),
    _page(
        "advantages hold in {}, correlations over scores in {}, of means in {}; those of true means in {} with 25 "
        "topics or more and in {} with 10",
        Range("advantage.*"),
        Range(_CORRELATED),
        Range(".* over means"),
        Range("r of true means", topics=_MORE),
        Range("r of true means", topics=[10]),
    ),
    _page(
        "lies in its 90% interval in {} (simulated collections), one of a leaderboard in {}.",
        Range("predicted score"),
        Range("predicted score of a leaderboard"),
    ),
    _page(
        "taus hold in {}, their differences in {}, gains in phi in {}, favours in {}; means "
        "and differences by few human topics and a machine in {} and {}.",
        Range("tau, .* judge"),
        Range("difference of tau.*"),
        Range("gain in phi.*"),
        Range("favour.*"),
        Range("mean by few.*"),
        Range("difference by few.*"),
    ),
    _page(
        "Kappas of labels hold in {} with 10 topics and in {} with 25 or 50, "
        "alphas in {} and {}, leniency in {} and {}.",
        *(
            Range(of, topics=topics)
            for of in ("kappas.*", "alphas.*", "leniency.*")
            for topics in ([10], _MORE)
        ),
    ),
    _page(
        "reject true hypotheses at 5% in {}. Any of all pairs is rejected wrongly by Holm's and Bonferroni's "
        "corrections in {} of cubes, by max-t in {}, by Dunnett's test in {}, and by randomised Tukey HSD in {}:",
        Range("(paired t|Wilcoxon|sign|permutation|bootstrap) test"),
        Range(".* test, (Holm|Bonferroni)"),
        Range("max-t test.*"),
        Range("Dunnett's test"),
        Range("randomised Tukey.*"),
    ),
    _page("Pairs that differ are called equivalent in {}.", Range("equivalence.*")),
    *(
        Said(
            "src/irmeta/studies/differences/significance/study.py",
            text,
            ranges,
        )
        for text, ranges in (
            (
                '"t": "{} (of the best three quarters of the systems, --top 0.75, in {})"',
                (Range(_BY_T, DIFFER), Range(_BY_T + _BEST, DIFFER)),
            ),
            (
                '"max-t": "{} (intervals of --test t are wider: {})"',
                (Range(_BY_MAX_T, DIFFER), Range(_BY_T, DIFFER)),
            ),
            (
                '"tukey": "{}, but in {} where all tie"',
                (
                    Range(f"{_AT_ONCE}, Tukey", DIFFER),
                    Range(f"{_AT_ONCE}, Tukey", TIED),
                ),
            ),
        )
    ),
    Said(
        "docs/tutorial.md",
        "held at once in {} (of the best three quarters of the systems, --top 0.75, in {}), fewest",
        (Range(_BY_T, DIFFER), Range(_BY_T + _BEST, DIFFER)),
    ),
    Said(
        "docs/decisions/0111-intervals-of-all-differences.md",
        "all held at once in {} of simulated collections of 10 to 50 topics, and with 5, 20 or 60 systems drawn from "
        "many in {}.",
        (Range(_BY_MAX_T, DIFFER), Range(f"{_BY_MAX_T}, few systems")),
    ),
    Said(
        "docs/studies/significance.md",
        "are called equivalent at a margin of .05 in {} of simulated collections of 10 topics and in {} of 50",
        [Range("equivalence of all pairs.*", topics=[n]) for n in (10, 50)],
    ),
    Said(
        "docs/studies/reliability.md",
        "E rho²'s holds the truth in {} of simulated collections. Phi's holds in {}, with 5 systems in {};",
        (
            Range("E rho2|E rho2, other.*"),
            Range("Phi|Phi, other systems", "[^5].*"),
            Range("Phi, other systems", "5 systems.*"),
        ),
    ),
    *(
        Said(page, text, (_SHORT_OF_TOPICS, _BY_PRECISION))
        for page, text in (
            (
                "src/irmeta/studies/reliability/study.py",
                '"{} of simulated collections, by P@10 of 20 systems or more in {}."',
            ),
            (
                "docs/studies/reliability.md",
                "with 10 or 25 topics it holds in {} of simulated collections, by P@10 of 20 systems or more in {}.",
            ),
        )
    ),
    Said(
        "src/irmeta/scores/limits.py",
        '"{} of simulated collections (5% promised; docs/coverage.md)."',
        [Range("equivalence of all pairs.*", topics=[10])],
    ),
    Said(
        "docs/studies/reliability.md",
        "with teams of four near-clones left out together the interval of E rho² holds in {}, that of Phi in {}.",
        (Range("E rho2, teams left out"), Range("Phi, teams left out")),
    ),
    Said(
        "src/irmeta/scores/limits.py",
        '"where shapes differ much, all hold at once in {} of simulated collections."',
        [Range("rank sets where shapes differ", topics=_SIX)],
    ),
    Said(
        "docs/studies/description.md",
        "the sets of 48 such systems held all ranks in {} of simulated collections.",
        [Range("rank sets where shapes differ", topics=_SIX)],
    ),
    Said(
        "docs/studies/description.md",
        "Rank sets hold all of them in {} where all systems tie (7 topics or more)",
        [Range("rank sets, simultaneous", TIED, _SIX)],
    ),
    Said(
        "docs/studies/description.md",
        "where systems tie it misses some true rank in {} of collections.",
        [Missed("overlap.*", "heavy ties.*|all tie.*")],
    ),
    Said(
        "docs/decisions/0111-intervals-of-all-differences.md",
        "Bonferroni's t, the default with Holm, holds in {}, of the best 75% in {}.",
        (Range(_BY_T, DIFFER), Range(_BY_T + _BEST, DIFFER)),
    ),
    Said(
        "docs/studies/significance.md",
        "all held at once in {}, {} and {} of samples of 10, 25 and 50 topics by Student's t (Bonferroni), in {}, {} "
        "and {} by `max-t`, whose intervals are narrower; of the best 75% of the systems in {} and {}. Each by itself "
        "holds in {}.",
        (
            *(
                Range(of, DIFFER, [n])
                for of in (_BY_T, _BY_MAX_T)
                for n in (10, 25, 50)
            ),
            *(Range(of + _BEST, DIFFER) for of in (_BY_T, _BY_MAX_T)),
            Range("a difference by itself"),
        ),
    ),
    Said(
        "docs/decisions/0080-rank-sets-by-signs.md",
        "miss the true rank of some system in {} of collections.",
        [Missed("overlap.*", "heavy ties.*|all tie.*")],
    ),
    Said(
        "docs/decisions/0110-reliability-intervals-by-leaving-out.md",
        "holds in {} for E rho², for the systems at hand and for systems drawn from a population; for Phi in {}, and "
        "with 5 systems in {}.",
        (
            Range("E rho2|E rho2, other.*"),
            Range("Phi|Phi, other systems", "[^5].*"),
            Range("Phi, other systems", "5 systems.*"),
        ),
    ),
    Said(
        "docs/decisions/0111-intervals-of-all-differences.md",
        "The test keeps its level ({} where all tie).",
        [Range("max-t test.*")],
    ),
    Said(
        "src/irmeta/studies/reliability/study.py",
        '"with 5, a 95% interval holds the truth in {} of simulated collections."',
        [Range("Phi, other systems", "5 systems.*")],
    ),
    Said(
        "src/irmeta/studies/differences/description/study.py",
        'MEASURED = {10: "{}", FEW_TOPICS: "{}"}',
        [Range("t interval of a mean", topics=[n]) for n in (5, 10)],
    ),
    Said(
        "src/irmeta/studies/differences/versus/study.py",
        '"all held at once in {}, of 50 topics in {}."',
        [Range(f"{_FROM}, Bonferroni's t", topics=[n]) for n in (10, 50)],
    ),
    Said(
        "src/irmeta/studies/differences/versus/study.py",
        '"all held at once in {}, of 50 topics in {}. Those of --correct holm are wider: {}."',
        (
            Range(f"{_FROM}, Dunnett", topics=[10]),
            Range(f"{_FROM}, Dunnett", topics=[50]),
            Range(f"{_FROM}, Bonferroni's t"),
        ),
    ),
    Said(
        "docs/studies/versus.md",
        "all intervals held at once in {}, {} and {} of samples of 10, 25 and 50 topics by Dunnett, in {} by Holm",
        (
            *(Range(f"{_FROM}, Dunnett", topics=[n]) for n in (10, 25, 50)),
            Range(f"{_FROM}, Bonferroni's t"),
        ),
    ),
)


def rewrite(measured: pl.DataFrame) -> None:
    """Write the figures of all sentences into their files again, but for those of rows that are not measured yet."""
    for said in SAID:
        path = ROOT / said.page
        text = path.read_text(encoding="utf-8")
        with suppress(LookupError):
            path.write_text(said.refilled(text, measured), encoding="utf-8")
