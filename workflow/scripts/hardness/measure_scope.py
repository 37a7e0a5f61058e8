"""Turn the tables of the scope study into the metrics and the examples of the report's section, one shard at a time,
or all at once if they have few questions.

Models are compared in one table; everything else is about the study's own generator and judge, which are the first.
Intervals are 95 %, from resampled documents. A hash of the ids chooses the few questions that are shown with their
lineage: one from a hard stratum, another kept one, one that the judge disputed, each of a different document.
"""

from collections.abc import Iterator
from operator import itemgetter

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ragassay.base import tables
from ragassay.base.chance import lot
from ragassay.base.stage import run
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.hardness import HARDNESS, HARDNESS_STRATA
from ragassay.schemas.relevance import DRIFT
from ragassay.schemas.report import EXAMPLES, METRICS
from ragassay.schemas.scope_questions import CLAIMS, NOVEL_CLAIMS, RECOVERED_CLAIMS, SCOPE_LABELS, SELECTED_QUESTIONS
from ragassay.studies.scope.question_tables import (
    SIMILARITIES,
    Agreement,
    Drift,
    Funnel,
    Histograms,
    Models,
    Rejects,
    Table6,
    stratum_rows,
)
from ragassay.studies.scope.strata import scores_by_shard
from ragassay.studies.scope.votes import DISPUTED, KEPT, OUT

FEW = 20_000  # questions
TITLES = {"hard": "kept, in a hard stratum", KEPT: "kept", DISPUTED: "disputed by the judge"}
ABOUT_QUESTIONS = ["question_id", "doc_id", "intended", "status", "label", "n_words", "split"]
COLUMNS = {DOCUMENTS: ["doc_id", "topic", "cluster_id", "n_words"], CLAIMS: ["doc_id"], NOVEL_CLAIMS: ["doc_id"]}
COLUMNS |= {DRIFT: ["doc_id", "slot", "round", *SIMILARITIES], HARDNESS: ["question_id", "nearness"]}


def measure_scope(
    documents, claims, recovered_claims, drift, novel_claims, scope_labels, selected_questions, hardness,
    hardness_scores, hardness_strata, rejects, metrics, examples, generator, judge, resamples, seed,
):  # fmt: skip
    """Files of selected_questions and hardness_strata are of all models, the others of the study's own."""
    models, funnel, histograms, table_6, rejected = Models(), Funnel(), Histograms(), Table6(), Rejects()
    agreement, drifted, candidates = Agreement(resamples, seed), Drift(resamples, seed), []
    files = {DOCUMENTS: documents, CLAIMS: claims, RECOVERED_CLAIMS: recovered_claims, DRIFT: drift}
    files |= {NOVEL_CLAIMS: novel_claims, SCOPE_LABELS: scope_labels, SELECTED_QUESTIONS: selected_questions}
    shards, scores = tables.by_shard(files | {HARDNESS: hardness}), scores_by_shard(hardness_scores)
    few = sum(pq.read_metadata(path).num_rows for path in selected_questions) <= FEW
    for names in [[*shards]] if few else [[shard] for shard in shards]:
        parts = {table: [path for shard in names for path in shards[shard][table]] for table in [*files, HARDNESS]}
        everything = tables.frame(SELECTED_QUESTIONS, parts[SELECTED_QUESTIONS], ABOUT_QUESTIONS)
        questions = _of_models(everything, generator, judge)
        kept = questions[questions["status"] == KEPT]
        texts, originals, novel, guesses, near = (
            tables.frame(table, parts[table], COLUMNS[table])
            for table in (DOCUMENTS, CLAIMS, NOVEL_CLAIMS, DRIFT, HARDNESS)
        )
        models.add(everything)
        funnel.add(texts, originals, guesses, novel, questions)
        agreement.add(questions)
        drifted.add(guesses)
        histograms.add(kept, near)
        table_6.add(texts, kept)
        graded = pa.concat_tables(scores(generator, shard) for shard in names)
        hard = set(graded["question_id"].filter(graded["hard"]).to_pylist())
        candidates += _records(first_of_documents(questions, hard))
    for path in rejects:
        rejected.add(tables.read(tables.REJECTS, path).to_pydict())
    strata = tables.frame(HARDNESS_STRATA, hardness_strata)
    rows = [*models.rows(strata), *stratum_rows(_of_models(strata, generator, judge))]
    for table in (funnel, agreement, drifted, histograms, table_6, rejected):
        rows += table.rows()
    tables.write(METRICS, metrics, rows)
    chosen_questions = [
        (title, row, shards[row["shard"]], scores(generator, row["shard"]).to_pandas())
        for title, row in chosen(candidates)
    ]
    tables.write(EXAMPLES, examples, example_rows(chosen_questions, generator, judge))


