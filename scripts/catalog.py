"""Make the catalogue of public collections that ships with irmeta: python scripts/catalog.py DATA.

DATA holds the files as `irmeta datasets fetch` lays them out; runs may be compressed, their published form is not.
Sizes and checksums are those of the files in DATA. Addresses name a commit wherever we know one that has the file.
"""

import json
import sys
from pathlib import Path
from typing import Any

from irmeta.io.files import Content, stem

TARGET = Path(__file__).parents[1] / "src" / "irmeta" / "datasets" / "catalog.json"
RAW = "https://raw.githubusercontent.com"

STATISTICAL = {
    "source": "https://github.com/julian-urbano/sigir2019-statistical",
    "licence": "CC BY-SA 4.0",
    "citation": "J. Urbano, H. Lima, A. Hanjalic: Statistical Significance Testing in Information Retrieval: An"
    " Empirical Analysis of Type I, Type II and Type III Errors, SIGIR 2019",
}
STATISTICAL_FILES = f"{RAW}/julian-urbano/sigir2019-statistical/ae8f0bfcb9cd30b28433d69801e9e32e360a8c7c/data"
GUPTA_FILES = f"{RAW}/smjtgupta/IR-corr-pred-rank"
TABLES, LOWCOST = (
    "2b69799d3a54dc6c6e48a4c0d39e1ecdca198f95",
    "a8e006ed8a1563a76ef0a01c9c10c9faa0de96b5",
)
COVID_RUNS = {
    "round1": "3e9b2555004168ea29ea2cc6835d59476d7e22a0",
    "round3": "15971e2d915812de2b2d981d895cb822eb62ba62",
}


def main(data: Path) -> None:
    """Write the catalogue into the package."""
    entries = {**matrices(), **released_tables(), **rounds(data), **judged(data)}
    entries |= robust_runs(data)
    for entry in entries.values():
        entry["files"] = [
            described(data, path, address) for path, address in entry["files"].items()
        ]
    TARGET.write_text(json.dumps(entries, indent=1) + "\n")


def described(data: Path, path: str, address: str | None) -> list[Any]:
    """Give a file's path, address, size and checksum; DATA may hold it compressed, or lack it."""
    found = data / path
    if not found.exists():
        found = found.with_name(found.name + ".gz")
    if not found.exists():
        return [path, address, None, None]
    content = Content(found)
    return [path, address, len(content.data), content.digest]


