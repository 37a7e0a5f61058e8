"""What to lay over a configuration so that it asks for the numbers of one table and no more: cells and sets with other
names go, and then the entries that nothing names any longer. A run needs nothing of these: neither the files of a data
set nor the key of a model.
"""

from collections.abc import Iterator

from ragassay.config.services import SERVICE

CELLS = ("under_attack", "revprag")  # sections with `cells`, whose lists are combined
LISTS = {"datasets": "dataset", "retrievers": "retriever", "attacks": "attack", "responders": "responder"}
LISTS |= {"defences": "defence"}
# Sections of named entries, each of which is needed where something names it.
ENTRIES = "models encoders retrievers scorers corpora query_sets datasets synthetic_queries attacks defences"
PLACES = [*((section,) for section in ENTRIES.split()), ("detectors", "methods")]


def narrowed(config: dict, keys: dict[str, list[str]], swept: str | None) -> dict:
    """`keys` are the names that the table has of each key; `swept` is the text of the sweeps that it shows."""
    over = {section: {"cells": _cells(config[section]["cells"], keys)} for section in CELLS}
    over["revprag"] |= _probes(config["revprag"], keys)
    over["relevance"] = _sets(config["relevance"], keys)
    raters = _among(config["lm_relevance"]["raters"], keys.get("method", []))
    over["lm_relevance"] = {"raters": raters, "rated": config["lm_relevance"]["rated"] if raters else []}
    less = _laid_over(config, over)
    names = {*texts(_without_entries(less)), *(swept or "").replace('"', " ").split()}
    for place, unused in _unused(less, names).items():
        inside = over
        for part in place:
            inside = inside.setdefault(part, {})
        inside |= dict.fromkeys(unused)
    return over


def _cells(cells, keys):
    """Those that some row of the table comes from, with no other names. Nothing is screened, and no service asked."""
    kept = []
    for cell in cells:
        lists = {name: _among(cell[name], keys.get(key)) for name, key in LISTS.items() if name in cell}
        if all(lists[name] for name in lists if cell[name]):
            kept.append(lists)
    return kept


def _among(names, wanted):
    return names if wanted is None else [name for name in names if name in wanted]


def _probes(revprag, keys):
    """Probes and conditions stay where a table names none; other places, baselines and defences go."""
    others = {
        "probes": [name for name in revprag["probes"] if name not in keys.get("probe", revprag["probes"])],
        "generalisation": [name for name in revprag["generalisation"] if name not in keys.get("generalisation", [])],
    }
    less = {section: dict.fromkeys(names) for section, names in others.items()}
    less["baselines"] = _among(revprag["baselines"], keys.get("probe", []))
    return less | {"defences": [], "conditions": _among(revprag["conditions"], keys.get("condition"))}


def _sets(relevance, keys):
    """Answers are asked for where a table names responders."""
    sets = {}
    for name, entry in relevance["sets"].items():
        of_key = {"near": "set", "far": "set", "retrievers": "retriever"}
        lists = {kind: _among(entry[kind], keys.get(key)) for kind, key in of_key.items() if entry.get(kind)}
        sets[name] = entry | lists if entry["corpus"] in keys.get("corpus", [entry["corpus"]]) else None
    answers, wanted = relevance["answers"], keys.get("retriever")
    searched = {"retrievers": _among(relevance["retrievers"], wanted) or relevance["retrievers"]}
    asked = {"responders": _among(answers["responders"], keys.get("responder", []))}
    return {"sets": sets, **searched, "answers": asked | {"retrievers": _among(answers["retrievers"], wanted)}}


def _laid_over(config, over):
    """Without what is switched off."""
    result = dict(config)
    for key, value in over.items():
        result[key] = _laid_over(config.get(key, {}), value) if isinstance(value, dict) else value
    return {key: value for key, value in result.items() if value is not None}


def _without_entries(config):
    sections = {place[0] for place in PLACES if len(place) == 1}
    rest = {key: value for key, value in config.items() if key not in {*sections, "services"}}
    return rest | {"detectors": {key: value for key, value in rest["detectors"].items() if key != "methods"}}


def texts(value) -> Iterator[str]:
    """All values that are text; a name is one of these wherever it stands."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from texts(inner)


def _unused(config, names) -> dict[tuple, list[str]]:
    """place -> its entries that no name leads to, be it by another entry."""
    names, unused = set(names), {}
    while True:
        before = len(names)
        for place in PLACES:
            entries = config
            for part in place:
                entries = entries[part]
            unused[place] = [name for name in entries if name not in names and not name.startswith(SERVICE)]
            names.update(text for name in entries if name in names for text in texts(entries[name]))
        if len(names) == before:
            return unused
