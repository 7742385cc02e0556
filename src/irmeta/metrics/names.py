"""Metric names: a metric is a value that prints as its name, in the grammar of ir_measures; others are read too."""

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType

from irmeta.errors import MetricError, is_list
from irmeta.metrics import signatures
from irmeta.metrics.signatures import COUNTS, GENERAL, SETS, UNBOUNDED, Parameter, Value
from irmeta.words import BLANKS, joined, listed, shortened

STANDARDIZED = " (std.)"
"""How a metric is named whose scores were standardized: they are on another scale, not to be quoted as its own."""
ESTIMATED = " (est.)"
"""How a metric is named whose means were estimated: a topic's score is what it adds to the mean."""
_SCALES = (STANDARDIZED, ESTIMATED)
_USUAL = ("nDCG@10", "AP", "RR", "P@10", "nDCG@20", "AP@1000")


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
        params = f"({inside})" if inside else ""
        cutoff = "" if self.cutoff is None else f"@{self.cutoff}"
        return self.base + params + cutoff

    def __getitem__(self, name: str) -> Value:
        """Return a parameter's value, its default where the name does not say it."""
        return dict(self.params).get(name, _parameters(self.base)[name].default)

    def get(self, name: str) -> Value:
        """Return a parameter's value, None where the metric has no such parameter."""
        if name in _parameters(self.base):
            return self[name]
        return None

    @property
    def own(self) -> dict[str, Value]:
        """The values of the measure's own parameters, without those that every metric has."""
        return {name: self[name] for name in signatures.CATALOGUE[self.base].params}


def usual(names: Iterable[str]) -> list[str]:
    """Put the metrics that most papers report before the others.

    >>> usual(["AP@20", "P@10", "nDCG@10"])
    ['nDCG@10', 'P@10', 'AP@20']
    """
    held = list(names)
    order = [*_USUAL, *(name for name in held if name not in _USUAL)]
    return sorted(held, key=order.index)


def parse(name: str | Metric) -> Metric:
    """Read one metric name, ours or trec_eval's or what papers write; an unknown one, or parameter, raises MetricError.

    >>> str(parse("RBP")), str(parse("AP(rel=1)@100")), str(parse("P(depth=20, rel=2)@10"))
    ('RBP(p=0.8)', 'AP@100', 'P(rel=2, depth=20)@10')
    >>> [str(parse(name)) for name in ("ndcg_cut_10", "ndcg_cut.10", "recip_rank", "MAP", "NDCG(gains='exp')@20")]
    ['nDCG@10', 'nDCG@10', 'RR', 'AP', "nDCG(gains='exp')@20"]
    """
    if isinstance(name, Metric):
        return name
    found = _read(name.strip(BLANKS))
    if isinstance(found, str):
        raise MetricError(found)
    return found


def relevant_from(metric: Metric, grade: float) -> Metric:
    """Return a metric by which documents are relevant from this grade on; one that grades, as nDCG does, as it is.

    >>> str(relevant_from(parse("AP(rel=2)@100"), 1)), str(relevant_from(parse("nDCG@10"), 1))
    ('AP@100', 'nDCG@10')
    """
    if metric.get("rel") is None:
        return metric
    whole = int(grade) if float(grade).is_integer() else grade
    given = {**dict(metric.params), "rel": whole}
    return Metric(metric.base, metric.cutoff, _params(str(metric), metric.base, given))


_LONGEST = 500
"""Characters of a metric name; longer texts are not names, and take a parser long to refuse."""


@cache
def _read(name: str) -> Metric | str:
    """Return a metric, or why a text is not one: tables ask many times about each of many columns."""
    try:
        return _parse(name)
    except MetricError as error:
        return str(error)


