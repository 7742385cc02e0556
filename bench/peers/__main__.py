"""python -m bench.peers: measure what peers promise, too, and write docs/peers.md.

python -m bench.peers                            all parts, printed (about 15 minutes of one core)
python -m bench.peers --part mean --write        one part, into the page
Peers are imported from the path; pip install evalstats truescore evalsig, or PYTHONPATH to a folder with them.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence

from bench.peers import others, page
from bench.peers.measure import OURS
from bench.peers.parts import PARTS
from irmeta.words import counted, listed


def run(arguments: Sequence[str]) -> int:
    """Measure the parts that are asked for."""
    parser = argparse.ArgumentParser(prog="bench.peers")
    parser.add_argument("--draws", type=int, default=600, help="of each row")
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--part", action="append", choices=PARTS, help="repeatable")
    parser.add_argument("--write", action="store_true", help=f"write {page.PAGE}")
    chosen = parser.parse_args(arguments)
    known = others.installed()
    missing = [name for name in others.NAMES if name not in known]
    if missing:
        them = "it is" if len(missing) == 1 else "they are"
        print(f"{listed(missing)} cannot be imported: {them} not measured.")
    if chosen.write and missing:
        parser.error("--write needs all peers")
    if "evalstats" in known:
        others.check_doors()
    commit = _commit()
    for name in chosen.part or PARTS:
        part, begun, rows = PARTS[name], time.process_time(), []
        for case, row in part.rows(chosen.draws, chosen.seed, known):
            rows.append((case, row))
            shown = [
                f"{way} refuses"
                if one is None
                else f"{way} {one.kept.mean():.3f}, {one.width.mean():.3f}"
                for way, one in row.items()
            ]
            print(name, case.world, case.size, *shown, sep=" | ", flush=True)
        draws = next(one.kept.size for _, row in rows if (one := row[OURS]))
        drawn = (
            f"{counted(draws, 'draw')} of each row, seed {chosen.seed}, commit {commit}"
        )
        text = page.section(rows, part.size, drawn, known)
        print(text, f"{time.process_time() - begun:.0f} s", sep="\n")
        if chosen.write:
            page.write(name, text)
    return 0


def _commit() -> str:
    found = subprocess.run(
        ["git", "rev-parse", "--short=8", "HEAD"],
        capture_output=True,
        text=True,
        check=True,
    )
    return found.stdout.strip()


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
