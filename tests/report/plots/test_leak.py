"""What the figure of a leak shows."""

import numpy as np
from matplotlib.figure import Figure

from irmeta.report.plots.judgments.leak import known_judgments
from irmeta.studies.leaderboard.leak.study import leak


def test_lines_are_what_decoding_claims() -> None:
    """A line for each metric, from the first run to the last, and one for all judgments."""
    result = leak(metrics="P@5 RBP(p=0.5, rel=1)", submissions=12, topics=4, judged=9)
    axes = known_judgments(result.data, Figure().subplots())
    *lines, every = axes.get_lines()
    assert [line.get_label() for line in lines] == ["P@5", "RBP(p=0.5, rel=1)"]
    for line, row in zip(lines, result["known"].values, strict=True):
        np.testing.assert_array_equal(line.get_ydata(), row)
        np.testing.assert_array_equal(line.get_xdata(), np.arange(1, 13))
    assert np.unique(every.get_ydata()) == [36]
    assert lines[0].get_ydata()[-1] == 12
