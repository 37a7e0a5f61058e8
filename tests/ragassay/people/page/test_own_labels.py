"""A person's own labels in sheets: in the order given, each once, and nobody else's."""

import pytest

from people import click, sample, state
from ragassay.people.labelling import ADJUDICATION
from ragassay.people.page import pages

ROWS = pages.ROWS


def labelled(count, name="Anna", labelling=None):
    """The state after a person has labelled so many items, and the person."""
    labelling = labelling or state(sample(scope=count + 1, defusion=1))
    labelling.apply({"event": "join", "person": name, "group": 1, **click()})
    for item in labelling.own(labelling.people[name], "scope")[:count]:
        say(labelling, name, item)
    return labelling, labelling.people[name]


def say(labelling, name, item, label="in_scope", role="annotator"):
    said = {"role": role, "item": item, "label": label, "comment": "", "at": 0, "seconds": None}
    labelling.apply({"event": "label", "person": name, **said, **click()})


@pytest.mark.parametrize(
    ("count", "number", "found", "sheets", "numbers"),
    [
        (1, 1, 1, 1, (1, 1)),
        (ROWS, 1, 1, 1, (ROWS, 1)),
        (ROWS + 1, 1, 1, 2, (ROWS + 1, 2)),
        (ROWS + 1, 2, 2, 2, (1, 1)),
        (ROWS + 1, 99, 2, 2, (1, 1)),
        (ROWS + 1, 0, 1, 2, (ROWS + 1, 2)),
    ],
)
def test_sheets_hold_every_label_once_the_last_one_first(count, number, found, sheets, numbers):
    labelling, anna = labelled(count)
    sheet = pages.sheet_of(labelling, anna, "scope", number)
    assert (sheet.number, sheet.sheets) == (found, sheets)
    assert (sheet.rows[0].number, sheet.rows[-1].number) == numbers
    items = [row.item for at in range(sheets) for row in pages.sheet_of(labelling, anna, "scope", at + 1).rows]
    assert items == labelling.own(anna, "scope")[:count][::-1]


def test_a_changed_label_is_found_where_it_was_and_says_what_stands_now():
    labelling, anna = labelled(ROWS + 5)
    third = labelling.own(anna, "scope")[2]
    say(labelling, "Anna", third, "out_of_scope")
    sheet = pages.sheet_of(labelling, anna, "scope", item=third)
    row = next(row for row in sheet.rows if row.item == third)
    assert (sheet.number, row.number, row.vote.label, row.vote.given) == (2, 3, "out_of_scope", 2)


def test_what_was_taken_back_is_gone_and_comes_last_when_it_is_labelled_again():
    labelling, anna = labelled(3)
    first = labelling.own(anna, "scope")[0]
    labelling.apply({"event": "undo", "person": "Anna", "role": "annotator", "item": first, **click()})
    assert first not in labelling.labelled(anna, "scope")
    say(labelling, "Anna", first)
    assert labelling.labelled(anna, "scope")[-1] == first


def test_labels_of_others_and_of_other_parts_are_not_among_them():
    labelling, anna = labelled(2)
    _, ben = labelled(3, "Ben", labelling)
    say(labelling, "Anna", "item-defusion-0001", "defused")
    say(labelling, "Cleo", "item-scope-0001", "out_of_scope", role="adjudicator")
    cleo = labelling.people["Cleo"]
    assert pages.counts_of(labelling, anna) == {"scope": 2, "defusion": 1}
    assert pages.counts_of(labelling, ben) == {"scope": 3}
    assert pages.counts_of(labelling, cleo) == {ADJUDICATION: 1}
    assert [pages.latest_place(labelling, one) for one in (anna, ben, cleo)] == ["defusion", "scope", ADJUDICATION]
    assert {row.vote.label for row in pages.sheet_of(labelling, anna, "scope").rows} == {"in_scope"}
