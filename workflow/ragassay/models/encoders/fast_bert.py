"""Run an encoder of BERT's shape on a processor, faster than its library and with the same numbers up to rounding.
Texts lie one behind the other without padding or masks; biases that attention cancels (of keys) or hands on (of
values) move to where they end up. `lean` and `read` return None for whatever is not exactly of this shape: its
library runs it."""

import itertools
import json
from collections.abc import Mapping

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing
from torch.nn.functional import layer_norm, scaled_dot_product_attention

from ragassay.models.local import LocalModel
from ragassay.models.processor import arranged, has_products, product

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
NAMES = frozenset({"BertModel", "RobertaModel", "XLMRobertaModel", "CamembertModel"})
TABLES = ("word", "position", "token_type")
AGREE = 1e-4  # relative; what states of both may differ by
PROBE = (np.array([[5, 9, 7, 11], [6, 8, 10, 0]]), np.array([[1, 1, 1, 1], [1, 1, 1, 0]]))
REFUSALS = (AttributeError, RuntimeError, TypeError, ValueError, LookupError)  # of models that only look alike


def lean(model) -> "Lean | None":
    """A function from padded tokens and their mask to the last layer's states, which are 0 in padding."""
    weight = next(model.parameters(), None) if type(model).__name__ in NAMES else None
    if weight is None or weight.device.type != "cpu" or weight.dtype != torch.float32:
        return None
    if model.config.hidden_act != "gelu" or model.config.is_decoder or not has_products():
        return None
    tokens, mask = (torch.from_numpy(values) for values in PROBE)
    padding = getattr(model.embeddings, "padding_idx", None)  # RoBERTa's positions begin behind it
    numbers = model.config.num_attention_heads, model.config.layer_norm_eps, 0 if padding is None else padding + 1
    try:
        with torch.no_grad():  # weights of inference mode could not be part of a gradient's way
            fast = Lean(dict(model.named_parameters()), *numbers)
        with torch.inference_mode():
            expected = model(input_ids=tokens, attention_mask=mask).last_hidden_state * mask[:, :, None]
            apart = (fast(*PROBE) - expected).abs().max()
    except REFUSALS:
        return None
    return fast if apart <= AGREE * max(1.0, float(expected.abs().max())) else None


class Lean:
    """`weights` are tensors by the names that the library gives them; positions begin to count at `start`."""

    def __init__(self, weights: Mapping[str, torch.Tensor], heads: int, epsilon: float, start: int = 0):
        self.words, self.places, self.types = (weights[f"embeddings.{name}_embeddings.weight"].data for name in TABLES)
        self.norm, self.width, self.start = _norm(weights, "embeddings", epsilon), self.words.shape[1], start
        count = sum(name.startswith("encoder.layer.") and name.endswith(".query.weight") for name in weights)
        self.heads = heads
        self.layers = [_Layer(weights, f"encoder.layer.{number}", epsilon) for number in range(count)]

    def __call__(self, tokens: np.ndarray, mask: np.ndarray, types: np.ndarray | None = None) -> torch.Tensor:
        """rows x longest x width; `types` are those of tokens, if not all are the first."""
        inside = mask.astype(bool)
        places = np.broadcast_to(self.start + np.arange(mask.shape[1]), mask.shape)
        ids, positions = (torch.from_numpy(values[inside]) for values in (tokens, places))
        kinds = self.types[0] if types is None else self.types[torch.from_numpy(types[inside])]
        states = layer_norm(self.words[ids] + kinds + self.places[positions], *self.norm)
        runs = _runs(mask.sum(1).tolist())
        for layer in self.layers:
            states = layer(states, runs, self.heads)
        result = torch.zeros(*mask.shape, self.width)
        result[torch.from_numpy(inside)] = states
        return result


