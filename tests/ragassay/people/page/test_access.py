"""Who gets in, and under which names."""

import csv
import json
import os

import pytest

from people import Serving, click, item, project, run, sample, state
from ragassay.people.click_log import Log
from ragassay.people.page.access import Access, AccessError, checked_name, is_own_host, lookalike, secret_of, tokens_of
from ragassay.people.page.clicks import Refused, decide


def test_tokens_are_made_once_and_only_their_owner_can_read_them(tmp_path):
    os.umask(0o022)
    first = tokens_of(tmp_path, ["Änne", "Ben"])
    assert tokens_of(tmp_path, ["Ben", "Cleo"]).items() >= first.items()
    assert len(set(tokens_of(tmp_path, []).values())) == 3
    assert list(json.loads((tmp_path / "tokens.json").read_text())) == ["Ben", "Cleo", "Änne"], "people can read it"
    assert (tmp_path / "tokens.json").stat().st_mode & 0o777 == 0o600
    (tmp_path / "tokens.json").chmod(0o644)
    tokens_of(tmp_path, [])
    assert (tmp_path / "tokens.json").stat().st_mode & 0o777 == 0o600


def test_the_secret_is_private_and_stays(tmp_path):
    assert secret_of(tmp_path) == secret_of(tmp_path) and len(secret_of(tmp_path)) == 64
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("content", ["[1]", "{", '{"Anna": "short"}', '{"Anna": 5}'])
def test_a_damaged_file_of_tokens_is_named(tmp_path, content):
    (tmp_path / "tokens.json").write_text(content)
    with pytest.raises(AccessError, match=r"tokens\.json"):
        tokens_of(tmp_path, ["Anna"])


def test_a_token_is_one_persons():
    access = Access(b"secret", {"Anna": "a" * 32, "Ben": "b" * 32})
    assert access.signed_in({"token": "b" * 32}) == "Ben"
    for wrong in ({"token": ""}, {"token": None}, {"name": "Anna"}, {"token": "é"}, {"token": "a" * 31}):
        with pytest.raises(AccessError):
            access.signed_in(wrong)


def test_a_cookie_is_worth_nothing_elsewhere_or_when_its_token_is_gone():
    tokens = {"Anna": "a" * 32}
    access = Access(b"secret", tokens)
    cookie = access.cookie("Anna")
    assert access.name_in(cookie) == "Anna"
    others = [
        Access(b"other", tokens),
        Access(b"secret", {"Anna": "c" * 32}),
        Access(b"secret", {}),
        Access(b"secret", None),
    ]
    assert [other.name_in(cookie) for other in others] == [None] * 4
    name, _, code = cookie.partition(".")
    for wrong in (None, "", ".", name, f"{name}.", f"QmVu.{code}", f"{name}.{code[:-1]}0", "é.x", f"!.{code}"):
        assert access.name_in(wrong) is None


def test_a_page_token_is_one_persons():
    access = Access(b"secret", None)
    assert access.is_page_token(access.page_token("Anna"), "Anna")
    assert not any(
        access.is_page_token(token, "Anna") for token in (None, "", access.page_token("Ben"), access.cookie("Anna"))
    )


def test_this_machine_is_known_by_its_names_and_by_no_others():
    assert all(map(is_own_host, ["127.0.0.1:8137", "localhost", "LOCALHOST:1", "[::1]:80"]))
    others = [None, "", "evil.example", "127.0.0.1.evil.example", "localhost.evil:80", "[::2]:1"]
    assert not any(map(is_own_host, others))


@pytest.mark.parametrize(
    "name",
    [
        None, 3, "", "  ", "-", "x" * 65, "a\0b", "<b>", "a/b", "../x",
        "\u0301Ana", "\u0940\u0930", "\u200cAnna", "Anna\u200c", "Anna\u2019",  # marks and joiners stand inside
    ],
)  # fmt: skip
def test_names_are_names(name):
    with pytest.raises(AccessError, match="found no name"):
        checked_name(name)


def test_names_may_be_of_any_language():
    assert [checked_name(name) for name in (" Änne  O'Neil ", "李雷", "anna@example.org")] == [
        "Änne O'Neil",
        "李雷",
        "anna@example.org",
    ]
    names = (
        "Əli Ləman, Kɔfi Ɛdem, Łukasz, Nguyễn Thị Ánh, Ελένη, Їжак, Արամ, ლევან, محمد, דוד, አበበ, राहुल, নূর, "
        "கமல், ญาณี, ದಿನೇಶ್, ව\u0dd2මල\u0dca, မောင်, علی\u200cرضا, مُحَمَّد, ශ්\u200dරී, O\u2019Brien, "
        "ʿUmar Maʾmūn, Il\u02b9ya"
    ).split(", ")
    assert [checked_name(name) for name in names] == names
    assert checked_name(" Jose\u0301 ") == "José"
    assert not any(lookalike(name, ["Anna", "Ben", "Olga", "Eva", "Pham"]) for name in names)


@pytest.mark.parametrize(
    "name", ["Anna\ufe0f", "Anna\U000e0100", "Ann\u064ea", "रा\u0981\u09c1", "A\u0483nna", "A\u20dd"]
)
def test_marks_are_of_the_script_of_a_name(name):
    with pytest.raises(AccessError, match=r"expected (those of one script|usual letters)"):
        checked_name(name)


