"""What activations cost, one thread: collecting them beside the trunk's own forward pass and beside the usual way,
keeping 6,000 samples of 48 layers x 6,400 numbers (as many as a model of 1.5 billion parameters has at its MLPs),
reading some of these, and training on all of them through the loader.
"""

import functools
import hashlib
import random
import tempfile
from pathlib import Path

from common.figures import figure
from common.memory import peak_megabytes, task
from local.states import TEXTS, TOKENS, batch, compared, decoder, passes

SAMPLES, LAYERS, WIDTH, SOME = 6000, 48, 6400, 100
MANY, FEW, SHORT = 1800, 600, 6  # samples, both more than are held at a time, and tokens of a prompt
EACH = LAYERS * WIDTH * 2  # bytes
TRIPLET = {"widths": [4, 8], "epochs": 1, "batch": 8, "support": 100}


def collecting() -> None:
    times = task("collect")
    figure("all_layers_time", times["residual/forward"], "of_forward", "<= 1.02", 1.0)
    figure("collecting_mlp", times["mlp/forward"], "of_forward", "<= 1.05", 1.0)
    usual = times["usual/forward"]
    figure("all_layers_faster_than_output_hidden_states", times["usual/residual"], "x", ">= 1.2", usual)
    extra = {name: task("collecting_memory", name) for name in ("residual", "usual", "forward")}
    least = extra["forward"] / extra["usual"]
    figure("all_layers_extra_memory", extra["residual"] / extra["usual"], "of_usual", "<= 0.334", least)


def samples() -> None:
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        few, many = (_least(folder, count) for count in (FEW, MANY))
    figure(f"memory_of_{MANY}_samples", many / few, f"of_{FEW}_samples", "<= 1.25", 1.0)


def _least(folder, count, runs=2):
    """Of the memory that samples take: what the system's library keeps of freed memory differs from run to run."""
    return min(task("samples_memory", f"{folder}/{count}-{run}", count) for run in range(runs))


def stored() -> None:
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        task("fill", f"{folder}/store")
        some = task("read", f"{folder}/store")
        figure(f"reading_{SOME}_of_{SAMPLES}", some["bytes"], "of_their_bytes", "<= 2", 1.0)
        figure(f"reading_{SOME}_of_{SAMPLES}_memory", some["extra"], "MB", "<= 100", SOME * EACH / 1e6)
        figure(f"training_on_{SAMPLES}_memory", task("train", f"{folder}/store"), "MB", "< 3000")


def _ways(*names):
    """Ways to get the last token of a batch: by the trunk alone, from all layers of a site, and as is usual."""
    import torch

    from ragassay.models.activations.sites import Place
    from ragassay.models.activations.states import States

    prompts, model = batch(), decoder(whole="usual" in names)
    tokens, trunk = torch.tensor(prompts), getattr(model, "model", model)
    groups, own = [[number] for number in range(TEXTS)], passes(model, trunk, tokens)
    for site, layers in {"mlp": range(1, 13), "residual": range(13)}.items():
        states = States(trunk, TEXTS * TOKENS)
        own[site] = functools.partial(states.of, prompts, groups, Place(site, list(layers)))
    return {name: own[name] for name in names}


def _collect():
    pairs = ("residual/forward", "mlp/forward", "usual/residual", "usual/forward")
    return compared(*pairs, **_ways("mlp", "residual", "forward", "usual"))


def _collecting_memory(name):
    way = _ways(name)[name]
    before = peak_megabytes()
    way()
    return peak_megabytes() - before


def _samples_memory(folder, count):
    """A narrow model with as many numbers at its MLPs as a large one has."""
    import torch
    from tokenizers import Tokenizer, models
    from transformers import LlamaConfig, LlamaModel, PreTrainedTokenizerFast

    from ragassay.models.activations.state_store import Decoder, StoredStates

    torch.manual_seed(0)
    config = LlamaConfig(
        hidden_size=32, intermediate_size=WIDTH, num_hidden_layers=LAYERS, num_attention_heads=2, vocab_size=100
    )
    LlamaModel(config).save_pretrained(f"{folder}/model")
    words = {str(number): number for number in range(100)}
    PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.WordLevel(words, "0"))).save_pretrained(f"{folder}/model")
    named = Decoder("model wide", {"name": "wide", "model": f"{folder}/model", "options": {"device": "cpu"}})
    store = StoredStates(named, f"{folder}/states", range(1, LAYERS + 1), site="mlp")
    draw = random.Random(0)
    prompts = [[draw.randrange(100) for _ in range(SHORT)] for _ in range(int(count))]
    store.of(prompts[:1], [0])
    before = peak_megabytes()
    store.keys(prompts, list(range(len(prompts))))
    return peak_megabytes() - before


def _keys():
    return [hashlib.sha256(str(number).encode()).digest()[:16] for number in range(SAMPLES)]


def _fill(folder):
    import numpy as np

    from ragassay.models.store import Store

    draw = np.random.default_rng(0)

    def computed(missing):
        for start in range(0, len(missing), 50):
            keys = missing[start : start + 50]
            yield keys, draw.standard_normal((len(keys), LAYERS * WIDTH), np.float32)

    Store(folder).fill(_keys(), computed)


def _read(folder):
    import numpy as np

    from ragassay.models.store import Store

    store, keys = Store(folder), _keys()
    some = [keys[at] for at in np.random.default_rng(0).choice(SAMPLES, SOME, replace=False)]
    store.vectors(some[:1])
    before, read = peak_megabytes(), _bytes_read()
    store.vectors(some)
    return {"bytes": (_bytes_read() - read) / (SOME * EACH), "extra": peak_megabytes() - before}


def _train(folder):
    import numpy as np

    from ragassay.models.store import Store
    from ragassay.studies.poisoning.probes.kinds import triplet
    from ragassay.studies.poisoning.probes.samples import Part

    store, keys = Store(folder), _keys()

    class Loaded:
        shape = (SAMPLES, LAYERS, WIDTH)

        def __getitem__(self, rows):
            return store.vectors([keys[row] for row in rows]).reshape(-1, LAYERS, WIDTH).astype(np.float32)

    labels, rows = np.arange(SAMPLES) % 2 > 0, np.arange(SAMPLES)
    parts = [Part(Loaded(), own, labels[own]) for own in (rows[:-200], rows[-200:])]
    triplet.Kind(TRIPLET).fit(*parts)
    return peak_megabytes()


def _bytes_read():
    return int(Path("/proc/self/io").read_text().split()[1])  # rchar: what reads returned, cached or not


TASKS = {"collect": _collect, "collecting_memory": _collecting_memory, "samples_memory": _samples_memory}
TASKS |= {"fill": _fill, "read": _read, "train": _train}
