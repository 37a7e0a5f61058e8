"""Which of your questions a corpus covers: what its gate says of each, whether a judge finds an answer in the passages nearest to it,
what a bot answered and whether it should have; and what is asked most of all that the corpus does not know.

Reads   results/questions, scope_labels, responses, defusion_labels, human_labels and gold of question sets, results/gates,
        results/gated_queries, results/query_logs
Writes  results/covered_questions/{corpus}/{retriever}/{generator}.parquet    what the gate of a corpus says of a set's questions
        results/metrics/coverage.parquet                                    the report's section
        results/examples/coverage.parquet                                   what is asked most outside of each corpus
"""

from ragassay.plan import coverage, gates, people, question_sets, relevance

COVERED = plan(coverage.cells)
COVERED_SETS = COVERED.column("generator")
ANSWERED_COVERED = plan(question_sets.set_responses, names=COVERED_SETS)
COVERED_LOGS = plan(coverage.logs)
SECTIONS["coverage"] = {"page": "relevance", "shown": bool(COVERED), "examples": "results/examples/coverage.parquet"}


rule coverage:
    """Which questions the corpora cover, with a page and a table of all questions."""
    input:
        expand("results/metrics/{section}.parquet", section=["coverage", *(["drift"] if COVERED_LOGS else [])]),
        expand("<report>/explorer/{page}.{kind}", page=plan(coverage.pages), kind=["html", "csv"]),


rule cover_questions:
    """What the gate of a corpus says of each question of a set."""
    input:
        gate="results/gates/{corpus}/{retriever}",
        questions="results/questions/{generator}/{generator}.parquet",
    output:
        covered_questions=table("results/covered_questions/{corpus}/{retriever}/{generator}.parquet"),
    wildcard_constraints:
        generator=one_of(COVERED_SETS),
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        code=code("coverage/cover_questions.py", gates.gate_kinds),
    script:
        "../scripts/coverage/cover_questions.py"


rule measure_coverage:
    """Shares of questions that gate, judge and bot handle in each way, and topics outside of the corpora: the report's section."""
    input:
        covered_questions=COVERED.over("results/covered_questions/{corpus}/{retriever}/{generator}.parquet"),
        questions=COVERED.each("results/questions/{generator}/{generator}.parquet"),
        scope_labels=COVERED.each("results/scope_labels/{generator}/{judge}/{generator}.parquet"),
        responses=ANSWERED_COVERED.over("results/responses/{name}/{responder}/{prompt}/{name}.parquet"),
        defusion_labels=ANSWERED_COVERED.over(
            "results/defusion_labels/{name}/{responder}/{prompt}/{judge}/{name}.parquet"
        ),
        gold=plan(people.labelled, names=COVERED_SETS).over("results/gold/{generator}/{judge}.parquet"),
        human_labels=expand("results/human_labels/{name}.parquet", name=COVERED_SETS),
        gated_queries=COVERED_LOGS.over("results/gated_queries/{corpus}/{retriever}/{query_log}.parquet"),
        query_logs=COVERED_LOGS.over("results/query_logs/{query_log}.parquet"),
    output:
        metrics=table("results/metrics/coverage.parquet"),
        examples=table("results/examples/coverage.parquet"),
    conda:
        "../../envs/encoders.yaml"
    params:
        settings=plan(coverage.measure_coverage),
    script:
        "../scripts/coverage/measure_coverage.py"
