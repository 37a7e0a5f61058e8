"""What conditions, their sides, and reasons for leaving questions out are called; see
`ragassay.studies.poisoning.probes.conditions`."""

PAIRED = RELEASED, RETRIEVED, PREFIXED, MATCHED = "released", "retrieved", "prefixed", "matched"
UNPOISONED = IRRELEVANT, MISSPELT = "irrelevant", "misspelt"
CONDITIONS = PAIRED + UNPOISONED
SIDES = CLEAN, ATTACKED = "clean", "attacked"
NO_GOLD, NO_POISON, NOT_REACHED = "no_gold_passage", "no_poison", "poison_not_retrieved"
NO_ANSWER, NOT_EXCHANGED, NO_OTHER = "no_passage_answers", "answer_not_exchanged", "no_irrelevant_passage"
REASONS = NO_GOLD, NO_POISON, NOT_REACHED, NO_ANSWER, NOT_EXCHANGED, NO_OTHER  # why a question has no pair
