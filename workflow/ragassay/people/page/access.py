"""Who a visitor is, and which requests are accepted. On loopback, people enter their names; elsewhere each has a
token. A cookie is a name with a code that only this folder's secret can make; it includes the token's digest, so that
revoking the token revokes it. Names may not look alike: such annotators are one person who typed a name in two ways,
or a person who poses as another."""
# ruff: noqa: RUF001

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
ACCENTS = re.compile("[\u0300-\u036f\u0591-\u05c7\u064b-\u0652\u0670\u302a-\u302f]")  # and points and tones
REPEATED = re.compile(r"([^\w\s.'@+-])\1+")  # a mark that hides behind the same one
JOINERS, QUOTE = "\u200c\u200d", "\u2019"
# Scripts that Unicode recommends for names (UAX #31). Letters of many others look like Latin capitals.
EAST_ASIA = set("CJK IDEOGRAPHIC HIRAGANA KATAKANA HANGUL BOPOMOFO".split())
SCRIPTS = {*EAST_ASIA, "LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "GEORGIAN", "HEBREW", "ARABIC", "THAANA", "ETHIOPIC"}
SCRIPTS |= set("DEVANAGARI BENGALI GURMUKHI GUJARATI ORIYA TAMIL TELUGU KANNADA MALAYALAM SINHALA".split())
SCRIPTS |= set("THAI LAO TIBETAN MYANMAR KHMER".split())
BLOCKS = (range(0x250), range(0x370, 0x530), range(0x1E00, 0x2000))  # usual letters of the first three
BARE = re.compile(
    r"LATIN (?:SMALL |CAPITAL )?LETTER (?:(?:SMALL|CAPITAL|DOTLESS|BARRED|AFRICAN) )*([A-Z])( BAR)?( WITH .+)?"
)
APOSTROPHES = "\u02bc\u02bb\u02bf\u02be\u02b9"
LOOKS = {  # letter -> those that look like it; capitals stand beside small letters, since they look otherwise
    "": f"\u0640\u115f\u1160\u17b4\u17b5{JOINERS}", "'": APOSTROPHES + QUOTE,
    "a": "аАαΑ", "b": "вьВβΒƅ", "c": "сС", "d": "ԁð", "e": "еєЕεΕɛ", "f": "\u03ddϜ", "g": "Ԍց",
    "h": "нһНΗիհ", "i": "іιւɩ", "j": "јЈ\u03f3յ", "k": "кКκΚĸ", "I": "ІӀΙ", "l": "ӏլԼוןا丨\u1175ǀ1", "m": "мМΜ",
    "n": "пηπΝոռŋ", "o": "оОοσΟօՕסهہዐഠଠဝჿ〇口ロ\u110b0", "p": "рРρΡբքƿþ", "q": "ԛգզ", "r": "г", "s": "ѕЅςՏƨ",
    "t": "тТτΤ", "u": "μυնսՍʊ", "v": "ѵѴν", "w": "ԝԜωաɯ", "x": "хХχΧ", "y": "уУγΥɣ", "z": "Ζ",
}  # fmt: skip
LETTERS = {
    code: bare[1].lower() for code in range(0xC0, 0x2B0) if (bare := BARE.fullmatch(unicodedata.name(chr(code))))
}
LETTERS |= {ord(letter): plain for plain, letters in LOOKS.items() for letter in letters}


class AccessError(AssayError):
    """Names or tokens cannot be used."""


def checked_name(name, people=()) -> str:
    """The name in one form and without blanks around it. Those who are among `people` go on under any name."""
    name = " ".join(name.split()) if isinstance(name, str) else ""
    if name in people:
        return name
    name = unicodedata.normalize("NFC", name)
    if not NAME.fullmatch("".join(map(_in_pattern, name))):
        raise AccessError("found no name, expected up to 64 letters, digits, blanks and . ' @ + -")
    if len(scripts := _scripts(name)) > 1:
        raise AccessError(f"found a name in letters of {' and '.join(sorted(scripts))}, expected those of one script")
    if strange := [letter for letter in unicodedata.normalize("NFKC", name) if not _is_usual(letter)]:
        letter = f"{strange[0]} (U+{ord(strange[0]):04X})"
        raise AccessError(f"found the letter {letter} in a name, expected usual letters, as of Latin or Arabic")
    return name


def _in_pattern(letter):
    """What stands for a letter where the pattern of names has no mark of a script, joiner or typeset apostrophe."""
    return "_" if _is_mark(letter) else "-" if letter in f"{JOINERS}{QUOTE}" else letter


def _is_mark(letter):
    return unicodedata.category(letter).startswith("M")


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
    plain = REPEATED.sub(r"\1", ACCENTS.sub("", unicodedata.normalize("NFKD", name)))
    written = plain.translate(LETTERS)
    forms = {plain.casefold().translate(LETTERS), written.casefold(), written.replace("I", "l").casefold()}
    return forms | {form.replace("rn", "m").replace("vv", "w") for form in forms}


def _scripts(name):
    """The scripts of a name's letters and digits, such as LATIN; those of East Asia mix with any."""
    return set(map(_script, unicodedata.normalize("NFKC", name))) - {"", *EAST_ASIA}


def _script(letter):
    """As the name of a letter, a mark, or a digit of its own, begins; empty for what all scripts share."""
    shared = letter in f"0123456789{APOSTROPHES}" or "\u0300" <= letter <= "\u036f"
    if shared or not (letter.isalnum() or _is_mark(letter)):
        return ""
    return unicodedata.name(letter, "UNNAMED").removeprefix("EXTENDED ").split()[0].split("-")[0]


def _is_usual(letter):
    """Some small letters of Africa are among those of phonetics, and their capitals among the usual ones."""
    script = _script(letter)
    if script in ("LATIN", "GREEK", "CYRILLIC"):
        return any(ord(form) in block for form in (letter, letter.upper()[0]) for block in BLOCKS)
    return not script or script in SCRIPTS


def secret_of(folder) -> bytes:
    """The secret of this folder, made when it is first needed."""
    path = Path(folder, "secret")
    if not path.exists():
        _write_private(path, secrets.token_hex(32))
    return path.read_bytes()


def tokens_of(folder, names: list[str], people=()) -> dict[str, str]:
    """name -> token. Those in `names` without a token get one; `people` have labelled already. Only the owner can read
    the file.
    """
    path = Path(folder, "tokens.json")
    try:
        tokens = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        if not all(isinstance(value, str) and len(value) >= 20 for value in tokens.values()):
            raise ValueError("a token is too short")
    except (ValueError, AttributeError) as error:
        expected = "expected names and their tokens as JSON; delete it to make new ones"
        raise AccessError(f"{path}: {error}; {expected}") from None
    before = len(tokens)
    for name in names:
        name = checked_name(name, {*people, *tokens})
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

    def signed_in(self, given: dict, people=()) -> str:
        """The name of the person who signs in with a name or a token; `people` are there already."""
        if self.tokens is None:
            return checked_name(given.get("name"), people)
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
