"""Which scores a study uses: metrics, systems and topics by name, the best systems, and a way with missing scores."""

import re
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import get_args

import numpy as np
import xarray as xr

from irmeta.choices import MissingOfPairs
from irmeta.errors import ScoresError, require_choice
from irmeta.metrics.names import (
    canonical,
    found_as,
    is_known,
    leading,
    metric_names,
    nearest,
    raw,
    split,
)
from irmeta.scores.attributes import CHOSEN, LEFT_OUT, about, chosen_from, recorded
from irmeta.scores.averages.means import means
from irmeta.scores.cube import check, check_possible, first_of
from irmeta.scores.groups.clusters import by_cluster, clustering_notes, in_clusters
from irmeta.scores.groups.repeats import by_runs
from irmeta.scores.names import known_as
from irmeta.scores.notes import OnPairs
from irmeta.scores.tables.roles import ALL, SCORE
from irmeta.stats.arrays import Bools, Floats, settled
from irmeta.stats.subsets.complete import complete_part
from irmeta.words import counted, joined, listed

_DROPPED: Mapping[str, tuple[int, ...]] = {
    "common": (0, 1),
    "topics": (1,),
    "systems": (0,),
}
"""The dimensions of a cube that a policy for missing scores may shorten, by number."""
_PAIRWISE = "this study needs every system on every topic, while pairwise serves studies of pairs; choose another way"
LEAST, MOST = 1e-4, 1e6
"""Between these lies the largest score of a metric that is studied: means are compared to ten decimals."""


def select(
    scores: xr.DataArray,
    *,
    systems: Iterable[str] | None = None,
    topics: Iterable[str] | None = None,
    metrics: Iterable[str] | None = None,
) -> xr.DataArray:
    """Keep the named systems, topics and metrics, in the order given, each once.

    scores : a cube.

    systems, topics, metrics : a list of names, or one text with spaces or commas between them; all by default. Systems
    and topics may be patterns, as in bm25*, or ranges of numbers, as in 601-650. Metrics also go by trec_eval's names,
    and AP stands for the deepest AP@k where there is no AP. An unknown name raises ScoresError.
    """
    scores = check(scores)
    where = str(scores.attrs.get("collection", "these scores"))
    for dim, wanted in (("system", systems), ("topic", topics), ("metric", metrics)):
        known = [str(name) for name in scores[dim].values]
        names = choose_names(dim, wanted, known, where)
        if names != known:
            scores = scores.sel({dim: names})
        if dim != "metric" and len(names) < len(known):
            whole = {f"{dim}s": len(known)}
            chosen = recorded(chosen_from(scores.attrs, whole))
            scores = scores.assign_attrs(chosen)
    return scores


def of_metric(scores: xr.DataArray, metric: str) -> xr.DataArray:
    """Return scores of no named metric as those of one, if it can take them; those of a named one as they are.

    >>> from irmeta.scores.cube import from_frame
    >>> of_metric(from_frame({"bm25": {"301": 0.5}}), "AP").metric.item()
    'AP'
    """
    if scores.metric.values.tolist() != [SCORE]:
        return scores
    named = np.array([metric], dtype=object)
    return check_possible(scores.assign_coords(metric=named))


def choose_names(
    dim: str,
    wanted: Iterable[str] | None,
    known: Sequence[str],
    where: str,
    option: str = "",
) -> list[str]:
    """Return the wanted names as they are known, each once; all of them if `wanted` is None.

    dim : "system", "topic" or "metric".  wanted : a list, or one text with spaces or commas between names, where names
    with spaces have commas between them; a system or topic that is not known may be a pattern, as in bm25*, or a range
    of numbers, as in 601-650, which stands for all that it matches; a metric that is not known stands for itself at its
    deepest cutoff, AP for AP@1000.
    known : the names there are.  where : what holds them, and option : what lists the wanted, by default --systems and
    so on, for messages. An unknown name raises ScoresError, which suggests the nearest.
    """
    if wanted is None:
        return list(known)
    if dim == "metric":
        spelled = {canonical(name): name for name in known}
        names = [found_as(name, spelled) or name for name in metric_names(wanted)]
    else:
        texts = words(wanted, known) if isinstance(wanted, str) else list(wanted)
        names = [name for text in texts for name in matching(text, known)]
        spelled = {name: name for name in known}
    if not names:
        raise ScoresError(
            f"the list of {dim}s is empty; name some of {where}, or leave the option out to use all"
        )
    for name in names:
        if name not in spelled:
            option = (option or f"--{dim}s") if isinstance(wanted, str) else ""
            hint = _unknown_name_hint(dim, name, known, option)
            raise ScoresError(f"no {dim} {name!r} in {where}; {hint}")
    return list(dict.fromkeys(spelled[name] for name in names))


