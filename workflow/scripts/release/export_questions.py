"""Export questions and documents in common forms: a BEIR folder and one for `datasets.load_dataset`.

Texts are exported with `texts`, if `release.sources` allows those of every source. Else, as for publishers' news,
readers get the address, the hash of the whole text and how far the document goes in it: enough to fetch it themselves
and to check that it is the same. One shard is in memory at a time, and the grades of all questions.

Write questions and documents in the forms that others read. BEIR, as a retrieval benchmark: an out-of-scope
question has no line in `qrels`; the document that it was written about is in `sources`, in the same form. Hugging
Face: Parquet files and a data card for `datasets.load_dataset`, with all questions; `status` says which were kept.
"""

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow.compute as pc
import yaml

from ragassay.base import tables
from ragassay.base.atomic import building, write_lines
from ragassay.base.stage import log, run
from ragassay.release.redaction import Licences
from ragassay.release.verification.readme import markdown_cell, markdown_table, size_category
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.hardness import HARDNESS, HARDNESS_SCORES
from ragassay.schemas.release import EXPORTED_DOCUMENTS, EXPORTED_QUESTIONS
from ragassay.schemas.scope_questions import NOVEL_CLAIMS, SELECTED_QUESTIONS

BEIR_SPLITS = {"train": "train", "validation": "dev", "test": "test"}
HEADER = "query-id\tcorpus-id\tscore\n"
SPLITS = ("train", "validation", "test")
CORPUS = "corpus"
WITHOUT_TEXTS = (
    "The texts of the documents are not in this folder. `url` says where each was published; if `content_hash` is"
    " the SHA-256 of the article's text as you extract it, its first `text_end` characters are the document.\n"
)
IN_SCOPE, OUT_OF_SCOPE, HARD = "in scope, kept", "out of scope, kept", "of these hard"
KINDS = (IN_SCOPE, OUT_OF_SCOPE, HARD, "disputed", "undecided")
PLACES = {IN_SCOPE: "qrels", OUT_OF_SCOPE: "sources"}
SHOWN = 5  # sources that the card names


def export_questions(
    documents, selected_questions, novel_claims, hardness, hardness_scores, beir, hugging_face, about, texts, sources,
    brought,
):  # fmt: skip
    """`about` says what the card says beyond the rows: title, language, the hub's name of a licence, such as cc-by-4.0
    or other, and in `licence_note` to whom the texts belong, and what may be done with them.
    """
    unnamed = _unnamed(documents, sources, brought) if texts else []
    if unnamed:
        names = ", ".join(unnamed[:SHOWN]) + (", ..." if len(unnamed) > SHOWN else "")
        note = f"`release.sources` does not say that texts of these sources may be published: {names}."
        about = about | {"licence": "other", "licence_note": note}
        log.info("texts are left out, and the licence is `other`: %s", note)
    files = {DOCUMENTS: documents, SELECTED_QUESTIONS: selected_questions}
    files |= {NOVEL_CLAIMS: novel_claims, HARDNESS: hardness}
    shards = _shards(files, hardness_scores, texts and not unnamed)
    contents = write_hugging_face(hugging_face, shards, about)
    write_beir(beir, hugging_face, contents)
    kept, with_document = contents.count(IN_SCOPE, OUT_OF_SCOPE), contents.count(IN_SCOPE)
    queries = "%d documents, %d queries, %d of them with a document that answers"
    log.info(queries, contents.documents, kept, with_document)


def _unnamed(documents, sources, brought):
    licences, names = Licences({"release": {"sources": sources}}, [], brought), set()
    for _, rows in tables.each(DOCUMENTS, documents, ["site", "shard"]):
        names |= {*licences.unnamed(rows.to_pylist())}
    return sorted(names)


