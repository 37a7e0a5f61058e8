"""Settings of the stages that score passages and measure defences, and what the names of scorers stand for."""

import csv
import json
import math
from collections.abc import Iterator
from pathlib import Path

from ragassay.base.errors import AssayError, unknown
from ragassay.base.terminal import shown
from ragassay.base.variants import VariantError
from ragassay.config.grid import Grid
from ragassay.config.schema import merged
from ragassay.config.settings import schema_problems
from ragassay.plan import attacks, defences, methods, models, search, targets
from ragassay.plan.corpora import OWN, files_of
from ragassay.plan.defences import CHAIN, CLEAN
from ragassay.plan.documents import named_shards, near_duplicates
from ragassay.plan.methods import NamedMethod
from ragassay.plan.report import draws
from ragassay.studies.poisoning.attacks.attack import DEFENCE
from ragassay.studies.poisoning.defences.defence import kind_of

DEMO = "resources/demo/"  # texts, and a model that was trained on them
FORWARDS = 2  # of a language model for a passage: of the whole, and of the second chunk alone
SWEPT = "raguard"  # the kind of defence that is swept, if a row names no other
DRAWN = {"scorer": "", "sample": 1000, "seed": 0}  # settings that say what scores and which sample a row needs
TRIGGER = "general_trigger"  # the kind of attack that needs questions with a trigger
SWEEPS = ["table", "at", "kind", "attack", "k", "depth", "texts", "contamination", "settings"]


class SweepError(AssayError):
    """The table of sweeps cannot be used; the message names the line."""


def scorer(config: dict, name: str) -> NamedMethod:
    return methods.named(config, "scorers", name)


def kinds(config: dict, wildcards) -> list[str]:
    """The module of a scorer."""
    return [scorer(config, wildcards.scorer).module]


def passages(config: dict, wildcards) -> list[str]:
    """The clean corpus of a dataset, and the one that defences are fitted on if that is another."""
    snapshot = defences.snapshot(config, "results/passages/{corpus}.parquet", wildcards)
    return list(dict.fromkeys([targets.clean(config, "results/passages/{corpus}.parquet", wildcards), snapshot]))


def training_passages(config: dict, wildcards) -> list[str]:
    """What a scorer is trained on: the corpus that defences are fitted on, unless shards of it are named."""
    whole = defences.snapshot(config, "results/passages/{corpus}.parquet", wildcards)
    return [] if _named_shards(config, wildcards) else [whole]


def training_documents(config: dict, shards: dict, wildcards) -> list[str]:
    """The documents of the shards that are named."""
    names = _named_shards(config, wildcards)
    kept = named_shards(shards, names, f"scorers.{wildcards.scorer}.trained_on") if names else []
    return [f"results/documents/{shard}.parquet" for shard in kept]


def _named_shards(config, wildcards):
    """Corpora of files have none."""
    corpus = defences.snapshot(config, "{corpus}", wildcards)
    return scorer(config, wildcards.scorer).entry.get("trained_on", []) if corpus == OWN["corpora"] else []


def train_scorer(config: dict, wildcards) -> dict:
    trained_here = scorer(config, wildcards.scorer)
    return {"kind": trained_here.kind, "settings": trained_here.settings} | near_duplicates(config)


def trained(config: dict, wildcards) -> list[str]:
    """The folder of a scorer that is trained here."""
    folder = f"results/scorers/{wildcards.dataset}/{wildcards.scorer}"
    return [folder] if scorer(config, wildcards.scorer).type.IS_TRAINED else []


def weights(config: dict, wildcards) -> list[str]:
    """The weights of a scorer that was trained elsewhere, as inputs."""
    entry = scorer(config, wildcards.scorer).entry
    return models.weights(entry) if "model" in entry else []


def score_passages(config: dict, wildcards) -> dict:
    used = scorer(config, wildcards.scorer)
    model = {key: used.entry[key] for key in ("model", "options") if key in used.entry}
    values = {} if used.type.IS_TRAINED else {"entry": model} | used.settings
    params = {"name": wildcards.scorer, "kind": used.kind, "settings": values, "reading": defences.reading(config)}
    return params | {"of_corpus": wildcards.attack == CLEAN}


def swept(config: dict) -> Grid:
    """Datasets and retrievers by vectors where RAGuard is tried and the table has rows for; none without a table."""
    return _tried(config, defences.filtered(config)).by("dataset", "retriever").where(lambda cell: _rows(config, cell))


def swept_answers(config: dict) -> Grid:
    """The same with all who answer behind RAGuard there."""
    answered = _tried(config, defences.answered(config)).by("dataset", "retriever", "responder")
    return answered.where(lambda cell: _rows(config, cell))


