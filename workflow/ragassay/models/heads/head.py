"""Train a head: two layers over features of a frozen model that tell yes from no. Of all epochs the one with the
least loss on the validation part is kept, or the last without one. The same features, labels, recipe and seed give
the same head."""

from dataclasses import dataclass

import numpy as np
import torch

from ragassay.models.heads.scores import Recipe
from ragassay.models.processor import threads


@dataclass(frozen=True)
class Labelled:
    features: np.ndarray
    labels: np.ndarray


@threads(1)  # batches of eight rows gain nothing from a second one
def train(
    training: Labelled, validation: Labelled, recipe: Recipe, seed: int
) -> tuple[dict[str, np.ndarray], list[dict]]:
    """The head as arrays, and for each epoch its losses, the validation's accuracy and whether the head is of this
    epoch; epoch 0 is before training.
    """
    shift, scale = _scaling(training.features, recipe.standardize)
    given, wanted = (_tensor(values) for values in ((training.features - shift) * scale, training.labels))
    held, truth = (_tensor(values) for values in ((validation.features - shift) * scale, validation.labels))
    draw = torch.Generator().manual_seed(seed)
    layers = _layers(given.shape[1], recipe, draw)
    parameters = [parameter for layer in layers for parameter in layer.parameters()]
    optimizer = torch.optim.Adam(parameters, recipe.rate, fused=True)
    best, history = None, []
    for epoch in range(recipe.epochs + 1):
        losses = []
        for rows in torch.randperm(len(given), generator=draw).split(recipe.batch) if epoch else ():
            inner = torch.relu(layers[0](given[rows]))
            kept = torch.rand(inner.shape, generator=draw) >= recipe.dropout
            scores = layers[1](inner * kept / (1 - recipe.dropout))[:, 0]
            loss = torch.nn.functional.binary_cross_entropy_with_logits(scores, wanted[rows])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
        held_loss, accuracy = _measured(layers, held, truth)
        loss = float(torch.stack(losses).mean()) if losses else None
        history.append({"epoch": epoch, "loss": loss, "validation_loss": held_loss, "validation_accuracy": accuracy})
        if epoch and (best is None or held_loss is None or held_loss < best[0]):
            best = held_loss, epoch, _arrays(layers, shift, scale)
    return best[2], [row | {"kept": row["epoch"] == best[1]} for row in history]


def _measured(layers, features, truth):
    """Loss and accuracy on a part; both are empty for an empty part, and the last epoch is kept."""
    if not len(features):
        return None, None
    with torch.no_grad():
        scores = layers[1](torch.relu(layers[0](features)))[:, 0]
        loss = torch.nn.functional.binary_cross_entropy_with_logits(scores, truth)
        return float(loss), float(((scores > 0) == (truth > 0.5)).float().mean())


def _layers(width, recipe, draw):
    """Two layers, initialised as torch does by default, from numbers of our own."""
    layers = []
    for inputs, outputs in ((width, recipe.hidden), (recipe.hidden, 1)):
        layer = torch.nn.utils.skip_init(torch.nn.Linear, inputs, outputs)
        bound = inputs**-0.5
        with torch.no_grad():
            layer.weight.uniform_(-bound, bound, generator=draw)
            layer.bias.uniform_(-bound, bound, generator=draw)
        layers.append(layer)
    return layers


def _scaling(features, standardize):
    features = np.asarray(features, np.float32)
    if not standardize:
        return np.zeros(features.shape[1], np.float32), np.ones(features.shape[1], np.float32)
    spread = features.std(axis=0)
    return features.mean(axis=0), np.where(spread > 0, 1 / np.where(spread > 0, spread, 1), 0).astype(np.float32)


def _arrays(layers, shift, scale):
    """The head on features as they come: the scaling is worked into the first layer."""
    inner, outer = layers
    weight = inner.weight.detach().numpy().astype(np.float64) * scale
    bias = inner.bias.detach().numpy().astype(np.float64) - weight @ shift
    last = outer.weight.detach().numpy()[0].copy(), outer.bias.detach().numpy().copy()
    arrays = {"inner.weight": weight.astype(np.float32), "inner.bias": bias.astype(np.float32)}
    return arrays | {"outer.weight": last[0], "outer.bias": last[1]}


def _tensor(values):
    return torch.from_numpy(np.ascontiguousarray(values, np.float32))
