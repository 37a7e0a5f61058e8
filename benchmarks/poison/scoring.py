"""What scores and filters cost: ratios of processor time in this process, in turn with what they are compared with."""

import os
import resource
import tempfile

import numpy as np
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

from common.figures import figure
from common.turns import medians
from ragassay.studies.poisoning.defences.kinds import raguard
from ragassay.studies.poisoning.defences.scorer import surprises
from ragassay.studies.poisoning.defences.scorers import causal, ngram
from ragassay.studies.poisoning.defences.thresholds import Null

TEXTS, WORDS = 12, [f"word{number:05}" for number in range(20_000)]
SETTINGS = {"one_text": (1, 80), "short_texts": (6, 9), "one_long_text": (1, 400)}  # texts, and words of each
READING = ("even_words", 4, 10)


def scoring() -> None:
    random = np.random.default_rng(0)
    texts = [" ".join(random.choice(WORDS, random.integers(20, 120))) for _ in range(TEXTS)]
    with tempfile.TemporaryDirectory() as folder:
        _write_model(folder)
        scorer = causal.Kind("shape of gpt2", {"model": folder, "options": {"dtype": "float32", "device": "cpu"}}, 1024)
        model = scorer.model.local.causal()  # the loop's own, as it comes
        ours, plain = medians(lambda: _scored(scorer, texts), lambda: _three_forwards(model, scorer, texts))
        figure("surprise_of_whole_and_chunks", plain / ours, "times", ">= 2")
        found = _scored(scorer, texts)
        wanted = _three_forwards(model, scorer, texts)
        pairs = [(own.whole, own.pre, own.post) for own in found]
        figure("surprise_difference_to_a_plain_loop", float(np.abs(np.array(pairs) - wanted).max()), "nats", "<= 1e-5")
        for name, (count, words) in SETTINGS.items():
            some = [" ".join(random.choice(WORDS, words)) for _ in range(count)]
            runs = (lambda some=some: _scored(scorer, some), lambda some=some: _three_forwards(model, scorer, some))
            cost, loop = medians(*runs)
            figure(f"surprise_of_{name}", loop / cost, "times", ">= 1")
        loop = _peak(lambda: _three_forwards(model, scorer, texts))
        own = _peak(lambda: _scored(scorer, texts))
        figure("surprise_memory_beyond_a_plain_loop", own - loop, "MB", "<= 300")
        many = [" ".join(random.choice(WORDS, random.integers(20, 120))) for _ in range(4000)]
        ngrams, halves = ngram.Kind.trained(lambda half: many[half::2], 2), [at % 2 for at in range(len(many))]
        cost, ours = medians(lambda: list(surprises(ngrams, many, halves, *READING)), lambda: _scored(scorer, texts))
        figure("ngram_texts_a_second_beside_gpt2", (len(many) / cost) / (TEXTS / ours), "times", ">= 2000")
    _filtering(random)


def _scored(scorer, texts):
    return list(surprises(scorer, texts, [0] * len(texts), *READING))


def _filtering(random):
    """Fifteen stored passages, beside one pass of numpy over as many rows of scores."""

    def passages(count):
        names = ("whole", "pre", "post", "window")
        return [{"score": score, "target_id": "q", "scores": dict(zip(names, random.normal(5, 1, 4), strict=True))}
                for score in random.uniform(0, 1, count)]  # fmt: skip

    defence = raguard.Kind().fit(Null(passages(1000), {"q": passages(1000)}))
    rows, scores = passages(15), random.uniform(0, 1, (15, 4))
    limits = np.ones(4)
    turns = 200
    ours, numpy = medians(
        lambda: [defence.judge(rows) for _ in range(turns)],
        lambda: [(scores >= limits).any(axis=1) for _ in range(turns)],
    )
    ours, numpy = ours / turns, numpy / turns
    figure("filtering_15_passages", ours * 1000, "milliseconds", f"<= {2 * numpy * 1000 + 1:.4g}", numpy * 1000)


def _write_model(folder):
    """GPT-2's shape with random weights, and a tokenizer of whole words."""
    vocabulary = {word: number for number, word in enumerate(["<s>", "<unk>", *WORDS])}
    words = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    PreTrainedTokenizerFast(tokenizer_object=words, bos_token="<s>", unk_token="<unk>").save_pretrained(folder)
    torch.manual_seed(0)
    GPT2LMHeadModel(GPT2Config(vocab_size=50_257, bos_token_id=0, eos_token_id=0)).save_pretrained(folder)


def _three_forwards(model, scorer, texts):
    """What is usual: the whole and both chunks, each text and each chunk alone."""
    tokenizer, rows = scorer.model.local.tokenizer, []
    for text in texts:
        words = text.split()
        middle = (len(words) + 1) // 2
        rows.append([_mean(model, tokenizer, part) for part in (words, words[:middle], words[middle:])])
    return np.array(rows)


@torch.inference_mode()
def _mean(model, tokenizer, words):
    ids = torch.tensor([[0, *tokenizer(" ".join(words), add_special_tokens=False)["input_ids"]]])
    logits = model(ids).logits[0, :-1].float()
    return -float(logits.log_softmax(-1).gather(1, ids[0, 1:, None]).mean())


def _peak(run) -> float:
    """The most memory in MB that a process needs for it, which starts as a copy of this one."""
    reading, writing = os.pipe()
    if not (child := os.fork()):
        run()
        os.write(writing, str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss).encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(writing)
    with os.fdopen(reading) as told:
        return int(told.read()) / 1024
