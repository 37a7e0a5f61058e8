"""Where an encoder runs, in which numbers and how far it reads. Chooses; computes nothing."""

import contextlib

import torch
import transformers

from ragassay.encoders.encoder import Encoder, EncoderError

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
CPU_TOKENS, GPU_TOKENS = 768, 32_768  # a small batch stays in a processor's cache; a large one fills a GPU


def place(options: dict) -> torch.device:
    """The device that is named, or the best there is; ValueError if this machine has no such device."""
    name = options.get("device") or ("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        told = str(error).split("\n")[0]
        raise ValueError(f"found device {name!r}, which cannot be used here ({told})") from error
    return device


def batch_tokens(options: dict, device: torch.device) -> int:
    return options.get("batch_tokens") or (CPU_TOKENS if device.type == "cpu" else GPU_TOKENS)


def dtype_of(encoder: Encoder) -> torch.dtype:
    name = encoder.options.get("dtype", "float32")
    if name not in DTYPES:
        raise EncoderError(f"encoder {encoder.name}: found dtype {name!r}, expected one of {', '.join(DTYPES)}")
    return DTYPES[name]


def places(config) -> int | None:
    """How many tokens a model has positions for, if it says so."""
    found = getattr(config, "max_position_embeddings", None)
    if found and config.model_type in ("roberta", "xlm-roberta", "camembert", "mpnet"):
        return found - 2  # they begin to count behind the padding token
    return found


@contextlib.contextmanager
def quiet():
    """No bars that fill while weights are loaded, no tables of their tensors: they would go into every job's log."""
    shown, told = transformers.utils.logging.is_progress_bar_enabled(), transformers.utils.logging.get_verbosity()
    transformers.utils.logging.disable_progress_bar()
    transformers.utils.logging.set_verbosity_error()
    try:
        yield
    finally:
        transformers.utils.logging.set_verbosity(told)
        if shown:
            transformers.utils.logging.enable_progress_bar()
