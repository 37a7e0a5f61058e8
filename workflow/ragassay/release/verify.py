"""Verify a release: run `python verify.py` in its folder. Needs Python 3.11 and pyarrow; asks no network.

Every problem is a line; the exit status is 0 if there is none, else 1. `--signers FILE` checks the signature of
SHA256SUMS against the keys in FILE first, with ssh-keygen. Nothing is changed or written.
"""

import argparse
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # a compiled file would be a stray one

from ragassay.release.verification import checks  # noqa: E402


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="verify.py", description="Verify the release in this folder.")
    parser.add_argument("--signers", type=Path, help="allowed signers, as ssh-keygen has them")
    given = parser.parse_args(arguments)
    folder = Path(__file__).resolve().parent
    found = 0
    for problem in checks.problems(folder, given.signers):
        found += 1
        sys.stdout.write(f"{problem}\n")
    sys.stdout.write(f"{found} problems\n" if found else f"{checks.summary(folder)}\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
