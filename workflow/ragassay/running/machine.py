"""What a run takes of its folder and of the machine. Jobs that wait for a server hold no core, and those that compute
do not keep them waiting.

A job of no threads only waits for a model elsewhere (`models.threads_of`); by the profile it counts as `asking`, any
other one as `computing`. So many may compute as there are cores. Snakemake starts nothing while all cores are taken,
not even what needs none, and so it is given one more than may be used. On a cluster the scheduler decides about that.
"""

import os

from ragassay.running import run_lock

ASKING = (
    5  # jobs at once, each with many requests in flight: as many workers as Snakemake has beside those of its cores
)


def prepare(workflow) -> None:
    """While the Snakefile is read."""
    # Threads that wait for others sleep: jobs side by side would spend most of their time on watching each other.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    cores = _cores(workflow)
    if workflow.is_main_process and cores:
        for name, most in {"computing": cores, "asking": ASKING}.items():
            if name not in workflow.global_resources:
                workflow.register_resource(name, most)
    run_lock.take_over(workflow)


def begin(workflow) -> None:
    """When the first job is about to start."""
    run_lock.own()
    if cores := _cores(workflow):
        workflow.register_resource("_cores", cores + 1)


def _cores(workflow):
    """None where jobs go to other machines."""
    resources = workflow.global_resources
    return None if resources["_nodes"].value else resources["_cores"].value
