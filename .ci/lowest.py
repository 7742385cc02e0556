"""Print a constraint file that pins every dependency of pyproject.toml to the lowest version it allows."""

import re
import tomllib
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
for requirement in project["dependencies"] + project["optional-dependencies"]["test"]:
    lowest = re.fullmatch(r"([A-Za-z0-9-]+)>=([0-9.]+)", requirement)
    if lowest is None:
        raise SystemExit(f"not of the form name>=version: {requirement}")
    print(f"{lowest[1]}=={lowest[2]}")
