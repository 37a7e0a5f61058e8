"""Poison through whole services whose outcome is known: one repeats what it finds, one is right by construction. What
is put into a collection for tests is out of it again, whatever ends the stage.
"""

import hashlib
import json
import os
import signal
from pathlib import Path

import pandas as pd
import pytest

from databases import Pgvector, postgres  # noqa: F401
from guarded import FOLDER, place, scored  # noqa: F401
from poisoned_services import CLEAN, PLANTED, Runs, echoing, of_folder, settings, unmoved
from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.schemas.report import Section
from ragassay.schemas.services import POISONED_SERVICE_ANSWERS
from ragassay.services import staging
from ragassay.services.collection import CollectionError, opened
from ragassay.services.poison_shares import poison_outcomes, poison_rows
from scripts.services.poison_service import Planted, StandingGuards, poison_service
from services import Service, of_question
from study import MINILM

DRAWS = {"times": 50, "seed": 1}


@pytest.fixture
def entry(tmp_path, monkeypatch):
    """A folder for tests as a collection."""
    monkeypatch.chdir(tmp_path)
    columns = {"id": "", "text": "text", "document_id": "", "title": "", "source": ""}
    where = {"kind": "folder", "address": "staging", "collection": "further", "key_variable": ""}
    return where | {"staging": True, "columns": columns}


def answers(folder):
    return tables.frame(POISONED_SERVICE_ANSWERS, folder.glob("poisoned_service_answers/*.parquet"))


def shares(folder):
    rows = poison_rows(Section("services"), answers(folder), {"loud": "answer"}, DRAWS)
    return {row["metric"]: (row["value"], row["n"]) for row in rows if row["table"] == "poison"}


def held(folder=Path("staging/further")):
    return sorted(path.name for path in folder.glob("*"))


SERVICES = {
    "repeats what it finds": (echoing, {"poison_got_through": (1, 2), "target_without_poison": (0, 2)}),
    "right by construction": (unmoved, {"poison_got_through": (0, 2), "target_without_poison": (0, 2)}),
}


@pytest.mark.parametrize("name", SERVICES)
def test_poison_gets_through_where_it_was_built_to(name, entry, tmp_path):
    behaves, expected = SERVICES[name]
    with Service(of_question(behaves(of_folder("staging/further")))) as service:
        poison_service(**settings(tmp_path, service.address, entry))
    assert shares(tmp_path) == expected | {"poison_retrieved": (1, 2)}
    assert len(service.asked) == 4 and held() == [] and staging.staged() == []
    poisoned = answers(tmp_path).set_index("attack").loc["loud", "poisoned"]
    assert poisoned.tolist() == [2, 2]


def test_what_steers_or_hides_in_passages_is_judged_and_not_stored(entry, tmp_path, monkeypatch):
    judged, stops = [], StandingGuards.stops
    monkeypatch.setattr(StandingGuards, "stops", lambda self, *of: judged.extend(of[1]) or stops(self, *of))
    dirty = {"text": "Vex \x1b[2Jkeeps\u202e it\0.", "id": "1", "score": 1.0, "source": ""}
    with Service(lambda body: {"answer": "Vex\x1b.", "passages": [dirty]}) as service:
        poison_service(**settings(tmp_path, service.address, entry))
    rows = answers(tmp_path)
    assert {text for texts in rows["passages"] for text in texts} == {"Vex [2Jkeeps it."}
    assert {*rows["text"]} == {"Vex."} and {*judged} == {dirty["text"]}


def test_a_second_run_asks_nothing_again_and_other_poison_asks_about_that_alone(entry, tmp_path):
    with Service(of_question(echoing(of_folder("staging/further")))) as service:
        given = settings(tmp_path, service.address, entry)
        poison_service(**given)
        first = answers(tmp_path)
        poison_service(**given)
        assert len(service.asked) == 4 and answers(tmp_path).equals(first)
        given["model"] |= {"mode": "replay"}
        entry["address"] = "elsewhere"
        poison_service(**given)
    assert len(service.asked) == 4 and answers(tmp_path).equals(first) and not Path("elsewhere").exists()


