"""Provider script: the study's own stages get what was written, and what nobody wrote is left to rules and counted."""

import asyncio
import json
import logging

import pytest

from project import ROOT
from ragassay.calls.model import Model, ModelError
from ragassay.calls.prompts import Prompt
from ragassay.calls.providers.rules import respond
from ragassay.calls.providers.script import Provider
from scripts.questions.extract_claims import extract_claims
from scripts.questions.recover_claims import recover_claims
from scripts.questions.remove_supported_claims import remove_supported_claims
from scripts.questions.write_questions import write_questions
from study import FREE, document, study  # noqa: F401  a fixture

BEGINS = "The lifeboat station at Gannet Head took over a new boat"
TEXT = f"{BEGINS}\non Saturday. It cost 1.9 million marks and has a crew of six. The old boat is sold."
REPLY = f"""
begins: {BEGINS}
claims:
- claim: The new boat at Gannet Head cost 1.9 million marks.
  expected: The old boat at Gannet Head had cost 80,000 marks.
  near_miss: How much had the old boat at Gannet Head cost?
- claim: The new boat at Gannet Head has a crew of six.
  restated: Six people sail the new boat of Gannet Head.
- claim: The old boat of Gannet Head is sold.
  expected: The old boat of Gannet Head is sold to the school.
  question: To whom is the old boat of Gannet Head sold?
in_scope:
- How much did the new boat cost?
- How large is the crew of the new boat?
"""
LESS = """
begins: The lifeboat station
claims:
- claim: A station has a bell.
  restated: There is a bell at a station.
in_scope:
- Who rings the bell?
"""
OTHER = "The census counted two million people. Nobody was left out."


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "replies/2026-09").mkdir(parents=True)
    (tmp_path / "replies/2026-09/lifeboat.yaml").write_text(REPLY)
    (tmp_path / "replies/2026-09/beginning.yaml").write_text(LESS)  # of another document that begins alike
    return tmp_path / "replies"


def provider(folder):
    return Provider(Model("writer", "script", str(folder), price=FREE))


def asked(folder, task, **values):
    messages = Prompt.load(ROOT / f"resources/prompts/{task}.yaml").messages(**values)
    body, _ = asyncio.run(provider(folder).send(messages, {"temperature": 0}, [0]))
    return json.loads(body)["texts"][0]


def test_the_studys_stages_get_what_was_written(study, folder):  # noqa: F811
    study.write(documents=[document("d", TEXT)])
    study.model = {"name": "writer", "provider": "script", "model": str(folder), "price": FREE}
    prompt, settings = {"prompt": "extract_claims"}, {"claims_per_document": 3, "fewest_claims": 3}
    [rows, _] = study.run(extract_claims, ["documents"], ["claims", "rejects"], prompt, **settings)
    assert [row["text"] for row in rows][1] == "The new boat at Gannet Head has a crew of six."
    prompt, outputs = {"prompt": "recover_claims"}, ["recovered_claims", "rejects"]
    [rows, rejects] = study.run(recover_claims, ["claims"], outputs, prompt, rounds=2, subsets=3)
    assert len(rows) == 6 and rejects == []
    prompt = {"prompt": "remove_supported_claims"}
    inputs = ["documents", "claims", "recovered_claims"]
    [rows, rejects] = study.run(remove_supported_claims, inputs, ["novel_claims", "rejects"], prompt)
    assert [row["slot"] for row in rows] == [1, 3] and [row["reason"] for row in rejects] == ["supported"]
    prompts = {"out_of_scope_prompt": "write_out_of_scope_questions", "in_scope_prompt": "write_in_scope_questions"}
    settings = {"in_scope_per_document": 2, "fewest_words": 5, "most_words": 18}
    inputs = ["documents", "novel_claims"]
    [rows, rejects] = study.run(write_questions, inputs, ["questions", "rejects"], prompts, **settings)
    assert {(row["intended"], row["text"]) for row in rows} == {
        ("out_of_scope", "How much had the old boat at Gannet Head cost?"),
        ("out_of_scope", "To whom is the old boat of Gannet Head sold?"),
        ("in_scope", "How much did the new boat cost?"),
        ("in_scope", "How large is the crew of the new boat?"),
    }


def test_as_many_items_as_are_asked_for(folder):
    assert asked(folder, "extract_claims", document=TEXT, n=2).count("\n") == 1
    assert asked(folder, "write_in_scope_questions", document=TEXT, n=1, fewest=3, most=9).count("\n") == 0


