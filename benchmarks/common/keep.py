"""`python keep.py NAME` passes on what a benchmark prints, and keeps its figures in benchmarks/figures/NAME.txt.

Figures of the same names are replaced, all others stay as they are, so that a part of a benchmark can be run alone.
"""

import sys
from pathlib import Path

FIGURES = Path(__file__).resolve().parents[1] / "figures"
KINDS = ("figure", "count")


def kept(before: str, printed: list[str]) -> str:
    """A file of figures after more were printed; those with new names come last."""
    lines = {line.split()[1]: line for line in [*before.splitlines(), *printed]}
    return "".join(f"{line}\n" for line in lines.values())


def keep(name: str) -> None:
    printed = []
    for line in sys.stdin:
        sys.stdout.write(line)
        sys.stdout.flush()
        if line.partition(" ")[0] in KINDS:
            printed.append(line.rstrip("\n"))
    path = FIGURES / f"{name}.txt"
    path.write_text(kept(path.read_text() if path.exists() else "", printed))


if __name__ == "__main__":
    keep(*sys.argv[1:])