@pytest.mark.parametrize(
    "pair",
    [
        "علی\u200cرضا علیرضا", "ญาณี ญาณีี", "O\u2019Brien O'Brien", "ʿUmar ʾUmar", "مُحَمَّد محمد", "នន\u17b4 នន",
        "Q\u0301uinn Quinn", "Anna\u302a Anna",
    ],
)  # fmt: skip
def test_what_nobody_sees_in_a_name_makes_no_other_name(pair):
    name, other = pair.split()
    assert checked_name(name) == name and lookalike(name, [other]) and lookalike(other, [name])


OLD = "\u1d00nn"  # which is refused to newcomers


def test_people_who_are_there_already_go_on(tmp_path):
    assert checked_name(f" {OLD} ", {OLD: 1}) == OLD and Access(b"secret", None).signed_in({"name": OLD}, [OLD]) == OLD
    assert tokens_of(tmp_path, [OLD], {OLD}) == tokens_of(tmp_path, [OLD])


def test_people_who_have_labelled_already_are_imported_sign_in_and_get_tokens(tmp_path):
    folder = project(tmp_path, [item(1)], training_items=0)
    study = folder / "annotation/careful/careful"
    log = Log(study / "events.jsonl")
    log.append({"event": "join", "person": OLD, "group": 1, "click": "00000000", "at": 1})
    log.close()
    write(folder / "labels.csv", [["item_id", "annotator", "label"], ["item-scope-0001", OLD, "in_scope"]])
    assert run(folder, "import", "labels.csv").returncode == 0
    with Serving(folder) as running:
        running.visitor().enter(OLD)
    with Serving(folder, "--annotators", OLD):
        assert OLD in json.loads((study / "tokens.json").read_text())


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
        ("Elle", ["Elie", "Ella"]),  # sounds alike
        ("Mia", ["Mla"]),
        ("rater 2", ["rater 1"]),
        ("रामा", ["रमा", "रामी"]),  # other vowel signs
        ("ญาณี", ["ญาณิ"]),
    ],
)
def test_other_names_are_other_people(name, others):
    assert lookalike(name, others) == ""


@pytest.mark.parametrize(
    "pair",
    ["Arne Ame", "Ian lan", "vvim wim", "Ilse IIse", "\ufb01n fin", "\U0001d5d4nna Anna", "B0b Bob", "Pau1 Paul"],
)
def test_letters_that_look_like_others_are_taken_for_them(pair):
    name, other = pair.split()
    assert lookalike(name, [other]) and lookalike(other, [name])


@pytest.mark.parametrize("name", ["Ann\u0430", "\u0391nna", "Ann\u0561", "\u13aanna"])
def test_a_name_is_in_one_script(name):
    with pytest.raises(AccessError, match=r"letters of .* and .*, expected those of one script"):
        checked_name(name)


@pytest.mark.parametrize(
    "pair",
    [
        "hop \u0570\u0585\u0562",  # Armenian
        "nana \u043f\u0430\u043f\u0430 bob \u042c\u043e\u044c",  # Cyrillic
        "vova \u03bd\u03bf\u03bd\u03b1 Nina \u039d\u0399\u039d\u0391",  # Greek
        "Soren S\u00f8ren Lukasz \u0141ukasz ron \u0280on dan \u00f0an",
        "Paul Pau\u3163 bob b\u3007b lol \u05df\u05e1\u05df O'Neil O\u02bcNeil",
        "\u0627\u062d\u0645\u062f \u0627\u062d\u0640\u0645\u062f",  # with a letter made longer
    ],
)
def test_names_that_imitate_others_in_one_script_are_taken_for_them(pair):
    names = pair.split()
    for name, other in zip(names[::2], names[1::2], strict=True):
        assert checked_name(other) == other and lookalike(other, [name]) and lookalike(name, [other]), other


@pytest.mark.parametrize(
    "name",
    ["\u0261ina", "\u0251nn", "\u1d00nn", "\ua4ee\ua4e0\ua4e0", "\uabae\uab8e\uabaf", "\u2c81\u2c9b", "\U00010454"],
)
def test_letters_of_phonetics_and_of_rare_scripts_are_refused(name):
    with pytest.raises(AccessError, match=r"found the letter .* \(U\+[0-9A-F]+\) in a name, expected usual letters"):
        checked_name(name)


def test_a_digit_is_of_a_script_like_a_letter():
    assert checked_name("\u062f\u0627\u0646\u06cc\u0627\u0644 \u06f2")
    with pytest.raises(AccessError, match="ARABIC and LATIN"):
        checked_name("ann\u0665")


def test_scripts_of_east_asia_mix():
    assert checked_name("佐々木 Ken") and checked_name("Kさん")
    assert checked_name("Ken 田中") and checked_name("山田たろう") and checked_name("이순신 Lee")


def test_the_second_of_two_such_people_cannot_click():
    labelling = state()
    labelling.apply(decide(labelling, "Anna", "join", click()))
    with pytest.raises(Refused, match="which looks like 'Anna'; expected that one"):
        decide(labelling, "anna", "join", click())
    assert list(labelling.people) == ["Anna"]


def test_the_second_of_two_such_people_cannot_sign_in(tmp_path):
    with Serving(project(tmp_path, sample(), training_items=0)) as running:
        running.person("Anna")
        other = running.visitor()
        other.get()
        status, told = other.post("/sign-in", {"name": "anna"})
        assert status == 403 and "looks like 'Anna'" in told["error"]
        other.enter("Ben")


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
