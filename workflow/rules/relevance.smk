"""Whether a query is inside what a corpus knows: statistics of passages and models' words, compared, and their worth in answers.

Each corpus of the study is searched with and without its held-out documents; queries about these are out of its knowledge, and of the
same style as those that are in it.

Reads   results/passages, results/held_out_documents, results/queries, results/neighbours, results/query_logs, results/passage_answers,
        results/direct_answers, results/documents, results/questions, results/scope_labels, resources/prompts/
Writes  results/lm_relevance/{rater}/{corpus}/{retriever}/{query_set}.parquet   every vote on how relevant passages are
        results/relevance_scores/{corpus}/{retriever}/{query_set}.parquet       the statistics of each query
        results/answer_metrics.parquet, results/answer_examples.parquet         what passages and a gate are worth in answers
        results/outlier_scores/{relevance_set}.parquet                          what detectors on queries' vectors say of them
        results/metrics/relevance.parquet                                       the report's section
        results/examples/relevance.parquet                                      synthetic queries and misses of models, for people to read
        results/gates/{corpus}/{retriever}/                                     what decides online, to be copied anywhere
        results/gated_queries/{corpus}/{retriever}/{query_log}.parquet          what it says of the queries of a log
        results/query_verdicts/{corpus}/{retriever}/{query_set}.parquet         what it says of the queries of the study's sets
        results/gated_questions/{generator}/{judge}.parquet                     what a gate of their documents says of the scope study's
        results/query_drift/{corpus}/{retriever}/{query_log}.parquet            whether these drift, window by window
        results/metrics/drift.parquet, results/examples/drift.parquet           the report's section on that, and what is asked outside
        results/calls/rate_relevance/..., ledger/rate_relevance/...             as in questions.smk
        embeddings/                                                             vectors of texts; not an output, never deleted
"""

from ragassay.plan import explorers, gates, grading, models, queries, relevance
from ragassay.plan.entries import path
from ragassay.plan.report import draws

COMPARED = list(config["relevance"]["sets"])
COMPARED_CORPORA = plan(relevance.corpora)
RATED = plan(queries.rated)
RATED_HERE = plan(relevance.rated)
SCORED = plan(relevance.scored)
SCORES = SCORED.over("results/relevance_scores/{corpus}/{retriever}/{query_set}.parquet")
VERDICTS = plan(gates.verdicts)
LOGS = plan(relevance.logs)
ASKED = plan(grading.asked)
GATED = plan(explorers.listings)
MEASURES_ANSWERS = bool(plan(grading.responders))
CALLS += RATED.over("results/calls/rate_relevance/{rater}/{corpus}/{retriever}/{query_set}.parquet")
CALLS += ASKED.over("results/calls/answer_from_passages/{responder}/{corpus}/{retriever}/{query_set}.parquet")
CALLS += ASKED.over("results/calls/answer_directly/{responder}/{query_set}.parquet")
SECTIONS["relevance"] = {"shown": bool(COMPARED), "examples": "results/examples/relevance.parquet"}
SECTIONS["relevance_answers"] = {"page": "relevance", "metrics": "relevance", "shown": MEASURES_ANSWERS}
SECTIONS["drift"] = {"page": "relevance", "shown": bool(LOGS), "examples": "results/examples/drift.parquet"}
SECTIONS["relevance_figures"] = {"page": "relevance", "metrics": "relevance", "shown": bool(COMPARED)}
SECTIONS["relevance_tables"] = {"page": "relevance", "metrics": "relevance", "shown": bool(COMPARED)}
PRODUCTS += [*RATED.over("results/lm_relevance/{rater}/{corpus}/{retriever}/{query_set}.parquet"), *SCORES]


wildcard_constraints:
    rater=one_of(config["models"]),
    relevance_set=one_of(COMPARED),


rule relevance:
    """How well queries that are out of a corpus's knowledge are recognized, the gates of all corpora, and the drift of logs."""
    input:
        SCORES,
        plan(gates.gates).over("results/gates/{corpus}/{retriever}"),
        expand("<report>/{section}.csv", section=plan(relevance.sections)),
        expand("<report>/figures/{section}", section=plan(relevance.sections)),


