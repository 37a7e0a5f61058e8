"""From articles to parts: what is nearly the same text is in one part, whatever shard or place it comes from."""

import random

import pytest

from ragassay.base import tables
from ragassay.documents.documents import article
from ragassay.documents.ids import split_of
from ragassay.schemas.documents import ARTICLES, CLUSTERS, DOCUMENTS
from ragassay.schemas.scope_questions import QUESTIONS, SCOPE_LABELS, SELECTED_QUESTIONS
from ragassay.studies.scope.detectors import detector
from rows import row
from scripts.documents.collect_documents import collect_documents
from scripts.documents.find_duplicates import find_duplicates
from scripts.labels.select_questions import select_questions

SAME = {"similarity": 0.6, "cut_after_words": 60}
STORIES = 24


def story(number, edits=""):
    """A hundred words of one story; each letter of `edits` is another word at another place."""
    draw = random.Random(number)
    words = [f"{draw.choice('bdfgklmnprstvz')}{draw.randrange(3000)}" for _ in range(100)]
    for letter in edits:
        words[ord(letter) % 100] = f"edited{letter}"
    return ". ".join(" ".join(words[start : start + 10]) for start in range(0, 100, 10)) + "."


@pytest.fixture(scope="module")
def parted(tmp_path_factory):
    """Each story four times, twice in either shard, through the stages that make documents of articles and give
    questions a part. Returns number of the story by id of article, clusters, documents, and the part of each document.
    """
    folder, stories, clusters, documents, parts = tmp_path_factory.mktemp("leaks"), {}, {}, [], {}
    (folder / "opt_outs.txt").write_text("")
    for shard, earlier, edits in (("may", [], "ak"), ("june", ["may"], "cq")):
        rows = []
        for number in range(STORIES):
            for edit in edits:
                rows.append(article({"text": story(number, edit), "id": f"{shard}-{number}-{edit}"}, shard))
                stories[rows[-1]["article_id"]] = number
        files = {name: folder / f"{name}-{shard}.parquet" for name in ("articles", "documents", "rejects")}
        own = folder / f"clusters/{shard}.parquet"
        tables.write(ARTICLES, files["articles"], rows)
        before = [str(own.with_name(f"{name}.parquet")) for name in earlier]
        find_duplicates(files["articles"], before, own, " ".join(earlier), **SAME)
        clusters |= {one["article_id"]: one["cluster_id"] for one in tables.read(CLUSTERS, own).to_pylist()}
        if shard == "may":  # of June nothing is left: all are copies
            made = files["documents"], files["rejects"]
            collect_documents(files["articles"], own, folder / "opt_outs.txt", *made, shard, None, 5, 60)
            documents = tables.read(DOCUMENTS, files["documents"]).to_pylist()
            parts = _parts(folder, files["documents"], documents)
    return stories, clusters, documents, parts


def _parts(folder, path, documents):
    """doc_id -> the part that select_questions gives its question."""
    asked = [
        row(QUESTIONS, question_id=f"q-{one['doc_id']}", doc_id=one["doc_id"], shard="may", intended="in_scope")
        for one in documents
    ]
    labels = [row(SCOPE_LABELS, question_id=one["question_id"], label="in_scope", judge="j") for one in asked]
    tables.write(QUESTIONS, folder / "questions.parquet", asked)
    tables.write(SCOPE_LABELS, folder / "labels.parquet", labels)
    select_questions(path, folder / "questions.parquet", folder / "labels.parquet", folder / "selected.parquet")
    found = tables.read(SELECTED_QUESTIONS, folder / "selected.parquet").to_pylist()
    return {one["doc_id"]: one["split"] for one in found}


def test_a_story_is_one_cluster_and_one_document(parted):
    stories, clusters, documents, _ = parted
    by_story = {number: {clusters[name] for name in stories if stories[name] == number} for number in range(STORIES)}
    assert all(len(found) == 1 for found in by_story.values())
    assert len(set.union(*by_story.values())) == STORIES == len(documents)
    apart = {number: {split_of(name) for name in stories if stories[name] == number} for number in range(STORIES)}
    assert any(len(found) > 1 for found in apart.values())  # they would be in several parts if they were not clustered


def test_a_copy_from_elsewhere_is_in_the_part_of_the_story(parted):
    """That of its question, and that which a trained detector knows the story by."""
    stories, _, documents, parts = parted
    of_story = {stories[one["article_id"]]: parts[one["doc_id"]] for one in documents}
    assert set(of_story.values()) == {"train", "validation", "test"}
    table = detector.described(documents, SAME["cut_after_words"])
    assert {one["doc_id"]: one["part"] for one in table} == parts
    copies = [{"doc_id": f"copy-{number}", "cluster_id": "", "text": story(number, "xy")} for number in range(STORIES)]
    found = detector.trained_parts(copies, table, **SAME)
    assert found == {f"copy-{number}": part for number, part in of_story.items()}
    strange = {"doc_id": "other", "cluster_id": "", "text": story(999)}
    assert detector.trained_parts([strange], table, **SAME) == {"other": detector.UNSEEN}
