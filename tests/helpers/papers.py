"""A made-up section, as files for a paper, and what LaTeX asks of them."""

import re

from project import ROOT
from ragassay.base import tables
from ragassay.schemas.report import METRICS, metric
from scripts.report.typeset_paper import typeset_paper
from scripts.report.typeset_section import typeset_section

DESCRIPTION = """
title: Study of 100 % & more
text: Read `a_b` first.
parts:
  - {kind: lines, table: curve, title: Curve_1, caption: "It `may_rise`.", label: [model], at: at, metric: right, x: X, y: Y}
  - {kind: table, table: curve, title: Numbers, caption: C, columns: {set: Set, model: Model, at: At, right: Right}}
details:
  - {kind: dots, table: nothing, title: T, caption: C, label: [model], metric: right, x: X}
"""  # noqa: E501


def typeset(folder, names, width=174, places=2, index_recall=()):
    keys = [{"set": "s", "model": name, "at": str(at)} for name in names for at in range(places)]
    rows = [metric("study", "curve", key, "right", 1 / 3, 60, 0.25, 0.5) for key in keys]
    tables.write(METRICS, folder / "study.parquet", rows)
    (folder / "study.yaml").write_text(DESCRIPTION)
    typeset_section(folder / "study.parquet", folder / "study.yaml", index_recall, folder / "paper/study", width)
    preamble = ROOT / "workflow/report/preamble.tex"
    typeset_paper([folder / "paper/study"], preamble, folder / "paper/report.tex", title="A & B")
    return {path.relative_to(folder / "paper").as_posix(): path for path in (folder / "paper").rglob("*.*")}


def check(text):
    """Environments and braces are closed in their order, and no special character of a text is alone."""
    bare = re.sub(r"(?m)^%.*$", "", text)
    open_environments = []
    for kind, name in re.findall(r"(?<!\\)\\(begin|end)\{(\w+)\}", bare):
        if kind == "begin":
            open_environments.append(name)
        else:
            assert open_environments.pop() == name
    assert not open_environments
    depth = 0
    for brace in re.findall(r"[{}]", re.sub(r"\\[{}\\]", "", bare)):
        depth += 1 if brace == "{" else -1
        assert depth >= 0
    assert depth == 0
    assert not re.search(r"(?<!\\)[#$^~]", re.sub(r"\{#1\}|#1|\[1\]", "", bare))
