"""What the files of a plain BERT say, read without torch and without the model's library: its shape, its tokenizer,
and how a sentence-transformers model pools it. `fast_bert` runs its weights by torch, `plain_bert` by numpy.

Anything but a plain BERT of 32-bit numbers, whose tokenizer has the settings that all such models have, is None here.
"""

import itertools
import json
from pathlib import Path

from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing

from ragassay.models import files

SHAPE = {"model_type": "bert", "architectures": ["BertModel"], "hidden_act": "gelu", "is_decoder": False}
SHAPE |= {"dtype": "float32", "torch_dtype": "float32", "position_embedding_type": "absolute"}
SHAPE |= {"add_cross_attention": False}  # what the settings of a model may say of this, if they do
SIZES = "vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers", "type_vocab_size"
UNREAD = ("pooler.", "embeddings.position_ids")
SPECIAL = {f"{name}_token": f"[{name.upper()}]" for name in ("unk", "sep", "pad", "cls", "mask")}
NORMALIZING = {"do_lower_case": True, "strip_accents": None, "tokenize_chinese_chars": True}
READ = {"tokenizer_class", "model_max_length", *NORMALIZING}
CLASSES = ("BertTokenizer", "BertTokenizerFast")
ONE, TWO = "[CLS]:0 $A:0 [SEP]:0", "[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1"  # a text and a pair, with types of tokens
UNUSED = {"backend", "clean_up_tokenization_spaces", "do_basic_tokenize", "name_or_path", "never_split"}
FARTHEST = 1 << 62  # if a tokenizer has no limit
POOLING = {"mean_tokens": "mean", "mean": "mean", "cls_token": "cls", "cls": "cls", "lasttoken": "last"}
PLAIN = (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"])
READING = {  # what may stand beside the length that is read
    "do_lower_case": False,
    "transformer_task": "feature-extraction",
    "modality_config": {"text": {"method": "forward", "method_output_name": "last_hidden_state"}},
    "module_output_name": "token_embeddings",
}


def read(folder: Path) -> "tuple[dict, WordPieces] | None":
    """The settings and the tokenizer of a plain BERT; None for anything else."""
    config, tokenizer = _json(folder / "config.json"), _tokenizer(folder)
    if tokenizer is None or "architectures" not in config or SHAPE | config != config | SHAPE:
        return None
    return config, tokenizer


def checked(tensors: dict, config: dict, float32) -> dict:
    """The tensors that are read, by their names, which have to be all that the shape has and no others; `float32` is
    what their library calls such numbers.
    """
    tensors = {name: values for name, values in tensors.items() if not name.startswith(UNREAD)}
    expected = _shapes(config["max_position_embeddings"], *(config[size] for size in SIZES))
    if {name: (tuple(values.shape), values.dtype) for name, values in tensors.items()} != {
        name: (shape, float32) for name, shape in expected.items()
    }:
        raise ValueError("other tensors than expected")
    return tensors


def runs(lengths: list[int]) -> list[tuple[int, int, int]]:
    """Start, count and length of texts of one length that follow one another."""
    groups, start = [], 0
    for length, same in itertools.groupby(lengths):
        count = sum(1 for _ in same)
        if length:
            groups.append((start, count, length))
        start += count * length
    return groups


def plain_options(folder: Path) -> dict | None:
    """The options with which the kind `transformers` computes the same; None for a model with other modules."""
    modules = files.settings(folder / "modules.json", [])
    names = [module["type"].split(".")[-1] for module in modules]
    ours = all(module["type"].startswith("sentence_transformers.") for module in modules)
    if not ours or names not in PLAIN or modules[0]["path"]:
        return None
    pooling = _pooling(files.settings(folder / modules[1]["path"] / "config.json", {}))
    reading = files.settings(folder / "sentence_bert_config.json", {})
    longest = reading.pop("max_seq_length", None)
    if pooling is None or any(READING.get(key) != value for key, value in reading.items()):
        return None
    options = {"pooling": pooling, "normalize": names == PLAIN[1]}
    return options | ({"max_tokens": longest} if longest else {})


def _pooling(config):
    """The one mode that the file names, in our words; older files have a switch for each."""
    switches = [name for name, value in config.items() if name.startswith("pooling_mode_") and value]
    modes = (
        [config["pooling_mode"]] if "pooling_mode" in config else [name[len("pooling_mode_") :] for name in switches]
    )
    return POOLING.get(modes[0]) if len(modes) == 1 and config.get("include_prompt", True) else None


def _shapes(positions, words, width, inner, layers, types):
    rows = {"word": words, "position": positions, "token_type": types}
    shapes = {f"embeddings.{name}_embeddings.weight": (count, width) for name, count in rows.items()}
    dense, norms = {}, ["embeddings"]
    for layer in (f"encoder.layer.{number}" for number in range(layers)):
        for name in ("self.query", "self.key", "self.value", "output.dense"):
            dense[f"{layer}.attention.{name}"] = width, width
        dense |= {f"{layer}.intermediate.dense": (inner, width), f"{layer}.output.dense": (width, inner)}
        norms += [f"{layer}.attention.output", f"{layer}.output"]
    shapes |= {f"{name}.weight": shape for name, shape in dense.items()}
    shapes |= {f"{name}.bias": shape[:1] for name, shape in dense.items()}
    shapes |= {f"{name}.LayerNorm.{part}": (width,) for name in norms for part in ("weight", "bias")}
    return shapes


def _json(path):
    return json.loads(path.read_text(encoding="utf-8"))


def _tokenizer(folder):
    """A tokenizer of the same words with the same settings, if these are such that it is known what they do."""
    settings, saved = _json(folder / "tokenizer_config.json"), _json(folder / "tokenizer.json")
    special, added = folder / "special_tokens_map.json", {token["content"] for token in saved["added_tokens"]}
    if settings["tokenizer_class"] not in CLASSES or added != {*SPECIAL.values()}:
        return None
    if not {key: settings[key] for key in settings.keys() - READ - UNUSED}.items() <= SPECIAL.items():
        return None
    if (special.exists() and _json(special) != SPECIAL) or (folder / "added_tokens.json").exists():
        return None
    if (saved["truncation"] or {}).get("direction", "Right") != "Right":
        return None
    words, settings = saved["model"]["vocab"], NORMALIZING | settings
    made = Tokenizer(WordPiece(words, unk_token=SPECIAL["unk_token"]))
    made.normalizer = BertNormalizer(
        clean_text=True,
        handle_chinese_chars=settings["tokenize_chinese_chars"],
        strip_accents=settings["strip_accents"],
        lowercase=settings["do_lower_case"],
    )
    made.pre_tokenizer = BertPreTokenizer()
    marks = [(token, words[token]) for token in ("[CLS]", "[SEP]")]
    made.post_processor = TemplateProcessing(single=ONE, pair=TWO, special_tokens=marks)
    made.add_special_tokens(list(SPECIAL.values()))
    return WordPieces(made, words[SPECIAL["pad_token"]], settings.get("model_max_length") or FARTHEST)


class WordPieces:
    """A tokenizer as `ragassay.models.encoders.encoder.Kind` calls it, which is as the library's are called."""

    def __init__(self, tokenizer: Tokenizer, pad: int, longest: int):
        self._tokenizer, self.pad_token_id, self.model_max_length = tokenizer, pad, longest

    def __call__(
        self, texts: list[str] | str, second: str | None = None, truncation=False, max_length=None, verbose=False
    ) -> dict[str, list]:
        """Many texts, or one text with or without a second one; cut if `truncation` says so."""
        if truncation:
            self._tokenizer.enable_truncation(max_length)
        else:
            self._tokenizer.no_truncation()
        if not isinstance(texts, str):
            return {"input_ids": [row.ids for row in self._tokenizer.encode_batch(texts)]}
        row = self._tokenizer.encode(texts, second or None)  # an empty one makes no pair
        return {"input_ids": row.ids, "token_type_ids": row.type_ids}
