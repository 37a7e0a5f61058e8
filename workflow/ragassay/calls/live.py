"""Ask a model five requests, or a service one question, before a run needs them: are key, address, price and paths
right, and what does the server take? What it refuses and its limits go into the model's register, for runs to read."""

import contextlib
import tempfile
from dataclasses import dataclass, fields, replace
from pathlib import Path

from ragassay.base.errors import json_of
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
JSON = "Which city is the capital of France? Answer with a JSON object that has the key city."
COUNTING, ALLOWED = "Count from 1 to 400 in figures, separated by blanks.", 24  # tokens that it may write
SENTENCE = "The ferry leaves the northern quay at noon and comes back before the evening bell. "
FEW, MANY = 10, 400  # sentences of a short and a long prompt, of about 170 and 6,800 tokens
CUT = 0.8  # share of a long prompt's tokens; if fewer were read, the server cut it
ON_THIS_MACHINE = ("rules", "script", "transformers")  # providers without a server
SHOWN = 200  # characters of an answer


SERVICE_QUESTION = "What can you tell me about your documents?"


@dataclass(frozen=True)
class LiveAnswer:
    """The result of five requests: texts of the first one's samples, tokens, dollars, and what the server does."""

    model: str
    texts: list[str]
    prompt_tokens: int
    completion_tokens: int
    requests: int
    dollars: float
    served: list[str]  # what replies call the model
    refused: list[str]  # parameters
    limits: dict  # name -> what replies say
    json: Answer | None = None  # this and the following only for a server
    counted: Answer | None = None  # to the request with few tokens
    short: Answer | None = None
    long: Answer | None = None

    def lines(self) -> list[str]:
        samples = " | ".join(repr(text[:SHOWN]) for text in self.texts)
        tokens = f"{self.prompt_tokens} tokens read, {self.completion_tokens} written in {self.requests} requests"
        refused = ", ".join("several samples in one request" if name == "n" else name for name in self.refused)
        named = ", ".join(f"{limit:,} {name.replace('_per_', ' a ')}" for name, limit in self.limits.items())
        lines = [
            f"model {self.model}: {samples}",
            f"  {tokens}, ${self.dollars:.6f}; served as {', '.join(self.served) or 'no name'}",
            f"  the server does not take: {refused}" if refused else "  the server takes all that was sent",
        ]
        if not self.json:
            return lines
        return [
            *lines,
            f"  JSON: {'written' if self.writes_json else 'not written'} when asked for",
            f"  max_tokens: {self._length()}",
            f"  long prompts: {self._reads()}",
            f"  limits that it names: {named or 'none'}",
        ]

    def _length(self):
        written = self.counted.completion_tokens
        if written is None or self.counted.detail:
            return f"not known: {self.counted.detail or 'the reply counts no tokens'}"
        if written <= ALLOWED:
            return "kept"
        return f"{written} tokens were written where {ALLOWED} were allowed; a budget sets aside more"

    @property
    def writes_json(self) -> bool:
        return isinstance(json_of(self.json.text), dict)

    def seen(self) -> dict:
        """What a register keeps of it beside what the server refuses and its limits."""
        seen = {"requests": self.requests, "dollars": self.dollars}
        if self.json:
            seen |= {"json": self.writes_json, "allowed": ALLOWED, "written": self.counted.completion_tokens}
        return seen

    @property
    def cut_after(self) -> int | None:
        """How many tokens of a prompt the server reads, if it cuts the rest."""
        return self.long.prompt_tokens if self.is_cut else None

    @property
    def is_cut(self) -> bool | None:
        """Whether it cuts long prompts; None if that could not be seen."""
        few, many = (answer and answer.prompt_tokens for answer in (self.short, self.long))
        return many < CUT * expected_tokens(few) if few and many and not self.long.detail else None

    def _reads(self):
        few, many = self.short.prompt_tokens, self.long.prompt_tokens
        if self.long.detail or not few or not many:
            return f"not known: {self.long.detail or 'the reply counts no tokens'}"
        if not self.cut_after:
            return f"{many:,} tokens are read"
        remedy = "give the server a longer context (Ollama: num_ctx) or shorten documents"
        return f"{many:,} tokens are read of about {expected_tokens(few):,}, the rest is cut without notice; {remedy}"


