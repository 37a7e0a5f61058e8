"""Read one judge's or detector's recorded verdicts on a question set: one vote a question. An empty cell is an
abstention, and too many of them stop the stage.
"""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.base.tally import Tally
from ragassay.schemas.scope_questions import SCOPE_VOTES
from ragassay.studies.scope import question_sets
from ragassay.studies.scope.votes import OUT


def read_verdicts(
    document_files, question_files, scope_votes, name, columns, judge, column, most_rejected, below=(), placed=()
):
    ids = question_sets.document_ids(document_files, placed, columns, name, below)
    asked = question_sets.questions(question_files, columns["questions"], ids, name, (column,), bool(placed))
    remedy = f"Correct the column {column!r} of the questions' files"
    tally, rows = Tally(f"question set {name}", f"verdicts of {judge}", most_rejected, remedy), []
    for one in asked:
        label = question_sets.scope_vote(one, column, columns["questions"])
        if label is None:
            tally.reject(one.place, "empty", "found nothing, expected a verdict")
        else:
            tally.keep()
        row = {"question_id": one.row["question_id"], "vote": 1, "doc_id": one.row["doc_id"]}
        row |= {"verdict": None if label is None else label == OUT, "abstained": "empty" if label is None else None}
        rows.append(row | {"detail": None, "judge": judge, "prompt": ""})
    tally.check()
    tables.write(SCOPE_VOTES, scope_votes, rows)
    log.info("%d verdicts, %d abstentions", tally.kept, tally.rejected)


if __name__ == "__main__":
    run(read_verdicts, snakemake)
