"""Commands that need nothing but scores: each computes what its function does, and draws it."""

import json
from importlib.util import find_spec
from operator import attrgetter
from typing import get_origin

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import irmeta
from irmeta.cli import commands
from irmeta.report.tables import table_named, whole_tables
from irmeta.scores.attributes import about
from irmeta.scores.cube import cube
from irmeta.studies import STUDIES

COMMANDS = commands()


def arguments(verb):
    """Return what a command cannot do without, by name: how many of it there may be, -1 for any number."""
    every = COMMANDS[verb].assemble_argument_collection()
    return {
        one.field_info.name: -1 if get_origin(one.hint) is list else 1
        for one in every
        if one.required
    }


NEED = {
    name: arguments(study.verb)
    for name, study in STUDIES.items()
    if study.verb and study.function
}
OF_SCORES = [
    name
    for name, needed in NEED.items()
    if list(needed) in (["scores"], ["cubes"])
    and name not in ("leaderboard", "models", "coverage", "place", "replication")
]
"""The studies of these commands; a leaderboard is of one metric, models take long, places need everybody, and
reproductions a system."""


@pytest.mark.parametrize("name", [one for one in NEED if one != "validation"])
def test_studies_take_clusters_or_say_why_not(name):
    """A study takes clusters of topics, or has a reason why it does not."""
    every = COMMANDS[STUDIES[name].verb].assemble_argument_collection()
    takes = any("--clusters" in one.names for one in every)
    assert takes != bool(STUDIES[name].refuses.get("--clusters"))


def made(name):
    """8 systems, 12 topics and 3 metrics."""
    rng = np.random.default_rng(ord(name))
    ability = np.linspace(0.1, 0.5, 8)[:, None, None]
    return cube(
        ability + 0.4 * rng.beta(1, 2, size=(8, 12, 3)),
        [f"s{number}" for number in range(8)],
        [f"{name}{number}" for number in range(12)],
        ["AP", "P@10", "RR"],
        collection=name,
    )


@pytest.mark.parametrize("name", OF_SCORES)
def test_a_command_does_what_its_function_does(run, name, tmp_path):
    """Without options a command has its function's tables and options, and --plot draws the figure, if there is one."""
    several = "cubes" in NEED[name]
    given = {name: made(name) for name in "ABC"} if several else made("A")
    irmeta.save(given, tmp_path / "s.parquet")
    result = attrgetter(STUDIES[name].public)(irmeta)(given)

    verb = STUDIES[name].verb.split()
    drawn = find_spec(f"irmeta.report.plots.{name}") is not None
    plot = ["--plot", "drawn.svg"] if drawn else []
    code, out, err = run(*verb, "s.parquet", "-o", "told.json", "--quiet", *plot)
    assert (code, out, err) == (0, "", "")
    assert (tmp_path / "drawn.svg").exists() == drawn
    told = json.loads((tmp_path / "told.json").read_text())
    assert told["options"] == json.loads(json.dumps(about(result)["options"]))
    for table, frame in result.tables.items():
        rows = pl.DataFrame(told["tables"][table], schema=frame.schema)
        assert_frame_equal(rows, frame)


@pytest.mark.parametrize("name", [*OF_SCORES, "leaderboard"])
def test_a_table_is_found_by_its_title(name):
    """A table that a result shows is found by the title that stands above it."""
    given = {name: made(name) for name in "ABC"} if "cubes" in NEED[name] else made("A")
    result = attrgetter(STUDIES[name].public)(irmeta)(given)
    for title in whole_tables(result.data):
        assert table_named(result.data, title).height
        assert table_named(result.data, title.partition(":")[0]).height


def test_most_commands_are_tested():
    """The test above finds the commands that it is about."""
    assert {"description", "significance", "correlation", "comparison"} < set(OF_SCORES)
