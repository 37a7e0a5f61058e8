"""What a change re-runs: exactly the jobs that it concerns."""

import re
import shutil
import subprocess
import sys
from collections import Counter

import pytest

from project import NOTHING, ROOT, TINY, planned, snakemake

RULES = ROOT / "workflow/rules"
ENTRY, METRICS_OF = re.compile(r'^SECTIONS\["(\w+)"\] = (.*)$', re.MULTILINE), re.compile(r'"metrics": "(\w+)"')
SHOWN = "documents crawl scope responses retrieval detectors months calls".split()
SECTIONS = {f"measure_{name}" for name in SHOWN}
# rule -> the sections of the tiny pipeline that describe its metrics
REGISTERED = {name: entry for rules in RULES.glob("*.smk") for name, entry in ENTRY.findall(rules.read_text())}
DESCRIBED = Counter(
    f"measure_{METRICS_OF.search(entry)[1] if METRICS_OF.search(entry) else name}"
    for name, entry in REGISTERED.items()
    if "shown" not in entry or name in ("crawl", "months")
)
SCOPE_PAGE = dict.fromkeys(("measure_responses", "measure_detectors"), "measure_scope")
PAGE_OF = SCOPE_PAGE | {"measure_crawl": "measure_documents", "measure_retrieval": "relevance"}
RENDERED = {"render_page": 5, "render_front": 1}
PER_SHARD = {"respond": 2, "judge_defusion": 4, "label_defusion": 2}  # by prompts, and by ways to ask the judge


def jobs(*parts, shards=3, gathers=()):
    """rule -> jobs: one per shard for rules, one for gathers, and figures and page where a section changes; the three
    detectors learn again where the selection of questions changes.
    """
    found = {rule: shards * PER_SHARD.get(rule, 1) for part in parts for rule in part.split()}
    figures = sum(DESCRIBED[section] for section in SECTIONS & set(gathers))
    pages = {PAGE_OF.get(section, section) for section in SECTIONS & set(gathers)}
    drawn = {"draw_figures": figures, "render_page": len(pages)}
    shown = drawn | dict.fromkeys(("write_findings", "render_front"), 1) if figures else {}
    trained = {"train_detector": 3, "apply_detectors": 3} if SELECTION in found else {}
    return found | trained | dict.fromkeys(gathers, 1) | shown


SELECTION = "select_questions"
JUDGING = f"judge_scope label_scope judge_defusion label_defusion {SELECTION}"
QUESTIONS = f"write_questions compute_hardness respond answer_closed_book {JUDGING}"
NOVEL = f"remove_supported_claims {QUESTIONS}"
RECOVERED = f"recover_claims {NOVEL}"
SCOPE = f"extract_claims {RECOVERED}"
DOCUMENTS = f"collect_documents {SCOPE}"
CLUSTERS = f"find_duplicates {DOCUMENTS}"
# What gathers, if questions stay, ...
GRADED = "grade_hardness measure_scope measure_responses measure_detectors measure_months list_questions".split()
SEARCHED = ("search_bm25", "search_dense", "measure_retrieval")
SCOPE_ONLY = (*GRADED, "gate_questions", "collect_queries", *SEARCHED)  # ... if no model is asked anew
ASKED = (*SCOPE_ONLY, "measure_calls")
ALL = (*ASKED, "collect_passages", "embed_passages", "describe_documents", "measure_documents", "measure_crawl")
READING = {"read_articles": 2, "extract_articles": 1}


def append(project, name, text):
    with (project / name).open("a") as file:
        file.write(text)


@pytest.fixture(scope="module")
def shared(tiny, tmp_path_factory):
    """A project whose tiny pipeline has run, for tests that leave it as it was."""
    return shutil.copytree(tiny, tmp_path_factory.mktemp("shared") / "project", symlinks=True)


APART = "scripts/documents/describe_documents.py scripts/hardness/grade_hardness.py ragassay/report/pages.py"


