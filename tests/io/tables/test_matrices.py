"""Score tables that users have: read as they are meant, refused where they are ambiguous."""

from pathlib import Path

import numpy as np
import pytest

from irmeta.errors import FileFormatError, IrmetaError, ScoresError
from irmeta.io.tables.matrices import (
    import_matrix,
    import_systemwise,
    import_trec_eval,
    metric_of_release,
    topic_range,
)
from irmeta.scores.attributes import about


def put(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("map", "AP"), ("gm_map", "GMAP"), ("map_cut_100", "AP@100"), ("ndcg", "nDCG"), ("ndcg_cut_20", "nDCG@20"),
        ("P_5", "P@5"), ("recall_1000", "R@1000"), ("Rprec", "Rprec"), ("bpref", "Bpref"), ("infAP", "infAP"),
        ("recip_rank", "RR"), ("success_10", "Success@10"), ("iprec_at_recall_0.00", "IPrec@0.0"),
        ("iprec_at_recall_0.10", "IPrec@0.1"), ("num_ret", "NumRet"), ("num_rel", "NumRel"),
        ("num_rel_ret", "NumRelRet"), ("P_10all", "P@10"), ("Rprecall", "Rprec"), ("bprefall", "Bpref"),
        ("errall", "ERR@20"), ("map_cut_1000all", "AP@1000"), ("ndcg_cut_20all", "nDCG@20"),
        ("rdp_5all", "RBP(p=0.5)"), ("rdp_8all", "RBP(p=0.8)"), ("rdp_95all", "RBP(p=0.95)"),
        ("recall_100all", "R@100"), ("recip_rankall", "RR"), ("10_P_1000all", "P(depth=10)@1000"),
        ("20_rdp_95all", "RBP(p=0.95, depth=20)"), ("30_bprefall", "Bpref(depth=30)"),
        ("set_recall", "set_recall"), ("11pt_avg", "11pt_avg"), ("mine", "mine"), ("nDCG@10", "nDCG@10"),
        ("RBP(p=.8)", "RBP(p=0.8)"), ("set_P", "set_P"),
    ],
)  # fmt: skip
def test_table_names(theirs: str, ours: str) -> None:
    """Names of trec_eval and of Gupta et al. (2019) become ours; others stay what they are."""
    assert metric_of_release(theirs) == ours


TOPICS = "map                   \t1\t0.5000\nP_5\t1\t0.2\nmap\t2\t0.7\nP_5\t2\t0.4\n"
SUMMARY = "runid                 \tall\t{}\nnum_q\tall\t2\nmap\tall\t0.6\ngm_map\tall\t0.59\nP_5\tall\t0.3\n"


def test_trec_eval(tmp_path: Path) -> None:
    """What trec_eval -q prints is a cube of its topics, each file a system named by it, the means left out."""
    files = [
        put(tmp_path, "bm25.treceval", TOPICS + SUMMARY.format("tag")),
        put(tmp_path, "ql.gz", TOPICS),
    ]
    cube = import_trec_eval(files, collection="mine")
    assert cube.system.values.tolist() == ["bm25", "ql"]
    assert cube.topic.values.tolist() == ["1", "2"]
    assert cube.metric.values.tolist() == ["AP", "P@5"]
    assert cube.values.tolist() == [[[0.5, 0.2], [0.7, 0.4]]] * 2
    assert cube.attrs["collection"] == "mine"


def test_two_files_of_one_system_are_one_system(tmp_path: Path) -> None:
    """What TREC hands out as NAME.treceval and NAME.ndcgeval are the metrics of one system."""
    files = [
        put(tmp_path, "bm25.treceval", TOPICS),
        put(tmp_path, "bm25.ndcgeval", "ndcg_cut_10\t1\t0.3\nndcg_cut_10\t2\t0.1\n"),
    ]
    cube = import_trec_eval(files)
    assert cube.system.values.tolist() == ["bm25"]
    assert cube.metric.values.tolist() == ["AP", "P@5", "nDCG@10"]
    assert cube.notnull().all()


def test_several_runs_in_one_trec_eval_file(tmp_path: Path) -> None:
    """Outputs put one after the other are told apart by the runid that ends each one's topics."""
    other = TOPICS.replace("0.7", "0.1")
    cube = import_trec_eval(
        put(tmp_path, "all", TOPICS + SUMMARY.format("A") + other + SUMMARY.format("B"))
    )
    assert cube.sel(metric="AP").to_pandas().to_dict("index") == {
        "A": {"1": 0.5, "2": 0.7},
        "B": {"1": 0.5, "2": 0.1},
    }
    means = import_trec_eval(
        put(tmp_path, "means", SUMMARY.format("A") + SUMMARY.format("B"))
    )
    assert means.system.values.tolist() == ["A", "B"]
    assert means.topic.values.tolist() == ["all"]
    with pytest.raises(FileFormatError, match="more than one score for A, topic 1, AP"):
        import_trec_eval(put(tmp_path, "twice", (TOPICS + SUMMARY.format("A")) * 2))
    with pytest.raises(
        FileFormatError,
        match="several runs, but some have no runid line; save one file for each run",
    ):
        import_trec_eval(put(tmp_path, "cut", TOPICS + SUMMARY.format("A") + TOPICS))


