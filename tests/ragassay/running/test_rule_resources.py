"""What groups of rules ask for: a project's own profiles take the pipeline's place."""

from ragassay.running import rule_resources


def test_the_minutes_of_a_group_are_those_of_its_rules(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = rule_resources.minutes_of_groups()
    assert before["labels"] == 300  # judge_scope has 4 hours, two more what every job gets
    for name in ("default", "slurm"):
        (tmp_path / "profiles" / name).mkdir(parents=True)
    default = "default-resources: {runtime: 45m}\nset-resources: {select_questions: {runtime: 7}}\n"
    (tmp_path / "profiles/default/profile.yaml").write_text(default)
    groups = "groups: [judge_scope=labels, label_scope=labels, select_questions=labels]\n"
    more = "set-resources: {judge_scope: {runtime: 2h}, select_questions: {runtime: 9, mem_mb: 5}}\n"
    (tmp_path / "profiles/slurm/profile.yaml").write_text(groups + more)
    assert rule_resources.minutes_of_groups() == {"labels": 120 + 45 + 7}
