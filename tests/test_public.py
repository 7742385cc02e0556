"""What every public function does with what it is given: cubes in any order, choices, seeds."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any, Literal, Unpack, get_args, get_origin, get_type_hints

import numpy as np
import polars as pl
import pytest
import xarray as xr
from bench.coverage.entries import ENTRIES
from bench.coverage.printed import PRINTED, WITHOUT, WITHOUT_INTERVAL
from matplotlib.text import Text

import irmeta
from irmeta.errors import IrmetaError, ScoresError
from irmeta.io.formats.model_file import Model, part_as_json
from irmeta.io.tables.spreadsheet import safe_csv
from irmeta.report.forms import flat, text
from irmeta.report.plots import figure_of
from irmeta.report.tables import overview
from irmeta.scores.attributes import about
from irmeta.scores.cube import cube
from irmeta.studies import STUDIES as DECLARED
from irmeta.studies import study_of, summary_of
from irmeta.studies.checks.reproduction import compare, reproduction

METRICS = ["AP", "P@10", "nDCG@20", "P(depth=10)@1000"]


@pytest.mark.parametrize(
    ("verb", "functions"),
    [
        ("apply", "predict.apply, irmeta.standardize.apply"),
        ("sample", "standardize.sample"),
        ("compare_judges", "judges.compare"),
    ],
)
def test_the_word_of_a_command_names_its_functions(verb, functions):
    """Who takes a word of a command for the name of a function is told the function, or functions."""
    with pytest.raises(AttributeError, match=f"'{verb}'; see irmeta.{functions}$"):
        getattr(irmeta, verb)
    with pytest.raises(AttributeError, match="no attribute 'nothing'$"):
        getattr(irmeta, "nothing")  # noqa: B009 - mypy knows the names


def test_a_command_has_the_function_of_its_words():
    """The words of a study's command are the public name of its function, those of a group with a dot."""
    words = {
        study.verb.replace(" ", "."): study.public
        for study in DECLARED.values()
        if study.function and study.verb
    }
    assert len(words) > 20
    assert list(words.values()) == list(words)


def test_a_group_is_a_module_with_its_functions():
    """A group can be imported, names its functions, and has no others."""
    from irmeta.judges import compare

    assert compare is irmeta.judges.compare
    assert dir(irmeta.judges) == ["compare", "estimate", "estimated_scores", "plan"]
    assert {"judges", "predict", "standardize"} <= set(dir(irmeta))
    with pytest.raises(AttributeError, match=r"'irmeta\.judges' has no attribute 'x'"):
        irmeta.judges.x  # type: ignore[attr-defined] # noqa: B018


def scores(name="A", systems=12, topics=12):
    """As many systems as topics, so that nothing but the names tells one from the other."""
    rng = np.random.default_rng(ord(name))
    made = (
        rng.beta(1, 3, size=(systems, topics, len(METRICS))) / 2
        + np.linspace(0, 0.5, systems)[:, None, None]
    )
    return cube(
        made,
        [f"s{i:02}" for i in range(systems)],
        [str(301 + i) for i in range(topics)],
        METRICS,
        collection=name,
    )


def collections(change, names="ABC"):
    return {name: change(scores(name)) for name in names}


def predicted():
    return irmeta.predict.apply(
        irmeta.scores.selection.select(scores(), metrics=["AP", "P@10"]),
        model(),
        want=["nDCG@20"],
    )


def model():
    return irmeta.predict.fit({name: scores(name) for name in "BCDE"})


def outcomes(of=None):
    """Outcomes of the systems, as a data frame."""
    names = (scores() if of is None else of).system.values.tolist()
    value = np.random.default_rng(4).normal(np.arange(len(names)))
    return pl.DataFrame({"system": names, "value": value, "se": 0.5})


