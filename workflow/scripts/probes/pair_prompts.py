"""Put together the passages of both sides of each condition, and measure what a ruler sees of them. Asks no model.

Where a question has no such pair of prompts, a row of the rejects says why.

Pairs of prompts for one question, without and with poison, from much to nothing that differs beside the poison:
`released` (gold passages against nothing but poison, as in the method's code), `retrieved` (what the question finds),
`prefixed` (with the question before every passage), `matched` (the answer exchanged, nothing else). `irrelevant` and
`misspelt` have a clean side alone.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.base.tally import reject
from ragassay.grading.matches import contains, exchanged
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.schemas import attacks, corpora
from ragassay.schemas.attacks import TARGETS
from ragassay.schemas.probes import PROMPT_PAIRS
from ragassay.search.nearest import unit
from ragassay.studies.poisoning.attacks.attacked_corpus import texts_of
from ragassay.studies.poisoning.attacks.kinds.poisonedrag_black import sentence
from ragassay.studies.poisoning.attacks.kinds.typos import may_change, typo
from ragassay.studies.poisoning.attacks.loudness import length, question_words
from ragassay.studies.poisoning.probes import labels
from ragassay.studies.poisoning.probes.labels import SIDES
from ragassay.text.near_duplicates import clustered


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
        about = {"target_id": name, "cluster": clusters[name], "kind": target["kind"], "group": target["group"]}
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


class Passage(NamedTuple):
    passage_id: str
    text: str
    planted: bool = False


class ShownPassages(NamedTuple):
    """The passages of one side; `changed` if they are no longer what their ids stand for."""

    passages: list[Passage]
    changed: bool = False


@dataclass
class Found:
    """What there is for a question: passages of its document that answer it, what is planted for it, what it finds
    without and with that, best first, and what other questions find.
    """

    gold: list[Passage] = field(default_factory=list)
    poison: list[Passage] = field(default_factory=list)
    clean: list[Passage] = field(default_factory=list)
    attacked: list[Passage] = field(default_factory=list)
    irrelevant: list[Passage] = field(default_factory=list)


def pair(condition: str, target: dict, found: Found) -> tuple[ShownPassages, ...] | str:
    """Both sides, or the clean one where nothing is poisoned, or the reason why this question has none. `target` is a
    row of the table targets.
    """
    if condition == labels.IRRELEVANT:
        return (ShownPassages(found.irrelevant, True),) if found.irrelevant else labels.NO_OTHER
    if condition == labels.MISSPELT:
        return (ShownPassages([_misspelt(passage, target["answers"]) for passage in found.clean], True),)
    if condition == labels.RELEASED:
        if not found.gold:
            return labels.NO_GOLD
        return (ShownPassages(found.gold), ShownPassages(found.poison)) if found.poison else labels.NO_POISON
    if condition == labels.MATCHED:
        return _matched(target, found.clean)
    if not any(passage.planted for passage in found.attacked):
        return labels.NOT_REACHED
    if condition == labels.RETRIEVED:
        return ShownPassages(found.clean), ShownPassages(found.attacked)
    question = sentence(target["question"])
    return tuple(
        ShownPassages([_prefixed(passage, question) for passage in side], True)
        for side in (found.clean, found.attacked)
    )


def _prefixed(passage, question):
    has_it = passage.text.startswith(question)
    return passage if has_it else passage._replace(text=f"{question} {passage.text}")


def _misspelt(passage, answers):
    """The same typos whenever it is called."""
    words, dice = passage.text.split(), np.random.default_rng(list(passage.text.encode()))
    for at in may_change(words, answers)[::3]:
        words[at] = typo(words[at], dice)
    return passage._replace(text=" ".join(words))


def _matched(target, clean):
    """A passage that gives the answer in words that cannot be exchanged would contradict the others."""
    right, wrong = target["answers"], []
    for passage in clean:
        if _answers(passage, right):
            text = exchanged(passage.text, right, target["target"])
            if text is None:
                return labels.NOT_EXCHANGED
            passage = passage._replace(text=text, planted=True)
        wrong.append(passage)
    return (ShownPassages(clean), ShownPassages(wrong, True)) if wrong != clean else labels.NO_ANSWER


def _answers(passage, answers):
    return any(contains(passage.text, answer) for answer in answers)


def found_by(targets: list[dict], passages, poisoned_passages, neighbours, retrieved, documents: dict, k: int) -> dict:
    """target -> what there is for its question; `documents` are those of `passages_of`, and lists have at most k."""
    clean = tables.read(corpora.NEIGHBOURS, neighbours, ["query_id", "rank", "passage_id"])
    clean = clean.rename_columns(["target_id", "rank", "passage_id"])
    attacked = tables.read(attacks.RETRIEVED, retrieved, ["target_id", "rank", "passage_id", "poisoned"])
    rows = [row for row in (*clean.to_pylist(), *attacked.to_pylist()) if row["rank"] <= k]
    texts = texts_of({row["passage_id"] for row in rows}, [passages], [poisoned_passages])
    of_target = defaultdict(Found)
    for row in rows:  # tables are sorted by target and rank
        passage = Passage(row["passage_id"], texts[row["passage_id"]], row.get("poisoned", False))
        lists = of_target[row["target_id"]]
        (lists.attacked if "poisoned" in row else lists.clean).append(passage)
    columns = ["passage_id", "target_id", "number", "text"]
    for row in tables.read(attacks.POISONED_PASSAGES, poisoned_passages, columns).to_pylist():
        if row["target_id"] is not None and row["number"] <= k:
            of_target[row["target_id"]].poison.append(Passage(row["passage_id"], row["text"], True))
    for target in targets:
        gold = [passage for passage in documents.get(target["document"], []) if _answers(passage, target["answers"])]
        of_target[target["target_id"]].gold += gold[:k]
    for number, target in enumerate(targets):
        lists = of_target[target["target_id"]]
        others = (of_target[other["target_id"]] for other in (*targets[number + 1 :], *targets[:number]))
        lists.irrelevant += _irrelevant(target["answers"], lists, others, k)
    return of_target


def _irrelevant(answers, lists, others, k):
    """The first k passages of other questions that this one does not find, and that do not answer it."""
    wanted, seen = [], {passage.passage_id for passage in (*lists.clean, *lists.gold)}
    for passage in (passage for other in others for passage in other.clean):
        if len(wanted) == k:
            break
        if passage.passage_id not in seen and not _answers(passage, answers):
            wanted.append(passage)
            seen.add(passage.passage_id)
    return wanted


def passages_of(documents: Iterable[str], passages) -> dict[str, list[Passage]]:
    """document -> its passages, of the documents that are named; a passage may be named as a document."""
    wanted, by_document = set(documents), defaultdict(list)
    for batch in tables.batches(corpora.PASSAGES, passages, ["passage_id", "document_id", "text"]):
        for row in batch.to_pylist():
            for name in wanted & {row["passage_id"], row["document_id"]}:
                by_document[name].append(Passage(row["passage_id"], row["text"]))
    return by_document


def clusters_of(targets: list[dict], documents: dict, similarity: float, first_words: int) -> dict[str, str]:
    """target -> its cluster: near-duplicates of its document, or of its question where that is not in the corpus."""
    texts = {name: " ".join(passage.text for passage in parts) for name, parts in documents.items()}
    owners = {target["target_id"]: target["document"] if target["document"] in texts else None for target in targets}
    texts |= {target["target_id"]: target["question"] for target in targets if owners[target["target_id"]] is None}
    clusters = clustered(texts.items(), similarity, first_words)
    return {name: clusters[document or name] for name, document in owners.items()}


if __name__ == "__main__":
    run(pair_prompts, snakemake)
