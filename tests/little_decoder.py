"""A little random decoder with a tokenizer that has tokens of its own, in a folder as any other model, or in a cache of
the hub's layout.
"""

import torch
from transformers import LlamaConfig, LlamaForCausalLM

from ragassay.demo_lm.tokens import trained


def save(folder, texts, tokens, longest, seed=0):
    tokenizer = trained(texts, tokens, longest)
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=longest,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def save_in_cache(hub, commit, *more, name="some/decoder", **options):
    """The folder of a snapshot in the cache `hub`; the branch main points to the snapshot that was saved last."""
    place = hub / f"models--{name.replace('/', '--')}"
    (place / "refs").mkdir(parents=True, exist_ok=True)
    (place / "refs/main").write_text(commit)
    save(place / "snapshots" / commit, *more, **options)
    return place / "snapshots" / commit
