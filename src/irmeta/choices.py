"""Every set of named options, declared once for Python and for the command line, with what each name means.

This module loads nothing of irmeta, so that `irmeta --help` is fast.
"""

import inspect
from typing import Any, Literal, get_args

# What to use of the scores
Missing = Literal["error", "common", "topics", "systems"]
MissingOfPairs = Literal[Missing, "pairwise"]
Level = Literal["topic", "within-topic", "system"]
TopOn = Literal["all", "half"]
MeanOver = Literal["topics", "clusters"]

# Evaluation
TopicSet = Literal["qrels", "common"]
OnError = Literal["stop", "skip"]
Precision = Literal["float64", "float32"]
Duplicates = Literal["error", "first", "best"]
QrelsFormat = Literal["trec", "beir"]

# Tables that others made
TableKind = Literal[
    "table",
    "trec_eval",
    "ir_measures",
    "tot",
    "jsonl",
    "matrix",
    "systemwise",
    "mteb",
    "nuggets",
    "support",
    "labels",
    "inspect",
    "lm-eval",
    "promptfoo",
    "deepeval",
    "helm",
    "eee",
]
ExportKind = Literal["table", "eee"]
NamedBy = Literal["model", "file"]
Rows = Literal["topics", "systems"]

# Statistics
Coefficient = Literal["pearson", "spearman", "kendall", "tau-ap"]
Ties = Literal["a", "b"]
OverlapTies = Literal["w", "a", "b"]
Test = Literal["max-t", "t", "wilcoxon", "permutation", "bootstrap", "sign", "tukey"]
TableTest = Literal["max-t", "t", "permutation", "none"]
PairedTest = Literal["max-t", "t", "wilcoxon", "permutation", "bootstrap", "sign"]
Correction = Literal["holm", "bh", "bonferroni", "none"]
ManyToOne = Literal["holm", "bh", "bonferroni", "dunnett", "none"]
Sets = Literal["simultaneous", "marginal"]

# Leaderboards
Aggregate = Literal["mean", "types", "standardized", "borda", "bt"]
Over = Literal["tasks", "items", "both"]
Holes = Literal["bounds", "predict", "complete"]

# Hidden judgments
Feedback = Literal["none", "split", "ladder", "open"]
ShownBy = Literal["mean", "topics"]

# Judges
JudgedTopics = Literal["shared", "own"]

# Subsets of metrics
Matrix = Literal["correlation", "covariance", "rank", "shrunk"]
Objective = Literal["determinant", "unreported"]
Candidates = Literal["reported", "all"]
Search = Literal["exact", "ib", "gf", "gf-code", "pivot", "sheffield", "trace"]

# Prediction
Scale = Literal["raw", "logit"]
ChosenBy = Literal["dev", "leave-one-out"]
Unit = Literal["system", "topic"]
Learner = Literal["ols", "ridge", "svr", "boosting"]
Judgments = Literal["full", "pool"]

# Standardization
Kind = Literal["z", "normal", "uniform", "empirical", "max", "center"]
Flat = Literal["half", "drop", "raw"]
Form = Literal["raw", Kind]

# Results
Format = Literal["table", "json", "csv", "latex", "markdown"]
Status = Literal["reproduced", "contradicted", "open", "not checkable", "ours"]
ScoreView = Literal["means", "ranks", "matrix", "distribution"]
CorrelationView = Literal["heatmap", "clustered", "dendrogram", "components"]
PredictivityView = Literal["means", "advantage", "curve", "matrix"]
LeaderboardView = Literal["ranks", "aggregates", "front"]
ReuseView = Literal["metrics", "penalty"]
JudgesView = Literal["tau", "means", "favour"]
ReliabilityView = Literal["reliability", "differences"]

_COMPLETE = {
    "error": "stop",
    "common": "drop topics and systems so that most scores stay",
    "topics": "drop the topics that lack a score",
    "systems": "drop the systems that lack a score",
}

