"""The annotators' tasks: two, with two labels each, the positive one first. Their wording is in the guidelines."""

SCOPE, DEFUSION = "scope", "defusion"
LABELS = {SCOPE: ("out_of_scope", "in_scope"), DEFUSION: ("defused", "not_defused")}
ANNOTATOR, ADJUDICATOR = "annotator", "adjudicator"