def test_an_error_leaves_nothing_behind(entry, tmp_path):
    def fails(body):
        return (
            (400, {}, {"error": "no"})
            if held()
            else echoing(of_folder("staging/further"))(json.loads(body)["question"])
        )

    with Service(fails) as service, pytest.raises(AssayError):
        poison_service(**settings(tmp_path, service.address, entry))
    assert len(service.asked) > 2 and held() == [] and staging.staged() == []


def test_a_folder_is_read_page_by_page_in_the_order_of_its_keys(entry):
    with opened("mine", entry, writes=True) as folder:
        assert [page.keys for page in folder.pages(["text"])] == [[]]
        folder.put(["c", "a", "b"], [], [{"text": text} for text in ("Third.", "First.", "Second.")])
        pages = list(folder.pages(["text", "title"], size=2))
        assert [(page.keys, page.following) for page in pages] == [(["a", "b"], "b"), (["c"], None)]
        assert pages[0].fields == {"text": ["First.", "Second."], "title": [None, None]}
        assert next(folder.pages(["text"], "b")).fields == {"text": ["Third."]}
        with pytest.raises(CollectionError, match=r"found the key '\.\./a', expected the name of a file"):
            folder.put(["../a"], [], [{"text": "x"}])


def test_without_staging_true_nothing_is_asked_or_written(entry, tmp_path):
    with Service(of_question(unmoved(list))) as service, pytest.raises(AssayError, match="no staging: true"):
        poison_service(**settings(tmp_path, service.address, entry | {"staging": False}))
    assert service.asked == [] and not Path("staging").exists()


@pytest.fixture
def database(request, entry):
    """A real collection of clean texts, and another one beside it."""
    database = Pgvector(request.getfixturevalue("postgres"))
    database.make("articles", list(enumerate(CLEAN)))
    database.make("others", list(enumerate(CLEAN)))
    yield database
    database.clear()


def digest(database):
    return hashlib.sha256(json.dumps(database.everything()).encode()).hexdigest()


def test_whenever_it_is_killed_cleaning_leaves_the_database_as_it_was(database, tmp_path):
    """Every second time the next run has to clean up by itself."""

    def texts():
        with database.client() as client:
            return [text for (text,) in client.execute("SELECT body FROM articles").fetchall()]

    entry, before = database.entry | {"staging": True}, digest(database)
    step, status, counts = 0, -signal.SIGKILL, set()
    with Service(of_question(echoing(texts))) as service, Runs(settings(tmp_path, service.address, entry)) as run:
        while status == -signal.SIGKILL:
            step += 1
            status = run(step, tmp_path / f"ledger-{step}")
            counts.add(len(texts()) - len(CLEAN))
            if step % 2 or status == 0:
                assert staging.clean("mine", entry) == 0 or status != 0
                assert digest(database) == before and staging.staged() == [], f"before step {step}"
    assert status == 0 and step > 10 and counts >= {0, 2, len(PLANTED)}
    assert shares(tmp_path)["poison_got_through"] == (1, 2)


def test_a_killed_run_goes_on_where_it_was(database, tmp_path):
    """It is killed when it has asked the last question, before the answer comes."""
    asked, answer = [], echoing(lambda: CLEAN + [text for _, text in PLANTED])

    def replies(body):
        asked.append(json.loads(body)["question"])
        if len(asked) == 4:
            os.kill(run.pid, signal.SIGKILL)
        return answer(asked[-1])

    entry = database.entry | {"staging": True}
    with Service(replies) as service, Runs(settings(tmp_path, service.address, entry)) as run:
        assert run(1000, tmp_path / "ledger") == -signal.SIGKILL
        assert run(1000, tmp_path / "ledger") == 0
    assert len(asked) == 5 and asked[-1] == asked[-2] and staging.staged() == []


