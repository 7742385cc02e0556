"""Whether the same systems score alike on several collections: dRMSE and false positives, beside what chance gives."""
