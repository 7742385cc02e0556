"""`irmeta report`: every study on one page."""

import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from irmeta.cli.app import app, option
from irmeta.cli.options import (
    FileOrUrl,
    Labels,
    Metric,
    MissingScores,
    Names,
    OutputFolder,
    Quiet,
    Reader,
    Seed,
    SeveralFiles,
    Teams,
    Workers,
    listed_names,
)
from irmeta.cli.output import say, say_note, say_wrote, working
from irmeta.errors import IrmetaError

if TYPE_CHECKING:
    import xarray as xr

    from irmeta.io.runs.trec import Reading
    from irmeta.scores.groups.teams import Groups
    from irmeta.studies.result import Result


@dataclass(frozen=True, kw_only=True)
class ReportScores(SeveralFiles):
    """Scores of one or more files; where some are missing, most stay."""

    missing: MissingScores = "common"


@app.command()
def report(
    scores: ReportScores,
    teams: Teams,
    labels: Labels,
    reader: Reader,
    output: OutputFolder,
    by: Metric | None = None,
    title: str | None = None,
    highlight: Names | None = None,
    qrels: FileOrUrl | None = None,
    runs: Annotated[list[str] | None, option(metavar="FILE|DIR")] = None,
    human: FileOrUrl | None = None,
    llm: FileOrUrl | None = None,
    sample: FileOrUrl | None = None,
    beside: Annotated[str | None, option(metavar="PAGE")] = None,
    depth: Annotated[int, option(min=0)] = 10,
    pdf: bool = False,
    seed: Seed = 0,
    workers: Workers = None,
    quiet: Quiet = False,
) -> None:
    """Run every study and write one HTML page, with its tables and figures as files.

    The folder gets index.html, which works by itself and offline; tables/ with CSV and LaTeX; figures/ with SVG.

    output : the output folder: new, empty, or one of an earlier report
    by : the metric that systems are ordered by; by default the first, or AP@1000 of evaluate's own set
    title : title of the page; by default the collections, and the size of one
    highlight : systems to mark, separated by commas; 'bm25*' matches names, @FILE has one on each line
    qrels : judgments: adds a section on what a new run loses
    runs : with --qrels, the runs that were pooled; with --human, those judged; can be repeated
    human : judgments by people, of some topics or all: adds sections on what they and a machine show
    llm : with --human: judgments by a machine
    sample : with --human: how its topics were drawn, from irmeta judges sample
    beside : a page to link to, as that of irmeta leaderboard: ../board/index.html
    depth : with --qrels: the depth of the pool; 0 if it had none
    pdf : write every figure as PDF, too, for print

    irmeta report scores.parquet -o report/

    irmeta report trec7.parquet trec8.parquet -o report/ --by nDCG@10

    irmeta report scores.parquet -o report/ --title "Round 5" --highlight myrun

    irmeta report scores.parquet -o report/ --qrels qrels.txt --runs runs/ --teams teams.csv --depth 10

    irmeta report scores.parquet -o report/ --human part.txt --llm llm.txt --runs runs/
    """
    if output.suffix == ".html" and not output.is_dir():
        raise IrmetaError(
            f"{output}: a report is a folder, with tables and figures beside its page: -o {output.stem}/"
        )
    from irmeta.report.page.writing import write_sections
    from irmeta.report.words import headlines
    from irmeta.scores.selection import main_notes

    systems: dict[str, Any] = {"systems": scores.systems}
    named = labels.replace_labels(systems)
    cubes = replace(scores, **systems).cubes()
    source = "SCORES"
    if len(scores.scores) == 1:
        source = shlex.quote(scores.scores[0].name)
    files = {"QRELS": qrels, "HUMAN": human, "MACHINE": llm, "SAMPLE": sample}
    files["RUNS"] = runs[0] if runs and len(runs) == 1 else None
    reading = reader.reading()
    with working(workers, quiet=quiet):
        groups = teams.read()
        usable = _usable_runs(qrels or human, runs, cubes, reading, quiet=quiet)
        results = []
        if human is not None or llm is not None or sample is not None:
            results += _judge_results(
                human, llm, sample, usable, cubes, by, groups, seed, reading
            )
            if sample is not None and len(results) == 1:
                say_note(
                    "people judged every topic, so --sample is not used", quiet=quiet
                )
        if qrels is not None or (runs and not results):
            results += [_reuse_result(qrels, usable, cubes, groups, depth, reading)]
        page, sections = write_sections(
            cubes,
            output,
            by=by,
            missing=scores.missing,
            teams=groups,
            title=title,
            highlight=listed_names(highlight),
            labels=labels.labels,
            results=results,
            beside=beside,
            named={word: shlex.quote(file) for word, file in files.items() if file},
            reading=reader.words(),
            rng=seed,
            source=source,
            pdf=pdf,
        )
    say(headlines(sections), quiet=quiet)
    _say_unused(named, cubes, quiet=quiet)
    if by is None and len(cubes) == 1:
        [cube] = cubes.values()
        for note in main_notes(cube, "--by"):
            say_note(note, quiet=quiet)
    say_wrote(page, "open it in a browser", quiet=quiet)


