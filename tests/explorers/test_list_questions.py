"""list_questions: everything about a question is on the page and in the file, so packed that no text is markup."""

import pytest

from explorers import WRITTEN, build, content, facet, listed, outcomes, rows_of
from ragassay.base import tables
from ragassay.base.card import digest
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.people import GOLD, HUMAN_LABELS
from ragassay.schemas.relevance import COVERED_QUESTIONS, GATED_QUESTIONS
from ragassay.schemas.scope_answers import DEFUSION_LABELS, PREDICTIONS, RESPONSES
from ragassay.schemas.scope_questions import QUESTIONS
from ragassay.studies.scope.strata import stratum_names
from rows import row as filled
from rows import written
from tools.synthetic_study import CLAIMS, LIMITS, OF_A_KIND, ROUNDS, VOTES
from tools.synthetic_study import QUESTIONS as EACH

EVIL = "</script><script>alert(1)</script>"


def test_documents_come_with_claims_rounds_questions_and_votes(tmp_path):
    index, documents = content(build(tmp_path, 30))
    assert len(documents) == len(index["titles"]) == 30
    assert len(index["text"]) == 30 * EACH
    for at, document in enumerate(documents):
        assert len(document["claims"]) == CLAIMS and len(document["rows"]) == EACH
        for number, claim in enumerate(document["claims"]):
            assert [guess["novel"] for guess in claim["rounds"]] == [False] * (ROUNDS - 1) + [number < OF_A_KIND]
        numbers = [number for number, dossier in enumerate(index["dossier"]) if dossier == at]
        assert [index["id"][number] for number in numbers] == [row["id"] for row in document["rows"]]
        for number, row in zip(numbers, document["rows"], strict=True):
            [judge] = row["votes"]
            out, within = judge["votes"].count("out_of_scope"), judge["votes"].count("in_scope")
            assert len(judge["votes"]) == VOTES and index["margin"][number] == (out - within) / VOTES
            assert facet(index, "label")[number] == row["label"] and facet(index, "topic")[number]
            assert (row["slot"] is None) == (row["intended"] == "in_scope")
            assert document["rows"][index["place"][number]] is row


def test_the_page_says_which_tables_and_models_it_was_made_from(tmp_path):
    page = build(tmp_path, 2).read_text()
    written = [path for path in tmp_path.rglob("*.parquet") if path.relative_to(tmp_path).parts[0] in WRITTEN]
    assert {path.relative_to(tmp_path).parts[0] for path in written} == WRITTEN.keys()
    assert not [path for path in written if f"<dd>{path} <code>{digest(path)}</code></dd>" not in page]
    assert page.count("<code>") == len(written) + 2, "beside two commands"
    assert "<dd>r1: a/r1</dd>" in page and "r9: a/r9" not in page
    assert 'data-page="explorer.html"' in page


def test_the_file_has_a_row_for_every_question_with_all_that_is_on_the_page(tmp_path):
    page = build(tmp_path, 30)
    index, documents = content(page)
    rows = {row["question_id"]: row for row in rows_of(page)}
    assert len(rows) == 30 * EACH
    for document in documents:
        for question in document["rows"]:
            row = rows[question["id"]]
            assert row["question"] == question["text"] and row["title"] == document["title"]
            assert row["file"] == document["url"] and document["text"].startswith(row["excerpt"].removesuffix(" …"))
            votes = [int(row[f"votes {side}"]) for side in ("out of scope", "in scope")]
            assert votes == [question["votes"][0]["votes"].count(side) for side in ("out_of_scope", "in_scope")]
            for column, cell in zip(index["columns"], question["cells"], strict=True):
                if column["kind"] == "responder":
                    names = ("response", "outcome", "why")
                    wanted = [cell["text"], cell["outcome"], cell["why"]]
                elif column["kind"] == "gate":
                    names = ("decides", "p-value", "nearest passage")
                    wanted = [cell["outcome"], cell["p_value"], cell["passage"]]
                    wanted = ["" if value is None else str(value) for value in wanted]
                else:
                    names = ("predicts", "probability", "outcome")
                    wanted = [cell["predicts"], str(cell["probability"]), cell["outcome"]]
                assert [row[f"{column['name']}: {name}"] for name in names] == wanted


