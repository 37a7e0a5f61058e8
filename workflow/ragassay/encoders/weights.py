"""Find an encoder's files on this machine and say exactly which they are. Fetches nothing and runs none of their code.

Weights are read as safetensors only: pickled weights can run code, so a folder that has nothing else is refused.
"""

import hashlib
import importlib.util
import json
from pathlib import Path

from ragassay.errors import AssayError

READ = (".safetensors", ".json", ".txt", ".model")  # of a model's files, those that can change its vectors
OTHERS = frozenset({"README.md", "data_config.json"})


class WeightsError(AssayError):
    """An encoder's files are missing or cannot be trusted."""


def folder(name: str, model: str, revision: str | None = None) -> Path:
    """The folder with a model's files."""
    found = _in_package(model.removeprefix("package:")) if model.startswith("package:") else Path(model)
    if found is None or not found.is_dir():
        found = None if model.startswith("package:") else _in_cache(model, revision)
    if found is None:
        raise WeightsError(
            f"encoder {name}: found no {model!r} on this machine, expected a folder, package:<package>/<folder>, or"
            f" a model in the hub's cache; nothing is downloaded during a run, so fetch it first: hf download {model}"
        )
    for part in _parts(found):
        files = sorted(path.name for path in part.iterdir())
        pickled = [file for file in files if file.endswith((".bin", ".pt", ".pth", ".pkl", ".ckpt"))]
        if not any(file.endswith(".safetensors") for file in files) and (pickled or part == first(found)):
            holds = f"only pickled weights ({pickled[0]})" if pickled else "no weights"
            raise WeightsError(
                f"encoder {name}: {part} holds {holds}, expected safetensors; convert them, or take a revision"
                " that has them"
            )
    return found


def _parts(found):
    """The folders that weights are read from."""
    return sorted({found, *(found / path for path in _modules(found) if (found / path).is_dir())})


def first(found: Path) -> Path:
    """The folder with the weights of what reads the text."""
    return found / next(iter(_modules(found)), "")


def _modules(found):
    """The folders of a sentence-transformers model's modules, in the order in which they run."""
    path = found / "modules.json"
    return [module["path"] for module in json.loads(path.read_text())] if path.is_file() else []


def _in_package(place):
    package, _, inside = place.partition("/")
    spec = importlib.util.find_spec(package) if package.isidentifier() else None
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0], inside)


def _in_cache(model, revision):
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(model, revision=revision, local_files_only=True))
    except (HFValidationError, LocalEntryNotFoundError):
        return None


def digest(folder: Path, *more: str) -> str:
    """A hash over all files of a model that are read; `more` are suffixes of files that an encoder would not read."""
    total, suffixes = hashlib.sha256(), (*READ, *more)
    for path in sorted(path for path in folder.rglob("*") if path.suffix in suffixes and path.name not in OTHERS):
        with path.open("rb") as content:
            total.update(f"{path.relative_to(folder).as_posix()}\0".encode())
            total.update(hashlib.file_digest(content, "sha256").digest())
    return total.hexdigest()


def prompts(folder: Path) -> dict[str, str]:
    """What a sentence-transformers model wants before its texts, by role."""
    path = folder / "config_sentence_transformers.json"
    return json.loads(path.read_text()).get("prompts") or {} if path.is_file() else {}
