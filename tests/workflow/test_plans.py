"""Plans: the papers' settings and many shards build their graph; a wrong configuration stops before any job."""

import re

import pytest

from snake import TINY, planned, snakemake

ASKING = {
    "extract_claims",
    "recover_claims",
    "remove_supported_claims",
    "write_questions",
    "judge_scope",
    "respond",
    "answer_closed_book",
    "judge_defusion",
}


def test_the_papers_settings_build_their_graph(project, monkeypatch):
    for name in ("OPENAI_API_KEY", "TOGETHER_API_KEY"):
        monkeypatch.setenv(name, "not needed for a plan")
    assert planned(project, "--configfile", "config/paper.yaml")["render_report"] == 1


def test_the_default_plan_is_small(project):
    assert 0 < sum(planned(project).values()) < 300


def test_a_model_that_the_workflow_makes_is_made_before_it_is_asked(project):
    """In whatever part it is: here as generator, judge and responder."""
    roles = dict.fromkeys(("generators", "judges", "responders"), "[demo-lm]")
    own = "".join(f"  {role}: {names}\n" for role, names in roles.items())
    (project / "own.yaml").write_text(f"scope:\n{own}")
    plan = snakemake(project, "results/metrics/responses.parquet", "--dry-run", *TINY, "own.yaml").stdout
    asking = re.findall(r"^rule (\w+):\n    input: ([^\n]*)", plan, re.M)
    needing = {rule for rule, files in asking if "results/models/demo-lm" in files.split(", ")}
    assert needing >= ASKING and "train_demo_lm" in plan


def test_a_thousand_shards_are_a_thousand_jobs_and_the_gathers(project):
    (project / "data").mkdir()
    rows = ["shard\tdocuments"]
    for number in range(1000):
        (project / f"data/{number}.txt").write_text("A text.")
        rows.append(f"s{number:04}\tdata/{number}.txt")
    (project / "tests/tiny/shards.tsv").write_text("\n".join(rows) + "\n")
    assert planned(project, "documents", *TINY)["collect_documents"] == 1000


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        (
            "documnets: {min_words: 3}",
            "extra.yaml: documnets: found an unknown key, expected one of: shards, documents",
        ),
        (
            "documents: {min_words: many}",
            "extra.yaml: documents.min_words: found 'many' (text), expected a whole number",
        ),
        ("shards: ../outside.tsv", "extra.yaml: shards: found '../outside.tsv' (text), expected a path inside"),
        ("report: {title: sk-abcdef123456}", "extra.yaml: report.title: found what looks like a secret"),
    ],
)
def test_a_wrong_configuration_is_refused_with_file_key_found_and_expected(project, setting, message):
    (project / "extra.yaml").write_text(setting + "\n")
    refused = snakemake(project, "--dry-run", "--configfile", "extra.yaml", check=False)
    assert refused.returncode == 1 and message in refused.stdout
    assert "abcdef123456" not in refused.stdout


def test_a_setting_on_the_command_line_is_checked_too(project):
    refused = snakemake(project, "--dry-run", "--config", "shards=3", check=False)
    assert refused.returncode == 1
    assert "command line: shards: found 3 (a whole number), expected text" in refused.stdout


def test_a_wrong_shard_names_its_line(project):
    (project / "tests/tiny/shards.tsv").write_text("shard\tdocuments\n2026-01\tnowhere\n")
    refused = snakemake(project, "--dry-run", *TINY, check=False)
    assert refused.returncode == 1 and "tests/tiny/shards.tsv:2: nowhere: no such file or folder" in refused.stdout


def test_an_empty_folder_of_documents_is_named(project):
    (project / "empty").mkdir()
    (project / "tests/tiny/shards.tsv").write_text("shard\tdocuments\n2026-01\tempty\n")
    refused = snakemake(project, "--dry-run", *TINY, check=False)
    assert refused.returncode == 1 and "empty: no documents in this folder" in refused.stdout


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/../../b", "-rf", ".hidden", "x" * 65])
def test_hostile_names_match_no_rule(project, name):
    assert snakemake(project, "--dry-run", f"results/documents/{name}.parquet", check=False).returncode == 1


def test_an_unknown_shard_or_model_is_a_line_and_no_traceback(project):
    for name in ("documents/nope", "clusters/nope", "claims/nope/2026-01", "scope_votes/embedded/nope/2026-01"):
        refused = snakemake(project, "--dry-run", f"results/{name}.parquet", *TINY, check=False)
        assert refused.returncode == 1 and f"No rule to produce results/{name}.parquet" in refused.stdout
        assert "Traceback" not in refused.stdout


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"report:\n  title: [a\n", "config/config.yaml:3: while parsing a flow sequence"),
        (b"report:\n  title: m\xe9\n", "config/config.yaml:2: found byte 0xe9, which is not UTF-8"),
        (b"demo_lm: {seed: " + b"1" * 5000 + b"}\n", "config/config.yaml:1: Exceeds the limit (4300 digits)"),
        (b"a: &a {x: 1}\nb: {x: *a, y: *a}\n", "config/config.yaml:2: found an alias, *a, expected what it stands for"),
    ],
)
def test_a_configuration_that_cannot_be_read_is_named_with_its_line(project, content, message):
    (project / "config/config.yaml").write_bytes(content)
    refused = snakemake(project, "--dry-run", check=False)
    assert refused.returncode == 1 and message in refused.stdout
    assert "Traceback" not in refused.stdout
