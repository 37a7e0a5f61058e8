"""Exports of questions and targets."""

import csv
import json
import os
import subprocess
import sys
from functools import partial

import pytest

from growth import peak
from ragassay.base import tables
from ragassay.schemas.attacks import POISONED_PASSAGES
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.hardness import HARDNESS, HARDNESS_SCORES
from ragassay.schemas.scope_questions import NOVEL_CLAIMS, SELECTED_QUESTIONS
from rows import place, row
from scripts.release.export_questions import export_questions
from scripts.release.export_targets import export_targets
from targets import TARGET_ROWS, write_poison, write_targets

ABOUT = {"title": "Ferries: a | test", "licence": "cc0-1.0", "licence_note": "The texts are invented."}
SOURCES = {"data": {"licence": "cc0-1.0", "texts": True}}
SPLITS = ("train",) * 4 + ("validation", "test")


@pytest.fixture
def exported(tmp_path):
    """A function that exports six documents with three questions each; the folder with `beir` and `hugging_face`."""
    documents, questions, claims, hardness, scores = [], [], [], [], []
    for number, split in enumerate(SPLITS):
        doc = f"doc-{number}"
        topic = "food" if number % 2 else None
        documents.append(
            row(
                DOCUMENTS,
                doc_id=doc,
                title="Über | <b>" if number else None,
                text=f"Text {number}.\n\nÉ",
                topic=topic,
            )
        )
        claims.append(row(NOVEL_CLAIMS, doc_id=doc, slot=1, recovered_id=f"recovered-{number}", text="A claim."))
        for slot, (intended, status) in enumerate(
            [("in_scope", "kept"), ("out_of_scope", "kept"), ("in_scope", "disputed")]
        ):
            name = {"question_id": f"question-{number}{slot}", "doc_id": doc, "shard": "s", "intended": intended}
            lineage = {"recovered_id": f"recovered-{number}", "round": 3} if intended == "out_of_scope" else {}
            labels = {"label": "in_scope" if status == "kept" else "out_of_scope", "status": status, "split": split}
            labels |= {"judge": "j", "generator": "g"}
            questions.append(row(SELECTED_QUESTIONS, **name, slot=slot, text=f"Why {slot}?", **lineage, **labels))
            hardness.append(row(HARDNESS, **name, nearness=0.5))
            if status == "kept":
                scores.append(row(HARDNESS_SCORES, **name, score=0.25, hard=number == 0))
    given = {DOCUMENTS: documents, SELECTED_QUESTIONS: questions, NOVEL_CLAIMS: claims, HARDNESS: hardness}

    def export(folder="out", texts=True, sources=SOURCES, shards="s", times=1):
        shard_of = {row["doc_id"]: shards[number % len(shards)] for number, row in enumerate(documents)}
        files = {}
        for table, rows in given.items():
            files[table.name] = [place(tmp_path / folder, table, shard=shard) for shard in shards]
            for shard, file in zip(shards, files[table.name], strict=True):
                file.parent.mkdir(parents=True, exist_ok=True)
                of_shard = [row for row in rows if shard_of[row["doc_id"]] == shard]
                of_shard = [row | {"text": row["text"] * times} for row in of_shard] if table is DOCUMENTS else of_shard
                tables.write(table, file, [row | {"shard": shard} for row in of_shard])
        graded = [row | {"shard": shard_of[row["doc_id"]]} for row in scores]
        files["hardness_scores"] = place(tmp_path / folder, HARDNESS_SCORES)
        files["hardness_scores"].parent.mkdir(parents=True, exist_ok=True)
        tables.write(HARDNESS_SCORES, files["hardness_scores"], graded)
        places = {name: tmp_path / folder / name for name in ("beir", "hugging_face")}
        brought = {shard: ["data/mine.csv"] for shard in shards}
        export_questions(**files, **places, about=ABOUT, texts=texts, sources=sources, brought=brought)
        return tmp_path / folder

    return export


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def table(path):
    with path.open(newline="") as rows:
        return list(csv.DictReader(rows, delimiter="\t"))


