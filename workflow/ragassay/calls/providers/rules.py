"""Rules that stand in for a language model: they get the messages that a remote model gets, and answer in free text,
by overlap of words, names and numbers. What they answer says nothing about models: a real one should take their
place. `careful` weighs all its evidence, `hasty` looks at words alone. The same call always gives the same text: the
seed is a hash of messages, sampling settings and index."""

import json
import random
import re
from typing import NamedTuple

from ragassay.base import chance
from ragassay.base.code_version import WORKFLOW, module_version
from ragassay.base.errors import unknown
from ragassay.calls import model
from ragassay.calls.model import Answer, Model, ModelError, Usage
from ragassay.calls.prompts import Task, numbered
from ragassay.calls.providers._rules import reading, writing
from ragassay.calls.providers._rules.reading import Doubts, content, defuses, evidence, nearest, read

CAREFUL, HASTY = "careful", "hasty"

# What the evidence counts for and the bar that it has to pass; set by hand, with an eye on resources/demo/relevance.
WEIGHTS = {
    CAREFUL: Doubts(missing=2.0, scattered=0.0, names=1.0, numbers=2.0, unanswered=2.5),
    HASTY: Doubts(missing=2.0, scattered=0.0, names=0.0, numbers=0.0, unanswered=0.0),
}
BAR = {CAREFUL: 0.7, HASTY: 0.8}
THIN = {CAREFUL: 0.6, HASTY: 0.3}  # what an answer from passages needs: see `reading.answers`
UNASKED = 2.4  # how much higher the bar is for a responder who was not told that it may decline
NEW = 0.3  # share of a claim's words that every two sentences lack, from which the claim is new
OVERLOOKED, UNSURE = 0.1, 0.12  # share of words that a sample overlooks, and the spread of its bar
COUNT = re.compile(r"\b(\d{1,3}) (?:\w+ ){0,2}(?:claims|questions|texts)\b")  # how many items are asked for
LENGTH = re.compile(r"\b(\d{1,3}) to (\d{1,3}) words\b")  # how long questions may be
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
    shown = [[message.get("role"), message.get("content")] for message in messages]
    seeds = [shown, sampling.get("temperature"), sampling.get("seed"), index if varied else 0]
    draw = random.Random(chance.number(None, json.dumps(seeds, sort_keys=True, default=str)))
    task = Task.of(messages)
    for labels, words, perform in TASKS:
        if labels == ", ".join(sorted(task.parts)) and re.search(words, task.instruction, re.IGNORECASE):
            return perform(task, Reader(manner, draw, varied))
    return "I am a small set of rules and cannot do this."


class Reader(NamedTuple):
    """Reads in a manner; one that is `varied` overlooks something each time."""

    manner: str
    draw: random.Random
    varied: bool

    def overlooks(self) -> bool:
        return self.varied and self.draw.random() < OVERLOOKED

    def beyond(self, question: str, document: str) -> float:
        """How far a question goes beyond a document; out of scope above 0."""
        overlooked = {word for word in dict.fromkeys(content(question)) if self.overlooks()}
        against = evidence(question, read(document), overlooked)
        score = sum(weight * value for weight, value in zip(WEIGHTS[self.manner], against, strict=True))
        return score - BAR[self.manner] + self._unsure()

    def answers(self, passages: list[str], question: str) -> list[reading.Phrase]:
        """What could be the answer, best first; nothing if all of it is thin."""
        bar = THIN[self.manner] + self._unsure()
        return [answer for answer in reading.answers(passages, question) if answer.score >= bar]

    def _unsure(self):
        return self.draw.gauss(0, UNSURE) if self.varied else 0.0


def _extract(task, _):
    claims = writing.claims(task.text("document"), _count(task))
    return numbered(dict(enumerate(claims, 1))) or "The document makes no claim that I can take out of it."


def _recover(task, reader):
    return numbered(writing.filled(task.items("claims"), reader.draw)) or "The list holds no numbered claims."


def _remove(task, _):
    texts = [read(task.text("document")), *map(read, task.items("true claims").values())]
    guesses = task.items("recovered claims")
    return _listed({slot: guess for slot, guess in guesses.items() if all(_is_new(guess, text) for text in texts)})


def _is_new(claim, text):
    against = evidence(claim, text)
    return against.scattered >= NEW or against.names > 0 or against.numbers > 0


def _questions_from_claims(task, _):
    questions = {slot: _question(task, claim) for slot, claim in task.items("claims").items()}
    return _listed({slot: question for slot, question in questions.items() if question})