ONE = {
    "accuracy": lambda change, _: irmeta.accuracy(predicted(), change(scores())),
    "design": lambda change, _, **options: irmeta.design(
        change(scores()), **({"target": "AP", "partitions": 20} | options)
    ),
    "judges.estimate": lambda change, _, **options: irmeta.judges.estimate(
        change(scores()[:, :6]), change(scores("B")), **options
    ),
    "intervals": lambda change, _, **options: irmeta.intervals(
        change(scores()), **options
    ),
    "means": lambda change, _: irmeta.means(change(scores())),
    "judges.plan": lambda change, _, **options: irmeta.judges.plan(
        change(scores()[:, :6]), change(scores("B")), **options
    ),
    "best_of": lambda change, _, **options: irmeta.best_of(change(scores()), **options),
    "table": lambda change, _, **options: irmeta.table(
        change(scores()), **{"test": "permutation", "resamples": 200} | options
    ),
    "online": lambda change, _, **options: irmeta.online(
        change(scores()), outcomes(), **options
    ),
    "predict.apply": lambda change, _, **options: irmeta.predict.apply(
        change(scores()[..., :2]), model(), calibrate=change(scores("F")), **options
    ),
    "predictivity": lambda change, _, **options: irmeta.predictivity(
        change(scores()), partitions=50, **options
    ),
    "select": lambda change, _: irmeta.select(change(scores()), topics=["302", "301"]),
    "significance": lambda change, _, **options: irmeta.significance(
        change(scores()), **{"test": "permutation", "resamples": 200} | options
    ),
    "standardize.apply": lambda change, _, **options: irmeta.standardize.apply(
        change(scores()), irmeta.standardize.fit(scores("A", 6)), **options
    ),
    "standardize.fit": lambda change, _, **options: irmeta.standardize.fit(
        change(scores()), **options
    ),
    "standardize.sample": lambda change, _, **options: irmeta.standardize.sample(
        change(scores()), change(scores("B")), resamples=100, sizes=[4], **options
    ),
    "standing": lambda change, _, **options: irmeta.standing(
        change(scores()), on=scores("A", 6), **options
    ),
    "top_systems": lambda change, _: irmeta.top_systems(change(scores()), 0.5),
    "with_clusters": lambda change, _, **options: irmeta.with_clusters(
        change(scores()),
        {name: name for name in map(str, scores().topic.values)},
        **options,
    ),
    "versus": lambda change, _, **options: irmeta.versus(
        change(scores()), "s00", **{"resamples": 200} | options
    ),
}
"""Functions that take cubes: called with a change to be made to each, and a folder."""
SEVERAL = {
    "compare": lambda change, _, **options: irmeta.compare(
        collections(change), partitions=20, **options
    ),
    "judges.compare": lambda change, _, **options: irmeta.judges.compare(
        collections(change), **{"partitions": 20} | options
    ),
    "replicate": lambda change, _, **options: irmeta.replicate(
        collections(change, "AB"), **{"system": "s00", "against": "s01"} | options
    ),
    "predict.coverage": lambda change, _, **options: irmeta.predict.coverage(
        collections(change), **options
    ),
    "standardize.durability": lambda change, _, **options: (
        irmeta.standardize.durability(
            collections(change, "A"), collections(change, "B"), **options
        )
    ),
    "predict.lowcost": lambda change, _, **options: irmeta.predict.lowcost(
        collections(change, "AB"),
        collections(change, "C"),
        targets=["AP"],
        depths=[10],
        **options,
    ),
    "predict.models": lambda change, _, **options: irmeta.predict.models(
        collections(change, "AB"), **{"targets": ["AP"], "scales": ["raw"]} | options
    ),
    "predict.fit": lambda change, _, **options: irmeta.predict.fit(
        collections(change), **options
    ),
    "predict.select": lambda change, _, **options: irmeta.predict.select(
        collections(change, "AB"),
        collections(change, "C"),
        **{"choose": "leave-one-out", "k": [1]} | options,
    ),
    "write_report": lambda change, folder, **options: irmeta.write_report(
        collections(change, "A"), folder, **options
    ),
}
"""The same for functions that take cubes by collection name."""
EITHER = {
    "correlate": lambda change, _, **options: irmeta.correlate(
        change(scores()), **options
    ),
    "leaderboard": lambda change, _, **options: irmeta.leaderboard(
        change(scores()), **{"metric": "AP", "resamples": 40} | options
    ),
    "place": lambda change, _, **options: irmeta.place(
        change(scores()), on=change(scores()), **options
    ),
    "rank": lambda change, _, **options: irmeta.rank(
        change(scores()), partitions=5, **options
    ),
    "save": lambda change, folder: irmeta.save(
        change(scores()), folder / "scores.parquet"
    ),
}


def table(folder):
    """Write a score table beside the folder that is to stay empty."""
    path = folder.parent / f"{folder.name}.csv"
    path.write_text("model,1\nbm25,0.5\n")
    return path


