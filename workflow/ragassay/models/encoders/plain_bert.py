"""A plain BERT in numpy, such as MiniLM, for services that have no torch: the same vectors up to rounding.

A token is one row. Texts of one length lie side by side, so that attention is one product for all of them and needs no
mask. It reads the kinds `sentence_transformers` and `transformers`; every other model needs torch, and is refused.
"""

import numpy as np
from safetensors.numpy import load_file
from scipy.special import erf

from ragassay.base import fitted_files
from ragassay.base.errors import unknown
from ragassay.models.encoders import bert_files, encoder
from ragassay.models.files import WeightsError

KINDS = ("sentence_transformers", "transformers")
POOLINGS = ("mean", "cls", "last")
INSTALL = "is not installed; pip install 'ragassay[local]', or give the function `embed` that embeds your queries"


class Kind(encoder.Kind):
    def __init__(self, settings: encoder.Encoder):
        self.name = settings.name
        options = self._options(settings)
        self.pooling, self.normalize = options.get("pooling", "mean"), options.get("normalize", False)
        if self.pooling not in POOLINGS:
            raise encoder.EncoderError(
                f"encoder {self.name}: {unknown('pooling', self.pooling, POOLINGS)} without torch"
            )
        folder = settings.local.folder
        name = self.name
        with fitted_files.reading(
            lambda problem: WeightsError(f"encoder {name}: cannot load the weights of {folder}: {problem}")
        ):
            files = bert_files.read(folder)
            config, self.tokenizer = files or self._refuse("a model that is no plain BERT")
            self.model = Bert(load_file(folder / "model.safetensors"), config)
        self.batch_tokens = options.get("batch_tokens") or encoder.CPU_TOKENS
        self.pad, most = self.tokenizer.pad_token_id, config["max_position_embeddings"]
        self.longest = encoder.Encoder(settings.name, settings.kind, settings.model, options).cut(most) or min(
            self.tokenizer.model_max_length, most
        )

    def _options(self, settings):
        options = settings.options
        if options.get("device", "cpu") != "cpu" or options.get("dtype", "float32") != "float32":
            self._refuse("another device or number format than a processor's float32")
        if settings.kind not in KINDS:
            self._refuse(f"the kind {settings.kind}")
        if settings.kind == "transformers":
            return options
        plain = bert_files.plain_options(settings.local.folder)
        return (self._refuse("a model with modules of its own") if plain is None else plain) | options

    def _refuse(self, what):
        raise encoder.EncoderError(f"encoder {self.name}: found {what}, which needs the package torch, which {INSTALL}")

    def vectors(self, tokens, mask):
        given = encoder.features(tokens, mask)
        states = self.model(*given.values())
        if self.pooling == "mean":
            pooled = states.sum(axis=1) / np.maximum(mask.sum(axis=1, keepdims=True), 1).astype(np.float32)
        else:
            pooled = states[np.arange(len(states)), mask.sum(axis=1) - 1 if self.pooling == "last" else 0]
        if not self.normalize:
            return pooled
        return pooled / np.maximum(np.linalg.norm(pooled, axis=1, keepdims=True), 1e-12)

    def tensors(self, tokens, mask):
        self._refuse("a question about gradients")

    @property
    def words(self):
        return self._refuse("a question about gradients")


class Bert:
    """From padded tokens and their mask to the last layer's states, which are 0 in padding."""

    def __init__(self, weights: dict[str, np.ndarray], config: dict):
        weights = bert_files.checked(weights, config, np.float32)
        tables = (f"embeddings.{name}_embeddings.weight" for name in ("word", "position", "token_type"))
        self.words, self.places, self.types = (weights[name] for name in tables)
        self.heads, self.epsilon = config["num_attention_heads"], np.float32(config["layer_norm_eps"])
        self.norm = _pair(weights, "embeddings.LayerNorm")
        names = (f"encoder.layer.{number}" for number in range(config["num_hidden_layers"]))
        self.layers = [_layer(weights, name) for name in names]

    def __call__(self, tokens: np.ndarray, mask: np.ndarray, types: np.ndarray | None = None) -> np.ndarray:
        """rows x longest x width"""
        inside = mask.astype(bool)
        states = self.words[tokens[inside]] + self.places[np.nonzero(inside)[1]]  # tokens x width
        states += self.types[0] if types is None else self.types[types[inside]]
        states = self._normed(states, self.norm)
        runs = bert_files.runs(mask.sum(axis=1).tolist())
        for layer in self.layers:
            weight, bias = layer["attention.self"]
            mixed = self._attention(states @ weight + bias, runs)
            states = self._normed(states + _product(mixed, layer["attention.output.dense"]), layer["first"])
            inner = _product(states, layer["intermediate.dense"])
            inner *= 0.5 * (1 + erf(inner / np.float32(np.sqrt(2))))  # the activation gelu
            states = self._normed(states + _product(inner, layer["output.dense"]), layer["second"])
        result = np.zeros((*mask.shape, states.shape[1]), np.float32)
        result[inside] = states
        return result

    def _attention(self, projected, runs):
        """`projected` has query, key and value of each token side by side."""
        width = projected.shape[1] // 3
        mixed = np.empty((len(projected), width), np.float32)
        for start, count, length in runs:
            run = slice(start, start + count * length)
            parts = projected[run].reshape(count, length, 3, self.heads, -1).transpose(2, 0, 3, 1, 4)
            query, key, value = parts  # each count x heads x length x width of a head
            weights = query @ key.swapaxes(2, 3) / np.float32(np.sqrt(query.shape[-1]))
            weights = np.exp(weights - weights.max(axis=3, keepdims=True))
            weights /= weights.sum(axis=3, keepdims=True)
            mixed[run] = (weights @ value).swapaxes(1, 2).reshape(-1, width)
        return mixed

    def _normed(self, states, norm):
        centred = states - states.mean(axis=1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(axis=1, keepdims=True) + self.epsilon)
        return centred / spread * norm[0] + norm[1]


def _layer(weights, name):
    """Products as inputs x outputs; query, key and value are one."""
    parts = [_pair(weights, f"{name}.attention.self.{part}") for part in ("query", "key", "value")]
    matrix, bias = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    layer = {"attention.self": (np.ascontiguousarray(matrix.T), bias)}
    for part in ("attention.output.dense", "intermediate.dense", "output.dense"):
        matrix, bias = _pair(weights, f"{name}.{part}")
        layer[part] = np.ascontiguousarray(matrix.T), bias
    norms = {"first": f"{name}.attention.output.LayerNorm", "second": f"{name}.output.LayerNorm"}
    return layer | {part: _pair(weights, place) for part, place in norms.items()}


def _product(states, layer):
    return states @ layer[0] + layer[1]


def _pair(weights, name):
    return weights[f"{name}.weight"], weights[f"{name}.bias"]
