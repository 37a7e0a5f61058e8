"""Access: tokens are private and their own person's; cookies and page tokens cannot be made up or moved."""

import json
import os

import pytest

from ragassay.people.page.access import Access, AccessError, checked_name, is_own_host, secret_of, tokens_of


def test_tokens_are_made_once_and_only_their_owner_can_read_them(tmp_path):
    os.umask(0o022)
    first = tokens_of(tmp_path, ["Anna", "Ben"])
    assert tokens_of(tmp_path, ["Ben", "Cleo"]).items() >= first.items()
    assert len(set(tokens_of(tmp_path, []).values())) == 3
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


@pytest.mark.parametrize("host", ["127.0.0.1:8137", "localhost", "LOCALHOST:1", "[::1]:80"])
def test_this_machine_is_known_by_its_names(host):
    assert is_own_host(host)


@pytest.mark.parametrize("host", [None, "", "evil.example", "127.0.0.1.evil.example", "localhost.evil:80", "[::2]:1"])
def test_other_names_are_not_ours(host):
    assert not is_own_host(host)


@pytest.mark.parametrize("name", [None, 3, "", "  ", "-", "x" * 65, "a\0b", "<b>", "a/b", "../x"])
def test_names_are_names(name):
    with pytest.raises(AccessError, match="found no name"):
        checked_name(name)


def test_names_may_be_of_any_language():
    assert [checked_name(name) for name in (" Änne  O'Neil ", "李雷", "anna@example.org")] == [
        "Änne O'Neil",
        "李雷",
        "anna@example.org",
    ]


def test_tokens_are_json_that_people_can_read(tmp_path):
    tokens_of(tmp_path, ["Änne"])
    assert list(json.loads((tmp_path / "tokens.json").read_text())) == ["Änne"]
