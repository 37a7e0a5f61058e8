"""Jobs of a large shard ask for more; those of others, of the whole and those that the user sets stay as they are."""

from types import SimpleNamespace

import pytest
from snakemake.resources import Resources

from ragassay.running import sizes


@pytest.fixture
def workflow():
    def rule(name, *wildcards, **resources):
        asked = Resources.from_mapping({"runtime": "4h"} | resources)
        return SimpleNamespace(name=name, wildcard_names={*wildcards}, resources=asked)

    rules = [rule("respond", "shard", mem_mb=2000), rule("label", "shard"), rule("gather", mem_mb=4000)]
    settings = SimpleNamespace(overwrite_resources={"label": {"runtime": 7}})
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


def test_a_large_shard_asks_for_memory_and_time_in_proportion_to_its_files(workflow, shards):
    sizes.follow(workflow, shards)
    respond, label, gather = workflow.rules
    assert [asked(respond, name, "large") for name in sizes.GROWING] == [5000, 600]
    for shard in ("usual", "crawled", "missing"):
        assert [asked(respond, name, shard) for name in sizes.GROWING] == [2000, 240]
    assert asked(label, "runtime", "large") == 240  # set by hand
    assert asked(gather, "mem_mb", None) == 4000


def test_without_large_shards_no_resource_is_touched(workflow, shards):
    before = [dict(rule.resources) for rule in workflow.rules]
    sizes.follow(workflow, {"usual": shards["usual"]})
    assert [dict(rule.resources) for rule in workflow.rules] == before
