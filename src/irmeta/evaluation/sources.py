"""What users pass as qrels and runs (paths, folders, globs, dicts, data frames), made one thing."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from operator import itemgetter
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from irmeta import words
from irmeta.errors import FileFormatError, IrmetaError, Remark, is_list
from irmeta.io.files import (
    Content,
    Location,
    display,
    list_files,
    location,
    read_bytes,
    stem,
)
from irmeta.io.kinds import kind_of
from irmeta.io.runs.beir import judgments_file
from irmeta.io.runs.objects import (
    IR_DATASETS,
    as_mapping_or_frame,
    qrels_of_ir_datasets,
    run_name,
    run_of_ir_datasets,
)
from irmeta.io.runs.rankings import (
    Qrels,
    Run,
    collection_name,
    qrels_from_frame,
    qrels_from_mapping,
    run_from_mapping,
    runs_from_frame,
)
from irmeta.io.runs.trec import Reading, read_qrels
from irmeta.scores.names import bare_name, labels

QrelsLike = Any
"""A path, folder or dataset, {topic: {document: grade}}, a pandas or polars frame, or rows of ir_measures or ranx."""
RunsLike = Any
"""A path, folder or glob, or several; a frame; {topic: {document: score}}; or {name: path, frame or such a mapping}."""
Source = tuple[str, Location | Run | FileFormatError]
"""A system's name, and its run, or the file that holds it, or the error if it has neither."""
PREFIX = 40
"""Of how many characters a text in front of all topics is looked for."""


def qrels_of(given: QrelsLike, reading: Reading) -> Qrels:
    """Return the judgments of a path, a folder, a dataset of ir_datasets, a mapping, a frame, or rows."""
    if isinstance(given, Qrels):
        return given
    if isinstance(given, str | PathLike):
        return _qrels_at(fspath(given), reading)
    given = as_mapping_or_frame(given)
    if isinstance(given, Mapping):
        return qrels_from_mapping(given)
    if _is_frame(given):
        return qrels_from_frame(given)
    raise IrmetaError(
        f"qrels must be a path, {{topic: {{document: grade}}}} or a data frame, not {type(given).__name__}"
    )


def _qrels_at(given: str, reading: Reading) -> Qrels:
    """Return the judgments of a file, of a folder as the Hugging Face hub has it, or of a dataset of ir_datasets."""
    if given.startswith(IR_DATASETS):
        return replace(qrels_from_frame(qrels_of_ir_datasets(given)), source=given)
    path = location(given)
    if isinstance(path, Path) and path.is_dir():
        qrels = read_qrels(judgments_file(path), replace(reading, qrels_format="beir"))
        return replace(qrels, source=str(path))
    return read_qrels(path, reading)


_BESIDE = re.compile(r"(?:readme|licen[cs]e)(?:\.txt|\.rst)?|.*\.md", re.IGNORECASE)
"""Names of files that explain the others in a folder."""


def is_side_file(file: Location) -> bool:
    """Say whether a file explains others, by its name, and does not begin as anything that irmeta reads."""
    if not isinstance(file, Path) or not _BESIDE.fullmatch(file.name):
        return False
    return kind_of(file) is None


def sources_of(given: RunsLike) -> list[Source]:
    """List the systems of the runs given; raise FileFormatError for a path without runs, or two runs of one name.

    Files beside the runs of a folder are left out.
    """
    sources, _ = sources_with_problems(given)
    require_usable(sources)
    return sources


def require_usable(sources: Iterable[Source]) -> None:
    """Raise the error of the first system that has one."""
    for _, run in sources:
        if isinstance(run, FileFormatError):
            raise run


def sources_with_problems(given: RunsLike) -> tuple[list[Source], list[Remark]]:
    """List the systems of the runs given, with an error in place of each that cannot be used, and files beside them."""
    sources: list[Source] = []
    beside: list[Remark] = []
    for name, run in _sources(given):
        if isinstance(run, Remark):
            beside.append(run)
        else:
            sources.append((name, run))
    none = FileFormatError("there are no runs; give one or more")
    named = _without_run_suffixes(sources) or [("runs", none)]
    return list(_errors_for_equal_names(named)), beside