def matrices() -> dict[str, dict[str, Any]]:
    """Give the score matrices that others published with their papers."""
    entries: dict[str, dict[str, Any]] = {}
    for name, stem_, topics, shape in (
        ("trec7-adhoc", "adhoc7", "351-400", "103 systems, 50 topics"),
        ("trec8-adhoc", "adhoc8", "401-450", "129 systems, 50 topics"),
    ):
        entries[name] = {
            "about": f"{name[:4].upper()}-{name[4]} ad hoc: AP, P@10 and RR of {shape}, without names",
            **STATISTICAL,
            "use": _matrix(name, f"--rows topics --topics {topics}"),
            "files": {
                f"matrices/{name}/{metric}.csv": f"{STATISTICAL_FILES}/{stem_}_{column}.csv"
                for metric, column in (("AP", "ap"), ("P@10", "p10"), ("RR", "rr"))
            },
        }
    for year, shape in (
        (2010, "88 systems, 48 topics"),
        (2011, "62 systems, 50 topics"),
        (2012, "48 systems, 50 topics"),
    ):
        entries[f"web{year}"] = {
            "about": f"TREC {year} Web: ERR@20 and nDCG@20 of {shape}, without names",
            **STATISTICAL,
            "use": _matrix(f"web{year}", "--rows topics"),
            "files": {
                f"matrices/web{year}/{metric}.csv": f"{STATISTICAL_FILES}/web{year}_{column}.csv"
                for metric, column in (("ERR@20", "err20"), ("nDCG@20", "ndcg20"))
            },
        }
    robust = f"{RAW}/julian-urbano/sigir2019-standardization/776b1653fbda91fc822be48854aced490a9099c8/data"
    return entries | {
        "robust2003": {
            "about": "TREC 2003 Robust: AP of 78 systems, 50 old topics and 601-650, without names",
            "source": "https://github.com/julian-urbano/irj2015-reliability",
            "licence": "CC BY-SA 4.0",
            "citation": "J. Urbano: Test Collection Reliability: A Study of the Effects of Sample Size and Statistical"
            " Assumptions, Information Retrieval Journal 19(3), 2016",
            "use": _matrix("robust2003", "--rows topics"),
            "files": {
                "matrices/robust2003/AP.csv": f"{RAW}/julian-urbano/irj2015-reliability"
                "/719a8b8c3a90e0780f716f191ad880713c7821b6/data/robust2003.csv"
            },
        },
        "robust2004": {
            "about": "TREC 2004 Robust: AP and nDCG of 110 systems, topics 601-700 without 672, without names",
            "source": "https://github.com/julian-urbano/sigir2019-standardization",
            "licence": "CC BY-SA 4.0",
            "citation": "J. Urbano, H. Lima, A. Hanjalic: A New Perspective on Score Standardization, SIGIR 2019",
            "use": _matrix("robust2004", "--rows topics --topics 601-671,673-700"),
            "files": {
                "matrices/robust2004/AP.csv": f"{robust}/robust2004_ap.csv",
                "matrices/robust2004/nDCG.csv": f"{robust}/robust2004_ndcg.csv",
            },
        },
        "trec3-adhoc": {
            "about": "TREC-3 ad hoc: AP of 40 systems, 50 topics, without names; Brennan's synthetic data set 4",
            "source": "https://github.com/julian-urbano/gt4ireval (data/*.rda; here as CSV)",
            "licence": "MIT",
            "citation": "J. Urbano, M. Marrero, D. Martin: On the Measurement of Test Collection Reliability, SIGIR"
            " 2013",
            "use": "irmeta import matrix {folder}/reliability/adhoc3.csv --rows topics --topics 151-200"
            " --collection trec3-adhoc -o trec3-adhoc.parquet",
            "files": {
                "reliability/adhoc3.csv": None,
                "reliability/synthetic4.csv": None,
            },
        },
        "robust2004-249": {
            "about": "TREC 2004 Robust: AP of 110 named systems, topics 301-450 and 601-700 without 672",
            "source": "https://github.com/Miccighel/NewBestSub, https://github.com/KevinRoitero/NewBestSub",
            "licence": "MIT",
            "citation": "M. Soprano, K. Roitero, S. Mizzaro: Best Topic Subsets for IR Evaluation, ACM Journal of Data"
            " and Information Quality, 2018",
            "use": _matrix("robust2004-249", "--rows systems"),
            "files": {
                "matrices/robust2004-249/AP.csv": f"{RAW}/KevinRoitero/NewBestSub"
                "/933c22c1f3cf8db3eeb51390623e886e13cd5214/data/R04.csv"
            },
        },
    }


def released_tables() -> dict[str, dict[str, Any]]:
    """Give the system-wise tables released with Gupta et al. (ECIR 2019)."""
    years = ("2012", "2013", "2014")
    return {
        "gupta2019": {
            "about": "TREC Web 2000, 2001, 2010-2014 and Robust 2004: means of 23 metrics, 428 systems to train on and"
            " 133 to test on; and of 2012-2014 with runs cut at seven depths",
            "source": "https://github.com/smjtgupta/IR-corr-pred-rank",
            "licence": "none stated (please cite)",
            "citation": "S. Gupta, M. Kutlu, V. Khetan, M. Lease: Correlation, Prediction and Ranking of Evaluation"
            " Metrics in Information Retrieval, ECIR 2019",
            "use": "irmeta import systemwise {folder}/systemwise/*.csv -o gupta2019.parquet",
            "files": {
                "systemwise/train.csv": f"{GUPTA_FILES}/{TABLES}/Data/train_regress.csv",
                **{
                    f"systemwise/wt{y}.csv": f"{GUPTA_FILES}/{TABLES}/Data/result_wt{y}.csv"
                    for y in years
                },
                **{
                    f"systemwise/lowcost/wt{y}.csv": f"{GUPTA_FILES}/{LOWCOST}/Data/result_web{y}_low_to_high.csv"
                    for y in years
                },
            },
        },
        "gupta2019-ranking": {
            "about": "what the same authors released for ranking: scores of their metrics, over 4 MB, not seen here;"
            " read if its columns are named as those of the other tables",
            "source": "https://github.com/smjtgupta/IR-corr-pred-rank",
            "licence": "none stated (please cite)",
            "citation": "S. Gupta, M. Kutlu, V. Khetan, M. Lease: Correlation, Prediction and Ranking of Evaluation"
            " Metrics in Information Retrieval, ECIR 2019",
            "use": "irmeta reproduce gupta2019",
            "files": {
                "systemwise/ranking.csv": f"{GUPTA_FILES}/{TABLES}/Data/ranking.csv"
            },
        },
    }


