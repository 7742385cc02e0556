"""The studies of irmeta, each declared once: what lists studies is derived from here. Importing this loads no study."""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Literal, NamedTuple

from irmeta.errors import ScoresError

if TYPE_CHECKING:
    import xarray as xr

About = Literal["systems", "metrics", "judgments", "collections", "scores"]
"""What a question is about; commands, sections of the page and the documentation are grouped by it."""


class Study(NamedTuple):
    """One study: its key in `STUDIES` is what its results name, and the module of its plots in `report.plots`.

    home : the module below `irmeta.studies`.
    function : the public function, as in `irmeta.describe`; empty for what has none.
    verb : the command, as in "describe" or "standardize sample"; empty for what has none.
    question : what a user asks.
    section : whether the page has a section of it, the module of the same name in `report.page`.
    docs : the page in docs/studies that explains it, without the suffix; empty for what has none.
    """

    home: str
    function: str
    verb: str
    about: About
    question: str
    section: bool = False
    docs: str = ""


STUDIES: dict[str, Study] = {
    "evaluation": Study(
        "checks.evaluation", "", "evaluate", "scores", "What do these runs score?"
    ),
    "validation": Study(
        "checks.validation",
        "validate",
        "validate",
        "scores",
        "What is odd about these runs and judgments?",
    ),
    "description": Study(
        "differences.description",
        "describe",
        "describe",
        "systems",
        "How good are the systems, and how sure is that?",
        True,
        "description",
    ),
    "paper_table": Study(
        "differences.paper_table",
        "paper_table",
        "table",
        "systems",
        "What is the table for my paper?",
        docs="paper_table",
    ),
    "significance": Study(
        "differences.significance",
        "significance",
        "significance",
        "systems",
        "Which systems differ?",
        True,
        "significance",
    ),
    "leaderboard": Study(
        "leaderboard",
        "leaderboard",
        "leaderboard",
        "systems",
        "Which ranks of a leaderboard are real?",
        docs="leaderboard",
    ),
    "place": Study(
        "place",
        "place",
        "place",
        "systems",
        "Where do my systems stand among everybody's, on any collection?",
        True,
        "place",
    ),
    "versus": Study(
        "differences.versus",
        "versus",
        "versus",
        "systems",
        "Is mine better, by how much, and on which topics?",
        docs="versus",
    ),
    "correlation": Study(
        "agreement.correlation",
        "correlation",
        "correlate",
        "metrics",
        "Which metrics say the same?",
        True,
        "correlation",
    ),
    "predictivity": Study(
        "agreement.predictivity",
        "predictivity",
        "predictivity",
        "metrics",
        "Which metrics predict results on new topics?",
        True,
        "predictivity",
    ),
    "ranking": Study(
        "choice.ranking",
        "rank_metrics",
        "rank",
        "metrics",
        "Which few metrics should be reported?",
        True,
        "ranking",
    ),
    "prediction": Study(
        "prediction.predict",
        "predict",
        "predict apply",
        "metrics",
        "What would an unreported metric have been?",
        True,
        "prediction",
    ),
    "accuracy": Study(
        "prediction.accuracy",
        "accuracy",
        "",
        "metrics",
        "How close are predicted scores to the actual ones?",
        docs="prediction",
    ),
    "predictors": Study(
        "prediction.predictors",
        "predictors",
        "predict select",
        "metrics",
        "Which metrics predict which other metrics?",
        docs="prediction",
    ),
    "lowcost": Study(
        "prediction.lowcost",
        "lowcost",
        "predict lowcost",
        "metrics",
        "Do cheap metrics predict a costly one?",
        docs="prediction",
    ),
    "coverage": Study(
        "prediction.coverage",
        "coverage",
        "predict coverage",
        "metrics",
        "How often do prediction intervals hold?",
        docs="prediction",
    ),
    "models": Study(
        "prediction.models",
        "models",
        "predict models",
        "metrics",
        "Do other models predict better?",
        docs="prediction",
    ),
    "reuse": Study(
        "reuse",
        "reuse",
        "reuse",
        "judgments",
        "Is the pool fair to a run that was not pooled?",
        True,
        "reuse",
    ),
    "judges": Study(
        "judges.compare",
        "compare_judges",
        "judges compare",
        "judgments",
        "Do these judgments rank systems as people do?",
        True,
        "judges",
    ),
    "estimate": Study(
        "judges.estimate",
        "estimate",
        "judges estimate",
        "judgments",
        "What do few human and many machine judgments show?",
        docs="judges",
    ),
    "plan": Study(
        "judges.plan",
        "plan",
        "judges plan",
        "judgments",
        "How many topics should people judge?",
        docs="judges",
    ),
    "comparison": Study(
        "standardizing.comparison",
        "compare",
        "compare",
        "collections",
        "Do scores compare between collections?",
        True,
        "comparison",
    ),
    "reliability": Study(
        "reliability",
        "reliability",
        "reliability",
        "collections",
        "Is the collection big enough?",
        True,
        "reliability",
    ),
    "design": Study(
        "design",
        "design",
        "design",
        "collections",
        "What should the next collection be?",
        True,
        "design",
    ),
    "durability": Study(
        "standardizing.durability",
        "durability",
        "standardize durability",
        "collections",
        "Do old standardization factors still serve?",
        docs="standardization",
    ),
    "standardizing_set": Study(
        "standardizing.standardizing_set",
        "standardizing_set",
        "standardize sample",
        "collections",
        "How many systems does standardization need?",
        docs="standardization",
    ),
    "reproduction": Study(
        "checks.reproduction",
        "",
        "reproduce",
        "scores",
        "Can a paper's published figures be reproduced?",
    ),
}
"""Every study by name, in the order in which commands, sections and pages list them."""


def name_of(result: "xr.Dataset") -> str:
    """Return the name of the study that made a result; raise ScoresError for a Dataset that no study made."""
    name = getattr(result, "attrs", {}).get("study")
    if name not in STUDIES:
        raise ScoresError(
            f"this is not the result of an irmeta study (its attribute `study` is {name!r}); pass "
            "what a study such as irmeta.describe returned"
        )
    return str(name)


def study_of(result: "xr.Dataset") -> ModuleType:
    """Return the module of the study that made a result; raise ScoresError for a Dataset that no study made."""
    return import_module(f"irmeta.studies.{STUDIES[name_of(result)].home}")


def warnings(result: "xr.Dataset") -> list[str]:
    """Return what nobody should read a result's findings without; most studies have nothing of the kind."""
    warns = getattr(study_of(result), "warnings", None)
    if warns is None:
        return []
    return warns(result)
