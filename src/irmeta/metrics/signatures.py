"""What a metric's name may hold: each metric's cutoff and parameters, with the rule that their values follow."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

Value = int | float | str | bool | None

HIGHEST = 2**31
"""The largest number that a grade (in size), a depth or a pool's depth can be."""
UNBOUNDED = float("inf")


@dataclass(frozen=True)
class Parameter:
    """A parameter of a metric: its default, and the values that it takes.

    rule : these values in words: an error says that the parameter must be RULE.
    test : whether a value is one of them.  None is allowed where it is the default.
    shown : whether a name prints the parameter also at its default.
    """

    default: Value
    rule: str
    test: Callable[[Value], bool]
    shown: bool = False

    def takes(self, value: Value) -> bool:
        """Say whether the parameter may have this value."""
        if value is None:
            return self.default is None
        return self.test(value)


@dataclass(frozen=True)
class Cutoff:
    """What stands behind the @ of a metric's name.

    read : the number that a text says, None where it is none that fits.
    rule, example : the texts that fit, in words, and one of them.
    """

    read: Callable[[str], int | float | None]
    rule: str
    example: str
    required: bool = True


@dataclass(frozen=True)
class Signature:
    """What a metric's name may hold, and what others call it.

    params : its own parameters; those of `GENERAL` go with every metric.
    high : the largest value that the metric can take.
    aliases : names that trec_eval and papers use, in lower case; they are read in capitals, too.
    cut : trec_eval's name where a cutoff follows: it prints ndcg_cut_10, and is asked for ndcg_cut.10.
    """

    cutoff: Cutoff | None = None
    params: Mapping[str, Parameter] = field(default_factory=dict)
    high: float = 1.0
    aliases: tuple[str, ...] = ()
    cut: str | None = None


