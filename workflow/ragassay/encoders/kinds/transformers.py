"""Any encoder of the transformers library with one vector pooled from its last layer: the mean over tokens, as
Contriever and most Sentence-BERT models need it, or the first token's ([CLS]).

Options: pooling (mean or cls, default mean), normalize (default false). Weights are read as safetensors and code
that comes with a model is never run.
"""

import torch
from transformers import AutoModel

from ragassay.encoders import bert, encoder
from ragassay.encoders.device import batch_tokens, dtype_of, place, places
from ragassay.encoders.loading import loaded, tokenizer

FARTHEST = 100_000  # a tokenizer without a limit says something astronomic


class Kind(encoder.Kind):
    def __init__(self, settings: encoder.Encoder):
        options = settings.options
        self.pooling, self.normalize = options.get("pooling", "mean"), options.get("normalize", False)
        if self.pooling not in ("mean", "cls"):
            raise encoder.EncoderError(f"encoder {settings.name}: found pooling {self.pooling!r}, expected mean or cls")
        self.device, self.tokenizer = place(options), tokenizer(settings.folder)
        self.model = loaded(AutoModel, settings.folder, self.device, dtype=dtype_of(settings)).eval()
        self.lean = bert.lean(self.model)
        self.batch_tokens, self.dimensions = batch_tokens(options, self.device), self.model.config.hidden_size
        self.pad = self.tokenizer.pad_token_id or 0
        positions = places(self.model.config)
        self.longest = settings.cut(positions) or min(self.tokenizer.model_max_length, positions or FARTHEST)

    def tokens(self, texts):
        return self.tokenizer(texts, truncation=True, max_length=self.longest)["input_ids"]

    @torch.inference_mode()
    def vectors(self, tokens, mask):
        last = self._states(tokens, mask)
        mask = torch.from_numpy(mask).to(self.device)
        if self.pooling == "cls":
            found = last[:, 0]
        else:
            found = (last * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True).clamp(min=1)
        found = torch.nn.functional.normalize(found, dim=1) if self.normalize else found
        return found.cpu().numpy()

    def _states(self, tokens, mask):
        """rows x longest x width, by the library where it cannot be done faster."""
        if self.lean is not None:
            return self.lean(tokens, mask)
        tokens, mask = (torch.from_numpy(values).to(self.device) for values in (tokens, mask))
        return self.model(tokens, attention_mask=mask).last_hidden_state.float()
