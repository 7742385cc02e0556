"""Write src/irmeta/__init__.pyi, the types of the public names, from the list in irmeta itself: make format.

python scripts/public.py            write it
python scripts/public.py --check    exit with 1 if it is not what would be written
"""

import sys
from pathlib import Path

import irmeta

STUB = Path(__file__).parent.parent / "src" / "irmeta" / "__init__.pyi"


def stub() -> str:
    """Return the stub: each public name imported from its module under its own name."""
    homes = [(home, name) for name, home in irmeta._HOME.items()]
    lines = sorted(f"from {home} import {name} as {name}" for home, name in homes)
    modules = []
    for name, module in irmeta._MODULES.items():
        room, _, own = module.rpartition(".")
        lines.append(f"from {room} import {own}")
        modules.append(f"{name} = {own}")
    return "\n".join(
        [
            "# Written by scripts/public.py (make format).",
            *lines,
            "",
            *modules,
            "__version__: str",
            "",
        ]
    )


def main() -> int:
    """Write the stub, or check it."""
    if "--check" not in sys.argv:
        STUB.write_text(stub(), encoding="utf-8")
        return 0
    if STUB.read_text(encoding="utf-8") == stub():
        return 0
    print("src/irmeta/__init__.pyi does not list the public names; run make format")
    return 1


if __name__ == "__main__":
    sys.exit(main())
