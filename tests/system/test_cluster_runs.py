"""Runs on a real Slurm, which the test starts: a head that is killed, jobs that are started again in mid-call, commands
that fail. `make slurm-test` lets more happen to them.
"""

import pytest

import programs
from clusters.scenarios import failing_commands, killed_head, requeued
from clusters.slurm import Slurm
from clusters.trial import Trial
from common.figures import reaches


@pytest.mark.clock
def test_what_happens_to_a_run_on_slurm_changes_no_table_and_asks_nothing_twice(tmp_path):
    programs.slurm()
    with Slurm(tmp_path / "d") as slurm, Trial(tmp_path, slurm) as trial:
        figures = {
            (scenario.__name__, name): (value, target)
            for scenario in (killed_head, requeued, failing_commands)
            for name, (value, _, target, *_) in trial.of(scenario).items()
        }
    assert len(figures) == 15
    assert {name: figure for name, figure in figures.items() if not reaches(*figure)} == {}
