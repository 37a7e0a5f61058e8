"""Asks `model` to put the question in other words before it is searched for, so that texts that were made for its
wording are found less often. It removes no passage. Questions are rewritten once for each dataset."""

from ragassay.calls.parsers.json_answers import parse_object
from ragassay.calls.parsers.result import Abstain
from ragassay.grading.matches import normalized
from ragassay.studies.poisoning.defences.defence import Defence

MOST_WORDS = 60


class Kind(Defence):
    SETTINGS = {"model": None}
    REWRITES = "rewrite_question"

    def rewritten(self, answer, question):
        parsed = parse_object(answer.text, answer.finish_reason, ("question",))
        if isinstance(parsed, Abstain):
            return None, parsed.reason, answer.detail or "expected one JSON object with the key question"
        given = parsed.value["question"]
        text = " ".join(given.split()) if isinstance(given, str) else ""
        if not normalized(text) or len(text.split()) > MOST_WORDS:
            return None, "no_question", f"found {given!r:.80}, expected a question of at most {MOST_WORDS} words"
        if normalized(text) == normalized(question):
            return None, "unchanged", text[:80]
        return text, None, None
