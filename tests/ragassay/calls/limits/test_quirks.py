"""Servers that do not take all that is sent: what is sent instead, and that it is learned once."""

import logging

import pytest

from common.model_jobs import OVER_BUDGET, Jobs
from ragassay.calls.complete import complete
from ragassay.calls.ledger.lease import Lease
from ragassay.calls.ledger.register import Register
from ragassay.calls.limits.quirks import LEFT_OUT, RENAMED, Quirks
from ragassay.calls.model import ModelError, Request

SYSTEM = [{"role": "system", "content": "Answer in one word."}, {"role": "user", "content": "Is the harbour open?"}]


def test_a_refusal_counts_only_for_what_was_sent(model):
    quirks = Quirks(model("http://x/v1", options={"top_p": 0.5}))
    request = Request(SYSTEM, {"temperature": 0.5, "max_tokens": 5})
    for name in ("seed", "n", "max_completion_tokens"):
        assert not quirks.refused(name, request, 1, "it says so")
    assert quirks.refused("n", request, 2, "it says so")
    for name in ("temperature", "top_p", "system", "max_tokens"):
        assert quirks.refused(name, request, 1, "it says so")
    assert not quirks.refused("max_completion_tokens", request, 1, "it says so")
    assert quirks.known == {"n", "temperature", "top_p", "system", "max_tokens"}


@pytest.mark.parametrize(
    ("own", "ramps"), [({}, False), ({"budget_usd": 1.0}, True), ({"budget_usd": 1.0, "mode": "batch"}, False)]
)
def test_only_a_cap_makes_calls_begin_slowly_and_those_of_a_batch_never(model, own, ramps):
    assert Quirks(model("http://x/v1", **own)).ramps == ramps


def test_after_a_dear_answer_one_request_goes_at_a_time_and_one_more_with_each_that_is_no_surprise(model):
    """What is set aside is twice the dearest answer so far, which raises it alone."""
    quirks = Quirks(model("http://x/v1", budget_usd=1.0, concurrency=3))
    for factor, room, excess, set_aside in (
        (1.0, None, 1.0, 1.0), (1.5, 1, 1.5, 3.0), (3.0, 2, 3.0, 6.0), (0.5, 3, 3.0, 6.0), (0.5, None, 3.0, 6.0),
        (3.0, None, 3.0, 6.0), (7.0, 1, 7.0, 14.0), (7.0, 2, 7.0, 14.0), (15.0, 1, 15.0, 30.0),
    ):  # fmt: skip
        quirks.exceeded(factor)
        assert (quirks.room, quirks.excess, quirks.set_aside) == (room, excess, set_aside)
    free = Quirks(model("http://x/v1"))
    free.exceeded(1.5)
    assert (free.room, free.excess) == (None, 1.5), "without a cap nobody waits"


def test_bodies_as_each_server_takes_them(model):
    quirks = Quirks(model("http://x/v1"))
    body = {"model": "m", "messages": SYSTEM, "max_tokens": 5, **dict.fromkeys(LEFT_OUT, 1)}
    assert quirks.applied(dict(body)) == body
    quirks.known = {*LEFT_OUT, "max_tokens", "system"}
    text = "Answer in one word.\n\nIs the harbour open?"
    messages = [{"role": "user", "content": text}]
    assert quirks.applied(dict(body)) == {"model": "m", "messages": messages, "max_completion_tokens": 5}
    quirks.known = {"max_completion_tokens", "system"}
    messages = [{"role": "user", "content": "Answer in one word."}]
    assert quirks.applied({"messages": SYSTEM[:1], "max_completion_tokens": 5}) == {
        "messages": messages,
        "max_tokens": 5,
    }
    assert SYSTEM[0]["role"] == "system" and RENAMED["max_tokens"] in RENAMED


# --- whole runs -----------------------------------------------------------------------------------------------------


def ask(model, folder, count=12, samples=1, **sampling):
    sampling = {"max_tokens": 20, "temperature": 0.5, "seed": 3} | sampling
    questions = [{"role": "user", "content": f"Is harbour {n} open?"} for n in range(count)]
    asked = [Request([SYSTEM[0], question], sampling, samples) for question in questions]
    return list(complete(asked, model, folder))


