# Written by scripts/public.py (make format).
from irmeta.studies.prediction.coverage import coverage as coverage
from irmeta.studies.prediction.lowcost import lowcost as lowcost
from irmeta.studies.prediction.models import models as models
from irmeta.studies.prediction.predict.study import predict as _apply
from irmeta.studies.prediction.prediction_model import prediction_model as _fit
from irmeta.studies.prediction.predictors import predictors as _select
apply = _apply
select = _select
fit = _fit