ITEMS = Path(__file__).parent / "io" / "items" / "files"
QRELS, RUNS = {"1": {"a": 1}}, {"bm25": {"1": {"a": 2.0}}}
OTHERS = {
    "evaluate": lambda _, __, **options: irmeta.evaluate(QRELS, RUNS, "RR", **options),
    "evaluate_run": lambda _, __, **options: irmeta.evaluate_run(
        QRELS, RUNS, "RR", **options
    ),
    "evaluate_to": lambda _, folder, **options: irmeta.evaluate_to(
        folder / "s.parquet", QRELS, RUNS, "RR", **options
    ),
    "from_frame_all": lambda _, __, **options: irmeta.from_frame_all(
        {"bm25": {"1": 0.5}}, **options
    ),
    "from_frame": lambda _, __, **options: irmeta.from_frame(
        {"bm25": {"1": 0.5}}, **options
    ),
    "import_table": lambda _, folder, **options: irmeta.import_table(
        table(folder), **options
    ),
    "import_matrix": lambda _, folder, **options: irmeta.import_matrix(
        folder / "AP.csv", **options
    ),
    **{
        f"import_{kind.replace('-', '_')}": lambda _, __, kind=kind, **options: getattr(
            irmeta, f"import_{kind.replace('-', '_')}"
        )(ITEMS / kind, **options)
        for kind in ("inspect", "lm-eval", "promptfoo", "deepeval", "helm", "eee")
    },
    "export_eee": lambda change, folder, **options: irmeta.export_eee(
        change(scores()), folder, **options
    ),
    "leak": lambda _, __, **options: irmeta.leak(
        **{"topics": 4, "judged": 4, "submissions": 2} | options
    ),
    "Reading": lambda _, __, **options: irmeta.Reading(**options),
    "release": lambda _, __, **options: irmeta.release(
        **{"feedback": "none", "history": [], "scores": [0.5]} | options
    ),
    "simulate_judge": lambda _, __, **options: irmeta.simulate_judge(
        QRELS, irmeta.JudgeModel(), **options
    ),
    "simulate": lambda _, folder, **options: irmeta.simulate(
        folder, systems=3, topics=2, **options
    ),
}


def by_itself(function):
    """Call a study of one cube with nothing but its defaults."""
    return lambda change, _, **options: attrgetter(function)(irmeta)(
        change(scores()), **options
    )


def takes_a_cube(function):
    hints = get_type_hints(attrgetter(function)(irmeta), localns={"xr": xr})
    return next(iter(hints.values())) is xr.DataArray


OF_STUDIES = {study.public for study in DECLARED.values() if study.function}
ONE |= {
    function: by_itself(function)
    for function in sorted(OF_STUDIES - {*ONE, *SEVERAL, *EITHER})
    if takes_a_cube(function)
}
# a study that needs no options is called without an entry above
STUDIES = ONE | SEVERAL | EITHER
CALLS = STUDIES | OTHERS
SLOW = {"write_report": pytest.mark.slow}


def unchanged(given):
    return given


def plain(result, folder):
    """Give what a function returned, or wrote, as something to compare."""
    if isinstance(result, Model):
        return [part_as_json(part) for part in result.parts]
    if isinstance(result, xr.Dataset | xr.DataArray):
        return result.to_dict()
    return {
        path.name: path.read_bytes()
        for path in folder.rglob("*")
        if path.suffix in (".html", ".csv", ".parquet")
    }


def parameters(wanted):
    """List the parameters of public functions whose types are wanted, as (function, parameter, type)."""
    functions = {name: attrgetter(name)(irmeta) for name in irmeta._PUBLIC}
    for name, function in functions.items():
        hints = get_type_hints(function, localns={"xr": xr})
        hints.pop("return", None)
        for hint in list(hints.values()):
            if get_origin(hint) is Unpack:
                hints |= get_type_hints(get_args(hint)[0])
        yield from (
            (name, parameter, hint)
            for parameter, hint in hints.items()
            if wanted(parameter, hint)
        )


def is_choice(_: str, hint: Any) -> bool:
    return get_origin(hint) is Literal or any(
        is_choice("", part) for part in get_args(hint)
    )


def is_list(hint: Any) -> bool:
    return get_origin(hint) is Sequence or any(is_list(part) for part in get_args(hint))


CHOICES = list(parameters(is_choice))
SEEDS = list(parameters(lambda name, _: name == "rng"))


def test_there_are_choices_and_seeds() -> None:
    """The tests below find what they are about."""
    assert {
        ("compare", "kinds"),
        ("evaluate_to", "topics"),
        ("rank", "objective"),
    } < {one[:2] for one in CHOICES}
    assert {"predictivity", "predict.models", "simulate"} < {one[0] for one in SEEDS}


