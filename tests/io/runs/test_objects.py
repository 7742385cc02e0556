"""Runs and judgments as other libraries hold them, read by irmeta and by the libraries themselves."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd
import polars as pl
import pytest
from ir_measures import AP, Qrel, ScoredDoc, nDCG

import irmeta
from irmeta.errors import FileFormatError, IrmetaError
from irmeta.io.kinds import kind_of
from irmeta.io.runs import trec

QRELS = {"1": {"a": 2, "b": 0}, "2": {"a": 1, "c": 1}}
RUN = {"1": {"a": 0.5, "b": 0.9, "x": 0.7}, "2": {"c": 1.0, "b": 0.5}}
METRICS = ["AP", "nDCG"]
QREL_ROWS = [
    Qrel(topic, document, grade)
    for topic, of in QRELS.items()
    for document, grade in of.items()
]
RUN_ROWS = [
    ScoredDoc(topic, document, score)
    for topic, of in RUN.items()
    for document, score in of.items()
]
RUN_TEXT = "".join(
    f"{topic} Q0 {d} 0 {score} tag\n"
    for topic, of in RUN.items()
    for d, score in of.items()
)


def scores(qrels: Any, run: Any) -> list[Any]:
    return irmeta.evaluate(qrels, run, METRICS).values.ravel().tolist()


WANTED = scores(QRELS, {"run": RUN})


def test_rows_and_iterators_of_ir_measures() -> None:
    """Lists and iterators of ir_measures are judgments and runs, and score as ir_measures says."""
    assert (
        scores(QREL_ROWS, RUN_ROWS) == scores(iter(QREL_ROWS), iter(RUN_ROWS)) == WANTED
    )
    assert scores(iter(QREL_ROWS), {"mine": iter(RUN_ROWS)}) == WANTED
    theirs = {
        (one.query_id, str(one.measure)): one.value
        for one in ir_measures.iter_calc([AP, nDCG], QREL_ROWS, RUN_ROWS)
    }
    assert (
        pytest.approx([theirs[topic, metric] for topic in QRELS for metric in METRICS])
        == WANTED
    )


def test_values_that_ir_measures_computes() -> None:
    """What ir_measures computes by topic is a table of scores, by system."""
    values = list(ir_measures.iter_calc([AP, nDCG], QREL_ROWS, RUN_ROWS))
    for given in (values, iter(values)):
        cube = irmeta.from_frame({"mine": given})
        assert cube.sel(
            system="mine", topic=["1", "2"], metric=METRICS
        ).values.ravel().tolist() == pytest.approx(WANTED)


def test_a_document_twice_in_rows_is_refused() -> None:
    """Rows that list a document twice are an error, as in a file."""
    with pytest.raises(
        FileFormatError, match="document 'a' occurs twice for topic '1'"
    ):
        scores(QREL_ROWS, [*RUN_ROWS, RUN_ROWS[0]])


def test_frames_and_lazy_frames_of_polars() -> None:
    """A LazyFrame is collected, alone or by name."""
    run = pl.DataFrame(
        [row[:3] for row in RUN_ROWS],
        schema=["query_id", "doc_id", "score"],
        orient="row",
    )
    qrels = pl.DataFrame(
        [row[:3] for row in QREL_ROWS],
        schema=["query_id", "doc_id", "relevance"],
        orient="row",
    )
    assert (
        scores(qrels.lazy(), run.lazy())
        == scores(qrels, {"mine": run.lazy()})
        == WANTED
    )


@pytest.mark.slow  # ranx compiles
def test_runs_and_qrels_of_ranx() -> None:
    """Run and Qrels of ranx are taken as they are, and a Run keeps its name."""
    ranx = pytest.importorskip("ranx")
    run, other = ranx.Run(RUN, name="mine"), ranx.Run(RUN, name="other")
    assert scores(ranx.Qrels(QRELS), run) == WANTED
    assert scores(ranx.Qrels(QRELS), {"named": run}) == WANTED
    assert irmeta.evaluate(
        ranx.Qrels(QRELS), [run, other], "AP"
    ).system.values.tolist() == ["mine", "other"]


def test_dictionaries_of_pytrec_eval(tmp_path: Path) -> None:
    """What pytrec_eval parses is taken as it is, and what it computes is a table of scores."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    (tmp_path / "run").write_text(RUN_TEXT)
    with (tmp_path / "run").open() as file:
        run = pytrec_eval.parse_run(file)
    assert scores(QRELS, run) == WANTED
    theirs = pytrec_eval.RelevanceEvaluator(QRELS, {"map", "ndcg"}).evaluate(run)
    cube = irmeta.from_frame({"mine": theirs})
    assert cube.sel(
        topic=["1", "2"], metric=METRICS
    ).values.ravel().tolist() == pytest.approx(WANTED)


