"""CorruptRAG-AK: one text for each target, which a model writes as knowledge that the right answer is out of date, with
the question in front. The template of CorruptRAG-AS, which says the same in fixed words, is the attack `outdated`."""

from ragassay.studies.poisoning.attacks.kinds import adaptive_paraphrase
from ragassay.studies.poisoning.attacks.kinds.poisonedrag_black import sentence


class Kind(adaptive_paraphrase.Kind):
    SETTINGS = {"texts": 1, "words": 30, "prompt": "write_corrections"}

    def poison(self, targets):
        for target in targets:
            for poison in super().poison([target]):
                yield poison._replace(text=f"{sentence(target['question'])} {poison.text}")
