"""Corpus poisoning: a few passages for all questions. Those that the attacker knows fall into clusters, and for each a
beginning is brought nearer to the centre of its questions (HotFlip). That alone crowds out what is right (`aim` error);
or PoisonedRAG's texts stand behind the beginning of the cluster that their question is nearest to (`aim` answer)."""

from ragassay.studies.poisoning.attacks.attack import ANSWER, ERROR, RETRIEVED, RETRIEVER, Attack, AttackError, Poison


class Kind(Attack):
    SETTINGS = {
        "aim": "error", "clusters": 5, "tokens": 50, "steps": 500, "candidates": 100, "texts": 5,
        "known": 0.5, "targets": None, "seed": 0, "retriever": None,
    }  # fmt: skip
    NEEDS = (RETRIEVER, RETRIEVED)
    AIMS = {"error": ERROR, "answer": ANSWER}

    def fit(self, tools):
        questions = list(tools.questions.values())
        if len(questions) < self.settings["clusters"]:
            raise AttackError(
                f"found {len(questions)} questions that the attacker knows, expected at least one for each of"
                f" {self.settings['clusters']} clusters; raise the setting known or bring more targets"
            )
        self.clusters = tools.retriever.clusters(questions, self.settings["clusters"], self.settings["seed"])
        return super().fit(tools)

    def poison(self, targets):
        questions = list(self.tools.questions.values())
        units = [
            {
                "cluster": number,
                "questions": [questions[at] for at in cluster.members],
                "beginning": self._beginning(cluster, questions),
            }
            for number, cluster in enumerate(self.clusters)
        ]
        made = self.tools.finished.each(units, self._make)
        return made if self.settings["aim"] == "error" else self._with_texts(targets, list(made))

    def _beginning(self, cluster, questions):
        """The best passage for the question in the middle, of which as many tokens stay as may change."""
        middle = cluster.members[0]
        retrieved = self.tools.retrieved.get(list(self.tools.questions)[middle])
        return retrieved[0]["text"] if retrieved else questions[middle]

    def _make(self, unit):
        settings, retriever = self.settings, self.tools.retriever
        draft = retriever.draft(unit["beginning"], count=settings["tokens"])
        direction, seed = self.clusters[unit["cluster"]].centre[None], f"{settings['seed']} {unit['cluster']}"
        [climbed] = retriever.climb([draft], direction, settings["steps"], settings["candidates"], seed)
        return [Poison(None, climbed.text, forwards=climbed.forwards)]

    def _with_texts(self, targets, beginnings):
        """Each target's texts behind the beginning that is for questions like its own."""
        vectors = self.tools.retriever.questions([target["question"] for target in targets])
        for target, vector in zip(targets, vectors, strict=True):
            nearest = max(range(len(self.clusters)), key=lambda number: float(vector @ self.clusters[number].centre))
            for text in target["texts"][: self.settings["texts"]]:
                front = beginnings[nearest]
                yield front._replace(target_id=target["target_id"], text=f"{front.text} {text}")
                beginnings[nearest] = front._replace(forwards=0)  # what it took is counted once
