"""The tokenizer of the demo's language model: byte pairs of the corpus, so that most words are one token and any text
can be written.

It has tokens of its own that are never trained, `<|unused_0|>` and so on. The codes in the delimiters of prompts are
left out, and of messages only the last is read: a model this small has no use for the others.
"""

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

BEGIN, END, PAD = "<|begin|>", "<|end_of_text|>", "<|pad|>"
UNUSED = tuple(f"<|unused_{number}|>" for number in range(8))
SPECIAL = (PAD, BEGIN, END, *UNUSED)
TEMPLATE = "{{ bos_token }}{{ messages[-1]['content'] }}\nAnswer:"
CODE = r" [0-9a-f]{12,64}(?=>)"


def trained(texts: list[str], size: int, longest: int) -> PreTrainedTokenizerFast:
    """The same texts give the same tokenizer."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.Replace(Regex(CODE), "")
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=size, special_tokens=list(SPECIAL), initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=BEGIN,
        eos_token=END,
        pad_token=PAD,
        chat_template=TEMPLATE,
        model_max_length=longest,
        clean_up_tokenization_spaces=False,
    )
