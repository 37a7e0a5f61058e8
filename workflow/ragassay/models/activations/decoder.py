"""A frozen decoder as the configuration names it, for its hidden states. Generates nothing.

The trunk is loaded without its output layer. Prompts are rendered as the provider `transformers` renders them.
"""

from ragassay.models.activations.sites import RESIDUAL, ActivationsError
from ragassay.models.local import LocalModel

FORMAT = 1  # of stored states; a new one starts new stores
CPU_TOKENS, GPU_TOKENS = 1024, 16_384  # of one batch


class Decoder(LocalModel):
    """An entry of `models` with provider `transformers`."""

    @property
    def identity(self) -> dict:
        """Everything that can change a state by more than rounding."""
        return {"format": FORMAT} | super().identity

    @property
    def longest(self) -> float:
        """How many tokens it reads at most."""
        return getattr(self.config, "max_position_embeddings", None) or float("inf")

    def _reserved(self):
        """Tokens that may never have been trained: special ones without a task, otherwise tokens of their form."""
        named = set(self.tokenizer.all_special_tokens)
        special = {token.content for token in self.tokenizer.added_tokens_decoder.values() if token.special} - named
        formed = {token for token in self.tokenizer.get_vocab() if token[:1] in "<[" and token[-1:] in ">]"}
        return special or formed - named

    def token(self, name: str | None) -> int:
        """The number of a token by its name; None is the end-of-text token."""
        if name is None:
            if self.tokenizer.eos_token_id is None:
                raise ActivationsError(f"{self.name}: its tokenizer names no end-of-text token, expected one")
            return self.tokenizer.eos_token_id
        number = self.tokenizer.get_vocab().get(name)
        if number is None:
            shown = ", ".join(sorted(self._reserved())[:5]) or "none"
            raise ActivationsError(
                f"{self.name}: its tokenizer has no token {name!r}; name one that it reserves"
                f" (tokens of that kind: {shown})"
            )
        return number

    def tokens(self, messages: list[dict]) -> list[int]:
        """A prompt as the provider would render it, as tokens."""
        special = not self.tokenizer.chat_template
        return self.tokenizer(self.prompt(messages), add_special_tokens=special)["input_ids"]

    def output(self):
        """The output layer, tokens x width: it makes logits of what the last layer puts out. It may take as long as
        loading the trunk.
        """
        return self.causal().get_output_embeddings().weight.detach().float().cpu().numpy()

    def load(self, site: str = RESIDUAL):
        """The trunk, ready to run and to give the states of a site."""
        from ragassay.models.activations.states import States

        budget = self.batch_tokens(CPU_TOKENS, GPU_TOKENS)
        return States(self.trunk(), budget, self.tokenizer.pad_token_id or 0, site)
