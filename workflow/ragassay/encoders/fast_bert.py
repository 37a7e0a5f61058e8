"""Run an encoder of BERT's shape on a processor, faster than its library and with the same numbers up to rounding.

Texts lie one behind the other, so that no token is padding, and each sees itself alone, so that there are no masks.
Biases that attention cancels (of keys) or hands on unchanged (of values) are left out or moved to where they end up,
residuals are added by the products themselves, weights lie as the products read them, and the activation is worked into
its product. A model of another shape, number format or device, or whose own states differ from these, is left to its
library: `lean` then returns None.
"""

import itertools

import numpy as np
import torch
from torch.nn.functional import layer_norm, scaled_dot_product_attention

NAMES = frozenset({"BertModel", "RobertaModel", "XLMRobertaModel", "CamembertModel"})
AGREE = 1e-4  # relative; what states of both may differ by
PROBE = (np.array([[5, 9, 7, 11], [6, 8, 10, 0]]), np.array([[1, 1, 1, 1], [1, 1, 1, 0]]))
REFUSALS = (AttributeError, RuntimeError, TypeError, ValueError, IndexError)  # of models that only look alike


def lean(model) -> "Lean | None":
    """A function from padded tokens and their mask to the last layer's states, which are 0 in padding."""
    weight = next(model.parameters(), None) if type(model).__name__ in NAMES else None
    if weight is None or weight.device.type != "cpu" or weight.dtype != torch.float32:
        return None
    if model.config.hidden_act != "gelu" or model.config.is_decoder or not torch.backends.mkldnn.is_available():
        return None
    tokens, mask = (torch.from_numpy(values) for values in PROBE)
    try:
        with torch.no_grad():  # weights of inference mode could not be part of a gradient's way
            found = Lean(model)
        with torch.inference_mode():
            own = model(input_ids=tokens, attention_mask=mask).last_hidden_state * mask[:, :, None]
            apart = (found(*PROBE) - own).abs().max()
    except REFUSALS:
        return None
    return found if apart <= AGREE * max(1.0, float(own.abs().max())) else None


class Lean:
    def __init__(self, model):
        self.embeddings, self.width = model.embeddings, model.config.hidden_size
        self.heads, self.layers = model.config.num_attention_heads, [_Layer(layer) for layer in model.encoder.layer]
        padding = getattr(model.embeddings, "padding_idx", None)  # RoBERTa's positions begin behind it
        self.start = 0 if padding is None else padding + 1

    def __call__(self, tokens: np.ndarray, mask: np.ndarray, types: np.ndarray | None = None) -> torch.Tensor:
        """rows x longest x width; `types` are those of tokens, if not all are the first."""
        inside = mask.astype(bool)
        places = np.broadcast_to(self.start + np.arange(mask.shape[1]), mask.shape)
        ids, positions = (torch.from_numpy(values[inside])[None] for values in (tokens, places))
        types = None if types is None else torch.from_numpy(types[inside])[None]
        states = self.embeddings(input_ids=ids, position_ids=positions, token_type_ids=types)[0]
        runs = _runs(mask.sum(1).tolist())
        for layer in self.layers:
            states = layer(states, runs, self.heads)
        result = torch.zeros(*mask.shape, self.width)
        result[torch.from_numpy(inside)] = states
        return result


class _Layer:
    def __init__(self, layer):
        own, after = layer.attention.self, layer.attention.output
        self.query, self.key, self.value = _columns(own.query), _columns(own.key), _columns(own.value)
        self.query_bias, self.mixed = own.query.bias, _columns(after.dense)
        self.mixed_bias = after.dense.bias + own.value.bias @ self.mixed  # attention's weights have the sum 1
        self.first_norm, self.second_norm = _norm(after.LayerNorm), _norm(layer.output.LayerNorm)
        self.wide = torch.ops.mkldnn._reorder_linear_weight(layer.intermediate.dense.weight.data)
        self.wide_bias = layer.intermediate.dense.bias
        self.narrow, self.narrow_bias = _columns(layer.output.dense), layer.output.dense.bias

    def __call__(self, states, runs, heads):
        """Tokens x width; `states` are overwritten."""
        query = torch.addmm(self.query_bias, states, self.query)
        key, value = states @ self.key, states @ self.value
        for start, count, length in runs:
            own = slice(start, start + count * length)
            parts = (part[own].view(count, length, heads, -1).transpose(1, 2) for part in (query, key, value))
            query[own] = scaled_dot_product_attention(*parts).transpose(1, 2).reshape(count * length, -1)
        states = layer_norm(states.add_(self.mixed_bias).addmm_(query, self.mixed), *self.first_norm)
        wide = torch.ops.mkldnn._linear_pointwise(states, self.wide, self.wide_bias, "gelu", [], "none")
        return layer_norm(states.add_(self.narrow_bias).addmm_(wide, self.narrow), *self.second_norm)


def _runs(lengths):
    """Start, count and length of texts of one length that follow one another."""
    found, start = [], 0
    for length, same in itertools.groupby(lengths):
        count = sum(1 for _ in same)
        if length:
            found.append((start, count, length))
        start += count * length
    return found


def _columns(linear):
    """The weight as inputs x outputs; the model's own becomes a view of it, so that it is there once."""
    weight = linear.weight.data.t().contiguous()
    linear.weight.data = weight.t()
    return weight


def _norm(norm):
    return norm.normalized_shape, norm.weight, norm.bias, norm.eps
