"""Who a visitor is, and which requests are accepted. On loopback, people enter their names; elsewhere each has a
token. A cookie is a name with a code that only this folder's secret can make; it includes the token's digest, so that
revoking the token revokes it. Names may not look alike: such annotators are one person who typed a name in two ways,
or a person who poses as another."""

import base64
import hashlib
import hmac
import json
import os
import re
import secrets
import unicodedata
from pathlib import Path

from ragassay.base.atomic import replacing
from ragassay.base.errors import AssayError

NAME = re.compile(r"[^\W_](?:[\w .'@+-]{0,62}[\w.])?")
LOOPBACK = ("127.0.0.1", "localhost", "::1")
ACCENTS = re.compile("[\u0300-\u036f]")
LETTERS = str.maketrans(
    "авеікмнорстухѕјһԁԛԝ" + "αβεζηικμνορτυχ" + "\u013101",  # Cyrillic, Greek, and three that look like i, o and l
    "abeikmhopctyxsjhdqw" + "abezhikmnoptyx" + "iol",
)


class AccessError(AssayError):
    """Names or tokens cannot be used."""


def checked_name(name) -> str:
    """The name without blanks around it."""
    name = " ".join(name.split()) if isinstance(name, str) else ""
    if not NAME.fullmatch(name):
        raise AccessError("found no name, expected up to 64 letters, digits, blanks and . ' @ + -")
    if len(scripts := _scripts(name)) > 1:
        raise AccessError(f"found a name in letters of {' and '.join(sorted(scripts))}, expected those of one script")
    return name


def lookalike(name: str, names) -> str:
    """Why a new name that looks like one of `names` is refused; empty if it is one of them or looks like none."""
    if name in names:
        return ""
    for other in names:
        if _shapes(other) & _shapes(name):
            expected = "expected that one for the same person, or a name that differs more"
            return f"found the name {name!r}, which looks like {other!r}; {expected}"
    return ""


def _shapes(name):
    """What a name looks like in small letters, and as it is written, where a capital I is an l."""
    plain = ACCENTS.sub("", unicodedata.normalize("NFKD", name))
    small, written = (text.casefold().translate(LETTERS) for text in (plain, plain.replace("I", "l")))
    return {small, written, *(text.replace("rn", "m").replace("vv", "w") for text in (small, written))}


def _scripts(name):
    """The scripts of a name's letters, such as LATIN; those of East Asia mix with any."""
    scripts = {
        unicodedata.name(letter, "UNNAMED").split()[0]
        for letter in unicodedata.normalize("NFKC", name)
        if letter.isalpha()
    }
    return scripts - {"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HANGUL", "BOPOMOFO", "MODIFIER"}


def secret_of(folder) -> bytes:
    """The secret of this folder, made when it is first needed."""
    path = Path(folder, "secret")
    if not path.exists():
        _write_private(path, secrets.token_hex(32))
    return path.read_bytes()


def tokens_of(folder, names: list[str]) -> dict[str, str]:
    """name -> token. People in `names` without a token get one. Only the owner can read the file."""
    path = Path(folder, "tokens.json")
    try:
        tokens = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        if not all(isinstance(value, str) and len(value) >= 20 for value in tokens.values()):
            raise ValueError("a token is too short")
    except (ValueError, AttributeError) as error:
        expected = "expected names and their tokens as JSON; delete it to make new ones"
        raise AccessError(f"{path}: {error}; {expected}") from None
    before = len(tokens)
    for name in map(checked_name, names):
        if alike := lookalike(name, tokens):
            raise AccessError(alike)
        tokens.setdefault(name, secrets.token_urlsafe(24))
    if len(tokens) > before:
        _write_private(path, json.dumps(tokens, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
    if path.exists():
        path.chmod(0o600)
    return tokens


def _write_private(path, text):
    try:
        with replacing(path) as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(text.encode())
    except OSError as error:
        raise AccessError(f"{path}: {error.strerror}; expected a place where a file can be written") from error


class Access:
    """`tokens` are None on loopback, where a name is enough."""

    def __init__(self, secret: bytes, tokens: dict[str, str] | None):
        self.secret, self.tokens = secret, tokens

    def signed_in(self, given: dict) -> str:
        """The name of the person who signs in with a name or a token."""
        if self.tokens is None:
            return checked_name(given.get("name"))
        token = given.get("token") if isinstance(given.get("token"), str) else ""
        names = [name for name, secret in self.tokens.items() if hmac.compare_digest(secret.encode(), token.encode())]
        if not names:
            raise AccessError("Nobody has this token.")
        return names[0]

    def cookie(self, name: str) -> str:
        return f"{base64.urlsafe_b64encode(name.encode()).decode()}.{self._code('cookie', name)}"

    def name_in(self, cookie: str | None) -> str | None:
        """The name in a cookie; None if the cookie is not valid."""
        encoded, _, code = (cookie or "").partition(".")
        try:
            name = base64.urlsafe_b64decode(encoded.encode()).decode()
        except ValueError:
            return None
        return name if name and hmac.compare_digest(code.encode(), self._code("cookie", name).encode()) else None

    def page_token(self, name: str | None) -> str:
        """What a page sends with every click, so that no other site can click on a person's behalf."""
        return self._code("page", name or "")

    def is_page_token(self, token: str | None, name: str | None) -> bool:
        return hmac.compare_digest((token or "").encode(), self.page_token(name).encode())

    def _code(self, purpose, name):
        token = "loopback" if self.tokens is None else hashlib.sha256(self.tokens.get(name, "").encode()).hexdigest()
        return hmac.new(self.secret, "\0".join([purpose, name, token]).encode(), hashlib.sha256).hexdigest()


def is_own_host(header: str | None) -> bool:
    """Whether a Host header names this machine. A page under another name that leads here is not ours."""
    host = (header or "").strip().lower()
    host = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    return host in LOOPBACK
