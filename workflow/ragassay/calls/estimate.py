"""`make estimate`: requests, tokens and dollars of each rule that asks, before anything is asked. The workflow runs
in a scratch folder that sees the project's files, results and ledger, with rules in the place of every model, so that
it counts exactly what a run would start now. Of new shards with many documents, a sample stands for all. Nothing in the
project changes but the documents, which are collected first; with `--ask` a few of them are asked about for real."""

import argparse
import contextlib
import json
import math
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq

from ragassay.base import code_version, pipeline, tables
from ragassay.base.errors import AssayError
from ragassay.calls import _asking
from ragassay.calls._estimating import FOLDER, estimating
from ragassay.calls.ledger import sharing
from ragassay.calls.ledger.records import PICO
from ragassay.calls.progress import ESTIMATE, summed
from ragassay.config import settings
from ragassay.config.prices import usual_key
from ragassay.config.settings import of_project
from ragassay.schemas.documents import DOCUMENTS

REGISTERED = "registered"
LEFT_OUT = {"results", "logs", ".snakemake", ".git"}  # everything else of the project is linked
LEDGER = Path("ledger")
DOCUMENTS_OF = "results/documents/{}.parquet"
SAMPLE, LEAST = 24, 4  # documents of all new shards together, and of one
COLUMNS = ["requests", "requests_at_most", "in_the_ledger", "samples", "prompt_tokens", "completion_tokens"]


def register(known: dict) -> None:
    """Write down what rule files know beforehand, while Snakemake plans an estimate."""
    if estimating():
        Path(os.environ[FOLDER], REGISTERED).write_text(json.dumps(known))


def estimate(targets: list[str], ask: int = 0, alone: Callable = contextlib.nullcontext) -> int:
    """Print the table for the jobs that these targets need; returns Snakemake's exit status. About `ask` documents it
    asks for real; while it does, `alone` keeps runs off.
    """
    Path(".snakemake").mkdir(exist_ok=True)
    keys = key_variables(pipeline.configfiles(targets))
    environment = os.environ | dict.fromkeys(keys - os.environ.keys(), "not needed for an estimate")
    if status := _snakemake([*targets, "--until", "collect_documents"], environment, Path()):
        return status
    config = of_project(pipeline.configfiles(targets))
    with tempfile.TemporaryDirectory(prefix="estimate-", dir=".snakemake") as scratch:
        rows = Path(scratch, "rows")
        rows.mkdir()
        project = Path(scratch, "project")
        _copy_of_links(Path.cwd(), project)
        new = new_shards(project) if ask else []
        sizes = {path.stem: pq.read_metadata(path).num_rows for path in new}
        documents = _asking.chosen(new, ask)
        samples = sample(project)
        if status := _snakemake(targets, environment | {FOLDER: str(rows.resolve())}, project):
            return status
        registered = json.loads((rows / REGISTERED).read_text())
        jobs = [json.loads(path.read_text()) for path in sorted(rows.glob("*.json"))]
        jobs = bounded([scaled(job, samples) for job in jobs], registered, Path())
        saving, notes = switch_lines(jobs, registered), []
        if ask:
            wanted, place = _asking.targets(project, documents), Path(scratch, "asking")
            sharing.make_folder("ledger")  # which the scratch folder is to see, too
            _copy_of_links(Path.cwd(), place)
            with alone():
                _asking.adopt(LEDGER)  # what an estimate asked that was killed
                if status := _ask(wanted, targets, config, jobs, sizes, documents, place):
                    return status
                rows = _asking.counted(LEDGER, jobs, documents)
                _asking.adopt(LEDGER)
            jobs, notes = _asking.scaled(rows, jobs, set(sizes), sum(sizes.values()))
    sums = {name: sum(job.get(name, 0) for job in jobs) for name in ("calls", "pico")}
    ESTIMATE.write_text(json.dumps({"requests": sums["calls"], "dollars": sums["pico"] / PICO}))
    sys.stdout.write(table(jobs, "\n".join(notes) or "Nothing was asked or paid."))
    for shard, (taken, count) in samples.items():
        if not ask:
            sys.stdout.write(f"Counted for {taken} of the {count:,} documents of {shard}, and scaled.\n")
    sys.stdout.write("\n".join(["", "Settings that save calls:", *saving, ""]))
    return 0


