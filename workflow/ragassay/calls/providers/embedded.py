"""The embedded model: the rule-based reader of `ragassay.embedded`, called like any other model."""

import json

from ragassay.base.code_version import WORKFLOW, module_version
from ragassay.calls import model
from ragassay.calls.model import Answer, Usage
from ragassay.embedded.reader import respond


class Provider(model.Provider):
    def identity(self):
        """Its code is its weights."""
        return super().identity() | {"code": module_version("ragassay.embedded.reader", WORKFLOW)}

    async def send(self, messages, sampling, samples):
        texts = [respond(messages, sampling, sample) for sample in samples]
        tokens = {
            "prompt": sum(len(m["content"].split()) for m in messages),
            "completion": sum(len(t.split()) for t in texts),
        }
        return json.dumps({"texts": texts, **tokens}), {}

    def read(self, body):
        reply = json.loads(body)
        return [Answer(text, "stop") for text in reply["texts"]], Usage(reply["prompt"], 0, reply["completion"])
