"""The table of a paper in LaTeX and Markdown: complete, with caption, to be pasted as it is."""

from collections.abc import Callable

import xarray as xr

from irmeta import words
from irmeta.scores.attributes import about
from irmeta.scores.figures import short
from irmeta.studies.differences.paper_table import BETTER, DIGITS, WORSE, caption

_LATEX_MARKS = {BETTER: r"\dagger", WORSE: r"\ddagger"}


def latex(result: xr.Dataset) -> str:
    r"""Return a table environment in booktabs style; the preamble needs \usepackage{booktabs}.

    Numbers stand right of their column and marks left of one beside it, so that points are below points.
    """
    options = about(result)["options"]
    marked = options["test"] != "none"
    rows = [
        " & ".join(
            [
                words.latex(name),
                *(cell for pair in cells for cell in pair[: 1 + marked]),
            ]
        )
        + r" \\"
        for name, cells in _cells_by_system(result, _latex_cell)
    ]
    if options["baseline"] is not None:
        rows.insert(1, r"\midrule")
    metrics = [words.latex(str(metric)) for metric in result.metric.values]
    wide = r"\multicolumn{{2}}{{c}}{{{}}}" if marked else "{}"
    head = map(wide.format, metrics)
    columns = "r@{}l" if marked else "r"
    label = [] if options.get("label") is None else [rf"\label{{{options['label']}}}"]
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{_latex_words(caption(result))}}}",
            *label,
            rf"\begin{{tabular}}{{l{columns * len(metrics)}}}",
            r"\toprule",
            " & ".join(["System", *head]) + r" \\",
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def markdown(result: xr.Dataset) -> str:
    """Return a Markdown table; its caption is the finding, which stands above it."""
    metrics = [words.markdown(str(metric)) for metric in result.metric.values]
    head = _markdown_row(["System", *metrics])
    rule = _markdown_row(["---", *["---:"] * len(metrics)])
    lines = [
        _markdown_row([words.markdown(name), *map("".join, cells)])
        for name, cells in _cells_by_system(result, _markdown_cell)
    ]
    return "\n".join([head, rule, *lines, ""])


def _cells_by_system(
    result: xr.Dataset, cell: Callable[[float, bool, str], tuple[str, str]]
) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return each system with its cells, which `cell` writes: a number and its mark for each metric."""
    rows = []
    for at, name in enumerate(result.system.values):
        own = result.isel(system=at)
        values = zip(
            own["mean"].values, own["best"].values, own["marks"].values, strict=True
        )
        cells = [
            cell(float(mean), bool(best), str(mark)) for mean, best, mark in values
        ]
        rows.append((str(name), cells))
    return rows


def _latex_cell(mean: float, best: bool, mark: str) -> tuple[str, str]:
    """Return a mean in LaTeX, bold where it is the best, and its mark as a superscript."""
    text = words.latex_figure(short(mean, DIGITS))
    text = rf"\textbf{{{text}}}" if best else text
    if not mark:
        return text, ""
    superscript = _LATEX_MARKS.get(mark) or rf"\mathrm{{{mark}}}"
    return text, f"$^{{{superscript}}}$"


def _latex_words(text: str) -> str:
    """Return a text in LaTeX, its marks as commands."""
    printed = words.latex(text)
    for mark, command in _LATEX_MARKS.items():
        printed = printed.replace(mark, f"${command}$")
    return printed


def _markdown_cell(mean: float, best: bool, mark: str) -> tuple[str, str]:
    """Return a mean in Markdown, bold where it is the best, and its mark as a superscript."""
    text = short(mean, DIGITS)
    text = f"**{text}**" if best else text
    return text, f"<sup>{mark}</sup>" if mark else ""


def _markdown_row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