@pytest.mark.parametrize(
    ("name", "parameter", "hint"),
    CHOICES,
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_a_choice_that_there_is_not_is_refused(name, parameter, hint, tmp_path):
    """An option that has a few values has no other: a misspelt one is an error that lists them."""
    with pytest.raises(IrmetaError, match=f"^{parameter}='nonsense': choose "):
        CALLS[name](
            unchanged,
            tmp_path,
            **{parameter: ["nonsense"] if is_list(hint) else "nonsense"},
        )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "parameter", "hint"),
    SEEDS,
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_chance_is_a_seed_or_a_generator(name, parameter, hint, tmp_path):
    """Seeds of any whole type are recorded as they are; what nobody could repeat is refused."""
    for wrong in (None, -1, True, 1.5, "3", np.random.RandomState(3)):
        with pytest.raises(IrmetaError, match="rng="):
            CALLS[name](unchanged, tmp_path, rng=wrong)
    if (
        name == "simulate_judge"
    ):  # it returns judgments, which say nothing of themselves
        return
    if np.random.Generator not in get_args(hint):
        with pytest.raises(IrmetaError, match="rng="):
            CALLS[name](unchanged, tmp_path, rng=np.random.default_rng(3))
    else:
        assert (
            recorded(CALLS[name], tmp_path, np.random.default_rng(3)) == "a generator"
        )
    if name != "write_report":
        assert recorded(CALLS[name], tmp_path, np.int64(3)) in (3, "3")


def recorded(call, folder, rng):
    """Give what a result, or the truth of a simulation, says of its seed."""
    outcome = call(unchanged, folder, rng=rng)
    if isinstance(outcome, irmeta.Result):
        return json.loads(json.dumps(about(outcome)["options"]["seed"]))
    return json.loads((folder / "simulation.json").read_text())["seed"]


WRITE = {"save", "write_report"}
"""They need a folder."""
TURNED = [("topic", "metric", "system"), ("metric", "system", "topic")]


@cache
def as_it_is(name):
    """Call a function that writes nothing with cubes as they are, once for all tests."""
    return (STUDIES | RESULTS)[name](unchanged, None)


def called(name, folder):
    """Return what a function returns of cubes as they are, or let it write that in a folder."""
    return STUDIES[name](unchanged, folder) if name in WRITE else as_it_is(name)


@pytest.mark.usefixtures("empty_figures")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=SLOW.get(name, ())) for name in STUDIES]
)
def test_the_order_of_dimensions_does_not_matter(name, tmp_path):
    """A cube with each dimension in each other place gives the same result, to the last bit."""
    (tmp_path / "first").mkdir()
    first = plain(called(name, tmp_path / "first"), tmp_path / "first")
    for order in TURNED[: 1 if name in SLOW else 2]:
        again = tmp_path / "-".join(order)
        again.mkdir()
        result = STUDIES[name](lambda one, order=order: one.transpose(*order), again)
        np.testing.assert_equal(plain(result, again), first)


def table_of(one):
    """Lay a cube out as people have their scores, in a data frame."""
    return one.to_series().reset_index().assign(collection=one.attrs["collection"])


@pytest.mark.usefixtures("empty_figures")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=SLOW.get(name, ())) for name in STUDIES]
)
def test_a_data_frame_does_as_well(name, tmp_path):
    """Every function that takes a cube takes a data frame of the same scores, and returns the same."""
    folders = [tmp_path / kind for kind in ("cube", "frame")]
    for folder in folders:
        folder.mkdir()
    made = [
        called(name, folders[0]),
        STUDIES[name](table_of, folders[1]),
    ]
    if isinstance(made[0], irmeta.Result):
        xr.testing.assert_equal(*(one.data for one in made))
    elif isinstance(made[0], xr.DataArray):
        xr.testing.assert_equal(*made)
    else:
        assert type(made[0]) is type(made[1])


def alone(one):
    """Name each topic its own cluster."""
    names = [str(name) for name in one.topic.values]
    return irmeta.with_clusters(one, dict(zip(names, names, strict=True)))


@pytest.mark.parametrize("name", sorted(STUDIES.keys() - WRITE))
def test_clusters_of_one_topic_change_nothing(name):
    """Where each topic is its own cluster every figure, finding and note is as without clusters, to the last bit."""
    made = [as_it_is(name), STUDIES[name](alone, None)]
    if isinstance(made[0], irmeta.Result):
        assert made[0].findings == made[1].findings
        assert made[0].notes == made[1].notes
        made = [one.data for one in made]
    if isinstance(made[0], Model):
        made = [one.parts for one in made]
        assert [part_as_json(one) for one in made[0]] == [
            part_as_json(one) for one in made[1]
        ]
    elif isinstance(made[0], xr.Dataset):
        for variable in made[0].data_vars:
            np.testing.assert_array_equal(*(one[variable].values for one in made))
    else:
        np.testing.assert_array_equal(*(one.values for one in made))