def _errors_for_equal_names(sources: Iterable[Source]) -> Iterator[Source]:
    """Yield systems, with an error in place of each that has the name of one before."""
    seen: dict[str, Location | Run] = {}
    for name, run in sources:
        # as score files write it: there two names of bytes may be one
        (label,) = labels([name])
        if isinstance(run, FileFormatError):
            yield name, run
        elif label in seen:
            yield name, _duplicate_name_error(name, seen[label], run)
        else:
            seen[label] = run
            yield name, run


def _without_run_suffixes(sources: list[Source]) -> list[Source]:
    """Name systems after their files without what only says that these are runs, where that is unique."""
    of_file = [
        not isinstance(run, Run | FileFormatError) and name == stem(run)
        for name, run in sources
    ]
    short = [
        bare_name(name) if is_file else name
        for (name, _), is_file in zip(sources, of_file, strict=True)
    ]
    by_name = dict(zip((name for name, _ in sources), short, strict=True))
    often = Counter(by_name.values())
    return [
        (new if often[new] == 1 else name, run)
        for new, (name, run) in zip(short, sources, strict=True)
    ]


def renamed(given: RunsLike, names: str) -> dict[str, Location]:
    """Return run files by the name of their system, which is not the file's.

    names : "tag" takes the run tag, the sixth field of a file's last line; a pattern, as {system}/{repeat}.run, what
    stands there, as e5_1 for e5/1.run, so that the stem of a name is a system that ran several times; "folder" is this
    pattern; anything else is a file whose lines have the name of a run file, without compression suffix, the system's
    name and, if it ran several times, which run it is. Files that no line names keep their own names; if it names
    none, that is a FileFormatError.
    """
    given = [given] if isinstance(given, str) else given
    paths = [file for one in given for file in list_files(one)]
    if names == "folder":
        names = FOLDER
    if _is_pattern(names):
        return _by_name([(_name_by_pattern(names, path), path) for path in paths])
    files = [(stem(path), path) for path in paths]
    if names == "tag":
        known = {name: _tag(path) for name, path in files}
    else:
        known = _read_name_map(Path(names))
    for name, _ in files:
        if name not in known and bare_name(name) in known:
            known[name] = known[bare_name(name)]
    if not any(name in known for name, _ in files):
        raise FileFormatError(
            f"{names}: no line names {words.listed([name for name, _ in files])}; each line needs a run file and "
            "its system"
        )
    own = [name for name, _ in _without_run_suffixes([*files])]
    return _by_name(
        (known.get(name, new), path)
        for (name, path), new in zip(files, own, strict=True)
    )


def _by_name(files: Iterable[tuple[str, Location]]) -> dict[str, Location]:
    """Return files by the names of their systems; raise FileFormatError where two have one name."""
    found: dict[str, Location] = {}
    for name, path in files:
        first = found.setdefault(name, path)
        if first != path:
            both = f"{display(first)} and {display(path)}"
            raise FileFormatError(
                f"two systems are named {name!r}: {both}; name each in a file (--names FILE)"
            )
    return found


FOLDER = "{system}/{repeat}"
"""The pattern of files of which each system has a folder."""


def _name_by_pattern(pattern: str, path: Location) -> str:
    """Return the name of a run of a system that ran several times, as its file's path has both.

    pattern : how paths end, with {system} and {repeat}; suffixes that only say that a file is a run may be left out.

    >>> _name_by_pattern(FOLDER, Path("runs/bge-large/run-1.txt.gz"))
    'bge-large_run1'
    >>> _name_by_pattern("{system}-seed{repeat}", Path("runs/bge-large-seed7.run"))
    'bge-large_7'
    """
    text = re.escape(pattern)
    for name in ("system", "repeat"):
        text = text.replace(rf"\{{{name}\}}", f"(?P<{name}>[^/]+)")
    whole = display(path).replace("\\", "/")
    folder = whole.removesuffix(whole.rpartition("/")[2])
    for spelling in (folder + bare_name(stem(path)), folder + stem(path), whole):
        if found := re.search(rf"(?:^|/){text}$", spelling):
            # a stem of names ends at the last of these signs
            return f"{found['system']}_{re.sub(r'[-_.]', '', found['repeat'])}"
    raise FileFormatError(
        f"{display(path)} is not named as {pattern}, which tells its system and which run of it this is; name each run "
        "in a file (--names FILE), or leave --names out: studies take runs such as e5_1 and e5_2 as one system with "
        "--repeats stem"
    )


