"""What a wheel holds beside the library: the pipeline as it lies in a clone, in the folder ragassay/pipeline."""

import json
import sys
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

PIPELINE = "ragassay.pipeline"
TREES = ["config", "envs", "profiles", "resources"]
TREES += [f"workflow/{name}" for name in ("demo", "report", "rules", "schemas", "scripts", "startup")]
folders = [path for tree in TREES for path in (Path(tree), *Path(tree).rglob("*/")) if path.name != "__pycache__"]
trees = [".".join([PIPELINE, *folder.parts]) for folder in sorted(folders)]


class Build(build_py):
    def run(self):
        super().run()
        sys.path.insert(0, "workflow")
        from ragassay.base import code_version

        file = Path(self.build_lib, *PIPELINE.split("."), code_version.SHIPPED.name)
        file.write_text(json.dumps(code_version.all_parsed()))


setup(
    cmdclass={"build_py": Build},
    script_name=Path(__file__).name,  # so that it is not taken for a module of the folder that it lies in
    packages=[*find_packages("workflow", include=["ragassay", "ragassay.*"]), PIPELINE, *trees],
    package_dir={"": "workflow", PIPELINE: "."},
    package_data={
        "ragassay": ["py.typed", "*.pyi", "**/*.yaml"],
        PIPELINE: ["Snakefile", "requirements.lock"],
        **{tree: ["*"] for tree in trees},
    },
)
