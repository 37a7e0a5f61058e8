"""HotFlip: bring a text nearer to a direction by exchanging one token after another. Each step picks a place; the
gradient of the similarity by the embedding there says, to first order, what each token of the vocabulary would add.
The best candidates are cut into tokens again and scored, and the best stays if it is better than what was there.

Keep the embeddings of tokens while a frozen model runs, so that gradients can be taken by them. Weights get none.
"""

import contextlib
import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch.nn.functional import normalize

from ragassay.models.batches import batches, padded
from ragassay.models.encoders.embed import vectors
from ragassay.models.encoders.encoder import Kind
from ragassay.search.nearest import COSINE, comparable
from ragassay.studies.poisoning.attacks.attack import AttackError

MARKS = ("##", "\u0120", "\u2581")  # of tokens that go on a word, or begin one
FORM = re.compile(r"[\[<].*[\]>]")  # of tokens that stand for something else than their letters
SETTLING = 5  # times that a beginning is decoded and cut again
SPARE = 2  # times as many candidates are written as are scored, since some are cut into other tokens


class Draft(NamedTuple):
    """`tokens` are those of the whole text, special ones included; `count` of them from `first` on may change."""

    text: str
    tokens: np.ndarray
    first: int
    count: int
    tail: str


class Climbed(NamedTuple):
    """A draft that was brought nearer: its similarity before and after, and what it took."""

    text: str
    before: float
    after: float
    forwards: int


class HotFlip:
    """For one encoder of passages and one similarity; `prefix` is what the retriever puts before every passage."""

    def __init__(self, kind, prefix: str, similarity: str):
        self.kind, self.prefix, self.similarity, self.tokenizer = kind, prefix, similarity, kind.writer
        self.usable = usable(self.tokenizer)
        self.table = kind.words.weight[torch.from_numpy(self.usable)].float()  # usable tokens x width
        special = set(self.tokenizer.all_special_ids)
        leading = next((at for at, token in enumerate(self._cut(["x"])[0]) if token not in special), 0)
        self.first = leading + len(self._plain(prefix))

    def draft(self, front: str, tail: str = "", count: int | None = None) -> Draft:
        """A beginning that may change, by the tokens that it has, at most `count`, and what stands behind it."""
        allowed = set(self.usable.tolist())
        tokens = [token for token in self._plain(front) if token in allowed][:count]
        for _ in range(SETTLING):
            text = self.tokenizer.decode(tokens)
            row = self._cut([text + tail])[0]
            if tokens and row[self.first : self.first + len(tokens)] == tokens:
                return Draft(text + tail, np.array(row, np.int32), self.first, len(tokens), tail)
            tokens = self._plain(text)
        raise AttackError(f"found no way to write {front!r} that is read as the same tokens; try another beginning")

    def changes(self, draft: Draft, position: int, tokens: list[int], most: int) -> list[Draft]:
        """Drafts with another token at this position, the first `most` whose texts are cut into the same tokens."""
        rows = np.repeat(draft.tokens[None], len(tokens), axis=0)
        rows[:, position] = tokens
        end = draft.first + draft.count
        texts = [front + draft.tail for front in self.tokenizer.batch_decode(rows[:, draft.first : end])]
        drafts = []
        for text, row, again in zip(texts, rows, self._cut(texts), strict=True):
            if row.tolist() == list(again):
                drafts.append(draft._replace(text=text, tokens=row))
        return drafts[:most]

    def climb(self, drafts: list[Draft], directions: np.ndarray, steps: int, candidates: int, seed) -> list[Climbed]:
        """`directions` has a row for each draft. The same drafts and seed give the same texts."""
        dice = [np.random.default_rng([*seed, number]) for number in range(len(drafts))]
        before = scores = self.scores(drafts, directions)
        forwards = np.ones(len(drafts), int)
        for _ in range(steps):
            places = [d.first + int(die.integers(d.count)) for d, die in zip(drafts, dice, strict=True)]
            ranked = self.ranked(drafts, directions, places, SPARE * candidates)
            changed = [
                self.changes(draft, place, tokens, candidates)
                for draft, place, tokens in zip(drafts, places, ranked, strict=True)
            ]
            drafts, scores = self._better(drafts, directions, scores, changed)
            forwards += [1 + len(options) for options in changed]
        climbed = zip((draft.text for draft in drafts), before, scores, forwards, strict=True)
        return [Climbed(text, float(first), float(last), int(count)) for text, first, last, count in climbed]

    def scores(self, drafts: list[Draft], directions: np.ndarray) -> np.ndarray:
        """The similarity of each draft's vector with its direction."""
        result = np.empty(len(drafts), np.float32)
        for batch, rows in vectors(self.kind, [draft.tokens for draft in drafts]):
            result[batch] = (comparable(rows, self.similarity) * directions[batch]).sum(1)
        return result

    def ranked(self, drafts: list[Draft], directions, places, count: int) -> list[np.ndarray]:
        """The tokens that promise most at one place of each draft, the best first."""
        result = [None] * len(drafts)
        for batch in batches([len(draft.tokens) for draft in drafts], self.kind.batch_tokens):
            promised = self._gradients([drafts[at] for at in batch], directions[batch], [places[at] for at in batch])
            best = (promised @ self.table.T).topk(min(count, len(self.table)), dim=1).indices.cpu().numpy()
            for at, tokens in zip(batch, best, strict=True):
                result[at] = self.usable[tokens]
        return result

    def _gradients(self, drafts, directions, places):
        """drafts x width: of the similarity, by the embedding at one place of each."""
        rows, mask = padded([draft.tokens for draft in drafts], self.kind.pad)
        vectors_of, embeddings = traced(self.kind, rows, mask)
        vectors_of = normalize(vectors_of, dim=1) if self.similarity == COSINE else vectors_of
        similarity = (vectors_of * torch.from_numpy(directions).to(vectors_of.device)).sum()
        [gradients] = torch.autograd.grad(similarity, embeddings)
        return gradients[torch.arange(len(drafts)), places].float()

    def _better(self, drafts, directions, scores, changed):
        """Each draft, or the best of its changes where that scores higher."""
        owners = np.repeat(np.arange(len(drafts)), [len(options) for options in changed])
        options = [option for changes in changed for option in changes]
        drafts, scores = list(drafts), scores.copy()
        for owner, option, value in zip(owners, options, self.scores(options, directions[owners]), strict=True):
            if value > scores[owner]:
                drafts[owner], scores[owner] = option, value
        return drafts, scores

    def _plain(self, text):
        return self.tokenizer(text, add_special_tokens=False)["input_ids"]

    def _cut(self, texts):
        return self.kind.tokens([self.prefix + text for text in texts])


