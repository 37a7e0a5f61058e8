"""Run a frozen decoder over packed rows and return chosen hidden states of each prompt. A row takes two passes: one
over the beginning, whose keys and values are kept, and one over all pieces, with a mask. Where a family takes no such
mask, or turns positions otherwise in long prompts, packed and plain states of a few tokens differ, and each prompt
gets a row of its own.

Put the prompts of one document together, so that their common beginning is computed once. A row holds the
beginning and, one behind the other, what is left of each prompt: the pieces. Each counts its positions on from the
beginning and sees nothing of the others, so that a model computes what it would for the prompt alone.
"""

import contextlib
from dataclasses import dataclass

import numpy as np
import torch
from transformers import DynamicCache

from ragassay.models.activations.sites import RESIDUAL, ActivationsError, Place, blocks, keeping, numbers, width
from ragassay.models.batches import batches, padded, short_texts

PADDING = -1  # the owner of a place without a piece; pieces count from 0
AGREE = {torch.float32: 1e-3}  # relative; what packed and plain states may differ by
COARSE = 0.05  # the same in numbers of 16 bits
FULL, SLIDING = "full_attention", "sliding_attention"
REFUSALS = (TypeError, ValueError, RuntimeError, AttributeError, IndexError)  # what a family raises that takes no mask


@dataclass(frozen=True)
class PackedRow:
    """A common beginning and pieces that follow it, each the rest of one prompt."""

    beginning: list[int]
    pieces: list[list[int]]
    prompts: list[int]  # which prompt each piece is of

    def __len__(self):
        return len(self.beginning) + sum(map(len, self.pieces))

    def places(self, position: int) -> list[int]:
        """Where each prompt has its token at `position`, which from its end if negative: below 0 in the beginning,
        counted from its end, else among the pieces.
        """
        places, start, shared = [], 0, len(self.beginning)
        for piece in self.pieces:
            length = shared + len(piece)
            at = position + length if position < 0 else position
            if not 0 <= at < length:
                raise IndexError(f"position {position} in a prompt of {length} tokens")
            places.append(at - shared if at < shared else start + at - shared)
            start += len(piece)
        return places


PROBE = PackedRow([5, 3, 7, 2, 6, 1, 4], [[8, 2, 3], [9, 1]], [0, 1])


class Known(Exception):
    """The last block has its keys and values of a beginning, which is all that the pieces need of it."""


class Beginning(DynamicCache):
    """Keys and values of all tokens of a beginning, also those that a sliding window passes over: masks leave them out.
    While `ends_at` is a block, a pass ends when that block has its own.
    """

    ends_at = None

    def update(self, keys, values, layer_idx, *more, **named):
        updated = super().update(keys, values, layer_idx, *more, **named)
        if layer_idx == self.ends_at:
            raise Known
        return updated


