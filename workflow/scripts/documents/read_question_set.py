"""Read a question set from elsewhere: its documents, its questions, and people's labels of them."""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.people import HUMAN_LABELS
from ragassay.schemas.scope_questions import QUESTIONS
from ragassay.studies.scope import question_sets


def read_question_set(
    document_files, question_files, vote_files, documents, questions, human_labels, name, columns, annotators, below=()
):
    """`annotators` are columns with one person's votes each: name of the person -> column."""
    rows, ids = question_sets.documents(document_files, columns["documents"], name, below)
    asked = question_sets.questions(question_files, columns["questions"], ids, name, tuple(annotators.values()))
    labels = question_sets.votes(vote_files, columns["human_votes"], asked)
    labels += question_sets.annotated(asked, annotators, columns["questions"])
    tables.write(DOCUMENTS, documents, rows)
    tables.write(QUESTIONS, questions, [question.row for question in asked])
    tables.write(HUMAN_LABELS, human_labels, labels)
    log.info("%d documents, %d questions, %d votes of people", len(rows), len(asked), len(labels))
    question_sets.report_labels(name, asked, labels)


if __name__ == "__main__":
    run(read_question_set, snakemake)
