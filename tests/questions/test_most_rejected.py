"""Stages that ask a model stop where most of its answers are of no use; what was paid is not paid again."""

from typing import NamedTuple

import pytest

from ragassay.base.tally import MostRejected
from ragassay.calls.model import ModelError
from ragassay.schemas.scope_answers import RESPONSES
from rows import row
from scripts.labels.judge_scope import judge_scope
from scripts.questions.extract_claims import extract_claims
from scripts.questions.recover_claims import recover_claims
from scripts.questions.remove_supported_claims import remove_supported_claims
from scripts.questions.write_questions import write_questions
from scripts.responses.answer_closed_book import answer_closed_book
from scripts.responses.judge_defusion import judge_defusion
from scripts.responses.respond import respond
from study import claim, document, novel, question, recovered
from tools.loopback import Loopback

WRITE = {"out_of_scope_prompt": "write_out_of_scope_questions", "in_scope_prompt": "write_in_scope_questions"}


class Case(NamedTuple):
    """How to run a stage; items and requests are per document."""

    form: str
    inputs: str
    output: str
    settings: dict
    items: int
    requests: int
    prompts: dict | None = None


CLAIMS, ROUNDS = {"claims_per_document": 2, "fewest_claims": 2}, {"rounds": 1, "subsets": 2}
WRITING = {"in_scope_per_document": 2, "fewest_words": 3, "most_words": 9}
CASES = {
    extract_claims: Case("lists", "documents", "claims", CLAIMS, 1, 1),
    recover_claims: Case("gaps", "claims", "recovered_claims", ROUNDS, 2, 2),
    remove_supported_claims: Case("lists", "documents claims recovered_claims", "novel_claims", {}, 2, 1),
    write_questions: Case("lists", "documents novel_claims", "questions", WRITING, 4, 2, WRITE),
    judge_scope: Case("verdicts", "documents questions", "scope_votes", {"votes": 3}, 3, 1),
    judge_defusion: Case("verdicts", "documents questions responses", "defusion_votes", {"votes": 3}, 3, 1),
    respond: Case("prose", "documents questions", "responses", {"prompt_name": "b"}, 1, 1, {"prompt": "respond_basic"}),
    answer_closed_book: Case("prose", "questions", "closed_book_answers", {}, 1, 1),
}
CONCURRENCY = 8  # of the study's model
pytestmark = pytest.mark.parametrize("stage", CASES, ids=lambda stage: stage.__name__)


@pytest.fixture(scope="module")
def server():
    with Loopback(respond="answers:unless_broken", fresh_samples=True) as server:
        yield server


@pytest.fixture
def run(study, server):
    """A function that runs a stage on documents, some of them broken."""

    def on(stage, broken, most_rejected):
        case = CASES[stage]
        texts = {f"d{n:03}": f"{case.form} of d{n:03}{' broken' if bad else ''}" for n, bad in enumerate(broken)}
        slots = [(name, slot, f"{text} {slot}") for name, text in texts.items() for slot in (1, 2)]
        same = {"finish_reason": "stop"}
        rows = {
            "documents": [document(*item) for item in texts.items()],
            "claims": [claim(*slot) for slot in slots],
            "recovered_claims": [recovered(name, 1, slot, text) for name, slot, text in slots],
            "novel_claims": [novel(*slot) for slot in slots],
            "questions": [
                question(name, 1, "out_of_scope", text) | {"question_id": name} for name, text in texts.items()
            ],
            "responses": [
                row(RESPONSES, question_id=name, doc_id=name, text=text, **same) for name, text in texts.items()
            ],
        }
        study.write(**{name: rows[name] for name in case.inputs.split()})
        study.asks(server.url)
        prompts = case.prompts or {"prompt": stage.__name__}
        outputs = [case.output, "rejects"] if case.form in ("lists", "gaps") else [case.output]
        study.run(stage, case.inputs.split(), outputs, prompts, **case.settings, most_rejected=most_rejected)

    return on


@pytest.fixture
def paid(server):
    """A function that counts the requests of this test that were paid."""
    before = server.summary()["billed"]
    return lambda: server.summary()["billed"] - before


MORE_THAN_HALF = [number % 2 == 1 or number >= 38 for number in range(40)]  # of the items are broken


def test_a_stage_stops_where_more_is_rejected_than_may_be_and_a_second_run_pays_nothing(run, study, paid, stage):
    case = CASES[stage]
    with pytest.raises(MostRejected) as caught:
        run(stage, MORE_THAN_HALF, 0.5)
    told = str(caught.value)
    assert f"model m: {21 * case.items} of {40 * case.items} " in told and "rejected, expected at most 50%" in told
    assert "d001" in told and "raise most_rejected" in told and "\n" not in told
    assert "the answer begins 'Sure, I can do that!'" in told or " as empty, such as " in told
    assert {path.stem for path in study.folder.glob("*.parquet")} == set(case.inputs.split()), "no table is written"
    assert paid() == 40 * case.requests
    run(stage, MORE_THAN_HALF, 0.6)
    assert paid() == 40 * case.requests
    assert study.read(case.output) and study.read("calls")


def test_a_model_that_gives_nothing_of_use_is_not_asked_on(run, study, paid, stage):
    with pytest.raises(MostRejected):
        run(stage, [True] * 400, 0.9)
    first = paid()
    assert 20 <= first < 200
    with pytest.raises(MostRejected):
        run(stage, [True] * 400, 0.9)
    assert paid() <= first + CONCURRENCY, "what was in flight is in the ledger"


POLICY = "The prompt triggered the content management policy."


@pytest.mark.parametrize("refusal", [400, "moderated", "moderated_in_200", "blocked"])
def test_what_a_provider_refuses_is_a_row_with_its_words_and_the_log_names_the_document(
    run, study, server, caplog, stage, refusal
):
    case = CASES[stage]
    caplog.set_level("INFO", "ragassay")
    plain = refusal == 400
    server.control(**{"refused_words" if plain else "odd_words": {"broken": refusal}})
    try:
        run(stage, [number == 6 for number in range(12)], 0.5)
    finally:
        server.control(refused_words={}, odd_words={})
    rejects = study.path("rejects").exists()
    rows = [row for row in study.read("rejects" if rejects else case.output) if row["detail"]]
    assert len(rows) == case.items
    assert {row.get("reason") or row.get("abstained") or row["finish_reason"] for row in rows} == {"refusal"}
    if plain:
        lines = [line for line in caplog.messages if line.startswith("the provider refused a request about d006: ")]
        assert len(lines) == case.requests and POLICY in lines[0] and all(POLICY in row["detail"] for row in rows)


def test_a_first_try_that_is_refused_whole_stops_the_stage_and_is_asked_again(run, study, server, stage):
    case = CASES[stage]
    server.control(odd_answers={"odd_refusal": 1.0})
    try:
        with pytest.raises(ModelError, match=r"refused, the last: HTTP 400 .*This organization is paused"):
            run(stage, [False] * 3, 0.5)
    finally:
        server.control(odd_answers={})
    assert {path.stem for path in study.folder.glob("*.parquet")} == set(case.inputs.split()), "no table is written"
    run(stage, [False] * 3, 0.5)
    assert study.read(case.output) and not (study.path("rejects").exists() and study.read("rejects"))
