"""How models use a processor: a fixed number of threads, since sums depend on it and results must not, and products
of texts with weights by oneDNN, which takes half to four fifths of MKL's time on some processors. It has no public
name in torch for a product with its activation, so the two private ones stand here and nowhere else."""

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


def has_products() -> bool:
    """Whether oneDNN can be used here."""
    return torch.backends.mkldnn.is_available()


def arranged(weight: torch.Tensor) -> torch.Tensor:
    """A weight as `product` reads it fastest."""
    return torch.ops.mkldnn._reorder_linear_weight(weight)


def product(states, weight, bias, activation: str = "none") -> torch.Tensor:
    """What a linear layer computes, with its activation in the same pass."""
    return torch.ops.mkldnn._linear_pointwise(states, weight, bias, activation, [], "none")


def quicken(model) -> None:
    """Compute products with float32 weights by oneDNN where no gradients are wanted; weights are not copied."""
    from transformers.pytorch_utils import Conv1D  # which jobs that only write what is known need not load

    if not has_products():
        return
    for module in model.modules():
        if type(module) in (torch.nn.Linear, Conv1D) and module.weight.dtype == torch.float32:
            module.forward = _quick(module, is_turned=type(module) is Conv1D)


def _quick(module, is_turned):
    plain = module.forward

    def forward(states):
        if torch.is_grad_enabled() or module.weight.device.type != "cpu" or not states.numel():
            return plain(states)
        return product(states, module.weight.t() if is_turned else module.weight, module.bias)

    return forward
