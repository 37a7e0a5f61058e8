"""Turn the votes on each question into a label: the majority of the verdicts. Asks no model, so that another tie rule
or threshold costs nothing.
"""

from collections import Counter
from itertools import groupby

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.scope_questions import SCOPE_LABELS, SCOPE_VOTES
from ragassay.studies.scope.questions.votes import label


def label_scope(scope_votes, scope_labels, least_share):
    counts = Counter()
    with tables.Writer(SCOPE_LABELS, scope_labels) as kept:
        votes = tables.read(SCOPE_VOTES, scope_votes).to_pylist()
        for question, own in groupby(votes, key=lambda row: row["question_id"]):
            own = list(own)
            found = label([row["verdict"] for row in own], least_share)
            counts[found.label] += 1
            row = {name: own[0][name] for name in ("doc_id", "judge", "prompt")}
            kept.add(row | {"question_id": question} | found._asdict())
    log.info("%d questions: %s", kept.written, ", ".join(f"{count} {name}" for name, count in sorted(counts.items())))


if __name__ == "__main__":
    run(label_scope, snakemake)
