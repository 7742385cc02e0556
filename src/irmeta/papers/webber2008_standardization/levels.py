"""Table 6, how high scores are, and discriminative power, how many pairs of systems they separate."""

from collections.abc import Iterator

import xarray as xr

from irmeta.io.tables.matrices import topic_range
from irmeta.papers.webber2008_standardization.factors import SCAN
from irmeta.papers.webber2008_standardization.sources import (
    ORIGINAL,
    OWN,
    RAW,
    TOPICS,
    Sources,
)
from irmeta.studies.checks.reproduction import Cell, claim, lacking, ours_only
from irmeta.studies.differences.significance.study import significance

NO_QRELS = "needs the judgments of this collection, which are not in the data folder (NIST publishes them)"
NO_RUNS = "needs the runs of the 110 systems of TREC 2004 Robust and the judgments of all four collections"
POWER = "pairs of systems found different"


def level_cells(sources: Sources) -> Iterator[Cell]:
    """Return mean scores of Table 6, and the discriminative power of AP on the TREC-8 topics."""
    yield from _mean_scores(sources)
    yield from _power(sources)


def document_cells(sources: Sources) -> Iterator[Cell]:
    """Return the mean numbers of judged and relevant documents: of R03, whose judgments can be at hand."""
    for name in TOPICS:
        if name != "R03":
            yield lacking(
                "Table 6", "documents judged, relevant", name, f"{SCAN}; {NO_QRELS}"
            )
            continue
        counted = sources.judgments
        here = counted.filter(counted["topic"].is_in(topic_range(TOPICS[name])))
        for column in ("judged", "relevant"):
            mean = float(here[column].to_numpy().mean())
            yield ours_only("Table 6", f"documents {column}", name, mean, SCAN)


def sentence_cells() -> Iterator[Cell]:
    """List what the text reads from rows of Table 6 that cannot be had."""
    yield lacking(
        "Table 6", "documents relevant", "more on AdHoc than on Robust topics", NO_QRELS
    )
    yield lacking("Table 6", "P@10", "very similar on the four collections", NO_RUNS)
    why = f"{NO_RUNS}; for some topics see Table 6, in part"
    yield lacking("Table 6", "SP", "higher where more documents are relevant", why)


def _mean_scores(sources: Sources) -> Iterator[Cell]:
    """Return the mean scores of each collection in each form, and what the text reads from them."""
    means = {
        form: {name: cube.mean().item() for name, cube in cubes.items()}
        for form, cubes in sources.forms.items()
    }
    for form, by_collection in means.items():
        for name, ours in by_collection.items():
            yield ours_only("Table 6", form, name, ours, SCAN)
    ap = means[RAW]
    apart = min(ap["R03"], ap["R04"]) - max(ap["T7"], ap["T8"])
    said = "AP is higher on the Robust collections than on the AdHoc ones"
    column = "lowest Robust less highest AdHoc"
    yield claim("Table 6", RAW, column, apart, said=said, least=1e-4)
    own = means[OWN]
    original = means[ORIGINAL]
    moved = _range(original) / _range(ap)
    said = "standardized scores are not affected by the changes in R"
    column = "range over collections, over that of AP"
    yield claim("Table 6", ORIGINAL, column, moved, said=said, most=1 / 3)
    for name in ("T7", "T8", "R03"):
        gain = original[name] - own[name]
        said = "slightly improved scores by the original systems' factors"
        row = "original less own factors"
        yield claim("Table 6", row, name, gain, said=said, least=1e-4, most=0.05)


def _range(means: dict[str, float]) -> float:
    """Return the highest less the lowest mean."""
    return max(means.values()) - min(means.values())


def _power(sources: Sources) -> Iterator[Cell]:
    """Return Section 5: the 110 systems of TREC 2004 on the TREC-8 sub-collection."""
    share = {form: power(cubes["T8"]) for form, cubes in sources.forms.items()}
    for form, ours in share.items():
        yield ours_only("Section 5", form, POWER, ours)
    said = "standardization does not harm discriminative power"
    row, less = "AP less sAP, own factors", share[RAW] - share[OWN]
    yield claim("Section 5", row, POWER, less, said=said, most=0.01)
    why = "needs the runs of the 110 systems of TREC 2004 on topics 401-450"
    for metric, published in (("DCG", 0.687), ("nDCG", 0.693), ("sDCG", 0.688)):
        yield lacking("Section 5", metric, POWER, why, published=published)


def power(scores: xr.DataArray) -> float:
    """Return the share of pairs of systems that a paired t test finds different, without correction."""
    found = significance(scores, test="t", correct="none")
    return float(found["share_significant"].item())
