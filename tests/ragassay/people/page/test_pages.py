"""What the pages show."""

import asyncio
import re
import socket

import pytest

from growth import calls
from people import GUIDELINES, Serving, click, give, project, sample, state
from ragassay.people import click_log
from ragassay.people.folder import load_guidelines
from ragassay.people.labelling import ADJUDICATION
from ragassay.people.page import pages
from ragassay.people.page.connections import listen
from ragassay.people.page.pages import Pages


@pytest.fixture
def serving(tmp_path):
    with Serving(project(tmp_path, sample(scope=4), training_items=0)) as running:
        running.folder = tmp_path / "annotation/careful/careful"
        yield running


@pytest.fixture
def anna(serving):
    return serving.person("Anna")


def stored(serving):
    """The labels in the log."""
    return [event for event in click_log.read(serving.folder / "events.jsonl") if event["event"] == "label"]


def test_an_older_label_is_opened_again_and_changed(serving, anna):
    assert [anna.get(path)[0] for path in ("/labels", "/labels/scope")] == [303, 303], "there is none yet"
    assert "/labels" not in anna.get()[1]
    for number in range(3):
        give(anna, comment=f"Why <{number}>")
    first, *_ = items = [event["item"] for event in stored(serving)]
    assert 'href="/labels"' in anna.get()[1] and 'href="/labels/scope"' in anna.get("/label/scope")[1]
    page = anna.get("/labels")[1]
    assert re.findall(r'href="/labels/scope/([^"]+)"', page) == items[::-1] and "Why &lt;1&gt;" in page
    _, page = anna.get(f"/labels/scope/{first}")
    assert "Document" in page and "\nWhy &lt;0&gt;</textarea>" in page
    assert re.findall(r'aria-pressed="true"[^>]* data-label="(\w+)"', page) == ["in_scope"]
    shown = anna.shown(f"/labels/scope/{first}")
    given = {"item": first, "seen": shown["seen"], "place": "scope", "label": "out_of_scope", "comment": "No."}
    assert anna.post("/clicks/label", click(**given))[0] == 200
    assert (stored(serving)[-1]["label"], stored(serving)[-1]["comment"]) == ("out_of_scope", "No.")
    status, told = anna.post("/clicks/label", click(**given | {"label": "in_scope"}))
    assert status == 409 and "another window" in told["error"] and stored(serving)[-1]["label"] == "out_of_scope"
    page = anna.get(shown["back"])[1]
    rows = re.findall(r"<li>.*?</li>", page, re.S)
    assert "Out of scope" in rows[-1] and "No." in rows[-1] and "changed" in rows[-1] and "autofocus" in rows[-1]


def test_labels_of_others_are_not_opened(serving, anna):
    give(anna, comment="Mine alone")
    item = stored(serving)[-1]["item"]
    ben = serving.visitor()
    ben.enter("Ben of no group")
    paths = ["/labels", f"/labels/scope/{item}", f"/labels/adjudication/{item}", f"/labels/elsewhere/{item}"]
    assert [ben.get(path)[0] for path in paths] == [303] * 4
    assert [anna.get(path)[0] for path in paths] == [200, 200, 303, 303]
    ben.cookie = None
    assert "Welcome" in ben.get(paths[1])[1] and "Mine alone" not in ben.get("/labels")[1]


def test_every_sheet_that_is_asked_for_is_one_that_there_is(anna):
    give(anna)
    for asked in ("sheet=2", "sheet=-1", "sheet=x", "sheet=" + "9" * 5000, "at=item-unknown", "at="):
        status, page = anna.get(f"/labels/scope?{asked}")
        assert status == 200 and page.count("<li>") == 1, asked


def test_a_closed_part_can_be_looked_at_and_not_changed(tmp_path):
    with Serving(project(tmp_path, sample(scope=1, defusion=1), training_items=0)) as running:
        anna = running.person("Anna")
        give(anna, comment="Kept")
        assert 'id="keep"' in anna.get("/labels/scope/item-scope-0001")[1]
        anna.post("/clicks/label", click(item="item-defusion-0001", seen="", label="defused"))
        assert "labels can be looked at, not changed" in anna.get("/labels/scope")[1]
        page = anna.get("/labels/scope/item-scope-0001")[1]
        assert "This part is closed" in page and "Kept" in page and page.count(" disabled ") == 2
        assert "textarea" not in page and 'id="keep"' not in page
        seen = anna.shown("/labels/scope/item-scope-0001")["seen"]
        again = click(item="item-scope-0001", seen=seen, label="out_of_scope", place="scope")
        assert anna.post("/clicks/label", again)[0] == 409
        assert 'id="keep"' in anna.get("/labels/defusion/item-defusion-0001")[1]


def test_who_settled_a_disagreement_can_settle_it_anew_as_long_as_it_is_one(tmp_path):
    item = "item-scope-0001"
    with Serving(project(tmp_path, sample(scope=1, defusion=0), training_items=0)) as running:
        anna, ben = running.person("Anna"), running.person("Ben")
        cleo = running.visitor()
        cleo.enter("Cleo")
        give(anna, "in_scope", comment="Opinion one")
        give(ben, "out_of_scope", comment="Opinion two")
        settle = {"item": item, "place": "adjudication"}
        assert cleo.post("/clicks/label", click(**settle, seen="", label="in_scope"))[0] == 200
        assert f"/labels/adjudication/{item}" in cleo.get("/labels")[1]
        page = cleo.get(f"/labels/adjudication/{item}")[1]
        assert "Opinion one" in page and "Opinion two" in page and "Anna" not in page and "Ben" not in page
        seen = cleo.shown(f"/labels/adjudication/{item}")["seen"]
        assert cleo.post("/clicks/label", click(**settle, seen=seen, label="out_of_scope"))[0] == 200
        seen = ben.shown(f"/labels/scope/{item}")["seen"]
        assert ben.post("/clicks/label", click(item=item, seen=seen, label="in_scope"))[0] == 200
        page = cleo.get(f"/labels/adjudication/{item}")[1]
        assert "the annotators agree now" in page and "Opinion" not in page and page.count(" disabled ") == 2


