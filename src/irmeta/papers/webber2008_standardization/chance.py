"""Figures 5 and 6: what random re-partitions of the topics of TREC-7 and TREC-8 give."""

from collections.abc import Iterator, Mapping

import xarray as xr

from irmeta.papers.webber2008_standardization.factors import DRAWN
from irmeta.papers.webber2008_standardization.sources import ORIGINAL, OWN, RAW, pair
from irmeta.studies.checks.reproduction import Cell, claim, compare, ours_only

MEAN_ERROR = 0.03
"""Three standard errors of the paper's mean dRMSE, had it drawn 1000 times: single draws have an sd of 0.3."""
RATE_ERROR = 0.003
"""Three standard errors of a mean rate over 20 000 draws, which have an sd of 0.13."""
SOURCE = "the paper does not say whose factors it used; the cell with own factors is held to print"


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
    high = {name: one["false_positive_rate_high"].item() for name, one in pairs.items()}
    column = "upper end of the rate"
    yield claim(
        "Figure 6", RAW, column, high[RAW], said="around 50%", least=0.45, most=0.55
    )
    yield claim(
        "Figure 6", OWN, column, high[OWN], said="just over 15%", least=0.15, most=0.175
    )
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
