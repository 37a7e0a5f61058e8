"""Names that people take for one another: wherever a name comes from, the second is refused."""

import csv

import pytest

from people import Client, Serving, click, item, project, run, sample, state
from ragassay.people.page.access import AccessError, lookalike, tokens_of
from ragassay.people.page.clicks import Refused, decide

ALIKE = ["anna", "ANNA", "\u0410nna", "Ann\u0430", "Änna", "\uff21nna", "\u0391nna"]  # Cyrillic, full width, Greek


@pytest.mark.parametrize("name", ALIKE)
def test_names_that_look_alike_are_told_apart_from_the_same_name(name):
    assert "looks like 'Anna'" in lookalike(name, {"Ben": 1, "Anna": 2})
    assert lookalike(name, {"Anna", name}) == "", "people who are both there go on"


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("Anna", []),
        ("Anna", ["Hanna", "Ann", "Anne", "Joanna"]),
        ("李雷", ["李磊"]),
        ("かず", ["がず"]),
        ("Анна", ["Нина"]),
    ],
)
def test_other_names_are_other_people(name, others):
    assert lookalike(name, others) == ""


def test_digits_are_taken_for_letters():
    assert lookalike("B0b", ["Bob"]) and lookalike("Pau1", ["Paul"]) and not lookalike("rater 2", ["rater 1"])


def test_the_second_of_two_such_people_cannot_click():
    labelling = state()
    labelling.apply(decide(labelling, "Anna", "join", click()))
    with pytest.raises(Refused, match="which looks like 'Anna'; expected that one"):
        decide(labelling, "anna", "join", click())
    assert list(labelling.people) == ["Anna"]


def test_the_second_of_two_such_people_cannot_sign_in(tmp_path):
    with Serving(project(tmp_path, sample(), training_items=0)) as running:
        client, other = Client(running.port), Client(running.port)
        client.enter("Anna")
        client.post("/clicks/join", click())
        other.get()
        status, told = other.post("/sign-in", {"name": "anna"})
        assert status == 403 and "looks like 'Anna'" in told["error"]
        other.enter("Ben")
        for one in (client, other):
            one.close()


@pytest.mark.parametrize("later", [False, True])
def test_two_such_people_get_no_tokens(tmp_path, later):
    if later:
        tokens_of(tmp_path, ["Anna"])
    with pytest.raises(AccessError, match="found the name 'anna', which looks like 'Anna'"):
        tokens_of(tmp_path, ["anna"] if later else ["Anna", "anna"])
    assert (tmp_path / "tokens.json").exists() == later


@pytest.mark.parametrize("later", [False, True])
def test_labels_of_two_such_people_are_not_imported(tmp_path, later):
    folder = project(tmp_path, [item(1)])
    rows = [["item_id", "annotator", "label"], ["item-scope-0001", "Anna  B", "in_scope"]]
    write(folder / "labels.csv", rows)
    if later:
        assert run(folder, "import", "labels.csv").returncode == 0
        rows.pop()
    write(folder / "labels.csv", [*rows, ["item-scope-0001", "anna b", "in_scope"]])
    done = run(folder, "import", "labels.csv")
    place = f"labels.csv:{2 if later else 3}: annotator: found the name 'anna b', which looks like 'Anna B'"
    assert done.returncode == 1 and place in done.stderr and len(done.stderr.splitlines()) == 1
    assert f"with {int(later)} labels" in run(folder, "export", "all.csv").stdout


def write(path, rows):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
