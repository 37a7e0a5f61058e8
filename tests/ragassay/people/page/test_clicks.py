"""Clicks: what each may do, in which order, and that nothing is lost, doubled or overwritten."""

import pytest

from people import click, item, sample, state
from ragassay.people.labelling import ADJUDICATION, Labelling, Person, is_event, replayed
from ragassay.people.page.clicks import Refused, decide

PRACTICE = {
    "scope": {"practice-1": {"label": "in_scope"}, "practice-2": {"label": "out_of_scope"}},
    "defusion": {"practice-3": {"label": "defused"}},
}


def do(labelling, name, kind, **values):
    """Decide and apply; the event, or None if it was stored before."""
    event = decide(labelling, name, kind, click(**values) if "click" not in values else values)
    if event:
        labelling.apply(event)
    return event


def label(labelling, name, item, label="in_scope", seen="", **values):
    return do(labelling, name, "label", item=item, label=label, seen=seen, **values)


def joined(*names, **settings):
    labelling = state(**settings)
    for name in names:
        do(labelling, name, "join")
    return labelling


def test_people_are_dealt_to_the_groups_that_need_them_most():
    labelling = state(sample(groups=2))
    groups = [do(labelling, name, "join")["group"] for name in ("Anna", "Ben", "Cleo", "Dan")]
    assert groups == [1, 2, 1, 2]
    with pytest.raises(Refused, match="Every group has its annotators"):
        do(labelling, "Eve", "join")


def test_a_small_team_takes_several_groups_and_never_one_twice():
    labelling = state(sample(groups=2))
    assert [do(labelling, "Anna", "join")["group"] for _ in range(2)] == [1, 2]
    with pytest.raises(Refused):
        do(labelling, "Anna", "join")


def test_items_come_in_their_order_what_is_put_off_last_and_what_is_taken_back_first():
    labelling = joined("Anna", items=sample(scope=4, defusion=0))
    anna = labelling.people["Anna"]
    one, two, three, four = labelling.items_of(anna, "scope")
    assert labelling.next_item(anna, "scope") == one
    do(labelling, "Anna", "skip", item=one)
    assert labelling.next_item(anna, "scope") == two
    late = label(labelling, "Anna", one)  # from another window, in which it was not put off
    do(labelling, "Anna", "undo", item=one, place="scope", seen=late["click"])
    assert labelling.next_item(anna, "scope") == one
    do(labelling, "Anna", "skip", item=one)
    label(labelling, "Anna", two)
    first = label(labelling, "Anna", three)
    assert labelling.next_item(anna, "scope") == four
    do(labelling, "Anna", "undo", item=three, place="scope", seen=first["click"])
    assert labelling.next_item(anna, "scope") == three
    label(labelling, "Anna", three, "out_of_scope")
    label(labelling, "Anna", four)
    assert labelling.next_item(anna, "scope") == one
    label(labelling, "Anna", one)
    assert labelling.next_item(anna, "scope") is None and labelling.finished(anna, "scope")
    assert anna.votes["annotator", three].given == 2


def test_a_click_that_comes_twice_is_stored_once():
    labelling = joined("Anna")
    same = click(item="item-scope-0001", label="in_scope", seen="")
    assert do(labelling, "Anna", "label", **same) and do(labelling, "Anna", "label", **same) is None
    with pytest.raises(Refused, match="belongs to something else"):
        do(labelling, "Anna", "skip", **same)


@pytest.mark.parametrize(
    "other", [{"label": "out_of_scope"}, {"comment": "b"}, {"place": ADJUDICATION}, {"item": "item-scope-0002"}]
)
def test_the_same_click_with_other_content_is_not_told_that_it_is_stored(other):
    labelling = joined("Anna")
    same = click(item="item-scope-0001", label="in_scope", seen="", comment=" a ", seconds=2)
    do(labelling, "Anna", "label", **same)
    assert do(labelling, "Anna", "label", **same | {"seconds": 3}) is None
    with pytest.raises(Refused, match="nothing new was stored"):
        do(labelling, "Anna", "label", **same | other)
    assert labelling.people["Anna"].votes["annotator", "item-scope-0001"].label == "in_scope"


