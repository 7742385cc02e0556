"""What a reader reads has none of the words that readers stumbled over (see Words in CONTRIBUTING.md)."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ("README.md", "CHANGELOG.md", "SECURITY.md", "docs/**/*.md")
SOURCE = ("src/irmeta/**/*.py",)

THINGS = "row|file|column|page|process|answer|line|cube|byte|value|score|module|function|panel"
OF = (
    "system|metric|collection|pair|score|topic|core|paper|run|way|cell|cluster|set|rank|model|"
    "target|judgment|size|figure"
)
INSTEAD = {
    r"\bforet(ell|old)": "predict",
    r"\bt(ell|ells|elling|old)( \w+){0,3} apart\b": "distinguish",
    r"\banew\b": "again; re-partition, permute, resample",
    r"\bdealt\b|\brandom deals?\b": "re-partitioned; random partitions",
    r"\bwhat is no\b|\b(that|which) (are|is) none\b|\bfor what is none\b": "not a run, not a table",
    r"\b(?!there\b)[\w.]+ is no (score|run|cube|metric|name|number|matrix|file)\b": "is not a score, not a run",
    r"\bchance needs\b": "a random seed",
    r"\bso many\b": "n topics, that number of topics",
    r"\bwithout a word\b": "silently",
    r"\boftenest\b": "most often",
    r"\btells nothing\b": "cannot distinguish, says nothing about",
    r"\bas they truly stand\b": "with the true ranking",
    rf"\b(an?|one) (\w+ )?({THINGS}) an? ({OF})\b": "a row for each",
    r"\b(?!and\b)([a-z]+\x20[a-z]+)\x20\1\b": "it once",
    r'"""Gives? ': "Return",
}
OUTPUT = re.compile(r"^```console\n.*?^```$", re.MULTILINE | re.DOTALL)
"""Blocks that a command printed; their words stand in the source."""


def banned(text: str) -> Iterator[str]:
    """Yield every banned phrase with its line and its replacement."""
    for pattern, instead in INSTEAD.items():
        for found in re.finditer(pattern.replace(" ", r"\s+"), text, re.IGNORECASE):
            line = text.count("\n", 0, found.start()) + 1
            yield f"line {line}: {found[0]!r}; say: {instead}"


def pages() -> list[Path]:
    return sorted(path for glob in (*DOCS, *SOURCE) for path in ROOT.glob(glob))


@pytest.mark.parametrize("path", pages(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_text_is_in_the_words_of_the_field(path: Path) -> None:
    """A page or module has none of the words that readers stumbled over."""
    text = path.read_text(encoding="utf-8")
    blanked = OUTPUT.sub(lambda block: "\n" * block[0].count("\n"), text)
    assert list(banned(blanked)) == []


@pytest.mark.parametrize(
    "text",
    [
        "AP foretells P@10",
        "pairs that it tells apart",
        "systems cannot be told apart",
        "to tell two systems apart",
        "the topics are dealt anew",
        "beside random deals of the systems",
        "move elsewhere what is no run",
        "tables that are none",
        "1.2 is no score",
        "chance needs a seed",
        "sets of so\nmany topics",
        "cut to whole numbers without a word",
        "CSV with a row a system",
        "one line a metric",
        "sets that halves choose oftenest",
        "the same everywhere, which tells nothing",
        "to rank them as they truly stand",
        "a JSON file a paper",
        "there is there is no file to import",
        '    """Give the means."""',
    ],
)
def test_old_words_are_found(text: str) -> None:
    """Each phrase of the old dialect is found."""
    assert list(banned(text))
