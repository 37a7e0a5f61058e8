"""A stream of requests: each is made when it is its turn, and how many there are is known, so that progress can tell
the time left.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ragassay.llm.model import Request


@dataclass(frozen=True)
class Requests:
    items: Sequence
    request: Callable[..., Request]  # the request for one item

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Request]:
        return map(self.request, self.items)
