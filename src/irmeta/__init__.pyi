# Written by scripts/public.py (make format).
from irmeta.datasets.judges import JudgeModel as JudgeModel
from irmeta.datasets.judges import simulate_judge as simulate_judge
from irmeta.datasets.reference import reference_model as reference_model
from irmeta.datasets.simulate import simulate as simulate
from irmeta.errors import IrmetaError as IrmetaError
from irmeta.evaluation.archive import evaluate_to as evaluate_to
from irmeta.evaluation.engine import evaluate as evaluate
from irmeta.evaluation.engine import evaluate_run as evaluate_run
from irmeta.evaluation.sets import JudgmentSets as JudgmentSets
from irmeta.evaluation.sets import evaluate_under as evaluate_under
from irmeta.io.groups import read_groups as read_groups
from irmeta.io.model_file import load_model as load_model
from irmeta.io.model_file import save_model as save_model
from irmeta.io.runs.trec import Reading as Reading
from irmeta.io.scores import load as load
from irmeta.io.scores import load_all as load_all
from irmeta.io.scores import save as save
from irmeta.io.tables.lines import import_ir_measures as import_ir_measures
from irmeta.io.tables.lines import import_jsonl as import_jsonl
from irmeta.io.tables.lines import import_tot as import_tot
from irmeta.io.tables.matrices import import_matrix as import_matrix
from irmeta.io.tables.matrices import import_systemwise as import_systemwise
from irmeta.io.tables.matrices import import_trec_eval as import_trec_eval
from irmeta.io.tables.mteb import import_mteb as import_mteb
from irmeta.io.tables.spreadsheet import import_table as import_table
from irmeta.io.tables.spreadsheet import wide as wide
from irmeta.parallel import watched_by as watched_by
from irmeta.report.page.leaderboard import write_leaderboard as write_leaderboard
from irmeta.report.page.writing import write_report as write_report
from irmeta.report.tables import tables as tables
from irmeta.report.tables import to_pandas as to_pandas
from irmeta.scores.attributes import about as about
from irmeta.scores.cube import from_frame as from_frame
from irmeta.scores.cube import from_frame_all as from_frame_all
from irmeta.scores.means import means as means
from irmeta.scores.selection import select as select
from irmeta.scores.selection import top_systems as top_systems
from irmeta.studies.agreement.correlation import correlation as correlation
from irmeta.studies.agreement.predictivity import predictivity as predictivity
from irmeta.studies.checks.validation import validate as validate
from irmeta.studies.choice.ranking import rank_metrics as rank_metrics
from irmeta.studies.design import design as design
from irmeta.studies.differences.description import describe as describe
from irmeta.studies.differences.paper_table import paper_table as paper_table
from irmeta.studies.differences.significance import significance as significance
from irmeta.studies.differences.versus import versus as versus
from irmeta.studies.judges.compare import compare_judges as compare_judges
from irmeta.studies.judges.estimate import estimate as estimate
from irmeta.studies.judges.plan import plan as plan
from irmeta.studies.leaderboard import leaderboard as leaderboard
from irmeta.studies.place import place as place
from irmeta.studies.prediction.accuracy import accuracy as accuracy
from irmeta.studies.prediction.coverage import coverage as coverage
from irmeta.studies.prediction.lowcost import lowcost as lowcost
from irmeta.studies.prediction.models import models as models
from irmeta.studies.prediction.predict import predict as predict
from irmeta.studies.prediction.prediction_model import (
    prediction_model as prediction_model,
)
from irmeta.studies.prediction.predictors import predictors as predictors
from irmeta.studies.reliability import reliability as reliability
from irmeta.studies.reuse import reuse as reuse
from irmeta.studies.standardizing.comparison import compare as compare
from irmeta.studies.standardizing.durability import durability as durability
from irmeta.studies.standardizing.standardizing_set import (
    standardizing_set as standardizing_set,
)
from irmeta.workers import on_cluster as on_cluster

__version__: str
