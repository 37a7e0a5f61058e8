"""What a guard was fitted with: the scorer and the encoders of the search, by digests of their files and all else that
changes what they compute. Another one gives other scores, which thresholds say nothing about.
"""

from ragassay.models.encoders.encoder import Encoder
from ragassay.studies.poisoning.defences.null import DefenceError

PASSAGE, QUERY = "passage", "query"  # the roles of texts in a search
ABOUT = "revision"  # says where files come from; the same files are the same under any name


def encoders(entries: dict[str, dict]) -> dict[str, dict]:
    """Role -> what the encoder is that reads texts in it; entries are those of the configuration, with names."""
    found = {}
    for role, entry in entries.items():
        same = [other for other in found if entries[other] == entry]  # whose files need not be read again
        encoder = Encoder(**entry)
        own = found[same[0]] if same else encoder.identity | {ABOUT: encoder.local.commit}
        found[role] = own | {"prefix": encoder.prefix(role)}
    return found


def check(path, what: str, found: dict, fitted: dict) -> None:
    """Refuse what is not the one of the fitting; `what` is its name, such as "scorer ngram"."""
    for key in dict.fromkeys([*fitted, *found]):
        if key != ABOUT and found.get(key) != fitted.get(key):
            raise DefenceError(
                f"{path}: found the {what} with {key} {found.get(key)!r}, but it was fitted with {fitted.get(key)!r};"
                " name that one, or fit the guard again"
            )
