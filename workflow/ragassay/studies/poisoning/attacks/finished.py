"""What attacks that optimise have made so far: each unit of work, such as a target, is kept as soon as it is done, so
that a job that was killed goes on where it was. A folder of JSON files that are added, never changed; not an output.

A unit is known by everything that its texts follow from: the attack's code and settings, the weights that it uses, and
the unit's own content.
"""

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path

from ragassay.base.atomic import write_text
from ragassay.base.stage import log
from ragassay.studies.poisoning.attacks.attack import AttackError, Poison


class Finished:
    """The units of one attack; `about` is what all of them follow from. What a stand-in for a model answered is not to
    be kept.
    """

    def __init__(self, folder, about: dict, keeps: bool = True):
        self.folder, self.keeps = Path(folder, _digest(about)), keeps
        if keeps and not (self.folder / "attack.json").exists():
            write_text(self.folder / "attack.json", json.dumps(about, indent=1, sort_keys=True) + "\n")

    def each(self, units: list[dict], make: Callable[[dict], list[Poison]]) -> Iterator[Poison]:
        """What is made of each unit, now or before."""
        for number, unit in enumerate(units, 1):
            path, done = self.folder / f"{_digest(unit)}.json", "made before"
            if path.exists():
                texts = _read(path)
            else:
                texts, done = make(unit), "made"
                if self.keeps:
                    write_text(path, json.dumps(texts))
            log.info("%d of %d: %d texts, %s", number, len(units), len(texts), done)
            yield from texts


def _read(path):
    try:
        return [Poison(*one) for one in json.loads(path.read_text())]
    except (ValueError, TypeError) as error:
        raise AttackError(f"{path}: damaged ({error}); delete it and its texts are made again") from error


def _digest(content):
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32]