def _shards(files, hardness_scores, texts) -> Iterator[tuple[list[dict], list[dict]]]:
    """Of each shard, rows of exported_documents and of exported_questions, these with their split besides."""
    grades = tables.read(HARDNESS_SCORES, hardness_scores, ["question_id", "shard", "score", "hard"])
    names = [name for name in EXPORTED_DOCUMENTS.schema.names if name != "n_questions"]
    for shard, paths in tables.by_shard(files).items():
        documents = [_given(row, texts) for row in tables.read_all(DOCUMENTS, paths[DOCUMENTS]).to_pylist()]
        questions = tables.read_all(SELECTED_QUESTIONS, paths[SELECTED_QUESTIONS]).to_pylist()
        claims = _by("recovered_id", tables.read_all(NOVEL_CLAIMS, paths[NOVEL_CLAIMS], ["recovered_id", "text"]))
        near = _by("question_id", tables.read_all(HARDNESS, paths[HARDNESS], ["question_id", "nearness"]))
        scores = _by("question_id", grades.filter(pc.equal(grades["shard"], shard)))
        topics = {row["doc_id"]: row["topic"] for row in documents}
        rows = []
        for row in questions:
            score = scores.get(row["question_id"], {"score": None, "hard": None})
            row |= {"question": row["text"], "topic": topics[row["doc_id"]]}
            row |= {"claim": claims.get(row["recovered_id"], {"text": None})["text"]}
            row |= {"nearness": near.get(row["question_id"], {"nearness": None})["nearness"]}
            row |= {"overlap_score": score["score"], "hard": score["hard"]}
            rows.append({name: row[name] for name in (*EXPORTED_QUESTIONS.schema.names, "split")})
        counts = Counter(row["doc_id"] for row in questions)
        yield [{name: row[name] for name in names} | {"n_questions": counts[row["doc_id"]]} for row in documents], rows


def _given(row, texts):
    """A document as it is exported."""
    return row | {"text_end": len(row["text"]), "text": row["text"] if texts else None}


def _by(key, rows):
    return {row[key]: row for row in rows.to_pylist()}


@dataclass
class Contents:
    """What is exported, as the card counts it."""

    documents: int = 0
    with_text: int = 0
    questions: Counter = field(default_factory=Counter)  # split -> how many
    kinds: Counter = field(default_factory=Counter)  # ("split" or "topic", which, one of KINDS) -> questions
    models: set = field(default_factory=set)  # ("generator" or "judge", which)

    def add(self, documents: list[dict], questions: list[dict]) -> None:
        self.documents += len(documents)
        self.with_text += sum(row["text"] is not None for row in documents)
        for row in questions:
            self.questions[row["split"]] += 1
            self.models |= {(column, row[column]) for column in ("generator", "judge")}
            for kind in _kinds(row):
                self.kinds["split", row["split"], kind] += 1
                self.kinds["topic", row["topic"] or "(none)", kind] += 1

    def splits(self) -> list[str]:
        return [split for split in SPLITS if split in self.questions]

    def count(self, *kinds: str) -> int:
        return sum(self.kinds["split", split, kind] for split in self.questions for kind in kinds)

    def table(self, column: str, values: Iterable[str]) -> str:
        """A line for each split or topic."""
        rows = [(value, *(self.kinds[column, value, kind] for kind in KINDS)) for value in values]
        return markdown_table((column, *KINDS), rows)


def _kinds(row):
    """Those of KINDS that a question is of."""
    if row["status"] != "kept":
        return [row["status"]]
    if row["intended"] == "in_scope":
        return [IN_SCOPE]
    return [OUT_OF_SCOPE, HARD] if row["hard"] else [OUT_OF_SCOPE]


def write_beir(folder, hugging_face, contents: Contents) -> None:
    """Write the folder from the other form, whose files are sorted."""
    kept = {split: _kept(hugging_face, split) for split in contents.splits()}
    with building(folder) as place:
        write_lines(place / "corpus.jsonl", map(_document, _rows(EXPORTED_DOCUMENTS, _corpus(hugging_face))))
        write_lines(
            place / "queries.jsonl", map(_query, heapq.merge(*kept.values(), key=lambda row: row["question_id"]))
        )
        for kind, name in PLACES.items():
            (place / name).mkdir()
            for split in contents.splits():
                if contents.kinds["split", split, kind]:
                    _write_table(place / name / f"{BEIR_SPLITS[split]}.tsv", _kept(hugging_face, split), kind)


def _rows(table, path):
    for batch in tables.batches(table, path):
        yield from batch.to_pylist()


def _kept(folder, split):
    for row in _rows(EXPORTED_QUESTIONS, _questions(folder, split)):
        if row["status"] == "kept":
            yield row | {"split": split}


