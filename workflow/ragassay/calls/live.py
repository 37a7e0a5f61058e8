"""Ask a model or a service one question: are key, address, price and paths right before a run needs them?"""

import contextlib
import tempfile
from dataclasses import dataclass, fields, replace
from pathlib import Path

from ragassay.base.terminal import printable
from ragassay.calls.complete import complete
from ragassay.calls.ledger.records import Ledger
from ragassay.calls.ledger.register import Register
from ragassay.calls.model import Answer, Model, Request

QUESTION = [
    {"role": "system", "content": "You answer in one word."},
    {"role": "user", "content": "Which city is the capital of France?"},
]
SAMPLING = {"temperature": 0, "max_tokens": 200, "seed": 0}
SAMPLES = 2  # in one request, as votes are
SHOWN = 200  # characters of an answer


SERVICE_QUESTION = "What can you tell me about your documents?"


@dataclass(frozen=True)
class LiveAnswer:
    """What came of the question: texts of the samples, tokens, dollars, and what the server did not take."""

    model: str
    texts: list[str]
    prompt_tokens: int
    completion_tokens: int
    requests: int
    dollars: float
    served: list[str]  # what replies call the model
    refused: list[str]  # parameters

    def lines(self) -> list[str]:
        samples = " | ".join(repr(text[:SHOWN]) for text in self.texts)
        tokens = f"{self.prompt_tokens} tokens read, {self.completion_tokens} written in {self.requests} requests"
        refused = ", ".join("several samples in one request" if name == "n" else name for name in self.refused)
        return [
            f"model {self.model}: {samples}",
            f"  {tokens}, ${self.dollars:.6f}; served as {', '.join(self.served) or 'no name'}",
            f"  the server does not take: {refused}" if refused else "  the server takes all that was sent",
        ]


@dataclass(frozen=True)
class LiveReply:
    """What a service replied, read by the paths of the configuration."""

    name: str
    paths: dict
    question: str
    answer: Answer
    dollars: float

    def lines(self) -> list[str]:
        paths, passages = self.paths, self.answer.passages
        answer = f"  answer, at {paths['answer'] or 'the whole reply'}: {self.answer.text[:SHOWN]!r}"
        lines = [f"{self.name}: asked {self.question!r}, ${self.dollars:.6f}", answer]
        if passages is None:
            return [*lines, "  passages: none are read; reply.passages says where the reply holds them"]
        note = "" if passages else "; correct reply.passages if the service returned some"
        lines.append(f"  passages, at {paths['passages']}: {len(passages)}{note}")
        for number, passage in enumerate(passages[:3], 1):
            fields = ", ".join(f"{name} {passage[name]}" for name in ("id", "source", "score"))
            lines.append(f"    {number}: {printable(fields)}: {passage['text'][: SHOWN // 2]!r}")
        return lines


def check_service(name: str, entry: dict, question: str = "") -> LiveReply:
    """Ask the service of an entry of `models`, whatever its mode, as `check` asks a model."""
    question = question or SERVICE_QUESTION
    with tempfile.TemporaryDirectory(prefix="live-") as folder:
        ledger = Path(folder, "ledger")
        [[answer]] = complete([Request([{"role": "user", "content": question}])], _model(name, entry, folder), ledger)
        with contextlib.closing(Ledger(ledger)) as journal:
            return LiveReply(name, entry["service"]["reply"], question, answer, journal.dollars)


def _model(name, entry, folder):
    settings = {field.name for field in fields(Model)}
    model = Model(name, **{key: value for key, value in entry.items() if key in settings})
    return replace(model, mode="online", budget_usd=None, register=str(Path(folder, "register")))


def check(name: str, entry: dict) -> LiveAnswer:
    """Ask the model of an entry of `models`, whatever its mode; raises AssayError with what its server says. Nothing is
    written into the project.
    """
    with tempfile.TemporaryDirectory(prefix="live-") as folder:
        ledger, model = Path(folder, "ledger"), _model(name, entry, folder)
        [answers] = complete([Request(QUESTION, SAMPLING, SAMPLES)], model, ledger)
        with contextlib.closing(Ledger(ledger)) as journal:
            counts, served, dollars = journal.counts, sorted(journal.served), journal.dollars
        refused = Register(model.register, ledger).kept().get("manners", {}).get("refused", [])
    tokens = counts["prompt"], counts["completion"]
    return LiveAnswer(name, [answer.text for answer in answers], *tokens, counts["requests"], dollars, served, refused)
