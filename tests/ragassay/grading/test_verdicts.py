"""Verdicts: hand-labelled answers of judges, and what holds for every answer."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from completions import FINALS, REASONS, last_word
from ragassay.calls.parsers.result import REASONS as ABSTENTIONS
from ragassay.calls.parsers.result import Abstain, Ok
from ragassay.grading.verdicts import parse_verdict

YES = [
    "Yes", "**Yes**", "'Yes.'", "“Yes.”", "`Yes`", "(Yes)", "[yes]", "- Yes", "> Yes", "Ｙｅｓ。", "ＹＥＳ！",
    "\ufeffYes", "Yes\x00",
    "\u200eYes\u200f", "```\nYes\n```", "Yes\n---", "### Yes", "The answer is: Yes.", "The answer is “yes”.",
    "A: yes", "I’d say: yes", "The answer to the question is yes.", "Answer (yes/no): yes", "Answer (yes or no): Yes",
    '{"answer": "yes"}', '{\n  "reason": "it is there",\n  "verdict": "Yes"\n}', "<b>Yes</b>", "$\\boxed{\\text{Yes}}$",
    "## Verdict\n\n**Yes**", "Yes</s> <|im_end|>\n", "<think>No, it is not.</think>\n\nYes",
    "<think>yes</think>no</think>Yes",
]  # fmt: skip
BEHIND = [
    "Some would say no, but the date is in the text. Yes.", "Yes or no? Yes.",
    "No price is named, yet the year is. Answer: yes", "In 2023 the answer would be no. It is 2024. Answer: yes",
    "I cannot find the price, but the year is there. Answer: Yes.", "He watched the film Dr. No.\nYes.",
    "Is the date there? No. Is the place there? Yes. The answer is: Yes.", "Is the answer no? Yes.", "Yes. Yes.",
    "Is the price there? No. Is the year there? It is.\nVerdict:\nYes",
    "Is the price there? No.\n**My answer is:**\nYes",
    "Does it name the price? No, it does not. Does it name the year? It does. The answer is yes.",
]  # fmt: skip


@pytest.mark.parametrize("text", YES + BEHIND)
def test_one_final_yes_is_a_verdict(text):
    assert parse_verdict(text) == Ok(True)


@pytest.mark.parametrize("text", [text for text in YES if "no" not in text.lower()])
def test_one_final_no_is_a_verdict(text):
    for word, other in (("yes", "no"), ("Yes", "No"), ("YES", "NO"), ("Ｙｅｓ", "Ｎｏ"), ("ＹＥＳ", "ＮＯ")):
        text = text.replace(word, other)
    assert parse_verdict(text) == Ok(False)


ABSTAINED = {
    "empty": ["", None, " \n\t", "\u200b\x00", "<think>Yes", "<think>It says so. Yes.</think>\n", "</s>"],
    "refusal": [
        "I cannot answer that.", "I can’t assist with this.", "As an AI language model, I cannot say yes or no.",
        "I must decline to answer.", "I cannot help with that. No.", "I'm sorry, I cannot comply with this.\n\nNo",
    ],
    "two_verdicts": [
        "Yes and no", "Yes or no", "no, wait, yes", "No. Yes.", "~~Yes~~ No", "1. Yes\n2. No", "Neither yes nor no.",
        "Yes, it is there. On reflection: it is not. No.", "Answer: No\nAnswer: Yes", "I think the answer is yes. No.",
        "The answer is yes because it is named.\nNo.", "It is there.\nYes\nThat was wrong.\nAnswer: no",
        "Is it there? Yes. Hm. No.",
        "So the answer is yes, since the year is named. Still: it is not the same year. Answer: No",
    ],
    "no_verdict": [
        "casino", "I would not say yes.", "The answer is not yes.", "He said no.",
        "NO - because the text says nothing.", "Yes, but", "Yes?", "Nein.", "nо", "№", "Nº", "No. 5",
        "yeſ", "Y\0es", "N\u200bo", "No\u0338", "\u202eYes",
        "yes vs. no", "answer no", "Yes 👍", "Answer: yes.\n\nLet me know!", "ThereforeYES.", "The answeris yes.",
        "noYes", "The witness said: Yes.", "It is there", "Yes\nConfidence: 90%", "Noé.",
    ],
    "provider_error": ['{"error": {"type": "yes"}}', "Error code: 400 - no", "This model's maximum context length is"],
}  # fmt: skip


@pytest.mark.parametrize(("reason", "text"), [(reason, text) for reason, texts in ABSTAINED.items() for text in texts])
def test_without_a_single_final_verdict_it_abstains(reason, text):
    assert parse_verdict(text) == Abstain(reason)


@pytest.mark.parametrize(
    ("text", "finish", "reason"),
    [
        ("The answer is: Yes", "length", "truncated"),
        ("It says that", "length", "truncated"),
        ("", "length", "truncated"),
        ("<think>Well", "length", "truncated"),
        ("Yes", "content_filter", "refusal"),
        ("", "content_filter", "refusal"),
        ("Yes", "error", "provider_error"),
        ("", "crash", "crash"),
        ("Yes", None, "provider_error"),
        ("Yes", "tool_calls", "provider_error"),
    ],
)
def test_how_an_answer_finished_counts_before_what_it_says(text, finish, reason):
    assert parse_verdict(text, finish) == Abstain(reason)


OF_OBJECTS = {"no_object", "two_objects", "broken_object"}


def test_reasons_to_abstain_are_a_closed_list():
    assert set(ABSTAINED) | {"truncated", "too_long", "count_mismatch", "crash"} | OF_OBJECTS == set(ABSTENTIONS)
    with pytest.raises(ValueError, match="'unsure' to abstain is none of empty, refusal"):
        Abstain("unsure")


@pytest.mark.parametrize("final", FINALS)
def test_every_final_statement_stands_behind_any_reasoning(final):
    for reason, word in itertools.product(REASONS, ["yes", "No"]):
        assert parse_verdict(reason + final.format(word)) == Ok(word == "yes"), reason


THEREFORE = "and so then therefore thus hence overall finally ultimately accordingly consequently".split()
THEREFORE += ["to conclude", "as a result", "in conclusion", "in summary", "in short", "in the end", "for this reason"]
THEREFORE += ["given this", "given that", "based on this", "based on that", "and so", "so, finally"]
LABELS = "answer verdict judgment judgement decision conclusion response result output".split()
LABELS += [*(f"{word} answer" for word in "my the our final overall correct short".split()), "answer to this question"]
IS = "is/would be/must be/should be/is therefore/is thus/is clearly/is simply/:/=/-/–/—/→/->".split("/")
SAY = [f"I {word}say" for word in ("", "would ", "will ", "must ", "therefore ")]
SAY += ["I'd answer", "I'll respond", "I conclude:", "I vote"]
LEADS = [
    *(f"{word}," for word in THEREFORE),
    *(f"{label} is" for label in LABELS),
    *(f"answer {word}" for word in IS),
    *SAY,
]


@pytest.mark.parametrize("lead", LEADS)
def test_lead_ins_are_a_closed_list(lead):
    assert parse_verdict(f"It is there. {lead.capitalize()} no.") == Ok(False)
    assert parse_verdict(f"It is there. Perhaps {lead} no.") == Abstain("no_verdict")
    assert parse_verdict(f"It is there. {lead} not no.") == Abstain("no_verdict")


@pytest.mark.parametrize("gap", [" " * 200, "x" * 200])
def test_a_statement_far_longer_than_a_verdict_is_none(gap):
    assert parse_verdict(f"It is there.\nAnswer:{gap}yes") == Abstain("no_verdict")


PIECES = [*' .!?\n:",', "yes", "no", "answer", "is", "the ", "**", "not ", "I cannot ", "<|x|>", "\u202e"]


@given(
    st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=12).map("".join),
    st.sampled_from(["stop", "length"]),
)
def test_an_accepted_verdict_is_the_last_word(text, finish):
    result = parse_verdict(text, finish)
    if isinstance(result, Ok):
        assert finish == "stop"
        assert last_word(text) == ("yes" if result.value else "no")
