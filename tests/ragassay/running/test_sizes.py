"""Jobs of a large shard ask for more memory. Those of others and of the whole do not, nor do those set by the user."""

from types import SimpleNamespace

import pytest
from snakemake.resources import Resources

from ragassay.running import sizes


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
    monkeypatch.setattr(sizes, "USUAL", 1000)
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
    sizes.follow(workflow, shards)
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
    looked, files = [], sizes.document_files
    monkeypatch.setattr(sizes, "document_files", lambda source: looked.append(source) or files(source))
    sizes.follow(workflow, shards)
    assert not looked, "each submission reads the Snakefile"
    for _ in range(2):
        asked(workflow.rules[0], "mem_mb", "large")
    assert looked == [shards["large"]["documents"]]
