"""What was asked of models and paid, over all rules that ask.

Reads   results/calls/{rule}/...
Writes  results/metrics/calls.parquet     the report's section on costs
"""

from ragassay.calls import estimate

SECTIONS["calls"] = {}
estimate.register(ESTIMATES)


localrules:
    measure_calls,


rule measure_calls:
    """All calls are added up by rule and model."""
    input:
        calls=CALLS,
    output:
        metrics=table("results/metrics/calls.parquet"),
    conda:
        "../../envs/tables.yaml"
    script:
        "../scripts/calls/measure_calls.py"