def expected_tokens(few: int) -> int:
    """How many tokens the long prompt has, if the short one, of the same sentences, has so few."""
    return round(few * len(_filled(MANY)) / len(_filled(FEW)))


def _filled(sentences):
    return f"{SENTENCE * sentences}\nAnswer with the word yes."


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
        [[answer]] = complete(
            [Request([{"role": "user", "content": question}])], _model(name, entry, Path(folder, "register")), ledger
        )
        with contextlib.closing(Ledger(ledger)) as journal:
            return LiveReply(name, entry["service"]["reply"], question, answer, journal.dollars)


def _model(name, entry, register):
    settings = {field.name for field in fields(Model)}
    model = Model(name, **{key: value for key, value in entry.items() if key in settings})
    return replace(model, mode="online", budget_usd=None, register=str(register))


def check(name: str, entry: dict, register: str | None = None) -> LiveAnswer:
    """Ask the model of an entry of `models`, whatever its mode; raises AssayError with what its server says. Of the
    project, only what the server refuses and its limits change, in this register, if one is named.
    """
    alone = {"temperature": 0, "max_tokens": 200}
    asked = [Request(QUESTION, SAMPLING, SAMPLES)]
    of_servers = [
        Request(_user(JSON), alone | {"response_format": {"type": "json_object"}}),
        Request(_user(COUNTING), alone | {"max_tokens": ALLOWED}),
        *(Request(_user(_filled(sentences)), alone | {"max_tokens": ALLOWED}) for sentences in (FEW, MANY)),
    ]
    with tempfile.TemporaryDirectory(prefix="live-") as folder:
        ledger, model = Path(folder, "ledger"), _model(name, entry, Path(folder, "register"))
        learned = Register(model.register, ledger)
        if register:
            _hand_over(Register(register, ledger).kept(), learned)
        asked += of_servers if entry["provider"] not in ON_THIS_MACHINE else []
        answers, *others = complete(asked, model, ledger)
        with contextlib.closing(Ledger(ledger)) as journal:
            counts, served, dollars = journal.counts, sorted(journal.served), journal.dollars
        kept = learned.kept()
    tokens, refused = (counts["prompt"], counts["completion"]), kept.get("manners", {}).get("refused", [])
    texts, limits = [answer.text for answer in answers], kept.get("learned") or {}
    single = (answer for [answer] in others)
    answer = LiveAnswer(name, texts, *tokens, counts["requests"], dollars, served, refused, limits, *single)
    if register:
        cut = {} if answer.is_cut is None else {"cut_after": answer.cut_after}
        _hand_over(kept, Register(register, ""), cut, answer.seen())
    return answer


def _user(text):
    return [{"role": "user", "content": text}]


def _hand_over(source: dict, target: Register, cut: dict | None = None, checked: dict | None = None) -> None:
    """Give a register what a server refuses, where it cuts prompts, its limits, and what a check saw and cost. What
    answers of a run cost stays as it is: those of a check are unlike them. Jobs that are running learn limits from
    their replies.
    """
    if not (learned := source.get("manners")):
        return
    endpoint = learned["endpoint"]
    with target.shared() as (kept, _):
        manners = kept.get("manners", {})
        if manners.get("endpoint") != endpoint:
            manners = {"endpoint": endpoint, "refused": [], "excess": 1.0, "answered": False, "room": None}
        refused = sorted({*manners["refused"], *learned["refused"]})
        kept["manners"] = manners | {"refused": refused} | (cut or {})
        if checked:
            kept["checked"] = {"endpoint": endpoint} | checked
        if source.get("endpoint") == endpoint and not kept["jobs"]:
            slowed = kept.get("slowed") if kept.get("endpoint") == endpoint else None
            kept |= {"endpoint": endpoint, "learned": source.get("learned"), "slowed": slowed}
