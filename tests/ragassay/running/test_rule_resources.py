"""What rules and groups ask for: a project's own profiles take the pipeline's place. Jobs of a large shard ask for more
memory; those of others and of the whole do not, nor do those set by the user.
"""

from types import SimpleNamespace

import pytest
from snakemake.resources import Resources

from ragassay.running import rule_resources


def test_the_minutes_of_a_group_are_those_of_its_rules(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = rule_resources.minutes_of_groups()
    assert before["labels"] == 300  # judge_scope has 4 hours, two more what every job gets
    for name in ("default", "slurm"):
        (tmp_path / "profiles" / name).mkdir(parents=True)
    default = "default-resources: {runtime: 45m}\nset-resources: {select_questions: {runtime: 7}}\n"
    (tmp_path / "profiles/default/profile.yaml").write_text(default)
    groups = "groups: [judge_scope=labels, label_scope=labels, select_questions=labels]\n"
    more = "set-resources: {judge_scope: {runtime: 2h}, select_questions: {runtime: 9, mem_mb: 5}}\n"
    (tmp_path / "profiles/slurm/profile.yaml").write_text(groups + more)
    assert rule_resources.minutes_of_groups() == {"labels": 120 + 45 + 7}


@pytest.fixture
def workflow():
    def rule(name, *wildcards, **resources):
        asked = Resources.from_mapping({"runtime": "4h"} | resources)
        return SimpleNamespace(name=name, wildcard_names={*wildcards}, resources=asked)

    rules = [rule("respond", "shard", mem_mb=2000), rule("label", "shard", mem_mb=2000), rule("gather", mem_mb=4000)]
    rules += [rule("embed", "shard", mem_mb=lambda wildcards: 7), rule("draw", "shard")]
    settings = SimpleNamespace(overwrite_resources={"label": {"mem_mb": 2000}})
    return SimpleNamespace(rules=rules, resource_settings=settings)


@pytest.fixture
def shards(tmp_path, monkeypatch):
    monkeypatch.setattr(rule_resources, "USUAL", 1000)
    for name, size in (("usual", 1000), ("large", 2500)):
        (tmp_path / name).mkdir()
        for part in "ab":
            (tmp_path / name / f"{part}.jsonl").write_bytes(b"x" * (size // 2))
    files = {name: {"documents": str(tmp_path / name)} for name in ("usual", "large", "missing")}
    return files | {"crawled": {"documents": None}}


def asked(rule, name, shard):
    resource = rule.resources[name]
    wildcards = SimpleNamespace(shard=shard)
    return resource.evaluate(wildcards).value if resource.is_evaluable() else resource.value


def test_a_large_shard_asks_for_memory_in_proportion_to_its_files(workflow, shards):
    rule_resources.grow(workflow, shards)
    respond, label, gather, embed, draw = workflow.rules
    assert asked(respond, "mem_mb", "large") == 5000
    for shard in ("usual", "crawled", "missing", "a question set"):
        assert asked(respond, "mem_mb", shard) == 2000
    assert respond.resources["mem_mb"].raw == 2000, "what the rule says"
    assert asked(label, "mem_mb", "large") == 2000  # set by hand
    assert asked(gather, "mem_mb", None) == 4000
    assert asked(embed, "mem_mb", "large") == 7  # which follows from something else
    assert "mem_mb" not in draw.resources
    assert {asked(rule, "runtime", "large") for rule in workflow.rules} == {240}, "a partition ends time"


def test_only_files_of_shards_whose_jobs_are_planned_are_looked_at_and_once(workflow, shards, monkeypatch):
    looked, files = [], rule_resources.document_files
    monkeypatch.setattr(rule_resources, "document_files", lambda source: looked.append(source) or files(source))
    rule_resources.grow(workflow, shards)
    assert not looked, "each submission reads the Snakefile"
    for _ in range(2):
        asked(workflow.rules[0], "mem_mb", "large")
    assert looked == [shards["large"]["documents"]]
