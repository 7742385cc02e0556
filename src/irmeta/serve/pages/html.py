"""The pages of a site and of its boards."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from itertools import chain
from typing import Any

import numpy as np
from markupsafe import Markup

from irmeta.serve.catalogue.events import BEFORE
from irmeta.serve.catalogue.rules import clock
from irmeta.serve.catalogue.snapshot import Snapshot
from irmeta.serve.pages import data
from irmeta.serve.pages.forms import (
    as_script,
    axis_of,
    figure,
    slug,
    state_in_words,
    template,
)
from irmeta.serve.policy import Action, end_of_runs
from irmeta.serve.results import answers
from irmeta.serve.results.series import Series
from irmeta.serve.results.standing import Line, Standing, sum_claims
from irmeta.serve.site import Site
from irmeta.words import counted

ROWS = 200
"""Rows of a table on one page, at most."""
MOVED = 20
"""Runs that the page of changes names, of those that new judgments moved; and the first ones of a topic."""
PACKED = b"\x1f\x8b"
"""How a file begins that gzip packed."""
File = tuple[str, bytes]


def home_pages(
    site: Site, boards: Sequence[dict[str, Any]], *, frozen: bool = False
) -> Iterator[File]:
    """Render what belongs to no board. boards : what the first page says of each."""
    last = max((board["changed"] for board in boards), default=0)
    yield _site_page(site, "index", "", last, frozen, boards=boards)
    if not frozen:  # a copy has no people
        yield _site_page(site, "people", "people/", last, frozen)


def _site_page(
    site: Site, name: str, path: str, changed: int, frozen: bool, **own: Any
) -> File:
    """Render a page of the site that is no board's, at a path below its root; changed : microseconds, for its stamp."""
    shared = {"site": site.settings, "frozen": frozen, "root": "../" * path.count("/")}
    stamp = f"as of {clock(changed)} UTC"
    content = template(f"{name}.html").render(stamp=stamp, **shared, **own)
    return f"{path}index.html", content.encode()


def assets() -> Iterator[File]:
    """Yield the style and the script of all pages."""
    for name in ("style.css", "script.js"):
        yield name, files("irmeta.serve").joinpath("pages", name).read_bytes()


