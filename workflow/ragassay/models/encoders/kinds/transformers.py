"""Any encoder of the transformers library with one vector per text. Option `pooling`: `mean` over tokens (the
default: Contriever, Nomic, most Sentence-BERT models), `cls`, the first token (BGE, MedCPT), `last` (decoders that
were trained to embed), or `pooler`, what the model itself makes of its states (DPR). Option `normalize`. A plain BERT
is read without the library."""

from functools import cached_property

import torch
from torch.nn.functional import normalize

from ragassay.models.batches import positions
from ragassay.models.encoders import encoder, fast_bert

FARTHEST = 100_000  # a tokenizer without a limit gives an astronomic number
POOLINGS = ("mean", "cls", "last", "pooler")


class Kind(encoder.Kind):
    def __init__(self, settings: encoder.Encoder):
        options, self.name = settings.options, settings.name
        self.pooling, self.normalize = options.get("pooling", "mean"), options.get("normalize", False)
        if self.pooling not in POOLINGS:
            raise encoder.EncoderError(
                f"encoder {self.name}: found pooling {self.pooling!r}, expected one of {', '.join(POOLINGS)}"
            )
        local, pooler = settings.local, self.pooling == "pooler"
        self.device, self._local, read = local.device, local, None if pooler else fast_bert.read(local)
        if read:
            self.lean, self.tokenizer, most = read
        else:
            self.lean, self.tokenizer = None if pooler else fast_bert.lean(self.model), local.tokenizer
            most = positions(self.model.config)
        self.batch_tokens = local.batch_tokens(encoder.CPU_TOKENS, encoder.GPU_TOKENS)
        self.pad = self.tokenizer.pad_token_id or 0
        self.longest = settings.cut(most) or min(self.tokenizer.model_max_length, most or FARTHEST)

    @cached_property
    def model(self):
        """The library's, which gradients need, too."""
        return self._local.trunk(self.pooling == "pooler").requires_grad_(False)

    @property
    def writer(self):
        return self._local.tokenizer

    @torch.inference_mode()
    def vectors(self, tokens, mask):
        return self._vectors(tokens, mask, self.lean).cpu().numpy()

    def tensors(self, tokens, mask):
        return self._vectors(tokens, mask, None)

    @property
    def words(self):
        return self.model.get_input_embeddings()

    def _vectors(self, tokens, mask, lean):
        given = encoder.features(tokens, mask)
        if self.pooling == "pooler":
            pooled = self._of_library(given, "pooler_output")
        else:
            states = self._of_library(given, "last_hidden_state") if lean is None else lean(*given.values())
            pooled = self._pooled(states, torch.from_numpy(mask).to(self.device))
        return normalize(pooled, dim=1) if self.normalize else pooled

    def _pooled(self, states, mask):
        """rows x longest x width -> rows x width"""
        if self.pooling == "cls":
            return states[:, 0]
        if self.pooling == "last":
            last = mask.sum(1) - 1  # texts are filled up on the right
            return states[torch.arange(len(states), device=states.device), last]
        return (states * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True).clamp(min=1)

    def _of_library(self, given, name):
        result = self.model(**{key: torch.from_numpy(values).to(self.device) for key, values in given.items()})
        if result.get(name) is None:
            raise encoder.EncoderError(
                f"encoder {self.name}: found pooling {self.pooling!r}, for which its model"
                f" {type(self.model).__name__} gives no {name}; expected another of {', '.join(POOLINGS)}"
            )
        return result[name].float()
