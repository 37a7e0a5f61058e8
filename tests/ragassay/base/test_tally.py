"""Tally: from which share on a stage stops, what it says, and when it gives a model up."""

import contextlib
import logging

import pytest

from ragassay.base.tally import MostRejected, Tally
from ragassay.calls.model import Answer


def tally(kept, rejected, most=0.5):
    """So many items kept and rejected."""
    counted = Tally("model m", "votes", most, "Change the prompt")
    counted.keep(kept)
    for number in range(rejected):
        counted.reject(f"q{number}", "no_verdict" if number else "empty", "found nothing", Answer("So\nwhat?", "stop"))
    return counted


def stopping(stops):
    return pytest.raises(MostRejected) if stops else contextlib.nullcontext()


@pytest.mark.parametrize(
    ("kept", "rejected", "most", "stops"),
    [
        (10, 10, 0.5, False),
        (10, 11, 0.5, True),
        (1, 18, 0.5, False),  # too few to judge by their share
        (1, 19, 0.5, True),
        (0, 1, 0.5, True),
        (0, 0, 0.5, False),
        (0, 1, 0.99, True),
        (19, 1, 0, True),
        (20, 0, 0, False),
        (0, 400, 1, False),
    ],
)
def test_more_rejects_than_may_be_stop(kept, rejected, most, stops):
    counted = tally(kept, rejected, most)
    with stopping(stops):
        counted.check()


def test_the_message_names_counts_the_commonest_reason_an_example_and_what_to_do():
    with pytest.raises(MostRejected) as caught:
        tally(10, 12).check()
    counts = "model m: 12 of 22 votes rejected, expected at most 50%; 11 as no_verdict, such as q1: found nothing"
    begins, remedy = r"the answer begins 'So\nwhat?'", "Change the prompt"
    go_on = "To go on with the others, raise most_rejected in the configuration (1 never stops)"
    assert str(caught.value) == f"{counts}; {begins}. {remedy}. {go_on}"


@pytest.mark.parametrize(
    ("answers", "kept", "most", "stops"),
    [(19, 0, 0.9, False), (20, 0, 0.9, True), (20, 1, 0.9, False), (20, 0, 1, False)],
)
def test_a_model_is_given_up_when_its_first_answers_bring_nothing(answers, kept, most, stops):
    counted = tally(kept, 60, most)
    for _ in range(answers):
        counted.hear("doc-1", [Answer("So what?", "stop")] * 3)
    with stopping(stops):
        counted.go_on()


@pytest.mark.parametrize(("documents", "stops"), [(1, False), (19, False), (20, True)])
def test_a_small_shard_of_which_the_provider_refuses_all_does_not_stop(documents, stops):
    counted = Tally("model m", "documents", 0.5, "Change the prompt")
    for number in range(documents):
        counted.hear(f"doc-{number}", [Answer("", "refusal", detail="filtered")])
        counted.reject(f"doc-{number}", "refusal", "filtered")
    with stopping(stops):
        counted.check()


def test_the_log_names_the_first_documents_that_a_provider_refused_and_counts_the_others(caplog):
    caplog.set_level(logging.INFO, "ragassay")
    counted = Tally("model m", "votes", 1, "Change the prompt")
    for number in range(8):
        counted.hear(f"doc-{number}", [Answer("", "refusal", detail=f"filter {number}")] * 3)
        counted.reject(f"q{number}", "refusal", f"filter {number}", Answer("", "refusal", detail=f"filter {number}"))
    counted.check()
    told = [f"the provider refused a request about doc-{number}: filter {number}" for number in range(5)]
    assert caplog.messages == [*told, "the provider refused 3 requests more"]
    assert counted.examples == {"refusal": "q0: filter 0"}


@pytest.mark.parametrize(
    ("kept", "crashes", "warns"), [(0, 1, False), (98, 2, False), (17, 3, True), (297, 3, True), (400, 3, False)]
)
def test_many_crashes_are_an_alarm_and_a_few_are_rows(caplog, kept, crashes, warns):
    tally = Tally("files", "documents", 1, "Look at them")
    tally.keep(kept)
    for at in range(crashes):
        tally.reject(f"file {at}", "crash", "reading it raised KeyError")
    tally.check()
    told = f"{crashes} of {kept + crashes} documents crashed what read them, such as file 0: reading it raised KeyError"
    assert [record.levelname for record in caplog.records] == ["WARNING"] * warns and (told in caplog.text) == warns
