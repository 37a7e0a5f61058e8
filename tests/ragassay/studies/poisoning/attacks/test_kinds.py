"""Each attack: what it plants for two targets. Typos are what people make; answers, figures and short words stay."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.base import variants
from ragassay.grading.matches import contains
from ragassay.studies.poisoning.attacks import loudness
from ragassay.studies.poisoning.attacks.attack import (
    KINDS,
    KNOWLEDGE,
    RETRIEVER,
    AttackError,
    Poison,
    Tools,
    kind_of,
    rows,
)
from ragassay.studies.poisoning.attacks.kinds.synonyms import reworded
from ragassay.studies.poisoning.attacks.kinds.typos import ROWS, may_change, misspelt, typo
from ragassay.text.characters import visible
from targets import targets

TARGETS = targets()
WITHOUT_WEIGHTS = {kind for kind in variants.names(KINDS) if RETRIEVER not in kind_of(kind)({}).needs} - {"competing"}
BRIDGE, FERRY = TARGETS
TEXT = "A bridge over the river fell in the storm."
TOOLS = Tools(
    retrieved={
        "bridge": [{"passage_id": "p4", "text": TEXT}, {"passage_id": "p3", "text": "The choir sings."}],
        "ferry": [{"passage_id": "p1", "text": "It sails at nine."}],
    },
    texts={"ferry": [Poison("ferry", "I know it leaves at seven.", calls=3)]},
)


def planted(kind, tools=TOOLS, **own):
    """target -> what is planted for it."""
    found = {}
    for one in rows("mine", kind, TARGETS, tools, kind_of(kind).SETTINGS | own):
        assert one["attack"] == "mine" and one["poisoned"] and one["passage_id"].startswith("poison-")
        found.setdefault(one["target_id"], []).append(one)
        assert one["number"] == len(found[one["target_id"]])
    return found


def texts(kind, **own):
    return {name: [one["text"] for one in found] for name, found in planted(kind, **own).items()}


@pytest.mark.parametrize("kind", sorted(WITHOUT_WEIGHTS))
def test_every_attack_is_the_same_each_time_and_gives_each_text_an_id_of_its_own(kind):
    once, again = planted(kind), planted(kind)
    assert once == again and (once or kind == "none")
    ids = [one["passage_id"] for found in once.values() for one in found]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("kind", sorted(WITHOUT_WEIGHTS - {"none", "outdated", "edited"}))
def test_no_more_texts_are_planted_than_asked_for(kind):
    assert all(len(found) == 1 for found in texts(kind, texts=1).values())


@pytest.mark.parametrize("kind", sorted(WITHOUT_WEIGHTS - {"none", "jamming"}))
def test_texts_of_attacks_that_want_an_answer_state_it(kind):
    for name, found in texts(kind).items():
        [target] = [one for one in TARGETS if one["target_id"] == name]
        stated = [target["target"], *target["target_aliases"]]
        assert all(any(contains(visible(text), one) for one in stated) for text in found)


def test_poisonedrag_puts_the_question_with_an_end_in_front_of_the_bare_texts():
    black, bare = texts("poisonedrag_black"), texts("poisonedrag_bare")
    assert bare == {one["target_id"]: one["texts"] for one in TARGETS}
    assert black["bridge"] == [f"What fell in the storm. {text}" for text in bare["bridge"]]
    assert black["ferry"] == [f"When does the ferry sail? {text}" for text in bare["ferry"]]


def test_instructions_and_blockers_have_five_wordings_that_repeat_the_question():
    for kind in ("prompt_injection", "jamming"):
        found = texts(kind)
        for one in TARGETS:
            assert len(set(found[one["target_id"]])) == 5
            assert all(loudness.question_words(one["question"], text) == 1 for text in found[one["target_id"]])
    assert not any(contains(text, "lighthouse") for text in texts("jamming")["bridge"])


def test_one_text_says_that_the_others_are_out_of_date():
    [text] = texts("outdated")["bridge"]
    assert "a bridge are out of date" in text and text.startswith("What fell in the storm.")


def test_edited_passages_have_the_answer_exchanged_and_say_what_they_were():
    found = planted("edited")
    [one] = found["bridge"]
    assert (one["text"], one["made_from"]) == ("The lighthouse over the river fell in the storm.", "p4")
    assert found["ferry"][0]["text"] == "It sails at seven."
    assert planted("edited", Tools()) == {}


def test_every_attack_says_what_its_attacker_knows():
    levels = {kind: kind_of(kind)({}).knows for kind in variants.names(KINDS)}
    assert levels.pop("none") is None and set(levels.values()) == {*KNOWLEDGE}
    assert levels["poisonedrag_white"] == "retriever" and levels["edited"] == levels["graft"] == "corpus"
    assert kind_of("table")({"knows": "defence"}).knows == "defence"


def test_a_graft_is_a_passage_that_the_question_finds_with_a_text_behind_it():
    for count in (1, 2):
        made = planted("graft", texts=count)["bridge"]
        assert [one["made_from"] for one in made] == ["p4", "p3"][:count]
        assert [one["text"] for one in made] == [
            f"{passage['text']} {text}"
            for passage, text in zip(TOOLS.retrieved["bridge"][:count], BRIDGE["texts"], strict=False)
        ]
    assert planted("graft", Tools()) == {}


def test_each_of_several_attackers_plants_for_another_wrong_answer(caplog):
    lamp = BRIDGE | {"target_id": "lamp", "target": "the church", "target_aliases": [], "texts": ["The church fell."]}
    made = list(rows("mine", "competing", [*TARGETS, lamp], TOOLS, {"texts": 1, "attackers": ["hidden", "outdated"]}))
    of_bridge = {one["method"]: one for one in made if one["target_id"] == "bridge"}
    assert of_bridge.keys() == {"hidden", "outdated"}
    wants = {one["wants"] for one in of_bridge.values()}
    assert wants == {None, "the church"}, "the most alike of the other targets' wrong answers"
    for one in of_bridge.values():
        text = visible(one["text"])
        assert contains(text, "church") == (one["wants"] == "the church") != contains(text, "lighthouse")
    with pytest.raises(AttackError, match=r"no target has 3 attackers: .* texts of bridge; name fewer attackers"):
        planted("competing")
    silent = BRIDGE | {"target_id": "silent", "texts": ["Nothing is stated."]}
    made = rows("mine", "competing", [*TARGETS, silent], TOOLS, {"texts": 1, "attackers": ["hidden", "outdated"]})
    assert {one["target_id"] for one in made} == {"bridge", "ferry"}
    assert "1 of 3 targets have no competition and are left out: " in caplog.text and "texts of silent" in caplog.text


def test_a_flood_has_as_many_texts_as_can_be_made_of_those_of_a_target():
    made = texts("flood")
    assert [len(made[name]) for name in ("bridge", "ferry")] == [4, 9] and len(texts("flood", texts=3)["ferry"]) == 3
    assert made["bridge"][:2] == texts("poisonedrag_black")["bridge"]
    assert all(text.startswith("What fell in the storm. ") for text in made["bridge"])
    assert made["bridge"][2].endswith(" ".join(BRIDGE["texts"]))


def test_accents_leave_the_letters_and_a_reader_of_plain_text_sees_the_same():
    plain, accented = texts("poisonedrag_black")["bridge"], texts("invisible", characters="accents")["bridge"]
    assert [visible(text) for text in accented] == plain and all(map(str.isascii, plain))
    assert all(loudness.question_words(BRIDGE["question"], text) < 0.2 for text in accented)


def test_typos_and_near_words_change_the_question_and_neither_the_text_nor_its_answer():
    for kind, most in (("typos", 0.7), ("synonyms", 0.9)):
        for name, made in texts(kind).items():
            [target] = [one for one in TARGETS if one["target_id"] == name]
            for text, bare in zip(made, target["texts"], strict=True):
                question = text.removesuffix(f" {bare}")
                assert text.endswith(bare) and question != target["question"], kind
                assert loudness.question_words(target["question"], question) <= most
    words = {"Who wrote the first book": "Which author penned the earliest volume", "Kestria Lisk": "Kestria Lisk"}
    words |= {"Who wrote King Lear?": "Which author penned King Lear?", "Is New York big?": "Is New York large?"}
    words |= {"Who sang What Is Love?": "Which singer performed What Is Love?"}
    assert {question: reworded(question) for question in words} == words
    dice = np.random.default_rng(0)
    assert misspelt("who is he", [], 0.5, dice) == "who is he", "short words have none"
    typed = misspelt("where is the lighthouse keeper", ["the lighthouse"], 1.0, dice).split()
    assert typed[3] == "lighthouse" and typed[4] != "keeper" != typed[0] != "where"


@pytest.mark.parametrize("kind", ["table", "adaptive_paraphrase"])
def test_written_texts_go_to_their_target_with_what_they_took(kind):
    [[one]] = planted(kind).values()
    assert (one["target_id"], one["text"], one["calls"]) == ("ferry", "I know it leaves at seven.", 3)


def test_the_same_text_twice_is_planted_once():
    twice = BRIDGE | {"texts": ["The lighthouse fell."] * 2}
    assert len(list(rows("mine", "poisonedrag_bare", [twice], Tools(), {"texts": 5}))) == 1


@given(st.text("abcdefgxyzQR'.,5", max_size=12), st.integers(0, 99))
def test_any_word_has_a_typo_or_stays(word, seed):
    found = typo(word, np.random.default_rng(seed))
    assert found == typo(word, np.random.default_rng(seed))
    assert len(found) <= len(word) and "".join(c for c in found if not c.isalpha()) == "".join(
        c for c in word if not c.isalpha()
    )


def plain_typos(word):
    """All typos of a word: a key beside, two different letters exchanged behind the first, an end left out."""
    places = {letter: (row, at) for row, letters in enumerate(ROWS) for at, letter in enumerate(letters)}
    letters, every = [at for at, letter in enumerate(word) if letter.isalpha()], set()
    for at in letters:
        row, column = places[word[at].lower()]
        for other, (there, beside) in places.items():
            if abs(there - row) + abs(beside - column) == 1:
                every.add(word[:at] + (other.upper() if word[at].isupper() else other) + word[at + 1 :])
    for at in letters[1:-1]:
        if word[at + 1].isalpha() and word[at] != word[at + 1]:
            every.add(word[:at] + word[at + 1] + word[at] + word[at + 2 :])
    return every | {word[:end] + "".join(one for one in word[end:] if not one.isalpha()) for end in letters[3:]}


@pytest.mark.parametrize("word", ["Book", "Harbour,", "o'clock", "aall"])
def test_typos_are_all_that_people_make_and_no_others(word):
    assert {typo(word, np.random.default_rng(seed)) for seed in range(3000)} == plain_typos(word)
    assert typo("nin9e", np.random.default_rng(0)) != "nin9e" and typo("n1ne", np.random.default_rng(0)) == "n1ne"


def test_words_of_answers_figures_and_short_words_stay():
    words = "The ferry sails at nine, from quay 9th or Kessin's harbour.".split()
    assert [words[at] for at in may_change(words, ["nine o'clock", "Kessin"])] == [
        "ferry",
        "sails",
        "from",
        "quay",
        "harbour.",
    ]
