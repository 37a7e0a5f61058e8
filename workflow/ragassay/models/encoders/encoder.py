"""An encoder: an entry of the configuration, weights on this machine, and a kind that knows how to run them: one
module `ragassay.models.encoders.kinds.<name>` with a class `Kind`, which cuts texts into tokens and turns padded
tokens into vectors. Batching, storing and resuming are done once, in `embed`."""

import abc
import importlib.util
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ragassay.base import variants
from ragassay.base.errors import AssayError
from ragassay.models import files
from ragassay.models.local import LocalModel
from ragassay.text.characters import split

KINDS = "ragassay.models.encoders.kinds"
FORMAT = 1  # of stored vectors; a new one starts new stores
CPU_TOKENS, GPU_TOKENS = 768, 32_768  # of a batch: a small one stays in a processor's cache; a large one fills a GPU
SECOND = 1 << 24  # more than any vocabulary has
SAME_VECTORS = frozenset({"device", "batch_tokens"})  # options that change vectors by rounding at most


class EncoderError(AssayError):
    """An encoder cannot be used as it is configured."""


@dataclass(frozen=True)
class Encoder:
    """An entry `encoders.<name>` of the configuration.

    `model` is a folder, `package:<package>/<folder inside it>`, or the hub's name of a model that is already in the
    hub's cache. `options`: device, batch_tokens, dtype (float32, bfloat16, float16), max_tokens, revision, prefixes
    (what stands before a text in a role, such as query or passage) and those of the kind.
    """

    name: str
    kind: str
    model: str
    options: dict = field(default_factory=dict)

    @cached_property
    def local(self) -> LocalModel:
        """Its weights; on a GPU, too, they compute in float32 unless the options say otherwise."""
        return LocalModel(f"encoder {self.name}", {"model": self.model, "options": {"dtype": "float32"} | self.options})

    @cached_property
    def identity(self) -> dict:
        """Everything that can change a vector by more than rounding. Prefixes are part of the texts instead."""
        options = {
            key: value for key, value in self.options.items() if key not in SAME_VECTORS | {"prefixes", "revision"}
        }
        return {"format": FORMAT, "kind": self.kind, "files": self.local.digest, "options": options}

    @property
    def digest(self) -> str:
        return files.short_digest(self.identity)

    def cut(self, positions: int | None) -> int | None:
        """After how many tokens the configuration cuts texts, if it says so; `positions` are what the model has."""
        wanted = self.options.get("max_tokens")
        if wanted and positions and wanted > positions:
            raise EncoderError(
                f"encoder {self.name}: found max_tokens {wanted}, expected at most {positions}, which the model reads"
            )
        return wanted

    def prefix(self, role: str | None) -> str:
        """The prefix of a text in this role; empty unless the configuration or the model names one."""
        prefixes = files.prompts(self.local.folder) | self.options.get("prefixes", {})
        return prefixes.get(role, "") if role else ""

    def load(self) -> "Kind":
        """The weights, ready to run; seconds, so call it when there is something to embed."""
        has_torch = importlib.util.find_spec("torch") is not None  # not in services, where numpy has to do
        package, kind = (KINDS, self.kind) if has_torch else (__package__, "plain_bert")
        module = variants.load(package, kind, f"encoders.{self.name}.kind")
        self._refuse_code()
        return module.Kind(self)

    def _refuse_code(self):
        """Some models need code that comes with their weights. It is never run, and without it a model of another
        architecture may load that bears the same name.
        """
        config = files.settings(files.first(self.local.folder) / "config.json", {})
        if "AutoModel" not in config.get("auto_map", {}):
            return
        import transformers

        if not any(hasattr(transformers, name) for name in config.get("architectures") or []):
            raise EncoderError(
                f"encoder {self.name}: found a model that needs code of its own ({config['auto_map']['AutoModel']}),"
                " which is never run here; compute its vectors elsewhere and name them in a retriever of kind vectors"
            )


class Kind(abc.ABC):
    """The interface of a kind of encoder; one file each. Tokens of a pair's second text are higher by SECOND, if the
    model tells both apart.
    """

    batch_tokens: int  # padded tokens that one batch may hold
    pad: int  # the token that fills short texts up
    longest: int  # the tokens of a text that are read

    @property
    def writer(self):
        """A tokenizer of the library's, which also knows what its tokens mean and writes them as text."""
        return self.tokenizer

    def tokens(self, texts: list[str]) -> list[list[int]]:
        """The tokens of each text, special ones included, cut where the encoder stops reading."""
        return self._tokens(texts, truncation=True, max_length=self.longest)

    def lengths(self, texts: list[str]) -> list[int]:
        """How many tokens each text has, read or not."""
        return [len(row) for row in self._tokens(texts, truncation=False, verbose=False)]

    def _tokens(self, texts, **options):
        pairs_of_texts = [split(text) for text in texts]
        if all(second is None for _, second in pairs_of_texts):
            return self.tokenizer(texts, **options)["input_ids"]
        rows = []
        for first, second in pairs_of_texts:
            cut = self.tokenizer(first, second, **options)
            types = cut.get("token_type_ids", [0] * len(cut["input_ids"]))
            rows.append([token + SECOND * kind for token, kind in zip(cut["input_ids"], types, strict=True)])
        return rows

    @abc.abstractmethod
    def vectors(self, tokens: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """One vector per row of padded tokens, as float32; `mask` is 1 where a row has tokens."""

    @abc.abstractmethod
    def tensors(self, tokens: np.ndarray, mask: np.ndarray):
        """The same as the library of the model computes them, as a tensor that gradients can be taken of."""

    @property
    @abc.abstractmethod
    def words(self):
        """The module that makes the first embeddings of tokens."""


def features(tokens: np.ndarray, mask: np.ndarray) -> dict[str, np.ndarray]:
    """What models call their inputs. They get no types of tokens where all are of the first text."""
    types, ids = np.divmod(tokens, SECOND)
    return {"input_ids": ids, "attention_mask": mask} | ({"token_type_ids": types} if types.any() else {})
