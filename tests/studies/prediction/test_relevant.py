"""Numbers of relevant documents: what they do to predictions where the answer is known, and on real runs."""

import gzip

import numpy as np
import pytest
from numpy.testing import assert_allclose

from irmeta.datasets.reference import reference_model
from irmeta.errors import IrmetaError, ScoresError
from irmeta.evaluation.engine import evaluate
from irmeta.io.formats.model_file import load_model, save_model
from irmeta.scores.attributes import about
from irmeta.scores.cube import cube
from irmeta.scores.tables.roles import ALL
from irmeta.studies.prediction.predict.relevant import numbers
from irmeta.studies.prediction.predict.study import predict
from irmeta.studies.prediction.predict.summary import findings, overview
from irmeta.studies.prediction.predict.typed import given
from irmeta.studies.prediction.prediction_model import prediction_model

METRICS = ["P@10", "RR", "P@1000", "R@1000", "R@10", "AP@10"]


def world(relevant, rng, systems=25):
    """Systems that are as precise whatever the number of relevant documents; R and AP are divided by it."""
    good = np.clip(rng.normal(0.45, 0.12, systems), 0.1, 0.8)
    own = np.exp(rng.normal(0, 0.1, 2))  # of the collection
    noise = rng.normal(1, 0.05, (systems, 3))
    recall = np.clip(0.5 + 0.4 * (good - 0.45) + rng.normal(0, 0.02, systems), 0.1, 0.9)
    rows = np.stack(
        [
            good,
            np.clip(0.3 + 0.8 * good * noise[:, 0], 0, 0.99),
            recall * relevant / 1000,
            recall,
            10 * own[0] * good / relevant,
            7 * own[1] * noise[:, 1] * good**1.3 / relevant,
        ],
        axis=1,
    )
    return cube(rows[:, None], [f"s{i}" for i in range(systems)], [ALL], METRICS)


NUMBERS = (50, 60, 65, 80, 90, 100, 105, 115)


def fitted(rng):
    """Fit a model of log odds on eight collections."""
    found = {f"c{i}": world(number, rng) for i, number in enumerate(NUMBERS)}
    return prediction_model(found, scale="logit")


@pytest.fixture(scope="module")
def model():
    return fitted(np.random.default_rng(5))


def held(number, *, told, draws=25):
    """Return the share of R@10 and AP@10 in 90% intervals: new models, each with a new collection."""
    shares, wanted = [], ["R@10", "AP@10"]
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        model, scores = fitted(rng), world(number, rng, systems=10)
        known = scores.sel(metric=["P@10", "RR"])
        found = predict(known, model, want=wanted, relevant=number if told else None)
        actual = scores.sel(metric=wanted).values[:, 0]
        shares.append((found["low"] <= actual) & (actual <= found["high"]))
    return np.mean(shares)


@pytest.mark.slow
def test_a_collection_with_five_times_as_many_relevant_documents_is_held_if_told():
    """AP@10 and R@10 of 430 relevant documents: the number holds 85% or more, and without it hardly any is held."""
    assert held(430, told=True) > 0.85
    assert held(430, told=False, draws=5) < 0.1
    # also a collection like those of the models
    assert held(80, told=True, draws=15) > 0.85


def test_the_number_takes_away_what_it_explains(model):
    """R@10 is 10 P@10 / R: the prediction is that, to a tenth, in the middle of the model's collections."""
    found = predict(given("P@10=0.45 RR=0.66"), model, want=["R@10"], relevant=80)
    assert found["value"].item() == pytest.approx(4.5 / 80, rel=0.1)
    blind = predict(given("P@10=0.45 RR=0.66"), model, want=["R@10"])
    widths = [(each["high"] - each["low"]).item() for each in (found, blind)]
    assert widths[0] < widths[1] / 2


def test_metrics_that_no_number_divides_are_predicted_as_before(model):
    """RR from P@10 takes no notice of the number; from R@10 it does."""
    for text, same in (("P@10=0.45", True), ("R@10=0.05", False)):
        values = [
            predict(given(text), model, want=["RR"], relevant=number)["value"].item()
            for number in (None, 430)
        ]
        assert (values[0] == values[1]) is same


