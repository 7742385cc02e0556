"""Metric names: a metric is a value that prints as its name, in the grammar of ir_measures; others are read too."""

import ast
import difflib
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Literal

from irmeta.errors import MetricError

Value = int | float | str | bool | None

GENERAL: Mapping[str, Value] = MappingProxyType({"judged_only": False, "depth": None, "pool": None})
"""Parameters of every metric: what is done to the ranking or the judgments before the measure sees them."""

HIGHEST = 2**31
"""The largest number that a grade (in size), a depth or a pool's depth can be."""


@dataclass(frozen=True)
class Signature:
    """What a metric's name may hold: its cutoff (`@k`) and its own parameters with their defaults."""

    cutoff: Literal["none", "optional", "required"] = "none"
    params: Mapping[str, Value] = field(default_factory=dict)
    always: tuple[str, ...] = ()  # parameters that the name prints even at their default
    high: float = 1.0  # the largest value the metric can take


def _signature(
    cutoff: Literal["none", "optional", "required"] = "none",
    *,
    always: tuple[str, ...] = (),
    high: float = 1.0,
    **params: Value,
) -> Signature:
    return Signature(cutoff, MappingProxyType(params), always, high)


UNBOUNDED = float("inf")
CATALOGUE: Mapping[str, Signature] = MappingProxyType(
    {
        "AP": _signature("optional", rel=1),
        "SP": _signature("optional", rel=1, high=UNBOUNDED),
        "GMAP": _signature("optional", rel=1),
        "P": _signature("required", rel=1),
        "R": _signature("required", rel=1),
        "RR": _signature("optional", rel=1),
        "Rprec": _signature(rel=1),
        "Bpref": _signature(rel=1),
        "infAP": _signature(rel=1),
        "nDCG": _signature("optional", gains="linear"),
        "DCG": _signature("optional", gains="linear", high=UNBOUNDED),
        "ERR": _signature("optional", max_rel=None),
        "RBP": _signature("optional", p=0.8, rel=None, max_rel=None, always=("p",)),
        "Compatibility": _signature("optional", p=0.9, always=("p",)),
        "RBPResidual": _signature("optional", p=0.8, always=("p",)),
        "Success": _signature("required", rel=1),
        "Judged": _signature("optional"),
        "IPrec": _signature("required", rel=1),
        "NumRet": _signature(high=UNBOUNDED),
        "NumRel": _signature(rel=1, high=UNBOUNDED),
        "NumRelRet": _signature("optional", rel=1, high=UNBOUNDED),
    }
)
"""Every metric irmeta computes itself; `irmeta.evaluation.measures` has one function for each."""

SETS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "seeds23": (
            *(f"{base}@{k}" for base in ("AP", "nDCG", "P", "R") for k in (10, 20, 100, 1000)),
            *("RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)", "ERR@20", "Bpref", "Rprec", "RR"),
        ),
    }
)
"""Named sets of metrics. seeds23: the 23 metrics of Gupta et al. (ECIR 2019), section 3."""

_OTHERS: Mapping[str, str] = MappingProxyType(
    {
        **{"map": "AP", "mrr": "RR", "ndcg": "nDCG", "r-prec": "Rprec", "recall": "R", "precision": "P", "prec": "P"},
        **{"gm_map": "GMAP", "bpref": "Bpref", "recip_rank": "RR"},
        **{"num_ret": "NumRet", "num_rel": "NumRel", "num_rel_ret": "NumRelRet"},
    }
)
"""What papers and trec_eval call metrics, however they write capitals."""
_CUT: Mapping[str, str] = MappingProxyType(
    {"map_cut": "AP", "ndcg_cut": "nDCG", "P": "P", "recall": "R", "success": "Success", "iprec_at_recall": "IPrec"}
)
"""What trec_eval calls metrics with a cutoff: it prints ndcg_cut_10, and is asked for ndcg_cut.10."""


@dataclass(frozen=True)
class Metric:
    """One metric: its base name, cutoff, and the parameters that differ from their defaults.

    >>> metric = parse("nDCG( gains = 'exp' )@10")
    >>> str(metric), metric.cutoff, metric["gains"], metric["depth"]
    ("nDCG(gains='exp')@10", 10, 'exp', None)
    """

    base: str
    cutoff: int | float | None = None
    params: tuple[tuple[str, Value], ...] = ()

    def __str__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in self.params)
        return self.base + (f"({inside})" if inside else "") + (f"@{self.cutoff}" if self.cutoff is not None else "")

    def __getitem__(self, name: str) -> Value:
        """Give a parameter's value, its default where the name does not say it."""
        return dict(self.params).get(name, _defaults(self.base)[name])

    def get(self, name: str) -> Value:
        """Give a parameter's value, None where the metric has no such parameter."""
        return self[name] if name in _defaults(self.base) else None


