"""A month added to ten: only its own jobs and the gathers run, and nothing is trained."""

import re

import pytest

from project import NOTHING, TINY, copy_project, snakemake

MONTHS = [f"2026-{number:02}" for number in range(1, 11)]
NEW = "2026-11"
SENTENCE = "The ferry {} of Brackwater takes {} people and was built in {}. "
ATTACKED = """
datasets: {{mine: {{corpus: documents, targets: [resources/demo/attacks/targets.csv]}}}}
scorers: {{ngram: {{kind: ngram, trained_on: [{}]}}}}
"""
OUTPUTS = re.compile(r"^ +output: (.*)$", re.MULTILINE)
JOB = re.compile(r"^(?:local)?rule (\w+):$", re.MULTILINE)


def settings(trained_on):
    shards = f"detectors: {{trained_on: [{', '.join(trained_on)}]}}\n"
    return f"shards: months.tsv\n{shards}crawl: {{opml: []}}\n"


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """Ten months of which every output is there, none of them computed, before the eleventh is added."""
    project = copy_project(tmp_path_factory.mktemp("months") / "project")
    rows = ["shard\tdocuments"]
    for at, month in enumerate([*MONTHS, NEW]):
        (project / f"{month}.txt").write_text("".join(SENTENCE.format(at, 40 + at + n, 1900 + n) for n in range(9)))
        rows.append(f"{month}\t{month}.txt")
    (project / "months.tsv").write_text("\n".join(rows[:-1]) + "\n")
    (project / "months.yaml").write_text(settings(MONTHS))
    for file in ", ".join(OUTPUTS.findall(plan(project))).split(", "):
        path = project / file.removesuffix(" (directory)").strip()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    assert NOTHING in plan(project)
    with (project / "months.tsv").open("a") as file:
        file.write(f"{rows[-1]}\n")
    return project


def plan(project, *targets):
    return snakemake(project, *targets, "--dry-run", *TINY, "months.yaml").stdout


def jobs(output):
    """(rule, its outputs) of each job that a run would start."""
    for text in re.split(r"\n(?=\[|(?:local)?rule )", output):
        if name := JOB.search(text):
            yield name[1], ", ".join(OUTPUTS.findall(text))


def test_only_the_months_own_jobs_and_the_gathers_run(finished):
    planned = list(jobs(plan(finished)))
    of_new = [rule for rule, files in planned if NEW in files]
    gathers = [rule for rule, files in planned if NEW not in files]
    assert not [files for _, files in planned if any(month in files for month in MONTHS)]
    assert {"read_articles", "extract_claims", "respond", "judge_scope"} <= {*of_new}
    assert len(of_new) == len({(rule, files) for rule, files in planned if NEW in files}) and len(planned) <= 60
    assert not [rule for rule, _ in planned if rule.startswith(("train_", "fit_"))]
    assert {"grade_hardness", "measure_months"} <= {*gathers} and "apply_detectors" in of_new


def test_a_scorer_reads_the_documents_of_the_shards_that_it_names(finished):
    inputs = {}
    for trained_on in (MONTHS, []):
        (finished / "months.yaml").write_text(settings(MONTHS) + ATTACKED.format(", ".join(trained_on)))
        output = plan(finished, "results/scorers/mine/ngram")
        assert [rule for rule, _ in jobs(output)] == ["train_scorer"], "all else is there"
        inputs[len(trained_on)] = re.search("^ +input: (.*)$", output, re.MULTILINE)[1].split(", ")
    (finished / "months.yaml").write_text(settings(MONTHS))
    assert inputs[len(MONTHS)] == [f"results/documents/{month}.parquet" for month in MONTHS]
    assert inputs[0] == ["results/passages/documents.parquet"], "which a new month changes"


def test_detectors_are_trained_on_the_first_shards_or_on_all_of_them(finished):
    try:
        for trained_on, trains in (("[]", True), (len(MONTHS), False)):
            (finished / "months.yaml").write_text(settings([]).replace("trained_on: []", f"trained_on: {trained_on}"))
            assert ("train_detector" in dict(jobs(plan(finished)))) == trains
    finally:
        (finished / "months.yaml").write_text(settings(MONTHS))


def test_a_shard_that_nobody_has_is_a_line(finished):
    (finished / "months.yaml").write_text(settings(["2025-12"]))
    done = snakemake(finished, "--dry-run", *TINY, "months.yaml", check=False)
    (finished / "months.yaml").write_text(settings(MONTHS))
    assert "detectors.trained_on: found the shard '2025-12', expected one of: 2026-01" in done.stdout
    assert done.returncode == 1
