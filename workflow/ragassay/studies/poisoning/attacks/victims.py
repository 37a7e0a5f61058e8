"""What an attacker attacks: a retriever or a model that answers with its weights, a model that can only be asked, and
a filter that can be asked. Anything with the same methods can stand in for them. `identity` is all that the texts
which are optimised against one follow from."""

import hashlib
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from ragassay.base import chance
from ragassay.calls.complete import account, converse
from ragassay.calls.ledger.records import Ledger
from ragassay.calls.model import Model, Request
from ragassay.calls.prompts import PromptPair
from ragassay.models.encoders.embed import Embedder, tokenized, vectors
from ragassay.models.encoders.encoder import Encoder
from ragassay.models.likelihood import Scorer
from ragassay.models.local import LocalModel
from ragassay.search.nearest import comparable
from ragassay.studies.poisoning.attacks._hotflip import Climbed, Draft, HotFlip, embeddings, usable
from ragassay.studies.poisoning.defences.text_judge import TextJudge
from ragassay.studies.poisoning.defences.thresholds import fold_of


class Cluster(NamedTuple):
    """Questions that are alike: their places, that in the middle first, and the mean of their vectors."""

    members: list[int]
    centre: np.ndarray


class AttackedRetriever:
    """A retriever by vectors: how near texts are to questions, and how to bring them nearer."""

    def __init__(self, encoder: dict, query_encoder: dict, embeddings, similarity: str):
        self.encoder, self.similarity = Encoder(**encoder), similarity
        self.of_passages = Embedder(self.encoder, embeddings)
        self.of_queries = Embedder(Encoder(**query_encoder), embeddings)

    @property
    def identity(self) -> dict:
        prefixes = {"passage": self.encoder.prefix("passage"), "query": self.of_queries.encoder.prefix("query")}
        encoders = {"passages": self.encoder.identity, "queries": self.of_queries.encoder.identity}
        return encoders | {"prefixes": prefixes, "similarity": self.similarity}

    @property
    def kind(self):
        return self.of_passages.kind

    @cached_property
    def _hotflip(self):
        return HotFlip(self.kind, self.encoder.prefix("passage"), self.similarity)

    def questions(self, texts: list[str]) -> np.ndarray:
        """A vector for each question, to be compared with those of passages."""
        return comparable(self.of_queries.embed(texts, "query"), self.similarity)

    def clusters(self, questions: list[str], count: int, seed: int) -> list[Cluster]:
        """Questions by k-means over their vectors, the largest cluster first."""
        from sklearn.cluster import KMeans

        vectors, clusters = self.questions(questions), []
        labels = KMeans(count, n_init=10, random_state=seed).fit(vectors).labels_
        for number in range(count):
            members = np.flatnonzero(labels == number)
            centre = vectors[members].mean(0)
            order = np.argsort(-(vectors[members] @ centre), kind="stable")
            clusters.append(Cluster(members[order].tolist(), centre))
        return sorted(clusters, key=lambda cluster: (-len(cluster.members), cluster.members))

    def passages(self, texts: list[str]) -> np.ndarray:
        """A vector for each passage; nothing is stored, since most of these texts are dropped again."""
        tokens = tokenized(self.kind, [self.encoder.prefix("passage") + text for text in texts])
        result = [None] * len(texts)
        for batch, rows in vectors(self.kind, tokens):
            for at, row in zip(batch, comparable(rows, self.similarity), strict=True):
                result[at] = row
        return np.array(result)

    def stored(self, texts: list[str]) -> np.ndarray:
        """The same for passages that stay: searches have stored those of the corpus, and find what is stored here."""
        return comparable(self.of_passages.embed(texts, "passage"), self.similarity)

    def draft(self, front: str, tail: str = "", count: int | None = None) -> Draft:
        return self._hotflip.draft(front, tail, count)

    def climb(self, drafts: list[Draft], directions, steps: int, candidates: int, seed: str) -> list[Climbed]:
        """Drafts brought nearer to directions, one each; `seed` may be any text, such as the target's id."""
        number = chance.number(None, seed, width=7)
        directions = np.ascontiguousarray(np.broadcast_to(directions, (len(drafts), np.shape(directions)[-1])))
        return self._hotflip.climb(drafts, directions.astype(np.float32), steps, candidates, [number])


class AttackedReader:
    """A model that answers from passages: how probable an answer is, and which tokens of a passage would make it more
    so. `entry` is the model's in the configuration; with `in_lines`, passages stand in one text, a line each.
    """

    def __init__(self, name: str, entry: dict, prompt, in_lines: bool):
        self.local, self.prompt = LocalModel(f"model {name}", entry), PromptPair.load(prompt, prompt, in_lines)

    @property
    def identity(self) -> dict:
        return {"reader": self.local.identity} | _identity(self.prompt)

    @cached_property
    def _scorer(self):
        return Scorer(self.local)

    @cached_property
    def _usable(self):
        return usable(self.local.tokenizer)

    def log_likelihoods(self, question: str, passages: list[list[str]], answer: str) -> np.ndarray:
        """Of the answer to the question from each list of passages."""
        prompts = [self._rendered(question, texts) for texts in passages]
        answers = [_behind(prompt, answer) for prompt in prompts]
        return np.array([scored.total for scored in self._scorer.of(answers, prompts)])

    def says(self, question: str, passages: list[str], answer: str) -> bool:
        """Whether its likeliest answer begins with this one."""
        prompt = self._rendered(question, passages)
        return says(self._scorer, _behind(prompt, answer), prompt)

    def promising(self, question: str, passage: str, part: slice, answer: str, count: int) -> tuple[list, np.ndarray]:
        """The tokens of a part of the only passage, and for each the tokens that would make the answer most probable in
        its place: tokens x count, the best first.
        """
        prompt = self._rendered(question, [passage])
        at = prompt.index(passage)
        steered = steering(self._scorer, _behind(prompt, answer), prompt, (at + part.start, at + part.stop))
        best = steered.promised[:, self._usable].topk(min(count, len(self._usable)), dim=1).indices.numpy()
        return steered.tokens.tolist(), self._usable[best]

    def written(self, tokens: list[int]) -> str:
        """The text of some tokens, with single blanks."""
        return " ".join(self.local.tokenizer.decode(tokens).split())

    def _rendered(self, question, passages):
        return self.local.prompt(self.prompt.messages(question, passages))


