"""ragassay: the contents page. Rules stand in workflow/rules in the order in which they run; what they call, in workflow/scripts."""

from snakemake.utils import min_version

min_version("9.27")


include: "workflow/rules/common.smk"
include: "workflow/rules/news.smk"
include: "workflow/rules/documents.smk"
include: "workflow/rules/scope.smk"
include: "workflow/rules/hardness.smk"
include: "workflow/rules/responses.smk"
include: "workflow/rules/question_sets.smk"
include: "workflow/rules/people.smk"
include: "workflow/rules/retrieval.smk"
include: "workflow/rules/detectors.smk"
include: "workflow/rules/calls.smk"
include: "workflow/rules/publish.smk"
include: "workflow/rules/report.smk"


told(references.check_inputs, workflow.rules)


rule report:
    """Everything that the configuration asks for, and the page that shows it."""
    default_target: True
    input:
        "results/report/index.html",
        expand("results/report/{section}.csv", section=SECTIONS),
        expand(
            "results/selected_questions/{generator}/{judge}/{shard}.parquet",
            generator=config["scope"]["generators"],
            judge=config["scope"]["judges"],
            shard=SHARDS,
        ),
        expand(
            "results/report/explorer/{generator}/{judge}.html",
            generator=config["scope"]["generators"],
            judge=config["scope"]["judges"],
        ),


rule documents:
    """The documents of all shards and what they are like."""
    input:
        "results/metrics/documents.parquet",


rule scope:
    """Questions in and out of the scope of all documents, judged and answered, how hard they are, and the numbers."""
    input:
        "results/metrics/scope.parquet",
        "results/metrics/responses.parquet",
        expand(
            "results/selected_questions/{generator}/{judge}/{shard}.parquet",
            generator=config["scope"]["generators"],
            judge=config["scope"]["judges"],
            shard=SHARDS,
        ),


rule question_sets:
    """Judges, detectors and responders measured on questions that were made elsewhere, and people where they labelled some."""
    input:
        expand("results/metrics/{section}.parquet", section=sets.sections(config)),
        expand("results/report/{section}.csv", section=sets.sections(config)),
        expand("results/figures/{section}", section=sets.sections(config)),


rule detectors:
    """Detectors of questions out of scope, trained, applied and compared."""
    input:
        "results/metrics/detectors.parquet",


rule explorer:
    """Pages to look through all questions with their documents, claims and votes."""
    input:
        expand(
            "results/report/explorer/{generator}/{judge}.html",
            generator=config["scope"]["generators"],
            judge=config["scope"]["judges"],
        ),


rule export:
    """The questions in the forms that others know."""
    input:
        expand(
            "results/export/{generator}/{judge}/{form}",
            form=["beir", "hugging_face"],
            generator=config["scope"]["generators"],
            judge=config["scope"]["judges"],
        ),
