"""Agreement with trec_eval 10, the program in C, where its source and a compiler are (see bench.trec_eval)."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench import trec_eval

from irmeta.datasets.simulate import simulate
from irmeta.evaluation.engine import evaluate
from irmeta.io.files import Content
from irmeta.metrics.names import parse

pytestmark = pytest.mark.slow

CUTS = (5, 10, 20, 100, 1000)
SAME = {
    "map": "AP",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "recip_rank": "RR",
    "infAP": "infAP",
    "ndcg": "nDCG",
    **{
        f"{theirs}_{k}": f"{ours}@{k}"
        for theirs, ours in (
            ("P", "P"),
            ("recall", "R"),
            ("ndcg_cut", "nDCG"),
            ("map_cut", "AP"),
        )
        for k in CUTS
    },
    **{f"success_{k}": f"Success@{k}" for k in (1, 5, 10)},
}
LEVELS = {f"iprec_at_recall_{k / 10:.2f}": f"IPrec@{k / 10}" for k in range(11)}
PRINTED = 5.01e-5
"""What rounding to four decimals may hide."""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """trec_eval 10."""
    made = trec_eval.built(tmp_path_factory.mktemp("trec_eval"))
    if made is None:
        pytest.skip("there is no source of trec_eval (IRMETA_PEERS), or no compiler")
    return made


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A simulated collection."""
    made = tmp_path_factory.mktemp("made")
    simulate(made, systems=10, topics=12, rng=4)
    return made


def printed(program: Path, qrels: Path, run: Path) -> Iterator[tuple[str, str, str]]:
    """Yield measure, topic and score as trec_eval prints them."""
    command = [program, "-q", "-c", "-m", "all_trec", qrels, run]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    for line in done.stdout.splitlines():
        measure, topic, score = line.split()
        if topic != "all":
            yield measure, topic, score


def differences(program: Path, qrels: Path, run: Path) -> list[str]:
    """List the scores of a run that differ; count that there were some of every measure."""
    names = SAME | LEVELS
    cube = evaluate(qrels, {"run": run}, list(names.values())).sel(system="run")
    seen, differ = set(), []
    for measure, topic, theirs in printed(program, qrels, run):
        if measure in names:
            metric = str(parse(names[measure]))
            seen.add(measure)
            if (
                abs(cube.sel(topic=topic, metric=metric).item() - float(theirs))
                > PRINTED
            ):
                differ.append(measure)
    assert seen == set(names)
    return differ


def test_trec_eval_10_differs_in_interpolated_precision_only(
    program: Path, folder: Path
) -> None:
    """On every topic trec_eval 10 prints our scores, but for interpolated precision, whose ranks it rounds."""
    differ: list[str] = []
    for run in sorted((folder / "runs").iterdir()):
        text = folder / "run"
        text.write_bytes(Content(run).data)
        differ += differences(program, folder / "qrels.txt", text)
    assert differ
    assert set(differ) <= set(LEVELS)


@pytest.mark.data
def test_trec_eval_10_on_real_runs(program: Path, data: Path, tmp_path: Path) -> None:
    """The same holds for real runs."""
    real = data / "trec-covid" / "round1"
    for run in sorted((real / "runs").iterdir())[::24]:
        (tmp_path / "run").write_bytes(Content(run).data)
        assert set(differences(program, real / "qrels.txt", tmp_path / "run")) <= set(
            LEVELS
        )
