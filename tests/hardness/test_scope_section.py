"""Examples: chosen by a hash, one of each kind where there is one, and shown from the document to the label."""

import datetime
import json

import numpy as np
import pandas as pd
import pytest

from ragassay.base.chance import PARTS, split_of
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.scope_questions import SCOPE_LABELS, SELECTED_QUESTIONS
from ragassay.studies.scope.question_tables import (
    Agreement,
    Drift,
    Funnel,
    Histograms,
    Models,
    Rejects,
    Table6,
    stratum_rows,
)
from rows import numbers, row
from scripts.hardness.measure_scope import TITLES, chosen, first_of_documents, lineage

HARD, KEPT, DISPUTED = (TITLES[name] for name in ("hard", "kept", "disputed"))


def questions(status, count, start=0, intended="out_of_scope", doc=None):
    values = {"intended": intended, "status": status}
    names = range(start, start + count)
    return [row(SELECTED_QUESTIONS, question_id=f"q{n}", doc_id=doc or f"d{n}", **values) for n in names]


@pytest.mark.parametrize(
    ("rows", "hard", "titles"),
    [
        ([], [], []),
        (questions("kept", 9) + questions("disputed", 5, 20), ["q3"], [HARD, KEPT, DISPUTED]),
        (questions("kept", 9) + questions("disputed", 5, 20), [], [KEPT, KEPT, DISPUTED]),
        (questions("kept", 9), ["q3"], [HARD, KEPT, KEPT]),
        (questions("kept", 9), [f"q{n}" for n in range(9)], [HARD, HARD, HARD]),
        (questions("disputed", 5), [], [DISPUTED]),
        (questions("kept", 9, intended="in_scope") + questions("undecided", 9), [], []),
        (questions("kept", 9, doc="d") + questions("disputed", 1, 20), [], [KEPT, DISPUTED]),
    ],
)
def test_there_is_one_of_each_kind_from_documents_of_their_own(rows, hard, titles):
    def shown(rows):
        frame = pd.DataFrame(rows, columns=SELECTED_QUESTIONS.schema.names)
        return chosen(first_of_documents(frame, set(hard)).astype(object).fillna("").to_dict("records"))

    found = shown(rows)
    assert [title for title, _ in found] == titles
    assert len({question["doc_id"] for _, question in found}) == len(found)
    assert shown(rows[::-1]) == found


def test_the_lineage_goes_from_the_document_to_the_label():
    document = row(DOCUMENTS, title="T", site="a.example", text="The text.")
    document["published_at"] = datetime.datetime(2026, 9, 3, tzinfo=datetime.UTC)
    question = row(SELECTED_QUESTIONS, text="Why?", recovered_id="r2", judge="j", status="kept", label="out_of_scope")
    question["split"] = "train"
    guesses = [{"recovered_id": f"r{n}", "round": n, "to_original": n / 4, "text": f"Guess {n}."} for n in (1, 2)]
    label = row(SCOPE_LABELS, out_votes=7, in_votes=1, abstained=1)
    claim = {"slot": 3, "text": "Claim."}
    found = list(lineage(question, document, claim, guesses, label, {"nearness": 0.654}, {"score": 0.9}))
    assert found == [
        ("Headline", "T"),
        ("Published", "a.example, 2026-09-03"),
        ("Document", "The text."),
        ("Claim in slot 3", "Claim."),
        ("Round 1, similarity 0.25", "Guess 1."),
        ("Round 2, similarity 0.50; not supported, so asked about", "Guess 2."),
        ("Question", "Why?"),
        ("Votes of j", "7 out of scope, 1 in scope, 1 without a verdict"),
        ("Outcome", "kept, labelled out_of_scope, split train"),
        ("Nearness", "0.65 to its document's nearest claim; out of scope by shared words alone: 0.90"),
    ]


def test_what_is_not_known_is_left_out_or_said():
    given = (row(SELECTED_QUESTIONS), row(DOCUMENTS), {"slot": 1, "text": "C"}, [], row(SCOPE_LABELS))
    parts = dict(lineage(*given, None, None))
    assert parts["Headline"] == "(none)" and parts["Published"] == "no site, no date" and "Nearness" not in parts
    assert (
        dict(lineage(*given, {"nearness": 0.5}, {"score": None}))["Nearness"] == "0.50 to its document's nearest claim"
    )


KINDS = ("out_of_scope", "in_scope")


def rows_of(table, *frames, whole=()):
    """The rows of a table that got the rows of some documents first and then those of the others."""
    first = [rows.get("doc_id", rows.iloc[:, 0]).isin(["d0", "d2", "d5", "a"]) for rows in frames]
    table.add(*(rows[mask] for rows, mask in zip(frames, first, strict=True)))
    table.add(*(rows[~mask] for rows, mask in zip(frames, first, strict=True)))
    return list(table.rows(*whole))


