"""Every question with what was answered, and every attack with what it reached: pages to look through, and the same as CSV.

Reads   results/documents, claims, recovered_claims, novel_claims, questions, scope_votes, scope_labels, hardness, hardness_scores,
        hardness_strata, responses, defusion_labels, gold, human_labels, predictions, targets, passages, poisoned_passages,
        retrieved, filtered, answers, index_recall, covered_questions, gated_questions, workflow/report/
Writes  <report>/explorer/{generator}/{judge}.html, .csv      one row per question of a generator or a question set
        <report>/explorer/attacks.html, .csv                        one row per attack on a target with a retriever
"""

from ragassay.plan import attacks, coverage, defences, explorers, people, retrieval

ATTACKED = plan(attacks.cells)
EXPLORERS.update(plan(explorers.pages))


rule list_questions:
    """Every question with its document, its label, what was answered and whether that was right, and what detectors predict."""
    input:
        documents=plan(people.tables_of, pattern="results/documents/{shard}.parquet"),
        questions=plan(people.tables_of, pattern="results/questions/{generator}/{shard}.parquet"),
        claims=plan(explorers.of_study, pattern="results/claims/{generator}/{shard}.parquet"),
        recovered_claims=plan(explorers.of_study, pattern="results/recovered_claims/{generator}/{shard}.parquet"),
        novel_claims=plan(explorers.of_study, pattern="results/novel_claims/{generator}/{shard}.parquet"),
        scope_labels=plan(people.tables_of, pattern="results/scope_labels/{generator}/{judge}/{shard}.parquet"),
        scope_votes=plan(explorers.scope_votes),
        hardness=plan(explorers.of_study, pattern="results/hardness/{generator}/{shard}.parquet"),
        hardness_scores=plan(explorers.of_study, pattern="results/hardness_scores/{generator}/{judge}.parquet"),
        hardness_strata=plan(explorers.of_study, pattern="results/hardness_strata/{generator}/{judge}.parquet"),
        responses=plan(people.tables_of, pattern="results/responses/{generator}/{responder}/{prompt}/{shard}.parquet"),
        defusion_labels=plan(
            people.tables_of,
            pattern="results/defusion_labels/{generator}/{responder}/{prompt}/{judge}/{shard}.parquet",
        ),
        gold=plan(explorers.gold),
        human_labels=plan(explorers.of_set, pattern="results/human_labels/{generator}.parquet"),
        predictions=plan(explorers.predictions),
        covered_questions=plan(
            coverage.gated, pattern="results/covered_questions/{corpus}/{retriever}/{generator}.parquet"
        ),
        gated_questions=plan(explorers.gated),
        templates=shipped(["workflow/report/explorer.html.j2", "workflow/report/provenance.html.j2"]),
        style=shipped("workflow/report/explorer.css"),
        behaviour=shipped(["workflow/report/explorer_question.js", "workflow/report/explorer.js"]),
    output:
        page=ensure("<report>/explorer/{generator}/{judge}.html", non_empty=True),
        csv=ensure("<report>/explorer/{generator}/{judge}.csv", non_empty=True),
    conda:
        "../../envs/encoders.yaml"
    resources:
        mem_mb=4000,
    params:
        settings=plan(explorers.list_questions, files=CONFIG_FILES),
    script:
        "../scripts/explorers/list_questions.py"


rule list_attacks:
    """Every attack on every target: what is retrieved, what defences remove of that, and the answers before and after."""
    input:
        targets=ATTACKED.over("results/targets/{dataset}.parquet"),
        poisoned_passages=ATTACKED.over("results/poisoned_passages/{dataset}/{attack}.parquet"),
        passages=expand("results/passages/{corpus}.parquet", corpus=plan(attacks.corpora)),
        retrieved=ATTACKED.over("results/retrieved/{dataset}/{retriever}/{attack}.parquet"),
        filtered=plan(defences.filtered).over("results/filtered/{dataset}/{retriever}/{attack}.parquet"),
        answers=plan(defences.answered).over(
            "results/answers/{dataset}/{retriever}/{attack}/{defence}/{responder}.parquet"
        ),
        index_recall=plan(retrieval.recalls_of_attacks),
        templates=shipped(["workflow/report/explorer.html.j2", "workflow/report/provenance.html.j2"]),
        style=shipped("workflow/report/explorer.css"),
        behaviour=shipped(["workflow/report/explorer_attack.js", "workflow/report/explorer.js"]),
    output:
        page=ensure("<report>/explorer/attacks.html", non_empty=True),
        csv=ensure("<report>/explorer/attacks.csv", non_empty=True),
    conda:
        "../../envs/encoders.yaml"
    resources:
        mem_mb=4000,
    params:
        settings=plan(explorers.list_attacks, files=CONFIG_FILES),
    script:
        "../scripts/explorers/list_attacks.py"
