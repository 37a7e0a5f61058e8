"""Tables 2 and 3 and Figure 1 against counts by hand."""

import json

import numpy as np
import pyarrow as pa
import pytest

from ragassay.metrics.resampling import Judge
from ragassay.studies.scope.response_tables import OVERLAP, Detection, Table2, Table3, basis_rows, figure_1
from ragassay.studies.scope.verdict_matrix import ABSTAINED, NO, UNASKED, YES
from study import cells, questions

# Six questions about three documents; the last one was not kept, the one before is in scope.
ASKED = questions([0, 0, 1, 2, 2, 2], ["food", "food", "sport"], out=[1, 1, 1, 1, 0, 1], kept=[1, 1, 1, 1, 1, 0])
MARKS = {"hard": np.array([1, 0, 0, 1, 1, 1], bool)[:, None]}


def responses(*rows):
    """(prompt, responder) -> rows"""
    cells = {}
    for *cell, question, text, truncated in rows:
        row = {"question_id": question, "text": text, "finish_reason": "stop", "truncated": truncated}
        cells.setdefault(tuple(cell), []).append(row)
    return {cell: pa.Table.from_pylist(of_cell) for cell, of_cell in cells.items()}


NO_RESPONSES = responses()


def table_2(asked, codes, marks, given):
    table = Table2("g", list(codes), 400, 0)
    table.add(asked, codes, marks, given)
    return table


def found(codes, given=NO_RESPONSES, judges=None, asked=ASKED, marks=MARKS):
    """table -> (keys without generator and judge) -> metric -> row"""
    tables = {}
    for row in table_2(asked, cells(**codes), marks, given).rows(judges or {}):
        keys = json.loads(row["keys"])
        name = " ".join(keys[key] for key in ("prompt", "responder", "topic") if key in keys)
        tables.setdefault(row["table"], {}).setdefault(name, {})[row["metric"]] = row
    return tables


def values(rows, *names):
    return [rows[name]["value"] for name in names]


def test_table_2_counts_kept_questions_out_of_scope_by_topic():
    rows = found({"basic__r": [1, 0, 1, 0, 1, 1]})["table_2"]
    food, sport, every = (rows[f"basic r{topic}"] for topic in (" food", " sport", ""))
    assert (food["accuracy"]["value"], food["accuracy"]["n"]) == (pytest.approx(2 / 3), 3)
    assert (sport["accuracy"]["value"], sport["accuracy"]["n"]) == (0, 1)
    expected = [1 / 3, 0, 2 / 3, 1 / 3]
    assert values(every, "average", "lowest", "highest", "deviation") == pytest.approx(expected)
    assert every["average"]["low"] <= 1 / 3 <= every["average"]["high"]


def test_mean_and_deviation_are_those_of_the_paper():
    """The first row of its Table 2, in hundredths of a per cent as questions that are right of 10,000."""
    printed = [1806, 1096, 1232, 1427, 1359, 1595, 1015, 1837, 1559, 963]
    asked = questions(np.repeat(range(10), 10_000), [f"topic {number}" for number in range(10)])
    codes = np.concatenate([np.arange(10_000) < count for count in printed])
    given = found({"basic__r": codes}, asked=asked, marks={})["table_2"]["basic r"]
    mean, deviation = (round(100 * value, 2) for value in values(given, "average", "deviation"))
    assert (mean, deviation) == (13.89, 2.97)


def test_abstentions_are_counted_and_bound_the_rate():
    said = [("basic", "r", f"q{at}", text, at == 2) for at, text in enumerate(["No.", " ", "No.", "No.", "No.", "No."])]
    row = found({"basic__r": [1, -1, -1, 0, -1, -1]}, responses(*said))["cells"]["basic r"]
    names = ("asked", "parsed", "abstained", "accuracy", "at_least", "at_most", "answered", "truncated")
    assert values(row, *names) == [4, 2, 2, 0.5, 0.25, 0.75, 3, 1]
    assert (row["accuracy"]["n"], row["accuracy"]["abstained"]) == (2, 2)


def test_a_question_that_was_not_asked_is_no_abstention():
    row = found({"basic__r": [1, -2, -2, -2, -2, -2]})["cells"]["basic r"]
    assert values(row, "asked", "abstained", "accuracy", "at_most") == [1, 0, 1, 1]


def test_without_any_verdict_nothing_is_claimed():
    tables = found({"basic__r": [-1] * 6})
    assert values(tables["cells"]["basic r"], "accuracy", "at_least", "at_most") == [None, 0, 1]
    assert tables["cells"]["basic r"]["accuracy"]["low"] is None
    assert values(tables["table_2"]["basic r"], "average", "lowest", "deviation") == [None] * 3


