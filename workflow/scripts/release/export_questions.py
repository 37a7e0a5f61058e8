"""Export questions and documents in common forms: a BEIR folder and one for `datasets.load_dataset`.

Texts are exported with `texts`, if `release.sources` allows those of every source. Else, as for publishers' news,
readers get the address, the hash of the whole text and how far the document goes in it: enough to fetch it themselves
and to check that it is the same.

Write questions and documents in the forms that others read. BEIR, as a retrieval benchmark: an out-of-scope
question has no line in `qrels`; the document that it was written about is in `sources`, in the same form. Hugging
Face: Parquet files and a data card for `datasets.load_dataset`, with all questions; `status` says which were kept.
"""

from collections import Counter
from dataclasses import dataclass

import yaml

from ragassay.base import tables
from ragassay.base.atomic import building, write_lines
from ragassay.base.stage import log, run
from ragassay.release.licences import Licences
from ragassay.release.verification.readme import markdown_cell, markdown_table, size_category
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.hardness import HARDNESS, HARDNESS_SCORES
from ragassay.schemas.release import EXPORTED_DOCUMENTS, EXPORTED_QUESTIONS
from ragassay.schemas.scope_questions import NOVEL_CLAIMS, SELECTED_QUESTIONS

BEIR_SPLITS = {"train": "train", "validation": "dev", "test": "test"}
PLACES = (("in_scope", "qrels"), ("out_of_scope", "sources"))
HEADER = "query-id\tcorpus-id\tscore\n"
SPLITS = ("train", "validation", "test")
CORPUS = "corpus"
WITHOUT_TEXTS = (
    "The texts of the documents are not in this folder. `url` says where each was published; if `content_hash` is"
    " the SHA-256 of the article's text as you extract it, its first `text_end` characters are the document.\n"
)
KINDS = ("in scope, kept", "out of scope, kept", "of these hard", "disputed", "undecided")
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


@dataclass(frozen=True)
class About:
    """What the card says beyond the rows. `licence` is the hub's name of a licence, such as cc-by-4.0 or other."""

    title: str
    licence: str
    licence_note: str  # to whom the texts belong, and what may be done with them
    language: str = "en"


def write_beir(folder, documents: list[dict], questions: list[dict]) -> dict[str, int]:
    """Write the folder; returns how many documents, queries and lines of qrels it has. `documents` are rows of the
    table documents with text_end, their text None if it is not to be given; `questions` of selected_questions.
    """
    asked = sorted((row for row in questions if row["status"] == "kept"), key=lambda row: row["question_id"])
    corpus = sorted(documents, key=lambda row: row["doc_id"])
    with building(folder) as place:
        write_lines(place / "corpus.jsonl", map(_document, corpus))
        write_lines(place / "queries.jsonl", map(_query, asked))
        lines = {intended: _write_tables(place / name, asked, intended) for intended, name in PLACES}
    return {"documents": len(corpus), "queries": len(asked), "qrels": lines["in_scope"]}


def _document(row):
    metadata = {name: row[name] for name in ("topic", "url", "content_hash", "text_end")}
    return {"_id": row["doc_id"], "title": row["title"] or "", "text": row["text"] or "", "metadata": metadata}


def _query(row):
    metadata = {name: row[name] for name in ("intended", "split", "doc_id", "generator", "judge")}
    return {"_id": row["question_id"], "text": row["text"], "metadata": metadata}


def _write_tables(folder, questions, intended):
    folder.mkdir()
    rows = [row for row in questions if row["intended"] == intended]
    for split, name in BEIR_SPLITS.items():
        lines = [f"{row['question_id']}\t{row['doc_id']}\t1\n" for row in rows if row["split"] == split]
        if lines:
            (folder / f"{name}.tsv").write_text(HEADER + "".join(lines), encoding="utf-8", newline="\n")
    return len(rows)


