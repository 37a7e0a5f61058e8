"""Servers that refuse one request, a setting, or all: what is kept, what is asked again, and when the job stops."""

import json
import logging

import pytest

from ragassay.calls._settlement import Settlement
from ragassay.calls.complete import complete
from ragassay.calls.ledger.records import Ledger
from ragassay.calls.limits.money import price_of
from ragassay.calls.limits.pace import Pace
from ragassay.calls.limits.quirks import Quirks
from ragassay.calls.model import Answer, ModelError, Request, call_key, provider_for
from ragassay.calls.parsers.result import Abstain, answer_part
from ragassay.calls.wire import replies
from tools.provider import spoilt
from tools.provider.log import digest


def requests(count, word="", every=7, samples=1, **sampling):
    """As many requests; every so many holds a word, from the first on."""
    texts = [f"Is harbour {n} open? {word if n % every == 0 else ''}" for n in range(count)]
    return [Request([{"role": "user", "content": text}], {"max_tokens": 20, **sampling}, samples) for text in texts]


def answers(asked, model, folder):
    return list(complete(asked, model, folder))


def refused(received):
    """Which requests were refused, by number."""
    return [number for number, (answer,) in enumerate(received) if answer.detail]


# --- how an answer ended --------------------------------------------------------------------------------------------


def test_an_unknown_end_counts_as_a_stop_where_there_is_a_text_and_is_logged_once(serve, model, tmp_path, caplog):
    replies._unknown_names.clear()
    with caplog.at_level(logging.INFO, "ragassay"):
        received = answers(requests(20), model(serve(finish="sated")), tmp_path)
    assert {answer.finish_reason for (answer,) in received} == {"stop"}
    expected = "the finish reason 'sated' of an answer is unknown; answers with it count as whole (stop)"
    assert [line for line in caplog.messages if "sated" in line] == [expected]
    ((empty,),) = answers(requests(1), model(serve(finish="sated", texts=[""])), tmp_path / "empty")
    assert answer_part(empty.text, empty.finish_reason) == Abstain("provider_error")


# --- one request ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [400, 413, 422])
def test_refused_requests_abstain_with_the_words_and_the_others_are_answered(serve, model, tmp_path, status):
    server, asked = serve(refused_words={"war": status}), requests(100, "war")
    received = answers(asked, model(server), tmp_path)
    assert refused(received) == list(range(0, 100, 7))
    reason = "too_long" if status == 413 else "refusal"
    for number in refused(received):
        (answer,) = received[number]
        assert (answer.text, answer_part(answer.text, answer.finish_reason)) == ("", Abstain(reason))
        assert answer.detail.startswith(f"HTTP {status} from http://127.0.0.1:")
        assert "The prompt triggered the content management policy." in answer.detail
    assert server.summary()["requests"] == 100
    assert answers(asked, model(server), tmp_path) == received
    assert server.summary()["requests"] == 100, "a refusal is not asked again"
    assert answers(asked, model(server, mode="replay"), tmp_path) == received


def test_refusals_that_come_before_the_first_answer_stop_nothing(serve, model, tmp_path):
    """They come faster than answers, which have to be generated first."""
    server = serve(refused_words={"war": 400}, latency=0.2)
    received = answers(requests(60, "war", every=2), model(server, concurrency=40), tmp_path)
    assert len(refused(received)) == 30


@pytest.mark.parametrize("concurrency", [1, 4, 32])
def test_when_all_are_refused_the_job_stops_and_says_what_to_look_at(serve, model, tmp_path, concurrency):
    server = serve(refused_words={"harbour": 400})
    told = r"model tested: the first \d+ requests were all refused, the last: HTTP 400 .*content management policy"
    with pytest.raises(ModelError, match=told + r".*models\.tested\.sampling"):
        answers(requests(500), model(server, concurrency=concurrency), tmp_path)
    assert 10 <= server.summary()["requests"] <= 10 + concurrency
    server.control(refused_words={})  # whatever was wrong has been put right: nothing is held against the requests
    assert not refused(answers(requests(500), model(server), tmp_path))


@pytest.mark.parametrize("count", [1, 9])
@pytest.mark.parametrize("refusal", ["odd_refusal", "without_choices", "decoder_prompt"])
def test_where_all_are_refused_nothing_is_kept_however_few_they_are(serve, model, tmp_path, quick, count, refusal):
    server = serve(odd_answers={refusal: 1.0})
    with pytest.raises(ModelError, match=r"^model tested: the first .*; the next run asks again"):
        answers(requests(count), model(server), tmp_path)
    assert not list(Ledger(tmp_path).refusals(call_key(provider_for(model(server)).identity(), requests(1)[0])))
    server.control(odd_answers={})
    assert not refused(answers(requests(count), model(server), tmp_path))


