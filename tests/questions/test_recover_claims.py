"""recover_claims: which slots are blanked when, what goes on to the next call, and what is rejected."""

import pytest

from ragassay.calls.model import Answer
from ragassay.studies.scope.model_answers import blanked, read_guesses, turns
from scripts.questions.recover_claims import recover_claims
from study import claim
from tools.loopback import Loopback

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
    for event in events:
        in_flight += 1 if event == "asked" else -1
        alone += event == "asked" and in_flight == 1
    assert alone <= 5