def test_beir_has_all_documents_and_what_was_kept(exported):
    beir = exported() / "beir"
    corpus, queries = lines(beir / "corpus.jsonl"), lines(beir / "queries.jsonl")
    assert [row["_id"] for row in corpus] == [f"doc-{number}" for number in range(6)]
    assert corpus[0]["title"] == "" and corpus[1] == {
        "_id": "doc-1",
        "title": "Über | <b>",
        "text": "Text 1.\n\nÉ",
        "metadata": {"topic": "food", "url": None, "content_hash": "", "text_end": 10},
    }
    assert len(queries) == 12 and {row["metadata"]["intended"] for row in queries} == {"in_scope", "out_of_scope"}


def test_only_questions_in_scope_have_qrels(exported):
    beir = exported() / "beir"
    kinds = {row["_id"]: row["metadata"]["intended"] for row in lines(beir / "queries.jsonl")}
    for folder, kind in [("qrels", "in_scope"), ("sources", "out_of_scope")]:
        found = {path.stem: table(path) for path in (beir / folder).iterdir()}
        assert {name: len(rows) for name, rows in found.items()} == {"train": 4, "dev": 1, "test": 1}
        assert {kinds[row["query-id"]] for rows in found.values() for row in rows} == {kind}
        assert found["dev"] == [{"query-id": f"question-4{kind[:3] == 'out':d}", "corpus-id": "doc-4", "score": "1"}]


LOAD = """
import json, socket, sys
def refuse(*_): raise AssertionError("network")
socket.socket.connect = socket.getaddrinfo = refuse
from datasets import load_dataset
found = {}
for name in (None, "questions", "documents"):
    data = load_dataset(sys.argv[1], name)
    found[str(name)] = {split: [dict(row, published_at=None) for row in rows] for split, rows in data.items()}
print(json.dumps(found))
"""


