"""What a change re-runs: exactly the jobs that it concerns."""

import subprocess
import sys

import pytest

from snake import NOTHING, TINY, planned, snakemake

METRICS = {"measure_documents": 1, "draw_figures": 1, "render_report": 1}
PAGE = {"measure_calls": 1, "draw_figures": 1, "render_report": 1}  # what follows calls
SELECTION = {"select_questions": 2}
JUDGING = {"judge_scope": 2, "label_scope": 2, **SELECTION}
QUESTIONS = {"write_questions": 2, **JUDGING}
NOVEL = {"remove_supported_claims": 2, **QUESTIONS}
SCOPE = {"extract_claims": 2, "recover_claims": 2, **NOVEL}
ALL = METRICS | PAGE | SCOPE | {"collect_documents": 2, "describe_documents": 1, "draw_figures": 2}
ONE_SHARD = ALL | dict.fromkeys(["collect_documents", *SCOPE], 1)


def test_nothing_is_left_to_do(done):
    assert planned(done, *TINY) == {}


def append(project, name, text):
    with (project / name).open("a") as file:
        file.write(text)


@pytest.mark.parametrize(
    ("module", "jobs"),
    [
        ("scripts/documents/describe_documents.py", {"describe_documents": 1, **METRICS}),
        ("ragassay/schemas/document_statistics.py", {"describe_documents": 1, **METRICS}),
        ("ragassay/report/charts.py", {"draw_figures": 2, "render_report": 1}),
        ("scripts/scope/label_scope.py", {"label_scope": 2, **SELECTION}),
        ("ragassay/splits.py", SELECTION),
        ("ragassay/llm/verdicts.py", JUDGING | PAGE),
        ("ragassay/scope/wording.py", QUESTIONS | PAGE),
        ("ragassay/scope/removal.py", NOVEL | PAGE),
        ("ragassay/embedded/claims.py", SCOPE | PAGE),  # the model is code
        ("ragassay/llm/providers/openai.py", {}),  # not this model's
        ("ragassay/llm/numbered_lists.py", SCOPE | PAGE),
        ("ragassay/report/page.py", {"render_report": 1}),
        ("ragassay/sentences.py", ALL),  # through ragassay.documents
        ("ragassay/tables.py", ALL),
        ("ragassay/docs.py", {}),  # no rule uses it
    ],
)
def test_editing_a_module_reruns_the_rules_that_import_it_and_what_follows(done, module, jobs):
    append(done, f"workflow/{module}", "\nADDED = 1\n")
    assert planned(done, *TINY) == jobs


def test_comments_docstrings_formatting_and_file_times_rerun_nothing(done):
    for path in (done / "workflow").rglob("*.py"):
        path.write_text("# a comment\n" + path.read_text().replace('"""', '"""Said otherwise. ', 1) + "\n\n\n")
    subprocess.run(
        [sys.executable, "-m", "ruff", "format", "-q", "--line-length", "60", "workflow"], cwd=done, check=True
    )
    assert NOTHING in snakemake(done, *TINY, "--dry-run").stdout


def test_a_changed_setting_reruns_the_rules_that_use_it(done):
    config = done / "tests/tiny/config.yaml"
    config.write_text(config.read_text().replace("words_per_bin: 10", "words_per_bin: 20"))
    assert planned(done, *TINY) == METRICS


def test_a_changed_section_redraws_and_a_changed_style_only_renders(done):
    append(done, "workflow/report/page.css", "b { color: var(--mark); }\n")
    assert planned(done, *TINY) == {"render_report": 1}
    append(done, "workflow/report/sections/documents.yaml", "# a remark\n")
    assert planned(done, *TINY) == {"draw_figures": 1, "render_report": 1}


def test_an_input_with_a_new_time_and_the_same_content_reruns_nothing(done):
    (done / "tests/tiny/documents/january.jsonl").touch()
    assert planned(done, *TINY) == {}


def test_a_new_shard_runs_itself_and_the_gathers(done):
    append(done, "tests/tiny/shards.tsv", "2026-03\ttests/tiny/documents/february/bakery.md\n")
    assert planned(done, *TINY) == ONE_SHARD
    snakemake(done, *TINY)
    assert planned(done, *TINY) == {}


def test_a_new_or_changed_file_reruns_its_shard_only(done):
    append(done, "tests/tiny/documents/february/plain.txt", "One sentence more.\n")
    assert planned(done, *TINY) == ONE_SHARD
    snakemake(done, *TINY)
    (done / "tests/tiny/documents/february/third.txt").write_text("A third text. " * 12)
    assert planned(done, *TINY) == ONE_SHARD


def test_a_stage_that_writes_the_same_bytes_reruns_nothing_behind_it_in_the_next_run(done):
    append(done, "workflow/scripts/documents/collect_documents.py", "\nADDED = 1\n")
    shards = [f"results/documents/2026-0{month}.parquet" for month in (1, 2)]
    snakemake(done, *shards, *TINY)
    assert planned(done, *TINY) == {}