def test_the_models_numbers_are_those_of_its_scores(model, tmp_path):
    """A model tells its collections' numbers by P and R at one cutoff, or by NumRel; a file of it tells the same."""
    assert_allclose(list(numbers(model).values()), NUMBERS, rtol=0.03)
    save_model(model, tmp_path / "model.json")
    assert numbers(load_model(tmp_path / "model.json")) == numbers(model)
    scores = np.random.default_rng(0).uniform(0.2, 0.6, (5, 1, 3))
    scores[:, :, 2] = 42
    counted = cube(scores, list("abcde"), [ALL], ["AP@10", "P@10", "NumRel"])
    assert numbers(prediction_model({"x": counted})) == {"x": 42}


def test_the_number_is_told_counted_or_among_the_scores(model, tmp_path):
    """A number, judgments and the table's NumRel say the same."""
    lines = [f"{topic} 0 d{i} {int(i < 430)}" for topic in "ab" for i in range(500)]
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("\n".join([*lines, "c 0 d1 0"]) + "\n")
    told = predict(given("P@10=0.45"), model, want=["AP@10"], relevant=430)
    for other in (
        predict(given("P@10=0.45"), model, want=["AP@10"], relevant=qrels),
        predict(given("P@10=0.45"), model, want=["AP@10"], relevant="430"),
        predict(given("P@10=0.45 NumRel=430"), model, want=["AP@10"]),
    ):
        assert other["low"].item() == told["low"].item()
        assert about(other)["options"]["relevant"] == 430


def test_the_answer_is_followed_by_what_the_number_does(model):
    """Where it is not told, the targets are named; where it is far, they extrapolate; else nothing is said."""
    wanted = ["RR", "AP@10"]
    answer, first = findings(predict(given("P@10=0.45"), model, want=wanted))
    assert answer.startswith("RR is predicted")
    assert first.startswith(
        "AP@10 is divided by the number of relevant documents (50 to 115 a topic"
    )
    assert first.index("--calibrate") < first.index("--relevant")
    far = findings(predict(given("P@10=0.45"), model, want=wanted, relevant=430))[1]
    assert far.startswith(
        "430 relevant documents a topic are more than in any collection of the model (50 to 115)"
    )
    near = findings(predict(given("P@10=0.45"), model, want=wanted, relevant=80))
    assert near[0].startswith("RR is predicted")
    calibrated = predict(
        given("P@10=0.45"),
        model,
        want=wanted,
        calibrate=world(430, np.random.default_rng(1)),
    )
    assert findings(calibrated)[0].startswith("RR is predicted")
    # a number that is not told is asked for where a target is divided by it
    number = "AP@10 so does the number of relevant documents (relevant=)"
    for options, asked in (
        ({"want": ["AP@10"]}, True),
        ({"want": ["AP@10"], "relevant": 80}, False),
        ({"want": ["RR"]}, False),
    ):
        notes = " ".join(predict(given("P@10=0.45"), model, **options).notes)
        assert (number in notes) is asked
    plain = predict(given("P@10=0.45"), model, want=["RR"])
    assert findings(plain)[0].startswith("RR is predicted")


def test_a_model_that_does_not_know_its_numbers_refuses_to_use_another(made):
    """Without P and R at one cutoff, or NumRel, nothing says what the number would change."""
    model = prediction_model(made.collections())
    with pytest.raises(ScoresError, match="fit it on P@1000 and R@1000"):
        predict(given("P@10=0.4"), model, want=["AP"], relevant=100)
    with pytest.raises(ScoresError, match="must be above 0"):
        predict(given("P@10=0.4"), relevant="0")
    with pytest.raises(IrmetaError, match="no such file"):
        predict(given("P@10=0.4"), relevant="many")
    with pytest.raises(ScoresError, match="expected a number of at most .* or a path"):
        predict(given("P@10=0.4"), relevant=[3])


