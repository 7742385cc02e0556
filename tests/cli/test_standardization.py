"""`irmeta standardize`, `compare`, `describe` and `significance`, as a user types them."""

import json

import numpy as np
import polars as pl
import pytest

from irmeta.io.formats.scores import load, save
from irmeta.scores.cube import cube


@pytest.fixture
def typed(run):
    """Run a line as it is typed."""
    return lambda line: run(*line.split())


@pytest.fixture
def files(tmp_path):
    """Score files of three collections, the systems of the third partly others."""
    for seed, name in enumerate(("old", "new", "third")):
        drawn = (
            np.random.default_rng(seed).beta(1, 2, size=(8, 10, 2)) * 0.6
            + np.linspace(0, 0.4, 8)[:, None, None]
        )
        names = (
            [f"s{i + seed // 2}" for i in range(8)],
            [str(301 + t) for t in range(10)],
            ["AP", "P@10"],
        )
        save(cube(drawn, *names, collection=name), tmp_path / f"{name}.parquet")


def document(typed, line):
    code, out, err = typed(f"{line} --format json")
    assert (code, err) == (0, "")
    return json.loads(out)


CONTRACT = {
    "describe old.parquet --by AP": {
        "means": [
            "system",
            "metric",
            "mean",
            "low",
            "high",
            "rank",
            "rank_low",
            "rank_high",
        ],
        "topics": ["topic", "metric", "mean", "sd", "reliability"],
    },
    "standardize durability old.parquet new.parquet": {
        "durability": ["topics", "metric", "pearson", "tau", "tau_ap"]
    },
    "standardize sample old.parquet new.parquet --sizes 2,4 --resamples 100": {
        "sample": ["systems", "metric", "p50", "p5", "p1"]
    },
    "compare old.parquet new.parquet third.parquet --kinds raw,normal --partitions 20": {
        "pairs": [
            *(
                "collection_a",
                "collection_b",
                "metric",
                "kind",
                "drmse",
                "false_positives",
                "systems",
                "quantile",
            ),
        ]
    },
    "significance old.parquet --metric AP --test permutation --correct holm": {
        "tests": [
            *(
                "system_a",
                "system_b",
                "metric",
                "difference",
                "low",
                "high",
                "p",
                "p_corrected",
                "effect_size",
                "direction",
                "significant",
            ),
        ],
        "power": ["metric", "share_significant"],
    },
}


@pytest.mark.parametrize("line", CONTRACT)
def test_json_tables_have_the_columns_of_the_contract(typed, files, line):
    """Programs find the named tables, not empty, with the named columns first."""
    told = document(typed, line)
    assert set(told) == {"study", "findings", "inputs", "options", "notes", "tables"}
    for name, columns in CONTRACT[line].items():
        assert list(told["tables"][name][0])[: len(columns)] == columns


@pytest.mark.parametrize("line", CONTRACT)
def test_what_people_read_begins_with_the_finding(typed, files, line):
    """The default output is the answer in a sentence and then tables, 80 columns wide; csv is the first table alone."""
    code, out, _ = typed(line)
    assert code == 0
    assert out.split("\n\n")[0].rstrip().endswith(".")
    assert max(map(len, out.splitlines())) <= 80
    first = next(iter(CONTRACT[line].values()))
    code, out, _ = typed(f"{line} --format csv")
    assert out.splitlines()[0].split(",")[: len(first)] == first


def test_fit_and_apply_give_a_score_file(typed, files):
    """Factors fitted on one file standardize another, and the command says with which factors."""
    code, _, err = typed("standardize fit old.parquet -o factors.parquet")
    assert code == 0
    digest = err.split()[-1]
    assert pl.read_parquet("factors.parquet").height == 20
    code, _, err = typed(
        "standardize apply new.parquet --factors factors.parquet -o out.parquet --kind z"
    )
    assert code == 0
    assert digest in err
    old, new = load("old.parquet"), load("new.parquet")
    expected = (new.values - old.values.mean(axis=0)) / old.values.std(axis=0, ddof=1)
    np.testing.assert_allclose(load("out.parquet").values, expected)


def test_default_scores_are_standardized_by_factors_that_ship(typed, files):
    """AP@1000 takes the factors of AP, and metrics that the factors lack are named; asked for, they are an error."""
    topics = [str(topic) for topic in range(401, 451)]
    metrics = ["AP@1000", "P@10", "nDCG@20"]
    values = np.full((1, 50, 3), 0.3)
    save(cube(values, ["mine"], topics, metrics, collection="trec8"), "d.parquet")
    code, _, err = typed("standardize apply d.parquet --factors trec8 -o out.parquet")
    said = " ".join(err.split())
    assert code == 0
    assert "metrics left out because the factors lack them: nDCG@20" in said
    assert "AP@1000 is standardized by the factors of AP" in said
    assert list(load("out.parquet").metric.values) == [
        "AP@1000 (std.)",
        "P@10 (std.)",
    ]
    code, _, err = typed(
        "standardize apply d.parquet --factors trec8 -o no.parquet -m nDCG@20"
    )
    assert code == 2
    assert "lack 1 metric" in " ".join(err.split())


