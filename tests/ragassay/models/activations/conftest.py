"""Random little decoders of several families."""

import pytest
import torch
import transformers

from ragassay.models.processor import threads

SMALL = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 97,
    "max_position_embeddings": 128,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "pad_token_id": 0,
}
MIXED = {"sliding_window": 7, "layer_types": ["full_attention", "sliding_attention", "sliding_attention"]}
TURNED = {"rope_theta": 10000.0}
LONG = {**TURNED, "rope_type": "longrope", "short_factor": [1.0] * 4, "long_factor": [1.0, 2.0, 4.0, 8.0]}
LLAMA3 = {"rope_theta": 500000.0, "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
LLAMA3 |= {"original_max_position_embeddings": 64}
EXPERTS = {"num_local_experts": 2, "intermediate_size_mlp": 64}
FAMILIES = {
    "llama": ("Llama", SMALL),
    "llama3": ("Llama", {**SMALL, "num_key_value_heads": 1, "rope_parameters": LLAMA3}),
    "mistral_window": ("Mistral", {**SMALL, "sliding_window": 7}),
    "qwen2": ("Qwen2", SMALL),
    "qwen2_mixed": ("Qwen2", {**SMALL, **MIXED, "use_sliding_window": True}),
    "gemma3_mixed": ("Gemma3Text", {**SMALL, **MIXED, "head_dim": 8}),
    "gpt_neox": ("GPTNeoX", SMALL),
    "gpt2": ("GPT2", {**SMALL, "n_embd": 32, "n_layer": 3, "n_head": 4, "n_positions": 128}),
    "llama_dynamic": ("Llama", {**SMALL, "rope_parameters": {**TURNED, "rope_type": "dynamic", "factor": 2.0}}),
    "phi3_longrope": ("Phi3", {**SMALL, "rope_parameters": LONG, "original_max_position_embeddings": 44}),
    "llama4_chunked": ("Llama4Text", {**SMALL, **EXPERTS, "head_dim": 8, "attention_chunk_size": 16}),
    "phi3": ("Phi3", SMALL),
    "opt": ("OPT", {**SMALL, "ffn_dim": 48, "word_embed_proj_dim": 32}),
    "mamba": ("Mamba", {**SMALL, "state_size": 4}),  # no attention, so nothing can be shared
}


@pytest.fixture(autouse=True)
def one_thread():
    """Threads that wait for each other on a busy machine cost more than they bring to models this small."""
    with threads(1):
        yield


@pytest.fixture(scope="session")
def decoder():
    """A function that makes the same random decoder of a family each time, without output layer."""

    def make(family, **loading):
        name, options = FAMILIES[family]
        own = {key: value for key, value in options.items() if family != "gpt2" or not key.endswith("size")}
        torch.manual_seed(0)
        config = getattr(transformers, f"{name}Config")(**own | {"vocab_size": 97})
        return transformers.AutoModel.from_config(config, **loading).eval()

    return make


@pytest.fixture(scope="session")
def causal():
    """The decoder of Llama's shape with its output layer."""
    torch.manual_seed(0)
    config = transformers.LlamaConfig(**SMALL)
    return transformers.LlamaForCausalLM(config).eval()
