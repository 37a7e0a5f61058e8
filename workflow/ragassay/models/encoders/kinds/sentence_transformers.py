"""A sentence-transformers model with its own pooling, normalisation and further layers. Nearly all are a transformer,
a pooling and perhaps a normalisation: what the kind `transformers` computes, too, without the library, whose import
takes longer than a thousand questions. Only a model with other modules is left to the library."""

from dataclasses import replace

import torch

from ragassay.models import files
from ragassay.models.batches import positions
from ragassay.models.encoders import bert_files, encoder, fast_bert
from ragassay.models.encoders.kinds import transformers


def Kind(settings: encoder.Encoder) -> encoder.Kind:
    options = bert_files.plain_options(settings.local.folder)
    if options is None:
        return Modules(settings)
    return transformers.Kind(replace(settings, options=options | settings.options))


class Modules(encoder.Kind):
    """A model with layers of its own. The library runs its modules, but for the first one, which reads the text, where
    that can be done faster (see `ragassay.models.encoders.fast_bert`).
    """

    def __init__(self, settings: encoder.Encoder):
        from sentence_transformers import SentenceTransformer  # seconds, which other models do without

        from ragassay.models._loading import LOCAL, check_again

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
