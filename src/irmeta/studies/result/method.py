"""How an answer was found, in sentences for the methods section of a paper."""

import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import xarray as xr

from irmeta import studies
from irmeta.choices import MEANINGS, MissingOfPairs
from irmeta.scores.attributes import CHOSEN, LEFT_OUT, about
from irmeta.scores.groups.clusters import unit_of
from irmeta.scores.result import judged_topics
from irmeta.words import are, counted, joined, listed

TESTS = {
    "max-t": "max-t test",
    "t": "paired t test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "permutation": "paired permutation test",
    "bootstrap": "studentised bootstrap test",
    "sign": "sign test",
    "tukey": "randomised Tukey HSD test",
}
"""Tests by their option, as papers call them."""
CORRECTIONS = {
    "holm": "Holm",
    "bh": "Benjamini-Hochberg",
    "bonferroni": "Bonferroni",
    "dunnett": "Dunnett",
    "none": "no",
}
"""Corrections for many comparisons by their option, as papers call them."""
UNNAMED = ("collection", "qrels", "estimate")
"""Names of a collection that nobody named: those of a cube without a name, of a file of judgments, of an estimate."""
ROLES = {"human", "machine", "given", "known", "old", "new"}
"""Names that a study itself gives to scores, by the part that they take in it."""
_EXACT = ("t", "wilcoxon", "sign")
"""Tests without random draws."""
_UNITS = {
    "topic": "single scores, of a system on a topic",
    "within-topic": "single scores less the mean of their topic",
    "system": "means of systems",
}
"""What is related, by the unit of a study of metrics."""
_CORRECTED = ("max-t", "tukey")
"""Tests that correct for the comparisons that they make."""


def method_text(outcome: xr.Dataset) -> str:
    """Say in sentences by what program, from which scores and how a result was computed."""
    facts = about(outcome)
    options = facts["options"]
    compared = _comparisons_phrase(outcome, options)
    sentences = [
        f"We used irmeta {facts['inputs']['irmeta']} to {_purpose_clause(outcome)}",
        _scores_sentence(facts["inputs"]["collections"], options),
        _test_sentence(options, unit_of(outcome), compared),
    ]
    if options.get("unit"):
        sentences.append(f"Metrics were related by {_UNITS[options['unit']]}")
    if "coefficient" in options:
        sentences.append(f"The coefficient is {options['coefficient']}")
    if options.get("level"):
        sentences.append(f"Intervals have the level {options['level']:.0%}")
    sentences.append(_resampling_sentence(options))
    return " ".join(f"{sentence}." for sentence in sentences if sentence)


def _purpose_clause(outcome: xr.Dataset) -> str:
    """Return what the function of a study does, as its documentation begins, up to a colon or semicolon."""
    study = studies.STUDIES[studies.name_of(outcome)]
    home = import_module(f"irmeta.studies.{study.home}")
    said = str(getattr(home, study.function).__doc__)
    first = re.split(r"\.\n|[:;] ", said)[0]
    return first[0].lower() + first[1:]


def _scores_sentence(
    collections: Mapping[str, Mapping[str, Any]], options: Mapping[str, Any]
) -> str:
    """Say of how many systems, topics and metrics the scores are, and how many are missing."""
    if not collections:
        return ""
    names: dict[str, list[str]] = {}
    for name, size in collections.items():
        names.setdefault(_size_phrase(size), []).append(name)
    said = [
        size if one[0] in UNNAMED else f"{size}{_collections_phrase(one)}"
        for size, one in names.items()
    ]
    left_out = [size[LEFT_OUT] for size in collections.values() if LEFT_OUT in size]
    missing = sum(size["missing"] for size in collections.values())
    of_missing = joined(left_out) or _missing_sentence(options, missing)
    part = {run for size in collections.values() for run in size.get("lacking", ())}
    if part:
        of_missing += (
            f", but {counted(len(part), 'run')} scored 0 on topics without documents"
        )
    return f"The scores are those of {joined(said)}; {of_missing}"