rule rate_relevance:
    """A model reads each query with the passages found for it and says how relevant they are."""
    input:
        plan(models.weights_of, role="rater"),
        passages="results/passages/{corpus}.parquet",
        queries="results/queries/{query_set}.parquet",
        neighbours="results/neighbours/{corpus}/{retriever}/{query_set}.parquet",
        prompt=ancient(shipped("resources/prompts/rate_relevance.yaml")),
    output:
        lm_relevance=table("results/lm_relevance/{rater}/{corpus}/{retriever}/{query_set}.parquet"),
        calls=table("results/calls/rate_relevance/{rater}/{corpus}/{retriever}/{query_set}.parquet"),
    benchmark:
        "logs/rate_relevance/{rater}/{corpus}/{retriever}/{query_set}.benchmark.jsonl"
    conda:
        "../../envs/models.yaml"
    threads: plan(models.threads_of, role="rater")
    resources:
        runtime="4h",
    params:
        code=code("relevance/rate_relevance.py", models.provider_of, role="rater"),
        settings=plan(queries.rate_relevance),
        access=frozen(plan(models.access_of, role="rater")),
    script:
        "../scripts/relevance/rate_relevance.py"


rule score_relevance:
    """How far each query seems to be outside of what the corpus knows, by each statistic, and what the gate says of it."""
    input:
        passages=expand("results/passages/{corpus}.parquet", corpus=COMPARED_CORPORA),
        queries=expand("results/queries/{query_set}.parquet", query_set=plan(relevance.query_sets)),
        neighbours=SCORED.over("results/neighbours/{corpus}/{retriever}/{query_set}.parquet"),
        gates=VERDICTS.each("results/gates/{corpus}/{retriever}"),
    output:
        relevance_scores=[
            table(path) for path in SCORED.over("results/relevance_scores/{corpus}/{retriever}/{query_set}.parquet")
        ],
        query_verdicts=[
            table(path) for path in VERDICTS.over("results/query_verdicts/{corpus}/{retriever}/{query_set}.parquet")
        ],
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        code=code("relevance/score_relevance.py", gates.verdict_kinds),
        settings={name: config["relevance"][name] for name in ("k", "temperature")},
    script:
        "../scripts/relevance/score_relevance.py"


rule score_outliers:
    """How unlike in-knowledge queries each query is, whatever the corpus: what a statistic of the corpus has to beat."""
    input:
        plan(relevance.outliers_await),
        passages=plan(relevance.outlier_inputs, pattern="results/passages/{corpus}.parquet", key="corpus"),
        held_out_documents=plan(
            path, pattern="results/held_out_documents/{corpus}.parquet", corpus="relevance/sets/{relevance_set}/corpus"
        ),
        queries=plan(relevance.outlier_inputs, pattern="results/queries/{query_set}.parquet", key="query_set"),
    output:
        outlier_scores=table("results/outlier_scores/{relevance_set}.parquet"),
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        code=code("relevance/score_outliers.py", relevance.outlier_kinds),
        settings=plan(relevance.score_outliers),
    script:
        "../scripts/relevance/score_outliers.py"


rule measure_answers:
    """What passages are worth in answers, and what a gate is: numbers of the report's section, and examples."""
    input:
        passages=expand("results/passages/{corpus}.parquet", corpus=plan(relevance.searched)),
        held_out_documents=expand("results/held_out_documents/{corpus}.parquet", corpus=COMPARED_CORPORA),
        queries=expand("results/queries/{query_set}.parquet", query_set=plan(relevance.query_sets)),
        neighbours=plan(relevance.searches).over("results/neighbours/{corpus}/{retriever}/{query_set}.parquet"),
        passage_answers=ASKED.over("results/passage_answers/{responder}/{corpus}/{retriever}/{query_set}.parquet"),
        direct_answers=ASKED.over("results/direct_answers/{responder}/{query_set}.parquet"),
    output:
        answer_metrics=table("results/answer_metrics.parquet"),
        answer_examples=table("results/answer_examples.parquet"),
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        settings=plan(grading.measure_answers),
    script:
        "../scripts/relevance/measure_answers.py"


rule measure_relevance:
    """Statistics, outlier detectors and methods that do better, side by side: the report's section."""
    input:
        passages=expand("results/passages/{corpus}.parquet", corpus=plan(relevance.searched)),
        held_out_documents=expand("results/held_out_documents/{corpus}.parquet", corpus=COMPARED_CORPORA),
        queries=expand("results/queries/{query_set}.parquet", query_set=plan(relevance.query_sets)),
        neighbours=plan(relevance.searches).over("results/neighbours/{corpus}/{retriever}/{query_set}.parquet"),
        outlier_scores=expand("results/outlier_scores/{name}.parquet", name=plan(relevance.with_vectors)),
        lm_relevance=RATED_HERE.over("results/lm_relevance/{rater}/{corpus}/{retriever}/{query_set}.parquet"),
        calls=RATED_HERE.over("results/calls/rate_relevance/{rater}/{corpus}/{retriever}/{query_set}.parquet"),
        answer_metrics=["results/answer_metrics.parquet"] if MEASURES_ANSWERS else [],
    output:
        metrics=table("results/metrics/relevance.parquet"),
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        settings=plan(relevance.measure_relevance),
    script:
        "../scripts/relevance/measure_relevance.py"


