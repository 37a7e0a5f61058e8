"""Read a question set from elsewhere: its documents, its questions, and people's labels of them."""

from collections import Counter

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.people import HUMAN_LABELS
from ragassay.schemas.scope_questions import QUESTIONS
from ragassay.studies.scope import question_sets
from ragassay.studies.scope.question_sets import settled, warn_of_contradictions
from ragassay.studies.scope.votes import IN, OUT, UNLABELLED


def read_question_set(
    document_files, question_files, vote_files, documents, questions, human_labels, name, columns, annotators, below=()
):
    """`annotators` are columns with one person's votes each: name of the person -> column."""
    rows, ids = question_sets.documents(document_files, columns["documents"], name, below)
    asked = question_sets.questions(question_files, columns["questions"], ids, name, tuple(annotators.values()))
    labels = question_sets.votes(vote_files, columns["human_votes"], asked)
    for annotator, column in annotators.items():
        for question in asked:
            label = question_sets.scope_vote(question, column, columns["questions"])
            if label is not None:
                labels.append(question_sets.human_label(question, annotator, label))
    tables.write(DOCUMENTS, documents, rows)
    tables.write(QUESTIONS, questions, [question.row for question in asked])
    tables.write(HUMAN_LABELS, human_labels, labels)
    log.info("%d documents, %d questions, %d votes of people", len(rows), len(asked), len(labels))
    intended = {question.row["question_id"]: question.row["intended"] for question in asked}
    counts = Counter(intended.values())
    sizes = (len(asked), counts[OUT], counts[IN], counts[UNLABELLED])
    log.info("%d questions: %d out of scope, %d in scope, %d without a label", *sizes)
    people = {question: label for (question, responder), label in settled(labels).items() if not responder}
    warn_of_contradictions(name, [(intended[question], label) for question, label in people.items()])


if __name__ == "__main__":
    run(read_question_set, snakemake)
