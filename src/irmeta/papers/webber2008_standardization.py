"""Webber, Moffat and Zobel, "Score standardization for inter-collection comparison of retrieval systems", SIGIR 2008.

The copies of the paper that circulate have lost the bodies of its tables; where the text does not repeat a number, the
cell holds ours alone. Metrics other than AP need the runs themselves.
"""

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path

import numpy as np
import xarray as xr

from irmeta import standardization
from irmeta.choices import Status
from irmeta.cube import select, top_systems
from irmeta.io.importers import import_matrix, topic_range
from irmeta.stats import descriptive
from irmeta.stats.rankings import rank
from irmeta.studies.comparison import compare as comparison
from irmeta.studies.description import describe
from irmeta.studies.durability import durability
from irmeta.studies.reproduction import Cell, compare, reproduction
from irmeta.studies.significance import significance
from irmeta.studies.standardizing_set import standardizing_set

NEEDS = ("trec7-adhoc", "trec8-adhoc", "robust2003", "robust2004-249")
"""The public collections it reads, as `irmeta datasets list` names them."""
TOPICS = {"T7": "351-400", "T8": "401-450", "R03": "601-650", "R04": "651-671,673-700"}
SIZES = (2, 3, 5, 10, 15, 20)
DRAWS, DEALS = 5000, 20_000  # more than the paper needs, so that no seed contradicts it by chance
RAW, OWN, ORIGINAL = "AP", "sAP, own factors", "sAP, original factors"
SCAN = "lost in the paper's scan"
ENOUGH = "text: 10 to 15 systems pass the .919 of raw scores at the 95th and 99th percentiles"
DRAWN = "published as a plot only"
UNSCORED = "needs the runs of the TREC 2004 Robust track"

Cubes = dict[str, xr.DataArray]


def reproduce(data: Path, *, rng: int = 0) -> xr.Dataset:
    """Compute every figure and table of the paper that AP matrices allow, beside the published numbers."""
    new, old = _load(data / "matrices")
    forms = {
        RAW: new,
        OWN: {name: standardization.apply(cube, standardization.fit(cube)) for name, cube in new.items()},
        ORIGINAL: {name: standardization.apply(cube, standardization.fit(old[name])) for name, cube in new.items()},
    }
    compared = {name: comparison(cubes, kinds=("raw",), partitions=DEALS, rng=rng) for name, cubes in forms.items()}
    cells = [
        *_one_collection(old["T8"]),
        *_durability(new, old),
        *_sample(new, old, rng),
        *_chance(compared),
        *_pairs(compared),
        *_scores(forms),
        *_power(old["T8"]),
        *_unscored(),
    ]
    options = {"seed": rng, "resamples": DRAWS, "partitions": DEALS}
    return reproduction("webber2008-standardization", cells, options=options)


def _load(folder: Path) -> tuple[Cubes, Cubes]:
    """Give the TREC 2004 systems' AP, and the original systems', by collection."""
    robust = import_matrix(folder / "robust2004-249" / "AP.csv", rows="systems")
    new = {name: select(robust, topics=topic_range(topics)) for name, topics in TOPICS.items()}
    adhoc = {
        name: import_matrix(folder / where / "AP.csv", rows="topics", topics=topic_range(TOPICS[name]), collection=name)
        for name, where in (("T7", "trec7-adhoc"), ("T8", "trec8-adhoc"))
    }
    robust2003 = import_matrix(folder / "robust2003" / "AP.csv", rows="topics").isel(topic=slice(50, 100))
    old = {**adhoc, "R03": robust2003.assign_coords(topic=topic_range(TOPICS["R03"])), "R04": new["R04"]}
    return new, old


