"""Read an answer that lists questions: those wanted by their numbers, or the reason why there is none.

Items beyond the wanted numbers are ignored where questions are numbered as they come; where the numbers stand for
something, they show that the answer cannot be relied on.
"""

from ragassay.calls.model import Answer
from ragassay.calls.parsers.numbered_lists import parse_numbered
from ragassay.calls.parsers.result import Abstain
from ragassay.studies.scope.questions.removal import says_none, wrong_numbers

LEFT_OUT = "left_out"


def read(answer: Answer, wanted, about: dict[int, str] | None = None) -> dict[int, tuple[str, tuple | None]]:
    """number -> question, or "" with reason and detail. `about` are the texts that the numbers stand for, of which an
    answer may leave some out; without them, all are expected.
    """
    if about and says_none(answer):
        return dict.fromkeys(wanted, ("", (LEFT_OUT, "the generator finds no question to write")))
    parsed = parse_numbered(answer.text, answer.finish_reason)
    if isinstance(parsed, Abstain):
        return dict.fromkeys(wanted, ("", (parsed.reason, answer.detail or "found no list of questions")))
    found, left_out = parsed.value, (LEFT_OUT, "the generator writes no question here")
    if not about:
        left_out = ("count_mismatch", f"found {len(found)} questions, expected {len(wanted)}")
    elif strange := wrong_numbers(found, about):
        return dict.fromkeys(wanted, ("", ("wrong_number", strange)))
    if parsed.truncated:
        left_out = ("truncated", "the answer was cut off before this question")
    return {number: (" ".join(found[number].split()), None) if number in found else ("", left_out) for number in wanted}
