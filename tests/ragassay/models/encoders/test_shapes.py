"""Encoders of all shapes: vectors are those of their libraries."""

import json
import shutil

import numpy as np
import pytest
import torch
import transformers
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Dense, LayerNorm, Pooling, Transformer

from models import MINILM, SMALL_BERT, WORDS, change, random_weights, save_decoder, save_tokenizer
from ragassay.models.batches import padded
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder, EncoderError
from ragassay.models.encoders.kinds.sentence_transformers import Modules
from ragassay.models.encoders.kinds.transformers import Kind as Plain
from ragassay.models.files import WeightsError
from ragassay.text.characters import pair

TEXTS = ["ferry quay", "storm harbour orchard lighthouse census", "bridge", "", "cheese herring storm [SEP] ferry"]
PAIRS = [("ferry", "quay storm"), ("census bridge", "storm"), ("cheese", "glacier marks council ferry")]


@pytest.fixture
def save(tmp_path):
    """A function that saves a model of a class with a tokenizer, and gives its folder, the model and the tokenizer."""

    def save(name, config=None):
        torch.manual_seed(0)
        kind = getattr(transformers, name)
        model = random_weights(kind(kind.config_class(**SMALL_BERT | (config or {}))))
        tokenizer = save_tokenizer(tmp_path / name, WORDS)
        model.save_pretrained(tmp_path / name)
        return tmp_path / name, model, tokenizer

    return save


def embedded(folder, texts, kind="transformers", role=None, **options):
    encoder = Encoder("e", kind, str(folder), {"device": "cpu", **options})
    return Embedder(encoder, folder / "store").embed(texts, role).astype(np.float32)


def alone(model, tokenizer, texts, pooled):
    """`pooled` makes one vector of what a model gives for one text, or for a pair."""
    found = []
    for text in texts:
        parts = (text,) if isinstance(text, str) else text
        with torch.inference_mode():
            found.append(pooled(model(**tokenizer(*parts, return_tensors="pt"))).numpy())
    return np.concatenate(found)


def assert_same(found, expected):
    assert found.shape == expected.shape and np.abs(expected).max() > 0.05
    assert np.abs(found - expected).max() < 2e-3 * np.abs(expected).max()
    assert np.abs(found[0] - found[1]).max() > 10 * np.abs(found - expected).max()  # vectors differ


POOLED = {
    "mean": lambda output: output.last_hidden_state.mean(1),
    "cls": lambda output: output.last_hidden_state[:, 0],
    "last": lambda output: output.last_hidden_state[:, -1],
    "pooler": lambda output: output.pooler_output,
}


@pytest.mark.parametrize("pooling", POOLED)
def test_contriever_bge_and_other_berts(save, pooling):
    folder, model, tokenizer = save("BertModel")
    assert_same(embedded(folder, TEXTS, pooling=pooling), alone(model, tokenizer, TEXTS, POOLED[pooling]))
    lengths = np.linalg.norm(embedded(folder, TEXTS, pooling=pooling, normalize=True), axis=1)
    assert lengths == pytest.approx(1, abs=1e-3)


def test_medcpt_reads_title_and_text_as_a_pair(save):
    folder, model, tokenizer = save("BertModel")
    expected = alone(model, tokenizer, PAIRS, POOLED["cls"])
    texts = [pair(*both) for both in PAIRS]
    assert_same(embedded(folder, texts, pooling="cls"), expected)
    mixed = embedded(folder, [texts[0], TEXTS[1]], pooling="cls")
    assert_same(mixed, np.concatenate([expected[:1], alone(model, tokenizer, TEXTS[1:2], POOLED["cls"])]))
    plain = embedded(folder, [f"{first} [SEP] {second}" for first, second in PAIRS], pooling="cls")
    assert np.abs(plain - expected).max() > 1e-2  # the second text of a pair has a type of its own


@pytest.mark.parametrize("name", ["DPRContextEncoder", "DPRQuestionEncoder"])
@pytest.mark.parametrize("projection", [0, 8])
def test_both_towers_of_dpr(save, name, projection):
    folder, model, tokenizer = save(name, {"projection_dim": projection})
    expected = alone(model, tokenizer, PAIRS, POOLED["pooler"])
    found = embedded(folder, [pair(*both) for both in PAIRS], pooling="pooler")
    assert found.shape[1] == (projection or 16)
    assert_same(found, expected)
    with pytest.raises(
        EncoderError, match=r"found pooling 'cls', for which its model DPR\w+ gives no last_hidden_state"
    ):
        embedded(folder, TEXTS, pooling="cls")


