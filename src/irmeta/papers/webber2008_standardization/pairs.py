"""Tables 3 to 5, Figures 5 to 7: how AP and standardized AP of one system differ between collections, and by chance."""

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import combinations

import numpy as np
import xarray as xr

from irmeta.papers.webber2008_standardization.factors import DRAWN, SCAN
from irmeta.papers.webber2008_standardization.sources import (
    ORIGINAL,
    OWN,
    RAW,
    TOPICS,
    drmse_of_pairs,
    pair,
)
from irmeta.studies.checks.reproduction import Cell, claim, compare, ours_only

MEAN_ERROR = 0.03
"""Three standard errors of the paper's mean dRMSE, had it drawn 1000 times: single draws have an sd of 0.3."""
RATE_ERROR = 0.003
"""Three standard errors of a mean rate over 20 000 draws, which have an sd of 0.13."""
SOURCE = "the paper does not say whose factors it used; the cell with own factors is held to print"
SAME = (("T7", "T8"), ("R03", "R04"))
"""Pairs of one track; the other four are of an AdHoc and a Robust collection."""
PRINTED = {("T7", "T8"): (0.63, 0.005), ("T7", "R03"): (1.857, 0.0005)}
RATES = "no reading of the paper gives its rates: neither own nor original factors, Student's nor Welch's t"
LOWER = "'much' has no number in the paper; we ask for three quarters"
CLOSE = "'close' has no number in the paper; we ask for the central half of the random values"


def pair_cells(compared: Mapping[str, xr.Dataset]) -> Iterator[Cell]:
    """Return dRMSE and false positives of the six pairs, and the claims about them."""
    yield from _tables(compared)
    yield from _raw_claims(compared[RAW])
    yield from _standardized_claims(compared[OWN])
    raw = drmse_of_pairs(compared[RAW])
    own = drmse_of_pairs(compared[OWN])
    ratio = max(own[names] / raw[names] for names in raw)
    said = f"a much lower dRMSE for every collection pair ({LOWER})"
    yield claim(
        "Table 5", OWN, "largest dRMSE over that of AP", ratio, said=said, most=0.75
    )
    yield from _means(compared)


def _tables(compared: Mapping[str, xr.Dataset]) -> Iterator[Cell]:
    """Return the bodies of Tables 3 to 5, and what the text repeats of them."""
    for name, result in compared.items():
        if name == RAW:
            table, positives = ("Table 3", "Table 4")
        else:
            table, positives = ("Table 5", "Section 5")
        for a, b in combinations(TOPICS, 2):
            one = pair(result, a, b)
            row = f"{a} with {b}"
            drmse, geometric, rmse, false = (
                one[figure].item()
                for figure in ("drmse", "drmse_geometric", "rmse", "false_positives")
            )
            if name == RAW and (a, b) in PRINTED:
                published, within = PRINTED[a, b]
                yield compare(
                    table, row, "dRMSE of AP", published, drmse, within=within
                )
            else:
                yield ours_only(table, row, f"dRMSE of {name}", drmse, SCAN)
            yield ours_only(table, row, f"geometric dRMSE of {name}", geometric)
            yield ours_only(table, row, f"RMSE of {name}", rmse)
            yield ours_only(positives, row, f"false positives of {name}", false, SCAN)
    apart = max(
        float(np.abs(result["drmse_geometric"] / result["drmse"] - 1).max())
        for result in compared.values()
    )
    said = "the geometric mean of the standard deviations produces almost identical results"
    row, column = "all pairs and forms", "largest relative difference"
    yield claim("Section 5", row, column, apart, said=said, most=0.02)


def _raw_claims(result: xr.Dataset) -> Iterator[Cell]:
    """Hold the sentences on Tables 3 and 4 to AP as it is."""
    drmse = drmse_of_pairs(result)
    same, cross = _by_track(drmse)
    said = "the two AdHoc collections are relatively close to each other, as are the two Robust ones"
    column = "least across tracks over most within"
    ratio = min(cross) / max(same)
    yield claim("Table 3", "AP", column, ratio, said=said, least=1)
    extreme = pair(result, "T7", "R03")
    row = "T7 with R03"
    mean = extreme["drmse_mean"].item()
    again = f"{row}, re-partitioned"
    yield compare("Table 3", again, "mean dRMSE", 0.596, mean, within=MEAN_ERROR)
    share = extreme["false_positives"].item() / int(extreme["systems"])
    said = "almost all systems seem significantly different from themselves"
    yield claim("Table 4", row, "share of systems", share, said=said, least=0.9)
    for figure, what in (
        ("drmse_quantile", "dRMSE"),
        ("false_positives_quantile", "false positives"),
    ):
        said = "beyond the 99th percentile of random values"
        column, ours = f"quantile of {what}", extreme[figure].item()
        yield claim("Section 5", row, column, ours, said=said, least=0.99)