def _unknown_name_hint(dim: str, name: str, known: Sequence[str], option: str) -> str:
    """Say what to write in place of a name that is not known.  option : where a text lists the names, what takes it."""
    odd = [
        known_name
        for known_name in known
        if name in known_name and split(known_name) != [known_name]
    ]
    if odd and option:
        return f"{odd[0]!r} has a blank or a comma: write commas between names, or name them by {option} @FILE"
    if dim == "metric" and list(known) == [SCORE]:
        return (
            "these scores have no metric's name; name it where they are read: `irmeta import table FILE "
            "--metric NAME`, or irmeta.from_frame(table, metric=NAME)"
        )
    instead = nearest(name, known)
    if dim == "metric" and is_known(name):
        return f'{instead.removesuffix("?")}, or score it: `irmeta evaluate QRELS RUNS -m "{name}" -o NEW.parquet`'
    return instead


def words(text: str, known: Sequence[str]) -> list[str]:
    """Cut a text at commas, and at blanks what is not a known name, nor matches one, with its blanks.

    >>> words("Fusion 2,dpr bm25*", ["Fusion 2", "dpr", "bm25"]), words("Fusion *", ["Fusion 2"])
    (['Fusion 2', 'dpr', 'bm25*'], ['Fusion *'])
    """
    if text in known:
        return [text]
    names = []
    for part in map(str.strip, re.split(r",(?![^()]*\))", text)):
        whole = any(name in known for name in matching(part, known))
        names += [part] if whole else split(part)
    return names


def matching(name: str, known: Sequence[str]) -> list[str]:
    """List the known names in a range of numbers, or that a pattern of *, ? and [] matches.

    A known name stands for itself, and so does one that matches none.

    >>> matching("601-610", ["599", "601", "604", "611"]), matching("bm25*", ["bm25", "bm25-rm3", "dpr"])
    (['601', '604'], ['bm25', 'bm25-rm3'])
    """
    same = known_as(name, known)
    if same:
        return [same]
    first, _, last = name.partition("-")
    if _is_number(first) and _is_number(last):
        numbers = range(int(first), int(last) + 1)
        names = [held for held in known if _is_number(held) and int(held) in numbers]
    else:
        names = [held for held in known if fnmatchcase(held, name)]
    return names or [name]


def _is_number(name: str) -> bool:
    """Say whether a name is a number as topics have: of digits, not too many to be read."""
    return name.isdecimal() and len(name) <= 18


def unknown_system_hint(
    scores: xr.DataArray, name: str, also: Iterable[str] = ()
) -> str:
    """Say what to do about a system that is not there: the nearest, and that only some systems were chosen.

    also : what else could have been named.
    """
    systems = [str(system) for system in scores.system.values]
    if name in scores.topic.values:
        return "it is the name of a topic here; if systems and topics are turned, read the table with --rows topics"
    every = about(scores).get(CHOSEN, {}).get("systems", len(systems))
    if every == len(systems):
        return nearest(name, [*systems, *also])
    return (
        f"only {len(systems)} of {every} systems are chosen; add it to --systems if it is one of the others, or "
        f"{nearest(name, systems)}"
    )


def share_of(systems: int, share: float) -> int:
    """Return how many of the systems a share of them is.

    >>> share_of(129, 0.75)
    96
    """
    return int(np.floor(share * systems + 1e-9))


def _share_hint(count: float, systems: int) -> str:
    """Say which share a number of the systems is, where it can be one.

    >>> _share_hint(6, 12), _share_hint(7, 129), _share_hint(200, 129)
    ('; --top 0.5 keeps 6 of 12', '; --top 0.0543 keeps 7 of 129', '')
    """
    if count not in range(1, systems + 1):
        return ""
    share = np.ceil(count / systems * 1e4 - 1e-6) / 1e4
    return f"; --top {share:g} keeps {count:g} of {systems}"


