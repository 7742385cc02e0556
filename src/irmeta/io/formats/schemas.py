"""What files of irmeta say of themselves: each document is held against its schema, as a whole, when it is read."""

from typing import Annotated, Any, Required, TypedDict

import msgspec

from irmeta.choices import Flat, Kind, Scale
from irmeta.scores.names import LONGEST

Name = Annotated[str, msgspec.Meta(max_length=LONGEST)]
"""A system, topic, metric or collection."""


class Judged(TypedDict, total=False):
    """Which judgments scores were made with."""

    source: str
    sha256: str


class Factors(TypedDict, total=False):
    """Which factors scores were standardized by."""

    collection: Name | None
    digest: str | None


class Standardized(TypedDict, total=False):
    """How scores were standardized."""

    kind: Required[Kind]
    factors: Factors
    policy: Flat
    notes: list[str]
    flat: dict[Name, list[Name]]


class OfMetric(TypedDict):
    """How runs of systems differ by a metric."""

    run: float
    cell: float
    freedom: int
    topics: int


class Repeats(TypedDict, total=False):
    """Which systems are means of several runs."""

    systems: Required[int]
    runs: Required[int]
    alone: Required[list[Name]]
    each: Required[dict[Name, int]]
    metrics: Required[dict[Name, OfMetric]]
    in_intervals: bool | dict[Name, dict[Name, float]]
    judges: list[Name]


class Estimated(TypedDict):
    """How many topics people and a machine judged, of whose judgments scores were estimated."""

    human: int
    machine: int


class Attributes(TypedDict, total=False):
    """What a cube says of itself, as far as irmeta reads it; other programs may add what they like."""

    collection: Name
    irmeta: str
    notes: list[str]
    qrels: Judged
    runs: dict[Name, str]
    judged: dict[Name, float]
    deepest: dict[Name, int]
    scored: int
    lacking: dict[Name, int]
    options: dict[str, Any]
    computed: dict[Name, Name]
    ir_metadata: dict[Name, Any]
    standardization: Standardized
    estimated: Estimated
    left_out: str
    own_name: Name
    repeats: Repeats
    machine_judges: dict[Name, list[Name]]
    unused: dict[str, int]


class Names(TypedDict):
    """The names of a collection, with scores or without."""

    system: list[Name]
    topic: list[Name]
    metric: list[Name]


class Collection(TypedDict):
    """What a score file says of a collection."""

    attributes: Attributes
    names: Names


ScoreFile = dict[Name, Collection]


class Spread(TypedDict):
    """How standardizing systems vary together by one metric."""

    covariance: list[list[float | None]]
    units: int


class FactorsFile(TypedDict, total=False):
    """What a file of factors says of itself."""

    digest: Required[str]
    collection: Name
    systems: list[Name]
    types: list[str | None]
    notes: list[str]
    spread: dict[Name, Spread]
    standing: dict[Name, dict[str, list[float | None]]]
    scores: Attributes


class Part(TypedDict):
    """What a prediction model knows of a collection."""

    name: Name
    systems: Annotated[int, msgspec.Meta(ge=2)]
    metrics: list[Name]
    means: list[float]
    residual_quantiles: list[list[float | None]]
    covariances: list[list[float]]


class Provenance(TypedDict, total=False):
    """Where a prediction model comes from."""

    collections: dict[Name, dict[str, Any]]


class ModelFile(TypedDict):
    """A prediction model."""

    format: str
    scale: Scale
    levels: list[float]
    provenance: Provenance
    collections: Annotated[list[Part], msgspec.Meta(min_length=1)]
