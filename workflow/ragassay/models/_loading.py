"""Load a model of the transformers library whole, or say in one line why not: a tensor that the files lack would be
filled with random numbers. Reads local files only and runs no code that comes with them; a process that imports this
cannot reach the hub any more. `reading` makes every fault an OSError or a ValueError."""

import contextlib
import re

import huggingface_hub
import torch
from safetensors import SafetensorError
from transformers import AutoConfig, AutoTokenizer, PreTrainedModel
from transformers.utils import logging

huggingface_hub.constants.HF_HUB_OFFLINE = True
LOCAL = {"local_files_only": True, "trust_remote_code": False}
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
POOLER = re.compile(r"(^|\.)pooler\.")  # what few read


def loaded(kind, folder, device: torch.device | None = None, pooler: bool = False, **options):
    """`kind.from_pretrained(folder)` on `device`, every tensor from its files; `pooler` if its pooler is read, too."""
    options |= {"use_safetensors": True, "ignore_mismatched_sizes": True}
    model, info = kind.from_pretrained(folder, output_loading_info=True, **LOCAL, **options)
    if missing := sorted(key for key in info["missing_keys"] if pooler or not POOLER.search(key)):
        raise ValueError(f"its files lack the tensor {missing[0]} ({len(missing)} in all), expected every one")
    if other := sorted(entry for entry in info["mismatched_keys"] if pooler or not POOLER.search(entry[0])):
        key, shape, expected = other[0]
        raise ValueError(f"its tensor {key} has the shape {tuple(shape)}, expected {tuple(expected)}")
    return model if device is None else model.to(device)


def tokenizer(folder):
    """The tokenizer beside a model's weights."""
    return AutoTokenizer.from_pretrained(folder, **LOCAL)


def config(folder):
    """The configuration beside a model's weights."""
    return AutoConfig.from_pretrained(folder, **LOCAL)


def check_again(model, folder, **options) -> None:
    """Load a model that was loaded by another library again, which does not tell whether files lack tensors."""
    if isinstance(model, PreTrainedModel):
        loaded(type(model), folder, config=model.config, **options)


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


@contextlib.contextmanager
def reading():
    """What libraries raise for files and devices that they cannot use becomes a ValueError. They show no progress bars
    and tables, which would fill every job's log.
    """
    bars, verbosity = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    except SafetensorError as error:
        raise ValueError(f"a file of its weights is damaged or was copied in part ({error})") from error
    except (RuntimeError, AssertionError) as error:
        raise ValueError(str(error)) from error
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()
