"""Tables of answers with a column of labels for each judge: a cube for each, and what judges then say."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import irmeta
from irmeta.errors import FileFormatError
from irmeta.io.items.labels import import_labels

TABLE = "system,question,human,gpt-4\na,1,Yes,yes\na,2,No,true\nb,1,,1\nb,2,incorrect,False\n"


def put(folder: Path, text: str) -> Path:
    path = folder / "answers.csv"
    path.write_text(text)
    return path


def test_a_cube_for_each_judge(tmp_path: Path) -> None:
    """Yes is 1, No is 0, an empty label is missing."""
    made = import_labels(put(tmp_path, TABLE))
    assert list(made) == ["human", "gpt-4"]
    assert made["human"].metric.values.tolist() == ["correct"]
    np.testing.assert_array_equal(made["human"].values[..., 0], [[1, 0], [np.nan, 0]])
    np.testing.assert_array_equal(made["gpt-4"].values[..., 0], [[1, 1], [1, 0]])


def test_other_columns_are_left_out_by_name(tmp_path: Path) -> None:
    """A column of texts is an error until it is left out."""
    path = put(tmp_path, TABLE.replace("gpt-4", "notes").replace("true", "well"))
    with pytest.raises(
        FileFormatError, match="row 2 of the column 'notes' holds 'well', not a label"
    ):
        import_labels(path)
    assert list(import_labels(path, ignore="notes")) == ["human"]
    with pytest.raises(FileFormatError, match="no column 'note' to ignore"):
        import_labels(path, ignore="note")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("who,what,human\na,1,Yes\n", "expected a column of systems"),
        ("system,question\na,1\n", "no column of labels"),
        ("system,question,human\na,1,Yes\na,1,No\n", "a.*1"),
        ("system,question,human\n", "not a table"),
        ('{"a": {"1": 1}}', "a row for each answer"),
        (f"system,question,{'x' * 3000}\na,1,Yes\n", "too long for a name"),
        ("system,question,human\na,1,Yes\na,2,nan\n", "row 2 .* holds 'nan'"),
    ],
)
def test_what_is_no_table_of_labels_is_named(
    text: str, said: str, tmp_path: Path
) -> None:
    """A table that is something else raises an error with the file's name."""
    with pytest.raises(FileFormatError, match=said):
        import_labels(put(tmp_path, text))


@pytest.mark.data
def test_answers_of_seven_systems_by_people_and_machines(data: Path) -> None:
    """The counts of Yes are those of the published labels, and a machine favours its own kin."""
    made = import_labels(data / "rag" / "nq301-answers.csv.gz")
    human = made["human"]
    published = {
        "InstructGPT-fewshot": 226,
        "FiD-KD": 219,
        "EMDR2": 218,
        "InstructGPT-zeroshot": 214,
        "Rocketv2_FiD": 209,
        "GAR-plus_FiD": 206,
        "DPR": 169,
    }
    assert {
        str(name): int(human.sel(system=name).sum()) for name in human.system.values
    } == published
    machine = made["text-davinci-003"]
    assert machine.sum("topic").sel(system="InstructGPT-zeroshot").item() == 232
    judges = {
        name: made[name] for name in ("human", "gpt-4", "text-davinci-003", "bem")
    }
    result = irmeta.judges.compare(judges, truth="human", missing="topics")
    assert any("tau .92" in said for said in result.findings)
    favours = result.tables["favour"].filter(pl.col("p_corrected") < 0.05)
    assert favours.select("judge", "name").rows() == [
        ("text-davinci-003", "InstructGPT-zeroshot")
    ]
