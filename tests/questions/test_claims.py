"""Claims taken from documents, recovered, and those that an answer supports."""

import itertools

import pytest

from ragassay.calls.model import Answer
from ragassay.studies.scope.model_answers import blanked, read_guesses, remaining, turns
from scripts.questions.extract_claims import extract_claims
from scripts.questions.recover_claims import recover_claims
from scripts.questions.remove_supported_claims import remove_supported_claims
from study import claim, document, recovered
from tools.loopback import Loopback

GOOD = """Here are the claims:
1. The ferry costs 57 million marks.
2) It is built in Brackwater.
**3.** It is due in June."""
ANSWERS = {"good": GOOD, "few": "1. Only one claim.", "refusal": "I'm sorry, but I can't help with that.", "empty": ""}


def extracted(study, texts):
    study.write(documents=[document(f"doc-{text}", text) for text in texts])
    outputs, settings = ["claims", "rejects", "calls"], {"claims_per_document": 3, "fewest_claims": 2}
    return study.run(extract_claims, ["documents"], outputs, {"prompt": "extract_claims"}, **settings)


@pytest.mark.parametrize("kind", ANSWERS)
def test_an_answer_becomes_claims_or_a_reject_with_its_reason(study, kind):
    with Loopback(texts=[ANSWERS[kind]]) as server:
        study.asks(server.url)
        claims, rejects, _ = extracted(study, ["text"])
    if kind == "good":
        texts = ["The ferry costs 57 million marks.", "It is built in Brackwater.", "It is due in June."]
        assert [(row["slot"], row["text"]) for row in claims] == list(enumerate(texts, 1))
        assert {(row["doc_id"], row["generator"]) for row in claims} == {("doc-text", "m")}
        assert len({row["claim_id"] for row in claims}) == 3 and not rejects
    else:
        reason = {"few": "count_mismatch"}.get(kind, kind)
        assert [(row["item"], row["reason"]) for row in rejects] == [("doc-text", reason)]
        assert not claims


def test_a_second_run_asks_nothing_and_a_new_document_is_the_only_one_that_is_paid(study):
    texts = [f"text {number}" for number in range(20)]
    with Loopback(texts=[GOOD]) as server:
        study.asks(server.url)
        first = extracted(study, texts)
        assert extracted(study, texts) == first and server.summary()["billed"] == 20
        assert len(first[0]) == 60 and first[2][0]["requests"] == 20
        extracted(study, [*texts, "new"])
        assert server.summary()["billed"] == 21


GUESSES = {2: "The boat is red.", 3: "The boat is old.", 5: "The boat sank."}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2. The boat is red.\n5. The boat sank.", {2, 5}),
        ("Remaining claims:\n\n**5.** The boat has sunk.", {5}),
        *((text, set()) for text in ("None", "none.", "**None**", "(None)", "1. None", "None of the recovered claims")),
        *((text, set()) for text in ("None remain.", "None of them is new.", "All recovered claims are supported.")),
        ("None of the claims are supported.", "count_mismatch"),
        ("1. The boat is red.", "wrong_number"),
        ("2. The boat is old.\n3. The boat sank.", "wrong_number"),
        ("", "empty"),
        ("I'm sorry, but I can't help with that.", "refusal"),
        ("The boat is red, and it is new.", "count_mismatch"),
    ],
)
def test_what_an_answer_says_remains(text, expected):
    found = remaining(Answer(text, "stop"), GUESSES)
    assert (found if isinstance(found, set) else found[0]) == expected


@pytest.mark.parametrize("text", ["2. The boat is red.\n5. The bo", "None", "2. The boat is red.\n"])
def test_an_answer_that_was_cut_off_says_nothing_of_what_is_missing(text):
    assert remaining(Answer(text, "length"), GUESSES)[0] in ("truncated", "count_mismatch")


@pytest.fixture
def guessed(study):
    study.write(
        documents=[document(doc, f"text of {doc}") for doc in "ab"],
        claims=[claim(doc, slot, f"True {slot}.") for doc in "ab" for slot in (1, 2, 3)],
        recovered_claims=[
            *(recovered("a", turn, slot, f"Guess {turn} {slot}.") for turn in (1, 2) for slot in (1, 2, 3)),
            *(recovered("b", 1, 2, "Guess 1 2."), recovered("b", 2, 3, "Guess 2 3.")),  # slot 1 was never filled
        ],
    )
    return study


def asked(study):
    tables = ["documents", "claims", "recovered_claims"]
    prompts = {"prompt": "remove_supported_claims"}
    return study.run(remove_supported_claims, tables, ["novel_claims", "rejects"], prompts)


def test_the_last_guess_of_each_slot_is_novel_or_rejected(guessed):
    with Loopback(respond="answers:remaining") as server:
        guessed.asks(server.url)
        rows, rejects = asked(guessed)
        assert asked(guessed) == [rows, rejects] and server.summary()["billed"] == 2
    assert [(row["doc_id"], row["slot"], row["round"], row["text"]) for row in rows] == [
        ("a", 2, 2, "Guess 2 2."),
        ("a", 3, 2, "Guess 2 3."),
    ]
    assert rows[0]["recovered_id"] == "recovered-a-2-2" and rows[0]["claim_id"] == "claim-a-2"
    assert {(row["item"], row["reason"]) for row in rejects} == {
        (f"recovered-{name}", "supported") for name in ("a-2-1", "b-1-2", "b-2-3")
    }


