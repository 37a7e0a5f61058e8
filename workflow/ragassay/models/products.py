"""Products of texts with weights, computed faster on a processor than a model does by itself.

torch hands products of float32 to MKL. oneDNN, which comes with torch, too, takes half to four fifths of that time on
some processors and no more on others. It reads weights as they lie, so that nothing is copied; values differ by
rounding.
"""

import torch


def quicken(model) -> None:
    """Compute by oneDNN what wants no gradients: products with float32 weights on a processor."""
    from transformers.pytorch_utils import Conv1D  # which jobs that only write what is known need not load

    if not torch.backends.mkldnn.is_available():
        return
    for module in model.modules():
        if type(module) in (torch.nn.Linear, Conv1D) and module.weight.dtype == torch.float32:
            module.forward = _quick(module, is_turned=type(module) is Conv1D)


def _quick(module, is_turned):
    plain = module.forward

    def forward(states):
        if torch.is_grad_enabled() or module.weight.device.type != "cpu" or not states.numel():
            return plain(states)
        weight = module.weight.t() if is_turned else module.weight
        return torch.ops.mkldnn._linear_pointwise(states, weight, module.bias, "none", [], "")

    return forward
