"""Texts of an attack that a model writes, and that a corpus is poisoned with."""

import pytest

from ragassay.base import tables
from ragassay.base.tables import REJECTS
from ragassay.calls.model import Answer
from ragassay.grading.matches import contains
from ragassay.schemas.attacks import ATTACK_TEXTS, POISONED_PASSAGES
from ragassay.studies.poisoning.attacks.loudness import question_words
from scripts.attacks import paraphrase_targets as stage
from scripts.attacks.paraphrase_targets import paraphrase_targets
from scripts.attacks.poison_corpus import poison_corpus
from targets import READER, TARGET_ROWS


@pytest.fixture
def paraphrase(files, tmp_path):
    """The texts that are written for the targets, and the rejects."""

    def paraphrase(prompt="write_supporting_texts"):
        settings = {"model": READER, "ledger": str(tmp_path / "ledger"), "sampling": {"temperature": 1}}
        settings |= {"dataset": "mine", "texts": 3, "words": 25, "most_rejected": 1}
        paths = [files(name) for name in ("attack_texts", "rejects", "calls")]
        paraphrase_targets(files("targets"), f"resources/prompts/{prompt}.yaml", *paths, **settings)
        return [tables.read(kind, path).to_pylist() for kind, path in ((ATTACK_TEXTS, paths[0]), (REJECTS, paths[1]))]

    return paraphrase


def test_an_answer_without_texts_is_a_reject(paraphrase, monkeypatch):
    answers = [Answer("I'm sorry, I can't write that.", "stop"), Answer('{"texts": ["She sails at seven."]}', "stop")]
    monkeypatch.setattr(stage, "complete", lambda *_: ([answer] for answer in answers))
    [text], [reject] = paraphrase()
    assert (text["target_id"], text["text"]) == ("ferry", "She sails at seven.")
    assert (reject["item"], reject["reason"]) == ("bridge", "refusal")


def test_texts_are_written_for_each_target_and_planted_as_they_are(files, paraphrase):
    written, _ = paraphrase()
    wanted = {row["target_id"]: row for row in TARGET_ROWS}
    assert [(row["target_id"], row["number"], row["calls"]) for row in written] == [
        (name, number, int(number == 1)) for name in ("bridge", "ferry") for number in (1, 2, 3)
    ]
    assert all(contains(row["text"], wanted[row["target_id"]]["target"]) for row in written)
    assert all(question_words(wanted[row["target_id"]]["question"], row["text"]) > 0.3 for row in written)
    own = {"texts": 2, "words": 25}
    poison_corpus(
        files("targets"), [], [], [str(files("attack_texts"))], files("poison"), "mine", "adaptive_paraphrase", own
    )
    planted = tables.read(POISONED_PASSAGES, files("poison")).to_pylist()
    assert {row["text"] for row in planted} == {row["text"] for row in written if row["number"] < 3}
    assert sum(row["calls"] for row in planted) == 2, "one answer for each target"


def test_corruptrag_asks_for_texts_that_put_the_right_answer_out_of_date_and_plants_them_behind_the_question(
    files, paraphrase, monkeypatch
):
    asked, complete = [], stage.complete

    def answers(requests, *more):
        asked.extend(request.messages[-1]["content"] for request in requests)
        return complete(requests, *more)

    monkeypatch.setattr(stage, "complete", answers)
    written, rejects = paraphrase("write_corrections")
    assert rejects == [] and len(asked) == 2
    for text, row in zip(asked, TARGET_ROWS, strict=True):
        assert "<outdated answer" in text and row["answers"][0] in text and row["target"] in text
    files_of = [str(files("attack_texts"))], files("poison")
    poison_corpus(files("targets"), [], [], *files_of, "mine", "corruptrag_ak", {"texts": 1, "words": 30})
    planted = {row["target_id"]: row["text"] for row in tables.read(POISONED_PASSAGES, files("poison")).to_pylist()}
    first = {row["target_id"]: row["text"] for row in written if row["number"] == 1}
    assert planted["bridge"] == f"What fell in the storm. {first['bridge']}"
    assert planted["ferry"] == f"When does the ferry sail? {first['ferry']}"
