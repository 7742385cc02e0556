"""Make the prediction model that ships with irmeta: python scripts/reference_model.py DATA.

DATA holds `systemwise/` (the tables released with Gupta et al., ECIR 2019), `trec-covid/` (runs and judgments of
rounds 1 and 3) and `judges/dl2021/` (those of the passage task of Deep Learning 2021, 100 documents a run). The model
file holds counts, means, covariances and residual quantiles, no score of any system.
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import xarray as xr

from irmeta.evaluation.engine import evaluate
from irmeta.io.formats.model_file import Model, save_model
from irmeta.io.tables.matrices import import_systemwise
from irmeta.papers.gupta2019.released import by_topics
from irmeta.scores.attributes import about
from irmeta.scores.averages.means import means
from irmeta.studies.prediction.prediction_model import prediction_model

TARGET = Path(__file__).parents[1] / "src" / "irmeta" / "datasets" / "reference.json"

TOPICS = {50: "web2000+2001+2011", 48: "web2010", 249: "robust2004"}
"""Names of the groups of released rows, by their number of topics."""

AS_RELEASED = {
    "RBP(p=0.5)": "RBP(p=0.5, rel=1)",
    "RBP(p=0.8)": "RBP(p=0.8, rel=1)",
    "RBP(p=0.95)": "RBP(p=0.95, rel=1)",
    "ERR@20": "ERR(max_rel=4)@20",
}
"""What the released tables call these metrics, which they compute otherwise than the paper says, and what they are."""

PROVENANCE = {
    "sources": [
        "S. Gupta, M. Kutlu, V. Khetan, M. Lease: Correlation, Prediction and Ranking of Evaluation Metrics in"
        " Information Retrieval, ECIR 2019; system-level scores of TREC Web 2000, 2001, 2010-2014 and Robust 2004",
        "E. Voorhees, T. Alam, S. Bedrick, D. Demner-Fushman, W. Hersh, K. Lo, K. Roberts, I. Soboroff, L. L. Wang:"
        " TREC-COVID: Constructing a Pandemic Information Retrieval Test Collection, SIGIR Forum 54(1), 2020;"
        " runs and judgments of rounds 1 and 3",
        "N. Craswell, B. Mitra, E. Yilmaz, D. Campos, J. Lin: Overview of the TREC 2021 Deep Learning Track, TREC 2021;"
        " runs and judgments of the passage task",
    ],
    "rule": "as in the paper: no system with a score of 0, none whose scores all equal those of another",
}


def main(data: Path) -> None:
    """Fit the model and write it into the package."""
    model = fitted(collections(data))
    save_model(model, TARGET)
    print(f"{TARGET}: {model.provenance['collections']}")


def fitted(cubes: dict[str, xr.DataArray]) -> Model:
    """Fit the model that ships."""
    model = prediction_model(cubes, scale="logit", provenance=PROVENANCE)
    described = {
        name: {"systems": scores.sizes["system"], **about(scores)}
        for name, scores in cubes.items()
    }
    return replace(model, provenance={**model.provenance, "collections": described})


def collections(data: Path) -> dict[str, xr.DataArray]:
    """Give the system-level scores of each group of systems, without those that are not usable."""
    released = import_systemwise(sorted((data / "systemwise").glob("*.csv")))
    tables = {name: as_computed(table) for name, table in released.items()}
    cubes = {
        TOPICS[topics]: part for topics, part in by_topics(tables.pop("train")).items()
    }
    cubes |= {name.replace("wt", "web"): table for name, table in tables.items()}
    metrics = [str(name) for name in cubes["web2012"].metric.values]
    cubes |= {
        f"trec-covid-{name}": evaluated(folder / "qrels.txt", folder / "runs", metrics)
        for name in ("round1", "round3")
        for folder in [data / "trec-covid" / name]
    }
    dl2021 = data / "judges" / "dl2021"
    cubes["dl2021"] = evaluated(dl2021 / "qrels" / "nist.txt", dl2021 / "runs", metrics)
    kept = {name: usable(scores) for name, scores in cubes.items()}
    return {
        n: scores.drop_attrs().assign_attrs(
            dropped=cubes[n].sizes["system"] - len(scores)
        )
        for n, scores in kept.items()
    }


def as_computed(table: xr.DataArray) -> xr.DataArray:
    """Call metrics what they are."""
    names = [AS_RELEASED.get(str(name), str(name)) for name in table.metric.values]
    return table.assign_coords(metric=np.array(names, dtype=object))


def evaluated(qrels: Path, runs: Path, metrics: list[str]) -> xr.DataArray:
    """Evaluate runs, and take the means."""
    return means(evaluate(qrels, runs, metrics)).expand_dims(topic=["all"], axis=1)


def usable(scores: xr.DataArray) -> xr.DataArray:
    """Drop systems as PROVENANCE's rule says; of equal ones the first stays."""
    rows = scores.values[:, 0]
    first = np.zeros(len(rows), dtype=bool)
    first[np.unique(rows.round(10), axis=0, return_index=True)[1]] = True
    return scores[first & (rows > 0).all(axis=1)]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