def _of_models(rows, generator, judge):
    return rows[(rows["generator"] == generator) & (rows["judge"] == judge)]


def first_of_documents(questions, hard: set[str]):
    """Out-of-scope questions that may be shown, with their pool and lot; `hard` are ids of those in hard strata. Of
    each pool the first question of each of the first documents, so many that one of them is of a document that no other
    example is about.
    """
    questions = questions[(questions["intended"] == OUT) & questions["status"].isin([KEPT, DISPUTED])]
    is_hard = (questions["status"] == KEPT) & questions["question_id"].isin(hard)
    lots = [lot("example", name) for name in questions["question_id"].tolist()]
    questions = questions.assign(pool=questions["status"].mask(is_hard, "hard"), lot=lots).sort_values("lot")
    return questions.drop_duplicates(["pool", "doc_id"]).groupby("pool").head(len(TITLES))


def chosen(questions: list[dict]) -> list[tuple[str, dict]]:
    """(title, question) of at most three."""
    questions, examples, used = sorted(questions, key=itemgetter("lot")), [], set()
    for wanted in ("hard", KEPT, DISPUTED):
        candidates = [row for name in (wanted, KEPT, "hard") for row in questions if row["pool"] == name]
        row = next((row for row in candidates if row["doc_id"] not in used), None)
        if row:
            used.add(row["doc_id"])
            examples.append((TITLES[row["pool"]], row))
    return examples


def example_rows(examples, generator, judge) -> Iterator[dict]:
    """The rows of the table examples; each example has a title, its question, the files of its shard and scores."""
    for number, (title, candidate, files, scores) in enumerate(examples, 1):
        of_document = pc.field("doc_id") == candidate["doc_id"]
        frames = {table: tables.frame(table, paths, where=of_document) for table, paths in files.items()}
        frames[SELECTED_QUESTIONS] = _of_models(frames[SELECTED_QUESTIONS], generator, judge)
        question = _alike(frames[SELECTED_QUESTIONS], candidate, ["question_id"])[0]
        guesses = frames[RECOVERED_CLAIMS][["recovered_id", "text"]].merge(frames[DRIFT], on="recovered_id")
        slot, asked = ["doc_id", "slot"], ["question_id"]
        given = _alike(frames[DOCUMENTS], question, ["doc_id"])[0], _alike(frames[CLAIMS], question, slot)[0]
        given += _alike(guesses.sort_values("round"), question, slot), _alike(frames[SCOPE_LABELS], question, asked)[0]
        given += tuple(next(iter(_alike(rows, question, asked)), None) for rows in (frames[HARDNESS], scores))
        for position, (part, text) in enumerate(lineage(question, *given), 1):
            same = {"study": "scope", "example": number, "position": position, "title": title}
            yield {**same, "part": part, "text": text}


def lineage(question, document, claim, guesses, label, hardness, score) -> Iterator[tuple[str, str]]:
    """(kind, text) of each passage, in the order of their creation. `guesses` are the recovered claims of the slot with
    their similarity, round by round; `hardness` and `score` may be None.
    """
    yield "Headline", document["title"] or "(none)"
    date = document["published_at"]
    yield "Published", f"{document['site'] or 'no site'}, {date.date().isoformat() if date else 'no date'}"
    yield "Document", document["text"]
    yield f"Claim in slot {claim['slot']}", claim["text"]
    for guess in guesses:
        novel = "; not supported, so asked about" if guess["recovered_id"] == question["recovered_id"] else ""
        yield f"Round {guess['round']}, similarity {guess['to_original']:.2f}{novel}", guess["text"]
    yield "Question", question["text"]
    votes = f"{label['out_votes']} out of scope, {label['in_votes']} in scope, {label['abstained']} without a verdict"
    yield f"Votes of {question['judge']}", votes
    yield "Outcome", f"{question['status']}, labelled {question['label']}, split {question['split']}"
    if hardness:
        scored = score is not None and score["score"] is not None
        alone = f"; out of scope by shared words alone: {score['score']:.2f}" if scored else ""
        yield "Nearness", f"{hardness['nearness']:.2f} to its document's nearest claim{alone}"


def _alike(rows, question, names):
    """The rows that are about the same as a question."""
    for name in names:
        rows = rows[rows[name] == question[name]]
    return _records(rows)


def _records(rows):
    """Rows of a frame as dicts; what is missing is None."""
    return rows.astype(object).where(rows.notna(), None).to_dict("records")


if __name__ == "__main__":
    run(measure_scope, snakemake)
