"""The workflow itself on data of others, in a clone, so that neither the project nor its results change."""

import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
DATA = (ROOT / "../shared/data").resolve()


def result(target: str, prepare, figures, project=None) -> None:
    """Hand the finished file to `figures`. `prepare` puts files into a clone and gives the settings that use them; of a
    `project` where this was run before, the file is read as it is.
    """
    if project:
        return figures(Path(project, target))
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        clone = Path(folder, "clone")
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        (clone / "data").mkdir()
        (clone / "mine.yaml").write_text(yaml.safe_dump(prepare(clone)))
        command = [sys.executable, "-m", "snakemake", target, "--quiet", "rules", "--configfile", "mine.yaml"]
        subprocess.run(command, cwd=clone, check=True)
        return figures(clone / target)
