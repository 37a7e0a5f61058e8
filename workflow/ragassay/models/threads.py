"""A fixed number of threads for torch: sums depend on how many there are, and results must not depend on that."""

import contextlib

import torch


@contextlib.contextmanager
def threads(count: int):
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
