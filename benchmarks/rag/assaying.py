"""500 questions to a chat service on loopback that takes 200 ms and has 32 in flight, through the stage itself."""

import os
import tempfile
import time
from pathlib import Path

from common.figures import figure
from ragassay.base import tables
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.scope_questions import QUESTIONS
from ragassay.schemas.services import SERVICE_ANSWERS
from scripts.responses.ask_service import ask_service
from services import entry
from study import document, question
from tools.loopback import Loopback

COUNT, SECONDS, IN_FLIGHT = 500, 0.2, 32


def assaying():
    limit = COUNT / IN_FLIGHT * SECONDS
    with tempfile.TemporaryDirectory() as name, Loopback(latency=SECONDS) as server:
        folder = Path(name)
        inputs = {"documents": folder / "documents.parquet", "questions": folder / "questions.parquet"}
        tables.write(DOCUMENTS, inputs["documents"], [document("harbour", "The harbour opened in 1931.")])
        asked = [question("harbour", at, "in_scope", f"When did harbour {at} open?") for at in range(COUNT)]
        tables.write(QUESTIONS, inputs["questions"], asked)
        os.environ["JOB_KEY"] = server.key
        address = f"{server.url}/chat/completions"
        reply = {"answer": "$.choices[0].message.content", "passages": None}
        chat = {"kind": "chat", "body": {"model": "loopback"}, "reply": reply, "key_variable": "JOB_KEY"}
        model = {"name": "service:slow", **entry(address, concurrency=IN_FLIGHT, **chat)}
        outputs = ("responses", "service_answers", "service_passages", "calls")
        outputs = {output: folder / f"{output}.parquet" for output in outputs}
        begin = time.perf_counter()
        ask_service(**inputs, **outputs, model=model, ledger=str(folder / "ledger"), asks=1, most_rejected=0.0)
        seconds = time.perf_counter() - begin
        answered = tables.read(SERVICE_ANSWERS, outputs["service_answers"])["outcome"].to_pylist()
        lost = COUNT - len(answered) + answered.count("abstained")
    figure("service_questions_lost", lost, "questions", "== 0")
    figure("service_500_questions", seconds, "s", f"<= {1.15 * limit:.4g}", limit)
