"""The tokenizer of the demo's language model: byte pairs of the corpus, so that most words and numbers are one token
and any text can be written.

A word is the same token wherever it stands, at the start of a line, too; so the model can look for it elsewhere. It
has tokens of its own that are never trained, `<|unused_0|>` and so on. Delimiters of prompts are one token each,
without their codes and numbers, and of messages only the last is read: a model this small has no use for the others.
"""

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

BEGIN, END, PAD = "<|begin|>", "<|end_of_text|>", "<|pad|>"
UNUSED = tuple(f"<|unused_{number}|>" for number in range(8))
SPECIAL = (PAD, BEGIN, END, *UNUSED)
DELIMITERS = tuple(f"<{slash}{label}>" for label in ("document", "passage", "question") for slash in ("", "/"))
TEMPLATE = "{{ bos_token }}{{ messages[-1]['content'] }}\nAnswer:"
CODE = r" [0-9a-f]{12,64}(?=>)"
NUMBER = r"(?<=<passage|</passage) \d+(?=>)"
LINE = r"(?<=\n)(?=[^\n<])"  # a space goes there, and is taken away again when tokens become text
WORDS = r" ?\d+(?:[.,:]\d+)*| ?\p{L}+(?:['-]\p{L}+)*| ?[^\s\p{L}\d]+|\s+(?!\S)|\s+"


def trained(texts: list[str], size: int, longest: int) -> PreTrainedTokenizerFast:
    """The same texts give the same tokenizer."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Replace(Regex(left_out), "") for left_out in (CODE, NUMBER)]
        + [normalizers.Replace(Regex(LINE), " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(WORDS), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.Sequence([decoders.ByteLevel(), decoders.Replace("\n ", "\n")])
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=size - len(DELIMITERS), special_tokens=list(SPECIAL), initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.add_tokens([AddedToken(delimiter, normalized=True) for delimiter in DELIMITERS])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=BEGIN,
        eos_token=END,
        pad_token=PAD,
        chat_template=TEMPLATE,
        model_max_length=longest,
        clean_up_tokenization_spaces=False,
    )
