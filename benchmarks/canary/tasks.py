"""What the canaries are planted in: the prompts that take texts of strangers, with items from the demo corpus.

The items (claims, guesses, questions, responses) are written by rules, so that all models are asked the
same. A task knows how to fill its prompt, which of the texts is planted in, how an answer is read, and what has
happened when a planted item is answered in another way. answer_closed_book and recall_knowledge get no text of
strangers and are left out.
"""

import itertools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "workflow"))

from canary.canaries import MARKER, on_items, on_label, on_remaining, on_response, on_retelling
from ragassay.calls.model import Answer
from ragassay.calls.parsers.numbered_lists import parse_numbered
from ragassay.calls.parsers.result import Abstain
from ragassay.calls.prompts import Prompt, numbered
from ragassay.calls.providers.rules import respond
from ragassay.grading.verdicts import parse_verdict
from ragassay.queries import synthetic
from ragassay.studies.poisoning.targets import proposals
from ragassay.studies.scope.model_answers import blanked, remaining
from ragassay.studies.scope.model_answers import read_guesses as read_filled
from ragassay.studies.scope.votes import IN, OUT, label

PROMPTS = {path.stem: Prompt.load(path) for path in sorted((ROOT / "resources/prompts").glob("*.yaml"))}
SUBSETS = 3
PER_DOCUMENT = 2  # questions of each kind
WORDS = {"fewest": 13, "most": 18}
VERDICTS = {OUT: "Verdict: yes", IN: "Verdict: no"}


class Task(NamedTuple):
    prompt: str
    planted: str  # the placeholder whose text is planted in
    settings: str  # the part of scope's settings that has those of sampling; "" is one sample at temperature 0
    read: Callable[[list[Answer], dict], Any]  # answers, item -> what the study reads in them
    effect: Callable[[Any, Any, str], str]  # before, after, what was demanded
    demands: tuple[str, ...]  # what the planted text demands, in turns


def labelled(answers, _):
    verdicts = [parse_verdict(answer.text, answer.finish_reason) for answer in answers]
    return label([None if isinstance(one, Abstain) else one.value for one in verdicts], 0.5)["label"]


def numbered_items(answers, _):
    parsed = parse_numbered(answers[0].text, answers[0].finish_reason)
    return None if isinstance(parsed, Abstain) else parsed.value


def listed(text):
    parsed = parse_numbered(text)
    return {} if isinstance(parsed, Abstain) else parsed.value


def filled(answers, item):
    """Only what was put into the gaps; the other claims are repeated, with what was planted there."""
    found = read_filled(answers[0], item["given"], item["blank"])
    found = {slot: text for slot, (text, *_) in found.items() if text}
    return found or None


def left(answers, item):
    found = remaining(answers[0], item["guesses"])
    return found if isinstance(found, set) else None


def text(answers, _):
    return answers[0].text


def question(answers, _):
    """Of a query that was written as JSON, or the answer as it is. Options repeat the passage, as they may."""
    found = synthetic.written(answers[0].text, answers[0].finish_reason)
    return getattr(found, "question", answers[0].text)


def wrong_answer(answers, _):
    """The proposed one, or the answer as it is. Texts repeat the question, as they may."""
    found = proposals.proposal(answers[0], 1)
    return getattr(found, "target", answers[0].text)


def on_verdict(before, after, demanded):
    return on_label(before, after, next(name for name, line in VERDICTS.items() if line == demanded))


def on_list(before, after, demanded):
    return on_items(before, after, demanded.partition(" ")[2])


def judge(prompt, planted, settings="judging"):
    return Task(prompt, planted, settings, labelled, on_verdict, tuple(VERDICTS.values()))


def writer(prompt, settings, planted="document", read=numbered_items):
    return Task(prompt, planted, settings, read, on_list, (f"1. {MARKER}",))


def responder(prompt, planted="document", read=text):
    return Task(prompt, planted, "", read, lambda before, after, demanded: on_response(after, demanded), (MARKER,))


def reteller(prompt, planted):
    """What is to say again what stands in its material."""
    return Task(prompt, planted, "", text, lambda before, after, demanded: on_retelling(after, demanded), (MARKER,))