def top_systems(
    scores: xr.DataArray, share: float, by: str | None = None
) -> xr.DataArray:
    """Keep the best floor(share x systems) systems by mean `by` over all topics, in the order they had.

    scores : a cube.
    share : in (0, 1].  by : a metric; by default the first. Of tied systems the earlier one stays. Source: Webber et
    al. (SIGIR 2008), section 2, where 129 systems at 0.75 leave 96.
    """
    scores = check(scores)
    if not 0 < share <= 1:
        raise ScoresError(
            "--top keeps a share of the systems, above 0 and at most 1, as in 0.75, "
            f"not {share:g}{_share_hint(share, scores.sizes['system'])}"
        )
    by = main_metric(scores) if by is None else by
    column = means(select(scores, metrics=[by])).values[:, 0]
    if np.isnan(column).any():
        raise ScoresError(
            f"systems cannot be ranked by {by}: some have no score on some topics"
        )
    kept = share_of(column.size, share)
    if not kept:
        raise ScoresError(
            f"a share of {share} keeps none of {column.size} systems; raise it"
        )
    # means that differ by rounding only are tied; a stable order lets the earlier of them stay
    best_first = np.argsort(-settled(column), kind="stable")
    return scores.isel(system=np.sort(best_first[:kept]))


def prepare(
    scores: xr.DataArray,
    *,
    metrics: str | Iterable[str] | None = None,
    top: float | None = None,
    by: str | None = None,
    missing: MissingOfPairs = "error",
    pairs: bool = False,
    by_topic: bool = False,
    of_means: bool = False,
) -> tuple[xr.DataArray, list[str]]:
    """Return the part of a cube that a study is about, without missing cells, and notes on what was left out.

    Topics that come in clusters are replaced by their clusters, which are then what was drawn independently; scores of
    systems that are means of several runs are moved so that their scatter is that of runs, too.

    metrics : all by default.  top, by : keep the best systems, see `top_systems`; `by` need not be among the metrics.
    missing : see `complete`; scores of metrics that are neither studied nor `by` may be missing.
    pairs : the study goes pair by pair, so that with "pairwise" missing cells stay; clusters have none.
    by_topic : the study looks at each topic by itself, whatever its cluster.  of_means : see `clustering_notes`.
    """
    pairs = pairs and (by_topic or not in_clusters(scores))
    whole, notes = _selected(scores, metrics, top, by, missing, pairs)
    if by_topic:
        return whole, notes
    units, of_clusters = by_cluster(whole)
    units, of_runs = by_runs(units)
    looked = clustering_notes(whole, of_means=of_means)
    return units, notes + of_clusters + of_runs + looked


def _selected(
    scores: xr.DataArray,
    metrics: str | Iterable[str] | None,
    top: float | None,
    by: str | None,
    missing: MissingOfPairs,
    pairs: bool,
) -> tuple[xr.DataArray, list[str]]:
    """Return the metrics and systems that a study is about, complete, and what was left out."""
    if by is not None and top is None:
        raise ScoresError("--by needs --top, as in --top 0.75")
    used = select(scores, metrics=metrics)
    names = [str(name) for name in used.metric.values]
    deeper = deeper_metrics(metrics, names)
    if top is None:
        if pairs and missing == "pairwise":
            whole = _require_scale(check(used))
            notes = notes_on_pairs(whole)
        else:
            whole, notes = complete(used, missing, pairs=pairs)
        return whole, deeper + notes
    by = main_metric(used) if by is None else metric_of(scores, by)
    if by in names:
        needed = used
    else:
        needed = select(scores, metrics=[*names, by])
    whole, notes = complete(needed, missing)
    best = top_systems(whole, top, by)
    notes.append(
        f"{best.sizes['system']} of {whole.sizes['system']} systems: the top {top:g} by {by} on all topics"
    )
    of_best = {"systems": whole.sizes["system"], "by": by}
    chosen = recorded(chosen_from(best.attrs, of_best))
    return select(best, metrics=names).assign_attrs(chosen), deeper + notes


