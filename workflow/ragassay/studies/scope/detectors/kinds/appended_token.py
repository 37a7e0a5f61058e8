"""The hidden state of a token behind the prompt, which asks whether the document answers the question. Option
`appended` names the token, a reserved one that was never trained; empty is the model's end-of-text token, and one
that the tokenizer lacks is an error. Option `layer` (default -1, the last). A prompt that is too long has NaN for
features."""

from collections.abc import Sequence

from ragassay.calls.prompts import Prompt
from ragassay.models.activations.state_store import Decoder, StoredStates
from ragassay.models.heads.scores import ROWS
from ragassay.studies.scope.detectors import detector


class Kind(detector.Kind):
    def __init__(self, settings, embeddings, prompt):
        entry, options = settings["encoder"], settings["options"]
        self.decoder = Decoder(f"model {entry['name']}", entry)
        self.prompt, self.token, self.layer = Prompt.load(prompt), options.get("appended"), options.get("layer", -1)
        self.states = StoredStates(self.decoder, embeddings, [self.layer])

    def identity(self):
        read = {"token": self.token or self.decoder.tokenizer.eos_token, "prompt": self.prompt.digest}
        return self.decoder.identity | read | {"layer": self.layer}

    def features(self, asked):
        return self.states.read(self._keys(asked))[:, 0, 0]

    def stream(self, asked):
        keys = self._keys(asked)  # all at once, since documents are shared
        for start in range(0, len(keys), ROWS):
            yield self.states.read(keys[start : start + ROWS])[:, 0, 0]

    def _keys(self, asked):
        prompts = TokenPrompts(asked, self.decoder, self.prompt, self.decoder.token(self.token))
        return self.states.keys(prompts, [pair.doc_id for pair in asked], [pair.question_id for pair in asked])


class TokenPrompts(Sequence):
    """Prompts as tokens, each made when it is looked at: together they would take more memory than all else."""

    def __init__(self, asked, decoder, prompt, last):
        self.asked, self.decoder, self.prompt, self.last = asked, decoder, prompt, last

    def __len__(self):
        return len(self.asked)

    def __getitem__(self, number):
        pair = self.asked[number]
        messages = self.prompt.messages(document=pair.document, question=pair.question)
        return [*self.decoder.tokens(messages), self.last]