def asked_of(documents):
    """Two out-of-scope questions and one in-scope question of each document, of which one is disputed in some."""
    rows = []
    for number, doc in enumerate(documents):
        for at, kind in enumerate((KINDS[0], KINDS[0], KINDS[1])):
            status = "disputed" if (number + at) % 4 == 0 else "undecided" if at == 2 and number % 3 == 0 else "kept"
            one = {
                "question_id": f"{doc}-{at}",
                "doc_id": doc,
                "intended": kind,
                "status": status,
                "split": split_of(doc),
            }
            rows.append(one | {"n_words": 5 + (number + 2 * at) % 4, "generator": "g", "judge": "j"})
    return pd.DataFrame(rows)


DOCUMENTS_ASKED = pd.DataFrame({"doc_id": [f"d{n}" for n in range(9)], "cluster_id": [f"d{n}" for n in range(9)]})
DOCUMENTS_ASKED = DOCUMENTS_ASKED.assign(n_words=[100 + n for n in range(9)], topic=["food", None, "sport"] * 3)
QUESTIONS = asked_of(DOCUMENTS_ASKED["doc_id"])
KEPT_ONES = QUESTIONS[QUESTIONS["status"] == "kept"]


def test_each_step_is_counted_by_topic_and_kind():
    claims = pd.DataFrame({"doc_id": ["d0", "d0", "d1"], "slot": [1, 2, 1]})
    guesses = pd.DataFrame({"doc_id": ["d0"] * 3, "slot": [1, 1, 2], "round": [1, 2, 1]})
    rows = rows_of(Funnel(), DOCUMENTS_ASKED, claims, guesses, claims[:1], QUESTIONS)
    found = numbers([one for one in rows if one["table"] == "funnel"], "topic")
    for topic, of_topic in (("food", "036"), ("(none)", "147"), ("sport", "258"), ("(all)", "012345678")):
        of = QUESTIONS[QUESTIONS["doc_id"].str[1:].isin(list(of_topic))]
        assert found[topic, "documents"][0] == len(of_topic)
        for kind in KINDS:
            written = of[of["intended"] == kind]
            assert found[topic, f"written_{kind}"][0] == len(written)
            assert found[topic, f"kept_{kind}"][0] == (written["status"] == "kept").sum()
    assert [found["food", name][0] for name in ("claims", "recovered", "novel")] == [2, 2, 1]
    steps = numbers([one for one in rows if one["table"] == "steps"], "at", "step")
    kept = (KEPT_ONES["intended"] == KINDS[0]).sum()
    counts = {"Claims": 3, "Recovered": 2, "Novel": 1, "Questions": 18, "Kept": kept}
    assert {key[:2]: value for key, (value, _) in steps.items()} == {
        (str(at), name): count for at, (name, count) in enumerate(counts.items(), 1)
    }


def test_models_have_their_counts_and_the_numbers_of_their_strata():
    ends = {f"{name}{end}": value for name, value in (("auroc", 0.7), ("question_alone", 0.6), ("share", 0.5))
            for end, value in (("", value), ("_low", value - 0.1), ("_high", value + 0.1))}  # fmt: skip
    strata = [{"stratum": name, "generator": generator, "judge": "j", "n_hard": 4 if name == "all" else 9} | ends
              for name in ("all", "below") for generator in "gh"]  # fmt: skip
    found = numbers(rows_of(Models(), QUESTIONS, whole=[pd.DataFrame(strata)]), "generator")
    status, kept = QUESTIONS["status"].value_counts(), KEPT_ONES["intended"].value_counts()
    expected = {"questions": 27, "disputed": status["disputed"], "undecided": status["undecided"], "hard": 4}
    expected |= {"kept_out_of_scope": kept[KINDS[0]], "kept_in_scope": kept[KINDS[1]]}
    assert {name: found["g", name] for name in expected} == {name: (value, 27) for name, value in expected.items()}
    assert found["g", "hard_share"] == (0.5, kept[KINDS[0]]) and found["g", "auroc"] == (0.7, kept.sum())
    assert found["g", "question_alone"] == (0.6, kept.sum()) and {found["h", name][0] for name in expected} == {0, 4}


def test_table_6_counts_and_averages_by_split():
    rows = rows_of(Table6(), DOCUMENTS_ASKED, KEPT_ONES)
    found = numbers(rows, "at", "attribute")
    names = [*dict.fromkeys(json.loads(one["keys"])["attribute"] for one in rows)]
    assert [json.loads(one["keys"])["at"] for one in rows[:6]] == list("123456")
    for split in ("all", *dict.fromkeys(PARTS)):
        inside = [split in ("all", split_of(doc)) for doc in DOCUMENTS_ASKED["doc_id"]]
        texts = DOCUMENTS_ASKED[inside]
        of_kinds = [texts, *(KEPT_ONES[KEPT_ONES["doc_id"].isin(texts["doc_id"]) & (KEPT_ONES["intended"] == kind)]
                             for kind in (KINDS[1], KINDS[0]))]  # fmt: skip
        order = ["document", "in-scope question", "out-of-scope question"]
        for kind, of_kind in zip(order, of_kinds, strict=True):
            at = next(str(place) for place, name in enumerate(names, 1) if name == f"Number of {kind}s")
            assert found[at, f"Number of {kind}s", split] == (len(of_kind), len(of_kind))
            at = next(str(place) for place, name in enumerate(names, 1) if name == f"Average words per {kind}")
            average = found[at, f"Average words per {kind}", split]
            assert average == (pytest.approx(of_kind["n_words"].mean()) if len(of_kind) else None, len(of_kind))


