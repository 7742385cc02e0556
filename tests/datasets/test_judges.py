"""Simulated judges: what is known of them is what is found."""

from pathlib import Path

import numpy as np
import pytest

from irmeta.datasets.judges import JudgeModel, simulate_judge
from irmeta.datasets.simulate import simulate
from irmeta.errors import IrmetaError
from irmeta.evaluation.sets import JudgmentSets, evaluate_under
from irmeta.studies.judges.compare.study import compare_judges


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    return simulate(
        tmp_path_factory.mktemp("judges") / "made", systems=12, topics=12, rng=3
    )


def test_a_judge_without_error_judges_as_the_truth() -> None:
    """Without leniency and noise the grades are the true ones; those below zero stay below zero."""
    qrels = {"1": {"a": 1.0, "b": 0.0, "x": -1.0}, "2": {"c": 2.0}}
    assert simulate_judge(qrels, JudgeModel(noise=0)) == qrels


def test_seeds() -> None:
    """A seed gives the same judge again; another gives another."""
    qrels = {"1": {f"d{i}": i % 3 for i in range(50)}}
    assert simulate_judge(qrels, JudgeModel(noise=1), rng=1) == simulate_judge(
        qrels, JudgeModel(noise=1), rng=1
    )
    assert simulate_judge(qrels, JudgeModel(noise=1), rng=1) != simulate_judge(
        qrels, JudgeModel(noise=1), rng=2
    )


def test_favour_raises_what_the_favoured_rank_high() -> None:
    """Documents that a favoured system ranks among its first are raised, and no others."""
    qrels = {"1": {"a": 0, "b": 0, "c": 0, "top": 3}}
    runs = {"mine": {"1": {"a": 3.0, "b": 2.0}}, "yours": {"1": {"c": 1.0}}}
    model = JudgeModel(noise=0, favour=2, depth=1)
    assert simulate_judge(qrels, model, runs=runs, favoured=["mine"])["1"] == {
        "a": 2,
        "b": 0,
        "c": 0,
        "top": 3,
    }


def test_ranks_that_a_judge_heeds() -> None:
    """A judge that heeds ranks adds all to what is ranked first, half to what is second, nothing to the rest."""
    qrels = {"1": {"a": 0, "b": 0, "z": 0, "top": 4}}
    runs = {"one": {"1": {"a": 3.0, "b": 2.0}}}
    found = simulate_judge(qrels, JudgeModel(noise=0, by_rank=4), runs=runs)
    assert found["1"] == {"a": 4, "b": 2, "z": 0, "top": 4}


def test_what_is_simulated_is_found(collection) -> None:
    """A lenient judge is found lenient, one that favours a team is found to favour it, a noisy one agrees less."""
    models = {
        "exact": JudgeModel(noise=0.2),
        "noisy": JudgeModel(noise=1.5),
        "lenient": JudgeModel(leniency=0.6, noise=0.5),
    }
    group = dict(collection.systems.select("system", "group").rows())
    mine = [name for name, team in group.items() if team == "team02"]
    sets = {
        name: simulate_judge(collection.qrels, model, rng=1)
        for name, model in models.items()
    }
    sets["friend"] = simulate_judge(
        collection.qrels,
        JudgeModel(noise=0.3, favour=1.2),
        runs=collection.runs,
        favoured=mine,
        rng=1,
    )
    judgments = JudgmentSets.of({"truth": collection.qrels, **sets})
    found = compare_judges(
        evaluate_under(judgments, collection.runs, "nDCG@10"),
        judgments=judgments,
        families=group,
    )
    one = found.sel(metric="nDCG@10")
    kappa, more = (
        found["label"].sel(figure=name) for name in ("kappa_relevant", "more_relevant")
    )
    assert float(kappa.sel(judge="exact")) > float(kappa.sel(judge="noisy")) + 0.2
    assert float(more.sel(judge="lenient")) > 0.1 > abs(float(more.sel(judge="exact")))
    favour = one["group_favour"].sel(judge="friend")
    assert str(favour.group.values[int(favour.values.argmax())]) == "team02"
    assert (
        float(one["group_favour_p_corrected"].sel(judge="friend", group="team02"))
        < 0.05
    )
    assert not (one["group_favour_p_corrected"].sel(judge="exact").values < 0.001).any()


@pytest.mark.parametrize(
    ("model", "options", "said"),
    [
        (JudgeModel(favour=1), {}, "needs the runs to be simulated"),
        (
            JudgeModel(favour=1),
            {"runs": {"r": {"1": {"a": 1.0}}}, "favoured": ["s"]},
            "there is no run of the favoured system 's'",
        ),
    ],
)
def test_odd_models(model: JudgeModel, options: dict, said: str) -> None:
    """Favour needs runs, and those of the favoured."""
    with pytest.raises(IrmetaError, match=said):
        simulate_judge({"1": {"a": 1}}, model, **options)


def test_noise_is_of_the_size_given() -> None:
    """On a wide scale the error of grades has the standard deviation given."""
    qrels = {"1": {f"d{i}": 500 if i else 1000 for i in range(4000)}}
    found = np.array(list(simulate_judge(qrels, JudgeModel(noise=20))["1"].values()))[
        1:
    ]
    assert found.std() == pytest.approx(20, rel=0.05)


def test_the_example_of_the_docs(tmp_path, monkeypatch) -> None:
    """The example of docs/tasks/judges.md runs, and finds the faults that it simulates."""
    page = (Path(__file__).parents[2] / "docs" / "tasks" / "judges.md").read_text(
        encoding="utf-8"
    )
    code = page.split("```python\n")[1].split("```")[0]
    monkeypatch.chdir(tmp_path)
    simulate("demo", systems=12, topics=12, rng=3)
    names: dict = {}
    exec(code, names)
    found = names["found"]
    assert found["tau"].sel(judge="friend") > found["tau"].sel(judge="noisy")
    assert found["label"].sel(figure="more_relevant").values.argmax() == list(
        found.judge.values
    ).index("lenient")
    favoured = found["system_favour"].sel(judge="friend", metric="nDCG@10")
    assert favoured.sel(system="team02-1") == favoured.max()
