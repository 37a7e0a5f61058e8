"""Read one responder's recorded responses to a question set: from a column of the questions' files, or from files with
one response a row. An empty cell is a question that it was not asked. A recorded response counts as complete, since it
is unknown why its model stopped.
"""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.scope_answers import RESPONSES
from ragassay.studies.scope import question_sets
from ragassay.studies.scope.votes import RECORDED


def read_responses(
    document_files, question_files, response_files, responses, name, columns, responder, column, below=(), placed=()
):
    """`column` is that of the questions' files, or what files of responses call the responder. `placed` is the table of
    the set's questions, if these name no document.
    """
    ids = question_sets.document_ids(document_files, placed, columns, name, below)
    more = () if response_files else (column,)
    asked = question_sets.questions(question_files, columns["questions"], ids, name, more, bool(placed))
    same = {"finish_reason": "stop", "truncated": False, "prompt_tokens": None, "completion_tokens": None}
    same |= {"detail": None, "responder": responder, "prompt_name": RECORDED, "prompt": ""}
    if response_files:
        answered = question_sets.responses(response_files, columns["responses"], asked, column)
    else:
        answered = [(question, question.cells[column]) for question in asked if question.cells[column]]
        if not answered:
            files = ", ".join(question_files)
            raise question_sets.QuestionSetError(
                f"{files}: found nothing in {column!r}, expected responses of {responder}"
            )
    rows = [
        {"question_id": question.row["question_id"], "doc_id": question.row["doc_id"], "text": text, **same}
        for question, text in answered
    ]
    tables.write(RESPONSES, responses, rows)
    log.info("%d responses to %d questions", len(rows), len(asked))


if __name__ == "__main__":
    run(read_responses, snakemake)