def _is_pattern(names: str) -> bool:
    """Say whether names are a pattern; one that lacks {system} or {repeat} raises FileFormatError."""
    has = [names.count(f"{{{name}}}") for name in ("system", "repeat")]
    if any(has) and has != [1, 1]:
        raise FileFormatError(
            f"--names {names!r}: a pattern has {{system}} once and {{repeat}} once, as in {FOLDER}.run"
        )
    return any(has)


def _tag(path: Location) -> str:
    """Return the run tag of a file: the sixth field of its last line."""
    lines = Content(path).data.rstrip().splitlines()
    fields = lines[-1].split() if lines else []
    if len(fields) != 6:
        raise FileFormatError(
            f"{display(path)}: no run tag in its last line; use file names (--names file)"
        )
    return fields[5].decode("utf-8", "surrogateescape")


def _read_name_map(path: Path) -> dict[str, str]:
    """Read a file of names: on each line a run file, its system and perhaps which run of it, with separators."""
    from irmeta.io.sheets import csv_rows, require_visible
    from irmeta.io.strictly import stripped

    try:
        data = bytes(read_bytes(path))
    except FileFormatError as error:
        raise FileFormatError(
            f"{error}; --names is file, tag, folder, a pattern such as {FOLDER}, or a file of names"
        ) from error
    found: dict[str, str] = {}
    for line, cells in csv_rows(data, str(path)):
        file, *names = parts = [stripped(cell) for cell in cells]
        if len(parts) not in (2, 3) or not all(parts):
            raise FileFormatError(
                f"{path}:{line}: each line needs a run file and its system, as in "
                "input.ours.gz,ours; a run of several has its number, too, as in input.ours.gz,ours,1"
            )
        require_visible(parts, f"{path}:{line}")
        run = stem(Path(file))
        if found.setdefault(run, "_".join(names)) != "_".join(names):
            raise FileFormatError(
                f"{path}:{line}: {words.shortened(run)} has two names; remove a line"
            )
    return found


def place_of(source: Source) -> str:
    """Say where a system is from: its file, or its name."""
    name, given = source
    if isinstance(given, Run):
        return f"run {name}"
    if isinstance(given, FileFormatError):
        return name
    return display(given)


def _duplicate_name_error(
    name: str, first: Location | Run, second: Location | Run
) -> FileFormatError:
    """Return the error of two systems with one name."""
    files = [str(one) for one in (first, second) if not isinstance(one, Run)]
    if files:
        mend = f"{' and '.join(files)}; systems are named after their files: rename one"
    else:
        mend = "two runs without a name; name each: {'bm25': run, 'mine': other}"
    text = f"two systems are named {name!r}: {mend}"
    if len({Path(one).parent for one in files}) == 2:
        text += ", or take the names of their folders, too (--names folder)"
    elif len(set(files)) == 2:
        text += ", or remove it if it is a copy"
    return FileFormatError(
        text, [Remark("error", place_of((name, second)), None, text)]
    )


def open_source(source: Source, folder: Path) -> Run | Content:
    """Return a system's run, or the content of its file; raise FileFormatError if it cannot be opened.

    folder : where relative paths begin, which may not be the working folder of this process.
    """
    _, given = source
    if isinstance(given, FileFormatError):
        raise given
    if isinstance(given, Run):
        return given
    if isinstance(given, str) or Path.cwd() == folder:
        return Content(given)
    return Content(folder / given, given)


def require_judged_topics(run: Run, qrels: Qrels, source: str) -> None:
    """Raise FileFormatError if a run has topics and none of them is judged."""
    judged = set(qrels.topics)
    if not run.topics or not judged.isdisjoint(run.topics):
        return
    theirs = ", ".join(map(repr, run.topics[:3]))
    ours = ", ".join(map(repr, qrels.topics[:3]))
    bare = {topic.lstrip("0") for topic in judged}
    padded = not bare.isdisjoint(topic.lstrip("0") for topic in run.topics)
    prefix, shared = max(
        _common_prefix(run.topics, judged),
        _common_prefix(qrels.topics, set(run.topics)),
        key=itemgetter(1),
    )
    if padded:
        hint = "they differ in leading zeros; write both the same way"
    elif shared:
        hint = f"they differ by {prefix!r} in front, without which {shared} would match; write both the same way"
    else:
        hint = "do run and qrels belong to the same collection?"
    raise FileFormatError(
        f"{source}: none of its topics is judged (it has {theirs}, the qrels have {ours}); {hint}"
    )