def _number(value: Value) -> float:
    """Return a value as a number, NaN where it is none; True and False are none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return math.nan
    return value


def grade(default: float | None) -> Parameter:
    """Return a parameter whose values are grades from 0 on."""
    rule = "a grade of 0 or above (documents with a grade below 0 count as not judged)"
    return Parameter(default, rule, lambda value: 0 <= _number(value) <= HIGHEST)


def highest_grade(default: float | None) -> Parameter:
    """Return a parameter whose values are grades above 0."""
    return Parameter(
        default, "a grade above 0", lambda value: 0 < _number(value) <= HIGHEST
    )


def share(default: float) -> Parameter:
    """Return a parameter whose values lie between 0 and 1; every name prints it."""
    return Parameter(
        default,
        "a number between 0 and 1",
        lambda value: 0 < _number(value) < 1,
        shown=True,
    )


def whole(default: int | None) -> Parameter:
    """Return a parameter whose values are whole numbers above 0."""

    def test(value: Value) -> bool:
        number = _number(value)
        return 0 < number <= HIGHEST and number % 1 == 0

    return Parameter(default, "a whole number above 0", test)


def flag(default: bool) -> Parameter:
    """Return a parameter that is True or False."""
    return Parameter(default, "True or False", lambda value: isinstance(value, bool))


def one_of(*choices: str) -> Parameter:
    """Return a parameter that is one of these texts, by default the first."""
    return Parameter(
        choices[0], " or ".join(map(repr, choices)), lambda value: value in choices
    )


def _rank(text: str) -> int | None:
    """Return the rank that a text says, as `_RANK_RULE` has it; None where it says none."""
    if re.fullmatch("0*[1-9][0-9]{0,8}", text):
        return int(text)
    return None


def _recall(text: str) -> float | None:
    """Return the recall level that a text says, from 0 to 1; None where it says none."""
    if not re.fullmatch(r"(\d+\.?\d*|\.\d+)(e-?\d+)?", text) or float(text) > 1:
        return None
    return float(text)


_RANK_RULE = "a whole number above 0, of at most nine digits"
RANK = Cutoff(_rank, _RANK_RULE, "10")
RANK_OR_NONE = Cutoff(_rank, _RANK_RULE, "10", required=False)
RECALL_LEVEL = Cutoff(_recall, "a recall level between 0 and 1", "0.1")

GENERAL: Mapping[str, Parameter] = {
    "judged_only": flag(False),
    "depth": whole(None),
    "pool": whole(None),
}
"""Parameters of every metric: what is done to the ranking or the judgments before the measure sees them."""


def _signature(
    cutoff: Cutoff | None = None,
    *,
    high: float = 1.0,
    aliases: tuple[str, ...] = (),
    cut: str | None = None,
    **params: Parameter,
) -> Signature:
    """Return a signature whose own parameters are given by name."""
    return Signature(cutoff, MappingProxyType(params), high, aliases, cut)


_BASES: Mapping[str, Signature] = {
    "AP": _signature(RANK_OR_NONE, rel=grade(1), aliases=("map",), cut="map_cut"),
    "SP": _signature(RANK_OR_NONE, rel=grade(1), high=UNBOUNDED),
    "GMAP": _signature(RANK_OR_NONE, rel=grade(1), aliases=("gm_map",)),
    "P": _signature(RANK, rel=grade(1), aliases=("precision", "prec"), cut="P"),
    "R": _signature(RANK, rel=grade(1), aliases=("recall",), cut="recall"),
    "RR": _signature(RANK_OR_NONE, rel=grade(1), aliases=("mrr", "recip_rank")),
    "Rprec": _signature(rel=grade(1), aliases=("r-prec",)),
    "Bpref": _signature(rel=grade(1), aliases=("bpref",)),
    "infAP": _signature(rel=grade(1)),
    "nDCG": _signature(
        RANK_OR_NONE, gains=one_of("linear", "exp"), aliases=("ndcg",), cut="ndcg_cut"
    ),
    "DCG": _signature(RANK_OR_NONE, gains=one_of("linear", "exp"), high=UNBOUNDED),
    "ERR": _signature(RANK_OR_NONE, max_rel=highest_grade(None)),
    "RBP": _signature(
        RANK_OR_NONE, p=share(0.8), rel=grade(None), max_rel=highest_grade(None)
    ),
    "Compatibility": _signature(RANK_OR_NONE, p=share(0.9)),
    "RBPResidual": _signature(RANK_OR_NONE, p=share(0.8)),
    "Success": _signature(
        RANK, rel=grade(1), aliases=("hit_rate", "hitrate"), cut="success"
    ),
    "Judged": _signature(RANK_OR_NONE),
    "IPrec": _signature(RECALL_LEVEL, rel=grade(1), cut="iprec_at_recall"),
    "NumRet": _signature(high=UNBOUNDED, aliases=("num_ret",)),
    "NumRel": _signature(rel=grade(1), high=UNBOUNDED, aliases=("num_rel",)),
    "NumRelRet": _signature(
        RANK_OR_NONE, rel=grade(1), high=UNBOUNDED, aliases=("num_rel_ret",)
    ),
}

COUNTS = ("NumRet", "NumRel", "NumRelRet")
"""Metrics that count documents: no measures of how good a system is."""

NORMALISED = ("P", "R", "AP", "SP", "ERR", "RBP")
"""Metrics that also come divided by the best score that the topic's judgments allow, under their name with n before."""


def _normalised(base: Signature) -> Signature:
    return Signature(base.cutoff, base.params, high=1.0)


CATALOGUE: Mapping[str, Signature] = {
    **_BASES,
    **{f"n{base}": _normalised(_BASES[base]) for base in NORMALISED},
}
"""Every metric that irmeta computes itself; `irmeta.evaluation.grades.measures` has one function for each."""

SETS: Mapping[str, tuple[str, ...]] = {
    "seeds23": (
        *(
            f"{base}@{k}"
            for base in ("AP", "nDCG", "P", "R")
            for k in (10, 20, 100, 1000)
        ),
        *("RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)", "ERR@20", "Bpref", "Rprec", "RR"),
    )
}
"""Named sets of metrics. seeds23: the 23 metrics of Gupta et al. (ECIR 2019), section 3."""
