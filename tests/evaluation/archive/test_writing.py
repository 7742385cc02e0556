"""Evaluation to a score file in parts: the same as in memory, whole or not at all, and taken up again."""

import signal
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
import xarray as xr

import irmeta
import irmeta.scores.standardization
from irmeta.errors import FileFormatError, ScoresError
from irmeta.evaluation import engine
from irmeta.evaluation.archive import writing as archive
from irmeta.evaluation.archive.writing import evaluate_to
from irmeta.evaluation.sources import qrels_of
from irmeta.io.files import read_bytes
from irmeta.io.formats.scores import load, load_all, save
from irmeta.io.runs.trec import Reading
from irmeta.parallel import watched_by
from irmeta.scores.attributes import about
from irmeta.scores.cube import cube


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A simulated collection: qrels.txt, and 16 files in runs/."""
    folder = tmp_path_factory.mktemp("collection")
    irmeta.simulate(folder, systems=16, topics=8, rng=2)
    return folder


@pytest.fixture
def desk(collection: Path, tmp_path: Path) -> Path:
    """A copy of the collection that a test may change, and an empty place for its output."""
    (tmp_path / "runs").mkdir()
    for file in (collection / "qrels.txt", *(collection / "runs").iterdir()):
        (tmp_path / file.relative_to(collection)).write_bytes(file.read_bytes())
    return tmp_path


def written(desk: Path, name: str = "s.parquet", **options: object) -> archive.Written:
    return evaluate_to(desk / name, desk / "qrels.txt", desk / "runs", **options)


def interrupted(desk: Path, after: int, every: float = 0.0, **options: object) -> None:
    """Evaluate to s.parquet, and stop when so many runs are done; what is finished is written every so many seconds."""

    class StopError(Exception):
        pass

    def stop(_: str, done: int, __: int | None) -> None:
        if done == after:
            raise StopError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(archive, "EVERY", every)
        with pytest.raises(StopError), watched_by(stop):
            written(desk, **options)


def same(one: Path, other: Path) -> bool:
    """Tell whether two score files have the same rows in the same order, and say the same of them."""
    about = [pl.read_parquet_metadata(path)["irmeta"] for path in (one, other)]
    return about[0] == about[1] and pl.read_parquet(one).equals(pl.read_parquet(other))


@pytest.mark.parametrize("metrics", ["seeds23", "AP(pool=3) RR", "RR SetP AP"])
@pytest.mark.parametrize("topics", ["qrels", "common"])
def test_the_file_holds_what_evaluate_gives(
    desk: Path, metrics: str, topics: str
) -> None:
    """The score file holds the cube that `evaluate` gives, with its attributes, and nothing stands beside it."""
    run = sorted((desk / "runs").iterdir())[3]
    run.write_bytes(
        b"".join(
            line
            for line in read_bytes(run).splitlines(True)
            if not line.startswith(b"301 ")
        )
    )
    got = written(desk, metrics=metrics, topics=topics)
    cube = irmeta.evaluate(desk / "qrels.txt", desk / "runs", metrics, topics=topics)
    xr.testing.assert_identical(load(desk / "s.parquet"), cube)
    assert got.about["attributes"] == about(cube)
    assert got.kept == 0
    assert sorted(file.name for file in desk.iterdir()) == [
        "qrels.txt",
        "runs",
        "s.parquet",
    ]


def test_parts_change_nothing(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that was written in many parts is the one that was written at once."""
    written(desk, "whole.parquet")
    monkeypatch.setattr(archive, "MOST", 500)
    seen = set()

    def look(*_: object) -> None:
        seen.update(file.name for file in (desk / ".s.parquet.parts").glob("*"))

    with watched_by(look):
        written(desk)
    assert len(seen) > 3
    assert same(desk / "s.parquet", desk / "whole.parquet")
    assert not (desk / ".s.parquet.parts").exists()