def _one_collection(scores: xr.DataArray) -> list[Cell]:
    """Figures 2 and 3, Table 1 and the reliability of topics, on TREC-8."""
    described = describe(scores).isel(metric=0)
    one = described.isel(system=int(np.abs(described["mean"].values - 0.324).argmin()))  # the scores have no run names
    published = {"mean": 0.324, "rank": 13, "low": 0.262, "high": 0.386, "rank_low": 2, "rank_high": 94}
    low, high = descriptive.rank_intervals(*(described[name].values for name in ("mean", "low", "high")))
    overlap = {"rank_low": low, "rank_high": high}  # the paper's ranks are of systems whose intervals overlap
    at = int(np.flatnonzero(described.system.values == one.system.item())[0])
    ours = {name: overlap[name][at] if name in overlap else one[name].item() for name in published}
    cells = [
        _cell("Figure 2", "Flab8atdn", name, value, float(ours[name]), 0 if name.startswith("rank") else 0.0005)
        for name, value in published.items()
    ]
    standardized = standardization.apply(scores, standardization.fit(scores))
    quartiles = np.quantile(standardized.values, [0.25, 0.5, 0.75])
    cells += [
        _cell("Figure 3", "standardized AP", name, value, ours, 0.005)
        for name, value, ours in zip(("25%", "50%", "75%"), (0.26, 0.50, 0.74), quartiles, strict=True)
    ]
    below = float((scores.values < 0.2).mean())
    cells.append(_cell("Figure 3", "AP", "share below 0.2", 0.5, below, 0.005, known='text: "almost half"'))
    best = describe(top_systems(scores, 0.75)).isel(metric=0)
    correlation = np.corrcoef(best["reliability"], best["topic_sd"])[0, 1]
    cells.append(_cell("Section 3", "topic reliability", "correlation with sd", 0.005, correlation, 0.0005))
    return cells + _spread(scores[..., 0])


def _spread(scores: xr.DataArray) -> list[Cell]:
    """Table 1: the factor between the first percentile and the last; the text's numbers fit the 90th, not the 75th."""
    cells = []
    for last in (75, 90):
        known = "the text says 75th percentile; its numbers for topics fit the 90th"
        factors = [
            ("topic", "mean", "mean", 15, 0.5),
            ("topic", "mean", "sd", 2.5, 0.05),
            ("topic", "sd", "sd", 6, 0.5),
        ]
        if last == 75:
            factors.append(("system", "mean", "mean", 2.5, 0.05))
        for of, order, column, value, within in factors:
            other = "topic" if of == "system" else "system"
            figures = {"mean": scores.mean(other).values, "sd": scores.std(other, ddof=1).values}
            first, end = figures[column][descriptive.at_percentiles(figures[order], np.array([1, last]))]
            row, name = f"{of}s by {order}", f"{column}, 1st over {last}th percentile"
            cells.append(_cell("Table 1", row, name, value, first / end, within, known=known))
    percentiles = (1, 10, 40, 75, 90)
    for of, other in (("system", "topic"), ("topic", "system")):
        mean, sd = scores.mean(other).values, scores.std(other, ddof=1).values
        for percentile, at in zip(percentiles, descriptive.at_percentiles(mean, np.array(percentiles)), strict=True):
            cells.append(_ours("Table 1", f"{of}s", f"mean, percentile {percentile}", mean[at]))
            cells.append(_ours("Table 1", f"{of}s", f"sd, percentile {percentile}", sd[at]))
    return cells


def _durability(new: Cubes, old: Cubes) -> list[Cell]:
    """Table 2 and the two correlations it is to be read against."""
    means = {name: rank.settled(new[name].mean("topic").values[:, 0]) for name in ("R03", "R04")}
    between = float(rank.pearson(means["R03"], means["R04"])), float(rank.tau_b(means["R03"], means["R04"]))
    cells = [
        _cell("Table 2", "R03 with R04 topics", "Pearson", 0.943, between[0], 0.0005),
        _cell("Table 2", "R03 with R04 topics", "tau", 0.742, between[1], 0.0005),
    ]
    lasting = durability({name: old[name] for name in ("T7", "T8", "R03")}, new)
    for name in lasting.topics.values:
        for figure in ("pearson", "tau", "tau_ap"):
            ours = lasting[figure].sel(topics=name).item()
            cells.append(_ours("Table 2", str(name), figure, ours, "" if figure == "tau_ap" else SCAN))
    return cells