def _parse(name: str) -> Metric:
    """Read one metric name as `parse` does, once it is known to be new."""
    if len(name) > _LONGEST:
        raise MetricError(
            f"{shortened(name)!r} has {len(name)} characters; a metric name has at most {_LONGEST}"
        )
    found = re.fullmatch(
        r"([\w-]+)\s*(?:\((.*)\))?\s*(?:@\s*([0-9.]+(?:e-?[0-9]+)?))?",
        _from_trec_eval(name),
    )
    if not found:
        raise MetricError(
            f"{name!r} is not a metric name; write names as in AP, nDCG@10, RBP(p=0.95), P(rel=2)@10"
        )
    called, inside, cutoff = found.groups()
    base = _aliases().get(called.lower(), called)
    if base not in signatures.CATALOGUE:
        cut = re.sub(r"^([a-zA-Z]+)(\d+)$", r"\1@\2", name)
        mend = nearest(base, signatures.CATALOGUE)
        if cut != name and is_known(cut):
            mend = f"did you mean {canonical(cut)}?"
        raise MetricError(f"unknown metric {base!r} in {name!r}; {mend}")
    given = _arguments(name, inside or "")
    return Metric(base, _cutoff(name, base, cutoff), _params(name, base, given))


def _from_trec_eval(name: str) -> str:
    """Write trec_eval's names with a cutoff, ndcg_cut_10 or ndcg_cut.10, as ours; leave other names."""
    catalogue = signatures.CATALOGUE.items()
    cut = {signature.cut: base for base, signature in catalogue if signature.cut}
    found = re.fullmatch(rf"({'|'.join(cut)})[_.]([0-9.]+)", name)
    if found:
        return f"{cut[found[1]]}@{found[2]}"
    return name


def _aliases() -> dict[str, str]:
    """Return the base names of metrics by what else they are called, in lower case."""
    aliases = {base.lower(): base for base in signatures.CATALOGUE}
    for base, signature in signatures.CATALOGUE.items():
        aliases |= dict.fromkeys(signature.aliases, base)
    return aliases


def _params(
    name: str, base: str, given: dict[str, Value]
) -> tuple[tuple[str, Value], ...]:
    """Check the parameters given, and return those that the metric's name prints."""
    parameters = _parameters(base)
    for key, value in given.items():
        if key not in parameters:
            raise MetricError(
                f"{name!r}: {base} has no parameter {key!r}; {nearest(key, parameters)}"
            )
        if not parameters[key].takes(value):
            raise MetricError(
                f"{name!r}: {key} of {base} must be {parameters[key].rule}, not {value!r}"
            )
    printed = []
    for key, parameter in parameters.items():
        value = given.get(key, parameter.default)
        if parameter.shown or value != parameter.default:
            printed.append((key, value))
    return tuple(printed)


def parse_list(
    names: str | Metric | Iterable[str | Metric],
    *,
    other: Callable[[str], Metric | None] | None = None,
) -> list[Metric]:
    """Read metric names: a list, or one text with spaces, commas or set names between them; repeats are dropped.

    names : also objects of ir_measures, by their names.
    other : asked for names that are not ours; where it returns None the MetricError is raised.

    >>> [str(metric) for metric in parse_list("AP nDCG@20, RBP(p=0.8, rel=1) AP")]
    ['AP', 'nDCG@20', 'RBP(p=0.8, rel=1)']
    """
    texts: Iterable[object] = names if is_list(names) else [names]
    parts: list[str | Metric] = []
    for text in texts:
        parts += [text] if isinstance(text, Metric) else _listed(str(text))
    metrics = [_parse_or_ask(name, other) for name in parts]
    if not metrics:
        raise MetricError(
            "no metric is named; name some ('AP nDCG@10') or a set (seeds23)"
        )
    return list(dict.fromkeys(metrics))


def metric_names(names: str | Iterable[object]) -> list[str]:
    """List metrics as irmeta spells them, once each; one text may have spaces, commas or set names between them.

    >>> metric_names("AP ndcg_cut.10, MAP"), metric_names(["P_5", "my own"])
    (['AP', 'nDCG@10'], ['P@5', 'my own'])
    """
    parts = _listed(names) if isinstance(names, str) else map(str, names)
    return list(dict.fromkeys(map(canonical, parts)))


def _listed(text: str) -> list[str]:
    return [name for part in split(text) for name in SETS.get(part, (part,))]


def _parse_or_ask(
    name: str | Metric, other: Callable[[str], Metric | None] | None
) -> Metric:
    """Read a metric name as `parse` does, or as `other` knows it; see `parse_list`."""
    try:
        return parse(name)
    except MetricError:
        metric = other(str(name)) if other else None
        if metric is None:
            raise
        return metric


def standardized(name: str) -> str:
    """Return the name of a metric's standardized scores.

    >>> standardized("nDCG@10"), standardized("nDCG@10 (std.)")
    ('nDCG@10 (std.)', 'nDCG@10 (std.)')
    """
    return raw(name) + STANDARDIZED


