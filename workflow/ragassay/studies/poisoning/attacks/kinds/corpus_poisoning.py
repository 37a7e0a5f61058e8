"""Corpus poisoning: a few passages for all questions. Those that the attacker knows fall into clusters, and for each a
beginning is brought nearer to the centre of its questions (HotFlip). That alone crowds out what is right (`aim` error);
or PoisonedRAG's texts stand behind the beginning of the cluster that their question is nearest to (`aim` answer).
"""

from ragassay.studies.poisoning.attacks.poison import ANSWER, ERROR, RETRIEVED, RETRIEVER, AttackError, Poison

SETTINGS = {
    "aim": "error", "clusters": 5, "tokens": 50, "steps": 500, "candidates": 100, "texts": 5,
    "known": 0.5, "targets": None, "seed": 0, "retriever": None,
}  # fmt: skip
NEEDS, WANTS = (RETRIEVER, RETRIEVED), {"error": ERROR, "answer": ANSWER}


def poison(targets, tools, settings):
    names, questions = list(tools.questions), list(tools.questions.values())
    if len(names) < settings["clusters"]:
        raise AttackError(
            f"found {len(names)} questions that the attacker knows, expected at least one for each of"
            f" {settings['clusters']} clusters; raise the setting known or bring more targets"
        )
    clusters = tools.retriever.clusters(questions, settings["clusters"], settings["seed"])

    def beginning(cluster):
        """The best passage for the question in the middle, of which as many tokens stay as may change."""
        found = tools.retrieved.get(names[cluster.members[0]])
        return found[0]["text"] if found else questions[cluster.members[0]]

    units = [
        {"cluster": number, "questions": [questions[at] for at in cluster.members], "beginning": beginning(cluster)}
        for number, cluster in enumerate(clusters)
    ]

    def make(unit):
        draft = tools.retriever.draft(unit["beginning"], count=settings["tokens"])
        centre, seed = clusters[unit["cluster"]].centre, f"{settings['seed']} {unit['cluster']}"
        [one] = tools.retriever.climb([draft], centre[None], settings["steps"], settings["candidates"], seed)
        return [Poison(None, one.text, forwards=one.forwards)]

    made = tools.finished.each(units, make)
    return made if settings["aim"] == "error" else _with_texts(targets, tools, clusters, list(made), settings["texts"])


def _with_texts(targets, tools, clusters, beginnings, most):
    """Each target's texts behind the beginning that is for questions like its own."""
    wanted = tools.retriever.questions([target["question"] for target in targets])
    for target, vector in zip(targets, wanted, strict=True):
        nearest = max(range(len(clusters)), key=lambda number: float(vector @ clusters[number].centre))
        for text in target["texts"][:most]:
            front = beginnings[nearest]
            yield front._replace(target_id=target["target_id"], text=f"{front.text} {text}")
            beginnings[nearest] = front._replace(forwards=0)  # what it took is counted once