NO_CUBE = {
    "a missing dimension": lambda one: one.isel(metric=0),
    "unnamed topics": lambda one: one.drop_vars("topic"),
    "a Dataset": lambda one: one.to_dataset(),
    "an array": lambda one: one.values,
    "nothing": lambda one: None,
}


@pytest.mark.parametrize("change", NO_CUBE.values(), ids=NO_CUBE)
@pytest.mark.parametrize("name", STUDIES)
def test_what_is_no_cube_is_refused(name, change, tmp_path):
    """Whatever is no cube is an error that says so, and nothing is written."""
    with pytest.raises(ScoresError):
        STUDIES[name](change, tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ONE)
def test_one_cube_is_not_several(name, tmp_path):
    """A mapping where one cube is wanted is an error that says to choose one."""
    with pytest.raises(ScoresError, match="choose one"):
        ONE[name](lambda one: {"A": one}, tmp_path)


def test_a_cube_is_a_collection() -> None:
    """Where cubes are taken by name, one alone goes by the name of its collection."""
    one, other = scores("A"), scores("B")
    alone, named = (
        irmeta.standardize.durability(one, other),
        irmeta.standardize.durability({"A": one}, {"B": other}),
    )
    xr.testing.assert_identical(alone.data, named.data)
    parts = {"train": one, "dev": other, "test": scores("C")}
    alone = irmeta.predict.select(**parts, k=[1])
    named = irmeta.predict.select(
        **{role: {part.attrs["collection"]: part} for role, part in parts.items()},
        k=[1],
    )
    xr.testing.assert_identical(alone.data, named.data)
    assert [part.name for part in irmeta.predict.fit(one).parts] == ["A"]
    for study in (irmeta.compare, irmeta.predict.coverage, irmeta.predict.models):
        with pytest.raises(ScoresError, match="collections?"):
            study(one)


def findings_of(result):
    return study_of(result).findings(result)


CELL = compare("Table 1", "AP", "P@10", 0.6, 0.6, within=0.1)
RESULTS = {
    name: call
    for name, call in STUDIES.items()
    if name not in ("predict.fit", "save", "write_report")
}
RESULTS |= {
    "validate": lambda _, __: irmeta.validate(
        QRELS, {"x": {"1": {"a": 2.0}}, "y": {"2": {"b": 1.0}}}
    ),
    "reproduction": lambda _, __: irmeta.Result(
        reproduction("a paper", [CELL], options={})
    ),
    "reuse": lambda _, __: irmeta.reuse(
        {"1": {f"d{i}": i % 2 for i in range(12)}},
        {f"s{i}": {"1": {f"d{i}": 2.0, f"d{i + 6}": 1.0}} for i in range(7)},
        depth=2,
        metrics="P@2",
        new={"mine": {"1": {"d1": 2.0, "d2": 1.0}}},
    ),
}


def through_netcdf(labelled, folder):
    path = folder / "file.nc"
    labelled.to_netcdf(path, engine="netcdf4")
    read = xr.load_dataarray if isinstance(labelled, xr.DataArray) else xr.load_dataset
    return read(path, engine="netcdf4")


def through_zarr(labelled, folder):
    pytest.importorskip("zarr")
    path = folder / "file.zarr"
    labelled.to_zarr(path, consolidated=False)
    whole = xr.open_zarr(path, consolidated=False).load()
    return whole[labelled.name] if isinstance(labelled, xr.DataArray) else whole


@pytest.mark.parametrize("name", RESULTS)
def test_results_put_together_are_tables_of_all(name):
    """After xr.concat along a new dimension the tables are those of the parts, told by a first column."""
    made = as_it_is(name)
    if "study" not in made.attrs:
        return
    together = xr.concat([made.data, made.data], xr.Variable("year", ["2023", "2024"]))
    for table, frame in made.tables.items():
        both = irmeta.Result(together).tables[table]
        assert (
            both["year"].to_list() == ["2023"] * frame.height + ["2024"] * frame.height
        )
        assert both.drop("year").equals(pl.concat([frame, frame]))


@pytest.mark.filterwarnings(
    "ignore"
)  # of Zarr, whose format has no texts yet, and of netCDF4's own import
@pytest.mark.parametrize("through", [through_netcdf, through_zarr])
@pytest.mark.parametrize("name", RESULTS)
def test_what_public_functions_return_goes_through_files(name, through, tmp_path):
    """Cubes and results are the same after netCDF and Zarr: attributes, tables, findings."""
    made = as_it_is(name)
    back = through(made, tmp_path)
    assert about(back) == about(made)
    if "study" not in made.attrs:
        xr.testing.assert_equal(back, made)
        return
    before, after = made.tables, irmeta.Result(back).tables
    assert list(after) == list(before)
    assert all(after[table].equals(before[table]) for table in before)
    assert findings_of(back) == findings_of(made)