def test_few_that_are_all_refused_abstain_if_the_model_has_answered_before(serve, model, tmp_path):
    """As a month with one new document does, which no filter lets pass; in its ledger, or as its register has it."""
    server, ledger = serve(refused_words={"war": 400}), tmp_path / "ledger"
    answers(requests(3), model(server), ledger)
    ((abstention,),) = answers(requests(1, "war"), model(server), ledger)
    assert abstention.finish_reason == "refusal"
    tested = model(server, register=str(tmp_path / "register"))
    new, newer = tmp_path / "new", tmp_path / "newer"
    with pytest.raises(ModelError, match="the first request was refused"):
        answers(requests(1, "war"), tested, new)
    answers(requests(1), tested, tmp_path / "another")
    for folder in (new, newer):
        assert answers(requests(1, "war"), tested, folder) == [[abstention]]
        assert answers(requests(1, "war"), model(server, mode="replay"), folder) == [[abstention]]


def test_a_run_that_goes_on_with_what_was_refused_does_not_stop(serve, model, tmp_path):
    """A killed run left the refused ones over: they are not the first that this model was asked."""
    server = serve(refused_words={"war": 400})
    answers(requests(5), model(server), tmp_path)
    received = answers([*requests(5), *requests(40, "war", every=1)], model(server), tmp_path)
    assert refused(received) == list(range(5, 45))