def usable(tokenizer) -> np.ndarray:
    """The tokens that an attack may write."""
    special, tokens = set(tokenizer.all_special_ids), []
    names = tokenizer.convert_ids_to_tokens(range(len(tokenizer)))
    for token, text in enumerate(tokenizer.batch_decode([[number] for number in range(len(tokenizer))])):
        letters, name = text.strip().removeprefix(MARKS[0]), names[token].lstrip("".join(MARKS[1:]))
        readable = letters and letters.isprintable() and "\ufffd" not in letters
        if readable and token not in special and not FORM.fullmatch(name):
            tokens.append(token)
    return np.array(tokens)


@contextlib.contextmanager
def embeddings(module) -> Iterator[list[torch.Tensor]]:
    """What `module`, which embeds tokens, puts out while this is open: rows x longest x width, one for each run."""
    kept = []

    def begin(_module, _given, output):
        kept.append(output.detach().requires_grad_())
        return kept[-1]

    with module.register_forward_hook(begin), torch.enable_grad():
        yield kept


def traced(kind: Kind, tokens: np.ndarray, mask: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
    """A vector for each row of padded tokens, and the embeddings of the tokens, rows x longest x width: gradients of
    anything made of the first can be taken by the second. The vectors are those that the encoder gives otherwise, up to
    rounding; its library computes them, since what runs it faster keeps nothing to go back by.
    """
    with embeddings(kind.words) as kept:
        vectors = kind.tensors(tokens, mask)
    return vectors, kept[0]
