"""One step of HotFlip with 100 candidates, beside the passes that it cannot do without: one forward and backward pass
of the text, and the candidates' forward passes in the same batches.
"""

import tempfile
import time

import numpy as np
import torch

from poison.white_box import MINILM, QUESTION, TEXT
from ragassay.models.batches import padded
from ragassay.models.encoders.embed import vectors
from ragassay.models.encoders.gradients import traced
from ragassay.studies.poisoning.attacks.attacked_retriever import AttackedRetriever

CANDIDATES, TURNS = 100, 9


def measure(figure) -> None:
    with tempfile.TemporaryDirectory() as folder:
        retriever = AttackedRetriever(MINILM, MINILM, folder, "cosine")
        direction = retriever.questions([QUESTION])
        draft = retriever.draft(QUESTION, TEXT)

        def step():
            retriever.climb([draft], direction, 1, CANDIDATES, "seed")

        def bare():
            rows, mask = padded([draft.tokens], retriever.kind.pad)
            found, embeddings = traced(retriever.kind, rows, mask)
            torch.autograd.grad((found @ torch.from_numpy(direction[0])).sum(), embeddings)
            for _ in vectors(retriever.kind, [draft.tokens] * (CANDIDATES + 1)):  # the first score, too
                pass

        costs = {stage: [] for stage in (step, bare)}
        for _ in range(TURNS):
            for stage, found in costs.items():
                start = time.process_time()
                stage()
                found.append(time.process_time() - start)
    ours, passes = (np.min(found) for found in costs.values())
    figure("hotflip_step_100_candidates", ours, "seconds", limit=passes)
    figure("hotflip_step_beside_its_passes", ours / passes, "times", "<= 1.3")
