"""Several defences, one after another: each looks at what those before it left. `of` names them."""

from ragassay.base.terminal import shown
from ragassay.studies.poisoning.defences.defence import KEPT, Defence, damage_of, kind_of


def _is_link(value):
    return isinstance(value, dict) and isinstance(value.get("kind"), str) and isinstance(value.get("settings"), dict)


class Kind(Defence):
    SETTINGS = {"of": []}
    IS_FITTED = True

    def links(self) -> list[Defence]:
        """The defences in their order, as they were fitted."""
        fitted = self.fitted["links"] if self.fitted else [None] * len(self.settings["of"])
        links = zip(self.settings["of"], fitted, strict=True)
        return [kind_of(link["kind"])(link["settings"], learned or None) for link, learned in links]

    @property
    def needs(self):
        return tuple({name for link in self.links() for name in link.needs})

    def damage(self):
        fitted, links = self.fitted.get("links"), self.settings["of"]
        if self.settings.keys() != self.SETTINGS.keys() or self.fitted.keys() != {"links"}:
            return f"found {shown([*self.settings, *self.fitted])}, expected links and what each learned"
        if not isinstance(links, list) or not isinstance(fitted, list) or len(links) != len(fitted):
            return f"found {shown(fitted)} for the links {shown(links)}, expected what each learned"
        if not links or not all(map(_is_link, links)):
            return f"found the links {shown(links)}, expected kinds with settings"
        if not all(isinstance(part, dict) for part in fitted):
            return f"found {shown(fitted)}, expected what each link learned"
        return next((wrong for wrong in map(damage_of, links, fitted) if wrong), "")

    def fit(self, null):
        """What each learns by itself, in their order; nothing for one that learns nothing."""
        self.fitted = {"links": [link.fit(null).fitted or {} for link in self.links()]}
        return self

    def judge(self, passages):
        """The highest of the scores that the defences give; they are comparable where all are ranks in a null."""
        judgements, left = [KEPT] * len(passages), list(range(len(passages)))
        for link in self.links():
            given = link.judge([passages[at] for at in left]) if left else []
            for at, judgement in zip(left, given, strict=True):
                before = judgements[at]
                scores = [score for score in (before.score, judgement.score) if score is not None]
                criteria = before.criteria + judgement.criteria
                judgements[at] = judgement._replace(score=max(scores, default=None), criteria=criteria)
            left = [at for at in left if not judgements[at].removed]
        return judgements