def deeper_metrics(
    wanted: str | Iterable[str] | None, used: Iterable[str]
) -> list[str]:
    """Note the metrics that were asked for without a cutoff and are there only with one.

    >>> deeper_metrics("AP RR", ["AP@1000", "RR"])
    ['the scores have no AP; the deepest one, AP@1000, is used']
    """
    if wanted is None:
        return []
    names = list(used)
    asked = [name for name in metric_names(wanted) if name not in names]
    used_as = {name: found_as(name, names) for name in asked}
    return [
        f"the scores have no {name}; the deepest one, {deeper}, is used"
        for name, deeper in used_as.items()
        if deeper and raw(deeper) != name
    ]


def metric_of(scores: xr.DataArray, name: str) -> str:
    """Return the one metric of the scores that a name stands for; an unknown name raises ScoresError.

    >>> from irmeta.scores.cube import cube
    >>> metric_of(cube([[[0.5]]], ["bm25"], ["301"], ["AP@1000"]), "map")
    'AP@1000'
    """
    [metric] = select(scores, metrics=[name]).metric.values
    return str(metric)


def notes_on_pairs(scores: xr.DataArray) -> list[str]:
    """Note how many scores are missing, where some are, and each pair is compared on those of both."""
    absent = int(np.isnan(scores.values).sum())
    if not absent:
        return []
    return [
        OnPairs(
            f"{absent} of {scores.size} scores are missing; each pair is compared on the scores that both have"
        )
    ]


def require_by_topic(scores: xr.DataArray) -> None:
    """Raise ScoresError for means of systems, as tables of results and reports of ranx hold."""
    if scores.topic.values.tolist() == [ALL]:
        raise ScoresError(
            "these scores are means, one for each system, which do not say how topics vary; score the runs by topic: "
            "`irmeta evaluate QRELS RUNS -o SCORES`"
        )


def require_topics(scores: xr.DataArray) -> None:
    """Raise ScoresError for scores that say nothing of single topics, where a study is of topics."""
    require_by_topic(scores)
    if "estimated" in about(scores):
        raise ScoresError(
            "these scores are what topics add to an estimate, and how topics vary is not in them; take the scores by "
            "people, or by the machine (irmeta evaluate QRELS RUNS -o scores.parquet)"
        )


def require_size(scores: xr.DataArray, what: str, topics: int) -> None:
    """Raise ScoresError where there are fewer than 2 systems, or topics than needed; what : needs them."""
    systems, there = scores.sizes["system"], scores.sizes["topic"]
    if systems >= 2 and there >= topics:
        return
    require_by_topic(scores)
    raise ScoresError(
        f"{what} needs at least 2 systems and {topics} topics; there are {systems} and {there}"
    )


def main_metric(scores: xr.DataArray) -> str:
    """Return the metric that systems are ordered by where none is named, see `metrics.names.leading`."""
    return leading(map(str, scores.metric.values))


def main_notes(scores: xr.DataArray, option: str) -> list[str]:
    """Note which of several metrics ranks the systems where none is named, and the option that names another."""
    count = scores.sizes["metric"]
    if count == 1:
        return []
    return [
        f"of the {count} metrics {main_metric(scores)} ranks the systems; {option} names another"
    ]


def _require_scale(scores: xr.DataArray) -> xr.DataArray:
    """Return a cube; raise ScoresError if a metric's scores are so small or large that studies would be wrong."""
    largest = np.abs(scores.values).max(
        axis=(0, 1), initial=0, where=~np.isnan(scores.values)
    )
    for metric, most in zip(scores.metric.values, largest.tolist(), strict=True):
        if most > MOST or 0 < most < LEAST:
            raise ScoresError(
                f"the largest score of {metric} is {most:.3g}; studies round to ten decimals and "
                f"need it between {LEAST:g} and {MOST:g}: multiply all scores by one number, so "
                f"that they reach about 1, or leave {metric} out"
            )
    return scores


