"""What the stages of question sets need to know, and which of their tables the configuration asks for, as plain values.

Whoever takes part in a set is decided here: the study's judges always, its detectors and retrievers unless a set says
no, its responders only where a set says yes, because they cost calls.
"""

from ragassay.annotation.settings import labelled
from ragassay.detectors.settings import used
from ragassay.question_sets.names import RECORDED


def question_set(config: dict, wildcards) -> dict:
    own = config["question_sets"][wildcards.question_set]
    return {"name": wildcards.question_set, "columns": own["columns"], "annotators": own["annotators"]}


def recorded_responses(config: dict, wildcards) -> dict:
    return _recorded(config, wildcards, "responder")


def recorded_verdicts(config: dict, wildcards) -> dict:
    return {**_recorded(config, wildcards, "judge"), "most_rejected": config["most_rejected"]}


def _recorded(config, wildcards, role):
    """A column of a set, and whose it is."""
    name, own = wildcards.get(role), config["question_sets"][wildcards.question_set]
    same = {"name": wildcards.question_set, "columns": own["columns"]}
    return {**same, role: name, "column": own[f"{role}s"][name]}


def recorded_judges(config: dict) -> list[str]:
    return [judge for own in config["question_sets"].values() for judge in own["judges"]]


def responding(config: dict) -> list[str]:
    """The sets that the study's own responders answer, and of which they say what is out of scope."""
    return [name for name, own in config["question_sets"].items() if own["responding"]]


def asked_judges(config: dict) -> dict[str, list[str]]:
    """All pairs of set and model that is asked what is out of scope, as two lists of equal length."""
    return _columns(
        ("question_set", "judge"), [pair for name in config["question_sets"] for pair in _asked(config, name)]
    )


def set_judges(config: dict, names=None) -> dict[str, list[str]]:
    """The same, of all sets or these, and the judges whose verdicts were recorded."""
    sets = config["question_sets"]
    names = sets if names is None else names
    found = [
        pair for name in names for pair in (*_asked(config, name), *((name, judge) for judge in sets[name]["judges"]))
    ]
    return _columns(("question_set", "judge"), found)


def _asked(config, name):
    scope = config["scope"]
    responders = scope["responders"] if name in responding(config) else []
    return [(name, judge) for judge in dict.fromkeys([*scope["judges"], *responders])]


def own_responses(config: dict) -> dict[str, list[str]]:
    """All sets, responders of the study and prompts that sets are answered with, as three lists of equal length."""
    return _columns(("question_set", "responder", "prompt"), _own(config))


def set_responses(config: dict, names=None) -> dict[str, list[str]]:
    """Sets, responders, prompts and judges of what was answered, recorded or not, as four lists of equal length; of all
    sets or these.
    """
    recorded = [(name, who, RECORDED) for name, own in config["question_sets"].items() for who in own["responders"]]
    answered = [row for row in [*recorded, *_own(config)] if names is None or row[0] in names]
    found = [(*row, judge) for row in answered for judge in config["scope"]["judges"]]
    return _columns(("question_set", "responder", "prompt", "judge"), found)


def _own(config):
    scope = config["scope"]
    prompts = scope["responding"]["prompts"]
    return [(name, who, prompt) for name in responding(config) for who in scope["responders"] for prompt in prompts]


def detected(config: dict) -> list[str]:
    """The sets that the study's trained detectors are measured on."""
    return [name for name, own in config["question_sets"].items() if own["detectors"]]


def predictions(config: dict, names=None) -> dict[str, list[str]]:
    """All detectors, with their encoders, generators and judges that they learn from and sets, of all or of `names`, as
    four lists of equal length.
    """
    scope, own = config["scope"], [name for name in detected(config) if names is None or name in names]
    found = [
        (one, source, scope["judges"][0], name)
        for name in own
        for one in used(config)
        for source in scope["generators"]
    ]
    return _columns(("detector", "generator", "judge", "asked"), found)


def searched(config: dict) -> list[str]:
    """The sets whose questions are searched for among their documents."""
    return [name for name, own in config["question_sets"].items() if own["retrieval"]]


def searches(config: dict) -> dict[str, list[str]]:
    """All pairs of set and retriever, as two lists of equal length."""
    found = [(name, one) for name in searched(config) for one in config["retrieval"]["retrievers"]]
    return _columns(("question_set", "retriever"), found)


def voted(config: dict) -> list[str]:
    """The sets that came with votes of people."""
    return [name for name, own in config["question_sets"].items() if own["human_votes"] or own["annotators"]]


def with_people(config: dict) -> list[str]:
    """The sets of which people say something: in votes that came with them, or on the pages of this workflow."""
    here = labelled(config, config["question_sets"])["generator"]
    return [name for name in config["question_sets"] if name in here or name in voted(config)]


def sections(config: dict) -> list[str]:
    """The sections of the report that are about question sets."""
    return ["question_sets", *(["agreement"] if with_people(config) else [])]


def _columns(names, rows):
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}
