"""Urbano, Marrero and Martin, "On the measurement of test collection reliability", SIGIR 2013, and its software.

The figures are those that gt4ireval prints (README, vignette, tests), and Brennan's tables, which its tests quote.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import xarray as xr

from irmeta.io.tables.matrices import import_matrix
from irmeta.papers.parts import Part, file_of, gathered
from irmeta.stats.arrays import Floats
from irmeta.stats.reliability.components import (
    Coefficient,
    Components,
    components,
    signal,
    signal_interval,
    stability,
    topics_needed,
)
from irmeta.studies.checks.reproduction import Cell, compare, reproduction

EXPONENTS: Mapping[str, float] = {
    "tau": 2.84729794002905,
    "tau_AP": 3.98652984123827,
    "relative sensitivity": 1.29759126030214,
}
"""Curves of Figure 3: tau = (E rho2)^a, tau_AP = (E rho2)^a, relative sensitivity = (1 - Phi)^a."""

VARIANCES = {"systems": 0.0028117, "topics": 0.028093, "interaction": 0.010152}
COEFFICIENTS: Mapping[Coefficient, Mapping[int, tuple[float, float, float]]] = {
    "erho2": {
        50: (0.93265, 0.89311, 0.96287),
        100: (0.96515, 0.94354, 0.98109),
        150: (0.97649, 0.96164, 0.98731),
    },
    "phi": {
        50: (0.78613, 0.66141, 0.88039),
        100: (0.88026, 0.79621, 0.93639),
        150: (0.91686, 0.85423, 0.95668),
    },
}
"""By number of topics: the coefficient, and the lower and the upper end of its 95% interval."""
NEEDED: Mapping[Coefficient, tuple[int, int, int]] = {
    "erho2": (69, 37, 114),
    "phi": (259, 130, 487),
}
"""Topics for .95, and for the upper and the lower end of the interval."""
BRENNAN = {"systems": 0.6258, "topics": 0.8840, "interaction": 2.7872}
BRENNAN_COEFFICIENTS: Mapping[Coefficient, tuple[float, float, float]] = {
    "erho2": (0.729, 0.541, 0.876),
    "phi": (0.672, 0.457, 0.845),
}
VIGNETTE: tuple[tuple[Coefficient, float, int, float, int], ...] = (
    ("phi", 0.95, 1, 0.88654, 200),
    ("phi", 0.95, 2, 0.96715, 200),
    ("erho2", 0.99, 1, 0.87737, 50),
    ("erho2", 0.99, 2, 0.96967, 50),
)
"""Coefficient, level of the interval, which end (1: the lower), the printed figure, and for how many topics."""
ENDS = ("", ", lower end", ", upper end")


def reproduce(data: Path, *, rng: int = 0) -> xr.Dataset:
    """Compute every printed figure again; nothing in it is random."""
    parts = [
        Part("TREC-3", ["trec3-adhoc"], partial(_trec3, data)),
        Part("Figure 3", [], _curves),
    ]
    cells = list(gathered("urbano2013", parts, data))
    return reproduction("urbano2013", cells, options={"seed": rng})


def _trec3(data: Path) -> Iterator[Cell]:
    """Return the cells of TREC-3, without the worst quarter, and of Brennan's example."""
    trec3, brennan = (
        _scores(file_of(f"reliability/{name}.csv", data))
        for name in ("adhoc3", "synthetic4")
    )
    means = trec3.mean(axis=1)
    yield from _readme(components(trec3[means >= np.quantile(means, 0.25)]))
    yield from _brennan(components(brennan))


def _scores(path: Path) -> Floats:
    """Read scores of one metric: (system, topic)."""
    scores: Floats = import_matrix(path, rows="topics").values[..., 0]
    return scores


def _readme(found: Components) -> Iterator[Cell]:
    """Return the cells of the G study and the D studies of TREC-3, to 5 significant digits."""
    yield from _variances("README (TREC-3)", found, VARIANCES, digits=5)
    for name, rows in COEFFICIENTS.items():
        for topics, printed in rows.items():
            item, ours = "README (TREC-3)", _ends(found, name, topics, 0.95)
            yield from _coefficient(item, name, f"{topics} topics", printed, ours)
    for name, counts in NEEDED.items():
        low, high = signal_interval(found, name, 0.95)
        needed = [
            float(topics_needed(part, 0.95))
            for part in (signal(found, name), high, low)
        ]
        for which, count, enough in zip(ENDS, counts, needed, strict=True):
            row = f"topics for .95, {name}{which}"
            yield compare(
                "README (TREC-3)", row, "best 30 systems", count, enough, within=0
            )
    for name, level, at, value, topics in VIGNETTE:
        row = f"{name}{ENDS[at]}, {level:.0%} interval"
        end = _ends(found, name, topics, level)[at]
        yield compare(
            "Vignette (TREC-3)", row, f"{topics} topics", value, end, within=5e-6
        )


def _brennan(found: Components) -> Iterator[Cell]:
    """Return the cells of Tables 6.2 and 6.5 of Brennan (2001), 80% intervals, to 3 or 4 decimals."""
    yield from _variances("Brennan, Table 6.2", found, BRENNAN, decimals=4)
    for name, printed in BRENNAN_COEFFICIENTS.items():
        ours = _ends(found, name, 12, 0.8)
        yield from _coefficient(
            "Brennan, Table 6.5", name, "12 conditions", printed, ours, within=5e-4
        )


def _variances(
    item: str,
    found: Components,
    printed: Mapping[str, float],
    *,
    digits: int = 0,
    decimals: int = 0,
) -> Iterator[Cell]:
    """Hold variance components to print, which has `digits` significant digits, or `decimals`."""
    for (name, value), ours in zip(printed.items(), found.variances, strict=True):
        # place of the last digit
        last = decimals or digits - 1 - int(np.floor(np.log10(value)))
        row, within = f"variance of {name}", 0.5 * 10.0**-last
        yield compare(item, row, "systems kept", value, float(ours), within=within)


def _coefficient(
    item: str,
    name: str,
    column: str,
    printed: Sequence[float],
    ours: Sequence[float],
    *,
    within: float = 5e-6,
) -> Iterator[Cell]:
    """Hold a coefficient and the ends of its interval to print."""
    for end, value, figure in zip(ENDS, printed, ours, strict=True):
        yield compare(item, f"{name}{end}", column, value, figure, within=within)


def _ends(
    found: Components, name: Coefficient, topics: int, level: float
) -> list[float]:
    """Return a coefficient, and the lower and the upper end of its interval."""
    low, high = signal_interval(found, name, level)
    return [float(stability(part, topics)) for part in (signal(found, name), low, high)]


def _curves() -> Iterator[Cell]:
    """Return the cells of what the fitted curves of Figure 3 say, as printed by the software."""
    for erho2, published in ((0.93, 0.7487836), (0.95, 0.8150692), (0.98, 0.9226192)):
        ours = erho2 ** EXPONENTS["tau_AP"]
        yield compare(
            "Figure 3", "tau_AP", f"E rho2 {erho2:g}", published, ours, within=5e-8
        )
    yield compare(
        "Figure 3", "tau", "E rho2 0.95", 0.86412, 0.95 ** EXPONENTS["tau"], within=5e-6
    )
    ours = (1 - 0.8) ** EXPONENTS["relative sensitivity"]
    yield compare(
        "Figure 3", "relative sensitivity", "Phi 0.8", 0.12389, ours, within=5e-6
    )
