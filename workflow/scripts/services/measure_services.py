"""Measure services on the questions that they were asked: the report's section. Asks nobody."""

from ragassay.base import tables
from ragassay.base.stage import run
from ragassay.schemas.report import METRICS
from ragassay.schemas.scope_answers import DEFUSION_LABELS
from ragassay.schemas.services import SERVICE_ANSWERS
from ragassay.studies.scope.services_section import service_rows, shares
from ragassay.studies.scope.votes import ALONE


def measure_services(service_answers, defusion_labels, metrics, resamples, seed):
    answers, labels = tables.frame(SERVICE_ANSWERS, service_answers), tables.frame(DEFUSION_LABELS, defusion_labels)
    labels, rows = labels[labels["prompt_name"] == ALONE], []
    for asked, of_asked in answers.groupby("generator"):
        owners = of_asked.drop_duplicates("question_id").set_index("question_id")["doc_id"]
        by_service = {}
        for name, of_service in of_asked.groupby("responder"):
            judged = labels[(labels["generator"] == asked) & (labels["responder"] == name)]
            by_service[name] = shares(of_service, dict(zip(judged["question_id"], judged["label"], strict=True)))
        rows += service_rows(asked, by_service, owners, {"times": resamples, "seed": seed})
    tables.write(METRICS, metrics, rows)


if __name__ == "__main__":
    run(measure_services, snakemake)