@pytest.mark.parametrize(
    ("modules", "expected"),
    [
        (APART, {"describe_documents": 1, **jobs(gathers=("measure_documents", *GRADED)), **RENDERED}),
        ("scripts/labels/label_scope.py", jobs("label_scope", SELECTION, gathers=SCOPE_ONLY)),
        ("ragassay/grading/verdicts.py", jobs(JUDGING, gathers=ASKED)),
        ("ragassay/calls/providers/_rules/reading.py", jobs(SCOPE, gathers=ASKED)),  # the model is code
        ("ragassay/news/extraction/extractor.py", {"extract_articles": 1, **jobs(CLUSTERS, shards=1, gathers=ALL)}),
        ("ragassay/base/tables.py", READING | jobs(CLUSTERS, gathers=ALL)),
    ],
)
def test_editing_a_module_reruns_the_rules_that_import_it_and_what_follows(shared, modules, expected):
    before = {shared / "workflow" / module: (shared / "workflow" / module).read_text() for module in modules.split()}
    for file, text in before.items():
        file.write_text(text + "\nADDED = 1\n")
    plan = planned(shared, *TINY)
    for file, text in before.items():
        file.write_text(text)
    assert plan == expected


UNCONCERNED = {
    "demo/lm/training.py": "the shipped model is not trained here",
    "ragassay/studies/scope/detectors/kinds/similarity.py": "not one of these detectors",
    "ragassay/calls/providers/openai.py": "not this model's",
    "ragassay/news/crawl.py": "what was crawled stays",
    "tools/docs.py": "no rule uses it",
}


def test_what_concerns_no_job_reruns_nothing(done):
    """Other modules, comments, docstrings, formatting, times of files, and how a model is called."""
    for module in UNCONCERNED:
        append(done, f"workflow/{module}", "\nADDED = 1\n")
    for path in (done / "workflow").rglob("*.py"):
        path.write_text("# a comment\n" + path.read_text().replace('"""', '"""Said otherwise. ', 1) + "\n\n\n")
    subprocess.run(
        [sys.executable, "-m", "ruff", "format", "-q", "--line-length", "60", "workflow"], cwd=done, check=True
    )
    (done / "tests/tiny/documents/january.jsonl").touch()  # an input with a new time and the same content
    access = "mode: replay, concurrency: 7, requests_per_minute: 600, tokens_per_minute: 90000, timeout: 60"
    money = "budget_usd: 1, price: {input: 1, output: 2}"
    append(done, "tests/tiny/config.yaml", f"\nmodels:\n  careful: {{{access}, {money}}}\n")
    assert NOTHING in snakemake(done, *TINY, "--dry-run").stdout


def test_settings_and_weights_rerun_the_rules_that_use_them_and_ask_no_model(done):
    """A setting of figures, one of hardness, and other weights in the same folder, on which a detector learns again."""
    config = done / "tests/tiny/config.yaml"
    text = config.read_text().replace("words_per_bin: 10", "words_per_bin: 20")
    config.write_text(text.replace("per_stratum: 2", "per_stratum: 2\n    limits: [0.4]"))
    weights = done / "resources/demo/demo-lm/model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-2] + b"\0\0")
    measured = jobs("compute_hardness", gathers=(*GRADED, "measure_documents"))
    assert planned(done, *TINY) == {"train_detector": 1, "apply_detectors": 3, **measured}


def test_a_changed_section_redraws_and_a_changed_style_only_renders(done):
    append(done, "workflow/report/page.css", "b { color: var(--mark); }\n")
    assert planned(done, *TINY) == RENDERED
    append(done, "workflow/report/sections/documents.yaml", "# a remark\n")
    assert planned(done, *TINY) == {"write_findings": 1, "draw_figures": 1, **RENDERED}


