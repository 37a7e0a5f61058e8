"""Table 3 is read from the first votes that were cast."""

import json

from ragassay.studies.scope.response_tables import table_3

YES, NO, NOT = True, False, None


def found(given, gold):
    """(way, votes) -> metric -> (value, n, abstained); each response is about a document of its own"""
    rows, owners = {}, {name: f"d-{name}" for name in "abc"}
    for row in table_3(given, owners, gold, 0.5, 100, 0):
        keys = json.loads(row["keys"])
        own = rows.setdefault((keys["examples"], keys["votes"]), {})
        own[row["metric"]] = (row["value"], row["n"], row["abstained"])
    return rows


OWN = {"a": [NO, YES, YES, YES, YES], "b": [NO] * 5, "c": [YES, NO, NOT, NOT, NOT]}
PLAIN = {"a": [NO], "b": [NO], "c": [NO]}


def test_fewer_votes_are_the_first_ones():
    rows = found({"": OWN, "plain": PLAIN}, {"a": "defused", "b": "not_defused", "c": "defused"})
    assert {key: own["accuracy"] for key, own in rows.items()} == {
        ("plain", "1"): (1 / 3, 3, 0),
        ("as configured", "1"): (2 / 3, 3, 0),
        ("as configured", "3"): (1, 2, 1),
        ("as configured", "5"): (1, 2, 1),
    }


def test_without_people_there_is_agreement_with_the_studys_own_way():
    rows = found({"": OWN, "plain": PLAIN}, {})
    assert rows["plain", "1"] == {"accuracy": (None, 0, 0), "agreement": (0.5, 2, 0)}
    assert rows["as configured", "5"]["agreement"] == (1, 2, 0)


def test_the_studys_own_way_stands_last_and_no_votes_give_no_rows():
    assert next(iter(found({"": OWN, "plain": PLAIN}, {}))) == ("plain", "1")
    assert found({}, {}) == {}
