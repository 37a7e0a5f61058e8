"""Where a model runs, in which number format, and how much it reads. Chooses; computes nothing."""

import contextlib

import torch

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


def place(name: str) -> torch.device:
    """The device of this name; ValueError if this machine has no such device."""
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).split("\n")[0]
        raise ValueError(f"found device {name!r}, which cannot be used here ({reason})") from error
    return device


def dtype(name: str) -> torch.dtype:
    if name not in DTYPES:
        raise ValueError(f"found dtype {name!r}, expected one of {', '.join(DTYPES)}")
    return DTYPES[name]


def positions(config) -> int | None:
    """How many tokens a model has positions for, if its configuration says so."""
    count = getattr(config, "max_position_embeddings", None)
    if count and config.model_type in ("roberta", "xlm-roberta", "camembert", "mpnet"):
        return count - 2  # they begin to count behind the padding token
    return count


def short_texts(config) -> int | None:
    """How many tokens a text may have and be turned as short ones are; None where all are turned alike. All tokens of a
    batch are turned alike, so that long and short texts run apart.
    """
    own = getattr(config, "rope_parameters", None) or {}  # of all layers, or of each type of them
    turned = [part for part in (own, *own.values()) if isinstance(part, dict) and part.get("rope_type") == "longrope"]
    return min((part["original_max_position_embeddings"] for part in turned), default=None)


@contextlib.contextmanager
def quiet():
    """No progress bars and tables while weights are loaded: they would fill every job's log."""
    from transformers.utils import logging

    bars, verbosity = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()
