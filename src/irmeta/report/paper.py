"""The table of a paper in LaTeX and Markdown: complete, with caption, to be pasted as it is."""

from collections.abc import Callable

import xarray as xr

from irmeta import words
from irmeta.scores.attributes import about
from irmeta.studies.differences.paper_table import BETTER, DIGITS, WORSE, caption

_LATEX_MARKS = {BETTER: r"\dagger", WORSE: r"\ddagger"}


def latex(result: xr.Dataset) -> str:
    r"""Return a table environment in booktabs style; the preamble needs \usepackage{booktabs}."""
    metrics = [str(metric) for metric in result.metric.values]
    rows = [
        " & ".join([words.latex(name), *cells]) + r" \\"
        for name, cells in _rows(result, _latex_cell)
    ]
    if about(result)["options"]["baseline"] is not None:
        rows.insert(1, r"\midrule")
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{_latex_words(caption(result))}}}",
            rf"\begin{{tabular}}{{l{'l' * len(metrics)}}}",
            r"\toprule",
            " & ".join(["System", *map(words.latex, metrics)]) + r" \\",
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def markdown(result: xr.Dataset) -> str:
    """Return a Markdown table with its caption below."""
    metrics = [words.markdown(str(metric)) for metric in result.metric.values]
    lines = [_row(["System", *metrics]), _row(["---"] * (1 + len(metrics)))]
    lines += [
        _row([words.markdown(name), *cells])
        for name, cells in _rows(result, _markdown_cell)
    ]
    return "\n".join([*lines, "", words.markdown(caption(result)), ""])


def _rows(
    result: xr.Dataset, cell: Callable[[float, bool, str], str]
) -> list[tuple[str, list[str]]]:
    """Write every cell of the table, system by system."""
    rows = []
    for name in result.system.values:
        one = result.sel(system=name)
        values = zip(
            one["mean"].values, one["best"].values, one["marks"].values, strict=True
        )
        rows.append(
            (
                str(name),
                [
                    cell(float(mean), bool(best), str(mark))
                    for mean, best, mark in values
                ],
            )
        )
    return rows


def _latex_cell(mean: float, best: bool, mark: str) -> str:
    text = f"{mean:.{DIGITS}f}"
    text = rf"\textbf{{{text}}}" if best else text
    if not mark:
        return text
    superscript = _LATEX_MARKS.get(mark) or rf"\mathrm{{{mark}}}"
    return f"{text}$^{{{superscript}}}$"


def _latex_words(text: str) -> str:
    printed = words.latex(text)
    for mark, command in _LATEX_MARKS.items():
        printed = printed.replace(mark, f"${command}$")
    return printed


def _markdown_cell(mean: float, best: bool, mark: str) -> str:
    text = f"**{mean:.{DIGITS}f}**" if best else f"{mean:.{DIGITS}f}"
    if mark:
        return f"{text}<sup>{mark}</sup>"
    return text


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
