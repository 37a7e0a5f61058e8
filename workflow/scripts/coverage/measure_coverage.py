"""Measure which questions a corpus covers: how many its gate rejects, to how many a judge finds an answer in their
documents, what a bot did with them, and what is asked most outside of the corpus. The explorer lists the same question
by question.
"""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.metrics.resampling import clopper_pearson
from ragassay.report.explorers import verdicts
from ragassay.schemas.corpora import QUERY_LOG
from ragassay.schemas.relevance import COVERED_QUESTIONS, GATED_QUERIES
from ragassay.schemas.report import EXAMPLES, METRICS, Section
from ragassay.schemas.scope_answers import DEFUSION_LABELS, RESPONSES
from ragassay.schemas.scope_questions import QUESTIONS, SCOPE_LABELS
from ragassay.studies.relevance.outside import most_asked, numbered

SECTION = Section("coverage")
# What a response to a question that should or should not be answered can be: outcome -> whether it answers.
OUTCOMES = {
    verdicts.YES: {verdicts.ANSWERED_IN: True, verdicts.REFUSED_IN: False},
    verdicts.NO: {verdicts.ANSWERED_OUT: True, verdicts.DECLINED_OUT: False},
}


def measure_coverage(
    covered_questions, questions, scope_labels, responses, defusion_labels, gold, human_labels, gated_queries,
    query_logs, metrics, examples, entries, alpha, topics, seed,
):  # fmt: skip
    """`entries` are name -> corpus, retriever, generator (the question set), judge and query_log. The tables are lists
    of files, of which each entry takes its own. `alpha` is the share that gates reject by mistake.
    """
    people, of_responses = verdicts.people(gold, human_labels)
    rows, shown = [], []
    for name, entry in entries.items():
        asked = _rows(QUESTIONS, questions, generator=entry["generator"])
        gated = _by_id(_rows(COVERED_QUESTIONS, covered_questions, **_keys(entry, "corpus", "retriever", "generator")))
        labels = _by_id(_rows(SCOPE_LABELS, scope_labels, **_keys(entry, "generator", "judge")))
        should = {
            row["question_id"]: verdicts.should_be_answered(
                row["intended"], labels[row["question_id"]]["label"], people.get(row["question_id"])
            )
            for row in asked
        }
        keys = {"set": name, **_keys(entry, "corpus", "retriever", "generator", "judge")}
        out = [gated[row["question_id"]]["rejected"] for row in asked]
        rows.append(_share("outside", keys, "rejected", out))
        rows.append(SECTION.row("outside", keys, "alpha", alpha, len(out)))
        rows.append(_share("answerable", keys, "answered", [_yes(should[row["question_id"]]) for row in asked]))
        rows += _of_labels(keys, asked, people, gated, labels)
        for path in responses:
            answered = tables.keys(RESPONSES, path)
            if answered["generator"] == entry["generator"]:
                given = {"generator": entry["generator"], "judge": entry["judge"]}
                given |= {"responder": answered["responder"], "prompt": answered["prompt"]}
                judged = _by_id(_rows(DEFUSION_LABELS, defusion_labels, **given))
                rows += _of_bot(keys | given, tables.read(RESPONSES, path).to_pylist(), judged, should, of_responses)
        outside = [(row["text"], "Question") for row, rejected in zip(asked, out, strict=True) if rejected]
        outside += _rejected_queries(entry, gated_queries, query_logs)
        shown += most_asked(entry["corpus"], outside, topics, seed)
        log.info("%s: %d of %d questions out of knowledge", name, sum(out), len(asked))
    tables.write(METRICS, metrics, rows)
    tables.write(EXAMPLES, examples, numbered("coverage", shown))


def _share(table, keys, metric, hits):
    """The share of True among True and False; None is no verdict."""
    counted = [hit for hit in hits if hit is not None]
    count, total = sum(counted), len(counted)
    value = count / total if total else None
    return SECTION.row(table, keys, metric, value, total, *clopper_pearson(count, total), len(hits) - total)


def _yes(should):
    return {verdicts.YES: True, verdicts.NO: False}.get(should)


def _of_labels(keys, asked, people, gated, labels):
    """How often gate and judge are right about questions whose label is known from elsewhere."""
    for side in verdicts.SHOULD:
        labelled = [row["question_id"] for row in asked if people.get(row["question_id"], row["intended"]) == side]
        is_out = verdicts.SHOULD[side] == verdicts.NO
        by_gate = [gated[name]["rejected"] == is_out for name in labelled]
        by_judge = [_right(labels[name]["label"], side) for name in labelled]
        for method, right in ((f"gate of {keys['corpus']}", by_gate), (f"judge {keys['judge']}", by_judge)):
            if labelled:
                yield _share("labels", keys | {"method": method, "label": side}, "right", right)


def _right(label, side):
    return label == side if label in verdicts.SHOULD else None


def _of_bot(keys, responses, judged, should, of_responses):
    """How many of the questions that it should and of those that it should not answer a bot answers."""
    for wanted, outcomes in OUTCOMES.items():
        hits = []
        for row in responses:
            if should[row["question_id"]] == wanted:
                name = row["question_id"], row["responder"]
                by_people = of_responses.get((*name, row["prompt_name"])) or of_responses.get((*name, None))
                outcome, _ = verdicts.response_outcome(wanted, row, judged.get(row["question_id"]), by_people)
                hits.append(outcomes.get(outcome))
        yield _share("bot", keys | {"should": wanted}, "answered", hits)


def _rejected_queries(entry, gated_queries, query_logs):
    wanted = _keys(entry, "corpus", "retriever", "query_log")
    gated = {row["entry"] for row in _rows(GATED_QUERIES, gated_queries, **wanted) if row["rejected"]}
    asked = _rows(QUERY_LOG, query_logs, query_log=entry["query_log"]) if gated else []
    return [(row["text"], "Query of the log") for row in asked if row["entry"] in gated]


def _keys(entry, *names):
    return {name: entry[name] for name in names}


def _rows(table, paths, **keys):
    """The rows of the files whose paths have these keys."""
    chosen = [path for path in paths if keys.items() <= tables.keys(table, path).items()]
    return tables.read_all(table, chosen).to_pylist()


def _by_id(rows):
    return {row["question_id"]: row for row in rows}


if __name__ == "__main__":
    run(measure_coverage, snakemake)
