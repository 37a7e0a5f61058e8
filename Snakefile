"""ragassay: the contents page. Rules stand in workflow/rules, by stage and in the order in which
stages run, so that each reads only what those before it write; what they call, in workflow/scripts."""

from snakemake.utils import min_version

min_version("9.27")


include: "workflow/rules/common.smk"
include: "workflow/rules/news.smk"
include: "workflow/rules/documents.smk"
include: "workflow/rules/questions.smk"
include: "workflow/rules/labels.smk"
include: "workflow/rules/responses.smk"
include: "workflow/rules/people.smk"
include: "workflow/rules/hardness.smk"
include: "workflow/rules/detectors.smk"
include: "workflow/rules/months.smk"
include: "workflow/rules/corpora.smk"
include: "workflow/rules/queries.smk"
include: "workflow/rules/targets.smk"
include: "workflow/rules/demo_lm.smk"
include: "workflow/rules/search.smk"
include: "workflow/rules/question_sets.smk"
include: "workflow/rules/grading.smk"
include: "workflow/rules/relevance.smk"
include: "workflow/rules/coverage.smk"
include: "workflow/rules/attacks.smk"
include: "workflow/rules/defences.smk"
include: "workflow/rules/measures.smk"
include: "workflow/rules/probes.smk"
include: "workflow/rules/services.smk"
include: "workflow/rules/explorers.smk"


for study in references.further_rule_files(f"{workflow.current_basedir.get_path_or_uri(secret_free=True)}/Snakefile"):

    include: study


include: "workflow/rules/calls.smk"
include: "workflow/rules/release.smk"
include: "workflow/rules/report.smk"


from ragassay.base.address import remove_copies  # whose path common.smk has set
from ragassay.calls import progress
from ragassay.calls.estimate import estimating
from ragassay.plan.models import shown
from ragassay.config import prices
from ragassay.running import command_line, console, downloads, rule_resources

PAGE_FILES = [*expand("{page}.html", page=HEADS), *EXPLORERS.values()]
in_one_line(references.check_inputs, workflow.modifier.rules)
references.watch_prompts(workflow.modifier.rules, in_one_line)
references.complete(workflow.modifier.rules, workflow.modifier.path_modifier, version)
if not IS_MODULE:  # else the terminal and the end of the run are the caller's
    terminal = console.take_over(workflow, PARTIAL["folder"], PARTIAL["settings"]["name"], PAGE_FILES)
    in_one_line(cluster.enter, workflow)
    finished_jobs.mark_lost(workflow)
    rule_resources.grow(workflow, SHARDS)
    plans.follow(workflow, {"config": shown(config), "shards": SHARDS}, plan(page.places, files=CONFIG_FILES)["report"])


onstart:
    machine.begin(workflow)
    in_one_line(downloads.begin, workflow, models.of_hub(config), config, CONFIG_FILES)
    prices.warn(config["models"], [read(file) for file in CONFIG_FILES])
    in_one_line(cluster.begin, workflow)
    finished_jobs.begin(workflow)
    plans.begin(workflow)
    progress.begin()


onsuccess:
    in_one_line(partial_report.draw, **PARTIAL)
    terminal.end(well=True, asked=progress.end(well=True))


onerror:
    in_one_line(partial_report.draw, **PARTIAL)
    terminal.end(well=False, asked=progress.end(well=False))
    in_one_line(cluster.end, workflow)
    remove_copies()


localrules:
    report,


rule report:
    """Everything that the configuration asks for, and the page that shows it."""
    default_target: True
    input:
        CALLS if estimating() else PRODUCTS,


if workflow.is_main_process and not IS_MODULE and len(workflow.included_stack) == 1:  # else a caller may add rules
    in_one_line(references.check_targets, workflow.rules, command_line.targets)