def _behind(prompt, answer):
    return answer if prompt[-1:].isspace() else f" {answer}"


class AttackedResponder:
    """A model that an attacker may ask: its answers, nothing else."""

    def __init__(self, model: dict, ledger, prompt, in_lines: bool, sampling: dict):
        self.model, self.ledger, self.sampling = Model(**model), ledger, sampling
        self.prompt = PromptPair.load(prompt, prompt, in_lines)  # it is never asked without a passage
        entry = {key: model.get(key) for key in ("provider", "model", "base_url", "options")}
        self.identity = {"responder": entry, "sampling": sampling} | _identity(self.prompt)

    def request(self, question: str, passages: list[str]) -> Request:
        return Request(self.prompt.messages(question, passages), self.sampling)

    def account(self) -> dict:
        """What was asked and paid, as the table calls has it."""
        journal = Ledger(self.ledger)
        try:
            return account(self.model, journal)
        finally:
            journal.close()

    def run(self, conversation):
        """What a conversation of many calls gives; all are in the ledger, so that none is paid twice."""
        [result] = converse([None], lambda _item, ask: conversation(ask), self.model, self.ledger)
        return result


class AttackedFilter:
    """A fitted defence that an attacker can ask: would it remove this passage, among what the question finds? It
    answers by the very thresholds that judge this question later, those that other questions gave. `scorer` is the
    folder or the entry of the model that it scores texts with, if it does. It compares a text with so many `beside` it.
    """

    def __init__(self, path, scorer=None):
        self.judge = TextJudge.load(path, scorer)
        self.identity = hashlib.sha256(Path(path).read_bytes()).hexdigest()
        self.beside = self.judge.depth - 1 if self.judge.defence.COMPARES else 0

    def passes(self, question: str, texts: list[str], vectors: np.ndarray, wanted: np.ndarray, beside: list[dict]):
        """Whether it would leave each text, if that were planted alone. `vectors` are those of the texts, `wanted` that
        of the question; `beside` is what the question finds otherwise, with text, score and vector.
        """
        similarities, fold = vectors @ wanted, fold_of(question)
        if not self.beside:
            judgements = self.judge.judge(question, texts, similarities, vectors, fold)
            return np.array([not judgement.removed for judgement in judgements])
        passed = []
        for text, similarity, vector in zip(texts, similarities, vectors, strict=True):
            shown = [text, *(row["text"] for row in beside)]
            scores = [similarity, *(row["score"] for row in beside)]
            rows = np.array([vector, *(row["vector"] for row in beside)])
            passed.append(not self.judge.judge(question, shown, scores, rows, fold)[0].removed)
        return np.array(passed)


def _identity(prompt):
    return {"prompt": prompt.with_passages.digest, "in_lines": prompt.in_lines}


class Steering(NamedTuple):
    """The tokens of a part of a prompt, and what each token of the vocabulary would add to the log-likelihood of what
    follows, to first order, if it stood there: tokens x vocabulary.
    """

    tokens: np.ndarray
    promised: torch.Tensor


def steering(scorer: Scorer, answer: str, prompt: str, part: tuple[int, int]) -> Steering:
    """For the tokens that end inside `part` of the prompt, which says where it starts and stops in characters."""
    [row], model = scorer.rows([answer], [prompt]), scorer.causal.model
    cut = scorer.local.tokenizer(prompt, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
    start = row.first - len(cut["input_ids"])  # tokens that stand before the prompt's own
    places = [start + at for at, (_, end) in enumerate(cut["offset_mapping"]) if part[0] < end <= part[1]]
    tokens, table = torch.from_numpy(row.tokens)[None].to(model.device), model.get_input_embeddings()
    with embeddings(table) as kept:
        logits = model(input_ids=tokens, use_cache=False).logits[0, row.first - 1 : -1].float()
        total = logits.log_softmax(1).gather(1, tokens[0, row.first :, None]).sum()
        [gradients] = torch.autograd.grad(total, kept[0])
    with torch.inference_mode():
        slopes = gradients[0, places].float()
        there = (slopes * kept[0].detach()[0, places].float()).sum(1, keepdim=True)
        return Steering(row.tokens[places], (slopes @ table.weight.float().T - there).cpu())


@torch.inference_mode()
def says(scorer: Scorer, answer: str, prompt: str) -> bool:
    """Whether greedy decoding behind the prompt gives this text, token by token."""
    [row], model = scorer.rows([answer], [prompt]), scorer.causal.model
    tokens = torch.from_numpy(row.tokens)[None].to(model.device)
    likeliest = model(input_ids=tokens, use_cache=False).logits[0, row.first - 1 : -1].argmax(1)
    return bool((likeliest == tokens[0, row.first :]).all())
