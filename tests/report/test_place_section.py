"""The section of the page that places systems among everybody's."""

import numpy as np

from irmeta.datasets import factors as factor_files
from irmeta.report.page.content import Content
from irmeta.report.page.systems import place
from irmeta.scores.cube import cube


def content(name, metrics):
    factors = factor_files.load("web2012")
    topics = list(factors.topic.values)
    drawn = np.random.default_rng(0).random((3, len(topics), len(metrics))) / 2
    scores = cube(drawn, ["a", "b", "c"], topics, metrics, collection=name)
    return Content.prepared({name: scores}, missing="error")


def test_systems_of_a_known_collection_are_drawn_with_their_intervals():
    """The figure has the standardized means; the command names the factors."""
    [panel] = place.panels(content("web2012", ["AP", "nDCG@20"]))
    [picture] = panel.pictures.values()
    assert "nDCG@20" in picture.title
    drawn = picture.draw().axes[0].lines[0].get_xdata()
    assert drawn.tolist() == panel.tables["systems"]["standardized"].to_list()
    assert (
        panel.command
        == "irmeta place scores.parquet --on web2012 --metrics nDCG@20 --seed 0"
    )
    assert "of 48 systems" in panel.findings[0]


def test_an_unknown_collection_has_no_section_and_one_without_common_metric_says_so():
    """Where no factors ship there is no panel; where they lack the metrics there is no answer."""
    assert place.panels(content("mine", ["nDCG@20"])) == []
    [panel] = place.panels(content("web2012", ["AP", "RR"]))
    assert panel.findings[0].startswith("Not computed: the factors (web2012) lack")
