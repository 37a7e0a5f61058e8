"""Export questions and documents in common forms: a BEIR folder and one for `datasets.load_dataset`.

Texts are exported with `texts`, if `release.sources` allows those of every source. Else, as for publishers' news,
readers get the address, the hash of the whole text and how far the document goes in it: enough to fetch it themselves
and to check that it is the same.
"""

from collections import Counter

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.release.exports import About, write_beir, write_hugging_face
from ragassay.release.licences import Licences
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.hardness import HARDNESS, HARDNESS_SCORES
from ragassay.schemas.release import EXPORTED_DOCUMENTS, EXPORTED_QUESTIONS
from ragassay.schemas.scope_questions import NOVEL_CLAIMS, SELECTED_QUESTIONS

SHOWN = 5  # sources that the card names


def export_questions(
    documents,
    selected_questions,
    novel_claims,
    hardness,
    hardness_scores,
    beir,
    hugging_face,
    about,
    texts,
    sources,
    brought,
):
    known = tables.read_all(DOCUMENTS, documents).to_pylist()
    unnamed = Licences({"release": {"sources": sources}}, [], brought).unnamed(known) if texts else []
    if unnamed:
        names = ", ".join(unnamed[:SHOWN]) + (", ..." if len(unnamed) > SHOWN else "")
        note = f"`release.sources` does not say that texts of these sources may be published: {names}."
        about = about | {"licence": "other", "licence_note": note}
        log.info("texts are left out, and the licence is `other`: %s", note)
    known = [_given(row, texts and not unnamed) for row in known]
    questions = tables.read_all(SELECTED_QUESTIONS, selected_questions).to_pylist()
    found = write_beir(beir, known, questions)
    claims = _by("recovered_id", NOVEL_CLAIMS, novel_claims, "text")
    near = _by("question_id", HARDNESS, hardness, "nearness")
    scores = _by("question_id", HARDNESS_SCORES, [hardness_scores], "score", "hard")
    topics = {row["doc_id"]: row["topic"] for row in known}
    rows = []
    for row in questions:
        score = scores.get(row["question_id"], {"score": None, "hard": None})
        row |= {"question": row["text"], "topic": topics[row["doc_id"]]}
        row |= {"claim": claims.get(row["recovered_id"], {"text": None})["text"]}
        row |= {"nearness": near.get(row["question_id"], {"nearness": None})["nearness"]}
        row |= {"overlap_score": score["score"], "hard": score["hard"]}
        rows.append({name: row[name] for name in (*EXPORTED_QUESTIONS.schema.names, "split")})
    counts = Counter(row["doc_id"] for row in questions)
    names = [name for name in EXPORTED_DOCUMENTS.schema.names if name != "n_questions"]
    corpus = [{name: row[name] for name in names} | {"n_questions": counts[row["doc_id"]]} for row in known]
    write_hugging_face(hugging_face, corpus, rows, About(**about))
    log.info("%(documents)d documents, %(queries)d queries, %(qrels)d of them with a document that answers", found)


def _given(row, texts):
    """A document as it is exported."""
    return row | {"text_end": len(row["text"]), "text": row["text"] if texts else None}


def _by(key, table, paths, *columns):
    return {row[key]: row for row in tables.read_all(table, paths, [key, *columns]).to_pylist()}


if __name__ == "__main__":
    run(export_questions, snakemake)
