"""Which part of a data set something belongs to: train, validation or test, eight to one to one.

The part follows from the key alone, which is the id of a cluster of near-duplicates. So similar texts stay together,
nothing moves when documents are added, and no list of splits has to be kept. Shares are therefore only about 80, 10 and
10 %; nothing is balanced by topic or shard.
"""

import hashlib

PARTS = ("train",) * 8 + ("validation", "test")


def split_of(key: str, turn: int = 0) -> str:
    """The part for a key. The hash has a separate name, so that parts are independent of other uses of the key. Over as
    many folds as there are `PARTS`, each key is in the test part once.
    """
    digest = hashlib.sha256(f"split {key}".encode()).digest()
    return PARTS[(int.from_bytes(digest[:8], "big") + turn) % len(PARTS)]
