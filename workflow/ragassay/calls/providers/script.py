"""Replies that people wrote beforehand, found by task and document: the demo's generator. It stands in for a model that
generates material, never for one that is measured; it gets the same messages and answers in the same free text. The
form of reply files is in resources/demo/README.md. What no file holds is left to `rules`, and the run says how
often."""

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from ragassay.base import plain_yaml
from ragassay.base.code_version import WORKFLOW, module_version
from ragassay.base.stage import log
from ragassay.calls import model
from ragassay.calls.model import Model, ModelError
from ragassay.calls.prompts import Task, numbered
from ragassay.calls.providers import rules
from ragassay.calls.providers._rules.writing import MISSING

GUESSES = {"restated"}, {"expected", "question"}, {"expected", "near_miss"}  # what an entry holds beside its claim


class Provider(rules.Provider):
    def __init__(self, settings: Model):
        model.Provider.__init__(self, settings)
        self.replies, self.digest = read_replies(f"model {settings.name}", Path(settings.model))
        self.answered = self.left = 0

    def identity(self):
        """The replies count, wherever they lie, and the rules that answer in their place."""
        code = module_version("ragassay.calls.providers.rules", WORKFLOW)
        return {"provider": self.model.provider, "replies": self.digest, "rules": code}

    def reply(self, messages, sampling, sample):
        return find(self.replies, Task.of(messages)) or rules.respond(messages, sampling, sample)

    async def send(self, messages, sampling, samples):
        self.answered += 1
        self.left += find(self.replies, Task.of(messages)) is None
        return await super().send(messages, sampling, samples)

    async def close(self):
        if self.left:
            message = "model %s: %d of %d requests are about nothing in %s; rules answered, where a real model should"
            log.info(message, self.model.name, self.left, self.answered, self.model.model)


@dataclass(frozen=True)
class Reply:
    """What one file says about one document."""

    begins: str
    claims: list[dict[str, str]]
    in_scope: list[str]

    @cached_property
    def guesses(self) -> dict[str, str | None]:
        """Plain text of each guess -> the question about it, None where the document supports the guess."""
        return {plain(guess(entry)): entry.get("question") or entry.get("near_miss") for entry in self.claims}

    @cached_property
    def texts(self) -> frozenset[str]:
        """All claims and guesses, as `plain` gives them."""
        return frozenset(self.guesses) | {plain(entry["claim"]) for entry in self.claims}


class Replies(NamedTuple):
    """What all files say."""

    documents: list[Reply]
    targets: dict[tuple[str, str], list[str]]  # question and wrong answer -> texts that state it


def guess(entry: dict[str, str]) -> str:
    return entry.get("expected") or entry["restated"]


def find(replies: Replies, task: Task) -> str | None:
    """The reply to what is asked for, None if no file holds it. The labels of its parts tell the task."""
    labels, [count] = set(task.parts), task.numbers(rules.COUNT, [None])
    if labels == {"claims"} and MISSING in task.text("claims"):
        return _recovered(replies.documents, task.items("claims"))
    if labels == {"question", "answer"} and "texts" in task.instruction:
        texts = replies.targets.get((plain(task.text("question")), plain(task.text("answer"))))
        return json.dumps({"texts": texts[:count]}, ensure_ascii=False) if texts else None
    reply = written_about(replies.documents, task.text("document")) if "document" in labels else None
    if reply is None:
        return None
    if labels == {"document", "true claims", "recovered claims"}:
        return _unsupported(reply, task.items("recovered claims"))
    if labels == {"document", "claims"}:
        return _unsupported(reply, task.items("claims"), as_questions=True)
    if labels == {"document"} and "question" in task.instruction:
        return numbered(dict(enumerate(reply.in_scope[:count], 1)))
    if labels == {"document"} and "claim" in task.instruction:
        return numbered(dict(enumerate([entry["claim"] for entry in reply.claims[:count]], 1)))
    return None


