"""Several defences, one after another: each looks at what those before it left. `of` names them."""

from ragassay.studies.poisoning.defences import defence
from ragassay.studies.poisoning.defences.judgement import Judgement

SETTINGS = {"of": []}


def needs(settings):
    return tuple({one for link in settings["of"] for one in defence.needs(link["kind"], link["settings"])})


def fit(null, settings):
    """What each learns by itself, in their order; nothing for one that learns nothing."""
    links = [(link["kind"], link["settings"]) for link in settings["of"]]
    return {"links": [defence.fit(kind, null, own) if defence.is_fitted(kind) else {} for kind, own in links]}


def judge(passages, settings):
    """The highest of the scores that the defences give; they are comparable where all are ranks in a null."""
    result, left = [Judgement(False)] * len(passages), list(range(len(passages)))
    for link, fitted in zip(settings["of"], settings["fitted"]["links"], strict=True):
        own = link["settings"] | {"fitted": fitted}
        found = defence.judge(link["kind"], [passages[at] for at in left], own) if left else []
        for at, judgement in zip(left, found, strict=True):
            before = result[at]
            scores = [score for score in (before.score, judgement.score) if score is not None]
            criteria = before.criteria + judgement.criteria
            result[at] = judgement._replace(score=max(scores, default=None), criteria=criteria)
        left = [at for at in left if not result[at].removed]
    return result