def test_other_clicks_may_come_twice_too():
    labelling = joined("Anna", items=sample(groups=2), practice=PRACTICE)
    for kind, values in (
        ("join", {}),
        ("practice", {"item": "practice-1", "label": "in_scope"}),
        ("practice", {"item": "practice-2", "label": "out_of_scope"}),
        ("skip", {"item": "item-scope-0001", "place": "scope"}),
    ):
        same = click(**values)
        assert do(labelling, "Anna", kind, **same) and do(labelling, "Anna", kind, **same) is None
    with pytest.raises(Refused, match="belongs to something else"):
        do(labelling, "Anna", "skip", **same | {"item": "item-scope-0002"})
    labelled = label(labelling, "Anna", "item-scope-0001")
    same = click(item="item-scope-0001", place="scope", seen=labelled["click"])
    assert do(labelling, "Anna", "undo", **same) and do(labelling, "Anna", "undo", **same) is None


def test_a_second_window_overwrites_nothing():
    labelling = joined("Anna")
    first = label(labelling, "Anna", "item-scope-0001", "in_scope")
    with pytest.raises(Refused, match="another window"):
        label(labelling, "Anna", "item-scope-0001", "out_of_scope")
    with pytest.raises(Refused, match="Nothing was undone"):
        do(labelling, "Anna", "undo", item="item-scope-0001", place="scope", seen="another")
    assert labelling.people["Anna"].votes["annotator", "item-scope-0001"].label == "in_scope"
    changed = label(labelling, "Anna", "item-scope-0001", "out_of_scope", seen=first["click"])
    assert labelling.people["Anna"].votes["annotator", "item-scope-0001"].click == changed["click"]


def test_the_second_part_opens_after_the_first_and_closes_it():
    labelling = joined("Anna")
    with pytest.raises(Refused, match="opens when the part before it is done"):
        label(labelling, "Anna", "item-defusion-0001", "defused")
    events = [label(labelling, "Anna", f"item-scope-000{number}") for number in (1, 2, 3)]
    assert labelling.last(labelling.people["Anna"], "scope") == "item-scope-0003"
    label(labelling, "Anna", "item-defusion-0001", "defused")
    assert labelling.last(labelling.people["Anna"], "scope") is None
    with pytest.raises(Refused, match="closed"):
        label(labelling, "Anna", "item-scope-0003", "out_of_scope", seen=events[-1]["click"])
    with pytest.raises(Refused, match="Nothing was undone"):
        do(labelling, "Anna", "undo", item="item-scope-0003", place="scope", seen=events[-1]["click"])


def test_the_training_round_ends_when_every_known_item_was_right():
    labelling = joined("Anna", practice=PRACTICE)
    anna = labelling.people["Anna"]
    with pytest.raises(Refused, match="after its training round"):
        label(labelling, "Anna", "item-scope-0001")
    assert do(labelling, "Anna", "practice", item="practice-1", label="out_of_scope")["right"] is False
    with pytest.raises(Refused, match="another window"):
        do(labelling, "Anna", "practice", item="practice-1", label="in_scope")
    assert labelling.to_practise(anna, "scope") == "practice-2"
    assert do(labelling, "Anna", "practice", item="practice-2", label="out_of_scope")["right"] is True
    assert labelling.to_practise(anna, "scope") == "practice-1"
    do(labelling, "Anna", "practice", item="practice-1", label="in_scope")
    assert labelling.to_practise(anna, "scope") is None and label(labelling, "Anna", "item-scope-0001")


def disputed():
    """Anna and Ben disagree on one item and agree on another."""
    labelling = joined("Anna", "Ben")
    label(labelling, "Anna", "item-scope-0001", "in_scope")
    assert not labelling.disputed("item-scope-0001")
    label(labelling, "Ben", "item-scope-0001", "out_of_scope")
    for name in ("Anna", "Ben"):
        label(labelling, name, "item-scope-0002", "in_scope")
    return labelling


def test_it_is_no_disagreement_before_all_have_spoken():
    labelling = joined("Anna", "Ben", per_item=3)
    label(labelling, "Anna", "item-scope-0001", "in_scope")
    label(labelling, "Ben", "item-scope-0001", "out_of_scope")
    assert not labelling.disputed("item-scope-0001")


def settle(labelling, name, label="in_scope", item="item-scope-0001", seen=""):
    return do(labelling, name, "label", place=ADJUDICATION, item=item, label=label, seen=seen)