def test_means_of_trec_eval(tmp_path: Path) -> None:
    """Output without topics has the one topic `all`; beside output with topics it is refused."""
    means = put(tmp_path, "means.txt", SUMMARY.format("x"))
    cube = import_trec_eval(means)
    assert cube.sel(system="means", topic="all", metric="GMAP").item() == 0.59
    with pytest.raises(
        FileFormatError, match="means has only means, other files have topics;"
    ):
        import_trec_eval([put(tmp_path, "q.txt", TOPICS), means])


def test_other_lines_of_trec_eval(tmp_path: Path) -> None:
    """Relevance strings are no scores, whatever they look like; measures that are not ours may be below zero."""
    odd = (
        "relstring 1 1010\nrelstring.10 1 '10-'\nutility_1,-1 1 -3\nutility_1,-1 2 2\n"
    )
    cube = import_trec_eval(put(tmp_path, "x.txt", TOPICS + odd))
    assert cube.metric.values.tolist() == ["AP", "P@5", "utility_1,-1"]
    assert cube.sel(topic="1").values.tolist() == [[0.5, 0.2, -3]]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("map 1\n", "x.txt:1: 2 fields, but trec_eval prints 3"),
        ("map 1 0.5\n\nmap 2 abc\n", "x.txt:3: 'abc' is not a score"),
        (
            "map 1 0.5\nmap 2 1.5\n",
            "x.txt: 1.5 is not a score of AP, whose scores are 0 to 1: divide",
        ),
        ("P_5 1 -0.2\n", "x.txt: -0.2 is not a score of P@5, whose scores are 0 to 1"),
        (
            "num_ret 1 -3\n",
            "x.txt: -3 is not a score of NumRet, whose scores are 0 or more: give the metric another name$",
        ),
        ("map 1 inf\n", "x.txt:1: 'inf' is not a score"),
        ("", "x.txt: no scores;"),
        ("runid all x\n", "x.txt: no scores;"),
    ],
)
def test_what_is_not_trec_eval(tmp_path: Path, text: str, says: str) -> None:
    """Other text is refused with its line."""
    with pytest.raises(FileFormatError, match=says):
        import_trec_eval(put(tmp_path, "x.txt", text))
    with pytest.raises(ScoresError, match=r"^there is no file to import"):
        import_trec_eval([])


@pytest.mark.parametrize("first", ["topic", "", "Topic ID", "qid", "anything"])
def test_matrices(tmp_path: Path, first: str) -> None:
    """Rows may be topics or systems; a first column of names is told by its header, or by holding no numbers."""
    names = ["301", "302"] if first != "anything" else ["t1", "t2"]
    rows = f"{names[0]},0.1,0.2,NA\n{names[1]},0.3, 0.4 ,\n"
    ap = put(tmp_path, "AP.csv", f"\ufeff{first},s1,s2,s3\r\n{rows}")
    reciprocal = put(
        tmp_path,
        "recip_rank.csv",
        f"{first},s2,s1,s3\n{names[1]},1,0.5,.5\n{names[0]},1,1,1\n",
    )
    cube = import_matrix([ap, reciprocal], rows="topics", collection="c")
    assert cube.dims == ("system", "topic", "metric")
    assert cube.topic.values.tolist() == names
    assert cube.system.values.tolist() == ["s1", "s2", "s3"]
    np.testing.assert_array_equal(
        cube.sel(metric="AP"), [[0.1, 0.3], [0.2, 0.4], [np.nan, np.nan]]
    )
    np.testing.assert_array_equal(cube.sel(metric="RR"), [[1, 0.5], [1, 1], [1, 0.5]])
    ap.write_text(
        ap.read_text(encoding="utf-8").replace(first, "", 1), encoding="utf-8"
    )
    turned = import_matrix(ap, rows="systems")
    assert turned.system.values.tolist() == names
    np.testing.assert_array_equal(
        turned.sel(metric="AP").values, cube.sel(metric="AP").values.T
    )