class Pages:
    """The pages of a board, below its folder; a frozen board takes no runs. `above` leads from there to the site."""

    def __init__(
        self,
        site: Site,
        shot: Snapshot,
        standing: Standing,
        *,
        frozen: bool = False,
        above: str = "../../",
    ) -> None:
        """Compute what the pages share. above : leads from the board's folder to the site."""
        self._above = above
        self._site = site.settings
        self._judgments_path = site.judgments_path
        self._shot = shot
        self._standing = standing
        self._lines = standing.lines
        if standing.cube is not None:
            first = standing.cube.sel(metric=standing.metric).values
            self._middle = np.median(first, axis=0)
            beside = zip(standing.topics, self._middle, first.max(axis=0), strict=True)
            self._rows = template("rows.html").render(beside=beside)
        # what Hugging Face shows leads back to a certificate
        self._hub = bool(shot.board.hub and site.settings.address)
        self._shared = {"site": site.settings, "hub": self._hub, "frozen": frozen}
        self._shared |= self._board_facts()

    def _board_facts(self) -> dict[str, Any]:
        """Return what all templates know of the board."""
        shot, standing, board = self._shot, self._standing, self._shot.board
        end = end_of_runs(board)
        abouts = [line.about for line in standing.ranked]
        return {
            "takes": end is None or shot.at < end,
            "board": board,
            "shot": shot,
            "standing": standing,
            "axis": axis_of([line.scores[standing.metric] for line in standing.ranked]),
            "most_rows": ROWS,
            "in_series": board.series if shot.anybody_may(Action.SEE_SCORES) else "",
            "has_teams": any(about["team"] or about["type"] for about in abouts),
            "stamp": f"version {board.version}, as of {clock(board.changed)} UTC",
        }

    def facts(self) -> dict[str, Any]:
        """Return what the first page of the site says of the board."""
        board, standing = self._shot.board, self._standing
        runs = counted(len(standing.ranked), "run")
        topics = counted(len(standing.topics), "topic")
        return {
            "key": board.key,
            "title": board.title,
            "changed": board.changed,
            "finding": standing.finding,
            "facts": f"{runs} · {topics} · {standing.metric}",
            "series": board.series if standing.ranked else "",
        }

    def digests_of_runs(self) -> dict[str, bytes]:
        """Return by run a digest of what its page says of it alone."""
        lines = self._lines.items()
        return {
            key: data.digest_of_run_alone(self._standing, line) for key, line in lines
        }

    def run_pages(self, keys: Iterable[str]) -> Iterator[File]:
        """Render the pages of runs."""
        for key in keys:
            yield from self._run_files(self._lines[key])

    def table_pages(self) -> Iterator[File]:
        """Yield the files that all runs are on: the table, topics, teams, comparison, progress, about, changes."""
        standing = self._standing
        lines = self._lines.values()
        # who reads the scores of a run by topic needs to know of which
        yield "data/topics.csv", data.topics_csv(self._shot, standing)
        yield from self._ranked_pages()
        yield from self._topic_pages()
        for team in sorted({line.about["team"] for line in lines} - {""}):
            own = [line for line in lines if line.about["team"] == team]
            yield self._render("team", f"team/{slug(team)}/", team=team, lines=own)
        yield self._render("compare", "compare/")
        yield "compare/runs.js", as_script("irmeta_runs", self._comparing_facts())
        claims = [line for line in standing.ranked if line.claim is not None]
        claims.sort(key=lambda line: (line.about["received"], line.key), reverse=True)
        told = {"claims": claims, "claimed": sum_claims(standing.ranked)}
        yield self._render("progress", "progress/", steps=self._records(), **told)
        yield self._render("about", "about/")
        yield self._render("changes", "changes/", moved=self._moved_runs())

    def data_files(self) -> Iterator[File]:
        """Write the board as data, and the page that leads to them."""
        sizes, sums, resources = {}, [], []
        files = chain(self._judgments(), data.data_files(self._shot, self._standing))
        if self._hub:
            text = template("eval.yaml").render(**self._shared)
            files = chain(files, [("eval.yaml", text.encode())])
        for name, content in files:
            yield f"data/{name}", content
            sizes[name] = len(content)
            digest = hashlib.sha256(content).hexdigest()
            resources.append(data.describe_file(name, content, digest))
            sums.append(f"{digest}  {name}\n")
        package = data.describe_package(self._shot, resources)
        yield "data/datapackage.json", package
        sizes["datapackage.json"] = len(package)
        listed = "".join(sums).encode()
        sizes["SHA256SUMS"] = len(listed)
        yield "data/SHA256SUMS", listed
        yield self._render("data", "data/", sizes=sizes)

    def _judgments(self) -> Iterator[File]:
        """Yield the files of judgments as they came, where the board publishes them."""
        for judged in self._shot.versions if self._shot.tells_judgments else ():
            path = self._judgments_path(judged.digest)
            if path.exists():
                content = path.read_bytes()
                packed = ".gz" if content.startswith(PACKED) else ""
                yield f"qrels-{judged.version}.txt{packed}", content

    def _render(self, name: str, path: str, **own: Any) -> File:
        """Render a page of the board, at a path below its folder."""
        up = "../" * path.count("/")
        links = {"up": up, "root": f"{self._above}{up}"}
        content = template(f"{name}.html").render(**links, **self._shared, **own)
        return f"{path}index.html", content.encode()

    def _ranked_pages(self) -> Iterator[File]:
        """Render the table of ranked runs, page by page."""
        ranked = self._standing.ranked
        pages = max(1, -(-len(ranked) // ROWS))
        for number in range(pages):
            path = f"page/{number + 1}/" if number else ""
            lines = ranked[number * ROWS : (number + 1) * ROWS]
            yield self._render("table", path, lines=lines, number=number, pages=pages)

    def _run_files(self, line: Line) -> Iterator[File]:
        """Render the page of a run that a referee opens, and what lies beside it."""
        standing, folder = self._standing, f"s/{line.key}/"
        vectors = standing.vectors.get(line.key, {})
        own = {name: vectors[name].tolist() for name in line.scores}
        yield self._render("run", folder, line=line, topics=self._topic_rows_of(line))
        yield f"{folder}record.json", data.run_record(self._shot, standing, line)
        yield f"{folder}eee.json", data.eee_json(self._site, self._shot, standing, line)
        day = clock(line.about["received"])[:10]
        names = ["badge.svg", "cite.bib"]
        if self._hub and line.rank is not None:
            names.append("eval_results.yaml")
        for name in names:
            text = template(name).render(line=line, day=day, **self._shared)
            yield f"{folder}{name}", text.encode()
        scores = {"key": line.key, "label": line.label, "scores": own}
        yield f"{folder}scores.js", as_script("irmeta_scores", scores)

    def _topic_rows_of(self, line: Line) -> Markup:
        """Return the rows of a run's scores by topic, beside the median and the best, as HTML."""
        standing = self._standing
        if standing.cube is None or standing.metric not in line.scores:
            return Markup()
        own = standing.vectors[line.key][standing.metric]
        pairs = zip(own.tolist(), (own - self._middle).tolist(), strict=True)
        texts = chain.from_iterable(
            (figure(own), figure(gap, "+")) for own, gap in pairs
        )
        return Markup(self._rows % tuple(texts))

    def _topic_pages(self) -> Iterator[File]:
        """Render the topics, the hardest first, and each by itself."""
        standing = self._standing
        rows = []
        if standing.cube is not None:
            by_topic = standing.cube.sel(metric=standing.metric).values.T
            rows = [self._topic_facts(*topic) for topic in enumerate(by_topic)]
        for row in rows:
            yield self._render("topic", f"t/{row['number']}/", row=row, last=len(rows))
        rows.sort(key=lambda row: row["mean"])
        yield self._render("topics", "t/", rows=rows)

    def _topic_facts(self, place: int, scores: Any) -> dict[str, Any]:
        """Return what a topic's page shows of everybody's scores on it, which are in the order of the table."""
        ranked = self._standing.ranked
        order = np.argsort(-scores, kind="stable")[:MOVED].tolist()
        low, middle, high = np.quantile(scores, [0.25, 0.5, 0.75]).tolist()
        places = np.round(scores / max(1.0, float(scores.max())) * 1000)
        return {
            "number": place + 1,
            "topic": self._standing.topics[place],
            "mean": float(scores.mean()),
            "low": low,
            "median": middle,
            "high": high,
            "tied": int((scores == scores.max()).sum()) - 1,
            "first": [(ranked[at], float(scores[at])) for at in order],
            "ticks": sorted(set(places.astype(int).tolist())),
        }

    def _comparing_facts(self) -> dict[str, Any]:
        """Return what the comparing page knows of all runs, and what it compares them by."""
        standing = self._standing
        return {
            "topics": standing.topics,
            "clusters": standing.clusters,
            "runs": [[line.key, line.label] for line in standing.ranked],
            **standing.comparing,
        }

    def _records(self) -> list[Line]:
        """List the runs that were the best when they came, by the first metric; of those that came at once the best."""
        best: list[Line] = []
        metric = self._standing.metric
        for line in sorted(
            self._standing.ranked, key=lambda line: line.about["received"]
        ):
            if not best or line.scores[metric].value > best[-1].scores[metric].value:
                best.append(line)
        return best

    def _moved_runs(self) -> list[tuple[Line, float, float]]:
        """List the runs that the newest judgments moved most, with their means before and now."""
        metric, older = self._standing.metric, self._standing.version - 1
        scored = self._shot.vectors.get(older, {})
        vectors = {key: rows for key, rows in scored.items() if metric in rows}
        if not vectors:
            return []
        labels = self._shot.board.collection, self._shot.topics[older], [metric]
        cube = answers.score_cube(*labels, vectors)
        before = answers.means_by_system(cube, units=1)
        then = {key: means[metric].value for key, means in before.items()}
        lines = [line for line in self._standing.ranked if line.key in then]
        now = {line.key: line.scores[metric].value for line in lines}
        lines.sort(key=lambda line: (-abs(now[line.key] - then[line.key]), line.key))
        return [(line, then[line.key], now[line.key]) for line in lines[:MOVED]]


def series_page(site: Site, shown: Series, *, frozen: bool = False) -> File:
    """Render the page of a series."""
    last = max(edition.changed for edition in shown.editions)
    newest_first = reversed(shown.editions)
    claims = [(edition, line) for edition in newest_first for line in edition.claims]
    own = {"of": shown, "claims": claims, "most_rows": ROWS}
    return _site_page(site, "series", f"series/{shown.name}/", last, frozen, **own)


def notice_page(site: Site, shot: Snapshot, *, frozen: bool = False) -> File:
    """Render what anybody may know of a board before the reveal: nothing that was computed from a run or a judgment."""
    facts = notice_facts(shot)
    own = {"board": shot.board, "shot": shot, "events": _events_before_reveal(shot)}
    own |= {"finding": facts["finding"]}
    where, last = f"b/{shot.board.key}/", facts["changed"]
    return _site_page(site, "notice", where, last, frozen, **own)


def notice_facts(shot: Snapshot) -> dict[str, Any]:
    """Return what the first page of the site says of a board before the reveal."""
    board = shot.board
    return {
        "key": board.key,
        "title": board.title,
        "changed": _events_before_reveal(shot)[-1].at,
        "finding": f"{state_in_words(board, shot.at)}.",
        "facts": f"{counted(len(board.topics), 'topic')} · {board.metrics[0]}",
        "series": "",
    }


def _events_before_reveal(shot: Snapshot) -> list[Any]:
    return [event for event in shot.events if event.action in BEFORE]