def _ask(wanted, words, config, jobs, sizes, documents, place):
    """Ask about these documents as a run would; says before what that takes. Returns Snakemake's exit status."""
    share = len(documents) / max(1, sum(sizes.values()))
    of_new = [job for job in jobs if job["keys"] and job["keys"][-1] in sizes]
    requests, pico = (share * sum(job.get(name, 0) for job in of_new) for name in ("requests", "pico"))
    predicted = f"about {requests:,.0f} requests and ${pico / PICO:,.4f}, or somewhat more"
    sys.stdout.write(f"Asking about {len(documents)} documents: {predicted}.\n")
    sys.stdout.flush()
    files, others = pipeline.split_configfiles(words)
    files.append(_asking.prepare(place, documents, Path(config["shards"])))
    _asking.lend(LEDGER, documents)
    changed = ["--config", *set_here] if (set_here := _set(others)) else []
    return _snakemake([*wanted, *changed, "--configfile", *files], os.environ, place) if wanted else 0


def _set(words):
    """What `--config` sets among these words."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--config", nargs="+", action="extend", default=[])
    return [word for word in parser.parse_known_args(words)[0].config if "=" in word]


def new_shards(project: Path) -> list[Path]:
    """The documents of shards that no model was asked about."""
    asked = {path.stem for path in project.glob("results/calls/**/*.parquet")}
    return [path for path in sorted(project.glob(DOCUMENTS_OF.format("*"))) if path.stem not in asked]


def sample(project: Path) -> dict[str, tuple[int, int]]:
    """Keep some documents, evenly spaced, of shards that no model was asked about; returns how many, and of how many
    they were taken.
    """
    of_new = new_shards(project)
    most, samples = max(LEAST, SAMPLE // max(1, len(of_new))), {}
    for path in of_new:
        if (count := pq.read_metadata(path).num_rows) > most:
            times = path.stat()
            rows = tables.read(DOCUMENTS, path).take([at * count // most for at in range(most)])
            path.unlink()
            tables.write(DOCUMENTS, path, rows.to_pylist())
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
            samples[path.stem] = (most, count)
    return samples


def scaled(job: dict, samples: dict[str, tuple[int, int]]) -> dict:
    """What a job asks about all documents of its shard."""
    taken, documents = samples.get(job["keys"][-1] if job["keys"] else "", (1, 1))
    counts = {key: round(value * documents / taken) for key, value in job.items() if isinstance(value, int)}
    parts = {part: round(pico * documents / taken) for part, pico in job["parts"].items()}
    return job | counts | {"parts": parts}


def table(rows: list[dict], note: str = "Nothing was asked or paid.") -> str:
    """One line for each rule and model, and their sum."""
    dollars = {"dollars": "pico", "at most": "pico_at_most"}
    rows = [row | {name: row.get(pico, 0) / PICO for name, pico in dollars.items()} for row in rows]
    return summed(rows, COLUMNS, [*dollars], "all") + f"\n{note}\n"


def bounded(rows: list[dict], registered: dict, project: Path) -> list[dict]:
    """The rows of jobs with the requests and dollars that there can be at most. Where a model may write more than the
    reader in its place, that is more than was counted.
    """
    paths = {shard: project / DOCUMENTS_OF.format(shard) for shard in registered["shards"]}
    documents = {shard: pq.read_metadata(path).num_rows if path.exists() else 0 for shard, path in paths.items()}
    with_bounds = []
    for row in rows:
        requests, most = row.get("requests", 0), 0
        if row["keys"] and row["keys"][-1] in documents:
            most = documents[row["keys"][-1]] * registered["most_requests"].get(row["rule"], 0) - row["known"]
            most *= math.ceil(requests / row["calls"]) if requests else 1  # some servers give one sample a request
        most = max(most, requests)
        pico = round(row.get("pico_at_most", 0) * (most / requests if requests else 1))
        with_bounds.append(row | {"requests_at_most": most, "pico_at_most": pico})
    return with_bounds


def switch_lines(rows: list[dict], registered: dict) -> list[str]:
    """What each setting that saves calls costs as it is, and what the ways of asking save."""
    total = sum(row.get("pico", 0) for row in rows)
    lines = []
    for setting, switch in registered["switches"].items():
        concerned, part = [row for row in rows if _concerns(switch, row)], switch.get("part")
        pico = sum(row.get("parts", {}).get(part, 0) if part else row.get("pico", 0) for row in concerned)
        lines.append(f"  {setting}: ${pico / PICO:,.4f}, {pico / total if total else 0:.0%} of all")
    saved = Counter()
    for row in rows:
        saved.update({name: row.get(name, 0) for name in ("pico_online", "pico_singly", "pico_uncached")})
    ways = {"models.{name}.mode batch": "pico_online", "all votes in one request": "pico_singly"}
    ways |= {"prompts that begin alike, from the provider's cache": "pico_uncached"}
    for way, name in ways.items():
        lines.append(f"  saved by {way}: ${(saved[name] - total) / PICO:,.4f}")
    return lines


def _concerns(switch, row):
    """Whether a setting bears on the requests of a job."""
    if row["rule"] != switch["rule"] or row["model"] not in switch.get("models", [row["model"]]):
        return False
    return "keys" not in switch or bool(set(switch["keys"]) & set(row["keys"]))


def key_variables(configfiles: list[str]) -> set[str]:
    """The variables that hold keys, which Snakemake wants to see set."""
    contents = [settings.read(file) for file in [*pipeline.settings_files(), *configfiles]]
    sections = [content.get(section) for content in contents for section in ("models", "services")]
    models = [model for section in sections if isinstance(section, dict) for model in section.values()]
    variables = [model.get("key_variable", usual_key(model)) for model in models if isinstance(model, dict)]
    return {variable for variable in variables if isinstance(variable, str)}


def _snakemake(arguments, environment, folder):
    quiet = ["--quiet", "host", "rules", "reason", "--rerun-incomplete"]  # the last, which profiles set, ends the list
    return pipeline.status_of(pipeline.snakemake(*quiet, *arguments), cwd=folder, env=environment)


def _copy_of_links(project, scratch):
    """The project as links; of results each file is one, since new ones will stand beside them."""
    scratch.mkdir()
    for path in project.iterdir():
        if path.name not in LEFT_OUT:
            (scratch / path.name).symlink_to(path)
    for folder, copy in (("results", _link), (".snakemake/metadata", shutil.copy2)):
        if (project / folder).is_dir():
            shutil.copytree(project / folder, scratch / folder, copy_function=copy)
    if (project / code_version.STORE).is_dir():  # what no change of a project makes wrong
        (scratch / code_version.STORE).parent.mkdir(exist_ok=True)
        (scratch / code_version.STORE).symlink_to(project / code_version.STORE)


def _link(path, link):
    """A link with the times of what it points to: Snakemake looks at those of the link."""
    Path(link).symlink_to(path)
    times = os.stat(path)  # noqa: PTH116
    os.utime(link, ns=(times.st_atime_ns, times.st_mtime_ns), follow_symlinks=False)


def main(arguments: list[str], ask: int = 0, alone: Callable = contextlib.nullcontext) -> int:
    try:
        return estimate(arguments, ask, alone)
    except AssayError as error:
        sys.stderr.write(f"estimate: {error}\n")
        return error.exit_code