def _standardized_claims(result: xr.Dataset) -> Iterator[Cell]:
    """Hold the sentences on Table 5 to the values with own factors."""
    of_table = partial(claim, "Table 5", OWN)
    of_text = partial(claim, "Section 5", OWN)
    quantiles = result["drmse_quantile"].values.ravel()
    inside = int(((quantiles >= 0.025) & (quantiles <= 0.975)).sum())
    said = "all six well within the 95% interval of random values"
    yield of_table("pairs within the interval", inside, said=said, least=6)
    near = int(((quantiles >= 0.25) & (quantiles <= 0.75)).sum())
    said = "quite close to the respective means"
    yield of_table("pairs in the central half", near, said=said, least=6, known=CLOSE)
    drmse = list(drmse_of_pairs(result).values())
    said = "similar for every collection pair"
    ratio = max(drmse) / min(drmse)
    yield of_table("largest dRMSE over smallest", ratio, said=said, most=1.5)
    rates = {
        (a, b): pair(result, a, b)["false_positives"].item() / int(result["systems"])
        for a, b in combinations(TOPICS, 2)
    }
    mean, most = np.mean([*rates.values()]), max(rates.values())
    column = "mean false positive rate"
    yield compare("Section 5", OWN, column, 0.05, mean, within=0.005, known=RATES)
    said = "not exceeding 11% for any pair"
    column = "largest false positive rate"
    yield of_text(column, most, said=said, most=0.115, known=RATES)
    same, cross = _by_track(rates)
    said = "no strong effect between AdHoc and Robust collections"
    apart = float(np.mean(cross) - np.mean(same))
    column = "mean rate across tracks less within"
    yield of_text(column, apart, said=said, least=-0.05, most=0.05)


def _means(compared: Mapping[str, xr.Dataset]) -> Iterator[Cell]:
    """Return Figure 7 for AP, and how much of dRMSE standardization takes away."""
    mean = {}
    for name, result in compared.items():
        mean[name] = result["drmse"].mean().item()
    yield compare("Figure 7", RAW, "mean dRMSE", 1.1, mean[RAW], within=0.05)
    for name in (OWN, ORIGINAL):
        yield ours_only("Figure 7", name, "mean dRMSE", mean[name], DRAWN)
    away = {name: 1 - mean[name] / mean[RAW] for name in (OWN, ORIGINAL)}
    column = "share of dRMSE taken away"
    yield compare("Section 1", OWN, column, 2 / 3, away[OWN], within=0.02)
    yield ours_only("Section 1", ORIGINAL, column, away[ORIGINAL], SOURCE)


def _by_track(
    values: Mapping[tuple[str, str], float],
) -> tuple[list[float], list[float]]:
    """Split the values of pairs into those within a track and those across tracks."""
    same = [value for names, value in values.items() if names in SAME]
    return same, [value for names, value in values.items() if names not in SAME]


def chance_cells(compared: Mapping[str, xr.Dataset]) -> Iterator[Cell]:
    """Return the mean dRMSE, and the mean and the upper end of the false positive rate, in each form."""
    pairs = {name: pair(result, "T7", "T8") for name, result in compared.items()}
    mean = {name: one["drmse_mean"].item() for name, one in pairs.items()}
    yield compare("Figure 5", RAW, "mean dRMSE", 0.60, mean[RAW], within=MEAN_ERROR)
    for name in (OWN, ORIGINAL):
        yield ours_only("Figure 5", name, "mean dRMSE", mean[name], DRAWN)
    said = (
        "standardization leads to significantly greater stability than R-normalization"
    )
    ratio = mean[OWN] / mean[RAW]
    yield claim("Figure 5", OWN, "dRMSE over that of AP", ratio, said=said, most=0.75)
    yield from _rates(pairs)


def _rates(pairs: Mapping[str, xr.Dataset]) -> Iterator[Cell]:
    """Return Figure 6: mean and upper end of the rate of false positives by chance, in each form of the scores."""
    high = {name: one["false_positive_rate_high"].item() for name, one in pairs.items()}
    column = "upper end of the rate"
    for name, said, least, most in (
        (RAW, "around 50%", 0.45, 0.55),
        (OWN, "just over 15%", 0.15, 0.175),
    ):
        ours = high[name]
        yield claim("Figure 6", name, column, ours, said=said, least=least, most=most)
    yield ours_only("Figure 6", ORIGINAL, column, high[ORIGINAL], SOURCE)
    for name, one in pairs.items():
        rate = one["false_positive_rate_mean"].item()
        if name == ORIGINAL:
            yield ours_only("Figure 6", name, "mean rate", rate, SOURCE)
        else:
            least = 0.0415 - RATE_ERROR
            most = 0.0525 + RATE_ERROR
            of_rate = ("Figure 6", name, "mean rate", rate)
            yield claim(*of_rate, said="0.042 to 0.052", least=least, most=most)
