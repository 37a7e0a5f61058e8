"""From the user's files and from articles to documents, and what they are like; and what a question set brings.

A set's name stands in the place of generator and shard, and whatever is asked of the study's questions can be asked of it.

Reads   config/shards.tsv and the files or folders that it names, the files that config["question_sets"] names,
        results/articles, pages, candidates, feed_health and rejects of crawled shards
Writes  fetched/{place}                                                             copies of files in object stores
        results/articles/{shard}.parquet                                            the articles in the user's files
        results/duplicate_indexes/{shard}.arrow, up_to/{shard}.arrow                texts of a shard, and of 16, for later shards
        results/documents/{shard}.parquet                                           the documents, also of a question set
        results/clusters/{shard}.parquet                                            near-duplicates, also of earlier shards
        results/questions/{question_set}/{question_set}.parquet                     the questions of a set
        results/human_labels/{question_set}.parquet                                 what people said of them
        results/responses/{question_set}/{responder}/recorded/{question_set}.parquet    responses that were recorded
        results/scope_votes/{question_set}/{judge}/{question_set}.parquet           verdicts that were recorded
        results/rejects/{articles,documents}/                                       what could not be one, with the reason
        results/document_statistics.parquet                                         per shard and topic
        results/metrics/documents.parquet, crawl.parquet                            the report's sections
"""

from ragassay.base.address import PLACE
from ragassay.plan import documents, models, question_sets
from ragassay.plan.entries import having, lacking

CRAWLED = lacking(SHARDS, "documents")
REJECTING = ["pages", "articles", "documents"]
SECTIONS["documents"] = {}
SECTIONS["crawl"] = {"page": "documents", "shown": bool(CRAWLED)}


wildcard_constraints:
    question_set=one_of(config["question_sets"]),


ruleorder: read_question_set > place_questions > collect_documents


rule documents:
    """The documents of all shards and what they are like."""
    input:
        "results/metrics/documents.parquet",


rule fetch_file:
    """A file of the user's out of an object store, for as long as jobs read it."""
    output:
        file=temp("fetched/{place}"),
    wildcard_constraints:
        place=PLACE,
    conda:
        "../../envs/files.yaml"
    resources:
        runtime="4h",
    params:
        settings=plan(documents.fetch_file),
    script:
        "../scripts/documents/fetch_file.py"


rule read_articles:
    """The usable texts of the user's files become articles; the others are rejected with a reason."""
    input:
        source=plan(documents.files),
    output:
        articles=table("results/articles/{shard}.parquet"),
        rejects=table("results/rejects/articles/{shard}.parquet"),
    wildcard_constraints:
        shard=one_of(having(SHARDS, "documents")),
    conda:
        "../../envs/files.yaml"
    params:
        code=code_version("documents/read_articles.py", "ragassay.documents.parsed_files"),
        settings=plan(documents.read_files),
    script:
        "../scripts/documents/read_articles.py"


rule read_question_set:
    """Documents, questions and people's votes of a set become tables like the study's own."""
    input:
        document_files=plan(question_sets.documents),
        question_files=lookup("{question_set}/questions", within=config["question_sets"]),
        vote_files=lookup("{question_set}/human_votes", within=config["question_sets"]),
    output:
        documents=table("results/documents/{question_set}.parquet"),
        questions=table("results/questions/{question_set}/{question_set}.parquet"),
        human_labels=table("results/human_labels/{question_set}.parquet"),
    wildcard_constraints:
        question_set=one_of(lacking(config["question_sets"], "nearest")),
    conda:
        "../../envs/files.yaml"
    params:
        code=code_version("documents/read_question_set.py", "ragassay.documents.parsed_files"),
        settings=plan(question_sets.read_question_set),
    script:
        "../scripts/documents/read_question_set.py"


rule place_questions:
    """Questions of a set that name no document get the passages that are nearest to them, as a document of their own."""
    input:
        plan(models.encoder_of, role=question_sets.PLACING, of=models.encoder_weights),
        document_files=plan(question_sets.documents),
        question_files=lookup("{question_set}/questions", within=config["question_sets"]),
        vote_files=lookup("{question_set}/human_votes", within=config["question_sets"]),
    output:
        documents=table("results/documents/{question_set}.parquet"),
        questions=table("results/questions/{question_set}/{question_set}.parquet"),
        human_labels=table("results/human_labels/{question_set}.parquet"),
    wildcard_constraints:
        question_set=one_of(having(config["question_sets"], "nearest")),
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        code=code("documents/place_questions.py", models.encoder_of, role=question_sets.PLACING, of=models.encoder_kind),
        settings=plan(question_sets.place_questions),
    script:
        "../scripts/documents/place_questions.py"


