"""`irmeta judges`: other judgments compared with true ones, and few human topics combined with many machine ones."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from irmeta.choices import Correction, JudgedTopics, JudgesView, explained
from irmeta.cli.app import Verbs, argument, option
from irmeta.cli.options import (
    RESULT,
    SCORES,
    Families,
    MissingScores,
    Quiet,
    Seed,
    Shown,
    Teamed,
)
from irmeta.cli.output import refuse_overwriting, say, write
from irmeta.errors import IrmetaError

if TYPE_CHECKING:
    import xarray as xr

    from irmeta.evaluation.sets import JudgmentSets
    from irmeta.studies.judges.compare.labels import Relevant

judges = Verbs(
    "judges",
    help="Compare judgments with true ones; combine few judgments by people with many by a machine.",
)

Runs = Annotated[
    list[str] | None,
    option(
        "--runs",
        panel=SCORES,
        metavar="FILE|DIR",
        help="The runs: a folder, a glob or a file; can be repeated.",
    ),
]
MetricNames = Annotated[
    str | None,
    option(
        "-m",
        "--metrics",
        "--metric",
        panel=SCORES,
        metavar="METRICS",
        help="Metrics, as in 'nDCG@10 AP(rel=2)'.",
    ),
]


@judges.command()
def compare(
    files: Annotated[
        list[str],
        argument(
            help="Judgment sets (qrels), the truth first; or score files with one collection for each judge; or a "
            "folder of them."
        ),
    ],
    teams: Teamed,
    families: Families,
    shown: Shown,
    runs: Runs = None,
    metrics: MetricNames = None,
    truth: Annotated[
        str | None,
        option(
            metavar="NAME", help="The judge to compare with.", show_default="the first"
        ),
    ] = None,
    topics: Annotated[
        JudgedTopics,
        option(
            panel=SCORES,
            help=explained(JudgedTopics, "The topics that means are taken over."),
        ),
    ] = "shared",
    best: Annotated[
        int, option(help="Also compute tau among the N best systems by the truth.")
    ] = 10,
    rel: Annotated[
        str | None,
        option(
            metavar="GRADES",
            help="The lowest grade that counts as relevant: one for all labels, as in 2; or one "
            "for each set, for its labels and metrics, as in 'nist=2 llm=1'.",
            show_default="any above 0",
        ),
    ] = None,
    alpha: Annotated[
        float, option(help="Level of the tests of pairs of systems.")
    ] = 0.05,
    correct: Annotated[
        Correction,
        option(
            help=explained(
                Correction, "Correction of these tests for the number of pairs."
            )
        ),
    ] = "none",
    view: Annotated[
        JudgesView,
        option(panel=RESULT, help=explained(JudgesView, "What --plot draws.")),
    ] = "tau",
    missing: MissingScores = "error",
    seed: Seed = 0,
) -> None:
    """Say whether other judgments rank systems as the true ones do, what they miss and invent, and whom they favour.

    irmeta judges compare nist.txt umbrela.txt binary.txt --runs runs/ -m 'nDCG@10 AP' --families teams.csv

    irmeta judges compare scores.parquet --truth nist # from scores, one collection for each judge

    irmeta judges compare judgments/ --truth nist --runs runs/ # every file of a folder is a judge

    irmeta judges compare nist.txt umbrela.txt # labels only

    With -o judges.parquet the scores under every judge are written there, and the result to the terminal.
    """
    from irmeta.studies.judges.compare import compare_judges

    refuse_overwriting(shown.output)
    relevant = _relevant(rel)
    cubes, judgments = _given(files, runs, metrics, relevant, shown)
    if shown.output is not None and shown.output.suffix == ".parquet":
        to_scores = shown.output
    else:
        to_scores = None
    if to_scores is not None and cubes is None:
        raise IrmetaError(
            f"{to_scores}: labels alone give no scores to write; name runs with --runs"
        )
    options: dict[str, Any] = {
        "truth": truth,
        "topics": topics,
        "best": best,
        "alpha": alpha,
        "correct": correct,
    }
    replace(shown, output=None if to_scores else shown.output).show(
        compare_judges,
        cubes,
        view=None if view == "tau" else view,
        judgments=judgments,
        metrics=metrics if judgments is None else None,
        teams=teams.read(),
        families=families.read(),
        rel=relevant,
        missing=missing,
        rng=seed,
        **options,
    )
    if to_scores is not None and cubes is not None:
        from irmeta.io.scores import save

        save(cubes, to_scores)


@judges.command()
def sample(
    file: Annotated[
        str,
        argument(help="Judgments (qrels) or scores of the topics to draw from."),
    ],
    topics: Annotated[int, option(min=2, help="How many topics to draw.")],
    strata: Annotated[
        int,
        option(
            min=1,
            help="Draw equally from N groups of topics, from easy to hard (score files only).",
        ),
    ] = 1,
    collection: Annotated[
        str | None,
        option(
            metavar="NAME",
            help="The collection of a score file, where it holds several.",
            show_default="the only one",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        option("-o", "--output", help="Write to this file (CSV), not to the terminal."),
    ] = None,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Draw at random the topics that people should judge, and write them with their probabilities.

    irmeta judges sample qrels.txt --topics 15 --seed 1 -o sample.csv

    irmeta judges sample machine.parquet --topics 15 --strata 5 -o sample.csv # by the machine's mean scores
    """
    import numpy as np

    from irmeta.io.lists import sample_text
    from irmeta.stats.judging.sampling import draw

    names, level = _topics_of(file, collection)
    if topics > len(names):
        raise IrmetaError(
            f"cannot draw {topics} topics from {len(names)}; lower --topics"
        )
    if strata > 1 and level is None:
        raise IrmetaError(
            "--strata needs the machine's scores; give a score file, as irmeta evaluate writes it"
        )
    if strata > topics:
        raise IrmetaError(
            f"cannot draw {topics} topics from {strata} strata with at least one from each; "
            "lower --strata"
        )
    drawn, chance = draw(
        topics,
        len(names),
        level if strata > 1 else None,
        strata,
        np.random.default_rng(seed),
    )
    write(
        sample_text({names[at]: float(p) for at, p in zip(drawn, chance, strict=True)}),
        output,
    )
    say(
        f"drew {topics} of {len(names)} topics with seed {seed}; judge all of them, and no others",
        quiet=quiet,
    )