def test_a_document_has_the_reply_with_the_longest_of_its_beginnings(folder):
    assert asked(folder, "extract_claims", document=f"The lifeboat station is new. {TEXT}", n=1).endswith("a bell.")
    assert asked(folder, "extract_claims", document=TEXT, n=1).endswith("marks.")


def test_planted_texts_are_found_by_question_and_answer(folder):
    texts = ["The old boat went to Dray.", "Dray has the old boat.", "In Dray lies the old boat."]
    entry = {"question": "Where is the old boat?", "answer": "Dray", "texts": texts}
    (folder / "targets.yaml").write_text(json.dumps({"targets": [entry]}))
    shown = {"question": "Where is the old boat?", "words": 20}
    for task in ("write_supporting_texts", "write_wanted_texts"):
        assert json.loads(asked(folder, task, answer="Dray", n=2, **shown)) == {"texts": texts[:2]}
    assert texts[0] not in asked(folder, "write_supporting_texts", answer="Osse", n=2, **shown)
    (folder / "targets.yaml").write_text(json.dumps({"targets": [entry, entry | {"texts": []}]}))
    with pytest.raises(ModelError, match=r"targets.yaml: found something else in targets, 2, expected question, ans"):
        provider(folder)


def test_all_guesses_may_be_supported(folder):
    claims, guesses = "1. The old boat of Gannet Head is sold.", "2. Six people sail the new boat of Gannet Head."
    assert asked(folder, "remove_supported_claims", document=TEXT, claims=claims, recovered=guesses) == "None"


@pytest.mark.parametrize(
    ("task", "values"),
    [
        ("extract_claims", {"document": OTHER, "n": 2}),
        ("recover_claims", {"claims": "1. The census counted two million people.\n2. (missing)"}),
        ("remove_supported_claims", {"document": TEXT, "claims": "1. It is new.", "recovered": "1. Nobody's."}),
        ("write_out_of_scope_questions", {"document": TEXT, "claims": "1. Nobody wrote this.", "fewest": 3, "most": 9}),
        ("judge_scope", {"document": TEXT, "question": "How much did the new boat cost?"}),
        ("respond_basic", {"document": TEXT, "question": "How much did the new boat cost?"}),
    ],
)
def test_what_nobody_wrote_is_left_to_rules_and_counted(folder, caplog, task, values):
    messages = Prompt.load(ROOT / f"resources/prompts/{task}.yaml").messages(**values)
    writer = provider(folder)

    async def ask():
        body, _ = await writer.send(messages, {"temperature": 0}, [0])
        await writer.close()
        return writer.read(body)[0][0].text

    with caplog.at_level(logging.INFO):
        assert asyncio.run(ask()) == respond(messages, {"temperature": 0}, 0)
    assert "writer: 1 of 1 requests are about nothing in" in caplog.text


def test_replies_that_change_are_other_answers_wherever_they_lie(folder, tmp_path):
    before = provider(folder).identity()
    moved = folder.rename(tmp_path / "moved")
    assert provider(moved).identity() == before
    file = moved / "2026-09/lifeboat.yaml"
    file.write_text(file.read_text().replace("crew of six", "crew of seven"))
    assert provider(moved).identity() != before


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("begins:", "starts:", "the file, expected begins, claims and in_scope"),
        (f"begins: {BEGINS}", "begins: ''", "begins"),
        ("  restated: Six", "  guessed: Six", "claims, 2"),
        ("  restated: Six people sail the new boat of Gannet Head.", "  restated: ''", "claims, 2"),
        ("- claim: The old boat of Gannet Head is sold.\n  expected", "- expected", "claims, 3"),
        (REPLY.split("in_scope")[0].split(BEGINS)[1], "\nclaims: []\n", "claims, expected a list"),
        (REPLY.split("in_scope")[1], ": a word", "in_scope"),
        ("  near_miss:", "  expects:", "claims, 1"),
        ("in_scope:\n- How much did the new boat cost?", "in_scope:\n- {}", "in_scope"),
        ("claims:\n", "claims: [\n", None),
    ],
)
def test_a_malformed_file_is_one_line_that_names_file_and_field(folder, old, new, told):
    file = folder / "2026-09/lifeboat.yaml"
    assert old in REPLY
    file.write_text(REPLY.replace(old, new))
    with pytest.raises(ModelError) as error:
        provider(folder)
    expected = f"found something else in {told}" if told else "lifeboat.yaml:"
    assert "lifeboat.yaml" in str(error.value) and expected in str(error.value) and "\n" not in str(error.value)


def test_a_folder_without_replies_is_refused(tmp_path):
    with pytest.raises(ModelError, match="found no reply file below"):
        provider(tmp_path)
