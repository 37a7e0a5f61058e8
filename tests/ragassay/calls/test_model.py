"""What tables say of an answer, and answers that come with counts of tokens."""

import pytest

from ragassay.calls.model import Answer, Failure, Model, Provider, Usage, answer_columns


def test_a_table_says_of_an_answer_what_it_was_and_whether_it_was_cut():
    cut = answer_columns(Answer("A \x1b\u202e\ud800 b\0", "length", 3, 4, "busy"), "reader", "digest")
    counts = {"prompt_tokens": 3, "completion_tokens": 4}
    about = {"responder": "reader", "prompt": "digest"}
    assert (
        cut == {"text": "A \ufffd b", "finish_reason": "length", "detail": "busy", "truncated": True} | counts | about
    )
    nothing = answer_columns(Answer(None, "stop"), "reader", "digest")
    assert nothing["text"] == "" and (nothing["detail"], nothing["truncated"]) == (None, False)


class Read(Provider):
    """Answers as they are written: one for each word."""

    usage = Usage()

    async def send(self, messages, sampling, samples):
        raise NotImplementedError

    def read(self, body):
        return [Answer(word, "stop") for word in body.split()], self.usage


@pytest.mark.parametrize(
    ("usage", "counts"), [((0, 0, 0), (None, None)), ((5, 0, 0), (5, 0)), ((0, 0, 7), (0, 7)), ((0, 2, 0), (0, 0))]
)
def test_tokens_are_those_of_an_answer_that_came_alone(usage, counts):
    provider = Read(Model("m", "p", "m"))
    provider.usage = Usage(*usage)
    [alone] = provider.answers("yes")[0]
    assert (alone.prompt_tokens, alone.completion_tokens) == counts
    assert all(answer.prompt_tokens is None for answer in provider.answers("yes no")[0])


def test_a_reply_that_cannot_be_read_is_a_refusal_that_may_have_cost_money():
    provider = Read(Model("m", "p", "m"))
    with pytest.raises(Failure, match=r"reading it raised AttributeError at model\.py:\d+") as failure:
        provider.answers(None)
    assert (failure.value.again, failure.value.lost, failure.value.refused) == (False, True, "crash")
