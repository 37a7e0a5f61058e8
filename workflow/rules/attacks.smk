"""Corpora under attack: what an attacker plants, what questions then find, and what is answered from that.

Poisoned passages stand in tables of their own, `poisoned_passages`; no table of clean passages takes any.

Reads   results/targets, results/queries, results/passages, results/neighbours, results/answers, the files that config["attacks"] names
Writes  results/attack_texts/{dataset}/{attack}.parquet                what a model writes for attacks that plant such texts
        results/rejects/attack_texts/{dataset}/{attack}.parquet        what is no text of these, with the reason
        results/calls/{rule}/..., ledger/{rule}/...                    as in scope.smk
        results/poisoned_passages/{dataset}/{attack}.parquet           what is planted
        results/retrieved/{dataset}/{retriever}/{attack}.parquet       what the questions find with that in the corpus
        results/metrics/attacks.parquet                                the report's section
        embeddings/                                                    vectors of texts; not an output, never deleted
        optimised/                                                     what optimising has made; not an output either
"""

from ragassay.plan import attackers, attacks, defences, defended, models, retrieval

ATTACKED = plan(attacks.columns)
RETRIEVED = expand("results/retrieved/{dataset}/{retriever}/{attack}.parquet", zip, **ATTACKED)
PLANTED = list(dict.fromkeys(expand("results/poisoned_passages/{dataset}/{attack}.parquet", zip, **ATTACKED)))
SECTIONS["attacks"] = {"shown": bool(RETRIEVED)}
PRODUCTS += RETRIEVED
CALLS += expand("results/calls/paraphrase_targets/{dataset}/{attack}.parquet", zip, **plan(attacks.written))
CALLS += expand("results/calls/optimise_passages/{dataset}/{attack}.parquet", zip, **plan(attacks.asking))


wildcard_constraints:
    attack=one_of(plan(attacks.attacks)),


rule attacks:
    """What attacks reach, and what is left of that behind defences."""
    input:
        RETRIEVED,
        "results/metrics/attacks.parquet",
        "results/report/attacks.csv",
        "results/figures/attacks",


rule paraphrase_targets:
    """A model writes the texts of an attack from question and wrong answer."""
    input:
        plan(models.of_named, what=models.weights_of, named=attacks.text_writer),
        targets="results/targets/{dataset}.parquet",
        prompt="resources/prompts/write_supporting_texts.yaml",
    output:
        attack_texts=table("results/attack_texts/{dataset}/{attack}.parquet"),
        rejects=table("results/rejects/attack_texts/{dataset}/{attack}.parquet"),
        calls=table("results/calls/paraphrase_targets/{dataset}/{attack}.parquet"),
    log:
        "logs/paraphrase_targets/{dataset}/{attack}.log",
    benchmark:
        "logs/paraphrase_targets/{dataset}/{attack}.benchmark.jsonl"
    wildcard_constraints:
        attack=one_of(plan(attacks.with_writer)),
    conda:
        "../../envs/models.yaml"
    threads: plan(models.of_named, what=models.threads_of, named=attacks.text_writer)
    resources:
        runtime="4h",
    params:
        code=code("attacks/paraphrase_targets.py", models.of_named, what=models.provider_of, named=attacks.text_writer),
        settings=plan(attacks.paraphrase_targets),
        access=frozen(plan(models.of_named, what=models.access_of, named=attacks.text_writer)),
    script:
        "../scripts/attacks/paraphrase_targets.py"


rule poison_corpus:
    """The passages that an attack plants for the targets of a dataset."""
    input:
        targets="results/targets/{dataset}.parquet",
        passages=plan(attackers.poison_inputs, pattern="results/passages/{corpus}.parquet"),
        neighbours=plan(attackers.poison_inputs, pattern="results/neighbours/{corpus}/{retriever}/{query_set}.parquet"),
        texts=plan(attacks.poison_texts),
    output:
        poisoned_passages=table("results/poisoned_passages/{dataset}/{attack}.parquet"),
    log:
        "logs/poison_corpus/{dataset}/{attack}.log",
    benchmark:
        "logs/poison_corpus/{dataset}/{attack}.benchmark.jsonl"
    wildcard_constraints:
        attack=one_of(plan(attacks.attacks, optimised=False)),
    conda:
        "../../envs/tables.yaml"
    params:
        code=code("attacks/poison_corpus.py", attacks.poison_kinds),
        settings=plan(attacks.poison_corpus),
    script:
        "../scripts/attacks/poison_corpus.py"


