"""A sentence-transformers model with its own pooling, normalisation and further layers. Nearly all are a transformer,
a pooling and perhaps a normalisation: what the kind `transformers` computes, too, without the library, whose import
takes longer than a thousand questions. Only a model with other modules is left to the library."""

from dataclasses import replace
from pathlib import Path

import torch

from ragassay.models import files
from ragassay.models.batches import positions
from ragassay.models.encoders import encoder, fast_bert
from ragassay.models.encoders.kinds import transformers

POOLING = {"mean_tokens": "mean", "mean": "mean", "cls_token": "cls", "cls": "cls", "lasttoken": "last"}
PLAIN = (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"])
READING = {  # what may stand beside the length that is read
    "do_lower_case": False,
    "transformer_task": "feature-extraction",
    "modality_config": {"text": {"method": "forward", "method_output_name": "last_hidden_state"}},
    "module_output_name": "token_embeddings",
}


def Kind(settings: encoder.Encoder) -> encoder.Kind:
    options = plain_options(settings.local.folder)
    if options is None:
        return Modules(settings)
    return transformers.Kind(replace(settings, options=options | settings.options))


def plain_options(folder: Path) -> dict | None:
    """The options with which the kind `transformers` computes the same; None for a model with other modules."""
    modules = files.settings(folder / "modules.json", [])
    names = [module["type"].split(".")[-1] for module in modules]
    ours = all(module["type"].startswith("sentence_transformers.") for module in modules)
    if not ours or names not in PLAIN or modules[0]["path"]:
        return None
    pooling = _pooling(files.settings(folder / modules[1]["path"] / "config.json", {}))
    reading = files.settings(folder / "sentence_bert_config.json", {})
    longest = reading.pop("max_seq_length", None)
    if pooling is None or any(READING.get(key) != value for key, value in reading.items()):
        return None
    options = {"pooling": pooling, "normalize": names == PLAIN[1]}
    return options | ({"max_tokens": longest} if longest else {})


def _pooling(config):
    """The one mode that the file names, in our words; older files have a switch for each."""
    switches = [name for name, value in config.items() if name.startswith("pooling_mode_") and value]
    modes = (
        [config["pooling_mode"]] if "pooling_mode" in config else [name[len("pooling_mode_") :] for name in switches]
    )
    return POOLING.get(modes[0]) if len(modes) == 1 and config.get("include_prompt", True) else None


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
