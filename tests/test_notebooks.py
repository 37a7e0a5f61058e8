"""The code of docs/notebooks.md runs on the results of a finished project."""

import re
import runpy

from project import ROOT
from ragassay.results import Results


def test_the_code_runs_as_written(done, tmp_path, monkeypatch):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/notebooks.md").read_text(), re.DOTALL)
    program = tmp_path / "notebook.py"
    program.write_text("\n".join(blocks))
    monkeypatch.chdir(done)
    answers = runpy.run_path(str(program))["answers"]
    assert answers["declined"].any() and not answers["declined"].all()
    assert set(Results("results").frame("responses")["prompt"]) == {"basic", "two_shot"}