def test_a_new_shard_and_a_changed_file_run_themselves_what_may_be_near_duplicates_and_the_gathers(done):
    plain = done / "tests/tiny/documents/february/plain.txt"
    before = plain.read_text()
    changed = {"read_articles": 1, "find_duplicates": 1, **jobs(DOCUMENTS, shards=2, gathers=ALL)}
    append(done, plain.relative_to(done), "One sentence more.\n")
    assert planned(done, *TINY) == changed
    plain.write_text(before)
    (done / "new.txt").write_text("A new text of its own that nobody has seen. " * 4)
    append(done, "tests/tiny/shards.tsv", "2026-10\tnew.txt\t\t\t\t\n")
    gathers = set(ALL) - {"measure_crawl"}  # it is not crawled
    applied = {"apply_detectors": 4}  # trained on all shards, to each
    assert planned(done, *TINY) == {"read_articles": 1, **jobs(CLUSTERS, shards=1, gathers=gathers), **applied}
    append(done, plain.relative_to(done), "One sentence more.\n")
    read = {"read_articles": 2, "find_duplicates": 2}
    assert planned(done, *TINY) == {**read, **jobs(DOCUMENTS, gathers=ALL), **applied}
    snakemake(done, "documents", *TINY)
    assert planned(done, "documents", *TINY) == {}
    (done / "tests/tiny/documents/february/third.txt").write_text("A third text. " * 12)
    described = dict.fromkeys(["read_articles", "describe_documents", "measure_documents"], 1)
    assert planned(done, "documents", *TINY) == {**described, "find_duplicates": 1, "collect_documents": 3}


def test_a_stage_that_writes_the_same_bytes_reruns_nothing_behind_it_in_the_next_run(done):
    append(done, "workflow/scripts/documents/collect_documents.py", "\nADDED = 1\n")
    shards = [f"results/documents/2026-0{month}.parquet" for month in (1, 2, 9)]
    snakemake(done, *shards, *TINY)
    assert planned(done, *TINY) == {}


def test_another_model_behind_a_name_is_asked_again(done):
    append(done, "tests/tiny/config.yaml", "\nmodels:\n  careful: {sampling: {seed: 1}}\n")
    asked = f"respond answer_closed_book {JUDGING}"  # it judges and responds, and others write the questions
    assert planned(done, *TINY) == jobs(asked, gathers=ASKED)


PROMPTS = ("judge_scope", "respond_two_shot", "extract_claims", "detect_scope", "answer_closed_book")


def test_what_a_prompt_says_reruns_what_reads_it_and_a_comment_or_a_description_nothing(done):
    for name in PROMPTS:
        file = done / f"resources/prompts/{name}.yaml"
        described = re.sub("description: .*", "description: said in other words", file.read_text())
        assert described != file.read_text()
        file.write_text(f"# a remark\n\n{described}\n")
    assert NOTHING in snakemake(done, *TINY, "--dry-run").stdout
    judging, responding = done / "resources/prompts/judge_scope.yaml", done / "resources/prompts/respond_two_shot.yaml"
    before = judging.read_text()
    judging.write_text(before.replace("Being about", "To be about"))
    assert planned(done, *TINY) == jobs(f"judge_scope label_scope {SELECTION}", gathers=ASKED)
    judging.write_text(before)
    responding.write_text(responding.read_text().replace("in one to three sentences", "in one or two sentences"))
    plan = planned(done, *TINY)
    assert (plan["respond"], plan["judge_defusion"], "judge_scope" in plan) == (3, 6, False)


@pytest.mark.parametrize(
    ("gone", "settings", "message"),
    [
        (["respond_basic", "respond_two_shot"], "", "scope.responding.prompts: found the prompt 'two_shot', expected"),
        (["extract_claims"], "", "resources/prompts/extract_claims.yaml: no such file; rule extract_claims reads it"),
    ],
)
def test_an_input_that_is_gone_stops_a_finished_project(done, gone, settings, message):
    """Snakemake itself would keep what was made of it, and end well."""
    for name in gone:
        (done / f"resources/prompts/{name}.yaml").unlink()
    (done / "own.yaml").write_text(settings or "{}")
    refused = snakemake(done, "--dry-run", *TINY, "own.yaml", check=False)
    assert refused.returncode == 1 and message in refused.stdout
    assert NOTHING not in refused.stdout
