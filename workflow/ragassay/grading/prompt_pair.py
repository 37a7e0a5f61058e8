"""The two prompts of a responder, with passages and without. Rules that only read prompts need nothing that asks."""

from dataclasses import dataclass

from ragassay.calls.prompts import Prompt


@dataclass(frozen=True)
class PromptPair:
    """How a question is asked, with passages or by itself; with `in_lines`, passages are one text, a line each."""

    with_passages: Prompt
    without: Prompt
    in_lines: bool

    @classmethod
    def load(cls, prompt, closed_book_prompt, in_lines: bool) -> "PromptPair":
        return cls(Prompt.load(prompt), Prompt.load(closed_book_prompt), in_lines)

    def messages(self, question: str, passages: list[str]) -> list[dict]:
        """Without a passage the question is asked by itself."""
        if not passages:
            return self.without.messages(question=question)
        shown = "\n".join(" ".join(text.split()) for text in passages) if self.in_lines else passages
        return self.with_passages.messages(passages=shown, question=question)

    def digest(self, passages: list[str]) -> str:
        return (self.with_passages if passages else self.without).digest
