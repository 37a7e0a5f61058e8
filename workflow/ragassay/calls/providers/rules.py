"""Rules that stand in for a language model: they get the messages that a remote model gets, and answer in free text.

Deterministic and plain. A judge compares words, names and numbers; an answer repeats words of the text; claims are
sentences, and there is one frame for questions. The rules know nothing about the world, so without a text they do not
know the answer. They make studies run anywhere, without a key and without weights. What they answer says nothing about
models: a real one should take their place.

The model `careful` weighs all its evidence and declines where it is thin. The model `hasty` looks at words alone, not
at names, numbers or at what is asked for, and declines only where a text has next to nothing of a question.

The same call always gives the same text: the seed is a hash of messages, sampling settings and index. At temperature 0
every sample is the same; above, each overlooks some words, and samples differ by index. What the material between
delimiters says is never taken for an instruction.
"""

import hashlib
import json
import random
import re

from ragassay.base.code_version import WORKFLOW, module_version
from ragassay.base.errors import unknown
from ragassay.calls import model
from ragassay.calls.model import Answer, Model, ModelError, Usage
from ragassay.calls.prompts import numbered
from ragassay.calls.providers._rules import reading, writing
from ragassay.calls.providers._rules.reading import Doubts, content, defuses, evidence, nearest, read
from ragassay.calls.providers._rules.task import Task

CAREFUL, HASTY = "careful", "hasty"
# What the evidence counts for and the bar that it has to pass; set by hand, with an eye on resources/demo/relevance.
WEIGHTS = {
    CAREFUL: Doubts(missing=2.0, scattered=0.0, names=1.0, numbers=2.0, unanswered=2.5),
    HASTY: Doubts(missing=2.0, scattered=0.0, names=0.0, numbers=0.0, unanswered=0.0),
}
BAR = {CAREFUL: 0.7, HASTY: 0.8}
UNASKED = 2.4  # how much higher the bar is for a responder who was not told that it may decline
THIN = {CAREFUL: 0.6, HASTY: 0.3}  # what an answer from passages needs: see `reading.answers`
NEW = 0.3  # share of a claim's words that every two sentences lack, from which the claim is new
OVERLOOKED, UNSURE = 0.1, 0.12  # share of words that a sample overlooks, and the spread of its bar
# How many items are asked for, and how long questions may be, with what holds where the prompt does not say.
COUNT = re.compile(r"\b(\d{1,3}) (?:\w+ ){0,2}(?:claims|questions|texts)\b"), [6]
LENGTH = re.compile(r"\b(\d{1,3}) to (\d{1,3}) words\b"), [6, 30]
MAY_DECLINE = re.compile(
    r"cannot be answered|can ?not answer|do(?:es)? not (?:say|answer|know|contain|mention)|none of them|unanswerable"
    r"|not (?:named|given|mentioned|stated)|did not|were not",
    re.IGNORECASE,
)
KEYWORDS = 4  # at most


class Provider(model.Provider):
    def __init__(self, settings: Model):
        super().__init__(settings)
        if settings.model not in WEIGHTS:
            raise ModelError(f"models.{settings.name}.model: {unknown('model', settings.model, WEIGHTS)}")

    def identity(self):
        """Its code is its weights."""
        return super().identity() | {"code": module_version("ragassay.calls.providers.rules", WORKFLOW)}

    def reply(self, messages, sampling, sample):
        return respond(messages, sampling, sample, self.model.model)

    async def send(self, messages, sampling, samples):
        """Words stand for tokens."""
        texts = [self.reply(messages, sampling, sample) for sample in samples]
        asked = sum(len(message["content"].split()) for message in messages)
        written = sum(len(text.split()) for text in texts)
        return json.dumps({"texts": texts, "prompt": asked, "completion": written}), {}

    def read(self, body):
        reply = json.loads(body)
        return [Answer(text, "stop") for text in reply["texts"]], Usage(reply["prompt"], 0, reply["completion"])


