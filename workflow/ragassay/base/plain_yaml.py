"""YAML without aliases: a kilobyte of aliases to aliases stands for gigabytes as soon as something walks through it.
Text that cannot be read is one error with its line, and so is a key that is given twice."""

import copy
import functools
from pathlib import Path

import yaml

from ragassay.base.errors import AssayError

WHOLE_NUMBER, MOST_DIGITS = "tag:yaml.org,2002:int", 1_000


class YamlError(AssayError):
    """A text is not YAML, or holds what is not read here; `line` says where."""

    def __init__(self, problem: str, line: int):
        super().__init__(problem)
        self.line = line


class _Plain:
    """Goes first among a loader's bases."""

    def compose_node(self, parent, index):
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()
            problem = f"found an alias, *{event.anchor:.40}, expected what it stands for; write that out"
            raise yaml.composer.ComposerError(None, None, problem, event.start_mark)
        return super().compose_node(parent, index)

    def compose_mapping_node(self, anchor):
        node, given = super().compose_mapping_node(anchor), set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if (key.tag, key.value) in given:
                    problem = (
                        f"found the key {key.value:.40} twice, expected it once, with all that belongs to it below"
                    )
                    raise yaml.composer.ComposerError(None, None, problem, key.start_mark)
                given.add((key.tag, key.value))
        return node

    def construct_object(self, node, deep=False):
        if node.tag == WHOLE_NUMBER and len(node.value) > MOST_DIGITS:  # of those in base 60, 100 kB take minutes
            found = f"found a number of {len(node.value)} digits, expected at most {MOST_DIGITS}"
            raise yaml.constructor.ConstructorError(None, None, found, node.start_mark)
        try:
            return super().construct_object(node, deep)
        except (ValueError, OverflowError) as error:  # a day that no month has, more digits than Python accepts
            raise yaml.constructor.ConstructorError(None, None, str(error), node.start_mark) from error


class Values(_Plain, yaml.SafeLoader):
    """Numbers, days and truth values keep their types."""


class Texts(_Plain, yaml.BaseLoader):
    """Every scalar is text: "007" stays, and "No"."""


def load(content: bytes | str, kind=Values):
    """What the YAML says; raises YamlError."""
    try:
        text = content.decode("utf-8-sig") if isinstance(content, bytes) else content
    except UnicodeDecodeError as error:
        problem = f"found byte 0x{content[error.start]:02x}, which is not UTF-8; save the file as UTF-8"
        raise YamlError(problem, content.count(b"\n", 0, error.start) + 1) from error
    try:
        loader = kind(text)
    except yaml.reader.ReaderError as error:
        problem = f"found the character U+{error.character:04X}, expected printable text"
        raise YamlError(problem, text.count("\n", 0, error.position) + 1) from error
    try:
        return loader.get_single_data()
    except yaml.MarkedYAMLError as error:
        reason = " ".join(", ".join(filter(None, (error.context, error.problem))).split())
        raise YamlError(reason, (error.problem_mark or error.context_mark).line + 1) from error
    except RecursionError as error:
        raise YamlError("found lists or mappings nested deeper than can be read", loader.line + 1) from error
    except (ValueError, OverflowError) as error:  # an escape for a character that does not exist
        raise YamlError(str(error), loader.line + 1) from error


@functools.lru_cache(maxsize=8)
def _parsed(content: bytes):
    """A plan reads the same configuration for several purposes."""
    return load(content)


def read(path):
    """What a file says; raises YamlError with the file's name and the line, or OSError."""
    try:
        return copy.deepcopy(_parsed(Path(path).read_bytes()))
    except YamlError as error:
        raise YamlError(f"{path}:{error.line}: {error}", error.line) from error


class _Written(yaml.SafeDumper):
    """Writes out what stands in several places, since `load` reads no aliases."""

    def ignore_aliases(self, data):
        return True


def dump(value) -> str:
    """YAML that `load` reads, with keys in their order."""
    return yaml.dump(value, Dumper=_Written, sort_keys=False, allow_unicode=True)
