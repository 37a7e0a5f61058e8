"""Questions held against a gate, and what is measured of them."""

import json

import numpy as np
import pytest

from described import shown
from ragassay.base import tables
from ragassay.schemas.corpora import QUERY_LOG
from ragassay.schemas.people import HUMAN_LABELS
from ragassay.schemas.relevance import COVERED_QUESTIONS, GATED_QUERIES
from ragassay.schemas.report import EXAMPLES, METRICS
from ragassay.schemas.scope_answers import DEFUSION_LABELS, RESPONSES
from ragassay.schemas.scope_questions import QUESTIONS, SCOPE_LABELS
from ragassay.services.gate import Measured
from rows import row, written
from scripts.coverage import cover_questions as module
from scripts.coverage.measure_coverage import measure_coverage


class LengthGate:
    """A gate that looks at the length of a text."""

    @classmethod
    def load(cls, folder):
        return cls()

    def measure(self, texts):
        values = np.array([len(text) for text in texts], float)
        return Measured(values, 1 / values, values > 4, [[text] for text in texts], [[1.0]] * len(texts))


def test_each_question_has_its_decision(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "Gate", LengthGate)
    asked = {"q1": "Who?", "q2": "Where is it?", "q3": "Who?"}
    rows = [row(QUESTIONS, question_id=name, doc_id=name, text=text) for name, text in asked.items()]
    tables.write(QUESTIONS, tmp_path / "questions.parquet", rows)
    module.cover_questions("gate", tmp_path / "questions.parquet", tmp_path / "gated.parquet")
    decided = {
        row["question_id"]: row for row in tables.read(COVERED_QUESTIONS, tmp_path / "gated.parquet").to_pylist()
    }
    assert {name: decided[name]["passage_id"] for name in asked} == asked
    assert {name: decided[name]["rejected"] for name in asked} == {"q1": False, "q2": True, "q3": False}
    assert all(decided[name]["value"] == len(text) for name, text in asked.items())


ENTRY = {"corpus": "c", "retriever": "r", "generator": "asked", "judge": "j", "query_log": "log"}
ROWS = [  # id, text, intended, the gate rejects, label, what the bot says, the judge's label of that
    ("q1", "When does the ferry sail?", "in_scope", False, "in_scope", "At nine.", None),
    ("q2", "When does the ferry return?", "unlabelled", False, "in_scope", "I don't know.", None),
    ("q3", "Who is the captain?", "unlabelled", False, "out_of_scope", "Ada.", "not_defused"),
    ("q4", "How do volcanoes erupt?", "out_of_scope", True, "out_of_scope", "Nobody asked them.", "defused"),
    ("q5", "Why do volcanoes smoke?", "unlabelled", True, "out_of_scope", None, None),
    ("q6", "Do volcanoes sleep?", "in_scope", True, "out_of_scope", "Yes.", None),
]
BOT = {"responder": "bot", "prompt_name": "recorded"}
LOG = ["Which volcanoes erupt often?", "How do onions smell?", "When does the ferry sail?", "How do onions grow?"]