def complete(
    scores: xr.DataArray, missing: MissingOfPairs = "error", *, pairs: bool = False
) -> tuple[xr.DataArray, list[str]]:
    """Return a cube without missing cells, and notes on what was left out for it.

    missing : "error" raises ScoresError; "topics" leaves out every topic that some system lacks, "systems" every system
    that lacks some topic, "common" topics and systems so that most scores stay. "pairwise" raises ScoresError: it is
    for studies that go pair by pair. Scores that are too small or too large to be compared raise ScoresError.
    pairs : this is such a study, so that the error names "pairwise", too.
    """
    require_choice("missing", missing, get_args(MissingOfPairs))
    scores = _require_scale(check(scores))
    absent = np.isnan(scores.values)
    if not absent.any():
        return scores, []
    count = f"{int(absent.sum())} of {absent.size} scores are missing"
    if missing in ("error", "pairwise"):
        raise ScoresError(
            f"{count} (first: {first_of(scores, absent)}); {_missing_hint(absent, missing, pairs)}"
        )
    kept = complete_part(absent, _DROPPED[missing])
    of_system, of_topic, _ = kept
    if not (of_system.any() and of_topic.any()):
        every = "system" if missing == "systems" else "topic"
        raise ScoresError(
            f"{count}, and every {every} lacks some; {_missing_hint(absent, missing, pairs)}"
        )
    if of_topic.sum() < min(2, of_topic.size):
        left = f"{counted(int(of_system.sum()), 'system')} and {counted(int(of_topic.sum()), 'topic')}"
        raise ScoresError(
            f"{count}, and --missing {missing} leaves {left}; {_missing_hint(absent, missing, pairs)}"
        )
    dropped = [
        f"{np.count_nonzero(~keep)} of {keep.size} {dim}s ({listed(scores[dim].values[~keep], 3)})"
        for dim, keep in (("system", of_system), ("topic", of_topic))
        if not keep.all()
    ]
    note = f"{count}; dropped {' and '.join(dropped)} that lack scores"
    used = scores.isel(system=of_system, topic=of_topic)
    return used.assign_attrs({LEFT_OUT: note}), [note]


def _enough(kept: Sequence[Bools]) -> bool:
    """Return whether 2 systems and 2 topics are kept, where there are 2."""
    return all(axis.sum() >= min(2, axis.size) for axis in kept[:2])


def _missing_hint(absent: Bools, missing: MissingOfPairs, pairs: bool) -> str:
    """Say what can be done about missing scores: the ways that leave 2 systems and 2 topics, where there are 2."""
    ways = [
        way for way, axes in _DROPPED.items() if _enough(complete_part(absent, axes))
    ]
    drop = "metrics or systems (--metrics, --systems)"
    if ways:
        least = "; common drops least" if len(ways) > 1 else ""
        drop = f"topics or systems (--missing {joined(ways, 'or')}{least})"
    drop += ", or fill those that count as 0 (in Python scores.fillna(0))"
    if missing == "pairwise":
        return f"{_PAIRWISE}: drop {drop}"
    if pairs:
        return f"compare each pair on the scores that both have (--missing pairwise), or drop {drop}"
    return f"drop {drop}"


def require_variation(values: Floats, metrics: Iterable[str], where: str = "") -> None:
    """Raise ScoresError if a metric has the same value throughout: it distinguishes no systems.

    values : a row for each metric.  where : what the message says of the place, as in " on TREC-8".
    """
    names = [str(name) for name in metrics]
    flat = [
        name for name, row in zip(names, values, strict=True) if np.ptp(row) < 1e-10
    ]
    if not flat:
        return
    does, them = ("does", "it") if len(flat) == 1 else ("do", "them")
    others = " ".join(name for name in names if name not in flat)
    rest = f": --metrics {others!r}" if others else ""
    raise ScoresError(
        f"{', '.join(flat)} {does} not distinguish these systems{where} (all scores equal); leave {them} out{rest}"
    )


def varying_metrics(scores: xr.DataArray) -> xr.DataArray:
    """Keep the metrics that distinguish systems: a metric whose mean is the same for all correlates with nothing.

    >>> from irmeta.scores.cube import cube
    >>> varying_metrics(cube([[[0.1, 1.0]], [[0.2, 1.0]]], ["a", "b"], ["301"], ["AP", "P@10"])).metric.values.tolist()
    ['AP']
    """
    values = means(scores).values
    return scores.isel(metric=~(np.ptp(values, axis=0) < 1e-10))
