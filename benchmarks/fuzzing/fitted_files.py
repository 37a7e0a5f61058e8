"""Doors of what somebody fitted: gates, guards and probes, as files with a right signature and wrong contents."""

import atexit
import base64
import contextlib
import functools
import hashlib
import itertools
import json
import random
import shutil
import tempfile
from pathlib import Path

import numpy as np
from safetensors.numpy import load, save

import fitted
from fuzzing.door import Door, LetIn
from fuzzing.mutations import changed_value
from ragassay import Detector, Gate, Guard, Probe
from ragassay.base import card
from ragassay.base.errors import AssayError
from ragassay.models.recording import Recording
from ragassay.studies.relevance.statistics import FUSED, SIMPLE, TOGETHER

UNITS, HEAD = [[-0.5, 0.2]], {"outer.weight": [0.5, 0.2, 0.1], "outer.bias": [0.3]}
STATISTICS = [
    {"statistic": {"name": name, "k": 3, "temperature": 0.5, **more}}
    for name in (*SIMPLE, *TOGETHER)
    for more in ({"units": UNITS, "head": HEAD}, {"units": UNITS} if name == FUSED else {"head": HEAD})
]  # of one searcher; each once with the numbers of others, too


def fitted_folder(name, path, open_and_use, others=({},)):
    """A folder with what was fitted, of which the content is one file of JSON, signed, or one array; `others` are
    parts that may stand in it instead.
    """

    def sample(draw):
        about = json.loads(path().read_text()) | draw.choice(others)
        about = changed_value(draw, about) if draw.random() < 0.9 else about
        return json.dumps(about).encode()

    def enter(content, folder):
        try:
            about = card.signed(json.loads(content))
        except (ValueError, RecursionError, AttributeError):
            (folder / name).write_bytes(content)
        else:
            (folder / name).write_text(json.dumps(about))
        for other in path().parent.iterdir():
            if other.name != name and other.is_file():
                (folder / other.name).write_bytes(other.read_bytes())
        return open_and_use(folder)

    return Door(sample, enter)


def numbers(path, open_and_use):
    """Arrays of a probe whose digest is right, with numbers, types and shapes that are not."""

    def sample(draw):
        arrays = load(path().with_name("heads.safetensors").read_bytes())
        name = draw.choice(sorted(arrays))
        values = np.array(arrays[name])
        with np.errstate(all="ignore"):
            match draw.randrange(4):
                case 0 if values.size and values.dtype.kind == "f":
                    values.reshape(-1)[draw.randrange(values.size)] = draw.choice([np.nan, np.inf, 1e38])
                case 1:
                    values = values.astype(draw.choice([np.float64, np.int8, bool]))
                case 2:
                    values = values[None] if draw.random() < 0.5 else values.reshape(-1)[: values.size // 2]
                case _:
                    del arrays[name]
        if name in arrays:
            arrays[name] = np.ascontiguousarray(values)
        return base64.b64encode(save(arrays))

    def enter(content, folder):
        try:
            weights = base64.b64decode(content)
        except ValueError:
            weights = content
        (folder / "heads.safetensors").write_bytes(weights)
        about = json.loads(path().read_text())
        about["weights"] = hashlib.sha256(weights).hexdigest()
        (folder / "card.json").write_text(json.dumps(card.signed(about)))
        return open_and_use(folder)

    return Door(sample, enter)


@functools.cache
def made():
    """A gate, guards and probes as stages write them: the small ones of the tests."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-fitted-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    fitted.write_gate(folder / "gate", "mss")
    (folder / "guards").mkdir()
    fitted.write_guards(folder / "guards")
    fitted.write_probes(folder / "probes")
    fitted.write_detector(folder / "detector", folder / "embeddings")
    fitted.write_recording(folder / "recording.safetensors")
    for kind in ("trustrag", "chain"):
        (folder / kind).mkdir()
        (folder / "guards" / f"{kind}.json").rename(folder / kind / "guard.json")
    return folder


def recording(draw):
    """One whose card says other things, signed."""
    content = (made() / "recording.safetensors").read_bytes()
    length = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:length])
    facts = changed_value(draw, json.loads(header["__metadata__"]["card"]))
    if draw.random() < 0.7 and isinstance(facts, dict):
        facts = card.signed(facts)
    header["__metadata__"]["card"] = json.dumps(facts)
    head = json.dumps(header).encode()
    return len(head).to_bytes(8, "little") + head + content[length:]


def opened_recording(path):
    opened = Recording.open(path)
    _ = opened.answers, opened.words, opened.digest
    for check in (opened.check, lambda *_: opened.row([])):
        with contextlib.suppress(AssayError):
            check(["ab"], ["Who?"])


def damaged_files(count: int) -> tuple[int, int, int]:
    """So many accidents to files of gates, guards and probes: how many there were, how many are an error of one line
    when the file is loaded, and how many are let in. Any other error is raised.
    """
    draw, refused, opened = random.Random(0), 0, 0
    loads = {"gate": Gate.load, "trustrag": lambda folder: Guard.load(folder / "guard.json")}
    loads |= {"chain": loads["trustrag"], "probes": lambda folder: Probe.load(folder, "logistic")}
    files = [(name, file) for name in loads for file in sorted((made() / name).iterdir())]
    for name, file in itertools.islice(itertools.cycle(files), count):
        content = file.read_bytes()
        at = draw.randrange(len(content))
        damage = draw.choice([
            content[:at], content[at + 1 :], content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :],
            content + content, content[:at] + b"NaN" + content[at:],
        ])  # fmt: skip
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(made() / name, folder, dirs_exist_ok=True)
            Path(folder, file.name).write_bytes(damage)
            try:
                loads[name](Path(folder))
                opened += 1
            except AssayError as error:
                refused += len(str(error).splitlines()) == 1
    return count, refused, opened


def gated(folder):
    if any(not 0 <= decision.p_value <= 1 for decision in Gate.load(folder)(["Is the ferry old?", "Zyzzy?"])):
        raise LetIn("a p-value that is none")


def guarded(folder):
    texts = ["Is the ferry of the isle old? No.", "A choir."]
    Guard.load(folder / "guard.json")("Is the ferry of the isle old?", texts, [0.9, 0.4], np.eye(2))


def detected(folder):
    detector = Detector.load(folder, made() / "embeddings")
    if not 0 <= detector("Is the ferry old?", "The ferry of the isle is old.").probability <= 1:
        raise LetIn("a probability that is none")


def probed(folder):
    for kind in ("logistic", "lens", "triplet"):
        verdicts = Probe.load(folder, kind).judge(np.ones((2, 3, 4), np.float32))
        if any(verdict.score != verdict.score for verdict in verdicts):
            raise LetIn("a score that is none")
