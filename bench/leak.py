"""How many hidden judgments of TREC-COVID round 1 boards give away: the figures of docs/studies/leak.md.

python -m bench.leak                    the table; --figure docs/assets/leak.svg draws it, too
python -m bench.leak --price            what ladders and splits cost honest teams, on rounds 1 and 3
"""

import argparse
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import polars as pl

import irmeta
from irmeta.datasets.catalog import data_folder
from irmeta.studies.leaderboard.leak.summary import CLEAR, SURE

SIZES = (1, 3, 10, 30, 90, 240, 500)
BITS = "RBP(p=0.5, rel=1)"
RULES: dict[str, dict[str, Any]] = {
    "scores by topic": {"metrics": f"nDCG@10 {BITS}", "show": "topics"},
    "two means": {"metrics": f"nDCG@10 {BITS}"},
    "one mean": {"metrics": "nDCG@10"},
    "ladder": {"metrics": "nDCG@10", "feedback": "ladder"},
    "ladder, 20 teams": {"metrics": "nDCG@10", "feedback": "ladder", "together": 20},
    "from a baseline, 20 teams": {
        "metrics": "nDCG@10",
        "feedback": "ladder",
        "together": 20,
        "baseline": "BM25R2",
    },
    "split, none": {"metrics": "nDCG@10", "feedback": "split"},
}
"""What boards show, to four decimals."""


def rows(data: Path) -> pl.DataFrame:
    """Attack the board by each of the rules, with more and more submissions; the best attack of each, by its bits."""
    folder = data / "trec-covid" / "round1"
    found = []
    for name, given in RULES.items():
        rules = dict(given)
        if at := rules.pop("baseline", ""):
            rules["baseline"] = folder / "runs" / f"{at}.gz"
        for size in SIZES:
            attacks = irmeta.leak(
                folder / "qrels.txt",
                run=folder / "runs" / "BM25R2.gz",
                submissions=size,
                **rules,
            ).tables
            best = attacks["attacks"].sort("bits", descending=True).row(0, named=True)
            after = attacks["attacks"]["after"].max()
            before = attacks["attacks"]["before"][0]
            sure = best["p"] < CLEAR and best["right"] >= SURE * best["claims"]
            found.append(
                {
                    "rules": name,
                    "submissions": size,
                    "known": best["right"] if sure else 0,
                    "claims": best["claims"],
                    "guessed": best["guessed"],
                    "before": before,
                    "after": max(before, after),
                    "bits": attacks["rules"].filter(
                        rules=rules.get("feedback", "open")
                    )["bits_all"][0],
                }
            )
    return pl.DataFrame(found)


def draw(table: pl.DataFrame, path: Path) -> None:
    """Draw judgments that are known, and the score of the attacker's run, by submissions and rules."""
    plt.rcParams["svg.hashsalt"] = "leak"
    figure, panels = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
    labels = ("judgments known", "nDCG@10 of the attacker's run")
    for axes, column, label in zip(panels, ("known", "after"), labels, strict=True):
        for name in RULES:
            own = table.filter(rules=name)
            axes.plot(own["submissions"], own[column], "o-", markersize=3, label=name)
        axes.set_xscale("log")
        axes.set_xlabel("submissions of a team")
        axes.set_ylabel(label)
    panels[0].legend(fontsize=7)
    figure.savefig(path, metadata={"Date": None})


def price(data: Path, number: int, draws: int = 20) -> dict[str, float]:
    """Let teams send their runs in random order, and choose by what they are told; loss is in nDCG@10.

    A split shows a random third of the topics, and the others count. A ladder begins at nothing, or at the run that a
    quarter of all runs are worse than.
    """
    folder = data / "trec-covid" / f"round{number}"
    cube = irmeta.evaluate(folder / "qrels.txt", folder / "runs", "nDCG@10")
    groups = irmeta.read_groups(data / "teams" / f"trec-covid-round{number}.csv")
    team = [groups.of[str(name)] for name in cube.system.values]
    scores = cube.sel(metric="nDCG@10").values
    rng = np.random.default_rng(0)
    quarter = scores[np.argsort(scores.mean(axis=1))[len(scores) // 4]]
    ladders: dict[str, list[Any]] = {"ladder": [], "ladder from a quarter": []}
    shown: dict[str, list[Any]] = {name: [] for name in ladders}
    split, chance = [], []
    for _ in range(draws):
        order = rng.permutation(scores.shape[1])
        third = len(order) // 3
        for name in dict.fromkeys(team):
            runs = rng.permutation(np.flatnonzero(np.array(team) == name))
            if len(runs) < 2:
                continue
            own = scores[runs]
            means = own.mean(axis=1)
            best = np.maximum.accumulate(means)
            better = means[1:] > best[:-1] + 1e-12
            for name, first in zip(
                ladders, (np.zeros_like(quarter), quarter), strict=True
            ):
                every = [first, *own]
                told = [
                    irmeta.release("ladder", every[:place], run).figure or 0
                    for place, run in enumerate(every)
                ]
                rose = np.diff(told) > 0
                shown[name] += rose[1:][better].tolist()
                # the run that was shown last; the first where none was
                chosen = np.flatnonzero(rose)[-1:]
                gone = means.max() - means[chosen[0] if chosen.size else 0]
                ladders[name].append(gone)
            final = own[:, order[third:]].mean(axis=1)
            seen = own[:, order[:third]].mean(axis=1)
            split.append(final.max() - final[seen.argmax()])
            chance.append(final.max() - final[0])
    means_of = {**ladders, "split": split, "none": chance}
    losses = {f"loss, {name}": float(np.mean(one)) for name, one in means_of.items()}
    return {
        f"shown, {name}": float(np.mean(one)) for name, one in shown.items()
    } | losses


def main() -> None:
    """Print the table in Markdown, and draw it where a file is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--figure", type=Path)
    parser.add_argument("--price", action="store_true")
    asked = parser.parse_args()
    if asked.price:
        for number in (1, 3):
            print(number, price(data_folder(), number))
        return
    table = rows(data_folder())
    with pl.Config(
        tbl_formatting="MARKDOWN", tbl_rows=-1, tbl_hide_dataframe_shape=True
    ):
        print(table.with_columns(pl.selectors.float().round(3)))
    if asked.figure:
        draw(table, asked.figure)


if __name__ == "__main__":
    main()
