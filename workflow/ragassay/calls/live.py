"""Ask a model one question, to see that key, name, address and price are right before a run needs them."""

import tempfile
from dataclasses import dataclass, fields, replace
from pathlib import Path

from ragassay.calls.complete import complete
from ragassay.calls.ledger.records import Ledger
from ragassay.calls.ledger.register import Register
from ragassay.calls.model import Model, Request

QUESTION = [
    {"role": "system", "content": "You answer in one word."},
    {"role": "user", "content": "Which city is the capital of France?"},
]
SAMPLING = {"temperature": 0, "max_tokens": 200, "seed": 0}
SAMPLES = 2  # in one request, as votes are
SHOWN = 200  # characters of an answer


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


def check(name: str, entry: dict) -> LiveAnswer:
    """Ask the model of an entry of `models`, whatever its mode; raises AssayError with what its server says. Nothing is
    written into the project.
    """
    settings = {field.name for field in fields(Model)}
    model = Model(name, **{key: value for key, value in entry.items() if key in settings})
    with tempfile.TemporaryDirectory(prefix="live-") as folder:
        ledger, register = Path(folder, "ledger"), str(Path(folder, "register"))
        model = replace(model, mode="online", budget_usd=None, register=register)
        request = Request(QUESTION, SAMPLING, SAMPLES)
        [answers] = complete([request], model, ledger)
        journal = Ledger(ledger)
        try:
            counts, served, dollars = journal.counts, sorted(journal.served), journal.dollars
        finally:
            journal.close()
        refused = Register(register, ledger).kept().get("manners", {}).get("refused", [])
    tokens = counts["prompt"], counts["completion"]
    return LiveAnswer(name, [answer.text for answer in answers], *tokens, counts["requests"], dollars, served, refused)
