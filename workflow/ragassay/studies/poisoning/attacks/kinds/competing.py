"""Several attackers at once, as in PoisonArena: each plants texts of its own kind for another wrong answer. One wants
that of the target; the others want answers of further targets that look alike, and their texts are the target's with
the answer exchanged. Who wants which changes from target to target. A target with too few such texts is left out.
"""

from ragassay.base import chance
from ragassay.base.stage import log
from ragassay.grading.matches import contains, exchanged
from ragassay.studies.poisoning.attacks.attack import RETRIEVED, Attack, AttackError
from ragassay.studies.poisoning.attacks.kinds.adaptive_threshold import OTHERS


class Kind(Attack):
    SETTINGS = {"texts": 5, "attackers": ["poisonedrag_black", "poisonedrag_bare", "outdated"]}
    NEEDS = (RETRIEVED,)

    def poison(self, targets):
        attackers, alone = self.settings["attackers"], []
        for target in targets:
            wanted = [target, *rivals(target, targets, len(attackers) - 1)]
            if len(wanted) < len(attackers):
                alone.append(target["target_id"])
                continue
            first = chance.number("competing", target["target_id"]) % len(attackers)
            for attacker, wish in zip(attackers[first:] + attackers[:first], wanted, strict=True):
                made = OTHERS[attacker].fit(self.tools).poison([wish])
                wants = None if wish is target else wish["target"]
                for poison in list(made)[: self.settings["texts"]]:
                    yield poison._replace(method=attacker, wants=wants)
        if alone:
            problem = f"found too few wrong answers of other targets that fit into the texts of {alone[0]}"
            if len(alone) == len(targets):
                raise AttackError(f"no target has {len(attackers)} attackers: {problem}; name fewer attackers")
            log.warning("%d of %d targets have no competition and are left out: %s", len(alone), len(targets), problem)


def rivals(target: dict, targets: list[dict], count: int) -> list[dict]:
    """The target as so many other attackers want it, or fewer if there are no more."""
    wrong, chosen = [target["target"], *target["target_aliases"]], []
    for other in sorted(targets, key=lambda row: _unlike(row, target)):
        wanted = other["target"]
        taken = [*target["answers"], *wrong, *(rival["target"] for rival in chosen)]
        texts = [text for old in target["texts"] if (text := exchanged(old, wrong, wanted))]
        if texts and not any(contains(answer, wanted) or contains(wanted, answer) for answer in taken):
            chosen.append(target | {"target": wanted, "target_aliases": [], "texts": texts})
            if len(chosen) == count:
                break
    return chosen


def _unlike(other, target):
    """How little the wrong answer of another target looks like this one's, at last by chance."""
    kinds, answers = (other["kind"], target["kind"]), (other["target"], target["target"])
    digits, words = ([any(map(str.isdigit, text)) for text in answers], [len(text.split()) for text in answers])
    lot = chance.lot("competing", target["target_id"], other["target_id"])
    return kinds[0] != kinds[1], digits[0] != digits[1], abs(words[0] - words[1]), lot
