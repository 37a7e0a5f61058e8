"""Find the strata of nearness in which controls of shared words and of the question's own words cannot tell
out-of-scope questions from those in scope.

Only kept questions count: for them, intention and the judge agree. All shards are taken together, since a control needs
many documents to train on. If `graded_on` names shards, such as those of a release, controls and grades come from them
alone: a later shard gets the grades of its strata and changes none.
"""

from itertools import compress

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.hardness import HARDNESS, HARDNESS_SCORES, HARDNESS_STRATA
from ragassay.schemas.scope_questions import SELECTED_QUESTIONS
from ragassay.studies.scope import controls
from ragassay.studies.scope.strata import EASY, HARD_GRADE, grade
from ragassay.studies.scope.votes import KEPT


def grade_hardness(
    hardness, selected_questions, hardness_scores, hardness_strata, limits, fewest_per_stratum, resamples, seed,
    graded_on=(),
):  # fmt: skip
    status = tables.read_all(SELECTED_QUESTIONS, selected_questions, ["question_id", "status", "text"]).to_pylist()
    kept = {row["question_id"]: row["text"] for row in status if row["status"] == KEPT}
    rows = [row for row in tables.read_all(HARDNESS, hardness).to_pylist() if row["question_id"] in kept]
    rows.sort(key=lambda row: row["question_id"])
    labels = [row["intended"] == "out_of_scope" for row in rows]
    graded = [not graded_on or row["shard"] in graded_on for row in rows]
    rows = [row | {"text": kept[row["question_id"]]} for row in rows]
    scores = controls.overlap_scores(rows, labels, graded), controls.wording_scores(rows, labels, graded)
    for row, out_of_scope, score, wording in zip(rows, labels, *scores, strict=True):
        row |= {"out_of_scope": out_of_scope, "fold": controls.fold(row["cluster_id"])}
        row |= {"score": score, "wording": wording}
    strata = grade(list(compress(rows, graded)), limits, fewest_per_stratum, resamples, seed)
    tables.write(HARDNESS_STRATA, hardness_strata, [{"position": at, **row} for at, row in enumerate(strata)])
    grades = {row["stratum"]: row["grade"] for row in strata[:-1]}
    with tables.Writer(HARDNESS_SCORES, hardness_scores) as writer:
        for row in rows:
            row["hard"] = {HARD_GRADE: True, EASY: False}.get(grades[row["stratum"]])
            writer.add({name: row[name] for name in HARDNESS_SCORES.schema.names})
    log.info("%d of %d out-of-scope questions are in hard strata", strata[-1]["n_hard"], sum(labels))


if __name__ == "__main__":
    run(grade_hardness, snakemake)