def _given(
    files: list[str],
    runs: list[str] | None,
    metrics: str | None,
    rel: "Relevant",
    shown: Shown,
) -> "tuple[Mapping[str, xr.DataArray] | None, JudgmentSets | None]":
    """Return scores by judge, labels, or both, of what files were given."""
    tables = _tables(files)
    others = [file for file in files if not file.endswith(".parquet")]
    if tables and ((others and not all(map(_is_folder, others))) or runs):
        raise IrmetaError(
            "give judgment sets (with --runs for their scores) or score files, not both"
        )
    if tables:
        from irmeta.cli.options import distinct
        from irmeta.io.scores import load_all

        [cubes] = distinct([[(path, load_all(path)) for path in tables]])
        return cubes, None
    names = _named(files)
    if len(names) == 1:
        raise IrmetaError(
            f"{files[0]}: a comparison needs the truth and at least one judge; name a second judgment file"
        )
    sets = _sets(names)
    if not runs:
        if metrics:
            raise IrmetaError(
                "--metrics needs the runs that they score; name them with --runs"
            )
        return None, sets
    own = rel if isinstance(rel, Mapping) else None
    return _evaluated(sets, runs, metrics, shown, own), sets


def _tables(files: list[str]) -> list[Path]:
    """List the score files, those of folders that hold nothing else, too."""
    from irmeta.io.files import listed

    found = []
    for file in files:
        if file.endswith(".parquet"):
            found.append(Path(file))
        elif _is_folder(file):
            inside = [Path(str(path)) for path in listed(file)]
            if all(path.suffix == ".parquet" for path in inside):
                found += inside
    return found


def _is_folder(file: str) -> bool:
    return Path(file).is_dir()


def _named(files: list[str]) -> dict[str, str]:
    """Name judgment sets by their files, without the usual suffixes."""
    from irmeta.io.files import listed, location, stem

    names: dict[str, str] = {}
    for path in [path for file in files for path in listed(location(file))]:
        name = stem(path)
        for suffix in (".txt", ".json", ".qrels", ".qrel", ".tsv"):
            name = name.removesuffix(suffix)
        if name in names:
            raise IrmetaError(
                f"two judgment sets are named {name!r}: {names[name]} and {path}; rename one file"
            )
        names[name] = str(path)
    return names


def _sets(files: Mapping[str, str]) -> "JudgmentSets":
    from irmeta.evaluation.sets import JudgmentSets

    return JudgmentSets.of(files)


def _evaluated(
    sets: "JudgmentSets",
    runs: list[str] | None,
    metrics: str | None,
    shown: Shown,
    rel: Mapping[str, float] | None = None,
) -> "dict[str, xr.DataArray]":
    from irmeta.cli.output import working
    from irmeta.evaluation.sets import evaluate_under

    if not runs:
        raise IrmetaError("scores by these judgments need runs; name them with --runs")
    with working(shown.workers, quiet=shown.quiet):
        return evaluate_under(sets, runs, metrics or "nDCG@10", rel=rel)


def _relevant(text: str | None) -> "Relevant":
    """Read the lowest relevant grade, of all sets or of each: 2, or 'nist=2 llm=1'."""
    if text is None:
        return None
    try:
        if "=" not in text:
            return float(text)
        pairs = [part.rsplit("=", 1) for part in text.replace(",", " ").split()]
        return {name: float(grade) for name, grade in pairs}
    except ValueError:
        raise IrmetaError(
            f"--rel {text!r}: expected a grade, as in 2, or a grade for each set, as in 'nist=2 "
            "llm=1'"
        ) from None


def _topics_of(file: str, collection: str | None) -> "tuple[list[str], Any]":
    """Return the topics of judgments or of a score file, and of the latter the mean score of each."""
    if file.endswith(".parquet"):
        from irmeta.io.scores import load

        cube = load(file, collection)
        return [str(name) for name in cube.topic.values], cube.values[..., 0].mean(
            axis=0
        )
    from irmeta.evaluation.sources import qrels_of
    from irmeta.io.runs.trec import Reading
    from irmeta.scores.cube import labels

    if collection is not None:
        raise IrmetaError(
            f"{file}: not a score file, so it has no collections; leave out --collection"
        )
    return labels(qrels_of(file, Reading()).topics), None
