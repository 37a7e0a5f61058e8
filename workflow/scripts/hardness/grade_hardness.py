"""Find the strata of nearness in which the overlap control cannot tell out-of-scope questions from those in scope.

Only kept questions count: for them, intention and the judge agree. All shards are taken together, since a control needs
many documents to train on.
"""

from ragassay import tables
from ragassay.hardness import overlap_control
from ragassay.hardness.strata import grade
from ragassay.schemas.hardness import HARDNESS
from ragassay.schemas.hardness_scores import HARDNESS_SCORES
from ragassay.schemas.hardness_strata import HARDNESS_STRATA
from ragassay.schemas.selected_questions import SELECTED_QUESTIONS
from ragassay.stage import log, run


def grade_hardness(
    hardness, selected_questions, hardness_scores, hardness_strata, limits, fewest_per_stratum, resamples, seed
):
    status = tables.read_all(SELECTED_QUESTIONS, selected_questions, ["question_id", "status"]).to_pylist()
    kept = {row["question_id"] for row in status if row["status"] == "kept"}
    rows = [row for row in tables.read_all(HARDNESS, hardness).to_pylist() if row["question_id"] in kept]
    rows.sort(key=lambda row: row["question_id"])
    labels = [row["intended"] == "out_of_scope" for row in rows]
    for row, out_of_scope, score in zip(rows, labels, overlap_control.scores(rows, labels), strict=True):
        row |= {"out_of_scope": out_of_scope, "score": score, "fold": overlap_control.fold(row["cluster_id"])}
    strata = grade(rows, limits, fewest_per_stratum, resamples, seed)
    tables.write(HARDNESS_STRATA, hardness_strata, [{"position": at, **row} for at, row in enumerate(strata)])
    hard = {row["stratum"] for row in strata[:-1] if row["hard"]}
    with tables.Writer(HARDNESS_SCORES, hardness_scores) as writer:
        for row in rows:
            row["hard"] = row["stratum"] in hard
            writer.add({name: row[name] for name in HARDNESS_SCORES.schema.names})
    log.info("%d of %d out-of-scope questions are in hard strata", strata[-1]["n_hard"], sum(labels))


if __name__ == "__main__":
    run(grade_hardness, snakemake)
