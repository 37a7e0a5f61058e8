"""Run an encoder of BERT's shape on a processor, faster than its library and with the same numbers up to rounding.
Texts lie one behind the other without padding or masks; biases that attention cancels (of keys) or hands on (of
values) move to where they end up. `lean` and `read` return None for whatever is not exactly of this shape: its
library runs it."""

from collections.abc import Mapping

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch.nn.functional import layer_norm, scaled_dot_product_attention

from ragassay.models.encoders import bert_files
from ragassay.models.encoders.bert_files import WordPieces
from ragassay.models.local import LocalModel
from ragassay.models.processor import arranged, has_products, product

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
        runs = bert_files.runs(mask.sum(1).tolist())
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
        files = bert_files.read(local.folder)
        if files is None:
            return None
        config, tokenizer = files
        with torch.inference_mode():
            weights = bert_files.checked(load_file(local.folder / "model.safetensors"), config, torch.float32)
            lean = Lean(weights, config["num_attention_heads"], config["layer_norm_eps"])
        return lean, tokenizer, config["max_position_embeddings"]
    except UNREADABLE:
        return None
