"""Load a model of the transformers library whole, or say in one line why not: every fault is an OSError or a
ValueError, to which the caller adds the model's name.

A tensor that the files lack would be filled with random numbers, others in each process, with no more than a warning.
Reads local files only and runs no code that comes with them; a process that imports this cannot reach the hub any more,
since libraries do not pass `local_files_only` on to all that they call. Does not look for files: see
`ragassay.models.files`.
"""

import contextlib
import re

import huggingface_hub
import torch
from safetensors import SafetensorError
from transformers import AutoConfig, AutoTokenizer, PreTrainedModel

from ragassay.models.device import quiet

huggingface_hub.constants.HF_HUB_OFFLINE = True
LOCAL = {"local_files_only": True, "trust_remote_code": False}
POOLER = re.compile(r"(^|\.)pooler\.")  # what few read


def loaded(kind, place, device: torch.device | None = None, pooler: bool = False, **options):
    """`kind.from_pretrained(place)` on `device`, every tensor from its files; `pooler` if its pooler is read, too."""
    with reading():
        options |= {"use_safetensors": True, "ignore_mismatched_sizes": True}
        model, info = kind.from_pretrained(place, output_loading_info=True, **LOCAL, **options)
        _check(info, pooler)
        return model if device is None else model.to(device)


def tokenizer(place):
    """The tokenizer beside a model's weights."""
    with reading():
        return AutoTokenizer.from_pretrained(place, **LOCAL)


def config(place):
    """The configuration beside a model's weights."""
    with reading():
        return AutoConfig.from_pretrained(place, **LOCAL)


def check_again(model, place, **options) -> None:
    """Load a model that was loaded by another library again, which does not tell whether files lack tensors."""
    if isinstance(model, PreTrainedModel):
        loaded(type(model), place, config=model.config, **options)


@contextlib.contextmanager
def reading():
    """What libraries raise for files and devices that they cannot use becomes a ValueError."""
    try:
        with quiet():
            yield
    except SafetensorError as error:
        raise ValueError(f"a file of its weights is damaged or was copied in part ({error})") from error
    except (RuntimeError, AssertionError) as error:
        raise ValueError(str(error)) from error


def _check(info, pooler):
    if missing := sorted(key for key in info["missing_keys"] if pooler or not POOLER.search(key)):
        raise ValueError(f"its files lack the tensor {missing[0]} ({len(missing)} in all), expected every one")
    if other := sorted(entry for entry in info["mismatched_keys"] if pooler or not POOLER.search(entry[0])):
        key, found, expected = other[0]
        raise ValueError(f"its tensor {key} has the shape {tuple(found)}, expected {tuple(expected)}")
