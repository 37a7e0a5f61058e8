"""Where values stand in the reply of a service. A module by itself: settings are checked without the provider that
reads replies, and most environments have no JSONPath."""

from functools import lru_cache


@lru_cache(maxsize=256)
def compiled(path: str):
    """A path that finds values; raises ValueError if it is none."""
    import jsonpath

    try:
        return jsonpath.compile(path)
    except jsonpath.JSONPathError as error:
        raise ValueError(f"no JSONPath ({str(error).splitlines()[0]})") from error
