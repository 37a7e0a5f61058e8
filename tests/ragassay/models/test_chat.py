"""Chat templates: the same text each day, and system messages also for those that refuse them."""

import datetime

import jinja2
import pytest
from tokenizers import Tokenizer, models
from transformers import PreTrainedTokenizerFast
from transformers.utils import chat_template_utils

from ragassay.models import chat

SYSTEM, USER = {"role": "system", "content": "Be brief."}, {"role": "user", "content": "Where is the ferry?"}
LAST = "{{ messages[-1]['content'] }}"
LLAMA = "{% if date_string is not defined %}{% set date_string = strftime_now('%d %b %Y') %}{% endif %}"
HEAD = "{% macro head() %}{{ strftime_now('%Y-%m-%d') }}{% endmacro %}"
ASK = HEAD + "{% if strftime_now is defined %}{{ head() }}{% endif %}"
STRICT = "{% if messages[0].role == 'system' %}{{ raise_exception('no system role') }}{% endif %}"


def tokenizer(template):
    made = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.BPE()))
    made.chat_template = template
    return made


@pytest.fixture
def day(monkeypatch):
    """A function that sets the day that templates would see."""

    def at(number):
        class Clock(datetime.datetime):
            @classmethod
            def now(cls, tz=None):
                return cls(2031, 3, number, tzinfo=tz)

        monkeypatch.setattr(chat_template_utils, "datetime", Clock)

    return at


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        (LLAMA + "{{ date_string }} " + LAST, "26 Jul 2024 Where is the ferry?"),
        (ASK + " " + LAST, "2024-07-26 Where is the ferry?"),
        ("  {{ strftime_now('on %A, %d %B') }}\n" + LAST, "  on Friday, 26 July\nWhere is the ferry?"),
    ],
)
def test_each_day_is_the_same_to_a_template(day, template, expected):
    for number in (7, 8):
        day(number)
        own = tokenizer(template)
        plain = own.apply_chat_template([USER], tokenize=False)
        assert chat.rendered("m", own, [USER]) == expected != plain
    assert chat.date(own) == {"date": "2024-07-26"} and chat.date(tokenizer(LAST)) == {}


def test_a_template_is_otherwise_applied_as_it_is():
    own = tokenizer("\n {% for one in messages %}[{{ one.role }}] {{ one.content }}\n{% endfor %}{{ day }}")
    expected = own.apply_chat_template([SYSTEM, USER], tokenize=False, add_generation_prompt=True)
    assert chat.rendered("m", own, [SYSTEM, USER]) == expected
    assert chat.rendered("m", tokenizer(None), [SYSTEM, USER]) == "Be brief.\n\nWhere is the ferry?\n"


def test_a_system_text_that_is_refused_begins_the_users():
    own = tokenizer(STRICT + "{% for one in messages %}<{{ one.role }}>{{ one.content }}{% endfor %}")
    more = [{"role": "assistant", "content": "There."}, USER]
    found = chat.rendered("m", own, [SYSTEM, USER, *more])
    assert found == ("<user>Be brief.\n\nWhere is the ferry?<assistant>There.<user>Where is the ferry?")


@pytest.mark.parametrize("template", ["{{ raise_exception('never') }}", STRICT.replace("==", "!="), "{% if %}"])
def test_a_template_that_refuses_all_is_told(template):
    with pytest.raises(chat.ChatError, match=r"m: its chat template refuses") as told:
        chat.rendered("m", tokenizer(template), [SYSTEM, USER] if "never" in template else [USER])
    assert isinstance(told.value.__cause__, jinja2.TemplateError)
