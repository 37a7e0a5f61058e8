"""Names that look alike: they differ only by case, by accents, or by letters of other alphabets that look the same.
Two annotators with such names are one person who typed a name in two ways, or a person who poses as another.
"""

import re
import unicodedata

ACCENTS = re.compile("[\u0300-\u036f]")
LETTERS = str.maketrans(
    "авеікмнорстухѕјһԁԛԝ" + "αβεζηικμνορτυχ" + "\u013101",  # Cyrillic, Greek, and three that look like i, o and l
    "abeikmhopctyxsjhdqw" + "abezhikmnoptyx" + "iol",
)


def refusal(name: str, names) -> str:
    """Why a new name that looks like one of `names` is refused; empty if it is one of them or looks like none."""
    if name in names:
        return ""
    for other in names:
        if _shape(other) == _shape(name):
            expected = "expected that one for the same person, or a name that differs more"
            return f"found the name {name!r}, which looks like {other!r}; {expected}"
    return ""


def _shape(name):
    return ACCENTS.sub("", unicodedata.normalize("NFKD", name).casefold()).translate(LETTERS)