def respond(messages: list[dict], sampling: dict | None = None, index: int = 0, manner: str = CAREFUL) -> str:
    """One sample of the answer to the last user message; `sampling` may hold temperature and seed."""
    sampling = sampling or {}
    varied = sampling.get("temperature", 1.0) not in (0, None)
    chance = random.Random(_seed(messages, sampling, index if varied else 0))
    task = Task.of(messages)
    for labels, words, perform in TASKS:
        if labels == ", ".join(sorted(task.parts)) and re.search(words, task.instruction, re.IGNORECASE):
            return perform(task, Reader(manner, chance if varied else None), chance)
    return "I am a small set of rules and cannot do this."


def _seed(messages, sampling, index):
    shown = [[message.get("role"), message.get("content")] for message in messages]
    text = json.dumps([shown, sampling.get("temperature"), sampling.get("seed"), index], sort_keys=True, default=str)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])


class Reader:
    """Reads carefully or hastily; with `chance` it overlooks something each time."""

    def __init__(self, manner: str, chance: random.Random | None):
        self.manner, self.chance = manner, chance

    def beyond(self, question: str, document: str) -> float:
        """How far a question goes beyond a document; out of scope above 0."""
        words = dict.fromkeys(content(question))
        overlooked = {word for word in words if self.chance and self.chance.random() < OVERLOOKED}
        against = evidence(question, read(document), overlooked)
        score = sum(weight * value for weight, value in zip(WEIGHTS[self.manner], against, strict=True))
        return score - BAR[self.manner] + self._unsure()

    def answers(self, passages: list[str], question: str) -> list[reading.Phrase]:
        """What could be the answer, best first; nothing if all of it is thin."""
        bar = THIN[self.manner] + self._unsure()
        return [answer for answer in reading.answers(passages, question) if answer.score >= bar]

    def _unsure(self):
        return self.chance.gauss(0, UNSURE) if self.chance else 0.0


def _extract(task, *_):
    claims = writing.claims(task.text("document"), task.asked(*COUNT)[0])
    return numbered(dict(enumerate(claims, 1))) or "The document makes no claim that I can take out of it."


def _recover(task, _, chance):
    return numbered(writing.filled(task.items("claims"), chance)) or "The list holds no numbered claims."


def _remove(task, *_):
    texts = [read(task.text("document")), *map(read, task.items("true claims").values())]
    guesses = task.items("recovered claims")
    new = {slot: guess for slot, guess in guesses.items() if all(_is_new(guess, text) for text in texts)}
    return numbered(new) or "None"


def _is_new(claim, text):
    against = evidence(claim, text)
    return against.scattered >= NEW or against.names > 0 or against.numbers > 0


def _questions_from_claims(task, *_):
    asked = {slot: writing.question(claim, *task.asked(*LENGTH)) for slot, claim in task.items("claims").items()}
    return numbered({slot: question for slot, question in asked.items() if question}) or "None"


def _questions(task, _, chance):
    asked = _asked(task, "document", chance)[: task.asked(*COUNT)[0]]
    return numbered(dict(enumerate(asked, 1))) or "The document answers no question that I can put."


def _query(task, _, chance):
    asked = _asked(task, "passage", chance)
    if not asked:
        return "The passage answers no question that I can put."
    return _json(question=asked[0], options=["yes", "no"], answer="yes")


def _asked(task, label, chance):
    """Questions about a text's own claims, in an order by chance."""
    asked = [writing.question(claim, *task.asked(*LENGTH)) for claim in writing.claims(task.text(label), None)]
    asked = [question for question in dict.fromkeys(asked) if question]
    chance.shuffle(asked)
    return asked


def _near_misses(task, _, chance):
    """Sentences of the document with another number in them, as questions."""
    claims = [claim for claim in writing.claims(task.text("document"), None) if writing.NUMBER.search(claim)]
    asked = [writing.question(writing.changed(claim, chance), *task.asked(*LENGTH)) for claim in claims]
    asked = [question for question in asked if question]
    return numbered(dict(zip(task.items("questions"), asked, strict=False))) or "None"


def _scope(task, reader, _):
    question, document = task.text("question"), task.text("document")
    verdict = _verdict(reader.beyond(question, document) > 0)
    return f"Of the words of the question, one sentence has {_share(question, document):.0%}.\n{verdict}"


