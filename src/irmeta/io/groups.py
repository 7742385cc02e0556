"""Tables of groups: who submitted which run, which runs are of one system, which topics come from one conversation."""

from os import PathLike
from pathlib import Path

from irmeta.errors import FileFormatError
from irmeta.io.sheets import read_pairs, read_sheet, rows_by_key
from irmeta.scores.groups.teams import STEM, Groups
from irmeta.scores.tables.objects import Frame
from irmeta.scores.tables.roles import SPELLINGS
from irmeta.words import shortened

RUN = ("run", *SPELLINGS["system"])
GROUP = ("team", "group", "family")
REPEATED = ("system", "model", "repeat_of")
TYPE = ("type", "task_type", "kind")
TOPIC = ("topic", "query", "query_id", "qid", "turn", *SPELLINGS["topic"])
CLUSTER = (*SPELLINGS["cluster"], "document", "passage", "need", "session")
POOLED = ("pooled", "contributed", "contributed judgments")
"""Names that the columns may have; the first found is taken."""
_WORDS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


def read_groups(path: str | PathLike[str] | Frame) -> Groups:
    """Read the groups of runs from a CSV file: columns run and team (or group), and pooled (yes or no) if it has one.

    The leaderboards of TREC-COVID call this column `contributed judgments`.
    path : the CSV file, or a data frame of these columns.
    Raises FileFormatError for a file without these columns, and for a run that is there twice.
    """
    table = read_sheet(path, RUN, GROUP)
    runs = rows_by_key(table, RUN, GROUP, also=POOLED)
    unpooled = [
        run
        for run, (line, [_, *pooled]) in runs.items()
        if not _is_pooled(f"{table.where}:{line}", *pooled)
    ]
    groups = {run: group for run, (_, [group, *_]) in runs.items()}
    return Groups(groups, frozenset(unpooled), table.where)


def read_clusters(path: str | Path) -> dict[str, str]:
    """Read the clusters of topics from a CSV file: columns topic (or query, task) and cluster (or need, type).

    path : the CSV file.
    Raises FileFormatError for a file without these columns, and for a topic that is there twice.
    """
    return read_pairs(path, TOPIC, (*CLUSTER, *TYPE))


def clusters_or_stem(path_or_stem: str | Path) -> dict[str, str] | str:
    """Return "stem", which stands for a rule, as it is; else the clusters that `read_clusters` reads from a path."""
    is_stem = isinstance(path_or_stem, str | Path) and str(path_or_stem) == STEM
    return STEM if is_stem else read_clusters(path_or_stem)


def read_repeats(path: str | Path) -> dict[str, str]:
    """Read which runs are of one system from a CSV file: columns run (or name) and system (or model).

    path : the CSV file.
    Raises FileFormatError for a file without these columns, and for a run that is there twice.
    """
    return read_pairs(path, ("run", "name"), REPEATED)


def _is_pooled(where: str, word: str = "yes") -> bool:
    """Say whether a run was pooled, by the word for it; without one, it was."""
    if word.lower() not in _WORDS:
        raise FileFormatError(
            f"{where}: pooled is {shortened(word)!r}; expected yes or no"
        )
    return _WORDS[word.lower()]
