"""How the intervals of a section are drawn: one setting for all studies."""


def draws(config: dict, section: str) -> dict:
    """How often documents are resampled for the intervals of a section of the report, and the seed of the draws."""
    intervals = config["intervals"]
    return {"resamples": intervals["sections"].get(section, intervals["resamples"]), "seed": intervals["seed"]}