class _Layer:
    def __init__(self, weights, name, epsilon):
        def parts(place):
            return (weights[f"{name}.{place}.{part}"] for part in ("weight", "bias"))

        (query, self.query_bias), (value, value_bias) = parts("attention.self.query"), parts("attention.self.value")
        self.query, self.value = _columns(query), _columns(value)
        self.key = _columns(weights[f"{name}.attention.self.key.weight"])
        mixed, mixed_bias = parts("attention.output.dense")
        self.mixed = _columns(mixed)
        self.mixed_bias = mixed_bias + value_bias @ self.mixed  # attention's weights have the sum 1
        self.first_norm = _norm(weights, f"{name}.attention.output", epsilon)
        self.second_norm = _norm(weights, f"{name}.output", epsilon)
        wide, self.wide_bias = parts("intermediate.dense")
        self.wide = arranged(wide.data)
        narrow, self.narrow_bias = parts("output.dense")
        self.narrow = _columns(narrow)

    def __call__(self, states, runs, heads):
        """Tokens x width; `states` are overwritten."""
        query = torch.addmm(self.query_bias, states, self.query)
        key, value = states @ self.key, states @ self.value
        for start, count, length in runs:
            run = slice(start, start + count * length)
            parts = (part[run].view(count, length, heads, -1).transpose(1, 2) for part in (query, key, value))
            query[run] = scaled_dot_product_attention(*parts).transpose(1, 2).reshape(count * length, -1)
        states = layer_norm(states.add_(self.mixed_bias).addmm_(query, self.mixed), *self.first_norm)
        wide = product(states, self.wide, self.wide_bias, "gelu")
        return layer_norm(states.add_(self.narrow_bias).addmm_(wide, self.narrow), *self.second_norm)


def _runs(lengths):
    """Start, count and length of texts of one length that follow one another."""
    runs, start = [], 0
    for length, same in itertools.groupby(lengths):
        count = sum(1 for _ in same)
        if length:
            runs.append((start, count, length))
        start += count * length
    return runs


def _columns(weight):
    """The weight as inputs x outputs; the model's own becomes a view of it, so that it is there once."""
    columns = weight.data.t().contiguous()
    weight.data = columns.t()
    return columns


def _norm(weights, name, epsilon):
    weight, bias = (weights[f"{name}.LayerNorm.{part}"] for part in ("weight", "bias"))
    return weight.shape, weight, bias, epsilon


def read(local: LocalModel) -> "tuple[Lean, WordPieces, int] | None":
    """The encoder, ready to run, its tokenizer, and how many positions it has."""
    if (local.device, local.dtype) != ("cpu", "float32") or not has_products():
        return None
    try:
        config, tokenizer = _json(local.folder / "config.json"), _tokenizer(local.folder)
        if tokenizer is None or "architectures" not in config or SHAPE | config != config | SHAPE:
            return None
        with torch.inference_mode():
            weights = _weights(local.folder / "model.safetensors", config)
            lean = Lean(weights, config["num_attention_heads"], config["layer_norm_eps"])
        return lean, tokenizer, config["max_position_embeddings"]
    except UNREADABLE:
        return None


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


def _json(path):
    return json.loads(path.read_text(encoding="utf-8"))


def _tokenizer(folder):
    """A tokenizer of the same words with the same settings, if these are such that it is known what they do."""
    settings, saved = _json(folder / "tokenizer_config.json"), _json(folder / "tokenizer.json")
    special, added = folder / "special_tokens_map.json", {token["content"] for token in saved["added_tokens"]}
    if settings["tokenizer_class"] not in CLASSES or added != {*SPECIAL.values()}:
        return None
    if not {key: settings[key] for key in settings.keys() - READ - UNUSED}.items() <= SPECIAL.items():
        return None
    if (special.exists() and _json(special) != SPECIAL) or (folder / "added_tokens.json").exists():
        return None
    if (saved["truncation"] or {}).get("direction", "Right") != "Right":
        return None
    words, settings = saved["model"]["vocab"], NORMALIZING | settings
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
    return WordPieces(made, words[SPECIAL["pad_token"]], settings.get("model_max_length") or FARTHEST)


class WordPieces:
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
