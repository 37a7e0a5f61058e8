"""How a defence asks the responder: the prompts that it names, and the one that any answer is asked with. What was
asked for one question is counted.
"""

from ragassay.calls.model import Answer, Request
from ragassay.calls.prompts import Prompt
from ragassay.grading.prompts import Prompts
from ragassay.studies.poisoning.defences.modules import asks, module


class Asker:
    """`prompts` are those of the defence by name; `ask` gives the answers to a request."""

    def __init__(self, ask, plain: Prompts, prompts: dict[str, Prompt], sampling: dict):
        self._ask, self.plain, self.prompts, self.sampling = ask, plain, prompts, sampling
        self.answers = []  # all that came, in their order
        self.digest = ""  # of the prompt that was asked last

    @property
    def tokens(self) -> int | None:
        """Of all prompts and answers; nothing where one is not counted."""
        counts = [count for one in self.answers for count in (one.prompt_tokens, one.completion_tokens)]
        return None if None in counts else sum(counts)

    async def answer(self, question: str, passages: list[str]) -> Answer:
        """The answer from these passages, or without any if there is none."""
        return await self._asked(self.plain.messages(question, passages), self.plain.digest(passages), {})

    async def __call__(self, name: str, longest: int | None = None, **values) -> Answer:
        """The answer to a prompt of the defence; `longest` is the most tokens that it may have, if that is another."""
        more = {"max_tokens": longest} if longest else {}
        return await self._asked(self.prompts[name].messages(**values), self.prompts[name].digest, more)

    async def _asked(self, messages, digest, more):
        [answer] = await self._ask(Request(messages, self.sampling | more))
        self.answers.append(answer)
        self.digest = digest
        return answer


async def answer(kind: str, question: str, passages: list[str], ask: Asker, settings: dict) -> Answer:
    """The answer from the passages that a defence left: its own, or what the responder says to them."""
    if asks(kind):
        return await module(kind).answer(question, passages, ask, settings)
    return await ask.answer(question, passages)