rule optimise_passages:
    """The passages of an attack that has the retriever's weights and optimises what it plants."""
    input:
        plan(attackers.attacked_weights),
        plan(attackers.reader_weights),
        plan(attackers.attacked_filter),
        targets="results/targets/{dataset}.parquet",
        passages=plan(attackers.poison_inputs, pattern="results/passages/{corpus}.parquet"),
        neighbours=plan(attackers.poison_inputs, pattern="results/neighbours/{corpus}/{retriever}/{query_set}.parquet"),
        prompt=plan(defended.prompt),
    output:
        poisoned_passages=table("results/poisoned_passages/{dataset}/{attack}.parquet"),
        calls=table("results/calls/optimise_passages/{dataset}/{attack}.parquet"),
    log:
        "logs/optimise_passages/{dataset}/{attack}.log",
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
        plan(retrieval.retriever_weights),
        queries="results/queries/{dataset}.targets.parquet",
        neighbours=plan(attacks.clean, pattern="results/neighbours/{corpus}/{retriever}/{query_set}.parquet"),
        poisoned_passages="results/poisoned_passages/{dataset}/{attack}.parquet",
    output:
        retrieved=table("results/retrieved/{dataset}/{retriever}/{attack}.parquet"),
    log:
        "logs/retrieve_dense/{dataset}/{retriever}/{attack}.log",
    wildcard_constraints:
        retriever=one_of(plan(retrieval.retrievers, kind=retrieval.DENSE)),
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        code=code("attacks/retrieve_dense.py", retrieval.retriever_kinds),
        settings=plan(attacks.retrieve_dense),
    script:
        "../scripts/attacks/retrieve_dense.py"


rule retrieve_bm25:
    """What questions find by BM25 in clean and poisoned passages together, since each changes how rare words are."""
    input:
        passages=plan(attacks.clean, pattern="results/passages/{corpus}.parquet"),
        queries="results/queries/{dataset}.targets.parquet",
        poisoned_passages="results/poisoned_passages/{dataset}/{attack}.parquet",
    output:
        retrieved=table("results/retrieved/{dataset}/{retriever}/{attack}.parquet"),
    log:
        "logs/retrieve_bm25/{dataset}/{retriever}/{attack}.log",
    wildcard_constraints:
        retriever=one_of(plan(retrieval.retrievers, kind=retrieval.BM25)),
    conda:
        "../../envs/encoders.yaml"
    resources:
        mem_mb=8000,
        runtime="2h",
    params:
        code=code_version("attacks/retrieve_bm25.py"),
        settings=plan(attacks.retrieve_bm25),
    script:
        "../scripts/attacks/retrieve_bm25.py"


rule measure_attacks:
    """How much of what is planted is found, how loud it is, and what is answered: the report's section."""
    input:
        targets=expand("results/targets/{dataset}.parquet", dataset=plan(attacks.attacked)),
        poisoned_passages=PLANTED,
        passages=expand("results/passages/{corpus}.parquet", corpus=plan(attacks.corpora)),
        retrieved=RETRIEVED,
        answers=expand(
            "results/answers/{dataset}/{retriever}/{attack}/{defence}/{responder}.parquet",
            zip,
            **plan(defences.columns),
        ),
    output:
        metrics=table("results/metrics/attacks.parquet"),
    log:
        "logs/measure_attacks.log",
    conda:
        "../../envs/encoders.yaml"
    params:
        code=code_version("attacks/measure_attacks.py"),
        settings=plan(attacks.measure_attacks),
    script:
        "../scripts/attacks/measure_attacks.py"
