"""Read the responses to a question set that were recorded elsewhere, of one responder. An empty cell is a question that
it was not asked. A recorded response counts as whole: how its model came to stop is not known.
"""

from ragassay import question_sets, tables
from ragassay.schemas.responses import RESPONSES
from ragassay.stage import log, run


def read_responses(document_files, question_files, responses, name, columns, responder, column):
    _, ids = question_sets.documents(document_files, columns["documents"], name)
    asked = question_sets.questions(question_files, columns["questions"], ids, name, (column,))
    same = {"finish_reason": "stop", "truncated": False, "prompt_tokens": None, "completion_tokens": None}
    same |= {"responder": responder, "prompt_name": question_sets.RECORDED, "prompt": ""}
    rows = [
        {"question_id": one.row["question_id"], "doc_id": one.row["doc_id"], "text": one.cells[column], **same}
        for one in asked
        if one.cells[column]
    ]
    tables.write(RESPONSES, responses, rows)
    log.info("%d responses to %d questions", len(rows), len(asked))


if __name__ == "__main__":
    run(read_responses, snakemake)