@pytest.mark.filterwarnings("ignore")
def test_frames_of_pyterrier() -> None:
    """Frames of runs and judgments of PyTerrier, and the table of an Experiment by query, are taken as they are."""
    run = pd.DataFrame([row[:3] for row in RUN_ROWS], columns=["qid", "docno", "score"])
    qrels = pd.DataFrame(
        [row[:3] for row in QREL_ROWS], columns=["qid", "docno", "label"]
    )
    assert scores(qrels, run) == scores(qrels, {"mine": run}) == WANTED
    pt = pytest.importorskip("pyterrier")
    topics = pd.DataFrame({"qid": ["1", "2"], "query": ["one", "two"]})
    ranked = run.assign(
        rank=run.groupby("qid")["score"].rank(ascending=False).astype(int) - 1
    )
    table = pt.Experiment(
        [ranked], topics, qrels, ["map", "ndcg"], names=["mine"], perquery=True
    )
    cube = irmeta.from_frame(table)
    assert cube.sel(
        topic=["1", "2"], metric=METRICS
    ).values.ravel().tolist() == pytest.approx(WANTED)


def test_datasets_of_ir_datasets(tmp_path: Path) -> None:
    """A dataset's judgments and its scored documents are named irds:ID."""
    ir_datasets = pytest.importorskip("ir_datasets")
    (tmp_path / "qrels").write_text(
        "".join(f"{row.query_id} 0 {row.doc_id} {row.relevance}\n" for row in QREL_ROWS)
    )
    (tmp_path / "run").write_text(RUN_TEXT)
    from ir_datasets.formats import TrecQrels, TrecScoredDocs

    here = ir_datasets.util.LocalDownload
    made = ir_datasets.Dataset(
        TrecQrels(here(tmp_path / "qrels"), {}), TrecScoredDocs(here(tmp_path / "run"))
    )
    if "irmeta-test/small" not in ir_datasets.registry:
        ir_datasets.registry.register("irmeta-test/small", made)
    cube = irmeta.evaluate("irds:irmeta-test/small", "irds:irmeta-test/small", METRICS)
    assert cube.values.ravel().tolist() == WANTED
    assert cube.attrs["collection"] == "irmeta-test-small"
    with pytest.raises(
        IrmetaError, match="irds:none: ir_datasets has no such dataset;"
    ):
        irmeta.evaluate("irds:none", {"r": RUN}, "AP")


