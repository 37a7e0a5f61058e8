"""What the demo's judges and detectors are worth where labels are known, and how fast the scope study asks; the parts
stand in benchmarks/judging/.

`controls` are classifiers that read the question alone or count its words, with the detectors that have to see more;
`coverage` is how often intervals cover the truth; `questions` and `responses` compare the demo's first judge with
people's labels; `whole` runs the study against a server. `python benchmarks/scope.py controls` measures only what is
named.
"""

from common.figures import parts
from judging.controls import controls
from judging.coverage import coverage
from judging.gold import questions, responses
from judging.served_study import whole

if __name__ == "__main__":
    parts({"controls": controls, "coverage": coverage, "questions": questions, "responses": responses, "whole": whole})
