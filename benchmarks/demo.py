"""What the demo's questions, judges and language model are worth; the parts stand in benchmarks/judging/.

`controls` are classifiers that read the question alone or count its words, `questions` and `responses` compare the
demo's first judge with people's labels, `language_model` asks demo-lm. `python benchmarks/demo.py controls` measures
only what is named.
"""

from common.figures import parts
from judging.controls import controls
from judging.gold import questions, responses
from judging.language_model import language_model

if __name__ == "__main__":
    runs = {"controls": controls, "questions": questions, "responses": responses, "language_model": language_model}
    parts(runs)
