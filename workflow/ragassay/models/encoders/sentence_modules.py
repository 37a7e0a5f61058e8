"""A sentence-transformers model with layers of its own, whose modules the library runs; but for the first, which reads
the text, where that can be done faster (see `ragassay.models.encoders.fast_bert`). Weights are read as safetensors and
code that comes with a model is never run.
"""

import torch
from sentence_transformers import SentenceTransformer

from ragassay.models import files
from ragassay.models.device import positions
from ragassay.models.encoders import encoder, fast_bert
from ragassay.models.loading import LOCAL, check_again


class Modules(encoder.Kind):
    def __init__(self, settings: encoder.Encoder):
        local = settings.local
        with local.reading("weights"):
            self.device, dtype = local.place().values()
            self.model = SentenceTransformer(
                str(local.folder),
                device=str(self.device),
                **LOCAL,
                model_kwargs={"use_safetensors": True, "dtype": dtype, "ignore_mismatched_sizes": True},
            )
            self.model.eval()
            first = getattr(self.model[0], "auto_model", self.model[0])
            check_again(first, files.first(local.folder), dtype=dtype)
        self.model.requires_grad_(False)
        self.lean, self.first = fast_bert.lean(first), first
        self.tokenizer = self.model.tokenizer
        self.longest = settings.cut(positions(getattr(first, "config", None))) or self.model.max_seq_length
        self.batch_tokens = local.batch_tokens(encoder.CPU_TOKENS, encoder.GPU_TOKENS)
        self.pad = self.tokenizer.pad_token_id or 0

    @torch.inference_mode()
    def vectors(self, tokens, mask):
        if self.lean is None:
            return self.tensors(tokens, mask).cpu().numpy()
        given = encoder.features(tokens, mask)
        features = self._placed(given) | {"token_embeddings": self.lean(*given.values())}
        for module in list(self.model)[1:]:
            features = module(features)
        return features["sentence_embedding"].numpy()

    def tensors(self, tokens, mask):
        return self.model(self._placed(encoder.features(tokens, mask)))["sentence_embedding"].float()

    @property
    def words(self):
        return self.first.get_input_embeddings()

    def _placed(self, given):
        return {name: torch.from_numpy(values).to(self.device) for name, values in given.items()}
