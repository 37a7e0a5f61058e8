"""Time hidden states and heads beside what is usual and what is possible, one thread each, by processor time.

The decoder has Llama's shape and random weights, 110 million of them. A document of 300 words is some 400 tokens, a
question some 26. What is compared is timed alternately in one process, and who goes first changes: other work on the
machine takes from all alike. What counts is the median over turns of how one compares to another. Memory is that of a
process of its own, beyond what it had before.
`python benchmarks/features.py shared layers head` measures only what is named.
"""

import json
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

from common.figures import figure, finish
from common.memory import peak_megabytes

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "workflow"))
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


def by_turns(ways: dict, rounds: int) -> dict:
    """The processor seconds of each way in each round."""
    found = {name: [] for name in ways}
    for number in range(rounds):
        for name in list(ways) if number % 2 else reversed(ways):
            begin = time.process_time()
            ways[name]()
            found[name].append(time.process_time() - begin)
    return found


def ratio(found: dict, one: str, other: str) -> float:
    """How much longer one takes than another: the median over rounds."""
    return statistics.median(a / b for a, b in zip(found[one], found[other], strict=True))


def tell(**found):
    sys.stdout.write(json.dumps(found) + "\n")


def child_shared():
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

    found = by_turns({"ours": ours, "naive": naive}, 5)
    tell(faster=ratio(found, "naive", "ours"), apart=float(np.abs(kept["ours"] - kept["naive"]).max()))


def batch():
    draw = random.Random(0)
    return [[draw.randrange(32_000) for _ in range(TOKENS)] for _ in range(TEXTS)]


def ways(*names):
    """Ways to get all layers' last token of a batch; a process that measures memory makes only one."""
    import torch

    from common.passes import passes
    from ragassay.models.activations.states import States

    prompts, model = batch(), decoder(whole="usual" in names)
    tokens, trunk = torch.tensor(prompts), getattr(model, "model", model)
    states = States(trunk, TEXTS * TOKENS) if "ours" in names else None
    groups, layers = [[number] for number in range(TEXTS)], list(range(13))

    own = passes(model, trunk, tokens) | {"ours": lambda: states.of(prompts, groups, layers)}
    return {name: own[name] for name in names}


def child_layers():
    found = by_turns(ways("ours", "forward", "usual"), 5)
    pairs = [("ours", "forward"), ("usual", "ours"), ("usual", "forward")]
    tell(**{f"{one}/{other}": ratio(found, one, other) for one, other in pairs})


def child_memory(name):
    way = ways(name)[name]
    before = peak_megabytes()
    way()
    tell(extra=peak_megabytes() - before)


def child_head():
    import numpy as np

    from ragassay.models.heads import head
    from ragassay.models.heads.recipe import Recipe

    draw = np.random.default_rng(0)
    features = draw.standard_normal((FEATURES, WIDTH)).astype(np.float16)
    labels = features[:, :5].sum(1) + draw.standard_normal(FEATURES) > 0
    begin = time.process_time()
    head.train(head.Part(features, labels), head.Part(features[:2000], labels[:2000]), Recipe(), 0)
    tell(seconds=time.process_time() - begin)


def child(*task):
    done = subprocess.run([sys.executable, __file__, "child", *task], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def shared():
    found = child("shared")
    faster = found["faster"]
    tokens = QUESTIONS * (DOCUMENT + QUESTION) / (DOCUMENT + QUESTIONS * QUESTION)
    figure("shared_prefix_faster_than_one_by_one", faster, "x", ">= 6", tokens)
    figure("shared_prefix_share_of_token_ratio", faster / tokens, "share", ">= 0.95", 1.0)
    figure("shared_prefix_apart", found["apart"], "abs", "<= 1e-4")


def layers():
    found = child("layers")
    figure("all_layers_time", found["ours/forward"], "of_forward", "<= 1.02", 1.0)
    faster = found["usual/ours"]
    figure("all_layers_faster_than_output_hidden_states", faster, "x", ">= 1.2", found["usual/forward"])
    extra = {name: child("memory", name)["extra"] for name in ("ours", "usual", "forward")}
    figure(
        "all_layers_extra_memory",
        extra["ours"] / extra["usual"],
        "of_usual",
        "<= 0.334",
        extra["forward"] / extra["usual"],
    )


def heads():
    figure("head_20000_features_10_epochs", child("head")["seconds"], "cpu_s", "<= 60")


def main(*names):
    everything = {"shared": shared, "layers": layers, "head": heads}
    for name in names or everything:
        everything[name]()
    finish()


CHILDREN = {
    "shared": child_shared,
    "layers": child_layers,
    "memory": child_memory,
    "head": child_head,
}

if __name__ == "__main__":
    CHILDREN[sys.argv[2]](*sys.argv[3:]) if sys.argv[1:2] == ["child"] else main(*sys.argv[1:])