def test_a_dataset_that_cannot_be_downloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A failed download is one line, without all that was tried, and says how to do without it."""
    ir_datasets = pytest.importorskip("ir_datasets")

    class Unreachable:
        def has_qrels(self) -> bool:
            return True

        def has_scoreddocs(self) -> bool:
            return True

        def qrels_iter(self) -> Any:
            raise RuntimeError("All download sources failed", ["http://example.org"])

        scoreddocs_iter = qrels_iter

    monkeypatch.setattr(ir_datasets, "load", lambda _: Unreachable())
    message = r"irds:far: ir_datasets cannot read it \(All download sources failed\); .*ir_datasets export ID qrels"
    with pytest.raises(FileFormatError, match=message):
        irmeta.evaluate("irds:far", {"r": RUN}, "AP")
    with pytest.raises(FileFormatError, match="ir_datasets export ID scoreddocs"):
        irmeta.evaluate(QRELS, "irds:far", "AP")


OPENSEARCH = {
    "name": "mine",
    "type": "IMPORT_JUDGMENT",
    "judgmentRatings": [
        {
            "query": topic,
            "ratings": [
                {"docId": d, "rating": f"{grade}.000"} for d, grade in of.items()
            ],
        }
        for topic, of in QRELS.items()
    ],
}
ELASTICSEARCH = {
    "requests": [
        {
            "id": topic,
            "request": {},
            "ratings": [{"_index": "i", "_id": d, "rating": g} for d, g in of.items()],
        }
        for topic, of in QRELS.items()
    ],
    "metric": {"dcg": {"k": 10}},
}


@pytest.mark.parametrize(
    "held",
    [
        OPENSEARCH,
        ELASTICSEARCH,
        {"hits": {"hits": [{"_source": OPENSEARCH}]}},
        OPENSEARCH["judgmentRatings"],
    ],
)
def test_judgments_of_opensearch_and_elasticsearch(tmp_path: Path, held: Any) -> None:
    """Ratings by query are judgments: as they are imported, as they are found, and as rank_eval is asked."""
    (tmp_path / "judgments.json").write_text(json.dumps(held, indent=1))
    assert scores(tmp_path / "judgments.json", {"run": RUN}) == WANTED


@pytest.mark.parametrize(
    ("ratings", "says"),
    [
        (
            [{"docId": "a", "rating": 1}, {"docId": "a", "rating": 2}],
            "document 'a' of 'q' occurs twice",
        ),
        ([{"docId": "a"}], "not of the form"),
        ([{"rating": 1}], "no _id or docId"),
    ],
)
def test_ratings_with_faults(tmp_path: Path, ratings: Any, says: str) -> None:
    """A document rated twice, a rating without a number or without a document is an error that names the file."""
    path = tmp_path / "judgments.json"
    path.write_text(
        json.dumps({"judgmentRatings": [{"query": "q", "ratings": ratings}]})
    )
    with pytest.raises(FileFormatError, match=f"judgments.json.*{says}"):
        scores(path, {"run": {"q": {"a": 1.0}}})


def beir(folder: Path, kind: str) -> None:
    table = pl.DataFrame(
        [row[:3] for row in QREL_ROWS],
        schema=["query-id", "corpus-id", "score"],
        orient="row",
    )
    folder.mkdir()
    if kind == "parquet":
        (folder / "data").mkdir()
        table.write_parquet(folder / "data" / "test-00000-of-00001.parquet")
        return
    (folder / "corpus.jsonl").write_text('{"_id": "a", "text": "x"}\n')
    (folder / "queries.jsonl").write_text('{"_id": "1", "text": "x"}\n')
    (folder / "qrels").mkdir()
    for split in ("test", "train"):
        part = table if split == "test" else table.head(1)
        path = folder / "qrels" / f"{split}.{kind}"
        part.write_ndjson(path) if kind == "jsonl" else part.write_csv(
            path, separator="\t"
        )


@pytest.mark.parametrize("kind", ["tsv", "jsonl", "parquet"])
def test_folders_of_the_hugging_face_hub(tmp_path: Path, kind: str) -> None:
    """A folder as BEIR has it stands for the judgments of its test split, and gives the collection its name."""
    beir(tmp_path / "scifact", kind)
    cube = irmeta.evaluate(tmp_path / "scifact", {"run": RUN}, METRICS)
    assert cube.values.ravel().tolist() == WANTED
    assert cube.attrs["collection"] == "scifact"


def test_folders_without_a_test_split(tmp_path: Path) -> None:
    """A folder whose judgments are not to be found, or are several, is an error that says what to name."""
    beir(tmp_path / "scifact", "tsv")
    qrels = tmp_path / "scifact" / "qrels"
    (qrels / "test.tsv").rename(qrels / "dev.tsv")
    with pytest.raises(
        FileFormatError,
        match="several files.*dev.tsv.*train.tsv; name one",
    ):
        scores(tmp_path / "scifact", {"run": RUN})
    (qrels / "train.tsv").unlink()
    assert scores(tmp_path / "scifact", {"run": RUN}) == WANTED
    (qrels / "dev.tsv").unlink()
    with pytest.raises(
        FileFormatError,
        match="scifact: no judgments in this folder .*; name the judgments first, then the runs",
    ):
        scores(tmp_path / "scifact", {"run": RUN})


@pytest.mark.skipif(sys.platform == "win32", reason="no /dev/stdin")
def test_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`-` is the standard input, for the run or for the judgments."""
    (tmp_path / "qrels").write_text(
        "".join(f"{row.query_id} 0 {row.doc_id} {row.relevance}\n" for row in QREL_ROWS)
    )
    (tmp_path / "run").write_text(RUN_TEXT)
    monkeypatch.chdir(tmp_path)
    own = os.dup(0)
    try:
        for qrels, run, piped in (("qrels", "-", "run"), ("-", "run", "qrels")):
            read, write = os.pipe()
            os.write(write, Path(piped).read_bytes())
            os.close(write)
            os.dup2(read, 0)
            os.close(read)
            assert scores(qrels, run) == WANTED
    finally:
        os.dup2(own, 0)
        os.close(own)