def test_ance_has_a_dense_layer_and_a_norm_on_the_first_token(save, tmp_path):
    folder, model, tokenizer = save("RobertaModel", {"type_vocab_size": 1, "pad_token_id": 0})
    dense, norm = torch.nn.Linear(16, 8), torch.nn.LayerNorm(8)
    random_weights(dense), random_weights(norm)
    modules = [Transformer(str(folder)), Pooling(16, "cls"), Dense(16, 8, activation_function=torch.nn.Identity())]
    modules.append(LayerNorm(8))
    modules[2].linear.load_state_dict(dense.state_dict())
    modules[3].norm.load_state_dict(norm.state_dict())
    SentenceTransformer(modules=modules, device="cpu").save(str(tmp_path / "ance"))
    expected = alone(model, tokenizer, TEXTS, lambda output: norm(dense(output.last_hidden_state[:, 0])))
    assert_same(embedded(tmp_path / "ance", TEXTS, "sentence_transformers"), expected)


def test_nomic_has_prefixes_and_needs_no_code_of_its_own(save):
    folder, model, tokenizer = save("NomicBertModel")
    change(folder / "config.json", auto_map={"AutoModel": "modeling.NomicBertModel"})  # as it is published
    prefixes = {"query": "census ", "passage": "bridge "}
    for role, prefix in prefixes.items():
        expected = alone(model, tokenizer, [prefix + text for text in TEXTS], POOLED["mean"])
        assert_same(embedded(folder, TEXTS, role=role, prefixes=prefixes), expected)


def test_a_decoder_that_embeds_by_its_last_token(tmp_path):
    save_decoder(tmp_path / "decoder", TEXTS * 5, 60, 64)
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "decoder")
    model = transformers.AutoModel.from_pretrained(tmp_path / "decoder").eval()
    texts = [text for text in TEXTS if text]
    assert_same(embedded(tmp_path / "decoder", texts, pooling="last"), alone(model, tokenizer, texts, POOLED["last"]))


def test_a_model_that_needs_code_of_its_own_is_refused(save):
    folder, _, _ = save("BertModel")
    own = {"auto_map": {"AutoModel": "modeling_bert.JinaBertModel"}, "architectures": ["JinaBertForMaskedLM"]}
    change(folder / "config.json", **own)
    told = r"encoder e: .* code of its own \(modeling_bert.JinaBertModel\), which is never run here; .* kind vectors"
    with pytest.raises(EncoderError, match=told):
        embedded(folder, TEXTS)


def test_a_pooler_is_missed_where_it_is_read(save):
    folder, model, _ = save("BertModel")
    tensors = {name: values for name, values in model.state_dict().items() if not name.startswith("pooler.")}
    model.save_pretrained(folder, state_dict=tensors)
    with pytest.raises(WeightsError, match=r"lack the tensor pooler\.dense\.bias \(2 in all\)"):
        embedded(folder, TEXTS, pooling="pooler")
    assert embedded(folder, TEXTS).shape == (5, 16)


SENTENCES = ["The ferry sails at nine.", "Storm", "The census counted every lighthouse of the harbour twice. " * 40]


@pytest.fixture
def folder(tmp_path):
    """A copy of the encoder's folder, whose settings a test may change."""
    return shutil.copytree(Encoder("minilm", "sentence_transformers", MINILM).local.folder, tmp_path / "model")


def vectors(folder, **options):
    kind = Encoder("m", "sentence_transformers", str(folder), {"device": "cpu", **options}).load()
    tokens = [np.array(row) for row in kind.tokens(SENTENCES)]
    return kind, kind.vectors(*padded(tokens, kind.pad))


def pooled(mode):
    modes = {"pooling_mode_mean_tokens": False, f"pooling_mode_{mode}": True}
    return lambda folder: change(folder / "1_Pooling/config.json", **modes)


def not_normalized(folder):
    modules = folder / "modules.json"
    modules.write_text(json.dumps(json.loads(modules.read_text())[:2]))


def with_a_further_layer(folder):
    model = SentenceTransformer(str(folder), device="cpu")
    model.append(Dense(384, 16))
    model.save(str(folder))


@pytest.mark.parametrize(
    ("changed", "kind"),
    [
        *((pooled(mode), Plain) for mode in ("mean_tokens", "cls_token", "lasttoken")),
        *((pooled(mode), Modules) for mode in ("max_tokens", "mean_sqrt_len_tokens")),
        (not_normalized, Plain),
        (with_a_further_layer, Modules),
        (lambda folder: SentenceTransformer(str(folder), device="cpu").save(str(folder)), Plain),  # as it does today
        (lambda folder: change(folder / "sentence_bert_config.json", do_lower_case=True), Modules),
    ],
)
def test_vectors_are_the_librarys_which_runs_only_models_of_other_modules(folder, changed, kind):
    changed(folder)
    encoder, embedded = vectors(folder)
    expected = SentenceTransformer(str(folder), device="cpu").encode(SENTENCES)
    assert type(encoder) is kind and embedded.shape == expected.shape and np.abs(embedded - expected).max() < 1e-5


@pytest.mark.parametrize("longest", [128, 12])
def test_texts_are_cut_where_the_model_says_unless_options_say_otherwise(folder, longest):
    change(folder / "sentence_bert_config.json", max_seq_length=longest)
    assert vectors(folder)[0].longest == longest
    assert vectors(folder, max_tokens=20)[0].longest == 20
