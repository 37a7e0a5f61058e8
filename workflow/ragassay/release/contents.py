"""What of each table goes into a release: whose its texts are, what refers to what, and what a replay is given.

A new table needs a line here. TEXTS says of each column with texts whose they are:

    site            of the row's site, else of its shard
    document        of the document that the row names
    key             of the last key in the path of its file, such as a corpus or a set of queries
    everybody       of several, which the row does not name
    ours            of models and people who worked for the study; they may repeat runs of others' texts
    poison          of an attacker who wants it to be read
"""

SITE, DOCUMENT, KEY, EVERYBODY, OURS, POISON = "site", "document", "key", "everybody", "ours", "poison"

TEXTS = {
    "annotation_items": {"document": DOCUMENT, "question": OURS, "response": OURS},
    "answer_examples": {"text": EVERYBODY},
    "answers": {"text": OURS},
    "articles": {"text": SITE},
    "attack_texts": {"text": POISON},
    "claims": {"text": OURS},
    "closed_book_answers": {"text": OURS},
    "direct_answers": {"text": OURS},
    "documents": {"text": SITE},
    "examples": {"text": EVERYBODY},
    "lm_relevance": {"feedback": OURS},
    "near_misses": {"text": OURS},
    "novel_claims": {"text": OURS},
    "passage_answers": {"text": OURS},
    "passages": {"text": DOCUMENT},
    "poisoned_passages": {"text": POISON},
    "prompt_answers": {"text": OURS},
    "prompt_pairs": {"passages": POISON},
    "queries": {"text": KEY, "answers": KEY, "options": KEY},
    "query_log": {"text": EVERYBODY},
    "questions": {"text": OURS},
    "recorded_answers": {"body": OURS},
    "recovered_claims": {"text": OURS},
    "responses": {"text": OURS},
    "selected_questions": {"text": OURS},
    "targets": {"question": KEY, "answers": KEY, "target": POISON, "target_aliases": POISON, "texts": POISON},
    "written_questions": {"text": OURS},
}
WITHOUT_TEXTS = """alarms answer_metrics asked_calls baseline_scores calls candidates clusters defusion_labels
    defusion_votes detector_documents detector_training document_statistics drift embedded_passages feed_health
    feeds filtered found_rewritten gated_queries gold hardness hardness_scores hardness_strata
    held_out_documents metrics neighbours outlier_scores overlap passage_scores predictions probe_classes
    probe_scores probe_transfers projections published_texts query_drift raguard_sweeps rejects relevance_scores
    retrieved rewritten_passages scope_labels scope_votes sweep_answers sweep_shown""".split()
PLANTED = ["attack_texts", "poisoned_passages", "prompt_pairs"]  # only with export.poisoned
# Files of other tables that hold such texts, from models that wrote them.
PLANTING = """asked_calls/paraphrase_targets asked_calls/write_targets recorded_answers/paraphrase_targets
    recorded_answers/write_targets rejects/attack_texts
    rejects/targets""".split()
VECTORS = ["activations"]  # only with release.vectors
NEVER = {
    "annotations": "people gave them",
    "human_labels": "people gave them",
    "quarantine": "it names people who reviewed, with their notes",
    "pages": "the pages of others, as they came",
    "rehydrated_texts": "readers of a release fetch them",
    "exported_documents": "an export holds them",
    "exported_questions": "an export holds them",
}
DIVIDED = "rejects", "metrics"  # of these a part is given
# What a replay makes from recorded answers: rule -> tables and parts of tables. All else it is given: it came from
# outside or from people, or vectors or trained weights made it, which are not in a release.
MADE = {
    "answer_attacked": ["answers"],
    "answer_closed_book": ["closed_book_answers"],
    "answer_directly": ["direct_answers"],
    "answer_from_passages": ["passage_answers"],
    "answer_prompts": ["prompt_answers"],
    "describe_documents": ["document_statistics"],
    "extract_claims": ["claims", "rejects/claims"],
    "judge_defusion": ["defusion_votes", "defusion_votes_plain"],
    "judge_scope": ["scope_votes"],
    "label_defusion": ["defusion_labels"],
    "label_scope": ["scope_labels"],
    "measure_calls": ["metrics/calls"],
    "measure_documents": ["metrics/documents"],
    "measure_responses": ["metrics/responses"],
    "measure_scope": ["metrics/scope"],
    "rate_relevance": ["lm_relevance"],
    "recover_claims": ["recovered_claims", "rejects/recovered_claims"],
    "remove_supported_claims": ["novel_claims", "rejects/novel_claims"],
    "respond": ["responses"],
    "select_questions": ["selected_questions"],
    "write_questions": ["questions", "written_questions", "rejects/questions"],
}
# What these make depends on words that a release may withhold: rule -> (table, column). Then it is given, too.
QUERY_ANSWERS = [("queries", "answers")]
TARGET_ANSWERS = [("targets", "answers"), ("targets", "target"), ("targets", "target_aliases")]
DEPENDS = {"answer_directly": QUERY_ANSWERS, "answer_from_passages": QUERY_ANSWERS}
DEPENDS |= {"answer_attacked": TARGET_ANSWERS, "answer_prompts": TARGET_ANSWERS}
DEPENDS |= {rule: [("questions", "text")] for rule in ("answer_closed_book", "judge_scope", "respond")}
DEPENDS["judge_defusion"] = [("questions", "text"), ("responses", "text")]
DEPENDS["measure_responses"] = [("responses", "text"), ("closed_book_answers", "text")]
DEPENDS["recover_claims"] = [("claims", "text")]
DEPENDS["remove_supported_claims"] = [("claims", "text"), ("recovered_claims", "text")]
DEPENDS["write_questions"] = [("claims", "text"), ("novel_claims", "text")]
# These show other texts in their prompts than those of documents: rule -> tables.
ABOUT = {"answer_directly": ["queries"]}
ABOUT |= {rule: ["passages", "queries"] for rule in ("answer_from_passages", "rate_relevance")}
ABOUT |= {rule: ["passages", "targets"] for rule in ("answer_attacked", "answer_prompts")}
# What a replay measures again on given tables, which vectors or trained weights made, within the tolerance; and what it
# reads, if a run has that, which no release holds: it is given, then.
MEASURED = {"metrics/detectors": {"human_labels"}, "metrics/retrieval": set()}
TOLERANCE = 1e-6
RULES = [*MADE, "measure_detectors", "measure_retrieval"]