def test_parts_are_looked_at_apart_and_may_differ_between_cells():
    marks = {"hard": np.array([[1, 0], [1, 0], [0, 1], [0, 1], [0, 0], [0, 0]], bool)}
    rows = found({"basic__a": [1, 1, 0, 0, 0, 0], "basic__b": [1, 1, 0, 0, 0, 0]}, marks=marks)["cells"]
    assert [rows[f"basic {name}"]["hard"]["value"] for name in "ab"] == [1, 0]


def test_the_judges_mistakes_are_taken_out_where_people_have_labelled():
    judges = {"j": Judge(yes_of_yes=90, yes=100, no_of_no=80, no=100)}
    codes = {"basic__r": [1, 0, 1, 0, 1, 1]}
    rows = found(codes, judges=judges)["cells"]["basic r"]
    assert rows["corrected"]["value"] == pytest.approx((0.5 - 0.2) / 0.7)
    assert rows["corrected"]["low"] < rows["corrected"]["value"] < rows["corrected"]["high"]
    bare = found(codes)["cells"]["basic r"]["corrected"]
    assert (bare["value"], bare["n"]) == (None, 0)


SAYS = {"yes": "In 1907.", "no": "The document does not say.", "": " ", "sorry": "I'm sorry, I cannot answer that."}


@pytest.mark.parametrize("said", [["no", "yes", "no", "yes"], ["sorry", "", "yes", "no"], ["yes"] * 4, [""] * 4])
def test_refusals_of_in_scope_questions_are_those_counted_one_by_one(said):
    asked = questions([0, 0, 1, 2, 2], ["food"] * 3, out=[0, 0, 0, 0, 1], kept=[1, 1, 0, 1, 1])
    given = [("basic", "r", f"q{number}", SAYS[word], False) for number, word in enumerate([*said, "no"])]
    given = responses(*given, ("cot", "r", "q0", SAYS["no"], False))
    codes = cells(basic__r=[0] * 5, cot__r=[0] * 5)
    rows = {
        (json.loads(row["keys"])["prompt"], row["metric"]): (row["value"], row["n"], row["abstained"])
        for row in table_2(asked, codes, {}, given).rows({})
        if row["metric"].startswith("refused")
    }
    for name, wanted in (("refused", [0, 1, 2, 3]), ("refused_kept", [0, 1, 3])):
        words = [said[number] for number in wanted]
        answered = [word for word in words if word]
        share = sum(word != "yes" for word in answered) / len(answered) if answered else None
        assert rows["basic", name] == (pytest.approx(share), len(answered), len(words) - len(answered))
        assert rows["cot", name] == (1, 1, 0), "only one was asked"


def test_no_in_scope_question_was_asked():
    asked = questions([0], ["food"], out=[1], kept=[1])
    rows = found({"basic__r": [1]}, asked=asked, marks={})["cells"]["basic r"]
    assert [(rows[name]["value"], rows[name]["n"]) for name in ("refused", "refused_kept")] == [(None, 0)] * 2


def test_what_the_study_rests_on_says_whether_the_judge_judges_itself():
    rows = {row["metric"]: (row["value"], row["n"]) for row in basis_rows("m", True, {"m", "r"}, 7, 30)}
    assert rows == {"rules": (1, 30), "responds": (1, 30), "labelled": (7, 30)}


def table_3(votes, owners, gold):
    table = Table3(votes, 0.5, 100, 0)
    ways = {}
    for way, verdicts in votes.items():
        rows = [(name, owners[name], verdict) for name in sorted(verdicts) for verdict in verdicts[name]]
        ways[way] = pa.table(list(map(list, zip(*rows, strict=True))), ["response", "doc_id", "verdict"])
    table.add(ways, gold)
    return table.rows()


def found_table_3(given, gold):
    """(way, votes) -> metric -> (value, n, abstained); each response is about a document of its own"""
    rows, owners = {}, {name: f"d-{name}" for name in "abc"}
    for row in table_3(given, owners, gold):
        keys = json.loads(row["keys"])
        own = rows.setdefault((keys["examples"], keys["votes"]), {})
        own[row["metric"]] = (row["value"], row["n"], row["abstained"])
    return rows


OWN = {"a": [False, True, True, True, True], "b": [False] * 5, "c": [True, False, None, None, None]}
PLAIN = {"a": [False], "b": [False], "c": [False]}


def test_fewer_votes_are_the_first_ones():
    rows = found_table_3({"": OWN, "plain": PLAIN}, {"a": "defused", "b": "not_defused", "c": "defused"})
    assert {key: own["accuracy"] for key, own in rows.items()} == {
        ("plain", "1"): (1 / 3, 3, 0),
        ("as configured", "1"): (2 / 3, 3, 0),
        ("as configured", "3"): (1, 2, 1),
        ("as configured", "5"): (1, 2, 1),
    }