def test_a_disagreement_is_settled_by_somebody_who_has_no_part_in_it():
    labelling = disputed()
    for name in ("Anna", "Ben"):
        with pytest.raises(Refused, match="no disagreement that you can settle"):
            settle(labelling, name)
    with pytest.raises(Refused, match="no disagreement that you can settle"):
        settle(labelling, "Cleo", item="item-scope-0002")
    first = settle(labelling, "Cleo", "out_of_scope")
    assert labelling.settled == {"item-scope-0001": "Cleo"}
    with pytest.raises(Refused, match="Somebody else has settled"):
        settle(labelling, "Dan")
    do(labelling, "Cleo", "undo", item="item-scope-0001", place=ADJUDICATION, seen=first["click"])
    assert labelling.settled == {} and settle(labelling, "Dan")


def test_who_has_settled_in_a_group_does_not_label_it():
    labelling = joined("Anna", "Ben", items=sample(groups=2), per_item=3)
    assert [labelling.people[name].groups for name in ("Anna", "Ben")] == [[1], [2]]
    for name, said in (("Cleo", "in_scope"), ("Dan", "out_of_scope"), ("Eve", "in_scope"), ("Fay", "in_scope")):
        do(labelling, name, "join")
        if labelling.people[name].groups == [1]:
            label(labelling, name, "item-scope-0001", said)
    label(labelling, "Anna", "item-scope-0001", "out_of_scope")
    settle(labelling, "Gus")
    labelling.people["Cleo"].groups.clear()  # a place is free again
    assert labelling.free_group(labelling.people["Gus"]) is None
    assert labelling.free_group(labelling.people["Ben"]) == 1


def test_items_of_others_cannot_be_put_off():
    labelling = joined("Anna", items=[*sample(), item(4, group=2)])
    with pytest.raises(Refused, match="another group"):
        do(labelling, "Anna", "skip", item="item-scope-0004")


def test_what_annotators_change_is_no_disagreement_any_more():
    labelling = disputed()
    vote = labelling.people["Ben"].votes["annotator", "item-scope-0001"]
    label(labelling, "Ben", "item-scope-0001", "in_scope", seen=vote.click)
    with pytest.raises(Refused, match="agree now"):
        settle(labelling, "Cleo")


def test_an_older_label_is_changed_in_its_place_and_counted():
    labelling = joined("Anna", items=sample(scope=4, defusion=0))
    anna = labelling.people["Anna"]
    one, two, three, _ = labelling.items_of(anna, "scope")
    first = label(labelling, "Anna", one, comment="a")
    label(labelling, "Anna", two)
    label(labelling, "Anna", one, "out_of_scope", seen=first["click"], comment="b")
    vote = anna.votes["annotator", one]
    assert (vote.label, vote.comment, vote.given) == ("out_of_scope", "b", 2)
    assert labelling.labelled(anna, "scope") == [one, two], "a change leaves it where it was"
    assert labelling.last(anna, "scope") == one, "an undo takes back what was said last"
    assert labelling.next_item(anna, "scope") == three and labelling.done(anna, "scope") == (2, 4)
    with pytest.raises(Refused, match="another window"):
        label(labelling, "Anna", one, "in_scope", seen=first["click"])


def test_what_was_taken_back_still_comes_next_after_an_older_label_was_changed():
    labelling = joined("Anna", items=sample(scope=4, defusion=0))
    one, two, *_ = labelling.items_of(labelling.people["Anna"], "scope")
    do(labelling, "Anna", "skip", item=one)
    older, last = label(labelling, "Anna", two), label(labelling, "Anna", one)
    do(labelling, "Anna", "undo", item=one, place="scope", seen=last["click"])
    label(labelling, "Anna", two, "out_of_scope", seen=older["click"])
    assert labelling.next_item(labelling.people["Anna"], "scope") == one


