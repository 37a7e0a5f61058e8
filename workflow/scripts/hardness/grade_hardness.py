"""Find the strata of nearness in which controls of shared words and of the question's own words cannot tell
out-of-scope questions from those in scope.

Only kept questions count: for them, intention and the judge agree. Controls are fitted on questions of all shards, or
on some `SAMPLE` that a hash of their ids chooses, and score one shard at a time, or all if these are few. If
`graded_on` names shards, such as those of a release, controls and grades come from them alone: a later shard gets the
grades of its strata and changes none.
"""

import numpy as np
import pandas as pd
import pyarrow as pa

from ragassay.base import chance, tables
from ragassay.base.stage import log, run
from ragassay.schemas.hardness import FEATURES, HARDNESS, HARDNESS_SCORES, HARDNESS_STRATA
from ragassay.schemas.scope_questions import SELECTED_QUESTIONS
from ragassay.studies.scope import controls
from ragassay.studies.scope.strata import CONTROLS, EASY, HARD_GRADE, Strata
from ragassay.studies.scope.votes import KEPT, OUT

FILES = (HARDNESS, SELECTED_QUESTIONS)
SAMPLE = 100_000  # questions that controls are fitted on, about


def grade_hardness(
    hardness, selected_questions, hardness_scores, hardness_strata, limits, fewest_per_stratum, resamples, seed,
    graded_on=(),
):  # fmt: skip
    shards = tables.by_shard({HARDNESS: hardness, SELECTED_QUESTIONS: selected_questions})
    parts = _parts({shard: not graded_on or shard in graded_on for shard in shards}, shards)
    fitted = controls.Controls(*_sample([files for files, is_graded in parts if is_graded]))
    strata, scores = Strata(limits, fewest_per_stratum, resamples, seed), []
    for files, is_graded in parts:
        rows = kept(files)
        of_controls = np.array(fitted.scores(*_inputs(rows)), float)  # controls x questions, NaN for None
        scores.append(dict(zip(CONTROLS, of_controls, strict=True)))
        strata.add(rows.assign(**scores[-1])[: None if is_graded else 0])
    graded_strata = strata.rows()
    tables.write(HARDNESS_STRATA, hardness_strata, [{"position": at, **row} for at, row in enumerate(graded_strata)])
    hard = {row["stratum"]: {HARD_GRADE: True, EASY: False}.get(row["grade"]) for row in graded_strata[:-1]}
    with tables.Writer(HARDNESS_SCORES, hardness_scores) as writer:
        for (files, _), of_part in zip(parts, scores, strict=True):
            rows = kept(files)
            rows = rows.assign(**of_part, hard=rows["stratum"].map(hard))
            columns = rows[HARDNESS_SCORES.schema.names].astype({"hard": "boolean"})
            writer.write(pa.Table.from_pandas(columns, preserve_index=False))
    questions = graded_strata[-1]["n_hard"], graded_strata[-1]["n_out_of_scope"]
    log.info("%d of %d out-of-scope questions are in hard strata; areas are exact to %.1g", *questions, strata.error())


def kept(files: dict) -> pd.DataFrame:
    """The kept questions of a part, in the order of their ids, with what the controls read."""
    selected = tables.frame(SELECTED_QUESTIONS, files[SELECTED_QUESTIONS], ["question_id", "status", "text"])
    texts = selected.loc[selected["status"] == KEPT, ["question_id", "text"]]
    columns = ["question_id", "doc_id", "cluster_id", "shard", "intended", "stratum", *FEATURES]
    rows = tables.read_all(HARDNESS, files[HARDNESS], columns).to_pandas().merge(texts, on="question_id")
    folds = {cluster: controls.fold(cluster) for cluster in rows["cluster_id"].unique()}
    rows = rows.assign(out_of_scope=rows["intended"] == OUT, fold=rows["cluster_id"].map(folds).astype(int))
    return rows.sort_values("question_id")


def _parts(graded: dict[str, bool], shards) -> list[tuple[dict, bool]]:
    """Files that are read together, and whether they are graded: one shard's, or all if they have few questions."""
    parts = [(shards[shard], is_graded) for shard, is_graded in graded.items()]
    if _number_kept(shards.values()) > SAMPLE:
        return parts
    of_kinds = [[files for files, is_graded in parts if is_graded == kind] for kind in (True, False)]
    tables_of = [{table: [path for files in kind for path in files[table]] for table in FILES} for kind in of_kinds]
    return list(zip(tables_of, (True, False), strict=True))


def _number_kept(parts) -> int:
    statuses = (tables.read_all(SELECTED_QUESTIONS, files[SELECTED_QUESTIONS], ["status"]) for files in parts)
    return sum(rows["status"].to_pylist().count(KEPT) for rows in statuses)


def _inputs(rows):
    return rows["fold"].to_numpy(), rows[list(FEATURES)].to_numpy(float), rows["text"].tolist()


def _sample(parts):
    """Folds, features, texts and labels of the questions that controls are fitted on."""
    share, samples = SAMPLE / max(_number_kept(parts), 1), []
    for rows in map(kept, parts):
        chosen = [share >= 1 or chance.share("controls", question) < share for question in rows["question_id"]]
        samples.append(rows[np.array(chosen, bool)])
    sample = pd.concat(samples).sort_values("question_id")
    return *_inputs(sample), sample["out_of_scope"].to_numpy(bool)


if __name__ == "__main__":
    run(grade_hardness, snakemake)
