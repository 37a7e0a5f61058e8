"""Ask a responder queries whose answers are known, and grade what it says. What it is shown is the caller's business:
passages of any corpus, clean or poisoned, or none."""

from collections.abc import Callable, Iterator

from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.base.tally import Tally
from ragassay.calls.complete import complete
from ragassay.calls.model import Model, Request, Requests, answer_columns
from ragassay.grading.outcomes import ABSTAINED, grade
from ragassay.schemas.corpora import QUERIES


class NoAnswers(AssayError):
    """A set has no query whose answers are known."""


def answerable(queries, about_known: bool = False) -> list[dict]:
    """The queries whose answers are known; with `about_known`, of these, those that say what they are about."""
    columns = ["query_id", "text", "passage_id", "relevant", "answers", "options"]
    rows = tables.read(QUERIES, queries, columns).to_pylist()
    answered = [row for row in rows if any(answer.strip() for answer in row["answers"] or [])]
    if not answered:
        raise NoAnswers(
            f"{queries}: found {len(rows)} queries and no answer to any, expected some in the column answers; name the"
            " column in query_sets.{name}.columns.answers, or ask another set"
        )
    return [row for row in answered if not about_known or row["passage_id"] or row["relevant"]]


def question(query: dict) -> str:
    """What the responder is asked: the query and, if there are some, the options to choose from."""
    options = query["options"] or []
    return f"{query['text']} ({'; '.join(options)})" if options else query["text"]


def graded(
    rows: list[dict], messages: Callable[[dict], list[dict]], declines: Callable[[str], bool], digest: str,
    model: dict, ledger, calls, sampling: dict, most_rejected: float,
) -> Iterator[dict]:  # fmt: skip
    """Each query's row with answer and outcome. `messages` are those for a query, `digest` is that of their prompt."""
    model = Model(**model)
    tally = Tally.of_answers(model.name, "answers", most_rejected)
    requests = Requests(rows, lambda row: Request(messages(row), sampling))
    for row, [answer] in zip(rows, complete(requests, model, ledger, calls, tally), strict=True):
        outcome, reason = counted(tally, row["query_id"], answer, grade(answer, row, declines))
        yield {"query_id": row["query_id"], "outcome": outcome, "reason": reason} | answer_columns(
            answer, model.name, digest
        )


def counted(tally: Tally, name: str, answer, graded: tuple, heard: list | None = None) -> tuple:
    """The outcome of an answer with its reason, as `grade` gives them, once the tally of the job has them; `heard` are
    all answers that led to it, if there is more than one.
    """
    tally.hear(name, [answer] if heard is None else heard)
    outcome, reason = graded
    if outcome == ABSTAINED:
        tally.reject(name, reason, answer.detail, answer)
    else:
        tally.keep()
    return graded
