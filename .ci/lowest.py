"""Print a constraint file that pins what users and tests need to the lowest versions that pyproject.toml allows."""

import re
import tomllib
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
extras = project["optional-dependencies"]
used = ("plot", "models", "ir-measures", "ir-datasets", "serve", "cluster", "test")
lowest: dict[str, str] = {}
for requirement in [
    *project["dependencies"],
    *(one for extra in used for one in extras[extra]),
]:
    bound = re.fullmatch(r"([A-Za-z0-9-]+)>=([0-9.]+)", requirement)
    if bound is None:
        raise SystemExit(f"not of the form name>=version: {requirement}")
    name, version = bound.groups()
    if lowest.setdefault(name, version) != version:
        raise SystemExit(
            f"{name} has two lowest versions: {lowest[name]} and {version}"
        )
print("\n".join(f"{name}=={version}" for name, version in lowest.items()))
