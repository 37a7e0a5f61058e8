"""What of each table goes into a release, what refers to what, and what a replay is given: a table as it is, unless
MADE says which rule makes it again. Whose texts a table holds stands with its columns (`ragassay.base.tables`), so
that a new table needs nothing here."""

from ragassay.results import all_tables

SITE, DOCUMENT, KEY, SERVICE, EVERYBODY = "site", "document", "key", "service", "everybody"
OURS, POISON = "ours", "poison"

DECLARED = all_tables()
TEXTS = {
    name: texts
    for name, table in DECLARED.items()
    if (texts := {column.name: column.text for column in table.columns if column.text})
}
PLANTED = [name for name, table in DECLARED.items() if table.release == "poisoned"]  # only with export.poisoned
# Files of other tables that hold such texts, from models that wrote them.
PLANTING = """asked_calls/paraphrase_targets asked_calls/write_targets recorded_answers/paraphrase_targets
    recorded_answers/write_targets rejects/attack_texts
    rejects/targets""".split()
DIVIDED = "rejects", "metrics"  # of these a part is given
# What a replay makes from recorded answers: rule -> tables and parts of tables. All else it is given: it came from
# outside or from people, or vectors or trained weights made it, which are not in a release.
MADE = {
    "answer_attacked": ["answers"],
    "answer_closed_book": ["closed_book_answers"],
    "answer_directly": ["direct_answers"],
    "answer_from_passages": ["passage_answers"],
    "answer_prompts": ["prompt_answers"],
    "ask_service": ["responses", "service_answers", "service_passages"],
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
    "measure_services": ["metrics/services"],
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
DEPENDS["ask_service"] = [("questions", "text"), ("documents", "text")]
DEPENDS["judge_defusion"] = [("questions", "text"), ("responses", "text")]
DEPENDS["measure_responses"] = [("responses", "text"), ("closed_book_answers", "text")]
DEPENDS["measure_services"] = [("service_answers", "text")]
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

# (table, column, other table, column there)
REFERENCES = [
    (name, column.name, *column.refers.split("."))
    for name, table in DECLARED.items()
    for column in table.columns
    if column.refers
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
    """Whether the table says what becomes of it."""
    return table in TEXTS or DECLARED[table].release is not None


def is_published(table: str, place: str, poisoned: bool, vectors: bool) -> bool:
    """Whether the file of a table at this place goes along."""
    release = DECLARED[table].release
    planted = release == "poisoned" or any(f"{place}/".startswith(f"{one}/") for one in PLANTING)
    return release != "never" and (poisoned or not planted) and (vectors or release != "vectors")


def part(place: str) -> str:
    """The table that stands at a place, or its part that is rebuilt or given as one."""
    first, _, rest = place.partition("/")
    return f"{first}/{rest.split('/')[0]}" if first in DIVIDED else first
