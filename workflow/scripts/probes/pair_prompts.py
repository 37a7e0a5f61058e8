"""Put together the passages of both sides of each condition, and measure what a ruler sees of them. Asks no model.

Where a question has no such pair of prompts, a row of the rejects says why.
"""

import numpy as np

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.documents.ids import reject
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.schemas.attacks import TARGETS
from ragassay.schemas.probes import PROMPT_PAIRS
from ragassay.search.nearest import unit
from ragassay.studies.poisoning.attacks.loudness import length, question_words
from ragassay.studies.poisoning.probes.conditions import clusters_of, found_by, pair, passages_of
from ragassay.studies.poisoning.probes.labels import SIDES


def pair_prompts(
    targets, passages, poisoned_passages, neighbours, retrieved, prompt_pairs, rejects,
    dataset, conditions, k, similarity, cut_after_words, encoder, embeddings,
):  # fmt: skip
    """`similarity` and `cut_after_words` say which documents are near-duplicates; k passages are shown."""
    wanted = tables.read(TARGETS, targets).to_pylist()
    documents = passages_of((target["document"] for target in wanted if target["document"]), passages)
    clusters = clusters_of(wanted, documents, similarity, cut_after_words)
    found = found_by(wanted, passages, poisoned_passages, neighbours, retrieved, documents, k)
    embedder, rows, without = Embedder(Encoder(**encoder), embeddings), [], []
    for target in wanted:
        name = target["target_id"]
        about = {"target_id": name, "cluster": clusters[name], "kind": target.get("kind")}
        for condition in conditions:
            sides = pair(condition, target, found[name])
            if isinstance(sides, str):
                without.append(reject("pair_prompts", {"shard": dataset}, f"{name} {condition}", sides, ""))
                continue
            for side, prompt in zip(SIDES, sides, strict=False):  # some conditions have a clean one alone
                rows.append(about | {"condition": condition, "side": side} | _row(target["question"], prompt))
    _add_similarities(rows, {target["target_id"]: target["question"] for target in wanted}, embedder)
    tables.write(PROMPT_PAIRS, prompt_pairs, rows)
    tables.write(tables.REJECTS, rejects, without)
    log.info("%d prompts for %d questions; %d times no pair", len(rows), len(wanted), len(without))


def _row(question, prompt):
    texts = [passage.text for passage in prompt.passages]
    return {
        "passages": texts,
        "shown": None if prompt.changed else [passage.passage_id for passage in prompt.passages],
        "planted": sum(passage.planted for passage in prompt.passages),
        "words": sum(map(length, texts)),
        "question_words": float(np.mean([question_words(question, text) for text in texts])),
    }


def _add_similarities(rows, questions, embedder):
    """The cosine of question and passage, on average; each text is embedded once."""
    texts = list(dict.fromkeys(text for row in rows for text in row["passages"]))
    places = {text: at for at, text in enumerate(texts)}
    names = {name: at for at, name in enumerate(questions)}
    passages = unit(embedder.embed(texts, "passage"))
    asked = unit(embedder.embed(list(questions.values()), "query"))
    for row in rows:
        own = passages[[places[text] for text in row["passages"]]]
        row["similarity"] = round(float((own @ asked[names[row["target_id"]]]).mean()), 6)


if __name__ == "__main__":
    run(pair_prompts, snakemake)
