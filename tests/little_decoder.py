"""A little random decoder with a tokenizer that has tokens of its own, in a folder as any other model."""

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
