# Written by scripts/public.py (make format).
from irmeta.datasets.factors import load as load
from irmeta.datasets.factors import save as save
from irmeta.scores.standardization import apply as apply
from irmeta.scores.standardization import fit as fit
from irmeta.studies.standardizing.durability import durability as durability
from irmeta.studies.standardizing.standardizing_set import standardizing_set as _sample
sample = _sample