def test_an_answer_that_does_not_tell_rejects_all_claims_of_its_document(guessed):
    with Loopback(texts=["Who knows."]) as server:
        guessed.asks(server.url)
        rows, rejects = asked(guessed)
    assert not rows and [row["reason"] for row in rejects] == ["count_mismatch"] * 5


CLAIMS = {slot: f"Claim {slot} of the boat." for slot in range(1, 7)}


def run(study, rounds=3, subsets=3):
    outputs = ("recovered_claims", "rejects", "calls")
    prompts = {"prompt": "recover_claims"}
    return study.run(recover_claims, ["claims"], outputs[:2], prompts, rounds=rounds, subsets=subsets)


def test_the_partition_goes_by_index_and_every_round_blanks_every_slot_once():
    found = list(turns([1, 2, 3, 4, 5, 6, 7], 2, 3))
    assert found[:3] == [(1, 1, [3, 6]), (1, 2, [1, 4, 7]), (1, 3, [2, 5])]
    assert [blank for turn, _, blank in found if turn == 2] == [blank for turn, _, blank in found if turn == 1]
    assert list(turns([1, 4], 1, 3)) == [(1, 2, [1, 4])]
    assert blanked(CLAIMS, [3, 6])[3] == "(missing)" and blanked(CLAIMS, [3, 6])[2] == CLAIMS[2]


def test_every_round_and_subset_is_kept_and_works_on_the_last_list(study):
    study.write(claims=[claim(doc, slot, text) for doc in ("a", "b") for slot, text in CLAIMS.items()])
    with Loopback(respond="answers:fill") as server:
        study.asks(server.url)
        rows, rejects = run(study)
        asked = [line for line in server.log() if line["event"] == "asked"]
        again, _ = run(study)
        assert server.summary()["billed"] == len(asked) == 9  # both documents claim the same: asked once
    assert again == rows and not rejects
    assert [(row["doc_id"], row["round"], row["slot"]) for row in rows] == [
        (doc, turn, slot) for doc in ("a", "b") for turn in (1, 2, 3) for slot in range(1, 7)
    ]
    assert all(
        row["subset"] == row["slot"] % 3 + 1 and row["claim_id"] == f"claim-a-{row['slot']}" for row in rows[:18]
    )
    assert len({row["recovered_id"] for row in rows}) == 36
    texts = {(row["round"], row["slot"]): row["text"] for row in rows[:18]}
    assert texts[1, 3] != texts[2, 3], "the list of the second round is another one"


def test_an_answer_that_cannot_be_used_keeps_the_last_claim_and_is_a_reject(study):
    study.write(claims=[claim("a", slot, text) for slot, text in CLAIMS.items()])
    with Loopback(respond="answers:refuse_twos") as server:
        study.asks(server.url)
        rows, rejects = run(study, rounds=2)
    assert {row["slot"] for row in rows} == {1, 3, 4, 6} and len(rows) == 8
    assert {(row["item"], row["reason"], row["stage"]) for row in rejects} == {
        (f"claim-a-{slot} round {turn}", "refusal", "recover_claims") for slot in (2, 5) for turn in (1, 2)
    }


def listed(**texts):
    return "\n".join(f"{slot[1:]}. {text}" for slot, text in texts.items())


WHOLE = {f"s{slot}": text for slot, text in CLAIMS.items()}


@pytest.mark.parametrize(
    ("text", "finish", "expected"),
    [
        (listed(**WHOLE | {"s2": "New.", "s5": "Newer."}), "stop", {2: "New.", 5: "Newer."}),
        (listed(s2="New.", s5="Newer."), "stop", {2: "New.", 5: "Newer."}),
        (listed(s1="New.", s2="Newer."), "stop", {2: "count_mismatch", 5: "count_mismatch"}),
        (listed(**WHOLE | {"s2": "New.", "s5": "(missing)"}), "stop", {2: "New.", 5: "still_missing"}),
        (listed(**WHOLE | {"s2": CLAIMS[1].upper(), "s5": "New."}), "stop", {2: "repeated", 5: "New."}),
        (listed(**WHOLE | {"s2": "New.", "s5": "New"}), "stop", {2: "New.", 5: "repeated"}),
        (listed(s1="a b.", s2="New.", s3="c d."), "length", {2: "New.", 5: "truncated"}),
        ("", "stop", {2: "empty", 5: "empty"}),
        ("No list.", "stop", {2: "count_mismatch", 5: "count_mismatch"}),
    ],
)
def test_what_counts_as_a_filled_gap(text, finish, expected):
    found = read_guesses(Answer(text, finish), CLAIMS, [2, 5])
    assert {slot: text or reason for slot, (text, reason, _) in found.items()} == expected


@pytest.mark.clock
def test_conversations_take_turns_so_that_no_call_waits_for_the_last_documents(study):
    """Five documents, four in flight: one after the other the fifth would make its nine calls alone."""
    study.write(claims=[claim(doc, slot, f"{doc} {text}") for doc in "abcde" for slot, text in CLAIMS.items()])
    with Loopback(respond="answers:fill", latency=0.1) as server:
        study.asks(server.url)
        study.model["concurrency"] = 4
        run(study)
        events = [line["event"] for line in server.log()]
    assert events.count("asked") == 45
    in_flight = alone = 0
    for event, following in itertools.pairwise(events):
        in_flight += 1 if event == "asked" else -1
        alone += event == "asked" and in_flight == 1 and following != "asked"
    assert alone <= 5
