"""Find the strata of nearness in which controls of shared words and of the question's own words cannot tell
out-of-scope questions from those in scope.

Only kept questions count: for them, intention and the judge agree. Controls are fitted on questions of all shards, or
on some `SAMPLE` that a hash of their ids chooses, and score one shard at a time. If `graded_on` names shards, such as
those of a release, controls and grades come from them alone: a later shard gets the grades of its strata and changes
none.
"""

import numpy as np
import pandas as pd
import pyarrow as pa

from ragassay.base import chance, tables
from ragassay.base.stage import log, run
from ragassay.schemas.hardness import FEATURES, HARDNESS, HARDNESS_SCORES, HARDNESS_STRATA
from ragassay.schemas.scope_questions import SELECTED_QUESTIONS
from ragassay.studies.scope import controls
from ragassay.studies.scope.strata import EASY, HARD_GRADE, Strata
from ragassay.studies.scope.votes import KEPT, OUT

SAMPLE = 100_000  # questions that controls are fitted on, about


def grade_hardness(
    hardness, selected_questions, hardness_scores, hardness_strata, limits, fewest_per_stratum, resamples, seed,
    graded_on=(),
):  # fmt: skip
    shards = tables.by_shard({HARDNESS: hardness, SELECTED_QUESTIONS: selected_questions})
    graded = {shard for shard in shards if not graded_on or shard in graded_on}
    fitted, scores = controls.Controls(*_sample([shards[shard] for shard in shards if shard in graded])), {}
    strata = Strata(limits, fewest_per_stratum, resamples, seed)
    for shard, files in shards.items():
        rows = kept(files)
        scores[shard] = np.array(fitted.scores(*_inputs(rows)), float).T  # questions x controls, NaN for None
        strata.add(
            rows.assign(score=scores[shard][:, 0], wording=scores[shard][:, 1])[: None if shard in graded else 0]
        )
    graded_strata = strata.rows()
    tables.write(HARDNESS_STRATA, hardness_strata, [{"position": at, **row} for at, row in enumerate(graded_strata)])
    hard = {row["stratum"]: {HARD_GRADE: True, EASY: False}.get(row["grade"]) for row in graded_strata[:-1]}
    with tables.Writer(HARDNESS_SCORES, hardness_scores) as writer:
        for shard, files in shards.items():
            rows = kept(files)
            rows = rows.assign(score=scores[shard][:, 0], wording=scores[shard][:, 1], hard=rows["stratum"].map(hard))
            columns = rows[HARDNESS_SCORES.schema.names].astype({"hard": "boolean"})
            writer.write(pa.Table.from_pandas(columns, preserve_index=False))
    questions = graded_strata[-1]["n_hard"], graded_strata[-1]["n_out_of_scope"]
    log.info("%d of %d out-of-scope questions are in hard strata; areas are exact to %.1g", *questions, strata.error())


def kept(files: dict) -> pd.DataFrame:
    """The kept questions of one shard, in the order of their ids, with what the controls read."""
    selected = tables.frame(SELECTED_QUESTIONS, files[SELECTED_QUESTIONS], ["question_id", "status", "text"])
    texts = selected.loc[selected["status"] == KEPT, ["question_id", "text"]]
    columns = ["question_id", "doc_id", "cluster_id", "shard", "intended", "stratum", *FEATURES]
    rows = tables.read_all(HARDNESS, files[HARDNESS], columns).to_pandas().merge(texts, on="question_id")
    folds = {cluster: controls.fold(cluster) for cluster in rows["cluster_id"].unique()}
    rows = rows.assign(out_of_scope=rows["intended"] == OUT, fold=rows["cluster_id"].map(folds).astype(int))
    return rows.sort_values("question_id")


def _inputs(rows):
    return rows["fold"].to_numpy(), rows[list(FEATURES)].to_numpy(float), rows["text"].tolist()


def _sample(shards):
    """Folds, features, texts and labels of the questions that controls are fitted on."""
    statuses = [tables.read_all(SELECTED_QUESTIONS, files[SELECTED_QUESTIONS], ["status"]) for files in shards]
    share = SAMPLE / max(sum(rows["status"].to_pylist().count(KEPT) for rows in statuses), 1)
    parts = []
    for rows in map(kept, shards):
        chosen = [share >= 1 or chance.share("controls", question) < share for question in rows["question_id"]]
        parts.append(rows[np.array(chosen, bool)])
    sample = pd.concat(parts).sort_values("question_id")
    return *_inputs(sample), sample["out_of_scope"].to_numpy(bool)


if __name__ == "__main__":
    run(grade_hardness, snakemake)
