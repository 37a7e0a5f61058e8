"""Time hidden states and heads beside what is usual and what is possible, one thread each, by processor time.

The decoder has Llama's shape and random weights, 110 million of them. A document of 300 words is some 400 tokens, a
question some 26. Collecting the last token's states of all layers stands beside the trunk's own forward pass and beside
the usual way. Memory is what a process of its own takes beyond what it had before.
"""

import functools
import random
import time

from common.figures import figure
from common.memory import peak_megabytes, task
from common.turns import by_turns, ratio

DOCUMENT, QUESTION, QUESTIONS = 400, 26, 10
TEXTS, TOKENS = 8, 512  # of the batch whose layers are all looked at
FEATURES, WIDTH = 20_000, 3 * 384


def decoder(whole=False):
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM, LlamaModel

    torch.set_num_threads(1)
    torch.manual_seed(0)
    config = LlamaConfig(
        hidden_size=768, intermediate_size=2048, num_hidden_layers=12, num_attention_heads=12, vocab_size=32_000
    )
    return (LlamaForCausalLM if whole else LlamaModel)(config).eval()


def ways() -> dict:
    """Ways to get the last token of a batch: `residual` from all layers, `usual` from all layers of the whole model,
    `forward` by the trunk alone.
    """
    import torch

    from ragassay.models.activations.sites import Place
    from ragassay.models.activations.states import States

    draw = random.Random(0)
    prompts = [[draw.randrange(32_000) for _ in range(TOKENS)] for _ in range(TEXTS)]
    model, tokens = decoder(whole=True), torch.tensor(prompts)
    trunk, groups = model.model, [[number] for number in range(TEXTS)]

    @torch.inference_mode()
    def usual():
        return torch.stack([layer[:, -1] for layer in model(input_ids=tokens, output_hidden_states=True).hidden_states])

    @torch.inference_mode()
    def forward():
        return trunk(input_ids=tokens, use_cache=False).last_hidden_state[:, -1]

    states = States(trunk, TEXTS * TOKENS)
    residual = functools.partial(states.of, prompts, groups, Place("residual", list(range(13))))
    return {"residual": residual, "usual": usual, "forward": forward}


def compared(*pairs: str, **ways) -> dict[str, float]:
    """ "a/b" -> how much longer a takes than b."""
    seconds = by_turns(ways, 5)
    return {pair: ratio(seconds, *pair.split("/")) for pair in pairs}


def one_document():
    """Ten questions about a document: one forward per question, and the document once for all."""
    import numpy as np
    import torch

    from ragassay.models.activations.states import States

    trunk, draw = decoder(), random.Random(0)
    document = [draw.randrange(32_000) for _ in range(DOCUMENT)]
    prompts = [document + [draw.randrange(32_000) for _ in range(QUESTION)] for _ in range(QUESTIONS)]
    states, kept = States(trunk, 1024), {}

    def ours():
        kept["ours"] = states.of(prompts, [list(range(QUESTIONS))])[:, 0, 0]

    @torch.inference_mode()
    def naive():
        kept["naive"] = np.stack(
            [trunk(input_ids=torch.tensor([one]), use_cache=False).last_hidden_state[0, -1].numpy() for one in prompts]
        )

    faster = compared("naive/ours", ours=ours, naive=naive)["naive/ours"]
    return {"faster": faster, "apart": float(np.abs(kept["ours"] - kept["naive"]).max())}


def collected():
    return compared("residual/forward", "usual/residual", "usual/forward", **ways())


def collected_memory(name):
    way = ways()[name]
    before = peak_megabytes()
    way()
    return peak_megabytes() - before


def one_head():
    import numpy as np

    from ragassay.models.heads import head
    from ragassay.models.heads.scores import Recipe

    draw = np.random.default_rng(0)
    features = draw.standard_normal((FEATURES, WIDTH)).astype(np.float16)
    labels = features[:, :5].sum(1) + draw.standard_normal(FEATURES) > 0
    begin = time.process_time()
    head.train(head.Labelled(features, labels), head.Labelled(features[:2000], labels[:2000]), Recipe(), 0)
    return time.process_time() - begin


def shared():
    one = task("one_document")
    faster = one["faster"]
    tokens = QUESTIONS * (DOCUMENT + QUESTION) / (DOCUMENT + QUESTIONS * QUESTION)
    figure("shared_prefix_faster_than_one_by_one", faster, "x", ">= 6", tokens)
    figure("shared_prefix_share_of_token_ratio", faster / tokens, "share", ">= 0.95", 1.0)
    figure("shared_prefix_apart", one["apart"], "abs", "<= 1e-4")


def head():
    figure("head_20000_features_10_epochs", task("one_head"), "cpu_s", "<= 60")


def collecting() -> None:
    times = task("collected")
    figure("all_layers_time", times["residual/forward"], "of_forward", "<= 1.02", 1.0)
    usual = times["usual/forward"]
    figure("all_layers_faster_than_output_hidden_states", times["usual/residual"], "x", ">= 1.2", usual)
    extra = {name: task("collected_memory", name) for name in ("residual", "usual", "forward")}
    least = extra["forward"] / extra["usual"]
    figure("all_layers_extra_memory", extra["residual"] / extra["usual"], "of_usual", "<= 0.334", least)


TASKS = {run.__name__: run for run in (one_document, one_head, collected, collected_memory)}
