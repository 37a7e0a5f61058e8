"""Turn the tables of the scope study into the metrics and the examples of the report's section.

Models are compared in one table; everything else is about the study's own generator and judge, which are the first.
Intervals are 95 %, from resampled documents.
"""

from ragassay.base import tables
from ragassay.base.stage import run
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.hardness import HARDNESS, HARDNESS_SCORES, HARDNESS_STRATA
from ragassay.schemas.relevance import DRIFT
from ragassay.schemas.report import EXAMPLES, METRICS
from ragassay.schemas.scope_questions import CLAIMS, NOVEL_CLAIMS, RECOVERED_CLAIMS, SCOPE_LABELS, SELECTED_QUESTIONS
from ragassay.studies.scope.scope_section import (
    agreement_rows,
    drift_rows,
    example_rows,
    funnel_rows,
    length_rows,
    model_rows,
    nearness_rows,
    reject_rows,
    stratum_rows,
    table_6,
)
from ragassay.studies.scope.votes import KEPT


def measure_scope(
    documents, claims, recovered_claims, drift, novel_claims, scope_labels, selected_questions, hardness,
    hardness_scores, hardness_strata, rejects, metrics, examples, generator, judge, resamples, seed,
):  # fmt: skip
    """Files of selected_questions and hardness_strata are of all models, the others of the study's own."""
    everything = tables.frame(SELECTED_QUESTIONS, selected_questions)
    questions = _of_models(everything, generator, judge)
    kept = questions[questions["status"] == KEPT]
    strata = tables.frame(HARDNESS_STRATA, hardness_strata)
    texts = tables.frame(DOCUMENTS, documents).drop_duplicates("doc_id", keep="last")
    originals = tables.frame(CLAIMS, claims)
    guesses, near = tables.frame(DRIFT, drift), tables.frame(HARDNESS, hardness)
    rows = [
        *model_rows(everything, strata),
        *funnel_rows(texts, originals, guesses, tables.frame(NOVEL_CLAIMS, novel_claims), questions),
        *agreement_rows(questions, resamples, seed),
        *drift_rows(guesses, resamples, seed),
        *length_rows(kept),
        *nearness_rows(kept, near),
        *stratum_rows(_of_models(strata, generator, judge)),
        *reject_rows(tables.read_all(tables.REJECTS, rejects).to_pandas()),
        *table_6(texts, kept),
    ]
    tables.write(METRICS, metrics, rows)
    recovered, labels = tables.frame(RECOVERED_CLAIMS, recovered_claims), tables.frame(SCOPE_LABELS, scope_labels)
    scores = tables.frame(HARDNESS_SCORES, hardness_scores)
    tables.write(
        EXAMPLES, examples, example_rows(questions, texts, originals, recovered, guesses, labels, near, scores)
    )


def _of_models(rows, generator, judge):
    return rows[(rows["generator"] == generator) & (rows["judge"] == judge)]


if __name__ == "__main__":
    run(measure_scope, snakemake)