def test_damaged_tables_of_judgments(tmp_path: Path) -> None:
    """Parquet that ends too early and JSON lines with a broken line are errors that name the file."""
    for kind in ("parquet", "jsonl"):
        beir(tmp_path / kind, kind)
        path = next(path for path in (tmp_path / kind).rglob(f"test*.{kind}"))
        path.write_bytes(path.read_bytes()[:-9])
        with pytest.raises(
            FileFormatError, match=f"test.*{kind}: (.* that cannot be read|the column)"
        ):
            scores(tmp_path / kind, {"run": RUN})


def test_frames_in_a_list_need_names() -> None:
    """Runs without names, frames or dicts, are told to be named; frames are not taken for rows."""
    frame = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "score": [1.0]})
    mapping = {"1": {"a": 1.0}}
    for runs in ([frame, frame], [mapping, mapping], [frame, mapping]):
        with pytest.raises(FileFormatError, match="name each: {'bm25': run"):
            irmeta.evaluate({"1": {"a": 1}}, runs, ["AP"])


@pytest.mark.parametrize("separator", [",", "\t"])
def test_a_table_of_pyterrier_is_a_run(tmp_path: Path, separator: str) -> None:
    """What `to_csv` writes of PyTerrier's results is a run; judgments it is not, nor two runs, nor text for scores."""
    header = ["", "qid", "docid", "docno", "rank", "score", "query"]
    rows = [
        ["0", "1", "7", "a", "0", "2.5", '"red, blue"'],
        ["1", "1", "8", "b", "1", "1e-1", "x"],
    ]
    path = tmp_path / "bm25.csv"

    def write(lines: list[list[str]]) -> None:
        path.write_text("".join(f"{separator.join(line)}\n" for line in lines))

    write([header, *rows])
    run = trec.read_run(path)
    assert run.name == "bm25.csv"
    assert run.scores.tolist() == [2.5, 0.1]
    assert kind_of(path) == "a run"
    with pytest.raises(FileFormatError, match="a run, as it has ranks"):
        trec.read_qrels(path)
    scores = irmeta.evaluate({"1": {"b": 1}}, path, "RR")
    assert scores.system.values.tolist() == ["bm25"]
    assert scores.item() == 0.5
    write([header, [*rows[0][:5], "much", "x"]])
    with pytest.raises(FileFormatError, match=r"bm25\.csv: the column 'score'"):
        trec.read_run(path)
    write([["name", *header[1:]], rows[0], rows[1]])
    with pytest.raises(FileFormatError, match="2 runs in a table"):
        trec.read_run(path)
