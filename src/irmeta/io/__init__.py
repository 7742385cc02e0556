"""Files to tables and back: TREC runs and judgments, score files, tables that users already have."""
