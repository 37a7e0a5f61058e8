"""Names that question sets and what is made of them have in common. Loads nothing."""

RECORDED = "recorded"  # the prompt behind responses that were recorded elsewhere