def _answer(task, reader, _):
    document, question = task.text("document"), task.text("question")
    near = nearest(question, read(document))
    bar = 0 if MAY_DECLINE.search(task.told) else UNASKED
    if not near or reader.beyond(question, document) > bar:
        reply, reasons = "The document does not answer this question.", "What comes closest does not settle it."
    else:
        candidates = reader.answers([document], question)
        sentence = candidates[0].sentence if candidates else read(document).sentences[near[0][1]]
        reply, reasons = f"According to the document: {sentence}", "One sentence has most of what is asked about."
    return f"{reasons}\n\n{reply}" if re.search("step by step|reasoning", task.told, re.IGNORECASE) else reply


def _passages(task, reader, _):
    candidates = reader.answers(task.passages, task.text("question"))
    if not candidates:
        return "None of the passages answers the question."
    return candidates[0].text if "the answer alone" in task.told else f"{candidates[0].sentence.rstrip(' .')}."


def _keywords(task, reader, _):
    candidates = reader.answers(task.passages, task.text("question"))
    return _json(keywords=[answer.text for answer in candidates[:KEYWORDS]])


def _from_keywords(task, *_):
    asked = set(map(reading.stem, content(task.text("question"))))
    new = [word for word in task.text("keywords").split("\n") if set(map(reading.stem, content(word))) - asked]
    return f"The keywords point to {new[0]}." if new else "I do not know: the keywords do not answer the question."


def _relevance(task, *_):
    best = max((_share(task.text("query"), passage) for passage in task.passages), default=0.0)
    return _json(feedback=f"Of the words of the query, one sentence has {best:.0%}.", score=round(best, 2))


def _share(question, text):
    return max((share for share, _ in nearest(question, read(text))), default=0.0)


def _rewrite(task, *_):
    return _json(passage=writing.reordered(read(task.text("passage")).sentences))


def _rewrite_question(task, *_):
    return _json(question=writing.rephrased(task.text("question")))


def _propose(task, _, chance):
    wrong = writing.wrong_answer(task.text("right answer"), chance)
    return _json(wrong_answer=wrong, texts=writing.texts(task.text("question"), wrong, task.asked(*COUNT)[0], chance))


def _support(task, _, chance):
    return _json(texts=writing.texts(task.text("question"), task.text("answer"), task.asked(*COUNT)[0], chance))


def _defusion(task, reader, _):
    """A sample may overlook how the response begins or ends."""
    response = task.text("response")
    if reader.chance and reader.chance.random() < OVERLOOKED:
        response = ". ".join(response.split(". ")[reader.chance.choice((slice(1, None), slice(-1)))]) or response
    defused = defuses(task.text("document"), response)
    return f"The response {'declines or corrects' if defused else 'answers'}.\n{_verdict(defused)}"


def _closed_book(*_):
    return "I do not know the answer. I can only work on texts that are given to me."


def _verdict(holds):
    return "Verdict: yes" if holds else "Verdict: no"


def _json(**values):
    return json.dumps(values, ensure_ascii=False)


TASKS = (  # labels of what is shown, words of the instruction, what is done; the first that fits
    ("claims", r"missing", _recover),
    ("document, recovered claims, true claims", "", _remove),
    ("claims, document", "question", _questions_from_claims),
    ("answered questions, document, questions", "", _near_misses),
    ("document", "question", _questions),
    ("document", "", _extract),
    ("document, question, response", "verdict|yes or no", _defusion),
    ("document, question", "verdict|yes or no", _scope),
    ("document, question", "", _answer),
    ("passage, question", "keywords", _keywords),
    ("passage, question", "", _passages),
    ("passages, question", "", _passages),
    ("keywords, question", "", _from_keywords),
    ("passage, query", "", _relevance),
    ("passage", "question", _query),
    ("example, passage", "question", _query),
    ("passage", "rewrite", _rewrite),
    ("question, right answer", "", _propose),
    ("answer, question", "texts", _support),
    ("question", "rewrite", _rewrite_question),
    ("question", "", _closed_book),
)
