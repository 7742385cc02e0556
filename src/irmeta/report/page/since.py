"""What changed on a board since the page that stood in its place before."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import date
from types import MappingProxyType
from typing import Any

import numpy as np

from irmeta.words import counted, listed

LINK = "link"
"""What a model's link is called among its facts."""
_CONTENT = re.compile(rb'id="content">(.*?)</script>', re.DOTALL)


def changes_since(page: bytes | None, now: Mapping[str, Any]) -> str:
    """Say what changed since an earlier page; what that one said where nothing did, and nothing of another page.

    Ranks by other options are not compared: then it says which options are others.

    now : what the new page's script draws, `leaderboard.page_content`.
    """
    try:
        before = _content(page, now["labels"])
        day = date.fromisoformat(before["written"])
        chosen = _options_changed(before["options"], now["options"])
        news = [] if chosen else _changes(before, now)
        said = str(before["since"])
    except (ValueError, KeyError, TypeError, IndexError):
        return ""
    when = f"the page of {day.day} {day:%B %Y}"
    if chosen:
        return f"Made by other options than {when}: {', '.join(chosen)}."
    return f"Since {when}: {', '.join(news)}." if news else said


def changes_said(page: bytes | None) -> str:
    """Return what a page says that changed since the one before; nothing where it is not a board's page."""
    return str(_content(page).get("since", ""))


def title_of(page: bytes | None) -> str:
    """Return the title of a board's page; nothing where it is not one."""
    return str(_content(page).get("title", ""))


def facts_of(
    page: bytes | None, labels: Mapping[str, str]
) -> dict[str, dict[str, str]]:
    """Return what a board's page says that its models are; nothing where it is not one, or says nothing.

    labels : what models are called now, by name.
    """
    content = _content(page, labels)
    try:
        columns = [*content["facts"], LINK]
        rows = zip(content["models"], content["about"], content["links"], strict=True)
        shown = {
            str(model): dict(zip(columns, [*texts, link], strict=True))
            for model, texts, link in rows
        }
    except (KeyError, TypeError, ValueError):
        return {}
    known = {
        model: {name: text for name, text in facts.items() if text}
        for model, facts in shown.items()
    }
    return {model: facts for model, facts in known.items() if facts}


def _content(
    page: bytes | None, labels: Mapping[str, str] = MappingProxyType({})
) -> dict[str, Any]:
    """Return what the script of a board's page draws; nothing where it is not one.

    labels : what models are called now, by name, whatever the page called them.
    """
    script = _CONTENT.search(page or b"")
    try:
        content = json.loads(script[1]) if script else {}
        names = {label: name for name, label in content.get("labels", {}).items()}
        models = [names.get(model, model) for model in content.get("models", [])]
    except (ValueError, AttributeError, TypeError):
        return {}
    return content | {"models": [labels.get(model, model) for model in models]}


def _options_changed(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """List the options of ranks that are others, as "holes predict before, bounds now"."""
    return [
        f"{name} {before[name]} before, {value} now"
        for name, value in now.items()
        if before[name] != value
    ]


def _changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """List what is there more, what is there no longer, which scores are others, and who moved."""
    news = []
    for what in ("models", "tasks"):
        old, new = _names(before[what]), _names(now[what])
        noun = now["nouns"][what.removesuffix("s")]
        more = [_with_rank(name, now) for name in new if name not in old]
        fewer = [name for name in old if name not in new]
        for names, change in (more, "more"), (fewer, "fewer"):
            if names:
                news.append(
                    f"{counted(len(names), noun)} {change} ({listed(names, 3)})"
                )
    news += _changed_scores(before, now)
    if moved := _moved_models(before, now):
        news.append(moved)
    return news


def _with_rank(name: str, now: Mapping[str, Any]) -> str:
    """Say where a new model stands by the first aggregate; a task, and a model without a rank, has its name only."""
    rank = _ranks(now).get(name)
    return name if rank is None else f"{name} at rank {rank}"


def _changed_scores(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Say how many scores of the models and tasks of both are new, gone or others, and whose."""
    old, new = _shown_scores(before), _shown_scores(now)
    others = [cell for cell in new if cell in old and old[cell] != new[cell]]
    news = []
    for change, cells in (
        ("more", [cell for cell in others if old[cell] is None]),
        ("fewer", [cell for cell in others if new[cell] is None]),
        ("changed", [cell for cell in others if None not in (old[cell], new[cell])]),
    ):
        if cells:
            whose = sorted({model for model, _ in cells})
            news.append(f"{counted(len(cells), 'score')} {change} ({listed(whose, 3)})")
    return news


def _shown_scores(
    content: Mapping[str, Any],
) -> dict[tuple[str, str], float | None]:
    """Return the scores by model and task as a board shows them: those reported; others are none."""
    scores = {}
    for at, task in enumerate(_names(content["tasks"])):
        filled = {int(model) for model in _of_task(content["filled"], at)}
        for number, model in enumerate(_names(content["models"])):
            score = content["scores"][at][number]
            hidden = score is None or number in filled
            scores[model, task] = None if hidden else round(score, 4)
    return scores


def _of_task(filled: Mapping[Any, Any], task: int) -> Any:
    """Return the predicted scores of a task; JSON turned its number into a text."""
    return filled.get(task) or filled.get(str(task)) or ()


def _names(listed: Sequence[Any]) -> list[str]:
    """Return the names of models, or of tasks, which a page lists with their types."""
    return [item["name"] if isinstance(item, dict) else str(item) for item in listed]


def _moved_models(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Say who is first in whose place, and how many of the models of both moved against each other."""
    old, new = _ranks(before), _ranks(now)
    ranked = [name for name, rank in new.items() if rank is not None]
    both = [name for name in ranked if old.get(name) is not None]
    moves = int((_ranks_among(old, both) != _ranks_among(new, both)).sum())
    led, leads = ([name for name in ranks if ranks[name] == 1] for ranks in (old, new))
    news = []
    if led and leads and set(led) != set(leads):
        news.append(f"{listed(leads, 3)} first in place of {listed(led, 3)}")
    if moves:
        models = counted(len(both), now["nouns"]["model"])
        why = ", by predicted scores alone" if _only_predicted(before, now) else ""
        news.append(f"{moves} of {models} moved against each other{why}")
    return ", ".join(news)


def _only_predicted(before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Tell whether means of the models of both can only differ by predictions: their scores are the same."""
    return (
        now["aggregates"][0]["name"] == "mean"
        and bool(before["filled"] and now["filled"])
        and _names(before["tasks"]) == _names(now["tasks"])
        and not _changed_scores(before, now)
    )


def _ranks(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rank of each model by the first aggregate; None where it has none."""
    ranks = content["aggregates"][0]["rank"]
    return dict(zip(_names(content["models"]), ranks, strict=True))


def _ranks_among(
    ranks: Mapping[str, int], models: Sequence[str]
) -> np.ndarray[Any, np.dtype[np.intp]]:
    """Return how many of some models are ahead of each of them."""
    among = [ranks[model] for model in models]
    return np.searchsorted(np.sort(among), among)