@pytest.mark.parametrize(
    ("first", "rows", "others"),
    [
        ("system", "topics", "systems"),
        ("Run name", "topics", "systems"),
        ("topic", "systems", "topics"),
        ("Query ID", "systems", "topics"),
    ],
)
def test_headers_against_rows(
    tmp_path: Path, first: str, rows: str, others: str
) -> None:
    """A header that says that rows are the others is refused; one that names both or neither is not."""
    path = put(tmp_path, "AP.csv", f"{first},a,b\nx,0.1,0.2\n")
    with pytest.raises(
        FileFormatError,
        match=f"AP.csv:1: the header '{first}' says that rows are {others}, not {rows}",
    ):
        import_matrix(path, rows=rows)
    assert import_matrix(path, rows=others).size == 2
    for neutral in ("", "id", "system topic"):
        assert (
            import_matrix(
                put(tmp_path, "AP.csv", f"{neutral},a,b\nx,0.1,0.2\n"), rows=rows
            ).size
            == 2
        )


def test_matrices_without_row_names(tmp_path: Path) -> None:
    """Rows without names are numbered from 1; --topics names the topics, and has to name all."""
    path = put(tmp_path, "P@10.csv", '"s1","s2"\n0.1,0.2\n0.3,0.4\n')
    numbered = import_matrix(path, rows="topics")
    assert numbered.topic.values.tolist() == ["1", "2"]
    (note,) = about(numbered)["notes"]
    assert note.startswith(
        "topics are numbered from 1; if the file does not name them, name them with --topics,"
    )
    named = import_matrix(path, rows="topics", topics=["401", "402"])
    assert named.sel(system="s2", topic="402", metric="P@10").item() == 0.4
    assert "notes" not in named.attrs
    with pytest.raises(
        FileFormatError, match=r": the file has 2 topics, but topics= names 3"
    ):
        import_matrix(path, rows="topics", topics=["1", "2", "3"])


def test_tables_are_files_folders_and_globs(tmp_path: Path) -> None:
    """What to import may be named as runs may be; what is not there is named."""
    for name in ("one", "two"):
        put(tmp_path, f"{name}.csv", "map,P_10\n0.1,0.2\n")
    for given in (
        tmp_path,
        str(tmp_path / "*.csv"),
        [tmp_path / "one.csv", tmp_path / "two.csv"],
    ):
        assert list(import_systemwise(given)) == ["one", "two"]
    with pytest.raises(FileFormatError, match=r"none\*: no such file"):
        import_systemwise(str(tmp_path / "none*"))


def test_what_tables_may_not_mean(tmp_path: Path) -> None:
    """Metrics that irmeta does not know, and those that the released tables compute otherwise, are remarked upon."""

    def notes(text: str) -> list[str]:
        return about(import_systemwise(put(tmp_path, "t.csv", text))["t"]).get(
            "notes", []
        )

    assert notes("map,P_10\n0.1,0.2\n") == []
    assert notes("map,clicks\n0.1,0.2\n") == [
        "irmeta does not know 1 of 2 metrics: clicks"
    ]
    (strange,) = notes("run1,run2\n0.1,0.2\n")
    assert strange == (
        "irmeta does not know 2 of 2 metrics: run1, run2; if they are systems or topics, use irmeta import matrix"
    )
    (released,) = notes("mapall,rdp_8all\n0.1,0.2\n")
    assert "them with RBP(p=0.8, rel=1) and ERR(max_rel=4)@20" in released


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("topic,s1,s1\n1,0.1,0.2\n", "more than one column is named 's1'"),
        ("topic,s1,s2\n1,0.1,0.2\n1,0.1,0.2\n", "more than one row is named '1'"),
        ("0.1,0.2\n0.3,0.4\n", "AP.csv:1: the first line has scores; add a header"),
        (
            "number of topic,s1\n301,0.1\n302,0.3\n",
            "301 is not a score of AP, whose scores are 0 to 1:.*if a column names",
        ),
        ("topic,s1,s2\n1,0.1\n", "AP.csv:2: 2 cells, but the header has 3"),
        (
            "topic,s1,s2\n1,0.1,0.2\n\n2,0.1,0.2,0.3\n",
            "AP.csv:4: 4 cells, but the header has 3",
        ),
        ("topic,s1,s2\n1,0.1,x\n", "AP.csv:2: 'x' is not a score"),
        ("topic,s1,s2\n1,0.1,-0.3\n", "AP.csv: -0.3 is not a score of AP"),
        ("topic,s1,s2\n1,0.1,inf\n", "AP.csv:2: 'inf' is not a score"),
        ("topic;s1;s2\n1;0,1;0,2\n", "AP.csv:2: '0,1' is not a score"),
        ("topic,s1\n", "AP.csv: not a table; expected a header and a row below"),
        ("", "AP.csv: not a table; expected a header and a row below it"),
        ("topic\n1\n", "not a CSV table with a header and scores under it"),
    ],
)
def test_ambiguous_matrices(tmp_path: Path, text: str, says: str) -> None:
    """A table that could be read in two ways, or in none, is refused with its line."""
    with pytest.raises(FileFormatError, match=says):
        import_matrix(put(tmp_path, "AP.csv", text), rows="topics")


