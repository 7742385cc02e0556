"""The studies of irmeta, each declared once: what lists studies is derived from here. Importing this loads no study."""

import re
from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Literal, NamedTuple

from irmeta.errors import ScoresError

if TYPE_CHECKING:
    import xarray as xr

About = Literal["systems", "metrics", "judgments", "collections", "scores"]
"""What a question is about; commands, sections of the page and the documentation are grouped by it."""


class Verb(NamedTuple):
    """What the command of a study has that its function does not say.

    examples : commands, each of which may end in a comment
    positional : the parameters that are arguments, files of scores; the others are options
    flags : a parameter that is a flag on the command line: its name there, and the value that it stands for
    view : the choices of `--view`, by their name in `irmeta.choices`
    page : the function that writes the result to a folder, where -o names one
    scores : the function that scores the runs first, where -o names a score file for their scores
    labels : whether results name systems, which --labels can call otherwise
    own : options that commands share, which stand among its own in the help, as its recipes need them
    """

    examples: tuple[str, ...] = ()
    positional: tuple[str, ...] | None = None
    flags: Mapping[str, tuple[str, str | bool]] = MappingProxyType({})
    view: str = ""
    page: str = ""
    scores: str = ""
    labels: bool = False
    own: tuple[str, ...] = ()


class Screen(NamedTuple):
    """How much of a result is printed unless more is asked for.

    lines : of all; the first finding, warnings and two notes are there in any case
    rows : of the first table, before other findings or the next table get room
    asked : the option by which a user asks for a number of rows, which are then shown, whatever lines they take
    """

    lines: int = 25
    rows: int = 8
    asked: str = ""


class Study(NamedTuple):
    """One study: its key in `STUDIES` is what its results name, and the module of its plots in `report.plots`.

    home : the module of its function, below `irmeta.studies`; tables and sentences stand in `summary` beside `study`
    verb : the command, as in "describe" or "standardize sample"; empty for what has none
    question : what a user asks
    section : whether the page has a section of it, the module of the same name in `report.page`
    docs : the page in docs that explains it, without the suffix; empty for what has none
    screen : how much of it is printed unless more is asked for; None for all that its overview and findings have
    command : what else to know for a command that is derived from the function; None where `irmeta.cli` has its own
    refuses : options of other studies that this one does not take, and why
    called : the public function, where it has another name than the command; empty for what has none
    """

    home: str
    verb: str
    about: About
    question: str
    section: bool = False
    docs: str = ""
    command: Verb | None = None
    screen: Screen | None = Screen()
    refuses: Mapping[str, str] = MappingProxyType({})
    called: str | None = None

    @property
    def function(self) -> str:
        """The public function, as in `irmeta.describe`."""
        return self.verb.split(" ")[-1] if self.called is None else self.called

    @property
    def public(self) -> str:
        """The public name of the function: the words of a command in a group, as in judges.compare; else its own."""
        grouped = self.function and " " in self.verb
        return self.verb.replace(" ", ".") if grouped else self.function