@pytest.mark.parametrize("texts", [True, False], ids=["with texts", "without"])
def test_the_datasets_library_opens_the_folder_offline(exported, tmp_path, texts):
    folder = exported(texts=texts) / "hugging_face"
    quiet = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(tmp_path / "home")}
    command = [sys.executable, "-c", LOAD, str(folder)]
    done = subprocess.run(command, env={**os.environ, **quiet}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert {split: len(rows) for split, rows in found["questions"].items()} == {"train": 12, "validation": 3, "test": 3}
    assert found["None"] == found["questions"] and len(found["documents"]["corpus"]) == 6
    first = found["questions"]["train"][1]
    assert (first["claim"], first["round"], first["hard"], first["overlap_score"]) == ("A claim.", 3, True, 0.25)
    assert found["questions"]["train"][2]["hard"] is None and found["questions"]["train"][0]["claim"] is None
    document = found["documents"]["corpus"][1]
    assert document["n_questions"] == 3 and document["text"] == ("Text 1.\n\nÉ" if texts else None)
    assert document["text_end"] == 10


def test_texts_that_are_not_ours_to_give_are_nowhere(exported):
    folder = exported(texts=False)
    assert [row["text"] for row in lines(folder / "beir/corpus.jsonl")] == [""] * 6
    given = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert b"Text 1." not in given and b"not in this folder" in given
    assert "not in this folder" not in (exported() / "hugging_face/README.md").read_text()


@pytest.mark.parametrize(
    "sources", [{}, {"resources/demo": SOURCES["data"]}, {"data": SOURCES["data"] | {"texts": False}}]
)
def test_texts_of_a_source_that_nobody_named_are_left_out_and_the_card_says_so(exported, sources):
    """As where a configuration brings documents and keeps the demo's `export`."""
    folder = exported(sources=sources)
    assert [row["text"] for row in lines(folder / "beir/corpus.jsonl")] == [""] * 6
    card = (folder / "hugging_face/README.md").read_text()
    assert "license: other\n" in card and ABOUT["licence_note"] not in card
    assert "`release.sources` does not say that texts of these sources may be published: s." in card


def test_the_card_counts_and_describes(exported):
    card = (exported() / "hugging_face/README.md").read_text()
    assert "6 documents, 18 questions." in card and "| train | 4 | 4 | 1 | 4 | 0 |" in card
    assert "| food | 3 | 3 | 0 | 3 | 0 |" in card and "written by g, judged by j." in card
    assert "| `overlap_score` | double |" in card and "cc0-1.0. The texts are invented." in card


def test_a_second_export_gives_the_same_bytes_and_nothing_else(exported):
    first = content(exported())
    (exported() / "beir/qrels/old.tsv").write_text("of an older export")
    assert content(exported()) == first == content(exported("elsewhere"))


def content(folder):
    files = [path for name in ("beir", "hugging_face") for path in (folder / name).rglob("*") if path.is_file()]
    return {path.relative_to(folder): path.read_bytes() for path in files}


@pytest.mark.parametrize("texts", [True, False])
def test_any_cut_into_shards_gives_the_same_bytes(exported, texts):
    first = content(exported(texts=texts))
    assert content(exported("cut", texts=texts, shards="bac")) == first and len(first) == 13


def test_texts_of_one_shard_at_a_time_are_in_memory(exported, monkeypatch):
    peaks = []

    def measured(**files):
        peaks.append(peak(partial(export, **files)))

    export = export_questions
    monkeypatch.setitem(globals(), "export_questions", measured)
    for shards in ("s", "abcdef"):
        exported(texts=False, shards=shards, times=500_000)
    whole, cut = peaks
    assert cut < 0.6 * whole


TEXTS = [("bridge", "The lighthouse fell in the storm."), ("ferry", "It sails at seven.")]


@pytest.fixture
def export(tmp_path):
    """A function that exports; all that the folder holds, by file."""
    write_targets(tmp_path / "targets.parquet")
    planted = place(tmp_path, POISONED_PASSAGES, dataset="mine", attack="bare")
    planted.parent.mkdir(parents=True)
    write_poison(planted, TEXTS, "bare")
    rows = tables.read(POISONED_PASSAGES, planted).to_pylist()
    tables.write(POISONED_PASSAGES, planted, [rows[0], rows[1] | {"made_from": "p1"}])

    def export(poisoned, texts=True):
        given = [planted] if poisoned else []
        export_targets(tmp_path / "targets.parquet", given, tmp_path / "out", poisoned, texts)
        files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
        return {str(path.relative_to(tmp_path / "out")): path.read_text() for path in files}

    return export


def test_without_the_switch_there_are_questions_and_nothing_that_an_attacker_wrote(export):
    export(poisoned=True)
    found = export(poisoned=False)
    assert found.keys() == {"queries.jsonl", "README.md"}, "no file of an earlier export stays"
    assert [json.loads(line)["answers"] for line in found["queries.jsonl"].splitlines()] == [
        row["answers"] for row in TARGET_ROWS
    ]
    wrong = [text for row in TARGET_ROWS for text in (*row["texts"], row["target"])]
    assert not any(text in content for text in wrong for content in found.values())


def test_with_the_switch_every_row_of_poison_says_so(export):
    found = export(poisoned=True)
    poison = [json.loads(line) for line in found["poisoned_passages/bare.jsonl"].splitlines()]
    assert [row["text"] for row in poison] == [text for _, text in TEXTS]
    assert all(row["poisoned"] and row["attack"] == "bare" for row in poison)
    assert all(json.loads(line)["poisoned"] for line in found["targets.jsonl"].splitlines())
    assert "This folder holds poison" in found["README.md"] and "| bare | 2 |" in found["README.md"]


def test_texts_of_the_corpus_are_not_given_away(export):
    rows = [json.loads(line) for line in export(True, texts=False)["poisoned_passages/bare.jsonl"].splitlines()]
    assert [row["text"] for row in rows] == [TEXTS[0][1], None]
