"""Settings of the stages of question sets, and their tables: measured with the study's judges always, with its
detectors and retrievers unless a set says no, with its responders only where a set says yes, because they cost calls.
"""

from collections.abc import Iterator
from itertools import product

from ragassay.config.grid import Grid
from ragassay.documents.sources import document_files
from ragassay.plan import models, retrieval
from ragassay.plan.corpora import OWN
from ragassay.plan.detectors import used
from ragassay.plan.entries import having
from ragassay.plan.people import labelled
from ragassay.plan.services import answering, is_service, models_among, responders_of
from ragassay.studies.scope.votes import RECORDED

FOLDS = "in_folds"
PLACING = "question_sets/{question_set}/nearest/encoder"  # where the encoder stands that places questions


def documents(config: dict, wildcards) -> list[str]:
    """The files with a set's documents, those of its folders among them."""
    paths = config["question_sets"][wildcards.question_set]["documents"]
    return [file for path in paths for file in document_files(path)]


def read_question_set(config: dict, wildcards) -> dict:
    entry = config["question_sets"][wildcards.question_set]
    same = {"name": wildcards.question_set, "columns": entry["columns"], "annotators": entry["annotators"]}
    return {**same, "below": entry["documents"]}


def place_questions(config: dict, wildcards) -> dict:
    nearest = config["question_sets"][wildcards.question_set]["nearest"]
    params = read_question_set(config, wildcards) | models.encoder(config, nearest["encoder"])
    return params | {"cut": {key: nearest[key] for key in ("words", "overlap")}, "count": nearest["passages"]}


def placed_questions(config: dict, wildcards) -> list[str]:
    """The table that says where the questions of a set were placed, if they were."""
    name = wildcards.question_set
    return [f"results/questions/{name}/{name}.parquet"] if "nearest" in config["question_sets"][name] else []


def read_responses(config: dict, wildcards) -> dict:
    return _recorded(config, wildcards, "responder")


def read_verdicts(config: dict, wildcards) -> dict:
    return {**_recorded(config, wildcards, "judge"), "most_rejected": config["most_rejected"]}


def _recorded(config, wildcards, role):
    """A column of a set, and whose it is."""
    name, entry = wildcards.get(role), config["question_sets"][wildcards.question_set]
    same = {"name": wildcards.question_set, "columns": entry["columns"], "below": entry["documents"]}
    return {**same, role: name, "column": entry[f"{role}s"][name]}


def recorded(config: dict, role: str) -> list[str]:
    """The judges or responders whose verdicts or answers came with a set."""
    return [name for entry in config["question_sets"].values() for name in entry[role]]


def asked_judges(config: dict) -> Grid:
    """All pairs of set and model that is asked what is out of scope."""
    return Grid.of_rows(("name", "judge"), [pair for name in config["question_sets"] for pair in _asked(config, name)])


def set_judges(config: dict, names=None) -> Grid:
    """The same, of all sets or these, and the judges whose verdicts were recorded."""
    sets, pairs = config["question_sets"], []
    for name in sets if names is None else names:
        pairs += [*_asked(config, name), *((name, judge) for judge in sets[name]["judges"])]
    return Grid.of_rows(("name", "judge"), pairs)


def _asked(config, name):
    judges = dict.fromkeys([*config["scope"]["judges"], *models_among(responders_of(config, name))])
    return [(name, judge) for judge in judges]


def own_responses(config: dict) -> Grid:
    """All sets with the models and prompts that answer them."""
    rows = [row for row in _own(config) if not is_service(row[1])]
    return Grid.of_rows(("name", "responder", "prompt"), rows)


def set_responses(config: dict, names=None) -> Grid:
    """Sets, responders, prompts and judges of what was answered, recorded or not; of all sets or these."""
    recorded = [(name, who, RECORDED) for name, entry in config["question_sets"].items() for who in entry["responders"]]
    answered = [row for row in [*recorded, *_own(config)] if names is None or row[0] in names]
    rows = [(*row, judge) for row in answered for judge in config["scope"]["judges"]]
    return Grid.of_rows(("name", "responder", "prompt", "judge"), rows)


def _own(config):
    names = having(config["question_sets"], "responding")
    return [(name, *pair) for name in names for pair in answering(config, responders_of(config, name))]


def detected(config: dict) -> list[str]:
    """The sets that the study's trained detectors are measured on."""
    return [name for name, entry in config["question_sets"].items() if entry["detectors"] is True]


def in_folds(config: dict) -> list[str]:
    """The sets on whose own labels detectors are trained, and tested on other documents of the set."""
    return [name for name, entry in config["question_sets"].items() if entry["detectors"] == FOLDS]


def predictions(config: dict, names=None) -> Grid:
    """All detectors, with their encoders, generators and judges that they are trained on and sets, of all or of
    `names`.
    """
    scope, sets = config["scope"], [name for name in detected(config) if names is None or name in names]
    rows = product(sets, used(config), scope["generators"], scope["judges"][:1])
    return Grid.of_rows(("asked", "detector", "generator", "judge"), rows)


def searches(config: dict) -> Grid:
    """All pairs of set and retriever."""
    names = having(config["question_sets"], "retrieval")
    return Grid.of_rows(("name", "retriever"), product(names, retrieval.retrievers(config)))


def voted(config: dict) -> list[str]:
    """The sets that came with votes of people."""
    return [name for name, entry in config["question_sets"].items() if entry["human_votes"] or entry["annotators"]]


def with_people(config: dict) -> list[str]:
    """The sets with people's labels: from votes that came with them, or from our pages."""
    here = labelled(config, config["question_sets"]).column("generator")
    return [name for name in config["question_sets"] if name in here or name in voted(config)]


def sections(config: dict) -> list[str]:
    """The sections of the report that are about question sets."""
    return ["question_sets", *(["agreement"] if with_people(config) else [])]


def check(config: dict) -> Iterator[tuple]:
    """Whether sets and what they bring have names of their own, since their tables lie beside those of models; and
    labels one column.
    """
    for name, entry in config["question_sets"].items():
        labels = entry["columns"]["questions"]
        if labels["out_of_scope"] and labels["in_scope"]:
            place = ("question_sets", name, "columns", "questions")
            yield (place, "found columns for both out_of_scope and in_scope, expected one: they say the same")
        if not labels["doc_id"] and "nearest" not in entry:
            place = ("question_sets", name, "columns", "questions", "doc_id")
            yield place, "found none, expected the column with each question's document, or `nearest: {}` in the set"
        brought = [(name, ()), *((key, (role, key)) for role in ("responders", "judges") for key in entry[role])]
        for key, path in brought:
            if key in config["models"]:
                yield ("question_sets", name, *path), f"found the name of the model {key!r}, expected one of its own"
        for section, study in OWN.items():
            if name == study or name in config[section]:
                yield ("question_sets", name), f"found a name that {section} have, too; give the set another"