def test_an_answer_that_came_all_the_same_counts_more_than_a_refusal(model, tmp_path):
    ledger = Ledger(tmp_path)
    asked = requests(1)[0]
    tested = model("http://127.0.0.1:1/v1", mode="replay")
    key = call_key(provider_for(tested).identity(), asked)
    ledger.refused(key, [0], "refusal", "no")
    body = json.dumps({"choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}]})
    ledger.done(ledger.intent(key, [0]), body)
    ledger.close()
    assert answers([asked], tested, tmp_path) == [[Answer("yes", "stop")]]


def test_an_account_that_runs_dry_in_the_middle_poisons_nothing(serve, model, tmp_path):
    """Its words are known to nobody, and the model has answered in this run, so each refusal could stand alone."""
    server, asked = serve(), requests(30)
    for _ in range(2):  # in the second run the first ten are in the ledger
        with pytest.raises(ModelError, match=r"the last \d+ requests were all refused, .*This organization is paused"):
            for number, _ in enumerate(complete(asked, model(server, concurrency=1), tmp_path)):
                if number == 9:
                    server.control(odd_answers={"odd_refusal": 1.0})
    assert not Ledger(tmp_path).standing()
    server.control(odd_answers={})
    assert not refused(answers(asked, model(server), tmp_path))


@pytest.mark.parametrize("odd", ["odd_refusal", "page", "error_unnamed"])
def test_an_account_that_breaks_poisons_no_new_ledger_of_few_requests(serve, model, tmp_path, quick, odd):
    """The register has earlier answers; whether the model still answers, something harmless shows."""
    server = serve()
    tested = model(server, register=str(tmp_path / "register"))
    answers(requests(1), tested, tmp_path / "another")
    server.control(odd_answers={odd: 1.0})
    with pytest.raises(ModelError, match=r"tested: the first .*refused|has no answer|no answer in|in a row"):
        answers(requests(5), tested, tmp_path / "new")
    server.control(odd_answers={}, odd_words={"war": odd})
    assert not refused(answers(requests(5), tested, tmp_path / "new"))
    ((abstention,),) = answers(requests(1, "war"), tested, tmp_path / "newer")
    assert abstention.finish_reason == "provider_error"


@pytest.mark.parametrize("first", [0, 20])
def test_the_last_ones_that_are_refused_in_unknown_words_abstain_if_the_model_still_answers(
    serve, model, tmp_path, first
):
    server, asked = serve(odd_words={"war": "odd_refusal"}), [*requests(20), *requests(30, "war", every=1)[20:]]
    answers(asked[: first or 1], model(server), tmp_path)
    before = server.summary()["requests"]
    received = answers(asked, model(server, concurrency=1), tmp_path)
    assert refused(received) == list(range(20, 30))
    assert server.summary()["requests"] == before + 30 - (first or 1) + 1, "one was asked again, to see"
    assert answers(asked, model(server), tmp_path) == received == answers(asked, model(server, mode="replay"), tmp_path)


@pytest.mark.parametrize(
    ("odd", "told"),
    [
        ("wrong_key", "HTTP 400 .*API key not valid.*check the key in the environment variable LOOPBACK_KEY"),
        ("wrong_key_in_200", "HTTP 401 in a reply .*check the key in the environment variable LOOPBACK_KEY"),
        ("no_credit", "HTTP 400 .*credit balance is too low.*the account has no credit left"),
        ("no_credit_in_200", "HTTP 402 in a reply .*the account has no credit left"),
        ("unknown_setting", r"HTTP 400 .*; correct or remove models\.tested\.options\.some_option"),
        ("wrong_method", "HTTP 405 .*base_url leads to another address"),
        ("other_protocol", r"the first replies cannot be read, .*found the fields .*; check models\.tested\.base_url"),
        ("page", r"the first replies cannot be read, .*a web page.*; check models\.tested\.base_url"),
    ],
)
def test_a_wrong_setting_stops_the_job_names_itself_and_poisons_nothing(
    serve, model, tmp_path, quick, monkeypatch, odd, told
):
    monkeypatch.setattr("ragassay.calls._caller.FIRST_WAIT", 0.3)  # all are asked before one is again
    server, asked = serve(odd_answers={odd: 1.0}), requests(6)
    tested = model(server, options={"some_option": 1} if odd == "unknown_setting" else {})
    with pytest.raises(ModelError, match=told) as error:
        answers(asked, tested, tmp_path)
    assert "\n" not in str(error.value) and server.summary()["requests"] <= 14
    server.control(odd_answers={})
    assert not refused(answers(asked, tested, tmp_path))


# --- whatever a refusal wears ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("odd", sorted(spoilt.REFUSALS))
def test_one_refused_request_costs_one_request_whatever_the_refusal_wears(serve, model, tmp_path, quick, odd):
    server, asked = serve(odd_words={"war": odd}), requests(21, "war")
    received = answers(asked, model(server), tmp_path)
    parts = [answer_part(answer.text, answer.finish_reason) for (answer,) in received]
    assert [number for number, part in enumerate(parts) if isinstance(part, Abstain)] == [0, 7, 14]
    reasons = {part.reason for part in parts if isinstance(part, Abstain)}
    unnamed = "native deep always_broken page without_choices null_choices empty_choices"
    expected = {"decoder_prompt": "too_long", "no_room": "too_long"} | dict.fromkeys(unnamed.split(), "provider_error")
    assert reasons == {expected.get(odd, "refusal")}
    count = server.summary()["requests"]
    assert count <= 18 + 3 * 8 + 1, "the last one may stand for all: then one is asked again, to see"
    assert answers(asked, model(server), tmp_path) == received == answers(asked, model(server, mode="replay"), tmp_path)
    assert server.summary()["requests"] == count, "a refusal is not asked again"


@pytest.mark.parametrize("odd", sorted(spoilt.PASSING))
def test_what_passes_is_asked_again_and_never_counts_as_an_answer(serve, model, tmp_path, quick, odd):
    server = serve(odd_answers={odd: 0.3}, by_key=True, seed=2, texts=["The answer is: no."])
    received = answers(requests(30, samples=2), model(server), tmp_path)
    assert {answer.text for row in received for answer in row} == {"The answer is: no."}
    assert server.summary()["requests"] > 30


def test_a_request_to_wait_inside_a_reply_holds_for_all(serve, model, tmp_path, quick, monkeypatch):
    pauses = []
    monkeypatch.setattr(Pace, "pause", lambda _, seconds, sent: pauses.append(seconds))
    answers(requests(8), model(serve(odd_answers={"error_429": 0.3}, by_key=True, seed=2)), tmp_path)
    assert pauses and set(pauses) == {0.05}


@pytest.mark.parametrize("odd", sorted(spoilt.READABLE))
def test_what_can_be_read_is_read(serve, model, tmp_path, odd):
    server = serve(odd_answers={odd: 1.0}, texts=["yes", "no", "maybe"])
    received = answers(requests(5, samples=3), model(server), tmp_path)
    assert all(sorted(answer.text for answer in row) == ["maybe", "no", "yes"] for row in received)
    assert server.summary()["requests"] == 5
    assert answers(requests(5, samples=3), model(server, mode="replay"), tmp_path) == received


def test_one_broken_choice_of_several_is_asked_again_alone(serve, model, tmp_path):
    tested = model("http://127.0.0.1:1/v1", mode="replay")
    ledger, ends = Ledger(tmp_path), ("stop", "abort", "stop")
    choices = [{"index": n, "message": {"content": f"{n}"}, "finish_reason": end} for n, end in enumerate(ends)]
    ledger.done(ledger.intent("ab" * 16, [4, 5, 6]), json.dumps({"choices": choices}))
    settlement = Settlement(tested, ledger, provider_for(tested), Quirks(tested), price_of(tested))
    whole, in_a_replay = settlement.answers("ab" * 16)
    assert {number: answer.text for number, answer in whole.items()} == {4: "0", 6: "2"}
    assert set(in_a_replay) == {4, 5, 6}


# --- sampling settings ----------------------------------------------------------------------------------------------


def test_sampling_settings_of_a_model_replace_those_of_a_stage_and_null_removes_one(serve, model, tmp_path):
    server = serve(unsupported=["max_tokens", "temperature", "seed"])
    asked = requests(12, temperature=0.5, seed=1)
    own = {"max_tokens": None, "temperature": None, "seed": None, "max_completion_tokens": 7}
    received = answers(asked, model(server, sampling=own, budget_usd=1.0), tmp_path)
    assert {answer.finish_reason for (answer,) in received} <= {"stop", "length"}
    body = {"model": "loopback", "messages": asked[0].messages, "max_completion_tokens": 7}
    assert digest(body) in server.summary()["requests_per_key"]
    assert server.summary()["requests"] == 12, "nothing was refused"
