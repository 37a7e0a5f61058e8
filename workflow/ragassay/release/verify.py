"""Verify this release: run `python verify.py` in its folder. Needs Python 3.11 and pyarrow; asks no network, writes
nothing. Every problem is a line; the exit status is 0 if there is none, else 1. It finds accidents, not forgers: for
these, verify with a clone of the project and the publisher's key: `make verify RELEASE=... SIGNERS=...`"""

import argparse
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # a compiled file would be a stray one

from ragassay.release.verification import checks  # noqa: E402


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="verify.py", description="Verify the release in this folder.")
    parser.parse_args(arguments)
    checks.bound_memory()
    folder = Path(__file__).resolve().parent
    return checks.report(folder, checks.problems(folder))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