def test_histograms_have_every_bin_from_the_lowest_to_the_highest():
    none = pd.DataFrame({"question_id": pd.Series([], dtype=str), "nearness": pd.Series([], dtype=float)})
    rows = rows_of(Histograms(), KEPT_ONES, none)
    found = numbers([one for one in rows if one["table"] == "lengths"], "words")
    for words in range(5, 9):
        for kind in KINDS:
            count = ((KEPT_ONES["n_words"] == words) & (KEPT_ONES["intended"] == kind)).sum()
            assert found[str(words), kind] == (count, len(KEPT_ONES))
    near = pd.DataFrame({"question_id": ["d0-1", "d1-0", "d1-1"], "nearness": [0.3, 0.449, 0.15]})
    table = Histograms()
    table.add(QUESTIONS[:6], near)
    found = numbers([one for one in table.rows() if one["table"] == "nearness"], "at", "nearness")
    expected = dict.fromkeys(("0.15", "0.20", "0.25", "0.30", "0.35", "0.40"), 0) | {"0.15": 1, "0.30": 1, "0.40": 1}
    assert {key[:2]: value[0] for key, value in found.items() if key[2] == KINDS[0]} == {
        (str(at), name): count for at, (name, count) in enumerate(expected.items())
    }
    assert {value[1] for value in found.values()} == {3} and not rows_of(Histograms(), KEPT_ONES[:0], none)


def abstained_of(rows, kind):
    name = {KINDS[0]: "out of scope", KINDS[1]: "in scope"}[kind]
    return next(one["abstained"] for one in rows_of(Agreement(0, 0), rows)
                if one["metric"] == "agreement" and json.loads(one["keys"])["intended"] == name)  # fmt: skip


def test_agreement_drift_strata_and_rejects_are_means_and_counts():
    labels = np.array([KINDS[0], "tie", KINDS[1], KINDS[1], KINDS[0], "no_verdict", KINDS[1], KINDS[0], KINDS[1]] * 3)
    rows = QUESTIONS.assign(label=labels)
    found = numbers(rows_of(Agreement(0, 0), rows), "intended")
    for kind, name in zip(KINDS, ("out of scope", "in scope"), strict=True):
        of_kind = rows[rows["intended"] == kind]["label"]
        sided = of_kind[of_kind.isin(KINDS)]
        assert found[name, "agreement"] == (pytest.approx((sided == kind).mean()), len(sided))
        assert abstained_of(rows, kind) == len(of_kind) - len(sided)
        assert found[name, "tie"][0] == (of_kind == "tie").sum() and found[name, "questions"][0] == len(of_kind)
    guesses = pd.DataFrame({"doc_id": list("aabb"), "round": [1, 2, 1, 1], "to_original": [0.8, 0.2, 0.6, 0.7],
                            "to_previous": [0.1] * 4, "to_nearest": [0.9] * 4})  # fmt: skip
    found = numbers(rows_of(Drift(0, 0), guesses), "round")
    assert found["1", "to_original"] == (pytest.approx(0.7), 3)
    assert found["2", "to_original"] == (pytest.approx(0.2, abs=1e-8), 1)
    assert found["1", "guesses"][0] == 3 and found["1", "to_nearest"][0] == pytest.approx(0.9)
    apart = [list(rows_of(Drift(60, 0), guesses.assign(to_original=guesses["to_original"] * factors)))
             for factors in (1, np.array([1, -1, 1, 1]))]  # fmt: skip
    first = [[one for one in rows if json.loads(one["keys"])["round"] in (1, "1")] for rows in apart]
    assert first[0] == first[1] and len(first[0]) == 4, "a negative number in round 2"
    rejects = pd.DataFrame({"stage": list("aab"), "reason": ["x", "x", "y"]})
    assert {key: value[0] for key, value in numbers(rows_of(Rejects(), rejects), "stage", "reason").items()} == {
        ("a", "x", "rejected"): 2, ("b", "y", "rejected"): 1,
    }  # fmt: skip
    stratum = {"position": 2, "stratum": "below", "grade": "easy", "n_out_of_scope": 3, "n_in_scope": 4}
    stratum |= {f"{name}{end}": 0.5 for name in ("auroc", "question_alone", "share") for end in ("", "_low", "_high")}
    found = numbers(stratum_rows(pd.DataFrame([stratum, stratum | {"stratum": "all", "position": 3}])), "at", "verdict")
    assert found["2", "no", KINDS[0]] == (3, 7) and found["2", "no", KINDS[1]] == (4, 7)
    assert found["2", "no", "auroc"] == (0.5, 7) and {at for at, *_ in found} == {"2"}