class States:
    """A trunk, ready to run. `pad` is any token, which fills rows up on the right."""

    def __init__(self, trunk, batch_tokens: int, pad: int = 0):
        self.trunk, self.batch_tokens, self.pad = trunk.eval(), batch_tokens, pad
        config, self.layers = trunk.config, len(blocks(trunk))
        self.device, self.longest = next(trunk.parameters()).device, getattr(config, "max_position_embeddings", None)
        kinds = set(getattr(config, "layer_types", None) or [])
        window = getattr(config, "sliding_window", None)
        if window and not kinds and getattr(config, "use_sliding_window", True):
            kinds = {SLIDING}
        self.windows = {kind: window if kind == SLIDING else None for kind in kinds or {FULL}}
        self.short = short_texts(config)
        self.shares = self.windows.keys() <= {FULL, SLIDING} and self.short is None and self._can_share()

    def of(self, prompts: list[list[int]], groups: list[list[int]], *places: Place) -> list[np.ndarray]:
        """Of each place, prompts x layers x positions x width, as float32: all from one pass. Prompts of a group share
        what they begin with.
        """
        wanted = [place._replace(layers=numbers(place.layers, self.layers, place.site)) for place in places]
        shapes = [(len(place.layers), len(place.positions), width(self.trunk, place.site)) for place in places]
        if not all(prompts):
            raise ActivationsError("found a prompt without tokens, expected at least one token in each")
        longest = max(map(len, prompts), default=0)
        if self.longest and longest > self.longest:
            raise ActivationsError(f"found a prompt of {longest} tokens, expected at most {self.longest}")
        if self.shares:
            packed = [row for group in groups for row in rows(prompts, group, self.batch_tokens)]
        else:
            packed = [PackedRow([], [prompts[number]], [number]) for group in groups for number in group]
        results = [np.empty((len(prompts), *shape), np.float32) for shape in shapes]
        for batch in batches([len(row) for row in packed], self.batch_tokens, short=self.short):
            self._run([packed[at] for at in batch], wanted, results)
        return results

    @torch.inference_mode()
    def _run(self, together, places, results):
        picks = [_picks(together, place.positions) for place in places]
        cache, lengths = None, np.array([len(row.beginning) for row in together])
        if lengths.any():
            cache = Beginning()
            tokens, _ = padded([np.array(row.beginning) for row in together], self.pad)
            early = [
                [(line, token + lengths[line], prompt, at) for line, token, prompt, at in of_place if token < 0]
                for of_place in picks
            ]
            cache.ends_at = None if any(early) else self.layers - 1
            with contextlib.suppress(Known):
                self._pass(tokens, early, places, results, past_key_values=cache, use_cache=True)
            cache.ends_at = None
        tokens, counts, owners = pieces(together, self.pad)
        late = [[pick for pick in of_place if pick[1] >= 0] for of_place in picks]
        given = {}  # prompts by themselves need no mask: they see what stands before them, and padding stands behind
        if cache is not None or any(len(row.pieces) > 1 for row in together):
            seen = self._seen(lengths, cache, torch.from_numpy(counts), torch.from_numpy(owners))
            given = {"attention_mask": seen, "position_ids": torch.from_numpy(counts).to(self.device)}
        if cache is not None:
            given["past_key_values"] = cache
        self._pass(tokens, late, places, results, use_cache=cache is not None, **given)

    def _pass(self, tokens, picks, places, results, **given):
        """One forward pass, of which the states at the picks of each place go into its result."""
        picked = [
            (np.array(of_place, np.int64).T, place, result)
            for of_place, place, result in zip(picks, places, results, strict=True)
            if of_place
        ]
        with contextlib.ExitStack() as watched:
            kept = [watched.enter_context(self._keeping(where[0], where[1], place)) for where, place, _ in picked]
            self.trunk(input_ids=torch.from_numpy(tokens).to(self.device), **given)
        for (where, place, result), states in zip(picked, kept, strict=True):
            for number, layer in enumerate(place.layers):
                result[where[2], number, where[3]] = states[layer].cpu().numpy()

    def _keeping(self, lines, tokens, place):
        lines, tokens = (torch.as_tensor(numbers, device=self.device) for numbers in (lines, tokens))
        return keeping(self.trunk, place.layers, lambda states: states[lines, tokens].float(), place.site)

    def _seen(self, lengths, cache, counts, owners):
        """What each token of the pieces sees of the beginning and of the pieces, in the form that the family takes."""
        width = int(lengths.max()) if cache is not None else 0
        before = torch.arange(width)[None, None, :]
        shared = (before < torch.from_numpy(lengths)[:, None, None]) & (owners != PADDING)[:, :, None]
        inside = (owners[:, None, :] == owners[:, :, None]) & (counts[:, :, None] >= counts[:, None, :])
        inside |= torch.eye(inside.shape[1], dtype=torch.bool)  # padding too sees something, which is itself
        back = torch.cat([counts[:, :, None] - before, counts[:, :, None] - counts[:, None, :]], 2)
        seen = torch.cat([shared, inside], 2)  # rows x tokens of the pieces x tokens of both
        forms = {
            kind: self._form(seen if window is None else seen & (back < window))
            for kind, window in self.windows.items()
        }
        return forms if len(forms) > 1 else next(iter(forms.values()))

    def _form(self, seen):
        """A mask for all heads, as the kind of attention that runs takes it."""
        seen = seen[:, None].to(self.device)
        if self.trunk.config._attn_implementation == "sdpa":
            return seen
        least = torch.finfo(self.trunk.dtype).min
        return torch.zeros(seen.shape, dtype=self.trunk.dtype, device=self.device).masked_fill(~seen, least)

    def _can_share(self):
        self.shares = True
        packed, plain = np.empty((2, 1, 1, self.trunk.config.hidden_size), np.float32), []
        with torch.inference_mode():
            for piece in PROBE.pieces:
                prompt = torch.tensor([PROBE.beginning + piece], device=self.device)
                states = self.trunk(input_ids=prompt, use_cache=False).last_hidden_state
                plain.append(states[0, -1].float().cpu().numpy())
        try:
            self._run([PROBE], [Place(RESIDUAL, [self.layers], [-1])], [packed])
        except REFUSALS:
            return False
        plain = np.stack(plain)
        bound = AGREE.get(self.trunk.dtype, COARSE) * max(1.0, float(np.abs(plain).max()))
        return bool(np.abs(packed[:, 0, 0] - plain).max() <= bound)


def _picks(together, positions):
    """The line of each token at these positions, its number there, its prompt, and which of the positions it is."""
    return [
        (line, token, prompt, at)
        for line, row in enumerate(together)
        for at, position in enumerate(positions)
        for prompt, token in zip(row.prompts, row.places(position), strict=True)
    ]


def rows(prompts: list[list[int]], group: list[int], budget: int) -> list[PackedRow]:
    """The rows of the prompts that `group` names, which are those of one document. A row holds at most `budget` tokens,
    or as many of pieces as of the beginning, so that at least half of what can be shared is.
    """
    beginning = prompts[group[0]][: _common([prompts[number] for number in group])]
    room, packed, used = max(budget - len(beginning), len(beginning)), [], 0
    for number in group:
        piece = prompts[number][len(beginning) :]
        if not packed or used + len(piece) > room:
            packed.append(PackedRow(beginning, [], []))
            used = 0
        packed[-1].pieces.append(piece)
        packed[-1].prompts.append(number)
        used += len(piece)
    return packed


def _common(prompts):
    """How many tokens all begin with; each keeps at least one of its own, and one prompt alone all of them."""
    if len(prompts) == 1:
        return 0
    first, last = min(prompts), max(prompts)  # what the extremes share, all share
    shared = next((at for at, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), len(first))
    return min(shared, min(map(len, prompts)) - 1)


def pieces(packed: list[PackedRow], pad: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tokens, positions and owners of the pieces of rows side by side, filled up on the right."""
    width = max(sum(map(len, row.pieces)) for row in packed)
    tokens = np.full((len(packed), width), pad, np.int64)
    positions, owners = np.zeros_like(tokens), np.full_like(tokens, PADDING)
    for number, row in enumerate(packed):
        start, lengths = len(row.beginning), list(map(len, row.pieces))
        filled = slice(0, sum(lengths))
        tokens[number, filled] = [token for piece in row.pieces for token in piece]
        positions[number, filled] = np.concatenate([np.arange(start, start + length) for length in lengths])
        owners[number, filled] = np.repeat(np.arange(len(lengths)), lengths)
    return tokens, positions, owners
