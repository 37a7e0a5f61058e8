"""Names that question sets and their results share. Loads nothing."""

RECORDED = "recorded"  # the prompt behind responses that were recorded elsewhere
