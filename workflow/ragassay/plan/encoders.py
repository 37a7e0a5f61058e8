"""The encoders of the configuration, for stages that embed texts."""

from ragassay.plan import models


def encoder(config: dict, name: str = "") -> dict:
    """The named encoder, or that of the scope study, and the folder of vectors of all studies."""
    name = name or config["scope"]["hardness"]["encoder"]
    return {"encoder": {"name": name, **config["encoders"][name]}, "embeddings": "embeddings"}


def weights(config: dict, name: str = "") -> list[str]:
    """Its weights, as inputs."""
    return models.weights(encoder(config, name)["encoder"])


def kind(config: dict, name: str = "") -> list[str]:
    """The module that runs it, which a script loads by its name."""
    return [f"ragassay.models.encoders.kinds.{encoder(config, name)['encoder']['kind']}"]


def kind_of_study(config: dict) -> list[str]:
    return kind(config)
