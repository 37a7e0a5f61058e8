"""Where an encoder runs and in which numbers. Chooses; computes nothing."""

import contextlib

import torch
import transformers

from ragassay.encoders.encoder import Encoder, EncoderError

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
CPU_TOKENS, GPU_TOKENS = 768, 32_768  # a small batch stays in a processor's cache; a large one fills a GPU


def place(options: dict) -> torch.device:
    return torch.device(options.get("device") or ("cuda" if torch.cuda.is_available() else "cpu"))


def batch_tokens(options: dict, device: torch.device) -> int:
    return options.get("batch_tokens") or (CPU_TOKENS if device.type == "cpu" else GPU_TOKENS)


def dtype_of(encoder: Encoder) -> torch.dtype:
    name = encoder.options.get("dtype", "float32")
    if name not in DTYPES:
        raise EncoderError(f"encoder {encoder.name}: found dtype {name!r}, expected one of {', '.join(DTYPES)}")
    return DTYPES[name]


@contextlib.contextmanager
def quiet():
    """No bars that fill while weights are loaded: they would go into every job's log."""
    shown = transformers.utils.logging.is_progress_bar_enabled()
    transformers.utils.logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            transformers.utils.logging.enable_progress_bar()
