"""The prediction model that ships with irmeta: figures of eight groups of TREC systems, no scores."""

from functools import cache
from pathlib import Path

from irmeta.io.model_file import Model, load_model

_FILE = Path(__file__).with_name("reference.json")


@cache
def reference_model() -> Model:
    """Return the reference model; its provenance names the collections it was fitted on and the papers to cite.

    Made by scripts/reference_model.py from the system-level scores released with Gupta et al. (ECIR 2019) and the runs
    submitted to rounds 1 and 3 of TREC-COVID.

    >>> "AP@1000" in reference_model().metrics
    True
    """
    return load_model(_FILE)
