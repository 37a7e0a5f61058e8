"""The workflow itself in a clone, so that neither the project nor its results change."""

import contextlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = (ROOT / "../shared/data").resolve()  # of others, beside the project


@contextlib.contextmanager
def cloned() -> Iterator[Path]:
    """A clone of what is committed, beside the same data of others; it goes with the block."""
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        clone = Path(folder, "clone")
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        Path(folder, "shared").symlink_to(ROOT.parent / "shared")
        yield clone


def snakemake(clone: Path, *words, **more) -> subprocess.CompletedProcess:
    """Run it there; `more` is for the process."""
    return subprocess.run(
        [sys.executable, "-m", "snakemake", *words, "--quiet", "rules"], cwd=clone, check=True, **more
    )
