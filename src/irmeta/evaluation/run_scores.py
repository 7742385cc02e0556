"""What comes of one run: its scores, and what there is to say of it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from irmeta.errors import FileFormatError, Remark
from irmeta.stats.arrays import Floats

Key = tuple[str, str, str]
"""Identifies a finished run: its system's name, where it is from, and the digest of its content."""


@dataclass(frozen=True)
class RunScores:
    """A run that was evaluated, or why it could not be read.

    source : where it is from. scores : of shape (topic, metric); None once they are stored elsewhere.
    lacking : the judged topics it lacks; other_topics : how many it has that are not judged.
    disagreeing : topics in whose list ranks contradict scores. constant : those in
        whose list several documents have one score. found : judged documents retrieved.
    tied : the share of documents that have the score of another of their list. rounded : topics in whose list single
        precision would order judged documents otherwise.
    judged : the share of the documents at the first 10 ranks that are judged. deepest : documents of its longest list.
    order : a digest of its lists; runs that rank the same documents alike share it.
    metadata : what the run says of itself, as YAML.
    """

    name: str
    source: str
    digest: str = ""
    scores: Floats | None = None
    lacking: tuple[str, ...] = ()
    other_topics: int = 0
    disagreeing: int = 0
    constant: int = 0
    found: int = 0
    judged: float = 0.0
    deepest: int = 0
    order: str = ""
    tied: float = 0.0
    rounded: int = 0
    remarks: Sequence[Remark] = ()
    metadata: str = ""
    error: FileFormatError | None = None

    @property
    def key(self) -> Key:
        """What identifies the run."""
        return self.name, self.source, self.digest

    def facts(self) -> dict[str, Any]:
        """Return all but the scores, as JSON takes it."""
        kept = {
            name: value
            for name, value in vars(self).items()
            if name not in ("scores", "error", "remarks")
        }
        return {**kept, "remarks": [asdict(remark) for remark in self.remarks]}

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> "RunScores":
        """Make an outcome from what `facts` returned."""
        lists = {
            "lacking": tuple(facts["lacking"]),
            "remarks": tuple(Remark(**one) for one in facts["remarks"]),
        }
        return cls(**{**facts, **lists})
