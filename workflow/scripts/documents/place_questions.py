"""Read a question set whose questions name no document: the passages that are nearest to a question, joined, become its
document, the nearest first. From there on the set is like any other.

A passage is near to a question by words and by meaning: it counts by its ranks in both searches (reciprocal rank
fusion), so that neither has to be calibrated."""

from collections import Counter

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.corpora.corpus import cuts
from ragassay.corpora.user_files import texts
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.people import HUMAN_LABELS
from ragassay.schemas.scope_questions import QUESTIONS
from ragassay.search.bm25 import Bm25
from ragassay.search.nearest import best_of_sparse, nearest, unit
from ragassay.studies.scope import question_sets

MORE = ("title", "url", "topic")
DEPTH = 50  # ranks that count
DAMPING = 60  # how little the first ranks stand out; the constant of Cormack, Clarke and Buettcher (2009)


def place_questions(
    document_files, question_files, vote_files, documents, questions, human_labels, name, columns, annotators, cut,
    count, encoder, embeddings, below=(),
):  # fmt: skip
    """`cut` says how texts are cut into passages, `count` how many each question gets; `annotators` as for
    read_question_set.
    """
    passages = list(_passages(document_files, columns["documents"], cut, below))
    asked = question_sets.texts(question_files, columns["questions"])
    embedder = Embedder(Encoder(**encoder), embeddings)
    places = nearest_passages(asked, [passage["text"] for passage in passages], embedder, count)
    rows, ids = {}, {}
    for text, near in zip(asked, places, strict=True):
        row = question_sets.joined([passages[at] for at in near], name)
        rows[row["doc_id"]], ids[text] = row, row["doc_id"]
    more = tuple(annotators.values())
    placed = question_sets.questions(question_files, columns["questions"], ids, name, more, placed=True)
    labels = question_sets.votes(vote_files, columns["human_votes"], placed)
    labels += question_sets.annotated(placed, annotators, columns["questions"])
    tables.write(DOCUMENTS, documents, list(rows.values()))
    tables.write(QUESTIONS, questions, [question.row for question in placed])
    tables.write(HUMAN_LABELS, human_labels, labels)
    log.info("%d questions placed among %d passages, %s", len(placed), len(passages), embedder.told)
    question_sets.report_labels(name, placed, labels)


def nearest_passages(questions: list[str], passages: list[str], embedder: Embedder, count: int) -> list[list[int]]:
    """The places of up to `count` passages for each question, best first."""
    asked = unit(embedder.embed(questions, "query"))
    dense, _ = nearest(asked, (unit(block) for block in embedder.stream(passages, "passage")), DEPTH)
    by_words = best_of_sparse(Bm25(passages, divide_by_idf=True).scores(questions), DEPTH)
    fused = []
    for by_meaning, (of_words, _) in zip(dense.tolist(), by_words, strict=True):
        scores = Counter()
        for ranking in (by_meaning, of_words.tolist()):
            scores.update({place: 1 / (DAMPING + rank) for rank, place in enumerate(ranking, 1)})
        fused.append(sorted(scores, key=lambda place, scores=scores: (-scores[place], place))[:count])
    return fused


def _passages(files, columns, cut, below):
    names = {field: columns[field] for field in ("text", *MORE)} | {"id": columns["doc_id"], "source": "source"}
    for row in texts(files, names, (*MORE, "source"), stand_in="title", below=below):
        for start, end in cuts(row["text"], **cut):
            yield row | {"text": row["text"][start:end]}


if __name__ == "__main__":
    run(place_questions, snakemake)
