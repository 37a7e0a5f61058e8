"""What was asked of models and paid, over all rules that ask.

Reads   results/calls/{rule}/...
Writes  results/metrics/calls.parquet     the report's section on costs
"""


rule measure_calls:
    """All calls are added up by rule and model."""
    input:
        generating=expand(
            "results/calls/{rule}/{generator}/{shard}.parquet",
            rule=["extract_claims", "recover_claims", "remove_supported_claims", "write_questions"],
            generator=config["scope"]["generators"],
            shard=SHARDS,
        ),
        judging=[
            *expand(
                "results/calls/judge_scope/{generator}/{judge}/{shard}.parquet",
                generator=config["scope"]["generators"],
                judge=settings.detectors(config),
                shard=SHARDS,
            ),
            *expand(
                "results/calls/judge_scope/{question_set}/{judge}/{question_set}.parquet",
                zip,
                **sets.asked_judges(config),
            ),
        ],
        responding=[
            *expand(
                "results/calls/respond/{question_set}/{responder}/{prompt}/{question_set}.parquet",
                zip,
                **sets.own_responses(config),
            ),
            *expand(
                "results/calls/respond/{generator}/{responder}/{prompt}/{shard}.parquet",
                generator=config["scope"]["generators"],
                responder=config["scope"]["responders"],
                prompt=config["scope"]["responding"]["prompts"],
                shard=SHARDS,
            ),
            *expand(
                "results/calls/answer_closed_book/{generator}/{responder}/{shard}.parquet",
                generator=config["scope"]["generators"],
                responder=config["scope"]["responders"],
                shard=SHARDS,
            ),
        ],
        defusing=[
            *expand(
                "results/calls/judge_defusion/{generator}/{responder}/{prompt}/{judge}/{shard}.parquet",
                generator=config["scope"]["generators"],
                responder=config["scope"]["responders"],
                prompt=config["scope"]["responding"]["prompts"],
                judge=config["scope"]["judges"],
                shard=SHARDS,
            ),
            *expand(
                "results/calls/judge_defusion{variant}/{generator}/{responder}/{prompt}/{judge}/{shard}.parquet",
                variant=settings.variants(config)[1:],
                generator=config["scope"]["generators"][:1],
                responder=config["scope"]["responders"][:1],
                prompt=config["scope"]["responding"]["prompts"],
                judge=config["scope"]["judges"][:1],
                shard=SHARDS,
            ),
            *expand(
                "results/calls/judge_defusion/{question_set}/{responder}/{prompt}/{judge}/{question_set}.parquet",
                zip,
                **sets.set_responses(config),
            ),
        ],
    output:
        metrics=ensure("results/metrics/calls.parquet", non_empty=True),
    log:
        "logs/measure_calls.log",
    conda:
        "../../envs/tables.yaml"
    resources:
        mem_mb=1000,
        runtime="30m",
    params:
        code=code_version("calls/measure_calls.py"),
        settings={},
    script:
        "../scripts/calls/measure_calls.py"
