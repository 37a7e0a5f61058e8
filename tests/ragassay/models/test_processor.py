"""Products by another library: the same numbers, gradients as before, and no other module is touched."""

import pytest
import torch
from transformers.pytorch_utils import Conv1D

from ragassay.models.processor import quicken


class Own(torch.nn.Linear):
    """A module that does more than its class says."""

    def forward(self, states):
        return super().forward(states) * 2


@pytest.mark.parametrize("module", [torch.nn.Linear(6, 9), torch.nn.Linear(6, 9, bias=False), Conv1D(9, 6), Own(6, 9)])
def test_values_and_gradients_are_those_of_the_module(module, monkeypatch):
    states, count = torch.randn(4, 5, 6), []
    wanted = module(states)
    product = torch.ops.mkldnn._linear_pointwise
    monkeypatch.setattr(torch.ops.mkldnn, "_linear_pointwise", lambda *own: count.append(1) or product(*own))
    quicken(torch.nn.Sequential(module))
    with torch.inference_mode():
        assert torch.allclose(module(states), wanted, atol=1e-6) and module(states[:0]).shape == (0, 5, 9)
        assert torch.allclose(module(states.transpose(0, 1)), wanted.transpose(0, 1), atol=1e-6)
    assert len(count) == (0 if isinstance(module, Own) or not torch.backends.mkldnn.is_available() else 2)
    module(states).sum().backward()
    assert module.weight.grad.abs().sum() > 0 and len(count) <= 2
