"""Corpora under attack: what an attacker plants, and what questions then find. What guards learn from clean text is here, too, since an
attacker may have the guard and write texts that it lets pass.

Poisoned passages stand in tables of their own, `poisoned_passages`; no table of clean passages takes any.

Reads   results/targets, results/queries, results/passages, results/neighbours, results/word_counts, the files that config["attacks"] names, resources/prompts/
Writes  results/attack_texts/{dataset}/{attack}.parquet                what a model writes for attacks that plant such texts
        results/rejects/attack_texts/{dataset}/{attack}.parquet        what is no text of these, with the reason
        results/poisoned_passages/{dataset}/{attack}.parquet           what is planted
        results/scorers/{dataset}/{scorer}/                            a scorer that is trained on each half of the documents
        results/passage_scores/{dataset}/{scorer}/{attack}.parquet     of what is planted; under the attack `none`, of the corpus
        results/guards/{dataset}/{retriever}/{defence}.json            what a defence learns from clean text
        results/retrieved/{dataset}/{retriever}/{attack}.parquet       what the questions find with planted texts in the corpus
        results/part_retrieved/{dataset}/{part}/{retriever}/{attack}.parquet    the best clean ones of a part, by words
        results/calls/{rule}/..., ledger/{rule}/...                    as in questions.smk
        embeddings/                                                    vectors of texts; not an output, never deleted
        optimised/                                                     what optimising has made; not an output either
"""

from ragassay.plan import attackers, attacks, corpora, defences, defended, measures, methods, models, search, targets
from ragassay.plan.entries import having
from ragassay.studies.poisoning.attacks.attack import RESPONDER, WRITER

RETRIEVED = plan(attacks.cells).over("results/retrieved/{dataset}/{retriever}/{attack}.parquet")
PRODUCTS += RETRIEVED
CALLS += plan(attacks.needing, need=WRITER).over("results/calls/paraphrase_targets/{dataset}/{attack}.parquet")
CALLS += plan(attacks.needing, need=RESPONDER).over("results/calls/optimise_passages/{dataset}/{attack}.parquet")


wildcard_constraints:
    attack=one_of(plan(attacks.attacks)),
    defence=one_of(plan(methods.names, section="defences")),
    scorer=one_of(plan(methods.names, section="scorers")),


ruleorder: merge_attacked_parts > retrieve_bm25


rule train_scorer:
    """A scorer learns each half of the documents, so that the other half is new to it."""
    input:
        passages=plan(measures.training_passages),
        documents=plan(measures.training_documents),
    output:
        scorer=directory("results/scorers/{dataset}/{scorer}"),
    conda:
        "../../envs/encoders.yaml"
    resources:
        mem_mb=4000,
    params:
        code=code("attacks/train_scorer.py", measures.kinds),
        settings=plan(measures.train_scorer),
    script:
        "../scripts/attacks/train_scorer.py"


rule paraphrase_targets:
    """A model writes the texts of an attack from question and wrong answer."""
    input:
        plan(models.weights_of, role=attacks.TEXT_WRITER),
        targets="results/targets/{dataset}.parquet",
        prompt=ancient(plan(attacks.writing_prompt)),
    output:
        attack_texts=table("results/attack_texts/{dataset}/{attack}.parquet"),
        rejects=table("results/rejects/attack_texts/{dataset}/{attack}.parquet"),
        calls=table("results/calls/paraphrase_targets/{dataset}/{attack}.parquet"),
    benchmark:
        "logs/paraphrase_targets/{dataset}/{attack}.benchmark.jsonl"
    wildcard_constraints:
        attack=one_of(having(config["attacks"], "writer")),
    conda:
        "../../envs/models.yaml"
    threads: plan(models.threads_of, role=attacks.TEXT_WRITER)
    resources:
        runtime="4h",
    params:
        code=code("attacks/paraphrase_targets.py", models.provider_of, role=attacks.TEXT_WRITER),
        settings=plan(attacks.paraphrase_targets),
        access=frozen(plan(models.access_of, role=attacks.TEXT_WRITER)),
    script:
        "../scripts/attacks/paraphrase_targets.py"


rule poison_corpus:
    """The passages that an attack plants for the targets of a dataset."""
    input:
        targets="results/targets/{dataset}.parquet",
        passages=plan(attackers.poison_inputs, pattern="results/passages/{corpus}.parquet"),
        neighbours=plan(
            attackers.poison_inputs, pattern="results/neighbours/{corpus}/{retriever}/{dataset}.targets.parquet"
        ),
        texts=plan(attacks.poison_texts),
    output:
        poisoned_passages=table("results/poisoned_passages/{dataset}/{attack}.parquet"),
    benchmark:
        "logs/poison_corpus/{dataset}/{attack}.benchmark.jsonl"
    wildcard_constraints:
        attack=one_of(plan(attacks.attacks, optimised=False)),
    conda:
        "../../envs/tables.yaml"
    params:
        code=code("attacks/poison_corpus.py", attacks.kinds),
        settings=plan(attacks.poison_corpus),
    script:
        "../scripts/attacks/poison_corpus.py"


rule score_passages:
    """How surprising each passage is, as a whole and in chunks."""
    input:
        plan(measures.weights),
        passages=plan(measures.passages),
        poisoned_passages="results/poisoned_passages/{dataset}/{attack}.parquet",
        scorer=plan(measures.trained),
    output:
        passage_scores=table("results/passage_scores/{dataset}/{scorer}/{attack}.parquet"),
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        code=code("attacks/score_passages.py", measures.kinds),
        settings=plan(measures.score_passages),
    script:
        "../scripts/attacks/score_passages.py"


