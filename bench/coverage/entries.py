"""Every promise, by what it is about: the groups are the headings of docs/coverage-rows.md."""

from collections.abc import Mapping, Sequence

from bench.coverage import (
    clustered,
    clustered_judges,
    clustered_repeats,
    clustered_studies,
    clusters,
    collections,
    compared,
    differences,
    estimates,
    everybody,
    flagged,
    judges,
    labels,
    metrics,
    online,
    parts,
    repeats,
    replication,
    several_judges,
    systems,
)
from bench.coverage.frame import Entry

GROUPS: Mapping[str, Sequence[Entry]] = {
    "Systems": systems.ENTRIES,
    "Differences": [*differences.ENTRIES, *flagged.ENTRIES],
    "Among others": everybody.ENTRIES,
    "Metrics": [*metrics.ENTRIES, *online.ENTRIES],
    "Collections": [*collections.ENTRIES, *compared.ENTRIES],
    "Judges": [
        *judges.ENTRIES,
        *estimates.ENTRIES,
        *parts.ENTRIES,
        *several_judges.ENTRIES,
    ],
    "Labels": labels.ENTRIES,
    "Clusters": [
        *clusters.ENTRIES,
        *clustered.ENTRIES,
        *clustered_judges.ENTRIES,
        *clustered_studies.ENTRIES,
    ],
    "Repeats": [*repeats.ENTRIES, *clustered_repeats.ENTRIES],
    "Reproductions": replication.ENTRIES,
}

ENTRIES: Sequence[Entry] = [entry for group in GROUPS.values() for entry in group]