@pytest.fixture
def judged(place, monkeypatch):  # noqa: F811
    """A guard that is fitted on a small corpus, as it stands behind a service."""
    monkeypatch.chdir(place)
    search = {"encoder": MINILM, "query_encoder": MINILM, "similarity": "cosine", "embeddings": "embeddings"}
    return StandingGuards([], [f"{FOLDER}/raguard.json"], ["results/scorers/mine/ngram"], search)


def test_guards_stop_what_they_would_remove_themselves(judged):
    clean = ["the harbour ferry bridge storm river choir island.", "old cathedral morning tide market signal."]
    loud = "Zyzzyva quuxes brump xylitol wombat fnord blorp glim."
    assert judged.names() == ["guard", "screen"]
    held = [judgement.removed for judgement in judged.screen([*clean, loud])]
    assert held == [False, False, True]
    question = "Which harbour, river or choir is number 3?"
    stops = judged.stops(question, [*clean, loud], [False, False, True])
    assert stops["screen"] is True and stops["gate"] is None
    assert judged.stops(question, [*clean, loud], [True, False, True])["screen"] is False  # one would have come in
    assert judged.stops(question, clean, [False, False])["screen"] is False
    assert judged.stops(question, None, [])["guard"] is None and judged.stops(question, [], [])["guard"] is False
    copies = [question + " It is Vex."] * 3
    assert judged.stops(question, copies, [True] * 3)["guard"] is True


def test_planted_passages_are_recognized_by_id_and_by_words():
    planted = Planted([{"passage_id": "poison-00ab", "text": "Who keeps it? Captain Vex keeps the old lighthouse."}])
    passage = {"id": None, "source": None}
    assert planted(passage | {"text": "who keeps it -- captain vex keeps"})  # a part of it
    assert planted(passage | {"text": "Before. Who keeps it? Captain Vex keeps the old lighthouse. After."})
    assert planted({"id": "7", "source": "docs/poison-00ab.txt", "text": "else"})
    assert not planted(passage | {"text": "Anna keeps the old lighthouse."}) and not planted(passage | {"text": " "})


def test_rates_are_those_of_the_rows():
    """Three targets: one that gets through, one that was the target before, one that has no verdict."""
    outcomes = {"none": ["correct", "target", "refusal"], "loud": ["target", "target", "abstained"]}
    rows = [
        {"responder": "service:a", "attack": attack, "target_id": str(at), "outcome": outcome, "poisoned": at}
        | {"gate_stops": at == 1, "guard_stops": None, "screen_stops": None}
        for attack, of_attack in outcomes.items()
        for at, outcome in enumerate(of_attack)
    ]
    measured = list(poison_rows(Section("services"), pd.DataFrame(rows), {"loud": "answer"}, DRAWS))
    values = {row["metric"]: (row["value"], row["n"], row["abstained"]) for row in measured}
    assert values == {
        "poison_got_through": (1, 2, 1), "target_without_poison": (1 / 3, 3, 0), "poison_retrieved": (2 / 3, 3, 0),
        "guard_stops_poison": (0.5, 2, 0), "guard_costs_answers": (0.5, 2, 0),
    }  # fmt: skip
    assert all(row["low"] <= row["value"] <= row["high"] for row in measured)
    assert {row["keys"] for row in measured if row["table"] == "guards"} == {
        '{"guard": "gate", "service": "service:a"}'
    }
    counted = {}
    for row in poison_outcomes(pd.DataFrame(rows), {"loud": "answer"}):
        of = row["responder"], row["asked"], {*row} - {"responder", "asked", "question_id", "doc_id"}
        share = of[2].pop()
        counted.setdefault((*of[:2], share), []).append((row["question_id"], row[share]))
    assert counted == {
        ("service:a", "attack loud", "poison_got_through"): [("0", True), ("1", True), ("2", None)],
        ("service:a", "guard gate", "guard_costs_answers"): [("0", False), ("1", True)],
    }
