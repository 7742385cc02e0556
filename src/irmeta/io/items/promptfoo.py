"""Results of promptfoo (promptfoo eval -o results.json) as a cube: a provider is a system, a test a topic.

Source: promptfoo 0.121, results of version 3.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

import xarray as xr

from irmeta.choices import NamedBy
from irmeta.errors import FileFormatError
from irmeta.io.files import Location, display, stem
from irmeta.io.items.records import (
    are_objects,
    cluster_name,
    file_title,
    nested,
    read_json,
    read_records,
    read_score,
)
from irmeta.io.items.rows import Part, Row, cubes_of_parts
from irmeta.io.tables.matrices import Paths, all_files
from irmeta.words import counted

WHAT = "results of promptfoo"
_ERROR = 2
"""What failureReason says where the provider failed, and the answer was not judged."""
_GRADED = frozenset(
    {
        "agent-rubric",
        "answer-relevance",
        "context-faithfulness",
        "context-recall",
        "context-relevance",
        "conversation-relevance",
        "factuality",
        "g-eval",
        "llm-rubric",
        "model-graded-closedqa",
        "model-graded-factuality",
        "search-rubric",
    }
)
"""Assertions that a language model decides."""
_LONGEST = 60
"""Characters of a text that names a test or a prompt; a longer one is cut, and a digest added."""


def import_promptfoo(
    paths: Paths,
    *,
    names: NamedBy = "model",
    cluster_by: str | None = None,
    collection: str | None = None,
) -> dict[str, xr.DataArray]:
    """Read results of promptfoo as a cube: systems are providers (with their prompts, if several), topics are tests.

    Metrics are `score`, `pass` (1 or 0) and the named scores of assertions. A test is named by its description, else
    by its variables. Repeats (--repeat) are averaged, and a note says how many there were; errors are missing.

    paths : what `promptfoo eval -o` writes as JSON or JSON lines; folders, globs or URLs of such files.
    names : "model", or "file" for two evaluations of one provider, as of two releases.
    cluster_by : the field of the tests' metadata, or the variable, that names their cluster.
    collection : what to call the evaluation, by default as its description or file does.
    """
    parts = [_read_part(path, cluster_by, collection) for path in all_files(paths)]
    return cubes_of_parts(parts, names=names)


def _read_part(path: Location, cluster_by: str | None, collection: str | None) -> Part:
    """Return the scores of one file of results, the models that judged, and a note on errors."""
    title, results = _results(path)
    name = collection or title or file_title(path)
    part = Part(path, file_title(path), [])
    tests = _tests(results)
    prompts = list(dict.fromkeys(_prompt_label(result) for result in results))
    for metric, machines in _judges(results).items():
        if None not in machines:
            for machine in machines:
                part.add_judge(metric, machine)
    repeats = Counter[tuple[str, str]]()
    errors = 0
    for at, (test, result) in enumerate(zip(tests, results, strict=True), 1):
        place = f"{display(path)}: result {at}"
        system = _system(result, prompts, place)
        repeats[system, test] += 1
        failed = result.get("failureReason") == _ERROR
        errors += failed
        metadata = nested(result, "testCase", "metadata")
        cluster = cluster_name(cluster_by, metadata, result.get("vars"), place=place)
        repeat = str(repeats[system, test])
        for metric, value in _values(result, place).items():
            score = float("nan") if failed else read_score(value, place)
            row = Row(name, system, test, metric, score, repeat, cluster, place=place)
            part.rows.append(row)
    if errors:
        part.add_note(f"{counted(errors, 'answer')} failed, which are missing")
    return part


def _judges(results: Sequence[Mapping[str, Any]]) -> dict[str, set[str | None]]:
    """Return by metric the models that decide its assertions; None among them where no model does, or none is named."""
    judges: dict[str, set[str | None]] = {}
    for result in results:
        default_provider = nested(result, "testCase", "options", "provider")
        components = nested(result, "gradingResult", "componentResults")
        assertions = components if components and isinstance(components, list) else [{}]
        for assertion in assertions:
            kind, provider, named_metric = (
                nested(assertion, "assertion", key)
                for key in ("type", "provider", "metric")
            )
            machine = None
            if str(kind).removeprefix("not-") in _GRADED:
                machine = _grader(provider or default_provider)
            for metric in ("score", "pass", named_metric):
                if isinstance(metric, str):
                    judges.setdefault(metric, set()).add(machine)
    return judges


def _grader(provider: object) -> str | None:
    """Name the model that grades: a text, an object with an id, or either under `text`; None where there is none."""
    if isinstance(provider, dict):
        return _grader(provider.get("id") or provider.get("text"))
    return provider if isinstance(provider, str) and provider else None


def _results(path: Location) -> tuple[str, list[dict[str, Any]]]:
    """Return the description of an evaluation, and its results."""
    if stem(path).endswith(".jsonl"):
        return "", [record for _, record in read_records(path, WHAT)]
    document = read_json(path, WHAT)
    results = nested(document, "results", "results")
    if not are_objects(results):
        raise FileFormatError(
            f"{display(path)}: not {WHAT}; write them with `promptfoo eval -o results.json`"
        )
    return str(nested(document, "config", "description") or ""), results


def _tests(results: Sequence[Mapping[str, Any]]) -> list[str]:
    """Name the test of each result; equal tests are one, others of the same name are numbered."""
    names: dict[str, str] = {}
    counts = Counter[str]()
    keys = [_test_key(result) for result in results]
    for key, result in zip(keys, results, strict=True):
        if key in names:
            continue
        variables = result.get("vars") or nested(result, "testCase", "vars")
        values = variables.values() if isinstance(variables, dict) else [variables]
        description = nested(result, "testCase", "description")
        name = _shortened_text(str(description or ", ".join(map(_as_text, values))))
        counts[name] += 1
        names[key] = name if counts[name] == 1 else f"{name} ({counts[name]})"
    return [names[key] for key in keys]


def _test_key(result: Mapping[str, Any]) -> str:
    """Return what a test asks; two of one text are equal."""
    case = result.get("testCase")
    test = case if isinstance(case, dict) else {}
    return json.dumps([test, result.get("vars")], sort_keys=True)


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def _shortened_text(text: str) -> str:
    """Return a text on one line, a long one cut and with a digest of it."""
    line = " ".join(text.split())
    if len(line) <= _LONGEST:
        return line or "test"
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{line[: _LONGEST - 10].strip()}… {digest}"


def _prompt_label(result: Mapping[str, Any]) -> str:
    prompt = result.get("prompt")
    return str(prompt.get("label", "")) if isinstance(prompt, dict) else ""


def _system(result: Mapping[str, Any], prompts: Sequence[str], place: str) -> str:
    """Name a system by the provider of a result, and by its prompt where there are several."""
    name = result.get("provider")
    if isinstance(name, dict):
        name = name.get("label") or name.get("id")
    if not name or not isinstance(name, str):
        raise FileFormatError(f"{place}: not {WHAT} (it names no provider)")
    if len(prompts) > 1:
        return f"{name}/{_shortened_text(_prompt_label(result))}"
    return name


def _values(result: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Return the scores of a result by metric, as they are written."""
    if "score" not in result or "success" not in result:
        raise FileFormatError(f"{place}: not {WHAT} (it lacks score and success)")
    named_scores = result.get("namedScores")
    return {
        "score": result["score"],
        "pass": result["success"],
        **(named_scores if isinstance(named_scores, dict) else {}),
    }
