"""`irmeta design`: what the next collection should be."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from irmeta.cli.app import app, option
from irmeta.cli.options import Picked, Seed, Shown, Teamed
from irmeta.errors import IrmetaError

if TYPE_CHECKING:
    import xarray as xr

    from irmeta.studies.result import Result


POOLS = "Depths of judging"
COSTS = "Costs, in any one unit"


DEPTHS = "5,10,20,50,100"


@dataclass(frozen=True, kw_only=True)
class Judged:
    """Runs and judgments, from which scores at other depths of judging are computed."""

    runs: Annotated[
        str | None,
        option(
            panel=POOLS,
            metavar="FILE|DIR",
            help="The run files: a folder or a glob.",
            show_default="none; only topics and metrics are varied",
        ),
    ] = None
    qrels: Annotated[
        str | None,
        option(
            panel=POOLS,
            metavar="FILE",
            help="Their relevance judgments.",
            show_default="none",
        ),
    ] = None
    depths: Annotated[
        str | None,
        option(
            panel=POOLS,
            metavar="N,N,...",
            help="Pool depths to choose from.",
            show_default=DEPTHS,
        ),
    ] = None
    llm: Annotated[
        str | None,
        option(
            panel=POOLS,
            metavar="FILE",
            help="A machine's judgments of the same runs.",
            show_default="none",
        ),
    ] = None

    def given(self) -> bool:
        """Say whether there are runs; raise IrmetaError where only a part of what belongs together is given."""
        if (self.runs is None) != (self.qrels is None):
            raise IrmetaError(
                "--runs and --qrels belong together: depths of judging need both"
            )
        if self.llm is not None and self.runs is None:
            raise IrmetaError(
                "--llm needs --runs and --qrels: the same runs are scored by the machine's judgments"
            )
        if self.depths is not None and self.runs is None:
            raise IrmetaError("--depths needs --runs and --qrels")
        return self.runs is not None


@app.command()
def design(
    picked: Picked,
    judged: Judged,
    teamed: Teamed,
    shown: Shown,
    target: Annotated[
        str | None,
        option(
            metavar="METRIC",
            help="The metric that should rank the systems on new topics.",
            show_default="AP, else the deepest AP@k",
        ),
    ] = None,
    topic_cost: Annotated[float, option(panel=COSTS, help="Cost of a topic.")] = 30.0,
    judgment_cost: Annotated[
        float, option(panel=COSTS, help="Cost of a document judged by a person.")
    ] = 1.0,
    llm_judgment_cost: Annotated[
        float, option(panel=COSTS, help="Cost of a document judged by a machine.")
    ] = 0.0,
    budget: Annotated[
        float | None,
        option(panel=COSTS, help="What you can spend.", show_default="none"),
    ] = None,
    level: Annotated[float, option(help="Level of the intervals.")] = 0.95,
    partitions: Annotated[int, option(help="Random partitions of the topics.")] = 400,
    seed: Seed = 0,
) -> None:
    """Choose how many topics to judge, how deep, and by which metric, for a budget.

    irmeta design scores.parquet --target AP -m "AP nDCG@10 P@10 RR" --budget 5000

    irmeta design scores.parquet --runs runs/ --qrels qrels.txt --target AP -m "AP nDCG@10" --depths 5,10,20,50,100
    --topic-cost 30 --judgment-cost 1 --budget 5000

    irmeta design scores.parquet --runs runs/ --qrels qrels.txt -m nDCG@10 --depths 10 --llm llm.txt
    --llm-judgment-cost .02 --budget 5000
    """
    from irmeta.studies.design import design as study

    costs: dict[str, Any] = {
        "topic_cost": topic_cost,
        "judgment_cost": judgment_cost,
        "llm_judgment_cost": llm_judgment_cost,
    }
    asked = costs | {
        "target": target,
        "budget": budget,
        "level": level,
        "partitions": partitions,
        "teams": teamed.read(),
        "rng": seed,
    }
    everything = replace(picked, metrics=None)
    if judged.given():  # the file says which systems and topics: the runs give the scores by every metric
        shown.show(
            _measured, everything.cube(), judged, picked.metrics, picked.missing, asked
        )
    else:
        shown.show(
            study,
            picked.cube(target) if target else everything.cube(),
            **picked.used(),
            **asked,
        )


def _measured(
    scores: "xr.DataArray",
    judged: Judged,
    metrics: str | None,
    missing: Any,
    asked: dict[str, Any],
) -> "Result":
    """Score the runs as pools of each depth would let them be scored, and choose among the depths."""
    from irmeta.evaluation.engine import evaluate
    from irmeta.evaluation.pooling import pooled, pools
    from irmeta.metrics.names import metric_names
    from irmeta.scores.selection import select
    from irmeta.studies.design import default_target
    from irmeta.studies.design import design as study
    from irmeta.studies.door import whole_numbers

    depths = whole_numbers("--depths", judged.depths or DEPTHS)
    target = asked["target"] or default_target(scores)
    wanted = metric_names(metrics or target)
    columns = [pooled(metric, depth) for metric in wanted for depth in depths]
    kept = {
        "systems": scores.system.values.tolist(),
        "topics": scores.topic.values.tolist(),
    }
    full = evaluate(judged.qrels, judged.runs, [*wanted, target, *columns])
    size = pools(judged.qrels, judged.runs, depths)
    machine = None
    if judged.llm is not None:
        machine = select(evaluate(judged.llm, judged.runs, [*wanted, *columns]), **kept)
    cube = select(full, **kept)
    cube.attrs["collection"] = scores.attrs.get("collection", "collection")
    pool: dict[str, Any] = {
        "pools": size.sizes,
        "judged": size.judged,
        "known": size.known,
    }
    return study(
        cube,
        metrics=wanted,
        machine=machine,
        missing=missing,
        **pool,
        **(asked | {"target": target}),
    )
