"""The hidden state of a token behind the prompt: of a reserved one that was never trained, or of the end of text.

The prompt holds document and question and asks whether the one answers the other; the token is its last, so its state
is what the model makes of all of it. Option `appended` names the token, and a tokenizer that lacks it is an error:
a number in its place would silently name another one. Empty is the model's own end-of-text token. Option `layer`
counts as transformers does (default -1, the last).
"""

from ragassay.activations.decoder import Decoder
from ragassay.activations.stored import StoredStates
from ragassay.detectors import detector
from ragassay.llm.prompts import Prompt


class Kind(detector.Kind):
    def __init__(self, settings, embeddings, prompt):
        entry, options = settings["encoder"], settings["options"]
        self.decoder = Decoder(entry["name"], entry["model"], entry.get("options", {}))
        self.prompt, self.token, self.layer = Prompt.load(prompt), options.get("appended"), options.get("layer", -1)
        self.states = StoredStates(self.decoder, embeddings, [self.layer])

    def identity(self):
        own = {"token": self.token or self.decoder.tokenizer.eos_token, "prompt": self.prompt.digest}
        return self.decoder.identity | own | {"layer": self.layer}

    def features(self, asked):
        last = self.decoder.token(self.token)
        prompts = [
            [*self.decoder.tokens(self.prompt.messages(document=one.document, question=one.question)), last]
            for one in asked
        ]
        found = self.states.of(prompts, [one.doc_id for one in asked])
        return found.reshape(len(asked), -1)
