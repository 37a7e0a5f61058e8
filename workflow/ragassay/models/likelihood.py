"""Log-likelihood of texts by a frozen causal model, token by token, behind a start token or a text that is given.
Both are cut into tokens apart, as a model that answers has them. Values come with the character at which each token
ends, so that one pass over a text also gives its parts (`Scored.between`). Logits are made for a few tokens at a
time, so that memory does not grow with texts."""

import contextlib
from functools import cached_property
from typing import NamedTuple

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from ragassay.base.errors import AssayError
from ragassay.base.stage import log
from ragassay.models.batches import batches, padded, positions, short_texts
from ragassay.models.local import LocalModel
from ragassay.models.processor import quicken

CPU_TOKENS, GPU_TOKENS = 1024, 16_384  # of one batch, padding included
CPU_ENOUGH = 128  # tokens that a core multiplies as fast as more
ROWS = 256  # tokens whose logits are made together
AT_ONCE = 256  # texts cut into tokens together


class LikelihoodError(AssayError):
    """A model cannot score these texts."""


class Scored(NamedTuple):
    """Log-probabilities of a text's tokens, where these end in the text, and how many tokens were not read."""

    values: np.ndarray
    ends: np.ndarray
    cut: int = 0

    @property
    def tokens(self) -> int:
        return len(self.values)

    @property
    def total(self) -> float:
        """The sum of log-probabilities; minus this by `tokens` is what papers call the log of perplexity."""
        return float(self.values.sum(dtype=np.float64))

    def between(self, start: int, stop: int) -> "Scored":
        """The tokens that end behind the character `start` and not behind `stop`, still behind all before them."""
        inside = ((self.ends > start) | (start == 0)) & (self.ends <= stop)
        return Scored(self.values[inside], self.ends[inside])


class TextRow(NamedTuple):
    """Tokens that the model reads; those from `first` on are the text's."""

    tokens: np.ndarray
    first: int
    ends: np.ndarray
    cut: int


class Scorer:
    """A causal model, loaded when there is something to score; `longest` limits what it reads of a text."""

    def __init__(self, local: LocalModel, longest: int | None = None):
        self.local = local
        self.longest = min((count for count in (longest, positions(local.config)) if count), default=None)
        if not local.tokenizer.is_fast:
            raise LikelihoodError(
                f"{local.name}: found a tokenizer that does not say where its tokens end, expected a tokenizer.json"
                " among its files; convert it, or name another model"
            )

    def of(self, texts: list[str], given: list[str] | None = None) -> list[Scored]:
        """The texts in their order; `given` has what stands in front of each."""
        rows = self.rows(texts, given)
        values = self._over(rows, likelihoods)
        result = [Scored(part, row.ends, row.cut) for row, part in zip(rows, values, strict=True)]
        if cut := sum(row.cut > 0 for row in rows):
            log.info("%s: %d texts are longer than the %d tokens that are read", self.local.name, cut, self.longest)
        return result

    def certainties(self, texts: list[str], given: list[str]) -> np.ndarray:
        """What log-probabilities alone say of answers behind their prompts, higher = less certain: of the first token
        minus the log-probability of the likeliest and the entropy, and minus the mean log-likelihood of the answer;
        texts x 3, NaN for one without a token.
        """
        values = self._over(self.rows(texts, given), certainties)
        rows = [[*part[0, :2], part[:, 2].mean(dtype=np.float64)] if len(part) else [np.nan] * 3 for part in values]
        return np.array(rows, float).reshape(-1, 3)

    def _over(self, rows, read):
        """What `read` makes of the logits at each token of each row's text."""
        result = [np.empty(0, np.float32)] * len(rows)
        scored = [at for at, row in enumerate(rows) if len(row.ends)]
        limits = [self.local.batch_tokens(on_cpu, GPU_TOKENS) for on_cpu in (CPU_TOKENS, CPU_ENOUGH)]
        for batch in batches([len(rows[at].tokens) for at in scored], *limits, short_texts(self.local.config)):
            together = [scored[at] for at in batch]
            for at, values in zip(together, self._values([rows[at] for at in together], read), strict=True):
                result[at] = values
        return result

    @cached_property
    def causal(self) -> "Causal":
        log.info("loading %s", self.local.name)
        return Causal(self.local.causal())

    def rows(self, texts: list[str], given: list[str] | None) -> list[TextRow]:
        """Texts and what stands in front of them, as the model reads them."""
        tokenizer, rows = self.local.tokenizer, []
        start = [] if tokenizer.bos_token_id is None else [tokenizer.bos_token_id]
        before = [] if tokenizer.chat_template else start
        fronts = [(before + ids if ids else start) for ids, _ in self._tokens(given or [""] * len(texts))]
        for number, (front, (ids, ends)) in enumerate(zip(fronts, self._tokens(texts), strict=True)):
            room = len(ids) if self.longest is None else max(0, self.longest - len(front))
            if ids and not room:
                raise LikelihoodError(
                    f"{self.local.name}: text {number + 1} stands behind {len(front)} tokens, expected fewer than"
                    f" {self.longest}, which is all that the model reads; shorten the prompt or name another model"
                )
            first = max(1, len(front))  # what stands first has nothing to follow from
            tokens = np.array([*front, *ids[:room]], np.int64)
            rows.append(TextRow(tokens, first, ends[first - len(front) : room], max(0, len(ids) - room)))
        return rows

    def _tokens(self, texts):
        """Tokens of each text and where they end."""
        options = {"add_special_tokens": False, "return_offsets_mapping": True, "verbose": False}
        for start in range(0, len(texts), AT_ONCE):
            cut = self.local.tokenizer(texts[start : start + AT_ONCE], **options)
            for ids, offsets in zip(cut["input_ids"], cut["offset_mapping"], strict=True):
                yield ids, np.array([end for _, end in offsets], np.int64)

    @torch.inference_mode()
    def _values(self, rows, read):
        tokens, _ = padded([row.tokens for row in rows], 0)  # padding stands behind, where nothing sees it
        counts = [len(row.ends) for row in rows]
        lines = np.repeat(np.arange(len(rows)), counts)
        places = np.concatenate([np.arange(row.first, len(row.tokens)) for row in rows])
        values = self.causal.at(tokens, lines, places, read)
        if not np.isfinite(values).all():
            raise LikelihoodError(
                f"{self.local.name}: found a log-probability that is not finite in {self.local.dtype}; take float32, or"
                " see whether its weights are sound"
            )
        return np.split(values, np.cumsum(counts)[:-1])