def rounds(data: Path) -> dict[str, dict[str, Any]]:
    """Give two rounds of TREC-COVID: every run, and the judgments of that round."""
    entries = {}
    for name, commit in COVID_RUNS.items():
        runs = sorted(
            stem(path) for path in (data / "trec-covid" / name / "runs").iterdir()
        )
        topics = {"round1": 30, "round3": 40}[name]
        folder = f"trec-covid/{name}"
        entries[f"trec-covid-{name}"] = {
            "about": f"TREC-COVID round {name[-1]}: all {len(runs)} runs and the judgments, {topics} topics",
            "source": "https://github.com/castorini/TREC-COVID, https://github.com/castorini/anserini-tools; official: https://ir.nist.gov/trec-covid/",
            "licence": "none stated (NIST)",
            "citation": "E. Voorhees, T. Alam, S. Bedrick, D. Demner-Fushman, W. Hersh, K. Lo, K. Roberts, I. Soboroff,"
            " L. L. Wang: TREC-COVID: Constructing a Pandemic Information Retrieval Test Collection, SIGIR Forum 54(1),"
            " 2020",
            "use": f"irmeta evaluate {{folder}}/{folder}/qrels.txt {{folder}}/{folder}/runs -o {name}.parquet",
            "files": {
                f"{folder}/qrels.txt": f"{RAW}/castorini/anserini-tools/master/topics-and-qrels/qrels.covid-{name}.txt",
                **{
                    f"{folder}/runs/{run}": f"{RAW}/castorini/TREC-COVID/{commit}/{name}/runs/{run}"
                    for run in runs
                },
            },
        }
    return entries


def judged(data: Path) -> dict[str, dict[str, Any]]:
    """Give collections that people and language models judged."""
    folder = data / "judges" / "dl2021"
    runs = sorted(stem(path) for path in (folder / "runs").iterdir())
    sets = sorted(path.name for path in (folder / "qrels").iterdir())
    years = [
        f"{year}-{judge}" for year in (2020, 2021) for judge in ("human", "synthetic")
    ]
    return {
        "dl2021-judges": {
            "about": f"TREC 2021 Deep Learning, passages: all {len(runs)} runs on 53 topics, {len(sets)} judgment sets",
            "source": "https://github.com/Narabzad/llm-relevance-judgement-comparison",
            "licence": "none stated (runs and nist.txt: NIST)",
            "citation": "N. Arabzadeh, C. L. A. Clarke: Benchmarking LLM-based Relevance Judgment Methods, SIGIR 2025",
            "use": "irmeta judges compare {folder}/judges/dl2021/qrels/nist.txt {folder}/judges/dl2021/qrels/umbrela*"
            " --runs {folder}/judges/dl2021/runs -m nDCG@10",
            "ask": "its authors, at https://github.com/Narabzad/llm-relevance-judgement-comparison/issues",
            "files": {
                **{f"judges/dl2021/qrels/{name}": None for name in sets},
                **{f"judges/dl2021/runs/{run}": None for run in runs},
            },
        },
        "syndl": {
            "about": "TREC 2020 and 2021 Deep Learning, passages: what trec_eval prints of 59 and 63 runs by people's"
            " and by GPT-4's judgments",
            "source": "https://github.com/rahmanidashti/SynDL",
            "licence": "MIT",
            "citation": "H. A. Rahmani, X. Wang, E. Yilmaz, N. Craswell, B. Mitra, P. Thomas: SynDL: A Large-Scale"
            " Synthetic Test Collection for Passage Retrieval, WWW Companion 2025",
            "use": "irmeta reproduce rahmani2025-syndl",
            "ask": "its authors, at https://github.com/rahmanidashti/SynDL/issues",
            "files": {f"judges/syndl/trec_eval/{name}.tar.gz": None for name in years},
        },
    }


def robust_runs(data: Path) -> dict[str, dict[str, Any]]:
    """Give 17 runs of TREC 2003 Robust."""
    runs = sorted(stem(path) for path in (data / "robust03" / "runs").iterdir())
    source = "https://github.com/joaopalotti/trectools"
    return {
        "robust03-runs": {
            "about": f"TREC 2003 Robust: {len(runs)} runs and the judgments, 100 topics",
            "source": f"{source} (examples)",
            "licence": "none stated (runs and judgments: NIST)",
            "citation": "J. Palotti, H. Scells, G. Zuccon: TrecTools: an Open-source Python Library for Information"
            " Retrieval Practitioners, SIGIR 2019",
            "use": "irmeta evaluate {folder}/robust03/qrels.txt {folder}/robust03/runs -o robust03.parquet",
            "ask": f"at {source}/issues, or NIST for the runs (trec.nist.gov, past results)",
            "files": {
                "robust03/qrels.txt": None,
                **{f"robust03/runs/{run}": None for run in runs},
            },
        }
    }


def _matrix(name: str, options: str) -> str:
    return f"irmeta import matrix {{folder}}/matrices/{name}/*.csv {options} --collection {name} -o {name}.parquet"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
