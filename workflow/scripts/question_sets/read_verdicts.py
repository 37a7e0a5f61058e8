"""Read the verdicts on a question set that were recorded elsewhere, of one judge or detector: one vote a question. An
empty cell is an abstention.
"""

from ragassay import tables
from ragassay.question_sets import reading
from ragassay.schemas.scope_votes import SCOPE_VOTES
from ragassay.scope.votes import OUT
from ragassay.stage import log, run


def read_verdicts(document_files, question_files, scope_votes, name, columns, judge, column):
    _, ids = reading.documents(document_files, columns["documents"], name)
    asked = reading.questions(question_files, columns["questions"], ids, name, (column,))
    rows = []
    for one in asked:
        label = reading.verdict(one.cells[column], "scope", one.place)
        row = {"question_id": one.row["question_id"], "vote": 1, "doc_id": one.row["doc_id"]}
        row |= {"verdict": None if label is None else label == OUT, "abstained": "empty" if label is None else None}
        rows.append(row | {"judge": judge, "prompt": ""})
    tables.write(SCOPE_VOTES, scope_votes, rows)
    log.info("%d verdicts, %d abstentions", len(rows), sum(row["verdict"] is None for row in rows))


if __name__ == "__main__":
    run(read_verdicts, snakemake)
