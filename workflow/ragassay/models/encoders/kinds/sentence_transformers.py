"""A sentence-transformers model with its own pooling, normalisation and further layers.

Nearly all of them are a transformer, the mean of its tokens' states or the first one, and perhaps a normalisation. That
is what the kind `transformers` computes, too, without the library, whose import takes longer than a thousand questions.
Only a model with other modules is left to the library.
"""

import json
from dataclasses import replace
from pathlib import Path

from ragassay.models.encoders import encoder
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
        from ragassay.models.encoders.sentence_modules import Modules

        return Modules(settings)
    return transformers.Kind(replace(settings, options=options | settings.options))


def plain_options(folder: Path) -> dict | None:
    """The options with which the kind `transformers` computes the same; None for a model with other modules."""
    modules = _json(folder / "modules.json", [])
    names = [module["type"].split(".")[-1] for module in modules]
    ours = all(module["type"].startswith("sentence_transformers.") for module in modules)
    if not ours or names not in PLAIN or modules[0]["path"]:
        return None
    pooling = _pooling(_json(folder / modules[1]["path"] / "config.json", {}))
    reading = _json(folder / "sentence_bert_config.json", {})
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


def _json(path, absent):
    return json.loads(path.read_text()) if path.is_file() else absent
