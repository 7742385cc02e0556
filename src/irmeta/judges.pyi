# Written by scripts/public.py (make format).
from irmeta.studies.judges.compare.study import compare_judges as _compare
from irmeta.studies.judges.estimate import estimate as estimate
from irmeta.studies.judges.estimate import estimated_scores as estimated_scores
from irmeta.studies.judges.plan import plan as plan
compare = _compare
