"""What a probe of a model of eight billion parameters costs on a graphics processor: its activations, and the network
that is trained on them. Weights and samples are random. Without such a processor nothing is measured.
"""

import time

LARGE = {"hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32}
LARGE |= {"num_key_value_heads": 8, "vocab_size": 128_256}
PROMPTS, TOKENS, SQUARE, SAMPLES, EPOCHS = 256, 512, 8192, 256, 2


def measure(figure) -> None:
    import torch

    if torch.cuda.is_available():
        _measure(figure, torch.device("cuda"), LARGE, PROMPTS, TOKENS, SQUARE, SAMPLES)


def _measure(figure, device, shape, prompts, tokens, square, samples):
    _collecting(figure, device, shape, prompts, tokens, square)  # and its weights are released
    figure("gpu_training", _training(shape, samples), f"s_for_{EPOCHS}_epochs_of_{samples}")


def _collecting(figure, device, shape, prompts, tokens, square):
    import numpy as np
    import torch
    from transformers import LlamaConfig, LlamaModel

    from ragassay.models.activations.states import States

    with device:
        before = torch.get_default_dtype()
        torch.set_default_dtype(torch.bfloat16)
        trunk = LlamaModel(LlamaConfig(**shape)).eval()
        matrix = torch.randn(square, square)
        torch.set_default_dtype(before)
    peak = 2 * square**3 / _seconds(lambda: matrix @ matrix, device)
    states, draw = States(trunk, 16_384, site="mlp"), np.random.default_rng(0)
    asked = draw.integers(0, shape["vocab_size"], (prompts, tokens)).tolist()
    groups, layers = [[number] for number in range(prompts)], list(range(1, shape["num_hidden_layers"] + 1))
    spent = _seconds(lambda: states.of(asked, groups, layers), device)
    inner = sum(own.numel() for name, own in trunk.named_parameters() if "embed" not in name)
    figure(f"gpu_samples_of_{tokens}_tokens", prompts / spent, "per_s")
    figure("gpu_share_of_peak", 2 * inner * prompts * tokens / spent / peak, "share", limit=1.0)


def _seconds(work, device) -> float:
    """Of the second time: the first one prepares."""
    import torch

    for _ in range(2):
        begin = time.perf_counter()
        work()
        if device.type == "cuda":
            torch.cuda.synchronize()
        spent = time.perf_counter() - begin
    return spent


def _training(shape, samples):
    import numpy as np

    from ragassay.studies.poisoning.probes.kinds import triplet
    from ragassay.studies.poisoning.probes.samples import Part

    size = (samples, shape["num_hidden_layers"], shape["intermediate_size"])
    features, labels = np.random.default_rng(0).standard_normal(size, np.float32), np.arange(samples) % 2 > 0
    parts = [Part(features, rows, labels[rows]) for rows in np.split(np.arange(samples), [samples * 3 // 4])]
    begin = time.perf_counter()
    triplet.fit(*parts, triplet.SETTINGS | {"support": samples // 4, "epochs": EPOCHS}, 0)
    return time.perf_counter() - begin
