"""Rule files as text: what each rule says, directive by directive."""

import re


def directives(text):
    """(rule, its directives: such as `output` -> what stands below it) of a rule file."""
    for name, body in re.findall(r"^rule (\w+):\n((?:    .*\n|\n)*)", text, re.MULTILINE):
        parts = re.split(r"^    (\w+):", body, flags=re.MULTILINE)
        yield name, dict(zip(parts[1::2], parts[2::2], strict=True))