class Causal:
    """A model in two parts: states of tokens, and what its output layer makes of some of them."""

    def __init__(self, model):
        _fuse(model)
        quicken(model)
        self.model, self.head = model, model.get_output_embeddings()
        self.plain = self._is_plain()

    def at(self, tokens: np.ndarray, lines: np.ndarray, places: np.ndarray, read) -> np.ndarray:
        """What `read` makes of logits and tokens at these places, behind those before them, as float32."""
        wanted = torch.from_numpy(tokens[lines, places]).to(self.model.device)
        states = self._states(torch.from_numpy(tokens), torch.from_numpy(lines), torch.from_numpy(places - 1))
        values = [
            read(self.logits(part).float(), tokens_of_part)
            for part, tokens_of_part in zip(states.split(ROWS), wanted.split(ROWS), strict=True)
        ]
        return torch.cat(values).cpu().numpy()

    def logits(self, states):
        """tokens x width -> tokens x vocabulary"""
        if self.plain:
            return self.head(states)
        # The family does by itself what it adds to the product of its output layer.
        with self.head.register_forward_pre_hook(lambda _module, _given: (states[None],)):
            return self._run(torch.zeros(1, 1, dtype=torch.long)).logits[0]

    def _states(self, tokens, lines, places):
        """What goes into the output layer at these places; the layer does not run."""
        kept = []

        def stop(_module, given):
            kept.append(given[0][lines.to(given[0].device), places.to(given[0].device)])
            raise Reached

        with self.head.register_forward_pre_hook(stop), contextlib.suppress(Reached):
            self._run(tokens)
        return kept[0]

    @torch.inference_mode()
    def _is_plain(self):
        """Whether logits are what the output layer gives; some families scale or bend them."""
        given = []
        with self.head.register_forward_hook(lambda _module, _input, output: given.append(output)):
            logits = self._run(torch.arange(4)[None]).logits  # the first may be padding's, which is nothing
        return torch.equal(given[0].float(), logits.float())

    def _run(self, tokens):
        return self.model(input_ids=tokens.to(self.model.device), use_cache=False)


def likelihoods(logits, tokens):
    """The log-probability of each token."""
    return -cross_entropy(logits, tokens, reduction="none")


def certainties(logits, tokens):
    """tokens x 3: minus the log-probability of the likeliest token, the entropy, and minus that of the token itself."""
    logs = logits.log_softmax(dim=1)
    entropy = -(logs.exp() * logs.clamp(min=torch.finfo(logs.dtype).min)).sum(dim=1)  # 0 x infinity is 0
    return torch.stack([-logs.max(dim=1).values, entropy, cross_entropy(logits, tokens, reduction="none")], dim=1)


def _fuse(model):
    """Compute GELU by tanh in one pass over the tokens; some families take seven."""
    from transformers.activations import NewGELUActivation  # which jobs that only write what is known need not load

    for module in model.modules():
        for name, child in list(module.named_children()):
            if type(child) is NewGELUActivation:
                setattr(module, name, torch.nn.GELU(approximate="tanh"))


class Reached(Exception):
    """The output layer is about to run, and what it would get is known."""