def test_judgments_without_a_relevant_document_say_so(tmp_path):
    """A file of judgments whose grades are all 0 has no number."""
    (tmp_path / "qrels.txt").write_text("1 0 a 0\n")
    with pytest.raises(ScoresError, match="no document has grade 1 or above"):
        predict(given("P@10=0.4"), relevant=tmp_path / "qrels.txt")


def test_known_systems_and_learners_take_the_number_too(model):
    """Calibrated, and by another learner, predictions near the model's collections are those of the world."""
    rng = np.random.default_rng(9)
    scores = world(80, rng)
    actual = scores.sel(metric="R@10").values[4:, 0]
    blind = scores[4:].sel(metric=["P@10", "RR"])
    told = predict(blind, model, want=["R@10"], relevant=80, calibrate=scores[:4])
    assert_allclose(told["value"].values[:, 0], actual, rtol=0.25)
    assert (told["known"] == 4).all()
    train = {f"c{i}": world(50 + 10 * i, rng) for i in range(5)}
    ridge = predict(
        blind,
        prediction_model(train),
        want=["R@10"],
        relevant=80,
        train=train,
        learner="ridge",
    )
    assert_allclose(ridge["value"].values[:, 0], actual, rtol=0.25)


def test_no_row_stands_twice_in_what_people_read(model):
    """The distance of a system's scores stands once for each system, beside no metric."""
    scores = world(80, np.random.default_rng(3), systems=3).sel(metric=["P@10"])
    views = overview(predict(scores, model, want=["R@10", "RR"]))
    assert views["prediction"].columns == ["system", "metric", "value", "low", "high"]
    assert views["prediction"].height == 6
    assert views["distance"]["system"].to_list() == ["s0", "s1", "s2"]


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("copies", [1, 5])
def test_real_runs_are_held_also_where_each_document_has_copies(data, copies, tmp_path):
    """TREC-COVID 1, each document in five copies, 392 relevant a topic: the number holds what fails without it."""
    source = data / "trec-covid" / "round1"
    (tmp_path / "runs").mkdir()
    expanded(source / "qrels.txt", tmp_path / "qrels.txt", 2, copies)
    for run in sorted((source / "runs").iterdir())[::10]:
        expanded(run, tmp_path / "runs" / run.name.removesuffix(".gz"), 2, copies)
    wanted = ["AP@10", "AP@20", "R@10", "R@20"]
    reference = reference_model()
    kept = tuple(part for part in reference.parts if "covid" not in part.name)
    model = type(reference)("logit", kept, reference.provenance)
    scores = evaluate(
        tmp_path / "qrels.txt",
        tmp_path / "runs",
        ["nDCG@20", "P@20", "Bpref", "NumRel", *wanted],
    )
    actual = scores.mean("topic").sel(metric=wanted).values
    known = scores.sel(metric=["nDCG@20", "P@20", "Bpref"])
    shares = []
    for number in (None, tmp_path / "qrels.txt"):
        found = predict(known, model, want=wanted, relevant=number)
        inside = (found["low"] <= actual) & (actual <= found["high"])
        shares.append(float(inside.mean()))
    # of 60 intervals in one collection, which hold or fail together
    assert shares[1] >= 0.8
    if copies == 5:
        assert shares[0] < 0.2


def expanded(source, target, column, copies):
    """Write each line's document `copies` times, one after the other."""
    opened = gzip.open if source.suffix == ".gz" else open
    with opened(source, "rt") as lines, target.open("w") as file:
        rows = [line.split() for line in lines]
        if len(rows[0]) == 6:  # a run, by score
            rows.sort(key=lambda row: (row[0], -float(row[4]), row[2]))
        for place, row in enumerate(rows):
            for copy in range(copies):
                fields = list(row)
                fields[column] = f"{row[column]}#{copy}"
                if len(row) == 6:
                    fields[4] = str(10**8 - place * copies - copy)
                file.write(" ".join(fields) + "\n")