STUDIES: dict[str, Study] = {
    "evaluation": Study(
        "checks.evaluation",
        "evaluate",
        "scores",
        "What do these runs score?",
        screen=None,
        refuses={
            "--clusters": "name them where a study takes the scores, as in irmeta describe scores.parquet --clusters"
        },
        called="",
    ),
    "validation": Study(
        "checks.validation",
        "validate",
        "scores",
        "What is odd about these runs and judgments?",
        screen=None,
    ),
    "description": Study(
        "differences.description.study",
        "describe",
        "systems",
        "How good are the systems, and how sure is that?",
        True,
        "studies/description",
        command=Verb(
            (
                "irmeta describe scores.parquet --by AP --plot means.svg",
                "irmeta describe scores.parquet --top 0.75 --table topics",
                "irmeta describe scores.parquet --system mine # the rank of a system that you named in advance",
            ),
            flags={"sets": ("--marginal", "marginal")},
            view="ScoreView",
            labels=True,
        ),
    ),
    "paper_table": Study(
        "differences.paper_table",
        "table",
        "systems",
        "What is the table for my paper?",
        docs="tasks/table",
        command=Verb(
            (
                'irmeta table scores.parquet -m "AP nDCG@10 P@10" --format latex',
                'irmeta table scores.parquet -m "AP nDCG@20" --baseline bm25 --test permutation -o table.tex',
                'irmeta table scores.parquet -m "AP nDCG@20" --test none --format markdown',
            ),
            labels=True,
            own=("labels", "plot_width"),
        ),
    ),
    "significance": Study(
        "differences.significance.study",
        "significance",
        "systems",
        "Which systems differ?",
        True,
        "studies/significance",
        command=Verb(
            (
                "irmeta significance scores.parquet --metrics AP --test permutation --correct bh",
                "irmeta significance scores.parquet --metrics AP --plot asl.svg # p of all pairs in order",
            ),
            labels=True,
        ),
        screen=Screen(lines=30, rows=23),
    ),
    "leaderboard": Study(
        "leaderboard.study",
        "leaderboard",
        "systems",
        "Which ranks of a leaderboard are real?",
        docs="tasks/leaderboard",
        command=Verb(
            (
                "irmeta import table results.csv -o results.parquet",
                "irmeta leaderboard results.parquet --types types.csv",
                "irmeta leaderboard results.parquet --holes predict -o board/ # a page to host: board/index.html",
            ),
            view="LeaderboardView",
            page="irmeta.report.page.leaderboard.write_leaderboard",
            labels=True,
        ),
        screen=Screen(lines=30, rows=12, asked="first"),
        refuses={
            "--teams": "teams change no rank; --about FILE shows them on the page, as a column team"
        },
    ),
    "place": Study(
        "place.study",
        "place",
        "systems",
        "Where do my systems stand among everybody's, on any collection?",
        True,
        "studies/place",
        Verb(
            (
                "irmeta place my.run --on trec-covid-1 --qrels qrels.txt --baseline bm25.run",
                "irmeta place mine.parquet theirs.parquet --on trec8 --on robust2004 -m AP",
                "irmeta place --published table.csv --on trec8 # columns paper,system,metric,mean,baseline",
            ),
            labels=True,
        ),
    ),
    "versus": Study(
        "differences.versus.study",
        "versus",
        "systems",
        "Is mine better, by how much, and on which topics?",
        docs="tasks/better",
        command=Verb(
            (
                'irmeta versus scores.parquet --system mine --against bm25 -m "AP nDCG@20"',
                "irmeta versus scores.parquet --system cheap --against costly --margin 0.02 "
                "# do they differ by less than .02?",
                "irmeta versus scores.parquet --system tonight --against main -m nDCG@10 --fail-if-worse 0.02 "
                "--history nights.jsonl # exit with 3 where a loss above .02 is shown",
                "irmeta versus nights.parquet --system tonight --against main --fail-if-worse 0.02 "
                "--over nights.parquet --anchors human.txt",
            ),
            flags={"unless_safe": ("--unless-safe", True)},
            labels=True,
        ),
        refuses=dict.fromkeys(
            ("--vs", "--baseline"), "the others are named with --against"
        ),
    ),
    "replication": Study(
        "differences.replication.study",
        "replicate",
        "systems",
        "Is this reproduction one, and what moved: the system or the collection?",
        docs="tasks/replicate",
        command=Verb(
            (
                "irmeta replicate original/ again/ --qrels qrels.txt --system mine --against bm25",
                "irmeta replicate their.run my.run --qrels qrels.txt -m 'AP nDCG@10' # one system",
                "irmeta replicate march.parquet june.parquet september.parquet --system mine --against bm25 -m nDCG@10",
            ),
            flags={"unpaired": ("--unpaired", True)},
            labels=True,
        ),
        screen=Screen(lines=30, rows=12),
    ),
    "correlation": Study(
        "agreement.correlation.study",
        "correlate",
        "metrics",
        "Which metrics say the same?",
        True,
        "studies/correlation",
        command=Verb(
            (
                "irmeta correlate scores.parquet --plot heatmap.svg",
                "irmeta correlate scores.parquet --unit system --method kendall --format json",
                "irmeta correlate scores.parquet --top 0.75 --by AP # without the worst systems",
            ),
            view="CorrelationView",
        ),
    ),
    "predictivity": Study(
        "agreement.predictivity.study",
        "predictivity",
        "metrics",
        "Which metrics predict results on new topics?",
        True,
        "studies/predictivity",
        command=Verb(
            (
                "irmeta predictivity scores.parquet --top 0.75 --by AP",
                'irmeta predictivity scores.parquet --metrics "AP P@10" --sizes 5,10,20 --view curve --plot curve.svg',
            ),
            view="PredictivityView",
        ),
    ),
    "online": Study(
        "agreement.online.study",
        "online",
        "metrics",
        "Which metric predicts what users prefer?",
        docs="tasks/online",
        command=Verb(
            (
                "irmeta online scores.parquet outcomes.csv -m 'nDCG@10 RR P@5'",
                "irmeta online scores.parquet interleaving.csv # columns system,against,wins,losses,ties",
            ),
            positional=("scores", "outcomes"),
        ),
    ),
    "ranking": Study(
        "choice.ranking.study",
        "rank",
        "metrics",
        "Which few metrics should be reported?",
        True,
        "studies/ranking",
        command=Verb(
            (
                "irmeta rank scores.parquet -k 3",
                "irmeta rank scores.parquet -k 5 --include AP --exclude R@1000 --plot rank.svg",
                "irmeta rank scores.parquet -k 4 --partitions 200",
            )
        ),
    ),
    "prediction": Study(
        "prediction.predict.study",
        "predict apply",
        "metrics",
        "What would an unreported metric have been?",
        True,
        "studies/prediction",
        Verb(
            (
                'irmeta predict apply --given "P@10=0.43 RR=0.61 nDCG@20=0.39" --want "AP R@100"',
                "irmeta predict apply paper-table.csv -o filled.csv",
                "irmeta predict apply 'paper.tex#tab:main' --want nDCG@20",
                "irmeta predict apply ours.csv --want AP --calibrate baselines.csv",
                'irmeta predict apply ours.csv --want "AP R@10" --relevant qrels.txt',
                "irmeta predict apply ours.csv --want AP --train A.parquet --train B.parquet --learner svr",
            )
        ),
        refuses={"--clusters": "it is given means, not scores on topics"},
        called="predict",
    ),
    "accuracy": Study(
        "prediction.accuracy",
        "",
        "metrics",
        "How close are predicted scores to the actual ones?",
        docs="studies/prediction",
        called="accuracy",
    ),
    "predictors": Study(
        "prediction.predictors",
        "predict select",
        "metrics",
        "Which metrics predict which other metrics?",
        docs="studies/prediction",
        command=Verb(
            (
                "irmeta predict select --train A.parquet B.parquet --dev C.parquet --test D.parquet E.parquet -k 1-3",
                "irmeta predict select --train A.parquet B.parquet --test D.parquet --choose leave-one-out "
                '--targets "AP P@10"',
                "irmeta predict select --train A.parquet --dev C.parquet --test D.parquet --learner svr --kernel 2 "
                "--unit topic",
            ),
            positional=(),
        ),
        called="predictors",
    ),
    "lowcost": Study(
        "prediction.lowcost",
        "predict lowcost",
        "metrics",
        "Do cheap metrics predict a costly one?",
        docs="studies/prediction",
        command=Verb(
            (
                "irmeta predict lowcost --train A.parquet --dev B.parquet --test C.parquet "
                '--targets "AP@1000 RBP(p=0.95)"',
                'irmeta evaluate qrels.txt runs/ -m "AP@1000 RBP(p=0.95) NumRel P(depth=10)@1000 AP(depth=10)@1000" '
                "-o C.parquet",
            ),
            positional=(),
        ),
    ),
    "coverage": Study(
        "prediction.coverage",
        "predict coverage",
        "metrics",
        "How often do prediction intervals hold?",
        docs="studies/prediction",
        command=Verb(
            (
                "irmeta predict coverage A.parquet B.parquet C.parquet D.parquet --targets 'AP P@10'",
            )
        ),
    ),
    "models": Study(
        "prediction.models",
        "predict models",
        "metrics",
        "Do other models predict better?",
        docs="studies/prediction",
        command=Verb(
            ("irmeta predict models A.parquet B.parquet C.parquet --targets AP",)
        ),
    ),
    "reuse": Study(
        "place.reuse.study",
        "reuse",
        "judgments",
        "Is the pool fair to a run that was not pooled?",
        True,
        "studies/reuse",
        Verb(
            (
                "irmeta reuse qrels.txt runs/ --teams teams.csv --depth 10",
                "irmeta reuse qrels.txt runs/ --teams teams.csv --depth 10 --new my.run -m 'nDCG@10 P@10 RBP(p=0.8)'",
            ),
            positional=("qrels", "runs"),
            view="ReuseView",
            labels=True,
        ),
        refuses={
            "--clusters": "groups of runs are left out, not topics, so that clusters of topics change nothing"
        },
    ),
    "leak": Study(
        "leaderboard.leak.study",
        "leak",
        "judgments",
        "How many hidden judgments does a board give away?",
        docs="studies/leak",
        command=Verb(
            (
                "irmeta leak --qrels qrels.txt -m 'RBP(p=0.5, rel=1)' --show topics --decimals 17 --submissions 1",
                "irmeta leak --qrels qrels.txt -m 'nDCG@10 RBP(p=0.5)' --run bm25.run # means to four decimals",
                "irmeta leak --feedback ladder --step .05 --topics 50 --together 20",
            ),
            positional=(),
        ),
        screen=Screen(lines=30),
        refuses={
            "--clusters": "it counts what scores on these topics give away, so that clusters of topics change nothing"
        },
    ),
    "judges": Study(
        "judges.compare.study",
        "judges compare",
        "judgments",
        "Do these judgments rank systems as people do?",
        True,
        "tasks/judges",
        Verb(
            (
                "irmeta judges compare nist.txt umbrela.txt binary.txt --runs runs/ -m 'nDCG@10 AP' "
                "--families teams.csv",
                "irmeta judges compare scores.parquet --truth nist # from scores, one collection for each judge",
                "irmeta judges compare judgments/ --truth nist --runs runs/ # every file of a folder is a judge",
            ),
            view="JudgesView",
            scores="irmeta.studies.judges.compare.given.scored",
            labels=True,
        ),
        refuses=dict.fromkeys(
            ("--human", "--llm"),
            "all judgments are named as files, those of people first (or by --truth)",
        ),
        screen=Screen(lines=30),
        called="compare_judges",
    ),
    "estimate": Study(
        "judges.estimate",
        "judges estimate",
        "judgments",
        "What do few human and many machine judgments show?",
        True,
        "tasks/judges",
        command=Verb(
            (
                "irmeta judges estimate --human part.txt --llm full.txt --runs runs/ -m nDCG@10 --sample sample.csv",
                "irmeta judges estimate --human part.txt --llm full.txt --runs runs/ -m nDCG@10 -o official.parquet",
                "irmeta leaderboard official.parquet -o board/",
            ),
            positional=(),
            scores="irmeta.studies.judges.estimate.scored",
            labels=True,
        ),
    ),
    "plan": Study(
        "judges.plan",
        "judges plan",
        "judgments",
        "How many topics should people judge?",
        docs="tasks/judges",
        screen=None,
        command=Verb(
            (
                "irmeta judges plan --human part.txt --llm full.txt --runs runs/ -m nDCG@10 --width .1 "
                "--human-topic-cost 20 --llm-topic-cost .1",
            ),
            positional=(),
        ),
        refuses={
            "--clusters": "which clusters people will judge is not known before the draw; "
            "irmeta judges sample --clusters draws whole ones and says what they are worth",
            "--budget": "with --human-topic-cost its table says what each number of human topics costs: "
            "take the row that the budget pays; irmeta design --budget X also says how deep to judge",
        },
    ),
    "comparison": Study(
        "standardizing.comparison.study",
        "compare",
        "collections",
        "Do two collections agree, and do scores compare between them?",
        True,
        "studies/comparison",
        command=Verb(
            (
                "irmeta compare trec7.parquet trec8.parquet robust03.parquet --kinds raw,normal --partitions 2000",
            )
        ),
    ),
    "reliability": Study(
        "design.reliability.study",
        "reliability",
        "collections",
        "Is the collection big enough?",
        True,
        "studies/reliability",
        command=Verb(
            (
                'irmeta reliability scores.parquet -m "AP nDCG@10 P@10" --plot reliability.svg',
                "irmeta reliability scores.parquet --sizes 25:200:25 --stability .95 --difference .03 --power .8",
            ),
            view="ReliabilityView",
        ),
    ),
    "design": Study(
        "design.study",
        "design",
        "collections",
        "What should the next collection be?",
        True,
        "studies/design",
        Verb(
            (
                'irmeta design scores.parquet --target AP -m "AP nDCG@10 P@10" --budget 5000',
                'irmeta design scores.parquet --runs runs/ --qrels qrels.txt --target AP -m "AP nDCG@10" '
                "--depths 5,10,20,50,100 --topic-cost 30 --judgment-cost 1 --budget 5000",
                "irmeta design scores.parquet --runs runs/ --qrels qrels.txt -m nDCG@10 --depths 10 --llm llm.txt "
                "--llm-judgment-cost .02 --budget 5000",
                "irmeta design scores.parquet --target AP --subset 10,20",
            )
        ),
    ),
    "durability": Study(
        "standardizing.durability",
        "standardize durability",
        "collections",
        "Do old standardization factors still serve?",
        docs="studies/standardization",
        command=Verb(
            ("irmeta standardize durability old.parquet new.parquet",),
            positional=("old", "new"),
        ),
    ),
    "standardizing_set": Study(
        "standardizing.standardizing_set",
        "standardize sample",
        "collections",
        "How many systems does standardization need?",
        docs="studies/standardization",
        command=Verb(
            ("irmeta standardize sample old.parquet new.parquet --sizes 2,3,5,10,20",),
            positional=("old", "new"),
        ),
        called="standardizing_set",
    ),
    "reproduction": Study(
        "checks.reproduction",
        "reproduce",
        "scores",
        "Can a paper's published figures be reproduced?",
        screen=None,
        called="",
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


def summary_of(study: Study) -> ModuleType:
    """Return the module that has the tables and sentences of a study."""
    home = re.sub(r"\bstudy$", "summary", study.home)
    return import_module(f"irmeta.studies.{home}")


def study_of(result: "xr.Dataset") -> ModuleType:
    """Return what tells of a result, by the study that made it; raise ScoresError for a Dataset that no study made."""
    return summary_of(STUDIES[name_of(result)])


def warnings(result: "xr.Dataset") -> list[str]:
    """Return what nobody should read a result's findings without; most studies have nothing of the kind."""
    warns = getattr(study_of(result), "warnings", None)
    if warns is None:
        return []
    return warns(result)