def _questions(folder, split):
    return Path(folder) / "questions" / f"{split}.parquet"


def _corpus(folder):
    return Path(folder) / "documents" / f"{CORPUS}.parquet"


def _document(row):
    metadata = {name: row[name] for name in ("topic", "url", "content_hash", "text_end")}
    return {"_id": row["doc_id"], "title": row["title"] or "", "text": row["text"] or "", "metadata": metadata}


def _query(row):
    metadata = {name: row[name] for name in ("intended", "split", "doc_id", "generator", "judge")}
    return {"_id": row["question_id"], "text": row["question"], "metadata": metadata}


def _write_table(path, questions, kind):
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(HEADER)
        for row in questions:
            if kind in _kinds(row):
                file.write(f"{row['question_id']}\t{row['doc_id']}\t1\n")


def write_hugging_face(folder, shards: Iterable[tuple[list[dict], list[dict]]], about: dict) -> Contents:
    """`shards` have rows of exported_documents, and of exported_questions, these with their split besides."""
    contents, writers = Contents(), {}
    with building(folder) as place, ExitStack() as opened:
        corpus = opened.enter_context(tables.Writer(EXPORTED_DOCUMENTS, _corpus(place)))
        for documents, questions in shards:
            contents.add(documents, questions)
            for row in documents:
                corpus.add(row)
            for row in questions:
                split = row.pop("split")
                if split not in writers:
                    writer = tables.Writer(EXPORTED_QUESTIONS, _questions(place, split))
                    writers[split] = opened.enter_context(writer)
                writers[split].add(row)
        (place / "README.md").write_text(card(contents, about), encoding="utf-8", newline="\n")
    return contents


def card(contents: Contents, about: dict) -> str:
    topics = sorted({value for column, value, _ in contents.kinds if column == "topic"})
    return "\n".join(
        [
            f"---\n{_front(contents, about)}---\n",
            f"# {about['title']}\n",
            "Questions about documents, some of which the document does not answer although they sound as if it did:"
            " do readers and retrievers notice? Models wrote and judged the questions.\n",
            "## Counts\n",
            f"{contents.documents} documents, {contents.questions.total()} questions.\n",
            f"{contents.table('split', contents.splits())}\n",
            f"{contents.table('topic', topics)}\n",
            "A question is kept if the judge agrees with what it was written to be; use the others with care.\n",
            *([] if contents.with_text else [WITHOUT_TEXTS]),
            "## Fields\n",
            "### questions\n",
            _fields(EXPORTED_QUESTIONS),
            "### documents\n",
            _fields(EXPORTED_DOCUMENTS),
            "## Splits\n",
            "A document and all its near-duplicates, with all their questions, are in one split.\n",
            "## Models\n",
            f"Questions written by {_names(contents, 'generator')}, judged by {_names(contents, 'judge')}.\n",
            "## Licence\n",
            f"{about['licence']}. {about['licence_note']}\n",
            "## Use\n",
            '```python\nfrom datasets import load_dataset\n\nquestions = load_dataset("<this folder>", "questions")\n'
            'documents = load_dataset("<this folder>", "documents")\n```\n',
        ]
    )


def _front(contents, about):
    """What the hub and the library read: licence, size, and which files are which split of which configuration."""
    splits = [{"split": split, "path": f"questions/{split}.parquet"} for split in contents.splits()]
    configs = [{"config_name": "questions", "default": True, "data_files": splits}] if splits else []
    corpus = [{"split": CORPUS, "path": f"documents/{CORPUS}.parquet"}]
    front = {
        "license": about["licence"],
        "language": [about.get("language", "en")],
        "pretty_name": about["title"],
        "size_categories": [size_category(contents.questions.total())],
        "task_categories": ["question-answering", "text-retrieval"],
        "configs": [*configs, {"config_name": "documents", "data_files": corpus}],
    }
    return yaml.safe_dump(front, sort_keys=False, allow_unicode=True)


def _fields(table):
    rows = [(f"`{column.name}`", column.type, column.description) for column in table.columns]
    return markdown_table(("column", "type", "meaning"), rows) + "\n"


def _names(contents, column):
    return ", ".join(sorted(markdown_cell(name) for of, name in contents.models if of == column)) or "nobody"


if __name__ == "__main__":
    run(export_questions, snakemake)