def _sample(new: Cubes, old: Cubes, rng: int) -> list[Cell]:
    """Figure 4, and what the text reads from it."""
    sampled = standardizing_set(old["R03"], new["R03"], sizes=SIZES, resamples=DRAWS, rng=rng).isel(metric=0)
    raw = sampled["raw"].item()
    cells = [_cell("Figure 4", "all 78 systems", "tau with AP", 0.919, raw, 0.0005)]
    claims = {(5, "p1"): (0.742, "text: above .742"), (10, "p5"): (raw, ENOUGH), (15, "p1"): (raw, ENOUGH)}
    for size in SIZES:
        for name in ("p50", "p5", "p1"):
            ours, error = (sampled[column].sel(systems=size).item() for column in (name, f"{name}_se"))
            if (size, name) in claims:
                least, note = claims[size, name]
                cells.append(
                    _claim("Figure 4", f"{size} systems", name, ours, ours > least, note, ours + 2 * error > least)
                )
            else:
                cells.append(_ours("Figure 4", f"{size} systems", name, ours, DRAWN))
    return cells


def _chance(compared: Mapping[str, xr.Dataset]) -> list[Cell]:
    """Figures 5 and 6: TREC-7 and TREC-8 topics dealt at random."""
    pair = {name: _pair(result, "T7", "T8") for name, result in compared.items()}
    cells = [_cell("Figure 5", RAW, "mean dRMSE", 0.60, pair[RAW]["drmse_mean"].item(), 0.03)]
    cells += [_ours("Figure 5", name, "mean dRMSE", pair[name]["drmse_mean"].item(), DRAWN) for name in (OWN, ORIGINAL)]
    for name, value in ((RAW, 0.50), (OWN, 0.15), (ORIGINAL, 0.15)):
        high, mean = (pair[name][f"false_positive_rate_{figure}"].item() for figure in ("high", "mean"))
        cells.append(_cell("Figure 6", name, "upper end of the rate", value, high, 0.03))
        cells.append(_claim("Figure 6", name, "mean rate", mean, 0.04 <= mean <= 0.055, "text: .042 to .052"))
    return cells


def _pairs(compared: Mapping[str, xr.Dataset]) -> list[Cell]:
    """Tables 3 to 5 and Figure 7: the six pairs of collections."""
    table = {RAW: "Table 3", OWN: "Table 5", ORIGINAL: "Table 5"}
    published = {("T7", "T8"): 0.63, ("T7", "R03"): 1.857}
    cells = []
    for name, result in compared.items():
        for a, b in combinations(TOPICS, 2):
            one = _pair(result, a, b)
            drmse, row = one["drmse"].item(), f"{a} with {b}"
            if name == RAW and (a, b) in published:
                value = published[a, b]
                cells.append(_cell("Table 3", row, "dRMSE", value, drmse, 0.0005 if value > 1 else 0.005))
            else:
                cells.append(_ours(table[name], row, f"dRMSE of {name}", drmse, SCAN))
            item = "Table 4" if name == RAW else "Section 5"
            cells.append(_ours(item, row, f"false positives of {name}", one["false_positives"].item(), SCAN))
    extreme = _pair(compared[RAW], "T7", "R03")
    cells.append(
        _cell("Table 3", "T7 with R03, dealt at random", "mean dRMSE", 0.596, extreme["drmse_mean"].item(), 0.03)
    )
    for figure, what in (("quantile", "dRMSE"), ("false_positives_quantile", "false positives")):
        ours = extreme[figure].item()
        cells.append(
            _claim(
                "Section 5", "T7 with R03", f"quantile of {what}", ours, ours > 0.99, "text: beyond the 99th percentile"
            )
        )
    return cells + _means_of_pairs(compared)