def _questions(task, reader):
    questions = _about_claims(task, "document", reader)[: _count(task)]
    return numbered(dict(enumerate(questions, 1))) or "The document answers no question that I can put."


def _query(task, reader):
    questions = _about_claims(task, "passage", reader)
    if not questions:
        return "The passage answers no question that I can put."
    return _json(question=questions[0], options=["yes", "no"], answer="yes")


def _about_claims(task, label, reader):
    """Questions about a text's own claims, in an order by chance."""
    questions = [_question(task, claim) for claim in writing.claims(task.text(label), None)]
    questions = [question for question in dict.fromkeys(questions) if question]
    reader.draw.shuffle(questions)
    return questions


def _near_misses(task, reader):
    """Sentences of the document with another number in them, as questions."""
    claims = [claim for claim in writing.claims(task.text("document"), None) if writing.NUMBER.search(claim)]
    questions = [_question(task, writing.changed(claim, reader.draw)) for claim in claims]
    return _listed(dict(zip(task.items("questions"), filter(None, questions), strict=False)))


def _scope(task, reader):
    question, document = task.text("question"), task.text("document")
    verdict = _verdict(reader.beyond(question, document) > 0)
    return f"Of the words of the question, one sentence has {_share(question, document):.0%}.\n{verdict}"


def _answer(task, reader):
    document, question = task.text("document"), task.text("question")
    near = nearest(question, read(document))
    bar = 0 if MAY_DECLINE.search(task.directions) else UNASKED
    if not near or reader.beyond(question, document) > bar:
        reply, reasons = "The document does not answer this question.", "What comes closest does not settle it."
    else:
        candidates = reader.answers([document], question)
        sentence = candidates[0].sentence if candidates else read(document).sentences[near[0][1]]
        reply, reasons = f"According to the document: {sentence}", "One sentence has most of what is asked about."
    return f"{reasons}\n\n{reply}" if re.search("step by step|reasoning", task.directions, re.IGNORECASE) else reply


def _passages(task, reader):
    candidates = reader.answers(task.passages, task.text("question"))
    if not candidates:
        return "None of the passages answers the question."
    return candidates[0].text if "the answer alone" in task.directions else f"{candidates[0].sentence.rstrip(' .')}."


def _keywords(task, reader):
    candidates = reader.answers(task.passages, task.text("question"))
    return _json(keywords=[answer.text for answer in candidates[:KEYWORDS]])


def _from_keywords(task, _):
    asked = set(map(reading.stem, content(task.text("question"))))
    new = [word for word in task.text("keywords").split("\n") if set(map(reading.stem, content(word))) - asked]
    return f"The keywords point to {new[0]}." if new else "I do not know: the keywords do not answer the question."


def _relevance(task, _):
    best = max((_share(task.text("query"), passage) for passage in task.passages), default=0.0)
    return _json(feedback=f"Of the words of the query, one sentence has {best:.0%}.", score=round(best, 2))


def _share(question, text):
    return max((share for share, _ in nearest(question, read(text))), default=0.0)


def _rewrite(task, _):
    return _json(passage=writing.reordered(read(task.text("passage")).sentences))


def _rewrite_question(task, _):
    return _json(question=writing.rephrased(task.text("question")))


def _propose(task, reader):
    wrong = writing.wrong_answer(task.text("right answer"), reader.draw)
    texts = writing.texts(task.text("question"), wrong, _count(task), reader.draw)
    return _json(wrong_answer=wrong, texts=texts)


def _support(task, reader):
    return _json(texts=writing.texts(task.text("question"), task.text("answer"), _count(task), reader.draw))


def _defusion(task, reader):
    """A sample may overlook how the response begins or ends."""
    response = task.text("response")
    if reader.overlooks():
        response = ". ".join(response.split(". ")[reader.draw.choice((slice(1, None), slice(-1)))]) or response
    defused = defuses(task.text("document"), response)
    return f"The response {'declines or corrects' if defused else 'answers'}.\n{_verdict(defused)}"


def _closed_book(*_):
    return "I do not know the answer. I can only work on texts that are given to me."


def _count(task):
    return task.numbers(COUNT, [6])[0]


def _question(task, claim):
    return writing.question(claim, *task.numbers(LENGTH, [6, 30]))


def _listed(items):
    return numbered(items) or "None"


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
    ("answer, outdated answer, question", "texts", _support),
    ("question", "rewrite", _rewrite_question),
    ("question", "", _closed_book),
)