def test_without_people_there_is_agreement_with_the_studys_own_way():
    rows = found_table_3({"": OWN, "plain": PLAIN}, {})
    assert rows["plain", "1"] == {"accuracy": (None, 0, 0), "agreement": (0.5, 2, 0)}
    assert rows["as configured", "5"]["agreement"] == (1, 2, 0)


def test_the_studys_own_way_stands_last_and_no_votes_give_no_rows():
    rows = table_3({"": OWN, "plain": PLAIN, "bare": PLAIN}, {name: name for name in "abc"}, {})
    places = [(keys["at"], keys["examples"]) for keys in (json.loads(row["keys"]) for row in rows)]
    assert list(dict.fromkeys(places)) == [("1", "bare"), ("2", "plain"), ("3", "as configured")]
    assert found_table_3({}, {}) == {}


OUT, IN = "out_of_scope", "in_scope"
FIGURE_1_ASKED = questions([0, 0, 1, 2], ["food"] * 3, out=[1, 0, 1, 0], kept=[1, 1, 0, 1])
LABELS = {
    "judge": dict(zip(["q0", "q1", "q2", "q3"], [OUT, IN, IN, IN], strict=True)),
    "other": {"q0": OUT, "q1": OUT, "q2": OUT, "q3": "tie"},
}


def rows(gold=None, overlap=None, hard=(), labels=LABELS):
    table = Detection("g", list(labels), "judge", 200, 0)
    ids = FIGURE_1_ASKED.ids.tolist()
    codes = {model: coded(ids, of_model) for model, of_model in labels.items()}
    overlap = np.array([(overlap or {}).get(name, np.nan) for name in ids])
    table.add(FIGURE_1_ASKED, codes, overlap, np.isin(ids, list(hard)), coded(ids, gold or {}))
    return list(table.rows())


def coded(ids, labels):
    """Of questions without a label, that they were not asked."""
    return np.array([{OUT: YES, IN: NO}.get(labels[name], ABSTAINED) if name in labels else UNASKED for name in ids])


def found_figure_1(given):
    """model -> metric -> (value, n, abstained)"""
    models = {}
    for row in given:
        own = models.setdefault(json.loads(row["keys"])["model"], {})
        own[row["metric"]] = (row["value"], row["n"], row["abstained"])
    return models


def test_a_judge_is_not_measured_on_what_it_has_chosen():
    models = found_figure_1(rows())
    assert models["judge"]["meant"] == (0.75, 4, 0)
    assert models["judge"]["kept"] == models["judge"]["found"] == (None, 0, 0)
    assert models["other"]["kept"] == (0.5, 2, 1) and models["other"]["meant"] == (pytest.approx(2 / 3), 3, 1)


def test_a_model_that_was_asked_about_some_questions_abstains_on_no_others():
    some = found_figure_1(rows(labels={"some": {"q0": OUT, "q3": "tie"}}))["some"]
    assert some["meant"] == (1.0, 1, 1)


def test_finding_and_false_alarms_are_told_apart():
    models = found_figure_1(rows())
    assert models["other"]["found"] == (1, 1, 0) and models["other"]["false_alarms"] == (1, 1, 1)


def test_people_are_right_where_they_have_spoken():
    models = found_figure_1(rows(gold={"q1": OUT, "q2": IN}))
    assert models["judge"]["gold"] == (0.5, 2, 0) and models["other"]["gold"] == (0.5, 2, 0)
    assert found_figure_1(rows())["other"]["gold"] == (None, 0, 0)


def test_shared_words_alone_stand_beside_the_models():
    own = found_figure_1(rows(overlap={"q0": 0.9, "q1": 0.2, "q3": 0.8}))["shared words alone"]
    assert own["kept"] == (pytest.approx(2 / 3), 3, 0) and own["false_alarms"] == (0.5, 2, 0)


def test_hard_questions_are_looked_at_apart():
    models = found_figure_1(rows(hard=["q1", "q2"], overlap={"q1": 0.2}))
    assert models["other"]["hard"] == (0, 1, 0) and models["shared words alone"]["hard"] == (1, 1, 0)
    assert models["judge"]["hard"] == (None, 0, 0)


def test_the_figure_has_the_same_numbers_by_model():
    given = rows()
    drawn = list(figure_1(given))
    assert {row["table"] for row in drawn} == {"figure_1"} and found_figure_1(drawn) == found_figure_1(given)
    names = dict.fromkeys(row["keys"] for row in drawn)
    assert list(names) == [f'{{"at": "{at}", "model": "{name}"}}' for at, name in enumerate((*LABELS, OVERLAP))]