def test_responses_and_predictions_are_right_where_they_fit_what_should_be_answered(tmp_path):
    page = build(tmp_path, 30)
    rows, index = rows_of(page), content(page)[0]
    assert [column["name"] for column in index["columns"]] == [
        "r2, basic",
        "r1, basic",
        "d1 (e)",
        "overlap control (e)",
        "relevance gate",
    ]
    counts = dict.fromkeys(["yes", "no", "unclear"], 0)
    for row in rows:
        should = row["should be answered"]
        counts[should] += 1
        agreed = row["written as"] == row["judged as"]
        assert should == ({"in_scope": "yes", "out_of_scope": "no"}[row["judged as"]] if agreed else "unclear")
        allowed = {
            "yes": {"answered_in_scope"},
            "no": {"declined_out_of_scope", "answered_out_of_scope"},
            "unclear": {"no_verdict"},
        }
        undecided = should == "no" and "no majority" in row["r1, basic: why"]
        assert row["r1, basic: outcome"] in ({"no_verdict"} if undecided else allowed[should])
        predicted = {"no": "out_of_scope", "yes": "in_scope"}.get(should)
        right = row["d1 (e): predicts"] == predicted
        wrong = {"no": "missed", "yes": "false_alarm", "unclear": "not_comparable"}[should]
        assert row["d1 (e): outcome"] == ("right" if right else wrong)
    assert min(counts.values()) > 10
    assert sorted(filter(None, outcomes(index, "r1, basic"))) == sorted(row["r1, basic: outcome"] for row in rows)


OTHERS = "claims recovered_claims novel_claims scope_labels scope_votes hardness hardness_scores".split()
OTHERS += "hardness_strata responses defusion_labels gold human_labels predictions covered_questions".split()
OTHERS.append("gated_questions")


def study(folder, intended, text="Lanterns.", label=None, reason="stop", **more):
    """One question that r answered with this text."""
    question = filled(QUESTIONS, question_id="q", doc_id="d", intended=intended, text="Why?")
    answer = {"question_id": "q", "responder": "r", "prompt_name": "basic"}
    rows = {
        "documents": (DOCUMENTS, filled(DOCUMENTS, doc_id="d", text="T")),
        "questions": (QUESTIONS, question),
        "responses": (RESPONSES, filled(RESPONSES, text=text, finish_reason=reason, **answer)),
    }
    if label:
        votes = {"defused": {"defused_votes": 2, "not_defused_votes": 1}}.get(label, {"not_defused_votes": 3})
        rows["defusion_labels"] = (DEFUSION_LABELS, filled(DEFUSION_LABELS, label=label, **votes, **answer))
    paths = dict.fromkeys(OTHERS, ())
    for name, (table, row) in rows.items():
        paths[name] = [written(folder, table, [row], responder="r", prompt="basic")]
    return listed(folder, {**paths, **more})


@pytest.mark.parametrize(
    ("intended", "text", "label", "outcome", "why"),
    [
        ("out_of_scope", "Lanterns.", "defused", "declined_out_of_scope", "2 of 3 votes: it declines or corrects"),
        ("out_of_scope", "Lanterns.", "not_defused", "answered_out_of_scope", "3 of 3 votes: it answers"),
        ("out_of_scope", "Lanterns.", "tie", "no_verdict", "no majority of the judge's votes: 0 to 3 votes"),
        ("out_of_scope", "The document does not say.", None, "declined_out_of_scope", "its words say"),
        ("out_of_scope", "Lanterns.", None, "no_verdict", "no judge was asked"),
        ("in_scope", "The document does not say.", None, "refused_in_scope", "its words say"),
        ("in_scope", " ", None, "no_verdict", "there is no answer to read (empty)"),
        ("in_scope", "<think>I don't know.</think> Lanterns.", None, "answered_in_scope", "nobody judged whether"),
        ("in_scope", "Lanterns.", None, "answered_in_scope", "nobody judged whether"),
        ("unlabelled", "Lanterns.", "defused", "no_verdict", "unclear whether the question should be answered"),
    ],
)
def test_a_response_is_right_or_wrong_for_a_reason(tmp_path, intended, text, label, outcome, why):
    [row] = rows_of(study(tmp_path, intended, text, label))
    assert row["r, basic: outcome"] == outcome and why in row["r, basic: why"]


def test_what_a_provider_refuses_is_refused(tmp_path):
    [row] = rows_of(study(tmp_path, "in_scope", reason="content_filter"))
    assert (row["r, basic: outcome"], row["r, basic: why"]) == ("refused_in_scope", "its provider refused")


