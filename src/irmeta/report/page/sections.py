"""The sections of the page, in order: what each asks, how to read its answer, and where the method comes from."""

from collections.abc import Callable, Mapping
from functools import partial
from shlex import quote
from types import MappingProxyType
from typing import get_args

import xarray as xr

from irmeta.cube import Missing, complete, varying
from irmeta.datasets.reference import reference_model
from irmeta.errors import ScoresError
from irmeta.matrix import Level
from irmeta.parallel import Progress
from irmeta.report.page import collections, metrics, prediction, scores
from irmeta.report.page.panel import Panel, Section, attempt, names

_TEXTS: Mapping[str, tuple[str, str, str, str]] = MappingProxyType(
    {
        "data": (
            "The data",
            "What was scored?",
            "Each cell of the picture is one system on one topic: a column of high scores is an easy topic, a row of "
            "them a good system, and stripes that break the pattern are scores worth a second look.",
            "The score file and what was remarked when it was made.",
        ),
        "systems": (
            "The systems",
            "How sure are the means?",
            "A point is a system's mean over topics, the line its interval. Point at a system to see the ranks that it "
            "may have: those of all systems whose intervals overlap with its own. That two intervals overlap does not "
            "say that the systems do not differ; the last section tests that.",
            "Webber, Moffat and Zobel, Score standardization, SIGIR 2008, section 3; Student's t over topics.",
        ),
        "agreement": (
            "Agreement of metrics",
            "Which metrics say the same?",
            "Topic level correlates scores over all systems and topics; within topics takes out that topics are easy "
            "or hard for everybody; system level correlates system means. Outlined metrics form a group: every two of "
            "them correlate at the threshold or above.",
            "Kutlu et al. (2018) and Gupta et al. (ECIR 2019), section 4; groups by complete linkage.",
        ),
        "power": (
            "Predictive power",
            "Which metrics foretell results on new topics?",
            "Phi is Kendall's tau between the ranking of systems by one metric on half of the topics and by another on "
            "the rest, averaged over random halves. Where a metric foretells another as well as the other does itself "
            "(interval across 0), reporting both adds nothing that these topics can show.",
            "Webber, Moffat, Zobel and Sakai, Precision-at-ten considered redundant, SIGIR 2008.",
        ),
        "reporting": (
            "Metrics to report",
            "Which few metrics tell the rest?",
            "A filled mark: the metric is in the best subset of that size, which leaves least of the variance of all "
            "metrics unexplained. Up to the size to report, topics are resampled: the larger a mark, the oftener the "
            "metric is chosen again. Rings are metrics that only other topics choose.",
            "Gupta et al. (ECIR 2019), section 6; McCabe (Technometrics 1984); exact search.",
        ),
        "prediction": (
            "Unreported metrics",
            "What do the reported ones tell of the others?",
            "The reference model, fitted on TREC collections, predicts every metric that is not reported. Tau "
            "near 1: systems come in the right order. Points off the diagonal all to one side: the collection has an "
            "offset of its own, which the intervals allow for. Where this collection is one of those that the model "
            "was fitted on, these figures flatter it.",
            "Gupta et al. (ECIR 2019), section 5; intervals from collections left out in turn.",
        ),
        "collections": (
            "Across collections",
            "Do scores compare across collections?",
            "dRMSE is the difference between a system's means on two collections, relative to how much systems "
            "differ: 0 would be perfect. The tick is what dealing the same topics at random gives; a form whose "
            "dot lies beyond its tick compares systems less well than one collection would with itself.",
            "Webber, Moffat and Zobel, Score standardization, SIGIR 2008, section 5.",
        ),
        "significance": (
            "Significance",
            "Which systems differ?",
            "The bar is a metric's discriminative power: the share of pairs of systems that a paired test tells apart, "
            "corrected for testing all of them. More is not better by itself: a metric can be sure of the wrong thing.",
            "Smucker, Allan and Carterette (CIKM 2007); Sakai (SIGIR 2006).",
        ),
    }
)
"""Title, question, how to read the answer, and source of each section, in the order of the page."""


def sections(
    cubes: Mapping[str, xr.DataArray], *, by: str | None, missing: Missing, seed: int, source: str, progress: Progress
) -> list[Section]:
    """Run the studies, each on every collection or on all together, and give the sections of the page.

    The arguments are those of `irmeta.write_report`.
    """
    used = {name: _usable(name, cube, missing) for name, cube in cubes.items()}
    order = {name: scores.order_by(cube, by) for name, cube in used.items()}

    def of(name: str) -> str:
        return f"{source} --collection {quote(name)}" if len(used) > 1 else source

    def each(what: str, panel: Callable[[str], Panel]) -> list[Panel]:
        made = []
        for name in used:
            progress(f"{what}, {name}" if len(used) > 1 else what)
            made.append(attempt(name, partial(panel, name)))
        return made

    def levels(what: str, panel: Callable[[Level], Panel]) -> list[Panel]:
        made = []
        for level in get_args(Level):
            progress(f"{what}, {level} level")
            made.append(attempt(metrics.LEVELS[level], partial(panel, level)))
        return sorted(made, key=lambda one: not one.tables)  # those that could not be computed last

    def compared() -> list[Panel]:
        progress("collections")
        first = next(iter(order.values()))
        return [attempt("All pairs", lambda: collections.comparison_panel(used, first, source, seed))]

    ranked = levels("metrics to report", lambda level: metrics.ranking_panel(level, used, source, seed))
    subsets = [panel.tables["subsets"] for panel in ranked if panel.tables]
    reported, model = metrics.reported(subsets[0]) if subsets else [], reference_model()
    panels = {
        "data": each("data", lambda name: scores.data_panel(name, cubes[name], order[name], names(used[name].metric))),
        "systems": each("systems", lambda name: scores.systems_panel(name, used[name], order[name], of(name))),
        "agreement": levels("agreement", lambda level: metrics.correlation_panel(level, used, source)),
        "power": each("predictive power", lambda name: metrics.predictivity_panel(name, used[name], of(name), seed)),
        "reporting": ranked,
        "prediction": each("prediction", lambda name: prediction.prediction_panel(name, used[name], reported, model)),
        "collections": compared() if len(used) > 1 else [],
        "significance": each(
            "significance", lambda name: scores.significance_panel(name, used[name], order[name], of(name))
        ),
    }
    return [Section(key, *texts, panels[key]) for key, texts in _TEXTS.items() if panels[key]]


def _usable(name: str, cube: xr.DataArray, missing: Missing) -> xr.DataArray:
    """Keep what the studies can use: complete scores where a policy says so, metrics that tell systems apart."""
    kept = varying(cube if missing == "error" else complete(cube, missing)[0])
    if not kept.sizes["metric"]:
        count = f"{cube.sizes['system']} system{'s' if cube.sizes['system'] != 1 else ''}"
        raise ScoresError(f"{name}: no metric tells its {count} apart; a report compares systems")
    return kept
