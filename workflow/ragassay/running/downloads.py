"""Models of the Hugging Face hub that a run needs and this machine lacks. Before its first job the run says which they
are and how large, and stops; if it was told to download them, it does so.

Jobs on other machines may find another cache there, so that these look for themselves.
"""

import sys

from ragassay.base.errors import AssayError
from ragassay.config.narrowing import texts
from ragassay.config.settings import refuse
from ragassay.models import files
from ragassay.running.leftovers import size

PATIENCE = 5  # seconds for the hub to say how large a model is


class DownloadError(AssayError):
    """The hub did not give a model."""


def begin(workflow, entries: dict[tuple, dict], config: dict, config_files: list) -> None:
    """When the first job is about to start; `entries` are those of `plan.models.of_hub`."""
    if not workflow.local_exec or not (missing := lacking(entries)):
        return
    used = {text for job in workflow.dag.needrun_jobs() for text in texts(job.params.get("settings"))}
    needed = {key: entry for key, entry in missing.items() if entry["model"] in used}
    if config["download"]:
        for entry in {(entry["model"], _revision(entry)): entry for entry in needed.values()}.values():
            fetch(entry)
    else:
        refuse([((*key, "model"), _problem(entry)) for key, entry in needed.items()], config, config_files)


def lacking(entries: dict[tuple, dict]) -> dict[tuple, dict]:
    """Those of the hub's entries that its cache does not hold."""
    return {key: entry for key, entry in entries.items() if not _is_here(entry)}


def _is_here(entry):
    try:
        return files.in_cache(entry["model"], _revision(entry)) is not None
    except ValueError:  # no name of the hub's
        return False


def fetch(entry: dict) -> None:
    """Download what is read of a model into the hub's cache."""
    import httpx2
    from huggingface_hub import snapshot_download

    sys.stderr.write(f"Downloading {_sized(entry)}\n")
    try:
        snapshot_download(entry["model"], revision=_revision(entry), allow_patterns=files.WANTED)
    except (OSError, ValueError, httpx2.HTTPError) as error:
        remedy = (
            "check its name on huggingface.co, whether it asks for your consent (then set HF_TOKEN), and the network"
        )
        raise DownloadError(f"{entry['model']}: the hub does not give it ({_first_line(error)}); {remedy}") from error


def _problem(entry):
    given, revision = entry["model"], _revision(entry)
    missing = f"found neither a folder {given!r} nor a model of that name in the hub's cache"
    command = f"hf download {given}" + (f" --revision {revision}" if revision else "")
    return f"{missing}; to download {_sized(entry)}, add --config download=True, or fetch it with: {command}"


def _sized(entry):
    """A model and what is to be downloaded of it, as far as the hub says so."""
    import httpx2
    from huggingface_hub import HfApi

    try:
        facts = HfApi().model_info(entry["model"], revision=_revision(entry), files_metadata=True, timeout=PATIENCE)
    except (OSError, ValueError, httpx2.HTTPError) as error:
        return f"{entry['model']} (of unknown size: {_first_line(error)})"
    read = [file.size or 0 for file in facts.siblings or () if file.rfilename.endswith(files.READ)]
    return f"{entry['model']} ({size(sum(read))})"


def _revision(entry):
    return (entry.get("options") or {}).get("revision")


def _first_line(error):
    return str(error).strip().split("\n")[0][:200]
