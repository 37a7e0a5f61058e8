"""Read an encoder of BERT's shape from its files, without the library, whose import takes longer than a thousand
questions.

Only a plain BERT of 32-bit numbers for a processor is read, with a tokenizer whose settings are those that all such
models have; both do exactly what they do in the library. Anything else, damaged files too, is left to the library and
its errors: `read` then returns None.
"""

import json
from typing import NamedTuple

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing

from ragassay.models.encoders.fast_bert import Lean
from ragassay.models.local import LocalModel

SHAPE = {"model_type": "bert", "architectures": ["BertModel"], "hidden_act": "gelu", "is_decoder": False}
SHAPE |= {"dtype": "float32", "torch_dtype": "float32", "position_embedding_type": "absolute"}
SHAPE |= {"add_cross_attention": False}  # what the settings of a model may say of this, if they do
SIZES = "vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers", "type_vocab_size"
UNREAD = ("pooler.", "embeddings.position_ids")
SPECIAL = {f"{name}_token": f"[{name.upper()}]" for name in ("unk", "sep", "pad", "cls", "mask")}
NORMALIZING = {"do_lower_case": True, "strip_accents": None, "tokenize_chinese_chars": True}
READ = {"tokenizer_class", "model_max_length", *NORMALIZING}
CLASSES = ("BertTokenizer", "BertTokenizerFast")
ONE, TWO = "[CLS]:0 $A:0 [SEP]:0", "[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1"  # a text and a pair, with types of tokens
UNUSED = {"backend", "clean_up_tokenization_spaces", "do_basic_tokenize", "name_or_path", "never_split"}
FARTHEST = 1 << 62  # if a tokenizer has no limit
UNREADABLE = (OSError, ValueError, LookupError, TypeError, AttributeError, RuntimeError, SafetensorError)


class Bert(NamedTuple):
    lean: Lean
    tokenizer: "Words"
    positions: int


def read(local: LocalModel) -> Bert | None:
    """The encoder, ready to run."""
    if (local.device, local.dtype) != ("cpu", "float32") or not torch.backends.mkldnn.is_available():
        return None
    try:
        config, tokenizer = _json(local.folder / "config.json"), _tokenizer(local.folder)
        if tokenizer is None or "architectures" not in config or SHAPE | config != config | SHAPE:
            return None
        with torch.inference_mode():
            weights = _weights(local.folder / "model.safetensors", config)
            lean = Lean(weights, config["num_attention_heads"], config["layer_norm_eps"])
        return Bert(lean, tokenizer, config["max_position_embeddings"])
    except UNREADABLE:
        return None


def _json(path):
    return json.loads(path.read_text(encoding="utf-8"))


def _weights(path, config):
    """All tensors by their names, which have to be all that the shape has and no others."""
    weights = {name: values for name, values in load_file(path).items() if not name.startswith(UNREAD)}
    shapes = _shapes(config["max_position_embeddings"], *(config[size] for size in SIZES))
    if {name: (tuple(values.shape), values.dtype) for name, values in weights.items()} != shapes:
        raise ValueError("other tensors than expected")
    return weights


def _shapes(positions, words, width, inner, layers, types):
    """name -> shape and kind of number"""
    rows = {"word": words, "position": positions, "token_type": types}
    shapes = {f"embeddings.{name}_embeddings.weight": (count, width) for name, count in rows.items()}
    dense, norms = {}, ["embeddings"]
    for layer in (f"encoder.layer.{number}" for number in range(layers)):
        for name in ("self.query", "self.key", "self.value", "output.dense"):
            dense[f"{layer}.attention.{name}"] = width, width
        dense |= {f"{layer}.intermediate.dense": (inner, width), f"{layer}.output.dense": (width, inner)}
        norms += [f"{layer}.attention.output", f"{layer}.output"]
    shapes |= {f"{name}.weight": shape for name, shape in dense.items()}
    shapes |= {f"{name}.bias": shape[:1] for name, shape in dense.items()}
    shapes |= {f"{name}.LayerNorm.{part}": (width,) for name in norms for part in ("weight", "bias")}
    return {name: (shape, torch.float32) for name, shape in shapes.items()}


def _tokenizer(folder):
    """A tokenizer of the same words with the same settings, if these are such that it is known what they do."""
    settings, found = _json(folder / "tokenizer_config.json"), _json(folder / "tokenizer.json")
    special, added = folder / "special_tokens_map.json", {token["content"] for token in found["added_tokens"]}
    if settings["tokenizer_class"] not in CLASSES or added != {*SPECIAL.values()}:
        return None
    if not {key: settings[key] for key in settings.keys() - READ - UNUSED}.items() <= SPECIAL.items():
        return None
    if (special.exists() and _json(special) != SPECIAL) or (folder / "added_tokens.json").exists():
        return None
    if (found["truncation"] or {}).get("direction", "Right") != "Right":
        return None
    words, settings = found["model"]["vocab"], NORMALIZING | settings
    made = Tokenizer(WordPiece(words, unk_token=SPECIAL["unk_token"]))
    made.normalizer = BertNormalizer(
        clean_text=True,
        handle_chinese_chars=settings["tokenize_chinese_chars"],
        strip_accents=settings["strip_accents"],
        lowercase=settings["do_lower_case"],
    )
    made.pre_tokenizer = BertPreTokenizer()
    marks = [(token, words[token]) for token in ("[CLS]", "[SEP]")]
    made.post_processor = TemplateProcessing(single=ONE, pair=TWO, special_tokens=marks)
    made.add_special_tokens(list(SPECIAL.values()))
    return Words(made, words[SPECIAL["pad_token"]], settings.get("model_max_length") or FARTHEST)


class Words:
    """A tokenizer as `ragassay.models.encoders.encoder.Kind` calls it, which is as the library's are called."""

    def __init__(self, tokenizer: Tokenizer, pad: int, longest: int):
        self._tokenizer, self.pad_token_id, self.model_max_length = tokenizer, pad, longest

    def __call__(
        self, texts: list[str] | str, second: str | None = None, truncation=False, max_length=None, verbose=False
    ) -> dict[str, list]:
        """Many texts, or one text with or without a second one; cut if `truncation` says so."""
        if truncation:
            self._tokenizer.enable_truncation(max_length)
        else:
            self._tokenizer.no_truncation()
        if not isinstance(texts, str):
            return {"input_ids": [row.ids for row in self._tokenizer.encode_batch(texts)]}
        row = self._tokenizer.encode(texts, second or None)  # an empty one makes no pair
        return {"input_ids": row.ids, "token_type_ids": row.type_ids}
