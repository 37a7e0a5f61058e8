"""`make estimate`: requests, tokens and dollars of each rule that asks, before anything is asked.

The documents that are needed are collected first, which costs nothing. Then the workflow runs in a scratch folder that
sees the project's files, results and ledger, with rules in the place of every model (see
`ragassay.calls.estimate_caller`). So it counts exactly the jobs that a run would start now, and only requests that are
not in the ledger. Nothing in the project changes but the documents.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from ragassay.base.errors import AssayError
from ragassay.base.text_table import aligned
from ragassay.calls import estimate_bounds
from ragassay.calls.estimate_bounds import FOLDER
from ragassay.calls.ledger.calls import PICO
from ragassay.calls.overview import ESTIMATE
from ragassay.config import settings

OWN = {"results", "logs", ".snakemake", ".git"}  # everything else of the project is linked
COLUMNS = ["requests", "requests_at_most", "in_the_ledger", "samples", "prompt_tokens", "completion_tokens"]


def estimate(targets: list[str]) -> int:
    """Print the table for the jobs that these targets need; returns Snakemake's exit status."""
    environment = os.environ | dict.fromkeys(_keys(targets) - os.environ.keys(), "not needed for an estimate")
    if status := _snakemake([*targets, "--until", "collect_documents"], environment, Path()):
        return status
    Path(".snakemake").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="estimate-", dir=".snakemake") as scratch:
        rows = Path(scratch, "rows")
        rows.mkdir()
        project = Path(scratch, "project")
        _copy_of_links(Path.cwd(), project)
        if status := _snakemake(targets, environment | {FOLDER: str(rows.resolve())}, project):
            return status
        found = [json.loads(path.read_text()) for path in sorted(rows.glob("*.json"))]
        registered = json.loads((rows / estimate_bounds.FILE).read_text())
        found = estimate_bounds.bounded(found, registered, project)
    sums = {name: sum(row.get(name, 0) for row in found) for name in ("calls", "pico")}
    ESTIMATE.write_text(json.dumps({"requests": sums["calls"], "dollars": sums["pico"] / PICO}))
    sys.stdout.write(table(found))
    sys.stdout.write("\n".join(["", "Settings that save calls:", *estimate_bounds.switch_lines(found, registered), ""]))
    return 0


def table(rows: list[dict]) -> str:
    """One line for each rule and model, and their sum."""
    sums = {}
    for row in rows:
        numbers = {name: row.get(name, 0) for name in (*COLUMNS, "pico", "pico_at_most")}
        sums.setdefault((row["rule"], row["model"]), Counter()).update(numbers)
    lines = [["rule", "model", *(name.replace("_", " ") for name in COLUMNS), "dollars", "at most"]]
    for (rule, model), counts in [*sums.items(), (("all", ""), sum(sums.values(), Counter()))]:
        dollars = (f"{counts[name] / 1e12:,.4f}" for name in ("pico", "pico_at_most"))
        lines.append([rule, model, *(f"{counts[name]:,}" for name in COLUMNS), *dollars])
    return aligned(lines, left=2) + "\nNothing was asked or paid.\n"


def _keys(arguments):
    """The variables that hold keys, which Snakemake wants to see set."""
    parser = argparse.ArgumentParser(allow_abbrev=False, add_help=False)
    parser.add_argument("--configfile", "--configfiles", nargs="+", default=[])
    files = ["config/config.yaml", *parser.parse_known_args(arguments)[0].configfile]
    sections = [settings.read(file).get("models") for file in files]
    models = [model for section in sections if isinstance(section, dict) for model in section.values()]
    variables = [model.get("key_variable") for model in models if isinstance(model, dict)]
    return {variable for variable in variables if isinstance(variable, str)}


def _snakemake(arguments, environment, folder):
    command = [
        sys.executable,
        "-m",
        "snakemake",
        "--quiet",
        "host",
        "rules",
        "reason",
        "--profile",
        "profiles/default",
        *arguments,
    ]
    return subprocess.run(command, cwd=folder, env=environment).returncode


def _copy_of_links(project, scratch):
    """The project as links, with the times of what they point to, because Snakemake looks at those of the links."""
    scratch.mkdir()
    for path in project.iterdir():
        if path.name not in OWN:
            (scratch / path.name).symlink_to(path)
    for path in project.glob("results/**/*"):
        own = scratch / path.relative_to(project)
        if path.is_dir():
            own.mkdir(parents=True, exist_ok=True)
        else:
            own.parent.mkdir(parents=True, exist_ok=True)
            own.symlink_to(path)
            found = path.stat()
            os.utime(own, ns=(found.st_atime_ns, found.st_mtime_ns), follow_symlinks=False)
    if (metadata := project / ".snakemake/metadata").is_dir():
        shutil.copytree(metadata, scratch / ".snakemake/metadata")


def main(arguments: list[str]) -> int:
    try:
        return estimate(arguments)
    except AssayError as error:
        sys.stderr.write(f"estimate: {error}\n")
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
