"""A sentence-transformers model with layers of its own, whose modules the library runs; but for the first, which reads
the text, where that can be done faster (see `ragassay.encoders.fast_bert`). Weights are read as safetensors and code
that comes with a model is never run.
"""

import torch
from sentence_transformers import SentenceTransformer

from ragassay.encoders import encoder, fast_bert
from ragassay.weights import files
from ragassay.weights.device import positions
from ragassay.weights.loading import LOCAL, check_again


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
        self.lean = fast_bert.lean(first)
        self.tokenizer = self.model.tokenizer
        self.longest = settings.cut(positions(getattr(first, "config", None))) or self.model.max_seq_length
        self.batch_tokens = local.batch_tokens(encoder.CPU_TOKENS, encoder.GPU_TOKENS)
        self.pad = self.tokenizer.pad_token_id or 0

    @torch.inference_mode()
    def vectors(self, tokens, mask):
        given = encoder.features(tokens, mask)
        features = {name: torch.from_numpy(values).to(self.device) for name, values in given.items()}
        if self.lean is None:
            return self.model(features)["sentence_embedding"].float().cpu().numpy()
        features["token_embeddings"] = self.lean(*given.values())
        for module in list(self.model)[1:]:
            features = module(features)
        return features["sentence_embedding"].numpy()