def _collections_phrase(names: Sequence[str]) -> str:
    """Name collections, or whose scores they are in this study."""
    return f" ({listed(names)})" if set(names) <= ROLES else f" of {listed(names)}"


def _size_phrase(size: Mapping[str, Any]) -> str:
    """Say of how many systems, metrics and topics, or clusters of them, scores are."""
    chosen = size.get(CHOSEN, {})
    best = f", the best by {chosen['by']}," if "by" in chosen else ""
    systems = _share_phrase(size["systems"], chosen.get("systems"), "system")
    said = f"{systems}{best} by {counted(size['metrics'], 'metric')}"
    if "clusters" in size:
        topics, clusters = (size["clusters"][of] for of in ("topics", "clusters"))
        some = _share_phrase(topics, chosen.get("topics"), "topic")
        return f"{said} on {some} in {counted(clusters, 'cluster')}"
    if "estimated" in size:
        said += f" on {judged_topics(size['estimated'])}"
    elif size["topics"] > 1:  # else they are means
        said += f" on {_share_phrase(size['topics'], chosen.get('topics'), 'topic')}"
    return said


def _share_phrase(number: int, whole: int | None, what: str) -> str:
    """Say how many there are, and of how many they were chosen."""
    if whole is None:
        return counted(number, what)
    return f"{number} of {counted(whole, what)}"


def _missing_sentence(options: Mapping[str, Any], missing: int) -> str:
    """Say how many scores are missing, and what was done about it."""
    if not missing:
        return "none is missing"
    if options.get("missing") == "error":
        return f"{missing} {are(missing)} missing, of systems that were not compared"
    done = MEANINGS[MissingOfPairs].get(options.get("missing", ""), "")
    how = f" ({options['missing']}: {done})" if done else ""
    return f"{missing} {are(missing)} missing{how}"


def _comparisons_phrase(outcome: xr.Dataset, options: Mapping[str, Any]) -> str:
    """Say what was compared by each metric."""
    sizes = outcome.sizes
    one = options.get("baseline") or options.get("system")
    if one:
        others = sizes.get("against", sizes.get("system", 1) - 1)
        return f"Differences between {one} and {counted(others, 'other system')}"
    if "pair" in sizes:
        return f"Differences of {counted(sizes['pair'], 'pair')} of systems"
    return "Differences of pairs of systems"


def _test_sentence(options: Mapping[str, Any], unit: str, compared: str) -> str:
    """Say which test was made, at which level, and how it was corrected.

    compared : which differences were tested.
    """
    test = options.get("test", "none")
    if test == "none":
        return ""
    said = f"{compared} were tested by the two-sided {TESTS[test]} over {unit}s at level {options['alpha']:g}"
    correct = options.get("correct", "none")
    alone = options.get("resamples", 0) is None
    if test == "max-t":
        # by itself a difference has under random directions the law of t
        other = "Student's t" if alone else "random directions"
        said += f", p the larger of those by random signs and by {other}"
    if test in _CORRECTED and correct == "none":
        said += ", each by itself"
    elif test == "max-t" and not alone:
        said += (
            ", corrected for all of them by each metric, step by step (Westfall and Young 1993), with the other sign "
            "of each claim among them"
        )
    elif test not in _CORRECTED and correct != "none":
        said += f", with {CORRECTIONS[correct]} correction"
    if options.get("margin") is not None:
        said += f", and equivalence within {options['margin']:g}"
    return said


def _resampling_sentence(options: Mapping[str, Any]) -> str:
    """Say how often something was drawn at random, and with which seed."""
    kinds = (("resamples", "resample"), ("partitions", "partition"))
    exact = options.get("test") in _EXACT and options.get("correct") != "dunnett"
    drawn = [
        counted(options[name], what)
        for name, what in kinds
        if options.get(name) and not exact
    ]
    if not drawn:
        return ""
    return f"We drew {joined(drawn)} at random, with seed {options['seed']}"