def _means_of_pairs(compared: Mapping[str, xr.Dataset]) -> list[Cell]:
    mean = {name: result["drmse"].mean().item() for name, result in compared.items()}
    cells = [_cell("Figure 7", RAW, "mean dRMSE", 1.1, mean[RAW], 0.05)]
    known = "no reading of the paper gives its rates: neither own nor original factors, Student's nor Welch's t"
    for name in (OWN, ORIGINAL):
        cells.append(_ours("Figure 7", name, "mean dRMSE", mean[name], DRAWN))
        cells.append(_cell("Section 1", name, "share of dRMSE taken away", 0.67, 1 - mean[name] / mean[RAW], 0.02))
        within = float((compared[name]["quantile"] <= 0.975).mean())
        cells.append(_claim("Table 5", name, "pairs within the 95% interval", within, within == 1, "text: all"))
        rates = compared[name]["false_positives"] / compared[name]["systems"]
        cells.append(
            _cell("Section 5", name, "mean false positive rate", 0.05, rates.mean().item(), 0.005, known=known)
        )
        cells.append(
            _cell("Section 5", name, "largest false positive rate", 0.11, rates.max().item(), 0.005, known=known)
        )
    return cells


def _scores(forms: Mapping[str, Cubes]) -> list[Cell]:
    """Table 6: the systems' mean scores on each collection."""
    return [
        _ours("Table 6", name, collection, cube.mean().item(), SCAN)
        for name, cubes in forms.items()
        for collection, cube in cubes.items()
    ]


def _power(scores: xr.DataArray) -> list[Cell]:
    """Section 5: standardization does not cost discriminative power; the paper's own numbers are for DCG."""
    cubes = {"AP": scores, "sAP": standardization.apply(scores, standardization.fit(scores))}
    share = {
        name: significance(cube, test="t", correct="none")["share_significant"].item() for name, cube in cubes.items()
    }
    cells = [_ours("Section 5", name, "pairs of TREC-8 told apart", value) for name, value in share.items()]
    note = "text: standardization does not harm it; here AP for the paper's DCG"
    lost = share["AP"] - share["sAP"]
    return [*cells, _claim("Section 5", "AP less sAP", "pairs of TREC-8 told apart", lost, lost < 0.02, note)]


def _unscored() -> list[Cell]:
    told_apart = {"DCG": 0.687, "nDCG": 0.693, "sDCG": 0.688}
    cells = [
        Cell("Section 5", name, "pairs of TREC-8 told apart", value, None, "not checkable", "needs the runs of TREC-8")
        for name, value in told_apart.items()
    ]
    forms = "raw, R-normalised, standardized"
    cells += [
        Cell(item, metric, forms, None, None, "not checkable", UNSCORED)
        for item in ("Figure 5", "Figure 6", "Figure 7")
        for metric in ("P@10", "RBP(p=0.95)", "SP", "DCG")
    ]
    documents = Cell("Table 6", "documents", "judged and relevant", None, None, "not checkable", "needs the judgments")
    return [*cells, documents]


def _pair(result: xr.Dataset, a: str, b: str) -> xr.Dataset:
    at = (result["collection_a"].values == a) & (result["collection_b"].values == b)
    return result.isel(pair=int(at.argmax()), metric=0, kind=0)


def _cell(item: str, row: str, column: str, published: float, ours: float, within: float, *, known: str = "") -> Cell:
    return compare(
        item, row, column, published, float(ours), within=within + 1e-9, close=2 * within + 1e-9, known=known
    )


def _ours(item: str, row: str, column: str, ours: float, note: str = "") -> Cell:
    return Cell(item, row, column, None, float(ours), "ours", note)


def _claim(item: str, row: str, column: str, ours: float, holds: bool, note: str, nearly: bool = False) -> Cell:
    """Make a cell for something said without a number of its own; nearly: true within Monte-Carlo error."""
    status: Status = "reproduced" if holds else "close" if nearly else "contradicted"
    return Cell(item, row, column, None, float(ours), status, note, status == "contradicted")
