"""What a prompt asks of the rules: the texts between its delimiters, and the words around them."""

import re
from dataclasses import dataclass

from ragassay.calls.prompts import parts_of

LONGEST = 40_000  # letters of a text that are read
ITEM = re.compile(r"^\s*(\d+)[.)]\s+(.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Task:
    """What the last user message asks for; the messages before it only tell how."""

    parts: dict[str, list[str]]  # label -> delimited texts
    instruction: str  # what stands around them
    told: str  # the same, the system part and the replies of examples

    @classmethod
    def of(cls, messages: list[dict]) -> "Task":
        texts = [(message.get("role"), str(message.get("content") or "")) for message in messages]
        parts, instruction = parts_of(next((text for role, text in reversed(texts) if role == "user"), ""))
        parts = {label: [text[:LONGEST] for text in shown] for label, shown in parts.items()}
        return cls(parts, instruction, "\n".join([instruction, *(text for role, text in texts if role != "user")]))

    def text(self, label: str) -> str:
        return self.parts.get(label, [""])[0]

    def items(self, label: str) -> dict[int, str]:
        """Number -> item of a numbered list; of two equal numbers the first counts."""
        return dict(sorted((int(number), item) for number, item in reversed(ITEM.findall(self.text(label)))))

    @property
    def passages(self) -> list[str]:
        """The passages, whether they come one by one or one a line."""
        return self.parts.get("passage") or self.text("passages").split("\n")

    def asked(self, pattern: re.Pattern, otherwise: list[int]) -> list[int]:
        """The numbers with which something is asked for."""
        match = pattern.search(self.instruction)
        return [int(number) for number in match.groups()] if match else otherwise