def test_matrices_that_do_not_fit(tmp_path: Path) -> None:
    """Matrices of other systems or topics, or of the same metric twice, cannot be one cube."""
    one = put(tmp_path, "AP.csv", "topic,a,b\n1,0.1,0.2\n")
    with pytest.raises(
        FileFormatError, match="RR.csv: its systems differ from those of.*AP.csv"
    ):
        import_matrix(
            [one, put(tmp_path, "RR.csv", "topic,a,c\n1,0.1,0.2\n")], rows="topics"
        )
    with pytest.raises(
        FileFormatError, match="RR.csv: its topics differ from those of.*AP.csv"
    ):
        import_matrix(
            [one, put(tmp_path, "RR.csv", "topic,a,b\n2,0.1,0.2\n")], rows="topics"
        )
    with pytest.raises(
        ScoresError, match="metric names must be unique; given more than once: AP"
    ):
        import_matrix(
            [one, put(tmp_path, "more/map.csv", "topic,a,b\n1,0.1,0.2\n")],
            rows="topics",
        )


def test_systemwise(tmp_path: Path) -> None:
    """A system-wise table is a collection named by its file, with the one topic `all`."""
    files = [
        put(
            tmp_path,
            "wt2012.csv",
            "P_10all,mapall,rdp_95all\n0.1,0.2,0.3\n0.4,0.5,0.6\n",
        ),
        put(tmp_path, "wt2013.csv", "run,P_10all\nx,0.1\n"),
    ]
    cubes = import_systemwise(files)
    assert list(cubes) == ["wt2012", "wt2013"]
    assert cubes["wt2012"].sel(system="2", topic="all").to_pandas().to_dict() == {
        "P@10": 0.4,
        "AP": 0.5,
        "RBP(p=0.95)": 0.6,
    }
    assert cubes["wt2013"].system.values.tolist() == ["x"]
    with pytest.raises(FileFormatError, match="two tables are named 'wt2012'"):
        import_systemwise([files[0], put(tmp_path, "b/wt2012.csv", "P_10all\n0.1\n")])
    with pytest.raises(
        FileFormatError, match="5 is not a score of P@10, whose scores are 0 to 1:"
    ):
        import_systemwise(put(tmp_path, "w.csv", "P_10all\n5\n"))


def test_topic_ranges() -> None:
    """Topic numbers are written singly or as ranges; anything else is an error."""
    assert topic_range("401-403, 450,1-1") == ["401", "402", "403", "450", "1"]
    for wrong in ("a", "1-", "-3", "1-b", "", "1,,2", "²", "１", "450-401"):
        with pytest.raises(IrmetaError, match="topic numbers, as in 401-450"):
            topic_range(wrong)


@pytest.mark.data
def test_real_tables(data: Path) -> None:
    """The public tables are read: TREC-8's three matrices as one cube, and the system-wise ones with our 23 names."""
    matrices = [
        data / "matrices/trec8-adhoc" / name
        for name in ("AP.csv", "P@10.csv", "RR.csv")
    ]
    cube = import_matrix(matrices, rows="topics", topics=topic_range("401-450"))
    assert dict(cube.sizes) == {"system": 129, "topic": 50, "metric": 3}
    wide = import_matrix(data / "matrices/robust2004-249/AP.csv", rows="systems")
    assert dict(wide.sizes) == {"system": 110, "topic": 249, "metric": 1}
    (train,) = import_systemwise(data / "systemwise/train.csv").values()
    assert train.sizes["system"] == 428
    assert {
        "P@10",
        "AP@1000",
        "nDCG@20",
        "RBP(p=0.95)",
        "R@100",
        "RR",
        "ERR@20",
    } <= set(train.metric.values)
    lowcost = import_systemwise(sorted((data / "systemwise/lowcost").iterdir()))
    assert all(
        "(" in str(name) for cube in lowcost.values() for name in cube.metric.values
    )


@pytest.mark.parametrize("topics", ["1-9999999999", "1-" + "9" * 100])
def test_ranges_of_topics_have_an_end(topics: str) -> None:
    """A range of more topics than any collection has is a slip, and does not fill the memory."""
    with pytest.raises(ScoresError, match="more than 1000000 topics"):
        topic_range(topics)


def test_a_matrix_that_is_not_named_like_a_metric_says_how_to_name_it(tmp_path):
    """A matrix whose file name is no known metric is told how to be named, and of no other command."""
    path = put(tmp_path, "results.csv", "model,1,2\nbm25,0.1,0.2\n")
    [said] = about(import_matrix(path, rows="systems"))["notes"][:1]
    assert said.endswith("results; name each file after its metric, as in nDCG@10.csv")