def test_a_change_makes_a_disagreement_and_another_one_ends_it():
    labelling = disputed()
    anna, ben, cleo = labelling.people["Anna"], labelling.people["Ben"], Person("Cleo", 3)
    agreed = "item-scope-0002"
    label(labelling, "Anna", agreed, "out_of_scope", seen=anna.votes["annotator", agreed].click)
    assert agreed in labelling.open_disputes(cleo) and agreed not in labelling.open_disputes(ben)
    settled = settle(labelling, "Cleo", item=agreed)
    changed = settle(labelling, "Cleo", "out_of_scope", agreed, seen=settled["click"])
    cleo = labelling.people["Cleo"]
    assert cleo.votes["adjudicator", agreed].given == 2
    with pytest.raises(Refused, match="another window"):
        settle(labelling, "Cleo", item=agreed, seen=settled["click"])
    label(labelling, "Ben", agreed, "out_of_scope", seen=ben.votes["annotator", agreed].click)
    with pytest.raises(Refused, match="agree now"):
        settle(labelling, "Cleo", item=agreed, seen=changed["click"])
    assert labelling.labelled(cleo, ADJUDICATION) == [agreed] and labelling.labelled(cleo, "scope") == []


def test_the_same_events_give_the_same_state():
    labelling, events = joined(), []
    for name in ("Anna", "Ben"):
        events.append(do(labelling, name, "join"))
        events += [label(labelling, name, "item-scope-0001", comment=" why ", seconds=1.26)]
    again = replayed(sample(), events, 2)
    assert again.people == labelling.people and again.opinions == labelling.opinions
    assert again.people["Anna"].votes["annotator", "item-scope-0001"].comment == "why"
    assert again.people["Anna"].votes["annotator", "item-scope-0001"].seconds == 1.3


def test_events_that_cannot_be_applied_are_tried_once_each(monkeypatch):
    labelling = joined()
    events = [do(labelling, "Anna", "join"), label(labelling, "Anna", "item-scope-0001")]
    strange = [events[1] | {"item": "nowhere", "person": f"p{number}", "click": f"c{number}"} for number in range(20)]
    strange += [event | {"event": "undo", "click": event["click"] * 2} for event in strange]
    tries, apply = [], Labelling.apply
    monkeypatch.setattr(Labelling, "apply", lambda self, event: (tries.append(event), apply(self, event)))
    again = replayed(sample(), [*strange, *events], 2)
    assert again.people == labelling.people and again.clicks == labelling.clicks
    assert len(tries) == len(strange) + 2 * len(events)


def test_a_role_that_nobody_has_is_no_click(monkeypatch):
    """Undone as an annotator's, its label is gone; each undo of its own then fails once the one before is left out."""
    labelling = joined()
    mine = [do(labelling, "Anna", "join"), label(labelling, "Anna", "item-scope-0001")]
    other = mine[1] | {"role": "x"}
    events = [*mine, other, mine[1] | {"event": "undo"}, *[other | {"event": "undo"}] * 20]
    assert [*map(is_event, events[:5])] == [True, True, False, True, False]
    monkeypatch.setattr("ragassay.people.labelling.replayed", None)  # it does not call itself
    assert replayed(sample(), events, 2).opinions["item-scope-0001"] == {}


@pytest.mark.parametrize(
    ("seconds", "stored"),
    [(10**400, 86_400.0), (-(10**400), 0.0), (float("inf"), 86_400.0), (3, 3.0), (None, None)],
    ids=["400 digits", "below zero", "inf", "3", "none"],
)
def test_seconds_are_those_of_a_day_at_most(seconds, stored):
    assert label(joined("Anna"), "Anna", "item-scope-0001", seconds=seconds)["seconds"] == stored


@pytest.mark.parametrize(
    ("values", "status"),
    [
        ({"item": "item-unknown"}, 404),
        ({"item": ["x"]}, 404),
        ({"label": "defused"}, 400),
        ({"label": None}, 400),
        ({"comment": "x" * 4001}, 400),
        ({"comment": 3}, 400),
        ({"seconds": "long"}, 400),
        ({"seconds": float("nan")}, 400),
        ({"item": "item-scope-0004"}, 403),
        ({"click": "../"}, 400),
        ({"click": 5}, 400),
        ({"seen": None}, 409),
    ],
)
def test_what_no_page_sends_is_refused(values, status):
    labelling = joined("Anna", items=[*sample(), item(4, group=2)])
    given = click(item="item-scope-0001", label="in_scope", seen="") | values
    with pytest.raises(Refused) as refused:
        decide(labelling, "Anna", "label", given)
    assert refused.value.status == status