def parse(name: str | Metric) -> Metric:
    """Read one metric name, ours or trec_eval's or what papers write; an unknown one, or parameter, raises MetricError.

    >>> str(parse("RBP")), str(parse("AP(rel=1)@100")), str(parse("P(depth=20, rel=2)@10"))
    ('RBP(p=0.8)', 'AP@100', 'P(rel=2, depth=20)@10')
    >>> [str(parse(name)) for name in ("ndcg_cut_10", "ndcg_cut.10", "recip_rank", "MAP", "NDCG(gains='exp')@20")]
    ['nDCG@10', 'nDCG@10', 'RR', 'AP', "nDCG(gains='exp')@20"]
    """
    if isinstance(name, Metric):
        return name
    return _parse(name.strip())


@cache
def _parse(name: str) -> Metric:
    cut = re.fullmatch(rf"({'|'.join(_CUT)})[_.]([0-9.]+)", name)
    ours = f"{_CUT[cut[1]]}@{cut[2]}" if cut else name
    found = re.fullmatch(r"([\w-]+)\s*(?:\((.*)\))?\s*(?:@\s*([0-9.]+(?:e-?[0-9]+)?))?", ours)
    if not found:
        raise MetricError(f"{name!r} is not a metric name; names look like AP, nDCG@10, RBP(p=0.95), P(rel=2)@10")
    base, inside, cutoff = found.groups()
    base = _OTHERS.get(base.lower(), base)
    if base not in CATALOGUE:
        raise MetricError(f"unknown metric {base!r} in {name!r}; {nearest(base, CATALOGUE)}")
    given = _arguments(name, inside or "")
    allowed = _defaults(base)
    for key, value in given.items():
        if key not in allowed:
            raise MetricError(f"{name!r}: {base} has no parameter {key!r}; {nearest(key, allowed)}")
        if value is not None or allowed[key] is not None:
            _check_value(name, key, value)
    always = CATALOGUE[base].always
    params = tuple((k, given.get(k, d)) for k, d in allowed.items() if given.get(k, d) != d or k in always)
    return Metric(base, _cutoff(name, base, cutoff), params)


def parse_list(
    names: str | Metric | Iterable[str | Metric], *, other: Callable[[str], Metric | None] | None = None
) -> list[Metric]:
    """Read metric names: a list, or one text with spaces, commas or set names between them; repeats are dropped.

    other : asked for names that are not ours; where it gives None the MetricError is raised.

    >>> [str(metric) for metric in parse_list("AP nDCG@20, RBP(p=0.8, rel=1) AP")]
    ['AP', 'nDCG@20', 'RBP(p=0.8, rel=1)']
    """
    texts = [names] if isinstance(names, str | Metric) else names
    parts = [part for text in texts for part in (_listed(text) if isinstance(text, str) else [text])]
    metrics = [_parse_or_ask(name, other) for name in parts]
    if not metrics:
        raise MetricError("no metric given; name some (AP nDCG@10) or a set (seeds23)")
    return list(dict.fromkeys(metrics))


def metric_names(names: str | Iterable[str]) -> list[str]:
    """List metrics as irmeta spells them, once each; one text may have spaces, commas or set names between them.

    >>> metric_names("AP ndcg_cut.10, MAP"), metric_names(["P_5", "my own"])
    (['AP', 'nDCG@10'], ['P@5', 'my own'])
    """
    return list(dict.fromkeys(map(canonical, _listed(names) if isinstance(names, str) else names)))


def _listed(text: str) -> list[str]:
    return [name for part in split(text) for name in SETS.get(part, (part,))]


def _parse_or_ask(name: str | Metric, other: Callable[[str], Metric | None] | None) -> Metric:
    try:
        return parse(name)
    except MetricError:
        if other is None or (found := other(str(name))) is None:
            raise
        return found


def canonical(name: str) -> str:
    """Print a name as irmeta spells it where it knows the metric, and as given where it does not."""
    return str(parse(name)) if is_known(name) else name