QUESTION, TARGET, QUERY = ("questions", "question_id"), ("targets", "target_id"), ("queries", "query_id")
REFERENCES = [
    *(("claims", "doc_id", "documents", "doc_id"), ("recovered_claims", "doc_id", "documents", "doc_id")),
    *(("recovered_claims", "claim_id", "claims", "claim_id"), ("novel_claims", "claim_id", "claims", "claim_id")),
    ("novel_claims", "recovered_id", "recovered_claims", "recovered_id"),
    *(("questions", "doc_id", "documents", "doc_id"), ("questions", "claim_id", "claims", "claim_id")),
    ("questions", "recovered_id", "novel_claims", "recovered_id"),
    ("asked_calls", "key", "recorded_answers", "key"),
    ("drift", "recovered_id", "recovered_claims", "recovered_id"),
    *(("clusters", "article_id", "articles", "article_id"), ("annotation_items", "doc_id", "documents", "doc_id")),
    *((table, "question_id", *QUESTION) for table in ("scope_votes", "scope_labels", "selected_questions", "overlap")),
    *((table, "question_id", *QUESTION) for table in ("responses", "closed_book_answers", "hardness", "predictions")),
    *((table, "question_id", "responses", "question_id") for table in ("defusion_votes", "defusion_labels")),
    *((table, "target_id", *TARGET) for table in ("answers", "prompt_answers", "probe_scores", "poisoned_passages")),
    *((table, "query_id", *QUERY) for table in ("passage_answers", "direct_answers", "lm_relevance")),
]
# Rows of the first are those of the second and rejects; their files have the same keys in their paths.
FUNNELS = [
    ("articles", "documents", "documents/{shard}"),
    ("articles", "clusters", None),
    ("questions", "scope_labels", None),
    ("questions", "selected_questions", None),
    ("questions", "responses", None),
]


def rebuilt(parts: list[str], rules: list[str]) -> list[str]:
    """What these rules make of these parts: questions are given where they are near misses, which need vectors."""
    made = {"calls", *(name for rule in rules for name in MADE.get(rule, ()))}
    return [name for name in parts if name in made and not (name == "questions" and "near_misses" in parts)]


def replayed(withheld: set[tuple[str, str]], silent: set[str]) -> list[str]:
    """The rules that a replay runs. `withheld` are columns of tables with cells that are not published, `silent` rules
    of whose recorded answers some are not.
    """
    return [rule for rule in RULES if rule not in silent and withheld.isdisjoint(DEPENDS.get(rule, ()))]


def is_known(table: str) -> bool:
    return table in TEXTS or table in WITHOUT_TEXTS or table in VECTORS or table in NEVER


def is_published(table: str, place: str, poisoned: bool, vectors: bool) -> bool:
    """Whether the file of a table at this place goes along."""
    planted = table in PLANTED or any(f"{place}/".startswith(f"{one}/") for one in PLANTING)
    return table not in NEVER and (poisoned or not planted) and (vectors or table not in VECTORS)


def part(place: str) -> str:
    """The table that stands at a place, or its part that is rebuilt or given as one."""
    first, _, rest = place.partition("/")
    return f"{first}/{rest.split('/')[0]}" if first in DIVIDED else first
