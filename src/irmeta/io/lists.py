"""Small tables of names: topics with the probability that each had of being drawn, systems with their labels."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from irmeta.errors import FileFormatError
from irmeta.io.files import read_bytes
from irmeta.io.strictly import number, rows


def read_sample(path: Path) -> dict[str, float]:
    """Read the probability that each topic had of being drawn: a CSV with columns topic and probability."""
    sample: dict[str, float] = {}
    for line, (topic, text) in _rows(
        path, ("topic", "query_id", "qid"), ("probability",)
    ):
        try:
            chance = number(text)
        except ValueError:
            chance = -1.0
        if not 0 < chance <= 1:
            raise FileFormatError(
                f"{path}:{line}: the probability {text!r} must be above 0 and at most 1"
            )
        if topic in sample:
            raise FileFormatError(
                f"{path}:{line}: topic {topic} is given twice; remove one line"
            )
        sample[topic] = chance
    return sample


def read_labels(path: Path) -> dict[str, str]:
    """Read what systems are called in a paper: a CSV with columns system and label."""
    labels: dict[str, str] = {}
    for line, (system, label) in _rows(
        path, ("system", "run", "model"), ("label", "name")
    ):
        if labels.setdefault(system, label) != label:
            raise FileFormatError(
                f"{path}:{line}: system {system} has two labels; remove one line"
            )
    return labels


def sample_text(sample: Mapping[str, float]) -> str:
    r"""Write a sample as CSV.

    >>> sample_text({"301": 0.3})
    'topic,probability\n301,0.3\n'
    """
    return "topic,probability\n" + "".join(
        f"{topic},{chance!r}\n" for topic, chance in sample.items()
    )


def _rows(path: Path, *columns: Sequence[str]) -> list[tuple[int, tuple[str, ...]]]:
    """Read columns of a CSV with a header, each under one of several names, with line numbers."""
    try:
        lines = [
            (line, [cell.strip() for cell in row])
            for line, row in rows(read_bytes(path))
            if row
        ]
    except ValueError as error:
        raise FileFormatError(f"{path}: not a CSV table ({error})") from error
    if not lines:
        raise FileFormatError(
            f"{path}: the file is empty; expected a CSV with a header"
        )
    header = [cell.lower() for cell in lines[0][1]]
    places = []
    for names in columns:
        place = next((header.index(name) for name in names if name in header), None)
        if place is None:
            raise FileFormatError(
                f"{path}:1: no column {' or '.join(names)}; the header has {', '.join(header)}"
            )
        places.append(place)
    for line, row in lines[1:]:
        if len(row) != len(header):
            raise FileFormatError(
                f"{path}:{line}: {len(row)} cells, the header has {len(header)}"
            )
    return [(line, tuple(row[place] for place in places)) for line, row in lines[1:]]
