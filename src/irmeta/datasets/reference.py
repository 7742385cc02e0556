"""What ships with irmeta: a prediction model, and the standardization factors of public collections."""

from functools import cache
from pathlib import Path

from irmeta.io.formats.model_file import Model, load_model

_FILE = Path(__file__).with_name("reference.json")
_FACTORS = Path(__file__).with_name("shipped")


@cache
def reference_model() -> Model:
    """Return the reference model; its provenance names the collections it was fitted on and the papers to cite.

    Made by scripts/reference_model.py from the system-level scores released with Gupta et al. (ECIR 2019) and the runs
    submitted to rounds 1 and 3 of TREC-COVID and to the passage task of Deep Learning 2021.

    >>> "AP@1000" in reference_model().metrics
    True
    """
    return load_model(_FILE)


@cache
def shipped_factors() -> dict[str, Path]:
    """Return the factors files that ship, by the names that `irmeta place --on` knows them by.

    Made by scripts/factors.py from published scores and runs; each file names its source and the paper to cite.

    >>> "trec8" in shipped_factors()
    True
    """
    return {path.stem: path for path in sorted(_FACTORS.glob("*.parquet"))}