rule choose_examples:
    """Synthetic queries with their passages, verdicts of gates that surprise, and what models miss or answer before a gate."""
    input:
        passages=expand("results/passages/{corpus}.parquet", corpus=plan(relevance.searched)),
        held_out_documents=expand("results/held_out_documents/{corpus}.parquet", corpus=COMPARED_CORPORA),
        queries=expand("results/queries/{query_set}.parquet", query_set=plan(relevance.example_sets)),
        neighbours=plan(relevance.example_searches).over("results/neighbours/{corpus}/{retriever}/{query_set}.parquet"),
        lm_relevance=RATED_HERE.over("results/lm_relevance/{rater}/{corpus}/{retriever}/{query_set}.parquet"),
        query_verdicts=VERDICTS.over("results/query_verdicts/{corpus}/{retriever}/{query_set}.parquet"),
        answer_examples=["results/answer_examples.parquet"] if MEASURES_ANSWERS else [],
    output:
        examples=table("results/examples/relevance.parquet"),
    conda:
        "../../envs/tables.yaml"
    params:
        settings=plan(relevance.choose_examples),
    script:
        "../scripts/relevance/choose_examples.py"


rule fit_gate:
    """What decides online whether a corpus knows what a query asks: statistic, calibration, and all that a search needs."""
    input:
        passages="results/passages/{corpus}.parquet",
        held_out_documents="results/held_out_documents/{corpus}.parquet",
        queries=plan(gates.gate_queries),
        neighbours=plan(gates.gate_neighbours),
        lm_relevance=plan(gates.gate_votes),
    output:
        gate=directory("results/gates/{corpus}/{retriever}"),
    wildcard_constraints:
        corpus=one_of(COMPARED_CORPORA),
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        code=code("relevance/fit_gate.py", gates.gate_kinds),
        settings=plan(gates.fit_gate),
    script:
        "../scripts/relevance/fit_gate.py"


rule gate_query_log:
    """What the gate of a corpus says of each query of a log."""
    input:
        gate="results/gates/{corpus}/{retriever}",
        query_log="results/query_logs/{query_log}.parquet",
    output:
        gated_queries=table("results/gated_queries/{corpus}/{retriever}/{query_log}.parquet"),
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        code=code("relevance/gate_query_log.py", gates.gate_kinds),
    script:
        "../scripts/relevance/gate_query_log.py"


rule gate_questions:
    """What a gate of their documents says of the questions that the report lists, calibrated by those in scope."""
    input:
        plan(gates.question_encoders, of=models.encoder_weights),
        documents=plan(explorers.listed, pattern="results/documents/{shard}.parquet"),
        questions=plan(explorers.listed, pattern="results/questions/{generator}/{shard}.parquet"),
        scope_labels=plan(explorers.listed, pattern="results/scope_labels/{generator}/{judge}/{shard}.parquet"),
    output:
        gated_questions=[table(path) for path in GATED.over("results/gated_questions/{generator}/{judge}.parquet")],
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        code=code("relevance/gate_questions.py", gates.question_encoders, of=models.encoder_kind),
        settings=plan(gates.gate_questions),
    script:
        "../scripts/relevance/gate_questions.py"


rule measure_drift:
    """Whether the queries of logs drifted, and to which topics: the report's section."""
    input:
        gated_queries=LOGS.over("results/gated_queries/{corpus}/{retriever}/{query_log}.parquet"),
        query_logs=LOGS.each("results/query_logs/{query_log}.parquet"),
        gates=LOGS.each("results/gates/{corpus}/{retriever}"),
        passages=LOGS.each("results/passages/{corpus}.parquet"),
    output:
        query_drift=[table(path) for path in LOGS.over("results/query_drift/{corpus}/{retriever}/{query_log}.parquet")],
        metrics=table("results/metrics/drift.parquet"),
        examples=table("results/examples/drift.parquet"),
    conda:
        "../../envs/encoders.yaml"
    params:
        settings={**config["relevance"]["drift"], "alpha": config["relevance"]["alpha"], **plan(draws, section="drift")},
    script:
        "../scripts/relevance/measure_drift.py"
