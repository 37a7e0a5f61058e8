"""Settings of the stages that ask queries with known answers."""

from ragassay.plan import models
from ragassay.plan.retrieval import HELD_OUT


def answer_from_passages(config: dict, wildcards) -> dict:
    """Without what is held out, only queries that say what they are about can be told in or out of knowledge."""
    own, about_known = config["answers"], wildcards.corpus.endswith(HELD_OUT)
    about = {"shown": own["passages"], "sampling": own["sampling"], "about_known": about_known}
    return models.asking(config, "answer_from_passages", "responder", wildcards) | about


def answer_directly(config: dict, wildcards) -> dict:
    about = {"sampling": config["answers"]["sampling"]}
    return models.asking(config, "answer_directly", "responder", wildcards) | about