def write_hugging_face(folder, documents: list[dict], questions: list[dict], about: About) -> None:
    """`documents` are rows of exported_documents; `questions` of exported_questions, each with its split besides."""
    parts = {}
    for row in sorted(questions, key=lambda row: SPLITS.index(row["split"])):
        parts.setdefault(row["split"], []).append({name: row[name] for name in EXPORTED_QUESTIONS.schema.names})
    with building(folder) as place:
        for split, rows in parts.items():
            tables.write(EXPORTED_QUESTIONS, place / "questions" / f"{split}.parquet", rows)
        tables.write(EXPORTED_DOCUMENTS, place / "documents" / f"{CORPUS}.parquet", documents)
        (place / "README.md").write_text(card(documents, parts, about), encoding="utf-8", newline="\n")


def card(documents: list[dict], parts: dict[str, list[dict]], about: About) -> str:
    questions = [row for rows in parts.values() for row in rows]
    by_split = [(split, *_counts(rows)) for split, rows in parts.items()]
    return "\n".join(
        [
            f"---\n{_front(documents, parts, about)}---\n",
            f"# {about.title}\n",
            "Questions about documents, some of which the document does not answer although they sound as if it did:"
            " do readers and retrievers notice? Models wrote and judged the questions.\n",
            "## Counts\n",
            f"{len(documents)} documents, {len(questions)} questions.\n",
            f"{markdown_table(('split', *KINDS), by_split)}\n",
            f"{markdown_table(('topic', *KINDS), _by_topic(questions))}\n",
            "A question is kept if the judge agrees with what it was written to be; use the others with care.\n",
            *([WITHOUT_TEXTS] if all(row["text"] is None for row in documents) else []),
            "## Fields\n",
            "### questions\n",
            _fields(EXPORTED_QUESTIONS),
            "### documents\n",
            _fields(EXPORTED_DOCUMENTS),
            "## Splits\n",
            "A document and all its near-duplicates, with all their questions, are in one split.\n",
            "## Models\n",
            f"Questions written by {_names(questions, 'generator')}, judged by {_names(questions, 'judge')}.\n",
            "## Licence\n",
            f"{about.licence}. {about.licence_note}\n",
            "## Use\n",
            '```python\nfrom datasets import load_dataset\n\nquestions = load_dataset("<this folder>", "questions")\n'
            'documents = load_dataset("<this folder>", "documents")\n```\n',
        ]
    )


def _counts(rows):
    """How many of each of KINDS."""
    kept = Counter(row["intended"] for row in rows if row["status"] == "kept")
    hard = sum(row["status"] == "kept" and row["intended"] == "out_of_scope" and bool(row["hard"]) for row in rows)
    status = Counter(row["status"] for row in rows)
    return kept["in_scope"], kept["out_of_scope"], hard, status["disputed"], status["undecided"]


def _by_topic(questions):
    topics = {}
    for row in questions:
        topics.setdefault(row["topic"] or "(none)", []).append(row)
    return [(topic, *_counts(topics[topic])) for topic in sorted(topics)]


def _front(documents, parts, about):
    """What the hub and the library read: licence, size, and which files are which split of which configuration."""
    splits = [{"split": split, "path": f"questions/{split}.parquet"} for split in parts]
    configs = [{"config_name": "questions", "default": True, "data_files": splits}] if splits else []
    corpus = [{"split": CORPUS, "path": f"documents/{CORPUS}.parquet"}]
    front = {
        "license": about.licence,
        "language": [about.language],
        "pretty_name": about.title,
        "size_categories": [size_category(sum(map(len, parts.values())))],
        "task_categories": ["question-answering", "text-retrieval"],
        "configs": [*configs, {"config_name": "documents", "data_files": corpus}],
    }
    return yaml.safe_dump(front, sort_keys=False, allow_unicode=True)


def _fields(table):
    rows = [(f"`{column.name}`", column.type, column.description) for column in table.columns]
    return markdown_table(("column", "type", "meaning"), rows) + "\n"


def _names(rows, column):
    return ", ".join(sorted({markdown_cell(row[column]) for row in rows})) or "nobody"


if __name__ == "__main__":
    run(export_questions, snakemake)