def _usable_runs(
    qrels: str | None,
    runs: list[str] | None,
    cubes: "dict[str, xr.DataArray]",
    reading: "Reading",
    *,
    quiet: bool,
) -> Any:
    """Return the runs without those that have no scores and cannot be read, as `evaluate --on-error skip` left out."""
    from irmeta.evaluation.engine import Evaluation
    from irmeta.evaluation.sources import sources_of

    if qrels is None or not runs:
        return runs
    sources = dict(sources_of(runs))
    scored = {str(name) for scores in cubes.values() for name in scores.system.values}
    others = {name: run for name, run in sources.items() if name not in scored}
    if not others:
        return runs
    task = Evaluation.of(qrels, others, "P@1", reading=reading).task
    outcomes = {name: task.outcome((name, run))[0] for name, run in others.items()}
    broken = {
        name: out.error for name, out in outcomes.items() if out.error is not None
    }
    if not broken or len(broken) == len(sources):
        return runs
    for error in broken.values():
        say_note(f"a run without scores is left out: {error}", quiet=quiet)
    return {name: run for name, run in sources.items() if name not in broken}


def _say_unused(
    labels: dict[str, str], cubes: "dict[str, xr.DataArray]", *, quiet: bool
) -> None:
    """Say which labels name no system of the page: those of its metrics, and what may be slips."""
    from irmeta.metrics.names import canonical, found_as
    from irmeta.scores.names import known_as
    from irmeta.studies.result.labels import slips
    from irmeta.words import listed

    systems, metrics = (
        [str(name) for scores in cubes.values() for name in scores[dim].values]
        for dim in ("system", "metric")
    )
    others = [name for name in labels if not known_as(name, systems)]
    unused = [name for name in others if found_as(canonical(name), metrics)]
    unused += slips(others, [name for name in systems if name not in labels]).values()
    if unused:
        say_note(
            f"labels of no system, left out: {listed(unused)}; metrics keep their names on the page",
            quiet=quiet,
        )


def _judge_results(
    human: str | None,
    llm: str | None,
    sample: str | None,
    runs: Any,
    cubes: "dict[str, xr.DataArray]",
    by: str | None,
    teams: "Groups | str | None",
    seed: int,
    reading: "Reading",
) -> "list[Result]":
    """Compare a machine's judgments with those of people, and where it judged more topics estimate by both."""
    from irmeta.metrics.names import raw
    from irmeta.report.page.content import ordering_metric
    from irmeta.scores.attributes import about
    from irmeta.studies.judges.compare.study import compare_judges
    from irmeta.studies.judges.estimate import estimate

    if human is None or llm is None or not runs or len(cubes) > 1:
        raise IrmetaError(
            "the sections on people and machine need --human, --llm and --runs, of one collection"
        )
    [scores] = cubes.values()
    metric = raw(ordering_metric(scores, by))
    compared = compare_judges(
        [human, llm],
        runs=runs,
        metrics=[metric],
        teams=teams,
        reading=reading,
        rng=seed,
    )
    joined = estimate(
        human, llm, runs=runs, metrics=[metric], sample=sample, reading=reading
    )
    inputs = about(joined.data)["inputs"]["collections"]
    if inputs["human"]["topics"] == inputs["machine"]["topics"]:
        return [compared]  # people judged all: there is nothing to estimate
    return [compared, joined]


def _reuse_result(
    qrels: str | None,
    runs: Any,
    cubes: "dict[str, xr.DataArray]",
    teams: "Groups | str | None",
    depth: int,
    reading: "Reading",
) -> "Result":
    """Leave groups out of the pool, by the metrics of the scores that this can be done with."""
    from irmeta.metrics.names import is_known, raw
    from irmeta.metrics.values import geometric
    from irmeta.studies.place.reuse.study import reuse

    if qrels is None or not runs or len(cubes) > 1:
        raise IrmetaError(
            "the section on what a new run loses needs --qrels and --runs, of one collection"
        )
    names = [
        raw(str(name)) for scores in cubes.values() for name in scores.metric.values
    ]
    wanted = [name for name in names if is_known(name) and not geometric([name])]
    options: dict[str, Any] = {"teams": teams, "metrics": wanted, "reading": reading}
    return reuse(qrels, runs, depth=depth or None, **options)
