"""What people are asked: two tasks with two labels each, the positive one first. Not how it is worded, which stands in
the guidelines.
"""

SCOPE, DEFUSION = "scope", "defusion"
LABELS = {SCOPE: ("out_of_scope", "in_scope"), DEFUSION: ("defused", "not_defused")}
ANNOTATOR, ADJUDICATOR = "annotator", "adjudicator"
