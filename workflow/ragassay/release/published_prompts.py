"""The prompts that rows of a release were asked with, each under its digest."""

import shutil
from pathlib import Path

from ragassay.calls.prompts import Prompt
from ragassay.release.gathering import NotReleasable
from ragassay.release.verification.file_pass import FilePass


def copy_prompts(place: Path, passes: dict[str, FilePass], prompts: Path) -> dict[str, str]:
    """digest -> file in the release, of all that tables name. Rows that users bring, asked elsewhere, name none.

    `passes` has what was seen of each file of a table.
    """
    files = {Prompt.load(path).digest: path for path in sorted(prompts.glob("*.yaml"))}
    known = {"": ""}
    (place / "prompts").mkdir()
    for file, seen in passes.items():
        for digest in seen.distinct("prompt").to_pylist():
            if digest not in known:
                known[digest] = _copied(place, files.get(digest), digest, file)
    return dict(sorted(known.items()))


def _copied(place, prompt, digest, file):
    if prompt is None:
        told = f"found the prompt {digest[:16]}..., which is none of resources/prompts"
        raise NotReleasable(f"results/{file.partition('/')[2]}: {told}; restore the prompt, or run the pipeline again")
    shutil.copyfile(prompt, place / "prompts" / prompt.name)
    return f"prompts/{prompt.name}"
