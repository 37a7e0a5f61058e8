"""Rule files stand by themselves: each imports what it uses, and a study registers what others collect of it."""

import ast
import builtins
import io
import re
import sys
from types import SimpleNamespace

import pytest
from snakemake.api import Workflow
from snakemake.ioutils import register_in_globals
from snakemake.parser import parse

from project import ROOT, TINY, snakemake

RULES = ROOT / "workflow/rules"
FILES = [ROOT / "Snakefile", *sorted(path for path in RULES.glob("*.smk") if path.name != "common.smk")]
COLLECTING = ["calls", "release", "report"]
# What Snakemake puts into the names of a rule file, beside what its module imports.
SNAKEMAKE = dict(vars(sys.modules[Workflow.__module__]))
register_in_globals(SNAKEMAKE)
GIVEN = {*vars(builtins), *SNAKEMAKE, "workflow", "config", "rules", "checkpoints", "__file__"}


def tree(text):
    """What Snakemake makes of a rule file, as Python."""
    file = SimpleNamespace(get_path_or_uri=lambda secret_free: "file.smk")
    cache = SimpleNamespace(open=lambda _: io.StringIO(text))
    return ast.parse(parse(file, SimpleNamespace(sourcecache=cache), {})[0])


def stored(tree):
    """The names that a file defines or imports."""
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    names |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    names |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    return names | {(alias.asname or alias.name).split(".")[0] for node in imports for alias in node.names}


def unknown(text):
    """The names that a rule file uses and has neither from itself nor from common.smk nor from Snakemake."""
    found = tree(text)
    used = {node.id for node in ast.walk(found) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    changed = [node.target for node in ast.walk(found) if isinstance(node, ast.AugAssign)]
    changed = {target.id for target in changed if isinstance(target, ast.Name)}  # others are changed inside
    common = stored(tree((RULES / "common.smk").read_text()))
    return (used | changed) - (stored(found) - changed) - common - GIVEN


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.stem)
def test_every_name_in_a_rule_file_is_its_own_or_commons(file):
    collected = stored(tree((RULES / "report.smk").read_text())) if file.name == "Snakefile" else set()
    assert not unknown(file.read_text()) - collected


def test_a_name_of_another_rule_file_is_found():
    text = (RULES / "labels.smk").read_text()
    leaking = text.replace("models, question_sets, questions", "models, questions").replace(
        "ALL = plan", "OTHER = plan"
    )
    assert unknown(leaking) == {"question_sets", "ALL"}
    assert unknown("PLAIN += [1]\n") == {"PLAIN"}


def test_what_collects_is_included_after_the_studies_and_names_none_of_their_tables():
    included = re.findall(r'^include: "workflow/rules/(\w+)\.smk"', (ROOT / "Snakefile").read_text(), re.MULTILINE)
    assert included[0] == "common" and included[-len(COLLECTING) :] == COLLECTING
    assert {f"{name}.smk" for name in included} == {path.name for path in RULES.glob("*.smk")}
    for name in ("calls", "report"):
        named = set(re.findall(r'"results/([^/{"]+)', (RULES / f"{name}.smk").read_text()))
        assert named <= {"metrics", "findings", "figures", "report", "examples"}, name


def test_a_section_that_nobody_registers_stops_the_plan_in_one_line(project):
    (project / "workflow/report/sections/tides.yaml").write_text("title: Tides\nparts: []\n")
    (project / "own.yaml").write_text("report: {sections: [documents, tides]}\n")
    refused = snakemake(project, "--dry-run", *TINY, "own.yaml", check=False)
    assert refused.returncode == 1 and "Traceback" not in refused.stdout
    assert "report.sections: found the section 'tides', expected one of: documents, crawl, scope" in refused.stdout
