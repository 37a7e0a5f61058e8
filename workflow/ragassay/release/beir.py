"""Write questions and documents in the layout of BEIR, so that they can be used as a retrieval benchmark.

`corpus.jsonl` has every document, `queries.jsonl` every question that was kept, `qrels/<split>.tsv` the document that
answers each in-scope question. An out-of-scope question has no such document and hence no line there; which document
it was written about is in `sources/<split>.tsv`, in the same form, so that retrieval can be measured for both kinds
apart. The validation split is called dev, as usual there.
"""

from ragassay.release.folders import building, write_lines

SPLITS = {"train": "train", "validation": "dev", "test": "test"}
PLACES = (("in_scope", "qrels"), ("out_of_scope", "sources"))
HEADER = "query-id\tcorpus-id\tscore\n"


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
    own = [row for row in questions if row["intended"] == intended]
    for split, name in SPLITS.items():
        lines = [f"{row['question_id']}\t{row['doc_id']}\t1\n" for row in own if row["split"] == split]
        if lines:
            (folder / f"{name}.tsv").write_text(HEADER + "".join(lines), encoding="utf-8", newline="\n")
    return len(own)