def written_about(replies: list[Reply], document: str) -> Reply | None:
    text = " ".join(document[:1000].split())
    return next((reply for reply in replies if text.startswith(reply.begins)), None)


def _recovered(replies, claims):
    """A list with each gap filled; the claims that are left tell whose list it is."""
    shown = {plain(claim) for claim in claims.values()}
    reply = max(replies, key=lambda reply: len(shown & reply.texts))
    if not shown & reply.texts or max(claims) > len(reply.claims):
        return None
    guesses = [guess(entry) for entry in reply.claims]
    return numbered({slot: guesses[slot - 1] if MISSING in claim else claim for slot, claim in claims.items()})


def _unsupported(reply, claims, as_questions=False):
    """The claims that the document does not support, or the questions about them; None if nobody wrote one of them."""
    if any(plain(claim) not in reply.guesses for claim in claims.values()):
        return None
    questions = {slot: reply.guesses[plain(claim)] for slot, claim in claims.items()}
    shown = questions if as_questions else claims
    return numbered({slot: shown[slot] for slot, question in questions.items() if question}) or "None"


def plain(text: str) -> str:
    return " ".join(text.lower().split()).rstrip(".")


def read_replies(what: str, folder: Path) -> tuple[Replies, str]:
    """All reply files of a folder, and a digest over them."""
    files = sorted(folder.rglob("*.yaml"))
    if not files:
        raise ModelError(f"{what}: found no reply file below {folder}, expected some *.yaml")
    digest, documents, targets = hashlib.sha256(), [], {}
    for file in files:
        content = file.read_bytes()
        digest.update(hashlib.sha256(content).digest())
        try:
            entry = plain_yaml.load(content, plain_yaml.Texts)
        except plain_yaml.YamlError as error:
            raise ModelError(f"{file}:{error.line}: {error}") from error
        if isinstance(entry, dict) and entry.keys() == {"targets"}:
            targets |= _targets(file, entry["targets"])
        else:
            documents.append(_reply(file, entry))
    # The longest opening first: a document may begin as another does.
    documents.sort(key=lambda reply: -len(reply.begins))
    return Replies(documents, targets), digest.hexdigest()


def _targets(file, entries):
    targets = {}
    for number, entry in enumerate(entries if isinstance(entries, list) else [None], 1):
        usable = isinstance(entry, dict) and entry.keys() == {"question", "answer", "texts"}
        usable = usable and isinstance(entry["texts"], list) and entry["texts"]
        if not usable or not all(map(_is_text, (entry["question"], entry["answer"], *entry["texts"]))):
            raise ModelError(f"{file}: found something else in targets, {number}, expected question, answer and texts")
        targets[plain(entry["question"]), plain(entry["answer"])] = entry["texts"]
    return targets


def _reply(file, entry):
    def expect(holds, place, expected):
        if not holds:
            article = entry.get("begins") if isinstance(entry, dict) else None
            subject = f" about the article that begins {article!r:.60}" if article else ""
            raise ModelError(f"{file}{subject}: found something else in {place}, expected {expected}")

    fields = {"begins", "claims", "in_scope"}
    expect(isinstance(entry, dict) and entry.keys() == fields, "the file", "begins, claims and in_scope")
    expect(_is_text(entry["begins"]), "begins", "the first words of the document")
    expect(isinstance(entry["claims"], list) and entry["claims"], "claims", "a list")
    for number, claim in enumerate(entry["claims"], 1):
        usable = isinstance(claim, dict) and claim.keys() - {"claim"} in GUESSES and all(map(_is_text, claim.values()))
        expect(usable and "claim" in claim, f"claims, {number}", "claim with restated, or with expected and a question")
    expect(isinstance(entry["in_scope"], list) and all(map(_is_text, entry["in_scope"])), "in_scope", "questions")
    return Reply(" ".join(entry["begins"].split()), entry["claims"], entry["in_scope"])


def _is_text(value):
    return isinstance(value, str) and bool(value.strip())