def highest(name: str) -> float:
    """Give the largest value that a metric can take; infinity where irmeta does not know the metric.

    >>> highest("P@10"), highest("DCG@20")
    (1.0, inf)
    """
    return CATALOGUE[parse(name).base].high if is_known(name) else UNBOUNDED


def is_known(name: str) -> bool:
    """Tell whether irmeta computes a metric of this name.

    >>> is_known("AP@100"), is_known("clicks")
    (True, False)
    """
    try:
        parse(name)
    except MetricError:
        return False
    return True


def is_variant(name: str, of: str) -> bool:
    """Tell whether a metric is another with more parameters; a name that irmeta does not know is not.

    >>> is_variant("RBP(p=0.8, rel=1)", "RBP(p=0.8)"), is_variant("RBP(p=0.5, rel=1)", "RBP(p=0.8)")
    (True, False)
    """
    if not (is_known(name) and is_known(of)):
        return False
    one, other = parse(name), parse(of)
    return (one.base, one.cutoff) == (other.base, other.cutoff) and set(one.params) > set(other.params)


def nearest(name: str, known: Iterable[str]) -> str:
    """Say which known names are nearest to a wrong one: the second half of an error message."""
    options = list(known)
    if deeper := [option for option in options if option.startswith(f"{name}@")]:
        return f"there is {' and '.join(sorted(deeper, key=lambda option: (len(option), option), reverse=True))}"
    lowered = {option.lower(): option for option in options}
    close = [lowered[match] for match in difflib.get_close_matches(name.lower(), lowered, n=3, cutoff=0.4)]
    known_ones = ", ".join(options[:20]) + (f" and {len(options) - 20} more" if len(options) > 20 else "")
    return f"did you mean {' or '.join(close)}?" if close else f"known: {known_ones}"


def split(text: str) -> list[str]:
    """Cut a text at spaces and commas, but not inside parentheses."""
    return [part for part in re.split(r"[\s,]+(?![^()]*\))", text.strip()) if part]


def _defaults(base: str) -> dict[str, Value]:
    return {**CATALOGUE[base].params, **GENERAL}


def _arguments(name: str, inside: str) -> dict[str, Value]:
    try:
        call = ast.parse(f"f({inside})", mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            raise ValueError
        given = [(str(keyword.arg), _value(keyword.value)) for keyword in call.keywords]
        if len(dict(given)) < len(given):
            raise ValueError
        return dict(given)
    except (SyntaxError, ValueError, TypeError):
        raise MetricError(
            f"{name!r}: parameters are written name=value, as in RBP(p=0.95) or nDCG(gains='exp')"
        ) from None


def _value(written: ast.expr) -> Value:
    """Read a parameter's value; 2.0 and 2 are one grade and print alike."""
    value = ast.literal_eval(written)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _check_value(name: str, key: str, value: Value) -> None:
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    wanted = {
        "p": (0 < number < 1, "a number between 0 and 1"),
        "rel": (0 <= number <= HIGHEST, "a grade, 0 or above: below it a document counts as not judged"),
        "max_rel": (0 < number <= HIGHEST, "a grade above 0"),
        "gains": (value in ("linear", "exp"), "'linear' or 'exp'"),
        "judged_only": (isinstance(value, bool), "True or False"),
    }
    fits, what = wanted.get(key, (0 < number <= HIGHEST and number % 1 == 0, "a whole number above 0"))
    if not fits:
        raise MetricError(f"{name!r}: {key}={value!r}, but {key} is {what}")


def _cutoff(name: str, base: str, cutoff: str | None) -> int | float | None:
    kind = CATALOGUE[base].cutoff
    if cutoff is None:
        if kind == "required":
            raise MetricError(f"{name!r} needs a cutoff, as in {base}@{'0.1' if base == 'IPrec' else '10'}")
        return None
    if kind == "none":
        raise MetricError(f"{name!r}: {base} takes no cutoff; {base}(depth={cutoff}) looks only at the first {cutoff}")
    if base == "IPrec":
        if not re.fullmatch(r"(\d+\.?\d*|\.\d+)(e-?\d+)?", cutoff) or float(cutoff) > 1:
            raise MetricError(f"{name!r}: the cutoff of IPrec is a recall level between 0 and 1, as in IPrec@0.1")
        return float(cutoff)
    if not re.fullmatch("0*[1-9][0-9]{0,8}", cutoff):
        raise MetricError(f"{name!r}: a cutoff is a whole number above 0, of at most nine digits")
    return int(cutoff)
