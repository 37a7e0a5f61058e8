"""measure_responses: what stands in many files comes together, and the section shows all of it."""

import datetime
from itertools import product
from pathlib import Path

import pytest

from described import shown
from ragassay.base import tables
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.hardness import HARDNESS_SCORES
from ragassay.schemas.people import GOLD
from ragassay.schemas.report import METRICS
from ragassay.schemas.scope_answers import CLOSED_BOOK_ANSWERS, DEFUSION_LABELS, DEFUSION_VOTES, RESPONSES
from ragassay.schemas.scope_questions import SCOPE_LABELS, SELECTED_QUESTIONS
from rows import place, row, values_of
from scripts.hardness.measure_responses import measure_responses

OUT, IN = "out_of_scope", "in_scope"
ASKED = {f"q{number}": ("ab"[number // 4], OUT if number % 4 < 3 else IN) for number in range(8)}
DEFUSED = {"basic": {"q0"}, "cot": {"q0", "q1", "q4", "q5"}}  # by r; s never does, and one of its votes is a tie


def label(prompt, responder, name):
    if responder == "s":
        return "tie" if (prompt, name) == ("cot", "q6") else "not_defused"
    return "defused" if name in DEFUSED[prompt] else "not_defused"


class Files:
    """The tables of a study of one generator, two responders, two prompts and one judge."""

    def __init__(self, folder):
        self.folder, self.paths = folder, {}

    def add(self, argument, table, path, rows):
        tables.write(table, self.folder / path, [row(table, **own) for own in rows])
        self.paths.setdefault(argument, []).append(str(self.folder / path))

    def write(self):
        topics = {"a": "food", "b": "sport"}
        about = [{"doc_id": name, "topic": topic} for name, topic in topics.items()]
        self.add("documents", DOCUMENTS, "documents/s.parquet", about)
        asked = [{"question_id": name, "doc_id": doc, "intended": meant} for name, (doc, meant) in ASKED.items()]
        own = {"status": "kept", "generator": "g", "text": "Why is it?"}
        rows = [one | own | {"slot": number} for number, one in enumerate(asked)]
        self.add("selected_questions", SELECTED_QUESTIONS, "selected_questions/g/j/s.parquet", rows)
        for prompt in ("basic", "cot"):
            for responder in ("r", "s"):
                self.respond(asked, prompt, responder)
        for way, most in (("", 3), ("_plain", 1)):
            rows = [
                {"question_id": name, "doc_id": doc, "vote": vote, "verdict": name in DEFUSED["cot"]}
                | {"responder": "r", "prompt_name": "cot"}
                for name, (doc, meant) in ASKED.items()
                for vote in range(1, most + 1)
                if meant == OUT
            ]
            self.add("defusion_votes", DEFUSION_VOTES, f"defusion_votes{way}/g/r/cot/j/s.parquet", rows)
        for model in ("j", "r", "s"):
            rows = [{"question_id": one["question_id"], "label": one["intended"]} for one in asked]
            self.add("scope_labels", SCOPE_LABELS, f"scope_labels/g/{model}/s.parquet", rows)
        rows = [{"question_id": "q0", "score": 0.9, "hard": True}, {"question_id": "q1", "score": 0.2}]
        rows = [one | {"shard": "s"} for one in rows]
        self.add("hardness_scores", HARDNESS_SCORES, "hardness_scores/g/j.parquet", rows)

    def respond(self, asked, prompt, responder):
        same = {"responder": responder, "prompt_name": prompt}
        texts = {True: "It says so.", False: "The document does not say." if prompt == "cot" else "Yes."}
        said = [
            {"question_id": one["question_id"], "text": texts[one["intended"] == OUT], "finish_reason": "stop", **same}
            for one in asked
        ]
        said[0] |= {"text": " \n"}
        said[1] |= {"truncated": True}
        where = f"g/{responder}/{prompt}"
        self.add("responses", RESPONSES, f"responses/{where}/s.parquet", said)
        judged = [
            {"question_id": name, "doc_id": doc, "label": label(prompt, responder, name), "judge": "j", **same}
            for name, (doc, meant) in ASKED.items()
            if meant == OUT
        ]
        self.add("defusion_labels", DEFUSION_LABELS, f"defusion_labels/{where}/j/s.parquet", judged)
        if prompt == "basic":
            rows = [{"question_id": one["question_id"], "text": "I do not know."} for one in asked]
            self.add("closed_book_answers", CLOSED_BOOK_ANSWERS, f"closed_book_answers/g/{responder}/s.parquet", rows)


@pytest.fixture
def study(tmp_path):
    files = Files(tmp_path)
    files.write()
    return files


def measured(study, gold=(), **settings):
    path = study.folder / "responses.parquet"
    given = {"generator": "g", "judge": "j", "by_rules": False, "prompt": "basic", "cutoffs": {}, "least_share": 0.5}
    draws = {"resamples": 50, "flips": 99, "seed": 0}
    measure_responses(**study.paths, gold=list(gold), metrics=path, **given | draws | settings)
    return path


def test_cells_come_from_files_and_count_what_was_said(study):
    cells = values_of(measured(study), "cells")
    assert cells.keys() == {f"g j {prompt} {responder}" for prompt in ("basic", "cot") for responder in "rs"}
    own = cells["g j cot r"]
    assert [own[name] for name in ("asked", "answered", "truncated", "parsed")] == [6, 5, 1, 6]
    assert own["accuracy"] == pytest.approx(4 / 6) and own["hard"] == 1 and own["after_cutoff"] is None
    tie = cells["g j cot s"]
    assert (tie["parsed"], tie["accuracy"], tie["at_most"]) == (5, 0, pytest.approx(1 / 6))


def test_what_declining_costs_stands_beside_it(study):
    cells = values_of(measured(study), "cells")
    assert [cells[f"g j {prompt} r"]["refused"] for prompt in ("basic", "cot")] == [0, 1]
    assert [cells[f"g j {prompt} r"]["refused_kept"] for prompt in ("basic", "cot")] == [0, 1]


@pytest.mark.parametrize("by_rules", [True, False])
def test_what_the_numbers_rest_on(study, by_rules):
    expected = {"rules": float(by_rules), "responds": 0, "labelled": 0}
    assert values_of(measured(study, by_rules=by_rules), "basis") == {"j": expected}


def test_table_2_has_topics_and_their_mean(study):
    rows = values_of(measured(study), "table_2")
    assert rows["g j cot r food"]["accuracy"] == rows["g j cot r sport"]["accuracy"] == pytest.approx(2 / 3)
    expected = {"average": 1 / 6, "lowest": 0, "highest": 1 / 3, "deviation": 1 / 6}
    assert rows["g j basic r"] == pytest.approx(expected)


def test_people_put_judges_right_and_are_the_reference(study):
    truth = {"q0": "defused", "q1": "defused", "q2": "not_defused", "q4": "not_defused", "q6": "not_defused"}
    same = {"task": "defusion", "responder": "r", "prompt_name": "cot"}
    people = [same | {"item_id": name, "question_id": name, "label": label} for name, label in truth.items()]
    people.append({"item_id": "x", "task": "scope", "question_id": "q0", "label": IN})
    tables.write(GOLD, place(study.folder, GOLD), [row(GOLD, **own) for own in people])
    path = measured(study, [place(study.folder, GOLD)])
    assert values_of(path, "judges")["j"] == {"sensitivity": 1, "specificity": pytest.approx(2 / 3)}
    assert values_of(path, "cells")["g j cot r"]["corrected"] == pytest.approx((4 / 6 - 1 / 3) / (2 / 3))
    assert values_of(path, "table_3")["as configured 3"]["accuracy"] == 0.8
    expected = {"meant": 1, "kept": 1, "hard": 1, "found": 1, "false_alarms": 0, "gold": 0}
    assert values_of(path, "figure_1")["r"] == expected


def test_documents_from_after_the_cutoff_count_apart(study):
    days = {"a": datetime.datetime(2024, 3, 1), "b": datetime.datetime(2024, 6, 1)}
    rows = [row(DOCUMENTS, doc_id=name, topic="food", published_at=day) for name, day in days.items()]
    tables.write(DOCUMENTS, study.folder / "documents/s.parquet", rows)
    path = measured(study, cutoffs={"r": "2024-05-22"})
    assert values_of(path, "cells")["g j basic r"]["after_cutoff"] == 0
    assert values_of(path, "cells")["g j cot r"]["after_cutoff"] == pytest.approx(2 / 3)
    rows = values_of(path, "closed_book")
    assert rows["g after the cut-off out of scope r"]["answered"] == 0 and "g not known out of scope s" in rows


def test_the_section_shows_all_that_is_measured(study):
    path = measured(study)
    sections = {name: shown(name, path) for name in ("responses", "responses_judge", "responses_numbers")}
    assert [missing for _, missing in sections.values()] == [[], [], []]
    parts = [part for section, _ in sections.values() for part in [*section.parts, *section.details]]
    assert all(part.rows for part in parts)
    assert {part.name for part in parts} == {row["table"] for row in tables.read(METRICS, path).to_pylist()}
    table = next(part for part in parts if part.name == "table_2" and part.kind == "table")
    assert list(table.columns.values())[-2:] == ["food", "sport"] and len(table.rows) == 4
    assert table.rows[0]["topic food"]["value"] == pytest.approx(1 / 3) and table.rows[0]["average"]["n"] == 6


@pytest.mark.parametrize("status", [None, "disputed"])
def test_no_question_and_none_that_was_kept_are_measured_too(study, status):
    rows = tables.read(SELECTED_QUESTIONS, study.paths["selected_questions"][0]).to_pylist()
    rows = [one | {"status": status} for one in rows if status]
    tables.write(SELECTED_QUESTIONS, study.paths["selected_questions"][0], rows)
    path = measured(study)
    assert {own["accuracy"] for own in values_of(path, "cells").values()} <= {None} and values_of(path, "table_3")
    for name in ("responses", "responses_judge", "responses_numbers"):
        section, _ = shown(name, path)
        assert section.name == name


SHARDED = {"documents": DOCUMENTS, "selected_questions": SELECTED_QUESTIONS, "responses": RESPONSES}
SHARDED |= {"defusion_labels": DEFUSION_LABELS, "defusion_votes": DEFUSION_VOTES, "scope_labels": SCOPE_LABELS}
SHARDED |= {"closed_book_answers": CLOSED_BOOK_ANSWERS}


@pytest.mark.parametrize("shards", ["ab", "ba"])
def test_a_shard_for_each_document_gives_the_bytes_of_one_for_all_in_any_order(study, shards):
    whole = Path(measured(study)).read_bytes()
    for argument, table in SHARDED.items():
        paths, study.paths[argument] = study.paths[argument], []
        for path, shard in product(map(Path, paths), (*shards, "nothing")):
            rows = tables.read(table, path).to_pylist()
            of_shard = [row for row in rows if shard == (ASKED.get(row.get("question_id")) or [row["doc_id"]])[0]]
            study.add(argument, table, path.relative_to(study.folder).with_stem(shard), of_shard)
    [scores] = study.paths["hardness_scores"]
    rows = [row | {"shard": ASKED[row["question_id"]][0]} for row in tables.read(HARDNESS_SCORES, scores).to_pylist()]
    tables.write(HARDNESS_SCORES, scores, rows)
    assert Path(measured(study)).read_bytes() == whole
