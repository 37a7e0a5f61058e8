"""Models that this workflow trains: whoever uses one needs its folder first."""

FOLDER = "results/models/"
DEMO_LM = f"{FOLDER}demo-lm"  # the one that there is a rule for


def weights(entry: dict) -> list[str]:
    """The folder of a model's weights if this workflow makes them; `entry` is the model's own in the configuration."""
    return [entry["model"]] if entry["model"].startswith(FOLDER) else []
