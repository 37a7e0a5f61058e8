"""Give each question a status, from its intention and the judge's votes, and a split.

Nothing is deleted: questions on which judge and intention disagree stay as rows. A split belongs to a document and its
near-duplicates, never to a single question.
"""

from collections import Counter

from ragassay.base import tables
from ragassay.base.chance import split_of
from ragassay.base.stage import log, run
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.scope_questions import QUESTIONS, SCOPE_LABELS, SELECTED_QUESTIONS
from ragassay.studies.scope.votes import status


def select_questions(documents, questions, scope_labels, selected_questions):
    clusters = tables.read(DOCUMENTS, documents, ["doc_id", "cluster_id"]).to_pylist()
    splits = {row["doc_id"]: split_of(row["cluster_id"]) for row in clusters}
    labels = {row["question_id"]: row for row in tables.read(SCOPE_LABELS, scope_labels).to_pylist()}
    rows, counts = tables.read(QUESTIONS, questions).to_pylist(), Counter()
    with tables.Writer(SELECTED_QUESTIONS, selected_questions) as kept:
        for row in rows:
            labelled = labels.pop(row["question_id"])
            row |= {name: labelled[name] for name in ("label", "margin", "judge")}
            row |= {"status": status(row["intended"], labelled["label"]), "split": splits[row["doc_id"]]}
            counts[row["status"], row["intended"]] += 1
            kept.add(row)
    assert kept.written == len(rows) and not labels
    shown = ", ".join(f"{count} {name} {intended}" for (name, intended), count in sorted(counts.items()))
    log.info("%d questions: %s", len(rows), shown)


if __name__ == "__main__":
    run(select_questions, snakemake)