@pytest.fixture
def measure(tmp_path):
    """A function that gives metrics by table and method or wish, and examples."""

    def write(table, rows, **keys):
        return [str(written(tmp_path, table, rows, **keys))]

    def run(people=(), topics=8, log=True):
        answers = [(*one[:1], *one[5:]) for one in ROWS if one[5]]
        asked = [row(QUESTIONS, question_id=one[0], doc_id=one[0], text=one[1], intended=one[2]) for one in ROWS]
        gated = [row(COVERED_QUESTIONS, question_id=one[0], rejected=one[3]) for one in ROWS]
        labels = [row(SCOPE_LABELS, question_id=one[0], label=one[4]) for one in ROWS]
        given = [row(RESPONSES, question_id=name, text=text, **BOT, finish_reason="stop") for name, text, _ in answers]
        judged = [row(DEFUSION_LABELS, question_id=name, label=label, **BOT) for name, _, label in answers if label]
        entries = [row(QUERY_LOG, entry=at, text=text) for at, text in enumerate(LOG)]
        decided = [row(GATED_QUERIES, entry=at, rejected="ferry" not in text) for at, text in enumerate(LOG)]
        of_set, of_bot = {"generator": "asked", "shard": "asked"}, {"responder": "bot", "prompt": "recorded"}
        of_gate = {"corpus": "c", "retriever": "r"}
        files = {
            "questions": write(QUESTIONS, asked, **of_set),
            "covered_questions": write(COVERED_QUESTIONS, gated, **of_gate, generator="asked"),
            "scope_labels": write(SCOPE_LABELS, labels, **of_set, judge="j"),
            "responses": write(RESPONSES, given, **of_set, **of_bot),
            "defusion_labels": write(DEFUSION_LABELS, judged, **of_set, **of_bot, judge="j"),
            "gold": [],
            "human_labels": write(HUMAN_LABELS, list(people), generator="asked"),
            "query_logs": write(QUERY_LOG, entries, query_log="log"),
            "gated_queries": write(GATED_QUERIES, decided, **of_gate, query_log="log"),
        }
        outputs = {"metrics": tmp_path / "metrics.parquet", "examples": tmp_path / "examples.parquet"}
        entry = ENTRY if log else ENTRY | {"query_log": None}
        measure_coverage(**files, **outputs, entries={"mine": entry}, alpha=0.1, topics=topics, seed=0)
        rows = tables.read(METRICS, outputs["metrics"]).to_pylist()
        by_table = {}
        for metric in rows:
            keys = json.loads(metric["keys"])
            label = keys.get("should") or (keys.get("method", "").split(" ")[0], keys.get("label"))
            if metric["metric"] != "alpha":
                by_table[metric["table"], *([label] if label != ("", None) else [])] = metric
        return by_table, tables.read(EXAMPLES, outputs["examples"]).to_pylist(), outputs["metrics"]

    return run


def share(metric):
    return round(metric["value"] * metric["n"]) if metric["n"] else 0, metric["n"], metric["abstained"]


def test_shares_are_those_that_one_counts_by_hand(measure):
    metrics, _, _ = measure()
    assert share(metrics["outside",]) == (3, 6, 0)
    assert share(metrics["answerable",]) == (2, 5, 1), "of q6, label and judge disagree"
    assert share(metrics["bot", "yes"]) == (1, 2, 0) and share(metrics["bot", "no"]) == (1, 2, 0)
    assert share(metrics["labels", ("gate", "in_scope")]) == (1, 2, 0)
    assert share(metrics["labels", ("gate", "out_of_scope")]) == (1, 1, 0)
    assert share(metrics["labels", ("judge", "in_scope")]) == (1, 2, 0)


def test_people_have_the_last_word(measure):
    votes = [
        row(HUMAN_LABELS, question_id=name, task="scope", annotator="ann", label="in_scope") for name in ("q3", "q6")
    ]
    metrics, _, _ = measure(votes)
    assert share(metrics["answerable",]) == (4, 6, 0) and share(metrics["bot", "no"]) == (0, 1, 0)


def test_topics_outside_come_with_examples_the_largest_first(measure):
    _, examples, _ = measure()
    titles = list(dict.fromkeys(example["title"] for example in examples))
    sizes = [int(title.split(" of ")[0]) for title in titles]
    assert sizes == sorted(sizes, reverse=True) and sum(sizes) == 6
    assert all(" of 6 questions outside of c: " in title for title in titles) and "volcanoes" in titles[0]
    texts = {example["text"]: example["part"] for example in examples}
    assert texts["How do onions grow?"] == "Query of the log" and texts["Do volcanoes sleep?"] == "Question"
    assert "When does the ferry sail?" not in texts


def test_without_a_log_or_with_no_topic_there_is_less_to_show(measure):
    assert {example["part"] for example in measure(log=False)[1]} == {"Question"}
    assert measure(topics=0)[1] == []


def test_the_section_shows_these_rows(measure):
    _, _, path = measure()
    assert shown("coverage", path)
