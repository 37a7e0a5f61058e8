"""What entries of the configuration have, and what stands at a place that the wildcards of a job complete."""


def having(entries: dict, key: str) -> list[str]:
    """The names of the entries with something at this key."""
    return [name for name, entry in entries.items() if entry.get(key)]


def lacking(entries: dict, key: str) -> list[str]:
    """The names of the others."""
    return [name for name, entry in entries.items() if not entry.get(key)]


def at(config: dict, place: str, wildcards):
    """What stands at a place such as `datasets/{dataset}/corpus`."""
    value = config
    for key in place.format(**wildcards).split("/"):
        value = value[key]
    return value


def chosen(config: dict, place: str, keys: str, wildcards) -> dict:
    """The settings of these names at such a place."""
    entry = at(config, place, wildcards)
    return {key: entry[key] for key in keys.split()}


def path(config: dict, pattern: str, wildcards, **places: str) -> str:
    """The path of a job: its pattern has wildcards, and names of places at which a further one stands."""
    return pattern.format(**wildcards, **{name: at(config, place, wildcards) for name, place in places.items()})