_TESTS = {
    "max-t": "the largest t under random signs and directions, corrected by itself, step by step",
    "t": "Student's t",
    "wilcoxon": "Wilcoxon's signed ranks",
    "permutation": "random signs of the differences",
    "bootstrap": "studentised bootstrap",
    "sign": "wins against losses",
    "tukey": "randomised Tukey HSD, which corrects for all pairs by itself",
    "none": "no test",
}
_CORRECTIONS = {
    "holm": "limits the chance of any false rejection",
    "bh": "Benjamini-Hochberg, limits the share of false rejections",
    "bonferroni": "as holm, with fewer rejections",
    "dunnett": "as holm, by the joint distribution of the comparisons with one system",
    "none": "no correction",
}


def _meanings_of(choice: Any, meanings: dict[str, str]) -> dict[str, str]:
    """Return the meanings of the names of one set of options, from those of several sets."""
    return {name: meanings[name] for name in get_args(choice)}


MEANINGS: dict[Any, dict[str, str]] = {
    Missing: _COMPLETE,
    MissingOfPairs: {
        **_COMPLETE,
        "pairwise": "compare each pair on the scores that both have",
    },
    MeanOver: {
        "topics": "each topic counts alike",
        "clusters": "each cluster of topics counts alike",
    },
    Level: {
        "topic": "all pairs of a system and a topic",
        "within-topic": "the same, each score less the mean of its topic",
        "system": "means of systems over topics",
    },
    TopOn: {
        "all": "the best systems on all topics, as in the paper",
        "half": "the best systems on one half of each partition",
    },
    TopicSet: {
        "qrels": "every judged topic; a run scores 0 on a topic that it misses",
        "common": "the topics that all runs have",
    },
    OnError: {
        "stop": "stop at a run that cannot be read",
        "skip": "leave it out and continue",
    },
    Precision: {
        "float64": "scores as written in the run",
        "float32": "scores rounded as trec_eval 9 and pytrec_eval round them",
    },
    Duplicates: {
        "error": "stop where a topic lists a document twice",
        "first": "keep its first line",
        "best": "keep its best score",
    },
    QrelsFormat: {
        "trec": "topic, iteration, document, grade",
        "beir": "a tab-separated table with a header line, as BEIR has it",
    },
    TableKind: {
        "table": "CSV, Parquet or JSON, long (a row for each score) or wide (models or tasks in rows); or a paper's "
        "table in LaTeX, HTML or Markdown",
        "trec_eval": "output of trec_eval -q, one file per system",
        "ir_measures": (
            "topic, measure and value on a line, one file per system; or run, topic, measure and "
            "value"
        ),
        "tot": "run, measure, topic and value on a line (TREC Auto-Judge)",
        "jsonl": "a JSON object on a line, with run_id, topic_id, measure and value",
        "matrix": "CSV of topics and systems, one file per metric (P@10.csv)",
        "systemwise": "CSV with systems in rows and metrics in columns, one file per collection",
        "mteb": "a folder of MTEB's results (MODEL/REVISION/TASK.json)",
        "nuggets": "assignments of nuggets to answers (AutoNuggetizer, TREC RAG)",
        "support": "whether citations support the sentences of answers (TREC RAG)",
        "labels": "a table of answers with a column of Yes and No for each judge",
        "inspect": "logs of Inspect AI (.eval, .json)",
        "lm-eval": "samples of lm-evaluation-harness (samples_TASK_TIME.jsonl)",
        "promptfoo": "what `promptfoo eval -o` writes as JSON",
        "deepeval": "test runs of DeepEval (JSON)",
        "helm": "runs of HELM (per_instance_stats.json)",
        "eee": "records of Every Eval Ever (UUID.json, with items beside them)",
    },
    ExportKind: {
        "table": "a table, .csv or .parquet",
        "eee": "a folder of records of Every Eval Ever, with intervals, rank sets and scores by item",
    },
    NamedBy: {
        "model": "systems are called as the files call their models",
        "file": "systems are called by the files, for two evaluations of one model",
    },
    Rows: {
        "topics": "rows are topics, columns are systems",
        "systems": "rows are systems, columns are topics",
    },
    Coefficient: {
        "pearson": "Pearson's r",
        "spearman": "Spearman's rho",
        "kendall": "Kendall's tau-b",
        "tau-ap": "tau_AP,b, which weights the top of the ranking; at system level",
    },
    Ties: {"a": "Kendall's tau-a", "b": "Kendall's tau-b"},
    OverlapTies: {
        "w": "tied items share their rank, as a set",
        "a": "the mean over all orders that break the ties",
        "b": "the same, scaled so that a ranking agrees perfectly with itself",
    },
    **{tests: _meanings_of(tests, _TESTS) for tests in (Test, TableTest, PairedTest)},
    **{ways: _meanings_of(ways, _CORRECTIONS) for ways in (Correction, ManyToOne)},
    Sets: {
        "simultaneous": "the rank sets of all systems hold their true ranks at once",
        "marginal": "each holds the true rank of a system named in advance",
    },
    Aggregate: {
        "mean": "mean over tasks",
        "types": "mean of the means of task types, with --types",
        "standardized": "mean of scores that are standardized within each task",
        "borda": "Borda count, as MTEB computes it where no score is predicted",
        "bt": "Bradley-Terry strengths, from which model beats which",
    },
    Over: {
        "tasks": "new tasks like these",
        "items": "these tasks, with new items",
        "both": "new tasks with new items",
    },
    Holes: {
        "bounds": "the best and worst rank that missing scores allow",
        "predict": "predict missing scores from the other scores, with intervals",
        "complete": "leave out the models that lack scores, or the tasks, whichever keeps more scores",
    },
    Feedback: {
        "none": "nothing but that a run was received",
        "split": "the scores on topics that do not count at the end",
        "ladder": "the mean in steps, where a run is clearly better than the last one shown",
        "open": "all scores",
    },
    ShownBy: {
        "mean": "a mean over topics for each metric",
        "topics": "the scores by topic, too",
    },
    JudgedTopics: {
        "shared": "the topics that a judge shares with the truth",
        "own": "each judge's own topics, where judges judged different ones",
    },
    Matrix: {
        "correlation": "Pearson's r between metrics",
        "covariance": "covariances, so that metrics with more variance count for more",
        "rank": "correlation of normal scores of the ranks",
        "shrunk": "Ledoit-Wolf shrinkage of the correlations; for few systems",
    },
    Objective: {
        "determinant": "metrics that vary much and overlap little",
        "unreported": "metrics that leave the least variance of all metrics unexplained",
    },
    Candidates: {
        "reported": "metrics that papers usually report, and metrics that irmeta does not know",
        "all": "all metrics",
    },
    Search: {
        "exact": "the best set of each size, with proof",
        "ib": "backward elimination, one metric at a time",
        "gf": "greedy forward selection, as published",
        "gf-code": "greedy forward selection, as in the released code",
        "pivot": "pivoted Cholesky",
        "sheffield": "backward elimination, with every determinant computed in full",
        "trace": "greedy forward selection by the variance left unexplained",
    },
    Scale: {
        "raw": "scores as they are",
        "logit": "log odds of the scores, so that predictions stay between 0 and 1",
    },
    ChosenBy: {
        "dev": "tau on the dev collections",
        "leave-one-out": "tau on training collections, each left out in turn",
    },
    Unit: {
        "system": "a system's mean over topics",
        "topic": "a system's score on a topic",
    },
    Learner: {
        "ols": "least squares",
        "ridge": "ridge regression, its penalty chosen by cross-validation",
        "svr": "a support vector machine with a radial kernel",
        "boosting": "gradient-boosted trees",
    },
    Judgments: {
        "full": "predictors know every judgment of the documents they look at",
        "pool": "predictors know only the judgments of a pool of their depth",
    },
    Kind: {
        "z": "z score",
        "normal": "the normal distribution function of the z score, from 0 to 1",
        "uniform": "0.15 z + 0.5",
        "empirical": "share of the standardizing systems that score less",
        "max": "divided by the score of the best standardizing system",
        "center": "minus the mean of the standardizing systems",
    },
    Flat: {
        "half": "the middle of the scale",
        "drop": "leave the topic out",
        "raw": "the raw score",
    },
    Format: {
        "table": "for people",
        "json": "all figures, for programs",
        "csv": "one table, for spreadsheets",
        "latex": "one table, or one a metric, for papers",
        "markdown": "the same, for web pages and issues",
    },
    Status: {
        "reproduced": "our figure meets the criterion beside it",
        "contradicted": "our figure fails the criterion; the note says why, where that is known",
        "open": "the paper states a sign, and our 95% interval includes 0",
        "not checkable": (
            "the data are not available, the note names them; our figure, if any, uses a "
            "substitute"
        ),
        "ours": "the paper prints no figure here, or another cell is checked against it",
    },
    ScoreView: {
        "means": "means with intervals",
        "ranks": "the ranks that systems may have",
        "matrix": "every score",
        "distribution": "the distribution of scores",
    },
    CorrelationView: {
        "heatmap": "a heat map, metrics as given",
        "clustered": "a heat map, similar metrics side by side",
        "dendrogram": "groups of metrics",
        "components": "principal components",
    },
    JudgesView: {
        "tau": "tau with its interval, and the tau that the truth itself is expected to reach",
        "means": "system means under the best judge and the truth",
        "favour": "which systems the best judge favours",
    },
    ReliabilityView: {
        "reliability": "E rho2, Phi and expected tau by the number of topics",
        "differences": "the differences that a test shows by the number of topics",
    },
    PredictivityView: {
        "means": "mean predictive power of each metric for all",
        "advantage": "how much better the best predictor predicts each target than the target itself",
        "curve": "predictive power by the number of topics",
        "matrix": "predictive power of every metric for every other",
    },
    LeaderboardView: {
        "ranks": "the ranks that each model may have",
        "aggregates": "the ranks by every aggregate",
        "front": "quality against cost, where costs are known",
    },
    ReuseView: {
        "metrics": "the mean loss by each metric",
        "penalty": (
            "the loss of each left-out run against its share of unjudged documents, by the first "
            "metric"
        ),
    },
}
"""What each option means, by set of options; the help of the command line is made from it."""


