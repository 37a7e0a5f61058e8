"""Controls: what each probe has to beat. A regression on what a ruler sees of the prompts, one on the text of the
answer alone, and one on activations with shuffled labels.
"""

from ragassay.studies.poisoning.probes.folds import Method

CONTROLS = CONTROL, ANSWER_TEXT, SHUFFLED = "control", "answer_text", "shuffled"


def control(name: str, features, seeds=(0,)) -> Method:
    from ragassay.studies.poisoning.probes.kinds import logistic  # loads what is not needed to name controls

    return Method(name, "logistic", logistic.SETTINGS, features, list(seeds), shuffled=name == SHUFFLED)
