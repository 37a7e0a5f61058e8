"""A gate and a guard in front of your own RAG, as a service:

    GATE=results/gates/articles/minilm GUARD=results/guards/demo/minilm/raguard.json \
        SCORER=results/scorers/demo/ngram uvicorn service:app --app-dir docs/examples

Your search asks `/gate` before it looks for anything, and `/guard` about what it found.
"""

import os
from contextlib import asynccontextmanager
from dataclasses import asdict

from fastapi import FastAPI
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from ragassay import Gate, Guard
from ragassay.base.errors import AssayError


class Asked(BaseModel):
    questions: list[str]


class Found(BaseModel):
    question: str
    texts: list[str]  # best first
    similarities: list[float]
    shown: int = 5


@asynccontextmanager
async def opened(app: FastAPI):
    """Both are loaded, checked and warm before the first request; a damaged file ends the start in one line."""
    app.state.gate = Gate.load(os.environ["GATE"]).warm_up()
    app.state.guard = Guard.load(os.environ["GUARD"], os.environ.get("SCORER")).warm_up()
    yield


app = FastAPI(lifespan=opened)


@app.exception_handler(AssayError)
async def refused(_, error: AssayError):
    """What cannot be judged is refused, never let through."""
    return JSONResponse({"detail": str(error)}, status_code=422)


@app.post("/gate")
def gate(asked: Asked) -> list[dict]:
    """A decision for each question; requests run in threads, which may share a gate."""
    return [asdict(decision) for decision in app.state.gate(asked.questions)]


@app.post("/guard")
def guard(found: Found) -> dict:
    """The texts to answer from, and why others were removed."""
    judgements = app.state.guard(found.question, found.texts, found.similarities)
    pairs = list(zip(found.texts, judgements, strict=True))
    kept = [text for text, judgement in pairs if not judgement.removed][: found.shown]
    return {"kept": kept, "reasons": {text: judgement.reason for text, judgement in pairs if judgement.removed}}