def standardized(one):
    """Standardize a cube by its own systems."""
    return irmeta.standardize.apply(one, irmeta.standardize.fit(one))


def model_of_standardized():
    return irmeta.predict.fit(
        {name: standardized(scores(name)) for name in "BCDE"}, scale="raw"
    )


def predicted_standardized():
    return irmeta.predict.apply(
        standardized(scores()[..., :2]), model_of_standardized(), want="nDCG@20"
    )


RAW_ONLY = ("standardize.durability", "place", "standardize.sample")
"""Studies that standardize themselves."""
ON_STANDARDIZED = {
    "predict.apply": lambda _, __: predicted_standardized(),
    "accuracy": lambda change, _: irmeta.accuracy(
        predicted_standardized(), change(scores())
    ),
    "predict.coverage": lambda change, _: irmeta.predict.coverage(
        collections(change), scale="raw"
    ),
}
"""How studies are called on standardized scores where the call above is about raw ones."""
STUDIED = [name for name in STUDIES if name in OF_STUDIES]


def printed(result):
    """List what people read of a result: findings, tables, captions, texts in its figure."""
    views = [*result.tables.values(), *overview(result).values()]
    texts = [
        text
        for view in views
        for text in (*view.columns, *safe_csv(flat(view)).splitlines()[1:])
    ]
    texts += findings_of(result)
    with suppress(ScoresError):  # no figure
        texts += [one.get_text() for one in figure_of(result).findobj(Text)]
    return texts


@pytest.mark.parametrize("name", STUDIED)
def test_standardized_scores_say_so_wherever_they_are_printed(name, tmp_path):
    """No finding, table or figure of a study of standardized scores names a metric as if the scores were its own."""
    call = (
        ON_STANDARDIZED
        | {one: STUDIES[one] for one in STUDIED if one not in ON_STANDARDIZED}
    )[name]
    if name in RAW_ONLY:
        with pytest.raises(ScoresError, match="standardized"):
            call(standardized, tmp_path)
        return
    result = call(standardized, tmp_path)
    texts = printed(result)
    bare = re.compile(
        rf"(?<![\w-])({'|'.join(map(re.escape, METRICS))})(?![\w@(]| \(std\.\))"
    )
    assert any("(std.)" in text or "standardized score" in text for text in texts)
    assert not [text for text in texts if bare.search(text)]
    assert "(std.): standardized scores (normal, by factors of " in " ".join(
        about(result)["notes"]
    )


LONG = [
    *("RBP(p=0.8, rel=1)", "nDCG(gains='exp')@1000", "ERR(max_rel=4)@20", "Rprec"),
    *("RBP(p=0.95, rel=2)", "infAP", "Bpref", "R(rel=2)@1000", "AP(rel=2)@1000"),
    *("P@5", "P@15", "P@20", "P@30", "nDCG@5", "nDCG@10", "nDCG@100", "RR", "RR@10"),
    *("Success@5", "R@100", "P@1000"),
]
"""With the metrics of the cubes above they are 25."""


def long_names(one):
    """Name all systems but the first with 40 characters, and give a cube 25 metrics."""
    systems = [one.system.values[0]]
    systems += [
        f"{name}-a-run-of-a-team-with-a-long-name-{'x' * 4}"
        for name in one.system.values[1:]
    ]
    rng = np.random.default_rng(7)
    drawn = one.values[..., :1] / 2 + rng.random((*one.shape[:2], len(LONG))) / 2
    together = np.concatenate([one.values, drawn], axis=-1)
    metrics = [*one.metric.values, *LONG]
    return cube(
        together, systems, one.topic.values, metrics, collection=one.attrs["collection"]
    )


WITH_LONG_NAMES = {
    "accuracy": lambda change, _: irmeta.accuracy(
        irmeta.predict.apply(change(scores())[..., :2], model(), want=["nDCG@20"]),
        change(scores()),
    ),
    "online": lambda change, _: irmeta.online(
        change(scores()), outcomes(change(scores()))
    ),
    "predict.models": lambda change, _: irmeta.predict.models(
        {name: change(scores(name, systems=60)) for name in "AB"},
        targets=["AP"],
        scales=["raw"],
    ),
    "replicate": lambda change, _: irmeta.replicate(
        collections(change, "AB"),
        system="s00",
        against="s01-a-run-of-a-team-with-a-long-name-xxxx",
    ),
}
"""How studies are called with these names where the call above has others, or fewer systems than metrics."""