def raw(name: str) -> str:
    """Return the name of the metric whose scores these are, standardized, estimated, or its own.

    >>> raw("nDCG@10 (std.)"), raw("nDCG@10 (est.)"), raw("nDCG@10")
    ('nDCG@10', 'nDCG@10', 'nDCG@10')
    """
    return name.removesuffix(_scale(name))


def _scale(name: str) -> str:
    """Return what stands behind the name of a metric whose scores are on another scale."""
    return next((scale for scale in _SCALES if name.endswith(scale)), "")


def canonical(name: str) -> str:
    """Print a name as irmeta spells it where it knows the metric, and as given where it does not.

    >>> canonical("ndcg_cut.10"), canonical("ndcg_cut.10 (std.)"), canonical("clicks")
    ('nDCG@10', 'nDCG@10 (std.)', 'clicks')
    """
    if scale := _scale(name):
        return canonical(raw(name)) + scale
    if is_known(name):
        return str(parse(name))
    return name


def highest(name: str) -> float:
    """Return the largest value that a metric can take; infinity where irmeta does not know the metric.

    >>> highest("P@10"), highest("DCG@20")
    (1.0, inf)
    """
    if is_known(name):
        return signatures.CATALOGUE[parse(name).base].high
    return UNBOUNDED


def lowest(name: str) -> float:
    """Return the smallest value that a metric can take; minus infinity for scores on another scale.

    >>> lowest("P@10"), lowest("P@10 (std.)")
    (0.0, -inf)
    """
    if _scale(name):
        return -UNBOUNDED
    return 0.0


def is_known(name: str) -> bool:
    """Tell whether irmeta computes a metric of this name.

    >>> is_known("AP@100"), is_known("clicks")
    (True, False)
    """
    return isinstance(_read(name.strip(BLANKS)), Metric)


def is_variant(name: str, of: str) -> bool:
    """Tell whether a metric is another with more parameters; a name that irmeta does not know is not.

    >>> is_variant("RBP(p=0.8, rel=1)", "RBP(p=0.8)"), is_variant("RBP(p=0.5, rel=1)", "RBP(p=0.8)")
    (True, False)
    """
    if not (is_known(name) and is_known(of)):
        return False
    one = parse(name)
    other = parse(of)
    same_measure = (one.base, one.cutoff) == (other.base, other.cutoff)
    return same_measure and set(one.params) > set(other.params)


