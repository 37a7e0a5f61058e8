"""A model that was recorded (`ragassay exam`): `model` is the file, which holds its answers to the prompts of a study
and to no others (see `ragassay.models.recording`). Nothing is computed; an answer is the one that the model gave."""

import json

from ragassay.calls import model
from ragassay.calls.model import Answer, Failure, Model, Usage
from ragassay.models.recording import Recording, RecordingError


class Provider(model.Provider):
    def __init__(self, settings: Model):
        super().__init__(settings)
        self.recording = Recording.open(settings.model)

    def identity(self):
        return {"provider": self.model.provider, "recording": self.recording.digest}

    async def send(self, messages, sampling, samples):
        recorded = self.recording.card["sampling"]
        if sampling != recorded or samples != [0]:
            detail = f"found sampling {sampling} of sample {samples}, expected the first with {recorded}, as recorded"
            raise Failure("recording", detail, again=False)
        try:
            row = self.recording.row(messages)
        except RecordingError as error:
            raise Failure("recording", str(error), again=False) from error
        return json.dumps(self.recording.answers[row]), {}

    def read(self, body):
        answer = json.loads(body)
        return [Answer(**answer | {"detail": answer["detail"] or ""})], Usage()