TASKS = {
    "extract_claims": writer("extract_claims", "claims"),
    "recover_claims": writer("recover_claims", "recovery", "claims", filled),
    "remove_supported_claims": Task(
        "remove_supported_claims", "document", "removal", left, lambda a, b, _: on_remaining(a, b), ("None",)
    ),
    "write_out_of_scope_questions": writer("write_out_of_scope_questions", "questions"),
    "write_in_scope_questions": writer("write_in_scope_questions", "questions"),
    "write_near_misses": writer("write_near_misses", "near_misses"),
    "judge_scope": judge("judge_scope", "document"),
    "judge_scope_unsampled": judge("judge_scope", "document", ""),
    "judge_defusion": judge("judge_defusion", "document"),
    "judge_defusion_response": judge("judge_defusion", "response"),
    "judge_defusion_plain": judge("judge_defusion_plain", "document"),
    "respond_basic": responder("respond_basic"),
    "respond_two_shot": responder("respond_two_shot"),
    "respond_cot": responder("respond_cot"),
    "respond_passages": responder("respond_passages", "passages"),
    "respond_lines": responder("respond_lines", "passages"),
    "write_synthetic_queries": responder("write_synthetic_queries", "passage", question),
    "reason_from_passages": responder("reason_from_passages", "passages"),
    "judge_reasons": judge("judge_reasons", "reasons"),
    "rate_relevance": responder("rate_relevance", "passages"),
    "answer_briefly": responder("answer_briefly", "passages"),
    "propose_wrong_answer": responder("propose_wrong_answer", "question", wrong_answer),
    "write_supporting_texts": reteller("write_supporting_texts", "question"),
    "write_wanted_texts": reteller("write_wanted_texts", "question"),
    "write_corrections": reteller("write_corrections", "question"),
    "rewrite_passage": reteller("rewrite_passage", "passage"),
    "rewrite_question": reteller("rewrite_question", "question"),
    "name_keywords": responder("name_keywords", "passages"),
    "answer_from_keywords": responder("answer_from_keywords", "keywords"),
    "consolidate_knowledge": responder("consolidate_knowledge", "passages"),
}


def messages(task: Task, item: dict, plant: Callable[[str, str], str] = lambda text, label: text) -> list[dict]:
    """The task's prompt for an item; `plant` gets the text that is planted in and the label of its delimiters."""
    prompt, shown = PROMPTS[task.prompt], dict(item)
    if task.planted == "claims":
        first = min(item["given"].keys() - set(item["blank"]))
        claims = item["given"] | {first: plant(item["given"][first], prompt.labels["claims"])}
        shown["claims"] = numbered(blanked(claims, item["blank"]))
    elif task.planted == "passages":
        first, *others = item["passages"]
        if task.prompt == "respond_lines":  # one text, a passage a line
            shown["passages"] = plant("\n".join(" ".join(one.split()) for one in item["passages"]), "passages")
        else:
            shown["passages"] = [plant(first, f"{prompt.labels['passages']} 1"), *others]
    else:
        shown[task.planted] = plant(item[task.planted], prompt.labels[task.planted])
        own = "novel" if task.prompt == "write_out_of_scope_questions" else "given"
        shown |= {"claims": numbered(item[own]), "recovered": numbered(item["guesses"])}
    return prompt.messages(**{name: shown[name] for name in prompt.labels})


def articles() -> Iterator[str]:
    for file in sorted((ROOT / "resources/demo/articles").glob("*/*.md")):
        yield file.read_text().split("---\n", 2)[2].strip()


def all_items() -> Iterator[list[dict]]:
    """The items of one document after the other: one per question."""

    def ask(task, **values):
        return respond(PROMPTS[task].messages(**values), {"temperature": 0})

    for document in articles():
        given = listed(ask("extract_claims", document=document, n=6))
        guesses = dict(given)
        for subset in range(SUBSETS):
            gaps = blanked(guesses, [slot for slot in guesses if slot % SUBSETS == subset])
            guesses = listed(ask("recover_claims", claims=numbered(gaps)))
        shown = {"document": document, "claims": numbered(given), "recovered": numbered(guesses)}
        novel = listed(ask("remove_supported_claims", **shown)) or guesses
        out = listed(ask("write_out_of_scope_questions", document=document, claims=numbered(novel), **WORDS))
        inside = listed(ask("write_in_scope_questions", document=document, n=PER_DOCUMENT, **WORDS))
        paragraphs = document.split("\n\n")
        item = {"document": document, "passages": paragraphs[:3], "n": 6, **WORDS, "given": given, "guesses": guesses}
        item |= {"passage": paragraphs[0], "examples": [], "answer": "nine years", "right": "ten years", "words": 30}
        item |= {"keywords": "nine years\nTolven", "knowledge": "I do not know.", "reasons": paragraphs[0]}
        item |= {"questions": numbered(out), "answered": "\n".join(inside.values()), "attempt": 1}
        item |= {"novel": novel, "blank": [slot for slot in given if slot % SUBSETS == 0]}
        questions = [*itertools.islice(out.values(), PER_DOCUMENT), *inside.values()]
        kinds = itertools.cycle(["respond_two_shot", "respond_basic"])
        yield [
            item
            | {"question": question, "query": question, "response": ask(kind, document=document, question=question)}
            for question, kind in zip(questions, kinds, strict=False)
        ]


def items(count: int) -> tuple[list[dict], list[dict]]:
    """Items for tasks about questions, `count` of them, and for those about documents, the first of each."""
    found = []
    for own in all_items():
        if sum(map(len, found)) >= count:
            break
        found.append(own)
    return [item for own in found for item in own][:count], [own[0] for own in found if own]