def explained(choice: Any, question: str) -> str:
    """Return the help of an option: its question, then each of its names with its meaning, on a line of its own.

    >>> print(explained(Ties, "Which tau?"))
    Which tau?
    <BLANKLINE>
    a: Kendall's tau-a
    b: Kendall's tau-b
    """
    meanings = [f"{name}: {meaning}" for name, meaning in MEANINGS[choice].items()]
    return f"{question}\n\n" + "\n".join(meanings)


def names(choice: Any) -> tuple[str, ...]:
    """Return the names of a set of options.

    >>> names(Scale)
    ('raw', 'logit')
    """
    return get_args(choice)


def entries(doc: str) -> dict[str, str]:
    r"""Return what a docstring says of each parameter: lines NAME[, NAME] : TEXT, continued on indented lines.

    >>> entries("Sum up.\n\na, b : what to\n    add.\nc : the rest")
    {'a': 'what to add.', 'b': 'what to add.', 'c': 'the rest'}
    """
    found: dict[str, str] = {}
    names: list[str] = []
    for line in inspect.cleandoc(doc).splitlines():
        head, colon, text = line.partition(" : ")
        if colon and all(one.isidentifier() for one in head.split(", ")):
            names = head.split(", ")
            found |= dict.fromkeys(names, text)
        elif line.startswith(" ") and names:
            found |= {name: f"{found[name]} {line.strip()}" for name in names}
        else:
            names = []
    return found
