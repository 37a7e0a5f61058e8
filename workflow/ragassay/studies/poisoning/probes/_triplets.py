"""Train the network of the kind `triplet` and use it: a ResNet-18 maps the image of layers x width to a vector, so
that vectors of one kind of answer lie together. The support is not trained on. Of all epochs the one with the highest
AUROC on the validation part is kept."""

import numpy as np
import torch
from transformers import ResNetConfig, ResNetModel

from ragassay.base import fitted_files
from ragassay.metrics.panel import auroc
from ragassay.models.processor import threads
from ragassay.studies.poisoning.probes.samples import ProbeError, Scaling, scaling

ROWS = 64  # that are embedded at a time


class Network(torch.nn.Module):
    def __init__(self, settings):
        super().__init__()
        widths = settings["widths"]
        self.resnet = ResNetModel(
            ResNetConfig(
                num_channels=1,
                embedding_size=widths[0],
                hidden_sizes=list(widths),
                depths=[2] * len(widths),
                layer_type="basic",
            )
        )
        self.outer = torch.nn.Linear(widths[-1], settings["dimensions"])

    def forward(self, images):
        pooled = self.resnet(images[:, None]).pooler_output.flatten(1)
        return torch.nn.functional.normalize(self.outer(pooled), dim=1)


def fit(training, validation, settings, seed):
    draw = np.random.default_rng(seed)
    support, rest = _apart(training, settings["support"], draw)
    scale = scaling(rest, settings["scaling"] == "whole")
    kinds = [rest.rows[rest.labels == kind] for kind in (False, True)]
    best = None
    with threads(1), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = Network(settings).to(_device())
        optimizer = torch.optim.Adam(network.parameters(), settings["rate"])
        for _ in range(settings["epochs"]):
            network.train()
            for triplets in _triplets(kinds, settings["batch"], draw):
                images = _images(scale, training.features[triplets.ravel()])
                anchor, same, other = network(images).view(len(triplets), 3, -1).unbind(1)
                loss = torch.nn.functional.triplet_margin_loss(anchor, same, other, settings["margin"])
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()
            arrays = _arrays(network, scale, support)
            area = auroc(score(arrays, validation, settings), validation.labels) if len(validation.rows) else None
            if best is None or area is None or area > best[0]:
                best = area or 0.0, arrays
    return best[1]


def _apart(training, size, draw):
    """Some samples of each kind, half of the support each, and the others."""
    right, poisoned = (draw.permutation(np.flatnonzero(training.labels == kind)) for kind in (False, True))
    fewest = size // 2 + 2  # an anchor and another one of its kind are left
    if min(len(right), len(poisoned)) < fewest:
        raise ProbeError(
            f"found {len(right)} right and {len(poisoned)} poisoned answers to train on, expected at least {fewest} of"
            f" each for a support of {size}; lower the setting support of the probe"
        )
    inside = np.zeros(len(training.rows), bool)
    inside[np.concatenate([right[: size // 2], poisoned[: size // 2]])] = True
    return tuple(training._replace(rows=training.rows[at], labels=training.labels[at]) for at in (inside, ~inside))


def _triplets(kinds, batch, draw):
    """Each sample once as the anchor, with another one of its kind and one of the other: batch x 3 numbers."""
    anchors = np.concatenate(kinds)
    poisoned = np.repeat([0, 1], list(map(len, kinds)))
    order = draw.permutation(len(anchors))
    for start in range(0, len(order), batch):
        at = order[start : start + batch]
        same = [draw.choice(kinds[kind]) for kind in poisoned[at]]
        other = [draw.choice(kinds[1 - kind]) for kind in poisoned[at]]
        yield np.stack([anchors[at], same, other], axis=1)


def _arrays(network, scale, support):
    arrays = {f"network.{name}": value.cpu().numpy().copy() for name, value in network.state_dict().items()}
    vectors = _embedded(network, scale, support)
    labels = support.labels.astype(np.uint8)
    return arrays | {"mean": scale.mean, "factor": scale.factor, "support": vectors, "poisoned": labels}


@torch.inference_mode()
def _embedded(network, scale, part):
    network.eval()
    starts = range(0, len(part.rows), ROWS)
    vectors = [network(_images(scale, part.features[part.rows[at : at + ROWS]])).cpu() for at in starts]
    return torch.cat(vectors).numpy() if vectors else np.empty((0, 1), np.float32)


def score(arrays: dict[str, np.ndarray], part, settings) -> np.ndarray:
    network = Network(settings)
    weights = {name.removeprefix("network."): value for name, value in arrays.items() if name.startswith("network.")}
    network.load_state_dict({name: torch.from_numpy(np.array(value)) for name, value in weights.items()})
    network.to(_device())
    with threads(1):
        vectors = _embedded(network, Scaling(arrays["mean"], arrays["factor"]), part)
    if not len(vectors):
        return np.empty(0)
    distances = np.linalg.norm(vectors[:, None] - arrays["support"][None], axis=2)
    right, poisoned = (distances[:, arrays["poisoned"] == kind].min(axis=1) for kind in (0, 1))
    return np.round((right - poisoned).astype(float), 6)


def check(arrays: dict[str, np.ndarray], layers: int, settings: dict) -> None:
    """ValueError unless arrays are those of a network with these settings."""
    mean = fitted_files.check("mean", arrays["mean"], "float32", (layers, None))
    fitted_files.check("factor", arrays["factor"], "float32", mean.shape, 0)
    support = fitted_files.check("support", arrays["support"], "float32", (None, settings["dimensions"]), -1.001, 1.001)
    labels = fitted_files.check("poisoned", arrays["poisoned"], "uint8", (len(support),), 0, 1)
    if len(set(labels.tolist())) < 2:
        raise ValueError("found a support of one kind of answers, expected both")
    stages = {name.split(".stages.")[1].split(".")[0] for name in arrays if ".stages." in name}
    if len(stages) != len(settings["widths"]):  # thousands would take seconds to build
        raise ValueError(f"found {len(stages)} stages of a network, expected {len(settings['widths'])}, one a width")
    with torch.device("meta"):  # whatever settings say, no memory is taken
        tensors = {f"network.{name}": tensor for name, tensor in Network(settings).state_dict().items()}
    expected = {name: (tuple(tensor.shape), str(tensor.dtype)) for name, tensor in tensors.items()}
    of_network = {name: array for name, array in arrays.items() if name.startswith("network.")}
    shapes = {name: (array.shape, f"torch.{array.dtype.name}") for name, array in of_network.items()}
    if shapes != expected or len(arrays) != len(shapes) + 4:
        wrong = sorted(set(shapes.items()) ^ set(expected.items()))
        raise ValueError(f"found other arrays than those of its network, such as {wrong[0] if wrong else 'one more'}")


def _device():
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def _images(scale, features):
    return torch.from_numpy(scale(features)).to(_device())
