"""`irmeta place`: where systems stand among everybody's, on one collection or on several."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from irmeta.cli.app import app, argument, option
from irmeta.cli.options import MissingScores, Seed, Selected, Shown, named
from irmeta.errors import IrmetaError

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True, kw_only=True)
class Placed(Selected):
    """Scores of files, or runs that are scored first, and which of them to use."""

    given: Annotated[
        list[str],
        argument(metavar="SCORES|RUNS", help="Score files; with --qrels, run files."),
    ]

    def cubes(self) -> "dict[str, xr.DataArray]":
        """Read every collection of score files, by names that are distinct."""
        from irmeta.scores.cubes import distinct

        paths = map(Path, self.given)
        [cubes] = distinct([[(path, self.read(path)) for path in paths]])
        return cubes

    def of_runs(self, scores: "xr.DataArray") -> "xr.DataArray":
        """Return the systems and topics to use of runs that were scored."""
        from irmeta.scores.selection import select

        return select(scores, systems=named(self.systems), topics=named(self.topics))


@app.command()
def place(
    placed: Placed,
    shown: Shown,
    on: Annotated[
        list[str] | None,
        option(
            "--on",
            "--factors",
            metavar="NAME|FILE",
            help="The systems to rank among, everybody's on this collection: factors that ship "
            "(irmeta datasets list), a factors file, or a score file of all systems. Give one "
            "for each collection, in the same order.",
            show_default="factors that ship under the collection's name",
        ),
    ] = None,
    qrels: Annotated[
        str | None,
        option(metavar="FILE", help="Relevance judgments, to score run files with."),
    ] = None,
    baseline: Annotated[
        str | None,
        option(
            metavar="NAME|FILE",
            help="The system that others should improve on: its name, or with --qrels a run file.",
        ),
    ] = None,
    level: Annotated[
        float,
        option(help="Level of intervals and rank sets; tests have level 1 - this."),
    ] = 0.95,
    missing: MissingScores = "error",
    seed: Seed = 0,
) -> None:
    """Place systems among all that ran on their collection, and compare systems of different collections.

    irmeta place my.run --on trec-covid-1 --qrels qrels.txt --baseline bm25.run

    irmeta place mine.parquet theirs.parquet --on trec8 --on robust2004 -m AP

    Systems of different collections are compared by standardized scores; intervals allow for
    the choice of the systems that standardize.
    """
    from irmeta.studies.place import place as study

    known = {name: _everybody(name) for name in on or []}
    if qrels is not None:
        cubes = _evaluated(qrels, placed, baseline, known)
        baseline = None if baseline is None else _name(baseline)
    else:
        cubes = placed.cubes()
    if not known:
        known = {name: _shipped(name) for name in cubes}
    options: dict[str, Any] = {
        "metrics": placed.metrics,
        "baseline": baseline,
        "level": level,
        "missing": missing,
        "rng": seed,
    }
    shown.show(study, cubes, on=_matched(list(cubes), known), **options)


def _everybody(name: str) -> "xr.Dataset | xr.DataArray":
    """Read what is known of everybody's systems: factors of a file, or that ship, or scores."""
    from irmeta.datasets import factors as factor_files
    from irmeta.io.scores import load

    if factor_files.is_factors(name) or not Path(name).exists():
        return factor_files.load(name)
    return load(name)


def _shipped(collection: str) -> "xr.Dataset":
    """Read the factors that ship under a collection's name."""
    from irmeta.datasets import factors as factor_files

    if not factor_files.is_factors(collection):
        raise IrmetaError(
            f"no factors ship for the collection {collection}; name the systems to rank among with "
            "--on: factors that ship (irmeta datasets list), a factors file, or a score file of "
            "all systems"
        )
    return factor_files.load(collection)


def _matched(
    collections: list[str], known: "dict[str, xr.Dataset | xr.DataArray]"
) -> "dict[str, xr.Dataset | xr.DataArray]":
    """Match factors to collections: those of its name, or those in its place."""
    named = {str(one.attrs.get("collection")): one for one in known.values()} | known
    if all(name in named for name in collections):
        return {name: named[name] for name in collections}
    if len(known) != len(collections):
        raise IrmetaError(
            f"{len(collections)} collections ({', '.join(collections)}) and {len(known)} --on ({', '.join(known)}): "
            "give --on once for each collection, in the same order"
        )
    return dict(zip(collections, known.values(), strict=True))


def _evaluated(
    qrels: str,
    placed: Placed,
    baseline: str | None,
    known: "dict[str, xr.Dataset | xr.DataArray]",
) -> "dict[str, xr.DataArray]":
    """Score run files, and the baseline, by the metrics that everybody was scored by."""
    from irmeta.evaluation.engine import evaluate
    from irmeta.scores.standardization import OWN_NAME

    if len(known) != 1:
        raise IrmetaError(
            "run files need the name of their one collection, as in --on trec-covid-1"
        )
    [(name, everybody)] = known.items()
    wanted = placed.metrics or [str(metric) for metric in everybody.metric.values]
    files = placed.given if baseline is None else [*placed.given, baseline]
    collection = Path(name).stem
    scores = placed.of_runs(evaluate(qrels, files, wanted))
    # whether the judgments are of this collection, nobody has said
    own = {OWN_NAME: scores.attrs["collection"]}
    return {collection: scores.assign_attrs(own, collection=collection)}


def _name(run: str) -> str:
    from irmeta.io.files import location, stem

    return stem(location(run))
