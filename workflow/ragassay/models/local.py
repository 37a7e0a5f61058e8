"""A frozen model on this machine, as an entry of the configuration names it: the one way to weights. Its identity
follows from its files and number format, not from its name. Messages become text by its chat template: one that asks
for the date gets a fixed one, since answers must not change with the day; where it refuses system messages, their
text begins the first user message."""

import contextlib
import datetime
import types
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ragassay.base.errors import AssayError
from ragassay.models import files
from ragassay.models.files import WeightsError

TOWERS = ("DPRContextEncoder", "DPRQuestionEncoder")
DATE = datetime.date(2024, 7, 26)  # today for every template: what Llama's say where they cannot ask
ASKS = ("strftime_now", "date_string")  # by which names templates ask for it
CODES = "aAbBcdjmuUVwWxXyYGHIMpSf"
# transformers hands templates data only, so what they call is written as they are
CLOCK = (
    "{%- macro strftime_now(form) -%}{%- for part in form.replace('%-', '%').split('%') -%}"
    "{{- part if loop.first else fixed_day.get(part[:1], '') ~ part[1:] -}}{%- endfor -%}{%- endmacro %}\n"
)


@dataclass(frozen=True)
class LocalModel:
    """`name` says whose weights they are, such as "encoder minilm"; `entry` has the model (a folder,
    package:<package>/<folder>, or the hub's name of one in the hub's cache) and options: device, dtype (float32,
    bfloat16, float16; bfloat16 on a GPU unless it says otherwise), batch_tokens, revision.
    """

    name: str
    entry: dict

    @property
    def options(self) -> dict:
        return self.entry.get("options") or {}

    @cached_property
    def folder(self) -> Path:
        return files.folder(self.name, self.entry["model"], self.options.get("revision"))

    @cached_property
    def digest(self) -> str:
        """A hash over all files that are read."""
        return files.digest(self.folder)

    @property
    def commit(self) -> str | None:
        """The hub's commit of a model from the hub's cache, where a folder is named after it."""
        return self.folder.name if self.folder.parent.name == "snapshots" else None

    @property
    def identity(self) -> dict:
        """Everything that can change what a language model computes by more than rounding."""
        return {"files": self.digest, "dtype": self.dtype} | prompt_date(self.tokenizer)

    @cached_property
    def device(self) -> str:
        import torch

        return self.options.get("device") or ("cuda" if torch.cuda.is_available() else "cpu")

    @cached_property
    def dtype(self) -> str:
        return self.options.get("dtype") or ("bfloat16" if self.device.startswith("cuda") else "float32")

    def batch_tokens(self, on_cpu: int, on_gpu: int) -> int:
        """How many tokens a batch may have, padding included."""
        return self.options.get("batch_tokens") or (on_cpu if self.device == "cpu" else on_gpu)

    @cached_property
    def config(self):
        """The model's own configuration, as its family has it."""
        with self.reading("configuration") as loading:
            return loading.config(self.folder)

    @cached_property
    def tokenizer(self):
        with self.reading("tokenizer") as loading:
            return loading.tokenizer(self.folder)

    def prompt(self, messages: list[dict]) -> str:
        """The text that the model is to go on from."""
        return rendered(self.name, self.tokenizer, messages)

    def trunk(self, pooler: bool = False):
        """The model without its output layer, with its pooler if that is read; loading takes seconds or minutes."""
        architecture = (self.config.architectures or [""])[0]  # of DPR's two towers, AutoModel knows one
        return self._loaded(architecture if architecture in TOWERS else "AutoModel", pooler=pooler)

    def causal(self):
        """The model with the layer that predicts the next token."""
        return self._loaded("AutoModelForCausalLM")

    def place(self) -> dict:
        """The device and the numbers to load into, as torch names them."""
        from ragassay.models import _loading

        return {"device": _loading.place(self.device), "dtype": _loading.dtype(self.dtype)}

    def _loaded(self, kind, **options):
        import transformers

        with self.reading("weights") as loading:
            return loading.loaded(getattr(transformers, kind), self.folder, **self.place(), **options).eval()

    @contextlib.contextmanager
    def reading(self, what: str) -> Iterator[types.ModuleType]:
        """What is wrong with files or device becomes one line that names the model; gives `ragassay.models._loading`,
        whose import takes seconds.
        """
        from ragassay.models import _loading

        try:
            with _loading.reading():
                yield _loading
        except (OSError, ValueError, KeyError) as error:
            reason = str(error).strip().split("\n")[0]
            raise WeightsError(f"{self.name}: cannot load the {what} of {self.folder}: {reason}") from error


class ChatError(AssayError):
    """A chat template refuses the messages of a prompt."""


def rendered(name: str, tokenizer, messages: list[dict]) -> str:
    """The prompt that a model is to go on from; `name` is whose it is, such as "model llama"."""
    import jinja2  # which services that render no prompts do without

    if not tokenizer.chat_template:
        return "\n\n".join(message["content"] for message in messages) + "\n"
    try:
        try:
            return _applied(tokenizer, messages)
        except jinja2.TemplateError:
            if len(messages) < 2 or [message["role"] for message in messages[:2]] != ["system", "user"]:
                raise
            system, user, *more = messages
            return _applied(tokenizer, [{**user, "content": f"{system['content']}\n\n{user['content']}"}, *more])
    except jinja2.TemplateError as error:
        raise ChatError(f"{name}: its chat template refuses the messages of a prompt: {error}") from error


def prompt_date(tokenizer) -> dict:
    """For identities: the date that prompts are given, if its template asks for one."""
    asked = any(name in str(tokenizer.chat_template) for name in ASKS)
    return {"date": DATE.isoformat()} if asked else {}


def _applied(tokenizer, messages):
    template, given = tokenizer.get_chat_template(), {"date_string": DATE.strftime("%d %b %Y")}
    if "strftime_now" in template:
        template, given["fixed_day"] = CLOCK + template, {code: DATE.strftime(f"%{code}") for code in CODES}
    return tokenizer.apply_chat_template(
        messages, chat_template=template, tokenize=False, add_generation_prompt=True, **given
    )