def test_people_have_the_last_word_on_questions_and_responses(tmp_path):
    def told(task, label, responder):
        row = filled(HUMAN_LABELS, question_id="q", doc_id="d", task=task, label=label, responder=responder)
        return row | {"annotator": "a"}

    rows = [told("scope", "out_of_scope", ""), told("defusion", "not_defused", "r")]
    votes = written(tmp_path, HUMAN_LABELS, rows)
    [row] = rows_of(study(tmp_path, "in_scope", label="defused", human_labels=[votes]))
    assert (row["people"], row["should be answered"]) == ("out_of_scope", "no")
    assert (row["r, basic: outcome"], row["r, basic: why"]) == ("answered_out_of_scope", "people say that it answers")
    settled = filled(GOLD, item_id="i", task="scope", question_id="q", label="in_scope")
    gold = written(tmp_path, GOLD, [settled])
    [row] = rows_of(study(tmp_path, "out_of_scope", label="defused", gold=[gold]))
    assert (row["should be answered"], row["r, basic: outcome"]) == ("yes", "answered_in_scope")


@pytest.mark.parametrize(
    ("rejected", "decides", "sentence"),
    [
        (True, "out_of_knowledge", "rejects 1 of the 1 questions that should be answered."),
        (False, "in_knowledge", "rejects 0 of the 1 questions that should be answered."),
        (None, "undecided", "The relevance gate decides nothing."),
    ],
)
def test_a_gate_says_of_a_question_whether_its_documents_know_the_subject(tmp_path, rejected, decides, sentence):
    p = None if rejected is None else 0.125
    answer = {"question_id": "q", "p_value": p, "rejected": rejected, "nearest_doc_id": "d"}
    gated = written(tmp_path, GATED_QUESTIONS, [filled(GATED_QUESTIONS, **answer)])
    page = study(tmp_path, "in_scope", gated_questions=[gated])
    [row], [document] = rows_of(page), content(page)[1]
    assert row["relevance gate: decides"] == decides and row["relevance gate: nearest passage"] == "d"
    assert row["relevance gate: p-value"] == ("" if p is None else "0.125")
    assert document["rows"][0]["cells"][-1]["is_own"] and sentence in page.read_text()
    assert "No relevance gate" not in page.read_text()


def test_a_gate_of_a_corpus_says_so_beside_that_of_the_documents(tmp_path):
    decision = filled(COVERED_QUESTIONS, question_id="q", p_value=0.01, rejected=True, passage_id="p7")
    asked = written(tmp_path, COVERED_QUESTIONS, [decision], corpus="c", retriever="r", generator="g")
    [row] = rows_of(study(tmp_path, "in_scope", covered_questions=[asked]))
    assert (row["gate of c: decides"], row["gate of c: p-value"]) == ("out_of_knowledge", "0.01")
    assert row["gate of c: nearest passage"] == "p7"


def test_detectors_that_other_questions_trained_say_so_and_stand_side_by_side(tmp_path):
    files = []
    for generator, is_out in (("s", True), ("g1", True), ("g2", False)):
        answer = {"question_id": "q", "head": "mlp", "out_of_scope": is_out, "probability": 0.25}
        keys = {"detector": "d1", "encoder": "e", "generator": generator}
        files.append(written(tmp_path, PREDICTIONS, [filled(PREDICTIONS, **answer)], **keys))
    [row] = rows_of(study(tmp_path, "in_scope", predictions=files))
    assert {name: row[name] for name in row if name.endswith(": predicts")} == {
        "d1 (e): predicts": "out_of_scope",
        "d1 (e), trained on g1: predicts": "out_of_scope",
        "d1 (e), trained on g2: predicts": "in_scope",
    }


def test_what_is_missing_is_named_with_what_to_do_about_it(tmp_path):
    page = study(tmp_path / "few", "unlabelled").read_text()
    about = ("judge says whether these", "judge says whether resp", "detector was", "relevance gate")
    assert "Nobody has labelled" in page and all(f"No {what}" in page for what in about)
    assert page.count("Do this.") == 5 and "No responder" not in page
    page = build(tmp_path / "many", 2, gold=[], responders=())
    assert "No responder answered these questions. Do this." in page.read_text() and len(rows_of(page)) == 2 * EACH
    assert "What is missing" in page.read_text()


def test_what_does_not_fit_on_the_page_is_in_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr("scripts.explorers.list_questions.MOST_ROWS", 100)
    page = build(tmp_path, 30)
    shown = len(content(page)[0]["text"])
    assert 0 < shown < 200 and shown % EACH == 0 and len(rows_of(page)) == 30 * EACH
    room = f"This page has room for {shown} of {30 * EACH} questions, drawn at random. The CSV file has all."
    assert room in page.read_text()


