"""RobustRAG: each passage is read by itself, so that a planted one speaks for itself alone. `aggregation`: `keywords`
of each passage, and an answer from those that enough passages name; or `voting`, the answer that most others agree
with. Enough are a `share` of the passages that say anything, or `most`. It removes no passage."""

from collections import Counter

from ragassay.calls.parsers.json_answers import parse_object
from ragassay.calls.parsers.result import Abstain, answer_part
from ragassay.grading.declines import declines_from_passages
from ragassay.grading.matches import normalized
from ragassay.studies.poisoning.defences.defence import Defence

KEYWORDS, VOTING = "keywords", "voting"
LONGEST = 100  # letters of a keyword


class Kind(Defence):
    SETTINGS = {"aggregation": KEYWORDS, "share": 0.3, "most": 3}
    PROMPTS = ("name_keywords", "answer_from_keywords")

    async def answer(self, question, passages, ask):
        if not passages:
            return await ask.answer(question, [])
        if self.settings["aggregation"] == VOTING:
            return elected([await ask.answer(question, [text]) for text in passages])
        named = [keywords(await ask("name_keywords", passages=[text], question=question)) for text in passages]
        agreed = common([words for words in named if words], self.settings["share"], self.settings["most"])
        if not agreed:
            return await ask.answer(question, [])
        return await ask("answer_from_keywords", keywords="\n".join(agreed), question=question)


def keywords(answer) -> list[str]:
    """Those of one passage; an empty list if the reply cannot be parsed, as where a passage says nothing."""
    parsed = parse_object(answer.text, answer.finish_reason, ("keywords",))
    given = [] if isinstance(parsed, Abstain) else parsed.value["keywords"]
    texts = [" ".join(word.split()) for word in given if isinstance(word, str)] if isinstance(given, list) else []
    return [text for text in texts if normalized(text) and len(text) <= LONGEST]


def common(named: list[list[str]], share: float, most: int) -> list[str]:
    """The keywords that enough passages name, as the first of them writes each; those of most passages first."""
    written, counts = {}, Counter()
    for keywords_of_one in named:
        by_key = {normalized(text): text for text in reversed(keywords_of_one)}
        written = by_key | written
        counts.update(by_key.keys())
    enough = min(most, share * len(named))
    return [written[key] for key, count in counts.most_common() if count >= enough]


def elected(answers):
    """The answer that most agree with: two agree if one has all words of the other. Answers that decline do not vote;
    if all do, the first of them stands.
    """
    votes = [(answer, _words(answer)) for answer in answers]
    votes = [(answer, words) for answer, words in votes if words]
    if not votes:
        return answers[0]
    agreeing = [sum(words <= other or other <= words for _, other in votes) for _, words in votes]
    return votes[max(range(len(votes)), key=lambda at: (agreeing[at], -at))][0]


def _words(answer):
    """The words of an answer that says something."""
    text = answer_part(answer.text, answer.finish_reason)
    return None if isinstance(text, Abstain) or declines_from_passages(text) else set(normalized(text))
