"""Poisoned answers in activations: pairs of prompts, answers, activations, and probes beside the controls they have to beat.

Reads   results/targets, results/passages, results/neighbours, results/retrieved, results/poisoned_passages, results/answers,
        results/filtered of `revprag.defences`, resources/prompts/, and the weights that `models` and `encoders` name
Writes  results/prompt_pairs/{dataset}/{retriever}/{attack}.parquet                    the passages of both prompts, by condition
        results/rejects/prompt_pairs/{dataset}/{retriever}/{attack}.parquet            questions without such a pair, with the reason
        results/prompt_answers/{dataset}/{retriever}/{attack}/{responder}.parquet      what is answered, and what that counts as
        results/activations/{dataset}/{retriever}/{attack}/{responder}.parquet         where in embeddings/ its activations lie; .json: which they are
        results/probes/{dataset}/{retriever}/{attack}/{responder}/                     probes for a service, with their card
        results/probe_scores/{dataset}/{retriever}/{attack}/{responder}.parquet        what probes and controls say, in folds
        results/alarms/{dataset}/{retriever}/{attack}/{responder}.parquet              probes beside defences that look at passages
        results/metrics/revprag.parquet                                                the report's section
        results/calls/..., ledger/...  of answer_prompts and scrutinise_answers        as in questions.smk
"""

from ragassay.plan import defended, models, probes, targets
from ragassay.plan.report import draws

READ = plan(probes.cells)
SCORES = READ.over("results/probe_scores/{dataset}/{retriever}/{attack}/{responder}.parquet")
CALLS += READ.over("results/calls/answer_prompts/{dataset}/{retriever}/{attack}/{responder}.parquet")
ASKED = plan(probes.scrutinised)
CALLS += ASKED.over("results/calls/scrutinise_answers/{dataset}/{retriever}/{attack}/{responder}.parquet")
SECTIONS["revprag"] = {"shown": bool(SCORES)}
SECTIONS["revprag_transfer"] = {"page": "revprag", "metrics": "revprag", "shown": bool(SCORES)}
SECTIONS["revprag_numbers"] = {"page": "revprag", "metrics": "revprag", "shown": bool(SCORES)}
PRODUCTS += SCORES


wildcard_constraints:
    generalisation=one_of(plan(probes.generalisations)),


rule revprag:
    """Whether poisoned answers can be seen in activations."""
    input:
        SCORES,
        "results/metrics/revprag.parquet",


rule pair_prompts:
    """The passages of prompts with and without poison, so that less and less differs beside the poison."""
    input:
        plan(models.encoder_weights, name=config["revprag"]["encoder"]),
        targets="results/targets/{dataset}.parquet",
        passages=plan(targets.clean, pattern="results/passages/{corpus}.parquet"),
        poisoned_passages="results/poisoned_passages/{dataset}/{attack}.parquet",
        neighbours=plan(targets.clean, pattern="results/neighbours/{corpus}/{retriever}/{dataset}.targets.parquet"),
        retrieved="results/retrieved/{dataset}/{retriever}/{attack}.parquet",
    output:
        prompt_pairs=table("results/prompt_pairs/{dataset}/{retriever}/{attack}.parquet"),
        rejects=table("results/rejects/prompt_pairs/{dataset}/{retriever}/{attack}.parquet"),
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        code=code("probes/pair_prompts.py", models.encoder_kind, name=config["revprag"]["encoder"]),
        settings=plan(probes.pair_prompts),
    script:
        "../scripts/probes/pair_prompts.py"


rule answer_prompts:
    """A responder answers each prompt that it has not answered in the study of attacks."""
    input:
        plan(models.weights_of, role="responder"),
        targets="results/targets/{dataset}.parquet",
        prompt_pairs="results/prompt_pairs/{dataset}/{retriever}/{attack}.parquet",
        answers=plan(probes.answered),
        prompt=ancient(plan(defended.prompt)),
        closed_book_prompt=ancient(shipped("resources/prompts/answer_closed_book.yaml")),
    output:
        prompt_answers=table("results/prompt_answers/{dataset}/{retriever}/{attack}/{responder}.parquet"),
        calls=table("results/calls/answer_prompts/{dataset}/{retriever}/{attack}/{responder}.parquet"),
    benchmark:
        "logs/answer_prompts/{dataset}/{retriever}/{attack}/{responder}.benchmark.jsonl"
    conda:
        "../../envs/models_and_encoders.yaml"
    threads: plan(models.threads_of, role="responder")
    resources:
        runtime="4h",
    params:
        code=code("probes/answer_prompts.py", models.provider_of, role="responder"),
        settings=plan(probes.answer_prompts),
        access=frozen(plan(models.access_of, role="responder")),
    script:
        "../scripts/probes/answer_prompts.py"


