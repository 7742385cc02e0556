"""`irmeta serve`, `submit`, `freeze`: runs of many people on one board, seen and kept."""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any, Literal

from irmeta.cli.app import app, argument, option
from irmeta.cli.options import Address, Count, Name, OutputFolder, Team
from irmeta.cli.output import FAILED
from irmeta.errors import IrmetaError
from irmeta.words import decimal, decimal_with_interval, message

Url = Annotated[str, option(metavar="URL")]
SiteFolder = Annotated[Path, argument(metavar="SITE", help="Folder of the site.")]


@contextmanager
def require_serve() -> Iterator[None]:
    """Say which extra to install where it is lacking."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "irmeta":
            raise
        raise IrmetaError(
            f"this needs {error.name}; install it: pip install 'irmeta[serve]'"
        ) from error


@app.command()
def serve(
    site: SiteFolder,
    qrels: Path | None = None,
    runs: Annotated[list[Path] | None, option(metavar="DIR")] = None,
    metrics: Annotated[
        str, option("-m", "--metrics", metavar="METRICS")
    ] = "nDCG@10 AP P@10",
    listen: Address = "127.0.0.1:8400",
    children: Count = 2,
) -> None:
    """Serve a site: it takes runs, checks and scores them, and shows where they stand.

    qrels : judgments of a board to make
    runs : runs to submit to it, files or folders
    metrics : its metrics; the first ranks
    listen : where to listen; others need https
    children : processes that check and score runs

    irmeta serve lab/ --qrels covid1/qrels.txt --runs covid1/runs # its board is http://127.0.0.1:8400/b/covid1
    """
    with require_serve():
        from irmeta.serve.running import serve as run
    run(
        site,
        listen=listen,
        qrels=qrels,
        runs=runs or [],
        metrics=metrics,
        children=children,
    )


@app.command()
def freeze(site: SiteFolder, output: OutputFolder, runs: bool = False) -> None:
    """Write a copy of a site that needs no server: any browser opens it from a disk.

    output : folder to write
    runs : copy the runs, too, of boards that publish them

    irmeta freeze lab/ -o lab-2026/
    """
    with require_serve():
        from irmeta.serve.pages.publishing import freeze as write
        from irmeta.serve.site import Site
    count = write(Site.open(site), output, runs=runs)
    print(f"{output}: {count} files; open {output / 'index.html'}")


@app.command()
def submit(
    runs: Annotated[list[Path], argument(metavar="RUN")],
    to: Url,
    name: Name | None = None,
    team: Team = "",
    system: Name = "",
    repeat: Annotated[str, option(metavar="N")] = "",
    type: Annotated[str, option(metavar="TYPE")] = "",
    description: str = "",
    baseline: Annotated[str, option(metavar="RUN")] = "",
    link: Url = "",
    replace: bool = False,
    check: bool = False,
    wait: bool = False,
    fail_if_worse: Annotated[float | None, option(metavar="X", min=0)] = None,
    unless_safe: bool = False,
    history: Path | None = None,
    token_file: Path | None = None,
    format: Literal["text", "json"] = "text",
) -> None:
    """Submit runs to a board; exit with 1 if one is refused, with 3 if it is worse than it may be.

    runs : run files
    to : the board, as in https://runs.example.org/b/KEY
    name : name of the run; by default its file's
    team : your team
    system : the system, where it ran several times
    repeat : which of these times
    type : as in automatic, manual
    description : what the run does
    baseline : the run to be better than; before a reveal one of your own
    link : a page on the run, https only
    replace : replace the run of this name
    check : only check; nothing is kept
    wait : wait for the score, and print it
    fail_if_worse : exit with 3 if a loss above X is shown; needs --wait, --baseline; by default never
    unless_safe : exit with 3 also if such a loss is not excluded
    history : file of earlier nights, with which this one shares the level of 5%; by default one look
    token_file : file with the token, of mode 0600; by default IRMETA_TOKEN
    format : what to print

    irmeta submit tonight.gz --replace --to http://127.0.0.1:8400/b/covid1 --baseline main --wait --fail-if-worse 0.02
    """
    from irmeta.serve import client
    from irmeta.serve.catalogue.rules import run_names

    is_gate = fail_if_worse is not None
    _require_together(
        {
            "--fail-if-worse": (is_gate, {"--wait": wait, "--baseline": baseline}),
            "--unless-safe": (unless_safe, {"--fail-if-worse": is_gate}),
            "--history": (history, {"--fail-if-worse": is_gate}),
            "--repeat": (repeat, {"--system": system}),
        }
    )
    kept = {"--wait": wait, "--replace": replace, "--baseline": baseline}
    useless = [option for option, value in kept.items() if value]
    if check and useless:
        raise IrmetaError(f"--check keeps no run: leave out {' and '.join(useless)}")
    _require_run_name(runs, name)
    server = client.Server(to, client.read_token(token_file))
    facts = {
        "team": team,
        "system": system,
        "repeat": repeat,
        "type": type,
        "description": description,
        "baseline": baseline,
        "link": link,
        "replace": "1" if replace else "",
    }
    hidden = server.hidden_board() if wait else {}
    if hidden and is_gate:
        _refuse_gate(hidden["reveals"])
    outcomes: list[dict[str, Any]] = []
    failed = False
    names = run_names(runs) if name is None else [name]
    for own, path in zip(names, runs, strict=True):
        outcome = _send(server, path, own, None if check else facts)
        is_taken = outcome["status"] < HTTPStatus.MULTIPLE_CHOICES
        if hidden and hidden["feedback"] != "none" and is_taken:
            outcome |= server.await_feedback(outcome["key"])
        elif wait and not hidden and is_taken:
            outcome["score"] = server.await_score(outcome["key"])
            if fail_if_worse is not None:
                gate = _gate(
                    server, outcome["score"], fail_if_worse, unless_safe, history
                )
                outcome["gate"] = gate.findings[0]
                failed |= bool(gate["failed"])
        outcomes.append({"run": own, **outcome})
        if format == "text":
            _print_outcome(server, outcomes[-1])
    if format == "json":
        print(json.dumps(outcomes, indent=1))
    elif hidden:
        print("This board shows no scores yet.")
    sys.exit(_exit_code(outcomes, failed=failed))


def _send(
    server: Any, path: Path, name: str, facts: Mapping[str, str] | None
) -> dict[str, Any]:
    """Send a run, and return what came of its check; without facts it is only checked."""
    from irmeta.serve.catalogue.rules import run_of

    if path.is_dir():
        raise IrmetaError(f"{path}: a folder; name its files, as {path}/*")
    if not path.is_file():
        raise IrmetaError(f"{path}: no such file")
    outcome: dict[str, Any]
    if facts is None:
        outcome = server.check(path, name)
        verdict = "refused" if _is_refused(outcome) else "taken"
        return outcome | {"verdict": f"would be {verdict}"}
    outcome = server.await_check(server.submit(path, name, facts))
    is_taken = outcome["status"] < HTTPStatus.MULTIPLE_CHOICES
    if facts["replace"] and is_taken and not outcome.get("replaces"):
        team = outcome["team"]
        text = f"nothing was replaced: there was no other {run_of(name, team)}"
        text += "" if team else "; --team names one"
        outcome["remarks"].append({"level": "warning", "line": None, "text": text})
    return outcome


def _require_run_name(runs: list[Path], name: str | None) -> None:
    """Raise IrmetaError where a name is given for several runs, or is none that a run can have."""
    from irmeta.serve.catalogue.rules import NAMED, fit_name

    if name is not None and len(runs) > 1:
        raise IrmetaError("--name names one run; the names of several are their files'")
    if name is not None and fit_name(name) != name:
        raise IrmetaError(f"--name {name}: a run's name {NAMED}")


def _refuse_gate(reveals: Any) -> None:
    """Raise IrmetaError, since a gate needs scores, which a board shows from a moment on, or after its reveal."""
    from irmeta.serve.catalogue.rules import clock

    when = "after its reveal" if reveals is None else f"from {clock(reveals)} UTC on"
    raise IrmetaError(
        f"nothing was sent: --fail-if-worse needs scores, which this board shows {when}"
    )


def _require_together(needs: Mapping[str, tuple[Any, Mapping[str, Any]]]) -> None:
    """Refuse an option that is given without those that it needs."""
    for name, (value, needed) in needs.items():
        lacking = [option for option, present in needed.items() if not present]
        if value and lacking:
            raise IrmetaError(f"{name} needs {' and '.join(lacking)}, too")


def _print_outcome(server: Any, outcome: dict[str, Any]) -> None:
    """Print what came of a run."""
    run = outcome["run"]
    for remark in outcome.get("remarks", []):
        line = f" line {remark['line']}:" if remark.get("line") else ""
        _print_line(f"{remark['level']}: {run}:{line} {remark['text']}")
    if outcome["status"] >= HTTPStatus.BAD_REQUEST:
        _print_line(f"{run}: {outcome.get('detail', outcome['status'])}")
    elif "state" in outcome:
        state = outcome.get("score", outcome)["state"]
        left = "" if outcome.get("left") is None else f"; {outcome['left']} left now"
        marks = "".join(f", {mark}" for mark in outcome.get("marks") or ())
        address = f"{server.root}{outcome['page']}; key {outcome['key']}"
        _print_line(f"{run}: {state}{marks}{left}; {address}")
    else:
        _print_line(f"{run}: {outcome['verdict']}")
    if told := outcome.get("told"):
        metric, figure = told["metric"], told["figure"]
        answer = f"no {metric}" if figure is None else f"{metric} {decimal(figure)}"
        _print_line(f"{run}: your team is told {answer}: {told['about']}")
    score = outcome.get("score")
    if score and score["metric"] in score["scores"]:
        _print_score(score)
    if "gate" in outcome:
        _print_line(outcome["gate"])


def _print_score(score: dict[str, Any]) -> None:
    """Print the score of a run, its rank, and its difference from the baseline where it has one."""
    mean = _figure(score["scores"][score["metric"]], "mean")
    rank = f"rank {score['rank']} of {score['of']}" if score["rank"] else "not ranked"
    judged = f"judgments version {score['judgments']}"
    _print_line(f"{score['metric']} {mean}; {rank}; {judged}")
    if claim := score["claim"]:
        equal = claim["difference"] == 0 and not claim["low"]
        same = ", equal on every topic" if equal else ""
        _print_line(f"{claim['name']}: {_figure(claim, 'difference', '+')}{same}")


def _print_line(text: str) -> None:
    """Print a line, in which names are those that a server sends."""
    print(message(text.replace("\n", " ")))


def _figure(figures: dict[str, Any], name: str, sign: str = "") -> str:
    """Write a figure with its interval."""
    if figures[name] is None:
        return "no figure"
    ends = (figures["low"], figures["high"])
    if None in ends:
        return decimal(figures[name], sign=sign)
    return decimal_with_interval(figures[name], *ends, sign=sign)


def _gate(
    server: Any,
    record: dict[str, Any],
    margin: float,
    unless_safe: bool,
    history: Path | None,
) -> Any:
    """Compare a run with its baseline by the first metric, as `irmeta versus --fail-if-worse` does."""
    import numpy as np

    import irmeta
    from irmeta.scores.cube import cube

    metric, claim = record["metric"], record["claim"]
    if claim is None:
        raise IrmetaError(
            "--fail-if-worse: the board has no difference from --baseline"
        )
    keys = {record["label"]: record["key"], claim["name"]: claim["baseline"]}
    vectors = server.scores_by_topic(keys.values(), metric)
    topics = server.topics()
    values = np.array(vectors, dtype=np.float64)[..., None]
    scores = cube(values, list(keys), list(topics), [metric])
    if any(topics.values()):
        scores = irmeta.with_clusters(scores, topics)
    return irmeta.versus(
        scores,
        *keys,
        fail_if_worse=margin,
        unless_safe=unless_safe,
        history=history,
        missing="common",
    )


def _is_refused(outcome: dict[str, Any]) -> bool:
    """Say whether a server refuses a run, by its status or by a remark."""
    remarks = outcome.get("remarks", [])
    wrong = any(remark["level"] == "error" for remark in remarks)
    return wrong or outcome["status"] >= HTTPStatus.BAD_REQUEST


def _exit_code(outcomes: list[dict[str, Any]], *, failed: bool) -> int:
    """Return the exit code: 1 if a run is refused, else 2 if a name is taken, else 3 if a run fails, else 0."""
    refused = [outcome["status"] for outcome in outcomes if _is_refused(outcome)]
    if any(status != HTTPStatus.CONFLICT for status in refused):
        return 1
    if refused:
        return 2
    return FAILED if failed else 0