rule read_responses:
    """The recorded responses to a set, by one responder."""
    input:
        document_files=plan(question_sets.documents),
        question_files=lookup("{question_set}/questions", within=config["question_sets"]),
        placed=plan(question_sets.placed_questions),
        response_files=lookup("{question_set}/responses", within=config["question_sets"]),
    output:
        responses=table("results/responses/{question_set}/{responder}/recorded/{question_set}.parquet"),
    wildcard_constraints:
        responder=one_of(plan(question_sets.recorded, role="responders")),
    conda:
        "../../envs/files.yaml"
    params:
        code=code_version("documents/read_responses.py", "ragassay.documents.parsed_files"),
        settings=plan(question_sets.read_responses),
    script:
        "../scripts/documents/read_responses.py"


rule read_verdicts:
    """The recorded verdicts of a judge or detector on a set."""
    input:
        document_files=plan(question_sets.documents),
        question_files=lookup("{question_set}/questions", within=config["question_sets"]),
        placed=plan(question_sets.placed_questions),
    output:
        scope_votes=table("results/scope_votes/{question_set}/{judge}/{question_set}.parquet"),
    wildcard_constraints:
        judge=one_of(plan(question_sets.recorded, role="judges")),
    conda:
        "../../envs/files.yaml"
    params:
        code=code_version("documents/read_verdicts.py", "ragassay.documents.parsed_files"),
        settings=plan(question_sets.read_verdicts),
    script:
        "../scripts/documents/read_verdicts.py"


rule find_duplicates:
    """Articles of a shard that are nearly the same form clusters, and its texts an index."""
    input:
        articles="results/articles/{shard}.parquet",
    output:
        index="results/duplicate_indexes/{shard}.arrow",
    conda:
        "../../envs/extract.yaml"
    resources:
        runtime="1h",
    params:
        settings=plan(documents.near_duplicates),
    script:
        "../scripts/documents/find_duplicates.py"


rule merge_duplicates:
    """The indexes of each sixteen shards, up to the named one, become one, so that later shards read few."""
    input:
        indexes=plan(documents.block, index="results/duplicate_indexes/{shard}.arrow"),
    output:
        merged="results/duplicate_indexes/up_to/{shard}.arrow",
    conda:
        "../../envs/extract.yaml"
    resources:
        mem_mb=4000,
    script:
        "../scripts/documents/merge_duplicates.py"


rule collect_documents:
    """One of near-duplicate articles, in this shard and those before it, long enough and cut, as many of each topic as the shard asks for."""
    input:
        articles="results/articles/{shard}.parquet",
        index="results/duplicate_indexes/{shard}.arrow",
        earlier=plan(
            documents.earlier,
            index="results/duplicate_indexes/{shard}.arrow",
            block="results/duplicate_indexes/up_to/{shard}.arrow",
        ),
        opt_outs=config["crawl"]["opt_outs"],
    output:
        documents=table("results/documents/{shard}.parquet"),
        rejects=table("results/rejects/documents/{shard}.parquet"),
        clusters=table("results/clusters/{shard}.parquet"),
    wildcard_constraints:
        shard=one_of(SHARDS),
    conda:
        "../../envs/extract.yaml"
    params:
        settings=plan(documents.collect_documents),
    script:
        "../scripts/documents/collect_documents.py"


rule describe_documents:
    """All shards are counted: documents, words, sites and dates for each topic."""
    input:
        documents=expand("results/documents/{shard}.parquet", shard=SHARDS),
    output:
        statistics=table("results/document_statistics.parquet"),
    conda:
        "../../envs/tables.yaml"
    script:
        "../scripts/documents/describe_documents.py"


rule measure_documents:
    """The counts become the metrics of the report's section."""
    input:
        documents=expand("results/documents/{shard}.parquet", shard=SHARDS),
        rejects=expand("results/rejects/{table}/{shard}.parquet", table=["articles", "documents"], shard=SHARDS),
        statistics="results/document_statistics.parquet",
    output:
        metrics=table("results/metrics/documents.parquet"),
    conda:
        "../../envs/tables.yaml"
    params:
        settings=config["statistics"],
    script:
        "../scripts/documents/measure_documents.py"


rule measure_crawl:
    """What was asked for, found, fetched and kept becomes the report's section on coverage."""
    input:
        feed_health=expand("results/feed_health/{shard}.parquet", shard=CRAWLED),
        candidates=expand("results/candidates/{shard}.parquet", shard=CRAWLED),
        pages=expand("results/pages/{shard}.parquet", shard=CRAWLED),
        articles=expand("results/articles/{shard}.parquet", shard=CRAWLED),
        documents=expand("results/documents/{shard}.parquet", shard=CRAWLED),
        rejects=expand("results/rejects/{table}/{shard}.parquet", table=REJECTING, shard=CRAWLED),
    output:
        metrics=table("results/metrics/crawl.parquet"),
    conda:
        "../../envs/tables.yaml"
    params:
        settings=plan(documents.measure_crawl),
    script:
        "../scripts/documents/measure_crawl.py"