def _tried(config, cells):
    """The cells in which RAGuard and a retriever by vectors meet, if there is a table of sweeps."""
    dense = search.retrievers(config, search.DENSE) if config["raguard"]["sweeps"] else []
    names = [name for name in methods.names(config, "defences") if defences.defence(config, name).kind == SWEPT]
    return cells.where(lambda cell: cell.defence in names and cell.retriever in dense)


def sweep_rows(path) -> list[dict]:
    """The table of sweeps; where a cell is empty, nothing is changed."""
    rows = []
    with Path(path).open(encoding="utf-8-sig", newline="") as file:
        lines = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        if (header := next(lines, [])) != SWEEPS:
            raise SweepError(f"{path}:1: found the columns {shown(header, 200)}, expected {SWEEPS}, separated by tabs")
        for cells in filter(None, lines):
            try:
                rows.append(_sweep(dict(zip(SWEEPS, cells, strict=True))))
            except (ValueError, TypeError, VariantError) as error:
                raise SweepError(f"{path}:{lines.line_num}: {error}; correct this row") from error
    return rows


def _sweep(row):
    numbers = {"k": int(row["k"] or 0), "depth": int(row["depth"]), "texts": int(row["texts"] or 0)}
    numbers |= {"contamination": float(row["contamination"] or 0)}
    settings, kind = json.loads(row["settings"] or "{}"), row["kind"] or SWEPT
    type_of = kind_of(kind, "kind")
    if type_of.PROMPTS or type_of.REWRITES or CHAIN in type_of.SETTINGS:
        raise ValueError(f"found the kind {kind}, expected one that judges passages by itself")
    defaults = type_of.SETTINGS
    if wrong := [key for key in settings if key not in defaults]:
        raise ValueError(unknown("setting", wrong[0], defaults))
    if settings.get(defences.ENCODER):
        raise ValueError(
            f"found the encoder {settings[defences.ENCODER]!r}, but sweeps compare vectors of the retriever"
        )
    if settings.get("poisoned_null"):
        raise ValueError("found poisoned_null, expected a share of poison in the column contamination")
    if not 0 <= numbers["contamination"] < 1 or numbers["depth"] < 1:
        raise ValueError("found a depth below 1, or a contamination that is no share")
    drawn = {name: (defaults | settings).get(name, usual) for name, usual in DRAWN.items()}
    return row | numbers | {"kind": kind, "settings": settings} | drawn


def _rows(config, wildcards):
    """The rows that a dataset is for: attacks by a trigger need questions that hold it, others those of users."""
    rows = sweep_rows(config["raguard"]["sweeps"])
    is_triggered = bool(config["datasets"][wildcards.dataset]["trigger"])
    return [row for row in rows if (attacks.attack(config, row["attack"]).kind == TRIGGER) == is_triggered]


def swept_tables(config: dict, pattern: str, wildcards) -> list[str]:
    """A table of each attack that the sweeps name."""
    names = dict.fromkeys(row["attack"] for row in _rows(config, wildcards))
    return [pattern.format(**dict(wildcards.items()), attack=name) for name in names]


def swept_scores(config: dict, wildcards) -> list[str]:
    """The scores of these and of the clean corpus by each scorer that the sweeps name."""
    paths, shared = [], f"results/passage_scores/{wildcards.dataset}"
    for name in dict.fromkeys(row["scorer"] for row in _rows(config, wildcards) if row["scorer"]):
        pattern = f"{shared}/{name}/{{attack}}.parquet"
        paths += [pattern.format(attack=CLEAN), *swept_tables(config, pattern, wildcards)]
    return list(dict.fromkeys(paths))


def sweep_modules(config: dict, wildcards) -> list[str]:
    kinds = dict.fromkeys(row["kind"] for row in _rows(config, wildcards))
    return [*(f"{methods.DEFENCES}.{kind}" for kind in kinds), *search.retriever_kinds(config, wildcards)]


def sweep_raguard(config: dict, wildcards) -> dict:
    retriever, keys = search.retriever(config, wildcards.retriever), dict(wildcards.items())
    rows = [row | {"k": row["k"] or config["under_attack"]["k"]} for row in _rows(config, wildcards)]
    params = {"rows": rows, "keys": keys, "related": config["raguard"]["related"]}
    params |= {"similarity": retriever["similarity"]}
    return params | models.encoder(config, retriever["encoder"]) | draws(config, "raguard")