def test_what_is_finished_is_kept(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once there are parts, an interruption that can be handled costs no finished run."""
    monkeypatch.setattr(archive, "MOST", 500)
    interrupted(desk, after=10, every=60.0)
    assert written(desk).kept == 10


@pytest.mark.parametrize("metrics", ["seeds23", "AP(pool=3) SetP"])
def test_going_on(desk: Path, metrics: str) -> None:
    """After an interruption only the other runs are evaluated, and the file is that of an uninterrupted evaluation."""
    written(desk, "whole.parquet", metrics=metrics)
    interrupted(desk, after=10, metrics=metrics)
    assert not (desk / "s.parquet").exists()
    got = written(desk, metrics=metrics)
    assert 8 <= got.kept < 16
    assert same(desk / "s.parquet", desk / "whole.parquet")
    assert not (desk / ".s.parquet.parts").exists()


def test_going_on_among_the_runs(desk: Path) -> None:
    """What is finished is no run, where the scores are written into the folder of the runs."""
    interrupted(desk, after=10)
    (desk / ".s.parquet.parts").rename(desk / "runs" / ".s.parquet.parts")
    assert 8 <= written(desk, "runs/s.parquet").kept < 16


def test_a_changed_run_is_evaluated_again(desk: Path) -> None:
    """A finished run that changed since is evaluated again, one that vanished is left out, and a new one added."""
    interrupted(desk, after=12)
    first, second, third, *_ = sorted((desk / "runs").iterdir())
    second.write_bytes(b"".join(read_bytes(second).splitlines(True)[:50]))
    third.rename(third.with_name("a-new-name"))
    first.unlink()
    got = written(desk)
    written(desk, "whole.parquet")
    xr.testing.assert_identical(load(desk / "s.parquet"), load(desk / "whole.parquet"))
    assert 7 <= got.kept < 13
    assert "a-new-name" in load(desk / "s.parquet").system.values


@pytest.mark.parametrize(
    "other",
    [
        {"metrics": "AP"},
        {"score_precision": "float32"},
        {"collection": "another"},
        {"metrics": "AP(pool=4)"},
    ],
)
def test_other_options_use_nothing_of_it(desk: Path, other: dict[str, str]) -> None:
    """What was finished for other metrics, another order of ties, or another collection does not count.

    It goes when the file is whole, but for what belongs to another collection.
    """
    interrupted(desk, after=12)
    assert written(desk, **other).kept == 0
    assert (desk / ".s.parquet.parts").exists() == ("collection" in other)


def test_other_judgments_use_nothing_of_it(desk: Path) -> None:
    """What was finished on other judgments does not count."""
    interrupted(desk, after=12)
    with (desk / "qrels.txt").open("a") as qrels:
        qrels.write("301 0 another 1\n")
    assert written(desk).kept == 0


def test_half_a_part_does_not_count(desk: Path) -> None:
    """A part that is damaged is as if it were not there."""
    interrupted(desk, after=12)
    for part in (desk / ".s.parquet.parts").iterdir():
        part.write_bytes(part.read_bytes()[:200])
    assert written(desk).kept == 0
    written(desk, "whole.parquet")
    assert same(desk / "s.parquet", desk / "whole.parquet")


def test_files_of_others_stay(desk: Path) -> None:
    """In the folder of parts only parts are removed; what else is there stays, as does a folder that is a link."""
    interrupted(desk, after=12, metrics="AP")
    (desk / ".s.parquet.parts" / "mine.parquet").write_text("something else")
    (desk / ".s.parquet.parts" / ".part-1.parquet.x.part").write_text(
        "left half written by a process that was killed"
    )
    written(desk)
    assert [file.name for file in (desk / ".s.parquet.parts").iterdir()] == [
        "mine.parquet"
    ]
    (desk / ".t.parquet.parts").symlink_to(desk / "runs")
    written(desk, "t.parquet")
    assert len(list((desk / "runs").iterdir())) == 16


def test_names_that_are_swapped(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where runs are given by name a finished run counts for its name only, and one file may be two systems."""
    first, second, third, *_ = sorted((desk / "runs").iterdir())
    monkeypatch.setattr(archive, "EVERY", 0.0)
    monkeypatch.setattr(engine, "BATCH", 1)

    class StopError(Exception):
        pass

    def stop(_: str, done: int, __: int | None) -> None:
        if done == 3:
            raise StopError

    path = desk / "s.parquet"
    with pytest.raises(StopError), watched_by(stop):
        evaluate_to(path, desk / "qrels.txt", {"a": first, "b": second, "c": third})
    swapped = {"b": first, "a": second, "c": third, "d": third}
    evaluate_to(path, desk / "qrels.txt", swapped)
    xr.testing.assert_identical(
        load(path), irmeta.evaluate(desk / "qrels.txt", swapped)
    )


def test_odd_names(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Brackets in a path are no pattern, and a collection's name that is not UTF-8 is written as escapes."""
    monkeypatch.setattr(archive, "EVERY", 0.0)
    folder = desk / "o[1]"
    folder.mkdir()
    evaluate_to(
        folder / "s[2].parquet",
        desk / "qrels.txt",
        desk / "runs",
        "AP",
        collection="caf\udce9",
    )
    (folder / "s2.parquet").write_text("another file")
    scores = load(folder / "s[2].parquet")
    assert scores.shape == (16, 8, 1)
    assert scores.attrs["collection"] == "caf\\xe9"


def test_a_full_disk(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a part or the file cannot be written for lack of room there is an error that names it."""

    def full(*_: object, **__: object) -> None:
        raise pl.exceptions.ComputeError("No space left on device")

    monkeypatch.setattr(pl.LazyFrame, "sink_parquet", full)
    with pytest.raises(
        FileFormatError, match=r"s.parquet: cannot be written \(No space"
    ):
        written(desk)
    monkeypatch.setattr(archive, "EVERY", 0.0)
    monkeypatch.setattr(pl.DataFrame, "write_parquet", full)
    with pytest.raises(FileFormatError, match=r"part-.*: cannot be written \(No space"):
        written(desk)


def test_a_short_evaluation_leaves_no_parts(desk: Path) -> None:
    """An evaluation that ends after less than a few seconds leaves nothing behind, however it ends."""
    interrupted(desk, after=12, every=5.0)
    assert sorted(file.name for file in desk.iterdir()) == ["qrels.txt", "runs"]


def test_a_broken_run_can_be_mended(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a broken run stops an evaluation, the runs before it need not be evaluated again."""
    last = sorted((desk / "runs").iterdir())[-1]
    good = last.read_bytes()
    last.write_bytes(b"broken")
    monkeypatch.setattr(archive, "EVERY", 0.0)
    with pytest.raises(FileFormatError, match="1 field"):
        written(desk)
    last.write_bytes(good)
    assert written(desk).kept == 15


def test_appending(desk: Path) -> None:
    """A collection that a score file does not hold is added to it, and the others stay as they are."""
    written(desk, collection="one", metrics="AP")
    before = load(desk / "s.parquet")
    written(desk, collection="two", metrics="RR", append=True)
    assert list(load_all(desk / "s.parquet")) == ["one", "two"]
    xr.testing.assert_identical(load(desk / "s.parquet", "one"), before)


def added(desk: Path, *runs: Path, **options: object) -> archive.Written:
    return evaluate_to(
        desk / "s.parquet", desk / "qrels.txt", runs, append=True, **options
    )


def test_runs_are_added_to_their_collection(desk: Path) -> None:
    """A collection evaluated in two steps has the scores and the digests of one evaluated at once."""
    runs = sorted((desk / "runs").iterdir())
    whole = irmeta.evaluate(desk / "qrels.txt", runs)
    evaluate_to(desk / "s.parquet", desk / "qrels.txt", runs[:10])
    said = added(desk, *runs[10:]).about
    together = load(desk / "s.parquet")
    xr.testing.assert_equal(together, whole)
    assert said["names"]["system"] == whole.system.values.tolist()
    for key in ("qrels", "runs", "judged", "scored", "lacking", "options", "irmeta"):
        assert about(together)[key] == said["attributes"][key] == about(whole)[key]
    assert (
        about(together)["notes"][: len(about(whole)["notes"])] == about(whole)["notes"]
    )


def test_runs_are_added_to_the_collection_with_the_same_judgments(desk: Path) -> None:
    """Without a name, runs go to the one collection with these judgments, by its metrics, whatever it is called."""
    runs = sorted((desk / "runs").iterdir())
    path, qrels = desk / "s.parquet", desk / "qrels.txt"
    other = {"1": {"a": 1}}, {"r": {"1": {"a": 1.0}}}
    evaluate_to(path, *other, "RR", collection="other")
    evaluate_to(path, qrels, runs[:3], "AP", collection="mine", append=True)
    said = added(desk, runs[3])
    assert said.added
    assert said.about["attributes"]["collection"] == "mine"
    assert load(path, "mine").sizes == {"system": 4, "topic": 8, "metric": 1}
    assert list(load_all(path)) == ["other", "mine"]


def test_of_several_collections_with_the_same_judgments_one_is_chosen(
    desk: Path,
) -> None:
    """Of collections with these judgments, runs are added to that by the name of the judgments, or to none."""
    run, more = sorted((desk / "runs").iterdir())[:2]
    path, qrels = desk / "s.parquet", desk / "qrels.txt"
    for name in ("one", "two"):
        evaluate_to(path, qrels, [run], "AP", collection=name, append=True)
    with pytest.raises(
        ScoresError, match="as collections one, two; choose one with collection="
    ):
        added(desk, more)
    own = qrels_of(qrels, Reading()).name
    evaluate_to(path, qrels, [run], "AP", collection=own, append=True)
    assert added(desk, more).about["attributes"]["collection"] == own


def test_an_added_run_stands_beside_other_collections(desk: Path) -> None:
    """Runs go to the collection that is named; the others keep their scores, also of runs of the same name."""
    runs = sorted((desk / "runs").iterdir())
    evaluate_to(desk / "s.parquet", desk / "qrels.txt", runs[:3], collection="one")
    evaluate_to(
        desk / "s.parquet", desk / "qrels.txt", runs[:3], collection="two", append=True
    )
    before = load(desk / "s.parquet", "one")
    runs[0].write_bytes(read_bytes(runs[1]))
    added(desk, *runs[:4], collection="two", replace=True)
    xr.testing.assert_identical(load(desk / "s.parquet", "one"), before)
    assert load(desk / "s.parquet", "two").sizes["system"] == 4


def test_a_run_is_replaced_only_where_asked(desk: Path) -> None:
    """Another run of a name that is there is an error; replaced, it has its scores and digest, in its old place."""
    runs = sorted((desk / "runs").iterdir())
    written(desk)
    before = (desk / "s.parquet").read_bytes()
    runs[2].write_bytes(read_bytes(runs[5]))
    with pytest.raises(
        ScoresError, match="-3' with other content; replace it with replace=True"
    ):
        added(desk, runs[2])
    assert (desk / "s.parquet").read_bytes() == before
    added(desk, runs[2], replace=True)
    whole = irmeta.evaluate(desk / "qrels.txt", desk / "runs")
    xr.testing.assert_equal(load(desk / "s.parquet"), whole)
    assert about(load(desk / "s.parquet"))["runs"] == about(whole)["runs"]


def test_runs_that_are_there_stay(desk: Path) -> None:
    """A whole folder can be added again: runs with the content that was scored stay as they are, new ones come."""
    runs = sorted((desk / "runs").iterdir())
    evaluate_to(desk / "s.parquet", desk / "qrels.txt", runs[:10])
    assert added(desk, *runs).kept == 10
    xr.testing.assert_equal(
        load(desk / "s.parquet"), irmeta.evaluate(desk / "qrels.txt", runs)
    )
    before = load(desk / "s.parquet")
    assert added(desk, *runs).kept == 16
    xr.testing.assert_identical(load(desk / "s.parquet"), before)


@pytest.mark.parametrize(
    ("first", "then", "says"),
    [
        (
            {},
            {"metrics": "AP"},
            'the same, metrics="seeds23"',
        ),
        (
            {"metrics": "AP RR"},
            {"metrics": "P@10 AP"},
            r'has other metrics; to add runs use the same, metrics="AP RR"; for more metrics evaluate all runs into '
            r'another file, metrics="AP RR P@10", without append',
        ),
        (
            {},
            {"score_precision": "float32"},
            "made with other options; use the same, score_precision='float64'",
        ),
        (
            {},
            {"topics": "common"},
            "made with other options; use the same, topics='qrels'",
        ),
        ({"topics": "common"}, {"topics": "common"}, "evaluate all runs together"),
        (
            {"metrics": "AP(pool=3)"},
            {"metrics": "AP(pool=3)"},
            "pool= depends on all runs",
        ),
    ],
)
def test_runs_scored_otherwise_are_refused(
    desk: Path, first: dict, then: dict, says: str
) -> None:
    """Runs that would not be scored as those in the file are refused before any work, with what to type."""
    runs = sorted((desk / "runs").iterdir())
    evaluate_to(desk / "s.parquet", desk / "qrels.txt", runs[:10], **first)
    before = (desk / "s.parquet").read_bytes()
    with pytest.raises(ScoresError, match=says), watched_by(pytest.fail):
        added(desk, runs[10], **then)
    assert (desk / "s.parquet").read_bytes() == before


def test_other_judgments_are_refused(desk: Path) -> None:
    """Runs are not added to a collection that was scored by other judgments, even if the name is the same."""
    written(desk)
    qrels = desk / "qrels.txt"
    qrels.write_bytes(qrels.read_bytes() + b"301 0 one-more 1\n")
    with pytest.raises(ScoresError, match="made with other judgments"):
        added(desk, desk / "runs")


def test_scores_changed_or_of_others_take_no_runs(desk: Path) -> None:
    """Runs are not added to standardized scores, nor to scores that were not evaluated here."""
    written(desk)
    scores = load(desk / "s.parquet")
    standardized = irmeta.scores.standardization.apply(
        scores, irmeta.scores.standardization.fit(scores)
    )
    irmeta.save(standardized, desk / "s.parquet")
    with pytest.raises(ScoresError, match="changed after evaluation .standardization"):
        added(desk, desk / "runs")
    imported = irmeta.from_frame({"bm25": {"301": 0.5}}, metric="AP")
    irmeta.save({desk.name: imported}, desk / "s.parquet")
    with pytest.raises(ScoresError, match="irmeta evaluate did not make it"):
        added(desk, desk / "runs")


def test_two_at_once(desk: Path) -> None:
    """While one evaluation writes a file another one is refused, and disturbs nothing."""

    def again(*_: object) -> None:
        with watched_by(None):
            written(desk)

    def beside(*_: object) -> None:
        with watched_by(None):
            (desk / "other.parquet").exists() or written(desk, "other.parquet")

    message = r"s\.parquet: another evaluation is writing it"
    with pytest.raises(FileFormatError, match=message), watched_by(again):
        written(desk)
    assert sorted(file.name for file in desk.iterdir()) == ["qrels.txt", "runs"]
    with watched_by(beside):
        written(desk)
    written(desk, "whole.parquet")
    assert same(desk / "s.parquet", desk / "whole.parquet")


def test_where_no_folder_can_be_made(desk: Path) -> None:
    """Where the parts cannot be written there is an error that says so."""
    (desk / ".s.parquet.parts").write_text("a file in the way")
    with pytest.raises(
        FileFormatError, match=r"\.s\.parquet\.parts: cannot be written"
    ):
        written(desk)


def test_killed(desk: Path) -> None:
    """After kill -9 the same command goes on, and gives the file of an uninterrupted evaluation."""
    code = """if True:
        import sys, time
        from irmeta.evaluation import engine
        from irmeta.evaluation.archive import writing as archive
        from irmeta.parallel import watched_by
        archive.EVERY = 0
        def slowly(*step):
            print(*step, flush=True)
            time.sleep(0.05)
        with watched_by(slowly):
            archive.evaluate_to(*sys.argv[1:])
    """
    paths = [str(desk / name) for name in ("s.parquet", "qrels.txt", "runs")]
    with subprocess.Popen(
        [sys.executable, "-c", code, *paths], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        for _ in range(8):
            assert process.stdout.readline()
        process.send_signal(signal.SIGKILL)
    assert not (desk / "s.parquet").exists()
    got = written(desk)
    assert 6 <= got.kept < 16
    written(desk, "whole.parquet")
    assert same(desk / "s.parquet", desk / "whole.parquet")


def test_a_file_made_in_the_meantime_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scores that another process writes under the same name while an evaluation runs are not replaced."""
    path = tmp_path / "s.parquet"
    made = cube([[[0.5]]], ["a"], ["1"], ["AP"], collection="theirs")

    def meanwhile(*_: object) -> None:
        if not path.exists():
            save(made, path)

    with (
        irmeta.watched_by(meanwhile),
        pytest.raises(
            FileFormatError, match="another process wrote it in the meantime"
        ),
    ):
        irmeta.evaluate_to(path, {"1": {"a": 1}}, {"r": {"1": {"a": 1.0}}}, "AP")
    assert list(irmeta.load_all(path)) == ["theirs"]
