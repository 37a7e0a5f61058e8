"""What a model answered and computed, recorded in one safetensors file so that others read it without the model: its
answers to prompts, what log-probabilities say of them, and activations as float16, by a hash over each prompt's
messages. The card in its metadata says which model and number format, which prompts and questions, which versions. It
has a digest over everything, itself included, so that a file that was cut or changed is refused in one line."""

import functools
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from ragassay.base import card, fitted_files
from ragassay.base.atomic import replacing
from ragassay.base.errors import AssayError, closest_file
from ragassay.models.activations.sites import FIRST_GENERATED, LAST_PROMPT, SITES

POSITIONS = LAST_PROMPT, FIRST_GENERATED
PROVIDER = "recorded"  # of the entry of `models` that names such a file
LARGEST = 4 << 30  # bytes of a file, which is read at once
LONGEST_HEADER = 1 << 20
NONE = -1.0  # instead of what log-probabilities say, which is never negative
ABSENT = -1  # instead of the place of states
WORDS = "words"  # rows of the output layer, if the file has states that it reads
ARRAYS = {"keys": "uint8", "answers": "uint8", "tokens": "int32", "certainties": "float32", "places": "int32"}
ARRAYS |= {"states": "float16"}
ANSWER = ("text", "finish_reason", "prompt_tokens", "completion_tokens", "detail")


class RecordingError(AssayError):
    """A recording cannot be read, or is of other prompts than those that are asked."""


def _is_reading(value) -> bool:
    if not isinstance(value, dict) or value.keys() != {"site", "layers", "position", "width"}:
        return False
    layers_are_right = card.is_list(value["layers"], int) and min(value["layers"]) >= 0
    width_is_right = type(value["width"]) is int and value["width"] > 0
    return layers_are_right and width_is_right and value["site"] in SITES and value["position"] in POSITIONS


def _are_readings(value) -> bool:
    return card.is_list(value, dict) and all(map(_is_reading, value))


def _is_identity(value) -> bool:
    return isinstance(value, dict) and card.is_digest(value.get("files")) and isinstance(value.get("dtype"), str)


def _is_answer(row) -> bool:
    kinds = (str, str, int | None, int | None, str | None)
    return isinstance(row, list) and len(row) == len(ANSWER) and all(map(isinstance, row, kinds))


DIGESTS = card.expected("digests", lambda value: isinstance(value, list) and all(map(card.is_digest, value)))
FORM = card.Form(
    "recording", 1,
    {
        "model": str, "identity": card.expected("what the model is", _is_identity),
        "blocks": card.positive("a number of blocks"), "sampling": dict,
        "readings": card.expected("site, layers, position and width of each", _are_readings),
        "prompts": DIGESTS, "questions": DIGESTS, "versions": dict,
        "arrays": card.expected("a digest", card.is_digest),
    },
    "record it again with: ragassay exam MODEL", RecordingError, made="recorded",
)  # fmt: skip


def message_key(messages: list[dict]) -> bytes:
    """What a prompt is found by."""
    return hashlib.sha256(json.dumps(messages, sort_keys=True).encode()).digest()[:16]


def questions_digest(questions: Iterable[str]) -> str:
    """Of the questions of a data set, in any order."""
    return hashlib.sha256(json.dumps(sorted(set(questions))).encode()).hexdigest()


def write(path, facts: dict, arrays: dict[str, np.ndarray]) -> None:
    """The file of a card and its arrays; numbers that are not finite are refused."""
    from safetensors.numpy import save

    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise RecordingError(f"{path}: found a number in {name} that is not finite; check the model's weights")
    signed = card.signed({"format": FORM.format, **facts, "arrays": _digest(arrays)})
    content = save(arrays, metadata={"card": json.dumps(signed, sort_keys=True, allow_nan=False)})
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as target:
        target.write(content)


def read_card(path) -> dict:
    """The card alone."""
    if not Path(path).is_file():
        raise RecordingError(f"{path}: no such file, expected a recording{closest_file(path)}; make one: ragassay exam")
    with fitted_files.reading(functools.partial(FORM.refusal, path)), Path(path).open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > LONGEST_HEADER:
            raise ValueError("found no safetensors file")
        facts = json.loads(json.loads(file.read(length))["__metadata__"]["card"])
        if facts != card.signed(facts):
            raise ValueError("found another card than was written")
        if facts["format"] != FORM.format:
            raise ValueError(f"found format {facts['format']!r}, expected {FORM.format}")
    card.check_parts(path, FORM, facts)
    return facts