@pytest.mark.parametrize("name", STUDIED)
def test_no_name_is_cut_in_eighty_columns(name, tmp_path):
    """With 25 metrics and names of 40 characters every table fits 80 columns, and no part of a name is cut."""
    result = (STUDIES | WITH_LONG_NAMES)[name](long_names, tmp_path)
    for title, view in overview(result).items():
        drawn = text(view, title)
        assert max(map(len, drawn.splitlines())) <= 80
        cells = {str(value) for row in view.rows() for value in row}
        for named in {*METRICS, *LONG} & {*cells, *view.columns}:
            assert named in drawn
        words = {word for cell in cells for word in cell.split() if "-team-" in word}
        for part in {part for word in words for part in re.findall("[^-]+-?", word)}:
            assert part in drawn


ENDS = re.compile(r"(^|[_ ])(low|p|p_corrected|p_equivalent|quantile|reversed)$")
"""Columns of an interval's lower end, and of a test; by a quantile `compare` and `durability` test."""
LABELS = {"people": {"1": {"a": 1, "b": 0}}, "machine": {"1": {"a": 1, "b": 1}}}
MORE = {
    "baseline": lambda: irmeta.place(scores(), on=scores(), baseline="s00"),
    "holes": lambda: irmeta.leaderboard(
        scores()
        .isel(metric=0)
        .where(scores().isel(metric=0) < 0.8)
        .expand_dims("metric"),
        holes="predict",
        resamples=40,
    ),
    "margin": lambda: irmeta.significance(scores(), margin=0.02, test="t"),
    "margin of one": lambda: irmeta.versus(scores(), "s00", margin=0.02, test="t"),
    "without of one": lambda: irmeta.versus(scores(), "s00", without=["301", "302"]),
    "without of all": lambda: irmeta.describe(scores(), without=["301", "302"]),
    "anchors": lambda: irmeta.place(
        {"A": scores(), "B": scores()},
        on={"A": scores(), "B": scores()},
        anchor="s01,s02,s03",
    ),
    "published": lambda: irmeta.place(
        on=scores(),
        published=[{"system": "a", "metric": "AP", "mean": 0.4, "baseline": 0.3}],
    ),
    "lists": lambda: irmeta.replicate(
        {name: {"s": {"1": {"a": 2, "b": 1}, "2": {"c": 1, "a": 0}}} for name in "xy"},
        qrels={"1": {"b": 1}, "2": {"a": 1}},
    ),
    "budget": lambda: irmeta.design(scores(), target="AP", budget=300, partitions=20),
    "subset": lambda: irmeta.design(scores(), target="AP", subset=[3], partitions=20),
    "baselines": lambda: irmeta.judges.compare(
        {
            name: {str(topic): {"a": 1, "b": grade} for topic in range(6)}
            for name, grade in (("people", 0), ("machine", 1))
        },
        runs={
            f"s{at}": {
                str(topic): {"a": (at * topic) % 5, "b": 2.5, f"c{at}": at}
                for topic in range(6)
            }
            for at in range(6)
        },
        partitions=5,
    ),
    "labels": lambda: irmeta.judges.compare(LABELS, truth="people"),
    "passes": lambda: irmeta.judges.compare(
        {**LABELS, "again": LABELS["people"]},
        truth="people",
        passes=dict.fromkeys([*LABELS, "again"], "machine"),
    ),
    "leak": lambda: irmeta.leak(topics=4, judged=4, submissions=2),
    "sets": lambda: irmeta.rank(scores(), k=2, partitions=5),
    "true means": lambda: irmeta.correlate(scores(), unit="system"),
    "curve": lambda: irmeta.predictivity(scores(), partitions=5, sizes=[2]),
}
"""Results with columns that appear only if they are asked for."""


def columns_of(result):
    """Name the columns of a result that hold an interval or a test, by study and table."""
    return {
        f"{result.attrs['study']}.{title}.{name.split()[-1]}"
        for title, frame in result.tables.items()
        for name in frame.columns
        if ENDS.search(name)
    }


def test_the_coverage_of_what_is_printed_is_measured():
    """Every interval and every test that a study prints has rows in the table of coverage, or a reason for none."""
    made = [as_it_is(name) for name in RESULTS]
    made += [call() for call in MORE.values()]
    results = [one for one in made if "study" in one.attrs]
    printed = {column for one in results for column in columns_of(one)}
    assert printed == PRINTED.keys() | WITHOUT.keys()
    every = {
        f"{one.attrs['study']}.{title}.{name}"
        for one in results
        for title, frame in one.tables.items()
        for name in frame.columns
    }
    assert every >= WITHOUT_INTERVAL.keys()
    assert not {f"{name}_low" for name in WITHOUT_INTERVAL} & printed
    studies = {one.attrs["study"] for one in results}
    assert DECLARED.keys() - studies == {"evaluation"}  # it returns scores


