"""What is told of systems on different collections: who stands higher, among whom, and measured from which anchors."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl
import xarray as xr

from irmeta.scores.attributes import about
from irmeta.scores.figures import interval, p_in_sentence, short, signed, with_interval
from irmeta.scores.result import ends, frame
from irmeta.studies.place.anchors import ANCHORED, DRIFT
from irmeta.studies.place.rows import FEW, first, interval_of, most_of
from irmeta.words import counted, listed

SIDES = ("collection_a", "system_a", "collection_b", "system_b", "metric")


def drifts(outcome: xr.Dataset) -> pl.DataFrame:
    """Tell how much lower the systems that are on both stand on the second of two collections."""
    view = frame(outcome, DRIFT, by=("field_a", "field_b", "metric"))
    view = view.rename(
        {
            "field_a": "collection_a",
            "field_b": "collection_b",
            "drift_systems": "systems",
        }
    )
    return view.with_columns(pl.col("systems").cast(pl.Int64))


def anchored_pairs(outcome: xr.Dataset) -> pl.DataFrame:
    """Tell what the anchors say of the others, on different collections."""
    return without_anchors(outcome, frame(outcome, ANCHORED, by=SIDES).drop_nans())


def pairs_across(
    outcome: xr.Dataset, pairs: pl.DataFrame | None
) -> pl.DataFrame | None:
    """Keep the pairs of systems on different collections, but for anchors, which are to be the same on both."""
    if pairs is None:
        return None
    other = pl.col("collection_a") != pl.col("collection_b")
    return without_anchors(outcome, pairs.filter(other))


def without_anchors(
    outcome: xr.Dataset, view: pl.DataFrame, sides: Sequence[str] = ("_a", "_b")
) -> pl.DataFrame:
    """Leave out the rows of anchors, on any of the sides that columns are named after."""
    for name, own in about(outcome)["options"]["anchors"].items():
        for side in sides:
            here = pl.col(f"collection{side}") == name
            view = view.filter(~(here & pl.col(f"system{side}").is_in(own)))
    return view


def overview(view: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Show what anchors say of pairs."""
    kept, heading = most_of(view, "anchored", by="anchored_p")
    names = ("system_a", "collection_a", "system_b", "collection_b")
    pair = pl.format("{} on {} / {} on {}", *names)
    gains = pl.format("{}, {}", *(pl.col(f"gain_{one}").round(3) for one in "ab"))
    ends = interval_of("anchored_low", "anchored_high")
    difference = pl.format("{} ({})", pl.col("anchored").round(3), ends)
    return {
        heading: kept.select(
            pair.alias("pair"),
            "metric",
            gains.alias("gains"),
            difference.alias("difference"),
            pl.col("anchored_p").alias("p"),
        )
    }


def sentences(
    outcome: xr.Dataset, views: Mapping[str, pl.DataFrame], metric: str
) -> Iterator[str]:
    """Say who stands higher among the systems of its collection, and beside it what that is worth."""
    options = about(outcome)["options"]
    pairs = pairs_across(outcome, views.get("pairs"))
    if pairs is None or not pairs.height:
        return
    by = "p"
    if "anchored" in views:
        pairs = pairs.join(views["anchored"], on=SIDES)
        by = "anchored_p"
    drift = views["drift"].filter(metric=metric).to_dicts()
    fields = {(row["collection_a"], row["collection_b"]): row for row in drift}
    who = ""
    if pairs.filter(metric=metric).height > FEW:
        who = ", the best of each collection (p does not allow for this choice)"
        pairs = _best_against_best(
            outcome, views["systems"].filter(metric=metric), pairs
        )
    for row in first(pairs, metric, by=by):
        said = _pair_sentence(row, options["level"], who)
        between = fields.pop((row["collection_a"], row["collection_b"]), None)
        if "anchored" in views:
            said += " " + _anchored_sentence(row, options)
            if between is not None:
                said += " " + _drift_sentence(between)
        elif between is not None:
            said += _fields_sentence(between, options)
        yield said


def _best_against_best(
    outcome: xr.Dataset, systems: pl.DataFrame, pairs: pl.DataFrame
) -> pl.DataFrame:
    """Keep of many pairs those of the best system of each collection, but for anchors."""
    others = without_anchors(outcome, systems, [""]).sort("rank", maintain_order=True)
    best = others.unique("collection", keep="first").select("collection", "system")
    for side in "ab":
        names = [f"collection_{side}", f"system_{side}"]
        pairs = pairs.join(
            best, left_on=names, right_on=["collection", "system"], how="semi"
        )
    return pairs


