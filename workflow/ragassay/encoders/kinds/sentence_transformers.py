"""A sentence-transformers model as it comes: its own pooling, normalisation and further layers.

Its modules are run by the library, but for the first, which reads the text, where that can be done faster (see
`ragassay.encoders.bert`). Weights are read as safetensors and code that comes with a model is never run.
"""

import torch
from sentence_transformers import SentenceTransformer

from ragassay.encoders import bert, encoder, weights
from ragassay.encoders.device import batch_tokens, dtype_of, place, places
from ragassay.encoders.loading import LOCAL, check_again, reading


class Kind(encoder.Kind):
    def __init__(self, settings: encoder.Encoder):
        self.device = place(settings.options)
        with reading():
            self.model = SentenceTransformer(
                str(settings.folder),
                device=str(self.device),
                **LOCAL,
                model_kwargs={"use_safetensors": True, "dtype": dtype_of(settings), "ignore_mismatched_sizes": True},
            )
        self.model.eval()
        first = getattr(self.model[0], "auto_model", self.model[0])
        check_again(first, weights.first(settings.folder), dtype=dtype_of(settings))
        self.lean = bert.lean(first)
        self.tokenizer = self.model.tokenizer
        self.longest = settings.cut(places(getattr(first, "config", None))) or self.model.max_seq_length
        self.batch_tokens = batch_tokens(settings.options, self.device)
        self.dimensions, self.pad = self.model.get_embedding_dimension(), self.tokenizer.pad_token_id or 0

    def tokens(self, texts):
        return self.tokenizer(texts, truncation=True, max_length=self.longest)["input_ids"]

    @torch.inference_mode()
    def vectors(self, tokens, mask):
        features = {"input_ids": tokens, "attention_mask": mask}
        features = {name: torch.from_numpy(values).to(self.device) for name, values in features.items()}
        if self.lean is None:
            return self.model(features)["sentence_embedding"].float().cpu().numpy()
        features["token_embeddings"] = self.lean(tokens, mask)
        for module in list(self.model)[1:]:
            features = module(features)
        return features["sentence_embedding"].numpy()
