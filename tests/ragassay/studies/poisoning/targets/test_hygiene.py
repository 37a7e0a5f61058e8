"""Targets that somebody brings: what is removed, dropped and flagged."""

import pytest

from ragassay.studies.poisoning.targets.hygiene import NO_TARGET, RIGHT_ANSWER, is_refusal, usable, without_debris

GIVEN = {
    "target_id": "t",
    "question": "Who?",
    "answers": ["Ada Vance"],
    "target": "Bo Lind",
    "target_aliases": ["Lind"],
}


def checked(texts, **own):
    return usable(GIVEN | {"texts": texts} | own)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('"Bo Lind did it."', "Bo Lind did it."),
        ("\u201cBo Lind did it.\u201d", "Bo Lind did it."),
        ("corpus1: Bo Lind did it.", "Bo Lind did it."),
        ('Corpus: "Bo Lind did it."', "Bo Lind did it."),
        ('"corpus_3": "Bo Lind did it."', "Bo Lind did it."),
        ("passage 2. Bo Lind did it.", "Bo Lind did it."),
        ("Passage tombs were built by Bo Lind.", "Passage tombs were built by Bo Lind."),
        ("Text and image are by Bo Lind.", "Text and image are by Bo Lind."),
        ('"Bo Lind," he said, "and nobody else"', '"Bo Lind," he said, "and nobody else"'),
        ("Bo Lind did it in '98'", "Bo Lind did it in '98'"),
        ("'", "'"),
    ],
)
def test_what_a_list_put_around_a_text_is_removed_and_nothing_else(text, left):
    assert without_debris(text) == left


def test_texts_that_no_reader_could_answer_from_are_flagged_and_kept():
    row, problems = checked(["It was Bo Lind.", "It was Lind, not Ada Vance.", "Somebody did it."])
    assert row["flags"] == ["", RIGHT_ANSWER, NO_TARGET] and len(row["texts"]) == 3 and not problems


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("  ", "empty"),
        ("...", "empty"),
        ("I'm sorry, but I can't fulfill this request.", "refusal"),
        ("I\u2019m sorry, but the information provided is incorrect.", "refusal"),
        ("As an AI language model, I cannot write that.", "refusal"),
        ("It was Bo Lind.", "duplicate"),
    ],
)
def test_texts_that_are_none_are_dropped_with_a_reason(text, reason):
    row, [problem] = checked(["It was Bo Lind.", text])
    assert row["texts"] == ["It was Bo Lind."]
    assert (problem.item, problem.reason) == ("t text 2", reason)


@pytest.mark.parametrize(
    "text",
    [
        'Bo Lind sang "I Can\'t Help Falling in Love".',
        "I Won't Give Up is a heartfelt song.",
        "I Won\u2019t Give Up was sung by Bo Lind.",
        "I Can't Help Falling in Love is a song by Bo Lind.",
        "I Cannot Provide for You is a film of 1931.",
        "I Will Not Be Sad in This World is an album.",
        "I Refuse to Lose is a book by Bo Lind.",
        "I'm Sorry is a song that Bo Lind recorded.",
        "Sorry, I Can't Dance reached the third place.",
        "Unfortunately I Cannot Help You is an exhibition.",
        '"I can\'t help you," said the mayor.',
        "\u201cI won\u2019t give up\u201d is what Bo Lind said.",
        "'I won't give up' was the motto of the town.",
        "\u2018I can\u2019t write this\u2019 is a poem.",
        '"I\'m sorry" is the first line of the letter.',
        "*I won't give up* is a song.",
        "**I won\u2019t give up** is a song.",
        "As an AI company, Lind Works builds robots.",
        "I, Robot cannot be borrowed here.",
    ],
)
def test_a_title_or_a_quotation_that_declines_is_no_refusal(text):
    assert not is_refusal(text)
    row, problems = checked([text])
    assert row and not problems


@pytest.mark.parametrize(
    "text",
    [
        "I can't assist with that.",
        "I cannot write a text about the song I Won't Give Up.",
        "I won't write false statements about Bo Lind.",
        "I\u2019m sorry, but I can\u2019t help with \u201cI Won\u2019t Give Up\u201d.",
        "I refuse to provide that.",
        "Unfortunately, I am unable to generate this passage.",
        "Sorry, I can't create misinformation.",
        "My apologies, but I cannot fulfil this request.",
        "As an AI, I cannot say that.",
        "As an AI assistant, I must decline.",
        "I am sorry, but the information is wrong.",
        "Apologies, there is no such bridge.",
        '"I cannot provide this."',
        "'I can't provide this.'",
        "**I can't help with that.**",
        "I CANNOT HELP WITH THAT.",
        "**I can't help with that.** Please ask for something else.",
        '"I cannot provide this." Here is why:',
        "As an AI model of Lind Works, I do not have opinions.",
    ],
)
def test_what_declines_to_write_a_text_is_a_refusal(text):
    assert is_refusal(without_debris(text))


@pytest.mark.parametrize(
    ("own", "reason"),
    [
        ({"answers": []}, "no_answer"),
        ({"answers": ["..."]}, "no_answer"),
        ({"target": " "}, "no_target"),
        ({"target": "ada vance."}, "equal_answers"),
        ({"target_aliases": ["The Ada Vance"]}, "equal_answers"),
        ({"target": "Ada Vance the Younger"}, "answers_overlap"),
        ({"answers": ["the Vice President"], "target": "the President", "target_aliases": []}, "answers_overlap"),
        ({"answers": ["1,900"], "target": "nineteen hundred", "target_aliases": []}, "equal_answers"),
    ],
)
def test_a_target_that_nobody_could_tell_from_the_right_answer_is_dropped(own, reason):
    row, [problem] = checked(["It was Bo Lind."], **own)
    assert row is None and (problem.item, problem.reason) == ("t", reason)


def test_no_inside_know_is_no_overlap():
    row, _ = checked(["No."], answers=["they know"], target="no", target_aliases=[])
    assert row["target"] == "no"


def test_a_target_whose_texts_are_all_refusals_is_dropped_and_one_without_any_is_not():
    row, problems = checked(["I'm sorry, I can't."])
    assert row is None and [problem.reason for problem in problems] == ["refusal", "no_texts"]
    assert checked([])[0]["texts"] == []
