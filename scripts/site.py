"""What the docs have besides their pages: figures, CONTRIBUTING.md, lists made from the registry."""

import tempfile
from pathlib import Path
from runpy import run_path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

console = run_path(str(Path(__file__).with_name("console.py")))
lists = run_path(str(Path(__file__).with_name("lists.py")))
promised = run_path(str(Path(__file__).with_name("promised.py")))
GALLERY = "gallery"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """List the pages of studies in the navigation, in the order of the registry; tasks that explain one are there."""
    assert config.nav is not None
    for entry in config.nav:
        if isinstance(entry, dict) and "Studies" in entry:
            entry["Studies"] = [
                "studies/index.md",
                *(
                    f"{page}.md"
                    for page in lists["pages"]()
                    if page.startswith("studies/")
                ),
            ]
    return config


def on_page_markdown(markdown: str, **_: Page | MkDocsConfig | Files) -> str:
    """Put the lists that are made from the registry in the place of their marks."""
    filled: str = lists["filled"](markdown)
    return filled


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the figures that the commands of the gallery draw, and contributing.md."""
    docs = Path(config.docs_dir)
    for name, content in figures((docs / f"{GALLERY}.md").read_text()).items():
        files.append(File.generated(config, f"{GALLERY}/{name}", content=content))
    figure = promised["figure"]()
    files.append(File.generated(config, f"{GALLERY}/promised.svg", content=figure))
    contributing = (
        (docs.parent / "CONTRIBUTING.md").read_text().replace("](docs/", "](")
    )
    files.append(File.generated(config, "contributing.md", content=contributing))
    return files


def figures(page: str) -> dict[str, bytes]:
    """Run a page's commands and return the SVG files that they write."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for command in console["commands"](page):
            console["run"](command, folder)
        return {path.name: path.read_bytes() for path in sorted(folder.glob("*.svg"))}
