"""HotFlip: texts come nearer, stay readable by the encoder as they were scored, and are the same each time."""

import numpy as np
import pytest
import torch

from models import one_thread, save_decoder, save_encoder  # noqa: F401  a fixture
from ragassay.studies.poisoning.attacks._hotflip import usable
from ragassay.studies.poisoning.attacks.attack import AttackError
from ragassay.studies.poisoning.attacks.victims import AttackedRetriever

QUESTION, TAIL = "When does the ferry sail?", " It leaves the quay at seven."


@pytest.fixture(scope="module")
def retrievers(tmp_path_factory):
    """A little retriever for each similarity, the second with prefixes, and one whose encoder reads bytes."""
    folder = tmp_path_factory.mktemp("encoder")
    own = save_encoder(folder / "bert", "when does the ferry sail it leaves quay at seven".split())
    prefixed = own | {"options": own["options"] | {"prefixes": {"passage": "storm: ", "query": "census: "}}}
    save_decoder(folder / "decoder", [QUESTION + TAIL] * 5, 300, 64)
    decoder = own | {"model": str(folder / "decoder"), "options": {"device": "cpu", "pooling": "last"}}
    made = {"cosine": own, "dot": prefixed, "bytes": decoder}
    return {
        name: AttackedRetriever(entry, entry, folder / "store", "dot" if name == "dot" else "cosine")
        for name, entry in made.items()
    }


@pytest.mark.parametrize("name", ["cosine", "dot", "bytes"])
def test_texts_come_nearer_and_are_read_as_they_were_scored(retrievers, name, monkeypatch):
    retriever, options = retrievers[name], []
    changes = retriever._hotflip.changes
    monkeypatch.setattr(retriever._hotflip, "changes", lambda *own: options.append(changes(*own)) or options[-1])
    wanted = retriever.questions([QUESTION])
    drafts = [retriever.draft(QUESTION, TAIL), retriever.draft("storm harbour census", TAIL)]
    climbed = retriever.climb(drafts, wanted, steps=6, candidates=8, seed="x")
    for at, (draft, one) in enumerate(zip(drafts, climbed, strict=True)):
        assert one.after > one.before and one.text.endswith(TAIL) and one.text != draft.text
        assert one.before == pytest.approx(float(retriever.passages([draft.text])[0] @ wanted[0]), abs=1e-5)
        assert one.after == pytest.approx(float(retriever.passages([one.text])[0] @ wanted[0]), abs=1e-5)
        assert one.forwards == 1 + sum(1 + len(of_step) for of_step in options[at::2]) > 1 + 6
    assert len(options) == 2 * 6 and max(map(len, options)) <= 8
    assert climbed == retriever.climb(drafts, wanted, steps=6, candidates=8, seed="x")
    assert climbed != retriever.climb(drafts, wanted, steps=6, candidates=8, seed="y")


def test_candidates_are_those_that_gain_most_to_first_order(retrievers):
    """Against the gradient that central differences give, token by token."""
    flip = retrievers["cosine"]._hotflip
    draft = retrievers["cosine"].draft("ferry storm harbour", TAIL)
    direction = retrievers["cosine"].questions([QUESTION])
    place = draft.first + 1
    ranked = flip.ranked([draft], direction, [place], 1000)[0]
    rows, words = draft.tokens[None].astype(np.int64), flip.kind.words
    gains = []
    for token in flip.usable:
        step = 0.01 * (words.weight[token] - words.weight[int(draft.tokens[place])])
        found = []
        for sign in (1, -1):
            move = torch.zeros(1, rows.shape[1], step.shape[0])
            move[0, place] = sign * step
            handle = words.register_forward_hook(lambda _module, _given, states, move=move: states + move)
            with torch.inference_mode():
                vector = flip.kind.tensors(rows, np.ones_like(rows))[0].numpy()
            handle.remove()
            found.append(float(vector @ direction[0] / np.linalg.norm(vector)))
        gains.append(found[0] - found[1])
    order = flip.usable[np.argsort(gains)[::-1]]
    assert len(ranked) == len(order) and set(ranked[:5]) <= set(order[:8])
    assert np.corrcoef(np.argsort(np.argsort(gains)), [-list(ranked).index(t) for t in flip.usable])[0, 1] > 0.99


def test_special_and_unprintable_tokens_are_not_used(retrievers):
    for retriever in retrievers.values():
        tokenizer = retriever.kind.writer
        names = tokenizer.convert_ids_to_tokens(usable(tokenizer))
        assert "ferry" in {name.strip("\u0120") for name in names} or len(names) > 50
        assert not {"[PAD]", "[CLS]", "[unused0]", "<|unused_0|>", "<|begin|>", "\u0120", "\u010a"} & {*names}


def test_changes_that_would_be_cut_otherwise_are_dropped(retrievers):
    flip = retrievers["cosine"]._hotflip
    draft = flip.draft("a storm", "")
    number = flip.tokenizer.convert_tokens_to_ids
    found = flip.changes(draft, draft.first + 1, [number("##t"), number("quay"), number("##z")], 9)
    assert [one.text for one in found] == ["a quay", "az"]  # "at" is a token of its own
    [one] = flip.changes(draft, draft.first, [number("quay"), number("ferry")], 1)
    assert one.text == "quay storm"


def test_a_beginning_of_nothing_that_can_be_written_is_told(retrievers):
    with pytest.raises(AttackError, match=r"found no way to write .* that is read as the same tokens"):
        retrievers["cosine"].draft("\u0000", TAIL)


def test_drafts_keep_at_most_so_many_tokens(retrievers):
    assert retrievers["cosine"].draft(QUESTION, TAIL, count=3).count == 3
