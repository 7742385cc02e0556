"""Check factors that somebody made of runs that are not public, and add them to those that ship.

python scripts/contributed.py robust2005.parquet --source URL --licence TEXT --citation TEXT

The file is one of `irmeta standardize fit`, named as its collection. docs/collections.md has the whole recipe.
"""

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

import xarray as xr

from irmeta.datasets import factors as factor_files
from irmeta.metrics.names import is_known
from irmeta.scores.attributes import about, recorded

SHIPPED = Path(__file__).parents[1] / "src" / "irmeta" / "datasets" / "shipped"
FEWEST = 10
"""Systems, and topics: fewer standardize badly."""
LARGEST = 300_000
"""Bytes of a file: all of them travel with irmeta."""
SAID = ("source", "licence", "citation")
CONTRIBUTED = "contributed"
"""What stands in place of a dataset of the catalogue, where the scores themselves are not public."""


def main() -> None:
    """Check a file, say where it is from, and write it into the package; or say all that is wrong with it."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("file", type=Path)
    for name in SAID:
        options.add_argument(f"--{name}", required=True)
    given = vars(options.parse_args())
    print(add(given.pop("file"), SHIPPED, **given))


def add(file: Path, folder: Path, **said: str) -> Path:
    """Write a file of factors into a folder with its source; SystemExit says what is wrong with it."""
    target = folder / file.name
    if target.exists():
        raise SystemExit(
            f"{target} is there already; remove it first if this one replaces it"
        )
    factors = factor_files.load(file)
    told = {"scores": {**said, "dataset": CONTRIBUTED}}
    factor_files.save(factors.assign_attrs(recorded(told)), target)
    if wrong := list(faults(target)):
        target.unlink()
        raise SystemExit("\n".join(wrong))
    return target


def faults(file: Path) -> Iterator[str]:
    """Say what keeps a file of factors from being shipped."""
    factors = factor_files.load(file)
    said = about(factors)
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", file.stem):
        yield f"{file.name}: a name has lower-case letters, digits and dashes, as in trec-covid-1"
    if said.get("collection") != file.stem:
        yield f"{file.name}: its collection is {said.get('collection')!r}; evaluate with --collection {file.stem}"
    if file.stat().st_size > LARGEST:
        yield f"{file.name}: {file.stat().st_size:,} bytes, at most {LARGEST:,}; take fewer metrics"
    for name in SAID:
        if not str(said["scores"].get(name) or "").strip():
            yield f"{file.name}: it does not say its {name}"
    yield from (f"{file.name}: {fault}" for fault in _of_scores(factors))


def _of_scores(factors: xr.Dataset) -> Iterator[str]:
    """Say what is wrong with what was fitted."""
    said = about(factors)
    if int(factors["n"].min()) < FEWEST or factors.sizes["topic"] < FEWEST:
        yield f"each topic needs scores of {FEWEST} systems, and there must be {FEWEST} topics"
    for metric in factors.metric.values:
        if not is_known(metric):
            yield f"irmeta knows no metric {metric!r}"
        elif metric not in said.get("standing", {}) or metric not in said.get(
            "spread", {}
        ):
            yield f"no standing of its systems by {metric}; fit again with this irmeta"


if __name__ == "__main__":
    main()