def _pair_sentence(row: Mapping[str, Any], level: float, who: str) -> str:
    """Say which of two systems stands higher, each among the systems of its collection; who : why these two."""
    a, b = _named_sides(row)
    difference, low, high = map(row.__getitem__, ends("difference"))
    if row["p"] > 1 - level:
        verdict = f"no significant difference between {a} and {b}, each among the systems of its collection"
    else:
        if difference < 0:
            a, b = b, a
            difference, low, high = -difference, -high, -low
        verdict = f"{a} stands higher among the systems of its collection than {b}"
    difference = with_interval(difference, low, high, sign=True)
    return f"{row['metric']}{who}: {verdict}: standardized difference {difference}, {p_in_sentence(row['p'])}."


def _fields_sentence(row: Mapping[str, Any], options: Mapping[str, Any]) -> str:
    """Say of which systems the two fields are, where they are not the same, and how to measure without them."""
    names = (row["collection_a"], row["collection_b"])
    fields = [options["fields"][name] for name in names]
    both = options["on_both"][" ".join(names)]
    if all(both == one["systems"] for one in fields):
        return ""
    each = "; ".join(
        f"{name}: {_field_text(one)}" for one, name in zip(fields, names, strict=True)
    )
    return (
        f" The company differs ({each}; {both or 'none'} of one name on both{_moved_clause(row)}), and among stronger "
        "systems the same system stands lower: --anchor NAME measures from systems that ran unchanged on both."
    )


def _field_text(field: Mapping[str, Any]) -> str:
    """Count the systems of a field, and those of each type, as `field_facts` has them."""
    systems = counted(field["systems"], "system")
    if not field["types"]:
        return systems
    types = listed([f"{count} {kind}" for kind, count in field["types"].items()])
    return f"{systems}, {types}"


def _moved_clause(row: Mapping[str, Any]) -> str:
    """Say how much lower or higher the systems of one name stand on the second collection."""
    if row["drift"] is None:
        return ""
    way = "lower" if row["drift"] > 0 else "higher"
    return f", on average {short(abs(row['drift']), 3)}{_interval_clause(row)} {way} on {row['collection_b']}"


def _interval_clause(row: Mapping[str, Any]) -> str:
    """Write the interval of how much lower, or higher, systems stand."""
    if row["drift_low"] is None:
        return ""
    low, high = row["drift_low"], row["drift_high"]
    if row["drift"] <= 0:
        low, high = -high, -low
    return f" ({interval(low, high)})"


def _anchored_sentence(row: Mapping[str, Any], options: Mapping[str, Any]) -> str:
    """Say which of two systems is higher, measured from anchors; one anchor cannot say it."""
    a, b = _named_sides(row)
    count = len(options["anchors"][row["collection_a"]])
    gains = f"gains {' and '.join(signed([row['gain_a'], row['gain_b']]))}"
    difference = with_interval(*map(row.get, ends("anchored")), sign=True)
    tested = f"difference {difference}, {p_in_sentence(row['anchored_p'])}"
    start = f"Measured from {counted(count, 'anchor')}"
    if count < 2:
        return (
            f"{start} it is no verdict: {gains}, {tested} by topics alone, and one cannot show how differently systems "
            "move that did not change. Name 2 or more, better 5."
        )
    verdict = f"{a if row['anchored'] > 0 else b} stands higher"
    if row["anchored_p"] > 1 - options["level"]:
        verdict = "there is no significant difference"
    return f"{start}, {verdict}: {gains}, {tested}."


def _drift_sentence(row: Mapping[str, Any]) -> str:
    """Say how the field moved, by the anchors."""
    count = row["systems"]
    way = "lower" if row["drift"] > 0 else "higher"
    who = "The anchor stands" if count == 1 else f"The {count} anchors stand"
    stronger = row["collection_b"] if row["drift"] > 0 else row["collection_a"]
    shown = f"so the systems of {stronger} are the stronger company"
    if row["drift_low"] <= 0 <= row["drift_high"]:
        shown = "so no change of the field is shown"
    return f"{who} {short(abs(row['drift']), 3)}{_interval_clause(row)} {way} on {row['collection_b']}, {shown}."


def _named_sides(row: Mapping[str, Any]) -> tuple[str, str]:
    """Return the names of both systems of a pair, each with its collection."""
    a, b = (f"{row[f'system_{side}']} on {row[f'collection_{side}']}" for side in "ab")
    return a, b
