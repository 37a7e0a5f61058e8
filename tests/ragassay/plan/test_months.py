"""The calls of a shard are told from those that bear its name by chance."""

from types import SimpleNamespace

from ragassay.plan.months import calls_of_shards


def test_calls_are_those_that_every_shard_has():
    of_shards = [
        f"results/calls/{rule}/{shard}.parquet" for rule in ("respond/g", "judge/g") for shard in ("may", "june")
    ]
    others = ["results/calls/answer_attacked/d/may.parquet", "results/calls/judge/g/natural.parquet"]
    asked = {"shards": {"may": {}, "june": {}}, "wildcards": SimpleNamespace(), "calls": [*of_shards, *others]}
    assert calls_of_shards(**asked) == of_shards, "a model called may made no calls of a shard"
