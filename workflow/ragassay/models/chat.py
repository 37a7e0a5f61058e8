"""Messages as the text that a model was trained on: by its tokenizer's chat template, or one after another.

A template that asks for the date gets a fixed one, since a prompt that changes with the day gives other answers and
other hidden states each day. Where a template refuses system messages, their text begins the first user message.
"""

import datetime

import jinja2

from ragassay.base.errors import AssayError

DATE = datetime.date(2024, 7, 26)  # today for every template: what Llama's say where they cannot ask
ASKS = ("strftime_now", "date_string")  # by which names templates ask for it
CODES = "aAbBcdjmuUVwWxXyYGHIMpSf"
# transformers hands templates data only, so what they call is written as they are
CLOCK = (
    "{%- macro strftime_now(form) -%}{%- for part in form.replace('%-', '%').split('%') -%}"
    "{{- part if loop.first else fixed_day.get(part[:1], '') ~ part[1:] -}}{%- endfor -%}{%- endmacro %}\n"
)


class ChatError(AssayError):
    """A chat template refuses the messages of a prompt."""


def rendered(name: str, tokenizer, messages: list[dict]) -> str:
    """The prompt that a model is to go on from; `name` is whose it is, such as "model llama"."""
    if not tokenizer.chat_template:
        return "\n\n".join(message["content"] for message in messages) + "\n"
    try:
        try:
            return _applied(tokenizer, messages)
        except jinja2.TemplateError:
            if len(messages) < 2 or [message["role"] for message in messages[:2]] != ["system", "user"]:
                raise
            return _applied(tokenizer, _folded(messages))
    except jinja2.TemplateError as error:
        raise ChatError(f"{name}: its chat template refuses the messages of a prompt: {error}") from error


def date(tokenizer) -> dict:
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


def _folded(messages):
    system, user, *more = messages
    return [{**user, "content": f"{system['content']}\n\n{user['content']}"}, *more]