def test_no_page_waits_for_an_acknowledgement():
    """Else every page but the first ones would take more than 40 ms; `benchmarks/annotation.py` measures pages."""

    async def accepted():
        loop = asyncio.get_running_loop()
        taken = loop.create_future()

        class Connection(asyncio.Protocol):
            def connection_made(self, transport):
                taken.set_result(transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

        server = await loop.create_server(Connection, sock=listen("127.0.0.1", 0))
        async with server:
            transport, _ = await loop.create_connection(asyncio.Protocol, *server.sockets[0].getsockname())
            sends_at_once = await taken
            transport.close()
        return sends_at_once

    assert asyncio.run(accepted())


ROWS = pages.ROWS


def say(labelling, name, item, label="in_scope", role="annotator"):
    values = {"role": role, "item": item, "label": label, "comment": "", "at": 0, "seconds": None}
    labelling.apply({"event": "label", "person": name, **values, **click()})


def labelled(count, name="Anna", labelling=None):
    """The state after a person has labelled so many items, and the person."""
    labelling = labelling or state(sample(scope=count + 1, defusion=1))
    labelling.apply({"event": "join", "person": name, "group": 1, **click()})
    for item in labelling.items_of(labelling.people[name], "scope")[:count]:
        say(labelling, name, item)
    return labelling, labelling.people[name]


def pages_of(labelling):
    return Pages(labelling, load_guidelines(GUIDELINES, 0), by_name=True)


def test_a_list_of_many_labels_takes_work_in_proportion_to_them():
    work = []
    for count in (500, 4_000):
        labelling, anna = labelled(count)
        shown = pages_of(labelling)
        work.append(calls(lambda shown=shown, anna=anna, count=count: shown.labels(anna, "", "scope", count // 100)))
        assert shown.labels(anna, "", "scope", count // 100).count("<li>") == ROWS
    assert work[1] < 8 * work[0]


@pytest.mark.parametrize(
    ("count", "number", "shown", "sheets", "numbers"),
    [
        (1, 1, 1, 1, (1, 1)),
        (ROWS, 1, 1, 1, (ROWS, 1)),
        (ROWS + 1, 1, 1, 2, (ROWS + 1, 2)),
        (ROWS + 1, 2, 2, 2, (1, 1)),
        (ROWS + 1, 99, 2, 2, (1, 1)),
        (ROWS + 1, 0, 1, 2, (ROWS + 1, 2)),
    ],
)
def test_sheets_hold_every_label_once_the_last_one_first(count, number, shown, sheets, numbers):
    labelling, anna = labelled(count)
    sheet = pages_of(labelling).sheet(anna, "scope", number)
    assert (sheet["number"], sheet["sheets"]) == (shown, sheets)
    assert (sheet["rows"][0]["number"], sheet["rows"][-1]["number"]) == numbers
    rows = [row for at in range(sheets) for row in pages_of(labelling).sheet(anna, "scope", at + 1)["rows"]]
    assert [row["item"] for row in rows] == labelling.items_of(anna, "scope")[:count][::-1]


def test_a_changed_label_is_found_where_it_was_and_says_what_stands_now():
    labelling, anna = labelled(ROWS + 5)
    third = labelling.items_of(anna, "scope")[2]
    say(labelling, "Anna", third, "out_of_scope")
    sheet = pages_of(labelling).sheet(anna, "scope", item=third)
    row = next(row for row in sheet["rows"] if row["item"] == third)
    assert (sheet["number"], row["number"], row["label"], row["changed"]) == (2, 3, "Out of scope", True)


def test_what_was_taken_back_is_gone_and_comes_last_when_it_is_labelled_again():
    labelling, anna = labelled(3)
    first = labelling.items_of(anna, "scope")[0]
    labelling.apply({"event": "undo", "person": "Anna", "role": "annotator", "item": first, **click()})
    assert first not in labelling.labelled(anna, "scope")
    say(labelling, "Anna", first)
    assert labelling.labelled(anna, "scope")[-1] == first


def test_labels_of_others_and_of_other_parts_are_not_among_them():
    labelling, anna = labelled(2)
    _, ben = labelled(3, "Ben", labelling)
    say(labelling, "Anna", "item-defusion-0001", "defused")
    say(labelling, "Cleo", "item-scope-0001", "out_of_scope", role="adjudicator")
    places = {}
    for person in (anna, ben, labelling.people["Cleo"]):
        page = pages_of(labelling).labels(person, "", None)
        counts = re.findall(r'href="/labels/(\w+)"( aria-current="page")?>.*<span class="soft">(\d+)</span></a>', page)
        places[person.name] = {(place, bool(latest)): int(count) for place, latest, count in counts}
    assert places == {
        "Anna": {("scope", False): 2, ("defusion", True): 1},
        "Ben": {("scope", True): 3},
        "Cleo": {(ADJUDICATION, True): 1},
    }