rule fit_defence:
    """A defence learns from clean text what is usual: for each fold of queries from the others, and from all of them."""
    input:
        plan(defences.fitting_weights),
        targets="results/targets/{dataset}.parquet",
        neighbours=plan(defences.snapshot, pattern="results/neighbours/{corpus}/{retriever}/{query_set}.parquet"),
        passages=plan(defences.snapshot, pattern="results/passages/{corpus}.parquet"),
        passage_scores=plan(defences.null_scores),
        poisoned=plan(defences.poisoned_null),
    output:
        guard="results/guards/{dataset}/{retriever}/{defence}.json",
    conda:
        "../../envs/encoders.yaml"
    params:
        code=code("attacks/fit_defence.py", defences.kinds),
        settings=plan(defences.fit_defence),
    script:
        "../scripts/attacks/fit_defence.py"


rule optimise_passages:
    """The passages of an attack that has the retriever's weights and optimises what it plants."""
    input:
        plan(attackers.awaited),
        targets="results/targets/{dataset}.parquet",
        passages=plan(attackers.poison_inputs, pattern="results/passages/{corpus}.parquet"),
        neighbours=plan(
            attackers.poison_inputs, pattern="results/neighbours/{corpus}/{retriever}/{dataset}.targets.parquet"
        ),
        prompt=ancient(plan(defended.prompt)),
    output:
        poisoned_passages=table("results/poisoned_passages/{dataset}/{attack}.parquet"),
        calls=table("results/calls/optimise_passages/{dataset}/{attack}.parquet"),
    wildcard_constraints:
        attack=one_of(plan(attacks.attacks, optimised=True)),
    conda:
        "../../envs/encoders.yaml"
    resources:
        mem_mb=8000,
        runtime="12h",
    params:
        code=code("attacks/optimise_passages.py", attackers.optimised_kinds),
        settings=plan(attackers.optimise_passages),
        access=frozen(plan(attackers.access)),
    script:
        "../scripts/attacks/optimise_passages.py"


rule retrieve_dense:
    """What questions find by vectors: poisoned passages are searched apart and join what the clean corpus gave."""
    input:
        plan(search.retriever_weights),
        queries="results/queries/{dataset}.targets.parquet",
        neighbours=plan(targets.clean, pattern="results/neighbours/{corpus}/{retriever}/{dataset}.targets.parquet"),
        poisoned_passages="results/poisoned_passages/{dataset}/{attack}.parquet",
    output:
        retrieved=table("results/retrieved/{dataset}/{retriever}/{attack}.parquet"),
    wildcard_constraints:
        retriever=one_of(plan(search.retrievers, kind=search.DENSE)),
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        code=code("attacks/retrieve_dense.py", search.retriever_kinds),
        settings=plan(attacks.retrieve_dense),
    script:
        "../scripts/attacks/retrieve_dense.py"


rule retrieve_bm25:
    """What questions find by BM25 in clean and poisoned passages together, since each changes how rare words are."""
    input:
        passages=plan(targets.clean, pattern="results/passages/{corpus}.parquet"),
        queries="results/queries/{dataset}.targets.parquet",
        poisoned_passages="results/poisoned_passages/{dataset}/{attack}.parquet",
    output:
        retrieved=table("results/retrieved/{dataset}/{retriever}/{attack}.parquet"),
    wildcard_constraints:
        retriever=one_of(plan(search.retrievers, kind=search.BM25)),
    conda:
        "../../envs/encoders.yaml"
    resources:
        runtime="2h",
    params:
        settings=plan(attacks.retrieve_bm25),
    script:
        "../scripts/attacks/retrieve_bm25.py"


rule search_attacked_part:
    """What questions find by BM25 in a part of a corpus, with words as rare as in all of it and in what is planted."""
    input:
        passages="results/passages/{part}.parquet",
        queries="results/queries/{dataset}.targets.parquet",
        word_counts=plan(attacks.word_counts),
        poisoned_passages="results/poisoned_passages/{dataset}/{attack}.parquet",
    output:
        part_retrieved=table("results/part_retrieved/{dataset}/{part}/{retriever}/{attack}.parquet"),
    wildcard_constraints:
        dataset=one_of(plan(attacks.in_parts)),
        part=one_of(plan(corpora.leaves)),
        retriever=one_of(plan(search.retrievers, kind=search.BM25)),
    conda:
        "../../envs/encoders.yaml"
    params:
        settings=plan(attacks.retrieve_bm25),
    script:
        "../scripts/attacks/search_attacked_part.py"


rule merge_attacked_parts:
    """What questions find by BM25 in the parts of a corpus and in what is planted, in one ranking."""
    input:
        passages=plan(attacks.of_parts, pattern="results/passages/{part}.parquet"),
        parts=plan(attacks.of_parts, pattern="results/part_retrieved/{dataset}/{part}/{retriever}/{attack}.parquet"),
        queries="results/queries/{dataset}.targets.parquet",
        word_counts=plan(attacks.word_counts),
        poisoned_passages="results/poisoned_passages/{dataset}/{attack}.parquet",
    output:
        retrieved=table("results/retrieved/{dataset}/{retriever}/{attack}.parquet"),
    wildcard_constraints:
        dataset=one_of(plan(attacks.in_parts)),
        retriever=one_of(plan(search.retrievers, kind=search.BM25)),
    conda:
        "../../envs/encoders.yaml"
    params:
        settings=plan(attacks.retrieve_bm25),
    script:
        "../scripts/attacks/merge_attacked_parts.py"