def found_as(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that a name stands for: itself, on another scale, at its deepest cutoff, or None.

    >>> found_as("AP", ["AP@100", "AP@1000", "nDCG@20"]), found_as("RR", ["AP@100"])
    ('AP@1000', None)
    >>> found_as("AP", ["AP@100 (std.)", "AP (std.)"]), found_as("AP", ["AP@100 (std.)"])
    ('AP (std.)', 'AP@100 (std.)')
    """
    names = list(known)
    for spelled in (name, *(raw(name) + scale for scale in _SCALES)):
        if spelled in names:
            return spelled
    if not is_known(name):
        return None
    wanted = parse(name)
    metrics = {parse(raw(held)): held for held in names if is_known(raw(held))}
    by_cutoff = {
        metric.cutoff: held
        for metric, held in metrics.items()
        if metric.cutoff is not None and replace(metric, cutoff=None) == wanted
    }
    return by_cutoff[max(by_cutoff)] if by_cutoff else None


def leading(names: Iterable[str]) -> str:
    """Return the metric that systems are ordered by where none is named: the first, as they were asked for.

    Counts of documents come after all others, and of the set that irmeta evaluate takes where none is asked for, whose
    order is no choice, AP@1000 is first.

    >>> leading(["nDCG@10", "AP"]), leading(["NumRet", "AP"]), leading(SETS["seeds23"])
    ('nDCG@10', 'AP', 'AP@1000')
    """
    held = list(names)
    if set(SETS["seeds23"]) <= set(map(raw, held)):
        held = [name for name in held if raw(name) == "AP@1000"]
    return min(held, key=_counts_documents)


def _counts_documents(name: str) -> bool:
    return is_known(raw(name)) and parse(raw(name)).base in COUNTS


def nearest(name: str, known: Iterable[str]) -> str:
    """Say which known names are nearest to a wrong one: the second half of an error message."""
    options = list(known)
    deeper = [option for option in options if option.startswith(f"{name}@")]
    if deeper:
        deeper.sort(key=lambda option: (len(option), option), reverse=True)
        return f"there is {' and '.join(deeper)}"
    if close := alike(name, options):
        return f"did you mean {joined(close, 'or')}?"
    return f"choose from {listed(options, 20)}"


def alike(name: str, known: Iterable[str], least: float = 0.5) -> list[str]:
    """Return up to three known names that are most like a wrong one, the nearest first: those that begin with it.

    least : how alike others must be, from 0 to 1.

    >>> alike("bonferoni", ["holm", "bh", "bonferroni"]), alike("pdf", ["table", "csv"])
    (['bonferroni'], [])
    >>> alike("nothere", ["ingot-8b-r3"]), alike("bge-base", ["gte-base", "bge-base-en-v1.5"])
    ([], ['bge-base-en-v1.5', 'gte-base'])
    """
    lowered = {option.lower(): option for option in known}
    wanted = name.lower()
    begun = [option for option in lowered if wanted and option.startswith(wanted)]
    close = difflib.get_close_matches(wanted, lowered, n=3, cutoff=least)
    return [lowered[match] for match in dict.fromkeys([*begun, *close])][:3]


def split(text: str) -> list[str]:
    """Cut a text at spaces and commas, but not inside parentheses, nor before what says on which scale scores are.

    >>> split("AP (std.), RBP(p=0.8, rel=1) RR")
    ['AP (std.)', 'RBP(p=0.8, rel=1)', 'RR']
    """
    within = "|".join(re.escape(scale.strip()) for scale in _SCALES)
    separator = rf"[{BLANKS},]+(?!(?:{within}))(?![^()]*\))"
    return [part for part in re.split(separator, text.strip(BLANKS)) if part]


@cache
def _parameters(base: str) -> Mapping[str, Parameter]:
    """Return all parameters of a metric, its own first."""
    return MappingProxyType({**signatures.CATALOGUE[base].params, **GENERAL})


_ARGUMENT = re.compile(
    rf"""[{BLANKS}]*(\w+)[{BLANKS}]*=[{BLANKS}]*(?:'([^']*)'|"([^"]*)"|([-+.\w]+))[{BLANKS}]*(?:,|$)"""
)
"""A parameter: its name, and a text in quotes or a word."""
_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?", re.IGNORECASE)
_WORDS: dict[str, Value] = {"True": True, "False": False, "None": None}


def _arguments(name: str, inside: str) -> dict[str, Value]:
    """Read parameters, name=value with commas between them."""
    given: dict[str, Value] = {}
    at = 0
    while inside[at:].strip(BLANKS):
        found = _ARGUMENT.match(inside, at)
        if not found or found[1] in given or found[1][0].isdigit():
            raise _unread(name)
        key, *texts, word = found.groups()
        text = next((text for text in texts if text is not None), None)
        given[key] = _value(name, word) if text is None else text
        at = found.end()
    return given


def _value(name: str, word: str) -> Value:
    """Read a value that is no text; 2.0 and 2 are one grade and print alike."""
    if word in _WORDS:
        return _WORDS[word]
    if not _NUMBER.fullmatch(word):
        raise _unread(name)
    value = float(word)
    if value.is_integer():
        return int(value)
    return value


def _unread(name: str) -> MetricError:
    return MetricError(
        f"{name!r}: parameters are written name=value, as in RBP(p=0.95) or nDCG(gains='exp')"
    )


def _cutoff(name: str, base: str, text: str | None) -> int | float | None:
    """Return the number behind the @, or None; one that is missing, too much or wrong raises MetricError."""
    cutoff = signatures.CATALOGUE[base].cutoff
    if text is None:
        if cutoff is not None and cutoff.required:
            raise MetricError(f"{name!r} needs a cutoff, as in {base}@{cutoff.example}")
        return None
    if cutoff is None:
        raise MetricError(
            f"{name!r}: {base} takes no cutoff; {base}(depth={text}) looks only at the first {text}"
        )
    number = cutoff.read(text)
    if number is None:
        raise MetricError(
            f"{name!r}: the cutoff of {base} must be {cutoff.rule}, as in {base}@{cutoff.example}"
        )
    return number