def test_commands_take_labels_where_results_name_systems():
    """Of studies of systems and of judgments just those have --labels that name systems; of others none."""
    made = [*map(as_it_is, RESULTS), MORE["leak"]()]
    naming = {
        one.attrs["study"]
        for one in made
        if "study" in one.attrs
        and not {"system", "against", "run"}.isdisjoint(one.coords)
    }
    asked = {
        name
        for name, study in DECLARED.items()
        if study.about in ("systems", "judgments")
    }
    commands = {name: study.command for name, study in DECLARED.items()}
    taken = {name for name, command in commands.items() if command and command.labels}
    assert taken == naming & asked


def test_what_is_said_to_be_measured_is():
    """The entries that columns are said to be measured by exist."""
    named = {name for names in PRINTED.values() for name in names}
    assert named <= {entry.name for entry in ENTRIES}


def columns(result):
    """List the columns of a result's tables, but those that are named by metrics or by what a row is of."""
    own = {name for table in result.tables.values() for name in table.columns}
    keys = r"(system|metric|collection|judge|topic|kind)(_[ab])?"
    return {
        name
        for name in own
        if name.split()[0] not in METRICS and not re.fullmatch(keys, name)
    }


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, study in DECLARED.items()
        if study.public in CALLS and study.docs and study.function
    ],
)
def test_every_column_of_a_table_is_explained(name, tmp_path):
    """A column stands in what a study says of its tables, of what it returns, or on its page; an end by its figure."""
    study = DECLARED[name]
    result = CALLS[study.public](unchanged, tmp_path / "new")
    module = summary_of(study)
    page = Path(__file__).parents[1] / "docs" / f"{study.docs}.md"
    said = [
        module.tables.__doc__,
        attrgetter(study.public)(irmeta).__doc__,
        page.read_text(),
    ]
    words = set(re.findall(r"\w+", " ".join(said)))
    words |= {f"{word}_{end}" for word in words for end in ("low", "high", "se")}
    assert columns(result) <= words, sorted(columns(result) - words)


FRAMES = """
from pathlib import Path

import polars as pl
import irmeta

frame = pl.DataFrame({"model": ["a", "b"], "t1": [0.1, 0.2], "t2": [0.3, 0.4]})
irmeta.leaderboard(frame)
irmeta.versus(frame, system="a")
irmeta.describe("scores.parquet")
irmeta.compare({"one": frame, "two": frame})
irmeta.place(frame)
types = pl.DataFrame({"task": ["t1", "t2"], "type": ["one", "two"]})
for kinds in ("types.csv", Path("types.csv"), types, {"t1": "one", "t2": "two"}):
    irmeta.leaderboard(frame, types=kinds)
irmeta.leaderboard(frame, types="types.csv", cost="cost.csv")
irmeta.leaderboard(frame, cost=pl.DataFrame({"model": ["a", "b"], "cost": [1, 2]}))
irmeta.describe("scores.parquet", teams=Path("teams.csv"), without=Path("topics.txt"))
irmeta.design("scores.parquet", teams=pl.DataFrame({"run": ["a"], "team": ["b"]}))
irmeta.versus(frame, "a", anchors="anchors.csv", without="topics.txt")
irmeta.predict.apply(frame, "model.json")
irmeta.judges.compare("judges.parquet", clusters=Path("clusters.csv"))
irmeta.judges.estimate("h.parquet", "l.parquet", sample="s.csv", clusters="stem")
irmeta.judges.plan("h.parquet", "l.parquet", sample=Path("s.csv"))
irmeta.versus(frame, sistem="a")
"""


@pytest.mark.slow
def test_type_checkers_take_what_studies_take(tmp_path: Path) -> None:
    """A data frame or a path passes where a study takes it; a keyword that a study lacks does not."""
    pytest.importorskip("mypy")
    script = tmp_path / "script.py"
    script.write_text(FRAMES)
    source = Path(irmeta.__file__).parents[1]
    command = [sys.executable, "-m", "mypy", "--strict", str(script)]
    given = {**os.environ, "MYPYPATH": str(source)}
    said = subprocess.run(
        command, cwd=tmp_path, env=given, capture_output=True, text=True, check=False
    )
    wrong = [line for line in said.stdout.splitlines() if "error:" in line]
    assert [line.split(": ")[2] for line in wrong] == [
        'Unexpected keyword argument "sistem" for "versus"; did you mean "system"?  [call-arg]'
    ]
