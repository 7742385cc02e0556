"""Every table of names has one reader: what it means, and what is said of it, does not depend on what it is for."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from irmeta.errors import FileFormatError
from irmeta.io.groups import read_clusters, read_groups, read_repeats
from irmeta.io.lists import read_anchors, read_labels, read_sample
from irmeta.io.sheets import parse_sheet, read_sheet, rows_by_key
from irmeta.io.tables.spreadsheet import read_about, read_costs, read_types

TABLES: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "teams": (read_groups, "run", "team"),
    "clusters": (read_clusters, "topic", "cluster"),
    "repeats": (read_repeats, "run", "system"),
    "labels": (read_labels, "system", "label"),
    "sample": (read_sample, "topic", "probability"),
    "anchors": (read_anchors, "topic", "score"),
    "types": (read_types, "task", "type"),
    "costs": (read_costs, "model", "cost"),
    "about": (read_about, "model", "kind"),
}
"""What reads each table, and what its columns are called."""
SAME = {
    "semicolons": "{0};{1}\na;.25\nb;.5\n",
    "tabs": "{0}\t{1}\na\t.25\nb\t.5\n",
    "byte order mark": "\ufeff{0},{1}\r\na,.25\r\nb,.5\r\n",
    "old ends of lines": "{0},{1}\ra,.25\rb,.5\r",
    "quotes": '"{0}","{1}"\n"a",".25"\n"b",".5"',
    "blank lines": "\n{0},{1}\n\na,.25\n , \n\nb,.5\n\n",
    "blanks": " {0} ,\t{1}\n a , .25\nb ,.5 \n",
}
"""One table in ways to write it."""
WRONG = {
    "nothing": ("", "not a table; expected a header and a row below it"),
    "a header": ("{0},{1}\n", "not a table; expected a header and a row below it"),
    "no key": ("{0},{1}\n\n,.5\n", ":3: a line lacks its {0}; fill it in, or remove"),
    "blanks": ("{0},{1}\n \t,.5\n", ":2: a line lacks its {0};"),
    "twice": ("{0},{1}\na,.5\nb,.5\na,.5\n", ":4: {0} 'a' is on line 2, too;"),
    "two columns": ("{0},{1},{0}\na,.5,b\n", ":1: more than one column is named"),
    "capitals": ("{0},{1},{2}\na,.5,b\n", ":1: more than one column is named"),
    "no column": ("{0},\u0430\na,.5\n", ":1: no column "),
    "short": ("{0},{1}\na,.5\nb\n", ":3: 1 cell, but the header has 2; fill in"),
    "long": ("{0},{1}\na,0,5\n", ":2: 3 cells, but the header has 2; are these dec"),
    "open quote": ('{0},{1}\na,.5\n"b,.5\nc,.5\n', ":3: not a CSV table .* quote open"),
    "swallowed": ('{0},{1}\n"a,.5\nb",.5\n', ":2: the name .* a control character"),
    "NUL": ("{0},{1}\na\0,.5\n", "it contains NUL bytes; is it UTF-16 or binary"),
    "long name": ("{0},{1}\n" + "x" * 501 + ",.5\n", ":2: on this line: a text of 501"),
    "no-break space": ("{0},{1}\na\u00a0,.5\n", ":2: the name .* no plain one"),
    "unseen": ("{0},{1}\n\u200b,.5\n", ":2: the name .* nothing that can be seen"),
}
"""Tables that mean nothing, and what is said of them."""


def _file(folder: Path, name: str, text: str) -> Path:
    names = TABLES[name][1:]
    for at, word in enumerate((*names, names[0].upper())):
        text = text.replace(f"{{{at}}}", word)
    path = folder / "table.csv"
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("way", SAME)
def test_a_table_means_the_same_however_it_is_written(tmp_path, name, way):
    """Separators, ends of lines, quotes and blanks change nothing."""
    read = TABLES[name][0]
    plain = read(_file(tmp_path, name, "{0},{1}\na,.25\nb,.5\n"))
    assert plain
    assert read(_file(tmp_path, name, SAME[way])) == plain


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("case", WRONG)
def test_what_is_no_table_is_named_with_its_line(tmp_path, name, case):
    """No line is passed over, no text is empty or unseen: the error has the file, its line, and what to do."""
    read, key, value = TABLES[name]
    text, said = WRONG[case]
    said = said.replace("{0}", key).replace("{1}", value)
    if (name, case) == ("about", "no column"):
        text = text.replace("{0}", "bot")
    with pytest.raises(FileFormatError, match=f"table.csv.*{said}"):
        read(_file(tmp_path, name, text))


@pytest.mark.parametrize("name", sorted(TABLES.keys() - {"costs", "about"}))
def test_an_empty_value_is_no_value(tmp_path, name):
    """No team, cluster or label is called by nothing."""
    path = _file(tmp_path, name, "{0},{1}\na,.5\nb, \n")
    with pytest.raises(
        FileFormatError, match=f":3: a line lacks its {TABLES[name][2]}"
    ):
        TABLES[name][0](path)


@pytest.mark.parametrize("name", ["teams", "labels", "costs", "about"])
def test_systems_are_named_as_in_tables_of_scores(tmp_path, name):
    """A column that holds the systems of a table of scores holds them here, too."""
    read = TABLES[name][0]
    plain = read(_file(tmp_path, name, "{0},{1}\na,.5\n"))
    assert read(_file(tmp_path, name, "Model Name,{1}\na,.5\n")) == plain


CELLS = st.text(
    st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=9
).filter(lambda text: text[0] not in "'=+-@")


@given(st.dictionaries(CELLS, CELLS, min_size=1, max_size=5), st.sampled_from(",;\t"))
def test_what_is_written_comes_back(held, separator):
    """Names hold quotes, commas and semicolons, whichever separates the columns."""

    def line(cells):
        return separator.join('"' + cell.replace('"', '""') + '"' for cell in cells)

    text = "\n".join(map(line, [("run", "team"), *held.items()]))
    found = rows_by_key(parse_sheet(text.encode(), "t.csv"), ["run"], ["team"])
    assert {run: team for run, (_, [team]) in found.items()} == held


def test_lines_are_counted_where_cells_have_several(tmp_path):
    """A row has the line that it begins on."""
    path = tmp_path / "t.csv"
    path.write_text('a,b\n"x\ny",1\nz,2\n')
    assert [at for at, _ in read_sheet(path).rows] == [2, 4]