rule collect_activations:
    """The responder's activations of each prompt, in one pass of its trunk."""
    input:
        targets="results/targets/{dataset}.parquet",
        prompt_pairs="results/prompt_pairs/{dataset}/{retriever}/{attack}.parquet",
        prompt_answers="results/prompt_answers/{dataset}/{retriever}/{attack}/{responder}.parquet",
        prompt=ancient(plan(defended.prompt)),
        closed_book_prompt=ancient(shipped("resources/prompts/answer_closed_book.yaml")),
        weights=plan(models.weights_of, role="responder"),
    output:
        activations=table("results/activations/{dataset}/{retriever}/{attack}/{responder}.parquet"),
        collection="results/activations/{dataset}/{retriever}/{attack}/{responder}.json",
    benchmark:
        "logs/collect_activations/{dataset}/{retriever}/{attack}/{responder}.benchmark.jsonl"
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        settings=plan(probes.collect_activations),
    script:
        "../scripts/probes/collect_activations.py"


rule scrutinise_answers:
    """The responder reasons, and judges whether its reasons lead to the answer that it gave."""
    input:
        plan(models.weights_of, role="responder"),
        targets="results/targets/{dataset}.parquet",
        prompt_pairs="results/prompt_pairs/{dataset}/{retriever}/{attack}.parquet",
        prompt_answers="results/prompt_answers/{dataset}/{retriever}/{attack}/{responder}.parquet",
        reasoning_prompt=ancient(shipped("resources/prompts/reason_from_passages.yaml")),
        scrutiny_prompt=ancient(shipped("resources/prompts/judge_reasons.yaml")),
    output:
        baseline_scores=table("results/baseline_scores/{dataset}/{retriever}/{attack}/{responder}/scrutiny.parquet"),
        calls=table("results/calls/scrutinise_answers/{dataset}/{retriever}/{attack}/{responder}.parquet"),
    benchmark:
        "logs/scrutinise_answers/{dataset}/{retriever}/{attack}/{responder}.benchmark.jsonl"
    conda:
        "../../envs/models.yaml"
    threads: plan(models.threads_of, role="responder")
    resources:
        runtime="4h",
    params:
        code=code("probes/scrutinise_answers.py", models.provider_of, role="responder"),
        settings=plan(probes.scrutinise_answers),
        access=frozen(plan(models.access_of, role="responder")),
    script:
        "../scripts/probes/scrutinise_answers.py"


rule mask_passages:
    """How much the likelihood of each answer varies when words of its passages are masked."""
    input:
        targets="results/targets/{dataset}.parquet",
        prompt_pairs="results/prompt_pairs/{dataset}/{retriever}/{attack}.parquet",
        prompt_answers="results/prompt_answers/{dataset}/{retriever}/{attack}/{responder}.parquet",
        prompt=ancient(plan(defended.prompt)),
        closed_book_prompt=ancient(shipped("resources/prompts/answer_closed_book.yaml")),
        weights=plan(models.weights_of, role="responder"),
    output:
        baseline_scores=table("results/baseline_scores/{dataset}/{retriever}/{attack}/{responder}/masking.parquet"),
    benchmark:
        "logs/mask_passages/{dataset}/{retriever}/{attack}/{responder}.benchmark.jsonl"
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        settings=plan(probes.mask_passages),
    script:
        "../scripts/probes/mask_passages.py"


rule train_probes:
    """Probes and controls are fitted in folds by document and scored on what each fold leaves out."""
    input:
        prompt_pairs="results/prompt_pairs/{dataset}/{retriever}/{attack}.parquet",
        prompt_answers="results/prompt_answers/{dataset}/{retriever}/{attack}/{responder}.parquet",
        activations="results/activations/{dataset}/{retriever}/{attack}/{responder}.parquet",
        collection="results/activations/{dataset}/{retriever}/{attack}/{responder}.json",
        baselines=plan(probes.baselines),
        prompt=ancient(plan(defended.prompt)),
        weights=plan(models.weights_of, role="responder"),
    output:
        heads="results/probes/{dataset}/{retriever}/{attack}/{responder}/heads.safetensors",
        card="results/probes/{dataset}/{retriever}/{attack}/{responder}/card.json",
        probe_scores=table("results/probe_scores/{dataset}/{retriever}/{attack}/{responder}.parquet"),
        probe_classes=table("results/probe_classes/{dataset}/{retriever}/{attack}/{responder}.parquet"),
    benchmark:
        "logs/train_probes/{dataset}/{retriever}/{attack}/{responder}.benchmark.jsonl"
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        code=code("probes/train_probes.py", probes.kinds),
        settings=plan(probes.train_probes),
    script:
        "../scripts/probes/train_probes.py"