def test_flat_topics_are_told(typed, files):
    """A topic that all standardizing systems score alike is named with what became of it."""
    old = load("old.parquet")
    old[:, 3, 0] = 0.0
    save(old, "flat.parquet")
    assert (
        "1 without spread"
        in typed("standardize fit flat.parquet -o factors.parquet")[2]
    )
    code, _, err = typed(
        "standardize apply new.parquet --factors factors.parquet -o out.parquet --flat drop"
    )
    assert code == 0
    assert (
        "AP: all standardizing systems have the same score on 1 topic (304); left out"
        in err
    )
    assert load("out.parquet").sizes["topic"] == 9
    assert typed(
        "standardize apply new.parquet --factors factors.parquet -o quiet.parquet --quiet"
    )[1:] == ("", "")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            "standardize apply new.parquet --factors new.parquet -o out.parquet",
            "new.parquet: not a factors file",
        ),
        ("standardize fit none.parquet -o f.parquet", "none.parquet: no such file"),
        ("standardize fit old.parquet -o new.parquet", "new.parquet exists"),
        ("standardize fit old.parquet --metrics AQ -o f.parquet", "no metric 'AQ'"),
        ("standardize sample old.parquet new.parquet --sizes 2;5", "as in 5,10,20"),
        (
            "standardize sample old.parquet new.parquet --sizes 1",
            "between 2 and 8, the number of old systems",
        ),
        ("compare old.parquet", "at least 2 collections"),
        (
            "compare old.parquet new.parquet --kinds raw,norml",
            "choose 'raw' or 'z' or 'normal'",
        ),
        ("compare old.parquet old.parquet", "two collections are named"),
        ("describe old.parquet --by RR", "no metric 'RR'"),
        ("describe old.parquet --level 95", "between 0 and 1"),
        ("describe old.parquet --plot means.gif", "saved as .svg, .pdf or .png"),
        ("describe old.parquet --highlight s1 --format csv", "--plot FILE"),
        ("describe old.parquet --highlight sX", "no system 'sX' in the tables"),
        ("reliability old.parquet --highlight s1", "no table here has rows of systems"),
        ("describe old.parquet --plot m.png --highlight sX", "no system 'sX'"),
        ("significance old.parquet --alpha 2", "alpha must be between 0 and 1"),
        ("significance old.parquet --systems s1", "at least 2 systems"),
        ("significance old.parquet --systems s1,sX", "no system 'sX'"),
    ],
)
def test_mistakes_exit_with_two_and_a_sentence(typed, files, line, words):
    """A user's mistake is one line on stderr that says what to do, never a traceback; nothing is written."""
    code, out, err = typed(line)
    assert (code, out) == (2, "")
    assert words in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("view", "suffix"),
    [
        *((view, "svg") for view in ("means", "ranks", "matrix", "distribution")),
        *(("means", suffix) for suffix in ("pdf", "png")),
    ],
)
def test_describe_draws(typed, files, tmp_path, view, suffix):
    """Each view of a cube is drawn, and a view is saved in each form."""
    assert typed(f"describe old.parquet --view {view} --plot figure.{suffix}")[0] == 0
    assert (tmp_path / f"figure.{suffix}").stat().st_size > 1000


def test_systems_of_interest_are_marked(typed, files, tmp_path):
    """The plot with --highlight differs from the one without: its systems are in colour."""
    for name, marked in (("plain", ""), ("marked", " --highlight s1")):
        line = f"describe old.parquet --plot {name}.svg{marked}"
        assert typed(line)[0] == 0
    plain, marked = (
        (tmp_path / f"{name}.svg").read_text() for name in ("plain", "marked")
    )
    assert "#d55e00" not in plain
    assert "#d55e00" in marked


@pytest.mark.parametrize(
    "line",
    [
        "compare old.parquet new.parquet --partitions 20",
        "significance old.parquet",
        "standardize sample old.parquet new.parquet --sizes 2,4 --resamples 100",
    ],
)
def test_other_studies_draw(typed, files, tmp_path, line):
    """The figures of the other studies are saved beside their tables."""
    assert typed(f"{line} --plot figure.svg")[0] == 0
    assert (tmp_path / "figure.svg").read_text().lstrip().startswith("<?xml")


def test_seed_and_top_are_options_of_the_command(typed, files):
    """--seed decides chance, --top the systems; both are in the result."""
    line = "significance old.parquet --metric AP --test bootstrap --top 0.5 --by P@10"
    one, same, other = (document(typed, f"{line} --seed {seed}") for seed in (1, 1, 2))
    assert one == same
    assert one["tables"]["tests"] != other["tables"]["tests"]
    assert one["inputs"]["collections"]["old"]["systems"] == 4
    assert one["options"]["seed"] == 1


def test_one_old_collection_of_several_is_chosen(typed, files):
    """Of a file with several old collections one is named, and meets the new one of its name, or the only one."""
    save({name: load(f"{name}.parquet") for name in ("old", "new")}, "both.parquet")
    line = "standardize sample both.parquet third.parquet --sizes 2 --resamples 100"
    assert "choose one with --collection: old, new" in typed(line)[2]
    told = document(typed, f"{line} --collection new")
    assert told["inputs"]["collections"]["old"]["collection"] == "new"
    assert (
        typed("standardize sample old.parquet both.parquet --sizes 2 --resamples 100")[
            0
        ]
        == 0
    )
