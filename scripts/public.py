"""Write the types of the public names, __init__.pyi and one stub for each group, from the list in irmeta: make format.

python scripts/public.py            write them
python scripts/public.py --check    exit with 1 if they are not what would be written
"""

import sys
from pathlib import Path

import irmeta

SOURCE = Path(__file__).parent.parent / "src" / "irmeta"
WRITTEN = "# Written by scripts/public.py (make format)."


def stubs() -> dict[str, str]:
    """Return the stubs by file name: each public name imported from its module."""
    groups = {
        f"{group}.pyi": _stub(
            {
                name: irmeta._PUBLIC[f"{group}.{name}"]
                for name in irmeta._GROUPS[group].__all__
            }
        )
        for group in irmeta._GROUPS
    }
    flat = {name: home for name, home in irmeta._PUBLIC.items() if "." not in name}
    modules = "".join(
        f"from irmeta import {name} as {name}\n" for name in irmeta._GROUPS
    )
    return groups | {"__init__.pyi": f"{_stub(flat)}{modules}\n__version__: str\n"}


def _stub(homes: dict[str, str]) -> str:
    """Return the imports of names from where they live, and the names that differ there."""
    lines, other = [], []
    for name, home in homes.items():
        module, _, own = home.rpartition(".")
        own_name = own if own == name else f"_{name}"
        lines.append(f"from {module} import {own} as {own_name}")
        if own_name != name:
            other.append(f"{name} = {own_name}")
    return "\n".join([WRITTEN, *sorted(lines), *other, ""])


def main() -> int:
    """Write the stubs, or check them."""
    wrong = [
        name
        for name, text in stubs().items()
        if not (SOURCE / name).exists()
        or (SOURCE / name).read_text(encoding="utf-8") != text
    ]
    if "--check" not in sys.argv:
        for name, text in stubs().items():
            (SOURCE / name).write_text(text, encoding="utf-8")
        return 0
    if wrong:
        print(f"{', '.join(wrong)}: not the public names; run make format")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