def measure_raguard(config: dict) -> dict:
    """A causal model runs for a passage and for its second chunk."""
    causal = [name for name in methods.names(config, "scorers") if not scorer(config, name).type.IS_TRAINED]
    looked = {name: config["under_attack"][name] for name in ("k", "depth")}
    looked["attackers"] = {name: _attacker(config, name) for name in defences.filtered(config).column("attack")}
    return looked | {"forwards": dict.fromkeys(causal, FORWARDS)} | draws(config, "raguard")


def _attacker(config, name):
    """What an attacker knows, and the defences that it asks, if it asks some."""
    planting = attacks.attack(config, name)
    knows = planting.type(planting.settings).knows
    return [knows, attacks.filters(planting.settings) if knows == DEFENCE else None]


def check(config: dict) -> Iterator[tuple]:
    """Whether scorers have the settings that they are given, a model if they need one, and have not read the corpus."""
    for name, entry in config["scorers"].items():
        stated = scorer(config, name)
        yield from methods.wrong_settings(stated, "scorers", name, "settings")
        if "model" in entry and stated.type.IS_TRAINED:
            yield ("scorers", name), "found a model, but this kind is trained here"
        elif entry["trained_on"] and not stated.type.IS_TRAINED:
            yield ("scorers", name, "trained_on"), "found shards, but this kind is not trained here"
        elif "model" not in entry and not stated.type.IS_TRAINED:
            yield ("scorers", name), "found no model, which this kind needs"
    yield from _wrong_sweeps(config, _tried(config, defences.filtered(config)).column("dataset"))
    yield from wrong_scorers(config, defences.filtered(config))


def wrong_scorers(config: dict, cells: Grid) -> Iterator[tuple]:
    """Scorers of their defences that would know their passages by heart."""
    for cell in cells:
        usable = not defences.wrong_links(config, cell.defence)
        for name in defences.scorers(config, cell.defence) if usable else ():
            if _knows(config, name, cell.dataset):
                problem = f"found {name}, which has read the corpus of {cell.dataset} and would know its passages"
                yield ("defences", cell.defence, "settings"), f"{problem} by heart; name another scorer"


def _wrong_sweeps(config, datasets):
    """What is wrong with the table of sweeps, where these datasets have some."""
    if not datasets:
        return
    try:
        rows = sweep_rows(config["raguard"]["sweeps"])
    except (SweepError, OSError) as error:
        yield ("raguard", "sweeps"), str(error)
        return
    kept = config["retrieval"]["neighbours"]
    allowed = merged()["properties"]["defences"]["additionalProperties"]["properties"]["settings"]
    for row in rows:
        if row["attack"] not in attacks.attacks(config):
            yield ("raguard", "sweeps"), unknown("attack", row["attack"], attacks.attacks(config))
        elif row["scorer"] and row["scorer"] not in methods.names(config, "scorers"):
            yield ("raguard", "sweeps"), unknown("scorer", row["scorer"], methods.names(config, "scorers"))
        elif read := [name for name in datasets if _knows(config, row["scorer"], name)]:
            yield ("raguard", "sweeps"), f"found the scorer {row['scorer']}, which has read the corpus of {read[0]}"
        elif wrong := next(schema_problems(row["settings"], allowed), None):
            yield ("raguard", "sweeps"), f"{'.'.join(map(str, wrong[0]))}: {wrong[1]}"
        elif row["texts"] > (planted := _planted(config, row["attack"])):
            problem = f"found {row['texts']} texts of {row['attack']}, which plants at most {planted} for a target"
            yield ("raguard", "sweeps"), f"{problem}; raise its setting texts, or take an attack that plants more"
        elif row["depth"] > kept:
            problem = f"found the depth {row['depth']}, expected at most retrieval.neighbours, {kept}"
            yield ("raguard", "sweeps"), problem


def _planted(config, name):
    """The most texts that an attack plants for a target; no limit where it has none."""
    return attacks.attack(config, name).settings.get("texts") or math.inf


def _knows(config, name, dataset):
    """Whether a scorer was trained on a dataset's corpus, or one that this extends: those that its entry names, or, for
    the demo's, the demo.
    """
    entry, corpora = scorer(config, name).entry, targets.bases(config, config["datasets"][dataset]["corpus"])
    entries = [config["corpora"][corpus] for corpus in corpora if corpus in config["corpora"]]
    files = [file for source in entries if "extends" not in source for file in files_of(source, "corpora")]
    of_demo = entry.get("model", "").startswith(DEMO) and any(file.startswith(DEMO) for file in files)
    of_study = entry.get("model", "").startswith(models.FOLDER) and OWN["corpora"] in corpora
    return of_demo or of_study or not set(corpora).isdisjoint(entry.get("has_read", []))