rule transfer_probes:
    """Probes that are fitted everywhere but in one place, and tested there."""
    input:
        prompt_pairs=plan(probes.generalised, pattern="results/prompt_pairs/{dataset}/{retriever}/{attack}.parquet"),
        prompt_answers=plan(
            probes.generalised, pattern="results/prompt_answers/{dataset}/{retriever}/{attack}/{responder}.parquet"
        ),
        activations=plan(
            probes.generalised, pattern="results/activations/{dataset}/{retriever}/{attack}/{responder}.parquet"
        ),
        collection=plan(
            probes.generalised, pattern="results/activations/{dataset}/{retriever}/{attack}/{responder}.json"
        ),
    output:
        probe_transfers=table("results/probe_transfers/{generalisation}.parquet"),
    benchmark:
        "logs/transfer_probes/{generalisation}.benchmark.jsonl"
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        code=code("probes/transfer_probes.py", probes.generalised_kind),
        settings=plan(probes.transfer_probes),
    script:
        "../scripts/probes/transfer_probes.py"


rule combine_alarms:
    """Probes beside defences that look at passages, on the same prompts: each alone, both, or one of them."""
    input:
        prompt_pairs="results/prompt_pairs/{dataset}/{retriever}/{attack}.parquet",
        probe_scores="results/probe_scores/{dataset}/{retriever}/{attack}/{responder}.parquet",
        filtered=plan(probes.filtered),
    output:
        alarms=table("results/alarms/{dataset}/{retriever}/{attack}/{responder}.parquet"),
    conda:
        "../../envs/encoders.yaml"
    params:
        settings={name: config["revprag"][name] for name in ("defences", "fpr")},
    script:
        "../scripts/probes/combine_alarms.py"


rule project_activations:
    """The activations of answers in the plane, by PCA and t-SNE."""
    input:
        prompt_pairs="results/prompt_pairs/{dataset}/{retriever}/{attack}.parquet",
        prompt_answers="results/prompt_answers/{dataset}/{retriever}/{attack}/{responder}.parquet",
        activations="results/activations/{dataset}/{retriever}/{attack}/{responder}.parquet",
        collection="results/activations/{dataset}/{retriever}/{attack}/{responder}.json",
    output:
        projections=table("results/projections/{dataset}/{retriever}/{attack}/{responder}.parquet"),
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        settings={
            "embeddings": "embeddings",
            "most": config["revprag"]["pictured"],
            "seed": config["intervals"]["seed"],
        },
    script:
        "../scripts/probes/project_activations.py"


rule measure_revprag:
    """Probes with their controls beside them: the report's section."""
    input:
        rejects=READ.over("results/rejects/prompt_pairs/{dataset}/{retriever}/{attack}.parquet"),
        prompt_answers=READ.over("results/prompt_answers/{dataset}/{retriever}/{attack}/{responder}.parquet"),
        probe_scores=SCORES,
        probe_classes=READ.over("results/probe_classes/{dataset}/{retriever}/{attack}/{responder}.parquet"),
        projections=READ.over("results/projections/{dataset}/{retriever}/{attack}/{responder}.parquet"),
        probe_transfers=expand(
            "results/probe_transfers/{generalisation}.parquet", generalisation=plan(probes.generalisations)
        ),
        alarms=plan(probes.beside_defences).over("results/alarms/{dataset}/{retriever}/{attack}/{responder}.parquet"),
        cards=READ.over("results/probes/{dataset}/{retriever}/{attack}/{responder}/card.json"),
    output:
        metrics=table("results/metrics/revprag.parquet"),
    conda:
        "../../envs/encoders.yaml"
    params:
        settings={
            **plan(draws, section="revprag"),
            "flips": config["intervals"]["flips"],
            "least_answers": config["revprag"]["least_answers"],
        },
    script:
        "../scripts/probes/measure_revprag.py"