@pytest.mark.parametrize("samples", [1, 3])
def test_what_a_server_does_not_take_is_left_out_told_once_and_kept(serve, model, tmp_path, caplog, samples):
    refused = ["max_tokens", "temperature", "seed", "system"]
    server = serve(unsupported=refused, most_samples=1, fresh_samples=True)
    tested = model(server, concurrency=4, register=str(tmp_path / "register"))
    with caplog.at_level(logging.INFO, "ragassay"):
        found = ask(tested, tmp_path / "first", samples=samples)
    assert not any(answer.detail for row in found for answer in row)
    assert {len({answer.text for answer in row}) for row in found} == {samples}
    lines = [line for line in caplog.messages if "it takes no" in line]
    assert len(lines) == len(refused) + (samples > 1), lines
    assert any("it is called `max_completion_tokens` from now on" in line for line in lines)
    assert any("models.tested.sampling" in line for line in lines)
    first = server.summary()["requests"]
    assert 12 * samples < first <= 12 * samples + 5 * 4, "each of those in flight may be refused"
    caplog.clear()
    ask(tested, tmp_path / "second", count=5, samples=samples)  # another job
    assert server.summary()["requests"] == first + 5 * samples and "takes no" not in caplog.text


def test_answers_are_known_by_what_was_asked_for_whatever_was_sent(serve, model, tmp_path):
    server = serve(unsupported=["temperature"])
    found = ask(model(server), tmp_path)
    server.control(unsupported=[])
    asked = server.summary()["requests"]
    assert ask(model(server), tmp_path) == found and server.summary()["requests"] == asked
    assert ask(model(server, mode="replay"), tmp_path) == found


def test_another_server_has_quirks_of_its_own(serve, model, tmp_path):
    strict, free = serve(unsupported=["seed"]), serve()
    register = str(tmp_path / "register")
    ask(model(strict, register=register), tmp_path / "one")
    other = model(free, register=register)
    with Lease(tmp_path / "two", register=Register(register, tmp_path / "two")) as lease:
        assert Quirks(model(strict), lease.register).known == {"seed"}
        assert Quirks(other, lease.register).known == set()


def test_what_is_refused_by_either_name_is_refused(serve, model, tmp_path):
    server = serve(unsupported=["max_tokens", "max_completion_tokens"])
    with pytest.raises(ModelError, match=r"the first \d+ requests were all refused.*models\.tested\.sampling"):
        ask(model(server), tmp_path, count=30)


def test_a_prompt_that_is_refused_with_or_without_a_setting_abstains(serve, model, tmp_path):
    """Its refusal names a setting; the others go on as they were."""
    words = " 'seed' is not supported for this prompt"
    server = serve(refused_words={"harbour 3 ": 400}, error_text=words)
    found = ask(model(server, concurrency=1), tmp_path)
    assert [bool(row[0].detail) for row in found] == [n == 3 for n in range(12)]
    assert server.summary()["requests"] == 13, "the refused one was tried twice"


# --- answers that are longer than they may be -----------------------------------------------------------------------


def test_long_answers_that_come_together_raise_what_is_set_aside_once(serve, model, tmp_path, caplog):
    """Without a cap nobody waits for the first of them."""
    caplog.set_level(logging.INFO, "ragassay")
    register = Register(tmp_path / "register", "ledger")
    server = serve(texts=["word " * 480], odd_answers={"too_long": 1.0})
    ask(model(server, register=str(tmp_path / "register")), tmp_path)
    with register.shared() as (kept, _):
        assert 5 < kept["manners"]["excess"] < 20
    assert caplog.text.count("answers are longer than max_tokens") == 1


def test_a_request_without_what_was_refused_is_no_further_try(serve, model, tmp_path, quick):
    failures = {str(number): "500" for number in range(4, 11)}  # after three refusals, all tries but the last
    server = serve(unsupported=["max_tokens", "temperature", "seed"], faults_at=failures)
    [[answer]] = ask(model(server, concurrency=1), tmp_path, count=1)
    assert not answer.detail and server.summary()["requests"] == 11


def test_jobs_that_start_together_under_a_cap_wait_for_the_first_reply_of_one_of_them(serve, tmp_path):
    """An answer of a server that ignores max_tokens may cost a good part of the cap."""
    server = serve(latency=0.5, odd_answers={"too_long": 1.0}, texts=["word " * 400])
    with Jobs(server, tmp_path, concurrency=4, price={"input": 0, "output": 1e6}, budget_usd=1000.0) as jobs:
        jobs.start(5, 5, 5)
        assert jobs.wait() == [OVER_BUDGET] * 3
    assert 0 < server.summary()["completion_tokens"] <= 1000