def test_long_answers_are_cut_on_the_page_if_there_are_too_many_but_not_in_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr("scripts.explorers.list_questions.MOST_CHARACTERS", 120 * 2 * 30 * EACH)
    page = build(tmp_path, 30)
    texts = [row["cells"][0]["text"] for document in content(page)[1] for row in document["rows"]]
    whole = [row["r2, basic: response"] for row in rows_of(page)]
    assert max(map(len, texts)) <= 120 < max(map(len, whole)) and len(texts) == 30 * EACH
    assert all(
        text == full or full.startswith(text.removesuffix(" …")) for text, full in zip(texts, whole, strict=True)
    )


def test_strata_stand_in_their_order_and_what_was_not_kept_is_not_graded(tmp_path):
    index, _ = content(build(tmp_path, 30))
    strata = next(facet for facet in index["facets"] if facet["name"] == "stratum")
    assert strata["values"] == stratum_names(LIMITS)
    graded = set(zip(facet(index, "status"), facet(index, "hardness"), strict=True))
    assert {("kept", "hard"), ("kept", "not_hard"), ("disputed", "not_graded")} <= graded
    assert {status for status, grade in graded if grade == "not_graded"} == {status for status, _ in graded} - {"kept"}


def test_no_text_reaches_the_page_as_it_is(tmp_path):
    def change(name, row):
        return row | {column: EVIL for column in ("text", "title", "topic", "generator") if column in row}

    page = build(tmp_path / "evil", 2, change, title=EVIL)
    index, documents = content(page)
    assert EVIL in index["text"] and documents[0]["text"] == documents[0]["claims"][0]["text"] == EVIL
    plain = build(tmp_path / "plain", 2).read_text()
    assert "alert" not in page.read_text().replace("&lt;script&gt;alert(1)", "")
    assert page.read_text().count("<script") == plain.count("<script")


def test_no_text_in_the_file_is_a_formula(tmp_path):
    page = build(tmp_path, 1, lambda name, row: row | ({"text": "=1+1"} if "text" in row else {}))
    assert (
        {row["question"] for row in rows_of(page)} == {row["r1, basic: response"] for row in rows_of(page)} == {"'=1+1"}
    )


def test_an_abstention_shows_its_reason_and_missing_values_are_named(tmp_path):
    def change(name, row):
        if name == "scope_votes" and row["vote"] == 2:
            row |= {"verdict": None, "abstained": "truncated"}
        if name == "documents":
            row |= {"topic": None, "title": None, "published_at": None, "url": None, "site": None}
        if name == "predictions":
            row |= {"out_of_scope": None, "probability": None, "reason": "too_long"}
        return row

    index, [document] = content(build(tmp_path, 1, change))
    assert document["rows"][0]["votes"][0]["votes"][1] == "truncated"
    assert set(facet(index, "topic")) == {"(none)"} and index["titles"] == [document["id"]]
    assert document["published"] is None and document["rows"][0]["cells"][2]["predicts"] is None
    assert set(outcomes(index, "d1 (e)")) == {"not_comparable"}


def test_shards_are_read_one_after_the_other(tmp_path, monkeypatch):
    paths = dict.fromkeys(OTHERS, ()) | {"documents": [], "questions": []}
    for shard, name in (("s", "a"), ("t", "b")):
        document = filled(DOCUMENTS, doc_id=name, text="T")
        asked = filled(QUESTIONS, question_id=f"q{name}", doc_id=name, intended="in_scope")
        paths["documents"].append(written(tmp_path, DOCUMENTS, [document], shard=shard))
        paths["questions"].append(written(tmp_path, QUESTIONS, [asked], shard=shard))
    read = []
    listing = tables.read
    monkeypatch.setattr(tables, "read", lambda table, path, *rest: read.append(path) or listing(table, path, *rest))
    page = listed(tmp_path, paths)
    assert [row["question_id"] for row in rows_of(page)] == ["qa", "qb"]
    assert read == [paths["documents"][0], paths["questions"][0], paths["documents"][1], paths["questions"][1]]


def test_a_document_without_questions_is_left_out(tmp_path):
    def change(name, row):
        return row | ({"doc_id": "doc-else"} if name == "documents" else {})

    page = build(tmp_path, 1, change)
    assert content(page)[1] == [] and rows_of(page) == []