def _digest(arrays):
    total = hashlib.sha256()
    for name, array in sorted(arrays.items()):
        total.update(f"{name} {array.dtype.name} {array.shape} ".encode())
        total.update(np.ascontiguousarray(array).tobytes())
    return total.hexdigest()


@dataclass(frozen=True)
class Recording:
    """A file that was read and found whole."""

    path: Path
    card: dict
    arrays: dict[str, np.ndarray]

    @classmethod
    def open(cls, path) -> "Recording":
        facts = read_card(path)
        refusal = functools.partial(FORM.refusal, path)
        with fitted_files.reading(refusal):
            if Path(path).stat().st_size > LARGEST:
                raise ValueError(f"found more than {LARGEST >> 30} GB")
            arrays = fitted_files.arrays(Path(path).read_bytes())
            if _digest(arrays) != facts["arrays"]:
                raise ValueError("found other numbers than were recorded")
            _check(facts, arrays)
        return cls(Path(path), facts, arrays)

    @property
    def digest(self) -> str:
        return self.card[card.DIGEST]

    @cached_property
    def answers(self) -> list[dict]:
        rows = json.loads(self.arrays["answers"].tobytes())
        return [dict(zip(ANSWER, row, strict=True)) for row in rows]

    @cached_property
    def _rows(self):
        return {key.tobytes(): row for row, key in enumerate(self.arrays["keys"])}

    def row(self, messages: list[dict]) -> int:
        """The number of a prompt."""
        row = self._rows.get(message_key(messages))
        if row is None:
            raise FORM.refusal(
                self.path,
                f"found no answer to one of the prompts among {len(self._rows)}, so that it was recorded with other"
                " passages or another number of them",
            )
        return row

    def check(self, prompts: Iterable[str], questions: Iterable[str]) -> None:
        """Refuse one of other prompts, by their digests, or of another set of questions."""
        if wrong := sorted({*prompts} - {*self.card["prompts"]}):
            problem = f"found no prompt of digest {wrong[0][:16]}, so that it was recorded with another prompt"
            raise FORM.refusal(self.path, problem)
        digest = questions_digest(questions)
        if digest not in self.card["questions"]:
            expected = ", ".join(each[:16] for each in self.card["questions"])
            problem = f"found answers to questions of digest {expected}, expected {digest[:16]}"
            raise FORM.refusal(self.path, f"{problem}: it was recorded for another set of questions")

    def certainties(self, row: int) -> list[float | None]:
        """What log-probabilities say of an answer, as the table activations has it."""
        return [None if value == NONE else value for value in self.arrays["certainties"][row].astype(float).tolist()]

    @property
    def words(self) -> np.ndarray | None:
        """Rows of the output layer, for the tokens that are likeliest to come next in all that was recorded."""
        words = self.arrays.get(WORDS)
        return None if words is None else words.astype(np.float32)


def _check(facts, arrays):
    """ValueError unless arrays are those of such a card."""
    if missing := sorted(ARRAYS.keys() - arrays.keys()):
        raise ValueError(f"found no array {missing[0]}")
    count, numbers = len(arrays["keys"]), sum(len(each["layers"]) * each["width"] for each in facts["readings"])
    stored = len(arrays["states"])
    shapes = {"keys": (count, 16), "answers": (None,), "tokens": (count,), "certainties": (count, 3)}
    shapes |= {"places": (count,), "states": (stored, numbers)}
    for name, dtype in ARRAYS.items():
        fitted_files.check(name, arrays[name], dtype, shapes[name])
    fitted_files.check("places", arrays["places"], "int32", (count,), ABSENT, stored - 1)
    if WORDS in arrays:
        fitted_files.check(WORDS, arrays[WORDS], "float16", (None, None))
    rows = json.loads(arrays["answers"].tobytes())
    if not isinstance(rows, list) or len(rows) != count or not all(map(_is_answer, rows)):
        raise ValueError(f"found answers to other prompts than its {count}")
