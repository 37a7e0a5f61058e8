"""What a wheel brings runs in any folder: as a command, from elsewhere, and as a module of another workflow."""

import json
import subprocess

import pyarrow.parquet as pq
import pytest

from installation import ASKED, LABELS, SETTINGS, environment, handbooks
from project import NOTHING, ROOT, snakemake
from ragassay.base.code_version import code_version

PIPELINE = ("Snakefile", "config", "envs", "profiles", "resources", "workflow")
CALLER = """
configfile: "config/config.yaml"


module ragassay:
    snakefile:
        "{snakefile}"
    config:
        config["ragassay"]


use rule * from ragassay as ragassay_*


rule count:
    default_target: True
    input:
        "results/documents/2026-11.parquet",
    output:
        "count.txt",
    shell:
        "wc -c < {{input}} > {{output}}"
"""


def test_a_wheel_has_all_of_the_pipeline_and_nothing_else(installation):
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *PIPELINE]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    names = [name for name in names if (ROOT / name).is_file()]
    library = [name.removeprefix("workflow/") for name in names if name.startswith("workflow/ragassay/")]
    tools = [name for name in names if name.startswith("workflow/tools/")]
    pipeline = {*names} - {f"workflow/{name}" for name in library} - {*tools}
    more = {"ragassay/pipeline/requirements.lock", "ragassay/pipeline/parsed.json"}
    expected = {f"ragassay/pipeline/{name}" for name in pipeline} | {*library} | more
    docs = {name for name in expected if name.endswith(".md") and name.startswith("ragassay/schemas/")}
    [record] = installation.site.glob("ragassay-*.dist-info/RECORD")
    files = {line.partition(",")[0] for line in record.read_text().splitlines()}
    assert {name for name in files if name.startswith("ragassay/")} == expected - docs


def test_a_run_elsewhere_leaves_its_results_there_and_the_installation_as_it_was(finished):
    assert pq.read_metadata(finished / LABELS).num_rows > 0
    assert "Two handbooks" in (finished / "results/report/index.html").read_text()
    assert (finished / "output.txt").read_text().splitlines()[-1] == "next: ragassay show"
    assert {path.name for path in finished.iterdir() if not path.name.startswith(".")} == {
        *("handbook", "ledger", "logs", "output.txt", "ragassay.yaml", "results", "shards.tsv")
    }


def test_a_second_run_does_nothing_from_whatever_folder(ours, installation, tmp_path):
    assert NOTHING in installation.run("run", *ASKED, folder=ours).stdout
    assert NOTHING in installation.run("run", *ASKED, "--directory", str(ours), folder=tmp_path).stdout


def test_a_prompt_of_the_projects_own_takes_the_place_of_the_pipelines(ours, installation):
    prompt = "resources/prompts/judge_scope.yaml"
    text = (installation.pipeline / prompt).read_text()
    (ours / prompt).parent.mkdir(parents=True)
    (ours / prompt).write_text(text)
    planned = installation.run("run", LABELS, "--dry-run", folder=ours).stdout
    assert "judge_scope" in planned and "extract_claims" not in planned.split("Job stats:")[1]


def test_a_clone_plans_the_same_code_and_needs_nothing_anew(ours, installation):
    script = "from ragassay.base.code_version import code_version; print(code_version('labels/judge_scope.py'))"
    command = [installation.python, "-c", script]
    done = subprocess.run(command, cwd=ours, env=environment(), capture_output=True, text=True, check=True)
    assert done.stdout.strip() == code_version("labels/judge_scope.py")
    again = snakemake(ours, "--snakefile", str(ROOT / "Snakefile"), "--dry-run", *ASKED, processes=True).stdout
    assert NOTHING in again


def test_another_workflow_uses_it_as_a_module(installation, tmp_path):
    caller = handbooks(tmp_path / "caller")
    settings = "".join(f"  {line}\n" for line in SETTINGS.splitlines())
    (caller / "ragassay.yaml").unlink()
    (caller / "config").mkdir()
    (caller / "config/config.yaml").write_text(f"ours: true\nragassay:\n{settings}")
    (caller / "Snakefile").write_text(CALLER.format(snakefile=installation.pipeline / "Snakefile"))
    installation.snakemake("--cores", "1", folder=caller)
    assert int((caller / "count.txt").read_text()) == (caller / "results/documents/2026-11.parquet").stat().st_size
    assert NOTHING in installation.snakemake("--cores", "1", folder=caller).stdout
    everything = installation.snakemake("--cores", "1", "--dry-run", "ragassay_report", folder=caller).stdout
    assert "ragassay_render_front" in everything


def test_results_are_opened_without_the_pipeline(finished, installation, tmp_path):
    script = "import sys; from ragassay import Results; print(len(Results(sys.argv[1]).frame('scope_labels')))"
    command = [installation.python, "-I", "-c", script, finished / "results"]
    done = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=True)
    assert int(done.stdout) == pq.read_metadata(finished / LABELS).num_rows


def test_a_folder_without_configuration_is_told_how_to_get_one(installation, tmp_path):
    done = installation.run("run", folder=tmp_path, check=False)
    assert done.returncode == 1
    assert "ragassay.yaml: no such file" in done.stdout and "ragassay init" in done.stdout
    assert "Traceback" not in done.stdout


def test_the_door_is_open_and_nothing_is_loaded_before_it_is_used(installation, tmp_path):
    script = (
        "import ragassay, sys, json; print(json.dumps([dir(ragassay), sorted({*sys.modules} & {'torch', 'pandas'})]))"
    )
    command = [installation.python, "-c", script]
    done = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [["Detector", "Gate", "Guard", "Probe", "Results", "Screen"], []]


@pytest.mark.parametrize("name", ["py.typed", "__init__.pyi"])
def test_types_come_along(installation, name):
    assert (installation.site / "ragassay" / name).is_file()
