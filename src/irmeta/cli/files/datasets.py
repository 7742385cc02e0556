"""`irmeta datasets`: public collections, listed and fetched."""

import json
import shlex
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Annotated, Literal

from irmeta.cli.app import Verbs, argument, option
from irmeta.cli.options import Quiet
from irmeta.cli.output import working, write
from irmeta.errors import IrmetaError
from irmeta.metrics.names import nearest

if TYPE_CHECKING:
    import polars as pl

    from irmeta.datasets.catalog import PublicCollection

datasets = Verbs("datasets", help="List and fetch public collections.")

Data = Annotated[
    Path | None,
    option(
        metavar="DIR",
        help="Folder of the collections.",
        show_default="IRMETA_DATA, else the user's cache",
    ),
]


@datasets.command("list")
def list_(
    data: Data = None,
    explain: bool = False,
    format: Literal["text", "json"] = "text",
) -> None:
    """List the public collections: what they hold, under which licence, and whether they are here.

    explain : also print licences, digests and addresses, and the metrics of factors, not only a line for each
    format : text, or JSON, which has all of it

    irmeta datasets list

    irmeta datasets list --explain
    """
    import polars as pl

    from irmeta.datasets.catalog import catalog, data_folder

    folder = data_folder(data)
    facts = [_facts(collection, folder) for collection in catalog().values()]
    collections, factors = pl.DataFrame(facts, orient="row"), _shipped_factors()
    if format == "json":
        listed = {"collections": facts, "factors": factors.to_dicts()}
        write(json.dumps(listed, indent=1) + "\n", None)
        return
    here = f"Public collections; here: in {folder}, or with irmeta"
    on = "Standardization factors that ship, for irmeta place --on NAME"
    if explain:
        columns = ["name", "here", "MB", "licence", "digest"]
        _write_tables(
            (
                f"{here}; digest: of the SHA-256 of all files",
                collections.select(columns),
            ),
            (None, collections.select("name", "about")),
            (None, collections.select("name", "address")),
            (on, factors),
        )
    else:
        cut = [shorten(one["about"], 41, placeholder="…") for one in facts]
        brief = collections.select("name", "here", "MB", pl.Series("about", cut))
        _write_tables(
            (here, brief),
            (on, factors.select("name", "systems", "topics", "from")),
        )
    more = "" if explain else "; licences, digests and addresses: list --explain"
    write(f"\nNext: irmeta datasets fetch NAME{more}\n", None)


def _write_tables(*tables: "tuple[str | None, pl.DataFrame]") -> None:
    """Print tables below each other, each with its title."""
    from rich.console import Console

    from irmeta.report.forms import text

    width = Console().width
    write("\n".join(text(frame, title, width=width) for title, frame in tables), None)


def _facts(collection: "PublicCollection", folder: Path) -> dict[str, str]:
    """Say of a collection what there is to know before it is fetched."""
    from irmeta.datasets.catalog import digest

    sizes = [file.size for file in collection.files]
    return {
        "name": collection.name,
        "here": _availability(collection, folder),
        "MB": f"{sum(filter(None, sizes)) / 1e6:.2f}" if all(sizes) else "?",
        "licence": collection.licence,
        "digest": digest(collection) or "not known",
        "about": collection.about,
        "address": _address(collection),
    }


def _availability(collection: "PublicCollection", folder: Path) -> str:
    """Say whether a collection is in a folder, or ships."""
    from irmeta.datasets.catalog import SHIPPED, missing

    if not missing(collection, SHIPPED):
        return "ships"
    lacking = len(missing(collection, folder))
    if not lacking:
        return "yes"
    if lacking == len(collection.files):
        return "no"
    return f"lacks {lacking}"


def _address(collection: "PublicCollection") -> str:
    """Say where a collection is published: the address of its file or the source of several, or whom to ask."""
    addresses = [file.address for file in collection.files if file.address]
    if not addresses:
        return f"ask {collection.ask}" if collection.ask else collection.source
    if len(addresses) == 1:
        return addresses[0]
    return collection.source


def _shipped_factors() -> "pl.DataFrame":
    """List the factors that ship."""
    import polars as pl

    from irmeta.datasets import factors as factor_files
    from irmeta.datasets.reference import shipped_factors
    from irmeta.scores.attributes import about

    rows = []
    for name, path in shipped_factors().items():
        factors = factor_files.load(path)
        sizes = (
            int(factors["n"].max()),
            factors.sizes["topic"],
            " ".join(factors.metric.values.astype(str)),
        )
        rows.append(
            (name, *sizes, about(factors)["scores"]["dataset"], factors.attrs["digest"])
        )
    return pl.DataFrame(
        rows,
        schema=["name", "systems", "topics", "metrics", "from", "digest"],
        orient="row",
    )


@datasets.command()
def fetch(
    names: Annotated[list[str], argument(metavar="COLLECTION")],
    data: Data = None,
    quiet: Quiet = False,
) -> None:
    """Fetch public collections from where they are published, check them, and say how to use and cite them.

    names : names that irmeta datasets list shows

    irmeta datasets fetch trec8-adhoc

    irmeta datasets fetch trec-covid-round1 --data collections/

    Files that are there already are checked, not fetched again.
    """
    from irmeta.datasets import catalog as public

    known = public.catalog()
    if unknown := [name for name in names if name not in known]:
        raise IrmetaError(
            f"no public collection {unknown[0]!r}; {nearest(unknown[0], known)}"
        )
    folder = public.data_folder(data)
    for collection in (known[name] for name in names):
        with working(quiet=quiet):
            fetched = public.fetch(collection, folder)
        present = len(collection.files) - len(fetched)
        write(
            f"{collection.name}: {len(fetched)} files fetched, {present} already present; all match "
            f"their published checksums\n  licence: {collection.licence}\n  from: "
            f"{collection.source}\n  cite: {collection.citation}\n  next: "
            f"{collection.use.format(folder=shlex.quote(str(folder)))}\n",
            None,
        )