def _common_prefix(topics: Sequence[str], others: set[str]) -> tuple[str, int]:
    """Return what the first topic begins with, without which most topics are among the others, and how many are.

    It ends before the number: topics 301 and 1 do not differ by a 30 in front.
    """
    found = {
        prefix: len({one.removeprefix(prefix) for one in topics} & others)
        for prefix in accumulate(topics[0][:PREFIX])
        if not prefix[-1].isdigit()
    }
    return max(found.items(), key=itemgetter(1), default=("", 0))


def _sources(given: RunsLike) -> Iterator[Source | tuple[str, Remark]]:
    """Yield each run with its name, in whichever form it was given; one that cannot be read as its error."""
    name = run_name(given)
    given = as_mapping_or_frame(given)
    if isinstance(given, str) and given.startswith(IR_DATASETS):
        frame = run_of_ir_datasets(given)
        runs = runs_from_frame(frame, collection_name(given))
        yield from ((run.name, run) for run in runs)
    elif isinstance(given, str | PathLike):
        try:
            yield from _sources_in_files(list_files(given))
        except FileFormatError as error:
            yield fspath(given), error
    elif isinstance(given, Mapping):
        named = given if not _is_lists(given) else {name: given}
        for name, run in named.items():
            try:
                yield str(name), _run_or_location(run, str(name))
            except FileFormatError as error:
                yield f"run {name}", error
    elif _is_frame(given):
        yield from ((run.name, run) for run in runs_from_frame(given, name))
    elif is_list(given):
        for part in given:
            if _is_pair(part):
                raise IrmetaError(
                    "runs with names are a dict, as {'bm25': run}, not pairs: take dict(runs)"
                )
            yield from _sources(part)
    else:
        raise IrmetaError(
            f"runs must be paths, mappings or data frames, not {type(given).__name__}"
        )


def _is_pair(given: Any) -> bool:
    """Tell whether this is a name and a run, which tuples of files are not."""
    return (
        isinstance(given, tuple)
        and len(given) == 2
        and isinstance(given[0], str)
        and not isinstance(given[1], str | PathLike)
    )


def _sources_in_files(
    files: Sequence[Location],
) -> Iterator[Source | tuple[str, Remark]]:
    """Yield the run of each file, and what is said of those beside several that hold the runs."""
    beside = set(filter(is_side_file, files)) if len(files) > 1 else set()
    why = "its name says that it is not a run"
    for file in files:
        if len(beside) < len(files) and file in beside:
            yield stem(file), Remark("warning", display(file), None, why)
        else:
            yield stem(file), file


def _run_or_location(given: Any, name: str) -> Location | Run:
    """Return where the run of this name is, for a path; else the run that a mapping or a frame holds."""
    if isinstance(given, str | PathLike):
        return location(given)
    given = as_mapping_or_frame(given)
    if isinstance(given, Mapping):
        return run_from_mapping(given, name)
    if _is_frame(given):
        runs = runs_from_frame(given, name)
        if len(runs) != 1:
            raise FileFormatError(
                f"the table of run {name!r} holds {len(runs)} systems"
            )
        return runs[0]
    raise IrmetaError(
        f"run {name!r} must be a path, a mapping or a data frame, not {type(given).__name__}"
    )


def _is_lists(given: Mapping[Any, Any]) -> bool:
    """Say whether this is {topic: {document: score}}, the lists of one run, not {name: {topic: {document: score}}}."""
    inner = next(
        (value for value in given.values() if isinstance(value, Mapping) and value),
        None,
    )
    return inner is not None and not isinstance(next(iter(inner.values())), Mapping)


def _is_frame(given: Any) -> bool:
    """Tell whether this is a data frame, of whichever library."""
    return hasattr(given, "columns") and hasattr(given, "__getitem__")


def refuse_unreadable(
    errors: Iterable[FileFormatError | None], runs: int, more: str = ""
) -> None:
    """Raise the first error of runs; of several runs it says what lists all errors, and what more one can do."""
    for error in filter(None, errors):
        hint = f"\n(irmeta validate lists the errors of all runs{more})"
        raise FileFormatError(f"{error}{hint if runs > 1 else ''}", error.remarks)
